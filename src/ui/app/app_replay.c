/* app_replay.c - the app over a recording: marks, and the fold at the cursor. */
#include "app_parts.h"
#include "replay_time.h"

static bool load_marks(struct app *app, struct err *err)
{
    struct log_reader *reader = follower_reader(app->follower);
    int64_t run = follower_run(app->follower)->number;
    do {
        if (!log_reader_events(reader, run, (int64_t)app->replay.count, &app->events, err))
            return false;
        for (size_t i = 0; i < app->events.count; i++)
            replay_add(&app->replay, &app->events.events[i]);
    } while (app->events.count >= LOG_PAGE_EVENTS);
    return true;
}

/* Fold to where app->replay is. */
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
    struct err err = {0};
    size_t before = app->replay.count;
    if (app->fault.code == ERR_DAMAGED)
        return; /* nobody can be where what is behind the damage is folded in */
    if (!load_marks(app, &err))
        view_say(&app->view, &app->now, "%s", err.message);
    else
        app->fault = (struct err){0};
    app->wants_frame = app->wants_frame || app->replay.count != before;
}

/* What "-5m" counts back from. */
static int64_t time_of_the_end(const struct app *app)
{
    if (app_present_mode(app) == VIEW_LIVE)
        return app->now.at_ms;
    return app->replay.count > 0 ? app->replay.marks[app->replay.count - 1].at.at_ms : 0;
}

/* In the past, at its last event, there is nothing to play but what comes. */
static bool leads_to_the_present(const struct app *app, enum replay_move move)
{
    return app_is_past(app) && move == REPLAY_END;
}

static void choose_who_failed(struct app *app)
{
    const int task = app->replay.marks[app->replay.at - 1].task;
    if (task < 0 || task >= follower_state(app->follower)->plan->task_count)
        return; /* that place could not be read */
    const int row = view_row_of(&app->view, task);
    if (row >= 0)
        view_choose_row(&app->view, row);
    else
        app->view.chosen = task; /* the filter keeps it from the list */
}

void app_replay_move(struct app *app, enum replay_move move)
{
    if (app_opening_refuses(app))
        return;
    if (leads_to_the_present(app, move)) {
        app_past_leave(app);
        return;
    }
    if (app->mode == APP_LIVE && !app_is_past(app) && !app_past_enter(app))
        return;
    const char *why = replay_refusal(&app->replay, move, app->view.chosen, app_is_past(app));
    const bool moved = replay_move(&app->replay, move, app->view.chosen);
    if (!moved)
        view_tell(&app->view, &app->now, "%s", why);
    app->played = app->now;
    show_moment(app);
    if (moved && (move == REPLAY_FAILURE_BACK || move == REPLAY_FAILURE_ON))
        choose_who_failed(app);
}

/* From a live run into its past. */
static void go_to_point(struct app *app, const struct replay_point *point)
{
    if (app_opening_refuses(app))
        return;
    if (app->mode == APP_LIVE && !app_is_past(app) && !app_past_enter(app))
        return;
    app->replay.playing = false;
    app->replay.at = point->seq;
    app->replay.on_ms = point->on_ms;
    show_moment(app);
}

bool app_replay_find(struct app *app, const char *words, struct err *err)
{
    app_bookmarks_load(app); /* a run that is followed shows none */
    const struct replay_words place = {.text = words,
                                       .plan = follower_state(app->present)->plan,
                                       .end_ms = time_of_the_end(app),
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
    if (app_opening_refuses(app)) /* the place may be in what is not read yet */
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
    if (app->view.bookmark.open) { /* the moment stands still while it gets its name */
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
