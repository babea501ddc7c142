/*
 * What the readers and writers of plans and settings share. Private to core.
 */
#ifndef DEVS_PLAN_INTERNAL_H
#define DEVS_PLAN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "contract.h"
#include "entropy_limits.h"
#include "json.h"
#include "json_pointer.h"
#include "plan.h"
#include "policy.h"
#include "settings.h"
#include "str.h"
#include "violation.h"

/*
 * The needs of a plan's tasks as a graph: who depends on whom, and which tasks need each other in
 * a circle. Neither recurses, both are O(n).
 */

/* Make plan->by_id from the ids; tasks without one are left out. */
void plan_index_ids(struct plan *plan);
/* Has no task the id of another one? By that index. */
bool plan_ids_differ(const struct plan *plan);

/* Make each task's dependents from all tasks' needs. */
void plan_link_dependents(struct plan *plan);

/* All zero is empty: nothing is in a circle. */
struct plan_cycles {
    int *next;    /* owned; by task: a need that keeps it in a circle, -1 = none */
    bool *starts; /* owned; by task: it is the first in the document of its circle */
};

/* Find circles that have no task in common: at least one if there are any.
 * Dependents are linked. */
void plan_cycles_init(struct plan_cycles *cycles, const struct plan *plan);
void plan_cycles_done(struct plan_cycles *cycles);

/* "a -> b -> a" for the circle that starts with this task; a long one is cut. */
void plan_cycles_name(const struct plan_cycles *cycles, const struct plan *plan, int task,
                      struct str *out);

/*
 * The policies in sight of a document.
 *
 * An inner one hides an outer one of its name; the built-in ones are the outermost.
 */

enum { POLICY_LIST_NAMED = 12 };

struct policy_list {
    struct policy *items; /* whose, the user says */
    int count;
    int inner; /* the document's own begin here; before them are the outer ones */
};

/* The policy of that name, inner before outer before built-in; NULL = none. */
const struct policy *policy_list_find(const struct policy_list *list, const char *name);

/* Add their names, "a, b, c", the built-in ones first; of the others at most
 * POLICY_LIST_NAMED. `except` is left out (NULL: none). */
void policy_list_names(const struct policy_list *list, const char *except, struct str *out);

/* Give the policy a name, cut to POLICY_NAME_MAX bytes. */
void policy_rename(struct policy *policy, const char *name);

/*
 * What the parts of the plan parser share: where they are in the document, and how they complain.
 *
 * The schema (plan_schema.h) has looked at the document before: types, words, ranges, keys that
 * nobody knows. The readers build what is right, pass over what is not, and say only what a
 * schema cannot.
 */

enum { PLAN_POINTER_MAX = 1024 }; /* bytes of a place's text, more or less */

struct plan_reader {
    struct plan *plan;
    const struct violations *shape;         /* borrowed; what the schema says is wrong */
    struct violations *violations;          /* borrowed; where complaints go */
    struct violations *contract_violations; /* borrowed; those about the plan's contracts */
    struct violations *agent_violations;    /* borrowed; those about the plan's agents */
    struct policy_list policies;      /* in sight; the items are the plan's or the settings' */
    struct policy *policy;            /* borrowed; whose fields are read */
    const char *policy_name;          /* borrowed; its name, NULL = none */
    bool builtin_may_change;          /* policies may have the names of built-in ones */
    const struct plan_files *files;   /* borrowed; NULL: no file can be read */
    size_t contract_bytes;            /* of all contracts so far */
    size_t contract_schemas;          /* within them */
    bool contracts_full;              /* has complained that they are too much; no more is loaded */
    struct sandbox_spec *sandbox;     /* borrowed; whose fields are read */
    struct workspace_spec *workspace; /* borrowed; likewise */
    struct sandbox_spec base_sandbox; /* owned; what the plan's own begins as */
    struct workspace_spec base_workspace; /* owned; likewise */
    struct plan_cycles cycles;
    int *named;                   /* owned; by task: stamp of the last needs that named it */
    bool ids_differ;              /* those of all tasks are known to */
    int task;                     /* the one being read */
    int step;                     /* likewise, within the task */
    const struct json *step_json; /* borrowed; the step being read */
    enum phase phase_floor;       /* phase of the step before */
    bool default_is_sound;        /* the policy of steps that name none */
    bool policy_is_sound;         /* that of the step can be relied on */
};

/* Reads one member of the document at `path`; what is wrong is put among the reader's
 * violations. */
typedef void plan_field_fn(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value);

/* One key that an object may have, and what is made of it. */
struct plan_field {
    const char *key;
    plan_field_fn *read;
};

struct plan_fields {
    const struct plan_field *rows;
    size_t count;
};

/* The text as JSON, which the caller frees; NULL and a violation if it is none or has more
 * than max_bytes. Contracts may have U+0000 and numbers of any size, wherever they stand, so
 * all is read with them; plan_shape_check() refuses what other values may not be. */
ATTR_MUST_USE struct json *plan_reader_json(const char *text, size_t len, size_t max_bytes,
                                            struct violations *violations);

/* expected and actual may be NULL. */
void plan_reader_add(struct plan_reader *reader, enum violation_code code,
                     const struct json_pointer *path, const char *message, const char *expected,
                     const char *actual);
/* INVALID_VALUE; shows the value itself. */
void plan_reader_invalid(struct plan_reader *reader, const struct json_pointer *path,
                         const char *message, const char *expected, const struct json *value);

/* Is the list of violations full? Then nobody will see another suggestion. */
bool plan_reader_is_full(const struct plan_reader *reader);
/* Has the schema nothing to say about this place and what is in it? */
bool plan_reader_is_sound(const struct plan_reader *reader, const struct json_pointer *path);

/* Is it a key that people write for people: "// ..."? */
bool plan_reader_is_comment(const char *key);

/* Walk an object in the order of the document; keys that are not in the table, and what
 * is no object, are passed over. */
void plan_reader_walk(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value, const struct plan_fields *fields);

/* The whole number that it is, 2.0 included; *out is untouched by anything else. */
void plan_reader_whole(const struct json *value, int64_t *out);

/* Copy a string into *out; it stays NULL for anything else. The system counts the bytes of
 * a text, a schema its characters: more than PLAN_TEXT_MAX bytes are a violation. */
void plan_reader_text(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value, char **out);

/*
 * The sources of a plan: names of what steps share when its service says "too many requests".
 */

/* Read the "source" of the reader's present step. */
void plan_source_read(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value);

/* The source of a step that says none is this one, if there is room for it. */
void plan_source_take(struct plan *plan, struct plan_step *step, const char *name);
/* The source of a step that says none: the agent CLI that it starts, if it does. */
void plan_source_guess(struct plan *plan, struct plan_step *step);

/*
 * Lists of texts in plans and settings: paths, names, arguments.
 */

/* Complain if the text at this place may not be. */
typedef void plan_list_fn(struct plan_reader *reader, const struct json_pointer *path,
                          const char *text);

/* Copy the array into *out, which is freed first; an empty one is NULL. Anything that is no
 * array of at most `max` strings is passed over: the schema has complained. */
void plan_list_read(struct plan_reader *reader, const struct json_pointer *path,
                    const struct json *value, size_t max, char ***out);
/* Let `check` look at each of the strings. */
void plan_list_check(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value, plan_list_fn *check);

/* Does it stay within the folder that it is relative to: no "..", not absolute, not empty,
 * and not that folder itself? */
bool plan_path_is_within(const char *path);
/* Has it a part ".."? */
bool plan_path_climbs(const char *path);

/*
 * The object "loops" of a plan and of the settings: from how many repeats on something loops. The
 * table of entropy_limits.h names its fields.
 */

/* Take what the object says into *loops, the other fields stay; anything else says
 * nothing. *is_said becomes true if it was one. */
void plan_loops_read(const struct json *value, struct entropy_limits *loops, bool *is_said);

/* A JSON object with every field. */
void plan_loops_write(const struct entropy_limits *loops, struct str *out);

/*
 * The form of a plan or of settings, before anything is read from it.
 */

/* Does the document fit its schema, and has no string U+0000, which JSON may have and no
 * argument, path or name can? Only contracts may, and comments. What is wrong is added to
 * `wrong`, which is empty, in the order of the document. */
ATTR_MUST_USE bool plan_shape_check(const struct contract *schema, const struct json *root,
                                    struct violations *wrong);

/*
 * What is around the steps of a plan: where they work, how they are kept apart, their limits, and
 * what happens when the terminal goes away. Plans and settings have the same four keys.
 */

/* Reads the value on top of `base`, key by key, and reports errors; anything else than a workspace
 * leaves it as it is. Keys that only the base's kind may have are dropped with another kind. The
 * caller ends *out with workspace_spec_done(). */
void plan_workspace_read(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value, const struct workspace_spec *base,
                         struct workspace_spec *out);
/* The same without reporting errors, for values needed before the walk reaches them. */
void plan_workspace_load(struct plan_reader *reader, const struct json *value,
                         const struct workspace_spec *base, struct workspace_spec *out);
/* plan_workspace_read() for a sandbox. The caller ends *out with sandbox_spec_done(). */
void plan_sandbox_read(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value, const struct sandbox_spec *base,
                       struct sandbox_spec *out);

/* As they are where nothing is said; loops too. */
void plan_surroundings_init(struct plan *plan);
/* Those of the settings, which the plan has as its defaults from now on. */
void plan_surroundings_take(struct plan *plan, const struct settings *settings);

/* What the document says of them, without a word. */
void plan_surroundings_load(struct plan_reader *reader, const struct json *root);
/* Rows of the walk: say what is wrong. */
void plan_surroundings_check_workspace(struct plan_reader *reader, const struct json_pointer *path,
                                       const struct json *value);
/* The same of a "sandbox". */
void plan_surroundings_check_sandbox(struct plan_reader *reader, const struct json_pointer *path,
                                     const struct json *value);

/* Settings: take them, and say what is wrong. *settings is otherwise untouched. */
void plan_surroundings_read(struct plan_reader *reader, const struct json *root,
                            struct settings *settings);

/* The keys of a plan that says something of them. */
void plan_surroundings_write(const struct plan *plan, struct str *out);

/*
 * Policies in JSON: those of a plan, of the settings, and of a single step; read and written by
 * the same table.
 *
 * Policies are needed before the walk through the document comes to them: they are loaded first,
 * without a word; what is wrong is said when the walk is there.
 */

enum {
    SETTINGS_POLICIES_MAX = PLAN_POLICIES_MAX + 2, /* two have short words of their own */
    PLAN_POLICY_BUILTIN = 5, /* those that a change of policies makes the plan's own */
    /* The settings', the plan's, one of a command and these. */
    PLAN_POLICY_ROOM = SETTINGS_POLICIES_MAX + PLAN_POLICIES_MAX + 1 + PLAN_POLICY_BUILTIN,
};

/* Copy the policies of the settings into plan->policies, which is empty and has room for
 * PLAN_POLICY_ROOM. */
void plan_take_settings(struct plan *plan, const struct settings *settings);

/* Take the policies of the object `value` (anything else: none) into reader->policies,
 * which has room for PLAN_POLICIES_MAX more, as its inner ones. */
void plan_policies_load(struct plan_reader *reader, const struct json *value);
/* Say what is wrong with them. */
void plan_policies_check(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value);

/* Make *out what the object `value` says of a policy, which begins as the one that it is
 * "like", else as `otherwise`. Its name is that one's with a '+'. */
void plan_policy_read_own(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value, const struct policy *otherwise,
                          struct policy *out);

/* The policy that the string names; NULL if there is none. */
const struct policy *plan_policy_by_name(struct plan_reader *reader,
                                         const struct json_pointer *path, const struct json *value);

/* Read the fields of a policy into *reader->policy. */
void plan_policy_read_fields(struct plan_reader *reader, const struct json_pointer *path,
                             const struct json *value);

/* A JSON object with every field of the policy but its name. One of a step's own is
 * written as like the one that it began as. */
void plan_policy_write(const struct policy *policy, struct str *out);

/*
 * The output contracts of a plan: JSON Schemas that stand in a step, in the plan under a name, or
 * in a file. Each is made once, however many steps have it.
 */

/* Make all contracts of the plan's object "contracts" (anything else: none). What is wrong
 * with them is among reader->contract_violations. */
void plan_contracts_load(struct plan_reader *reader, const struct json *value);

/* Read the "contract" of the reader's present step. */
void plan_contract_read(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value);

/*
 * The keys of a plan that are about agents: of steps, of tasks and of the plan.
 */

/* The agents in sight: the plan's own over those of the settings (`below`, NULL = none) over the
 * built-in ones. Complaints go to reader->agent_violations. */
void plan_agents_load(struct plan_reader *reader, const struct json *value,
                      const struct adapters *below);

/* Is the reader's present step one of an agent, by its keys? */
bool plan_agent_is_named(const struct plan_reader *reader);

/* Read the keys of an agent's step. */
plan_field_fn plan_agent_read_name, plan_agent_read_prompt, plan_agent_read_args,
    plan_agent_read_permission_args, plan_agent_read_model, plan_agent_read_resume,
    plan_agent_read_output;
/* Why no file that a step leaves may have this path, which is not empty; NULL if one may. */
const char *plan_path_fault(const char *path);
/* "quiet_s", of any step. */
plan_field_fn plan_agent_read_quiet;

/* All keys of the step are read: what goes together with an agent, and the command it is. */
void plan_agent_finish(struct plan_reader *reader, const struct json_pointer *path);

/* "rounds" of the task, before its steps are read; what is wrong the schema has said. */
int plan_agent_rounds(const struct json *task);
/* Its steps are read: have rounds and a budget an agent that they are for? */
void plan_agent_check_task(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *task);

/* "budget" of a task or of a plan; what is wrong the schema has said. */
void plan_budget_take(const struct json *value, struct budget *out);
/* Append it as the value of that key. */
void plan_budget_write(const struct budget *budget, struct str *out);

/* Append the keys of an agent's step, the first one without a comma before it. */
void plan_agent_write(const struct plan_step *step, struct str *out);
/* Append the key "agents" with those that are not built in and that a step names. */
void plan_agents_write(const struct plan *plan, struct str *out);

/*
 * Reading the tasks of a plan: their ids, what they need, their steps.
 */

/* What has to be known before the walk, so that the walk can complain in the order of
 * the document: ids, needs, circles. Nothing is complained about here. */
void plan_tasks_prepare(struct plan_reader *reader, const struct json *tasks);

/* Read one that is added to a plan that grows: reader->task, the last one, which has its id and
 * nothing else. It needs no others. `path`: the array's. */
void plan_task_read_added(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *task);

/* Read the array of tasks, which were prepared. */
void plan_tasks_read(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value);

/*
 * The ends of a plan's parts, for whoever takes one away.
 */

/* What the step owns; the step itself is its task's. */
void plan_free_step(struct plan_step *step);
/* What the task owns; the task itself is its plan's. */
void plan_free_task(struct plan_task *task);

#endif
