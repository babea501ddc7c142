#include "attempt_internal.h"

#include <string.h>

#include "fingerprint.h"
#include "log_sample.h"
#include "plan.h"
#include "test_main.h"

static const char text[] =
    "{\"version\":1,\"idempotent\":true,\"tasks\":[{\"id\":\"a\",\"steps\":["
    "{\"run\":[\"x\"],\"policy\":{\"like\":\"research\",\"base_delay_ms\":0,\"max_attempts\":9}},"
    "{\"run\":[\"y\"]}]}]}";

static struct plan *plan;
static struct run_state state;
static struct scheduler scheduler;
static struct turn turn;
static struct gains gains;
static struct moment now = {.at_ms = 1000, .mono_ms = 1000};

static void take(struct input input)
{
    now.at_ms++;
    now.mono_ms++;
    input.now = now;
    turn_clear(&turn);
    gains_clear(&gains);
    scheduler_step(&scheduler, &input, &turn);
    gains_collect(&gains, &turn);
}

static void setup(void)
{
    struct violations violations = {0};
    ck_assert(plan_parse(text, strlen(text), &plan, &violations));
    violations_done(&violations);
    run_state_init(&state, plan, 1);
    scheduler = (struct scheduler){.state = &state};
    call_digester_open(&scheduler.calls, "/", NULL);
    gains_init(&gains, &state, NULL);
    take((struct input){.kind = INPUT_START, .jobs = 1});
}

static void teardown(void)
{
    gains_done(&gains);
    turn_done(&turn);
    call_digester_close(scheduler.calls);
    run_state_done(&state);
    plan_free(plan);
}

/* The running attempt ends so, having written something. */
static void end_with(enum verdict_class class, uint64_t content)
{
    const struct entropy_end end = {.failed = class != VERDICT_SUCCESS};
    const struct attempt_state *attempt = step_state_attempt(run_state_step(&state, 0));
    struct input input = {.kind = INPUT_ENDED,
                          .step = run_state_step_number(&state, 0),
                          .attempt = attempt->number,
                          .outcome = {.code = class == VERDICT_SUCCESS ? 0 : 1},
                          .verdict = verdict_new(),
                          .fingerprint = {.hi = content, .lo = 1},
                          .has_fact = true};
    entropy_memory_begin_attempt(gains_memory(&gains, 0), attempt->call);
    entropy_memory_end(gains_memory(&gains, 0), &end, &input.fact);
    input.verdict.class = class;
    take(input);
}

START_TEST(test_a_task_that_goes_on_is_saved)
{
    end_with(VERDICT_PERSISTENT, 1);
    ck_assert_uint_eq(gains.row_count, 1);
    const struct log_gain *row = &gains.rows[0];
    ck_assert_int_eq(row->task, 0);
    ck_assert_int_eq(row->step, 0);
    ck_assert_int_eq(row->attempt, 1);
    ck_assert_uint_gt(row->len, 0);

    struct entropy_memory *other = NULL;
    struct err err = {0};
    entropy_memory_open(&other, &plan->loops);
    ck_assert_msg(entropy_memory_load(other, row->bytes, row->len, &err), "%s", err.message);
    entropy_memory_close(other);
}
END_TEST

START_TEST(test_so_is_one_that_goes_on_with_its_next_step)
{
    end_with(VERDICT_SUCCESS, 1);
    ck_assert_uint_eq(gains.row_count, 1);
    ck_assert_ptr_nonnull(gains.rows[0].bytes);
}
END_TEST

START_TEST(test_a_task_that_is_over_is_forgotten)
{
    end_with(VERDICT_SUCCESS, 1);
    end_with(VERDICT_SUCCESS, 2);
    ck_assert_int_eq(state.tasks[0].status, TASK_PASSED);
    ck_assert_uint_eq(gains.row_count, 1);
    ck_assert_ptr_null(gains.rows[0].bytes);
    ck_assert_ptr_null(gains_find(&gains, 0));
}
END_TEST

/* Nothing was saved of it: there is no row to take away. */
START_TEST(test_what_was_never_saved_leaves_no_row)
{
    (void)gains_memory(&gains, 0);
    take((struct input){.kind = INPUT_CONTROL,
                        .control = {.verb = CONTROL_CANCEL, .task = 0, .step = -1, .by = "ann"}});
    end_with(VERDICT_PERSISTENT, 1);
    ck_assert_int_eq(state.tasks[0].status, TASK_CANCELLED);
    ck_assert_uint_eq(gains.row_count, 0);
    ck_assert_ptr_null(gains_find(&gains, 0));
}
END_TEST

/* Of what did not end by itself there is no fact, and nothing new to keep. */
START_TEST(test_an_interruption_is_not_saved)
{
    const struct attempt_state *attempt = step_state_attempt(run_state_step(&state, 0));
    entropy_memory_begin_attempt(gains_memory(&gains, 0), attempt->call);
    struct input input = {.kind = INPUT_ENDED,
                          .attempt = attempt->number,
                          .outcome = {.kind = OUTCOME_INTERRUPTED},
                          .verdict = verdict_new()};
    input.verdict.class = VERDICT_TRANSIENT;
    take(input);
    ck_assert_int_eq(state.tasks[0].steps[0].attempts[0].outcome.kind, OUTCOME_INTERRUPTED);
    ck_assert_uint_eq(gains.row_count, 0);
}
END_TEST

/* Nobody goes on once the run has ended. */
START_TEST(test_the_end_of_the_run_takes_the_rows_away)
{
    for (int i = 0; i < 3; i++) {
        end_with(VERDICT_PERSISTENT, 1);
        if (i < 2)
            take((struct input){.kind = INPUT_TIME});
    }
    ck_assert(state.ended);
    ck_assert_uint_eq(gains.row_count, 2);
    ck_assert_ptr_nonnull(gains.rows[0].bytes);
    ck_assert_ptr_null(gains.rows[1].bytes);
}
END_TEST

START_TEST(test_one_that_failed_may_be_retried)
{
    const struct entropy_memory *memory = gains_memory(&gains, 0);
    struct input input = {
        .kind = INPUT_ENDED, .attempt = 1, .outcome = {.code = 1}, .verdict = verdict_new()};
    input.verdict.class = VERDICT_PERSISTENT;
    input.verdict.ask = true;
    take(input);
    ck_assert_int_eq(state.tasks[0].status, TASK_NEEDS_YOU);
    ck_assert_ptr_eq(gains_find(&gains, 0), memory);
}
END_TEST

START_TEST(test_a_stuck_one_may_go_on)
{
    for (int i = 0; i < 3; i++) {
        end_with(VERDICT_PERSISTENT, 1);
        take((struct input){.kind = INPUT_TIME});
    }
    ck_assert_int_eq(state.tasks[0].status, TASK_STUCK);
    const struct entropy_memory *before = gains_find(&gains, 0);
    ck_assert_ptr_nonnull(before);
    take((struct input){.kind = INPUT_CONTROL,
                        .control = {.verb = CONTROL_RETRY, .task = 0, .step = -1, .by = "ann"}});
    ck_assert_int_eq(state.tasks[0].status, TASK_RUNNING);
    ck_assert_ptr_eq(gains_find(&gains, 0), before);
}
END_TEST

static const struct normaliser_line line = {.bytes = "3 is not 4",
                                            .len = 10,
                                            .general = "3 is not 4",
                                            .general_len = 10,
                                            .raw = "3 is not 4",
                                            .raw_len = 10};

/* A line of an attempt of this task: how much of its output is new. */
static int write_line(struct gains *of, int task)
{
    const struct entropy_end end = {.failed = true};
    struct entropy_fact fact;
    entropy_memory_begin_attempt(gains_memory(of, task), (struct digest){1, 1});
    entropy_memory_line(gains_memory(of, task), &line);
    entropy_memory_end(gains_memory(of, task), &end, &fact);
    return fact.new_permille;
}

static void end_attempt(struct gains *of, int task, int attempt)
{
    struct event event = {.kind = EVENT_ATTEMPT_ENDED, .task = task, .attempt = attempt};
    const struct turn ended = {.events = {.items = &event, .count = 1}};
    gains_collect(of, &ended);
}

static void commit(struct sample *sample, struct gains *of)
{
    const struct log_batch batch = {.gains = of->rows, .gain_count = of->row_count};
    struct err err = {0};
    ck_assert_msg(log_writer_commit(sample->writer, &batch, LOG_SYNC_NORMAL, &err), "%s",
                  err.message);
    gains_clear(of);
}

/* One attempt of each task has ended, and all go on. */
static void end_all(struct gains *of, int count)
{
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(write_line(of, i), 1000);
        end_attempt(of, i, 1);
    }
}

/* A message of its agent: one that it has not said before, or the same once more? */
static bool says_again(struct gains *of, int task)
{
    static const char words[] = "I look at the parser first, and then at its tests.";
    const struct entropy_end end = {0};
    struct entropy_fact fact;
    struct entropy_memory *calls = gains_calls(of, task);
    entropy_memory_begin_message(calls, words, strlen(words));
    entropy_memory_end(calls, &end, &fact);
    return (fact.bits & ENTROPY_ALIKE) != 0;
}

/* A line of a call of its agent: how much of it is new. */
static int call_line(struct gains *of, int task)
{
    const struct entropy_end end = {0};
    struct entropy_fact fact;
    struct entropy_memory *calls = gains_calls(of, task);
    entropy_memory_begin_call(calls, "make", NULL);
    entropy_memory_line(calls, &line);
    entropy_memory_end(calls, &end, &fact);
    return fact.new_permille;
}

enum { MANY = GAINS_KEPT_MAX + 10 };

START_TEST(test_calls_of_an_agent_are_known_apart_and_come_back_from_the_log)
{
    struct sample sample;
    struct place place = sample_place();
    struct gains many;
    sample_open(&sample, &place, MANY);
    gains_init(&many, &sample.state, sample.writer);
    ck_assert_int_eq(call_line(&many, 0), 1000);
    ck_assert_int_eq(call_line(&many, 0), 0);
    end_all(&many, MANY);
    commit(&sample, &many);

    ck_assert_ptr_null(gains_find(&many, 0));
    ck_assert_int_eq(call_line(&many, 0), 0);
    ck_assert_int_eq(write_line(&many, 0), 0);
    ck_assert_int_eq(call_line(&many, 1), 1000);
    ck_assert(!many.lost);
    gains_done(&many);
    sample_done(&sample);
}
END_TEST

START_TEST(test_new_session_knows_nothing_of_the_calls_before)
{
    struct sample sample;
    struct gains few;
    sample_init(&sample, 1);
    gains_init(&few, &sample.state, NULL);
    gains_forget_calls(&few, 0);
    ck_assert_int_eq(call_line(&few, 0), 1000);
    ck_assert(!says_again(&few, 0));
    ck_assert(says_again(&few, 0));
    gains_forget_calls(&few, 0);
    ck_assert_int_eq(call_line(&few, 0), 1000);
    ck_assert(!says_again(&few, 0));
    gains_done(&few);
    sample_done(&sample);
}
END_TEST

START_TEST(test_memories_of_many_that_wait_come_back_from_the_log)
{
    struct sample sample;
    struct place place = sample_place();
    struct gains many;
    sample_open(&sample, &place, MANY);
    gains_init(&many, &sample.state, sample.writer);
    end_all(&many, MANY);
    commit(&sample, &many);

    ck_assert_ptr_null(gains_find(&many, 0));
    ck_assert_ptr_nonnull(gains_find(&many, MANY - 1));
    ck_assert_int_eq(write_line(&many, 0), 0);
    ck_assert(!many.lost);
    ck_assert(!gains_has_samples(&many, 0));
    ck_assert(gains_has_samples(&many, MANY - 1));
    gains_done(&many);
    sample_done(&sample);
}
END_TEST

/* Tasks are counted, not attempts. */
START_TEST(test_one_that_fails_often_pushes_no_other_out)
{
    struct sample sample;
    struct gains many;
    sample_init(&sample, 3);
    gains_init(&many, &sample.state, NULL);
    end_all(&many, 3);
    for (int i = 0; i < MANY; i++)
        end_attempt(&many, 1, i + 2);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(gains_find(&many, i) != NULL, "task %d", i);
    ck_assert_int_eq(many.kept, 3);
    gains_done(&many);
    sample_done(&sample);
}
END_TEST

/* A commit went wrong: the row is of an earlier attempt than the one that was saved last. */
START_TEST(test_an_older_row_is_not_taken)
{
    struct sample sample;
    struct place place = sample_place();
    struct gains many;
    sample_open(&sample, &place, MANY);
    gains_init(&many, &sample.state, sample.writer);
    end_all(&many, 1);
    commit(&sample, &many);
    end_attempt(&many, 0, 2);
    gains_clear(&many);
    for (int i = 1; i < MANY; i++) {
        (void)gains_memory(&many, i);
        end_attempt(&many, i, 1);
    }
    ck_assert_ptr_null(gains_find(&many, 0));
    ck_assert_int_eq(write_line(&many, 0), 1000);
    ck_assert(many.lost);
    gains_done(&many);
    sample_done(&sample);
}
END_TEST

START_TEST(test_what_cannot_be_had_back_begins_anew_and_is_told)
{
    struct sample sample;
    struct gains many;
    sample_init(&sample, MANY);
    gains_init(&many, &sample.state, NULL);
    end_all(&many, MANY);
    ck_assert(!many.lost);
    ck_assert_int_eq(write_line(&many, 0), 1000);
    ck_assert(many.lost);
    gains_done(&many);
    sample_done(&sample);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gains");
    TCase *tcase = test_case(suite, "rows");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_a_task_that_goes_on_is_saved);
    tcase_add_test(tcase, test_so_is_one_that_goes_on_with_its_next_step);
    tcase_add_test(tcase, test_a_task_that_is_over_is_forgotten);
    tcase_add_test(tcase, test_what_was_never_saved_leaves_no_row);
    tcase_add_test(tcase, test_an_interruption_is_not_saved);
    tcase_add_test(tcase, test_the_end_of_the_run_takes_the_rows_away);
    tcase_add_test(tcase, test_one_that_failed_may_be_retried);
    tcase_add_test(tcase, test_a_stuck_one_may_go_on);
    TCase *log = test_case(suite, "log");
    tcase_add_test(log, test_calls_of_an_agent_are_known_apart_and_come_back_from_the_log);
    tcase_add_test(log, test_new_session_knows_nothing_of_the_calls_before);
    tcase_add_test(log, test_memories_of_many_that_wait_come_back_from_the_log);
    tcase_add_test(log, test_one_that_fails_often_pushes_no_other_out);
    tcase_add_test(log, test_an_older_row_is_not_taken);
    tcase_add_test(log, test_what_cannot_be_had_back_begins_anew_and_is_told);
    return suite;
}
