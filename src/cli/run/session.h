/* session.h - runs an engine and its front end from start to end, for `devs run` and `devs
 * exec`. */
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

/* A finished run, or a run that the user has left. Everything is borrowed. */
struct session_end {
    int64_t run;                   /* number of the run */
    const struct run_state *state; /* NULL = the log cannot be read */
    int exit_code;                 /* returned unless the callback changes it */
    bool is_watched;               /* the terminal or the pipe that gets the output is still open */
};
/* Returns the final exit code. */
typedef int session_ended_fn(void *ctx, const struct session_end *end);

struct session {
    const struct globals *globals; /* borrowed */
    const struct plan *plan;       /* borrowed */
    const char *plan_text;         /* borrowed until the run has started */
    const char *kind;              /* "plan", "exec" or "workflow" */
    int64_t resume;                /* number of the run to continue, with its plan; 0 = none */
    uint64_t seed;                 /* with `resume`: seed of that run */
    enum take_up take_up;          /* with `resume`: which tasks to run */
    const struct control *asked;   /* with TAKE_UP_ASKED; borrowed until the run has started */
    size_t asked_count;
    const char *opens_view; /* the cockpit's first view; static; NULL = the tasks */
    const char *said;       /* with `detach`: printed after the start; borrowed; NULL = nothing */
    int64_t shown_seq;      /* with `resume`: skip the lines of events up to this one */
    const char *rules;      /* the project's own rules as JSON; borrowed; NULL = none */
    const struct ui_settings *ui; /* from the settings; borrowed; NULL = none */
    const char *run_dir;          /* absolute; borrowed */
    const char *plan_path;        /* absolute path of the plan's file; borrowed; NULL = none */
    struct stdin_feed *feed;      /* with PLAN_STDIN_OURS; borrowed; NULL = none */
    const struct secret_settings *secrets;      /* from the settings; borrowed; NULL = none */
    const struct retention_settings *retention; /* from the settings; borrowed; NULL = none */
    int jobs;
    enum session_watch watch;
    void (*begun)(void *ctx); /* called once the run is in the log; NULL = not called */
    void *begun_ctx;          /* borrowed */
    session_ended_fn *ended;  /* called at the end, in the process that ran it; NULL = not called */
    void *ended_ctx;          /* borrowed */
    bool detach; /* return once the run is in the log; it continues without a terminal */
};

/* Runs the session to its end. Forks if the run may outlive the terminal, so no thread may be
 * running. Returns the exit code of the run; for "exec" that of the command. Errors are printed. */
int session_run(const struct session *session);

/* Returns how to watch a run: as requested, or else on a screen if there is a terminal. */
enum session_watch session_choose_watch(bool plain, bool json);

/* Returns whether a screen can be drawn on this terminal. Warns on stderr if its type is
 * unknown. */
bool session_has_screen(void);

enum { SESSION_BY_MAX = 64 };
/* Returns "name@terminal" of the user in `out`. */
const char *session_by(char out[SESSION_BY_MAX]);

/* Blocks INT, TERM and HUP in this thread and in threads that it starts; *fd_out becomes
 * readable when one arrives. */
ATTR_MUST_USE bool session_block_signals(int *fd_out, struct err *err);

#endif
