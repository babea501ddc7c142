/* fold_host.c - attempts on other machines: their hosts, the slots in use there, and contact with
 * them; and jobs on clusters. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "fold.h"
#include "plan.h"
#include "run_state.h"
#include "xalloc.h"

int run_state_host(const struct run_state *state, const char *executor, const char *host)
{
    const struct plan *plan = state->plan;
    int number = 0;
    for (int i = 0; executor && host && i < plan->executor_count; i++) {
        const struct plan_executor *of = &plan->executors[i];
        for (int k = 0; strcmp(of->name, executor) == 0 && k < of->host_count; k++) {
            if (strcmp(of->hosts[k].host, host) == 0)
                return number + k;
        }
        number += of->host_count;
    }
    return -1;
}

struct host_place run_state_host_place(const struct run_state *state, int number)
{
    const struct plan_executor *of = state->plan->executors;
    for (; number >= of->host_count; of++)
        number -= of->host_count;
    return (struct host_place){.executor = of, .host = of->hosts[number].host};
}

int run_state_free_host(const struct run_state *state, int task)
{
    const struct plan *plan = state->plan;
    const int executor = plan->tasks[task].executor;
    if (executor < 0)
        return -1;
    const struct plan_executor *of = &plan->executors[executor];
    const struct attempt_state *last = step_state_attempt(run_state_step(state, task));
    const int first = run_state_host(state, of->name, of->hosts[0].host);
    int best = -1;
    int best_free = 0;
    for (int i = 0; i < of->host_count; i++) {
        const struct host_state *host = &state->hosts[first + i];
        const int free_slots = host->down ? 0 : of->hosts[i].slots - host->running;
        const bool was_here = last && last->host == first + i;
        if (free_slots > 0 && was_here && last->outcome.kind != OUTCOME_LOST)
            return first + i;
        if (free_slots > best_free) {
            best = first + i;
            best_free = free_slots;
        }
    }
    return best;
}

void fold_attempt_placed(const struct fold *fold)
{
    assert(fold->step);
    struct run_state *state = fold->state;
    struct attempt_state *attempt = step_state_latest(fold->step);
    attempt->host =
        (int16_t)run_state_host(state, fold->event->placed.executor, fold->event->placed.host);
    state->hosts[attempt->host].running++;
    state->running_away++;
}

void fold_leave_host(const struct fold *fold)
{
    assert(fold->step);
    const struct attempt_state *attempt = step_state_latest(fold->step);
    fold->task->away_since = fold->task->fence = (struct moment){0};
    if (attempt->host < 0)
        return;
    fold->state->hosts[attempt->host].running--;
    fold->state->running_away--;
}

void fold_host_state(const struct fold *fold)
{
    const int host =
        run_state_host(fold->state, fold->event->host.executor, fold->event->host.host);
    fold->state->hosts[host].down = fold->event->host.is_down;
}

void fold_contact_lost(const struct fold *fold)
{
    fold->task->away_since = fold->event->contact_lost.since;
    fold->task->fence = fold->event->contact_lost.fence;
}

void fold_contact_found(const struct fold *fold)
{
    fold->task->away_since = fold->task->fence = (struct moment){0};
}

static void keep_text(const char *text, char out[JOB_TEXT_MAX])
{
    (void)snprintf(out, JOB_TEXT_MAX, "%s", text ? text : "");
}

void fold_job_state(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct task_job *job = fold->task->job;
    if (!job)
        job = fold->task->job = xcalloc(1, sizeof(*job));
    if (job->state != event->job.state || job->since.at_ms == 0)
        job->since = event->at;
    job->state = event->job.state;
    keep_text(event->job.job, job->id);
    keep_text(event->job.holder, job->holder);
    keep_text(event->job.reason, job->reason);
    if (event->job.node || job->state == JOB_QUEUED)
        keep_text(event->job.node, job->node);
}
