#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "canvas_write.h"
#include "test_main.h"
#include "text.h"

static struct canvas canvas;
static struct str as_text;

static void setup(void)
{
    canvas_init(&canvas, 2, 10, false);
}

static void teardown(void)
{
    canvas_done(&canvas);
    str_done(&as_text);
}

static const char *drawn(void)
{
    str_clear(&as_text);
    canvas_to_text(&canvas, &as_text);
    return str_text(&as_text);
}

enum { NO_WIDTH = -1 };

/* On a canvas of 2 rows and 10 columns. */
static const struct {
    const char *name, *text, *want;
    int used; /* columns */
    bool ascii;
    int row, column;
    int width; /* 0: 10 */
} text_cases[] = {
    {"plain", "abc", " abc\n\n", .used = 3, .column = 1},
    {"nothing", "", "\n\n", .used = 0, .column = 1},
    {"as long as it may be", "abc", "abc\n\n", .used = 3, .width = 3},
    {"too long", "abcd", "ab…\n\n", .used = 3, .width = 3},
    {"too long in ASCII", "abcd", "ab.\n\n", .used = 3, .ascii = true, .width = 3},
    {"one column", "ab", "…\n\n", .used = 1, .width = 1},
    {"no column", "ab", "\n\n", .used = 0, .width = NO_WIDTH},
    {"negative width", "ab", "\n\n", .used = 0, .width = -4},
    {"cut at the edge", "abcdef", "\n       ab…\n", .used = 3, .row = 1, .column = 7},
    {"right of the edge", "abc", "\n\n", .used = 0, .column = 10, .width = 5},
    {"left of the edge", "abcd", "cd\n\n", .used = 4, .column = -2},
    {"above", "abc", "\n\n", .used = 3, .row = -1},
    {"below", "abc", "\n\n", .used = 3, .row = 2},
    {"controls", "a\033[1m\tb", "a?[1m?b\n\n", .used = 7},
    {"C1 control",
     "a\xc2\x9b"
     "b",
     "a?b\n\n", .used = 3},
    {"not UTF-8", "a\xff\xc3", "a??\n\n", .used = 3},
    {"direction mark", "a\u202eb", "a?b\n\n", .used = 3},
    {"wide", "日本x", "日本x\n\n", .used = 5},
    {"wide that does not fit", "日本語", "日…\n\n", .used = 3, .width = 4},
    {"wide over the left edge", "日x", " x\n\n", .used = 3, .column = -1},
    {"mark", "e\u0301x", "e\u0301x\n\n", .used = 2},
    {"mark with nothing before it", "\u0301x", "x\n\n", .used = 1},
    {"variant selector is left out", "x\ufe0fy", "xy\n\n", .used = 2},
    {"signs in ASCII", "✓✗↻●…─❚⊘▸·", "+x~*.-=/>.\n\n", .used = 10, .ascii = true},
    {"others in ASCII", "aéb日", "a?b?\n\n", .used = 4, .ascii = true},
    {"mark in ASCII", "e\u0301x", "ex\n\n", .used = 2, .ascii = true},
};

START_TEST(test_text)
{
    const int width = text_cases[_i].width;
    const struct spot spot = {.row = text_cases[_i].row,
                              .column = text_cases[_i].column,
                              .width = width == NO_WIDTH ? 0
                                       : width == 0      ? 10
                                                         : width};
    canvas.ascii = text_cases[_i].ascii;

    int used = canvas_text(&canvas, spot, STYLE_PLAIN, text_cases[_i].text);

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

static void add_canvas_cases(Suite *suite)
{
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
}

enum { ROWS = 4, COLUMNS = 12 };

/* A terminal that understands the output of canvas_ansi(): cursor positions and runes, nothing
 * else. */
struct glass {
    uint32_t runes[ROWS][COLUMNS]; /* 0 = right half of a wide rune */
    int row, column;
};

static struct canvas was, is;
static struct theme theme;
static struct str out;
static struct glass glass;

static void setup_ansi(void)
{
    canvas_init(&was, ROWS, COLUMNS, false);
    canvas_init(&is, ROWS, COLUMNS, false);
    ck_assert(theme_named("auto", &theme));
    out = (struct str){0};
    glass = (struct glass){0};
}

static void teardown_ansi(void)
{
    canvas_done(&was);
    canvas_done(&is);
    str_done(&out);
}

static size_t take_escape(const char *bytes)
{
    const size_t len = 2 + strspn(bytes + 2, "0123456789;");
    const char end = bytes[len];
    if (strncmp(bytes, "\x1b[?25l", 6) == 0)
        return 6;
    if (strncmp(bytes, "\x1b[2J", 4) == 0) {
        for (int i = 0; i < ROWS * COLUMNS; i++)
            glass.runes[i / COLUMNS][i % COLUMNS] = ' ';
    } else if (end == 'H') {
        char *rest = NULL;
        glass.row = (int)strtol(bytes + 2, &rest, 10) - 1;
        glass.column = (int)strtol(rest + 1, NULL, 10) - 1;
    } else {
        ck_assert_int_eq(end, 'm');
    }
    return len + 1;
}

static void show(const struct str *bytes)
{
    for (size_t i = 0; i < bytes->len;) {
        uint32_t rune = 0;
        if (bytes->data[i] == '\x1b') {
            i += take_escape(bytes->data + i);
            continue;
        }
        i += (size_t)text_rune(bytes->data + i, bytes->len - i, &rune);
        const int width = rune_width(rune);
        ck_assert_int_lt(glass.row, ROWS);
        ck_assert_int_le(glass.column + width, COLUMNS);
        if (width == 0)
            continue;
        glass.runes[glass.row][glass.column] = rune;
        if (width == 2)
            glass.runes[glass.row][glass.column + 1] = 0;
        glass.column += width;
    }
}

static void check_glass(void)
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        ck_assert_uint_eq(glass.runes[i / COLUMNS][i % COLUMNS], is.cells[i].rune);
}

static void draw(struct canvas *onto, int row, int column, const char *words)
{
    (void)canvas_text(onto, (struct spot){.row = row, .column = column, .width = COLUMNS - column},
                      STYLE_PLAIN, words);
}

START_TEST(test_a_whole_frame_comes_over)
{
    draw(&is, 0, 0, "one \xe6\xbc\xa2 two");
    draw(&is, 3, 6, "e\xcc\x81nd");
    canvas_ansi(NULL, &is, &theme, &out);
    show(&out);
    check_glass();
    ck_assert_ptr_nonnull(strstr(str_text(&out), "e\xcc\x81"));
}
END_TEST

START_TEST(test_only_what_differs_is_written)
{
    draw(&was, 0, 0, "try 1 of 6");
    draw(&was, 2, 0, "a \xe6\xbc\xa2 b");
    draw(&is, 0, 0, "try 2 of 6");
    draw(&is, 2, 0, "a xy b");
    canvas_ansi(NULL, &was, &theme, &out);
    show(&out);
    str_clear(&out);
    canvas_ansi(&was, &is, &theme, &out);
    ck_assert_str_eq(str_text(&out), "\x1b[1;5H\x1b[0m2\x1b[3;3Hxy\x1b[0m");
    show(&out);
    check_glass();
}
END_TEST

START_TEST(test_the_same_frame_is_no_byte)
{
    draw(&was, 1, 1, "same");
    draw(&is, 1, 1, "same");
    canvas_ansi(&was, &is, &theme, &out);
    ck_assert_uint_eq(out.len, 0);
}
END_TEST

START_TEST(test_colors_are_those_of_the_theme)
{
    (void)canvas_text(&is, (struct spot){.width = 4}, STYLE_FAILED, "x");
    theme.paints[STYLE_FAILED] = (struct theme_paint){
        .front = 9, .back = 4, .rich = THEME_DEFAULT, .bold = true, .underline = true};
    canvas_ansi(&was, &is, &theme, &out);
    ck_assert_str_eq(str_text(&out), "\x1b[1;1H\x1b[0;1;4;91;44mx\x1b[0m");
    theme.paints[STYLE_FAILED] =
        (struct theme_paint){.front = 1, .back = THEME_DEFAULT, .rich = 208, .reverse = true};
    str_clear(&out);
    canvas_ansi(&was, &is, &theme, &out);
    ck_assert_str_eq(str_text(&out), "\x1b[1;1H\x1b[0;7;38;5;208mx\x1b[0m");
    theme.is_mono = true;
    str_clear(&out);
    canvas_ansi(&was, &is, &theme, &out);
    ck_assert_str_eq(str_text(&out), "\x1b[1;1H\x1b[0;7mx\x1b[0m");
}
END_TEST

static void add_ansi_cases(Suite *suite)
{
    TCase *frames = test_case(suite, "frames");
    tcase_add_checked_fixture(frames, setup_ansi, teardown_ansi);
    tcase_add_test(frames, test_a_whole_frame_comes_over);
    tcase_add_test(frames, test_only_what_differs_is_written);
    tcase_add_test(frames, test_the_same_frame_is_no_byte);
    tcase_add_test(frames, test_colors_are_those_of_the_theme);
}

static struct str picture;

static void setup_svg(void)
{
    canvas_init(&canvas, 1, 20, false);
}

static void teardown_svg(void)
{
    canvas_done(&canvas);
    str_done(&picture);
}

static const char *drawn_svg(const char *theme_name, const char *title)
{
    struct theme chosen;
    ck_assert(theme_named(theme_name, &chosen));
    str_clear(&picture);
    svg_write(&canvas, &chosen, title, &picture);
    return str_text(&picture);
}

/* Plan names and task titles are untrusted text. */
START_TEST(test_no_byte_of_a_title_or_a_cell_breaks_the_picture)
{
    const char *hostile = "a\x1b[31m<b>\x01&\xe2\x80\xae\xff\xef\xbf\xbe";
    canvas_text(&canvas, (struct spot){0, 0, 20}, STYLE_PLAIN, hostile);
    const char *svg = drawn_svg("auto", hostile);
    for (const char *at = svg; *at != '\0'; at++)
        ck_assert_msg((unsigned char)*at >= ' ' || *at == '\n', "byte %d", *at);
    ck_assert_ptr_null(strstr(svg, "<b>"));
    ck_assert_ptr_null(strstr(svg, "\xe2\x80\xae"));
    ck_assert_ptr_null(strstr(svg, "\xef\xbf\xbe"));
    ck_assert_ptr_null(strstr(svg, "\xff"));
    ck_assert_msg(strstr(svg, "<title id=\"title\">a&lt;b&gt;") != NULL, "%s", svg);
}
END_TEST

START_TEST(test_a_light_theme_has_a_light_ground)
{
    char dark[64] = "";
    const char *fill = strstr(drawn_svg("dark", "run"), "rx=\"6\" fill=\"");
    ck_assert_ptr_nonnull(fill);
    (void)snprintf(dark, sizeof(dark), "%.24s", fill);
    ck_assert_ptr_null(strstr(drawn_svg("light", "run"), dark));
    ck_assert_ptr_nonnull(strstr(drawn_svg("auto", "run"), dark));
}
END_TEST

static void add_svg_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "svg");
    tcase_add_checked_fixture(tcase, setup_svg, teardown_svg);
    tcase_add_test(tcase, test_no_byte_of_a_title_or_a_cell_breaks_the_picture);
    tcase_add_test(tcase, test_a_light_theme_has_a_light_ground);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("canvas");
    add_canvas_cases(suite);
    add_ansi_cases(suite);
    add_svg_cases(suite);
    return suite;
}
