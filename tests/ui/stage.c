#include "stage.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "event_lines.h"
#include "report_rows.h"
#include "test_main.h"
#include "text.h"

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

void stage_close(void)
{
    event_lines_done(&records);
    view_done(&view);
    story_done(&story);
    canvas_done(&canvas);
}

struct frame_input stage_input(void)
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
    for (size_t i = 0; i < story.event_count; i++) {
        struct event event = story.events[i];
        event.seq = (int64_t)i + 1;
        if (event.seq > event_lines_after(story.replay.at))
            (void)event_lines_add(&records, &story.state, &event);
    }
    facts.events = &records;
}

void stage_begin(int rows, int columns, bool ascii)
{
    canvas_done(&canvas);
    canvas_init(&canvas, rows, columns, ascii);
    if (facts.mode == VIEW_REPLAY)
        tell_records();
    view_arrange(&view, &facts);
}

void stage_draw(int rows, int columns, bool ascii)
{
    const struct frame_input input = stage_input();
    stage_begin(rows, columns, ascii);
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

void stage_fits_every_size(void)
{
    static const int heights[] = {1, 2, 3, 4, 5, 6, 8, 11, 14, 17, 24, 30, 45};
    static const int widths[] = {1,  2,  3,  5,  8,  13, 19, 20,  21,
                                 30, 39, 40, 59, 60, 79, 80, 120, 150};
    const size_t count = facts.report ? facts.report->count : 0;
    for (int i = 0; i < TABLE_LEN(heights); i++) {
        for (int k = 0; k < TABLE_LEN(widths); k++) {
            view_report_fit(&view, (int)count, frame_report_rows(heights[i], count));
            stage_draw(heights[i], widths[k], (i + k) % 2 == 0);
            ck_assert_int_eq(canvas.rows, heights[i]);
            ck_assert_int_eq(canvas.columns, widths[k]);
            check_canvas();
        }
    }
}
