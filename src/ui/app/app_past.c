/* app_past.c - a moment of a run that goes on: the same screens from a fork of its follower, while
 * the run's own one is read as before. */
#include "app_parts.h"

bool app_is_past(const struct app *app)
{
    return app->follower != app->present;
}

bool app_past_enter(struct app *app)
{
    struct err err = {0};
    if (!app->past && !follower_fork(&app->past, app->present, &err)) {
        view_say(&app->view, &app->now, "the past cannot be read: %s", err.message);
        return false;
    }
    app->follower = app->past;
    (void)replay_move(&app->replay, REPLAY_END, -1);
    return true;
}

void app_past_leave(struct app *app)
{
    app->replay.playing = false;
    app->view.shows_later = false;
    app->follower = app->present;
    view_take_tasks(&app->view, follower_state(app->present)->plan->task_count);
    view_say(&app->view, &app->now, "this is the present again");
    app->news++;
    app->wants_frame_now = true;
}
