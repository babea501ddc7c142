/* cluster.c - the jobs of a run on a cluster.
 *
 * First the jobs, then the errands (each a program that is run once), then the queries and the
 * timer, last the requests of the engine. */
#include "cluster.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "clock.h"
#include "foreign_file.h"
#include "remote_internal.h"
#include "ssh_channel.h"
#include "text.h"
#include "xalloc.h"

enum { MS_PER_S = 1000, RUN_CHARS = 12, MARK_MAX = 64 };

enum job_stage {
    JOB_IS_NEW,  /* to be submitted */
    JOB_SUBMITS, /* being submitted */
    JOB_WAITS,   /* in the queue, or not known yet */
    JOB_RUNS,    /* channels are possible */
    JOB_IS_OVER, /* it has ended */
};

/* How a job that is no longer used ends. */
enum job_exit { EXIT_NOT, EXIT_RELEASE, EXIT_CANCEL, EXIT_DONE };

struct cluster_job {
    struct cluster *cluster; /* borrowed */
    struct cluster_job *next;
    int task;                                   /* -1 = no task has it any more */
    const struct executor_resources *resources; /* borrowed from the plan; NULL = none */
    enum job_stage stage;
    enum job_meaning meaning; /* as listed last */
    enum job_exit exit;
    bool is_unknown;         /* of an earlier devs, and not listed yet */
    bool is_asked;           /* its end is being asked for */
    bool is_listed;          /* in the list that is being read */
    char name[JOB_TEXT_MAX]; /* "" = not known */
    char holder[JOB_TEXT_MAX];
    char reason[JOB_TEXT_MAX], node[JOB_TEXT_MAX];
    char canceller[JOB_TEXT_MAX]; /* who cancelled it; "" = not known */
    int who_left;                 /* how often that is still asked before its end is told */
    int64_t who_due_ms;           /* when that is asked next */
    char mark[MARK_MAX];          /* of its errands */
    int misses;
    int64_t since_ms;     /* when it was asked for */
    int64_t listed_ms;    /* when it was listed as running first; 0 = not yet */
    struct child *errand; /* borrowed; NULL = none */
    int code;             /* why it has ended before it ran: an enum start_code; 0 = it has not */
    struct str why;
    bool has_news; /* to be told at the next tick */
    job_news_fn *tell;
    void *tell_ctx;
    struct str *folders; /* owned, each */
    size_t folder_count, folder_cap;
};

struct cluster {
    struct nursery *nursery;
    uv_loop_t *loop;
    struct cluster_call call;
    struct str run;             /* the label of all jobs */
    char *dir;                  /* owned; for the files of starts; NULL = none */
    struct cluster_job *jobs;   /* owned */
    int errands;                /* of jobs */
    struct child *list;         /* borrowed; the query of jobs or of nodes; NULL = none */
    struct cluster_nodes nodes; /* as told last */
    bool answers;               /* as told last */
    bool is_left;               /* no new jobs, no queries */
    bool is_cut;                /* no errands either: jobs end themselves */
    int64_t listed_ms;          /* when the last query began; 0 = never */
    int64_t list_due_ms;        /* INT64_MAX = not due */
    unsigned serial;
    char list_mark[MARK_MAX];
    uv_timer_t timer;
};

static int64_t now_ms(void)
{
    return clock_now().mono_ms;
}

/* Jobs. */

static void tick_at(struct cluster *cluster, int64_t due_ms);

static struct remote_place place_of(const struct cluster_job *job)
{
    const struct cluster *cluster = job->cluster;
    return (struct remote_place){.executor = cluster->call.executor,
                                 .host = cluster->call.executor->name,
                                 .job = (struct cluster_job *)(uintptr_t)job,
                                 .environment = cluster->call.environment,
                                 .run_mark = cluster->call.run_mark,
                                 .step_mark = job->mark};
}

struct cluster_job *cluster_job_find(const struct cluster *cluster, int task)
{
    struct cluster_job *job = cluster->jobs;
    while (job && job->task != task)
        job = job->next;
    return job;
}

/* Reports it at the next tick, so that no request of the engine calls back. */
static void add_news(struct cluster_job *job)
{
    job->has_news = true;
    tick_at(job->cluster, now_ms());
}

/* The job has ended. `code` says why, if it had not run. */
static void end_job(struct cluster_job *job, int code, const char *why)
{
    const bool has_run = job->stage == JOB_RUNS;
    job->stage = JOB_IS_OVER;
    job->is_asked = false;
    if (!has_run && !job->is_unknown) {
        job->code = code;
        str_clear(&job->why);
        str_add(&job->why, why);
    }
    job->is_unknown = false;
    add_news(job);
}

static void mark_path(const struct cluster_job *job, struct str *out)
{
    str_addf(out, "%s/%s", job->cluster->dir, job->holder);
}

static void job_free(struct cluster_job *job)
{
    for (size_t i = 0; i < job->folder_count; i++)
        str_done(&job->folders[i]);
    free(job->folders);
    if (job->cluster->dir) { /* the file of its start */
        struct str path = {0};
        mark_path(job, &path);
        (void)unlink(str_text(&path));
        str_done(&path);
    }
    str_done(&job->why);
    free(job);
}

static struct cluster_job *new_job(struct cluster *cluster, int task)
{
    struct cluster_job *job = xcalloc(1, sizeof(*job));
    job->cluster = cluster;
    job->task = task;
    job->since_ms = now_ms();
    (void)snprintf(job->holder, sizeof(job->holder), "%s-%d-%llx-%u", str_text(&cluster->run),
                   task + 1, (unsigned long long)clock_now().at_ms, ++cluster->serial);
    (void)snprintf(job->mark, sizeof(job->mark), "DEVS_STEP=job-%u", cluster->serial);
    job->next = cluster->jobs;
    cluster->jobs = job;
    return job;
}

/* Errands. */

static void run_errands(struct cluster *cluster);

static void errand_is_over(struct cluster_job *job)
{
    job->errand = NULL;
    job->cluster->errands--;
    tick_at(job->cluster, now_ms());
}

static void was_submitted(void *ctx, int code, const struct str *out, const char *error)
{
    struct cluster_job *job = ctx;
    struct cluster *cluster = job->cluster;
    const struct executor_adapter *adapter = &cluster->call.executor->adapter;
    errand_is_over(job);
    if (code == 0 && executor_read_job(str_text(out), out->len, job->name)) {
        job->stage = JOB_WAITS;
        if (cluster->list_due_ms == INT64_MAX) {
            const int64_t next_ms = cluster->listed_ms + cluster->call.executor->poll_ms;
            const int64_t soon_ms = now_ms() + MS_PER_S;
            cluster->list_due_ms = cluster->listed_ms > 0 && next_ms > soon_ms ? next_ms : soon_ms;
        }
        add_news(job);
    } else if (code == 0) {
        end_job(job, START_EXECUTOR_REFUSED, "its cluster did not print the name of the job");
    } else {
        const bool is_refusal = error[0] != '\0' && executor_refuses(adapter, error);
        end_job(job, is_refusal ? START_EXECUTOR_REFUSED : START_EXECUTOR_DOWN,
                error[0] != '\0' ? error : "its cluster did not answer in time");
    }
}

enum { HAND_MISSING_S = 60 };

/* Appends the shell command of the job: it writes the name of its node, then becomes the holder.
 * Without devs-hand, the job stays for a while, so that a channel can find that out: a cluster
 * reports only that the job has ended. */
static void add_hold(const struct cluster_job *job, struct str *out)
{
    const struct remote_place place = place_of(job);
    struct str words = {0};
    if (job->cluster->dir) {
        struct str path = {0};
        mark_path(job, &path);
        str_add(out, "echo \"${DEVS_NODE:-$(uname -n)}\" 2>/dev/null >");
        shell_word_add(str_text(&path), out);
        str_add(out, "; ");
        str_done(&path);
    }
    str_addf(&words, "hold %s %lld", job->holder,
             (long long)(job->cluster->call.executor->idle_ms / MS_PER_S));
    str_add(out, "command -v ");
    ssh_path_add(place.executor->hand, out);
    str_addf(out, " >/dev/null 2>&1 || sleep %d; exec ", HAND_MISSING_S);
    hand_add_call(&place, str_text(&words), NULL, out);
    str_done(&words);
}

static void submit(struct cluster_job *job)
{
    const struct cluster *cluster = job->cluster;
    const struct plan_executor *executor = cluster->call.executor;
    const struct remote_place place = place_of(job);
    struct str hold = {0};
    struct str script = {0};
    add_hold(job, &hold);
    const struct executor_words words = {.run = str_text(&cluster->run),
                                         .name = job->holder,
                                         .hold = str_text(&hold),
                                         .resources = job->resources};
    executor_script(executor, &words, &script);
    const struct errand_call call = {.argv =
                                         executor_argv(executor, executor->adapter.submit, &words),
                                     .input = str_text(&script),
                                     .out_max = CLUSTER_ANSWER_MAX};
    job->stage = JOB_SUBMITS;
    job->errand = errand_start(cluster->nursery, &place, &call, job, was_submitted);
    str_done(&hold);
    str_done(&script);
}

static void was_cancelled(void *ctx, int code, const struct str *out, const char *error)
{
    struct cluster_job *job = ctx;
    (void)code; /* if it failed, the holder ends itself */
    (void)out;
    (void)error;
    errand_is_over(job);
    job->exit = EXIT_DONE;
}

static void was_released(void *ctx, int code, const char *error)
{
    struct cluster_job *job = ctx;
    (void)error;
    errand_is_over(job);
    job->exit = code == 0 ? EXIT_DONE : EXIT_CANCEL;
}

static void was_named(void *ctx, int code, const struct str *out, const char *error)
{
    struct cluster_job *job = ctx;
    char user[JOB_TEXT_MAX];
    (void)error; /* most likely there is no accounting, so nobody knows */
    errand_is_over(job);
    if (code != 0) {
        job->who_left = 0;
    } else if (executor_read_user(str_text(out), out->len, user)) {
        job->who_left = 0;
        memcpy(job->canceller, user, sizeof(user));
        (void)snprintf(job->reason, sizeof(job->reason), "cancelled by %.*s",
                       (int)(sizeof(job->reason) - sizeof("cancelled by ")), user);
        if (job->why.len > 0)
            str_addf(&job->why, "; %s", job->reason);
    } else { /* the accounting may hear of it a moment later */
        job->who_left--;
        job->who_due_ms = now_ms() + CLUSTER_CAUSE_POLL_MS;
    }
    if (job->who_left == 0)
        add_news(job);
}

/* Asks who cancelled the job. */
static void start_who(struct cluster_job *job)
{
    const struct cluster *cluster = job->cluster;
    const struct plan_executor *executor = cluster->call.executor;
    const struct remote_place place = place_of(job);
    const struct executor_words words = {.job = job->name};
    const struct errand_call call = {.argv = executor_argv(executor, executor->adapter.who, &words),
                                     .out_max = JOB_LINE_MAX};
    job->errand = errand_start(cluster->nursery, &place, &call, job, was_named);
}

static void start_exit(struct cluster_job *job)
{
    const struct cluster *cluster = job->cluster;
    const struct remote_place place = place_of(job);
    if (job->exit == EXIT_RELEASE) {
        job->errand = remote_clean(cluster->nursery, &place, job->folders, job->folder_count, job,
                                   was_released);
        return;
    }
    const struct executor_words words = {.job = job->name};
    const struct plan_executor *executor = cluster->call.executor;
    const struct errand_call call = {.argv =
                                         executor_argv(executor, executor->adapter.cancel, &words)};
    job->errand = errand_start(cluster->nursery, &place, &call, job, was_cancelled);
}

/* Returns whether the job has an errand to run now. */
static bool is_due(const struct cluster_job *job)
{
    if (job->errand)
        return false;
    if (job->exit == EXIT_RELEASE || job->exit == EXIT_CANCEL)
        return job->name[0] != '\0';
    if (job->who_left > 0)
        return job->who_due_ms <= now_ms();
    return job->stage == JOB_IS_NEW && job->exit == EXIT_NOT && !job->cluster->is_left;
}

static void run_errands(struct cluster *cluster)
{
    /* The oldest first: new jobs are at the beginning of the list. */
    while (cluster->errands < CLUSTER_ERRANDS_MAX && !cluster->is_cut) {
        struct cluster_job *oldest = NULL;
        for (struct cluster_job *job = cluster->jobs; job; job = job->next) {
            if (is_due(job))
                oldest = job;
        }
        if (!oldest)
            return;
        cluster->errands++;
        if (oldest->exit == EXIT_RELEASE || oldest->exit == EXIT_CANCEL)
            start_exit(oldest);
        else if (oldest->who_left > 0)
            start_who(oldest);
        else
            submit(oldest);
    }
}

/* Frees the jobs that are no longer used and have ended. */
static void forget_jobs(struct cluster *cluster)
{
    struct cluster_job **at = &cluster->jobs;
    while (*at) {
        struct cluster_job *job = *at;
        const bool was_never = job->exit != EXIT_NOT && job->name[0] == '\0' &&
                               (job->stage == JOB_IS_NEW || job->stage == JOB_IS_OVER);
        if (job->errand || job->tell || (job->exit != EXIT_DONE && !was_never)) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        job_free(job);
    }
}

/* Queries. */

static const char *end_words(enum job_meaning meaning)
{
    switch (meaning) {
    case MEANS_CANCELLED:
        return "its job was cancelled on the cluster before it ran";
    case MEANS_NODE_FAILED:
        return "the node of its job failed before it ran";
    case MEANS_TIME_LIMIT:
        return "the time of its job was up before it ran";
    case MEANS_REFUSED:
        return "its cluster cannot run the job";
    default:
        return "its job ended before it ran";
    }
}

static void end_by_meaning(struct cluster_job *job)
{
    struct str why = {0};
    const bool is_final = job->meaning == MEANS_REFUSED || job->meaning == MEANS_CANCELLED;
    str_add(&why, end_words(job->meaning));
    if (job->reason[0])
        str_addf(&why, ": %s", job->reason);
    /* Its end is told when the cluster has said who cancelled it, or does not know. */
    if (job->meaning == MEANS_CANCELLED && job->tell && job->cluster->call.executor->adapter.who)
        job->who_left = CLUSTER_WHO_MAX;
    end_job(job, is_final ? START_EXECUTOR_REFUSED : START_EXECUTOR_DOWN, str_text(&why));
    if (job->meaning == MEANS_REFUSED)
        job->exit = EXIT_CANCEL; /* otherwise it would wait forever */
    str_done(&why);
}

/* Returns whether a job that is listed as running can take channels. A cluster may list it before
 * its script has started, and many starts take a while, so its file is waited for. */
static bool is_ready(struct cluster_job *job)
{
    const int64_t now = now_ms();
    if (job->listed_ms == 0)
        job->listed_ms = now;
    return !job->cluster->dir || job->is_unknown || now - job->listed_ms >= CLUSTER_START_MS;
}

static void take_line(struct cluster_job *job, const struct job_line *line)
{
    const bool has_changed = strcmp(job->reason, line->reason) != 0 || job->is_unknown ||
                             (line->node[0] && strcmp(job->node, line->node) != 0);
    job->is_listed = true;
    job->misses = 0;
    if (job->stage == JOB_IS_OVER)
        return;
    job->meaning = line->meaning;
    memcpy(job->reason, line->reason, sizeof(job->reason));
    if (line->node[0])
        memcpy(job->node, line->node, sizeof(job->node));
    if (meaning_is_end(line->meaning)) {
        end_by_meaning(job);
    } else if (line->meaning == MEANS_RUNNING && job->stage == JOB_WAITS && is_ready(job)) {
        job->stage = JOB_RUNS;
        job->is_unknown = false;
        add_news(job);
    } else if (has_changed) {
        job->is_unknown = false;
        add_news(job);
    }
}

static void was_missed(struct cluster_job *job)
{
    const int most = job->is_unknown ? 1 : CLUSTER_MISSES_MAX;
    if ((job->stage != JOB_WAITS && job->stage != JOB_RUNS) || ++job->misses < most)
        return;
    job->meaning = MEANS_ENDED;
    end_by_meaning(job);
}

static void take_list(struct cluster *cluster, const struct str *text)
{
    const struct executor_adapter *adapter = &cluster->call.executor->adapter;
    for (struct cluster_job *job = cluster->jobs; job; job = job->next)
        job->is_listed = false;
    for (size_t at = 0; at < text->len;) {
        const char *line = text->data + at;
        const char *end = memchr(line, '\n', text->len - at);
        const size_t len = end ? (size_t)(end - line) : text->len - at;
        struct job_line about;
        at += len + 1;
        if (!executor_read_line(adapter, line, len, &about))
            continue;
        for (struct cluster_job *job = cluster->jobs; job; job = job->next) {
            if (strcmp(job->name, about.job) == 0)
                take_line(job, &about);
        }
    }
    for (struct cluster_job *job = cluster->jobs; job; job = job->next) {
        if (!job->is_listed)
            was_missed(job);
    }
}

static void was_counted(void *ctx, int code, const struct str *out, const char *error)
{
    struct cluster *cluster = ctx;
    struct cluster_nodes nodes;
    (void)error; /* the query of jobs reports a cluster that does not answer */
    cluster->list = NULL;
    if (!cluster->is_left && code == 0 &&
        executor_read_nodes(&cluster->call.executor->adapter, str_text(out), out->len, &nodes) &&
        memcmp(&nodes, &cluster->nodes, sizeof(nodes)) != 0) {
        cluster->nodes = nodes;
        cluster->call.has_nodes(cluster->call.ctx, &nodes);
    }
    tick_at(cluster, now_ms());
}

static struct child *start_query(struct cluster *cluster, char *const *words, errand_done_fn *over)
{
    const struct plan_executor *executor = cluster->call.executor;
    const struct executor_words values = {.run = str_text(&cluster->run)};
    const struct remote_place place = {.executor = executor,
                                       .host = executor->name,
                                       .environment = cluster->call.environment,
                                       .run_mark = cluster->call.run_mark,
                                       .step_mark = cluster->list_mark};
    const struct errand_call call = {.argv = executor_argv(executor, words, &values),
                                     .out_max = CLUSTER_LIST_MAX};
    return errand_start(cluster->nursery, &place, &call, cluster, over);
}

static void was_listed(void *ctx, int code, const struct str *out, const char *error)
{
    struct cluster *cluster = ctx;
    cluster->list = NULL;
    if (cluster->is_left)
        return;
    const bool is_cut = out->len >= CLUSTER_LIST_MAX;
    if (code == 0 && !is_cut)
        take_list(cluster, out);
    if ((code == 0) != cluster->answers) {
        cluster->answers = code == 0;
        cluster->call.answers(cluster->call.ctx, code == 0, error[0] ? error : "no answer");
    }
    bool is_needed = false;
    bool is_urgent = false;
    for (const struct cluster_job *job = cluster->jobs; job; job = job->next) {
        is_needed = is_needed || job->stage == JOB_WAITS || job->stage == JOB_RUNS;
        is_urgent = is_urgent || job->is_asked;
    }
    cluster->list_due_ms = INT64_MAX;
    if (is_urgent)
        cluster->list_due_ms = now_ms() + CLUSTER_CAUSE_POLL_MS;
    else if (is_needed)
        cluster->list_due_ms = cluster->listed_ms + cluster->call.executor->poll_ms;
    if (code == 0 && !is_urgent && cluster->call.has_nodes && cluster->call.executor->adapter.nodes)
        cluster->list = start_query(cluster, cluster->call.executor->adapter.nodes, was_counted);
    tick_at(cluster, now_ms());
}

static void start_list(struct cluster *cluster)
{
    cluster->listed_ms = now_ms();
    cluster->list_due_ms = INT64_MAX;
    cluster->list = start_query(cluster, cluster->call.executor->adapter.list, was_listed);
}

/* Returns whether the job has left the file of its start. */
static bool look_for_start(struct cluster_job *job)
{
    struct str path = {0};
    char text[JOB_TEXT_MAX];
    mark_path(job, &path);
    struct stat info;
    const int look = foreign_file_look(str_text(&path), 0, &info);
    const int fd = look >= 0 && S_ISREG(info.st_mode) ? foreign_file_open(look) : -1;
    const ssize_t got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    if (fd >= 0)
        (void)close(fd);
    if (look >= 0)
        (void)close(look);
    str_done(&path);
    if (got <= 0)
        return false; /* an empty file is about to be written */
    struct str clean = {0};
    text[got] = '\0';
    const size_t len = strcspn(text, " \n");
    text_clean(&clean, text, len);
    (void)snprintf(job->node, sizeof(job->node), "%s", str_text(&clean));
    str_done(&clean);
    return text[len] != '\0'; /* otherwise it is not complete yet */
}

static void tell_news(struct cluster_job *job)
{
    static const enum job_state states[] = {[JOB_IS_NEW] = JOB_QUEUED,
                                            [JOB_SUBMITS] = JOB_QUEUED,
                                            [JOB_WAITS] = JOB_QUEUED,
                                            [JOB_RUNS] = JOB_RUNNING,
                                            [JOB_IS_OVER] = JOB_ENDED};
    const struct job_news news = {.state = states[job->stage],
                                  .reason = job->reason,
                                  .node = job->node,
                                  .code = job->code,
                                  .why = str_text(&job->why)};
    job->has_news = false;
    if (job->tell && !job->is_unknown && job->who_left == 0)
        job->tell(job->tell_ctx, &news);
}

/* Looks after a job that waits. Returns when to look again. */
static int64_t look_after(struct cluster_job *job, int64_t now)
{
    const struct cluster *cluster = job->cluster;
    const int64_t queue_ms = cluster->call.executor->queue_ms;
    if (job->who_left > 0 && !job->errand)
        return job->who_due_ms > now ? job->who_due_ms : INT64_MAX;
    if (job->stage != JOB_WAITS || job->exit != EXIT_NOT)
        return INT64_MAX;
    if (cluster->dir && !job->is_unknown && look_for_start(job)) {
        job->stage = JOB_RUNS;
        job->meaning = MEANS_RUNNING;
        job->reason[0] = '\0';
        job->has_news = true;
        return INT64_MAX;
    }
    if (queue_ms > 0 && now - job->since_ms >= queue_ms) {
        end_job(job, START_QUEUED_TOO_LONG, "its job waited in the queue for too long");
        job->exit = EXIT_CANCEL;
        return INT64_MAX;
    }
    const int64_t queue_due_ms = queue_ms > 0 ? job->since_ms + queue_ms : INT64_MAX;
    const bool is_new = now - job->since_ms < CLUSTER_NEW_MS;
    const int64_t look_ms =
        cluster->dir ? now + (is_new ? CLUSTER_LOOK_MS : CLUSTER_LOOK_LATE_MS) : INT64_MAX;
    return look_ms < queue_due_ms ? look_ms : queue_due_ms;
}

static void tick(uv_timer_t *timer)
{
    struct cluster *cluster = timer->data;
    const int64_t now = now_ms();
    int64_t next_ms = INT64_MAX;
    for (struct cluster_job *job = cluster->jobs; job && !cluster->is_left; job = job->next) {
        const int64_t due_ms = look_after(job, now);
        next_ms = due_ms < next_ms ? due_ms : next_ms;
    }
    /* A callback may add jobs, at the beginning of the list, or end this one's watch. */
    for (struct cluster_job *job = cluster->jobs; job; job = job->next) {
        if (job->has_news)
            tell_news(job);
    }
    run_errands(cluster);
    forget_jobs(cluster);
    if (!cluster->list && !cluster->is_left && cluster->list_due_ms <= now)
        start_list(cluster);
    if (!cluster->list && cluster->list_due_ms < next_ms) /* was_listed() sets the next one */
        next_ms = cluster->list_due_ms;
    for (const struct cluster_job *job = cluster->jobs; job; job = job->next)
        next_ms = job->has_news ? now : next_ms;
    if (next_ms < INT64_MAX)
        tick_at(cluster, next_ms);
}

/* Rings at the time, unless it rings earlier. */
static void tick_at(struct cluster *cluster, int64_t due_ms)
{
    uv_timer_t *timer = &cluster->timer;
    const int64_t now = now_ms();
    const uint64_t wait_ms = due_ms > now ? (uint64_t)(due_ms - now) : 0;
    uv_update_time(cluster->loop);
    if (uv_is_closing((uv_handle_t *)timer) ||
        (uv_is_active((uv_handle_t *)timer) && uv_timer_get_due_in(timer) <= wait_ms))
        return;
    (void)uv_timer_start(timer, tick, wait_ms, 0);
}

/* Requests of the engine. */

/* Makes the folder for the files of starts. Only jobs of this user write there. */
static char *make_dir(const struct cluster_call *call)
{
    struct str path = {0};
    if (!call->dir)
        return NULL;
    str_addf(&path, "%s/jobs", call->dir);
    bool ok = mkdir(str_text(&path), 0700) == 0 || errno == EEXIST;
    str_addf(&path, "/%.*s", RUN_CHARS, call->uid);
    ok = ok && (mkdir(str_text(&path), 0700) == 0 || errno == EEXIST);
    if (!ok)
        str_done(&path);
    return path.data;
}

static void remove_dir(char *dir)
{
    if (!dir)
        return;
    (void)rmdir(dir);
    *strrchr(dir, '/') = '\0';
    (void)rmdir(dir); /* if no other run uses it */
    free(dir);
}

struct cluster *cluster_open(struct nursery *nursery, struct uv_loop_s *loop,
                             const struct cluster_call *call)
{
    struct cluster *cluster = xcalloc(1, sizeof(*cluster));
    cluster->nursery = nursery;
    cluster->loop = loop;
    cluster->call = *call;
    cluster->answers = true;
    cluster->list_due_ms = INT64_MAX;
    cluster->dir = make_dir(call);
    str_addf(&cluster->run, "devs-%.*s", RUN_CHARS, call->uid);
    (void)snprintf(cluster->list_mark, sizeof(cluster->list_mark), "DEVS_STEP=jobs-%s",
                   call->executor->name);
    (void)uv_timer_init(loop, &cluster->timer);
    cluster->timer.data = cluster;
    return cluster;
}

void cluster_leave(struct cluster *cluster, bool at_once)
{
    cluster->is_left = true;
    cluster->is_cut = at_once;
    cluster->list_due_ms = INT64_MAX;
    if (cluster->list)
        child_cancel(cluster->list, CANCEL_KILL);
    for (struct cluster_job *job = cluster->jobs; job; job = job->next) {
        if (job->task >= 0)
            cluster_release(cluster, job->task);
        if (at_once && job->errand)
            child_cancel(job->errand, CANCEL_KILL);
    }
    tick_at(cluster, now_ms());
}

static void timer_closed(uv_handle_t *handle)
{
    struct cluster *cluster = handle->data;
    free(cluster);
}

void cluster_close(struct cluster *cluster)
{
    while (cluster->jobs) {
        struct cluster_job *job = cluster->jobs;
        assert(!job->errand);
        cluster->jobs = job->next;
        job_free(job);
    }
    str_done(&cluster->run);
    remove_dir(cluster->dir);
    uv_close((uv_handle_t *)&cluster->timer, timer_closed);
}

/* Drops the job, and asks for another one for the same task. That one removes the folders of
 * attempts, which the nodes may share. */
static struct cluster_job *replace_job(struct cluster_job *old)
{
    struct cluster_job *job = new_job(old->cluster, old->task);
    job->resources = old->resources;
    job->folders = old->folders;
    job->folder_count = old->folder_count;
    job->folder_cap = old->folder_cap;
    old->folders = NULL;
    old->folder_count = old->folder_cap = 0;
    cluster_job_drop(old);
    return job;
}

struct cluster_job *cluster_job_of(struct cluster *cluster, int task,
                                   const struct executor_resources *resources)
{
    struct cluster_job *job = cluster_job_find(cluster, task);
    if (job && job->stage == JOB_IS_OVER) {
        job = replace_job(job);
    } else if (!job) {
        job = new_job(cluster, task);
        job->resources = resources;
        tick_at(cluster, now_ms());
    }
    return job;
}

void cluster_adopt(struct cluster *cluster, int task, const char *name, const char *holder,
                   const struct executor_resources *resources)
{
    struct cluster_job *job = new_job(cluster, task);
    job->resources = resources;
    (void)snprintf(job->name, sizeof(job->name), "%s", name);
    (void)snprintf(job->holder, sizeof(job->holder), "%s", holder);
    job->stage = JOB_WAITS;
    job->is_unknown = true;
    cluster->list_due_ms = now_ms();
    tick_at(cluster, now_ms());
}

void cluster_job_watch(struct cluster_job *job, job_news_fn *tell, void *ctx)
{
    job->tell = tell;
    job->tell_ctx = ctx;
    if (tell && job->stage != JOB_IS_NEW && job->stage != JOB_SUBMITS)
        add_news(job);
    else
        tick_at(job->cluster, now_ms());
}

bool cluster_job_runs(const struct cluster_job *job)
{
    return job->stage == JOB_RUNS;
}

enum outcome_cause cluster_job_cause(const struct cluster_job *job)
{
    return job->stage == JOB_IS_OVER ? meaning_cause(job->meaning) : CAUSE_NONE;
}

const char *cluster_job_canceller(const struct cluster_job *job)
{
    return job->canceller;
}

void cluster_job_ask(struct cluster_job *job)
{
    if (job->stage == JOB_IS_OVER) {
        add_news(job);
        return;
    }
    job->is_asked = true;
    job->cluster->list_due_ms = now_ms();
    tick_at(job->cluster, now_ms());
}

struct cluster_job *cluster_job_renew(struct cluster_job *job)
{
    job_news_fn *tell = job->tell;
    void *ctx = job->tell_ctx;
    struct cluster_job *other = replace_job(job);
    cluster_job_watch(other, tell, ctx);
    return other;
}

void cluster_job_drop(struct cluster_job *job)
{
    job->tell = NULL;
    job->task = -1;
    job->who_left = 0;
    if (job->exit == EXIT_NOT || job->exit == EXIT_RELEASE)
        job->exit = job->stage == JOB_IS_OVER && job->name[0] != '\0' ? EXIT_DONE : EXIT_CANCEL;
    if (job->stage == JOB_IS_NEW)
        job->stage = JOB_IS_OVER;
    tick_at(job->cluster, now_ms());
}

const char *cluster_job_name(const struct cluster_job *job)
{
    return job->name;
}

const char *cluster_job_holder(const struct cluster_job *job)
{
    return job->holder;
}

void cluster_clean(struct cluster *cluster, int task, const char *name)
{
    struct cluster_job *job = cluster_job_find(cluster, task);
    if (!job || job->folder_count >= REMOTE_CLEAN_MAX)
        return;
    job->folders =
        xgrow(job->folders, &job->folder_cap, job->folder_count + 1, sizeof(*job->folders));
    job->folders[job->folder_count] = (struct str){0};
    str_add(&job->folders[job->folder_count++], name);
}

void cluster_release(struct cluster *cluster, int task)
{
    struct cluster_job *job = cluster_job_find(cluster, task);
    if (!job)
        return;
    if (job->stage != JOB_RUNS) {
        cluster_job_drop(job);
        return;
    }
    job->tell = NULL;
    job->task = -1;
    if (job->exit == EXIT_NOT)
        job->exit = EXIT_RELEASE;
    tick_at(cluster, now_ms());
}
