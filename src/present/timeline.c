/* timeline.c - what the tasks of a run did when: spans, idle stretches, and sums of spans. */
#include "timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "shown.h"
#include "xalloc.h"

/* The spans of one task under construction. */
struct making {
    struct timeline *out;
    const struct run_state *state;
    const struct task_state *task;
    int number;
    int64_t at_ms; /* end of the last span */
    int64_t now_ms;
    bool orphaned;
    int step, attempt; /* step and number of the latest attempt so far; attempt 0 = none */
};

static void add_span(struct making *m, enum span_kind kind, int64_t until_ms)
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

/* Records what happened at the end of the last span. */
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
    case TASK_NEEDS_YOU: /* its attempt is marked as failed instead */
    case TASK_STATUS_COUNT:
        break;
    }
    return SPAN_END_NONE;
}

/* Adds a pause, and before it a span of the kind `otherwise`. */
static void add_pause(struct making *m, const struct task_pause *pause, enum span_kind otherwise,
                      int64_t until_ms)
{
    static const enum span_kind kinds[] = {
        [PAUSE_QUIET] = SPAN_QUIET,
        [PAUSE_HELD] = SPAN_HELD,
        [PAUSE_NEEDS_YOU] = SPAN_NEEDS_YOU,
        [PAUSE_OVER] = SPAN_OVER,
    };
    const int64_t to_ms = pause->until.mono_ms < until_ms ? pause->until.mono_ms : until_ms;
    if (to_ms <= m->at_ms || pause->from.mono_ms >= until_ms)
        return;
    add_span(m, otherwise, pause->from.mono_ms);
    if (pause->kind == PAUSE_NEEDS_YOU || pause->kind == PAUSE_OVER)
        mark_end(m, end_of_task(pause->ended));
    add_span(m, kinds[pause->kind], to_ms);
}

/* Adds a span of this kind until `until_ms`, with the pauses in it. */
static void add_with_pauses(struct making *m, enum span_kind kind, int64_t until_ms)
{
    const struct task_pauses *pauses = m->task->pauses;
    until_ms = until_ms < m->now_ms ? until_ms : m->now_ms;
    for (size_t i = 0; pauses && i < pauses->count; i++) {
        if ((pauses->items[i].kind == PAUSE_QUIET) == (kind == SPAN_RUNNING))
            add_pause(m, &pauses->items[i], kind, until_ms);
    }
    /* The pause that has not ended. */
    const struct step_state *step = run_state_step(m->state, m->number);
    struct task_pause pause = {.kind = PAUSE_QUIET, .until.mono_ms = m->now_ms};
    if (kind == SPAN_RUNNING && step->quiet && step->status == STEP_RUNNING) {
        pause.from.mono_ms = step->heard_mono_ms;
        add_pause(m, &pause, kind, until_ms);
    } else if (kind != SPAN_RUNNING && m->task->held) {
        pause.kind = PAUSE_HELD;
        pause.from = m->task->held_since;
        add_pause(m, &pause, kind, until_ms);
    }
    if (until_ms > m->at_ms)
        add_span(m, kind, until_ms);
}

static enum span_end end_of_attempt(const struct making *m, const struct step_state *step,
                                    const struct attempt_state *attempt)
{
    if (attempt->ended.at_ms == 0)
        return m->orphaned ? SPAN_END_LOST : SPAN_END_NONE;
    if (outcome_is_broken_off(attempt->outcome.kind))
        return SPAN_END_LOST;
    if (attempt->outcome.kind == OUTCOME_CANCELLED && attempt->outcome.stop == STOP_ASKED)
        return SPAN_END_CANCELLED;
    /* The step may pass with its last attempt although the verdict is a failure. */
    const bool has_passed = step->status == STEP_ENDED && step->end == DECISION_SUCCEEDED &&
                            attempt == step_state_attempt(step);
    return attempt->class == VERDICT_SUCCESS || has_passed ? SPAN_END_NONE : SPAN_END_FAILED;
}

/* Adds the attempts of all steps in the order in which they began; if two began at the same time,
 * the attempt of the earlier step comes first. A new round goes back to earlier steps. */
static void add_attempts(struct making *m)
{
    const int steps = m->state->plan->tasks[m->number].step_count;
    size_t few[8] = {0};
    const bool is_long = (size_t)steps > ARRAY_LEN(few);
    size_t *taken = is_long ? xcalloc((size_t)steps, sizeof(*taken)) : few;
    for (;;) {
        int next = -1;
        int64_t start_ms = 0;
        for (int i = 0; i < steps; i++) {
            const struct step_state *step = &m->task->steps[i];
            if (taken[i] == step->attempt_count)
                continue;
            const int64_t ms = step->attempts[taken[i]].started.mono_ms;
            if (next < 0 || ms < start_ms) {
                next = i;
                start_ms = ms;
            }
        }
        if (next < 0)
            break;
        const struct step_state *step = &m->task->steps[next];
        const struct attempt_state *attempt = &step->attempts[taken[next]++];

        /* The time between the previous attempt and this one. */
        if (attempt->waited_ms > 0)
            add_with_pauses(m, SPAN_QUEUED, start_ms - attempt->waited_ms);
        add_with_pauses(m, attempt->waited_ms > 0 ? SPAN_BACKOFF : SPAN_QUEUED,
                        start_ms - attempt->queued_ms);
        add_with_pauses(m, attempt->gated ? SPAN_GATE : SPAN_QUEUED, start_ms);

        add_with_pauses(m, SPAN_QUEUED,
                        start_ms + run_state_queue_ms(m->state, m->number, attempt, m->now_ms));

        m->step = next;
        m->attempt = attempt->number;
        const size_t first = m->out->count;
        add_with_pauses(m, SPAN_RUNNING,
                        attempt->ended.at_ms != 0 ? attempt->ended.mono_ms : m->now_ms);
        if (attempt->ended.at_ms == 0 && run_state_queue(m->state, m->number))
            continue; /* it has not begun */
        if (m->out->count == first)
            add_span(m, SPAN_RUNNING, m->at_ms); /* it took no time but must be visible */
        mark_end(m, end_of_attempt(m, step, attempt));
    }
    if (is_long)
        free(taken);
}

/* Adds what the task has done since its latest attempt. */
static void add_present_state(struct making *m)
{
    const struct step_state *step = run_state_step(m->state, m->number);
    const enum task_status status = m->task->status;
    const int64_t since_ms = m->task->since.mono_ms;
    const bool has_waited = step->wait_from.at_ms != 0;
    if (status == TASK_BACKOFF) {
        add_with_pauses(m, SPAN_BACKOFF, m->now_ms);
        /* The remainder of a decided wait. Holding a task also holds its wait. */
        const bool goes_on = !m->orphaned && !m->state->ended && !m->task->held;
        if (step->status != STEP_WAITING || !goes_on || step->due.mono_ms <= m->now_ms)
            return;
        add_span(m, SPAN_BACKOFF, step->due.mono_ms);
        assert(m->out->spans && m->out->count > 0);
        m->out->spans[m->out->count - 1].is_planned = true;
        return;
    }
    if (status == TASK_RUNNING) { /* or ended and not yet judged */
        add_with_pauses(m, SPAN_QUEUED, m->now_ms);
        return;
    }
    add_with_pauses(m, has_waited ? SPAN_BACKOFF : SPAN_QUEUED, since_ms);
    mark_end(m, end_of_task(status));
    if (status == TASK_QUEUED)
        add_with_pauses(m, run_state_is_behind_gate(m->state, m->number) ? SPAN_GATE : SPAN_QUEUED,
                        m->now_ms);
    else
        add_span(m, status == TASK_NEEDS_YOU ? SPAN_NEEDS_YOU : SPAN_OVER, m->now_ms);
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
    /* An added task began when it was added, all others with the run. */
    m.at_ms = state->started_at.mono_ms;
    if (state->growing && m.task->steps[0].attempt_count > 0) {
        const struct attempt_state *first = &m.task->steps[0].attempts[0];
        m.at_ms = first->started.mono_ms - first->queued_ms;
    } else if (state->growing) {
        m.at_ms = m.task->since.mono_ms;
    }
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

/* Stretches in which no task ran. */

enum { BUCKETS = 4096 };

/* The duration of the run, divided into equal parts. */
struct buckets {
    int64_t from_ms, until_ms;
    bool busy[BUCKETS];
};

static int bucket_of(const struct buckets *buckets, int64_t ms)
{
    const double share =
        (double)(ms - buckets->from_ms) / (double)(buckets->until_ms - buckets->from_ms);
    if (share <= 0)
        return 0;
    return share >= 1 ? BUCKETS - 1 : (int)(share * BUCKETS);
}

static int64_t begin_of_bucket(const struct buckets *buckets, int bucket)
{
    const double whole = (double)(buckets->until_ms - buckets->from_ms);
    return buckets->from_ms + (int64_t)(whole * bucket / BUCKETS);
}

/* Marks the times at which an attempt of the step ran. */
static void mark_busy(struct buckets *buckets, const struct run_state *state, int task,
                      const struct step_state *step)
{
    for (size_t i = 0; i < step->attempt_count; i++) {
        const struct attempt_state *attempt = &step->attempts[i];
        const int64_t end_ms =
            attempt->ended.at_ms != 0 ? attempt->ended.mono_ms : buckets->until_ms;
        const int64_t queue_ms = run_state_queue_ms(state, task, attempt, end_ms);
        const int first = bucket_of(buckets, attempt->started.mono_ms + queue_ms);
        const int last = bucket_of(buckets, end_ms);
        if (last >= first)
            (void)memset(&buckets->busy[first], true, (size_t)last - (size_t)first + 1);
    }
}

int timeline_idle(const struct run_state *state, const struct moment *now, int64_t least_ms,
                  struct stretch out[TIMELINE_STRETCHES_MAX])
{
    struct buckets buckets = {.from_ms = state->started_at.mono_ms, .until_ms = now->mono_ms};
    int count = 0;
    assert(least_ms > 0);
    if (!state->started || buckets.until_ms - buckets.from_ms < least_ms)
        return 0;
    for (int i = 0; i < state->plan->task_count; i++) {
        for (int k = 0; k < state->plan->tasks[i].step_count; k++)
            mark_busy(&buckets, state, i, &state->tasks[i].steps[k]);
    }
    for (int i = 0; i < BUCKETS && count < TIMELINE_STRETCHES_MAX; i++) {
        const int first = i;
        while (i < BUCKETS && !buckets.busy[i])
            i++;
        const struct stretch gap = {begin_of_bucket(&buckets, first), begin_of_bucket(&buckets, i)};
        if (i > first && gap.until_ms - gap.from_ms >= least_ms)
            out[count++] = gap;
    }
    return count;
}

/* Where the time went. */

static const char *const names[] = {
    [TIME_WORK] = "work",   [TIME_WAIT] = "wait",   [TIME_YOU] = "you",
    [TIME_QUIET] = "quiet", [TIME_QUEUE] = "queue",
};
static_assert(ARRAY_LEN(names) == TIME_USE_COUNT, "every use of time has a name");

const char *time_use_name(enum time_use use)
{
    assert(use < TIME_USE_COUNT);
    return names[use];
}

static void add_class(struct time_spent *out, const struct failure_class *class, int64_t ms)
{
    int i = 0;
    while (i < out->class_count && !failure_class_equals(&out->classes[i].class, class))
        i++;
    if (i == TIME_CLASSES_MAX)
        return;
    if (i == out->class_count)
        out->classes[out->class_count++] = (struct time_class){.class = *class};
    out->classes[i].waited_ms += ms;
    for (; i > 0 && out->classes[i].waited_ms > out->classes[i - 1].waited_ms; i--) {
        const struct time_class longer = out->classes[i];
        out->classes[i] = out->classes[i - 1];
        out->classes[i - 1] = longer;
    }
}

static void spend_span(struct time_spent *out, const struct span *span,
                       const struct run_state *state, int task)
{
    static const enum time_use uses[] = {
        [SPAN_RUNNING] = TIME_WORK,     [SPAN_QUIET] = TIME_QUIET, [SPAN_BACKOFF] = TIME_WAIT,
        [SPAN_GATE] = TIME_WAIT,        [SPAN_HELD] = TIME_YOU,    [SPAN_NEEDS_YOU] = TIME_YOU,
        [SPAN_QUEUED] = TIME_USE_COUNT, /* not counted */
        [SPAN_OVER] = TIME_USE_COUNT,
    };
    static_assert(ARRAY_LEN(uses) == SPAN_KIND_COUNT, "every kind of span has its use");
    const enum time_use use = uses[span->kind];
    const int64_t ms = fold_length_ms(span->until_ms - span->from_ms);
    /* The end of any other span is the end of the task, not of an attempt. */
    const bool is_of_attempt = span->kind == SPAN_RUNNING || span->kind == SPAN_QUIET;
    out->failed += is_of_attempt && span->end >= SPAN_END_LOST;
    if (span->is_planned || use == TIME_USE_COUNT || ms == 0)
        return;
    out->ms[use] += ms;
    out->total_ms += ms;
    if (use != TIME_WAIT)
        return;
    /* The failure that caused the wait. Only a rate limit closes a gate. */
    struct failure_class class = {
        .label = {.class = VERDICT_TRANSIENT, .type = TRANSIENT_API_RATE_LIMIT}};
    const struct attempt_state *attempt = span_attempt(span, state, task);
    if (span->kind != SPAN_GATE && attempt)
        class = failure_class_of(attempt);
    add_class(out, &class, ms);
}

/* Moves `ms`, but at most `most_ms`, from one use to waiting. Returns the time that was moved, in
 * ms. */
static int64_t move_to_wait(struct time_spent *out, enum time_use from, int64_t most_ms, int64_t ms)
{
    const int64_t moved = ms < most_ms ? ms : most_ms;
    out->ms[from] -= moved;
    out->ms[TIME_WAIT] += moved;
    return moved;
}

/* Moves the waits of an agent's own retries to waiting: first from the quiet time, because own
 * retries do not count as output, then from the work. `before` has the sums without this task. */
static void move_own_waits(struct time_spent *out, const int64_t *before,
                           const struct step_state *step)
{
    for (size_t i = 0; i < step->attempt_count; i++) {
        const struct attempt_state *attempt = &step->attempts[i];
        const int64_t own_ms = fold_length_ms(attempt->outcome.own_wait_ms);
        const int64_t quiet_ms = out->ms[TIME_QUIET] - before[TIME_QUIET];
        int64_t moved = move_to_wait(out, TIME_QUIET, quiet_ms, own_ms);
        moved +=
            move_to_wait(out, TIME_WORK, out->ms[TIME_WORK] - before[TIME_WORK], own_ms - moved);
        const struct failure_class class = failure_class_of(attempt);
        if (moved > 0 && attempt->class != VERDICT_SUCCESS)
            add_class(out, &class, moved);
    }
}

/* Adds the waits of jobs, which are not in the spans of attempts. */
static void spend_queue(struct time_spent *out, const struct run_state *state, int task,
                        const struct moment *now, const struct step_state *step)
{
    for (size_t i = 0; i < step->attempt_count; i++) {
        const int64_t ms =
            fold_length_ms(run_state_queue_ms(state, task, &step->attempts[i], now->mono_ms));
        out->ms[TIME_QUEUE] += ms;
        out->total_ms += ms;
    }
}

static void spend_task(struct time_spent *out, const struct run_state *state, int task,
                       const struct moment *now, const struct timeline *timeline)
{
    int64_t before[TIME_USE_COUNT];
    for (int use = 0; use < TIME_USE_COUNT; use++)
        before[use] = out->ms[use];
    for (size_t i = 0; i < timeline->count; i++)
        spend_span(out, &timeline->spans[i], state, task);
    for (int i = 0; i < state->plan->tasks[task].step_count; i++) {
        out->attempts += (int)state->tasks[task].steps[i].attempt_count;
        move_own_waits(out, before, &state->tasks[task].steps[i]);
        spend_queue(out, state, task, now, &state->tasks[task].steps[i]);
    }
    for (int use = 0; use < TIME_USE_COUNT; use++) {
        const int64_t ms = out->ms[use] - before[use];
        if (ms <= out->longest_ms[use])
            continue;
        out->longest_ms[use] = ms;
        out->longest_task[use] = task;
    }
}

void time_spent_of_run(struct time_spent *out, const struct run_state *state,
                       const struct moment *now, bool orphaned)
{
    struct timeline timeline = {0};
    *out = (struct time_spent){0};
    for (int use = 0; use < TIME_USE_COUNT; use++)
        out->longest_task[use] = -1;
    for (int i = 0; i < state->plan->task_count; i++) {
        timeline_read(&timeline, state, i, now, orphaned);
        spend_task(out, state, i, now, &timeline);
    }
    timeline_done(&timeline);
}

void time_spent_add(struct time_spent *to, const struct time_spent *more)
{
    for (int use = 0; use < TIME_USE_COUNT; use++) {
        to->ms[use] += more->ms[use];
        to->longest_task[use] = -1;
        to->longest_ms[use] = 0;
    }
    to->total_ms += more->total_ms;
    for (int i = 0; i < more->class_count; i++)
        add_class(to, &more->classes[i].class, more->classes[i].waited_ms);
    to->attempts += more->attempts;
    to->failed += more->failed;
}

/* Returns the percentage of the first `uses` uses together. Rounds the borders between uses, so
 * that all percentages add up to 100. */
static int percent_up_to(const struct time_spent *spent, int uses)
{
    int64_t sum = 0;
    for (int use = 0; use < uses; use++)
        sum += spent->ms[use];
    return (int)((double)sum * 100.0 / (double)spent->total_ms + 0.5);
}

int time_spent_percent(const struct time_spent *spent, enum time_use use)
{
    if (spent->total_ms <= 0)
        return 0;
    return percent_up_to(spent, (int)use + 1) - percent_up_to(spent, (int)use);
}

void time_spent_words(const struct time_spent *spent, struct str *out)
{
    enum { CLASSES_SHOWN = 3 };
    const char *comma = "";
    for (int use = 0; use < TIME_USE_COUNT; use++) {
        if (spent->ms[use] == 0)
            continue;
        str_addf(out, "%s%s ", comma, names[use]);
        shown_duration(spent->ms[use], out);
        str_addf(out, " (%d%%", time_spent_percent(spent, (enum time_use)use));
        for (int i = 0; use == TIME_WAIT && i < spent->class_count && i < CLASSES_SHOWN; i++) {
            str_add(out, i == 0 ? "; " : ", ");
            failure_class_word(&spent->classes[i].class, out);
            str_add_char(out, ' ');
            shown_duration(spent->classes[i].waited_ms, out);
        }
        str_add_char(out, ')');
        comma = ", ";
    }
}

void time_spent_json(const struct time_spent *spent, struct str *out)
{
    struct str key = {0};
    for (int use = 0; use < TIME_USE_COUNT; use++) {
        str_clear(&key);
        str_addf(&key, "%s_ms", names[use]);
        str_json_i64(out, key.data, spent->ms[use]);
    }
    str_done(&key);
}
