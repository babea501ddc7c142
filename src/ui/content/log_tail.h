/*
 * log_tail.h - the last lines of an attempt's output, safe to draw.
 *
 * A value of its own: it holds a copy of the text. Pure.
 */
#ifndef DEVS_LOG_TAIL_H
#define DEVS_LOG_TAIL_H

#include <stddef.h>
#include <stdint.h>

#include "log_join.h"
#include "log_reader.h"
#include "str.h"

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

#endif
