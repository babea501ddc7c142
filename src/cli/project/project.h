/* project.h - devs.project.json (an idea and its phases, saved by `devs new-project` and read by
 * the other workflows; people may edit it), and the parts that the workflows share.
 *
 * Main thread: errors in the file are printed. */
#ifndef DEVS_PROJECT_H
#define DEVS_PROJECT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "adapter.h"
#include "attr.h"
#include "command.h"
#include "config.h"
#include "err.h"
#include "json.h"
#include "session.h"
#include "str.h"

#define PROJECT_FILE_NAME "devs.project.json"

enum {
    PROJECT_BYTES_MAX = 1024 * 1024,
    PROJECT_PHASES_MAX = 99,
};

struct project {
    char dir[PATH_MAX]; /* absolute folder of the file */
    struct json *root;  /* owned */
};

/* Facts stored in addition to the agent's answer. Everything is borrowed; NULL = unknown. */
struct project_facts {
    const char *idea;
    const char *agent;
    const char *session;
};

/* Reads and checks the file in this folder or the nearest one above. Prints errors and returns
 * the exit code; if 0, the caller ends *out with project_done(). */
int project_read(const char *dir, struct project *out);
void project_done(struct project *project);

/* Returns the number of phases, which may be 0. */
int project_phase_count(const struct project *project);
/* Returns the title of a phase; `number` counts from 1. Borrowed; never NULL. */
const char *project_phase_title(const struct project *project, int number);
/* Appends the phase as JSON for people and agents. */
void project_phase_json(const struct project *project, int number, struct str *out);
/* Appends name, idea, summary and phases as JSON for people and agents. */
void project_json(const struct project *project, struct str *out);
/* Returns the agent of the last session of the project's workflows; NULL = unknown. Borrowed. */
const char *project_agent(const struct project *project);
/* Returns the id of the last session of the project's workflows; NULL = unknown. Borrowed. */
const char *project_session(const struct project *project);

/* Writes the file: the project, with its facts replaced by the given ones. */
ATTR_MUST_USE bool project_write(const struct project *project, const struct project_facts *facts,
                                 struct err *err);

/* Appends the project as text for people. */
void project_words(const struct project *project, struct str *out);

/* Returns the path of a phase's plan, in the project's folder. */
void project_plan_path(const struct project *project, int number, char path[PATH_MAX]);
/* Returns the path of a phase's summary, "phase-2.summary.md" in the project's folder. */
void project_summary_path(const struct project *project, int number, char path[PATH_MAX]);
/* Returns the name of a phase's plan: "phase-2.plan.json". */
void project_plan_name(int number, char *name, size_t size);
/* Returns whether the name is that of a phase's plan. */
bool project_is_plan_name(const char *name);

/*
 * Shared by `devs new-project`, `plan-phase` and `execute-phase`: options, prompts, one question to
 * an agent as a run, and the object that reports its result.
 */

/* The options; NULL or false = not given. Everything is borrowed. */
struct workflow_words {
    const char *agent;
    const char *model;
    const char *resume; /* the session to continue */
    const char *jobs;   /* execute-phase only */
    bool fresh;         /* start a new session, even if the project has one */
    bool force;         /* new-project, plan-phase: overwrite existing files */
    bool plain, json;
};

struct workflow_command {
    struct option_spec own;       /* the option that only this command has */
    struct workflow_words *words; /* the options to fill in */
};
/* Parses the options and one operand, which becomes argv[0]. Prints errors and returns the exit
 * code; sets *done if there is nothing more to do. */
int workflow_parse(struct globals *globals, const struct workflow_command *command, int argc,
                   char **argv, bool *done);

/* A question to an agent. Everything is borrowed. */
struct workflow_question {
    struct globals *globals;
    const struct workflow_words *words;
    const char *command; /* "plan-phase" */
    const char *title;   /* title of the task; truncated to PLAN_TITLE_MAX characters */
    const char *dir;     /* the absolute folder in which the agent works */
    const struct config *config;
    const struct adapter *adapter;
    const char *session; /* the session to continue; NULL = a new one */
    const char *prompt;
    const char *contract; /* the contract of the answer, as JSON */
    const char *output;   /* the file for the answer, relative to dir */
    /* Called once the answer exists: processes it, and prints it for people or, with `json`,
     * appends "key": value members. Returns the exit code. */
    int (*take)(void *ctx, const char *session, struct str *json);
    void *ctx;
};

/* Asks the question as a run in the log, with repair rounds. Returns the exit code. */
int workflow_ask(const struct workflow_question *question);

/* The agent of a run and its session. */
struct workflow_agent {
    const char *agent;   /* NULL = no agent was used */
    const char *session; /* NULL = unknown */
};
/* Returns the agent of the last task, in the plan's order, that had a session, or else of the
 * last one with an agent. Borrowed from the state. */
struct workflow_agent workflow_agent(const struct session_end *end);

/* The result of a command, as the last line of its --json. `more` has further members; "" =
 * none. */
struct workflow_result {
    const char *command;
    int64_t run;
    int exit_code;
    struct workflow_agent by;
    const char *more;
};
/* Prints the result to stdout, as one JSON object with a line feed. */
void workflow_print_result(const struct workflow_result *result);

/* The value of a {{name}}. Both are borrowed. */
struct workflow_value {
    const char *name; /* lower-case letters and '_' */
    const char *text;
};

struct workflow_values {
    const struct workflow_value *items; /* borrowed */
    size_t count;
};

/* Appends the text with each {{name}} replaced by its value. Values are not expanded again. Other
 * braces are copied unchanged. Fails with ERR_INVALID for a name without a value. */
ATTR_MUST_USE bool workflow_prompt_fill(const char *text, const struct workflow_values *values,
                                        struct str *out, struct err *err);

enum { WORKFLOW_TEXT_MAX = 1024 * 1024 }; /* bytes of a prompt's text or of a contract */

/* Appends the prompt or contract `name`: "new-project.md", "new-project.json" or "plan-phase.md". A
 * file in the folder `workflows` of the settings replaces the built-in one. Fails with ERR_INVALID
 * if that folder does not exist or a file in it cannot be read. */
ATTR_MUST_USE bool workflow_text_read(const struct config *config, const char *name,
                                      struct str *out, struct err *err);

/* All zero before the options are parsed. */
struct phase_words {
    struct workflow_words words;
    int number;                    /* number of the phase, from 1 */
    struct project project;        /* owned */
    struct config config;          /* owned */
    const struct adapter *adapter; /* NULL before phase_words_agent() */
};

/* Finds the project and the phase called `number`. Returns the exit code. The caller ends *at
 * with phase_words_done() in any case. */
int phase_words_read(struct phase_words *at, const char *number);
/* Chooses the agent: from the command line, the project, or the settings, or else the first
 * installed one. Returns the exit code. */
int phase_words_agent(struct phase_words *at);
/* Returns the session to continue: from the command line, or else the project's last one if the
 * agent is the same; NULL = a new one. */
const char *phase_words_session(const struct phase_words *at);
void phase_words_done(struct phase_words *at);

#endif
