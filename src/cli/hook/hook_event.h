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
    const char *dir;         /* where the agent works; NULL = not told */
    const char *tool;        /* of a call */
    const struct json *args; /* likewise; NULL = none */
    struct str output;       /* owned; of a call that is over */
    int exit;                /* likewise; 1 where nothing more is known of a failure */
    bool interrupted;        /* a person ended the call: it says nothing of the agent */
    int64_t ms;              /* that it took; 0 = not told */
    const char *text;        /* a person's words, or the agent's; "" for none */
};

/* `agent` NULL: by the names of the events, and what else is told. ERR_INVALID: no JSON object
 * with an event and a session. The caller ends *out with hook_input_done(). */
ATTR_MUST_USE bool hook_input_read(const struct str *text, const struct hook_agent *agent,
                                   struct hook_input *out, struct err *err);
void hook_input_done(struct hook_input *input);

/* What a tool gave, in whatever form, as text; *exit_out gets its exit code if it says one,
 * and 1 if it says that it failed. */
void hook_output_read(const struct json *response, struct str *out, int *exit_out);

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
