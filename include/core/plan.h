/*
 * plan.h - a plan: tasks, their steps and policies, read from JSON and checked.
 *
 * A plan does not change after it was read; any thread may read it.
 */
#ifndef DEVS_PLAN_H
#define DEVS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "budget.h"
#include "contract.h"
#include "entropy_limits.h"
#include "err.h"
#include "phase.h"
#include "plan_limits.h"
#include "policy.h"
#include "sandbox_spec.h"
#include "settings.h"
#include "violation.h"
#include "workspace_spec.h"

enum {
    PLAN_ID_MAX = 64, /* longest task id: [A-Za-z0-9][A-Za-z0-9._-]{0,63} */
    PLAN_TASKS_MAX = 100000,
    PLAN_STEPS_MAX = 64,        /* of one task */
    PLAN_NEEDS_MAX = 1000,      /* of one task */
    PLAN_ARGS_MAX = 4096,       /* of one command */
    PLAN_TITLE_MAX = 200,       /* characters of a title, and of the plan's name */
    PLAN_TEXT_MAX = 128 * 1024, /* bytes of one argument, path, or NAME=value */
    PLAN_ENV_MAX = 1000,        /* variables of one step */
    PLAN_TIMEOUT_S_MAX = 30 * 24 * 3600,
    PLAN_JOBS_MAX = 256,
    PLAN_POLICIES_MAX = 64,
    PLAN_SOURCES_MAX = 64,      /* names that the steps of a plan give as their source */
    PLAN_ROUNDS_MAX = 100,      /* of one task */
    PLAN_QUIET_MS = 900 * 1000, /* an agent may be silent for so long, unless its step says else */
    PLAN_CONTRACTS_MAX = 1000,  /* different contracts of a plan */
    PLAN_SCHEMAS_MAX = 100000,  /* schemas within all its contracts, see contract_schema_count() */
    PLAN_CONTRACT_BYTES_MAX = 16 * 1024 * 1024, /* of the texts of all its contracts */
    PLAN_BYTES_MAX = 64 * 1024 * 1024,
};

enum plan_expect { PLAN_EXPECT_SUCCESS, PLAN_EXPECT_FAILURE };

/* What a failure must be like where one is expected. */
struct plan_expectation {
    enum plan_expect what;
    unsigned reasons; /* bits 1 << enum reason that meet it; 0 = the default set
                         (test-fail, compile, none) */
    char *match;      /* owned; text that the output's tail must hold; NULL = any */
};

/* The contract that needs no schema: the output must be a plan that plan_parse() takes. */
#define PLAN_CONTRACT_PLAN "devs-plan"

/* What the output of a step must look like, of one step or of several. */
struct plan_contract {
    char *name;              /* owned; NULL: it stands in the step itself */
    char *text;              /* owned; the JSON Schema; NULL of a built-in one */
    struct contract *schema; /* owned; made of the text */
};

struct adapter;
struct adapters;

/* What makes a step one of an agent. */
struct plan_agent {
    const struct adapter *adapter; /* borrowed from the plan's adapters, or static; never NULL */
    char *prompt;                  /* owned; never NULL */
    char **args;                   /* owned, NULL-terminated; more for the CLI; NULL = none */
    char **permission_args;        /* owned, NULL-terminated; NULL = the adapter's */
    char *model;                   /* owned; NULL = the CLI's own */
    char *resume;                  /* owned; the session to begin with; NULL = a new one */
    char *output;                  /* owned; relative to where the step works: the file that its
                                      final text goes to once it has passed; NULL = none */
};

/* A file that a step has to leave, relative to where it works. */
struct plan_expected_file {
    char *path;        /* owned */
    int64_t min_lines; /* 0 = any number */
    char *contains;    /* owned; NULL = anything */
};

struct plan_step {
    enum phase phase;
    char **argv; /* owned, NULL-terminated; with shell: {"/bin/sh","-c",text,NULL}; of an
                    agent: what begins a new session, without the prompt */
    struct plan_agent *agent; /* owned; NULL = it runs a command */
    char *cwd;                /* owned; relative to the run's folder; NULL = that folder */
    char **env;               /* owned, NULL-terminated "NAME=value"; NULL = nothing added */
    char *stdin_path;         /* owned; NULL = /dev/null; PLAN_STDIN_OURS = that of devs exec */
    int64_t timeout_ms;       /* 0 = none */
    int64_t quiet_ms;         /* it ends once it has been silent for so long; 0 = never */
    struct plan_expectation expect;
    struct plan_expected_file *files; /* owned; checked once it has passed; NULL = none */
    int file_count;                   /* at most PLAN_FILES_MAX */
    bool idempotent;
    bool once;                   /* one attempt in every phase, whatever its policy: plan_grow.h */
    const struct policy *policy; /* borrowed from the plan, this step or static; never NULL */
    struct policy *own_policy;   /* owned; what this step alone has, NULL = none */
    int source;                  /* whose rate limit it shares: in plan->sources, -1 = none */
    const struct plan_contract *contract; /* borrowed from the plan; NULL = any output will do */
    const struct sandbox_spec *sandbox;   /* borrowed from the plan, this step or static; never
                                             NULL */
    struct sandbox_spec *own_sandbox;     /* owned; what this step alone has, NULL = none */
};

struct plan_task {
    char *id;                /* owned */
    char *title;             /* owned; the id where none was given */
    struct plan_step *steps; /* owned */
    int step_count;
    int *needs; /* owned; task numbers */
    int need_count;
    int *dependents; /* owned; task numbers, the inverse of needs */
    int dependent_count;
    int rounds;           /* passes over its steps from an agent's on, the first counted; from 1 */
    struct budget budget; /* of its agents, all together */
    const struct workspace_spec *workspace; /* borrowed from the plan, this task or static; never
                                               NULL */
    struct workspace_spec *own_workspace;   /* owned; what this task alone has, NULL = none */
};

/* A task's number by its id. */
struct plan_name {
    const char *id; /* borrowed from the task */
    int task;
};

struct plan {
    char *name; /* owned; "plan" where none was given */
    int jobs;   /* 0 = not said */
    bool grows; /* it begins without tasks, which come while it runs: plan_grow.h */
    bool idempotent;
    struct policy *policies; /* owned; first those of the settings, then the plan's own */
    int policy_count;
    int setting_count;                /* how many of them the settings gave */
    bool has_settings;                /* settings gave something, or might have given it */
    const struct policy *policy;      /* of steps that name none; borrowed as a step's */
    struct policy *own_policy;        /* owned; as a step's */
    struct entropy_limits loops;      /* from how many repeats on a task loops */
    bool has_loops;                   /* the plan or the settings say something of it */
    struct workspace_spec workspace;  /* of tasks that say nothing of it */
    struct sandbox_spec sandbox;      /* of steps likewise */
    struct plan_limits limits;        /* of each attempt */
    struct budget budget;             /* of all agents of a run */
    struct adapters *adapters;        /* owned; the agents in sight, NULL = the built-in ones */
    enum plan_hangup on_hangup;       /* when the terminal goes away */
    unsigned said;                    /* enum plan_said: what the plan or the settings say of it */
    struct plan_contract **contracts; /* owned, each; those with names come once */
    int contract_count;               /* at most PLAN_CONTRACTS_MAX */
    bool has_files;                   /* some of them were read from files */
    char **sources;                   /* owned; each name once */
    int source_count;                 /* at most PLAN_SOURCES_MAX */
    struct plan_task *tasks;          /* owned; the task's number is its index */
    int task_count;
    int step_count;          /* of all tasks */
    struct plan_name *by_id; /* owned; in the order of the ids, for plan_find() */
    int by_id_count;
    const struct plan *base; /* borrowed; of one that is growing: whose rules it has; else NULL */
    size_t task_cap, by_id_cap; /* likewise: room in the two arrays */
};

/* Read a plan. False and *violations filled (all that is wrong, in document
 * order) if it is no valid plan; keys that begin with "//" are comments. A
 * syntax error is one NOT_JSON violation with line and column in its message.
 * The caller ends *out with plan_free(), *violations with violations_done(). */
ATTR_MUST_USE bool plan_parse(const char *text, size_t len, struct plan **out,
                              struct violations *violations);

/* Reads the file of that name, relative to the plan, at most CONTRACT_BYTES_MAX bytes, to the
 * end of *out. */
typedef bool plan_file_fn(void *ctx, const char *name, struct str *out, struct err *err);

struct plan_files {
    plan_file_fn *read;
    void *ctx; /* borrowed */
};

/* What a plan may refer to beside itself. All zero: nothing. */
struct plan_context {
    const struct settings *settings; /* borrowed; NULL = none */
    const struct plan_files *files;  /* borrowed; NULL = none: contracts stand in the plan */
};

/* As plan_parse(), with what is around the plan: the policies and limits of the settings
 * are in sight, contracts may stand in files. All of it goes into the plan, so that
 * plan_write() gives a text that needs nothing. A text that has brought settings along
 * from a log keeps those. */
ATTR_MUST_USE bool plan_parse_with(const char *text, size_t len, const struct plan_context *context,
                                   struct plan **out, struct violations *violations);

/* The plan of one command: one task "exec" with one step. Copies argv. Who asks
 * for a policy that may repeat the command declares it idempotent by that. */
#define PLAN_STDIN_OURS "-" /* the standard input of the devs that the run was started with */
struct plan_exec {
    char *const *argv; /* borrowed, NULL-terminated */
    bool reads_stdin;  /* the command reads the standard input of devs */
    enum phase phase;
    const struct policy *policy; /* borrowed for the call, of the settings, or static */
    int64_t timeout_ms;
    const struct settings *settings;    /* borrowed for the call; NULL = none */
    const struct sandbox_spec *sandbox; /* borrowed for the call; NULL = that of the settings */
    bool idempotent;
};
/* ERR_INVALID or ERR_LIMIT for what no plan may hold: an empty command, too many
 * arguments, one that is too long. The caller owns *out. */
ATTR_MUST_USE bool plan_for_command(const struct plan_exec *exec, struct plan **out,
                                    struct err *err);

struct str;
/* The plan as JSON text that plan_parse() reads to an equal plan; for `exec`,
 * whose plan has no file. Bytes of a command that are not UTF-8 become U+FFFD. */
void plan_write(const struct plan *plan, struct str *out);

/* Has the plan taken something in that its own text did not have? Then plan_write() says
 * more than the text. */
bool plan_has_more(const struct plan *plan);

/* The part of a plan that is task `id` and what it needs, directly or not.
 * ERR_NOT_FOUND if there is no such task. The caller owns *out. */
ATTR_MUST_USE bool plan_only(const struct plan *plan, const char *id, struct plan **out,
                             struct err *err);

/* The policy of that name: the plan's own, else that of the settings, else the built-in
 * one; NULL for none. */
const struct policy *plan_policy_find(const struct plan *plan, const char *name);

/* The agent's step that a step of this number belongs to: the last one before it, or itself; -1
 * = none is before it. */
int plan_task_agent_step(const struct plan_task *task, int step);

/* The sandbox of the task's first step that has one; kind none if no step has. Borrowed. */
const struct sandbox_spec *plan_task_sandbox(const struct plan_task *task);

/* Where `workspace.setup` runs, given the task's sandbox and setup_in. Kind none: on this machine,
 * outside any sandbox. The result borrows the lists of `sandbox`; do not free it. */
struct sandbox_spec plan_setup_sandbox(const struct workspace_spec *workspace,
                                       const struct sandbox_spec *sandbox);

/* May the step run again after an attempt that is not known to be harmless: is it idempotent, can
 * its task's workspace be put back, or does it go on where it was, as an agent in its session? */
bool plan_step_is_repeatable(const struct plan_task *task, const struct plan_step *step);

/* Attempts that the policy gives the step: 1 in a phase where it does not try again, and for what
 * is done once. */
int plan_step_attempts(const struct plan_step *step);

/* NULL is allowed. */
void plan_free(struct plan *plan);

/* Task number by id, -1 if there is none. O(log n) or better. */
int plan_find(const struct plan *plan, const char *id);

#endif
