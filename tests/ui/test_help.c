#include "help.h"

#include <string.h>

#include "term.h"
#include "test_main.h"

static struct help help;
static struct canvas canvas;
static struct str text;

static void setup(void)
{
    canvas_init(&canvas, 24, 80, false);
    help_open(&help, keymap_builtin(), (struct key_place){KEYMAP_LIVE, SCREEN_TASKS});
}

static void teardown(void)
{
    canvas_done(&canvas);
    str_done(&text);
}

static const char *drawn(void)
{
    help_draw(&help, &canvas, &(struct help_about){.screen = "Tasks", .target = "T-104"});
    str_clear(&text);
    canvas_to_text(&canvas, &text);
    return str_text(&text);
}

static void type(const char *keys)
{
    for (; *keys; keys++)
        ck_assert_int_eq((int)help_key(&help, (unsigned char)*keys), (int)UI_NONE);
}

static const struct {
    const char *name;
    enum keymap_mode mode;
    const char *typed;
    enum act want;
} find_cases[] = {
    {"nothing typed", KEYMAP_LIVE, "", UI_DOWN},
    {"words", KEYMAP_LIVE, "retry", UI_RETRY},
    {"capitals do not matter", KEYMAP_LIVE, "RETRY", UI_RETRY},
    {"middle of a line", KEYMAP_LIVE, "go go", UI_NONE},
    {"a key's name", KEYMAP_LIVE, "F1", UI_HELP},
    {"group", KEYMAP_LIVE, "act", UI_RETRY},
    {"acts are not in a replay", KEYMAP_REPLAY, "skip the wait", UI_NONE},
    {"transport", KEYMAP_REPLAY, "pause", UI_PLAY},
    {"what is asked why not", KEYMAP_LIVE, "pause", UI_PLAY},
    {"a command", KEYMAP_LIVE, ":filter", UI_COMMAND},
    {"a command by its words", KEYMAP_LIVE, "another run", UI_COMMAND},
    {"a sign runs nothing", KEYMAP_LIVE, "loops", UI_NONE},
    {"no such line", KEYMAP_LIVE, "xyzzy", UI_NONE},
};

START_TEST(test_enter_runs_the_line_found)
{
    help_open(&help, keymap_builtin(), (struct key_place){find_cases[_i].mode, SCREEN_TASKS});
    type(find_cases[_i].typed);

    enum act act = help_key(&help, TERM_KEY_ENTER);

    ck_assert_msg(act == find_cases[_i].want, "%s: act %d", find_cases[_i].name, (int)act);
    ck_assert_int_eq(help.open, find_cases[_i].want == UI_NONE);
}
END_TEST

/* During a search, each act of this screen has a line of its own. */
START_TEST(test_every_act_can_be_reached)
{
    for (size_t i = 0; i < keymap_builtin()->count; i++) {
        const struct key_binding *row = &keymap_builtin()->rows[i];
        if ((row->screens & KEYS_ON_TASKS) == 0)
            continue;
        help_open(&help, keymap_builtin(), (struct key_place){KEYMAP_LIVE, SCREEN_TASKS});
        type(row->words);
        bool found = false;
        for (int line = 0; line < 4 && !found; line++) {
            struct help copy = help;
            found = help_key(&copy, TERM_KEY_ENTER) == row->act;
            help_key(&help, TERM_KEY_DOWN);
        }
        ck_assert_msg(found, "'%s' is not found", row->words);
    }
}
END_TEST

/* No key is left out if acts share a line. */
START_TEST(test_acts_that_share_a_line_are_all_named)
{
    canvas_resize(&canvas, 60, 140);
    const char *shown = drawn();
    static const char *const lines[] = {"  j k       line down, up", "  123456    the six views",
                                        "  , .       event back, forward",
                                        "  v * U     mark a range, all, none"};
    for (size_t i = 0; i < TABLE_LEN(lines); i++)
        ck_assert_msg(strstr(shown, lines[i] + 2) != NULL, "no '%s':\n%s", lines[i], shown);
}
END_TEST

START_TEST(test_what_cannot_be_done_says_why)
{
    const char *refusals[UI_ACT_COUNT] = {NULL};
    refusals[UI_KILL] = "T-104 does not run";
    type("kill now");
    help_draw(&help, &canvas,
              &(struct help_about){.screen = "Tasks", .target = "T-104", .refusals = refusals});
    canvas_to_text(&canvas, &text);
    ck_assert_ptr_nonnull(strstr(str_text(&text), " not now: T-104 does not run\n"));
    ck_assert_uint_eq(canvas_cell(&canvas, 3, 2)->style, STYLE_DEAD);
    help_key(&help, TERM_KEY_BACKSPACE);
    str_clear(&text);
    type("w");
    ck_assert_ptr_nonnull(strstr(drawn(), "own keys: devs keys"));
}
END_TEST

static const uint32_t closing[] = {TERM_KEY_ESC, '?', TERM_KEY_F1};

/* If several keys share a line, Enter runs the first one that has an effect now. */
START_TEST(test_line_of_several_keys_is_for_one_that_works)
{
    const char *shown = drawn();
    ck_assert_ptr_nonnull(strstr(shown, "m = L "));
    for (int i = 0; i < 80 && strstr(drawn(), "▸ m = L ") == NULL; i++)
        (void)help_key(&help, TERM_KEY_DOWN);
    shown = drawn();
    ck_assert_ptr_nonnull(strstr(shown, "▸ m = L "));
    ck_assert_ptr_null(strstr(shown, "not now"));
    ck_assert_int_eq((int)help_key(&help, TERM_KEY_ENTER), (int)UI_COMPARE);
}
END_TEST

START_TEST(test_key_closes)
{
    ck_assert_int_eq((int)help_key(&help, closing[_i]), (int)UI_NONE);
    ck_assert(!help.open);
    ck_assert_int_eq((int)help_key(&help, TERM_KEY_ENTER), (int)UI_NONE);
}
END_TEST

START_TEST(test_letters_are_text_not_acts)
{
    type("qx?");
    ck_assert(help.open);
    ck_assert_str_eq(help.find.text, "qx?");
}
END_TEST

START_TEST(test_choice_stays_in_bounds)
{
    help_key(&help, TERM_KEY_UP);
    ck_assert_int_eq(help.chosen, 0);
    help_key(&help, TERM_KEY_END);
    int last = help.chosen;
    ck_assert_int_gt(last, 20);
    help_key(&help, TERM_KEY_PAGE_DOWN);
    ck_assert_int_eq(help.chosen, last);
    help_key(&help, TERM_KEY_TAB);
    ck_assert_int_eq(help.chosen, last);
    help_key(&help, TERM_KEY_PAGE_UP);
    ck_assert_int_eq(help.chosen, last - 10);
    help_key(&help, TERM_KEY_HOME);
    ck_assert_int_eq(help.chosen, 0);
    help_key(&help, TERM_KEY_BACK_TAB);
    ck_assert_int_eq(help.chosen, 0);
    type("xyzzy");
    help_key(&help, TERM_KEY_DOWN);
    ck_assert_int_eq(help.chosen, 0);
}
END_TEST

START_TEST(test_tab_goes_to_the_next_group)
{
    help_key(&help, TERM_KEY_TAB);
    ck_assert_int_eq((int)help_key(&help, TERM_KEY_ENTER), (int)UI_FILTER);
}
END_TEST

START_TEST(test_typing_chooses_the_first_found)
{
    help_key(&help, TERM_KEY_END);
    type("page");
    ck_assert_int_eq(help.chosen, 0);
    help_key(&help, TERM_KEY_DOWN);
    ck_assert_int_eq(help.chosen, 1);
    help_key(&help, TERM_KEY_BACKSPACE);
    ck_assert_int_eq(help.chosen, 0);
}
END_TEST

START_TEST(test_80x24_begins_with_what_is_needed_most)
{
    const char *shown = drawn();
    ck_assert_ptr_eq(strstr(shown, " Help: Tasks "), shown);
    ck_assert_ptr_nonnull(strstr(shown, "type to find, ⏎ runs, Esc closes\n"));
    ck_assert_ptr_nonnull(strstr(shown, "ACT on T-104"));
    ck_assert_ptr_nonnull(strstr(shown, "retry now"));
    ck_assert_ptr_nonnull(strstr(shown, "filter list"));
    ck_assert_ptr_nonnull(strstr(shown, "▸ j k"));
    ck_assert_ptr_nonnull(strstr(shown, "page 1 of"));
}
END_TEST

/* On every screen: at most two pages, and no truncated command. */
START_TEST(test_80x24_has_two_pages)
{
    const struct key_place place = {KEYMAP_LIVE, (enum screen)_i};
    help_open(&help, keymap_builtin(), place);
    ck_assert(!strstr(drawn(), "page 1 of 3"));
    help_key(&help, TERM_KEY_END);
    ck_assert_msg(!strstr(drawn(), "…"), "%s", drawn());
}
END_TEST

START_TEST(test_what_is_one_line_is_found_alone)
{
    ck_assert(!strstr(drawn(), ":cancel all"));
    type("all");
    ck_assert_ptr_nonnull(strstr(drawn(), ":hold all "));
    ck_assert_ptr_nonnull(strstr(drawn(), ":cancel all "));
}
END_TEST

START_TEST(test_wide_shows_signs_too)
{
    canvas_resize(&canvas, 40, 140);
    ck_assert_ptr_nonnull(strstr(drawn(), "SIGNS"));
    ck_assert_ptr_nonnull(strstr(drawn(), "● running    its process is alive"));
}
END_TEST

START_TEST(test_replay_shows_transport)
{
    help_open(&help, keymap_builtin(), (struct key_place){KEYMAP_REPLAY, SCREEN_TASKS});
    ck_assert_ptr_nonnull(strstr(drawn(), "play, pause"));
    ck_assert_ptr_null(strstr(drawn(), "skip the wait"));
}
END_TEST

START_TEST(test_find_is_shown)
{
    type("tax");
    ck_assert_ptr_nonnull(strstr(drawn(), "── find: tax"));
    ck_assert_ptr_nonnull(strstr(drawn(), "no key does that"));
    ck_assert_int_eq(canvas.cursor_row, 1);
    ck_assert_int_eq(canvas.cursor_column, 12);
}
END_TEST

START_TEST(test_ascii_is_ascii)
{
    canvas.ascii = true;
    for (const char *at = drawn(); *at; at++)
        ck_assert_int_eq((unsigned char)*at & 0x80, 0);
    ck_assert_ptr_nonnull(strstr(drawn(), "> j k"));
    ck_assert_ptr_null(strchr(drawn(), '\033'));
}
END_TEST

static const struct {
    int rows, columns;
} sizes[] = {{12, 40}, {6, 40}, {3, 40}, {1, 40}, {24, 72}, {24, 80}, {40, 140}, {2, 130}};

/* The selected line is always visible and marked. */
START_TEST(test_chosen_line_is_in_sight)
{
    canvas_resize(&canvas, sizes[_i].rows, sizes[_i].columns);
    help_key(&help, TERM_KEY_END);
    for (int i = help.chosen; i >= 0; i--) {
        ck_assert_msg(strstr(drawn(), "▸") != NULL, "line %d is not shown:\n%s", i, drawn());
        help_key(&help, TERM_KEY_UP);
    }
}
END_TEST

START_TEST(test_tiny_sizes)
{
    for (int rows = 1; rows <= 9; rows++) {
        for (int columns = 1; columns <= 20; columns++) {
            canvas_resize(&canvas, rows, columns);
            ck_assert_ptr_nonnull(drawn());
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("help");
    TCase *tcase = test_case(suite, "keys");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_enter_runs_the_line_found, 0, TABLE_LEN(find_cases));
    tcase_add_test(tcase, test_every_act_can_be_reached);
    tcase_add_test(tcase, test_acts_that_share_a_line_are_all_named);
    tcase_add_test(tcase, test_what_cannot_be_done_says_why);
    tcase_add_test(tcase, test_line_of_several_keys_is_for_one_that_works);
    tcase_add_loop_test(tcase, test_key_closes, 0, TABLE_LEN(closing));
    tcase_add_test(tcase, test_letters_are_text_not_acts);
    tcase_add_test(tcase, test_choice_stays_in_bounds);
    tcase_add_test(tcase, test_tab_goes_to_the_next_group);
    tcase_add_test(tcase, test_typing_chooses_the_first_found);
    tcase = test_case(suite, "drawn");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_80x24_begins_with_what_is_needed_most);
    tcase_add_loop_test(tcase, test_80x24_has_two_pages, 0, SCREEN_COUNT);
    tcase_add_test(tcase, test_what_is_one_line_is_found_alone);
    tcase_add_test(tcase, test_wide_shows_signs_too);
    tcase_add_test(tcase, test_replay_shows_transport);
    tcase_add_test(tcase, test_find_is_shown);
    tcase_add_test(tcase, test_ascii_is_ascii);
    tcase_add_loop_test(tcase, test_chosen_line_is_in_sight, 0, TABLE_LEN(sizes));
    tcase_add_test(tcase, test_tiny_sizes);
    return suite;
}
