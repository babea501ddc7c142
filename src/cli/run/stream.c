#include "stream.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "event_text.h"
#include "fail.h"
#include "follower.h"
#include "text.h"
#include "watch.h"

enum {
    GATHER_MS = 10,        /* news is gathered so long before it is printed */
    ORPHAN_LOOK_MS = 1000, /* how often a silent run is asked for its owner */
    CANCELLED_MAX = 3,     /* lines for tasks in a row that were cancelled before they ran */
};

/* A stream while it is printed. */
struct printing {
    const struct stream *stream;
    struct follower *follower;
    struct str line;
    int64_t second; /* UTC; of which `time` is the text */
    char time[CLOCK_TEXT_MAX];
    struct outlet outlet;
    enum log_trouble_kind told; /* what is wrong with the log, as it was said last */
    int64_t looked_ms;          /* when it was asked for last: steady clock */
    int cancelled;              /* tasks in a row; the first CANCELLED_MAX get their own lines */
    bool given_up;
    bool orphaned;    /* the run's devs is gone: asked once, for the next answer may be another */
    bool told_closed; /* that nobody reads what the command says */
};

static bool wants(const struct printing *p, const struct run_state *state,
                  const struct event *event)
{
    const struct record_filter *filter = p->stream->filter;
    return event->seq > p->stream->shown_seq &&
           (!filter || record_filter_wants(filter, state, event));
}

/* What it says is looked at apart: most do not ask. */
static bool says_wanted(const struct printing *p, const struct run_state *state,
                        const struct event *event)
{
    const struct record_filter *filter = p->stream->filter;
    if (!filter || !filter->search)
        return true;
    struct str words = {0};
    event_words(state, event, &words);
    bool finds = record_filter_finds(filter, str_text(&words), words.len);
    str_done(&words);
    return finds;
}

/* No byte of a stranger's reaches a terminal as it is, and a record is one line whatever it says.
 */
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

/* Some pages of lines at most are kept before they are written. */
static bool write_page(struct printing *p)
{
    enum { OUTLET_BYTES = 256 * 1024 };
    if (p->outlet.waiting.len >= OUTLET_BYTES)
        outlet_flush(&p->outlet);
    return !p->given_up && !(p->outlet.closed && p->stream->done_fd < 0);
}

/* Many events are of one second, and the zone's rules take as long as all the rest of a line. */
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
        struct str *out = &p->outlet.waiting; /* no escape is left in it */
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

/* Prints "and 4973 more cancelled" for the tasks without a line of their own. */
static void print_cancelled(struct printing *p)
{
    if (p->cancelled <= CANCELLED_MAX)
        return;
    str_clear(&p->line);
    str_addf(&p->line, "%s and %d more cancelled", p->time, p->cancelled - CANCELLED_MAX);
    put_line(p);
    p->cancelled = CANCELLED_MAX; /* later ones are counted from here again */
}

/* Thousands of tasks may be cancelled at once. Returns true if the event needs no line of its own.
 */
static bool is_one_more_cancelled(struct printing *p, const struct event *event)
{
    const bool is_cancelled =
        event->kind == EVENT_STEP_ENDED && event->a == DECISION_CANCELLED && event->attempt == 0;
    if (!is_cancelled) {
        print_cancelled(p);
        p->cancelled = 0;
        return false;
    }
    return ++p->cancelled > CANCELLED_MAX;
}

static bool print_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct printing *p = ctx;
    if (!wants(p, state, event) || !says_wanted(p, state, event))
        return true;
    if (p->stream->folds && is_one_more_cancelled(p, event))
        return true;
    if (!p->outlet.closed) /* an engine of ours is read on to its end */
        print_record(p, state, event);
    return write_page(p);
}

static bool is_worth_saying(const struct event *event)
{
    return event->kind == EVENT_WAIT_STARTED || event->kind == EVENT_ATTEMPT_JUDGED ||
           event->kind == EVENT_NOTE ||
           (event->kind == EVENT_STEP_ENDED && event->a != DECISION_SUCCEEDED);
}

static void print_piece(struct printing *p, int stream, const char *bytes, size_t len)
{
    int fd = stream == 0 ? STDOUT_FILENO : STDERR_FILENO;
    struct str clean = {0};
    if (isatty(fd)) {
        text_clean(&clean, bytes, len);
        bytes = str_text(&clean);
        len = clean.len;
    }
    if (stream == 0)
        outlet_add(&p->outlet, bytes, len);
    else
        (void)fwrite(bytes, 1, len, stderr);
    str_done(&clean);
}

static bool on_signal(void *ctx, int signal)
{
    struct printing *p = ctx;
    if (!p->stream->on_signal(p->stream->ctx, signal))
        p->given_up = true;
    if (p->stream->tee)
        tee_give_up(p->stream->tee); /* a reader who does not read keeps no engine from ending */
    return !p->given_up;
}

/* exec: what the command says goes out as our own output, what devs says to stderr. */
static void print_output(struct printing *p)
{
    struct tee_batch batch = tee_take(p->stream->tee);
    for (size_t i = 0; i < batch.count; i++) {
        print_piece(p, batch.pieces[i].stream, batch.bytes, batch.pieces[i].len);
        batch.bytes += batch.pieces[i].len;
    }
    outlet_flush(&p->outlet);
    if (p->outlet.closed && !p->told_closed) {
        p->told_closed = true;
        (void)on_signal(p, SIGPIPE); /* a pipe without a reader ends a command */
    }
}

static bool print_exec_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct printing *p = ctx;
    if (!is_worth_saying(event))
        return true;
    print_output(p); /* what came before it stands before it */
    str_clear(&p->line);
    str_add(&p->line, "devs: ");
    event_words(state, event, &p->line);
    put_line(p);
    return true;
}

static bool print_news(struct printing *p, struct err *err)
{
    bool exec = p->stream->form == STREAM_OUTPUT;
    if (exec)
        print_output(p);
    if (!follower_read(p->follower, 0, exec ? print_exec_event : print_event, p, NULL, err))
        return false;
    print_cancelled(p);
    outlet_flush(&p->outlet);
    return true;
}

static bool is_over(struct printing *p)
{
    if (p->stream->done_fd >= 0)
        return false; /* the engine's own end is what counts */
    p->orphaned = follower_is_orphaned(p->follower);
    return p->outlet.closed || follower_state(p->follower)->ended || p->orphaned;
}

/* Wait for news; false: the engine has ended. */
static bool wait_for_news(struct printing *p)
{
    struct pollfd fds[] = {
        {.fd = p->stream->signal_fd, .events = POLLIN},
        {.fd = p->stream->done_fd, .events = POLLIN},
        {.fd = follower_fd(p->follower), .events = POLLIN},
        {.fd = p->stream->done_fd < 0 ? STDOUT_FILENO : -1, .events = 0}, /* is it closed? */
        {.fd = p->stream->tee ? tee_fd(p->stream->tee) : -1, .events = POLLIN},
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

/* The words of the cockpit's banner, once for each trouble, beside what is printed. */
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
    if (trouble.kind != p->told && words.len > 0)
        warn("%s", words.data);
    p->told = trouble.kind;
    str_done(&words);
}

static bool print_all(struct printing *p, struct err *err)
{
    bool alive = true;
    while (print_news(p, err)) {
        tell_trouble(p);
        if (!p->stream->follow || !alive || is_over(p) || p->given_up)
            return true;
        alive = wait_for_news(p);
    }
    return false;
}

/* Who follows a run and sees no end of it is told why. */
static void tell_orphan(const struct printing *p)
{
    const struct run_state *state = follower_state(p->follower);
    const struct log_run_info *run = follower_run(p->follower);
    if (!p->stream->follow || p->stream->done_fd >= 0 || p->outlet.closed || state->ended ||
        run->is_session || !p->orphaned)
        return;
    warn("devs exited before the run had ended. Continue it: devs run --continue %lld",
         (long long)run->number);
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
    if (ok)
        tell_orphan(&p);
    str_done(&p.line);
    outlet_done(&p.outlet);
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
