#include "runs_list.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "golden.h"
#include "log_sample.h"
#include "test_main.h"
#include "view.h"

enum { TASKS = 8 };

static struct place place;
static struct log_reader *reader;
static struct runs_list list;
static struct sample sample;

static void set_up(void)
{
    ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
    list = (struct runs_list){0};
}

static void tear_down(void)
{
    runs_list_done(&list);
}

/* Run 1 is over, run 2 has lost its devs, run 3 is live until the sample is closed. */
static void set_up_three_runs(void)
{
    set_up();
    place = sample_place();
    reader = NULL;
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            sample_done(&sample);
        sample_open(&sample, &place, TASKS);
        sample_start(&sample);
        if (i == 0)
            sample_drive(&sample);
    }
}

static void tear_down_runs(void)
{
    tear_down();
    log_reader_close(reader);
    sample_done(&sample);
}

static void refresh(void)
{
    struct err err = {0};
    if (!reader)
        ck_assert_msg(log_reader_open(&reader, &place, &err), "%s", err.message);
    ck_assert_msg(runs_list_refresh(&list, reader, &err), "%s", err.message);
}

static void sum_up(size_t row)
{
    struct err err = {0};
    ck_assert_msg(runs_list_sum(&list, row, reader, &err), "%s", err.message);
}

START_TEST(test_runs_come_newest_first_with_how_they_ended)
{
    struct str note = {0};
    refresh();
    ck_assert_uint_eq(list.count, 3);
    ck_assert(list.whole);
    ck_assert_int_eq(list.totals.runs, 3);
    ck_assert_int_eq(list.rows[0].number, 3);
    ck_assert(list.rows[0].is_live);
    ck_assert_int_eq(list.rows[0].shown, SHOWN_RUNNING);
    ck_assert_int_eq(list.rows[1].shown, SHOWN_LOST);
    ck_assert_int_eq(list.rows[2].shown, SHOWN_GAVE_UP); /* every fifth task fails */
    ck_assert_int_gt(list.rows[2].tries, TASKS);
    ck_assert_int_eq(list.live, 1);
    sum_up(1);
    runs_row_note(&list.rows[1], &note);
    ck_assert_ptr_nonnull(strstr(str_text(&note), "end not recorded"));
    ck_assert_ptr_nonnull(strstr(str_text(&note), "lost"));
    str_done(&note);
}
END_TEST

START_TEST(test_run_that_ends_is_brought_up_to_date)
{
    refresh();
    sum_up(0);
    sample_drive(&sample);
    refresh();
    ck_assert_uint_eq(list.count, 3);
    ck_assert(!list.rows[0].is_live);
    ck_assert(!list.rows[0].has_sum); /* that was before the run continued */
    ck_assert_int_eq(list.rows[0].shown, SHOWN_GAVE_UP);
    sum_up(0);
    ck_assert_int_eq(list.rows[0].sum.running, 0);
    ck_assert_int_ge(list.rows[0].sum.own_failures, 1);
}
END_TEST

START_TEST(test_time_of_a_run_is_read_once_and_of_one_that_goes_on_again)
{
    struct err err = {0};
    struct moment now = {.at_ms = 1000, .mono_ms = 1000};
    int64_t read = 0;
    refresh();
    ck_assert(runs_list_time(&list, 2, &place, &now, &read, &err));
    ck_assert_int_eq(read, list.rows[2].events);
    ck_assert_int_ge(list.rows[2].waited_percent, 0);
    ck_assert_int_le(list.rows[2].waited_percent, 100);
    now.mono_ms += RUNS_TIME_LIVE_MS;
    ck_assert(runs_list_time(&list, 2, &place, &now, &read, &err));
    ck_assert_int_eq(read, 0);
    ck_assert(runs_list_time(&list, 0, &place, &now, &read, &err));
    ck_assert_int_gt(read, 0);
    ck_assert(runs_list_time(&list, 0, &place, &now, &read, &err));
    ck_assert_int_eq(read, 0);
    now.mono_ms += RUNS_TIME_LIVE_MS;
    ck_assert(runs_list_time(&list, 0, &place, &now, &read, &err));
    ck_assert_int_gt(read, 0);
    list.rows[1].events = RUNS_TIME_EVENTS_MAX + 1;
    ck_assert(runs_list_time(&list, 1, &place, &now, &read, &err));
    ck_assert_int_eq(read, 0);
    ck_assert_int_eq(list.rows[1].waited_percent, -1);
}
END_TEST

START_TEST(test_each_state_of_tasks_is_counted_by_itself)
{
    refresh();
    ck_assert_int_eq(runs_row_count(&list.rows[2], TASK_GAVE_UP), list.rows[2].failed);
    sum_up(2);
    int64_t failed = 0;
    failed += runs_row_count(&list.rows[2], TASK_GAVE_UP);
    failed += runs_row_count(&list.rows[2], TASK_STUCK);
    failed += runs_row_count(&list.rows[2], TASK_NEEDS_YOU);
    failed += runs_row_count(&list.rows[2], TASK_BLOCKED);
    ck_assert_int_eq(failed, list.rows[2].failed);
    ck_assert_int_eq(runs_row_count(&list.rows[2], TASK_PASSED), list.rows[2].passed);
}
END_TEST

/* The list is full of runs that are older than those of the log. */
START_TEST(test_oldest_run_makes_room_for_a_newer_one)
{
    list.rows = calloc(RUNS_LIST_MAX, sizeof(*list.rows));
    ck_assert_ptr_nonnull(list.rows);
    list.cap = list.count = RUNS_LIST_MAX;
    for (int i = 0; i < RUNS_LIST_MAX; i++)
        list.rows[i].number = -i;
    refresh();
    ck_assert_uint_eq(list.count, RUNS_LIST_MAX);
    ck_assert(list.whole);
    ck_assert_int_eq(list.rows[0].number, 3);
    ck_assert_int_eq(list.rows[2].number, 1);
    ck_assert_int_eq(list.rows[RUNS_LIST_MAX - 1].number, -(RUNS_LIST_MAX - 4));
}
END_TEST

START_TEST(test_filter_lets_rows_through_that_hold_each_word)
{
    refresh();
    runs_list_narrow(&list, "");
    ck_assert_uint_eq(list.shown_count, 3);
    runs_list_narrow(&list, "#2");
    ck_assert_uint_eq(list.shown_count, 1);
    ck_assert_uint_eq(list.shown[0], 1);
    runs_list_narrow(&list, "lost  #2");
    ck_assert_uint_eq(list.shown_count, 1);
    runs_list_narrow(&list, "gave #2");
    ck_assert_uint_eq(list.shown_count, 0);
}
END_TEST

/* Adds more runs than one page, as bare rows of the run table. */
static void add_runs(int count)
{
    sqlite3 *db = NULL;
    char sql[512];
    (void)snprintf(sql, sizeof(sql),
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d)"
                   " INSERT INTO run(uid,name,kind,dir,command,boot,devs,seed,jobs,tasks,pid,"
                   "pid_start,started_at_ms,ended_at_ms,exit_code,last_at_ms)"
                   " SELECT 'u'||i,'many','plan','/','','','',1,1,1,1,1,i*1000,i*1000+500,0,"
                   "i*1000 FROM n",
                   count);
    ck_assert_int_eq(sqlite3_open(place.db, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

START_TEST(test_older_runs_are_read_page_by_page)
{
    struct err err = {0};
    add_runs(2 * LOG_PAGE_RUNS);
    refresh();
    ck_assert_uint_eq(list.count, LOG_PAGE_RUNS);
    ck_assert(!list.whole);
    ck_assert_int_eq(list.totals.runs, 2 * LOG_PAGE_RUNS + 3);
    ck_assert(runs_list_more(&list, reader, &err));
    ck_assert_uint_eq(list.count, 2 * LOG_PAGE_RUNS);
    ck_assert(runs_list_more(&list, reader, &err));
    ck_assert_uint_eq(list.count, 2 * LOG_PAGE_RUNS + 3);
    ck_assert(list.whole);
    for (size_t i = 1; i < list.count; i++)
        ck_assert_int_lt(list.rows[i].number, list.rows[i - 1].number);
}
END_TEST

static void add_row(struct runs_row row, const char *name)
{
    list.rows = realloc(list.rows, (list.count + 1) * sizeof(*list.rows));
    ck_assert_ptr_nonnull(list.rows);
    row.name = strdup(name);
    list.rows[list.count++] = row;
}

/* The list of the mock-up, on 20 November 2025 at 14:02:37 UTC. */
static void list_of_the_day(void)
{
    static const int64_t noon = INT64_C(1763640000000);
    static const int64_t minute = 60000;
    add_row((struct runs_row){.number = 41,
                              .shown = SHOWN_RUNNING,
                              .is_live = true,
                              .started_at_ms = noon + 110 * minute,
                              .tasks = 10,
                              .tries = 22,
                              .passed = 1,
                              .failed = 1,
                              .cancelled = 1,
                              .waited_percent = 18,
                              .has_sum = true,
                              .sum = {.states = {[TASK_GAVE_UP] = 1}}},
            "shop-api");
    add_row((struct runs_row){.number = 40,
                              .shown = SHOWN_PASSED,
                              .started_at_ms = noon - 168 * minute,
                              .ended_at_ms = noon - 105 * minute,
                              .tasks = 24,
                              .tries = 31,
                              .passed = 24,
                              .waited_percent = 9,
                              .has_sum = true},
            "shop-api");
    add_row((struct runs_row){.number = 39,
                              .shown = SHOWN_GAVE_UP,
                              .started_at_ms = noon - 1100 * minute,
                              .ended_at_ms = noon - 1092 * minute,
                              .tasks = 6,
                              .tries = 36,
                              .failed = 6,
                              .waited_percent = 61,
                              .has_sum = true,
                              .sum = {.states = {[TASK_GAVE_UP] = 6},
                                      .own_failures = 6,
                                      .alike = true,
                                      .fault = {.hi = UINT64_C(0x2d90aaaaaaaaaaaa)},
                                      .class = VERDICT_TRANSIENT,
                                      .type = TRANSIENT_API_RATE_LIMIT}},
            "nightly docs");
    add_row((struct runs_row){.number = 38,
                              .shown = SHOWN_LOST,
                              .started_at_ms = noon - 500000 * minute,
                              .ended_at_ms = noon - 499959 * minute,
                              .tasks = 22,
                              .tries = 1200,
                              .passed = 5,
                              .waited_percent = -1,
                              .has_sum = true,
                              .sum = {.states = {[TASK_NEEDS_YOU] = 1, [TASK_BLOCKED] = 12},
                                      .running = 4}},
            "a name that is rather long for this column");
    list.whole = true;
    list.totals = (struct log_totals){.runs = 41, .attempts = 640};
    runs_list_narrow(&list, "");
}

static const struct {
    const char *name;
    int rows, columns;
    bool ascii;
} golden[] = {
    {"runs-80x24", 24, 80, false},    {"runs-80x24-ascii", 24, 80, true},
    {"runs-140x40", 40, 140, false},  {"runs-60x20", 20, 60, false},
    {"runs-40x12", 12, 40, false},    {"runs-24x3", 3, 24, false},
    {"runs-24x3-ascii", 3, 24, true},
};

START_TEST(test_golden_runs)
{
    struct plan *plan = NULL;
    struct violations violations = {0};
    struct run_state state;
    struct view view;
    struct log_tail tail = {0};
    struct canvas canvas;
    static const char json[] = "{\"version\":1,\"idempotent\":true,\"tasks\":[{\"id\":\"a\","
                               "\"steps\":[{\"run\":[\"true\"]}]}]}";
    ck_assert(plan_parse(json, sizeof(json) - 1, &plan, &violations));
    run_state_init(&state, plan, 1);
    state.started = true;
    view_init(&view, 1);
    trail_go(&view.trail, SCREEN_RUNS);
    list_of_the_day();
    const struct moment now = {.at_ms = INT64_C(1763647357000), .mono_ms = 1000};
    struct view_facts facts = {.state = &state,
                               .log = &tail,
                               .runs = &list,
                               .log_file = "/home/ann/shop/.devs/devs.db",
                               .now = now,
                               .clock = now};
    const struct frame_input input = {.facts = &facts, .view = &view, .name = "shop-api"};
    canvas_init(&canvas, golden[_i].rows, golden[_i].columns, golden[_i].ascii);
    view_runs_fit(&view.runs, &list, frame_runs_rows(canvas.rows, canvas.columns, &input));
    frame_draw(&canvas, &input);
    golden_check(&canvas, golden[_i].name);
    canvas_done(&canvas);
    view_done(&view);
    run_state_done(&state);
    plan_free(plan);
}
END_TEST

/* The selected row is visible, however many lines the rows above it take. */
START_TEST(test_chosen_run_stays_in_sight)
{
    struct view_runs runs = {0};
    list_of_the_day();
    view_runs_fit(&runs, &list, 3);
    ck_assert_uint_eq(runs.top, 0);
    runs.chosen = 38;
    view_runs_fit(&runs, &list, 3);
    ck_assert_uint_eq(runs.top, 3); /* two lines, and two of the row above */
    view_runs_fit(&runs, &list, 4);
    ck_assert_uint_eq(runs.top, 3);
    runs.chosen = 41;
    view_runs_fit(&runs, &list, 1);
    ck_assert_uint_eq(runs.top, 0);
    runs.chosen = 37; /* gone: selects the nearest older one, here the last */
    ck_assert_uint_eq(view_runs_chosen(&runs, &list), 3);
}
END_TEST

/* The digits apply to the selected run, not to the one shown. */
START_TEST(test_digits_open_the_chosen_run)
{
    struct view view;
    struct view_todo todo = {0};
    list_of_the_day();
    view_init(&view, 0);
    view.runs.chosen = 39;
    const struct view_facts facts = {.runs = &list};
    ck_assert(view_runs_act(&view, &facts, UI_TIMELINE, &todo));
    ck_assert_int_eq((int)todo.kind, (int)VIEW_OPEN_RUN);
    ck_assert_int_eq(todo.run, 39);
    ck_assert_int_eq((int)todo.screen, (int)SCREEN_TIMELINE);
    ck_assert(view_runs_act(&view, &facts, UI_TASKS, &todo));
    ck_assert_int_eq((int)todo.screen, (int)SCREEN_TASKS);
    ck_assert_ptr_null(view_runs_refusal(&view, &facts, UI_TASKS));
    ck_assert_ptr_nonnull(strstr(view_runs_refusal(&view, &facts, UI_LOG), "then select a task"));
    view_done(&view);
}
END_TEST

/* The message names both runs by number. */
START_TEST(test_how_two_runs_are_compared_is_said)
{
    static const struct {
        int64_t chosen;
        const char *wanted;
    } cases[] = {{0, "devs debug --diff 40 41"},
                 {39, "devs debug --diff 38 39"},
                 {38, "devs debug --diff 38 39"}};
    struct view view;
    list_of_the_day();
    view_init(&view, 0);
    const struct view_facts facts = {.runs = &list};
    ck_assert(!view_runs_say_compare(&view, &facts)); /* on another screen, it is about attempts */
    trail_go(&view.trail, SCREEN_RUNS);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        view.runs.chosen = cases[i].chosen;
        (void)view_key(&view, '=', &facts);
        ck_assert_msg(strstr(view.message, cases[i].wanted) != NULL, "%s", view.message);
    }
    view_done(&view);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("runs_list");
    TCase *tcase = test_case(suite, "log");
    tcase_add_checked_fixture(tcase, set_up_three_runs, tear_down_runs);
    tcase_add_test(tcase, test_runs_come_newest_first_with_how_they_ended);
    tcase_add_test(tcase, test_run_that_ends_is_brought_up_to_date);
    tcase_add_test(tcase, test_time_of_a_run_is_read_once_and_of_one_that_goes_on_again);
    tcase_add_test(tcase, test_each_state_of_tasks_is_counted_by_itself);
    tcase_add_test(tcase, test_oldest_run_makes_room_for_a_newer_one);
    tcase_add_test(tcase, test_filter_lets_rows_through_that_hold_each_word);
    tcase_add_test(tcase, test_older_runs_are_read_page_by_page);
    tcase = test_case(suite, "screen");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, test_golden_runs, 0, ARRAY_LEN(golden));
    tcase_add_test(tcase, test_chosen_run_stays_in_sight);
    tcase_add_test(tcase, test_digits_open_the_chosen_run);
    tcase_add_test(tcase, test_how_two_runs_are_compared_is_said);
    return suite;
}
