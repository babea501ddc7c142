/* The list while the plan grows, and while a replay goes back to before it had. */
#include <stdio.h>
#include <string.h>

#include "plan.h"
#include "run_state.h"
#include "test_main.h"
#include "view.h"

static struct plan *plan;
static struct run_state state;
static struct view view;
static char text[200];

static void setup(void)
{
    const char *json = "{\"version\":1,\"grows\":true,\"tasks\":[]}";
    struct violations violations = {0};
    ck_assert(plan_parse(json, strlen(json), &plan, &violations));
    run_state_init(&state, plan, 1);
    view_init(&view, 0);
}

static void teardown(void)
{
    view_done(&view);
    run_state_done(&state);
    plan_free(plan);
}

static void apply(struct event event)
{
    struct err err = {0};
    event.seq = state.last_seq + 1;
    event.at = (struct moment){.at_ms = 1000 * event.seq, .mono_ms = 1000 * event.seq};
    event.task = -1;
    event.step = -1;
    ck_assert_msg(run_state_apply(&state, &event, &err), "%s", err.message);
}

/* So many tasks more, "t0000", "t0001", ... */
static void add(int count)
{
    if (!state.started)
        apply((struct event){.kind = EVENT_RUN_STARTED, .a = 2});
    for (int i = 0; i < count; i++) {
        (void)snprintf(text, sizeof(text),
                       "{\"task\":{\"id\":\"t%04d\",\"steps\":[{\"run\":[\"true\"]}]}}",
                       state.plan->task_count);
        apply((struct event){.kind = EVENT_TASK_ADDED, .a = state.plan->task_count, .text = text});
    }
}

/* The screen sees the state. */
static void look(void)
{
    const struct view_facts facts = {
        .state = &state, .now = state.last, .clock = state.last, .run = 1};
    view_take_tasks(&view, state.plan->task_count);
    view_arrange(&view, &facts);
    view_fit(&view, 10, 0, VIEW_HAS_LIST);
}

static void begin_again(void)
{
    run_state_done(&state);
    run_state_init(&state, plan, 1);
}

START_TEST(test_the_first_task_is_chosen_when_it_comes)
{
    look();
    ck_assert_int_eq(view.row_count, 0);
    ck_assert_int_eq(view.chosen, -1);
    add(1);
    look();
    ck_assert_int_eq(view.row_count, 1);
    ck_assert_int_eq(view.chosen, 0);
}
END_TEST

START_TEST(test_rows_come_with_tasks_and_the_choice_stays)
{
    add(3);
    look();
    view_choose(&view, view.rows[2]);
    for (int count = 4; count <= 500; count++) {
        add(1);
        look();
        ck_assert_int_eq(view.row_count, count);
        ck_assert_int_eq(view.rows[count - 1], count - 1);
        ck_assert_int_eq(view.chosen, 2);
    }
}
END_TEST

START_TEST(test_rows_that_stay_where_they_are_get_new_ones_below)
{
    add(3);
    look();
    view.still_until = INT64_MAX;
    add(40);
    look();
    ck_assert_int_eq(view.row_count, 43);
    for (int i = 0; i < 43; i++)
        ck_assert_int_eq(view.rows[i], i);
}
END_TEST

START_TEST(test_back_before_the_tasks_there_are_fewer_rows)
{
    add(20);
    look();
    view_choose(&view, view.rows[15]);
    begin_again();
    add(5);
    look();
    ck_assert_int_eq(view.row_count, 5);
    ck_assert_int_eq(view.chosen, 4);
    begin_again();
    look();
    ck_assert_int_eq(view.row_count, 0);
    ck_assert_int_eq(view.chosen, -1);
    add(30);
    look();
    ck_assert_int_eq(view.row_count, 30);
    ck_assert_int_eq(view.chosen, 0);
}
END_TEST

START_TEST(test_what_is_looked_into_is_left_when_its_task_is_gone)
{
    add(3);
    look();
    view.chosen = 2;
    trail_go(&view.trail, SCREEN_FORENSICS);
    begin_again();
    add(2);
    look();
    ck_assert_int_eq(view_screen(&view), SCREEN_TASKS);
}
END_TEST

START_TEST(test_a_filter_finds_a_task_that_comes_later)
{
    add(3);
    look();
    (void)snprintf(view.filter.text, sizeof(view.filter.text), "id=t0007");
    const struct view_facts facts = {.state = &state, .now = state.last, .clock = state.last};
    view_narrow(&view, &facts);
    ck_assert_int_eq(view.row_count, 0);
    add(7);
    look();
    ck_assert_int_eq(view.row_count, 1);
    ck_assert_int_eq(view.rows[0], 7);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("view_grow");
    TCase *rows = test_case(suite, "rows");
    tcase_add_checked_fixture(rows, setup, teardown);
    tcase_add_test(rows, test_the_first_task_is_chosen_when_it_comes);
    tcase_add_test(rows, test_rows_come_with_tasks_and_the_choice_stays);
    tcase_add_test(rows, test_rows_that_stay_where_they_are_get_new_ones_below);
    tcase_add_test(rows, test_back_before_the_tasks_there_are_fewer_rows);
    tcase_add_test(rows, test_what_is_looked_into_is_left_when_its_task_is_gone);
    tcase_add_test(rows, test_a_filter_finds_a_task_that_comes_later);
    return suite;
}
