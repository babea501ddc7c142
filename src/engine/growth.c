#include "growth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "plan_grow.h"
#include "xalloc.h"

void growth_init(struct growth *growth, const struct plan *plan)
{
    *growth = (struct growth){.plan = plan_growing(plan)};
}

static void free_input(struct growth *growth, int task)
{
    struct launch_input *input = growth->inputs[task];
    if (input)
        free((void *)(uintptr_t)input->bytes); /* copy_input() made them */
    free(input);
    growth->inputs[task] = NULL;
}

void growth_done(struct growth *growth)
{
    if (!growth || !growth->plan)
        return;
    assert(!growth->asked && !growth->settled);
    for (int i = 0; i < growth->plan->task_count; i++)
        free_input(growth, i);
    free(growth->inputs);
    plan_free(growth->plan);
    *growth = (struct growth){0};
}

static struct launch_input *copy_input(const struct engine_task *task)
{
    if (!task->stdin_bytes)
        return NULL;
    struct launch_input *input = xcalloc(1, sizeof(*input));
    char *bytes = xcalloc(task->stdin_len + 1, 1);
    if (task->stdin_len > 0)
        memcpy(bytes, task->stdin_bytes, task->stdin_len);
    *input = (struct launch_input){.bytes = bytes, .len = task->stdin_len};
    return input;
}

bool growth_add(struct growth *growth, const struct engine_task *task, struct err *err)
{
    const int number = growth->plan->task_count;
    if (!plan_grow(growth->plan, task->json, task->json_len, err))
        return false;
    growth->inputs = xgrow(growth->inputs, &growth->input_cap, (size_t)number + 1,
                           sizeof(struct launch_input *));
    growth->inputs[number] = copy_input(task);
    return true;
}

void growth_take_back(struct growth *growth)
{
    free_input(growth, growth->plan->task_count - 1);
    plan_shrink(growth->plan);
}

const struct launch_input *growth_input(const struct growth *growth, int task)
{
    return growth->plan ? growth->inputs[task] : NULL;
}

void growth_forget(struct growth *growth, int task)
{
    free_input(growth, task);
    plan_forget_calls(growth->plan, task);
}
