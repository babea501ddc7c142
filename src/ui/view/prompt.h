/* prompt.h - questions before an act: about one task, about many, and before leaving.
 *
 * Plain values, pure. Times are milliseconds on the steady clock. The subject of a question is
 * fixed when it opens. The key that confirms is never Enter, y, or the key that opened the
 * question. */
#ifndef DEVS_PROMPT_H
#define DEVS_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"
#include "line_edit.h"
#include "run_state.h"

enum {
    PROMPT_DEAF_MS = 150, /* after opening, only Esc is accepted for this long */
    PROMPT_ID_MAX = 64,
    PROMPT_TITLE_MAX = 160,
    PROMPT_NOTE_MAX = 120,
    PROMPT_LIST_MAX = 512, /* size in bytes of the list of ids in a question about many tasks */
    PROMPT_TRIES_MAX = 8,  /* size in bytes of the input for a number of tries */
    PROMPT_ROWS = 8,       /* maximum height of a prompt */
};

enum prompt_kind {
    PROMPT_NONE,
    PROMPT_CANCEL,
    PROMPT_CANCEL_MANY,
    PROMPT_KILL,
    PROMPT_KILL_MANY,
    PROMPT_RETRY_MANY,
    PROMPT_RETRY_WITH, /* with a hint or other limits, see struct prompt_retry */
    PROMPT_RETRY_WITH_MANY,
    PROMPT_HOLD_MANY,
    PROMPT_RELEASE_MANY,
    PROMPT_QUIT,
    PROMPT_KIND_COUNT,
};

enum prompt_choice {
    PROMPT_UNDECIDED,  /* still open */
    PROMPT_KEPT,       /* Esc: closed without an act */
    PROMPT_STOP,       /* s: CANCEL_STOP */
    PROMPT_TERM,       /* t: CANCEL_TERM */
    PROMPT_KILLED,     /* K: CANCEL_KILL */
    PROMPT_GO,         /* carry out the act */
    PROMPT_WAIT,       /* w: start nothing more, leave when all running attempts have ended */
    PROMPT_CANCEL_ALL, /* c: cancel all, then leave */
    PROMPT_DETACH,     /* d: leave, and let the run continue without a terminal */
};

/* A snapshot of the task that a question is about. */
struct prompt_target {
    int task;
    const char *id;    /* borrowed for the call */
    const char *title; /* borrowed for the call; "" = none */
    enum task_status status;
    int step; /* number of the current step; attempts count from 1 in each step */
    enum phase phase;
    int attempt;    /* number of the running attempt, or of the last one; 0 = none yet */
    int attempts;   /* number of attempts of the current step so far */
    int tries_left; /* number of further tries that the task gets by default */
    enum hint_goes hint_goes;
};

/* A snapshot of the tasks that a question is about. Borrowed for the call. */
struct prompt_many {
    enum prompt_kind kind; /* one of PROMPT_..._MANY */
    const char *whose; /* what the tasks are, shown after their number: "marked tasks", "tasks of
                          one fault" */
    const char *ids;   /* ids of the tasks, separated by blanks */
    int count;
    int running;  /* how many are running */
    int hidden;   /* how many have no visible row */
    int agents;   /* how many pass the hint to an agent */
    int left_out; /* how many selected tasks were left out because they do not allow the act */
    const char *left_why; /* why the first task was left out */
};

/* Input for a retry with options. */
struct prompt_retry {
    bool is_asked; /* the input is complete; only the confirmation is left */
    bool in_tries; /* the active field is `tries`, not `hint` */
    struct line_edit hint, tries;
    char problem[PROMPT_NOTE_MAX]; /* why the input is not valid; "" = it is valid */
};

struct prompt {
    enum prompt_kind kind; /* PROMPT_NONE: closed */
    int64_t opened_ms;
    bool changed; /* the subject changed while the question was open */
    /* Questions about many tasks (..._MANY). */
    int count, running, hidden, agents, left_out;
    char whose[PROMPT_NOTE_MAX];
    char ids[PROMPT_LIST_MAX];
    char left_why[PROMPT_NOTE_MAX];
    /* Questions about one task. */
    int task;
    int step;    /* the step in question */
    int attempt; /* the attempt in question; 0 = none yet */
    enum task_status status;
    enum phase phase;
    int attempts, tries_left;
    enum hint_goes hint_goes;
    bool moved; /* the task has moved on to a different step */
    char id[PROMPT_ID_MAX];
    char title[PROMPT_TITLE_MAX];
    /* The question about quitting (PROMPT_QUIT). */
    int waiting;
    /* Retries with options (PROMPT_RETRY_WITH and PROMPT_RETRY_WITH_MANY). */
    struct prompt_retry retry;
};

/* These functions open a closed prompt. The caller must also discard typeahead. */

/* Asks about one task: PROMPT_CANCEL, PROMPT_KILL or PROMPT_RETRY_WITH. */
void prompt_open(struct prompt *prompt, enum prompt_kind kind, const struct prompt_target *target,
                 int64_t now_ms);
/* Asks about many tasks. The caller keeps the list of tasks. */
void prompt_open_many(struct prompt *prompt, const struct prompt_many *many, int64_t now_ms);
/* Asks about quitting during a run with `running` attempts and `waiting` tasks. */
void prompt_open_quit(struct prompt *prompt, int running, int waiting, int64_t now_ms);
void prompt_close(struct prompt *prompt);
/* Returns true if the prompt is about a single task. */
bool prompt_is_of_one(const struct prompt *prompt);
/* Returns true if the prompt is open and about several tasks. False for PROMPT_QUIT. */
bool prompt_is_of_many(const struct prompt *prompt);

/* Updates an open question about one task. Returns true if status, step or attempt have changed:
 * the prompt then says so, refers to the new values and ignores keys for a moment. Call before
 * prompt_key(). */
bool prompt_update(struct prompt *prompt, const struct prompt_target *target, int64_t now_ms);
/* Updates an open question about many tasks; call it when the tasks have changed. Ignores
 * many->whose. */
void prompt_update_many(struct prompt *prompt, const struct prompt_many *many, int64_t now_ms);
/* Updates the numbers in a quit prompt. Changes only its text. */
void prompt_update_quit(struct prompt *prompt, int running, int waiting);

/* Handles a key. Any result except PROMPT_UNDECIDED means that the prompt is closed; its subject
 * and input stay readable. */
enum prompt_choice prompt_key(struct prompt *prompt, uint32_t key, int64_t now_ms);
/* Returns true if typed keys are text at present. */
bool prompt_wants_text(const struct prompt *prompt);
/* Returns the number of tries typed; 0 = as in the plan. */
int prompt_tries(const struct prompt *prompt);
/* Returns the hint typed, "" if none; borrowed until the next key. */
const char *prompt_hint(const struct prompt *prompt);

/* Returns the prompt's height on a canvas of this height; 0 if closed. */
int prompt_rows(const struct prompt *prompt, int canvas_rows);
/* Draws the prompt over the last prompt_rows() rows; nothing if closed. */
void prompt_draw(const struct prompt *prompt, struct canvas *canvas);

/* An answer to a question: its key and its effect, in four lengths. */
struct prompt_answer {
    uint32_t key;
    const char *name;
    enum prompt_choice choice;
    const char *words;  /* text for a row of 80 columns */
    const char *middle; /* text for a row of 40 columns */
    const char *brief;  /* text for a row of 24 columns */
    const char *tiny;   /* text beside other answers in one row */
};

/* Returns the answers to the present question, in display order. The list ends with an answer whose
 * name is NULL. */
const struct prompt_answer *prompt_answers(const struct prompt *prompt);
/* Returns the name of the act: "Cancel", "Release". */
const char *prompt_verb(enum prompt_kind kind);
/* Returns true for a retry with options. */
bool prompt_is_retry_with(const struct prompt *prompt);

#endif
