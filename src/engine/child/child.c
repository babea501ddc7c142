/* child.c - a running process: its output, its end, and the processes that it leaves behind.
 *
 * A child ends when its process exits (pidfd), not when its pipes close, because other processes
 * may hold them open. Then the rest of its session is ended: TERM, then KILL after the grace
 * period; processes that survive CHILD_AFTER_KILL_MS are reported. Searching /proc takes
 * milliseconds, so during the grace period only some checks do it.
 *
 * All descriptors of all children are in one epoll set, because libuv makes six system calls for
 * each descriptor that it watches. A full pipe is enlarged, so that a fast writer wakes us less
 * often.
 *
 * After KILL, a process may still hang in the kernel. We do not wait for its status then;
 * nursery_reap() collects it later. child_start.c starts the process. */
#define _GNU_SOURCE /* wait4, F_SETPIPE_SZ */

#include "child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_internal.h"
#include "clock.h"
#include "str.h"
#include "xalloc.h"

enum { SIGNAL_EXIT_BASE = 128, NURSERY_NEWS_MAX = 64 };

static void news_came(uv_poll_t *handle, int status, int events);

static void nursery_count(struct nursery *nursery, int more)
{
    nursery->children += more;
    if (nursery->children > 0)
        uv_ref((uv_handle_t *)&nursery->on_news);
    else
        uv_unref((uv_handle_t *)&nursery->on_news);
}

bool nursery_open(struct nursery **out, struct uv_loop_s *loop, struct err *err)
{
    struct sigaction action;
    sigset_t ends;
    int failed = 0;
    struct nursery *nursery = xcalloc(1, sizeof(*nursery));
    nursery->loop = loop;
    if (!sweep_open(&nursery->sweep, err))
        goto no_sweep;
    if (!workers_open(&nursery->starters, nursery->loop, WORKERS_MAX, err))
        goto no_starters;
    /* libuv makes six system calls for each descriptor that it watches, so it only watches one
     * epoll descriptor for all children. */
    nursery->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (nursery->epoll_fd < 0) {
        (void)err_set_errno(err, errno, "cannot watch child processes");
        goto no_epoll;
    }
    failed = uv_poll_init(nursery->loop, &nursery->on_news, nursery->epoll_fd);
    if (failed != 0) {
        (void)close(nursery->epoll_fd);
        (void)err_set(err, ERR_IO, "event loop: %s", uv_strerror(failed));
        goto no_epoll;
    }
    nursery->on_news.data = nursery;
    (void)uv_poll_start(&nursery->on_news, UV_READABLE, news_came);
    nursery_count(nursery, 0);

    /* devs may be started with SIGCHLD ignored; the kernel then reaps children itself, and their
     * exit status is lost. pidfds report when children end, so the signal is not needed. Keep it
     * unblocked in this thread, which is their parent, so that it is discarded; a blocked SIGCHLD
     * would wake another thread each time. */
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGCHLD);
    (void)pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
    if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN) {
        action.sa_handler = SIG_DFL;
        (void)sigaction(SIGCHLD, &action, NULL);
    }
    *out = nursery;
    return true;

no_epoll:
    workers_close(nursery->starters);
no_starters:
    sweep_close(nursery->sweep);
no_sweep:
    free(nursery);
    return false;
}

static void ears_closed(uv_handle_t *handle)
{
    struct nursery *nursery = handle->data;
    (void)close(nursery->epoll_fd);
    free(nursery);
}

void nursery_close(struct nursery *nursery)
{
    if (!nursery)
        return;
    assert(nursery->children == 0);
    workers_close(nursery->starters);
    sweep_close(nursery->sweep);
    uv_close((uv_handle_t *)&nursery->on_news, ears_closed);
}

void nursery_reap(struct nursery *nursery)
{
    size_t kept = 0;
    for (size_t i = 0; i < nursery->lost_count; i++) {
        if (waitpid(nursery->lost[i], NULL, WNOHANG) == 0)
            nursery->lost[kept++] = nursery->lost[i];
    }
    nursery->lost_count = kept;
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

/* Frees a child that has ended. Close callback of its timer. */
static void child_free(uv_handle_t *timer)
{
    struct child *child = timer->data;
    nursery_count(child->nursery, -1);
    free(child);
}

/* Removes the descriptor explicitly: closing it is not enough, because a child that is just being
 * started also holds the file until its exec. */
static void stop_hearing(const struct child *child, int *fd)
{
    if (*fd < 0)
        return;
    (void)epoll_ctl(child->nursery->epoll_fd, EPOLL_CTL_DEL, *fd, NULL);
    (void)close(*fd);
    *fd = -1;
}

static bool has_much(const struct child *child, int stream)
{
    return child->read_bytes[stream] >= CHILD_MUCH_BYTES;
}

/* Reads once. Returns the number of bytes, or 0 if there are none now or at end of file. */
static size_t read_some(struct child *child, int stream)
{
    if (child->pipes[stream] < 0)
        return 0;
    const char *bytes = child->nursery->bytes;
    const size_t most = has_much(child, stream) ? CHILD_MUCH_READ_BYTES : CHILD_READ_BYTES;
    const ssize_t got = read(child->pipes[stream], child->nursery->bytes, most);
    if (got <= 0) {
        bool later = got < 0 && (errno == EAGAIN || errno == EINTR);
        if (!later)
            stop_hearing(child, &child->pipes[stream]);
        return 0;
    }
    child->read_bytes[stream] += got;
    if (got >= CHILD_PIECE_BYTES) {
        /* The child fills its pipe faster than we read it. With a larger pipe it blocks and wakes
         * up less often. The kernel may refuse, because the pipes of a user share a limit. */
        const int wanted = has_much(child, stream) ? CHILD_MUCH_PIPE_BYTES : CHILD_PIPE_BYTES;
        if (child->pipe_bytes[stream] < wanted)
            (void)fcntl(child->pipes[stream], F_SETPIPE_SZ, wanted);
        child->pipe_bytes[stream] = wanted;
    }
    for (size_t at = 0; at < (size_t)got; at += CHILD_PIECE_BYTES) {
        const size_t left = (size_t)got - at;
        child->watcher.output(child->watcher.ctx, stream, bytes + at,
                              left < CHILD_PIECE_BYTES ? left : CHILD_PIECE_BYTES);
    }
    return (size_t)got;
}

/* Starts the timer. Updates the loop's cached time, which is from before the last commit; otherwise
 * the timer would fire too early. */
static void child_set_timer(struct child *child, uv_timer_cb rings, int64_t wait_ms)
{
    child->rings = rings;
    child->timer_due_ms = clock_now().mono_ms + wait_ms;
    uv_update_time(child->nursery->loop);
    (void)uv_timer_start(&child->timer, rings, (uint64_t)wait_ms, 0);
}

/* Reads the rest of the output, then reports the end. The watcher may start the next child from its
 * callback. */
static void child_finish(struct child *child)
{
    child->stage = CHILD_IS_OVER;
    for (int i = 0; i < 2; i++) {
        size_t total = 0;
        size_t got;
        do {
            got = read_some(child, i);
            total += got;
        } while (got > 0 && total < CHILD_DRAIN_BYTES);
        stop_hearing(child, &child->pipes[i]);
    }
    uv_close((uv_handle_t *)&child->timer, child_free);
    sweep_leave(child->nursery->sweep, child->pid);
    child->watcher.ended(child->watcher.ctx, &child->end);
}

/* Signals the whole group. Continues stopped processes, so that they receive the signal. */
static void child_tell_group(struct child *child, int signal_number)
{
    if (signal_number == SIGTERM && child->watcher.tell) {
        child->watcher.tell(child->watcher.ctx, SIGTERM);
        return;
    }
    (void)kill(-child->pid, signal_number);
    (void)kill(-child->pid, SIGCONT); /* stopped processes would not receive the signal */
}

/* Ends the processes that a child left running: TERM, then KILL, until none are left or time is
 * up. */

enum {
    SWEEP_POLL_MS_MIN = 1, /* interval between checks: 1, 2, 4 ... ms */
    SWEEP_POLL_MS_MAX = 200,
};

/* Sends a signal to the processes that left the group: TERM only once to each process, KILL every
 * time that a process is found. */
static void tell_escaped(struct child *child, const struct proc_facts *found, size_t count,
                         int signal_number)
{
    for (size_t i = 0; i < count; i++) {
        if (found[i].group == child->pid)
            continue;
        if (signal_number == SIGTERM) {
            bool was_signaled = false;
            for (size_t k = 0; k < child->signaled_count; k++)
                was_signaled = was_signaled || child->signaled[k] == found[i].pid;
            if (was_signaled || child->signaled_count == SWEEP_FOUND_MAX)
                continue;
            child->signaled[child->signaled_count++] = found[i].pid;
        }
        (void)kill(found[i].pid, signal_number);
        (void)kill(found[i].pid, SIGCONT);
    }
}

/* Returns how many processes of the child are alive. Stores the result of the first search. */
static size_t find_living(struct child *child, struct proc_facts found[SWEEP_FOUND_MAX])
{
    struct child_end *end = &child->end;
    size_t count = sweep_find(child->nursery->sweep, child->pid, found);
    if ((int)count > end->seen)
        end->seen = (int)count;
    for (size_t i = 0; !child->looked && i < count && i < CHILD_LEFT_MAX; i++)
        end->ran[end->ran_count++] = found[i];
    child->looked = true;
    return count;
}

/* Performs one check. Returns true when there is nothing more to do. */
static bool sweep_once(struct child *child, int64_t now_ms)
{
    struct proc_facts found[SWEEP_FOUND_MAX];

    if (child->kill_due_ms > 0 && now_ms >= child->kill_due_ms) {
        child->kill_due_ms = 0;
        child->sweep_due_ms = now_ms + CHILD_AFTER_KILL_MS;
        child->sweep_poll_ms = SWEEP_POLL_MS_MIN;
    }
    const bool killing = child->kill_due_ms == 0;
    const bool gone = sweep_is_clean(child->nursery->sweep, child->pid);
    /* Searching all of /proc takes milliseconds, so it is not done at every check while processes
     * that received TERM are still within the grace period. */
    if (!gone && !killing && child->sweep_poll_ms != SWEEP_POLL_MS_MIN &&
        child->sweep_poll_ms != SWEEP_POLL_MS_MAX)
        return false;
    size_t count = find_living(child, found);
    if (count == 0 && gone)
        return true;
    if (now_ms >= child->sweep_due_ms) {
        struct child_end *end = &child->end;
        end->outcome.processes_left = (int)count;
        for (size_t i = 0; i < count && i < CHILD_LEFT_MAX; i++) {
            end->left[i] = found[i];
            end->left_denied[i] = kill(found[i].pid, 0) != 0 && errno == EPERM;
        }
        return true;
    }
    if (killing) {
        child_tell_group(child, SIGKILL);
        tell_escaped(child, found, count, SIGKILL);
        return false;
    }
    if (!child->sent_term)
        child_tell_group(child, SIGTERM);
    child->sent_term = true;
    tell_escaped(child, found, count, SIGTERM);
    return false;
}

static void sweep_step(uv_timer_t *timer)
{
    struct child *child = timer->data;
    int64_t now_ms = clock_now().mono_ms;
    if (sweep_once(child, now_ms)) {
        child_finish(child);
        return;
    }
    int64_t to_kill_ms = child->kill_due_ms > 0 ? child->kill_due_ms - now_ms : INT64_MAX;
    int64_t wait_ms = child->sweep_poll_ms < to_kill_ms ? child->sweep_poll_ms : to_kill_ms;
    child_set_timer(child, sweep_step, wait_ms);
    child->sweep_poll_ms *= 2;
    if (child->sweep_poll_ms > SWEEP_POLL_MS_MAX)
        child->sweep_poll_ms = SWEEP_POLL_MS_MAX;
}

/* Called when the process has exited, or when no signal can end it. Leads to child_finish(). */
static void child_begin_sweep(struct child *child, int64_t now_ms)
{
    child->stage = CHILD_IS_SWEPT;
    (void)uv_timer_stop(&child->timer);
    if (!child->ended_by_us && sweep_is_clean(child->nursery->sweep, child->pid)) {
        child_finish(child);
        return;
    }
    if (child->sent_kill)
        child->kill_due_ms = 0;
    else if (!child->sent_term)
        child->kill_due_ms = now_ms + child->grace_ms;
    child->sweep_due_ms = child->sent_kill ? now_ms + CHILD_AFTER_KILL_MS : INT64_MAX;
    child->sweep_poll_ms = SWEEP_POLL_MS_MIN;
    sweep_step(&child->timer);
}

static int64_t timeval_ms(const struct timeval *value)
{
    return (int64_t)value->tv_sec * 1000 + value->tv_usec / 1000;
}

static void take_status(struct child *child, int status, const struct rusage *usage)
{
    struct outcome *outcome = &child->end.outcome;
    struct rusage ours;
    bool by_signal = WIFSIGNALED(status);
    int code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);

    if (child->ended_by_us) {
        outcome->code = by_signal ? SIGNAL_EXIT_BASE + code : code;
    } else {
        outcome->kind = by_signal ? OUTCOME_SIGNAL : OUTCOME_EXIT;
        outcome->code = code;
    }
    /* Until its exec, a new process uses our memory, and the kernel counts that toward its peak. So
     * a value not above our own peak says nothing about the child. */
    const bool is_own = getrusage(RUSAGE_SELF, &ours) == 0 && usage->ru_maxrss > ours.ru_maxrss;
    outcome->rss_kib_max = is_own ? usage->ru_maxrss : 0;
    outcome->cpu_ms = timeval_ms(&usage->ru_utime) + timeval_ms(&usage->ru_stime);
}

static void process_ended(struct child *child)
{
    struct rusage usage;
    int status;

    if (child->pidfd < 0)
        return; /* the child was given up in this turn */
    pid_t got = wait4(child->pid, &status, WNOHANG, &usage);
    if (got == 0 || (got < 0 && errno == EINTR))
        return;
    int64_t now_ms = clock_now().mono_ms;
    child->end.outcome.ran_ms = now_ms - child->started_ms;
    if (got == child->pid)
        take_status(child, status, &usage);
    else if (!child->ended_by_us)
        child->end.outcome.kind =
            OUTCOME_INTERRUPTED; /* another process collected its exit status */
    stop_hearing(child, &child->pidfd);
    child_begin_sweep(child, now_ms);
}

/* Handles the events of all children. A descriptor may have been closed since its event; see
 * stop_hearing(). */
static void news_came(uv_poll_t *handle, int status, int events)
{
    const struct nursery *nursery = handle->data;
    struct epoll_event news[NURSERY_NEWS_MAX]; /* events that do not fit arrive in the next turn */
    (void)status;
    (void)events;
    int count = epoll_wait(nursery->epoll_fd, news, NURSERY_NEWS_MAX, 0);
    for (int i = 0; i < count; i++) {
        const struct child_ear *ear = news[i].data.ptr;
        if (ear->which == CHILD_EXIT)
            process_ended(ear->child);
        else
            (void)read_some(ear->child, ear->which);
    }
}

static bool process_is_over(const struct child *child)
{
    struct pollfd pidfd = {.fd = child->pidfd, .events = POLLIN};
    return child->pidfd < 0 || poll(&pidfd, 1, 0) > 0;
}

/* If KILL has not ended the process, it hangs in the kernel, or we may not signal it. Stops waiting
 * for its status. */
static void kill_is_over(uv_timer_t *timer)
{
    struct child *child = timer->data;
    struct nursery *nursery = child->nursery;
    if (process_is_over(child))
        return; /* its end is about to be reported */
    const int64_t now_ms = clock_now().mono_ms;
    child->end.outcome.ran_ms = now_ms - child->started_ms;
    child->end.outcome.code = SIGNAL_EXIT_BASE + SIGKILL;
    if (nursery->lost_count < NURSERY_LOST_MAX)
        nursery->lost[nursery->lost_count++] = child->pid;
    stop_hearing(child, &child->pidfd);
    child_begin_sweep(child, now_ms);
}

/* Sends KILL. Called when the grace period is over, or immediately. */
static void kill_group(uv_timer_t *timer)
{
    struct child *child = timer->data;
    child->sent_kill = true;
    child_tell_group(child, SIGKILL);
    child_set_timer(child, kill_is_over, CHILD_AFTER_KILL_MS);
}

static void end_process(struct child *child, enum outcome_kind why, enum cancel_mode mode)
{
    if (!child->ended_by_us) {
        struct proc_facts found[SWEEP_FOUND_MAX];
        child->end.outcome.kind = why;
        (void)find_living(child, found); /* stores the processes that it finds */
    }
    child->ended_by_us = true;
    if (mode == CANCEL_KILL) {
        if (!child->sent_kill)
            kill_group(&child->timer);
        return;
    }
    if (child->sent_term)
        return;
    child->sent_term = true;
    child_tell_group(child, SIGTERM);
    child->kill_due_ms = clock_now().mono_ms + child->grace_ms;
    child_set_timer(child, kill_group, child->grace_ms);
}

void child_time_out(struct child *child)
{
    if (child->stage == CHILD_RUNS && !process_is_over(child))
        end_process(child, OUTCOME_TIMEOUT, CANCEL_TERM);
}

static void time_is_up(uv_timer_t *timer)
{
    child_time_out(timer->data);
}

void child_cancel(struct child *child, enum cancel_mode mode)
{
    if (child->stage == CHILD_STARTS) {
        child->end_asked = true;
        child->asked_mode = mode;
        return;
    }
    if (child->stage == CHILD_RUNS) {
        end_process(child, OUTCOME_CANCELLED, mode);
        return;
    }
    if (child->stage == CHILD_IS_SWEPT && mode == CANCEL_KILL && child->kill_due_ms != 0) {
        /* Skips the grace period. */
        child->kill_due_ms = 1; /* in the past, so that the next check kills */
        child_set_timer(child, sweep_step, 0);
    }
}

void child_stood_still(struct child *child, int64_t still_ms)
{
    int64_t now_ms = clock_now().mono_ms;
    if (child->stage == CHILD_STARTS || child->stage == CHILD_IS_OVER)
        return;
    if (child->kill_due_ms > 0)
        child->kill_due_ms += still_ms;
    if (child->stage == CHILD_IS_SWEPT) {
        if (child->sweep_due_ms < INT64_MAX)
            child->sweep_due_ms += still_ms;
    } else if (uv_is_active((uv_handle_t *)&child->timer)) {
        int64_t wait_ms = child->timer_due_ms + still_ms - now_ms;
        child_set_timer(child, child->rings, wait_ms > 0 ? wait_ms : 0);
    }
}

/* Kills and reaps a process that cannot be watched. Its exec may already have succeeded, so it is
 * not started again. */
static void end_unwatched(struct child *child)
{
    (void)kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    stop_hearing(child, &child->pidfd);
    stop_hearing(child, &child->pipes[CHILD_OUT]);
    stop_hearing(child, &child->pipes[CHILD_ERR]);
}

int child_watch(struct child *child, int64_t timeout_ms)
{
    static const int order[] = {CHILD_EXIT, CHILD_OUT, CHILD_ERR};
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        const int which = order[i];
        const int fd = which == CHILD_EXIT ? child->pidfd : child->pipes[which];
        struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = &child->ears[which]};
        child->ears[which] = (struct child_ear){.child = child, .which = which};
        if (epoll_ctl(child->nursery->epoll_fd, EPOLL_CTL_ADD, fd, &wanted) != 0) {
            const int number = errno;
            end_unwatched(child);
            return number;
        }
    }
    child->stage = CHILD_RUNS;
    nursery_count(child->nursery, 1);
    (void)uv_timer_init(child->nursery->loop, &child->timer);
    child->timer.data = child;
    if (timeout_ms > 0)
        child_set_timer(child, time_is_up, timeout_ms);
    return 0;
}

void child_left_words(const struct child_end *end, struct str *out)
{
    enum { PROC_PATH_MAX = 64 };
    const int left = end->outcome.processes_left;
    const int count = left < CHILD_LEFT_MAX ? left : CHILD_LEFT_MAX;
    int denied = 0;
    const char *comma = "";
    for (int i = 0; i < count; i++) {
        if (!end->left_denied[i])
            continue;
        char path[PROC_PATH_MAX];
        struct stat info;
        (void)snprintf(path, sizeof(path), "/proc/%d", (int)end->left[i].pid);
        const bool of_root = stat(path, &info) == 0 && info.st_uid == 0;
        str_addf(out, "%scannot signal pid %d: not permitted%s", comma, (int)end->left[i].pid,
                 of_root ? " (runs as root)" : "");
        comma = ", ";
        denied++;
    }
    const int deaf = left - denied; /* alive although they were sent KILL */
    if (deaf <= 0)
        return;
    str_addf(out, "%s%d of %d processes %s KILL", comma, deaf, end->seen > left ? end->seen : left,
             deaf == 1 ? "ignores" : "ignore");
    const char *open = " (";
    for (int i = 0; i < count; i++) {
        if (end->left_denied[i])
            continue;
        str_addf(out, "%sstate %c, pid %d", open, end->left[i].state, (int)end->left[i].pid);
        open = "; ";
    }
    str_add(out, ")");
}
