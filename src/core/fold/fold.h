/*
 * fold.h - how one event changes the state: a handler for each kind of event.
 *
 * run_state_apply() calls a handler once the event is known to fit; a handler
 * cannot fail. Private to core.
 */
#ifndef DEVS_FOLD_H
#define DEVS_FOLD_H

#include "event.h"
#include "json.h"
#include "run_state.h"

/* What EVENT_ATTEMPT_ENDED says, its text included. */
struct fold_end {
    struct outcome outcome;
    struct digest fingerprint; /* unknown = not taken */
    bool partial;
    int64_t skipped_bytes;
    int new_permille; /* -1 = it has no lines */
    bool fails;       /* it ended with code 0 and is no success all the same */
    bool has_fact;
    struct entropy_fact fact; /* as in the text: without call and share of new lines */
};

/* Who makes an event knows what its text says: reading it would give the same. NULL where a kind
 * has nothing of it. */
struct fold_known {
    const struct fold_end *end; /* EVENT_ATTEMPT_ENDED */
    const struct delay *delay;  /* EVENT_WAIT_STARTED */
};

/* One event on its way into the state. All borrowed. */
struct fold {
    struct run_state *state;
    const struct event *event;
    const struct json *text;        /* NULL: it has none, or `known` says it */
    const struct fold_known *known; /* NULL: it comes from a log */
    struct task_state *task;        /* NULL for an event of the run */
    struct step_state *step;        /* NULL for an event of a task */
};

/* More than any run comes to; sums of a few of them do not overflow. */
#define FOLD_TIME_MAX_MS  ((int64_t)1000 * 1000 * 1000 * 1000 * 1000) /* the year 33658 */
#define FOLD_DELAY_MAX_MS ((int64_t)1000 * 1000 * 1000 * 1000)        /* 31 years */
enum {
    FOLD_SPACING_MAX_MS = 24 * 3600 * 1000, /* between starts that are spread */
    FOLD_COUNT_MAX = 1000 * 1000,           /* jobs, grants, attempts, limits in a row */
};

/* run_state_apply() of an event that was made just now: its text is sound, and is not read again.
 * Kinds whose text is folded in are those of `known`, and EVENT_ATTEMPT_JUDGED. */
ATTR_MUST_USE bool run_state_apply_known(struct run_state *state, const struct event *event,
                                         const struct fold_known *known);

/* fold_sound.c: may what the event says be computed with? */
bool fold_is_sound(const struct fold *fold);
/* A length of time of one thing as those take it who add up millions of them: not below 0, and at
 * most FOLD_DELAY_MAX_MS, whatever a log says. */
int64_t fold_length_ms(int64_t ms);

/* Folds fold->event, which fits, into the state. */
typedef void fold_fn(const struct fold *fold);

/* fold_attempt.c */
fold_fn fold_attempt_started, fold_attempt_running, fold_attempt_ended, fold_attempt_judged,
    fold_attempt_quiet, fold_attempt_heard;
/* The step's last verdict has done what it is for: only screens look back at it, and the prompt of
 * an agent that is asked again. */
void fold_forget_verdict(const struct fold *fold);
/* fold_circles.c */
fold_fn fold_loop_suspected;
/* fold_step.c */
fold_fn fold_wait_started, fold_wait_ended, fold_step_ended, fold_step_reopened;
/* fold_hint.c */
fold_fn fold_hint_given;
/* The step's latest attempt has just begun: it is the one that the hint is for. */
void fold_hint_taken(const struct fold *fold);
/* fold_task.c */
fold_fn fold_task_blocked, fold_task_held, fold_task_released, fold_cancel_asked;
/* fold_pause.c */
/* A stretch of the task's past is over with this event: it began then. */
void fold_pause(const struct fold *fold, enum pause_kind kind, const struct moment *from);
void fold_pauses_free(struct task_pauses *pauses);

/* fold_gate.c */
fold_fn fold_gate_closed, fold_gate_opened;
/* fold_run.c */
fold_fn fold_run_started, fold_run_ended, fold_run_recovered, fold_class_corrected, fold_note;

/* The run goes on with this event, and no engine had it since then. */
void fold_away(const struct fold *fold, const struct moment *since);

/* fold_place.c */
fold_fn fold_workspace_made, fold_workspace_saved, fold_workspace_reset, fold_tree_proven,
    fold_workspace_changed, fold_result_kept, fold_sandbox_lacks, fold_time_stopped,
    fold_secrets_cut;
void fold_place_free(struct task_place *place);

/* fold_agent.c */
fold_fn fold_agent_session, fold_agent_used, fold_agent_call, fold_round_started;
/* What an agent is known of before the first event; NULL for a task that has none. */
struct task_agent *fold_agent_new(const struct plan_task *plan);
void fold_agent_free(struct task_agent *agent);
/* An attempt of the task starts, has its process, is over, or its step is opened by a person. */
fold_fn fold_agent_started, fold_agent_runs, fold_agent_ended, fold_agent_reopened;
/* Its calls may be looping, or do. */
fold_fn fold_agent_loops;
/* A line for the agent, from the event's text. */
void fold_agent_nudge(const struct fold *fold);

/* fold_budget.c */
fold_fn fold_budget;
/* An attempt starts or is over: of the task, and with the first or the last one of the run. */
void fold_wall_begin(const struct fold *fold);
/* One is over: fold->state counts it no more. */
void fold_wall_end(const struct fold *fold);
/* Whoever ran this is gone: what was not seen does not count. */
void fold_wall_recover(const struct fold *fold);
/* devs was suspended for so long: it does not count. */
void fold_wall_stand(const struct fold *fold, int64_t ms);
/* A person goes on: what is spent is given again. */
void fold_budget_again(const struct fold *fold);

/* fold_grow.c */
/* The plan takes the event's task in: what the event says is sound, and its handler comes next.
 * False, and nothing is changed: no such task can follow. */
bool fold_takes_task(const struct fold *fold);
fold_fn fold_task_added;

/* run_state.c */
/* A task that owns nothing becomes as it is before the first event that names it; its `steps` are
 * where they stay. */
void fold_task_begin(struct run_state *state, int number);
/* Free what the task and its steps own. */
void fold_task_free(struct task_state *task, int steps);

/* What the handlers share (fold.c). */

/* The event changes another task than the one it names: say so before. */
void fold_changes(const struct fold *fold, int number);

/* The number of the event's task. */
static inline int fold_task_number(const struct fold *fold)
{
    return fold->event->task;
}

/* Is the event of a step that an agent works on? */
bool fold_is_of_agent(const struct fold *fold);
/* The one place that changes a status: counts and time follow. */
void fold_set_status(const struct fold *fold, struct task_state *task, enum task_status status);
/* Who did it, from the event's text. */
void fold_set_by(const struct fold *fold, struct task_state *task);
/* The line that wants a person's eye: the task's id and `what`. */
void fold_set_notice(const struct fold *fold, const char *what);
/* The task's current step may start; a held one waits for its release. */
void fold_make_ready(const struct fold *fold, int number);
/* It may not any more: it starts, is held, or is over. A gate sends it first no more, and
 * has nothing left to spread once its line is empty. */
void fold_not_ready(const struct fold *fold, int number);
/* Put what may start where the scheduler looks for it: its gate's line, or the queue. */
void fold_line_up(const struct fold *fold, int number);
/* The task is held no more. */
void fold_let_go(const struct fold *fold);
/* The fact of an attempt in the text of its end; false if there is none, or what is there is no
 * fact. */
bool fold_read_fact(const struct json *text, struct entropy_fact *out);
/* The attempt that has just ended is one more step of the task's trajectory, if this says so. */
void fold_take_fact(const struct fold *fold, const struct fold_end *end);
/* Nothing that the task did so far counts any more. */
void fold_forget_circles(const struct fold *fold);
/* A person lets the task go on: with thresholds of that scale, or, 0, from the beginning. */
void fold_go_on(const struct fold *fold, int scale);
/* Give the step a set of attempts: the policy's, or one given by hand. */
void fold_open_grant(struct step_state *step, int grant, int allowed);
/* Call before another set is given to step `number` of the event's task: the total that it showed
 * so far does not shrink. */
void fold_keep_tries(const struct fold *fold, int number);

#endif
