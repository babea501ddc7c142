/*
 * agent_calls.h - the calls of an agent that wait for their results. Pure.
 */
#ifndef DEVS_AGENT_STATE_H
#define DEVS_AGENT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapter_internal.h"
#include "agent_stream.h"
#include "json.h"
#include "str.h"

/*
 * The calls of an agent that wait for their results. Pure.
 */

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

/*
 * The stream of an agent's output from within: what its parts share.
 */

/* What the terminal event said. */
struct agent_last {
    enum agent_end end;
    bool closes;      /* no program writes that but at its end */
    bool is_line;     /* it was a line without JSON: any later one is the end then */
    int64_t status;   /* HTTP status; 0 if none is given */
    int64_t offset;   /* of the event's line in the whole stream */
    struct str words; /* owned: what it says about the failure, one thing a line */
};

struct agent_stream {
    const struct adapter *adapter; /* borrowed */
    agent_item_fn *item;           /* NULL = nobody listens */
    agent_rule_fn *rule;           /* NULL = nobody watches the rules */
    void *ctx;                     /* borrowed */

    struct str line;     /* owned; what came of it */
    bool line_is_cut;    /* its beginning is lost */
    bool begins_cut;     /* the beginning of the whole is lost */
    int64_t offset;      /* where the next byte stands in the whole stream */
    int64_t line_offset; /* where the line stands, and so the value of several lines */
    struct str block;    /* owned; lines of a JSON value that is not yet closed; its first byte
                            tells what closes it */

    struct str err_line; /* owned; what came of the line of stderr */
    bool err_is_long;    /* ... which is passed over */

    struct str message; /* owned; pieces of one that goes on */
    bool message_is_open;
    bool message_is_rest; /* the one before it was its beginning, and too long */
    struct str final;     /* owned; the last message, or the structured result */
    bool final_is_json;
    bool final_is_lost; /* it was longer than AGENT_TEXT_MAX */

    struct str session;
    struct str turn;        /* owned; the id of the last turn */
    bool turn_is_empty;     /* the current turn has brought no word and no call */
    int64_t turn_tokens;    /* tokens used when the current turn began */
    bool turn_is_open;      /* the model has spoken or called since it last got a result */
    struct agent_used used; /* sums */
    bool used_changed;
    struct agent_calls calls;

    int retries_in_row; /* own retries since the model last answered */
    bool has_spoken;    /* output since the last call of agent_stream_has_spoken() */
    bool has_events;    /* rules knew one of the lines */
    struct str retry;   /* owned; what the CLI says about the request that it repeats; empty once
                           the model has answered */
    struct str error;   /* owned; the last error that did not end it */
    struct str failure; /* owned; what an end said that failed, though the agent went on: until a
                           call brings a result */
    struct str ended;   /* owned; "agent ended: ..." that outweighs an end that went well */
    struct str window;  /* owned; when a usage window ends, as a line for the rules of verdicts */
    struct str refused; /* owned; the last refused call, "Bash: git push"; empty = none */
    struct str refused_ids; /* owned; ids of refused calls, a line feed before and after each */
    struct str last_call;   /* owned; id of the last call, empty = it has none */
    bool ends_refused;      /* no call has come after the last refused one */
    struct agent_last last;
};

/* An item with what all have. */
struct agent_item agent_item_new(const struct agent_stream *stream, enum agent_item_kind kind);
/* Call back with an item, where somebody listens. */
void agent_stream_tell(struct agent_stream *stream, const struct agent_item *item);

/* One event: each rule that knows it. False if none does. */
bool agent_event_take(struct agent_stream *stream, const struct json *event);
/* A line that is not JSON; on stderr or not. False if no rule knows it. */
bool agent_line_take(struct agent_stream *stream, const char *line, bool on_err);
/* A message that was being put together is whole. */
void agent_message_end(struct agent_stream *stream);
/* The agent's last words so far. */
void agent_final_set(struct agent_stream *stream, const char *text, size_t len, bool is_json);

/* Begin in the middle of an output: the first line is the end of one, at that place. */
void agent_stream_begin_cut(struct agent_stream *stream, int64_t offset);

#endif
