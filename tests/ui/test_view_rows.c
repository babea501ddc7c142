/* Tasks with the same fault share a row: which ones fold, which stay in place, what keys do. */
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "keyboard.h"
#include "shown.h"
#include "term.h"
#include "test_main.h"

static void set_up(void)
{
    keyboard_open(story_init_retries, 10, 4);
}

/* Advances the clock and the rows. */
static void pass(int64_t ms)
{
    later(ms);
    view_arrange(&view, &facts);
}

static void choose_fold(void)
{
    view_choose(&view, -1 - task("T-204"));
    ck_assert_int_ge(view_chosen_row(&view), 0);
}

/* Returns the rows as text: "T-203 T-201 6xT-204 ...". */
static const char *rows(void)
{
    static char out[512];
    size_t len = 0;
    out[0] = '\0';
    for (int i = 0; i < view.row_count; i++) {
        int number = view_row_task(view.rows[i]);
        const struct view_fold *fold = view_fold_of(&view, number);
        char count[16] = "";
        if (view_row_is_fold(view.rows[i]) && fold)
            (void)snprintf(count, sizeof(count), "%dx", fold->fault.count);
        len += (size_t)snprintf(out + len, sizeof(out) - len, "%s%s%s", i > 0 ? " " : "", count,
                                story.plan->tasks[number].id + 2);
    }
    return out;
}

#define FOLDED "203 201 202 6x204 210 211 212 213 214"

START_TEST(test_tasks_of_one_fault_are_one_row)
{
    ck_assert_str_eq(rows(), FOLDED);
    ck_assert_int_eq(view_row_of(&view, task("T-204")), -1);
    ck_assert_int_eq(view_row_of(&view, task("T-205")), -1);
    ck_assert_ptr_null(view_fold_of(&view, task("T-210")));
}
END_TEST

START_TEST(test_moves_pass_over_what_is_folded)
{
    view_choose(&view, task("T-202"));
    (void)press('j');
    ck_assert_int_eq(view.chosen, task("T-204"));
    ck_assert(view.on_fold);
    (void)press('j');
    ck_assert_int_eq(view.chosen, task("T-210"));
    ck_assert(!view.on_fold);
    (void)press('k');
    ck_assert(view.on_fold);
}
END_TEST

START_TEST(test_enter_unfolds_in_place_and_folds_again)
{
    choose_fold();
    int row = view_chosen_row(&view);
    ck_assert_int_eq(press(TERM_KEY_ENTER).kind, VIEW_DRAW);
    ck_assert_str_eq(rows(), "203 201 202 6x204 204 205 206 207 208 209 210 211 212 213 214");
    ck_assert_int_eq(view_chosen_row(&view), row);
    ck_assert_int_eq(view_screen(&view), SCREEN_TASKS);
    pass(VIEW_STILL_MS); /* and it stays that way */
    ck_assert_int_eq(view.row_count, 15);
    (void)press('j');
    ck_assert_int_eq(view.chosen, task("T-204"));
    ck_assert(!view.on_fold);
    (void)press(TERM_KEY_ENTER);
    ck_assert_int_eq(view_screen(&view), SCREEN_DETAIL); /* a task in it opens like any other */
    (void)press(TERM_KEY_ESC);
    (void)press('k');
    (void)press(TERM_KEY_ENTER);
    ck_assert_str_eq(rows(), FOLDED);
}
END_TEST

START_TEST(test_chosen_task_keeps_its_row_when_the_others_fold)
{
    view_toggle_fold(&view, view_fold_of(&view, task("T-204")));
    view_narrow(&view, &facts);
    view_choose(&view, task("T-206"));
    view_toggle_fold(&view, view_fold_of(&view, task("T-204")));
    pass(VIEW_STILL_MS);
    ck_assert_str_eq(rows(), "203 201 202 6x204 206 210 211 212 213 214");
    ck_assert_int_eq(view.chosen, task("T-206"));
    ck_assert_ptr_null(view_chosen_fold(&view));
}
END_TEST

/* The task shown on the whole screen does not change. */
START_TEST(test_open_task_does_not_become_the_fault)
{
    view_toggle_fold(&view, view_fold_of(&view, task("T-204")));
    view_narrow(&view, &facts);
    view_choose(&view, task("T-204"));
    (void)press(TERM_KEY_ENTER);
    ck_assert_int_eq(view_screen(&view), SCREEN_DETAIL);
    view_toggle_fold(&view, view_fold_of(&view, task("T-204")));
    pass(VIEW_STILL_MS);
    ck_assert_str_eq(rows(), "203 201 202 6x204 204 210 211 212 213 214");
    ck_assert_ptr_null(view_chosen_fold(&view));
    (void)press(TERM_KEY_ESC);
    pass(VIEW_STILL_MS);
    ck_assert_str_eq(rows(), FOLDED);
    ck_assert_int_eq(view_chosen_fold(&view)->fault.count, 6);
}
END_TEST

/* Acts must not apply to tasks hidden by the filter. */
START_TEST(test_fault_in_part_hidden_is_no_row)
{
    (void)press('/');
    for (const char *key = "T-205"; *key != '\0'; key++)
        (void)press((uint32_t)*key);
    ck_assert_str_eq(rows(), "205");
    ck_assert_int_eq(view.chosen, task("T-205"));
    ck_assert_ptr_null(view_chosen_fold(&view));
    (void)press(TERM_KEY_ENTER);
    ck_assert_int_eq(press('p').kind, VIEW_ASK);
    (void)press(TERM_KEY_ESC); /* without the filter, it is one of six again */
    ck_assert_str_eq(rows(), FOLDED);
    ck_assert_int_eq(view.chosen, task("T-204"));
    ck_assert(view.on_fold);
}
END_TEST

START_TEST(test_r_sends_the_first_one)
{
    choose_fold();
    struct view_todo todo = press('r');
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.verb, CONTROL_SEND_ONE);
    ck_assert_int_eq(todo.control.task, task("T-204"));
    ck_assert_int_eq(todo.control.step, 0);
    ck_assert_int_eq(todo.control.attempt, 1);
    ck_assert_int_eq(todo.control.key_at_ms, facts.clock.at_ms);
}
END_TEST

static void hold(const char *id, int leader)
{
    struct event event = {.kind = EVENT_TASK_HELD, .task = task(id), .step = -1, .a = leader + 1};
    event.text = "{\"by\":\"ann\"}";
    story_add(&story, event);
}

START_TEST(test_p_holds_those_that_are_not_then_lets_all_go)
{
    hold("T-206", -1);
    pass(0);
    choose_fold();
    struct view_todo todo = press('p');
    ck_assert_int_eq(todo.kind, VIEW_ASK_MANY);
    ck_assert_int_eq(todo.control.verb, CONTROL_HOLD);
    ck_assert_int_eq(view.target_count, 5);
    for (int i = 0; i < view.target_count; i++) {
        ck_assert_int_ne(view.targets[i].task, task("T-206"));
        ck_assert_int_eq(view.targets[i].step, -1);
        hold(story.plan->tasks[view.targets[i].task].id, -1);
    }
    pass(0);
    todo = press('p');
    ck_assert_int_eq(todo.kind, VIEW_ASK_MANY);
    ck_assert_int_eq(todo.control.verb, CONTROL_RELEASE);
    ck_assert_int_eq(view.target_count, 6);
}
END_TEST

START_TEST(test_x_asks_about_all_as_they_were)
{
    choose_fold();
    ck_assert_int_eq(press('x').kind, VIEW_ASKED);
    ck_assert_int_eq(view.prompt.kind, PROMPT_CANCEL_MANY);
    ck_assert_int_eq(view.prompt.count, 6);
    pass(PROMPT_DEAF_MS);
    ck_assert_int_eq(press(TERM_KEY_ENTER).kind, VIEW_DRAW);
    story_add(&story, story_event(&story, "T-205", EVENT_WAIT_ENDED)); /* it has left the fold */
    pass(0);
    struct view_todo todo = press('t');
    ck_assert_int_eq(todo.kind, VIEW_ASK_MANY);
    ck_assert_int_eq(todo.control.verb, CONTROL_CANCEL);
    ck_assert_int_eq(todo.control.mode, CANCEL_TERM);
    ck_assert_int_eq(view.target_count, 6);
    ck_assert_int_eq(view.targets[1].task, task("T-205"));
    ck_assert_int_eq(view.targets[1].step, 0);
    ck_assert_int_eq(view.targets[1].attempt, 1);
}
END_TEST

/* After `r`, the first one runs in the same row. The others share a row as soon as rows may
 * move. */
START_TEST(test_sent_one_leaves_and_the_others_follow)
{
    choose_fold();
    int row = view_chosen_row(&view);
    (void)press('r');
    static const char *const others[] = {"T-205", "T-206", "T-207", "T-208", "T-209"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        hold(others[i], task("T-204"));
    story_add(&story, story_event(&story, "T-204", EVENT_WAIT_ENDED));
    story_start(&story, "T-204");
    pass(0);
    ck_assert_int_eq(view_chosen_row(&view), row);
    ck_assert_ptr_null(view_chosen_fold(&view)); /* acts apply to the running one */
    pass(VIEW_STILL_MS);
    ck_assert_str_eq(rows(), "203 201 202 204 5x205 210 211 212 213 214");
    ck_assert_int_eq(view_chosen_row(&view), row);
    ck_assert_int_eq(view.chosen, task("T-204"));

    (void)press('j');
    ck_assert_int_eq(view_chosen_fold(&view)->leader, task("T-204"));
    ck_assert_int_eq(press('r').kind, VIEW_DRAW);
    ck_assert_pstr_eq(strstr(view.message, "retrying T-204 first: "), view.message);
    struct view_todo todo = press('p');
    ck_assert_int_eq(todo.control.verb, CONTROL_RELEASE);
    ck_assert_int_eq(view.target_count, 5);
}
END_TEST

START_TEST(test_too_few_that_wait_unfold_by_themselves)
{
    static const char *const gone[] = {"T-204", "T-205", "T-206", "T-207"};
    choose_fold();
    for (size_t i = 0; i < ARRAY_LEN(gone); i++)
        story_add(&story, story_event(&story, gone[i], EVENT_WAIT_ENDED));
    pass(VIEW_STILL_MS);
    ck_assert_str_eq(rows(), "203 201 202 204 205 206 207 208 209 210 211 212 213 214");
    ck_assert_int_eq(view.chosen, task("T-204"));
    ck_assert(!view.on_fold);
}
END_TEST

START_TEST(test_rows_do_not_fold_right_after_a_key)
{
    view_toggle_fold(&view, view_fold_of(&view, task("T-204")));
    view_narrow(&view, &facts);
    (void)press('j');
    view_toggle_fold(&view, view_fold_of(&view, task("T-204")));
    pass(VIEW_STILL_MS - 1);
    ck_assert_int_eq(view.row_count, 15);
    pass(1);
    ck_assert_str_eq(rows(), FOLDED);
}
END_TEST

START_TEST(test_replay_folds_but_does_not_act)
{
    static const char keys[] = "rxp";
    facts.mode = VIEW_REPLAY;
    choose_fold();
    for (const char *key = keys; *key != '\0'; key++) {
        ck_assert_int_eq(press((uint32_t)*key).kind, VIEW_DRAW);
        ck_assert_msg(strstr(view.message, "replay") != NULL, "%c: %s", *key, view.message);
    }
    (void)press(TERM_KEY_ENTER);
    ck_assert_int_eq(view.row_count, 15);
}
END_TEST

START_TEST(test_what_a_gate_keeps_back_can_be_sent)
{
    view_choose(&view, task("T-212"));
    struct view_todo todo = press('r');
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.verb, CONTROL_RETRY);
}
END_TEST

/* Too few tasks with the fault remain for a shared row. All of them get rows at once and can be
 * reached with keys, even while keys are being pressed. */
START_TEST(test_followers_without_a_fold_have_rows_at_once)
{
    static const char *const gone[] = {"T-207", "T-208", "T-209"};
    for (size_t i = 0; i < ARRAY_LEN(gone); i++)
        story_add(&story, story_event(&story, gone[i], EVENT_WAIT_ENDED));
    pass(VIEW_STILL_MS);
    choose_fold();
    (void)press('r');
    hold("T-205", task("T-204"));
    hold("T-206", task("T-204"));
    story_add(&story, story_event(&story, "T-204", EVENT_WAIT_ENDED));
    pass(0);
    ck_assert_str_eq(rows(), "203 201 202 204 205 206 207 208 209 210 211 212 213 214");
    ck_assert_int_eq(view.chosen, task("T-204"));
    ck_assert(!view.on_fold);
    (void)press('j');
    pass(0);
    ck_assert_int_eq(view.chosen, task("T-205"));
    (void)press('j');
    ck_assert_int_eq(view.chosen, task("T-206"));
}
END_TEST

START_TEST(test_unfolded_fault_that_dissolves_shows_no_task_twice)
{
    static const char *const gone[] = {"T-204", "T-205", "T-206", "T-207", "T-208", "T-209"};
    choose_fold();
    (void)press(TERM_KEY_ENTER);
    pass(0);
    for (size_t i = 0; i < ARRAY_LEN(gone); i++)
        story_add(&story, story_event(&story, gone[i], EVENT_WAIT_ENDED));
    pass(0);
    ck_assert_str_eq(rows(), "203 201 202 204 205 206 207 208 209 210 211 212 213 214");
    ck_assert_int_eq(view.chosen, task("T-204"));
    ck_assert(!view.on_fold);
}
END_TEST

enum { PLAYS = 40, MOVES = 250, PLAY_TASKS = 9 };

static uint64_t dice;

static int roll(int sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (int)((dice >> 33) % (uint64_t)sides);
}

static void release_followers(int leader)
{
    for (int i = 0; i < PLAY_TASKS; i++) {
        if (story.state.tasks[i].follows == leader)
            story_add(&story, (struct event){.kind = EVENT_TASK_RELEASED, .task = i, .step = -1});
    }
}

/* Holds the task, in some cases until another one has finished. */
static void toggle_hold(int number)
{
    int leader = roll(PLAY_TASKS);
    bool leads = leader != number && story.state.tasks[leader].status == TASK_RUNNING;
    if (story.state.tasks[number].held)
        story_add(&story, (struct event){.kind = EVENT_TASK_RELEASED, .task = number, .step = -1});
    else
        hold(story.plan->tasks[number].id, leads ? leader : -1);
}

/* Lets something happen to a task; usually it fails with one of two faults and waits. */
static void happen_to(int number)
{
    const char *id = story.plan->tasks[number].id;
    const struct task_state *it = &story.state.tasks[number];
    if (it->status == TASK_BACKOFF && roll(2) == 0) {
        toggle_hold(number);
    } else if (it->status == TASK_BACKOFF && !it->held && roll(3) == 0) {
        story_add(&story, story_event(&story, id, EVENT_WAIT_ENDED));
        story_start(&story, id);
    } else if (it->status == TASK_QUEUED && !it->held) {
        story_start(&story, id);
    } else if (it->status == TASK_RUNNING && roll(12) == 0) {
        release_followers(number);
        story_pass(&story, id);
    } else if (it->status == TASK_RUNNING) {
        release_followers(number);
        story_fail_by_world(&story, id, TRANSIENT_NETWORK_TIMEOUT, 1 + (roll(4) == 0), NULL);
        story_wait(&story, id, 1 + roll(300));
    }
}

static void press_something(void)
{
    static const uint32_t keys[] = {
        'j', 'k', 'j', 'k', TERM_KEY_ENTER, TERM_KEY_ENTER, TERM_KEY_ESC, '/', '3', 'g', 'G'};
    (void)press(keys[roll((int)ARRAY_LEN(keys))]);
}

/* Counts the rows of each task and each fold. */
struct tally {
    int own[PLAY_TASKS];
    int folds[VIEW_FOLDS_MAX];
};

static void count_rows(struct tally *tally, const char *where)
{
    for (int i = 0; i < view.row_count; i++) {
        int number = view_row_task(view.rows[i]);
        bool is_fold = view_row_is_fold(view.rows[i]);
        ck_assert_msg(!is_fold || view_fold_of(&view, number), "%s: row %d is no fold", where, i);
        int *count = is_fold ? &tally->folds[view.fold_of[number]] : &tally->own[number];
        ck_assert_msg(++*count == 1, "%s: twice: %s", where, rows());
    }
}

static void check_rows(const char *where)
{
    struct tally tally = {0};
    int members[VIEW_FOLDS_MAX] = {0};
    count_rows(&tally, where);
    for (int i = 0; i < PLAY_TASKS; i++) {
        const struct view_fold *fold = view_fold_of(&view, i);
        bool in_fold = fold && tally.folds[view.fold_of[i]] > 0;
        bool in_own = tally.own[i] > 0;
        if (fold)
            members[view.fold_of[i]]++;
        if (view_matches(&view, &facts, i) || i == view.chosen)
            ck_assert_msg(in_own || in_fold, "%s: task %d is missing: %s", where, i, rows());
        bool may_have_both = in_fold && (i == view.chosen || view_is_unfolded(&view, fold));
        if (!view.unsettled && in_fold && in_own)
            ck_assert_msg(may_have_both, "%s: task %d is in a fold: %s", where, i, rows());
    }
    for (int i = 0; i < view.fold_count; i++)
        ck_assert_msg(tally.folds[i] == 0 || members[i] == view.folds[i].fault.count,
                      "%s: fold %d has %d members", where, i, members[i]);
    ck_assert_msg(view.chosen < 0 || view_chosen_row(&view) >= 0, "%s: no row is chosen", where);
}

/* Whatever happens and whichever keys are pressed, each task has exactly one row, its own or its
 * fold's. */
START_TEST(test_every_task_is_in_one_row_whatever_happens)
{
    char where[64];
    keyboard_close();
    story_init(&story, "T-201 T-202 T-203 T-204 T-205 T-206 T-207 T-208 T-209", "G");
    view_init(&view, PLAY_TASKS);
    dice = (uint64_t)_i + 1;
    for (int move = 0; move < MOVES; move++) {
        (void)snprintf(where, sizeof(where), "play %d, move %d", _i, move);
        story_at(&story, 1, move / 4);
        facts.state = &story.state;
        facts.now = story.now;
        happen_to(roll(PLAY_TASKS));
        pass(roll(6) == 0 ? VIEW_STILL_MS : roll(500));
        check_rows(where);
        if (roll(3) == 0)
            press_something();
        pass(0);
        check_rows(where);
    }
}
END_TEST

static void add_fold_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "one fault");
    tcase_add_checked_fixture(tcase, set_up, keyboard_close);
    tcase_add_test(tcase, test_tasks_of_one_fault_are_one_row);
    tcase_add_test(tcase, test_moves_pass_over_what_is_folded);
    tcase_add_test(tcase, test_enter_unfolds_in_place_and_folds_again);
    tcase_add_test(tcase, test_chosen_task_keeps_its_row_when_the_others_fold);
    tcase_add_test(tcase, test_open_task_does_not_become_the_fault);
    tcase_add_test(tcase, test_fault_in_part_hidden_is_no_row);
    tcase_add_test(tcase, test_r_sends_the_first_one);
    tcase_add_test(tcase, test_p_holds_those_that_are_not_then_lets_all_go);
    tcase_add_test(tcase, test_x_asks_about_all_as_they_were);
    tcase_add_test(tcase, test_sent_one_leaves_and_the_others_follow);
    tcase_add_test(tcase, test_too_few_that_wait_unfold_by_themselves);
    tcase_add_test(tcase, test_rows_do_not_fold_right_after_a_key);
    tcase_add_test(tcase, test_replay_folds_but_does_not_act);
    tcase_add_test(tcase, test_what_a_gate_keeps_back_can_be_sent);
    tcase_add_test(tcase, test_followers_without_a_fold_have_rows_at_once);
    tcase_add_test(tcase, test_unfolded_fault_that_dissolves_shows_no_task_twice);
    tcase_add_loop_test(tcase, test_every_task_is_in_one_row_whatever_happens, 0, PLAYS);
}

static void set_up_order(void)
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
    ck_assert_str_eq(view.message, "order: state, reversed");
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
    ck_assert_int_eq(view.chosen, chosen); /* the run is being watched */

    view.was_over = false;
    view.used_at_ms = facts.clock.mono_ms - VIEW_LEFT_ALONE_MS;
    view_arrange(&view, &facts);
    ck_assert_str_eq(id_in_row(view_chosen_row(&view)), "T-107");

    type("j"); /* from then on, the selection stays */
    view_arrange(&view, &facts);
    ck_assert_str_eq(id_in_row(view_chosen_row(&view)), "T-105");

    type("H");
    ck_assert_str_eq(all_rows(), "T-107 T-105 T-101 T-103 T-110 T-104 T-106 T-108 T-111");
}
END_TEST

/* When a live run is opened, selects a task that needs the user. */
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
    {":order\n", "order needs HOW", VIEW_DRAW},
    {":open run 41\n", "", VIEW_OPEN_RUN},
    {":open run x\n", "open run needs a number, such as open run 41: 6 lists them", VIEW_DRAW},
    {":goto 14:00\n", "", VIEW_GO_TO},
    {":goto T-104\n", "", VIEW_DRAW},
    {":theme dark\n", "", VIEW_THEME},
    {":set notify=ended\n", "", VIEW_NOTIFY},
    {":set x=1\n", "set supports only notify, such as set notify=needs-you,ended", VIEW_DRAW},
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
    ck_assert_str_eq(view.message, "a replay is read only");
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

/* Also with more candidates than are kept. */
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

/* Sorting, hiding, and typed commands. */
static void add_order_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "list");
    tcase_add_checked_fixture(tcase, set_up_order, keyboard_close);
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
    tcase_add_checked_fixture(tcase, set_up_order, keyboard_close);
    tcase_add_loop_test(tcase, test_command_is_carried_out, 0, TABLE_LEN(lines));
    tcase_add_test(tcase, test_command_that_changes_is_refused_in_a_replay);
    tcase_add_test(tcase, test_command_goes_to_a_view_and_a_task);
    tcase_add_loop_test(tcase, test_tab_completes, 0, TABLE_LEN(completed));
    tcase_add_test(tcase, test_tab_completes_what_all_have_alike);
    tcase_add_test(tcase, test_lines_come_back);
    tcase_add_test(tcase, test_help_begins_a_command);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("view_rows");
    add_fold_cases(suite);
    add_order_cases(suite);
    return suite;
}
