#include "tally.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "attr.h"

static const char *const row_names[] = {
    [ROW_SUCCESS] = "success",
    [ROW_WAIT] = "wait, then again",
    [ROW_WAIT_START] = "wait, then another start",
    [ROW_WAIT_FREE] = "wait on a hint, free",
    [ROW_WAIT_HINT] = "wait on a hint, counted",
    [ROW_ENTROPY] = "entropy detected",
    [ROW_CIRCLES] = "entropy detected by a rung",
    [ROW_CALLS] = "entropy detected in calls",
    [ROW_OWN_LOOP] = "entropy detected by its agent",
    [ROW_BUDGET] = "needs-you: budget spent",
    [ROW_BUDGET_AT_START] = "needs-you: budget, at a start",
    [ROW_ROUND] = "another round",
    [ROW_NO_RETRY] = "failed: no try mends it",
    [ROW_RETRY_EXHAUSTED] = "retry exhausted",
    [ROW_TRANSIENT_EXHAUSTED] = "transient exhausted",
    [ROW_MAX_RETRIES] = "max retries exceeded",
    [ROW_START_EXHAUSTED] = "starts used up",
    [ROW_NO_POLICY] = "failed: not by this policy",
    [ROW_NO_TIMEOUT] = "failed: not after a timeout",
    [ROW_NO_PHASE] = "failed: not in this phase",
    [ROW_ASKS] = "needs-you: a rule asks",
    [ROW_HINT_TOO_FAR] = "needs-you: hint beyond the cap",
    [ROW_DEADLINE] = "deadline at a decision",
    [ROW_DEADLINE_AT_START] = "deadline at a start",
    [ROW_INTERRUPTED_AGAIN] = "interrupted, again",
    [ROW_INTERRUPTED_UNSAFE] = "interrupted, needs-you",
    [ROW_INTERRUPTED_THIRD] = "interrupted, the third time",
    [ROW_BLOCKED] = "blocked",
    [ROW_UNBLOCKED] = "queued again",
    [ROW_CANCELLED] = "cancelled while it ran",
    [ROW_STOPPED] = "cancelled, ended by itself",
    [ROW_CANCELLED_IDLE] = "cancelled, nothing ran",
    [ROW_RED_MET] = "red as expected",
    [ROW_RED_PASSED] = "red expected, passed",
    [ROW_RED_WRONG] = "red for the wrong reason",
    [ROW_REOPENED] = "grant by hand",
};
static_assert(ARRAY_LEN(row_names) == ROW_COUNT, "every row has a name");

/* A struct tally consists only of counters. */
void tally_add(struct tally *tally, const struct tally *other)
{
    int64_t sum[sizeof(*tally) / sizeof(int64_t)];
    int64_t part[sizeof(*tally) / sizeof(int64_t)];
    static_assert(sizeof(sum) == sizeof(*tally), "only 64-bit counters");
    memcpy(sum, tally, sizeof(sum));
    memcpy(part, other, sizeof(part));
    for (size_t i = 0; i < ARRAY_LEN(sum); i++)
        sum[i] += part[i];
    memcpy(tally, sum, sizeof(sum));
}

typedef void line_fn(void *ctx, const char *group, const char *name, int64_t count);

static void walk_acts(const struct tally *tally, line_fn *line, void *ctx)
{
    static const char *const who[] = {"of a task", "of a run"};
    static const char *const how[] = {"refused", "done"};
    for (int verb = CONTROL_CANCEL; verb < CONTROL_VERB_COUNT; verb++) {
        for (int of_run = 0; of_run < 2; of_run++) {
            for (int done = 0; done < 2; done++) {
                bool cannot =
                    done && of_run && (verb == CONTROL_SEND_ONE || verb == CONTROL_CORRECT);
                char name[64];
                (void)snprintf(name, sizeof(name), "%s %s, %s",
                               control_verb_name((enum control_verb)verb), who[of_run], how[done]);
                if (!cannot)
                    line(ctx, "control", name, tally->acts[verb][of_run][done]);
            }
        }
    }
}

static void walk_rest(const struct tally *tally, line_fn *line, void *ctx)
{
    static const char *const jitters[] = {"none", "proportional", "full"};
    static const char *const policies[] = {POLICY_DEFAULT, "infrastructure", "research",
                                           "transport", "the plan's own"};
    static const char *const phases[] = {"RED", "GREEN", "VERIFY", "REFACTOR"};
    static const char *const codes[] = {"0", "1", "3", "4", "130"};
    const struct {
        const char *name;
        int64_t count;
    } fates[] = {
        {"reboot", tally->reboots},           {"act on a dead run", tally->orphan_acts},
        {"engine leaves", tally->leaves},     {"wall clock set", tally->wall_jumps},
        {"nobody looks", tally->sleeps},      {"stale news", tally->stale},
        {"one sent ahead", tally->followers}, {"folded anew", tally->refolds},
    };
    static const char *const gates[] = {
        "closes",         "stays closed longer", "the probe meets the limit",
        "probe lost",     "a person's probe",    "opens, nothing waits",
        "opens, spreads",
    };
    static_assert(ARRAY_LEN(gates) == TALLY_GATE_COUNT, "all that happens to gates has a name");
    for (size_t i = 0; i < ARRAY_LEN(gates); i++)
        line(ctx, "gate", gates[i], tally->gates[i]);
    for (size_t i = 0; i < ARRAY_LEN(jitters); i++)
        line(ctx, "jitter", jitters[i], tally->jitters[i]);
    for (size_t i = 0; i < ARRAY_LEN(policies); i++)
        line(ctx, "policy", policies[i], tally->policies[i]);
    for (size_t i = 0; i < ARRAY_LEN(phases); i++)
        line(ctx, "phase", phases[i], tally->phases[i]);
    for (size_t i = 0; i < ARRAY_LEN(codes); i++)
        line(ctx, "exit code", codes[i], tally->ends[i]);
    for (size_t i = 0; i < ARRAY_LEN(fates); i++)
        line(ctx, "fate", fates[i].name, fates[i].count);
}

static const char crash_group[] = "crash after";

/* Plans do not grow here, and nobody gives hints. */
static bool occurs(int kind)
{
    return kind < EVENT_TASK_ADDED || kind >= EVENT_ATTEMPT_PLACED;
}

static void walk(const struct tally *tally, line_fn *line, void *ctx)
{
    for (int i = 0; i < ROW_COUNT; i++)
        line(ctx, "decision", row_names[i], tally->rows[i]);
    walk_acts(tally, line, ctx);
    for (int i = EVENT_RUN_STARTED; i < EVENT_KIND_COUNT; i++) {
        if (occurs(i))
            line(ctx, "event", event_kind_name((enum event_kind)i), tally->events[i]);
    }
    line(ctx, "crash", "before any event", tally->crashes[0]);
    for (int i = EVENT_RUN_STARTED; i < EVENT_KIND_COUNT; i++) {
        if (occurs(i))
            line(ctx, crash_group, event_kind_name((enum event_kind)i), tally->crashes[i]);
    }
    walk_rest(tally, line, ctx);
}

static int64_t all_events(const struct tally *tally)
{
    int64_t sum = 0;
    for (int i = 0; i < EVENT_KIND_COUNT; i++)
        sum += tally->events[i];
    return sum;
}

static double average(int64_t sum, int64_t count)
{
    return count > 0 ? (double)sum / (double)count : 0;
}

static void print_line(void *ctx, const char *group, const char *name, int64_t count)
{
    (void)fprintf(ctx, "%-12s %-32s %12" PRId64 "\n", group, name, count);
}

void tally_print(const struct tally *tally, FILE *out)
{
    walk(tally, print_line, out);
    (void)fprintf(out,
                  "%" PRId64 " runs, on average %.1f tasks, %.1f steps each, %.1f events, "
                  "%.1f turns\n",
                  tally->runs, average(tally->tasks, tally->runs),
                  average(tally->steps, tally->tasks), average(all_events(tally), tally->runs),
                  average(tally->turns, tally->runs));
}

struct seldom {
    FILE *out;
    int64_t runs;
    int count;
};

static void find_seldom(void *ctx, const char *group, const char *name, int64_t count)
{
    struct seldom *seldom = ctx;
    const int enough = strcmp(group, crash_group) == 0 ? TALLY_CRASHES : TALLY_ENOUGH;
    if (count * 1000 >= enough * seldom->runs)
        return;
    (void)fprintf(seldom->out,
                  "too seldom: %s: %s: %" PRId64 " in %" PRId64 " runs, wanted %d in 1000\n", group,
                  name, count, seldom->runs, enough);
    seldom->count++;
}

bool tally_is_enough(const struct tally *tally, FILE *out)
{
    if (tally->runs < TALLY_FULL) {
        (void)fprintf(out, "too few runs: %" PRId64 " of %d\n", tally->runs, TALLY_FULL);
        return false;
    }
    struct seldom seldom = {.out = out, .runs = tally->runs};
    walk(tally, find_seldom, &seldom);
    return seldom.count == 0;
}

bool tally_is_rich(const struct tally *tally, FILE *out)
{
    bool few = tally->runs < TALLY_RUNS; /* too few for an average */
    bool rich = few || (tally->tasks >= TALLY_TASKS * tally->runs &&
                        tally->steps >= TALLY_STEPS * tally->tasks &&
                        all_events(tally) >= TALLY_EVENTS * tally->runs);
    if (!rich)
        (void)fprintf(out, "a run has on average fewer than %d tasks, %d steps each or %d events\n",
                      TALLY_TASKS, TALLY_STEPS, TALLY_EVENTS);
    return rich;
}
