/* frame_hosts.c - the Hosts screen: a row for each machine that runs tasks, and below what is known
 * about the selected one. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "frame_internal.h"
#include "text.h"
#include "xalloc.h"

enum host_column {
    HOST_NAME,
    HOST_EXECUTOR,
    HOST_STATE,
    HOST_BAR,
    HOST_SLOTS,
    HOST_CONTACT,
    HOST_TASKS,
    HOST_COLUMN_COUNT,
};

enum { BAR_CELLS = 8 };

/* Columns other than the last are as wide as their widest visible text, between `min` and `max`.
 * TASKS takes the rest. */
static const struct {
    const char *head;
    const char *key; /* of rows_host(); NULL = a bar */
    int min, max;
    int columns_min; /* minimum width of the canvas for this column */
    bool is_right;   /* right-aligned */
} heads[] = {
    [HOST_NAME] = {"HOST", "host", 4, 24, 0, false},
    [HOST_EXECUTOR] = {"EXECUTOR", "executor", 8, 14, 60, false},
    [HOST_STATE] = {"STATE", "state", 5, 12, 0, false},
    [HOST_BAR] = {"SLOTS", NULL, 5, BAR_CELLS, 72, false},
    [HOST_SLOTS] = {"", "slots", 3, 9, 24, true},
    [HOST_CONTACT] = {"CONTACT", "contact", 7, 11, 50, true},
    [HOST_TASKS] = {"TASKS", "tasks", 0, 0, 34, false},
};
static_assert(ARRAY_LEN(heads) == HOST_COLUMN_COUNT, "every column has a head");

struct host_columns {
    int at[HOST_COLUMN_COUNT], width[HOST_COLUMN_COUNT]; /* width 0: not shown */
};

enum {
    FIRST_COLUMN = 3, /* after the mark and the sign */
    NARROW_COLUMNS = 40,
    AIRY_COLUMNS = 100, /* narrower: smaller gaps */
    NARROW_NAME = 14,   /* maximum width of a name in fewer columns */
    HEADS_ROWS = 2,     /* with fewer rows there are no headings */
    LIST_MIN = 3,       /* rows of the list that what is known about a machine leaves */
    MORE_MIN = 3,       /* with fewer rows left, nothing is shown below the list */
    MORE_ROWS = 10,     /* rows below a long list */
};

/* Position of the parts. */
struct hosts_layout {
    struct frame_page page;
    int heads; /* -1 = none */
    struct frame_box list, more;
    int rule; /* above `more`; -1 = none */
};

static struct hosts_layout lay_out(int rows, int columns, const struct frame_input *input,
                                   int count)
{
    struct hosts_layout out = {
        .page = frame_page_lay(rows, columns, input), .heads = -1, .rule = -1};
    struct frame_box rest = out.page.body;
    if (rest.rows > HEADS_ROWS)
        out.heads = frame_take_row(&rest);
    const int room = rest.rows - 1 - frame_most(MORE_MIN, frame_least(MORE_ROWS, rest.rows / 2));
    if (room < LIST_MIN) {
        out.list = rest;
        return out;
    }
    out.list = frame_take(&rest, frame_least(count, room));
    out.rule = frame_take_row(&rest);
    out.more = rest;
    return out;
}

void frame_hosts_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    struct hosts hosts;
    hosts_read(&hosts, input->facts->state);
    const struct hosts_layout layout = lay_out(rows, columns, input, hosts.count);
    view_hosts_fit(&view->hosts, &hosts, layout.list.rows);
    hosts_done(&hosts);
    frame_tasks_fit(view, rows, columns, input);
}

static int width_of(const char *text)
{
    return text_width(text, strlen(text));
}

/* Lays out the columns for the visible rows, which have up to `slots_most` slots. */
static struct host_columns place_columns(int columns, const struct rows *rows, int count,
                                         int slots_most)
{
    struct host_columns out = {0};
    int at = FIRST_COLUMN;
    const int gap = columns >= AIRY_COLUMNS ? 3 : 1;
    for (int i = 0; i < HOST_COLUMN_COUNT; i++) {
        if (columns < heads[i].columns_min)
            continue;
        int width = i == HOST_BAR ? frame_most(heads[i].min, slots_most) : heads[i].min;
        for (int row = 0; heads[i].key && row < count; row++)
            width = frame_most(width, width_of(rows_value(&rows[row], heads[i].key)));
        width = frame_least(width, i == HOST_NAME && columns < NARROW_COLUMNS ? NARROW_NAME
                                                                              : heads[i].max);
        if (i == HOST_TASKS || at + width > columns)
            width = columns - at;
        out.at[i] = at;
        out.width[i] = frame_most(width, 0);
        at += width + (i == HOST_BAR ? 1 : i == HOST_CONTACT ? gap + 1 : gap);
    }
    return out;
}

/* Draws "###·····": used and free slots; with more than BAR_CELLS slots, their shares. */
static void draw_bar(struct canvas *canvas, struct spot spot, const struct host_facts *host)
{
    const int cells = frame_least(host->slots, spot.width);
    const int used = frame_least(host->used, host->slots);
    const int full = cells > 0 ? (used * cells + host->slots - 1) / host->slots : 0;
    for (int i = 0; i < cells; i++, spot.column++) {
        const bool is_used = i < full;
        const enum style full_style = host->shown == SHOWN_HOST_DOWN ? STYLE_FAILED : STYLE_RUNNING;
        const enum style style = is_used ? full_style : STYLE_RULE;
        (void)canvas_text(canvas, (struct spot){spot.row, spot.column, 1}, style,
                          is_used         ? "#"
                          : canvas->ascii ? "."
                                          : "·");
    }
}

/* Returns the style of the word; the sign is in that of tasks in such a state. */
static enum style state_style(enum shown_host shown)
{
    return shown == SHOWN_HOST_DOWN ? STYLE_FAILED : frame_style(shown_host_sign(shown));
}

static void draw_host(struct canvas *canvas, int row, const struct host_columns *columns,
                      const struct host_facts *host, const struct rows *rows)
{
    const enum shown sign = shown_host_sign(host->shown);
    (void)canvas_text(canvas, (struct spot){row, 1, 1}, frame_style(sign),
                      shown_sign(sign, canvas->ascii));
    for (int i = 0; i < HOST_COLUMN_COUNT; i++) {
        const struct spot spot = {row, columns->at[i], columns->width[i]};
        if (spot.width <= 0)
            continue;
        if (!heads[i].key) {
            draw_bar(canvas, spot, host);
            continue;
        }
        const char *text = rows_value(rows, heads[i].key);
        const enum style style = i == HOST_STATE ? state_style(host->shown) : STYLE_PLAIN;
        if (heads[i].is_right && width_of(text) <= spot.width)
            (void)frame_put_right(canvas, spot, style, text);
        else
            (void)frame_put(canvas, spot, style, text);
    }
}

static void draw_list(struct canvas *canvas, const struct hosts_layout *layout,
                      const struct frame_input *input, const struct hosts *hosts)
{
    const struct shown_look look = frame_look(input, canvas->ascii);
    const struct view_hosts *view = &input->view->hosts;
    const int chosen = view_hosts_chosen(view, hosts);
    const int count = frame_least(layout->list.rows, hosts->count - view->top);
    struct rows *rows = xcalloc((size_t)count + 1, sizeof(*rows));
    for (int i = 0; i < count; i++)
        rows_host(&rows[i], hosts, input->facts->state, hosts->order[view->top + i], &look);
    int slots_most = 0;
    for (int i = 0; i < count; i++)
        slots_most = frame_most(slots_most, hosts->items[hosts->order[view->top + i] + 1].slots);
    const struct host_columns columns = place_columns(canvas->columns, rows, count, slots_most);
    for (int i = 0; i < HOST_COLUMN_COUNT && layout->heads >= 0; i++) {
        const struct spot spot = {layout->heads, columns.at[i], columns.width[i]};
        if (spot.width < width_of(heads[i].head))
            continue;
        if (heads[i].is_right)
            (void)frame_put_right(canvas, spot, STYLE_COLUMN, heads[i].head);
        else
            (void)frame_put(canvas, spot, STYLE_COLUMN, heads[i].head);
    }
    for (int i = 0; i < count; i++) {
        const int row = layout->list.row + i;
        const int at = view->top + i;
        const struct canvas_zone zone = {
            .spot = {row, 0, canvas->columns}, .rows = 1, .kind = ZONE_ITEM, .value = (uint32_t)at};
        canvas_add_area(canvas, &zone);
        draw_host(canvas, row, &columns, &hosts->items[hosts->order[at] + 1], &rows[i]);
        if (at == chosen) {
            (void)frame_put(canvas, (struct spot){row, 0, 1}, STYLE_PLAIN, "▸");
            canvas_choose(canvas, row, 0, canvas->columns);
        }
        rows_done(&rows[i]);
    }
    free(rows);
}

/* Draws what is known about the selected machine. */
static void draw_more(struct canvas *canvas, const struct hosts_layout *layout,
                      const struct frame_input *input, const struct hosts *hosts)
{
    const struct run_state *state = input->facts->state;
    const struct shown_look look = frame_look(input, canvas->ascii);
    const struct view_hosts *view = &input->view->hosts;
    const int number = hosts->order[view_hosts_chosen(view, hosts)];
    const int above = view->top;
    const int below = hosts->count - view->top - layout->list.rows;
    struct rows rows = {0};
    struct str title = {0}, note = {0};
    if (layout->rule < 0)
        return;
    rows_host(&rows, hosts, state, number, &look);
    str_addf(&title, "%s", rows_value(&rows, "host"));
    rows_done(&rows);
    if (above > 0)
        str_addf(&note, "%d more above", above);
    if (below > 0)
        str_addf(&note, "%s%d more below", above > 0 ? ", " : "", below);
    frame_rule(canvas, (struct spot){layout->rule, 0, canvas->columns}, str_text(&title),
               str_text(&note));
    str_done(&title);
    str_done(&note);
    struct preview preview = {.canvas = canvas,
                              .box = &layout->more,
                              .input = input,
                              .state = state,
                              .kind = FRAME_PREVIEW_ROOMY,
                              .task = -1,
                              .text_column = PREVIEW_TEXT_COLUMN_DETAIL};
    rows_host_more(&rows, hosts, state, number, &look);
    preview_put_rows(&preview, &rows);
}

void frame_hosts(struct canvas *canvas, const struct frame_input *input)
{
    static const enum act live[] = {UI_QUIT,  UI_OPEN,       UI_TASKS, UI_TIMELINE,
                                    UI_TIMES, UI_EVENT_BACK, UI_HELP};
    static const enum act past[] = {UI_QUIT,          UI_OPEN, UI_PLAY, UI_EVENT_BACK,
                                    UI_EVENT_FORWARD, UI_END,  UI_HELP};
    static const char *const briefs[UI_ACT_COUNT] = {[UI_QUIT] = "back", [UI_OPEN] = "its tasks"};
    static const char *const past_briefs[UI_ACT_COUNT] = {[UI_QUIT] = "back",
                                                          [UI_OPEN] = "its tasks",
                                                          [UI_EVENT_BACK] = "",
                                                          [UI_EVENT_FORWARD] = "event"};
    const struct frame_keys keys =
        input->facts->replay
            ? (struct frame_keys){.acts = past, .count = ARRAY_LEN(past), .briefs = past_briefs}
            : (struct frame_keys){.acts = live, .count = ARRAY_LEN(live), .briefs = briefs};
    struct hosts hosts;
    struct rows sum = {0};
    struct str path = {0};
    hosts_read(&hosts, input->facts->state);
    const struct hosts_layout layout = lay_out(canvas->rows, canvas->columns, input, hosts.count);
    rows_hosts_sum(&sum, &hosts);
    str_add(&path, "Hosts");
    if (canvas->columns >= PAGE_PATH_COLUMNS)
        str_addf(&path, "   %s", rows_value(&sum, "hosts"));
    frame_page_draw(canvas, &layout.page, input, str_text(&path), &keys);
    draw_list(canvas, &layout, input, &hosts);
    draw_more(canvas, &layout, input, &hosts);
    rows_done(&sum);
    str_done(&path);
    hosts_done(&hosts);
}
