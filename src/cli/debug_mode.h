/*
 * debug_mode.h - what `devs debug` can do: a row for each, with the options that say something
 * there.
 */
#ifndef DEVS_DEBUG_MODE_H
#define DEVS_DEBUG_MODE_H

#include <stdbool.h>
#include <stddef.h>

#include "attempt_pick.h"
#include "command.h"
#include "frame_print.h"
#include "record_words.h"

/* The words of the command line; NULL or false where nothing was said. */
struct debug_words {
    bool logs, forensics; /* the modes; struct frame_words has the third */
    bool lnav_format;     /* a mode */
    bool plain, json, follow;
    struct record_words record;
    const char *what_if; /* a mode: its file */
    bool diff, retries;
    bool verify, rules;
    bool mark, marks;
    const char *unmark, *name; /* of bookmarks */
    struct frame_words frame;
    struct attempt_words attempt;
};

/* One call of the command. All borrowed. */
struct debug_call {
    struct globals *globals;
    const struct debug_words *words;
    char **operands;
    int operand_count;
};

struct debug_mode {
    const char *name;               /* of the option that asks for it */
    const char *options;            /* that may be said with it: their names, a blank between two */
    const char *usage;              /* the whole command, for who has said something else */
    int min_operands, max_operands; /* max -1 = any */
    int (*run)(const struct debug_call *call); /* returns the exit code; prints its errors */
};

/* Of several modes that are named the first one is meant, if the others go with it. NULL past the
 * last. */
const struct debug_mode *debug_mode_at(size_t index);
/* The usage of each, on stdout. */
void debug_mode_help(void);

#endif
