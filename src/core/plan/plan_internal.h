/*
 * What the readers and writers of plans and settings share. Private to core.
 */
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
    int *next;    /* owned; by task: a need that keeps it in a cycle; -1 = none */
    bool *starts; /* owned; by task: the first of its cycle in the document */
};

/* Finds disjoint cycles, at least one if there are any. Dependents must be linked. */
void plan_cycles_init(struct plan_cycles *cycles, const struct plan *plan);
void plan_cycles_done(struct plan_cycles *cycles);

/* Writes "a -> b -> a" for the cycle that begins with this task; cuts long ones. */
void plan_cycles_name(const struct plan_cycles *cycles, const struct plan *plan, int task,
                      struct str *out);

/*
 * The visible policies of a document. Inner ones hide outer ones of the same name; the built-in
 * ones are outermost.
 */

enum { POLICY_LIST_NAMED = 12 };

struct policy_list {
    struct policy *items; /* the user decides who owns it */
    int count;
    int inner; /* the document's own begin here, after the outer ones */
};

/* Returns the policy of that name, inner before outer before built-in, or NULL. */
const struct policy *policy_list_find(const struct policy_list *list, const char *name);

/* Appends the names as "a, b, c", built-in ones first; at most POLICY_LIST_NAMED of the others.
 * Leaves out `except`, which may be NULL. */
void policy_list_names(const struct policy_list *list, const char *except, struct str *out);

/* Names the policy, cut to POLICY_NAME_MAX bytes. */
void policy_rename(struct policy *policy, const char *name);

/*
 * Reading plans and settings: position in the document, and reporting errors.
 *
 * The schema has already checked types, words, ranges and unknown keys. Readers take what is
 * valid, skip what is not, and report only what a schema cannot express.
 */

/* What the tables of plans and settings need: field_reader.doc. */
struct plan_reading {
    struct plan *plan;
    struct violations *contract_violations; /* borrowed; errors of the plan's contracts */
    struct violations *agent_violations;    /* borrowed; errors of the plan's agents */
    struct policy_list policies;          /* visible ones; the plan or the settings own the items */
    struct policy *policy;                /* borrowed; the policy being read */
    const char *policy_name;              /* borrowed; its name, or NULL */
    bool builtin_may_change;              /* policies may redefine built-in ones */
    const struct plan_files *files;       /* borrowed; NULL: files cannot be read */
    size_t contract_bytes;                /* of all contracts so far */
    size_t contract_schemas;              /* in those contracts */
    bool contracts_full;                  /* the limit was reached and reported; nothing more is
                                             loaded */
    struct sandbox_spec *sandbox;         /* borrowed; being read */
    struct workspace_spec *workspace;     /* borrowed; being read */
    struct sandbox_spec base_sandbox;     /* owned; what the plan's own begins as */
    struct workspace_spec base_workspace; /* owned; the same for workspaces */
    struct plan_cycles cycles;
    int *named;                   /* owned; by task: stamp of the last list of needs that named
                                     it */
    bool ids_differ;              /* all task ids are known to differ */
    int task;                     /* the task being read */
    int step;                     /* the step being read, within the task */
    const struct json *task_json; /* borrowed; the task being read */
    const struct json *step_json; /* borrowed; the step being read */
    enum phase phase_floor;       /* phase of the previous step */
    bool default_is_sound;        /* the default policy has no errors */
    bool policy_is_sound;         /* the step's policy has no errors */
};

/* Parses the text; the caller frees the result. Returns NULL and adds a violation if it is not
 * JSON, or longer than max_bytes. Contracts may contain U+0000 and numbers of any size, so both
 * are accepted everywhere; plan_shape_check() rejects them elsewhere. */
ATTR_MUST_USE struct json *plan_reader_json(const char *text, size_t len, size_t max_bytes,
                                            struct violations *violations);

/* Returns the step being read. */
struct plan_step *plan_reader_step(const struct field_reader *reader);

/*
 * Sources: names that steps share when their service says "too many requests".
 */

/* Reads "source" of the current step. */
void plan_source_read(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value);

/* Sets the source of a step that names none, if there is room. */
void plan_source_take(struct plan *plan, struct plan_step *step, const char *name);
/* Sets the source of a step that names none to the agent CLI that it starts, if any. */
void plan_source_guess(struct plan *plan, struct plan_step *step);

/*
 * Checking plans and settings against their schemas.
 */

/* Checks the document against its schema, and for U+0000, which JSON strings may contain but
 * arguments, paths and names may not; contracts and comments are exempt. Adds errors to `wrong`,
 * which must be empty, in document order. */
ATTR_MUST_USE bool plan_shape_check(const struct contract *schema, const struct json *root,
                                    struct violations *wrong);

/*
 * The surroundings of steps: workspace, sandbox, limits, and what happens when the terminal goes
 * away. Plans and settings have the same four keys.
 */

/* Returns the word of an enum plan_hangup. */
const char *plan_hangup_word(int hangup);
#define PLAN_HANGUP_MEANS                                                                          \
    "what the run does when its terminal goes away: `go-on`: it continues without a terminal; "    \
    "`wait`: it starts nothing new, and ends when the running attempts have ended; `cancel`: it "  \
    "is cancelled"

extern const struct fields plan_workspace_fields, plan_sandbox_fields, plan_limits_fields;

/* Reads the value on top of `base`, key by key, and reports errors; anything else than a
 * workspace leaves it as it is. Keys that only the base's kind may have are dropped with another
 * kind. The caller ends *out with workspace_spec_done(). */
void plan_workspace_read(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value, const struct workspace_spec *base,
                         struct workspace_spec *out);
/* plan_workspace_read() for a sandbox. The caller ends *out with sandbox_spec_done(). */
void plan_sandbox_read(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value, const struct sandbox_spec *base,
                       struct sandbox_spec *out);

/* Sets the defaults, including those of loops. */
void plan_surroundings_init(struct plan *plan);

/* Reads the document's values without reporting errors. */
void plan_surroundings_load(struct field_reader *reader, const struct json *root);
/* Rows of the walk: report errors. */
void plan_surroundings_check_workspace(struct field_reader *reader, const struct json_pointer *path,
                                       const struct json *value);
/* Like plan_surroundings_check_workspace(), for "sandbox". */
void plan_surroundings_check_sandbox(struct field_reader *reader, const struct json_pointer *path,
                                     const struct json *value);

/* For settings: reads the values and reports errors. Otherwise leaves *settings alone. */
void plan_surroundings_read(struct field_reader *reader, const struct json *root,
                            struct settings *settings);

/* Writes the keys that the plan sets. */
void plan_surroundings_write(const struct plan *plan, struct str *out);

/*
 * Policies (plan_policy.c): of a plan, of the settings and of single steps; one table reads and
 * writes them.
 *
 * Policies are needed before the walk reaches them. So they are loaded first, and their errors
 * are reported by the walk.
 */

/* Keys of the settings. */
extern const struct fields settings_fields, ui_fields, retention_fields, secret_fields,
    tests_fields;

enum {
    SETTINGS_POLICIES_MAX = PLAN_POLICIES_MAX + 2, /* two have shorthand keys of their own */
    PLAN_POLICY_BUILTIN = 5, /* built-in ones that a change of policies copies into the plan */
    /* Those of the settings, the plan, one command, and the built-in ones. */
    PLAN_POLICY_ROOM = SETTINGS_POLICIES_MAX + PLAN_POLICIES_MAX + 1 + PLAN_POLICY_BUILTIN,
};

/* Makes the settings' values the plan's defaults. Copies their policies into plan->policies, which
 * is empty and has room for PLAN_POLICY_ROOM. */
void plan_take_settings(struct plan *plan, const struct settings *settings);

/* Loads the policies of the object `value` (anything else: none) into reader->doc->policies as its
 * inner ones. There must be room for PLAN_POLICIES_MAX more. */
void plan_policies_load(struct field_reader *reader, const struct json *value);
/* Reports the errors of the policies. */
void plan_policies_check(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value);

/* Reads a step's own policy from the object `value`. It begins as a copy of the one named by
 * "like", else of `otherwise`, and is named after that with a '+'. */
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

/* Reads the members of a policy into *reader->doc->policy. */
void plan_policy_read_fields(struct field_reader *reader, const struct json_pointer *path,
                             const struct json *value);

/* Writes a JSON object with all members of the policy except its name. A step's own policy is
 * written as like the one it began as. */
void plan_policy_write(const struct policy *policy, struct str *out);

/*
 * Output contracts (plan_agent.c).
 */

/* Compiles all contracts of the plan's object "contracts" (anything else: none). Adds errors to
 * reader->doc->contract_violations. */
void plan_contracts_load(struct field_reader *reader, const struct json *value);

/* Reads "contract" of the current step. */
void plan_contract_read(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value);

/*
 * Agents (plan_agent.c).
 */

/* Loads the visible agents: the plan's own over those of the settings (`below`, may be NULL)
 * over the built-in ones. Adds errors to reader->doc->agent_violations. */
void plan_agents_load(struct field_reader *reader, const struct json *value,
                      const struct adapters *below);

/* Returns true if the current step has keys of an agent's step. */
bool plan_agent_is_named(const struct field_reader *reader);

/* Read the keys of an agent's step: "agent"; "prompt", "model" or "resume"; "args" or
 * "permission_args"; "output". */
field_fn plan_agent_read_name, plan_agent_read_text, plan_agent_read_list, plan_agent_read_output;
/* Returns why a step may not leave a file at this path, which is not empty, or NULL. */
const char *plan_path_fault(const char *path);

/* After all keys of the step: checks combinations with an agent, and builds its command. */
void plan_agent_finish(struct field_reader *reader, const struct json_pointer *path);

/* Keys of a budget. */
extern const struct fields plan_budget_fields;

/* Reads "budget" of a task or a plan. The schema reports errors. */
void plan_budget_take(const struct json *value, struct budget *out);
/* Appends the key and its value, if the budget is set. */
void plan_budget_write(const struct budget *budget, struct str *out);

/* Appends the keys of an agent's step, without a comma before the first one. */
void plan_agent_write(const struct plan_step *step, struct str *out);
/* Appends the key "agents" with those that are not built in and that a step uses. */
void plan_agents_write(const struct plan *plan, struct str *out);

/*
 * Tasks (plan_task.c).
 */

/* Keys of a plan (plan_parse.c); of a task, a step, and its expectations. */
extern const struct fields plan_root_fields, plan_task_fields, plan_step_fields, plan_expect_fields,
    plan_file_fields;

/* Finds ids, needs and cycles before the walk, so that it can report errors in document order.
 * Reports nothing itself. */
void plan_tasks_prepare(struct field_reader *reader, const struct json *tasks);

/* Reads a task that is added to a growing plan: reader->doc->task, the last one, which has only its
 * id. It needs no others. `path`: of the array. */
void plan_task_read_added(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *task);

/* Reads the array of tasks after plan_tasks_prepare(). */
void plan_tasks_read(struct field_reader *reader, const struct json_pointer *path,
                     const struct json *value);

/*
 * Freeing parts of a plan (plan.c).
 */

/* Frees what the step owns, but not the step itself. */
void plan_free_step(struct plan_step *step);
/* Frees what the task owns, but not the task itself. */
void plan_free_task(struct plan_task *task);

#endif
