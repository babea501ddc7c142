/* spawn.c - starts a process with clone(2) that uses our memory until it executes its program.
 *
 * fork() would copy the tables of our memory, which takes longer the more memory we use, and
 * posix_spawn() cannot enter cgroups. A process that shares our memory must not write to it: even a
 * failed C library call would write to the errno of our thread. So between clone and exec it makes
 * raw system calls only, and is not instrumented by sanitizers.
 *
 * With spawn_process() our thread waits until the exec, and the stack of the new process is part of
 * ours. With spawn_begin() our thread continues: the process has a stack of its own in struct
 * spawn_way, where the kernel clears `is_here` when the process leaves our memory. */
#define _GNU_SOURCE /* AT_EACCESS, clone, CLONE_PIDFD */

#include "spawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "turns.h"
#include "xalloc.h"

/*
 * System calls that do not write to the memory of the process.
 *
 * The C library writes errno, which belongs to the calling thread. A new process must not do that
 * while it shares memory with a thread that is running. Any thread.
 */

/* A sanitizer would attribute the memory accesses of the new process to us. */
#define IN_OUR_MEMORY __attribute__((no_sanitize("address", "thread", "undefined")))

#define RAW_CALL static inline IN_OUR_MEMORY __attribute__((always_inline))

#if defined(__x86_64__) && !defined(__ILP32__)
#define RAW_CALL_IS_RAW 1
/* Returns the kernel's answer, or the errno as a negative number. Registers as in syscall(2). */
RAW_CALL long raw_call(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long answer;
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return answer;
}

#elif defined(__aarch64__) && !defined(__ILP32__)
#define RAW_CALL_IS_RAW 1
/* Like the raw_call() above, for the other processor. */
RAW_CALL long raw_call(long number, long a, long b, long c, long d)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}

#else
#define RAW_CALL_IS_RAW 0
/* On other processors, uses the C library's call, which is not raw. */
RAW_CALL long raw_call(long number, long a, long b, long c, long d)
{
    const long answer = syscall(number, a, b, c, d);
    return answer == -1 ? -errno : answer;
}

#endif

/* Converts an address for the kernel. */
RAW_CALL long raw_address(const volatile void *memory)
{
    return (long)memory;
}

/*
 * What a new process does until it executes its program.
 *
 * It runs in our memory, on its own stack, while our thread waits (spawn_process()) or continues
 * (spawn_begin()). Nothing from here to spawn_child_run() may call the C library, except
 * spawn_child_prepare(), which is called before the start.
 */

struct spawn_child {
    const struct spawn_call *call; /* borrowed until its exec, as is everything it points to */
    /* Paths to try in order if call->program is NULL, each with its NUL. */
    const char *programs, *programs_end;
    volatile int number; /* the errno of the failure that ended it */
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

/* Returns only on failure. */
IN_OUR_MEMORY static long execute_program(const struct spawn_call *call, const char *program)
{
    return raw_call(SYS_execve, raw_address(program), raw_address(call->argv),
                    raw_address(call->environment), 0);
}

/* Executes the first path that can be executed. Returns the errno of the last one. */
IN_OUR_MEMORY static long execute_first(const struct spawn_child *child)
{
    long answer = -ENOENT;
    for (const char *at = child->programs; at < child->programs_end; at++) {
        answer = raw_call(SYS_faccessat2, AT_FDCWD, raw_address(at), X_OK, AT_EACCESS);
        if (answer == 0)
            return execute_program(child->call, at);
        while (*at != '\0')
            at++;
    }
    return answer;
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
        answer = call->program ? execute_program(call, call->program) : execute_first(child);
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

enum {
    WAY_STACK_BYTES = 8 * 1024,    /* enough for functions with a few local variables */
    WAY_PROGRAMS_BYTES = 4 * 1024, /* all candidate paths of the program */
};

struct spawn_way {
    _Alignas(max_align_t) char stack[WAY_STACK_BYTES];
    char programs[WAY_PROGRAMS_BYTES];
    struct spawn_call call;
    struct spawn_child child;
    /* The kernel writes 0 here (set_tid_address(2)) when the process leaves our memory, by its exec
     * or its end. */
    atomic_int is_here;
};

/* Makes the paths for the process to try, here where the C library may be called. */
static bool list_programs(struct spawn_way *way, const char *name, const char *dirs)
{
    const size_t name_bytes = strlen(name) + 1;
    size_t len = 0;
    if (name[0] == '\0' || name_bytes > sizeof(way->programs))
        return false;
    if (strchr(name, '/')) {
        memcpy(way->programs, name, name_bytes);
        len = name_bytes;
        dirs = NULL;
    }
    while (dirs) {
        const size_t dir_bytes = strcspn(dirs, ":");
        if (sizeof(way->programs) - len < dir_bytes + 2 + name_bytes)
            return false;
        memcpy(way->programs + len, dirs, dir_bytes);
        len += dir_bytes;
        if (dir_bytes == 0)
            way->programs[len++] = '.';
        way->programs[len++] = '/';
        memcpy(way->programs + len, name, name_bytes);
        len += name_bytes;
        dirs = dirs[dir_bytes] == ':' ? dirs + dir_bytes + 1 : NULL;
    }
    way->child.programs = way->programs;
    way->child.programs_end = way->programs + len;
    return true;
}

static int clone_onto_way(struct spawn_way *way, struct spawn_gone *out)
{
    const int flags = CLONE_VM | CLONE_PIDFD | CLONE_CHILD_CLEARTID | SIGCHLD;
    sigset_t all;
    sigset_t before;
    atomic_init(&way->is_here, 1);
    /* A signal handler of ours must not run in the child, which shares our memory. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = CLONE(spawn_child_run, way->stack + WAY_STACK_BYTES, flags, &way->child,
                            &out->pidfd, NULL, &way->is_here);
    const int number = pid < 0 ? errno : 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    out->pid = pid;
    return number;
}

int spawn_begin(const struct spawn_call *call, const char *dirs, struct spawn_gone *out)
{
    assert(call->cwd[0] == '/' && !call->program && !call->limits);
    for (int i = 0; i < 3; i++)
        assert(call->fds[i] > 2);
    if (!RAW_CALL_IS_RAW)
        return ENOSYS;
    spawn_child_prepare();

    struct spawn_way *way = xcheck(malloc(sizeof(*way))); /* its stack need not be cleared */
    way->call = *call;
    way->child = (struct spawn_child){.call = &way->call};
    struct spawn_gone gone = {.way = way, .pidfd = -1};
    int number =
        list_programs(way, call->argv[0], dirs) ? clone_onto_way(way, &gone) : ENAMETOOLONG;
    if (number == 0)
        *out = gone;
    else
        free(way);
    return number;
}

enum spawn_news spawn_way_look(const struct spawn_way *way)
{
    if (atomic_load(&way->is_here) != 0)
        return SPAWN_GOES;
    return way->child.number == 0 ? SPAWN_ARRIVED : SPAWN_HAS_FAILED;
}

void spawn_way_end(struct spawn_way *way)
{
    assert(!way || spawn_way_look(way) != SPAWN_GOES);
    free(way);
}
