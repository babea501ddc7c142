#include "contract_internal.h"

#include <stdlib.h>
#include <string.h>

#include "test_main.h"

static struct contract_pattern *pattern;
static struct contract_matcher *matcher;

static void setup(void)
{
    pattern = NULL;
    matcher = contract_matcher_new(CONTRACT_MATCH_STEPS_ALL);
}

static void teardown(void)
{
    contract_pattern_close(pattern);
    contract_matcher_free(matcher);
}

/* ECMA-262 with the flag `u`: what each pattern matches, and what it does not. */
static const struct {
    const char *pattern;
    const char *matches;
    const char * not ;
} patterns[] = {
    {"^ab", "abc", "cab"},
    {"^", "x", NULL},
    {"b", "abc", "ac"},
    {"^a$", "a", "a\n"},
    {"^\\d+$", "12", "\331\241\331\242"}, /* Arabic digits */
    {"^\\w$", "_", "\303\251"},
    {"^\\s$", "\302\240", "x"},              /* U+00A0 */
    {"^[\\s]$", "\357\273\277", "x"},        /* U+FEFF */
    {"^\\S$", "\303\251", "\342\200\250"},   /* U+2028 */
    {"^[\\S]$", "\303\251", "\343\200\200"}, /* U+3000 */
    {"^[^\\S]$", " ", "a"},
    {"^.$", "\360\237\230\200", "\r"},
    {"^\\u{1F600}$", "\360\237\230\200", "x"},
    {"^\\ud83d\\ude00$", "\360\237\230\200", "x"},
    {"^\\u00e9\\xe9$", "\303\251\303\251", "e"},
    {"^\\v$", "\v", "\n"},
    {"^\\cJ$", "\n", "J"},
    {"^\\p{L}$", "\303\251", "1"},
    {"^\\p{Letter}$", "\303\251", "1"},
    {"^\\P{Letter}$", "1", "\303\251"},
    {"^\\p{General_Category=Uppercase_Letter}$", "A", "a"},
    {"^\\p{Script=Greek}$", "\316\261", "a"},
    {"^\\p{Lowercase}$", "a", "A"},
    {"^\\p{Assigned}$", "a", NULL},
    {"^\\P{digit}$", "a", "1"},
    {"^[\\w.-]+@[\\w-.]+$", "a-b.c@x-y.z", "a b@c"},
    {"^[a-\\d]+$", "a-1", "b"},
    {"^[[:alpha:]]$", ":]", "b"},
    {"^[]$", NULL, "x"},
    {"^[A-Za-z0-9][A-Za-z0-9._-]{0,3}$", "a._-", "a._-z"},
    {"^[A-Za-z0-9][A-Za-z0-9._-]{0,3}$", "Z", ".a"},
    {"^[a-c][xy]{2,3}$", "bxy", "bx"},
    {"^[a-c]{2}$", "ab", "abc"},
    {"^[ab][cd]*$", "a", "acb"},
    {"^[ab][cd]+$", "acdc", "a"},
    {"^[-a]+$", "-a", "b"},
    {"^[a-]$", "-", "ab"},
    {"^[a-c]$", "b", "b\n"},
    {"^[a-c]{0}$", "", "a"},
    {"^[!-~]+$", "]\\^", "\303\251"},
    {"^[^]$", "\n", "xx"},
    {"^a{2}$", "aa", "a"},
    {"^a{,2}$", "a{,2}", "aa"},
    {"^x{$", "x{", "x"},
    {"^(a|b)\\1$", "aa", "ab"},
    {"^(?<q>a|b)\\k<q>$", "bb", "ab"},
    {"^(?:(a)|b)\\1$", "b", "a"}, /* a group that took no part matches nothing */
    {"(?<=a)b(?!c)", "abd", "abc"},
    {"^\\/\\-\\.\\\"$", "/-.\"", "x"},
    {"^\\bfoo\\b$", "foo", "foox"},
    {"^[\\b]$", "\b", "b"},
    {"^a??b*?c+?$", "abc", "ab"},
    {"^\\0$", NULL, "0"},
};

START_TEST(test_pattern_matches_as_in_ECMA_262)
{
    struct err err = {0};
    const char *source = patterns[_i].pattern;
    const char *yes = patterns[_i].matches;
    const char *no = patterns[_i].not ;
    ck_assert_msg(contract_pattern_open(&pattern, source, strlen(source), &err), "%s: %s", source,
                  err.message);
    if (yes)
        ck_assert_msg(contract_pattern_match(pattern, matcher, yes, strlen(yes)) ==
                          CONTRACT_MATCH_YES,
                      "%s does not match %s", source, yes);
    if (no)
        ck_assert_msg(contract_pattern_match(pattern, matcher, no, strlen(no)) == CONTRACT_MATCH_NO,
                      "%s matches %s", source, no);
}
END_TEST

static const struct {
    const char *pattern;
    const char *why; /* part of the message */
} refused[] = {
    {"(?i)a", "no such group"},
    {"(?>a)", "no such group"},
    {"(?P<n>a)", "no such group"},
    {"(?<1>a)", "no such group"},
    {"(*UTF)a", "no such group"},
    {"a++", "nothing to repeat"},
    {"a{2}+", "nothing to repeat"},
    {"a**", "nothing to repeat"},
    {"\\Aa", "no such escape"},
    {"a\\Z", "no such escape"},
    {"\\Qa\\E", "no such escape"},
    {"\\a", "no such escape"},
    {"\\01", "no such escape"},
    {"\\x1", "no such character"},
    {"\\u12", "four hexadecimal digits"},
    {"\\u{}", "hexadecimal digits and }"},
    {"\\u{110000}", "no such character"},
    {"\\ud800", "no such character"},
    {"\\p{Nonsense}", "unknown property"},
    {"\\p{Foo=Bar}", "no such property"},
    {"\\p{^Lu}", "no such property"},
    {"\\pL", "{a property}"},
    {"\\k<a", "<a group>"},
    {"\\k<a>", "non-existent"},
    {"\\3", "non-existent"},
    {"[\\1]", "a class cannot"},
    {"[a", "missing terminating ]"},
    {"a)", "unmatched"},
    {"\\", "at the end"},
    {"((((((((((a{1000}){1000}){1000}){1000}){1000}){1000}){1000}))))", "too large"},
};

START_TEST(test_what_is_no_ECMA_262_is_refused)
{
    struct err err = {0};
    const char *source = refused[_i].pattern;
    ck_assert_msg(!contract_pattern_open(&pattern, source, strlen(source), &err), "%s", source);
    ck_assert_msg(strstr(err.message, refused[_i].why), "%s: %s", source, err.message);
    ck_assert_ptr_null(pattern);
}
END_TEST

START_TEST(test_limit_of_a_pattern)
{
    static char text[CONTRACT_PATTERN_MAX + 1];
    struct err err = {0};
    memset(text, 'a', sizeof(text));
    ck_assert(!contract_pattern_open(&pattern, text, sizeof(text), &err));
    ck_assert_str_eq(err.message, "more than 4096 bytes");
}
END_TEST

/* Patterns that take for ever on a text that does not match. */
static const char *const slow[] = {
    "^(a+)+$", "(a|a)*c", "^(.*)*b$", "a*a*a*a*a*a*c", "^((ab)*c?(ab)*)*d$", "(?:(?=(a*))a)*b\\1",
};

START_TEST(test_limit_of_steps)
{
    static char text[20000];
    struct err err = {0};
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = 'e';
    ck_assert(contract_pattern_open(&pattern, slow[_i], strlen(slow[_i]), &err));
    for (int i = 0; i < 20; i++) {
        const enum contract_match match =
            contract_pattern_match(pattern, matcher, text, sizeof(text));
        ck_assert_msg(match != CONTRACT_MATCH_YES, "%s", slow[_i]);
    }
}
END_TEST

START_TEST(test_what_is_limited_is_said)
{
    struct err err = {0};
    char text[40];
    memset(text, 'a', sizeof(text));
    ck_assert(contract_pattern_open(&pattern, "^(a+)+$", 7, &err));
    text[sizeof(text) - 1] = 'b';
    ck_assert_int_eq((int)contract_pattern_match(pattern, matcher, text, sizeof(text)),
                     CONTRACT_MATCH_LIMITED);
}
END_TEST

START_TEST(test_a_long_text_gets_steps_for_its_length)
{
    enum { LEN = 100 * 1000 };
    char *text = calloc(1, LEN);
    struct err err = {0};
    ck_assert_ptr_nonnull(text);
    memset(text, 'a', LEN);
    ck_assert(contract_pattern_open(&pattern, "^(?:a|b)*$", 10, &err));
    ck_assert_int_eq((int)contract_pattern_match(pattern, matcher, text, LEN), CONTRACT_MATCH_YES);
    free(text);
}
END_TEST

START_TEST(test_a_byte_that_is_required_and_missing_is_quickly_found)
{
    enum { LEN = 1000 * 1000 };
    char *text = calloc(1, LEN);
    struct err err = {0};
    ck_assert_ptr_nonnull(text);
    memset(text, 'a', LEN);
    ck_assert(contract_pattern_open(&pattern, "[a-z]+@", 7, &err));
    ck_assert_int_eq((int)contract_pattern_match(pattern, matcher, text, LEN), CONTRACT_MATCH_NO);
    text[LEN / 2] = '@';
    ck_assert_int_eq((int)contract_pattern_match(pattern, matcher, text, LEN), CONTRACT_MATCH_YES);
    free(text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("contract_pattern");
    TCase *matching = test_case(suite, "matching");
    tcase_add_checked_fixture(matching, setup, teardown);
    tcase_add_loop_test(matching, test_pattern_matches_as_in_ECMA_262, 0, TABLE_LEN(patterns));
    tcase_add_loop_test(matching, test_what_is_no_ECMA_262_is_refused, 0, TABLE_LEN(refused));
    TCase *limits = test_case(suite, "limits");
    tcase_add_checked_fixture(limits, setup, teardown);
    tcase_add_test(limits, test_limit_of_a_pattern);
    tcase_add_loop_test(limits, test_limit_of_steps, 0, TABLE_LEN(slow));
    tcase_add_test(limits, test_what_is_limited_is_said);
    tcase_add_test(limits, test_a_long_text_gets_steps_for_its_length);
    tcase_add_test(limits, test_a_byte_that_is_required_and_missing_is_quickly_found);
    return suite;
}
