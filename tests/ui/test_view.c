/* What the scripts of tests/data/screens cannot say: the way back, a plan that grows, and rows
 * after whatever may happen. */
#include <stdio.h>
#include <string.h>

#include "keymap.h"
#include "plan.h"
#include "run_state.h"
#include "stage.h"
#include "term.h"
#include "test_main.h"
#include "view.h"

START_TEST(test_back_leads_the_way_one_came)
{
    struct screen_trail trail = {0};
    trail_go(&trail, SCREEN_DETAIL);
    trail_go(&trail, SCREEN_FORENSICS);
    ck_assert_int_eq(trail_here(&trail), SCREEN_FORENSICS);
    ck_assert(trail_back(&trail));
    ck_assert_int_eq(trail_here(&trail), SCREEN_DETAIL);
    ck_assert(trail_back(&trail));
    ck_assert_int_eq(trail_here(&trail), SCREEN_TASKS);
    ck_assert(!trail_back(&trail));
}
END_TEST

START_TEST(test_no_screen_is_come_through_twice)
{
    struct screen_trail trail = {0};
    for (int round = 0; round < 3; round++) {
        for (enum screen screen = 0; screen < SCREEN_COUNT; screen++) {
            trail_go(&trail, screen);
            ck_assert_int_eq(trail_here(&trail), screen);
        }
    }
    ck_assert_int_eq(trail.depth, SCREEN_COUNT - 1);
    trail_go(&trail, SCREEN_DETAIL);
    ck_assert_int_eq(trail.depth, 1);
    trail_go(&trail, SCREEN_TASKS);
    ck_assert(!trail_back(&trail));
}
END_TEST

static struct plan *plan;
static struct run_state grown_state;
static struct view grown;
static struct view_facts grown_facts;
static char row_text[200];

static void setup(void)
{
    const char *json = "{\"version\":1,\"grows\":true,\"tasks\":[]}";
    struct violations violations = {0};
    ck_assert(plan_parse(json, strlen(json), &plan, &violations));
    run_state_init(&grown_state, plan, 1);
    view_init(&grown, 0);
    grown_facts = (struct view_facts){.state = &grown_state, .run = 1};
}

static void teardown(void)
{
    view_done(&grown);
    run_state_done(&grown_state);
    plan_free(plan);
}

static void apply(struct event event)
{
    struct err err = {0};
    event.seq = grown_state.last_seq + 1;
    event.at = (struct moment){.at_ms = 1000 * event.seq, .mono_ms = 1000 * event.seq};
    event.task = -1;
    event.step = -1;
    ck_assert_msg(run_state_apply(&grown_state, &event, &err), "%s", err.message);
}

/* Adds `count` tasks, "t0000", "t0001", ... */
static void add(int count)
{
    struct event event = event_new(EVENT_RUN_STARTED);
    event.run_started.jobs = 2;
    if (!grown_state.started)
        apply(event);
    for (int i = 0; i < count; i++) {
        (void)snprintf(row_text, sizeof(row_text),
                       "{\"id\":\"t%04d\",\"steps\":[{\"run\":[\"true\"]}]}",
                       grown_state.plan->task_count);
        event = event_new(EVENT_TASK_ADDED);
        event.task_added.number = grown_state.plan->task_count;
        event.task_added.task = row_text;
        apply(event);
    }
}

/* Updates the screen to the state. */
static void look(void)
{
    view_take_tasks(&grown, grown_state.plan->task_count);
    grown_facts.now = grown_facts.clock = grown_state.last;
    view_arrange(&grown, &grown_facts);
    view_fit(&grown, 10, 0, VIEW_HAS_LIST);
}

static void begin_again(void)
{
    run_state_done(&grown_state);
    run_state_init(&grown_state, plan, 1);
}

START_TEST(test_the_first_task_is_chosen_when_it_comes)
{
    look();
    ck_assert_int_eq(grown.row_count, 0);
    ck_assert_int_eq(grown.chosen, -1);
    add(1);
    look();
    ck_assert_int_eq(grown.row_count, 1);
    ck_assert_int_eq(grown.chosen, 0);
}
END_TEST

START_TEST(test_rows_come_with_tasks_and_the_choice_stays)
{
    add(3);
    look();
    view_choose(&grown, grown.rows[2]);
    for (int count = 4; count <= 500; count++) {
        add(1);
        look();
        ck_assert_int_eq(grown.row_count, count);
        ck_assert_int_eq(grown.rows[count - 1], count - 1);
        ck_assert_int_eq(grown.chosen, 2);
    }
}
END_TEST

START_TEST(test_rows_that_stay_where_they_are_get_new_ones_below)
{
    add(3);
    look();
    grown.still_until = INT64_MAX;
    add(40);
    look();
    ck_assert_int_eq(grown.row_count, 43);
    for (int i = 0; i < 43; i++)
        ck_assert_int_eq(grown.rows[i], i);
}
END_TEST

START_TEST(test_back_before_the_tasks_there_are_fewer_rows)
{
    add(20);
    look();
    view_choose(&grown, grown.rows[15]);
    begin_again();
    add(5);
    look();
    ck_assert_int_eq(grown.row_count, 5);
    ck_assert_int_eq(grown.chosen, 4);
    begin_again();
    look();
    ck_assert_int_eq(grown.row_count, 0);
    ck_assert_int_eq(grown.chosen, -1);
    add(30);
    look();
    ck_assert_int_eq(grown.row_count, 30);
    ck_assert_int_eq(grown.chosen, 0);
}
END_TEST

START_TEST(test_what_is_looked_into_is_left_when_its_task_is_gone)
{
    add(3);
    look();
    grown.chosen = 2;
    trail_go(&grown.trail, SCREEN_FORENSICS);
    begin_again();
    add(2);
    look();
    ck_assert_int_eq(view_screen(&grown), SCREEN_TASKS);
}
END_TEST

START_TEST(test_a_filter_finds_a_task_that_comes_later)
{
    add(3);
    look();
    (void)snprintf(grown.filter.text, sizeof(grown.filter.text), "id=t0007");
    view_narrow(&grown, &grown_facts);
    ck_assert_int_eq(grown.row_count, 0);
    add(7);
    look();
    ck_assert_int_eq(grown.row_count, 1);
    ck_assert_int_eq(grown.rows[0], 7);
}
END_TEST

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

/* The moment on screen may be before the task existed. */
START_TEST(test_undo_is_gone_with_its_task)
{
    add(3);
    look();
    view_choose(&grown, grown.rows[2]);
    ck_assert_int_eq(view_key(&grown, 'p', &grown_facts).kind, VIEW_ASK);
    view_choose(&grown, grown.rows[0]);
    begin_again();
    add(2);
    look();
    ck_assert_int_eq(grown.chosen, 0);
    ck_assert_int_eq(view_key(&grown, 'u', &grown_facts).kind, VIEW_DRAW);
    ck_assert_str_eq(grown.message, "nothing to undo: actions can be undone within 5 s");
}
END_TEST

START_TEST(test_so_many_commands_are_kept)
{
    for (int i = 0; i < 2 * COMMANDS_PAST_MAX; i++) {
        char line[32];
        (void)snprintf(line, sizeof(line), ":filter %d\n", i);
        for (const char *key = line; *key != '\0'; key++)
            (void)view_key(&grown, (unsigned char)*key, &grown_facts);
    }
    ck_assert_int_eq(grown.command.past_count, COMMANDS_PAST_MAX);
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
        story_hold(&story, story.plan->tasks[number].id, leads ? leader : -1);
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
    (void)view_key(&view, keys[roll((int)ARRAY_LEN(keys))], &facts);
}

/* Counts the rows of each task and each fold. */
struct tally {
    int own[PLAY_TASKS];
    int folds[VIEW_FOLDS_MAX];
};

/* Check writes to a pipe at each assertion: too slow for each row of each move. */
static void abort_if(bool is_wrong, const char *where, const char *what, int number)
{
    if (is_wrong)
        ck_abort_msg("%s: %s: %d of %s", where, what, number, rows());
}

static void count_rows(struct tally *tally, const char *where)
{
    for (int i = 0; i < view.row_count; i++) {
        const int number = view_row_task(view.rows[i]);
        const bool is_fold = view_row_is_fold(view.rows[i]);
        abort_if(is_fold && !view_fold_of(&view, number), where, "row without its fold", i);
        int *count = is_fold ? &tally->folds[view.fold_of[number]] : &tally->own[number];
        abort_if(++*count > 1, where, "second row", i);
    }
}

static void check_rows(const char *where)
{
    struct tally tally = {0};
    int members[VIEW_FOLDS_MAX] = {0};
    count_rows(&tally, where);
    for (int i = 0; i < PLAY_TASKS; i++) {
        const struct view_fold *fold = view_fold_of(&view, i);
        const bool in_fold = fold && tally.folds[view.fold_of[i]] > 0;
        const bool in_own = tally.own[i] > 0;
        const bool may_have_both = i == view.chosen || (fold && view_is_unfolded(&view, fold));
        if (fold)
            members[view.fold_of[i]]++;
        if (view_matches(&view, &facts, i) || i == view.chosen)
            abort_if(!in_own && !in_fold, where, "no row for task", i);
        if (!view.unsettled && in_fold && in_own)
            abort_if(!may_have_both, where, "row and fold for task", i);
    }
    for (int i = 0; i < view.fold_count; i++)
        abort_if(tally.folds[i] > 0 && members[i] != view.folds[i].fault.count, where,
                 "wrong count of fold", i);
    abort_if(view.chosen >= 0 && view_chosen_row(&view) < 0, where, "no row for the selected", 0);
}

static void nine_tasks(struct story *out)
{
    story_init(out, "T-201 T-202 T-203 T-204 T-205 T-206 T-207 T-208 T-209", "G");
}

/* Whatever happens and whichever keys are pressed, each task has exactly one row, its own or its
 * fold's. */
START_TEST(test_every_task_is_in_one_row_whatever_happens)
{
    char where[64];
    stage_open(nine_tasks, NULL);
    dice = (uint64_t)_i + 1;
    for (int move = 0; move < MOVES; move++) {
        (void)snprintf(where, sizeof(where), "play %d, move %d", _i, move);
        story_at(&story, 1, move / 4);
        facts.state = &story.state;
        facts.now = story.now;
        happen_to(roll(PLAY_TASKS));
        facts.clock.mono_ms += roll(6) == 0 ? VIEW_STILL_MS : roll(500);
        view_arrange(&view, &facts);
        check_rows(where);
        if (roll(3) == 0)
            press_something();
        view_arrange(&view, &facts);
        check_rows(where);
    }
    stage_close();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("view");
    TCase *trail = test_case(suite, "trail");
    tcase_add_test(trail, test_back_leads_the_way_one_came);
    tcase_add_test(trail, test_no_screen_is_come_through_twice);
    TCase *grows = test_case(suite, "a plan that grows");
    tcase_add_checked_fixture(grows, setup, teardown);
    tcase_add_test(grows, test_the_first_task_is_chosen_when_it_comes);
    tcase_add_test(grows, test_rows_come_with_tasks_and_the_choice_stays);
    tcase_add_test(grows, test_rows_that_stay_where_they_are_get_new_ones_below);
    tcase_add_test(grows, test_back_before_the_tasks_there_are_fewer_rows);
    tcase_add_test(grows, test_what_is_looked_into_is_left_when_its_task_is_gone);
    tcase_add_test(grows, test_a_filter_finds_a_task_that_comes_later);
    tcase_add_test(grows, test_undo_is_gone_with_its_task);
    tcase_add_test(grows, test_so_many_commands_are_kept);
    TCase *plays = test_case(suite, "anything");
    tcase_add_loop_test(plays, test_every_task_is_in_one_row_whatever_happens, 0, PLAYS);
    return suite;
}
