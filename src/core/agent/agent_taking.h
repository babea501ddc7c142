/*
 * agent_taking.h - a rule of an adapter at one event of an agent's output: what the parts that
 * carry rules out share.
 */
#ifndef DEVS_AGENT_TAKING_H
#define DEVS_AGENT_TAKING_H

#include <stdint.h>

#include "agent_state.h"

struct agent_taking {
    struct agent_stream *stream;
    const struct adapter_rule *rule;
};

/* Append what the member's first place holds that has a text; nothing if none has. */
void agent_taking_text(const struct agent_taking *taking, enum adapter_member member,
                       const struct json *value, struct str *out);
/* A whole number of at least 0, else `otherwise`. */
int64_t agent_taking_number(const struct agent_taking *taking, enum adapter_member member,
                            const struct json *value, int64_t otherwise);
/* An HTTP status; 0 if there is none. */
int64_t agent_taking_status(const struct agent_taking *taking, const struct json *value);

/* A line of words, if there are any. */
void agent_words_add(struct str *words, const char *text);

/* The agent goes on: an end before this was none. */
void agent_begin_take(struct agent_stream *stream);
/* The model speaks or calls a tool: an own retry succeeded. Counts a turn if no rule does. */
void agent_turn_open(struct agent_stream *stream);

/* What an event is. */
void agent_call_take(const struct agent_taking *taking, const struct json *value);
/* The result of a call: the call is over with it, whether it was heard of or not. */
void agent_result_take(const struct agent_taking *taking, const struct json *value);
/* The CLI did not allow a call. A call with an id counts once, however often it is reported. */
void agent_refused_take(const struct agent_taking *taking, const struct json *value);
/* The agent's own end: what it was, its last words, what was used in all. */
void agent_end_take(const struct agent_taking *taking, const struct json *value);
/* Turns, cost and tokens, which an event of any kind may carry. */
void agent_used_take(const struct agent_taking *taking, const struct json *value);

#endif
