/* event_field.h - the fields of events, as event_codec.c reads and writes them. Private to core. */
#ifndef DEVS_EVENT_FIELD_H
#define DEVS_EVENT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* The types from EVENT_FIELD_STRINGS on hold strings, or have members that do. */
enum event_field_type {
    EVENT_FIELD_INT,
    EVENT_FIELD_I64,
    EVENT_FIELD_UNSIGNED,
    EVENT_FIELD_BITS, /* uint64_t, written as a signed number because JSON readers keep only int64_t
                       */
    EVENT_FIELD_BOOL,
    EVENT_FIELD_WORD, /* an enum, written as a word */
    EVENT_FIELD_REAL,
    EVENT_FIELD_DIGEST, /* struct digest, written as 32 hex digits; unknown is left out */
    EVENT_FIELD_STRINGS,
    EVENT_FIELD_TEXT = EVENT_FIELD_STRINGS, /* const char *; NULL is left out */
    EVENT_FIELD_JSON,   /* const char *: a JSON value as text; NULL is left out */
    EVENT_FIELD_LINES,  /* const char *: lines, written as an array of strings; NULL is left out */
    EVENT_FIELD_COUNTS, /* const char *: lines such as "3 NAME", written as an object; NULL is left
                           out */
    EVENT_FIELD_NEAR,   /* struct verdict_near_record [VERDICT_NEAR_MAX]; their number is at `least`
                         */
    EVENT_FIELD_LOOP,   /* struct entropy_fact, left out unless the bool at `least` is set */
};

struct event_field {
    const char *name;
    const char *means; /* for docs/run-log.md */
    enum event_field_type type;
    bool always; /* written even if the value is the default */
    unsigned offset;
    int64_t otherwise;        /* the default value */
    int64_t least, most;      /* numbers: the range; WORD: the first value, and the last plus 1 */
    const char *(*word)(int); /* WORD: name of a value */
};

/* Fields in the order in which they are written. */
struct event_fields {
    const struct event_field *items;
    size_t count;
    const char *means; /* for docs/run-log.md; "" if the name says it all */
};

/* The fields of each kind; offsets are in struct event. EVENT_NONE has none. */
extern const struct event_fields event_kind_fields[EVENT_KIND_COUNT];
/* The fields of EVENT_FIELD_LOOP and EVENT_FIELD_NEAR; offsets are in struct entropy_fact and in
 * struct verdict_near_record. */
extern const struct event_fields event_loop_fields, event_near_fields;

#endif
