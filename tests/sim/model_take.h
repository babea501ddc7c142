/*
 * model_take.h - shared by the two halves of the model's event handling.
 */
#ifndef DEVS_SIM_MODEL_TAKE_H
#define DEVS_SIM_MODEL_TAKE_H

#include "model.h"

/* The event being applied, and its subject. */
struct taking {
    struct model *model;
    const struct foretold *foretold;
    const struct event *event;
    int number; /* of the task; -1 = an event of the run */
    struct model_task *task;
    struct model_step *step;
};

void model_set_status(struct taking *taking, int number, enum task_status status);
/* Ends a hold. */
void model_let_go(struct model_task *task);

/* model_acts.c: events caused by people, gates and other engines. */
void model_take_blocked(struct taking *taking);
void model_take_held(struct taking *taking);
void model_take_released(struct taking *taking);
void model_take_cancel(struct taking *taking);
void model_take_gate(struct taking *taking);
void model_take_recovered(struct taking *taking);
void model_take_corrected(struct taking *taking);
void model_take_news(struct taking *taking);

#endif
