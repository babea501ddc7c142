/*
 * agent_prompt.h - what an attempt tells its agent. Pure; any thread.
 *
 * An agent that goes on in its session knows what was said before: it is only told what is
 * new. One that begins anew is told everything. Requirements D2 (the repair), E1 (sessions).
 */
#ifndef DEVS_AGENT_PROMPT_H
#define DEVS_AGENT_PROMPT_H

#include <stdbool.h>

#include "outcome.h"
#include "str.h"
#include "verdict.h"

enum {
    AGENT_WHY_MAX = 400, /* bytes of the reason why an attempt ended, in a prompt */
};

/* All borrowed for the call; NULL = none. */
struct agent_prompt {
    const char *step;       /* the prompt of the plan's step; never NULL */
    const char *repair;     /* what this round is to mend; NULL in the first */
    const char *nudge;      /* of the loop detector, not said yet */
    const char *hint;       /* of a person, with a retry */
    const char *why;        /* the attempt before, of the same round, ended without a result: why */
    const char *violations; /* it ended with one that does not fit: lines that say where */
    bool resumes;           /* it goes on in a session that has heard the step's prompt, or more */
    bool was_asked;         /* this session has heard the prompt of this round */
};

/* Append the words. A session that was asked already hears that it is to go on, or what does
 * not fit; else the round's repair, or the step's prompt; a new session hears the step's prompt
 * and the repair. Then comes the nudge, and a person's hint last. */
void agent_prompt_write(const struct agent_prompt *prompt, struct str *out);

/* Append one line that says how an attempt ended, for `why`: at most AGENT_WHY_MAX bytes, no
 * control byte. `verdict` may be NULL. */
void agent_prompt_why(const struct outcome *outcome, const struct verdict *verdict,
                      struct str *out);

#endif
