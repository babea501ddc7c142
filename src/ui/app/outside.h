/*
 * outside.h - a program that the cockpit starts for the user: a pager that gets the terminal.
 *
 * Main thread. The program stays in our session, so the engine leaves it alone, in a process group
 * of its own. It runs in "/" and is looked up only in absolute folders of PATH, because a step may
 * have written anything in the project's folder.
 */
#ifndef DEVS_OUTSIDE_H
#define DEVS_OUTSIDE_H

#include <stdbool.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"

enum { OUTSIDE_ARGS_MAX = 66, OUTSIDE_WORDS_MAX = 1024 };

/* The words of a command line from $PAGER, split at blanks without a shell. */
struct outside_words {
    char text[OUTSIDE_WORDS_MAX];
    char *argv[OUTSIDE_ARGS_MAX]; /* points into `text`; ends with NULL */
};
/* Returns false if there are no words, or more than fit. */
ATTR_MUST_USE bool outside_split(const char *line, struct outside_words *out);

/* Starts a program that owns the terminal, with `input` as its stdin. */
ATTR_MUST_USE bool outside_start_on_terminal(char *const *argv, int input, pid_t *out,
                                             struct err *err);

/* State of a program. OUTSIDE_STOPPED: stopped by a signal. */
enum outside_state { OUTSIDE_RUNS, OUTSIDE_STOPPED, OUTSIDE_ENDED };
enum outside_state outside_look(pid_t pid);
/* Kills the program and its process group, and waits for it. */
void outside_end(pid_t pid);
/* Makes us the terminal's foreground group again. */
void outside_take_terminal(void);

#endif
