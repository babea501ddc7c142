/* log_overview.c - reads the facts that a list of runs shows, from the tables instead of the
 * events.
 *
 * Folding the events of a long run takes too long for that. The tables lack some details, such as
 * closed gates and faults that several tasks share; these cases are detected, and then is_known is
 * false. For a live run, events are read backwards until it is known which of its running tasks are
 * quiet. */
#define _GNU_SOURCE /* memmem */
#include "log_reader.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "event_row.h"
#include "log_read.h"
#include "xalloc.h"

enum { ASK_LAST, ASK_PLAN, ASK_TASKS, ASK_ROW, ASK_GATE, ASK_FAULT, ASK_EVENTS, ASK_COUNT };

static const char *const asks_sql[] = {
    [ASK_LAST] = "SELECT ifnull(max(seq),0) FROM event WHERE run=?1",
    [ASK_PLAN] = "SELECT text FROM plan WHERE run=?1",
    [ASK_TASKS] =
        "SELECT task, status, held, due_at_ms, cancelling FROM task WHERE run=?1 ORDER BY task",
    [ASK_ROW] =
        "SELECT t.id, t.by, t.try, t.tries, a.started_at_ms, a.ended_at_ms, a.class, a.type,"
        " a.reason, a.outcome, a.code FROM task t LEFT JOIN attempt a"
        " ON a.run=t.run AND a.task=t.task AND a.step=t.step"
        " WHERE t.run=?1 AND t.task=?2 ORDER BY a.attempt DESC LIMIT 1",
    /* Only these failures can close a gate, so most runs need no scan of their events. */
    [ASK_GATE] = "SELECT EXISTS(SELECT 1 FROM attempt WHERE run=?1 AND (class=?2 OR type=?3))"
                 " AND EXISTS(SELECT 1 FROM event WHERE run=?1 AND kind='gate_closed')",
    /* The last attempt of each waiting task: with max(), SQLite takes the other columns from the
     * same row. */
    [ASK_FAULT] = "SELECT EXISTS(SELECT 1 FROM (SELECT a.print_hi AS hi, a.print_lo AS lo,"
                  " max(a.attempt) FROM task t JOIN attempt a ON a.run=t.run AND a.task=t.task"
                  " AND a.step=t.step WHERE t.run=?1 AND t.status=?2 GROUP BY t.task)"
                  " WHERE hi IS NOT NULL OR lo IS NOT NULL GROUP BY hi, lo HAVING count(*)>=?3)",
    [ASK_EVENTS] = "SELECT seq, kind, task_no FROM event WHERE run=?1 AND seq<?2"
                   " ORDER BY seq DESC LIMIT ?3",
};
static_assert(ARRAY_LEN(asks_sql) == ASK_COUNT, "every question has its text");

/* The state while an overview is read. */
struct look {
    struct log_reader *reader;
    sqlite3_stmt *asks[ASK_COUNT]; /* owned */
    struct log_overview *out;
    int *running; /* owned; sorted numbers of running tasks */
    size_t running_count, running_cap;
};

static sqlite3_stmt *ask_of_run(const struct look *look, int which)
{
    (void)sqlite3_bind_int64(look->asks[which], 1, look->out->run.number);
    return look->asks[which];
}

/* Runs a query that returns a single number. */
static bool read_number(const struct look *look, sqlite3_stmt *query, int64_t *out, struct err *err)
{
    bool row = false;
    bool ok = db_next(&look->reader->db, query, &row, err);
    *out = ok && row ? sqlite3_column_int64(query, 0) : 0;
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

/* Adds the task in this row to the overview. Returns false if the row is impossible for a task of
 * this run. */
static bool take_task(struct look *look, sqlite3_stmt *row)
{
    struct overview *tasks = &look->out->tasks;
    int status = 0;
    int held = 0;
    int cancelling = 0;
    const bool is_sound =
        sqlite3_column_int64(row, 0) == tasks->tasks && tasks->tasks < look->out->run.tasks &&
        log_read_int(row, 1, 0, TASK_STATUS_COUNT - 1, &status) &&
        log_read_int(row, 2, 0, 1, &held) && log_read_int(row, 4, 0, 1, &cancelling);
    if (!is_sound)
        return false;
    const struct overview_row task = {
        .task = tasks->tasks,
        .status = (enum task_status)status,
        .held = held != 0,
        .cancelling = cancelling != 0,
        .due_at_ms = log_read_nearest(row, 3),
    };
    if (overview_shown(&task, false) == SHOWN_RUNNING) { /* a stopping task is not quiet */
        look->running = xgrow(look->running, &look->running_cap, look->running_count + 1,
                              sizeof(*look->running));
        look->running[look->running_count++] = task.task;
    }
    overview_add(tasks, &task);
    return true;
}

static bool read_tasks(struct look *look, struct err *err)
{
    sqlite3_stmt *query = ask_of_run(look, ASK_TASKS);
    bool row = true;
    bool ok = true;
    bool is_sound = true;
    while (ok && row && is_sound) {
        ok = db_next(&look->reader->db, query, &row, err);
        if (ok && row)
            is_sound = take_task(look, query);
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    look->out->is_known = is_sound && look->out->tasks.tasks == look->out->run.tasks;
    return ok;
}

/* Reads a task with the result of its latest attempt. Returns false if the row is impossible. */
static bool take_row(sqlite3_stmt *row, struct overview_row *out)
{
    int class = 0;
    int type = 0;
    int reason = 0;
    int kind = 0;
    db_copy_text(row, 0, out->id, sizeof(out->id));
    db_copy_text(row, 1, out->by, sizeof(out->by));
    out->started_at_ms = log_read_nearest(row, 4);
    out->ended_at_ms = log_read_nearest(row, 5);
    if (!log_read_int(row, 2, 0, INT_MAX, &out->tried) ||
        !log_read_int(row, 3, 0, INT_MAX, &out->tries))
        return false;
    if (out->ended_at_ms == 0)
        return true;
    if (!log_read_int(row, 6, 0, VERDICT_CLASS_COUNT - 1, &class) ||
        !log_read_int(row, 7, 0, TRANSIENT_TYPE_COUNT - 1, &type) ||
        !log_read_int(row, 8, 0, REASON_COUNT - 1, &reason) ||
        !log_read_int(row, 9, 0, OUTCOME_KIND_COUNT - 1, &kind))
        return false;
    const struct verdict_label label = {.class = (enum verdict_class) class,
                                        .type = (enum transient_type)type,
                                        .reason = (enum reason)reason};
    out->class = overview_class(&label, (enum outcome_kind)kind, sqlite3_column_int(row, 10));
    return true;
}

static bool read_rows(struct look *look, struct err *err)
{
    struct overview *tasks = &look->out->tasks;
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        for (int i = 0; i < tasks->row_counts[kind] && look->out->is_known; i++) {
            struct overview_row *out = &tasks->rows[kind][i];
            sqlite3_stmt *query = ask_of_run(look, ASK_ROW);
            bool row = false;
            (void)sqlite3_bind_int(query, 2, out->task);
            bool ok = db_next(&look->reader->db, query, &row, err);
            look->out->is_known = ok && row && take_row(query, out);
            (void)sqlite3_reset(query); /* repeats the step's error */
            if (!ok)
                return false;
        }
    }
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const int *one = a;
    const int *other = b;
    return (*one > *other) - (*one < *other);
}

/* Reads events backwards until it is known for each running task whether it is quiet. */
static bool read_quiet(struct look *look, struct err *err)
{
    bool *decided = xcalloc(look->running_count + 1, sizeof(*decided));
    size_t left = look->running_count;
    int64_t before = INT64_MAX;
    bool ok = true;
    while (ok && left > 0 && look->out->is_known) {
        sqlite3_stmt *query = ask_of_run(look, ASK_EVENTS);
        const int64_t from = before;
        bool row = true;
        (void)sqlite3_bind_int64(query, 2, from);
        (void)sqlite3_bind_int(query, 3, LOG_PAGE_EVENTS);
        while (ok && row && left > 0) {
            ok = db_next(&look->reader->db, query, &row, err);
            if (!ok || !row)
                break;
            const enum event_kind kind = event_row_kind(query, 1);
            before = sqlite3_column_int64(query, 0);
            if (kind != EVENT_ATTEMPT_STARTED && kind != EVENT_ATTEMPT_QUIET &&
                kind != EVENT_ATTEMPT_HEARD)
                continue;
            const int task = (int)db_column_or(query, 2, -1);
            const int *found = bsearch(&task, look->running, look->running_count,
                                       sizeof(*look->running), compare_numbers);
            if (!found || decided[found - look->running])
                continue;
            decided[found - look->running] = true;
            left--;
            if (kind == EVENT_ATTEMPT_QUIET)
                overview_set_quiet(&look->out->tasks, task);
        }
        (void)sqlite3_reset(query); /* repeats the step's error */
        if (before == from && left > 0)
            look->out->is_known = false; /* no event shows the start of a running task */
    }
    free(decided);
    return ok;
}

/* Reads facts that only live runs have: closed gates, common faults and running tasks. */
static bool read_live(struct look *look, struct err *err)
{
    struct log_overview *out = look->out;
    const int *counts = out->tasks.counts;
    if (out->run.ended_at_ms != 0 || out->orphaned)
        return true;

    /* Showing a closed gate requires details that tasks and attempts lack. */
    sqlite3_stmt *query = ask_of_run(look, ASK_GATE);
    int64_t has_gate = 0;
    (void)sqlite3_bind_int(query, 2, VERDICT_PERSISTENT);
    (void)sqlite3_bind_int(query, 3, TRANSIENT_API_RATE_LIMIT);
    if (!read_number(look, query, &has_gate, err))
        return false;
    out->is_known = out->is_known && has_gate == 0;

    /* Tasks waiting with the same result are shown with details that the tables lack, too. */
    if (counts[SHOWN_BACKOFF] + counts[SHOWN_HELD] >= FAULT_TASKS_MIN) {
        int64_t has_fault = 0;
        query = ask_of_run(look, ASK_FAULT);
        (void)sqlite3_bind_int(query, 2, TASK_BACKOFF);
        (void)sqlite3_bind_int(query, 3, FAULT_TASKS_MIN);
        if (!read_number(look, query, &has_fault, err))
            return false;
        out->is_known = out->is_known && has_fault == 0;
    }
    return read_quiet(look, err);
}

/* Sets is_known to false if the plan may permit a sandbox that is not fully enforced, or has other
 * machines: only the events record what a sandbox does not enforce, and contact with machines. If
 * the plan has the word for a different reason, that only costs time. */
static bool read_plan(struct look *look, struct err *err)
{
    static const char *const words[] = {"\"best_effort\"", "\"executors\""};
    sqlite3_stmt *query = ask_of_run(look, ASK_PLAN);
    bool row = false;
    bool ok = db_next(&look->reader->db, query, &row, err);
    const void *text = ok && row ? sqlite3_column_blob(query, 0) : NULL;
    const size_t bytes = text ? (size_t)sqlite3_column_bytes(query, 0) : 0;
    for (size_t i = 0; text && i < ARRAY_LEN(words); i++) {
        if (memmem(text, bytes, words[i], strlen(words[i])))
            look->out->is_known = false;
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

/* Reads everything in one transaction, for consistency. Reads the run's row again together with the
 * tables: everything that a dead owner wrote is visible by then. */
static bool read_moment(struct look *look, const struct log_run_info *before, struct err *err)
{
    struct log_reader *reader = look->reader;
    struct log_overview *out = look->out;
    int64_t last = 0;
    if (!db_exec(&reader->db, "BEGIN", err))
        return false;
    bool ok = log_reader_run_row(reader, before->number, &out->run, err);
    if (ok) {
        out->orphaned = !before->owner_alive && out->run.ended_at_ms == 0;
        ok = read_number(look, ask_of_run(look, ASK_LAST), &last, err);
    }
    /* Otherwise the tables are out of date or empty. */
    if (ok && last == out->run.last_seq && !out->run.is_session)
        ok = read_tasks(look, err);
    if (ok && out->is_known)
        ok = read_plan(look, err) && read_rows(look, err) && read_live(look, err);
    db_roll_back(&reader->db);
    if (ok && out->orphaned)
        overview_lose(&out->tasks);
    return ok;
}

bool log_reader_overview(struct log_reader *reader, int64_t number, struct log_overview *out,
                         struct err *err)
{
    struct look look = {.reader = reader, .out = out};
    struct log_run_info before = {0};
    *out = (struct log_overview){0};
    if (!log_reader_run_row(reader, number, &before, err))
        return false;
    const bool is_beside = reader->newer != 0 || log_read_spill(reader, before.number);
    bool ok = db_prepare(&reader->db, asks_sql, ASK_COUNT, look.asks, err) &&
              read_moment(&look, &before, err);
    out->is_known = out->is_known && !is_beside;
    db_finalize(look.asks, ASK_COUNT);
    free(look.running);
    log_run_info_done(&before);
    if (!ok)
        log_run_info_done(&out->run);
    return ok;
}
