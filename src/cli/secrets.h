/*
 * secrets.h - the secrets of a session, and its plan without them. Main thread.
 */
#ifndef DEVS_SECRETS_H
#define DEVS_SECRETS_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "plan.h"
#include "redact.h"
#include "session.h"

struct secrets {
    struct redactor *redactor; /* owned */
    const char *plan_text; /* the text for the log: the session's or cut_text's; borrowed until the
                              session has started */
    const struct plan *plan; /* the plan as in the log: the session's, or redacted */
    const struct plan
        *calls; /* the plan with the real commands of its steps: the session's, or restored */
    struct str cut_text;
    struct plan *cut, *whole; /* owned; NULL = not needed */
};

/* Finds the secrets in the environment, the settings and the session's plan. When a run is
 * continued, marks in its plan become values again if possible. Fails with ERR_INVALID if the
 * plan is not valid without its secrets (one is part of an id, ...) or a pattern is invalid, and
 * with ERR_LIMIT. The caller ends *out with secrets_close(), also after an error. */
ATTR_MUST_USE bool secrets_open(struct secrets *out, const struct session *session,
                                struct err *err);
void secrets_close(struct secrets *secrets);

/* Creates a redactor for this process's environment and these settings; `plan` may be NULL. */
ATTR_MUST_USE bool secrets_redactor(struct redactor **out, const struct plan *plan,
                                    const struct secret_settings *settings, struct err *err);

/* Like secrets_redactor(), with the settings of the current folder. Returns an exit code; errors
 * in the settings are printed. */
int secrets_here(struct redactor **out);
/* Like secrets_here(), for a run in `run_dir`, with the settings of the folder in which it was
 * recorded. If that folder no longer exists or is on another machine, uses the settings of the
 * current folder. */
int secrets_of_run(const char *run_dir, const struct plan *plan, struct redactor **out);
/* Prints the text like say(), without secrets. */
void secrets_say(const struct redactor *redactor, const char *text);

#endif
