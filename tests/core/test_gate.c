/* Gates and common faults: answers to a person, and cases that data/scenes does not have. */
#include "run_state.h"

#include <string.h>

#include "event_text.h"
#include "play.h"
#include "test_main.h"

/* Three steps of one source and one of none, four at a time. */
static const char four[] = "{'version':1,'idempotent':true,'tasks':["
                           "{'id':'a','steps':[{'run':['x'],'source':'api'}]},"
                           "{'id':'b','steps':[{'run':['x'],'source':'api'}]},"
                           "{'id':'c','steps':[{'run':['x'],'source':'api'}]},"
                           "{'id':'free','steps':[{'run':['x']}]}]}";

static struct play play;

static void teardown(void)
{
    play_close(&play);
}

static struct verdict limited(int64_t retry_after_ms)
{
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    verdict.retry_after_ms = retry_after_ms;
    return verdict;
}

static const struct gate_state *gate(void)
{
    return &play.state.gates[0];
}

/* One at a time: `a` meets a limit of 20 s, the others have not started. */
static void meet_limit(int jobs)
{
    play_open(&play, four);
    play_start(&play, jobs);
    play_exit(&play, "a", 1, limited(20000));
}

static int started(const char *task)
{
    return play_count(&play, EVENT_ATTEMPT_STARTED, task);
}

static const enum outcome_kind unseen[] = {OUTCOME_CANCELLED, OUTCOME_TIMEOUT, OUTCOME_SIGNAL,
                                           OUTCOME_NOT_STARTED};

START_TEST(test_probe_whose_end_says_nothing_sends_the_next)
{
    meet_limit(1);
    play_exit(&play, "free", 0, play_passed());
    play_wait(&play, 20000);
    play_outcome(&play, "a", (struct outcome){.kind = unseen[_i], .code = 11},
                 play_persistent(REASON_NONE));
    ck_assert_int_eq(gate()->status, GATE_PROBING);
    ck_assert_int_eq(gate()->probe, 1);
    ck_assert_int_eq(gate()->closed, 1);
}
END_TEST

/* `d` needs `free`, which runs: it is not in the line yet. */
static const char needy[] = "{'version':1,'idempotent':true,'tasks':["
                            "{'id':'a','steps':[{'run':['x'],'source':'api'}]},"
                            "{'id':'b','steps':[{'run':['x'],'source':'api'}]},"
                            "{'id':'c','steps':[{'run':['x'],'source':'api'}]},"
                            "{'id':'d','needs':['free'],'steps':[{'run':['x'],'source':'api'}]},"
                            "{'id':'free','steps':[{'run':['x']}]}]}";

static bool answers(bool done, const char *words)
{
    const struct event *answer = play_last(&play, EVENT_CONTROL_ANSWERED);
    return answer && answer->answered.done == done && strstr(answer->answered.answer, words);
}

START_TEST(test_retry_of_what_still_needs_another_leaves_the_gate)
{
    play_open(&play, needy);
    play_start(&play, 1);
    play_exit(&play, "a", 1, limited(20000));
    int64_t due_ms = gate()->due.mono_ms;
    play_control(&play, CONTROL_HOLD, "d", CANCEL_STOP);
    play_control(&play, CONTROL_RETRY, "d", CANCEL_STOP);
    ck_assert(answers(true, "released; it still needs free"));
    ck_assert_int_eq(play_count(&play, EVENT_GATE_CLOSED, NULL), 1);
    ck_assert_int_eq(gate()->due.mono_ms, due_ms);
    ck_assert_int_eq(gate()->chosen, -1);
}
END_TEST

/* `free` has the only slot: the task that is sent waits for it. */
START_TEST(test_the_sent_one_that_leaves_the_line_spends_no_limit)
{
    static const enum control_verb leave[] = {CONTROL_CANCEL, CONTROL_HOLD};
    struct str words = {0};
    meet_limit(1);
    int64_t due_ms = gate()->due.mono_ms;
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert_int_eq(gate()->chosen, 2);
    ck_assert_int_eq(play_last(&play, EVENT_GATE_CLOSED)->gate_closed.due.mono_ms, due_ms);
    ck_assert_int_eq(scheduler_next_due(&play.scheduler), due_ms); /* a's own wait */
    play_control(&play, leave[_i], "c", CANCEL_STOP);
    ck_assert_int_eq(gate()->chosen, -1);
    ck_assert_int_eq(gate()->due.mono_ms, due_ms);
    event_words(&play.state, play_last(&play, EVENT_GATE_CLOSED), &words);
    ck_assert_ptr_nonnull(strstr(str_text(&words), "c sent"));
    str_done(&words);
    play_exit(&play, "free", 0, play_passed());
    ck_assert_int_eq(started("b"), 0);
    play_wait(&play, 20000);
    ck_assert_int_eq(gate()->probe, 0);
}
END_TEST

START_TEST(test_tasks_behind_an_opening_gate_start_in_turn)
{
    meet_limit(1);
    play_exit(&play, "free", 0, play_passed());
    play_wait(&play, 20000);
    play_exit(&play, "a", 0, play_passed());
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert(answers(false, "it starts when its turn comes"));
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert_int_eq(started("c"), 0);
    /* The hint given with it is kept anyway. */
    const struct control hinted = {.id = 1,
                                   .verb = CONTROL_RETRY,
                                   .task = play_task(&play, "c"),
                                   .step = -1,
                                   .hint = "mind the rounding"};
    play_input(&play, (struct input){.kind = INPUT_CONTROL, .control = hinted});
    ck_assert(answers(true, "it starts when its turn comes; your hint is only kept"));
    ck_assert_int_eq(started("c"), 0);
    ck_assert_str_eq(play.state.tasks[hinted.task].steps[0].hint->text, "mind the rounding");
}
END_TEST

/* A waiting task that is sent starts after the present probe, and the answer says so. */
START_TEST(test_sent_one_behind_a_probe_starts_after_it)
{
    meet_limit(2);
    play_exit(&play, "b", 1, limited(30000));
    play_exit(&play, "free", 0, play_passed());
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert_int_eq(gate()->probe, 2);
    play_control(&play, CONTROL_SEND_ONE, "a", CANCEL_STOP);
    ck_assert(answers(true, "starts once c gets through: the source is rate-limited; 0 tasks"));
}
END_TEST

START_TEST(test_a_task_that_passed_is_no_longer_held)
{
    meet_limit(1); /* `free` runs */
    play_control(&play, CONTROL_HOLD, "free", CANCEL_STOP);
    play_exit(&play, "free", 0, play_passed());
    ck_assert(!play.state.tasks[3].held);
    ck_assert_int_eq(play.state.held_count, 0);
    play_control(&play, CONTROL_RELEASE, "free", CANCEL_STOP);
    ck_assert(answers(false, "it is not held"));
}
END_TEST

START_TEST(test_spreading_ends_with_its_line)
{
    meet_limit(1);
    play_exit(&play, "free", 0, play_passed());
    play_wait(&play, 20000);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(started("b"), 1);
    ck_assert_int_eq(gate()->status, GATE_SPREADING);
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    ck_assert_int_eq(gate()->status, GATE_OPEN);
}
END_TEST

START_TEST(test_held_task_is_no_probe)
{
    meet_limit(1);
    play_exit(&play, "free", 0, play_passed());
    play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    play_control(&play, CONTROL_HOLD, "b", CANCEL_STOP);
    play_wait(&play, 20000);
    ck_assert_int_eq(gate()->probe, 2);
    play_control(&play, CONTROL_RELEASE, "b", CANCEL_STOP);
    ck_assert_int_eq(started("b"), 0);
    play_exit(&play, "c", 0, play_passed());
    ck_assert_int_eq(started("b"), 1);
}
END_TEST

START_TEST(test_words_of_a_gate)
{
    struct str words = {0};
    meet_limit(1);
    event_words(&play.state, play_last(&play, EVENT_GATE_CLOSED), &words);
    ck_assert_str_eq(str_text(&words),
                     "a try 1/3 +1 GREEN rate limit of api: nothing starts for 20 s");
    str_done(&words);
}
END_TEST

static void fail_alike(const char *task, uint64_t print)
{
    int number = play_task(&play, task);
    play_input(&play, (struct input){.kind = INPUT_ENDED,
                                     .task = number,
                                     .step = 0,
                                     .attempt = 1,
                                     .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                     .verdict = play_transient(TRANSIENT_NETWORK_TIMEOUT),
                                     .fingerprint = {.hi = print, .lo = 1}});
}

/* Begun at 0, 55 and 115 s: no minute holds all three, two are no common fault. */
START_TEST(test_a_fault_spans_a_minute_at_most)
{
    static const char slow[] =
        "{'version':1,'idempotent':true,'policies':{'slow':{'like':'default',"
        "'base_delay_ms':300000,'cap_ms':300000}},'policy':'slow','tasks':["
        "{'id':'a','steps':[{'run':['x']}]},{'id':'b','steps':[{'run':['x']}]},"
        "{'id':'c','steps':[{'run':['x']}]}]}";
    struct fault faults[FAULTS_MAX];
    play_open(&play, slow);
    play_start(&play, 4);
    fail_alike("a", 5);
    play_wait(&play, 55000);
    fail_alike("b", 5);
    play_wait(&play, _i == 0 ? 60000 : 5000);
    fail_alike("c", 5);
    ck_assert_int_eq(run_state_faults(&play.state, faults), _i);
    ck_assert(run_state_waits_alike(&play.state, 1, 2));
    ck_assert(run_state_waits_alike(&play.state, 0, 2) == (_i == 1));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gate");
    TCase *tcase = test_case(suite, "gate");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_loop_test(tcase, test_probe_whose_end_says_nothing_sends_the_next, 0,
                        TABLE_LEN(unseen));
    tcase_add_test(tcase, test_retry_of_what_still_needs_another_leaves_the_gate);
    tcase_add_loop_test(tcase, test_the_sent_one_that_leaves_the_line_spends_no_limit, 0, 2);
    tcase_add_test(tcase, test_a_task_that_passed_is_no_longer_held);
    tcase_add_test(tcase, test_spreading_ends_with_its_line);
    tcase_add_test(tcase, test_tasks_behind_an_opening_gate_start_in_turn);
    tcase_add_test(tcase, test_sent_one_behind_a_probe_starts_after_it);
    tcase_add_test(tcase, test_held_task_is_no_probe);
    tcase_add_test(tcase, test_words_of_a_gate);
    TCase *fault = test_case(suite, "fault");
    tcase_add_checked_fixture(fault, NULL, teardown);
    tcase_add_loop_test(fault, test_a_fault_spans_a_minute_at_most, 0, 2);
    return suite;
}
