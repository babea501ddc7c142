#include "view_acts.h"

#include <assert.h>
#include <string.h>

#include "view_correct.h"

static const struct view_todo draw = {.kind = VIEW_DRAW};

struct view_target view_aim(const struct run_state *state, int task)
{
    const struct attempt_state *attempt = step_state_attempt(run_state_step(state, task));
    return (struct view_target){.task = task,
                                .step = run_state_step_number(state, task),
                                .attempt = attempt ? attempt->number : 0,
                                .status = state->tasks[task].status,
                                .held = state->tasks[task].held};
}

/* How many it has from now where a retry says nothing of it. */
static int tries_left(const struct run_state *state, int task)
{
    const struct step_state *step = run_state_step(state, task);
    const struct plan_step *plan =
        &state->plan->tasks[task].steps[run_state_step_number(state, task)];
    const bool is_fresh = step->grant == 0 || task_status_is_final(state->tasks[task].status);
    return is_fresh ? plan_step_attempts(plan) : step->allowed - step->used;
}

struct prompt_target view_asked_of(const struct run_state *state, int task)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    const struct view_target aim = view_aim(state, task);
    return (struct prompt_target){
        .task = task,
        .id = plan->id,
        .title = strcmp(plan->id, plan->title) != 0 ? plan->title : "",
        .status = aim.status,
        .step = aim.step,
        .phase = plan->steps[aim.step].phase,
        .attempt = aim.attempt,
        .attempts = (int)run_state_step(state, task)->attempt_count,
        .tries_left = tries_left(state, task),
        .hint_goes = run_state_hint_goes(state, task),
    };
}

/* A retry is aimed at what is seen; holding is meant for the task, whatever it does. */
static struct view_todo ask(const struct view *view, const struct view_facts *facts,
                            enum control_verb verb)
{
    const struct view_target aim = view_aim(facts->state, view->chosen);
    bool aimed = verb == CONTROL_RETRY;
    return (struct view_todo){
        .kind = VIEW_ASK,
        .control = {.verb = verb,
                    .task = aim.task,
                    .step = aimed ? aim.step : -1,
                    .attempt = aimed ? aim.attempt : 0,
                    .key_at_ms = facts->clock.at_ms},
    };
}

static struct view_todo open_question(struct view *view, const struct view_facts *facts,
                                      enum prompt_kind kind)
{
    const struct prompt_target target = view_asked_of(facts->state, view->chosen);
    prompt_open(&view->prompt, kind, &target, facts->clock.mono_ms);
    return (struct view_todo){.kind = VIEW_ASKED};
}

static struct view_todo act_on_chosen(struct view *view, const struct view_facts *facts,
                                      enum act act)
{
    switch (act) {
    case UI_RETRY:
        return ask(view, facts, CONTROL_RETRY);
    case UI_RETRY_WITH:
        return open_question(view, facts, PROMPT_RETRY_WITH);
    case UI_CANCEL:
        return open_question(view, facts, PROMPT_CANCEL);
    case UI_KILL:
        return open_question(view, facts, PROMPT_KILL);
    case UI_HOLD:
        return ask(view, facts,
                   facts->state->tasks[view->chosen].held ? CONTROL_RELEASE : CONTROL_HOLD);
    case UI_CORRECT:
        return view_correct_open(view, facts);
    default: /* no other act is about tasks */
        assert(false);
        return draw;
    }
}

struct view_todo view_act_on_tasks(struct view *view, const struct view_facts *facts, enum act act)
{
    struct view_todo todo = draw;
    if (act != UI_CORRECT && view_marked(view) > 0)
        todo = view_act_on_marked(view, facts, act);
    else if (!view_fold_act(view, facts, act, &todo))
        todo = act_on_chosen(view, facts, act);
    return todo;
}
