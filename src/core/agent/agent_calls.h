/*
 * agent_calls.h - the calls of an agent that wait for their results. Pure.
 */
#ifndef DEVS_AGENT_CALLS_H
#define DEVS_AGENT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_stream.h"
#include "json.h"

struct agent_call {
    char *id;          /* owned; NULL = the CLI gives none */
    char *tool;        /* owned */
    struct json *args; /* owned; an object, NULL = none */
    char *what;        /* owned; one line */
    int64_t number;    /* from 1 */
};

/* All zero is empty; the oldest first. */
struct agent_calls {
    struct agent_call items[AGENT_OPEN_CALLS_MAX];
    size_t count;
};

void agent_call_done(struct agent_call *call);

/* Takes what *call owns. The oldest is forgotten where there is no room. */
void agent_calls_add(struct agent_calls *calls, const struct agent_call *call);
/* Take out the call of that id, without an id the oldest; the caller ends *out with
 * agent_call_done(). */
bool agent_calls_take(struct agent_calls *calls, const char *id, struct agent_call *out);
/* The call of that id, borrowed until the calls change; NULL if it does not wait. */
const struct agent_call *agent_calls_find(const struct agent_calls *calls, const char *id);

#endif
