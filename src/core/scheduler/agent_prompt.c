#include "agent_prompt.h"

#include <assert.h>
#include <string.h>

#include "adapter.h"
#include "agent_session.h"
#include "redact.h"
#include "text.h"
#include "text_list.h"

static const char go_on[] = "The last turn was cut short before it was done: ";
static const char go_on_how[] =
    "\nContinue where you stopped: look at what is already there, then do the rest.";

static const char does_not_fit[] = "Your answer does not have the requested form:\n";
static const char hint_head[] = "A hint from the person who requested this try:\n";
static const char fit_how[] =
    "\nGive the whole result again, as JSON that matches, and nothing else.";

/* A part of its own, one empty line behind what was said before. */
static void add_part(struct str *out, const char *text)
{
    if (!text || text[0] == '\0')
        return;
    if (out->len > 0)
        str_add(out, "\n\n");
    str_add(out, text);
}

static void say_again(const struct agent_prompt *prompt, struct str *out)
{
    if (prompt->violations) {
        str_add(out, does_not_fit);
        str_add(out, prompt->violations);
        str_add(out, fit_how);
        return;
    }
    str_add(out, go_on);
    str_add(out, prompt->why ? prompt->why : "it was interrupted");
    str_add(out, go_on_how);
}

void agent_prompt_write(const struct agent_prompt *prompt, struct str *out)
{
    struct str words = {0};
    assert(prompt->step);
    if (prompt->resumes && prompt->was_asked) {
        say_again(prompt, &words);
    } else if (prompt->resumes && prompt->repair) {
        str_add(&words, prompt->repair);
    } else {
        str_add(&words, prompt->step);
        add_part(&words, prompt->repair);
    }
    add_part(&words, prompt->nudge);
    if (prompt->hint) {
        add_part(&words, hint_head);
        str_add(&words, prompt->hint);
    }
    str_add_n(out, str_text(&words), words.len);
    str_done(&words);
}

void agent_prompt_why(const struct outcome *outcome, const struct verdict *verdict, struct str *out)
{
    struct str words = {0};
    struct str clean = {0};
    outcome_words(outcome, &words);
    if (verdict && verdict->match[0] != '\0')
        str_addf(&words, ": %s", verdict->match);
    text_clean(&clean, str_text(&words), strcspn(str_text(&words), "\n"));
    str_add_n(out, str_text(&clean), text_cut(str_text(&clean), clean.len, AGENT_WHY_MAX));
    str_done(&clean);
    str_done(&words);
}

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
