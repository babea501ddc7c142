#include <stdio.h>
#include <string.h>

#include "event_lines.h"
#include "frame.h"
#include "golden.h"
#include "log_lines.h"
#include "stage.h"
#include "term.h"
#include "test_main.h"
#include "xalloc.h"

/* 2025-11-20 14:00:00 UTC */
#define HOUR_AT_MS INT64_C(1763647200000)

static struct log_pager pager;
static struct output_page page; /* the attempt's output */
static int64_t next[LOG_JOIN_STREAMS + 1];

static bool read_page(void *ctx, int64_t after, size_t bytes, struct output_page *out,
                      struct err *err)
{
    (void)ctx;
    (void)bytes;
    (void)err;
    out->count = 0;
    str_clear(&out->text);
    for (size_t i = 0; i < page.count; i++) {
        if (page.rows[i].id <= after)
            continue;
        out->rows = xgrow(out->rows, &out->cap, out->count + 1, sizeof(*out->rows));
        out->rows[out->count] = page.rows[i];
        out->rows[out->count++].start = out->text.len;
        str_add_n(&out->text, str_text(&page.text) + page.rows[i].start, page.rows[i].len);
    }
    return true;
}

static const struct log_source source = {.read = read_page};

static void say(int minutes, int seconds, int stream, const char *text)
{
    enum { MS = 1000, MINUTE = 60 * MS };
    page.rows = xgrow(page.rows, &page.cap, page.count + 1, sizeof(*page.rows));
    page.rows[page.count] =
        (struct log_output_row){.id = (int64_t)page.count + 1,
                                .stream = stream,
                                .offset = next[stream],
                                .at_ms = HOUR_AT_MS + (int64_t)minutes * MINUTE + seconds * MS,
                                .start = page.text.len,
                                .len = strlen(text)};
    page.count++;
    next[stream] += (int64_t)strlen(text);
    str_add(&page.text, text);
}

/* The output of the third try of T-104. */
static void say_all(void)
{
    say(0, 24, LOG_STREAM_OUT, "reading src/tax.c\n");
    say(0, 41, LOG_STREAM_OUT, "edit src/tax.c (no change)\n");
    say(1, 58, LOG_STREAM_OUT, "All tests pass now.\n");
    say(1, 59, LOG_STREAM_ERR,
        "warning: the option --legacy-rounding is going away with the next release; see "
        "https://example.com/rounding for what to write in its place\n");
    say(2, 4, LOG_STREAM_OUT, "TAP version 13\nok 1 - adds tax per line\n");
    say(2, 5, LOG_STREAM_OUT, "ok 2 - zero rate is zero\n");
    say(2, 6, LOG_STREAM_OUT, "not ok 3 - rounds half to even\n");
    say(2, 6, LOG_STREAM_OUT, "  # expected 19.99, got 20.00\n  # at tests/tax.c:88\n");
    for (int i = 4; i <= 14; i++) {
        char line[64];
        (void)snprintf(line, sizeof(line), "ok %d - case %d of the basket\n", i, i);
        say(2, 7, LOG_STREAM_OUT, line);
    }
    say(2, 9, LOG_STREAM_OUT, "# tests 14, passed 13, failed 1\n");
}

static void set_rule(void)
{
    struct verdict verdict = verdict_new();
    verdict.stream = VERDICT_STREAM_OUT;
    verdict.offset = (int64_t)(strstr(page.text.data, "not ok 3") - page.text.data);
    verdict.offset -= (int64_t)(strstr(page.text.data, "TAP version") -
                                strstr(page.text.data, "warning:")); /* of the other stream */
    (void)snprintf(verdict.rule, sizeof(verdict.rule), "tap.not-ok");
    log_pager_set_rule(&pager, &verdict);
}

/* Opens the attempt that the view has selected. */
static void begin(void)
{
    const struct view_try at = view_try_now(&view, &story.state);
    const struct log_output_key key = {
        .run = 41, .task = at.task, .step = at.step, .attempt = at.attempt, .readable = true};
    const struct attempt_state *attempt = log_words_attempt(&story.state, &key);
    struct str words = {0};
    log_pager_begin(&pager, &key);
    if (!attempt)
        return;
    log_pager_say_before(&pager, attempt->started.at_ms,
                         "$ agent --task T-104 --phase green --try 3");
    log_words_end(&story.state, &key, &words);
    if (words.len > 0)
        log_pager_say_after(&pager, attempt->ended.at_ms, words.data);
    str_clear(&words);
    log_words_decision(&story.state, &key, &words);
    if (words.len > 0)
        log_pager_say_after(&pager, attempt->ended.at_ms, words.data);
    str_done(&words);
}

static void draw(int rows, int columns, bool ascii)
{
    struct err err = {0};
    const struct frame_input input = stage_input();
    stage_begin(rows, columns, ascii);
    view.log.room = frame_pager_room(rows, columns, &input);
    view_log_sync(&view, &pager);
    do
        ck_assert(log_pager_turn(&pager, &source, &err));
    while (!log_pager_is_done(&pager));
    ck_assert(view_log_settle(&view, &facts, &pager, &source, &err));
    frame_draw(&canvas, &input);
}

static void press(const char *keys)
{
    for (; *keys; keys++) {
        uint32_t key = *keys == '\r' ? (uint32_t)TERM_KEY_ENTER : (unsigned char)*keys;
        (void)view_key(&view, key, &facts);
        draw(24, 80, false);
    }
}

static const struct {
    const char *name;
    int rows, columns;
    bool ascii;
} sizes[] = {
    {"log-80x24", 24, 80, false},   {"log-80x24-ascii", 24, 80, true},
    {"log-140x40", 40, 140, false}, {"log-140x40-ascii", 40, 140, true},
    {"log-60x20", 20, 60, false},   {"log-60x20-ascii", 20, 60, true},
    {"log-40x12", 12, 40, false},   {"log-40x12-ascii", 12, 40, true},
    {"log-24x3", 3, 24, false},     {"log-24x3-ascii", 3, 24, true},
};

START_TEST(test_golden)
{
    draw(sizes[_i].rows, sizes[_i].columns, sizes[_i].ascii);
    golden_check(&canvas, sizes[_i].name);
}
END_TEST

START_TEST(test_golden_above_the_end)
{
    press("gw");
    golden_check(&canvas, "log-start-80x24");
    ck_assert(stage_shows("lines below, F"));
}
END_TEST

START_TEST(test_golden_search)
{
    press("/ok\r");
    golden_check(&canvas, "log-search-80x24");
    press("&\r");
    golden_check(&canvas, "log-only-80x24");
    press("&\r");
    ck_assert(stage_shows("all lines are shown"));
    ck_assert(stage_shows("TAP version 13"));
}
END_TEST

/* As in less: & asks for a text, and letters are not commands then. */
START_TEST(test_only_lines_asks_for_a_text)
{
    press("/ok\r&");
    ck_assert(stage_shows("only lines with:"));
    ck_assert(stage_shows("# tests 14, passed 13"));
    press("case 1");
    ck_assert(!stage_shows("case 9"));
    press("\r");
    ck_assert(stage_shows("only lines with \"case 1\": & Enter shows all"));
    ck_assert(stage_shows("case 14"));
    ck_assert(!stage_shows("case 9"));
    ck_assert_int_eq(view_screen(&view), SCREEN_LOG);
    press("&nowhere\r");
    ck_assert(stage_shows("\"nowhere\" not found in this log: & Enter shows all lines"));
    press("&");
    (void)view_key(&view, TERM_KEY_ESC, &facts);
    draw(24, 80, false);
    ck_assert(stage_shows("case 8"));
    press("/");
    ck_assert(stage_shows("find:"));
}
END_TEST

START_TEST(test_golden_error)
{
    press("ge");
    golden_check(&canvas, "log-error-80x24");
}
END_TEST

/* Only the outcome of an older try is kept. A try that timed out is not shown as "busy". */
START_TEST(test_older_try_that_timed_out_is_called_so)
{
    page.count = 0;
    view_done(&view);
    story_done(&story);
    story_init_day(&story);
    view_init(&view, story.plan->task_count);
    facts.state = &story.state;
    view.chosen = story_task(&story, "T-105");
    trail_go(&view.trail, SCREEN_LOG);
    const struct view_try older = {.task = view.chosen, .step = 1, .attempt = 5};
    view_try_choose(&view, &older);
    begin();
    draw(24, 80, false);
    ck_assert(stage_shows("> try 5 > log"));
    ck_assert(stage_shows("   timeout   ran "));
    ck_assert(stage_shows("== engine: timeout, try 5 of 6"));
    ck_assert(!stage_shows("busy"));
}
END_TEST

START_TEST(test_golden_no_output)
{
    page.count = 0;
    view.chosen = story_task(&story, "T-101");
    begin();
    draw(24, 80, false);
    golden_check(&canvas, "log-nothing-80x24");
    ck_assert(stage_shows("No output yet, pid "));
}
END_TEST

START_TEST(test_no_try_yet)
{
    view.chosen = story_task(&story, "T-111");
    begin();
    draw(24, 80, false);
    ck_assert(stage_shows("No tries yet"));
}
END_TEST

START_TEST(test_search_that_finds_nothing)
{
    press("/tokne\r");
    ck_assert(stage_shows("\"tokne\" not found in this log"));
    press("&\r");
    ck_assert(stage_shows("\"tokne\" not found in this log: & Enter shows all lines"));
    (void)view_key(&view, TERM_KEY_ESC, &facts);
    draw(24, 80, false);
    ck_assert(stage_shows("ok 14 - case 14"));
    ck_assert_int_eq(view_screen(&view), SCREEN_LOG);
}
END_TEST

/* Following stops as soon as the user scrolls up, and stays off while lines arrive. */
START_TEST(test_follow_ends_with_the_first_line_up)
{
    draw(24, 80, false);
    const size_t top = view.log.top;
    press("k");
    ck_assert_uint_eq(view.log.top, top - 1);
    ck_assert(view.log.stays);
    for (int i = 0; i < 300; i++)
        say(2, 10, LOG_STREAM_OUT, "more\n");
    log_pager_news(&pager, INT64_MAX, log_pager_number(&pager, view.log.top));
    draw(24, 80, false);
    ck_assert_uint_eq(view.log.top, top - 1);
    ck_assert(stage_shows("+301 lines below, F"));
    press("F");
    ck_assert(!view.log.stays);
    ck_assert_uint_eq(view.log.below, 0);
    press("k");
    press("G");
    ck_assert(!view.log.stays);
}
END_TEST

/* Scrolls through a wrapped line row by row, and back to the same position. */
START_TEST(test_wrapped_lines_are_scrolled_by_rows)
{
    press("g");
    const int rows = 12;
    for (int i = 0; i < rows; i++)
        press("j");
    const size_t top = view.log.top;
    ck_assert_uint_lt(top, (size_t)rows); /* a line takes several rows */
    for (int i = 0; i < rows; i++)
        press("k");
    ck_assert_uint_eq(view.log.top, 0);
    ck_assert_int_eq(view.log.row, 0);
}
END_TEST

START_TEST(test_sideways_only_where_lines_are_cut)
{
    press("l");
    ck_assert(stage_shows("long lines are wrapped"));
    press("wl");
    ck_assert_int_eq(view.log.column, view.log.room.columns / 2);
    press("hh");
    ck_assert_int_eq(view.log.column, 0);
}
END_TEST

/* First the bytes that the verdict is based on, then lines that look like errors. */
START_TEST(test_errors_begin_with_the_rules_line)
{
    press("e");
    ck_assert_int_eq(view.log.hit, (int64_t)pager.rule_line);
    press("e");
    ck_assert_int_gt(view.log.hit, (int64_t)pager.rule_line);
    ck_assert(stage_shows("failed 1"));
    press("e");
    ck_assert(stage_shows("no error further down"));
    press("E");
    ck_assert_int_eq(view.log.hit, (int64_t)pager.rule_line);
}
END_TEST

START_TEST(test_matches_are_gone_through)
{
    press("g/ok 1");
    ck_assert(stage_shows("\"ok 1\" 1 of 6"));
    press("\rn");
    ck_assert(stage_shows("\"ok 1\" 2 of 6"));
    press("NN");
    ck_assert(stage_shows("not found further up"));
    (void)view_key(&view, TERM_KEY_ESC, &facts);
    draw(24, 80, false);
    ck_assert_uint_eq(view.search.len, 0);
}
END_TEST

START_TEST(test_other_screens_are_reached_from_it)
{
    press("q");
    ck_assert_int_ne(view_screen(&view), SCREEN_LOG);
    press("3i");
    ck_assert_int_eq(view_screen(&view), SCREEN_FORENSICS);
    press("q");
    ck_assert_int_eq(view_screen(&view), SCREEN_LOG);
}
END_TEST

static void set_up(void)
{
    stage_open(story_init_full, "T-104");
    log_pager_init(&pager);
    facts.pager = &pager;
    view_log_open(&view, &facts);
    begin();
    say_all();
    set_rule();
}

static void tear_down(void)
{
    stage_close();
    log_pager_done(&pager);
    output_page_done(&page);
    memset(next, 0, sizeof(next));
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("frame_log");
    TCase *tcase = test_case(suite, "log");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, test_golden, 0, TABLE_LEN(sizes));
    tcase_add_test(tcase, test_golden_above_the_end);
    tcase_add_test(tcase, test_golden_search);
    tcase_add_test(tcase, test_only_lines_asks_for_a_text);
    tcase_add_test(tcase, test_golden_error);
    tcase_add_test(tcase, test_older_try_that_timed_out_is_called_so);
    tcase_add_test(tcase, test_golden_no_output);
    tcase_add_test(tcase, test_no_try_yet);
    tcase_add_test(tcase, test_search_that_finds_nothing);
    tcase_add_test(tcase, test_follow_ends_with_the_first_line_up);
    tcase_add_test(tcase, test_wrapped_lines_are_scrolled_by_rows);
    tcase_add_test(tcase, test_sideways_only_where_lines_are_cut);
    tcase_add_test(tcase, test_errors_begin_with_the_rules_line);
    tcase_add_test(tcase, test_matches_are_gone_through);
    tcase_add_test(tcase, test_other_screens_are_reached_from_it);
    return suite;
}
