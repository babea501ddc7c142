#include "run_state.h"

#include <string.h>

#include "play.h"
#include "test_main.h"

#define PLAN                                                                                       \
    "{\"version\":1,\"idempotent\":true,\"tasks\":["                                               \
    "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"]},{\"phase\":\"VERIFY\",\"run\":[\"y\"]}]},"         \
    "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"]}]}]}"

static struct play play;

static void setup(void)
{
    play_open(&play, PLAN);
    play_start(&play, 1);
}

static void teardown(void)
{
    play_close(&play);
}

static struct event next_event(enum event_kind kind)
{
    return (struct event){
        .seq = play.state.last_seq + 1, .at = play.now, .kind = kind, .task = -1, .step = -1};
}

/* Events that cannot follow: each is refused and changes nothing. */
static const struct {
    const char *name;
    int64_t seq_off;
    enum event_kind kind;
    int task, step, attempt;
    int64_t a;
    const char *text;
} damaged[] = {
    {"the same seq again", -1, EVENT_NOTE, -1, -1, 0, 0, NULL},
    {"a gap", 1, EVENT_NOTE, -1, -1, 0, 0, NULL},
    {"no such task", 0, EVENT_TASK_HELD, 2, -1, 0, 0, NULL},
    {"no task where one is needed", 0, EVENT_TASK_HELD, -1, -1, 0, 0, NULL},
    {"no such step", 0, EVENT_ATTEMPT_STARTED, 0, 2, 1, 0, NULL},
    {"a step that is not the present one", 0, EVENT_STEP_ENDED, 0, 1, 0, 0, NULL},
    {"an attempt that never started", 0, EVENT_ATTEMPT_ENDED, 1, 0, 1, 0, NULL},
    {"an attempt that is not the latest", 0, EVENT_ATTEMPT_ENDED, 0, 0, 2, 0, NULL},
    {"an attempt number that jumps", 0, EVENT_ATTEMPT_STARTED, 0, 0, 3, 0, NULL},
    {"an outcome of no kind", 0, EVENT_ATTEMPT_ENDED, 0, 0, 1, OUTCOME_KIND_COUNT, NULL},
    {"a decision of no kind", 0, EVENT_STEP_ENDED, 0, 0, 1, -1, NULL},
    {"a new attempt while one runs", 0, EVENT_ATTEMPT_STARTED, 0, 0, 2, 0, NULL},
    {"a verdict before the end", 0, EVENT_ATTEMPT_JUDGED, 0, 0, 1, 0, NULL},
    {"the end of a wait that is not", 0, EVENT_WAIT_ENDED, 0, 0, 1, 0, NULL},
    {"a fresh grant for what goes on", 0, EVENT_STEP_REOPENED, 0, 0, 1, 2, NULL},
    {"a release of what nobody holds", 0, EVENT_TASK_RELEASED, 0, -1, 0, 0, NULL},
    {"a block of what runs", 0, EVENT_TASK_BLOCKED, 0, -1, 0, 1, NULL},
    {"a second start of the run", 0, EVENT_RUN_STARTED, -1, -1, 0, 2, NULL},
    {"a text that is not JSON", 0, EVENT_NOTE, -1, -1, 0, 0, "{"},
};

START_TEST(test_an_event_that_cannot_follow_is_refused)
{
    uint64_t before = run_state_digest(&play.state);
    struct event event = next_event(damaged[_i].kind);
    event.seq += damaged[_i].seq_off;
    event.task = damaged[_i].task;
    event.step = damaged[_i].step;
    event.attempt = damaged[_i].attempt;
    event.a = damaged[_i].a;
    event.text = damaged[_i].text;
    struct err err = {0};
    ck_assert_msg(!run_state_apply(&play.state, &event, &err), "%s", damaged[_i].name);
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_uint_eq(run_state_digest(&play.state), before);
}
END_TEST

START_TEST(test_an_unknown_kind_is_counted_and_skipped)
{
    struct run_state copy;
    struct err err = {0};
    run_state_init(&copy, play.plan, 7);
    struct event event = {.seq = 1, .at = play.now, .kind = (enum event_kind)999, .task = 77};
    ck_assert_msg(run_state_apply(&copy, &event, &err), "%s", err.message);
    ck_assert_int_eq(copy.unknown_events, 1);
    ck_assert_int_eq(copy.last_seq, 1);
    run_state_done(&copy);
}
END_TEST

START_TEST(test_counts_follow_the_states)
{
    ck_assert_int_eq(play.state.counts[TASK_RUNNING], 1);
    ck_assert_int_eq(play.state.counts[TASK_QUEUED], 1);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(play.state.counts[TASK_BACKOFF], 1);
    ck_assert_int_eq(play.state.counts[TASK_RUNNING], 0);
}
END_TEST

START_TEST(test_waits_add_up)
{
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_wait(&play, 700); /* due after 500 */
    ck_assert_int_eq(play.state.waited_ms, 700);
    ck_assert_int_eq(play.state.steps[0].attempts[1].waited_ms, 700);
}
END_TEST

START_TEST(test_attempts_keep_what_became_of_them)
{
    play_input(&play, (struct input){.kind = INPUT_RUNNING, .attempt = 1, .pid = 4711});
    struct verdict verdict = play_persistent(REASON_TEST_FAIL);
    (void)memcpy(verdict.match, "not ok 3", sizeof("not ok 3"));
    play_outcome(&play, "a",
                 (struct outcome){.kind = OUTCOME_EXIT,
                                  .code = 2,
                                  .ran_ms = 30,
                                  .bytes = {5, 6},
                                  .lines = {1, 2},
                                  .rss_kib_max = 900,
                                  .cpu_ms = 3},
                 verdict);
    const struct attempt_state *attempt = &play.state.steps[0].attempts[0];
    ck_assert_int_eq(attempt->pid, 4711);
    ck_assert_int_eq(attempt->outcome.code, 2);
    ck_assert_int_eq(attempt->outcome.bytes[1], 6);
    ck_assert_int_eq(attempt->outcome.lines[1], 2);
    ck_assert_int_eq(attempt->outcome.rss_kib_max, 900);
    ck_assert_int_eq(attempt->reason, REASON_TEST_FAIL);
    struct verdict kept;
    ck_assert_ptr_eq(step_state_verdict(&play.state.steps[0], &kept), &kept);
    ck_assert_int_eq(kept.reason, REASON_TEST_FAIL);
    ck_assert_str_eq(kept.match, "not ok 3");
    ck_assert_str_eq(kept.rule, "test.rule");
}
END_TEST

START_TEST(test_tries_are_what_can_still_come)
{
    ck_assert_int_eq(run_state_tries(&play.state, 0), 3);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(run_state_tries(&play.state, 0), 3);
    play_wait(&play, 500);
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_NOT_STARTED, .code = 11},
                 play_transient(TRANSIENT_RESOURCE_BUSY));
    ck_assert_int_eq(run_state_tries(&play.state, 0), 4); /* the start used up no try */
}
END_TEST

START_TEST(test_quiet_is_a_fact_that_passes)
{
    play_input(&play, (struct input){.kind = INPUT_QUIET, .attempt = 1, .quiet_ms = 60000});
    ck_assert(play.state.steps[0].quiet);
    ck_assert_int_eq(play.state.steps[0].heard_mono_ms, play.now.mono_ms - 60000);
    play_input(&play, (struct input){.kind = INPUT_HEARD, .attempt = 1});
    ck_assert(!play.state.steps[0].quiet);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("run_state");
    TCase *tcase = test_case(suite, "fold");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_an_event_that_cannot_follow_is_refused, 0, TABLE_LEN(damaged));
    tcase_add_test(tcase, test_an_unknown_kind_is_counted_and_skipped);
    tcase_add_test(tcase, test_counts_follow_the_states);
    tcase_add_test(tcase, test_waits_add_up);
    tcase_add_test(tcase, test_attempts_keep_what_became_of_them);
    tcase_add_test(tcase, test_tries_are_what_can_still_come);
    tcase_add_test(tcase, test_quiet_is_a_fact_that_passes);
    return suite;
}
