/* Themes as data: needs no terminal. */
#include "theme.h"

#include <string.h>

#include "test_main.h"

enum { BRIGHT_BLACK = 8 };

static struct theme theme;
static struct err err;

static void setup(void)
{
    theme = (struct theme){.name = ""};
    err = (struct err){0};
}

static const struct theme_paint *paint_of(enum style style)
{
    return &theme.paints[style];
}

static bool parse(const char *text)
{
    return theme_parse(text, strlen(text), &theme, &err);
}

START_TEST(test_names_are_the_six)
{
    static const char *const names[] = {"auto", "dark", "light", "mono", "contrast", "cb"};
    for (size_t i = 0; i < TABLE_LEN(names); i++)
        ck_assert_str_eq(theme_name_at(i), names[i]);
    ck_assert_ptr_null(theme_name_at(TABLE_LEN(names)));
    ck_assert(!theme_named("solarised", &theme));
}
END_TEST

/* Text is never in a color that common palettes hide. */
START_TEST(test_no_theme_hides_anything)
{
    const char *name;
    for (size_t i = 0; (name = theme_name_at(i)); i++) {
        ck_assert(theme_named(name, &theme));
        for (int style = 0; style < STYLE_COUNT; style++) {
            const struct theme_paint *paint = paint_of((enum style)style);
            ck_assert_msg(paint->front != BRIGHT_BLACK && paint->back != BRIGHT_BLACK, "%s: %s",
                          name, theme_style_name((enum style)style));
            ck_assert(paint->front < 16 && paint->back < 16); /* other colors only in `rich` */
        }
    }
}
END_TEST

START_TEST(test_mono_tells_states_apart_without_color)
{
    ck_assert(theme_named("mono", &theme));
    for (int style = 0; style < STYLE_COUNT; style++) {
        const struct theme_paint *paint = paint_of((enum style)style);
        ck_assert_int_eq(paint->front, THEME_DEFAULT);
        ck_assert_int_eq(paint->back, THEME_DEFAULT);
        ck_assert_int_eq(paint->rich, THEME_DEFAULT);
    }
    ck_assert(paint_of(STYLE_NEEDS_YOU)->reverse);
    ck_assert(paint_of(STYLE_FAILED)->bold && paint_of(STYLE_FAILED)->reverse);
    ck_assert(paint_of(STYLE_RUNNING)->bold && !paint_of(STYLE_RUNNING)->reverse);
    ck_assert(paint_of(STYLE_QUIET)->underline);
}
END_TEST

/* Red is both a normal phase and the color of failure: no phase may look like an end state. */
START_TEST(test_phases_have_no_color_of_an_end)
{
    const char *name;
    for (size_t i = 0; (name = theme_name_at(i)); i++) {
        ck_assert(theme_named(name, &theme));
        if (theme.is_mono)
            continue;
        for (int style = STYLE_PHASE_RED; style <= STYLE_PHASE_REFACTOR; style++) {
            const struct theme_paint *phase = paint_of((enum style)style);
            ck_assert(memcmp(phase, paint_of(STYLE_FAILED), sizeof(*phase)) != 0);
            ck_assert(memcmp(phase, paint_of(STYLE_PASSED), sizeof(*phase)) != 0);
        }
    }
}
END_TEST

/* A waiting task must not look like one that needs the user just because it is selected. */
START_TEST(test_a_chosen_cell_keeps_the_colors_of_its_state)
{
    const char *name;
    for (size_t i = 0; (name = theme_name_at(i)); i++) {
        ck_assert(theme_named(name, &theme));
        for (int style = 0; style < STYLE_COUNT; style++) {
            const struct cell cell = {.rune = 'x', .style = (uint8_t)style, .chosen = true};
            const struct theme_paint *want = paint_of((enum style)style);
            const struct theme_paint paint = theme_paint(&theme, &cell);
            ck_assert(paint.bold);
            ck_assert_int_eq(paint.front, want->front);
            ck_assert_int_eq(paint.back, want->back);
            ck_assert_int_eq(paint.reverse, want->reverse);
        }
    }
}
END_TEST

START_TEST(test_a_cell_under_the_cursor_is_changed_over)
{
    struct cell cell = {.rune = 'x', .style = STYLE_NEEDS_YOU};
    ck_assert(theme_named("auto", &theme));
    ck_assert(!theme_paint(&theme, &cell).reverse);
    cell.pointed = true;
    ck_assert(theme_paint(&theme, &cell).reverse);
    cell.style = STYLE_REPLAY;
    ck_assert(!theme_paint(&theme, &cell).reverse);
}
END_TEST

START_TEST(test_own_theme_differs_where_it_says_so)
{
    ck_assert_msg(parse("{\"// mine\": 1, \"like\": \"dark\",\n"
                        " \"backoff\": {\"fg\": 214, \"bold\": true},\n"
                        " \"failed\": {\"fg\": \"bright-white\", \"bg\": \"red\"},\n"
                        " \"rule\": {\"fg\": \"default\", \"underline\": false}}"),
                  "%s", err.message);
    ck_assert_int_eq(paint_of(STYLE_BACKOFF)->front, 214);
    ck_assert(paint_of(STYLE_BACKOFF)->bold);
    ck_assert_int_eq(paint_of(STYLE_FAILED)->front, 15);
    ck_assert_int_eq(paint_of(STYLE_FAILED)->back, 1);
    ck_assert_int_eq(paint_of(STYLE_RULE)->front, THEME_DEFAULT);
    ck_assert_int_eq(paint_of(STYLE_PASSED)->front, 10); /* as in "dark" */
    ck_assert(!theme.is_mono);
}
END_TEST

START_TEST(test_own_theme_without_colors_is_none)
{
    ck_assert(parse("{\"like\": \"mono\", \"held\": {\"bold\": true}}"));
    ck_assert(theme.is_mono);
    ck_assert(parse("{\"like\": \"mono\", \"held\": {\"fg\": \"blue\"}}"));
    ck_assert(!theme.is_mono);
}
END_TEST

START_TEST(test_own_theme_without_a_word_is_auto)
{
    struct theme builtin;
    ck_assert(theme_named("auto", &builtin));
    ck_assert(parse("{}"));
    ck_assert_mem_eq(theme.paints, builtin.paints, sizeof(theme.paints));
}
END_TEST

static const struct {
    const char *name, *text, *want;
} bad_cases[] = {
    {"no JSON", "{\n\"like\" \"dark\"}", "line 2: "},
    {"a list", "[]", "line 1: a theme must be an object of styles"},
    {"like", "{\n\n\"like\": \"neon\"}", "line 3: like: not a built-in theme"},
    {"like a number", "{\"like\": 7}", "line 1: like: not a built-in theme"},
    {"style", "{\"like\": \"dark\",\n\"runing\": {}}", "line 2: runing: no such style"},
    {"style is no object", "{\n\"running\": \"cyan\"}", "line 2: running: must be an object"},
    {"member", "{\n\"running\": {\n\"color\": 3}}", "line 3: running.color: unknown; expected fg"},
    {"color name", "{\n\"held\": {\"bold\": true,\n\"fg\": \"mauve\"}}",
     "line 3: held.fg: invalid color"},
    {"color number", "{\"held\": {\"bg\": 256}}", "line 1: held.bg: invalid color"},
    {"color below", "{\"held\": {\"bg\": -1}}", "line 1: held.bg: invalid color"},
    {"flag", "{\n\n\n\"held\": {\"bold\": 1}}", "line 4: held.bold: must be true or false"},
    {"second of two", "{\"held\": {\"fg\": 1},\n\"quiet\": {\"fg\": \"x\"}}",
     "line 2: quiet.fg: invalid color"},
};

START_TEST(test_errors_name_the_line)
{
    theme.name[0] = '!';
    ck_assert_msg(!parse(bad_cases[_i].text), "%s", bad_cases[_i].name);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(strncmp(err.message, bad_cases[_i].want, strlen(bad_cases[_i].want)) == 0,
                  "%s: %s", bad_cases[_i].name, err.message);
    ck_assert_int_eq(theme.name[0], '!'); /* untouched */
}
END_TEST

START_TEST(test_every_style_can_be_named)
{
    for (int style = 0; style < STYLE_COUNT; style++) {
        struct str text = {0};
        str_addf(&text, "{\"%s\": {\"fg\": 3}}", theme_style_name((enum style)style));
        ck_assert_msg(parse(str_text(&text)), "%s", err.message);
        ck_assert_int_eq(paint_of((enum style)style)->front, 3);
        str_done(&text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("theme");
    TCase *builtin = test_case(suite, "built in");
    tcase_add_checked_fixture(builtin, setup, NULL);
    tcase_add_test(builtin, test_names_are_the_six);
    tcase_add_test(builtin, test_no_theme_hides_anything);
    tcase_add_test(builtin, test_mono_tells_states_apart_without_color);
    tcase_add_test(builtin, test_phases_have_no_color_of_an_end);
    tcase_add_test(builtin, test_a_chosen_cell_keeps_the_colors_of_its_state);
    tcase_add_test(builtin, test_a_cell_under_the_cursor_is_changed_over);
    TCase *own = test_case(suite, "own");
    tcase_add_checked_fixture(own, setup, NULL);
    tcase_add_test(own, test_own_theme_differs_where_it_says_so);
    tcase_add_test(own, test_own_theme_without_colors_is_none);
    tcase_add_test(own, test_own_theme_without_a_word_is_auto);
    tcase_add_loop_test(own, test_errors_name_the_line, 0, TABLE_LEN(bad_cases));
    tcase_add_test(own, test_every_style_can_be_named);
    return suite;
}
