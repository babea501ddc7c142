/* growth.c - adds tasks to the plan of a run, and keeps their stdin and redactors.
 *
 * growth_input(), growth_redactor() and growth_redact() also work for a plan that does not grow. */
#include "attempt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "plan.h"
#include "xalloc.h"

void growth_init(struct growth *growth, const struct plan *plan)
{
    *growth = (struct growth){.plan = plan_growing(plan)};
}

void growth_forget(struct growth *growth, int task)
{
    struct growth_call *call = growth->calls[task];
    if (!call)
        return;
    free((void *)(uintptr_t)call->input.bytes); /* allocated by growth_add() */
    redactor_close(call->redactor);
    free(call);
    growth->calls[task] = NULL;
}

void growth_done(struct growth *growth)
{
    if (!growth || !growth->plan)
        return;
    assert(!growth->asked && !growth->settled);
    for (int i = 0; i < growth->plan->task_count; i++)
        growth_forget(growth, i);
    free(growth->calls);
    plan_free(growth->plan);
    *growth = (struct growth){0};
}

bool growth_add(struct growth *growth, const struct engine_task *task, struct redactor *own,
                struct err *err)
{
    const int number = growth->plan->task_count;
    if (!plan_grow(growth->plan, task->json, task->json_len, err))
        return false;
    growth->calls =
        xgrow(growth->calls, &growth->call_cap, (size_t)number + 1, sizeof(struct growth_call *));
    struct growth_call *call = xcalloc(1, sizeof(*call));
    call->redactor = own;
    if (task->stdin_bytes) {
        char *bytes = xcalloc(task->stdin_len + 1, 1);
        if (task->stdin_len > 0)
            memcpy(bytes, task->stdin_bytes, task->stdin_len);
        call->input = (struct launch_input){.bytes = bytes, .len = task->stdin_len};
    }
    growth->calls[number] = call;
    return true;
}

const struct launch_input *growth_input(const struct growth *growth, int task)
{
    const struct growth_call *call = growth->plan ? growth->calls[task] : NULL;
    return call && call->input.bytes ? &call->input : NULL;
}

const struct redactor *growth_redactor(const struct growth *growth, int task)
{
    const struct growth_call *call = growth->plan ? growth->calls[task] : NULL;
    return call ? call->redactor : NULL;
}

void growth_redact(const struct growth *growth, int task, const struct redactor *run,
                   const char *text, size_t len, struct str *out)
{
    struct str once = {0};
    const struct redactor *own = task >= 0 ? growth_redactor(growth, task) : NULL;
    redact_text(own, text, len, &once, NULL);
    redact_text(run, str_text(&once), once.len, out, NULL);
    str_done(&once);
}
