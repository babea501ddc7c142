#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "control_desk.h"
#include "follower.h"
#include "log_try.h"
#include "must.h"
#include "test_main.h"
#include "turns.h"
#include "watch.h"

enum { TASKS = 10, DEADLINE_US = 60 * 1000 * 1000, LOOK_MS = 50 };

static struct control act(enum control_verb verb, int task)
{
    struct control control = {
        .verb = verb, .mode = CANCEL_TERM, .task = task, .step = -1, .key_at_ms = 42};
    (void)snprintf(control.by, sizeof(control.by), "ann");
    return control;
}

static struct control_desk *start_desk(const struct place *place)
{
    struct control_desk *desk = NULL;
    must(control_desk_start(&desk, place, &err));
    return desk;
}

/* Requests the act, waits for its row, and lets the desk finish. Returns 0 if there is no such
 * run. */
static int64_t ask_and_stop(const struct place *place, int64_t run, struct control control)
{
    struct control_desk *desk = start_desk(place);
    struct watch *watch = NULL;
    struct err err = {0};
    int64_t ticket = 0;
    int64_t row = 0;
    struct bell bell;
    ck_assert(bell_init(&bell, place, NULL) && watch_open(&watch, NULL) &&
              watch_file(watch, bell.path, NULL));
    ck_assert(control_desk_ask(desk, run, &control, &ticket, NULL));
    const int64_t since_us = clock_mono_us();
    while (control_desk_row(desk, ticket, &row, &err) && row == 0) {
        ck_assert_int_lt(clock_mono_us() - since_us, DEADLINE_US);
        struct pollfd fds = {.fd = watch_fd(watch), .events = POLLIN};
        (void)poll(&fds, 1, LOOK_MS);
        (void)watch_drain(watch);
    }
    ck_assert_msg(row > 0 || err.code == ERR_NOT_FOUND, "%s", err.message);
    watch_close(watch);
    bell_done(&bell);
    control_desk_stop(desk);
    return row;
}

static void assert_answer(const struct place *place, int64_t row, bool want_done,
                          const char *want_word)
{
    struct log_reader *reader = log_reader_of(place);
    struct str answer = {0};
    bool answered = false;
    bool done = false;
    must(log_reader_answer(reader, row, &answered, &done, &answer, &err));
    ck_assert_msg(answered, "no answer");
    ck_assert_msg(done == want_done, "%s", str_text(&answer));
    ck_assert_msg(strstr(str_text(&answer), want_word) != NULL, "%s", str_text(&answer));
    str_done(&answer);
    log_reader_close(reader);
}

/* A child that owns a run kills itself: an orphan stays behind. */
static void make_orphan(const struct place *place, int advances)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct sample sample;
        sample_open(&sample, place, TASKS);
        sample_start(&sample);
        for (int i = 0; i < advances; i++)
            (void)sample_advance(&sample);
        (void)raise(SIGKILL);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
}

static struct sample live;

static bool control_arrives(struct control *out)
{
    size_t count = 0;
    must(log_writer_controls(live.writer, out, 1, &count, &err));
    return count == 1;
}

/* A child that requests one act on run 1 after a byte from the parent. It is forked before this
 * process has a thread. */
static pid_t start_asker(const struct place *place, int *go_fd)
{
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char byte = 0;
        if (read(fds[0], &byte, 1) != 1)
            _exit(1);
        struct control_desk *desk = start_desk(place);
        int64_t ticket = 0;
        struct control control = act(CONTROL_CANCEL, 3);
        control.step = 0;
        control.attempt = 2;
        if (!control_desk_ask(desk, 1, &control, &ticket, NULL) || ticket != 1)
            _exit(1);
        control_desk_stop(desk); /* writes what is queued first */
        _exit(0);
    }
    (void)close(fds[0]);
    *go_fd = fds[1];
    return pid;
}

START_TEST(test_an_act_of_another_process_arrives)
{
    struct place place = sample_place();
    int go_fd = -1;
    pid_t pid = start_asker(&place, &go_fd);
    sample_open(&live, &place, TASKS);
    sample_start(&live);
    struct bell bell;
    struct watch *watch = NULL;
    must(bell_init(&bell, &place, &err) && watch_open(&watch, &err) &&
         watch_file(watch, bell.path, &err));
    ck_assert_int_eq(write(go_fd, "x", 1), 1);
    struct control got;
    int64_t since_us = clock_mono_us();
    while (!control_arrives(&got)) {
        ck_assert_int_lt(clock_mono_us() - since_us, DEADLINE_US);
        struct pollfd fds = {.fd = watch_fd(watch), .events = POLLIN};
        (void)poll(&fds, 1, DEADLINE_US / 1000);
        (void)watch_drain(watch);
    }
    check_exit(pid);
    ck_assert_int_gt(got.id, 0);
    ck_assert_int_eq((int)got.verb, CONTROL_CANCEL);
    ck_assert_int_eq((int)got.mode, CANCEL_TERM);
    ck_assert_int_eq(got.task, 3);
    ck_assert_int_eq(got.step, 0);
    ck_assert_int_eq(got.attempt, 2);
    ck_assert_int_eq(got.key_at_ms, 42);
    ck_assert_str_eq(got.by, "ann");
    sample_control(&live, got);
    assert_answer(&place, got.id, false, "not 2");
    watch_close(watch);
    bell_done(&bell);
    sample_done(&live);
}
END_TEST

START_TEST(test_a_run_that_is_not_there)
{
    struct place place = sample_place();
    sample_open(&live, &place, TASKS);
    ck_assert_int_eq(ask_and_stop(&place, 77, act(CONTROL_HOLD, 1)), 0);
    sample_done(&live);
}
END_TEST

START_TEST(test_a_full_queue_is_reported)
{
    struct place place = sample_place();
    sample_open(&live, &place, TASKS);
    sample_start(&live);
    /* Nobody can write while we have the turn, so the queue fills up. */
    struct turns turns;
    struct err err = {0};
    ck_assert(turns_init(&turns, &place, &err) && turns_take(&turns, &err));
    struct control_desk *desk = start_desk(&place);
    struct control control = act(CONTROL_HOLD, 1);
    int64_t ticket = 0;
    int taken = 0;
    while (taken <= CONTROL_DESK_QUEUE_MAX + 1 &&
           control_desk_ask(desk, live.number, &control, &ticket, &err))
        taken++;
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_int_ge(taken, CONTROL_DESK_QUEUE_MAX);
    int64_t row = 5;
    ck_assert(control_desk_row(desk, ticket, &row, NULL));
    ck_assert_int_eq(row, 0);
    ck_assert(!control_desk_row(desk, ticket + 1, &row, NULL));
    turns_give(&turns);
    turns_done(&turns);
    control_desk_stop(desk);

    struct control controls[2 * CONTROL_DESK_QUEUE_MAX];
    size_t count = 0;
    ck_assert(log_writer_controls(live.writer, controls, ARRAY_LEN(controls), &count, NULL));
    ck_assert_uint_eq(count, (size_t)taken);
    for (size_t i = 1; i < count; i++)
        ck_assert_int_gt(controls[i].id, controls[i - 1].id);
    sample_done(&live);
}
END_TEST

START_TEST(test_an_ended_run_refuses_acts)
{
    struct place place = sample_place();
    sample_open(&live, &place, TASKS);
    sample_start(&live);
    sample_drive(&live);
    ck_assert(live.state.ended);
    int64_t run = live.number;
    int64_t last_seq = live.state.last_seq;
    sample_done(&live);
    assert_answer(&place, ask_and_stop(&place, run, act(CONTROL_HOLD, 1)), false,
                  "the run has ended");
    struct follower *follower = log_follow(&place, run);
    ck_assert_int_eq(follower_run(follower)->last_seq, last_seq);
    follower_close(follower);
}
END_TEST

START_TEST(test_acts_on_an_orphan)
{
    static const struct {
        enum control_verb verb;
        int task;
        bool done;
        const char *word;
        enum task_status status;
    } cases[] = {
        {CONTROL_HOLD, 8, true, "held", TASK_QUEUED},
        {CONTROL_CANCEL, 8, true, "cancelled", TASK_CANCELLED},
        {CONTROL_RELEASE, 8, false, "not held", TASK_QUEUED},
        {CONTROL_RETRY, 8, false, "devs run --continue", TASK_QUEUED},
        {CONTROL_HOLD, 99, false, "no such task", TASK_QUEUED},
    };
    struct place place = sample_place();
    make_orphan(&place, 2);
    const int64_t row = ask_and_stop(&place, 1, act(cases[_i].verb, cases[_i].task));
    assert_answer(&place, row, cases[_i].done, cases[_i].word);

    /* The log can still be followed, nothing was started and nobody owns the run. */
    struct follower *follower = log_follow(&place, 1);
    int running = 0;
    const struct run_state *state = follower_state(follower);
    for (int i = 0; i < TASKS; i++)
        running += state->tasks[i].status == TASK_RUNNING;
    ck_assert_int_eq(running, 3);
    ck_assert_int_eq((int)state->tasks[8].status, (int)cases[_i].status);
    ck_assert(state->tasks[8].held == (cases[_i].verb == CONTROL_HOLD && cases[_i].task == 8));
    ck_assert(follower_is_orphaned(follower));
    follower_close(follower);
}
END_TEST

/* Another process keeps a shared lock on the owner file: nobody owns the run, and nobody can take
 * it. The act is refused, not left open. */
START_TEST(test_an_act_on_a_run_that_is_locked_without_an_owner_is_refused)
{
    struct place place = sample_place();
    make_orphan(&place, 2);
    struct follower *follower = log_follow(&place, 1);
    char path[PATH_MAX + 64];
    (void)snprintf(path, sizeof(path), "%s/owner/%s", place.dir, follower_run(follower)->uid);
    follower_close(follower);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ck_assert_int_eq(flock(fd, LOCK_SH | LOCK_NB), 0);
    assert_answer(&place, ask_and_stop(&place, 1, act(CONTROL_HOLD, 8)), false, "another process");
    (void)close(fd);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("control_desk");
    TCase *owned = test_case(suite, "owned");
    tcase_add_test(owned, test_an_act_of_another_process_arrives);
    tcase_add_test(owned, test_a_run_that_is_not_there);
    tcase_add_test(owned, test_a_full_queue_is_reported);
    TCase *orphans = test_case(suite, "orphans");
    tcase_add_test(orphans, test_an_ended_run_refuses_acts);
    tcase_add_loop_test(orphans, test_acts_on_an_orphan, 0, 5);
    tcase_add_test(orphans, test_an_act_on_a_run_that_is_locked_without_an_owner_is_refused);
    return suite;
}
