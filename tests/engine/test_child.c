/* A child process from its start to its end: by itself, by its time, by a cancel; and what it
 * leaves. */
#define _GNU_SOURCE /* environ, realpath, pipe2, resource ids */

#include "child_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "clock.h"
#include "str.h"
#include "test_main.h"
#include "xalloc.h"

/* LONG_MS: only a hang takes that long, even on a busy machine. ROUNDS: measurements with a lower
 * and an upper bound are repeated with twice the time. */
enum { GRACE_MS = 300, LONG_MS = 60000, ROUNDS = 6 };

/* One child and everything its watcher reported. */
struct watched {
    struct child *child;
    struct str text[2];
    int64_t bytes[2];
    size_t most; /* the largest piece of output */
    bool keep_text;
    bool started, failed, ended;
    int number; /* why it failed */
    struct err err;
    struct child_end end;
    const char *cancel_on; /* stdout text that makes us cancel */
    enum cancel_mode cancel_mode;
    int busy_ms; /* before that, so that the loop's time is stale */
    int64_t cancelled_ms;
};

/* An argv that executes this literal script. */
#define SHELL(script)                                                                              \
    {                                                                                              \
        (char[]){"/bin/sh"}, (char[]){"-c"}, (char[]){script}, NULL                                \
    }

static uv_loop_t loop;
static struct nursery *nursery;
static char dir[PATH_MAX];
static char run_mark[PATH_MAX + 16]; /* unique: others may run the same test now */
static char step_mark[] = "DEVS_STEP=a/1";

static void child_try_open(void)
{
    struct err err = {0};
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_msg(nursery_open(&nursery, &loop, &err), "%s", err.message);
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    (void)snprintf(run_mark, sizeof(run_mark), "DEVS_RUN=%s", dir);
}

static void child_try_close(void)
{
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    nursery_close(nursery);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void on_started(void *ctx)
{
    struct watched *watched = ctx;
    ck_assert(!watched->started && !watched->failed && !watched->ended);
    ck_assert_int_gt(child_pid(watched->child), 1);
    ck_assert_int_gt(child_pid_start(watched->child), 0);
    watched->started = true;
}

static void on_failed(void *ctx, int number, const struct err *err)
{
    struct watched *watched = ctx;
    ck_assert(!watched->started && !watched->failed);
    watched->failed = true;
    watched->number = number;
    watched->err = *err;
}

static void on_output(void *ctx, int stream, const char *bytes, size_t len)
{
    struct watched *watched = ctx;
    watched->bytes[stream] += (int64_t)len;
    watched->most = len > watched->most ? len : watched->most;
    if (watched->keep_text)
        str_add_n(&watched->text[stream], bytes, len);
    bool cancel = watched->cancel_on && strstr(str_text(&watched->text[0]), watched->cancel_on);
    if (!cancel)
        return;
    watched->cancel_on = NULL;
    if (watched->busy_ms > 0)
        (void)poll(NULL, 0, watched->busy_ms);
    watched->cancelled_ms = clock_now().mono_ms;
    child_cancel(watched->child, watched->cancel_mode);
}

static void on_ended(void *ctx, const struct child_end *end)
{
    struct watched *watched = ctx;
    ck_assert(watched->started && !watched->ended);
    watched->ended = true;
    watched->end = *end;
}

static void watched_done(struct watched *watched)
{
    str_done(&watched->text[0]);
    str_done(&watched->text[1]);
}

static struct child_call make_call(char *const *argv, char **environment)
{
    return (struct child_call){
        .spawn = {.argv = argv, .environment = environment, .cwd = dir},
        .run_mark = run_mark,
        .step_mark = step_mark,
        .grace_ms = GRACE_MS,
    };
}

static void begin(struct watched *watched, const struct child_call *call)
{
    const struct child_watcher watcher = {.ctx = watched,
                                          .started = on_started,
                                          .failed = on_failed,
                                          .output = on_output,
                                          .ended = on_ended};
    watched->keep_text = true;
    watched->child = child_start(nursery, call, &watcher);
    ck_assert(!watched->started && !watched->failed);
}

static void begin_and_wait(struct watched *watched, const struct child_call *call)
{
    begin(watched, call);
    while (!watched->started && !watched->failed)
        (void)uv_run(&loop, UV_RUN_ONCE);
}

static void start(struct watched *watched, const struct child_call *call)
{
    begin_and_wait(watched, call);
    ck_assert_msg(watched->started, "%s", watched->err.message);
}

static char **make_environment(char *step, char *more)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **all = xcalloc(count + 4, sizeof(*all));
    size_t at = 0;
    all[at++] = run_mark;
    all[at++] = step;
    if (more)
        all[at++] = more;
    memcpy(all + at, environ, count * sizeof(*all));
    return all;
}

static void start_script_with(struct watched *watched, const char *script, int64_t timeout_ms,
                              int64_t grace_ms)
{
    char shell[] = "/bin/sh";
    char flag[] = "-c";
    char *text = xstrdup(script);
    char *const argv[] = {shell, flag, text, NULL};
    char **environment = make_environment(step_mark, NULL);
    struct child_call call = make_call(argv, environment);
    call.timeout_ms = timeout_ms;
    call.grace_ms = grace_ms;
    start(watched, &call);
    free(environment);
    free(text);
}

static void start_script(struct watched *watched, const char *script, int64_t timeout_ms)
{
    start_script_with(watched, script, timeout_ms, GRACE_MS);
}

static void run_script_with(struct watched *watched, const char *script, int64_t timeout_ms,
                            int64_t grace_ms)
{
    start_script_with(watched, script, timeout_ms, grace_ms);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(watched->ended);
}

static void run_script(struct watched *watched, const char *script, int64_t timeout_ms)
{
    run_script_with(watched, script, timeout_ms, GRACE_MS);
}

static pid_t told_pid(const struct watched *watched)
{
    long pid = strtol(str_text(&watched->text[0]), NULL, 10);
    ck_assert_int_gt(pid, 1);
    return (pid_t)pid;
}

static bool is_alive(pid_t pid)
{
    struct proc_facts facts;
    return proc_read(pid, &facts) && !proc_is_over(&facts);
}

static bool await_reaped(pid_t pid)
{
    for (int i = 0; i < LONG_MS; i++) {
        struct proc_facts facts;
        if (!proc_read(pid, &facts))
            return true;
        nursery_reap(nursery);
        (void)poll(NULL, 0, 1);
    }
    return false;
}

enum { MIB = 1024 * 1024 };

static int inheritable_before;

/* Descriptors that a child would inherit. */
static int count_inheritable(void)
{
    int count = 0;
    for (int fd = 3; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        count += flags >= 0 && (flags & FD_CLOEXEC) == 0;
    }
    return count;
}

static void setup(void)
{
    inheritable_before = count_inheritable();
    child_try_open();
}

static const struct {
    const char *script;
    enum outcome_kind kind;
    int code;
} ends[] = {
    {"exit 0", OUTCOME_EXIT, 0},
    {"exit 1", OUTCOME_EXIT, 1},
    {"exit 255", OUTCOME_EXIT, 255},
    {"kill -9 $$", OUTCOME_SIGNAL, SIGKILL},
    {"kill -15 $$", OUTCOME_SIGNAL, SIGTERM},
    {"kill -11 $$", OUTCOME_SIGNAL, SIGSEGV},
    {"exit 124", OUTCOME_EXIT, 124},
    {"exec >&- 2>&-; sleep 0.2; exit 5", OUTCOME_EXIT, 5}, /* closes its pipes, but lives */
};

START_TEST(test_end)
{
    struct watched watched = {0};
    run_script(&watched, ends[_i].script, 0);
    ck_assert_msg(watched.end.outcome.kind == ends[_i].kind, "%s: kind %d", ends[_i].script,
                  (int)watched.end.outcome.kind);
    ck_assert_msg(watched.end.outcome.code == ends[_i].code, "%s: code %d", ends[_i].script,
                  watched.end.outcome.code);
    ck_assert_int_eq(watched.end.outcome.processes_left, 0);
    watched_done(&watched);
}
END_TEST

START_TEST(test_stdout_and_stderr_are_separate_and_stdin_is_empty)
{
    struct watched watched = {0};
    run_script(&watched, "cat; echo out; echo err >&2; echo more", 0);
    ck_assert_str_eq(str_text(&watched.text[0]), "out\nmore\n");
    ck_assert_str_eq(str_text(&watched.text[1]), "err\n");
    watched_done(&watched);
}
END_TEST

START_TEST(test_stdin_comes_from_the_file)
{
    char path[PATH_MAX + 8];
    (void)snprintf(path, sizeof(path), "%s/input", dir);
    test_write_file(path, "from the file", 0644);

    char cat[] = "cat";
    char *const argv[] = {cat, NULL};
    char **environment = make_environment(step_mark, NULL);
    struct child_call call = make_call(argv, environment);
    call.spawn.stdin_path = path;
    struct watched watched = {0};
    start(&watched, &call);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(str_text(&watched.text[0]), "from the file");
    free(environment);
    watched_done(&watched);
}
END_TEST

START_TEST(test_stdin_bytes_come_whole_and_have_no_name)
{
    enum { INPUT_BYTES = 300 * 1024 };
    struct watched watched = {0};
    char *input = xcalloc(INPUT_BYTES + 1, 1);
    char *const argv[] =
        SHELL("readlink /proc/self/fd/0; wc -c; printf x >/proc/self/fd/0 || echo sealed");
    char **environment = make_environment(step_mark, NULL);
    struct child_call call = make_call(argv, environment);
    memset(input, 'a', INPUT_BYTES);
    const struct launch_input bytes = {.bytes = input, .len = INPUT_BYTES};
    call.spawn.input = &bytes;
    start(&watched, &call);
    free(input); /* it is the child's by now */
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(str_text(&watched.text[0]), "/memfd:stdin (deleted)\n307200\nsealed\n");
    free(environment);
    watched_done(&watched);
}
END_TEST

START_TEST(test_has_session_group_signals_and_folder_of_its_own)
{
    struct watched watched = {0};
    sigset_t blocked;
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &blocked, NULL);
    (void)signal(SIGPIPE, SIG_IGN);

    run_script(&watched,
               "read -r pid a b ppid group session rest </proc/self/stat;"
               "echo $((group == $$)) $((session == $$));"
               "sed -nE 's/Sig(Blk|Ign):.*(.{7})$/\\2/p' /proc/self/status; pwd -P",
               0);

    char want[PATH_MAX + 100];
    char real[PATH_MAX];
    ck_assert_ptr_nonnull(realpath(dir, real));
    (void)snprintf(want, sizeof(want), "1 1\n%07d\n%07d\n%s\n", 0, 0, real);
    ck_assert_str_eq(str_text(&watched.text[0]), want);
    watched_done(&watched);
}
END_TEST

START_TEST(test_children_inherit_no_descriptor_of_ours)
{
    struct watched watched = {0};
    start_script(&watched, "exec sleep 100", 0);
    ck_assert_int_eq(count_inheritable(), inheritable_before);
    child_cancel(watched.child, CANCEL_KILL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    watched_done(&watched);
}
END_TEST

static void write_program(const char *name, const char *text, mode_t mode)
{
    test_write_file(test_path(dir, name), text, mode);
}

static const struct {
    const char *name;
    const char *program;
    const char *cwd; /* NULL = the test's folder */
    int number;
} failures[] = {
    {"not in PATH", "no-such-program-here", NULL, ENOENT},
    {"no such path", "./nothing", NULL, ENOENT},
    {"not executable", "./plain", NULL, EACCES},
    {"not executable, by PATH", "plain", NULL, EACCES},
    {"a folder", "/tmp", NULL, EACCES},
    {"empty name", "", NULL, ENOENT},
    {"no such folder", "true", "/no/such/folder", ENOENT},
    {"not a program", "./garbage", NULL, ENOEXEC},
};

START_TEST(test_start_failure)
{
    char path[PATH_MAX + 64];
    char *program = xstrdup(failures[_i].program);
    char *const argv[] = {program, NULL};
    (void)snprintf(path, sizeof(path), "PATH=/nowhere:%s:/usr/bin:/bin", dir);
    char *environment[] = {run_mark, step_mark, path, NULL};
    write_program("plain", "#!/bin/sh\n", 0644);
    write_program("garbage", "nothing that runs", 0755);

    struct child_call call = make_call(argv, environment);
    if (failures[_i].cwd)
        call.spawn.cwd = failures[_i].cwd;
    struct watched watched = {0};
    begin_and_wait(&watched, &call);

    ck_assert_msg(watched.failed, "%s", failures[_i].name);
    ck_assert_msg(watched.number == failures[_i].number, "%s: errno %d", failures[_i].name,
                  watched.number);
    ck_assert_int_eq(watched.err.code, ERR_IO);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(!watched.ended);
    free(program);
}
END_TEST

static const char *const no_stdins[] = {"fifo", "folder"};

START_TEST(test_stdin_that_is_no_file_is_a_start_failure)
{
    char path[PATH_MAX + 64];
    char program[] = "/bin/cat";
    char *const argv[] = {program, NULL};
    char *environment[] = {run_mark, step_mark, NULL};
    (void)snprintf(path, sizeof(path), "%s/%s", dir, no_stdins[_i]);
    ck_assert_int_eq(_i == 0 ? mkfifo(path, 0600) : mkdir(path, 0700), 0);

    struct child_call call = make_call(argv, environment);
    call.spawn.stdin_path = path;
    struct watched watched = {0};
    begin_and_wait(&watched, &call);
    ck_assert(watched.failed);
    ck_assert_int_eq(watched.number, EINVAL);
    ck_assert_ptr_nonnull(strstr(watched.err.message, no_stdins[_i]));
}
END_TEST

START_TEST(test_stdin_blocks)
{
    char path[] = "/dev/null";
    char *const argv[] = SHELL("grep flags: /proc/self/fdinfo/0");
    char **environment = make_environment(step_mark, NULL);
    struct child_call call = make_call(argv, environment);
    call.spawn.stdin_path = path;
    struct watched watched = {0};
    start(&watched, &call);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    const char *flags = strchr(str_text(&watched.text[0]), '\t');
    ck_assert_ptr_nonnull(flags);
    ck_assert_int_eq(strtol(flags, NULL, 8) & O_NONBLOCK, 0);
    watched_done(&watched);
    free(environment);
}
END_TEST

START_TEST(test_child_that_cannot_be_watched_is_a_start_failure)
{
    int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)close(first);
    const int aside = fcntl(nursery->epoll_fd, F_DUPFD_CLOEXEC, first + 10);
    ck_assert_int_ge(aside, 0);
    int fds[2]; /* what the loop can hear, and children cannot be heard by */
    ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
    ck_assert_int_eq(dup3(fds[0], nursery->epoll_fd, O_CLOEXEC), nursery->epoll_fd);

    char program[] = "/bin/sleep";
    char duration[] = "100";
    char *const argv[] = {program, duration, NULL};
    char *environment[] = {run_mark, step_mark, NULL};
    struct child_call call = make_call(argv, environment);
    struct watched watched = {0};
    begin_and_wait(&watched, &call);
    ck_assert(watched.failed);
    ck_assert_int_eq(watched.number, EINVAL);
    ck_assert_ptr_nonnull(strstr(watched.err.message, "cannot watch '"));
    ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
    ck_assert_int_eq(errno, ECHILD);

    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(!watched.ended);
    ck_assert_int_eq(dup3(aside, nursery->epoll_fd, O_CLOEXEC), nursery->epoll_fd);
    (void)close(aside);
    (void)close(fds[0]);
    (void)close(fds[1]);
    ck_assert_int_eq(open("/dev/null", O_RDONLY | O_CLOEXEC), first);
    (void)close(first);
}
END_TEST

START_TEST(test_path_is_the_childs)
{
    char path[PATH_MAX + 8];
    char name[] = "only-here";
    char *const argv[] = {name, NULL};
    (void)snprintf(path, sizeof(path), "PATH=%s", dir);
    char *environment[] = {path, NULL};
    write_program(name, "#!/bin/sh\necho found\n", 0755);
    const struct child_call call = make_call(argv, environment);
    struct watched watched = {0};
    start(&watched, &call);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(str_text(&watched.text[0]), "found\n");
    watched_done(&watched);
}
END_TEST

START_TEST(test_many_starts_at_once)
{
    enum { COUNT = 24 };
    struct watched watched[COUNT] = {0};
    char *const argv[] = SHELL("echo $$");
    char **environment = make_environment(step_mark, NULL);
    const struct child_call call = make_call(argv, environment);
    for (int i = 0; i < COUNT; i++)
        begin(&watched[i], &call);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    for (int i = 0; i < COUNT; i++) {
        ck_assert(watched[i].ended);
        ck_assert_int_eq(watched[i].end.outcome.code, 0);
        ck_assert_uint_gt(watched[i].text[0].len, 0);
        watched_done(&watched[i]);
    }
    free(environment);
}
END_TEST

/* By the time that it cannot be watched, it may already execute its program. */
START_TEST(test_a_start_that_cannot_be_watched_is_not_repeated)
{
    char program[] = "/bin/true";
    char *const argv[] = {program, NULL};
    char *environment[] = {run_mark, step_mark, NULL};
    const struct child_call call = make_call(argv, environment);
    const int ears = nursery->epoll_fd;
    struct watched watched = {0};
    nursery->epoll_fd = -1;
    begin(&watched, &call);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    nursery->epoll_fd = ears;
    ck_assert(watched.failed && !watched.started);
    ck_assert_int_eq(watched.number, EBADF);
    watched_done(&watched);
}
END_TEST

START_TEST(test_status_is_known_though_sigchld_was_ignored)
{
    struct err err = {0};
    nursery_close(nursery);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    (void)signal(SIGCHLD, SIG_IGN);
    ck_assert(nursery_open(&nursery, &loop, &err));
    struct watched watched = {0};
    run_script(&watched, "exit 3", 0);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_EXIT);
    ck_assert_int_eq(watched.end.outcome.code, 3);
    watched_done(&watched);
}
END_TEST

START_TEST(test_orphans_that_end_are_reaped_while_others_run)
{
    struct watched watched = {0};
    start_script(&watched, "(setsid sh -c 'echo $$' &) ; exec sleep 100", 0);
    while (watched.bytes[0] == 0)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert(await_reaped(told_pid(&watched)));
    child_cancel(watched.child, CANCEL_KILL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    watched_done(&watched);
}
END_TEST

START_TEST(test_flood_is_counted_and_memory_is_flat)
{
    struct rusage before;
    struct rusage after;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &before), 0);
    struct watched watched = {0};
    start_script(&watched, "head -c 20971520 /dev/zero; head -c 1000 /dev/zero >&2", 0);
    watched.keep_text = false;
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &after), 0);
    ck_assert_int_eq(watched.bytes[0], 20 * MIB);
    ck_assert_int_eq(watched.bytes[1], 1000);
    ck_assert_uint_le(watched.most, CHILD_PIECE_BYTES);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 4096);
    watched_done(&watched); /* some may have come with the news that it has started */
}
END_TEST

START_TEST(test_flood_without_an_end_can_be_cancelled)
{
    struct watched watched = {0};
    start_script(&watched, "yes & yes >&2", 0);
    watched.keep_text = false;
    while (watched.bytes[0] < 4 * MIB || watched.bytes[1] < 4 * MIB)
        (void)uv_run(&loop, UV_RUN_ONCE);
    child_cancel(watched.child, CANCEL_TERM);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_int_eq(watched.end.outcome.processes_left, 0);
    watched_done(&watched);
}
END_TEST

START_TEST(test_many_in_a_row_leave_no_descriptor)
{
    int before = open("/dev/null", O_RDONLY);
    (void)close(before);
    for (int i = 0; i < 50; i++) {
        struct watched watched = {0};
        run_script(&watched, "exit 3", LONG_MS);
        ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_EXIT);
        ck_assert_int_eq(watched.end.outcome.code, 3);
        watched_done(&watched);
    }
    int after = open("/dev/null", O_RDONLY);
    (void)close(after);
    ck_assert_int_eq(before, after);
}
END_TEST

/* Timeouts, cancels and their grace. */

START_TEST(test_timeout_is_term)
{
    struct watched watched = {0};
    run_script_with(&watched, "exec sleep 1000", 100, LONG_MS);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_TIMEOUT);
    ck_assert_int_eq(watched.end.outcome.code, 128 + SIGTERM);
    ck_assert_int_ge(watched.end.outcome.ran_ms, 100);
    ck_assert_int_lt(watched.end.outcome.ran_ms, LONG_MS);
    watched_done(&watched);
}
END_TEST

START_TEST(test_timeout_kills_what_ignores_term)
{
    struct watched watched = {0};
    int64_t timeout_ms = 100;
    for (int round = 0; round < ROUNDS && watched.bytes[0] == 0; round++, timeout_ms *= 2) {
        watched_done(&watched);
        watched = (struct watched){0};
        run_script(&watched, "trap '' TERM; echo deaf; while :; do sleep 0.01; done", timeout_ms);
    }
    ck_assert_str_eq(str_text(&watched.text[0]), "deaf\n"); /* before it was told */
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_TIMEOUT);
    ck_assert_int_eq(watched.end.outcome.code, 128 + SIGKILL);
    ck_assert_int_ge(watched.end.outcome.ran_ms, 100 + GRACE_MS);
    ck_assert_int_eq(watched.end.outcome.processes_left, 0);
    watched_done(&watched);
}
END_TEST

START_TEST(test_suspended_time_does_not_count_toward_the_timeout)
{
    struct watched watched = {0};
    start_script(&watched, "exec sleep 1000", 600);
    child_stood_still(watched.child, 500);
    child_stood_still(watched.child, 200);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_TIMEOUT);
    ck_assert_int_ge(watched.end.outcome.ran_ms, 1300);
    watched_done(&watched);
}
END_TEST

START_TEST(test_suspended_time_does_not_count_toward_the_grace)
{
    struct watched watched = {.cancel_on = "ready", .cancel_mode = CANCEL_TERM};
    start_script(&watched, "trap '' TERM; echo ready; while :; do sleep 0.01; done", 0);
    while (watched.cancelled_ms == 0)
        (void)uv_run(&loop, UV_RUN_ONCE);
    child_stood_still(watched.child, 500);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(watched.end.outcome.code, 128 + SIGKILL);
    ck_assert_int_ge(clock_now().mono_ms - watched.cancelled_ms, GRACE_MS + 500);
    watched_done(&watched);
}
END_TEST

static const struct {
    const char *name;
    const char *script; /* says "ready" */
    enum cancel_mode mode;
    int code;
    bool after_grace;
} cancels[] = {
    {"TERM", "echo ready; exec sleep 100", CANCEL_TERM, 128 + SIGTERM, false},
    {"KILL", "trap '' TERM; echo ready; while :; do sleep 0.01; done", CANCEL_KILL, 128 + SIGKILL,
     false},
    {"ignores TERM", "trap '' TERM; echo ready; while :; do sleep 0.01; done", CANCEL_TERM,
     128 + SIGKILL, true},
    {"exits 0 on TERM", "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done", CANCEL_TERM,
     0, false},
    {"stopped", "echo ready; kill -STOP $$; sleep 100", CANCEL_TERM, 128 + SIGTERM, false},
};

START_TEST(test_cancel)
{
    struct watched watched = {.cancel_on = "ready", .cancel_mode = cancels[_i].mode};
    const int64_t grace_ms = cancels[_i].after_grace ? GRACE_MS : LONG_MS;
    run_script_with(&watched, cancels[_i].script, 0, grace_ms);
    const struct outcome *outcome = &watched.end.outcome;
    ck_assert_int_eq(outcome->kind, OUTCOME_CANCELLED);
    ck_assert_msg(outcome->code == cancels[_i].code, "%s: code %d", cancels[_i].name,
                  outcome->code);
    ck_assert_msg((outcome->ran_ms >= grace_ms) == cancels[_i].after_grace,
                  "%s: ran %" PRId64 " ms", cancels[_i].name, outcome->ran_ms);
    ck_assert_int_eq(outcome->processes_left, 0);
    watched_done(&watched);
}
END_TEST

/* The loop's outdated clock says that 5/6 of the grace period are over; the child needs half. */
static bool has_all_of_its_grace(int grace_ms)
{
    char script[200];
    struct watched watched = {
        .cancel_on = "ready", .cancel_mode = CANCEL_TERM, .busy_ms = grace_ms * 5 / 6};
    (void)snprintf(script, sizeof(script),
                   "trap 'sleep %d.%03d; echo clean; exit 0' TERM; echo ready; "
                   "while :; do sleep 0.01; done",
                   grace_ms / 2 / 1000, grace_ms / 2 % 1000);
    run_script_with(&watched, script, 0, grace_ms);
    const bool has = strstr(str_text(&watched.text[0]), "clean") && watched.end.outcome.code == 0;
    watched_done(&watched);
    return has;
}

START_TEST(test_grace_begins_with_the_cancel)
{
    bool has = false;
    int grace_ms = GRACE_MS;
    for (int round = 0; round < ROUNDS && !has; round++, grace_ms *= 2)
        has = has_all_of_its_grace(grace_ms);
    ck_assert(has);
}
END_TEST

static const struct {
    enum cancel_mode mode;
    int signal;
} cancels_of_starts[] = {{CANCEL_TERM, SIGTERM}, {CANCEL_KILL, SIGKILL}};

START_TEST(test_cancel_before_the_start)
{
    char program[] = "/bin/sleep";
    char duration[] = "100";
    char *const argv[] = {program, duration, NULL};
    char *environment[] = {run_mark, step_mark, NULL};
    const struct child_call call = make_call(argv, environment);
    struct watched watched = {0};
    begin(&watched, &call);
    child_cancel(watched.child, cancels_of_starts[_i].mode);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(watched.started && watched.ended);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_int_eq(watched.end.outcome.code, 128 + cancels_of_starts[_i].signal);
    ck_assert_int_eq(watched.end.outcome.processes_left, 0);
}
END_TEST

/* The command ends half-way through the grace, what it leaves does not. True if that had the rest
 * of the grace alone. */
static bool has_one_grace(int grace_ms)
{
    char script[300];
    struct watched watched = {.cancel_on = "ready", .cancel_mode = CANCEL_TERM};
    (void)snprintf(script, sizeof(script),
                   "trap 'sleep %d.%03d; exit 0' TERM\n"
                   "sh -c 'trap \"\" TERM; echo ready; while :; do sleep 0.01; done' &\n"
                   "while :; do sleep 0.01; done",
                   grace_ms / 2 / 1000, grace_ms / 2 % 1000);
    run_script_with(&watched, script, 0, grace_ms);
    const int64_t took_ms = clock_now().mono_ms - watched.cancelled_ms;
    const bool had_time = watched.end.outcome.code == 0; /* else the machine was too slow */
    ck_assert_int_eq(watched.end.outcome.processes_left, 0);
    ck_assert_int_ge(took_ms, grace_ms - 1);
    watched_done(&watched);
    return had_time && took_ms < grace_ms + grace_ms / 2;
}

START_TEST(test_leftovers_of_a_cancel_get_no_second_grace)
{
    bool has = false;
    int grace_ms = 2 * GRACE_MS;
    for (int round = 0; round < ROUNDS && !has; round++, grace_ms *= 2)
        has = has_one_grace(grace_ms);
    ck_assert(has);
}
END_TEST

/* Processes that a child leaves behind. */

static char other_mark[] = "DEVS_STEP=b/1";

/* What is left behind: each script writes the pid of a process that would live
 * for long, and ends behind that or is cancelled. */
static const struct {
    const char *name;
    const char *script;
    bool cancel;
    bool after_grace;
} leftovers[] = {
    {"holds the pipe", "sleep 1000 & echo $!", false, false},
    {"ignores TERM",
     "mkfifo told; sh -c 'trap \"\" TERM; echo $$; echo >told; while :; do sleep 0.01; done' &\n"
     "read -r line <told",
     false, true},
    {"own session",
     "mkfifo told; setsid sh -c 'echo $$; echo >told; exec sleep 1000' & read -r line <told", false,
     false},
    {"forks twice",
     "mkfifo told; (setsid sh -c 'echo $$; echo >told; exec sleep 1000' &) ; read -r line <told",
     false, false},
    {"forks twice, cancelled", "(setsid sh -c 'echo $$; exec sleep 1000' &) ; exec sleep 1000",
     true, false},
    {"forks twice, ignores TERM, cancelled",
     "(setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.01; done' &) ; exec sleep 1000",
     true, true},
    {"own session, no environment, cancelled",
     "(setsid env -i /bin/sh -c 'echo $$; exec sleep 1000' &) ; exec sleep 1000", true, false},
};

START_TEST(test_no_process_is_left)
{
    struct watched watched = {0};
    if (leftovers[_i].cancel) {
        watched.cancel_on = "\n";
        watched.cancel_mode = CANCEL_TERM;
    }
    int64_t before_ms = clock_now().mono_ms;
    run_script(&watched, leftovers[_i].script, 0);
    int64_t took_ms = clock_now().mono_ms - before_ms;

    ck_assert_msg(!is_alive(told_pid(&watched)), "%s is alive", leftovers[_i].name);
    ck_assert_int_eq(watched.end.outcome.processes_left, 0);
    ck_assert_int_eq(watched.end.outcome.kind,
                     leftovers[_i].cancel ? OUTCOME_CANCELLED : OUTCOME_EXIT);
    ck_assert_msg((took_ms >= GRACE_MS) >= leftovers[_i].after_grace, "%s: %" PRId64 " ms",
                  leftovers[_i].name, took_ms);
    ck_assert_msg(took_ms < LONG_MS, "%s: %" PRId64 " ms", leftovers[_i].name, took_ms);
    watched_done(&watched);
}
END_TEST

static bool write_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

static const char freezer[] = "/sys/fs/cgroup/freezer";

/* What the kernel has frozen hears no signal, KILL neither, until it is let go: as good as a
 * process that hangs in a driver. */
START_TEST(test_a_process_that_survives_kill_is_reported)
{
    char group[PATH_MAX];
    char state[PATH_MAX + 32];
    char script[2 * PATH_MAX];
    (void)snprintf(group, sizeof(group), "%.64s/devs-test-%d", freezer, (int)getpid());
    (void)snprintf(state, sizeof(state), "%s/freezer.state", group);
    if (mkdir(group, 0700) != 0) {
        (void)printf("skipped: no control group of %s can be made\n", freezer);
        return;
    }
    (void)snprintf(script, sizeof(script), "echo $$ >%s/cgroup.procs; echo $$; exec sleep 100",
                   group);
    struct watched watched = {0};
    start_script(&watched, script, 0);
    while (watched.bytes[0] == 0)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert(write_to(state, "FROZEN"));
    child_cancel(watched.child, CANCEL_KILL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(write_to(state, "THAWED"));

    struct str words = {0};
    char want[100];
    child_left_words(&watched.end, &words);
    (void)snprintf(want, sizeof(want), "1 of 1 processes ignores KILL (state D, pid %d)",
                   (int)told_pid(&watched));
    ck_assert_str_eq(str_text(&words), want);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_int_eq(watched.end.outcome.processes_left, 1);
    ck_assert(await_reaped(told_pid(&watched))); /* once it could end */
    ck_assert_int_eq(rmdir(group), 0);
    str_done(&words);
    watched_done(&watched);
}
END_TEST

/* A program that becomes root, beside the test. False: that cannot be had here. */
static bool copy_setpriv(void)
{
    char command[PATH_MAX + 100];
    (void)snprintf(command, sizeof(command), "cp /usr/bin/setpriv %s/setpriv", dir);
    struct watched watched = {0};
    run_script(&watched, command, 0);
    watched_done(&watched);
    return watched.end.outcome.code == 0 && chmod(test_path(dir, "setpriv"), 04755) == 0 &&
           chmod(dir, 0755) == 0;
}

START_TEST(test_a_process_that_may_not_be_signaled_is_reported)
{
    enum { NOBODY = 65534 };
    char script[PATH_MAX + 200];
    if (getuid() != 0 || !copy_setpriv()) {
        (void)printf("skipped: needs root and setpriv(1)\n");
        return;
    }
    ck_assert_int_eq(setresuid(NOBODY, NOBODY, 0), 0);
    (void)snprintf(script, sizeof(script),
                   "exec %s/setpriv --reuid=0 --regid=0 --clear-groups sh -c "
                   "'test $(id -u) = 0 && echo $$; exec sleep 100'",
                   dir);
    struct watched watched = {0};
    start_script(&watched, script, 0);
    while (watched.bytes[0] == 0 && !watched.ended)
        (void)uv_run(&loop, UV_RUN_ONCE);
    if (watched.ended) {
        (void)printf("skipped: %s", str_text(&watched.text[1])); /* a folder without setuid */
        watched_done(&watched);
        return;
    }
    child_cancel(watched.child, CANCEL_KILL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);

    struct str words = {0};
    char want[100];
    child_left_words(&watched.end, &words);
    (void)snprintf(want, sizeof(want), "cannot signal pid %d: not permitted (runs as root)",
                   (int)told_pid(&watched));
    ck_assert_str_eq(str_text(&words), want);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_int_eq(watched.end.outcome.processes_left, 1);
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(kill(told_pid(&watched), SIGKILL), 0);
    str_done(&words);
    watched_done(&watched);
}
END_TEST

START_TEST(test_the_end_of_one_child_leaves_another_alone)
{
    char *const argv[] = SHELL("(setsid sh -c 'echo $$; exec sleep 100' &) ; exec sleep 100");
    char **environment = make_environment(other_mark, NULL);
    struct child_call call = make_call(argv, environment);
    call.step_mark = other_mark;
    struct watched other = {0};
    start(&other, &call);
    while (other.bytes[0] == 0)
        (void)uv_run(&loop, UV_RUN_ONCE);

    struct watched first = {0};
    start_script(&first, "sleep 100 & echo $!", 0);
    while (!first.ended)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert(!is_alive(told_pid(&first)));
    ck_assert(is_alive(told_pid(&other)));

    child_cancel(other.child, CANCEL_TERM);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(!is_alive(told_pid(&other)));
    free(environment);
    watched_done(&first);
    watched_done(&other);
}
END_TEST

/* A process without a parent or marks, in a session that is not ours. */
static pid_t leave_orphan(bool leads_session)
{
    int fds[2];
    pid_t orphan = 0;
    ck_assert_int_eq(pipe(fds), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        (void)setsid();
        if (fork() == 0) {
            if (leads_session)
                (void)setsid();
            const pid_t self = getpid();
            (void)!write(fds[1], &self, sizeof(self));
            (void)pause();
        }
        _exit(0);
    }
    ck_assert_int_eq(read(fds[0], &orphan, sizeof(orphan)), sizeof(orphan));
    ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
    for (int i = 0; i < 2; i++)
        (void)close(fds[i]);
    return orphan;
}

START_TEST(test_an_orphan_is_not_claimed_while_another_child_starts)
{
    struct sweep *sweep;
    struct proc_facts found[SWEEP_FOUND_MAX];
    ck_assert(sweep_open(&sweep, NULL));
    const pid_t orphan = leave_orphan(true);
    const struct sweep_mark mark = {.session = getpid(), .run = run_mark, .step = step_mark};
    sweep_enter(sweep, &mark);
    ck_assert_uint_eq(sweep_find(sweep, mark.session, found), 1);
    ck_assert_int_eq(found[0].pid, orphan);

    sweep_expect(sweep, 1);
    ck_assert_uint_eq(sweep_find(sweep, mark.session, found), 0);
    ck_assert_int_eq(kill(orphan, SIGKILL), 0);
    siginfo_t over;
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), 0);
    sweep_reap(sweep);
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), 0);
    sweep_expect(sweep, -1);
    sweep_reap(sweep);
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), -1);
    sweep_leave(sweep, mark.session);
    sweep_close(sweep);
}
END_TEST

/* There may always be another start, so an orphan of a finished child must not wait for them. */
START_TEST(test_an_orphan_of_no_start_is_reaped_while_another_child_starts)
{
    struct sweep *sweep;
    siginfo_t over;
    ck_assert(sweep_open(&sweep, NULL));
    const pid_t orphan = leave_orphan(false);
    sweep_expect(sweep, 1);
    ck_assert_int_eq(kill(orphan, SIGKILL), 0);
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), 0);
    sweep_reap(sweep);
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), -1);
    sweep_expect(sweep, -1);
    sweep_close(sweep);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("child");
    TCase *plain = test_case(suite, "plain");
    tcase_add_checked_fixture(plain, setup, child_try_close);
    tcase_add_loop_test(plain, test_end, 0, TABLE_LEN(ends));
    tcase_add_test(plain, test_stdout_and_stderr_are_separate_and_stdin_is_empty);
    tcase_add_test(plain, test_stdin_comes_from_the_file);
    tcase_add_test(plain, test_stdin_bytes_come_whole_and_have_no_name);
    tcase_add_test(plain, test_has_session_group_signals_and_folder_of_its_own);
    tcase_add_test(plain, test_children_inherit_no_descriptor_of_ours);
    tcase_add_loop_test(plain, test_start_failure, 0, TABLE_LEN(failures));
    tcase_add_loop_test(plain, test_stdin_that_is_no_file_is_a_start_failure, 0,
                        TABLE_LEN(no_stdins));
    tcase_add_test(plain, test_stdin_blocks);
    tcase_add_test(plain, test_child_that_cannot_be_watched_is_a_start_failure);
    tcase_add_test(plain, test_path_is_the_childs);
    tcase_add_test(plain, test_many_starts_at_once);
    tcase_add_test(plain, test_a_start_that_cannot_be_watched_is_not_repeated);
    tcase_add_test(plain, test_status_is_known_though_sigchld_was_ignored);
    tcase_add_test(plain, test_orphans_that_end_are_reaped_while_others_run);
    TCase *flood = test_case(suite, "flood");
    tcase_add_checked_fixture(flood, child_try_open, child_try_close);
    tcase_add_test(flood, test_flood_is_counted_and_memory_is_flat);
    tcase_add_test(flood, test_flood_without_an_end_can_be_cancelled);
    tcase_add_test(flood, test_many_in_a_row_leave_no_descriptor);
    TCase *ending = test_case(suite, "ending");
    tcase_add_checked_fixture(ending, child_try_open, child_try_close);
    tcase_add_test(ending, test_timeout_is_term);
    tcase_add_test(ending, test_timeout_kills_what_ignores_term);
    tcase_add_test(ending, test_suspended_time_does_not_count_toward_the_timeout);
    tcase_add_test(ending, test_suspended_time_does_not_count_toward_the_grace);
    tcase_add_loop_test(ending, test_cancel, 0, TABLE_LEN(cancels));
    tcase_add_test(ending, test_grace_begins_with_the_cancel);
    tcase_add_loop_test(ending, test_cancel_before_the_start, 0, TABLE_LEN(cancels_of_starts));
    tcase_add_test(ending, test_leftovers_of_a_cancel_get_no_second_grace);
    TCase *left = test_case(suite, "left");
    tcase_add_checked_fixture(left, child_try_open, child_try_close);
    tcase_add_loop_test(left, test_no_process_is_left, 0, TABLE_LEN(leftovers));
    tcase_add_test(left, test_the_end_of_one_child_leaves_another_alone);
    tcase_add_test(left, test_an_orphan_is_not_claimed_while_another_child_starts);
    tcase_add_test(left, test_an_orphan_of_no_start_is_reaped_while_another_child_starts);
    tcase_add_test(left, test_a_process_that_survives_kill_is_reported);
    tcase_add_test(left, test_a_process_that_may_not_be_signaled_is_reported);
    return suite;
}
