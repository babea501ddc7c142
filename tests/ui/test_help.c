/* What the scripts of tests/data/screens cannot say of the help: every act and every line. */
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

START_TEST(test_choice_stays_in_bounds)
{
    help_key(&help, TERM_KEY_UP);
    ck_assert_int_eq(help.chosen, 0);
    help_key(&help, TERM_KEY_END);
    const int last = help.chosen;
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
}
END_TEST

START_TEST(test_closed_help_takes_nothing)
{
    (void)help_key(&help, TERM_KEY_F1);
    ck_assert(!help.open);
    ck_assert_int_eq((int)help_key(&help, TERM_KEY_ENTER), (int)UI_NONE);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("help");
    TCase *tcase = test_case(suite, "lines");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_every_act_can_be_reached);
    tcase_add_test(tcase, test_line_of_several_keys_is_for_one_that_works);
    tcase_add_loop_test(tcase, test_chosen_line_is_in_sight, 0, TABLE_LEN(sizes));
    tcase_add_test(tcase, test_choice_stays_in_bounds);
    tcase_add_test(tcase, test_closed_help_takes_nothing);
    return suite;
}
