/* child_start.c - how a child gets its process.
 *
 * A child that only needs pipes is created on the engine's thread and executes its program on its
 * own, because a hand-over to another thread and back would take longer than the creation. Children
 * that need more, or that could not be started this way, go to a starter thread, which retries the
 * failed start and reports why it fails. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "child_internal.h"
#include "clock.h"
#include "xalloc.h"

enum {
    WAY_LOOK_MS_MIN = 4, /* interval between checks of its progress; doubled each time: */
    WAY_LOOK_MS_MAX = 64,
};

struct child_start {
    struct worker_task task; /* first, so that the start can be found from it */
    struct child *child;
    struct child_call call;
    struct spawn_way *way; /* owned; NULL if a starter starts it */
    int64_t look_ms;
    bool went_in_vain; /* starting on its own failed */
    struct launched launched;
    bool ok;
    int number; /* the errno if not ok, */
    struct err err;
};

/* On a starter thread. Blocks until the new process executes its program. */
static void launch_on_thread(struct worker_task *task)
{
    struct child_start *start = (struct child_start *)task;
    start->child->started_ms = clock_now().mono_ms;
    start->ok = launch_process(&start->call.spawn, &start->launched, &start->number, &start->err);
}

/* Starts watching it. Returns 0 or an errno: the kernel cannot watch another descriptor. */
static int take_process(struct child_start *start)
{
    struct child *child = start->child;
    const struct launched *launched = &start->launched;
    const struct sweep_mark mark = {.session = launched->pid,
                                    .start = launched->start,
                                    .run = start->call.run_mark,
                                    .step = start->call.step_mark};
    child->pid = launched->pid;
    child->pid_start = launched->start;
    child->pidfd = launched->pidfd;
    child->pipes[0] = launched->pipes[0];
    child->pipes[1] = launched->pipes[1];
    child->nursery->clock_tells |= launched->by_clock;
    nursery_count(child->nursery, 1);
    sweep_enter(child->nursery->sweep, &mark);
    return child_watch(child);
}

/* Reports the start before handling requests that arrived in the meantime. */
static void begin_to_run(struct child *child, int64_t timeout_ms)
{
    child->stage = CHILD_RUNS;
    child_limit(child, timeout_ms);
    child->watcher.started(child->watcher.ctx);
    if (child->end_asked)
        child_cancel(child, child->asked_mode);
}

/* Called when its timer is closed. The process may have begun to execute its program, so it is not
 * started again. */
static void tell_unheard(uv_handle_t *timer)
{
    struct child *child = timer->data;
    struct child_start *start = child->start;
    const struct child_watcher watcher = child->watcher;
    child_free(timer);
    (void)err_set_errno(&start->err, start->number, "'%s': cannot be watched",
                        start->call.spawn.argv[0]);
    watcher.failed(watcher.ctx, start->number, &start->err);
    free(start);
}

static void was_launched(struct worker_task *task)
{
    struct child_start *start = (struct child_start *)task;
    struct child *child = start->child;
    const struct child_watcher watcher = child->watcher;

    sweep_expect(child->nursery->sweep, -1);
    child->nursery->ways_are_vain |= start->went_in_vain && start->ok;
    if (!start->ok) {
        free(child);
        watcher.failed(watcher.ctx, start->number, &start->err);
        free(start);
        return;
    }
    start->number = take_process(start);
    if (start->number != 0) {
        child->start = start;
        child_abandon(child, tell_unheard);
        return;
    }
    begin_to_run(child, start->call.timeout_ms);
    free(start);
}

static void give_to_starter(struct child_start *start)
{
    struct nursery *nursery = start->child->nursery;
    sweep_expect(nursery->sweep, 1);
    workers_add(nursery->starters, &start->task);
}

/* Called when its timer is closed and nothing of the process is left. */
static void begin_again(uv_handle_t *handle)
{
    struct child *child = handle->data;
    give_to_starter(child->start);
    child->start = NULL;
    nursery_count(child->nursery, -1);
}

/* Abandons this start; `closed` continues from there. */
static void go_in_vain(struct child *child, uv_close_cb closed)
{
    struct child_start *start = child->start;
    child_abandon(child, closed);
    spawn_way_end(start->way);
    start->way = NULL;
    start->went_in_vain = true;
    child->nursery->ways--;
}

void child_look_at_start(struct child *child)
{
    struct child_start *start = child->start;
    if (!start || !start->way)
        return; /* a starter has it, or will get it */
    const int64_t timeout_ms = start->call.timeout_ms;
    switch (spawn_way_look(start->way)) {
    case SPAWN_GOES:
        break;
    case SPAWN_ARRIVED:
        spawn_way_end(start->way);
        free(start);
        child->start = NULL;
        child->nursery->ways--;
        (void)uv_timer_stop(&child->timer);
        begin_to_run(child, timeout_ms);
        break;
    case SPAWN_HAS_FAILED:
        go_in_vain(child, begin_again);
        break;
    }
}

static void look_again(uv_timer_t *timer)
{
    struct child *child = timer->data;
    child_look_at_start(child);
    struct child_start *start = child->start;
    if (child->stage != CHILD_STARTS || !start || !start->way)
        return;
    start->look_ms *= 2;
    if (start->look_ms > WAY_LOOK_MS_MAX)
        start->look_ms = WAY_LOOK_MS_MAX;
    child_set_timer(child, look_again, start->look_ms);
}

/* Returns false if there is no process. */
static bool go_alone(struct child_start *start)
{
    struct child *child = start->child;
    struct nursery *nursery = child->nursery;
    child->started_ms = clock_now().mono_ms;
    if (nursery->ways_are_vain || nursery->ways == NURSERY_WAYS_MAX ||
        !launch_begin(&start->call.spawn, &start->launched, &start->way))
        return false;
    nursery->ways++;
    child->start = start;
    start->look_ms = WAY_LOOK_MS_MIN;
    start->number = take_process(start);
    if (start->number == 0)
        child_set_timer(child, look_again, start->look_ms);
    else
        go_in_vain(child, tell_unheard);
    return true;
}

struct child *child_start(struct nursery *nursery, const struct child_call *call,
                          const struct child_watcher *watcher)
{
    struct child_start *start = xcalloc(1, sizeof(*start));
    struct child *child = xcalloc(1, sizeof(*child));
    child->nursery = nursery;
    child->watcher = *watcher;
    child->grace_ms = call->grace_ms;
    start->task = (struct worker_task){.work = launch_on_thread, .done = was_launched};
    start->child = child;
    start->call = *call;
    start->call.spawn.clock_tells = nursery->clock_tells;
    if (!go_alone(start))
        give_to_starter(start);
    return child;
}
