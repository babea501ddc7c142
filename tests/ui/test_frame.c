/* What the scripts of tests/data/screens cannot say of a frame: facts that only the app has,
 * strange texts, colors of whole rows, and scrolling by rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "compare.h"
#include "frame_internal.h"
#include "log_reader.h"
#include "retry_help.h"
#include "shown.h"
#include "stage.h"
#include "term.h"
#include "test_main.h"
#include "text.h"
#include "xalloc.h"

static void set_up(void)
{
    stage_open(story_init_full, "T-104");
}

static void set_up_retries(void)
{
    stage_open(story_init_retries, NULL);
}

static void set_up_detail(void)
{
    set_up();
    trail_go(&view.trail, SCREEN_DETAIL);
}

/* A rule that matched only a single word gets a line only if there is room. */
START_TEST(test_far_misses_need_room)
{
    struct step_state *step = run_state_step(&story.state, story_task(&story, "T-213"));
    struct verdict verdict;
    ck_assert_ptr_nonnull(step_state_verdict(step, &verdict));
    verdict.near[0].why = NEAR_PATTERN;
    step_state_keep_verdict(step, &verdict);
    view.chosen = story_task(&story, "T-213");
    stage_draw(24, 80, false);
    struct str out = {0};
    canvas_to_text(&canvas, &out);
    ck_assert_ptr_null(strstr(out.data, "net.reset: its keyword"));
    str_done(&out);
    stage_draw(40, 140, false);
    ck_assert(stage_shows("net.reset: its keyword is present"));
}
END_TEST

START_TEST(test_a_short_wait_is_shown_in_tenths)
{
    const int task = story_task(&story, "T-104");
    struct step_state *step =
        &story.state.tasks[task].steps[run_state_step_number(&story.state, task)];
    step->wait_from.mono_ms = facts.now.mono_ms - 200;
    step->due.mono_ms = facts.now.mono_ms + 300;
    stage_draw(24, 80, false);
    ck_assert(stage_shows("0.2 of 0.5 s"));
}
END_TEST

/* Problems that do not stop the user are shown in yellow, others in red. */
START_TEST(test_banner_of_each_trouble_with_the_log)
{
    static const struct {
        struct log_trouble trouble;
        const char *words;
        bool mild;
    } all[] = {
        {{.kind = LOG_TROUBLE_BUSY, .for_ms = 3000, .pid = 4711},
         "log busy for 3 s (another devs, pid 4711): shown data is 3 s old",
         true},
        {{.kind = LOG_TROUBLE_SPILLED, .since_ms = 50462000, .text = "disk full"},
         "the log cannot be written since 14:01:02: disk full. Runs continue, recorded in a spill "
         "log",
         false},
        {{.kind = LOG_TROUBLE_NEWER, .schema = 7, .text = "0.5"},
         "this log was written by devs 0.5 (schema 7, latest known 3): read only",
         true},
    };
    struct str words = {0};
    (void)setenv("TZ", "UTC", 1);
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        str_clear(&words);
        log_trouble_words(&all[i].trouble, &words);
        ck_assert_str_eq(str_text(&words), all[i].words);
        facts.banner = words.data;
        facts.banner_is_mild = all[i].mild;
        stage_draw(24, 120, false);
        ck_assert(stage_shows(all[i].words));
        ck_assert_uint_eq(canvas_cell(&canvas, 1, 1)->style,
                          all[i].mild ? STYLE_MILD : STYLE_BANNER);
    }
    str_done(&words);
}
END_TEST

START_TEST(test_banner_is_in_line_2_at_every_size)
{
    static const struct {
        int rows, columns;
        const char *below; /* what still fits */
    } all[] = {
        {40, 140, "T-111"}, {24, 80, "T-111"}, {20, 60, "T-104"},    {12, 40, "T-104"},
        {6, 40, "T-104"},   {4, 24, "T-104"},  {3, 24, "T-1: done"},
    };
    facts.banner = "log damaged; shown up to there";
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        view_say(&view, &story.now, "T-1: done");
        stage_draw(all[i].rows, all[i].columns, false);
        ck_assert_msg(stage_shows("log damaged; shown"), "%dx%d", all[i].columns, all[i].rows);
        ck_assert_msg(stage_shows(all[i].below), "%dx%d", all[i].columns, all[i].rows);
        ck_assert_msg(stage_shows("T-1: done"), "%dx%d", all[i].columns, all[i].rows);
        ck_assert_int_eq(canvas_cell(&canvas, 1, 1)->rune, 'l');
        for (int column = 0; column < canvas.columns; column++)
            ck_assert_int_eq(canvas_cell(&canvas, 1, column)->style, STYLE_BANNER);
    }
}
END_TEST

/* A correction long after the engine died does not change its last sign of life. */
START_TEST(test_interrupted_run_is_as_old_as_its_engine)
{
    facts.mode = VIEW_INTERRUPTED;
    facts.orphaned = true;
    story_at(&story, 59, 0);
    struct event correct = story_event(&story, "T-104", EVENT_CLASS_CORRECTED);
    correct.corrected.class = VERDICT_PERSISTENT;
    correct.by = "ann";
    story_add(&story, correct);
    struct event answer = event_new(EVENT_CONTROL_ANSWERED);
    answer.answered.done = true;
    answer.answered.verb = CONTROL_CORRECT;
    story_add(&story, answer);
    ck_assert_int_gt(story.state.last.at_ms, story.state.heard.at_ms);
    stage_draw(24, 80, false);
    ck_assert(stage_shows("last seen 14:02:10"));
}
END_TEST

/* What must not reach a terminal: control characters, direction marks, invisible characters. */
static const struct range {
    uint32_t first, last;
} hostile[] = {
    {0x01, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},     {0x61c, 0x61c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0x115f, 0x115f}, {0xe0001, 0xe007f}, {0xe0100, 0xe0100},
};

static bool is_hostile(uint32_t rune)
{
    for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
        if (rune >= hostile[i].first && rune <= hostile[i].last)
            return true;
    }
    return false;
}

static void add_rune(struct str *out, uint32_t rune)
{
    int more = rune < 0x80 ? 0 : rune < 0x800 ? 1 : rune < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    str_add_char(out, (char)(leads[more] | (rune >> (6 * more))));
    while (more-- > 0)
        str_add_char(out, (char)(0x80 | ((rune >> (6 * more)) & 0x3f)));
}

/* Sets all untrusted texts to this text. */
static void say_everywhere(const char *text)
{
    struct plan *plan = story.plan;
    for (int i = 0; i < plan->task_count; i++) {
        free(plan->tasks[i].title);
        plan->tasks[i].title = xstrdup(text);
        for (int k = 0; k < plan->tasks[i].step_count; k++) {
            free(plan->tasks[i].steps[k].argv[1]);
            plan->tasks[i].steps[k].argv[1] = xstrdup(text);
        }
    }
    struct run_state *state = &story.state;
    (void)snprintf(state->notice, sizeof(state->notice), "%s", text);
    struct verdict verdict;
    ck_assert_ptr_nonnull(step_state_verdict(run_state_step(state, view.chosen), &verdict));
    (void)snprintf(verdict.match, sizeof(verdict.match), "%s", text);
    step_state_keep_verdict(run_state_step(state, view.chosen), &verdict);
    view.search.open = view.filter.open = false;
    (void)snprintf(view.search.text, sizeof(view.search.text), "%s", text);
    view.search.len = strlen(view.search.text);
    (void)snprintf(view.filter.text, sizeof(view.filter.text), "%s", text);
    view.filter.len = strlen(view.filter.text);
    story_say(&story, "T-104", text);
    run_name = facts.banner = text;
}

static void check_clean(const char *what)
{
    for (int i = 0; i < canvas.rows * canvas.columns; i++) {
        const struct cell *cell = &canvas.cells[i];
        bool ascii = cell->rune <= 0x7e && cell->mark == 0;
        bool clean = !is_hostile(cell->rune) && !is_hostile(cell->mark);
        if (!clean || (canvas.ascii && !ascii))
            ck_abort_msg("%s: U+%04x U+%04x at %d,%d", what, (unsigned)cell->rune,
                         (unsigned)cell->mark, i / canvas.columns, i % canvas.columns);
    }
}

/* Checks every screen with the texts as they are. */
static void check_all_screens(bool ascii)
{
    struct prompt_target target = {.task = view.chosen, .id = "T-104", .title = run_name};
    view.message[0] = '\0';
    stage_draw(24, 80, ascii);
    check_clean("tasks, notice");
    view_say(&view, &story.now, "%s", run_name);
    trail_go(&view.trail, SCREEN_DETAIL);
    stage_draw(40, 140, ascii);
    check_clean("one task, answer");
    (void)trail_back(&view.trail);
    view.filter.open = true;
    stage_draw(24, 80, ascii);
    check_clean("filter");
    view.filter.open = false;
    prompt_open(&view.prompt, PROMPT_CANCEL, &target, 0);
    stage_draw(24, 80, ascii);
    check_clean("prompt");
    prompt_close(&view.prompt);
}

START_TEST(test_no_hostile_rune_reaches_a_cell)
{
    for (uint32_t rune = hostile[_i].first; rune <= hostile[_i].last; rune++) {
        struct str text = {0};
        add_rune(&text, rune);
        str_add_char(&text, 'a');
        add_rune(&text, rune);
        str_add(&text, "b\xff\xc2\x1b]0;x\a");
        say_everywhere(text.data);
        check_all_screens(false);
        check_all_screens(true);
        str_done(&text);
    }
}
END_TEST

START_TEST(test_chosen_row_is_marked)
{
    stage_draw(24, 80, true);
    ck_assert(stage_shows(">~ backoff   T-104"));
    int marked = 0;
    for (int row = 0; row < canvas.rows; row++)
        marked += canvas_cell(&canvas, row, 0)->chosen;
    ck_assert_int_eq(marked, 1);
}
END_TEST

static const struct {
    int columns;
    const char *wanted;
} id_cases[] = {
    {25, "job-with-a-long-name-007"}, {24, "job-with-a-long-name-007"},
    {14, "job-wi…ame-007"},           {7, "job…007"},
    {6, "job-with-a-long-name-007"}, /* truncated where it is drawn */
};

/* Ids in one plan often start alike. */
START_TEST(test_of_a_long_id_the_middle_is_left_out)
{
    struct str out = {0};
    char id[] = "job-with-a-long-name-007";
    struct plan_task task = {.id = id};
    const struct plan plan = {.tasks = &task, .task_count = 1};
    frame_add_id(&plan, 0, id_cases[_i].columns, &out);
    ck_assert_str_eq(str_text(&out), id_cases[_i].wanted);
    str_done(&out);
}
END_TEST

/* Ids that differ only in the middle still look different. */
START_TEST(test_long_ids_of_one_plan_are_told_apart)
{
    enum { ID_ROOM = 48 };
    char ids[][ID_ROOM] = {
        "a",
        "service-billing-module-007-integration-test",
        "service-billing-module-008-integration-test",
        "service-invoices-module-008-integration-test",
        "other-long-name-of-one-that-is-like-no-other",
    };
    struct plan_task tasks[TABLE_LEN(ids)] = {0};
    for (int i = 0; i < TABLE_LEN(ids); i++)
        tasks[i].id = ids[i];
    const struct plan plan = {.tasks = tasks, .task_count = TABLE_LEN(tasks)};
    static const char *const wanted[] = {"a", "servi…-007-i…-test", "servi…-008-i…-test",
                                         "servi…e-invo…-test", "other-lo…-no-other"};
    for (int columns = 11; columns <= 45; columns++) {
        struct str before = {0};
        for (int i = 0; i < plan.task_count; i++) {
            struct str out = {0};
            frame_add_id(&plan, i, columns, &out);
            ck_assert_int_le(text_width(str_text(&out), out.len), columns);
            ck_assert_str_ne(str_text(&out), str_text(&before));
            if (columns == 18)
                ck_assert_str_eq(str_text(&out), wanted[i]);
            str_done(&before);
            before = out;
        }
        str_done(&before);
    }
}
END_TEST

START_TEST(test_undo_is_offered_while_it_works)
{
    const struct view_todo todo = view_key(&view, 'p', &facts);
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    view_say(&view, &facts.clock, "T-104 held");
    view.message_undo = true;
    stage_draw(24, 80, false);
    ck_assert(stage_shows("T-104 held   u undoes it"));
    facts.clock.mono_ms += VIEW_UNDO_MS + 1;
    stage_draw(24, 80, false);
    ck_assert(stage_shows(" T-104 held"));
    ck_assert(!stage_shows("undoes it"));
}
END_TEST

/* With a banner, a gate and the lines of a replay, the list keeps a row, and the preview gets none
 * of them. */
START_TEST(test_list_has_a_row_below_all_that_may_be_above_it)
{
    facts.mode = VIEW_REPLAY;
    facts.banner = "log not readable";
    facts.replay = &story.replay;
    const struct frame_input input = {.facts = &facts, .view = &view};
    for (int rows = 12; rows < 20; rows++) {
        for (int columns = 60; columns <= 120; columns += 20) {
            const struct frame_layout layout = frame_layout(rows, columns, &input);
            ck_assert_int_gt(layout.heads, layout.gate);
            ck_assert_int_ge(layout.list.rows, 1);
            ck_assert_int_eq(layout.preview_rule, layout.list.row + layout.list.rows);
            ck_assert_int_le(layout.preview.row + layout.preview.rows, layout.edges.bottom_rule);
        }
    }
}
END_TEST

START_TEST(test_report_at_every_small_size)
{
    static struct compare compare;
    struct report_rows rows = {0};
    str_add(&compare.sides[COMPARE_FIRST].name, "#1/T-104 try 1 of GREEN");
    str_add(&compare.sides[COMPARE_SECOND].name, "#1/日本語 try 2 of GREEN");
    for (int columns = 1; columns <= 81; columns += 40) {
        const struct compare_look look = {.columns = columns, .ascii = columns > 1};
        compare_lay(&compare, &look, &rows);
        facts.report = &rows;
        view.report.kind = REPORT_COMPARE;
        view.report.top = columns; /* scrolled on a larger screen */
        stage_fits_every_size();
    }
    report_rows_done(&rows);
    compare_done(&compare);
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
    ck_assert(stage_shows(" chance   7% that try 4 passes (2 of 30 similar tries: test-fail)"));
    free(few);
    free(enough);
}
END_TEST

static void check_try(int step, int attempt)
{
    const struct view_try at = view_try_now(&view, &story.state);
    ck_assert_int_eq(at.task, view.chosen);
    ck_assert_int_eq(at.step, step);
    ck_assert_int_eq(at.attempt, attempt);
}

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
    (void)view_key(&view, 'k', &facts);
    check_try(1, 2);
    stage_draw(24, 80, false);
    ck_assert(stage_shows("why      rule test.tap: \"not ok 7\""));
    forensics.key.attempt = 1; /* data read for another try is not used */
    stage_draw(24, 80, false);
    ck_assert(!stage_shows("not ok 7"));
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
    ended.wait_ended.skipped = true;
    ended.by = "ann";
    struct event changed = story_event(&story, "T-104", EVENT_WORKSPACE_CHANGED);
    changed.changes.paths = 2;
    changed.changes.added = 41;
    changed.changes.removed = 3;
    story_add(&story, changed);
    story_add(&story, ended);
    story_start(&story, "T-104");
    stage_draw(40, 140, false);
    ck_assert(stage_shows("2 files, +41 -3"));
    ck_assert(stage_shows("by hand"));
}
END_TEST

static void add_tasks_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "tasks");
    tcase_add_checked_fixture(tcase, set_up, stage_close);
    tcase_add_test(tcase, test_a_short_wait_is_shown_in_tenths);
    tcase_add_test(tcase, test_banner_of_each_trouble_with_the_log);
    tcase_add_test(tcase, test_banner_is_in_line_2_at_every_size);
    tcase_add_test(tcase, test_interrupted_run_is_as_old_as_its_engine);
    tcase_add_loop_test(tcase, test_no_hostile_rune_reaches_a_cell, 0, TABLE_LEN(hostile));
    tcase_add_test(tcase, test_chosen_row_is_marked);
    tcase_add_loop_test(tcase, test_of_a_long_id_the_middle_is_left_out, 0, TABLE_LEN(id_cases));
    tcase_add_test(tcase, test_long_ids_of_one_plan_are_told_apart);
    tcase_add_test(tcase, test_undo_is_offered_while_it_works);
    tcase_add_test(tcase, test_report_at_every_small_size);
    tcase = test_case(suite, "retries");
    tcase_add_checked_fixture(tcase, set_up_retries, stage_close);
    tcase_add_test(tcase, test_far_misses_need_room);
    tcase_add_test(tcase, test_list_has_a_row_below_all_that_may_be_above_it);
}

static void add_detail_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "detail");
    tcase_add_checked_fixture(tcase, set_up_detail, stage_close);
    tcase_add_test(tcase, test_chance_is_told_where_there_are_enough_like_it);
    tcase_add_test(tcase, test_older_try_tells_its_rule_out_of_the_log);
    tcase_add_test(tcase, test_preview_scrolls_where_it_has_the_keys);
    tcase_add_test(tcase, test_a_row_of_the_table_is_a_try);
    tcase_add_test(tcase, test_tries_by_hand_and_what_they_changed_are_told);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("frame");
    add_tasks_cases(suite);
    add_detail_cases(suite);
    return suite;
}
