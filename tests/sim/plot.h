/*
 * plot.h - one simulated run as data: a plan, how each attempt goes, and what people,
 * clocks and crashes do to it.
 *
 * A plot is made from a seed and then stands by itself, so that parts can be taken out of
 * it. It knows what the plan's policies mean without asking the code under test: the
 * built-in ones are written down here a second time.
 */
#ifndef DEVS_SIM_PLOT_H
#define DEVS_SIM_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "budget.h"
#include "control.h"
#include "entropy_limits.h"
#include "event.h"
#include "outcome.h"
#include "phase.h"
#include "run_state.h"
#include "scheduler.h"
#include "str.h"
#include "verdict.h"

enum {
    PLOT_TASKS_MAX = 14,
    PLOT_STEPS_MAX = 6,
    PLOT_ENDINGS_MAX = 10,
    PLOT_OPS_MAX = 72,
    PLOT_NEEDS_MAX = 4,
    PLOT_BUILTIN = 4, /* policies that every plan has */
    PLOT_POLICIES_MAX = PLOT_BUILTIN + 5,
    PLOT_SOURCES_MAX = 3,
};

enum plot_jitter { PLOT_JITTER_NONE, PLOT_JITTER_PROPORTIONAL, PLOT_JITTER_FULL };

/* A policy with all its fields, as the plan's text leaves it. */
struct plot_policy {
    char name[16];
    int like;     /* policy that it was derived from; -1 = built in */
    bool at_step; /* written at the steps that have it, without a name */
    int attempts;
    int64_t base_ms;
    double multiplier;
    int64_t cap_ms;
    enum plot_jitter jitter;
    double fraction;
    bool on_transient, on_persistent;
    unsigned phases;
    int window, same_stops;
    int64_t hint_cap_ms;
    int64_t deadline_ms;
    bool timeouts;    /* also after an attempt whose own time was up */
    bool max_retries; /* what is used up is called "max retries exceeded" */
};

/* How one attempt goes. */
struct plot_ending {
    enum outcome_kind kind;
    int code;
    int64_t runs_ms;
    int64_t running_after_ms; /* -1: its process is never reported */
    int64_t quiet_after_ms;   /* -1: it is heard all the time */
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    int64_t hint_ms; /* -1 = none */
    bool ask;
    bool matches;    /* the text that was expected is in its output */
    int fingerprint; /* equal numbers, equal results; 0 = not taken */
    bool no_retry;   /* no try mends it */
    bool has_fact;   /* it says what it is as a step of its trajectory */
    bool news;       /* then: it brings something new */
    int raw;         /* likewise: equal numbers, equal bytes */
};

struct plot_step {
    bool agent; /* it prompts one; else it runs a command */
    enum phase phase;
    int policy;
    bool expects_failure;
    unsigned reasons; /* bits; 0 = the usual ones */
    bool has_match;
    bool idempotent;
    int source;       /* -1 = none */
    int ending_count; /* attempts past these do what was asked of them */
    struct plot_ending endings[PLOT_ENDINGS_MAX];
};

struct plot_task {
    int id; /* stays when others are taken out */
    int need_count;
    int needs[PLOT_NEEDS_MAX];
    enum workspace_kind workspace;
    int rounds;                        /* where it has an agent */
    int64_t budget[BUDGET_KIND_COUNT]; /* likewise */
    int step_count;
    struct plot_step steps[PLOT_STEPS_MAX];
};

enum plot_op_kind {
    PLOT_CONTROL,
    PLOT_CRASH,     /* the log is cut after the next event of a kind */
    PLOT_LEAVE,     /* nothing more is started; when all is over, the engine goes */
    PLOT_WALL_JUMP, /* somebody sets the clock */
    PLOT_SLEEP,     /* time passes and nobody looks */
    PLOT_STALE,     /* news of an attempt that is not there */
    PLOT_NOTE,
    PLOT_AGENT, /* what an agent tells while it runs */
    PLOT_FACT,  /* what the engine found beside an attempt's end */
    PLOT_START_AGAIN,
    PLOT_OP_KIND_COUNT,
};

/* Something that happens to the run at a turn of the loop. */
struct plot_op {
    enum plot_op_kind kind;
    int turn;
    uint64_t salt; /* picks a task among those that fit, an attempt, ... */
    /* control */
    enum control_verb verb;
    enum cancel_mode mode;
    bool of_run;
    bool unknown_task;
    bool any_task; /* not one of those in `status` */
    enum task_status status;
    int aim;     /* 0 none, 1 right, 2 wrong step, 3 wrong attempt, 4 attempt only */
    bool silent; /* made in this process: without an id */
    struct verdict_label label;
    /* crash */
    enum event_kind after; /* EVENT_NONE: before the turn's first event */
    bool rebooted;
    int orphan_acts; /* acts of people before somebody takes the run over */
    struct input_fact fact;
    int count, call, result; /* agent: how many calls, which, and what comes of them */
    bool news;
    /* wall jump, sleep, crash: how long */
    int64_t ms;
};

struct plot {
    uint64_t seed;
    uint64_t run_seed;
    int jobs;
    int policy_count;
    struct plot_policy policies[PLOT_POLICIES_MAX];
    int infrastructure; /* the policy that starts are tried under */
    struct entropy_limits loops;
    int64_t budget[BUDGET_KIND_COUNT]; /* of the run */
    int source_count;
    int task_count;
    struct plot_task tasks[PLOT_TASKS_MAX];
    int op_count;
    struct plot_op ops[PLOT_OPS_MAX]; /* by turn */
};

void plot_make(struct plot *plot, uint64_t seed);

/* The two halves of plot_make(). */
struct chance;
void plot_make_plan(struct plot *plot, struct chance *chance);
void plot_make_script(struct plot *plot, struct chance *chance);

/* The plan as a user would write it. */
void plot_write_plan(const struct plot *plot, struct str *out);

/* The whole plot for people, a line for each part. */
void plot_print(const struct plot *plot);

/* Take a part out, and what hangs on it. */
void plot_drop_task(struct plot *plot, int task);
void plot_drop_step(struct plot *plot, int task, int step);
void plot_drop_ops(struct plot *plot, int from, int count);
void plot_drop_ending(struct plot_step *step, int ending);

#endif
