#include "timeline.h"

#include <stdlib.h>

#include "xalloc.h"

/* The spans of one task while they are made. */
struct making {
    struct timeline *out;
    const struct run_state *state;
    const struct task_state *task;
    int number;
    int64_t at_ms; /* so far they go */
    int64_t now_ms;
    bool orphaned;
    int step, attempt; /* of the latest attempt so far; 0 = none */
};

static void add(struct making *m, enum span_kind kind, int64_t until_ms)
{
    struct timeline *out = m->out;
    const bool is_empty = until_ms <= m->at_ms;
    if (is_empty && kind != SPAN_RUNNING)
        return;
    out->spans = xgrow(out->spans, &out->cap, out->count + 1, sizeof(*out->spans));
    out->spans[out->count++] = (struct span){.kind = kind,
                                             .step = m->step,
                                             .attempt = m->attempt,
                                             .from_ms = m->at_ms,
                                             .until_ms = is_empty ? m->at_ms : until_ms};
    m->at_ms = is_empty ? m->at_ms : until_ms;
}

/* What happened where the spans end so far. */
static void mark_end(struct making *m, enum span_end end)
{
    struct timeline *out = m->out;
    if (end == SPAN_END_NONE)
        return;
    if (out->count == 0) {
        out->spans = xgrow(out->spans, &out->cap, 1, sizeof(*out->spans));
        out->spans[out->count++] =
            (struct span){.kind = SPAN_QUEUED, .from_ms = m->at_ms, .until_ms = m->at_ms};
    }
    out->spans[out->count - 1].end = end;
}

static enum span_end end_of_task(enum task_status status)
{
    switch (status) {
    case TASK_PASSED:
        return SPAN_END_PASSED;
    case TASK_GAVE_UP:
        return SPAN_END_GAVE_UP;
    case TASK_CANCELLED:
        return SPAN_END_CANCELLED;
    case TASK_STUCK:
        return SPAN_END_STUCK;
    case TASK_QUEUED:
    case TASK_RUNNING:
    case TASK_BACKOFF:
    case TASK_BLOCKED:
    case TASK_NEEDS_YOU: /* its attempt failed */
    case TASK_STATUS_COUNT:
        break;
    }
    return SPAN_END_NONE;
}

static enum span_kind kind_of_pause(enum pause_kind kind)
{
    switch (kind) {
    case PAUSE_QUIET:
        return SPAN_QUIET;
    case PAUSE_HELD:
        return SPAN_HELD;
    case PAUSE_NEEDS_YOU:
        return SPAN_NEEDS_YOU;
    case PAUSE_OVER:
        break;
    }
    return SPAN_OVER;
}

/* One pause over what the task did otherwise until then. */
static void add_pause(struct making *m, const struct task_pause *pause, enum span_kind otherwise,
                      int64_t until_ms)
{
    const int64_t to_ms = pause->until.mono_ms < until_ms ? pause->until.mono_ms : until_ms;
    if (to_ms <= m->at_ms || pause->from.mono_ms >= until_ms)
        return;
    add(m, otherwise, pause->from.mono_ms);
    if (pause->kind == PAUSE_NEEDS_YOU || pause->kind == PAUSE_OVER)
        mark_end(m, end_of_task(pause->ended));
    add(m, kind_of_pause(pause->kind), to_ms);
}

/* The pause that goes on: quiet, or held. */
static void add_present(struct making *m, enum span_kind otherwise, int64_t until_ms)
{
    const struct step_state *step = run_state_step(m->state, m->number);
    struct task_pause pause = {.kind = PAUSE_QUIET, .until.mono_ms = m->now_ms};
    if (otherwise == SPAN_RUNNING && step->quiet && step->status == STEP_RUNNING) {
        pause.from.mono_ms = step->heard_mono_ms;
        add_pause(m, &pause, otherwise, until_ms);
    } else if (otherwise != SPAN_RUNNING && m->task->held) {
        pause.kind = PAUSE_HELD;
        pause.from = m->task->held_since;
        add_pause(m, &pause, otherwise, until_ms);
    }
}

/* What the task did until then, and the pauses in it. */
static void add_with_pauses(struct making *m, enum span_kind kind, int64_t until_ms)
{
    const struct task_pauses *pauses = m->task->pauses;
    until_ms = until_ms < m->now_ms ? until_ms : m->now_ms;
    for (size_t i = 0; pauses && i < pauses->count; i++) {
        if ((pauses->items[i].kind == PAUSE_QUIET) == (kind == SPAN_RUNNING))
            add_pause(m, &pauses->items[i], kind, until_ms);
    }
    add_present(m, kind, until_ms);
    if (until_ms > m->at_ms)
        add(m, kind, until_ms);
}

/* Did the step end well with this attempt, though a verdict stands against it? */
static bool is_the_good_end(const struct step_state *step, const struct attempt_state *attempt)
{
    return step->status == STEP_ENDED && step->end == DECISION_SUCCEEDED &&
           attempt == step_state_attempt(step);
}

static enum span_end end_of_attempt(const struct making *m, const struct step_state *step,
                                    const struct attempt_state *attempt)
{
    if (attempt->ended.at_ms == 0)
        return m->orphaned ? SPAN_END_LOST : SPAN_END_NONE;
    if (attempt->outcome.kind == OUTCOME_INTERRUPTED)
        return SPAN_END_LOST;
    if (attempt->outcome.kind == OUTCOME_CANCELLED && attempt->outcome.stop == STOP_ASKED)
        return SPAN_END_CANCELLED;
    if (attempt->class == VERDICT_SUCCESS || is_the_good_end(step, attempt))
        return SPAN_END_NONE;
    return SPAN_END_FAILED;
}

/* What came between the attempt before and this one. */
static void add_gap(struct making *m, const struct attempt_state *attempt)
{
    const int64_t start_ms = attempt->started.mono_ms;
    if (attempt->waited_ms > 0)
        add_with_pauses(m, SPAN_QUEUED, start_ms - attempt->waited_ms);
    add_with_pauses(m, attempt->waited_ms > 0 ? SPAN_BACKOFF : SPAN_QUEUED,
                    start_ms - attempt->queued_ms);
    add_with_pauses(m, attempt->gated ? SPAN_GATE : SPAN_QUEUED, start_ms);
}

static void add_attempt(struct making *m, int step, const struct attempt_state *attempt)
{
    add_gap(m, attempt);
    m->step = step;
    m->attempt = attempt->number;
    const size_t first = m->out->count;
    add_with_pauses(m, SPAN_RUNNING,
                    attempt->ended.at_ms != 0 ? attempt->ended.mono_ms : m->now_ms);
    if (m->out->count == first)
        add(m, SPAN_RUNNING, m->at_ms); /* it took no time, and was there */
    mark_end(m, end_of_attempt(m, &m->task->steps[step], attempt));
}

/* Of all steps the attempt that began next; where two began at once the one of the step that is
 * earlier. Rounds lead back to steps before. */
static int next_step(const struct making *m, const size_t *taken)
{
    int found = -1;
    int64_t first_ms = 0;
    for (int i = 0; i < m->state->plan->tasks[m->number].step_count; i++) {
        const struct step_state *step = &m->task->steps[i];
        if (taken[i] == step->attempt_count)
            continue;
        const int64_t ms = step->attempts[taken[i]].started.mono_ms;
        if (found < 0 || ms < first_ms) {
            found = i;
            first_ms = ms;
        }
    }
    return found;
}

static void add_attempts(struct making *m)
{
    const int steps = m->state->plan->tasks[m->number].step_count;
    size_t few[8] = {0};
    const bool is_long = (size_t)steps > ARRAY_LEN(few);
    size_t *taken = is_long ? xcalloc((size_t)steps, sizeof(*taken)) : few;
    for (int step = next_step(m, taken); step >= 0; step = next_step(m, taken))
        add_attempt(m, step, &m->task->steps[step].attempts[taken[step]++]);
    if (is_long)
        free(taken);
}

static bool is_behind_gate(const struct making *m)
{
    const struct gate_state *gate = run_state_gate(m->state, m->number);
    return gate && gate->status != GATE_OPEN && number_set_has(&gate->line, m->number);
}

/* The wait that is decided, as far as it is yet to come. Who holds a task holds its wait. */
static void add_plan(struct making *m, const struct step_state *step)
{
    const bool goes_on = !m->orphaned && !m->state->ended && !m->task->held;
    if (step->status != STEP_WAITING || !goes_on || step->due.mono_ms <= m->now_ms)
        return;
    add(m, SPAN_BACKOFF, step->due.mono_ms);
    m->out->spans[m->out->count - 1].is_planned = true;
}

/* What it does since its latest attempt. */
static void add_present_state(struct making *m)
{
    const struct step_state *step = run_state_step(m->state, m->number);
    const enum task_status status = m->task->status;
    const int64_t since_ms = m->task->since.mono_ms;
    const bool has_waited = step->wait_from.at_ms != 0;
    if (status == TASK_BACKOFF) {
        add_with_pauses(m, SPAN_BACKOFF, m->now_ms);
        add_plan(m, step);
        return;
    }
    if (status == TASK_RUNNING) { /* or ended, and not yet judged */
        add_with_pauses(m, SPAN_QUEUED, m->now_ms);
        return;
    }
    add_with_pauses(m, has_waited ? SPAN_BACKOFF : SPAN_QUEUED, since_ms);
    mark_end(m, end_of_task(status));
    if (status == TASK_QUEUED)
        add_with_pauses(m, is_behind_gate(m) ? SPAN_GATE : SPAN_QUEUED, m->now_ms);
    else
        add(m, status == TASK_NEEDS_YOU ? SPAN_NEEDS_YOU : SPAN_OVER, m->now_ms);
}

/* A task that was added began when it was, the others with the run. */
static int64_t beginning(const struct run_state *state, const struct task_state *task)
{
    const struct attempt_state *first =
        task->steps[0].attempt_count > 0 ? &task->steps[0].attempts[0] : NULL;
    if (!state->growing)
        return state->started_at.mono_ms;
    return first ? first->started.mono_ms - first->queued_ms : task->since.mono_ms;
}

void timeline_read(struct timeline *timeline, const struct run_state *state, int task,
                   const struct moment *now, bool orphaned)
{
    struct making m = {.out = timeline,
                       .state = state,
                       .task = &state->tasks[task],
                       .number = task,
                       .now_ms = now->mono_ms,
                       .orphaned = orphaned};
    timeline->count = 0;
    if (!state->started)
        return;
    m.at_ms = beginning(state, m.task);
    add_attempts(&m);
    add_present_state(&m);
}

void timeline_done(struct timeline *timeline)
{
    free(timeline->spans);
    *timeline = (struct timeline){0};
}

const struct attempt_state *span_attempt(const struct span *span, const struct run_state *state,
                                         int task)
{
    return step_state_find_attempt(&state->tasks[task].steps[span->step], span->attempt);
}

int64_t timeline_plan_end(const struct run_state *state)
{
    int64_t last_ms = 0;
    for (int i = 0; i < state->waits.count; i++) {
        const int64_t due_ms = heap_key(&state->waits, state->waits.items[i]);
        last_ms = due_ms > last_ms ? due_ms : last_ms;
    }
    return last_ms;
}
