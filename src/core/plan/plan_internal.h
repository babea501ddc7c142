/* Shared by the readers and writers of plans and settings. Private to core. */
#ifndef DEVS_PLAN_INTERNAL_H
#define DEVS_PLAN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "contract.h"
#include "entropy_limits.h"
#include "field.h"
#include "json.h"
#include "json_pointer.h"
#include "plan.h"
#include "policy.h"
#include "settings.h"
#include "str.h"

/*
 * The graph of needs (plan.c). Nothing recurses; everything is O(n).
 */

/* Builds plan->by_id; leaves out tasks without an id. */
void plan_index_ids(struct plan *plan);

/* Builds each task's dependents from all needs. */
void plan_link_dependents(struct plan *plan);

/* Zero-initialized: no cycles. */
struct plan_cycles {
    int *next;    /* owned; by task: a need that is in a cycle or leads to one; -1 = none */
    bool *starts; /* owned; by task: true for the first task of each cycle in the document */
};

/* Finds disjoint cycles, at least one if there are any. Call plan_link_dependents() before. */
void plan_cycles_init(struct plan_cycles *cycles, const struct plan *plan);
void plan_cycles_done(struct plan_cycles *cycles);

/* Writes "a -> b -> a" for the cycle that begins with this task; cuts long ones. */
void plan_cycles_name(const struct plan_cycles *cycles, const struct plan *plan, int task,
                      struct str *out);

/* The visible policies of a document. Inner policies hide outer ones of the same name; the built-in
 * ones are outermost. */

enum { POLICY_LIST_NAMED = 12 };

struct policy_list {
    struct policy *items; /* owned or borrowed, depending on the user */
    int count;
    int inner; /* index of the document's own policies, which follow the outer ones */
};

/* Returns the policy with this name, searching inner, outer, then built-in ones; NULL if there is
 * none. */
const struct policy *policy_list_find(const struct policy_list *list, const char *name);

/* Appends the names as "a, b, c", built-in ones first; at most POLICY_LIST_NAMED of the others.
 * Leaves out `except`, which may be NULL. */
void policy_list_names(const struct policy_list *list, const char *except, struct str *out);

/* Names the policy, cut to POLICY_NAME_MAX bytes. */
void policy_rename(struct policy *policy, const char *name);

/* Reading plans and settings: position in the document, and reporting errors.
 *
 * The schema has already checked types, words, ranges and unknown keys. Readers take valid values,
 * skip invalid ones, and report only errors that a schema cannot express. */

/* State of reading a plan or settings: field_reader.doc. */
struct plan_reading {
    struct plan *plan;
    struct violations *contract_violations; /* borrowed; errors of the plan's contracts */
    struct violations *agent_violations;    /* borrowed; errors of the plan's agents */
    struct violations *executor_violations; /* borrowed; errors of the plan's executors */
    struct policy_list policies;     /* visible policies; the plan or the settings own the items */
    const char *policy_name;         /* borrowed; name of the policy being read; may be NULL */
    bool builtin_may_change;         /* policies may redefine built-in ones */
    const struct plan_files *files;  /* borrowed; NULL: files cannot be read */
    const struct settings *settings; /* borrowed; their executors are visible; NULL = none */
    size_t contract_bytes;           /* bytes of all contracts so far */
    size_t contract_schemas;         /* schemas of all contracts so far */
    bool contracts_full; /* a limit was reached and reported; no more contracts are loaded */
    struct sandbox_spec *sandbox;         /* borrowed; the sandbox being read */
    struct workspace_spec *workspace;     /* borrowed; the workspace being read */
    struct sandbox_spec base_sandbox;     /* owned; sandbox that the plan's own is based on */
    struct workspace_spec base_workspace; /* owned; workspace that the plan's own is based on */
    struct plan_cycles cycles;
    int *named;      /* owned; by task: stamp of the last list of needs that named the task */
    bool ids_differ; /* all task ids are known to differ */
    int task;        /* the task being read */
    int step;        /* the step being read, within the task */
    const struct json *task_json; /* borrowed; the task being read */
    const struct json *step_json; /* borrowed; the step being read */
    enum phase phase_floor;       /* phase of the previous step */
    bool default_is_sound;        /* the default policy has no errors */
    bool policy_is_sound;         /* the step's policy has no errors */
};

/* Parses the text. The caller frees the result. Returns NULL and adds a violation if the text is
 * not JSON or is longer than max_bytes. Contracts may contain U+0000 and numbers of any size, so
 * both are accepted everywhere; plan_shape_check() rejects them elsewhere. */
ATTR_MUST_USE struct json *plan_reader_json(const char *text, size_t len, size_t max_bytes,
                                            struct violations *violations);

/* Returns the step being read. */
struct plan_step *plan_reader_step(const struct field_reader *reader);

/* Sources: names shared by steps that use the same service, which limits their rate together. */

/* Reads "source" of the current step. */
void plan_source_read(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value);

/* Sets the source of a step that names none, if there is space. */
void plan_source_take(struct plan *plan, struct plan_step *step, const char *name);
/* For a step that names no source: uses the name of the agent CLI that it starts, if any. */
void plan_source_guess(struct plan *plan, struct plan_step *step);

/*
 * Checking plans and settings against their schemas.
 */

/* Checks the document against its schema. Also rejects U+0000, which JSON strings may contain but
 * arguments, paths and names may not; contracts and comments are exempt. Adds errors to `wrong`,
 * which must be empty, in document order. */
ATTR_MUST_USE bool plan_shape_check(const struct contract *schema, const struct json *root,
                                    struct violations *wrong);

/*
 * The surroundings of steps: workspace, sandbox, limits, and what happens when the terminal goes
 * away. Plans and settings have the same four keys.
 */

/* Returns the word for an enum plan_hangup. Static. */
const char *plan_hangup_word(int hangup);
#define PLAN_HANGUP_MEANS                                                                          \
    "how the run ends or continues when its terminal is closed: `go-on`: continue without a "      \
    "terminal; `wait`: start nothing new, and end when the running attempts have ended; "          \
    "`cancel`: cancel the run"

extern const struct fields plan_workspace_fields, plan_sandbox_fields, plan_limits_fields;

/* Reads the value on top of a copy of `base`, key by key, and reports errors; a value that is not a
 * workspace changes nothing. If the kind differs from that of `base`, drops keys that only the
 * base's kind may have. The caller calls workspace_spec_done(out). */
void plan_workspace_read(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value, const struct workspace_spec *base,
                         struct workspace_spec *out);
/* Like plan_workspace_read(), for a sandbox. The caller calls sandbox_spec_done(out). */
void plan_sandbox_read(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value, const struct sandbox_spec *base,
                       struct sandbox_spec *out);

/* Sets the defaults, including those of loops. */
void plan_surroundings_init(struct plan *plan);

/* Reads the document's values without reporting errors. */
void plan_surroundings_load(struct field_reader *reader, const struct json *root);
/* Reports the errors of "workspace" during the walk. */
void plan_surroundings_check_workspace(struct field_reader *reader, const struct json_pointer *path,
                                       const struct json *value);
/* Like plan_surroundings_check_workspace(), for "sandbox". */
void plan_surroundings_check_sandbox(struct field_reader *reader, const struct json_pointer *path,
                                     const struct json *value);

/* For settings: reads the values and reports errors. Leaves workspace and sandbox of *settings
 * alone if the document has none. */
void plan_surroundings_read(struct field_reader *reader, const struct json *root,
                            struct settings *settings);

/* Writes the keys that the plan sets. */
void plan_surroundings_write(const struct plan *plan, struct str *out);

/* Policies (plan_policy.c) of a plan, of the settings and of single steps. One table reads and
 * writes them.
 *
 * Policies are needed before the walk reaches them, so they are loaded first; the walk reports
 * their errors. */

/* Keys of the settings. */
extern const struct fields settings_fields, ui_fields, retention_fields, secret_fields,
    tests_fields;

enum {
    SETTINGS_POLICIES_MAX = PLAN_POLICIES_MAX + 2, /* two have shorthand keys of their own */
    PLAN_POLICY_BUILTIN = 5, /* built-in policies that a change of policies copies into the plan */
    /* Policies of the settings, of the plan and of one command, and built-in policies. */
    PLAN_POLICY_ROOM = SETTINGS_POLICIES_MAX + PLAN_POLICIES_MAX + 1 + PLAN_POLICY_BUILTIN,
};

/* Uses the settings' values as defaults of the plan. Copies the settings' policies into
 * plan->policies, which must be empty and have space for PLAN_POLICY_ROOM. */
void plan_take_settings(struct plan *plan, const struct settings *settings);

/* Loads the policies of the object `value` into reader->doc->policies as its inner ones; any other
 * value counts as an empty object. There must be space for PLAN_POLICIES_MAX more. */
void plan_policies_load(struct field_reader *reader, const struct json *value);
/* Reports the errors of the policies. */
void plan_policies_check(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value);

/* Reads a step's own policy from the object `value`. It starts as a copy of the policy named by
 * "like", else of `otherwise`, and gets that name with a '+'. */
void plan_policy_read_own(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *value, const struct policy *otherwise,
                          struct policy *out);

/* Returns the policy that the string names, or NULL. */
const struct policy *plan_policy_by_name(struct field_reader *reader,
                                         const struct json_pointer *path, const struct json *value);

/* Returns phase_name() of that number. */
const char *plan_phase_word(int phase);

/* The members of a policy, without its name. */
extern const struct fields plan_policy_fields;

/* Writes a JSON object with all members of the policy except its name. For a step's own policy,
 * "like" names the policy that it extends. */
void plan_policy_write(const struct policy *policy, struct str *out);

/*
 * Output contracts (plan_agent.c).
 */

/* Compiles all contracts of the plan's object "contracts"; any other value counts as an empty
 * object. Adds errors to reader->doc->contract_violations. */
void plan_contracts_load(struct field_reader *reader, const struct json *value);

/* Reads "contract" of the current step. */
void plan_contract_read(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value);

/*
 * Agents (plan_agent.c).
 */

/* Loads the visible agents: the plan's own hide those of the settings (`below`, may be NULL), which
 * hide the built-in ones. Adds errors to reader->doc->agent_violations. */
void plan_agents_load(struct field_reader *reader, const struct json *value,
                      const struct adapters *below);

/* Returns true if the current step has the key "agent". */
bool plan_agent_is_named(const struct field_reader *reader);

/* Read the keys of an agent's step: "agent"; "prompt", "model" or "resume"; "args" or
 * "permission_args"; "output". */
field_fn plan_agent_read_name, plan_agent_read_text, plan_agent_read_list, plan_agent_read_output;
/* Returns why a step may not write a file at this path, which must not be empty; NULL if it may.
 * Static. */
const char *plan_path_fault(const char *path);

/* Checks the combination of an agent with other keys, and builds the agent's command. Call after
 * all keys of the step have been read. */
void plan_agent_finish(struct field_reader *reader, const struct json_pointer *path);

/* Reads a number of US dollars into an int64_t, in millionths. */
field_fn plan_budget_read_cost;
/* Keys of a budget. */
extern const struct fields plan_budget_fields;
/* Keys of `after`; the object is plan.after. */
extern const struct fields plan_after_fields;

/* Appends the key and its value, if the budget is set. */
void plan_budget_write(const struct budget *budget, struct str *out);

/* Appends the keys of an agent's step, without a comma before the first one. */
void plan_agent_write(const struct plan_step *step, struct str *out);
/* Appends the key "agents" with the agents that some step uses and that are not built in. */
void plan_agents_write(const struct plan *plan, struct str *out);

/*
 * Executors (plan_executor.c).
 */

/* Keys of an executor, and of one of its hosts. */
extern const struct fields plan_executor_fields, plan_host_fields;
/* Keys of an executor's `adapter`, and of a task's `resources`. */
extern const struct fields executor_adapter_fields, executor_resource_fields;

/* Loads the executors of the object `executors`, and the default that the string `executor` names;
 * other values count as missing. Adds the errors of the executors to
 * reader->doc->executor_violations. */
void plan_executors_load(struct field_reader *reader, const struct json *executors,
                         const struct json *executor);
/* Reads the executors of the settings. Adds errors to `wrong`. */
void plan_executors_read_settings(struct field_reader *reader, const struct json *executors,
                                  struct violations *wrong, struct settings *settings);

/* Returns the number of the executor that the value names; -1 = this machine. An executor of the
 * settings becomes part of the plan. A value that names no executor counts as `otherwise`, without
 * an error. */
int plan_executor_take(struct field_reader *reader, const struct json *value, int otherwise);
/* Reports a name that is not that of an executor. */
void plan_executor_check(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value);

/* Reports the limits of the plan that cannot be enforced on the executor of the current task. */
void plan_executor_check_task(struct field_reader *reader, const struct json_pointer *path);
/* Reports what the current step needs but the executor of its task cannot do. */
void plan_executor_check_step(struct field_reader *reader, const struct json_pointer *path);

/* Appends the keys "executors" and "executor", if the plan has executors. */
void plan_executors_write(const struct plan *plan, struct str *out);
/* Appends the key "executor", if it differs from the plan's. */
void plan_executor_write_task(const struct plan *plan, const struct plan_task *task,
                              struct str *out);

/* Frees the executors and the array, which may be NULL. */
void plan_executors_free(struct plan_executor *executors, int count);

/*
 * Tasks (plan_task.c).
 */

/* Keys of a plan (plan_parse.c), a task, a step, and the step's expectations. */
extern const struct fields plan_root_fields, plan_task_fields, plan_step_fields, plan_expect_fields,
    plan_file_fields;

/* Finds ids, needs and cycles before the walk, so that the walk can report errors in document
 * order. Reports no errors itself. */
void plan_tasks_prepare(struct field_reader *reader, const struct json *tasks);

/* Reads a task that is added to a growing plan: number reader->doc->task, the last one, which has
 * only its id so far. It must not need other tasks. `path` is that of the array of tasks. */
void plan_task_read_added(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *task);

/* Reads the array of tasks after plan_tasks_prepare(). */
void plan_tasks_read(struct field_reader *reader, const struct json_pointer *path,
                     const struct json *value);

/*
 * Freeing parts of a plan (plan.c).
 */

/* Frees the members of the step, but not the step itself. */
void plan_free_step(struct plan_step *step);
/* Frees the members of the task, but not the task itself. */
void plan_free_task(struct plan_task *task);

#endif
