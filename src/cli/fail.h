/*
 * fail.h - exit codes, and messages for people: errors ("devs: what: why" on stderr, and a hint),
 * text, and the progress of long work. Main thread.
 */
#ifndef DEVS_FAIL_H
#define DEVS_FAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "scheduler.h"

/* Prints the error and returns its exit code. */
int fail(const struct err *err);
/* Prints an error from its parts and returns EXIT_USAGE. The hint may be NULL. */
ATTR_PRINTF(2, 3) int fail_usage(const char *hint, const char *fmt, ...);
enum { SAY_MAX = 16 * 1024 };

struct violations;
/* Prints the number of errors in `what`, the consequence `so` ("nothing was started"), and a
 * line for each error, shortened if the same mistake was made many times. Returns EXIT_USAGE. */
int fail_violations(const char *what, const char *so, const struct violations *violations);
/* Prints what to do about the error that was just printed. */
void say_hint(const char *text);
/* Prints text to stdout, without control bytes, because it may come from untrusted sources. */
void say(const char *text);
/* Like say(), formatted; at most SAY_MAX bytes. */
ATTR_PRINTF(1, 2) void sayf(const char *fmt, ...);
/* Prints JSON to stdout. On a terminal, escapes characters that must not be shown there
 * (text_escape()). */
void say_json(const char *text);
/* Prints lines to stderr, cleaned like say(). */
void say_error(const char *text);
/* Prints one line, "devs: ...", to stderr, cleaned like say(). */
ATTR_PRINTF(1, 2) void warn(const char *fmt, ...);

/* The progress of long work on a terminal's stderr, and whether a signal has arrived. */

/* Owned by the caller, from progress_new() to progress_done(). */
struct progress {
    int64_t began_us; /* clock_mono_us() */
    int64_t shown_us; /* when it was last shown; 0 = never */
};

/* Starts measuring; shows nothing yet. */
struct progress progress_new(void);
/* Shows progress: after the first second, ten times a second, and only on a terminal. `what` names
 * the work, such as "writing". */
void progress_say(struct progress *progress, const char *what, int64_t done, int64_t all);
/* Like progress_say(), for work that can be stopped. Returns false with *err set if a signal has
 * arrived (stop_signal()). */
ATTR_MUST_USE bool progress_tell(struct progress *progress, const char *what, int64_t done,
                                 int64_t all, struct err *err);
/* Clears the progress line. */
void progress_done(struct progress *progress);

/* Records signals from now on; signals interrupt blocking calls. A signal that was ignored stays
 * ignored. */
void stop_signal_watch(void);
/* Returns the first signal that arrived; 0 = none. */
int stop_signal(void);

/*
 * The exit codes of the process. The manual has the same list.
 */

enum exit_code {
    EXIT_ALL_PASSED = RUN_EXIT_PASSED,
    EXIT_GAVE_UP = RUN_EXIT_GAVE_UP,
    EXIT_USAGE = 2, /* invalid command line or plan */
    EXIT_ENTROPY = RUN_EXIT_ENTROPY,
    EXIT_WOULD_CHANGE = 3, /* devs rules --try, devs what-if: something would change */
    EXIT_NEEDS_YOU = RUN_EXIT_NEEDS_YOU,
    EXIT_DAMAGED = 65,      /* the log is damaged */
    EXIT_NO_INPUT = 66,     /* no such log, run or task, or an unreadable input */
    EXIT_NO_AGENT = 69,     /* no agent CLI, or not the requested one */
    EXIT_NO_CREATE = 73,    /* the log cannot be created, or output cannot be written */
    EXIT_NOT_RECORDED = 74, /* all passed, but recording failed */
    EXIT_BUSY = 75,         /* in use by another process */
    EXIT_STOPPED = RUN_EXIT_STOPPED,
};

#endif
