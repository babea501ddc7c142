/* Notifications, programs on the terminal, and what the scripts of tests/data/screens cannot say of
 * the mouse. */
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
#include "test_main.h"
#include "view.h"

static struct str words;
static struct app_notify notify;

static void setup(void)
{
    stage_open(story_init_full, NULL);
    words = (struct str){0};
    notify = (struct app_notify){0};
}

static void teardown(void)
{
    str_done(&words);
    app_notify_done(&notify);
    stage_close();
}

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

START_TEST(test_many_are_one_message)
{
    static const char *const tasks[] = {"a", "b", "c", "d", "e"};
    struct story small;
    story_init(&small, "a b c d e", "G");
    notify.wanted = ALL;
    ck_assert_uint_eq(app_notify_news(&notify, &small.state, &words), 0);
    for (size_t i = 0; i < ARRAY_LEN(tasks); i++) {
        story_start(&small, tasks[i]);
        story_fail(&small, tasks[i], REASON_TEST_FAIL, NULL);
        story_end(&small, tasks[i], DECISION_RETRY_EXHAUSTED);
    }
    story_end_run(&small);
    ck_assert_uint_eq(app_notify_news(&notify, &small.state, &words),
                      NOTIFY_GAVE_UP | NOTIFY_ENDED);
    ck_assert_str_eq(
        str_text(&words),
        "a gave up; b gave up; c gave up; the run has ended: 0 of 5 passed; and 2 more");
    story_done(&small);
}
END_TEST

static const char *budget_news(struct story *agents, int task, bool is_spent)
{
    struct event event = story_event(agents, "tax", EVENT_BUDGET);
    event.task = task;
    event.budget.kind = BUDGET_TURNS;
    event.budget.used = is_spent ? 10 : 8;
    event.budget.limit = 10;
    event.budget.is_spent = is_spent;
    story_add(agents, event);
    str_clear(&words);
    ck_assert_uint_eq(app_notify_news(&notify, &agents->state, &words), NOTIFY_BUDGET);
    return str_text(&words);
}

/* As docs/notifications.md says of the command that is run for the same events. */
START_TEST(test_a_budget_is_told_twice)
{
    struct story agents;
    story_init_said(&agents);
    notify.wanted = NOTIFY_BUDGET;
    ck_assert_uint_eq(app_notify_news(&notify, &agents.state, &words), 0);
    ck_assert_str_eq(budget_news(&agents, 0, false), "tax has used most of its budget");
    ck_assert_str_eq(budget_news(&agents, 0, true), "tax: budget spent");
    ck_assert_str_eq(budget_news(&agents, -1, false), "the run has used most of its budget");
    ck_assert_str_eq(budget_news(&agents, -1, true), "the run: budget spent");
    str_clear(&words);
    ck_assert_uint_eq(app_notify_news(&notify, &agents.state, &words), 0);
    ck_assert_str_eq(str_text(&words), "");
    story_done(&agents);
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

static const struct {
    const char *name, *report;
    struct mouse want;
} reports[] = {
    {"press", "0;1;1M", {MOUSE_PRESS, 0, 0}},
    {"release", "0;80;24m", {MOUSE_RELEASE, 23, 79}},
    {"drag", "32;3;4M", {MOUSE_DRAG, 3, 2}},
    {"wheel up", "64;3;4M", {MOUSE_WHEEL_UP, 3, 2}},
    {"wheel down", "65;3;4M", {MOUSE_WHEEL_DOWN, 3, 2}},
    {"with Shift, Alt and Ctrl", "28;3;4M", {MOUSE_PRESS, 3, 2}},
};

/* Reads a report; its last character is the one that ends the sequence. */
static bool read_report(const char *report, struct mouse *mouse)
{
    char text[32];
    const size_t len = strlen(report) - 1;
    (void)snprintf(text, sizeof(text), "%.*s", (int)len, report);
    return mouse_read(text, report[len], mouse);
}

START_TEST(test_reports)
{
    struct mouse mouse = {0};
    const struct mouse *want = &reports[_i].want;
    ck_assert_msg(read_report(reports[_i].report, &mouse), "%s", reports[_i].name);
    ck_assert_msg(mouse.kind == want->kind && mouse.row == want->row &&
                      mouse.column == want->column,
                  "%s", reports[_i].name);
}
END_TEST

/* Other buttons, a move without a button, positions that are not on the screen, and malformed ones.
 */
static const char *const no_reports[] = {
    "1;3;4M", "2;3;4M", "35;3;4M", "66;3;4M",  "128;3;4M", "0;0;4M",
    "0;4;0M", "0;4M",   "M",       "0;4;4;4M", "0;;4M",    "0;-1;4M",
};

START_TEST(test_no_reports)
{
    struct mouse mouse = {.row = -7};
    ck_assert_msg(!read_report(no_reports[_i], &mouse), "%s", no_reports[_i]);
    ck_assert_int_eq(mouse.row, -7);
}
END_TEST

enum { LIST_AT = 2, TIME_AT = 15, COLUMNS = 40 };

/* A screen with a row of the list and a time line. */
static void setup_mouse(void)
{
    stage_open(story_init_full, "T-104");
    canvas_init(&canvas, 20, COLUMNS, false);
    view_arrange(&view, &facts);
    canvas_add_area(&canvas, &(struct canvas_zone){{LIST_AT, 0, COLUMNS}, 1, ZONE_ROW, 0});
    canvas_add_area(&canvas, &(struct canvas_zone){{TIME_AT, 5, 21}, 1, ZONE_TIME, 0});
}

static struct view_todo at(enum mouse_kind kind, int row, int column)
{
    return view_mouse(&view, &facts, &canvas, &(struct mouse){kind, row, column});
}

START_TEST(test_click_does_nothing_to_what_a_report_covers)
{
    view.report.kind = REPORT_COMPARE;
    (void)at(MOUSE_PRESS, LIST_AT, 7);
    ck_assert_int_eq(view.chosen, story_task(&story, "T-104"));
    ck_assert_int_eq(at(MOUSE_PRESS, TIME_AT, 9).kind, VIEW_DRAW);
}
END_TEST

START_TEST(test_drag_moves_in_time)
{
    struct view_todo todo = at(MOUSE_PRESS, TIME_AT, 5);
    ck_assert_int_eq(todo.kind, VIEW_SEEK);
    ck_assert_int_eq(todo.seek, 0);
    todo = at(MOUSE_DRAG, 9, 15); /* the mouse may leave the row */
    ck_assert_int_eq(todo.kind, VIEW_SEEK);
    ck_assert_int_eq(todo.seek, VIEW_SEEK_WHOLE / 2);
    todo = at(MOUSE_DRAG, TIME_AT, 25);
    ck_assert_int_eq(todo.seek, VIEW_SEEK_WHOLE);
    ck_assert_int_eq(at(MOUSE_PRESS, TIME_AT, 2).kind, VIEW_DRAW); /* left of it */
    ck_assert_int_eq(at(MOUSE_PRESS, TIME_AT, 30).kind, VIEW_DRAW);
    (void)at(MOUSE_PRESS, LIST_AT, 10);
    ck_assert_int_eq(at(MOUSE_DRAG, TIME_AT, 10).kind, VIEW_DRAW);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("view_terminal");
    TCase *tell = test_case(suite, "notify");
    tcase_add_checked_fixture(tell, setup, teardown);
    tcase_add_test(tell, test_nothing_is_told_of_what_was_so_at_the_start);
    tcase_add_test(tell, test_told_once_each_time_it_happens);
    tcase_add_test(tell, test_stuck_is_an_event_of_its_own);
    tcase_add_test(tell, test_only_what_is_wanted_is_told);
    tcase_add_test(tell, test_the_end_of_a_run_is_told);
    tcase_add_test(tell, test_many_are_one_message);
    tcase_add_test(tell, test_a_budget_is_told_twice);
    TCase *pager = test_case(suite, "pager");
    tcase_add_loop_test(pager, test_pager_is_split_at_blanks, 0, TABLE_LEN(split_cases));
    tcase_add_test(pager, test_pager_that_is_no_command);
    tcase_add_test(pager, test_nothing_of_the_project_is_run);
    TCase *mouse = test_case(suite, "mouse");
    tcase_add_loop_test(mouse, test_reports, 0, TABLE_LEN(reports));
    tcase_add_loop_test(mouse, test_no_reports, 0, TABLE_LEN(no_reports));
    TCase *view_case = test_case(suite, "mouse on a view");
    tcase_add_checked_fixture(view_case, setup_mouse, stage_close);
    tcase_add_test(view_case, test_click_does_nothing_to_what_a_report_covers);
    tcase_add_test(view_case, test_drag_moves_in_time);
    return suite;
}
