#include "workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <uv.h>

#include "quiet_thread.h"
#include "xalloc.h"

/* In the order in which they were added. */
struct task_list {
    struct worker_task *first;
    struct worker_task **end; /* where the next one is put */
};

struct workers {
    /* Loop's thread only. */
    pthread_t threads[WORKERS_MAX];
    int thread_count;
    int left; /* tasks that were added and not yet told; the loop waits while there are any */

    uv_async_t on_done; /* sent by workers */

    pthread_mutex_t lock;   /* guards the fields below */
    pthread_cond_t changed; /* to do, or ends */
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

static struct worker_task *list_take(struct task_list *list)
{
    struct worker_task *task = list->first;
    list->first = task->next;
    if (!list->first)
        list->end = &list->first;
    return task;
}

static void *run(void *arg)
{
    struct workers *workers = arg;
    (void)pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (!workers->to_do.first && !workers->ends)
            (void)pthread_cond_wait(&workers->changed, &workers->lock);
        if (!workers->to_do.first)
            break;
        struct worker_task *task = list_take(&workers->to_do);
        (void)pthread_mutex_unlock(&workers->lock);
        task->work(task);
        (void)pthread_mutex_lock(&workers->lock);
        list_add(&workers->done, task);
        (void)uv_async_send(&workers->on_done);
    }
    (void)pthread_mutex_unlock(&workers->lock);
    return NULL;
}

static void tell_done(uv_async_t *handle)
{
    struct workers *workers = handle->data;
    (void)pthread_mutex_lock(&workers->lock);
    struct worker_task *task = workers->done.first;
    list_clear(&workers->done);
    (void)pthread_mutex_unlock(&workers->lock);
    while (task) {
        struct worker_task *next = task->next; /* it is its owner's as soon as it is told */
        if (--workers->left == 0)
            uv_unref((uv_handle_t *)&workers->on_done);
        task->done(task);
        task = next;
    }
}

static int add_thread(struct workers *workers)
{
    int failed = quiet_thread_start(&workers->threads[workers->thread_count], run, workers);
    if (failed == 0)
        workers->thread_count++;
    return failed;
}

static void handle_closed(uv_handle_t *handle)
{
    struct workers *workers = handle->data;
    (void)pthread_cond_destroy(&workers->changed);
    (void)pthread_mutex_destroy(&workers->lock);
    free(workers);
}

bool workers_open(struct workers **out, struct uv_loop_s *loop, struct err *err)
{
    struct workers *workers = xcalloc(1, sizeof(*workers));
    list_clear(&workers->to_do);
    list_clear(&workers->done);
    int failed = uv_async_init(loop, &workers->on_done, tell_done);
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
        uv_close((uv_handle_t *)&workers->on_done, handle_closed);
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
    uv_close((uv_handle_t *)&workers->on_done, handle_closed);
}

void workers_add(struct workers *workers, struct worker_task *task)
{
    if (workers->left++ == 0)
        uv_ref((uv_handle_t *)&workers->on_done);
    (void)pthread_mutex_lock(&workers->lock);
    list_add(&workers->to_do, task);
    (void)pthread_cond_signal(&workers->changed);
    (void)pthread_mutex_unlock(&workers->lock);
    if (workers->thread_count < workers->left && workers->thread_count < WORKERS_MAX)
        (void)add_thread(workers); /* where it cannot be made, those that are there do it */
}
