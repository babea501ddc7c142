#include "sandbox_run.h"

static void note_start(void *ctx, pid_t pid)
{
    sandbox_started(ctx, (int)pid);
}

/* bwrap itself must stay, or what runs inside gets KILL at once; a container's client passes TERM
 * on. */
static void send_signal(void *ctx, int signal_number)
{
    sandbox_signal(ctx, signal_number);
}

static struct outcome raw_outcome(const struct tool_result *result)
{
    if (result->timed_out)
        return (struct outcome){.kind = OUTCOME_TIMEOUT};
    if (result->stopped)
        return (struct outcome){.kind = OUTCOME_CANCELLED};
    if (result->signal_number != 0)
        return (struct outcome){.kind = OUTCOME_SIGNAL, .code = result->signal_number};
    return (struct outcome){.kind = OUTCOME_EXIT, .code = result->exit_code};
}

static bool run_prepared(struct sandbox *sandbox, int64_t timeout_ms, const atomic_bool *stop,
                         struct sandbox_ran *out, struct err *err)
{
    struct sandbox_launch launch;
    sandbox_launch(sandbox, &launch);
    const struct tool_call tool = {.argv = launch.argv,
                                   .environment = launch.environment,
                                   .cwd = launch.cwd,
                                   .timeout_ms = timeout_ms,
                                   .stop = stop,
                                   .limits = launch.limits,
                                   .keeps_path = true,
                                   .own_session = true,
                                   .started = note_start,
                                   .terminate = launch.signals_apart ? send_signal : NULL,
                                   .ctx = sandbox};
    if (!tool_run(&tool, &out->tool, &out->start_code, err))
        return false;
    const struct outcome raw = raw_outcome(&out->tool);
    const struct outcome *outcome = &out->end.outcome;
    sandbox_finish(sandbox, &raw, str_text(&out->tool.err), &out->end);
    if (outcome->kind == OUTCOME_NOT_STARTED) {
        out->start_code = outcome->code;
        return err_set(err, ERR_IO, "%s", out->end.start_why);
    }
    if (outcome->left > 0) {
        out->start_code = START_LEFT_ALIVE;
        return err_set(err, ERR_IO, "%d of its processes cannot be ended", outcome->left);
    }
    if (outcome->kind == OUTCOME_EXIT) {
        out->tool.exit_code = outcome->code;
        out->tool.signal_number = 0;
    }
    out->start_code = 0;
    return true;
}

bool sandbox_run(const struct sandbox_call *call, int64_t timeout_ms, const atomic_bool *stop,
                 struct sandbox_ran *out, struct err *err)
{
    struct sandbox *sandbox = NULL;
    *out = (struct sandbox_ran){.end = {.memory_killed = -1}};
    if (!sandbox_prepare(&sandbox, call, stop, &out->start_code, err))
        return false;
    const bool ok = run_prepared(sandbox, timeout_ms, stop, out, err);
    sandbox_close(sandbox);
    return ok;
}
