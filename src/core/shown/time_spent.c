#include "time_spent.h"

#include <assert.h>

#include "attr.h"
#include "fold.h"
#include "shown.h"
#include "timeline.h"

static const char *const names[] = {
    [TIME_WORK] = "work",
    [TIME_WAIT] = "wait",
    [TIME_YOU] = "you",
    [TIME_QUIET] = "quiet",
};
static_assert(ARRAY_LEN(names) == TIME_USE_COUNT, "every use of time has a name");

const char *time_use_name(enum time_use use)
{
    assert(use < TIME_USE_COUNT);
    return names[use];
}

/* Whose time it is; TIME_USE_COUNT = nobody's. */
static enum time_use use_of(enum span_kind kind)
{
    switch (kind) {
    case SPAN_RUNNING:
        return TIME_WORK;
    case SPAN_QUIET:
        return TIME_QUIET;
    case SPAN_BACKOFF:
    case SPAN_GATE:
        return TIME_WAIT;
    case SPAN_HELD:
    case SPAN_NEEDS_YOU:
        return TIME_YOU;
    case SPAN_QUEUED:
    case SPAN_OVER:
    case SPAN_KIND_COUNT:
        break;
    }
    return TIME_USE_COUNT;
}

/* What a wait is for: a gate is closed by a rate limit only. */
static struct failure_class class_of(const struct span *span, const struct attempt_state *attempt)
{
    if (span->kind == SPAN_GATE || !attempt)
        return (struct failure_class){
            .label = {.class = VERDICT_TRANSIENT, .type = TRANSIENT_API_RATE_LIMIT}};
    return failure_class_of(attempt);
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

/* What a task did after its attempt ends with the task; that is no further attempt. */
static bool is_of_attempt(const struct span *span)
{
    return span->kind == SPAN_RUNNING || span->kind == SPAN_QUIET;
}

static void add_span(struct time_spent *out, const struct span *span, const struct run_state *state,
                     int task)
{
    const enum time_use use = use_of(span->kind);
    const int64_t ms = fold_length_ms(span->until_ms - span->from_ms);
    out->failed += is_of_attempt(span) && span->end >= SPAN_END_LOST;
    if (span->is_planned || use == TIME_USE_COUNT || ms == 0)
        return;
    out->ms[use] += ms;
    out->total_ms += ms;
    if (use != TIME_WAIT)
        return;
    const struct failure_class class = class_of(span, span_attempt(span, state, task));
    add_class(out, &class, ms);
}

static struct time_spent nothing(void)
{
    struct time_spent out = {0};
    for (int use = 0; use < TIME_USE_COUNT; use++)
        out.longest_task[use] = -1;
    return out;
}

static int64_t move(struct time_spent *out, enum time_use from, int64_t most_ms, int64_t ms)
{
    const int64_t moved = ms < most_ms ? ms : most_ms;
    out->ms[from] -= moved;
    out->ms[TIME_WAIT] += moved;
    return moved;
}

/* Moves an agent's own retries to waiting: first out of the quiet time, because own retries do not
 * count as output, then out of the work. `before` are the sums without this task. */
static void move_own_waits(struct time_spent *out, const int64_t *before,
                           const struct step_state *step)
{
    for (size_t i = 0; i < step->attempt_count; i++) {
        const struct attempt_state *attempt = &step->attempts[i];
        const int64_t own_ms = fold_length_ms(attempt->outcome.own_wait_ms);
        const int64_t quiet_ms = out->ms[TIME_QUIET] - before[TIME_QUIET];
        int64_t moved = move(out, TIME_QUIET, quiet_ms, own_ms);
        moved += move(out, TIME_WORK, out->ms[TIME_WORK] - before[TIME_WORK], own_ms - moved);
        const struct failure_class class = failure_class_of(attempt);
        if (moved > 0 && attempt->class != VERDICT_SUCCESS)
            add_class(out, &class, moved);
    }
}

static void add_task(struct time_spent *out, const struct run_state *state, int task,
                     const struct timeline *timeline)
{
    int64_t before[TIME_USE_COUNT];
    for (int use = 0; use < TIME_USE_COUNT; use++)
        before[use] = out->ms[use];
    for (size_t i = 0; i < timeline->count; i++)
        add_span(out, &timeline->spans[i], state, task);
    for (int i = 0; i < state->plan->tasks[task].step_count; i++) {
        out->attempts += (int)state->tasks[task].steps[i].attempt_count;
        move_own_waits(out, before, &state->tasks[task].steps[i]);
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
    *out = nothing();
    for (int i = 0; i < state->plan->task_count; i++) {
        timeline_read(&timeline, state, i, now, orphaned);
        add_task(out, state, i, &timeline);
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

/* The uses so far, together, in whole percent: what is rounded are the borders between them. */
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

static void add_waits(const struct time_spent *spent, struct str *out)
{
    enum { CLASSES_SHOWN = 3 };
    for (int i = 0; i < spent->class_count && i < CLASSES_SHOWN; i++) {
        str_add(out, i == 0 ? "; " : ", ");
        failure_class_word(&spent->classes[i].class, out);
        str_add_char(out, ' ');
        shown_duration(spent->classes[i].waited_ms, out);
    }
}

void time_spent_words(const struct time_spent *spent, struct str *out)
{
    const char *comma = "";
    for (int use = 0; use < TIME_USE_COUNT; use++) {
        if (spent->ms[use] == 0)
            continue;
        str_addf(out, "%s%s ", comma, names[use]);
        shown_duration(spent->ms[use], out);
        str_addf(out, " (%d %%", time_spent_percent(spent, (enum time_use)use));
        if (use == TIME_WAIT)
            add_waits(spent, out);
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
