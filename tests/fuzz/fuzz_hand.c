/*
 * Whatever arrives on a channel or is in a spool: frames are read within their bytes, what is
 * accepted can be written again as the same bytes, and a spool is whole up to where it says.
 *
 * The first byte says what follows: raw bytes (0), or pieces that are made into frames with a
 * correct check (1), because chance does not find one: type, stream, two bytes of length, payload.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hand_protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIECE_HEAD = 4 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_same(const struct hand_frame *frame, const uint8_t *again, size_t size)
{
    must(size == frame->size);
    must(memcmp(again, frame->bytes - HAND_HEAD_BYTES, size) == 0);
}

/* Whatever a frame is read as, it is written as the same bytes. */
static void check_typed(const struct hand_frame *frame)
{
    uint8_t again[HAND_SMALL_FRAME_MAX];
    struct hand_hello hello;
    struct hand_refused refused;
    struct hand_request request;
    struct hand_finish finish;
    struct hand_begin begin;
    struct hand_started started;
    struct hand_end end;
    struct hand_piece piece;
    uint64_t stamp_ms;
    if (hand_hello_read(frame, &hello) && hello.protocol == HAND_PROTOCOL)
        check_same(frame, again, hand_hello_write(again, &hello));
    if (hand_refused_read(frame, &refused))
        check_same(frame, again, hand_refused_write(again, &refused));
    if (hand_request_read(frame, &request))
        check_same(frame, again, hand_request_write(again, &request));
    if (hand_stamp_read(frame, &stamp_ms))
        check_same(frame, again, hand_stamp_write(again, (enum hand_type)frame->type, stamp_ms));
    if (hand_piece_read(frame, &piece))
        must(piece.len > 0 && piece.bytes + piece.len == frame->bytes + frame->len);
    if (hand_finish_read(frame, &finish))
        check_same(frame, again, hand_finish_write(again, &finish));
    if (hand_begin_read(frame, &begin) && begin.boot[0])
        check_same(frame, again, hand_begin_write(again, &begin));
    if (hand_started_read(frame, &started))
        check_same(frame, again, hand_started_write(again, &started));
    if (hand_end_read(frame, &end)) {
        check_same(frame, again, hand_end_write(again, &end));
        must(!hand_end_passed(&end) || (end.code == 0 && end.left == 0 && end.remaining == 0));
    }
}

static void check_frames(const uint8_t *bytes, size_t len)
{
    struct hand_request_check request = {0};
    struct hand_frame frame;
    bool valid = true;
    for (size_t at = 0; hand_frame_read(bytes + at, len - at, &frame) == HAND_WHOLE;
         at += frame.size) {
        struct hand_frame cut;
        must(frame.size <= len - at && frame.len == frame.size - HAND_HEAD_BYTES);
        must(hand_frame_read(bytes + at, frame.size - 1, &cut) == HAND_MORE);
        check_typed(&frame);
        valid = valid && hand_request_take(&request, &frame);
        must(!valid || request.stdin_bytes <= HAND_STDIN_MAX);
        must(!valid || request.words_bytes <= HAND_WORDS_BYTES_MAX);
    }
}

static void check_spool(const uint8_t *bytes, size_t len)
{
    struct hand_spool spool = {0};
    struct hand_frame frame;
    enum hand_read read;
    uint64_t output = 0;
    do {
        const struct hand_spool before = spool;
        read = hand_spool_read(&spool, bytes + spool.whole, len - spool.whole, &frame);
        if (read == HAND_WHOLE) {
            must(spool.whole == before.whole + frame.size && spool.whole <= len);
            must(spool.stage >= before.stage && before.stage != HAND_STAGE_ENDED);
            output += frame.type == HAND_OUTPUT ? frame.len : 0;
        } else {
            must(memcmp(&spool, &before, sizeof(spool)) == 0);
        }
    } while (read == HAND_WHOLE);
    must(spool.output_bytes == output);
    must(spool.stage != HAND_STAGE_ENDED || spool.end.output_bytes == output);
}

/* Makes frames of pieces. Returns their length; the caller frees *out. */
static size_t make_frames(const uint8_t *data, size_t size, uint8_t **out)
{
    size_t len = 0;
    *out = malloc(size * (HAND_HEAD_BYTES + 1) + 1);
    must(*out != NULL);
    while (size >= PIECE_HEAD) {
        const size_t wanted = (size_t)data[2] | (size_t)data[3] << 8;
        const size_t payload = wanted < size - PIECE_HEAD ? wanted : size - PIECE_HEAD;
        memcpy(*out + len + HAND_HEAD_BYTES, data + PIECE_HEAD, payload);
        len += hand_frame_seal(*out + len, (enum hand_type)data[0], data[1], payload);
        data += PIECE_HEAD + payload;
        size -= PIECE_HEAD + payload;
    }
    return len;
}

static void check_all(const uint8_t *bytes, size_t len)
{
    struct hand_frame frame;
    size_t skipped = 0;
    check_frames(bytes, len);
    check_spool(bytes, len);
    if (hand_hello_find(bytes, len, &frame, &skipped) == HAND_WHOLE)
        must(skipped + frame.size <= len);
    must(skipped <= len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 2 == 0) {
        check_all(data + 1, size - 1);
        return 0;
    }
    uint8_t *bytes;
    const size_t len = make_frames(data + 1, size - 1, &bytes);
    check_all(bytes, len);
    free(bytes);
    return 0;
}
