/*
 * scheduler_answer.h - what an act of a person did, in words. Private to core: scheduler_control.c
 * and the files of the acts that it calls.
 */
#ifndef DEVS_SCHEDULER_ANSWER_H
#define DEVS_SCHEDULER_ANSWER_H

#include "attr.h"
#include "scheduling.h"

enum { ANSWER_MAX = 200 };

struct answer {
    bool done;
    char words[ANSWER_MAX];
};

/* Say that it is done, or why it is not; what was said before is forgotten. */
ATTR_PRINTF(2, 3) void answer_accept(struct answer *answer, const char *fmt, ...);
/* The same for an act that is not done. */
ATTR_PRINTF(2, 3) void answer_refuse(struct answer *answer, const char *fmt, ...);

/* scheduler_retry.c */

/* Start the task's step again: at once where it waits or is held, with a new set of attempts where
 * it has ended. */
void scheduler_retry(const struct scheduling *now, const struct control *control, int task,
                     struct answer *answer);
/* Start this one; what waits with the same fault is held until it is through. */
void scheduler_send_one(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer);

#endif
