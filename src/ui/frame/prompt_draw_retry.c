/* prompt_draw_retry.c - the fields of a retry with choices. */
#include <stdio.h>

#include "attr.h"
#include "prompt_parts.h"
#include "str.h"

enum { FIELD_COLUMN = 8 };

static void draw_label(struct canvas *canvas, int row, const char *label)
{
    (void)canvas_text(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_LABEL, label);
}

static void draw_note(struct canvas *canvas, int row, int column, const char *note)
{
    struct spot spot = {row, column, canvas->columns - column};
    (void)canvas_text(canvas, spot, STYLE_PROMPT, note);
}

/* What becomes of a hint. */
static const char *hint_note(const struct prompt *prompt, int columns)
{
    enum { LENGTHS = 3 };
    static const char *const none[LENGTHS] = {
        "no agent here: it is only kept in the log, as a note", "no agent: kept in the log",
        "kept as a note"};
    static const char *const some[LENGTHS] = {
        "for the agents' next prompts; where there is none, a note in the log",
        "for agents, else a note", "for the agents"};
    static const char *const all[LENGTHS] = {
        "for the agent's next prompt; kept in the log with the try", "for the agent's next prompt",
        "for the agent"};
    static const char *const round[LENGTHS] = {
        "this step has no agent: it is for the agent's prompt in the next round",
        "for the agent's next round", "for the agent"};
    static const char *const later[LENGTHS] = {
        "this step has no agent: it is for the prompt of the task's next agent",
        "for the task's next agent", "for the agent"};
    const bool many = prompt_is_of_many(prompt);
    const enum hint_goes goes = prompt->hint_goes;
    const bool has_all = many ? prompt->agents == prompt->count : goes == HINT_GOES_HERE;
    const bool has_none = many ? prompt->agents == 0 : goes == HINT_GOES_NOWHERE;
    if (!many && goes == HINT_GOES_BACK)
        return canvas_fitting(round, LENGTHS, columns);
    if (!many && goes == HINT_GOES_ON)
        return canvas_fitting(later, LENGTHS, columns);
    return canvas_fitting(has_none ? none : has_all ? all : some, LENGTHS, columns);
}

static void draw_hint(const struct prompt *prompt, struct canvas *canvas, int row)
{
    line_edit_draw(&prompt->retry.hint, canvas, row, "hint   ");
    draw_note(canvas, row + 1, FIELD_COLUMN, hint_note(prompt, canvas->columns - FIELD_COLUMN));
}

static void draw_tries(const struct prompt *prompt, struct canvas *canvas, int row)
{
    const int column = FIELD_COLUMN + PROMPT_TRIES_MAX - 2;
    char note[PROMPT_NOTE_MAX] = "from now on; empty: as planned";
    if (!prompt_is_of_many(prompt))
        (void)snprintf(note, sizeof(note), "from now on; empty: %d, as planned",
                       prompt->tries_left);
    const char *const notes[] = {note, "empty: as planned", ""};
    line_edit_draw(&prompt->retry.tries, canvas, row, "tries  ");
    draw_note(canvas, row, column,
              prompt->retry.problem[0] != '\0'
                  ? prompt->retry.problem
                  : canvas_fitting(notes, ARRAY_LEN(notes), canvas->columns - column));
}

static void draw_typed(const struct prompt *prompt, struct canvas *canvas, int row)
{
    static const char *const keys[] = {
        "Enter  looks it over   Tab  other field   Esc  leaves it as it is",
        "Enter looks it over  Tab other field  Esc leaves it", "Enter next  Tab other  Esc leaves",
        "Enter next  Esc leaves"};
    const bool has_room = canvas->rows - row >= PROMPT_ROWS_TYPED;
    if (has_room || !prompt->retry.in_tries)
        draw_hint(prompt, canvas, row);
    if (has_room)
        row += 2;
    if (has_room || prompt->retry.in_tries)
        draw_tries(prompt, canvas, row);
    if (has_room)
        draw_note(canvas, row + 1, 1, canvas_fitting(keys, ARRAY_LEN(keys), canvas->columns - 1));
}

static void draw_asked(const struct prompt *prompt, struct canvas *canvas, int row)
{
    struct str tries = {0};
    const char *hint = prompt_hint(prompt);
    if (prompt_tries(prompt) > 0)
        str_addf(&tries, "%d from now on", prompt_tries(prompt));
    else
        str_add(&tries, "as planned");
    draw_label(canvas, row, "hint");
    draw_note(canvas, row, FIELD_COLUMN, hint[0] != '\0' ? hint : "none");
    draw_label(canvas, row + 1, "tries");
    draw_note(canvas, row + 1, FIELD_COLUMN, str_text(&tries));
    str_done(&tries);
}

void prompt_draw_retry(const struct prompt *prompt, struct canvas *canvas, int row)
{
    if (prompt_wants_text(prompt))
        draw_typed(prompt, canvas, row);
    else
        draw_asked(prompt, canvas, row);
}
