#include "command.h"

#include <string.h>

#include "str.h"
#include "test_main.h"

static bool flag;
static const char *value;

static const struct option_spec specs[] = {
    {"flag", 'f', NULL, "a flag", &flag, NULL},
    {"value", 'v', "V", "a value", NULL, &value},
};
static const struct options plain = {.specs = specs, .count = 2};
static const struct options exec_like = {.specs = specs, .count = 2, .rest_after_first = true};

enum { ARGS_MAX = 6 };

/* Words up to the first NULL; wanted operands joined by blanks, NULL = an error. */
static const struct {
    const char *name;
    const struct options *options;
    const char *argv[ARGS_MAX];
    const char *operands;
    bool flag;
    const char *value;
} cases[] = {
    {"nothing", &plain, {NULL}, "", false, NULL},
    {"long", &plain, {"--flag", "--value", "x", "a"}, "a", true, "x"},
    {"long with =", &plain, {"a", "--value=x"}, "a", false, "x"},
    {"letters", &plain, {"-f", "-v", "x"}, "", true, "x"},
    {"letter with its value", &plain, {"-vx", "a"}, "a", false, "x"},
    {"after --", &plain, {"--", "--flag", "-v"}, "--flag -v", false, NULL},
    {"a lone dash is an operand", &plain, {"-"}, "-", false, NULL},
    {"a number below 0 is an operand", &plain, {"-1", "-f"}, "-1", true, NULL},
    {"the first operand ends them", &exec_like, {"-f", "ls", "-v"}, "ls -v", true, NULL},
    {"-- before the command", &exec_like, {"--", "ls", "--flag"}, "ls --flag", false, NULL},
    {"unknown", &plain, {"--frob"}, NULL, false, NULL},
    {"unknown letter", &plain, {"-x"}, NULL, false, NULL},
    {"no value", &plain, {"--value"}, NULL, false, NULL},
    {"a value for a flag", &plain, {"--flag=1"}, NULL, false, NULL},
};

START_TEST(test_options)
{
    char words[ARGS_MAX][32];
    char *argv[ARGS_MAX + 1] = {0};
    int argc = 0;
    for (; argc < ARGS_MAX && cases[_i].argv[argc]; argc++) {
        memset(words[argc], 0, sizeof(words[argc]));
        memcpy(words[argc], cases[_i].argv[argc], strlen(cases[_i].argv[argc]));
        argv[argc] = words[argc];
    }
    flag = false;
    value = NULL;
    int count = 0;
    struct err err = {0};
    bool ok = options_parse(cases[_i].options, argc, argv, &count, &err);
    ck_assert_msg(ok == (cases[_i].operands != NULL), "%s: %s", cases[_i].name, err.message);
    if (!ok)
        return;
    struct str joined = {0};
    for (int i = 0; i < count; i++)
        str_addf(&joined, "%s%s", i > 0 ? " " : "", argv[i]);
    ck_assert_msg(strcmp(str_text(&joined), cases[_i].operands) == 0, "%s: '%s'", cases[_i].name,
                  str_text(&joined));
    str_done(&joined);
    ck_assert_int_eq(flag, cases[_i].flag);
    ck_assert_pstr_eq(value, cases[_i].value);
}
END_TEST

START_TEST(test_an_option_with_dots_may_be_said_again)
{
    struct option_words list = {0};
    const struct option_spec repeated[] = {{"task", 't', "T...", "a task", NULL, list.words}};
    const struct options options = {.specs = repeated, .count = 1};
    char one[] = "--task=a", letter[] = "-t", two[] = "b";
    char *argv[] = {one, letter, two};
    int count = 0;
    struct err err = {0};
    ck_assert(options_parse(&options, (int)ARRAY_LEN(argv), argv, &count, &err));
    ck_assert_str_eq(list.words[0], "a");
    ck_assert_str_eq(list.words[1], "b");
    ck_assert_ptr_null(list.words[2]);

    char *many[OPTION_WORDS_MAX];
    for (size_t i = 0; i < ARRAY_LEN(many); i++)
        many[i] = one;
    ck_assert(!options_parse(&options, (int)ARRAY_LEN(many), many, &count, &err));
    ck_assert_str_eq(err.message, "--task is given more than 16 times");
    ck_assert_ptr_null(list.words[OPTION_WORDS_MAX]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *tcase = test_case(suite, "parse");
    tcase_add_loop_test(tcase, test_options, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_an_option_with_dots_may_be_said_again);
    return suite;
}
