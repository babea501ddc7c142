/* scheduler_circles.c - what the rungs say of a task, decided. */
#include "fold.h"
#include "scheduling.h"
#include "str.h"

size_t scheduler_results(const struct step_state *step, struct digest out[SCHEDULER_RESULTS_MAX])
{
    size_t count = 0;
    while (count < SCHEDULER_RESULTS_MAX && count < step->attempt_count &&
           step->attempts[step->attempt_count - count - 1].number >= step->results_from)
        count++;
    for (size_t i = 0; i < count; i++)
        out[i] = step->attempts[step->attempt_count - count + i].fingerprint;
    return count;
}

static bool is_last_step(const struct run_state *state, int task)
{
    return run_state_step_number(state, task) == state->plan->tasks[task].step_count - 1;
}

void scheduler_find_fact(const struct scheduling *now, int task, bool passed, struct fold_end *end)
{
    const struct input *input = now->input;
    end->new_permille = -1;
    if (!input->has_fact || !circles_counts(input->outcome.kind))
        return;
    end->new_permille = input->fact.new_permille >= 0 ? input->fact.new_permille : -1;
    if (passed && is_last_step(now->state, task))
        return; /* nothing comes after it */
    struct entropy_fact fact = input->fact;
    fact.call = (struct digest){0};
    fact.outcome = input->masked_fingerprint;
    fact.new_permille = -1;
    fact.bits = passed ? fact.bits & ~(unsigned)ENTROPY_FAILED : fact.bits | ENTROPY_FAILED;
    end->has_fact = true;
    end->fact = fact;
}

void scheduler_fact_text(const struct fold_end *end, struct str *text)
{
    if (end->new_permille >= 0)
        str_json_i64(text, "new", end->new_permille);
    if (!end->has_fact)
        return;
    str_json_key(text, "loop");
    entropy_fact_to_json(&end->fact, text);
}

/* Appends the command as a person would write it; nothing for an agent, which does not know how it
 * was called. */
static void add_call(const struct plan_step *plan, struct str *out)
{
    enum { CALL_BYTES_MAX = 1024 };
    if (plan->agent)
        return;
    for (char **arg = plan->argv; *arg && out->len < CALL_BYTES_MAX; arg++)
        str_addf(out, "%s%.*s", out->len > 0 ? " " : "", CALL_BYTES_MAX, *arg);
}

void scheduler_emit_suspicion(const struct scheduling *now, int task, const struct circles *circles,
                              const struct suspicion *of)
{
    struct event event = scheduler_event(now, EVENT_LOOP_SUSPECTED, task);
    struct str nudge = {0};
    struct str text = {0};
    event.e = of->loop;
    entropy_nudge(&circles->verdict, of->what, of->masks, &nudge);
    circles_suspicion(circles, of->masks, str_text(&nudge), &event, &text);
    scheduler_emit(now, event, text.data);
    str_done(&text);
    str_done(&nudge);
}

void scheduler_suspect(const struct scheduling *now, int task, const struct decision *decision,
                       bool new_round)
{
    const struct circles *circles = now->state->tasks[task].circles;
    bool goes_on = new_round || decision->kind == DECISION_WAIT ||
                   (decision->kind == DECISION_SUCCEEDED && !is_last_step(now->state, task));
    bool is_news = circles && circles->verdict.level == ENTROPY_SUSPECT && circles->verdict.news &&
                   !circles->told;
    if (!goes_on || !is_news)
        return;
    struct str call = {0};
    add_call(scheduler_plan_step(now->state, task), &call);
    const struct suspicion of = {
        .loop = EVENT_LOOP_OF_ATTEMPTS, .what = str_text(&call), .masks = now->input->masks};
    scheduler_emit_suspicion(now, task, circles, &of);
    str_done(&call);
}
