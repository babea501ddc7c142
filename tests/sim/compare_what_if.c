#include "comparison.h"

#include <string.h>

#include "what_if.h"

static const char same[] = "the policies that it had decide the same of a run once more";

/* Checks that the totals of both sides match the state. */
static bool same_sums(struct finding *finding, const struct what_if_sum *sum,
                      const struct run_state *live)
{
    bool counts = true;
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        counts = counts && sum->recorded.counts[i] == live->counts[i];
    return finding_check(finding, counts, same, "the tasks are counted otherwise") &&
           finding_check(finding, sum->recorded.tries == live->attempts, same, "%lld tries, not %d",
                         (long long)sum->recorded.tries, live->attempts) &&
           finding_check(finding, memcmp(&sum->recorded, &sum->other, sizeof(sum->other)) == 0,
                         same,
                         "no decision differs, but the sums: tries %lld, %lld, wait %lld, %lld, "
                         "run %lld, %lld",
                         (long long)sum->recorded.tries, (long long)sum->other.tries,
                         (long long)sum->recorded.waited_ms, (long long)sum->other.waited_ms,
                         (long long)sum->recorded.ran_ms, (long long)sum->other.ran_ms);
}

bool compare_what_if(struct finding *finding, const char *plan_text, const struct event *log,
                     size_t count, const struct run_state *live)
{
    struct what_if *what = NULL;
    struct what_if_sum sum;
    struct err err = {0};
    bool fits = what_if_new(&what, plan_text, live->seed, NULL, &err);
    for (size_t i = 0; fits && i < count; i++)
        fits = what_if_take(what, &log[i], &err);
    bool holds = finding_check(finding, fits, same, "%s", err.message);
    if (holds) {
        what_if_sum(what, &sum);
        holds = finding_check(finding, sum.differ == 0, same,
                              "%lld of %lld differ, first after try %d of task %d: %s",
                              (long long)sum.differ, (long long)sum.decisions, sum.first.attempt,
                              sum.first.task, sum.first.why) &&
                same_sums(finding, &sum, live);
    }
    what_if_free(what);
    return holds;
}
