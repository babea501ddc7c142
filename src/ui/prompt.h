/*
 * prompt.h - questions before an act that destroys, and the line one types a filter in.
 *
 * Plain values, pure: time comes in as milliseconds of the steady clock. The
 * target of a question is fixed when it opens.
 */
#ifndef DEVS_PROMPT_H
#define DEVS_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"
#include "run_state.h"

enum {
    PROMPT_DEAF_MS = 150, /* nothing is taken for so long after it opens */
    PROMPT_ID_MAX = 64,
    PROMPT_TITLE_MAX = 160,
    PROMPT_NOTE_MAX = 120,
    PROMPT_ROWS = 5, /* most rows a prompt takes */
    LINE_EDIT_MAX = 200,
};

enum prompt_kind { PROMPT_NONE, PROMPT_CANCEL, PROMPT_CANCEL_MANY, PROMPT_QUIT };

enum prompt_choice {
    PROMPT_UNDECIDED,  /* still open */
    PROMPT_KEPT,       /* Esc: closed, nothing is to be done */
    PROMPT_STOP,       /* s: CANCEL_STOP */
    PROMPT_TERM,       /* t: CANCEL_TERM */
    PROMPT_KILL,       /* K: CANCEL_KILL */
    PROMPT_WAIT,       /* w: start nothing more, leave when what runs has ended */
    PROMPT_CANCEL_ALL, /* c: cancel all, then leave */
    PROMPT_DETACH,     /* d: leave, and let the run go on without a terminal */
};

/* The task a cancel is about, as it is at one moment. */
struct prompt_target {
    int task;
    const char *id;    /* borrowed for the call */
    const char *title; /* borrowed for the call; "" for none */
    enum task_status status;
    int step; /* number of the current one; attempts count from 1 in each */
    enum phase phase;
    int attempt;  /* number of the one alive, else of the last; 0 = none yet */
    int attempts; /* tries with captures so far */
};

struct prompt {
    enum prompt_kind kind; /* PROMPT_NONE: closed */
    int64_t opened_ms;
    /* PROMPT_CANCEL_MANY */
    int count; /* tasks it is about; 0 in any other question */
    /* PROMPT_CANCEL, and of the first of many */
    int task;
    int step;    /* the one it is about */
    int attempt; /* likewise; 0 = none yet */
    enum task_status status;
    enum phase phase;
    int attempts;
    bool changed; /* the task changed while the question stood */
    bool moved;   /* and went on to another step */
    char id[PROMPT_ID_MAX];
    char title[PROMPT_TITLE_MAX];
    /* PROMPT_QUIT */
    int running, waiting;
};

/* Each opens a closed prompt. The caller also drops keys typed ahead. */
void prompt_open_cancel(struct prompt *prompt, const struct prompt_target *target, int64_t now_ms);
/* About the tasks of one fault, which wait; the caller keeps which they are. */
void prompt_open_cancel_many(struct prompt *prompt, const struct prompt_target *first, int count,
                             int64_t now_ms);
void prompt_open_quit(struct prompt *prompt, int running, int waiting, int64_t now_ms);
void prompt_close(struct prompt *prompt);

/* Tell an open cancel prompt what its task is now. If status, step or attempt are
 * not what the question was about, it says so, is about the new ones from now on, is
 * deaf again, and this returns true. Call before prompt_key(). */
bool prompt_update(struct prompt *prompt, const struct prompt_target *target, int64_t now_ms);
/* The same for the numbers in a quit prompt; only what it says changes. */
void prompt_update_quit(struct prompt *prompt, int running, int waiting);

/* Take a key. Anything but PROMPT_UNDECIDED has closed the prompt; task, step and
 * attempt stay readable. */
enum prompt_choice prompt_key(struct prompt *prompt, uint32_t key, int64_t now_ms);

/* Rows it takes at the bottom of a canvas so high; 0 when closed. */
int prompt_rows(const struct prompt *prompt, int canvas_rows);
void prompt_draw(const struct prompt *prompt, struct canvas *canvas);

/* A line of text that is being typed; the cursor stays at its end. */
struct line_edit {
    bool open;
    char text[LINE_EDIT_MAX]; /* UTF-8 */
    size_t len;
};

enum line_edit_result {
    LINE_EDIT_OPEN,    /* goes on; the text may have changed */
    LINE_EDIT_KEPT,    /* Enter: closed, the text stays */
    LINE_EDIT_CLEARED, /* Esc: closed, the text is empty */
};

/* Open with the text that is there. */
void line_edit_open(struct line_edit *edit);
void line_edit_clear(struct line_edit *edit);
/* Runes are added while there is room, Backspace takes the last one, ^U all. */
enum line_edit_result line_edit_key(struct line_edit *edit, uint32_t key);
/* "label text_" in one row, the end of the text in sight; sets the cursor. */
void line_edit_draw(const struct line_edit *edit, struct canvas *canvas, int row,
                    const char *label);

#endif
