#include "gains.h"

#include <string.h>

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
    static char *environment[] = {NULL};
    struct violations violations = {0};
    ck_assert(plan_parse(text, strlen(text), &plan, &violations));
    violations_done(&violations);
    run_state_init(&state, plan, 1);
    scheduler = (struct scheduler){.state = &state, .run_dir = "/", .environment = environment};
    gains_init(&gains, &state);
    take((struct input){.kind = INPUT_START, .jobs = 1});
}

static void teardown(void)
{
    gains_done(&gains);
    turn_done(&turn);
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("gains");
    TCase *tcase = test_case(suite, "rows");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_a_task_that_goes_on_is_saved);
    tcase_add_test(tcase, test_so_is_one_that_goes_on_with_its_next_step);
    tcase_add_test(tcase, test_a_task_that_is_over_is_forgotten);
    tcase_add_test(tcase, test_what_was_never_saved_leaves_no_row);
    tcase_add_test(tcase, test_a_stuck_one_may_go_on);
    return suite;
}
