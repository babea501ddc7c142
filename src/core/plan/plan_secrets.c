#include "plan_secrets.h"

#include <stdlib.h>
#include <string.h>

#include "adapter_parts.h"

struct restoring {
    const struct redactor *redactor;
    char *const *environment;
};

/* A text of the plan, which may be NULL. */
static void restore(const struct restoring *with, char **text)
{
    char name[REDACT_NAME_MAX + 1];
    struct str restored = {0};
    if (!*text || !redact_find_mark(*text, name))
        return;
    if (!redact_restore(*text, with->environment, &restored)) {
        str_done(&restored);
        return;
    }
    char *again = redact_string(with->redactor, str_text(&restored), NULL);
    if (strcmp(again, *text) == 0) {
        free(*text);
        *text = restored.data;
    } else {
        str_done(&restored);
    }
    free(again);
}

static void restore_list(const struct restoring *with, char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        restore(with, &list[i]);
}

static void restore_agent(const struct restoring *with, struct plan_agent *agent)
{
    if (!agent)
        return;
    restore(with, &agent->prompt);
    restore_list(with, agent->args);
    restore_list(with, agent->permission_args);
    restore(with, &agent->model);
    restore(with, &agent->resume);
}

void plan_restore_secrets(struct plan *plan, const struct redactor *redactor,
                          char *const *environment)
{
    const struct restoring with = {.redactor = redactor, .environment = environment};
    char **env = NULL;
    restore_list(&with, plan->workspace.setup);
    for (size_t i = 0; (env = adapters_own_env(plan->adapters, i)) != NULL; i++)
        restore_list(&with, env);
    for (int i = 0; i < plan->task_count; i++) {
        struct plan_task *task = &plan->tasks[i];
        if (task->own_workspace)
            restore_list(&with, task->own_workspace->setup);
        for (int j = 0; j < task->step_count; j++) {
            restore_agent(&with, task->steps[j].agent);
            restore_list(&with, task->steps[j].argv);
            restore_list(&with, task->steps[j].env);
            restore(&with, &task->steps[j].cwd);
            restore(&with, &task->steps[j].stdin_path);
            for (int k = 0; k < task->steps[j].file_count; k++) {
                restore(&with, &task->steps[j].files[k].path);
                restore(&with, &task->steps[j].files[k].contains);
            }
        }
    }
}

static bool find_in_list(char *const *list, char name[REDACT_NAME_MAX + 1])
{
    for (size_t i = 0; list && list[i]; i++) {
        if (redact_find_mark(list[i], name))
            return true;
    }
    return false;
}

/* Its arguments are in the step's command. */
static bool agent_lacks(const struct plan_agent *agent, char name[REDACT_NAME_MAX + 1])
{
    return agent && (redact_find_mark(agent->prompt, name) ||
                     find_in_list(adapter_env(agent->adapter), name) ||
                     (agent->resume && redact_find_mark(agent->resume, name)));
}

bool plan_step_lacks(const struct plan_step *step, char name[REDACT_NAME_MAX + 1])
{
    return agent_lacks(step->agent, name) || find_in_list(step->argv, name) ||
           find_in_list(step->env, name) || (step->cwd && redact_find_mark(step->cwd, name)) ||
           (step->stdin_path && redact_find_mark(step->stdin_path, name));
}

bool plan_setup_lacks(const struct plan_task *task, char name[REDACT_NAME_MAX + 1])
{
    return find_in_list(task->workspace->setup, name);
}
