/*
 * model.h - what should be true of a simulated run, by the simulator's own account.
 *
 * Knows the plot, and does not use the plan parser. Counts by looking at every task, and allocates
 * nothing. It applies the events that the oracle predicted and never looks at the state under test.
 * A plain value: an assignment copies it.
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
    bool hinted; /* the verdict has a hint */
    int used, allowed;
    int same, free_hints, interrupted;
    int64_t since_start_ms, held_ms;
    int scale;                           /* scale of the windows */
    const struct trail_saying *circling; /* the loop rung that ended it; NULL = none */
};

/* The parts of a verdict that affect decisions. */
struct opinion {
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    int64_t hint_ms; /* -1 = none */
    bool ask, no_retry;
    enum verdict_expectation expectation;
};

/* An event that the oracle expects, and what belongs to it. Texts are borrowed for the turn. */
struct foretold {
    struct event event;
    struct outcome outcome;    /* for ATTEMPT_ENDED */
    struct digest fingerprint; /* for ATTEMPT_ENDED */
    bool has_fact;             /* for ATTEMPT_ENDED: it is a step of a trajectory, with: */
    struct trail_step fact;
    int new_permille;       /* for ATTEMPT_ENDED; -1 = not given */
    bool silent;            /* for ATTEMPT_ENDED: code 0, but not a success */
    struct opinion opinion; /* for ATTEMPT_JUDGED */
    struct formula formula; /* for WAIT_STARTED, STEP_ENDED */
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
    int results_from; /* the first attempt since the step last started over */
    bool judged, silent, quiet;
    int64_t heard_mono_ms;
    int finals;    /* number of ends in this grant; never more than one */
    int entropies; /* loop ends in this grant; never more than one */
    int executed;  /* attempts of this grant that ran and ended */
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
    unsigned char grants[MODEL_ATTEMPTS_MAX]; /* per attempt */
    unsigned char rounds[MODEL_ATTEMPTS_MAX]; /* per attempt */
};

/* Of a task, or of the run. */
struct model_budget {
    int64_t base[BUDGET_KIND_COUNT];
    unsigned told, spent; /* kinds as bits */
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
    struct trail calls; /* each call is a step, identified by its number */
};

/* The workspace of a task; trees by number, 0 = unknown. */
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
    char by[16]; /* who last held or cancelled it */
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
    const struct plan *plan; /* only for the numbers of its sources */
    bool started, ended, stopped_by_person;
    int jobs;
    int exit_code;
    struct moment started_at, ended_at, last;
    struct moment heard; /* time of the last event, not counting corrections of ended tasks */
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

/* Applies a predicted event. */
void model_take(struct model *model, const struct foretold *foretold);

struct model_step *model_step(struct model *model, int task);
const struct model_step *model_peek(const struct model *model, int task);
int model_step_number(const struct model *model, int task);
const struct plot_step *model_plot_step(const struct model *model, int task);

/* Returns the plan's number of the source of the task's current step, -1 = none. */
int model_source(const struct model *model, int task);

/* Returns true if the plan says that the task needs the other one. */
bool model_needs(const struct model *model, int task, int other);
bool model_is_open(enum task_status status);
/* Returns true if the task is open and not held, all its needs have passed, and its step may
 * start. */
bool model_is_in_line(const struct model *model, int task);
int model_running(const struct model *model);
int model_count(const struct model *model, enum task_status status);
int64_t model_held_ms(const struct model *model, int task, const struct moment *now);
/* Returns the number of attempts in a new grant of the current step. */
int model_allowance(const struct model *model, int task);
/* Returns the last attempt number that a step can reach, or could reach before its present
 * grant. */
int model_tries(const struct model *model, int task, int number);

#endif
