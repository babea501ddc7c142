/*
 * model.h - what should be true of a simulated run, by the simulator's own account.
 *
 * Knows the plot, not the plan's reader; counts by looking at every task, keeps no heap.
 * It takes in events that the oracle foretold and never asks the fold under test. A plain
 * value: an assignment copies it.
 */
#ifndef DEVS_SIM_MODEL_H
#define DEVS_SIM_MODEL_H

#include "event.h"
#include "plan.h"
#include "plot.h"
#include "run_state.h"
#include "trail.h"

/* The inputs of a wait's formula, or of a decision. */
struct formula {
    const struct plot_policy *policy; /* NULL: the event has no text of this kind */
    int n;
    double factor;
    int64_t hint_ms;
    bool hinted; /* the verdict has one */
    int used, allowed;
    int same, free_hints, interrupted;
    int64_t since_start_ms, held_ms;
    int scale;                           /* of the windows */
    const struct trail_saying *circling; /* a rung ended it; NULL = none */
};

/* What of a verdict decides anything. */
struct opinion {
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    int64_t hint_ms; /* -1 = none */
    bool ask, no_retry;
    enum verdict_expectation expectation;
};

/* An event as the oracle expects it, with what its text must say. */
struct foretold {
    struct event event;
    struct outcome outcome;    /* ATTEMPT_ENDED */
    struct digest fingerprint; /* likewise */
    bool has_fact;             /* likewise: a step of a trajectory, which is: */
    struct trail_step fact;
    int new_permille;       /* likewise; -1 = not said */
    bool silent;            /* likewise: code 0, and yet no success */
    struct opinion opinion; /* ATTEMPT_JUDGED */
    struct formula formula; /* WAIT_STARTED, STEP_ENDED */
    const char *by;         /* NULL = the text names nobody */
    const char *note;       /* NOTE */
    const char *text;       /* of an agent's fact: borrowed for the turn */
    char session;           /* likewise */
};

/* The latest attempt of a step. */
struct model_attempt {
    struct moment started, ended;
    int64_t pid, waited_ms;
    struct outcome outcome;
    struct digest fingerprint;
    int new_permille;
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    bool corrected;
    struct verdict_label label;
};

enum { MODEL_ATTEMPTS_MAX = 256 };

struct model_step {
    enum step_status status;
    enum decision_kind end;
    int grant, allowed, used;
    int start_failures, free_hints, same, interrupted;
    int tries_max;    /* model_tries() before the present grant */
    int results_from; /* the first attempt since a new beginning */
    bool judged, silent, quiet;
    int64_t heard_mono_ms;
    int finals;    /* ends of this grant; never more than one */
    int entropies; /* of this grant; likewise */
    int executed;  /* attempts of this grant that got as far as running, and ended */
    bool called;
    struct digest call; /* of the first attempt */
    struct moment first_start, wait_from, due;
    int64_t held_ms;
    struct formula formula;
    int64_t delay_ms, exact_ms;
    struct opinion opinion;
    struct digest previous;          /* the result of the attempt before the latest */
    int64_t saved_tree, proven_tree; /* 0 = none */
    int proven_attempt;
    int attempt_count;
    struct model_attempt last;
    unsigned char grants[MODEL_ATTEMPTS_MAX]; /* by attempt */
    unsigned char rounds[MODEL_ATTEMPTS_MAX]; /* likewise */
};

/* Of a task, or of the run. */
struct model_budget {
    int64_t base[BUDGET_KIND_COUNT];
    unsigned told, spent; /* bits: kinds */
    bool runs;
    int64_t wall_ms;
    struct moment from;
};

struct model_agent {
    bool there;
    int round, rounds;
    bool repair, nudge, is_stuck, has_calls;
    char session;
    int heard_step, heard_attempt;
    int64_t past[BUDGET_KIND_COUNT], now[BUDGET_KIND_COUNT];
    struct model_budget budget;
    struct trail calls; /* a call is a step of it, by its number */
};

/* Where a task works; trees by number, 0 = not known. */
struct model_place {
    int kind;
    int64_t tree;
    bool is_changed, is_kept, has_path, has_result, lacks;
    char branch; /* the last letter of its name */
};

struct model_task {
    enum task_status status;
    int step;
    int blocked_by;
    int entropy;
    bool held;
    int follows; /* -1 = none */
    struct moment held_since, since, first_start;
    bool cancelling;
    enum cancel_mode mode;
    int64_t waited_ms;
    char by[16]; /* who held or cancelled it last */
    bool has_trail;
    struct trail trail;
    struct model_place place;
    struct model_agent agent;
};

struct model_gate {
    enum gate_status status;
    int closed;
    struct moment since, due;
    int64_t spacing_ms;
    int probe, chosen; /* tasks, -1 = none */
};

struct model {
    const struct plot *plot;
    const struct plan *plan; /* for the numbers of its sources only */
    bool started, ended, stopped_by_person;
    int jobs;
    int exit_code;
    struct moment started_at, ended_at, last;
    struct moment heard; /* of the last event but corrections of what is over */
    int64_t last_seq;
    char notice[RUN_NOTICE_MAX];
    int64_t notice_at_ms;
    int64_t waited_ms;
    int64_t stopped_ms, secrets_cut;
    struct model_budget budget;
    int attempts;
    struct model_task tasks[PLOT_TASKS_MAX];
    struct model_gate gates[PLOT_SOURCES_MAX];
    struct model_step steps[PLOT_TASKS_MAX][PLOT_STEPS_MAX];
};

void model_init(struct model *model, const struct plot *plot, const struct plan *plan);

/* Take an event in, as foretold. */
void model_take(struct model *model, const struct foretold *foretold);

struct model_step *model_step(struct model *model, int task);
const struct model_step *model_peek(const struct model *model, int task);
int model_step_number(const struct model *model, int task);
const struct plot_step *model_plot_step(const struct model *model, int task);

/* Number of the source of the task's current step in the plan, -1 = none. */
int model_source(const struct model *model, int task);

/* Does the plan say that the task needs the other one? */
bool model_needs(const struct model *model, int task, int other);
bool model_is_open(enum task_status status);
/* Open, nobody holds it, all it needs has passed, and its step may start. */
bool model_is_in_line(const struct model *model, int task);
int model_running(const struct model *model);
int model_count(const struct model *model, enum task_status status);
int64_t model_held_ms(const struct model *model, int task, const struct moment *now);
/* Attempts that a new grant of the current step has. */
int model_allowance(const struct model *model, int task);
/* The last attempt number that a step can reach, or could before its present grant. */
int model_tries(const struct model *model, int task, int number);

#endif
