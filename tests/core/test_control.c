#include "control.h"

#include <string.h>

#include "str.h"
#include "test_main.h"

/* Numbers and words are in logs and on command lines: both are pinned. */
static const struct {
    enum control_verb verb;
    int number;
    const char *name;
} verbs[] = {
    {CONTROL_CANCEL, 1, "cancel"},     {CONTROL_RETRY, 2, "retry"},
    {CONTROL_HOLD, 3, "hold"},         {CONTROL_RELEASE, 4, "release"},
    {CONTROL_SEND_ONE, 5, "send-one"}, {CONTROL_CORRECT, 6, "correct"},
};

static const struct {
    enum cancel_mode mode;
    int number;
    const char *name;
} modes[] = {
    {CANCEL_STOP, 0, "stop"},
    {CANCEL_TERM, 1, "term"},
    {CANCEL_KILL, 2, "kill"},
};

static const char *const strangers[] = {"", "Stop", "stop ", "sto", "none", "kill -9", "?"};

START_TEST(test_verb_and_name)
{
    ck_assert_int_eq(TABLE_LEN(verbs), CONTROL_VERB_COUNT - 1);
    ck_assert_int_eq((int)verbs[_i].verb, verbs[_i].number);
    ck_assert_str_eq(control_verb_name(verbs[_i].verb), verbs[_i].name);
}
END_TEST

START_TEST(test_mode_and_name)
{
    struct control control = {.verb = CONTROL_CANCEL, .mode = modes[_i].mode};
    struct control back = {.verb = CONTROL_CANCEL};
    struct str args = {0};
    ck_assert_int_eq(TABLE_LEN(modes), CANCEL_MODE_COUNT);
    ck_assert_int_eq((int)modes[_i].mode, modes[_i].number);
    ck_assert_str_eq(cancel_mode_name(modes[_i].mode), modes[_i].name);
    control_args(&control, &args);
    ck_assert(control_args_parse(str_text(&args), &back));
    ck_assert_int_eq((int)back.mode, modes[_i].number);
    str_done(&args);
}
END_TEST

START_TEST(test_an_unknown_mode_is_refused)
{
    struct control control = {.verb = CONTROL_CANCEL, .mode = CANCEL_TERM};
    struct str args = {0};
    str_add_char(&args, '{');
    str_json_text(&args, "mode", strangers[_i]);
    str_add_char(&args, '}');
    ck_assert(!control_args_parse(str_text(&args), &control));
    ck_assert_int_eq((int)control.mode, CANCEL_TERM);
    str_done(&args);
}
END_TEST

/* Another program may have written them. */
static const struct {
    const char *args;
    bool ok;
    const char *hint;
    int tries;
} args_cases[] = {
    {NULL, true, "", 0},
    {"{}", true, "", 0},
    {"{\"hint\":\"a \\\"b\\\"\"}", true, "a \"b\"", 0},
    {"{\"attempts\":100}", true, "", 100},
    {"{\"hint\":\"x\",\"attempts\":1}", true, "x", 1},
    {"{\"attempts\":0}", false, "", 0},
    {"{\"attempts\":-1}", false, "", 0},
    {"{\"attempts\":101}", false, "", 0},
    {"{", false, "", 0},
};

START_TEST(test_args_of_a_retry)
{
    struct control control = {.verb = CONTROL_RETRY};
    ck_assert_int_eq(control_args_parse(args_cases[_i].args, &control), args_cases[_i].ok);
    ck_assert_str_eq(control.hint, args_cases[_i].hint);
    ck_assert_int_eq(control.tries, args_cases[_i].tries);
    struct str args = {0};
    struct control again = {.verb = CONTROL_RETRY};
    control_args(&control, &args);
    ck_assert(control_args_parse(args.data, &again));
    ck_assert_str_eq(again.hint, control.hint);
    ck_assert_int_eq(again.tries, control.tries);
    str_done(&args);
}
END_TEST

START_TEST(test_hint_has_a_limit)
{
    const bool fits = _i == 0;
    struct control control = {.verb = CONTROL_RETRY};
    struct str args = {0};
    str_add(&args, "{\"hint\":\"");
    for (int i = 0; i < CONTROL_HINT_MAX - 1 + _i; i++)
        str_add_char(&args, 'h');
    str_add(&args, "\"}");
    ck_assert(control_args_parse(args.data, &control) == fits);
    if (fits)
        ck_assert_uint_eq(strlen(control.hint), CONTROL_HINT_MAX - 1);
    str_done(&args);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("control");
    TCase *names = test_case(suite, "names");
    tcase_add_loop_test(names, test_verb_and_name, 0, TABLE_LEN(verbs));
    tcase_add_loop_test(names, test_mode_and_name, 0, TABLE_LEN(modes));
    tcase_add_loop_test(names, test_an_unknown_mode_is_refused, 0, TABLE_LEN(strangers));
    TCase *retries = test_case(suite, "retries");
    tcase_add_loop_test(retries, test_args_of_a_retry, 0, TABLE_LEN(args_cases));
    tcase_add_loop_test(retries, test_hint_has_a_limit, 0, 2);
    return suite;
}
