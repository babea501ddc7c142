#include "model_take.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "agents.h"
#include "attr.h"
#include "facts.h"

void model_set_status(struct taking *taking, int number, enum task_status status)
{
    struct model_task *task = &taking->model->tasks[number];
    if (task->status != status)
        task->since = taking->event->at;
    task->status = status;
}

/* Queues the task; its step may start once its needs have passed. */
static void line_up(struct taking *taking, int number)
{
    model_step(taking->model, number)->status = STEP_READY;
    model_set_status(taking, number, TASK_QUEUED);
}

static bool needs_are_met(const struct model *model, int number)
{
    const struct plot_task *plot = &model->plot->tasks[number];
    for (int i = 0; i < plot->need_count; i++) {
        if (model->tasks[plot->needs[i]].status != TASK_PASSED)
            return false;
    }
    return true;
}

/* Returns the first need that ended without passing, -1 = none. */
static int failed_need(const struct model *model, int number)
{
    const struct plot_task *plot = &model->plot->tasks[number];
    for (int i = 0; i < plot->need_count; i++) {
        enum task_status status = model->tasks[plot->needs[i]].status;
        if (!model_is_open(status) && status != TASK_PASSED)
            return plot->needs[i];
    }
    return -1;
}

static void take_run_started(struct taking *taking)
{
    struct model *model = taking->model;
    model->started = true;
    model->started_at = taking->event->at;
    model->jobs = taking->event->run_started.jobs;
    for (int i = 0; i < model->plot->task_count; i++) {
        model->tasks[i].since = taking->event->at;
        if (model->plot->tasks[i].need_count == 0)
            line_up(taking, i);
    }
}

static void take_run_ended(struct taking *taking)
{
    taking->model->ended = true;
    taking->model->ended_at = taking->event->at;
    taking->model->exit_code = taking->event->run_ended.exit_code;
}

static void open_grant(struct model_step *step, int grant, int allowed)
{
    step->grant = grant;
    step->allowed = allowed;
    step->used = step->start_failures = step->free_hints = step->same = step->interrupted = 0;
    step->finals = step->entropies = step->executed = 0;
    step->first_start = (struct moment){0};
    step->held_ms = 0;
}

static void take_started(struct taking *taking)
{
    struct model *model = taking->model;
    struct model_step *step = taking->step;
    const struct event *event = taking->event;
    int source = model_source(model, taking->number);
    if (step->grant == 0)
        open_grant(step, 1, model_allowance(model, taking->number));
    if (step->first_start.at_ms == 0)
        step->first_start = event->at;
    if (taking->task->first_start.at_ms == 0)
        taking->task->first_start = event->at;
    step->last = (struct model_attempt){.started = event->at, .new_permille = -1};
    if (step->wait_from.at_ms != 0)
        step->last.waited_ms = event->at.mono_ms - step->wait_from.mono_ms;
    step->wait_from = (struct moment){0};
    step->rounds[step->attempt_count % MODEL_ATTEMPTS_MAX] =
        (unsigned char)agents_round(model, taking->number);
    step->grants[step->attempt_count++ % MODEL_ATTEMPTS_MAX] = (unsigned char)step->grant;
    step->status = STEP_RUNNING;
    step->judged = step->silent = step->quiet = false;
    model->attempts++;
    model_set_status(taking, taking->number, TASK_RUNNING);
    agents_take_started(taking);

    if (source < 0)
        return;
    struct model_gate *gate = &model->gates[source];
    if (gate->status == GATE_CLOSED) {
        gate->status = GATE_PROBING;
        gate->probe = taking->number;
        gate->chosen = -1;
        return;
    }
    if (gate->status != GATE_SPREADING)
        return;
    gate->due.at_ms = event->at.at_ms + gate->spacing_ms;
    gate->due.mono_ms = event->at.mono_ms + gate->spacing_ms;
}

/* Counts equal results in a row since the step last started over. */
static void count_same(struct model_step *step, struct digest now)
{
    struct digest before = step->previous;
    bool none = now.hi == 0 && now.lo == 0;
    bool second = step->attempt_count > 1 && step->attempt_count - 1 >= step->results_from;
    bool equal = second && !none && now.hi == before.hi && now.lo == before.lo;
    step->same = equal ? step->same + 1 : 1;
    step->previous = now;
}

static struct trail *trail_of(struct model_task *task)
{
    if (!task->has_trail)
        task->trail = (struct trail){.scale = 1};
    task->has_trail = true;
    return &task->trail;
}

static void take_fact(struct taking *taking)
{
    if (taking->foretold->has_fact)
        trail_add(trail_of(taking->task), &taking->foretold->fact, &taking->model->plot->loops,
                  &taking->event->at);
}

static void take_suspected(struct taking *taking)
{
    if (!taking->event->loop.of_calls)
        trail_of(taking->task)->told = true;
    agents_take_suspected(taking);
}

static void take_ended(struct taking *taking)
{
    struct model_step *step = taking->step;
    const struct foretold *foretold = taking->foretold;
    step->last.ended = taking->event->at;
    step->last.outcome = foretold->outcome;
    step->last.fingerprint = foretold->fingerprint;
    step->last.new_permille = foretold->new_permille;
    take_fact(taking);
    step->silent = foretold->silent;
    step->quiet = false;
    step->status = STEP_JUDGING;
    count_same(step, foretold->fingerprint);
    switch (foretold->outcome.kind) {
    case OUTCOME_NOT_STARTED:
        step->start_failures++;
        taking->model->attempts--;
        break;
    case OUTCOME_INTERRUPTED:
        step->interrupted++;
        step->start_failures = 0;
        break;
    case OUTCOME_EXIT:
    case OUTCOME_SIGNAL:
    case OUTCOME_TIMEOUT:
    case OUTCOME_CANCELLED:
    case OUTCOME_KIND_COUNT:
        step->used++;
        step->executed++;
        step->start_failures = 0;
        break;
    }
    agents_take_ended(taking);
}

static void take_judged(struct taking *taking)
{
    const struct opinion *opinion = &taking->foretold->opinion;
    taking->step->judged = true;
    taking->step->opinion = *opinion;
    taking->step->last.class = opinion->class;
    taking->step->last.type = opinion->type;
    taking->step->last.reason = opinion->reason;
}

static void take_wait(struct taking *taking)
{
    struct model_step *step = taking->step;
    const struct event *event = taking->event;
    step->status = STEP_WAITING;
    step->wait_from = event->at;
    step->due = event->wait.due;
    step->formula = taking->foretold->formula;
    step->delay_ms = event->wait.delay.delay_ms;
    step->exact_ms = event->wait.delay.exact_ms;
    if (event->wait.is_free) {
        step->free_hints++;
        step->used--;
    }
    model_set_status(taking, taking->number, TASK_BACKOFF);
}

static void stop_waiting(struct taking *taking)
{
    if (taking->step->status != STEP_WAITING)
        return;
    int64_t waited_ms = taking->event->at.mono_ms - taking->step->wait_from.mono_ms;
    taking->task->waited_ms += waited_ms;
    taking->model->waited_ms += waited_ms;
}

void model_let_go(struct model_task *task)
{
    task->held = false;
    task->follows = -1;
}

static void take_wait_ended(struct taking *taking)
{
    stop_waiting(taking);
    line_up(taking, taking->number);
}

static enum task_status status_after(enum decision_kind end)
{
    if (end == DECISION_ENTROPY)
        return TASK_STUCK;
    if (end == DECISION_NEEDS_YOU)
        return TASK_NEEDS_YOU;
    return end == DECISION_CANCELLED ? TASK_CANCELLED : TASK_GAVE_UP;
}

static void take_step_passed(struct taking *taking)
{
    struct model *model = taking->model;
    const struct plot *plot = model->plot;
    taking->task->step++;
    if (taking->task->step < plot->tasks[taking->number].step_count) {
        line_up(taking, taking->number);
        return;
    }
    model_let_go(taking->task);
    taking->task->has_trail = false;
    model_set_status(taking, taking->number, TASK_PASSED);
    for (int i = 0; i < plot->task_count; i++) {
        enum task_status status = model->tasks[i].status;
        bool needs_it = model_needs(model, i, taking->number);
        bool waited = status == TASK_QUEUED || status == TASK_BLOCKED;
        if (needs_it && waited && needs_are_met(model, i))
            line_up(taking, i);
    }
}

/* Returns the word for ends that need the user's attention. */
static const char *word_of(enum decision_kind end)
{
    switch (end) {
    case DECISION_FAILED:
    case DECISION_RETRY_EXHAUSTED:
    case DECISION_TRANSIENT_EXHAUSTED:
    case DECISION_DEADLINE:
    case DECISION_MAX_RETRIES:
        return "gave up";
    case DECISION_ENTROPY:
        return "stuck";
    case DECISION_NEEDS_YOU:
        return "needs you";
    case DECISION_SUCCEEDED:
    case DECISION_WAIT:
    case DECISION_CANCELLED:
    case DECISION_KIND_COUNT:
        break;
    }
    return NULL;
}

static void notice(struct taking *taking, const char *what)
{
    struct model *model = taking->model;
    if (!what)
        return;
    if (taking->number >= 0)
        (void)snprintf(model->notice, sizeof(model->notice), "t%d %s",
                       model->plot->tasks[taking->number].id, what);
    else
        (void)snprintf(model->notice, sizeof(model->notice), "%s", what);
    model->notice_at_ms = taking->event->at.at_ms;
}

static void take_note(struct taking *taking)
{
    notice(taking, taking->event->note.note);
}

static void take_step_ended(struct taking *taking)
{
    struct model_step *step = taking->step;
    enum decision_kind end = taking->event->step_ended.decision;
    stop_waiting(taking);
    step->status = STEP_ENDED;
    step->end = end;
    step->finals++;
    step->entropies += taking->event->step_ended.entropy;
    taking->task->entropy += taking->event->step_ended.entropy;
    if (end == DECISION_SUCCEEDED) {
        take_step_passed(taking);
        return;
    }
    model_let_go(taking->task);
    model_set_status(taking, taking->number, status_after(end));
    if (taking->task->status != TASK_STUCK)
        taking->task->has_trail = false;
    notice(taking, word_of(end));
}

/* A second chance for one task is also one for all tasks that only it blocked. */
static void unblock(struct taking *taking, int need)
{
    struct model *model = taking->model;
    bool queued[PLOT_TASKS_MAX] = {false};
    for (int i = 0; i < model->plot->task_count; i++) {
        struct model_task *task = &model->tasks[i];
        if (task->status != TASK_BLOCKED || !model_needs(model, i, need))
            continue;
        task->blocked_by = failed_need(model, i);
        queued[i] = task->blocked_by < 0;
        if (queued[i])
            model_set_status(taking, i, TASK_QUEUED);
    }
    for (int i = 0; i < model->plot->task_count; i++) {
        if (queued[i])
            unblock(taking, i);
    }
}

static void take_reopened(struct taking *taking)
{
    int same = taking->step->same;
    taking->step->tries_max = model_tries(taking->model, taking->number, taking->event->step);
    open_grant(taking->step, taking->event->reopened.grant, taking->event->reopened.allowed);
    agents_take_reopened(taking);
    taking->task->cancelling = false;
    if (taking->event->reopened.scale > 0) {
        trail_go_on(trail_of(taking->task), taking->event->reopened.scale);
        taking->step->same = same;
    } else {
        taking->task->has_trail = false;
        taking->step->results_from = taking->step->attempt_count + 1;
    }
    taking->model->ended = false;
    taking->model->stopped_by_person = false;
    taking->step->status = STEP_PENDING;
    model_set_status(taking, taking->number, TASK_QUEUED);
    if (needs_are_met(taking->model, taking->number))
        line_up(taking, taking->number);
    unblock(taking, taking->number);
}

static void take_nothing(struct taking *taking)
{
    (void)taking;
}

typedef void take_fn(struct taking *taking);

static take_fn *const takers[] = {
    [EVENT_NONE] = take_nothing,
    [EVENT_RUN_STARTED] = take_run_started,
    [EVENT_RUN_ENDED] = take_run_ended,
    [EVENT_ATTEMPT_STARTED] = take_started,
    [EVENT_ATTEMPT_RUNNING] = model_take_news,
    [EVENT_ATTEMPT_ENDED] = take_ended,
    [EVENT_ATTEMPT_JUDGED] = take_judged,
    [EVENT_WAIT_STARTED] = take_wait,
    [EVENT_WAIT_ENDED] = take_wait_ended,
    [EVENT_STEP_ENDED] = take_step_ended,
    [EVENT_STEP_REOPENED] = take_reopened,
    [EVENT_TASK_BLOCKED] = model_take_blocked,
    [EVENT_TASK_HELD] = model_take_held,
    [EVENT_TASK_RELEASED] = model_take_released,
    [EVENT_CANCEL_ASKED] = model_take_cancel,
    [EVENT_CONTROL_ANSWERED] = take_nothing,
    [EVENT_ATTEMPT_QUIET] = model_take_news,
    [EVENT_ATTEMPT_HEARD] = model_take_news,
    [EVENT_NOTE] = take_note,
    [EVENT_GATE_CLOSED] = model_take_gate,
    [EVENT_GATE_OPENED] = model_take_gate,
    [EVENT_CLASS_CORRECTED] = model_take_corrected,
    [EVENT_RUN_RECOVERED] = model_take_recovered,
    [EVENT_LOOP_SUSPECTED] = take_suspected,
    [EVENT_WORKSPACE_MADE] = facts_take,
    [EVENT_WORKSPACE_SAVED] = facts_take,
    [EVENT_WORKSPACE_RESET] = facts_take,
    [EVENT_TREE_PROVEN] = facts_take,
    [EVENT_WORKSPACE_CHANGED] = facts_take,
    [EVENT_RESULT_KEPT] = facts_take,
    [EVENT_SANDBOX_LACKS] = facts_take,
    [EVENT_TIME_STOPPED] = facts_take,
    [EVENT_SECRETS_CUT] = facts_take,
    [EVENT_AGENT_SESSION] = agents_take,
    [EVENT_AGENT_USED] = agents_take,
    [EVENT_AGENT_CALL] = agents_take,
    [EVENT_BUDGET] = agents_take,
    [EVENT_ROUND_STARTED] = agents_take,
    [EVENT_TASK_ADDED] = take_nothing,
    [EVENT_HINT_GIVEN] = take_nothing, /* plots never give one */
};
static_assert(ARRAY_LEN(takers) == EVENT_KIND_COUNT, "every event kind is taken in");

/* Only tasks in line are sent, and an empty line has nothing to spread out. */
static void look_at_line(struct model *model, int source)
{
    struct model_gate *gate = &model->gates[source];
    int count = 0;
    bool sent = false;
    for (int i = 0; i < model->plot->task_count; i++) {
        bool in_line = model_is_in_line(model, i) && model_source(model, i) == source;
        count += in_line;
        sent = sent || (in_line && gate->chosen == i);
    }
    if (!sent)
        gate->chosen = -1;
    if (gate->status == GATE_SPREADING && count == 0)
        gate->status = GATE_OPEN;
}

static bool corrects(const struct event *event)
{
    return event->kind == EVENT_CLASS_CORRECTED ||
           (event->kind == EVENT_CONTROL_ANSWERED && event->answered.verb == CONTROL_CORRECT);
}

void model_take(struct model *model, const struct foretold *foretold)
{
    struct taking taking = {.model = model,
                            .foretold = foretold,
                            .event = &foretold->event,
                            .number = foretold->event.task};
    if (taking.number >= 0) {
        taking.task = &model->tasks[taking.number];
        taking.step = model_step(model, taking.number);
    }
    takers[foretold->event.kind](&taking);
    for (int i = 0; i < PLOT_SOURCES_MAX; i++)
        look_at_line(model, i);
    model->last = foretold->event.at;
    if (!corrects(&foretold->event))
        model->heard = foretold->event.at;
    model->last_seq = foretold->event.seq;
}
