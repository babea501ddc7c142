#include "protocol.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "run_state.h"
#include "test_main.h"

/* As many equal results as a test may want. */
static const struct digest equal[8] = {{1, 1}, {1, 1}, {1, 1}, {1, 1},
                                       {1, 1}, {1, 1}, {1, 1}, {1, 1}};

/* What a decision is made from. */
struct given {
    struct policy policy;
    struct outcome outcome;
    struct verdict verdict;
    struct circles circles;
    struct protocol_facts facts;
};

#define WORD(word, field, value)                                                                   \
    {                                                                                              \
        word, offsetof(struct given, field), sizeof(((struct given *)0)->field), value             \
    }
#define NUMBER(word, field) WORD(word "=", field, 0)

/* The words of the tables below, apart from the names of policies. A number follows those with a
 * "=". */
static const struct {
    const char *word;
    size_t offset, size; /* of what it sets in struct given */
    int64_t value;
} words[] = {
    WORD("RED", facts.phase, PHASE_RED),
    WORD("VERIFY", facts.phase, PHASE_VERIFY),
    WORD("success", verdict.class, VERDICT_SUCCESS),
    WORD("transient", verdict.class, VERDICT_TRANSIENT),
    WORD("compile", verdict.reason, REASON_COMPILE),
    WORD("loop", verdict.reason, REASON_LOOP),
    WORD("quota", verdict.reason, REASON_QUOTA),
    WORD("test-fail", verdict.reason, REASON_TEST_FAIL),
    WORD("ask", verdict.ask, true),
    WORD("no-retry", verdict.no_retry, true),
    NUMBER("hint", verdict.retry_after_ms),
    WORD("cancelled", outcome.kind, OUTCOME_CANCELLED),
    WORD("not-started", outcome.kind, OUTCOME_NOT_STARTED),
    WORD("timeout", outcome.kind, OUTCOME_TIMEOUT),
    WORD("interrupted", outcome.kind, OUTCOME_INTERRUPTED),
    NUMBER("interruptions", facts.interrupted),
    NUMBER("own_retries", facts.own_retries),
    NUMBER("own_retries_now", outcome.own_retries),
    WORD("stuck", circles.verdict.level, ENTROPY_STUCK),
    WORD("suspect", circles.verdict.level, ENTROPY_SUSPECT),
    WORD("ok", circles.verdict.level, ENTROPY_OK),
    NUMBER("used", facts.used),
    NUMBER("allowed", facts.allowed),
    NUMBER("free_hints", facts.free_hints),
    NUMBER("same", facts.same),
    NUMBER("scale", facts.scale),
    NUMBER("deadline", policy.deadline_ms),
    NUMBER("same_stops", policy.same_stops),
    WORD("unchanged", facts.is_unchanged, true),
    WORD("off", facts.ignores_repeats, true),
    WORD("stopping", facts.stopping, true),
    WORD("unrepeatable", facts.repeatable, false),
};

static void set_field(void *field, size_t size, int64_t value)
{
    if (size == sizeof(bool))
        *(bool *)field = value != 0;
    else if (size == sizeof(int))
        *(int *)field = (int)value;
    else
        *(int64_t *)field = value;
}

static void read_word(struct given *given, const char *word)
{
    const size_t len = strcspn(word, "=") + (strchr(word, '=') != NULL);
    int i = 0;
    if (policy_named(word)) {
        given->policy = *policy_named(word);
        return;
    }
    while (strlen(words[i].word) != len || strncmp(words[i].word, word, len) != 0)
        ck_assert_msg(++i < TABLE_LEN(words), "unknown word %s", word);
    set_field((char *)given + words[i].offset, words[i].size,
              word[len] != '\0' ? strtoll(word + len, NULL, 10) : words[i].value);
    if (words[i].offset == offsetof(struct given, circles.verdict.level))
        given->facts.circles = &given->circles;
}

/* Reads what differs from these facts: GREEN attempt 1 of 3, under the default policy, has failed
 * with a persistent failure that no rule knows; its step can be repeated. */
static void read_facts(struct given *given, const char *text)
{
    char copy[128];
    char *rest = copy;
    ck_assert_uint_lt(strlen(text), sizeof(copy));
    (void)snprintf(copy, sizeof(copy), "%s", text);
    *given = (struct given){
        .policy = *policy_named(POLICY_DEFAULT),
        .outcome = {.kind = OUTCOME_EXIT, .code = 1},
        .verdict = verdict_new(),
        .facts =
            {
                .phase = PHASE_GREEN,
                .used = 1,
                .allowed = 3,
                .scale = 1,
                .repeatable = true,
                .started_mono_ms = 1000,
                .now = {.at_ms = 1000, .mono_ms = 2000},
            },
    };
    given->verdict.class = VERDICT_PERSISTENT;
    given->facts.policy = &given->policy;
    given->facts.outcome = &given->outcome;
    given->facts.verdict = &given->verdict;
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
        read_word(given, word);
    given->facts.results = equal;
    given->facts.result_count = (size_t)given->facts.same;
}

struct row {
    const char *name;
    const char *facts;
    const char *want;
};

/* Asserts the decision, and what comes with it where the row has a comma: "entropy": counts against
 * the task; "capture": evidence is kept; "free": uses up no attempt. */
static void check_row(const struct row *row)
{
    struct given given;
    struct decision decision;
    struct str got = {0};
    read_facts(&given, row->facts);
    protocol_decide(&given.facts, &decision);
    str_add(&got, decision_kind_name(decision.kind));
    if (strchr(row->want, ','))
        str_addf(&got, ",%s%s%s", decision.entropy ? " entropy" : "",
                 decision.capture ? " capture" : "", decision.counts ? "" : " free");
    ck_assert_msg(strcmp(str_text(&got), row->want) == 0, "%s: %s", row->name, str_text(&got));
    if (decision.kind == DECISION_WAIT) {
        ck_assert_int_eq(decision.due.at_ms, 1000 + decision.delay.delay_ms);
        ck_assert_int_eq(decision.due.mono_ms, 2000 + decision.delay.delay_ms);
    }
    str_done(&got);
}

static const struct row rows[] = {
    {"success", "success", "succeeded,"},
    {"persistent waits", "", "wait,"},
    {"transient waits", "VERIFY transient used=2", "wait,"},
    {"persistent used up", "used=3", "retry exhausted, entropy capture"},
    {"transient used up", "transient used=3", "transient exhausted, entropy capture"},
    {"phase does not fit", "RED transient", "failed, entropy capture"},
    {"policy does not retry on it", "transport", "failed, entropy capture"},
    {"window full", "research used=2 same=3", "entropy detected, entropy capture"},
    {"window not full", "research used=2 same=2", "wait,"},
    {"needs a person", "ask", "needs you, capture"},
    {"interrupted", "RED interrupted transient interruptions=1", "wait, free"},
    {"interrupted, not repeatable", "RED interrupted transient interruptions=1 unrepeatable",
     "needs you, capture free"},
    {"interrupted for the third time", "interrupted transient interruptions=3",
     "transient exhausted, entropy capture free"},
    {"cancelled", "cancelled", "cancelled, capture"},
    {"cancelled, whatever it said", "cancelled success", "cancelled, capture"},
    {"stopping", "stopping", "cancelled, capture"},
    {"stopping, but it passed", "stopping success", "succeeded,"},
    {"a hint is free", "transient hint=9000 used=3 free_hints=1", "wait, free"},
    {"the third hint is not", "transient hint=9000 used=3 free_hints=2",
     "transient exhausted, entropy capture"},
    {"a start waits on its hint, but it counts",
     "infrastructure not-started transient hint=9000 used=3",
     "transient exhausted, entropy capture"},
    {"parked: a time is known", "transport hint=9000", "wait, free"},
    {"parked, tries used up", "hint=9000 used=3 free_hints=2", "retry exhausted, entropy capture"},
    {"parked beyond the cap", "transport hint=22000000", "needs you, capture"},
    {"research, used up", "RED research transient used=3", "max retries exceeded, entropy capture"},
    {"a hint of no time is a hint", "transient hint=0 used=3 free_hints=1", "wait, free"},
    {"a free hint gives back one attempt, not two", "transient hint=9000 used=4 free_hints=1",
     "transient exhausted, entropy capture free"},
    {"parked is waited out", "infrastructure hint=9000 used=3 free_hints=1", "wait, free"},
    {"parked for no time too", "infrastructure hint=0 used=3 free_hints=1", "wait, free"},
    {"a hint up to the cap", "transient hint=21600000", "wait, free"},
    {"a hint in RED changes nothing", "RED transient hint=9000", "failed, entropy capture"},
    {"a hint above the cap", "transient hint=22000000", "needs you, capture"},
};

START_TEST(test_decision_table)
{
    check_row(&rows[_i]);
}
END_TEST

/* The delay's n counts what the agent retried on its own. */
static const struct {
    const char *facts;
    enum decision_kind want;
    int want_n;
} own_retries[] = {
    {"transient own_retries=1 own_retries_now=1", DECISION_WAIT, 2},
    {"transient own_retries=2 own_retries_now=2", DECISION_TRANSIENT_EXHAUSTED, 0},
    {"transient used=2 own_retries=1", DECISION_TRANSIENT_EXHAUSTED, 0},
    /* a wait on a hint is free, with all that led to it */
    {"transient hint=9000 own_retries=10 own_retries_now=10", DECISION_WAIT, 11},
    {"transient hint=9000 used=2 own_retries=3 own_retries_now=1", DECISION_TRANSIENT_EXHAUSTED, 0},
};

/* A log may say anything about its clock and an agent's own retries; a decision on it is an event
 * that can be read again. */
START_TEST(test_records_of_a_decision_are_in_range)
{
    struct given given;
    struct decision decision;
    struct event event = event_new(EVENT_WAIT_STARTED);
    struct event again = event_new(EVENT_WAIT_STARTED);
    struct str why = {0};
    struct str room = {0};
    read_facts(&given, "transient hint=9000 own_retries=1000000 own_retries_now=1000000");
    given.policy.deadline_ms = 3 * FOLD_TIME_MAX_MS; /* not over yet */
    given.facts.held_ms = 2 * FOLD_TIME_MAX_MS;
    given.facts.started_mono_ms = -FOLD_TIME_MAX_MS;
    given.facts.now.mono_ms = FOLD_TIME_MAX_MS;
    protocol_decide(&given.facts, &decision);
    ck_assert_int_eq(decision.kind, DECISION_WAIT);
    event.wait.delay = decision.delay;
    protocol_inputs(&given.facts, &decision, &why, &event.wait.inputs);
    event.wait.inputs.deadline_ms = 0; /* the plan limits it */
    char *object = event_object(&event);
    str_reserve(&room, strlen(object));
    ck_assert_msg(event_read(&again, object, strlen(object), &room), "%s", object);
    ck_assert_int_eq(again.wait.delay.retry_number, 1000001);
    free(object);
    str_done(&room);
    str_done(&why);
}
END_TEST

START_TEST(test_own_retries_of_an_agent_count_like_attempts)
{
    struct given given;
    struct decision decision;
    struct decision_inputs inputs = {0};
    struct str why = {0};
    read_facts(&given, own_retries[_i].facts);
    protocol_decide(&given.facts, &decision);
    ck_assert_int_eq(decision.kind, own_retries[_i].want);
    ck_assert_int_eq(decision.delay.retry_number, own_retries[_i].want_n);
    protocol_inputs(&given.facts, &decision, &why, &inputs);
    ck_assert_int_gt(inputs.own_retries, 0);
    str_done(&why);
}
END_TEST

/* The verdict of a rung counts before the policy; other things before that. */
static const struct row rungs[] = {
    {"stuck", "stuck", "entropy detected"},
    {"stuck, transient", "stuck transient", "entropy detected"},
    {"suspect", "suspect", "wait"},
    {"ok", "ok", "wait"},
    {"stuck, but it passed", "stuck success", "succeeded"},
    {"stuck, and asks", "stuck ask", "needs you"},
    {"stuck, no retry", "stuck no-retry", "failed"},
    {"ok, no retry", "ok no-retry", "failed"},
};

START_TEST(test_C4_a_rung_ends_the_step)
{
    check_row(&rungs[_i]);
}
END_TEST

START_TEST(test_an_agents_own_loop_guard_ends_the_step_like_ours)
{
    struct given given;
    struct decision decision;
    struct decision_inputs inputs = {0};
    struct str why = {0};
    read_facts(&given, "careful loop");
    protocol_decide(&given.facts, &decision);
    ck_assert_int_eq(decision.kind, DECISION_ENTROPY);
    protocol_inputs(&given.facts, &decision, &why, &inputs);
    ck_assert_int_eq(inputs.of, DECISION_OF_AGENT);
    str_done(&why);
}
END_TEST

/* After "go on" a window is twice as long. */
static const struct row scales[] = {
    {"not full", "research allowed=9 scale=2 same=5", "wait"},
    {"full", "research allowed=9 scale=2 same=6", "entropy detected"},
    {"over steps, not full", "same_stops=2 scale=2 same=3", "wait"},
    {"over steps, full", "same_stops=2 scale=2 same=4", "entropy detected"},
};

START_TEST(test_C4_a_window_grows_with_its_scale)
{
    check_row(&scales[_i]);
}
END_TEST

/* The policy careful does not repeat what has no hope. */
static const struct row careful[] = {
    {"transient", "careful VERIFY transient same=2 unchanged", "wait"},
    {"compile", "careful VERIFY compile same=1", "failed"},
    {"test-fail", "careful VERIFY test-fail same=1 unchanged", "failed"},
    {"unknown", "careful VERIFY same=1 unchanged", "wait"},
    {"the same, changed", "careful VERIFY same=2", "wait"},
    {"the same, unchanged", "careful VERIFY same=2 unchanged", "failed"},
    {"a known time", "careful VERIFY quota hint=9000 same=2 unchanged", "wait"},
    {"a known time, unrepeatable", "careful VERIFY quota hint=9000 same=2 unchanged unrepeatable",
     "wait"},
};

START_TEST(test_careful_repeats_what_may_pass)
{
    check_row(&careful[_i]);
}
END_TEST

/* With loops "off", equal results end nothing, and all other ends stay. */
static const struct row off[] = {
    {"a window", "research off used=2 same=3", "wait"},
    {"over steps", "same_stops=2 off same=2", "wait"},
    {"the same, unchanged", "careful VERIFY off same=2 unchanged", "wait"},
    {"a threshold that the plan sets", "off stuck", "entropy detected"},
    {"used up", "research off used=3 same=3", "max retries exceeded"},
    {"out of time", "research off same=3 deadline=1", "deadline"},
    {"the agent's own loop guard", "careful off loop", "entropy detected"},
};

START_TEST(test_off_lets_no_equal_results_end_a_step)
{
    struct given given;
    struct decision decision;
    struct decision_inputs inputs = {0};
    struct str why = {0};
    check_row(&off[_i]);
    read_facts(&given, off[_i].facts);
    protocol_decide(&given.facts, &decision);
    protocol_inputs(&given.facts, &decision, &why, &inputs);
    ck_assert_int_eq(inputs.window, 0);
    ck_assert_int_eq(inputs.same, 0);
    str_done(&why);
}
END_TEST

/* How the attempt of an agent may end. */
static const struct row transport[] = {
    {"connection error, or a rate limit", "transport allowed=4 transient", "wait"},
    {"the agent's program is missing", "transport allowed=4 not-started", "failed"},
    {"output that is not JSON, or an unknown error", "transport allowed=4", "failed"},
    {"its time was up", "transport allowed=4 timeout transient", "failed"},
};

START_TEST(test_E2_transport_tries_again_on_connection_and_process_errors_only)
{
    check_row(&transport[_i]);
}
END_TEST

/* A wait on a hint would be free, but the policy gives one attempt and no more. */
static const struct row single[] = {
    {"repeatable", "transient hint=9000 allowed=1", "wait"},
    {"unrepeatable", "transient hint=9000 allowed=1 unrepeatable", "transient exhausted"},
};

START_TEST(test_A11_what_cannot_be_repeated_gets_no_free_wait)
{
    check_row(&single[_i]);
}
END_TEST

/* The wait of 500 ms begins at 2000; the first start was at 1000. */
static const struct row deadlines[] = {
    {"none", "deadline=0", "wait"},
    {"just within", "deadline=1500", "wait"},
    {"just past", "deadline=1499", "deadline"},
    {"long past", "deadline=1", "deadline"},
};

START_TEST(test_deadline_is_kept_before_the_wait)
{
    check_row(&deadlines[_i]);
}
END_TEST

/* What the log keeps of a decision on the second of three attempts of a GREEN step, 900 ms after
 * its start. */
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
     .want = "\"policy\":\"default\",\"base_ms\":500,\"multiplier\":2,\"cap_ms\":30000,"
             "\"used\":2,\"allowed\":3}"},
    {.name = "full jitter on a hint",
     .kind = DECISION_WAIT,
     .jitter = POLICY_JITTER_FULL,
     .free_hints = 1,
     .want = "\"policy\":\"default\",\"base_ms\":500,\"multiplier\":2,\"cap_ms\":30000,"
             "\"full_jitter\":true,\"used\":2,\"allowed\":3,"
             "\"hint_cap_ms\":21600000,\"free_hints\":1}"},
    {.name = "an end",
     .kind = DECISION_FAILED,
     .same = 2,
     .hint_ms = -1,
     .want = "\"policy\":\"default\",\"phase\":\"GREEN\",\"used\":2,\"allowed\":3}"},
    {.name = "results in a row",
     .kind = DECISION_ENTROPY,
     .window = 2,
     .same = 2,
     .hint_ms = -1,
     .want = "\"policy\":\"default\",\"phase\":\"GREEN\",\"used\":2,\"allowed\":3,\"sa"
             "me\":2,\"window\":2}"},
    {.name = "equal results over steps",
     .kind = DECISION_ENTROPY,
     .same_stops = 2,
     .same = 2,
     .hint_ms = -1,
     .want = "\"policy\":\"default\",\"phase\":\"GREEN\",\"used\":2,\"allowed\":3,\"sa"
             "me\":2,\"same_stops\":2}"},
    {.name = "a deadline",
     .kind = DECISION_DEADLINE,
     .deadline_ms = 1,
     .held_ms = 1,
     .interrupted = 1,
     .hint_ms = -1,
     .want = "\"policy\":\"default\",\"phase\":\"GREEN\",\"used\":2,\"allowed\":3,"
             "\"deadline_ms\":1,\"since_start_ms\":900,\"held_ms\":1,\"interrupted\":1}"},
};

START_TEST(test_inputs_of_a_decision_are_kept)
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
    struct decision decision = {
        .kind = inputs[_i].kind,
        .delay = {.retry_number = 2, .factor = 1, .hint_ms = inputs[_i].hint_ms}};
    struct str why = {0};
    struct str out = {0};
    struct event event =
        event_new(decision.kind == DECISION_WAIT ? EVENT_WAIT_STARTED : EVENT_STEP_ENDED);
    protocol_inputs(&facts, &decision, &why,
                    decision.kind == DECISION_WAIT ? &event.wait.inputs : &event.step_ended.inputs);
    event_write(&event, &out);
    const char *inputs_at = strstr(str_text(&out), "\"policy\":");
    ck_assert_ptr_nonnull(inputs_at);
    ck_assert_msg(strcmp(inputs_at, inputs[_i].want) == 0, "%s: %s", inputs[_i].name, inputs_at);
    str_done(&out);
    str_done(&why);
}
END_TEST

/* Names are in logs, on screens and in scripts. */
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

static const struct {
    enum phase phase;
    const char *name;
    char letter;
} phases[] = {
    {PHASE_RED, "RED", 'R'},
    {PHASE_GREEN, "GREEN", 'G'},
    {PHASE_VERIFY, "VERIFY", 'V'},
    {PHASE_REFACTOR, "REFACTOR", 'F'},
};

static const char *const strangers[] = {"", "red", "Red", "REDD", "RE", "REFACTO", " RED", "BLUE"};

START_TEST(test_name_and_letter_of_a_phase)
{
    enum phase parsed = PHASE_COUNT;
    ck_assert_int_eq(TABLE_LEN(phases), PHASE_COUNT);
    ck_assert_int_eq((int)phases[_i].phase, _i);
    ck_assert_str_eq(phase_name(phases[_i].phase), phases[_i].name);
    ck_assert_int_eq(phase_letter(phases[_i].phase), phases[_i].letter);
    ck_assert(phase_parse(phases[_i].name, &parsed));
    ck_assert_int_eq((int)parsed, _i);
}
END_TEST

START_TEST(test_an_unknown_phase_leaves_the_output_alone)
{
    enum phase parsed = PHASE_VERIFY;
    ck_assert(!phase_parse(strangers[_i], &parsed));
    ck_assert_int_eq((int)parsed, PHASE_VERIFY);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("protocol");
    TCase *tcase = test_case(suite, "decisions");
    tcase_add_loop_test(tcase, test_decision_table, 0, TABLE_LEN(rows));
    tcase_add_test(tcase, test_records_of_a_decision_are_in_range);
    tcase_add_loop_test(tcase, test_own_retries_of_an_agent_count_like_attempts, 0,
                        TABLE_LEN(own_retries));
    tcase_add_loop_test(tcase, test_C4_a_rung_ends_the_step, 0, TABLE_LEN(rungs));
    tcase_add_test(tcase, test_an_agents_own_loop_guard_ends_the_step_like_ours);
    tcase_add_loop_test(tcase, test_C4_a_window_grows_with_its_scale, 0, TABLE_LEN(scales));
    tcase_add_loop_test(tcase, test_careful_repeats_what_may_pass, 0, TABLE_LEN(careful));
    tcase_add_loop_test(tcase, test_off_lets_no_equal_results_end_a_step, 0, TABLE_LEN(off));
    tcase_add_loop_test(tcase, test_E2_transport_tries_again_on_connection_and_process_errors_only,
                        0, TABLE_LEN(transport));
    tcase_add_loop_test(tcase, test_A11_what_cannot_be_repeated_gets_no_free_wait, 0,
                        TABLE_LEN(single));
    tcase_add_loop_test(tcase, test_deadline_is_kept_before_the_wait, 0, TABLE_LEN(deadlines));
    tcase_add_loop_test(tcase, test_inputs_of_a_decision_are_kept, 0, TABLE_LEN(inputs));
    TCase *texts = test_case(suite, "names");
    tcase_add_test(texts, test_names_of_decisions);
    tcase_add_loop_test(texts, test_name_and_letter_of_a_phase, 0, TABLE_LEN(phases));
    tcase_add_loop_test(texts, test_an_unknown_phase_leaves_the_output_alone, 0,
                        TABLE_LEN(strangers));
    return suite;
}
