/*
 * output.h - one output stream of one attempt: decides what is kept and when it is logged.
 *
 * The first OUTPUT_HEAD_BYTES are logged as they arrive. Of the rest, the last OUTPUT_RING_BYTES
 * are kept in memory. While the attempt runs, the end of them (the live tail) is logged repeatedly,
 * overwriting one row. When it ends, all of them are logged. The middle is only counted. A stream
 * without output allocates nothing. One thread.
 */
#ifndef DEVS_OUTPUT_H
#define DEVS_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "classify.h"
#include "log_writer.h"

enum {
    OUTPUT_HEAD_BYTES = 256 * 1024,
    OUTPUT_RING_BYTES = 1024 * 1024,
    OUTPUT_PIECE_BYTES = 64 * 1024,   /* longest row in the log, and size of the live tail */
    OUTPUT_HEAD_MS = 50,              /* the head is logged at most this often */
    OUTPUT_TAIL_MS = 500,             /* the live tail is logged at most this often */
    OUTPUT_URGENT_BYTES = 128 * 1024, /* with this much unlogged head, log it at once */
    /* The most pieces that one output_take() returns. */
    OUTPUT_PIECES_MAX = (OUTPUT_HEAD_BYTES + OUTPUT_RING_BYTES) / OUTPUT_PIECE_BYTES + 2,
};

struct output {
    int64_t bytes, lines; /* of the whole stream; a line longer than line_max counts as several */
    int64_t line_max;
    int64_t line_bytes; /* length so far of the current, incomplete line */
    char *kept;         /* owned; the last bytes of the stream, contiguous */
    size_t kept_len, kept_cap;
    int64_t logged;           /* bytes of the head that were taken for the log */
    int64_t tail_logged;      /* value of `bytes` when the live tail was last taken */
    int64_t head_ms, tail_ms; /* when each was last taken */
    int head_pieces;
};

/* now_ms: the first pieces are due some time after it. line_max: in bytes, at least 1. */
void output_init(struct output *output, int64_t now_ms, int64_t line_max);
void output_done(struct output *output);

/* Copies the next bytes, at most OUTPUT_PIECE_BYTES. */
void output_add(struct output *output, const char *bytes, size_t len);

/* Returns when the next piece is due; INT64_MAX if there is none. */
int64_t output_due(const struct output *output);

/* Takes what is due at now_ms or, once the attempt has ended, everything left to log. Fills in
 * part, index, offset, bytes and len of at most OUTPUT_PIECES_MAX pieces and returns their number.
 * The bytes are borrowed until the next output_add(). */
size_t output_take(struct output *output, int64_t now_ms, struct log_output *pieces);
/* Takes the current contents of the ring while the attempt is still running, as pieces with part
 * LOG_OUTPUT_REST. Otherwise like output_take(). */
size_t output_take_rest(struct output *output, int64_t now_ms, struct log_output *pieces);

/* Returns the last bytes, at most `max`, borrowed until the next output_add(). */
struct classify_text output_tail(const struct output *output, size_t max);

#endif
