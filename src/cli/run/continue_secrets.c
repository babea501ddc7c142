#include "continue_secrets.h"

#include <stdio.h>
#include <stdlib.h>

#include "exit_code.h"
#include "fail.h"
#include "follower.h"
#include "plan_secrets.h"
#include "redact.h"

/* Could this process have it, and has not? */
static bool is_missing(const char *name)
{
    return redact_name_is_secret(name) && !getenv(name);
}

static bool step_lacks(const struct plan_task *task, int step, char name[REDACT_NAME_MAX + 1])
{
    return (plan_step_lacks(&task->steps[step], name) && is_missing(name)) ||
           (plan_setup_lacks(task, name) && is_missing(name));
}

/* The first step that is still to come; what has been added to the plan as it went has no secrets
 * of its own to put back. */
static int find_lack(const struct run_state *state, const struct plan *plan,
                     char name[REDACT_NAME_MAX + 1])
{
    for (int i = 0; i < plan->task_count; i++) {
        const enum task_status status = state->tasks[i].status;
        if (task_status_is_final(status))
            continue;
        for (int j = run_state_step_number(state, i); j < plan->tasks[i].step_count; j++) {
            if (step_lacks(&plan->tasks[i], j, name))
                return i;
        }
    }
    return -1;
}

int continue_secrets_check(const struct place *place, const struct log_run_info *run,
                           const struct plan *plan)
{
    char name[REDACT_NAME_MAX + 1];
    struct err err = {0};
    struct follower *follower = NULL;
    if (!redact_find_mark(run->plan_text, name))
        return EXIT_ALL_PASSED;
    const bool ok = follower_open(&follower, place, run->number, &err) &&
                    follower_read(follower, 0, NULL, NULL, NULL, &err);
    const int task = ok ? find_lack(follower_state(follower), plan, name) : -1;
    follower_close(follower);
    if (!ok)
        return fail(&err);
    if (task < 0)
        return EXIT_ALL_PASSED;
    const long long number = run->number;
    char hint[REDACT_NAME_MAX + 128];
    (void)snprintf(hint, sizeof(hint), "%s=... devs run --continue %lld; any value, to go without",
                   name, number);
    (void)fail_usage(hint,
                     "run #%lld: %s needs the secret %s, which is neither in the log nor set "
                     "here; nothing was started",
                     number, plan->tasks[task].id, name);
    return EXIT_NEEDS_YOU;
}
