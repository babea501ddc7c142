/*
 * event_look.h - an event and the objects that it names, looked up once for its text and its JSON.
 */
#ifndef DEVS_EVENT_LOOK_H
#define DEVS_EVENT_LOOK_H

#include <stdbool.h>

#include "event.h"
#include "run_state.h"
#include "str.h"

struct event_look {
    const struct run_state *state;
    const struct event *event;
    const struct plan_step *plan;        /* NULL for an event of the run */
    const struct step_state *step;       /* NULL for an event of the run */
    const struct attempt_state *attempt; /* may be NULL */
    struct str *out;
};

/* Looks up the objects that an event names. Borrows all arguments. */
struct event_look event_look_up(const struct run_state *state, const struct event *event,
                                struct str *out);
/* Returns whether the state has the step, attempt or evidence that this kind of event needs. If
 * not, nothing is shown. */
bool event_look_is_there(const struct event_look *look);
/* Appends what went wrong with the attempt: the matched output if a rule matched, else the
 * outcome. */
void event_look_error(const struct event_look *look, struct str *out);

/* The retry that follows a wait: its number and the maximum. `max` is at least `at`: an uncounted
 * wait may follow the last attempt that counts. */
struct event_retry {
    int64_t at, max;
};
/* Reads the retry from the inputs of the decision. Returns 1 of 1 if there are none. */
struct event_retry event_look_retry(const struct event_look *look);

#endif
