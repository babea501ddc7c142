/* hand_protocol.c - writes and reads frames. Shared by devs and devs-hand: no allocation, and only
 * functions of string.h. */
#include "hand_protocol.h"

#include <string.h>

enum {
    HELLO_BYTES = 20, /* the payloads, without a text at their end */
    REFUSED_BYTES = 8,
    REQUEST_BYTES = 32,
    FINISH_BYTES = 24,
    BEGIN_BYTES = 24 + HAND_BOOT_MAX,
    STARTED_BYTES = 16,
    END_BYTES = 80,
    STAMP_BYTES = 8,
    ERRNO_MAX = 4095, /* the kernel's MAX_ERRNO */
    EXIT_MAX = 255,
};

static const char magic[] = "devshand";
enum { MAGIC_BYTES = sizeof(magic) - 1 };

/* The functions put_X() write at *at, get_X() read there, and both move *at behind it. */

static void put_u32(uint8_t **at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        *(*at)++ = (uint8_t)(value >> (8 * i));
}

static void put_u64(uint8_t **at, uint64_t value)
{
    put_u32(at, (uint32_t)value);
    put_u32(at, (uint32_t)(value >> 32));
}

/* Writes at most `max` bytes of a text. */
static void put_text(uint8_t **at, const char *text, size_t max)
{
    for (size_t i = 0; i < max && text[i]; i++)
        *(*at)++ = (uint8_t)text[i];
}

static uint32_t get_u32(const uint8_t **at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t) * (*at)++ << (8 * i);
    return value;
}

static uint64_t get_u64(const uint8_t **at)
{
    const uint64_t low = get_u32(at);
    return low | (uint64_t)get_u32(at) << 32;
}

/* Reads a text of `len` bytes. Returns false if it is longer than `max`, or not printable. */
static bool get_text(const uint8_t *bytes, size_t len, char *out, size_t max)
{
    if (len > max)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] < ' ' || bytes[i] == 0x7f)
            return false;
    }
    memcpy(out, bytes, len);
    out[len] = '\0';
    return true;
}

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ (hash >> 32);
}

static uint32_t compute_check(const uint8_t *head, const uint8_t *bytes, size_t len)
{
    uint64_t hash = mix_word(UINT64_C(0x9e3779b97f4a7c15), get_u64(&head));
    for (; len >= 8; len -= 8)
        hash = mix_word(hash, get_u64(&bytes));
    if (len > 0) {
        uint8_t last[8] = {0};
        const uint8_t *at = last;
        memcpy(last, bytes, len);
        hash = mix_word(hash, get_u64(&at));
    }
    return (uint32_t)hash;
}

enum hand_read hand_frame_read(const uint8_t *bytes, size_t len, struct hand_frame *out)
{
    /* A head that is wrong is reported before the frame is complete: whoever waits for the rest of
     * a length that is damaged would wait forever. */
    if (len >= 1 && bytes[0] == 0)
        return HAND_BAD;
    if (len >= 4 && (bytes[2] != 0 || bytes[3] != 0))
        return HAND_BAD;
    if (len < HAND_HEAD_BYTES)
        return HAND_MORE;
    const uint8_t *at = bytes + 4;
    const uint32_t payload = get_u32(&at);
    const uint32_t check = get_u32(&at);
    if (payload > HAND_PAYLOAD_MAX || bytes[1] > HAND_STDERR ||
        (bytes[1] != 0) != (bytes[0] == HAND_OUTPUT))
        return HAND_BAD;
    if (len - HAND_HEAD_BYTES < payload)
        return HAND_MORE;
    if (check != compute_check(bytes, at, payload))
        return HAND_BAD;
    *out = (struct hand_frame){
        .type = bytes[0],
        .stream = bytes[1],
        .bytes = at,
        .len = payload,
        .size = HAND_HEAD_BYTES + payload,
    };
    return HAND_WHOLE;
}

size_t hand_frame_seal(uint8_t *frame, enum hand_type type, uint8_t stream, size_t len)
{
    uint8_t *at = frame + 4;
    frame[0] = (uint8_t)type;
    frame[1] = stream;
    frame[2] = frame[3] = 0;
    put_u32(&at, (uint32_t)len);
    put_u32(&at, compute_check(frame, frame + HAND_HEAD_BYTES, len));
    return HAND_HEAD_BYTES + len;
}

/* Seals a frame whose payload ends at `end`. */
static size_t seal(uint8_t *frame, enum hand_type type, const uint8_t *end)
{
    return hand_frame_seal(frame, type, 0, (size_t)(end - frame) - HAND_HEAD_BYTES);
}

size_t hand_hello_write(uint8_t *out, const struct hand_hello *hello)
{
    uint8_t *at = out + HAND_HEAD_BYTES;
    put_text(&at, magic, MAGIC_BYTES);
    put_u32(&at, hello->protocol);
    put_u64(&at, hello->stamp_ms);
    put_text(&at, hello->build, HAND_BUILD_MAX);
    return seal(out, HAND_HELLO, at);
}

bool hand_hello_read(const struct hand_frame *frame, struct hand_hello *out)
{
    if (frame->type != HAND_HELLO || frame->len < HELLO_BYTES ||
        memcmp(frame->bytes, magic, MAGIC_BYTES) != 0)
        return false;
    const uint8_t *at = frame->bytes + MAGIC_BYTES;
    out->protocol = get_u32(&at);
    out->stamp_ms = get_u64(&at);
    if (!get_text(at, frame->len - HELLO_BYTES, out->build, HAND_BUILD_MAX)) {
        out->build[0] = '\0';
        return out->protocol != HAND_PROTOCOL;
    }
    return true;
}

/* Returns whether these bytes may be the beginning of a hello. */
static bool may_be_hello(const uint8_t *bytes, size_t len)
{
    const size_t got = len > HAND_HEAD_BYTES ? len - HAND_HEAD_BYTES : 0;
    return bytes[0] == HAND_HELLO &&
           memcmp(bytes + (len - got), magic, got < MAGIC_BYTES ? got : MAGIC_BYTES) == 0;
}

enum hand_read hand_hello_find(const uint8_t *bytes, size_t len, struct hand_frame *out,
                               size_t *skipped)
{
    for (size_t at = 0; at <= HAND_NOISE_MAX; at++) {
        *skipped = at;
        if (at == len)
            return HAND_MORE;
        if (!may_be_hello(bytes + at, len - at))
            continue;
        struct hand_hello hello;
        const enum hand_read read = hand_frame_read(bytes + at, len - at, out);
        if (read == HAND_MORE || (read == HAND_WHOLE && hand_hello_read(out, &hello)))
            return read;
    }
    return HAND_BAD;
}

size_t hand_refused_write(uint8_t *out, const struct hand_refused *refused)
{
    uint8_t *at = out + HAND_HEAD_BYTES;
    put_u32(&at, (uint32_t)refused->code);
    put_u32(&at, (uint32_t)refused->number);
    put_text(&at, refused->text, HAND_TEXT_MAX);
    return seal(out, HAND_REFUSED, at);
}

bool hand_refused_read(const struct hand_frame *frame, struct hand_refused *out)
{
    if (frame->type != HAND_REFUSED || frame->len < REFUSED_BYTES)
        return false;
    const uint8_t *at = frame->bytes;
    const uint32_t code = get_u32(&at);
    const uint32_t number = get_u32(&at);
    if (code < HAND_EXIT_EXISTS || code >= HAND_EXIT_COUNT || number > ERRNO_MAX)
        return false;
    out->code = (enum hand_exit)code;
    out->number = (int32_t)number;
    return get_text(at, frame->len - REFUSED_BYTES, out->text, HAND_TEXT_MAX);
}

static bool has_stamp(uint8_t type)
{
    return type == HAND_TICK || type == HAND_HEARTBEAT || type == HAND_GO;
}

size_t hand_stamp_write(uint8_t *out, enum hand_type type, uint64_t stamp_ms)
{
    if (!has_stamp((uint8_t)type))
        return hand_frame_seal(out, type, 0, 0);
    uint8_t *at = out + HAND_HEAD_BYTES;
    put_u64(&at, stamp_ms);
    return seal(out, type, at);
}

bool hand_stamp_read(const struct hand_frame *frame, uint64_t *stamp_ms)
{
    *stamp_ms = 0;
    if (frame->type == HAND_TERM || frame->type == HAND_KILL || frame->type == HAND_FOREIGN)
        return frame->len == 0;
    if (!has_stamp(frame->type) || frame->len != STAMP_BYTES)
        return false;
    const uint8_t *at = frame->bytes;
    *stamp_ms = get_u64(&at);
    return true;
}

size_t hand_piece_seal(uint8_t *frame, uint64_t offset, size_t len)
{
    uint8_t *at = frame + HAND_HEAD_BYTES;
    put_u64(&at, offset);
    return seal(frame, HAND_SPOOL, at + len);
}

bool hand_piece_read(const struct hand_frame *frame, struct hand_piece *out)
{
    if (frame->type != HAND_SPOOL || frame->len <= HAND_PIECE_HEAD_BYTES)
        return false;
    const uint8_t *at = frame->bytes;
    out->offset = get_u64(&at);
    out->bytes = at;
    out->len = frame->len - HAND_PIECE_HEAD_BYTES;
    return true;
}

/* Returns whether lease and grace are within their limits. */
static bool is_sound_lease(uint32_t lease_ms, uint32_t grace_ms)
{
    return lease_ms >= HAND_LEASE_MS_MIN && lease_ms <= HAND_LEASE_MS_MAX &&
           grace_ms <= HAND_GRACE_MS_MAX;
}

size_t hand_request_write(uint8_t *out, const struct hand_request *request)
{
    uint8_t *at = out + HAND_HEAD_BYTES;
    put_u32(&at, HAND_PROTOCOL);
    put_u32(&at, request->lease_ms);
    put_u32(&at, request->grace_ms);
    put_u32(&at, request->arguments);
    put_u32(&at, request->entries);
    put_u32(&at, request->flags);
    put_u64(&at, request->stdin_bytes);
    return seal(out, HAND_REQUEST, at);
}

bool hand_request_read(const struct hand_frame *frame, struct hand_request *out)
{
    if (frame->type != HAND_REQUEST || frame->len != REQUEST_BYTES)
        return false;
    const uint8_t *at = frame->bytes;
    const uint32_t protocol = get_u32(&at);
    out->lease_ms = get_u32(&at);
    out->grace_ms = get_u32(&at);
    out->arguments = get_u32(&at);
    out->entries = get_u32(&at);
    out->flags = get_u32(&at);
    out->stdin_bytes = get_u64(&at);
    return protocol == HAND_PROTOCOL && is_sound_lease(out->lease_ms, out->grace_ms) &&
           out->arguments >= 1 && out->arguments <= HAND_WORDS_MAX &&
           out->entries <= HAND_WORDS_MAX - out->arguments && out->flags <= HAND_INHERIT &&
           out->stdin_bytes <= HAND_STDIN_MAX;
}

/* Counts a word of the request. Returns false if it has a NUL or exceeds a limit. */
static bool take_word(struct hand_request_check *check, const struct hand_frame *frame)
{
    check->words_bytes += frame->len + 1;
    return frame->len <= HAND_WORD_MAX && check->words_bytes <= HAND_WORDS_BYTES_MAX &&
           !(frame->len > 0 && memchr(frame->bytes, '\0', frame->len));
}

bool hand_request_take(struct hand_request_check *check, const struct hand_frame *frame)
{
    const struct hand_request *request = &check->request;
    if (!check->has_request)
        return check->has_request = hand_request_read(frame, &check->request);
    if (check->arguments < request->arguments) {
        check->arguments++;
        return frame->type == HAND_ARGUMENT && take_word(check, frame);
    }
    if (check->entries < request->entries) {
        check->entries++;
        const uint8_t *equals = frame->len > 0 ? memchr(frame->bytes, '=', frame->len) : NULL;
        return frame->type == HAND_ENTRY && take_word(check, frame) && equals &&
               equals > frame->bytes;
    }
    if (!check->has_directory) {
        check->has_directory = true;
        return frame->type == HAND_DIRECTORY && frame->len <= HAND_DIRECTORY_MAX &&
               take_word(check, frame) && frame->len > 0 && frame->bytes[0] == '/';
    }
    if (check->stdin_bytes < request->stdin_bytes) {
        check->stdin_bytes += frame->len;
        return frame->type == HAND_STDIN && frame->len > 0 &&
               check->stdin_bytes <= request->stdin_bytes;
    }
    if (check->has_go)
        return false;
    check->has_go = true;
    return frame->type == HAND_GO && hand_stamp_read(frame, &check->stamp_ms);
}

size_t hand_finish_write(uint8_t *out, const struct hand_finish *finish)
{
    uint8_t *at = out + HAND_HEAD_BYTES;
    put_u32(&at, (uint32_t)finish->state);
    put_u32(&at, 0);
    put_u64(&at, finish->whole);
    put_u64(&at, finish->size);
    return seal(out, HAND_FINISH, at);
}

bool hand_finish_read(const struct hand_frame *frame, struct hand_finish *out)
{
    if (frame->type != HAND_FINISH || frame->len != FINISH_BYTES)
        return false;
    const uint8_t *at = frame->bytes;
    const uint32_t state = get_u32(&at);
    const uint32_t zero = get_u32(&at);
    if (state < HAND_STATE_RUNNING || state > HAND_STATE_DAMAGED || zero != 0)
        return false;
    out->state = (enum hand_state)state;
    out->whole = get_u64(&at);
    out->size = get_u64(&at);
    return out->whole <= out->size;
}

size_t hand_begin_write(uint8_t *out, const struct hand_begin *begin)
{
    uint8_t *at = out + HAND_HEAD_BYTES;
    put_u32(&at, HAND_PROTOCOL);
    put_u32(&at, begin->lease_ms);
    put_u32(&at, begin->grace_ms);
    put_u32(&at, 0);
    put_u64(&at, begin->at_ms);
    uint8_t *const node = at + HAND_BOOT_MAX;
    memset(at, 0, HAND_BOOT_MAX);
    put_text(&at, begin->boot, HAND_BOOT_MAX);
    at = node;
    put_text(&at, begin->node, HAND_NODE_MAX);
    return seal(out, HAND_BEGIN, at);
}

bool hand_begin_read(const struct hand_frame *frame, struct hand_begin *out)
{
    if (frame->type != HAND_BEGIN || frame->len < BEGIN_BYTES)
        return false;
    const uint8_t *at = frame->bytes;
    const uint32_t protocol = get_u32(&at);
    out->lease_ms = get_u32(&at);
    out->grace_ms = get_u32(&at);
    const uint32_t zero = get_u32(&at);
    out->at_ms = get_u64(&at);
    return protocol == HAND_PROTOCOL && zero == 0 && is_sound_lease(out->lease_ms, out->grace_ms) &&
           get_text(at, at[0] == 0 ? 0 : HAND_BOOT_MAX, out->boot, HAND_BOOT_MAX) &&
           get_text(at + HAND_BOOT_MAX, frame->len - BEGIN_BYTES, out->node, HAND_NODE_MAX);
}

size_t hand_started_write(uint8_t *out, const struct hand_started *started)
{
    uint8_t *at = out + HAND_HEAD_BYTES;
    put_u32(&at, started->keeper);
    put_u32(&at, started->command);
    put_u64(&at, started->at_ms);
    return seal(out, HAND_STARTED, at);
}

bool hand_started_read(const struct hand_frame *frame, struct hand_started *out)
{
    if (frame->type != HAND_STARTED || frame->len != STARTED_BYTES)
        return false;
    const uint8_t *at = frame->bytes;
    out->keeper = get_u32(&at);
    out->command = get_u32(&at);
    out->at_ms = get_u64(&at);
    return out->keeper != 0 && out->command != 0;
}

size_t hand_end_write(uint8_t *out, const struct hand_end *end)
{
    uint8_t *at = out + HAND_HEAD_BYTES;
    *at++ = (uint8_t)end->ended;
    *at++ = (uint8_t)end->why;
    *at++ = (uint8_t)end->step;
    *at++ = end->proven;
    put_u32(&at, end->code);
    put_u32(&at, end->left);
    put_u32(&at, end->remaining);
    put_u32(&at, end->spool_errno);
    put_u32(&at, end->kills);
    put_u64(&at, end->at_ms);
    put_u64(&at, end->ran_ms);
    put_u64(&at, end->user_us);
    put_u64(&at, end->system_us);
    put_u64(&at, end->max_rss_kib);
    put_u64(&at, end->output_bytes);
    put_u64(&at, end->dropped_bytes);
    return seal(out, HAND_END, at);
}

/* Returns whether the values of an end fit together. */
static bool is_sound_end(const struct hand_end *end)
{
    static const uint32_t code_max[] = {[HAND_EXITED] = EXIT_MAX,
                                        [HAND_SIGNALED] = HAND_SIGNAL_MAX,
                                        [HAND_NOT_STARTED] = ERRNO_MAX};
    if (end->code > code_max[end->ended] || (end->ended != HAND_EXITED && end->code == 0))
        return false;
    if ((end->ended == HAND_NOT_STARTED) != (end->step != HAND_STEP_NONE))
        return false;
    if (end->proven && end->remaining > 0)
        return false;
    if (end->why == HAND_WHY_SPOOL && end->spool_errno == 0)
        return false;
    return end->spool_errno <= ERRNO_MAX && (end->spool_errno > 0 || end->dropped_bytes == 0);
}

bool hand_end_read(const struct hand_frame *frame, struct hand_end *out)
{
    if (frame->type != HAND_END || frame->len != END_BYTES)
        return false;
    const uint8_t *at = frame->bytes;
    if (at[0] < HAND_EXITED || at[0] > HAND_NOT_STARTED || at[1] >= HAND_WHY_COUNT ||
        at[2] >= HAND_STEP_COUNT || at[3] > 1)
        return false;
    out->ended = (enum hand_ended) * at++;
    out->why = (enum hand_why) * at++;
    out->step = (enum hand_step) * at++;
    out->proven = *at++ == 1;
    out->code = get_u32(&at);
    out->left = get_u32(&at);
    out->remaining = get_u32(&at);
    out->spool_errno = get_u32(&at);
    out->kills = get_u32(&at);
    out->at_ms = get_u64(&at);
    out->ran_ms = get_u64(&at);
    out->user_us = get_u64(&at);
    out->system_us = get_u64(&at);
    out->max_rss_kib = get_u64(&at);
    out->output_bytes = get_u64(&at);
    out->dropped_bytes = get_u64(&at);
    return is_sound_end(out);
}

bool hand_end_passed(const struct hand_end *end)
{
    return end->ended == HAND_EXITED && end->code == 0 && end->why == HAND_WHY_OWN && end->proven &&
           end->left == 0 && end->spool_errno == 0;
}

/* Takes a frame if it is allowed at this stage; otherwise changes nothing that matters. */
static bool take_spool_frame(struct hand_spool *spool, const struct hand_frame *frame)
{
    if (frame->size > HAND_SPOOL_FRAME_MAX)
        return false;
    switch (spool->stage) {
    case HAND_STAGE_EMPTY:
        if (!hand_begin_read(frame, &spool->begin))
            return false;
        spool->stage = HAND_STAGE_BEGUN;
        return true;
    case HAND_STAGE_BEGUN:
        if (frame->type == HAND_STARTED && hand_started_read(frame, &spool->started)) {
            spool->stage = HAND_STAGE_STARTED;
            return true;
        }
        break;
    case HAND_STAGE_STARTED:
        if (frame->type == HAND_OUTPUT && frame->len > 0) {
            spool->output_bytes += frame->len;
            return true;
        }
        break;
    case HAND_STAGE_ENDED:
        return false;
    }
    const bool was_started = spool->stage == HAND_STAGE_STARTED;
    if (!hand_end_read(frame, &spool->end) || spool->end.output_bytes != spool->output_bytes)
        return false;
    /* If the disk fails, the spool may lack the frame of a start. */
    if ((spool->end.ended != HAND_NOT_STARTED) != was_started &&
        (was_started || spool->end.spool_errno == 0))
        return false;
    spool->stage = HAND_STAGE_ENDED;
    return true;
}

enum hand_read hand_spool_read(struct hand_spool *spool, const uint8_t *bytes, size_t len,
                               struct hand_frame *out)
{
    if (spool->stage == HAND_STAGE_ENDED && len > 0)
        return HAND_BAD;
    struct hand_frame frame;
    const enum hand_read read = hand_frame_read(bytes, len, &frame);
    if (read != HAND_WHOLE)
        return read;
    struct hand_spool next = *spool;
    if (!take_spool_frame(&next, &frame))
        return HAND_BAD;
    *spool = next;
    spool->whole += frame.size;
    *out = frame;
    return HAND_WHOLE;
}
