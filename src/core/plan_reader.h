/*
 * plan_reader.h - what the parts of the plan parser share: where they are in the
 * document, how they complain, and reading of single values.
 *
 * A read that fails has added its violation; the caller goes on with the next
 * value, so that all that is wrong is found in one go.
 */
#ifndef DEVS_PLAN_READER_H
#define DEVS_PLAN_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"
#include "plan.h"
#include "plan_graph.h"
#include "policy_list.h"
#include "violation.h"

/* A place in the document; lives on the stack of who walks down to it. */
struct plan_path {
    const struct plan_path *up; /* NULL for the root */
    const char *key;            /* NULL: element `index` of an array */
    size_t index;
};

struct plan_reader {
    struct plan *plan;
    struct violations *violations; /* borrowed; where complaints go */
    struct policy_list policies;   /* in sight; the items are the plan's or the settings' */
    struct policy *policy;         /* borrowed; whose fields are read */
    const char *policy_name;       /* borrowed; its name, NULL = none */
    bool builtin_may_change;       /* policies may have the names of built-in ones */
    struct plan_cycles cycles;
    int *named;                   /* owned; by task: stamp of the last needs that named it */
    int task;                     /* the one being read */
    int step;                     /* likewise, within the task */
    const struct json *step_json; /* borrowed; the step being read */
    enum phase phase_floor;       /* phase of the step before */
    bool default_is_sound;        /* the policy of steps that name none */
    bool policy_is_sound;         /* that of the step can be relied on */
    bool step_is_sound;           /* likewise its phase and idempotent */
};

typedef void plan_field_fn(struct plan_reader *reader, const struct plan_path *path,
                           const struct json *value);

/* One key that an object may have. */
struct plan_field {
    const char *key;
    plan_field_fn *read;
    const char *required; /* its type, for the message if it is missing; NULL = optional */
};

struct plan_fields {
    const struct plan_field *rows;
    size_t count;
};

/* Inclusive. */
struct plan_range {
    double min, max;
};

/* expected and actual may be NULL. */
void plan_reader_add(struct plan_reader *reader, enum violation_code code,
                     const struct plan_path *path, const char *message, const char *expected,
                     const char *actual);
/* INVALID_VALUE; shows the value itself. */
void plan_reader_invalid(struct plan_reader *reader, const struct plan_path *path,
                         const char *message, const char *expected, const struct json *value);
/* WRONG_TYPE; shows the type of the value. */
void plan_reader_wrong_type(struct plan_reader *reader, const struct plan_path *path,
                            const char *expected, const struct json *value);

/* Is the list of violations full? Then nobody will see another suggestion. */
bool plan_reader_is_full(const struct plan_reader *reader);

/* Is it a key that people write for people: "// ..." or "$schema"? */
bool plan_reader_is_comment(const char *key);

/* The text as JSON, which the caller frees; NULL and a violation if it is none or has more
 * than max_bytes. */
ATTR_MUST_USE struct json *plan_reader_json(const char *text, size_t len, size_t max_bytes,
                                            struct violations *violations);

/* Walk an object in document order by the table. False if it is no object. */
bool plan_reader_object(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value, const struct plan_fields *fields);
/* True if it is an array of `range` elements. */
bool plan_reader_array(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value, struct plan_range range);
/* The text of a string of 1 to `max` bytes, else NULL. */
const char *plan_reader_text(struct plan_reader *reader, const struct plan_path *path,
                             const struct json *value, size_t max);
bool plan_reader_bool(struct plan_reader *reader, const struct plan_path *path,
                      const struct json *value, bool *out);
ATTR_MUST_USE bool plan_reader_i64(struct plan_reader *reader, const struct plan_path *path,
                                   const struct json *value, struct plan_range range, int64_t *out);
ATTR_MUST_USE bool plan_reader_number(struct plan_reader *reader, const struct plan_path *path,
                                      const struct json *value, struct plan_range range,
                                      double *out);

/* Is it a name such as a task's id? [A-Za-z0-9][A-Za-z0-9._-]{0,63} */
bool plan_id_is_valid(const char *id);

#endif
