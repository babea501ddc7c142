#include "plan_agents_check.h"

#include <string.h>

#include "adapter.h"
#include "exit_code.h"
#include "fail.h"
#include "program_find.h"

static bool has_path_of_its_own(char *const *env)
{
    static const char path[] = "PATH=";
    for (; env && *env; env++) {
        if (strncmp(*env, path, sizeof(path) - 1) == 0)
            return true;
    }
    return false;
}

static bool is_missing(const struct plan_step *step)
{
    const char *program = step->agent ? adapter_program(step->agent->adapter) : "";
    char path[PATH_MAX];
    if (*program == '\0' || strchr(program, '/') || program_find(program, path))
        return false;
    return !sandbox_kind_is_container(step->sandbox->kind) && !has_path_of_its_own(step->env) &&
           !has_path_of_its_own(adapter_env(step->agent->adapter));
}

static void add_missing(const struct adapter *adapter, struct str *out)
{
    str_addf(out, "agent '%s' is not installed: there is no program '%s'", adapter_name(adapter),
             adapter_program(adapter));
}

void plan_agents_missing(const struct plan_step *step, struct str *out)
{
    if (!is_missing(step))
        return;
    const char *install = adapter_install(step->agent->adapter);
    add_missing(step->agent->adapter, out);
    str_addf(out, "%s%s", *install != '\0' ? "; " : "", install);
}

static int fail_missing(const struct plan_task *task, int number)
{
    const struct adapter *adapter = task->steps[number].agent->adapter;
    const char *install = adapter_install(adapter);
    struct str words = {0};
    add_missing(adapter, &words);
    (void)fail_usage(*install != '\0' ? install : NULL, "task '%s', step %d: %s", task->id,
                     number + 1, str_text(&words));
    str_done(&words);
    return EXIT_NO_AGENT;
}

int plan_agents_check(const struct plan *plan)
{
    for (int i = 0; i < plan->task_count; i++) {
        for (int k = 0; k < plan->tasks[i].step_count; k++) {
            if (is_missing(&plan->tasks[i].steps[k]))
                return fail_missing(&plan->tasks[i], k);
        }
    }
    return EXIT_ALL_PASSED;
}
