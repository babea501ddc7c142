/* proxy.c - executes the calls of a client as tasks of one run; the event loop of the proxy, and
 * its shutdown in stages.
 *
 * When the client closes its end, its calls have PROXY_GRACE_MS to end. After that, or at once if
 * the client disconnects or a signal arrives, they are cancelled. A second signal ends the loop.
 * Reading pauses while the client does not read its replies (MCP_OUT_HIGH). */
#include "proxy.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"
#include "control_desk.h"
#include "engine.h"
#include "follower.h"
#include "mcp_request.h"
#include "mcp_server.h"
#include "mcp_wire.h"
#include "place.h"
#include "redact.h"
#include "session_tree.h"
#include "watch.h"
#include "xalloc.h"

/* Executes the calls of a server: each is a task of one run, which begins with the first call.
 * Results are read from the log. */

struct executor {
    const struct proxy_options *options; /* borrowed */
    struct mcp_server *server;           /* borrowed */
    struct mcp_setting setting;
    struct place place;
    struct session_tree *tree; /* owned; NULL = calls run in place */
    struct engine *engine;     /* owned; NULL before the first call */
    struct follower *follower; /* owned; NULL before the first call */
    struct control_desk *desk; /* owned; NULL before the first call */
    struct mcp_loops *loops;   /* owned; NULL before the first call */
    char by[CONTROL_BY_MAX];   /* name under which the run is started and calls are cancelled */
    char *name;                /* owned; name of the run */
    int64_t run;               /* run number */
    int64_t calls;             /* number of calls so far */
    bool is_closed;            /* no more calls are accepted */
};

/* The state of a call that is being executed. */
struct execution {
    int task;
    bool cancel_wanted;  /* a cancel still has to be requested */
    int64_t reported_ms; /* when progress was last reported; steady clock */
    enum step_status reported_status;
    int reported_attempt;
};

/* Beginning and ending the run that has a task for each call. */

/* Frees everything that belongs to a run, even if opening it failed halfway. */
static void free_run(struct executor *executor)
{
    control_desk_stop(executor->desk);
    follower_close(executor->follower);
    engine_stop(executor->engine, NULL);
    session_tree_close(executor->tree);
    free(executor->name);
    executor->desk = NULL;
    executor->follower = NULL;
    executor->engine = NULL;
    executor->tree = NULL;
    executor->name = NULL;
}

/* Begins the run. Cleans up after a failure, so that the caller can try again. */
static bool executor_run_begin(struct executor *executor, struct err *err)
{
    struct engine_options options = executor->options->engine;
    const char *client = *executor->server->client != '\0' ? executor->server->client : "mcp";
    (void)snprintf(executor->by, sizeof(executor->by), "%s", client);
    executor->name = xstrdup(executor->options->name ? executor->options->name : client);
    bool ok = place_find(executor->options->db, true, &executor->place, err);
    options.place = &executor->place;
    options.kind = "mcp";
    options.name = executor->name;
    options.by = executor->by;
    options.at_end = ENGINE_LEAVE;

    /* Makes the workspace that calls run in, unless they run in place. */
    const struct workspace_spec *spec = executor->options->workspace;
    if (ok && spec && spec->kind != WORKSPACE_INPLACE) {
        const struct session_tree_call tree = {.spec = spec,
                                               .run_dir = options.run_dir,
                                               .log_dir = executor->place.dir,
                                               .log_db = executor->place.db,
                                               .sandbox = &options.plan->sandbox,
                                               .processes = options.plan->limits.processes,
                                               .seed = options.seed,
                                               .environment = options.environment};
        ok = session_tree_make(&executor->tree, &tree, err);
        if (ok)
            options.run_dir = session_tree_dir(executor->tree);
    }
    ok = ok && engine_start(&executor->engine, &options, &executor->run, err) &&
         follower_open(&executor->follower, &executor->place, executor->run, err) &&
         control_desk_start(&executor->desk, &executor->place, err);
    if (!ok) {
        free_run(executor);
        return false;
    }
    follower_watch(executor->follower);
    mcp_loops_open(&executor->loops, &options.plan->loops);
    if (executor->tree) { /* calls do not run in the user's own directory */
        struct str note = {0};
        str_addf(&note, "the session's calls run in %s", session_tree_dir(executor->tree));
        engine_note(executor->engine, -1, str_text(&note));
        str_done(&note);
    }
    return true;
}

/* Initializes the executor; the run begins with the first call. Borrows `options` and `server`. */
static void executor_init(struct executor *executor, const struct proxy_options *options,
                          struct mcp_server *server)
{
    *executor = (struct executor){.options = options, .server = server};
    executor->setting = (struct mcp_setting){.tests = options->tests,
                                             .program = options->program,
                                             .kept = options->engine.plan->sandbox.kind};
}

/* Starting, watching and answering calls. */

/* Begins a call. An mcp_host function; ctx is the executor. */
static void executor_begin(void *ctx, struct mcp_call *call)
{
    struct executor *executor = ctx;
    struct err err = {0};
    int task = 0;
    bool ok = false;

    /* If calls run in a separate workspace, repeating a call cannot harm the user's files. */
    const struct workspace_spec *spec = executor->options->workspace;
    if (!call->request.says_idempotent && spec && workspace_can_be_reset(spec))
        call->request.idempotent = true;
    if (executor->is_closed) {
        (void)err_set(&err, ERR_INVALID, "run #%lld of this session has ended",
                      (long long)executor->run);
        (void)err_hint(&err, "A person or the end of the session stopped it: make no more calls, "
                             "and ask what to do.");
    } else if (executor->engine || executor_run_begin(executor, &err)) {
        struct str json = {0};
        ok = mcp_task_write(&call->request, &executor->setting, executor->calls + 1, &json, &err);
        if (ok) {
            const struct engine_task added = {.json = str_text(&json),
                                              .json_len = json.len,
                                              .stdin_bytes = call->request.input,
                                              .stdin_len = call->request.input_len};
            ok = engine_add(executor->engine, &added, &task, &err);
        }
        str_done(&json);
    }
    if (!ok) { /* tells the agent that the call was not executed, and why */
        struct str members = {0};
        mcp_reply_refusal(&members, err.message, err.hint);
        mcp_server_answer(executor->server, call, str_text(&members));
        str_done(&members);
        return;
    }
    struct execution *execution = xcalloc(1, sizeof(*execution));
    execution->task = task;
    execution->reported_ms = clock_now().mono_ms;
    call->execution = execution;
    executor->calls++;
}

/* Cancels a call that the client no longer wants. Once it has ended, finish_call() removes it
 * without a reply. If the desk's queue is full, the next executor_look() tries again. An mcp_host
 * function. */
static void executor_take_back(void *ctx, struct mcp_call *call)
{
    struct executor *executor = ctx;
    struct execution *execution = call->execution;
    struct control control = {.verb = CONTROL_CANCEL,
                              .mode = CANCEL_TERM,
                              .task = execution->task,
                              .step = -1,
                              .key_at_ms = clock_now().at_ms};
    int64_t ticket = 0;
    (void)snprintf(control.by, sizeof(control.by), "%s", executor->by);
    execution->cancel_wanted =
        !control_desk_ask(executor->desk, executor->run, &control, &ticket, NULL);
}

static void finish_call(struct executor *executor, struct mcp_call *call, const char *members)
{
    free(call->execution);
    call->execution = NULL;
    mcp_server_answer(executor->server, call, members);
}

/* Answers a call that has ended. Checks whether the agent is in a loop, and reports that to the
 * agent and the log. */
static void answer_call(struct executor *executor, struct mcp_call *call)
{
    const struct execution *execution = call->execution;
    const struct run_state *state = follower_state(executor->follower);
    const struct attempt_state *attempt =
        step_state_attempt(run_state_step(state, execution->task));
    struct mcp_output output = {0};
    struct entropy_verdict loop = {0};
    struct str nudge = {0};
    struct str members = {0};
    struct err err = {0};
    const struct log_output_key key = {
        .run = executor->run, .task = execution->task, .attempt = attempt ? attempt->number : 0};
    bool ok = !attempt || mcp_output_read(follower_reader(executor->follower), &key, &output, &err);
    struct mcp_ended ended = {.state = state,
                              .run = executor->run,
                              .task = execution->task,
                              .request = &call->request,
                              .output = &output,
                              .loop = &loop};
    if (ok && state->tasks[execution->task].status != TASK_CANCELLED) {
        const struct mcp_loops_call of = {.tool = mcp_tool_name(call->request.tool),
                                          .args = call->request.args,
                                          .output = &output,
                                          .failed = mcp_ended_failed(&ended),
                                          .transient = mcp_ended_is_transient(&ended)};
        mcp_loops_add(executor->loops, &of, &loop, &nudge);
    }
    /* The engine redacts the secrets of the run. The secrets in the call's own variables are
     * redacted here. The redactor can be opened: otherwise the call would not have been added. */
    const struct redact_setting own = {.environment = call->request.env};
    struct redactor *redactor = NULL;
    if (loop.news && redactor_open(&redactor, &own, NULL)) {
        char *note = redact_string(redactor, str_text(&nudge), NULL);
        engine_note(executor->engine, execution->task, note);
        free(note);
        redactor_close(redactor);
    }
    ended.nudge = ok ? str_text(&nudge) : err.message;
    mcp_result_write(&ended, &members);
    finish_call(executor, call, str_text(&members));
    mcp_output_done(&output);
    str_done(&nudge);
    str_done(&members);
}

static void tell_progress(struct executor *executor, struct mcp_call *call,
                          const struct moment *now)
{
    struct execution *execution = call->execution;
    const struct run_state *state = follower_state(executor->follower);
    if (call->token.len == 0 || execution->task >= state->plan->task_count)
        return;
    const struct step_state *step = run_state_step(state, execution->task);
    const int attempts = (int)step->attempt_count;
    const bool is_news =
        step->status != execution->reported_status || attempts != execution->reported_attempt;
    const int64_t apart_ms = step->status == STEP_RUNNING ? PROXY_RUNS_MS : PROXY_LOOK_MS;
    if (!is_news && now->mono_ms - execution->reported_ms < apart_ms)
        return;
    struct str words = {0};
    shown_progress(state, execution->task, now, &words);
    mcp_server_progress(executor->server, call, str_text(&words));
    str_done(&words);
    execution->reported_ms = now->mono_ms;
    execution->reported_status = step->status;
    execution->reported_attempt = attempts;
}

/* Copies the list of calls, because answering one removes it from the server's list. */
static size_t list_calls(const struct executor *executor, struct mcp_call *out[MCP_CALLS_MAX])
{
    const struct mcp_server *server = executor->server;
    for (size_t i = 0; i < server->call_count; i++)
        out[i] = server->calls[i];
    return server->call_count;
}

/* Tells the client that the outcome of all pending calls is unknown. */
static void lose_calls(struct executor *executor, const char *why)
{
    struct mcp_call *calls[MCP_CALLS_MAX];
    const size_t count = list_calls(executor, calls);
    for (size_t i = 0; i < count; i++) {
        struct str members = {0};
        mcp_reply_unknown(&members, why);
        finish_call(executor, calls[i], str_text(&members));
        str_done(&members);
    }
}

/* Accepts no more calls, and answers all pending calls. Call this when the engine has ended and its
 * last events were read. */
static void executor_engine_ended(struct executor *executor)
{
    executor->is_closed = true;
    lose_calls(executor, "the run has ended, and the log does not show how the call ended");
}

/* Reads new events, answers finished calls and reports progress. Fails if the log cannot be read
 * any more; in that case, all calls have been answered with the error. */
static bool executor_look(struct executor *executor, struct err *err)
{
    struct mcp_call *calls[MCP_CALLS_MAX];
    const struct moment now = clock_now();
    if (!executor->engine)
        return true;
    (void)follower_heard(executor->follower);
    bool ok = follower_read(executor->follower, 0, NULL, NULL, NULL, err);
    const struct run_state *state = follower_state(executor->follower);
    const size_t count = list_calls(executor, calls);
    for (size_t i = 0; i < count && ok; i++) {
        const struct execution *execution = calls[i]->execution;
        const bool is_over = execution->task < state->plan->task_count &&
                             task_status_is_final(state->tasks[execution->task].status);
        if (!is_over) {
            if (execution->cancel_wanted)
                executor_take_back(executor, calls[i]);
            tell_progress(executor, calls[i], &now);
        } else if (calls[i]->is_taken_back) {
            finish_call(executor, calls[i], "");
        } else {
            answer_call(executor, calls[i]);
        }
    }
    if (!ok)
        lose_calls(executor, err->message);
    if (ok && state->ended)
        executor->is_closed = true;
    return ok;
}

/* Returns a descriptor that is readable when there are new events; -1 if the log is not open yet or
 * the caller has to poll. */
static int executor_news_fd(const struct executor *executor)
{
    return executor->follower ? follower_fd(executor->follower) : -1;
}

/* Returns how long to wait without new events before the next executor_look(), in ms; -1 =
 * forever. */
static int executor_wait_ms(const struct executor *executor)
{
    const bool waits = executor->server->call_count > 0;
    if (executor->engine && executor_news_fd(executor) < 0)
        return WATCH_POLL_MS;
    return waits ? PROXY_LOOK_MS : -1;
}

/* Returns a descriptor that is readable once the engine has ended on its own; -1 if no engine
 * runs. */
static int executor_done_fd(const struct executor *executor)
{
    return executor->engine ? engine_done_fd(executor->engine) : -1;
}

/* Accepts no more calls. The run ends when the current ones have ended. */
static void executor_close(struct executor *executor)
{
    executor->is_closed = true;
    if (executor->engine)
        engine_close_plan(executor->engine);
}

/* Sends SIGTERM to everything that runs; executor_stop() kills the rest. */
static void executor_cancel(struct executor *executor)
{
    if (executor->engine)
        engine_cancel(executor->engine, executor->by);
}

/* Ends the run and frees everything; sets `result` to the engine's result. */
static void executor_stop(struct executor *executor, struct proxy_result *result)
{
    struct engine_result ended = {0};
    result->calls = executor->calls;
    for (size_t i = 0; i < executor->server->call_count; i++) {
        free(executor->server->calls[i]->execution);
        executor->server->calls[i]->execution = NULL;
    }
    result->run = executor->run;
    if (executor->engine) {
        engine_stop(executor->engine, &ended);
        executor->engine = NULL;
        result->recording_failed = ended.recording_failed;
        result->err = ended.err;
        result->notify_err = ended.notify_err;
    }
    if (executor->tree) { /* keeps the files of the workspace */
        struct str title = {0};
        str_addf(&title, "devs mcp: %s", executor->name);
        if (!session_tree_keep(executor->tree, str_text(&title), &result->kept, &result->err))
            result->recording_failed = true;
        str_done(&title);
    }
    free_run(executor);
    mcp_loops_close(executor->loops);
    executor->loops = NULL;
}

/* The loop: reads the client, looks at the run, writes replies, and shuts down in stages. */

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

/* Stops everything that runs, because the client has disconnected. */
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
