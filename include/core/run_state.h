/* run_state.h - the state of a run, computed from its events alone; its earlier states, kept for
 * going back; and the class of a failed attempt.
 *
 * Live screens, replay, recovery and the engine itself all learn about a run through
 * run_state_apply(). Pure; a state belongs to one thread at a time. */
#ifndef DEVS_RUN_STATE_H
#define DEVS_RUN_STATE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_stream.h"
#include "attr.h"
#include "circles.h"
#include "control.h"
#include "event.h"
#include "heap.h"
#include "moment.h"
#include "number_set.h"
#include "outcome.h"
#include "plan.h"
#include "protocol.h"
#include "verdict.h"

/* Numbers are in the log's projection: never renumber. */
enum task_status {
    TASK_QUEUED = 0, /* waits for other tasks or for a slot */
    TASK_RUNNING = 1,
    TASK_BACKOFF = 2, /* waits for its next attempt */
    TASK_PASSED = 3,
    TASK_GAVE_UP = 4,
    TASK_CANCELLED = 5,
    TASK_BLOCKED = 6, /* a task that it needs did not pass */
    TASK_NEEDS_YOU = 7,
    TASK_STUCK = 8, /* looping */
    TASK_STATUS_COUNT,
};

enum step_status {
    STEP_PENDING, /* waits for an earlier step or a needed task */
    STEP_READY,   /* may start when there is a slot (unless it is held) */
    STEP_RUNNING,
    STEP_JUDGING, /* ended, the decision is the next event */
    STEP_WAITING,
    STEP_ENDED,
    STEP_STATUS_COUNT,
};

/* A person's correction of an attempt's class; the verdict itself stays. */
struct correction {
    struct verdict_label label;
    int64_t at_ms;
    char by[CONTROL_BY_MAX];
};

/* A person's message to the agent of the next attempt, without secrets. */
struct attempt_hint {
    char text[CONTROL_HINT_MAX];
    char by[CONTROL_BY_MAX];
};

/* One execution of a step, as far as it is known. */
struct attempt_state {
    int number; /* from 1; never restarts within the run */
    int grant;
    int round; /* round of the task, from 1 */
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    struct moment started;
    struct moment ended; /* mono_ms is 0 while the attempt runs */
    int64_t waited_ms;   /* the wait before the attempt */
    int64_t
        queued_ms; /* part of that wait in which the attempt waited for a slot or another task */
    int64_t in_queue_ms; /* time after the start in which its job was in a cluster's queue; without
                            the present wait */
    struct digest call;
    struct digest fingerprint; /* fingerprint of the result; 0,0 = not computed */
    int64_t skipped_bytes;     /* bytes that the fingerprint covers only by their number */
    int new_permille;          /* share of lines new to the task; -1 = unknown */
    bool partial;              /* the fingerprint does not cover all of the output */
    bool gated;                /* the step's source was limited when the attempt started */
    bool by_hand;              /* requested by a person, who ended its wait or continued the step */
    bool tree_known;           /* the attempt failed, and its changes were collected */
    int32_t paths_changed, lines_added,
        lines_removed; /* set if tree_known: changes in its workspace */
    int32_t pid;       /* 0 before the process runs */
    int16_t host;      /* host of the plan's executors (run_state_host()); -1 = this machine */
    uint16_t slot;     /* number of the task on the machine, see docs/plan.md; 0 = none */
    uint16_t port;     /* the first of its ports */
    struct outcome outcome;
    struct correction *correction; /* owned; the latest correction, NULL = none */
    struct attempt_hint *hint;     /* owned; the hint that its agent got, NULL = none */
};

enum { HOST_WHY_MAX = 120 }; /* a multiple of 8, see run_past.c */

/* A host of an executor. */
struct host_state {
    int running;                /* attempts that run there */
    int reached;                /* of these, attempts that there is contact with */
    bool down;                  /* it does not answer */
    struct cluster_nodes nodes; /* of a cluster, as reported last; all 0 = not known */
    struct moment since;        /* when `down` changed last; at_ms is 0 if it never did */
    struct moment heard;    /* last contact while `reached` is 0; at_ms is 0 if there was none */
    char why[HOST_WHY_MAX]; /* why it is down, one clean line, perhaps cut; "" = unknown, or up */
};

/* Which steps of a source (plan.h) may start. A rate limit that one step hits closes the gate for
 * all steps of the source. When the limit's wait ends, one step is sent as a probe, whose result
 * opens the gate or closes it again. Steps that wait at an opened gate start spaced out. */
enum gate_status {
    GATE_OPEN,
    GATE_CLOSED,    /* nothing starts before `due` */
    GATE_PROBING,   /* one attempt is probing */
    GATE_SPREADING, /* open, one start at a time */
    GATE_STATUS_COUNT,
};

struct gate_state {
    enum gate_status status;
    int closed;          /* consecutive rate limits; 0 once a probe got through */
    struct moment since; /* time of the first of these limits */
    struct moment
        due; /* CLOSED: when the probe may start; SPREADING: when the next step may start */
    int64_t spacing_ms; /* SPREADING only */
    int probe;          /* PROBING: the task that probes; else -1 */
    int chosen; /* CLOSED: the queued task that a person chose to start before `due`; otherwise -1
                 */
    struct number_set line; /* tasks whose step of this source may start */
};

/* The inputs of decisions about a step, for screens. */
struct step_formulas {
    struct delay delay;            /* delay of the last wait */
    struct decision_inputs inputs; /* inputs of the last wait or end; borrows the policy's name from
                                      the plan; all other strings are NULL */
    char *refused;                 /* owned; the last call denied to the agent; NULL = none */
};

/* Digests of the task's tree, if it is inspected. */
struct step_trees {
    struct digest saved;  /* the tree before the step's first attempt; unknown = not saved */
    struct digest proven; /* the tree after the attempt that succeeded; unknown = not inspected */
    int proven_attempt;   /* number of that attempt; 0 = none */
};

struct packed;
/* A run may have very many steps, so the members that most of its steps do not need are allocated
 * separately. */
struct step_state {
    enum step_status status;
    enum decision_kind end; /* STEP_ENDED only */
    int grant;              /* 0 before the first start */
    int used;               /* attempts of this grant that count */
    int own_retries;        /* retries that the agent made itself in these attempts; they count like
                               attempts */
    int allowed;            /* total attempts of this grant */
    int start_failures;     /* consecutive failed starts of one attempt */
    int free_hints;         /* uncounted waits requested by a server */
    int same;               /* equal results in a row since the step started over */
    int results_from;       /* number of the first attempt since then; 0 or 1: the step's first */
    int interrupted;
    int tries_max; /* run_state_step_tries() before the set of attempts changed; never shrinks */
    bool judged;   /* the last attempt's verdict is in the log */
    bool by_hand;  /* a person requested the next attempt */
    bool silent_failure; /* the attempt exited with code 0, but its verdict is not success */
    bool quiet;          /* running, but without output for a while */
    struct verdict_label verdict;   /* verdict of the last judged attempt */
    int64_t heard_mono_ms;          /* quiet only: time of the last output */
    struct moment first_start;      /* first start in this grant */
    int64_t held_ms;                /* total of the holds in this grant that have ended */
    struct moment wait_from;        /* STEP_WAITING only */
    struct moment due;              /* STEP_WAITING only */
    struct step_formulas *formulas; /* owned; RUN_STATE_SHOWS only, NULL before the first */
    struct step_trees *trees;       /* owned; NULL = not inspected */
    struct packed *evidence;        /* owned; packed verdict of the last judged attempt, see
                                       step_state_verdict(); NULL = none was judged */
    struct attempt_hint *hint; /* owned; a note for the next attempt, NULL = none; for a hint to an
                                  agent see task_agent.hint */
    struct attempt_state *attempts; /* owned; in order */
    uint32_t attempt_count, attempt_cap;
};

/* The workspace of a task that does not work in place, as far as it is known, and the parts of its
 * sandbox that are not enforced. */
struct task_place {
    enum workspace_kind kind;
    struct digest tree; /* the tree as last seen; unknown = never seen, or changed since */
    bool is_changed;    /* a failed attempt changed the workspace, which was not restored */
    bool is_kept;       /* the task's result is kept; the workspace itself is not needed any more */
    char *path;         /* owned; path of the workspace, NULL = none */
    char *branch; /* owned; branch of the workspace, later of the task's result; NULL = none */
    char *result; /* owned; path of a result that is kept as a tree; NULL = none */
    char *lacks;  /* owned; keys of the sandbox that are not enforced, such as "pids, network"; NULL
                     = none */
};

/* A task's latest job on a cluster. All texts are cut to their size. */
struct task_job {
    enum job_state state;
    struct moment since;       /* start of that state */
    struct moment queued;      /* since when an attempt waits in the queue; at_ms 0 = none does */
    char id[JOB_TEXT_MAX];     /* the cluster's name of the job */
    char holder[JOB_TEXT_MAX]; /* the name of devs-hand's holder in it */
    char reason[JOB_TEXT_MAX]; /* the cluster's words for the state; "" = none */
    char node[JOB_TEXT_MAX];   /* where it runs or ran; "" = not known */
};

/* What all runs of the log had used on a day, as reported last. */
struct day_use {
    int date;           /* year, month, day: 20261201; 0 = not reported */
    int64_t cost_micro; /* including this run */
    int64_t own_micro;  /* the cost of this run at that time, of all days */
};

/* The parts of a budget's use that agents do not report, and the warnings that were logged. */
struct budget_state {
    int64_t base[BUDGET_KIND_COUNT]; /* amount used when the budget was renewed; limits count from
                                        here */
    unsigned told;   /* bits 1 << enum budget_kind: budgets reported as almost used up */
    unsigned spent;  /* the same bits: budgets reported as used up */
    bool runs;       /* an attempt that uses the budget is running */
    int64_t wall_ms; /* run time of ended attempts */
    struct moment
        wall_from; /* start of the running attempt, without time in which devs was suspended */
};

/* What is known about the agent of a task, over all its rounds. */
struct task_agent {
    char *agent;       /* owned; the adapter's name, NULL before it is known */
    char *session;     /* owned; id of the last session, NULL = none yet */
    int heard_step;    /* the step whose attempt reported the session last */
    int heard_attempt; /* number of that attempt; 0 = none yet */
    bool heard_new;    /* that attempt began the session */
    int round;         /* from 1 */
    int rounds;        /* maximum number of rounds: from the plan, or as granted by a retry */
    char *repair;      /* owned; prompt of this round, NULL in the first */
    char *nudge;       /* owned; the last nudge not delivered to the agent yet, NULL = none */
    char *said; /* owned; the latest attempt's last message: the first line, at most AGENT_WHAT_MAX
                   bytes; NULL = none yet */
    char *refused; /* owned; the last call denied to its latest attempt, such as "Bash: git push";
                      NULL = none */
    int said_step; /* the step whose attempt wrote `said` */
    int said_attempt;       /* number of that attempt; 0 = no message yet */
    struct agent_used past; /* usage of all ended attempts */
    struct agent_used now;  /* usage of the running attempt */
    struct budget_state budget;
    struct circles *calls; /* owned; loop state of the latest attempt's calls; NULL = none yet */
    struct attempt_hint
        *hint;     /* owned; hint for the next prompt of any of the task's agents, NULL = none */
    bool is_stuck; /* the calls loop, which has ended the attempt or will end it */
};

/* Periods of a task's past that its attempts do not show. A period that has not ended is not
 * included. */
enum pause_kind {
    PAUSE_QUIET,     /* an attempt was running but silent */
    PAUSE_HELD,      /* a person held the task */
    PAUSE_NEEDS_YOU, /* the task had ended, and needed a person */
    PAUSE_OVER,      /* the task had ended differently, until a person continued it */
};
struct task_pause {
    enum pause_kind kind;
    enum task_status ended; /* NEEDS_YOU, OVER: the status in which it had ended */
    struct moment from, until;
};
enum {
    TASK_PAUSES_MAX = 512
}; /* maximum pauses of one task; beyond that, the earliest is dropped */
struct task_pauses {
    struct task_pause *items; /* owned; ordered by their ends */
    size_t count, cap;
};

struct task_state {
    enum task_status status;
    int step;       /* the current step's number; step_count once passed */
    int unmet;      /* needed tasks that have not passed */
    int blocked_by; /* TASK_BLOCKED only: a needed task */
    int entropy;    /* failures that exhausted their attempts */
    bool held;
    int follows;     /* held until this task's step gets through; -1 = none */
    int followers;   /* number of tasks that are held until this task's step gets through */
    unsigned after;  /* bits 1 << enum plan_after: commands that have ended since the task was last
                        reopened */
    bool cancelling; /* requested by a person; a running attempt may still be ending */
    enum cancel_mode cancel_mode;
    struct moment cancelled_at; /* cancelling only: when it was first requested */
    struct moment since;        /* start of the current status */
    struct moment held_since;
    struct moment first_start; /* at_ms is 0 before the first start */
    struct moment away_since; /* when the running attempt's machine was last heard; at_ms is 0 while
                                 there is contact */
    struct moment fence;      /* then: by when the attempt has ended itself. Stays after an end that
                                 proves nothing, until the next attempt; otherwise at_ms is 0 */
    bool reached; /* the running attempt's machine has answered, and there is contact with it */
    int64_t waited_ms;        /* total of all waits that have ended */
    struct circles *circles;  /* owned; NULL until an attempt left a fact, and after the end of the
                                 task unless it is stuck; always NULL for RUN_STATE_TELLS */
    struct task_place *place; /* owned; the task's workspace, NULL = in place, or not known yet */
    struct task_job *job;     /* owned; NULL = it has had no job on a cluster */
    struct task_agent *agent; /* owned; NULL = the task has no agent */
    struct task_pauses *pauses; /* owned; NULL = none */
    char *by;                 /* owned; the person who cancelled or held the task, NULL = nobody */
    struct step_state *steps; /* borrowed from run_state.steps; owned if the plan grows */
};

/* The purpose of a state. It determines how much the state keeps of each task, because many tasks
 * may be waiting. */
enum run_state_use {
    RUN_STATE_SHOWS,   /* everything that screens show of a task at any time */
    RUN_STATE_DECIDES, /* everything that the scheduler needs: no formulas of waits and ends; a
                          verdict only until it is decided on, or longer for an agent's step */
    RUN_STATE_TELLS, /* everything that the text of an event needs (event_words(), event_json()): no
                        formulas and no loops; only the shown part of a verdict, which is dropped
                        once its step has passed, unless it is an agent's step */
};

struct run_past;
enum { RUN_NOTICE_MAX = 256 };

struct run_state {
    const struct plan *plan; /* borrowed; if the plan grows, points to `growing` */
    struct plan *growing; /* owned; the added tasks, and the rules of the given plan; NULL: the plan
                             does not grow */
    uint64_t seed;
    enum run_state_use use;
    int jobs;
    bool started;
    bool ended;
    bool stopped_by_person; /* somebody cancelled the whole run */
    int exit_code;          /* once ended: enum run_exit */
    struct moment started_at;
    struct moment ended_at;
    struct moment last;     /* time of the last event */
    struct moment heard;    /* time of the last event that does not correct an ended attempt */
    int64_t last_seq;       /* 0 before the first event */
    int64_t unknown_events; /* events of kinds that this build does not know */
    int running;            /* running attempts */
    int running_away;       /* of these, attempts on other machines */
    int in_queue;           /* of these, attempts whose job is in the queue of a cluster */
    int counts[TASK_STATUS_COUNT];
    int held_count;
    int follow_count;    /* held tasks that follow another one */
    int attempts;        /* attempts of all tasks, without attempts that never started */
    int64_t waited_ms;   /* total wait of all tasks */
    int64_t stopped_ms;  /* total time in which devs was suspended */
    int64_t away_ms;     /* total time between an end, or an interruption, and the start of the next
                            engine */
    int64_t secrets_cut; /* number of secrets cut from the output of all attempts */
    struct agent_used used;     /* usage of the agents of all tasks */
    struct budget_state budget; /* budgets of the run */
    struct day_use day;
    struct task_state *tasks; /* owned */
    struct step_state
        *steps; /* owned; all steps of all tasks; in a growing plan, each task owns its steps */
    struct gate_state *gates;  /* owned; indexed by source */
    size_t task_cap, gate_cap; /* in a growing plan: capacity of `tasks` and `gates` */
    int gate_count;            /* number of gates */
    struct number_set
        ready; /* tasks whose step may start, in the order of their numbers; a task whose step has a
                  source is in the queue of the source's gate instead */
    struct number_set ready_away; /* like `ready`, tasks of executors, which need a slot there */
    struct host_state *hosts;     /* owned; the hosts of all executors, in the order of the plan */
    struct heap waits;            /* tasks in backoff; key: due.mono_ms */
    struct heap walls;     /* running tasks with a wall budget; key: when the budget is due to be
                              reported or used up (CLOCK_BOOTTIME, ms) */
    struct run_past *past; /* borrowed; keeps the state's past; NULL = it is not kept */
    char notice[RUN_NOTICE_MAX]; /* last event that a person should see; "" = none */
    int64_t notice_at_ms;
};

/* Makes the state before the first event. The plan must outlive it. For a growing plan the state
 * makes a copy, state->plan, to which EVENT_TASK_ADDED adds tasks. */
void run_state_init(struct run_state *state, const struct plan *plan, uint64_t seed);
/* Like run_state_init(), but for the given use; run_state_init() is for RUN_STATE_SHOWS. */
void run_state_init_for(struct run_state *state, const struct plan *plan, uint64_t seed,
                        enum run_state_use use);
/* Frees the members of the state, including its copy of a growing plan. */
void run_state_done(struct run_state *state);

/* Applies one event. Fails with ERR_DAMAGED if the event cannot follow (wrong seq, unknown task, an
 * attempt that does not exist ...) and leaves the state unchanged. An unknown kind is counted and
 * otherwise skipped. */
ATTR_MUST_USE bool run_state_apply(struct run_state *state, const struct event *event,
                                   struct err *err);

/* Returns the status of a task whose step ended like this, without success. */
enum task_status task_status_after(enum decision_kind end);
/* Returns whether the status is final unless a person acts. */
static inline bool task_status_is_final(enum task_status status)
{
    return status != TASK_QUEUED && status != TASK_RUNNING && status != TASK_BACKOFF;
}

/* Returns whether the task ended without success, so that a person has to look at it. */
static inline bool task_status_is_failed(enum task_status status)
{
    return status == TASK_NEEDS_YOU || status == TASK_GAVE_UP || status == TASK_STUCK;
}

/* Returns "queued", "gave-up", ... */
const char *task_status_name(enum task_status status);

/* Returns the number of the current step of a task (of the last one once it has passed). */
static inline int run_state_step_number(const struct run_state *state, int task)
{
    assert(task >= 0 && task < state->plan->task_count);
    const int last = state->plan->tasks[task].step_count - 1;
    const int step = state->tasks[task].step;
    return step > last ? last : step;
}

/* Returns the current step of a task (the last one once the task has passed). */
static inline struct step_state *run_state_step(const struct run_state *state, int task)
{
    return &state->tasks[task].steps[run_state_step_number(state, task)];
}

/* Returns whether the task's tree has changed since this step was proven. Returns false if none of
 * its proofs has a tree. */
bool run_state_tree_is_stale(const struct run_state *state, int task, int step);
/* Returns the number of a host in state->hosts by the names of its executor and its own; -1 if the
 * plan has no such host. */
int run_state_host(const struct run_state *state, const char *executor, const char *host);
/* Returns the job that the task's running attempt waits for in a cluster's queue, or NULL. */
static inline const struct task_job *run_state_queue(const struct run_state *state, int task)
{
    const struct task_state *it = &state->tasks[task];
    return it->status == TASK_RUNNING && it->job && it->job->state == JOB_QUEUED ? it->job : NULL;
}
/* Returns how long an attempt of the task has waited in a cluster's queue after its start. That is
 * not work: the attempt had no machine yet. */
static inline int64_t run_state_queue_ms(const struct run_state *state, int task,
                                         const struct attempt_state *attempt, int64_t now_ms)
{
    const struct task_job *job = state->tasks[task].job;
    const bool waits = attempt->ended.at_ms == 0 && job && job->queued.at_ms != 0;
    const int64_t ms = waits ? now_ms - job->queued.mono_ms : 0;
    return attempt->in_queue_ms + (ms > 0 ? ms : 0);
}
/* Returns how long a running attempt of the task has run, without its wait in the queue. */
static inline int64_t run_state_running_ms(const struct run_state *state, int task,
                                           const struct attempt_state *attempt, int64_t now_ms)
{
    return now_ms - attempt->started.mono_ms - run_state_queue_ms(state, task, attempt, now_ms);
}
/* Returns for how long a running attempt of the task has been in its present state: in a cluster's
 * queue, or running. */
static inline int64_t run_state_since_ms(const struct run_state *state, int task,
                                         const struct attempt_state *attempt, int64_t now_ms)
{
    const struct task_job *job = run_state_queue(state, task);
    return job && job->queued.at_ms != 0 ? now_ms - job->queued.mono_ms
                                         : run_state_running_ms(state, task, attempt, now_ms);
}
/* A host of the plan. Borrowed from it. */
struct host_place {
    const struct plan_executor *executor;
    const char *host; /* its name */
    int slots;        /* maximum number of attempts at a time */
};
/* Returns the host with this number in state->hosts. */
struct host_place run_state_host_place(const struct run_state *state, int number);
/* Returns the host that has the task's worktree with the results of its earlier steps or rounds, if
 * its executor has no shared folder: no other host can run its next attempt. Otherwise -1. */
int run_state_bound_host(const struct run_state *state, int task);
/* Returns the host for the task's next attempt; -1 if all hosts of its executor are down or have no
 * free slot. A task whose executor is this machine has none. Prefers the host of the task's last
 * attempt unless that was lost, then the host with the most free slots. O(hosts). */
int run_state_free_host(const struct run_state *state, int task);
/* Returns the latest attempt of a step, or NULL before the first. */
struct attempt_state *step_state_attempt(const struct step_state *step);
/* Returns for how many ms the task's last attempt, which was killed without contact, may still run
 * on its machine; 0 = it does not. Until then, the task must not be retried. */
static inline int64_t run_state_fence_ms(const struct run_state *state, int task, int64_t at_ms)
{
    const int64_t fence_ms = state->tasks[task].fence.at_ms;
    return fence_ms > at_ms ? fence_ms - at_ms : 0;
}
/* Returns the slot of the latest attempt of the task that had one; 0 = none. */
int run_state_slot(const struct run_state *state, int task);

/* Like step_state_attempt(), for a step that has an attempt. */
static inline struct attempt_state *step_state_latest(const struct step_state *step)
{
    assert(step->attempt_count > 0);
    return &step->attempts[step->attempt_count - 1];
}

/* Returns the inputs of the step's decisions; never NULL, all empty if nothing is kept. */
const struct step_formulas *step_state_formulas(const struct step_state *step);
/* Returns the step's trees; never NULL, all unknown if none was inspected. */
const struct step_trees *step_state_trees(const struct step_state *step);

/* Reads the verdict on the last judged attempt (not on a plain success) into *room and returns it,
 * or NULL. */
const struct verdict *step_state_verdict(const struct step_state *step, struct verdict *room);
/* For the fold only: keeps a copy of the verdict for step_state_verdict(). */
void step_state_keep_verdict(struct step_state *step, const struct verdict *verdict);
/* Returns the attempt with this number, or NULL. */
struct attempt_state *step_state_find_attempt(const struct step_state *step, int number);
/* Returns the last attempt number that step `number` could ever reach. Does not shrink when the
 * step ends early or a person grants fewer attempts. */
int run_state_step_tries(const struct run_state *state, int task, int number);
/* How an attempt counts in its set: the attempts of its round, under the policy or one manual
 * retry. */
struct try_count {
    int number; /* from 1; 0: the set has no attempt yet */
    int of;     /* the size of the set; 0 = not known, `number` is then the attempt's own */
    int free; /* attempts of the set so far that do not count because a server requested the wait */
    int in_all; /* the attempt's own number if earlier sets were granted by hand; otherwise 0 */
};
/* Counts attempt number `attempt` of the step; 0: the latest one of the current set. */
struct try_count run_state_try_count(const struct run_state *state, int task, int number,
                                     int attempt);
/* Returns run_state_step_tries() of the task's current step. */
int run_state_tries(const struct run_state *state, int task);

/* Returns how long the run has taken so far, without time in which it had no engine. Uses `now`
 * only if the run has not ended. */
int64_t run_state_elapsed_ms(const struct run_state *state, const struct moment *now);

/* Returns the number of a needed task that ended without passing, or -1. */
int run_state_blocker(const struct run_state *state, int task);
/* Returns the number of the first needed task that has not passed, or -1. */
int run_state_unmet(const struct run_state *state, int task);

/* Starts of the current attempt under the policy for starts: "start 2/4". Both 0 if none of its
 * starts has failed. */
struct start_tries {
    int at; /* the running start, or the last failed one */
    int of;
};
/* `task` is a number of the plan. O(1). */
struct start_tries run_state_start_tries(const struct run_state *state, int task);

/* Returns what the agents of a task have used so far, in all attempts. */
struct agent_used task_agent_used(const struct task_agent *agent);
/* Returns whether a command of the plan's `after` has to follow the task's end, and which. */
bool run_state_after(const struct run_state *state, int task, enum plan_after *out);
/* Computes how much of a budget is used, by a task with an agent or by the run (task -1). Returns
 * false and sets `limit` to 0 if there is no limit. `now` is for running attempts; it must not be
 * before the last event. */
bool run_state_budget(const struct run_state *state, int task, enum budget_kind kind,
                      const struct moment *now, struct budget_use *out);
/* Returns whether a budget of the task or the run is due to be reported or used up, given the usage
 * of the task's attempt, which may be ahead of the log. Excludes time. */
bool run_state_budget_is_due(const struct run_state *state, int task,
                             const struct agent_used *used);
/* Returns when the wall budget of a task (or of the run: -1) is due to be reported or used up if
 * attempts keep running (CLOCK_BOOTTIME, ms), or -1 if nothing runs or there is nothing left to
 * report. */
int64_t run_state_wall_due(const struct run_state *state, int task);
/* Returns the round of the task, 1 without an agent. */
static inline int run_state_round(const struct run_state *state, int task)
{
    return state->tasks[task].agent ? state->tasks[task].agent->round : 1;
}

/* Which agent gets a hint that is given now. */
enum hint_goes {
    HINT_GOES_NOWHERE, /* no agent follows; the hint is a note of the current step */
    HINT_GOES_HERE,    /* the current step's agent, with its next attempt */
    HINT_GOES_BACK,    /* an earlier step's agent, with the next round */
    HINT_GOES_ON,      /* a later step's agent, or an earlier step's if a new round comes first */
};
enum hint_goes run_state_hint_goes(const struct run_state *state, int task);

/* Returns the gate of the task's current step, or NULL without a source. */
struct gate_state *run_state_gate(const struct run_state *state, int task);
/* Returns whether only the limit of the step's source keeps the task from starting. */
bool run_state_is_behind_gate(const struct run_state *state, int task);
/* Returns whether this gate would let the next task of its queue start at this time. A task that a
 * person sends may start before the limit ends; when it leaves the queue, the limit holds again. */
bool gate_lets_start(const struct gate_state *gate, int64_t now_mono_ms);
/* Returns the task that starts next: the task that a person chose, otherwise the first; -1 if the
 * queue is empty. */
int gate_next(const struct gate_state *gate);

enum {
    FAULT_TASKS_MIN = 3, /* minimum tasks of a common fault */
    FAULT_SPAN_MS =
        60 * 1000, /* maximum time between the first and the last of their waits to begin */
    FAULT_WAITS_MAX = 4096, /* maximum waits considered */
    FAULTS_MAX = 16,        /* maximum faults reported */
};
/* Tasks that wait with the same result and the same source (or none). */
struct fault {
    struct digest fingerprint;
    int first; /* the task with the lowest number: the one to send */
    int count;
    struct moment since, latest;       /* when the first and the last of these waits began */
    struct moment due_first, due_last; /* when the first and the last of these waits end */
};
/* Finds the faults with which at least FAULT_TASKS_MIN tasks wait. Takes the largest group first,
 * then the largest of the rest, and so on; a task is in at most one fault. Sorts the faults by
 * their first task. Returns their number, at most FAULTS_MAX. O(tasks + waits x faults). */
int run_state_faults(const struct run_state *state, struct fault out[FAULTS_MAX]);
/* Returns whether both tasks wait with the same result and the same source, and their waits began
 * within FAULT_SPAN_MS. */
bool run_state_waits_alike(const struct run_state *state, int task, int other);
/* Returns whether this task is part of the fault. */
bool fault_has(const struct fault *fault, const struct run_state *state, int task);

/* Returns how long the current hold has lasted, but not longer than since the task's current step
 * first started; 0 if it is not held. */
int64_t run_state_held_ms(const struct run_state *state, int task, const struct moment *now);

/* Returns a 64-bit digest of everything that the fold counts, decides by and shows: run, gates,
 * tasks, steps, agents, attempts with their corrections, and queues. Equal states have equal
 * digests. Excludes the text of events (evidence of verdicts, formulas, the notice, who held or
 * cancelled) and one of the two clocks if a moment has both. */
uint64_t run_state_digest(const struct run_state *state);

/* Returns whether the state can be copied. A state whose plan grows cannot, because it owns the
 * plan's tasks. */
bool run_state_can_copy(const struct run_state *state);

/* Makes a copy that shares only the plan with the state; the same events have the same effect on
 * both. The caller frees with run_state_done(). O(tasks + steps + attempts). */
void run_state_copy(struct run_state *out, const struct run_state *state);

/*
 * The states of a run at some of its events, kept while it is folded, so that going back applies
 * only a few thousand events again. Pure; belongs to the thread of the state.
 *
 * Only changes are kept: for each task one version for each moment before which it changed, as
 * bytes without the zeros, and usually one copy of each attempt.
 */

enum {
    RUN_PAST_EVERY = 8192, /* a distance between kept moments, in events, that suits a screen */
    RUN_PAST_MOMENTS_MAX = 256,
    RUN_PAST_BYTES_MAX =
        48 * 1024 *
        1024, /* maximum bytes; the latest version of each task is kept even beyond this */
};

/* Starts keeping the past of this state, which must be before its first event and have a plan that
 * does not grow (run_past_can_keep()): every `every` events (> 0); the distance doubles whenever
 * there are too many moments or they need too much memory. Until run_past_free() is called, the
 * state reports its changes. The caller frees it before the state. */
ATTR_MUST_USE struct run_past *run_past_new(struct run_state *state, int64_t every);
/* Frees all moments; the state reports no more changes. Accepts NULL. */
void run_past_free(struct run_past *past);

/* Returns whether the past can be kept. It cannot if the plan grows, because the state then owns
 * the plan's tasks. */
bool run_past_can_keep(const struct run_state *state);

/* Updates `past` after the state has been moved to a different address. */
void run_past_follow(struct run_past *past, struct run_state *state);

/* Keeps the state if this is a moment to keep. Call after each event. O(1), or O(tasks changed
 * since the last moment). */
void run_past_pass(struct run_past *past);

/* Keeps this state as well, because a person may move around it, until another state is marked or
 * the state moves to another kept moment. O(tasks changed since the last moment). */
void run_past_mark(struct run_past *past);

/* Moves the state, back or forward, to the latest kept moment at or before event `seq` (>= 0). Does
 * nothing if that is not closer than the state itself. O(tasks + what changed between the two). */
void run_past_approach(struct run_past *past, int64_t seq);

/* For the fold only: records that the current event changes the task. `old_attempts`: it changes
 * other attempts than the latest of a step. O(1). */
void run_past_changes(struct run_past *past, int task, bool old_attempts);

/* The class of a failed attempt as a value that can be counted: as a person corrected it or as it
 * was judged; if the class has no word of its own, also how the attempt ended. */

struct failure_class {
    struct verdict_label label;
    enum outcome_kind kind; /* how it ended, if that says more than the class; otherwise 0 */
    int code;               /* exit code or signal for `kind`; otherwise 0 */
    bool is_silent;         /* for a timeout: the attempt was silent for too long */
};

/* Returns the class of an ended attempt, with a person's correction. */
struct failure_class failure_class_of(const struct attempt_state *attempt);
/* Compares all members. */
bool failure_class_equals(const struct failure_class *a, const struct failure_class *b);
/* Appends the word of the CLASS column: "rate-limit", "test-fail", "timeout", "exit 2". */
void failure_class_word(const struct failure_class *class, struct str *out);

/* Appends " (was test-fail)", the class that devs gave, if a person corrected it. */
void failure_class_original(const struct attempt_state *attempt, struct str *out);

/* Beyond any real run; sums of a few of these do not overflow. */
#define FOLD_TIME_MAX_MS  ((int64_t)1000 * 1000 * 1000 * 1000 * 1000) /* the year 33658 */
#define FOLD_DELAY_MAX_MS ((int64_t)1000 * 1000 * 1000 * 1000)        /* 31 years */
/* Clamps a duration from a log to the range 0 to FOLD_DELAY_MAX_MS, so that millions of them can be
 * added up. */
int64_t fold_length_ms(int64_t ms);
/* Clamps the time between two moments of a log to FOLD_TIME_MAX_MS in either direction. The result
 * is negative if the monotonic clock restarted in between. */
int64_t fold_span_ms(int64_t ms);

#endif
