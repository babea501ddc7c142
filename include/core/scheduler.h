/*
 * scheduler.h - what happens next: facts and a time in, events and actions out.
 *
 * Pure: no clock, chance, thread, file or process. The scheduler changes the
 * state only through run_state_apply(), one call for each event that it emits,
 * so the state after a step is the fold of the log. A step costs O(log tasks)
 * plus what it returns.
 */
#ifndef DEVS_SCHEDULER_H
#define DEVS_SCHEDULER_H

#include <stddef.h>

#include "call_digest.h"
#include "control.h"
#include "event.h"
#include "run_state.h"

enum input_kind {
    INPUT_START,   /* begin the run; jobs in `jobs`, who in control.by */
    INPUT_RUNNING, /* an attempt's process is there: pid, pid_start */
    INPUT_ENDED,   /* an attempt is over: outcome, verdict, fingerprint */
    INPUT_TIME,    /* time has passed; due waits end */
    INPUT_CONTROL, /* a person acts: control */
    INPUT_QUIET,   /* no output for quiet_ms */
    INPUT_HEARD,   /* output again */
    INPUT_NOTE,    /* note: something the person should read, of `task` or of the run (-1) */
    INPUT_RECOVER, /* the engine that ran this is gone: who goes on in control.by. What ran
                      then is interrupted, what was decided by halves is finished. Of a run that has
                      ended: what take_up says is opened again. */
    INPUT_FACT,    /* what the engine found beside an attempt's end: fact_event, note */
    INPUT_TASK,    /* a task is added to a plan that grows; note: the text of its event */
    INPUT_KIND_COUNT,
};

enum {
    SCHEDULER_TAIL_MAX = 64 * 1024, /* bytes of input.tail; more are not looked at */
    SCHEDULER_PROMPT_MAX = 3000,    /* bytes of a repair prompt: with what JSON makes of it, it has
                                       room in an event */
};

/* An event of the kinds that event_kind_is_fact() knows, as it will be in the log. */
struct input_fact {
    enum event_kind kind;
    int64_t a, b, c, d, e;
};

struct input {
    enum input_kind kind;
    struct moment now;
    int task, step, attempt; /* RUNNING, ENDED, QUIET, HEARD, FACT; NOTE: the task only */
    int jobs;                /* START, RECOVER */
    int64_t pid, pid_start;
    struct outcome outcome;
    struct verdict verdict;
    struct digest fingerprint;
    struct digest masked_fingerprint; /* ENDED: where masking makes it another; else unknown */
    struct entropy_fact fact; /* ENDED with has_fact: the attempt as a step of its trajectory */
    bool has_fact;
    unsigned masks;        /* likewise: what was masked in its output, normaliser bits */
    bool partial;          /* ENDED: the fingerprint is not of all the output */
    int64_t skipped_bytes; /* likewise: of so many bytes only the number counts in it */
    bool expectation_met;  /* ENDED with an expected match: it was in the output */
    struct control control;
    int64_t quiet_ms;
    const char *note; /* borrowed; NOTE: its words; FACT, TASK: the event's text (a JSON object of
                         at most EVENT_TEXT_MAX bytes), NULL = none */
    const char *start_why;        /* borrowed; ENDED, never started: one line why; NULL = none */
    struct input_fact fact_event; /* FACT */
    /* ENDED of a step of a task that has rounds left: what the agent is told of it. */
    const char *tail;   /* borrowed; the end of its output, as a person reads it and with secrets
                           cut, at most SCHEDULER_TAIL_MAX bytes; NULL = none */
    size_t tail_len;    /* its bytes */
    const char *repair; /* borrowed; of an output that broke its contract: what
                           repair_prompt_within(..., SCHEDULER_PROMPT_MAX, ...) wrote; NULL = none,
                           and the verdict's own lines have to do */
    bool rebooted;      /* RECOVER: the clock since boot began anew */
    /* RECOVER of a run that has ended: what is run again. */
    enum take_up take_up;
};

enum action_kind {
    ACTION_SPAWN, /* start this attempt; its attempt_started is among the events */
    ACTION_KILL,  /* end this attempt: TERM then KILL, or KILL at once (mode) */
};

struct action {
    enum action_kind kind;
    int task, step, attempt;
    enum cancel_mode mode;
};

/* What one or several steps gave. Reused: clear it between turns. */
struct turn {
    struct event *events; /* owned */
    struct str *texts;    /* owned; by event: the memory of its text, which later turns use again */
    size_t event_count, event_cap;
    struct action *actions; /* owned */
    size_t action_count, action_cap;
};

enum { TURN_TEXT_KEPT_MAX = 1024 }; /* bytes of an event's text that are kept for the next one */

/* Forget events and actions, keep the memory. */
void turn_clear(struct turn *turn);
/* Frees what the turn holds. */
void turn_done(struct turn *turn);

/* What only a log knows of an event, where a recorded run is decided once more (redecide.h): may
 * change the numbers of *event and its *text, which is borrowed until the step is over. */
typedef void scheduler_recall_fn(void *ctx, struct event *event, const char **text);

struct scheduler {
    struct run_state *state;     /* borrowed */
    struct call_digester *calls; /* borrowed; NULL where nothing is started, or `recall` knows what
                                    was */
    bool orphaned;               /* there is no engine: nothing is started, nothing can be ended */
    bool is_session;             /* beside orphaned: of an agent that devs did not start, whose hook
                                    tells it so (call_log.h) */
    bool starts_nothing;         /* no attempt is started: the engine is leaving */
    bool awaits_more;        /* tasks may still be added: the run ends when it is cancelled only */
    int64_t stepped_mono_ms; /* time of the last step; 0 before the first */
    scheduler_recall_fn *recall; /* asked for each event before it is emitted; NULL = nobody */
    void *recall_ctx;            /* borrowed */
};

/* One step. Events and actions are appended to *turn; the state has taken the
 * events in. Inputs that no longer fit (an attempt that is over) are ignored,
 * controls that do not fit are answered with an event that says why. A fact is
 * taken down if the attempt that it names is there, live or over, and its
 * numbers are within bounds; EVENT_TIME_STOPPED is of the run. A task is added if the
 * plan grows, takes it, and the run is neither over nor cancelled. */
void scheduler_step(struct scheduler *scheduler, const struct input *input, struct turn *turn);

/* Would this end of an attempt (ENDED) be a success of its step? */
bool scheduler_would_pass(const struct plan_step *step, const struct input *input);

/* When INPUT_TIME is wanted next (CLOCK_BOOTTIME, ms); -1 = nothing waits. A gate that
 * let its next one start at the last step already wants none: what it lets through waits for a
 * slot. */
int64_t scheduler_next_due(const struct scheduler *scheduler);

#endif
