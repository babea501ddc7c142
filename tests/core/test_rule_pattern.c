#include "rule_pattern.h"

#include <stdlib.h>
#include <string.h>

#include "test_main.h"

static struct rule_matcher *matcher;

static void setup(void)
{
    matcher = rule_matcher_new();
}

static void teardown(void)
{
    rule_matcher_free(matcher);
}

static enum rule_match match(const char *source, const struct rule_subject *subject,
                             struct rule_span spans[RULE_SPANS])
{
    struct rule_pattern *pattern = NULL;
    struct err err = {0};
    ck_assert_msg(rule_pattern_open(&pattern, source, &err), "%s", err.message);
    enum rule_match result = rule_pattern_match(pattern, matcher, subject, spans);
    rule_pattern_close(pattern);
    return result;
}

static const struct {
    const char *pattern;
    const char *text;
    bool begins, ends;
    enum rule_match want;
} cases[] = {
    {"^error: ", "error: x", true, true, RULE_MATCH_YES},
    {"^error: ", "error: x", false, true, RULE_MATCH_NO}, /* in the middle of a line */
    {" 429$", "HTTP 429", true, true, RULE_MATCH_YES},
    {" 429$", "HTTP 429", true, false, RULE_MATCH_NO},
    {"(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", true, true, RULE_MATCH_LIMITED},
    {"x{1,40}x{1,40}x{1,40}x{1,40}y|z",
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", true, true,
     RULE_MATCH_LIMITED}, /* each loop takes its steps */
    {"a.c",
     "a\xff"
     "c",
     true, true, RULE_MATCH_YES}, /* bytes, not characters */
    {"", "", true, true, RULE_MATCH_YES},
};

START_TEST(test_match)
{
    struct rule_subject subject = {.bytes = cases[_i].text,
                                   .len = strlen(cases[_i].text),
                                   .begins = cases[_i].begins,
                                   .ends = cases[_i].ends};
    ck_assert_msg(match(cases[_i].pattern, &subject, NULL) == cases[_i].want, "%s",
                  cases[_i].pattern);
}
END_TEST

START_TEST(test_groups_say_where)
{
    struct rule_span spans[RULE_SPANS];
    struct rule_subject subject = {.bytes = "in 30 s", .len = 7, .begins = true, .ends = true};
    ck_assert_int_eq(match("(never)?in ([0-9]+)", &subject, spans), RULE_MATCH_YES);
    ck_assert_uint_eq(spans[0].start, 0);
    ck_assert_uint_eq(spans[0].end, 5);
    ck_assert_uint_eq(spans[1].end, 0); /* took no part */
    ck_assert_uint_eq(spans[2].start, 3);
    ck_assert_uint_eq(spans[2].end, 5);
    ck_assert_uint_eq(spans[3].end, 0); /* there is no third */
}
END_TEST

START_TEST(test_more_groups_than_are_kept)
{
    struct rule_span spans[RULE_SPANS];
    struct rule_subject subject = {.bytes = "abcdefghijkl", .len = 12};
    ck_assert_int_eq(match("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)", &subject, spans),
                     RULE_MATCH_YES);
    ck_assert_uint_eq(spans[0].end, 12);
    ck_assert_uint_eq(spans[9].start, 8);
    ck_assert_uint_eq(spans[9].end, 9);
}
END_TEST

START_TEST(test_bad_pattern_says_where)
{
    struct rule_pattern *pattern = NULL;
    struct err err = {0};
    ck_assert(!rule_pattern_open(&pattern, "a(b", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "byte 3"));
    ck_assert_ptr_null(pattern);
}
END_TEST

START_TEST(test_pattern_has_a_limit)
{
    struct rule_pattern *pattern = NULL;
    struct err err = {0};
    char *source = calloc(1, RULE_PATTERN_MAX + 2);
    ck_assert_ptr_nonnull(source);
    memset(source, 'a', RULE_PATTERN_MAX + 1);
    ck_assert(!rule_pattern_open(&pattern, source, &err));
    ck_assert_ptr_nonnull(strstr(err.message, "4096"));
    source[RULE_PATTERN_MAX] = '\0';
    err = (struct err){0};
    ck_assert_msg(rule_pattern_open(&pattern, source, &err), "%s", err.message);
    rule_pattern_close(pattern);
    free(source);
}
END_TEST

START_TEST(test_nothing_is_freed_twice)
{
    rule_pattern_close(NULL);
    rule_matcher_free(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule_pattern");
    TCase *tcase = test_case(suite, "patterns");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_match, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_groups_say_where);
    tcase_add_test(tcase, test_more_groups_than_are_kept);
    tcase_add_test(tcase, test_bad_pattern_says_where);
    tcase_add_test(tcase, test_pattern_has_a_limit);
    tcase_add_test(tcase, test_nothing_is_freed_twice);
    return suite;
}
