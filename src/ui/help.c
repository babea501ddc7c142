#include "help.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "shown.h"
#include "term.h"

enum {
    HELP_LINES_MAX = 64,
    HELP_COLUMNS_MAX = 3,
    HELP_JUMP = 10, /* lines of a page key */
    KEYS_TEXT_MAX = 3 * KEY_NAME_MAX,
    TITLE_MAX = 120,
    KEYS_WIDTH = 8,
    WORD_WIDTH = 12,
    WIDTH_FOR_TWO = 72,
    WIDTH_FOR_THREE = 120,
    ROWS_FOR_FOOT = 8,
    ROWS_FOR_HEAD = 4,
    CTRL_D = 0x04,
    CTRL_U = 0x15,
};

/* A line one can choose: an act with its keys, or a sign and what it means. */
struct line {
    const struct key_binding *binding; /* NULL: a sign */
    enum shown sign;
    char keys[KEYS_TEXT_MAX];
    char ascii[KEYS_TEXT_MAX]; /* the keys as they are typed when one looks for them */
};

/* The lines that match what was typed, in order. */
struct lines {
    struct line at[HELP_LINES_MAX];
    int count;
};

/* Where each line goes: its place counts rows, column after column, page after page. */
struct layout {
    int rows, columns; /* of a page */
    int places[HELP_LINES_MAX];
    int heads[HELP_LINES_MAX]; /* place of the group's head above it, -1 = none */
    int end;                   /* first place behind the last line */
};

static const char *const sign_words[] = {
    [SHOWN_NEEDS_YOU] = "only a person helps",  [SHOWN_BACKOFF] = "waits for its next try",
    [SHOWN_RUNNING] = "its process is alive",   [SHOWN_QUIET] = "runs, no output for long",
    [SHOWN_QUEUED] = "waits for its turn",      [SHOWN_HELD] = "a person holds it",
    [SHOWN_PASSED] = "all phases proven",       [SHOWN_GAVE_UP] = "all tries are used up",
    [SHOWN_CANCELLED] = "by a person",          [SHOWN_STUCK] = "goes in circles, or may",
    [SHOWN_BLOCKED] = "a task it needs failed", [SHOWN_LOST] = "its end was not seen",
};
static_assert(ARRAY_LEN(sign_words) == SHOWN_COUNT, "every sign has its words");

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_with(const char *text, const char *want)
{
    while (*want && lower(*text) == lower(*want)) {
        text++;
        want++;
    }
    return *want == '\0';
}

static bool contains(const char *text, const char *want)
{
    for (; *text; text++) {
        if (starts_with(text, want))
            return true;
    }
    return *want == '\0';
}

static const char *line_words(const struct line *line)
{
    return line->binding ? line->binding->words : sign_words[line->sign];
}

static const char *line_group(const struct line *line)
{
    return line->binding ? keymap_group_name(line->binding->group) : "SIGNS";
}

static const char *line_name(const struct line *line)
{
    return line->binding ? line->ascii : shown_word(line->sign);
}

/* Add the line if it matches. */
static void add_line(struct lines *lines, const struct line *line, const char *find)
{
    bool found = contains(line_words(line), find) || contains(line_name(line), find) ||
                 contains(line_group(line), find);
    if (!found)
        return;
    assert(lines->count < HELP_LINES_MAX);
    lines->at[lines->count++] = *line;
}

static void add_name(char keys[KEYS_TEXT_MAX], uint32_t key, bool ascii)
{
    char name[KEY_NAME_MAX];
    keymap_key_name(key, ascii, name);
    size_t len = strlen(keys);
    (void)snprintf(keys + len, KEYS_TEXT_MAX - len, "%s%s", len > 0 ? " " : "", name);
}

static void find_lines(const struct help *help, struct lines *out)
{
    const char *find = help->find.text;
    struct line line = {.binding = NULL};
    out->count = 0;
    for (size_t i = 0; i < help->keys->count; i++) {
        const struct key_binding *binding = &help->keys->rows[i];
        if (!keymap_works(binding, help->place))
            continue;
        if (line.binding && line.binding->act != binding->act)
            add_line(out, &line, find);
        if (!line.binding || line.binding->act != binding->act)
            line = (struct line){.binding = binding};
        add_name(line.keys, binding->key, false);
        add_name(line.ascii, binding->key, true);
    }
    if (line.binding)
        add_line(out, &line, find);
    for (enum shown sign = 0; sign < SHOWN_COUNT; sign++)
        add_line(out, &(struct line){.sign = sign}, find);
}

static bool starts_group(const struct lines *lines, int i)
{
    return i == 0 || strcmp(line_group(&lines->at[i]), line_group(&lines->at[i - 1])) != 0;
}

/* Lay the lines out in columns of so many rows: a blank before a head, none at the
 * top of a column, and no head alone at the bottom of one. */
static void lay_out(const struct lines *lines, int rows, struct layout *out)
{
    int place = 0;
    out->rows = rows;
    for (int i = 0; i < lines->count; i++) {
        out->heads[i] = -1;
        if (starts_group(lines, i) && rows > 1) {
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

/* If all lines fit on one page, make its columns equally high. */
static void fit(const struct lines *lines, int rows, struct layout *out)
{
    for (int i = 2; i < rows; i++) {
        lay_out(lines, i, out);
        if (out->end <= i * out->columns)
            return;
    }
    lay_out(lines, rows, out);
}

static void choose_in_bounds(struct help *help, int chosen, int count)
{
    if (chosen >= count)
        chosen = count - 1;
    help->chosen = chosen < 0 ? 0 : chosen;
}

/* First line of the next (or previous) group. */
static int other_group(const struct lines *lines, int from, int step)
{
    int i = from + step;
    while (i > 0 && i < lines->count && !starts_group(lines, i))
        i += step;
    return i < lines->count ? i : from;
}

/* Where a key moves the choice to; `count` and more or less than 0 are cut later. */
static bool move_choice(const struct help *help, const struct lines *lines, uint32_t key, int *out)
{
    switch (key) {
    case TERM_KEY_DOWN:
        *out = help->chosen + 1;
        return true;
    case TERM_KEY_UP:
        *out = help->chosen - 1;
        return true;
    case TERM_KEY_PAGE_DOWN:
    case CTRL_D:
        *out = help->chosen + HELP_JUMP;
        return true;
    case TERM_KEY_PAGE_UP:
    case CTRL_U:
        *out = help->chosen - HELP_JUMP;
        return true;
    case TERM_KEY_HOME:
        *out = 0;
        return true;
    case TERM_KEY_END:
        *out = lines->count - 1;
        return true;
    case TERM_KEY_TAB:
        *out = other_group(lines, help->chosen, 1);
        return true;
    case TERM_KEY_BACK_TAB:
        *out = other_group(lines, help->chosen, -1);
        return true;
    default:
        return false;
    }
}

static enum act run_chosen(struct help *help, const struct lines *lines)
{
    if (help->chosen >= lines->count || !lines->at[help->chosen].binding)
        return UI_NONE;
    help->open = false;
    return lines->at[help->chosen].binding->act;
}

void help_open(struct help *help, const struct keymap *keys, struct key_place place)
{
    *help = (struct help){.open = true, .keys = keys, .place = place};
    line_edit_open(&help->find);
}

enum act help_key(struct help *help, uint32_t key)
{
    if (!help->open)
        return UI_NONE;
    struct lines lines;
    find_lines(help, &lines);

    int chosen = 0;
    if (key == TERM_KEY_ENTER)
        return run_chosen(help, &lines);
    if (key == TERM_KEY_ESC || key == TERM_KEY_F1 || (key == '?' && help->find.len == 0)) {
        help->open = false;
        return UI_NONE;
    }
    if (move_choice(help, &lines, key, &chosen)) {
        choose_in_bounds(help, chosen, lines.count);
        return UI_NONE;
    }
    size_t len = help->find.len;
    (void)line_edit_key(&help->find, key);
    if (help->find.len != len)
        help->chosen = 0;
    return UI_NONE;
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

static void draw_foot(struct canvas *canvas)
{
    int row = canvas->rows - 2;
    canvas_rule(canvas, row, 0, canvas->columns);
    struct spot spot = {row + 1, 1, canvas->columns - 1};
    canvas_text(canvas, spot, STYLE_PLAIN,
                canvas->ascii ? "Up Down Tab choose   PgDn page   devs keys prints the table"
                              : "↑ ↓ Tab choose   PgDn page   devs keys prints the table");
}

/* The box that a place of the present page is drawn in. */
static struct spot place_spot(const struct layout *layout, const struct canvas *canvas, int top,
                              int place)
{
    int width = canvas->columns / layout->columns;
    int in_page = place % (layout->rows * layout->columns);
    int column = in_page / layout->rows;
    return (struct spot){top + in_page % layout->rows, column * width, width - 1};
}

static void draw_group(struct canvas *canvas, struct spot spot, const struct line *line,
                       const char *target)
{
    char title[TITLE_MAX];
    bool aimed = line->binding && line->binding->group == KEYS_ACT && target[0];
    (void)snprintf(title, sizeof(title), "%s%s%s", line_group(line), aimed ? " on " : "",
                   aimed ? target : "");
    spot.column += 1;
    spot.width -= 1;
    canvas_text(canvas, spot, STYLE_LABEL, title);
}

static void draw_line(struct canvas *canvas, struct spot spot, const struct line *line, bool chosen)
{
    if (chosen) {
        canvas_text(canvas, (struct spot){spot.row, spot.column, 1}, STYLE_PLAIN, "▸");
        canvas_choose(canvas, spot.row, spot.column, spot.width);
    }
    int end = spot.column + spot.width;
    spot.column += 2;
    int name_width = KEYS_WIDTH;
    if (!line->binding) {
        spot.width = 1;
        canvas_text(canvas, spot, STYLE_KEY, shown_sign(line->sign, canvas->ascii));
        spot.column += 2;
        name_width = WORD_WIDTH - 2;
    }
    spot.width = name_width;
    bool pretty = line->binding && !canvas->ascii;
    canvas_text(canvas, spot, STYLE_KEY, pretty ? line->keys : line_name(line));
    spot.column += name_width + 1;
    spot.width = end - spot.column;
    canvas_text(canvas, spot, STYLE_PLAIN, line_words(line));
}

static int columns_for(int width)
{
    if (width >= WIDTH_FOR_THREE)
        return HELP_COLUMNS_MAX;
    return width >= WIDTH_FOR_TWO ? 2 : 1;
}

static void draw_lines(const struct help *help, struct canvas *canvas, int top, int rows,
                       const char *target)
{
    struct lines lines;
    find_lines(help, &lines);
    if (lines.count == 0) {
        canvas_text(canvas, (struct spot){top, 2, canvas->columns - 2}, STYLE_PLAIN,
                    "no key does that; Esc closes");
        return;
    }
    struct layout layout = {.columns = columns_for(canvas->columns)};
    fit(&lines, rows, &layout);
    int chosen = help->chosen < lines.count ? help->chosen : lines.count - 1;
    int page_size = layout.rows * layout.columns;
    int page = layout.places[chosen] / page_size;
    for (int i = 0; i < lines.count; i++) {
        int head = layout.heads[i];
        if (head >= 0 && head / page_size == page)
            draw_group(canvas, place_spot(&layout, canvas, top, head), &lines.at[i], target);
        if (layout.places[i] / page_size == page)
            draw_line(canvas, place_spot(&layout, canvas, top, layout.places[i]), &lines.at[i],
                      i == chosen);
    }
    for (int column = 1; column < layout.columns; column++) {
        int at = column * (canvas->columns / layout.columns) - 1;
        for (int row = 0; row < layout.rows; row++)
            canvas_text(canvas, (struct spot){top + row, at, 1}, STYLE_RULE, "│");
    }
}

void help_draw(const struct help *help, struct canvas *canvas, const char *screen,
               const char *target)
{
    canvas_clear(canvas);
    int top = canvas->rows >= ROWS_FOR_HEAD ? 2 : 0;
    int foot = canvas->rows >= ROWS_FOR_FOOT ? 2 : 0;
    if (top > 0)
        draw_head(help, canvas, screen);
    if (foot > 0)
        draw_foot(canvas);
    draw_lines(help, canvas, top, canvas->rows - top - foot, target);
}
