/* app_runs.c - the list of runs that the screen shows, kept up to date. */
#include <unistd.h>

#include "app_parts.h"

enum {
    RUNS_READ_MS = 1000,      /* the newest are read again no sooner */
    RUNS_PAGES_TURN = 4,      /* older pages read for one frame */
    RUNS_EVENTS_TURN = 20000, /* events of runs in sight read for one frame */
};

/* An empty run shows how many others there are. */
static bool wants_runs(const struct app *app)
{
    return view_screen(&app->view) == SCREEN_RUNS ||
           follower_state(app->follower)->plan->task_count == 0;
}

static void say(struct app *app, const struct err *err)
{
    view_say(&app->view, &app->now, "the runs cannot be read: %s", err->message);
}

void app_runs_load(struct app *app)
{
    struct err err = {0};
    const bool is_due =
        app->runs.count == 0 || app->now.mono_ms - app->runs_read.mono_ms >= RUNS_READ_MS;
    if (!wants_runs(app) || !is_due)
        return;
    app->runs_read = app->now;
    app->has_plan = access("plan.json", F_OK) == 0;
    if (!runs_list_refresh(&app->runs, follower_reader(app->follower), &err))
        say(app, &err);
}

/* Older ones are read as the screen comes to them. */
static void read_to(struct app *app, size_t wanted)
{
    struct err err = {0};
    const char *filter = app->view.runs.filter.text;
    runs_list_narrow(&app->runs, filter);
    for (int i = 0; i < RUNS_PAGES_TURN && app->runs.shown_count < wanted && !app->runs.whole;
         i++) {
        if (!runs_list_more(&app->runs, follower_reader(app->follower), &err)) {
            say(app, &err);
            return;
        }
        runs_list_narrow(&app->runs, filter);
    }
    if (app->runs.shown_count < wanted && !app->runs.whole)
        app->wants_frame = true; /* the rest with the next one */
}

static void sum_up(struct app *app, size_t first, size_t end)
{
    struct err err = {0};
    for (size_t i = first; i < end && i < app->runs.shown_count; i++) {
        if (!runs_list_sum(&app->runs, app->runs.shown[i], follower_reader(app->follower), &err)) {
            say(app, &err);
            return;
        }
    }
}

/* Some of those in sight now, the rest with the next frames. */
static void find_times(struct app *app, size_t first, size_t end)
{
    struct err err = {0};
    int64_t sum = 0;
    for (size_t i = first; i < end && i < app->runs.shown_count; i++) {
        int64_t read = 0;
        if (!runs_list_time(&app->runs, app->runs.shown[i], app->options->place, &app->now, &read,
                            &err)) {
            say(app, &err);
            return;
        }
        sum += read;
        if (sum > RUNS_EVENTS_TURN) {
            app->wants_frame = true;
            return;
        }
    }
}

void app_runs_fit(struct app *app, int rows)
{
    struct view_runs *view = &app->view.runs;
    const size_t room = rows > 0 ? (size_t)rows : 1;
    if (view_screen(&app->view) != SCREEN_RUNS)
        return;
    read_to(app, view_runs_chosen(view, &app->runs) + 2 * room);
    const size_t chosen = view_runs_chosen(view, &app->runs);
    const size_t first = chosen > room ? chosen - room : 0;
    sum_up(app, first, chosen + room);
    find_times(app, first, chosen + room);
    view_runs_fit(view, &app->runs, rows);
}

bool app_runs_count(const struct app *app)
{
    return view_screen(&app->view) == SCREEN_RUNS && app->runs.live > 0;
}
