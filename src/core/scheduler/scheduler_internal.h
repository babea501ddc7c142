/* scheduler_internal.h - shared by the parts of the scheduler. Private to core. */
#ifndef DEVS_SCHEDULER_INTERNAL_H
#define DEVS_SCHEDULER_INTERNAL_H

#include "control.h"
#include "event.h"
#include "protocol.h"
#include "scheduler.h"

/* One scheduler_step() in progress. Everything is borrowed. */
struct scheduling {
    struct scheduler *scheduler;
    struct run_state *state;
    const struct input *input;
    struct turn *turn;
};

/* Returns an event about this task (-1: the run) at the input's time, with the task's current step
 * and latest attempt. */
struct event scheduler_event(const struct scheduling *now, enum event_kind kind, int task);

/* Returns an empty buffer for a string, to be used until the next event is emitted. */
struct str *scheduler_scratch(const struct scheduling *now);
/* Applies the event to the state and appends it to the turn, with copies of its strings. */
void scheduler_emit(const struct scheduling *now, struct event event);

/* Stops the task's running attempt. */
void scheduler_end_attempt(const struct scheduling *now, int task, enum cancel_mode mode);

enum {
    SCHEDULER_SPACING_MS = 1000
}; /* delay between the starts of tasks that were held back together */

/* Returns the plan of the task's current step. */
static inline const struct plan_step *scheduler_plan_step(const struct run_state *state, int task)
{
    return &state->plan->tasks[task].steps[run_state_step_number(state, task)];
}

/* Emits an event that the person `by` caused; "" = nobody. */
void scheduler_emit_by(const struct scheduling *now, struct event event, const char *by);

/* Ends the task's current step as decided, releases the tasks that followed the task, and blocks
 * the tasks that need it. `inputs` may be NULL. */
void scheduler_end_step(const struct scheduling *now, int task, const struct decision *decision,
                        const struct decision_inputs *inputs);

/* The end of an attempt, in scheduler_judge.c. */

/* The task's attempt has ended: records the end and the verdict, and decides what follows. */
void scheduler_judge(const struct scheduling *now, int task, const struct input *input);
/* Like scheduler_judge(), if the end is in the log already. */
void scheduler_judge_late(const struct scheduling *now, int task, const struct input *input);
/* Like scheduler_judge(), if the verdict is in the log too. */
void scheduler_decide(const struct scheduling *now, int task, const struct outcome *outcome,
                      const struct verdict *verdict);
/* Completes the cancellation of a task whose attempt has ended. */
void scheduler_cancel_rest(const struct scheduling *now, int task);

/* What a suspected loop is about. */
struct suspicion {
    bool of_calls;    /* about an agent's calls; false: about a task's attempts */
    const char *what; /* the command or call that repeats; NULL = not known */
    unsigned masks;   /* masks applied to the last result, as normaliser bits */
};
/* Emits the event of a suspicion, with a line for the next prompt. */
void scheduler_emit_suspicion(const struct scheduling *now, int task, const struct circles *circles,
                              const struct suspicion *of);

/* Gates, in scheduler_judge.c. */

/* Returns the task that may start now: the lowest number in all queues that may start one and for
 * which there is a slot; -1 if there is none. */
int scheduler_next_ready(const struct scheduling *now);

/* Makes the task the next probe at a person's request if it waits at a closed gate. Otherwise does
 * nothing. */
void scheduler_gate_send(const struct scheduling *now, int task, const char *by);
/* Handles a probe whose result is not known: lets the next task in the queue try. */
void scheduler_gate_lost(const struct scheduling *now, int source);

/* Agents, their budgets and rounds, in scheduler_agent.c. */

/* Applies a fact about an agent that has been logged to the task's loop detection and to
 * budgets. */
void scheduler_agent_told(const struct scheduling *now, enum event_kind kind, int task);
/* Emits the events that are still missing about an agent whose engine died. Ends nothing. */
void scheduler_agent_settle(const struct scheduling *now, int task);
/* Does the same for an agent that has survived its engine, and stops its attempt if a loop or a
 * budget was to stop it: the signal may never have been sent. */
void scheduler_agent_resumes(const struct scheduling *now, int task);
/* Fills in the facts that may keep the task's current step from continuing after the attempt with
 * this outcome. */
void scheduler_agent_facts(const struct scheduling *now, int task, struct protocol_facts *facts);
/* Returns whether the attempt was stopped for a loop or a budget, and if so records that in
 * *ended. */
bool scheduler_agent_stopped(const struct scheduling *now, int task, struct input *ended);

/* Reports the use of the task's and the run's budgets, and stops the attempts that have used them
 * up if `may_end`. */
void scheduler_budget_look(const struct scheduling *now, int task, bool may_end);
/* Like scheduler_budget_look(), for the time budgets that are due, of the run and of all running
 * tasks. */
void scheduler_budget_time(const struct scheduling *now);
/* Checks the budget of the day, whose use was reported. */
void scheduler_budget_day(const struct scheduling *now);
/* Returns when scheduler_budget_time() is due next (CLOCK_BOOTTIME, ms), or -1. */
int64_t scheduler_budget_due(const struct run_state *state);
/* Finds a budget that the task's step number `step` would need and that is used up. Returns false
 * if there is none. Sets *by_run if it is the run's budget. */
bool scheduler_budget_spent(const struct scheduling *now, int task, int step,
                            struct budget_use *out, bool *by_run);
/* If a budget that the task's current step would need is used up, ends the step instead of starting
 * it, so that it needs a person, and returns true. */
bool scheduler_budget_ends(const struct scheduling *now, int task);

/* Returns whether another round of the task's agent follows this decision, budgets aside. */
bool scheduler_round_follows(const struct scheduling *now, int task,
                             const struct protocol_facts *facts, const struct decision *decision);
/* Starts the next round of the task's agent. */
void scheduler_round_start(const struct scheduling *now, int task,
                           const struct protocol_facts *facts);

/* Controls, in scheduler_control.c. */

/* Carries out a person's request. If the control has an id, the answer is an event. */
void scheduler_control(const struct scheduling *now, const struct control *control);
/* Opens the task's step, which has ended without success, with a new set of attempts. */
void scheduler_reopen(const struct scheduling *now, const struct control *control, int task);

#endif
