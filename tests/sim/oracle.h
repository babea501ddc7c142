/*
 * oracle.h - predicts the scheduler's answer to an input: every event and every action, in order,
 * derived from the plot, the rules of the design and the model.
 */
#ifndef DEVS_SIM_ORACLE_H
#define DEVS_SIM_ORACLE_H

#include "model.h"
#include "rules.h"
#include "scheduler.h"
#include "tally.h"

enum { ORACLE_EVENTS_MAX = 512, ORACLE_ACTIONS_MAX = 64 };

struct oracle {
    struct model model;
    struct tally *tally; /* borrowed; NULL = nothing is counted */
    bool orphaned, starts_nothing;
    const struct input *input;     /* borrowed for the call */
    const struct plot_op *telling; /* borrowed; the agent's fact that is the input */
    int64_t input_mono_ms;         /* when the last input came */
    int count;
    struct foretold list[ORACLE_EVENTS_MAX];
    int action_count;
    struct action actions[ORACLE_ACTIONS_MAX];
};

/* Predicts the answer to an input and applies it to the model. */
void oracle_foretell(struct oracle *oracle, const struct input *input);

/* Returns when the scheduler has to be woken next, -1 = never. */
int64_t oracle_next_due(const struct oracle *oracle);

/* Shared by the parts of the oracle. */

/* Returns an event on the task's current step and latest attempt (-1: on the run). */
struct foretold oracle_event(const struct oracle *oracle, enum event_kind kind, int task);
void oracle_emit(struct oracle *oracle, const struct foretold *foretold);
void oracle_act(struct oracle *oracle, struct action action);
void oracle_count(struct oracle *oracle, enum row row);

/* Predicts the step's end and its consequences. */
void oracle_end_step(struct oracle *oracle, int task, const struct ruling *ruling,
                     const struct formula *formula);
/* Predicts that all tasks that need this one are blocked. */
void oracle_block(struct oracle *oracle, int task);
/* Ends a cancelled task whose attempt is over. */
void oracle_cancel_rest(struct oracle *oracle, int task);

void oracle_judge(struct oracle *oracle, int task, const struct outcome *outcome,
                  struct opinion opinion);
/* Returns the opinion of an attempt that was stopped for this reason. */
struct opinion oracle_stopped(enum outcome_stop stop);
void oracle_recover(struct oracle *oracle);
void oracle_control(struct oracle *oracle, const struct control *control);

/* oracle_gate.c: what a verdict on a step of the source means for its gate. */
void oracle_gate_judge(struct oracle *oracle, int task, int source, const struct facts *facts,
                       const struct ruling *ruling);
/* Handles a probe whose end nobody saw: the next task in line becomes the probe. */
void oracle_gate_lose(struct oracle *oracle, int source);
/* Handles a task that the user sends: behind a closed gate, it becomes the next probe. */
void oracle_gate_send(struct oracle *oracle, int task, const char *by);
bool oracle_gate_lets(const struct model_gate *gate, int64_t now_ms);

#endif
