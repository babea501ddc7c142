/* run_internal.h - the parts of this folder that only session.c uses: the parent process, and the
 * summary after a run. */
#ifndef DEVS_RUN_INTERNAL_H
#define DEVS_RUN_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "place.h"
#include "run_state.h"
#include "str.h"

/* foreground.c: the process that the shell waits for, when the working process may outlive it.
 *
 * foreground_open() forks, so it must be called before any thread is started and any file of the
 * log is opened. The child continues as devs; the parent stays the shell's job. The parent passes
 * on signals that were sent to it alone, stops and continues with the child, and exits like the
 * child unless the child releases it earlier. If the parent is killed, the child gets SIGHUP, as if
 * the terminal had hung up. Main thread. */

enum foreground_kind {
    FOREGROUND_HERE,  /* the child stays in our session, on our terminal: the cockpit */
    FOREGROUND_APART, /* the child gets a session of its own, without a terminal: --detach */
};

enum {
    FOREGROUND_WORDS_MAX = 512,
    FOREGROUND_SAME_MS = 250, /* a signal repeated within this time was sent to both processes */
};

/* In the parent: called if a signal ended the child before it released us. */
struct foreground_end {
    void (*died)(const void *ctx, pid_t child, int signal_number);
    const void *ctx;
};

struct foreground {
    int fd;        /* pipe to the parent; -1 = none, or the parent has been released */
    int exit_code; /* exit code for the parent, valid once foreground_open() has returned false
                      there */
};

/* Returns true in the child. In the parent, returns false when everything is over and only
 * exit_code is left to return. Also returns false, with *err set, if no process can be started. */
ATTR_MUST_USE bool foreground_open(struct foreground *foreground, enum foreground_kind kind,
                                   const struct foreground_end *end, struct err *err);

/* Lets the parent exit with this code after printing `words`. From then on this process has a
 * session of its own, with stdin, stdout and stderr on /dev/null. */
void foreground_let_go(struct foreground *foreground, int code, const char *words);

/* Redirects stdin, stdout and stderr to /dev/null if they are terminals. */
void foreground_forget_terminal(void);

void foreground_close(struct foreground *foreground);

/* summary.c: the messages printed after a run: its result in about ten lines, a crash, and the data
 * that is missing from its log. */

struct summary {
    const struct run_state *state; /* borrowed */
    struct log_reader *reader; /* borrowed; reads the output of failed tasks from the run's log */
    int64_t run;
};

/* Appends the summary of a run that has ended or that the user has left: the failed tasks, each
 * with its most informative line and the command that shows it, the tasks that passed or waited,
 * and how to replay the run. */
void summary_write(const struct summary *summary, struct str *out);

/* Prints one line and a hint to stderr about a devs that crashed: the signal, the log, and which
 * processes of its attempts are still running. `db` as for place_find(); `pid` is the devs that
 * crashed. Called in the process that waited for it. */
void summary_crash(const char *db, pid_t pid, int signal_number);

/* Prints to stderr what the log of a finished run lacks and how to add it; nothing if it is
 * complete. */
void summary_spill(const struct place *place, const char *uid);

#endif
