/* scheduler.h - what happens next: facts and a time in, events and actions out.
 *
 * Pure: no clock, randomness, thread, file or process. The scheduler changes the state only through
 * run_state_apply(), one call for each event that it emits, so the state after a step is the fold
 * of the log. A step costs O(log tasks) plus the size of its result. */
#ifndef DEVS_SCHEDULER_H
#define DEVS_SCHEDULER_H

#include <stddef.h>

#include "control.h"
#include "digest.h"
#include "event.h"
#include "run_state.h"

enum input_kind {
    INPUT_START,   /* start the run; uses jobs, and control.by, the person who started it */
    INPUT_RUNNING, /* an attempt's process exists: pid, pid_start, slot, port */
    INPUT_ENDED,   /* an attempt has ended: outcome, verdict, fingerprint */
    INPUT_TIME,    /* time has passed; due waits end */
    INPUT_CONTROL, /* a person requests something: control */
    INPUT_QUIET,   /* no output for quiet_ms */
    INPUT_HEARD,   /* output again */
    INPUT_NOTE,    /* note: something a person should read, about `task` or the run (-1) */
    INPUT_RECOVER, /* The engine that ran this has died; control.by is the person who continues.
                      Interrupts the attempts that were running and completes half-made decisions.
                      In a run that has ended, reopens the tasks that take_up selects. */
    INPUT_FACT,    /* a fact that the engine found, other than an attempt's end: fact_event */
    INPUT_TASK,    /* a task is added to a growing plan; note */
    INPUT_KIND_COUNT,
};

enum {
    SCHEDULER_TAIL_MAX = 64 * 1024, /* maximum bytes of input.tail; the rest is ignored */
    SCHEDULER_PROMPT_MAX =
        3000, /* maximum bytes of a repair prompt; fits into an event when encoded as JSON */
};

struct input {
    enum input_kind kind;
    struct moment now;
    int task, step, attempt; /* RUNNING, ENDED, QUIET, HEARD, FACT; NOTE: the task only */
    int jobs;                /* START, RECOVER */
    int64_t pid, pid_start;
    int slot, port; /* see event.running */
    struct outcome outcome;
    struct verdict verdict;
    struct digest fingerprint;
    struct digest masked_fingerprint; /* ENDED: the fingerprint after masking, if masking changes
                                         it; otherwise unknown */
    struct entropy_fact fact; /* ENDED with has_fact: the attempt as a step of its trajectory */
    bool has_fact;
    unsigned masks; /* ENDED with has_fact: masks applied to its output, as normaliser bits */
    bool partial;   /* ENDED: the fingerprint does not cover all of the output */
    int64_t skipped_bytes; /* ENDED: bytes that the fingerprint counts but does not cover */
    bool expectation_met;  /* ENDED with an expected match: the output contained it */
    struct control control;
    int64_t quiet_ms;
    const char *note; /* borrowed; NOTE: the text; TASK: the task as in a plan, a JSON object of at
                         most EVENT_TEXT_MAX bytes */
    const char *start_why; /* borrowed; ENDED, never started: one line that says why; NULL = none */
    struct event fact_event; /* START, RECOVER: may be an EVENT_DAY_COST. FACT: event_kind_is_fact()
                                must be true for its kind; strings are borrowed. Only the fields of
                                its kind are used */
    /* ENDED of a step of a task with rounds left: for the agent's next prompt. */
    const char *tail;   /* borrowed; the end of the attempt's output as a person reads it, without
                           secrets, at most SCHEDULER_TAIL_MAX bytes; NULL = none */
    size_t tail_len;    /* length of `tail` */
    const char *repair; /* borrowed; for output that broke its contract: the text of
                           repair_prompt_within(..., SCHEDULER_PROMPT_MAX, ...); NULL = none: the
                           verdict's own lines are used */
    bool rebooted;      /* RECOVER: the machine has been rebooted */
    /* RECOVER of a run that has ended: which tasks are run again. */
    enum take_up take_up;
};

enum action_kind {
    ACTION_SPAWN,  /* start this attempt; its attempt_started is among the events */
    ACTION_ATTACH, /* attach to this attempt, which an earlier engine started on another machine */
    ACTION_KILL,   /* stop this attempt: TERM then KILL, or KILL at once (mode) */
};

struct action {
    enum action_kind kind;
    int task, step, attempt;
    enum cancel_mode mode;
};

/* The events and actions produced by one or more steps. Reuse it: call turn_clear() between
 * turns. */
struct turn {
    struct event_list events;
    struct str scratch;     /* memory for one string at a time */
    struct action *actions; /* owned */
    size_t action_count, action_cap;
};

enum { TURN_TEXT_KEPT_MAX = 1024 }; /* bytes; turn_clear() frees an event's memory above this */

/* Removes events and actions but keeps the memory. */
void turn_clear(struct turn *turn);
/* Frees the members of the turn. */
void turn_done(struct turn *turn);

/* Called for each event when a recorded run is decided again (redecide.h). May set the fields of
 * *event that only the log knows. Strings are borrowed until the step ends. */
typedef void scheduler_recall_fn(void *ctx, struct event *event);

struct scheduler {
    struct run_state *state; /* borrowed */
    struct call_digester
        *calls;      /* borrowed; NULL if nothing is started, or if `recall` knows the digests */
    bool orphaned;   /* no engine: nothing can be started or stopped */
    bool is_session; /* only if orphaned: the run is a session of an agent that devs did not start,
                        whose hook reports it (call_log.h) */
    bool starts_nothing; /* no attempt is started: the engine is shutting down */
    bool awaits_more;    /* tasks may still be added, so the run ends only when it is cancelled */
    int64_t stepped_mono_ms;     /* time of the last step; 0 before the first */
    scheduler_recall_fn *recall; /* called for each event before it is emitted; may be NULL */
    void *recall_ctx;            /* borrowed */
};

/* Advances the state by one input and appends the resulting events and actions to *turn. The events
 * have already been applied to the state on return.
 *
 * Ignores inputs for attempts that have ended. Rejects invalid controls with an
 * EVENT_CONTROL_ANSWERED that gives the reason. Records a fact only if its attempt exists, running
 * or ended, and its values are in range; EVENT_TIME_STOPPED belongs to the run. Adds a task only if
 * the plan may grow and accepts it, and the run has neither ended nor been cancelled. */
void scheduler_step(struct scheduler *scheduler, const struct input *input, struct turn *turn);

/* Returns whether this end of an attempt (ENDED) would be a success of its step. */
bool scheduler_would_pass(const struct plan_step *step, const struct input *input);

/* Returns when INPUT_TIME is due next (CLOCK_BOOTTIME, ms), or -1 if nothing is waiting. Ignores a
 * gate that let its next task start in the last step: that task is waiting for a slot. */
int64_t scheduler_next_due(const struct scheduler *scheduler);

/*
 * How a run ended, as one number: the exit code of the command that started it. Stored in the log,
 * so numbers never change. The manual has the same list.
 */

enum run_exit {
    RUN_EXIT_PASSED = 0,    /* all tasks passed */
    RUN_EXIT_GAVE_UP = 1,   /* a task gave up or was cancelled */
    RUN_EXIT_ENTROPY = 3,   /* a task looped */
    RUN_EXIT_NEEDS_YOU = 4, /* a task waits for a person */
    RUN_EXIT_STOPPED = 130, /* a person stopped the run, or left before its end */
};

/* The longest window of a policy at the largest scale of "go on". */
enum { SCHEDULER_RESULTS_MAX = POLICY_ATTEMPTS_MAX * ENTROPY_SCALE_MAX };
/* A decision about an attempt and its inputs. */
struct scheduler_ruling {
    struct protocol_facts
        facts; /* borrows from the state, the outcome, the verdict and `results` */
    struct digest results[SCHEDULER_RESULTS_MAX];
    struct decision decision;
    bool new_round; /* the task's agent is prompted again instead of `decision` */
};
/* Decides about the task's ended attempt without changing anything, as the scheduler would at this
 * time. *out borrows from the state, the outcome and the verdict. */
void scheduler_rule_at(const struct run_state *state, const struct moment *at, int task,
                       const struct outcome *outcome, const struct verdict *verdict,
                       struct scheduler_ruling *out);

/*
 * The identity of an attempt's call: 128 bits of SHA-256 over everything that
 * defines it.
 *
 * That is argv, working directory, stdin file, the variables of the step and the whole environment
 * given, its sandbox, and an agent's prompt. The location of the task's workspace is not included.
 * The encoding is in every log, so it never changes. One thread at a time.
 */

/* The parts that all calls of a run have in common, encoded once. */
struct call_digester;

/* Copies its arguments. `environment` is NULL-terminated "NAME=value"; NULL = none. The caller
 * frees *out with call_digester_close(). */
void call_digester_open(struct call_digester **out, const char *run_dir, char *const *environment);
/* Accepts NULL. */
void call_digester_close(struct call_digester *digester);

/* Returns the digest of the step's call. */
struct digest call_digester_take(struct call_digester *digester, const struct plan_step *step);

#endif
