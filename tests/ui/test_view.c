#include <stdio.h>
#include <string.h>

#include "keyboard.h"
#include "keymap.h"
#include "plan.h"
#include "run_state.h"
#include "term.h"
#include "test_main.h"
#include "view.h"

enum { CTRL_D = 0x04, CTRL_U = 0x15, CTRL_L = 0x0c, CTRL_Z = 0x1a, SECOND = 1000 };

static void set_up(void)
{
    keyboard_open(keyboard_eight, 5, 4);
}

static void set_up_full(void)
{
    keyboard_open(story_init_full, 5, 4);
}

static const struct {
    const char *keys;
    const char *want;
} moves[] = {
    {"j", "b"},     {"jj", "c"},   {"jk", "a"},         {"k", "a"},    {"G", "h"},
    {"Gj", "h"},    {"Gk", "g"},   {"Gg", "a"},         {"\x04", "c"}, {"\x04\x04", "e"},
    {"G\x15", "f"}, {"\x15", "a"}, {"jjjjjjjjjj", "h"},
};

START_TEST(test_move)
{
    type(moves[_i].keys);
    ck_assert_msg(strcmp(chosen(), moves[_i].want) == 0, "%s: at %s", moves[_i].keys, chosen());
}
END_TEST

START_TEST(test_chosen_row_scrolls_into_sight)
{
    type("G");
    view_fit(&view, 5, 4, VIEW_HAS_LIST | VIEW_HAS_LOG);
    ck_assert_int_eq(view.top, 3);
    type("g");
    view_fit(&view, 5, 4, VIEW_HAS_LIST | VIEW_HAS_LOG);
    ck_assert_int_eq(view.top, 0);
    type("jjjjj");
    view_fit(&view, 5, 4, VIEW_HAS_LIST | VIEW_HAS_LOG);
    ck_assert_int_eq(view.top, 1);
    view_fit(&view, 8, 4, VIEW_HAS_LIST | VIEW_HAS_LOG);
    ck_assert_int_eq(view.top, 0);
}
END_TEST

static void needs_you(const char *id)
{
    story_start(&story, id);
    story_fail(&story, id, REASON_AUTH, NULL);
    story_end(&story, id, DECISION_NEEDS_YOU);
}

START_TEST(test_rows_stand_still_after_a_key)
{
    type("j");
    needs_you("g");
    later(VIEW_STILL_MS - 1);
    view_arrange(&view, &facts);
    ck_assert_int_eq(view.rows[0], story_task(&story, "a"));
    ck_assert_int_eq(view.rows[6], story_task(&story, "g"));
    ck_assert_int_gt(view_wake_ms(&view), facts.clock.mono_ms);

    later(1);
    view_arrange(&view, &facts);
    ck_assert_int_eq(view.rows[0], story_task(&story, "g"));
    ck_assert_int_eq(view.rows[1], story_task(&story, "a"));
    ck_assert_int_eq(view_wake_ms(&view), -1);
    ck_assert_str_eq(chosen(), "b");
}
END_TEST

START_TEST(test_rows_that_are_in_order_wake_nobody)
{
    type("j");
    view_arrange(&view, &facts);
    ck_assert_int_eq(view_wake_ms(&view), -1);
}
END_TEST

START_TEST(test_choice_is_a_task_not_a_row)
{
    type("jj");
    ck_assert_str_eq(chosen(), "c");
    needs_you("f");
    later(VIEW_STILL_MS);
    view_arrange(&view, &facts);
    ck_assert_str_eq(chosen(), "c");
    ck_assert_int_eq(view_row_of(&view, view.chosen), 3);
    type("k");
    ck_assert_str_eq(chosen(), "b");
}
END_TEST

START_TEST(test_filter_narrows_while_it_is_typed)
{
    (void)press('/');
    ck_assert(view_wants_text(&view));
    type("T-10");
    ck_assert_int_eq(view.row_count, 8);
    type("5");
    ck_assert_int_eq(view.row_count, 1);
    ck_assert_str_eq(chosen(), "T-105");
    (void)press(TERM_KEY_ENTER);
    ck_assert(!view_wants_text(&view));
    ck_assert_int_eq(view.row_count, 1);
    (void)press(TERM_KEY_ESC);
    ck_assert_int_eq(view.row_count, 10);
    ck_assert_str_eq(chosen(), "T-105");
}
END_TEST

/* Typing a filter that does not match yet does not change the selection permanently. */
START_TEST(test_filter_keeps_the_choice_that_fits)
{
    view.chosen = story_task(&story, "T-105");
    type("/fai");
    ck_assert_str_ne(chosen(), "T-105");
    type("l");
    ck_assert_str_eq(chosen(), "T-105");
    (void)press(TERM_KEY_ENTER);
    ck_assert_str_eq(chosen(), "T-105");
}
END_TEST

START_TEST(test_filter_given_up_brings_the_choice_back)
{
    type("jj");
    char before[PLAN_ID_MAX + 1];
    (void)snprintf(before, sizeof(before), "%s", chosen());
    type("/T-111");
    ck_assert_str_eq(chosen(), "T-111");
    (void)press(TERM_KEY_ESC);
    ck_assert_str_eq(chosen(), before);
    ck_assert_int_eq(view.row_count, 10);
}
END_TEST

static const struct {
    const char *filter;
    int want;
} filters[] = {
    {"", 10},          {"tax", 1},
    {"TAX", 1},        {"state=running", 2},
    {"state=back", 1}, {"class=test-fail", 1},
    {"mail", 2},       {"mail state=blocked", 1},
    {"id=T-11", 2},    {"nothing", 0},
    {"state=", 10},    {"  tax  ", 1},
};

START_TEST(test_filter)
{
    (void)press('/');
    type(filters[_i].filter);
    ck_assert_msg(view.row_count == filters[_i].want, "%s: %d rows", filters[_i].filter,
                  view.row_count);
    ck_assert_int_eq(view.chosen >= 0, filters[_i].want > 0);
}
END_TEST

static const struct {
    const char *filter;
    const char *want;
} slips[] = {
    {"class=tset-fail", "nearest class: test-fail (1)"},
    {"state=runing", "nearest state: running (2)"},
    {"STATE=back", "unknown field 'STATE': state is"},
    {"pased", "nearest state: passed (1)"},
    {"mail state=bloked", "nearest state: blocked (1)"},
    {"compiel", "nearest class: compile (1)"},
    {"class=running", ""},
    {"zz", ""},
    {"class=x", ""},
    {"state=stuk", "nearest state: stuck (0)"},
    {"mail state=running", ""}, /* each word matches a task */
};

START_TEST(test_nearest)
{
    struct str text = {0};
    (void)snprintf(view.filter.text, sizeof(view.filter.text), "%s", slips[_i].filter);
    view_nearest(&view, &facts, &text);
    ck_assert_str_eq(str_text(&text), slips[_i].want);
    str_done(&text);
}
END_TEST

START_TEST(test_next_match_goes_round)
{
    type("/mail\n");
    ck_assert_str_eq(chosen(), "T-105");
    type("n");
    ck_assert_str_eq(chosen(), "T-108");
    type("n");
    ck_assert_str_eq(chosen(), "T-105");
    type("N");
    ck_assert_str_eq(chosen(), "T-108");
}
END_TEST

START_TEST(test_next_without_filter_says_why)
{
    type("n");
    ck_assert_pstr_eq(strstr(view.message, "no filter"), view.message);
}
END_TEST

START_TEST(test_acts_with_nothing_chosen_say_so)
{
    type("/nothing\n");
    static const char keys[] = "rxp";
    for (const char *key = keys; *key != '\0'; key++) {
        struct view_todo todo = press((uint32_t)*key);
        ck_assert_int_eq(todo.kind, VIEW_DRAW);
        ck_assert_str_eq(view.message, "no task selected");
    }
}
END_TEST

START_TEST(test_go_to_what_needs_you)
{
    type("G");
    type("a");
    ck_assert_str_eq(chosen(), "T-107");
    type("!");
    ck_assert_int_eq(view.row_count, 1);
    type("!");
    ck_assert_int_eq(view.row_count, 10);
}
END_TEST

/* The result of a key for a task in each state: an act, or a reason why not. */
static const struct {
    const char *id;
    char key;
    enum view_todo_kind want;
    enum control_verb verb;
    int step, attempt;
    const char *says;
} acts[] = {
    {"T-104", 'r', VIEW_ASK, CONTROL_RETRY, 1, 3, ""},
    {"T-105", 'r', VIEW_ASK, CONTROL_RETRY, 0, 1, ""},
    {"T-106", 'r', VIEW_ASK, CONTROL_RETRY, 0, 0, ""},
    {"T-107", 'r', VIEW_ASK, CONTROL_RETRY, 0, 1, ""},
    {"T-101", 'r', VIEW_DRAW, 0, 0, 0, "T-101 is running: nothing to retry"},
    {"T-102", 'r', VIEW_DRAW, 0, 0, 0, "T-102 has passed"},
    {"T-111", 'r', VIEW_DRAW, 0, 0, 0, "T-111 starts in the next free slot"},
    {"T-104", 'x', VIEW_ASKED, 0, 0, 0, ""},
    {"T-101", 'x', VIEW_ASKED, 0, 0, 0, ""},
    {"T-102", 'x', VIEW_DRAW, 0, 0, 0, "T-102 has ended"},
    {"T-104", 'p', VIEW_ASK, CONTROL_HOLD, -1, 0, ""},
    {"T-105", 'p', VIEW_DRAW, 0, 0, 0, "T-105 has ended"},
};

START_TEST(test_act)
{
    view.chosen = story_task(&story, acts[_i].id);
    struct view_todo todo = press((uint32_t)acts[_i].key);
    ck_assert_int_eq(todo.kind, acts[_i].want);
    ck_assert_msg(strncmp(view.message, acts[_i].says, strlen(acts[_i].says)) == 0, "%s %c: %s",
                  acts[_i].id, acts[_i].key, view.message);
    if (todo.kind != VIEW_ASK)
        return;
    ck_assert_int_eq(todo.control.verb, acts[_i].verb);
    ck_assert_int_eq(todo.control.task, story_task(&story, acts[_i].id));
    ck_assert_int_eq(todo.control.step, acts[_i].step);
    ck_assert_int_eq(todo.control.attempt, acts[_i].attempt);
    ck_assert_int_eq(todo.control.key_at_ms, facts.clock.at_ms);
}
END_TEST

START_TEST(test_held_task_is_let_go)
{
    story_add(&story, (struct event){.kind = EVENT_TASK_HELD, .task = 1, .step = -1});
    view.chosen = 1;
    struct view_todo todo = press('p');
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.verb, CONTROL_RELEASE);
}
END_TEST

static const struct {
    char key;
    enum cancel_mode mode;
} cancels[] = {{'s', CANCEL_STOP}, {'t', CANCEL_TERM}, {'K', CANCEL_KILL}};

START_TEST(test_cancel_takes_a_second_key)
{
    story_start(&story, "c");
    view.chosen = story_task(&story, "c");
    (void)press('x');
    later(PROMPT_DEAF_MS);
    ck_assert_int_eq(press(TERM_KEY_ENTER).kind, VIEW_DRAW);
    ck_assert_int_eq(press('y').kind, VIEW_DRAW);
    ck_assert_int_eq(view.prompt.kind, PROMPT_CANCEL);
    struct view_todo todo = press((uint32_t)cancels[_i].key);
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.verb, CONTROL_CANCEL);
    ck_assert_int_eq(todo.control.mode, cancels[_i].mode);
    ck_assert_int_eq(todo.control.task, story_task(&story, "c"));
    ck_assert_int_eq(todo.control.attempt, 1);
}
END_TEST

/* The rows move and the task continues while the question is open. */
START_TEST(test_prompt_keeps_its_target)
{
    story_start(&story, "c");
    view.chosen = story_task(&story, "c");
    (void)press('x');
    later(PROMPT_DEAF_MS);
    needs_you("h");
    story_fail(&story, "c", REASON_TEST_FAIL, NULL);
    story_wait(&story, "c", 10);
    ck_assert_int_eq(press('t').kind, VIEW_DRAW);
    ck_assert_int_eq(view.prompt.kind, PROMPT_CANCEL);
    ck_assert(view.prompt.changed);

    later(PROMPT_DEAF_MS);
    struct view_todo todo = press('t');
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.task, story_task(&story, "c"));
}
END_TEST

/* The question is about try 1 of the first step, while try 1 of the second runs. */
START_TEST(test_prompt_knows_the_next_step)
{
    view.chosen = story_task(&story, "T-103");
    (void)press('x');
    later(PROMPT_DEAF_MS);
    story_fail(&story, "T-103", REASON_TEST_FAIL, NULL);
    story_end(&story, "T-103", DECISION_SUCCEEDED);
    story_start(&story, "T-103");
    ck_assert_int_eq(press('t').kind, VIEW_DRAW);
    ck_assert(view.prompt.changed);

    later(PROMPT_DEAF_MS);
    struct view_todo todo = press('t');
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.task, story_task(&story, "T-103"));
    ck_assert_int_eq(todo.control.step, 1);
    ck_assert_int_eq(todo.control.attempt, 1);
}
END_TEST

START_TEST(test_escape_keeps_everything)
{
    story_start(&story, "a");
    (void)press('x');
    later(PROMPT_DEAF_MS);
    ck_assert_int_eq(press(TERM_KEY_ESC).kind, VIEW_DRAW);
    ck_assert_int_eq(view.prompt.kind, PROMPT_NONE);
    ck_assert_int_eq(press('s').kind, VIEW_DRAW);
}
END_TEST

START_TEST(test_quit_asks_only_if_the_run_ends_with_it)
{
    ck_assert_int_eq(press('q').kind, VIEW_LEAVE);
    facts.engine_here = true;
    ck_assert_int_eq(press('q').kind, VIEW_ASKED);
    ck_assert_int_eq(view.prompt.kind, PROMPT_QUIT);
    later(PROMPT_DEAF_MS);
    ck_assert_int_eq(press('w').kind, VIEW_LEAVE_WAIT);
    ck_assert_int_eq(press('q').kind, VIEW_ASKED);
    later(PROMPT_DEAF_MS);
    ck_assert_int_eq(press('c').kind, VIEW_LEAVE_CANCEL);
    story_end_run(&story);
    ck_assert_int_eq(press('q').kind, VIEW_LEAVE);
}
END_TEST

START_TEST(test_quit_is_no_question_any_more_when_the_run_has_ended)
{
    facts.engine_here = true;
    ck_assert_int_eq(press('q').kind, VIEW_ASKED);
    later(PROMPT_DEAF_MS);
    story_end_run(&story);
    ck_assert_int_eq(press('c').kind, VIEW_DRAW);
    ck_assert_int_eq(view.prompt.kind, PROMPT_NONE);
    ck_assert_str_eq(view.message, "the run has ended; q quits");
    ck_assert_int_eq(press('q').kind, VIEW_LEAVE);
}
END_TEST

START_TEST(test_control_c_is_the_same_question)
{
    facts.engine_here = true;
    ck_assert_int_eq(press(0x03).kind, VIEW_ASKED);
    ck_assert_int_eq(view.prompt.kind, PROMPT_QUIT);
}
END_TEST

static const struct {
    uint32_t key;
    enum view_todo_kind want;
} plain_keys[] = {
    {CTRL_L, VIEW_REDRAW_ALL}, {CTRL_Z, VIEW_SUSPEND}, {'?', VIEW_DRAW}, {'Z', VIEW_DRAW}};

START_TEST(test_plain_key)
{
    ck_assert_int_eq(press(plain_keys[_i].key).kind, plain_keys[_i].want);
}
END_TEST

START_TEST(test_a_key_without_a_meaning_answers)
{
    ck_assert_int_eq(press('%').kind, VIEW_DRAW);
    ck_assert_str_eq(view.message, "% does nothing here: ? lists the keys");
}
END_TEST

/* Running attempts would be left unattended. The first key shows a warning; a second one soon after
 * confirms. */
START_TEST(test_stopping_a_busy_engine_takes_two_keys)
{
    facts.engine_here = true;
    ck_assert_int_gt(facts.state->running, 0);
    ck_assert_int_eq(press(CTRL_Z).kind, VIEW_DRAW);
    ck_assert_ptr_nonnull(strstr(view.message, "^Z again suspends devs"));
    facts.clock.mono_ms += VIEW_SUSPEND_MS;
    ck_assert_int_eq(press(CTRL_Z).kind, VIEW_DRAW);
    facts.clock.mono_ms += VIEW_SUSPEND_MS - 1;
    (void)view_update_prompt(&view, &facts);
    ck_assert_int_eq(press(CTRL_Z).kind, VIEW_SUSPEND);
    ck_assert_str_eq(view.message, "");
    ck_assert_int_eq(press(CTRL_Z).kind, VIEW_DRAW);
    facts.clock.mono_ms += VIEW_SUSPEND_MS;
    (void)view_update_prompt(&view, &facts);
    ck_assert_str_eq(view.message, "");
}
END_TEST

START_TEST(test_help_runs_a_line)
{
    type("?");
    ck_assert(view.help.open);
    type("retry now");
    view.chosen = story_task(&story, "T-104");
    struct view_todo todo = press(TERM_KEY_ENTER);
    ck_assert(!view.help.open);
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.verb, CONTROL_RETRY);
}
END_TEST

START_TEST(test_open_task_is_closed_by_q)
{
    (void)press(TERM_KEY_ENTER);
    ck_assert_int_eq(view_screen(&view), SCREEN_DETAIL);
    ck_assert_int_eq(press('q').kind, VIEW_DRAW);
    ck_assert_int_eq(view_screen(&view), SCREEN_TASKS);
    ck_assert_int_eq(press('q').kind, VIEW_LEAVE);
}
END_TEST

START_TEST(test_log_pane_takes_the_moves)
{
    view.chosen = story_task(&story, "T-104");
    (void)press(TERM_KEY_TAB);
    ck_assert_int_eq(view.pane, VIEW_PANE_LOG);
    type("k");
    ck_assert_uint_eq(view.log_back, 1);
    ck_assert_str_eq(chosen(), "T-104");
    type("g");
    ck_assert_uint_eq(view.log_back, story.tail.count - 4);
    type("F");
    ck_assert_uint_eq(view.log_back, 0);
    type("/TAP\n");
    ck_assert_uint_eq(view.log_back, 3);
    type("n");
    ck_assert_pstr_ne(view.message, "");
    (void)press(TERM_KEY_TAB);
    ck_assert_int_eq(view.pane, VIEW_PANE_LIST);
}
END_TEST

START_TEST(test_no_room_for_a_second_pane)
{
    view_fit(&view, 5, 0, VIEW_HAS_LIST);
    (void)press(TERM_KEY_TAB);
    ck_assert_int_eq(view.pane, VIEW_PANE_LIST);
    ck_assert_str_ne(view.message, "");
}
END_TEST

static const struct {
    uint32_t key;
    enum replay_move move;
} transports[] = {
    {',', REPLAY_EVENT_BACK}, {'.', REPLAY_EVENT_ON}, {'[', REPLAY_TRY_BACK},
    {']', REPLAY_TRY_ON},     {' ', REPLAY_PLAY},     {'<', REPLAY_SLOWER},
    {'>', REPLAY_FASTER},     {'0', REPLAY_START},    {'$', REPLAY_END},
};

START_TEST(test_transport)
{
    facts.mode = VIEW_REPLAY;
    struct view_todo todo = press(transports[_i].key);
    ck_assert_int_eq(todo.kind, VIEW_TRANSPORT);
    ck_assert_int_eq(todo.move, transports[_i].move);

    facts.mode = VIEW_LIVE;
    const bool leads_back = transports[_i].key == ',';
    ck_assert_int_eq(press(transports[_i].key).kind, leads_back ? VIEW_TRANSPORT : VIEW_DRAW);
    ck_assert_int_eq(view.message[0] == '\0', leads_back);
}
END_TEST

START_TEST(test_replay_refuses_acts)
{
    static const char keys[] = "rxp";
    facts.mode = VIEW_REPLAY;
    for (const char *key = keys; *key != '\0'; key++) {
        ck_assert_int_eq(press((uint32_t)*key).kind, VIEW_DRAW);
        ck_assert_msg(strstr(view.message, "replay") != NULL, "%c: %s", *key, view.message);
    }
}
END_TEST

/* In a replay, the time shown is stopped; the rows use real time. */
START_TEST(test_rows_settle_by_the_real_time_in_a_replay)
{
    facts.mode = VIEW_REPLAY;
    type("j");
    needs_you("g");
    view_arrange(&view, &facts);
    ck_assert_int_eq(view.rows[0], story_task(&story, "a"));
    later(VIEW_STILL_MS);
    view_arrange(&view, &facts);
    ck_assert_int_eq(view.rows[0], story_task(&story, "g"));
}
END_TEST

START_TEST(test_key_takes_the_last_answer_away)
{
    view_say(&view, &facts.clock, "%s", "T-104: retry now: done");
    type("d");
    (void)press(CTRL_L);
    ck_assert_str_eq(view.message, "T-104: retry now: done");
    type("j");
    ck_assert_str_eq(view.message, "");
}
END_TEST

static void add_small(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, set_up, keyboard_close);
    tcase_add_loop_test(tcase, test_move, 0, TABLE_LEN(moves));
    tcase_add_test(tcase, test_chosen_row_scrolls_into_sight);
    tcase_add_test(tcase, test_rows_stand_still_after_a_key);
    tcase_add_test(tcase, test_rows_that_are_in_order_wake_nobody);
    tcase_add_test(tcase, test_choice_is_a_task_not_a_row);
    tcase_add_test(tcase, test_next_without_filter_says_why);
    tcase_add_test(tcase, test_held_task_is_let_go);
    tcase_add_loop_test(tcase, test_cancel_takes_a_second_key, 0, TABLE_LEN(cancels));
    tcase_add_test(tcase, test_prompt_keeps_its_target);
    tcase_add_test(tcase, test_escape_keeps_everything);
    tcase_add_test(tcase, test_quit_asks_only_if_the_run_ends_with_it);
    tcase_add_test(tcase, test_quit_is_no_question_any_more_when_the_run_has_ended);
    tcase_add_test(tcase, test_control_c_is_the_same_question);
    tcase_add_loop_test(tcase, test_plain_key, 0, TABLE_LEN(plain_keys));
    tcase_add_test(tcase, test_open_task_is_closed_by_q);
    tcase_add_test(tcase, test_no_room_for_a_second_pane);
    tcase_add_loop_test(tcase, test_transport, 0, TABLE_LEN(transports));
    tcase_add_test(tcase, test_replay_refuses_acts);
    tcase_add_test(tcase, test_rows_settle_by_the_real_time_in_a_replay);
    tcase_add_test(tcase, test_key_takes_the_last_answer_away);
}

static void add_full(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, set_up_full, keyboard_close);
    tcase_add_test(tcase, test_filter_narrows_while_it_is_typed);
    tcase_add_test(tcase, test_filter_keeps_the_choice_that_fits);
    tcase_add_test(tcase, test_filter_given_up_brings_the_choice_back);
    tcase_add_loop_test(tcase, test_filter, 0, TABLE_LEN(filters));
    tcase_add_loop_test(tcase, test_nearest, 0, TABLE_LEN(slips));
    tcase_add_test(tcase, test_next_match_goes_round);
    tcase_add_test(tcase, test_acts_with_nothing_chosen_say_so);
    tcase_add_test(tcase, test_go_to_what_needs_you);
    tcase_add_loop_test(tcase, test_act, 0, TABLE_LEN(acts));
    tcase_add_test(tcase, test_prompt_knows_the_next_step);
    tcase_add_test(tcase, test_stopping_a_busy_engine_takes_two_keys);
    tcase_add_test(tcase, test_a_key_without_a_meaning_answers);
    tcase_add_test(tcase, test_help_runs_a_line);
    tcase_add_test(tcase, test_log_pane_takes_the_moves);
}

static void add_view_cases(Suite *suite)
{
    add_small(test_case(suite, "small run"));
    add_full(test_case(suite, "every state"));
}

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

START_TEST(test_screens_have_names)
{
    ck_assert_str_eq(screen_name(SCREEN_TASKS), "Tasks");
    ck_assert_str_eq(screen_name(SCREEN_RUNS), "Runs");
}
END_TEST

static void add_trail_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "screen");
    tcase_add_test(tcase, test_back_leads_the_way_one_came);
    tcase_add_test(tcase, test_no_screen_is_come_through_twice);
    tcase_add_test(tcase, test_screens_have_names);
}

static struct plan *plan;
static struct run_state grown_state;
static struct view grown;
static char row_text[200];

static void setup(void)
{
    const char *json = "{\"version\":1,\"grows\":true,\"tasks\":[]}";
    struct violations violations = {0};
    ck_assert(plan_parse(json, strlen(json), &plan, &violations));
    run_state_init(&grown_state, plan, 1);
    view_init(&grown, 0);
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
    if (!grown_state.started)
        apply((struct event){.kind = EVENT_RUN_STARTED, .a = 2});
    for (int i = 0; i < count; i++) {
        (void)snprintf(row_text, sizeof(row_text),
                       "{\"task\":{\"id\":\"t%04d\",\"steps\":[{\"run\":[\"true\"]}]}}",
                       grown_state.plan->task_count);
        apply((struct event){
            .kind = EVENT_TASK_ADDED, .a = grown_state.plan->task_count, .text = row_text});
    }
}

/* Updates the screen to the state. */
static void look(void)
{
    const struct view_facts grown_facts = {
        .state = &grown_state, .now = grown_state.last, .clock = grown_state.last, .run = 1};
    view_take_tasks(&grown, grown_state.plan->task_count);
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
    const struct view_facts grown_facts = {
        .state = &grown_state, .now = grown_state.last, .clock = grown_state.last};
    view_narrow(&grown, &grown_facts);
    ck_assert_int_eq(grown.row_count, 0);
    add(7);
    look();
    ck_assert_int_eq(grown.row_count, 1);
    ck_assert_int_eq(grown.rows[0], 7);
}
END_TEST

/* The list while the plan grows, and while a replay moves back to before it had grown. */
static void add_grow_cases(Suite *suite)
{
    TCase *rows = test_case(suite, "rows");
    tcase_add_checked_fixture(rows, setup, teardown);
    tcase_add_test(rows, test_the_first_task_is_chosen_when_it_comes);
    tcase_add_test(rows, test_rows_come_with_tasks_and_the_choice_stays);
    tcase_add_test(rows, test_rows_that_stay_where_they_are_get_new_ones_below);
    tcase_add_test(rows, test_back_before_the_tasks_there_are_fewer_rows);
    tcase_add_test(rows, test_what_is_looked_into_is_left_when_its_task_is_gone);
    tcase_add_test(rows, test_a_filter_finds_a_task_that_comes_later);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("view");
    add_view_cases(suite);
    add_trail_cases(suite);
    add_grow_cases(suite);
    return suite;
}
