/* app_opening.c - a run is read and folded in slices of the app's turns, so that its first frame
 * comes at once and keys work meanwhile. */
#include "app_without_terminal.h"

enum {
    OPENING_FIRST = 2048,  /* events before the first frame */
    OPENING_SLICE = 16384, /* and in each turn after it */
    BAR_CELLS = 20,
};

/* Where one is in a recording, is the end of what was read. */
static bool read_slice(struct app *app, size_t max, struct err *err)
{
    size_t count = 0;
    const bool ok = follower_read(app->follower, max, replay_take, &app->replay, &count, err);
    app->opens = ok && count == max;
    if (app->mode == APP_REPLAY)
        (void)replay_move(&app->replay, REPLAY_END, -1);
    if (ok)
        app->read = app->now;
    view_take_tasks(&app->view, follower_state(app->follower)->plan->task_count);
    return ok;
}

bool app_replay_open(struct app *app, struct err *err)
{
    struct err why = {0};
    follower_keep_past(app->follower);
    if (read_slice(app, OPENING_FIRST, &why))
        return true;
    if (why.code != ERR_DAMAGED || app->replay.count == 0)
        return err_set(err, why.code, "%s", why.message);
    app->fault = why; /* what is before the damage can be played */
    return true;
}

void app_live_open(struct app *app)
{
    /* What is wrong with the log is shown, and it is tried again. */
    (void)!read_slice(app, OPENING_FIRST, &app->fault);
    app_take_news(app);
}

void app_opening_go_on(struct app *app)
{
    if (!app->opens)
        return;
    (void)read_slice(app, OPENING_SLICE, &app->fault);
    app->news++;
    app->wants_frame = true;
    app->wants_frame_now = app->wants_frame_now || !app->opens;
    if (!app->opens && app->mode == APP_LIVE)
        app_take_news(app); /* what else is to be known of a run that may go on */
}

void app_opening_finish(struct app *app)
{
    while (app->opens)
        app_opening_go_on(app);
}

bool app_opening_stand(struct app *app, struct err *err)
{
    const struct app_options *options = app->options;
    enum screen screen = SCREEN_TASKS;
    if (!options->opens_at && !options->opens_view && !options->opens_task)
        return true;
    if (!app_screen_named(options->opens_view, &screen, err))
        return false;
    app_opening_finish(app);
    if (options->opens_at && !app_replay_find(app, options->opens_at, err))
        return false;
    const bool chooses = options->opens_at || options->opens_task;
    if (chooses && !app_choose_task(app, options->opens_task, err))
        return false;
    app_open_screen(app, screen);
    app->wants_frame_now = true;
    return true;
}

static int64_t percent(const struct app *app)
{
    const int64_t all = follower_run(app->follower)->last_seq;
    const int64_t read = (int64_t)app->replay.count;
    return read < all ? read * 100 / all : 100;
}

static const char *what_opens(const struct app *app)
{
    return app->mode == APP_REPLAY ? "recording" : "log";
}

bool app_opening_refuses(struct app *app)
{
    if (app->opens)
        view_say(&app->view, &app->now, "%lld %% of the %s is read: wait for the rest of it",
                 (long long)percent(app), what_opens(app));
    return app->opens;
}

void app_opening_tell(const struct app *app, struct str *out)
{
    const int64_t done = percent(app);
    str_addf(out, "reading the %s [", what_opens(app));
    for (int64_t i = 0; i < BAR_CELLS; i++)
        str_add_char(out, i < done * BAR_CELLS / 100 ? '#' : '.');
    str_addf(out, "] %lld %%: %zu of %lld records", (long long)done, app->replay.count,
             (long long)follower_run(app->follower)->last_seq);
}
