/* stream.c - prints a run as lines, and passes its output from the engine to stdout. */
#include "stream.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"
#include "event_text.h"
#include "fail.h"
#include "follower.h"
#include "str.h"
#include "text.h"
#include "watch.h"
#include "xalloc.h"

/* The outlet: writes to stdout without blocking on a slow reader. */

bool outlet_take_signals(struct outlet *outlet)
{
    struct signalfd_siginfo info;
    while (outlet->signal_fd >= 0 &&
           read(outlet->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (!outlet->on_signal(outlet->ctx, (int)info.ssi_signo))
            return false;
    }
    return true;
}

/* Waits until stdout is writable. Returns false to give up. */
static bool wait_for_reader(struct outlet *outlet)
{
    struct pollfd fds[] = {
        {.fd = STDOUT_FILENO, .events = POLLOUT},
        {.fd = outlet->signal_fd, .events = POLLIN},
    };
    while (fds[0].revents == 0) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return false;
        if (fds[1].revents != 0 && !outlet_take_signals(outlet))
            return false;
    }
    return true;
}

/* Writes everything. Blocks while the reader does not read, but handles signals. */
static void outlet_flush(struct outlet *outlet)
{
    size_t at = 0;
    while (at < outlet->waiting.len && !outlet->closed) {
        const size_t left = outlet->waiting.len - at;
        /* A pipe that polls as writable takes PIPE_BUF bytes without blocking. Without signals
         * to handle, blocking is fine. */
        size_t piece = outlet->signal_fd < 0 || left < PIPE_BUF ? left : PIPE_BUF;
        const bool is_ready = wait_for_reader(outlet);
        const ssize_t put = is_ready ? write(STDOUT_FILENO, outlet->waiting.data + at, piece) : -1;
        const bool again = is_ready && put < 0 && (errno == EINTR || errno == EAGAIN);
        if (put > 0) {
            at += (size_t)put;
        } else if (!again) {
            outlet->closed = true;
            outlet->error = !is_ready || errno == EPIPE ? 0 : errno;
        }
    }
    str_clear(&outlet->waiting);
}

bool outlet_is_deserted(void)
{
    struct pollfd fd = {.fd = STDOUT_FILENO, .events = 0};
    return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLNVAL)) != 0;
}

/* The tee: passes a command's output from the engine's thread to the main thread. */

/* A piece of output of one stream. */
struct tee_piece {
    int stream; /* 0 stdout, 1 stderr */
    size_t len;
};

struct tee_batch {
    const struct tee_piece *pieces;
    size_t count;
    const char *bytes;
};

/* Pieces, and their bytes one after another. */
struct heap_of_pieces {
    struct tee_piece *pieces; /* owned */
    size_t count, cap;
    struct str bytes;
};

struct tee {
    int fd; /* an eventfd: readable when output is available */

    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t taken;
    struct heap_of_pieces waiting;
    bool given_up;

    /* Main thread only. */
    struct heap_of_pieces handed;
};

bool tee_open(struct tee **out, struct err *err)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return err_set_errno(err, errno, "eventfd");
    struct tee *tee = xcalloc(1, sizeof(*tee));
    tee->fd = fd;
    (void)pthread_mutex_init(&tee->lock, NULL);
    (void)pthread_cond_init(&tee->taken, NULL);
    *out = tee;
    return true;
}

static void free_pieces(struct heap_of_pieces *heap)
{
    free(heap->pieces);
    str_done(&heap->bytes);
}

void tee_close(struct tee *tee)
{
    if (!tee)
        return;
    (void)close(tee->fd);
    (void)pthread_cond_destroy(&tee->taken);
    (void)pthread_mutex_destroy(&tee->lock);
    free_pieces(&tee->waiting);
    free_pieces(&tee->handed);
    free(tee);
}

void tee_put(void *ctx, int stream, const char *bytes, size_t len)
{
    struct tee *tee = ctx;
    const uint64_t one = 1;
    (void)pthread_mutex_lock(&tee->lock);
    while (!tee->given_up && tee->waiting.bytes.len >= TEE_BYTES_MAX)
        (void)pthread_cond_wait(&tee->taken, &tee->lock);
    if (!tee->given_up) {
        struct heap_of_pieces *heap = &tee->waiting;
        if (heap->count == 0 || heap->pieces[heap->count - 1].stream != stream) {
            heap->pieces = xgrow(heap->pieces, &heap->cap, heap->count + 1, sizeof(*heap->pieces));
            heap->pieces[heap->count++] = (struct tee_piece){.stream = stream};
        }
        heap->pieces[heap->count - 1].len += len;
        str_add_n(&heap->bytes, bytes, len);
    }
    (void)pthread_mutex_unlock(&tee->lock);
    (void)!write(tee->fd, &one, sizeof(one)); /* full: the reader wakes up anyway */
}

/* Main thread: takes all output, in order. The batch is empty if there is none, and valid until the
 * next call. */
static struct tee_batch tee_take(struct tee *tee)
{
    uint64_t news = 0;
    (void)!read(tee->fd, &news, sizeof(news)); /* fails if nothing is available, which is fine */
    (void)pthread_mutex_lock(&tee->lock);
    struct heap_of_pieces handed = tee->waiting;
    tee->waiting = tee->handed;
    tee->waiting.count = 0;
    str_clear(&tee->waiting.bytes);
    tee->handed = handed;
    (void)pthread_cond_signal(&tee->taken);
    (void)pthread_mutex_unlock(&tee->lock);
    return (struct tee_batch){.pieces = tee->handed.pieces,
                              .count = tee->handed.count,
                              .bytes = str_text(&tee->handed.bytes)};
}

void tee_give_up(struct tee *tee)
{
    (void)pthread_mutex_lock(&tee->lock);
    tee->given_up = true;
    (void)pthread_cond_signal(&tee->taken);
    (void)pthread_mutex_unlock(&tee->lock);
}

/* The stream itself. */

enum {
    GATHER_MS = 10,        /* events are collected this long before they are printed */
    ORPHAN_LOOK_MS = 1000, /* how often the owner of a silent run is checked */
    /* Number of consecutive tasks cancelled before they ran that get a line each. */
    CANCELLED_MAX = 3,
};

/* A stream while it is being printed. */
struct printing {
    const struct stream *stream;
    struct follower *follower;
    struct str line;
    int64_t second; /* UTC; `time` is its text */
    char time[CLOCK_TEXT_MAX];
    struct outlet outlet;
    enum log_trouble_kind reported; /* kind of the last reported log problem */
    int64_t looked_ms;              /* when problems were last checked: steady clock */
    int cancelled; /* consecutive tasks; the first CANCELLED_MAX get their own lines */
    bool given_up;
    bool orphaned; /* the run's devs has died; kept, because a later check may give a different
                      answer */
    bool reported_closed; /* reported that nobody reads the command's output any more */
};

static bool wants_event(const struct printing *p, const struct run_state *state,
                        const struct event *event)
{
    const struct record_filter *filter = p->stream->filter;
    if (event->seq <= p->stream->shown_seq)
        return false;
    if (filter && !record_filter_wants(filter, state, event))
        return false;
    if (!filter || !filter->search)
        return true;
    /* Format the line only if there is a pattern. */
    struct str words = {0};
    event_words(state, event, &words);
    bool finds = record_filter_finds(filter, str_text(&words), words.len);
    str_done(&words);
    return finds;
}

/* Prints the line, cleaned for terminals and without line feeds inside. */
static void put_line(struct printing *p)
{
    for (size_t i = 0; i < p->line.len; i++) {
        if (p->line.data[i] == '\n' || p->line.data[i] == '\r')
            p->line.data[i] = ' ';
    }
    str_add_char(&p->line, '\n');
    if (p->stream->form != STREAM_OUTPUT) {
        text_clean(&p->outlet.waiting, p->line.data, p->line.len);
        return;
    }
    struct str clean = {0};
    text_clean(&clean, p->line.data, p->line.len);
    (void)fputs(str_text(&clean), stderr);
    str_done(&clean);
}

/* Begins a line with the time. Caches the time: many events share a second, and converting it takes
 * as long as formatting the rest of the line. */
static void start_line(struct printing *p, const struct event *event)
{
    enum { SECOND_MS = 1000 };
    const int64_t second = event->at.at_ms / SECOND_MS;
    if (second != p->second || p->time[0] == '\0')
        (void)clock_hms(event->at.at_ms, p->time);
    p->second = second;
    str_clear(&p->line);
    if (p->stream->names_run)
        str_addf(&p->line, "#%lld ", (long long)follower_run(p->follower)->number);
    str_add(&p->line, p->time);
    str_add_char(&p->line, ' ');
}

static void print_record(struct printing *p, const struct run_state *state,
                         const struct event *event)
{
    if (p->stream->form == STREAM_JSON) {
        struct str *out = &p->outlet.waiting; /* JSON contains no control bytes */
        event_json(state, follower_run(p->follower)->number, event, out);
        str_add_char(out, '\n');
        return;
    }
    start_line(p, event);
    event_words(state, event, &p->line);
    put_line(p);
    if (!p->stream->details)
        return;
    start_line(p, event);
    if (event_details(state, event, &p->line))
        put_line(p);
}

/* Prints "14:02:13 and 4973 more cancelled" for the tasks without a line of their own. */
static void print_cancelled(struct printing *p)
{
    if (p->cancelled <= CANCELLED_MAX)
        return;
    str_clear(&p->line);
    str_addf(&p->line, "%s and %d more cancelled", p->time, p->cancelled - CANCELLED_MAX);
    put_line(p);
    p->cancelled = CANCELLED_MAX; /* further cancelled tasks are counted from here */
}

static bool print_event(void *ctx, const struct run_state *state, const struct event *event)
{
    enum { OUTLET_BYTES = 256 * 1024 }; /* bytes buffered before they are written */
    struct printing *p = ctx;
    if (!wants_event(p, state, event))
        return true;
    if (p->stream->folds) { /* thousands of tasks may be cancelled at once */
        const bool is_cancelled = event->kind == EVENT_STEP_ENDED &&
                                  event->step_ended.decision == DECISION_CANCELLED &&
                                  event->attempt == 0;
        if (!is_cancelled) {
            print_cancelled(p);
            p->cancelled = 0;
        } else if (++p->cancelled > CANCELLED_MAX) {
            return true;
        }
    }
    if (!p->outlet.closed) /* the events of our own engine are read to the end */
        print_record(p, state, event);
    if (p->outlet.waiting.len >= OUTLET_BYTES)
        outlet_flush(&p->outlet);
    return !p->given_up && !(p->outlet.closed && p->stream->done_fd < 0);
}

static bool on_signal(void *ctx, int signal)
{
    struct printing *p = ctx;
    if (!p->stream->on_signal(p->stream->ctx, signal))
        p->given_up = true;
    if (p->stream->tee)
        tee_give_up(p->stream->tee); /* a stuck reader must not block the engine */
    return !p->given_up;
}

/* For exec: prints the command's output as our own. */
static void print_output(struct printing *p)
{
    struct tee_batch batch = tee_take(p->stream->tee);
    for (size_t i = 0; i < batch.count; i++) {
        const bool is_stdout = batch.pieces[i].stream == 0;
        const char *bytes = batch.bytes;
        size_t len = batch.pieces[i].len;
        struct str clean = {0};
        batch.bytes += len;
        if (isatty(is_stdout ? STDOUT_FILENO : STDERR_FILENO)) {
            text_clean(&clean, bytes, len);
            bytes = str_text(&clean);
            len = clean.len;
        }
        if (!is_stdout)
            (void)fwrite(bytes, 1, len, stderr);
        else if (!p->outlet.closed)
            str_add_n(&p->outlet.waiting, bytes, len);
        str_done(&clean);
    }
    outlet_flush(&p->outlet);
    if (p->outlet.closed && !p->reported_closed) {
        p->reported_closed = true;
        /* Like a command that gets SIGPIPE because its reader has closed the pipe. */
        (void)on_signal(p, SIGPIPE);
    }
}

static bool print_exec_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct printing *p = ctx;
    const bool is_worth_saying =
        event->kind == EVENT_WAIT_STARTED || event->kind == EVENT_ATTEMPT_JUDGED ||
        event->kind == EVENT_NOTE ||
        (event->kind == EVENT_STEP_ENDED && event->step_ended.decision != DECISION_SUCCEEDED);
    if (!is_worth_saying)
        return true;
    print_output(p); /* output that came first is printed first */
    str_clear(&p->line);
    str_add(&p->line, "devs: ");
    event_words(state, event, &p->line);
    put_line(p);
    return true;
}

/* Waits for new events, output or a signal. Returns false once the engine has ended. */
static bool wait_for_news(struct printing *p)
{
    struct pollfd fds[] = {
        {.fd = p->stream->signal_fd, .events = POLLIN},
        {.fd = p->stream->done_fd, .events = POLLIN},
        {.fd = follower_fd(p->follower), .events = POLLIN},
        /* No events: poll() then only reports that the reader has closed stdout. */
        {.fd = p->stream->done_fd < 0 ? STDOUT_FILENO : -1, .events = 0},
        {.fd = p->stream->tee ? p->stream->tee->fd : -1, .events = POLLIN},
    };
    int timeout_ms = follower_fd(p->follower) < 0 ? WATCH_POLL_MS : ORPHAN_LOOK_MS;
    (void)poll(fds, ARRAY_LEN(fds), timeout_ms);
    if (fds[2].revents != 0) {
        (void)poll(fds, 2, GATHER_MS);
        (void)follower_heard(p->follower);
    }
    if (fds[0].revents != 0)
        (void)outlet_take_signals(&p->outlet);
    if ((fds[3].revents & (POLLERR | POLLNVAL)) != 0)
        p->outlet.closed = true;
    return fds[1].revents == 0;
}

/* Warns about each problem of the log once, with the text of the cockpit's banner. */
static void tell_trouble(struct printing *p)
{
    struct log_trouble trouble;
    int64_t now_ms = clock_now().mono_ms;
    if (p->looked_ms != 0 && now_ms - p->looked_ms < ORPHAN_LOOK_MS)
        return;
    p->looked_ms = now_ms;
    follower_trouble(p->follower, now_ms, &trouble);
    struct str words = {0};
    log_trouble_words(&trouble, &words);
    if (trouble.kind != p->reported && words.len > 0)
        warn("%s", words.data);
    p->reported = trouble.kind;
    str_done(&words);
}

/* Prints all available events; with `follow`, until the run or the engine has ended, or the reader
 * has closed the pipe. */
static bool print_all(struct printing *p, struct err *err)
{
    const bool exec = p->stream->form == STREAM_OUTPUT;
    bool alive = true;
    for (;;) {
        if (exec)
            print_output(p);
        if (!follower_read(p->follower, 0, exec ? print_exec_event : print_event, p, NULL, err))
            return false;
        print_cancelled(p);
        outlet_flush(&p->outlet);
        tell_trouble(p);
        if (!p->stream->follow || !alive)
            return true;
        if (p->stream->done_fd < 0) { /* with an engine in this process, only its end counts */
            p->orphaned = follower_is_orphaned(p->follower);
            if (p->outlet.closed || follower_state(p->follower)->ended || p->orphaned)
                return true;
        }
        if (p->given_up)
            return true;
        alive = wait_for_news(p);
    }
}

bool stream_follow(const struct stream *stream, struct follower **out, struct err *err)
{
    struct printing p = {.stream = stream,
                         .outlet = {.signal_fd = stream->signal_fd, .on_signal = on_signal}};
    p.outlet.ctx = &p;
    if (!follower_open_to_tell(&p.follower, stream->place, stream->run, &stream->known, err))
        return false;
    if (stream->follow)
        follower_watch(p.follower);
    bool ok = print_all(&p, err);
    outlet_flush(&p.outlet);
    if (ok && stream->unwritten)
        *stream->unwritten = p.outlet.error;
    else if (ok && p.outlet.error != 0)
        ok = err_set_errno(err, p.outlet.error, "stdout");
    /* Explains to a user who follows the run why it will not end. */
    const struct log_run_info *run = follower_run(p.follower);
    if (ok && stream->follow && stream->done_fd < 0 && p.orphaned && !p.outlet.closed &&
        !follower_state(p.follower)->ended && !run->is_session)
        warn("devs exited before the run ended; continue it with: devs run --continue %lld",
             (long long)run->number);
    str_done(&p.line);
    str_done(&p.outlet.waiting);
    *out = p.follower;
    return ok;
}

bool stream_print(const struct stream *stream, struct err *err)
{
    struct follower *follower = NULL;
    bool ok = stream_follow(stream, &follower, err);
    follower_close(follower);
    return ok;
}
