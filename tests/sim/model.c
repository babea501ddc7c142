#include "model.h"

#include <string.h>

#include "agents.h"

void model_init(struct model *model, const struct plot *plot, const struct plan *plan)
{
    memset(model, 0, sizeof(*model));
    model->plot = plot;
    model->plan = plan;
    for (int i = 0; i < plot->task_count; i++) {
        model->tasks[i].blocked_by = -1;
        model->tasks[i].follows = -1;
    }
    for (int i = 0; i < PLOT_SOURCES_MAX; i++) {
        model->gates[i].probe = -1;
        model->gates[i].chosen = -1;
    }
    agents_init(model);
}

int model_step_number(const struct model *model, int task)
{
    int steps = model->plot->tasks[task].step_count;
    return model->tasks[task].step < steps ? model->tasks[task].step : steps - 1;
}

struct model_step *model_step(struct model *model, int task)
{
    return &model->steps[task][model_step_number(model, task)];
}

const struct model_step *model_peek(const struct model *model, int task)
{
    return &model->steps[task][model_step_number(model, task)];
}

const struct plot_step *model_plot_step(const struct model *model, int task)
{
    return &model->plot->tasks[task].steps[model_step_number(model, task)];
}

int model_source(const struct model *model, int task)
{
    return model->plan->tasks[task].steps[model_step_number(model, task)].source;
}

bool model_is_open(enum task_status status)
{
    return status == TASK_QUEUED || status == TASK_RUNNING || status == TASK_BACKOFF;
}

bool model_needs(const struct model *model, int task, int other)
{
    const struct plot_task *plot = &model->plot->tasks[task];
    for (int i = 0; i < plot->need_count; i++) {
        if (plot->needs[i] == other)
            return true;
    }
    return false;
}

static bool all_needs_passed(const struct model *model, int task)
{
    const struct plot_task *plot = &model->plot->tasks[task];
    for (int i = 0; i < plot->need_count; i++) {
        if (model->tasks[plot->needs[i]].status != TASK_PASSED)
            return false;
    }
    return true;
}

bool model_is_in_line(const struct model *model, int task)
{
    return model->tasks[task].status == TASK_QUEUED && !model->tasks[task].held &&
           model_peek(model, task)->status == STEP_READY && all_needs_passed(model, task);
}

int model_running(const struct model *model)
{
    int running = 0;
    for (int i = 0; i < model->plot->task_count; i++)
        running += model_peek(model, i)->status == STEP_RUNNING;
    return running;
}

int model_count(const struct model *model, enum task_status status)
{
    int count = 0;
    for (int i = 0; i < model->plot->task_count; i++)
        count += model->tasks[i].status == status;
    return count;
}

int64_t model_held_ms(const struct model *model, int task, const struct moment *now)
{
    const struct model_step *step = model_peek(model, task);
    const struct model_task *of = &model->tasks[task];
    if (!of->held || step->first_start.at_ms == 0)
        return 0;
    bool later = of->held_since.mono_ms > step->first_start.mono_ms;
    return now->mono_ms - (later ? of->held_since : step->first_start).mono_ms;
}

static int allowance_of(const struct model *model, const struct plot_step *step)
{
    const struct plot_policy *policy = &model->plot->policies[step->policy];
    return (policy->phases & 1U << step->phase) != 0 ? policy->attempts : 1;
}

int model_allowance(const struct model *model, int task)
{
    return allowance_of(model, model_plot_step(model, task));
}

int model_tries(const struct model *model, int task, int number)
{
    const struct model_step *step = &model->steps[task][number];
    const int allowed = step->grant > 0
                            ? step->allowed
                            : allowance_of(model, &model->plot->tasks[task].steps[number]);
    const int left = allowed - step->used - (step->status == STEP_RUNNING ? 1 : 0);
    const int most = step->attempt_count + (left > 0 ? left : 0);
    return most > step->tries_max ? most : step->tries_max;
}
