/*
 * plot.h - one simulated run as data: a plan, the outcome of each attempt, and what people, clocks
 * and crashes do to it.
 *
 * A plot is made from a seed and does not depend on it afterwards, so that parts can be removed. It
 * does not ask the code under test what the plan's policies mean: the built-in ones are written
 * down here a second time.
 */
#ifndef DEVS_SIM_PLOT_H
#define DEVS_SIM_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "entropy_limits.h"
#include "event.h"
#include "outcome.h"
#include "policy.h"
#include "run_state.h"
#include "scheduler.h"
#include "str.h"
#include "verdict.h"

enum {
    PLOT_TASKS_MAX = 14,
    PLOT_STEPS_MAX = 6,
    PLOT_ENDINGS_MAX = 10,
    PLOT_OPS_MAX = 80,
    PLOT_NEEDS_MAX = 4,
    PLOT_BUILTIN = 4, /* policies that every plan has */
    PLOT_POLICIES_MAX = PLOT_BUILTIN + 5,
    PLOT_SOURCES_MAX = 3,
    PLOT_HOSTS_MAX = 3,
    PLOT_HOST_OPS_MAX = 8,
};

enum plot_jitter { PLOT_JITTER_NONE, PLOT_JITTER_PROPORTIONAL, PLOT_JITTER_FULL };

/* A policy with all its fields, as they result from the plan's text. */
struct plot_policy {
    char name[16];
    int like;     /* the policy it is derived from; -1 = built in */
    bool at_step; /* written in the steps that use it, without a name */
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
    bool timeouts;    /* also retries an attempt that timed out */
    bool max_retries; /* spent attempts are reported as "max retries exceeded" */
};

/* The outcome of one attempt. */
struct plot_ending {
    enum outcome_kind kind;
    int code;
    int64_t runs_ms;
    int64_t running_after_ms; /* -1: its process is never reported */
    int64_t quiet_after_ms;   /* -1: it is never quiet */
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    int64_t hint_ms; /* -1 = none */
    bool ask;
    bool matches;    /* its output contains the expected text */
    int fingerprint; /* equal numbers mean equal results; 0 = not taken */
    bool no_retry;   /* retrying is of no use */
    bool has_fact;   /* it is recorded as a step of a trajectory */
    bool news;       /* with has_fact: it has new output */
    int raw;         /* with has_fact: equal numbers mean equal bytes */
};

struct plot_step {
    bool agent; /* it prompts an agent instead of running a command */
    enum phase phase;
    int policy;
    bool expects_failure;
    unsigned reasons; /* bits; 0 = the usual ones */
    bool has_match;
    bool idempotent;
    int source;       /* -1 = none */
    int ending_count; /* further attempts succeed as expected */
    struct plot_ending endings[PLOT_ENDINGS_MAX];
};

struct plot_task {
    int id; /* does not change when other tasks are removed */
    int need_count;
    int needs[PLOT_NEEDS_MAX];
    enum workspace_kind workspace;
    bool away;                         /* runs on the hosts of the plan's executor */
    int rounds;                        /* if it has an agent */
    int64_t budget[BUDGET_KIND_COUNT]; /* if it has an agent */
    int step_count;
    struct plot_step steps[PLOT_STEPS_MAX];
};

enum plot_op_kind {
    PLOT_CONTROL,
    PLOT_CRASH,     /* the log is cut after the next event of a kind */
    PLOT_LEAVE,     /* nothing more is started; the engine leaves when everything is over */
    PLOT_WALL_JUMP, /* somebody sets the clock */
    PLOT_SLEEP,     /* time passes without a turn */
    PLOT_STALE,     /* news of an attempt that does not exist */
    PLOT_NOTE,
    PLOT_AGENT, /* something an agent reports while running */
    PLOT_FACT,  /* something the engine finds besides an attempt's end */
    PLOT_HOST,  /* something that happens to a host, or to contact with it */
    PLOT_TOLD,  /* the cost of the day, or the end of a command of `after` */
    PLOT_START_AGAIN,
    PLOT_OP_KIND_COUNT,
};

/* Something that happens to the run at a turn of the loop. */
struct plot_op {
    enum plot_op_kind kind;
    int turn;
    uint64_t salt; /* picks a task among the matching ones, an attempt, ... */
    /* control */
    enum control_verb verb;
    enum cancel_mode mode;
    bool of_run;
    bool unknown_task;
    bool any_task; /* ignores `status` */
    enum task_status status;
    int aim;     /* 0 none, 1 right, 2 wrong step, 3 wrong attempt, 4 attempt only */
    bool silent; /* requested in this process: without an id */
    struct verdict_label label;
    /* crash */
    enum event_kind after; /* EVENT_NONE: before the turn's first event */
    bool rebooted;
    int orphan_acts;         /* acts of people before another engine takes over the run */
    struct event fact;       /* without texts, and without the fact of a call */
    int count, call, result; /* agent: how many calls, which one, and their result */
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
    int infrastructure; /* the policy for starts */
    struct entropy_limits loops;
    int64_t budget[BUDGET_KIND_COUNT]; /* of the run */
    int source_count;
    int host_count; /* hosts of its executor; 0 = none, and all tasks run here */
    int host_slots[PLOT_HOSTS_MAX];
    int task_count;
    struct plot_task tasks[PLOT_TASKS_MAX];
    int op_count;
    struct plot_op ops[PLOT_OPS_MAX]; /* sorted by turn */
};

void plot_make(struct plot *plot, uint64_t seed);

/* The two halves of plot_make(). */
struct chance;
void plot_make_plan(struct plot *plot, struct chance *chance);
void plot_make_script(struct plot *plot, struct chance *chance);
/* Afterwards: gives some plots hosts, tasks that run there, and what happens to them. */
void plot_make_hosts(struct plot *plot, struct chance *chance);

/* Names of the executor and of its hosts. */
#define PLOT_EXECUTOR "lab"
const char *plot_host_name(int host);

/* Writes the plan as a user would. */
void plot_write_plan(const struct plot *plot, struct str *out);

/* Prints the whole plot for people, one line per part. */
void plot_print(const struct plot *plot);

/* Removes a part and everything that depends on it. */
void plot_drop_task(struct plot *plot, int task);
void plot_drop_step(struct plot *plot, int task, int step);
void plot_drop_ops(struct plot *plot, int from, int count);
void plot_drop_ending(struct plot_step *step, int ending);

#endif
