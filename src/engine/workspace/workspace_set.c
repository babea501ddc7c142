#include "workspace_set.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "xalloc.h"

static bool is_mark(const char *entry)
{
    return strncmp(entry, "DEVS_RUN=", 9) == 0 || strncmp(entry, "DEVS_STEP=", 10) == 0;
}

/* That of devs, marked as this run's. */
static char **mark_environment(const struct workspace_set_call *call)
{
    size_t count = 0;
    while (call->environment[count])
        count++;
    char **marked = xcalloc(count + 2, sizeof(*marked));
    marked[0] = (char *)(uintptr_t)call->run_mark; /* nobody changes it */
    count = 1;
    for (char *const *entry = call->environment; *entry; entry++) {
        if (!is_mark(*entry))
            marked[count++] = *entry;
    }
    return marked;
}

void workspace_set_init(struct workspace_set *set, const struct workspace_set_call *call)
{
    const int count = call->state->plan->task_count;
    *set = (struct workspace_set){.call = *call};
    set->slot_count = count;
    set->slots = xcalloc((size_t)count + 1, sizeof(*set->slots));
    set->environment = mark_environment(call);
    str_addf(&set->base, "%s/work/%s", call->log_dir, call->uid);
    (void)snprintf(set->run, sizeof(set->run), "%" PRId64, call->number);
}

void workspace_set_done(struct workspace_set *set)
{
    if (!set || !set->slots)
        return;
    for (int i = 0; i < set->slot_count; i++)
        workspace_close(set->slots[i].workspace);
    free(set->slots);
    free(set->environment);
    str_done(&set->base);
    *set = (struct workspace_set){0};
}

/* What the results of the needed tasks are called, in the order of `needs`; the caller frees the
 * array. Those that worked in place left none. */
static const char **list_results(const struct run_state *state, int task)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    const char **results = xcalloc((size_t)plan->need_count + 1, sizeof(*results));
    size_t count = 0;
    for (int i = 0; i < plan->need_count; i++) {
        const struct task_place *place = state->tasks[plan->needs[i]].place;
        if (place && place->is_kept)
            results[count++] = place->result ? place->result : place->branch;
    }
    return results;
}

bool workspace_set_get(struct workspace_set *set, int task, struct workspace_slot **out,
                       struct err *err)
{
    const struct workspace_set_call *call = &set->call;
    const struct plan_task *plan = &call->plan->tasks[task];
    struct workspace_slot *slot = &set->slots[task];
    if (!slot->workspace) {
        const struct sandbox_spec setup_sandbox =
            plan_setup_sandbox(plan->workspace, plan_task_sandbox(plan));
        const struct workspace_place place = {.run_dir = call->run_dir,
                                              .plan_path = call->plan_path,
                                              .base = str_text(&set->base),
                                              .run = set->run,
                                              .uid = call->uid,
                                              .environment = set->environment,
                                              .setup_sandbox = &setup_sandbox,
                                              .log_dir = call->log_dir,
                                              .log_db = call->log_db,
                                              .processes = call->plan->limits.processes};
        const char **results = list_results(call->state, task);
        bool ok = workspace_open(&slot->workspace, &place, plan->workspace, plan->id, results, err);
        free(results);
        if (!ok)
            return false;
    }
    *out = slot;
    return true;
}

struct workspace_slot *workspace_set_find(const struct workspace_set *set, int task)
{
    struct workspace_slot *slot = task < set->slot_count ? &set->slots[task] : NULL;
    return slot && slot->workspace ? slot : NULL;
}
