#include "agent_run.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "agent_prompt.h"
#include "agent_session.h"
#include "xalloc.h"

/* The last attempt of the step's round before this one that ran; NULL = none. */
static const struct attempt_state *find_earlier(const struct agent_run_call *call)
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

/* Has the session heard the prompt of this round? Not where no attempt of the round got so far
 * that the session was told. */
static bool has_heard(const struct agent_run_call *call)
{
    const struct task_agent *agent = call->state->tasks[call->task].agent;
    const struct step_state *step = &call->state->tasks[call->task].steps[call->step];
    const struct attempt_state *heard = agent && agent->heard_step == call->step
                                            ? step_state_find_attempt(step, agent->heard_attempt)
                                            : NULL;
    return heard && heard->round == run_state_round(call->state, call->task);
}

/* The hint of this attempt, or of an earlier one of its round that the session has not received:
 * because the session is new, or because that attempt failed before it reached the session. */
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

/* What it is told, and in which session. */
static void write_prompt(struct agent_run *run)
{
    const struct agent_run_call *call = &run->call;
    const struct task_state *task = &call->state->tasks[call->task];
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(&task->steps[call->step], &room);
    const struct attempt_state *earlier = find_earlier(call);
    struct str why = {0};
    struct str words = {0};
    struct agent_prompt prompt = {
        .step = call->plan->agent->prompt,
        .repair = task->agent ? task->agent->repair : NULL,
        .nudge = task->agent ? task->agent->nudge : NULL,
        .hint = find_hint(call, run->session == NULL),
        .resumes = run->session != NULL,
        .was_asked = run->session && earlier && has_heard(call),
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

static void make_call(struct agent_run *run)
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
    make_call(run);
    agent_run_hear(run);
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
    free(run->told_session);
    free(run);
}

void agent_run_begin_anew(struct agent_run *run)
{
    free(run->session);
    run->session = NULL;
    make_call(run);
    agent_stream_close(run->stream);
    agent_run_hear(run);
}
