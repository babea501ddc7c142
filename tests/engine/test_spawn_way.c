#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_main.h"

enum { DIRS_TOO_LONG = 64 * 1024, FAILURES = 50, SOME_ERRNO = 12345 };

static char dir[1024];

static void make_file(const char *path, const char *text, mode_t mode)
{
    char whole[2048];
    (void)snprintf(whole, sizeof(whole), "%s/%s", dir, path);
    FILE *file = fopen(whole, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(whole, mode), 0);
}

static void make_folder(const char *path)
{
    char whole[2048];
    (void)snprintf(whole, sizeof(whole), "%s/%s", dir, path);
    ck_assert_int_eq(mkdir(whole, 0700), 0);
}

static void setup(void)
{
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    make_folder("empty");
    make_folder("closed");
    make_file("closed/tool", "#!/bin/sh\nexit 3\n", 0600);
    make_folder("folder");
    make_folder("folder/tool");
    make_folder("good");
    make_file("good/tool", "#!/bin/sh\nexit 7\n", 0700);
    make_file("tool", "#!/bin/sh\nexit 9\n", 0700);
}

/* What a start is given, with all three descriptors on one file. */
struct stage {
    char *argv[2];
    char *environment[1];
    struct spawn_call call;
    int fd;
};

static void stage_init(struct stage *stage, const char *name, int fd)
{
    *stage = (struct stage){.argv = {(char *)(uintptr_t)name}, .fd = fd};
    stage->call = (struct spawn_call){
        .argv = stage->argv, .environment = stage->environment, .cwd = dir, .fds = {fd, fd, fd}};
}

static int open_nothing(void)
{
    const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    ck_assert_int_gt(fd, 2);
    return fd;
}

/* Until it is over: what the look says then, and its status. */
static enum spawn_news await(const struct spawn_gone *gone, int *status_out)
{
    struct pollfd end = {.fd = gone->pidfd, .events = POLLIN};
    ck_assert_int_eq(fcntl(gone->pidfd, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(poll(&end, 1, -1), 1);
    const enum spawn_news news = spawn_way_look(gone->way);
    ck_assert_int_eq(waitpid(gone->pid, status_out, 0), gone->pid);
    spawn_way_end(gone->way);
    (void)close(gone->pidfd);
    return news;
}

static const struct {
    const char *name, *dirs;
    enum spawn_news news;
    int code; /* of one that arrived */
} searches[] = {
    {"tool", "empty:good", SPAWN_ARRIVED, 7},
    {"tool", "good:empty", SPAWN_ARRIVED, 7},
    {"tool", "/nowhere/at/all:good", SPAWN_ARRIVED, 7},
    {"tool", "closed:good", SPAWN_ARRIVED, 7},
    {"tool", "good/tool:good", SPAWN_ARRIVED, 7}, /* a file where a folder should be */
    {"tool", ":good", SPAWN_ARRIVED, 9},
    {"tool", "empty::good", SPAWN_ARRIVED, 9},
    {"tool", "empty:", SPAWN_ARRIVED, 9},
    {"tool", "", SPAWN_ARRIVED, 9},
    {"./tool", "good", SPAWN_ARRIVED, 9},
    {"good/tool", "", SPAWN_ARRIVED, 7},
    {"tool", "empty", SPAWN_HAS_FAILED, 0},
    {"tool", "closed", SPAWN_HAS_FAILED, 0},
    {"tool", "folder:good", SPAWN_HAS_FAILED, 0}, /* spawn_process() can */
    {"closed/tool", "good", SPAWN_HAS_FAILED, 0},
    {"./nothing", "good", SPAWN_HAS_FAILED, 0},
};

START_TEST(test_program_is_the_first_that_may_be_executed)
{
    struct stage stage;
    struct spawn_gone gone;
    int status = -1;
    stage_init(&stage, searches[_i].name, open_nothing());
    ck_assert_int_eq(spawn_begin(&stage.call, searches[_i].dirs, &gone), 0);
    ck_assert_int_eq(await(&gone, &status), searches[_i].news);
    ck_assert(WIFEXITED(status));
    if (searches[_i].news == SPAWN_ARRIVED)
        ck_assert_int_eq(WEXITSTATUS(status), searches[_i].code);
    (void)close(stage.fd);
}
END_TEST

START_TEST(test_folder_that_is_not_there_is_a_failure)
{
    struct stage stage;
    struct spawn_gone gone;
    int status = -1;
    stage_init(&stage, "/bin/true", open_nothing());
    stage.call.cwd = "/nowhere/at/all";
    ck_assert_int_eq(spawn_begin(&stage.call, "", &gone), 0);
    ck_assert_int_eq(await(&gone, &status), SPAWN_HAS_FAILED);
    (void)close(stage.fd);
}
END_TEST

START_TEST(test_path_that_is_too_long_is_refused)
{
    struct stage stage;
    struct spawn_gone gone = {0};
    char *dirs = malloc(DIRS_TOO_LONG);
    ck_assert_ptr_nonnull(dirs);
    memset(dirs, ':', DIRS_TOO_LONG - 1);
    dirs[DIRS_TOO_LONG - 1] = '\0';
    stage_init(&stage, "true", open_nothing());
    ck_assert_int_eq(spawn_begin(&stage.call, dirs, &gone), ENAMETOOLONG);
    ck_assert_ptr_null(gone.way);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no process was made */
    ck_assert_int_eq(errno, ECHILD);
    free(dirs);
    (void)close(stage.fd);
}
END_TEST

/* A process that is in our memory, and whose calls fail there, leaves no note in it. */
START_TEST(test_errno_of_the_caller_stays_as_it_is)
{
    struct stage stage;
    stage_init(&stage, "nothing", open_nothing());
    for (int i = 0; i < FAILURES; i++) {
        struct spawn_gone gone;
        int status = -1;
        ck_assert_int_eq(spawn_begin(&stage.call, "empty:closed:good", &gone), 0);
        errno = SOME_ERRNO;
        while (spawn_way_look(gone.way) == SPAWN_GOES)
            ck_assert_int_eq(errno, SOME_ERRNO);
        ck_assert_int_eq(errno, SOME_ERRNO);
        ck_assert_int_eq(await(&gone, &status), SPAWN_HAS_FAILED);
    }
    (void)close(stage.fd);
}
END_TEST

/* What the script writes before its end, which has to be a good one. */
static pid_t read_said(const char *script, char *text, size_t size)
{
    struct stage stage;
    struct spawn_gone gone;
    int fds[2];
    int status = -1;
    make_file("script", script, 0700);
    ck_assert_int_eq(pipe(fds), 0);
    stage_init(&stage, "./script", fds[1]);
    ck_assert_int_eq(spawn_begin(&stage.call, "", &gone), 0);
    (void)close(fds[1]); /* the process has its own */
    ck_assert_int_eq(await(&gone, &status), SPAWN_ARRIVED);
    const ssize_t got = read(fds[0], text, size - 1);
    ck_assert_int_gt(got, 0);
    text[got] = '\0';
    ck_assert_int_eq(status, 0);
    (void)close(fds[0]);
    return gone.pid;
}

/* By a program in the shell's place: a shell blocks signals itself while it starts one. */
START_TEST(test_signals_are_as_by_default)
{
    char text[256];
    (void)signal(SIGUSR1, SIG_IGN);
    (void)read_said("#!/bin/sh\nexec grep -E '^Sig(Blk|Ign)' /proc/self/status\n", text,
                    sizeof(text));
    ck_assert_str_eq(text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}
END_TEST

START_TEST(test_leads_a_session_and_a_group)
{
    char text[256];
    char want[128];
    const int pid = (int)read_said("#!/bin/sh\nexec cat /proc/self/stat\n", text, sizeof(text));
    (void)snprintf(want, sizeof(want), "%d (cat) R %d %d %d ", pid, (int)getpid(), pid, pid);
    ck_assert_msg(strncmp(text, want, strlen(want)) == 0, "%s", text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("spawn_way");
    TCase *tcase = test_case(suite, "spawn_way");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, test_program_is_the_first_that_may_be_executed, 0,
                        TABLE_LEN(searches));
    tcase_add_test(tcase, test_folder_that_is_not_there_is_a_failure);
    tcase_add_test(tcase, test_path_that_is_too_long_is_refused);
    tcase_add_test(tcase, test_errno_of_the_caller_stays_as_it_is);
    tcase_add_test(tcase, test_signals_are_as_by_default);
    tcase_add_test(tcase, test_leads_a_session_and_a_group);
    return suite;
}
