/*
 * phase_words.h - which phase of which project `devs plan-phase` and `execute-phase` are about, and
 * with which agent and session. Main thread: what is wrong is printed.
 */
#ifndef DEVS_PHASE_WORDS_H
#define DEVS_PHASE_WORDS_H

#include "config.h"
#include "project_file.h"
#include "workflow.h"

/* All zero before the options are read. */
struct phase_words {
    struct workflow_words words;
    int number;                    /* of the phase, from 1 */
    struct project project;        /* owned */
    struct config config;          /* owned */
    const struct adapter *adapter; /* NULL before phase_words_agent() */
};

/* Find the project and the phase called `number`. Returns the exit code; the caller ends it with
 * phase_words_done() whatever that is. */
int phase_words_read(struct phase_words *at, const char *number);
/* Choose the agent: that of the command line, of the project, of the settings, or the first one
 * that is installed. Returns the exit code. */
int phase_words_agent(struct phase_words *at);
/* The session to go on in: the one of the command line, else the project's last one, if that was
 * the same agent's; NULL = a new one. */
const char *phase_words_session(const struct phase_words *at);
void phase_words_done(struct phase_words *at);

#endif
