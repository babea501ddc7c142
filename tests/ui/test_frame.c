#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "frame_internal.h"
#include "golden.h"
#include "log_reader.h"
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

static const struct {
    const char *name;
    int rows, columns;
    bool ascii;
    enum view_mode mode;
} sizes[] = {
    {"live-80x24", 24, 80, false, VIEW_LIVE},
    {"live-80x24-ascii", 24, 80, true, VIEW_LIVE},
    {"live-140x40", 40, 140, false, VIEW_LIVE},
    {"live-140x40-ascii", 40, 140, true, VIEW_LIVE},
    {"live-60x20", 20, 60, false, VIEW_LIVE},
    {"live-60x20-ascii", 20, 60, true, VIEW_LIVE},
    {"live-40x12", 12, 40, false, VIEW_LIVE},
    {"live-40x12-ascii", 12, 40, true, VIEW_LIVE},
    {"live-24x3", 3, 24, false, VIEW_LIVE},
    {"live-24x3-ascii", 3, 24, true, VIEW_LIVE},
    {"live-84x46", 46, 84, false, VIEW_LIVE},
    {"replay-80x24", 24, 80, false, VIEW_REPLAY},
    {"replay-80x24-ascii", 24, 80, true, VIEW_REPLAY},
    {"replay-140x40", 40, 140, false, VIEW_REPLAY},
    {"interrupted-80x24", 24, 80, false, VIEW_INTERRUPTED},
};

START_TEST(test_golden)
{
    facts.mode = sizes[_i].mode;
    facts.orphaned = facts.mode == VIEW_INTERRUPTED;
    view.choice_is_given = !facts.orphaned;
    if (facts.mode == VIEW_REPLAY)
        (void)replay_move(&story.replay, REPLAY_END, -1);
    stage_draw(sizes[_i].rows, sizes[_i].columns, sizes[_i].ascii);
    golden_check(&canvas, sizes[_i].name);
}
END_TEST

static const char *const chosen_tasks[] = {"T-101", "T-102", "T-105", "T-106",
                                           "T-107", "T-108", "T-110", "T-111"};

START_TEST(test_golden_preview)
{
    char frame[64];
    view.chosen = story_task(&story, chosen_tasks[_i]);
    log_tail_clear(&story.tail);
    stage_draw(24, 80, false);
    (void)snprintf(frame, sizeof(frame), "chosen-%s", chosen_tasks[_i]);
    golden_check(&canvas, frame);
}
END_TEST

/* The selected task, and the size of the screen. */
struct story_frame {
    const char *name, *chosen;
    int rows, columns;
    bool ascii;
};

static void check_frame(const struct story_frame *frame)
{
    view.chosen = story_task(&story, frame->chosen);
    stage_draw(frame->rows, frame->columns, frame->ascii);
    golden_check(&canvas, frame->name);
}

static void set_up_retries(void)
{
    stage_open(story_init_retries, NULL);
}

static const struct story_frame retry_frames[] = {
    {"retry-fault-80x24", "T-204", 24, 80, false},
    {"retry-fault-80x24-ascii", "T-204", 24, 80, true},
    {"retry-fault-140x40", "T-204", 40, 140, false},
    {"retry-fault-140x40-ascii", "T-204", 40, 140, true},
    {"retry-fault-60x20", "T-204", 20, 60, false},
    {"retry-fault-40x12", "T-204", 12, 40, false},
    {"retry-fault-40x12-ascii", "T-204", 12, 40, true},
    {"retry-fault-20x2", "T-204", 2, 20, false},
    {"retry-gate-80x24", "T-211", 24, 80, false},
    {"retry-gate-140x40", "T-210", 40, 140, false},
    {"retry-gate-20x2", "T-211", 2, 20, true},
    {"retry-start-80x24", "T-201", 24, 80, false},
    {"retry-until-80x24", "T-202", 24, 80, false},
    {"retry-resets-80x24", "T-203", 24, 80, false},
    {"retry-formula-80x24", "T-213", 24, 80, false},
    {"retry-formula-80x24-ascii", "T-213", 24, 80, true},
    {"retry-formula-140x40", "T-213", 40, 140, false},
    {"retry-end-80x24", "T-214", 24, 80, false},
};

START_TEST(test_golden_retry)
{
    check_frame(&retry_frames[_i]);
}
END_TEST

static void set_up_circles(void)
{
    stage_open(story_init_circles, NULL);
}

static const struct story_frame circle_frames[] = {
    {"circles-stuck-80x24", "tax", 24, 80, false},
    {"circles-stuck-80x24-ascii", "tax", 24, 80, true},
    {"circles-stuck-140x40", "tax", 40, 140, false},
    {"circles-stuck-40x12", "tax", 12, 40, false},
    {"circles-cycle-80x24", "flip", 24, 80, false},
    {"circles-window-80x24", "survey", 24, 80, false},
    {"circles-suspect-80x24", "mail", 24, 80, false},
    {"circles-suspect-80x24-ascii", "mail", 24, 80, true},
    {"circles-suspect-140x40", "mail", 40, 140, false},
    {"circles-suspect-140x40-ascii", "mail", 40, 140, true},
    {"circles-suspect-40x12-ascii", "mail", 12, 40, true},
    {"circles-suspect-20x2", "mail", 2, 20, false},
    {"circles-new-80x24", "rates", 24, 80, false},
    {"circles-new-140x40", "rates", 40, 140, false},
};

START_TEST(test_golden_circles)
{
    check_frame(&circle_frames[_i]);
}
END_TEST

static void set_up_agents(void)
{
    stage_open(story_init_agents, NULL);
}

static void set_up_said(void)
{
    stage_open(story_init_said, NULL);
}

static const struct story_frame said_frames[] = {
    {"agents-said-80x24", "tax", 24, 80, false},
    {"agents-said-140x40", "tax", 40, 140, false},
    {"agents-said-60x20-ascii", "tax", 20, 60, true},
};

START_TEST(test_golden_said)
{
    check_frame(&said_frames[_i]);
}
END_TEST

static const struct story_frame agent_frames[] = {
    {"agents-round-80x24", "tax", 24, 80, false},
    {"agents-round-80x24-ascii", "tax", 24, 80, true},
    {"agents-round-140x40", "tax", 40, 140, false},
    {"agents-round-60x20", "tax", 20, 60, false},
    {"agents-round-40x12", "tax", 12, 40, false},
    {"agents-round-24x3", "tax", 3, 24, false},
    {"agents-budget-80x24", "mail", 24, 80, false},
    {"agents-budget-140x40", "mail", 40, 140, false},
    {"agents-circles-80x24", "cart", 24, 80, false},
    {"agents-circles-140x40-ascii", "cart", 40, 140, true},
    {"agents-queued-80x24", "docs", 24, 80, false},
};

START_TEST(test_golden_agents)
{
    check_frame(&agent_frames[_i]);
}
END_TEST

/* Returns the task's row in the list; -1 if it has none. */
static int row_of(const char *id)
{
    for (int row = 2; row < canvas.rows; row++) {
        struct str line = {0};
        for (int column = 0; column < 30; column++)
            str_add_char(&line, (char)canvas_cell(&canvas, row, column)->rune);
        bool found = strstr(str_text(&line), id) != NULL;
        str_done(&line);
        if (found)
            return row;
    }
    return -1;
}

START_TEST(test_suspicion_has_sign_word_and_color)
{
    stage_draw(24, 80, true);
    int row = row_of("mail");
    ck_assert_int_gt(row, 0);
    ck_assert_int_eq(canvas_cell(&canvas, row, 2)->rune, '@');
    ck_assert_int_eq(canvas_cell(&canvas, row, 2)->style, STYLE_SUSPECT);
    ck_assert(stage_shows("loop? 3x"));
    ck_assert_int_eq(canvas_cell(&canvas, row, 69)->rune, 'l');
    ck_assert_int_eq(canvas_cell(&canvas, row, 69)->style, STYLE_SUSPECT);
    row = row_of("rates");
    ck_assert_int_eq(canvas_cell(&canvas, row, 2)->rune, ' ');
}
END_TEST

START_TEST(test_suspicion_goes_away_with_what_is_new)
{
    story_add(&story, story_event(&story, "mail", EVENT_WAIT_ENDED));
    story_start(&story, "mail");
    stage_draw(24, 80, true);
    ck_assert_int_eq(canvas_cell(&canvas, row_of("mail"), 2)->rune, '@');
    struct event end = story_event(&story, "mail", EVENT_ATTEMPT_ENDED);
    end.a = OUTCOME_EXIT;
    end.b = 1;
    end.text = "{\"fp\":\"99d00000000000000000000000000009\",\"new\":500,"
               "\"loop\":{\"raw\":99,\"bits\":1,\"gain\":\"line\",\"lines\":9}}";
    story_add(&story, end);
    stage_draw(24, 80, true);
    ck_assert_int_eq(canvas_cell(&canvas, row_of("mail"), 2)->rune, ' ');
}
END_TEST

START_TEST(test_circles_can_be_looked_for)
{
    (void)snprintf(view.filter.text, sizeof(view.filter.text), "loop");
    view.chosen = -1;
    view_narrow(&view, &facts);
    ck_assert_int_eq(view.row_count, 5);
    (void)snprintf(view.filter.text, sizeof(view.filter.text), "loop state=backoff");
    view_narrow(&view, &facts);
    ck_assert_int_eq(view.row_count, 1);
    ck_assert_int_eq(view_row_task(view.rows[0]), story_task(&story, "mail"));
    (void)snprintf(view.filter.text, sizeof(view.filter.text), "cycle");
    view_narrow(&view, &facts);
    ck_assert_int_eq(view.row_count, 1);
    ck_assert_int_eq(view_row_task(view.rows[0]), story_task(&story, "flip"));
}
END_TEST

START_TEST(test_stuck_task_offers_to_go_on_while_its_run_lives)
{
    view.chosen = story_task(&story, "tax");
    stage_draw(24, 80, false);
    ck_assert(stage_shows("r continues, up to twice as many"));
    facts.mode = VIEW_REPLAY;
    stage_draw(24, 80, false);
    ck_assert(!stage_shows("r goes on"));
}
END_TEST

static void press(uint32_t key)
{
    (void)view_key(&view, key, &facts);
}

START_TEST(test_golden_unfolded_fault)
{
    view.chosen = story_task(&story, "T-204");
    stage_draw(24, 80, false);
    press(TERM_KEY_ENTER);
    stage_draw(24, 80, false);
    golden_check(&canvas, "retry-unfolded-80x24");
    stage_draw(24, 80, true);
    golden_check(&canvas, "retry-unfolded-80x24-ascii");
}
END_TEST

static void hold(const char *id, int leader)
{
    struct event event = {.kind = EVENT_TASK_HELD, .step = -1, .text = "{\"by\":\"ann\"}"};
    event.task = story_task(&story, id);
    event.a = leader + 1;
    story_add(&story, event);
}

/* One task is sent, as a probe of the gate. */
START_TEST(test_golden_sent_one)
{
    static const char *const others[] = {"T-205", "T-206", "T-207", "T-208", "T-209"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        hold(others[i], story_task(&story, "T-204"));
    story_add(&story, story_event(&story, "T-204", EVENT_WAIT_ENDED));
    story_start(&story, "T-204");
    story_start(&story, "T-211");
    story_at(&story, 12, 40);
    facts.now = facts.clock = story.now;
    view.chosen = story_task(&story, "T-205");
    stage_draw(24, 80, false);
    golden_check(&canvas, "retry-sent-80x24");
    view.on_fold = false;
    view.chosen = story_task(&story, "T-206");
    view_arrange(&view, &facts);
    stage_draw(24, 80, false);
    golden_check(&canvas, "retry-follower-80x24");
}
END_TEST

START_TEST(test_golden_gate_that_opens)
{
    struct event opened = {.kind = EVENT_GATE_OPENED, .task = -1, .step = -1, .b = 2, .c = 1000};
    opened.a = story.plan->tasks[story_task(&story, "T-211")].steps[0].source;
    story_add(&story, opened);
    view.chosen = story_task(&story, "T-212");
    stage_draw(24, 80, false);
    golden_check(&canvas, "retry-opens-80x24");
}
END_TEST

START_TEST(test_golden_held_fault)
{
    static const char *const ids[] = {"T-204", "T-205", "T-206", "T-207", "T-208", "T-209"};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++)
        hold(ids[i], -1);
    story_at(&story, 13, 0);
    facts.now = facts.clock = story.now;
    view.chosen = story_task(&story, "T-204");
    stage_draw(12, 40, false);
    golden_check(&canvas, "retry-held-40x12");
    stage_draw(24, 80, true);
    golden_check(&canvas, "retry-held-80x24-ascii");
}
END_TEST

/* The same frame from the recording, without acts that are not possible there. */
START_TEST(test_golden_retry_in_a_replay)
{
    facts.mode = VIEW_REPLAY;
    (void)replay_move(&story.replay, REPLAY_END, -1);
    view.chosen = story_task(&story, "T-204");
    stage_draw(24, 80, false);
    golden_check(&canvas, "retry-replay-80x24");
}
END_TEST

/* Stores the verdict as if it had been recorded. */
static void keep_verdict(struct step_state *step, const struct verdict *verdict)
{
    struct str json = {0};
    str_add_char(&json, '{');
    verdict_to_json(verdict, &json);
    str_add_char(&json, '}');
    free(step->verdict_json);
    step->verdict_json = json.data;
}

/* A rule that matched only a single word gets a line only if there is room. */
START_TEST(test_far_misses_need_room)
{
    struct step_state *step = run_state_step(&story.state, story_task(&story, "T-213"));
    struct verdict verdict;
    ck_assert_ptr_nonnull(step_state_verdict(step, &verdict));
    verdict.near[0].why = NEAR_PATTERN;
    keep_verdict(step, &verdict);
    view.chosen = story_task(&story, "T-213");
    stage_draw(24, 80, false);
    struct str out = {0};
    canvas_to_text(&canvas, &out);
    ck_assert_ptr_null(strstr(out.data, "net.reset (pattern)"));
    str_done(&out);
    stage_draw(40, 140, false);
    ck_assert(stage_shows("net.reset (pattern)"));
}
END_TEST

START_TEST(test_prompt_about_all_fits)
{
    view.chosen = story_task(&story, "T-204");
    stage_draw(12, 40, false);
    press('x');
    stage_draw(12, 40, false);
    ck_assert(stage_shows(" Cancel all 6 tasks of one fault?"));
    ck_assert(stage_shows(" K  like s; kills running tries at once"));
}
END_TEST

/* At any size: nothing is drawn outside, nothing crashes, and something is visible. */
START_TEST(test_no_size_is_refused)
{
    for (int rows = 1; rows <= 45; rows++) {
        stage_draw(rows, _i, rows % 2 == 0);
        struct str out = {0};
        canvas_to_text(&canvas, &out);
        ck_assert_msg(strpbrk(str_text(&out), "!~*x+") != NULL || out.len > 5, "%dx%d is empty", _i,
                      rows);
        str_done(&out);
    }
}
END_TEST

START_TEST(test_open_task_has_the_screen)
{
    trail_go(&view.trail, SCREEN_DETAIL);
    stage_draw(24, 80, false);
    ck_assert(stage_shows("T-104 checkout: tax rounding"));
    ck_assert(stage_shows("tries"));
    ck_assert(stage_shows("RED: failed as expected (try 1)"));
    ck_assert(stage_shows("expected 19.99, got 20.00"));
    (void)trail_back(&view.trail);
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

START_TEST(test_countdown_follows_the_time)
{
    stage_draw(24, 80, false);
    ck_assert(stage_shows("in 0:18"));
    ck_assert(stage_shows("try 4 in 0:18, at 14:02:55"));
    ck_assert(stage_shows("27 of 45 s"));
    story_at(&story, 12, 50);
    facts.now = story.now;
    stage_draw(24, 80, false);
    ck_assert(stage_shows("try 4 in 0:05, at 14:02:55"));
    ck_assert(stage_shows("40 of 45 s"));
    ck_assert(stage_shows("14:02:50"));
}
END_TEST

/* A run that is over looks the same at any time. */
START_TEST(test_ended_run_does_not_depend_on_now)
{
    struct story other;
    story_init(&other, "a b", "G");
    story_start(&other, "a");
    story_start(&other, "b");
    story_at(&other, 0, 30);
    story_pass(&other, "a");
    story_try_again(&other, "b", 10);
    story_at(&other, 1, 5);
    story_pass(&other, "b");
    story_end_run(&other);
    facts = (struct view_facts){.state = &other.state, .log = &other.tail, .mode = VIEW_ENDED};
    view_done(&view);
    view_init(&view, 2);

    struct str texts[2] = {0};
    for (int i = 0; i < 2; i++) {
        story_at(&other, 2 + 60 * i, 0);
        facts.now = facts.clock = other.now;
        stage_draw(24, 80, false);
        canvas_to_text(&canvas, &texts[i]);
    }
    ck_assert_str_eq(str_text(&texts[0]), str_text(&texts[1]));
    ck_assert(stage_shows("ENDED"));
    ck_assert(stage_shows("ended 13:51:05"));
    ck_assert(stage_shows("2 of 2 passed, 1 after failures. q quits"));
    str_done(&texts[0]);
    str_done(&texts[1]);
    story_done(&other);
}
END_TEST

START_TEST(test_filter_without_match_says_so)
{
    (void)snprintf(view.filter.text, sizeof(view.filter.text), "class=rate-limt");
    view.filter.len = strlen(view.filter.text);
    view_narrow(&view, &facts);
    stage_draw(24, 80, false);
    ck_assert(stage_shows("0 of 10 tasks match   class=rate-limt"));
    ck_assert(stage_shows("Esc shows all"));
    ck_assert(!stage_shows("nearest"));
    (void)snprintf(view.filter.text, sizeof(view.filter.text), "class=test-fial");
    stage_draw(24, 80, false);
    ck_assert(stage_shows("    0 of 10 tasks match   class=test-fial   Esc shows all\n"
                          "    nearest class: test-fail (1)\n"));
}
END_TEST

START_TEST(test_message_is_shown_at_every_size)
{
    static const struct {
        int rows, columns;
    } all[] = {{40, 140}, {24, 80}, {20, 60}, {12, 40}, {3, 24}};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        view_say(&view, &story.now, "T-1: done");
        stage_draw(all[i].rows, all[i].columns, false);
        ck_assert_msg(stage_shows("T-1: done"), "%dx%d", all[i].columns, all[i].rows);
    }
}
END_TEST

START_TEST(test_preview_names_no_act_that_is_refused)
{
    static const char words[] = "r retries once it is fixed";
    view.chosen = story_task(&story, "T-107");
    stage_draw(24, 80, false);
    ck_assert(stage_shows(words));
    facts.read_only = true;
    stage_draw(24, 80, false);
    ck_assert(stage_shows("stopped at 13:59:56"));
    ck_assert(!stage_shows(words));
    facts.read_only = false;
    facts.mode = VIEW_REPLAY;
    stage_draw(24, 80, false);
    ck_assert(!stage_shows(words));
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
         "this log was written by devs 0.5 (schema 7, latest known 2): read only",
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

START_TEST(test_other_live_runs_are_counted)
{
    facts.live_runs = 1;
    stage_draw(24, 80, false);
    ck_assert(!stage_shows("1 live"));
    facts.live_runs = 2;
    stage_draw(24, 80, false);
    ck_assert(stage_shows(", 2 live"));
    facts.mode = VIEW_ENDED;
    facts.live_runs = 1;
    stage_draw(24, 80, false);
    ck_assert(stage_shows(", 1 live"));
}
END_TEST

START_TEST(test_interrupted_run_that_lost_nothing)
{
    struct story other;
    story_init(&other, "a b", "G");
    facts = (struct view_facts){
        .state = &other.state, .log = &other.tail, .mode = VIEW_INTERRUPTED, .orphaned = true};
    view_done(&view);
    view_init(&view, 2);
    stage_draw(24, 80, false);
    ck_assert(stage_shows("devs exited before the run ended. Continue it: devs run --continue"));
    ck_assert(!stage_shows("died"));
    story_done(&other);
}
END_TEST

/* A correction long after the engine died does not change its last sign of life. */
START_TEST(test_interrupted_run_is_as_old_as_its_engine)
{
    facts.mode = VIEW_INTERRUPTED;
    facts.orphaned = true;
    story_at(&story, 59, 0);
    struct event correct = story_event(&story, "T-104", EVENT_CLASS_CORRECTED);
    correct.a = VERDICT_PERSISTENT;
    correct.text = "{\"by\":\"ann\"}";
    story_add(&story, correct);
    struct event answer = {.kind = EVENT_CONTROL_ANSWERED, .task = -1, .step = -1};
    answer.b = 1;
    answer.c = CONTROL_CORRECT;
    story_add(&story, answer);
    ck_assert_int_gt(story.state.last.at_ms, story.state.heard.at_ms);
    stage_draw(24, 80, false);
    ck_assert(stage_shows("last seen 14:02:10"));
}
END_TEST

START_TEST(test_newer_notice_beats_an_older_answer)
{
    struct moment before = {.at_ms = story.state.notice_at_ms - 1};
    view_say(&view, &before, "T-1: done");
    stage_draw(24, 80, false);
    ck_assert(stage_shows("13:59:56 T-107 needs you"));
    view_say(&view, &story.now, "T-1: done");
    stage_draw(24, 80, false);
    ck_assert(stage_shows("T-1: done"));
}
END_TEST

/* T-107 has needed the user since 13:59:56. */
START_TEST(test_later_news_do_not_push_away_who_needs_a_person)
{
    stage_draw(24, 80, false);
    ck_assert(stage_shows("13:59:56 T-107 needs you: auth, rule"));
    story_fail(&story, "T-101", REASON_TEST_FAIL, NULL);
    story_end(&story, "T-101", DECISION_RETRY_EXHAUSTED);
    stage_draw(24, 80, false);
    ck_assert(stage_shows("13:59:56 T-107 needs you: auth   14:02:37 T-101 gave up"));
    stage_draw(20, 60, false);
    ck_assert(stage_shows("13:59:56 T-107 needs you: auth"));
    ck_assert(!stage_shows("T-101 gave up"));
}
END_TEST

START_TEST(test_a_task_that_runs_and_is_held_says_so)
{
    struct event event = story_event(&story, "T-101", EVENT_TASK_HELD);
    event.text = "{\"by\":\"ann\"}";
    story_add(&story, event);
    stage_draw(24, 80, false);
    ck_assert(stage_shows(" ●❚running   T-101"));
    view.chosen = story_task(&story, "T-101");
    stage_draw(24, 80, false);
    ck_assert(stage_shows(", held: no more tries after this one"));
    stage_draw(24, 80, true);
    ck_assert(stage_shows("*=running   T-101"));
}
END_TEST

START_TEST(test_strange_bytes_do_not_reach_the_canvas)
{
    story_say(&story, "T-104", "a\033[31mred\033[0m\007\xff\n");
    stage_draw(24, 80, false);
    for (int row = 0; row < canvas.rows; row++) {
        for (int column = 0; column < canvas.columns; column++) {
            uint32_t rune = canvas_cell(&canvas, row, column)->rune;
            ck_assert_uint_ge(rune == 0 ? ' ' : rune, ' ');
            ck_assert_uint_ne(rune, 0x9b);
        }
    }
    ck_assert(stage_shows("ared"));
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
    keep_verdict(run_state_step(state, view.chosen), &verdict);
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

START_TEST(test_scrolled_log_shows_earlier_lines)
{
    for (int i = 0; i < 100; i++) {
        char line[32];
        (void)snprintf(line, sizeof(line), "line %d of the log\n", i);
        story_say(&story, "T-104", line);
    }
    stage_draw(40, 140, false);
    ck_assert(stage_shows("line 99 of the log"));
    view.log_back = 50;
    stage_draw(40, 140, false);
    ck_assert(stage_shows("line 49 of the log"));
    ck_assert(stage_shows("50 lines up"));
    ck_assert(!stage_shows("line 99 of"));
}
END_TEST

START_TEST(test_roomy_preview_lists_what_does_not_fit_the_contract)
{
    story_fail(&story, "T-101", REASON_CONTRACT,
               "{\"rule\":\"contract\",\"subtype\":\"MISSING_FIELD\","
               "\"match\":\"[MISSING_FIELD] /summary: required\",\"violations\":["
               "\"[MISSING_FIELD] /summary: required\",\"[WRONG_TYPE] /files: wrong type\"]}");
    story_wait(&story, "T-101", 45);
    view.chosen = story_task(&story, "T-101");
    stage_draw(40, 140, false);
    ck_assert(stage_shows("misfit [MISSING_FIELD] /summary: required"));
    ck_assert(stage_shows("       [WRONG_TYPE] /files: wrong type"));
    stage_draw(24, 80, false);
    ck_assert(!stage_shows("misfit"));
    ck_assert(stage_shows("\"[MISSING_FIELD] /summary: required\""));
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

static void add_tests(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, set_up, stage_close);
    tcase_add_loop_test(tcase, test_golden, 0, TABLE_LEN(sizes));
    tcase_add_loop_test(tcase, test_golden_preview, 0, TABLE_LEN(chosen_tasks));
    tcase_add_loop_test(tcase, test_no_size_is_refused, 1, 150);
    tcase_add_loop_test(tcase, test_of_a_long_id_the_middle_is_left_out, 0, TABLE_LEN(id_cases));
    tcase_add_test(tcase, test_undo_is_offered_while_it_works);
    tcase_add_test(tcase, test_long_ids_of_one_plan_are_told_apart);
    tcase_add_test(tcase, test_open_task_has_the_screen);
    tcase_add_test(tcase, test_a_short_wait_is_shown_in_tenths);
    tcase_add_test(tcase, test_countdown_follows_the_time);
    tcase_add_test(tcase, test_ended_run_does_not_depend_on_now);
    tcase_add_test(tcase, test_filter_without_match_says_so);
    tcase_add_test(tcase, test_message_is_shown_at_every_size);
    tcase_add_test(tcase, test_banner_of_each_trouble_with_the_log);
    tcase_add_test(tcase, test_preview_names_no_act_that_is_refused);
    tcase_add_test(tcase, test_banner_is_in_line_2_at_every_size);
    tcase_add_test(tcase, test_other_live_runs_are_counted);
    tcase_add_test(tcase, test_interrupted_run_that_lost_nothing);
    tcase_add_test(tcase, test_interrupted_run_is_as_old_as_its_engine);
    tcase_add_test(tcase, test_newer_notice_beats_an_older_answer);
    tcase_add_test(tcase, test_later_news_do_not_push_away_who_needs_a_person);
    tcase_add_test(tcase, test_a_task_that_runs_and_is_held_says_so);
    tcase_add_test(tcase, test_strange_bytes_do_not_reach_the_canvas);
    tcase_add_loop_test(tcase, test_no_hostile_rune_reaches_a_cell, 0, TABLE_LEN(hostile));
    tcase_add_test(tcase, test_scrolled_log_shows_earlier_lines);
    tcase_add_test(tcase, test_roomy_preview_lists_what_does_not_fit_the_contract);
    tcase_add_test(tcase, test_chosen_row_is_marked);
}

static void add_agent_tests(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, set_up_agents, stage_close);
    tcase_add_loop_test(tcase, test_golden_agents, 0, TABLE_LEN(agent_frames));
}

static void add_circle_tests(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, set_up_circles, stage_close);
    tcase_add_loop_test(tcase, test_golden_circles, 0, TABLE_LEN(circle_frames));
    tcase_add_test(tcase, test_suspicion_has_sign_word_and_color);
    tcase_add_test(tcase, test_suspicion_goes_away_with_what_is_new);
    tcase_add_test(tcase, test_circles_can_be_looked_for);
    tcase_add_test(tcase, test_stuck_task_offers_to_go_on_while_its_run_lives);
}

static void add_retry_tests(TCase *tcase)
{
    tcase_add_checked_fixture(tcase, set_up_retries, stage_close);
    tcase_add_loop_test(tcase, test_golden_retry, 0, TABLE_LEN(retry_frames));
    tcase_add_test(tcase, test_golden_unfolded_fault);
    tcase_add_test(tcase, test_golden_sent_one);
    tcase_add_test(tcase, test_golden_gate_that_opens);
    tcase_add_test(tcase, test_golden_held_fault);
    tcase_add_test(tcase, test_golden_retry_in_a_replay);
    tcase_add_test(tcase, test_far_misses_need_room);
    tcase_add_test(tcase, test_prompt_about_all_fits);
    tcase_add_loop_test(tcase, test_no_size_is_refused, 1, 150);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("frame");
    add_tests(test_case(suite, "frame"));
    add_retry_tests(test_case(suite, "retries"));
    add_circle_tests(test_case(suite, "circles"));
    add_agent_tests(test_case(suite, "agents"));
    TCase *said = test_case(suite, "said");
    tcase_add_checked_fixture(said, set_up_said, stage_close);
    tcase_add_loop_test(said, test_golden_said, 0, TABLE_LEN(said_frames));
    return suite;
}
