/*
 * transcript_parts.h - what the readers of transcripts share: transcript*.c only.
 */
#ifndef DEVS_TRANSCRIPT_PARTS_H
#define DEVS_TRANSCRIPT_PARTS_H

#include "json.h"
#include "str.h"
#include "transcript.h"

enum { TRANSCRIPT_SEEN_MAX = 512 }; /* ids of messages that are remembered */

/* A call that waits for its result. */
struct transcript_call {
    char *id;          /* owned; NULL = the place is free */
    char *tool;        /* owned */
    struct json *args; /* owned; NULL = none */
    int64_t number;
    int64_t at_ms;
};

/* What of a message was counted, to count it once where it comes in parts. */
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
    const struct adapter *adapter; /* borrowed; NULL: a session of a CLI that none is for */
    const char *agent;             /* borrowed; NULL while not known */
    struct agent_stream *stream;   /* owned; TRANSCRIPT_STREAM only */
    struct str line;               /* what of the present line has come; or of the document */
    bool is_document;              /* the file is one value over many lines */
    bool is_too_long;              /* the rest of the line is skipped */
    bool is_side;                  /* the present line is a sub-agent's */
    bool is_sub;                   /* claude: the whole file is one's */
    bool has_failed;               /* the last that came says that it failed */
    bool is_answered;              /* the last that came is the agent's own word */
    uint64_t prompt;               /* hash of the last one; 0 once the agent said something */
    bool has_turns;                /* codex: they are told */
    int looked_at;                 /* lines before the form was known */
    int64_t at_ms;
    int64_t number; /* of the last call */
    struct agent_used used;
    struct transcript_call calls[AGENT_OPEN_CALLS_MAX];
    int next_call; /* the place that is taken next, if all are */
    struct transcript_message messages[TRANSCRIPT_SEEN_MAX];
    int next_message;
    char session[TRANSCRIPT_ID_MAX + 1];
    char folder[TRANSCRIPT_PATH_MAX + 1];
    struct transcript_counts counts;
};

/* One line's object, or an element of a document. False: it says nothing to us. */
typedef bool transcript_read_fn(struct transcript *t, const struct json *line);
transcript_read_fn transcript_read_claude, transcript_read_codex, transcript_read_pi,
    transcript_read_gemini, transcript_read_qwen;

/* Is the type one of these? */
bool transcript_is_of(const char *type, const char *const *types, size_t count);
/* Is this a type of lines with which Claude Code keeps its own books? */
bool transcript_claude_is_book(const char *type);

/* transcript_emit.c: what the readers tell. */

/* Take the time of a line; without one that of the line before stays. */
void transcript_set_time(struct transcript *t, const struct json *value);
/* The session's id; the first one counts, what is no id is left out. */
void transcript_set_session(struct transcript *t, const char *id);
/* The folder that it works in; NULL is left out, the first one counts. */
void transcript_set_folder(struct transcript *t, const char *path);
/* A person's word. */
void transcript_prompt(struct transcript *t, const char *text);
/* Was the last thing that came this very prompt? */
bool transcript_is_said_again(const struct transcript *t, const char *text);
/* Words of the agent. */
void transcript_text(struct transcript *t, const char *text);
/* A word of the CLI. */
void transcript_notice(struct transcript *t, const char *text, bool failed);
/* The CLI itself tries again; `retry` has why and when. */
void transcript_retry(struct transcript *t, const struct agent_item *retry);
/* A call begins; `args` is borrowed, anything but an object is none. */
void transcript_call(struct transcript *t, const char *id, const char *tool,
                     const struct json *args);
/* "Exit code 2", "Process exited with code 2", as several CLIs write it into a result's first or
 * last lines; -1 = it is not there. */
int transcript_exit(const char *text);
/* How a call ended. */
struct transcript_result {
    const char *id;
    const char *text;
    int exit; /* -1 = not told: looked for in the text */
    bool failed;
};
/* The call of that id is over; one that was never heard of is told all the same. */
void transcript_result(struct transcript *t, const struct transcript_result *result);
/* The result that an object holds: its "content", under `id_key` the call's id, under `failed_key`
 * whether it failed. */
void transcript_result_of(struct transcript *t, const struct json *object, const char *id_key,
                          const char *failed_key);
/* The sums have changed. */
void transcript_count(struct transcript *t);
/* Was a message with this id not there before? Remembers it. */
struct transcript_message *transcript_message(struct transcript *t, const char *id, bool *is_new);

/* The text in a message's content: a string, or the "text" of its parts, a line feed between
 * them. */
void transcript_content(const struct json *content, struct str *out);

#endif
