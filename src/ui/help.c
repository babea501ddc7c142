#include "help.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "shown.h"
#include "term.h"
#include "view_command.h"

enum {
    HELP_LINES_MAX = 160,
    TOGETHER_MAX = 6,
    NAMES_APART = 3, /* more keys of one letter stand side by side */
    HELP_COLUMNS_MAX = 3,
    HELP_JUMP = 10, /* lines of a page key */
    KEYS_TEXT_MAX = 6 * KEY_NAME_MAX,
    TITLE_MAX = 120,
    KEYS_WIDTH = 9,
    WORD_WIDTH = 12,
    WIDTH_FOR_TWO = 72,
    WIDTH_FOR_THREE = 120,
    COMMAND_WIDTH = 22,
    ROWS_FOR_FOOT = 8,
    ROWS_FOR_HEAD = 4,
    CTRL_D = 0x04,
    CTRL_U = 0x15,
};

/* A line one can choose: an act with its keys (or some that belong together), a command, or a
 * sign and what it means. */
struct line {
    const struct key_binding *binding; /* NULL: a command or a sign */
    const struct together *together;   /* NULL: the act alone */
    const struct command_row *command; /* NULL: a sign */
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

/* Acts that are one line as long as nothing is looked for. */
static const struct together {
    enum act acts[TOGETHER_MAX]; /* UI_NONE behind the last */
    const char *words;
} together[] = {
    {{UI_DOWN, UI_UP}, "line down, up"},
    {{UI_FIRST, UI_LAST}, "first, last line"},
    {{UI_HALF_DOWN, UI_HALF_UP}, "half a page down, up"},
    {{UI_PAGE_DOWN, UI_PAGE_UP}, "page down, up"},
    {{UI_LEFT, UI_RIGHT}, "left, right"},
    {{UI_PANE_NEXT, UI_PANE_PREV}, "next, previous pane"},
    {{UI_NEXT, UI_PREV}, "next, previous match"},
    {{UI_ERROR_NEXT, UI_ERROR_BACK}, "next, previous failure"},
    {{UI_MARK_RANGE, UI_MARK_ALL, UI_UNMARK}, "mark a range, all, none"},
    {{UI_EVENT_BACK, UI_EVENT_FORWARD}, "event back, forward"},
    {{UI_TRY_BACK, UI_TRY_FORWARD}, "try before, after"},
    {{UI_TRY_START, UI_TRY_NEXT}, "to the try before, after"},
    {{UI_SLOWER, UI_FASTER}, "slower, faster"},
    {{UI_START, UI_END}, "start, end (live)"},
    {{UI_TASKS, UI_DETAIL, UI_LOG, UI_FORENSICS, UI_TIMELINE, UI_RUNS}, "the six views"},
    {{UI_NEARER, UI_FARTHER, UI_WHOLE}, "zoom in, out, whole run"},
    {{UI_ORDER, UI_TURN}, "order, turn it round"},
    {{UI_COPY, UI_COPY_PATH}, "copy, copy the path"},
};

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
    if (line->together)
        return line->together->words;
    if (line->command)
        return line->command->words;
    return line->binding ? line->binding->words : sign_words[line->sign];
}

static const char *line_group(const struct line *line)
{
    if (line->binding)
        return keymap_group_name(line->binding->group);
    return line->command ? "COMMANDS" : "SIGNS";
}

static const char *line_name(const struct line *line)
{
    return line->binding || line->command ? line->ascii : shown_word(line->sign);
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

static void add_name(char keys[KEYS_TEXT_MAX], uint32_t key, bool ascii, const char *between)
{
    char name[KEY_NAME_MAX];
    keymap_key_name(key, ascii, name);
    size_t len = strlen(keys);
    (void)snprintf(keys + len, KEYS_TEXT_MAX - len, "%s%s", len > 0 ? between : "", name);
}

/* What an act is one line with; NULL if it stands alone. */
static const struct together *find_together(enum act act)
{
    for (size_t i = 0; i < ARRAY_LEN(together); i++) {
        for (int k = 0; k < TOGETHER_MAX && together[i].acts[k] != UI_NONE; k++) {
            if (together[i].acts[k] == act)
                return &together[i];
        }
    }
    return NULL;
}

/* Does this key do something on the screen under the help, now or in another mode? */
static bool is_of_screen(const struct help *help, const struct key_binding *binding)
{
    return (binding->screens & (1u << help->place.screen)) != 0;
}

/* The line that an act's key goes into; a new one if there is none yet. */
static struct line *line_of(struct lines *lines, const struct key_binding *binding,
                            const struct together *with)
{
    for (int i = 0; i < lines->count; i++) {
        struct line *line = &lines->at[i];
        if (with ? line->together == with : line->binding->act == binding->act)
            return line;
    }
    assert(lines->count < HELP_LINES_MAX);
    struct line *line = &lines->at[lines->count++];
    *line = (struct line){.binding = binding, .together = with};
    return line;
}

/* The one key of an act that stands for it where several acts share the line: the first, but a
 * digit before others where all are to be digits. */
static const struct key_binding *main_key(const struct help *help, enum act act, bool wants_digit)
{
    const struct key_binding *found = NULL;
    for (size_t i = 0; i < help->keys->count; i++) {
        const struct key_binding *row = &help->keys->rows[i];
        const bool is_digit = row->key >= '0' && row->key <= '9';
        if (row->act != act || !is_of_screen(help, row))
            continue;
        if (!found || (wants_digit && is_digit))
            found = row;
    }
    return found;
}

static void collect_keys(const struct help *help, bool is_brief, struct lines *out)
{
    for (size_t i = 0; i < help->keys->count; i++) {
        const struct key_binding *binding = &help->keys->rows[i];
        const struct together *with = is_brief ? find_together(binding->act) : NULL;
        const bool is_dense = with && with->acts[NAMES_APART] != UI_NONE;
        if (!is_of_screen(help, binding) ||
            (with && main_key(help, binding->act, is_dense) != binding))
            continue;
        struct line *line = line_of(out, binding, with);
        add_name(line->keys, binding->key, false, is_dense ? "" : " ");
        add_name(line->ascii, binding->key, true, is_dense ? "" : " ");
    }
}

static void find_lines(const struct help *help, struct lines *out)
{
    const char *find = help->find.text;
    struct lines keys = {.count = 0};
    const struct command_row *command;
    out->count = 0;
    collect_keys(help, *find == '\0', &keys);
    for (int i = 0; i < keys.count; i++)
        add_line(out, &keys.at[i], find);
    for (size_t i = 0; (command = view_command_at(i)); i++) {
        struct line line = {.command = command};
        (void)snprintf(line.ascii, sizeof(line.ascii), ":%s %s", command->name, command->argument);
        add_line(out, &line, find);
    }
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
    if (help->chosen >= lines->count)
        return UI_NONE;
    const struct line *line = &lines->at[help->chosen];
    if (!line->binding && !line->command)
        return UI_NONE;
    help->open = false;
    help->command = line->command ? line->command->name : NULL;
    return line->command ? UI_COMMAND : line->binding->act;
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

/* Why the chosen line cannot be run now; NULL if it can. */
static const char *refusal_of(const struct help *help, const struct help_about *about,
                              const struct line *line)
{
    if (!line->binding)
        return NULL;
    if (!keymap_works(line->binding, help->place))
        return keymap_refusal(line->binding, help->place);
    return about->refusals ? about->refusals[line->binding->act] : NULL;
}

static void draw_foot(struct canvas *canvas, const char *refusal, const char *pages)
{
    int row = canvas->rows - 2;
    char text[TITLE_MAX];
    canvas_rule(canvas, row, 0, canvas->columns);
    struct spot spot = {row + 1, 1, canvas->columns - 1};
    if (refusal)
        (void)snprintf(text, sizeof(text), "not now: %s", refusal);
    else
        (void)snprintf(text, sizeof(text), "%s Tab choose   PgDn %s   own keys: devs keys",
                       canvas->ascii ? "Up Down" : "↑ ↓", pages);
    canvas_text(canvas, spot, refusal ? STYLE_PROMPT : STYLE_PLAIN, text);
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

/* How wide the name of a line is at its left. */
static int name_width(const struct line *line, int width)
{
    if (line->binding)
        return KEYS_WIDTH;
    if (!line->command)
        return WORD_WIDTH - 2;
    return width < 2 * COMMAND_WIDTH ? width / 2 : COMMAND_WIDTH;
}

static void draw_line(struct canvas *canvas, struct spot spot, const struct line *line,
                      const char *refusal)
{
    int end = spot.column + spot.width;
    spot.column += 2;
    const int names = name_width(line, spot.width);
    if (!line->binding && !line->command) {
        spot.width = 1;
        canvas_text(canvas, spot, STYLE_KEY, shown_sign(line->sign, canvas->ascii));
        spot.column += 2;
    }
    spot.width = names;
    bool pretty = line->binding && !canvas->ascii;
    canvas_text(canvas, spot, refusal ? STYLE_DEAD : STYLE_KEY,
                pretty ? line->keys : line_name(line));
    spot.column += names + 1;
    spot.width = end - spot.column;
    canvas_text(canvas, spot, refusal ? STYLE_DEAD : STYLE_PLAIN, line_words(line));
}

static void draw_chosen(struct canvas *canvas, struct spot spot)
{
    canvas_text(canvas, (struct spot){spot.row, spot.column, 1}, STYLE_PLAIN, "▸");
    canvas_choose(canvas, spot.row, spot.column, spot.width);
}

static int columns_for(int width)
{
    if (width >= WIDTH_FOR_THREE)
        return HELP_COLUMNS_MAX;
    return width >= WIDTH_FOR_TWO ? 2 : 1;
}

/* What is drawn, and where. */
struct sheet {
    struct lines lines;
    struct layout layout;
    int page, chosen;
};

static void lay_sheet(const struct help *help, const struct canvas *canvas, int rows,
                      struct sheet *out)
{
    find_lines(help, &out->lines);
    out->layout.columns = columns_for(canvas->columns);
    fit(&out->lines, rows, &out->layout);
    out->chosen = help->chosen < out->lines.count ? help->chosen : out->lines.count - 1;
    const int page_size = out->layout.rows * out->layout.columns;
    out->page = out->lines.count > 0 ? out->layout.places[out->chosen] / page_size : 0;
}

static void draw_lines(const struct help *help, struct canvas *canvas, int top,
                       const struct help_about *about, const struct sheet *sheet)
{
    const struct layout *layout = &sheet->layout;
    const int page_size = layout->rows * layout->columns;
    for (int i = 0; i < sheet->lines.count; i++) {
        const struct line *line = &sheet->lines.at[i];
        const int head = layout->heads[i];
        if (head >= 0 && head / page_size == sheet->page)
            draw_group(canvas, place_spot(layout, canvas, top, head), line, about->target);
        if (layout->places[i] / page_size != sheet->page)
            continue;
        const struct spot spot = place_spot(layout, canvas, top, layout->places[i]);
        draw_line(canvas, spot, line, refusal_of(help, about, line));
        if (i == sheet->chosen)
            draw_chosen(canvas, spot);
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
    char pages[KEY_NAME_MAX * 2];
    canvas_clear(canvas);
    int top = canvas->rows >= ROWS_FOR_HEAD ? 2 : 0;
    int foot = canvas->rows >= ROWS_FOR_FOOT ? 2 : 0;
    lay_sheet(help, canvas, canvas->rows - top - foot, &sheet);
    const bool is_found = sheet.lines.count > 0;
    const int page_size = sheet.layout.rows * sheet.layout.columns;
    const int count = is_found ? (sheet.layout.end - 1) / page_size + 1 : 1;
    (void)snprintf(pages, sizeof(pages), "page %d of %d", sheet.page + 1, count);
    if (top > 0)
        draw_head(help, canvas, about->screen);
    if (foot > 0)
        draw_foot(canvas, is_found ? refusal_of(help, about, &sheet.lines.at[sheet.chosen]) : NULL,
                  pages);
    if (is_found)
        draw_lines(help, canvas, top, about, &sheet);
    else
        canvas_text(canvas, (struct spot){top, 2, canvas->columns - 2}, STYLE_PLAIN,
                    "no key does that; Esc closes");
}
