/* What y and Y copy, and the text of a notification. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app_internal.h"
#include "canvas.h"
#include "stage.h"
#include "term.h"
#include "test_main.h"
#include "view.h"

static struct str text, words;
static struct app_notify notify;

static void setup(void)
{
    stage_open(story_init_full, NULL);
    view_arrange(&view, &facts);
    view_fit(&view, 5, 2, VIEW_HAS_LIST | VIEW_HAS_LOG);
    facts.log_file = "/project/.devs/devs.db";
    text = words = (struct str){0};
    notify = (struct app_notify){0};
}

static void teardown(void)
{
    str_done(&text);
    str_done(&words);
    app_notify_done(&notify);
    stage_close();
}

static void choose(const char *id)
{
    view_choose(&view, story_task(&story, id));
}

START_TEST(test_copies_id_and_title)
{
    choose("T-104");
    ck_assert(view_copy_text(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "T-104 checkout: tax rounding");
    ck_assert_str_eq(str_text(&words), "T-104 checkout: tax rounding");
}
END_TEST

START_TEST(test_copies_all_that_are_marked)
{
    choose("T-104");
    (void)view_key(&view, ' ', &facts);
    choose("T-106");
    (void)view_key(&view, ' ', &facts);
    ck_assert(view_copy_text(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "T-104 checkout: tax rounding\nT-106 seed: fixtures\n");
    ck_assert_str_eq(str_text(&words), "2 marked tasks");
}
END_TEST

START_TEST(test_copies_the_lines_in_sight_of_the_log)
{
    story_say(&story, "T-101", "one\ntwo\nthree\n");
    choose("T-101");
    view.pane = VIEW_PANE_LOG;
    view.log_back = 1;
    ck_assert(view_copy_text(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "one\ntwo\n");
    ck_assert_str_eq(str_text(&words), "2 lines of the log");
}
END_TEST

START_TEST(test_copies_nothing_where_nothing_is_chosen)
{
    view.chosen = -1;
    ck_assert(!view_copy_text(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "");
}
END_TEST

START_TEST(test_copies_the_path_of_the_log)
{
    choose("T-104");
    ck_assert(view_copy_path(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "/project/.devs/devs.db");
    facts.log_file = NULL;
    ck_assert(!view_copy_path(&view, &facts, &text, &words));
}
END_TEST

static const char *news(unsigned wanted)
{
    str_clear(&words);
    notify.wanted = wanted;
    (void)app_notify_news(&notify, &story.state, &words);
    return str_text(&words);
}

enum { ALL = NOTIFY_NEEDS_YOU | NOTIFY_GAVE_UP | NOTIFY_ENDED };

START_TEST(test_nothing_is_told_of_what_was_so_at_the_start)
{
    ck_assert_str_eq(news(ALL), "");
    ck_assert_str_eq(news(ALL), "");
}
END_TEST

START_TEST(test_told_once_each_time_it_happens)
{
    (void)news(ALL);
    story_fail(&story, "T-101", REASON_TEST_FAIL, NULL);
    story_end(&story, "T-101", DECISION_RETRY_EXHAUSTED);
    ck_assert_str_eq(news(ALL), "T-101 gave up");
    ck_assert_str_eq(news(ALL), "");
}
END_TEST

START_TEST(test_stuck_is_an_event_of_its_own)
{
    (void)news(NOTIFY_STUCK);
    story_fail(&story, "T-101", REASON_TEST_FAIL, NULL);
    story_end(&story, "T-101", DECISION_ENTROPY);
    ck_assert_str_eq(news(NOTIFY_STUCK), "T-101 is stuck");
}
END_TEST

START_TEST(test_only_what_is_wanted_is_told)
{
    (void)news(NOTIFY_NEEDS_YOU);
    story_fail(&story, "T-101", REASON_TEST_FAIL, NULL);
    story_end(&story, "T-101", DECISION_RETRY_EXHAUSTED);
    ck_assert_str_eq(news(NOTIFY_NEEDS_YOU), "");
}
END_TEST

START_TEST(test_the_end_of_a_run_is_told)
{
    struct story small;
    story_init(&small, "a b", "G");
    notify.wanted = ALL;
    ck_assert_uint_eq(app_notify_news(&notify, &small.state, &words), 0);
    story_start(&small, "a");
    story_pass(&small, "a");
    story_start(&small, "b");
    story_pass(&small, "b");
    story_end_run(&small);
    ck_assert_uint_eq(app_notify_news(&notify, &small.state, &words), NOTIFY_ENDED);
    ck_assert_str_eq(str_text(&words), "the run has ended: 2 of 2 passed");
    story_done(&small);
}
END_TEST

static const struct {
    const char *line;
    const char *want[4];
} split_cases[] = {
    {"less", {"less", NULL}},
    {"less -R  -S", {"less", "-R", "-S", NULL}},
    {"\tmost\n", {"most", NULL}},
    {"a;b $(c)", {"a;b", "$(c)", NULL}}, /* no shell interprets it */
};

START_TEST(test_pager_is_split_at_blanks)
{
    struct outside_words out;
    ck_assert(outside_split(split_cases[_i].line, &out));
    size_t i = 0;
    for (; split_cases[_i].want[i]; i++)
        ck_assert_str_eq(out.argv[i], split_cases[_i].want[i]);
    ck_assert_ptr_null(out.argv[i]);
}
END_TEST

/* Returns the contents of a file that a program writes. */
static const char *run_program(char *const *argv, const char *file, struct err *err)
{
    static char said[PATH_MAX];
    pid_t pid = 0;
    said[0] = '\0';
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool is_there = outside_start_on_terminal(argv, input, &pid, err);
    (void)close(input);
    if (!is_there)
        return NULL;
    while (outside_look(pid) == OUTSIDE_RUNS)
        (void)poll(NULL, 0, 1);
    FILE *from = fopen(file, "re");
    if (from) {
        said[fread(said, 1, sizeof(said) - 1, from)] = '\0';
        (void)fclose(from);
    }
    return said;
}

/* A folder with malicious programs, which is in PATH through relative and empty entries. */
START_TEST(test_nothing_of_the_project_is_run)
{
    struct err err = {0};
    char out[PATH_MAX];
    char script[PATH_MAX * 2];
    char path[PATH_MAX];
    const char *before = getenv("PATH");
    const char *dir = test_tmpdir();
    (void)snprintf(out, sizeof(out), "%.4000s/said", dir);
    (void)snprintf(path, sizeof(path), ":.:bin:%.4000s", before ? before : "/usr/bin:/bin");
    ck_assert_int_eq(chdir(dir), 0);
    ck_assert_int_eq(symlink("/bin/false", "sh"), 0);
    ck_assert_int_eq(symlink("/bin/true", "only-here"), 0);
    ck_assert_int_eq(setenv("PATH", path, 1), 0);

    (void)snprintf(script, sizeof(script), "pwd >'%s'", out);
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
    ck_assert_str_eq(run_program(argv, out, &err), "/\n");

    char *const here[] = {(char[]){"only-here"}, NULL};
    ck_assert_ptr_null(run_program(here, out, &err));
    ck_assert_str_eq(err.message, "cannot start 'only-here': No such file or directory");
    char *const relative[] = {(char[]){"./only-here"}, NULL};
    err = (struct err){0};
    ck_assert_ptr_null(run_program(relative, out, &err));
    ck_assert_str_eq(err.message, "cannot start './only-here': not an absolute path");
}
END_TEST

START_TEST(test_pager_that_is_no_command)
{
    struct outside_words out;
    char much[OUTSIDE_WORDS_MAX + 1];
    char many[2 * OUTSIDE_ARGS_MAX + 1];
    memset(much, 'x', sizeof(much) - 1);
    much[sizeof(much) - 1] = '\0';
    for (size_t i = 0; i + 1 < sizeof(many); i++)
        many[i] = i % 2 == 0 ? 'x' : ' ';
    many[sizeof(many) - 1] = '\0';
    ck_assert(!outside_split("", &out));
    ck_assert(!outside_split("  ", &out));
    ck_assert(!outside_split(much, &out));
    ck_assert(!outside_split(many, &out));
}
END_TEST

static void add_terminal_cases(Suite *suite)
{
    TCase *copy = test_case(suite, "copy");
    tcase_add_checked_fixture(copy, setup, teardown);
    tcase_add_test(copy, test_copies_id_and_title);
    tcase_add_test(copy, test_copies_all_that_are_marked);
    tcase_add_test(copy, test_copies_the_lines_in_sight_of_the_log);
    tcase_add_test(copy, test_copies_nothing_where_nothing_is_chosen);
    tcase_add_test(copy, test_copies_the_path_of_the_log);
    TCase *tell = test_case(suite, "notify");
    tcase_add_checked_fixture(tell, setup, teardown);
    tcase_add_test(tell, test_nothing_is_told_of_what_was_so_at_the_start);
    tcase_add_test(tell, test_told_once_each_time_it_happens);
    tcase_add_test(tell, test_stuck_is_an_event_of_its_own);
    tcase_add_test(tell, test_only_what_is_wanted_is_told);
    tcase_add_test(tell, test_the_end_of_a_run_is_told);
    TCase *pager = test_case(suite, "pager");
    tcase_add_loop_test(pager, test_pager_is_split_at_blanks, 0, TABLE_LEN(split_cases));
    tcase_add_test(pager, test_pager_that_is_no_command);
    tcase_add_test(pager, test_nothing_of_the_project_is_run);
}

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

enum { LIST_ROWS = 5, LOG_ROWS = 4, LIST_AT = 2, LOG_AT = 10, COLUMNS = 40 };

static void add(struct canvas_zone zone)
{
    canvas_add_area(&canvas, &zone);
}

/* Registers zones like a screen: a list of five rows at row 2, a log below it, keys at the
 * bottom. */
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

static void eight_tasks(struct story *out)
{
    story_init(out, "a b c d e f g h", "G");
}

static const char *chosen(void)
{
    return story.plan->tasks[view.chosen].id;
}

static void setup_mouse(void)
{
    stage_open(eight_tasks, NULL);
    canvas_init(&canvas, 20, COLUMNS, false);
    fit();
}

static void teardown_mouse(void)
{
    stage_close();
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
    (void)at(MOUSE_PRESS, 18, 7); /* on an empty area */
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
    ck_assert_int_eq(view.pane, VIEW_PANE_LIST); /* the focus does not change */
    (void)at(MOUSE_WHEEL_DOWN, LOG_AT, 3);
    ck_assert_uint_eq(view.log_back, 0);
}
END_TEST

START_TEST(test_drag_moves_in_time)
{
    struct view_todo todo = at(MOUSE_PRESS, 15, 5);
    ck_assert_int_eq(todo.kind, VIEW_SEEK);
    ck_assert_int_eq(todo.seek, 0);
    todo = at(MOUSE_DRAG, 9, 15); /* the mouse may leave the row */
    ck_assert_int_eq(todo.kind, VIEW_SEEK);
    ck_assert_int_eq(todo.seek, VIEW_SEEK_WHOLE / 2);
    todo = at(MOUSE_DRAG, 15, 25);
    ck_assert_int_eq(todo.seek, VIEW_SEEK_WHOLE);
    (void)at(MOUSE_PRESS, LIST_AT, 10);
    ck_assert_int_eq(at(MOUSE_DRAG, 15, 10).kind, VIEW_DRAW);
}
END_TEST

/* A hand resting on the mouse must not answer a question or change its subject. */
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
    ck_assert_ptr_nonnull(strstr(view.message, "Z resumes it"));
    ck_assert_int_eq(view_key(&view, 'y', &facts).kind, VIEW_COPY);
    (void)view_key(&view, 'q', &facts); /* does not leave the program */
    ck_assert(!view.frozen);
}
END_TEST

/* The mouse: how reports are parsed, and their effect on a view. */
static void add_mouse_cases(Suite *suite)
{
    TCase *report = test_case(suite, "report");
    tcase_add_loop_test(report, test_reports, 0, TABLE_LEN(read_cases));
    TCase *act = test_case(suite, "view");
    tcase_add_checked_fixture(act, setup_mouse, teardown_mouse);
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
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("view_terminal");
    add_terminal_cases(suite);
    add_mouse_cases(suite);
    return suite;
}
