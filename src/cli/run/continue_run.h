/*
 * continue_run.h - runs that are already in the log and that no process owns: resumes them for
 * `devs run --continue`, `devs retry` and the cockpit's r and R, or shows them in the cockpit. Main
 * thread.
 */
#ifndef DEVS_CONTINUE_RUN_H
#define DEVS_CONTINUE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "app.h"
#include "command.h"
#include "control.h"
#include "log_reader.h"
#include "place.h"
#include "session.h"
#include "str.h"

/* Options for continuing a run. */
struct continue_run_how {
    const char *jobs; /* -j; NULL = as before */
    bool failed;      /* --failed: run only the failed tasks of an ended run */
    bool detach;
    enum session_watch watch;
    const char *view; /* the cockpit's first view; static; NULL = the tasks */
};

/* Continues an interrupted run, or runs the tasks of an ended run that did not pass. `word` is
 * "41", "#41" or "last". Forks like session_run(). Returns the exit code; errors are printed. */
int continue_run(const struct globals *globals, const char *word,
                 const struct continue_run_how *how);

/* Returns whether `--continue` has something to run: the run was interrupted, or ended before all
 * its tasks passed. */
bool continue_run_is_unfinished(const struct log_run_info *info);

/* Returns whether a retry of this run needs an engine: it has ended, and no process owns it. False
 * also if the log cannot be read. */
bool continue_run_is_needed(const struct place *place, int64_t number);

/* Retries of an ended run. Everything is borrowed. */
struct continue_run_asked {
    const struct place *place;
    int64_t run;
    const struct control *controls;
    size_t count;
};

/* Checks whether the retries would be accepted. Appends a line with the answer to each retry, such
 * as "#41/tax: ...", and counts the accepted ones. Writes and starts nothing. Returns false, with
 * the reason in *err, if the run cannot be taken up. */
ATTR_MUST_USE bool continue_run_check(const struct continue_run_asked *asked, struct str *answers,
                                      size_t *done_out, struct err *err);

/* Starts an engine that makes the retries. Forks like session_run(). `said` is printed once the run
 * continues without a terminal; NULL = nothing. Returns the exit code; errors are printed. */
int continue_run_retry(const struct globals *globals, const struct continue_run_asked *asked,
                       const struct continue_run_how *how, const char *said);

/* The run that the cockpit shows, and the moment at which a recording opens. Everything is
 * borrowed. */
struct watch_words {
    int64_t run; /* 0 = the current run */
    const char *at, *view, *task;
    /* Of a log on another machine; NULL = none. */
    const struct app_far *far;
    struct control_desk *far_desk; /* NULL = the log there can only be read; the app's caller stops
                                      it */
    const char *far_name;
};

/* Shows a run whose engine is in another process, or that has ended, in the cockpit. Returns the
 * exit code; errors are printed. */
int watch_run(struct globals *globals, const struct place *place, const struct watch_words *words,
              enum app_mode mode);

#endif
