/* projection.c - keeps the tables `task` and `attempt` up to date with the state of a run.
 *
 * Each event marks the rows that it changes, and each marked row is written once, from the state
 * after the whole batch. If a transaction has to be committed before all marked rows are written, a
 * row of `task` is deleted first, so that readers see that the tables are incomplete. */
#include "log_write.h"

#include <assert.h>
#include <stdlib.h>

#include "xalloc.h"

enum { PUT_TASK, PUT_ATTEMPT, PUT_SUMMARY };

static const char *const statement_sql[] = {
    [PUT_TASK] = "INSERT OR REPLACE INTO task(run, task, id, title, status, step, try, tries,"
                 " entropy, held, cancelling, by, blocked_by, due_at_ms, started_at_ms, waited_ms)"
                 " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [PUT_ATTEMPT] =
        "INSERT OR REPLACE INTO attempt(run, task, step, attempt, grant_no, started_at_ms,"
        " ended_at_ms, waited_ms, outcome, code, ran_ms, out_bytes, err_bytes, out_lines,"
        " err_lines, rss_kib, cpu_ms, left_behind, class, type, reason, print_hi,"
        " print_lo) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [PUT_SUMMARY] = "UPDATE run SET last_seq=?2, last_at_ms=ifnull(?3, last_at_ms), "
                    "ended_at_ms=?4, exit_code=?5,"
                    " attempts=?6, passed=?7, failed=?8, cancelled=?9, waited_ms=?10,"
                    " tasks=?11 WHERE id=?1",
};
static_assert(ARRAY_LEN(statement_sql) == PROJECTION_STATEMENTS, "a place for each statement");

/* The rows that an event changes. Some events change no row: a running attempt's pid is only in its
 * event, which saves the most frequent commit two pages. */
enum { CHANGES_TASK = 1, CHANGES_ATTEMPT = 2 };

static const unsigned char changes[EVENT_KIND_COUNT] = {
    [EVENT_ATTEMPT_STARTED] = CHANGES_TASK | CHANGES_ATTEMPT,
    [EVENT_ATTEMPT_ENDED] = CHANGES_TASK | CHANGES_ATTEMPT,
    [EVENT_ATTEMPT_JUDGED] = CHANGES_ATTEMPT,
    [EVENT_WAIT_STARTED] = CHANGES_TASK,
    [EVENT_WAIT_ENDED] = CHANGES_TASK,
    [EVENT_STEP_ENDED] = CHANGES_TASK,
    [EVENT_STEP_REOPENED] = CHANGES_TASK,
    [EVENT_TASK_BLOCKED] = CHANGES_TASK,
    [EVENT_TASK_HELD] = CHANGES_TASK,
    [EVENT_TASK_RELEASED] = CHANGES_TASK,
    [EVENT_CANCEL_ASKED] = CHANGES_TASK,
    [EVENT_ROUND_STARTED] = CHANGES_TASK,
    [EVENT_HINT_GIVEN] = CHANGES_TASK,
};

/* The stamp of a row equals the list's current stamp while the row is in the list. */
struct projection_mark {
    unsigned task_stamp;
    unsigned attempt_stamp;
    int step, attempt;
};

bool projection_init(struct projection *projection, const struct db *db, struct err *err)
{
    *projection = (struct projection){.db = db, .stamp = 1};
    return db_prepare(db, statement_sql, PROJECTION_STATEMENTS, projection->statements, err);
}

void projection_done(struct projection *projection)
{
    if (!projection)
        return;
    db_finalize(projection->statements, PROJECTION_STATEMENTS);
    free(projection->rows);
    free(projection->marks);
    *projection = (struct projection){0};
}

static void forget_rows(struct projection *projection)
{
    projection->count = 0;
    projection->done = 0;
    projection->stamp++;
}

/* Adds marks for tasks that were added to a growing plan. */
static void make_room(struct projection *projection)
{
    const int tasks = projection->state->plan->task_count;
    projection->marks = xgrow(projection->marks, &projection->mark_cap, (size_t)tasks + 1,
                              sizeof(*projection->marks));
    for (; projection->mark_count < tasks; projection->mark_count++)
        projection->marks[projection->mark_count] = (struct projection_mark){0};
}

void projection_follow(struct projection *projection, int64_t run, const struct run_state *state)
{
    projection->run = run;
    projection->state = state;
    free(projection->marks);
    projection->marks = NULL;
    projection->mark_cap = 0;
    projection->mark_count = 0;
    make_room(projection);
    forget_rows(projection);
}

static void add_row(struct projection *projection, struct projection_row row)
{
    projection->rows =
        xgrow(projection->rows, &projection->cap, projection->count + 1, sizeof(*projection->rows));
    projection->rows[projection->count++] = row;
}

static void touch_task(struct projection *projection, int task)
{
    struct projection_mark *mark = &projection->marks[task];
    if (mark->task_stamp == projection->stamp)
        return;
    mark->task_stamp = projection->stamp;
    add_row(projection, (struct projection_row){.task = task, .step = -1});
}

/* Attempts of a task are sequential, so comparing with the latest one suffices. */
static void touch_attempt(struct projection *projection, const struct projection_row *row)
{
    struct projection_mark *mark = &projection->marks[row->task];
    bool is_in = mark->attempt_stamp == projection->stamp && mark->step == row->step &&
                 mark->attempt == row->attempt;
    if (is_in)
        return;
    mark->attempt_stamp = projection->stamp;
    mark->step = row->step;
    mark->attempt = row->attempt;
    add_row(projection, *row);
}

static void touch_dependents(struct projection *projection, int task)
{
    const struct plan_task *plan = &projection->state->plan->tasks[task];
    for (int i = 0; i < plan->dependent_count; i++)
        touch_task(projection, plan->dependents[i]);
}

/* Marks all direct and indirect dependents of a task. This can be slow, but only happens when a
 * user acts. */
static void touch_downstream(struct projection *projection, int first)
{
    const struct plan *plan = projection->state->plan;
    bool *seen = xcalloc((size_t)plan->task_count, sizeof(*seen));
    int *line = xcalloc((size_t)plan->task_count, sizeof(*line));
    int count = 0;
    line[count++] = first;
    seen[first] = true;
    for (int at = 0; at < count; at++) {
        const struct plan_task *task = &plan->tasks[line[at]];
        touch_dependents(projection, line[at]);
        for (int i = 0; i < task->dependent_count; i++) {
            int next = task->dependents[i];
            if (!seen[next])
                line[count++] = next;
            seen[next] = true;
        }
    }
    free(line);
    free(seen);
}

static void touch_all_tasks(struct projection *projection)
{
    for (int i = 0; i < projection->state->plan->task_count; i++)
        touch_task(projection, i);
}

void projection_touch(struct projection *projection, const struct event *event)
{
    bool is_there = event_kind_is_known(event->kind) && event->task >= 0 &&
                    event->task < projection->state->plan->task_count;
    unsigned what = is_there ? changes[event->kind] : 0;
    make_room(projection);
    if ((what & CHANGES_TASK) != 0)
        touch_task(projection, event->task);
    if ((what & CHANGES_ATTEMPT) != 0)
        touch_attempt(projection,
                      &(struct projection_row){event->task, event->step, event->attempt});

    switch (event->kind) { /* rows of other tasks */
    case EVENT_TASK_ADDED:
        touch_task(projection, event->task_added.number);
        break;
    case EVENT_CANCEL_ASKED:
        if (event->task < 0)
            touch_all_tasks(projection);
        break;
    case EVENT_STEP_ENDED:
        if (projection->state->tasks[event->task].status == TASK_PASSED)
            touch_dependents(projection, event->task);
        break;
    case EVENT_STEP_REOPENED:
        touch_downstream(projection, event->task);
        break;
    default: /* other events change only their own task */
        break;
    }
}

void projection_touch_all(struct projection *projection)
{
    const struct run_state *state = projection->state;
    make_room(projection);
    forget_rows(projection); /* rows that were written may have been rolled back */
    touch_all_tasks(projection);
    for (int task = 0; task < state->plan->task_count; task++) {
        for (int step = 0; step < state->plan->tasks[task].step_count; step++) {
            const struct step_state *of = &state->tasks[task].steps[step];
            for (size_t i = 0; i < of->attempt_count; i++)
                touch_attempt(projection,
                              &(struct projection_row){task, step, of->attempts[i].number});
        }
    }
}

static bool write_task(const struct projection *projection, int number, struct err *err)
{
    const struct run_state *state = projection->state;
    const struct task_state *task = &state->tasks[number];
    const struct step_state *step = run_state_step(state, number);
    bool waits = task->status == TASK_BACKOFF;
    sqlite3_stmt *put = projection->statements[PUT_TASK];

    (void)sqlite3_bind_int64(put, 1, projection->run);
    (void)sqlite3_bind_int(put, 2, number);
    db_bind_text(put, 3, state->plan->tasks[number].id);
    db_bind_text(put, 4, state->plan->tasks[number].title);
    (void)sqlite3_bind_int(put, 5, (int)task->status);
    (void)sqlite3_bind_int(put, 6, run_state_step_number(state, number));
    (void)sqlite3_bind_int(put, 7, (int)step->attempt_count);
    (void)sqlite3_bind_int(put, 8, run_state_tries(state, number));
    (void)sqlite3_bind_int(put, 9, task->entropy);
    (void)sqlite3_bind_int(put, 10, task->held);
    (void)sqlite3_bind_int(put, 11, task->cancelling);
    db_bind_text(put, 12, task->by);
    db_bind_unless(put, 13, task->status == TASK_BLOCKED ? task->blocked_by : -1, -1);
    db_bind_unless(put, 14, waits ? step->due.at_ms : 0, 0);
    db_bind_unless(put, 15, task->first_start.at_ms, 0);
    (void)sqlite3_bind_int64(put, 16, task->waited_ms);
    return db_run(projection->db, put, err);
}

static bool write_attempt(const struct projection *projection, const struct projection_row *row,
                          struct err *err)
{
    const struct step_state *step = &projection->state->tasks[row->task].steps[row->step];
    const struct attempt_state *attempt = step_state_find_attempt(step, row->attempt);
    if (!attempt)
        return true; /* the state has ignored the attempt's event */

    const struct outcome *outcome = &attempt->outcome;
    const int64_t facts[] = {
        outcome->kind,     outcome->code,           outcome->ran_ms,         outcome->bytes[0],
        outcome->bytes[1], outcome->lines[0],       outcome->lines[1],       outcome->rss_kib_max,
        outcome->cpu_ms,   outcome->processes_left, (int64_t)attempt->class,
    };
    const bool ended = attempt->ended.at_ms != 0;
    sqlite3_stmt *put = projection->statements[PUT_ATTEMPT];
    (void)sqlite3_bind_int64(put, 1, projection->run);
    (void)sqlite3_bind_int(put, 2, row->task);
    (void)sqlite3_bind_int(put, 3, row->step);
    (void)sqlite3_bind_int(put, 4, row->attempt);
    (void)sqlite3_bind_int(put, 5, attempt->grant);
    (void)sqlite3_bind_int64(put, 6, attempt->started.at_ms);
    db_bind_unless(put, 7, attempt->ended.at_ms, 0);
    db_bind_unless(put, 8, attempt->waited_ms, 0);
    for (int i = 0; i < (int)ARRAY_LEN(facts); i++) /* NULL until the attempt has ended */
        db_bind_unless(put, 9 + i, ended ? facts[i] : INT64_MIN, INT64_MIN);
    db_bind_unless(put, 20, (int64_t)attempt->type, TRANSIENT_NONE);
    db_bind_unless(put, 21, (int64_t)attempt->reason, REASON_NONE);
    db_bind_unless(put, 22, (int64_t)attempt->fingerprint.hi, 0);
    db_bind_unless(put, 23, (int64_t)attempt->fingerprint.lo, 0);
    return db_run(projection->db, put, err);
}

bool projection_write(struct projection *projection, bool *more, struct err *err)
{
    *more = projection->done < projection->count;
    if (!*more) {
        forget_rows(projection);
        return true;
    }
    const struct projection_row *row = &projection->rows[projection->done];
    bool ok = row->step < 0 ? write_task(projection, row->task, err)
                            : write_attempt(projection, row, err);
    if (ok)
        projection->done++;
    return ok;
}

bool projection_summary(struct projection *projection, int64_t last_seq, struct err *err)
{
    const struct run_state *state = projection->state;
    const int *counts = state->counts;
    int failed = counts[TASK_BLOCKED]; /* blocked tasks count as failed: log_run_info */
    for (enum task_status status = 0; status < TASK_STATUS_COUNT; status++)
        failed += task_status_is_failed(status) ? counts[status] : 0;
    sqlite3_stmt *put = projection->statements[PUT_SUMMARY];

    (void)sqlite3_bind_int64(put, 1, projection->run);
    (void)sqlite3_bind_int64(put, 2, last_seq);
    db_bind_unless(put, 3, state->last.at_ms, 0);
    db_bind_unless(put, 4, state->ended ? state->ended_at.at_ms : 0, 0);
    db_bind_unless(put, 5, state->ended ? state->exit_code : INT64_MIN, INT64_MIN);
    (void)sqlite3_bind_int(put, 6, state->attempts);
    (void)sqlite3_bind_int(put, 7, counts[TASK_PASSED]);
    (void)sqlite3_bind_int(put, 8, failed);
    (void)sqlite3_bind_int(put, 9, counts[TASK_CANCELLED]);
    (void)sqlite3_bind_int64(put, 10, state->waited_ms);
    (void)sqlite3_bind_int(put, 11, state->plan->task_count);
    return db_run(projection->db, put, err);
}

static const char behind_sql[] = "DELETE FROM task WHERE run=?1 AND task=?2";

bool projection_set_behind(struct projection *projection, struct err *err)
{
    static const char *const sql = behind_sql;
    sqlite3_stmt *drop = NULL;
    if (projection->done == projection->count)
        return true;
    const int task = projection->rows[projection->count - 1].task;
    /* The task's own row may already have been written, but not yet the row of one of its
     * attempts. */
    add_row(projection, (struct projection_row){.task = task, .step = -1});
    bool ok = db_prepare(projection->db, &sql, 1, &drop, err);
    if (ok) {
        (void)sqlite3_bind_int64(drop, 1, projection->run);
        (void)sqlite3_bind_int(drop, 2, task);
        ok = db_run(projection->db, drop, err);
    }
    db_finalize(&drop, 1);
    return ok;
}
