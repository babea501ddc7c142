/* agent_stream.h - reads the output of an agent CLI as it arrives: what the agent does and how much
 * it uses.
 *
 * Takes bytes in chunks of any size. Calls back with items during agent_stream_add() and
 * agent_stream_end(). The adapter's rules define the items. Memory is bounded by the limits below;
 * anything beyond them is shown or counted, but not kept. One thread at a time; pure. */
#ifndef DEVS_AGENT_STREAM_H
#define DEVS_AGENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Usage of an agent in an attempt, a task or a run. A plain value; zero-initialized: nothing yet,
 * or unknown. */

/* Maximum of each sum. No log accepts more, so larger reports of a CLI are ignored. */
#define AGENT_USED_MAX INT64_C(1000000000000000)

struct agent_used {
    int64_t turns;
    int64_t calls;       /* tool calls */
    int64_t cost_micro;  /* millionths of a US dollar */
    int64_t tokens;      /* input and output tokens */
    int64_t own_retries; /* requests that the CLI itself retried */
    int64_t refused;     /* calls that the CLI denied */
};

/* Returns a + b, clamped to 0..AGENT_USED_MAX. Neither may be further from 0 than that. */
int64_t agent_used_sum(int64_t a, int64_t b);
/* Adds each member like agent_used_sum(). */
void agent_used_add(struct agent_used *sum, const struct agent_used *used);

struct adapter;
struct agent_stream;
struct json;
struct str;

enum {
    AGENT_LINE_MAX =
        8 * 1024 * 1024, /* maximum bytes of a line, or of a JSON value in several lines */
    AGENT_VALUES_MAX =
        400000, /* maximum number of JSON values in a line; a line with more is text */
    AGENT_ERR_LINE_MAX = 8 * 1024, /* maximum bytes of a line of stderr */
    AGENT_TEXT_MAX = 256 * 1024,   /* maximum bytes kept of a message, and of the final text */
    AGENT_RETRIES_MAX =
        1000 * 1000, /* maximum number of consecutive own retries that are counted */
    AGENT_OPEN_CALLS_MAX =
        128, /* maximum number of calls waiting for a result; beyond it, the oldest is dropped */
    AGENT_WHAT_MAX = 200,    /* maximum bytes of agent_item.what */
    AGENT_SESSION_MAX = 200, /* maximum bytes of a session id: adapter_session_is_id() */
    AGENT_REFUSED_IDS =
        16 * 1024, /* maximum bytes of ids of denied calls; calls beyond it are not counted */
    AGENT_SHOWN_LINES =
        4, /* maximum number of lines of a result or failure that agent_item_words() shows */
};

enum agent_item_kind {
    AGENT_ITEM_SESSION, /* the session id was reported, or changed */
    AGENT_ITEM_TEXT,    /* a complete message of the agent */
    AGENT_ITEM_CALL,    /* a tool is called */
    AGENT_ITEM_RESULT,  /* a tool call has ended */
    AGENT_ITEM_USED,    /* turns, cost or tokens have changed */
    AGENT_ITEM_RETRY,   /* the CLI itself retries a request */
    AGENT_ITEM_NOTICE,  /* a message of the CLI that is not the end */
    AGENT_ITEM_END,     /* the terminal event */
    AGENT_ITEM_OTHER, /* a line that is not JSON or is longer than AGENT_LINE_MAX, as written; long
                         lines are truncated */
    AGENT_ITEM_REFUSED, /* the CLI denied a call */
    AGENT_ITEM_KIND_COUNT,
};

/* One item. Pointers are valid during the callback; members that the kind does not have are NULL, 0
 * or false. Strings are as the agent wrote them: only agent_item_words() cleans them. */
struct agent_item {
    enum agent_item_kind kind;
    const char *text; /* TEXT, NOTICE, OTHER, RETRY: the text; SESSION: the id; RESULT: the
                         output; END: the failure, or NULL */
    const char *tool; /* CALL, RESULT, REFUSED: the tool's name; RESULT: NULL if the call is
                         unknown */
    const char *what; /* CALL, RESULT, REFUSED: the call in one line of at most AGENT_WHAT_MAX
                         bytes */
    const struct json *args; /* CALL, RESULT: the arguments, an object; NULL = unknown */
    int64_t number; /* CALL, RESULT: number of the call, from 1; 0 for a result without a call */
    int exit;       /* RESULT: exit code; -1 = unknown */
    bool failed; /* RESULT: the tool reported a failure; END: the agent failed; NOTICE: an error */
    int64_t attempt, most;         /* RETRY: "3 of 10"; 0 = unknown */
    int64_t delay_ms;              /* RETRY: 0 = unknown */
    int64_t status;                /* RETRY, END: HTTP status; 0 = unknown */
    const struct agent_used *used; /* always: the sums so far */
};

/* Called for each item, in the order of the lines, during agent_stream_add() and _end(). */
typedef void agent_item_fn(void *ctx, const struct agent_item *item);

/* Borrows `adapter` and ctx until agent_stream_close(); `item` may be NULL. The caller calls
 * agent_stream_close(). */
void agent_stream_open(struct agent_stream **out, const struct adapter *adapter,
                       agent_item_fn *item, void *ctx);
/* May be NULL. */
void agent_stream_close(struct agent_stream *stream);

/* Called for each rule that matches a line, before the resulting items: the rule's number from 0
 * in the adapter, and its event ("call"). */
typedef void agent_rule_fn(void *ctx, size_t rule, const char *is);
/* From now on calls `fn` with the ctx of agent_stream_open(). */
void agent_stream_watch(struct agent_stream *stream, agent_rule_fn *fn);

/* Adds bytes of the CLI's stdout. Must not be called after agent_stream_end(). */
void agent_stream_add(struct agent_stream *stream, const char *bytes, size_t len);
/* Adds bytes of the CLI's stderr. Only lines that match rules for stderr produce items. Skips lines
 * longer than AGENT_ERR_LINE_MAX. */
void agent_stream_add_err(struct agent_stream *stream, const char *bytes, size_t len);
/* Returns true if the CLI has written anything other than reports of its own retries since this
 * function was last called. With an adapter that reads events, only complete lines count. */
bool agent_stream_has_spoken(struct agent_stream *stream);
/* Returns the number of the CLI's own retries since the model last answered, at most
 * AGENT_RETRIES_MAX. */
int agent_stream_retries_in_row(const struct agent_stream *stream);
/* Ends the output: handles the last line, and a message that came in pieces. */
void agent_stream_end(struct agent_stream *stream);

/* Calls `each` (not NULL) with an item of kind CALL for each call that waits for a result, oldest
 * first. */
void agent_stream_waiting(const struct agent_stream *stream, agent_item_fn *each, void *ctx);

/* Returns the sums so far. */
const struct agent_used *agent_stream_used(const struct agent_stream *stream);

/* Returns the last denied call as the agent wrote it, such as "Bash: git push", or NULL.
 * Borrowed until the stream changes. */
const char *agent_stream_refused(const struct agent_stream *stream);

/* How the output ends so far. */
enum agent_end {
    AGENT_END_UNKNOWN, /* no event was recognized */
    AGENT_END_DONE,    /* the terminal event: success */
    AGENT_END_FAILED,  /* the terminal event: failure */
    AGENT_END_CUT,     /* events, but not the terminal one */
};
/* Returns how the output ends so far. */
enum agent_end agent_stream_state(const struct agent_stream *stream);

/* Appends the agent's result: the structured result as JSON if there is one, else its last
 * message (for text adapters: all output). Returns false and appends nothing if there is
 * neither, or if it was longer than AGENT_TEXT_MAX. *is_json may be NULL. */
bool agent_stream_final(const struct agent_stream *stream, struct str *out, bool *is_json);

/* Appends readable lines, each with its line feed, safe for a terminal (text_clean()). Appends
 * nothing for USED. */
void agent_item_words(const struct agent_item *item, struct str *out);

/*
 * Tool calls and costs as text. Any thread.
 */

/* Appends the purpose of a call: the command, the file, the pattern; else its arguments as JSON;
 * nothing if `args` (an object, may be NULL) is empty. One line, safe for a terminal
 * (text_clean()), at most AGENT_WHAT_MAX bytes, cut between characters. */
void agent_call_what(const struct json *args, struct str *out);

/* Appends millionths of a US dollar as "$0.31", rounded; amounts below a cent get four digits. */
void agent_cost_words(int64_t micro, struct str *out);

#endif
