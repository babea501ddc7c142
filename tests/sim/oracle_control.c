#include "oracle.h"

enum { MINUTE_MS = 60 * 1000 };

/* The person who acts did this. */
static void emit_act(struct oracle *oracle, struct foretold act)
{
    act.event.by = oracle->input->control.by;
    oracle_emit(oracle, &act);
}

static void emit_plain(struct oracle *oracle, enum event_kind kind, int task)
{
    emit_act(oracle, oracle_event(oracle, kind, task));
}

/* Task -1 is the run. */
static void emit_cancel(struct oracle *oracle, int task, enum cancel_mode mode)
{
    struct foretold asked = oracle_event(oracle, EVENT_CANCEL_ASKED, task);
    asked.event.cancel.mode = mode;
    emit_act(oracle, asked);
}

/* A waiting task ends at once; a running task gets a signal first. */
static void stop(struct oracle *oracle, const struct control *control, int task)
{
    const struct model *model = &oracle->model;
    const struct ruling cancelled = {
        .row = ROW_CANCELLED_IDLE, .kind = DECISION_CANCELLED, .capture = true};
    if (model->tasks[task].status == TASK_RUNNING) {
        if (control->mode != CANCEL_STOP)
            oracle_act(oracle, (struct action){.kind = ACTION_KILL,
                                               .task = task,
                                               .step = model_step_number(model, task),
                                               .attempt = model_peek(model, task)->attempt_count,
                                               .mode = control->mode});
    } else if (model_is_open(model->tasks[task].status)) {
        oracle_end_step(oracle, task, &cancelled, NULL);
    }
}

static bool cancel_run(struct oracle *oracle, const struct control *control)
{
    if (oracle->model.ended)
        return false;
    emit_cancel(oracle, -1, control->mode);
    for (int i = 0; i < oracle->model.plot->task_count; i++)
        stop(oracle, control, i);
    return true;
}

static bool cancel(struct oracle *oracle, const struct control *control, int task)
{
    if (!model_is_open(oracle->model.tasks[task].status))
        return false;
    emit_cancel(oracle, task, control->mode);
    stop(oracle, control, task);
    return true;
}

/* Ends the hold or wait; behind a closed gate, the task goes first. */
static void send(struct oracle *oracle, int task)
{
    if (oracle->model.tasks[task].held)
        emit_plain(oracle, EVENT_TASK_RELEASED, task);
    if (oracle->model.tasks[task].status == TASK_BACKOFF) {
        struct foretold ended = oracle_event(oracle, EVENT_WAIT_ENDED, task);
        ended.event.wait_ended.skipped = true;
        emit_act(oracle, ended);
    }
    oracle_gate_send(oracle, task, oracle->input->control.by);
}

static bool needs_have_failed(const struct model *model, int task)
{
    const struct plot_task *plot = &model->plot->tasks[task];
    for (int i = 0; i < plot->need_count; i++) {
        enum task_status status = model->tasks[plot->needs[i]].status;
        if (!model_is_open(status) && status != TASK_PASSED)
            return true;
    }
    return false;
}

static bool reopen(struct oracle *oracle, int task)
{
    struct model *model = &oracle->model;
    if (needs_have_failed(model, task))
        return false;
    int blocked = model_count(model, TASK_BLOCKED) - (model->tasks[task].status == TASK_BLOCKED);
    struct foretold reopened = oracle_event(oracle, EVENT_STEP_REOPENED, task);
    reopened.event.grant = model_peek(model, task)->grant + 1;
    reopened.event.reopened.grant = reopened.event.grant;
    reopened.event.reopened.allowed = model_allowance(model, task);
    const struct model_task *of = &model->tasks[task];
    int scale = of->has_trail ? of->trail.scale : 1;
    if (of->status == TASK_STUCK)
        reopened.event.reopened.scale = scale < 4 ? 2 * scale : 8;
    reopened.event.by = oracle->input->control.by;
    oracle_emit(oracle, &reopened);
    oracle_count(oracle, ROW_REOPENED);
    for (int i = model_count(model, TASK_BLOCKED); i < blocked; i++)
        oracle_count(oracle, ROW_UNBLOCKED);
    return true;
}

static bool retry(struct oracle *oracle, int task)
{
    const struct model *model = &oracle->model;
    const struct model_task *of = &model->tasks[task];
    int source = model_source(model, task);
    switch (of->status) {
    case TASK_RUNNING:
    case TASK_PASSED:
        return false;
    case TASK_GAVE_UP:
    case TASK_CANCELLED:
    case TASK_BLOCKED:
    case TASK_NEEDS_YOU:
    case TASK_STUCK:
        return reopen(oracle, task);
    case TASK_QUEUED:
        if (!of->held &&
            (source < 0 || model->gates[source].status == GATE_OPEN ||
             model->gates[source].status == GATE_SPREADING || !model_is_in_line(model, task)))
            return false;
        break;
    case TASK_BACKOFF:
    case TASK_STATUS_COUNT:
        break;
    }
    send(oracle, task);
    return true;
}

static bool hold(struct oracle *oracle, int task)
{
    const struct model_task *of = &oracle->model.tasks[task];
    if (of->held || !model_is_open(of->status))
        return false;
    emit_plain(oracle, EVENT_TASK_HELD, task);
    return true;
}

static bool release(struct oracle *oracle, int task)
{
    if (!oracle->model.tasks[task].held)
        return false;
    emit_plain(oracle, EVENT_TASK_RELEASED, task);
    return true;
}

/* Returns true if it waits with the same result as `like`, on the same source. */
static bool waits_as(const struct model *model, int task, int like)
{
    const struct model_step *other = model_peek(model, task);
    const struct digest *result = &model_peek(model, like)->last.fingerprint;
    return other->status == STEP_WAITING && (result->hi != 0 || result->lo != 0) &&
           other->last.fingerprint.hi == result->hi && other->last.fingerprint.lo == result->lo &&
           model_source(model, task) == model_source(model, like);
}

/* Counts the remaining tasks that began to wait within a minute after this one; *to_ms is when the
 * last of them began. */
static int count_minute(const struct model *model, const bool left[], int first, int64_t *to_ms)
{
    const struct model_step *step = model_peek(model, first);
    int64_t from_ms = step->wait_from.mono_ms;
    int count = 0;
    *to_ms = from_ms;
    for (int i = 0; i < model->plot->task_count; i++) {
        int64_t began_ms = model_peek(model, i)->wait_from.mono_ms;
        if (!left[i] || began_ms < from_ms || began_ms > from_ms + MINUTE_MS)
            continue;
        count++;
        *to_ms = began_ms > *to_ms ? began_ms : *to_ms;
    }
    return count;
}

/* Finds groups of waits with one result that began within a minute, the largest first: gets the
 * start and end of the one with this task. Unchanged if fewer than three tasks are in it. */
static void find_fault(const struct model *model, int task, int64_t *from_ms, int64_t *to_ms)
{
    const int64_t own_ms = model_peek(model, task)->wait_from.mono_ms;
    bool left[PLOT_TASKS_MAX] = {false};
    for (int i = 0; i < model->plot->task_count; i++)
        left[i] = waits_as(model, i, task) && model->tasks[i].follows < 0;
    for (;;) {
        int best = 0;
        int64_t since_ms = 0, until_ms = 0;
        for (int i = 0; i < model->plot->task_count; i++) {
            int64_t began_ms = model_peek(model, i)->wait_from.mono_ms, last_ms = 0;
            int count = left[i] ? count_minute(model, left, i, &last_ms) : 0;
            if (count < best || count == 0 || (count == best && began_ms >= since_ms))
                continue;
            best = count;
            since_ms = began_ms;
            until_ms = last_ms;
        }
        if (best < FAULT_TASKS_MIN)
            return;
        if (own_ms >= since_ms && own_ms <= until_ms) {
            *from_ms = since_ms;
            *to_ms = until_ms;
            return;
        }
        for (int i = 0; i < model->plot->task_count; i++) {
            int64_t began_ms = model_peek(model, i)->wait_from.mono_ms;
            left[i] = left[i] && (began_ms < since_ms || began_ms > until_ms);
        }
    }
}

/* Tasks that began to wait within a minute of this one, with the same result, follow it. If it is
 * part of a fault, the tasks of that fault do. */
static bool send_one(struct oracle *oracle, int task)
{
    const struct model *model = &oracle->model;
    const struct model_step *step = model_peek(model, task);
    if (step->status != STEP_WAITING)
        return false;
    int64_t from_ms = step->wait_from.mono_ms - MINUTE_MS;
    int64_t to_ms = step->wait_from.mono_ms + MINUTE_MS;
    find_fault(model, task, &from_ms, &to_ms);
    for (int i = 0; i < model->plot->task_count; i++) {
        const struct model_step *other = model_peek(model, i);
        bool same = waits_as(model, i, task) && other->wait_from.mono_ms >= from_ms &&
                    other->wait_from.mono_ms <= to_ms;
        if (i != task && same && !model->tasks[i].held) {
            struct foretold held = oracle_event(oracle, EVENT_TASK_HELD, i);
            held.event.held.follows = task;
            emit_act(oracle, held);
            if (oracle->tally)
                oracle->tally->followers++;
        }
    }
    send(oracle, task);
    return true;
}

static bool correct(struct oracle *oracle, const struct control *control)
{
    const struct model *model = &oracle->model;
    int task = control->task;
    int number = control->step >= 0 ? control->step : model_step_number(model, task);
    if (number >= model->plot->tasks[task].step_count)
        return false;
    const struct model_step *step = &model->steps[task][number];
    int attempt = control->attempt != 0 ? control->attempt : step->attempt_count;
    bool over = attempt >= 1 && attempt <= step->attempt_count &&
                (attempt < step->attempt_count || step->status != STEP_RUNNING);
    if (!over)
        return false;
    struct foretold corrected = oracle_event(oracle, EVENT_CLASS_CORRECTED, task);
    corrected.event.step = number;
    corrected.event.attempt = attempt;
    corrected.event.round = step->rounds[(attempt - 1) % MODEL_ATTEMPTS_MAX];
    corrected.event.grant = step->grants[(attempt - 1) % MODEL_ATTEMPTS_MAX];
    corrected.event.corrected = control->label;
    corrected.event.by = control->by;
    oracle_emit(oracle, &corrected);
    return true;
}

static bool act_on_task(struct oracle *oracle, const struct control *control, int task)
{
    switch (control->verb) {
    case CONTROL_CANCEL:
        return cancel(oracle, control, task);
    case CONTROL_RETRY:
        return retry(oracle, task);
    case CONTROL_HOLD:
        return hold(oracle, task);
    case CONTROL_RELEASE:
        return release(oracle, task);
    case CONTROL_SEND_ONE:
        return send_one(oracle, task);
    case CONTROL_CORRECT:
        return correct(oracle, control);
    case CONTROL_VERB_COUNT:
        break;
    }
    return false;
}

static bool act_on_run(struct oracle *oracle, const struct control *control)
{
    bool done = false;
    if (control->verb == CONTROL_CANCEL)
        return cancel_run(oracle, control);
    if (control->verb == CONTROL_SEND_ONE || control->verb == CONTROL_CORRECT)
        return false;
    for (int i = 0; i < oracle->model.plot->task_count; i++)
        done = act_on_task(oracle, control, i) || done;
    return done;
}

static bool act(struct oracle *oracle, const struct control *control)
{
    const struct model *model = &oracle->model;
    if (!model->started || control->task >= model->plot->task_count)
        return false;
    if (control->task < 0)
        return act_on_run(oracle, control);
    bool aims_past =
        control->verb != CONTROL_CORRECT &&
        ((control->step >= 0 && control->step != model_step_number(model, control->task)) ||
         (control->attempt != 0 &&
          control->attempt != model_peek(model, control->task)->attempt_count));
    return !aims_past && act_on_task(oracle, control, control->task);
}

void oracle_control(struct oracle *oracle, const struct control *control)
{
    bool done = act(oracle, control);
    if (oracle->tally)
        oracle->tally->acts[control->verb][control->task < 0][done]++;
    if (control->id == 0)
        return;
    bool there = control->task >= 0 && control->task < oracle->model.plot->task_count;
    struct foretold answered =
        oracle_event(oracle, EVENT_CONTROL_ANSWERED, there ? control->task : -1);
    answered.event.answered.control = control->id;
    answered.event.answered.done = done;
    answered.event.answered.verb = control->verb;
    answered.event.by = control->by;
    oracle_emit(oracle, &answered);
}
