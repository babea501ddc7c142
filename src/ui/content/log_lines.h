/*
 * log_lines.h - the output of an attempt in lines: joins rows of the log into lines, keeps the last
 * lines (safe to draw), and counts how often a text occurs in the output of other attempts.
 *
 * The pieces of a stream are joined before they are cleaned, so that no character or escape
 * sequence is cut at the end of a piece. Standalone values; each belongs to one thread and reads
 * only through the source it is given.
 */
#ifndef DEVS_LOG_LINES_H
#define DEVS_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "line_edit.h"
#include "log_reader.h"
#include "run_state.h"
#include "str.h"

enum { LOG_JOIN_STREAMS = LOG_STREAM_COUNT };

/* A line, a part of a very long line, or a note about bytes that the log does not have. */
struct joined_line {
    const char *bytes; /* borrowed for the call; unprocessed, without the line feed */
    size_t len;
    int64_t at_ms;  /* when its last bytes arrived */
    int64_t offset; /* stream offset of its first byte; for a gap, of its start */
    int stream;     /* a LOG_STREAM_... constant */
};
/* Called with each finished line. */
typedef void joined_line_fn(void *ctx, const struct joined_line *line);

/* A line that is still incomplete. */
struct log_partial {
    struct str text; /* unprocessed */
    int64_t at_ms;
    int64_t start; /* stream offset of its first byte, */
    int64_t next;  /* and of the next byte */
    bool begun;
    bool headless; /* its beginning is missing */
};

struct log_join {
    struct log_partial partials[LOG_JOIN_STREAMS];
    size_t line_max; /* bytes; longer lines are split, not counting text that the line overwrites */
    joined_line_fn *take;
    void *ctx; /* borrowed; passed to `take` */
};

/* Starts empty. Lines longer than line_max bytes are passed on in parts; `ctx` is passed to
 * `take`. */
void log_join_init(struct log_join *join, size_t line_max, joined_line_fn *take, void *ctx);
/* Frees the buffers and leaves an empty value. */
void log_join_done(struct log_join *join);
/* Starts over at the first byte; keeps the memory. */
void log_join_clear(struct log_join *join);
/* Copies the unfinished lines of another join; `take` and `ctx` are not changed. */
void log_join_copy(struct log_join *to, const struct log_join *from);

/* Adds the next row, with its bytes at `bytes`. Ignores bytes that were already added. Lines are
 * passed on in the order in which they are finished. */
void log_join_add(struct log_join *join, const struct log_output_row *row, const char *bytes);
/* Ends the input: passes on unfinished lines as they are. */
void log_join_end(struct log_join *join);
/* Returns how many lines log_join_end() would pass on. */
size_t log_join_open(const struct log_join *join);

enum {
    LOG_TAIL_BYTES = 64 * 1024, /* read from the log */
    LOG_TAIL_LINES_MAX = 2000,
    LOG_TAIL_LINE_MAX = 64 * 1024, /* longer lines are split */
    LOG_TAIL_STREAMS = LOG_JOIN_STREAMS,
    LOG_TAIL_ENGINE = 0, /* in place of a stream: text from the engine */
};

struct log_line {
    size_t start, len; /* in `text` */
    int64_t at_ms;     /* when its last bytes arrived */
    int64_t offset;    /* stream offset of its first byte, */
    int stream;        /* LOG_STREAM_..., or LOG_TAIL_ENGINE */
};

struct log_tail {
    struct log_output_key key; /* attempt 0: no attempt yet */
    struct str text;           /* cleaned */
    struct log_line *lines;    /* owned */
    size_t count, cap;
    size_t said; /* number of lines from the attempt; the rest is from the engine */
    struct log_join join;
};

void log_tail_init(struct log_tail *tail);
void log_tail_done(struct log_tail *tail);
/* Removes all lines and the key; keeps the memory. */
void log_tail_clear(struct log_tail *tail);

/* Starts filling the tail: begin, any number of consecutive pages, end. Rows later than `until_ms`
 * are ignored. Lines of all streams appear in the order in which they were finished; log_tail_end()
 * finishes the others. */
void log_tail_begin(struct log_tail *tail, const struct log_output_key *key);
/* Adds the next page. */
void log_tail_add(struct log_tail *tail, const struct output_page *page, int64_t until_ms);
/* Ends the input: lines without a line feed count as finished. */
void log_tail_end(struct log_tail *tail);
/* Appends a line that the attempt did not write. Call after log_tail_end(). */
void log_tail_say(struct log_tail *tail, int64_t at_ms, const char *text);

/* Begins, adds a single page and ends. */
void log_tail_set(struct log_tail *tail, const struct log_output_key *key,
                  const struct output_page *page, int64_t until_ms);

/* Returns the text of a line, which is not NUL-terminated; its length is in the line. */
const char *log_tail_line(const struct log_tail *tail, size_t index);

/* Returns the next line at or after `from` (with step -1: before it) that contains `needle`,
 * ignoring case; `count` if there is none. */
size_t log_tail_find(const struct log_tail *tail, const char *needle, size_t from, int step);

enum {
    ELSEWHERE_PIECE_BYTES = 64 * 1024,      /* read from the log at once */
    ELSEWHERE_TURN_BYTES = 256 * 1024,      /* searched per turn, */
    ELSEWHERE_TURN_TRIES = 64,              /* in at most this many attempts */
    ELSEWHERE_BYTES_MAX = 64 * 1024 * 1024, /* searched in total */
};

/* Reads rows of an attempt with id > after, about `bytes` of them. */
struct elsewhere_source {
    bool (*read)(void *ctx, const struct log_output_key *key, int64_t after, size_t bytes,
                 struct output_page *page, struct err *err);
    void *ctx;
};

/* Counts how often a text that is not in one attempt's output occurs in the run's other attempts,
 * starting with those of the same task. Each turn reads a bounded amount. */
struct log_elsewhere {
    struct log_output_key own; /* not searched: known to have no match */
    char needle[LINE_EDIT_MAX];
    int64_t until_ms; /* later rows are ignored */
    bool is_on;
    bool is_done;
    bool is_cut; /* stopped at the limit; not everything was searched */

    struct log_output_key at; /* the current attempt; attempt 0: not started */
    bool is_among_others;     /* done with the attempts of the own task */
    int64_t after, bytes;
    struct log_join join;
    struct output_page page;
    size_t in_tries, in_tasks; /* lines found */
};

void log_elsewhere_init(struct log_elsewhere *elsewhere);
void log_elsewhere_done(struct log_elsewhere *elsewhere);

/* Starts a search. Continues the current one if text and attempt are the same. */
void log_elsewhere_begin(struct log_elsewhere *elsewhere, const struct log_output_key *own,
                         const char *needle, int64_t until_ms);
/* Stops searching; keeps what was found. */
void log_elsewhere_stop(struct log_elsewhere *elsewhere);

/* Continues within the limits above; `state` is the state of the run. */
ATTR_MUST_USE bool log_elsewhere_turn(struct log_elsewhere *elsewhere,
                                      const struct run_state *state,
                                      const struct elsewhere_source *source, struct err *err);

/* Appends "\"tokne\" not found in this log; in other tries: 0; in other tasks: 0". */
void log_elsewhere_words(const struct log_elsewhere *elsewhere, struct str *out);

#endif
