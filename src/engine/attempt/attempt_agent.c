/*
 * attempt_agent.c - handles an attempt whose step prompts an agent.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "adapter.h"
#include "attempt.h"
#include "clock.h"
#include "err.h"
#include "str.h"
#include "tree_folder.h"

/* Writes the text to `path` (relative and already validated) in the folder `dir`, either completely
 * or not at all, readable only by its owner. Creates missing parent folders. Follows no symlinks,
 * because the agent may have created some there. */
static bool agent_output_write(const char *dir, const char *path, const struct str *text,
                               struct err *err)
{
    struct tree_folder folder;
    struct err why = {0};
    const char *name = NULL;
    int fd = -1;
    const int top = tree_folder_open(AT_FDCWD, dir);
    if (top < 0)
        return err_set_errno(err, errno, "cannot open '%s'", dir);
    tree_folder_init(&folder, top);
    bool ok = tree_folder_make_parents(top, path, &why) &&
              tree_folder_reach(&folder, path, &fd, &name, &why);
    ok = ok && whole_file_write_at(fd, name, text, &why);
    tree_folder_done(&folder);
    (void)close(top); /* a folder opened for reading; nothing to flush */
    return ok || err_set(err, why.code, "cannot write output '%s': %s", path, why.message);
}

static void take_fact(void *ctx, const struct event *fact)
{
    const struct attempt *attempt = ctx;
    attempt->watcher.fact(attempt->watcher.ctx, attempt, fact);
}

/* Adds the agent's text to the fingerprint: this is its result. The raw output of its CLI contains
 * numbers that differ every time. */
static void take_words(void *ctx, const char *bytes, size_t len)
{
    fingerprint_add(attempt_fingerprint(ctx), 0, bytes, len);
}

static struct entropy_memory *find_memory(void *ctx)
{
    const struct attempt *attempt = ctx;
    return gains_calls(attempt->setting->gains, attempt->task);
}

/* Stops an agent that would retry for minutes although only a person can fix the cause, such as a
 * wrong key or an exhausted quota. */
static void take_retry(void *ctx)
{
    struct attempt *attempt = ctx;
    const struct classify_input evidence = {.agent = attempt->plan->agent->adapter,
                                            .stream = attempt->agent->stream,
                                            .one_shot = true,
                                            .memory_killed = -1,
                                            .now_ms = clock_now().at_ms};
    struct verdict verdict;
    if (attempt->is_hopeless || !attempt_is_live(attempt) ||
        !classify_own_retry(attempt->setting->classifier, &evidence, &verdict) || !verdict.ask)
        return;
    attempt->is_hopeless = true;
    attempt_cancel(attempt, CANCEL_TERM);
}

static void take_call(struct attempt *attempt)
{
    const struct agent_run *agent = attempt->agent;
    attempt->call.argv = agent->argv;
    attempt->call.input = agent->on_stdin ? &agent->input : NULL;
}

void attempt_open_agent(struct attempt *attempt)
{
    const struct attempt_setting *setting = attempt->setting;
    const struct agent_run_call call = {.plan = attempt->plan,
                                        .state = setting->state,
                                        .redactor = setting->redactor,
                                        .task = attempt->task,
                                        .step = attempt->step,
                                        .attempt = attempt->number,
                                        .now_ms = attempt->heard_ms,
                                        .line_max = setting->call.plan->limits.output_line_bytes};
    const struct agent_listener listener = {.ctx = attempt,
                                            .fact = take_fact,
                                            .words = take_words,
                                            .memory = find_memory,
                                            .retry = take_retry};
    agent_run_open(&attempt->agent, &call, &listener);
    if (!attempt->agent->session)
        gains_forget_calls(setting->gains, attempt->task);
    take_call(attempt);
}

bool attempt_lost_session(const struct attempt *attempt)
{
    const struct agent_run *agent = attempt->agent;
    if (!agent || !agent->session || attempt->end.outcome.kind != OUTCOME_EXIT ||
        attempt->end.outcome.code == 0)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct classify_text tail = output_tail(&attempt->streams[i], CLASSIFY_TAIL_MAX);
        if (tail.len > 0 &&
            adapter_session_is_unknown(attempt->plan->agent->adapter, tail.bytes, tail.len))
            return true;
    }
    return false;
}

void attempt_begin_anew(struct attempt *attempt)
{
    struct workspace_slot *slot = attempt->around ? attempt->around->call.slot : NULL;
    for (int i = 0; i < 2; i++)
        attempt->judged_from[i] = attempt->streams[i].bytes;
    attempt->end = (struct child_end){0};
    attempt->memory_killed = -1;
    attempt->memory_words[0] = '\0';
    agent_run_begin_anew(attempt->agent);
    gains_forget_calls(attempt->setting->gains, attempt->task);
    take_call(attempt);
    if (!attempt->around)
        return;
    surroundings_close(attempt->around);
    attempt->around = NULL;
    attempt_open_surroundings(attempt, slot);
}

bool attempt_has_output(const struct attempt *attempt)
{
    return attempt->agent && attempt->plan->agent->output;
}

void attempt_write_output(struct attempt *attempt, struct verdict *verdict)
{
    const char *path = attempt->plan->agent->output;
    struct str whole = {0};
    struct str text = {0};
    struct err err = {0};
    bool ok =
        agent_stream_final(attempt->agent->stream, &whole, NULL) ||
        err_set(&err, ERR_NOT_FOUND, "cannot write output '%s': the agent gave no result", path);
    const char *answer = str_text(&whole);
    size_t len = whole.len;
    if (attempt->plan->contract)
        contract_unfence(attempt->plan->contract->schema, &answer, &len);
    attempt_redact(attempt, answer, len, &text);
    ok = ok && agent_output_write(attempt->call.cwd, path, &text, &err);
    if (!ok) {
        verdict_set_persistent(verdict, REASON_SETUP, "OUTPUT", "known.output");
        verdict_set_match(verdict, err.message);
    }
    str_done(&whole);
    str_done(&text);
}
