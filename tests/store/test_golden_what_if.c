/* Other policies on the recorded runs of tests/data/golden: docs/replay.md. */
#include "what_if.h"

#include <stdlib.h>
#include <string.h>

#include "golden_log.h"
#include "log_reader.h"
#include "test_main.h"

/* A golden run as its log has it. */
struct golden {
    struct log_run_info run; /* owned, both */
    struct event_page page;
};

static struct golden golden;
static struct what_if_sum sum;

static void read_golden(const char *name)
{
    struct log_reader *reader = NULL;
    struct err err = {0};
    struct str file = {0};
    str_addf(&file, "%s.sql", name);
    char *sql = golden_log_read(str_text(&file));
    const struct place place = golden_log_make(sql);
    golden = (struct golden){0};
    ck_assert_msg(log_reader_open(&reader, &place, &err), "%s", err.message);
    ck_assert_msg(log_reader_run(reader, 0, &golden.run, &err), "%s", err.message);
    ck_assert(log_reader_events(reader, golden.run.number, 0, &golden.page, &err));
    ck_assert_uint_lt(golden.page.count, LOG_PAGE_EVENTS);
    log_reader_close(reader);
    free(sql);
    str_done(&file);
}

static void golden_done(void)
{
    event_page_done(&golden.page);
    log_run_info_done(&golden.run);
}

/* What the policies (NULL: those that it had) make of it; the caller frees. */
static struct what_if *ask(const char *policies)
{
    struct policy_change *change = NULL;
    struct violations wrong = {0};
    struct what_if *what = NULL;
    struct err err = {0};
    ck_assert(!policies || policy_change_read(policies, strlen(policies), &change, &wrong));
    ck_assert_msg(what_if_new(&what, golden.run.plan_text, golden.run.seed, change, &err), "%s",
                  err.message);
    for (size_t i = 0; i < golden.page.count; i++)
        ck_assert_msg(what_if_take(what, &golden.page.events[i], &err), "%s", err.message);
    what_if_sum(what, &sum);
    policy_change_free(change);
    return what;
}

START_TEST(test_the_recorded_policies_differ_nowhere)
{
    read_golden(golden_log_name(_i));
    struct what_if *what = ask(NULL);
    ck_assert_msg(sum.differ == 0, "golden run %s: task %d after try %d: %s", golden_log_name(_i),
                  sum.first.task, sum.first.attempt, sum.first.why);
    ck_assert_mem_eq(&sum.recorded, &sum.other, sizeof(sum.other));
    ck_assert_int_eq(sum.recorded.tries, what_if_state(what)->attempts);
    ck_assert_int_eq(sum.steps_changed, 0);
    what_if_free(what);
    golden_done();
}
END_TEST

static int passed(const struct what_if_side *side)
{
    return side->counts[TASK_PASSED];
}

START_TEST(test_other_policies_make_nothing_up)
{
    static const char *const policies[] = {
        "{\"max_attempts\":1}",
        "{\"max_attempts\":20}",
        "{\"policy\":\"research\"}",
        "{\"deadline_ms\":1}",
        "{\"retry_on\":[],\"policies\":{\"infrastructure\":{\"max_attempts\":1}}}",
    };
    read_golden(golden_log_name(_i));
    for (int i = 0; i < TABLE_LEN(policies); i++) {
        struct what_if *what = ask(policies[i]);
        ck_assert_msg(sum.other.tries + sum.not_run == sum.recorded.tries, "%s under %s",
                      golden_log_name(_i), policies[i]);
        ck_assert_int_le(passed(&sum.other), passed(&sum.recorded));
        ck_assert_int_eq(sum.differ, sum.waits + sum.ends + sum.goes_on);
        what_if_free(what);
    }
    golden_done();
}
END_TEST

/* What would be started again begins no round of its agent: how that goes is not known. */
START_TEST(test_a_step_that_is_tried_again_begins_no_round)
{
    read_golden("rounds");
    struct what_if *what =
        ask("{\"policies\":{\"infrastructure\":{\"retry_on\":[\"transient\",\"persistent\"]}}}");
    ck_assert_int_gt(sum.goes_on, 0);
    ck_assert(sum.first.recorded.new_round);
    ck_assert_int_eq(sum.first.other.kind, DECISION_WAIT);
    what_if_free(what);
    golden_done();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("golden_what_if");
    TCase *tcase = test_case(suite, "golden");
    tcase_add_loop_test(tcase, test_the_recorded_policies_differ_nowhere, 0, golden_log_count());
    tcase_add_loop_test(tcase, test_other_policies_make_nothing_up, 0, golden_log_count());
    tcase_add_test(tcase, test_a_step_that_is_tried_again_begins_no_round);
    return suite;
}
