#include "job.h"

#include <assert.h>
#include <stdlib.h>
#include <uv.h>

#include "workers.h"
#include "xalloc.h"

struct job {
    struct worker_task task; /* first: a job is found by it */
    struct job_call call;
    struct jobs *jobs; /* borrowed */
    struct job *next;  /* in its list */
    bool active;       /* with the workers */
    atomic_bool stop;
};

/* In the order in which they were added. */
struct job_list {
    struct job *first;
    struct job **end; /* where the next one is put */
};

struct jobs {
    struct workers *workers; /* owned */
    uv_idle_t sort_out;      /* active while jobs that never began are to be told */
    struct job_list list;    /* owned, and what is in it */
    size_t count, active_count;
    size_t long_count; /* of the active ones, those that are not `always` */
};

static void handle_closed(uv_handle_t *handle)
{
    free(handle->data);
}

bool jobs_open(struct jobs **out, struct uv_loop_s *loop, struct err *err)
{
    struct jobs *jobs = xcalloc(1, sizeof(*jobs));
    jobs->list.end = &jobs->list.first;
    if (!workers_open(&jobs->workers, loop, err)) {
        free(jobs);
        return false;
    }
    (void)uv_idle_init(loop, &jobs->sort_out); /* cannot fail */
    jobs->sort_out.data = jobs;
    *out = jobs;
    return true;
}

void jobs_close(struct jobs *jobs)
{
    if (!jobs)
        return;
    assert(jobs->count == 0);
    workers_close(jobs->workers);
    uv_close((uv_handle_t *)&jobs->sort_out, handle_closed);
}

size_t jobs_count(const struct jobs *jobs)
{
    return jobs->count;
}

static void take_out(struct jobs *jobs, struct job *job)
{
    struct job **at = &jobs->list.first;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    if (!job->next)
        jobs->list.end = at;
    jobs->count--;
}

/* It is in no list any more. */
static void tell_done(struct job *job, bool has_run)
{
    const struct job_call call = job->call;
    free(job);
    call.done(call.ctx, has_run);
}

/* Is an earlier job of the same line in the way? */
static bool has_one_before(const struct jobs *jobs, const struct job *job)
{
    for (const struct job *other = jobs->list.first; other != job; other = other->next) {
        if (other->call.line == job->call.line)
            return true;
    }
    return false;
}

/* Stopped before it began, and not to begin any more. */
static bool is_called_off(const struct job *job)
{
    return !job->active && !job->call.always && atomic_load(&job->stop);
}

static void start_what_can(struct jobs *jobs);

static void on_worker(struct worker_task *task)
{
    struct job *job = (struct job *)task;
    job->call.work(job->call.ctx, &job->stop);
}

static void worked(struct worker_task *task)
{
    struct job *job = (struct job *)task;
    struct jobs *jobs = job->jobs;
    jobs->active_count--;
    jobs->long_count -= !job->call.always;
    take_out(jobs, job);
    start_what_can(jobs);
    tell_done(job, true);
}

static void start(struct jobs *jobs, struct job *job)
{
    job->active = true;
    jobs->active_count++;
    jobs->long_count += !job->call.always;
    job->task = (struct worker_task){.work = on_worker, .done = worked};
    workers_add(jobs->workers, &job->task);
}

static void start_what_can(struct jobs *jobs)
{
    for (struct job *job = jobs->list.first; job && jobs->active_count < JOBS_ACTIVE_MAX;
         job = job->next) {
        bool has_room = job->call.always || jobs->long_count < JOBS_LONG_MAX;
        bool waits = !job->active && !is_called_off(job) && has_room;
        if (waits && !has_one_before(jobs, job))
            start(jobs, job);
    }
}

/* One at a time, since whoever is told may add and stop others. */
static void tell_what_never_began(uv_idle_t *handle)
{
    struct jobs *jobs = handle->data;
    struct job *job = jobs->list.first;
    while (job && !is_called_off(job))
        job = job->next;
    if (!job) {
        (void)uv_idle_stop(handle);
        return;
    }
    take_out(jobs, job);
    start_what_can(jobs); /* it may have been in another one's way */
    tell_done(job, false);
}

struct job *jobs_add(struct jobs *jobs, const struct job_call *call)
{
    if (jobs->count == JOBS_MAX)
        return NULL;
    struct job *job = xcalloc(1, sizeof(*job));
    job->call = *call;
    job->jobs = jobs;
    atomic_init(&job->stop, false);
    *jobs->list.end = job;
    jobs->list.end = &job->next;
    jobs->count++;
    start_what_can(jobs);
    return job;
}

void job_stop(struct job *job)
{
    atomic_store(&job->stop, true);
    if (is_called_off(job))
        (void)uv_idle_start(&job->jobs->sort_out, tell_what_never_began);
}

void jobs_stop(struct jobs *jobs)
{
    for (struct job *job = jobs->list.first; job; job = job->next)
        job_stop(job);
}
