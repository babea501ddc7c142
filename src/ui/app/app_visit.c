/* app_visit.c - another run on the same screens, while the app's own goes on. What is shown is in
 * the app's own members at any time; what is not, in app->own. */
#include "app_parts.h"

struct follower *app_own_run(const struct app *app)
{
    return app->own.present ? app->own.present : app->present;
}

/* What belongs to the run that is shown. */
static void put_away(struct app *app)
{
    app_opening_finish(app);
    app->own = (struct app_own){.present = app->present,
                                .past = app->past,
                                .shown = app->follower,
                                .mode = app->mode,
                                .view = app->view,
                                .replay = app->replay,
                                .acts = app->acts,
                                .fault = app->fault,
                                .orphaned = app->orphaned};
    app->fault = (struct err){0};
}

static void take_back(struct app *app)
{
    const struct app_own own = app->own;
    app->own = (struct app_own){0};
    app->present = own.present;
    app->past = own.past;
    app->follower = own.shown;
    app->mode = own.mode;
    app->view = own.view;
    app->replay = own.replay;
    app->acts = own.acts;
    app->fault = own.fault;
    app->orphaned = own.orphaned;
}

static void close_shown(struct app *app)
{
    follower_close(app->past); /* before the one that it was forked from */
    follower_close(app->present);
    replay_done(&app->replay);
    view_done(&app->view);
    app_acts_done(&app->acts);
    app->present = app->past = app->follower = NULL;
    app->opens = false; /* what was not read of it yet nobody reads on */
}

void app_visit_close(struct app *app)
{
    if (!app->own.present)
        return;
    close_shown(app);
    take_back(app);
}

/* What is the person's, not the run's. */
static void take_along(struct view *view, const struct view *before)
{
    view->keys = before->keys;
    view->runs = before->runs;
    view->command = before->command;
    view->times = before->times;
    view->leaves_mouse = before->leaves_mouse;
}

/* Everything that was read of the run before. */
static void forget_what_was_read(struct app *app)
{
    log_tail_clear(&app->tail);
    app->forensics_seq = -1;
    app->news++;
    app->wants_frame_now = true;
}

/* Open it beside the app's own; on failure nothing has changed. */
static bool open_run(struct app *app, int64_t run, struct err *err)
{
    struct follower *present = NULL;
    if (!follower_open(&present, app->options->place, run, err))
        return false;
    follower_watch(present);
    put_away(app);
    app->present = app->follower = present;
    app->past = NULL;
    app->mode = app_mode_of(present);
    app->orphaned = false;
    replay_init(&app->replay);
    view_init(&app->view, follower_state(present)->plan->task_count);
    take_along(&app->view, &app->own.view);
    app->view.trail = (struct screen_trail){.at = {SCREEN_RUNS, SCREEN_TASKS}, .depth = 1};
    app->acts = (struct app_acts){.desk = app->mode == APP_LIVE ? app->options->desk : NULL,
                                  .state = follower_state(present),
                                  .run = run};
    if (app->mode == APP_REPLAY && !app_replay_open(app, err)) {
        close_shown(app);
        take_back(app);
        return false;
    }
    return true;
}

static void say_the_way_back(struct app *app, int64_t run)
{
    const struct run_state *own = follower_state(app->own.present);
    struct str text = {0};
    str_addf(&text, "run #%lld", (long long)run);
    if (app->own.mode == APP_LIVE && !own->ended) {
        str_addf(&text, "; run #%lld goes on meanwhile",
                 (long long)follower_run(app->own.present)->number);
        keymap_say(app->view.keys, ": {quit}, {quit} lead back", &text);
    } else {
        keymap_say(app->view.keys, ": {quit} leads back to the runs", &text);
    }
    view_say(&app->view, &app->now, "%s", str_text(&text));
    str_done(&text);
}

static void go_to_screen(struct app *app, enum screen screen)
{
    trail_go(&app->view.trail, SCREEN_TASKS);
    if (screen == SCREEN_TIMELINE)
        view_timeline_open(&app->view);
}

/* To the app's own run. */
static void come_back(struct app *app)
{
    take_along(&app->own.view, &app->view);
    app_visit_close(app);
    forget_what_was_read(app);
    app_take_news(app);
}

void app_visit_open(struct app *app, int64_t run, enum screen screen)
{
    struct err err = {0};
    if (app->own.present && run != follower_run(app->present)->number)
        come_back(app);
    if (run == follower_run(app->present)->number) {
        go_to_screen(app, screen);
        return;
    }
    if (!open_run(app, run, &err)) {
        view_say(&app->view, &app->now, "run #%lld cannot be opened: %s", (long long)run,
                 err.message);
        return;
    }
    forget_what_was_read(app);
    go_to_screen(app, screen);
    if (app->mode == APP_LIVE)
        app_live_open(app);
    say_the_way_back(app, run);
}

void app_visit_look(struct app *app)
{
    if (!app->own.present || view_screen(&app->view) != SCREEN_RUNS)
        return;
    come_back(app);
    trail_go(&app->view.trail, SCREEN_RUNS);
}

void app_visit_take_news(struct app *app)
{
    size_t count = 0;
    if (!app->own.present || app->own.mode != APP_LIVE)
        return;
    (void)follower_heard(app->own.present);
    /* What cannot be read now is told when its own screen is back. */
    (void)!follower_read(app->own.present, APP_EVENTS_TURN, replay_take, &app->own.replay, &count,
                         NULL);
    app->more_news = app->more_news || count == APP_EVENTS_TURN;
    app->wants_frame = app->wants_frame || count > 0;
}
