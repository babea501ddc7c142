/* overview.c - counts the tasks of a run by state, and lists the first tasks in some states.
 *
 * Both ways to make an overview, from the folded state and from the tables of the log, add rows
 * with overview_add(), so that they agree. */
#include "overview.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"

/* Returns the kind under which a state is listed, or OVERVIEW_KINDS if it is not listed. */
static enum overview_kind kind_of(enum shown shown)
{
    switch (shown) {
    case SHOWN_NEEDS_YOU:
        return OVERVIEW_NEEDS_YOU;
    case SHOWN_STUCK:
        return OVERVIEW_STUCK;
    case SHOWN_GAVE_UP:
        return OVERVIEW_GAVE_UP;
    case SHOWN_RUNNING:
    case SHOWN_QUIET:
    case SHOWN_STOPPING:
    case SHOWN_LOST:
        return OVERVIEW_RUNNING;
    case SHOWN_BACKOFF:
        return OVERVIEW_BACKOFF;
    case SHOWN_HELD:
        return OVERVIEW_HELD;
    case SHOWN_QUEUED:
    case SHOWN_PASSED:
    case SHOWN_CANCELLED:
    case SHOWN_BLOCKED:
    case SHOWN_COUNT:
        break;
    }
    return OVERVIEW_KINDS;
}

int overview_count(const struct overview *overview, enum overview_kind kind)
{
    int count = 0;
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if (kind_of((enum shown)i) == kind)
            count += overview->counts[i];
    }
    return count;
}

/* Lists the row under its kind: waits in the order in which they end, all others in the order of
 * arrival. */
static void list_row(struct overview *overview, enum overview_kind kind,
                     const struct overview_row *row)
{
    struct overview_row *rows = overview->rows[kind];
    int *count = &overview->row_counts[kind];
    const bool is_sorted = row->status == TASK_BACKOFF && !row->held;
    int at = *count;
    while (at > 0 && is_sorted && row->due_at_ms < rows[at - 1].due_at_ms)
        at--;
    if (at == OVERVIEW_ROWS_MAX)
        return;
    if (*count < OVERVIEW_ROWS_MAX)
        (*count)++;
    memmove(&rows[at + 1], &rows[at], (size_t)(*count - 1 - at) * sizeof(*rows));
    rows[at] = *row;
}

enum shown overview_shown(const struct overview_row *row, bool orphaned)
{
    const struct shown_parts parts = {.status = row->status,
                                      .held = row->held,
                                      .cancelling = row->cancelling,
                                      .quiet = row->quiet,
                                      .in_queue = row->in_queue};
    return shown_status(&parts, orphaned);
}

void overview_add(struct overview *overview, const struct overview_row *row)
{
    const enum shown shown = overview_shown(row, false);
    const enum overview_kind kind = kind_of(shown);
    const bool is_due = shown == SHOWN_BACKOFF;
    assert(shown < SHOWN_COUNT);
    overview->tasks++;
    overview->counts[shown]++;
    if (is_due && (overview->due_at_ms == 0 || row->due_at_ms < overview->due_at_ms))
        overview->due_at_ms = row->due_at_ms;
    if (kind != OVERVIEW_KINDS)
        list_row(overview, kind, row);
}

void overview_set_quiet(struct overview *overview, int task)
{
    assert(overview->counts[SHOWN_RUNNING] > 0);
    overview->counts[SHOWN_RUNNING]--;
    overview->counts[SHOWN_QUIET]++;
    for (int i = 0; i < overview->row_counts[OVERVIEW_RUNNING]; i++) {
        struct overview_row *row = &overview->rows[OVERVIEW_RUNNING][i];
        row->quiet = row->quiet || row->task == task;
    }
}

void overview_lose(struct overview *overview)
{
    static const enum shown alive[] = {SHOWN_RUNNING, SHOWN_QUIET, SHOWN_STOPPING};
    for (size_t i = 0; i < ARRAY_LEN(alive); i++) {
        overview->counts[SHOWN_LOST] += overview->counts[alive[i]];
        overview->counts[alive[i]] = 0;
    }
}

struct failure_class overview_class(const struct verdict_label *label, enum outcome_kind kind,
                                    int code)
{
    const struct attempt_state attempt = {.class = label->class,
                                          .type = label->type,
                                          .reason = label->reason,
                                          .outcome = {.kind = kind, .code = code}};
    return failure_class_of(&attempt);
}

/* Fills in the rest of a listed row. */
static void complete_row(struct overview_row *row, const struct run_state *state)
{
    const struct task_state *task = &state->tasks[row->task];
    const struct step_state *step = run_state_step(state, row->task);
    const struct attempt_state *attempt = step_state_attempt(step);
    (void)snprintf(row->id, sizeof(row->id), "%s", state->plan->tasks[row->task].id);
    (void)snprintf(row->by, sizeof(row->by), "%s", task->by ? task->by : "");
    row->tried = (int)step->attempt_count;
    row->tries = run_state_tries(state, row->task);
    if (!attempt)
        return;
    const struct verdict_label label = {
        .class = attempt->class, .type = attempt->type, .reason = attempt->reason};
    row->started_at_ms = attempt->started.at_ms;
    row->ended_at_ms = attempt->ended.at_ms;
    if (row->ended_at_ms != 0)
        row->class = overview_class(&label, attempt->outcome.kind, attempt->outcome.code);
}

void overview_of_state(struct overview *out, const struct run_state *state, bool orphaned)
{
    *out = (struct overview){0};
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct task_state *task = &state->tasks[i];
        const struct step_state *step = run_state_step(state, i);
        const struct overview_row row = {
            .task = i,
            .status = task->status,
            .held = task->held,
            .cancelling = task->cancelling,
            .quiet = shown_task(state, i, orphaned) == SHOWN_QUIET,
            .in_queue = run_state_queue(state, i) != NULL,
            .away_at_ms = task->away_since.at_ms,
            .fence_at_ms = task->fence.at_ms,
            .due_at_ms = task->status == TASK_BACKOFF ? step->due.at_ms : 0,
        };
        overview_add(out, &row);
    }
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        for (int i = 0; i < out->row_counts[kind]; i++)
            complete_row(&out->rows[kind][i], state);
    }
    if (orphaned)
        overview_lose(out);
}
