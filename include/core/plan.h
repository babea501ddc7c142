/*
 * plan.h - a plan: tasks, their steps and policies, read from JSON and checked. Immutable once
 * read, so any thread may read it.
 */
#ifndef DEVS_PLAN_H
#define DEVS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "contract.h"
#include "entropy_limits.h"
#include "err.h"
#include "outcome.h"
#include "policy.h"
#include "redact.h"
#include "settings.h"
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
    PLAN_QUIET_MS = 900 * 1000, /* how long an agent may be silent, unless its step says
                                   otherwise */
    PLAN_CONTRACTS_MAX = 1000,  /* different contracts in a plan */
    PLAN_SCHEMAS_MAX = 100000,  /* schemas in all its contracts, see contract_schema_count() */
    PLAN_CONTRACT_BYTES_MAX = 16 * 1024 * 1024, /* of all its contracts' texts */
    PLAN_BYTES_MAX = 64 * 1024 * 1024,
};

#define PLAN_TIMEOUT_MS_MAX ((int64_t)PLAN_TIMEOUT_S_MAX * 1000)

enum plan_expect { PLAN_EXPECT_SUCCESS, PLAN_EXPECT_FAILURE };

/* What an expected failure must be like. */
struct plan_expectation {
    enum plan_expect what;
    unsigned reasons; /* bits 1 << enum reason of accepted reasons; 0 = the default set (test-
                         fail, compile, none) */
    char *match;      /* owned; text that the end of the output must contain; NULL = any */
};

/* The contract without a schema: the output must be a valid plan. */
#define PLAN_CONTRACT_PLAN "devs-plan"

/* What the output of one or more steps must look like. */
struct plan_contract {
    char *name;              /* owned; NULL: it is within the step */
    char *text;              /* owned; the JSON Schema; NULL if built in */
    struct contract *schema; /* owned; compiled from the text */
};

struct adapter;
struct adapters;

/* The agent of a step. */
struct plan_agent {
    const struct adapter *adapter; /* borrowed from the plan's adapters, or static; never NULL */
    char *prompt;                  /* owned; never NULL */
    char **args;                   /* owned, NULL-terminated; additional arguments for the CLI;
                                      NULL = none */
    char **permission_args;        /* owned, NULL-terminated; NULL = the adapter's */
    char *model;                   /* owned; NULL = the CLI's own */
    char *resume;                  /* owned; the session to resume; NULL = a new one */
    char *output;                  /* owned; relative to the working folder: the file for its
                                      final text after success; NULL = none */
};

/* A file that a step must leave, relative to its working folder. */
struct plan_expected_file {
    char *path;        /* owned */
    int64_t min_lines; /* 0 = any number */
    char *contains;    /* owned; NULL = anything */
};

struct plan_step {
    enum phase phase;
    char **argv; /* owned, NULL-terminated; with shell: {"/bin/sh","-c",text,NULL}; of an agent:
                    the command for a new session, without the prompt */
    struct plan_agent *agent; /* owned; NULL = the step runs a command */
    char *cwd;                /* owned; relative to the run's folder; NULL = that folder */
    char **env;               /* owned, NULL-terminated "NAME=value"; NULL = nothing added */
    char *stdin_path;         /* owned; NULL = /dev/null; PLAN_STDIN_OURS = that of devs exec */
    int64_t timeout_ms;       /* 0 = none */
    int64_t quiet_ms;         /* ended after this much silence; 0 = never */
    struct plan_expectation expect;
    struct plan_expected_file *files; /* owned; checked after success; NULL = none */
    int file_count;                   /* at most PLAN_FILES_MAX */
    bool idempotent;
    bool once;                   /* one attempt in every phase, whatever its policy; plan_grow() */
    const struct policy *policy; /* borrowed from the plan, this step or static; never NULL */
    struct policy *own_policy;   /* owned; the step's own policy, NULL = none */
    int source;                  /* index in plan->sources of the rate limit that it shares; -1 =
                                    none */
    const struct plan_contract *contract; /* borrowed from the plan; NULL = any output */
    const struct sandbox_spec *sandbox;   /* borrowed from the plan, this step or static; never
                                             NULL */
    struct sandbox_spec *own_sandbox;     /* owned; the step's own sandbox, NULL = none */
};

struct plan_task {
    char *id;                /* owned */
    char *title;             /* owned; defaults to the id */
    struct plan_step *steps; /* owned */
    int step_count;
    int *needs; /* owned; task numbers */
    int need_count;
    int *dependents; /* owned; task numbers, the inverse of needs */
    int dependent_count;
    int rounds;           /* passes over its steps from an agent's on, including the first */
    struct budget budget; /* for all its agents together */
    const struct workspace_spec *workspace; /* borrowed from the plan, this task or static; never
                                               NULL */
    struct workspace_spec *own_workspace;   /* owned; the task's own workspace, NULL = none */
};

/* A task's number by its id. */
struct plan_name {
    const char *id; /* borrowed from the task */
    int task;
};

struct plan {
    char *name; /* owned; defaults to "plan" */
    int jobs;   /* 0 = unspecified */
    bool grows; /* begins without tasks, which are added while it runs: see plan_grow() */
    bool idempotent;
    struct policy *policies; /* owned; those of the settings, then the plan's own */
    int policy_count;
    int setting_count;                /* how many come from the settings */
    bool has_settings;                /* the settings provided something, or might have */
    const struct policy *policy;      /* of steps that name none; borrowed like a step's */
    struct policy *own_policy;        /* owned; like a step's */
    struct entropy_limits loops;      /* thresholds of loop detection */
    bool has_loops;                   /* the plan or the settings set some of them */
    struct workspace_spec workspace;  /* of tasks that have none */
    struct sandbox_spec sandbox;      /* of steps that have none */
    struct plan_limits limits;        /* of each attempt */
    struct budget budget;             /* for all agents of a run */
    struct adapters *adapters;        /* owned; the visible agents; NULL = the built-in ones */
    enum plan_hangup on_hangup;       /* when the terminal goes away */
    unsigned said;                    /* enum plan_said: what the plan or the settings set */
    struct plan_contract **contracts; /* owned, like each; named ones occur once */
    int contract_count;               /* at most PLAN_CONTRACTS_MAX */
    bool has_files;                   /* some were read from files */
    char **sources;                   /* owned; each name once */
    int source_count;                 /* at most PLAN_SOURCES_MAX */
    struct plan_task *tasks;          /* owned; a task's number is its index */
    int task_count;
    int step_count;          /* of all tasks */
    struct plan_name *by_id; /* owned; sorted by id, for plan_find() */
    int by_id_count;
    const struct plan *base; /* borrowed; of a growing plan: the plan with its rules; else NULL */
    size_t task_cap, by_id_cap; /* of a growing plan: capacity of the two arrays */
};

/* Reads a plan. If it is invalid, returns false with all errors in *violations, in document
 * order. Keys that begin with "//" are comments. A syntax error is one NOT_JSON violation with
 * line and column in its message. The caller calls plan_free() and violations_done(). */
ATTR_MUST_USE bool plan_parse(const char *text, size_t len, struct plan **out,
                              struct violations *violations);

/* Appends the file of that name, relative to the plan, to *out; at most CONTRACT_BYTES_MAX
 * bytes. */
typedef bool plan_file_fn(void *ctx, const char *name, struct str *out, struct err *err);

struct plan_files {
    plan_file_fn *read;
    void *ctx; /* borrowed */
};

/* What a plan may refer to. Zero-initialized: nothing. */
struct plan_context {
    const struct settings *settings; /* borrowed; NULL = none */
    const struct plan_files *files;  /* borrowed; NULL = none: contracts must be in the plan */
};

/* Like plan_parse(), with the plan's surroundings: policies and limits of the settings are
 * visible, and contracts may be in files. All of it becomes part of the plan, so that
 * plan_write() gives a self-contained text. A text from a log keeps the settings it has. */
ATTR_MUST_USE bool plan_parse_with(const char *text, size_t len, const struct plan_context *context,
                                   struct plan **out, struct violations *violations);

#define PLAN_STDIN_OURS "-" /* the standard input of the devs that started the run */

/* The plan of one command: one task "exec" with one step. Copies argv. A policy that may repeat
 * the command declares it idempotent. */
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
/* Fails with ERR_INVALID or ERR_LIMIT if no plan may contain the command: empty, too many
 * arguments, or one that is too long. The caller owns *out. */
ATTR_MUST_USE bool plan_for_command(const struct plan_exec *exec, struct plan **out,
                                    struct err *err);

struct str;
/* Appends the plan as JSON, which plan_parse() reads as an equal plan; for `exec`, whose plan
 * has no file. Invalid UTF-8 in a command becomes U+FFFD. */
void plan_write(const struct plan *plan, struct str *out);

/* Returns true if the plan contains something from outside its text, so that plan_write() writes
 * more. */
bool plan_has_more(const struct plan *plan);

/* Extracts task `id` and what it needs, directly or not. Fails with ERR_NOT_FOUND if there is no
 * such task. The caller owns *out. */
ATTR_MUST_USE bool plan_only(const struct plan *plan, const char *id, struct plan **out,
                             struct err *err);

/* Returns the policy of that name: the plan's own, else that of the settings, else the built-in
 * one; or NULL. */
const struct policy *plan_policy_find(const struct plan *plan, const char *name);

/* Returns the agent's step that this step belongs to: the last one at or before it; -1 = none. */
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

/* Returns the attempts that the policy allows: 1 in a phase without retries, and for a step that
 * runs once. */
int plan_step_attempts(const struct plan_step *step);

/* May be NULL. */
void plan_free(struct plan *plan);

/* Returns the task's number, or -1. O(log n) or better. */
int plan_find(const struct plan *plan, const char *id);

/*
 * The published JSON Schemas of plans and of devs.config.json, assets/plan.schema.json and
 * assets/config.schema.json, which are part of the program. The same text serves editors and
 * checks documents. Any thread.
 */

/* Returns the text of the plan schema. Static. */
const char *plan_schema_text(void);
/* Returns the text of the schema of devs.config.json. Static. */
const char *settings_schema_text(void);

/* Returns the contract of plans, compiled by the first call; lives as long as the process. */
const struct contract *plan_schema(void);
/* Like plan_schema(), for devs.config.json. */
const struct contract *settings_schema(void);

/*
 * A plan from the log, in which marks replace secrets.
 */

/* Replaces marks in what steps are called with (argv, env, cwd, stdin, the prompt, and the
 * variables of the adapter), and in `setup`, by the variables of that name in `environment`
 * ("NAME=value", NULL-terminated). Leaves a text alone if a variable is missing, or if
 * `redactor` would not redact the new text to the old one: the mark then replaced something else,
 * such as a part of the value or an encoded value. No other thread may use the plan yet. */
void plan_restore_secrets(struct plan *plan, const struct redactor *redactor,
                          char *const *environment);

/* Returns true if a secret of the step's command is still missing. Copies its name. */
bool plan_step_lacks(const struct plan_step *step, char name[REDACT_NAME_MAX + 1]);
/* Like plan_step_lacks(), for the command that sets up the task's workspace. */
bool plan_setup_lacks(const struct plan_task *task, char name[REDACT_NAME_MAX + 1]);

/*
 * Sessions shared by tasks.
 *
 * An agent writes to its session as it works, so two tasks in one session at the same time would
 * spoil it for both. One of two such tasks must need the other, directly or not.
 */

/* Sessions that several tasks of a plan may share; each costs a pass over all tasks. */
enum { PLAN_SESSIONS_SHARED_MAX = 64 };

/* Returns true if no two tasks can be in one session at a time. Otherwise adds a violation for
 * each session, with its first two such tasks. The plan has no circles (plan_parse() checks
 * that). O(tasks and needs) for each shared session. */
ATTR_MUST_USE bool plan_sessions_check(const struct plan *plan, struct violations *violations);

/*
 * A plan that grows while its run is active.
 *
 * A plan with "grows": true begins without tasks; each is added by an event of the run. So a
 * growing plan belongs to exactly one fold (run_state.h) or engine. It is a copy of a base, whose
 * rules it uses (policies, sandbox, limits, loops), with tasks of its own; the base never
 * changes.
 *
 * An added task needs no others, works in place, and has steps that run a command without a
 * contract. Steps that are not declared idempotent get one attempt in every phase, whatever their
 * policy, since nothing can be restored before a second one; the decision says so. A failed start
 * never ran, and may be repeated.
 */

/* Returns true if the plan has all its tasks, like plans of people and agents. Otherwise adds a
 * violation: only devs itself starts runs with growing plans. */
ATTR_MUST_USE bool plan_is_whole(const struct plan *plan, struct violations *violations);

/* Returns a growing copy of `base`, which has "grows" and must outlive it. The caller calls
 * plan_free(). */
ATTR_MUST_USE struct plan *plan_growing(const struct plan *base);

/* Reads a task (JSON as within a plan) and adds it. Fails and changes nothing: with ERR_INVALID
 * if the task is invalid, its id is taken, or it has what no added task may have; with ERR_LIMIT
 * if there are PLAN_TASKS_MAX. O(log tasks) if ids arrive in ascending order, else later ids
 * move up (16 bytes each). One thread at a time. */
ATTR_MUST_USE bool plan_grow(struct plan *plan, const char *task_json, size_t len, struct err *err);

/* Removes the last task, which must exist, as if it had not been added. */
void plan_shrink(struct plan *plan);

/* Frees what is no longer needed of a task that is over: arguments, environment and sandbox of
 * its steps. Keeps its id, title and number of steps. */
void plan_forget_calls(struct plan *plan, int task);

#endif
