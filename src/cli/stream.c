#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"
#include "follower.h"
#include "output_print.h"
#include "text.h"
#include "watch.h"

enum {
    GATHER_MS = 10,        /* news is gathered so long before it is printed */
    ORPHAN_LOOK_MS = 1000, /* how often a silent run is asked for its owner */
};

/* A stream while it is printed. */
struct printing {
    const struct stream *stream;
    struct follower *follower;
    struct str line;
    struct output_print output;
    int output_task;
};

static bool wants(const struct printing *p, const struct run_state *state,
                  const struct event *event)
{
    if (event_level(event) > p->stream->level)
        return false;
    if (!p->stream->task)
        return true;
    return event->task >= 0 && strcmp(state->plan->tasks[event->task].id, p->stream->task) == 0;
}

/* No byte of a stranger's reaches a terminal as it is. */
static void put_line(struct printing *p)
{
    str_add_char(&p->line, '\n');
    FILE *to = p->stream->form == STREAM_OUTPUT ? stderr : stdout;
    if (p->stream->form != STREAM_JSON) {
        struct str clean = {0};
        text_clean(&clean, p->line.data, p->line.len);
        (void)fwrite(str_text(&clean), 1, clean.len, to);
        str_done(&clean);
        return;
    }
    (void)fwrite(p->line.data, 1, p->line.len, to);
}

static bool print_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct printing *p = ctx;
    if (!wants(p, state, event))
        return true;
    str_clear(&p->line);
    if (p->stream->form == STREAM_JSON) {
        event_json(state, follower_run(p->follower)->number, event, &p->line);
    } else {
        char time[CLOCK_TEXT_MAX];
        str_addf(&p->line, "%s ", clock_hms(event->at.at_ms, time));
        event_words(state, event, &p->line);
    }
    put_line(p);
    return true;
}

/* exec: what the command says goes out as our own output, what devs says to stderr. */
static bool print_attempt(struct printing *p, const struct event *event)
{
    struct log_output_key key = {.run = follower_run(p->follower)->number,
                                 .task = event->task,
                                 .step = event->step,
                                 .attempt = event->attempt};
    output_print_done(&p->output);
    p->output = (struct output_print){.reader = follower_reader(p->follower), .key = key};
    return true;
}

static bool is_worth_saying(const struct event *event)
{
    return event->kind == EVENT_WAIT_STARTED || event->kind == EVENT_ATTEMPT_JUDGED ||
           event->kind == EVENT_NOTE ||
           (event->kind == EVENT_STEP_ENDED && event->a != DECISION_SUCCEEDED);
}

static bool print_exec_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct printing *p = ctx;
    if (event->kind == EVENT_ATTEMPT_STARTED)
        return print_attempt(p, event);
    if (event->kind == EVENT_ATTEMPT_ENDED)
        return output_print_more(&p->output, NULL);
    if (!is_worth_saying(event))
        return true;
    str_clear(&p->line);
    str_add(&p->line, "devs: ");
    event_words(state, event, &p->line);
    put_line(p);
    return true;
}

static bool print_news(struct printing *p, struct err *err)
{
    bool exec = p->stream->form == STREAM_OUTPUT;
    if (!follower_read(p->follower, 0, exec ? print_exec_event : print_event, p, NULL, err))
        return false;
    if (exec && p->output.reader && !output_print_more(&p->output, err))
        return false;
    (void)fflush(stdout);
    return true;
}

static int taken_signal(int fd)
{
    struct signalfd_siginfo info;
    ssize_t got = fd >= 0 ? read(fd, &info, sizeof(info)) : -1;
    return got == (ssize_t)sizeof(info) ? (int)info.ssi_signo : 0;
}

static bool is_over(struct printing *p)
{
    if (p->stream->done_fd >= 0)
        return false; /* the engine's own end is what counts */
    return follower_state(p->follower)->ended || follower_is_orphaned(p->follower);
}

/* Wait for news; *signal_out is a signal that came; false: the engine has ended. */
static bool wait_for_news(const struct printing *p, int *signal_out)
{
    struct pollfd fds[] = {
        {.fd = p->stream->signal_fd, .events = POLLIN},
        {.fd = p->stream->done_fd, .events = POLLIN},
        {.fd = follower_fd(p->follower), .events = POLLIN},
    };
    int timeout_ms = follower_fd(p->follower) < 0 ? WATCH_POLL_MS : ORPHAN_LOOK_MS;
    (void)poll(fds, 3, timeout_ms);
    if (fds[2].revents != 0) {
        (void)poll(fds, 2, GATHER_MS);
        (void)follower_heard(p->follower);
    }
    if (fds[0].revents != 0)
        *signal_out = taken_signal(p->stream->signal_fd);
    return fds[1].revents == 0;
}

static bool print_all(struct printing *p, int *signal_out, struct err *err)
{
    bool alive = true;
    while (print_news(p, err)) {
        if (!p->stream->follow || !alive || is_over(p))
            return true;
        alive = wait_for_news(p, signal_out);
        if (*signal_out != 0)
            return true;
    }
    return false;
}

bool stream_print(const struct stream *stream, int *signal_out, struct err *err)
{
    int signal_taken = 0;
    struct printing p = {.stream = stream};
    if (!follower_open(&p.follower, stream->place, stream->run, err))
        return false;
    bool ok = print_all(&p, &signal_taken, err);
    if (signal_out)
        *signal_out = signal_taken;
    str_done(&p.line);
    output_print_done(&p.output);
    follower_close(p.follower);
    return ok;
}
