/*
 * scheduling.h - what the parts of the scheduler share. Private to core.
 */
#ifndef DEVS_SCHEDULING_H
#define DEVS_SCHEDULING_H

#include "control.h"
#include "event.h"
#include "protocol.h"
#include "scheduler.h"

/* One scheduler_step() under way. All borrowed. */
struct scheduling {
    struct scheduler *scheduler;
    struct run_state *state;
    const struct input *input;
    struct turn *turn;
};

/* An event about this task (-1: the run) at the input's time, naming the task's
 * current step and latest attempt. */
struct event scheduler_event(const struct scheduling *now, enum event_kind kind, int task);

/* An empty text, for the event that is emitted next: with the memory of one of an earlier turn. */
struct str scheduler_text(const struct scheduling *now);
/* Fold the event into the state and put it into the turn; the text is copied. */
void scheduler_emit(const struct scheduling *now, struct event event, const char *text);

struct fold_end;
struct fold_known;

/* The same without a copy: the text is the event's, and *text empty afterwards. What is `known` of
 * it the fold need not read (fold.h); NULL = nothing. */
void scheduler_emit_known(const struct scheduling *now, struct event event, struct str *text,
                          const struct fold_known *known);

/* The task's attempt that runs is to end. */
void scheduler_end_attempt(const struct scheduling *now, int task, enum cancel_mode mode);

enum { SCHEDULER_SPACING_MS = 1000 }; /* between starts that were held back together */

/* The plan of the task's current step. */
static inline const struct plan_step *scheduler_plan_step(const struct run_state *state, int task)
{
    return &state->plan->tasks[task].steps[run_state_step_number(state, task)];
}

/* An event with {"by": ...} as its text; an empty name leaves the text out. */
void scheduler_emit_by(const struct scheduling *now, struct event event, const char *by);

/* End the task's current step as decided, let go what followed it, and block what needs
 * the task. `inputs`: what the decision went by, NULL for none. */
void scheduler_end_step(const struct scheduling *now, int task, const struct decision *decision,
                        const char *inputs);

/* Everything that needs this task, directly or not, cannot go on. */
void scheduler_block_dependents(const struct scheduling *now, int failed);

/* What may start now, -1 for nothing: the lowest number of all lines that move. */
int scheduler_next_ready(const struct scheduling *now);

/* scheduler_judge.c */

/* The task's attempt is over: its end, its verdict, and what comes of it. */
void scheduler_judge(const struct scheduling *now, int task, const struct input *input);
/* The same where the end is in the log already. */
void scheduler_judge_late(const struct scheduling *now, int task, const struct input *input);
/* The same where the verdict is too. */
void scheduler_decide(const struct scheduling *now, int task, const struct outcome *outcome,
                      const struct verdict *verdict);
/* A person asked to stop this task and its present attempt is over. */
void scheduler_cancel_rest(const struct scheduling *now, int task);

/* scheduler_circles.c */

/* The longest window of a policy, and what "go on" made of it. */
enum { SCHEDULER_RESULTS_MAX = POLICY_ATTEMPTS_MAX * ENTROPY_SCALE_MAX };
/* The last results of the step since a new beginning, in order. */
size_t scheduler_results(const struct step_state *step, struct digest out[SCHEDULER_RESULTS_MAX]);
/* What the end of an attempt says of it as a step of its trajectory. */
void scheduler_find_fact(const struct scheduling *now, int task, bool passed, struct fold_end *end);
/* The same as members for the event's text. */
void scheduler_fact_text(const struct fold_end *end, struct str *text);
/* What a suspicion is about. */
struct suspicion {
    int64_t loop;     /* EVENT_LOOP_OF_... */
    const char *what; /* the command or the call that repeats; NULL = not known */
    unsigned masks;   /* what was masked in the last result, normaliser bits */
};
/* The event that says it, with a line for whoever goes on. */
void scheduler_emit_suspicion(const struct scheduling *now, int task, const struct circles *circles,
                              const struct suspicion *of);
/* Say that the task may be looping, if that is news and the task goes on all the same: with a
 * new round, or as decided. */
void scheduler_suspect(const struct scheduling *now, int task, const struct decision *decision,
                       bool new_round);

/* scheduler_judge.c */

/* What is decided of an attempt, and by what. */
struct scheduler_ruling {
    struct protocol_facts facts; /* borrows from the state, the outcome, the verdict, and: */
    struct digest results[SCHEDULER_RESULTS_MAX];
    struct decision decision;
    bool new_round; /* the task's agent is prompted once more, instead of that */
};
/* Decide of the task's attempt that is over, and emit nothing: who asks what would be decided
 * needs neither a scheduler nor a turn, and of the input its time only. */
void scheduler_rule(const struct scheduling *now, int task, const struct outcome *outcome,
                    const struct verdict *verdict, struct scheduler_ruling *out);

/* scheduler_gate.c */

/* What a verdict on a step of this source means for the source's gate. */
void scheduler_gate_judged(const struct scheduling *now, int task, int source,
                           const struct protocol_facts *facts, const struct decision *decision);
/* A person sends this task: if it stands in the line of a closed gate it is the next
 * probe, else nothing happens. */
void scheduler_gate_send(const struct scheduling *now, int task, const char *by);
/* A probe whose end is not known: the next in line tries. */
void scheduler_gate_lost(const struct scheduling *now, int source);

/* scheduler_agent.c */

/* A fact of an agent is in the log: what it means for the task's circles and for budgets. */
void scheduler_agent_told(const struct scheduling *now, enum event_kind kind, int task);
/* Whoever ran this is gone: say what was not said yet of the agent that ran. Nothing is ended. */
void scheduler_agent_settle(const struct scheduling *now, int task);
/* Why may the task's current step not go on, once the attempt with this outcome is over? Fills
 * the facts' members about that. */
void scheduler_agent_facts(const struct scheduling *now, int task, struct protocol_facts *facts);
/* The end of an attempt that was ended for a loop or a budget: true, and *ended says so. */
bool scheduler_agent_stopped(const struct scheduling *now, int task, struct input *ended);

/* scheduler_budget.c */

/* Say what is used of the task's budgets and of the run's, and end what is spent. */
void scheduler_budget_look(const struct scheduling *now, int task, bool may_end);
/* The same of what is due by now, of all that runs. */
void scheduler_budget_time(const struct scheduling *now);
/* When that is wanted next (CLOCK_BOOTTIME, ms); -1 = not at all. */
int64_t scheduler_budget_due(const struct run_state *state);
/* What is spent that the task's step number `step` would need: false for nothing. */
bool scheduler_budget_spent(const struct scheduling *now, int task, int step,
                            struct budget_use *out, bool *by_run);
/* The task's current step is not started because of that: it ends, and needs a person. */
bool scheduler_budget_ends(const struct scheduling *now, int task);

/* scheduler_rounds.c */

/* Does a new round of the task's agent follow on this decision, were there a budget for it? */
bool scheduler_round_follows(const struct scheduling *now, int task,
                             const struct protocol_facts *facts, const struct decision *decision);
/* It begins. */
void scheduler_round_start(const struct scheduling *now, int task,
                           const struct protocol_facts *facts);

/* scheduler_recover.c */

/* Go on where an engine that is gone left off. */
void scheduler_recover(const struct scheduling *now);

/* scheduler_retry.c */

/* Open the task's step, which has ended without success, with a new set of attempts. */
void scheduler_reopen(const struct scheduling *now, const struct control *control, int task);

/* scheduler_hint.c */

/* Does a retry say more than that? */
bool scheduler_has_choices(const struct control *control);
/* Say its hint, and that the set has so many tries in all (0: as before). */
void scheduler_give_hint(const struct scheduling *now, const struct control *control, int task,
                         int allowed);
/* The same with the tries that it gives from now; before the step's next attempt. */
void scheduler_give_choices(const struct scheduling *now, const struct control *control, int task);
/* "; 4 tries from now; its agent gets your hint": what comes of it, behind an answer. */
void scheduler_choices_words(const struct scheduling *now, const struct control *control, int task,
                             struct str *out);

/* scheduler_control.c */

/* A person acts; the answer is an event where the control has an id. */
void scheduler_control(const struct scheduling *now, const struct control *control);

#endif
