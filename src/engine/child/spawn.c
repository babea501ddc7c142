#define _GNU_SOURCE /* clone */

#include "spawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "turns.h"

enum {
    STACK_BYTES = 32 * 1024,
    SIGNAL_SET_BYTES = 8, /* the kernel's, not the C library's */
    SIGNAL_MAX = 64,
    SIGNAL_LIBRARY = 33, /* the C library keeps those from 32 to this one for its threads */
    NOT_STARTED_EXIT = 127,
};

/* Until its exec the new process runs in our memory, on a stack of its own, while
 * our thread waits. What sanitizers note of it would be noted in our name. */
#define IN_OUR_MEMORY __attribute__((no_sanitize("address", "thread", "undefined")))

struct start {
    const struct spawn_call *call;
    int number; /* the errno of what went wrong */
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

/* The kernel's own form of "as by default, nothing blocked": the library's calls
 * keep notes in the memory that is still ours. */
IN_OUR_MEMORY static void reset_signals(void)
{
    static const unsigned long by_default[8];
    static const unsigned long nothing[2];

    for (int i = 0; i < changed.count; i++)
        (void)syscall(SYS_rt_sigaction, changed.numbers[i], by_default, NULL, SIGNAL_SET_BYTES);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, nothing, NULL, SIGNAL_SET_BYTES);
}

IN_OUR_MEMORY static rlim_t at_most(rlim_t wanted, rlim_t limit)
{
    return wanted < limit ? wanted : limit;
}

IN_OUR_MEMORY static bool take_limits(const struct spawn_limits *limits)
{
    for (size_t i = 0; i < limits->enter_count; i++) {
        if (syscall(SYS_write, limits->enter[i], "0", 1) < 0)
            return false;
    }
    if (limits->keep > 0 && fcntl(limits->keep, F_SETFD, 0) != 0)
        return false;
    if (limits->cpu_s == 0)
        return true;
    struct rlimit cpu;
    if (getrlimit(RLIMIT_CPU, &cpu) != 0)
        return false;
    /* A lower one that we are under holds for it, too: only root may raise it. */
    cpu.rlim_cur = at_most((rlim_t)limits->cpu_s, cpu.rlim_max);
    cpu.rlim_max = at_most((rlim_t)(limits->cpu_s + SPAWN_CPU_GRACE_S), cpu.rlim_max);
    return setrlimit(RLIMIT_CPU, &cpu) == 0;
}

IN_OUR_MEMORY static bool leave_group(const struct spawn_call *call)
{
    return call->in_our_session ? setpgid(0, 0) == 0 : setsid() >= 0;
}

IN_OUR_MEMORY static int run_child(void *arg)
{
    struct start *start = arg;
    const struct spawn_call *call = start->call;

    bool ok =
        (!call->limits || take_limits(call->limits)) && leave_group(call) && chdir(call->cwd) == 0;
    for (int i = 0; ok && i < 3; i++)
        ok = syscall(SYS_dup3, call->fds[i], i, 0) >= 0;
    if (ok) {
        reset_signals();
        (void)execve(call->program, call->argv, call->environment);
    }
    start->number = errno;
    _exit(NOT_STARTED_EXIT);
}

#ifdef __SANITIZE_THREAD__
/* The sanitizer takes every clone() for a fork into memory of its own, and sees no more of this
 * thread's locks; the C library's other name for it is not looked at. */
int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...); /* NOLINT(*-identifier) */
#define CLONE __clone
#else
#define CLONE clone
#endif

int spawn_process(const struct spawn_call *call, pid_t *pid_out)
{
    assert(call->cwd[0] == '/');
    for (int i = 0; i < 3; i++)
        assert(call->fds[i] > 2);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, find_changed);

    struct start start = {.call = call};
    sigset_t all;
    sigset_t before;
    _Alignas(max_align_t) char stack[STACK_BYTES]; /* a part of our own, which waits */
    /* A handler of ours must not run in the child: it has our memory. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = CLONE(run_child, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
    int number = pid < 0 ? errno : start.number;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (number != 0) {
        while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return number;
    }
    *pid_out = pid;
    return 0;
}
