/* run_state.c - the state of a run: create, apply an event, copy, free.
 *
 * An event is applied only if it is the next one, refers to an existing task, step and attempt, and
 * its numbers are in range. */
#include "run_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "entropy_window.h"
#include "fold.h"
#include "pack.h"
#include "plan.h"
#include "xalloc.h"

/* Whether the numbers of an event are in range. The fold computes with them, so no log may cause an
 * overflow or a reference to something that does not exist. */

static bool is_within(int64_t value, int64_t least, int64_t most)
{
    return value >= least && value <= most;
}

static bool is_moment(int64_t at_ms, int64_t mono_ms)
{
    return is_within(at_ms, -FOLD_TIME_MAX_MS, FOLD_TIME_MAX_MS) &&
           is_within(mono_ms, -FOLD_TIME_MAX_MS, FOLD_TIME_MAX_MS);
}

/* Checks that the task has not begun, and that the task that blocks it is needed and ended without
 * passing. */
static bool is_sound_block(const struct fold *fold)
{
    const struct run_state *state = fold->state;
    int number = fold_task_number(fold);
    const struct plan_task *plan = &state->plan->tasks[number];
    if (run_state_step(state, number)->status != STEP_PENDING)
        return false;
    for (int i = 0; i < plan->need_count; i++) {
        enum task_status status = state->tasks[plan->needs[i]].status;
        if (plan->needs[i] == fold->event->blocked.needs)
            return task_status_is_final(status) && status != TASK_PASSED;
    }
    return false;
}

bool fold_is_of_agent(const struct fold *fold)
{
    return fold->state->plan->tasks[fold_task_number(fold)].steps[fold->event->step].agent != NULL;
}

int64_t fold_length_ms(int64_t ms)
{
    if (ms < 0)
        return 0;
    return ms < FOLD_DELAY_MAX_MS ? ms : FOLD_DELAY_MAX_MS;
}

int64_t fold_span_ms(int64_t ms)
{
    if (ms < -FOLD_TIME_MAX_MS)
        return -FOLD_TIME_MAX_MS;
    return ms < FOLD_TIME_MAX_MS ? ms : FOLD_TIME_MAX_MS;
}

/* Checks an attempt's place: a host of the executor that the plan names for its task. An attempt is
 * placed once. */
static bool is_sound_place(const struct fold *fold)
{
    assert(fold->step);
    const struct event *event = fold->event;
    const struct plan *plan = fold->state->plan;
    const int executor = plan->tasks[event->task].executor;
    return executor >= 0 && event->placed.executor &&
           strcmp(plan->executors[executor].name, event->placed.executor) == 0 &&
           run_state_host(fold->state, event->placed.executor, event->placed.host) >= 0 &&
           step_state_latest(fold->step)->host < 0;
}

/* Checks the ranges of the fields (event_data.c), then checks them against the plan and the
 * state. */
bool fold_is_sound(const struct fold *fold)
{
    const struct event *event = fold->event;
    const struct plan *plan = fold->state->plan;
    if (!is_moment(event->at.at_ms, event->at.mono_ms))
        return false;
    if (!event_kind_is_known(event->kind))
        return true;
    if (!event_is_in_range(event))
        return false;
    switch (event->kind) {
    case EVENT_AGENT_SESSION:
    case EVENT_AGENT_USED:
    case EVENT_AGENT_CALL:
        return fold_is_of_agent(fold);
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        return digest_is_known(event->tree.tree);
    case EVENT_RUN_RECOVERED:
        return event->recovered.take_up == TAKE_UP_OPEN || fold->state->ended;
    case EVENT_STEP_ENDED:
        /* A step that has not begun can only be cancelled. */
        assert(fold->step); /* located before the event is checked */
        return event->step_ended.decision != DECISION_WAIT &&
               (fold->step->status != STEP_PENDING ||
                event->step_ended.decision == DECISION_CANCELLED);
    case EVENT_TASK_BLOCKED:
        return is_sound_block(fold);
    case EVENT_TASK_HELD:
        return event->held.follows < plan->task_count;
    case EVENT_LOOP_SUSPECTED:
        /* The loop must be one of calls while the agent's attempt runs, or one of attempts when an
         * attempt has ended. */
        assert(fold->step);
        if (fold->step->status == STEP_JUDGING)
            return !event->loop.of_calls;
        return event->loop.of_calls && fold_is_of_agent(fold) && fold->task->agent->calls;
    case EVENT_BUDGET:
        return !fold->task || fold->task->agent;
    case EVENT_ROUND_STARTED: /* must be the next round, from the agent's step up to the step that
                                 failed */
        assert(fold->task);
        return fold->task->agent && event->round_started.round == fold->task->agent->round + 1 &&
               event->round_started.failed_step == event->step &&
               event->round_started.from_step ==
                   plan_task_agent_step(&plan->tasks[event->task], event->step);
    case EVENT_TASK_ADDED:
        return fold_takes_task(fold);
    case EVENT_GATE_CLOSED:
        return event->gate_closed.source < plan->source_count &&
               event->gate_closed.chosen < plan->task_count;
    case EVENT_GATE_OPENED:
        return event->gate_opened.source < plan->source_count;
    case EVENT_ATTEMPT_PLACED:
        return is_sound_place(fold);
    case EVENT_HOST_STATE:
        return run_state_host(fold->state, event->host.executor, event->host.host) >= 0;
    case EVENT_CONTACT_LOST:
    case EVENT_CONTACT_FOUND:
    case EVENT_JOB_STATE:
        assert(fold->step);
        return step_state_latest(fold->step)->host >= 0;
    default: /* does not depend on the plan or the state */
        return true;
    }
}

/* The state, and one event. */

static const char *const status_names[] = {
    [TASK_QUEUED] = "queued",   [TASK_RUNNING] = "running",     [TASK_BACKOFF] = "backoff",
    [TASK_PASSED] = "passed",   [TASK_GAVE_UP] = "gave-up",     [TASK_CANCELLED] = "cancelled",
    [TASK_BLOCKED] = "blocked", [TASK_NEEDS_YOU] = "needs-you", [TASK_STUCK] = "stuck",
};
static_assert(ARRAY_LEN(status_names) == TASK_STATUS_COUNT, "every status has a name");

bool run_state_after(const struct run_state *state, int task, enum plan_after *out)
{
    const struct task_state *it = &state->tasks[task];
    const bool has_failed =
        it->status == TASK_GAVE_UP || it->status == TASK_STUCK || it->status == TASK_NEEDS_YOU;
    const bool is_kept = it->status == TASK_PASSED && it->place && it->place->is_kept;
    *out = is_kept ? AFTER_KEPT : AFTER_FAILED;
    return (has_failed || is_kept) && state->plan->after[*out] && (it->after & 1U << *out) == 0;
}

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
    number_set_init(&state->ready_away, plan->executor_count > 0 ? plan->task_count : 0);
    state->hosts = xcalloc((size_t)plan_host_count(plan) + 1, sizeof(*state->hosts));
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

/* Sets the task to its state after the run's first event. */
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

void fold_task_free(struct task_state *task, int steps)
{
    free(task->by);
    circles_free(task->circles);
    fold_agent_free(task->agent);
    if (task->place) {
        free(task->place->path);
        free(task->place->branch);
        free(task->place->result);
        free(task->place->lacks);
    }
    free(task->place);
    free(task->job);
    if (task->pauses)
        free(task->pauses->items);
    free(task->pauses);
    for (int i = 0; i < steps; i++) {
        struct step_state *step = &task->steps[i];
        for (uint32_t n = 0; n < step->attempt_count; n++) {
            free(step->attempts[n].correction);
            free(step->attempts[n].hint);
        }
        free(step->attempts);
        free(step->hint);
        free(step->evidence);
        if (step->formulas)
            free(step->formulas->refused);
        free(step->formulas);
        free(step->trees);
    }
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
    free(state->hosts);
    number_set_done(&state->ready);
    number_set_done(&state->ready_away);
    heap_done(&state->waits);
    heap_done(&state->walls);
    plan_free(state->growing);
    *state = (struct run_state){0};
}

static void ignore_event(const struct fold *fold)
{
    (void)fold;
}

/* What an event must refer to. */
enum scope {
    OF_RUN,
    OF_RUN_OR_TASK,
    OF_TASK,
    OF_ANY_ATTEMPT,  /* an attempt of any step, running or ended */
    OF_PAST_ATTEMPT, /* an ended attempt of any step */
    OF_STEP,         /* the current step, like the scopes below */
    OF_LATEST_ATTEMPT,
    OF_NEW_ATTEMPT,
};

/* The statuses of a step in which an event can happen, as bits. */
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
    unsigned when; /* allowed statuses, for OF_STEP and the scopes below it */
} handlers[] = {
    [EVENT_NONE] = {ignore_event, OF_RUN, WHEN_ANY},
    [EVENT_RUN_STARTED] = {fold_run_started, OF_RUN, WHEN_ANY},
    [EVENT_RUN_ENDED] = {fold_run_ended, OF_RUN, WHEN_ANY},
    [EVENT_ATTEMPT_STARTED] = {fold_attempt_started, OF_NEW_ATTEMPT, WHEN_READY},
    [EVENT_ATTEMPT_PLACED] = {fold_attempt_placed, OF_LATEST_ATTEMPT, WHEN_RUNNING},
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
    [EVENT_CONTROL_ANSWERED] = {ignore_event, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_ATTEMPT_QUIET] = {fold_attempt_quiet, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_ATTEMPT_HEARD] = {fold_attempt_heard, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_NOTE] = {fold_note, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_GATE_CLOSED] = {fold_gate_closed, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_GATE_OPENED] = {fold_gate_opened, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_CLASS_CORRECTED] = {fold_class_corrected, OF_PAST_ATTEMPT, WHEN_ANY},
    [EVENT_RUN_RECOVERED] = {fold_run_recovered, OF_RUN, WHEN_ANY},
    [EVENT_LOOP_SUSPECTED] = {fold_loop_suspected, OF_LATEST_ATTEMPT, WHEN_JUDGING | WHEN_RUNNING},
    [EVENT_WORKSPACE_MADE] = {fold_workspace_made, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_WORKSPACE_SAVED] = {fold_tree_seen, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_WORKSPACE_RESET] = {fold_tree_seen, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_TREE_PROVEN] = {fold_tree_seen, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_WORKSPACE_CHANGED] = {fold_workspace_changed, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_RESULT_KEPT] = {fold_result_kept, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_SANDBOX_LACKS] = {fold_sandbox_lacks, OF_ANY_ATTEMPT, WHEN_ANY},
    [EVENT_TIME_STOPPED] = {fold_time_stopped, OF_RUN, WHEN_ANY},
    [EVENT_HOST_STATE] = {fold_host_state, OF_RUN, WHEN_ANY},
    [EVENT_CONTACT_LOST] = {fold_contact_lost, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_CONTACT_FOUND] = {fold_contact_found, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_JOB_STATE] = {fold_job_state, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_DAY_COST] = {fold_day_cost, OF_RUN, WHEN_ANY},
    [EVENT_AFTER_ENDED] = {fold_after_ended, OF_TASK, WHEN_ANY},
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

/* Finds the task and the step of the event. Returns false if these or the attempt do not exist, or
 * if their status does not allow the event. */
static bool locate_subject(struct fold *fold)
{
    const struct event *event = fold->event;
    enum scope scope = handlers[event->kind].scope;
    const struct plan *plan = fold->state->plan;

    if (event->task < 0)
        return scope == OF_RUN || scope == OF_RUN_OR_TASK;
    if (event->task >= plan->task_count)
        return false;
    struct task_state *task = &fold->state->tasks[event->task];
    fold->task = task;
    if (scope == OF_RUN || scope == OF_RUN_OR_TASK || scope == OF_TASK) {
        /* Holds and blocks apply once, to a task whose status is not final. */
        const bool is_final = task_status_is_final(task->status);
        if (event->kind == EVENT_TASK_HELD)
            return !is_final && !task->held;
        if (event->kind == EVENT_TASK_RELEASED)
            return task->held;
        return event->kind != EVENT_TASK_BLOCKED || (!is_final && task->status != TASK_RUNNING);
    }

    if (event->step < 0 || event->step >= plan->tasks[event->task].step_count)
        return false;
    if (scope == OF_ANY_ATTEMPT || scope == OF_PAST_ATTEMPT) {
        fold->step = &task->steps[event->step];
        const struct attempt_state *attempt = step_state_find_attempt(fold->step, event->attempt);
        return attempt && (scope == OF_ANY_ATTEMPT || attempt->ended.at_ms != 0);
    }

    if (event->step != task->step)
        return false;
    fold->step = &task->steps[event->step];
    if ((handlers[event->kind].when & 1U << fold->step->status) == 0)
        return false;
    int latest = fold->step->attempt_count > 0 ? step_state_latest(fold->step)->number : 0;
    if (scope == OF_NEW_ATTEMPT)
        return event->attempt == latest + 1;
    return scope == OF_STEP || (latest > 0 && event->attempt == latest);
}

static bool refuse(const struct event *event, const char *why, struct err *err)
{
    return err_set(err, ERR_DAMAGED, "event %lld (%s): %s", (long long)event->seq,
                   event_kind_name(event->kind), why);
}

/* Applies an event that event_fits() accepted. Fails if a value is out of range. */
static bool apply_event(struct fold *fold, bool known, struct err *err)
{
    struct run_state *state = fold->state;
    const struct event *event = fold->event;
    const enum event_kind kind = event->kind;
    if (!fold_is_sound(fold))
        return refuse(event, "a value is out of range", err);

    if (state->past) { /* handlers report other tasks themselves: fold_changes() */
        const bool old_attempts = kind == EVENT_CLASS_CORRECTED ||
                                  kind == EVENT_WORKSPACE_CHANGED || kind == EVENT_RUN_RECOVERED;
        /* Kinds that change all tasks without naming one. The start of the run changes none by
         * itself: fold_task_begin(). */
        const bool all_tasks =
            kind == EVENT_RUN_RECOVERED || kind == EVENT_TIME_STOPPED || kind == EVENT_CANCEL_ASKED;
        if (fold->task)
            run_past_changes(state->past, event->task, old_attempts);
        for (int i = 0; !fold->task && all_tasks && i < state->plan->task_count; i++)
            run_past_changes(state->past, i, old_attempts);
    }
    if (known)
        handlers[kind].apply(fold);
    else
        state->unknown_events++;
    state->last_seq = event->seq;
    state->last = event->at;
    /* A correction of an ended attempt says nothing about when the engine was last alive. */
    if (kind != EVENT_CLASS_CORRECTED &&
        (kind != EVENT_CONTROL_ANSWERED || event->answered.verb != CONTROL_CORRECT))
        state->heard = event->at;
    return true;
}

/* Checks that the event is the next one and that its task, step and attempt exist. */
static bool event_fits(struct fold *fold, bool known, struct err *err)
{
    const struct event *event = fold->event;
    const enum event_kind kind = event->kind;
    if (event->is_damaged)
        return refuse(event, "invalid data", err);
    if (event->seq != fold->state->last_seq + 1)
        return refuse(event, "unexpected sequence number", err);
    /* A run starts once; before that only notes are possible. */
    const bool is_note = kind == EVENT_NONE || kind == EVENT_NOTE || kind == EVENT_CONTROL_ANSWERED;
    const bool fits_start = is_note || (kind == EVENT_RUN_STARTED) != fold->state->started;
    if (known && (!fits_start || !locate_subject(fold)))
        return refuse(event, "cannot follow the previous events", err);
    return true;
}

bool run_state_apply(struct run_state *state, const struct event *event, struct err *err)
{
    const bool known = event_kind_is_known(event->kind);
    struct fold fold = {.state = state, .event = event};
    return event_fits(&fold, known, err) && apply_event(&fold, known, err);
}

/* Copies. */

/* Returns NULL, or a new block with the same bytes. */
static void *copy_of(const void *block, size_t count, size_t size)
{
    if (!block || count == 0)
        return NULL;
    void *copy = xcalloc(count, size);
    memcpy(copy, block, count * size);
    return copy;
}

static char *copy_of_text(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static struct circles *copy_of_circles(const struct circles *circles)
{
    struct circles *copy = copy_of(circles, 1, sizeof(*circles));
    if (!copy || !circles->state.window)
        return copy;
    struct entropy_window *window = copy_of(circles->state.window, 1, sizeof(*window));
    window->past = copy_of(window->past, (size_t)window->cap, sizeof(*window->past));
    window->asides = copy_of(window->asides, 1, sizeof(*window->asides));
    window->nudges = copy_of(window->nudges, 1, sizeof(*window->nudges));
    copy->state.window = window;
    return copy;
}

/* Replaces the blocks that a plain copy shares with its original with copies. */
static void copy_step(struct step_state *copy)
{
    copy->formulas = copy_of(copy->formulas, 1, sizeof(*copy->formulas));
    if (copy->formulas)
        copy->formulas->refused = copy_of_text(copy->formulas->refused);
    copy->trees = copy_of(copy->trees, 1, sizeof(*copy->trees));
    copy->evidence = packed_copy(copy->evidence);
    copy->hint = copy_of(copy->hint, 1, sizeof(*copy->hint));
    copy->attempts = copy_of(copy->attempts, copy->attempt_count, sizeof(*copy->attempts));
    copy->attempt_cap = copy->attempt_count;
    for (size_t i = 0; i < copy->attempt_count; i++) {
        struct attempt_state *attempt = &copy->attempts[i];
        attempt->correction = copy_of(attempt->correction, 1, sizeof(*attempt->correction));
        attempt->hint = copy_of(attempt->hint, 1, sizeof(*attempt->hint));
    }
}

/* Like copy_step(), for a task, but not for its steps. */
static void copy_task(struct task_state *copy)
{
    copy->circles = copy_of_circles(copy->circles);
    copy->place = copy_of(copy->place, 1, sizeof(*copy->place));
    if (copy->place) {
        struct task_place *place = copy->place;
        place->path = copy_of_text(place->path);
        place->branch = copy_of_text(place->branch);
        place->result = copy_of_text(place->result);
        place->lacks = copy_of_text(place->lacks);
    }
    copy->job = copy_of(copy->job, 1, sizeof(*copy->job));
    copy->agent = copy_of(copy->agent, 1, sizeof(*copy->agent));
    if (copy->agent) {
        struct task_agent *agent = copy->agent;
        agent->agent = copy_of_text(agent->agent);
        agent->session = copy_of_text(agent->session);
        agent->repair = copy_of_text(agent->repair);
        agent->nudge = copy_of_text(agent->nudge);
        agent->said = copy_of_text(agent->said);
        agent->refused = copy_of_text(agent->refused);
        agent->hint = copy_of(agent->hint, 1, sizeof(*agent->hint));
        agent->calls = copy_of_circles(agent->calls);
    }
    copy->pauses = copy_of(copy->pauses, 1, sizeof(*copy->pauses));
    if (copy->pauses) {
        struct task_pauses *pauses = copy->pauses;
        pauses->items = copy_of(pauses->items, pauses->count, sizeof(*pauses->items));
        pauses->cap = pauses->count;
    }
    copy->by = copy_of_text(copy->by);
}

static void copy_heap(struct heap *copy)
{
    const size_t size = (size_t)copy->cap;
    copy->items = copy_of(copy->items, size, sizeof(*copy->items));
    copy->places = copy_of(copy->places, size, sizeof(*copy->places));
    copy->keys = copy_of(copy->keys, size, sizeof(*copy->keys));
}

static void copy_set(struct number_set *copy)
{
    copy->words = copy_of(copy->words, number_set_words(copy), sizeof(*copy->words));
}

int run_state_slot(const struct run_state *state, int task)
{
    for (int i = state->plan->tasks[task].step_count - 1; i >= 0; i--) {
        const struct step_state *step = &state->tasks[task].steps[i];
        for (int j = (int)step->attempt_count - 1; j >= 0; j--) {
            if (step->attempts[j].slot > 0)
                return step->attempts[j].slot;
        }
    }
    return 0;
}

bool run_state_can_copy(const struct run_state *state)
{
    return !state->growing;
}

void run_state_copy(struct run_state *out, const struct run_state *state)
{
    const struct plan *plan = state->plan;
    assert(run_state_can_copy(state));
    *out = *state;
    out->past = NULL;
    out->tasks = copy_of(state->tasks, (size_t)plan->task_count + 1, sizeof(*state->tasks));
    out->steps = copy_of(state->steps, (size_t)plan->step_count + 1, sizeof(*state->steps));
    out->gates = copy_of(state->gates, (size_t)plan->source_count + 1, sizeof(*state->gates));
    out->hosts = copy_of(state->hosts, (size_t)plan_host_count(plan) + 1, sizeof(*state->hosts));
    copy_set(&out->ready);
    copy_set(&out->ready_away);
    copy_heap(&out->waits);
    copy_heap(&out->walls);
    for (int i = 0; i < plan->source_count; i++)
        copy_set(&out->gates[i].line);
    for (int i = 0; i < plan->step_count; i++)
        copy_step(&out->steps[i]);
    for (int i = 0; i < plan->task_count; i++) {
        out->tasks[i].steps = out->steps + (state->tasks[i].steps - state->steps);
        copy_task(&out->tasks[i]);
    }
}
