/* app.c - opens the cockpit and runs its event loop: news from the log, keys, signals and timers.
 *
 * One thread does everything, so nothing may block: each turn reads a limited number of events,
 * longer work continues in the next turn, and other threads write requests to the log. A frame is
 * drawn at most every FRAME_MS unless a key needs one at once. The other app_*.c files handle the
 * events of a turn. */
#include "app.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "app_internal.h"
#include "clock.h"
#include "watch.h"

enum {
    FRAME_MS = 100,    /* minimum interval between frames caused by the log */
    ANSWER_MS = 100,   /* how often to check for pending answers */
    ORPHAN_MS = 5000,  /* how often to check the owner of a silent run */
    FAULT_MS = 1000,   /* how often to retry a log that could not be read */
    TROUBLE_MS = 1000, /* how often to check the log for problems */
};

enum { MS_PER_S = 1000, FOREVER = -1 };

enum { POLL_KEYS, POLL_SIGNALS, POLL_NEWS, POLL_OWN, POLL_ENGINE, POLL_COUNT };

/* Returns true while q w waits for the app's own run. */
static bool is_leaving(const struct app *app)
{
    return app->own.present ? app->own.view.leaving : app->view.leaving;
}

struct moment app_clock(const struct app_options *options)
{
    return options->far ? options->far->now(options->far->ctx) : clock_now();
}

bool app_engine_stopped(const struct app *app)
{
    bool unasked = !is_leaving(app) && !follower_state(app_own_run(app))->ended;
    return app->engine_done && unasked && !app->more_news && !app->opens;
}

bool app_open_run(struct app *app, struct err *err)
{
    const struct app_options *options = app->options;
    log_tail_init(&app->tail);
    log_pager_init(&app->pager);
    log_elsewhere_init(&app->elsewhere);
    replay_init(&app->replay);
    app->mode = options->mode;
    if (!follower_open(&app->present, options->place, options->run, err))
        return false;
    app->follower = app->present;
    if (options->mode == APP_RUNS)
        app->mode = app_mode_of(app->present);
    if (app->mode == APP_LIVE)
        follower_keep_past(app->present);
    const struct run_state *state = follower_state(app->present);
    view_init(&app->view, state->plan->task_count);
    if (options->keys)
        app->view.keys = options->keys;
    const char *problems = options->keys_problems ? options->keys_problems : "";
    if (*problems) /* only the first one; `devs keys` lists them all */
        view_say(&app->view, &app->now, "%.*s", (int)strcspn(problems, "\n"), problems);
    if (options->mode == APP_RUNS)
        app->view.trail.at[0] = SCREEN_RUNS;
    app->acts = (struct app_acts){.desk = options->mode == APP_LIVE ? options->desk : NULL,
                                  .state = state,
                                  .run = follower_run(app->follower)->number};
    str_add(&app->rules, options->rules ? options->rules : "");
    app->read = app->now;
    return true;
}

static bool open_screen(struct app *app, struct err *err)
{
    const struct app_options *options = app->options;
    follower_watch(app->present);
    if (app->mode == APP_REPLAY && !app_replay_open(app, err))
        return false;
    if (!term_open(&app->term, options->color, err))
        return false;
    int rows, columns;
    term_size(app->term, &rows, &columns);
    canvas_init(&app->canvas, rows, columns, options->ascii || !term_is_utf8(app->term));
    app_terminal_begin(app);
    return true;
}

void app_close(struct app *app)
{
    term_close(app->term); /* close the terminal first, so that the user gets the shell back without
                              delay */
    correct_trial_stop(app->trial);
    app_visit_close(app);
    follower_close(app->past); /* a fork of `present`, so close it first */
    follower_close(app->present);
    app_events_close(app);
    app_bookmarks_close(app);
    app_bundle_close(app);
    app_report_close(app);
    canvas_done(&app->canvas);
    view_done(&app->view);
    replay_done(&app->replay);
    log_tail_done(&app->tail);
    log_pager_done(&app->pager);
    log_elsewhere_done(&app->elsewhere);
    event_page_done(&app->log_events);
    forensics_done(&app->forensics);
    free(app->retries);
    output_page_done(&app->page);
    event_page_done(&app->events);
    runs_list_done(&app->runs);
    str_done(&app->banner);
    str_done(&app->contact);
    app_notify_done(&app->notify);
    str_done(&app->rules);
    app_acts_done(&app->acts);
}

/* Checks whether the run's owner has died. Too slow to do for every frame. */
static void look_for_orphan(struct app *app)
{
    bool was = app->orphaned;
    /* Our own engine is alive even if its lock was deleted along with the log's folder. */
    bool is_own = !app->own.present;
    bool is_ours = is_own && app->options->engine_here && !app->engine_done;
    bool may_be = !follower_state(app->present)->ended && app->mode == APP_LIVE && !is_ours;
    bool stopped = is_own && app_engine_stopped(app);
    app->orphaned = may_be && (stopped || follower_is_orphaned(app->present));
    app->orphan_looked = app->now;
    app->wants_frame = app->wants_frame || was != app->orphaned;
}

static void count_live_runs(struct app *app)
{
    struct log_live live;
    if (log_reader_live(follower_reader(app->present), &live, NULL))
        app->live_runs = live.count;
}

void app_take_news(struct app *app)
{
    (void)follower_heard(app->present);
    app->looked = app->now;
    app->news++;
    app->bookmarks.is_old = true;
    app->wants_frame = true; /* output does not produce events */
    if (app->opens)
        return; /* app_opening_go_on() reads to the end anyway */
    if (app->mode == APP_REPLAY) {
        app->more_news = false; /* in a replay, more_news is only about the app's own run */
        app_replay_extend(app);
        return;
    }
    /* After an error, the data read before stays on the screen, and all keys keep working. */
    struct err err = {0};
    size_t count = 0;
    if (follower_read(app->present, APP_EVENTS_TURN, replay_take, &app->replay, &count, &err))
        app->read = app->now;
    view_take_tasks(&app->view, follower_state(app->follower)->plan->task_count);
    app->fault = err;
    app->more_news = count == APP_EVENTS_TURN;
    look_for_orphan(app);
    if (app_present_mode(app) != VIEW_LIVE) /* in live mode this is done every second */
        count_live_runs(app);
    app_answer_acts(app);
}

static int64_t sooner_wait(int64_t a, int64_t b)
{
    if (b < 0)
        b = 0;
    return a == FOREVER || b < a ? b : a;
}

/* Returns how long to wait for input, in ms: until work is due or the screen changes without an
 * event. May be FOREVER. */
static int wait_ms(const struct app *app)
{
    int64_t wait = FOREVER;
    if (app->more_news || app->opens || app->more_keys || app->log_goes_on || app->report.reads ||
        app->wants_frame_now)
        return 0;
    if (app->wants_frame)
        wait = sooner_wait(wait, app->drawn.mono_ms + FRAME_MS - app->now.mono_ms);
    if (app_present_mode(app) == VIEW_LIVE || app_runs_count(app))
        wait = sooner_wait(wait, MS_PER_S - app->now.at_ms % MS_PER_S);
    if (app->options->far)
        wait = sooner_wait(wait, MS_PER_S - app->now.at_ms % MS_PER_S);
    if (app_acts_are_open(&app->acts) || app->trial || app->bookmarks.job || app_bundle_copies(app))
        wait = sooner_wait(wait, ANSWER_MS);
    if (app->replay.playing)
        wait = sooner_wait(wait, FRAME_MS);
    if (app->fault.code != ERR_NONE)
        wait = sooner_wait(wait, app->looked.mono_ms + FAULT_MS - app->now.mono_ms);
    if (view_wake_ms(&app->view) >= 0)
        wait = sooner_wait(wait, view_wake_ms(&app->view) - app->now.mono_ms);
    if (follower_fd(app->present) < 0)
        wait = sooner_wait(wait, WATCH_POLL_MS);
    return (int)wait;
}

/* Every TROUBLE_MS, counts live runs and checks the log and the wall clock for problems. Also reads
 * news if the run continues in its second log, which is not watched. */
static void look_for_trouble(struct app *app)
{
    if (app->now.mono_ms - app->troubled.mono_ms < TROUBLE_MS)
        return;
    app->troubled = app->now;
    count_live_runs(app);
    follower_trouble(app->present, app->now.mono_ms, &app->trouble);
    if (app->trouble.kind == LOG_TROUBLE_SPILLED)
        app_take_news(app);
    if (clock_jump_look(&app->clock, &app->now, &app->clock_moved_ms))
        app->clock_moved = app->now;
}

/* Finds out whether the machine of the log can be reached. */
static void look_for_contact(struct app *app)
{
    const struct app_far *far = app->options->far;
    struct str words = {0};
    if (!far)
        return;
    far->contact(far->ctx, &words);
    if (words.len != app->contact.len || strcmp(str_text(&words), str_text(&app->contact)) != 0)
        app->wants_frame = true;
    if (words.len == 0)
        app->contact_lost = (struct moment){0};
    else if (app->contact_lost.mono_ms == 0)
        app->contact_lost = app->now;
    str_done(&app->contact);
    app->contact = words;
}

/* Does the work that is due at certain times. */
static void take_time(struct app *app)
{
    const struct moment *now = &app->now;
    bool live = app_present_mode(app) == VIEW_LIVE;
    look_for_contact(app);
    if (live)
        look_for_trouble(app);
    if ((live || app_runs_count(app)) && now->at_ms / MS_PER_S != app->drawn.at_ms / MS_PER_S)
        app->wants_frame = true;
    if (app->fault.code != ERR_NONE && now->mono_ms - app->looked.mono_ms >= FAULT_MS)
        app_take_news(app);
    if (live && now->mono_ms - app->orphan_looked.mono_ms >= ORPHAN_MS)
        look_for_orphan(app);
    if (view_wake_ms(&app->view) >= 0 && now->mono_ms >= view_wake_ms(&app->view))
        app->wants_frame = true;
    app_replay_play(app);
    app_answer_acts(app);
    app_rule_look(app);
    app_bookmarks_look(app);
    app_bundle_look(app);
    app_log_go_on(app);
    app_report_go_on(app);
}

static void show_if_due(struct app *app)
{
    bool rested = app->now.mono_ms - app->drawn.mono_ms >= FRAME_MS;
    if (!app->finished && (app->wants_frame_now || (app->wants_frame && rested)))
        app_show(app);
}

/* The steady clock of another machine begins again when that machine is started again. Then
 * everything that was measured with it is due. */
static void take_clock(struct app *app)
{
    app->now = app_clock(app->options);
    if (app->now.mono_ms >= app->drawn.mono_ms)
        return;
    app->drawn = app->looked = app->troubled = app->orphan_looked = (struct moment){0};
    app->played = app->now;
}

/* Waits until something happens, handles it, and shows a frame if one is due. */
static void take_turn(struct app *app)
{
    int own_fd = app->own.present ? follower_fd(app->own.present) : -1;
    int engine_fd = app->engine_done ? -1 : app->options->engine_done_fd;
    struct pollfd polled[POLL_COUNT] = {
        [POLL_KEYS] = {.fd = term_fd(app->term), .events = POLLIN},
        [POLL_SIGNALS] = {.fd = term_signal_fd(app->term), .events = POLLIN},
        [POLL_NEWS] = {.fd = follower_fd(app->present), .events = POLLIN},
        [POLL_OWN] = {.fd = own_fd, .events = POLLIN},
        [POLL_ENGINE] = {.fd = engine_fd, .events = POLLIN},
    };
    if (poll(polled, POLL_COUNT, wait_ms(app)) < 0) {
        for (int i = 0; i < POLL_COUNT; i++)
            polled[i].revents = 0;
    }
    take_clock(app);
    bool polls_news = polled[POLL_NEWS].fd >= 0;
    if (polled[POLL_ENGINE].revents != 0) {
        app->engine_done = true;
        app_take_news(app);
    }
    if (polled[POLL_NEWS].revents != 0 || !polls_news || app->more_news)
        app_take_news(app);
    app_opening_go_on(app);
    if (polled[POLL_OWN].revents != 0 || !polls_news || app->more_news)
        app_visit_take_news(app);
    if (polled[POLL_SIGNALS].revents != 0)
        app_take_signals(app);
    if (polled[POLL_KEYS].revents != 0 || app->more_keys)
        app_take_keys(app);
    take_time(app);
    /* After q w: leaves once nothing runs and no request is pending, or when the engine has
     * ended. */
    bool quiet = !app->opens && follower_state(app_own_run(app))->running == 0 &&
                 !app_acts_are_open(&app->acts);
    if (is_leaving(app) && (quiet || app->engine_done))
        app_leave(app, APP_LEFT_WAIT, 0);
    app_tell(app);
    show_if_due(app);
}

bool app_run(const struct app_options *options, struct app_result *result, struct err *err)
{
    struct app app = {.options = options};
    app.now = app_clock(options);
    bool ok = app_open_run(&app, err) && open_screen(&app, err);
    if (ok) {
        count_live_runs(&app);
        if (app.mode == APP_LIVE)
            app_live_open(&app);
        else
            app_take_news(&app);
        look_for_trouble(&app);
        app.wants_frame_now = true;
        show_if_due(&app);
        ok = app_opening_stand(&app, err);
        while (ok && !app.finished)
            take_turn(&app);
    }
    if (ok) {
        /* The terminal is closed first, as in app_close(), because the caller may print a message
         * about the run. */
        term_close(app.term);
        app.term = NULL;
        app_visit_close(&app);
        follower_close(app.past); /* a fork of the follower that is handed back */
        *result = app.result;
        result->follower = app.present;
        app.present = app.past = app.follower = NULL;
    }
    app_close(&app);
    return ok;
}
