/* call.c - the folder, stdin and environment of a step's process.
 *
 * A name may occur in several sources. First come the two marks of devs, which identify leftover
 * processes, then the entries of the step, then those of its agent's CLI, then the inherited
 * ones. */
#include "attempt_internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

static const char step_prefix[] = "DEVS_STEP=";

/* Resolves a path of the plan, which is relative to the run's folder. */
static char *resolve_path(const char *run_dir, const char *path)
{
    struct str text = {0};
    if (!path)
        return xstrdup(run_dir);
    if (path[0] == '/')
        return xstrdup(path);
    str_addf(&text, "%s/%s", run_dir, path);
    return text.data;
}

/* Returns the variables of a slot. */
static char **list_slot(int slot)
{
    struct arg_list list = {0};
    arg_list_addf(&list, "DEVS_SLOT=%d", slot);
    for (int i = 0; i < MACHINE_SLOT_PORTS; i++)
        arg_list_addf(&list, "DEVS_PORT_%d=%d", i + 1, machine_slot_port(slot) + i);
    return list.items;
}

/* Builds the environment: our marks and the slot, then the step's own entries, then the inherited
 * ones. If a name occurs twice, the first one wins. */
static char **build_environment(const struct call_setting *setting, const struct call *call,
                                size_t *given_out)
{
    char *const *own = call->own;
    char *const *inherited = setting->environment;
    const size_t own_count = text_list_count(own);
    const size_t inherited_count = text_list_count(inherited);
    char **all =
        xcalloc(text_list_count(call->slot) + own_count + inherited_count + 3, sizeof(*all));
    size_t count = 0;

    all[count++] = (char *)(uintptr_t)setting->run_mark; /* starting a process does not modify it */
    all[count++] = call->step_mark;
    for (char *const *entry = call->slot; entry && *entry; entry++)
        all[count++] = *entry;
    for (size_t i = own_count; i > 0; i--) { /* the last entry of a name wins */
        if (!text_list_names(all, count, own[i - 1]))
            all[count++] = own[i - 1];
    }
    const size_t given = *given_out = count;
    for (size_t i = 0; i < inherited_count; i++) {
        if (!text_list_names(all, given, inherited[i]))
            all[count++] = inherited[i];
    }
    return all;
}

void call_init(struct call *call, const struct call_setting *setting, int task, int step, int slot)
{
    const struct plan_task *plan_task = &setting->plan->tasks[task];
    const struct plan_step *plan_step = &plan_task->steps[step];
    char *const *of_agent = plan_step->agent ? adapter_env(plan_step->agent->adapter) : NULL;
    struct str mark = {0};

    str_addf(&mark, "%s%s/%d", step_prefix, plan_task->id, step + 1);
    call->argv = plan_step->argv;
    call->cwd = resolve_path(setting->run_dir, plan_step->cwd);
    call->is_fed = plan_step->stdin_path && strcmp(plan_step->stdin_path, PLAN_STDIN_OURS) == 0;
    if (plan_step->stdin_path && !call->is_fed)
        call->stdin_path = resolve_path(setting->run_dir, plan_step->stdin_path);
    call->step_mark = mark.data;
    call->slot = slot > 0 ? list_slot(slot) : NULL;

    /* Adds the entries of the agent's CLI, then those of the step. If a name occurs twice, the last
     * one wins. */
    size_t count = 0;
    call->own = xcalloc(text_list_count(of_agent) + text_list_count(plan_step->env) + 1,
                        sizeof(*call->own));
    for (size_t i = 0; of_agent && of_agent[i]; i++)
        call->own[count++] = of_agent[i];
    for (size_t i = 0; plan_step->env && plan_step->env[i]; i++)
        call->own[count++] = plan_step->env[i];
    call->environment = build_environment(setting, call, &call->given_count);
}

void call_done(struct call *call)
{
    if (!call)
        return;
    free(call->cwd);
    free(call->stdin_path);
    free(call->step_mark);
    text_list_free(call->slot);
    free(call->own);
    free(call->environment);
    *call = (struct call){0};
}

const char *call_name(const struct call *call)
{
    return call->step_mark + sizeof(step_prefix) - 1;
}
