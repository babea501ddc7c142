/* tool_run.c - runs a helper program until it exits, with limits for time and output.
 *
 * Waits for the process and not for its pipes, which a descendant may hold open. If our thread
 * wakes up much too late, devs was suspended, and the deadline is moved by that time. Also contains
 * the argument lists for helper programs. */
#include "tool_run.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "child_internal.h"
#include "clock.h"
#include "text.h"
#include "xalloc.h"

enum {
    LOOK_MS = 50,           /* interval between checks of the stop flag */
    READ_BYTES = 64 * 1024, /* bytes per read */
    DRAIN_MAX = 64, /* maximum number of reads after the process has ended, because a descendant may
                       keep writing */
    REAP_MAX = 64,  /* maximum number of orphans of its group to reap */
    LAST_LINE_MAX = 200, /* maximum number of bytes of its output in an error message */
    SIGNAL_BASE = 128,   /* a shell's exit code for a signal, minus the signal number */
};

/* A running helper program. */
struct tool {
    const struct tool_call *call; /* borrowed */
    struct launched process;
    int64_t limit_ms; /* deadline, by clock_now().mono_ms */
    int64_t seen_ms;  /* time of the last check */
    int64_t kill_ms;  /* when KILL follows TERM; INT64_MAX = TERM was not sent yet */
    size_t out_max, err_max;
};

/* Returns the environment with only absolute folders in PATH, or without PATH if none are left. The
 * caller frees the array; `path` owns the only new string. */
static char **clean_environment(char *const *environment, struct str *path)
{
    static const char name[] = "PATH=";
    const size_t name_len = strlen(name);
    char **list = xcalloc(text_list_count(environment) + 1, sizeof(*list));
    size_t count = 0;
    for (size_t i = 0; environment[i]; i++) {
        if (strncmp(environment[i], name, name_len) != 0) {
            list[count++] = environment[i];
            continue;
        }
        if (path->len > 0)
            continue;
        str_add(path, name);
        for (const char *at = environment[i] + name_len; *at != '\0';) {
            const size_t len = strcspn(at, ":");
            if (at[0] == '/')
                str_addf(path, "%s%.*s", path->len > name_len ? ":" : "", (int)len, at);
            at += len + (at[len] == ':');
        }
        if (path->len > name_len)
            list[count++] = path->data;
        else
            str_clear(path);
    }
    return list;
}

static bool start_tool(struct tool *tool, int *number_out, struct err *err)
{
    const struct tool_call *call = tool->call;
    struct str path = {0};
    char **clean = call->keeps_path ? NULL : clean_environment(call->environment, &path);
    const struct launch_input input = {.bytes = call->input, .len = call->input_len};
    const struct launch_call launch = {.argv = call->argv,
                                       .environment = clean ? clean : call->environment,
                                       .cwd = call->cwd,
                                       .stdin_path = call->input_path,
                                       .input = call->input ? &input : NULL,
                                       .in_our_session = !call->own_session,
                                       .limits = call->limits};
    if (call->own_session)
        sweep_helper_starts();
    const bool ok = launch_process(&launch, &tool->process, number_out, err);
    if (call->own_session)
        sweep_helper_started(ok ? tool->process.pid : 0);
    free(clean);
    str_done(&path);
    if (ok && call->started)
        call->started(call->ctx, tool->process.pid);
    return ok;
}

static void close_pipe(struct tool *tool, int stream)
{
    if (tool->process.pipes[stream] >= 0)
        (void)close(tool->process.pipes[stream]);
    tool->process.pipes[stream] = -1;
}

/* Reads a stream once. Returns false if there is nothing to read now. */
static bool read_tool(struct tool *tool, int stream, struct tool_result *out)
{
    char bytes[READ_BYTES];
    if (tool->process.pipes[stream] < 0)
        return false;
    const ssize_t got = read(tool->process.pipes[stream], bytes, sizeof(bytes));
    if (got > 0) {
        /* Keeps the bytes that fit and drops the rest. */
        struct str *text = stream == 0 ? &out->out : &out->err;
        bool *cut = stream == 0 ? &out->out_cut : &out->err_cut;
        const size_t max = stream == 0 ? tool->out_max : tool->err_max;
        const size_t room = text->len < max ? max - text->len : 0;
        const size_t len = (size_t)got;
        if (len > room)
            *cut = true;
        str_add_n(text, bytes, len < room ? len : room);
    }
    const bool later = got < 0 && (errno == EAGAIN || errno == EINTR);
    if (got <= 0 && !later)
        close_pipe(tool, stream);
    return got > 0;
}

/* Sends TERM to the program at its deadline, when the stop flag is set or when it has printed too
 * much, and KILL if it is still running after TOOL_GRACE_MS. */
static void look_at_limits(struct tool *tool, struct tool_result *out)
{
    const int64_t now_ms = clock_now().mono_ms;
    const int64_t late_ms = now_ms - tool->seen_ms - LOOK_MS;
    if (late_ms > TOOL_LATE_MS)
        tool->limit_ms += late_ms;
    tool->seen_ms = now_ms;
    if (tool->kill_ms != INT64_MAX) {
        if (now_ms >= tool->kill_ms)
            (void)kill(-tool->process.pid, SIGKILL); /* it may have exited already */
        return;
    }
    out->stopped = tool->call->stop && atomic_load(tool->call->stop);
    out->timed_out = !out->stopped && now_ms >= tool->limit_ms;
    const bool is_full = tool->call->ends_when_full && out->out_cut;
    if (out->stopped || out->timed_out || is_full) {
        if (tool->call->terminate)
            tool->call->terminate(tool->call->ctx, SIGTERM);
        else
            (void)kill(-tool->process.pid, SIGTERM); /* it may have exited already */
        tool->kill_ms = now_ms + TOOL_GRACE_MS;
    }
}

/* Waits until the process has ended, even if other processes still hold its pipes. Checks the
 * limits first: a program that was stopped before it began must not count as successful, even if it
 * exits at once. */
static void attend_tool(struct tool *tool, struct tool_result *out)
{
    for (;;) {
        struct pollfd fds[] = {
            {.fd = tool->process.pidfd, .events = POLLIN},
            {.fd = tool->process.pipes[0], .events = POLLIN},
            {.fd = tool->process.pipes[1], .events = POLLIN},
        };
        look_at_limits(tool, out);
        const int ready = poll(fds, ARRAY_LEN(fds), LOOK_MS);
        for (int i = 0; ready > 0 && i < 2; i++) {
            if (fds[i + 1].revents != 0)
                (void)read_tool(tool, i, out);
        }
        if (ready > 0 && fds[0].revents != 0)
            return;
    }
}

static void finish_tool(struct tool *tool, struct tool_result *out)
{
    int status = 0;
    for (int stream = 0; stream < 2; stream++) {
        for (int i = 0; i < DRAIN_MAX && read_tool(tool, stream, out); i++)
            continue;
        close_pipe(tool, stream);
    }
    (void)kill(-tool->process.pid, SIGKILL); /* any leftover processes */
    (void)close(tool->process.pidfd);
    pid_t got;
    do
        got = waitpid(tool->process.pid, &status, 0);
    while (got < 0 && errno == EINTR);
    if (tool->call->own_session)
        sweep_helper_ended(tool->process.pid);
    if (got >= 0 && WIFSIGNALED(status))
        out->signal_number = WTERMSIG(status);
    if (got < 0)
        out->exit_code = SIGNAL_BASE; /* reaped by other code, so its status is unknown */
    else
        out->exit_code =
            WIFSIGNALED(status) ? SIGNAL_BASE + out->signal_number : WEXITSTATUS(status);
    for (int i = 0; i < REAP_MAX && waitpid(-tool->process.pid, NULL, WNOHANG) > 0; i++)
        continue;
}

bool tool_run(const struct tool_call *call, struct tool_result *out, int *number_out,
              struct err *err)
{
    assert(call->argv[0]);
    assert(call->cwd[0] == '/');
    assert(call->timeout_ms >= 0);

    const int64_t now_ms = clock_now().mono_ms;
    struct tool tool = {
        .call = call,
        .seen_ms = now_ms,
        .limit_ms = now_ms + (call->timeout_ms > 0 ? call->timeout_ms : TOOL_TIMEOUT_MS),
        .kill_ms = INT64_MAX,
        .out_max = call->out_max > 0 ? call->out_max : TOOL_OUT_BYTES,
        .err_max = call->err_max > 0 ? call->err_max : TOOL_ERR_BYTES,
    };
    struct tool_result result = {0};
    int number = 0;
    if (!start_tool(&tool, &number, err)) {
        if (number_out)
            *number_out = number;
        return false;
    }
    attend_tool(&tool, &result);
    finish_tool(&tool, &result);
    *out = result;
    return true;
}

void tool_result_done(struct tool_result *result)
{
    if (!result)
        return;
    str_done(&result->out);
    str_done(&result->err);
}

bool tool_succeeded(const struct tool_result *result, const char *what, struct err *err)
{
    if (result->stopped)
        return err_set(err, ERR_BUSY, "%s: stopped", what);
    if (result->timed_out)
        return err_set(err, ERR_LIMIT, "%s: timed out", what);
    const bool was_full = result->out_cut && result->signal_number != 0;
    if (result->exit_code != 0 && !was_full) {
        /* Find the last non-empty line. */
        const char *text = str_text(&result->err);
        char line[LAST_LINE_MAX];
        size_t len = result->err.len;
        while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
            len--;
        size_t from = len;
        while (from > 0 && text[from - 1] != '\n')
            from--;
        (void)snprintf(line, sizeof(line), "%.*s", (int)(len - from), text + from);
        if (line[0] == '\0')
            return err_set(err, ERR_IO, "%s: exit %d", what, result->exit_code);
        return err_set(err, ERR_IO, "%s: %s (exit %d)", what, line, result->exit_code);
    }
    if (result->out_cut)
        return err_set(err, ERR_LIMIT, "%s: output exceeds %zu bytes", what, result->out.len);
    return true;
}

bool tool_ask(const char *const *words, char *const *environment, int64_t timeout_ms,
              struct tool_result *out, struct err *err)
{
    assert(words[0]);
    struct arg_list argv = {0};
    for (size_t i = 0; words[i]; i++)
        arg_list_add(&argv, words[i]);
    const struct tool_call call = {
        .argv = argv.items, .environment = environment, .cwd = "/", .timeout_ms = timeout_ms};
    const char *slash = strrchr(words[0], '/');
    bool ok =
        tool_run(&call, out, NULL, err) && tool_succeeded(out, slash ? slash + 1 : words[0], err);
    arg_list_done(&argv);
    return ok;
}
