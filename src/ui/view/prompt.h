/*
 * prompt.h - questions before an act: about one task, about many, and before leaving.
 *
 * Plain values, pure: time comes in as milliseconds of the steady clock. What a question is about
 * is fixed when it opens. The key that says yes is never the one that asked, Enter or y.
 */
#ifndef DEVS_PROMPT_H
#define DEVS_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"
#include "line_edit.h"
#include "run_state.h"

enum {
    PROMPT_DEAF_MS = 150, /* nothing but Esc is taken for so long after it opens */
    PROMPT_ID_MAX = 64,
    PROMPT_TITLE_MAX = 160,
    PROMPT_NOTE_MAX = 120,
    PROMPT_LIST_MAX = 512, /* bytes of the ids that a question about many lists */
    PROMPT_TRIES_MAX = 8,  /* bytes of a number of tries that is typed */
    PROMPT_ROWS = 8,       /* most rows a prompt takes */
};

enum prompt_kind {
    PROMPT_NONE,
    PROMPT_CANCEL,
    PROMPT_CANCEL_MANY,
    PROMPT_KILL,
    PROMPT_KILL_MANY,
    PROMPT_RETRY_MANY,
    PROMPT_RETRY_WITH, /* with a hint, or other limits: see struct prompt_retry */
    PROMPT_RETRY_WITH_MANY,
    PROMPT_HOLD_MANY,
    PROMPT_RELEASE_MANY,
    PROMPT_QUIT,
    PROMPT_KIND_COUNT,
};

enum prompt_choice {
    PROMPT_UNDECIDED,  /* still open */
    PROMPT_KEPT,       /* Esc: closed, nothing is to be done */
    PROMPT_STOP,       /* s: CANCEL_STOP */
    PROMPT_TERM,       /* t: CANCEL_TERM */
    PROMPT_KILLED,     /* K: CANCEL_KILL */
    PROMPT_GO,         /* what was asked for is to be done */
    PROMPT_WAIT,       /* w: start nothing more, leave when what runs has ended */
    PROMPT_CANCEL_ALL, /* c: cancel all, then leave */
    PROMPT_DETACH,     /* d: leave, and let the run go on without a terminal */
};

/* The task a question is about, as it is at one moment. */
struct prompt_target {
    int task;
    const char *id;    /* borrowed for the call */
    const char *title; /* borrowed for the call; "" for none */
    enum task_status status;
    int step; /* number of the current one; attempts count from 1 in each */
    enum phase phase;
    int attempt;    /* number of the one alive, else of the last; 0 = none yet */
    int attempts;   /* tries with captures so far */
    int tries_left; /* it has so many from now where nobody says otherwise */
    enum hint_goes hint_goes;
};

/* Tasks a question is about, as they are at one moment. All borrowed for the call. */
struct prompt_many {
    enum prompt_kind kind; /* one of PROMPT_..._MANY */
    const char *whose;     /* "marked tasks", "tasks of one fault": with their number before it */
    const char *ids;       /* of them, with a blank between */
    int count;
    int running;          /* so many of them run */
    int hidden;           /* so many have no row on the screen */
    int agents;           /* an agent gets the hint in so many */
    int left_out;         /* so many more were meant, but it cannot be done to them: */
    const char *left_why; /* of the first of these, why not */
};

/* What is typed before a retry with choices. */
struct prompt_retry {
    bool is_asked; /* nothing is typed any more: yes or no */
    bool in_tries; /* which field takes the keys */
    struct line_edit hint, tries;
    char problem[PROMPT_NOTE_MAX]; /* why it will not do; "" = it will */
};

struct prompt {
    enum prompt_kind kind; /* PROMPT_NONE: closed */
    int64_t opened_ms;
    bool changed; /* what it is about changed while the question stood */
    /* ..._MANY */
    int count, running, hidden, agents, left_out;
    char whose[PROMPT_NOTE_MAX];
    char ids[PROMPT_LIST_MAX];
    char left_why[PROMPT_NOTE_MAX];
    /* of one task */
    int task;
    int step;    /* the one it is about */
    int attempt; /* likewise; 0 = none yet */
    enum task_status status;
    enum phase phase;
    int attempts, tries_left;
    enum hint_goes hint_goes;
    bool moved; /* it went on to another step */
    char id[PROMPT_ID_MAX];
    char title[PROMPT_TITLE_MAX];
    /* PROMPT_QUIT */
    int waiting;
    /* PROMPT_RETRY_WITH... */
    struct prompt_retry retry;
};

/* Each opens a closed prompt. The caller also drops keys typed ahead. */

/* Of one task: PROMPT_CANCEL, PROMPT_KILL or PROMPT_RETRY_WITH. */
void prompt_open(struct prompt *prompt, enum prompt_kind kind, const struct prompt_target *target,
                 int64_t now_ms);
/* The caller keeps which tasks they are. */
void prompt_open_many(struct prompt *prompt, const struct prompt_many *many, int64_t now_ms);
/* Of the whole run: so many attempts run, so many tasks wait. */
void prompt_open_quit(struct prompt *prompt, int running, int waiting, int64_t now_ms);
void prompt_close(struct prompt *prompt);
/* Is it about one task, or about several? */
bool prompt_is_of_one(const struct prompt *prompt);
/* Is it open about several tasks? False for the one about quitting, too. */
bool prompt_is_of_many(const struct prompt *prompt);

/* Tell an open question of one task what that is now. If status, step or attempt are
 * not what the question was about, it says so, is about the new ones from now on, is
 * deaf again, and this returns true. Call before prompt_key(). */
bool prompt_update(struct prompt *prompt, const struct prompt_target *target, int64_t now_ms);
/* The same of many, which have changed. */
void prompt_update_many(struct prompt *prompt, const struct prompt_many *many, int64_t now_ms);
/* The numbers in a quit prompt; only what it says changes. */
void prompt_update_quit(struct prompt *prompt, int running, int waiting);

/* Take a key. Anything but PROMPT_UNDECIDED has closed the prompt; what it was about, and what was
 * typed, stay readable. */
enum prompt_choice prompt_key(struct prompt *prompt, uint32_t key, int64_t now_ms);
/* Are keys text now? */
bool prompt_wants_text(const struct prompt *prompt);
/* What was typed: 0 = as the plan says; "" = no hint. */
int prompt_tries(const struct prompt *prompt);
/* The hint that was typed; borrowed until the next key. */
const char *prompt_hint(const struct prompt *prompt);

/* Rows it takes at the bottom of a canvas so high; 0 when closed. */
int prompt_rows(const struct prompt *prompt, int canvas_rows);
/* Draw it over the last prompt_rows() rows; nothing when closed. */
void prompt_draw(const struct prompt *prompt, struct canvas *canvas);

/* An answer to a question: its key, and what it does, in four lengths. */
struct prompt_answer {
    uint32_t key;
    const char *name;
    enum prompt_choice choice;
    const char *words;  /* a row of 80 columns */
    const char *middle; /* a row of 40 columns */
    const char *brief;  /* a row of 24 columns */
    const char *tiny;   /* beside others in one row */
};

/* The answers to the question as it stands, in the order of the screen; an empty one ends them. */
const struct prompt_answer *prompt_answers(const struct prompt *prompt);
/* "Cancel", "Let go": what is asked. */
const char *prompt_verb(enum prompt_kind kind);
/* Is it about a retry with choices? */
bool prompt_is_retry_with(const struct prompt *prompt);

#endif
