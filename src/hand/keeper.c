/* keeper.c - the process that starts the command, stores its output, and exits when no process of
 * the attempt is left, or AFTER_KILL_MS after it began to send KILL.
 *
 * Killing whoever started an attempt, or cutting the connection, must not affect it, so the keeper
 * has its own session and only the descriptors that it needs.
 *
 * Processes of the attempt may leave its session and lose their parent. The keeper is a child
 * subreaper, so it becomes the parent of all of them sooner or later, and when waitpid() fails with
 * ECHILD, there are none. Nothing else is taken as proof.
 *
 * The keeper's parent is a guard, which only waits. If the keeper is killed, its processes become
 * the guard's, which kills them. It shares the lock on the spool, so an attempt is reported as lost
 * only when nothing of it is left, unless both were killed.
 *
 * A signal is sent to a process only while its pid cannot have been reused: it is our child, which
 * we have not reaped, or a pidfd refers to it. */
#define _GNU_SOURCE /* pipe2, syscall, wait4, F_SETPIPE_SZ */

#include "hand_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SHELL_SIGNAL = 128,        /* a shell adds the number of the signal that killed its command */
    HELD_PAUSE_MS = 50,        /* how much later than the command we may hear from a cluster */
    AFTER_KILL_MS = 10 * 1000, /* how long killed processes may take to disappear */
    KILL_AGAIN_MS = 10,        /* from one search for processes to kill to the next */
    TERM_AGAIN_MS = 10,        /* the same for TERM; doubles up to: */
    TERM_AGAIN_MS_MAX = 1000,
    GUARD_AGAIN_MS_MAX =
        1000,             /* the guard's searches begin at KILL_AGAIN_MS, and double up to this */
    PROCESSES_FIRST = 64, /* processes of the machine that there is space for at first */
    STAT_BYTES = 1024,    /* of /proc/PID/stat; the fields that are read come first */
    PIPE_BYTES = 256 * 1024,               /* size of a pipe that was found full */
    DRAIN_MAX = 1024 * 1024,               /* the most that is read from a stream after the proof */
    CONTROL_BYTES = 4096,                  /* read from the control pipe at once */
    ORDER_BYTES_MAX = HAND_HEAD_BYTES + 8, /* no order is longer */
    LOW_FD = 3,                            /* the keeper's first descriptor */
    HIGH_FD = 16,                          /* above those */
    SCAN_FDS_MAX = 65535,                  /* highest one that is closed without close_range() */
    NOT_STARTED_EXIT = 127,
    US_PER_S = 1000 * 1000,
};

/* What ends the attempt, from mild to hard. */
enum phase {
    PHASE_RUNNING,
    PHASE_TERM, /* everything gets TERM once; KILL follows at `kill_at_ms` */
    PHASE_KILL, /* everything gets KILL until nothing is left or `give_up_at_ms` */
};

struct stream {
    int fd; /* -1 after its end */
    bool is_large;
};

struct keeper {
    struct spool spool;
    const struct hand_request *request; /* borrowed */
    bool is_held;                       /* by a holder */
    int signals, timer;
    int started; /* reads a struct start_failure, or end of file after the exec; -1 = known */
    struct stream streams[2];
    pid_t command;
    bool has_ended;      /* the command was reaped, or was not started */
    int status;          /* its wait status */
    uint32_t told_since; /* processes that got their first signal after that */
    enum phase phase;
    uint64_t memory_kills; /* memory_kills() before the command */
    uint64_t started_ms, lease_ends_ms, term_again_at_ms, kill_at_ms, give_up_at_ms;
    uint64_t term_again_ms;
    struct hand_end end;
    uint8_t frame[HAND_SPOOL_FRAME_MAX]; /* of output */
    uint8_t control[CONTROL_BYTES];
    size_t control_len;
};

/* Sent by the new process if it cannot become the command. */
struct start_failure {
    int32_t step; /* enum hand_step */
    int32_t number;
};

/* --- the command: from here to run_command(), code of the new process --- */

static void reset_signals(void)
{
    sigset_t none;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    for (int i = 1; i <= HAND_SIGNAL_MAX; i++)
        (void)sigaction(i, &by_default, NULL); /* fails for KILL, STOP and those of the library */
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Returns the value of PATH in the environment of the command. */
static const char *find_path(char *const *environment)
{
    for (; *environment; environment++) {
        if (strncmp(*environment, "PATH=", 5) == 0)
            return *environment + 5;
    }
    return "/usr/local/bin:/usr/bin:/bin";
}

/* Executes argv[0], which is searched for as execvp() does, but never runs it by /bin/sh. Returns
 * the errno. */
static int execute(char *const *argv, char *const *environment)
{
    char program[PATH_MAX];
    const char *name = argv[0];
    int why = ENOENT;

    if (!name) /* the request has at least one argument */
        return why;
    if (strchr(name, '/') || !name[0]) {
        (void)execve(name, argv, environment);
        return errno;
    }
    for (const char *dir = find_path(environment); dir;) {
        const size_t len = strcspn(dir, ":");
        const int wrote = snprintf(program, sizeof(program), "%.*s%s%s", (int)len, dir,
                                   len > 0 ? "/" : "./", name);
        if (wrote > 0 && wrote < PATH_MAX) {
            (void)execve(program, argv, environment);
            if (errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ENODEV &&
                errno != ETIMEDOUT) {
                why = errno;
                if (errno != EACCES)
                    break;
            }
        }
        dir = dir[len] == ':' ? dir + len + 1 : NULL;
    }
    return why;
}

struct command {
    char **argv, **environment; /* owned; the words are the order's, or of our environment */
    const char *directory;
    char *pwd;     /* owned: the entry PWD, or NULL */
    int fds[3];    /* its stdin, stdout and stderr */
    int report_fd; /* gets a struct start_failure; close-on-exec */
    pid_t keeper;
};

static void report_failure(const struct command *command, enum hand_step step, int number)
{
    const struct start_failure failure = {.step = (int32_t)step, .number = number};
    (void)!write(command->report_fd, &failure, sizeof(failure));
    _exit(NOT_STARTED_EXIT);
}

_Noreturn static void run_command(const struct command *command)
{
    (void)setsid();
    reset_signals();
    /* If the keeper is killed, nobody watches the lease any more. */
    (void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
    if (getppid() != command->keeper)
        _exit(NOT_STARTED_EXIT);
    for (int i = 0; i < 3; i++) {
        if (dup2(command->fds[i], i) < 0)
            report_failure(command, HAND_STEP_PROCESS, errno);
    }
    if (chdir(command->directory) != 0)
        report_failure(command, HAND_STEP_DIRECTORY, errno);
    report_failure(command, HAND_STEP_PROGRAM, execute(command->argv, command->environment));
    _exit(NOT_STARTED_EXIT);
}

/* --- starting it --- */

static bool has_same_name(const char *entry, const char *other)
{
    const size_t len = strcspn(entry, "=");
    return strncmp(entry, other, len) == 0 && other[len] == '=';
}

static size_t count_entries(char *const *environment)
{
    size_t count = 0;
    while (environment[count])
        count++;
    return count;
}

static bool has_entry(char *const *environment, const char *entry)
{
    while (*environment && !has_same_name(entry, *environment))
        environment++;
    return *environment;
}

/* Appends our own environment to that of the command, which has space for it. Our working directory
 * is not the command's. */
static void inherit_environment(const struct command *command, char *pwd)
{
    char **end = command->environment + count_entries(command->environment);
    char **const own = environ;
    if (!has_entry(command->environment, pwd))
        *end++ = pwd;
    for (size_t i = 0; own && own[i]; i++) {
        if (!has_same_name("OLDPWD=", own[i]) && !has_entry(command->environment, own[i]))
            *end++ = own[i];
    }
}

/* Points argv and the environment at the words of the order, and at our own environment if it asks
 * for that. */
static bool list_words(const struct order *order, struct command *command)
{
    const struct hand_request *request = &order->check.request;
    const size_t inherited = environ ? count_entries(environ) : 0;
    char *word = order->words;
    command->argv = calloc((size_t)request->arguments + 1, sizeof(char *));
    command->environment = calloc(request->entries + inherited + 2, sizeof(char *));
    if (!command->argv || !command->environment)
        return false;
    for (uint32_t i = 0; i < request->arguments; i++, word += strlen(word) + 1)
        command->argv[i] = word;
    for (uint32_t i = 0; i < request->entries; i++, word += strlen(word) + 1)
        command->environment[i] = word;
    command->directory = word;
    if (request->flags & HAND_INHERIT) {
        const size_t size = sizeof("PWD=") + strlen(word);
        command->pwd = malloc(size);
        if (!command->pwd)
            return false;
        (void)snprintf(command->pwd, size, "PWD=%s", word);
        inherit_environment(command, command->pwd);
    }
    return true;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void fail_to_start(struct keeper *keeper, enum hand_step step, int number)
{
    keeper->end.ended = HAND_NOT_STARTED;
    keeper->end.step = step;
    keeper->end.code = (uint32_t)number;
}

/* Opens the pipes and forks. Returns the errno, or 0. */
static int fork_command(struct keeper *keeper, struct command *command)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int number = 0;
    for (int i = 0; i < 3 && number == 0; i++)
        number = pipe2(pipes[i], O_CLOEXEC) == 0 ? 0 : errno;
    if (number == 0) {
        command->fds[1] = pipes[0][1];
        command->fds[2] = pipes[1][1];
        command->report_fd = pipes[2][1];
        keeper->command = fork();
        if (keeper->command == 0)
            run_command(command);
        number = keeper->command < 0 ? errno : 0;
    }
    for (int i = 0; i < 3; i++) {
        close_fd(&pipes[i][1]);
        if (number != 0)
            close_fd(&pipes[i][0]);
        else
            (void)fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
    }
    keeper->streams[0].fd = pipes[0][0];
    keeper->streams[1].fd = pipes[1][0];
    keeper->started = pipes[2][0];
    return number;
}

static void start_command(struct keeper *keeper, struct order *order)
{
    struct command command = {.fds = {order->input}, .keeper = getpid()};
    int number = list_words(order, &command) ? fork_command(keeper, &command) : ENOMEM;
    if (number != 0)
        fail_to_start(keeper, HAND_STEP_PROCESS, number);
    /* The keeper may live for days, and the words may have secrets. */
    explicit_bzero(order->words, order->words_bytes);
    free(order->words);
    order->words = NULL;
    free(command.argv);
    free(command.environment);
    free(command.pwd);
    close_fd(&order->input);
}

/* Reads whether the command was started. */
static void read_start(struct keeper *keeper)
{
    struct start_failure failure;
    const ssize_t got = read(keeper->started, &failure, sizeof(failure));
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    close_fd(&keeper->started);
    if (got == (ssize_t)sizeof(failure)) {
        fail_to_start(keeper, (enum hand_step)failure.step, failure.number);
        return;
    }
    uint8_t frame[HAND_SMALL_FRAME_MAX];
    const struct hand_started started = {
        .keeper = (uint32_t)getpid(), .command = (uint32_t)keeper->command, .at_ms = wall_ms()};
    spool_write(&keeper->spool, frame, hand_started_write(frame, &started));
}

/* --- finding and signaling its processes --- */

struct process {
    pid_t pid, parent;
    unsigned long long start; /* in clock ticks since boot; with the pid, it is unique */
    bool is_over;             /* a zombie */
    bool is_ours;
    bool was_told;
};

/* Processes by pid. */
struct processes {
    struct process *list; /* never freed: searches need it until we exit */
    size_t count, space;
};
static struct processes found, found_before;

/* Reads parent, state and start of a process. Returns false if it is gone. */
static bool read_process(pid_t pid, struct process *out)
{
    char text[STAT_BYTES];
    (void)snprintf(text, sizeof(text), "/proc/%d/stat", (int)pid);
    const int fd = open(text, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t got = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    text[got > 0 ? got : 0] = '\0';
    char *name_end = strrchr(text, ')'); /* the name itself may contain parentheses */
    if (!name_end || name_end[1] != ' ' || !name_end[2])
        return false;
    const char state = name_end[2];
    char *at = name_end + 3;
    long long threads = 0;
    *out = (struct process){.pid = pid};
    out->parent = (pid_t)strtol(at, &at, 10);
    for (int field = 5; field < 22; field++) { /* proc(5) counts them */
        const long long value = strtoll(at, &at, 10);
        if (field == 20)
            threads = value;
    }
    /* A process whose main thread has ended looks like a zombie while other threads run. */
    out->is_over = state == 'X' || (state == 'Z' && threads <= 1);
    out->start = strtoull(at, NULL, 10);
    return true;
}

static int compare_pids(const void *one, const void *other)
{
    const pid_t a = ((const struct process *)one)->pid;
    const pid_t b = ((const struct process *)other)->pid;
    return (a > b) - (a < b);
}

static const struct process *find_process(const struct processes *processes, pid_t pid)
{
    const struct process key = {.pid = pid};
    if (processes->count == 0)
        return NULL;
    return bsearch(&key, processes->list, processes->count, sizeof(key), compare_pids);
}

static bool has_our_parent(const struct process *process)
{
    if (process->parent == getpid())
        return true;
    const struct process *parent = find_process(&found, process->parent);
    return parent && parent->is_ours;
}

/* Makes space for another process. Without memory, a search finds some processes, and the next one
 * finds others once these are gone. */
static bool make_space(struct processes *processes)
{
    if (processes->count < processes->space)
        return true;
    const size_t space = processes->space > 0 ? 2 * processes->space : PROCESSES_FIRST;
    struct process *list = realloc(processes->list, space * sizeof(*list));
    if (!list)
        return false;
    processes->list = list;
    processes->space = space;
    return true;
}

/* Finds our descendants. Those that lose their parent meanwhile are found by the next search. */
static void find_processes(void)
{
    DIR *list = opendir("/proc");
    const struct processes unused = found_before;
    found_before = found;
    found = unused;
    found.count = 0;
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        const long pid = strtol(entry->d_name, NULL, 10);
        if (pid > 0 && make_space(&found) && read_process((pid_t)pid, &found.list[found.count]))
            found.count++;
    }
    if (list)
        (void)closedir(list);
    if (found.count > 1)
        qsort(found.list, found.count, sizeof(found.list[0]), compare_pids);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < found.count; i++) {
            if (!found.list[i].is_ours && has_our_parent(&found.list[i]))
                found.list[i].is_ours = changed = true;
        }
    }
    for (size_t i = 0; i < found.count; i++) {
        const struct process *before = find_process(&found_before, found.list[i].pid);
        found.list[i].was_told = before && before->start == found.list[i].start && before->was_told;
    }
}

/* Sends a signal to a process that find_processes() has found. */
static bool signal_process(const struct process *process, int number)
{
    /* We have not reaped a child since then, so its pid is still its own. */
    if (process->parent == getpid())
        return kill(process->pid, number) == 0;
    const int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (fd < 0 && errno == ESRCH)
        return false;
    /* If it is the same process now, the pidfd refers to it. */
    struct process now;
    bool ok = read_process(process->pid, &now) && now.start == process->start;
    if (ok && fd >= 0)
        ok = syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) == 0;
    else if (ok) /* before Linux 5.3, if a filter of system calls forbids it, or at a limit */
        ok = kill(process->pid, number) == 0;
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

/* How many processes got how many signals. */
struct told {
    uint32_t processes; /* which had got none before */
    uint32_t signals;
};

/* Sends KILL to all processes of the attempt. */
static struct told send_kill(void)
{
    struct told told = {0};
    find_processes();
    for (size_t i = 0; i < found.count; i++) {
        struct process *process = &found.list[i];
        if (!process->is_ours || process->is_over || !signal_process(process, SIGKILL))
            continue;
        told.signals++;
        told.processes += !process->was_told;
        process->was_told = true;
    }
    return told;
}

/* Sends TERM to all processes of the attempt that did not get it: the second one makes some
 * programs exit without cleaning up. */
static struct told send_term(void)
{
    struct told told = {0};
    find_processes();
    for (size_t i = 0; i < found.count; i++) {
        struct process *process = &found.list[i];
        if (!process->is_ours || process->is_over || process->was_told ||
            !signal_process(process, SIGTERM))
            continue;
        (void)signal_process(process, SIGCONT); /* a stopped one would not notice TERM */
        told.signals++;
        told.processes++;
        process->was_told = true;
    }
    return told;
}

static uint32_t count_alive(void)
{
    uint32_t count = 0;
    find_processes();
    for (size_t i = 0; i < found.count; i++)
        count += found.list[i].is_ours && !found.list[i].is_over;
    return count;
}

/* --- ending it --- */

/* Counts the processes that the command has left. The first search may miss one whose parent ends
 * while it runs, so whatever gets a signal later counts, too. */
static void count_left(struct keeper *keeper, uint32_t told)
{
    if (!keeper->has_ended)
        return;
    keeper->told_since += told;
    if (keeper->end.left < keeper->told_since)
        keeper->end.left = keeper->told_since;
}

static void kill_all(struct keeper *keeper)
{
    if (keeper->phase != PHASE_KILL) {
        keeper->phase = PHASE_KILL;
        keeper->give_up_at_ms = boot_ms() + AFTER_KILL_MS;
    }
    const struct told told = send_kill();
    keeper->end.kills += told.signals;
    count_left(keeper, told.processes);
}

/* Sends TERM to whatever was forked by processes that had not got it yet. */
static void term_again(struct keeper *keeper)
{
    const struct told told = send_term();
    count_left(keeper, told.processes);
    if (told.processes > 0)
        keeper->term_again_ms = TERM_AGAIN_MS;
    keeper->term_again_at_ms = boot_ms() + keeper->term_again_ms;
    if (keeper->term_again_ms < TERM_AGAIN_MS_MAX)
        keeper->term_again_ms *= 2;
}

/* Begins to end the attempt, if that has not begun. `why` counts only if the command has not ended
 * on its own before. */
static void end_attempt(struct keeper *keeper, enum hand_why why, bool at_once)
{
    if (!keeper->has_ended && keeper->phase == PHASE_RUNNING)
        keeper->end.why = why;
    if (keeper->phase == PHASE_RUNNING && !at_once) {
        keeper->phase = PHASE_TERM;
        keeper->kill_at_ms = boot_ms() + keeper->request->grace_ms;
        keeper->term_again_ms = TERM_AGAIN_MS;
        term_again(keeper);
    }
    if (at_once && keeper->phase != PHASE_KILL)
        kill_all(keeper);
}

static void take_heartbeat(struct keeper *keeper, uint64_t stamp_ms)
{
    const uint64_t now_ms = boot_ms();
    const uint64_t made_ms = stamp_ms < now_ms ? stamp_ms : now_ms;
    if (made_ms + keeper->request->lease_ms > keeper->lease_ends_ms)
        keeper->lease_ends_ms = made_ms + keeper->request->lease_ms;
}

/* Reads orders from the control pipe. Writers write whole frames at once, so anything else is not
 * from devs-hand, and is ignored. */
static void read_control(struct keeper *keeper)
{
    const ssize_t got = read(keeper->spool.control, keeper->control + keeper->control_len,
                             sizeof(keeper->control) - keeper->control_len);
    if (got <= 0)
        return;
    keeper->control_len += (size_t)got;
    size_t at = 0;
    for (;;) {
        struct hand_frame frame;
        uint64_t stamp_ms;
        const enum hand_read read =
            hand_frame_read(keeper->control + at, keeper->control_len - at, &frame);
        const bool is_too_long = read == HAND_MORE && keeper->control_len - at >= ORDER_BYTES_MAX;
        if (read == HAND_BAD || is_too_long)
            at = keeper->control_len;
        if (read != HAND_WHOLE)
            break;
        at += frame.size;
        if (!hand_stamp_read(&frame, &stamp_ms))
            continue;
        if (frame.type == HAND_HEARTBEAT)
            take_heartbeat(keeper, stamp_ms);
        if (frame.type == HAND_TERM)
            end_attempt(keeper, HAND_WHY_TERM, false);
        if (frame.type == HAND_KILL)
            end_attempt(keeper, HAND_WHY_KILL, true);
        if (frame.type == HAND_FOREIGN)
            end_attempt(keeper, HAND_WHY_FOREIGN, false);
    }
    keeper->control_len -= at;
    memmove(keeper->control, keeper->control + at, keeper->control_len);
}

static void read_signals(struct keeper *keeper)
{
    struct signalfd_siginfo info;
    while (read(keeper->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo != SIGCHLD)
            end_attempt(keeper, HAND_WHY_FOREIGN, false);
    }
}

/* Reads output once. Returns the number of bytes; 0 if there is none now. */
static size_t read_output(struct keeper *keeper, int i)
{
    struct stream *stream = &keeper->streams[i];
    if (stream->fd < 0)
        return 0;
    const ssize_t got = read(stream->fd, keeper->frame + HAND_HEAD_BYTES, HAND_OUTPUT_MAX);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        close_fd(&stream->fd);
    if (got <= 0)
        return 0;
    if (got == HAND_OUTPUT_MAX && !stream->is_large) {
        stream->is_large = true;
        (void)fcntl(stream->fd, F_SETPIPE_SZ, PIPE_BYTES);
    }
    spool_write(
        &keeper->spool, keeper->frame,
        hand_frame_seal(keeper->frame, HAND_OUTPUT, (uint8_t)(HAND_STDOUT + i), (size_t)got));
    return (size_t)got;
}

/* A cluster that ends a job may send TERM to the command before the keeper or its holder gets it.
 * An exit code 0 that follows from it must not pass. */
static void wait_for_cluster(struct keeper *keeper)
{
    const struct timespec pause = {.tv_nsec = (long)HELD_PAUSE_MS * NS_PER_MS};
    if (!keeper->is_held || keeper->phase != PHASE_RUNNING)
        return;
    (void)nanosleep(&pause, NULL);
    read_signals(keeper);
    read_control(keeper);
}

/* Reaps what has ended. Returns whether nothing is left. */
static bool reap(struct keeper *keeper)
{
    for (;;) {
        int status;
        const pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid <= 0)
            return pid < 0 && errno == ECHILD;
        if (pid != keeper->command)
            continue;
        if (keeper->started >= 0)
            read_start(keeper);
        wait_for_cluster(keeper);
        keeper->status = status;
        keeper->has_ended = true;
    }
}

/* --- the loop --- */

static uint64_t find_due(const struct keeper *keeper)
{
    switch (keeper->phase) {
    case PHASE_RUNNING:
        return keeper->lease_ends_ms;
    case PHASE_TERM:
        return keeper->kill_at_ms < keeper->term_again_at_ms ? keeper->kill_at_ms
                                                             : keeper->term_again_at_ms;
    case PHASE_KILL:
        break;
    }
    return boot_ms() + KILL_AGAIN_MS;
}

/* The timer uses CLOCK_BOOTTIME, too: poll() would not notice that the machine was suspended. */
static void set_timer(const struct keeper *keeper)
{
    const uint64_t due_ms = find_due(keeper);
    const struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(due_ms / MS_PER_S),
                     .tv_nsec = (long)(due_ms % MS_PER_S) * NS_PER_MS + 1}};
    (void)timerfd_settime(keeper->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void wait_for_something(struct keeper *keeper)
{
    struct pollfd fds[] = {
        {.fd = keeper->signals, .events = POLLIN},
        {.fd = keeper->timer, .events = POLLIN},
        {.fd = keeper->spool.control, .events = POLLIN},
        {.fd = keeper->started, .events = POLLIN},
        {.fd = keeper->streams[0].fd, .events = POLLIN},
        {.fd = keeper->streams[1].fd, .events = POLLIN},
    };
    set_timer(keeper);
    (void)poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
}

static void check_time(struct keeper *keeper)
{
    const uint64_t now_ms = boot_ms();
    if (keeper->phase == PHASE_RUNNING && now_ms >= keeper->lease_ends_ms)
        end_attempt(keeper, HAND_WHY_LEASE, false);
    else if (keeper->phase == PHASE_TERM && now_ms >= keeper->kill_at_ms)
        kill_all(keeper);
    else if (keeper->phase == PHASE_TERM && now_ms >= keeper->term_again_at_ms)
        term_again(keeper);
    else if (keeper->phase == PHASE_KILL)
        kill_all(keeper);
}

/* Returns once nothing is left, or what is left does not die. */
static void keep(struct keeper *keeper)
{
    for (;;) {
        const bool had_ended = keeper->has_ended;
        if (keeper->started >= 0)
            read_start(keeper);
        read_control(keeper);
        read_signals(keeper);
        if (keeper->started < 0) { /* output comes after the frame that says so */
            (void)read_output(keeper, 0);
            (void)read_output(keeper, 1);
        }
        if (keeper->spool.number != 0)
            end_attempt(keeper, HAND_WHY_SPOOL, false);
        if (reap(keeper)) {
            keeper->end.proven = true;
            return;
        }
        if (keeper->has_ended && !had_ended) {
            keeper->end.left = count_alive();
            end_attempt(keeper, keeper->end.why, false);
        }
        check_time(keeper);
        if (keeper->phase == PHASE_KILL && boot_ms() >= keeper->give_up_at_ms) {
            keeper->end.remaining = count_alive();
            return;
        }
        wait_for_something(keeper);
    }
}

static void drain(struct keeper *keeper, int i)
{
    for (size_t total = 0; total < DRAIN_MAX;) {
        const size_t got = read_output(keeper, i);
        if (got == 0)
            return;
        total += got;
    }
}

static uint64_t to_us(struct timeval time)
{
    return (uint64_t)time.tv_sec * US_PER_S + (uint64_t)time.tv_usec;
}

static void describe_end(struct keeper *keeper)
{
    struct hand_end *end = &keeper->end;
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    if (end->ended != HAND_NOT_STARTED && !keeper->has_ended) { /* killed, and still there */
        end->ended = HAND_SIGNALED;
        end->code = SIGKILL;
    } else if (end->ended != HAND_NOT_STARTED) {
        const bool signaled = WIFSIGNALED(keeper->status);
        end->ended = signaled ? HAND_SIGNALED : HAND_EXITED;
        end->code = (uint32_t)(signaled ? WTERMSIG(keeper->status) : WEXITSTATUS(keeper->status));
        /* Others may be in the same control group, so a kill there is not enough. */
        const bool is_killed = end->code == (signaled ? SIGKILL : SHELL_SIGNAL + SIGKILL);
        if (end->why == HAND_WHY_OWN && is_killed && memory_kills() > keeper->memory_kills)
            end->why = HAND_WHY_MEMORY;
    }
    end->at_ms = wall_ms();
    end->ran_ms = boot_ms() - keeper->started_ms;
    end->user_us = to_us(usage.ru_utime);
    end->system_us = to_us(usage.ru_stime);
    end->max_rss_kib = (uint64_t)usage.ru_maxrss;
    end->spool_errno = (uint32_t)keeper->spool.number;
    end->output_bytes = keeper->spool.output_bytes;
    end->dropped_bytes = keeper->spool.dropped_bytes;
}

static bool open_events(struct keeper *keeper)
{
    sigset_t all;
    sigset_t read_ones;
    (void)sigfillset(&all); /* HUP, PIPE, XFSZ and the like stay pending forever */
    (void)sigemptyset(&read_ones);
    (void)sigaddset(&read_ones, SIGCHLD);
    (void)sigaddset(&read_ones, SIGTERM);
    (void)sigaddset(&read_ones, SIGINT);
    (void)signal(SIGCHLD, SIG_DFL); /* if it was ignored, waitpid() would know nothing */
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    keeper->signals = signalfd(-1, &read_ones, SFD_CLOEXEC | SFD_NONBLOCK);
    keeper->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    return keeper->signals >= 0 && keeper->timer >= 0 &&
           prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) == 0;
}

static void close_from(int first)
{
    if (syscall(SYS_close_range, first, INT_MAX, 0) == 0)
        return;
    for (int fd = first; fd <= SCAN_FDS_MAX; fd++) /* before Linux 5.9 */
        (void)close(fd);
}

/* Keeps three descriptors of all that we have or have inherited; stdin, stdout and stderr lead
 * nowhere. */
static bool keep_descriptors(struct spool *spool, struct order *order)
{
    int *const kept[] = {&spool->fd, &spool->control, &order->input};
    for (size_t i = 0; i < 3; i++) {
        const int fd = fcntl(*kept[i], F_DUPFD_CLOEXEC, HIGH_FD);
        if (fd < 0) /* the spool stays open: its end says what failed */
            return false;
        *kept[i] = fd;
    }
    for (size_t i = 0; i < 3; i++) {
        if (dup3(*kept[i], LOW_FD + (int)i, O_CLOEXEC) < 0)
            return false;
        *kept[i] = LOW_FD + (int)i;
    }
    close_from(LOW_FD + 3);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool ok = nothing >= 0;
    for (int i = 0; i < 3; i++)
        ok = ok && dup2(nothing, i) == i;
    if (nothing > 2)
        (void)close(nothing);
    return ok && chdir("/") == 0; /* no file system stays in use because of us */
}

static struct keeper the_keeper; /* too large for a stack; one for each process */

/* Does not return. Owns the order. `has_kept` is whether keep_descriptors() succeeded; if not,
 * errno says why. */
_Noreturn static void run_keeper(const struct spool *spool, struct order *order, bool has_kept)
{
    struct keeper *keeper = &the_keeper;
    keeper->spool = *spool;
    keeper->request = &order->check.request;
    keeper->is_held = order->is_held;
    keeper->started = keeper->streams[0].fd = keeper->streams[1].fd = -1;
    keeper->memory_kills = memory_kills();
    keeper->started_ms = boot_ms();
    keeper->lease_ends_ms = order->check.stamp_ms + order->check.request.lease_ms;
    if (!has_kept || !open_events(keeper))
        fail_to_start(keeper, HAND_STEP_PROCESS, errno);
    else
        start_command(keeper, order);
    if (keeper->command > 0)
        keep(keeper);
    else
        keeper->end.proven = true; /* there never was a process */
    if (keeper->started >= 0)      /* it neither executes the program nor dies */
        fail_to_start(keeper, HAND_STEP_PROGRAM, ETIMEDOUT);
    for (int i = 0; i < 2 && keeper->started < 0; i++)
        drain(keeper, i);
    describe_end(keeper);
    _exit(spool_finish(&keeper->spool, &keeper->end) ? 0 : HAND_EXIT_LOST);
}

/* Waits for the keeper, then kills what it has left, until there is nothing. */
_Noreturn static void guard(pid_t keeper)
{
    long pause_ms = KILL_AGAIN_MS;
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        continue;
    for (;;) {
        const pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid < 0 && errno == ECHILD)
            _exit(0);
        if (pid != 0)
            continue;
        const struct timespec pause = {.tv_sec = pause_ms / MS_PER_S,
                                       .tv_nsec = pause_ms % MS_PER_S * NS_PER_MS};
        (void)send_kill();
        (void)nanosleep(&pause, NULL);
        pause_ms = pause_ms * 2 < GUARD_AGAIN_MS_MAX ? pause_ms * 2 : GUARD_AGAIN_MS_MAX;
    }
}

/* Becomes the guard, and forks the keeper. Does not return. */
_Noreturn static void run_guard(const struct spool *spool, const struct order *order)
{
    struct spool own_spool = *spool;
    struct order own_order = *order;
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    bool ok = keep_descriptors(&own_spool, &own_order);
    ok = ok && prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) == 0;
    const pid_t keeper = ok ? fork() : -1;
    if (keeper <= 0) /* without a guard, it reports that it could not start anything */
        run_keeper(&own_spool, &own_order, keeper == 0);
    close_fd(&own_spool.control);
    order_done(&own_order);
    guard(keeper);
}

bool keeper_start(const struct spool *spool, const struct order *order)
{
    int status;
    /* Two forks: nobody has to wait for the guard, and as it does not lead its session, it never
     * gets a controlling terminal. */
    const pid_t between = fork();
    if (between < 0)
        return false;
    if (between == 0) {
        (void)setsid();
        const pid_t pid = fork();
        if (pid == 0)
            run_guard(spool, order);
        _exit(pid > 0 ? 0 : errno);
    }
    while (waitpid(between, &status, 0) < 0) {
        if (errno != EINTR)
            return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        errno = WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
        return false;
    }
    return true;
}
