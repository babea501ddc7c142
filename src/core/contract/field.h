/* field.h - tables of the members of JSON objects. Pure.
 *
 * One table describes the members of an object. Reading and writing are derived from it, and so are
 * the schemas in assets and the tables of keys in docs: tests/core/test_plan_page.c compares
 * them. */
#ifndef DEVS_FIELD_H
#define DEVS_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "contract.h"
#include "json.h"
#include "json_pointer.h"
#include "str.h"

enum {
    FIELD_POINTER_MAX = 1024,    /* approximate maximum length of a pointer as text */
    FIELD_TEXT_MAX = 128 * 1024, /* bytes of a string */
};

struct plan_reading;

/* State of reading a document: where errors go, and which were already found. */
struct field_reader {
    const struct violations *shape; /* borrowed; errors already found by the schema; NULL = no
                                       schema has checked the document, so the reader reports
                                       errors itself */
    struct violations *violations;  /* borrowed; receives errors */
    void *at;                 /* for field.read: the member, or the object if the row has no offset;
                                 NULL if there is no object */
    struct plan_reading *doc; /* borrowed; only for the tables of plans and settings */
};

/* Reads a member at `path`. Adds errors to the reader's violations. */
typedef void field_fn(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value);

/* How a value is stored in the object. These values count as not set and are not written: a number
 * below `least`, and an empty set of words if `least` is not 0. */
enum field_type {
    FIELD_OTHER,   /* read and written by the row's functions; see own_shape for the schema */
    FIELD_BOOL,    /* bool */
    FIELD_SWITCH,  /* an enum: 0 = not set, 1 = true, 2 = false */
    FIELD_INT,     /* int from `least` to `most` */
    FIELD_I64,     /* int64_t from `least` to `most` */
    FIELD_REAL,    /* double from `least` to `most` */
    FIELD_SECONDS, /* int64_t from `least` to `most`, in ms; in the document, a number of
                      seconds */
    FIELD_TEXT,    /* char *, owned: `least` to `most` characters; NULL = none */
    FIELD_CHARS,   /* char[most + 1]: `least` to `most` bytes; "" = none */
    FIELD_LIST,    /* char **, owned: `least` to `most` strings of `item_least` to `item_most`
                      characters; NULL = none */
    FIELD_ENV, /* char **, owned: NAME=value strings; in the document, an object with at most `most`
                  strings; NULL = none */
    FIELD_WORD,   /* an enum with values from `least` to below `most`, named by `word` */
    FIELD_WORDS,  /* unsigned: one bit per word; at least `least` bits are set */
    FIELD_OBJECT, /* a struct with the fields `members` */
};

/* When a key of a project's settings needs trust, which settings.h explains. */
enum field_trust {
    FIELD_TRUST_UNKNOWN, /* always: no table has the key, or its row does not say */
    FIELD_TRUST_NEVER,
    FIELD_TRUST_ALWAYS,
    FIELD_TRUST_UNLESS_FALSE,
    FIELD_TRUST_UNLESS_TRUE,
    FIELD_TRUST_UNLESS_HERE, /* unless the value is "none" or "bwrap", which use only programs of
                                this machine */
    FIELD_TRUST_BY_MEMBER, /* if any of its members needs trust; a value without members needs none
                            */
};

/* Why a key needs trust: values of field.why. */
#define FIELD_TRUST_RUNS     "runs a command"
#define FIELD_TRUST_LOOSENS  "loosens the sandbox"
#define FIELD_TRUST_REPLACES "chooses the programs in the sandbox"

/* A member of an object. Fields that do not apply to its type are 0. */
struct field {
    const char *key;
    enum field_type type;
    size_t offset;
    int64_t least, most;
    int item_least, item_most;
    const char *(*word)(int);
    const struct fields *members; /* OBJECT: its fields */
    const char *not_one;          /* why 1 is not allowed, for numbers where 0 means off */
    field_fn *read;               /* called instead of reading by type */
    field_fn *check;              /* called after the member has been read */
    void (*write)(const void *object, struct str *out); /* called instead of writing by type */
    bool elsewhere;         /* read and written by other code; the type is only for the schema */
    bool settings_only;     /* not allowed in plans */
    enum field_trust trust; /* for keys that settings may have */
    const char *why;        /* why the key needs trust; follows the key in a sentence */

    /* For the schema and the docs: */
    const char *means;  /* one line */
    const char *values; /* only docs: the member's values, if they do not follow from the type */
    const char *see;    /* only docs: follows `means` */
    const char *ref;    /* only schema: the name of the definition that describes the member */
    bool own_shape; /* only schema: the member's shape is in the file, not derived from its type */
};

struct fields {
    const struct field *rows;
    size_t count;
    const struct fields *also[2]; /* tables whose rows also belong to this one; NULL = none */
};

/* The initializer of a table with these rows. */
#define FIELDS(table)                                                                              \
    {                                                                                              \
        .rows = (table), .count = ARRAY_LEN(table)                                                 \
    }

/* Returns the member with this key, or NULL. */
const struct field *fields_find(const struct fields *fields, const char *key);

/* Reads the members of an object into `object`, in document order. Ignores unknown keys and invalid
 * values; reports them if no schema has checked the document. `object` may be NULL if each row has
 * a function. */
void fields_read(struct field_reader *reader, const struct json_pointer *path,
                 const struct json *value, const struct fields *fields, void *object);
/* Like fields_read(), but reports no errors. The rows must not use field_reader.doc. */
void fields_take(const struct json *value, const struct fields *fields, void *object);
/* Appends the values that a member may have, such as "0 to 9". Puts `quote` before and after each
 * word. */
void field_values(const struct field *field, const char *quote, struct str *out);
/* Appends a number with grouped digits: 21,600,000. */
void field_add_grouped(struct str *out, int64_t number);
/* Appends the members as `"key":value` with commas, without braces. */
void fields_write(const struct fields *fields, const void *object, struct str *out);
/* The same, with braces. */
void fields_write_object(const struct fields *fields, const void *object, struct str *out);
/* Appends a member with a number of seconds, to three decimals. */
void field_seconds_write(const char *key, int64_t ms, struct str *out);

/* Reads an integer from `min` to `max`, including 2.0. Leaves *out alone otherwise. */
void field_read_number(const struct json *value, int64_t min, int64_t max, int64_t *out);

/* Copies a string into *out, which is freed first. Reports strings of more than FIELD_TEXT_MAX
 * bytes, because a schema counts characters. */
void field_reader_text(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value, char **out);

/* Frees the list and makes it NULL. */
void field_list_forget(char ***list);

/* Adds a violation. expected and actual may be NULL. */
void field_reader_add(struct field_reader *reader, enum violation_code code,
                      const struct json_pointer *path, const char *message, const char *expected,
                      const char *actual);
/* Reports INVALID_VALUE, showing the value. */
void field_reader_invalid(struct field_reader *reader, const struct json_pointer *path,
                          const char *message, const char *expected, const struct json *value);

/* Returns true if the list of violations is full, so that no suggestion would be shown. */
bool field_reader_is_full(const struct field_reader *reader);
/* Returns true if the schema found no errors at or below this position. */
bool field_reader_is_sound(const struct field_reader *reader, const struct json_pointer *path);

/* Returns true for the keys of comments: "// ...". */
bool field_is_comment(const char *key);

#endif
