#include <stdlib.h>

#include "child_parts.h"
#include "clock.h"
#include "xalloc.h"

/* A child on its way to a starter and back. */
struct start {
    struct worker_task task; /* first: a start is found by it */
    struct child *child;
    struct child_call call;
    struct launched launched;
    bool ok;
    int number; /* else the errno, */
    struct err err;
};

/* On a starter, which waits here until the new process executes its program. */
static void launch(struct worker_task *task)
{
    struct start *start = (struct start *)task;
    start->child->started_ms = clock_now().mono_ms;
    start->ok = launch_process(&start->call.spawn, &start->launched, &start->number, &start->err);
}

static bool take_process(struct start *start)
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
    child->stage = CHILD_RUNS;
    child->nursery->clock_tells |= launched->by_clock;
    nursery_count(child->nursery, 1);
    sweep_enter(child->nursery->sweep, &mark);
    start->number = child_watch(child, start->call.timeout_ms);
    if (start->number == 0)
        return true;
    return err_set_errno(&start->err, start->number, "'%s': cannot be watched",
                         start->call.spawn.argv[0]);
}

/* What was asked meanwhile comes after the news that it is there. */
static void tell_started(struct child *child)
{
    child->watcher.started(child->watcher.ctx);
    if (child->end_asked)
        child_cancel(child, child->asked_mode);
}

static void was_launched(struct worker_task *task)
{
    struct start *start = (struct start *)task;
    struct child *child = start->child;
    const struct child_watcher watcher = child->watcher;

    sweep_expect(child->nursery->sweep, -1);
    if (!start->ok)
        free(child);
    if (start->ok && take_process(start))
        tell_started(child);
    else
        watcher.failed(watcher.ctx, start->number, &start->err);
    free(start);
}

struct child *child_start(struct nursery *nursery, const struct child_call *call,
                          const struct child_watcher *watcher)
{
    struct start *start = xcalloc(1, sizeof(*start));
    struct child *child = xcalloc(1, sizeof(*child));
    child->nursery = nursery;
    child->watcher = *watcher;
    child->grace_ms = call->grace_ms;
    start->task = (struct worker_task){.work = launch, .done = was_launched};
    start->child = child;
    start->call = *call;
    start->call.spawn.clock_tells = nursery->clock_tells;
    sweep_expect(nursery->sweep, 1);
    workers_add(nursery->starters, &start->task);
    return child;
}
