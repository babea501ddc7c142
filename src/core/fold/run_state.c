#include "run_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "json.h"
#include "plan_grow.h"
#include "run_past.h"
#include "xalloc.h"

static const char *const status_names[] = {
    [TASK_QUEUED] = "queued",   [TASK_RUNNING] = "running",     [TASK_BACKOFF] = "backoff",
    [TASK_PASSED] = "passed",   [TASK_GAVE_UP] = "gave-up",     [TASK_CANCELLED] = "cancelled",
    [TASK_BLOCKED] = "blocked", [TASK_NEEDS_YOU] = "needs-you", [TASK_STUCK] = "stuck",
};
static_assert(ARRAY_LEN(status_names) == TASK_STATUS_COUNT, "every status has a name");

const char *task_status_name(enum task_status status)
{
    assert(status < TASK_STATUS_COUNT);
    return status_names[status];
}

void run_state_init(struct run_state *state, const struct plan *plan, uint64_t seed)
{
    *state = (struct run_state){.plan = plan, .seed = seed};
    if (plan->grows)
        state->plan = plan = state->growing = plan_growing(plan);
    state->tasks = xcalloc((size_t)plan->task_count + 1, sizeof(*state->tasks));
    state->steps = xcalloc((size_t)plan->step_count + 1, sizeof(*state->steps));
    number_set_init(&state->ready, plan->task_count);
    heap_init(&state->waits, plan->task_count);
    heap_init(&state->walls, plan->task_count);
    state->gates = xcalloc((size_t)plan->source_count + 1, sizeof(*state->gates));
    for (int i = 0; i < plan->source_count; i++) {
        state->gates[i].probe = -1;
        state->gates[i].chosen = -1;
        number_set_init(&state->gates[i].line, plan->task_count);
    }
    state->counts[TASK_QUEUED] = plan->task_count;

    struct step_state *steps = state->steps;
    for (int i = 0; i < plan->task_count; i++) {
        state->tasks[i].steps = steps;
        fold_task_begin(state, i);
        steps += plan->tasks[i].step_count;
    }
}

void run_state_init_for(struct run_state *state, const struct plan *plan, uint64_t seed,
                        enum run_state_use use)
{
    run_state_init(state, plan, seed);
    state->use = use;
}

/* As the run's first event leaves it, once that is folded in. */
void fold_task_begin(struct run_state *state, int number)
{
    const struct plan_task *plan = &state->plan->tasks[number];
    struct task_state *task = &state->tasks[number];
    *task = (struct task_state){
        .steps = task->steps,
        .unmet = plan->need_count,
        .blocked_by = -1,
        .follows = -1,
        .agent = fold_agent_new(plan),
    };
    memset(task->steps, 0, (size_t)plan->step_count * sizeof(*task->steps));
    if (!state->started)
        return;
    task->since = state->started_at;
    if (task->unmet == 0)
        task->steps[0].status = STEP_READY;
}

static void step_state_done(struct step_state *step)
{
    for (uint32_t i = 0; i < step->attempt_count; i++) {
        free(step->attempts[i].correction);
        free(step->attempts[i].hint);
    }
    free(step->attempts);
    free(step->hint);
    free(step->verdict_json);
    if (step->formulas) {
        free(step->formulas->wait_json);
        free(step->formulas->end_json);
    }
    free(step->formulas);
    free(step->trees);
}

void fold_task_free(struct task_state *task, int steps)
{
    free(task->by);
    circles_free(task->circles);
    fold_place_free(task->place);
    fold_agent_free(task->agent);
    fold_pauses_free(task->pauses);
    for (int i = 0; i < steps; i++)
        step_state_done(&task->steps[i]);
}

void run_state_done(struct run_state *state)
{
    if (!state->plan)
        return;
    for (int i = 0; i < state->plan->task_count; i++) {
        fold_task_free(&state->tasks[i], state->plan->tasks[i].step_count);
        if (state->growing)
            free(state->tasks[i].steps);
    }
    for (int i = 0; i < state->plan->source_count; i++)
        number_set_done(&state->gates[i].line);
    free(state->gates);
    free(state->tasks);
    free(state->steps);
    number_set_done(&state->ready);
    heap_done(&state->waits);
    heap_done(&state->walls);
    plan_free(state->growing);
    *state = (struct run_state){0};
}

static void on_nothing(const struct fold *fold)
{
    (void)fold;
}

/* What an event must name to be folded in. */
enum scope {
    OF_RUN,
    OF_RUN_OR_TASK,
    OF_TASK,
    OF_ANY_ATTEMPT,  /* of any step, live or over */
    OF_PAST_ATTEMPT, /* of any step, over */
    OF_STEP,         /* the current one, as below */
    OF_LATEST_ATTEMPT,
    OF_NEW_ATTEMPT,
};

/* The states of a step in which an event can happen, as bits. */
enum {
    WHEN_ANY = (1 << STEP_STATUS_COUNT) - 1,
    WHEN_READY = 1 << STEP_READY,
    WHEN_RUNNING = 1 << STEP_RUNNING,
    WHEN_JUDGING = 1 << STEP_JUDGING,
    WHEN_WAITING = 1 << STEP_WAITING,
    WHEN_ENDED = 1 << STEP_ENDED,
    WHEN_NOT_BEGUN = 1 << STEP_PENDING | WHEN_READY | WHEN_WAITING,
    WHEN_IDLE = 1 << STEP_PENDING | WHEN_READY | WHEN_JUDGING | WHEN_WAITING,
};

static const struct {
    fold_fn *apply;
    enum scope scope;
    unsigned when; /* OF_STEP and below */
} handlers[] = {
    [EVENT_NONE] = {on_nothing, OF_RUN, WHEN_ANY},
    [EVENT_RUN_STARTED] = {fold_run_started, OF_RUN, WHEN_ANY},
    [EVENT_RUN_ENDED] = {fold_run_ended, OF_RUN, WHEN_ANY},
    [EVENT_ATTEMPT_STARTED] = {fold_attempt_started, OF_NEW_ATTEMPT, WHEN_READY},
    [EVENT_ATTEMPT_RUNNING] = {fold_attempt_running, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_ATTEMPT_ENDED] = {fold_attempt_ended, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_ATTEMPT_JUDGED] = {fold_attempt_judged, OF_LATEST_ATTEMPT, WHEN_JUDGING},
    [EVENT_WAIT_STARTED] = {fold_wait_started, OF_LATEST_ATTEMPT, WHEN_JUDGING},
    [EVENT_WAIT_ENDED] = {fold_wait_ended, OF_STEP, WHEN_WAITING},
    [EVENT_STEP_ENDED] = {fold_step_ended, OF_STEP, WHEN_IDLE},
    [EVENT_STEP_REOPENED] = {fold_step_reopened, OF_STEP, WHEN_ENDED},
    [EVENT_TASK_BLOCKED] = {fold_task_blocked, OF_TASK, WHEN_ANY},
    [EVENT_TASK_HELD] = {fold_task_held, OF_TASK, WHEN_ANY},
    [EVENT_TASK_RELEASED] = {fold_task_released, OF_TASK, WHEN_ANY},
    [EVENT_CANCEL_ASKED] = {fold_cancel_asked, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_CONTROL_ANSWERED] = {on_nothing, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_ATTEMPT_QUIET] = {fold_attempt_quiet, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_ATTEMPT_HEARD] = {fold_attempt_heard, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_NOTE] = {fold_note, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_GATE_CLOSED] = {fold_gate_closed, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_GATE_OPENED] = {fold_gate_opened, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_CLASS_CORRECTED] = {fold_class_corrected, OF_PAST_ATTEMPT, WHEN_ANY},
    [EVENT_RUN_RECOVERED] = {fold_run_recovered, OF_RUN, WHEN_ANY},
    [EVENT_LOOP_SUSPECTED] = {fold_loop_suspected, OF_LATEST_ATTEMPT, WHEN_JUDGING | WHEN_RUNNING},
    [EVENT_WORKSPACE_MADE] = {fold_workspace_made, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_WORKSPACE_SAVED] = {fold_workspace_saved, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_WORKSPACE_RESET] = {fold_workspace_reset, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_TREE_PROVEN] = {fold_tree_proven, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_WORKSPACE_CHANGED] = {fold_workspace_changed, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_RESULT_KEPT] = {fold_result_kept, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_SANDBOX_LACKS] = {fold_sandbox_lacks, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_TIME_STOPPED] = {fold_time_stopped, OF_RUN, WHEN_ANY},
    [EVENT_SECRETS_CUT] = {fold_secrets_cut, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_AGENT_SESSION] = {fold_agent_session, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_AGENT_USED] = {fold_agent_used, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_AGENT_CALL] = {fold_agent_call, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_BUDGET] = {fold_budget, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_ROUND_STARTED] = {fold_round_started, OF_LATEST_ATTEMPT, WHEN_JUDGING},
    [EVENT_TASK_ADDED] = {fold_task_added, OF_RUN, WHEN_ANY},
    [EVENT_HINT_GIVEN] = {fold_hint_given, OF_STEP, WHEN_NOT_BEGUN},
};
static_assert(ARRAY_LEN(handlers) == EVENT_KIND_COUNT, "every event kind is folded");

/* Holds and blocks change what is not final, once. */
static bool task_can_take(const struct task_state *task, enum event_kind kind)
{
    bool final = task_status_is_final(task->status);
    if (kind == EVENT_TASK_HELD)
        return !final && !task->held;
    if (kind == EVENT_TASK_RELEASED)
        return task->held;
    return kind != EVENT_TASK_BLOCKED || (!final && task->status != TASK_RUNNING);
}

static bool locate_attempt(struct fold *fold, bool past)
{
    const struct event *event = fold->event;
    if (event->step < 0 || event->step >= fold->state->plan->tasks[event->task].step_count)
        return false;
    fold->step = &fold->task->steps[event->step];
    const struct attempt_state *attempt = step_state_find_attempt(fold->step, event->attempt);
    return attempt && (!past || attempt->ended.at_ms != 0);
}

/* Find what the event names; false if it is not there, or not in a state for it. */
static bool locate(struct fold *fold)
{
    const struct event *event = fold->event;
    enum scope scope = handlers[event->kind].scope;
    const struct plan *plan = fold->state->plan;

    if (event->task < 0)
        return scope == OF_RUN || scope == OF_RUN_OR_TASK;
    if (event->task >= plan->task_count)
        return false;
    fold->task = &fold->state->tasks[event->task];
    if (scope == OF_RUN || scope == OF_RUN_OR_TASK || scope == OF_TASK)
        return task_can_take(fold->task, event->kind);
    if (scope == OF_ANY_ATTEMPT || scope == OF_PAST_ATTEMPT)
        return locate_attempt(fold, scope == OF_PAST_ATTEMPT);

    bool is_current = event->step >= 0 && event->step == fold->task->step &&
                      event->step < plan->tasks[event->task].step_count;
    if (!is_current)
        return false;
    fold->step = &fold->task->steps[event->step];
    if ((handlers[event->kind].when & 1U << fold->step->status) == 0)
        return false;
    int latest = fold->step->attempt_count > 0 ? step_state_latest(fold->step)->number : 0;
    if (scope == OF_NEW_ATTEMPT)
        return event->attempt == latest + 1;
    return scope == OF_STEP || (latest > 0 && event->attempt == latest);
}

/* A run starts once; before that it can only be told something. */
static bool fits_start(const struct run_state *state, enum event_kind kind)
{
    bool says = kind == EVENT_NONE || kind == EVENT_NOTE || kind == EVENT_CONTROL_ANSWERED;
    return says || (kind == EVENT_RUN_STARTED) != state->started;
}

static bool changes_old_attempts(enum event_kind kind)
{
    return kind == EVENT_CLASS_CORRECTED || kind == EVENT_WORKSPACE_CHANGED ||
           kind == EVENT_RUN_RECOVERED;
}

/* Kinds that change all tasks, where they name none. The run's start changes none by itself:
 * fold_task_begin(). */
static bool changes_all_tasks(enum event_kind kind)
{
    return kind == EVENT_RUN_RECOVERED || kind == EVENT_TIME_STOPPED || kind == EVENT_CANCEL_ASKED;
}

/* Of other tasks the handlers tell themselves: fold_changes(). */
static void tell_changes(const struct fold *fold)
{
    const struct event *event = fold->event;
    if (!fold->state->past)
        return;
    if (fold->task)
        run_past_changes(fold->state->past, event->task, changes_old_attempts(event->kind));
    for (int i = 0;
         !fold->task && changes_all_tasks(event->kind) && i < fold->state->plan->task_count; i++)
        run_past_changes(fold->state->past, i, changes_old_attempts(event->kind));
}

/* A person's word on what is over says nothing of when its engine was last alive. */
static bool corrects_the_past(const struct event *event)
{
    return event->kind == EVENT_CLASS_CORRECTED ||
           (event->kind == EVENT_CONTROL_ANSWERED && event->c == CONTROL_CORRECT);
}

static bool refuse(const struct event *event, const char *why, struct err *err)
{
    return err_set(err, ERR_DAMAGED, "event %lld (kind %d): %s", (long long)event->seq,
                   (int)event->kind, why);
}

static bool apply(struct fold *fold, bool known, struct err *err)
{
    struct run_state *state = fold->state;
    const struct event *event = fold->event;
    if (!fold_is_sound(fold))
        return refuse(event, "its numbers are out of bounds", err);
    tell_changes(fold);
    if (known)
        handlers[event->kind].apply(fold);
    else
        state->unknown_events++;
    state->last_seq = event->seq;
    state->last = event->at;
    if (!corrects_the_past(event))
        state->heard = event->at;
    return true;
}

/* Is it the next one, and is what it names there? */
static bool fits(struct fold *fold, bool known, struct err *err)
{
    const struct event *event = fold->event;
    if (event->seq != fold->state->last_seq + 1)
        return refuse(event, "not the next one", err);
    if (known && (!fits_start(fold->state, event->kind) || !locate(fold)))
        return refuse(event, "it cannot follow what was before", err);
    return true;
}

bool run_state_apply(struct run_state *state, const struct event *event, struct err *err)
{
    const bool known = event_kind_is_known((int64_t)event->kind);
    struct fold fold = {.state = state, .event = event};
    struct json *text = NULL;
    if (!fits(&fold, known, err))
        return false;
    if (known && event->text && !json_parse(event->text, strlen(event->text), &text, NULL, NULL))
        return refuse(event, "its text is not JSON", err);
    fold.text = text;
    const bool ok = apply(&fold, known, err);
    json_free(text);
    return ok;
}

bool run_state_apply_known(struct run_state *state, const struct event *event,
                           const struct fold_known *known)
{
    struct fold fold = {.state = state, .event = event, .known = known};
    return fits(&fold, true, NULL) && apply(&fold, true, NULL);
}
