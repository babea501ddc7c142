/* transcript.h - reads the sessions that agent CLIs keep, as a list of items.
 *
 * Add the bytes of a file in pieces of any size; transcript_add() and transcript_end() report items
 * to the callback, with the times in the file. The format is detected from the first lines. Unknown
 * lines are counted, never rejected: formats change with every version of a CLI. Bounded by the
 * limits below. One thread at a time; pure. */
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
    TRANSCRIPT_LINE_MAX = 16 * 1024 * 1024, /* maximum bytes of a line; longer lines are skipped */
    TRANSCRIPT_DOCUMENT_MAX = 32 * 1024 * 1024, /* maximum bytes of a file that is one JSON value */
    TRANSCRIPT_VALUES_MAX = 650000, /* maximum JSON values of a line; a line with more is skipped */
    TRANSCRIPT_LOOK_LINES = 100,    /* lines after which detecting the format stops */
    TRANSCRIPT_ID_MAX = 200,        /* maximum bytes kept of a session id */
    TRANSCRIPT_PATH_MAX = 4096,     /* maximum bytes kept of a folder's name */
};

enum transcript_form {
    TRANSCRIPT_UNKNOWN,
    TRANSCRIPT_CLAUDE, /* ~/.claude/projects: one message per line, including sub-agents */
    TRANSCRIPT_CODEX,  /* ~/.codex/sessions: rollouts, with or without an envelope around items */
    TRANSCRIPT_PI,     /* ~/.pi/agent/sessions, and the output of --mode json */
    TRANSCRIPT_GEMINI, /* ~/.gemini/tmp: chats, one document or one message per line */
    TRANSCRIPT_QWEN,   /* ~/.qwen/projects: one message per line, in parts like Gemini's */
    TRANSCRIPT_STREAM, /* output of a CLI on stdout, read by an adapter */
    TRANSCRIPT_FORM_COUNT,
};

/* An item of a session. Pointers are borrowed for the callback. */
struct transcript_item {
    int64_t at_ms;          /* time of the item, UTC; 0 = no time so far */
    int64_t took_ms;        /* for a result: time since its call; 0 = unknown */
    bool is_prompt;         /* item.text is from a person and begins a new piece of work */
    bool is_side;           /* the item is from a sub-agent */
    struct agent_item item; /* `number` counts over the whole file, including sub-agents */
};

/* Called for each item, in the order of the file. */
typedef void transcript_fn(void *ctx, const struct transcript_item *item);

/* How much of a file was read and skipped. */
struct transcript_counts {
    int64_t lines;    /* all lines except blank ones */
    int64_t unknown;  /* JSON of an unknown kind */
    int64_t broken;   /* not JSON */
    int64_t too_long; /* beyond TRANSCRIPT_LINE_MAX or TRANSCRIPT_VALUES_MAX */
};

/* Begins to read a file. `agent` is the adapter whose CLI wrote it; NULL = detect the adapter from
 * the first lines. Borrows `adapters`, `agent` and ctx until transcript_close(). */
void transcript_open(struct transcript **out, const struct adapters *adapters, const char *agent,
                     transcript_fn *item, void *ctx);
/* May be NULL. */
void transcript_close(struct transcript *transcript);

/* Adds bytes. Fails with ERR_INVALID as soon as the bytes cannot be a transcript; the callback has
 * not been called in that case. */
ATTR_MUST_USE bool transcript_add(struct transcript *transcript, const char *bytes, size_t len,
                                  struct err *err);
/* Ends the input: handles the last line. Fails like transcript_add(). */
ATTR_MUST_USE bool transcript_end(struct transcript *transcript, struct err *err);

/* Returns the format; UNKNOWN until it is detected. */
enum transcript_form transcript_form(const struct transcript *transcript);
/* Returns "Claude Code session", "Codex rollout", ... */
const char *transcript_form_words(enum transcript_form form);
/* Returns the adapter's name; NULL until the format is detected. */
const char *transcript_agent(const struct transcript *transcript);
/* Returns the session id, or NULL while unknown. Valid until the next call. */
const char *transcript_session(const struct transcript *transcript);
/* Returns the folder of the session, like transcript_session(). */
const char *transcript_folder(const struct transcript *transcript);
/* Returns the usage so far. */
const struct agent_used *transcript_used(const struct transcript *transcript);
/* Returns how the session ends so far: a file without an explicit end is CUT if a call has no
 * result, or if the last prompt has no answer. */
enum agent_end transcript_state(const struct transcript *transcript);
/* Returns how much was read and skipped so far. */
struct transcript_counts transcript_counts(const struct transcript *transcript);

#endif
