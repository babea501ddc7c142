/*
 * plan_reader.h - what the parts of the plan parser share: where they are in the
 * document, and how they complain.
 *
 * The schema (plan_schema.h) has looked at the document before: types, words, ranges,
 * keys that nobody knows. The readers build what is right, pass over what is not, and
 * say only what a schema cannot.
 */
#ifndef DEVS_PLAN_READER_H
#define DEVS_PLAN_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"
#include "json_pointer.h"
#include "plan.h"
#include "plan_graph.h"
#include "policy_list.h"
#include "violation.h"

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

#endif
