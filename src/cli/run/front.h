/*
 * front.h - the process that the shell waits for, where the one that works is to be able to
 * go on without it.
 *
 * front_open() forks, so it comes before any thread and any file of the log: the child goes on
 * as devs, the parent stays the shell's job. It passes on the signals that were sent to it
 * alone, stops when the child stops, continues it, and ends as it ends, unless the child lets
 * it go first. If the parent is killed the child gets SIGHUP, as if the terminal were gone.
 * Main thread.
 */
#ifndef DEVS_FRONT_H
#define DEVS_FRONT_H

#include <stdbool.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"

enum front_kind {
    FRONT_HERE,  /* the child works in our session, on our terminal: the cockpit */
    FRONT_APART, /* in a session of its own, without a terminal: --detach */
};

enum {
    FRONT_WORDS_MAX = 512,
    FRONT_SAME_MS = 250, /* a signal that comes again so soon came both ways: it is one */
};

/* In the parent: a signal ended the child, and it had not let us go. */
struct front_end {
    void (*died)(const void *ctx, pid_t child, int signal_number);
    const void *ctx;
};

struct front {
    int fd;        /* to the parent; -1 = there is none, or it was let go */
    int exit_code; /* the parent's, once front_open() has returned false to it */
};

/* False in the parent, when all is over: it has nothing to do but to exit with exit_code.
 * Where no process can be had: false too, *err says why. */
ATTR_MUST_USE bool front_open(struct front *front, enum front_kind kind,
                              const struct front_end *end, struct err *err);

/* Let the parent end with this code; it prints `words` first. From then on this process has a
 * session of its own, and stdin, stdout and stderr lead nowhere. */
void front_let_go(struct front *front, int code, const char *words);

/* stdin, stdout and stderr that are terminals lead nowhere from now on. */
void front_forget_terminal(void);

void front_close(struct front *front);

#endif
