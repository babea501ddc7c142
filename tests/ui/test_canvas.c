#include "canvas.h"

#include <string.h>

#include "test_main.h"

static struct canvas canvas;
static struct str text;

static void setup(void)
{
    canvas_init(&canvas, 2, 10, false);
}

static void teardown(void)
{
    canvas_done(&canvas);
    str_done(&text);
}

static const char *drawn(void)
{
    str_clear(&text);
    canvas_to_text(&canvas, &text);
    return str_text(&text);
}

static const struct {
    const char *name;
    bool ascii;
    struct spot spot;
    const char *text, *want;
    int used;
} text_cases[] = {
    {"plain", false, {0, 1, 10}, "abc", " abc\n\n", 3},
    {"nothing", false, {0, 1, 10}, "", "\n\n", 0},
    {"as long as it may be", false, {0, 0, 3}, "abc", "abc\n\n", 3},
    {"too long", false, {0, 0, 3}, "abcd", "ab…\n\n", 3},
    {"too long in ASCII", true, {0, 0, 3}, "abcd", "ab.\n\n", 3},
    {"one column", false, {0, 0, 1}, "ab", "…\n\n", 1},
    {"no column", false, {0, 0, 0}, "ab", "\n\n", 0},
    {"negative width", false, {0, 0, -4}, "ab", "\n\n", 0},
    {"cut at the edge", false, {1, 7, 10}, "abcdef", "\n       ab…\n", 3},
    {"right of the edge", false, {0, 10, 5}, "abc", "\n\n", 0},
    {"left of the edge", false, {0, -2, 10}, "abcd", "cd\n\n", 4},
    {"above", false, {-1, 0, 10}, "abc", "\n\n", 3},
    {"below", false, {2, 0, 10}, "abc", "\n\n", 3},
    {"controls", false, {0, 0, 10}, "a\033[1m\tb", "a?[1m?b\n\n", 7},
    {"C1 control",
     false,
     {0, 0, 10},
     "a\xc2\x9b"
     "b",
     "a?b\n\n",
     3},
    {"not UTF-8", false, {0, 0, 10}, "a\xff\xc3", "a??\n\n", 3},
    {"direction mark", false, {0, 0, 10}, "a\u202eb", "a?b\n\n", 3},
    {"wide", false, {0, 0, 10}, "日本x", "日本x\n\n", 5},
    {"wide that does not fit", false, {0, 0, 4}, "日本語", "日…\n\n", 3},
    {"wide over the left edge", false, {0, -1, 10}, "日x", " x\n\n", 3},
    {"mark", false, {0, 0, 10}, "e\u0301x", "e\u0301x\n\n", 2},
    {"mark with nothing before it", false, {0, 0, 10}, "\u0301x", "x\n\n", 1},
    {"variant selector is left out", false, {0, 0, 10}, "x\ufe0fy", "xy\n\n", 2},
    {"signs in ASCII", true, {0, 0, 10}, "✓✗↻●…─❚⊘▸·", "+x~*.-=/>.\n\n", 10},
    {"others in ASCII", true, {0, 0, 10}, "aéb日", "a?b?\n\n", 4},
    {"mark in ASCII", true, {0, 0, 10}, "e\u0301x", "ex\n\n", 2},
};

START_TEST(test_text)
{
    canvas.ascii = text_cases[_i].ascii;

    int used = canvas_text(&canvas, text_cases[_i].spot, STYLE_PLAIN, text_cases[_i].text);

    ck_assert_msg(strcmp(drawn(), text_cases[_i].want) == 0, "%s: '%s'", text_cases[_i].name,
                  drawn());
    ck_assert_msg(used == text_cases[_i].used, "%s: used %d", text_cases[_i].name, used);
}
END_TEST

static const struct {
    const char *name;
    int column;
    const char *over, *want;
} overwrite_cases[] = {
    {"left half", 2, "x", "  x b\n\n"},
    {"right half", 3, "x", "   xb\n\n"},
    {"by a wide one on its left half", 1, "本", " 本 b\n\n"},
    {"by a wide one on its right half", 3, "本", "   本\n\n"},
    {"exactly", 2, "本", "  本b\n\n"},
};

START_TEST(test_half_of_a_wide_rune_becomes_blank)
{
    canvas_text(&canvas, (struct spot){0, 2, 8}, STYLE_PLAIN, "日b");

    canvas_text(&canvas, (struct spot){0, overwrite_cases[_i].column, 8}, STYLE_PLAIN,
                overwrite_cases[_i].over);

    ck_assert_msg(strcmp(drawn(), overwrite_cases[_i].want) == 0, "%s: '%s'",
                  overwrite_cases[_i].name, drawn());
}
END_TEST

START_TEST(test_style_and_halves_are_kept)
{
    canvas_text(&canvas, (struct spot){1, 4, 6}, STYLE_FAILED, "日");

    ck_assert_uint_eq(canvas_cell(&canvas, 1, 4)->rune, 0x65e5);
    ck_assert_uint_eq(canvas_cell(&canvas, 1, 5)->rune, 0);
    ck_assert_uint_eq(canvas_cell(&canvas, 1, 5)->style, STYLE_FAILED);
    ck_assert_uint_eq(canvas_cell(&canvas, 1, 6)->style, STYLE_PLAIN);
}
END_TEST

START_TEST(test_len_is_respected)
{
    ck_assert_int_eq(canvas_text_n(&canvas, (struct spot){0, 0, 10}, STYLE_PLAIN, "a\0cdef", 3), 3);
    ck_assert_str_eq(drawn(), "a?c\n\n");
}
END_TEST

START_TEST(test_rule)
{
    canvas_rule(&canvas, 0, -3, 5);
    canvas_rule(&canvas, 1, 8, 100);
    canvas_rule(&canvas, 7, 0, 5);
    ck_assert_str_eq(drawn(), "──\n        ──\n");
    canvas.ascii = true;
    canvas_rule(&canvas, 0, 0, 3);
    ck_assert_str_eq(drawn(), "---\n        ──\n");
}
END_TEST

START_TEST(test_chosen_outlives_text)
{
    canvas_choose(&canvas, 1, 8, 100);
    canvas_choose(&canvas, 9, 0, 3);
    canvas_text(&canvas, (struct spot){1, 0, 10}, STYLE_PLAIN, "0123456789");

    ck_assert(!canvas_cell(&canvas, 1, 7)->chosen);
    ck_assert(canvas_cell(&canvas, 1, 8)->chosen);
    ck_assert(canvas_cell(&canvas, 1, 9)->chosen);
    ck_assert(!canvas_cell(&canvas, 0, 9)->chosen);
}
END_TEST

START_TEST(test_cell_outside_is_null)
{
    ck_assert_ptr_null(canvas_cell(&canvas, -1, 0));
    ck_assert_ptr_null(canvas_cell(&canvas, 2, 0));
    ck_assert_ptr_null(canvas_cell(&canvas, 0, -1));
    ck_assert_ptr_null(canvas_cell(&canvas, 0, 10));
    ck_assert_ptr_nonnull(canvas_cell(&canvas, 1, 9));
}
END_TEST

START_TEST(test_size_is_clamped)
{
    canvas_resize(&canvas, 0, -5);
    ck_assert_int_eq(canvas.rows, 1);
    ck_assert_int_eq(canvas.columns, 1);
    canvas_resize(&canvas, 1, CANVAS_COLUMNS_MAX + 1);
    ck_assert_int_eq(canvas.columns, CANVAS_COLUMNS_MAX);
}
END_TEST

START_TEST(test_resize_blanks)
{
    canvas_text(&canvas, (struct spot){0, 0, 10}, STYLE_PLAIN, "abc");
    canvas.cursor_row = 1;
    canvas_resize(&canvas, 2, 10);
    ck_assert_str_eq(drawn(), "\n\n");
    ck_assert_int_eq(canvas.cursor_row, -1);
}
END_TEST

START_TEST(test_equal_sees_every_difference)
{
    struct canvas other;
    canvas_init(&other, 2, 10, false);
    struct cell *cell = canvas_cell(&other, 1, 9);
    ck_assert(canvas_equal(&canvas, &other));

    cell->rune = 'x';
    ck_assert(!canvas_equal(&canvas, &other));
    cell->rune = ' ';
    cell->mark = 0x301;
    ck_assert(!canvas_equal(&canvas, &other));
    cell->mark = 0;
    cell->style = STYLE_RULE;
    ck_assert(!canvas_equal(&canvas, &other));
    cell->style = STYLE_PLAIN;
    cell->chosen = true;
    ck_assert(!canvas_equal(&canvas, &other));
    cell->chosen = false;
    other.cursor_row = 0;
    ck_assert(!canvas_equal(&canvas, &other));
    other.cursor_row = -1;
    ck_assert(canvas_equal(&canvas, &other));
    canvas_resize(&other, 2, 11);
    ck_assert(!canvas_equal(&canvas, &other));
    canvas_done(&other);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("canvas");
    TCase *tcase = test_case(suite, "canvas");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_text, 0, TABLE_LEN(text_cases));
    tcase_add_loop_test(tcase, test_half_of_a_wide_rune_becomes_blank, 0,
                        TABLE_LEN(overwrite_cases));
    tcase_add_test(tcase, test_style_and_halves_are_kept);
    tcase_add_test(tcase, test_len_is_respected);
    tcase_add_test(tcase, test_rule);
    tcase_add_test(tcase, test_chosen_outlives_text);
    tcase_add_test(tcase, test_cell_outside_is_null);
    tcase_add_test(tcase, test_size_is_clamped);
    tcase_add_test(tcase, test_resize_blanks);
    tcase_add_test(tcase, test_equal_sees_every_difference);
    return suite;
}
