/* attach.c - the channel to devs: receives a request, sends a spool, and forwards orders.
 *
 * The spool is read from its file, so a slow reader, or none, does not affect the attempt or
 * another attach. Nothing here waits for stdout alone: an order must arrive even while nobody
 * reads. */
#define _GNU_SOURCE /* memfd_create, O_PATH */

#include "hand_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#include "version.h"

enum {
    TICK_MS_MIN = 20,
    TICK_MS_MAX = 10 * 1000,
    TICK_MS_FIRST = 1000,    /* while the lease is not known yet */
    TICKS_PER_LEASE = 5,     /* several may be late or lost */
    LOOK_MS = 50,            /* between looks at the spool if nothing reports changes */
    GONE_LOOK_MS = 5,        /* between looks at a keeper that is about to exit */
    LAST_SEND_MS = 5 * 1000, /* how long the other side may take to read a refusal */
};

/* --- sending and receiving --- */

void channel_open(struct channel *channel)
{
    struct hand_hello hello = {.protocol = HAND_PROTOCOL, .stamp_ms = boot_ms()};
    (void)snprintf(hello.build, sizeof(hello.build), "%s", version_text());
    *channel = (struct channel){.tick_ms = TICK_MS_FIRST};
    channel->stdout_flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (channel->stdout_flags >= 0)
        (void)fcntl(STDOUT_FILENO, F_SETFL, channel->stdout_flags | O_NONBLOCK);
    channel->out_len = hand_hello_write(channel->out, &hello);
    channel->tick_at_ms = hello.stamp_ms + (uint64_t)channel->tick_ms;
}

/* Writes as much as is possible without waiting. Returns false if the other side is gone. */
static bool flush_channel(struct channel *channel)
{
    while (channel->out_at < channel->out_len) {
        const ssize_t wrote = write(STDOUT_FILENO, channel->out + channel->out_at,
                                    channel->out_len - channel->out_at);
        if (wrote < 0 && errno == EAGAIN)
            return true;
        if (wrote < 0 && errno != EINTR)
            return false;
        channel->out_at += wrote > 0 ? (size_t)wrote : 0;
    }
    channel->out_at = channel->out_len = 0;
    return true;
}

static int until_ms(uint64_t due_ms)
{
    const uint64_t now_ms = boot_ms();
    return due_ms > now_ms ? (int)(due_ms - now_ms) : 0;
}

void channel_close(struct channel *channel)
{
    const uint64_t due_ms = boot_ms() + LAST_SEND_MS;
    while (flush_channel(channel) && channel->out_len > 0 && until_ms(due_ms) > 0) {
        struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
        (void)poll(&out, 1, until_ms(due_ms));
    }
    if (channel->stdout_flags >= 0)
        (void)fcntl(STDOUT_FILENO, F_SETFL, channel->stdout_flags);
}

int channel_refuse(struct channel *channel, enum hand_exit code, int number, const char *text)
{
    struct hand_refused refused = {.code = code, .number = number};
    (void)snprintf(refused.text, sizeof(refused.text), "%s%s%s", text, number ? ": " : "",
                   number ? strerror(number) : "");
    (void)complain((int)code, 0, refused.text, NULL);
    if (channel->out_len + HAND_SMALL_FRAME_MAX <= sizeof(channel->out))
        channel->out_len += hand_refused_write(channel->out + channel->out_len, &refused);
    return (int)code;
}

/* Appends a tick if one is due. `out` must have space for a small frame. */
static void send_tick(struct channel *channel)
{
    const uint64_t now_ms = boot_ms();
    if (now_ms < channel->tick_at_ms)
        return;
    channel->out_len += hand_stamp_write(channel->out + channel->out_len, HAND_TICK, now_ms);
    channel->tick_at_ms = now_ms + (uint64_t)channel->tick_ms;
}

/* Reads from stdin once. Sets in_ended at its end, or if it fails. */
static void receive(struct channel *channel)
{
    memmove(channel->in, channel->in + channel->in_at, channel->in_len - channel->in_at);
    channel->in_len -= channel->in_at;
    channel->in_at = 0;
    const ssize_t got =
        read(STDIN_FILENO, channel->in + channel->in_len, sizeof(channel->in) - channel->in_len);
    if (got > 0) {
        channel->in_len += (size_t)got;
        if (channel->in_most < channel->in_len)
            channel->in_most = channel->in_len;
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN))
        channel->in_ended = true;
}

/* Wipes what was used: a request may have secrets, and a copy of this memory belongs to the keeper,
 * which may live for days. */
static void wipe_received(struct channel *channel)
{
    explicit_bzero(channel->in, channel->in_at);
    explicit_bzero(channel->in + channel->in_len, channel->in_most - channel->in_len);
}

/* Takes the next frame that was received. Its bytes are valid until receive(). */
static enum hand_read take_frame(struct channel *channel, struct hand_frame *frame)
{
    const enum hand_read read =
        hand_frame_read(channel->in + channel->in_at, channel->in_len - channel->in_at, frame);
    if (read == HAND_WHOLE)
        channel->in_at += frame->size;
    return read;
}

/* --- receiving a request --- */

/* Waits for the next frame of the request. Returns HAND_MORE if the other side is gone. */
static enum hand_read wait_for_frame(struct channel *channel, struct hand_frame *frame)
{
    for (;;) {
        const enum hand_read read = take_frame(channel, frame);
        if (read != HAND_MORE || channel->in_ended)
            return read;
        if (channel->out_len == 0)
            send_tick(channel);
        if (!flush_channel(channel))
            return HAND_MORE;
        const bool pending = channel->out_len > 0;
        struct pollfd fds[] = {
            {.fd = STDIN_FILENO, .events = POLLIN},
            {.fd = STDOUT_FILENO, .events = pending ? POLLOUT : 0},
        };
        (void)poll(fds, 2, pending ? -1 : until_ms(channel->tick_at_ms));
        if (fds[1].revents & (POLLERR | POLLHUP | POLLNVAL))
            return HAND_MORE;
        if (fds[0].revents)
            receive(channel);
    }
}

/* Writes bytes of stdin to the memory file. Returns false with errno on failure. */
static bool keep_input(int fd, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        const ssize_t wrote = write(fd, bytes, len);
        if (wrote < 0 && errno != EINTR)
            return false;
        bytes += wrote > 0 ? wrote : 0;
        len -= wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* Keeps the contents of a frame of the request. Returns false with errno on failure. */
static bool keep_frame(struct order *order, const struct hand_frame *frame)
{
    switch (frame->type) {
    case HAND_ARGUMENT:
    case HAND_ENTRY:
    case HAND_DIRECTORY:
        memcpy(order->words + order->words_bytes, frame->bytes, frame->len);
        order->words[order->words_bytes + frame->len] = '\0';
        order->words_bytes += frame->len + 1;
        return true;
    case HAND_STDIN:
        return keep_input(order->input, frame->bytes, frame->len);
    default:
        return true;
    }
}

/* Seals the memory file: nobody can change what a program that maps its stdin sees. */
static bool finish_input(int fd)
{
    const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    return lseek(fd, 0, SEEK_SET) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0;
}

int channel_request(struct channel *channel, struct order *order)
{
    *order = (struct order){.words = malloc(HAND_WORDS_BYTES_MAX), /* uses memory when written to */
                            .input = memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (!order->words || order->input < 0)
        return channel_refuse(channel, HAND_EXIT_REQUEST, errno, "no memory for the request");
    while (!order->check.has_go) {
        struct hand_frame frame;
        const enum hand_read read = wait_for_frame(channel, &frame);
        if (read == HAND_MORE)
            return channel_refuse(channel, HAND_EXIT_REQUEST, 0, "the request is incomplete");
        if (read == HAND_WHOLE && frame.type == HAND_HEARTBEAT)
            continue; /* the answer to a tick that was sent before the request arrived */
        if (read == HAND_BAD || !hand_request_take(&order->check, &frame))
            return channel_refuse(channel, HAND_EXIT_REQUEST, 0, "the request is invalid");
        if (!keep_frame(order, &frame))
            return channel_refuse(channel, HAND_EXIT_REQUEST, errno, "cannot keep stdin");
    }
    if (!finish_input(order->input))
        return channel_refuse(channel, HAND_EXIT_REQUEST, errno, "cannot keep stdin");
    wipe_received(channel);
    const uint64_t now_ms = boot_ms();
    if (order->check.stamp_ms > now_ms)
        return channel_refuse(channel, HAND_EXIT_REQUEST, 0, "the request has an invalid stamp");
    if (now_ms - order->check.stamp_ms >= order->check.request.lease_ms)
        return channel_refuse(channel, HAND_EXIT_REQUEST, 0, "the request came after its lease");
    return HAND_EXIT_OK;
}

void order_done(struct order *order)
{
    if (order->words)
        explicit_bzero(order->words, order->words_bytes);
    free(order->words);
    if (order->input >= 0)
        (void)close(order->input);
    *order = (struct order){.input = -1};
}

/* --- attaching --- */

struct following {
    struct spool_reader reader;
    uint64_t from;             /* next byte of the spool to send */
    int control;               /* the control pipe; -1 = the keeper is gone */
    int watch;                 /* becomes readable when the spool changes; -1 = not available */
    bool owes_term, owes_kill; /* orders that did not fit into the pipe */
    bool has_kept;             /* `kept` was read and did not fit */
    struct hand_frame kept;
    enum hand_read read; /* result of the last read */
};

static struct following the_following; /* too large for a stack */

/* Writes to the control pipe. Returns false if it is full. */
static bool send_to_keeper(struct following *following, const uint8_t *frame, size_t size)
{
    if (following->control < 0)
        return true;
    ssize_t wrote;
    do
        wrote = write(following->control, frame, size);
    while (wrote < 0 && errno == EINTR);
    if (wrote < 0 && errno == EPIPE) {
        (void)close(following->control);
        following->control = -1;
    }
    return wrote >= 0 || errno != EAGAIN;
}

static void send_owed_orders(struct following *following)
{
    uint8_t frame[HAND_SMALL_FRAME_MAX];
    if (following->owes_term)
        following->owes_term =
            !send_to_keeper(following, frame, hand_stamp_write(frame, HAND_TERM, 0));
    if (following->owes_kill)
        following->owes_kill =
            !send_to_keeper(following, frame, hand_stamp_write(frame, HAND_KILL, 0));
}

/* Forwards what was received. Returns false if it is not in the protocol. */
static bool forward_orders(struct channel *channel, struct following *following)
{
    for (;;) {
        struct hand_frame frame;
        uint64_t stamp_ms;
        const enum hand_read read = take_frame(channel, &frame);
        if (read == HAND_MORE)
            return true;
        if (read == HAND_BAD || !hand_stamp_read(&frame, &stamp_ms))
            return false;
        if (frame.type == HAND_TERM)
            following->owes_term = true;
        else if (frame.type == HAND_KILL)
            following->owes_kill = true;
        else if (frame.type != HAND_HEARTBEAT)
            return false;
        else /* if the pipe is full, the keeper has not read earlier ones either */
            (void)send_to_keeper(following, frame.bytes - HAND_HEAD_BYTES, frame.size);
    }
}

/* Appends one HAND_SPOOL frame with the bytes of as many frames as fit and are whole. */
static void send_piece(struct channel *channel, struct following *following)
{
    uint8_t *const frame = channel->out + channel->out_len;
    uint8_t *const bytes = frame + HAND_HEAD_BYTES + HAND_PIECE_HEAD_BYTES;
    const uint64_t offset = following->from;
    size_t len = 0;
    for (;;) {
        if (!following->has_kept) {
            following->read = spool_next(&following->reader, &following->kept);
            if (following->read != HAND_WHOLE)
                break;
            following->has_kept = true;
        }
        const uint64_t end = following->reader.spool.whole; /* of the frame kept */
        if (end > following->from) {
            const uint64_t begin = end - following->kept.size;
            const size_t skip = following->from > begin ? (size_t)(following->from - begin) : 0;
            const size_t more = following->kept.size - skip;
            if (len + more > HAND_PIECE_MAX)
                break;
            memcpy(bytes + len, following->kept.bytes - HAND_HEAD_BYTES + skip, more);
            len += more;
            following->from = end;
        }
        following->has_kept = false;
    }
    if (len == 0)
        return;
    channel->out_len += hand_piece_seal(frame, offset, len);
}

/* Appends the last frame. Returns the exit code. */
static int send_finish(struct channel *channel, struct following *following, enum hand_state state)
{
    static const int codes[] = {
        [HAND_STATE_RUNNING] = HAND_EXIT_OK,
        [HAND_STATE_ENDED] = HAND_EXIT_OK,
        [HAND_STATE_LOST] = HAND_EXIT_LOST,
        [HAND_STATE_DAMAGED] = HAND_EXIT_DAMAGED,
    };
    const off_t size = lseek(following->reader.fd, 0, SEEK_END);
    struct hand_finish finish = {
        .state = state,
        .whole = following->reader.spool.whole,
        .size = size > 0 ? (uint64_t)size : 0,
    };
    if (finish.size < finish.whole)
        finish.size = finish.whole;
    channel->out_len += hand_finish_write(channel->out + channel->out_len, &finish);
    return codes[state];
}

/* Fills the empty `out`. Returns the exit code if that was the last frame, otherwise -1. */
static int fill_channel(struct channel *channel, struct following *following)
{
    const struct hand_spool *spool = &following->reader.spool;
    const bool alive = keeper_is_alive(following->reader.fd); /* before reading */
    const bool in_ended = channel->in_ended;
    send_tick(channel);
    send_piece(channel, following);
    if (following->has_kept)
        return -1;
    if (following->read == HAND_BAD)
        return send_finish(channel, following, HAND_STATE_DAMAGED);
    if (spool->stage == HAND_STAGE_ENDED)
        return send_finish(channel, following, HAND_STATE_ENDED);
    if (!alive)
        return send_finish(channel, following, HAND_STATE_LOST);
    if (in_ended && !following->owes_term && !following->owes_kill)
        return send_finish(channel, following, HAND_STATE_RUNNING);
    return -1;
}

/* Waits until there may be something to do. Returns false if stdout is gone. */
static bool wait_for_channel(struct channel *channel, struct following *following)
{
    const bool pending = channel->out_len > 0;
    struct pollfd fds[] = {
        {.fd = channel->in_ended ? -1 : STDIN_FILENO, .events = POLLIN},
        {.fd = STDOUT_FILENO, .events = pending ? POLLOUT : 0},
        {.fd = following->control, .events = 0}, /* reports an error if nobody reads it */
        {.fd = pending ? -1 : following->watch, .events = POLLIN},
    };
    int wait_ms = pending ? -1 : until_ms(channel->tick_at_ms);
    const bool must_look =
        following->owes_term || following->owes_kill || (!pending && following->watch < 0);
    if (must_look && (wait_ms < 0 || wait_ms > LOOK_MS))
        wait_ms = LOOK_MS;
    if (!pending && following->control < 0)
        wait_ms = GONE_LOOK_MS;
    if (poll(fds, sizeof(fds) / sizeof(fds[0]), wait_ms) <= 0)
        return true;
    if (fds[0].revents)
        receive(channel);
    if (fds[2].revents) {
        (void)close(following->control);
        following->control = -1;
    }
    if (fds[3].revents) {
        char events[4096];
        (void)!read(following->watch, events, sizeof(events));
    }
    return !(fds[1].revents & (POLLERR | POLLHUP | POLLNVAL));
}

/* Watches the spool. Returns -1 if that is not possible, for example because the user has too many
 * watches. */
static int watch_spool(int spool)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", spool);
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch >= 0 && inotify_add_watch(watch, path, IN_MODIFY) >= 0)
        return watch;
    if (watch >= 0)
        (void)close(watch);
    return -1;
}

/* Sets the time between ticks, and refuses an attempt of another machine that has not ended. */
static int begin_attach(struct channel *channel, struct following *following)
{
    following->read = spool_next(&following->reader, &following->kept);
    following->has_kept = following->read == HAND_WHOLE;
    if (!following->has_kept)
        return HAND_EXIT_OK; /* reported as damaged */
    const struct hand_begin *begin = &following->reader.spool.begin;
    int64_t tick_ms = begin->lease_ms / TICKS_PER_LEASE;
    tick_ms = tick_ms < TICK_MS_MIN ? TICK_MS_MIN : tick_ms;
    channel->tick_ms = tick_ms > TICK_MS_MAX ? TICK_MS_MAX : tick_ms;
    channel->tick_at_ms = boot_ms();
    if (!is_elsewhere(begin))
        return HAND_EXIT_OK;
    static struct spool_reader ahead;
    uint64_t size;
    ahead = (struct spool_reader){.fd = following->reader.fd};
    if (spool_look(&ahead, &size) == HAND_STATE_ENDED)
        return HAND_EXIT_OK;
    char text[HAND_TEXT_MAX + 1];
    (void)snprintf(text, sizeof(text), "the attempt runs on '%s'", begin->node);
    return channel_refuse(channel, HAND_EXIT_RUNNING, 0, text);
}

int channel_attach(struct channel *channel, const struct attempt_dir *attempt, uint64_t from)
{
    struct following *following = &the_following;
    following->reader.fd = attempt->spool;
    following->from = from;
    following->control = control_open(attempt->dir);
    if (following->control < 0 && errno != ENXIO && errno != ENOENT)
        return channel_refuse(channel, HAND_EXIT_CHANNEL, errno, "cannot open the control pipe");
    following->watch = watch_spool(attempt->spool);
    const int refused = begin_attach(channel, following);
    if (refused != HAND_EXIT_OK)
        return refused;
    int code = -1;
    for (;;) {
        if (!forward_orders(channel, following))
            return channel_refuse(channel, HAND_EXIT_CHANNEL, 0, "received an invalid frame");
        send_owed_orders(following);
        if (!flush_channel(channel))
            return HAND_EXIT_CHANNEL;
        if (channel->out_len == 0) {
            if (code >= 0)
                return code;
            code = fill_channel(channel, following);
            if (channel->out_len > 0)
                continue;
        }
        if (!wait_for_channel(channel, following))
            return HAND_EXIT_CHANNEL;
    }
}
