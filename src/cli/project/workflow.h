/*
 * workflow.h - what `devs new-project`, `plan-phase` and `execute-phase` share: options, prompts,
 * one question to an agent as a run, and the object that reports its result.
 *
 * Main thread.
 */
#ifndef DEVS_WORKFLOW_H
#define DEVS_WORKFLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "adapter.h"
#include "attr.h"
#include "command.h"
#include "config.h"
#include "err.h"
#include "project_file.h"
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

/* A {{name}} and its text. Both borrowed. */
struct workflow_value {
    const char *name; /* small letters and '_' */
    const char *text;
};

struct workflow_values {
    const struct workflow_value *items; /* borrowed */
    size_t count;
};

/* Append the text, each {{name}} replaced by its value, which is taken as it is: nothing in it is
 * replaced. Braces around anything but such a name are text. ERR_INVALID for a name that has no
 * value. */
ATTR_MUST_USE bool workflow_prompt_fill(const char *text, const struct workflow_values *values,
                                        struct str *out, struct err *err);

enum { WORKFLOW_TEXT_MAX = 1024 * 1024 }; /* bytes of a prompt's text or of a contract */

/* Appends the text `name`: "new-project.md", "new-project.json" or "plan-phase.md". A file in the
 * folder `workflows` of the settings replaces the built-in text. ERR_INVALID if that folder does
 * not exist or a file in it cannot be read. */
ATTR_MUST_USE bool workflow_text_read(const struct config *config, const char *name,
                                      struct str *out, struct err *err);

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
/* The session to continue: the one from the command line, else the project's last one if the agent
 * is the same; NULL = a new one. */
const char *phase_words_session(const struct phase_words *at);
void phase_words_done(struct phase_words *at);

#endif
