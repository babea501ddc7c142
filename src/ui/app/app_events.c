/* app_events.c - the records around the moment that is shown, in words: a follower of their own
 * folds what lies before each of them. */
#include "app_parts.h"

static bool add_line(void *ctx, const struct run_state *state, const struct event *event)
{
    return event_lines_add(ctx, state, event);
}

/* The follower for the run that is shown. */
static bool open_teller(struct app *app, int64_t run, struct err *err)
{
    if (app->teller && follower_run(app->teller)->number == run)
        return true;
    follower_close(app->teller);
    app->teller = NULL;
    return follower_open(&app->teller, app->options->place, run, err);
}

void app_load_events(struct app *app)
{
    const int64_t run = follower_run(app->follower)->number;
    const int64_t at = app->replay.at;
    struct event_lines *lines = &app->event_lines;
    struct err err = {0};
    if (event_lines_cover(lines, run, at, (int64_t)app->replay.count))
        return;
    event_lines_begin(lines, run);
    const bool ok = open_teller(app, run, &err) &&
                    follower_seek(app->teller, event_lines_after(at), &err) &&
                    follower_read(app->teller, EVENT_LINES_MAX, add_line, lines, NULL, &err);
    if (!ok)
        lines->trouble = err;
}

static bool add_what_came(void *ctx, const struct run_state *state, const struct event *event)
{
    return what_came_add(ctx, state, event);
}

void app_load_what_came(struct app *app)
{
    enum { RECORDS_MAX = 4096 }; /* looked through */
    const int64_t run = follower_run(app->follower)->number;
    const int64_t at = app->replay.at;
    struct what_came *came = &app->what_came;
    struct err err = {0};
    const bool is_it = came->run == run && came->after == at && came->task == app->view.chosen;
    if (is_it || app->view.chosen < 0)
        return;
    what_came_begin(came, run, at, app->view.chosen);
    const bool ok = open_teller(app, run, &err) && follower_seek(app->teller, at, &err) &&
                    follower_read(app->teller, RECORDS_MAX, add_what_came, came, NULL, &err);
    if (!ok)
        str_add(&came->words, err.message);
    else if (came->words.len == 0)
        str_add(&came->words, "nothing more is recorded of it");
}

void app_events_close(struct app *app)
{
    follower_close(app->teller);
    app->teller = NULL;
    event_lines_done(&app->event_lines);
    str_done(&app->what_came.words);
}
