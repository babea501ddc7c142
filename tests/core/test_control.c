#include "control.h"

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
    ck_assert_int_eq((int)verbs[_i].verb, verbs[_i].number);
    ck_assert_str_eq(control_verb_name(verbs[_i].verb), verbs[_i].name);
}
END_TEST

START_TEST(test_mode_and_name)
{
    struct control control = {.verb = CONTROL_CANCEL, .mode = modes[_i].mode};
    struct control back = {.verb = CONTROL_CANCEL};
    struct str args = {0};
    ck_assert_int_eq((int)modes[_i].mode, modes[_i].number);
    ck_assert_str_eq(cancel_mode_name(modes[_i].mode), modes[_i].name);
    control_args(&control, &args);
    ck_assert(control_args_parse(str_text(&args), &back));
    ck_assert_int_eq((int)back.mode, modes[_i].number);
    str_done(&args);
}
END_TEST

START_TEST(test_stranger_is_refused)
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

START_TEST(test_tables_are_complete)
{
    ck_assert_int_eq(TABLE_LEN(verbs), CONTROL_VERB_COUNT - 1);
    ck_assert_int_eq(TABLE_LEN(modes), CANCEL_MODE_COUNT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("control");
    TCase *names = test_case(suite, "names");
    tcase_add_loop_test(names, test_verb_and_name, 0, TABLE_LEN(verbs));
    tcase_add_loop_test(names, test_mode_and_name, 0, TABLE_LEN(modes));
    tcase_add_loop_test(names, test_stranger_is_refused, 0, TABLE_LEN(strangers));
    tcase_add_test(names, test_tables_are_complete);
    return suite;
}
