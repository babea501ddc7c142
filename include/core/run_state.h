/*
 * run_state.h - what is true of a run: a fold over its events, and nothing else.
 *
 * Live screens, replay, recovery and the engine itself all know a run through
 * run_state_apply(). Pure; a state belongs to one thread at a time.
 */
#ifndef DEVS_RUN_STATE_H
#define DEVS_RUN_STATE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_used.h"
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
    TASK_QUEUED = 0, /* waits for what it needs, or for a slot */
    TASK_RUNNING = 1,
    TASK_BACKOFF = 2, /* waits for its next attempt */
    TASK_PASSED = 3,
    TASK_GAVE_UP = 4,
    TASK_CANCELLED = 5,
    TASK_BLOCKED = 6, /* something it needs did not pass */
    TASK_NEEDS_YOU = 7,
    TASK_STUCK = 8, /* looping */
    TASK_STATUS_COUNT,
};

enum step_status {
    STEP_PENDING, /* an earlier step is not through, or a needed task */
    STEP_READY,   /* may start as soon as there is a slot (and nobody holds it) */
    STEP_RUNNING,
    STEP_JUDGING, /* ended, the decision is the next event */
    STEP_WAITING,
    STEP_ENDED,
    STEP_STATUS_COUNT,
};

/* A person's word on an attempt's class; the verdict itself stays. */
struct correction {
    struct verdict_label label;
    int64_t at_ms;
    char by[CONTROL_BY_MAX];
};

/* What a person says to the agent of the next attempt; secrets are cut. */
struct attempt_hint {
    char text[CONTROL_HINT_MAX];
    char by[CONTROL_BY_MAX];
};

/* One execution of a step, as far as it is known. */
struct attempt_state {
    int number; /* from 1; never restarts within the run */
    int grant;
    int round; /* of its task, from 1 */
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    struct moment started;
    struct moment ended; /* mono_ms 0 while it runs */
    int64_t waited_ms;   /* wait that came before it */
    int64_t queued_ms;   /* of which it waited for no time, but for a slot, or what it needs */
    struct digest call;
    struct digest fingerprint; /* of its result; 0,0 = not taken */
    int64_t skipped_bytes;     /* of so many bytes only the number counts in it */
    int new_permille;          /* share of its lines that the task had not written; -1 = unknown */
    bool partial;              /* the fingerprint is not of all the output */
    bool gated;                /* its source did not let everything through when it started */
    bool by_hand;              /* a person asked for it: ended its wait, or let the step go on */
    bool tree_known;           /* it failed, and what it changed was looked at; then: */
    int32_t paths_changed, lines_added, lines_removed; /* in its workspace */
    int32_t pid;                                       /* 0 before it runs */
    struct outcome outcome;
    struct correction *correction; /* owned; the last one, NULL = none */
    struct attempt_hint *hint;     /* owned; what it was told, NULL = nothing */
};

/* What a source (plan.h) lets through. A rate limit that one of its steps meets closes it
 * for all of them; one step is sent as a probe when the limit's wait is over; how that
 * one goes opens the gate or closes it again; what waits behind an opened gate starts
 * spaced out. */
enum gate_status {
    GATE_OPEN,
    GATE_CLOSED,    /* nothing starts before `due` */
    GATE_PROBING,   /* one attempt is out to see */
    GATE_SPREADING, /* open, one start at a time */
    GATE_STATUS_COUNT,
};

struct gate_state {
    enum gate_status status;
    int closed;             /* limits in a row; 0 once a probe came through */
    struct moment since;    /* of the first limit in a row */
    struct moment due;      /* CLOSED: when the probe may start; SPREADING: the next one */
    int64_t spacing_ms;     /* SPREADING only */
    int probe;              /* PROBING: its task; else -1 */
    int chosen;             /* CLOSED: the task in line that a person sends before `due`; else -1 */
    struct number_set line; /* tasks whose step of this source may start */
};

/* What decisions on a step went by, for who shows it. */
struct step_formulas {
    struct delay delay; /* of the last wait */
    char *wait_json;    /* owned; the last wait's formula as recorded */
    char *end_json;     /* owned; STEP_ENDED only: what that decision went by */
};

/* Its task's tree, where that is looked at. */
struct step_trees {
    struct digest saved;  /* before its first attempt; unknown = not saved */
    struct digest proven; /* after the attempt that succeeded; likewise */
    int proven_attempt;   /* that attempt; 0 = none */
};

/* There may be very many: what most of them do not need lies apart. */
struct step_state {
    enum step_status status;
    enum decision_kind end; /* STEP_ENDED only */
    int grant;              /* 0 before the first start */
    int used;               /* attempts of this grant that count */
    int own_retries;        /* of an agent, in these; they count like attempts */
    int allowed;            /* attempts this grant has in all */
    int start_failures;     /* starts in a row that failed, of one attempt */
    int free_hints;         /* waits on a server's hint that used up no attempt */
    int same;               /* equal results in a row, since a new beginning */
    int results_from;       /* the first attempt since that, 0 or 1: since the first */
    int interrupted;
    int tries_max;                /* run_state_step_tries() before its set changed; never shrinks */
    bool judged;                  /* the last attempt's verdict is in the log */
    bool by_hand;                 /* a person asked for the next attempt */
    bool silent_failure;          /* it exited with code 0, but its verdict is not success */
    bool quiet;                   /* running without output for a while */
    struct verdict_label verdict; /* of the last attempt that was judged */
    int64_t heard_mono_ms;        /* quiet only: when it was heard last */
    struct moment first_start;    /* of this grant */
    int64_t held_ms;              /* of this grant, holds that are over */
    struct moment wait_from;      /* STEP_WAITING only */
    struct moment due;            /* STEP_WAITING only */
    struct step_formulas *formulas; /* owned; RUN_STATE_SHOWS only, NULL before the first */
    struct step_trees *trees;       /* owned; NULL = none was looked at */
    char *verdict_json;             /* owned; its evidence as recorded: step_state_verdict(); NULL =
                                       none was judged */
    struct attempt_hint *hint; /* owned; a note for the next attempt, NULL = none; for a hint to an
                                  agent see task_agent.hint */
    struct attempt_state *attempts; /* owned; in order */
    uint32_t attempt_count, attempt_cap;
};

/* Where a task works that does not work in place, as far as it is known; and what of its
 * sandbox is not enforced. */
struct task_place {
    enum workspace_kind kind;
    struct digest tree; /* as last seen; unknown = never, or it was changed since */
    bool is_changed;    /* an attempt that failed changed it, and it was not put back */
    bool is_kept;       /* its result is kept; the workspace itself is not needed any more */
    char *path;         /* owned; of the workspace, NULL = none */
    char *branch;       /* owned; that it works on, then that of its result; NULL = none */
    char *result;       /* owned; of a result that is kept as a tree: its path; NULL = none */
    char *lacks;        /* owned; keys of the sandbox that are not enforced, as "pids, network";
                           NULL = none */
};

/* What was used of a budget, beside what the agents say, and what was said of it. */
struct budget_state {
    int64_t base[BUDGET_KIND_COUNT]; /* what was used when it was given again: a limit counts from
                                        here */
    unsigned told;                   /* bits 1 << enum budget_kind: most of it was used */
    unsigned spent;                  /* likewise: all of it */
    bool runs;                       /* an attempt of it is under way */
    int64_t wall_ms;                 /* in which attempts ran that are over */
    struct moment wall_from; /* while one runs: since when, what devs stood still left out */
};

/* What is known of the agent of a task, over all its rounds. */
struct task_agent {
    char *agent;            /* owned; the adapter's name, NULL before it is known */
    char *session;          /* owned; id of the last session, NULL = none yet */
    int heard_step;         /* whose attempt told the session last, and which; */
    int heard_attempt;      /* 0 = none yet */
    bool heard_new;         /* that attempt began the session */
    int round;              /* from 1 */
    int rounds;             /* it may take so many in all: the plan's, or what a retry gave */
    char *repair;           /* owned; prompt of this round, NULL in the first */
    char *nudge;            /* owned; the last nudge not yet said to the agent, NULL = none */
    char *said;             /* owned; what its latest attempt said last: the first line, at most
                               AGENT_WHAT_MAX bytes; NULL = nothing yet */
    char *refused;          /* owned; the last call that its latest attempt was refused, as "Bash:
                               git push"; NULL = none */
    int said_step;          /* by the attempt of this step; */
    int said_attempt;       /* 0 = nothing was said yet */
    struct agent_used past; /* of all attempts that are over */
    struct agent_used now;  /* of the attempt that runs */
    struct budget_state budget;
    struct circles *calls;     /* owned; of the latest attempt's calls; NULL = none yet */
    struct attempt_hint *hint; /* owned; for the next prompt of any of its agents, NULL = none */
    bool is_stuck;             /* the calls loop, and the attempt ended or will end for that */
};

/* Stretches of a task's past that its attempts say nothing of; the one that still goes on is not
 * among them. */
enum pause_kind {
    PAUSE_QUIET,     /* an attempt ran, and was not heard */
    PAUSE_HELD,      /* a person held it */
    PAUSE_NEEDS_YOU, /* it had ended, and needed a person */
    PAUSE_OVER,      /* it had ended in another way, until a person let it go on */
};
struct task_pause {
    enum pause_kind kind;
    enum task_status ended; /* NEEDS_YOU, OVER: what it had ended as */
    struct moment from, until;
};
enum { TASK_PAUSES_MAX = 512 }; /* of one task; then the earliest is forgotten */
struct task_pauses {
    struct task_pause *items; /* owned; in the order in which they were over */
    size_t count, cap;
};

struct task_state {
    enum task_status status;
    int step;       /* the current step's number; step_count once passed */
    int unmet;      /* needed tasks that have not passed */
    int blocked_by; /* TASK_BLOCKED only: a needed task */
    int entropy;    /* failures that used up their chances */
    bool held;
    int follows;     /* held until this task's step is through; -1 = none */
    int followers;   /* tasks that are held until this one's step is through */
    bool cancelling; /* a person asked; what runs may still be ending */
    enum cancel_mode cancel_mode;
    struct moment cancelled_at; /* cancelling only: when a person asked first */
    struct moment since;        /* of the present status */
    struct moment held_since;
    struct moment first_start;  /* at_ms 0 before */
    int64_t waited_ms;          /* all waits that are over */
    struct circles *circles;    /* owned; NULL until an attempt left a fact, and once the task is
                                   over, unless it is stuck; no fact: RUN_STATE_TELLS */
    struct task_place *place;   /* owned; where it works, NULL = in place, or not known yet */
    struct task_agent *agent;   /* owned; NULL = it has no agent */
    struct task_pauses *pauses; /* owned; NULL = none */
    char *by;                   /* owned; who cancelled or held, NULL = nobody */
    struct step_state *steps;   /* borrowed from run_state.steps; owned where the plan grows */
};

/* What a state is for. Of what events bring, it keeps what that needs: many tasks may wait. */
enum run_state_use {
    RUN_STATE_SHOWS,   /* all: what screens say of a task at any time */
    RUN_STATE_DECIDES, /* what the scheduler goes by: not the formulas of waits and ends, and a
                          verdict until it is decided on, an agent's step's longer */
    RUN_STATE_TELLS,   /* what the words of an event are made of (event_words(), event_json()):
                          neither these formulas, nor whether a task loops, of a verdict
                          only what is told, and nothing once its step has passed, unless it is an
                          agent's */
};

struct run_past;
enum { RUN_NOTICE_MAX = 256 };

struct run_state {
    const struct plan *plan; /* borrowed; of one that grows: `growing` */
    struct plan *growing;    /* owned; the tasks that were added, and the rules of the plan given;
                                NULL: it does not grow */
    uint64_t seed;
    enum run_state_use use;
    int jobs;
    bool started;
    bool ended;
    bool stopped_by_person; /* somebody cancelled the whole run */
    int exit_code;          /* once ended: enum run_exit */
    struct moment started_at;
    struct moment ended_at;
    struct moment last;     /* of the last event */
    struct moment heard;    /* of the last event that is no correction of what is over */
    int64_t last_seq;       /* 0 before the first event */
    int64_t unknown_events; /* of kinds this build does not know */
    int running;            /* attempts alive */
    int counts[TASK_STATUS_COUNT];
    int held_count;
    int follow_count;           /* of these, held until another task is through */
    int attempts;               /* of all tasks, but for those that never started */
    int64_t waited_ms;          /* of all tasks */
    int64_t stopped_ms;         /* in which devs itself stood still */
    int64_t away_ms;            /* between an end, or an interruption, and the next engine */
    int64_t secrets_cut;        /* from what all attempts wrote */
    struct agent_used used;     /* by the agents of all tasks */
    struct budget_state budget; /* of the run */
    struct task_state *tasks;   /* owned */
    struct step_state *steps;   /* owned; all steps of all tasks; of a plan that grows each task
                                   owns its own */
    struct gate_state *gates;   /* owned; by source */
    size_t task_cap, gate_cap;  /* of a plan that grows: room in these two, */
    int gate_count;             /* and how many gates there are */
    struct number_set ready;    /* tasks whose step may start: the first one does first; those of
                                   a source are in its gate's line instead */
    struct heap waits;          /* tasks in backoff; key: due.mono_ms */
    struct heap walls;          /* tasks that run and have a wall budget; key: when it is to be
                                   spoken of, or spent (CLOCK_BOOTTIME, ms) */
    struct run_past *past; /* borrowed; who keeps the state's past (run_past.h), NULL = nobody */
    char notice[RUN_NOTICE_MAX]; /* last event that wants a person's eye; "" = none */
    int64_t notice_at_ms;
};

/* The state before the first event. The plan must outlive it. Of a plan that grows the state
 * makes itself a copy, which EVENT_TASK_ADDED adds to: state->plan. */
void run_state_init(struct run_state *state, const struct plan *plan, uint64_t seed);
/* The same for this use; run_state_init() is for RUN_STATE_SHOWS. */
void run_state_init_for(struct run_state *state, const struct plan *plan, uint64_t seed,
                        enum run_state_use use);
/* Frees what the state holds, its copy of a plan that grows among it. */
void run_state_done(struct run_state *state);

/* Fold one event in. False if the event cannot follow (wrong seq, unknown task,
 * an attempt that is not there ...): ERR_DAMAGED, the state is untouched. An
 * unknown kind is counted and otherwise skipped. */
ATTR_MUST_USE bool run_state_apply(struct run_state *state, const struct event *event,
                                   struct err *err);

/* What a task is whose step ends so, without success. */
enum task_status task_status_after(enum decision_kind end);
/* Is this status final (unless a person acts)? */
static inline bool task_status_is_final(enum task_status status)
{
    return status != TASK_QUEUED && status != TASK_RUNNING && status != TASK_BACKOFF;
}

/* Did it end without success, so that a person has to look at it? */
static inline bool task_status_is_failed(enum task_status status)
{
    return status == TASK_NEEDS_YOU || status == TASK_GAVE_UP || status == TASK_STUCK;
}

/* "queued", "gave-up", ... */
const char *task_status_name(enum task_status status);

/* The number of the current step of a task (of the last one once it has passed). */
static inline int run_state_step_number(const struct run_state *state, int task)
{
    assert(task >= 0 && task < state->plan->task_count);
    const int last = state->plan->tasks[task].step_count - 1;
    const int step = state->tasks[task].step;
    return step > last ? last : step;
}

/* That step. */
static inline struct step_state *run_state_step(const struct run_state *state, int task)
{
    return &state->tasks[task].steps[run_state_step_number(state, task)];
}

/* Has the task's tree been changed since this step was proven? False where no proof of it holds
 * a tree. */
bool run_state_tree_is_stale(const struct run_state *state, int task, int step);
/* The latest attempt of a step, NULL before the first. */
struct attempt_state *step_state_attempt(const struct step_state *step);
/* The same of a step that has one. */
static inline struct attempt_state *step_state_latest(const struct step_state *step)
{
    assert(step->attempt_count > 0);
    return &step->attempts[step->attempt_count - 1];
}

/* What its decisions went by; never NULL, all empty where nothing is kept. */
const struct step_formulas *step_state_formulas(const struct step_state *step);
/* Its trees; never NULL, all empty where none was looked at. */
const struct step_trees *step_state_trees(const struct step_state *step);

/* The verdict on the last attempt that was judged (not on a plain success): read into *room, which
 * is returned; NULL = there is none. Reads JSON: once for a line or a decision, not in a loop over
 * all tasks. */
const struct verdict *step_state_verdict(const struct step_state *step, struct verdict *room);
/* Attempt by number, NULL if there is none. */
struct attempt_state *step_state_find_attempt(const struct step_state *step, int number);
/* The last attempt number that step `number` could reach at any time. It does not shrink when the
 * step ends early, nor when a person gives it fewer tries. */
int run_state_step_tries(const struct run_state *state, int task, int number);
/* How an attempt counts in the set of tries that it is of: those of its round, and of the policy or
 * of one retry by hand. */
struct try_count {
    int number; /* from 1; 0: the set has none yet */
    int of;     /* so many the set has; 0 = not known, `number` is then the attempt's own */
    int free;   /* tries of the set so far that use up none, since a server asked for them */
    int in_all; /* the attempt's own number, where sets before this one were given by hand; else 0
                 */
};
/* Count attempt number `attempt` of the step, 0: the latest one of the present set. */
struct try_count run_state_try_count(const struct run_state *state, int task, int number,
                                     int attempt);
/* The same of the task's current step. */
int run_state_tries(const struct run_state *state, int task);

/* How long the run has taken so far, without the time in which no engine had it. `now` counts while
 * it has not ended. */
int64_t run_state_elapsed_ms(const struct run_state *state, const struct moment *now);

/* The number of a needed task that ended without passing; -1 = none is in the way. */
int run_state_blocker(const struct run_state *state, int task);

/* Starts of the attempt at hand under the policy for starts: "start 2/4". Both 0 where no
 * start of it has failed. */
struct start_tries {
    int at; /* the one that runs, or that failed last */
    int of;
};
/* `task` is a number of the plan. O(1). */
struct start_tries run_state_start_tries(const struct run_state *state, int task);

/* What the agents of a task have used so far, all attempts together. */
struct agent_used task_agent_used(const struct task_agent *agent);
/* How much of a budget is used: of a task that has an agent, or of the run (-1). False where it
 * has no limit; then `limit` is 0. `now` is for what runs; the last event's time at least. */
bool run_state_budget(const struct run_state *state, int task, enum budget_kind kind,
                      const struct moment *now, struct budget_use *out);
/* Is a budget of the task, or of the run, to be spoken of or spent for what the task's attempt has
 * used, of which the log knows less yet? Time is no part of it. */
bool run_state_budget_is_due(const struct run_state *state, int task,
                             const struct agent_used *used);
/* When the wall budget of a task (or of the run: -1) is to be spoken of, or is spent, if what runs
 * goes on (CLOCK_BOOTTIME, ms); -1 where nothing runs, or there is nothing left to say. */
int64_t run_state_wall_due(const struct run_state *state, int task);
/* The round of the task, 1 where it has no agent. */
static inline int run_state_round(const struct run_state *state, int task)
{
    return state->tasks[task].agent ? state->tasks[task].agent->round : 1;
}

/* Which agent is prompted with a hint that is given now. */
enum hint_goes {
    HINT_GOES_NOWHERE, /* no agent follows; the hint is a note of the current step */
    HINT_GOES_HERE,    /* the current step's, with its next attempt */
    HINT_GOES_BACK,    /* an earlier step's, with the next round */
    HINT_GOES_ON,      /* a later step's, or an earlier one's if a new round comes first */
};
enum hint_goes run_state_hint_goes(const struct run_state *state, int task);

/* The gate of the task's current step, NULL if it has no source. */
struct gate_state *run_state_gate(const struct run_state *state, int task);
/* Would this gate let its line's next start at this time? The one that a person sends
 * may before the limit is over; when it leaves the line the limit holds again. */
bool gate_lets_start(const struct gate_state *gate, int64_t now_mono_ms);
/* Which of the line starts next: the one a person chose, else the first; -1 if empty. */
int gate_next(const struct gate_state *gate);

enum {
    FAULT_TASKS_MIN = 3,       /* fewer are no common fault */
    FAULT_SPAN_MS = 60 * 1000, /* their waits began within this */
    FAULT_WAITS_MAX = 4096,    /* waits that are looked at */
    FAULTS_MAX = 16,           /* faults that are told apart */
};
/* Tasks that wait with one and the same result. */
struct fault {
    struct digest fingerprint;
    int first; /* the task with the lowest number: the one to send */
    int count;
    struct moment since, latest;       /* the first and the last of these waits began */
    struct moment due_first, due_last; /* when they end */
};
/* The faults that FAULT_TASKS_MIN tasks or more wait with: of all groups the largest, then
 * of the rest, and so on; put in the order of their first task. Each task is in one at most.
 * Returns how many there are, at most FAULTS_MAX. O(tasks + waits x faults). */
int run_state_faults(const struct run_state *state, struct fault out[FAULTS_MAX]);
/* Do both wait with the same result, their waits begun within FAULT_SPAN_MS? */
bool run_state_waits_alike(const struct run_state *state, int task, int other);
/* Is this task one of them? */
bool fault_has(const struct fault *fault, const struct run_state *state, int task);

/* How long the task's current step has been held up to now since it first started, by
 * the hold that is on; 0 if it is not held. */
int64_t run_state_held_ms(const struct run_state *state, int task, const struct moment *now);

/* A 64-bit digest of what the fold counts, decides by and shows: run, gates, tasks, steps,
 * agents, attempts with their corrections, and who stands in which line. Equal states, equal
 * digests. Not in it: the words of events (verdicts' evidence, formulas, the notice, who
 * held or cancelled), and where a moment is kept on both clocks, one of the two. */
uint64_t run_state_digest(const struct run_state *state);

#endif
