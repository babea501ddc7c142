/*
 * log_join.h - the rows of an attempt's output put together into lines.
 *
 * A stream's pieces are joined before anybody cleans them, so that no character or escape
 * sequence is cut where a piece ends. A value of its own; pure.
 */
#ifndef DEVS_LOG_JOIN_H
#define DEVS_LOG_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log_reader.h"
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

#endif
