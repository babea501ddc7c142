/*
 * Retry policies, and the phase of a step.
 */
#include "policy.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "outcome.h"
#include "plan_internal.h"
#include "sha256.h"
#include "str.h"

/*
 * The four phases of a task, in order.
 */

static const char *const names[] = {
    [PHASE_RED] = "RED",
    [PHASE_GREEN] = "GREEN",
    [PHASE_VERIFY] = "VERIFY",
    [PHASE_REFACTOR] = "REFACTOR",
};
static_assert(ARRAY_LEN(names) == PHASE_COUNT, "every phase has a name");

const char *phase_name(enum phase phase)
{
    assert(phase < PHASE_COUNT);
    return names[phase];
}

char phase_letter(enum phase phase)
{
    assert(phase < PHASE_COUNT);
    return "RGVF"[phase];
}

bool phase_parse(const char *text, enum phase *out)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], text) == 0) {
            *out = (enum phase)i;
            return true;
        }
    }
    return false;
}

/* Policies: when to try again, and how long to wait. */

enum {
    ALL_PHASES = (1 << PHASE_COUNT) - 1,
    PROVING_PHASES = 1 << PHASE_GREEN | 1 << PHASE_VERIFY,
    BOTH_CLASSES = POLICY_ON_TRANSIENT | POLICY_ON_PERSISTENT,
    HINT_CAP_MS = 6 * 3600 * 1000,
};

static const struct policy builtin[] = {
    {
        .name = POLICY_DEFAULT,
        .max_attempts = 3,
        .base_delay_ms = 500,
        .multiplier = 2,
        .cap_ms = 30000,
        .retry_on = BOTH_CLASSES,
        .retry_timeouts = true,
        .phases = PROVING_PHASES,
        .retry_after_cap_ms = HINT_CAP_MS,
    },
    {
        .name = "infrastructure",
        .max_attempts = 4,
        .base_delay_ms = 1000,
        .multiplier = 2,
        .cap_ms = 30000,
        .retry_on = POLICY_ON_TRANSIENT,
        .retry_timeouts = true,
        .phases = ALL_PHASES,
        .retry_after_cap_ms = HINT_CAP_MS,
    },
    {
        .name = "research",
        .max_attempts = 3,
        .base_delay_ms = 1000,
        .multiplier = 2,
        .cap_ms = 60000,
        .retry_on = BOTH_CLASSES,
        .retry_timeouts = true,
        .phases = ALL_PHASES,
        .window = 3,
        .retry_after_cap_ms = HINT_CAP_MS,
        .exhausted = POLICY_EXHAUSTED_MAX_RETRIES,
    },
    {
        .name = "transport",
        .max_attempts = 4,
        .base_delay_ms = 2000,
        .multiplier = 2,
        .cap_ms = 60000,
        .jitter_kind = POLICY_JITTER_PROPORTIONAL,
        .jitter = 0.5,
        .retry_on = POLICY_ON_TRANSIENT,
        .phases = ALL_PHASES,
        .retry_after_cap_ms = HINT_CAP_MS,
    },
    {
        .name = "careful",
        .max_attempts = 3,
        .base_delay_ms = 500,
        .multiplier = 2,
        .cap_ms = 30000,
        .retry_on = POLICY_ON_TRANSIENT | POLICY_ON_UNKNOWN,
        .retry_timeouts = true,
        .phases = PROVING_PHASES,
        .unchanged_stops = 2,
        .retry_after_cap_ms = HINT_CAP_MS,
    },
};

static const char *const jitter_names[] = {
    [POLICY_JITTER_NONE] = "none",
    [POLICY_JITTER_PROPORTIONAL] = "proportional",
    [POLICY_JITTER_FULL] = "full",
};
static_assert(ARRAY_LEN(jitter_names) == POLICY_JITTER_COUNT, "every kind has a name");

static const char *const exhausted_names[] = {
    [POLICY_EXHAUSTED_BY_CLASS] = "by-class",
    [POLICY_EXHAUSTED_MAX_RETRIES] = "max-retries",
};
static_assert(ARRAY_LEN(exhausted_names) == POLICY_EXHAUSTED_COUNT, "every one has a name");

const char *policy_jitter_name(enum policy_jitter kind)
{
    assert(kind < POLICY_JITTER_COUNT);
    return jitter_names[kind];
}

const char *policy_exhausted_name(enum policy_exhausted exhausted)
{
    assert(exhausted < POLICY_EXHAUSTED_COUNT);
    return exhausted_names[exhausted];
}

const struct policy *policy_builtin(size_t index)
{
    return index < ARRAY_LEN(builtin) ? &builtin[index] : NULL;
}

const struct policy *policy_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(builtin); i++) {
        if (strcmp(builtin[i].name, name) == 0)
            return &builtin[i];
    }
    return NULL;
}

const char *policy_new_name(const char *name)
{
    return strcmp(name, "sandbox") == 0 ? POLICY_DEFAULT : NULL;
}

bool policy_fits_phase(const struct policy *policy, enum phase phase)
{
    return (policy->phases & 1U << phase) != 0;
}

bool policy_retries_on(const struct policy *policy, enum verdict_class class, bool has_reason)
{
    switch (class) {
    case VERDICT_TRANSIENT:
        return (policy->retry_on & POLICY_ON_TRANSIENT) != 0;
    case VERDICT_PERSISTENT:
        return (policy->retry_on & POLICY_ON_PERSISTENT) != 0 ||
               (!has_reason && (policy->retry_on & POLICY_ON_UNKNOWN) != 0);
    case VERDICT_SUCCESS:
    case VERDICT_CLASS_COUNT:
        break;
    }
    return false;
}

/* Returns min(base x multiplier^(n-1), cap). Stops multiplying at the cap, so that no power can
 * overflow. */
static int64_t exact_delay_ms(const struct policy *policy, int n)
{
    double delay = (double)policy->base_delay_ms;
    double cap = (double)policy->cap_ms;
    for (int i = 1; i < n && delay < cap && policy->multiplier > 1; i++)
        delay *= policy->multiplier;
    return (int64_t)(delay < cap ? delay : cap);
}

static double jitter_factor(const struct policy *policy, double unit)
{
    switch (policy->jitter_kind) {
    case POLICY_JITTER_PROPORTIONAL:
        return 1 + policy->jitter * (2 * unit - 1);
    case POLICY_JITTER_FULL:
        return unit;
    case POLICY_JITTER_NONE:
    case POLICY_JITTER_COUNT:
        break;
    }
    return 1;
}

struct delay policy_delay(const struct policy *policy, int n, uint64_t draw, int64_t hint_ms)
{
    assert(n >= 1);
    assert(draw < 1ULL << 53);

    double unit = (double)draw / (double)(1ULL << 53);
    struct delay delay = {
        .exact_ms = exact_delay_ms(policy, n),
        .retry_number = n,
        .factor = jitter_factor(policy, unit),
        .hint_ms = hint_ms,
    };
    double jittered = (double)delay.exact_ms * delay.factor;
    if (jittered > (double)policy->cap_ms)
        jittered = (double)policy->cap_ms;
    delay.delay_ms = jittered > 0 ? (int64_t)jittered : 0;
    if (hint_ms > delay.delay_ms)
        delay.delay_ms = hint_ms;
    return delay;
}

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014). */
static uint64_t splitmix64(uint64_t state)
{
    uint64_t z = state + 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

uint64_t policy_draw(const struct draw_key *key)
{
    const int parts[] = {key->task, key->step, key->round, key->attempt};
    uint64_t state = splitmix64(key->seed);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        state = splitmix64(state ^ (uint64_t)parts[i]);
    return state >> 11;
}

struct digest policy_digest(const struct policy *policy)
{
    unsigned char hash[SHA256_BYTES];
    struct str text = {0};
    plan_policy_write(policy, &text);
    sha256_of(str_text(&text), text.len, hash);
    str_done(&text);
    return digest_from_bytes(hash);
}

/* Appends a time greater than 0 in the largest unit that leaves no remainder. */
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
        str_addf(out, ", jitter %.6g%%", policy->jitter * 100);
}

void policy_deadline_words(const struct policy *policy, struct str *out)
{
    if (policy->deadline_ms <= 0)
        return;
    str_add(out, "within ");
    add_time(out, policy->deadline_ms);
}

int policy_equal_max(const struct policy *policy)
{
    const bool has_both = policy->window > 0 && policy->same_stops > 0;
    const int least = policy->window < policy->same_stops ? policy->window : policy->same_stops;
    return has_both ? least : policy->window + policy->same_stops;
}

void policy_words(const struct policy *policy, struct str *out)
{
    if (policy->max_attempts == 1 || policy->retry_on == 0 || policy->phases == 0) {
        str_add(out, "never retried");
        return;
    }
    add_delay(policy, out);

    const bool transient = (policy->retry_on & POLICY_ON_TRANSIENT) != 0;
    if (policy->retry_on & POLICY_ON_PERSISTENT)
        str_add(out, transient ? ", any failure" : ", if persistent");
    else if (policy->retry_on & POLICY_ON_UNKNOWN)
        str_add(out, transient ? ", if transient or unknown" : ", if unknown");
    else
        str_add(out, ", if transient");
    if (!policy->retry_timeouts)
        str_add(out, ", not after a timeout");

    const int equal = policy_equal_max(policy);
    if (equal > 0)
        str_addf(out, ", stops after %d equal results", equal);
    if (policy->unchanged_stops > 0)
        str_addf(out, ", stops after %d equal results on an unchanged tree",
                 policy->unchanged_stops);
    if (policy->exhausted == POLICY_EXHAUSTED_MAX_RETRIES)
        str_add(out, ", ends with max retries exceeded");
    if (policy->retry_after_cap_ms == 0)
        str_add(out, ", ignores the server's hints");
    if (policy->deadline_ms > 0)
        str_add(out, ", ");
    policy_deadline_words(policy, out);
}
