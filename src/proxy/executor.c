/*
 * executor.c - executes the calls of the proxy as tasks of one run, and answers them from the log.
 *
 * The run begins with the first call, and its workspace is kept at the end. executor_look() comes
 * after every event: it reads the log and answers the calls that have ended. When the run is gone,
 * calls whose outcome cannot be known are answered as such.
 */
#include "mcp_server.h"

#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "mcp_request.h"
#include "redact.h"
#include "watch.h"
#include "xalloc.h"

/* The state of a call that is being executed. */
struct execution {
    int task;
    bool cancel_wanted; /* still to be requested */
    int64_t told_ms;    /* when progress was last reported; steady clock */
    enum step_status told_status;
    int told_attempt;
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

/* Begins the run. After a failure nothing is left over, and it can be tried again. */
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
    if (executor->tree) { /* the calls do not work in the user's own directory */
        struct str note = {0};
        str_addf(&note, "its calls run in %s", session_tree_dir(executor->tree));
        engine_note(executor->engine, -1, str_text(&note));
        str_done(&note);
    }
    return true;
}

void executor_init(struct executor *executor, const struct proxy_options *options,
                   struct mcp_server *server)
{
    *executor = (struct executor){.options = options, .server = server};
    executor->setting = (struct mcp_setting){.tests = options->tests,
                                             .program = options->program,
                                             .kept = options->engine.plan->sandbox.kind};
}

/* Starting, watching and answering calls. */

void executor_begin(void *ctx, struct mcp_call *call)
{
    struct executor *executor = ctx;
    struct err err = {0};
    int task = 0;
    bool ok = false;

    /* In a workspace of its own, repeating a call cannot harm the user's files. */
    const struct workspace_spec *spec = executor->options->workspace;
    if (!call->request.says_idempotent && spec && workspace_can_be_reset(spec))
        call->request.idempotent = true;
    if (executor->is_closed) {
        (void)err_set(&err, ERR_INVALID, "run #%lld of this session is over",
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
    execution->told_ms = clock_now().mono_ms;
    call->execution = execution;
    executor->calls++;
}

/* Requests a cancel; if the desk's queue is full, the next executor_look() tries again. */
void executor_take_back(void *ctx, struct mcp_call *call)
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
    /* The engine redacts the secrets of the run; those in the call's own variables are redacted
     * here. The redactor can be opened, or the call would not have been added. */
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
        step->status != execution->told_status || attempts != execution->told_attempt;
    const int64_t apart_ms = step->status == STEP_RUNNING ? PROXY_RUNS_MS : PROXY_LOOK_MS;
    if (!is_news && now->mono_ms - execution->told_ms < apart_ms)
        return;
    struct str words = {0};
    mcp_progress_words(state, execution->task, now, &words);
    mcp_server_progress(executor->server, call, str_text(&words));
    str_done(&words);
    execution->told_ms = now->mono_ms;
    execution->told_status = step->status;
    execution->told_attempt = attempts;
}

/* Copies the list of calls, because answering one removes it from the server's list. */
static size_t list_calls(const struct executor *executor, struct mcp_call *out[MCP_CALLS_MAX])
{
    const struct mcp_server *server = executor->server;
    for (size_t i = 0; i < server->call_count; i++)
        out[i] = server->calls[i];
    return server->call_count;
}

/* Answers all pending calls: their outcome will never be known. */
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

void executor_engine_ended(struct executor *executor)
{
    executor->is_closed = true;
    lose_calls(executor, "the run has ended, and the log does not show how the call ended");
}

bool executor_look(struct executor *executor, struct err *err)
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

int executor_wait_ms(const struct executor *executor)
{
    const bool waits = executor->server->call_count > 0;
    if (executor->engine && executor_news_fd(executor) < 0)
        return WATCH_POLL_MS;
    return waits ? PROXY_LOOK_MS : -1;
}

int executor_news_fd(const struct executor *executor)
{
    return executor->follower ? follower_fd(executor->follower) : -1;
}

int executor_done_fd(const struct executor *executor)
{
    return executor->engine ? engine_done_fd(executor->engine) : -1;
}

void executor_close(struct executor *executor)
{
    executor->is_closed = true;
    if (executor->engine)
        engine_close_plan(executor->engine);
}

void executor_cancel(struct executor *executor)
{
    if (executor->engine)
        engine_cancel(executor->engine, executor->by);
}

void executor_stop(struct executor *executor, struct proxy_result *result)
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
