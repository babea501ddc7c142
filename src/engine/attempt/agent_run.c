/*
 * agent_run.c - one run of an agent's CLI: its prompt, and its output as messages, calls and usage.
 *
 * Each message and each finished call is logged, and added to the trajectory that the loop detector
 * examines. The text is redacted again here: a secret that was split by JSON escapes may be whole
 * after parsing. The prompt depends on what the session has received already, because an earlier
 * attempt may have failed before it reached the session. Thread: engine.
 */
#include "attempt_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "clock.h"
#include "entropy.h"
#include "redact.h"
#include "repair.h"
#include "text.h"
#include "xalloc.h"

/* Parses the agent CLI's output as it arrives: messages, calls, usage. */

static_assert((int)AGENT_TEXT_MAX >= (int)AGENT_MESSAGE_MAX, "a message that is looked at is kept");

static void show_item(struct agent_run *run, const struct agent_item *item)
{
    struct str whole = {0};
    struct str words = {0};
    agent_item_words(item, &whole);
    redact_text(run->call.redactor, str_text(&whole), whole.len, &words, NULL);
    for (size_t at = 0; at < words.len;) {
        const size_t left = words.len - at;
        const size_t len = left < OUTPUT_PIECE_BYTES ? left : OUTPUT_PIECE_BYTES;
        output_add(&run->words, words.data + at, len);
        run->listener.words(run->listener.ctx, words.data + at, len);
        at += len;
    }
    str_done(&whole);
    str_done(&words);
}

static void hear_session(struct agent_run *run, const char *session)
{
    if (!session || (run->logged_session && strcmp(run->logged_session, session) == 0))
        return;
    if (run->logged_sessions == AGENT_SESSIONS_MAX)
        return;
    run->logged_sessions++;
    free(run->logged_session);
    run->logged_session = xstrdup(session);
    struct event fact = event_new(EVENT_AGENT_SESSION);
    fact.session.agent = adapter_name(run->call.plan->agent->adapter);
    fact.session.session = session;
    fact.session.resumed = run->session != NULL;
    run->listener.fact(run->listener.ctx, &fact);
}

/* Appends the first line of the text, sanitized for display. Redacts it again: a secret that was
 * split by JSON escapes may be whole now. */
static void add_line(const struct agent_run *run, struct str *out, const char *text, size_t max)
{
    struct str cut = {0};
    struct str clean = {0};
    redact_text(run->call.redactor, text, strcspn(text, "\n"), &cut, NULL);
    text_clean(&clean, str_text(&cut), cut.len);
    str_add_n(out, str_text(&clean), text_cut(str_text(&clean), clean.len, max));
    str_done(&clean);
    str_done(&cut);
}

/* Returns how long the call took, and stops timing it; 0 if its start was not seen. */
static int64_t end_call(struct agent_run *run, int64_t number)
{
    for (size_t i = 0; number > 0 && i < run->open_count; i++) {
        if (run->open[i].number != number)
            continue;
        const int64_t ms = clock_now().mono_ms - run->open[i].began_ms;
        run->open[i] = run->open[--run->open_count];
        return ms;
    }
    return 0;
}

/* Logs a message or a call, and adds it to the agent's trajectory. `running` is true if the call
 * has no result yet. */
static void tell_step(struct agent_run *run, const struct agent_item *item, bool running)
{
    const bool is_call = item->kind != AGENT_ITEM_TEXT;
    const char *what = is_call ? item->what : item->text;
    struct str tool = {0};
    struct str line = {0};
    if (run->items == AGENT_CALLS_MAX)
        return;
    struct event fact = event_new(EVENT_AGENT_CALL);
    fact.call.number = ++run->items;
    fact.call.running = running;
    if (is_call) {
        fact.call.ms = end_call(run, item->number);
        fact.call.code = item->exit > 0 ? item->exit : item->failed;
    }

    struct entropy_memory *memory = run->listener.memory(run->listener.ctx);
    const struct entropy_end end = {.failed = item->failed || item->exit > 0, .running = running};
    if (is_call) {
        entropy_memory_begin_call(memory, item->tool ? item->tool : "", item->args);
        entropy_memory_text(memory, item->text, item->text ? strlen(item->text) : 0);
    } else {
        const size_t len = strlen(item->text);
        entropy_memory_begin_message(memory, item->text,
                                     text_cut(item->text, len, AGENT_MESSAGE_MAX));
    }
    fact.call.has_loop = true;
    entropy_memory_end(memory, &end, &fact.call.loop);

    add_line(run, &tool, is_call && item->tool ? item->tool : "", AGENT_TOOL_MAX);
    add_line(run, &line, what ? what : "", AGENT_WHAT_MAX);
    if (tool.len > 0)
        fact.call.tool = tool.data;
    fact.call.what = str_text(&line);
    run->listener.fact(run->listener.ctx, &fact);
    str_done(&tool);
    str_done(&line);
}

static bool has_news(const struct agent_run *run)
{
    const struct agent_used *used = agent_stream_used(run->stream);
    return memcmp(used, &run->logged, sizeof(*used)) != 0;
}

static void tell_used(struct agent_run *run, int64_t now_ms)
{
    const struct agent_used *used = agent_stream_used(run->stream);
    struct event fact = event_new(EVENT_AGENT_USED);
    struct str line = {0};
    fact.used.used = *used;
    if (used->refused > 0) {
        const char *call = agent_stream_refused(run->stream);
        add_line(run, &line, call ? call : "", AGENT_TOOL_MAX + AGENT_WHAT_MAX);
        fact.used.refused_call = str_text(&line);
    }
    run->logged = *used;
    run->used_logged_ms = now_ms;
    run->listener.fact(run->listener.ctx, &fact);
    str_done(&line);
}

static void hear_item(void *ctx, const struct agent_item *item)
{
    struct agent_run *run = ctx;
    show_item(run, item);
    switch (item->kind) {
    case AGENT_ITEM_SESSION:
        hear_session(run, item->text);
        break;
    case AGENT_ITEM_TEXT:
    case AGENT_ITEM_RESULT:
        tell_step(run, item, false);
        break;
    case AGENT_ITEM_CALL:
        if (run->open_count < AGENT_OPEN_CALLS_MAX) {
            run->open[run->open_count].number = item->number;
            run->open[run->open_count].began_ms = clock_now().mono_ms;
            run->open_count++;
        }
        break;
    case AGENT_ITEM_USED: {
        /* Reports the usage at once if a budget depends on it. A fast agent takes many turns a
         * second. */
        const struct agent_used *used = agent_stream_used(run->stream);
        const bool counts = used->turns != run->logged.turns || used->calls != run->logged.calls ||
                            used->cost_micro != run->logged.cost_micro;
        if (counts && run_state_budget_is_due(run->call.state, run->call.task, used))
            tell_used(run, clock_now().mono_ms);
        break;
    }
    case AGENT_ITEM_RETRY:
        run->listener.retry(run->listener.ctx);
        break;
    case AGENT_ITEM_NOTICE:
    case AGENT_ITEM_END:
    case AGENT_ITEM_OTHER:
    case AGENT_ITEM_REFUSED: /* covered by EVENT_AGENT_USED */
    case AGENT_ITEM_KIND_COUNT:
        break;
    }
}

/* Starts parsing the output of the agent's CLI. */
static void open_stream(struct agent_run *run)
{
    agent_stream_open(&run->stream, run->call.plan->agent->adapter, hear_item, run);
    run->open_count = 0;
}

/* Returns the step's previous attempt in this round that ran; NULL if there is none. */
static const struct attempt_state *find_earlier_attempt(const struct agent_run_call *call)
{
    const struct step_state *step = &call->state->tasks[call->task].steps[call->step];
    const int round = run_state_round(call->state, call->task);
    for (size_t i = step->attempt_count; i-- > 0;) {
        const struct attempt_state *attempt = &step->attempts[i];
        const bool ran = attempt->outcome.kind != OUTCOME_NOT_STARTED;
        if (attempt->number < call->attempt && attempt->round == round && ran)
            return attempt;
    }
    return NULL;
}

/* Returns the hint of this attempt, or of an earlier one of its round that the session has not
 * received, because the session is new or because that attempt failed before it reached the
 * session. */
static const char *find_hint(const struct agent_run_call *call, bool is_new)
{
    const struct task_agent *agent = call->state->tasks[call->task].agent;
    const struct step_state *step = &call->state->tasks[call->task].steps[call->step];
    const int round = run_state_round(call->state, call->task);
    const int heard = agent && agent->heard_step == call->step ? agent->heard_attempt : 0;
    for (size_t i = step->attempt_count; i-- > 0;) {
        const struct attempt_state *attempt = &step->attempts[i];
        const bool is_meant = attempt->number > heard || is_new;
        if (attempt->hint && is_meant && attempt->round == round)
            return attempt->hint->text;
    }
    return NULL;
}

/* Writes the prompt for the chosen session. */
static void write_prompt(struct agent_run *run)
{
    const struct agent_run_call *call = &run->call;
    const struct task_state *task = &call->state->tasks[call->task];
    const struct task_agent *agent = task->agent;
    const struct step_state *step = &task->steps[call->step];
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    const struct attempt_state *earlier = find_earlier_attempt(call);
    /* The session already has the prompt of this round, unless no attempt of the round got far
     * enough to send it. */
    const struct attempt_state *heard = agent && agent->heard_step == call->step
                                            ? step_state_find_attempt(step, agent->heard_attempt)
                                            : NULL;
    const bool has_heard = heard && heard->round == run_state_round(call->state, call->task);
    struct str why = {0};
    struct str words = {0};
    struct agent_prompt prompt = {
        .step = call->plan->agent->prompt,
        .repair = agent ? agent->repair : NULL,
        .nudge = agent ? agent->nudge : NULL,
        .hint = find_hint(call, run->session == NULL),
        .resumes = run->session != NULL,
        .was_asked = run->session && earlier && has_heard,
    };
    if (earlier) {
        const bool is_unfit = earlier->reason == REASON_CONTRACT && verdict;
        agent_prompt_why(&earlier->outcome, verdict, &why);
        prompt.why = str_text(&why);
        prompt.violations = is_unfit && verdict->violations[0] ? verdict->violations : NULL;
    }
    agent_prompt_write(&prompt, &words);
    free(run->prompt);
    run->prompt = xstrdup(str_text(&words));
    str_done(&words);
    str_done(&why);
}

static void make_agent_call(struct agent_run *run)
{
    const struct plan_agent *agent = run->call.plan->agent;
    write_prompt(run);
    const struct adapter_call call = {.prompt = run->prompt,
                                      .session = run->session,
                                      .model = agent->model,
                                      .args = agent->args,
                                      .permission_args = agent->permission_args};
    adapter_argv_free(run->argv);
    adapter_argv(agent->adapter, &call, &run->argv);
    run->on_stdin = adapter_prompt_on_stdin(agent->adapter);
    run->input = (struct launch_input){.bytes = run->prompt, .len = strlen(run->prompt)};
}

void agent_run_open(struct agent_run **out, const struct agent_run_call *call,
                    const struct agent_listener *listener)
{
    struct agent_run *run = xcalloc(1, sizeof(*run));
    const char *session = agent_session_next(call->state, call->task, call->plan->agent);
    run->call = *call;
    run->listener = *listener;
    run->session = session ? xstrdup(session) : NULL;
    output_init(&run->words, call->now_ms, call->line_max);
    make_agent_call(run);
    open_stream(run);
    *out = run;
}

void agent_run_close(struct agent_run *run)
{
    if (!run)
        return;
    agent_stream_close(run->stream);
    output_done(&run->words);
    adapter_argv_free(run->argv);
    free(run->prompt);
    free(run->session);
    free(run->logged_session);
    free(run);
}

void agent_run_begin_anew(struct agent_run *run)
{
    free(run->session);
    run->session = NULL;
    make_agent_call(run);
    agent_stream_close(run->stream);
    open_stream(run);
}

int64_t agent_run_due(const struct agent_run *run)
{
    return has_news(run) ? run->used_logged_ms + AGENT_USED_MS : INT64_MAX;
}

void agent_run_tell_used(struct agent_run *run, int64_t now_ms)
{
    if (agent_run_due(run) <= now_ms)
        tell_used(run, now_ms);
}

/* Counts the time from the agent's own retry to the next answer as waiting, whether the agent
 * sleeps or repeats its request. */
static void count_own_wait(struct agent_run *run, bool is_over, int64_t now_ms)
{
    const bool retries = !is_over && agent_stream_retries_in_row(run->stream) > 0;
    if (retries && run->retries_from_ms == 0) {
        run->retries_from_ms = now_ms;
    } else if (!retries && run->retries_from_ms != 0) {
        run->own_wait_ms += now_ms - run->retries_from_ms;
        run->retries_from_ms = 0;
    }
}

void agent_run_add(struct agent_run *run, int stream, const char *bytes, size_t len, int64_t now_ms)
{
    if (stream == 0)
        agent_stream_add(run->stream, bytes, len);
    else /* some CLIs report their own retries there */
        agent_stream_add_err(run->stream, bytes, len);
    count_own_wait(run, false, now_ms);
    if (stream == 0)
        agent_run_tell_used(run, now_ms);
}

static void tell_waiting(void *ctx, const struct agent_item *item)
{
    tell_step(ctx, item, true);
}

void agent_run_end(struct agent_run *run, bool killed, int64_t now_ms)
{
    agent_stream_end(run->stream);
    count_own_wait(run, true, now_ms);
    if (killed)
        agent_stream_waiting(run->stream, tell_waiting, run);
    if (has_news(run))
        tell_used(run, now_ms);
}
