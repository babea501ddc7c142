#define _GNU_SOURCE /* AT_EACCESS */

#include "spawn_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "raw_call.h"
#include "turns.h"

enum {
    SIGNAL_SET_BYTES = 8, /* the kernel's, not the C library's */
    SIGNAL_MAX = 64,
    SIGNAL_LIBRARY = 33, /* the C library keeps those from 32 to this one for its threads */
    NOT_STARTED_EXIT = 127,
    FIRST_OTHER_FD = 3,   /* after stdin, stdout and stderr */
    SCAN_FDS_MAX = 65535, /* the last descriptor that is closed without close_range() */
};

/* Signals that may not be as by default; written once, before the first start. */
static struct {
    int numbers[SIGNAL_MAX];
    int count;
} changed;

/* The standard ones change while we run, at a terminal for one. Of the others we take one, and
 * more only from who started us: asked for once, since to set all of them each time takes as
 * long as the pipes and the clone's other calls. */
static void find_changed(void)
{
    for (int i = 1; i <= SIGNAL_MAX; i++) {
        struct sigaction action;
        const bool is_fixed = i == SIGKILL || i == SIGSTOP;
        const bool may_change = i <= SIGNAL_LIBRARY || i == SIGRTMIN + TURNS_SIGNAL;
        const bool came_so =
            !may_change && sigaction(i, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
        if (!is_fixed && (may_change || came_so))
            changed.numbers[changed.count++] = i;
    }
}

void spawn_child_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, find_changed);
}

/* The kernel's own form of "as by default, nothing blocked". */
IN_OUR_MEMORY static void reset_signals(void)
{
    static const unsigned long by_default[8];
    static const unsigned long nothing[2];

    for (int i = 0; i < changed.count; i++)
        (void)raw_call(SYS_rt_sigaction, changed.numbers[i], raw_address(by_default), 0,
                       SIGNAL_SET_BYTES);
    (void)raw_call(SYS_rt_sigprocmask, SIG_SETMASK, raw_address(nothing), 0, SIGNAL_SET_BYTES);
}

IN_OUR_MEMORY static rlim_t at_most(rlim_t wanted, rlim_t limit)
{
    return wanted < limit ? wanted : limit;
}

/* 0, or the errno as a negative number; so below. */
IN_OUR_MEMORY static long take_cpu_limit(int64_t cpu_s)
{
    struct rlimit cpu = {0}; /* as the kernel has it where numbers are of 64 bits */
    long answer = raw_call(SYS_prlimit64, 0, RLIMIT_CPU, 0, raw_address(&cpu));
    if (answer != 0)
        return answer;
    /* A lower one that we are under holds for it, too: only root may raise it. */
    cpu.rlim_cur = at_most((rlim_t)cpu_s, cpu.rlim_max);
    cpu.rlim_max = at_most((rlim_t)(cpu_s + SPAWN_CPU_GRACE_S), cpu.rlim_max);
    return raw_call(SYS_prlimit64, 0, RLIMIT_CPU, raw_address(&cpu), 0);
}

IN_OUR_MEMORY static long take_limits(const struct spawn_limits *limits)
{
    for (size_t i = 0; i < limits->enter_count; i++) {
        const long wrote = raw_call(SYS_write, limits->enter[i], raw_address("0"), 1, 0);
        if (wrote < 0)
            return wrote;
    }
    for (size_t i = 0; i < SPAWN_KEEP_MAX; i++) {
        const int fd = limits->keep[i];
        const long kept = fd > 0 ? raw_call(SYS_fcntl, fd, F_SETFD, 0, 0) : 0;
        if (kept != 0)
            return kept;
    }
    return limits->cpu_s > 0 ? take_cpu_limit(limits->cpu_s) : 0;
}

IN_OUR_MEMORY static long leave_group(const struct spawn_call *call)
{
    if (call->in_our_session)
        return raw_call(SYS_setpgid, 0, 0, 0, 0);
    const long session = raw_call(SYS_setsid, 0, 0, 0, 0);
    return session < 0 ? session : 0;
}

IN_OUR_MEMORY static long take_place(const struct spawn_call *call)
{
    long answer = call->limits ? take_limits(call->limits) : 0;
    if (answer == 0)
        answer = leave_group(call);
    if (answer == 0)
        answer = raw_call(SYS_chdir, raw_address(call->cwd), 0, 0, 0);
    for (int i = 0; answer >= 0 && i < 3; i++)
        answer = raw_call(SYS_dup3, call->fds[i], i, 0, 0);
    return answer < 0 ? answer : 0;
}

/* Without close_range(2), that is before Linux 5.9 or where a filter of system calls forbids it. */
IN_OUR_MEMORY static void close_one_by_one(int first, int last)
{
    for (int fd = first; fd <= last; fd++)
        (void)raw_call(SYS_close, fd, 0, 0, 0);
}

IN_OUR_MEMORY static void close_between(int first, int last)
{
    if (first <= last && raw_call(SYS_close_range, first, last, 0, 0) != 0)
        close_one_by_one(first, last < SCAN_FDS_MAX ? last : SCAN_FDS_MAX);
}

/* Closes every descriptor but the standard ones and limits->keep. Ours are close-on-exec; those
 * that whoever started devs left open are not, and would lead out of a sandbox. */
IN_OUR_MEMORY static void close_others(const struct spawn_limits *limits)
{
    int first = FIRST_OTHER_FD;
    for (;;) {
        int next = INT_MAX; /* the lowest one that is kept */
        for (size_t i = 0; limits && i < SPAWN_KEEP_MAX; i++)
            next = limits->keep[i] >= first && limits->keep[i] < next ? limits->keep[i] : next;
        if (next == INT_MAX)
            break;
        close_between(first, next - 1);
        first = next + 1;
    }
    close_between(first, INT_MAX);
}

/* Returns only where it cannot be. */
IN_OUR_MEMORY static long execute(const struct spawn_call *call, const char *program)
{
    return raw_call(SYS_execve, raw_address(program), raw_address(call->argv),
                    raw_address(call->environment), 0);
}

/* The first one that may be executed; the errno is the last one's. */
IN_OUR_MEMORY static long search(const struct spawn_child *child)
{
    long answer = -ENOENT;
    for (const char *at = child->programs; at < child->programs_end; at++) {
        answer = raw_call(SYS_faccessat2, AT_FDCWD, raw_address(at), X_OK, AT_EACCESS);
        if (answer == 0)
            return execute(child->call, at);
        while (*at != '\0')
            at++;
    }
    return answer;
}

IN_OUR_MEMORY int spawn_child_run(void *arg)
{
    struct spawn_child *child = arg;
    const struct spawn_call *call = child->call;
    long answer = take_place(call);
    if (answer == 0) {
        close_others(call->limits);
        reset_signals();
        answer = call->program ? execute(call, call->program) : search(child);
    }
    child->number = (int)-answer;
    for (;;)
        (void)raw_call(SYS_exit_group, NOT_STARTED_EXIT, 0, 0, 0);
}
