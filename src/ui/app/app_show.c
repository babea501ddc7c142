/* app_show.c - prepares and draws a frame: the facts at the moment on screen, and the other data
 * that the screen needs. */
#include "app_internal.h"
#include "clock.h"
#include "event_lines.h"
#include "frame.h"
#include "retry_log.h"
#include "rounded.h"
#include "xalloc.h"

enum {
    MILD_MS = 10000,  /* data may be this old before the banner turns red */
    CLOCK_MS = 60000, /* how long a clock change is reported */
};

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

struct view_facts app_facts(const struct app *app)
{
    const bool replays = app->mode == APP_REPLAY;
    const bool is_past = app_is_past(app);
    const struct run_state *present = follower_state(app->present);
    const enum screen screen = view_screen(&app->view);
    bool has_forensics = screen == SCREEN_FORENSICS || screen == SCREEN_DETAIL;
    const bool has_bookmarks = app->bookmarks.run == follower_run(app->follower)->number;
    /* The app's own run, if it continues while a different run is shown. */
    const struct run_state *own = NULL;
    if (app->own.present && app->own.mode == APP_LIVE && !app->own.orphaned &&
        !follower_state(app->own.present)->ended)
        own = follower_state(app->own.present);
    /* While a run is being opened, the time is that of its last event read so far. */
    struct moment now = app->now;
    if (app->mode == APP_LIVE && app->opens && present->last.at_ms != 0)
        now = present->last;
    else if (replays || is_past)
        now = replay_now(&app->replay);
    /* A picture counts as writable, because it shows the run as it was. */
    const bool lacks_desk = !replays && !app->pictured && !app->acts.desk;
    return (struct view_facts){
        .state = follower_state(app->follower),
        .live = is_past ? present : NULL,
        .live_mode = app_present_mode(app),
        .log = &app->tail,
        .forensics = has_forensics ? &app->forensics : NULL,
        .pager = screen == SCREEN_LOG ? &app->pager : NULL,
        .retries = app->retries,
        .events = &app->event_lines,
        .report = &app->report.rows,
        .replay = replays || is_past ? &app->replay : NULL,
        .bookmarks = app->bookmarks.items,
        .bookmark_count = has_bookmarks ? app->bookmarks.count : 0,
        .later = app->view.shows_later ? str_text(&app->what_came.words) : NULL,
        .mode = is_past ? VIEW_PAST : app_present_mode(app),
        .orphaned = !replays && !is_past && app->orphaned,
        .own = own,
        .own_run = app->own.present ? follower_run(app->own.present)->number : 0,
        .runs = app->runs_read.mono_ms != 0 ? &app->runs : NULL,
        .log_file = app->options->log_file ? app->options->log_file : app->options->place->db,
        .has_plan = app->has_plan,
        .engine_here = app->options->engine_here && !app->engine_done,
        .read_only = lacks_desk || app->trouble.kind == LOG_TROUBLE_NEWER ||
                     app->trouble.kind == LOG_TROUBLE_STILL,
        .newer = app->trouble.kind == LOG_TROUBLE_NEWER,
        .opens = app->opens,
        .now = now,
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

enum { RETRIES_MS = 60000 }; /* read again after this time */

/* Reads the outcomes of retries after a failure, for Detail and Timeline. In a recording and in the
 * past, uses only earlier runs, because only those were known at that moment. */
static void app_load_retries(struct app *app)
{
    const int64_t run = follower_run(app->follower)->number;
    const struct retry_log_scope scope = {.before = app_is_bounded(app) ? run : 0,
                                          .events = RETRY_LOG_SCREEN};
    const bool is_fresh = app->retries && app->retries_run == run &&
                          app->retries_before == scope.before &&
                          app->now.mono_ms - app->retries_read.mono_ms < RETRIES_MS;
    const enum screen screen = view_screen(&app->view);
    if ((screen != SCREEN_DETAIL && screen != SCREEN_TIMELINE) || is_fresh)
        return;
    if (!app->retries)
        app->retries = xcalloc(1, sizeof(*app->retries));
    if (!retry_log_read(follower_reader(app->follower), &scope, app->retries, NULL))
        *app->retries = (struct retry_help){0}; /* nothing is shown then */
    app->retries_run = run;
    app->retries_before = scope.before;
    app->retries_read = app->now;
}

enum { FORENSICS_GROW_MS = 60000 }; /* how long after the end to keep checking for captures */

/* Returns true if the screen shows forensics. Detail does if the state no longer has the verdict of
 * the failed attempt. */
static bool wants_forensics(const struct app *app, const struct view_try *at,
                            const struct log_output_key *key)
{
    const struct run_state *state = follower_state(app->follower);
    const enum screen screen = view_screen(&app->view);
    if (at->task < 0 || screen != SCREEN_DETAIL)
        return screen == SCREEN_FORENSICS;
    const struct attempt_state *attempt = view_try_state(state, at);
    const bool has_failed =
        attempt && attempt->ended.mono_ms != 0 && attempt->class != VERDICT_SUCCESS;
    struct verdict room;
    return has_failed && !log_words_verdict(state, key, &room);
}

static void load_forensics(struct app *app, const struct view_facts *facts)
{
    const struct log_output_key *have = &app->forensics.key;
    const struct view_try at = view_try_now(&app->view, facts->state);
    const struct log_output_key key = {.run = follower_run(app->follower)->number,
                                       .task = at.task,
                                       .step = at.step,
                                       .attempt = at.attempt};
    if (!wants_forensics(app, &at, &key))
        return;
    if (at.task < 0) {
        forensics_done(&app->forensics);
        return;
    }
    bool other = have->run != key.run || have->task != key.task || have->step != key.step ||
                 have->attempt != key.attempt;
    /* The second part of a capture is written after the attempt has ended, so keep checking for a
     * while. */
    const struct attempt_state *attempt = view_try_state(facts->state, &at);
    bool may_grow = app_is_bounded(app) || facts->state->running == 0 || !attempt ||
                    attempt->ended.mono_ms == 0 ||
                    facts->state->last.mono_ms - attempt->ended.mono_ms < FORENSICS_GROW_MS;
    bool has_news = app->forensics_seq != facts->state->last_seq && may_grow;
    if (!other && !has_news)
        return;
    /* An error is shown in place of the data. */
    (void)!forensics_read(&app->forensics, facts->state, &key, follower_reader(app->follower),
                          NULL);
    app->forensics_seq = facts->state->last_seq;
}

void app_resize(struct app *app)
{
    int rows, columns;
    term_size(app->term, &rows, &columns);
    canvas_resize(&app->canvas, rows, columns);
    app->frozen_drawn = false;
    term_redraw(app->term);
    app->wants_frame_now = true;
}

/* Writes the banner: the problem of devs itself, and what still works. */
static void write_banner(struct app *app)
{
    struct str *banner = &app->banner;
    const int64_t now_ms = app->now.mono_ms;
    char hms[CLOCK_TEXT_MAX];
    str_clear(banner);
    app->banner_is_mild = false;
    if (app_engine_stopped(app)) {
        keymap_say(app->view.keys,
                   "the engine stopped before the run ended; {quit} quits and shows why, "
                   "nothing is lost",
                   banner);
    } else if (app->fault.code == ERR_DAMAGED) {
        str_addf(banner, "%s. %s", app->fault.message, app->fault.hint);
    } else if (app->fault.code != ERR_NONE) {
        str_addf(banner, "cannot read the log; showing its state at %s, keys work (%s)",
                 clock_hms(app->read.at_ms, hms), app->fault.message);
        app->banner_is_mild = now_ms - app->read.mono_ms < MILD_MS;
    } else if (app->contact.len > 0) {
        str_add(banner, app->contact.data);
        app->banner_is_mild = now_ms - app->contact_lost.mono_ms < MILD_MS;
    } else if (app->opens) {
        app_opening_tell(app, banner);
        app->banner_is_mild = true;
    } else if (app->trouble.kind != LOG_TROUBLE_NONE) {
        log_trouble_words(&app->trouble, banner);
        app->banner_is_mild = app->trouble.kind != LOG_TROUBLE_SPILLED &&
                              app->trouble.kind != LOG_TROUBLE_CUT_OFF &&
                              app->trouble.for_ms < MILD_MS;
    } else if (app->clock_moved_ms != 0 && now_ms - app->clock_moved.mono_ms < CLOCK_MS) {
        str_addf(banner, "the clock moved by %+lld s at %s; waits follow the monotonic clock",
                 (long long)rounded(app->clock_moved_ms, 1000),
                 clock_short(app->clock_moved.at_ms, app->clock_moved.at_ms, hms));
        app->banner_is_mild = true;
    }
}

void app_draw(struct app *app)
{
    write_banner(app);
    const struct log_run_info *run = follower_run(app->follower);
    struct view_facts facts = app_facts(app);
    struct frame_input input = {
        .facts = &facts,
        .view = &app->view,
        .name = run->name ? run->name : "",
        .number = run->number,
        .is_session = run->is_session,
    };
    app_runs_load(app);
    if (facts.replay)
        app_bookmarks_load(app);
    facts = app_facts(app);
    view_arrange(&app->view, &facts);
    (void)view_update_prompt(&app->view, &facts);
    load_forensics(app, &facts); /* Detail's layout depends on the available data */
    app_load_retries(app);
    frame_fit(&app->view, app->canvas.rows, app->canvas.columns, &input);
    app_load_tail(app);
    /* Only for a recording or the past: reading records moves the state back and forth, and a live
     * run's state must stay at its end. */
    if (facts.replay && !app->opens) {
        /* Screens without panes keep the panes of the previous screen in view.panes. */
        if (view_screen(&app->view) == SCREEN_TASKS && (app->view.panes & VIEW_HAS_EVENTS) != 0)
            app_load_events(app);
        if (app->view.shows_later)
            app_load_what_came(app);
    }
    app_report_load(app);
    facts = app_facts(app); /* the state was moved and restored, so its pointers may have changed */
    app->view.log.room = frame_pager_room(app->canvas.rows, app->canvas.columns, &input);
    app_load_log(app, &facts);
    app_runs_fit(app, frame_runs_rows(app->canvas.rows, app->canvas.columns, &input));
    view_forensics_fit(&app->view,
                       frame_forensics_room(app->canvas.rows, app->canvas.columns, &input));
    clock_show_utc(app->view.times == SHOWN_TIMES_UTC);
    frame_draw(&app->canvas, &input);
}

void app_show(struct app *app)
{
    app_draw_or_freeze(app);
    term_show(app->term, &app->canvas);
    app->drawn = app->now;
    app->wants_frame = false;
    app->wants_frame_now = false;
}
