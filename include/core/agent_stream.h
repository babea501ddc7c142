/*
 * agent_stream.h - the output of an agent CLI, read while it comes.
 *
 * Bytes go in as they come, cut anywhere; items come out of the callback, within
 * agent_stream_add() and agent_stream_end(). What an item is, the adapter's rules say. Bounded:
 * each limit has its name below, what is beyond it is shown or counted, not kept. One thread at
 * a time; pure.
 */
#ifndef DEVS_AGENT_STREAM_H
#define DEVS_AGENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_used.h"

struct adapter;
struct agent_stream;
struct json;
struct str;

enum {
    AGENT_LINE_MAX = 8 * 1024 * 1024, /* bytes of a line (or of one JSON value over several) */
    AGENT_VALUES_MAX = 400000,        /* JSON values of a line; one with more is words */
    AGENT_ERR_LINE_MAX = 8 * 1024,    /* bytes of a line of stderr */
    AGENT_TEXT_MAX = 256 * 1024,      /* bytes of a message, and of the final text, that are kept */
    AGENT_RETRIES_MAX = 1000 * 1000,  /* own retries in a row that are counted */
    AGENT_OPEN_CALLS_MAX = 128,       /* calls that wait for their result; the oldest is dropped */
    AGENT_WHAT_MAX = 200,             /* bytes of agent_item.what */
    AGENT_SESSION_MAX = 200,          /* bytes of a session's id: adapter_session_is_id() */
    AGENT_REFUSED_IDS = 16 * 1024,    /* bytes of ids of refused calls; more are not counted */
    AGENT_SHOWN_LINES = 4,            /* lines of a result that agent_item_words() shows */
};

enum agent_item_kind {
    AGENT_ITEM_SESSION, /* the session's id was told, first or anew */
    AGENT_ITEM_TEXT,    /* a message of the agent, whole */
    AGENT_ITEM_CALL,    /* a tool is called */
    AGENT_ITEM_RESULT,  /* ... and has ended */
    AGENT_ITEM_USED,    /* turns, cost or tokens have changed */
    AGENT_ITEM_RETRY,   /* the CLI tries a request again by itself */
    AGENT_ITEM_NOTICE,  /* a word of the CLI that is not the end */
    AGENT_ITEM_END,     /* the terminal event */
    AGENT_ITEM_OTHER,   /* no JSON, or longer than AGENT_LINE_MAX: as it stands */
    AGENT_ITEM_REFUSED, /* the CLI did not allow a call */
    AGENT_ITEM_KIND_COUNT,
};

/* One item. All pointers are borrowed for the callback; a member that the kind does not have is
 * NULL, 0 or false. Texts are as the agent wrote them: only agent_item_words() cleans. */
struct agent_item {
    enum agent_item_kind kind;
    const char *text; /* TEXT, NOTICE, OTHER, RETRY: the words; SESSION: the id; RESULT: the
                         output; END: what it says of a failure, else NULL */
    const char *tool; /* CALL, RESULT, REFUSED: the tool's name; RESULT: NULL if its call is not
                         known */
    const char
        *what; /* CALL, RESULT, REFUSED: the call in one line, at most AGENT_WHAT_MAX bytes */
    const struct json *args; /* CALL, RESULT: the arguments, an object; NULL = not known */
    int64_t number;          /* CALL, RESULT: of the call, from 1; 0 = a result without a call */
    int exit;                /* RESULT: exit code, -1 = not known */
    bool failed; /* RESULT: the tool says so; END: the agent has failed; NOTICE: an error */
    int64_t attempt, most;         /* RETRY: "3 of 10"; 0 = not known */
    int64_t delay_ms;              /* RETRY: 0 = not known */
    int64_t status;                /* RETRY, END: HTTP status; 0 = not known */
    const struct agent_used *used; /* always: the sums so far */
};

/* Called for each item, in the order of the lines, within agent_stream_add() and _end(). */
typedef void agent_item_fn(void *ctx, const struct agent_item *item);

/* `adapter` is borrowed until agent_stream_close(), and so is ctx; `item` may be NULL. The caller
 * ends *out with agent_stream_close(). */
void agent_stream_open(struct agent_stream **out, const struct adapter *adapter,
                       agent_item_fn *item, void *ctx);
/* Free. NULL is allowed. */
void agent_stream_close(struct agent_stream *stream);

/* Called for each rule that takes a line, before the items that come of it: the rule's number from
 * 0 in the adapter, and what it is ("call"). */
typedef void agent_rule_fn(void *ctx, size_t rule, const char *is);
/* From now on `fn` is called, with the ctx of agent_stream_open(). */
void agent_stream_watch(struct agent_stream *stream, agent_rule_fn *fn);

/* The next bytes of the CLI's stdout. Not after agent_stream_end(). */
void agent_stream_add(struct agent_stream *stream, const char *bytes, size_t len);
/* The next bytes of its stderr, cut anywhere: only lines that rules for stderr know give items,
 * the rest is for people. Lines longer than AGENT_ERR_LINE_MAX are passed over. */
void agent_stream_add_err(struct agent_stream *stream, const char *bytes, size_t len);
/* Has the CLI written anything but reports of its own retries since the last call? With an adapter
 * that reads events only whole lines count. */
bool agent_stream_has_spoken(struct agent_stream *stream);
/* Own retries since the model last answered, at most AGENT_RETRIES_MAX. */
int agent_stream_retries_in_row(const struct agent_stream *stream);
/* No more bytes come: the last line, and a message that was being put together, are taken. */
void agent_stream_end(struct agent_stream *stream);

/* The calls that wait for their results, the oldest first, each as an item of kind CALL told to
 * `each` (not NULL); ctx is borrowed for the call. */
void agent_stream_waiting(const struct agent_stream *stream, agent_item_fn *each, void *ctx);

/* The sums so far. */
const struct agent_used *agent_stream_used(const struct agent_stream *stream);

/* The last refused call as the agent wrote it, such as "Bash: git push"; NULL if no call was
 * refused. Borrowed until the stream changes. */
const char *agent_stream_refused(const struct agent_stream *stream);

/* How the output ends, as far as it has come. */
enum agent_end {
    AGENT_END_UNKNOWN, /* no event of the adapter's was in it */
    AGENT_END_DONE,    /* the terminal event: it went well */
    AGENT_END_FAILED,  /* the terminal event: it failed */
    AGENT_END_CUT,     /* events, but not the terminal one */
};
/* How it has ended, as far as was heard. */
enum agent_end agent_stream_state(const struct agent_stream *stream);

/* Append what the agent leaves: the structured result as JSON text if it has given one, else its
 * last message (of an adapter for text: all that it wrote). False, and nothing appended, if there
 * is neither, or it was longer than AGENT_TEXT_MAX. *is_json may be NULL. */
bool agent_stream_final(const struct agent_stream *stream, struct str *out, bool *is_json);

/* Append readable lines for people, each with its line feed, fit for a terminal (text_clean());
 * nothing for USED. */
void agent_item_words(const struct agent_item *item, struct str *out);

#endif
