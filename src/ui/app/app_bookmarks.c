#include "app_bookmarks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_parts.h"
#include "quiet_thread.h"
#include "redact.h"
#include "text.h"
#include "xalloc.h"

/* One write, on a thread of its own. */
struct bookmark_job {
    const struct place *place; /* borrowed */
    struct bookmark bookmark;
    bool removes; /* the one of this id */
    pthread_t thread;
    atomic_bool is_over; /* from then on what follows is the main thread's */
    bool ok;
    struct err err;
};

static void *work(void *arg)
{
    struct bookmark_job *job = arg;
    job->ok = job->removes ? bookmark_remove(job->place, job->bookmark.id, &job->err)
                           : bookmark_add(job->place, &job->bookmark, &job->err);
    atomic_store(&job->is_over, true);
    return NULL;
}

static void start(struct app *app, const struct bookmark *bookmark, bool removes)
{
    if (app->bookmarks.job) {
        view_say(&app->view, &app->now, "the last bookmark is still being written");
        return;
    }
    struct bookmark_job *job = xcalloc(1, sizeof(*job));
    job->place = app->options->place;
    job->bookmark = *bookmark;
    job->removes = removes;
    const int code = quiet_thread_start(&job->thread, work, job);
    if (code != 0) {
        view_say(&app->view, &app->now, "no bookmark: %s", strerror(code));
        free(job);
        return;
    }
    app->bookmarks.job = job;
}

void app_bookmarks_add(struct app *app)
{
    if (app_opening_refuses(app)) /* the moment shown is none that anybody went to */
        return;
    const struct view_facts facts = app_facts(app);
    const struct line_edit *typed = &app->view.bookmark;
    struct bookmark bookmark = {.run = follower_run(app->follower)->number,
                                .seq = app->replay.at,
                                .at_ms = facts.now.at_ms,
                                .made_at_ms = app->now.at_ms};
    struct str name = {0};
    redact_text(app->options->redactor, typed->text, typed->len, &name, NULL);
    const size_t len = text_cut(str_text(&name), name.len, BOOKMARK_NAME_MAX);
    memcpy(bookmark.name, str_text(&name), len);
    (void)snprintf(bookmark.by, sizeof(bookmark.by), "%s",
                   app->options->by ? app->options->by : "");
    start(app, &bookmark, false);
    str_done(&name);
}

void app_bookmarks_remove(struct app *app, int64_t id)
{
    const struct bookmark bookmark = {.id = id};
    start(app, &bookmark, true);
}

static void tell(struct app *app, const struct bookmark_job *job)
{
    if (!job->ok)
        view_say(&app->view, &app->now, "no bookmark: %s", job->err.message);
    else if (job->removes)
        view_say(&app->view, &app->now, "the bookmark is gone");
    else
        view_say(&app->view, &app->now, "bookmarked%s%s; devs gc keeps a run that has a bookmark",
                 job->bookmark.name[0] != '\0' ? " as " : "", job->bookmark.name);
}

void app_bookmarks_look(struct app *app)
{
    struct bookmark_job *job = app->bookmarks.job;
    if (!job || !atomic_load(&job->is_over))
        return;
    (void)pthread_join(job->thread, NULL);
    tell(app, job);
    free(job);
    app->bookmarks.job = NULL;
    app_bookmarks_forget(app);
    app->wants_frame_now = true;
}

void app_bookmarks_forget(struct app *app)
{
    app->bookmarks.is_old = true;
}

void app_bookmarks_load(struct app *app)
{
    struct app_bookmarks *bookmarks = &app->bookmarks;
    const int64_t run = follower_run(app->follower)->number;
    struct err err = {0};
    if (bookmarks->run == run && !bookmarks->is_old)
        return;
    if (!bookmarks->items)
        bookmarks->items = xcalloc(BOOKMARKS_MAX, sizeof(*bookmarks->items));
    bookmarks->run = run;
    bookmarks->is_old = false;
    bookmarks->count = 0;
    if (!bookmark_list(follower_reader(app->follower), run, bookmarks->items, BOOKMARKS_MAX,
                       &bookmarks->count, &err))
        view_say(&app->view, &app->now, "the bookmarks cannot be read: %s", err.message);
}

void app_bookmarks_close(struct app *app)
{
    struct bookmark_job *job = app->bookmarks.job;
    if (job)
        (void)pthread_join(job->thread, NULL);
    free(job);
    free(app->bookmarks.items);
    app->bookmarks = (struct app_bookmarks){0};
}
