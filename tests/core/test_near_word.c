#include "text.h"

#include <stddef.h>

#include "test_main.h"

static const struct {
    const char *a, *b;
    int want;
} pairs[] = {
    {"", "", 0},
    {"needs", "needs", 0},
    {"needs", "need", 1},
    {"need", "needs", 1},
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

START_TEST(test_distance)
{
    ck_assert_int_eq(near_word_distance(pairs[_i].a, pairs[_i].b), pairs[_i].want);
}
END_TEST

static const struct {
    const char *word;
    const char *want; /* of "run", "rung", "rounds"; NULL = none */
} meant[] = {
    {"ran", "run"},  {"runs", "run"},      {"ruung", "rung"},    {"round", "rounds"},
    {"x", NULL},     {"no", NULL},         {"", NULL},           {"something", NULL},
    {"RUN", "run"},  {"Rounds", "rounds"}, {"ron", "run"},       {"rax", NULL},
    {"runxy", NULL}, {"raunds", "rounds"}, {"raunts", "rounds"}, {"rantss", NULL},
};

START_TEST(test_nearest_of_those_offered)
{
    struct near_word near = near_word_new(meant[_i].word);
    near_word_offer(&near, "run");
    near_word_offer(&near, "rung");
    near_word_offer(&near, "rounds");
    ck_assert_pstr_eq(near.nearest, meant[_i].want);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("near_word");
    TCase *tcase = test_case(suite, "near_word");
    tcase_add_loop_test(tcase, test_distance, 0, TABLE_LEN(pairs));
    tcase_add_loop_test(tcase, test_nearest_of_those_offered, 0, TABLE_LEN(meant));
    return suite;
}
