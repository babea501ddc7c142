/* fold_host.c - attempts on other machines: their hosts, the slots in use there, and contact with
 * them; and jobs on clusters. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "fold.h"
#include "plan.h"
#include "run_state.h"
#include "str.h"
#include "text.h"
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
    const struct plan_host *host = &of->hosts[number];
    return (struct host_place){.executor = of, .host = host->host, .slots = host->slots};
}

int run_state_bound_host(const struct run_state *state, int task)
{
    const struct task_state *it = &state->tasks[task];
    if (!plan_executor_ships(plan_task_executor(state->plan, &state->plan->tasks[task])))
        return -1;
    /* Until a step has passed, the worktree can be recreated on any host. */
    if (run_state_step_number(state, task) == 0 && run_state_round(state, task) <= 1)
        return -1;
    for (int i = run_state_step_number(state, task); i >= 0; i--) {
        const struct attempt_state *last = step_state_attempt(&it->steps[i]);
        if (last && last->host >= 0)
            return last->host;
    }
    return -1;
}

int run_state_free_host(const struct run_state *state, int task)
{
    const struct plan *plan = state->plan;
    const int executor = plan->tasks[task].executor;
    if (executor < 0)
        return -1;
    const struct plan_executor *of = &plan->executors[executor];
    const int bound = run_state_bound_host(state, task);
    const struct attempt_state *last = step_state_attempt(run_state_step(state, task));
    const int first = run_state_host(state, of->name, of->hosts[0].host);
    int best = -1;
    int best_free = 0;
    for (int i = 0; i < of->host_count; i++) {
        const struct host_state *host = &state->hosts[first + i];
        const int free_slots = host->down ? 0 : of->hosts[i].slots - host->running;
        const bool was_here = last && last->host == first + i;
        if (bound >= 0 && bound != first + i)
            continue;
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

/* Returns the host of the latest attempt of the event's step; NULL = this machine. */
static struct host_state *host_of(const struct fold *fold)
{
    assert(fold->step);
    const int number = step_state_latest(fold->step)->host;
    return number >= 0 ? &fold->state->hosts[number] : NULL;
}

void fold_reach_host(const struct fold *fold)
{
    struct host_state *host = host_of(fold);
    if (!host)
        return;
    host->reached += !fold->task->reached;
    host->heard = fold->event->at;
    fold->task->reached = true;
}

/* Contact with the attempt ended; its machine was last heard at `heard`. */
static void lose_contact(const struct fold *fold, const struct moment *heard)
{
    struct host_state *host = host_of(fold);
    if (!fold->task->reached)
        return;
    host->reached--;
    host->heard = *heard;
    fold->task->reached = false;
}

void fold_leave_host(const struct fold *fold)
{
    struct host_state *host = host_of(fold);
    if (!host)
        return;
    struct task_state *task = fold->task;
    lose_contact(fold, &fold->event->at);
    const struct outcome *outcome = &step_state_latest(fold->step)->outcome;
    if (task->away_since.at_ms == 0 || outcome->kind != OUTCOME_CANCELLED ||
        outcome->proof != PROOF_NONE)
        task->fence = (struct moment){0};
    task->away_since = (struct moment){0};
    host->running--;
    fold->state->running_away--;
}

void fold_host_state(const struct fold *fold)
{
    const struct event *event = fold->event;
    const int number = run_state_host(fold->state, event->host.executor, event->host.host);
    struct host_state *host = &fold->state->hosts[number];
    const char *why = event->host.is_down && event->host.why ? event->host.why : "";
    struct str clean = {0};
    text_clean_line(&clean, why, strlen(why));
    str_cut(&clean, text_cut(str_text(&clean), clean.len, HOST_WHY_MAX - 1));
    *host =
        (struct host_state){.running = host->running,
                            .reached = host->reached,
                            .down = event->host.is_down,
                            .nodes = event->host.nodes,
                            .since = event->host.is_down != host->down ? event->at : host->since,
                            .heard = event->host.is_down ? host->heard : event->at};
    memcpy(host->why, str_text(&clean), clean.len);
    str_done(&clean);
}

void fold_contact_lost(const struct fold *fold)
{
    fold->task->away_since = fold->event->contact_lost.since;
    fold->task->fence = fold->event->contact_lost.fence;
    lose_contact(fold, &fold->task->away_since);
}

void fold_contact_found(const struct fold *fold)
{
    fold->task->away_since = fold->task->fence = (struct moment){0};
    fold_reach_host(fold);
}

void fold_lose_hosts(struct run_state *state, const struct moment *heard)
{
    if (state->running_away == 0)
        return;
    for (int i = 0; i < state->plan->task_count; i++)
        state->tasks[i].reached = false;
    for (int i = 0; i < plan_host_count(state->plan); i++) {
        struct host_state *host = &state->hosts[i];
        if (host->reached > 0)
            host->heard = *heard;
        host->reached = 0;
    }
}

void fold_queue_end(const struct fold *fold)
{
    struct task_job *job = fold->task->job;
    if (!job || job->queued.at_ms == 0)
        return;
    struct attempt_state *attempt = step_state_latest(fold->step);
    const int64_t ms = fold->event->at.mono_ms - job->queued.mono_ms;
    attempt->in_queue_ms += ms > 0 ? ms : 0;
    job->queued = (struct moment){0};
    fold->state->in_queue--;
    fold_wall_begin(fold);
}

static void begin_queue(const struct fold *fold, struct task_job *job)
{
    if (job->queued.at_ms != 0)
        return;
    job->queued = fold->event->at;
    fold->state->in_queue++;
    fold_wall_end(fold);
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
    if (job->state == JOB_QUEUED)
        begin_queue(fold, job);
    else
        fold_queue_end(fold);
    keep_text(event->job.job, job->id);
    keep_text(event->job.holder, job->holder);
    keep_text(event->job.reason, job->reason);
    if (event->job.node || job->state == JOB_QUEUED)
        keep_text(event->job.node, job->node);
}
