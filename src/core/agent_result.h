/*
 * agent_result.h - the last word of an agent's JSON output: did it fail, and
 * what did its API say? Pure. Only the terminal event is read, never what the
 * agent or its tools wrote on the way.
 */
#ifndef DEVS_AGENT_RESULT_H
#define DEVS_AGENT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "classify.h"
#include "str.h"

struct agent_result {
    bool failed;
    bool closes;      /* a result: the agent's own end, not an error on the way */
    int64_t status;   /* HTTP status; 0 if none is given */
    int64_t offset;   /* of the event's line in the whole stream */
    struct str words; /* owned: what it says about the failure, one thing a line */
};

/* Look at the last line of stdout. False if it is no terminal event. The
 * caller ends *out with agent_result_done() in both cases. */
bool agent_result_init(struct agent_result *result, const struct classify_text *text);
void agent_result_done(struct agent_result *result);

#endif
