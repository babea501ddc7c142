/* spawn.c - starts a process with clone(2) that uses our memory until it executes its program.
 *
 * fork() would copy the tables of our memory, which takes longer the more memory we use, and
 * posix_spawn() cannot enter cgroups. As after vfork(2), the calling thread waits until the exec,
 * the stack of the new process is part of its stack, and the errno of a failed call is its errno;
 * nothing else may be written. So between clone and exec the process makes system calls only, and
 * is not instrumented by sanitizers. */
#define _GNU_SOURCE /* clone */

#include "spawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "turns.h"

/* A sanitizer would attribute the memory accesses of the new process to us. */
#define IN_OUR_MEMORY __attribute__((no_sanitize("address", "thread", "undefined")))

#define RAW_CALL static inline IN_OUR_MEMORY __attribute__((always_inline))

/* Returns the kernel's answer, or the errno as a negative number. */
RAW_CALL long raw_call(long number, long a, long b, long c, long d)
{
    const long answer = syscall(number, a, b, c, d);
    return answer == -1 ? -errno : answer;
}

/* Converts an address for the kernel. */
RAW_CALL long raw_address(const volatile void *memory)
{
    return (long)memory;
}

/*
 * What a new process does until it executes its program.
 *
 * Nothing from here to spawn_child_run() may call another function of the C library than syscall(),
 * except spawn_child_prepare(), which is called before the start.
 */

struct spawn_child {
    const struct spawn_call *call; /* borrowed until its exec, as is everything it points to */
    volatile int number;           /* the errno of the failure that ended it */
};

/* The clone() to use for a process that stays in our memory. */
#ifdef __SANITIZE_THREAD__
/* The sanitizer treats every clone() as a fork with its own memory, and loses track of this
 * thread's locks. It does not intercept this other name of the function. */
int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...); /* NOLINT(*-identifier) */
#define CLONE __clone
#else
#define CLONE clone
#endif

enum {
    SIGNAL_SET_BYTES = 8, /* the kernel's size, not the C library's */
    SIGNAL_MAX = 64,
    SIGNAL_LIBRARY = 33, /* the C library reserves signals 32 to this for its threads */
    NOT_STARTED_EXIT = 127,
    FIRST_OTHER_FD = 3,   /* after stdin, stdout and stderr */
    SCAN_FDS_MAX = 65535, /* last descriptor closed without close_range() */
};

/* Signals whose action may not be the default. Written once, before the first start. */
static struct {
    int numbers[SIGNAL_MAX];
    int count;
} changed;

/* Standard signals may change while devs runs, for example at a terminal. Of the others, devs
 * handles one, and more may be inherited from its parent. Look them up only once: resetting all of
 * them each time would take as long as the pipes and the other calls around clone(). */
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

/* Finds the signals whose action may not be the default. Call it before each start. Any thread. */
static void spawn_child_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, find_changed);
}

/* The kernel's own structures for default actions and nothing blocked. */
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

/* Returns 0 or a negative errno, as do the functions below. */
IN_OUR_MEMORY static long take_cpu_limit(int64_t cpu_s)
{
    struct rlimit cpu = {0}; /* the kernel's layout where numbers have 64 bits */
    long answer = raw_call(SYS_prlimit64, 0, RLIMIT_CPU, 0, raw_address(&cpu));
    if (answer != 0)
        return answer;
    /* A lower limit of devs itself applies, since only root may raise it. */
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

IN_OUR_MEMORY static long take_place(const struct spawn_call *call)
{
    long answer = call->limits ? take_limits(call->limits) : 0;
    if (answer == 0 && call->in_our_session) {
        answer = raw_call(SYS_setpgid, 0, 0, 0, 0);
    } else if (answer == 0) {
        const long session = raw_call(SYS_setsid, 0, 0, 0, 0);
        answer = session < 0 ? session : 0;
    }
    if (answer == 0)
        answer = raw_call(SYS_chdir, raw_address(call->cwd), 0, 0, 0);
    for (int i = 0; answer >= 0 && i < 3; i++)
        answer = raw_call(SYS_dup3, call->fds[i], i, 0, 0);
    return answer < 0 ? answer : 0;
}

IN_OUR_MEMORY static void close_between(int first, int last)
{
    if (first > last || raw_call(SYS_close_range, first, last, 0, 0) == 0)
        return;
    /* There is no close_range(2) before Linux 5.9, or a system call filter forbids it. */
    const int last_scanned = last < SCAN_FDS_MAX ? last : SCAN_FDS_MAX;
    for (int fd = first; fd <= last_scanned; fd++)
        (void)raw_call(SYS_close, fd, 0, 0, 0);
}

/* Closes every descriptor except the standard ones and limits->keep. Ours are close-on-exec, but
 * inherited ones that devs was started with are not, and would lead out of a sandbox. */
IN_OUR_MEMORY static void close_others(const struct spawn_limits *limits)
{
    int first = FIRST_OTHER_FD;
    for (;;) {
        int next = INT_MAX; /* the lowest one to keep */
        for (size_t i = 0; limits && i < SPAWN_KEEP_MAX; i++)
            next = limits->keep[i] >= first && limits->keep[i] < next ? limits->keep[i] : next;
        if (next == INT_MAX)
            break;
        close_between(first, next - 1);
        first = next + 1;
    }
    close_between(first, INT_MAX);
}

/* Entry point for clone(); its argument is the struct spawn_child. Does not return. */
_Noreturn IN_OUR_MEMORY static int spawn_child_run(void *arg)
{
    struct spawn_child *child = arg;
    const struct spawn_call *call = child->call;
    long answer = take_place(call);
    if (answer == 0) {
        close_others(call->limits);
        reset_signals();
        answer = raw_call(SYS_execve, raw_address(call->program), raw_address(call->argv),
                          raw_address(call->environment), 0);
    }
    child->number = (int)-answer;
    for (;;)
        (void)raw_call(SYS_exit_group, NOT_STARTED_EXIT, 0, 0, 0);
}

enum { STACK_BYTES = 32 * 1024 };

int spawn_process(const struct spawn_call *call, pid_t *pid_out)
{
    assert(call->cwd[0] == '/');
    for (int i = 0; i < 3; i++)
        assert(call->fds[i] > 2);
    spawn_child_prepare();

    struct spawn_child child = {.call = call};
    sigset_t all;
    sigset_t before;
    _Alignas(max_align_t) char stack[STACK_BYTES]; /* part of our own stack; we wait */
    /* A signal handler of ours must not run in the child, which shares our memory. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid =
        CLONE(spawn_child_run, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    int number = pid < 0 ? errno : child.number;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (number != 0) {
        while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return number;
    }
    *pid_out = pid;
    return 0;
}
