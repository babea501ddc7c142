/*
 * redecide_step.h - one input of a recorded run, decided once more and compared. Private to core.
 */
#ifndef DEVS_REDECIDE_STEP_H
#define DEVS_REDECIDE_STEP_H

#include <stddef.h>

#include "redecide.h"

struct redecide {
    struct redecide_run run;   /* what it borrows is the caller's */
    struct run_state recorded; /* the fold of what is accounted for */
    struct run_state made;     /* the same; within a step, with what this build decides */
    struct scheduler scheduler;
    struct turn turn;
    struct event *events; /* owned, texts too; of one moment */
    size_t count, cap;
    size_t at;                      /* the first that is not accounted for */
    bool is_last;                   /* whoever recorded them recorded no more */
    bool was_taken_up;              /* by another engine */
    bool leaves;                    /* since `unstarted` nothing has been started */
    struct event unstarted, before; /* texts owned; what would have been, and on what */
    enum input_kind unstarted_input;
    bool is_stopped; /* nothing is decided any more */
    int told;        /* differences */
    int guesses;     /* see REDECIDE_GUESSES_MAX */
    struct redecide_sum sum;
};

/* A copy with a text of its own, and its end. */
struct event redecide_keep_event(const struct event *event);
/* Free the text of such a copy; it is empty afterwards. */
void redecide_free_event(struct event *event);

/* Decide on what comes first of the moment's events, and account for what was recorded of it.
 * ERR_DAMAGED as for redecide_add(). */
ATTR_MUST_USE bool redecide_decide(struct redecide *redecide, const struct input *input,
                                   struct err *err);

/* So many more events are accounted for; *of grows by how many of them are decisions. */
ATTR_MUST_USE bool redecide_advance(struct redecide *redecide, size_t events, int64_t *of,
                                    struct err *err);

/* What nobody has explained yet is not told any more. */
void redecide_forget_leaving(struct redecide *redecide);

/* For struct scheduler: ctx is a struct redecide. */
void redecide_recall(void *ctx, struct event *event, const char **text);

#endif
