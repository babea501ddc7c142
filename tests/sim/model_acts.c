#include "model_take.h"

#include <stdio.h>

#include "agents.h"

void model_take_blocked(struct taking *taking)
{
    taking->task->blocked_by = (int)taking->event->a;
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
    taking->task->follows = (int)taking->event->a - 1;
    set_by(taking->task, taking->foretold->by);
}

void model_take_released(struct taking *taking)
{
    const struct event *event = taking->event;
    struct model_step *step = taking->step;
    step->held_ms += model_held_ms(taking->model, taking->number, &event->at);
    model_let_go(taking->task);
    if (step->status == STEP_WAITING && event->b > 0)
        step->due = (struct moment){.at_ms = event->a, .mono_ms = event->b};
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
        model->tasks[i].mode = (enum cancel_mode)taking->event->a;
        set_by(&model->tasks[i], taking->foretold->by);
    }
}

void model_take_gate(struct taking *taking)
{
    const struct event *event = taking->event;
    struct model_gate *gate = &taking->model->gates[event->a];
    gate->probe = -1;
    if (event->kind == EVENT_GATE_CLOSED) {
        if (gate->closed == 0)
            gate->since = event->at;
        gate->status = GATE_CLOSED;
        gate->due = (struct moment){.at_ms = event->b, .mono_ms = event->c};
        gate->closed = (int)event->d;
        gate->chosen = (int)event->e - 1;
        return;
    }
    gate->status = event->b > 0 ? GATE_SPREADING : GATE_OPEN;
    gate->due = event->at;
    gate->spacing_ms = event->c;
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
    if (taking->event->a == 0)
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
    step->last.label = (struct verdict_label){.class = (enum verdict_class)event->a,
                                              .type = (enum transient_type)event->b,
                                              .reason = (enum reason)event->c};
}

void model_take_news(struct taking *taking)
{
    struct model_step *step = taking->step;
    if (taking->event->kind == EVENT_ATTEMPT_RUNNING)
        step->last.pid = taking->event->a;
    if (taking->event->kind == EVENT_ATTEMPT_RUNNING)
        agents_take_running(taking);
    else
        step->quiet = taking->event->kind == EVENT_ATTEMPT_QUIET;
    if (step->quiet && taking->event->kind == EVENT_ATTEMPT_QUIET)
        step->heard_mono_ms = taking->event->at.mono_ms - taking->event->a;
}
