#include "turns.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "log_try.h"
#include "must.h"
#include "test_main.h"
#include "watch.h"

enum { PROCESSES = 4, TURNS_EACH = 300, AGAIN_MAX = 100 };

static void open_turns(struct turns *turns, const struct place *place)
{
    must(turns_init(turns, place, &err));
}

START_TEST(test_files_are_private_whatever_the_umask)
{
    static const mode_t masks[] = {0, 022, 0777};
    struct place place = sample_place();
    umask(masks[_i]);
    struct turns turns;
    open_turns(&turns, &place);
    turns_done(&turns);
    static const char *const suffixes[] = {"-gate", "-write"};
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
        char path[PATH_MAX + 8];
        (void)snprintf(path, sizeof(path), "%s%s", place.db, suffixes[i]);
        check_mode(path, 0600);
    }
}
END_TEST

/* Increments the number in the file: without turns, increments would be lost. */
static void count_up(const struct place *place, const char *path)
{
    struct turns turns;
    struct err err = {0};
    if (!turns_init(&turns, place, &err))
        _exit(1);
    for (int i = 0; i < TURNS_EACH; i++) {
        bool taken = turns_take(&turns, &err);
        for (int again = 0; !taken && again < AGAIN_MAX; again++)
            taken = turns_take(&turns, &err); /* a busy machine */
        if (!taken)
            _exit(2);
        FILE *file = fopen(path, "r+");
        long number = -1;
        char text[32];
        if (!file || !fgets(text, sizeof(text), file))
            _exit(3);
        number = strtol(text, NULL, 10);
        rewind(file);
        fprintf(file, "%ld\n", number + 1);
        fclose(file);
        turns_give(&turns);
    }
    _exit(0);
}

START_TEST(test_processes_take_turns)
{
    struct place place = sample_place();
    char path[PATH_MAX + 8];
    (void)snprintf(path, sizeof(path), "%s/number", place.dir);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "0\n");
    fclose(file);

    for (int i = 0; i < PROCESSES; i++) {
        if (fork() == 0)
            count_up(&place, path);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    char *text = test_read_file(path);
    ck_assert_int_eq(strtol(text, NULL, 10), (long)PROCESSES * TURNS_EACH);
    free(text);
}
END_TEST

/* A child takes the turn, reports it and waits to be killed. */
static pid_t start_holder(const struct place *place)
{
    int pipe_fds[2];
    ck_assert_int_eq(pipe(pipe_fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct turns turns;
        if (!turns_init(&turns, place, NULL) || !turns_take(&turns, NULL) ||
            write(pipe_fds[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    char byte = 0;
    ck_assert_int_eq(read(pipe_fds[0], &byte, 1), 1);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    return pid;
}

START_TEST(test_a_turn_ends_with_its_process)
{
    struct place place = sample_place();
    pid_t holder = start_holder(&place);
    struct turns turns;
    open_turns(&turns, &place);
    kill(holder, SIGKILL);
    must(turns_take(&turns, &err));
    turns_give(&turns);
    turns_done(&turns);
    waitpid(holder, NULL, 0);
}
END_TEST

/* If a process is stopped during its turn, the others report it, and continue when it does. */
START_TEST(test_a_wait_ends)
{
    struct place place = sample_place();
    pid_t holder = start_holder(&place);
    struct turns turns;
    open_turns(&turns, &place);
    turns.in_vain = true; /* as after a whole wait, so that this one is short */
    for (int i = 0; i < 3; i++) {
        int64_t since_us = clock_mono_us();
        must_fail(turns_take(&turns, &err), ERR_BUSY);
        ck_assert_int_ge(clock_mono_us() - since_us, (int64_t)TURNS_AGAIN_MS_MAX * 1000);
        ck_assert(turns.in_vain);
    }
    /* Nor does it keep what it waited with. */
    struct turns other;
    open_turns(&other, &place);
    ck_assert_int_eq(flock(other.gate_fd, LOCK_EX | LOCK_NB), 0);
    turns_done(&other);

    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    must(turns_take(&turns, &err));
    ck_assert(!turns.in_vain);
    turns_give(&turns);
    turns_done(&turns);
}
END_TEST

/* The wait uses a signal: a thread that has it blocked waits no longer, and has it
 * blocked afterwards. */
START_TEST(test_the_mask_of_signals_stays)
{
    struct place place = sample_place();
    pid_t holder = start_holder(&place);
    struct turns turns;
    open_turns(&turns, &place);
    turns.in_vain = true;
    sigset_t all;
    sigset_t after;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    must_fail(turns_take(&turns, &err), ERR_BUSY);
    sigprocmask(SIG_SETMASK, NULL, &after);
    ck_assert_int_eq(sigismember(&after, SIGRTMIN + TURNS_SIGNAL), 1);
    turns_done(&turns);
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
}
END_TEST

START_TEST(test_no_folder_is_an_error)
{
    struct place place = {.db = "/nonexistent/devs.db", .dir = "/nonexistent"};
    struct turns turns;
    must_fail(turns_init(&turns, &place, &err), ERR_IO);
    turns_done(&turns);
}
END_TEST

START_TEST(test_a_ring_is_heard)
{
    struct place place = sample_place();
    struct bell bell;
    struct watch *watch = NULL;
    must(bell_init(&bell, &place, &err));
    must(watch_open(&watch, &err));
    must(watch_file(watch, bell.path, &err));

    ck_assert(!watch_drain(watch));
    bell_ring(&bell);
    ck_assert(watch_drain(watch));
    ck_assert(!watch_drain(watch));

    watch_close(watch);
    bell_done(&bell);
}
END_TEST

START_TEST(test_the_file_stays_small_and_private)
{
    struct place place = sample_place();
    struct bell bell;
    umask(0);
    must(bell_init(&bell, &place, &err));
    for (int i = 0; i < 1000; i++)
        bell_ring(&bell);
    struct stat info;
    ck_assert_int_eq(stat(bell.path, &info), 0);
    ck_assert_int_eq(info.st_size, 1);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
    bell_done(&bell);
    bell_done(&bell);
    bell_done(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("turns");
    TCase *files = test_case(suite, "files");
    tcase_add_loop_test(files, test_files_are_private_whatever_the_umask, 0, 3);
    tcase_add_test(files, test_no_folder_is_an_error);
    TCase *locks = test_case(suite, "locks");
    tcase_add_test(locks, test_processes_take_turns);
    tcase_add_test(locks, test_a_turn_ends_with_its_process);
    tcase_add_test(locks, test_a_wait_ends);
    tcase_add_test(locks, test_the_mask_of_signals_stays);
    TCase *bell = test_case(suite, "bell");
    tcase_add_test(bell, test_a_ring_is_heard);
    tcase_add_test(bell, test_the_file_stays_small_and_private);
    return suite;
}
