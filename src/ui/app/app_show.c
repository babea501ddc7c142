/* app_show.c - what a frame needs: the facts of the moment on screen, what the screen reads besides
 * the state, and the drawing itself. */
#include "app_internal.h"
#include "clock.h"
#include "event_lines.h"
#include "frame.h"
#include "retry_log.h"
#include "rounded.h"
#include "xalloc.h"

enum {
    MILD_MS = 10000,  /* data may be this old before the banner turns red */
    CLOCK_MS = 60000, /* how long to report that the clock was set */
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

/* Returns the time to show. While a run is being opened, that is the time of its last event read so
 * far. */
static struct moment time_shown(const struct app *app)
{
    const struct moment *last = &follower_state(app->present)->last;
    if (app->mode == APP_LIVE && app->opens && last->at_ms != 0)
        return *last;
    return app->mode == APP_REPLAY || app_is_past(app) ? replay_now(&app->replay) : app->now;
}

/* Returns the state of the app's own run if it continues while another one is shown. */
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

/* Returns true if the log cannot be written from here. A picture counts as writable, because it
 * shows the run as it was. */
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

enum { RETRIES_MS = 60000 }; /* read again after this long */

/* Reads the outcomes of retries after a failure, for Detail and Timeline. In a recording and in the
 * past, only uses what was known at that moment: earlier runs. */
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

enum { FORENSICS_GROW_MS = 60000 }; /* how long after the end to keep checking the log */

/* Returns true if more may arrive. The second part of a capture is made after the end. */
static bool may_grow(const struct app *app, const struct view_try *at)
{
    const struct run_state *state = follower_state(app->follower);
    const struct attempt_state *attempt = view_try_state(state, at);
    bool is_replay = app_is_bounded(app);
    return is_replay || state->running == 0 || !attempt || attempt->ended.mono_ms == 0 ||
           state->last.mono_ms - attempt->ended.mono_ms < FORENSICS_GROW_MS;
}

/* Returns true if the screen shows forensics. That includes Detail, if the state no longer has the
 * rule that classified the failure. */
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
    bool has_news = app->forensics_seq != facts->state->last_seq && may_grow(app, &at);
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

static void tell_trouble(struct app *app)
{
    log_trouble_words(&app->trouble, &app->banner);
    bool stops = app->trouble.kind == LOG_TROUBLE_SPILLED ||
                 app->trouble.kind == LOG_TROUBLE_CUT_OFF || app->trouble.for_ms >= MILD_MS;
    app->banner_is_mild = !stops;
}

static void tell_fault(struct app *app)
{
    char hms[CLOCK_TEXT_MAX];
    if (app->fault.code == ERR_DAMAGED)
        str_addf(&app->banner, "%s. %s", app->fault.message, app->fault.hint);
    else
        str_addf(&app->banner, "log not readable; shown as it was at %s, keys work (%s)",
                 clock_hms(app->read.at_ms, hms), app->fault.message);
    app->banner_is_mild =
        app->fault.code != ERR_DAMAGED && app->now.mono_ms - app->read.mono_ms < MILD_MS;
}

static bool clock_was_set(const struct app *app)
{
    return app->clock_moved_ms != 0 && app->now.mono_ms - app->clock_moved.mono_ms < CLOCK_MS;
}

static void tell_clock(struct app *app)
{
    char hm[CLOCK_TEXT_MAX];
    str_addf(&app->banner,
             "the clock moved by %+lld s at %s; waits continue by the monotonic clock",
             (long long)rounded(app->clock_moved_ms, 1000),
             clock_short(app->clock_moved.at_ms, app->clock_moved.at_ms, hm));
    app->banner_is_mild = true;
}

/* Writes the banner: what is wrong with devs itself, and what still works. */
static void tell_what_is_wrong(struct app *app)
{
    str_clear(&app->banner);
    app->banner_is_mild = false;
    if (app_engine_stopped(app))
        str_add(&app->banner,
                "the engine stopped before the run had ended; q leaves and says why, all is kept");
    else if (app->fault.code != ERR_NONE)
        tell_fault(app);
    else if (app->opens) {
        app_opening_tell(app, &app->banner);
        app->banner_is_mild = true;
    } else if (app->trouble.kind != LOG_TROUBLE_NONE)
        tell_trouble(app);
    else if (clock_was_set(app))
        tell_clock(app);
}

/* Only for a recording or the past: reading records moves the state back and forth, and a live
 * run's state must stay at its end. Screens without panes keep the view's panes of the screen
 * before. */
static void load_records(struct app *app)
{
    if (view_screen(&app->view) == SCREEN_TASKS && (app->view.panes & VIEW_HAS_EVENTS) != 0)
        app_load_events(app);
    if (app->view.shows_later)
        app_load_what_came(app);
}

void app_draw(struct app *app)
{
    tell_what_is_wrong(app);
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
    if (facts.replay && !app->opens)
        load_records(app);
    app_report_load(app);
    facts = app_facts(app); /* the state was moved and restored */
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
