#include "protocol.h"

#include <string.h>

#include "test_main.h"

/* A row changes what matters of these facts: a failing GREEN attempt 1 of 3. */
struct row {
    const char *name;
    enum phase phase;
    const char *policy;
    enum outcome_kind outcome;
    enum verdict_class class;
    int64_t hint_ms;
    int used;
    int free_hints;
    int same;
    int interrupted;
    bool ask, stopping, repeatable;
    enum decision_kind want;
    bool want_entropy, want_capture, want_counts;
};

/* So many equal results as a test may want. */
static const struct digest equal[8] = {{1, 1}, {1, 1}, {1, 1}, {1, 1},
                                       {1, 1}, {1, 1}, {1, 1}, {1, 1}};

#define TRANSIENT  VERDICT_TRANSIENT
#define PERSISTENT VERDICT_PERSISTENT

static const struct row rows[] = {
    {"success", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, VERDICT_SUCCESS, -1, 1, 0, 0, 0, 0, 0, 1,
     DECISION_SUCCEEDED, 0, 0, 1},
    {"persistent waits", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, PERSISTENT, -1, 1, 0, 0, 0, 0,
     0, 1, DECISION_WAIT, 0, 0, 1},
    {"transient waits", PHASE_VERIFY, POLICY_DEFAULT, OUTCOME_EXIT, TRANSIENT, -1, 2, 0, 0, 0, 0, 0,
     1, DECISION_WAIT, 0, 0, 1},
    {"persistent used up", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, PERSISTENT, -1, 3, 0, 0, 0, 0,
     0, 1, DECISION_RETRY_EXHAUSTED, 1, 1, 1},
    {"transient used up", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, TRANSIENT, -1, 3, 0, 0, 0, 0,
     0, 1, DECISION_TRANSIENT_EXHAUSTED, 1, 1, 1},
    {"phase does not fit", PHASE_RED, POLICY_DEFAULT, OUTCOME_EXIT, TRANSIENT, -1, 1, 0, 0, 0, 0, 0,
     1, DECISION_FAILED, 1, 1, 1},
    {"policy does not try again on it", PHASE_GREEN, "transport", OUTCOME_EXIT, PERSISTENT, -1, 1,
     0, 0, 0, 0, 0, 1, DECISION_FAILED, 1, 1, 1},
    {"window full", PHASE_GREEN, "research", OUTCOME_EXIT, PERSISTENT, -1, 2, 0, 3, 0, 0, 0, 1,
     DECISION_ENTROPY, 1, 1, 1},
    {"window not full", PHASE_GREEN, "research", OUTCOME_EXIT, PERSISTENT, -1, 2, 0, 2, 0, 0, 0, 1,
     DECISION_WAIT, 0, 0, 1},
    {"needs a person", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, PERSISTENT, -1, 1, 0, 0, 0, 1, 0,
     1, DECISION_NEEDS_YOU, 0, 1, 1},
    {"interrupted", PHASE_RED, POLICY_DEFAULT, OUTCOME_INTERRUPTED, TRANSIENT, -1, 1, 0, 0, 1, 0, 0,
     1, DECISION_WAIT, 0, 0, 0},
    {"interrupted, not repeatable", PHASE_RED, POLICY_DEFAULT, OUTCOME_INTERRUPTED, TRANSIENT, -1,
     1, 0, 0, 1, 0, 0, 0, DECISION_NEEDS_YOU, 0, 1, 0},
    {"interrupted for the third time", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_INTERRUPTED, TRANSIENT,
     -1, 1, 0, 0, 3, 0, 0, 1, DECISION_TRANSIENT_EXHAUSTED, 1, 1, 0},
    {"cancelled", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_CANCELLED, PERSISTENT, -1, 1, 0, 0, 0, 0, 0,
     1, DECISION_CANCELLED, 0, 1, 1},
    {"cancelled, whatever it said", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_CANCELLED, VERDICT_SUCCESS,
     -1, 1, 0, 0, 0, 0, 0, 1, DECISION_CANCELLED, 0, 1, 1},
    {"stopping", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, PERSISTENT, -1, 1, 0, 0, 0, 0, 1, 1,
     DECISION_CANCELLED, 0, 1, 1},
    {"stopping, but it passed", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, VERDICT_SUCCESS, -1, 1,
     0, 0, 0, 0, 1, 1, DECISION_SUCCEEDED, 0, 0, 1},
    {"a hint is free", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, TRANSIENT, 9000, 3, 1, 0, 0, 0, 0,
     1, DECISION_WAIT, 0, 0, 0},
    {"the third hint is not", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, TRANSIENT, 9000, 3, 2, 0,
     0, 0, 0, 1, DECISION_TRANSIENT_EXHAUSTED, 1, 1, 1},
    {"a start waits on its hint, but it counts", PHASE_GREEN, "infrastructure", OUTCOME_NOT_STARTED,
     TRANSIENT, 9000, 3, 0, 0, 0, 0, 0, 1, DECISION_TRANSIENT_EXHAUSTED, 1, 1, 1},
    {"parked: a time is known", PHASE_GREEN, "transport", OUTCOME_EXIT, PERSISTENT, 9000, 1, 0, 0,
     0, 0, 0, 1, DECISION_WAIT, 0, 0, 0},
    {"parked, tries used up", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, PERSISTENT, 9000, 3, 2, 0,
     0, 0, 0, 1, DECISION_RETRY_EXHAUSTED, 1, 1, 1},
    {"parked beyond the cap", PHASE_GREEN, "transport", OUTCOME_EXIT, PERSISTENT, 22000000, 1, 0, 0,
     0, 0, 0, 1, DECISION_NEEDS_YOU, 0, 1, 1},
    {"research, used up", PHASE_RED, "research", OUTCOME_EXIT, TRANSIENT, -1, 3, 0, 0, 0, 0, 0, 1,
     DECISION_MAX_RETRIES, 1, 1, 1},
    {"a hint of no time is a hint", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, TRANSIENT, 0, 3, 1,
     0, 0, 0, 0, 1, DECISION_WAIT, 0, 0, 0},
    {"a free hint gives back one attempt, not two", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT,
     TRANSIENT, 9000, 4, 1, 0, 0, 0, 0, 1, DECISION_TRANSIENT_EXHAUSTED, 1, 1, 0},
    {"parked is waited out", PHASE_GREEN, "infrastructure", OUTCOME_EXIT, PERSISTENT, 9000, 3, 1, 0,
     0, 0, 0, 1, DECISION_WAIT, 0, 0, 0},
    {"parked for no time too", PHASE_GREEN, "infrastructure", OUTCOME_EXIT, PERSISTENT, 0, 3, 1, 0,
     0, 0, 0, 1, DECISION_WAIT, 0, 0, 0},
    {"a hint up to the cap", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, TRANSIENT, 21600000, 1, 0,
     0, 0, 0, 0, 1, DECISION_WAIT, 0, 0, 0},
    {"a hint in RED changes nothing", PHASE_RED, POLICY_DEFAULT, OUTCOME_EXIT, TRANSIENT, 9000, 1,
     0, 0, 0, 0, 0, 1, DECISION_FAILED, 1, 1, 1},
    {"a hint above the cap", PHASE_GREEN, POLICY_DEFAULT, OUTCOME_EXIT, TRANSIENT, 22000000, 1, 0,
     0, 0, 0, 0, 1, DECISION_NEEDS_YOU, 0, 1, 1},
};

START_TEST(test_decision_table)
{
    const struct row *row = &rows[_i];
    struct outcome outcome = {.kind = row->outcome, .code = 1};
    struct verdict verdict = verdict_new();
    verdict.class = row->class;
    verdict.retry_after_ms = row->hint_ms;
    verdict.ask = row->ask;
    struct protocol_facts facts = {
        .policy = policy_named(row->policy),
        .phase = row->phase,
        .outcome = &outcome,
        .verdict = &verdict,
        .used = row->used,
        .allowed = 3,
        .free_hints = row->free_hints,
        .same = row->same,
        .results = equal,
        .result_count = (size_t)row->same,
        .scale = 1,
        .stopping = row->stopping,
        .interrupted = row->interrupted,
        .repeatable = row->repeatable,
        .now = {.at_ms = 1000, .mono_ms = 2000},
    };
    struct decision decision;
    protocol_decide(&facts, &decision);
    ck_assert_msg(decision.kind == row->want, "%s: %s", row->name,
                  decision_kind_name(decision.kind));
    ck_assert_msg(decision.entropy == row->want_entropy, "%s: entropy", row->name);
    ck_assert_msg(decision.capture == row->want_capture, "%s: capture", row->name);
    ck_assert_msg(decision.counts == row->want_counts, "%s: counts", row->name);
    if (decision.kind == DECISION_WAIT) {
        ck_assert_int_eq(decision.due.at_ms, 1000 + decision.delay.delay_ms);
        ck_assert_int_eq(decision.due.mono_ms, 2000 + decision.delay.delay_ms);
    }
}
END_TEST

static const struct {
    int used, own_retries, of_this;
    int64_t hint_ms;
    enum decision_kind want;
    int want_n; /* of the delay */
} own_retries[] = {
    {1, 1, 1, -1, DECISION_WAIT, 2},
    {1, 2, 2, -1, DECISION_TRANSIENT_EXHAUSTED, 0},
    {2, 1, 0, -1, DECISION_TRANSIENT_EXHAUSTED, 0},
    {1, 10, 10, 9000, DECISION_WAIT, 11}, /* a wait on a hint is free, with all that led to it */
    {2, 3, 1, 9000, DECISION_TRANSIENT_EXHAUSTED, 0},
};

START_TEST(test_own_retries_of_an_agent_count_like_attempts)
{
    const struct outcome outcome = {.code = 1, .own_retries = own_retries[_i].of_this};
    struct verdict verdict = verdict_new();
    verdict.class = TRANSIENT;
    verdict.retry_after_ms = own_retries[_i].hint_ms;
    const struct protocol_facts facts = {.policy = policy_named(POLICY_DEFAULT),
                                         .phase = PHASE_GREEN,
                                         .outcome = &outcome,
                                         .verdict = &verdict,
                                         .used = own_retries[_i].used,
                                         .own_retries = own_retries[_i].own_retries,
                                         .allowed = 3,
                                         .results = equal,
                                         .result_count = 1,
                                         .scale = 1,
                                         .repeatable = true};
    struct decision decision;
    struct str text = {0};
    protocol_decide(&facts, &decision);
    ck_assert_int_eq(decision.kind, own_retries[_i].want);
    ck_assert_int_eq(decision.delay.n, own_retries[_i].want_n);
    protocol_to_json(&facts, &decision, &text);
    ck_assert_ptr_nonnull(strstr(str_text(&text), "\"own_retries\":"));
    str_done(&text);
}
END_TEST

/* The verdict of a rung, before the policy is asked; and what comes before it. */
START_TEST(test_C4_a_rung_ends_the_step)
{
    static const struct {
        enum entropy_level level;
        enum verdict_class class;
        bool ask, no_retry;
        enum decision_kind want;
    } cases[] = {
        {ENTROPY_STUCK, PERSISTENT, false, false, DECISION_ENTROPY},
        {ENTROPY_STUCK, TRANSIENT, false, false, DECISION_ENTROPY},
        {ENTROPY_SUSPECT, PERSISTENT, false, false, DECISION_WAIT},
        {ENTROPY_OK, PERSISTENT, false, false, DECISION_WAIT},
        {ENTROPY_STUCK, VERDICT_SUCCESS, false, false, DECISION_SUCCEEDED},
        {ENTROPY_STUCK, PERSISTENT, true, false, DECISION_NEEDS_YOU},
        {ENTROPY_STUCK, PERSISTENT, false, true, DECISION_FAILED},
        {ENTROPY_OK, PERSISTENT, false, true, DECISION_FAILED},
    };
    const struct outcome outcome = {.code = 1};
    const struct circles circles = {.verdict = {.level = cases[_i].level}};
    struct verdict verdict = verdict_new();
    verdict.class = cases[_i].class;
    verdict.ask = cases[_i].ask;
    verdict.no_retry = cases[_i].no_retry;
    const struct protocol_facts facts = {.policy = policy_named(POLICY_DEFAULT),
                                         .phase = PHASE_GREEN,
                                         .outcome = &outcome,
                                         .verdict = &verdict,
                                         .used = 1,
                                         .allowed = 3,
                                         .circles = &circles,
                                         .scale = 1};
    struct decision decision;
    protocol_decide(&facts, &decision);
    ck_assert_int_eq(decision.kind, cases[_i].want);
}
END_TEST

/* After "go on" a window is twice as long. */
START_TEST(test_an_agents_own_loop_guard_ends_the_step_like_ours)
{
    const struct outcome outcome = {.code = 1};
    struct verdict verdict = verdict_new();
    verdict.class = PERSISTENT;
    verdict.reason = REASON_LOOP;
    const struct protocol_facts facts = {
        .policy = policy_named("careful"),
        .phase = PHASE_GREEN,
        .outcome = &outcome,
        .verdict = &verdict,
        .used = 1,
        .allowed = 3,
        .scale = 1,
        .repeatable = true,
    };
    struct decision decision;
    struct str inputs = {0};
    protocol_decide(&facts, &decision);
    ck_assert_int_eq(decision.kind, DECISION_ENTROPY);
    protocol_to_json(&facts, &decision, &inputs);
    ck_assert_ptr_nonnull(strstr(str_text(&inputs), "\"of\":\"agent\""));
    str_done(&inputs);
}
END_TEST

START_TEST(test_C4_a_window_grows_with_its_scale)
{
    const struct outcome outcome = {.code = 1};
    struct verdict verdict = verdict_new();
    verdict.class = PERSISTENT;
    struct protocol_facts facts = {.policy = policy_named("research"),
                                   .phase = PHASE_GREEN,
                                   .outcome = &outcome,
                                   .verdict = &verdict,
                                   .used = 1,
                                   .allowed = 9,
                                   .results = equal,
                                   .result_count = 5,
                                   .scale = 2};
    struct decision decision;
    protocol_decide(&facts, &decision);
    ck_assert_int_eq(decision.kind, DECISION_WAIT);
    facts.result_count = 6;
    protocol_decide(&facts, &decision);
    ck_assert_int_eq(decision.kind, DECISION_ENTROPY);
}
END_TEST

/* Policy careful: what may repeat without hope is not repeated. */
static const struct {
    enum verdict_class class;
    enum reason reason;
    int64_t hint_ms;
    int same;
    bool is_unchanged;
    enum decision_kind want;
} careful_cases[] = {
    {TRANSIENT, REASON_NONE, -1, 2, true, DECISION_WAIT},
    {PERSISTENT, REASON_COMPILE, -1, 1, false, DECISION_FAILED},
    {PERSISTENT, REASON_TEST_FAIL, -1, 1, true, DECISION_FAILED},
    {PERSISTENT, REASON_NONE, -1, 1, true, DECISION_WAIT},
    {PERSISTENT, REASON_NONE, -1, 2, false, DECISION_WAIT},
    {PERSISTENT, REASON_NONE, -1, 2, true, DECISION_FAILED},
    {PERSISTENT, REASON_QUOTA, 9000, 2, true, DECISION_WAIT},
};

START_TEST(test_careful_repeats_what_may_pass)
{
    const struct outcome outcome = {.code = 1};
    struct verdict verdict = verdict_new();
    verdict.class = careful_cases[_i].class;
    verdict.reason = careful_cases[_i].reason;
    verdict.retry_after_ms = careful_cases[_i].hint_ms;
    const struct protocol_facts facts = {.policy = policy_named("careful"),
                                         .phase = PHASE_VERIFY,
                                         .outcome = &outcome,
                                         .verdict = &verdict,
                                         .used = 1,
                                         .allowed = 3,
                                         .same = careful_cases[_i].same,
                                         .is_unchanged = careful_cases[_i].is_unchanged,
                                         .scale = 1};
    struct decision decision;
    protocol_decide(&facts, &decision);
    ck_assert_int_eq(decision.kind, careful_cases[_i].want);
}
END_TEST

/* What an agent's transport meets, as attempts end: policy `transport`. */
static const struct {
    const char *name;
    enum outcome_kind outcome;
    enum verdict_class class;
    bool again;
} transport_cases[] = {
    {"connection error", OUTCOME_EXIT, TRANSIENT, true},
    {"process error: a rate limit", OUTCOME_EXIT, TRANSIENT, true},
    {"the agent's program is not there", OUTCOME_NOT_STARTED, PERSISTENT, false},
    {"output that is not JSON", OUTCOME_EXIT, PERSISTENT, false},
    {"its time was up", OUTCOME_TIMEOUT, TRANSIENT, false},
    {"an error that no rule knows", OUTCOME_EXIT, PERSISTENT, false},
};

START_TEST(test_E2_transport_tries_again_on_connection_and_process_errors_only)
{
    struct outcome outcome = {.kind = transport_cases[_i].outcome, .code = 1};
    struct verdict verdict = verdict_new();
    verdict.class = transport_cases[_i].class;
    struct protocol_facts facts = {.policy = policy_named("transport"),
                                   .phase = PHASE_GREEN,
                                   .outcome = &outcome,
                                   .verdict = &verdict,
                                   .used = 1,
                                   .allowed = 4,
                                   .repeatable = true};
    struct decision decision;
    protocol_decide(&facts, &decision);
    ck_assert_msg(decision.kind == (transport_cases[_i].again ? DECISION_WAIT : DECISION_FAILED),
                  "%s: %s", transport_cases[_i].name, decision_kind_name(decision.kind));
}
END_TEST

/* A hint would be waited for free, but the policy gives one attempt and no more. */
START_TEST(test_A11_what_cannot_be_repeated_gets_no_free_wait)
{
    struct outcome outcome = {.code = 1};
    struct verdict verdict = verdict_new();
    verdict.class = TRANSIENT;
    verdict.retry_after_ms = 9000;
    struct protocol_facts facts = {.policy = policy_named(POLICY_DEFAULT),
                                   .phase = PHASE_GREEN,
                                   .outcome = &outcome,
                                   .verdict = &verdict,
                                   .used = 1,
                                   .allowed = 1,
                                   .repeatable = _i != 0};
    struct decision decision;
    protocol_decide(&facts, &decision);
    ck_assert_int_eq(decision.kind, _i != 0 ? DECISION_WAIT : DECISION_TRANSIENT_EXHAUSTED);
}
END_TEST

/* 500 ms are waited from 2000 on; the first start was at 1000. */
START_TEST(test_deadline_is_kept_before_the_wait)
{
    static const struct {
        int64_t deadline_ms;
        enum decision_kind want;
    } cases[] = {{0, DECISION_WAIT},
                 {1500, DECISION_WAIT},
                 {1499, DECISION_DEADLINE},
                 {1, DECISION_DEADLINE}};
    struct policy policy = *policy_named(POLICY_DEFAULT);
    policy.deadline_ms = cases[_i].deadline_ms;
    struct outcome outcome = {.code = 1};
    struct verdict verdict = verdict_new();
    verdict.class = PERSISTENT;
    struct protocol_facts facts = {.policy = &policy,
                                   .phase = PHASE_GREEN,
                                   .outcome = &outcome,
                                   .verdict = &verdict,
                                   .used = 1,
                                   .allowed = 3,
                                   .started_mono_ms = 1000,
                                   .now = {.at_ms = 9000, .mono_ms = 2000}};
    struct decision decision;
    protocol_decide(&facts, &decision);
    ck_assert_int_eq(decision.kind, cases[_i].want);
}
END_TEST

/* What was decided, by what: as the log has it. A row changes what matters of these facts:
 * the second of three attempts of a GREEN step under `sandbox`, 900 ms after its start. */
static const struct {
    const char *name;
    enum decision_kind kind;
    enum policy_jitter jitter; /* this and the next three: as the policy has them */
    int window, same_stops;
    int64_t deadline_ms;
    int same, free_hints, interrupted;
    int64_t hint_ms, held_ms;
    const char *want;
} inputs[] = {
    {.name = "a wait",
     .kind = DECISION_WAIT,
     .hint_ms = -1,
     .want = "{\"policy\":\"default\",\"n\":2,\"base\":500,\"multiplier\":2,\"cap\":30"
             "000,\"jitter\":0,\"factor\":1,\"hint\":-1,\"used\":2,\"allowed\":3}"},
    {.name = "full jitter on a hint",
     .kind = DECISION_WAIT,
     .jitter = POLICY_JITTER_FULL,
     .free_hints = 1,
     .want = "{\"policy\":\"default\",\"n\":2,\"base\":500,\"multiplier\":2,\"cap\":30"
             "000,\"jitter\":0,\"kind\":\"full\",\"factor\":1,\"hint\":0,\"used\":2,\"a"
             "llowed\":3,\"hint_cap\":21600000,\"free_hints\":1}"},
    {.name = "an end",
     .kind = DECISION_FAILED,
     .same = 2,
     .hint_ms = -1,
     .want = "{\"policy\":\"default\",\"phase\":\"GREEN\",\"used\":2,\"allowed\":3}"},
    {.name = "results in a row",
     .kind = DECISION_ENTROPY,
     .window = 2,
     .same = 2,
     .hint_ms = -1,
     .want = "{\"policy\":\"default\",\"phase\":\"GREEN\",\"used\":2,\"allowed\":3,\"sa"
             "me\":2,\"window\":2}"},
    {.name = "the same, over steps",
     .kind = DECISION_ENTROPY,
     .same_stops = 2,
     .same = 2,
     .hint_ms = -1,
     .want = "{\"policy\":\"default\",\"phase\":\"GREEN\",\"used\":2,\"allowed\":3,\"sa"
             "me\":2,\"same_stops\":2}"},
    {.name = "a deadline",
     .kind = DECISION_DEADLINE,
     .deadline_ms = 1,
     .held_ms = 1,
     .interrupted = 1,
     .hint_ms = -1,
     .want = "{\"policy\":\"default\",\"phase\":\"GREEN\",\"used\":2,\"allowed\":3,\"de"
             "adline\":1,\"since_start\":900,\"held\":1,\"interrupted\":1}"},
};

START_TEST(test_what_was_decided_by_is_kept)
{
    struct policy policy = *policy_named(POLICY_DEFAULT);
    policy.jitter_kind = inputs[_i].jitter;
    policy.window = inputs[_i].window;
    policy.same_stops = inputs[_i].same_stops;
    policy.deadline_ms = inputs[_i].deadline_ms;
    struct verdict verdict = verdict_new();
    verdict.retry_after_ms = inputs[_i].hint_ms;
    struct protocol_facts facts = {.policy = &policy,
                                   .phase = PHASE_GREEN,
                                   .verdict = &verdict,
                                   .used = 2,
                                   .allowed = 3,
                                   .same = inputs[_i].same,
                                   .scale = 1,
                                   .free_hints = inputs[_i].free_hints,
                                   .interrupted = inputs[_i].interrupted,
                                   .held_ms = inputs[_i].held_ms,
                                   .started_mono_ms = 1100,
                                   .now = {.at_ms = 9000, .mono_ms = 2000}};
    struct decision decision = {.kind = inputs[_i].kind,
                                .delay = {.n = 2, .factor = 1, .hint_ms = inputs[_i].hint_ms}};
    struct str out = {0};
    protocol_to_json(&facts, &decision, &out);
    ck_assert_msg(strcmp(str_text(&out), inputs[_i].want) == 0, "%s: %s", inputs[_i].name,
                  str_text(&out));
    str_done(&out);
}
END_TEST

/* They are in logs, on screens and in scripts. */
START_TEST(test_names_of_decisions)
{
    static const char *const want[] = {
        "succeeded",        "wait",      "failed",    "retry exhausted", "transient exhausted",
        "entropy detected", "needs you", "cancelled", "deadline",        "max retries exceeded"};
    ck_assert_int_eq(TABLE_LEN(want), DECISION_KIND_COUNT);
    for (int i = 0; i < TABLE_LEN(want); i++)
        ck_assert_str_eq(decision_kind_name((enum decision_kind)i), want[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("protocol");
    TCase *tcase = test_case(suite, "decisions");
    tcase_add_loop_test(tcase, test_decision_table, 0, TABLE_LEN(rows));
    tcase_add_loop_test(tcase, test_own_retries_of_an_agent_count_like_attempts, 0,
                        TABLE_LEN(own_retries));
    tcase_add_loop_test(tcase, test_C4_a_rung_ends_the_step, 0, 8);
    tcase_add_test(tcase, test_an_agents_own_loop_guard_ends_the_step_like_ours);
    tcase_add_test(tcase, test_C4_a_window_grows_with_its_scale);
    tcase_add_loop_test(tcase, test_careful_repeats_what_may_pass, 0, TABLE_LEN(careful_cases));
    tcase_add_loop_test(tcase, test_E2_transport_tries_again_on_connection_and_process_errors_only,
                        0, TABLE_LEN(transport_cases));
    tcase_add_loop_test(tcase, test_A11_what_cannot_be_repeated_gets_no_free_wait, 0, 2);
    tcase_add_loop_test(tcase, test_deadline_is_kept_before_the_wait, 0, 4);
    tcase_add_loop_test(tcase, test_what_was_decided_by_is_kept, 0, TABLE_LEN(inputs));
    tcase_add_test(tcase, test_names_of_decisions);
    return suite;
}
