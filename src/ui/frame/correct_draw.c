/* correct_draw.c - draws the prompt of a correction: title, subject, list or fields, keys. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "correct.h"
#include "keymap.h"
#include "lines.h"
#include "str.h"
#include "term.h"
#include "text.h"

enum {
    ROWS_FOR_TITLE = 2,
    ROWS_FOR_KEYS = 3,
    ROWS_FOR_NOTE = 2, /* minimum rows of content to show a note */
    ROWS_FOR_NOW = 4,  /* minimum rows of content to show the present verdict */
    ROWS_MIN = 8,
    ROWS_BESIDE_LIST =
        5, /* rows for title, present verdict, output line, search or note, and keys */
    ROWS_BESIDE_FIELDS = 4, /* rows for title, two rows of text, and keys */
    ROWS_OF_TRYING = 3,
    WORD_COLUMNS = 16,
    KEYS_MAX = 5,
    GAP = 2,
    TEXT_MAX = CORRECT_NAME_MAX + CORRECT_NOTE_MAX,
};

/* A key and its effect, for the last row; key 0 ends the list. */
struct hint {
    uint32_t key;
    const char *name; /* NULL: the key's own name */
    const char *words;
};

static const struct hint hints[][KEYS_MAX + 1] = {
    [CORRECT_PICKING] = {{TERM_KEY_ENTER, NULL, "accept"},
                         {'+', NULL, "new rule"},
                         {TERM_KEY_ESC, NULL, "back"},
                         {TERM_KEY_DOWN, "Up Down", "choose"},
                         {'/', "/ or letters", "find"}},
    [CORRECT_WRITING] = {{TERM_KEY_ENTER, NULL, "try it"},
                         {TERM_KEY_TAB, NULL, "next"},
                         {TERM_KEY_ESC, NULL, "back"}},
    [CORRECT_TRYING] = {{TERM_KEY_ESC, NULL, "stop it"}},
    [CORRECT_TRIED] = {{'s', NULL, "save it"}, {TERM_KEY_ESC, NULL, "back"}},
};
static const struct hint hints_typing[KEYS_MAX + 1] = {
    {TERM_KEY_ENTER, NULL, "accept"},
    {'+', NULL, "new rule"},
    {TERM_KEY_ESC, NULL, "show all"},
    {TERM_KEY_DOWN, "Up Down", "choose"},
};
static const struct hint hints_failed[KEYS_MAX + 1] = {{TERM_KEY_ESC, NULL, "back"}};

/* The rows between title and keys. */
struct space {
    struct canvas *canvas;
    int row, end;
};

static struct spot whole_row(const struct canvas *canvas, int row)
{
    return (struct spot){row, 1, canvas->columns - 1};
}

/* Takes the next row of the space. Returns -1, which is outside the canvas, if the space is
 * full. */
static int next_row(struct space *space)
{
    return space->row < space->end ? space->row++ : -1;
}

static void put_row(struct space *space, enum style style, const char *text)
{
    int row = next_row(space);
    if (row >= 0)
        (void)canvas_text(space->canvas, whole_row(space->canvas, row), style, text);
}

/* Returns the rows of a wrapped text; an empty text takes none. */
static int wrapped_rows(const char *text, int width)
{
    return *text != '\0' && width > 1 ? line_wrap_rows(text, strlen(text), width) : 0;
}

static void put_wrapped(struct space *space, enum style style, const char *text)
{
    int width = space->canvas->columns - 2;
    while (*text != '\0' && width > 1) {
        const size_t len = line_wrap_fit(text, strlen(text), width);
        int row = next_row(space);
        if (row < 0)
            return;
        bool is_last = space->row == space->end;
        struct spot spot = whole_row(space->canvas, row);
        (void)canvas_text_n(space->canvas, spot, style, text, is_last ? strlen(text) : len);
        text += len;
    }
}

static void draw_title(const struct correct *correct, struct canvas *canvas, int row)
{
    const char *id = correct->fields[CORRECT_ID].text;
    struct str text = {0};
    switch (correct->stage) {
    case CORRECT_CLOSED:
        break;
    case CORRECT_PICKING:
        str_addf(&text, " %s: which class? ", correct->name);
        break;
    case CORRECT_WRITING:
        str_addf(&text, " new rule, based on %s ", correct->name);
        break;
    case CORRECT_TRYING:
        str_addf(&text, " trying rule %s ", id);
        break;
    case CORRECT_TRIED:
        str_addf(&text, " rule %s, tried ", id);
        break;
    }
    canvas_rule(canvas, row, 0, canvas->columns);
    (void)canvas_text(canvas, (struct spot){row, 2, canvas->columns - 3}, STYLE_HEAD,
                      str_text(&text));
    str_done(&text);
}

/* Returns true if the key does something at present. */
static bool is_of_use(const struct correct *correct, uint32_t key)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    if (correct->stage == CORRECT_WRITING)
        return key != TERM_KEY_ENTER || correct->problem[0] == '\0';
    if (correct->stage != CORRECT_PICKING)
        return true;
    const int count = correct_found(correct, found);
    const struct verdict_label *chosen = count > 0 ? &found[correct->chosen] : NULL;
    switch (key) {
    case TERM_KEY_ENTER:
        return chosen && !verdict_label_equals(chosen, &correct->label);
    case '+':
        return chosen && chosen->class != VERDICT_SUCCESS;
    case TERM_KEY_DOWN:
        return count > 1;
    default:
        return true;
    }
}

static void draw_keys(const struct correct *correct, struct canvas *canvas, int row)
{
    int column = 1;
    const struct hint *hint = hints[correct->stage];
    if (correct->stage == CORRECT_PICKING && correct->filter.open)
        hint = hints_typing;
    else if (correct->stage == CORRECT_TRIED && correct->failed)
        hint = hints_failed;
    for (; hint->key != 0; hint++) {
        if (!is_of_use(correct, hint->key))
            continue;
        char name[KEY_NAME_MAX];
        (void)keymap_key_name(hint->key, canvas->ascii, name);
        const char *shown = hint->name ? hint->name : name;
        int width = text_width(shown, strlen(shown)) + 1 + (int)strlen(hint->words);
        if (column + width > canvas->columns)
            continue;
        struct spot spot = {row, column, width};
        spot.column += canvas_text(canvas, spot, STYLE_KEY, shown) + 1;
        (void)canvas_text(canvas, spot, STYLE_PROMPT, hint->words);
        column += width + GAP;
    }
}

static void draw_class(const struct correct *correct, struct canvas *canvas, int row,
                       const struct verdict_label *label)
{
    char word[VERDICT_WORD_MAX];
    char what[TEXT_MAX];
    bool transient = label->class == VERDICT_TRANSIENT;
    bool bare = label->class == VERDICT_PERSISTENT && label->reason == REASON_NONE;
    bool present = verdict_label_equals(label, &correct->label);
    (void)snprintf(what, sizeof(what), "%s%s%s%s", verdict_class_name(label->class),
                   transient ? ", " : "", transient ? verdict_label_word(label) : "",
                   bare ? ", no specific reason" : "");
    struct spot spot = {row, 3, WORD_COLUMNS};
    (void)canvas_text(canvas, spot, STYLE_PROMPT, correct_word(label, word));
    spot.column += WORD_COLUMNS;
    spot.width = canvas->columns - spot.column;
    spot.column += canvas_text(canvas, spot, STYLE_PROMPT, what);
    spot.width = canvas->columns - spot.column;
    if (present)
        (void)canvas_text(canvas, spot, STYLE_LABEL, "   now");
}

/* Draws as much of the list as fits, including the selected class. */
static void draw_list(const struct correct *correct, struct space *space)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    int count = correct_found(correct, found);
    int rows = space->end - space->row;
    int top = correct->chosen - rows / 2;
    if (top > count - rows)
        top = count - rows;
    if (top < 0)
        top = 0;
    if (count == 0)
        put_row(space, STYLE_PROMPT, "  no class name matches");
    for (int i = top; i < count; i++) {
        int row = next_row(space);
        if (row < 0)
            return;
        draw_class(correct, space->canvas, row, &found[i]);
        if (i != correct->chosen)
            continue;
        (void)canvas_text(space->canvas, (struct spot){row, 1, 1}, STYLE_PROMPT, "▸");
        canvas_choose(space->canvas, row, 0, space->canvas->columns);
    }
}

static void draw_picking(const struct correct *correct, struct space *space)
{
    int rows = space->end - space->row;
    bool roomy = rows >= ROWS_FOR_NOW;
    char now[TEXT_MAX];
    if (roomy) {
        (void)snprintf(now, sizeof(now), "now    %s", correct->now);
        put_row(space, STYLE_PROMPT, now);
    }
    if (roomy && correct->line[0] != '\0') {
        (void)snprintf(now, sizeof(now), "line   \"%s\"", correct->line);
        put_row(space, STYLE_PROMPT, now);
    }
    bool has_note = correct->note[0] != '\0';
    bool has_last = (has_note || correct->filter.open) && rows >= ROWS_FOR_NOTE;
    if (has_last)
        space->end--;
    draw_list(correct, space);
    if (!has_last)
        return;
    if (has_note)
        (void)canvas_text(space->canvas, whole_row(space->canvas, space->end), STYLE_NEEDS_YOU,
                          correct->note);
    else
        line_edit_draw(&correct->filter, space->canvas, space->end, "find: ");
}

static void draw_writing(const struct correct *correct, struct space *space)
{
    static const char *const labels[] = {
        [CORRECT_ID] = "id       ", [CORRECT_CLASS] = "class    ", [CORRECT_PATTERN] = "pattern  "};
    static_assert(ARRAY_LEN(labels) == CORRECT_FIELD_COUNT, "every field has a label");
    const bool all = space->end - space->row >= CORRECT_FIELD_COUNT;
    for (enum correct_field field = 0; field < CORRECT_FIELD_COUNT; field++) {
        struct line_edit edit = correct->fields[field];
        edit.open = correct->field == field;
        if (!all && !edit.open)
            continue;
        const int row = next_row(space);
        char label[TEXT_MAX];
        if (row < 0)
            continue;
        (void)snprintf(label, sizeof(label), "%s %s", edit.open ? "▸" : " ", labels[field]);
        line_edit_draw(&edit, space->canvas, row, label);
    }
    bool sound = correct->problem[0] == '\0';
    if (correct->note[0] != '\0')
        put_wrapped(space, STYLE_PROMPT, correct->note);
    else if (sound)
        put_wrapped(space, STYLE_PROMPT,
                    "valid; it is tested on all recorded tries before it can be saved");
    else
        put_wrapped(space, STYLE_NEEDS_YOU, correct->problem);
}

/* Returns the number of rows for the full content. */
static int rows_wanted(const struct correct *correct, int columns)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    int count;
    switch (correct->stage) {
    case CORRECT_CLOSED:
        return 0;
    case CORRECT_PICKING:
        count = correct_found(correct, found);
        return (count > 0 ? count : 1) + ROWS_BESIDE_LIST;
    case CORRECT_WRITING:
        return CORRECT_FIELD_COUNT + ROWS_BESIDE_FIELDS;
    case CORRECT_TRYING:
        return ROWS_OF_TRYING;
    case CORRECT_TRIED:
        return 2 + wrapped_rows(correct->words, columns - 2) +
               wrapped_rows(correct->note, columns - 2);
    }
    return 0;
}

void correct_draw(const struct correct *correct, struct canvas *canvas)
{
    if (correct->stage == CORRECT_CLOSED)
        return;
    /* Leave a third of the screen visible, unless the screen has few rows. */
    int rows = canvas->rows * 2 / 3;
    if (rows < ROWS_MIN)
        rows = canvas->rows < ROWS_MIN ? canvas->rows : ROWS_MIN;
    const int wanted = rows_wanted(correct, canvas->columns);
    if (wanted < rows)
        rows = wanted;
    struct space space = {.canvas = canvas, .row = canvas->rows - rows, .end = canvas->rows};
    for (int row = space.row; row < space.end; row++)
        canvas_blank_row(canvas, row, STYLE_PROMPT);
    if (rows >= ROWS_FOR_TITLE)
        draw_title(correct, canvas, space.row++);
    if (rows >= ROWS_FOR_KEYS)
        draw_keys(correct, canvas, --space.end);

    char text[TEXT_MAX];
    switch (correct->stage) {
    case CORRECT_CLOSED:
        break;
    case CORRECT_PICKING:
        draw_picking(correct, &space);
        break;
    case CORRECT_WRITING:
        draw_writing(correct, &space);
        break;
    case CORRECT_TRYING:
        if (correct->total > 0)
            (void)snprintf(text, sizeof(text), "%lld of %lld recorded tries checked",
                           (long long)correct->done, (long long)correct->total);
        else
            (void)snprintf(text, sizeof(text), "counting the recorded tries");
        put_row(&space, STYLE_PROMPT, text);
        break;
    case CORRECT_TRIED:
        if (correct->note[0] != '\0')
            put_wrapped(&space, STYLE_NEEDS_YOU, correct->note);
        put_wrapped(&space, correct->failed ? STYLE_NEEDS_YOU : STYLE_PROMPT, correct->words);
        break;
    }
}
