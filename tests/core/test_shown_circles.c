#include <string.h>

#include "fingerprint.h"
#include "json.h"
#include "shown.h"
#include "test_main.h"

static const struct {
    struct entropy_verdict verdict;
    const char *words, *brief, *equal;
} rows[] = {
    {{.level = ENTROPY_OK, .rung = ENTROPY_RUNG_REPEAT, .count = 9}, "", "", ""},
    {{.level = ENTROPY_SUSPECT, .rung = ENTROPY_RUNG_REPEAT, .count = 3, .period = 1},
     "same result 3 times",
     "loop? 3x",
     "the call and its result"},
    {{.level = ENTROPY_SUSPECT, .rung = ENTROPY_RUNG_REPEAT, .count = 10, .period = 1},
     "same result 10 times",
     "loop? 10x",
     "the call and its result"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_REPEAT, .count = 5, .period = 1},
     "same result 5 times",
     "same 5x",
     "the call and its result"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_CYCLE, .count = 3, .period = 2},
     "3 laps of 2 steps",
     "cycle 3x",
     "the calls of each lap and their results"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_FAILURE, .count = 8},
     "same failure 8 times",
     "fault 8x",
     "the call and how it fails"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_BARREN, .count = 16},
     "nothing new in 16 tries",
     "no news 16x",
     "no result has a new line"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_PAUSE, .count = 20},
     "20 pauses and nothing else",
     "pauses 20x",
     "nothing but waiting"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_MONOLOGUE, .count = 5},
     "5 similar messages",
     "alike 5x",
     "the text of the messages"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_CHANT, .count = 1},
     "one message repeats itself",
     "chants",
     "the parts of one message"},
};

START_TEST(test_each_rung_has_its_words)
{
    enum { CLASS_COLUMN = 11 };
    struct str words = {0}, brief = {0};
    shown_circle_words(&(struct shown_circle){.verdict = rows[_i].verdict}, &words);
    shown_circles_brief(&rows[_i].verdict, &brief);
    ck_assert_str_eq(str_text(&words), rows[_i].words);
    ck_assert_str_eq(str_text(&brief), rows[_i].brief);
    ck_assert_uint_le(brief.len, CLASS_COLUMN);
    ck_assert_str_eq(shown_circles_equal(&rows[_i].verdict), rows[_i].equal);
    str_done(&words);
    str_done(&brief);
}
END_TEST

/* What a decision's or an event's text says, read for try 6 of step 1. */
static const struct {
    const char *text;
    const char *words; /* NULL = nothing of circles */
    const char *span;
} texts[] = {
    {"{\"rung\":\"repeat\",\"count\":5,\"period\":1,\"first\":2,\"last\":6,\"masked\":true}",
     "same result 5 times", "tries 2 to 6"},
    {"{\"rung\":\"cycle\",\"count\":3,\"period\":2,\"first\":1,\"last\":6}", "3 laps of 2 steps",
     "tries 1 to 6"},
    {"{\"rung\":\"barren\",\"count\":8,\"first\":4,\"last\":6,\"first_step\":0}",
     "nothing new in 8 tries", "step 1 try 4 to step 2 try 6"},
    {"{\"rung\":\"chant\",\"count\":1,\"first\":6,\"last\":6}", "one message repeats itself",
     "try 6"},
    {"{\"used\":3,\"allowed\":9,\"same\":3,\"window\":3}", "same result 3 times", "tries 4 to 6"},
    {"{\"used\":2,\"allowed\":9,\"same\":2,\"same_stops\":2}", "same result 2 times",
     "tries 5 to 6"},
    {"{\"used\":3,\"allowed\":3,\"same\":3}", NULL, NULL},
    {"{\"of\":\"calls\",\"rung\":\"repeat\",\"count\":5,\"first\":2,\"last\":10}",
     "same result 5 times", "calls and messages 2 to 10"},
    {"{\"of\":\"calls\",\"rung\":\"chant\",\"count\":5,\"first\":4,\"last\":4}",
     "one message repeats itself", "call or message 4"},
    {"{\"rung\":\"none\",\"count\":5}", NULL, NULL},
    {"{\"rung\":\"of another devs\",\"count\":5}", NULL, NULL},
    {"{\"rung\":7,\"count\":\"many\"}", NULL, NULL},
    {"{\"rung\":\"repeat\",\"count\":-5,\"first\":99999999999}", "same result 0 times", "try 6"},
    {"[]", NULL, NULL},
};

START_TEST(test_text_of_the_log_has_its_words)
{
    struct shown_circle circle;
    struct json *json = NULL;
    struct str words = {0}, span = {0};
    ck_assert(json_parse(texts[_i].text, strlen(texts[_i].text), &json, NULL, NULL));
    bool found = shown_circles_read(json, 1, 6, &circle);
    ck_assert_int_eq(found, texts[_i].words != NULL);
    if (found) {
        ck_assert_int_eq(circle.verdict.level, ENTROPY_STUCK);
        ck_assert_int_eq(circle.verdict.masked, strstr(texts[_i].text, "masked") != NULL);
        shown_circle_words(&circle, &words);
        shown_circles_span(&circle, 1, &span);
        ck_assert_str_eq(str_text(&words), texts[_i].words);
        ck_assert_str_eq(str_text(&span), texts[_i].span);
    }
    str_done(&words);
    str_done(&span);
    json_free(json);
}
END_TEST

static const struct {
    unsigned masks;
    const char *want;
} mask_rows[] = {
    {0, ""},
    {1U << NORMALISER_TIMES, "times"},
    {1U << NORMALISER_TIMES | 1U << NORMALISER_TEMPS | 1U << NORMALISER_ARGUMENTS,
     "times, temp paths, arguments"},
    {1U << NORMALISER_MASK_COUNT, ""},
};

START_TEST(test_masks_have_names)
{
    struct str text = {0};
    shown_masks(mask_rows[_i].masks, &text);
    ck_assert_str_eq(str_text(&text), mask_rows[_i].want);
    str_done(&text);
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
    tcase_add_loop_test(tcase, test_text_of_the_log_has_its_words, 0, TABLE_LEN(texts));
    tcase_add_loop_test(tcase, test_masks_have_names, 0, TABLE_LEN(mask_rows));
    tcase_add_loop_test(tcase, test_share_of_new_lines_is_cut_to_two_digits, 0, TABLE_LEN(shares));
    return suite;
}
