/* frame_runs.c - the Runs screen: its columns by width, with a row for each run. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "attr.h"
#include "clock.h"
#include "frame.h"
#include "frame_internal.h"
#include "runs_list.h"
#include "shown.h"
#include "text.h"

/* Number of states that get a column only if a visible run has tasks in them. */
enum { RUNS_EXTRAS = 3 };
struct runs_extra {
    enum task_status status;
    enum shown shown;
};

/* End columns of the numbers (0 = left out), and start columns of the texts. */
struct runs_columns {
    int started, lasted, tasks, tries, passed, failed, cancelled, waited, name;
    int extra[RUNS_EXTRAS]; /* end columns of the extra counts, which follow `failed` */
};

enum {
    AIRY_COLUMNS = 100, /* narrower: smaller gaps, to make room for the name */
    WIDE_COLUMNS = 76,  /* narrower: fewer columns */
    MID_COLUMNS = 56,
    NARROW_COLUMNS = 36, /* narrower: only the duration */
    NAME_COLUMNS_MIN = 6,
};

static const struct runs_extra runs_extras[RUNS_EXTRAS] = {
    {TASK_NEEDS_YOU, SHOWN_NEEDS_YOU},
    {TASK_STUCK, SHOWN_STUCK},
    {TASK_BLOCKED, SHOWN_BLOCKED},
};

/* The columns for each minimum width, the widest first. Even narrower canvases only show the
 * duration, at the right end. */
static const struct runs_column_set {
    int columns_min;
    struct runs_columns at;
} sets[] = {
    {AIRY_COLUMNS,
     {.started = 9,
      .lasted = 33,
      .tasks = 42,
      .tries = 49,
      .passed = 53,
      .failed = 57,
      .cancelled = 61,
      .waited = 70,
      .name = 73}},
    {WIDE_COLUMNS,
     {.started = 9,
      .lasted = 30,
      .tasks = 37,
      .tries = 44,
      .passed = 48,
      .failed = 52,
      .cancelled = 56,
      .waited = 64,
      .name = 67}},
    {MID_COLUMNS,
     {.started = 8,
      .lasted = 28,
      .tasks = 34,
      .tries = 40,
      .passed = 44,
      .failed = 48,
      .cancelled = 52}},
    {NARROW_COLUMNS, {.started = 8, .lasted = 28, .passed = 32, .failed = 36}},
};

/* Moves the columns that follow the extra counts. */
static void move_columns(struct runs_columns *at, int by)
{
    at->cancelled += at->cancelled > 0 ? by : 0;
    at->waited += at->waited > 0 ? by : 0;
    at->name += at->name > 0 ? by : 0;
}

/* If the columns do not fit, drops the number of tries first, then the name, then the waiting
 * time. */
static void fit_columns(struct runs_columns *at, int width)
{
    const int tries = at->tries - at->tasks;
    if (at->name > 0 && at->name + NAME_COLUMNS_MIN > width && at->tries > 0) {
        at->passed -= tries;
        at->failed -= tries;
        for (size_t i = 0; i < RUNS_EXTRAS; i++)
            at->extra[i] -= at->extra[i] > 0 ? tries : 0;
        move_columns(at, -tries);
        at->tries = 0;
    }
    if (at->name + NAME_COLUMNS_MIN > width)
        at->name = 0;
    if (at->waited > width)
        at->waited = 0;
}

static bool has_any_task(const struct frame_input *input, int rows, enum task_status status)
{
    const struct runs_list *list = input->facts->runs;
    const size_t top = input->view->runs.top;
    for (size_t i = top; i < top + (size_t)rows && i < list->shown_count; i++) {
        if (runs_row_count(&list->rows[list->shown[i]], status) > 0)
            return true;
    }
    return false;
}

/* Chooses the columns for this canvas and the visible runs. */
static struct runs_columns runs_columns_of(const struct canvas *canvas,
                                           const struct frame_input *input)
{
    enum { COUNT_COLUMNS = 4 };
    struct runs_columns at = {.lasted = canvas->columns};
    for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
        if (canvas->columns < sets[i].columns_min)
            continue;
        at = sets[i].at;
        break;
    }
    int end = at.failed;
    for (size_t i = 0; i < RUNS_EXTRAS && at.cancelled > 0; i++) {
        if (!has_any_task(input, canvas->rows, runs_extras[i].status))
            continue;
        move_columns(&at, COUNT_COLUMNS);
        end += COUNT_COLUMNS;
        at.extra[i] = end;
    }
    fit_columns(&at, canvas->columns);
    return at;
}

enum {
    NUMBER_END = 7,
    DATE_START = 5, /* length of "2026-" in "2026-11-20 13:50:02", left out in the current year */
    DATE_LEN = 16,
    NOTE_COLUMN = 9,
    THOUSAND = 1000,
};

/* Draws text that ends before column `end`. */
static void put_end(struct canvas *canvas, int row, int end, enum style style, const char *text)
{
    if (end <= 0)
        return;
    const int width = text_width(text, strlen(text));
    (void)frame_put(canvas, (struct spot){row, end > width ? end - width : 0, width}, style, text);
}

static void draw_heads(struct canvas *canvas, int row, const struct runs_columns *columns)
{
    const struct runs_columns at = *columns;
    const bool ascii = canvas->ascii;
    put_end(canvas, row, NUMBER_END, STYLE_COLUMN, "RUN");
    if (at.started > 0)
        (void)frame_put(canvas, (struct spot){row, at.started, DATE_LEN}, STYLE_COLUMN, "STARTED");
    put_end(canvas, row, at.lasted, STYLE_COLUMN, "LASTED");
    put_end(canvas, row, at.tasks, STYLE_COLUMN, "TASKS");
    put_end(canvas, row, at.tries, STYLE_COLUMN, "TRIES");
    put_end(canvas, row, at.passed, STYLE_COLUMN, shown_sign(SHOWN_PASSED, ascii));
    put_end(canvas, row, at.failed, STYLE_COLUMN, shown_sign(SHOWN_GAVE_UP, ascii));
    for (size_t i = 0; i < RUNS_EXTRAS; i++)
        put_end(canvas, row, at.extra[i], STYLE_COLUMN, shown_sign(runs_extras[i].shown, ascii));
    put_end(canvas, row, at.cancelled, STYLE_COLUMN, shown_sign(SHOWN_CANCELLED, ascii));
    put_end(canvas, row, at.waited, STYLE_COLUMN, "WAITED");
    if (at.name > 0)
        (void)frame_put(canvas, (struct spot){row, at.name, canvas->columns - at.name},
                        STYLE_COLUMN, "NAME");
}

/* Draws a count in its column of four cells, which has room for three digits: "12k" from 1000
 * on. */
static void put_count(struct canvas *canvas, int row, int end, int64_t count)
{
    struct str text = {0};
    if (count < THOUSAND)
        str_addf(&text, "%lld", (long long)count);
    else
        str_addf(&text, "%lldk", (long long)count / THOUSAND);
    put_end(canvas, row, end, STYLE_PLAIN, str_text(&text));
    str_done(&text);
}

static void draw_run(struct canvas *canvas, int row, const struct runs_columns *columns,
                     const struct runs_row *run, int64_t now_ms)
{
    const struct runs_columns at = *columns;
    struct str text = {0};
    (void)frame_put(canvas, (struct spot){row, 1, 1}, frame_style(run->shown),
                    shown_sign(run->shown, canvas->ascii));
    str_addf(&text, "#%lld", (long long)run->number);
    put_end(canvas, row, NUMBER_END, STYLE_PLAIN, str_text(&text));
    if (at.started > 0) {
        char then[CLOCK_TEXT_MAX], now[CLOCK_TEXT_MAX];
        (void)clock_date(run->started_at_ms, then);
        (void)clock_date(now_ms, now);
        const bool same_year = strncmp(then, now, DATE_START) == 0;
        const char *from = same_year ? then + DATE_START : then;
        /* Other years: only the date. */
        const size_t len = same_year ? DATE_LEN - DATE_START : DATE_LEN - 6;
        (void)canvas_text_n(canvas, (struct spot){row, at.started, DATE_LEN}, STYLE_PLAIN, from,
                            len);
    }
    str_clear(&text);
    shown_duration((run->is_live ? now_ms : run->ended_at_ms) - run->started_at_ms, &text);
    put_end(canvas, row, at.lasted, STYLE_PLAIN, str_text(&text));
    str_clear(&text);
    runs_row_waited(run, &text);
    put_end(canvas, row, at.waited, STYLE_PLAIN, str_text(&text));
    str_done(&text);

    if (at.tasks > 0)
        put_count(canvas, row, at.tasks, run->tasks);
    if (at.tries > 0)
        put_count(canvas, row, at.tries, run->tries);
    put_count(canvas, row, at.passed, run->passed);
    put_count(canvas, row, at.failed, runs_row_count(run, TASK_GAVE_UP));
    for (size_t i = 0; i < RUNS_EXTRAS; i++)
        put_count(canvas, row, at.extra[i], runs_row_count(run, runs_extras[i].status));
    put_count(canvas, row, at.cancelled, run->cancelled);
    if (at.name > 0)
        (void)frame_put(canvas, (struct spot){row, at.name, canvas->columns - at.name}, STYLE_PLAIN,
                        run->name ? run->name : "");
}

/* Draws the text shown when there are no rows. */
static void draw_nothing(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input)
{
    const struct runs_list *list = input->facts->runs;
    const struct line_edit *filter = &input->view->runs.filter;
    struct str text = {0};
    if (filter->len > 0) {
        str_addf(&text, "0 of %lld runs match   %s      ", (long long)list->totals.runs,
                 filter->text);
        frame_say(input, filter->open ? "Esc shows all" : "{back} shows all", &text);
    } else {
        str_add(&text, "No runs in this log. Start one: devs run PLAN");
    }
    (void)frame_put(canvas, (struct spot){box->row + (box->rows > 2), 4, canvas->columns - 4},
                    STYLE_PLAIN, str_text(&text));
    str_done(&text);
}

/* Draws the rows from view->runs.top on, as many as fit, including the last row's note. */
static void draw_rows(struct canvas *canvas, const struct frame_box *box,
                      const struct frame_input *input, const struct runs_columns *at)
{
    const struct runs_list *list = input->facts->runs;
    const struct view_runs *view = &input->view->runs;
    const size_t chosen = view_runs_chosen(view, list);
    const int end = box->row + box->rows;
    int row = box->row;
    for (size_t i = view->top; i < list->shown_count && row < end; i++) {
        const struct runs_row *run = &list->rows[list->shown[i]];
        const struct canvas_zone zone = {
            .spot = {row, 0, canvas->columns}, .rows = 1, .kind = ZONE_ITEM, .value = (uint32_t)i};
        canvas_add_area(canvas, &zone);
        draw_run(canvas, row, at, run, input->facts->clock.at_ms);
        if (i == chosen) {
            (void)frame_put(canvas, (struct spot){row, 0, 1}, STYLE_PLAIN, "▸");
            canvas_choose(canvas, row, 0, canvas->columns);
        }
        row++;
        struct str note = {0};
        if (row < end)
            runs_row_note(run, &note);
        if (note.len > 0) {
            (void)frame_put(canvas, (struct spot){row, NOTE_COLUMN, canvas->columns - NOTE_COLUMN},
                            STYLE_PLAIN, note.data);
            row++;
        }
        str_done(&note);
    }
}

static void draw_head(struct canvas *canvas, const struct frame_input *input)
{
    const struct runs_list *list = input->facts->runs;
    const struct line_edit *filter = &input->view->runs.filter;
    struct str right = {0};
    struct str left = {0};
    str_addf(&right, "filter: %s", filter->len > 0 ? filter->text : "none");
    frame_say(input, " ({filter})", &right);
    const char *slash = strrchr(input->facts->log_file, '/');
    str_addf(&left, "Runs    %s   ", slash ? slash + 1 : input->facts->log_file);
    shown_count(list->totals.runs, "run, ", "runs, ", &left);
    shown_count(list->totals.attempts, "try", "tries", &left);
    const int width = text_width(str_text(&left), left.len) + text_width(right.data, right.len);
    int end = canvas->columns;
    if (width + 4 < canvas->columns)
        end = frame_put_right(canvas, (struct spot){0, 0, canvas->columns - 1}, STYLE_HEAD,
                              right.data);
    (void)frame_put(canvas, (struct spot){0, 1, end - 2}, STYLE_HEAD, str_text(&left));
    str_done(&right);
    str_done(&left);
}

static struct frame_box list_box(const struct frame_page *page)
{
    struct frame_box box = page->body;
    const bool has_heads = box.rows > 2;
    box.row += has_heads;
    box.rows -= has_heads;
    return box;
}

int frame_runs_rows(int rows, int columns, const struct frame_input *input)
{
    const struct frame_page page = frame_page_lay(rows, columns, input);
    return list_box(&page).rows;
}

void frame_runs(struct canvas *canvas, const struct frame_input *input)
{
    static const enum act acts[] = {UI_OPEN, UI_FILTER, UI_HELP, UI_BUNDLE, UI_QUIT};
    const char *briefs[UI_ACT_COUNT] = {NULL};
    const struct frame_keys keys = {.acts = acts, .count = ARRAY_LEN(acts), .briefs = briefs};
    briefs[UI_QUIT] = input->view->trail.depth > 0 ? "back" : "quit";
    const struct frame_page page = frame_page_lay(canvas->rows, canvas->columns, input);
    const struct frame_box box = list_box(&page);
    if (!input->facts->runs)
        return;
    frame_page_draw(canvas, &page, input, NULL, &keys);
    draw_head(canvas, input);
    const struct runs_columns at = runs_columns_of(canvas, input);
    if (box.row > page.body.row)
        draw_heads(canvas, page.body.row, &at);
    if (input->facts->runs->shown_count == 0)
        draw_nothing(canvas, &box, input);
    else
        draw_rows(canvas, &box, input, &at);
}
