/* Output without measure: counted, kept in part, and no more memory for it. */
#define _GNU_SOURCE /* resource usage */

#include <stdio.h>
#include <sys/resource.h>

#include "engine_try.h"
#include "test_main.h"

/* What a sanitizer watches takes longer, and its own memory grows; what is not optimised takes
 * longer too. The machine may be busy with something else. */
enum { FLOOD_DEADLINE_MS = 180 * 1000, FLOOD_TIMEOUT_S = 240 };
#ifdef __SANITIZE_THREAD__
enum { FLOOD_MIB = 8, ZEROS_MIB = 32, FILL_MIB = 4, GROWTH_KIB = 64 * 1024 };
#elif defined(__SANITIZE_ADDRESS__)
enum { FLOOD_MIB = 48, ZEROS_MIB = 32, FILL_MIB = 16, GROWTH_KIB = 64 * 1024 };
#elif defined(__OPTIMIZE__)
enum { FLOOD_MIB = 1024, ZEROS_MIB = 256, FILL_MIB = 80, GROWTH_KIB = 16 * 1024 };
#else
enum { FLOOD_MIB = 256, ZEROS_MIB = 128, FILL_MIB = 80, GROWTH_KIB = 16 * 1024 };
#endif

static int64_t peak_kib(void)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static const struct {
    const char *run;
    int mib;
} floods[] = {
    {"yes a line of what comes again and again", FLOOD_MIB},
    {"cat /dev/zero", ZEROS_MIB},
};

START_TEST(test_a_flood_takes_no_memory)
{
    char tasks[600];
    /* The first step fills every buffer there is, the second one is measured. */
    (void)snprintf(tasks, sizeof(tasks),
                   "{'id':'a','steps':[{'run':['sh','-c','%s | head -c %d']},"
                   "{'run':['sh','-c','echo >ready; while [ ! -e go ]; do sleep 0.01; done; "
                   "%s | head -c %d']}]}",
                   floods[_i].run, FILL_MIB * 1024 * 1024, floods[_i].run,
                   floods[_i].mib * 1024 * 1024);
    tried.deadline_ms = FLOOD_DEADLINE_MS;
    try_start(tasks);
    ck_assert(try_await(try_is_ready));
    int64_t before_kib = peak_kib();
    try_make_file("go");
    struct engine_result result = try_finish();
    int64_t grown_kib = peak_kib() - before_kib;
    try_read_log();

    ck_assert_int_eq(result.exit_code, 0);
    const struct attempt_state *attempt = &tried.state.tasks[0].steps[1].attempts[0];
    ck_assert_int_eq(attempt->outcome.bytes[0], (int64_t)floods[_i].mib * 1024 * 1024);
    ck_assert_msg(grown_kib <= GROWTH_KIB, "grown by %lld KiB", (long long)grown_kib);
}
END_TEST

/* A line of a gigabyte is many lines. */
START_TEST(test_a_line_without_an_end_is_cut)
{
    tried.keys = "'idempotent':true,'limits':{'output_line_bytes':1024},";
    try_start("{'id':'a','steps':[{'run':['sh','-c','head -c 1048576 /dev/zero | tr \\\"\\\\0\\\" "
              "x; echo; echo end']}]}");
    ck_assert_int_eq(try_finish().exit_code, 0);
    try_read_log();
    ck_assert_int_eq(tried.state.tasks[0].steps[0].attempts[0].outcome.lines[0], 1024 + 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine_flood");
    TCase *tcase = test_case(suite, "flood");
    tcase_add_checked_fixture(tcase, try_open, try_close);
    tcase_set_timeout(tcase, FLOOD_TIMEOUT_S);
    tcase_add_loop_test(tcase, test_a_flood_takes_no_memory, 0, TABLE_LEN(floods));
    tcase_add_test(tcase, test_a_line_without_an_end_is_cut);
    return suite;
}
