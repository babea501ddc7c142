#include "canvas_write.h"

#include <stdlib.h>
#include <string.h>

#include "test_main.h"
#include "text.h"

enum { ROWS = 4, COLUMNS = 12 };

/* A terminal that knows what canvas_ansi() writes: where the pen goes, runes, and nothing else. */
struct glass {
    uint32_t runes[ROWS][COLUMNS]; /* 0 = right half of a wide one */
    int row, column;
};

static struct canvas was, is;
static struct theme theme;
static struct str out;
static struct glass glass;

static void setup(void)
{
    canvas_init(&was, ROWS, COLUMNS, false);
    canvas_init(&is, ROWS, COLUMNS, false);
    ck_assert(theme_named("auto", &theme));
    out = (struct str){0};
    glass = (struct glass){0};
}

static void teardown(void)
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

static void draw(struct canvas *canvas, int row, int column, const char *text)
{
    (void)canvas_text(canvas,
                      (struct spot){.row = row, .column = column, .width = COLUMNS - column},
                      STYLE_PLAIN, text);
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

START_TEST(test_colours_are_those_of_the_theme)
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("canvas_ansi");
    TCase *frames = test_case(suite, "frames");
    tcase_add_checked_fixture(frames, setup, teardown);
    tcase_add_test(frames, test_a_whole_frame_comes_over);
    tcase_add_test(frames, test_only_what_differs_is_written);
    tcase_add_test(frames, test_the_same_frame_is_no_byte);
    tcase_add_test(frames, test_colours_are_those_of_the_theme);
    return suite;
}
