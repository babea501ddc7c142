/*
 * agent_result.h - the last word of an agent's structured output: did it fail,
 * and what did its API say? Pure. Only the terminal event is read, never what
 * the agent or its tools wrote on the way.
 */
#ifndef DEVS_AGENT_RESULT_H
#define DEVS_AGENT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "agent.h"
#include "agent_stream.h"
#include "classify.h"
#include "str.h"

enum {
    AGENT_LINES_MAX = 64, /* lines looked at for the terminal event, the last ones */
    AGENT_SAID_MAX = 300, /* longer last words are an answer, not a refusal */
};

struct agent_result {
    enum agent_end end;
    bool closes;      /* a terminal event, not an error on the way */
    int64_t status;   /* HTTP status; 0 if none is given */
    bool on_err;      /* the event stands on stderr */
    int64_t offset;   /* of the event's line in the whole stream */
    struct str words; /* owned: what it says about the failure, one thing a line */
    struct str said;  /* owned: the agent's own last words, if they are short */
};

/* agent NONE: the shape of the last line tells whose output it is. The caller
 * ends *out with agent_result_done(). */
void agent_result_init(struct agent_result *result, enum agent agent,
                       const struct classify_text *out, const struct classify_text *err);
void agent_result_done(struct agent_result *result);

#endif
