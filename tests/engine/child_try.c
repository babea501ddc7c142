#define _GNU_SOURCE /* environ */

#include "child_try.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "test_main.h"
#include "xalloc.h"

uv_loop_t loop;
struct nursery *nursery;
char dir[PATH_MAX];
char run_mark[PATH_MAX + 16];
char step_mark[] = "DEVS_STEP=a/1";

void child_try_open(void)
{
    struct err err = {0};
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_msg(nursery_open(&nursery, &loop, &err), "%s", err.message);
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    (void)snprintf(run_mark, sizeof(run_mark), "DEVS_RUN=%s", dir);
}

void child_try_close(void)
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

void watched_done(struct watched *watched)
{
    str_done(&watched->text[0]);
    str_done(&watched->text[1]);
}

struct child_call make_call(char *const *argv, char **environment)
{
    return (struct child_call){
        .spawn = {.argv = argv, .environment = environment, .cwd = dir},
        .run_mark = run_mark,
        .step_mark = step_mark,
        .grace_ms = GRACE_MS,
    };
}

void begin(struct watched *watched, const struct child_call *call)
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

void begin_and_wait(struct watched *watched, const struct child_call *call)
{
    begin(watched, call);
    while (!watched->started && !watched->failed)
        (void)uv_run(&loop, UV_RUN_ONCE);
}

void start(struct watched *watched, const struct child_call *call)
{
    begin_and_wait(watched, call);
    ck_assert_msg(watched->started, "%s", watched->err.message);
}

char **make_environment(char *step, char *more)
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

void start_script(struct watched *watched, const char *script, int64_t timeout_ms)
{
    start_script_with(watched, script, timeout_ms, GRACE_MS);
}

void run_script_with(struct watched *watched, const char *script, int64_t timeout_ms,
                     int64_t grace_ms)
{
    start_script_with(watched, script, timeout_ms, grace_ms);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(watched->ended);
}

void run_script(struct watched *watched, const char *script, int64_t timeout_ms)
{
    run_script_with(watched, script, timeout_ms, GRACE_MS);
}

pid_t told_pid(const struct watched *watched)
{
    long pid = strtol(str_text(&watched->text[0]), NULL, 10);
    ck_assert_int_gt(pid, 1);
    return (pid_t)pid;
}

bool is_alive(pid_t pid)
{
    struct proc_facts facts;
    return proc_read(pid, &facts) && !proc_is_over(&facts);
}

bool await_reaped(pid_t pid)
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
