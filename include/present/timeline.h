/*
 * timeline.h - what the tasks of a run did when, and where the time went; also as a trace. Pure.
 *
 * Spans are computed from the state of the run at any event. The spans of a task are in order, do
 * not overlap, and cover the time from the start of the run (or from when the task was added) to
 * now without a gap. A decided wait continues after now as a planned span.
 */
#ifndef DEVS_TIMELINE_H
#define DEVS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "run_state.h"
#include "str.h"

enum span_kind {
    SPAN_QUEUED,  /* waits for other tasks or for a slot */
    SPAN_GATE,    /* held back only by its source's limit */
    SPAN_RUNNING, /* an attempt is running */
    SPAN_QUIET,   /* an attempt is running but has been silent for a while */
    SPAN_BACKOFF, /* waits for its next attempt */
    SPAN_HELD,    /* held by a person, with nothing running */
    SPAN_NEEDS_YOU,
    SPAN_OVER, /* ended, or cannot begin (blocked) */
    SPAN_KIND_COUNT,
};

/* What happened at the end of a span. If there is space for one only, the greater value is
 * shown. */
enum span_end {
    SPAN_END_NONE,
    SPAN_END_PASSED,    /* the task passed, not just a step of it */
    SPAN_END_CANCELLED, /* an attempt or the task was cancelled */
    SPAN_END_LOST,      /* nobody observed the end of the attempt */
    SPAN_END_FAILED,    /* an attempt failed */
    SPAN_END_STUCK,     /* the task is stuck; the values below are about the task, too */
    SPAN_END_GAVE_UP,
    SPAN_END_COUNT,
};

struct span {
    enum span_kind kind;
    enum span_end end;
    bool is_planned; /* the span is in the future */
    int step; /* RUNNING, QUIET: the step that runs; otherwise the step of `attempt`, or the first
                 step if `attempt` is 0 */
    int attempt; /* RUNNING, QUIET: the running attempt; otherwise the latest attempt before the
                    span; 0 = none */
    int64_t from_ms, until_ms; /* CLOCK_BOOTTIME, like the moments of the state */
};

/* A reusable list of spans. All zero is empty. */
struct timeline {
    struct span *spans; /* owned */
    size_t count, cap;
};

/* Computes the spans of a task. `now` must not be before the last event; for a run that has ended
 * it is the time of its end. In an orphaned run (see shown.h) running attempts are lost and nothing
 * is planned. O(attempts x (pauses + steps)) of the task. */
void timeline_read(struct timeline *timeline, const struct run_state *state, int task,
                   const struct moment *now, bool orphaned);
/* Frees the spans. */
void timeline_done(struct timeline *timeline);

/* Returns the attempt that a span belongs to or follows, or NULL. */
const struct attempt_state *span_attempt(const struct span *span, const struct run_state *state,
                                         int task);

/* `until_ms` is exclusive (CLOCK_BOOTTIME, ms). */
struct stretch {
    int64_t from_ms, until_ms;
};
enum { TIMELINE_STRETCHES_MAX = 64 };
/* Finds the first TIMELINE_STRETCHES_MAX stretches of at least `least_ms` (> 0) in which no attempt
 * ran, in order, from the start of the run to now. A stretch may be too short by up to 1/2000 of
 * the run. Returns the number of stretches. O(attempts). */
int timeline_idle(const struct run_state *state, const struct moment *now, int64_t least_ms,
                  struct stretch out[TIMELINE_STRETCHES_MAX]);

/* Returns when the last decided wait ends (CLOCK_BOOTTIME, ms), or 0 if nothing waits. */
int64_t timeline_plan_end(const struct run_state *state);

/*
 * Where the time went: the sums of spans.
 *
 * Excludes time in which a task waits for other tasks or a slot, time after its end, and planned
 * time.
 */

enum time_use {
    TIME_WORK,  /* an attempt ran */
    TIME_WAIT,  /* waited for the next attempt, a source's limit, or an agent's own retries */
    TIME_YOU,   /* a person was needed or held the task */
    TIME_QUIET, /* an attempt ran but was silent */
    TIME_QUEUE, /* the job of an attempt waited in the queue of a cluster */
    TIME_USE_COUNT,
};

enum {
    TIME_CLASSES_MAX = 32
}; /* maximum classes listed; waits of further classes are in the sums only */
/* The waits after failures of one class. */
struct time_class {
    struct failure_class class;
    int64_t waited_ms;
};

struct time_spent {
    int64_t ms[TIME_USE_COUNT];
    int64_t total_ms;                            /* sum of `ms` */
    struct time_class classes[TIME_CLASSES_MAX]; /* waits; longest first, none of 0 ms */
    int class_count;
    int longest_task[TIME_USE_COUNT]; /* the task with the longest time; the first if several are
                                         equal; -1 = none */
    int64_t longest_ms[TIME_USE_COUNT];
    int attempts, failed; /* attempts started, and attempts that failed */
};

/* Returns "work", "wait", "you", "quiet" or "queue". Static. */
const char *time_use_name(enum time_use use);

/* Sums up all tasks. O(tasks + attempts). */
void time_spent_of_run(struct time_spent *out, const struct run_state *state,
                       const struct moment *now, bool orphaned);

/* Adds the sums of another run. `longest_task` is meaningless afterwards, because tasks belong to a
 * run. */
void time_spent_add(struct time_spent *to, const struct time_spent *more);

/* Returns the share in whole percent, rounded so that all uses add up to 100; 0 if the sum is 0. */
int time_spent_percent(const struct time_spent *spent, enum time_use use);
/* Appends "work 39:44 (69%), wait 10:31 (18%; timeout 5:48, test-fail 3:23), you 2:41 (5%)". Leaves
 * out zeros and all but the longest waits; "" if no time was spent. */
void time_spent_words(const struct time_spent *spent, struct str *out);
/* Appends "work_ms":2384000,"wait_ms":...: one member per use. The caller adds the braces. */
void time_spent_json(const struct time_spent *spent, struct str *out);

/*
 * A run in the Trace Event Format, which Perfetto and chrome://tracing open. Pure.
 *
 * The run is a process and each task a thread. Attempts and waits are slices, all other events are
 * instants, and a counter has the numbers of running and waiting tasks. Times are microseconds
 * since the run's first event on the steady clock, or on the wall clock across a reboot. They never
 * go back.
 *
 * Format: "Trace Event Format" (Google, 2016), the forms M, X, i and C.
 */

struct trace_json;

/* Appends the beginning of the trace of a run with this number and name. The caller frees *out with
 * trace_json_close(). */
void trace_json_open(struct trace_json **out, int64_t run, const char *name, struct str *text);
/* Appends the complete JSON objects of the next event. Call it for every event from the first one
 * on, after applying the event to `state`. */
void trace_json_add(struct trace_json *trace, const struct run_state *state,
                    const struct event *event, struct str *text);
/* Appends the slices that are still open, which end at the last event, the names of the tasks, and
 * the end of the trace. */
void trace_json_end(struct trace_json *trace, const struct run_state *state, struct str *text);
/* Frees the trace, which may be NULL. */
void trace_json_close(struct trace_json *trace);

#endif
