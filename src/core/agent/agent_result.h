/*
 * agent_result.h - the last word of an agent's output, for the classifier: did it fail, and what
 * did its API say? Pure.
 */
#ifndef DEVS_AGENT_RESULT_H
#define DEVS_AGENT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "adapter.h"
#include "agent_stream.h"
#include "classify.h"
#include "str.h"

enum {
    AGENT_SAID_MAX = 300,    /* a longer last message is an answer, not a refusal */
    AGENT_ANSWER_MAX = 4000, /* a longer last message reports work that was done */
};

struct agent_result {
    enum agent_end end;
    bool closes;         /* a terminal event, not an error on the way */
    int64_t status;      /* HTTP status; 0 if none is given */
    bool is_empty;       /* it went well, with no word and no call */
    bool on_err;         /* the event stands on stderr */
    int64_t offset;      /* of the event's line in the whole stream */
    int64_t own_retries; /* of requests, by the CLI itself */
    struct str retry; /* owned: the failure that the CLI reports for its last own retry; empty once
                         the request was answered */
    struct str words; /* owned: what it says about the failure, one thing a line */
    struct str failure; /* owned: what it reported as failed and went on from, until a call went
                           well; one thing a line */
    int64_t refused;    /* calls that the CLI did not allow */
    bool ends_refused;  /* ... and no call came after the last of them */
    bool has_answer;
    struct str refusal; /* owned: the last refused call */
    struct str answer;  /* owned: of an agent with a refused call, its last words up to
                           AGENT_ANSWER_MAX */
    struct str said;    /* owned: the agent's own last words, if they are short and all that it
                           has done */
};

/* Read the input's stream, else the texts by its adapter; of an agent that writes text, or of none,
 * the last line of stdout alone, by its shape. The caller ends *out with agent_result_done(). */
void agent_result_init(struct agent_result *result, const struct classify_input *input);
void agent_result_done(struct agent_result *result);

#endif
