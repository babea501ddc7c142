/* app_facts.c - what is shown, and of when: the facts of the moment, for the view and the frames.
 */
#include "app_parts.h"

enum view_mode app_present_mode(const struct app *app)
{
    if (app->mode == APP_REPLAY)
        return VIEW_REPLAY;
    if (follower_state(app->present)->ended)
        return VIEW_ENDED;
    return app->orphaned ? VIEW_INTERRUPTED : VIEW_LIVE;
}

bool app_is_bounded(const struct app *app)
{
    return app->mode == APP_REPLAY || app_is_past(app) || app->pictured;
}

/* The time shown. While a run is opened, what is known of it is as old as its last event so far. */
static struct moment time_shown(const struct app *app)
{
    const struct moment *last = &follower_state(app->present)->last;
    if (app->mode == APP_LIVE && app->opens && last->at_ms != 0)
        return *last;
    return app->mode == APP_REPLAY || app_is_past(app) ? replay_now(&app->replay) : app->now;
}

/* Of the app's own run, if it goes on while another one is looked at. */
static const struct run_state *own_state(const struct app *app)
{
    bool goes_on = app->own.present && app->own.mode == APP_LIVE && !app->own.orphaned &&
                   !follower_state(app->own.present)->ended;
    return goes_on ? follower_state(app->own.present) : NULL;
}

static enum view_mode shown_mode(const struct app *app)
{
    return app_is_past(app) ? VIEW_PAST : app_present_mode(app);
}

/* Can nothing be written to the log from here? A picture shows the run as it was: it could. */
static bool is_read_only(const struct app *app)
{
    const bool is_live = app->mode != APP_REPLAY && !app->pictured;
    return (is_live && !app->acts.desk) || app->trouble.kind == LOG_TROUBLE_NEWER ||
           app->trouble.kind == LOG_TROUBLE_STILL;
}

struct view_facts app_facts(const struct app *app)
{
    bool replays = app->mode == APP_REPLAY;
    const enum screen screen = view_screen(&app->view);
    bool has_forensics = screen == SCREEN_FORENSICS || screen == SCREEN_DETAIL;
    const bool has_bookmarks = app->bookmarks.run == follower_run(app->follower)->number;
    return (struct view_facts){
        .state = follower_state(app->follower),
        .live = app_is_past(app) ? follower_state(app->present) : NULL,
        .live_mode = app_present_mode(app),
        .log = &app->tail,
        .forensics = has_forensics ? &app->forensics : NULL,
        .pager = screen == SCREEN_LOG ? &app->pager : NULL,
        .retries = app->retries,
        .events = &app->event_lines,
        .report = &app->report.rows,
        .replay = replays || app_is_past(app) ? &app->replay : NULL,
        .bookmarks = app->bookmarks.items,
        .bookmark_count = has_bookmarks ? app->bookmarks.count : 0,
        .later = app->view.shows_later ? str_text(&app->what_came.words) : NULL,
        .mode = shown_mode(app),
        .orphaned = !replays && !app_is_past(app) && app->orphaned,
        .own = own_state(app),
        .own_run = app->own.present ? follower_run(app->own.present)->number : 0,
        .runs = app->runs_read.mono_ms != 0 ? &app->runs : NULL,
        .log_file = app->options->log_file ? app->options->log_file : app->options->place->db,
        .has_plan = app->has_plan,
        .engine_here = app->options->engine_here && !app->engine_done,
        .read_only = is_read_only(app),
        .newer = app->trouble.kind == LOG_TROUBLE_NEWER,
        .opens = app->opens,
        .now = time_shown(app),
        .clock = app->now,
        .banner = str_text(&app->banner),
        .banner_is_mild = app->banner_is_mild,
        .run = follower_run(app->follower)->number,
        .live_runs = app->live_runs,
        .rules = app->rules.len > 0 ? app->rules.data : NULL,
    };
}

enum app_mode app_mode_of(const struct follower *follower)
{
    const struct log_run_info *run = follower_run(follower);
    return run->ended_at_ms == 0 && run->owner_alive ? APP_LIVE : APP_REPLAY;
}
