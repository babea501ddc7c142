#include "shown.h"
#include "test_main.h"

static const struct {
    struct entropy_verdict verdict;
    const char *words, *brief, *equal;
} rows[] = {
    {{.level = ENTROPY_OK, .rung = ENTROPY_RUNG_REPEAT, .count = 9}, "", "", ""},
    {{.level = ENTROPY_SUSPECT, .rung = ENTROPY_RUNG_REPEAT, .count = 3, .period = 1},
     "same result 3 times",
     "circles? 3x",
     "the call and its result"},
    {{.level = ENTROPY_SUSPECT, .rung = ENTROPY_RUNG_REPEAT, .count = 10, .period = 1},
     "same result 10 times",
     "circles? 10",
     "the call and its result"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_REPEAT, .count = 5, .period = 1},
     "same result 5 times",
     "same 5x",
     "the call and its result"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_CYCLE, .count = 3, .period = 2},
     "3 laps of 2 steps",
     "laps 3x",
     "the calls of each lap and their results"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_FAILURE, .count = 8},
     "same failure 8 times",
     "fault 8x",
     "the call and how it fails"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_BARREN, .count = 16},
     "nothing new in 16 tries",
     "no news 16x",
     "no result has a line that was not there before"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_PAUSE, .count = 20},
     "20 pauses and nothing else",
     "pauses 20x",
     "nothing is done but to wait"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_MONOLOGUE, .count = 5},
     "5 messages alike",
     "alike 5x",
     "what the messages say"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_CHANT, .count = 1},
     "one message says the same over and over",
     "chants",
     "the parts of one message"},
};

START_TEST(test_each_rung_has_its_words)
{
    enum { CLASS_COLUMN = 11 };
    struct str words = {0}, brief = {0};
    shown_circles(&rows[_i].verdict, &words);
    shown_circles_brief(&rows[_i].verdict, &brief);
    ck_assert_str_eq(str_text(&words), rows[_i].words);
    ck_assert_str_eq(str_text(&brief), rows[_i].brief);
    ck_assert_uint_le(brief.len, CLASS_COLUMN);
    ck_assert_str_eq(shown_circles_equal(&rows[_i].verdict), rows[_i].equal);
    str_done(&words);
    str_done(&brief);
}
END_TEST

static const struct {
    int permille;
    const char *want;
} shares[] = {{-1, ""},    {0, ".00"},   {4, ".00"},   {40, ".04"},
              {49, ".04"}, {610, ".61"}, {999, ".99"}, {1000, "1.0"}};

START_TEST(test_share_of_new_lines_is_cut_to_two_digits)
{
    struct str text = {0};
    shown_new(shares[_i].permille, &text);
    ck_assert_str_eq(str_text(&text), shares[_i].want);
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shown_circles");
    TCase *tcase = test_case(suite, "words");
    tcase_add_loop_test(tcase, test_each_rung_has_its_words, 0, TABLE_LEN(rows));
    tcase_add_loop_test(tcase, test_share_of_new_lines_is_cut_to_two_digits, 0, TABLE_LEN(shares));
    return suite;
}
