/* loop_hosts.c - the other machines of a run: probes, jobs, and the folders that attempts leave.
 *
 * A machine that does not answer gets no more attempts. It is tried again with growing delays, by a
 * single probe whatever the number of waiting tasks. Folders of attempts whose end is in the log
 * are removed, many with one connection. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "cluster.h"
#include "loop.h"
#include "remote.h"
#include "sandbox.h"
#include "xalloc.h"

enum {
    PROBE_MS_MIN = 5 * 1000, /* delay before the first probe; doubles each time */
    PROBE_MS_MAX = 60 * 1000,
};

/* A machine. Each has at most one errand at a time. */
struct loop_host {
    struct loop *loop;          /* borrowed */
    int number;                 /* in state.hosts */
    char mark[32];              /* the end of an errand includes every process with its mark */
    char share_mark[32];        /* the same for the shared connection */
    bool is_down;               /* as reported last; the fold has it after the next turn */
    struct cluster_nodes nodes; /* the same */
    struct child *errand;       /* borrowed; NULL = none */
    bool is_probe;              /* what the errand is */
    int64_t probe_ms;           /* delay before the next probe */
    int64_t due_ms;             /* when it is due; INT64_MAX = not */
    struct str *done;           /* owned, each: names of folders to be removed */
    size_t done_count, done_cap;
    size_t going; /* the first ones are being removed */
};

static void cluster_answers(void *ctx, bool does, const char *why)
{
    const struct loop_host *host = ctx;
    if (does)
        loop_host_is_up(host->loop, host->number);
    else
        loop_host_is_down(host->loop, host->number, why);
}

static void queue_state(struct loop_host *host, const char *why);

static void cluster_has_nodes(void *ctx, const struct cluster_nodes *nodes)
{
    struct loop_host *host = ctx;
    host->nodes = *nodes;
    if (!host->is_down)
        queue_state(host, NULL);
}

static struct cluster *open_cluster(struct loop_host *host, const struct plan_executor *executor)
{
    struct loop *loop = host->loop;
    const char *dir = loop->options->place->dir;
    const struct cluster_call call = {
        .executor = executor,
        .environment = loop->options->environment,
        .run_mark = loop->run_mark,
        .uid = log_writer_uid(loop->recorder.writer),
        .dir = sandbox_path_is_below(dir, executor->shared) ? dir : NULL,
        .answers = cluster_answers,
        .has_nodes = cluster_has_nodes,
        .ctx = host,
    };
    return cluster_open(loop->nursery, &loop->uv, &call);
}

/* Opens the connection that everything on the host shares; nothing is started yet. */
static struct remote_share *open_share(struct loop_host *host)
{
    enum { UID_SHOWN = 12 };
    struct loop *loop = host->loop;
    char name[UID_SHOWN + 16];
    const struct host_place at = run_state_host_place(&loop->state, host->number);
    const struct remote_place place = {.executor = at.executor,
                                       .host = at.host,
                                       .environment = loop->options->environment,
                                       .run_mark = loop->run_mark,
                                       .step_mark = host->share_mark};
    (void)snprintf(host->share_mark, sizeof(host->share_mark), "DEVS_STEP=share-%d", host->number);
    (void)snprintf(name, sizeof(name), "%.*s-%d", UID_SHOWN, log_writer_uid(loop->recorder.writer),
                   host->number);
    return remote_share_open(loop->nursery, &place, name);
}

void loop_host_share(struct loop *loop, int number)
{
    if (number >= 0 && loop->shares[number])
        remote_share_want(loop->shares[number]);
}

/* Takes over the jobs that an earlier engine has asked for. */
static void adopt_jobs(struct loop *loop)
{
    for (int i = 0; i < loop->state.plan->task_count; i++) {
        const struct task_state *task = &loop->state.tasks[i];
        const struct plan_executor *executor =
            plan_task_executor(loop->state.plan, &loop->state.plan->tasks[i]);
        if (!task->job || task->job->state == JOB_ENDED || task_status_is_final(task->status) ||
            !executor || task->job->id[0] == '\0' || task->job->holder[0] == '\0')
            continue;
        const int host = run_state_host(&loop->state, executor->name, executor->hosts[0].host);
        if (loop->clusters[host])
            cluster_adopt(loop->clusters[host], i, task->job->id, task->job->holder,
                          &loop->setting.call.plan->tasks[i].resources);
    }
}

void loop_hosts_open(struct loop *loop)
{
    loop->host_count = plan_host_count(loop->state.plan);
    loop->hosts = xcalloc((size_t)loop->host_count + 1, sizeof(*loop->hosts));
    loop->clusters = xcalloc((size_t)loop->host_count + 1, sizeof(struct cluster *));
    loop->setting.clusters = loop->clusters;
    loop->shares = xcalloc((size_t)loop->host_count + 1, sizeof(struct remote_share *));
    loop->setting.shares = loop->shares;
    for (int i = 0; i < loop->host_count; i++) {
        struct loop_host *host = &loop->hosts[i];
        const bool is_down = loop->state.hosts[i].down; /* an earlier engine has found this out */
        *host = (struct loop_host){
            .loop = loop, .number = i, .is_down = is_down, .nodes = loop->state.hosts[i].nodes};
        (void)snprintf(host->mark, sizeof(host->mark), "DEVS_STEP=host-%d", i);
        host->due_ms = is_down ? 0 : INT64_MAX;
        host->probe_ms = PROBE_MS_MIN;
        const struct host_place at = run_state_host_place(&loop->state, i);
        if (executor_has_jobs(at.executor->kind))
            loop->clusters[i] = open_cluster(host, at.executor);
        else
            loop->shares[i] = open_share(host);
    }
    adopt_jobs(loop);
}

static void forget_names(struct loop_host *host, size_t count)
{
    for (size_t i = 0; i < count; i++)
        str_done(&host->done[i]);
    for (size_t i = count; i < host->done_count; i++)
        host->done[i - count] = host->done[i];
    host->done_count -= count;
}

void loop_hosts_close(struct loop *loop)
{
    for (int i = 0; i < loop->host_count; i++) {
        assert(!loop->hosts[i].errand);
        forget_names(&loop->hosts[i], loop->hosts[i].done_count);
        free(loop->hosts[i].done);
        if (loop->clusters[i])
            cluster_close(loop->clusters[i]);
        remote_share_close(loop->shares[i]);
    }
    free(loop->shares);
    loop->shares = NULL;
    free(loop->hosts);
    loop->hosts = NULL;
    free(loop->clusters);
    loop->clusters = NULL;
    loop->host_count = 0;
}

void loop_hosts_leave(struct loop *loop)
{
    for (int i = 0; i < loop->host_count; i++) {
        const struct loop_host *host = &loop->hosts[i];
        if (host->errand && (host->is_probe || loop->stopping))
            child_cancel(host->errand, CANCEL_KILL);
        if (loop->clusters[i])
            cluster_leave(loop->clusters[i], loop->stopping);
        if (loop->shares[i] && !host->errand)
            remote_share_leave(loop->shares[i]);
    }
}

static void queue_state(struct loop_host *host, const char *why)
{
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    const struct host_place at = run_state_host_place(&host->loop->state, host->number);
    input.fact_event = event_new(EVENT_HOST_STATE);
    input.fact_event.host.executor = at.executor->name;
    input.fact_event.host.host = at.host;
    input.fact_event.host.is_down = host->is_down;
    input.fact_event.host.why = why;
    input.fact_event.host.nodes = host->nodes;
    loop_queue(host->loop, input);
}

void loop_host_is_down(struct loop *loop, int number, const char *why)
{
    struct loop_host *host = &loop->hosts[number];
    if (host->is_down)
        return;
    host->is_down = true;
    host->probe_ms = PROBE_MS_MIN;
    host->due_ms = clock_now().mono_ms + host->probe_ms;
    loop_alarm(loop, host->due_ms);
    queue_state(host, why);
}

static void remove_folders(struct loop_host *host);

void loop_host_is_up(struct loop *loop, int number)
{
    struct loop_host *host = &loop->hosts[number];
    if (!host->is_down)
        return;
    host->is_down = false;
    host->due_ms = INT64_MAX;
    queue_state(host, NULL);
    remove_folders(host);
}

static struct remote_place place_of(const struct loop_host *host)
{
    const struct loop *loop = host->loop;
    const struct host_place at = run_state_host_place(&loop->state, host->number);
    return (struct remote_place){.executor = at.executor,
                                 .host = at.host,
                                 .environment = loop->options->environment,
                                 .run_mark = loop->run_mark,
                                 .step_mark = host->mark};
}

/* Ends the shared connection of an engine that leaves, once nothing uses it. */
static void leave_share(struct loop_host *host)
{
    struct remote_share *share = host->loop->shares[host->number];
    if (host->loop->leaving && !host->errand && share)
        remote_share_leave(share);
}

static void probed(void *ctx, int code, const char *errors)
{
    struct loop_host *host = ctx;
    (void)errors;
    host->errand = NULL;
    leave_share(host);
    if (host->loop->leaving)
        return;
    if (!host->is_down) { /* an attempt has found it meanwhile */
        remove_folders(host);
        return;
    }
    if (code == 0) {
        loop_host_is_up(host->loop, host->number);
        return;
    }
    host->probe_ms = 2 * host->probe_ms < PROBE_MS_MAX ? 2 * host->probe_ms : PROBE_MS_MAX;
    host->due_ms = clock_now().mono_ms + host->probe_ms;
    loop_alarm(host->loop, host->due_ms);
}

int64_t loop_hosts_due(const struct loop *loop)
{
    int64_t due_ms = INT64_MAX;
    for (int i = 0; i < loop->host_count; i++) {
        const struct loop_host *host = &loop->hosts[i];
        if (host->due_ms < due_ms && !host->errand)
            due_ms = host->due_ms;
    }
    return due_ms;
}

void loop_probe_hosts(struct loop *loop, int64_t now_ms)
{
    for (int i = 0; i < loop->host_count; i++) {
        struct loop_host *host = &loop->hosts[i];
        if (host->due_ms > now_ms || host->errand)
            continue;
        const struct remote_place place = place_of(host);
        host->due_ms = INT64_MAX;
        host->is_probe = true;
        host->errand = remote_probe(loop->nursery, &place, host, probed);
    }
}

static void folders_removed(void *ctx, int code, const char *errors)
{
    struct loop_host *host = ctx;
    (void)code; /* what could not be removed stays there */
    (void)errors;
    host->errand = NULL;
    forget_names(host, host->going);
    host->going = 0;
    host->loop->wanted = true; /* the engine may be able to exit now */
    remove_folders(host);
    leave_share(host);
}

static void remove_folders(struct loop_host *host)
{
    const bool may_start = !host->loop->leaving || !host->loop->stopping;
    if (host->errand || host->is_down || host->done_count == 0 || !may_start)
        return;
    struct remote_place place = place_of(host);
    place.control = remote_share_path(host->loop->shares[host->number]);
    host->is_probe = false;
    host->going = host->done_count < REMOTE_CLEAN_MAX ? host->done_count : REMOTE_CLEAN_MAX;
    host->errand =
        remote_clean(host->loop->nursery, &place, host->done, host->going, host, folders_removed);
}

void loop_host_clean(struct loop *loop, int number, int task, const char *name)
{
    struct loop_host *host = &loop->hosts[number];
    struct cluster *cluster = loop->clusters[number];
    if (cluster) {
        cluster_clean(cluster, task, name);
        if (task_status_is_final(loop->state.tasks[task].status))
            cluster_release(cluster, task);
        return;
    }
    host->done = xgrow(host->done, &host->done_cap, host->done_count + 1, sizeof(*host->done));
    host->done[host->done_count] = (struct str){0};
    str_add(&host->done[host->done_count++], name);
    remove_folders(host);
}

void loop_hosts_clean_up(struct loop *loop)
{
    const struct plan *plan = loop->state.plan;
    struct str name = {0};
    for (int task = 0; loop->host_count > 0 && task < plan->task_count; task++) {
        for (int i = 0; i < plan->tasks[task].step_count; i++) {
            const struct step_state *step = &loop->state.tasks[task].steps[i];
            for (uint32_t j = 0; j < step->attempt_count; j++) {
                const struct attempt_state *attempt = &step->attempts[j];
                if (attempt->host < 0 || attempt->ended.at_ms == 0 || loop->clusters[attempt->host])
                    continue;
                attempt_folder(loop->setting.uid, task, i, attempt->number, &name);
                loop_host_clean(loop, attempt->host, task, str_text(&name));
                str_clear(&name);
            }
        }
    }
    str_done(&name);
}
