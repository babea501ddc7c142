/* A common fault is one of a source: two sources at their limits are two things. */
#include "play.h"
#include "run_state.h"
#include "test_main.h"

static struct play play;

/* Which source each of these tasks has; "" = none. */
static void open(const char *const *sources, int count)
{
    struct str plan = {0};
    str_add(&plan, "{\"version\":1,\"idempotent\":true,\"policy\":\"default\",\"tasks\":[");
    for (int i = 0; i < count; i++) {
        str_addf(&plan, "%s{\"id\":\"t%d\",\"steps\":[{\"run\":[\"x\"]", i > 0 ? "," : "", i);
        if (sources[i][0] != '\0')
            str_addf(&plan, ",\"source\":\"%s\"", sources[i]);
        str_add(&plan, "}]}");
    }
    str_add(&plan, "]}");
    play_open(&play, str_text(&plan));
    str_done(&plan);
    play_start(&play, count);
    for (int i = 0; i < count; i++)
        play_input(&play, (struct input){.kind = INPUT_ENDED,
                                         .task = i,
                                         .attempt = 1,
                                         .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                         .verdict = play_transient(TRANSIENT_NETWORK_TIMEOUT),
                                         .fingerprint = {.hi = 5}});
}

static void teardown(void)
{
    play_close(&play);
}

START_TEST(test_fault_across_sources_is_none)
{
    static const char *const sources[] = {"api", "api", "web", "web", ""};
    struct fault faults[FAULTS_MAX];
    open(sources, 5);
    ck_assert_int_eq(run_state_faults(&play.state, faults), 0);
    ck_assert(run_state_waits_alike(&play.state, 0, 1));
    ck_assert(!run_state_waits_alike(&play.state, 1, 2));
    ck_assert(!run_state_waits_alike(&play.state, 2, 4));
    play_control(&play, CONTROL_SEND_ONE, "t0", CANCEL_STOP);
    ck_assert(play.state.tasks[1].held);
    ck_assert(!play.state.tasks[2].held);
}
END_TEST

START_TEST(test_each_source_has_its_fault)
{
    static const char *const sources[] = {"api", "web", "", "api", "web", "", "api", "web", ""};
    struct fault faults[FAULTS_MAX];
    open(sources, 9);
    ck_assert_int_eq(run_state_faults(&play.state, faults), 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(faults[i].first, i);
        ck_assert_int_eq(faults[i].count, 3);
        for (int task = 0; task < 9; task++)
            ck_assert_int_eq(fault_has(&faults[i], &play.state, task), task % 3 == i);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fault_source");
    TCase *tcase = test_case(suite, "sources");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_fault_across_sources_is_none);
    tcase_add_test(tcase, test_each_source_has_its_fault);
    return suite;
}
