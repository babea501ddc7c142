/* agent_result.h - how an agent's output ends, for the classifier: whether the agent failed, and
 * what its API reported. Pure. */
#ifndef DEVS_AGENT_RESULT_H
#define DEVS_AGENT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "adapter.h"
#include "agent_stream.h"
#include "classify.h"
#include "str.h"

enum {
    AGENT_SAID_MAX = 300,    /* longest last message that may be a refusal and not an answer */
    AGENT_ANSWER_MAX = 4000, /* longest last message that may report a denied call; a longer one
                                reports finished work */
};

struct agent_result {
    enum agent_end end;
    bool closes;         /* a terminal event, not an error along the way */
    int64_t status;      /* HTTP status; 0 if unknown */
    bool is_empty;       /* the agent succeeded without any text or call */
    bool on_err;         /* the event is on stderr */
    int64_t offset;      /* offset of the event's line in the whole stream */
    int64_t own_retries; /* requests that the CLI itself retried */
    struct str retry; /* owned: the failure that the CLI reports for its last own retry; empty once
                         the request was answered */
    struct str words; /* owned: the event's text about the failure, one item per line */
    struct str failure; /* owned: failures after which the agent continued, until a call succeeded;
                           one per line */
    int64_t refused;    /* calls that the CLI denied */
    bool ends_refused;  /* no call followed the last denied call */
    bool has_answer;
    struct str refusal; /* owned: the last denied call */
    struct str answer;  /* owned: the last words of an agent with a denied call, up to
                           AGENT_ANSWER_MAX */
    struct str said; /* owned: the last words of an agent that called no tool, if they are short */
};

/* Reads the input's stream if there is one, else parses its output with the adapter. For agents
 * that write plain text, and for unknown ones, judges the last line of stdout by its shape. The
 * caller calls agent_result_done(). */
void agent_result_init(struct agent_result *result, const struct classify_input *input);
void agent_result_done(struct agent_result *result);

#endif
