/*
 * agent_state.h - the stream of an agent's output from within, and the calls that
 * wait for their results. Pure.
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
 * Calls waiting for their results.
 */

struct agent_call {
    char *id;          /* owned; NULL = the CLI gives none */
    char *tool;        /* owned */
    struct json *args; /* owned; an object, NULL = none */
    char *what;        /* owned; one line */
    int64_t number;    /* from 1 */
};

/* Zero-initialized: empty. Oldest first. */
struct agent_calls {
    struct agent_call items[AGENT_OPEN_CALLS_MAX];
    size_t count;
};

void agent_call_done(struct agent_call *call);

/*
 * The stream.
 */

/* What the terminal event said. */
struct agent_last {
    enum agent_end end;
    bool closes;      /* programs write this only at their end */
    bool is_line;     /* was a line without JSON, so any later line is the end */
    int64_t status;   /* HTTP status; 0 if none is given */
    int64_t offset;   /* of the event's line in the whole stream */
    struct str words; /* owned: what it says about the failure, one item a line */
};

struct agent_stream {
    const struct adapter *adapter; /* borrowed */
    agent_item_fn *item;           /* NULL = no listener */
    agent_rule_fn *rule;           /* NULL = rules are not watched */
    void *ctx;                     /* borrowed */

    struct str line;     /* owned; the line so far */
    bool line_is_cut;    /* its beginning is lost */
    bool begins_cut;     /* the beginning of the whole is lost */
    int64_t offset;      /* of the next byte in the whole stream */
    int64_t line_offset; /* of the line, or of a value over several lines */
    struct str block;    /* owned; lines of a JSON value that is not closed yet; its first byte
                            tells what closes it */

    struct str err_line; /* owned; the line of stderr so far */
    bool err_is_long;    /* ... which is skipped */

    struct str message; /* owned; pieces of an unfinished message */
    bool message_is_open;
    bool message_is_rest; /* its beginning was too long and has been reported */
    struct str final;     /* owned; the last message, or the structured result */
    bool final_is_json;
    bool final_is_lost; /* it was longer than AGENT_TEXT_MAX */

    struct str session;
    struct str turn;        /* owned; the id of the last turn */
    bool turn_is_empty;     /* the current turn has brought no word and no call */
    int64_t turn_tokens;    /* tokens used before the current turn */
    bool turn_is_open;      /* the model has spoken or called since its last result */
    struct agent_used used; /* sums */
    bool used_changed;
    struct agent_calls calls;

    int retries_in_row; /* own retries since the model last answered */
    bool has_spoken;    /* output since the last call of agent_stream_has_spoken() */
    bool has_events;    /* rules matched one of the lines */
    struct str retry;   /* owned; what the CLI says about the request that it repeats; empty once
                           the model has answered */
    struct str error;   /* owned; the last error that was not the end */
    struct str failure; /* owned; a failure reported by an end after which the agent continued:
                           until a call has a result */
    struct str ended;   /* owned; "agent ended: ..." that overrides a successful end */
    struct str window;  /* owned; when a usage window ends, as a line for the verdict rules */
    struct str refused; /* owned; the last denied call, "Bash: git push"; empty = none */
    struct str refused_ids; /* owned; ids of denied calls, each between line feeds */
    struct str last_call;   /* owned; id of the last call, may be empty */
    bool ends_refused;      /* no call has come after the last denied one */
    struct agent_last last;
};

/* Returns an item with the common members filled in. */
struct agent_item agent_item_new(const struct agent_stream *stream, enum agent_item_kind kind);
/* Calls back with an item if there is a listener. */
void agent_stream_tell(struct agent_stream *stream, const struct agent_item *item);

/* Applies each rule that matches the event. Returns false if none does. */
bool agent_event_take(struct agent_stream *stream, const struct json *event);
/* Handles a line that is not JSON. Returns false if no rule matches. */
bool agent_line_take(struct agent_stream *stream, const char *line, bool on_err);
/* Ends a message that came in pieces. */
void agent_message_end(struct agent_stream *stream);
/* Stores the agent's last words so far. */
void agent_final_set(struct agent_stream *stream, const char *text, size_t len, bool is_json);

#endif
