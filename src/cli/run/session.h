/*
 * session.h - an engine and somebody who watches it, from start to end: what
 * `devs run` and `devs exec` share.
 */
#ifndef DEVS_SESSION_H
#define DEVS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "command.h"
#include "control.h"
#include "event.h"
#include "plan.h"
#include "run_state.h"
#include "ui_settings.h"

enum session_watch { SESSION_COCKPIT, SESSION_PLAIN, SESSION_JSON, SESSION_OUTPUT };

/* A run that is over, as far as it is over: a person may have left it. All borrowed. */
struct session_end {
    int64_t run;                   /* its number */
    const struct run_state *state; /* NULL = the log cannot be read */
    int exit_code;                 /* as it is returned unless somebody says otherwise */
    bool is_watched;               /* somebody reads what is printed */
};
/* Returns the exit code that counts. */
typedef int session_ended_fn(void *ctx, const struct session_end *end);

struct session {
    const struct globals *globals; /* borrowed */
    const struct plan *plan;       /* borrowed */
    const char *plan_text;         /* borrowed until it has begun */
    const char *kind;              /* "plan", "exec" or "workflow" */
    int64_t resume;                /* number of the run to continue, with its plan; 0 = none */
    uint64_t seed;                 /* with `resume`: its seed */
    enum take_up take_up;          /* with `resume`: which tasks are run */
    const struct control *asked;   /* with TAKE_UP_ASKED; borrowed until it has begun */
    size_t asked_count;
    const char *opens_view; /* the cockpit opens on it; static; NULL = on the tasks */
    const char *said;       /* printed with `detach` once it has begun; borrowed; NULL = nothing */
    int64_t shown_seq;      /* with `resume`: lines are printed for the events after this one */
    const char *rules;      /* the settings' own rules as JSON; borrowed; NULL = none */
    const struct ui_settings *ui; /* of the settings; borrowed; NULL = none */
    const char *run_dir;          /* absolute; borrowed */
    const char *plan_path;        /* absolute: the plan's file; borrowed; NULL = there is none */
    struct stdin_feed *feed;      /* of PLAN_STDIN_OURS; borrowed; NULL = none */
    const struct secret_settings *secrets;      /* of the settings; borrowed; NULL = none */
    const struct retention_settings *retention; /* likewise */
    int jobs;
    enum session_watch watch;
    void (*begun)(void *ctx); /* told once the run is in the log, with its plan; NULL = nobody */
    void *begun_ctx;          /* borrowed */
    session_ended_fn *ended;  /* told when it is over, in the process that ran it; NULL = nobody */
    void *ended_ctx;          /* borrowed */
    bool detach; /* returns once the run is in the log; it goes on without a terminal */
};

/* Run it to the end. Forks where the run is to outlive the terminal: no thread may be running.
 * Returns the exit code of the run; for "exec" that of the command. Errors are printed. */
int session_run(const struct session *session);

/* How a run is watched: as asked for, else on a screen where one can be drawn. */
enum session_watch session_choose_watch(bool plain, bool json);

/* Likewise, and a terminal of its type is known here. Where it is not, stderr is told. */
bool session_has_screen(void);

enum { SESSION_BY_MAX = 64 };
/* "name@terminal" of the person here. Returns out. */
const char *session_by(char out[SESSION_BY_MAX]);

/* Blocks INT, TERM and HUP in this thread and in threads that it starts; *fd_out becomes readable
 * when one arrives. */
ATTR_MUST_USE bool session_block_signals(int *fd_out, struct err *err);

#endif
