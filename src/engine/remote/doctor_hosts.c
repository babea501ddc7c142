/* doctor_hosts.c - tries the hosts of executors: an attempt on each through devs-hand.
 *
 * The attempt prints a file that was written into the shared folder here or, without a shared
 * folder, looks for the programs that worktrees need. So a single connection tries everything that
 * a task needs; a second one removes the attempt's folder. A host that does not end the attempt in
 * time is left to a short lease. */
#define _GNU_SOURCE /* getrandom */

#include "doctor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "child.h"
#include "clock.h"
#include "cluster.h"
#include "hand_protocol.h"
#include "remote.h"
#include "text.h"
#include "xalloc.h"

enum {
    TRIAL_LEASE_MS = 30 * 1000, /* how long an attempt without contact continues */
    TRIAL_KILL_MS = 5 * 1000,   /* how long an attempt that takes too long may take to be ended */
    TRIAL_POLL_MS = 1000,       /* how often a cluster is asked for the state of its job */
    TOKEN_MAX = 24,
    MARK_MAX = 64,
    SIGNALS = 3,
    NO_GIT = 3, /* exit code of the attempt */
};
static_assert((int)DOCTOR_HAND_MAX == (int)HAND_BUILD_MAX + 1, "a version fits");

/* The file that an executor's hosts read. */
struct shared_file {
    char path[PATH_MAX];
    bool is_there; /* it was written; otherwise `err` is set */
    struct err err;
};

enum trial_stage { TRIAL_WAITS, TRIAL_CONNECTS, TRIAL_RUNS, TRIAL_IS_ENDED, TRIAL_IS_OVER };

/* The trial of a host. */
struct trial {
    struct trials *all;            /* borrowed */
    struct plan_executor executor; /* a copy with a short lease; borrows everything */
    struct remote_place place;
    struct cluster *cluster;        /* owned; of an executor with jobs, else NULL */
    const struct shared_file *file; /* borrowed */
    char *argv[4];
    /* The end of a process includes everything with its marks, so the attempt's ssh and the one
     * that cleans up have different ones. */
    char mark[MARK_MAX], clean_mark[MARK_MAX];
    struct str name;       /* of the attempt */
    struct str out;        /* its output, at most TOKEN_MAX bytes */
    struct str errors;     /* the beginning of its stderr */
    struct remote *remote; /* NULL = there is none any more */
    enum trial_stage stage;
    bool is_cut;        /* contact was lost */
    bool has_waited;    /* its job is in the queue of the cluster */
    struct str silence; /* why its cluster does not answer; empty = it does */
    int64_t began_ms;
    uv_timer_t timer;
    struct doctor_host result;
};

struct trials {
    uv_loop_t loop;
    uv_signal_t signals[SIGNALS];
    struct nursery *nursery;
    char token[TOKEN_MAX]; /* unique; what the shared files contain */
    char run_mark[MARK_MAX];
    struct shared_file *files; /* owned; one for each executor */
    size_t file_count;
    struct trial *items; /* owned */
    size_t count, begun, told;
    doctor_host_fn *tell;
    void *ctx;
};

/* The shared files. */

static bool write_file(const char *path, const char *text, struct err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    const size_t len = strlen(text);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot write a file there");
    /* Another user may read it there, whatever the umask. */
    bool ok = fchmod(fd, 0644) == 0 && write(fd, text, len) == (ssize_t)len;
    int number = errno;
    if (close(fd) != 0 && ok) { /* a network file system may report errors here */
        ok = false;
        number = errno;
    }
    if (!ok)
        (void)unlink(path);
    return ok || err_set_errno(err, number, "cannot write a file there");
}

static void write_files(struct trials *trials, const struct plan_executor *const *executors)
{
    for (size_t i = 0; i < trials->file_count; i++) {
        struct shared_file *file = &trials->files[i];
        if (!executors[i]->shared)
            continue;
        const int wrote = snprintf(file->path, sizeof(file->path), "%s/.devs-doctor-%s-%zu",
                                   executors[i]->shared, trials->token, i);
        file->is_there = wrote < (int)sizeof(file->path)
                             ? write_file(file->path, trials->token, &file->err)
                             : err_set(&file->err, ERR_LIMIT, "its path is too long");
    }
}

static void remove_files(struct trials *trials)
{
    for (size_t i = 0; i < trials->file_count; i++) {
        if (trials->files[i].is_there)
            (void)unlink(trials->files[i].path);
        trials->files[i].is_there = false;
    }
}

/* Trials. */

static void begin_trials(struct trials *trials);

ATTR_PRINTF(3, 4)
static void find_fault(struct trial *trial, enum doctor_fault fault, const char *fmt, ...)
{
    struct str words = {0};
    va_list args;
    char text[2 * DOCTOR_WORDS_MAX];
    if (trial->result.fault != DOCTOR_HOST_WORKS)
        return; /* the first one is the cause */
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    text_clean(&words, text, strlen(text));
    trial->result.fault = fault;
    (void)snprintf(trial->result.words, sizeof(trial->result.words), "%.*s",
                   (int)text_cut(str_text(&words), words.len, DOCTOR_WORDS_MAX - 1),
                   str_text(&words));
    str_done(&words);
}

static void timer_closed(uv_handle_t *handle)
{
    (void)handle;
}

static void end_trial(struct trial *trial)
{
    struct trials *trials = trial->all;
    trial->stage = TRIAL_IS_OVER;
    if (trial->cluster)
        cluster_leave(trial->cluster, false);
    uv_close((uv_handle_t *)&trial->timer, timer_closed);
    for (; trials->told < trials->count && trials->items[trials->told].stage == TRIAL_IS_OVER;
         trials->told++)
        trials->tell(trials->ctx, &trials->items[trials->told].result);
    begin_trials(trials);
}

static void was_cleaned(void *ctx, int code, const char *error)
{
    struct trial *trial = ctx;
    if (code == 0 && trial->place.job)
        cluster_job_drop(trial->place.job); /* it was released too */
    if (code != 0)
        find_fault(trial, DOCTOR_HOST_DIR, "cannot remove the folder of the attempt: %s", error);
    end_trial(trial);
}

/* The attempt has ended, or could not be started: removes its folder. */
static void clean_trial(struct trial *trial)
{
    trial->stage = TRIAL_IS_ENDED;
    trial->remote = NULL;
    (void)uv_timer_stop(&trial->timer);
    if (trial->executor.shared && !trial->file->is_there)
        find_fault(trial, DOCTOR_HOST_HERE, "on this machine, %s: %s", trial->executor.shared,
                   trial->file->err.message);
    trial->place.step_mark = trial->clean_mark;
    if (trial->cluster) {
        trial->place.job = cluster_job_find(trial->cluster, 0); /* it may be another one now */
        if (!trial->place.job || !cluster_job_runs(trial->place.job)) {
            end_trial(trial);
            return;
        }
    }
    remote_clean(trial->all->nursery, &trial->place, &trial->name, 1, trial, was_cleaned);
}

static void trial_is_late(uv_timer_t *timer)
{
    struct trial *trial = timer->data;
    const bool was_late = trial->result.fault != DOCTOR_HOST_WORKS;
    if (trial->has_waited)
        find_fault(trial, DOCTOR_HOST_QUEUE, "its job still waits in the queue after %d s%s",
                   DOCTOR_HOST_MS / 1000, trial->result.words);
    else if (trial->silence.len > 0)
        find_fault(trial, DOCTOR_HOST_DOWN, "%s", str_text(&trial->silence));
    else if (trial->is_cut)
        find_fault(trial, DOCTOR_HOST_DOWN, "the connection broke while an attempt ran");
    else if (trial->result.hand[0] == '\0')
        find_fault(trial, DOCTOR_HOST_DOWN, "no answer within %d s", DOCTOR_HOST_MS / 1000);
    else
        find_fault(trial, DOCTOR_HOST_ATTEMPT, "an attempt that reads %s did not end within %d s",
                   trial->executor.shared ? "a file in the shared folder" : "git's version",
                   DOCTOR_HOST_MS / 1000);
    if (trial->result.hand[0] != '\0' && !trial->is_cut && !was_late) {
        remote_cancel(trial->remote, CANCEL_KILL);
        (void)uv_timer_start(&trial->timer, trial_is_late, TRIAL_KILL_MS, 0);
        return;
    }
    if (trial->result.hand[0] != '\0') {
        char *words = trial->result.words;
        const size_t len = strlen(words);
        (void)snprintf(words + len, sizeof(trial->result.words) - len, "; %s/%s may be left there",
                       trial->executor.dir, str_text(&trial->name));
    }
    remote_leave(trial->remote);
    trial->remote = NULL;
    end_trial(trial);
}

static void trial_answered(void *ctx, const char *build)
{
    struct trial *trial = ctx;
    if (trial->stage != TRIAL_CONNECTS)
        return;
    trial->stage = TRIAL_RUNS;
    trial->result.connect_ms = clock_now().mono_ms - trial->began_ms;
    (void)snprintf(trial->result.hand, sizeof(trial->result.hand), "%s", build[0] ? build : "?");
}

static void trial_started(void *ctx)
{
    (void)ctx;
}

static void trial_failed(void *ctx, int number, const struct err *err)
{
    struct trial *trial = ctx;
    const char *why = err->message;
    const size_t len = strlen(trial->place.host);
    const bool has_answered = trial->stage == TRIAL_RUNS;
    if (strncmp(why, trial->place.host, len) == 0 && strncmp(why + len, ": ", 2) == 0)
        why += len + 2;
    if (number == START_EXECUTOR_DOWN)
        find_fault(trial, DOCTOR_HOST_DOWN, "%s", why);
    else if (number == START_EXECUTOR_REFUSED && has_answered)
        find_fault(trial, DOCTOR_HOST_DIR, "%s: %s", trial->executor.dir, why);
    else if (number == START_EXECUTOR_REFUSED)
        find_fault(trial, DOCTOR_HOST_REFUSED, "%s", why);
    else if (number == START_HAND_MISSING)
        find_fault(trial, DOCTOR_HOST_HAND, "%s", why);
    else if (number == START_NO_FOLDER && trial->executor.shared)
        find_fault(trial, DOCTOR_HOST_SHARED, "%s is not there", trial->executor.shared);
    else
        find_fault(trial, DOCTOR_HOST_ATTEMPT, "%s", why);
    if (has_answered && number != START_HAND_MISSING) {
        clean_trial(trial);
        return;
    }
    trial->remote = NULL;
    end_trial(trial);
}

static void trial_output(void *ctx, int stream, const char *bytes, size_t len)
{
    struct trial *trial = ctx;
    struct str *out = stream == 0 ? &trial->out : &trial->errors;
    const size_t room = (stream == 0 ? TOKEN_MAX : DOCTOR_WORDS_MAX) - out->len;
    str_add_n(out, bytes, len < room ? len : room);
}

static void trial_ended(void *ctx, const struct child_end *end)
{
    struct trial *trial = ctx;
    const struct outcome *outcome = &end->outcome;
    const bool has_exited = outcome->kind == OUTCOME_EXIT && outcome->proof == PROOF_REAPED;
    const bool is_file = trial->file->is_there;
    if (has_exited && outcome->code == 1 && is_file) {
        const char *why = strrchr(str_text(&trial->errors), ':'); /* "cat: PATH: why" */
        find_fault(trial, DOCTOR_HOST_SHARED, "a file of this machine in %s is not there%.*s",
                   trial->executor.shared, why ? (int)strcspn(why, "\n") : 0, why ? why : "");
    } else if (has_exited && outcome->code == NO_GIT && !trial->executor.shared) {
        find_fault(trial, DOCTOR_HOST_GIT, "git or flock is not installed there");
    } else if (!has_exited || outcome->code != 0) {
        struct str words = {0};
        outcome_words(outcome, &words);
        find_fault(trial, DOCTOR_HOST_ATTEMPT, "the attempt of %s: %s", trial->argv[0],
                   str_text(&words));
        str_done(&words);
    } else if (is_file && strcmp(str_text(&trial->out), trial->all->token) != 0) {
        find_fault(trial, DOCTOR_HOST_SHARED, "a file of this machine in %s has another content",
                   trial->executor.shared);
    }
    clean_trial(trial);
}

/* The attempt is not waited for: its contact is cut from outside of this callback. */
static void trial_contact(void *ctx, const struct event *fact)
{
    struct trial *trial = ctx;
    if (fact->kind == EVENT_JOB_STATE) {
        trial->has_waited = fact->job.state == JOB_QUEUED;
        (void)snprintf(trial->result.words, sizeof(trial->result.words), "%s%s%s",
                       trial->has_waited && fact->job.reason ? " (" : "",
                       trial->has_waited && fact->job.reason ? fact->job.reason : "",
                       trial->has_waited && fact->job.reason ? ")" : "");
    }
    if (fact->kind != EVENT_CONTACT_LOST)
        return;
    trial->is_cut = true;
    (void)uv_timer_start(&trial->timer, trial_is_late, 0, 0);
}

static void begin_trial(struct trial *trial)
{
    static char *const entries[] = {(char *)(uintptr_t)REMOTE_MARK, NULL};
    struct trials *trials = trial->all;
    const struct remote_watcher watcher = {.on = {.ctx = trial,
                                                  .started = trial_started,
                                                  .failed = trial_failed,
                                                  .output = trial_output,
                                                  .ended = trial_ended},
                                           .contact = trial_contact,
                                           .hello = trial_answered};
    const bool is_file = trial->file->is_there;
    static const char *const look_for_git[] = {
        "sh", "-c", "command -v git && command -v flock || exit 3", NULL};
    static_assert(ARRAY_LEN(look_for_git) == ARRAY_LEN(trial->argv), "it fits");
    for (size_t i = 0; !trial->executor.shared && look_for_git[i]; i++)
        trial->argv[i] = (char *)(uintptr_t)look_for_git[i]; /* a start does not modify it */
    if (trial->executor.shared) {
        trial->argv[0] = (char *)(uintptr_t)(is_file ? "cat" : "true");
        trial->argv[1] = is_file ? (char *)(uintptr_t)trial->file->path : NULL;
    }
    struct remote_call call = {
        .name = str_text(&trial->name),
        .argv = trial->argv,
        .environment = entries,
        .cwd = is_file ? trial->executor.shared : "/",
    };
    trial->stage = TRIAL_CONNECTS;
    trial->began_ms = clock_now().mono_ms;
    uv_update_time(&trials->loop);
    (void)uv_timer_init(&trials->loop, &trial->timer);
    trial->timer.data = trial;
    (void)uv_timer_start(&trial->timer, trial_is_late, DOCTOR_HOST_MS, 0);
    if (trial->cluster)
        trial->place.job = cluster_job_of(trial->cluster, 0, NULL);
    call.place = trial->place;
    trial->remote = remote_start(trials->nursery, &trials->loop, &call, &watcher);
}

static void begin_trials(struct trials *trials)
{
    size_t running = 0;
    for (size_t i = trials->told; i < trials->begun; i++)
        running += trials->items[i].stage != TRIAL_IS_OVER;
    for (; trials->begun < trials->count && running < DOCTOR_HOSTS_AT_ONCE; running++)
        begin_trial(&trials->items[trials->begun++]);
}

static void cluster_answers(void *ctx, bool does, const char *why)
{
    struct trial *trial = ctx;
    str_clear(&trial->silence);
    if (!does)
        str_add(&trial->silence, why);
}

static void open_cluster(struct trial *trial)
{
    const struct cluster_call call = {.executor = &trial->executor,
                                      .environment = trial->place.environment,
                                      .run_mark = trial->place.run_mark,
                                      .uid = trial->all->token,
                                      .answers = cluster_answers,
                                      .ctx = trial};
    trial->executor.poll_ms = TRIAL_POLL_MS;
    trial->cluster = cluster_open(trial->all->nursery, &trial->all->loop, &call);
}

static void make_trials(struct trials *trials, const struct plan_executor *const *executors,
                        char *const *environment)
{
    for (size_t i = 0; i < trials->file_count; i++)
        trials->count += (size_t)executors[i]->host_count;
    trials->items = xcalloc(trials->count, sizeof(*trials->items));
    struct trial *trial = trials->items;
    for (size_t i = 0; i < trials->file_count; i++) {
        for (int host = 0; host < executors[i]->host_count; host++, trial++) {
            const size_t number = (size_t)(trial - trials->items);
            trial->all = trials;
            trial->executor = *executors[i];
            if (trial->executor.lease_ms > TRIAL_LEASE_MS)
                trial->executor.lease_ms = TRIAL_LEASE_MS;
            trial->file = &trials->files[i];
            trial->place = (struct remote_place){.executor = &trial->executor,
                                                 .host = trial->executor.hosts[host].host,
                                                 .environment = environment,
                                                 .run_mark = trials->run_mark,
                                                 .step_mark = trial->mark};
            (void)snprintf(trial->mark, sizeof(trial->mark), "DEVS_STEP=host-%zu", number);
            (void)snprintf(trial->clean_mark, sizeof(trial->clean_mark), "DEVS_STEP=clean-%zu",
                           number);
            trial->result.executor = trial->executor.name;
            trial->result.host = trial->place.host;
            /* A parent of its own: hosts may share `dir`, and the parent is removed too. */
            str_addf(&trial->name, "doctor-%s-%zu/1", trials->token, number);
            if (executor_has_jobs(trial->executor.kind))
                open_cluster(trial);
        }
    }
}

/* Signals: without a trace in the shared folders, devs ends as it would otherwise. The attempts
 * end on their own. */

static void signal_came(uv_signal_t *handle, int number)
{
    struct trials *trials = handle->data;
    remove_files(trials);
    for (size_t i = 0; i < SIGNALS; i++)
        (void)uv_signal_stop(&trials->signals[i]);
    (void)raise(number);
}

static void watch_signals(struct trials *trials)
{
    static const int numbers[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction old;
        uv_signal_t *handle = &trials->signals[i];
        (void)uv_signal_init(&trials->loop, handle);
        handle->data = trials;
        uv_unref((uv_handle_t *)handle);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)uv_signal_start(handle, signal_came, numbers[i]);
    }
}

static void signal_closed(uv_handle_t *handle)
{
    (void)handle;
}

static void run_trials(struct trials *trials, const struct plan_executor *const *executors)
{
    watch_signals(trials);
    write_files(trials, executors);
    begin_trials(trials);
    (void)uv_run(&trials->loop, UV_RUN_DEFAULT);
    assert(trials->told == trials->count);
    remove_files(trials);
    for (size_t i = 0; i < trials->count; i++) {
        if (trials->items[i].cluster)
            cluster_close(trials->items[i].cluster);
    }
    for (size_t i = 0; i < SIGNALS; i++)
        uv_close((uv_handle_t *)&trials->signals[i], signal_closed);
    (void)uv_run(&trials->loop, UV_RUN_DEFAULT);
    nursery_close(trials->nursery);
    (void)uv_run(&trials->loop, UV_RUN_DEFAULT);
}

bool doctor_look_at_hosts(const struct plan_executor *const *executors, size_t count,
                          char *const *environment, doctor_host_fn *tell, void *ctx,
                          struct err *err)
{
    struct trials trials = {.file_count = count, .tell = tell, .ctx = ctx};
    uint64_t random = 0;
    if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return err_set_errno(err, errno, "no random number");
    (void)snprintf(trials.token, sizeof(trials.token), "%016llx", (unsigned long long)random);
    (void)snprintf(trials.run_mark, sizeof(trials.run_mark), "DEVS_RUN=doctor-%s", trials.token);
    const int failed = uv_loop_init(&trials.loop);
    if (failed != 0)
        return err_set(err, ERR_IO, "cannot start an event loop: %s", uv_strerror(failed));
    if (!nursery_open(&trials.nursery, &trials.loop, err)) {
        (void)uv_run(&trials.loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&trials.loop);
        return false;
    }
    trials.files = xcalloc(count, sizeof(*trials.files));
    make_trials(&trials, executors, environment);
    run_trials(&trials, executors);
    const int open = uv_loop_close(&trials.loop);
    assert(open == 0);
    (void)open;
    for (size_t i = 0; i < trials.count; i++) {
        str_done(&trials.items[i].name);
        str_done(&trials.items[i].out);
        str_done(&trials.items[i].errors);
        str_done(&trials.items[i].silence);
    }
    free(trials.items);
    free(trials.files);
    return true;
}
