/*
 * call_kept.h - what is kept between two calls of a session: where its run's log has come to,
 * and what tells circles from progress. It is the row of `gain` of the run's task. Private to
 * store; belongs to one thread.
 */
#ifndef DEVS_CALL_KEPT_H
#define DEVS_CALL_KEPT_H

#include "agent_used.h"
#include "attr.h"
#include "circles.h"
#include "entropy_memory.h"
#include "err.h"
#include "event.h"
#include "str.h"

#define CALL_TURNED_AWAY "turned away: " /* prefix of the line of a denied call */

/* All zero but for the limits and the memory is a session without a call. */
struct call_kept {
    int64_t seq;                  /* the last event that is in here */
    struct moment last;           /* of that event */
    int64_t number;               /* of the last call, message or prompt */
    struct agent_used used;       /* so far */
    int turned_away;              /* calls, since the agent was found to be stuck */
    int64_t stuck_first;          /* the segment's step that the circles begin at */
    bool stop_asked;              /* a person wants it to end, and has said nothing since */
    bool turn_failed;             /* the last thing that happened: its service said no */
    struct entropy_limits limits; /* those of the run's plan */
    struct circles circles;
    struct entropy_memory *memory; /* owned */
};

/* A session without a call. */
void call_kept_init(struct call_kept *kept, const struct entropy_limits *limits);
void call_kept_done(struct call_kept *kept);

/* Fold in an event of the run that follows the last one. */
void call_kept_apply(struct call_kept *kept, const struct event *event);

/* What the rungs say of the fact of the last call or message: in kept->circles. A message
 * alone does not end a loop whose calls were denied. */
void call_kept_judge(struct call_kept *kept, const struct entropy_fact *fact, bool is_call,
                     const struct moment *at);
/* A person has spoken: what the agent did before counts for no circle any more. */
void call_kept_forget(struct call_kept *kept);

/* Append it as bytes. */
void call_kept_save(const struct call_kept *kept, struct str *out);
/* Take the place of *kept, which was initialised. ERR_INVALID, and *kept unchanged, for bytes
 * that call_kept_save() of this build did not write. */
ATTR_MUST_USE bool call_kept_load(struct call_kept *kept, const void *bytes, size_t len,
                                  struct err *err);

enum { CALL_KEPT_HEAD_BYTES = 128 }; /* the first bytes of what is saved: enough for this: */
/* Do these bytes say that the agent is stuck or is to stop, or are they behind the log, whose
 * last event is `seq`? True also where they are none. */
bool call_kept_is_alarming(const void *bytes, size_t len, int64_t seq);

#endif
