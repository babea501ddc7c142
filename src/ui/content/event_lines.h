/*
 * event_lines.h - records of the log as text for people: those around a moment of a run, those of
 * one attempt, and the lines around an attempt's output (its command, how it ended, what the engine
 * decided).
 *
 * Pure, but for attempt_events_read(), which is for the thread that owns the reader.
 */
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
    EVENT_LINES_MAX = 256,     /* lines that are kept at a time */
    EVENT_LINES_MARGIN = 64,   /* so many on both sides of a moment are always there to be drawn */
    EVENT_LINE_BYTES_MAX = 512 /* of one line; the rest of it is left out */
};

struct event_line {
    int64_t seq;
    struct moment at;
    int task; /* -1 = none */
    enum event_level level;
    size_t start; /* in `text` */
};

struct event_lines {
    int64_t run; /* its number; 0 = nothing was read */
    struct event_line items[EVENT_LINES_MAX];
    size_t count;
    struct str text;
    struct err trouble; /* why they could not be read */
};

void event_lines_done(struct event_lines *lines);
/* Begin anew, with lines of this run. */
void event_lines_begin(struct event_lines *lines, int64_t run);
/* The next record; `state` has it folded in. False: there is room for no more. */
bool event_lines_add(struct event_lines *lines, const struct run_state *state,
                     const struct event *event);

/* Are the records around `at` here, of a run that has `count` of them? */
bool event_lines_cover(const struct event_lines *lines, int64_t run, int64_t at, int64_t count);
/* The record after which lines that cover `at` begin. */
int64_t event_lines_after(int64_t at);

/* The last line that is not later than the record `at`; -1 = all are. */
int event_lines_find(const struct event_lines *lines, int64_t at);
/* Its text, NUL-terminated; borrowed until the lines change. */
const char *event_lines_text(const struct event_lines *lines, int index);

/* What came of a task after a moment: the records that tell it, as one line. */
struct what_came {
    int64_t run, after; /* of which moment */
    int task;
    int left; /* so many records may still be told */
    struct str words;
};
/* Begin with nothing told of this task after record `after` of the run. */
void what_came_begin(struct what_came *came, int64_t run, int64_t after, int task);
/* The next record after the moment; false: all is told. */
bool what_came_add(struct what_came *came, const struct run_state *state,
                   const struct event *event);

/* As log_reader_attempt_events(), but nothing later than the event last_seq: in a replay the log
 * knows more than the moment that is shown. The caller ends the page with event_page_done(). */
ATTR_MUST_USE bool attempt_events_read(struct log_reader *reader, const struct log_output_key *key,
                                       int64_t last_seq, struct event_page *out, struct err *err);

/* The last event of a kind, which is the page's; NULL for none. */
const struct event *attempt_events_last(const struct event_page *events, enum event_kind kind);

/* A text of the log as JSON, for json_free(). NULL for NULL and for what is damaged, which is shown
 * as if it were not there. */
struct json *attempt_events_parse(const char *text);

/* "$ make test"; "" where the attempt is not known. */
void log_words_command(const struct run_state *state, const struct log_output_key *key,
                       struct str *out);
/* "-- exit 1 after 1:47; 96 lines to out, 0 to err; 31 MiB peak"; "" while it runs. */
void log_words_end(const struct run_state *state, const struct log_output_key *key,
                   struct str *out);
/* "== engine: test-fail, try 3 of 6, waits 45 s (15 s x2^2 = 60 s, jitter 0.75 -> 45 s)", "==
 * engine: test-fail, try 2 in round 2, then round 3"; "" while it runs. */
void log_words_decision(const struct run_state *state, const struct log_output_key *key,
                        struct str *out);
/* The attempt; NULL where there is none. */
const struct attempt_state *log_words_attempt(const struct run_state *state,
                                              const struct log_output_key *key);
/* What its verdict went by, where the state has that: of the last attempt of its step that failed.
 * Read into *room; NULL for any other. */
const struct verdict *log_words_verdict(const struct run_state *state,
                                        const struct log_output_key *key, struct verdict *room);

#endif
