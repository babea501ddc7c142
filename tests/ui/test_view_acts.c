/* Acts on the selected task and on many: marks, questions that name them, kill, a retry with
 * options, undo, and why something is not possible. */
#include <string.h>

#include "keyboard.h"
#include "term.h"
#include "test_main.h"

static void set_up(void)
{
    keyboard_open(keyboard_eight, 8, 4);
}

static void set_up_full(void)
{
    keyboard_open(story_init_full, 10, 4);
}

/* Returns the ids of the marked tasks, as "ac". */
static const char *marked(void)
{
    static char ids[32];
    size_t len = 0;
    for (int i = 0; i < story.plan->task_count; i++) {
        if (view_is_marked(&view, i))
            ids[len++] = story.plan->tasks[i].id[0];
    }
    ids[len] = '\0';
    return ids;
}

static const struct {
    const char *keys;
    const char *want;
} mark_cases[] = {
    {" ", "a"},     {"  ", "ab"},     {" j ", "ac"},   {" k ", ""},         {"jjv", "c"},
    {"vjj", "abc"}, {"jvjjk", "bc"},  {"Gvkk", "fgh"}, {"vjjkkjv", "ab"},   {"*", "abcdefgh"},
    {"*U", ""},     {" vj\x1b", "a"}, {"vjv", "ab"},   {"vjvjjvj", "abde"}, {"*u", ""},
    {" U u", ""},   {" Uu", "a"},
};

START_TEST(test_mark)
{
    type(mark_cases[_i].keys);
    ck_assert_msg(strcmp(marked(), mark_cases[_i].want) == 0, "'%s' marks '%s', not '%s'",
                  mark_cases[_i].keys, marked(), mark_cases[_i].want);
    ck_assert_int_eq(view_marked(&view), (int)strlen(mark_cases[_i].want));
}
END_TEST

START_TEST(test_marks_stay_with_their_tasks)
{
    type(" jj ");
    ck_assert_str_eq(marked(), "ad");
    story_start(&story, "g");
    story_fail(&story, "g", REASON_AUTH, NULL);
    story_end(&story, "g", DECISION_NEEDS_YOU);
    later(VIEW_STILL_MS);
    view_arrange(&view, &facts);
    ck_assert_int_eq(view.rows[0], task("g"));
    ck_assert_str_eq(marked(), "ad");
    type("/id=d\n");
    ck_assert_int_eq(view_marked_hidden(&view), 1);
    ck_assert_str_eq(marked(), "ad");
}
END_TEST

START_TEST(test_act_on_marked_asks_with_their_names)
{
    type(" j j ");
    ck_assert_int_eq(press('x').kind, VIEW_ASKED);
    ck_assert_int_eq(view.prompt.kind, PROMPT_CANCEL_MANY);
    ck_assert_str_eq(view.prompt.ids, "a c e");
    later(PROMPT_DEAF_MS);
    ck_assert_int_eq(type("xXy\n").kind, VIEW_DRAW);
    struct view_todo todo = press('s');
    ck_assert_int_eq(todo.kind, VIEW_ASK_MANY);
    ck_assert_int_eq(todo.control.verb, CONTROL_CANCEL);
    ck_assert_int_eq(view.target_count, 3);
    ck_assert_int_eq(view.targets[1].task, task("c"));
}
END_TEST

static const struct {
    char key, yes;
    enum control_verb verb;
    enum cancel_mode mode;
    const char *ids;
} many_cases[] = {
    {'x', 't', CONTROL_CANCEL, CANCEL_TERM, "a b c d"},
    {'X', 'K', CONTROL_CANCEL, CANCEL_KILL, "c"},
    {'r', 's', CONTROL_RETRY, CANCEL_STOP, "b d"},
    {'p', 'h', CONTROL_HOLD, CANCEL_STOP, "a b c"},
};

/* One task waits for a slot, one for its next try, one runs, one is held, one has passed. */
static void tell_states(void)
{
    story_start(&story, "b");
    story_fail(&story, "b", REASON_TEST_FAIL, NULL);
    story_wait(&story, "b", 60);
    story_start(&story, "c");
    story_add(&story, (struct event){.kind = EVENT_TASK_HELD, .task = task("d"), .step = -1});
    story_start(&story, "e");
    story_pass(&story, "e");
    now_is_the_storys();
    type("vjjjjv");
    ck_assert_str_eq(marked(), "abcde");
}

START_TEST(test_act_leaves_out_what_cannot_take_it)
{
    tell_states();
    ck_assert_int_eq(press((uint32_t)many_cases[_i].key).kind, VIEW_ASKED);
    ck_assert_str_eq(view.prompt.ids, many_cases[_i].ids);
    ck_assert_int_eq(view.prompt.left_out, 5 - view.prompt.count);
    ck_assert_str_ne(view.prompt.left_why, "");
    later(PROMPT_DEAF_MS);
    struct view_todo todo = press((uint32_t)many_cases[_i].yes);
    ck_assert_int_eq(todo.kind, VIEW_ASK_MANY);
    ck_assert_int_eq(todo.control.verb, many_cases[_i].verb);
    ck_assert_int_eq(todo.control.mode, many_cases[_i].mode);
}
END_TEST

START_TEST(test_marked_that_are_all_held_are_let_go)
{
    story_add(&story, (struct event){.kind = EVENT_TASK_HELD, .task = task("a"), .step = -1});
    story_add(&story, (struct event){.kind = EVENT_TASK_HELD, .task = task("b"), .step = -1});
    type("  p");
    ck_assert_int_eq(view.prompt.kind, PROMPT_RELEASE_MANY);
    later(PROMPT_DEAF_MS);
    struct view_todo todo = press('r');
    ck_assert_int_eq(todo.control.verb, CONTROL_RELEASE);
    ck_assert_int_eq(view.targets[0].step, -1); /* applies to the task in any state */
}
END_TEST

START_TEST(test_marked_that_changed_are_asked_about_again)
{
    story_start(&story, "a");
    story_start(&story, "b");
    type("  x");
    ck_assert_int_eq(view.prompt.running, 2);
    later(PROMPT_DEAF_MS);
    story_fail(&story, "a", REASON_TEST_FAIL, NULL);
    story_wait(&story, "a", 60);
    story_pass(&story, "b");
    ck_assert_int_eq(press('t').kind, VIEW_DRAW);
    ck_assert(view.prompt.changed);
    ck_assert_str_eq(view.prompt.ids, "a");
    ck_assert_int_eq(view.prompt.left_out, 1);
    later(PROMPT_DEAF_MS);
    ck_assert_int_eq(press('t').kind, VIEW_ASK_MANY);
    ck_assert_int_eq(view.target_count, 1);
    ck_assert_int_eq(view.targets[0].status, TASK_BACKOFF);
}
END_TEST

START_TEST(test_question_about_nothing_any_more_closes)
{
    story_start(&story, "a");
    type(" X");
    ck_assert_int_eq(view.prompt.kind, PROMPT_KILL_MANY);
    story_pass(&story, "a");
    ck_assert(view_update_prompt(&view, &facts));
    ck_assert_int_eq(view.prompt.kind, PROMPT_NONE);
    ck_assert_ptr_nonnull(strstr(view.message, "nothing left to confirm: a has ended"));
}
END_TEST

START_TEST(test_kill_needs_something_that_runs)
{
    ck_assert_int_eq(press('X').kind, VIEW_DRAW);
    ck_assert_str_eq(view.message, "a is not running: nothing to kill (x cancels)");
    story_start(&story, "a");
    ck_assert_int_eq(press('X').kind, VIEW_ASKED);
    later(PROMPT_DEAF_MS);
    struct view_todo todo = press('K');
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.mode, CANCEL_KILL);
    ck_assert_int_eq(todo.control.task, task("a"));
    ck_assert_int_eq(todo.control.attempt, 1);
}
END_TEST

START_TEST(test_retry_brings_what_was_typed)
{
    story_start(&story, "a");
    story_fail(&story, "a", REASON_TEST_FAIL, NULL);
    story_wait(&story, "a", 60);
    ck_assert_int_eq(press('R').kind, VIEW_ASKED);
    later(PROMPT_DEAF_MS);
    ck_assert(view_wants_text(&view));
    type("mind the rounding\t9\n");
    ck_assert(!view_wants_text(&view));
    later(PROMPT_DEAF_MS);
    struct view_todo todo = press('s');
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.verb, CONTROL_RETRY);
    ck_assert_str_eq(todo.control.hint, "mind the rounding");
    ck_assert_int_eq(todo.control.tries, 9);
    ck_assert_int_eq(todo.control.attempt, 1);
}
END_TEST

START_TEST(test_retry_as_planned_shows_what_is_planned)
{
    story_start(&story, "a");
    story_fail(&story, "a", REASON_TEST_FAIL, NULL);
    story_wait(&story, "a", 60);
    ck_assert_int_eq(press('R').kind, VIEW_ASKED);
    ck_assert_int_eq(view.prompt.tries_left, 5);
    later(PROMPT_DEAF_MS);
    (void)press(TERM_KEY_ESC);
    story_end(&story, "a", DECISION_RETRY_EXHAUSTED);
    ck_assert_int_eq(press('R').kind, VIEW_ASKED);
    ck_assert_int_eq(view.prompt.tries_left, 6);
}
END_TEST

/* The request of `u` after an act on a task in some state, or why there is none. */
static const struct {
    const char *name;
    char status; /* q queued, b backoff, r running, h held and queued */
    const char *keys;
    enum control_verb verb; /* 0: none */
    const char *says;
} undo_cases[] = {
    {"hold", 'b', "p", CONTROL_RELEASE, ""},
    {"let go", 'h', "p", CONTROL_HOLD, ""},
    {"cancel of what waits", 'b', "xs", CONTROL_RETRY, ""},
    {"cancel of what is queued", 'q', "xt", CONTROL_RETRY, ""},
    {"stop of what runs", 'r', "xs", 0, "a finishes this try: r retries it after that"},
    {"kill", 'r', "XK", 0, "a has already been signalled"},
    {"retry of what was held", 'h', "r", CONTROL_HOLD, ""},
    {"retry of what waited", 'b', "r", 0, "a no longer waits"},
};

static void bring_to(char status)
{
    if (status == 'b' || status == 'r')
        story_start(&story, "a");
    if (status == 'b') {
        story_fail(&story, "a", REASON_TEST_FAIL, NULL);
        story_wait(&story, "a", 60);
    }
    if (status == 'h')
        story_add(&story, (struct event){.kind = EVENT_TASK_HELD, .task = task("a"), .step = -1});
    now_is_the_storys();
}

START_TEST(test_undo)
{
    const char *name = undo_cases[_i].name;
    bring_to(undo_cases[_i].status);
    for (const char *key = undo_cases[_i].keys; *key != '\0'; key++) {
        (void)press((unsigned char)*key);
        later(PROMPT_DEAF_MS);
    }
    struct view_todo todo = press('u');
    ck_assert_msg((todo.kind == VIEW_ASK) == (undo_cases[_i].verb != 0), "%s: %s", name,
                  view.message);
    ck_assert_msg(strncmp(view.message, undo_cases[_i].says, strlen(undo_cases[_i].says)) == 0,
                  "%s: %s", name, view.message);
    if (todo.kind != VIEW_ASK)
        return;
    ck_assert(todo.is_undo);
    ck_assert_int_eq(todo.control.verb, undo_cases[_i].verb);
    ck_assert_int_eq(todo.control.task, task("a"));
}
END_TEST

START_TEST(test_undo_is_about_the_act_and_not_the_chosen)
{
    type("pjj");
    struct view_todo todo = press('u');
    ck_assert_int_eq(todo.control.verb, CONTROL_RELEASE);
    ck_assert_int_eq(todo.control.task, task("a"));
}
END_TEST

START_TEST(test_undo_ends_after_five_seconds)
{
    (void)press('p');
    later(VIEW_UNDO_MS + 1);
    ck_assert_int_eq(press('u').kind, VIEW_DRAW);
    ck_assert_str_eq(view.message, "nothing to undo: an action can be undone for 5 s");
}
END_TEST

/* The moment on screen may be before the task existed. */
START_TEST(test_undo_is_gone_with_its_task)
{
    (void)press('p');
    view_take_tasks(&view, story.plan->task_count - 1);
    ck_assert_int_eq(press('u').kind, VIEW_DRAW);
    ck_assert_str_eq(view.message, "nothing to undo: an action can be undone for 5 s");
}
END_TEST

START_TEST(test_what_has_started_is_not_undone)
{
    story_start(&story, "a");
    story_fail(&story, "a", REASON_TEST_FAIL, NULL);
    story_wait(&story, "a", 60);
    (void)press('r');
    story_add(&story, story_event(&story, "a", EVENT_WAIT_ENDED));
    story_start(&story, "a");
    ck_assert_int_eq(press('u').kind, VIEW_DRAW);
    ck_assert_str_eq(view.message, "a has started: x cancels it");
}
END_TEST

START_TEST(test_undo_of_many_takes_those_that_can)
{
    tell_states();
    type("x");
    later(PROMPT_DEAF_MS);
    type("s");
    struct view_todo todo = press('u');
    ck_assert_int_eq(todo.kind, VIEW_ASK_MANY);
    ck_assert_int_eq(todo.control.verb, CONTROL_RETRY);
    ck_assert_int_eq(view.target_count, 3); /* without the running one */
}
END_TEST

static const struct {
    const char *id;
    enum act act;
    const char *why; /* "" = possible */
} refusal_cases[] = {
    {"T-101", UI_RETRY, "T-101 is running: nothing to retry yet (x cancels)"},
    {"T-101", UI_RETRY_WITH, "T-101 is running: nothing to retry yet (x cancels)"},
    {"T-101", UI_KILL, ""},
    {"T-101", UI_CORRECT, "T-101 has no finished try: no class yet"},
    {"T-102", UI_CANCEL, "T-102 has ended: nothing to cancel"},
    {"T-102", UI_HOLD, "T-102 has ended: nothing to hold"},
    {"T-104", UI_RETRY, ""},
    {"T-104", UI_KILL, "T-104 is not running: nothing to kill (x cancels)"},
    {"T-104", UI_CORRECT, ""},
    {"T-111", UI_RETRY, "T-111 starts in the next free slot anyway"},
    {"T-111", UI_RETRY_WITH, ""},
    {"T-111", UI_UNMARK, "nothing is marked: Space marks"},
    {"T-111", UI_UNDO, "nothing to undo: an action can be undone for 5 s"},
    {"T-111", UI_DOWN, ""},
    {"T-111", UI_NEEDS_YOU_NEXT, ""},
    {"T-111", UI_NEXT, "no filter is set: / sets one"},
};

START_TEST(test_refusal)
{
    struct str why = {0};
    view.chosen = task(refusal_cases[_i].id);
    bool refused = view_refusal(&view, &facts, refusal_cases[_i].act, &why);
    ck_assert_str_eq(str_text(&why), refusal_cases[_i].why);
    ck_assert_int_eq(refused, why.len > 0);
    str_done(&why);
}
END_TEST

/* A question is not opened if the answer would be refused. */
START_TEST(test_nothing_is_asked_of_a_log_that_is_read_only)
{
    static const char words[] = "this log is read only: this run cannot be changed from here";
    facts.read_only = true;
    view.chosen = task("T-104");
    for (const char *key = "rRxXpCu"; *key; key++) {
        view.message[0] = '\0';
        ck_assert_int_eq(press((uint32_t)*key).kind, VIEW_DRAW);
        ck_assert_str_eq(view.message, words);
        ck_assert_int_eq(view.prompt.kind, PROMPT_NONE);
    }
    facts.read_only = false;
    ck_assert_int_eq(press('R').kind, VIEW_ASKED);
}
END_TEST

START_TEST(test_refusal_of_all_marked_says_the_first_reason)
{
    tell_states();
    type("U");
    view.chosen = task("c");
    type(" ");
    view.chosen = task("e");
    type(" ");
    ck_assert_str_eq(marked(), "ce");
    ck_assert_int_eq(press('r').kind, VIEW_DRAW);
    ck_assert_str_eq(view.message, "none of the 2 marked: c is running: nothing to retry yet (x "
                                   "cancels)");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("view_acts");
    TCase *tcase = test_case(suite, "small run");
    tcase_add_checked_fixture(tcase, set_up, keyboard_close);
    tcase_add_loop_test(tcase, test_mark, 0, TABLE_LEN(mark_cases));
    tcase_add_test(tcase, test_marks_stay_with_their_tasks);
    tcase_add_test(tcase, test_act_on_marked_asks_with_their_names);
    tcase_add_loop_test(tcase, test_act_leaves_out_what_cannot_take_it, 0, TABLE_LEN(many_cases));
    tcase_add_test(tcase, test_marked_that_are_all_held_are_let_go);
    tcase_add_test(tcase, test_marked_that_changed_are_asked_about_again);
    tcase_add_test(tcase, test_question_about_nothing_any_more_closes);
    tcase_add_test(tcase, test_kill_needs_something_that_runs);
    tcase_add_test(tcase, test_retry_brings_what_was_typed);
    tcase_add_test(tcase, test_retry_as_planned_shows_what_is_planned);
    tcase_add_loop_test(tcase, test_undo, 0, TABLE_LEN(undo_cases));
    tcase_add_test(tcase, test_undo_is_about_the_act_and_not_the_chosen);
    tcase_add_test(tcase, test_undo_ends_after_five_seconds);
    tcase_add_test(tcase, test_undo_is_gone_with_its_task);
    tcase_add_test(tcase, test_what_has_started_is_not_undone);
    tcase_add_test(tcase, test_undo_of_many_takes_those_that_can);
    tcase_add_test(tcase, test_refusal_of_all_marked_says_the_first_reason);

    tcase = test_case(suite, "all states");
    tcase_add_checked_fixture(tcase, set_up_full, keyboard_close);
    tcase_add_test(tcase, test_nothing_is_asked_of_a_log_that_is_read_only);
    tcase_add_loop_test(tcase, test_refusal, 0, TABLE_LEN(refusal_cases));
    return suite;
}
