#define _DEFAULT_SOURCE /* realpath */
#include "plan_check.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "engine.h"
#include "log_own.h"
#include "program_find.h"
#include "sandbox.h"
#include "sandbox_paths.h"
#include "workspace.h"

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

static bool hides_log(const struct sandbox_spec *spec)
{
    return spec && spec->kind != SANDBOX_NONE;
}

static bool uses_sandbox(const struct plan *plan)
{
    for (int i = 0; i < plan->task_count; i++) {
        for (int step = 0; step < plan->tasks[i].step_count; step++) {
            if (hides_log(plan->tasks[i].steps[step].sandbox))
                return true;
        }
    }
    return plan->grows && hides_log(&plan->sandbox); /* its tasks come later */
}

/* A sandbox hides the directory of the log. Files that lie loose in a directory which a step may
 * write to cannot be hidden: it could make new ones beside them, or rename the directory. */
static bool check_log(const struct place *place, const char *run_dir, struct err *err)
{
    char own[PATH_MAX];
    char log[PATH_MAX];
    char run[PATH_MAX];
    if (!log_own_folder_check(place, err))
        return false;
    if (!realpath(place->dir, log) || !realpath(run_dir, run))
        return err_set_errno(err, errno, "cannot look at '%s'", place->dir);
    /* The trees of `devs mcp` are the one thing in there to work in. */
    const int len = snprintf(own, sizeof(own), "%s/sessions", log);
    const bool is_inside = strcmp(run, log) == 0 || sandbox_path_is_below(run, log);
    if (!is_inside || (len > 0 && len < PATH_MAX && sandbox_path_is_below(run, own)))
        return true;
    (void)err_set(err, ERR_INVALID, "a sandbox cannot work in the directory of the log, '%s'",
                  place->dir);
    return err_hint(err, "--db .devs/run.db, or FILE in a new directory");
}

/* A step may put a program where `writable` lets it: none of there is run outside. */
static void avoid_writable(const struct plan *plan)
{
    const struct sandbox_spec *last = NULL;
    for (int i = 0; i < plan->task_count; i++) {
        for (int step = 0; step < plan->tasks[i].step_count; step++) {
            const struct sandbox_spec *spec = plan->tasks[i].steps[step].sandbox;
            for (char **path = spec && spec != last ? spec->writable : NULL; path && *path;
                 path++) {
                if ((*path)[0] == '/') /* others are in the project */
                    program_avoid(*path);
            }
            last = spec;
        }
    }
}

bool plan_check(const struct plan *plan, const struct place *place, const char *run_dir,
                struct err *err)
{
    const struct sandbox_spec *last = NULL; /* most steps share the plan's */
    avoid_writable(plan);
    if (!check_limits(plan, err) || (uses_sandbox(plan) && !check_log(place, run_dir, err)))
        return false;
    for (int i = 0; i < plan->task_count; i++) {
        if (!check_task(&plan->tasks[i], &last, err))
            return false;
    }
    return true;
}

bool engine_check_worktrees(const struct plan *plan, const char *run_dir, struct err *err)
{
    extern char **environ;
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        struct err why = {0};
        if (task->workspace->kind != WORKSPACE_WORKTREE || task->need_count > 0)
            continue;
        if (workspace_check_worktree(run_dir, environ, &why))
            return true; /* all tasks have the same repository */
        (void)err_set(err, ERR_INVALID, "task '%s': workspace \"worktree\": %s", task->id,
                      why.message);
        return err_hint(err, "%s", why.hint[0] ? why.hint : "git init, or \"workspace\": \"copy\"");
    }
    return true;
}
