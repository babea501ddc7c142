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

static bool began_near(const struct fault *fault, const struct moment *from)
{
    int64_t apart_ms = from->mono_ms - fault->since.mono_ms;
    return apart_ms <= FAULT_SPAN_MS && apart_ms >= -FAULT_SPAN_MS;
}

bool fault_has(const struct fault *fault, const struct run_state *state, int task)
{
    const struct step_state *step = run_state_step(state, task);
    return step->status == STEP_WAITING &&
           same_digest(last_result(state, task), fault->fingerprint) &&
           began_near(fault, &step->wait_from);
}

static void join(struct fault *fault, int task, const struct step_state *step)
{
    fault->count++;
    if (task < fault->first)
        fault->first = task;
    if (step->wait_from.mono_ms < fault->since.mono_ms)
        fault->since = step->wait_from;
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
        bool known = fingerprint.hi != 0 || fingerprint.lo != 0;
        if (!known)
            continue;
        int at = 0;
        while (at < count && !fault_has(&out[at], state, task))
            at++;
        if (at < count)
            join(&out[at], task, step);
        else if (count < FAULTS_MAX)
            out[count++] = (struct fault){.fingerprint = fingerprint,
                                          .first = task,
                                          .count = 1,
                                          .since = step->wait_from,
                                          .due_first = step->due,
                                          .due_last = step->due};
    }
    return keep_common(out, count);
}
