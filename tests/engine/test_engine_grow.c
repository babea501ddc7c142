/* Tasks that are added to a run while it goes on. */
#define _GNU_SOURCE /* fork beside POSIX */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine_try.h"
#include "follower.h"
#include "test_main.h"
#include "xalloc.h"

enum { THREADS = 8, CALLS = 25, JSON_MAX = 4096 };

static void open_growing(void)
{
    try_open();
    tried.keys = "'grows':true,";
    tried.options.kind = "mcp";
    try_start("");
}

static bool add_json(const char *json, int *task, struct err *err)
{
    const struct engine_task call = {.json = json, .json_len = strlen(json)};
    *err = (struct err){0};
    return engine_add(tried.engine, &call, task, err);
}

/* With ' for ", as a step; its number. */
static int add(const char *id, const char *step)
{
    char json[JSON_MAX];
    struct err err;
    int task = -1;
    (void)snprintf(json, sizeof(json), "{'id':'%s','steps':[{%s}]}", id, step);
    for (char *at = json; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    ck_assert_msg(add_json(json, &task, &err), "%s", err.message);
    return task;
}

static struct engine_result end_run(void)
{
    engine_close_plan(tried.engine);
    return try_finish();
}

START_TEST(test_tasks_are_added_and_run)
{
    ck_assert_int_eq(add("a", "'run':['sh','-c','echo one']"), 0);
    ck_assert_int_eq(add("b", "'run':['sh','-c','echo two; exit 3']"), 1);
    ck_assert_int_eq(add("c", "'run':['true']"), 2);
    struct engine_result result = end_run();
    struct str out = {0};
    try_read_log();
    ck_assert_int_eq(result.exit_code, 1);
    ck_assert_int_eq(tried.state.plan->task_count, 3);
    ck_assert_uint_eq(try_count(EVENT_TASK_ADDED, -1), 3);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_PASSED);
    ck_assert_int_eq(tried.state.tasks[1].status, TASK_GAVE_UP);
    ck_assert_int_eq(tried.state.tasks[2].status, TASK_PASSED);
    try_read_output(1, 1, 1, &out);
    ck_assert_str_eq(str_text(&out), "two\n");
    str_done(&out);
}
END_TEST

START_TEST(test_a_run_without_a_task_ends_well)
{
    ck_assert_int_eq(end_run().exit_code, 0);
}
END_TEST

START_TEST(test_a_call_gets_its_stdin_and_its_whole_arguments)
{
    enum { LONG = 100 * 1024 };
    struct str json = {0};
    struct str out = {0};
    struct err err = {0};
    char *bytes = xcalloc(LONG, 1);
    int task = -1;
    memset(bytes, '\n', LONG);
    bytes[0] = '\0';
    str_add(&json, "{\"id\":\"a\",\"steps\":[{\"run\":[\"sh\",\"-c\",\"wc -c; printf %s \\\"$1\\\" "
                   "| wc -c\",\"sh\",\"");
    for (int i = 0; i < LONG; i++)
        str_add_char(&json, 'x');
    str_add(&json, "\"]}]}");
    const struct engine_task call = {
        .json = json.data, .json_len = json.len, .stdin_bytes = bytes, .stdin_len = LONG};
    ck_assert_msg(engine_add(tried.engine, &call, &task, &err), "%s", err.message);
    ck_assert_int_eq(end_run().exit_code, 0);
    try_read_log();
    try_read_output(task, 1, 1, &out);
    ck_assert_str_eq(str_text(&out), "102400\n102400\n");
    const struct event *event = try_find(EVENT_TASK_ADDED, -1);
    ck_assert_uint_le(strlen(event->task_added.task), EVENT_TEXT_MAX);
    ck_assert_ptr_nonnull(strstr(event->data, "(102400 bytes, sha256 "));
    str_done(&json);
    str_done(&out);
    free(bytes);
}
END_TEST

START_TEST(test_a_call_that_may_not_be_repeated_is_made_once)
{
    add("once", "'policy':'quick','run':['sh','-c','echo x >>once; exit 1']");
    add("again", "'policy':'quick','idempotent':true,'run':['sh','-c','echo x >>again; exit 1']");
    (void)end_run();
    try_read_log();
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 0), 1);
    ck_assert_uint_gt(try_count(EVENT_ATTEMPT_STARTED, 1), 1);
    ck_assert_int_eq(run_state_tries(&tried.state, 0), 1);
}
END_TEST

START_TEST(test_a_secret_that_comes_with_a_call_is_in_no_log)
{
    struct str out = {0};
    add("a", "'env':{'MY_API_KEY':'planted-value-0123'},"
             "'run':['sh','-c','echo $MY_API_KEY; echo $MY_API_KEY | base64; "
             "test $MY_API_KEY = planted-value-0123']");
    ck_assert_int_eq(end_run().exit_code, 0);
    try_read_log();
    try_read_output(0, 1, 1, &out);
    ck_assert_ptr_null(strstr(str_text(&out), "planted"));
    ck_assert_ptr_null(strstr(str_text(&out), "cGxhbnRlZ"));
    ck_assert_ptr_nonnull(strstr(str_text(&out), "[cut:MY_API_KEY]"));
    ck_assert_ptr_null(strstr(try_find(EVENT_TASK_ADDED, -1)->data, "planted"));
    const struct event *cut = try_find(EVENT_SECRETS_CUT, 0);
    ck_assert_int_eq(cut->secrets.count, 2);
    ck_assert_str_eq(cut->secrets.names, "2 MY_API_KEY");
    str_done(&out);
}
END_TEST

static const char *const no_tasks[] = {
    "{\"id\":\"a\",\"steps\":[{\"run\":[\"true\"]}]}",
    "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"true\"]}]}",
    "{\"id\":\"b\"}",
    "{",
    "[]",
};

START_TEST(test_what_is_no_task_is_refused)
{
    struct err err;
    int task = -1;
    add("a", "'run':['true']");
    ck_assert(!add_json(no_tasks[_i], &task, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_eq(task, -1);
    ck_assert_int_eq(add("b", "'run':['true']"), 1);
    ck_assert_int_eq(end_run().exit_code, 0);
}
END_TEST

START_TEST(test_what_is_too_large_is_refused)
{
    const struct engine_task tasks[] = {
        {.json = "{}", .json_len = ENGINE_TASK_MAX + 1},
        {.json = "{}", .json_len = 2, .stdin_bytes = "", .stdin_len = ENGINE_STDIN_MAX + 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(tasks); i++) {
        struct err err = {0};
        int task = -1;
        ck_assert(!engine_add(tried.engine, &tasks[i], &task, &err));
        ck_assert_int_eq(err.code, ERR_LIMIT);
    }
    ck_assert_int_eq(end_run().exit_code, 0);
}
END_TEST

START_TEST(test_nothing_is_added_behind_the_end)
{
    struct err err;
    int task = -1;
    add("a", "'run':['sh','-c','echo >ready; while [ ! -e go ]; do sleep 0.01; done']");
    ck_assert(try_await(try_is_ready));
    engine_close_plan(tried.engine);
    ck_assert(!add_json("{\"id\":\"b\",\"steps\":[{\"run\":[\"true\"]}]}", &task, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    try_make_file("go");
    ck_assert_int_eq(try_finish().exit_code, 0);
}
END_TEST

START_TEST(test_a_cancel_ends_what_runs_and_refuses_more)
{
    struct err err;
    int task = -1;
    add("a", "'run':['sh','-c','echo >ready; exec sleep 100']");
    ck_assert(try_await(try_is_ready));
    engine_cancel(tried.engine, "a person");
    ck_assert(!add_json("{\"id\":\"b\",\"steps\":[{\"run\":[\"true\"]}]}", &task, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_int_eq(try_finish().exit_code, 130);
    try_read_log();
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_CANCELLED);
    ck_assert_str_eq(tried.state.tasks[0].by, "a person");
}
END_TEST

START_TEST(test_a_run_of_a_plan_takes_no_tasks)
{
    struct err err;
    int task = -1;
    try_start("{'id':'a','steps':[{'run':['sh','-c','while [ ! -e go ]; do sleep 0.01; done']}]}");
    ck_assert(!add_json("{\"id\":\"b\",\"steps\":[{\"run\":[\"true\"]}]}", &task, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    try_make_file("go");
    ck_assert_int_eq(try_finish().exit_code, 0);
}
END_TEST

START_TEST(test_a_note_is_of_a_task_or_of_the_run)
{
    add("a", "'run':['true']");
    engine_note(tried.engine, 0, "it loops");
    engine_note(tried.engine, 7, "no such task");
    ck_assert_int_eq(end_run().exit_code, 0);
    try_read_log();
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_NOTE, 0)->data, "it loops"));
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_NOTE, -1)->data, "no such task"));
}
END_TEST

static void *call_often(void *arg)
{
    const int caller = *(const int *)arg;
    for (int i = 0; i < CALLS; i++) {
        char id[32];
        (void)snprintf(id, sizeof(id), "c%d-%03d", caller, i);
        add(id, "'run':['true']");
    }
    return NULL;
}

START_TEST(test_many_threads_add_at_once)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_int_eq(end_run().exit_code, 0);

    struct follower *follower = NULL;
    struct err err = {0};
    ck_assert_msg(follower_open(&follower, &tried.place, tried.number, &err), "%s", err.message);
    ck_assert_msg(follower_read(follower, 0, NULL, NULL, NULL, &err), "%s", err.message);
    const struct run_state *state = follower_state(follower);
    ck_assert_int_eq(state->counts[TASK_PASSED], THREADS * CALLS);
    ck_assert_int_eq(follower_run(follower)->tasks, THREADS * CALLS);

    /* Back to before any task, and on to the end again. */
    uint64_t digest = run_state_digest(state);
    int64_t last = state->last_seq;
    ck_assert(follower_seek(follower, 1, &err));
    ck_assert_int_eq(state->plan->task_count, 0);
    ck_assert(follower_seek(follower, last, &err));
    ck_assert_uint_eq(run_state_digest(state), digest);
    follower_close(follower);
}
END_TEST

static bool is_running(void)
{
    try_read_log();
    return try_has_file("ready") && try_count(EVENT_ATTEMPT_RUNNING, 0) > 0;
}

/* Another process begins the run and is killed while one task runs and one is queued. */
static void die_with_two_tasks(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        try_start("");
        add("a", "'run':['sh','-c','echo x >>ran; echo >ready; exec sleep 600']");
        add("b", "'run':['sh','-c','echo x >>ran']");
        (void)try_await(is_running);
        (void)kill(getpid(), SIGKILL);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
}

START_TEST(test_a_run_whose_caller_died_is_brought_to_its_end)
{
    tried.keys = "'grows':true,";
    tried.options.jobs = 1;
    die_with_two_tasks();
    tried.options.resume = 1;
    try_start("");
    struct engine_result result = try_finish();
    try_read_log();
    ck_assert_int_eq(result.exit_code, 130);
    ck_assert(tried.state.ended);
    ck_assert_int_eq(tried.state.plan->task_count, 2);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 0), 1);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 1), 0);
    ck_assert_int_eq(tried.state.tasks[1].status, TASK_CANCELLED);
    ck_assert_int_eq(tried.state.tasks[0].steps[0].attempts[0].outcome.kind, OUTCOME_INTERRUPTED);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine_grow");
    TCase *growing = test_case(suite, "growing");
    tcase_add_checked_fixture(growing, open_growing, try_close);
    tcase_add_test(growing, test_tasks_are_added_and_run);
    tcase_add_test(growing, test_a_run_without_a_task_ends_well);
    tcase_add_test(growing, test_a_call_gets_its_stdin_and_its_whole_arguments);
    tcase_add_test(growing, test_a_call_that_may_not_be_repeated_is_made_once);
    tcase_add_test(growing, test_a_secret_that_comes_with_a_call_is_in_no_log);
    tcase_add_loop_test(growing, test_what_is_no_task_is_refused, 0, ARRAY_LEN(no_tasks));
    tcase_add_test(growing, test_what_is_too_large_is_refused);
    tcase_add_test(growing, test_nothing_is_added_behind_the_end);
    tcase_add_test(growing, test_a_cancel_ends_what_runs_and_refuses_more);
    tcase_add_test(growing, test_a_note_is_of_a_task_or_of_the_run);
    tcase_add_test(growing, test_many_threads_add_at_once);
    TCase *fixed = test_case(suite, "fixed");
    tcase_add_checked_fixture(fixed, try_open, try_close);
    tcase_add_test(fixed, test_a_run_of_a_plan_takes_no_tasks);
    tcase_add_test(fixed, test_a_run_whose_caller_died_is_brought_to_its_end);
    return suite;
}
