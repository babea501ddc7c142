/* fault.c - tasks that failed, or wait, with the same fault. */
#include <stddef.h>
#include <stdlib.h>

#include "run_state.h"
#include "xalloc.h"

static struct digest last_result(const struct run_state *state, int task)
{
    const struct attempt_state *attempt = step_state_attempt(run_state_step(state, task));
    return attempt ? attempt->fingerprint : (struct digest){0};
}

/* That of its current step, -1 = none. What is wrong with one source has nothing to do with
 * another one, however alike it looks. */
static int source_of(const struct run_state *state, int task)
{
    return state->plan->tasks[task].steps[run_state_step_number(state, task)].source;
}

bool run_state_waits_alike(const struct run_state *state, int task, int other)
{
    const struct step_state *step = run_state_step(state, task);
    const struct step_state *with = run_state_step(state, other);
    struct digest result = last_result(state, task);
    if (step->status != STEP_WAITING || with->status != STEP_WAITING || !digest_is_known(result))
        return false;
    if (source_of(state, task) != source_of(state, other))
        return false;
    int64_t apart_ms = step->wait_from.mono_ms - with->wait_from.mono_ms;
    return digest_equal(result, last_result(state, other)) && apart_ms <= FAULT_SPAN_MS &&
           apart_ms >= -FAULT_SPAN_MS;
}

bool fault_has(const struct fault *fault, const struct run_state *state, int task)
{
    const struct step_state *step = run_state_step(state, task);
    return step->status == STEP_WAITING &&
           digest_equal(last_result(state, task), fault->fingerprint) &&
           source_of(state, task) == source_of(state, fault->first) &&
           step->wait_from.mono_ms >= fault->since.mono_ms &&
           step->wait_from.mono_ms <= fault->latest.mono_ms;
}

/* What waits on a result that is known. */
struct candidate {
    struct digest result;
    const struct step_state *step;
    int task, source;
    bool taken; /* by a fault that was told */
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By result and source, then by when the wait began. */
static int by_result(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int64_t a_ms = a->step->wait_from.mono_ms, b_ms = b->step->wait_from.mono_ms;
    int order = compare(a->result.hi, b->result.hi);
    if (order == 0)
        order = compare(a->result.lo, b->result.lo);
    if (order == 0)
        order = a->source - b->source;
    if (order == 0)
        order = (a_ms > b_ms) - (a_ms < b_ms);
    return order != 0 ? order : a->task - b->task;
}

/* The tasks with the lowest numbers, where there are too many. */
static int gather(const struct run_state *state, struct candidate *out)
{
    int count = 0;
    for (int i = 0; i < state->plan->task_count && count < FAULT_WAITS_MAX; i++) {
        struct digest result = last_result(state, i);
        if (heap_has(&state->waits, i) && digest_is_known(result))
            out[count++] = (struct candidate){.result = result,
                                              .step = run_state_step(state, i),
                                              .task = i,
                                              .source = source_of(state, i)};
    }
    qsort(out, (size_t)count, sizeof(*out), by_result);
    return count;
}

static bool is_within(const struct candidate *first, const struct candidate *other)
{
    return !other->taken && digest_equal(first->result, other->result) &&
           first->source == other->source &&
           other->step->wait_from.mono_ms - first->step->wait_from.mono_ms <= FAULT_SPAN_MS;
}

/* Which of the sorted: one result and source, their waits begun within the span. */
struct window {
    int from, count;
};

static struct window largest_window(const struct candidate *sorted, int count)
{
    struct window best = {0};
    int end = 0;
    for (int from = 0; from < count; from++) {
        end = end > from ? end : from;
        while (end < count && is_within(&sorted[from], &sorted[end]))
            end++;
        if (end - from > best.count)
            best = (struct window){.from = from, .count = end - from};
    }
    return best;
}

static struct fault tell(struct candidate *members, int count)
{
    const struct step_state *step = members[0].step;
    struct fault fault = {.fingerprint = members[0].result,
                          .first = members[0].task,
                          .count = count,
                          .since = step->wait_from,
                          .latest = members[count - 1].step->wait_from,
                          .due_first = step->due,
                          .due_last = step->due};
    for (int i = 0; i < count; i++) {
        members[i].taken = true;
        step = members[i].step;
        if (members[i].task < fault.first)
            fault.first = members[i].task;
        if (step->due.mono_ms < fault.due_first.mono_ms)
            fault.due_first = step->due;
        if (step->due.mono_ms > fault.due_last.mono_ms)
            fault.due_last = step->due;
    }
    return fault;
}

static int by_first(const void *left, const void *right)
{
    const struct fault *a = left, *b = right;
    return a->first - b->first;
}

int run_state_faults(const struct run_state *state, struct fault out[FAULTS_MAX])
{
    if (state->waits.count < FAULT_TASKS_MIN)
        return 0;
    size_t cap = 0;
    struct candidate *sorted = xgrow(NULL, &cap, FAULT_WAITS_MAX, sizeof(*sorted));
    int candidates = gather(state, sorted);
    int count = 0;
    while (count < FAULTS_MAX) {
        struct window window = largest_window(sorted, candidates);
        if (window.count < FAULT_TASKS_MIN)
            break;
        out[count++] = tell(&sorted[window.from], window.count);
    }
    free(sorted);
    qsort(out, (size_t)count, sizeof(*out), by_first);
    return count;
}
