/*
 * transcript_parts.h - what transcript.c and transcript_formats.c share.
 */
#ifndef DEVS_TRANSCRIPT_PARTS_H
#define DEVS_TRANSCRIPT_PARTS_H

#include "json.h"
#include "str.h"
#include "transcript.h"

enum { TRANSCRIPT_SEEN_MAX = 512 }; /* remembered message ids */

/* A call waiting for its result. */
struct transcript_call {
    char *id;          /* owned; NULL = free place */
    char *tool;        /* owned */
    struct json *args; /* owned; NULL = none */
    int64_t number;
    int64_t at_ms;
};

/* What has been counted of a message, which may come in parts. */
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
    uint64_t prompt;               /* hash of the last one; 0 once the agent has said something */
    bool has_turns;                /* codex: turns are reported */
    int looked_at;                 /* lines before the format was known */
    int64_t at_ms;
    int64_t number; /* of the last call */
    struct agent_used used;
    struct transcript_call calls[AGENT_OPEN_CALLS_MAX];
    int next_call; /* the place to reuse if all are taken */
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

/* Returns true if the type is one of these. */
bool transcript_is_of(const char *type, const char *const *types, size_t count);
/* Returns true for types of lines that Claude Code writes for itself. */
bool transcript_claude_is_book(const char *type);

/* Emitting items (transcript.c). */

/* Sets the time from a line; a line without one keeps the last. */
void transcript_set_time(struct transcript *t, const struct json *value);
/* Sets the session id; only the first valid one counts. */
void transcript_set_session(struct transcript *t, const char *id);
/* Sets the working folder; NULL is ignored, and only the first one counts. */
void transcript_set_folder(struct transcript *t, const char *path);
/* Reports a prompt of a person. */
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
