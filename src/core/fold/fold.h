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
    FOLD_SPACING_MAX_MS = 24 * 3600 * 1000, /* maximum time between starts that a gate spreads */
    FOLD_COUNT_MAX = 1000 * 1000, /* maximum jobs, grants, attempts and consecutive limits */
};

/* Returns whether the fields of the event are in range and fit the plan and the state. */
bool fold_is_sound(const struct fold *fold);
/* Applies fold->event to the state. fold_is_sound() must have returned true. */
typedef void fold_fn(const struct fold *fold);

/* Attempts and steps, in fold_attempt.c. */
fold_fn fold_attempt_started, fold_attempt_running, fold_attempt_ended, fold_attempt_judged,
    fold_attempt_quiet, fold_attempt_heard;
fold_fn fold_wait_started, fold_wait_ended, fold_step_ended, fold_step_reopened;
fold_fn fold_hint_given, fold_after_ended;

/* Other machines, in fold_host.c. */
fold_fn fold_attempt_placed, fold_host_state, fold_contact_lost, fold_contact_found, fold_job_state;
/* The machine of the latest attempt of the event's step has answered, if it is another one. */
void fold_reach_host(const struct fold *fold);
/* Ends what the latest attempt of the event's step, whose outcome is set, has on its machine. */
void fold_leave_host(const struct fold *fold);
/* The engine that had contact with all hosts has died; it was last heard at `heard`. */
void fold_lose_hosts(struct run_state *state, const struct moment *heard);

/* Tasks, gates, the run and workspaces, in fold.c. */
fold_fn fold_task_blocked, fold_task_held, fold_task_released, fold_cancel_asked;
/* Records a pause of the task that began at `from` and ends with the event. */
void fold_pause(const struct fold *fold, enum pause_kind kind, const struct moment *from);
fold_fn fold_gate_closed, fold_gate_opened;
fold_fn fold_run_started, fold_run_ended, fold_run_recovered, fold_class_corrected, fold_note;

/* Handles a run that continues with this event, after having had no engine since `since`. */
void fold_away(const struct fold *fold, const struct moment *since);
fold_fn fold_workspace_made, fold_tree_seen, fold_workspace_changed, fold_result_kept,
    fold_sandbox_lacks, fold_secrets_cut;

/* Adds the event's task to the plan. The event must be sound; its handler comes next. Returns false
 * and changes nothing if the plan cannot take such a task. */
bool fold_takes_task(const struct fold *fold);
fold_fn fold_task_added;

/* Agents and their budgets, in fold_agent.c. */
fold_fn fold_agent_session, fold_agent_used, fold_agent_call, fold_round_started;
/* Returns the state of a task's agent before the first event, or NULL for a task without an
 * agent. */
struct task_agent *fold_agent_new(const struct plan_task *plan);
void fold_agent_free(struct task_agent *agent);
/* Handlers for agents: when an attempt of the task starts, and when a person reopens its step. */
fold_fn fold_agent_started, fold_agent_reopened;
/* Returns the loop state of the task's attempts; creates it if there is none. */
struct circles *fold_circles(struct task_state *task);
/* Handles a loop, suspected or detected, in the task's attempts or its agent's calls. */
fold_fn fold_loop_suspected;

fold_fn fold_budget, fold_day_cost;
/* Handles the start of an attempt: starts the clock of the task's wall budget, and with the first
 * running attempt that of the run. */
void fold_wall_begin(const struct fold *fold);
/* The attempt's job leaves the queue of its cluster, or the attempt ends there. */
void fold_queue_end(const struct fold *fold);
/* Handles the end of an attempt, which fold->state no longer counts as running. */
void fold_wall_end(const struct fold *fold);
/* Call after the engine that ran this has died: unobserved time does not count. */
void fold_wall_recover(const struct fold *fold);
/* Handles a suspension of devs, which does not count as time used. */
fold_fn fold_time_stopped;
/* Handles a person continuing the task: renews budgets that are used up. */
void fold_budget_again(const struct fold *fold);

/* The life cycle of a task's state, in run_state.c. */

/* Resets a task that owns nothing to its state before the first event. Keeps its `steps` array. */
void fold_task_begin(struct run_state *state, int number);
/* Frees the members of the task and its steps. */
void fold_task_free(struct task_state *task, int steps);

/* Shared by the handlers. */

/* Call before the event changes a task other than the one it names. */
void fold_changes(const struct fold *fold, int number);

/* Returns the number of the event's task. */
static inline int fold_task_number(const struct fold *fold)
{
    return fold->event->task;
}

/* Returns whether the event belongs to a step of an agent. */
bool fold_is_of_agent(const struct fold *fold);
/* Sets the status, and updates counts and times. No other function changes a status. */
void fold_set_status(const struct fold *fold, struct task_state *task, enum task_status status);
/* Sets the notice for the user: the task's id and `what`. */
void fold_set_notice(const struct fold *fold, const char *what);
/* Makes the task's current step ready to start. A held step waits for its release. */
void fold_make_ready(const struct fold *fold, int number);
/* Removes a step that may no longer start: it starts, is held, or has ended. If a person chose it
 * as its gate's next probe, that choice is dropped; a gate with an empty queue stops spreading
 * starts. */
void fold_not_ready(const struct fold *fold, int number);
/* Releases a held task. */
void fold_let_go(const struct fold *fold);
/* Gives the step a set of attempts, from the policy or from a person. */
void fold_open_grant(struct step_state *step, int grant, int allowed);
/* Call before giving another set of attempts to step `number` of the event's task, so that the
 * total shown so far does not shrink. */
void fold_keep_tries(const struct fold *fold, int number);

#endif
