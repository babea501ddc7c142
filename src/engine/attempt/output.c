/*
 * output.c - keeps the last part of a stream, and decides what to log and when.
 *
 * The beginning of the stream is logged as it arrives, then a live tail that replaces the previous
 * one, and at the end the last OUTPUT_RING_BYTES. The beginning is logged before later output can
 * push it out of the buffer, which may grow to twice the ring so that each byte is moved at most
 * once.
 */
#include "attempt_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

enum {
    KEPT_FIRST_CAP = 4096,
    /* Twice the ring, so that each byte is moved only once to make room. */
    KEPT_CAP_MAX = 2 * OUTPUT_RING_BYTES,
};

static_assert(OUTPUT_HEAD_BYTES + OUTPUT_PIECE_BYTES < OUTPUT_RING_BYTES,
              "the head that waits for the log is still in the ring");

void output_init(struct output *output, int64_t now_ms, int64_t line_max)
{
    assert(line_max > 0);
    *output = (struct output){.line_max = line_max, .head_ms = now_ms, .tail_ms = now_ms};
}

void output_done(struct output *output)
{
    if (!output)
        return;
    free(output->kept);
    *output = (struct output){0};
}

static int64_t at_most(int64_t value, int64_t limit)
{
    return value < limit ? value : limit;
}

static int64_t at_least(int64_t value, int64_t limit)
{
    return value > limit ? value : limit;
}

static void make_room(struct output *output, size_t len)
{
    size_t want = output->kept_len + len;
    if (want <= output->kept_cap)
        return;
    if (want > KEPT_CAP_MAX) {
        size_t keep = OUTPUT_RING_BYTES - len;
        if (keep < output->kept_len) {
            memmove(output->kept, output->kept + output->kept_len - keep, keep);
            output->kept_len = keep;
        }
        want = output->kept_len + len;
    }
    size_t cap = output->kept_cap > 0 ? output->kept_cap : KEPT_FIRST_CAP;
    while (cap < want)
        cap *= 2;
    if (cap == output->kept_cap)
        return;
    char *larger = xcalloc(cap, 1);
    if (output->kept_len > 0)
        memcpy(larger, output->kept, output->kept_len);
    free(output->kept);
    output->kept = larger;
    output->kept_cap = cap;
}

/* Counts lines. Every line_max bytes of a line count as one line. */
static void count_lines(struct output *output, const char *bytes, size_t len)
{
    const char *end = bytes + len;
    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        output->line_bytes += (feed ? feed : end) - bytes;
        if (output->line_bytes > output->line_max) {
            const int64_t cuts = (output->line_bytes - 1) / output->line_max;
            output->lines += cuts;
            output->line_bytes -= cuts * output->line_max;
        }
        if (!feed)
            return;
        output->lines++;
        output->line_bytes = 0;
        bytes = feed + 1;
    }
}

void output_add(struct output *output, const char *bytes, size_t len)
{
    assert(len <= OUTPUT_PIECE_BYTES);
    if (len == 0)
        return;
    make_room(output, len);
    memcpy(output->kept + output->kept_len, bytes, len);
    output->kept_len += len;
    output->bytes += (int64_t)len;
    count_lines(output, bytes, len);
}

/* Returns the number of bytes of the head that are not logged yet. */
static int64_t head_waiting(const struct output *output)
{
    return at_most(output->bytes, OUTPUT_HEAD_BYTES) - output->logged;
}

/* Returns whether the head must be logged now: either much of it is waiting, or it is complete and
 * later output must not push it out of the ring. */
static bool head_is_urgent(const struct output *output)
{
    int64_t waiting = head_waiting(output);
    return waiting >= OUTPUT_URGENT_BYTES || (waiting > 0 && output->bytes >= OUTPUT_HEAD_BYTES);
}

static bool tail_is_new(const struct output *output)
{
    return output->bytes > at_least(OUTPUT_HEAD_BYTES, output->tail_logged);
}

int64_t output_due(const struct output *output)
{
    int64_t due = INT64_MAX;

    if (head_is_urgent(output))
        return output->head_ms;
    if (head_waiting(output) > 0)
        due = output->head_ms + OUTPUT_HEAD_MS;
    if (tail_is_new(output))
        due = at_most(due, output->tail_ms + OUTPUT_TAIL_MS);
    return due;
}

/* Fills in the piece of the stream between `from` and `to`, or as much of it as fits in a row. */
static void fill_piece(const struct output *output, int64_t from, int64_t to,
                       struct log_output *piece)
{
    const int64_t kept_from = output->bytes - (int64_t)output->kept_len; /* offset of kept[0] */
    assert(from >= kept_from);
    piece->offset = from;
    piece->bytes = output->kept + (from - kept_from);
    piece->len = (size_t)at_most(to - from, OUTPUT_PIECE_BYTES);
}

static size_t take_head(struct output *output, int64_t now_ms, struct log_output *pieces)
{
    int64_t end = at_most(output->bytes, OUTPUT_HEAD_BYTES);
    size_t count = 0;

    while (output->logged < end) {
        struct log_output *piece = &pieces[count++];
        fill_piece(output, output->logged, end, piece);
        piece->part = LOG_OUTPUT_HEAD;
        piece->index = output->head_pieces++;
        output->logged += (int64_t)piece->len;
    }
    if (count > 0)
        output->head_ms = now_ms;
    return count;
}

size_t output_take(struct output *output, int64_t now_ms, struct log_output *pieces)
{
    size_t count = 0;

    if (head_is_urgent(output) || now_ms >= output->head_ms + OUTPUT_HEAD_MS)
        count = take_head(output, now_ms, pieces);
    if (tail_is_new(output) && now_ms >= output->tail_ms + OUTPUT_TAIL_MS) {
        struct log_output *piece = &pieces[count++];
        int64_t from = at_least(OUTPUT_HEAD_BYTES, output->bytes - OUTPUT_PIECE_BYTES);
        fill_piece(output, from, output->bytes, piece);
        piece->part = LOG_OUTPUT_TAIL;
        piece->index = 0;
        output->tail_logged = output->bytes;
        output->tail_ms = now_ms;
    }
    return count;
}

size_t output_take_rest(struct output *output, int64_t now_ms, struct log_output *pieces)
{
    size_t count = take_head(output, now_ms, pieces);
    int64_t from = at_least(OUTPUT_HEAD_BYTES, output->bytes - OUTPUT_RING_BYTES);
    int index = 0;

    while (from < output->bytes) {
        struct log_output *piece = &pieces[count++];
        fill_piece(output, from, output->bytes, piece);
        piece->part = LOG_OUTPUT_REST;
        piece->index = index++;
        from += (int64_t)piece->len;
    }
    assert(count <= OUTPUT_PIECES_MAX);
    return count;
}

struct classify_text output_tail(const struct output *output, size_t max)
{
    size_t len = output->kept_len < max ? output->kept_len : max;
    if (len == 0)
        return (struct classify_text){.offset = output->bytes};
    return (struct classify_text){.bytes = output->kept + output->kept_len - len,
                                  .len = len,
                                  .offset = output->bytes - (int64_t)len};
}
