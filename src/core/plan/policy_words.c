/* policy_words.c - a policy in words. */
#include "policy.h"

#include <stddef.h>

#include "str.h"

/* More than 0, in the largest unit that fits without a rest. */
static void add_time(struct str *out, int64_t ms)
{
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{3600 * 1000, "h"}, {60 * 1000, "min"}, {1000, "s"}, {1, "ms"}};
    size_t i = 0;
    while (i + 1 < ARRAY_LEN(units) && ms % units[i].ms != 0)
        i++;
    str_add_i64(out, ms / units[i].ms);
    str_addf(out, " %s", units[i].name);
}

static void add_delay(const struct policy *policy, struct str *out)
{
    if (policy->base_delay_ms == 0 || policy->cap_ms == 0) {
        str_add(out, "at once");
        return;
    }
    str_add(out, "after ");
    add_time(out, policy->base_delay_ms < policy->cap_ms ? policy->base_delay_ms : policy->cap_ms);
    if (policy->multiplier > 1 && policy->base_delay_ms < policy->cap_ms) {
        str_addf(out, ", x %.6g up to ", policy->multiplier);
        add_time(out, policy->cap_ms);
    }
    if (policy->jitter_kind == POLICY_JITTER_FULL)
        str_add(out, ", full jitter");
    else if (policy->jitter_kind == POLICY_JITTER_PROPORTIONAL)
        str_addf(out, ", jitter %.6g %%", policy->jitter * 100);
}

/* How many equal results end a step; 0: no number does. */
static int results_that_end(const struct policy *policy)
{
    bool both = policy->window > 0 && policy->same_stops > 0;
    if (both)
        return policy->window < policy->same_stops ? policy->window : policy->same_stops;
    return policy->window + policy->same_stops;
}

static void add_ends(const struct policy *policy, struct str *out)
{
    int equal = results_that_end(policy);
    if (equal > 0)
        str_addf(out, ", %d equal results end it", equal);
    if (policy->unchanged_stops > 0)
        str_addf(out, ", %d equal results on an unchanged tree end it", policy->unchanged_stops);
    if (policy->exhausted == POLICY_EXHAUSTED_MAX_RETRIES)
        str_add(out, ", used up: max retries exceeded");
    if (policy->retry_after_cap_ms == 0)
        str_add(out, ", waits on no server's hint");
}

/* After which failures it tries again. */
static void add_failures(const struct policy *policy, struct str *out)
{
    const bool transient = (policy->retry_on & POLICY_ON_TRANSIENT) != 0;
    if (policy->retry_on & POLICY_ON_PERSISTENT)
        str_add(out, transient ? ", any failure" : ", if persistent");
    else if (policy->retry_on & POLICY_ON_UNKNOWN)
        str_add(out, transient ? ", if transient or unknown" : ", if unknown");
    else
        str_add(out, ", if transient");
}

void policy_deadline_words(const struct policy *policy, struct str *out)
{
    if (policy->deadline_ms <= 0)
        return;
    str_add(out, "within ");
    add_time(out, policy->deadline_ms);
}

void policy_words(const struct policy *policy, struct str *out)
{
    if (policy->max_attempts == 1 || policy->retry_on == 0 || policy->phases == 0) {
        str_add(out, "never again");
        return;
    }
    add_delay(policy, out);
    add_failures(policy, out);
    if (!policy->retry_timeouts)
        str_add(out, ", not after a timeout");
    add_ends(policy, out);
    if (policy->deadline_ms > 0)
        str_add(out, ", ");
    policy_deadline_words(policy, out);
}
