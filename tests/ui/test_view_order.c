/* The order of the tasks, what is hidden, and commands that are typed. */
#include <stdio.h>
#include <string.h>

#include "keyboard.h"
#include "shown.h"
#include "term.h"
#include "test_main.h"

static void set_up(void)
{
    keyboard_open(story_init_full, 20, 0);
}

static const char *id_in_row(int row)
{
    return story.plan->tasks[view_row_task(view.rows[row])].id;
}

static const char *all_rows(void)
{
    static char out[512];
    size_t len = 0;
    for (int i = 0; i < view.row_count; i++)
        len +=
            (size_t)snprintf(out + len, sizeof(out) - len, "%s%s", i > 0 ? " " : "", id_in_row(i));
    return out;
}

static enum shown state_in_row(int row)
{
    return shown_task(&story.state, view_row_task(view.rows[row]), false);
}

START_TEST(test_order_by_state)
{
    const int chosen = view.chosen;
    type("s2");
    ck_assert_str_eq(view.message, "order: state");
    ck_assert_str_eq(all_rows(), "T-107 T-105 T-108 T-104 T-110 T-101 T-103 T-111 T-106 T-102");
    ck_assert_int_eq(view.chosen, chosen);
    type("S");
    ck_assert_str_eq(all_rows(), "T-102 T-106 T-111 T-103 T-101 T-110 T-104 T-108 T-105 T-107");
    ck_assert_str_eq(view.message, "order: state, turned round");
}
END_TEST

START_TEST(test_order_by_name_counts_numbers)
{
    type("s5");
    for (int i = 1; i < view.row_count; i++)
        ck_assert_msg(strcmp(id_in_row(i - 1), id_in_row(i)) < 0, "%s", all_rows());
}
END_TEST

START_TEST(test_order_by_class_and_by_tries)
{
    struct str class = {0};
    type("s6");
    shown_class(&story.state, view_row_task(view.rows[0]), &class);
    ck_assert_str_ne(str_text(&class), "");
    str_clear(&class);
    shown_class(&story.state, view_row_task(view.rows[view.row_count - 1]), &class);
    ck_assert_str_eq(str_text(&class), "");
    str_done(&class);
    type("s4");
    const struct attempt_state *first =
        step_state_attempt(run_state_step(&story.state, view_row_task(view.rows[0])));
    for (int i = 1; i < view.row_count; i++) {
        const struct attempt_state *other =
            step_state_attempt(run_state_step(&story.state, view_row_task(view.rows[i])));
        ck_assert_int_ge(first->number, other ? other->number : 0);
    }
}
END_TEST

START_TEST(test_order_next_begins_with_what_waits)
{
    type("s3");
    ck_assert_int_eq((int)state_in_row(0), (int)SHOWN_BACKOFF);
}
END_TEST

START_TEST(test_order_menu_can_be_left)
{
    const enum order_by before = view.sorted.by;
    type("sjjk");
    ck_assert(view.sorted.is_open);
    ck_assert_int_eq((int)view.sorted.at, (int)ORDER_STATE);
    press(TERM_KEY_ESC);
    ck_assert(!view.sorted.is_open);
    ck_assert_int_eq((int)view.sorted.by, (int)before);
}
END_TEST

START_TEST(test_order_menu_is_drawn_and_can_be_clicked)
{
    struct canvas canvas;
    struct str text = {0};
    canvas_init(&canvas, 4, 80, true);
    type("s");
    view_order_draw(&view, &canvas);
    canvas_to_text(&canvas, &text);
    ck_assert_ptr_nonnull(strstr(str_text(&text), " order  >1 as added  2 state  3 next  4 try"));
    bool found = false;
    for (int column = 0; column < 80; column++) {
        const struct canvas_zone *zone = canvas_find_zone(&canvas, 2, column, ZONES_KEY);
        found = found || (zone && zone->value == '3');
    }
    ck_assert(found);
    str_done(&text);
    canvas_done(&canvas);
}
END_TEST

START_TEST(test_passed_tasks_are_hidden)
{
    const int before = view.row_count;
    type("H");
    ck_assert_int_lt(view.row_count, before);
    for (int i = 0; i < view.row_count; i++)
        ck_assert_int_ne((int)state_in_row(i), (int)SHOWN_PASSED);
    ck_assert_int_eq(view_hidden(&view, &facts), before - view.row_count);
    ck_assert_ptr_nonnull(strstr(view.message, "H shows them"));
    type("H");
    ck_assert_int_eq(view.row_count, before);
}
END_TEST

START_TEST(test_failures_are_first_once_the_run_is_over)
{
    const int chosen = view.chosen;
    facts.mode = VIEW_INTERRUPTED;
    facts.orphaned = true;
    view.still_until = 0;
    view.used_at_ms = facts.clock.mono_ms - VIEW_LEFT_ALONE_MS + 1;
    view_arrange(&view, &facts);
    ck_assert_str_eq(all_rows(), "T-107 T-105 T-101 T-103 T-110 T-102 T-104 T-106 T-108 T-111");
    ck_assert_int_eq(view.chosen, chosen); /* somebody is watching */

    view.was_over = false;
    view.used_at_ms = facts.clock.mono_ms - VIEW_LEFT_ALONE_MS;
    view_arrange(&view, &facts);
    ck_assert_str_eq(id_in_row(view_chosen_row(&view)), "T-107");

    type("j"); /* from then on the choice stays */
    view_arrange(&view, &facts);
    ck_assert_str_eq(id_in_row(view_chosen_row(&view)), "T-105");

    type("H");
    ck_assert_str_eq(all_rows(), "T-107 T-105 T-101 T-103 T-110 T-104 T-106 T-108 T-111");
}
END_TEST

/* When a live run is opened, a task that needs a person is chosen. */
START_TEST(test_what_needs_you_is_chosen_in_a_live_run_that_is_opened)
{
    view_done(&view);
    view_init(&view, story.plan->task_count);
    view_arrange(&view, &facts);
    ck_assert_str_eq(id_in_row(view_chosen_row(&view)), "T-107");
    type("j");
    const int chosen = view.chosen;
    view.still_until = 0;
    view_arrange(&view, &facts);
    ck_assert_int_eq(view.chosen, chosen);
}
END_TEST

START_TEST(test_times_go_round)
{
    type("t");
    ck_assert_int_eq((int)view.times, (int)SHOWN_TIMES_CLOCK);
    type("tt");
    ck_assert_int_eq((int)view.times, (int)SHOWN_TIMES_AGO);
}
END_TEST

START_TEST(test_enter_takes_the_nearest_word)
{
    type("/state=bakoff");
    ck_assert_int_eq(view.row_count, 0);
    press(TERM_KEY_ENTER);
    ck_assert_str_eq(view.filter.text, "state=backoff");
    ck_assert_int_gt(view.row_count, 0);
}
END_TEST

static const struct {
    const char *line, *message;
    enum view_todo_kind kind;
} lines[] = {
    {":filter state=backoff\n", "", VIEW_DRAW},
    {":filtre x\n", "no command 'filtre x': : and Tab list them", VIEW_DRAW},
    {":filtr\n", "no command 'filtr': did you mean 'filter'?", VIEW_DRAW},
    {":order try\n", "order: most tries first", VIEW_DRAW},
    {":order sideways\n", "order is one of: as added, state, next, try, name, class, longest",
     VIEW_DRAW},
    {":order\n", "order wants HOW", VIEW_DRAW},
    {":open run 41\n", "", VIEW_OPEN_RUN},
    {":open run x\n", "open run wants a number, as in open run 41: 6 lists them", VIEW_DRAW},
    {":goto 14:00\n", "", VIEW_GO_TO},
    {":goto T-104\n", "", VIEW_DRAW},
    {":theme dark\n", "", VIEW_THEME},
    {":set notify=ended\n", "", VIEW_NOTIFY},
    {":set x=1\n", "set knows notify alone, as in set notify=needs-you,ended", VIEW_DRAW},
    {":hold all\n", "", VIEW_ASKED},
    {":cancel all\n", "", VIEW_ASKED},
    {":\n", "", VIEW_DRAW},
};

START_TEST(test_command_is_carried_out)
{
    const struct view_todo todo = type(lines[_i].line);
    ck_assert_int_eq((int)todo.kind, (int)lines[_i].kind);
    ck_assert_str_eq(view.message, lines[_i].message);
    ck_assert(!view.command.line.open);
}
END_TEST

START_TEST(test_command_that_changes_is_refused_in_a_replay)
{
    facts.mode = VIEW_REPLAY;
    ck_assert_int_eq((int)type(":cancel all\n").kind, (int)VIEW_DRAW);
    ck_assert_str_eq(view.message, "this is a replay, it is read only");
}
END_TEST

START_TEST(test_command_goes_to_a_view_and_a_task)
{
    type(":goto T-104\n");
    ck_assert_str_eq(story.plan->tasks[view.chosen].id, "T-104");
    type(":detail\n");
    ck_assert_int_eq((int)view_screen(&view), (int)SCREEN_DETAIL);
}
END_TEST

static const struct {
    const char *typed, *want;
} completed[] = {
    {"fi", "filter "},
    {"rel", "release all"},
    {"filter sta", "filter state="},
    {"filter state=bac", "filter state=backoff"},
    {"filter x phase=GR", "filter x phase=GREEN"},
    {"order lon", "order longest"},
    {"theme m", "theme mono"},
    {"set notify=ended,gav", "set notify=ended,gave-up"},
    {"goto T-10", "goto T-10"},
    {"zzz", "zzz"},
};

START_TEST(test_tab_completes)
{
    type(":");
    type(completed[_i].typed);
    press(TERM_KEY_TAB);
    ck_assert_str_eq(view.command.line.text, completed[_i].want);
}
END_TEST

/* Also where there are more candidates than are kept. */
START_TEST(test_tab_completes_what_all_have_alike)
{
    keyboard_close();
    story_init(&story,
               "T-100 T-101 T-102 T-103 T-104 T-105 T-106 T-107 T-108 T-109 T-110 T-111 T-112 "
               "T-113 T-114 T-115 T-116 T-117 T-118 T-119 T-120 T-121 T-122 T-123 T-124 T-200",
               "G");
    view_init(&view, story.plan->task_count);
    type(":goto T");
    press(TERM_KEY_TAB);
    ck_assert_str_eq(view.command.line.text, "goto T-");
    type("1");
    press(TERM_KEY_TAB);
    ck_assert_str_eq(view.command.line.text, "goto T-1");
}
END_TEST

START_TEST(test_lines_come_back)
{
    type(":filter a\n:filter b\n:filter b\n:");
    press(TERM_KEY_UP);
    ck_assert_str_eq(view.command.line.text, "filter b");
    press(TERM_KEY_UP);
    ck_assert_str_eq(view.command.line.text, "filter a");
    press(TERM_KEY_UP);
    ck_assert_str_eq(view.command.line.text, "filter a");
    press(TERM_KEY_DOWN);
    press(TERM_KEY_DOWN);
    ck_assert_str_eq(view.command.line.text, "");
    press(TERM_KEY_BACKSPACE);
    ck_assert(!view.command.line.open);
    for (int i = 0; i < 2 * COMMANDS_PAST_MAX; i++) {
        char line[32];
        (void)snprintf(line, sizeof(line), ":filter %d\n", i);
        type(line);
    }
    ck_assert_int_eq(view.command.past_count, COMMANDS_PAST_MAX);
}
END_TEST

START_TEST(test_help_begins_a_command)
{
    type("?:filter");
    press(TERM_KEY_ENTER);
    ck_assert(view.command.line.open);
    ck_assert_str_eq(view.command.line.text, "filter ");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("view_order");
    TCase *tcase = test_case(suite, "list");
    tcase_add_checked_fixture(tcase, set_up, keyboard_close);
    tcase_add_test(tcase, test_order_by_state);
    tcase_add_test(tcase, test_order_by_name_counts_numbers);
    tcase_add_test(tcase, test_order_by_class_and_by_tries);
    tcase_add_test(tcase, test_order_next_begins_with_what_waits);
    tcase_add_test(tcase, test_order_menu_can_be_left);
    tcase_add_test(tcase, test_order_menu_is_drawn_and_can_be_clicked);
    tcase_add_test(tcase, test_passed_tasks_are_hidden);
    tcase_add_test(tcase, test_what_needs_you_is_chosen_in_a_live_run_that_is_opened);
    tcase_add_test(tcase, test_failures_are_first_once_the_run_is_over);
    tcase_add_test(tcase, test_times_go_round);
    tcase_add_test(tcase, test_enter_takes_the_nearest_word);
    tcase = test_case(suite, "commands");
    tcase_add_checked_fixture(tcase, set_up, keyboard_close);
    tcase_add_loop_test(tcase, test_command_is_carried_out, 0, TABLE_LEN(lines));
    tcase_add_test(tcase, test_command_that_changes_is_refused_in_a_replay);
    tcase_add_test(tcase, test_command_goes_to_a_view_and_a_task);
    tcase_add_loop_test(tcase, test_tab_completes, 0, TABLE_LEN(completed));
    tcase_add_test(tcase, test_tab_completes_what_all_have_alike);
    tcase_add_test(tcase, test_lines_come_back);
    tcase_add_test(tcase, test_help_begins_a_command);
    return suite;
}
