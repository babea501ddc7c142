#include "workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <uv.h>

#include "test_main.h"

enum { TOLD_MAX = 64, NOBODY = 65534 };

/* Lets the work of a job wait until the test says so. */
struct gate {
    pthread_mutex_t lock; /* guards the field below */
    pthread_cond_t changed;
    bool open;
};

struct tried {
    struct gate *gate; /* borrowed; NULL = work that does not wait */
    char name;
    bool has_run, saw_stop, told;
};

static uv_loop_t loop;
static struct jobs *jobs;
static char told[TOLD_MAX + 1]; /* names, in the order of their ends */
static atomic_int active;
static atomic_int active_most;

static void setup(void)
{
    struct err err = {0};
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_msg(jobs_open(&jobs, &loop, &err), "%s", err.message);
    told[0] = '\0';
}

static void teardown(void)
{
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(jobs_count(jobs), 0);
    jobs_close(jobs);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void gate_init(struct gate *gate)
{
    gate->open = false;
    (void)pthread_mutex_init(&gate->lock, NULL);
    (void)pthread_cond_init(&gate->changed, NULL);
}

static void gate_let(struct gate *gate)
{
    (void)pthread_mutex_lock(&gate->lock);
    gate->open = true;
    (void)pthread_cond_broadcast(&gate->changed);
    (void)pthread_mutex_unlock(&gate->lock);
}

static void gate_wait(struct gate *gate)
{
    (void)pthread_mutex_lock(&gate->lock);
    while (!gate->open)
        (void)pthread_cond_wait(&gate->changed, &gate->lock);
    (void)pthread_mutex_unlock(&gate->lock);
}

static void gate_done(struct gate *gate)
{
    (void)pthread_mutex_destroy(&gate->lock);
    (void)pthread_cond_destroy(&gate->changed);
}

static void work(void *ctx, const atomic_bool *stop)
{
    struct tried *tried = ctx;
    int now = atomic_fetch_add(&active, 1) + 1;
    int most = atomic_load(&active_most);
    while (now > most && !atomic_compare_exchange_weak(&active_most, &most, now))
        ;
    if (tried->gate)
        gate_wait(tried->gate);
    tried->saw_stop = atomic_load(stop);
    (void)atomic_fetch_sub(&active, 1);
}

static void done(void *ctx, bool has_run)
{
    struct tried *tried = ctx;
    ck_assert(!tried->told);
    tried->told = true;
    tried->has_run = has_run;
    const size_t count = strlen(told);
    ck_assert_uint_lt(count, TOLD_MAX);
    told[count] = tried->name;
    told[count + 1] = '\0';
}

static struct job *add(int line, struct tried *tried)
{
    const struct job_call call = {.line = line, .work = work, .done = done, .ctx = tried};
    struct job *job = jobs_add(jobs, &call);
    ck_assert_ptr_nonnull(job);
    return job;
}

START_TEST(test_jobs_of_one_line_run_in_order)
{
    struct tried tried[12] = {0};
    for (int i = 0; i < 12; i++) {
        tried[i].name = (char)('a' + i);
        (void)add(7, &tried[i]);
    }
    ck_assert_str_eq(told, ""); /* nothing is told from within the call */
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(told, "abcdefghijkl");
    ck_assert_int_eq(atomic_load(&active_most), 1);
    for (int i = 0; i < 12; i++)
        ck_assert(tried[i].has_run && !tried[i].saw_stop);
}
END_TEST

START_TEST(test_lines_run_side_by_side)
{
    struct gate gate;
    gate_init(&gate);
    struct tried slow = {.name = 's', .gate = &gate};
    struct tried behind = {.name = 'b'};
    struct tried other = {.name = 'o'};
    (void)add(1, &slow);
    (void)add(1, &behind);
    (void)add(2, &other);
    while (!other.told)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert_str_eq(told, "o");
    gate_let(&gate);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(told, "osb");
    gate_done(&gate);
}
END_TEST

START_TEST(test_only_so_many_at_a_time)
{
    struct gate gate;
    gate_init(&gate);
    struct tried tried[3 * JOBS_ACTIVE_MAX] = {0};
    for (int i = 0; i < 3 * JOBS_ACTIVE_MAX; i++) {
        tried[i] = (struct tried){.name = 'x', .gate = &gate};
        (void)add(i, &tried[i]);
    }
    gate_let(&gate);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(strlen(told), 3 * JOBS_ACTIVE_MAX);
    ck_assert_int_le(atomic_load(&active_most), JOBS_ACTIVE_MAX);
    gate_done(&gate);
}
END_TEST

START_TEST(test_stopped_job_hears_it_or_never_begins)
{
    struct gate gate;
    gate_init(&gate);
    struct tried runs = {.name = 'r', .gate = &gate};
    struct tried waits = {.name = 'w'};
    struct tried goes_on = {.name = 'g'};
    struct job *running = add(1, &runs);
    struct job *waiting = add(1, &waits);
    (void)add(1, &goes_on);
    job_stop(waiting);
    job_stop(running);
    ck_assert_str_eq(told, "");
    while (!waits.told)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert(!waits.has_run);
    gate_let(&gate);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(told, "wrg");
    ck_assert(runs.has_run && runs.saw_stop);
    ck_assert(goes_on.has_run && !goes_on.saw_stop);
    gate_done(&gate);
}
END_TEST

START_TEST(test_all_can_be_stopped_at_once)
{
    struct gate gate;
    gate_init(&gate);
    struct tried tried[20] = {0};
    for (int i = 0; i < 20; i++) {
        tried[i] = (struct tried){.name = 'x', .gate = &gate};
        (void)add(i % 10, &tried[i]);
    }
    jobs_stop(jobs);
    gate_let(&gate);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(strlen(told), 20);
    int ran = 0;
    for (int i = 0; i < 20; i++) {
        ran += tried[i].has_run;
        ck_assert(!tried[i].has_run || tried[i].saw_stop);
    }
    ck_assert_int_eq(ran, JOBS_LONG_MAX);
    gate_done(&gate);
}
END_TEST

/* What takes away a sandbox, and waits for its turn when all is stopped. */
START_TEST(test_what_cleans_up_runs_though_it_was_stopped)
{
    struct gate gate;
    gate_init(&gate);
    struct tried tried[2 * JOBS_ACTIVE_MAX + 1] = {0};
    const int count = 2 * JOBS_ACTIVE_MAX + 1;
    for (int i = 0; i < count; i++) {
        tried[i] = (struct tried){.name = 'x', .gate = &gate};
        const struct job_call call = {
            .line = i, .work = work, .done = done, .ctx = &tried[i], .always = i < count - 1};
        ck_assert_ptr_nonnull(jobs_add(jobs, &call));
    }
    jobs_stop(jobs);
    while (!tried[count - 1].told)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert_str_eq(told, "x"); /* of the last one alone nothing is left */
    gate_let(&gate);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    for (int i = 0; i < count; i++)
        ck_assert(tried[i].told && tried[i].has_run == (i < count - 1));
    gate_done(&gate);
}
END_TEST

/* An end is told though set-ups take as long as they like. */
START_TEST(test_what_cleans_up_has_a_thread_of_its_own)
{
    struct gate gate;
    gate_init(&gate);
    struct tried slow[JOBS_ACTIVE_MAX] = {0};
    struct tried end = {.name = 'e'};
    for (int i = 0; i < JOBS_ACTIVE_MAX; i++) {
        slow[i] = (struct tried){.name = 's', .gate = &gate};
        (void)add(i, &slow[i]);
    }
    const struct job_call call = {
        .line = JOBS_ACTIVE_MAX, .work = work, .done = done, .ctx = &end, .always = true};
    ck_assert_ptr_nonnull(jobs_add(jobs, &call));
    while (!end.told)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert_str_eq(told, "e");
    gate_let(&gate);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(strlen(told), JOBS_ACTIVE_MAX + 1);
    gate_done(&gate);
}
END_TEST

START_TEST(test_there_is_a_limit)
{
    static struct tried tried[JOBS_MAX];
    struct gate gate;
    gate_init(&gate);
    for (int i = 0; i < JOBS_MAX; i++) {
        tried[i].gate = &gate;
        (void)add(i, &tried[i]);
    }
    const struct job_call more = {.work = work, .done = done, .ctx = &tried[0]};
    ck_assert_ptr_null(jobs_add(jobs, &more));
    ck_assert_uint_eq(jobs_count(jobs), JOBS_MAX);
    for (int i = 0; i < JOBS_MAX; i++)
        tried[i].told = false;
    jobs_stop(jobs);
    gate_let(&gate);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_uint_eq(jobs_count(jobs), 0);
    gate_done(&gate);
}
END_TEST

/* No process or thread more for this user, who is not root. Who looks for leaks at the end
 * needs one: let_processes(). */
static void refuse_processes(void)
{
    ck_assert(geteuid() != 0 || setuid(NOBODY) == 0);
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NPROC, &limit), 0);
    limit.rlim_cur = 1;
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &limit), 0);
}

static void let_processes(void)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_NPROC, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &limit), 0);
}

START_TEST(test_jobs_run_where_no_thread_more_can_be_made)
{
    refuse_processes();
    struct tried tried[3] = {{.name = 'a'}, {.name = 'b'}, {.name = 'c'}};
    for (int i = 0; i < 3; i++)
        (void)add(i, &tried[i]);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(told, "abc");
    ck_assert_int_eq(atomic_load(&active_most), 1);
    let_processes();
}
END_TEST

START_TEST(test_no_thread_at_all_is_an_error)
{
    refuse_processes();
    struct jobs *none = NULL;
    struct err err = {0};
    ck_assert(!jobs_open(&none, &loop, &err));
    ck_assert_str_eq(err.message, "cannot start a worker thread: Resource temporarily unavailable");
    let_processes();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job");
    TCase *order = test_case(suite, "order");
    tcase_add_checked_fixture(order, setup, teardown);
    tcase_add_test(order, test_jobs_of_one_line_run_in_order);
    tcase_add_test(order, test_lines_run_side_by_side);
    tcase_add_test(order, test_only_so_many_at_a_time);
    TCase *stopping = test_case(suite, "stopping");
    tcase_add_checked_fixture(stopping, setup, teardown);
    tcase_add_test(stopping, test_stopped_job_hears_it_or_never_begins);
    tcase_add_test(stopping, test_all_can_be_stopped_at_once);
    tcase_add_test(stopping, test_what_cleans_up_runs_though_it_was_stopped);
    tcase_add_test(stopping, test_what_cleans_up_has_a_thread_of_its_own);
    tcase_add_test(stopping, test_there_is_a_limit);
    TCase *short_of_threads = test_case(suite, "short_of_threads");
    tcase_add_checked_fixture(short_of_threads, setup, teardown);
    tcase_add_test(short_of_threads, test_jobs_run_where_no_thread_more_can_be_made);
    tcase_add_test(short_of_threads, test_no_thread_at_all_is_an_error);
    return suite;
}
