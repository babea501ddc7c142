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
    SIGNAL_MAX = 64,
    EXIT_MAX = 255,
};

static const char magic[] = "devshand";
enum { MAGIC_BYTES = sizeof(magic) - 1 };

static void put_u32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static void put_u64(uint8_t *out, uint64_t value)
{
    put_u32(out, (uint32_t)value);
    put_u32(out + 4, (uint32_t)(value >> 32));
}

static uint32_t get_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static uint64_t get_u64(const uint8_t *bytes)
{
    return (uint64_t)get_u32(bytes) | (uint64_t)get_u32(bytes + 4) << 32;
}

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ (hash >> 32);
}

static uint32_t compute_check(const uint8_t *head, const uint8_t *bytes, size_t len)
{
    uint64_t hash = mix_word(UINT64_C(0x9e3779b97f4a7c15), get_u64(head));
    for (; len >= 8; bytes += 8, len -= 8)
        hash = mix_word(hash, get_u64(bytes));
    if (len > 0) {
        uint8_t last[8] = {0};
        memcpy(last, bytes, len);
        hash = mix_word(hash, get_u64(last));
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
    const uint32_t payload = get_u32(bytes + 4);
    if (payload > HAND_PAYLOAD_MAX || bytes[1] > HAND_STDERR ||
        (bytes[1] != 0) != (bytes[0] == HAND_OUTPUT))
        return HAND_BAD;
    if (len - HAND_HEAD_BYTES < payload)
        return HAND_MORE;
    if (get_u32(bytes + 8) != compute_check(bytes, bytes + HAND_HEAD_BYTES, payload))
        return HAND_BAD;
    *out = (struct hand_frame){
        .type = bytes[0],
        .stream = bytes[1],
        .bytes = bytes + HAND_HEAD_BYTES,
        .len = payload,
        .size = HAND_HEAD_BYTES + payload,
    };
    return HAND_WHOLE;
}

size_t hand_frame_seal(uint8_t *frame, enum hand_type type, uint8_t stream, size_t len)
{
    frame[0] = (uint8_t)type;
    frame[1] = stream;
    frame[2] = frame[3] = 0;
    put_u32(frame + 4, (uint32_t)len);
    put_u32(frame + 8, compute_check(frame, frame + HAND_HEAD_BYTES, len));
    return HAND_HEAD_BYTES + len;
}

/* Copies at most `max` bytes of a text to the end of a payload. Returns their number. */
static size_t put_text(uint8_t *out, const char *text, size_t max)
{
    size_t len = 0;
    while (len < max && text[len])
        len++;
    memcpy(out, text, len);
    return len;
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

size_t hand_hello_write(uint8_t *out, const struct hand_hello *hello)
{
    uint8_t *payload = out + HAND_HEAD_BYTES;
    memcpy(payload, magic, MAGIC_BYTES);
    put_u32(payload + 8, hello->protocol);
    put_u64(payload + 12, hello->stamp_ms);
    const size_t len = put_text(payload + HELLO_BYTES, hello->build, HAND_BUILD_MAX);
    return hand_frame_seal(out, HAND_HELLO, 0, HELLO_BYTES + len);
}

bool hand_hello_read(const struct hand_frame *frame, struct hand_hello *out)
{
    if (frame->type != HAND_HELLO || frame->len < HELLO_BYTES ||
        memcmp(frame->bytes, magic, MAGIC_BYTES) != 0)
        return false;
    *out = (struct hand_hello){
        .protocol = get_u32(frame->bytes + 8),
        .stamp_ms = get_u64(frame->bytes + 12),
    };
    if (!get_text(frame->bytes + HELLO_BYTES, frame->len - HELLO_BYTES, out->build,
                  HAND_BUILD_MAX)) {
        out->build[0] = '\0';
        return out->protocol != HAND_PROTOCOL;
    }
    return true;
}

/* Returns whether these bytes may be the beginning of a hello. */
static bool may_be_hello(const uint8_t *bytes, size_t len)
{
    struct hand_frame frame;
    if (bytes[0] != HAND_HELLO || hand_frame_read(bytes, len, &frame) == HAND_BAD)
        return false;
    const size_t got = len > HAND_HEAD_BYTES ? len - HAND_HEAD_BYTES : 0;
    return memcmp(bytes + (len - got), magic, got < MAGIC_BYTES ? got : MAGIC_BYTES) == 0;
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
        if (read == HAND_MORE || hand_hello_read(out, &hello))
            return read;
    }
    return HAND_BAD;
}

size_t hand_refused_write(uint8_t *out, const struct hand_refused *refused)
{
    uint8_t *payload = out + HAND_HEAD_BYTES;
    put_u32(payload, (uint32_t)refused->code);
    put_u32(payload + 4, (uint32_t)refused->number);
    const size_t len = put_text(payload + REFUSED_BYTES, refused->text, HAND_TEXT_MAX);
    return hand_frame_seal(out, HAND_REFUSED, 0, REFUSED_BYTES + len);
}

bool hand_refused_read(const struct hand_frame *frame, struct hand_refused *out)
{
    if (frame->type != HAND_REFUSED || frame->len < REFUSED_BYTES)
        return false;
    const uint32_t code = get_u32(frame->bytes);
    const uint32_t number = get_u32(frame->bytes + 4);
    if (code < HAND_EXIT_EXISTS || code > HAND_EXIT_CHANNEL || number > ERRNO_MAX)
        return false;
    *out = (struct hand_refused){.code = (enum hand_exit)code, .number = (int32_t)number};
    return get_text(frame->bytes + REFUSED_BYTES, frame->len - REFUSED_BYTES, out->text,
                    HAND_TEXT_MAX);
}

static bool has_stamp(uint8_t type)
{
    return type == HAND_TICK || type == HAND_HEARTBEAT || type == HAND_GO;
}

size_t hand_stamp_write(uint8_t *out, enum hand_type type, uint64_t stamp_ms)
{
    if (!has_stamp((uint8_t)type))
        return hand_frame_seal(out, type, 0, 0);
    put_u64(out + HAND_HEAD_BYTES, stamp_ms);
    return hand_frame_seal(out, type, 0, STAMP_BYTES);
}

bool hand_stamp_read(const struct hand_frame *frame, uint64_t *stamp_ms)
{
    *stamp_ms = 0;
    if (frame->type == HAND_TERM || frame->type == HAND_KILL)
        return frame->len == 0;
    if (!has_stamp(frame->type) || frame->len != STAMP_BYTES)
        return false;
    *stamp_ms = get_u64(frame->bytes);
    return true;
}

size_t hand_request_write(uint8_t *out, const struct hand_request *request)
{
    uint8_t *payload = out + HAND_HEAD_BYTES;
    put_u32(payload, HAND_PROTOCOL);
    put_u32(payload + 4, request->lease_ms);
    put_u32(payload + 8, request->grace_ms);
    put_u32(payload + 12, request->arguments);
    put_u32(payload + 16, request->entries);
    put_u32(payload + 20, 0);
    put_u64(payload + 24, request->stdin_bytes);
    return hand_frame_seal(out, HAND_REQUEST, 0, REQUEST_BYTES);
}

bool hand_request_read(const struct hand_frame *frame, struct hand_request *out)
{
    if (frame->type != HAND_REQUEST || frame->len != REQUEST_BYTES ||
        get_u32(frame->bytes) != HAND_PROTOCOL || get_u32(frame->bytes + 20) != 0)
        return false;
    *out = (struct hand_request){
        .lease_ms = get_u32(frame->bytes + 4),
        .grace_ms = get_u32(frame->bytes + 8),
        .arguments = get_u32(frame->bytes + 12),
        .entries = get_u32(frame->bytes + 16),
        .stdin_bytes = get_u64(frame->bytes + 24),
    };
    return out->lease_ms >= HAND_LEASE_MS_MIN && out->lease_ms <= HAND_LEASE_MS_MAX &&
           out->grace_ms <= HAND_GRACE_MS_MAX && out->arguments >= 1 &&
           out->arguments <= HAND_WORDS_MAX && out->entries <= HAND_WORDS_MAX - out->arguments &&
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
    uint8_t *payload = out + HAND_HEAD_BYTES;
    put_u32(payload, (uint32_t)finish->state);
    put_u32(payload + 4, 0);
    put_u64(payload + 8, finish->whole);
    put_u64(payload + 16, finish->size);
    return hand_frame_seal(out, HAND_FINISH, 0, FINISH_BYTES);
}

bool hand_finish_read(const struct hand_frame *frame, struct hand_finish *out)
{
    if (frame->type != HAND_FINISH || frame->len != FINISH_BYTES || get_u32(frame->bytes + 4) != 0)
        return false;
    const uint32_t state = get_u32(frame->bytes);
    if (state < HAND_STATE_RUNNING || state > HAND_STATE_DAMAGED)
        return false;
    *out = (struct hand_finish){
        .state = (enum hand_state)state,
        .whole = get_u64(frame->bytes + 8),
        .size = get_u64(frame->bytes + 16),
    };
    return out->whole <= out->size;
}

size_t hand_begin_write(uint8_t *out, const struct hand_begin *begin)
{
    uint8_t *payload = out + HAND_HEAD_BYTES;
    put_u32(payload, begin->protocol);
    put_u32(payload + 4, begin->lease_ms);
    put_u32(payload + 8, begin->grace_ms);
    put_u32(payload + 12, 0);
    put_u64(payload + 16, begin->at_ms);
    memset(payload + 24, 0, HAND_BOOT_MAX);
    (void)put_text(payload + 24, begin->boot, HAND_BOOT_MAX);
    const size_t len = put_text(payload + BEGIN_BYTES, begin->node, HAND_NODE_MAX);
    return hand_frame_seal(out, HAND_BEGIN, 0, BEGIN_BYTES + len);
}

bool hand_begin_read(const struct hand_frame *frame, struct hand_begin *out)
{
    if (frame->type != HAND_BEGIN || frame->len < BEGIN_BYTES ||
        get_u32(frame->bytes) != HAND_PROTOCOL || get_u32(frame->bytes + 12) != 0)
        return false;
    *out = (struct hand_begin){
        .protocol = get_u32(frame->bytes),
        .lease_ms = get_u32(frame->bytes + 4),
        .grace_ms = get_u32(frame->bytes + 8),
        .at_ms = get_u64(frame->bytes + 16),
    };
    const uint8_t *boot = frame->bytes + 24;
    return out->lease_ms >= HAND_LEASE_MS_MIN && out->lease_ms <= HAND_LEASE_MS_MAX &&
           out->grace_ms <= HAND_GRACE_MS_MAX &&
           get_text(boot, boot[0] == 0 ? 0 : HAND_BOOT_MAX, out->boot, HAND_BOOT_MAX) &&
           get_text(frame->bytes + BEGIN_BYTES, frame->len - BEGIN_BYTES, out->node, HAND_NODE_MAX);
}

size_t hand_started_write(uint8_t *out, const struct hand_started *started)
{
    uint8_t *payload = out + HAND_HEAD_BYTES;
    put_u32(payload, started->keeper);
    put_u32(payload + 4, started->command);
    put_u64(payload + 8, started->at_ms);
    return hand_frame_seal(out, HAND_STARTED, 0, STARTED_BYTES);
}

bool hand_started_read(const struct hand_frame *frame, struct hand_started *out)
{
    if (frame->type != HAND_STARTED || frame->len != STARTED_BYTES)
        return false;
    *out = (struct hand_started){
        .keeper = get_u32(frame->bytes),
        .command = get_u32(frame->bytes + 4),
        .at_ms = get_u64(frame->bytes + 8),
    };
    return out->keeper != 0 && out->command != 0;
}

size_t hand_end_write(uint8_t *out, const struct hand_end *end)
{
    uint8_t *payload = out + HAND_HEAD_BYTES;
    payload[0] = (uint8_t)end->ended;
    payload[1] = (uint8_t)end->why;
    payload[2] = (uint8_t)end->step;
    payload[3] = end->proven;
    put_u32(payload + 4, end->code);
    put_u32(payload + 8, end->left);
    put_u32(payload + 12, end->remaining);
    put_u32(payload + 16, end->spool_errno);
    put_u32(payload + 20, end->kills);
    put_u64(payload + 24, end->at_ms);
    put_u64(payload + 32, end->ran_ms);
    put_u64(payload + 40, end->user_us);
    put_u64(payload + 48, end->system_us);
    put_u64(payload + 56, end->max_rss_kib);
    put_u64(payload + 64, end->output_bytes);
    put_u64(payload + 72, end->dropped_bytes);
    return hand_frame_seal(out, HAND_END, 0, END_BYTES);
}

/* Returns whether the values of an end fit together. */
static bool is_sound_end(const struct hand_end *end)
{
    static const uint32_t code_max[] = {
        [HAND_EXITED] = EXIT_MAX, [HAND_SIGNALED] = SIGNAL_MAX, [HAND_NOT_STARTED] = ERRNO_MAX};
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
    const uint8_t *payload = frame->bytes;
    if (payload[0] < HAND_EXITED || payload[0] > HAND_NOT_STARTED || payload[1] >= HAND_WHY_COUNT ||
        payload[2] >= HAND_STEP_COUNT || payload[3] > 1)
        return false;
    *out = (struct hand_end){
        .ended = (enum hand_ended)payload[0],
        .why = (enum hand_why)payload[1],
        .step = (enum hand_step)payload[2],
        .proven = payload[3] == 1,
        .code = get_u32(payload + 4),
        .left = get_u32(payload + 8),
        .remaining = get_u32(payload + 12),
        .spool_errno = get_u32(payload + 16),
        .kills = get_u32(payload + 20),
        .at_ms = get_u64(payload + 24),
        .ran_ms = get_u64(payload + 32),
        .user_us = get_u64(payload + 40),
        .system_us = get_u64(payload + 48),
        .max_rss_kib = get_u64(payload + 56),
        .output_bytes = get_u64(payload + 64),
        .dropped_bytes = get_u64(payload + 72),
    };
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
