/*
 * output.h - one stream of one attempt: what is kept of it, and what goes into
 * the log when.
 *
 * The first OUTPUT_HEAD_BYTES are logged as they come. Of the rest the last
 * OUTPUT_RING_BYTES stay here; while the attempt runs the last of them are
 * logged over one row again and again, and all of them at the end. The middle
 * is only counted. A stream without a byte has no memory. One thread.
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
    OUTPUT_PIECE_BYTES = 64 * 1024,   /* longest row in the log, and the live tail */
    OUTPUT_HEAD_MS = 50,              /* the head is logged at most this often */
    OUTPUT_TAIL_MS = 500,             /* the live tail likewise */
    OUTPUT_URGENT_BYTES = 128 * 1024, /* so much unlogged head does not wait */
    /* Most pieces of one output_take(). */
    OUTPUT_PIECES_MAX = (OUTPUT_HEAD_BYTES + OUTPUT_RING_BYTES) / OUTPUT_PIECE_BYTES + 2,
};

struct output {
    int64_t bytes, lines; /* of the whole stream; a line over line_max counts as several */
    int64_t line_max;
    int64_t line_bytes; /* of the line that has not ended yet */
    char *kept;         /* owned; the last bytes of the stream, in one piece */
    size_t kept_len, kept_cap;
    int64_t logged;           /* bytes of the head that were taken for the log */
    int64_t tail_logged;      /* value of `bytes` when the live tail was taken last */
    int64_t head_ms, tail_ms; /* when each was taken last */
    int head_pieces;
};

/* now_ms: pieces are first due some time after it. line_max: bytes, 1 or more. */
void output_init(struct output *output, int64_t now_ms, int64_t line_max);
void output_done(struct output *output);

/* The next bytes, at most OUTPUT_PIECE_BYTES of them; they are copied. */
void output_add(struct output *output, const char *bytes, size_t len);

/* When the next piece may be taken; INT64_MAX if there is none to take. */
int64_t output_due(const struct output *output);

/* Take what is due at now_ms, or, once the attempt has ended, all that is to be
 * logged. Fills part, index, offset, bytes and len of at most OUTPUT_PIECES_MAX
 * pieces; the bytes are borrowed until the next output_add(). */
size_t output_take(struct output *output, int64_t now_ms, struct log_output *pieces);
/* Likewise what the ring holds now, while it goes on: pieces of part LOG_OUTPUT_REST. */
size_t output_take_rest(struct output *output, int64_t now_ms, struct log_output *pieces);

/* The last bytes, at most `max` of them. Borrowed likewise. */
struct classify_text output_tail(const struct output *output, size_t max);

#endif
