/* term_signals.c - handles signals while we own the terminal, and resets the terminal if one kills
 * the process.
 *
 * Only one instance per process, because handlers can only find it through a static variable. Main
 * thread; the handlers may run on any thread. The alternate signal stack is the main thread's. */
#define _GNU_SOURCE /* pipe2 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "shm_guard.h"
#include "term_internal.h"
#include "xalloc.h"

enum { HANDLER_STACK_BYTES = 64 * 1024 };

/* Signals reported to the app. */
static const int told[] = {SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT};

/* Signals that kill the process. Signals that were ignored before stay ignored. */
static const struct deadly {
    int signal;
    const char *line;
} deadly[] = {
    {SIGSEGV, "devs: crashed: signal SEGV\n"},  {SIGBUS, "devs: crashed: signal BUS\n"},
    {SIGILL, "devs: crashed: signal ILL\n"},    {SIGFPE, "devs: crashed: signal FPE\n"},
    {SIGABRT, "devs: crashed: signal ABRT\n"},  {SIGSYS, "devs: crashed: signal SYS\n"},
    {SIGTRAP, "devs: crashed: signal TRAP\n"},  {SIGQUIT, "devs: killed by signal QUIT\n"},
    {SIGUSR1, "devs: killed by signal USR1\n"}, {SIGUSR2, "devs: killed by signal USR2\n"},
    {SIGALRM, "devs: killed by signal ALRM\n"}, {SIGVTALRM, "devs: killed by signal VTALRM\n"},
    {SIGPROF, "devs: killed by signal PROF\n"}, {SIGPOLL, "devs: killed by signal POLL\n"},
    {SIGXCPU, "devs: killed by signal XCPU\n"}, {SIGXFSZ, "devs: killed by signal XFSZ\n"},
};

/* Static, because signal handlers and atexit() functions take no context argument. */
static struct {
    bool open;
    bool at_exit; /* the atexit() handler is registered, which is done once per process */
    pid_t pid;    /* pid of this process; an exiting child must not touch our terminal */
    int pipe[2];
    struct termios before;
    struct term_reset reset;
    struct sigaction told_before[ARRAY_LEN(told)];
    struct sigaction deadly_before[ARRAY_LEN(deadly)];
    bool ignores_keys;
    struct sigaction quit_kept; /* previous action, while SIGQUIT is ignored */
    stack_t stack_before;
    char *stack; /* owned */
} state = {.pipe = {-1, -1}};

static volatile sig_atomic_t armed;

/* Uses only async-signal-safe functions. */
static void write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t count = write(fd, bytes, len);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return; /* the terminal is closed: nothing to reset */
        bytes += count;
        len -= (size_t)count;
    }
}

/* Resets the terminal if it is armed. Also called from signal handlers. */
static void reset_terminal(void)
{
    if (!armed || getpid() != state.pid)
        return;
    armed = 0;
    write_all(STDOUT_FILENO, state.reset.bytes, state.reset.len);
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &state.before);
}

static void on_told(int signal)
{
    int saved_errno = errno;
    unsigned char byte = (unsigned char)signal;
    ssize_t ignored = write(state.pipe[1], &byte, 1); /* pipe full: the app will wake up anyway */
    (void)ignored;
    errno = saved_errno;
}

/* Resets the terminal and lets the signal kill the process: SA_RESETHAND has restored the default
 * action, which takes effect when this handler returns. */
static void on_deadly(int signal)
{
    reset_terminal();
    for (size_t i = 0; i < ARRAY_LEN(deadly); i++) {
        if (deadly[i].signal == signal)
            write_all(STDERR_FILENO, deadly[i].line, strlen(deadly[i].line));
    }
    (void)raise(signal);
}

/* Repairs a SIGBUS caused by a truncated shared-memory file of the log, which must not kill the
 * process. Other causes are fatal. */
static void on_bus(int signal, siginfo_t *info, void *context)
{
    const int saved_errno = errno;
    (void)context;
    if (info->si_code != BUS_ADRERR || !shm_guard_repair(info->si_addr)) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        (void)sigaction(SIGBUS, &action, NULL);
        on_deadly(signal);
    }
    errno = saved_errno;
}

static void close_pipe(void)
{
    for (int i = 0; i < 2; i++) {
        if (state.pipe[i] >= 0)
            (void)close(state.pipe[i]);
        state.pipe[i] = -1;
    }
}

static void take_told(size_t i, struct sigaction *before)
{
    struct sigaction action = {.sa_handler = on_told, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(told[i], &action, before);
}

static void take_deadly(size_t i)
{
    /* Blocks all other signals while the handler runs, above all SIGTTOU, which tcsetattr() causes
     * in a background process. */
    struct sigaction action = {.sa_handler = on_deadly, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
    if (deadly[i].signal == SIGBUS) {
        action.sa_sigaction = on_bus;
        action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    }
    (void)sigfillset(&action.sa_mask);
    const struct sigaction *before = &state.deadly_before[i];
    (void)sigaction(deadly[i].signal, &action, &state.deadly_before[i]);
    const bool is_ignored = !(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_IGN;
    if (is_ignored)
        (void)sigaction(deadly[i].signal, before, NULL);
}

bool term_signals_open(struct err *err)
{
    assert(!state.open);

    if (tcgetattr(STDIN_FILENO, &state.before) != 0)
        return err_set_errno(err, errno, "terminal: cannot read the settings");
    if (pipe2(state.pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        const int number = errno;
        state.pipe[0] = state.pipe[1] = -1;
        return err_set_errno(err, number, "terminal: cannot create a pipe");
    }
    shm_guard_install(); /* before our own handlers, so that closing the terminal restores its
                            handlers */
    state.pid = getpid();
    state.stack = xcalloc(1, HANDLER_STACK_BYTES);
    stack_t stack = {.ss_sp = state.stack, .ss_size = HANDLER_STACK_BYTES};
    if (sigaltstack(&stack, &state.stack_before) != 0) {
        int number = errno;
        free(state.stack);
        state.stack = NULL;
        close_pipe();
        return err_set_errno(err, number, "terminal: cannot set up a signal stack");
    }
    if (!state.at_exit)
        state.at_exit = atexit(reset_terminal) == 0;
    for (size_t i = 0; i < ARRAY_LEN(told); i++)
        take_told(i, &state.told_before[i]);
    for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
        take_deadly(i);
    state.open = true;
    return true;
}

void term_signals_close(void)
{
    if (!state.open)
        return;
    armed = 0;
    for (size_t i = 0; i < ARRAY_LEN(told); i++)
        (void)sigaction(told[i], &state.told_before[i], NULL);
    for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
        (void)sigaction(deadly[i].signal, &state.deadly_before[i], NULL);
    (void)sigaltstack(&state.stack_before, NULL);
    free(state.stack);
    state.stack = NULL;
    close_pipe();
    state.ignores_keys = false;
    state.open = false;
}

void term_signals_arm(const struct term_reset *reset)
{
    assert(state.open);
    armed = 0;
    state.reset = *reset;
    armed = 1;
}

void term_signals_disarm(void)
{
    armed = 0;
}

void term_signals_ignore_keys(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigemptyset(&ignore.sa_mask);
    if (!state.ignores_keys)
        (void)sigaction(SIGQUIT, &ignore, &state.quit_kept);
    state.ignores_keys = true;
}

void term_signals_take_keys(void)
{
    if (state.ignores_keys)
        (void)sigaction(SIGQUIT, &state.quit_kept, NULL);
    state.ignores_keys = false;
}

void term_signals_restore_settings(void)
{
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &state.before); /* fails if the terminal is closed */
}

int term_signals_fd(void)
{
    return state.pipe[0];
}

int term_signals_next(void)
{
    unsigned char byte = 0;
    ssize_t count = 0;
    do
        count = read(state.pipe[0], &byte, 1);
    while (count < 0 && errno == EINTR);
    return count == 1 ? byte : 0;
}

void term_signals_stop_here(void)
{
    struct sigaction stop = {.sa_handler = SIG_DFL};
    (void)sigemptyset(&stop.sa_mask);
    (void)sigaction(SIGTSTP, &stop, NULL);
    (void)raise(SIGTSTP); /* returns when continued, or at once if no process could continue us */
    for (size_t i = 0; i < ARRAY_LEN(told); i++) {
        if (told[i] == SIGTSTP)
            take_told(i, NULL);
    }
}
