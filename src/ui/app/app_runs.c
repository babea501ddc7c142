/* app_runs.c - which run is shown: the list of runs, opening a run in slices so that its first
 * frame appears at once, and visiting runs other than the app's own. */
#include <unistd.h>

#include "app_internal.h"

enum {
    RUNS_READ_MS = 1000,      /* minimum interval for reading the newest runs again */
    RUNS_PAGES_TURN = 4,      /* pages of older runs read per frame */
    RUNS_EVENTS_TURN = 20000, /* events of visible runs read per frame */
};

static void say_unreadable(struct app *app, const struct err *err)
{
    view_say(&app->view, &app->now, "cannot read the runs: %s", err->message);
}

void app_runs_load(struct app *app)
{
    struct err err = {0};
    const bool is_due =
        app->runs.count == 0 || app->now.mono_ms - app->runs_read.mono_ms >= RUNS_READ_MS;
    /* An empty run shows how many other runs there are. */
    const bool wants_runs = view_screen(&app->view) == SCREEN_RUNS ||
                            follower_state(app->follower)->plan->task_count == 0;
    if (!wants_runs || !is_due)
        return;
    app->runs_read = app->now;
    app->has_plan = access("plan.json", F_OK) == 0;
    if (!runs_list_refresh(&app->runs, follower_reader(app->follower), &err))
        say_unreadable(app, &err);
}

/* Reads older runs as the user scrolls to them. */
static void read_older_runs(struct app *app, size_t wanted)
{
    struct err err = {0};
    const char *filter = app->view.runs.filter.text;
    runs_list_narrow(&app->runs, filter);
    for (int i = 0; i < RUNS_PAGES_TURN && app->runs.shown_count < wanted && !app->runs.whole;
         i++) {
        if (!runs_list_more(&app->runs, follower_reader(app->follower), &err)) {
            say_unreadable(app, &err);
            return;
        }
        runs_list_narrow(&app->runs, filter);
    }
    if (app->runs.shown_count < wanted && !app->runs.whole)
        app->wants_frame = true; /* the next frame reads the rest */
}

/* Computes the times of some visible runs now, and of the others in later frames. */
static void find_times(struct app *app, size_t first, size_t end)
{
    struct err err = {0};
    int64_t sum = 0;
    for (size_t i = first; i < end && i < app->runs.shown_count; i++) {
        int64_t read = 0;
        if (!runs_list_time(&app->runs, app->runs.shown[i], app->options->place, &app->now, &read,
                            &err)) {
            say_unreadable(app, &err);
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
    struct err err = {0};
    if (view_screen(&app->view) != SCREEN_RUNS)
        return;
    read_older_runs(app, view_runs_chosen(view, &app->runs) + 2 * room);
    const size_t chosen = view_runs_chosen(view, &app->runs);
    const size_t first = chosen > room ? chosen - room : 0;
    for (size_t i = first; i < chosen + room && i < app->runs.shown_count; i++) {
        if (!runs_list_sum(&app->runs, app->runs.shown[i], follower_reader(app->follower), &err)) {
            say_unreadable(app, &err);
            break;
        }
    }
    find_times(app, first, chosen + room);
    view_runs_fit(view, &app->runs, rows);
}

bool app_runs_count(const struct app *app)
{
    return view_screen(&app->view) == SCREEN_RUNS && app->runs.live > 0;
}

enum {
    OPENING_FIRST = LOG_PAGE_EVENTS, /* events read before the first frame */
    OPENING_SLICE = 16384,           /* events read in each later turn */
    BAR_CELLS = 20,
};

/* Reads up to `max` events. In a recording, moves to the last event read. */
static bool read_slice(struct app *app, size_t max, struct err *err)
{
    size_t count = 0;
    const bool ok = follower_read(app->follower, max, replay_take, &app->replay, &count, err);
    app->opens = ok && count == max;
    if (app->mode == APP_REPLAY)
        (void)replay_move(&app->replay, REPLAY_END, -1);
    if (ok)
        app->read = app->now;
    view_take_tasks(&app->view, follower_state(app->follower)->plan->task_count);
    return ok;
}

bool app_replay_open(struct app *app, struct err *err)
{
    struct err why = {0};
    follower_keep_past(app->follower);
    if (read_slice(app, OPENING_FIRST, &why))
        return true;
    if (why.code != ERR_DAMAGED || app->replay.count == 0)
        return err_set(err, why.code, "%s", why.message);
    app->fault = why; /* everything before the damage can be played */
    return true;
}

void app_live_open(struct app *app)
{
    /* A problem with the log is shown, and reading is retried. */
    (void)!read_slice(app, OPENING_FIRST, &app->fault);
    app_take_news(app);
}

void app_opening_go_on(struct app *app)
{
    if (!app->opens)
        return;
    (void)read_slice(app, OPENING_SLICE, &app->fault);
    app->news++;
    app->wants_frame = true;
    app->wants_frame_now = app->wants_frame_now || !app->opens;
    if (!app->opens && app->mode == APP_LIVE)
        app_take_news(app); /* also looks for the owner and for answers, if the run may continue */
}

bool app_opening_stand(struct app *app, struct err *err)
{
    const struct app_options *options = app->options;
    enum screen screen = SCREEN_TASKS;
    if (!options->opens_at && !options->opens_view && !options->opens_task)
        return true;
    if (!app_screen_named(options->opens_view, &screen, err))
        return false;
    while (app->opens)
        app_opening_go_on(app);
    if (options->opens_at && !app_replay_find(app, options->opens_at, err))
        return false;
    const bool chooses = options->opens_at || options->opens_task;
    if (chooses && !app_choose_task(app, options->opens_task, err))
        return false;
    app_open_screen(app, screen);
    app->wants_frame_now = true;
    return true;
}

static int64_t percent_read(const struct app *app)
{
    const int64_t all = follower_run(app->follower)->last_seq;
    const int64_t read = (int64_t)app->replay.count;
    return read < all ? read * 100 / all : 100;
}

static const char *what_opens(const struct app *app)
{
    return app->mode == APP_REPLAY ? "recording" : "log";
}

bool app_opening_refuses(struct app *app)
{
    if (app->opens)
        view_say(&app->view, &app->now, "%lld%% of the %s has been read; wait for the rest",
                 (long long)percent_read(app), what_opens(app));
    return app->opens;
}

void app_opening_tell(const struct app *app, struct str *out)
{
    const int64_t done = percent_read(app);
    str_addf(out, "reading the %s [", what_opens(app));
    for (int64_t i = 0; i < BAR_CELLS; i++)
        str_add_char(out, i < done * BAR_CELLS / 100 ? '#' : '.');
    str_addf(out, "] %lld%%: %zu of %lld records", (long long)done, app->replay.count,
             (long long)follower_run(app->follower)->last_seq);
}

struct follower *app_own_run(const struct app *app)
{
    return app->own.present ? app->own.present : app->present;
}

/* Reads the rest of the run on screen, and moves its data to app->own. */
static void put_away_own(struct app *app)
{
    while (app->opens)
        app_opening_go_on(app);
    app->own = (struct app_own){.present = app->present,
                                .past = app->past,
                                .shown = app->follower,
                                .mode = app->mode,
                                .view = app->view,
                                .replay = app->replay,
                                .acts = app->acts,
                                .fault = app->fault,
                                .orphaned = app->orphaned};
    app->fault = (struct err){0};
}

static void take_back_own(struct app *app)
{
    const struct app_own own = app->own;
    app->own = (struct app_own){0};
    app->present = own.present;
    app->past = own.past;
    app->follower = own.shown;
    app->mode = own.mode;
    app->view = own.view;
    app->replay = own.replay;
    app->acts = own.acts;
    app->fault = own.fault;
    app->orphaned = own.orphaned;
}

static void close_shown(struct app *app)
{
    follower_close(app->past); /* a fork of `present`, so close it first */
    follower_close(app->present);
    replay_done(&app->replay);
    view_done(&app->view);
    app_acts_done(&app->acts);
    app->present = app->past = app->follower = NULL;
    app->opens = false; /* the rest is not read */
}

void app_visit_close(struct app *app)
{
    if (!app->own.present)
        return;
    close_shown(app);
    take_back_own(app);
}

/* Copies the user's settings to the new view; all other members belong to the run. */
static void take_along(struct view *view, const struct view *before)
{
    view->keys = before->keys;
    view->runs = before->runs;
    view->command = before->command;
    view->times = before->times;
    view->leaves_mouse = before->leaves_mouse;
}

/* Discards all data read from the previous run. */
static void forget_what_was_read(struct app *app)
{
    log_tail_clear(&app->tail);
    app->forensics_seq = -1;
    app->news++;
    app->wants_frame_now = true;
}

/* Opens a run beside the app's own. Changes nothing on failure. */
static bool open_run(struct app *app, int64_t run, struct err *err)
{
    struct follower *present = NULL;
    if (!follower_open(&present, app->options->place, run, err))
        return false;
    if (app->options->far)
        app->options->far->opens(app->options->far->ctx, run);
    follower_watch(present);
    put_away_own(app);
    app->present = app->follower = present;
    app->past = NULL;
    app->mode = app_mode_of(present);
    app->orphaned = false;
    replay_init(&app->replay);
    view_init(&app->view, follower_state(present)->plan->task_count);
    take_along(&app->view, &app->own.view);
    app->view.trail = (struct screen_trail){.at = {SCREEN_RUNS, SCREEN_TASKS}, .depth = 1};
    app->acts = (struct app_acts){.desk = app->mode == APP_LIVE ? app->options->desk : NULL,
                                  .state = follower_state(present),
                                  .run = run};
    if (app->mode == APP_REPLAY && !app_replay_open(app, err)) {
        close_shown(app);
        take_back_own(app);
        return false;
    }
    return true;
}

static void say_the_way_back(struct app *app, int64_t run)
{
    const struct run_state *own = follower_state(app->own.present);
    struct str text = {0};
    str_addf(&text, "run #%lld", (long long)run);
    if (app->own.mode == APP_LIVE && !own->ended) {
        str_addf(&text, "; run #%lld continues meanwhile",
                 (long long)follower_run(app->own.present)->number);
        keymap_say(app->view.keys, "; {quit} {quit} goes back", &text);
    } else {
        keymap_say(app->view.keys, "; {quit} goes back to the runs", &text);
    }
    view_say(&app->view, &app->now, "%s", str_text(&text));
    str_done(&text);
}

static void go_to_screen(struct app *app, enum screen screen)
{
    trail_go(&app->view.trail, SCREEN_TASKS);
    if (screen == SCREEN_TIMELINE)
        trail_go(&app->view.trail, SCREEN_TIMELINE);
}

/* Returns to the app's own run. */
static void come_back(struct app *app)
{
    take_along(&app->own.view, &app->view);
    app_visit_close(app);
    forget_what_was_read(app);
    app_take_news(app);
}

void app_visit_open(struct app *app, int64_t run, enum screen screen)
{
    struct err err = {0};
    if (app->own.present && run != follower_run(app->present)->number)
        come_back(app);
    if (run == follower_run(app->present)->number) {
        go_to_screen(app, screen);
        return;
    }
    if (!open_run(app, run, &err)) {
        view_say(&app->view, &app->now, "cannot open run #%lld: %s", (long long)run, err.message);
        return;
    }
    forget_what_was_read(app);
    go_to_screen(app, screen);
    if (app->mode == APP_LIVE)
        app_live_open(app);
    say_the_way_back(app, run);
}

void app_visit_look(struct app *app)
{
    if (!app->own.present || view_screen(&app->view) != SCREEN_RUNS)
        return;
    come_back(app);
    trail_go(&app->view.trail, SCREEN_RUNS);
}

void app_visit_take_news(struct app *app)
{
    size_t count = 0;
    if (!app->own.present || app->own.mode != APP_LIVE)
        return;
    (void)follower_heard(app->own.present);
    /* An error is shown later, when the app's own run is back on the screen. */
    (void)!follower_read(app->own.present, APP_EVENTS_TURN, replay_take, &app->own.replay, &count,
                         NULL);
    app->more_news = app->more_news || count == APP_EVENTS_TURN;
    app->wants_frame = app->wants_frame || count > 0;
}
