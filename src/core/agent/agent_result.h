/*
 * agent_result.h - how an agent's output ends, for the classifier: whether it failed, and what
 * its API said. Pure.
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
    bool closes;         /* a terminal event, not an error along the way */
    int64_t status;      /* HTTP status; 0 if unknown */
    bool is_empty;       /* succeeded without a word or a call */
    bool on_err;         /* the event is on stderr */
    int64_t offset;      /* of the event's line in the whole stream */
    int64_t own_retries; /* of requests, by the CLI itself */
    struct str retry; /* owned: the failure that the CLI reports for its last own retry; empty once
                         the request was answered */
    struct str words; /* owned: what it says about the failure, one item a line */
    struct str failure; /* owned: failures that it reported and continued after, until a call
                           succeeded; one a line */
    int64_t refused;    /* calls that the CLI denied */
    bool ends_refused;  /* ... and no call came after the last one */
    bool has_answer;
    struct str refusal; /* owned: the last denied call */
    struct str answer;  /* owned: the last words of an agent with a denied call, up to
                           AGENT_ANSWER_MAX */
    struct str said;    /* owned: the last words of an agent that did nothing else, if they are
                           short */
};

/* Reads the input's stream, else its texts by the adapter. For agents that write text, and
 * unknown ones, reads the last line of stdout by its shape. The caller calls
 * agent_result_done(). */
void agent_result_init(struct agent_result *result, const struct classify_input *input);
void agent_result_done(struct agent_result *result);

#endif
