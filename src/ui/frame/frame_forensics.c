/* frame_forensics.c - the Forensics screen: sections on the left, the lines of the selected section
 * on the right. */
#include <string.h>

#include "frame.h"
#include "frame_internal.h"
#include "lines.h"
#include "shown.h"
#include "text.h"

enum { HANG_PART = 3 }; /* continuation rows are indented by at most 1/3 of the columns */

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

/* The part of a line that one row shows. */
struct part {
    const char *text;
    size_t left; /* remaining bytes of the line */
    size_t len;  /* bytes shown in this row */
    int indent, hang;
};

static struct part first_part(const struct forensics *forensics, size_t index, int columns)
{
    const struct forensics_line *line = &forensics->lines[index];
    struct part part = {.text = forensics_line(forensics, index), .left = line->len};
    part.hang = line->hang < columns / HANG_PART ? line->hang : columns / HANG_PART;
    part.indent = line->is_rest ? part.hang : 0;
    part.len = line_wrap_fit(part.text, part.left, columns - part.indent);
    return part;
}

/* Moves to the next part. Returns false after the last one. */
static bool next_part(struct part *part, int columns)
{
    part->text += part->len;
    part->left -= part->len;
    part->indent = part->hang;
    part->len = line_wrap_fit(part->text, part->left, columns - part->indent);
    return part->left > 0;
}

/* Draws the label and the value. If the value does not fit, leaves out explanations: "1:47, until
 * 13:56:01" becomes "1:47", "no (memory.events...)" becomes "no". */
static void draw_brief(struct canvas *canvas, struct spot spot, const struct forensics *forensics,
                       size_t index)
{
    const struct forensics_line *line = &forensics->lines[index];
    const char *text = forensics_line(forensics, index);
    struct spot value = {spot.row, spot.column + FORENSICS_LABEL_COLUMNS,
                         spot.width - FORENSICS_LABEL_COLUMNS};
    if (line->hang != FORENSICS_LABEL_COLUMNS || line->len <= FORENSICS_LABEL_COLUMNS) {
        (void)canvas_text_n(canvas, spot, style_of(line->mark), text, line->len);
        return;
    }
    (void)canvas_text_n(canvas, (struct spot){spot.row, spot.column, FORENSICS_LABEL_COLUMNS},
                        STYLE_PLAIN, text, FORENSICS_LABEL_COLUMNS);
    text += FORENSICS_LABEL_COLUMNS;
    size_t len = line->len - FORENSICS_LABEL_COLUMNS;
    const bool fits = text_width(text, len) <= value.width;
    if (!fits && line->mark == FORENSICS_LACKS) {
        (void)canvas_text(canvas, value, STYLE_PLAIN, "—");
        return;
    }
    for (size_t i = 1; i < len && !fits; i++) {
        const bool is_list = text[i] == ',';
        const bool is_aside = text[i] == ' ' && i + 1 < len && text[i + 1] == '(';
        if (is_list || is_aside)
            len = i;
    }
    (void)canvas_text_n(canvas, value, STYLE_PLAIN, text, len);
}

enum {
    PANES_COLUMNS = 60, /* narrower: either list or text */
    PANES_ROWS = 8,
    LIST_COLUMNS = 24,
    LIST_COLUMNS_NARROW = 19, /* width of names without their notes */
    LIST_NARROW = 72,         /* narrower screens use LIST_COLUMNS_NARROW */
    LIST_COLUMNS_WIDE = 34,
};

/* Position of each part; -1 for rows that are not shown. */
struct layout {
    struct frame_page page;
    struct frame_box list, text; /* columns 0: not shown */
    int head, rule;
    int secrets; /* row of the number of redacted secrets, or of why nothing was captured */
};

static struct layout lay_out(int rows, int columns, const struct frame_input *input)
{
    const struct forensics *forensics = input->facts->forensics;
    struct layout out = {.page = frame_page_lay(rows, columns, input), .secrets = -1};
    struct frame_box body = out.page.body;
    const bool has_secrets =
        forensics && (forensics->nothing.len > 0 || forensics->secrets.len > 0);
    if (rows >= PAGE_MESSAGE_ROWS && has_secrets)
        out.secrets = body.row + --body.rows;
    int top = body.row;
    out.head = rows > 2 ? top++ : -1;
    out.rule = rows >= PANES_ROWS ? top++ : -1;

    const int room = body.rows - (top - body.row) > 0 ? body.rows - (top - body.row) : 0;
    const bool both = columns >= PANES_COLUMNS && rows >= PANES_ROWS;
    int list = LIST_COLUMNS;
    if (columns >= PAGE_WIDE_COLUMNS)
        list = LIST_COLUMNS_WIDE;
    else if (columns < LIST_NARROW)
        list = LIST_COLUMNS_NARROW;
    if (both) {
        out.list = (struct frame_box){top, 0, room, list};
        out.text = (struct frame_box){top, list + 2, room, columns - list - 2};
    } else if (input->view->forensics.right) {
        out.text = (struct frame_box){top, 1, room, columns - 1};
    } else {
        out.list = (struct frame_box){top, 0, room, columns};
    }
    return out;
}

/* Returns the box of the lines, below the title. */
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
        struct part part = first_part(forensics, first + room.last - 1, lines.columns);
        do
            used++;
        while (next_part(&part, lines.columns));
        if (used > lines.rows)
            break;
    }
    const size_t count = forensics->sections[input->view->forensics.section].count;
    if (room.last > 0 && room.last == count)
        room.last--; /* the last line is taller than the box: show at least its start */
    return room;
}

static void draw_row(struct canvas *canvas, int row, enum style style, const struct str *text)
{
    if (row >= 0 && text->len > 0)
        (void)frame_put(canvas, (struct spot){row, 1, canvas->columns - 1}, style, text->data);
}

/* Draws an entry such as "▸ 1 verdict      exit 1". */
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
    str_addf(&text, "%s%2d %s", is_chosen ? ("▸") : " ", (int)section + 1, forensics_name(section));
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

/* Draws the sections, and below them, if there is room, a summary of how the attempt ended. */
static void draw_list(struct canvas *canvas, const struct frame_box *box,
                      const struct frame_input *input)
{
    enum { HEAD_ROWS = 2, LINES_MIN = 3 };
    const struct forensics *forensics = input->facts->forensics;
    const int end = box->row + box->rows;
    int first = (int)input->view->forensics.section - box->rows + 1;
    for (int i = first > 0 ? first : 0; i < FORENSICS_SECTION_COUNT; i++) {
        int row = box->row + i - (first > 0 ? first : 0);
        if (row >= end)
            return;
        draw_entry(canvas, (struct spot){row, box->column, box->columns}, input,
                   (enum forensics_section)i);
        const struct canvas_zone zone = {.spot = {row, box->column, box->columns},
                                         .rows = 1,
                                         .kind = ZONE_ITEM,
                                         .value = (uint32_t)i};
        canvas_add_area(canvas, &zone);
    }

    size_t index = forensics->sections[FORENSICS_END].first;
    const size_t end_index = index + forensics->sections[FORENSICS_END].count;
    int row = box->row + FORENSICS_SECTION_COUNT + 1;
    if (row + HEAD_ROWS + LINES_MIN > end || !forensics->sections[FORENSICS_END].there)
        return;
    (void)frame_put(canvas, (struct spot){row++, 1, box->columns - 1}, STYLE_HEAD,
                    forensics_title(FORENSICS_END));
    for (; index < end_index && row < end; index++)
        draw_brief(canvas, (struct spot){row++, 1, box->columns - 1}, forensics, index);
}

/* Draws the title, the lines from the view's scroll position on, and how many lines follow. */
static void draw_text(struct canvas *canvas, const struct frame_box *box,
                      const struct frame_input *input)
{
    const struct view_forensics *at = &input->view->forensics;
    const struct forensics *forensics = input->facts->forensics;
    const size_t first = forensics->sections[at->section].first;
    const size_t count = forensics->sections[at->section].count;
    struct frame_box lines = lines_box(box);
    struct str title = {0};
    str_addf(&title, "%s%s%s", at->right ? "▸ " : "", forensics_title(at->section),
             at->top > 0 ? "  (further down)" : "");
    (void)frame_put(canvas, (struct spot){box->row, box->column, box->columns}, STYLE_HEAD,
                    title.data);
    str_done(&title);
    lines.rows -= at->top < at->room.last; /* makes room for "+3 lines below" */
    int row = lines.row;
    size_t i = at->top;
    for (; i < count && row < lines.row + lines.rows; i++) {
        const enum style style = style_of(forensics->lines[first + i].mark);
        struct part part = first_part(forensics, first + i, lines.columns);
        do {
            const struct spot spot = {row, lines.column + part.indent, lines.columns - part.indent};
            (void)canvas_text_n(canvas, spot, style, part.text, part.len);
            row++;
        } while (next_part(&part, lines.columns) && row < lines.row + lines.rows);
    }
    if (i < count && lines.rows > 0) {
        struct str more = {0};
        str_add_char(&more, '+');
        shown_count((int64_t)(count - i), "line below", "lines below", &more);
        (void)frame_put_right(canvas,
                              (struct spot){box->row + box->rows - 1, box->column, box->columns},
                              STYLE_LABEL, more.data);
        str_done(&more);
    }
}

/* If there is nothing to show, draws why. */
static void draw_nothing(struct canvas *canvas, const struct layout *layout,
                         const struct frame_input *input)
{
    const struct forensics *forensics = input->facts->forensics;
    const char *why = forensics ? str_text(&forensics->nothing) : "Cannot read the captures.";
    int column = layout->text.columns > 0 ? layout->text.column : layout->list.column + 1;
    struct frame_box box = {layout->list.row > 0 ? layout->list.row : layout->text.row, column,
                            layout->list.rows > 0 ? layout->list.rows : layout->text.rows,
                            canvas->columns - column};
    size_t at = 0;
    size_t len = strlen(why);
    for (int row = box.row; row < box.row + box.rows && at < len; row++) {
        size_t part = line_wrap_fit(why + at, len - at, box.columns);
        (void)canvas_text_n(canvas, (struct spot){row, box.column, box.columns}, STYLE_PLAIN,
                            why + at, part);
        at += part;
    }
}

/* Draws "Tasks > T-104 > try 3 > forensics" at the top, and the keys. */
static void draw_page(struct canvas *canvas, const struct layout *layout,
                      const struct frame_input *input)
{
    static const enum act acts[] = {UI_QUIT,     UI_DOWN,        UI_UP,     UI_PANE_NEXT,
                                    UI_TRY_BACK, UI_TRY_FORWARD, UI_BUNDLE, UI_HELP};
    static const char *const briefs[UI_ACT_COUNT] = {[UI_QUIT] = "back",
                                                     [UI_DOWN] = "",
                                                     [UI_UP] = "capture",
                                                     [UI_TRY_BACK] = "",
                                                     [UI_TRY_FORWARD] = "try"};
    static const char *const down[UI_ACT_COUNT] = {[UI_QUIT] = "back",
                                                   [UI_DOWN] = "",
                                                   [UI_UP] = "scroll",
                                                   [UI_TRY_BACK] = "",
                                                   [UI_TRY_FORWARD] = "try"};
    const struct frame_keys keys = {.acts = acts,
                                    .count = ARRAY_LEN(acts),
                                    .briefs = input->view->forensics.right ? down : briefs};
    struct str path = {0};
    frame_add_try(input, canvas->columns, &path);
    str_add(&path, canvas->columns >= PAGE_PATH_COLUMNS ? " > forensics" : "");
    frame_page_draw(canvas, &layout->page, input, str_text(&path), &keys);
    str_done(&path);
}

/* Appends why there is no capture; for a running try, also the key that shows the previous one. */
static void add_why_nothing(const struct frame_input *input, struct str *out)
{
    const struct run_state *state = input->facts->state;
    const struct view_try at = view_try_now(input->view, state);
    const struct attempt_state *attempt = view_try_state(state, &at);
    str_add(out, str_text(&input->facts->forensics->nothing));
    if (!attempt || attempt->ended.mono_ms != 0 || attempt->number < 2)
        return;
    frame_say(input, " {try-back}", out);
    str_addf(out, " shows try %d.", attempt->number - 1);
}

void frame_forensics(struct canvas *canvas, const struct frame_input *input)
{
    const struct forensics *forensics = input->facts->forensics;
    const struct layout layout = lay_out(canvas->rows, canvas->columns, input);
    bool is_there = forensics && forensics->key.attempt > 0;
    draw_page(canvas, &layout, input);
    if (forensics)
        draw_row(canvas, layout.head, STYLE_PLAIN, &forensics->head);
    if (layout.rule >= 0)
        canvas_rule(canvas, layout.rule, 0, canvas->columns);
    if (!is_there)
        draw_nothing(canvas, &layout, input);
    frame_pane_zone(canvas, &layout.text, VIEW_FORENSICS_TEXT);
    if (is_there && layout.list.columns > 0)
        draw_list(canvas, &layout.list, input);
    if (is_there && layout.list.columns > 0 && layout.text.columns > 0)
        canvas_upright(canvas, layout.list.row, layout.list.column + layout.list.columns,
                       layout.list.rows);
    if (is_there && layout.text.columns > 0 && layout.text.rows > 0)
        draw_text(canvas, &layout.text, input);
    struct str nothing = {0};
    if (is_there && forensics->nothing.len > 0)
        add_why_nothing(input, &nothing);
    if (forensics)
        draw_row(canvas, layout.secrets, STYLE_LABEL,
                 nothing.len > 0 ? &nothing : &forensics->secrets);
    str_done(&nothing);
}
