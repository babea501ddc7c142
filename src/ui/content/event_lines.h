/* event_lines.h - records of the log as readable text: the records around a moment of a run, the
 * records of one attempt, and the lines around an attempt's output (its command, how it ended, what
 * the engine decided).
 *
 * Pure, except attempt_events_read(), which must be called on the thread that owns the reader. */
#ifndef DEVS_EVENT_LINES_H
#define DEVS_EVENT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "event.h"
#include "event_text.h"
#include "json.h"
#include "log_reader.h"
#include "run_state.h"
#include "str.h"

enum {
    EVENT_LINES_MAX = 256, /* maximum number of lines kept */
    /* Minimum number of lines on each side of a moment, if the run has them. */
    EVENT_LINES_MARGIN = 64,
    EVENT_LINE_BYTES_MAX = 512 /* per line; longer lines are truncated */
};

struct event_line {
    int64_t seq;
    struct moment at;
    int task; /* -1 = none */
    enum event_level level;
    size_t start; /* offset in `text` */
};

struct event_lines {
    int64_t run; /* run number; 0 = nothing was read */
    struct event_line items[EVENT_LINES_MAX];
    size_t count;
    struct str text;
    struct err trouble; /* why reading failed */
};

void event_lines_done(struct event_lines *lines);
/* Starts over, with lines of this run. */
void event_lines_begin(struct event_lines *lines, int64_t run);
/* Adds the next record, which `state` already includes. Returns false if the buffer is full. */
bool event_lines_add(struct event_lines *lines, const struct run_state *state,
                     const struct event *event);

/* Returns true if the records around `at` are loaded, for a run with `count` records. */
bool event_lines_cover(const struct event_lines *lines, int64_t run, int64_t at, int64_t count);
/* Returns the record after which to start reading lines around `at`. */
int64_t event_lines_after(int64_t at);

/* Returns the index of the last line not later than the record `at`; -1 if all are later. */
int event_lines_find(const struct event_lines *lines, int64_t at);
/* Returns the text of a line, NUL-terminated. Borrowed until the lines change. */
const char *event_lines_text(const struct event_lines *lines, int index);

/* What happened to a task after a moment, as one line of text. */
struct what_came {
    int64_t run, after; /* the moment */
    int task;
    int left; /* remaining number of records to include */
    struct str words;
};
/* Starts an empty line about what happened to this task after record `after` of the run. */
void what_came_begin(struct what_came *came, int64_t run, int64_t after, int task);
/* Adds the next record after the moment. Returns false once the line is complete. */
bool what_came_add(struct what_came *came, const struct run_state *state,
                   const struct event *event);

/* Like log_reader_attempt_events(), but reads only up to event last_seq, because in a replay the
 * log contains later events. The caller frees the page with event_page_done(). */
ATTR_MUST_USE bool attempt_events_read(struct log_reader *reader, const struct log_output_key *key,
                                       int64_t last_seq, struct event_page *out, struct err *err);

/* Returns the last event of this kind, or NULL. Borrowed from the page. */
const struct event *attempt_events_last(const struct event_page *events, enum event_kind kind);

/* Parses JSON text from the log; free the result with json_free(). Returns NULL if the text is NULL
 * or damaged; both count as missing. */
struct json *attempt_events_parse(const char *text);

/* Appends "$ make test"; nothing if the attempt is unknown. */
void log_words_command(const struct run_state *state, const struct log_output_key *key,
                       struct str *out);
/* Appends "-- exit 1 after 1:47; 96 lines to out, 0 to err; 31 MiB peak"; nothing while it runs. */
void log_words_end(const struct run_state *state, const struct log_output_key *key,
                   struct str *out);
/* Appends "== engine: test-fail, try 3 of 6, waits 45 s (15 s x2^2 = 60 s, jitter 0.75 -> 45 s)" or
 * "== engine: test-fail, try 2 in round 2, then round 3"; nothing while it runs. */
void log_words_decision(const struct run_state *state, const struct log_output_key *key,
                        struct str *out);
/* Returns the attempt, or NULL if there is none. */
const struct attempt_state *log_words_attempt(const struct run_state *state,
                                              const struct log_output_key *key);
/* Reads the verdict of the attempt into *room and returns it. Returns NULL unless the attempt is
 * the latest failed one of its step: the state keeps no other verdict. */
const struct verdict *log_words_verdict(const struct run_state *state,
                                        const struct log_output_key *key, struct verdict *room);

#endif
