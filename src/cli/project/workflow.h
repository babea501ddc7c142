/*
 * workflow.h - what `devs new-project`, `plan-phase` and `execute-phase` share: their options, one
 * question to an agent as a run, and the object that says what came of it.
 *
 * Main thread.
 */
#ifndef DEVS_WORKFLOW_H
#define DEVS_WORKFLOW_H

#include <stdbool.h>

#include "adapter.h"
#include "command.h"
#include "config.h"
#include "session.h"
#include "str.h"

/* What the command line says; NULL and false where it says nothing. All borrowed. */
struct workflow_words {
    const char *agent;
    const char *model;
    const char *resume; /* the session to go on in */
    const char *jobs;   /* execute-phase alone */
    bool fresh;         /* begin a new session, whatever the project remembers */
    bool force;         /* new-project, plan-phase: write over what is there */
    bool plain, json;
};

struct workflow_command {
    const char *name;
    struct option_spec own;       /* the option that this command has beside those of all three */
    struct workflow_words *words; /* what is filled in */
};
/* Read the command line: options and one operand, which is argv[0] then. Returns the exit code;
 * what is wrong is printed. *done: there is nothing more to do. */
int workflow_parse(struct globals *globals, const struct workflow_command *command, int argc,
                   char **argv, bool *done);

/* One question to an agent. All borrowed. */
struct workflow_question {
    struct globals *globals;
    const struct workflow_words *words;
    const char *command; /* "plan-phase" */
    const char *title;   /* of the task; at most PLAN_TITLE_MAX characters of it are shown */
    const char *dir;     /* where the agent works, absolute */
    const struct config *config;
    const struct adapter *adapter;
    const char *session; /* to go on in; NULL = a new one */
    const char *prompt;
    const char *contract; /* as JSON: what the answer must look like */
    const char *output;   /* the file that gets the answer, relative to dir */
    /* Once the answer is there: take it in, print what people want to see unless `json`, and
     * append "key": value to it otherwise. Returns the exit code. */
    int (*take)(void *ctx, const char *session, struct str *json);
    void *ctx;
};

/* Ask it as a run of the log, with rounds of repair. Returns the exit code. */
int workflow_ask(const struct workflow_question *question);

/* What the agents of a run are known by. */
struct workflow_agent {
    const char *agent;   /* NULL = none was asked */
    const char *session; /* NULL = none is known */
};
/* Of the last task, in the plan's order, that had a session; else of the last one with an agent.
 * Borrowed from the state. */
struct workflow_agent workflow_agent(const struct session_end *end);

/* What a command came to, as the last line of its --json. `more`: further members, "" for none. */
struct workflow_result {
    const char *command;
    int64_t run;
    int exit_code;
    struct workflow_agent by;
    const char *more;
};
/* Print it to stdout, one JSON object with its line feed. */
void workflow_print_result(const struct workflow_result *result);

#endif
