#include <stdio.h>
#include <stdlib.h>

#include "golden.h"
#include "retry_help.h"
#include "stage.h"
#include "term.h"
#include "test_main.h"
#include "view.h"
#include "xalloc.h"

static void set_up(void)
{
    stage_open(story_init_full, "T-104");
    trail_go(&view.trail, SCREEN_DETAIL);
}

static struct view_todo press(uint32_t key)
{
    return view_key(&view, key, &facts);
}

static const struct {
    const char *name;
    int rows, columns;
    bool ascii;
} sizes[] = {
    {"detail-80x24", 24, 80, false},   {"detail-80x24-ascii", 24, 80, true},
    {"detail-140x40", 40, 140, false}, {"detail-140x40-ascii", 40, 140, true},
    {"detail-60x20", 20, 60, false},   {"detail-60x20-ascii", 20, 60, true},
    {"detail-40x12", 12, 40, false},   {"detail-40x12-ascii", 12, 40, true},
    {"detail-24x3", 3, 24, false},     {"detail-24x3-ascii", 3, 24, true},
    {"detail-84x46", 46, 84, false},
};

START_TEST(test_golden_detail)
{
    stage_draw(sizes[_i].rows, sizes[_i].columns, sizes[_i].ascii);
    golden_check(&canvas, sizes[_i].name);
}
END_TEST

/* Makes `cases` test failures that were retried, of which `passed` passed. */
static struct retry_help *retries_of(int cases, int passed)
{
    struct retry_help *out = xcalloc(1, sizeof(*out));
    const struct verdict_label fail = {.class = VERDICT_PERSISTENT, .reason = REASON_TEST_FAIL};
    for (int i = 0; i < cases; i++) {
        struct retry_step step = {.help = out};
        for (int number = 1; number <= 2; number++) {
            const bool passes = number == 2 && i < passed;
            const struct retry_attempt attempt = {
                .number = number,
                .class =
                    passes ? (struct failure_class){0} : (struct failure_class){.label = fail}};
            retry_step_add(&step, &attempt);
        }
    }
    return out;
}

START_TEST(test_chance_is_told_where_there_are_enough_like_it)
{
    struct retry_help *few = retries_of(RETRY_CASES_MIN - 1, 2);
    struct retry_help *enough = retries_of(30, 2);
    facts.retries = few;
    stage_draw(40, 140, false);
    ck_assert(!stage_shows(" chance "));
    facts.retries = enough;
    stage_draw(40, 140, false);
    ck_assert(stage_shows(" chance   7 % that try 4 passes (2 of 30 like it: test-fail)"));
    free(few);
    free(enough);
}
END_TEST

static const char *const others[] = {"T-101", "T-102", "T-105", "T-106", "T-107", "T-110", "T-111"};

START_TEST(test_golden_detail_of_every_state)
{
    char frame[64];
    view.chosen = story_task(&story, others[_i]);
    log_tail_clear(&story.tail);
    stage_draw(24, 80, false);
    (void)snprintf(frame, sizeof(frame), "detail-%s", others[_i]);
    golden_check(&canvas, frame);
}
END_TEST

static void check_try(int step, int attempt)
{
    const struct view_try at = view_try_now(&view, &story.state);
    ck_assert_int_eq(at.task, view.chosen);
    ck_assert_int_eq(at.step, step);
    ck_assert_int_eq(at.attempt, attempt);
}

START_TEST(test_a_try_is_chosen_by_its_keys)
{
    stage_draw(24, 80, false);
    check_try(1, 3);
    (void)press('k');
    check_try(1, 2);
    (void)press('[');
    check_try(1, 1);
    (void)press('k');
    check_try(0, 1); /* of the previous step */
    (void)press('k');
    check_try(0, 1);
    ck_assert_pstr_ne(view.message, "");
    (void)press(']');
    check_try(1, 1);
    (void)press('G');
    check_try(1, 3);
    (void)press('g');
    check_try(0, 1);
    ck_assert_int_eq(view.chosen, story_task(&story, "T-104"));
}
END_TEST

START_TEST(test_the_try_that_is_marked_to_be_compared_is_named)
{
    (void)press('=');
    stage_draw(40, 140, false);
    ck_assert(stage_shows("[ ] choose   = compares with try 3"));
    const int task = view.chosen;
    view.chosen = task == 0 ? 1 : 0;
    stage_draw(40, 140, false);
    ck_assert(stage_shows("= compares with T-104 try 3"));
    view.chosen = task;
    (void)press('=');
    stage_draw(40, 140, false);
    ck_assert(!stage_shows("compares with"));
}
END_TEST

START_TEST(test_failures_are_gone_to_by_e)
{
    stage_draw(24, 80, false);
    (void)press('E');
    check_try(1, 2);
    (void)press('e');
    check_try(1, 3);
    (void)press('e');
    check_try(1, 3);
    ck_assert_pstr_ne(view.message, "");
}
END_TEST

START_TEST(test_enter_opens_the_log_of_the_try)
{
    stage_draw(24, 80, false);
    (void)press('k');
    (void)press(TERM_KEY_ENTER);
    ck_assert_int_eq(view_screen(&view), SCREEN_LOG);
    check_try(1, 2);
    (void)press('q');
    ck_assert_int_eq(view_screen(&view), SCREEN_DETAIL);
    check_try(1, 2);
}
END_TEST

START_TEST(test_forensics_are_of_the_try)
{
    stage_draw(24, 80, false);
    (void)press('k');
    (void)press('i');
    ck_assert_int_eq(view_screen(&view), SCREEN_FORENSICS);
    check_try(1, 2);
}
END_TEST

/* The state has only the rule of a step's latest failure; that of an older try comes from the
 * log. */
START_TEST(test_older_try_tells_its_rule_out_of_the_log)
{
    struct forensics forensics = {.key = {.task = view.chosen, .step = 1, .attempt = 2},
                                  .verdict = verdict_new()};
    forensics.verdict.class = VERDICT_PERSISTENT;
    (void)snprintf(forensics.verdict.rule, sizeof(forensics.verdict.rule), "test.tap");
    (void)snprintf(forensics.verdict.match, sizeof(forensics.verdict.match), "not ok 7");
    facts.forensics = &forensics;
    (void)press('k');
    check_try(1, 2);
    stage_draw(24, 80, false);
    ck_assert(stage_shows("rule test.tap"));
    ck_assert(stage_shows("matched  \"not ok 7\""));
    forensics.key.attempt = 1; /* data read for another try is not used */
    stage_draw(24, 80, false);
    ck_assert(!stage_shows("matched"));
}
END_TEST

/* The reason why the task stopped is shown with the try that caused it, not with earlier ones. */
START_TEST(test_end_is_told_with_the_last_try_only)
{
    stage_close();
    stage_open(story_init_day, "T-107");
    trail_go(&view.trail, SCREEN_DETAIL);
    stage_draw(24, 80, false);
    ck_assert(stage_shows("why try 2 failed"));
    ck_assert(stage_shows(" end      needs you"));
    (void)press('k');
    stage_draw(24, 80, false);
    ck_assert(stage_shows("why try 1 failed"));
    ck_assert(!stage_shows(" end      needs you"));
}
END_TEST

/* Tab cycles through the panes; z zooms in and out. */
START_TEST(test_panes_are_gone_round_and_zoomed)
{
    stage_draw(24, 80, false);
    ck_assert(stage_shows("── why try 3 failed"));
    (void)press(TERM_KEY_TAB);
    ck_assert_int_eq(view.pane, VIEW_PANE_PREVIEW);
    (void)press('z');
    stage_draw(24, 80, false);
    ck_assert(stage_shows("WHAT IS PROVEN"));
    ck_assert(stage_shows("z all panes"));
    (void)press('z');
    (void)press(TERM_KEY_TAB);
    ck_assert_int_eq(view.pane, VIEW_PANE_LOG);
    stage_draw(24, 80, false);
    (void)press('k');
    ck_assert_uint_eq(view.log_back, 0); /* all of it is visible */
    check_try(1, 3);
    (void)press('z');
    stage_draw(24, 80, false);
    ck_assert(view_is_zoomed(&view));
    (void)press('q');
    ck_assert_int_eq(view_screen(&view), SCREEN_TASKS);
    ck_assert(!view_is_zoomed(&view));
}
END_TEST

START_TEST(test_slash_searches_the_log)
{
    stage_draw(24, 80, false);
    (void)press('/');
    ck_assert(view.search.open);
    ck_assert(!view.filter.open);
    ck_assert_int_eq(view.pane, VIEW_PANE_LOG);
}
END_TEST

START_TEST(test_preview_scrolls_where_it_has_the_keys)
{
    view.panes |= VIEW_HAS_PREVIEW;
    view_preview_fit(&view, 30, 10);
    ck_assert(!view_preview_act(&view, UI_DOWN));
    view.pane = VIEW_PANE_PREVIEW;
    ck_assert(view_preview_act(&view, UI_DOWN));
    ck_assert_int_eq(view.preview.top, 1);
    ck_assert(view_preview_act(&view, UI_LAST));
    ck_assert_int_eq(view.preview.top, 20);
    ck_assert(view_preview_act(&view, UI_PAGE_UP));
    ck_assert_int_eq(view.preview.top, 10);
    view_preview_fit(&view, 15, 10);
    ck_assert_int_eq(view.preview.top, 5);
    view.chosen = story_task(&story, "T-101");
    view_preview_fit(&view, 30, 10);
    ck_assert_int_eq(view.preview.top, 0);
}
END_TEST

/* Row by row, over all steps; rows past the last one are ignored. */
START_TEST(test_a_row_of_the_table_is_a_try)
{
    view_detail_choose(&view, &story.state, 0);
    check_try(0, 1);
    view_detail_choose(&view, &story.state, 2);
    check_try(1, 2);
    view_detail_choose(&view, &story.state, 99);
    check_try(1, 2);
}
END_TEST

START_TEST(test_tries_by_hand_and_what_they_changed_are_told)
{
    struct event ended = story_event(&story, "T-104", EVENT_WAIT_ENDED);
    ended.a = 1;
    ended.text = "{\"by\":\"ann\"}";
    struct event changed = story_event(&story, "T-104", EVENT_WORKSPACE_CHANGED);
    changed.a = 2;
    changed.b = 41;
    changed.c = 3;
    story_add(&story, changed);
    story_add(&story, ended);
    story_start(&story, "T-104");
    stage_draw(40, 140, false);
    ck_assert(stage_shows("2 files, +41 -3"));
    ck_assert(stage_shows("by hand"));
}
END_TEST

/* At every size something is visible, and nothing is drawn outside. */
START_TEST(test_no_size_of_detail_is_refused)
{
    for (int rows = 1; rows <= 45; rows++) {
        stage_draw(rows, _i, rows % 2 == 0);
        struct str out = {0};
        canvas_to_text(&canvas, &out);
        ck_assert_msg(out.len > (size_t)rows, "%dx%d is empty", _i, rows); /* not only line feeds */
        str_done(&out);
    }
}
END_TEST

/* The list of tasks has the same keys, for tasks. */
START_TEST(test_failed_tasks_are_gone_to_by_e)
{
    (void)trail_back(&view.trail);
    stage_draw(24, 80, false);
    (void)press('e');
    ck_assert_int_eq(view.chosen, story_task(&story, "T-105"));
    (void)press('e');
    ck_assert_int_eq(view.chosen, story_task(&story, "T-107"));
    (void)press('E');
    ck_assert_int_eq(view.chosen, story_task(&story, "T-105"));
}
END_TEST

START_TEST(test_every_pane_of_the_tasks_can_have_the_screen)
{
    static const char *const first[] = {"STATE", "T-104 checkout", "timeline", "All tests pass"};
    (void)trail_back(&view.trail);
    stage_draw(40, 140, false);
    for (int i = 0; i < (int)ARRAY_LEN(first); i++) {
        ck_assert_int_eq(view.pane, i);
        (void)press('z');
        stage_draw(40, 140, false);
        ck_assert(stage_shows(first[i]));
        ck_assert_int_eq(stage_shows("last action"), 0);
        (void)press('z');
        stage_draw(40, 140, false);
        ck_assert(stage_shows("last action"));
        (void)press(TERM_KEY_TAB);
        stage_draw(40, 140, false);
    }
    ck_assert_int_eq(view.pane, VIEW_PANE_LIST);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("detail");
    TCase *tcase = test_case(suite, "frame");
    tcase_add_checked_fixture(tcase, set_up, stage_close);
    tcase_add_loop_test(tcase, test_golden_detail, 0, TABLE_LEN(sizes));
    tcase_add_loop_test(tcase, test_golden_detail_of_every_state, 0, TABLE_LEN(others));
    tcase_add_loop_test(tcase, test_no_size_of_detail_is_refused, 1, 150);
    tcase_add_test(tcase, test_chance_is_told_where_there_are_enough_like_it);
    tcase = test_case(suite, "keys");
    tcase_add_checked_fixture(tcase, set_up, stage_close);
    tcase_add_test(tcase, test_a_try_is_chosen_by_its_keys);
    tcase_add_test(tcase, test_the_try_that_is_marked_to_be_compared_is_named);
    tcase_add_test(tcase, test_failures_are_gone_to_by_e);
    tcase_add_test(tcase, test_enter_opens_the_log_of_the_try);
    tcase_add_test(tcase, test_forensics_are_of_the_try);
    tcase_add_test(tcase, test_older_try_tells_its_rule_out_of_the_log);
    tcase_add_test(tcase, test_end_is_told_with_the_last_try_only);
    tcase_add_test(tcase, test_panes_are_gone_round_and_zoomed);
    tcase_add_test(tcase, test_slash_searches_the_log);
    tcase_add_test(tcase, test_preview_scrolls_where_it_has_the_keys);
    tcase_add_test(tcase, test_a_row_of_the_table_is_a_try);
    tcase_add_test(tcase, test_tries_by_hand_and_what_they_changed_are_told);
    tcase_add_test(tcase, test_failed_tasks_are_gone_to_by_e);
    tcase_add_test(tcase, test_every_pane_of_the_tasks_can_have_the_screen);
    return suite;
}
