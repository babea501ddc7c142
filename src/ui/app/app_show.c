/* app_show.c - from the state of the app to the terminal. */
#include "app_parts.h"
#include "clock.h"
#include "frame_forensics.h"
#include "frame_pager.h"
#include "frame_runs.h"
#include "log_words.h"
#include "rounded.h"

enum { FORENSICS_GROW_MS = 60000 }; /* so long after an end the log is asked again */

/* Is there more to come of what was read? The second part of a capture is made after the end. */
static bool may_grow(const struct app *app, const struct view_try *at)
{
    const struct run_state *state = follower_state(app->follower);
    const struct attempt_state *attempt = view_try_state(state, at);
    bool is_replay = app_is_bounded(app);
    return is_replay || state->running == 0 || !attempt || attempt->ended.mono_ms == 0 ||
           state->last.mono_ms - attempt->ended.mono_ms < FORENSICS_GROW_MS;
}

/* Is it shown? On Detail where the state has not kept by what rule the try failed. */
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
    /* What went wrong is shown in its place. */
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
                 app->trouble.kind == LOG_TROUBLE_CUT_OFF || app->trouble.for_ms >= APP_MILD_MS;
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
        app->fault.code != ERR_DAMAGED && app->now.mono_ms - app->read.mono_ms < APP_MILD_MS;
}

static bool clock_was_set(const struct app *app)
{
    return app->clock_moved_ms != 0 && app->now.mono_ms - app->clock_moved.mono_ms < APP_CLOCK_MS;
}

static void tell_clock(struct app *app)
{
    char hm[CLOCK_TEXT_MAX];
    str_addf(&app->banner, "the clock moved by %+lld s at %s; waits go on by the steady clock",
             (long long)rounded(app->clock_moved_ms, 1000),
             clock_short(app->clock_moved.at_ms, app->clock_moved.at_ms, hm));
    app->banner_is_mild = true;
}

static void tell_opening(struct app *app)
{
    app_opening_tell(app, &app->banner);
    app->banner_is_mild = true;
}

/* What is wrong with devs itself, and what works all the same. */
static void tell_what_is_wrong(struct app *app)
{
    str_clear(&app->banner);
    app->banner_is_mild = false;
    if (app_engine_stopped(app))
        str_add(&app->banner,
                "the engine stopped before the run had ended; q leaves and says why, all is kept");
    else if (app->fault.code != ERR_NONE)
        tell_fault(app);
    else if (app->opens)
        tell_opening(app);
    else if (app->trouble.kind != LOG_TROUBLE_NONE)
        tell_trouble(app);
    else if (clock_was_set(app))
        tell_clock(app);
}

/* Only of a recording or the past: the fold is moved for them, and that of a run that is followed
 * has to stay at its end. Screens that lay no panes leave the view those of the one before. */
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
    load_forensics(app, &facts); /* Detail's layout goes by what there is to tell */
    app_load_retries(app);
    frame_fit(&app->view, app->canvas.rows, app->canvas.columns, &input);
    app_load_tail(app);
    if (facts.replay && !app->opens)
        load_records(app);
    app_report_load(app);
    facts = app_facts(app); /* the fold has been elsewhere and back */
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
