/* app_events.c - the records around the moment that is shown, and those after it, in words. A word
 * is about a record and what lies before it: the fold goes to where the words begin, and back. */
#include "app_parts.h"

/* The records after `after`, `max` of them at most, each folded in. */
static void tell(struct app *app, int64_t after, size_t max, follower_event_fn *each, void *ctx,
                 struct err *err)
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
    tell(app, event_lines_after(at), EVENT_LINES_MAX, add_line, lines, &lines->trouble);
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
    const int64_t count = (int64_t)app->replay.count;
    const bool is_it = came->run == run && came->after == at && came->task == app->view.chosen;
    /* The past of a run that goes on: there may be more of it by now. */
    const bool may_have_more =
        came->left > 0 && count > app->came_of && app->came_of - at < RECORDS_MAX;
    if ((is_it && !may_have_more) || app->view.chosen < 0)
        return;
    what_came_begin(came, run, at, app->view.chosen);
    app->came_of = count;
    tell(app, at, RECORDS_MAX, add_what_came, came, &err);
    if (err.code != ERR_NONE)
        str_add(&came->words, err.message);
    else if (came->words.len == 0)
        str_add(&came->words, "nothing more is recorded of it");
}

void app_events_close(struct app *app)
{
    event_lines_done(&app->event_lines);
    str_done(&app->what_came.words);
}
