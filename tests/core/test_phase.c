#include "outcome.h"

#include "test_main.h"

static const struct {
    enum phase phase;
    const char *name;
    char letter;
} phases[] = {
    {PHASE_RED, "RED", 'R'},
    {PHASE_GREEN, "GREEN", 'G'},
    {PHASE_VERIFY, "VERIFY", 'V'},
    {PHASE_REFACTOR, "REFACTOR", 'F'},
};

static const char *const strangers[] = {"", "red", "Red", "REDD", "RE", "REFACTO", " RED", "BLUE"};

START_TEST(test_name_and_letter)
{
    enum phase parsed = PHASE_COUNT;
    ck_assert_int_eq((int)phases[_i].phase, _i);
    ck_assert_str_eq(phase_name(phases[_i].phase), phases[_i].name);
    ck_assert_int_eq(phase_letter(phases[_i].phase), phases[_i].letter);
    ck_assert(phase_parse(phases[_i].name, &parsed));
    ck_assert_int_eq((int)parsed, _i);
}
END_TEST

START_TEST(test_stranger_leaves_the_output_alone)
{
    enum phase parsed = PHASE_VERIFY;
    ck_assert(!phase_parse(strangers[_i], &parsed));
    ck_assert_int_eq((int)parsed, PHASE_VERIFY);
}
END_TEST

START_TEST(test_every_phase_is_in_the_table)
{
    ck_assert_int_eq(TABLE_LEN(phases), PHASE_COUNT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("phase");
    TCase *names = test_case(suite, "names");
    tcase_add_loop_test(names, test_name_and_letter, 0, TABLE_LEN(phases));
    tcase_add_loop_test(names, test_stranger_leaves_the_output_alone, 0, TABLE_LEN(strangers));
    tcase_add_test(names, test_every_phase_is_in_the_table);
    return suite;
}
