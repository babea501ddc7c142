#define _GNU_SOURCE /* fork and limits beside POSIX, resource usage */

#include "engine_try.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "control_desk.h"
#include "follower.h"
#include "json.h"
#include "log_reader.h"
#include "proc.h"
#include "run_state.h"
#include "str.h"
#include "test_main.h"
#include "xalloc.h"

enum { FREE_BYTES = 64 };

static bool has_ended_in_log(void)
{
    try_read_log();
    return tried.state.ended;
}

static bool is_waiting_in_log(void)
{
    try_read_log();
    return tried.state.tasks[0].status == TASK_BACKOFF;
}

static const char two_that_wait[] =
    "{'id':'a','steps':[{'run':['sh','-c','echo >ready; exec sleep 100']}]},"
    "{'id':'b','needs':['a'],'steps':[{'run':['true']}]}";

START_TEST(test_small_plan)
{
    try_start("{'id':'good','steps':[{'run':['true']},{'run':['sh','-c','echo two']}]},"
              "{'id':'flaky','steps':[{'policy':'quick','run':['sh','-c',"
              "'echo $DEVS_STEP $DEVS_RUN; echo x >>tries; test $(wc -l <tries) = 3']}]},"
              "{'id':'bad','steps':[{'policy':'quick','run':['sh','-c','echo no >&2; exit 7']}]},"
              "{'id':'after','needs':['bad'],'steps':[{'run':['true']}]}");
    struct engine_result result = try_finish();
    try_read_log();

    ck_assert_int_eq(result.exit_code, 1);
    ck_assert(!result.recording_failed);
    ck_assert(tried.state.ended);
    ck_assert_int_eq(tried.state.exit_code, 1);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_PASSED);
    ck_assert_int_eq(tried.state.tasks[1].status, TASK_PASSED);
    ck_assert_int_eq(tried.state.tasks[2].status, TASK_GAVE_UP);
    ck_assert_int_eq(tried.state.tasks[3].status, TASK_BLOCKED);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 1), 3);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_RUNNING, 1), 3);
    ck_assert_uint_eq(try_count(EVENT_WAIT_STARTED, 1), 2);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 3), 0);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 2)->ended.outcome.code, 7);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 2)->ended.outcome.bytes[1], 3);
    ck_assert_int_gt(try_find(EVENT_ATTEMPT_RUNNING, 0)->running.pid, 1);
    ck_assert_int_eq(tried.page.events[tried.page.count - 1].kind, EVENT_RUN_ENDED);
}
END_TEST

START_TEST(test_attempts_are_the_identical_call)
{
    try_run("{'id':'a','steps':[{'policy':'quick','env':{'EXTRA':'1'},'run':['sh','-c',"
            "'env | sort | grep -v ^_=; pwd; exit 1']}]}",
            TRY_ANY_EXIT);

    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 0), 3);
    const struct event *first = try_find(EVENT_ATTEMPT_STARTED, 0);
    struct str texts[3] = {{0}};
    for (int i = 0; i < 3; i++)
        try_read_output(0, i + 1, 1, &texts[i]);
    for (size_t i = 0; i < tried.page.count; i++) {
        if (tried.page.events[i].kind != EVENT_ATTEMPT_STARTED)
            continue;
        ck_assert(digest_is_same(tried.page.events[i].started.call, first->started.call));
    }
    ck_assert_ptr_nonnull(strstr(str_text(&texts[0]), "DEVS_STEP=a/1\n"));
    ck_assert_ptr_nonnull(strstr(str_text(&texts[0]), "DEVS_RUN="));
    ck_assert_ptr_nonnull(strstr(str_text(&texts[0]), "EXTRA=1\n"));
    ck_assert_str_eq(str_text(&texts[0]), str_text(&texts[1]));
    ck_assert_str_eq(str_text(&texts[0]), str_text(&texts[2]));
    for (int i = 0; i < 3; i++)
        str_done(&texts[i]);
}
END_TEST

START_TEST(test_failed_step_leaves_a_capture)
{
    try_run("{'id':'a','steps':[{'phase':'REFACTOR','env':{'TOKEN':'secret'},"
            "'run':['sh','-c','echo why >&2; exit 9']}]}",
            TRY_ANY_EXIT);

    struct str text = {0};
    struct json *json;
    struct err err = {0};
    const struct log_output_key key = {.run = tried.number, .attempt = 1};
    ck_assert(log_reader_capture(tried.reader, &key, &text, &err));
    ck_assert_msg(json_parse(str_text(&text), text.len, &json, NULL, &err), "%s", err.message);
    ck_assert_str_eq(json_text(json_get(json, "task"), ""), "a");
    ck_assert_str_eq(json_text(json_get(json, "stderr_tail"), ""), "why\n");
    ck_assert_str_eq(json_text(json_get(json, "cwd"), ""), tried.dir);
    ck_assert_int_eq(json_i64(json_get(json_get(json, "outcome"), "code"), -1), 9);
    ck_assert_int_eq(json_i64(json_get(json, "left"), -1), 0);
    ck_assert_uint_eq(json_count(json_get(json, "argv")), 3);
    ck_assert_uint_eq(json_count(json_get(json, "load")), 3);
    ck_assert_int_gt(json_i64(json_get(json, "disk_free_kib"), -1), 0);
    ck_assert_ptr_nonnull(strstr(str_text(&text), "\"TOKEN\""));
    ck_assert_ptr_null(strstr(str_text(&text), "secret"));
    json_free(json);
    str_done(&text);
}
END_TEST

START_TEST(test_big_output_is_kept_in_part)
{
    try_run(
        "{'id':'a','steps':[{'run':['sh','-c','yes 0123456 | head -c 4000000; echo; echo end']}]}",
        0);

    struct str text = {0};
    try_read_output(0, 1, 1, &text);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.bytes[0], 4000005);
    ck_assert_uint_eq(text.len, 1280 * 1024); /* head and ring */
    ck_assert_int_eq(memcmp(text.data, "0123456\n", 8), 0);
    ck_assert_str_eq(text.data + text.len - 5, "\nend\n");
    str_done(&text);
}
END_TEST

static const struct {
    const char *name;
    const char *run; /* the step's argv */
    int exit_code;
    int last_attempt_code;
} codes[] = {
    {"success", "['true']", 0, 0},
    {"exit", "['sh','-c','exit 42']", 1, 42},
    {"signal", "['sh','-c','kill -9 $$']", 1, 137},
    {"no such program", "['no-such-program-here']", 1, 127},
    {"no program", "['/etc/passwd']", 1, 126},
    {"timeout", "['sleep','100'],'timeout_s':1", 1, 124},
};

START_TEST(test_exit_codes)
{
    char task[200];
    (void)snprintf(task, sizeof(task), "{'id':'a','steps':[{'phase':'REFACTOR','run':%s}]}",
                   codes[_i].run);
    try_start(task);
    struct engine_result result = try_finish();
    ck_assert_msg(result.exit_code == codes[_i].exit_code, "%s: %d", codes[_i].name,
                  result.exit_code);
    ck_assert_msg(result.last_attempt_code == codes[_i].last_attempt_code, "%s: %d", codes[_i].name,
                  result.last_attempt_code);
}
END_TEST

START_TEST(test_start_failure_says_why)
{
    try_start("{'id':'a','steps':[{'cwd':'nowhere','run':['true']}]}");
    struct engine_result result = try_finish();
    try_read_log();
    ck_assert_int_eq(result.last_attempt_code, 127);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.code, ENOENT);
    const char *note = try_find(EVENT_NOTE, -1)->data;
    ck_assert_ptr_nonnull(strstr(note, "\"a/1: "));
    ck_assert_ptr_nonnull(strstr(note, "nowhere"));
}
END_TEST

START_TEST(test_stdin_that_is_a_fifo_is_a_start_failure)
{
    ck_assert_int_eq(mkfifo(test_path(tried.dir, "fifo"), 0600), 0);
    try_start("{'id':'a','steps':[{'policy':'quick','stdin':'fifo','run':['cat']}]}");
    struct engine_result result = try_finish();
    try_read_log();
    ck_assert_int_eq(result.exit_code, 1);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_ENDED, 0), 1); /* persistent */
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_NOTE, -1)->data, "/fifo"));
}
END_TEST

/* The signals that a thread of ours blocks, as the kernel shows them. */
static uint64_t read_blocked(const char *thread)
{
    char path[64];
    char line[256];
    uint64_t blocked = UINT64_MAX;
    (void)snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", thread);
    FILE *file = fopen(path, "re");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file)) {
        if (strncmp(line, "SigBlk:", 7) == 0)
            blocked = strtoull(line + 7, NULL, 16);
    }
    (void)fclose(file);
    return blocked;
}

/* TSan's own thread is among ours and blocks everything. */
#ifdef __SANITIZE_THREAD__
static const bool sanitizer_has_threads = true;
#else
static const bool sanitizer_has_threads = false;
#endif

/* While a thread is being made the C library blocks all it can, for a moment. */
static uint64_t read_blocked_at_last(const char *thread)
{
    const uint64_t segv = (uint64_t)1 << (SIGSEGV - 1);
    int64_t end_ms = clock_now().mono_ms + TRY_DEADLINE_MS;
    uint64_t blocked = read_blocked(thread);
    while ((blocked & segv) != 0 && clock_now().mono_ms < end_ms) {
        (void)sched_yield();
        blocked = read_blocked(thread);
    }
    return blocked;
}

START_TEST(test_threads_block_all_signals_except_faults)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    const uint64_t one = 1;
    int threads = 0;
    int parents = 0; /* threads that a child's end is told, and that throw it away */
    try_start(two_that_wait);
    ck_assert(try_await(try_is_ready));
    DIR *tasks = opendir("/proc/self/task");
    ck_assert_ptr_nonnull(tasks);
    for (const struct dirent *entry = readdir(tasks); entry; entry = readdir(tasks)) {
        if (entry->d_name[0] == '.' || strtol(entry->d_name, NULL, 10) == getpid())
            continue;
        uint64_t blocked = read_blocked_at_last(entry->d_name);
        threads++;
        for (size_t i = 0; i < TABLE_LEN(faults); i++)
            ck_assert_uint_eq(blocked & one << (faults[i] - 1), 0);
        ck_assert_uint_ne(blocked & one << (SIGTERM - 1), 0);
        parents += (blocked & one << (SIGCHLD - 1)) == 0;
    }
    (void)closedir(tasks);
    ck_assert_int_ge(threads, 1);
    ck_assert_int_eq(parents, 1);
    engine_cancel(tried.engine, "someone");
    (void)try_finish();
}
END_TEST

enum { CROWD = 40, CROWD_BYTES = 1024 * 1024 };

START_TEST(test_crowd_that_writes_at_once)
{
    struct str tasks = {0};
    for (int i = 0; i < CROWD; i++)
        str_addf(&tasks, "%s{'id':'t%d','steps':[{'run':['head','-c','%d','/dev/zero']}]}",
                 i > 0 ? "," : "", i, CROWD_BYTES);
    tried.options.jobs = CROWD;
    try_start(tasks.data);
    struct engine_result result = try_finish();
    try_read_log();

    ck_assert_int_eq(result.exit_code, 0);
    ck_assert(!result.recording_failed);
    ck_assert(tried.state.ended);
    for (int i = 0; i < CROWD; i++) {
        ck_assert_uint_eq(try_count(EVENT_ATTEMPT_ENDED, i), 1);
        ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, i)->ended.outcome.bytes[0], CROWD_BYTES);
        ck_assert_int_eq(tried.state.tasks[i].status, TASK_PASSED);
    }
    str_done(&tasks);
}
END_TEST

START_TEST(test_cancel_in_this_process)
{
    try_start(two_that_wait);
    ck_assert(try_await(try_is_ready));
    engine_cancel(tried.engine, "someone");
    struct engine_result result = try_finish();
    try_read_log();

    ck_assert_int_eq(result.exit_code, 130);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_CANCELLED);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_uint_eq(try_count(EVENT_CONTROL_ANSWERED, -1), 0);
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_CANCEL_ASKED, -1)->data, "someone"));
}
END_TEST

static const enum engine_at_end ends[] = {ENGINE_LEAVE, ENGINE_LINGER};

START_TEST(test_cancel_lets_a_child_clean_up)
{
    tried.options.at_end = ends[_i];
    tried.options.kill_grace_ms = TRY_DEADLINE_MS;
    try_start("{'id':'a','steps':[{'run':['sh','-c','trap \\\"echo clean; exit 0\\\" TERM; "
              "echo >ready; while :; do sleep 0.01; done']}]}");
    ck_assert(try_await(try_is_ready));
    engine_cancel(tried.engine, "someone");
    struct engine_result result = try_finish();
    try_read_log();

    struct str text = {0};
    try_read_output(0, 1, 1, &text);
    ck_assert_str_eq(str_text(&text), "clean\n");
    str_done(&text);
    ck_assert_int_eq(result.exit_code, 130);
    ck_assert(tried.state.ended);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_CANCELLED);
}
END_TEST

START_TEST(test_cancel_kills_after_the_grace)
{
    tried.options.at_end = ENGINE_LINGER;
    try_start("{'id':'a','steps':[{'run':['sh','-c',"
              "'trap \\\"\\\" TERM; echo >ready; while :; do sleep 0.01; done']}]}");
    ck_assert(try_await(try_is_ready));
    engine_cancel(tried.engine, "someone");
    ck_assert_int_eq(try_finish().exit_code, 130);
    try_read_log();
    const struct event *end = try_find(EVENT_ATTEMPT_ENDED, 0);
    ck_assert_int_eq(end->ended.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_int_eq(end->ended.outcome.code, 128 + SIGKILL);
    ck_assert_int_ge(end->ended.outcome.ran_ms, TRY_GRACE_MS);
}
END_TEST

static bool has_owner(void)
{
    struct log_run_info info;
    struct err err = {0};
    ck_assert_msg(log_reader_run(tried.reader, tried.number, &info, &err), "%s", err.message);
    bool alive = info.owner_alive;
    log_run_info_done(&info);
    return alive;
}

static bool has_left_note(void)
{
    for (size_t i = 0; i < tried.page.count; i++) {
        const struct event *event = &tried.page.events[i];
        if (event->kind == EVENT_NOTE && strstr(event->data, "left: tasks that were not started"))
            return true;
    }
    return false;
}

START_TEST(test_left_run_has_no_end)
{
    tried.options.at_end = ends[_i];
    try_start("{'id':'a','steps':[{'run':['sh','-c',"
              "'echo >ready; while [ ! -e go ]; do sleep 0.01; done; echo bye']}]},"
              "{'id':'b','needs':['a'],'steps':[{'run':['true']}]}");
    ck_assert(try_await(try_is_ready));
    try_read_log();
    ck_assert(has_owner());
    engine_leave(tried.engine);
    struct pollfd done = {.fd = engine_done_fd(tried.engine), .events = POLLIN};
    ck_assert_int_eq(poll(&done, 1, 100), 0); /* what runs may end */
    try_make_file("go");
    struct engine_result result = try_finish();
    try_read_log();

    ck_assert(!result.recording_failed);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_PASSED);
    ck_assert_int_eq(tried.state.tasks[1].status, TASK_QUEUED);
    ck_assert(!tried.state.ended);
    ck_assert(has_left_note());
    ck_assert_int_eq(tried.page.events[tried.page.count - 1].kind, EVENT_NOTE);
    ck_assert(!has_owner());
}
END_TEST

START_TEST(test_left_run_does_not_wait_for_retries)
{
    try_start("{'id':'a','steps':[{'policy':'research','run':['sh','-c','echo >ready; exit 1']}]}");
    ck_assert(try_await(is_waiting_in_log));
    engine_leave(tried.engine);
    (void)try_finish();
    try_read_log();
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_BACKOFF);
    ck_assert(!tried.state.ended);
    ck_assert(has_left_note());
}
END_TEST

START_TEST(test_leave_after_the_end_just_ends)
{
    tried.options.at_end = ENGINE_LINGER;
    try_start("{'id':'a','steps':[{'run':['true']}]}");
    ck_assert(try_await(has_ended_in_log));
    engine_leave(tried.engine);
    ck_assert_int_eq(try_finish().exit_code, 0);
    try_read_log();
    ck_assert(tried.state.ended);
    ck_assert(!has_left_note());
    ck_assert_uint_eq(try_count(EVENT_RUN_ENDED, -1), 1);
}
END_TEST

START_TEST(test_last_task_of_a_left_run_ends_it)
{
    try_start("{'id':'a','steps':[{'run':['sh','-c',"
              "'echo >ready; while [ ! -e go ]; do sleep 0.01; done']}]}");
    ck_assert(try_await(try_is_ready));
    engine_leave(tried.engine);
    try_make_file("go");
    ck_assert_int_eq(try_finish().exit_code, 0);
    try_read_log();
    ck_assert(tried.state.ended);
    ck_assert(!has_left_note());
}
END_TEST

START_TEST(test_stop_after_leave_kills)
{
    try_start(two_that_wait);
    ck_assert(try_await(try_is_ready));
    engine_leave(tried.engine);
    struct engine_result result;
    engine_stop(tried.engine, &result);
    tried.engine = NULL;
    try_read_log();
    ck_assert_int_eq(result.exit_code, 130);
    ck_assert(tried.state.ended);
}
END_TEST

START_TEST(test_stop_kills_and_records_it)
{
    try_start("{'id':'a','steps':[{'run':['sh','-c',"
              "'trap \\\"\\\" TERM; echo $$ >ready; while :; do sleep 0.01; done']}]}");
    ck_assert(try_await(try_is_ready));
    struct engine_result result;
    engine_stop(tried.engine, &result);
    tried.engine = NULL;
    try_read_log();

    ck_assert_int_eq(result.exit_code, 130);
    ck_assert(tried.state.ended);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_CANCELLED);
    struct proc_facts facts;
    pid_t pid = (pid_t)try_find(EVENT_ATTEMPT_RUNNING, 0)->running.pid;
    ck_assert(!proc_read(pid, &facts));
}
END_TEST

/* Another process that asks for an act on run 1 as soon as it is told to. */
static pid_t fork_asker(int *go_fd, const struct control *control)
{
    int fds[2];
    ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid > 0) {
        (void)close(fds[0]);
        *go_fd = fds[1];
        return pid;
    }
    (void)close(fds[1]);
    char go;
    struct control_desk *desk;
    int64_t ticket;
    bool ok = read(fds[0], &go, 1) == 1 && control_desk_start(&desk, &tried.place, NULL) &&
              control_desk_ask(desk, 1, control, &ticket, NULL);
    control_desk_stop(ok ? desk : NULL);
    _exit(ok ? 0 : 1);
}

static void let_ask(pid_t pid, int go_fd)
{
    int status;
    ck_assert_int_eq(write(go_fd, "g", 1), 1);
    (void)close(go_fd);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

START_TEST(test_cancel_from_another_process)
{
    const struct control cancel = {
        .verb = CONTROL_CANCEL, .mode = CANCEL_TERM, .task = 0, .step = -1, .by = "other"};
    int go_fd;
    pid_t asker = fork_asker(&go_fd, &cancel);
    try_start(two_that_wait);
    ck_assert(try_await(try_is_ready));
    let_ask(asker, go_fd);
    struct engine_result result = try_finish();
    try_read_log();

    ck_assert_int_eq(result.exit_code, 1);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_CANCELLED);
    const struct event *answer = try_find(EVENT_CONTROL_ANSWERED, 0);
    ck_assert_int_gt(answer->answered.control, 0);
    ck_assert_int_eq(answer->answered.done, 1);
    ck_assert_uint_eq(try_count(EVENT_CONTROL_ANSWERED, 0), 1);
}
END_TEST

static bool is_done_twice(void)
{
    return try_has_file("second");
}

START_TEST(test_lingers_for_a_retry)
{
    const struct control retry = {.verb = CONTROL_RETRY, .task = 0, .step = -1, .by = "other"};
    int go_fd;
    pid_t asker = fork_asker(&go_fd, &retry);
    tried.options.at_end = ENGINE_LINGER;
    try_start("{'id':'a','steps':[{'phase':'REFACTOR','run':['sh','-c',"
              "'if [ -e first ]; then echo >second; else echo >first; exit 1; fi']}]}");
    ck_assert(try_await(has_ended_in_log));
    struct pollfd done = {.fd = engine_done_fd(tried.engine), .events = POLLIN};
    ck_assert_int_eq(poll(&done, 1, 0), 0);

    let_ask(asker, go_fd);
    ck_assert(try_await(is_done_twice));
    ck_assert(try_await(has_ended_in_log));
    struct engine_result result;
    engine_stop(tried.engine, &result);
    tried.engine = NULL;
    ck_assert_int_eq(result.exit_code, 0);
    try_read_log();
    ck_assert_uint_eq(try_count(EVENT_STEP_REOPENED, 0), 1);
    ck_assert_uint_eq(try_count(EVENT_RUN_ENDED, -1), 2);
}
END_TEST

static bool is_quiet(void)
{
    try_read_log();
    return try_count(EVENT_ATTEMPT_QUIET, 0) == 1;
}

static bool is_quiet_again(void)
{
    try_read_log();
    return try_count(EVENT_ATTEMPT_QUIET, 0) == 2;
}

START_TEST(test_quiet_and_heard_again)
{
    tried.options.quiet_ms = 50;
    try_start("{'id':'a','steps':[{'run':['sh','-c','while [ ! -e speak ]; do sleep 0.01; done; "
              "echo hello; while [ ! -e go ]; do sleep 0.01; done']}]}");
    ck_assert(try_await(is_quiet));
    try_make_file("speak");
    ck_assert(try_await(is_quiet_again));
    try_make_file("go");
    ck_assert_int_eq(try_finish().exit_code, 0);
    try_read_log();
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_QUIET, 0), 2);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_HEARD, 0), 1);
    ck_assert_int_ge(try_find(EVENT_ATTEMPT_QUIET, 0)->quiet.quiet_ms, 50);
}
END_TEST

START_TEST(test_expected_match_is_looked_for)
{
    try_run("{'id':'a','steps':[{'phase':'RED','expect':{'match':'needle'},"
            "'run':['sh','-c','echo a needle here; exit 1']}]},"
            "{'id':'b','steps':[{'phase':'RED','expect':{'match':'needle'},"
            "'run':['sh','-c','echo hay; exit 1']}]}",
            TRY_ANY_EXIT);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_PASSED);
    ck_assert_int_ne(tried.state.tasks[1].status, TASK_PASSED);
}
END_TEST

/* No policy here compares results: each has one all the same, for faults that several
 * tasks share. */
START_TEST(test_equal_failures_have_equal_fingerprints)
{
    try_run("{'id':'a','steps':[{'phase':'RED','run':['sh','-c','echo same; exit 3']}]},"
            "{'id':'b','steps':[{'phase':'RED','run':['sh','-c','echo same; exit 3']}]},"
            "{'id':'c','steps':[{'phase':'RED','run':['sh','-c','echo other; exit 3']}]},"
            "{'id':'d','steps':[{'phase':'RED','run':['true']}]}",
            TRY_ANY_EXIT);
    const struct digest a = tried.state.tasks[0].steps[0].attempts[0].fingerprint;
    ck_assert(a.hi != 0);
    ck_assert_uint_eq(tried.state.tasks[1].steps[0].attempts[0].fingerprint.hi, a.hi);
    ck_assert_uint_ne(tried.state.tasks[2].steps[0].attempts[0].fingerprint.hi, a.hi);
    ck_assert(
        digest_is_known(tried.state.tasks[3].steps[0].attempts[0].fingerprint)); /* it passed */
}
END_TEST

/* Tried again is what the same call may mend; what did something else is not. */
START_TEST(test_D3_output_that_does_not_fit_its_contract_is_no_success)
{
    try_run("{'id':'fits','steps':[{'policy':'quick','contract':{'required':['summary']},"
            "'run':['echo','{\\'summary\\':1}']}]},"
            "{'id':'lacks','steps':[{'policy':'quick','contract':{'required':['summary']},"
            "'run':['echo','{}']}]},"
            "{'id':'other','steps':[{'policy':'quick',"
            "'contract':{'properties':{'kernel':{'const':'tax'}}},"
            "'run':['echo','{\\'kernel\\':\\'vat\\'}']}]}",
            1);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_PASSED);
    const struct step_state *lacks = &tried.state.tasks[1].steps[0];
    ck_assert_int_eq(lacks->end, DECISION_RETRY_EXHAUSTED);
    ck_assert_uint_eq(lacks->attempt_count, 3);
    ck_assert_int_eq(lacks->attempts[0].reason, REASON_CONTRACT);
    const struct step_state *other = &tried.state.tasks[2].steps[0];
    ck_assert_int_eq(other->end, DECISION_FAILED);
    ck_assert_uint_eq(other->attempt_count, 1);
    struct verdict verdict;
    ck_assert_ptr_nonnull(step_state_verdict(other, &verdict));
    ck_assert(verdict.no_retry);
}
END_TEST

/* The record of the task's first step as JSON. The caller frees. */
static struct json *read_capture(int task, int attempt)
{
    struct str text = {0};
    struct json *json = NULL;
    struct err err = {0};
    const struct log_output_key key = {.run = tried.number, .task = task, .attempt = attempt};
    ck_assert_msg(log_reader_capture(tried.reader, &key, &text, &err), "%s", err.message);
    ck_assert_msg(json_parse(str_text(&text), text.len, &json, NULL, &err), "%s", err.message);
    str_done(&text);
    return json;
}

/* Steps that pass with the same words are a plan that moves on; what fails after them is
 * tried again like any other. */
START_TEST(test_steps_that_pass_alike_are_no_loop)
{
    enum { SAME = 12 };
    struct str tasks = {0};
    for (int i = 0; i < SAME; i++)
        str_addf(&tasks, "%s{'run':['echo','100%% passed']}", i > 0 ? "," : "{'id':'a','steps':[");
    str_add(&tasks, ",{'policy':'quick','run':['sh','-c','echo something new; exit 1']}]}");
    for (int i = 0; i < SAME; i++)
        str_addf(&tasks, "%s{'run':['true']}", i > 0 ? "," : ",{'id':'b','steps':[");
    str_add(&tasks, "]}");
    try_start(str_text(&tasks));
    str_done(&tasks);
    ck_assert_int_eq(try_finish().exit_code, 1);
    try_read_log();
    ck_assert_uint_eq(try_count(EVENT_LOOP_SUSPECTED, 0), 0);
    ck_assert_uint_eq(try_count(EVENT_LOOP_SUSPECTED, 1), 0);
    const struct step_state *last = &tried.state.tasks[0].steps[SAME];
    ck_assert_int_eq(last->end, DECISION_RETRY_EXHAUSTED);
    ck_assert_uint_eq(last->attempt_count, 3);
}
END_TEST

/* More than a fingerprint takes in: it says so, and the record too. */
START_TEST(test_a_partial_fingerprint_is_marked)
{
    try_run("{'id':'a','steps':[{'phase':'RED','run':['sh','-c','yes $(printf %060000d 0) | "
            "head -c 70000000; exit 1']}]}",
            TRY_ANY_EXIT);
    const struct attempt_state *attempt = &tried.state.tasks[0].steps[0].attempts[0];
    ck_assert(attempt->partial);
    ck_assert_int_gt(attempt->skipped_bytes, 0);
    ck_assert_int_lt(attempt->skipped_bytes, 70000000 - 64 * 1024 * 1024 + 1);
    struct json *json = read_capture(0, 1);
    ck_assert(json_bool(json_get(json, "partial"), false));
    ck_assert_int_eq(json_i64(json_get(json, "skipped_bytes"), -1), attempt->skipped_bytes);
    json_free(json);
}
END_TEST

/* A window compares JSON as it is; the rungs look past what moves by itself. */
START_TEST(test_C2_json_that_only_moves_is_a_circle_and_no_full_window)
{
    try_run("{'id':'a','steps':[{'policy':{'like':'quick','max_attempts':9,'multiplier':1,"
            "'window':3},'run':['sh','-c','echo [$(date +%s%N)]; exit 1']}]}",
            3);
    const struct step_state *step = &tried.state.tasks[0].steps[0];
    ck_assert_uint_eq(step->attempt_count, 5);
    ck_assert_int_eq(step->same, 1);
    struct json *json = read_capture(0, 5);
    ck_assert_str_eq(json_text(json_get(json_get(json, "loop"), "rung"), ""), "repeat");
    json_free(json);
}
END_TEST

/* Clocks and process numbers differ from try to try: it is the same failure all the same. */
START_TEST(test_C4_equal_but_for_what_moves_is_entropy)
{
    try_run("{'id':'a','steps':[{'policy':{'like':'quick','max_attempts':9,'multiplier':1},'run':["
            "'sh','-c','echo $(date +%H:%M:%S.%N) pid $$ failed; echo 3 is not 4; exit 1']}]}",
            3);
    const struct step_state *step = &tried.state.tasks[0].steps[0];
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_STUCK);
    ck_assert_int_eq(tried.state.tasks[0].entropy, 1);
    ck_assert_uint_eq(step->attempt_count, 5);
    ck_assert_int_eq(step->attempts[0].new_permille, 1000);
    ck_assert_int_eq(step->attempts[4].new_permille, 0);
    ck_assert_uint_eq(try_count(EVENT_LOOP_SUSPECTED, 0), 1);

    struct json *json = read_capture(0, 5);
    const struct json *loop = json_get(json, "loop");
    ck_assert_str_eq(json_text(json_get(json, "decision"), ""), "entropy detected");
    ck_assert_str_eq(json_text(json_get(loop, "rung"), ""), "repeat");
    ck_assert_int_eq(json_i64(json_get(loop, "count"), 0), 5);
    ck_assert_int_eq(json_i64(json_get(loop, "first"), 0), 1);
    ck_assert_int_eq(json_i64(json_get(loop, "last"), 0), 5);
    ck_assert_str_ne(json_text(json_get(loop, "equal"), ""), "");
    ck_assert_str_eq(json_text(json_at(json_get(loop, "masks"), 0), ""), "times");
    const struct json *first = json_at(json_get(loop, "first_lines"), 0);
    const struct json *last = json_at(json_get(loop, "last_lines"), 0);
    ck_assert_str_eq(json_text(json_get(first, "normal"), "a"),
                     json_text(json_get(last, "normal"), "b"));
    ck_assert_str_ne(json_text(json_get(first, "raw"), ""), json_text(json_get(last, "raw"), ""));
    json_free(json);
}
END_TEST

START_TEST(test_C4_a_full_window_has_its_record_too)
{
    try_run("{'id':'a','steps':[{'policy':{'like':'research','base_delay_ms':1},"
            "'run':['sh','-c','echo same; exit 1']}]}",
            3);
    const struct step_state *step = &tried.state.tasks[0].steps[0];
    ck_assert(step->attempts[0].fingerprint.hi != 0);
    ck_assert_uint_eq(step->attempts[0].fingerprint.hi, step->attempts[1].fingerprint.hi);
    struct json *json = read_capture(0, 3);
    const struct json *loop = json_get(json, "loop");
    ck_assert_ptr_null(json_get(loop, "rung"));
    ck_assert_int_eq(json_i64(json_get(loop, "count"), 0), 3);
    ck_assert_int_eq(json_i64(json_get(loop, "first"), 0), 1);
    ck_assert_uint_eq(json_count(json_get(loop, "masks")), 0);
    json_free(json);
}
END_TEST

/* No file of ours may grow: the log cannot be written. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static bool has_last(void)
{
    return try_has_file("last");
}

START_TEST(test_work_continues_without_a_log)
{
    (void)signal(SIGXFSZ, SIG_IGN);
    try_start("{'id':'a','steps':[{'run':['sh','-c',"
              "'echo >ready; while [ ! -e go ]; do sleep 0.01; done']},"
              "{'run':['sh','-c',':>last']}]}");
    ck_assert(try_await(try_is_ready));
    limit_files(FREE_BYTES);
    try_make_file("go");
    struct engine_result result = try_finish();
    limit_files(RLIM_INFINITY);

    ck_assert(result.recording_failed);
    ck_assert_int_ne(result.err.code, ERR_NONE);
    ck_assert_int_eq(result.exit_code, 0); /* what it means is not ours to say */
    ck_assert(try_has_file("last"));
    try_read_log();
    ck_assert(!tried.state.ended);
}
END_TEST

START_TEST(test_the_log_continues_when_it_can_be_written_again)
{
    (void)signal(SIGXFSZ, SIG_IGN);
    try_start("{'id':'a','steps':[{'run':['sh','-c',"
              "'echo >ready; while [ ! -e go ]; do sleep 0.01; done']},"
              "{'run':['sh','-c',':>last; while [ ! -e stop ]; do sleep 0.01; done']}]}");
    ck_assert(try_await(try_is_ready));
    limit_files(FREE_BYTES);
    try_make_file("go");
    ck_assert(try_await(has_last));
    limit_files(RLIM_INFINITY);
    try_make_file("stop");
    struct engine_result result = try_finish();

    ck_assert_int_eq(result.exit_code, 0);
    ck_assert(!result.recording_failed);
    try_read_log();
    ck_assert(tried.state.ended);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_PASSED);
}
END_TEST

START_TEST(test_log_that_cannot_be_made_is_an_error)
{
    struct err err = {0};
    struct engine *none = NULL;
    int64_t none_number = 0;
    struct violations violations = {0};
    static const char text[] = "{\"version\":1,\"name\":\"t\",\"idempotent\":true,"
                               "\"tasks\":[{\"id\":\"a\",\"steps\":[{\"run\":[\"true\"]}]}]}";
    ck_assert(plan_parse(text, sizeof(text) - 1, &tried.plan, &violations));
    tried.options.plan = tried.plan;
    tried.options.plan_text = text;
    ck_assert_int_eq(mkdir(tried.place.db, 0700), 0);
    ck_assert(!engine_start(&none, &tried.options, &none_number, &err));
    ck_assert_int_ne(err.code, ERR_NONE);
    ck_assert_ptr_null(none);
    engine_stop(NULL, NULL);
}
END_TEST

/* A sanitizer and missing optimization make this slow, and a sanitizer needs memory itself. The
 * optimized build floods with the most. */
enum { FLOOD_DEADLINE_MS = 180 * 1000, FLOOD_TIMEOUT_S = 240 };
#ifdef __SANITIZE_THREAD__
enum { FLOOD_MIB = 8, ZEROS_MIB = 32, FILL_MIB = 4, GROWTH_KIB = 64 * 1024 };
#elif defined(__SANITIZE_ADDRESS__)
enum { FLOOD_MIB = 48, ZEROS_MIB = 32, FILL_MIB = 16, GROWTH_KIB = 64 * 1024 };
#elif defined(__OPTIMIZE__)
enum { FLOOD_MIB = 1024, ZEROS_MIB = 256, FILL_MIB = 80, GROWTH_KIB = 16 * 1024 };
#else
enum { FLOOD_MIB = 96, ZEROS_MIB = 64, FILL_MIB = 80, GROWTH_KIB = 16 * 1024 };
#endif

static int64_t peak_kib(void)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static const struct {
    const char *run;
    int mib;
} floods[] = {
    {"yes a line of what comes again and again", FLOOD_MIB},
    {"cat /dev/zero", ZEROS_MIB},
};

START_TEST(test_a_flood_takes_no_memory)
{
    char tasks[600];
    /* The first step fills every buffer there is, the second one is measured. */
    (void)snprintf(tasks, sizeof(tasks),
                   "{'id':'a','steps':[{'run':['sh','-c','%s | head -c %d']},"
                   "{'run':['sh','-c','echo >ready; while [ ! -e go ]; do sleep 0.01; done; "
                   "%s | head -c %d']}]}",
                   floods[_i].run, FILL_MIB * 1024 * 1024, floods[_i].run,
                   floods[_i].mib * 1024 * 1024);
    tried.deadline_ms = FLOOD_DEADLINE_MS;
    try_start(tasks);
    ck_assert(try_await(try_is_ready));
    int64_t before_kib = peak_kib();
    try_make_file("go");
    struct engine_result result = try_finish();
    int64_t grown_kib = peak_kib() - before_kib;
    try_read_log();

    ck_assert_int_eq(result.exit_code, 0);
    const struct attempt_state *attempt = &tried.state.tasks[0].steps[1].attempts[0];
    ck_assert_int_eq(attempt->outcome.bytes[0], (int64_t)floods[_i].mib * 1024 * 1024);
    ck_assert_msg(grown_kib <= GROWTH_KIB, "grown by %lld KiB", (long long)grown_kib);
}
END_TEST

/* A line of a gigabyte is many lines. */
START_TEST(test_a_line_without_an_end_is_cut)
{
    tried.keys = "'idempotent':true,'limits':{'output_line_bytes':1024},";
    try_run("{'id':'a','steps':[{'run':['sh','-c','head -c 1048576 /dev/zero | tr \\\"\\\\0\\\" "
            "x; echo; echo end']}]}",
            0);
    ck_assert_int_eq(tried.state.tasks[0].steps[0].attempts[0].outcome.lines[0], 1024 + 1);
}
END_TEST

/* What a replay shows of a moment is what the engine knew then: digests of its state, taken while a
 * run of real processes goes on, and those of the log at the same events. */

enum { TASKS = 7, KEPT_EVERY = 8, SEEKS = 400, SEED = 1 };

static const char replayed_tasks[] =
    "{'id':'pass','steps':[{'run':['true']},{'run':['sh','-c','echo fine']}]},"
    "{'id':'mend','steps':[{'phase':'RED','run':['false'],'expect':'failure'},"
    " {'phase':'GREEN','policy':'quick','run':['sh','-c','echo no >&2; test -f up || { : >up; exit "
    "1; }']}]},"
    "{'id':'limit','steps':[{'policy':'quick','source':'api',"
    " 'run':['sh','-c','echo HTTP 429 Too Many Requests >&2; test -f gate || { : >gate; exit 1; "
    "}']}"
    "]},"
    "{'id':'behind','steps':[{'source':'api','run':['true']}]},"
    "{'id':'circles','steps':[{'policy':'quick','run':['sh','-c','echo same; exit 1']}]},"
    "{'id':'late','needs':['circles'],'steps':[{'run':['true']}]},"
    "{'id':'next','needs':['pass','mend'],'steps':[{'run':['true'],'timeout_s':5}]}";

/* The engine's state after some of its turns. */
struct seen {
    int64_t seq;
    uint64_t digest;
};
static struct {
    struct seen *items; /* owned */
    size_t count, cap;
} seen;

static void look(void *ctx, const struct run_state *state)
{
    (void)ctx;
    seen.items = xgrow(seen.items, &seen.cap, seen.count + 1, sizeof(*seen.items));
    seen.items[seen.count++] =
        (struct seen){.seq = state->last_seq, .digest = run_state_digest(state)};
}

/* Far and near, on and back. */
static const struct seen *choose(size_t i)
{
    return &seen.items[(i * i + 5 * i) % seen.count];
}

static void run_all(void)
{
    try_open();
    tried.options.look = look;
    try_start(replayed_tasks);
    (void)try_finish();
    engine_stop(tried.engine, NULL);
    tried.engine = NULL;
    try_read_log();
}

static void forget(void)
{
    try_close();
    free(seen.items);
    seen.items = NULL;
    seen.count = seen.cap = 0;
}

START_TEST(test_P6_a_replay_shows_what_the_engine_knew)
{
    struct follower *follower = NULL;
    struct err err = {0};
    ck_assert_uint_gt(seen.count, TASKS);
    ck_assert_int_eq(seen.items[seen.count - 1].seq, tried.state.last_seq);
    ck_assert_msg(follower_open(&follower, &tried.place, tried.number, &err), "%s", err.message);
    for (size_t i = 0; i < SEEKS; i++) {
        const struct seen *then = choose(i);
        ck_assert_msg(follower_seek(follower, then->seq, &err), "%s", err.message);
        ck_assert_msg(run_state_digest(follower_state(follower)) == then->digest,
                      "at event %lld the log says something else", (long long)then->seq);
    }
    follower_close(follower);
}
END_TEST

START_TEST(test_kept_states_equal_the_folded_ones)
{
    struct run_state state;
    struct err err = {0};
    int moments = 0; /* that were kept */
    run_state_init(&state, tried.plan, SEED);
    struct run_past *past = run_past_new(&state, KEPT_EVERY);
    for (size_t i = 0; i < SEEKS; i++) {
        const struct seen *then = i == 0 ? &seen.items[seen.count - 1] : choose(i);
        run_past_approach(past, then->seq);
        while (state.last_seq < then->seq) {
            ck_assert_msg(run_state_apply(&state, &tried.page.events[state.last_seq], &err), "%s",
                          err.message);
            run_past_pass(past);
        }
        ck_assert_uint_eq(run_state_digest(&state), then->digest);
    }
    run_past_approach(past, 0);
    ck_assert_int_eq(state.last_seq, 0);
    for (size_t i = 0; i < seen.count; i++) {
        const int64_t before = state.last_seq;
        run_past_approach(past, seen.items[i].seq);
        moments += state.last_seq > before;
    }
    ck_assert_int_gt(moments, 2);
    run_past_free(past);
    run_state_done(&state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine");
    TCase *plans = test_case(suite, "plans");
    tcase_add_checked_fixture(plans, try_open, try_close);
    tcase_add_test(plans, test_small_plan);
    tcase_add_test(plans, test_attempts_are_the_identical_call);
    tcase_add_test(plans, test_failed_step_leaves_a_capture);
    tcase_add_test(plans, test_big_output_is_kept_in_part);
    tcase_add_loop_test(plans, test_exit_codes, 0, TABLE_LEN(codes));
    tcase_add_test(plans, test_start_failure_says_why);
    tcase_add_test(plans, test_stdin_that_is_a_fifo_is_a_start_failure);
    if (!sanitizer_has_threads)
        tcase_add_test(plans, test_threads_block_all_signals_except_faults);
    tcase_add_test(plans, test_crowd_that_writes_at_once);
    tcase_add_test(plans, test_quiet_and_heard_again);
    tcase_add_test(plans, test_expected_match_is_looked_for);
    tcase_add_test(plans, test_equal_failures_have_equal_fingerprints);
    tcase_add_test(plans, test_D3_output_that_does_not_fit_its_contract_is_no_success);
    tcase_add_test(plans, test_C4_equal_but_for_what_moves_is_entropy);
    tcase_add_test(plans, test_steps_that_pass_alike_are_no_loop);
    tcase_add_test(plans, test_C2_json_that_only_moves_is_a_circle_and_no_full_window);
    tcase_add_test(plans, test_C4_a_full_window_has_its_record_too);
    TCase *acts = test_case(suite, "acts");
    tcase_add_checked_fixture(acts, try_open, try_close);
    tcase_add_test(acts, test_cancel_in_this_process);
    tcase_add_loop_test(acts, test_cancel_lets_a_child_clean_up, 0, TABLE_LEN(ends));
    tcase_add_test(acts, test_cancel_kills_after_the_grace);
    tcase_add_loop_test(acts, test_left_run_has_no_end, 0, TABLE_LEN(ends));
    tcase_add_test(acts, test_left_run_does_not_wait_for_retries);
    tcase_add_test(acts, test_leave_after_the_end_just_ends);
    tcase_add_test(acts, test_last_task_of_a_left_run_ends_it);
    tcase_add_test(acts, test_stop_after_leave_kills);
    tcase_add_test(acts, test_stop_kills_and_records_it);
    tcase_add_test(acts, test_cancel_from_another_process);
    tcase_add_test(acts, test_lingers_for_a_retry);
    TCase *recording = test_case(suite, "recording");
    tcase_add_checked_fixture(recording, try_open, try_close);
    tcase_add_test(recording, test_work_continues_without_a_log);
    tcase_add_test(recording, test_the_log_continues_when_it_can_be_written_again);
    tcase_add_test(recording, test_log_that_cannot_be_made_is_an_error);
    tcase_add_test(recording, test_a_line_without_an_end_is_cut);
    TCase *flood_cases = test_case(suite, "flood");
    tcase_add_checked_fixture(flood_cases, try_open, try_close);
    tcase_set_timeout(flood_cases, FLOOD_TIMEOUT_S);
    tcase_set_tags(flood_cases, "slow"); /* only its size matters, which sanitizers change */
    tcase_add_loop_test(flood_cases, test_a_flood_takes_no_memory, 0, TABLE_LEN(floods));
    tcase_add_test(flood_cases, test_a_partial_fingerprint_is_marked);
    TCase *replay_cases = test_case(suite, "replay");
    tcase_add_checked_fixture(replay_cases, run_all, forget);
    tcase_add_test(replay_cases, test_P6_a_replay_shows_what_the_engine_knew);
    tcase_add_test(replay_cases, test_kept_states_equal_the_folded_ones);
    return suite;
}
