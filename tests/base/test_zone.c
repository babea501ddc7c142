#include "zone.h"

#include <stdio.h>
#include <string.h>

#include "test_main.h"

/* Moments worked out with `date -d @... ` in each zone. */
static const struct {
    const char *rule;
    int64_t at_s;
    int want_s;
} rule_cases[] = {
    {"\nUTC0\n", 1795224000, 0},
    {"\n<+0530>-5:30\n", 1795224000, 19800},
    {"\n<-03>3\n", 1795224000, -10800},
    {"\nCET-1CEST,M3.5.0,M10.5.0/3\n", 1795224000, 3600},
    {"\nCET-1CEST,M3.5.0,M10.5.0/3\n", 1782000000, 7200},
    /* 29 March 2026 01:00 UTC, 25 October 2026 01:00 UTC */
    {"\nCET-1CEST,M3.5.0,M10.5.0/3\n", 1774745999, 3600},
    {"\nCET-1CEST,M3.5.0,M10.5.0/3\n", 1774746000, 7200},
    {"\nCET-1CEST,M3.5.0,M10.5.0/3\n", 1792889999, 7200},
    {"\nCET-1CEST,M3.5.0,M10.5.0/3\n", 1792890000, 3600},
    {"\nPST8PDT,M3.2.0,M11.1.0\n", 1795224000, -28800},
    {"\nPST8PDT,M3.2.0,M11.1.0\n", 1782000000, -25200},
    {"\nAEST-10AEDT,M10.1.0,M4.1.0/3\n", 1795224000, 39600},
    {"\nAEST-10AEDT,M10.1.0,M4.1.0/3\n", 1782000000, 36000},
    {"\nXXX0YYY,J60,J300\n", 1782000000, 3600},
    {"\nXXX0YYY,J60,J300\n", 1795224000, 0},
    {"\nXXX0YYY,59/0,299/0\n", 1772323200, 3600},
    {"\nXXX0YYY,59/0,299/0\n", 1772323199, 0},
};

START_TEST(test_rule)
{
    int offset = -1;
    const char *rule = rule_cases[_i].rule;

    ck_assert_msg(zone_rule_offset(rule, strlen(rule), rule_cases[_i].at_s, &offset), "%s", rule);

    ck_assert_msg(offset == rule_cases[_i].want_s, "%s: %d", rule, offset);
}
END_TEST

static const char *const bad_rules[] = {
    "",
    "\n",
    "\n\n",
    "UTC0\n",
    "\nUTC0",
    "\n0\n",
    "\nCET\n",
    "\nCET-1CEST\n",
    "\nCET-1CEST,M3.5.0\n",
    "\nCET-1CEST,M13.5.0,M10.5.0\n",
    "\nCET-1CEST,M3.0.0,M10.5.0\n",
    "\n<CET-1\n",
    "\nCET-999\n",
    "\nCET-1:99\n",
    "\nCET-1CEST,400,M10.5.0\n",
};

START_TEST(test_bad_rule)
{
    int offset = 0;
    ck_assert_msg(!zone_rule_offset(bad_rules[_i], strlen(bad_rules[_i]), 0, &offset), "%s",
                  bad_rules[_i]);
}
END_TEST

START_TEST(test_zones_of_the_system)
{
    int offset = -1;
    if (!zone_offset(NULL, "UTC", 1795224000, &offset)) {
        (void)printf("skipped: no zones are installed\n");
        return;
    }
    ck_assert_int_eq(offset, 0);
    if (!zone_offset(NULL, "Europe/Berlin", 1795224000, &offset)) {
        (void)printf("skipped: UTC alone is installed\n");
        return;
    }
    ck_assert_int_eq(offset, 3600);
    ck_assert(zone_offset(NULL, "Europe/Berlin", 1782000000, &offset));
    ck_assert_int_eq(offset, 7200);
    ck_assert(zone_offset(NULL, "America/Los_Angeles", 1795224000, &offset));
    ck_assert_int_eq(offset, -28800);
    ck_assert(zone_offset(NULL, "Asia/Kolkata", 1795224000, &offset));
    ck_assert_int_eq(offset, 19800);
    ck_assert(zone_offset(NULL, "Europe/Berlin", 315532800, &offset)); /* listed, not by rule */
    ck_assert_int_eq(offset, 3600);
}
END_TEST

static const char *const bad_names[] = {
    "", "/etc/passwd", "../../../etc/passwd", "Europe/Nowhere", "Europe", "zone.tab", "a b",
};

START_TEST(test_bad_name)
{
    int offset = 0;
    ck_assert(!zone_offset(NULL, bad_names[_i], 0, &offset));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("zone");
    TCase *rules = test_case(suite, "rule");
    tcase_add_loop_test(rules, test_rule, 0, TABLE_LEN(rule_cases));
    tcase_add_loop_test(rules, test_bad_rule, 0, TABLE_LEN(bad_rules));
    TCase *zones = test_case(suite, "zone");
    tcase_add_test(zones, test_zones_of_the_system);
    tcase_add_loop_test(zones, test_bad_name, 0, TABLE_LEN(bad_names));
    return suite;
}
