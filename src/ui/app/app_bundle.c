#include "app_bundle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app_parts.h"
#include "bundle.h"
#include "bundle_words.h"
#include "quiet_thread.h"
#include "xalloc.h"

enum { FILE_MAX = 64, FILES_MAX = 99, PARTS = 100 };

/* One run on its way into a file. */
struct bundle_job {
    const struct app_options *options; /* borrowed; place, secrets */
    int64_t run;
    char file[FILE_MAX]; /* in the folder that devs was started in */
    pthread_t thread;
    atomic_bool stops;
    atomic_int copied;   /* parts of a hundred */
    atomic_bool is_over; /* from then on what follows is the main thread's */
    bool is_joined;
    bool is_shown;
    struct bundle *bundle; /* owned; NULL = it could not be made */
    struct err err;
    char told[VIEW_MESSAGE_MAX]; /* what was said of it last */
};

static bool tell(void *ctx, int64_t done, int64_t all, struct err *err)
{
    struct bundle_job *job = ctx;
    atomic_store(&job->copied, all > 0 ? (int)(done * PARTS / all) : 0);
    return !atomic_load(&job->stops) || err_set(err, ERR_BUSY, "devs is leaving");
}

/* The secrets that are known now: those of the run's own plan, too. */
static bool open_redactor(const struct bundle_job *job, struct redactor **out, struct err *err)
{
    const struct app_options *options = job->options;
    struct follower *follower = NULL;
    const bool ok =
        follower_open(&follower, options->place, job->run, err) &&
        options->open_redactor(out, follower_state(follower)->plan, options->secrets, err);
    follower_close(follower);
    return ok;
}

static void *work(void *arg)
{
    struct bundle_job *job = arg;
    struct redactor *redactor = NULL;
    struct bundle_asked asked = {
        .place = job->options->place, .run = job->run, .file = job->file, .tell = tell, .ctx = job};
    if (open_redactor(job, &redactor, &job->err)) {
        asked.redactor = redactor;
        if (!bundle_open(&job->bundle, &asked, &job->err))
            job->bundle = NULL;
    }
    redactor_close(redactor);
    atomic_store(&job->is_over, true);
    return NULL;
}

static void join(struct bundle_job *job)
{
    if (!job->is_joined)
        (void)pthread_join(job->thread, NULL);
    job->is_joined = true;
}

void app_bundle_close(struct app *app)
{
    struct bundle_job *job = app->bundle;
    if (!job)
        return;
    atomic_store(&job->stops, true);
    join(job);
    bundle_close(job->bundle);
    free(job);
    app->bundle = NULL;
}

/* How far it is, as long as nothing else was said. */
static void tell_progress(struct app *app)
{
    struct bundle_job *job = app->bundle;
    char words[VIEW_MESSAGE_MAX];
    (void)snprintf(words, sizeof(words),
                   "run #%lld is being copied, %d %%: then you see what is in it",
                   (long long)job->run, atomic_load(&job->copied));
    if (strcmp(app->view.message, job->told) != 0 || strcmp(words, job->told) == 0)
        return;
    view_say(&app->view, &app->now, "%s", words);
    memcpy(job->told, app->view.message, sizeof(job->told));
    app->wants_frame = true;
}

/* "run-41.devs", or "run-41-2.devs" where that is there: no file is written over. */
static void name_file(struct bundle_job *job)
{
    const long long run = (long long)job->run;
    (void)snprintf(job->file, sizeof(job->file), "run-%lld.devs", run);
    for (int i = 2; i <= FILES_MAX && access(job->file, F_OK) == 0; i++)
        (void)snprintf(job->file, sizeof(job->file), "run-%lld-%d.devs", run, i);
}

void app_bundle_begin(struct app *app, int64_t run)
{
    if (app->bundle) {
        view_say(&app->view, &app->now, "run #%lld is still being copied",
                 (long long)app->bundle->run);
        return;
    }
    if (!app->options->open_redactor) {
        view_say(&app->view, &app->now, "no file is written here: devs export does it");
        return;
    }
    struct bundle_job *job = xcalloc(1, sizeof(*job));
    job->options = app->options;
    job->run = run;
    name_file(job);
    const int code = quiet_thread_start(&job->thread, work, job);
    if (code != 0) {
        view_say(&app->view, &app->now, "nothing was written: %s", strerror(code));
        free(job);
        return;
    }
    app->bundle = job;
    tell_progress(app);
}

static void show(struct app *app)
{
    app->bundle->is_shown = true;
    app_report_open(app, REPORT_BUNDLE);
    app->wants_frame_now = true;
}

static void say_end(struct app *app, const char *why)
{
    view_say(&app->view, &app->now, "nothing was written%s%s", *why != '\0' ? ": " : "", why);
    app->wants_frame_now = true;
    app_bundle_close(app);
}

void app_bundle_look(struct app *app)
{
    struct bundle_job *job = app->bundle;
    if (!job)
        return;
    if (job->is_shown && app->view.report.kind != REPORT_BUNDLE) {
        say_end(app, "");
    } else if (!job->is_shown && !atomic_load(&job->is_over)) {
        tell_progress(app);
    } else if (!job->is_shown) {
        join(job);
        if (!job->bundle)
            say_end(app, job->err.message);
        else if (!view_is_covered(&app->view)) /* else when what is open has been closed */
            show(app);
    }
}

bool app_bundle_copies(const struct app *app)
{
    return app->bundle && !app->bundle->is_joined;
}

void app_bundle_words(const struct app *app, struct str *out)
{
    const struct bundle_job *job = app->bundle;
    bundle_words(bundle_contents(job->bundle), job->file, true, out);
}

void app_bundle_keep(struct app *app)
{
    struct bundle_job *job = app->bundle;
    struct err err = {0};
    if (!job || !job->is_shown)
        return;
    app->view.report.kind = REPORT_NONE;
    if (!bundle_keep(job->bundle, &err)) {
        say_end(app, err.message);
        return;
    }
    view_say(&app->view, &app->now, "written: %s; devs debug --logs %s opens it", job->file,
             job->file);
    app_bundle_close(app);
}
