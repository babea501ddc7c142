/* fold_circles.c - folds facts of the rungs. */
#include "fold.h"

#include "xalloc.h"

bool fold_read_fact(const struct json *text, struct entropy_fact *out)
{
    const struct json *fact = json_get(text, "loop");
    return fact && entropy_fact_from_json(fact, out);
}

static struct circles *circles_of(struct task_state *task)
{
    if (!task->circles)
        task->circles = xcalloc(1, sizeof(*task->circles));
    return task->circles;
}

/* What other parts of the log say of the attempt is not said again in its fact. */
void fold_take_fact(const struct fold *fold, const struct fold_end *end)
{
    const struct attempt_state *attempt = step_state_latest(fold->step);
    struct entropy_fact fact = end->fact;
    if (!circles_counts(attempt->outcome.kind) || !end->has_fact ||
        fold->state->use == RUN_STATE_TELLS)
        return;
    fact.call = circles_call(attempt->call, fold->event->step);
    if (!digest_is_known(fact.outcome))
        fact.outcome = attempt->fingerprint;
    fact.new_permille = attempt->new_permille;
    const struct circles_attempt of = {
        .step = fold->event->step, .number = attempt->number, .at = fold->event->at};
    circles_apply(circles_of(fold->task), &fact, &of, &fold->state->plan->loops);
}

void fold_loop_suspected(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    if (fold->event->e == EVENT_LOOP_OF_CALLS)
        fold_agent_loops(fold);
    else
        circles_of(fold->task)->told = true;
    if (agent)
        fold_agent_nudge(fold);
}

void fold_forget_circles(const struct fold *fold)
{
    circles_free(fold->task->circles);
    fold->task->circles = NULL;
}

void fold_go_on(const struct fold *fold, int scale)
{
    if (scale > 0)
        circles_go_on(circles_of(fold->task), scale);
    else
        fold_forget_circles(fold);
}
