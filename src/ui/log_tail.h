/*
 * log_tail.h - the last lines of an attempt's output, safe to draw.
 *
 * A value of its own: it holds a copy of the text. Pure.
 */
#ifndef DEVS_LOG_TAIL_H
#define DEVS_LOG_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log_reader.h"
#include "str.h"

enum {
    LOG_TAIL_BYTES = 64 * 1024, /* asked of the log */
    LOG_TAIL_LINES_MAX = 2000,
};

struct log_line {
    size_t start, len; /* in `text` */
    int64_t at_ms;     /* when its last bytes came */
    int stream;        /* 1 stdout, 2 stderr */
};

struct log_tail {
    struct log_output_key key; /* attempt 0: nothing was tried yet */
    struct str text;           /* cleaned */
    struct log_line *lines;    /* owned */
    size_t count, cap;
};

void log_tail_init(struct log_tail *tail);
void log_tail_done(struct log_tail *tail);
void log_tail_clear(struct log_tail *tail);

/* Fill it from a page of output; rows later than `until_ms` are left out. Lines
 * of both streams come in the order in which they were finished. */
void log_tail_set(struct log_tail *tail, const struct log_output_key *key,
                  const struct output_page *page, int64_t until_ms);

/* The text of a line, not ended by a NUL; its length is in the line. */
const char *log_tail_line(const struct log_tail *tail, size_t index);

/* The next line at or after `from` (or before it, with step -1) that holds
 * `needle`, letters alike in both cases; `count` if there is none. */
size_t log_tail_find(const struct log_tail *tail, const char *needle, size_t from, int step);

#endif
