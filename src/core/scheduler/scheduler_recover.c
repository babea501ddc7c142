/* scheduler_recover.c - a run taken up again, as inputs would have left it. */
#include <stddef.h>

#include "classify_facts.h"
#include "scheduling.h"

/* What ran when the engine died did not end in a way that anybody saw. */
static void interrupt(const struct scheduling *now, int task)
{
    struct input ended = *now->input;
    ended.outcome = (struct outcome){.kind = OUTCOME_INTERRUPTED};
    ended.verdict = verdict_new();
    const struct classify_input facts = {.outcome = ended.outcome, .memory_killed = -1};
    (void)facts_judge(&facts, &ended.verdict); /* an interruption is always known */
    struct scheduling then = *now;
    then.input = &ended;
    scheduler_judge(&then, task, &ended);
}

/* What was said is not in the log: what the end alone says, in doubt persistent. */
static struct verdict judge_end(const struct plan_step *plan, const struct step_state *step,
                                const struct outcome *outcome)
{
    struct verdict verdict = verdict_new();
    bool passed = outcome->kind == OUTCOME_EXIT && outcome->code == 0 && !step->silent_failure;
    const struct classify_input facts = {
        .outcome = *outcome, .memory_killed = -1, .cpu_s = plan->sandbox->cpu_s};
    if (!passed && !facts_judge(&facts, &verdict))
        verdict_set_persistent(&verdict, REASON_NONE, "", "recovered.unread");
    return verdict;
}

/* The end is in the log, what was decided is not. */
static void finish_decision(const struct scheduling *now, int task)
{
    const struct step_state *step = run_state_step(now->state, task);
    struct input ended = *now->input;
    ended.outcome = step_state_attempt(step)->outcome;
    ended.expectation_met = false; /* nobody looked */
    if (step->judged && step_state_verdict(step, &ended.verdict)) {
        scheduler_decide(now, task, &ended.outcome, &ended.verdict);
    } else {
        ended.verdict = judge_end(scheduler_plan_step(now->state, task), step, &ended.outcome);
        scheduler_judge_late(now, task, &ended);
    }
}

static void settle_attempt(const struct scheduling *now, int task)
{
    switch (run_state_step(now->state, task)->status) {
    case STEP_RUNNING:
        scheduler_agent_settle(now, task);
        interrupt(now, task);
        break;
    case STEP_JUDGING:
        scheduler_agent_settle(now, task);
        finish_decision(now, task);
        break;
    case STEP_PENDING:
    case STEP_READY:
    case STEP_WAITING:
    case STEP_ENDED:
    case STEP_STATUS_COUNT:
        break;
    }
}

/* Consequences that were on their way: of a cancel, of a failure, of one sent ahead. */
static void settle_task(const struct scheduling *now, int task)
{
    const struct task_state *state = &now->state->tasks[task];
    scheduler_cancel_rest(now, task);
    if (task_status_is_final(state->status) && state->status != TASK_PASSED)
        scheduler_block_dependents(now, task);
    if (state->follows >= 0)
        scheduler_emit(now, scheduler_event(now, EVENT_TASK_RELEASED, task), NULL);
}

static void settle_gate(const struct scheduling *now, int source)
{
    const struct gate_state *gate = &now->state->gates[source];
    if (gate->status == GATE_PROBING)
        scheduler_gate_lost(now, source);
}

static bool is_taken_up(enum task_status status, enum take_up what)
{
    return (task_status_is_failed(status) && (what == TAKE_UP_REST || what == TAKE_UP_FAILED)) ||
           (status == TASK_CANCELLED && what == TAKE_UP_REST);
}

/* Nothing of a run that has ended is under way. Tasks that these blocked are queued by the fold. */
static void reopen_ended(const struct scheduling *now)
{
    for (int i = 0; i < now->state->plan->task_count; i++) {
        if (is_taken_up(now->state->tasks[i].status, now->input->take_up))
            scheduler_reopen(now, &now->input->control, i);
    }
}

void scheduler_recover(const struct scheduling *now)
{
    const struct plan *plan = now->state->plan;
    struct event event = scheduler_event(now, EVENT_RUN_RECOVERED, -1);
    event.a = now->input->rebooted;
    event.b = now->input->jobs != now->state->jobs ? now->input->jobs : 0;
    event.c = now->state->ended ? (int64_t)now->input->take_up : TAKE_UP_OPEN;
    scheduler_emit_by(now, event, now->input->control.by);
    if (event.c != TAKE_UP_OPEN) {
        reopen_ended(now);
        return;
    }
    for (int i = 0; i < plan->task_count; i++)
        settle_attempt(now, i);
    for (int i = 0; i < plan->source_count; i++)
        settle_gate(now, i);
    for (int i = 0; i < plan->task_count; i++)
        settle_task(now, i);
}
