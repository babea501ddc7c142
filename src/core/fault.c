#include <assert.h>
#include <stddef.h>

#include "run_state.h"

static bool same_digest(struct digest a, struct digest b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

static struct digest last_result(const struct run_state *state, int task)
{
    const struct attempt_state *attempt = step_state_attempt(run_state_step(state, task));
    return attempt ? attempt->fingerprint : (struct digest){0};
}

static bool is_known(struct digest digest)
{
    return digest.hi != 0 || digest.lo != 0;
}

bool run_state_waits_alike(const struct run_state *state, int task, int other)
{
    const struct step_state *step = run_state_step(state, task);
    const struct step_state *with = run_state_step(state, other);
    struct digest result = last_result(state, task);
    if (step->status != STEP_WAITING || with->status != STEP_WAITING || !is_known(result))
        return false;
    int64_t apart_ms = step->wait_from.mono_ms - with->wait_from.mono_ms;
    return same_digest(result, last_result(state, other)) && apart_ms <= FAULT_SPAN_MS &&
           apart_ms >= -FAULT_SPAN_MS;
}

bool fault_has(const struct fault *fault, const struct run_state *state, int task)
{
    const struct step_state *step = run_state_step(state, task);
    return step->status == STEP_WAITING &&
           same_digest(last_result(state, task), fault->fingerprint) &&
           step->wait_from.mono_ms >= fault->since.mono_ms &&
           step->wait_from.mono_ms <= fault->latest.mono_ms;
}

static int64_t earlier_ms(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later_ms(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Would all its waits still have begun within the span with this one among them? */
static bool takes(const struct fault *fault, struct digest result, const struct moment *from)
{
    int64_t first_ms = earlier_ms(fault->since.mono_ms, from->mono_ms);
    int64_t last_ms = later_ms(fault->latest.mono_ms, from->mono_ms);
    return same_digest(result, fault->fingerprint) && last_ms - first_ms <= FAULT_SPAN_MS;
}

static void join(struct fault *fault, int task, const struct step_state *step)
{
    fault->count++;
    if (task < fault->first)
        fault->first = task;
    if (step->wait_from.mono_ms < fault->since.mono_ms)
        fault->since = step->wait_from;
    if (step->wait_from.mono_ms > fault->latest.mono_ms)
        fault->latest = step->wait_from;
    if (step->due.mono_ms < fault->due_first.mono_ms)
        fault->due_first = step->due;
    if (step->due.mono_ms > fault->due_last.mono_ms)
        fault->due_last = step->due;
}

/* Faults with fewer tasks go; the others are put in the order of their first task. */
static int keep_common(struct fault *faults, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        struct fault fault = faults[i];
        if (fault.count < FAULT_TASKS_MIN)
            continue;
        int at = kept++;
        for (; at > 0 && faults[at - 1].first > fault.first; at--)
            faults[at] = faults[at - 1];
        faults[at] = fault;
    }
    return kept;
}

int run_state_faults(const struct run_state *state, struct fault out[FAULTS_MAX])
{
    int count = 0;
    for (int i = 0; i < state->waits.count && i < FAULT_WAITS_MAX; i++) {
        int task = state->waits.items[i];
        const struct step_state *step = run_state_step(state, task);
        struct digest fingerprint = last_result(state, task);
        if (!is_known(fingerprint))
            continue;
        int at = 0;
        while (at < count && !takes(&out[at], fingerprint, &step->wait_from))
            at++;
        if (at < count)
            join(&out[at], task, step);
        else if (count < FAULTS_MAX)
            out[count++] = (struct fault){.fingerprint = fingerprint,
                                          .first = task,
                                          .count = 1,
                                          .since = step->wait_from,
                                          .latest = step->wait_from,
                                          .due_first = step->due,
                                          .due_last = step->due};
    }
    return keep_common(out, count);
}
