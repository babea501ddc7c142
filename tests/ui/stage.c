#include "stage.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "event_lines.h"
#include "frame.h"
#include "report_rows.h"
#include "test_main.h"
#include "text.h"
#include "xalloc.h"

struct story story;
struct view view;
struct view_facts facts;
struct canvas canvas;
const char *run_name;
static struct event_lines records;

void stage_open(void (*init)(struct story *story), const char *chosen)
{
    ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
    tzset();
    init(&story);
    view_init(&view, story.plan->task_count);
    facts = (struct view_facts){
        .state = &story.state, .log = &story.tail, .now = story.now, .clock = story.now, .run = 41};
    view.choice_is_given = true; /* of the first one, too */
    if (chosen)
        view.chosen = story_task(&story, chosen);
    run_name = "shop-api";
}

/* The Log screen. */

/* 2025-11-20 14:00:00 UTC */
#define HOUR_AT_MS INT64_C(1763647200000)

static struct log_pager pager;
static struct output_page page; /* the attempt's output */
static int64_t next_offset[LOG_JOIN_STREAMS + 1];

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

static const struct log_source log_source = {.read = read_page};

static void say_line(int minutes, int seconds, int stream, const char *text)
{
    enum { MS = 1000, MINUTE = 60 * MS };
    page.rows = xgrow(page.rows, &page.cap, page.count + 1, sizeof(*page.rows));
    page.rows[page.count] =
        (struct log_output_row){.id = (int64_t)page.count + 1,
                                .stream = stream,
                                .offset = next_offset[stream],
                                .at_ms = HOUR_AT_MS + (int64_t)minutes * MINUTE + seconds * MS,
                                .start = page.text.len,
                                .len = strlen(text)};
    page.count++;
    next_offset[stream] += (int64_t)strlen(text);
    str_add(&page.text, text);
}

/* The output of the third try of T-104. */
static void say_all(void)
{
    say_line(0, 24, LOG_STREAM_OUT, "reading src/tax.c\n");
    say_line(0, 41, LOG_STREAM_OUT, "edit src/tax.c (no change)\n");
    say_line(1, 58, LOG_STREAM_OUT, "All tests pass now.\n");
    say_line(1, 59, LOG_STREAM_ERR,
             "warning: the option --legacy-rounding is going away with the next release; see "
             "https://example.com/rounding for what to write in its place\n");
    say_line(2, 4, LOG_STREAM_OUT, "TAP version 13\nok 1 - adds tax per line\n");
    say_line(2, 5, LOG_STREAM_OUT, "ok 2 - zero rate is zero\n");
    say_line(2, 6, LOG_STREAM_OUT, "not ok 3 - rounds half to even\n");
    say_line(2, 6, LOG_STREAM_OUT, "  # expected 19.99, got 20.00\n  # at tests/tax.c:88\n");
    for (int i = 4; i <= 14; i++) {
        char line[64];
        (void)snprintf(line, sizeof(line), "ok %d - case %d of the basket\n", i, i);
        say_line(2, 7, LOG_STREAM_OUT, line);
    }
    say_line(2, 9, LOG_STREAM_OUT, "# tests 14, passed 13, failed 1\n");
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
static void begin_log(void)
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

void stage_open_log(bool is_empty)
{
    log_pager_init(&pager);
    facts.pager = &pager;
    view_log_open(&view, &facts);
    begin_log();
    if (is_empty)
        return;
    say_all();
    set_rule();
}

void stage_more_output(int lines)
{
    for (int i = 0; i < lines; i++)
        say_line(2, 10, LOG_STREAM_OUT, "more\n");
    log_pager_news(&pager, INT64_MAX, log_pager_number(&pager, view.log.top));
}

/* Reads what the screen shows, as the app does before each frame. */
static void read_log(int rows, int columns, const struct frame_input *input)
{
    struct err err = {0};
    view.log.room = frame_pager_room(rows, columns, input);
    view_log_sync(&view, &pager);
    do
        ck_assert(log_pager_turn(&pager, &log_source, &err));
    while (!log_pager_is_done(&pager));
    ck_assert(view_log_settle(&view, &facts, &pager, &log_source, &err));
}

static void close_log(void)
{
    if (!facts.pager)
        return;
    log_pager_done(&pager);
    output_page_done(&page);
    memset(next_offset, 0, sizeof(next_offset));
}

void stage_close(void)
{
    close_log();
    event_lines_done(&records);
    view_done(&view);
    story_done(&story);
    canvas_done(&canvas);
}

static struct frame_input make_input(void)
{
    facts.replay = facts.mode == VIEW_REPLAY ? &story.replay : NULL;
    return (struct frame_input){
        .facts = &facts,
        .view = &view,
        .name = run_name,
        .number = facts.run,
    };
}

/* Adds the records of a recording, as many as there is room for. */
static void tell_records(void)
{
    event_lines_begin(&records, facts.run);
    for (size_t i = 0; i < story.events.count; i++) {
        struct event event = story.events.items[i];
        event.seq = (int64_t)i + 1;
        if (event.seq > event_lines_after(story.replay.at))
            (void)event_lines_add(&records, &story.state, &event);
    }
    facts.events = &records;
}

void stage_draw(int rows, int columns, bool ascii)
{
    const struct frame_input input = make_input();
    canvas_done(&canvas);
    canvas_init(&canvas, rows, columns, ascii);
    if (facts.mode == VIEW_REPLAY)
        tell_records();
    view_arrange(&view, &facts);
    if (facts.pager)
        read_log(rows, columns, &input);
    frame_fit(&view, rows, columns, &input);
    frame_draw(&canvas, &input);
}

bool stage_shows(const char *text)
{
    struct str out = {0};
    canvas_to_text(&canvas, &out);
    const bool found = strstr(str_text(&out), text) != NULL;
    if (!found)
        printf("no \"%s\" in:\n%s", text, str_text(&out));
    str_done(&out);
    return found;
}

/* A wide rune is never split, and an ASCII canvas contains only ASCII. */
static bool is_sound(int number)
{
    const struct cell *cell = &canvas.cells[number];
    const bool has_left = number % canvas.columns > 0;
    if (canvas.ascii)
        return cell->rune >= 0x20 && cell->rune < 0x7f;
    if (cell->rune == 0)
        return has_left && rune_width(canvas.cells[number - 1].rune) == 2;
    return rune_is_shown(cell->rune);
}

/* Also, something of the tasks is visible. Check writes to a pipe at each assertion, so there is
 * none for each cell. */
static void check_canvas(void)
{
    struct str text = {0};
    for (int i = 0; i < canvas.rows * canvas.columns; i++) {
        if (!is_sound(i))
            ck_abort_msg("%dx%d: %d,%d", canvas.columns, canvas.rows, i / canvas.columns,
                         i % canvas.columns);
    }
    canvas_to_text(&canvas, &text);
    const bool is_bare = view_screen(&view) <= SCREEN_DETAIL && !view_is_covered(&view);
    ck_assert_msg(!is_bare || text.len > (size_t)canvas.rows, "%dx%d is empty", canvas.columns,
                  canvas.rows);
    str_done(&text);
}

static void draw_and_check(int rows, int columns)
{
    stage_draw(rows, columns, (rows + columns) % 2 == 0);
    ck_assert_int_eq(canvas.rows, rows);
    ck_assert_int_eq(canvas.columns, columns);
    check_canvas();
}

void stage_fits_every_size(void)
{
    static const int heights[] = {1, 2, 3, 4, 5, 6, 8, 11, 14, 17, 24, 45};
    static const int widths[] = {1,  2,  3,  5,  8,  13, 19, 20,  21,
                                 30, 39, 40, 59, 60, 79, 80, 120, 150};
    const size_t count = facts.report ? facts.report->count : 0;
    for (int i = 0; i < TABLE_LEN(heights); i++) {
        for (int k = 0; k < TABLE_LEN(widths); k++) {
            view_report_fit(&view, (int)count, frame_report_rows(heights[i], count));
            draw_and_check(heights[i], widths[k]);
        }
    }
}

void stage_fits_every_width(void)
{
    enum { ROWS = 12, COLUMNS_MAX = 150 };
    for (int columns = 1; columns <= COLUMNS_MAX; columns++)
        draw_and_check(ROWS, columns);
}
