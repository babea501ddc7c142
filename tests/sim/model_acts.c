#include "model_take.h"

#include <stdio.h>

#include "agents.h"

void model_take_blocked(struct taking *taking)
{
    taking->task->blocked_by = taking->event->blocked.needs;
    model_let_go(taking->task);
    model_set_status(taking, taking->number, TASK_BLOCKED);
}

static void set_by(struct model_task *task, const char *by)
{
    (void)snprintf(task->by, sizeof(task->by), "%s", by ? by : "");
}

void model_take_held(struct taking *taking)
{
    taking->task->held = true;
    taking->task->held_since = taking->event->at;
    taking->task->follows = taking->event->held.follows;
    set_by(taking->task, taking->event->by);
}

void model_take_released(struct taking *taking)
{
    const struct event *event = taking->event;
    struct model_step *step = taking->step;
    step->held_ms += model_held_ms(taking->model, taking->number, &event->at);
    model_let_go(taking->task);
    if (step->status == STEP_WAITING && event->released.due.mono_ms > 0)
        step->due = event->released.due;
}

void model_take_cancel(struct taking *taking)
{
    struct model *model = taking->model;
    if (taking->number < 0)
        model->stopped_by_person = true;
    for (int i = 0; i < model->plot->task_count; i++) {
        bool meant = taking->number < 0 || taking->number == i;
        if (!meant || !model_is_open(model->tasks[i].status))
            continue;
        model->tasks[i].cancelling = true;
        model->tasks[i].mode = taking->event->cancel.mode;
        set_by(&model->tasks[i], taking->event->by);
    }
}

void model_take_gate(struct taking *taking)
{
    const struct event *event = taking->event;
    const bool closes = event->kind == EVENT_GATE_CLOSED;
    struct model_gate *gate =
        &taking->model->gates[closes ? event->gate_closed.source : event->gate_opened.source];
    gate->probe = -1;
    if (closes) {
        if (gate->closed == 0)
            gate->since = event->at;
        gate->status = GATE_CLOSED;
        gate->due = event->gate_closed.due;
        gate->closed = event->gate_closed.limits;
        gate->chosen = event->gate_closed.chosen;
        return;
    }
    gate->status = event->gate_opened.waiting > 0 ? GATE_SPREADING : GATE_OPEN;
    gate->due = event->at;
    gate->spacing_ms = event->gate_opened.spacing_ms;
    gate->closed = 0;
    gate->chosen = -1;
}

static void move_clock(const struct moment *now, struct moment *moment)
{
    if (moment->at_ms != 0)
        moment->mono_ms = moment->at_ms + (now->mono_ms - now->at_ms);
}

/* The quiet time of an attempt keeps its distance from the attempt's start. */
static void move_last(const struct moment *now, struct model_step *step)
{
    const int64_t after_ms = step->heard_mono_ms - step->last.started.mono_ms;
    move_clock(now, &step->last.started);
    move_clock(now, &step->last.ended);
    if (step->quiet)
        step->heard_mono_ms = step->last.started.mono_ms + after_ms;
}

/* After a reboot, only the wall clock tells how long ago something was. */
void model_take_recovered(struct taking *taking)
{
    struct model *model = taking->model;
    const struct moment *now = &taking->event->at;
    model->ended = false;
    agents_take_recovered(taking);
    if (!taking->event->recovered.rebooted)
        return;
    move_clock(now, &model->started_at);
    for (int i = 0; i < model->plot->task_count; i++) {
        struct model_step *step = model_step(model, i);
        move_clock(now, &model->tasks[i].since);
        move_clock(now, &model->tasks[i].held_since);
        move_clock(now, &model->tasks[i].first_start);
        move_clock(now, &step->first_start);
        move_clock(now, &step->wait_from);
        move_clock(now, &step->due);
        for (int k = 0; k < model->plot->tasks[i].step_count; k++)
            move_last(now, &model->steps[i][k]);
    }
    for (int i = 0; i < PLOT_SOURCES_MAX; i++) {
        move_clock(now, &model->gates[i].since);
        move_clock(now, &model->gates[i].due);
    }
}

void model_take_corrected(struct taking *taking)
{
    const struct event *event = taking->event;
    struct model_step *step = &taking->model->steps[event->task][event->step];
    if (event->attempt != step->attempt_count)
        return; /* earlier attempts are not kept here */
    step->last.corrected = true;
    step->last.label = event->corrected;
}

void model_take_news(struct taking *taking)
{
    struct model_step *step = taking->step;
    if (taking->event->kind == EVENT_ATTEMPT_RUNNING)
        step->last.pid = taking->event->running.pid;
    if (taking->event->kind == EVENT_ATTEMPT_RUNNING)
        agents_take_running(taking);
    else
        step->quiet = taking->event->kind == EVENT_ATTEMPT_QUIET;
    if (step->quiet && taking->event->kind == EVENT_ATTEMPT_QUIET)
        step->heard_mono_ms = taking->event->at.mono_ms - taking->event->quiet.quiet_ms;
}
