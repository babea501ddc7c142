/* debug_mode.h - the options of `devs debug`, and its modes. Each mode has a file in this folder,
 * except --frame, which is in export, and --verify and --what-if, which are commands, too.
 * command/cmd_debug.c has devs replay, and the table that says which options go with which mode. */
#ifndef DEVS_DEBUG_MODE_H
#define DEVS_DEBUG_MODE_H

#include <stdbool.h>

#include "command.h"
#include "target.h"

/* The options that select records. NULL = not given. An element of `tasks` and `kinds` may be a
 * comma-separated list. */
struct record_words {
    struct option_words tasks, kinds;
    const char *level, *since, *until, *grep;
};

/* The options of a frame. NULL = not given. */
struct frame_words {
    const char *size; /* "80x24" */
    const char *at, *view;
    bool svg, replay;
};

/* The options as given; NULL or false = not given. */
struct debug_words {
    bool logs, forensics; /* modes; frame.size selects the mode --frame */
    bool lnav_format;     /* a mode */
    bool plain, json, follow;
    struct record_words record;
    const char *what_if; /* a mode; the policy file */
    bool diff, retries;
    bool verify, rules;
    bool mark, marks;
    const char *unmark, *name; /* options for bookmarks */
    struct frame_words frame;
    struct attempt_words attempt;
};

/* One invocation of the command. Everything is borrowed. */
struct debug_call {
    struct globals *globals;
    const struct debug_words *words;
    const char *name; /* for messages: "replay", "debug --logs" */
    char **operands;
    int operand_count;
};

/*
 * The modes. Each prints its result and its errors, and returns the exit code. Main thread.
 */

/* --logs: the records of a run as lines, or its replay on a terminal. */
int debug_records(const struct debug_call *call);
/* --forensics: what is known about the end of an attempt of [RUN/]TASK, as text or as one JSON
 * object. */
int debug_forensics(const struct debug_call *call);
/* --frame: prints one frame of the cockpit, as text or as a picture. */
int debug_frame(const struct debug_call *call);
/* --what-if POLICY.json [RUN...]: what other policies would have decided, and how much the policy
 * careful would have saved. Returns EXIT_WOULD_CHANGE if a decision differs. */
int debug_what_if(const struct debug_call *call);
/* --diff: compares two attempts, [RUN/]TASK#N with #N, N or [RUN/]TASK#N; the last two attempts of
 * [RUN/]TASK; or two runs. */
int debug_diff(const struct debug_call *call);
/* --verify: decides and judges recorded runs again with this build. Returns EXIT_WOULD_CHANGE if a
 * result differs. */
int debug_verify(const struct debug_call *call);
/* Prints how to name runs, for the help of devs verify and devs what-if. */
void debug_runs_help(void);
/* --retries: whether retrying helps and where the time went, in the given runs or the whole log. */
int debug_retries(const struct debug_call *call);
/* --mark: adds a bookmark at a moment of a run. */
int debug_mark(const struct debug_call *call);
/* --marks: lists the bookmarks of a run, or of all runs. */
int debug_marks(const struct debug_call *call);
/* --unmark: removes a bookmark by its number. */
int debug_unmark(const struct debug_call *call);

#endif
