/* prompt_draw.c - draws a question: what is asked, for which tasks, the fields of a retry with
 * options, and the answers. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "prompt.h"
#include "str.h"
#include "text.h"

/* Heights of the fields of a retry with options. */
enum {
    PROMPT_ROWS_TYPED = 4, /* while typing: the hint, the note about it, the tries, the keys */
    PROMPT_ROWS_ASKED = 2, /* after typing: the hint and the tries */
};

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

/* Returns a note that says where a hint goes. */
static const char *hint_note(const struct prompt *prompt, int columns)
{
    enum { LENGTHS = 3 };
    static const char *const none[LENGTHS] = {"no agent here: only kept in the log, as a note",
                                              "no agent: kept in the log", "kept as a note"};
    static const char *const some[LENGTHS] = {
        "for the agents' next prompts; without an agent, a note in the log",
        "for agents, else a note", "for the agents"};
    static const char *const all[LENGTHS] = {
        "for the agent's next prompt; kept in the log with the try", "for the agent's next prompt",
        "for the agent"};
    static const char *const round[LENGTHS] = {
        "this step has no agent: for the agent's prompt in the next round",
        "for the agent's next round", "for the agent"};
    static const char *const later[LENGTHS] = {
        "this step has no agent: for the prompt of the task's next agent",
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

/* Draws the fields: the hint and a note about it, the tries, the keys. If there is not enough room,
 * draws only the active field. */
static void draw_typed(const struct prompt *prompt, struct canvas *canvas, int row)
{
    static const char *const keys[] = {"Enter  review   Tab  other field   Esc  cancel",
                                       "Enter review  Tab other field  Esc cancel",
                                       "Enter next  Tab other  Esc cancel",
                                       "Enter next  Esc cancel"};
    const bool has_room = canvas->rows - row >= PROMPT_ROWS_TYPED;
    if (has_room || !prompt->retry.in_tries) {
        line_edit_draw(&prompt->retry.hint, canvas, row, "hint   ");
        draw_note(canvas, row + 1, FIELD_COLUMN, hint_note(prompt, canvas->columns - FIELD_COLUMN));
    }
    if (has_room)
        row += 2;
    if (has_room || prompt->retry.in_tries) {
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

enum {
    WIDE = 60,         /* minimum width to show the current state beside the question */
    QUIT_COLUMNS = 76, /* narrower: the reason for asking before quitting is not shown */
    QUESTION_MAX = PROMPT_ID_MAX + PROMPT_TITLE_MAX + 40,
};

static const char *plural(int count, const char *one, const char *more)
{
    return count == 1 ? one : more;
}

enum { HIDDEN_MAX = 32 }; /* size of ", 50000 not shown" */

/* The question and the current state. */
struct asked {
    char question[QUESTION_MAX];
    char words[2 * PROMPT_NOTE_MAX + 40];
};

static void ask_one(const struct prompt *prompt, bool wide, struct asked *out)
{
    static const char *const states[] = {
        [TASK_QUEUED] = "it is queued",     [TASK_RUNNING] = "it is running",
        [TASK_BACKOFF] = "it is waiting",   [TASK_PASSED] = "it has passed",
        [TASK_GAVE_UP] = "it has given up", [TASK_CANCELLED] = "it is cancelled",
        [TASK_BLOCKED] = "it is blocked",   [TASK_NEEDS_YOU] = "it needs you",
        [TASK_STUCK] = "it is stuck",
    };
    static_assert(ARRAY_LEN(states) == TASK_STATUS_COUNT, "every status has its words");

    const char *phase = prompt->moved ? phase_name(prompt->phase) : "";
    const char *blank = prompt->moved ? " " : "";
    char state[PROMPT_NOTE_MAX]; /* activity of the target now */
    if (prompt->status == TASK_RUNNING)
        (void)snprintf(state, sizeof(state), "%s%stry %d is running", phase, blank,
                       prompt->attempt);
    else if (prompt->status == TASK_BACKOFF)
        (void)snprintf(state, sizeof(state), "it waits for %s%stry %d, nothing running", phase,
                       blank, prompt->attempt + 1);
    else
        (void)snprintf(state, sizeof(state), "%s, nothing running", states[prompt->status]);

    const char *verb = prompt_verb(prompt->kind);
    if (prompt->changed && wide) {
        (void)snprintf(out->question, sizeof(out->question), "%s has changed.", prompt->id);
        (void)snprintf(out->words, sizeof(out->words), "%s it?   %s", verb, state);
    } else {
        (void)snprintf(out->question, sizeof(out->question), "%s%s %s%s%s?",
                       prompt->changed ? "Changed: " : "", verb, prompt->id,
                       prompt->title[0] ? " " : "", prompt->title);
        (void)snprintf(out->words, sizeof(out->words), "%s", state);
    }
}

static void ask_many(const struct prompt *prompt, bool wide, struct asked *out)
{
    const char *verb = prompt_verb(prompt->kind);
    const char *all = prompt->left_out == 0 && prompt->count > 1 ? "all " : "";
    char hidden[HIDDEN_MAX] = "";
    char state[PROMPT_NOTE_MAX];
    if (prompt->hidden > 0)
        (void)snprintf(hidden, sizeof(hidden), ", %d not shown", prompt->hidden);
    if (prompt->running == 0)
        (void)snprintf(state, sizeof(state), "none is running%s", hidden);
    else
        (void)snprintf(state, sizeof(state), "%d running%s", prompt->running, hidden);
    if (prompt->changed && wide) {
        (void)snprintf(out->question, sizeof(out->question), "They have changed.");
        (void)snprintf(out->words, sizeof(out->words), "%s %s%d %s?   %s", verb, all, prompt->count,
                       prompt->whose, state);
    } else {
        (void)snprintf(out->question, sizeof(out->question), "%s%s %s%d %s?",
                       prompt->changed ? "Changed: " : "", verb, all, prompt->count, prompt->whose);
        (void)snprintf(out->words, sizeof(out->words), "%s", state);
    }
}

/* Draws the question, shortened so that a long title leaves room for the state, and then the state.
 * If the screen is too narrow for both, draws only the question. */
static void draw_question(const struct prompt *prompt, struct canvas *canvas, int row)
{
    struct asked asked;
    if (prompt_is_of_one(prompt)) {
        ask_one(prompt, canvas->columns >= WIDE, &asked);
    } else if (prompt_is_of_many(prompt)) {
        ask_many(prompt, canvas->columns >= WIDE, &asked);
    } else {
        (void)snprintf(asked.question, sizeof(asked.question), "Quit devs?");
        (void)snprintf(asked.words, sizeof(asked.words), "%d %s and %d waiting%s", prompt->running,
                       plural(prompt->running, "task running", "tasks running"), prompt->waiting,
                       canvas->columns >= QUIT_COLUMNS ? ": the engine runs in this program." : "");
    }
    int least = (int)strlen(prompt_is_of_one(prompt) ? prompt->id : asked.question) + 10;
    int room = canvas->columns - 2 - (int)strlen(asked.words) - 3;
    if (room < least)
        room = canvas->columns - 2;
    struct spot spot = {row, 1, room};
    spot.column += canvas_text(canvas, spot, STYLE_PROMPT, asked.question) + 3;
    spot.width = canvas->columns - 1 - spot.column;
    canvas_text(canvas, spot, prompt->changed ? STYLE_NEEDS_YOU : STYLE_PROMPT, asked.words);
}

/* Draws "T-101 T-103 and 12 more", with as many ids as fit. */
static void draw_ids(const struct prompt *prompt, struct canvas *canvas, int row)
{
    struct str line = {0};
    char more[PROMPT_NOTE_MAX];
    const char *at = prompt->ids;
    int shown = 0;
    while (*at != '\0') {
        size_t len = strcspn(at, " ");
        int after = prompt->count - shown - 1;
        int tail = after > 0 ? snprintf(more, sizeof(more), " and %d more", after) : 0;
        int width = text_width(str_text(&line), line.len) + text_width(at, len) + 1 + tail;
        if (shown > 0 && width > canvas->columns - 2)
            break;
        str_addf(&line, "%s%.*s", shown > 0 ? " " : "", (int)len, at);
        shown++;
        at += len + strspn(at + len, " ");
    }
    if (shown < prompt->count)
        str_addf(&line, " and %d more", prompt->count - shown);
    (void)canvas_text(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_PROMPT,
                      str_text(&line));
    str_done(&line);
}

static void draw_answer(const struct prompt *prompt, const struct prompt_answer *answer,
                        struct canvas *canvas, int row)
{
    const char *const texts[] = {answer->words, answer->middle, answer->brief};
    struct spot spot = {row, 1, canvas->columns - 1};
    (void)canvas_add_zone(canvas, spot, answer->key);
    spot.column += canvas_text(canvas, spot, STYLE_KEY, answer->name) + 2;
    spot.width = canvas->columns - spot.column;
    spot.column += canvas_text(canvas, spot, STYLE_PROMPT,
                               canvas_fitting(texts, ARRAY_LEN(texts), spot.width));
    if (answer->choice != PROMPT_STOP || prompt->attempts == 0)
        return;
    char kept[PROMPT_NOTE_MAX];
    const int len = snprintf(kept, sizeof(kept), ", keep the %d %s and captures", prompt->attempts,
                             plural(prompt->attempts, "try", "tries"));
    spot.width = canvas->columns - spot.column;
    if (len <= spot.width)
        (void)canvas_text(canvas, spot, STYLE_PROMPT, kept);
}

/* Draws the answers one after the other, for when there are not enough rows for one answer each. */
static void draw_answers_tight(const struct prompt *prompt, struct canvas *canvas, int row)
{
    int column = 1;
    for (const struct prompt_answer *answer = prompt_answers(prompt); answer->name; answer++) {
        int width = (int)(strlen(answer->name) + 1 + strlen(answer->tiny));
        if (column > 1 && column + width > canvas->columns) {
            row++;
            column = 1;
        }
        if (row >= canvas->rows)
            return;
        struct spot spot = {row, column, canvas->columns - column};
        spot.column += canvas_text(canvas, spot, STYLE_KEY, answer->name) + 1;
        spot.width = canvas->columns - spot.column;
        (void)canvas_text(canvas, spot, STYLE_PROMPT, answer->tiny);
        column += width + 2;
    }
}

static int answer_count(const struct prompt *prompt)
{
    int count = 0;
    for (const struct prompt_answer *answer = prompt_answers(prompt); answer->name; answer++)
        count++;
    return prompt_wants_text(prompt) ? 0 : count;
}

/* Returns the number of rows for the subject, below the question. */
static int matter_rows(const struct prompt *prompt)
{
    int rows = 0;
    if (prompt_is_of_many(prompt))
        rows += prompt->left_out > 0 ? 2 : 1;
    if (prompt_is_retry_with(prompt))
        rows += prompt_wants_text(prompt) ? PROMPT_ROWS_TYPED : PROMPT_ROWS_ASKED;
    return rows;
}

int prompt_rows(const struct prompt *prompt, int canvas_rows)
{
    if (prompt->kind == PROMPT_NONE)
        return 0;
    int rows = 1 + matter_rows(prompt) + answer_count(prompt);
    assert(rows <= PROMPT_ROWS);
    return rows < canvas_rows ? rows : canvas_rows;
}

void prompt_draw(const struct prompt *prompt, struct canvas *canvas)
{
    int rows = prompt_rows(prompt, canvas->rows);
    if (rows == 0)
        return;
    int row = canvas->rows - rows;
    for (int i = row; i < canvas->rows; i++)
        canvas_blank_row(canvas, i, STYLE_PROMPT);
    draw_question(prompt, canvas, row++);
    const int wanted = matter_rows(prompt) + answer_count(prompt);
    if (wanted > canvas->rows - row && !prompt_wants_text(prompt)) {
        draw_answers_tight(prompt, canvas, row);
        return;
    }
    const int answers_row = row + matter_rows(prompt);
    if (prompt_is_of_many(prompt))
        draw_ids(prompt, canvas, row++);
    if (prompt_is_of_many(prompt) && prompt->left_out > 0) {
        struct str line = {0};
        str_addf(&line, "not: %s", prompt->left_why);
        if (prompt->left_out > 1)
            str_addf(&line, " (and %d more)", prompt->left_out - 1);
        draw_note(canvas, row++, 1, str_text(&line));
        str_done(&line);
    }
    if (prompt_is_retry_with(prompt) && prompt_wants_text(prompt))
        draw_typed(prompt, canvas, row);
    else if (prompt_is_retry_with(prompt))
        draw_asked(prompt, canvas, row);
    if (prompt_wants_text(prompt))
        return;
    row = answers_row;
    for (const struct prompt_answer *answer = prompt_answers(prompt); answer->name; answer++)
        draw_answer(prompt, answer, canvas, row++);
}
