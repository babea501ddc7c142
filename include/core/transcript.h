/*
 * transcript.h - the sessions that agent CLIs keep, read as what happened in them.
 *
 * Bytes of a file go in, cut anywhere; items come out of the callback, within transcript_add()
 * and transcript_end(), each with the time that the file gives. Which form a file has is seen
 * from its first lines. Lines that say nothing to us are counted, never refused: the forms change
 * with every version of a CLI. Bounded: each limit has its name below. One thread at a time; pure.
 */
#ifndef DEVS_TRANSCRIPT_H
#define DEVS_TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_stream.h"
#include "attr.h"
#include "err.h"

struct adapters;
struct transcript;

enum {
    TRANSCRIPT_LINE_MAX = 16 * 1024 * 1024,     /* bytes of a line; a longer one is skipped */
    TRANSCRIPT_DOCUMENT_MAX = 32 * 1024 * 1024, /* bytes of a file that is one JSON value */
    TRANSCRIPT_VALUES_MAX = 650000, /* JSON values of a line; one with more is skipped */
    TRANSCRIPT_LOOK_LINES = 100,    /* lines after which no form is looked for any more */
    TRANSCRIPT_ID_MAX = 200,        /* bytes of a session's id that are kept */
    TRANSCRIPT_PATH_MAX = 4096,     /* bytes of a folder's name that are kept */
};

enum transcript_form {
    TRANSCRIPT_UNKNOWN,
    TRANSCRIPT_CLAUDE, /* ~/.claude/projects: a message a line, sub-agents among them */
    TRANSCRIPT_CODEX,  /* ~/.codex/sessions: rollouts, with an envelope around each item or not */
    TRANSCRIPT_PI,     /* ~/.pi/agent/sessions, and what --mode json writes */
    TRANSCRIPT_GEMINI, /* ~/.gemini/tmp: chats, one document or a message a line */
    TRANSCRIPT_QWEN,   /* ~/.qwen/projects: a message a line, in parts as of Gemini */
    TRANSCRIPT_STREAM, /* what a CLI wrote to stdout: an adapter reads it */
    TRANSCRIPT_FORM_COUNT,
};

/* What happened at a time. Pointers are borrowed for the callback. */
struct transcript_item {
    int64_t at_ms;   /* UTC; 0 = neither it nor anything before it has a time */
    int64_t took_ms; /* of a result: since its call; 0 = not known */
    bool is_prompt;  /* a person's word, in item.text: what comes now is another piece of work */
    bool is_side;    /* of a sub-agent */
    struct agent_item item; /* `number` counts over the whole file, sub-agents' calls too */
};

/* Called for each item, in the order of the file. */
typedef void transcript_fn(void *ctx, const struct transcript_item *item);

/* How much of a file was read, and how much not. */
struct transcript_counts {
    int64_t lines;    /* all but blank ones */
    int64_t unknown;  /* JSON of a kind that says nothing to us */
    int64_t broken;   /* no JSON */
    int64_t too_long; /* beyond TRANSCRIPT_LINE_MAX or TRANSCRIPT_VALUES_MAX */
};

/* `agent`: the adapter whose CLI wrote it; NULL = it is seen from the first lines. `adapters`,
 * `agent` and ctx are borrowed until transcript_close(), which ends *out. */
void transcript_open(struct transcript **out, const struct adapters *adapters, const char *agent,
                     transcript_fn *item, void *ctx);
/* Free. NULL is allowed. */
void transcript_close(struct transcript *transcript);

/* The next bytes. False as soon as it is sure that they are no transcript: ERR_INVALID; nothing
 * has come out of the callback then. */
ATTR_MUST_USE bool transcript_add(struct transcript *transcript, const char *bytes, size_t len,
                                  struct err *err);
/* No more bytes come: the last line is taken. False as transcript_add(). */
ATTR_MUST_USE bool transcript_end(struct transcript *transcript, struct err *err);

/* Which it is; UNKNOWN until a line has told. */
enum transcript_form transcript_form(const struct transcript *transcript);
/* "Claude Code session", "Codex rollout", ... */
const char *transcript_form_words(enum transcript_form form);
/* The adapter's name; NULL while the form is not known. */
const char *transcript_agent(const struct transcript *transcript);
/* The session's id; NULL = not told (yet). Valid until the next call. */
const char *transcript_session(const struct transcript *transcript);
/* The same of the folder that it worked in. */
const char *transcript_folder(const struct transcript *transcript);
/* The sums so far. */
const struct agent_used *transcript_used(const struct transcript *transcript);
/* How it ends, as far as it has come: a file without an ending of its own is CUT where a call has
 * no result, or nobody answered. */
enum agent_end transcript_state(const struct transcript *transcript);
/* What was read and left out so far. */
struct transcript_counts transcript_counts(const struct transcript *transcript);

#endif
