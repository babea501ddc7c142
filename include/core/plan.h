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
#include "executor.h"
#include "outcome.h"
#include "policy.h"
#include "redact.h"
#include "settings.h"
#include "workspace_spec.h"

enum {
    PLAN_ID_MAX = 64, /* longest task id: [A-Za-z0-9][A-Za-z0-9._-]{0,63} */
    PLAN_TASKS_MAX = 100000,
    PLAN_STEPS_MAX = 64,        /* maximum steps of one task */
    PLAN_NEEDS_MAX = 1000,      /* maximum needs of one task */
    PLAN_ARGS_MAX = 4096,       /* maximum arguments of one command */
    PLAN_TITLE_MAX = 200,       /* maximum characters of a title, and of the plan's name */
    PLAN_TEXT_MAX = 128 * 1024, /* maximum bytes of one argument, path, or NAME=value */
    PLAN_ENV_MAX = 1000,        /* maximum variables of one step */
    PLAN_TIMEOUT_S_MAX = 30 * 24 * 3600,
    PLAN_JOBS_MAX = 256,
    PLAN_POLICIES_MAX = 64,
    PLAN_SOURCES_MAX = 64,      /* maximum different sources that the steps of a plan name */
    PLAN_ROUNDS_MAX = 100,      /* maximum rounds of one task */
    PLAN_QUIET_MS = 900 * 1000, /* how long an agent may be silent by default, in ms */
    PLAN_CONTRACTS_MAX = 1000,  /* maximum different contracts in a plan */
    PLAN_SCHEMAS_MAX =
        100000, /* maximum schemas in all contracts of a plan, see contract_schema_count() */
    PLAN_CONTRACT_BYTES_MAX =
        16 * 1024 * 1024, /* maximum bytes of the texts of all contracts of a plan */
    PLAN_BYTES_MAX = 64 * 1024 * 1024,
    PLAN_EXECUTORS_MAX = 32,
    PLAN_EXECUTOR_NAME_MAX = 31, /* longest name: [A-Za-z0-9._-]{1,31} */
    PLAN_HOSTS_MAX = 256,        /* maximum hosts of one executor */
    PLAN_SLOTS_MAX = 1024,       /* maximum slots of one host */
    PLAN_LEASE_S_MIN = 5,
    PLAN_LEASE_S_MAX = 7 * 24 * 3600,
    PLAN_LEASE_MS = 300 * 1000, /* default of lease_s, in ms */
    PLAN_JOBS = 100,            /* default of a cluster's slots */
    PLAN_POLL_MS = 30 * 1000,   /* default of poll_s, in ms */
    PLAN_IDLE_MS = 60 * 1000,   /* default of idle_s, in ms */
};

#define PLAN_TIMEOUT_MS_MAX ((int64_t)PLAN_TIMEOUT_S_MAX * 1000)

/*
 * Executors: other machines, on which tasks can run.
 */

#define PLAN_LOCAL "local" /* where a task runs without an executor: on this machine */

/* A machine of an executor; or a whole cluster, which has the executor's name. */
struct plan_host {
    char *host; /* owned; as for ssh: [user@]name, or an alias of the ssh configuration */
    int slots;  /* maximum number of attempts at a time: 1 to PLAN_SLOTS_MAX */
};

struct plan_executor {
    char *name; /* owned */
    enum executor_kind kind;
    struct plan_host *hosts; /* owned; each host once; of a cluster only one */
    int host_count;          /* 1 to PLAN_HOSTS_MAX */
    char *dir;    /* owned; the folder for attempts on each host: absolute, or begins with "~/" */
    char *hand;   /* owned; devs-hand on each host: a name in PATH, or a path like `dir` */
    char **args;  /* owned, NULL-terminated; additional arguments for ssh, before the host, or for
                     the commands of a cluster; NULL = none */
    char *shared; /* owned; the folder that the hosts and this machine share: an absolute path, the
                     same everywhere; NULL = none: see plan_executor_ships() */
    int64_t lease_ms; /* an attempt without contact to devs ends itself after this time */

    /* Clusters only: */
    int slots;        /* maximum number of jobs at a time; 0 = not set */
    char *image;      /* owned; the image of its containers; NULL = none */
    int64_t poll_ms;  /* least time between two queries for the states of all jobs */
    int64_t queue_ms; /* longest time in the cluster's queue; 0 = no limit */
    int64_t idle_ms;  /* a job that has had nothing to do for this long ends itself */

    struct executor_adapter adapter; /* owned; the built-in one, changed by `adapter` */
};

enum plan_expect { PLAN_EXPECT_SUCCESS, PLAN_EXPECT_FAILURE };

/* The conditions for an expected failure. */
struct plan_expectation {
    enum plan_expect what;
    unsigned reasons; /* bits 1 << enum reason of accepted reasons; 0 = the default set (test-
                         fail, compile, none) */
    char *match;      /* owned; text that the end of the output must contain; NULL = no condition */
};

/* The contract without a schema: the output must be a valid plan. */
#define PLAN_CONTRACT_PLAN "devs-plan"

/* The contract of the output of one or more steps. */
struct plan_contract {
    char *name;              /* owned; NULL if the contract is written within the step */
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
    char **permission_args;        /* owned, NULL-terminated; NULL = the adapter's arguments */
    char *model;                   /* owned; NULL = the CLI's default */
    char *resume;                  /* owned; id of the session to resume; NULL = a new session */
    char *output; /* owned; file for the final text after success, relative to the working folder;
                     NULL = none */
};

/* A file that must exist after a step, relative to the step's working folder. */
struct plan_expected_file {
    char *path;        /* owned */
    int64_t min_lines; /* 0 = no condition */
    char *contains;    /* owned; text that the file must contain; NULL = no condition */
};

struct plan_step {
    enum phase phase;
    char **argv; /* owned, NULL-terminated; with shell: {"/bin/sh","-c",text,NULL}; for an agent:
                    the command for a new session, without the prompt */
    struct plan_agent *agent; /* owned; NULL = the step runs a command */
    char *cwd;                /* owned; relative to the run's folder; NULL = that folder */
    char **env;         /* owned, NULL-terminated "NAME=value"; NULL = no additional variables */
    char *stdin_path;   /* owned; NULL = /dev/null; PLAN_STDIN_OURS = the stdin of devs exec */
    int64_t timeout_ms; /* 0 = none */
    int64_t quiet_ms;   /* ms without output after which the attempt is ended; 0 = never */
    struct plan_expectation expect;
    struct plan_expected_file *files; /* owned; checked after success; NULL = none */
    int file_count;                   /* at most PLAN_FILES_MAX */
    bool idempotent;
    bool once; /* one attempt in every phase, whatever the policy says; set by plan_grow() */
    const struct policy *policy; /* borrowed from the plan, this step or static; never NULL */
    struct policy *own_policy;   /* owned; the step's own policy, NULL = none */
    int source; /* index in plan->sources of the rate limit that the step shares; -1 = none */
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
    int rounds; /* maximum passes over the steps, from an agent's step on, including the first pass
                 */
    struct budget budget;                   /* budget shared by all agents of the task */
    const struct workspace_spec *workspace; /* borrowed from the plan, this task or static; never
                                               NULL */
    struct workspace_spec *own_workspace;   /* owned; the task's own workspace, NULL = none */
    int executor; /* index in plan->executors of the executor that runs the task; -1 = this
                     machine */
    struct executor_resources resources; /* what its job needs on a cluster */
};

/* Maps a task's id to its number. */
struct plan_name {
    const char *id; /* borrowed from the task */
    int task;
};

/* The ends of tasks that a command of `after` can follow. */
enum plan_after {
    AFTER_KEPT,   /* the task has passed, and its result is kept */
    AFTER_FAILED, /* the task has ended in another way, unless a person cancelled it */
    AFTER_COUNT,
};
/* Returns "kept" or "failed". Static. */
const char *plan_after_name(enum plan_after after);

struct plan {
    char *name; /* owned; defaults to "plan" */
    int jobs;   /* 0 = unspecified */
    bool grows; /* the plan begins without tasks, which are added while the run is active: see
                   plan_grow() */
    bool idempotent;
    struct policy *policies; /* owned; the policies of the settings, then the plan's own */
    int policy_count;
    int setting_count;           /* number of policies that come from the settings */
    bool has_settings;           /* the settings provided values, or might have */
    const struct policy *policy; /* default for steps that name no policy; borrowed like a step's */
    struct policy *own_policy;   /* owned; like a step's */
    struct entropy_limits loops; /* thresholds of loop detection */
    bool has_loops;              /* the plan or the settings set some of the thresholds */
    struct workspace_spec workspace; /* default for tasks without a workspace of their own */
    struct sandbox_spec sandbox;     /* default for steps without a sandbox of their own */
    struct plan_limits limits;       /* limits of each attempt */
    struct budget budget;            /* budget shared by all agents of a run */
    char **after[AFTER_COUNT];  /* owned; the commands that follow ends of tasks; NULL = none */
    struct adapters *adapters;  /* owned; the visible agents; NULL = the built-in ones */
    enum plan_hangup on_hangup; /* what to do when the terminal goes away */
    unsigned said;              /* bits of enum plan_said: keys that the plan or the settings set */
    struct plan_contract **contracts; /* owned, like each contract; named contracts occur once */
    int contract_count;               /* at most PLAN_CONTRACTS_MAX */
    bool has_files;                   /* some contracts were read from files */
    char **sources;                   /* owned; each name once */
    int source_count;                 /* at most PLAN_SOURCES_MAX */
    struct plan_executor *executors;  /* owned; unique names; the plan's own in document order, then
                                         those of the settings that the plan names */
    int executor_count;               /* at most PLAN_EXECUTORS_MAX */
    int executor;                     /* default for tasks that name no executor; like a task's */
    struct plan_task *tasks;          /* owned; a task's number is its index */
    int task_count;
    int step_count;          /* steps of all tasks */
    struct plan_name *by_id; /* owned; sorted by id, for plan_find() */
    int by_id_count;
    const struct plan *base; /* for a growing plan: borrowed, the plan with its rules; else NULL */
    size_t task_cap, by_id_cap; /* for a growing plan: capacity of `tasks` and `by_id` */
};

/* Reads a plan. If it is invalid, returns false with all errors in *violations, in document
 * order. Keys that begin with "//" are comments. A syntax error is one NOT_JSON violation with
 * line and column in its message. The caller calls plan_free() and violations_done(). */
ATTR_MUST_USE bool plan_parse(const char *text, size_t len, struct plan **out,
                              struct violations *violations);

/* Appends the file with this name, relative to the plan, to *out. Reads at most CONTRACT_BYTES_MAX
 * bytes. */
typedef bool plan_file_fn(void *ctx, const char *name, struct str *out, struct err *err);

struct plan_files {
    plan_file_fn *read;
    void *ctx; /* borrowed */
};

/* External data that a plan may refer to. Zero-initialized: none. */
struct plan_context {
    const struct settings *settings; /* borrowed; NULL = none */
    const struct plan_files *files;  /* borrowed; NULL = none: contracts must be in the plan */
};

/* Like plan_parse(), but the policies and limits that the settings define are visible, and
 * contracts may be in files. They become part of the plan, so that plan_write() writes a
 * self-contained text. A text from a log keeps its own settings. */
ATTR_MUST_USE bool plan_parse_with(const char *text, size_t len, const struct plan_context *context,
                                   struct plan **out, struct violations *violations);

#define PLAN_STDIN_OURS "-" /* the standard input of the devs that started the run */

/* A plan for one command: one task "exec" with one step. Copies argv. If the policy may repeat the
 * command, the step is marked idempotent. */
struct plan_exec {
    char *const *argv; /* borrowed, NULL-terminated */
    bool reads_stdin;  /* the command reads the standard input of devs */
    enum phase phase;
    const struct policy *policy; /* borrowed for the call; owned by the settings, or static */
    int64_t timeout_ms;
    const struct settings *settings;    /* borrowed for the call; NULL = none */
    const struct sandbox_spec *sandbox; /* borrowed for the call; NULL = as in the settings */
    bool idempotent;
};
/* Makes the plan. Fails with ERR_INVALID or ERR_LIMIT if no plan may contain the command: it is
 * empty, has too many arguments, or an argument is too long. The caller owns *out. */
ATTR_MUST_USE bool plan_for_command(const struct plan_exec *exec, struct plan **out,
                                    struct err *err);

struct str;
/* Appends the plan as JSON, which plan_parse() reads as an equal plan. Invalid UTF-8 in the command
 * of `exec` becomes U+FFFD. */
void plan_write(const struct plan *plan, struct str *out);

/* Returns true if the plan contains parts from outside its text, so that plan_write() writes more
 * than the text. */
bool plan_has_more(const struct plan *plan);

/* Extracts task `id` and the tasks that it needs, directly or indirectly. Fails with ERR_NOT_FOUND
 * if there is no such task. The caller owns *out. */
ATTR_MUST_USE bool plan_only(const struct plan *plan, const char *id, struct plan **out,
                             struct err *err);

/* Returns the policy with this name: the plan's own, else the one from the settings, else the
 * built-in one; NULL if there is none. */
const struct policy *plan_policy_find(const struct plan *plan, const char *name);

/* Returns the executor that runs the task; NULL = this machine. Borrowed from the plan. */
const struct plan_executor *plan_task_executor(const struct plan *plan,
                                               const struct plan_task *task);
/* Returns why the text is not a host for ssh, or NULL. Static. */
const char *plan_host_fault(const char *text);
/* Returns whether the executor (NULL = this machine) has no shared folder, so that the worktrees of
 * its tasks are on their hosts, and only their results come to this machine. */
bool plan_executor_ships(const struct plan_executor *executor);
/* Returns the number of hosts of all executors. */
int plan_host_count(const struct plan *plan);
/* Appends "on lab (gpu1, gpu2; 9 slots)"; the names of many hosts are cut. */
void plan_executor_words(const struct plan_executor *executor, struct str *out);

/* Returns the number of the agent's step that this step belongs to: the last one at or before
 * `step`; -1 if there is none. */
int plan_task_agent_step(const struct plan_task *task, int step);

/* Returns the sandbox of the task's first step that has one; a sandbox of kind none if no step has
 * one. Borrowed. */
const struct sandbox_spec *plan_task_sandbox(const struct plan_task *task);

/* Returns the sandbox in which `workspace.setup` runs, given the task's sandbox and setup_in; kind
 * none means outside any sandbox, on this machine. The result borrows the lists of `sandbox`; do
 * not free it. */
struct sandbox_spec plan_setup_sandbox(const struct workspace_spec *workspace,
                                       const struct sandbox_spec *sandbox);

/* Returns whether the step may run again after an attempt that may have changed something: it is
 * idempotent, its task's workspace can be reset, or its agent can resume its session. */
bool plan_step_is_repeatable(const struct plan_task *task, const struct plan_step *step);

/* Returns the number of attempts that the policy allows; 1 in a phase without retries, and for a
 * step with `once`. */
int plan_step_attempts(const struct plan_step *step);

/* May be NULL. */
void plan_free(struct plan *plan);

/* Returns the task's number, or -1. O(log n) or better. */
int plan_find(const struct plan *plan, const char *id);

/* The published JSON Schemas of plans and of devs.config.json, assets/plan.schema.json and
 * assets/config.schema.json, which are compiled into the program. Editors and devs itself use the
 * same text. Any thread. */

/* Returns the text of the plan schema. Static. */
const char *plan_schema_text(void);
/* Returns the text of the schema of devs.config.json. Static. */
const char *settings_schema_text(void);

/* Returns the contract of plans, compiled by the first call. Valid for the life of the process. */
const struct contract *plan_schema(void);
/* Like plan_schema(), for devs.config.json. */
const struct contract *settings_schema(void);

/* A plan from the log, in which redaction marks replace secrets. */

/* Replaces marks in the commands of steps (argv, env, cwd, stdin, the prompt, and the variables of
 * the adapter), in `setup` and in executors with the values of the variables that they name in
 * `environment` ("NAME=value", NULL-terminated). Leaves a string alone if a variable is missing, or
 * if `redactor` would not redact the new string to the old one: the mark then replaced something
 * else, such as a part of the value or an encoded value. No other thread may use the plan yet. */
void plan_restore_secrets(struct plan *plan, const struct redactor *redactor,
                          char *const *environment);

/* Returns true if a secret of the step's command is still missing, and copies its name. */
bool plan_step_lacks(const struct plan_step *step, char name[REDACT_NAME_MAX + 1]);
/* Like plan_step_lacks(), for the command that sets up the task's workspace. */
bool plan_setup_lacks(const struct plan_task *task, char name[REDACT_NAME_MAX + 1]);

/* Sessions shared by tasks.
 *
 * An agent writes to its session as it works, so two tasks that use a session at the same time
 * would spoil it for both. So one of them must need the other, directly or indirectly. */

/* Maximum number of sessions that several tasks of a plan may share; each costs a pass over all
 * tasks. */
enum { PLAN_SESSIONS_SHARED_MAX = 64 };

/* Returns true if no two tasks can use a session at the same time. Otherwise adds a violation for
 * each session that two tasks can use at once, naming the first two. The plan must not have cycles
 * (plan_parse() checks that). O(tasks and needs) for each shared session. */
ATTR_MUST_USE bool plan_sessions_check(const struct plan *plan, struct violations *violations);

/* A plan that grows while its run is active.
 *
 * A plan with "grows": true begins without tasks; each is added by an event of the run. So a
 * growing plan belongs to exactly one fold (run_state.h) or engine. It is a copy of a base plan,
 * has its own tasks, and uses the rules of the base (policies, sandbox, limits, loops), which never
 * changes.
 *
 * An added task needs no others, works in place, and has steps that run a command without a
 * contract. Steps that are not declared idempotent get one attempt in every phase, whatever their
 * policy, because nothing can be restored before a second one; the decision says so. An attempt
 * that failed to start may be repeated. */

/* Returns true if the plan has all its tasks, as plans written by people and agents must. Otherwise
 * adds a violation: only devs itself starts runs with growing plans. */
ATTR_MUST_USE bool plan_is_whole(const struct plan *plan, struct violations *violations);

/* Returns a growing copy of `base`, which must have "grows" and outlive the copy. The caller calls
 * plan_free(). */
ATTR_MUST_USE struct plan *plan_growing(const struct plan *base);

/* Reads a task (JSON, as in a plan) and adds it. On failure, changes nothing. Fails with
 * ERR_INVALID if the task is invalid, its id is taken, or it has a key that added tasks may not
 * have; with ERR_LIMIT if the plan has PLAN_TASKS_MAX tasks. O(log tasks) if ids arrive in
 * ascending order; otherwise moves the later ids (16 bytes each). One thread at a time. */
ATTR_MUST_USE bool plan_grow(struct plan *plan, const char *task_json, size_t len, struct err *err);

/* Removes the last task, which must exist, as if it had not been added. */
void plan_shrink(struct plan *plan);

/* Frees the parts of a task that are not needed once it has ended: arguments, environment and
 * sandbox of its steps. Keeps its id, title and number of steps. */
void plan_forget_calls(struct plan *plan, int task);

#endif
