#include "follower.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "event_text.h"
#include "golden_log.h"
#include "log_try.h"
#include "must.h"
#include "plan.h"
#include "str.h"
#include "test_main.h"

enum { TASKS = 40, DEADLINE_US = 60 * 1000 * 1000 };

static struct follower *open_follower(const struct place *place, int64_t run)
{
    struct follower *follower = NULL;
    must(follower_open(&follower, place, run, &err));
    ck_assert_int_eq(follower_fd(follower), -1);
    follower_watch(follower);
    return follower;
}

static size_t read_on(struct follower *follower, size_t max, follower_event_fn *each, void *ctx)
{
    size_t count = 0;
    must(follower_read(follower, max, each, ctx, &count, &err));
    return count;
}

/* Blocks until the bell rings; fails after a minute. */
static void wait_for_bell(const struct follower *follower, int64_t since_us)
{
    struct pollfd fds = {.fd = follower_fd(follower), .events = POLLIN};
    ck_assert_int_ge(fds.fd, 0);
    ck_assert_int_lt(clock_mono_us() - since_us, DEADLINE_US);
    ck_assert_int_eq(poll(&fds, 1, DEADLINE_US / 1000), 1);
}

/* A child opens a run, reports it, waits for a byte from the parent and then plays the run. */
struct child {
    pid_t pid;
    int go_fd;
};

static struct child start_child(const struct place *place, int advances)
{
    int ready[2];
    int go[2];
    ck_assert_int_eq(pipe(ready), 0);
    ck_assert_int_eq(pipe(go), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct sample sample;
        char byte = 0;
        sample_open(&sample, place, TASKS);
        if (write(ready[1], "x", 1) != 1 || read(go[0], &byte, 1) != 1)
            _exit(1);
        sample_start(&sample);
        for (int i = 0; i < advances && sample_advance(&sample); i++)
            continue;
        if (!sample.state.ended)
            (void)raise(SIGKILL);
        sample_done(&sample);
        _exit(0);
    }
    char byte = 0;
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    close(go[0]);
    return (struct child){.pid = pid, .go_fd = go[1]};
}

static bool check_order(void *ctx, const struct run_state *state, const struct event *event)
{
    int64_t *last = ctx;
    ck_assert_int_eq(event->seq, *last + 1);
    ck_assert_int_eq(state->last_seq, event->seq);
    *last = event->seq;
    return true;
}

START_TEST(test_every_event_arrives_by_the_bell)
{
    struct place place = sample_place();
    struct child child = start_child(&place, 1000 * 1000);
    struct follower *follower = open_follower(&place, 0);
    ck_assert_uint_eq(read_on(follower, 0, NULL, NULL), 0);
    ck_assert(follower_run(follower)->owner_alive);
    ck_assert(!follower_is_orphaned(follower));
    ck_assert_int_eq(write(child.go_fd, "x", 1), 1);

    int64_t since_us = clock_mono_us();
    int64_t last = 0;
    while (!follower_state(follower)->ended) {
        wait_for_bell(follower, since_us);
        ck_assert(follower_heard(follower));
        (void)read_on(follower, 0, check_order, &last);
    }
    check_exit(child.pid);
    ck_assert_int_eq(last, follower_state(follower)->last_seq);

    /* Reading the run at once gives the same state. */
    struct follower *again = open_follower(&place, 0);
    ck_assert_uint_eq(read_on(again, 0, NULL, NULL), (size_t)last);
    ck_assert(run_state_digest(follower_state(again)) ==
              run_state_digest(follower_state(follower)));
    ck_assert_int_ne(follower_run(again)->ended_at_ms, 0);
    follower_close(again);
    follower_close(follower);
}
END_TEST

START_TEST(test_a_killed_owner_leaves_an_orphan)
{
    struct place place = sample_place();
    struct child child = start_child(&place, 5);
    struct follower *follower = open_follower(&place, 1);
    ck_assert_int_eq(write(child.go_fd, "x", 1), 1);
    int status = 0;
    ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
    ck_assert(WIFSIGNALED(status));
    (void)read_on(follower, 0, NULL, NULL);
    ck_assert_int_gt(follower_state(follower)->last_seq, 5);
    ck_assert(!follower_state(follower)->ended);
    ck_assert(follower_is_orphaned(follower));
    follower_close(follower);
}
END_TEST

static bool stop_at_once(void *ctx, const struct run_state *state, const struct event *event)
{
    (void)state;
    *(int64_t *)ctx = event->seq;
    return false;
}

/* A run that has been played to its end, its writer closed. */
static struct sample past_run_of(int tasks)
{
    struct sample sample;
    struct place place = sample_place();
    sample_open(&sample, &place, tasks);
    sample_start(&sample);
    sample_drive(&sample);
    sample_close_log(&sample);
    return sample;
}

static struct sample past_run(void)
{
    return past_run_of(TASKS);
}

struct digests {
    uint64_t *items; /* of the state after each event */
    int64_t count;
};

static bool take_digest(void *ctx, const struct run_state *state, const struct event *event)
{
    struct digests *digests = ctx;
    ck_assert_int_eq(event->seq, digests->count);
    digests->items[digests->count++] = run_state_digest(state);
    return true;
}

/* Seeks far and near, forward and back, and compares the state with that of folding. */
static void seek_about(struct follower *follower, const struct digests *digests, int64_t by)
{
    const int64_t end = digests->count - 1;
    for (int64_t i = 1; i * by < 3 * end; i++) {
        const int64_t at = i * by % (2 * end);
        const int64_t seq = at > end ? 2 * end - at : at;
        must(follower_seek(follower, seq, &err));
        ck_assert_int_eq(follower_state(follower)->last_seq, seq);
        if (seq > 0)
            ck_assert_uint_eq(run_state_digest(follower_state(follower)), digests->items[seq]);
    }
}

START_TEST(test_seeking_gives_the_state_that_folding_gives)
{
    enum { MANY = 420 };
    struct sample sample = past_run_of(MANY);
    struct follower *follower = open_follower(&sample.place, 0);
    struct digests digests = {.count = 1};
    digests.items = calloc((size_t)sample.state.last_seq + 1, sizeof(*digests.items));
    ck_assert_ptr_nonnull(digests.items);
    (void)read_on(follower, 0, take_digest, &digests);
    ck_assert_int_gt(digests.count, 2048); /* several states are kept */
    seek_about(follower, &digests, 97);
    seek_about(follower, &digests, digests.count - 2); /* one back each time */
    seek_about(follower, &digests, 1021);
    free(digests.items);
    follower_close(follower);
    sample_done(&sample);
}
END_TEST

START_TEST(test_a_fork_seeks_while_the_original_reads_on)
{
    enum { MANY = 420, AT = 1000 };
    struct sample sample = past_run_of(MANY);
    struct follower *follower = open_follower(&sample.place, 0);
    struct follower *fork = NULL;
    struct digests digests = {.count = 1};
    digests.items = calloc((size_t)sample.state.last_seq + 1, sizeof(*digests.items));
    ck_assert_ptr_nonnull(digests.items);
    follower_keep_past(follower);
    ck_assert_uint_eq(read_on(follower, AT, take_digest, &digests), AT);
    must(follower_fork(&fork, follower, &err));
    ck_assert_uint_eq(run_state_digest(follower_state(fork)), digests.items[AT]);
    (void)read_on(follower, 0, take_digest, &digests);
    ck_assert_uint_eq(run_state_digest(follower_state(follower)), run_state_digest(&sample.state));
    seek_about(fork, &digests, 1021);
    follower_close(fork);
    follower_close(follower);
    free(digests.items);
    sample_done(&sample);
}
END_TEST

START_TEST(test_reading_in_pieces)
{
    struct sample sample = past_run();
    struct follower *follower = open_follower(&sample.place, 0);
    int64_t seen = 0;
    ck_assert_uint_eq(read_on(follower, 3, NULL, NULL), 3);
    ck_assert_uint_eq(read_on(follower, 0, stop_at_once, &seen), 1);
    ck_assert_int_eq(seen, 4);
    size_t rest = read_on(follower, 0, NULL, NULL);
    ck_assert_int_eq((int64_t)rest + 4, sample.state.last_seq);
    ck_assert_uint_eq(read_on(follower, 0, NULL, NULL), 0);
    ck_assert(run_state_digest(follower_state(follower)) == run_state_digest(&sample.state));
    ck_assert(!follower_is_orphaned(follower));
    follower_close(follower);
    sample_done(&sample);
}
END_TEST

START_TEST(test_seeking_to_the_ends)
{
    struct sample sample = past_run();
    const int64_t end = sample.state.last_seq;
    struct follower *follower = open_follower(&sample.place, 0);
    must(follower_seek(follower, end, &err));
    must(follower_seek(follower, 0, &err));
    ck_assert_int_eq(follower_state(follower)->last_seq, 0);
    ck_assert(!follower_state(follower)->started);
    must(follower_seek(follower, 5, &err));
    ck_assert_uint_eq(read_on(follower, 0, NULL, NULL), (size_t)(end - 5));
    must_fail(follower_seek(follower, end + 1, &err), ERR_NOT_FOUND);
    follower_close(follower);
    sample_done(&sample);
}
END_TEST

START_TEST(test_missing_runs_and_logs_are_not_found)
{
    struct sample sample = past_run();
    struct follower *follower = NULL;
    must_fail(follower_open(&follower, &sample.place, 2, &err), ERR_NOT_FOUND);
    ck_assert_ptr_null(follower);
    struct place nowhere = sample_place();
    must_fail(follower_open(&follower, &nowhere, 0, &err), ERR_NOT_FOUND);
    follower_close(NULL);
    sample_done(&sample);
}
END_TEST

enum { RUN = 1 };

/* The texts of each event, and a full state that is folded beside. */
struct told {
    struct str words;
    struct run_state *decides; /* NULL: none is folded beside */
};

static struct plan *plan_of(const char *text)
{
    struct plan *plan = NULL;
    struct violations violations = {0};
    ck_assert(plan_parse(text, strlen(text), &plan, &violations));
    violations_done(&violations);
    return plan;
}

static bool tell(void *ctx, const struct run_state *state, const struct event *event)
{
    struct told *told = ctx;
    event_words(state, event, &told->words);
    str_add_char(&told->words, '\n');
    (void)event_details(state, event, &told->words);
    str_add_char(&told->words, '\n');
    event_json(state, RUN, event, &told->words);
    str_add_char(&told->words, '\n');
    if (!told->decides)
        return true;
    must(run_state_apply(told->decides, event, &err));
    ck_assert_uint_eq(run_state_digest(told->decides), run_state_digest(state));
    return true;
}

static void read_all(struct follower *follower, struct told *told)
{
    must(follower_read(follower, 0, tell, told, NULL, &err));
    follower_close(follower);
}

static struct str told_by_all(const struct place *place)
{
    struct follower *follower = NULL;
    struct run_state decides;
    struct told told = {.decides = &decides};
    must(follower_open(&follower, place, 0, &err));
    struct plan *const plan = plan_of(follower_run(follower)->plan_text);
    run_state_init_for(&decides, plan, follower_run(follower)->seed, RUN_STATE_DECIDES);
    read_all(follower, &told);
    run_state_done(&decides);
    plan_free(plan);
    return told.words;
}

static struct str told_by_little(const struct place *place, const struct known_plan *known)
{
    struct follower *follower = NULL;
    struct told told = {0};
    must(follower_open_to_tell(&follower, place, 0, known, &err));
    ck_assert_int_eq(follower_state(follower)->use, RUN_STATE_TELLS);
    const bool is_shared = known->plan && !known->plan->grows;
    ck_assert_int_eq(follower_state(follower)->plan == known->plan, is_shared);
    read_all(follower, &told);
    return told.words;
}

START_TEST(test_events_read_the_same_with_little_state)
{
    const struct place place = golden_log_place(golden_log_name(_i));
    const struct known_plan none = {0};
    struct str all = told_by_all(&place);
    struct str little = told_by_little(&place, &none);
    ck_assert_uint_gt(all.len, 1000);
    ck_assert_str_eq(str_text(&little), str_text(&all));
    str_done(&little);
    str_done(&all);
}
END_TEST

/* The plan of the run is shared; that of another run is not used. */
START_TEST(test_a_known_plan_is_shared)
{
    const struct place place = golden_log_place("retries");
    struct follower *follower = NULL;
    must(follower_open(&follower, &place, 0, &err));
    struct plan *plan = plan_of(follower_run(follower)->plan_text);
    char *uid = strdup(follower_run(follower)->uid);
    ck_assert_ptr_nonnull(uid);
    follower_close(follower);
    struct str all = told_by_all(&place);
    struct str shared = told_by_little(&place, &(struct known_plan){.plan = plan, .uid = uid});
    ck_assert_str_eq(str_text(&shared), str_text(&all));
    must(follower_open_to_tell(&follower, &place, 0,
                               &(struct known_plan){.plan = plan, .uid = "another"}, &err));
    ck_assert_ptr_ne(follower_state(follower)->plan, plan);
    ck_assert_ptr_nonnull(follower_run(follower)->plan_text);
    follower_close(follower);
    str_done(&shared);
    str_done(&all);
    plan_free(plan);
    free(uid);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("follower");
    TCase *live = test_case(suite, "live");
    tcase_add_test(live, test_every_event_arrives_by_the_bell);
    tcase_add_test(live, test_a_killed_owner_leaves_an_orphan);
    TCase *past = test_case(suite, "past");
    tcase_add_test(past, test_a_fork_seeks_while_the_original_reads_on);
    tcase_add_test(past, test_reading_in_pieces);
    tcase_add_test(past, test_seeking_to_the_ends);
    tcase_add_test(past, test_seeking_gives_the_state_that_folding_gives);
    tcase_add_test(past, test_missing_runs_and_logs_are_not_found);
    TCase *tell = test_case(suite, "tell");
    tcase_add_loop_test(tell, test_events_read_the_same_with_little_state, 0, golden_log_count());
    tcase_add_test(tell, test_a_known_plan_is_shared);
    return suite;
}
