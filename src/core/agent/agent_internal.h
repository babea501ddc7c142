/* agent_internal.h - internals of adapters (paths into JSON, rules), streams and transcripts.
 * Private to core. */
#ifndef DEVS_AGENT_INTERNAL_H
#define DEVS_AGENT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adapter.h"
#include "agent_stream.h"
#include "json.h"
#include "str.h"
#include "transcript.h"

/*
 * Paths into JSON, used by rules.
 *
 * "message.content.*.text": members by name, elements by number ("-1" is the last one), "*" for
 * every element. "." is the value itself.
 */

enum { ADAPTER_PATH_PARTS_MAX = 8 };

/* Zero-initialized: the path ".". */
struct adapter_path {
    char *text; /* owned; split at the dots */
    const char *parts[ADAPTER_PATH_PARTS_MAX];
    int count;
    bool is_set;
};

/* Receives a value. Returns false to stop. */
typedef bool adapter_found_fn(void *ctx, const struct json *value);

/* Reports each value that the path leads to, in order. */
void adapter_path_walk(const struct adapter_path *path, const struct json *root,
                       adapter_found_fn *found, void *ctx);

/* Rules: the meaning of the events in the output. docs/agents.md describes the members. A rule
 * borrows strings from its JSON. */

/* Kinds of events. */
enum adapter_event {
    ADAPTER_EVENT_SESSION,
    ADAPTER_EVENT_TEXT,
    ADAPTER_EVENT_CALL,
    ADAPTER_EVENT_RESULT,
    ADAPTER_EVENT_USED,
    ADAPTER_EVENT_RETRY,
    ADAPTER_EVENT_NOTICE,
    ADAPTER_EVENT_ERROR, /* a failure that the end may override */
    ADAPTER_EVENT_BEGIN, /* the agent continues, so an earlier end was not the end */
    ADAPTER_EVENT_END,
    ADAPTER_EVENT_KNOWN,   /* known and ignored */
    ADAPTER_EVENT_REFUSED, /* the CLI denied a call */
    ADAPTER_EVENT_COUNT,
};

/* The values that a rule reads from an event. */
enum adapter_member {
    ADAPTER_SESSION,
    ADAPTER_TEXT,
    ADAPTER_TURN,
    ADAPTER_TOOL,
    ADAPTER_ARGS,
    ADAPTER_ID,
    ADAPTER_OUTPUT_TEXT_OF,
    ADAPTER_EXIT,
    ADAPTER_STATUS,
    ADAPTER_ATTEMPT,
    ADAPTER_MOST,
    ADAPTER_DELAY_MS,
    ADAPTER_WORDS,
    ADAPTER_ENDED,
    ADAPTER_HEADERS,
    ADAPTER_STRUCTURED,
    ADAPTER_TURNS,
    ADAPTER_COST_USD,
    ADAPTER_TOKENS,
    ADAPTER_RESETS_AT,
    ADAPTER_MEMBER_COUNT,
};

/* Where a value comes from. */
struct adapter_source {
    struct adapter_path path;
    const char *word;  /* a fixed value; NULL = found by the path */
    const char *after; /* reads only the text after this: the digits for a number, else the rest;
                          NULL = everything */
    const char *key;   /* for composed ARGS: the name of the argument */
};

struct adapter_sources {
    struct adapter_source *items; /* owned */
    size_t count;
    bool always; /* for TURN: each event that matches the rule is a turn */
};

/* A set of tests that must all hold. */
struct adapter_tests {
    struct {
        struct adapter_path path;
        const struct json *wanted;
    } * items; /* owned */
    size_t count;
};

/* A condition that holds always, or if any of the sets of tests holds. */
struct adapter_condition {
    bool always;
    struct adapter_tests *any; /* owned */
    size_t count;
};

struct adapter_rule {
    enum adapter_event event;
    const struct json *line; /* for lines that are not JSON: the test that the line must pass */
    bool on_err;             /* with `line`: for lines of stderr instead of stdout */
    struct adapter_tests when;
    struct adapter_path each; /* if set, the following members apply to each element at this path */
    struct adapter_tests where;
    struct adapter_condition failed;  /* the event reports a failure */
    struct adapter_condition goes_on; /* the text is a part of a message */
    bool adds;                        /* numbers are added to earlier ones */
    bool is_cut;    /* for END: the agent was interrupted, so it has not really ended */
    bool is_logged; /* for END: successful programs often write this, too */
    struct adapter_sources members[ADAPTER_MEMBER_COUNT];
};

/* Reads a rule from `json`, which the rule borrows as long as it exists. Ignores malformed
 * members. */
void adapter_rule_init(struct adapter_rule *rule, const struct json *json);
void adapter_rule_done(struct adapter_rule *rule);

/* Returns "call" and so on, as in `is` of a rule. Static. */
const char *adapter_event_name(enum adapter_event event);

/* Returns true if all tests hold; also if there are none. */
bool adapter_tests_hold(const struct adapter_tests *tests, const struct json *value);
/* Returns true if a line that is not JSON, given as a JSON string, passes the tests. */
bool adapter_line_holds(const struct adapter_rule *rule, const struct json *line);
/* Returns true if the condition holds for the event. */
bool adapter_condition_holds(const struct adapter_condition *condition, const struct json *value);

/* Appends the strings of the first source that has any, separated by line feeds. Returns false if
 * none has. */
bool adapter_first_text(const struct adapter_sources *sources, const struct json *value,
                        struct str *out);
/* Appends the strings of all sources, separated by `between`; numbers as written. Returns false if
 * there are none. */
bool adapter_texts(const struct adapter_sources *sources, const struct json *value,
                   const char *between, struct str *out);
/* Stores the first number. Returns false and leaves *out alone if there is none. */
bool adapter_number(const struct adapter_sources *sources, const struct json *value, double *out);
/* Stores the sum of all numbers. Returns false if there are none. */
bool adapter_sum(const struct adapter_sources *sources, const struct json *value, double *out);
/* Returns the first value, or NULL. */
const struct json *adapter_value(const struct adapter_sources *sources, const struct json *value);
/* Returns the arguments of a call as a new object, which the caller frees; NULL if there are
 * none. Text that is a JSON object is parsed; any other text becomes the argument "input". */
struct json *adapter_args(const struct adapter_sources *sources, const struct json *value);

/*
 * The adapter.
 */

struct adapter {
    char *name; /* owned, like the following strings unless stated otherwise */
    bool is_builtin;
    char *program;       /* NULL = none */
    const char *called;  /* borrowed; name of the program, without folders */
    char *install;       /* NULL = unknown */
    char *allow;         /* how to allow a denied tool; NULL or "" = unknown */
    struct json *events; /* owned; the rules as they are written; may be NULL */
    enum adapter_prompt prompt;
    enum adapter_output output;
    char **argv;            /* owned, like the following lists; NULL-terminated */
    char **argv_resume;     /* NULL = cannot resume sessions */
    char **model_args;      /* NULL = cannot select a model */
    char **permission_args; /* NULL = none */
    char **env;             /* "NAME=value"; not NULL */
    bool result_on_stderr;  /* failures may be reported as JSON on stderr */
    char *cut_member; /* owned; if the beginning of a line is lost, the rest is parsed from this
                         member on; may be NULL */
    char **unknown_session;     /* owned; NULL = unknown */
    bool counts_turns;          /* some rule defines turns */
    struct adapter_rule *rules; /* owned */
    size_t rule_count;
};

/* Members of an adapter, and of a rule for its events. */
extern const struct fields adapter_fields, adapter_rule_fields;

/*
 * Calls of a stream that wait for their results.
 */

struct agent_call {
    char *id;          /* owned; NULL = the CLI gives none */
    char *tool;        /* owned */
    struct json *args; /* owned; an object, NULL = none */
    char *what;        /* owned; one line */
    int64_t number;    /* number of the call, from 1 */
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

/* The terminal event. */
struct agent_last {
    enum agent_end end;
    bool closes;      /* programs write this event only when they end */
    bool is_line;     /* the event was a line without JSON, so any later line cancels it */
    int64_t status;   /* HTTP status; 0 if none is given */
    int64_t offset;   /* offset of the event's line in the whole stream */
    struct str words; /* owned; the event's text about the failure, one item per line */
};

struct agent_stream {
    const struct adapter *adapter; /* borrowed */
    agent_item_fn *item;           /* NULL = no listener */
    agent_rule_fn *rule;           /* NULL = rules are not watched */
    void *ctx;                     /* borrowed */

    struct str line;     /* owned; the line so far */
    bool line_is_cut;    /* the beginning of the line is lost */
    bool begins_cut;     /* the beginning of the output is lost */
    int64_t offset;      /* offset of the next byte in the whole stream */
    int64_t line_offset; /* offset of the line, or of a value over several lines */
    struct str block;    /* owned; lines of a JSON value that is not closed yet; its first byte
                            determines the closing bracket */

    struct str err_line; /* owned; the line of stderr so far */
    bool err_is_long;    /* the line of stderr is too long and is being skipped */

    struct str message; /* owned; pieces of an unfinished message */
    bool message_is_open;
    bool message_is_rest; /* the message was too long; its beginning has been reported */
    struct str final;     /* owned; the last message, or the structured result */
    bool final_is_json;
    bool final_is_lost; /* the result was longer than AGENT_TEXT_MAX */

    struct str session;
    struct str turn;        /* owned; the id of the last turn */
    bool turn_is_empty;     /* the current turn has no text and no call yet */
    int64_t turn_tokens;    /* tokens used before the current turn */
    bool turn_is_open;      /* the model has written text or called a tool since its last result */
    struct agent_used used; /* sums so far */
    bool used_changed;
    struct agent_calls calls;

    int retries_in_row; /* own retries since the model last answered */
    bool has_spoken;    /* there was output since the last call to agent_stream_has_spoken() */
    bool has_events;    /* at least one line was recognized as an event */
    struct str retry; /* owned; message of the CLI about the request that it retries; empty once the
                         model has answered */
    struct str error; /* owned; the last error that was not the end */
    struct str failure;     /* owned; failure reported by an end after which the agent continued;
                               cleared when a call has a result */
    struct str ended;       /* owned; "agent ended: ..." that overrides a successful end */
    struct str window;      /* owned; the end of a usage window, as a line for the verdict rules */
    struct str refused;     /* owned; the last denied call, "Bash: git push"; empty = none */
    struct str refused_ids; /* owned; ids of denied calls, each enclosed in line feeds */
    struct str last_call;   /* owned; id of the last call, may be empty */
    bool ends_refused;      /* no call followed the last denied call */
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
/* Stores the last message so far as the agent's result. */
void agent_final_set(struct agent_stream *stream, const char *text, size_t len, bool is_json);

/* Shared by transcript.c and transcript_formats.c. */

enum { TRANSCRIPT_SEEN_MAX = 512 }; /* number of message ids that are remembered */

/* A call waiting for its result. */
struct transcript_call {
    char *id;          /* owned; NULL = free slot */
    char *tool;        /* owned */
    struct json *args; /* owned; NULL = none */
    int64_t number;
    int64_t at_ms;
};

/* A message and the tokens counted for it so far; it may come in parts. */
struct transcript_message {
    uint64_t id; /* hash; 0 = none */
    int64_t tokens;
};

struct transcript {
    const struct adapters *adapters;
    const char *wanted;
    transcript_fn *fn;
    void *ctx;
    enum transcript_form form;
    const struct adapter *adapter; /* borrowed; NULL: no adapter knows the CLI of this session */
    const char *agent;             /* borrowed; NULL while unknown */
    struct agent_stream *stream;   /* owned; TRANSCRIPT_STREAM only */
    struct str line;               /* the current line so far, or the document */
    bool is_document;              /* the file is one value over many lines */
    bool is_too_long;              /* the rest of the line is skipped */
    bool is_side;                  /* the current line is a sub-agent's */
    bool is_sub;                   /* claude: the whole file is a sub-agent's */
    bool has_failed;               /* the last item reported a failure */
    bool is_answered;              /* the last item was the agent's text */
    uint64_t prompt; /* hash of the last prompt; 0 once the agent has written something */
    bool has_turns;  /* codex: turns are reported */
    int looked_at;   /* number of lines read before the format was known */
    int64_t at_ms;
    int64_t number; /* number of the last call */
    struct agent_used used;
    struct transcript_call calls[AGENT_OPEN_CALLS_MAX];
    int next_call; /* the slot to reuse if all are taken */
    struct transcript_message messages[TRANSCRIPT_SEEN_MAX];
    int next_message;
    char session[TRANSCRIPT_ID_MAX + 1];
    char folder[TRANSCRIPT_PATH_MAX + 1];
    struct transcript_counts counts;
};

/* Reads an object of a line, or an element of a document. Returns false if it has no meaning
 * here. */
typedef bool transcript_read_fn(struct transcript *t, const struct json *line);
transcript_read_fn transcript_read_claude, transcript_read_codex, transcript_read_pi,
    transcript_read_gemini, transcript_read_qwen;

/* Returns true if the type is one of `types`. */
bool transcript_is_of(const char *type, const char *const *types, size_t count);
/* Returns true if Claude Code writes lines of this type for its own bookkeeping. */
bool transcript_claude_is_book(const char *type);

/* Emitting items (transcript.c). */

/* Sets the time from a line. Keeps the previous time if the line has none. */
void transcript_set_time(struct transcript *t, const struct json *value);
/* Sets the session id; only the first valid one counts. */
void transcript_set_session(struct transcript *t, const char *id);
/* Sets the working folder; NULL is ignored, and only the first one counts. */
void transcript_set_folder(struct transcript *t, const char *path);
/* Reports a prompt of the user. */
void transcript_prompt(struct transcript *t, const char *text);
/* Returns true if the last item was this very prompt. */
bool transcript_is_said_again(const struct transcript *t, const char *text);
/* Reports text of the agent. */
void transcript_text(struct transcript *t, const char *text);
/* Reports a message of the CLI. */
void transcript_notice(struct transcript *t, const char *text, bool failed);
/* Reports that the CLI itself retries; `retry` has the reason and the time. */
void transcript_retry(struct transcript *t, const struct agent_item *retry);
/* Reports a call. Borrows `args`; anything but an object is ignored. */
void transcript_call(struct transcript *t, const char *id, const char *tool,
                     const struct json *args);
/* Returns the exit code in "Exit code 2" or "Process exited with code 2", which several CLIs
 * write into the first or last lines of a result; -1 = none. */
int transcript_exit(const char *text);
/* How a call ended. */
struct transcript_result {
    const char *id;
    const char *text;
    int exit; /* -1 = unknown: searched for in the text */
    bool failed;
};
/* Reports the end of the call with that id, even if the call is unknown. */
void transcript_result(struct transcript *t, const struct transcript_result *result);
/* Reports that the sums have changed. */
void transcript_count(struct transcript *t);
/* Returns the message with this id, remembering it if it is new. */
struct transcript_message *transcript_message(struct transcript *t, const char *id, bool *is_new);

#endif
