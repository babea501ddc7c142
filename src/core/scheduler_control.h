/*
 * scheduler_control.h - what the two halves of the scheduler share: emitting, and
 * the acts of a person. Private to core.
 */
#ifndef DEVS_SCHEDULER_CONTROL_H
#define DEVS_SCHEDULER_CONTROL_H

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

/* Fold the event into the state and put it into the turn; the text is copied. */
void scheduler_emit(const struct scheduling *now, struct event event, const char *text);

void scheduler_act(const struct scheduling *now, struct action action);

/* End the task's current step as decided, and block what needs the task. */
void scheduler_end_step(const struct scheduling *now, int task, const struct decision *decision);

/* The plan of the task's current step. */
const struct plan_step *scheduler_plan_step(const struct run_state *state, int task);

/* A person acts; the answer is an event where the control has an id. */
void scheduler_control(const struct scheduling *now, const struct control *control);

#endif
