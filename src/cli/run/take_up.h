/*
 * take_up.h - an engine for a run that is in the log already and that no process owns: `devs run
 * --continue`, `devs retry` of a run that has ended, and the cockpit's r and R there. Main thread.
 */
#ifndef DEVS_TAKE_UP_H
#define DEVS_TAKE_UP_H

#include <stdbool.h>

#include "command.h"
#include "control.h"
#include "log_reader.h"
#include "place.h"
#include "session.h"
#include "str.h"

/* How the run goes on. */
struct take_up_how {
    const char *jobs; /* -j; NULL = as before */
    bool failed;      /* --failed: of a run that has ended, only what failed */
    bool detach;
    enum session_watch watch;
    const char *view; /* of the cockpit, which opens on it; static; NULL = the tasks */
};

/* Go on with a run that was interrupted, or run what did not pass of one that has ended. `word`:
 * "41", "#41" or "last". Forks as session_run(). Returns the exit code; errors are printed. */
int take_up_continue(const struct globals *globals, const char *word,
                     const struct take_up_how *how);

/* Does `--continue` have something to run of it: was it interrupted, or did it end before all of
 * its tasks passed? */
bool take_up_is_unfinished(const struct log_run_info *info);

/* Has the run of this number ended, and does no process own it: does a retry of it need an engine?
 * False also where the log cannot be read. */
bool take_up_is_needed(const struct place *place, int64_t number);

/* Retries of such a run. All borrowed. */
struct take_up_asked {
    const struct place *place;
    int64_t run;
    const struct control *controls;
    size_t count;
};

/* Would these be done? Appends the answer to each, a line each, as "#41/tax: ..."; *done_out counts
 * those that would be. Nothing is written or started. False: the run cannot be taken up, *err says
 * why. */
ATTR_MUST_USE bool take_up_check(const struct take_up_asked *asked, struct str *answers,
                                 size_t *done_out, struct err *err);

/* Start an engine for the run that does them. Forks as session_run(). `said`: what is printed once
 * it has begun without a terminal; NULL = nothing. Returns the exit code; errors are printed. */
int take_up_retry(const struct globals *globals, const struct take_up_asked *asked,
                  const struct take_up_how *how, const char *said);

#endif
