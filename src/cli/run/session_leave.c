/* session_leave.c - a run is left: by a signal, by choice, without its terminal. */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "follower.h"
#include "outlet.h"
#include "session_parts.h"
#include "str.h"

bool session_block_signals(int *fd_out, struct err *err)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    *fd_out = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (*fd_out < 0)
        return err_set(err, ERR_IO, "signals cannot be had as a file");
    return true;
}

bool session_is_nohup(void)
{
    struct sigaction now;
    return sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void cancel(struct watching *watching, int signal)
{
    watching->signal = signal;
    watching->signals_ms = clock_now().mono_ms;
    engine_cancel(watching->engine, watching->by);
}

/* The terminal is gone: the run goes on without it, or ends, as its plan says. */
static void hang_up(struct watching *watching)
{
    static const char *const words[] = {
        [PLAN_HANGUP_GO_ON] = "the terminal is gone, the run goes on (on_hangup: go-on)",
        [PLAN_HANGUP_WAIT] = "the terminal is gone, nothing more is started (on_hangup: wait)",
        [PLAN_HANGUP_CANCEL] = "the terminal is gone, all is cancelled (on_hangup: cancel)",
    };
    enum plan_hangup hangup = watching->session->plan->on_hangup;
    static_assert(ARRAY_LEN(words) == PLAN_HANGUP_COUNT, "words for each");
    if (watching->alone)
        return;
    watching->alone = true;
    front_forget_terminal();
    engine_detach(watching->engine, words[hangup]);
    if (hangup == PLAN_HANGUP_WAIT)
        engine_leave(watching->engine);
    else if (hangup == PLAN_HANGUP_CANCEL)
        cancel(watching, SIGHUP);
}

/* It was sent to us and to the process before us, which passed it on. */
static bool came_both_ways(const struct watching *watching, int signal)
{
    return watching->front && signal == watching->signal &&
           clock_now().mono_ms - watching->signals_ms < FRONT_SAME_MS;
}

/* The first signal cancels the run, which is watched on to its end; the second ends
 * the watching, and what still runs is killed. */
bool session_take_signal(void *ctx, int signal)
{
    struct watching *watching = ctx;
    if (signal == SIGHUP) {
        if (!watching->nohup)
            hang_up(watching);
        return true;
    }
    if (came_both_ways(watching, signal))
        return true;
    bool first = watching->signal == 0;
    if (first) {
        cancel(watching, signal);
        if (signal != SIGPIPE)
            warn("cancelling: TERM to what runs, KILL after 10 s; once more kills at once");
    }
    watching->signal = signal;
    return first;
}

void session_wait(struct watching *watching)
{
    struct outlet signals = {
        .signal_fd = watching->signal_fd, .on_signal = session_take_signal, .ctx = watching};
    struct pollfd fds[] = {
        {.fd = engine_done_fd(watching->engine), .events = POLLIN},
        {.fd = watching->signal_fd, .events = POLLIN},
    };
    while (fds[0].revents == 0) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        if (fds[1].revents != 0 && !outlet_take_signals(&signals))
            return;
    }
}

static void say_where_it_is(const struct watching *watching, struct str *out)
{
    long long run = (long long)watching->run;
    int pid = (int)getpid();
    if (watching->session->said)
        str_add(out, watching->session->said);
    if (watching->session->watch == SESSION_JSON)
        str_addf(out, "{\"v\":1,\"run\":%lld,\"pid\":%d}\n", run, pid);
    else
        str_addf(out,
                 "run #%lld goes on without a terminal (pid %d)\n"
                 "  watch it   devs\n"
                 "  ask        devs status %lld\n"
                 "  end it     devs cancel %lld\n",
                 run, pid, run, run);
}

void session_detach(struct watching *watching)
{
    struct str words = {0};
    say_where_it_is(watching, &words);
    watching->alone = true;
    follower_close(watching->follower); /* the run may go on for days */
    watching->follower = NULL;
    engine_detach(watching->engine, "the run goes on without a terminal");
    front_let_go(watching->front, 0, str_text(&words));
    str_done(&words);
}

bool session_go_plain(struct watching *watching, const struct app_result *result, struct err *err)
{
    if (!session_block_signals(&watching->signal_fd, err))
        return false;
    watching->watch = SESSION_PLAIN;
    watching->shown_seq = result->seen_seq;
    warn("run #%lld goes on as lines: ^C cancels it, devs elsewhere has the screen",
         (long long)watching->run);
    engine_detach(watching->engine, NULL);
    return true;
}

bool session_leave_as_chosen(struct watching *watching, const struct app_result *result,
                             struct err *err)
{
    if (result->leave == APP_LEFT || result->leave == APP_LEFT_PLAIN)
        return true;
    if (!session_block_signals(&watching->signal_fd, err))
        return false;
    switch (result->leave) {
    case APP_LEFT:
    case APP_LEFT_PLAIN:
    case APP_LEFT_TAKE_UP: /* not of a run whose engine is here */
        break;
    case APP_LEFT_WAIT:
        engine_leave(watching->engine); /* asked once more does no harm */
        break;
    case APP_LEFT_CANCEL:
        engine_cancel(watching->engine, watching->by);
        break;
    case APP_LEFT_DETACH:
        session_detach(watching);
        break;
    case APP_LEFT_SIGNAL:
        if (result->signal == SIGHUP)
            hang_up(watching);
        else
            cancel(watching, result->signal);
        break;
    }
    session_wait(watching);
    return true;
}
