/*
 * proxy.c - the event loop of the proxy, and its end in stages.
 *
 * When the client sends nothing more, its calls may still end within PROXY_GRACE_MS. After that, or
 * at once if it is gone or a signal comes, they are cancelled. A second signal ends the loop.
 * Nothing is read from a client that does not take its replies (MCP_OUT_HIGH).
 */
#include "proxy.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"
#include "mcp_server.h"
#include "mcp_wire.h"

enum { READ_BYTES = 64 * 1024 };

/* Stages of shutting down. */
enum stage {
    SERVING,
    CLOSING,   /* the client sends nothing more: current calls may still end */
    CANCELLING /* current calls are being stopped */
};

struct proxy {
    const struct proxy_options *options;
    struct mcp_lines lines;
    struct mcp_out out;
    struct mcp_server server;
    struct executor executor;
    enum stage stage;
    int64_t due_ms; /* when the next stage begins; steady clock */
    int signal_number;
    bool is_over; /* nothing left to wait for */
};

/* Descriptors passed to poll(). */
enum { AT_IN, AT_OUT, AT_SIGNAL, AT_NEWS, AT_DONE, AT_COUNT };

static void begin_stage(struct proxy *proxy, enum stage stage, int64_t grace_ms)
{
    proxy->stage = stage;
    proxy->due_ms = clock_now().mono_ms + grace_ms;
    executor_close(&proxy->executor);
    if (stage == CANCELLING)
        executor_cancel(&proxy->executor);
}

/* The client has disconnected: stops everything that runs. */
static void lose_client(struct proxy *proxy)
{
    if (proxy->stage != CANCELLING)
        begin_stage(proxy, CANCELLING, PROXY_KILL_GRACE_MS);
}

static void next_stage(struct proxy *proxy)
{
    const bool has_calls = proxy->server.call_count > 0;
    if (proxy->stage == SERVING)
        return;
    if (!has_calls && (proxy->out.fd < 0 || mcp_out_waiting(&proxy->out) == 0))
        proxy->is_over = true;
    else if (clock_now().mono_ms < proxy->due_ms)
        return;
    else if (proxy->stage == CLOSING)
        lose_client(proxy);
    else
        proxy->is_over = true;
}

/* Waits until something happens, and handles it. */
static bool handle_events(struct proxy *proxy, struct err *err)
{
    const struct proxy_options *options = proxy->options;
    const size_t waiting = mcp_out_waiting(&proxy->out);
    const bool reads = proxy->stage == SERVING && waiting <= MCP_OUT_HIGH;
    struct pollfd fds[AT_COUNT] = {
        [AT_IN] = {.fd = reads ? options->in_fd : -1, .events = POLLIN},
        [AT_OUT] = {.fd = proxy->out.fd, .events = waiting > 0 ? POLLOUT : 0},
        [AT_SIGNAL] = {.fd = options->signal_fd, .events = POLLIN},
        [AT_NEWS] = {.fd = executor_news_fd(&proxy->executor), .events = POLLIN},
        [AT_DONE] = {.fd = proxy->executor.is_closed ? -1 : executor_done_fd(&proxy->executor),
                     .events = POLLIN}};
    int wait_ms = executor_wait_ms(&proxy->executor);
    if (proxy->stage != SERVING) {
        int64_t left = proxy->due_ms - clock_now().mono_ms;
        if (left < 0)
            left = 0;
        wait_ms = wait_ms < 0 || left < wait_ms ? (int)left : wait_ms;
    }
    if (poll(fds, AT_COUNT, wait_ms) < 0)
        return errno == EINTR || err_set_errno(err, errno, "poll");

    if (fds[AT_IN].revents != 0) {
        char bytes[READ_BYTES];
        const ssize_t got = read(options->in_fd, bytes, sizeof(bytes));
        if (got > 0) {
            mcp_lines_add(&proxy->lines, bytes, (size_t)got, mcp_server_line, &proxy->server);
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            mcp_lines_end(&proxy->lines, mcp_server_line, &proxy->server);
            begin_stage(proxy, CLOSING, PROXY_GRACE_MS);
        }
    }

    struct signalfd_siginfo info;
    if (fds[AT_SIGNAL].revents != 0 &&
        read(options->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        const bool is_second = proxy->signal_number != 0;
        proxy->signal_number = (int)info.ssi_signo;
        if (is_second)
            proxy->is_over = true;
        else
            lose_client(proxy);
    }

    if (!executor_look(&proxy->executor, err))
        return false;
    if (fds[AT_DONE].revents != 0) /* the user stopped the run, or the log cannot be written */
        executor_engine_ended(&proxy->executor);

    /* Notices immediately that the reader has disconnected, even if nothing is to be written. */
    if (fds[AT_OUT].revents != 0) {
        if (fds[AT_OUT].revents & (POLLERR | POLLNVAL))
            proxy->out.fd = -1;
        else if (fds[AT_OUT].revents & (POLLOUT | POLLHUP))
            (void)mcp_out_write(&proxy->out); /* sets fd to -1 if the client has disconnected */
        if (proxy->out.fd < 0)
            lose_client(proxy);
    }
    next_stage(proxy);
    return true;
}

/* Sends the last replies before the server ends because of an error. */
static void write_last_replies(struct proxy *proxy)
{
    const int64_t until_ms = clock_now().mono_ms + PROXY_GRACE_MS;
    int64_t left_ms = PROXY_GRACE_MS;
    while (left_ms > 0 && proxy->out.fd >= 0 && mcp_out_waiting(&proxy->out) > 0) {
        struct pollfd fd = {.fd = proxy->out.fd, .events = POLLOUT};
        if (poll(&fd, 1, (int)left_ms) > 0 && !mcp_out_write(&proxy->out))
            return;
        left_ms = until_ms - clock_now().mono_ms;
    }
}

bool proxy_run(const struct proxy_options *options, struct proxy_result *result, struct err *err)
{
    struct proxy proxy = {.options = options, .out = {.fd = options->out_fd}};
    const struct mcp_host host = {
        .ctx = &proxy.executor, .begin = executor_begin, .take_back = executor_take_back};
    bool ok = true;
    *result = (struct proxy_result){0};
    mcp_server_init(&proxy.server, &proxy.out, options->engine.run_dir, &host);
    executor_init(&proxy.executor, options, &proxy.server);
    while (ok && !proxy.is_over)
        ok = handle_events(&proxy, err);
    if (!ok)
        write_last_replies(&proxy);
    executor_close(&proxy.executor);
    executor_stop(&proxy.executor, result);
    result->signal_number = proxy.signal_number;
    mcp_server_done(&proxy.server);
    mcp_lines_done(&proxy.lines);
    mcp_out_done(&proxy.out);
    return ok;
}
