#include "run_state.h"

#include <string.h>

#include "event_text.h"
#include "play.h"
#include "test_main.h"

/* Three steps of one source and one of none, four at a time. */
static const char four[] = "{\"version\":1,\"idempotent\":true,\"tasks\":["
                           "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],\"source\":\"api\"}]},"
                           "{\"id\":\"b\",\"steps\":[{\"run\":[\"x\"],\"source\":\"api\"}]},"
                           "{\"id\":\"c\",\"steps\":[{\"run\":[\"x\"],\"source\":\"api\"}]},"
                           "{\"id\":\"free\",\"steps\":[{\"run\":[\"x\"]}]}]}";

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

START_TEST(test_limit_closes_the_source_for_all_its_steps)
{
    meet_limit(1);
    ck_assert_int_eq(gate()->status, GATE_CLOSED);
    ck_assert_int_eq(gate()->due.mono_ms, play.now.mono_ms + 20000);
    ck_assert_int_eq(started("b") + started("c"), 0);
    ck_assert_int_eq(started("free"), 1); /* a step of no source goes on */
    play_exit(&play, "free", 0, play_passed());
    play_wait(&play, 19999);
    ck_assert_int_eq(started("b"), 0);
}
END_TEST

START_TEST(test_one_probe_opens_it_and_the_rest_start_spread_out)
{
    meet_limit(4); /* b, c run already; they meet it too */
    play_exit(&play, "b", 1, limited(20000));
    play_exit(&play, "c", 1, limited(20000));
    ck_assert_int_eq(gate()->closed, 1); /* one limit, met three times */

    play_wait(&play, 20000);
    ck_assert_int_eq(gate()->status, GATE_PROBING);
    ck_assert_int_eq(gate()->probe, 0);
    ck_assert_int_eq(started("b") + started("c"), 2);
    play_wait(&play, 60000);
    ck_assert_int_eq(started("b") + started("c"), 2);

    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_count(&play, EVENT_GATE_OPENED, NULL), 1);
    ck_assert_int_eq(play_last(&play, EVENT_GATE_OPENED)->b, 2);
    ck_assert_int_eq(started("b"), 2);
    ck_assert_int_eq(started("c"), 1);
    ck_assert_int_eq(scheduler_next_due(&play.scheduler), play.now.mono_ms + 1000);
    play_wait(&play, 999);
    ck_assert_int_eq(started("c"), 1);
    play_wait(&play, 1);
    ck_assert_int_eq(started("c"), 2);
    ck_assert_int_eq(gate()->status, GATE_OPEN);
}
END_TEST

START_TEST(test_probe_that_is_limited_closes_it_again)
{
    meet_limit(1);
    play_exit(&play, "free", 0, play_passed());
    play_wait(&play, 20000);
    play_exit(&play, "a", 1, limited(30000));
    ck_assert_int_eq(gate()->status, GATE_CLOSED);
    ck_assert_int_eq(gate()->closed, 2);
    ck_assert_int_eq(gate()->due.mono_ms, play.now.mono_ms + 30000);
    ck_assert_int_eq(started("b"), 0);
}
END_TEST

/* A probe that failed for another reason has been let through. */
START_TEST(test_any_other_end_of_the_probe_opens_it)
{
    meet_limit(1);
    play_exit(&play, "free", 0, play_passed());
    play_wait(&play, 20000);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert_int_eq(play_count(&play, EVENT_GATE_OPENED, NULL), 1);
    ck_assert_int_eq(started("b"), 1);
}
END_TEST

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

START_TEST(test_retry_sends_the_task_as_the_probe)
{
    meet_limit(1);
    play_exit(&play, "free", 0, play_passed());
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 1);
    ck_assert_int_eq(started("c"), 1);
    ck_assert_int_eq(gate()->probe, 2);

    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP); /* its wait is skipped, but it lines up */
    ck_assert_int_eq(started("a"), 1);
    ck_assert_ptr_nonnull(strstr(play_last(&play, EVENT_CONTROL_ANSWERED)->text, "once c gets"));
}
END_TEST

/* `d` needs `free`, which runs: it stands in no line yet. */
static const char needy[] = "{\"version\":1,\"idempotent\":true,\"tasks\":["
                            "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],\"source\":\"api\"}]},"
                            "{\"id\":\"b\",\"steps\":[{\"run\":[\"x\"],\"source\":\"api\"}]},"
                            "{\"id\":\"c\",\"steps\":[{\"run\":[\"x\"],\"source\":\"api\"}]},"
                            "{\"id\":\"d\",\"needs\":[\"free\"],\"steps\":[{\"run\":[\"x\"],"
                            "\"source\":\"api\"}]},"
                            "{\"id\":\"free\",\"steps\":[{\"run\":[\"x\"]}]}]}";

static void meet_limit_of_needy(void)
{
    play_open(&play, needy);
    play_start(&play, 1);
    play_exit(&play, "a", 1, limited(20000));
}

static bool answers(bool done, const char *words)
{
    const struct event *answer = play_last(&play, EVENT_CONTROL_ANSWERED);
    return answer && (answer->b != 0) == done && strstr(answer->text, words);
}

START_TEST(test_retry_of_what_still_needs_another_leaves_the_gate)
{
    meet_limit_of_needy();
    int64_t due_ms = gate()->due.mono_ms;
    play_control(&play, CONTROL_HOLD, "d", CANCEL_STOP);
    play_control(&play, CONTROL_RETRY, "d", CANCEL_STOP);
    ck_assert(answers(true, "released; it needs free"));
    ck_assert_int_eq(play_count(&play, EVENT_GATE_CLOSED, NULL), 1);
    ck_assert_int_eq(gate()->due.mono_ms, due_ms);
    ck_assert_int_eq(gate()->chosen, -1);
}
END_TEST

/* `free` has the only slot: the one that is sent stands in line for it. */
START_TEST(test_the_sent_one_that_leaves_the_line_spends_no_limit)
{
    static const enum control_verb leave[] = {CONTROL_CANCEL, CONTROL_HOLD};
    struct str words = {0};
    meet_limit(1);
    int64_t due_ms = gate()->due.mono_ms;
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert_int_eq(gate()->chosen, 2);
    ck_assert_int_eq(play_last(&play, EVENT_GATE_CLOSED)->c, due_ms);
    ck_assert_int_eq(scheduler_next_due(&play.scheduler), due_ms); /* a's own wait */
    play_control(&play, leave[_i], "c", CANCEL_STOP);
    ck_assert_int_eq(gate()->chosen, -1);
    ck_assert_int_eq(gate()->due.mono_ms, due_ms);
    event_words(&play.state, play_last(&play, EVENT_GATE_CLOSED), &words);
    ck_assert_ptr_nonnull(strstr(str_text(&words), "c is sent"));
    str_done(&words);
    play_exit(&play, "free", 0, play_passed());
    ck_assert_int_eq(started("b"), 0);
    play_wait(&play, 20000);
    ck_assert_int_eq(gate()->probe, 0);
}
END_TEST

START_TEST(test_what_is_spread_starts_in_its_turn)
{
    meet_limit(1);
    play_exit(&play, "free", 0, play_passed());
    play_wait(&play, 20000);
    play_exit(&play, "a", 0, play_passed());
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert(answers(false, "it starts when its turn comes"));
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert_int_eq(started("c"), 0);
    /* What is said with it counts all the same. */
    const struct control hinted = {.id = 1,
                                   .verb = CONTROL_RETRY,
                                   .task = play_task(&play, "c"),
                                   .step = -1,
                                   .hint = "mind the rounding"};
    play_input(&play, (struct input){.kind = INPUT_CONTROL, .control = hinted});
    ck_assert(answers(true, "it starts when its turn comes; your hint is kept"));
    ck_assert_int_eq(started("c"), 0);
    ck_assert_str_eq(play.state.tasks[hinted.task].steps[0].hint->text, "mind the rounding");
}
END_TEST

/* What waits and is sent comes after the probe that is out; the answer says so. */
START_TEST(test_sent_one_behind_a_probe_starts_after_it)
{
    meet_limit(2);
    play_exit(&play, "b", 1, limited(30000));
    play_exit(&play, "free", 0, play_passed());
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert_int_eq(gate()->probe, 2);
    play_control(&play, CONTROL_SEND_ONE, "a", CANCEL_STOP);
    ck_assert(answers(true, "starts once c gets through: its source is limited; 0 that wait"));
}
END_TEST

START_TEST(test_what_has_passed_is_held_no_more)
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

/* Parked, but not for longer than the policy waits: the source is shut as well. */
START_TEST(test_usage_window_closes_the_source_too)
{
    play_open(&play, four);
    play_start(&play, 1);
    struct verdict verdict = play_persistent(REASON_QUOTA);
    verdict.retry_after_ms = 3600 * 1000;
    play_exit(&play, "a", 1, verdict);
    ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
    ck_assert_int_eq(gate()->status, GATE_CLOSED);
    ck_assert_int_eq(gate()->due.mono_ms, play.now.mono_ms + 3600 * 1000);
}
END_TEST

/* Seven hours are more than a policy waits: each finds out for itself, one by one. */
START_TEST(test_limit_beyond_the_cap_sends_one_after_the_other)
{
    play_open(&play, four);
    play_start(&play, 2);
    play_exit(&play, "a", 1, limited(7LL * 3600 * 1000));
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    ck_assert_int_eq(gate()->status, GATE_PROBING);
    ck_assert_int_eq(gate()->probe, 2); /* b was out already */
}
END_TEST

START_TEST(test_words_of_a_gate)
{
    struct str words = {0};
    meet_limit(1);
    event_words(&play.state, play_last(&play, EVENT_GATE_CLOSED), &words);
    ck_assert_str_eq(str_text(&words),
                     "a try 1/3 +1 GREEN rate limit of api: nothing starts there for 20 s");
    str_done(&words);
}
END_TEST

/* Three waits with one result, within a minute. */
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

static const char same[] = "{\"version\":1,\"idempotent\":true,\"policies\":{\"slow\":{\"like\":"
                           "\"default\",\"base_delay_ms\":30000}},\"tasks\":["
                           "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],\"policy\":\"slow\"}]},"
                           "{\"id\":\"b\",\"steps\":[{\"run\":[\"x\"],\"policy\":\"slow\"}]},"
                           "{\"id\":\"c\",\"steps\":[{\"run\":[\"x\"],\"policy\":\"slow\"}]},"
                           "{\"id\":\"d\",\"steps\":[{\"run\":[\"x\"],\"policy\":\"slow\"}]}]}";

static void share_a_fault(void)
{
    play_open(&play, same);
    play_start(&play, 4);
    fail_alike("c", 5);
    play_wait(&play, 1000);
    fail_alike("a", 5);
    fail_alike("d", 6);
    fail_alike("b", 5);
}

START_TEST(test_tasks_that_wait_alike_are_one_fault)
{
    struct fault faults[FAULTS_MAX];
    share_a_fault();
    ck_assert_int_eq(run_state_faults(&play.state, faults), 1);
    ck_assert_int_eq(faults[0].first, 0);
    ck_assert_int_eq(faults[0].count, 3);
    ck_assert_int_eq(faults[0].due_last.mono_ms - faults[0].due_first.mono_ms, 1000);
    ck_assert(fault_has(&faults[0], &play.state, 2));
    ck_assert(!fault_has(&faults[0], &play.state, 3));
}
END_TEST

START_TEST(test_two_tasks_are_no_common_fault)
{
    struct fault faults[FAULTS_MAX];
    share_a_fault();
    play_control(&play, CONTROL_CANCEL, "b", CANCEL_STOP);
    ck_assert_int_eq(run_state_faults(&play.state, faults), 0);
}
END_TEST

/* Begun at 0, 55 and 115 s: no minute holds all three, two are no common fault. */
START_TEST(test_a_fault_spans_a_minute_at_most)
{
    static const char slow[] =
        "{\"version\":1,\"idempotent\":true,\"policies\":{\"slow\":{\"like\":\"default\","
        "\"base_delay_ms\":300000,\"cap_ms\":300000}},\"policy\":\"slow\",\"tasks\":["
        "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"]}]},{\"id\":\"b\",\"steps\":[{\"run\":[\"x\"]}]},"
        "{\"id\":\"c\",\"steps\":[{\"run\":[\"x\"]}]}]}";
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

START_TEST(test_blocked_task_names_what_is_in_its_way_now)
{
    play_open(&play, "{\"version\":1,\"tasks\":["
                     "{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]},"
                     "{\"id\":\"b\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]},"
                     "{\"id\":\"c\",\"needs\":[\"a\",\"b\"],\"steps\":[{\"phase\":\"RED\","
                     "\"run\":[\"x\"]}]}]}");
    play_start(&play, 2);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_exit(&play, "b", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(play.state.tasks[2].blocked_by, 0);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    ck_assert_int_eq(play_status(&play, "c"), TASK_BLOCKED);
    ck_assert_int_eq(play.state.tasks[2].blocked_by, 1);
}
END_TEST

START_TEST(test_the_others_follow_the_one_that_was_sent)
{
    share_a_fault();
    play_control(&play, CONTROL_SEND_ONE, "b", CANCEL_STOP);
    ck_assert_int_eq(started("b"), 2);
    ck_assert_int_eq(play.state.follow_count, 2);
    ck_assert_int_eq(play.state.tasks[0].follows, 1);
    ck_assert_int_eq(play.state.tasks[3].follows, -1);
    play_wait(&play, 60000); /* their own waits are over, they stay */
    ck_assert_int_eq(started("a") + started("c"), 2);

    play_exit(&play, "b", 0, play_passed());
    ck_assert_int_eq(play.state.follow_count, 0);
    ck_assert_int_eq(play.state.held_count, 0);
    play_wait(&play, 999);
    ck_assert_int_eq(started("a"), 1);
    play_wait(&play, 1);
    ck_assert_int_eq(started("a"), 2);
    ck_assert_int_eq(started("c"), 1);
    play_wait(&play, 1000);
    ck_assert_int_eq(started("c"), 2);
}
END_TEST

/* Its step goes on failing: they stay until it is over, then take up their own waits. */
START_TEST(test_followers_wait_through_the_tries_of_their_leader)
{
    share_a_fault();
    play_control(&play, CONTROL_SEND_ONE, "b", CANCEL_STOP);
    play_exit(&play, "b", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    ck_assert_int_eq(play_status(&play, "b"), TASK_BACKOFF);
    ck_assert_int_eq(play.state.follow_count, 2);
    play_control(&play, CONTROL_CANCEL, "b", CANCEL_STOP);
    ck_assert_int_eq(play.state.follow_count, 0);
    play_wait(&play, 28999); /* a: 30 s from the start of its wait */
    ck_assert_int_eq(started("a"), 1);
    play_wait(&play, 1001);
    ck_assert_int_eq(started("a"), 2);
}
END_TEST

START_TEST(test_follower_can_be_sent_or_cancelled_by_itself)
{
    share_a_fault();
    play_control(&play, CONTROL_SEND_ONE, "b", CANCEL_STOP);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    ck_assert_int_eq(started("a"), 2);
    play_control(&play, CONTROL_CANCEL, "c", CANCEL_STOP);
    ck_assert_int_eq(play_status(&play, "c"), TASK_CANCELLED);
    ck_assert_int_eq(play.state.follow_count, 0);
    ck_assert_int_eq(play.state.held_count, 0);
}
END_TEST

START_TEST(test_send_one_is_for_what_waits)
{
    play_open(&play, same);
    play_start(&play, 4);
    play_control(&play, CONTROL_SEND_ONE, "a", CANCEL_STOP);
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 0);
    play_control(&play, CONTROL_SEND_ONE, NULL, CANCEL_STOP);
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 0);
}
END_TEST

static void correct(int step, int attempt)
{
    play_input(&play, (struct input){
                          .kind = INPUT_CONTROL,
                          .control = {.id = 2,
                                      .verb = CONTROL_CORRECT,
                                      .task = 0,
                                      .step = step,
                                      .attempt = attempt,
                                      .label = {.class = VERDICT_PERSISTENT, .reason = REASON_AUTH},
                                      .by = "ann"}});
}

START_TEST(test_corrected_class_stands_beside_the_verdict)
{
    share_a_fault();
    correct(0, 1);
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 1);
    const struct attempt_state *attempt = &play.state.tasks[0].steps[0].attempts[0];
    ck_assert_int_eq(attempt->class, VERDICT_TRANSIENT);
    ck_assert_ptr_nonnull(attempt->correction);
    ck_assert_int_eq(attempt->correction->label.reason, REASON_AUTH);
    ck_assert_str_eq(attempt->correction->by, "ann");
    ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF); /* nothing is decided anew */
}
END_TEST

static const struct {
    int step, attempt;
} nothing_to_correct[] = {{0, 2}, {1, 1}, {0, 99}};

START_TEST(test_correction_needs_an_attempt_that_is_over)
{
    share_a_fault();
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP); /* try 2 runs */
    correct(nothing_to_correct[_i].step, nothing_to_correct[_i].attempt);
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 0);
    ck_assert_int_eq(play_count(&play, EVENT_CLASS_CORRECTED, NULL), 0);
}
END_TEST

static void add_gate_tests(Suite *suite)
{
    TCase *tcase = test_case(suite, "gate");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_limit_closes_the_source_for_all_its_steps);
    tcase_add_test(tcase, test_one_probe_opens_it_and_the_rest_start_spread_out);
    tcase_add_test(tcase, test_probe_that_is_limited_closes_it_again);
    tcase_add_test(tcase, test_any_other_end_of_the_probe_opens_it);
    tcase_add_loop_test(tcase, test_probe_whose_end_says_nothing_sends_the_next, 0,
                        TABLE_LEN(unseen));
    tcase_add_test(tcase, test_retry_sends_the_task_as_the_probe);
    tcase_add_test(tcase, test_retry_of_what_still_needs_another_leaves_the_gate);
    tcase_add_loop_test(tcase, test_the_sent_one_that_leaves_the_line_spends_no_limit, 0, 2);
    tcase_add_test(tcase, test_what_has_passed_is_held_no_more);
    tcase_add_test(tcase, test_spreading_ends_with_its_line);
    tcase_add_test(tcase, test_what_is_spread_starts_in_its_turn);
    tcase_add_test(tcase, test_sent_one_behind_a_probe_starts_after_it);
    tcase_add_test(tcase, test_held_task_is_no_probe);
    tcase_add_test(tcase, test_usage_window_closes_the_source_too);
    tcase_add_test(tcase, test_limit_beyond_the_cap_sends_one_after_the_other);
    tcase_add_test(tcase, test_words_of_a_gate);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("gate");
    add_gate_tests(suite);
    TCase *fault = test_case(suite, "fault");
    tcase_add_checked_fixture(fault, NULL, teardown);
    tcase_add_test(fault, test_tasks_that_wait_alike_are_one_fault);
    tcase_add_test(fault, test_two_tasks_are_no_common_fault);
    tcase_add_loop_test(fault, test_a_fault_spans_a_minute_at_most, 0, 2);
    tcase_add_test(fault, test_blocked_task_names_what_is_in_its_way_now);
    tcase_add_test(fault, test_the_others_follow_the_one_that_was_sent);
    tcase_add_test(fault, test_followers_wait_through_the_tries_of_their_leader);
    tcase_add_test(fault, test_follower_can_be_sent_or_cancelled_by_itself);
    tcase_add_test(fault, test_send_one_is_for_what_waits);
    TCase *class = test_case(suite, "class");
    tcase_add_checked_fixture(class, NULL, teardown);
    tcase_add_test(class, test_corrected_class_stands_beside_the_verdict);
    tcase_add_loop_test(class, test_correction_needs_an_attempt_that_is_over, 0,
                        TABLE_LEN(nothing_to_correct));
    return suite;
}
