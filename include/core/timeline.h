/*
 * timeline.h - what a task did with its time: spans, made from the run's state as it is at any
 * event. Pure; nothing is kept but what a run's state has.
 *
 * The spans of a task are in order, do not overlap, and cover it from the run's start (or from
 * when it was added) to now without a gap; what is right of now is planned, and only a wait that
 * is decided is.
 */
#ifndef DEVS_TIMELINE_H
#define DEVS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run_state.h"

enum span_kind {
    SPAN_QUEUED,  /* waits for what it needs, or for a slot */
    SPAN_GATE,    /* could start, but for its source's limit */
    SPAN_RUNNING, /* an attempt runs */
    SPAN_QUIET,   /* an attempt runs, and has not been heard for a while */
    SPAN_BACKOFF, /* waits for its next attempt */
    SPAN_HELD,    /* a person holds it, and nothing of it runs */
    SPAN_NEEDS_YOU,
    SPAN_OVER, /* it has ended, or cannot begin (blocked) */
    SPAN_KIND_COUNT,
};

/* What happened at the end of a span; the greater one is told first where there is no room for
 * two. */
enum span_end {
    SPAN_END_NONE,
    SPAN_END_PASSED,    /* the task, not a step of it */
    SPAN_END_CANCELLED, /* an attempt, or the task */
    SPAN_END_LOST,      /* nobody saw the attempt end */
    SPAN_END_FAILED,    /* an attempt */
    SPAN_END_STUCK,     /* the task, as in all below */
    SPAN_END_GAVE_UP,
    SPAN_END_COUNT,
};

struct span {
    enum span_kind kind;
    enum span_end end;
    bool is_planned; /* it is yet to come */
    int step;        /* RUNNING, QUIET: its step; else that of `attempt`, or the one to come */
    int attempt;     /* RUNNING, QUIET: it; else the latest one before, 0 = none */
    int64_t from_ms, until_ms; /* CLOCK_BOOTTIME, as moments of the state have it */
};

/* Spans in use again and again. All zero: none. */
struct timeline {
    struct span *spans; /* owned */
    size_t count, cap;
};

/* The spans of a task. `now` is not before the last event; of a run that is over it is the time of
 * its end. `orphaned`: nobody owns the run (see shown.h); what ran is lost, nothing is planned.
 * O(attempts x (pauses + steps)) of the task. */
void timeline_read(struct timeline *timeline, const struct run_state *state, int task,
                   const struct moment *now, bool orphaned);
/* Frees what the timeline holds. */
void timeline_done(struct timeline *timeline);

/* The attempt that a span is of, or comes after; NULL for none. */
const struct attempt_state *span_attempt(const struct span *span, const struct run_state *state,
                                         int task);

/* From, up to: without the latter (CLOCK_BOOTTIME, ms). */
struct stretch {
    int64_t from_ms, until_ms;
};
enum { TIMELINE_STRETCHES_MAX = 64 };
/* Stretches of at least `least_ms` (> 0) in which nothing ran, in order, from the run's start to
 * now; the first TIMELINE_STRETCHES_MAX. They may be short of what is true by a four-thousandth of
 * the run. Returns how many. O(attempts). */
int timeline_idle(const struct run_state *state, const struct moment *now, int64_t least_ms,
                  struct stretch out[TIMELINE_STRETCHES_MAX]);

/* When the last wait that is decided ends (CLOCK_BOOTTIME, ms); 0 where nothing waits. */
int64_t timeline_plan_end(const struct run_state *state);

#endif
