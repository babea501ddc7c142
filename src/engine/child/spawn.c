/* spawn.c - starts a process with clone(2) that uses our memory until its exec.
 *
 * fork() would copy our page tables, which takes longer the more memory we use, and posix_spawn()
 * cannot enter cgroups. As with vfork(2), the calling thread waits until the exec. Its stack, its
 * errno and struct spawn_child are all that the new process may write to. So between clone and exec
 * the process makes system calls only, and is not instrumented by sanitizers. */
#define _GNU_SOURCE /* clone, syscall */

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
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "turns.h"

/* A sanitizer would attribute the memory accesses of the new process to us. */
#define IN_OUR_MEMORY __attribute__((no_sanitize("address", "thread", "undefined")))

/* The code that a new process runs until its exec.
 *
 * Except for find_changed(), which is called before the start, nothing from here to run_child() may
 * call the C library: sanitizers intercept its functions. Only syscall() and errno are allowed. */

struct spawn_child {
    const struct spawn_call *call; /* borrowed until the exec, like everything it points to */
    volatile int number;           /* the errno if the process failed before its exec */
};

/* The clone() for a process that shares our memory. */
#ifdef __SANITIZE_THREAD__
/* The sanitizer treats every clone() as a fork with its own memory, and loses track of this
 * thread's locks. It does not intercept this other name of the function. */
int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...); /* NOLINT(*-identifier) */
#define CLONE __clone
#else
#define CLONE clone
#endif

enum {
    SIGNAL_MAX = 64,
    SIGNAL_LIBRARY = 33, /* the C library reserves signals 32 and 33 for its threads */
    NOT_STARTED_EXIT = 127,
    FIRST_OTHER_FD = 3,   /* after stdin, stdout and stderr */
    SCAN_FDS_MAX = 65535, /* last descriptor closed without close_range() */
};

static const size_t signal_set_bytes = 8; /* size of the kernel's signal set, not the C library's */

/* Signals whose action may not be the default. Written once, before the first start. */
static struct {
    int numbers[SIGNAL_MAX];
    int count;
} changed;

/* Finds the signals to reset. The actions of standard signals may change while devs runs, for
 * example at a terminal. Of the real-time signals, devs handles one, and may have inherited others
 * as ignored. The search runs only once: resetting all signals each time would take as long as the
 * pipes and the other calls around clone(). */
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

/* Resets signals to default actions and blocks none. The zeros are valid for the kernel's own
 * structures. */
IN_OUR_MEMORY static void reset_signals(void)
{
    static const unsigned long by_default[8];
    static const unsigned long nothing[2];

    for (int i = 0; i < changed.count; i++)
        (void)syscall(SYS_rt_sigaction, changed.numbers[i], by_default, NULL, signal_set_bytes);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, nothing, NULL, signal_set_bytes);
}

IN_OUR_MEMORY static rlim_t at_most(rlim_t wanted, rlim_t limit)
{
    return wanted < limit ? wanted : limit;
}

/* Returns false and sets errno on failure, as do the functions below. */
IN_OUR_MEMORY static bool take_cpu_limit(int64_t cpu_s)
{
    struct rlimit cpu = {0}; /* same layout as the kernel's if rlim_t has 64 bits */
    if (syscall(SYS_prlimit64, 0, RLIMIT_CPU, NULL, &cpu) != 0)
        return false;
    /* If devs itself has a lower limit, that one applies, because only root may raise it. */
    cpu.rlim_cur = at_most((rlim_t)cpu_s, cpu.rlim_max);
    cpu.rlim_max = at_most((rlim_t)(cpu_s + SPAWN_CPU_GRACE_S), cpu.rlim_max);
    return syscall(SYS_prlimit64, 0, RLIMIT_CPU, &cpu, NULL) == 0;
}

IN_OUR_MEMORY static bool take_limits(const struct spawn_limits *limits)
{
    for (size_t i = 0; i < limits->enter_count; i++) {
        if (syscall(SYS_write, limits->enter[i], "0", (size_t)1) < 0)
            return false;
    }
    for (size_t i = 0; i < SPAWN_KEEP_MAX; i++) {
        const int fd = limits->keep[i];
        if (fd > 0 && syscall(SYS_fcntl, fd, F_SETFD, 0L) != 0)
            return false;
    }
    return limits->cpu_s <= 0 || take_cpu_limit(limits->cpu_s);
}

IN_OUR_MEMORY static bool take_place(const struct spawn_call *call)
{
    bool ok = !call->limits || take_limits(call->limits);
    if (call->in_our_session)
        ok = ok && syscall(SYS_setpgid, 0, 0) == 0;
    else
        ok = ok && syscall(SYS_setsid) >= 0;
    ok = ok && syscall(SYS_chdir, call->cwd) == 0;
    for (int i = 0; ok && i < 3; i++)
        ok = syscall(SYS_dup3, call->fds[i], i, 0) >= 0;
    return ok;
}

IN_OUR_MEMORY static void close_between(int first, int last)
{
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
        return;
    /* Linux before 5.9 does not have close_range(2), and a system call filter may forbid it. */
    const int last_scanned = last < SCAN_FDS_MAX ? last : SCAN_FDS_MAX;
    for (int fd = first; fd <= last_scanned; fd++)
        (void)syscall(SYS_close, fd);
}

/* Closes every descriptor except the standard ones and limits->keep. Our descriptors are
 * close-on-exec, but descriptors that devs inherited may not be, and would lead out of a
 * sandbox. */
IN_OUR_MEMORY static void close_others(const struct spawn_limits *limits)
{
    int first = FIRST_OTHER_FD;
    for (;;) {
        int next = INT_MAX; /* the lowest descriptor to keep */
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
_Noreturn IN_OUR_MEMORY static int run_child(void *arg)
{
    struct spawn_child *child = arg;
    const struct spawn_call *call = child->call;
    if (take_place(call)) {
        close_others(call->limits);
        reset_signals();
        (void)syscall(SYS_execve, call->program, call->argv, call->environment);
    }
    child->number = errno;
    for (;;)
        (void)syscall(SYS_exit_group, NOT_STARTED_EXIT);
}

enum { STACK_BYTES = 32 * 1024 };

int spawn_process(const struct spawn_call *call, pid_t *pid_out)
{
    assert(call->cwd[0] == '/');
    for (int i = 0; i < 3; i++)
        assert(call->fds[i] > 2);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, find_changed);

    struct spawn_child child = {.call = call};
    sigset_t all;
    sigset_t before;
    _Alignas(max_align_t) char
        stack[STACK_BYTES]; /* on our own stack, which is safe because we wait for the exec */
    /* Our signal handlers must not run in the child, because it shares our memory. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = CLONE(run_child, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
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
