/* shown_agent.c - the agent of a task: what it used, its round, its budget, in words. */
#include <stddef.h>
#include <string.h>

#include "adapter.h"
#include "agent_what.h"
#include "shown.h"
#include "text.h"

enum { PERCENT = 100 };

void shown_session(const char *session, struct str *out)
{
    enum { SHORT_MIN = 20, SHORT = 8 }; /* an id of many digits is known by its first ones */
    const size_t len = strlen(session);
    const size_t dash = strcspn(session, "-");
    const bool is_uuid = len >= SHORT_MIN && dash == SHORT;
    str_add_n(out, session, is_uuid ? SHORT : len);
}

static void add_count(int64_t count, const char *one, const char *many, struct str *out)
{
    if (count <= 0)
        return;
    str_add(out, out->len > 0 ? ", " : "");
    shown_count(count, one, many, out);
}

void shown_used(const struct agent_used *used, struct str *out)
{
    struct str words = {0};
    add_count(used->turns, "turn", "turns", &words);
    add_count(used->calls, "call", "calls", &words);
    if (used->cost_micro > 0) {
        str_add(&words, words.len > 0 ? ", " : "");
        agent_cost_words(used->cost_micro, &words);
    } else {
        add_count(used->tokens, "token", "tokens", &words);
    }
    add_count(used->own_retries, "own retry", "own retries", &words);
    add_count(used->refused, "refused", "refused", &words);
    str_add(out, str_text(&words));
    str_done(&words);
}

void shown_own_retries(int64_t count, struct str *out)
{
    if (count > 0)
        str_addf(out, ", and %lld %s by the agent itself", (long long)count,
                 count == 1 ? "retry" : "retries");
}

/* The agent as it has told, or as it was asked where it tells no session; NULL before that. */
static const char *agent_asked(const struct run_state *state, int task)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    const int step = plan_task_agent_step(plan, run_state_step_number(state, task));
    if (!state->tasks[task].agent || state->tasks[task].agent->agent)
        return state->tasks[task].agent ? state->tasks[task].agent->agent : NULL;
    const bool is_asked = step >= 0 && state->tasks[task].steps[step].attempt_count > 0;
    return is_asked ? adapter_name(plan->steps[step].agent->adapter) : NULL;
}

void shown_agent(const struct run_state *state, int task, struct str *out)
{
    const struct task_agent *agent = state->tasks[task].agent;
    const char *name = agent_asked(state, task);
    if (!name)
        return;
    const struct agent_used used = task_agent_used(agent);
    struct str words = {0};
    str_add(out, name);
    if (agent->session) {
        str_add(out, ", session ");
        shown_session(agent->session, out);
    }
    shown_used(&used, &words);
    if (words.len > 0)
        str_addf(out, ", %s", words.data);
    str_done(&words);
}

int shown_budget_percent(const struct budget_use *use)
{
    const double percent = use->limit > 0 ? (double)use->used * PERCENT / (double)use->limit : 0;
    return percent < 1e6 ? (int)percent : 1000000;
}

void shown_budgets(const struct run_state *state, int task, const struct moment *now,
                   struct str *out)
{
    const char *comma = "";
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        struct budget_use use;
        if (!run_state_budget(state, task, (enum budget_kind)kind, now, &use))
            continue;
        str_add(out, comma);
        budget_use_words(&use, out);
        str_addf(out, " (%d %%)", shown_budget_percent(&use));
        comma = ", ";
    }
}

/* The check that began this round: the last step with a failed attempt of the round before. */
static const struct attempt_state *check_of(const struct run_state *state, int task, int *step_out)
{
    const int before = run_state_round(state, task) - 1;
    for (int i = state->plan->tasks[task].step_count - 1; i >= 0; i--) {
        const struct step_state *step = &state->tasks[task].steps[i];
        for (size_t k = step->attempt_count; k-- > 0;) {
            *step_out = i;
            if (step->attempts[k].round == before)
                return &step->attempts[k];
        }
    }
    return NULL;
}

static void add_command(const struct plan_step *step, struct str *out)
{
    enum { COMMAND_BYTES = 60 };
    const bool is_shell = step->argv && step->argv[0] && step->argv[1] && step->argv[2] &&
                          strcmp(step->argv[1], "-c") == 0;
    struct str line = {0};
    for (int i = is_shell ? 2 : 0; step->argv && step->argv[i]; i++)
        str_addf(&line, "%s%s", line.len > 0 ? " " : "", step->argv[i]);
    const size_t cut = text_cut(str_text(&line), line.len, COMMAND_BYTES);
    str_addf(out, "`%.*s%s`", (int)cut, str_text(&line), cut < line.len ? "..." : "");
    str_done(&line);
}

void shown_round(const struct run_state *state, int task, struct str *out)
{
    const struct task_agent *agent = state->tasks[task].agent;
    int number = 0;
    if (!agent || agent->rounds <= 1)
        return;
    str_addf(out, "%d of %d", agent->round, agent->rounds);
    const struct attempt_state *check = check_of(state, task, &number);
    if (agent->round <= 1 || !check || state->tasks[task].status == TASK_PASSED)
        return;
    const struct plan_step *step = &state->plan->tasks[task].steps[number];
    str_add(out, ": ");
    if (step->agent) {
        str_add(out, check->reason == REASON_CONTRACT ? "its output did not fit its contract"
                                                      : "it did not succeed: ");
    } else {
        str_add(out, "check ");
        add_command(step, out);
        str_add_char(out, ' ');
    }
    if (!step->agent || check->reason != REASON_CONTRACT)
        outcome_words(&check->outcome, out);
}
