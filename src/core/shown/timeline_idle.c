/* timeline_idle.c - the stretches of a timeline in which nothing of a task ran. */
#include <assert.h>
#include <string.h>

#include "timeline.h"

enum { BUCKETS = 4096 };

/* The time of the run in equal parts. */
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

static int64_t begin_of(const struct buckets *buckets, int bucket)
{
    const double whole = (double)(buckets->until_ms - buckets->from_ms);
    return buckets->from_ms + (int64_t)(whole * bucket / BUCKETS);
}

static void mark_step(struct buckets *buckets, const struct step_state *step)
{
    for (size_t i = 0; i < step->attempt_count; i++) {
        const struct attempt_state *attempt = &step->attempts[i];
        const int64_t end_ms =
            attempt->ended.at_ms != 0 ? attempt->ended.mono_ms : buckets->until_ms;
        const int first = bucket_of(buckets, attempt->started.mono_ms);
        const int last = bucket_of(buckets, end_ms);
        if (last >= first)
            (void)memset(&buckets->busy[first], true, (size_t)last - (size_t)first + 1);
    }
}

static int find_gaps(const struct buckets *buckets, int64_t least_ms,
                     struct stretch out[TIMELINE_STRETCHES_MAX])
{
    int count = 0;
    for (int i = 0; i < BUCKETS && count < TIMELINE_STRETCHES_MAX; i++) {
        const int first = i;
        while (i < BUCKETS && !buckets->busy[i])
            i++;
        const struct stretch gap = {begin_of(buckets, first), begin_of(buckets, i)};
        if (i > first && gap.until_ms - gap.from_ms >= least_ms)
            out[count++] = gap;
    }
    return count;
}

int timeline_idle(const struct run_state *state, const struct moment *now, int64_t least_ms,
                  struct stretch out[TIMELINE_STRETCHES_MAX])
{
    struct buckets buckets = {.from_ms = state->started_at.mono_ms, .until_ms = now->mono_ms};
    assert(least_ms > 0);
    if (!state->started || buckets.until_ms - buckets.from_ms < least_ms)
        return 0;
    for (int i = 0; i < state->plan->task_count; i++) {
        for (int k = 0; k < state->plan->tasks[i].step_count; k++)
            mark_step(&buckets, &state->tasks[i].steps[k]);
    }
    return find_gaps(&buckets, least_ms, out);
}
