/*
 * outside.h - a program that the cockpit starts for the person: a pager that gets the terminal.
 *
 * Main thread. It stays in our session, so the engine leaves it alone, in a process group of its
 * own. It runs in "/", and is found by absolute folders of PATH only: a step may have
 * written anything in the project's folder.
 */
#ifndef DEVS_OUTSIDE_H
#define DEVS_OUTSIDE_H

#include <stdbool.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"

enum { OUTSIDE_ARGS_MAX = 66, OUTSIDE_WORDS_MAX = 1024 };

/* The words of a command line as $PAGER holds it, split at blanks; no shell looks at them. */
struct outside_words {
    char text[OUTSIDE_WORDS_MAX];
    char *argv[OUTSIDE_ARGS_MAX]; /* into `text`; ends with NULL */
};
/* False if there is none, or more than fits. */
ATTR_MUST_USE bool outside_split(const char *line, struct outside_words *out);

/* Start a program with the terminal in its hands and `input` as its stdin. */
ATTR_MUST_USE bool outside_start_on_terminal(char *const *argv, int input, pid_t *out,
                                             struct err *err);

/* How it stands with a program. One that was stopped is OUTSIDE_STOPPED. */
enum outside_state { OUTSIDE_RUNS, OUTSIDE_STOPPED, OUTSIDE_ENDED };
enum outside_state outside_look(pid_t pid);
/* End it and all in its group, and wait for it. */
void outside_end(pid_t pid);
/* The terminal is ours again. */
void outside_take_terminal(void);

#endif
