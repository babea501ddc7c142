/*
 * fold.h - how one event changes the state: a handler for each kind of event.
 *
 * run_state_apply() calls a handler once the event is known to fit, so a handler cannot fail.
 * Private to core.
 */
#ifndef DEVS_FOLD_H
#define DEVS_FOLD_H

#include "event.h"
#include "run_state.h"

/* One event that is being applied. Everything is borrowed. */
struct fold {
    struct run_state *state;
    const struct event *event;
    struct task_state *task; /* NULL for an event of the run */
    struct step_state *step; /* NULL for an event of a task */
};

enum {
    FOLD_SPACING_MAX_MS = 24 * 3600 * 1000, /* between starts that are spread */
    FOLD_COUNT_MAX = 1000 * 1000,           /* jobs, grants, attempts, consecutive limits */
};

/* Returns whether the fields of the event are in range and fit the plan and the state. */
bool fold_is_sound(const struct fold *fold);
/* Applies fold->event, which fits, to the state. */
typedef void fold_fn(const struct fold *fold);

/* Attempts and steps, in fold_attempt.c. */
fold_fn fold_attempt_started, fold_attempt_running, fold_attempt_ended, fold_attempt_judged,
    fold_attempt_quiet, fold_attempt_heard;
fold_fn fold_wait_started, fold_wait_ended, fold_step_ended, fold_step_reopened;
fold_fn fold_hint_given;

/* Tasks, gates, the run and places of work, in fold.c. */
fold_fn fold_task_blocked, fold_task_held, fold_task_released, fold_cancel_asked;
/* Ends a stretch of the task's past that began at `from`. */
void fold_pause(const struct fold *fold, enum pause_kind kind, const struct moment *from);
fold_fn fold_gate_closed, fold_gate_opened;
fold_fn fold_run_started, fold_run_ended, fold_run_recovered, fold_class_corrected, fold_note;

/* The run continues with this event after having been without an engine since then. */
void fold_away(const struct fold *fold, const struct moment *since);
fold_fn fold_workspace_made, fold_tree_seen, fold_workspace_changed, fold_result_kept,
    fold_sandbox_lacks, fold_secrets_cut;

/* Adds the event's task to the plan. The event must be sound; its handler comes next. Returns false
 * and changes nothing if the plan cannot take such a task. */
bool fold_takes_task(const struct fold *fold);
fold_fn fold_task_added;

/* Agents and their budgets, in fold_agent.c. */
fold_fn fold_agent_session, fold_agent_used, fold_agent_call, fold_round_started;
/* Returns the state of an agent before the first event, or NULL for a task without one. */
struct task_agent *fold_agent_new(const struct plan_task *plan);
void fold_agent_free(struct task_agent *agent);
/* An attempt of the task starts; a person opens its step. */
fold_fn fold_agent_started, fold_agent_reopened;
/* Returns the loop state of the task's attempts; creates it if there is none. */
struct circles *fold_circles(struct task_state *task);
/* The task's attempts, or the calls of its agent, may be looping, or are. */
fold_fn fold_loop_suspected;

fold_fn fold_budget;
/* An attempt of the task starts. Starts the clock of the task's wall budget, and with the first
 * running attempt that of the run. */
void fold_wall_begin(const struct fold *fold);
/* An attempt has ended; fold->state no longer counts it. */
void fold_wall_end(const struct fold *fold);
/* The engine that ran this is gone: unobserved time does not count. */
void fold_wall_recover(const struct fold *fold);
/* devs was suspended for a while, which does not count. */
fold_fn fold_time_stopped;
/* A person continues the task: renews budgets that are used up. */
void fold_budget_again(const struct fold *fold);

/* The life of a task's state, in run_state.c. */

/* Sets a task that owns nothing to its state before the first event. Its `steps` array stays. */
void fold_task_begin(struct run_state *state, int number);
/* Frees what the task and its steps own. */
void fold_task_free(struct task_state *task, int steps);

/* What the handlers share. */

/* Call before the event changes a task other than the one it names. */
void fold_changes(const struct fold *fold, int number);

/* Returns the number of the event's task. */
static inline int fold_task_number(const struct fold *fold)
{
    return fold->event->task;
}

/* Returns whether the event belongs to a step of an agent. */
bool fold_is_of_agent(const struct fold *fold);
/* The only function that changes a status. Updates counts and times. */
void fold_set_status(const struct fold *fold, struct task_state *task, enum task_status status);
/* Sets the line that a person should read: the task's id and `what`. */
void fold_set_notice(const struct fold *fold, const char *what);
/* The task's current step may start. A held one waits for its release. */
void fold_make_ready(const struct fold *fold, int number);
/* The step may no longer start: it starts, is held, or is over. It loses its place as the next
 * probe of a gate, and a gate with an empty queue has nothing left to spread. */
void fold_not_ready(const struct fold *fold, int number);
/* Releases a held task. */
void fold_let_go(const struct fold *fold);
/* Gives the step a set of attempts: the policy's, or one given by hand. */
void fold_open_grant(struct step_state *step, int grant, int allowed);
/* Call before giving another set of attempts to step `number` of the event's task, so that the
 * total shown so far does not shrink. */
void fold_keep_tries(const struct fold *fold, int number);

#endif
