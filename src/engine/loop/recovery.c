/* recovery.c - ends the processes that a dead devs left running, before its run continues.
 *
 * A process belongs to the run if the process of a recorded attempt led its session, if it has the
 * mark of the run in its environment, or if its parent belongs to the run. A search of /proc may
 * miss a process that forks and exits meanwhile, so we repeat it until two searches in a row find
 * none. Signals are sent through pidfds, because a pid may be reused. A process that survives
 * prevents its task from starting again (recovery_refuses()). */
#define _GNU_SOURCE /* getsid, which POSIX lacks here, and the pidfd calls */

#include "loop.h"
#include "remote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "event.h"
#include "sandbox.h"
#include "xalloc.h"

enum {
    LOOK_AGAIN_MS = 5,
    CLEAN_LOOKS = 2, /* one search may miss processes that fork and exit */
    STEP_MARK_MAX = 160,
    NO_SESSION = -1, /* not 0, which is the session of processes outside our pid namespace */
    NOT_OURS = -2,   /* differs from RECOVERY_ANYBODYS and all task numbers */
};

/* A process on this machine. */
struct process {
    struct proc_facts facts;
    int task; /* NOT_OURS, RECOVERY_ANYBODYS or a task number */
};

/* A snapshot of all processes. */
struct look {
    struct process *all; /* owned; sorted by pid */
    size_t count, cap;
    size_t ours;
    size_t untold; /* number of processes that are in execve() and cannot be identified yet */
};

struct signaled {
    pid_t pid;
    int64_t start;
    int task;
};

struct sweeping {
    struct recovery *recovery;
    const struct run_state *state;
    const char *run_mark;
    pid_t spared; /* our own session, if we were started from within the run; else NO_SESSION */
    struct look look;
    struct signaled *signaled; /* owned; processes that were sent TERM */
    size_t signaled_count, signaled_cap;
    struct str *ended;
    size_t named;
};

static void make_room(struct recovery *recovery, int task_count)
{
    recovery->leaders = xgrow(recovery->leaders, &recovery->leader_cap, (size_t)task_count + 1,
                              sizeof(*recovery->leaders));
    for (; recovery->task_count < task_count; recovery->task_count++)
        recovery->leaders[recovery->task_count] = (struct recovery_leader){0};
}

void recovery_init(struct recovery *recovery, int task_count)
{
    *recovery = (struct recovery){0};
    make_room(recovery, task_count);
}

void recovery_done(struct recovery *recovery)
{
    free(recovery->leaders);
    *recovery = (struct recovery){0};
}

void recovery_see(void *ctx, const struct event *event)
{
    struct recovery *recovery = ctx;
    if (event->kind != EVENT_ATTEMPT_RUNNING || event->task < 0)
        return;
    make_room(recovery, event->task + 1);
    recovery->leaders[event->task] =
        (struct recovery_leader){.pid = event->running.pid, .start = event->running.pid_start};
}

static bool add_process(void *ctx, const struct proc_facts *facts)
{
    struct look *look = ctx;
    look->all = xgrow(look->all, &look->cap, look->count + 1, sizeof(*look->all));
    look->all[look->count++] = (struct process){.facts = *facts, .task = NOT_OURS};
    return look->count < RECOVERY_PROCESSES_MAX;
}

static int compare_pids(const void *a, const void *b)
{
    const struct process *one = a;
    const struct process *other = b;
    return (one->facts.pid > other->facts.pid) - (one->facts.pid < other->facts.pid);
}

static struct process *find_process(const struct look *look, pid_t pid)
{
    const struct process key = {.facts = {.pid = pid}};
    return look->count > 0 ? bsearch(&key, look->all, look->count, sizeof(*look->all), compare_pids)
                           : NULL;
}

/* Returns the running task whose step mark is in the environment of a process that has the run's
 * mark; RECOVERY_ANYBODYS if there is none. */
static int find_step(const struct sweeping *sweeping, pid_t pid)
{
    const struct plan *plan = sweeping->state->plan;
    for (int i = 0; i < plan->task_count; i++) {
        char mark[STEP_MARK_MAX];
        const char *const wanted[] = {mark, NULL};
        if (sweeping->state->tasks[i].status != TASK_RUNNING)
            continue;
        (void)snprintf(mark, sizeof(mark), "DEVS_STEP=%s/%d", plan->tasks[i].id,
                       run_state_step_number(sweeping->state, i) + 1);
        if (proc_has_environment(pid, wanted) == PROC_YES)
            return i;
    }
    return RECOVERY_ANYBODYS;
}

/* Returns whether the process is devs itself or an ancestor, which are not leftovers. */
static bool is_above_us(const struct sweeping *sweeping, pid_t pid)
{
    pid_t at = getpid();
    for (size_t i = 0; at > 0 && i < sweeping->look.count; i++) {
        if (at == pid)
            return true;
        const struct process *process = find_process(&sweeping->look, at);
        at = process ? process->facts.parent : 0;
    }
    return false;
}

static const struct signaled *find_signaled(const struct sweeping *sweeping,
                                            const struct proc_facts *facts)
{
    for (size_t i = 0; i < sweeping->signaled_count; i++) {
        if (sweeping->signaled[i].pid == facts->pid && sweeping->signaled[i].start == facts->start)
            return &sweeping->signaled[i];
    }
    return NULL;
}

/* Returns the task that the process belongs to, RECOVERY_ANYBODYS or NOT_OURS. A process that was
 * sent TERM stays ours until it has ended, even if the parent that identified it has ended. */
static int find_task(struct sweeping *sweeping, const struct proc_facts *facts)
{
    const struct recovery *recovery = sweeping->recovery;
    const char *const wanted[] = {sweeping->run_mark, NULL};
    if (proc_is_over(facts) || facts->session == sweeping->spared ||
        is_above_us(sweeping, facts->pid))
        return NOT_OURS;
    const struct signaled *signaled = find_signaled(sweeping, facts);
    if (signaled)
        return signaled->task;
    /* The session does not identify a process if no attempt led it, if its pid belongs to a
     * different process now, or if the leader has ended, because then the owner of the session is
     * unknown. */
    const struct process *leader = find_process(&sweeping->look, facts->session);
    for (int i = 0; leader && i < recovery->task_count; i++) {
        const struct recovery_leader *known = &recovery->leaders[i];
        if (known->pid == facts->session && known->start == leader->facts.start)
            return i;
    }
    const enum proc_answer carries = proc_has_environment(facts->pid, wanted);
    sweeping->look.untold += carries == PROC_UNTOLD;
    /* An executor may have this machine as a host. What devs-hand runs here goes on, and is taken
     * up again. */
    const char *const of_hand[] = {REMOTE_MARK, NULL};
    const bool is_ours =
        carries == PROC_YES && proc_has_environment(facts->pid, of_hand) != PROC_YES;
    return is_ours ? find_step(sweeping, facts->pid) : NOT_OURS;
}

/* Adds the children of our processes. Returns true if it found any. */
static bool add_children(struct sweeping *sweeping)
{
    struct look *look = &sweeping->look;
    bool more = false;
    for (size_t i = 0; i < look->count; i++) {
        struct process *process = &look->all[i];
        if (process->task != NOT_OURS || proc_is_over(&process->facts) ||
            is_above_us(sweeping, process->facts.pid))
            continue;
        const struct process *parent = find_process(look, process->facts.parent);
        if (!parent || parent->task == NOT_OURS)
            continue;
        process->task = parent->task;
        look->ours++;
        more = true;
    }
    return more;
}

static void look_at_processes(struct sweeping *sweeping)
{
    struct look *look = &sweeping->look;
    look->count = 0;
    look->ours = 0;
    look->untold = 0;
    proc_each(add_process, look);
    if (look->count > 0)
        qsort(look->all, look->count, sizeof(*look->all), compare_pids);
    for (size_t i = 0; i < look->count; i++) {
        look->all[i].task = find_task(sweeping, &look->all[i].facts);
        look->ours += look->all[i].task != NOT_OURS;
    }
    bool more = look->ours > 0;
    while (more) /* each round adds at least one process */
        more = add_children(sweeping);
}

/* Sends a signal through a pidfd, because the pid may be reused between search and signal. */
static bool send_signal(const struct proc_facts *facts, int signal, bool *forbidden)
{
    struct proc_facts now;
    int fd = (int)syscall(SYS_pidfd_open, facts->pid, 0);
    if (fd < 0)
        return false;
    bool same = proc_read(facts->pid, &now) && now.start == facts->start;
    bool sent = same && syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) == 0;
    *forbidden = same && !sent && errno == EPERM;
    (void)close(fd);
    return sent;
}

static void name_process(const struct proc_facts *facts, size_t nth, struct str *out)
{
    if (nth < RECOVERY_NAMED_MAX)
        str_addf(out, "%s%s (pid %d)", nth > 0 ? ", " : "", facts->name, (int)facts->pid);
}

/* Sends TERM, once to each process, and continues stopped processes, which could not react
 * otherwise. If `hard`, also sends KILL. */
static void end_processes(struct sweeping *sweeping, bool hard)
{
    bool forbidden = false;
    for (size_t i = 0; i < sweeping->look.count; i++) {
        const struct process *process = &sweeping->look.all[i];
        const struct proc_facts *facts = &process->facts;
        if (process->task == NOT_OURS)
            continue;
        if (!find_signaled(sweeping, facts) && sweeping->signaled_count < RECOVERY_ENDED_MAX) {
            sweeping->signaled = xgrow(sweeping->signaled, &sweeping->signaled_cap,
                                       sweeping->signaled_count + 1, sizeof(*sweeping->signaled));
            sweeping->signaled[sweeping->signaled_count++] =
                (struct signaled){.pid = facts->pid, .start = facts->start, .task = process->task};
            if (send_signal(facts, SIGTERM, &forbidden))
                (void)send_signal(facts, SIGCONT, &forbidden);
            name_process(facts, sweeping->named++, sweeping->ended);
        }
        if (hard)
            (void)send_signal(facts, SIGKILL, &forbidden);
    }
}

static void keep_left_processes(struct sweeping *sweeping, struct str *left)
{
    struct recovery *recovery = sweeping->recovery;
    size_t nth = 0;
    for (size_t i = 0; i < sweeping->look.count; i++) {
        const struct process *process = &sweeping->look.all[i];
        if (process->task == NOT_OURS)
            continue;
        name_process(&process->facts, nth++, left);
        if (recovery->left_count == RECOVERY_LEFT_MAX)
            continue;
        struct recovery_left *kept = &recovery->left[recovery->left_count++];
        *kept = (struct recovery_left){.facts = process->facts, .task = process->task};
        (void)send_signal(&process->facts, SIGKILL, &kept->forbidden);
    }
    if (nth > RECOVERY_NAMED_MAX)
        str_addf(left, " and %zu more", nth - RECOVERY_NAMED_MAX);
}

void recovery_sweep(struct recovery *recovery, const struct run_state *state, const char *run_mark,
                    struct str *ended, struct str *left)
{
    const char *const wanted[] = {run_mark, NULL};
    struct sweeping sweeping = {.recovery = recovery,
                                .state = state,
                                .run_mark = run_mark,
                                .spared = NO_SESSION,
                                .ended = ended};
    if (proc_has_environment(getpid(), wanted) == PROC_YES)
        sweeping.spared = getsid(0);

    const int64_t from_ms = clock_now().mono_ms;
    int clean = 0;
    for (;;) {
        look_at_processes(&sweeping);
        clean = sweeping.look.ours + sweeping.look.untold == 0 ? clean + 1 : 0;
        if (clean == CLEAN_LOOKS)
            break;
        const int64_t spent_ms = clock_now().mono_ms - from_ms;
        if (spent_ms >= RECOVERY_TERM_MS + RECOVERY_KILL_MS) {
            /* On a busy machine, some process is always in execve(). If only such processes are
             * left, report none, because nothing suggests that they belong to the run. */
            if (sweeping.look.ours > 0)
                keep_left_processes(&sweeping, left);
            break;
        }
        end_processes(&sweeping, spent_ms >= RECOVERY_TERM_MS);
        (void)poll(NULL, 0, LOOK_AGAIN_MS);
    }
    if (sweeping.named > RECOVERY_NAMED_MAX)
        str_addf(ended, " and %zu more", sweeping.named - RECOVERY_NAMED_MAX);
    free(sweeping.look.all);
    free(sweeping.signaled);
}

bool recovery_refuses(const struct recovery *recovery, int task, struct err *err)
{
    for (size_t i = 0; i < recovery->left_count; i++) {
        const struct recovery_left *left = &recovery->left[i];
        struct proc_facts now;
        if (left->task != task && left->task != RECOVERY_ANYBODYS)
            continue;
        if (!proc_read(left->facts.pid, &now) || now.start != left->facts.start ||
            proc_is_over(&now))
            continue;
        (void)err_set(err, ERR_BUSY, "%s (pid %d) of an earlier try %s", now.name, (int)now.pid,
                      left->forbidden ? "is still running, and this user may not kill it"
                                      : "does not exit");
        return true;
    }
    return false;
}

/* For a resumed run: ends its leftover processes, then recovers the scheduler. */

void loop_recover(struct loop *loop)
{
    const enum take_up take_up = loop->options->take_up;
    const struct plan *plan = loop->state.plan;
    struct str ended = {0};
    struct str left = {0};
    const bool has_after = plan->after[AFTER_KEPT] || plan->after[AFTER_FAILED];
    if (take_up == TAKE_UP_OPEN ||
        has_after) { /* otherwise a run that has ended left no processes */
        struct str boxes_ended = {0};
        struct str boxes_left = {0};
        /* After a reboot, all processes have ended and their recorded pids are meaningless, but
         * containers may survive a reboot. */
        if (!loop->rebooted)
            recovery_sweep(&loop->recovery, &loop->state, loop->run_mark, &ended, &left);
        (void)sandbox_sweep(log_writer_uid(loop->recorder.writer), &boxes_ended, &boxes_left);
        if (boxes_ended.len > 0)
            str_addf(&ended, "%s%s", ended.len > 0 ? ", " : "", boxes_ended.data);
        if (boxes_left.len > 0)
            str_addf(&left, "%s%s", left.len > 0 ? ", " : "", boxes_left.data);
        str_done(&boxes_ended);
        str_done(&boxes_left);
    }
    loop_hosts_clean_up(loop);

    struct input input = {.kind = INPUT_RECOVER,
                          .jobs = loop->options->jobs,
                          .rebooted = loop->rebooted,
                          .take_up = take_up};
    (void)snprintf(input.control.by, sizeof(input.control.by), "%s", loop->options->by);
    loop_day_first(loop, &input.fact_event);
    loop_queue(loop, input);
    if (ended.len > 0)
        loop_note(loop, "killed processes left by the run", ended.data);
    if (left.len > 0)
        loop_note(loop, "processes left by the run that cannot be killed", left.data);
    str_done(&ended);
    str_done(&left);
    if (loop->options->plan->grows) { /* the client that added its tasks has ended, so their results
                                         are not needed */
        loop_note(loop, "the client that requested its tasks has exited", "no task is restarted");
        loop->cancelled = true;
        loop_cancel(loop, loop->options->by, CANCEL_KILL);
    }
}
