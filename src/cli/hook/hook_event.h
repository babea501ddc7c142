/*
 * hook_event.h - reads what an agent's CLI sends to a hook, and writes what it gets back. Pure.
 */
#ifndef DEVS_HOOK_EVENT_H
#define DEVS_HOOK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "hook_agent.h"
#include "str.h"

struct json;

enum { HOOK_INPUT_MAX = 16 * 1024 * 1024 /* bytes of the JSON of one event */ };

struct hook_input {
    struct json *json; /* owned; the texts below are borrowed from it */
    const struct hook_agent *agent;
    enum hook_kind kind;
    const char *event;       /* as the CLI calls it */
    const char *session;     /* never empty */
    const char *dir;         /* where the agent works; NULL = unknown */
    const char *tool;        /* of a call */
    const struct json *args; /* of a call; NULL = none */
    struct str output;       /* owned; of a call that is over */
    int exit;                /* of a call that is over; 1 for a failure without a code */
    bool interrupted;        /* a person ended the call: it says nothing of the agent */
    int64_t ms;              /* that the call took; 0 = unknown */
    const char *text;        /* a person's words, or the agent's; "" for none */
};

/* Reads an event. With `agent` NULL the agent is recognized by the event. ERR_INVALID: not a JSON
 * object with an event and a session. The caller ends *out with hook_input_done(). */
ATTR_MUST_USE bool hook_input_read(const struct str *text, const struct hook_agent *agent,
                                   struct hook_input *out, struct err *err);
void hook_input_done(struct hook_input *input);

/* A call that has been turned away so often ends the turn, where the CLI can do that. */
enum { HOOK_TURNED_AWAY_MAX = 3 };

/* The call that is about to be made is not to be made; `ends`: and the turn ends with it. */
void hook_answer_deny(const struct hook_input *input, bool ends, const char *why, struct str *out);
/* A call is over, and this is to be said about it; `stuck`: it is to stop. */
void hook_answer_say(const struct hook_input *input, bool stuck, const char *words,
                     struct str *out);
/* A call is over, and the turn ends with it. */
void hook_answer_stop(const char *why, struct str *out);

#endif
