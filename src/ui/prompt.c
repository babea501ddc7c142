#include "prompt.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "term.h"
#include "text.h"

enum { KEY_CTRL_U = 0x15, QUESTION_MAX = PROMPT_ID_MAX + PROMPT_TITLE_MAX + 40 };

/* The answers, one line each, in the order of the screen. */
static const struct answer {
    enum prompt_kind kind;
    uint32_t key;
    const char *name;
    enum prompt_choice choice;
    const char *words;
} answers[] = {
    {PROMPT_CANCEL, 's', "s", PROMPT_STOP, "stop retrying"},
    {PROMPT_CANCEL, 't', "t", PROMPT_TERM,
     "as s, and if a try is running: TERM to its group, KILL after the grace"},
    {PROMPT_CANCEL, 'K', "K", PROMPT_KILL, "as s, and if a try is running: KILL at once"},
    {PROMPT_CANCEL, TERM_KEY_ESC, "Esc", PROMPT_KEPT, "leave it as it is   (Enter does nothing)"},
    {PROMPT_CANCEL_MANY, 's', "s", PROMPT_STOP, "stop retrying all of them"},
    {PROMPT_CANCEL_MANY, 't', "t", PROMPT_TERM,
     "as s, and TERM to those that run by then, KILL after the grace"},
    {PROMPT_CANCEL_MANY, 'K', "K", PROMPT_KILL, "as s, and KILL at once to those that run by then"},
    {PROMPT_CANCEL_MANY, TERM_KEY_ESC, "Esc", PROMPT_KEPT,
     "leave them as they are   (Enter does nothing)"},
    {PROMPT_QUIT, 'w', "w", PROMPT_WAIT,
     "wait: start nothing more, leave when what runs has ended"},
    {PROMPT_QUIT, 'c', "c", PROMPT_CANCEL_ALL,
     "cancel all: TERM, KILL after the grace, then quit; the log keeps every try"},
    {PROMPT_QUIT, 'd', "d", PROMPT_DETACH,
     "detach: the run goes on without this terminal; devs shows it again"},
    {PROMPT_QUIT, TERM_KEY_ESC, "Esc", PROMPT_KEPT, "stay"},
};

static void copy_text(char *out, size_t size, const char *text)
{
    size_t len = text_cut(text, strlen(text), size - 1);
    memcpy(out, text, len);
    out[len] = '\0';
}

/* What a target does now, in words. */
static void describe_target(const struct prompt *prompt, char *out, size_t size)
{
    static const char *const states[] = {
        [TASK_QUEUED] = "it is queued",     [TASK_RUNNING] = "it is running",
        [TASK_BACKOFF] = "it waits",        [TASK_PASSED] = "it has passed",
        [TASK_GAVE_UP] = "it has given up", [TASK_CANCELLED] = "it is cancelled",
        [TASK_BLOCKED] = "it is blocked",   [TASK_NEEDS_YOU] = "it needs you",
        [TASK_STUCK] = "it is stuck",
    };
    static_assert(ARRAY_LEN(states) == TASK_STATUS_COUNT, "every status has its words");

    const char *phase = prompt->moved ? phase_name(prompt->phase) : "";
    const char *blank = prompt->moved ? " " : "";
    if (prompt->status == TASK_RUNNING)
        (void)snprintf(out, size, "%s%stry %d runs now", phase, blank, prompt->attempt);
    else if (prompt->status == TASK_BACKOFF)
        (void)snprintf(out, size, "it waits for %s%stry %d, nothing runs now", phase, blank,
                       prompt->attempt + 1);
    else
        (void)snprintf(out, size, "%s, nothing runs now", states[prompt->status]);
}

static void take_target(struct prompt *prompt, const struct prompt_target *target)
{
    assert(target->status < TASK_STATUS_COUNT);
    prompt->step = target->step;
    prompt->phase = target->phase;
    prompt->attempt = target->attempt;
    prompt->attempts = target->attempts;
    prompt->status = target->status;
}

void prompt_open_cancel(struct prompt *prompt, const struct prompt_target *target, int64_t now_ms)
{
    assert(prompt->kind == PROMPT_NONE);
    *prompt = (struct prompt){.kind = PROMPT_CANCEL, .opened_ms = now_ms, .task = target->task};
    copy_text(prompt->id, sizeof(prompt->id), target->id);
    copy_text(prompt->title, sizeof(prompt->title), target->title);
    take_target(prompt, target);
}

void prompt_open_cancel_many(struct prompt *prompt, const struct prompt_target *first, int count,
                             int64_t now_ms)
{
    prompt_open_cancel(prompt, first, now_ms);
    prompt->kind = PROMPT_CANCEL_MANY;
    prompt->count = count;
    prompt->attempts = 0; /* of the first alone: nothing is said of them */
}

void prompt_open_quit(struct prompt *prompt, int running, int waiting, int64_t now_ms)
{
    assert(prompt->kind == PROMPT_NONE);
    *prompt = (struct prompt){.kind = PROMPT_QUIT, .opened_ms = now_ms};
    prompt_update_quit(prompt, running, waiting);
}

void prompt_close(struct prompt *prompt)
{
    prompt->kind = PROMPT_NONE;
}

bool prompt_update(struct prompt *prompt, const struct prompt_target *target, int64_t now_ms)
{
    if (prompt->kind != PROMPT_CANCEL)
        return false;
    assert(target->task == prompt->task);
    bool moved = target->step != prompt->step;
    if (!moved && target->status == prompt->status && target->attempt == prompt->attempt)
        return false;
    prompt->moved = prompt->moved || moved;
    take_target(prompt, target);
    prompt->changed = true;
    prompt->opened_ms = now_ms;
    return true;
}

void prompt_update_quit(struct prompt *prompt, int running, int waiting)
{
    if (prompt->kind != PROMPT_QUIT)
        return;
    prompt->running = running;
    prompt->waiting = waiting;
}

enum prompt_choice prompt_key(struct prompt *prompt, uint32_t key, int64_t now_ms)
{
    if (prompt->kind == PROMPT_NONE)
        return PROMPT_UNDECIDED;
    bool deaf = now_ms - prompt->opened_ms < PROMPT_DEAF_MS;
    if (deaf)
        return PROMPT_UNDECIDED;
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        if (answers[i].kind == prompt->kind && answers[i].key == key) {
            prompt_close(prompt);
            return answers[i].choice;
        }
    }
    return PROMPT_UNDECIDED;
}

static int answer_count(enum prompt_kind kind)
{
    int count = 0;
    for (size_t i = 0; i < ARRAY_LEN(answers); i++)
        count += answers[i].kind == kind;
    return count;
}

int prompt_rows(const struct prompt *prompt, int canvas_rows)
{
    if (prompt->kind == PROMPT_NONE)
        return 0;
    int rows = 1 + answer_count(prompt->kind);
    assert(rows <= PROMPT_ROWS);
    return rows < canvas_rows ? rows : canvas_rows;
}

static const char *plural(int count, const char *one, const char *more)
{
    return count == 1 ? one : more;
}

static void ask_quit(const struct prompt *prompt, char *out, size_t size)
{
    (void)snprintf(out, size, "Quit devs?   %d %s and %d %s: the engine lives in this program.",
                   prompt->running, plural(prompt->running, "task runs", "tasks run"),
                   prompt->waiting, plural(prompt->waiting, "waits", "wait"));
}

static void ask_many(const struct prompt *prompt, char *out, size_t size)
{
    (void)snprintf(out, size,
                   "Cancel all %d tasks of one fault?   %s and %d more; all of them wait",
                   prompt->count, prompt->id, prompt->count - 1);
}

/* The question's columns: the names first, cut where they must be, then the state,
 * which is never pushed out by a long title. */
static void draw_cancel_question(const struct prompt *prompt, struct canvas *canvas, int row)
{
    char state[PROMPT_NOTE_MAX], question[QUESTION_MAX], words[PROMPT_NOTE_MAX + 40];
    describe_target(prompt, state, sizeof(state));
    if (prompt->changed) {
        (void)snprintf(question, sizeof(question), "%s has changed.", prompt->id);
        (void)snprintf(words, sizeof(words), "Cancel it?   %s", state);
    } else {
        (void)snprintf(question, sizeof(question), "Cancel %s%s%s?", prompt->id,
                       prompt->title[0] ? " " : "", prompt->title);
        (void)snprintf(words, sizeof(words), "%s", state);
    }
    int room = canvas->columns - 2 - (int)strlen(words) - 3;
    if (room < (int)strlen(prompt->id) + 10)
        room = canvas->columns - 2; /* too narrow for both */
    struct spot spot = {row, 1, room};
    spot.column += canvas_text(canvas, spot, STYLE_PROMPT, question) + 3;
    spot.width = canvas->columns - 1 - spot.column;
    canvas_text(canvas, spot, prompt->changed ? STYLE_NEEDS_YOU : STYLE_PROMPT, words);
}

static void clear_row(struct canvas *canvas, int row)
{
    for (int i = 0; i < canvas->columns; i++) {
        struct cell *cell = canvas_cell(canvas, row, i);
        if (cell)
            *cell = (struct cell){.rune = ' ', .style = STYLE_PROMPT};
    }
}

static void draw_answer(const struct prompt *prompt, const struct answer *answer,
                        struct canvas *canvas, int row)
{
    struct spot spot = {row, 1, canvas->columns - 1};
    int used = canvas_text(canvas, spot, STYLE_KEY, answer->name);
    spot.column += used + 2;
    spot.width = canvas->columns - spot.column;
    spot.column += canvas_text(canvas, spot, STYLE_PROMPT, answer->words);
    if (answer->choice != PROMPT_STOP || prompt->attempts == 0)
        return;
    char kept[PROMPT_NOTE_MAX];
    (void)snprintf(kept, sizeof(kept), ", keep the %d %s and captures", prompt->attempts,
                   plural(prompt->attempts, "try", "tries"));
    spot.width = canvas->columns - spot.column;
    canvas_text(canvas, spot, STYLE_PROMPT, kept);
}

void prompt_draw(const struct prompt *prompt, struct canvas *canvas)
{
    int rows = prompt_rows(prompt, canvas->rows);
    if (rows == 0)
        return;
    int row = canvas->rows - rows;
    for (int i = row; i < canvas->rows; i++)
        clear_row(canvas, i);
    if (prompt->kind == PROMPT_CANCEL) {
        draw_cancel_question(prompt, canvas, row);
    } else {
        char question[QUESTION_MAX];
        if (prompt->kind == PROMPT_QUIT)
            ask_quit(prompt, question, sizeof(question));
        else
            ask_many(prompt, question, sizeof(question));
        canvas_text(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_PROMPT, question);
    }
    for (size_t i = 0; i < ARRAY_LEN(answers) && row < canvas->rows - 1; i++) {
        if (answers[i].kind == prompt->kind)
            draw_answer(prompt, &answers[i], canvas, ++row);
    }
}

void line_edit_open(struct line_edit *edit)
{
    edit->open = true;
}

void line_edit_clear(struct line_edit *edit)
{
    edit->text[0] = '\0';
    edit->len = 0;
}

static void add_rune(struct line_edit *edit, uint32_t rune)
{
    char bytes[4];
    size_t count = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (edit->len + count >= sizeof(edit->text))
        return;
    for (size_t i = count; i-- > 1; rune >>= 6)
        bytes[i] = (char)(0x80 | (rune & 0x3f));
    bytes[0] = (char)(leads[count] | rune);
    memcpy(edit->text + edit->len, bytes, count);
    edit->len += count;
    edit->text[edit->len] = '\0';
}

static void drop_rune(struct line_edit *edit)
{
    while (edit->len > 0) {
        edit->len--;
        if (((unsigned char)edit->text[edit->len] & 0xc0) != 0x80)
            break;
    }
    edit->text[edit->len] = '\0';
}

static bool is_text(uint32_t key)
{
    bool surrogate = key >= 0xd800 && key <= 0xdfff;
    bool control = key < 0x20 || (key >= 0x7f && key <= 0x9f);
    return key < TERM_KEY_FIRST && !surrogate && !control;
}

enum line_edit_result line_edit_key(struct line_edit *edit, uint32_t key)
{
    if (key == TERM_KEY_ENTER) {
        edit->open = false;
        return LINE_EDIT_KEPT;
    }
    if (key == TERM_KEY_ESC) {
        edit->open = false;
        line_edit_clear(edit);
        return LINE_EDIT_CLEARED;
    }
    if (key == TERM_KEY_BACKSPACE)
        drop_rune(edit);
    else if (key == KEY_CTRL_U)
        line_edit_clear(edit);
    else if (is_text(key))
        add_rune(edit, key);
    return LINE_EDIT_OPEN;
}

/* How much of the text's front is left out so that its end is in sight. */
static size_t skip_for(const struct line_edit *edit, int width)
{
    size_t at = edit->len;
    int columns = 0;
    for (size_t start = at; start > 0; at = start) {
        do
            start--;
        while (start > 0 && ((unsigned char)edit->text[start] & 0xc0) == 0x80);
        uint32_t rune = 0;
        (void)text_rune(edit->text + start, edit->len - start, &rune);
        columns += rune_width(rune);
        if (columns > width)
            break;
    }
    return at;
}

void line_edit_draw(const struct line_edit *edit, struct canvas *canvas, int row, const char *label)
{
    struct spot spot = {row, 1, canvas->columns - 1};
    for (int column = 0; column < canvas->columns; column++)
        (void)canvas_text(canvas, (struct spot){row, column, 1}, STYLE_PLAIN, " ");
    spot.column += canvas_text(canvas, spot, STYLE_LABEL, label);
    spot.width = canvas->columns - spot.column - 1; /* a column for the cursor */
    int used = 0;
    if (spot.width > 0) {
        size_t skip = skip_for(edit, spot.width);
        used = canvas_text_n(canvas, spot, STYLE_PLAIN, edit->text + skip, edit->len - skip);
    }
    if (!edit->open)
        return;
    int column = spot.column + used;
    canvas->cursor_row = row;
    canvas->cursor_column = column < canvas->columns ? column : canvas->columns - 1;
}
