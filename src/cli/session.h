/*
 * session.h - an engine and somebody who watches it, from start to end: what
 * `devs run` and `devs exec` share.
 */
#ifndef DEVS_SESSION_H
#define DEVS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "command.h"
#include "err.h"
#include "place.h"
#include "plan.h"

enum session_watch { SESSION_COCKPIT, SESSION_PLAIN, SESSION_JSON, SESSION_OUTPUT };

struct session {
    const struct globals *globals; /* borrowed */
    const struct plan *plan;       /* borrowed */
    const char *plan_text;         /* borrowed */
    const char *kind;              /* "plan" or "exec" */
    int64_t resume;                /* number of a run to go on with, whose plan that is; 0 = none */
    uint64_t seed;                 /* likewise: its own */
    int64_t shown_seq;             /* likewise: lines are printed of what comes after this event */
    const char *rules;             /* the settings' own rules as JSON; borrowed; NULL = none */
    const char *run_dir;           /* absolute; borrowed */
    const struct secret_settings *secrets; /* of the settings; borrowed; NULL = none */
    int jobs;
    enum session_watch watch;
    bool detach; /* returns once the run is in the log; it goes on without a terminal */
};

/* Run it to the end. Forks where the run is to outlive the terminal: no thread may be running.
 * Returns the exit code of the run; for "exec" that of the command. Errors are printed. */
int session_run(const struct session *session);

/* May a screen be drawn here? stdin and stdout are a terminal and TERM is one. */
bool session_has_terminal(void);

enum { SESSION_BY_MAX = 64 };
/* "name@terminal" of the person here. Returns out. */
const char *session_by(char out[SESSION_BY_MAX]);

#endif
