/* The mouse: what terminals report, and what it does to a view. */
#include "mouse.h"

#include <string.h>

#include "canvas.h"
#include "keyboard.h"
#include "test_main.h"
#include "view_terminal.h"

static const struct {
    const char *name, *report;
    char last;
    bool is_one;
    struct mouse want;
} read_cases[] = {
    {"press", "0;1;1", 'M', true, {MOUSE_PRESS, 0, 0}},
    {"release", "0;80;24", 'm', true, {MOUSE_RELEASE, 23, 79}},
    {"drag", "32;3;4", 'M', true, {MOUSE_DRAG, 3, 2}},
    {"wheel up", "64;3;4", 'M', true, {MOUSE_WHEEL_UP, 3, 2}},
    {"wheel down", "65;3;4", 'M', true, {MOUSE_WHEEL_DOWN, 3, 2}},
    {"with Shift, Alt and Ctrl", "28;3;4", 'M', true, {MOUSE_PRESS, 3, 2}},
    {"the middle button", "1;3;4", 'M', false, {0}},
    {"the right button", "2;3;4", 'M', false, {0}},
    {"moved, nothing pressed", "35;3;4", 'M', false, {0}},
    {"the wheel to the left", "66;3;4", 'M', false, {0}},
    {"a button nobody has", "128;3;4", 'M', false, {0}},
    {"column 0", "0;0;4", 'M', false, {0}},
    {"row 0", "0;4;0", 'M', false, {0}},
    {"two numbers", "0;4", 'M', false, {0}},
    {"four numbers", "0;4;4;4", 'M', false, {0}},
    {"nothing", "", 'M', false, {0}},
    {"a hole", "0;;4", 'M', false, {0}},
    {"a sign", "0;-1;4", 'M', false, {0}},
};

START_TEST(test_reports)
{
    struct mouse mouse = {.row = -7};
    const bool is_one = mouse_read(read_cases[_i].report, read_cases[_i].last, &mouse);
    ck_assert_msg(is_one == read_cases[_i].is_one, "%s", read_cases[_i].name);
    if (is_one)
        ck_assert(mouse.kind == read_cases[_i].want.kind && mouse.row == read_cases[_i].want.row &&
                  mouse.column == read_cases[_i].want.column);
    else
        ck_assert_int_eq(mouse.row, -7);
}
END_TEST

static struct canvas canvas;

enum { LIST_ROWS = 5, LOG_ROWS = 4, LIST_AT = 2, LOG_AT = 10, COLUMNS = 40 };

static void add(struct canvas_zone zone)
{
    canvas_add_area(&canvas, &zone);
}

/* A list of five rows at row 2, a log below it, keys at the bottom: as a screen registers them. */
static void draw_zones(void)
{
    canvas_clear(&canvas);
    add((struct canvas_zone){{1, 3, 10}, 1, ZONE_HEAD, ORDER_NAME});
    add((struct canvas_zone){{LIST_AT, 0, COLUMNS}, LIST_ROWS, ZONE_PANE, VIEW_PANE_LIST});
    for (int i = 0; i < LIST_ROWS; i++)
        add((struct canvas_zone){{LIST_AT + i, 0, COLUMNS}, 1, ZONE_ROW, (uint32_t)(view.top + i)});
    add((struct canvas_zone){{LOG_AT, 0, COLUMNS}, LOG_ROWS, ZONE_PANE, VIEW_PANE_LOG});
    add((struct canvas_zone){{15, 5, 21}, 1, ZONE_TIME, 0});
    canvas_add_zone(&canvas, (struct spot){16, 1, 6}, '?');
}

static void fit(void)
{
    view_arrange(&view, &facts);
    view_fit(&view, LIST_ROWS, LOG_ROWS, VIEW_HAS_LIST | VIEW_HAS_LOG);
    draw_zones();
}

static void setup(void)
{
    keyboard_open(keyboard_eight, LIST_ROWS, LOG_ROWS);
    canvas_init(&canvas, 20, COLUMNS, false);
    draw_zones();
}

static void teardown(void)
{
    canvas_done(&canvas);
    keyboard_close();
}

static struct view_todo at(enum mouse_kind kind, int row, int column)
{
    const struct mouse mouse = {kind, row, column};
    const struct view_todo todo = view_mouse(&view, &facts, &canvas, &mouse);
    fit();
    return todo;
}

START_TEST(test_click_chooses_the_row)
{
    view.log_back = 2;
    (void)at(MOUSE_PRESS, LIST_AT + 3, 7);
    ck_assert_str_eq(chosen(), "d");
    ck_assert_uint_eq(view.log_back, 0); /* another task's log */
    (void)at(MOUSE_RELEASE, LIST_AT, 7);
    ck_assert_str_eq(chosen(), "d");
    (void)at(MOUSE_PRESS, 18, 7); /* where nothing is */
    ck_assert_str_eq(chosen(), "d");
}
END_TEST

START_TEST(test_click_does_nothing_to_what_a_report_covers)
{
    view.report.kind = REPORT_COMPARE;
    (void)at(MOUSE_PRESS, LIST_AT + 3, 7);
    ck_assert_str_eq(chosen(), "a");
    ck_assert_int_eq(at(MOUSE_PRESS, 15, 9).kind, VIEW_DRAW);
}
END_TEST

START_TEST(test_click_chooses_the_pane)
{
    (void)at(MOUSE_PRESS, LOG_AT + 1, 3);
    ck_assert_int_eq(view.pane, VIEW_PANE_LOG);
    (void)at(MOUSE_PRESS, LIST_AT + 1, 3);
    ck_assert_int_eq(view.pane, VIEW_PANE_LIST);
    ck_assert_str_eq(chosen(), "b");
}
END_TEST

START_TEST(test_click_on_a_key_is_the_key)
{
    (void)at(MOUSE_PRESS, 16, 2);
    ck_assert(view.help.open);
}
END_TEST

START_TEST(test_click_on_a_head_orders_by_it)
{
    (void)at(MOUSE_PRESS, 1, 4);
    ck_assert_int_eq(view.sorted.by, ORDER_NAME);
    ck_assert(!view.sorted.is_turned);
    (void)at(MOUSE_PRESS, 1, 4);
    ck_assert(view.sorted.is_turned);
}
END_TEST

START_TEST(test_wheel_scrolls_and_never_chooses)
{
    (void)at(MOUSE_WHEEL_DOWN, LIST_AT, 3);
    ck_assert_str_eq(chosen(), "a");
    ck_assert_int_eq(view.top, VIEW_WHEEL_ROWS);
    (void)at(MOUSE_WHEEL_DOWN, LIST_AT, 3);
    ck_assert_int_eq(view.top, view.row_count - LIST_ROWS);
    (void)at(MOUSE_WHEEL_UP, LIST_AT, 3);
    (void)at(MOUSE_WHEEL_UP, LIST_AT, 3);
    ck_assert_int_eq(view.top, 0);
    ck_assert_str_eq(chosen(), "a");
}
END_TEST

START_TEST(test_key_after_the_wheel_shows_the_chosen_row_again)
{
    (void)at(MOUSE_WHEEL_DOWN, LIST_AT, 3);
    (void)view_key(&view, 'j', &facts);
    fit();
    ck_assert_str_eq(chosen(), "b");
    ck_assert_int_eq(view.top, 1);
}
END_TEST

START_TEST(test_wheel_scrolls_what_is_under_it)
{
    story_start(&story, "a");
    for (int i = 0; i < 12; i++)
        story_say(&story, "a", "line\n");
    (void)at(MOUSE_WHEEL_UP, LOG_AT, 3);
    ck_assert_uint_eq(view.log_back, VIEW_WHEEL_ROWS);
    ck_assert_int_eq(view.top, 0);
    ck_assert_int_eq(view.pane, VIEW_PANE_LIST); /* the keys stay where they were */
    (void)at(MOUSE_WHEEL_DOWN, LOG_AT, 3);
    ck_assert_uint_eq(view.log_back, 0);
}
END_TEST

START_TEST(test_drag_moves_in_time)
{
    struct view_todo todo = at(MOUSE_PRESS, 15, 5);
    ck_assert_int_eq(todo.kind, VIEW_SEEK);
    ck_assert_int_eq(todo.seek, 0);
    todo = at(MOUSE_DRAG, 9, 15); /* the hand may leave the row */
    ck_assert_int_eq(todo.kind, VIEW_SEEK);
    ck_assert_int_eq(todo.seek, VIEW_SEEK_WHOLE / 2);
    todo = at(MOUSE_DRAG, 15, 25);
    ck_assert_int_eq(todo.seek, VIEW_SEEK_WHOLE);
    (void)at(MOUSE_PRESS, LIST_AT, 10);
    ck_assert_int_eq(at(MOUSE_DRAG, 15, 10).kind, VIEW_DRAW);
}
END_TEST

/* A question must not be answered, nor its subject changed, by a hand that rests on the mouse. */
START_TEST(test_clicks_choose_nothing_under_a_question)
{
    story_start(&story, "a");
    (void)view_key(&view, 'x', &facts);
    ck_assert_int_ne(view.prompt.kind, PROMPT_NONE);
    (void)at(MOUSE_PRESS, LIST_AT + 3, 7);
    (void)at(MOUSE_WHEEL_DOWN, LIST_AT, 3);
    ck_assert_str_eq(chosen(), "a");
    ck_assert_int_eq(view.top, 0);
    ck_assert_int_ne(view.prompt.kind, PROMPT_NONE);
}
END_TEST

START_TEST(test_m_gives_the_mouse_back_and_takes_it)
{
    ck_assert(!view.leaves_mouse);
    ck_assert_int_eq(view_key(&view, 'M', &facts).kind, VIEW_MOUSE);
    ck_assert(view.leaves_mouse);
    ck_assert_int_eq(view_key(&view, 'M', &facts).kind, VIEW_MOUSE);
    ck_assert(!view.leaves_mouse);
}
END_TEST

START_TEST(test_frozen_screen_takes_no_act)
{
    story_start(&story, "a");
    (void)view_key(&view, 'Z', &facts);
    ck_assert(view.frozen);
    ck_assert_int_eq(view_key(&view, 'r', &facts).kind, VIEW_DRAW);
    (void)view_key(&view, 'x', &facts);
    ck_assert_int_eq(view.prompt.kind, PROMPT_NONE);
    (void)view_key(&view, 'j', &facts);
    (void)at(MOUSE_PRESS, LIST_AT + 3, 7);
    ck_assert_str_eq(chosen(), "a");
    ck_assert_ptr_nonnull(strstr(view.message, "Z lets it go on"));
    ck_assert_int_eq(view_key(&view, 'y', &facts).kind, VIEW_COPY);
    (void)view_key(&view, 'q', &facts); /* is no way out of the program */
    ck_assert(!view.frozen);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mouse");
    TCase *report = test_case(suite, "report");
    tcase_add_loop_test(report, test_reports, 0, TABLE_LEN(read_cases));
    TCase *act = test_case(suite, "view");
    tcase_add_checked_fixture(act, setup, teardown);
    tcase_add_test(act, test_click_chooses_the_row);
    tcase_add_test(act, test_click_does_nothing_to_what_a_report_covers);
    tcase_add_test(act, test_click_chooses_the_pane);
    tcase_add_test(act, test_click_on_a_key_is_the_key);
    tcase_add_test(act, test_click_on_a_head_orders_by_it);
    tcase_add_test(act, test_wheel_scrolls_and_never_chooses);
    tcase_add_test(act, test_key_after_the_wheel_shows_the_chosen_row_again);
    tcase_add_test(act, test_wheel_scrolls_what_is_under_it);
    tcase_add_test(act, test_drag_moves_in_time);
    tcase_add_test(act, test_clicks_choose_nothing_under_a_question);
    tcase_add_test(act, test_m_gives_the_mouse_back_and_takes_it);
    tcase_add_test(act, test_frozen_screen_takes_no_act);
    return suite;
}
