/*
 * secrets.h - what a session may write down of its plan, and what it knows of secrets.
 * Main thread.
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
    const char *plan_text;     /* as it goes into the log; the session's, or cut_text's: borrowed
                                  until that has begun */
    const struct plan *plan;   /* as it is in the log; the session's, or cut */
    const struct plan *calls;  /* as its steps are called; the session's, or whole */
    struct str cut_text;
    struct plan *cut, *whole; /* owned; NULL = not needed */
};

/* The secrets of the environment, the settings and the session's plan; for a run that is gone
 * on with the marks in the plan become values again, where they can. ERR_INVALID for a plan
 * that is none without its secrets (one is part of an id, ...) and for patterns that are none;
 * ERR_LIMIT. The caller ends it with secrets_close() in both cases. */
ATTR_MUST_USE bool secrets_open(struct secrets *out, const struct session *session,
                                struct err *err);
void secrets_close(struct secrets *secrets);

/* A redactor of this process's environment and these settings; `plan` may be NULL. */
ATTR_MUST_USE bool secrets_redactor(struct redactor **out, const struct plan *plan,
                                    const struct secret_settings *settings, struct err *err);

/* The same for this folder, with the settings that hold here. Returns an exit code; what is
 * wrong with the settings is printed. */
int secrets_here(struct redactor **out);
/* The same for a run that was in `run_dir`, with the settings of that folder, of which it was
 * recorded; where the folder is gone, or of another machine, with those that hold here. */
int secrets_of_run(const char *run_dir, const struct plan *plan, struct redactor **out);
/* To stdout and fit for a terminal, as say(), without secrets. */
void secrets_say(const struct redactor *redactor, const char *text);

#endif
