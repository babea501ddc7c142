#include <string.h>

#include "event_text.h"
#include "plan.h"
#include "policy.h"
#include "shown.h"
#include "test_main.h"

static const struct {
    const char *session, *words;
} sessions[] = {
    {"83ca3d6e-1111-4222-8333-444455556666", "83ca3d6e"},
    {"ses_e04481003ffeqKkRapYd8zJji4", "ses_e04481003ffeqKkRapYd8zJji4"},
    {"p1", "p1"},
    {"01a20206-bb30", "01a20206-bb30"},
};

START_TEST(test_a_session_is_known_by_its_first_digits)
{
    struct str out = {0};
    shown_session(sessions[_i].session, &out);
    ck_assert_str_eq(str_text(&out), sessions[_i].words);
    str_done(&out);
}
END_TEST

static const struct {
    struct agent_used used;
    const char *words;
} uses[] = {
    {{0}, ""},
    {{.turns = 1, .calls = 1}, "1 turn, 1 call"},
    {{.turns = 12, .calls = 31, .cost_micro = 310000, .tokens = 9}, "12 turns, 31 calls, $0.31"},
    {{.turns = 2, .tokens = 1500}, "2 turns, 1500 tokens"},
    {{.cost_micro = 740, .own_retries = 1}, "$0.0007, 1 own retry"},
    {{.cost_micro = 7, .own_retries = 3}, "<$0.0001, 3 own retries"},
    {{.cost_micro = 12345678}, "$12.35"},
};

START_TEST(test_what_was_used_in_words)
{
    struct str out = {0};
    shown_used(&uses[_i].used, &out);
    ck_assert_str_eq(str_text(&out), uses[_i].words);
    str_done(&out);
}
END_TEST

static struct plan *plan;
static struct run_state state;
static struct str told; /* the words of the last event */

static void set_up(void)
{
    static const char text[] =
        "{\"version\": 1, \"name\": \"x\", \"idempotent\": true, \"budget\": {\"turns\": 50}, "
        "\"tasks\": ["
        "{\"id\": \"tax\", \"rounds\": 3, \"budget\": {\"cost_usd\": 2, \"calls\": 40},"
        " \"steps\": [{\"phase\": \"GREEN\", \"agent\": \"claude\", \"prompt\": \"go\"},"
        " {\"phase\": \"VERIFY\", \"run\": [\"make\", \"test\"]}]},"
        "{\"id\": \"plain\", \"steps\": [{\"phase\": \"GREEN\", \"run\": [\"true\"]}]}]}";
    struct violations violations = {0};
    ck_assert(plan_parse(text, strlen(text), &plan, &violations));
    violations_done(&violations);
    run_state_init(&state, plan, 1);
}

static void tear_down(void)
{
    str_done(&told);
    run_state_done(&state);
    plan_free(plan);
}

static void add(enum event_kind kind, int step, int64_t a, const char *text)
{
    int attempt = step < 0 ? 0 : (int)state.tasks[0].steps[step].attempt_count;
    if (kind == EVENT_ATTEMPT_STARTED)
        attempt++;
    struct event event = {.seq = state.last_seq + 1,
                          .at = {1000 + state.last_seq, 1000 + state.last_seq},
                          .kind = kind,
                          .task = kind == EVENT_RUN_STARTED ? -1 : 0,
                          .step = kind == EVENT_RUN_STARTED ? -1 : step,
                          .round = kind == EVENT_RUN_STARTED ? 0 : run_state_round(&state, 0),
                          .grant = run_state_round(&state, 0),
                          .attempt = attempt,
                          .a = a,
                          .text = text};
    struct err err = {0};
    if (kind == EVENT_ATTEMPT_ENDED)
        event.b = step;
    if (kind == EVENT_AGENT_USED) {
        event.b = 30;
        event.c = 1700000;
    }
    if (kind == EVENT_ROUND_STARTED) {
        event.c = step;
        event.d = 1;
    }
    ck_assert_msg(run_state_apply(&state, &event, &err), "%s", err.message);
    str_clear(&told);
    event_words(&state, &event, &told);
}

/* The words of the last event begin with these. */
static void want_told(const char *words)
{
    ck_assert_msg(strncmp(str_text(&told), words, strlen(words)) == 0, "%s", str_text(&told));
}

static void run_agent(void)
{
    add(EVENT_RUN_STARTED, -1, 1, NULL);
    add(EVENT_ATTEMPT_STARTED, 0, 1, NULL);
    add(EVENT_ATTEMPT_RUNNING, 0, 77, NULL);
    add(EVENT_AGENT_SESSION, 0, 0, "{\"agent\":\"claude\",\"session\":\"s1\"}");
    add(EVENT_AGENT_USED, 0, 9, NULL);
}

/* The check fails with exit 1 (its step's number). */
static void fail_check(void)
{
    add(EVENT_ATTEMPT_ENDED, 0, OUTCOME_EXIT, NULL);
    add(EVENT_STEP_ENDED, 0, DECISION_SUCCEEDED, NULL);
    add(EVENT_ATTEMPT_STARTED, 1, 1, NULL);
    add(EVENT_ATTEMPT_RUNNING, 1, 78, NULL);
    add(EVENT_ATTEMPT_ENDED, 1, OUTCOME_EXIT, NULL);
    add(EVENT_ATTEMPT_JUDGED, 1, VERDICT_PERSISTENT, NULL);
    add(EVENT_ROUND_STARTED, 1, 2, "{\"prompt\":\"make test failed\"}");
}

typedef void words_fn(const struct run_state *state, int task, struct str *out);

static void check(words_fn *words, int task, const char *want)
{
    struct str out = {0};
    words(&state, task, &out);
    ck_assert_str_eq(str_text(&out), want);
    str_done(&out);
}

START_TEST(test_an_agent_and_its_rounds_in_words)
{
    check(shown_agent, 0, "");
    run_agent();
    check(shown_agent, 0, "claude, session s1, 9 turns, 30 calls, $1.70");
    check(shown_round, 0, "1 of 3");
    check(shown_try, 0, "r1 1/4");
    fail_check();
    check(shown_agent, 0, "claude, session s1, 9 turns, 30 calls, $1.70");
    check(shown_round, 0, "2 of 3: check `make test` exit 1");
    check(shown_try, 0, "r2 0/4");
    check(shown_try_of, 0, "round 2 of 3");
    want_told("tax round 2 of 3: check `make test` exit 1");
    add(EVENT_ATTEMPT_STARTED, 0, 1, NULL);
    add(EVENT_ATTEMPT_RUNNING, 0, 79, NULL);
    check(shown_try, 0, "r2 1/4");
    check(shown_try_of, 0, "round 2 of 3, try 1 of 4");
    want_told("tax try 2 GREEN ");
    check(shown_agent, 1, "");
    check(shown_round, 1, "");
    check(shown_try, 1, "0/3");
}
END_TEST

/* Not every agent tells a session. */
START_TEST(test_an_agent_is_named_once_it_is_asked)
{
    add(EVENT_RUN_STARTED, -1, 1, NULL);
    check(shown_agent, 0, "");
    add(EVENT_ATTEMPT_STARTED, 0, 1, NULL);
    check(shown_agent, 0, "claude");
}
END_TEST

START_TEST(test_budgets_in_words)
{
    struct str out = {0};
    run_agent();
    const struct moment now = {9000, 9000};
    shown_budgets(&state, 0, &now, &out);
    ck_assert_str_eq(str_text(&out), "$1.70 of $2.00 (85 %), 30 of 40 calls (75 %)");
    str_clear(&out);
    shown_budgets(&state, -1, &now, &out);
    ck_assert_str_eq(str_text(&out), "9 of 50 turns (18 %)");
    str_clear(&out);
    shown_budgets(&state, 1, &now, &out);
    ck_assert_uint_eq(out.len, 0);
    str_done(&out);
}
END_TEST

/* In 72 columns. */
static void said(const struct run_state *of, int task, struct str *out)
{
    shown_said(of, task, 72, out);
}

static void check_claim(enum shown_claim want)
{
    ck_assert_str_eq(shown_claim_name(shown_claim(&state, 0)), shown_claim_name(want));
}

static void say(const char *text)
{
    add(EVENT_AGENT_CALL, 0, 1, text);
}

START_TEST(test_what_an_agent_says_is_no_claim_while_it_runs)
{
    run_agent();
    check_claim(SHOWN_CLAIM_NONE);
    say("{\"tool\":\"\",\"what\":\"All tests pass now.\"}");
    check_claim(SHOWN_CLAIM_NONE);
    check(said, 0, "");
    check(said, 1, "");
}
END_TEST

START_TEST(test_what_an_agent_said_is_proven_by_the_check_after_it)
{
    run_agent();
    say("{\"tool\":\"\",\"what\":\"All tests pass now.\"}");
    say("{\"tool\":\"Bash\",\"what\":\"make test\"}");
    add(EVENT_ATTEMPT_ENDED, 0, OUTCOME_EXIT, NULL);
    check_claim(SHOWN_CLAIM_UNCHECKED);
    check(said, 0, "\"All tests pass now.\"   not proven: no check has run since");
    add(EVENT_STEP_ENDED, 0, DECISION_SUCCEEDED, NULL);
    add(EVENT_ATTEMPT_STARTED, 1, 1, NULL);
    check(said, 0, "\"All tests pass now.\"   not proven yet: VERIFY runs");
    add(EVENT_ATTEMPT_ENDED, 1, OUTCOME_EXIT, NULL);
    add(EVENT_STEP_ENDED, 1, DECISION_SUCCEEDED, NULL);
    check_claim(SHOWN_CLAIM_PROVEN);
    check(said, 0, "\"All tests pass now.\"   proven by VERIFY");
}
END_TEST

START_TEST(test_what_an_agent_said_is_not_proven_where_the_check_after_it_failed)
{
    run_agent();
    say("{\"tool\":\"\",\"what\":\"I have fixed the rounding, and now all of the tests pass.\"}");
    fail_check();
    check_claim(SHOWN_CLAIM_REFUTED);
    check(said, 0,
          "\"I have fixed the rounding, and \u2026\"   not proven: VERIFY after it: exit 1");
    add(EVENT_ATTEMPT_STARTED, 0, 1, NULL); /* what it says now is another thing */
    check_claim(SHOWN_CLAIM_NONE);
    add(EVENT_ATTEMPT_ENDED, 0, OUTCOME_EXIT, NULL);
    check_claim(SHOWN_CLAIM_NONE);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shown_agent");
    TCase *tcase = test_case(suite, "words");
    tcase_add_loop_test(tcase, test_a_session_is_known_by_its_first_digits, 0, ARRAY_LEN(sessions));
    tcase_add_loop_test(tcase, test_what_was_used_in_words, 0, ARRAY_LEN(uses));
    tcase = test_case(suite, "state");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_an_agent_and_its_rounds_in_words);
    tcase_add_test(tcase, test_an_agent_is_named_once_it_is_asked);
    tcase_add_test(tcase, test_budgets_in_words);
    tcase_add_test(tcase, test_what_an_agent_says_is_no_claim_while_it_runs);
    tcase_add_test(tcase, test_what_an_agent_said_is_proven_by_the_check_after_it);
    tcase_add_test(tcase, test_what_an_agent_said_is_not_proven_where_the_check_after_it_failed);
    return suite;
}
