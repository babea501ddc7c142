#include "text.h"

#include "test_main.h"

static const struct {
    const char *word, *quoted;
} words[] = {
    {"make", "make"},     {"--jobs=2", "--jobs=2"},     {"/a/b-c_d.e:1,2@%+", "/a/b-c_d.e:1,2@%+"},
    {"", "''"},           {"two words", "'two words'"}, {"a;b", "'a;b'"},
    {"$HOME", "'$HOME'"}, {"it's", "'it'\\''s'"},       {"line\nfeed", "'line\nfeed'"},
    {"é", "'é'"},
};

START_TEST(test_a_word)
{
    struct str out = {0};
    shell_word_add(words[_i].word, &out);
    ck_assert_str_eq(str_text(&out), words[_i].quoted);
    str_done(&out);
}
END_TEST

START_TEST(test_a_command)
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
    Suite *suite = suite_create("shell_word");
    TCase *tcase = test_case(suite, "words");
    tcase_add_loop_test(tcase, test_a_word, 0, sizeof(words) / sizeof(words[0]));
    tcase_add_test(tcase, test_a_command);
    return suite;
}
