#include "frame_forensics.h"

#include <string.h>

#include "clock.h"
#include "frame_parts.h"
#include "text.h"

enum {
    PANES_COLUMNS = 60, /* narrower: list or text, not both */
    PANES_ROWS = 8,
    WIDE_COLUMNS = 120,
    LIST_COLUMNS = 24,
    LIST_COLUMNS_WIDE = 34,
    MESSAGE_ROWS = 12, /* lower: no row of its own for messages */
};

/* Where things are; rows of -1 are not there. */
struct layout {
    struct frame_box list, text; /* columns 0: not shown */
    int head, rule, bottom_rule, message, transport, footer;
    int secrets; /* or why nothing was captured */
};

static struct layout lay_out(int rows, int columns, const struct frame_input *input)
{
    const struct view_forensics *at = &input->view->forensics;
    const struct forensics *forensics = input->facts->forensics;
    struct layout out = {.secrets = -1, .bottom_rule = -1, .message = -1, .transport = -1};
    int last = rows - 1;
    int top = 1;
    out.footer = rows > 3 ? last-- : -1;
    if (input->replay && rows >= MESSAGE_ROWS)
        out.transport = last--;
    if (rows >= MESSAGE_ROWS) {
        out.message = last--;
        out.bottom_rule = last--;
    }
    if (rows >= MESSAGE_ROWS && forensics &&
        (forensics->nothing.len > 0 || forensics->secrets.len > 0))
        out.secrets = last--;
    out.head = rows > 2 ? top++ : -1;
    out.rule = rows >= PANES_ROWS ? top++ : -1;

    int room = last - top + 1 > 0 ? last - top + 1 : 0;
    bool both = columns >= PANES_COLUMNS && rows >= PANES_ROWS;
    int list = columns >= WIDE_COLUMNS ? LIST_COLUMNS_WIDE : LIST_COLUMNS;
    if (both) {
        out.list = (struct frame_box){top, 0, room, list};
        out.text = (struct frame_box){top, list + 2, room, columns - list - 2};
    } else if (at->right) {
        out.text = (struct frame_box){top, 1, room, columns - 1};
    } else {
        out.list = (struct frame_box){top, 0, room, columns};
    }
    return out;
}

/* How much of a line fits into the columns: up to a blank, if that is not too far back. */
static size_t fitting(const char *text, size_t len, int columns)
{
    size_t at = 0;
    size_t blank = 0;
    int used = 0;
    while (at < len) {
        uint32_t rune;
        size_t bytes = (size_t)text_rune(text + at, len - at, &rune);
        int width = rune == UINT32_MAX ? 1 : rune_width(rune);
        if (used + (width > 0 ? width : 0) > columns)
            break;
        used += width > 0 ? width : 0;
        at += bytes;
        blank = text[at - 1] == ' ' ? at : blank;
    }
    if (at < len && blank > at / 2)
        return blank;
    return at > 0 || len == 0 ? at : 1;
}

/* Rows that a line takes. */
static int rows_of(const struct forensics *forensics, size_t index, int columns)
{
    const char *text = forensics_line(forensics, index);
    size_t len = forensics->lines[index].len;
    int rows = 1;
    for (size_t at = fitting(text, len, columns); at < len; rows++)
        at += fitting(text + at, len - at, columns);
    return rows;
}

/* Where the lines are: below the title. */
static struct frame_box lines_box(const struct frame_box *text)
{
    enum { TITLE_ROWS = 1 };
    return (struct frame_box){text->row + TITLE_ROWS, text->column, text->rows - TITLE_ROWS,
                              text->columns};
}

struct view_room frame_forensics_room(int rows, int columns, const struct frame_input *input)
{
    const struct forensics *forensics = input->facts->forensics;
    const struct layout layout = lay_out(rows, columns, input);
    const struct frame_box lines = lines_box(&layout.text);
    struct view_room room = {.page = lines.rows > 2 ? (size_t)lines.rows - 1 : 1};
    if (!forensics || forensics->key.attempt == 0 || layout.text.columns <= 0)
        return room;
    const size_t first = forensics->sections[input->view->forensics.section].first;
    room.last = forensics->sections[input->view->forensics.section].count;
    for (int used = 0; room.last > 0; room.last--) {
        used += rows_of(forensics, first + room.last - 1, lines.columns);
        if (used > lines.rows)
            break;
    }
    const size_t count = forensics->sections[input->view->forensics.section].count;
    if (room.last > 0 && room.last == count)
        room.last--; /* higher than the box by itself: its beginning at least */
    return room;
}

/* "Tasks > T-104 > try 3 > forensics"; what is too much for the room goes from the left. */
static void draw_path(struct canvas *canvas, const struct frame_input *input)
{
    const struct view_forensics *at = &input->view->forensics;
    const struct plan_task *plan = &input->facts->state->plan->tasks[at->task];
    const char *mode = input->facts->mode == VIEW_REPLAY ? "REPLAY" : "LIVE";
    struct str path = {0};
    struct str right = {0};
    char hms[CLOCK_TEXT_MAX];
    enum style style = input->replay ? STYLE_REPLAY : STYLE_HEAD;
    if (input->facts->mode == VIEW_ENDED)
        mode = "ENDED";
    if (input->facts->mode == VIEW_INTERRUPTED)
        mode = "INTERRUPTED";
    str_addf(&right, "%s   %s", mode, clock_hms(frame_now(input).at_ms, hms));
    int end = frame_put_right(canvas, (struct spot){0, 0, canvas->columns}, style, right.data);
    str_addf(&path, "%s%s", canvas->columns >= PANES_COLUMNS ? "Tasks > " : "", plan->id);
    if (canvas->columns >= WIDE_COLUMNS && strcmp(plan->id, plan->title) != 0)
        str_addf(&path, " %s", plan->title);
    if (plan->step_count > 1)
        str_addf(&path, " > step %d", at->step + 1);
    if (at->attempt > 0)
        str_addf(&path, " > try %d", at->attempt);
    str_add(&path, canvas->columns >= PANES_COLUMNS ? " > forensics" : "");
    (void)frame_put(canvas, (struct spot){0, 1, end - 2}, style, path.data);
    str_done(&path);
    str_done(&right);
}

static void draw_row(struct canvas *canvas, int row, enum style style, const struct str *text)
{
    if (row >= 0 && text->len > 0)
        (void)frame_put(canvas, (struct spot){row, 1, canvas->columns - 1}, style, text->data);
}

/* "▸ 1 verdict      exit 1" */
static void draw_entry(struct canvas *canvas, struct spot spot, const struct frame_input *input,
                       enum forensics_section section)
{
    const struct view_forensics *at = &input->view->forensics;
    const struct forensics *forensics = input->facts->forensics;
    bool is_chosen = at->section == section;
    bool there = forensics->sections[section].there;
    struct str text = {0};
    int right = spot.column + spot.width - 1;
    const char *note = forensics->sections[section].note;
    int note_columns = text_width(note, strlen(note));
    str_addf(&text, "%s%2d %s", is_chosen ? (canvas->ascii ? ">" : "▸") : " ", (int)section + 1,
             forensics_name(section));
    int name_end = spot.column + text_width(text.data, text.len);
    bool fits = name_end + 1 + note_columns <= right;
    (void)frame_put(canvas, spot, there ? STYLE_PLAIN : STYLE_LABEL, text.data);
    if (fits)
        (void)frame_put_right(canvas, (struct spot){spot.row, spot.column, spot.width - 1},
                              STYLE_LABEL, there ? note : "-");
    if (is_chosen)
        canvas_choose(canvas, spot.row, spot.column, spot.width);
    str_done(&text);
}

static enum style style_of(enum forensics_mark mark)
{
    switch (mark) {
    case FORENSICS_PLAIN:
    case FORENSICS_ADDED:
    case FORENSICS_REMOVED:
        break;
    case FORENSICS_LABEL:
        return STYLE_HEAD;
    case FORENSICS_LACKS:
        return STYLE_LABEL;
    case FORENSICS_HIT:
        return STYLE_MATCH;
    }
    return STYLE_PLAIN;
}

/* One line, broken where the box is full; returns the row after it. */
static int draw_line(struct canvas *canvas, const struct frame_box *box, int row,
                     const struct forensics *forensics, size_t index)
{
    const struct forensics_line *line = &forensics->lines[index];
    const char *text = forensics_line(forensics, index);
    size_t at = 0;
    do {
        size_t len = fitting(text + at, line->len - at, box->columns);
        (void)canvas_text_n(canvas, (struct spot){row, box->column, box->columns},
                            style_of(line->mark), text + at, len);
        at += len;
        row++;
    } while (at < line->len && row < box->row + box->rows);
    return row;
}

/* What there is of it at the end of the list, where there is room. */
static void draw_summary(struct canvas *canvas, const struct frame_box *box,
                         const struct forensics *forensics)
{
    enum { HEAD_ROWS = 2, LINES_MIN = 3 };
    const size_t first = forensics->sections[FORENSICS_END].first;
    const size_t count = forensics->sections[FORENSICS_END].count;
    int row = box->row + FORENSICS_SECTION_COUNT + 1;
    int end = box->row + box->rows;
    if (row + HEAD_ROWS + LINES_MIN > end || !forensics->sections[FORENSICS_END].there)
        return;
    (void)frame_put(canvas, (struct spot){row++, 1, box->columns - 1}, STYLE_HEAD,
                    forensics_title(FORENSICS_END));
    for (size_t i = first; i < first + count && row < end; i++) {
        const struct forensics_line *line = &forensics->lines[i];
        (void)canvas_text_n(canvas, (struct spot){row++, 1, box->columns - 1}, style_of(line->mark),
                            forensics_line(forensics, i), line->len);
    }
}

static void draw_list(struct canvas *canvas, const struct frame_box *box,
                      const struct frame_input *input)
{
    int first = (int)input->view->forensics.section - box->rows + 1;
    for (int i = first > 0 ? first : 0; i < FORENSICS_SECTION_COUNT; i++) {
        int row = box->row + i - (first > 0 ? first : 0);
        if (row >= box->row + box->rows)
            return;
        draw_entry(canvas, (struct spot){row, box->column, box->columns}, input,
                   (enum forensics_section)i);
    }
    draw_summary(canvas, box, input->facts->forensics);
}

static void draw_divider(struct canvas *canvas, const struct frame_box *list)
{
    for (int row = list->row; row < list->row + list->rows; row++)
        (void)canvas_text(canvas, (struct spot){row, list->column + list->columns, 1}, STYLE_RULE,
                          canvas->ascii ? "|" : "│");
}

/* The title, the lines from the view's first one on, and how many are below. */
static void draw_text(struct canvas *canvas, const struct frame_box *box,
                      const struct frame_input *input)
{
    const struct view_forensics *at = &input->view->forensics;
    const struct forensics *forensics = input->facts->forensics;
    const size_t first = forensics->sections[at->section].first;
    const size_t count = forensics->sections[at->section].count;
    struct frame_box lines = lines_box(box);
    struct str title = {0};
    str_addf(&title, "%s%s%s",
             at->right && !canvas->ascii ? "▸ "
             : at->right                 ? "> "
                                         : "",
             forensics_title(at->section), at->top > 0 ? "  (further down)" : "");
    (void)frame_put(canvas, (struct spot){box->row, box->column, box->columns}, STYLE_HEAD,
                    title.data);
    str_done(&title);
    lines.rows -= at->top < at->room.last; /* for the line below */
    int row = lines.row;
    size_t i = at->top;
    for (; i < count && row < lines.row + lines.rows; i++)
        row = draw_line(canvas, &lines, row, forensics, first + i);
    if (i < count && lines.rows > 0) {
        struct str more = {0};
        str_addf(&more, "+%zu line%s below", count - i, count - i == 1 ? "" : "s");
        (void)frame_put_right(canvas,
                              (struct spot){box->row + box->rows - 1, box->column, box->columns},
                              STYLE_LABEL, more.data);
        str_done(&more);
    }
}

/* Why there is nothing to see, where there is nothing. */
static void draw_nothing(struct canvas *canvas, const struct layout *layout,
                         const struct frame_input *input)
{
    const struct forensics *forensics = input->facts->forensics;
    const char *why = forensics ? str_text(&forensics->nothing) : "It could not be read.";
    int column = layout->text.columns > 0 ? layout->text.column : layout->list.column + 1;
    struct frame_box box = {layout->list.row > 0 ? layout->list.row : layout->text.row, column,
                            layout->list.rows > 0 ? layout->list.rows : layout->text.rows,
                            canvas->columns - column};
    size_t at = 0;
    size_t len = strlen(why);
    for (int row = box.row; row < box.row + box.rows && at < len; row++) {
        size_t part = fitting(why + at, len - at, box.columns);
        (void)canvas_text_n(canvas, (struct spot){row, box.column, box.columns}, STYLE_PLAIN,
                            why + at, part);
        at += part;
    }
}

static void draw_footer(struct canvas *canvas, const struct layout *layout,
                        const struct frame_input *input)
{
    static const enum act acts[] = {UI_QUIT,     UI_DOWN,        UI_PANE_NEXT,
                                    UI_TRY_BACK, UI_TRY_FORWARD, UI_HELP};
    static const char *const briefs[UI_ACT_COUNT] = {[UI_QUIT] = "back",
                                                     [UI_DOWN] = "capture",
                                                     [UI_TRY_BACK] = "try before",
                                                     [UI_TRY_FORWARD] = "try after"};
    static const char *const down[UI_ACT_COUNT] = {[UI_QUIT] = "back",
                                                   [UI_DOWN] = "down",
                                                   [UI_TRY_BACK] = "try before",
                                                   [UI_TRY_FORWARD] = "try after"};
    /* The keys for tries are a replay's elsewhere; here they work always. */
    const struct footer footer = {.acts = acts,
                                  .count = ARRAY_LEN(acts),
                                  .mode = KEYMAP_REPLAY,
                                  .briefs = input->view->forensics.right ? down : briefs};
    if (layout->footer < 0)
        return;
    if (layout->message < 0 && input->view->message[0] != '\0')
        frame_message(canvas, layout->footer, input);
    else
        keymap_footer(canvas, layout->footer, &footer);
}

void frame_forensics(struct canvas *canvas, const struct frame_input *input)
{
    const struct forensics *forensics = input->facts->forensics;
    const struct layout layout = lay_out(canvas->rows, canvas->columns, input);
    bool is_there = forensics && forensics->key.attempt > 0;
    draw_path(canvas, input);
    if (forensics)
        draw_row(canvas, layout.head, STYLE_PLAIN, &forensics->head);
    if (layout.rule >= 0)
        canvas_rule(canvas, layout.rule, 0, canvas->columns);
    if (!is_there)
        draw_nothing(canvas, &layout, input);
    if (is_there && layout.list.columns > 0)
        draw_list(canvas, &layout.list, input);
    if (is_there && layout.list.columns > 0 && layout.text.columns > 0)
        draw_divider(canvas, &layout.list);
    if (is_there && layout.text.columns > 0 && layout.text.rows > 0)
        draw_text(canvas, &layout.text, input);
    if (forensics)
        draw_row(canvas, layout.secrets, STYLE_LABEL,
                 is_there && forensics->nothing.len > 0 ? &forensics->nothing
                                                        : &forensics->secrets);
    if (layout.bottom_rule >= 0)
        canvas_rule(canvas, layout.bottom_rule, 0, canvas->columns);
    if (layout.message >= 0)
        frame_message(canvas, layout.message, input);
    if (layout.transport >= 0)
        frame_transport(canvas, layout.transport, input->replay);
    draw_footer(canvas, &layout, input);
}
