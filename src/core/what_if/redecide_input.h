/*
 * redecide_input.h - what the scheduler was given, told from the events that came of it. Private
 * to core.
 */
#ifndef DEVS_REDECIDE_INPUT_H
#define DEVS_REDECIDE_INPUT_H

#include <stddef.h>

#include "json.h"
#include "redecide.h"

/* The events of one moment from the first that nobody has accounted for. All borrowed. */
struct redecide_events {
    const struct event *items;
    size_t count; /* > 0 */
};

enum redecide_source {
    REDECIDE_FACT,  /* something happened */
    REDECIDE_ACT,   /* somebody acted */
    REDECIDE_TIME,  /* nothing but that it was time */
    REDECIDE_LOST,  /* somebody acted, and the log has the act no more */
    REDECIDE_WRONG, /* it cannot be an input of this state: the log is damaged */
};

/* One input, and what it borrows from. */
struct redecide_input {
    struct input input;
    size_t length;         /* LOST: events up to and with its answer */
    struct json *texts[2]; /* owned; `input` points into these */
};

/* Which input came first. Ended with redecide_input_done() whatever comes of it. */
enum redecide_source redecide_input_read(const struct redecide_run *run,
                                         const struct run_state *state,
                                         const struct redecide_events *events,
                                         struct redecide_input *out);
void redecide_input_done(struct redecide_input *input);

/* Does an input begin with an event of this kind, whatever came before? */
bool redecide_begins_input(enum event_kind kind);

#endif
