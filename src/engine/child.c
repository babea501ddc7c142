#define _GNU_SOURCE /* wait4 */

#include "child.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "clock.h"
#include "sweep.h"
#include "xalloc.h"

enum {
    SWEEP_POLL_MS_MIN = 1, /* looks at what is left come 1, 2, 4 ... ms apart */
    SWEEP_POLL_MS_MAX = 200,
    SIGNAL_EXIT_BASE = 128,
};

struct nursery {
    uv_loop_t *loop; /* borrowed */
    struct sweep *sweep;
    int children; /* alive, or with handles that are still closing */
    char bytes[CHILD_READ_BYTES];
};

enum child_stage {
    CHILD_RUNS,
    CHILD_IS_SWEPT, /* the process is over; what it left is being ended */
    CHILD_IS_OVER,  /* told; only handles are still closing */
};

struct child {
    struct nursery *nursery; /* borrowed */
    struct child_watcher watcher;
    enum child_stage stage;
    pid_t pid;
    int64_t pid_start;
    int64_t grace_ms;
    int64_t started_ms;
    int64_t kill_due_ms;  /* one grace after the first TERM; in a sweep 0 = KILL has been sent */
    int64_t sweep_due_ms; /* when we stop looking; INT64_MAX before KILL */
    int64_t sweep_poll_ms;
    pid_t told[SWEEP_FOUND_MAX]; /* escaped processes that were told TERM */
    size_t told_count;
    bool told_term, told_kill; /* the group */
    bool ended_by_us;
    struct child_end end;
    int pidfd, pipes[2];
    uv_poll_t on_exit, on_output[2];
    uv_timer_t timer; /* timeout, then grace, then the looks of the sweep */
    int handles;      /* open or closing */
};

/* Who starts us may have SIGCHLD ignored; then the kernel reaps children itself
 * and their status is lost. */
static void hear_children(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) != 0 || action.sa_handler != SIG_IGN)
        return;
    action.sa_handler = SIG_DFL;
    (void)sigaction(SIGCHLD, &action, NULL);
}

bool nursery_open(struct nursery **out, struct uv_loop_s *loop, struct err *err)
{
    struct sweep *sweep;
    if (!sweep_open(&sweep, err))
        return false;
    struct nursery *nursery = xcalloc(1, sizeof(*nursery));
    nursery->loop = loop;
    nursery->sweep = sweep;
    hear_children();
    *out = nursery;
    return true;
}

void nursery_close(struct nursery *nursery)
{
    if (!nursery)
        return;
    assert(nursery->children == 0);
    sweep_close(nursery->sweep);
    free(nursery);
}

void nursery_reap(struct nursery *nursery)
{
    sweep_reap(nursery->sweep);
}

int64_t child_pid(const struct child *child)
{
    return child->pid;
}

int64_t child_pid_start(const struct child *child)
{
    return child->pid_start;
}

static void handle_closed(uv_handle_t *handle)
{
    struct child *child = handle->data;
    if (--child->handles > 0)
        return;
    child->nursery->children--;
    free(child);
}

static void close_handle(void *handle)
{
    uv_close(handle, handle_closed);
}

/* The handle before the descriptor: libuv takes its number out of the epoll set,
 * and by then the number must not be another's. */
static void close_pipe(struct child *child, int stream)
{
    if (child->pipes[stream] < 0)
        return;
    close_handle(&child->on_output[stream]);
    (void)close(child->pipes[stream]);
    child->pipes[stream] = -1;
}

/* One read. How many bytes came; 0 if there is nothing now, or never again. */
static size_t read_some(struct child *child, int stream)
{
    if (child->pipes[stream] < 0)
        return 0;
    char *bytes = child->nursery->bytes;
    ssize_t got = read(child->pipes[stream], bytes, CHILD_READ_BYTES);
    if (got > 0) {
        child->watcher.output(child->watcher.ctx, stream, bytes, (size_t)got);
        return (size_t)got;
    }
    bool later = got < 0 && (errno == EAGAIN || errno == EINTR);
    if (!later)
        close_pipe(child, stream);
    return 0;
}

static void drain(struct child *child, int stream)
{
    size_t total = 0;
    size_t got;
    do {
        got = read_some(child, stream);
        total += got;
    } while (got > 0 && total < CHILD_DRAIN_BYTES);
}

static void out_is_readable(uv_poll_t *handle, int status, int events)
{
    (void)status;
    (void)events;
    (void)read_some(handle->data, 0);
}

static void err_is_readable(uv_poll_t *handle, int status, int events)
{
    (void)status;
    (void)events;
    (void)read_some(handle->data, 1);
}

/* Tell the end. The watcher may start the next child from there. */
static void finish(struct child *child)
{
    child->stage = CHILD_IS_OVER;
    for (int i = 0; i < 2; i++) {
        drain(child, i);
        close_pipe(child, i);
    }
    close_handle(&child->timer);
    sweep_leave(child->nursery->sweep, child->pid);
    child->watcher.ended(child->watcher.ctx, &child->end);
}

static void tell_group(struct child *child, int signal_number)
{
    (void)kill(-child->pid, signal_number);
    (void)kill(-child->pid, SIGCONT); /* what is stopped must hear it, too */
}

static bool was_told(const struct child *child, pid_t pid)
{
    for (size_t i = 0; i < child->told_count; i++) {
        if (child->told[i] == pid)
            return true;
    }
    return false;
}

/* TERM is told once to each, KILL as often as anything is found. */
static void tell_escaped(struct child *child, const struct proc_facts *found, size_t count,
                         int signal_number)
{
    for (size_t i = 0; i < count; i++) {
        if (found[i].group == child->pid)
            continue;
        if (signal_number == SIGTERM) {
            if (was_told(child, found[i].pid) || child->told_count == SWEEP_FOUND_MAX)
                continue;
            child->told[child->told_count++] = found[i].pid;
        }
        (void)kill(found[i].pid, signal_number);
        (void)kill(found[i].pid, SIGCONT);
    }
}

static void tell_left(struct child *child, const struct proc_facts *found, size_t count)
{
    if (child->kill_due_ms == 0) {
        tell_group(child, SIGKILL);
        tell_escaped(child, found, count, SIGKILL);
        return;
    }
    if (!child->told_term)
        tell_group(child, SIGTERM);
    child->told_term = true;
    tell_escaped(child, found, count, SIGTERM);
}

static void name_left(struct child *child, const struct proc_facts *found, size_t count)
{
    child->end.outcome.left = (int)count;
    for (size_t i = 0; i < count && i < CHILD_LEFT_MAX; i++)
        child->end.left[i] = found[i];
}

/* To search all of /proc costs milliseconds: not at every look while those who
 * were told TERM have time until the grace is over. */
static bool wants_search(const struct child *child, bool gone)
{
    bool first_look = child->sweep_poll_ms == SWEEP_POLL_MS_MIN;
    bool killing = child->kill_due_ms == 0;
    return gone || first_look || killing || child->sweep_poll_ms == SWEEP_POLL_MS_MAX;
}

/* One look at what is left; true once there is nothing more to do about it. */
static bool sweep_once(struct child *child, int64_t now_ms)
{
    struct proc_facts found[SWEEP_FOUND_MAX];

    if (child->kill_due_ms > 0 && now_ms >= child->kill_due_ms) {
        child->kill_due_ms = 0;
        child->sweep_due_ms = now_ms + CHILD_AFTER_KILL_MS;
        child->sweep_poll_ms = SWEEP_POLL_MS_MIN;
    }
    bool gone = sweep_is_clean(child->nursery->sweep, child->pid);
    if (!wants_search(child, gone))
        return false;
    size_t count = sweep_find(child->nursery->sweep, child->pid, found);
    if (count == 0 && gone)
        return true;
    if (now_ms >= child->sweep_due_ms) {
        name_left(child, found, count);
        return true;
    }
    tell_left(child, found, count);
    return false;
}

/* The loop's own time is of before the last commit: a timer that is set by it
 * rings too early. */
static void set_timer(struct child *child, uv_timer_cb rings, int64_t wait_ms)
{
    uv_update_time(child->nursery->loop);
    (void)uv_timer_start(&child->timer, rings, (uint64_t)wait_ms, 0);
}

static void sweep_again(uv_timer_t *timer);

static void sweep_step(struct child *child)
{
    int64_t now_ms = clock_now().mono_ms;
    if (sweep_once(child, now_ms)) {
        finish(child);
        return;
    }
    int64_t to_kill_ms = child->kill_due_ms > 0 ? child->kill_due_ms - now_ms : INT64_MAX;
    int64_t wait_ms = child->sweep_poll_ms < to_kill_ms ? child->sweep_poll_ms : to_kill_ms;
    set_timer(child, sweep_again, wait_ms);
    child->sweep_poll_ms *= 2;
    if (child->sweep_poll_ms > SWEEP_POLL_MS_MAX)
        child->sweep_poll_ms = SWEEP_POLL_MS_MAX;
}

static void sweep_again(uv_timer_t *timer)
{
    sweep_step(timer->data);
}

static void begin_sweep(struct child *child, int64_t now_ms)
{
    child->stage = CHILD_IS_SWEPT;
    (void)uv_timer_stop(&child->timer);
    if (!child->ended_by_us && sweep_is_clean(child->nursery->sweep, child->pid)) {
        finish(child);
        return;
    }
    if (child->told_kill)
        child->kill_due_ms = 0;
    else if (!child->told_term)
        child->kill_due_ms = now_ms + child->grace_ms;
    child->sweep_due_ms = child->told_kill ? now_ms + CHILD_AFTER_KILL_MS : INT64_MAX;
    child->sweep_poll_ms = SWEEP_POLL_MS_MIN;
    sweep_step(child);
}

static int64_t timeval_ms(const struct timeval *value)
{
    return (int64_t)value->tv_sec * 1000 + value->tv_usec / 1000;
}

/* Until its exec a new process is in our memory, and the kernel counts that as
 * its peak: a figure that is not above ours says nothing about the child. */
static int64_t own_peak(const struct rusage *usage)
{
    struct rusage ours;
    if (getrusage(RUSAGE_SELF, &ours) != 0 || usage->ru_maxrss <= ours.ru_maxrss)
        return 0;
    return usage->ru_maxrss;
}

static void take_status(struct child *child, int status, const struct rusage *usage)
{
    struct outcome *outcome = &child->end.outcome;
    bool by_signal = WIFSIGNALED(status);
    int code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);

    if (child->ended_by_us) {
        outcome->code = by_signal ? SIGNAL_EXIT_BASE + code : code;
    } else {
        outcome->kind = by_signal ? OUTCOME_SIGNAL : OUTCOME_EXIT;
        outcome->code = code;
    }
    outcome->rss_kib_max = own_peak(usage);
    outcome->cpu_ms = timeval_ms(&usage->ru_utime) + timeval_ms(&usage->ru_stime);
}

static void process_ended(uv_poll_t *handle, int poll_status, int events)
{
    struct child *child = handle->data;
    struct rusage usage;
    int status;

    (void)poll_status;
    (void)events;
    pid_t got = wait4(child->pid, &status, WNOHANG, &usage);
    if (got == 0 || (got < 0 && errno == EINTR))
        return;
    int64_t now_ms = clock_now().mono_ms;
    child->end.outcome.ran_ms = now_ms - child->started_ms;
    if (got == child->pid)
        take_status(child, status, &usage);
    else if (!child->ended_by_us)
        child->end.outcome.kind = OUTCOME_INTERRUPTED; /* somebody else took its status */
    close_handle(&child->on_exit);
    (void)close(child->pidfd);
    child->pidfd = -1;
    begin_sweep(child, now_ms);
}

static bool process_is_over(const struct child *child)
{
    struct pollfd pidfd = {.fd = child->pidfd, .events = POLLIN};
    return child->pidfd < 0 || poll(&pidfd, 1, 0) > 0;
}

static void grace_is_over(uv_timer_t *timer)
{
    struct child *child = timer->data;
    child->told_kill = true;
    tell_group(child, SIGKILL);
}

static void end_it(struct child *child, enum outcome_kind why, enum cancel_mode mode)
{
    if (!child->ended_by_us)
        child->end.outcome.kind = why;
    child->ended_by_us = true;
    if (mode == CANCEL_KILL) {
        (void)uv_timer_stop(&child->timer);
        child->told_kill = true;
        tell_group(child, SIGKILL);
        return;
    }
    if (child->told_term)
        return;
    child->told_term = true;
    tell_group(child, SIGTERM);
    child->kill_due_ms = clock_now().mono_ms + child->grace_ms;
    set_timer(child, grace_is_over, child->grace_ms);
}

static void time_is_up(uv_timer_t *timer)
{
    struct child *child = timer->data;
    if (!process_is_over(child))
        end_it(child, OUTCOME_TIMEOUT, CANCEL_TERM);
}

void child_cancel(struct child *child, enum cancel_mode mode)
{
    if (child->stage == CHILD_RUNS) {
        end_it(child, OUTCOME_CANCELLED, mode);
        return;
    }
    bool harder = mode == CANCEL_KILL && child->kill_due_ms > 0;
    if (child->stage == CHILD_IS_SWEPT && harder) {
        child->kill_due_ms = 1; /* long ago: the next look kills */
        set_timer(child, sweep_again, 0);
    }
}

/* 0, or the errno: the kernel has no room for one more. */
static int watch_fd(struct child *child, uv_poll_t *handle, int fd, uv_poll_cb callback)
{
    int failed = uv_poll_init(child->nursery->loop, handle, fd);
    if (failed != 0)
        return -failed; /* the handle is none yet */
    handle->data = child;
    child->handles++;
    return -uv_poll_start(handle, UV_READABLE, callback);
}

static int watch_child(struct child *child, int64_t timeout_ms)
{
    (void)uv_timer_init(child->nursery->loop, &child->timer);
    child->timer.data = child;
    child->handles++;
    int number = watch_fd(child, &child->on_exit, child->pidfd, process_ended);
    if (number == 0)
        number = watch_fd(child, &child->on_output[0], child->pipes[0], out_is_readable);
    if (number == 0)
        number = watch_fd(child, &child->on_output[1], child->pipes[1], err_is_readable);
    if (number == 0 && timeout_ms > 0)
        set_timer(child, time_is_up, timeout_ms);
    return number;
}

/* A process that we cannot watch must not run. Nobody knows of the child yet. */
static void abandon(struct child *child)
{
    uv_poll_t *const polls[] = {&child->on_exit, &child->on_output[0], &child->on_output[1]};
    const int fds[] = {child->pidfd, child->pipes[0], child->pipes[1]};

    (void)kill(-child->pid, SIGKILL);
    (void)waitpid(child->pid, NULL, 0);
    sweep_leave(child->nursery->sweep, child->pid);
    for (size_t i = 0; i < ARRAY_LEN(polls); i++) {
        if (polls[i]->data)
            close_handle(polls[i]);
        (void)close(fds[i]);
    }
    close_handle(&child->timer);
}

bool child_start(struct child **out, struct nursery *nursery, const struct child_call *call,
                 const struct child_watcher *watcher, int *number_out, struct err *err)
{
    struct launched spawned;
    int64_t started_ms = clock_now().mono_ms;
    if (!launch_process(&call->spawn, &spawned, number_out, err))
        return false;

    struct child *child = xcalloc(1, sizeof(*child));
    child->nursery = nursery;
    child->watcher = *watcher;
    child->pid = spawned.pid;
    child->pid_start = spawned.start;
    child->grace_ms = call->grace_ms;
    child->started_ms = started_ms;
    child->pidfd = spawned.pidfd;
    child->pipes[0] = spawned.pipes[0];
    child->pipes[1] = spawned.pipes[1];
    nursery->children++;
    const struct sweep_mark mark = {.session = spawned.pid,
                                    .start = spawned.start,
                                    .run = call->run_mark,
                                    .step = call->step_mark};
    sweep_enter(nursery->sweep, &mark);
    int number = watch_child(child, call->timeout_ms);
    if (number != 0) {
        abandon(child);
        *number_out = number;
        return err_set_errno(err, number, "'%s': cannot be watched", call->spawn.argv[0]);
    }
    *out = child;
    return true;
}
