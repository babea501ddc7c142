/* app_replay.c - moves in time: in a recording or in the past of a live run. Also loads bookmarks,
 * and the records around the moment on screen. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_internal.h"
#include "quiet_thread.h"
#include "redact.h"
#include "text.h"
#include "view.h"
#include "xalloc.h"

bool app_is_past(const struct app *app)
{
    return app->follower != app->present;
}

/* Enters the past, at the last event. Shows a message and returns false if the past cannot be
 * read. */
static bool enter_past(struct app *app)
{
    struct err err = {0};
    if (!app->past && !follower_fork(&app->past, app->present, &err)) {
        view_say(&app->view, &app->now, "cannot read the past: %s", err.message);
        return false;
    }
    app->follower = app->past;
    (void)replay_move(&app->replay, REPLAY_END, -1);
    return true;
}

/* A bookmark being added or removed in a separate thread. */
struct bookmark_job {
    const struct place *place; /* borrowed */
    struct bookmark bookmark;
    bool removes; /* true: remove the bookmark with bookmark.id; false: add `bookmark` */
    pthread_t thread;
    atomic_bool is_over; /* once set, the fields below belong to the main thread */
    bool ok;
    struct err err;
};

static void *write_bookmark(void *arg)
{
    struct bookmark_job *job = arg;
    job->ok = job->removes ? bookmark_remove(job->place, job->bookmark.id, &job->err)
                           : bookmark_add(job->place, &job->bookmark, &job->err);
    atomic_store(&job->is_over, true);
    return NULL;
}

static void start_bookmark_job(struct app *app, const struct bookmark *bookmark, bool removes)
{
    if (app->bookmarks.job) {
        view_say(&app->view, &app->now, "the previous bookmark is still being written");
        return;
    }
    struct bookmark_job *job = xcalloc(1, sizeof(*job));
    job->place = app->options->place;
    job->bookmark = *bookmark;
    job->removes = removes;
    const int code = quiet_thread_start(&job->thread, write_bookmark, job);
    if (code != 0) {
        view_say(&app->view, &app->now, "bookmark failed: %s", strerror(code));
        free(job);
        return;
    }
    app->bookmarks.job = job;
}

/* Returns true and says why if the log is a copy, in which a bookmark would be lost. */
static bool refuse_bookmark(struct app *app)
{
    if (app->options->far)
        view_say(&app->view, &app->now,
                 "the log is on another machine; set bookmarks in its cockpit: ssh -t HOST devs");
    return app->options->far != NULL;
}

void app_bookmarks_add(struct app *app)
{
    if (refuse_bookmark(app))
        return;
    if (app_opening_refuses(app)) /* while opening, the user has not chosen the moment on screen */
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
    start_bookmark_job(app, &bookmark, false);
    str_done(&name);
}

void app_bookmarks_remove(struct app *app, int64_t id)
{
    const struct bookmark bookmark = {.id = id};
    if (!refuse_bookmark(app))
        start_bookmark_job(app, &bookmark, true);
}

void app_bookmarks_look(struct app *app)
{
    struct bookmark_job *job = app->bookmarks.job;
    if (!job || !atomic_load(&job->is_over))
        return;
    (void)pthread_join(job->thread, NULL);
    if (!job->ok)
        view_say(&app->view, &app->now, "bookmark failed: %s", job->err.message);
    else if (job->removes)
        view_say(&app->view, &app->now, "bookmark removed");
    else
        view_say(&app->view, &app->now, "bookmarked%s%s; devs gc keeps runs with bookmarks",
                 job->bookmark.name[0] != '\0' ? " as " : "", job->bookmark.name);
    free(job);
    app->bookmarks.job = NULL;
    app->bookmarks.is_old = true;
    app->wants_frame_now = true;
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
        view_say(&app->view, &app->now, "cannot read the bookmarks: %s", err.message);
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

/* Reads up to `max` records after record `after`, applying each one to the state, and then restores
 * the state at the position of app->replay. */
static void walk_records(struct app *app, int64_t after, size_t max, follower_event_fn *each,
                         void *ctx, struct err *err)
{
    struct err back = {0};
    if (follower_seek(app->follower, after, err))
        (void)!follower_read(app->follower, max, each, ctx, NULL, err);
    if (follower_seek(app->follower, app->replay.at, &back))
        return;
    view_say(&app->view, &app->now, "%s", back.message);
    view_take_tasks(&app->view, follower_state(app->follower)->plan->task_count);
}

static bool add_line(void *ctx, const struct run_state *state, const struct event *event)
{
    return event_lines_add(ctx, state, event);
}

void app_load_events(struct app *app)
{
    const int64_t run = follower_run(app->follower)->number;
    const int64_t at = app->replay.at;
    struct event_lines *lines = &app->event_lines;
    if (event_lines_cover(lines, run, at, (int64_t)app->replay.count))
        return;
    event_lines_begin(lines, run);
    walk_records(app, event_lines_after(at), EVENT_LINES_MAX, add_line, lines, &lines->trouble);
}

static bool add_what_came(void *ctx, const struct run_state *state, const struct event *event)
{
    return what_came_add(ctx, state, event);
}

void app_load_what_came(struct app *app)
{
    enum { RECORDS_MAX = 4096 }; /* maximum number of records to search */
    const int64_t run = follower_run(app->follower)->number;
    const int64_t at = app->replay.at;
    struct what_came *came = &app->what_came;
    struct err err = {0};
    const int64_t count = (int64_t)app->replay.count;
    const bool is_it = came->run == run && came->after == at && came->task == app->view.chosen;
    /* A run that continues may have more events since the last call. */
    const bool may_have_more =
        came->left > 0 && count > app->came_of && app->came_of - at < RECORDS_MAX;
    if ((is_it && !may_have_more) || app->view.chosen < 0)
        return;
    what_came_begin(came, run, at, app->view.chosen);
    app->came_of = count;
    walk_records(app, at, RECORDS_MAX, add_what_came, came, &err);
    if (err.code != ERR_NONE)
        str_add(&came->words, err.message);
    else if (came->words.len == 0)
        str_add(&came->words, "nothing more was recorded for this task");
}

void app_events_close(struct app *app)
{
    event_lines_done(&app->event_lines);
    str_done(&app->what_came.words);
}

/* Restores the state at the position of app->replay. */
static void show_moment(struct app *app)
{
    struct err err = {0};
    if (!follower_seek(app->follower, app->replay.at, &err))
        view_say(&app->view, &app->now, "%s", err.message);
    view_take_tasks(&app->view, follower_state(app->follower)->plan->task_count);
    app->news++;
    app->wants_frame_now = true;
}

void app_replay_extend(struct app *app)
{
    struct log_reader *reader = follower_reader(app->follower);
    const int64_t run = follower_run(app->follower)->number;
    struct err err = {0};
    size_t before = app->replay.count;
    bool ok = true;
    if (app->fault.code == ERR_DAMAGED)
        return; /* positions after the damage do not exist */
    do {
        ok = log_reader_events(reader, run, (int64_t)app->replay.count, &app->events, &err);
        for (size_t i = 0; ok && i < app->events.count; i++)
            replay_add(&app->replay, &app->events.events[i]);
    } while (ok && app->events.count >= LOG_PAGE_EVENTS);
    if (!ok)
        view_say(&app->view, &app->now, "%s", err.message);
    else
        app->fault = (struct err){0};
    app->wants_frame = app->wants_frame || app->replay.count != before;
}

void app_replay_move(struct app *app, enum replay_move move)
{
    if (app_opening_refuses(app))
        return;
    /* The past of a live run ends in the present, so moving to its end returns there. */
    if (app_is_past(app) && move == REPLAY_END) {
        app->replay.playing = false;
        app->view.shows_later = false;
        app->follower = app->present;
        view_take_tasks(&app->view, follower_state(app->present)->plan->task_count);
        view_say(&app->view, &app->now, "back in the present");
        app->news++;
        app->wants_frame_now = true;
        return;
    }
    if (app->mode == APP_LIVE && !app_is_past(app) && !enter_past(app))
        return;
    const char *why = replay_refusal(&app->replay, move, app->view.chosen, app_is_past(app));
    const bool moved = replay_move(&app->replay, move, app->view.chosen);
    if (!moved)
        view_tell(&app->view, &app->now, "%s", why);
    app->played = app->now;
    show_moment(app);
    if (!moved || (move != REPLAY_FAILURE_BACK && move != REPLAY_FAILURE_ON))
        return;
    /* Selects the task that failed. */
    const int task = app->replay.marks[app->replay.at - 1].task;
    if (task < 0 || task >= follower_state(app->follower)->plan->task_count)
        return; /* that position could not be read */
    const int row = view_row_of(&app->view, task);
    if (row >= 0)
        view_choose_row(&app->view, row);
    else
        app->view.chosen = task; /* the filter hides the task, so select it directly */
}

/* Moves to this point; from a live run, enters its past first. */
static void go_to_point(struct app *app, const struct replay_point *point)
{
    if (app_opening_refuses(app))
        return;
    if (app->mode == APP_LIVE && !app_is_past(app) && !enter_past(app))
        return;
    app->replay.playing = false;
    app->replay.at = point->seq;
    app->replay.on_ms = point->on_ms;
    show_moment(app);
}

bool app_replay_find(struct app *app, const char *words, struct err *err)
{
    const struct replay *replay = &app->replay;
    /* the time from which "-5m" counts back */
    int64_t end_ms = replay->count > 0 ? replay->marks[replay->count - 1].at.at_ms : 0;
    if (app_present_mode(app) == VIEW_LIVE)
        end_ms = app->now.at_ms;
    app_bookmarks_load(app); /* not loaded while following a live run */
    const struct replay_words place = {.text = words,
                                       .plan = follower_state(app->present)->plan,
                                       .end_ms = end_ms,
                                       .bookmarks = app->bookmarks.items,
                                       .bookmark_count = app->bookmarks.count};
    struct replay_point point = {0};
    if (!replay_find(&app->replay, &place, &point, err))
        return false;
    go_to_point(app, &point);
    return true;
}

void app_replay_go_to(struct app *app, const char *words)
{
    struct err err = {0};
    if (app_opening_refuses(app)) /* the position may be in a part that has not been read yet */
        return;
    if (!app_replay_find(app, words, &err))
        view_say(&app->view, &app->now, "%s", err.message);
}

void app_replay_to_event(struct app *app, int64_t seq)
{
    const struct replay_point point = {.seq = seq};
    if (seq >= 1 && seq <= (int64_t)app->replay.count)
        go_to_point(app, &point);
}

void app_replay_play(struct app *app)
{
    int64_t before = app->replay.at;
    if (app->view.bookmark.open) { /* time stops while the user names the moment */
        app->played = app->now;
        return;
    }
    bool played = replay_play(&app->replay, app->now.mono_ms - app->played.mono_ms);
    app->played = app->now;
    if (!played)
        return;
    if (app->replay.at != before)
        show_moment(app);
    app->wants_frame_now = true;
}
