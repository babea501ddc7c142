#include "plan_check.h"

#include "cgroup.h"
#include "sandbox.h"

static bool check_limits(const struct plan *plan, struct err *err)
{
    struct cgroup_means means;
    if (plan->limits.processes == 0)
        return true;
    cgroup_means(&means);
    if (means.pids)
        return true;
    (void)err_set(err, ERR_INVALID, "limits: processes cannot be enforced here: %s", means.why);
    return err_hint(err, "a sandbox with \"pids\" and \"best_effort\": true runs without");
}

static bool check_sandbox(const struct plan_task *task, const struct sandbox_spec *spec,
                          struct err *err)
{
    struct str lacks = {0};
    struct str why = {0};
    struct err refused = {0};
    bool ok = sandbox_check(spec, &lacks, &why, &refused);
    str_done(&lacks);
    str_done(&why);
    if (ok)
        return true;
    (void)err_set(err, ERR_INVALID, "task '%s': %s", task->id, refused.message);
    return err_hint(err, "%s", refused.hint);
}

static bool check_task(const struct plan_task *task, const struct sandbox_spec **last,
                       struct err *err)
{
    for (int i = 0; i < task->step_count; i++) {
        const struct sandbox_spec *spec = task->steps[i].sandbox;
        bool is_new = spec != *last && !sandbox_spec_is_empty(spec);
        if (is_new && !check_sandbox(task, spec, err))
            return false;
        *last = spec;
    }
    return true;
}

bool plan_check(const struct plan *plan, struct err *err)
{
    const struct sandbox_spec *last = NULL; /* most steps share the plan's */
    if (!check_limits(plan, err))
        return false;
    for (int i = 0; i < plan->task_count; i++) {
        if (!check_task(&plan->tasks[i], &last, err))
            return false;
    }
    return true;
}
