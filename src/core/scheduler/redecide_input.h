/* redecide_input.h - the inputs of a recorded run, read back from the events that they caused.
 * Private to redecide.c. */
#ifndef DEVS_REDECIDE_INPUT_H
#define DEVS_REDECIDE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"
#include "redecide.h"
#include "run_state.h"
#include "scheduler.h"

/* The events of one moment, from the first that is not accounted for. Everything is borrowed. */
struct redecide_events {
    const struct event *items;
    size_t count; /* > 0 */
};

enum redecide_source {
    REDECIDE_FACT,  /* something happened */
    REDECIDE_ACT,   /* a person requested something */
    REDECIDE_TIME,  /* only time passed */
    REDECIDE_LOST,  /* a person requested something that the log no longer has */
    REDECIDE_WRONG, /* the event cannot be an input in this state: the log is damaged */
};

/* One input. Its strings are borrowed from the events. */
struct redecide_input {
    struct input input;
    size_t length; /* LOST: number of events up to and including the answer */
};

/* Returns whether an input always begins with an event of this kind. */
bool redecide_begins_input(enum event_kind kind);

/* Reads the input that caused the first event. */
enum redecide_source redecide_read_input(const struct redecide_run *run,
                                         const struct run_state *state,
                                         const struct redecide_events *events,
                                         struct redecide_input *out);

#endif
