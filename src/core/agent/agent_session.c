#include "agent_session.h"

#include <string.h>

#include "adapter.h"
#include "redact.h"
#include "text_list.h"

const char *agent_session_next(const struct run_state *state, int task,
                               const struct plan_agent *agent)
{
    const struct task_agent *known = state->tasks[task].agent;
    const char *session = agent->resume;
    char cut[REDACT_NAME_MAX + 1];
    if (!adapter_resumes(agent->adapter))
        return NULL;
    if (known && known->session && known->agent &&
        strcmp(known->agent, adapter_name(agent->adapter)) == 0)
        session = known->session;
    return session && !redact_find_mark(session, cut) ? session : NULL;
}

/* Did the attempt that the step shows begin the session that is known, and so was called without
 * it? */
static bool began_session(const struct run_state *state, int task, int number)
{
    const struct task_agent *agent = state->tasks[task].agent;
    const struct step_state *step = &state->tasks[task].steps[number];
    const struct attempt_state *latest = step_state_attempt(step);
    const bool is_begun =
        step->status == STEP_RUNNING || step->status == STEP_JUDGING || step->status == STEP_ENDED;
    return agent && latest && is_begun && agent->heard_new && agent->heard_step == number &&
           agent->heard_attempt == latest->number;
}

char **agent_session_argv(const struct run_state *state, int task, int step)
{
    const struct plan_step *plan = &state->plan->tasks[task].steps[step];
    char **argv = NULL;
    if (!plan->agent)
        return text_list_copy(plan->argv);
    const char *session =
        began_session(state, task, step) ? NULL : agent_session_next(state, task, plan->agent);
    const struct adapter_call call = {.session = session,
                                      .model = plan->agent->model,
                                      .args = plan->agent->args,
                                      .permission_args = plan->agent->permission_args};
    adapter_argv(plan->agent->adapter, &call, &argv);
    return argv;
}
