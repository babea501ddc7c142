/* remote.c - an execution on another machine: its channels, what devs-hand reports, and its end.
 *
 * First the end, then the frames in both directions, then the channels (a child that runs ssh, with
 * frames on its stdin and stdout), last the requests of the engine. */
#define _GNU_SOURCE /* pipe2 */

#include "remote_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "clock.h"
#include "cluster.h"
#include "foreign_file.h"
#include "hand_protocol.h"
#include "run_state.h"
#include "ssh_channel.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

enum { JOBS_TRIED_MAX = 3 }; /* jobs that are asked for before a start has failed */

enum { SHELL_NOT_FOUND = 127, SHELL_NOT_EXECUTABLE = 126, SIGNAL_BASE = 128 };

enum remote_stage {
    REMOTE_CONNECTS, /* nothing was started: the request has not been sent as a whole */
    REMOTE_ASKED,    /* the request was sent; devs-hand has not reported that it began */
    REMOTE_RUNS,     /* it began */
    REMOTE_IS_OVER,  /* its end was reported; only handles are still closing */
};

struct remote {
    struct nursery *nursery; /* borrowed */
    uv_loop_t *loop;         /* borrowed */
    struct remote_call call; /* see remote.h for what stays valid */
    struct remote_watcher watcher;
    enum remote_stage stage;
    bool was_started;      /* `started` was reported */
    struct str *request;   /* owned; its frames except HAND_GO; NULL once they were sent */
    struct child *channel; /* NULL = there is none */
    struct tool_line line; /* of the channel, until it has started */
    uv_pipe_t *pipe;       /* owned; the stdin of the channel; NULL = there is none */
    int feed;              /* owned; the other end of `pipe` until the channel has started, or -1 */
    struct str in;         /* bytes of the channel that were not read yet */
    struct str errors;     /* the beginning of ssh's stderr */
    size_t noise;          /* bytes before the hello of this channel */
    bool has_hello;        /* of this channel */
    bool is_first_channel; /* of a new execution: it sends the request */
    bool is_request_refused; /* devs-hand has not started it, and never will */
    bool is_refused;         /* devs-hand refused what this channel asked for: see `refused` */
    struct hand_refused refused;
    struct hand_spool spool;
    bool is_lost;     /* devs-hand reported that its keeper is gone and has recorded no end */
    bool is_damaged;  /* its spool cannot be read any further: it is left to its lease */
    bool is_noise;    /* what this channel runs is not devs-hand */
    bool is_last_try; /* the present channel was begun after the fence */
    bool is_given_up; /* a person has killed it, and its end is not waited for any more */
    bool is_away;     /* contact was lost, and that was reported */
    int64_t heard_ms; /* when the machine was last heard; 0 = not yet */
    int64_t fence_ms; /* not before that time is it lost; 0 = not known */
    int64_t retry_ms; /* delay before the next channel */
    int64_t began_ms; /* when the present channel was begun */
    bool has_order;   /* the execution is to end, in this mode */
    enum cancel_mode order;
    bool timed_out;
    int64_t started_ms; /* when the command was reported as started; 0 = not yet */
    int64_t timeout_due_ms;
    struct err start_err;
    int jobs_tried;       /* jobs that did not take the request */
    bool waits_for_job;   /* its state is not known yet, so there has been no channel */
    bool waits_for_cause; /* of `end` */
    struct outcome end;   /* to be reported when its cause is known */
    uv_timer_t timer;     /* of the channel: the next one, or that the present one is silent */
    uv_timer_t timeout;
    int handles; /* open handles of libuv */
};

static int64_t now_mono_ms(void)
{
    return clock_now().mono_ms;
}

static bool has_kill(const struct remote *remote)
{
    return remote->has_order && remote->order == CANCEL_KILL;
}

static void set_timer(struct remote *remote, uv_timer_cb rings, int64_t wait_ms)
{
    uv_update_time(remote->loop);
    (void)uv_timer_start(&remote->timer, rings, wait_ms > 0 ? (uint64_t)wait_ms : 0, 0);
}

/* The end of an execution. */

static void handle_closed(uv_handle_t *handle)
{
    struct remote *remote = handle->data;
    if (--remote->handles > 0)
        return;
    str_done(&remote->in);
    str_done(&remote->errors);
    free(remote);
}

static void pipe_closed(uv_handle_t *handle)
{
    free(handle);
}

static void close_pipe(struct remote *remote)
{
    if (remote->pipe)
        uv_close((uv_handle_t *)remote->pipe, pipe_closed);
    remote->pipe = NULL;
    if (remote->feed >= 0)
        (void)close(remote->feed);
    remote->feed = -1;
}

static void drop_request(struct remote *remote)
{
    if (!remote->request)
        return;
    str_done(remote->request);
    free(remote->request);
    remote->request = NULL;
}

/* Closes the handles. The remote is freed when they are closed and its channel has ended. */
static void let_go(struct remote *remote)
{
    if (remote->call.place.job && remote->stage != REMOTE_IS_OVER)
        cluster_job_watch(remote->call.place.job, NULL, NULL);
    remote->stage = REMOTE_IS_OVER;
    drop_request(remote);
    close_pipe(remote);
    (void)uv_timer_stop(&remote->timer);
    (void)uv_timer_stop(&remote->timeout);
    if (remote->channel) {
        child_cancel(remote->channel, CANCEL_KILL);
        return; /* channel_ended() continues */
    }
    uv_close((uv_handle_t *)&remote->timer, handle_closed);
    uv_close((uv_handle_t *)&remote->timeout, handle_closed);
}

static void report_end(struct remote *remote, const struct outcome *outcome)
{
    const struct remote_watcher watcher = remote->watcher;
    struct child_end end = {.outcome = *outcome};
    if (outcome->cause == CAUSE_CANCELLED)
        (void)snprintf(end.canceller, sizeof(end.canceller), "%s",
                       cluster_job_canceller(remote->call.place.job));
    if (!remote->was_started)
        watcher.on.started(watcher.on.ctx);
    remote->was_started = true;
    let_go(remote);
    watcher.on.ended(watcher.on.ctx, &end);
}

/* `before` is empty, or ends with ": ". */
static void report_failure(struct remote *remote, int code, const char *before, const char *what)
{
    const struct remote_watcher watcher = remote->watcher;
    struct err err = {0};
    struct str clean = {0};
    text_clean(&clean, what, strlen(what)); /* the other machine may have sent it */
    (void)err_set(&err, ERR_IO, "%s: %s%s", remote->call.place.host, before, str_text(&clean));
    str_done(&clean);
    let_go(remote);
    watcher.on.failed(watcher.on.ctx, code, &err);
}

/* Returns how an execution ends that was to be ended; `otherwise` if it was not. */
static enum outcome_kind kind_of_order(const struct remote *remote, enum outcome_kind otherwise)
{
    if (!remote->has_order)
        return otherwise;
    return remote->timed_out ? OUTCOME_TIMEOUT : OUTCOME_CANCELLED;
}

/* Reports an end that waits for its cause, as far as the cause is known. */
static void report_caused(struct remote *remote)
{
    struct outcome *end = &remote->end;
    end->cause = cluster_job_cause(remote->call.place.job);
    if (end->cause == CAUSE_TIME_LIMIT) {
        end->kind = OUTCOME_TIMEOUT;
    } else if (end->cause == CAUSE_MEMORY) {
        end->kind = OUTCOME_SIGNAL;
        end->code = SIGKILL;
    }
    report_end(remote, end);
}

static void cause_is_late(uv_timer_t *timer)
{
    report_caused(timer->data);
}

/* Reports an end that the machine may have caused: of a job, once its cause is known. */
static void report_foreign_end(struct remote *remote, const struct outcome *outcome)
{
    if (!remote->call.place.job || outcome->kind != OUTCOME_LOST) {
        report_end(remote, outcome);
        return;
    }
    remote->end = *outcome;
    remote->waits_for_cause = true;
    (void)uv_timer_stop(&remote->timeout);
    set_timer(remote, cause_is_late, CLUSTER_CAUSE_MS);
    cluster_job_ask(remote->call.place.job);
}

static void report_lost(struct remote *remote, enum outcome_proof proof)
{
    struct outcome outcome = {.kind = kind_of_order(remote, OUTCOME_LOST), .proof = proof};
    if (remote->started_ms > 0)
        outcome.ran_ms = now_mono_ms() - remote->started_ms;
    report_foreign_end(remote, &outcome);
}

/* Returns a number of the other machine as far as an event can have it. */
static int64_t cut_number(uint64_t number)
{
    return number < (uint64_t)FOLD_DELAY_MAX_MS ? (int64_t)number : FOLD_DELAY_MAX_MS;
}

/* Returns whether the end says how the work ended: all of its output is there, and if it exited
 * with 0, no process of it is left. */
static bool is_whole_end(const struct hand_end *end)
{
    return end->spool_errno == 0 && (end->proven || end->ended != HAND_EXITED || end->code != 0);
}

/* Reports the end that devs-hand has recorded. */
static void report_hand_end(struct remote *remote)
{
    enum { US_PER_MS = 1000 };
    const struct hand_end *end = &remote->spool.end;
    struct outcome outcome = {
        .kind = OUTCOME_LOST,
        .processes_left = end->remaining < INT_MAX ? (int)end->remaining : INT_MAX,
        .ran_ms = cut_number(end->ran_ms),
        .rss_kib_max = cut_number(end->max_rss_kib),
        .cpu_ms = cut_number(end->user_us / US_PER_MS + end->system_us / US_PER_MS),
        .proof = end->proven ? PROOF_REAPED : PROOF_NONE,
    };
    const int code = (int)end->code;
    if (end->ended == HAND_NOT_STARTED) {
        const bool is_folder = end->step == HAND_STEP_DIRECTORY;
        report_failure(
            remote, is_folder ? START_NO_FOLDER : code,
            is_folder ? "cannot enter its folder: " : "cannot start the program: ", strerror(code));
        return;
    }
    switch (end->why) {
    case HAND_WHY_OWN:
        if (!is_whole_end(end))
            break;
        outcome.kind = end->ended == HAND_SIGNALED ? OUTCOME_SIGNAL : OUTCOME_EXIT;
        outcome.code = code;
        break;
    case HAND_WHY_MEMORY:
        outcome.kind = end->ended == HAND_SIGNALED ? OUTCOME_SIGNAL : OUTCOME_EXIT;
        outcome.code = code;
        outcome.cause = CAUSE_MEMORY;
        break;
    case HAND_WHY_TERM:
    case HAND_WHY_KILL:
        outcome.kind = remote->timed_out ? OUTCOME_TIMEOUT : OUTCOME_CANCELLED;
        outcome.code = end->ended == HAND_SIGNALED ? SIGNAL_BASE + code : code;
        break;
    case HAND_WHY_LEASE:
    case HAND_WHY_SPOOL:
    case HAND_WHY_FOREIGN:
    case HAND_WHY_COUNT:
        /* The machine ended it, or its output is incomplete: says nothing about the work. */
        outcome.kind = kind_of_order(remote, OUTCOME_LOST);
        break;
    }
    report_foreign_end(remote, &outcome);
}

/* Frames to devs-hand. */

struct outgoing {
    uv_write_t write; /* first */
    struct str bytes; /* owned */
};

static void was_written(uv_write_t *write, int status)
{
    struct outgoing *outgoing = (struct outgoing *)write;
    (void)status; /* a broken channel ends, which is noticed then */
    str_done(&outgoing->bytes);
    free(outgoing);
}

/* Takes over the bytes. */
static void send_bytes(struct remote *remote, struct str *bytes)
{
    struct outgoing *outgoing = xcalloc(1, sizeof(*outgoing));
    outgoing->bytes = *bytes;
    *bytes = (struct str){0};
    uv_buf_t buffer = uv_buf_init(outgoing->bytes.data, (unsigned)outgoing->bytes.len);
    if (!remote->pipe ||
        uv_write(&outgoing->write, (uv_stream_t *)remote->pipe, &buffer, 1, was_written) != 0) {
        str_done(&outgoing->bytes);
        free(outgoing);
    }
}

static void add_stamp(struct str *out, enum hand_type type, uint64_t stamp_ms)
{
    uint8_t frame[HAND_SMALL_FRAME_MAX];
    const size_t size = hand_stamp_write(frame, type, stamp_ms);
    str_add_n(out, (const char *)frame, size);
}

static void end_remote(struct remote *remote, enum cancel_mode mode);

/* A machine that is in contact has not ended the attempt, although its grace period is over.
 * Without contact, the fence ends it, or send_order() is called again. */
static void term_is_late(uv_timer_t *timer)
{
    struct remote *remote = timer->data;
    if (!remote->is_away)
        end_remote(remote, CANCEL_KILL);
}

static void send_order(struct remote *remote)
{
    struct str bytes = {0};
    if (!has_kill(remote)) {
        uv_update_time(remote->loop);
        (void)uv_timer_start(&remote->timeout, term_is_late,
                             (uint64_t)remote->call.grace_ms + REMOTE_KILLED_MS, 0);
    }
    add_stamp(&bytes, remote->order == CANCEL_KILL ? HAND_KILL : HAND_TERM, 0);
    send_bytes(remote, &bytes);
}

/* Returns when an execution that was in contact just now has ended itself at the latest. */
static int64_t fence_from_now(const struct remote *remote)
{
    return now_mono_ms() + remote->call.place.executor->lease_ms + remote->call.grace_ms +
           REMOTE_KILL_MS;
}

/* Sends a stamp back as soon as it was received. The lease begins at the stamp, so it cannot end
 * later than if it began now. */
static void send_stamp(struct remote *remote, enum hand_type type, uint64_t stamp_ms)
{
    enum { QUEUE_MAX = 64 * 1024 };
    struct str bytes = {0};
    /* The other side does not read. More of the same would only fill our memory. */
    if (type == HAND_HEARTBEAT && remote->pipe &&
        uv_stream_get_write_queue_size((uv_stream_t *)remote->pipe) > QUEUE_MAX)
        return;
    add_stamp(&bytes, type, stamp_ms);
    send_bytes(remote, &bytes);
    remote->fence_ms = fence_from_now(remote);
}

static void add_frame(struct str *out, enum hand_type type, const char *bytes, size_t len)
{
    const size_t at = out->len;
    str_add_n(out, (const char[HAND_HEAD_BYTES]){0}, HAND_HEAD_BYTES);
    str_add_n(out, bytes, len);
    (void)hand_frame_seal((uint8_t *)out->data + at, type, 0, len);
}

/* Reads the file for stdin. Returns false and sets an error if that fails. */
static bool read_input(const char *path, struct str *out, struct err *err)
{
    struct stat info;
    const int look = foreign_file_look(path, 0, &info);
    if (look < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    const int fd = S_ISREG(info.st_mode) ? foreign_file_open(look) : -1;
    bool ok = fd >= 0 && info.st_size <= REMOTE_INPUT_MAX;
    (void)close(look);
    while (ok) {
        char bytes[64 * 1024];
        const ssize_t got = read(fd, bytes, sizeof(bytes));
        if (got == 0)
            break;
        ok = got > 0 && out->len + (size_t)got <= REMOTE_INPUT_MAX;
        if (ok)
            str_add_n(out, bytes, (size_t)got);
    }
    if (fd >= 0)
        (void)close(fd);
    return ok || err_set(err, ERR_LIMIT, "'%s' is not a file of at most %d MiB", path,
                         REMOTE_INPUT_MAX / (1024 * 1024));
}

/* Makes the frames of the request, except HAND_GO. Returns false if the call is too large. */
static bool make_request(struct remote *remote, struct err *err)
{
    const struct remote_call *call = &remote->call;
    const size_t arguments = text_list_count(call->argv);
    const size_t entries = text_list_count(call->environment);
    struct str input = {0};
    struct str *out = xcalloc(1, sizeof(*out));
    remote->request = out;
    if (call->stdin_path && !read_input(call->stdin_path, &input, err)) {
        str_done(&input);
        return false;
    }
    if (call->input)
        str_add_n(&input, call->input->bytes, call->input->len);

    const struct hand_request request = {.lease_ms = (uint32_t)call->place.executor->lease_ms,
                                         .grace_ms = (uint32_t)call->grace_ms,
                                         .arguments = (uint32_t)arguments,
                                         .entries = (uint32_t)entries,
                                         .flags = HAND_INHERIT,
                                         .stdin_bytes = input.len};
    uint8_t frame[HAND_SMALL_FRAME_MAX];
    str_add_n(out, (const char *)frame, hand_request_write(frame, &request));
    size_t words = 0;
    size_t longest = 0;
    for (size_t i = 0; i < arguments + entries; i++) {
        const char *word = i < arguments ? call->argv[i] : call->environment[i - arguments];
        const size_t len = strlen(word);
        longest = len > longest ? len : longest;
        words += len + 1;
        if (longest > HAND_WORD_MAX || words > HAND_WORDS_BYTES_MAX)
            break;
        add_frame(out, i < arguments ? HAND_ARGUMENT : HAND_ENTRY, word, len);
    }
    const bool fits = arguments + entries <= HAND_WORDS_MAX && longest <= HAND_WORD_MAX &&
                      words <= HAND_WORDS_BYTES_MAX && strlen(call->cwd) <= HAND_DIRECTORY_MAX;
    if (fits)
        add_frame(out, HAND_DIRECTORY, call->cwd, strlen(call->cwd));
    for (size_t at = 0; fits && at < input.len; at += HAND_PAYLOAD_MAX) {
        const size_t left = input.len - at;
        add_frame(out, HAND_STDIN, input.data + at,
                  left < HAND_PAYLOAD_MAX ? left : HAND_PAYLOAD_MAX);
    }
    str_done(&input);
    return fits || err_set(err, ERR_LIMIT, "its command line and environment are too long");
}

/* Frames from devs-hand. Each function returns false if the channel cannot be used any more. */

static void contact_is_back(struct remote *remote)
{
    remote->is_last_try = false;
    if (!remote->is_away)
        return;
    remote->is_away = false;
    struct event fact = event_new(EVENT_CONTACT_FOUND);
    fact.contact_found.from = (int64_t)remote->spool.whole;
    remote->watcher.contact(remote->watcher.on.ctx, &fact);
}

static void time_is_up(uv_timer_t *timer)
{
    remote_time_out(timer->data);
}

static void begin_timeout(struct remote *remote)
{
    if (remote->call.timeout_ms == 0 || has_kill(remote))
        return; /* `timeout` is that of the kill then */
    /* After a break, the command has been running for some time already. That time is not known
     * exactly, because the clocks of two machines differ, so it is not counted. */
    remote->timeout_due_ms = now_mono_ms() + remote->call.timeout_ms;
    uv_update_time(remote->loop);
    (void)uv_timer_start(&remote->timeout, time_is_up, (uint64_t)remote->call.timeout_ms, 0);
}

static void take_spool_frame(struct remote *remote, const struct hand_frame *frame)
{
    if (frame->type == HAND_STARTED) {
        remote->started_ms = now_mono_ms();
        begin_timeout(remote);
        remote->was_started = true;
        remote->watcher.on.started(remote->watcher.on.ctx);
    } else if (frame->type == HAND_OUTPUT) {
        remote->watcher.on.output(remote->watcher.on.ctx, frame->stream - 1,
                                  (const char *)frame->bytes, frame->len);
    }
}

static bool take_spool(struct remote *remote, const struct hand_frame *frame)
{
    struct hand_piece piece;
    if (!hand_piece_read(frame, &piece) || piece.offset != remote->spool.whole)
        return false;
    contact_is_back(remote);
    const uint8_t *bytes = piece.bytes;
    size_t len = piece.len;
    remote->stage = REMOTE_RUNS;
    while (len > 0) {
        struct hand_frame inner;
        if (hand_spool_read(&remote->spool, bytes, len, &inner) != HAND_WHOLE) {
            remote->is_damaged = true;
            return false;
        }
        take_spool_frame(remote, &inner);
        bytes += inner.size;
        len -= inner.size;
    }
    return true;
}

/* Nothing has arrived for too long, although devs-hand sends ticks. */
static void channel_is_silent(uv_timer_t *timer)
{
    struct remote *remote = timer->data;
    const bool sends_request = remote->stage == REMOTE_ASKED && remote->pipe &&
                               uv_stream_get_write_queue_size((uv_stream_t *)remote->pipe) > 0;
    if (sends_request && now_mono_ms() < remote->fence_ms) /* ticks begin after it */
        set_timer(remote, channel_is_silent, REMOTE_SILENT_MS);
    else if (remote->channel)
        child_cancel(remote->channel, CANCEL_KILL);
}

/* Answers the hello: with the request in the first channel. */
static bool take_hello(struct remote *remote, const struct hand_frame *frame)
{
    struct hand_hello hello;
    if (!hand_hello_read(frame, &hello))
        return false;
    remote->has_hello = true;
    set_timer(remote, channel_is_silent, REMOTE_SILENT_MS);
    if (remote->watcher.hello)
        remote->watcher.hello(remote->watcher.on.ctx, hello.build);
    if (hello.protocol != HAND_PROTOCOL) {
        struct str text = {0};
        str_addf(&text,
                 "version %u of the protocol (%s); this devs needs version %d: install its "
                 "devs-hand there",
                 (unsigned)hello.protocol, hello.build, HAND_PROTOCOL);
        remote->is_refused = true;
        remote->refused = (struct hand_refused){.code = HAND_EXIT_REQUEST};
        (void)snprintf(remote->refused.text, sizeof(remote->refused.text), "%s", str_text(&text));
        str_done(&text);
        return false;
    }
    if (remote->request && remote->has_order)
        return false; /* it was cancelled before it began */
    if (remote->request) {
        struct str *request = remote->request;
        remote->request = NULL;
        remote->stage = REMOTE_ASKED;
        send_bytes(remote, request);
        free(request);
        send_stamp(remote, HAND_GO, hello.stamp_ms);
    }
    if (remote->has_order)
        send_order(remote);
    return true;
}

static bool take_finish(struct remote *remote, const struct hand_frame *frame)
{
    struct hand_finish finish;
    if (!hand_finish_read(frame, &finish))
        return false;
    remote->is_lost = finish.state == HAND_STATE_LOST;
    remote->is_damaged = finish.state == HAND_STATE_DAMAGED;
    return true;
}

/* Returns whether an attempt may have been started although devs-hand ended with a refusal. */
static bool may_have_started(enum hand_exit code)
{
    return code == HAND_EXIT_RUNNING || code == HAND_EXIT_CHANNEL || code == HAND_EXIT_LOST ||
           code == HAND_EXIT_DAMAGED;
}

static bool take_frame(struct remote *remote, const struct hand_frame *frame)
{
    uint64_t stamp_ms = 0;
    switch (frame->type) {
    case HAND_TICK:
        if (!hand_stamp_read(frame, &stamp_ms))
            return false;
        contact_is_back(remote);
        send_stamp(remote, HAND_HEARTBEAT, stamp_ms);
        return true;
    case HAND_SPOOL:
        return take_spool(remote, frame);
    case HAND_FINISH:
        return take_finish(remote, frame);
    case HAND_REFUSED:
        remote->is_refused = hand_refused_read(frame, &remote->refused);
        remote->is_request_refused = remote->is_refused && remote->is_first_channel &&
                                     remote->stage != REMOTE_RUNS &&
                                     !may_have_started(remote->refused.code);
        return remote->is_refused;
    default:
        return false;
    }
}

/* Reads the whole frames that the channel has sent so far. */
static bool read_frames(struct remote *remote)
{
    const uint8_t *bytes = (const uint8_t *)remote->in.data;
    size_t at = 0;
    bool ok = true;
    while (ok && remote->stage != REMOTE_IS_OVER) {
        struct hand_frame frame;
        size_t skipped = 0;
        const enum hand_read got =
            remote->has_hello ? hand_frame_read(bytes + at, remote->in.len - at, &frame)
                              : hand_hello_find(bytes + at, remote->in.len - at, &frame, &skipped);
        at += skipped;
        remote->noise += skipped;
        remote->is_noise =
            !remote->has_hello && (got == HAND_BAD || remote->noise > HAND_NOISE_MAX);
        if (got == HAND_MORE && !remote->is_noise)
            break;
        ok = got == HAND_WHOLE && !remote->is_noise &&
             (remote->has_hello ? take_frame(remote, &frame) : take_hello(remote, &frame));
        if (got == HAND_WHOLE)
            at += frame.size;
    }
    if (at > 0 && remote->in.len > 0)
        memmove(remote->in.data, remote->in.data + at, remote->in.len - at);
    str_cut(&remote->in, remote->in.len - at);
    return ok;
}

/* The channel. */

static void open_channel(struct remote *remote);

static void request_failed(uv_timer_t *timer)
{
    struct remote *remote = timer->data;
    report_failure(remote, E2BIG, "", remote->start_err.message);
}

static void channel_started(void *ctx)
{
    struct remote *remote = ctx;
    tool_line_done(&remote->line);
    (void)close(remote->feed);
    remote->feed = -1;
}

static bool is_past_fence(const struct remote *remote)
{
    return remote->fence_ms > 0 && now_mono_ms() >= remote->fence_ms;
}

static void next_channel(uv_timer_t *timer)
{
    struct remote *remote = timer->data;
    const struct cluster_job *job = remote->call.place.job;
    if (job && remote->stage == REMOTE_CONNECTS && !cluster_job_runs(job))
        return; /* job_changed() continues */
    remote->waits_for_job = false;
    if (remote->is_damaged && is_past_fence(remote)) {
        report_lost(remote, PROOF_FENCED);
        return;
    }
    remote->is_last_try = is_past_fence(remote);
    open_channel(remote);
}

/* Contact was lost: attaches again after a while. Once the fence is over, tries a last time,
 * because its end may be recorded there, then reports it as lost. */
static void wait_for_contact(struct remote *remote)
{
    const struct moment now = clock_now();
    if (remote->fence_ms == 0) /* the last stamp was returned by an earlier devs */
        remote->fence_ms = fence_from_now(remote);
    if (is_past_fence(remote) && (remote->is_last_try || remote->is_damaged)) {
        report_lost(remote, PROOF_FENCED);
        return;
    }
    if (!remote->is_away) {
        const int64_t heard_ms = remote->heard_ms > 0 ? remote->heard_ms : now.mono_ms;
        struct event fact = event_new(EVENT_CONTACT_LOST);
        fact.contact_lost.since =
            (struct moment){.at_ms = now.at_ms - (now.mono_ms - heard_ms), .mono_ms = heard_ms};
        fact.contact_lost.fence = (struct moment){
            .at_ms = now.at_ms + (remote->fence_ms - now.mono_ms), .mono_ms = remote->fence_ms};
        remote->is_away = true;
        remote->watcher.contact(remote->watcher.on.ctx, &fact);
    }
    const int64_t left_ms = remote->fence_ms - now.mono_ms;
    const int64_t to_fence_ms = left_ms > 0 ? left_ms : 0;
    const bool tries_again = !remote->is_damaged && remote->retry_ms < to_fence_ms;
    set_timer(remote, next_channel, tries_again ? remote->retry_ms : to_fence_ms);
    remote->retry_ms =
        2 * remote->retry_ms < REMOTE_RETRY_MS_MAX ? 2 * remote->retry_ms : REMOTE_RETRY_MS_MAX;
}

static void job_changed(void *ctx, const struct job_news *news);

/* Nothing was started in the job. Asks for another one, unless that was tried often enough. */
static bool tries_other_job(struct remote *remote)
{
    struct cluster_job *job = remote->call.place.job;
    const bool is_refusal = remote->is_refused && remote->refused.code != HAND_EXIT_HOLD;
    if (!job || is_refusal || remote->has_order || ++remote->jobs_tried >= JOBS_TRIED_MAX)
        return false;
    if (!remote->request) { /* it was sent, and refused */
        struct err err = {0};
        if (!make_request(remote, &err))
            return false;
        remote->stage = REMOTE_CONNECTS;
        remote->is_request_refused = false;
    }
    remote->call.place.job = cluster_job_renew(job); /* job_changed() continues */
    return true;
}

/* Reports why nothing was started. */
static void report_no_start(struct remote *remote, const struct outcome *outcome)
{
    const int code = outcome->kind == OUTCOME_EXIT ? outcome->code : SSH_FAILED;
    const bool is_missing = code == SHELL_NOT_FOUND || code == SHELL_NOT_EXECUTABLE;
    if (!is_missing && tries_other_job(remote))
        return;
    struct str line = {0};
    tool_last_error(&remote->errors, &line);
    const bool has_line = line.len > 0;
    if (remote->is_refused && remote->refused.code == HAND_EXIT_REQUEST)
        report_failure(remote, START_HAND_MISSING, "devs-hand has ", remote->refused.text);
    else if (remote->is_refused)
        report_failure(remote, START_EXECUTOR_REFUSED, "", remote->refused.text);
    else if (remote->has_hello)
        report_failure(remote, START_EXECUTOR_DOWN, "",
                       has_line ? str_text(&line) : "the connection broke");
    else if (remote->is_noise)
        report_failure(remote, START_HAND_MISSING, "", "what was started there is not devs-hand");
    else if (is_missing)
        report_failure(remote, START_HAND_MISSING, "",
                       has_line ? str_text(&line) : "devs-hand is not there");
    else if (code != SSH_FAILED && !remote->call.place.job)
        report_failure(remote, START_HAND_MISSING, "what was started there is not devs-hand: ",
                       has_line ? str_text(&line) : "no message");
    else if (!remote->call.place.job &&
             executor_refuses(&remote->call.place.executor->adapter, str_text(&remote->errors)))
        report_failure(remote, START_EXECUTOR_REFUSED, "", str_text(&line));
    else
        report_failure(remote, START_EXECUTOR_DOWN, "",
                       has_line ? str_text(&line) : "no connection");
    str_done(&line);
}

/* The channel has ended, whatever the reason. */
static void channel_is_over(struct remote *remote, const struct outcome *outcome)
{
    remote->channel = NULL;
    tool_line_done(&remote->line);
    close_pipe(remote);
    (void)uv_timer_stop(&remote->timer);
    /* A link that breaks again and again must not fill the log. */
    if (now_mono_ms() - remote->began_ms >= REMOTE_STABLE_MS)
        remote->retry_ms = REMOTE_RETRY_MS_MIN;
    if (remote->stage == REMOTE_IS_OVER) {
        let_go(remote);
        return;
    }
    if (remote->spool.stage == HAND_STAGE_ENDED)
        report_hand_end(remote);
    else if (remote->stage == REMOTE_CONNECTS || remote->is_request_refused)
        report_no_start(remote, outcome);
    else if (remote->is_lost || remote->is_given_up ||
             (remote->is_refused && remote->refused.code == HAND_EXIT_LOST))
        report_lost(remote, PROOF_NONE); /* a keeper that is gone has not waited for it either */
    else
        wait_for_contact(remote);
}

static void channel_failed(void *ctx, int number, const struct err *err)
{
    struct remote *remote = ctx;
    (void)number;
    str_clear(&remote->errors);
    str_add(&remote->errors, err->message);
    channel_is_over(remote, &(struct outcome){.kind = OUTCOME_EXIT, .code = SSH_FAILED});
}

static void channel_ended(void *ctx, const struct child_end *end)
{
    channel_is_over(ctx, &end->outcome);
}

static void channel_output(void *ctx, int stream, const char *bytes, size_t len)
{
    struct remote *remote = ctx;
    if (remote->stage == REMOTE_IS_OVER)
        return;
    if (stream == 1) {
        tool_add_error(&remote->errors, bytes, len);
        return;
    }
    remote->heard_ms = now_mono_ms();
    str_add_n(&remote->in, bytes, len);
    if (remote->has_hello && remote->channel)
        set_timer(remote, channel_is_silent, REMOTE_SILENT_MS);
    /* The recorded end is the end: what ssh still does is not waited for. */
    const bool goes_on = read_frames(remote) && remote->spool.stage != HAND_STAGE_ENDED;
    if (!goes_on && remote->channel)
        child_cancel(remote->channel, CANCEL_KILL);
}

static void open_channel(struct remote *remote)
{
    const struct remote_call *call = &remote->call;
    int fds[2];

    remote->began_ms = now_mono_ms();
    str_clear(&remote->in);
    remote->noise = 0;
    str_clear(&remote->errors);
    remote->has_hello = remote->is_refused = remote->is_noise = false;
    remote->is_first_channel = remote->request != NULL;
    if (pipe2(fds, O_CLOEXEC) != 0) {
        struct err err = {0};
        (void)err_set_errno(&err, errno, "cannot make a pipe");
        channel_failed(remote, errno, &err);
        return;
    }
    remote->feed = fds[0];
    remote->pipe = xcalloc(1, sizeof(*remote->pipe));
    (void)uv_pipe_init(remote->loop, remote->pipe, 0);
    remote->pipe->data = remote;
    (void)uv_pipe_open(remote->pipe, fds[1]);

    struct str words = {0};
    struct str command = {0};
    str_add(&words, remote->request ? "run" : "attach");
    if (call->place.job)
        str_addf(&words, " --in %s", cluster_job_holder(call->place.job));
    str_add(&command, "exec ");
    hand_add_call(&call->place, str_text(&words), call->name, &command);
    if (!remote->request)
        str_addf(&command, " %llu", (unsigned long long)remote->spool.whole);
    remote->line.argv = channel_argv(&call->place, str_text(&command));
    str_done(&words);
    str_done(&command);
    const struct child_watcher watcher = {.ctx = remote,
                                          .started = channel_started,
                                          .failed = channel_failed,
                                          .output = channel_output,
                                          .ended = channel_ended};
    remote->channel =
        tool_start(remote->nursery, &call->place, &remote->line, &remote->feed, NULL, &watcher);
    set_timer(remote, channel_is_silent, REMOTE_HELLO_MS);
}

/* The job. */

static void report_job(struct remote *remote, const struct job_news *news)
{
    struct event fact = event_new(EVENT_JOB_STATE);
    fact.job.state = news->state;
    fact.job.job = cluster_job_name(remote->call.place.job);
    fact.job.holder = cluster_job_holder(remote->call.place.job);
    fact.job.reason = news->reason[0] != '\0' ? news->reason : NULL;
    fact.job.node = news->node[0] != '\0' ? news->node : NULL;
    remote->watcher.contact(remote->watcher.on.ctx, &fact);
}

static void job_changed(void *ctx, const struct job_news *news)
{
    struct remote *remote = ctx;
    if (remote->stage == REMOTE_IS_OVER)
        return;
    if (cluster_job_name(remote->call.place.job)[0] != '\0')
        report_job(remote, news);
    if (remote->waits_for_cause) {
        if (news->state == JOB_ENDED)
            report_caused(remote);
    } else if (remote->stage == REMOTE_CONNECTS && news->state == JOB_ENDED && !remote->channel) {
        if (news->code != 0)
            report_failure(remote, news->code, "", news->why);
        else if (!tries_other_job(remote))
            report_failure(remote, START_EXECUTOR_DOWN, "", "its jobs end before it starts");
    } else if (remote->stage == REMOTE_CONNECTS && news->state == JOB_RUNNING && !remote->channel) {
        set_timer(remote, next_channel, 0);
    } else if (remote->waits_for_job) { /* of an earlier devs */
        remote->waits_for_job = false;
        if (news->state != JOB_QUEUED)
            set_timer(remote, next_channel, 0);
        else /* the attempt cannot have been started */
            report_end(remote, &(struct outcome){.kind = kind_of_order(remote, OUTCOME_LOST)});
    }
}

/* Requests of the engine. */

struct remote *remote_start(struct nursery *nursery, struct uv_loop_s *loop,
                            const struct remote_call *call, const struct remote_watcher *watcher)
{
    struct remote *remote = xcalloc(1, sizeof(*remote));
    remote->nursery = nursery;
    remote->loop = loop;
    remote->call = *call;
    remote->watcher = *watcher;
    remote->feed = -1;
    remote->retry_ms = REMOTE_RETRY_MS_MIN;
    (void)uv_timer_init(loop, &remote->timer);
    (void)uv_timer_init(loop, &remote->timeout);
    remote->timer.data = remote->timeout.data = remote;
    remote->handles = 2;
    remote->stage = call->is_attach ? REMOTE_ASKED : REMOTE_CONNECTS;
    if (!call->is_attach && !make_request(remote, &remote->start_err))
        set_timer(remote, request_failed, 0);
    else
        set_timer(remote, next_channel, call->place.job ? REMOTE_HELLO_MS : 0);
    if (call->place.job) {
        remote->waits_for_job = call->is_attach;
        cluster_job_watch(call->place.job, job_changed, remote);
    }
    return remote;
}

/* A killed attempt has not ended in time. */
static void gives_up(uv_timer_t *timer)
{
    struct remote *remote = timer->data;
    remote->is_given_up = true;
    if (remote->channel)
        child_cancel(remote->channel, CANCEL_KILL); /* channel_is_over() continues */
    else
        report_lost(remote, PROOF_NONE);
}

/* The attempt was cancelled before its job ran. */
static void wait_is_over(uv_timer_t *timer)
{
    struct remote *remote = timer->data;
    struct cluster_job *job = remote->call.place.job;
    report_failure(remote, START_EXECUTOR_DOWN, "", "cancelled while its job waited");
    if (!cluster_job_runs(job))
        cluster_job_drop(job);
}

static void end_remote(struct remote *remote, enum cancel_mode mode)
{
    if (has_kill(remote) || (remote->has_order && mode == remote->order))
        return;
    if (mode == CANCEL_KILL && remote->stage != REMOTE_CONNECTS) {
        const int64_t connecting_ms = remote->channel ? REMOTE_CONNECTING_MS : 0;
        const int64_t wait_ms = remote->is_away ? connecting_ms : REMOTE_KILLED_MS;
        uv_update_time(remote->loop);
        (void)uv_timer_start(&remote->timeout, gives_up, (uint64_t)wait_ms, 0);
    }
    remote->has_order = true;
    remote->order = mode;
    if (remote->stage == REMOTE_CONNECTS && remote->channel)
        child_cancel(remote->channel, CANCEL_KILL);
    else if (remote->stage == REMOTE_CONNECTS && remote->call.place.job)
        set_timer(remote, wait_is_over, 0);
    else if (remote->has_hello && remote->channel)
        send_order(remote);
}

void remote_cancel(struct remote *remote, enum cancel_mode mode)
{
    if (remote->stage != REMOTE_IS_OVER)
        end_remote(remote, mode);
}

void remote_time_out(struct remote *remote)
{
    if (remote->stage != REMOTE_RUNS || remote->spool.stage == HAND_STAGE_ENDED)
        return;
    remote->timed_out = !remote->has_order;
    end_remote(remote, CANCEL_TERM);
}

void remote_leave(struct remote *remote)
{
    let_go(remote);
}

void remote_stood_still(struct remote *remote, int64_t still_ms)
{
    /* Of two machines, only this one was suspended. Its network may need a while, so the end that
     * may be recorded there is asked for until then. */
    const int64_t back_ms = now_mono_ms() + REMOTE_BACK_MS;
    if (remote->fence_ms > 0 && remote->fence_ms < back_ms)
        remote->fence_ms = back_ms;
    if (remote->stage != REMOTE_RUNS || remote->has_order ||
        !uv_is_active((uv_handle_t *)&remote->timeout))
        return;
    remote->timeout_due_ms += still_ms;
    const int64_t wait_ms = remote->timeout_due_ms - now_mono_ms();
    uv_update_time(remote->loop);
    (void)uv_timer_start(&remote->timeout, time_is_up, wait_ms > 0 ? (uint64_t)wait_ms : 0, 0);
}
