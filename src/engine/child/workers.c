/* workers.c - threads for blocking work, and the engine's jobs that run on them.
 *
 * A worker reports a finished task through uv_async_send(). The loop keeps running while there are
 * tasks. One thread is always left for jobs that clean up. A job that was stopped before it began
 * is reported from an idle handle, so that job_stop() never runs its callback. */
#include "workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <uv.h>

#include "quiet_thread.h"
#include "xalloc.h"

/* Tasks in the order in which they were added. */
struct task_list {
    struct worker_task *first;
    struct worker_task **end; /* where to append the next task */
};

struct workers {
    /* Engine's thread only. */
    pthread_t threads[WORKERS_MAX];
    int thread_count, most;
    int left; /* tasks that were added and not reported yet; the loop runs while there are any */

    uv_async_t on_done; /* sent by workers */

    pthread_mutex_t lock;   /* guards the fields below */
    pthread_cond_t changed; /* there is a task, or the threads must exit */
    struct task_list to_do, done;
    bool ends;
};

static void list_clear(struct task_list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void list_add(struct task_list *list, struct worker_task *task)
{
    task->next = NULL;
    *list->end = task;
    list->end = &task->next;
}

static void *run_worker(void *arg)
{
    struct workers *workers = arg;
    (void)pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (!workers->to_do.first && !workers->ends)
            (void)pthread_cond_wait(&workers->changed, &workers->lock);
        if (!workers->to_do.first)
            break;
        struct worker_task *task = workers->to_do.first;
        workers->to_do.first = task->next;
        if (!workers->to_do.first)
            workers->to_do.end = &workers->to_do.first;
        (void)pthread_mutex_unlock(&workers->lock);
        task->work(task);
        (void)pthread_mutex_lock(&workers->lock);
        list_add(&workers->done, task);
        (void)uv_async_send(&workers->on_done);
    }
    (void)pthread_mutex_unlock(&workers->lock);
    return NULL;
}

static void tell_done_tasks(uv_async_t *handle)
{
    struct workers *workers = handle->data;
    (void)pthread_mutex_lock(&workers->lock);
    struct worker_task *task = workers->done.first;
    list_clear(&workers->done);
    (void)pthread_mutex_unlock(&workers->lock);
    while (task) {
        struct worker_task *next = task->next; /* read before `done`, which may free the task */
        if (--workers->left == 0)
            uv_unref((uv_handle_t *)&workers->on_done);
        task->done(task);
        task = next;
    }
}

static int add_thread(struct workers *workers)
{
    int failed = quiet_thread_start(&workers->threads[workers->thread_count], run_worker, workers);
    if (failed == 0)
        workers->thread_count++;
    return failed;
}

static void workers_closed(uv_handle_t *handle)
{
    struct workers *workers = handle->data;
    (void)pthread_cond_destroy(&workers->changed);
    (void)pthread_mutex_destroy(&workers->lock);
    free(workers);
}

bool workers_open(struct workers **out, struct uv_loop_s *loop, int most, struct err *err)
{
    assert(most >= 1 && most <= WORKERS_MAX);
    struct workers *workers = xcalloc(1, sizeof(*workers));
    workers->most = most;
    list_clear(&workers->to_do);
    list_clear(&workers->done);
    int failed = uv_async_init(loop, &workers->on_done, tell_done_tasks);
    if (failed != 0) {
        free(workers);
        return err_set(err, ERR_IO, "event loop: %s", uv_strerror(failed));
    }
    workers->on_done.data = workers;
    uv_unref((uv_handle_t *)&workers->on_done);
    (void)pthread_mutex_init(&workers->lock, NULL);
    (void)pthread_cond_init(&workers->changed, NULL);
    failed = add_thread(workers);
    if (failed != 0) {
        uv_close((uv_handle_t *)&workers->on_done, workers_closed);
        return err_set_errno(err, failed, "cannot start a worker thread");
    }
    *out = workers;
    return true;
}

void workers_close(struct workers *workers)
{
    assert(workers->left == 0);
    (void)pthread_mutex_lock(&workers->lock);
    workers->ends = true;
    (void)pthread_cond_broadcast(&workers->changed);
    (void)pthread_mutex_unlock(&workers->lock);
    for (int i = 0; i < workers->thread_count; i++)
        (void)pthread_join(workers->threads[i], NULL);
    uv_close((uv_handle_t *)&workers->on_done, workers_closed);
}

void workers_add(struct workers *workers, struct worker_task *task)
{
    if (workers->left++ == 0)
        uv_ref((uv_handle_t *)&workers->on_done);
    (void)pthread_mutex_lock(&workers->lock);
    list_add(&workers->to_do, task);
    (void)pthread_cond_signal(&workers->changed);
    (void)pthread_mutex_unlock(&workers->lock);
    if (workers->thread_count < workers->left && workers->thread_count < workers->most)
        (void)add_thread(workers); /* if this fails, the existing threads do the work */
}

struct job {
    struct worker_task task; /* first, so that a pointer to the task is a pointer to the job */
    struct job_call call;
    struct jobs *jobs; /* borrowed */
    struct job *next;  /* next job in its list */
    bool active;       /* given to the workers */
    atomic_bool stop;
};

/* Jobs in the order in which they were added. */
struct job_list {
    struct job *first;
    struct job **end; /* where to append the next job */
};

struct jobs {
    struct workers *workers; /* owned */
    uv_idle_t sort_out;      /* active while jobs that never began have to be reported */
    struct job_list list;    /* owned, including its jobs */
    size_t count, active_count;
    size_t long_count; /* number of active jobs that are not `always` */
};

static void jobs_closed(uv_handle_t *handle)
{
    free(handle->data);
}

bool jobs_open(struct jobs **out, struct uv_loop_s *loop, struct err *err)
{
    struct jobs *jobs = xcalloc(1, sizeof(*jobs));
    jobs->list.end = &jobs->list.first;
    if (!workers_open(&jobs->workers, loop, JOBS_ACTIVE_MAX, err)) {
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
    uv_close((uv_handle_t *)&jobs->sort_out, jobs_closed);
}

size_t jobs_count(const struct jobs *jobs)
{
    return jobs->count;
}

static void take_out_job(struct jobs *jobs, struct job *job)
{
    struct job **at = &jobs->list.first;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    if (!job->next)
        jobs->list.end = at;
    jobs->count--;
}

/* Reports a job, which must not be in any list, and frees it. */
static void tell_job_done(struct job *job, bool has_run)
{
    const struct job_call call = job->call;
    free(job);
    call.done(call.ctx, has_run);
}

/* Returns whether an earlier job of the same line is not done yet. */
static bool has_one_before(const struct jobs *jobs, const struct job *job)
{
    for (const struct job *other = jobs->list.first; other != job; other = other->next) {
        if (other->call.line == job->call.line)
            return true;
    }
    return false;
}

/* Returns whether the job was stopped before it began, and need not run. */
static bool is_called_off(const struct job *job)
{
    return !job->active && !job->call.always && atomic_load(&job->stop);
}

static void start_waiting_jobs(struct jobs *jobs);

static void work_on_job(struct worker_task *task)
{
    struct job *job = (struct job *)task;
    job->call.work(job->call.ctx, &job->stop);
}

static void job_worked(struct worker_task *task)
{
    struct job *job = (struct job *)task;
    struct jobs *jobs = job->jobs;
    jobs->active_count--;
    jobs->long_count -= !job->call.always;
    take_out_job(jobs, job);
    start_waiting_jobs(jobs);
    tell_job_done(job, true);
}

static void start_waiting_jobs(struct jobs *jobs)
{
    for (struct job *job = jobs->list.first; job && jobs->active_count < JOBS_ACTIVE_MAX;
         job = job->next) {
        bool has_room = job->call.always || jobs->long_count < JOBS_LONG_MAX;
        bool waits = !job->active && !is_called_off(job) && has_room;
        if (!waits || has_one_before(jobs, job))
            continue;
        job->active = true;
        jobs->active_count++;
        jobs->long_count += !job->call.always;
        job->task = (struct worker_task){.work = work_on_job, .done = job_worked};
        workers_add(jobs->workers, &job->task);
    }
}

/* Reports one stopped job at a time, since its callback may add and stop other jobs. */
static void tell_called_off_job(uv_idle_t *handle)
{
    struct jobs *jobs = handle->data;
    struct job *job = jobs->list.first;
    while (job && !is_called_off(job))
        job = job->next;
    if (!job) {
        (void)uv_idle_stop(handle);
        return;
    }
    take_out_job(jobs, job);
    start_waiting_jobs(jobs); /* other jobs may have been waiting for this one */
    tell_job_done(job, false);
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
    start_waiting_jobs(jobs);
    return job;
}

void job_stop(struct job *job)
{
    atomic_store(&job->stop, true);
    if (is_called_off(job))
        (void)uv_idle_start(&job->jobs->sort_out, tell_called_off_job);
}

void jobs_stop(struct jobs *jobs)
{
    for (struct job *job = jobs->list.first; job; job = job->next)
        job_stop(job);
}
