/* what_if_decide.c - what other policies decide after an attempt, and where that leads. */
#include <stdio.h>

#include "scheduling.h"
#include "text.h"
#include "what_if_parts.h"

static struct what_if_decision recorded_decision(const struct event *event)
{
    struct what_if_decision decision = {.kind = (enum decision_kind)event->a}; /* STEP_ENDED */
    if (event->kind == EVENT_WAIT_STARTED)
        decision = (struct what_if_decision){.kind = DECISION_WAIT, .delay_ms = event->a};
    else if (event->kind == EVENT_ROUND_STARTED)
        decision = (struct what_if_decision){.kind = DECISION_FAILED, .new_round = true};
    return decision;
}

static bool is_equal(const struct what_if_decision *a, const struct what_if_decision *b)
{
    if (a->new_round || b->new_round)
        return a->new_round == b->new_round;
    return a->kind == b->kind && a->delay_ms == b->delay_ms;
}

static bool goes_on(const struct what_if_decision *decision)
{
    return decision->new_round || decision->kind == DECISION_WAIT;
}

/* What the scheduler says of the attempt that is over, with the change's policies. Its verdict goes
 * to *room, that of a success where none is in the log; *out borrows it. */
static void rule(struct what_if *what, int task, const struct moment *at, struct verdict *room,
                 struct scheduler_ruling *out)
{
    struct run_state *state = &what->state; /* nothing is emitted: it stays as it is */
    const struct step_state *step = run_state_step(state, task);
    const struct input input = {.now = {.at_ms = at->at_ms + what->tasks[task].shift_ms,
                                        .mono_ms = at->mono_ms + what->tasks[task].shift_ms}};
    const struct scheduling now = {.state = state, .input = &input};
    *room = verdict_new();
    if (step->judged)
        (void)step_state_verdict(step, room);
    scheduler_rule(&now, task, &step_state_attempt(step)->outcome, room, out);
}

/* The reason as a screen would say it, had it been recorded so. */
static void explain(const struct what_if *what, int task, const struct scheduler_ruling *ruling,
                    char out[WHAT_IF_WHY_MAX])
{
    const struct plan *plan = what->state.plan;
    const int number = run_state_step_number(&what->state, task);
    struct step_state step = *run_state_step(&what->state, task);
    struct str inputs = {0};
    struct str why = {0};
    protocol_to_json(&ruling->facts, &ruling->decision, &inputs);
    step.end = ruling->decision.kind;
    step.status = ruling->decision.kind == DECISION_WAIT ? STEP_WAITING : STEP_ENDED;
    struct step_formulas formulas = {
        .delay = ruling->decision.delay, .wait_json = inputs.data, .end_json = inputs.data};
    step.formulas = &formulas;
    if (ruling->decision.kind == DECISION_WAIT)
        shown_formula(&step, &why);
    else
        shown_end(&plan->tasks[task].steps[number], &step, &why);
    (void)snprintf(out, WHAT_IF_WHY_MAX, "%.*s",
                   (int)text_cut(str_text(&why), why.len, WHAT_IF_WHY_MAX - 1), str_text(&why));
    str_done(&why);
    str_done(&inputs);
}

static void note_first(struct what_if *what, const struct what_if_difference *difference)
{
    if (!what->sum.has_first)
        what->sum.first = *difference;
    what->sum.has_first = true;
}

/* From here on the task is not as recorded. */
static void leave(struct what_if *what, int task, const struct what_if_difference *difference)
{
    struct what_if_task *own = &what->tasks[task];
    const bool ends = !goes_on(&difference->other);
    own->course = ends ? WHAT_IF_ENDS : WHAT_IF_UNKNOWN;
    own->status = ends ? task_status_after(difference->other.kind) : TASK_BACKOFF;
    own->step = difference->step;
    own->attempt = difference->attempt;
    what->sum.ends += ends;
    what->sum.goes_on += !ends;
}

void what_if_compare(struct what_if *what, int task, const struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    struct verdict verdict;
    struct scheduler_ruling ruling;
    rule(what, task, &event->at, &verdict, &ruling);
    struct what_if_difference difference = {
        .task = task,
        .step = event->step,
        .attempt = event->attempt,
        .at = event->at,
        .recorded = recorded_decision(event),
        .other = {.kind = ruling.decision.kind,
                  .new_round = ruling.new_round,
                  .delay_ms = ruling.decision.delay.delay_ms},
    };
    own->due = difference.other;
    what->sum.decisions++;
    if (is_equal(&difference.recorded, &difference.other))
        return;
    what->sum.differ++;
    explain(what, task, &ruling, difference.why);
    note_first(what, &difference);
    const bool both_wait = difference.recorded.kind == DECISION_WAIT &&
                           difference.other.kind == DECISION_WAIT && !difference.other.new_round &&
                           !difference.recorded.new_round;
    if (both_wait)
        what->sum.waits++;
    else
        leave(what, task, &difference);
}

/* It was too late for the next start, or is now. */
bool what_if_is_late(const struct what_if *what, int task, const struct moment *at)
{
    const struct step_state *step = run_state_step(&what->state, task);
    return step->first_start.at_ms != 0 &&
           protocol_is_late(scheduler_plan_step(&what->state, task)->policy,
                            step->first_start.mono_ms, step->held_ms,
                            at->mono_ms + what->tasks[task].shift_ms);
}

/* The start that one of the two did not make. */
void what_if_differ_at_start(struct what_if *what, int task, const struct event *event,
                             enum decision_kind recorded, enum decision_kind other)
{
    const struct attempt_state *last = step_state_attempt(run_state_step(&what->state, task));
    const struct what_if_difference difference = {.task = task,
                                                  .step = event->step,
                                                  .attempt = last ? last->number : 0,
                                                  .is_before = true,
                                                  .at = event->at,
                                                  .recorded = {.kind = recorded},
                                                  .other = {.kind = other}};
    what->sum.differ++;
    note_first(what, &difference);
    leave(what, task, &difference);
}

/* What a needed task comes to is what this one comes to, if it does not pass. */
static enum what_if_course course_by_needs(const struct what_if *what, int task)
{
    const struct plan_task *plan = &what->state.plan->tasks[task];
    enum what_if_course course = WHAT_IF_SAME;
    for (int i = 0; i < plan->need_count; i++) {
        const enum what_if_course needed = what->tasks[plan->needs[i]].course;
        if (needed == WHAT_IF_UNKNOWN && course == WHAT_IF_SAME)
            course = WHAT_IF_UNKNOWN;
        if (needed == WHAT_IF_ENDS || needed == WHAT_IF_BLOCKED)
            course = WHAT_IF_BLOCKED;
    }
    return course;
}

void what_if_look_at_needs(struct what_if *what, int task)
{
    struct what_if_task *own = &what->tasks[task];
    own->course = course_by_needs(what, task);
    own->status = TASK_BLOCKED;
    own->step = own->attempt = 0;
}
