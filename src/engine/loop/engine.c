/* engine.c - starts and ends the thread of a run, after checking that the plan can be enforced
 * here.
 *
 * engine_start() returns when the run is in the log, or says why it is not. After that, other
 * threads reach the run only through its mailbox, and get its result after they have joined its
 * thread. */
#define _GNU_SOURCE /* environ, eventfd, realpath */

#include "engine.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cgroup.h"
#include "err.h"
#include "json.h"
#include "log_own.h"
#include "loop.h"
#include "place.h"
#include "plan.h"
#include "program_find.h"
#include "quiet_thread.h"
#include "sandbox.h"
#include "sandbox_internal.h"
#include "scheduler.h"
#include "task_record.h"
#include "workspace.h"
#include "xalloc.h"

/* Checks, before the run is logged, whether this machine can enforce the limits of a plan. Runs
 * probes with time limits on the thread that starts the engine. */

/* Checks the sandboxes of all steps. */
static bool check_sandboxes(const struct plan *plan, struct err *err)
{
    const struct sandbox_spec *last = NULL; /* most steps share the plan's sandbox */
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        for (int step = 0; step < task->step_count; step++) {
            const struct sandbox_spec *spec = task->steps[step].sandbox;
            if (spec != last && !sandbox_spec_is_empty(spec)) {
                struct str lacks = {0};
                struct str why = {0};
                struct err refused = {0};
                bool ok = sandbox_check(spec, &lacks, &why, &refused);
                str_done(&lacks);
                str_done(&why);
                if (!ok) {
                    (void)err_set(err, ERR_INVALID, "task '%s': %s", task->id, refused.message);
                    return err_hint(err, "%s", refused.hint);
                }
            }
            last = spec;
        }
    }
    return true;
}

/* Returns whether some step runs in a sandbox, which then has to hide the log. */
static bool uses_sandbox(const struct plan *plan)
{
    for (int i = 0; i < plan->task_count; i++) {
        for (int step = 0; step < plan->tasks[i].step_count; step++) {
            const struct sandbox_spec *spec = plan->tasks[i].steps[step].sandbox;
            if (spec && spec->kind != SANDBOX_NONE)
                return true;
        }
    }
    return plan->grows &&
           plan->sandbox.kind !=
               SANDBOX_NONE; /* tasks that use the plan's sandbox may be added later */
}

/* Checks that a sandbox can hide the log's directory. It cannot if a step may write to that
 * directory: the step could create new files beside the log, or rename the directory. */
static bool check_log(const struct place *place, const char *run_dir, struct err *err)
{
    char own[PATH_MAX];
    char log[PATH_MAX];
    char run[PATH_MAX];
    if (!log_own_folder_check(place, err))
        return false;
    if (!realpath(place->dir, log) || !realpath(run_dir, run))
        return err_set_errno(err, errno, "cannot access '%s'", place->dir);
    /* `devs mcp` keeps working trees in the log's directory; they are the only folders in it where
     * a run may work. */
    const int len = snprintf(own, sizeof(own), "%s/sessions", log);
    const bool is_inside = strcmp(run, log) == 0 || sandbox_path_is_below(run, log);
    if (!is_inside || (len > 0 && len < PATH_MAX && sandbox_path_is_below(run, own)))
        return true;
    (void)err_set(err, ERR_INVALID, "a sandbox cannot work in the log's directory, '%s'",
                  place->dir);
    return err_hint(err, "use --db .devs/run.db, or FILE in a new directory");
}

/* Keeps devs from running programs in `writable` paths outside the sandbox, because a step may
 * place a program there. */
static void avoid_writable(const struct plan *plan)
{
    const struct sandbox_spec *last = NULL;
    for (int i = 0; i < plan->task_count; i++) {
        for (int step = 0; step < plan->tasks[i].step_count; step++) {
            const struct sandbox_spec *spec = plan->tasks[i].steps[step].sandbox;
            for (char **path = spec && spec != last ? spec->writable : NULL; path && *path;
                 path++) {
                if ((*path)[0] == '/') /* relative paths are in the project */
                    program_avoid(*path);
            }
            last = spec;
        }
    }
}

/* Fails with ERR_INVALID if a sandbox key or a limit cannot be enforced here and the plan does not
 * allow best effort, or if a step has a sandbox and the log is not in its own directory, which
 * could be hidden completely from that step. */
static bool plan_check(const struct plan *plan, const struct place *place, const char *run_dir,
                       struct err *err)
{
    avoid_writable(plan);
    if (plan->limits.processes != 0) {
        struct cgroup_means means;
        cgroup_means(&means);
        if (!means.pids) {
            (void)err_set(err, ERR_INVALID, "limits: processes cannot be enforced here: %s",
                          means.why);
            return err_hint(
                err,
                "use a sandbox with \"pids\" and \"best_effort\": true to run without the limit");
        }
    }
    if (uses_sandbox(plan) && !check_log(place, run_dir, err))
        return false;
    return check_sandboxes(plan, err);
}

bool engine_check_worktrees(const struct plan *plan, const char *run_dir, struct err *err)
{
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        struct err why = {0};
        if (task->workspace->kind != WORKSPACE_WORKTREE || task->need_count > 0)
            continue;
        if (workspace_check_worktree(run_dir, environ, &why))
            return true; /* checking one task is enough: all use the same repository */
        (void)err_set(err, ERR_INVALID, "task '%s': workspace \"worktree\": %s", task->id,
                      why.message);
        return err_hint(err, "%s",
                        why.hint[0] ? why.hint : "run git init, or use \"workspace\": \"copy\"");
    }
    return true;
}

/* The event loop, the log and one child need about 40 descriptors. libuv aborts if it cannot get
 * any for its signals (1.44, uv__signal_global_init). */
enum { DESCRIPTORS_MIN = 64 };

struct engine {
    /* Engine's thread only, once it runs. */
    struct engine_options options; /* its borrowed strings are valid until the start is reported */
    struct loop loop;

    /* Any thread. */
    struct mailbox mailbox;
    int done_fd;

    pthread_mutex_t lock; /* guards the fields below until the thread has reported its start */
    pthread_cond_t started_cond;
    bool has_started, start_failed;
    int64_t number;
    char uid[LOG_UID_MAX];
    struct err err;

    /* Written by the engine's thread before it exits, read after joining it. */
    struct engine_result result;

    /* Starting thread only. */
    pthread_t thread;
};

static void *run_engine(void *arg)
{
    struct engine *engine = arg;
    struct loop *loop = &engine->loop;
    struct err err = {0};
    int64_t number = 0;

    bool ok = loop_open(loop, &engine->options, &engine->mailbox, &number, &err);
    (void)pthread_mutex_lock(&engine->lock);
    engine->has_started = true;
    engine->start_failed = !ok;
    engine->number = number;
    if (ok)
        (void)snprintf(engine->uid, sizeof(engine->uid), "%s",
                       log_writer_uid(loop->recorder.writer));
    engine->err = err;
    (void)pthread_cond_signal(&engine->started_cond);
    (void)pthread_mutex_unlock(&engine->lock);

    if (ok) {
        struct engine_result *result = &engine->result;
        loop_run(loop);
        recorder_finish(&loop->recorder);
        result->exit_code = loop->state.ended ? loop->state.exit_code : RUN_EXIT_STOPPED;
        result->last_attempt_code = loop->last_attempt_code;
        result->recording_failed =
            loop->recorder.lost || loop->recorder.failing || loop->recorder.left_output;
        result->err = loop->recorder.err;
        notifier_close(loop->notifier, &result->notify_err);
        loop->notifier = NULL;
    }
    loop_close(loop);
    const uint64_t one = 1;
    (void)!write(engine->done_fd, &one, sizeof(one)); /* adding 1 to a new eventfd never blocks */
    return NULL;
}

static void free_engine(struct engine *engine)
{
    if (engine->done_fd >= 0)
        (void)close(engine->done_fd);
    mailbox_done(&engine->mailbox);
    (void)pthread_cond_destroy(&engine->started_cond);
    (void)pthread_mutex_destroy(&engine->lock);
    free(engine);
}

static bool await_start(struct engine *engine, int64_t *number_out, struct err *err)
{
    (void)pthread_mutex_lock(&engine->lock);
    while (!engine->has_started)
        (void)pthread_cond_wait(&engine->started_cond, &engine->lock);
    bool ok = !engine->start_failed;
    (void)pthread_mutex_unlock(&engine->lock);
    if (ok) {
        *number_out = engine->number;
        return true;
    }
    (void)pthread_join(engine->thread, NULL);
    if (err && err->code == ERR_NONE)
        *err = engine->err;
    return false;
}

bool engine_start(struct engine **out, const struct engine_options *options, int64_t *number_out,
                  struct err *err)
{
    struct rlimit files;
    assert(options->jobs > 0 && options->jobs <= PLAN_JOBS_MAX);
    assert(options->run_dir[0] == '/');

    program_avoid(options->run_dir);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < DESCRIPTORS_MIN) {
        err_set(err, ERR_IO, "the open file limit is %lld, but a run needs %d",
                (long long)files.rlim_cur, DESCRIPTORS_MIN);
        return err_hint(err, "ulimit -n 1024");
    }
    if (!plan_check(options->plan, options->place, options->run_dir, err))
        return false;
    struct engine *engine = xcalloc(1, sizeof(*engine));
    engine->options = *options;
    mailbox_init(&engine->mailbox);
    (void)pthread_mutex_init(&engine->lock, NULL);
    (void)pthread_cond_init(&engine->started_cond, NULL);
    engine->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    bool ok = false;
    if (engine->done_fd < 0) {
        err_set_errno(err, errno, "eventfd");
        goto out;
    }
    int failed = quiet_thread_start(&engine->thread, run_engine, engine);
    if (failed != 0) {
        err_set_errno(err, failed, "cannot start the engine's thread");
        goto out;
    }
    ok = await_start(engine, number_out, err);

out:
    if (ok)
        *out = engine;
    else
        free_engine(engine);
    return ok;
}

const char *engine_uid(const struct engine *engine)
{
    return engine->uid;
}

int engine_done_fd(const struct engine *engine)
{
    return engine->done_fd;
}

void engine_cancel(struct engine *engine, const char *by)
{
    mailbox_post(&engine->mailbox, MAIL_CANCEL, by);
}

bool engine_add(struct engine *engine, const struct engine_task *task, int *task_out,
                struct err *err)
{
    struct mail_task mail = {.task = task, .number = -1};
    struct json *json = NULL;
    struct str record = {0};
    if (task->json_len > ENGINE_TASK_MAX)
        return err_set(err, ERR_LIMIT, "the task is larger than %d bytes", ENGINE_TASK_MAX);
    if (task->stdin_len > ENGINE_STDIN_MAX)
        return err_set(err, ERR_LIMIT, "the task's stdin is larger than %d bytes",
                       ENGINE_STDIN_MAX);
    if (!json_parse(task->json, task->json_len, &json, NULL, err))
        return false;
    bool ok = task_record_redactor(json, &mail.own, err);
    const struct task_record parts = {.task = json,
                                      .stdin_bytes = task->stdin_bytes,
                                      .stdin_len = task->stdin_len,
                                      .redactor = engine->options.redactor,
                                      .own = mail.own};
    ok = ok && task_record_write(&parts, &record, err);
    json_free(json);
    mail.record = str_text(&record);
    ok = ok && mailbox_post_task(&engine->mailbox, &mail);
    if (ok)
        *task_out = mail.number;
    else if (err && err->code == ERR_NONE)
        *err = mail.err;
    redactor_close(mail.own);
    str_done(&record);
    return ok;
}

void engine_close_plan(struct engine *engine)
{
    mailbox_post(&engine->mailbox, MAIL_CLOSE, NULL);
}

void engine_note(struct engine *engine, int task, const char *note)
{
    mailbox_post_note(&engine->mailbox, task, note);
}

void engine_leave(struct engine *engine)
{
    mailbox_post(&engine->mailbox, MAIL_LEAVE, NULL);
}

void engine_detach(struct engine *engine, const char *why)
{
    mailbox_post(&engine->mailbox, MAIL_ALONE, why);
}

void engine_stop(struct engine *engine, struct engine_result *result)
{
    if (!engine)
        return;
    mailbox_post(&engine->mailbox, MAIL_STOP, NULL);
    (void)pthread_join(engine->thread, NULL);
    if (result)
        *result = engine->result;
    free_engine(engine);
}
