/*
 * log_lines.h - the output of an attempt in lines: rows of the log joined into lines, the last
 * lines (safe to draw), and how often a text is found in the output of other attempts.
 *
 * The pieces of a stream are joined before they are cleaned, so that no character or escape
 * sequence is cut where a piece ends. Values of their own; each belongs to one thread, and reads
 * only through the source that it is given.
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

/* A line, or a part of one that is too long; or what is said in place of bytes that the log does
 * not have. */
struct joined_line {
    const char *bytes; /* borrowed for the call; as they came, without the line feed */
    size_t len;
    int64_t at_ms;  /* when its last bytes came */
    int64_t offset; /* of its first byte in the stream; of a gap: where that begins */
    int stream;     /* LOG_STREAM_OUT... */
};
/* Takes a line when it is finished. */
typedef void joined_line_fn(void *ctx, const struct joined_line *line);

/* A line that is still being put together. */
struct log_partial {
    struct str text; /* as it came */
    int64_t at_ms;
    int64_t start; /* offset of its first byte, */
    int64_t next;  /* and of the byte that comes next */
    bool begun;
    bool headless; /* its beginning is not here */
};

struct log_join {
    struct log_partial partials[LOG_JOIN_STREAMS];
    size_t line_max; /* bytes; a longer line is broken up, but for what it writes over itself */
    joined_line_fn *take;
    void *ctx; /* of `take`, borrowed */
};

/* Without a byte. Lines longer than line_max bytes come in parts; `ctx` is for `take`. */
void log_join_init(struct log_join *join, size_t line_max, joined_line_fn *take, void *ctx);
/* Free; the value is empty afterwards. */
void log_join_done(struct log_join *join);
/* As at the first byte; keeps the memory. */
void log_join_clear(struct log_join *join);
/* The unfinished lines of another one; `take` and `ctx` stay. */
void log_join_copy(struct log_join *to, const struct log_join *from);

/* The next row, its bytes at `bytes`; what was there already is left out. Lines are taken in the
 * order in which they are finished. */
void log_join_add(struct log_join *join, const struct log_output_row *row, const char *bytes);
/* Nothing more comes: lines that are not finished are taken as they are. */
void log_join_end(struct log_join *join);
/* How many log_join_end() would take. */
size_t log_join_open(const struct log_join *join);

enum {
    LOG_TAIL_BYTES = 64 * 1024, /* asked of the log */
    LOG_TAIL_LINES_MAX = 2000,
    LOG_TAIL_LINE_MAX = 64 * 1024, /* longer ones are broken up */
    LOG_TAIL_STREAMS = LOG_JOIN_STREAMS,
    LOG_TAIL_ENGINE = 0, /* in place of a stream: words of the engine */
};

struct log_line {
    size_t start, len; /* in `text` */
    int64_t at_ms;     /* when its last bytes came */
    int64_t offset;    /* of its first byte in the stream, */
    int stream;        /* LOG_STREAM_OUT... */
};

struct log_tail {
    struct log_output_key key; /* attempt 0: nothing was tried yet */
    struct str text;           /* cleaned */
    struct log_line *lines;    /* owned */
    size_t count, cap;
    size_t said; /* of these, what the attempt wrote: the rest is the engine's */
    struct log_join join;
};

void log_tail_init(struct log_tail *tail);
void log_tail_done(struct log_tail *tail);
/* Forget all lines and what they are of; memory is kept. */
void log_tail_clear(struct log_tail *tail);

/* Fill it: begin, any number of pages that follow each other, end. Rows later than
 * `until_ms` are left out. Lines of all streams come in the order in which they were
 * finished; the end finishes those that are not. */
void log_tail_begin(struct log_tail *tail, const struct log_output_key *key);
/* The next page. */
void log_tail_add(struct log_tail *tail, const struct output_page *page, int64_t until_ms);
/* No more pages: lines without a line feed count as finished. */
void log_tail_end(struct log_tail *tail);
/* After the end: a line that the attempt did not write. */
void log_tail_say(struct log_tail *tail, int64_t at_ms, const char *text);

/* The three in one, for a single page. */
void log_tail_set(struct log_tail *tail, const struct log_output_key *key,
                  const struct output_page *page, int64_t until_ms);

/* The text of a line, not ended by a NUL; its length is in the line. */
const char *log_tail_line(const struct log_tail *tail, size_t index);

/* The next line at or after `from` (or before it, with step -1) that holds
 * `needle`, letters alike in both cases; `count` if there is none. */
size_t log_tail_find(const struct log_tail *tail, const char *needle, size_t from, int step);

enum {
    ELSEWHERE_PIECE_BYTES = 64 * 1024,      /* asked of the log at once */
    ELSEWHERE_TURN_BYTES = 256 * 1024,      /* looked through in a turn, */
    ELSEWHERE_TURN_TRIES = 64,              /* of no more attempts than these */
    ELSEWHERE_BYTES_MAX = 64 * 1024 * 1024, /* and in all */
};

/* Rows of an attempt with id > after, about `bytes` of them. */
struct elsewhere_source {
    bool (*read)(void *ctx, const struct log_output_key *key, int64_t after, size_t bytes,
                 struct output_page *page, struct err *err);
    void *ctx;
};

/* How often a text that is not in one attempt's output is in the others of the run, those of the
 * same task first. Each turn reads a bounded piece. */
struct log_elsewhere {
    struct log_output_key own; /* not looked at: it is known to have none */
    char needle[LINE_EDIT_MAX];
    int64_t until_ms; /* later rows are left out */
    bool is_on;
    bool is_done;
    bool is_cut; /* not all was looked through: it is too much */

    struct log_output_key at; /* where it is; attempt 0: nowhere yet */
    bool is_among_others;     /* the tries of the own task are through */
    int64_t after, bytes;
    struct log_join join;
    struct output_page page;
    size_t in_tries, in_tasks; /* lines found */
};

void log_elsewhere_init(struct log_elsewhere *elsewhere);
void log_elsewhere_done(struct log_elsewhere *elsewhere);

/* Look for another text, or from another attempt; the same goes on. */
void log_elsewhere_begin(struct log_elsewhere *elsewhere, const struct log_output_key *own,
                         const char *needle, int64_t until_ms);
/* Look no further; what was found stays. */
void log_elsewhere_stop(struct log_elsewhere *elsewhere);

/* Go on, no more than the limits above; `state` is of the run. */
ATTR_MUST_USE bool log_elsewhere_turn(struct log_elsewhere *elsewhere,
                                      const struct run_state *state,
                                      const struct elsewhere_source *source, struct err *err);

/* "\"tokne\" not found in this log; in other tries: 0; in other tasks: 0" */
void log_elsewhere_words(const struct log_elsewhere *elsewhere, struct str *out);

#endif
