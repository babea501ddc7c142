#include "text.h"

#include <stdio.h>
#include <string.h>

#include "lines.h"
#include "test_main.h"

/*
 * Words in a text, whatever their case.
 */

START_TEST(test_a_word_is_found)
{
    const char *text = "A Needle in hay";
    ck_assert_ptr_eq(words_find(text, strlen(text), "needle"), text + 2);
    ck_assert_ptr_null(words_find(text, 7, "needle"));
    ck_assert_ptr_null(words_find(text, strlen(text), ""));
}
END_TEST

START_TEST(test_a_text_begins_with_a_word)
{
    ck_assert(words_begin("Needle", "nEED"));
    ck_assert(words_begin("needle", ""));
    ck_assert(words_begin("", ""));
    ck_assert(!words_begin("need", "needle"));
    ck_assert(!words_begin("a needle", "needle"));
}
END_TEST

/*
 * The word that was meant.
 */

static const struct {
    const char *a, *b;
    int want;
} pairs[] = {
    {"", "", 0},
    {"needs", "needs", 0},
    {"needs", "need", 1},
    {"needs", "neds", 1},
    {"needs", "ndees", 2},
    {"polices", "policies", 1},
    {"red", "RED", NEAR_WORD_FAR},
    {"", "ab", 2},
    {"", "abc", NEAR_WORD_FAR},
    {"a234567890123456789012345678901234567890123456789012345678901234",
     "a234567890123456789012345678901234567890123456789012345678901235", 1},
    {"a2345678901234567890123456789012345678901234567890123456789012345",
     "a2345678901234567890123456789012345678901234567890123456789012345", NEAR_WORD_FAR},
};

START_TEST(test_distance_of_two_words)
{
    ck_assert_int_eq(near_word_distance(pairs[_i].a, pairs[_i].b), pairs[_i].want);
    ck_assert_int_eq(near_word_distance(pairs[_i].b, pairs[_i].a), pairs[_i].want);
}
END_TEST

static const struct {
    const char *word;
    const char *want; /* one of "run", "rung", "rounds"; NULL: none */
} meant[] = {
    {"ran", "run"},  {"runs", "run"},      {"ruung", "rung"},    {"round", "rounds"},
    {"x", NULL},     {"no", NULL},         {"", NULL},           {"something", NULL},
    {"RUN", "run"},  {"Rounds", "rounds"}, {"ron", "run"},       {"rax", NULL},
    {"runxy", NULL}, {"raunds", "rounds"}, {"raunts", "rounds"}, {"rantss", NULL},
};

START_TEST(test_the_nearest_word_is_meant)
{
    struct near_word near = near_word_new(meant[_i].word);
    near_word_offer(&near, "run");
    near_word_offer(&near, "rung");
    near_word_offer(&near, "rounds");
    ck_assert_pstr_eq(near.nearest, meant[_i].want);
}
END_TEST

/*
 * Lines that report an error.
 */

static const struct {
    const char *text;
    bool is_error;
} lines[] = {
    {"error: expected ';' before '}'", true},
    {"src/tax.c:88:3: error: unknown type", true},
    {"TypeError: undefined is not a function", true},
    {"java.lang.NullPointerException: null", true},
    {"Traceback (most recent call last):", true},
    {"FAILED tests/test_tax.py::test_three - AssertionError", true},
    {"not ok 3 - rounds half to even", true},
    {"# tests 14, passed 13, failed 1", true},
    {"thread 'main' panicked at src/main.rs:3", true},
    {"error[E0382]: borrow of moved value", true},
    {"make: *** [Makefile:3: test] Error 1", true},
    {"2 errors", true},
    {"failed: 10", true},
    {"0 errors, 2 warnings", false},
    {"no errors found", false},
    {"done without error", false},
    {"# tests 14, passed 14, failed 0", false},
    {"errors=0", false},
    {"failures: 0", false},
    {"compiling error.c", false},
    {"src/error/handler.go", false},
    {"error_code = 3", false},
    {"an error-handler is set", false},
    {"--fail-fast", false},
    {"terror and errors.txt", false},
    {"ok 3 - not okay", false},
    {"", false},
};

START_TEST(test_looks_like_an_error)
{
    ck_assert_msg(line_is_error(lines[_i].text, strlen(lines[_i].text)) == lines[_i].is_error,
                  "\"%s\"", lines[_i].text);
}
END_TEST

/* Only the start of a long line is read, so the time it takes is bounded. */
START_TEST(test_only_the_start_of_a_long_line_is_read)
{
    char text[ERROR_LINE_BYTES + 16];
    (void)snprintf(text, sizeof(text), "%*s%-15s", ERROR_LINE_BYTES, "", "error");
    ck_assert(!line_is_error(text, sizeof(text)));
    ck_assert(line_is_error(text + 16, sizeof(text) - 16));
}
END_TEST

static const struct {
    const char *text, *telling; /* NULL: no line */
} outputs[] = {
    {"building\nfoo.c:12: error: no such thing\nmake: *** [all] Error 1\n",
     "foo.c:12: error: no such thing"},
    {"  File \"x.py\", line 3\nValueError: bad amount\n\n", "ValueError: bad amount"},
    {"error: first\nerror: second\nnote: see above", "error: second"},
    {"cannot open tax.csv\n", "cannot open tax.csv"},
    {"npm ERR! code ELIFECYCLE\n", "npm ERR! code ELIFECYCLE"},
    {"one\r\ntwo\r\n", "two"},
    {"\n \t\n", NULL},
    {"", NULL},
};

START_TEST(test_the_line_that_says_most_is_found)
{
    size_t len = 0;
    const char *line = line_telling(outputs[_i].text, strlen(outputs[_i].text), &len);
    if (!outputs[_i].telling) {
        ck_assert_ptr_null(line);
        return;
    }
    ck_assert_ptr_nonnull(line);
    ck_assert_uint_eq(len, strlen(outputs[_i].telling));
    ck_assert_int_eq(memcmp(line, outputs[_i].telling, len), 0);
}
END_TEST

/*
 * Words for a shell.
 */

static const struct {
    const char *word, *quoted;
} shell_words[] = {
    {"make", "make"},     {"--jobs=2", "--jobs=2"},     {"/a/b-c_d.e:1,2@%+", "/a/b-c_d.e:1,2@%+"},
    {"", "''"},           {"two words", "'two words'"}, {"a;b", "'a;b'"},
    {"$HOME", "'$HOME'"}, {"it's", "'it'\\''s'"},       {"line\nfeed", "'line\nfeed'"},
    {"é", "'é'"},
};

START_TEST(test_a_word_is_quoted_for_a_shell)
{
    struct str out = {0};
    shell_word_add(shell_words[_i].word, &out);
    ck_assert_str_eq(str_text(&out), shell_words[_i].quoted);
    str_done(&out);
}
END_TEST

START_TEST(test_a_command_is_quoted_for_a_shell)
{
    char sh[] = "sh";
    char option[] = "-c";
    char script[] = "sleep 2; exit 1";
    char *const argv[] = {sh, option, script, NULL};
    struct str out = {0};
    shell_words_add(argv, 3, &out);
    ck_assert_str_eq(str_text(&out), "sh -c 'sleep 2; exit 1'");
    shell_words_add(argv, 0, &out);
    ck_assert_str_eq(str_text(&out), "sh -c 'sleep 2; exit 1'");
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("words");
    TCase *words = test_case(suite, "words");
    tcase_add_test(words, test_a_word_is_found);
    tcase_add_test(words, test_a_text_begins_with_a_word);
    tcase_add_loop_test(words, test_distance_of_two_words, 0, TABLE_LEN(pairs));
    tcase_add_loop_test(words, test_the_nearest_word_is_meant, 0, TABLE_LEN(meant));
    TCase *errors = test_case(suite, "errors");
    tcase_add_loop_test(errors, test_looks_like_an_error, 0, TABLE_LEN(lines));
    tcase_add_test(errors, test_only_the_start_of_a_long_line_is_read);
    tcase_add_loop_test(errors, test_the_line_that_says_most_is_found, 0, TABLE_LEN(outputs));
    TCase *shell = test_case(suite, "shell");
    tcase_add_loop_test(shell, test_a_word_is_quoted_for_a_shell, 0, TABLE_LEN(shell_words));
    tcase_add_test(shell, test_a_command_is_quoted_for_a_shell);
    return suite;
}
