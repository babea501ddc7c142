/* frame_overlays.c - overlays of the screen: help, sort menu, command line, report. */
#include <stdio.h>
#include <string.h>

#include "frame.h"
#include "frame_internal.h"
#include "help.h"
#include "report_rows.h"
#include "term.h"
#include "view.h"
#include "view_command.h"

enum {
    HELP_COLUMNS_MAX = 3,
    TITLE_MAX = 120,
    KEYS_WIDTH = 9,
    WORD_WIDTH = 12,
    WIDTH_FOR_TWO = 72,
    WIDTH_FOR_THREE = 120,
    WIDTH_FOR_OWN = 64, /* narrower: `devs keys` is not mentioned */
    COMMAND_WIDTH = 22,
    COMMAND_WIDTH_NARROW = 16, /* maximum width of a command's name in narrow columns */
    ROWS_FOR_FOOT = 8,
    ROWS_FOR_HEAD = 4,
};

/* Position of each line, as a row number that counts through all columns and pages. */
struct layout {
    int rows, columns; /* rows and columns of a page */
    int places[HELP_LINES_MAX];
    int heads[HELP_LINES_MAX]; /* position of the group's heading above this line; -1 = none */
    int end;                   /* first position after the last line */
};

/* The help to draw, and the page that is shown. */
struct sheet {
    struct help_lines lines;
    struct layout layout;
    int page, chosen;
};

/* Puts the lines into columns of `rows` rows, with an empty row before each heading except at the
 * top of a column, and never a heading alone at the bottom of a column. */
static void lay_out_help(const struct help_lines *lines, int rows, struct layout *out)
{
    int place = 0;
    out->rows = rows;
    for (int i = 0; i < lines->count; i++) {
        out->heads[i] = -1;
        if (help_lines_starts_group(lines, i) && rows > 1) {
            if (place % rows != 0)
                place++;
            if (place % rows == rows - 1)
                place++;
            out->heads[i] = place++;
        }
        out->places[i] = place++;
    }
    out->end = place;
}

/* If all lines fit on one page, balances its columns. */
static void fit_help(const struct help_lines *lines, int rows, struct layout *out)
{
    for (int i = 2; i < rows; i++) {
        lay_out_help(lines, i, out);
        if (out->end <= i * out->columns)
            return;
    }
    lay_out_help(lines, rows, out);
}

static void draw_head(const struct help *help, struct canvas *canvas, const char *screen)
{
    static const char hint_utf8[] = "type to find, ⏎ runs, Esc closes";
    static const char hint_ascii[] = "type to find, Enter runs, Esc closes";
    const char *hint = canvas->ascii ? hint_ascii : hint_utf8;
    int hint_width = (int)strlen(hint_ascii) - (canvas->ascii ? 0 : 4);

    char title[TITLE_MAX];
    (void)snprintf(title, sizeof(title), "Help: %s", screen);
    int used = 1 + canvas_text(canvas, (struct spot){0, 1, canvas->columns - 1}, STYLE_HEAD, title);
    int column = canvas->columns - hint_width - 1;
    if (column > used + 1)
        canvas_text(canvas, (struct spot){0, column, hint_width}, STYLE_HEAD, hint);

    canvas_rule(canvas, 1, 0, canvas->columns);
    struct line_edit find = help->find;
    int from = 2;
    from += canvas_text(canvas, (struct spot){1, from, 6}, STYLE_LABEL, " find:");
    struct spot spot = {1, from, canvas->columns - from - 4};
    used = canvas_text(canvas, spot, STYLE_PLAIN, " ");
    spot.column += used;
    used = canvas_text_n(canvas, spot, STYLE_MATCH, find.text, find.len);
    canvas->cursor_row = 1;
    canvas->cursor_column = spot.column + used;
    canvas_text(canvas, (struct spot){1, canvas->cursor_column, 2}, STYLE_PLAIN, "  ");
}

/* Returns why the selected line has no effect at present, or NULL. */
static const char *refusal_of(const struct help *help, const struct help_about *about,
                              const struct help_line *line)
{
    if (!line->binding)
        return NULL;
    if (!keymap_works(line->binding, help->place))
        return keymap_refusal(line->binding, help->place);
    return about->refusals ? about->refusals[line->binding->act] : NULL;
}

static void draw_foot(const struct help *help, struct canvas *canvas, const char *refusal,
                      const char *pages)
{
    int row = canvas->rows - 2;
    struct str text = {0};
    canvas_rule(canvas, row, 0, canvas->columns);
    struct spot spot = {row + 1, 1, canvas->columns - 1};
    if (refusal) {
        str_add(&text, "not now: ");
        keymap_say(help->keys, refusal, &text);
    } else {
        str_addf(&text, "%s PgDn Tab choose   %s%s", canvas->ascii ? "Up Down" : "↑ ↓", pages,
                 canvas->columns >= WIDTH_FOR_OWN ? "   own keys: devs keys" : "");
    }
    canvas_text(canvas, spot, refusal ? STYLE_PROMPT : STYLE_PLAIN, str_text(&text));
    str_done(&text);
}

/* Returns the canvas spot of a position on the current page. */
static struct spot place_spot(const struct layout *layout, const struct canvas *canvas, int top,
                              int place)
{
    int width = canvas->columns / layout->columns;
    int in_page = place % (layout->rows * layout->columns);
    int column = in_page / layout->rows;
    return (struct spot){top + in_page % layout->rows, column * width, width - 1};
}

static void draw_help_line(struct canvas *canvas, struct spot spot, const struct help_line *line,
                           const char *refusal)
{
    const int end = spot.column + spot.width;
    int names = WORD_WIDTH - 2; /* width of the name on the left */
    if (line->binding)
        names = KEYS_WIDTH;
    else if (line->command)
        names = spot.width < 2 * COMMAND_WIDTH ? COMMAND_WIDTH_NARROW : COMMAND_WIDTH;
    spot.column += 2;
    if (!line->binding && !line->command) {
        spot.width = 1;
        canvas_text(canvas, spot, STYLE_KEY, shown_sign(line->sign, canvas->ascii));
        spot.column += 2;
    }
    spot.width = names;
    bool pretty = line->binding && !canvas->ascii;
    canvas_text(canvas, spot, refusal ? STYLE_DEAD : STYLE_KEY,
                pretty ? line->keys : help_line_name(line));
    spot.column += names + 1;
    spot.width = end - spot.column;
    canvas_text(canvas, spot, refusal ? STYLE_DEAD : STYLE_PLAIN, help_line_words(line));
}

static void draw_lines(const struct help *help, struct canvas *canvas, int top,
                       const struct help_about *about, const struct sheet *sheet)
{
    const struct layout *layout = &sheet->layout;
    const int page_size = layout->rows * layout->columns;
    for (int i = 0; i < sheet->lines.count; i++) {
        const struct help_line *line = &sheet->lines.at[i];
        const int head = layout->heads[i];
        if (head >= 0 && head / page_size == sheet->page) {
            char title[TITLE_MAX];
            const bool aimed =
                line->binding && line->binding->group == KEYS_ACT && about->target[0];
            (void)snprintf(title, sizeof(title), "%s%s%s", help_line_group(line),
                           aimed ? " on " : "", aimed ? about->target : "");
            const struct spot spot = place_spot(layout, canvas, top, head);
            canvas_text(canvas, (struct spot){spot.row, spot.column + 1, spot.width - 1},
                        STYLE_LABEL, title);
        }
        if (layout->places[i] / page_size != sheet->page)
            continue;
        const struct spot spot = place_spot(layout, canvas, top, layout->places[i]);
        draw_help_line(canvas, spot, line, refusal_of(help, about, line));
        if (i == sheet->chosen) {
            canvas_text(canvas, (struct spot){spot.row, spot.column, 1}, STYLE_PLAIN, "▸");
            canvas_choose(canvas, spot.row, spot.column, spot.width);
        }
    }
    for (int column = 1; column < layout->columns; column++) {
        int at = column * (canvas->columns / layout->columns) - 1;
        for (int row = 0; row < layout->rows; row++)
            canvas_text(canvas, (struct spot){top + row, at, 1}, STYLE_RULE, "│");
    }
}

void help_draw(const struct help *help, struct canvas *canvas, const struct help_about *about)
{
    struct sheet sheet;
    struct layout *layout = &sheet.layout;
    char pages[KEY_NAME_MAX * 2];
    canvas_clear(canvas);
    int top = canvas->rows >= ROWS_FOR_HEAD ? 2 : 0;
    int foot = canvas->rows >= ROWS_FOR_FOOT ? 2 : 0;
    layout->columns = 1;
    if (canvas->columns >= WIDTH_FOR_THREE)
        layout->columns = HELP_COLUMNS_MAX;
    else if (canvas->columns >= WIDTH_FOR_TWO)
        layout->columns = 2;
    help_lines_find(help, &sheet.lines);
    fit_help(&sheet.lines, canvas->rows - top - foot, layout);

    const bool is_found = sheet.lines.count > 0;
    const int page_size = layout->rows * layout->columns;
    const int count = is_found ? (layout->end - 1) / page_size + 1 : 1;
    sheet.chosen = help->chosen < sheet.lines.count ? help->chosen : sheet.lines.count - 1;
    sheet.page = is_found ? layout->places[sheet.chosen] / page_size : 0;
    (void)snprintf(pages, sizeof(pages), "page %d of %d", sheet.page + 1, count);
    if (top > 0)
        draw_head(help, canvas, about->screen);
    if (foot > 0)
        draw_foot(help, canvas,
                  is_found ? refusal_of(help, about, &sheet.lines.at[sheet.chosen]) : NULL, pages);
    if (is_found)
        draw_lines(help, canvas, top, about, &sheet);
    else
        canvas_text(canvas, (struct spot){top, 2, canvas->columns - 2}, STYLE_PLAIN,
                    "no key does that; Esc closes");
}

enum { MENU_GAP = 2 };

/* Lays out the menu's items; rows wrap at the canvas width. Returns the number of rows. */
static int lay_out_orders(const struct canvas *canvas, int rows[ORDER_COUNT + 1],
                          int columns[ORDER_COUNT + 1])
{
    int row = 0;
    int column = 1 + (int)strlen("order") + MENU_GAP;
    for (enum order_by by = 0; by <= ORDER_COUNT; by++) {
        const char *name = by < ORDER_COUNT ? view_order_name(by) : "Esc close";
        const int width = (int)strlen(name) + (by < ORDER_COUNT ? 3 : 0);
        if (column + width > canvas->columns && column > 1) {
            row++;
            column = 1;
        }
        rows[by] = row;
        columns[by] = column;
        column += width + MENU_GAP - 1;
    }
    return row + 1;
}

void view_order_draw(const struct view *view, struct canvas *canvas)
{
    int rows[ORDER_COUNT + 1];
    int columns[ORDER_COUNT + 1];
    const int count = lay_out_orders(canvas, rows, columns);
    const int top = canvas->rows > count ? canvas->rows - count : 0;
    for (int row = top; row < canvas->rows; row++)
        canvas_blank_row(canvas, row, STYLE_PLAIN);
    (void)canvas_text(canvas, (struct spot){top, 1, canvas->columns - 1}, STYLE_PROMPT, "order");
    for (enum order_by by = 0; by < ORDER_COUNT; by++) {
        const struct spot at = {top + rows[by], columns[by], (int)strlen(view_order_name(by)) + 3};
        const char digit[] = {(char)('1' + by), '\0'};
        if (by == view->sorted.at) {
            (void)canvas_text(canvas, (struct spot){at.row, at.column, 1}, STYLE_PLAIN, "▸");
            canvas_choose(canvas, at.row, at.column, at.width);
        }
        (void)canvas_text(canvas, (struct spot){at.row, at.column + 1, 1}, STYLE_KEY, digit);
        (void)canvas_text(canvas, (struct spot){at.row, at.column + 3, at.width - 3}, STYLE_PROMPT,
                          view_order_name(by));
        canvas_add_zone(canvas, at, (uint32_t)digit[0]);
    }
    const struct spot end = {top + rows[ORDER_COUNT], columns[ORDER_COUNT], 9};
    (void)canvas_text(canvas, end, STYLE_PROMPT, "Esc close");
    canvas_add_zone(canvas, end, TERM_KEY_ESC);
}

enum { GAP = 2 };

/* Draws the possible completions, or what the command does. */
static void draw_command_hint(const struct view *view, const struct view_facts *facts,
                              struct canvas *canvas, int row)
{
    const struct command_row *command = view_command_in(view->command.line.text);
    struct completions found;
    int column = 1;
    view_complete(view, facts, &found);
    canvas_blank_row(canvas, row, STYLE_PLAIN);
    for (int i = 0; i < found.count && column < canvas->columns - 1; i++) {
        const struct spot spot = {row, column, canvas->columns - column - 1};
        column += canvas_text(canvas, spot, STYLE_KEY, found.lines[i] + found.from) + GAP;
    }
    if (found.count == 0 && command) {
        char text[LINE_EDIT_MAX];
        (void)snprintf(text, sizeof(text), "%s %s  %s", command->name, command->argument,
                       command->words);
        (void)canvas_text(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_LABEL, text);
    }
}

void view_command_draw(const struct view *view, const struct view_facts *facts,
                       struct canvas *canvas)
{
    if (canvas->rows > 2)
        draw_command_hint(view, facts, canvas, canvas->rows - 2);
    line_edit_draw(&view->command.line, canvas, canvas->rows - 1, ":");
}

enum { ROWS_AROUND = 3, ROWS_MIN = 1 }; /* heading, divider line and keys */

int frame_report_rows(int canvas_rows, size_t rows)
{
    const int room = canvas_rows - ROWS_AROUND;
    if (room < ROWS_MIN)
        return ROWS_MIN;
    return rows < (size_t)room ? (int)rows : room;
}

static void draw_report_rule(struct canvas *canvas, int row, const struct frame_input *input)
{
    const struct view_report *report = &input->view->report;
    static const char *const titles[] = {[REPORT_NONE] = "",
                                         [REPORT_COMPARE] = "two tries  ({compare})",
                                         [REPORT_WHAT_IF] = "what if  ({compare})",
                                         [REPORT_BUNDLE] = "one file to share  ({bundle})"};
    struct str title = {0};
    struct str note = {0};
    frame_say(input, titles[report->kind], &title);
    if (report->last > 0)
        str_addf(&note, "%d to %d of %zu", report->top + 1, report->top + report->page,
                 input->facts->report->count);
    frame_rule(canvas, (struct spot){row, 0, canvas->columns}, str_text(&title), str_text(&note));
    str_done(&title);
    str_done(&note);
}

void frame_report(struct canvas *canvas, const struct frame_input *input)
{
    static const enum style styles[] = {
        [REPORT_ROW_PLAIN] = STYLE_PLAIN,  [REPORT_ROW_HEAD] = STYLE_HEAD,
        [REPORT_ROW_DIFFERS] = STYLE_KEY,  [REPORT_ROW_FOLD] = STYLE_LABEL,
        [REPORT_ROW_SAME] = STYLE_PLAIN,   [REPORT_ROW_REMOVED] = STYLE_FAILED,
        [REPORT_ROW_ADDED] = STYLE_PASSED,
    };
    const struct view_report *report = &input->view->report;
    const struct report_rows *rows = input->facts->report;
    const int last = canvas->rows - 1;
    const int first = last - report->page;
    if (first >= 1)
        draw_report_rule(canvas, first - 1, input);
    for (int i = 0; i < report->page; i++) {
        const size_t index = (size_t)report->top + (size_t)i;
        canvas_blank_row(canvas, first + i, STYLE_PLAIN);
        if (index >= rows->count)
            continue;
        const struct report_row *row = &rows->items[index];
        (void)canvas_text_n(canvas, (struct spot){first + i, 0, canvas->columns}, styles[row->mark],
                            rows->text.data + row->start, row->len);
    }
    struct str keys = {0};
    if (report->kind == REPORT_BUNDLE)
        str_add(&keys, "y write   ");
    frame_say(input, "{back} close   {down} {up} {page-down} {page-up} scroll", &keys);
    canvas_blank_row(canvas, last, STYLE_PLAIN);
    (void)frame_put(canvas, (struct spot){last, 1, canvas->columns - 1}, STYLE_LABEL,
                    str_text(&keys));
    str_done(&keys);
}
