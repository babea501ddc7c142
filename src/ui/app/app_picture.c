/* app_picture.c - the cockpit without a terminal: a single frame as text or as an image, and a
 * whole run as a recording. */
#include <string.h>
#include <strings.h>

#include "app_cast.h"
#include "app_internal.h"
#include "canvas_write.h"
#include "clock.h"

/* Restores the run as it was at this point of app->replay. */
static bool app_stand_at(struct app *app, struct replay_point point, struct err *err)
{
    if (!follower_seek(app->follower, point.seq, err))
        return false;
    app->replay.at = point.seq;
    app->replay.on_ms = point.on_ms;
    app->now = replay_now(&app->replay);
    app->news++;
    view_take_tasks(&app->view, follower_state(app->follower)->plan->task_count);
    return true;
}

/* Reads the whole run and moves to the moment that `words` describes, see replay_find(). NULL: the
 * end. */
static bool go_to_words(struct app *app, const char *words, struct err *err)
{
    struct replay_point point = {0};
    if (!follower_read(app->follower, 0, replay_take, &app->replay, NULL, err))
        return false;
    const struct run_state *state = follower_state(app->follower);
    app_bookmarks_load(app);
    const struct replay_words found = {.text = words ? words : "end",
                                       .plan = state->plan,
                                       .end_ms = state->last.at_ms,
                                       .bookmarks = app->bookmarks.items,
                                       .bookmark_count = app->bookmarks.count};
    return replay_find(&app->replay, &found, &point, err) && app_stand_at(app, point, err);
}

bool app_choose_task(struct app *app, const char *id, struct err *err)
{
    const struct plan *plan = follower_state(app->follower)->plan;
    int64_t seq = app->replay.at;
    while (!id && seq > 0 && app->replay.marks[seq - 1].task < 0)
        seq--;
    int task = id ? plan_find(plan, id) : seq > 0 ? app->replay.marks[seq - 1].task : -1;
    if (id && task < 0)
        return err_set(err, ERR_NOT_FOUND, "no task '%s' at that time", id);
    if (task >= 0) {
        app->view.chosen = task;
        app->view.choice_is_given = true;
    }
    return true;
}

bool app_screen_named(const char *name, enum screen *out, struct err *err)
{
    *out = SCREEN_TASKS;
    for (int i = 0; name && i < SCREEN_COUNT; i++) {
        if (strcasecmp(name, screen_name((enum screen)i)) == 0) {
            *out = (enum screen)i;
            return true;
        }
    }
    if (!name)
        return true;
    (void)err_set(err, ERR_INVALID, "unknown view '%s'", name);
    return err_hint(err, "use tasks, detail, log, forensics, timeline, runs or hosts");
}

void app_open_screen(struct app *app, enum screen screen)
{
    static const char keys[] = "1234568"; /* built-in keys, by screen */
    static_assert(sizeof(keys) - 1 == SCREEN_COUNT, "every screen has a key");
    struct view_facts facts = app_facts(app);
    view_arrange(&app->view, &facts);
    if (screen != SCREEN_TASKS)
        (void)view_key(&app->view, (uint32_t)keys[screen], &facts);
    if (view_screen(&app->view) != screen)
        trail_go(&app->view.trail, screen);
}

bool app_draw_picture(const struct app_options *options, const struct app_picture *picture,
                      struct str *out, struct err *err)
{
    struct app app = {.options = options, .pictured = true};
    enum screen screen = SCREEN_TASKS;
    bool ok = app_screen_named(picture->view, &screen, err) && app_open_run(&app, err) &&
              go_to_words(&app, picture->at, err) && app_choose_task(&app, picture->task, err);
    if (ok) {
        if (picture->is_replay)
            app.mode = APP_REPLAY;
        app_open_screen(&app, screen);
        canvas_init(&app.canvas, picture->rows, picture->columns, options->ascii);
        app_draw(&app);
    }
    if (ok && picture->theme) {
        const struct log_run_info *run = follower_run(app.follower);
        char hms[CLOCK_TEXT_MAX];
        struct str title = {0};
        str_addf(&title, "devs, %s of run %lld %s, %s", screen_name(view_screen(&app.view)),
                 (long long)run->number, run->name ? run->name : "",
                 clock_hms(app_facts(&app).now.at_ms, hms));
        svg_write(&app.canvas, picture->theme, str_text(&title), out);
        str_done(&title);
    } else if (ok) {
        canvas_to_text(&app.canvas, out);
    }
    app_close(&app);
    return ok;
}

enum { MS_PER_S = 1000 };

/* A recording in progress. */
struct casting {
    struct app app;
    const struct app_cast *cast; /* borrowed */
    struct canvas shown;         /* the present contents of the player's terminal */
    bool is_shown;
    int64_t at_ms;    /* time within the recording */
    int named;        /* the task given by the caller; -1 = none */
    int64_t chose_ms; /* when a task was last selected; -1 = never */
    int64_t frames;
    struct str ansi, line; /* reused */
};

static bool write_header(struct casting *casting, struct err *err)
{
    const struct log_run_info *run = follower_run(casting->app.follower);
    struct str *line = &casting->line;
    struct str title = {0};
    str_addf(&title, "devs run #%lld %s", (long long)run->number, run->name ? run->name : "");
    str_clear(line);
    str_add_char(line, '{');
    str_json_i64(line, "version", 2);
    str_json_i64(line, "width", casting->cast->columns);
    str_json_i64(line, "height", casting->cast->rows);
    str_json_i64(line, "timestamp", run->started_at_ms / MS_PER_S);
    str_json_text(line, "title", str_text(&title));
    str_add(line, ",\"env\":{\"TERM\":\"xterm-256color\"}}\n");
    str_done(&title);
    return casting->cast->write(casting->cast->ctx, str_text(line), line->len, err);
}

/* Writes [12.3,"o","..."]: seconds, "output", the bytes. */
static bool write_output(struct casting *casting, const struct str *bytes, struct err *err)
{
    struct str *line = &casting->line;
    str_clear(line);
    str_addf(line, "[%lld.%03lld,\"o\",", (long long)(casting->at_ms / MS_PER_S),
             (long long)(casting->at_ms % MS_PER_S));
    str_add_json(line, str_text(bytes), bytes->len);
    str_add(line, "]\n");
    return casting->cast->write(casting->cast->ctx, str_text(line), line->len, err);
}

/* Selects a task, because there is no user to do it: the named task, once the run has it, or else
 * the task of the latest event, at most every APP_CAST_CHOICE_MS. */
static void choose_cast_task(struct casting *casting)
{
    struct app *app = &casting->app;
    app->view.choice_is_given = true;
    const int task_count = follower_state(app->follower)->plan->task_count;
    if (casting->named >= 0) {
        if (casting->named < task_count)
            app->view.chosen = casting->named;
        return;
    }
    if (view_screen(&app->view) != SCREEN_TASKS)
        return;
    const int64_t at = app->replay.at;
    const int task = at > 0 ? app->replay.marks[at - 1].task : -1;
    const bool is_due =
        casting->chose_ms < 0 || casting->at_ms - casting->chose_ms >= APP_CAST_CHOICE_MS;
    if (task < 0 || !is_due || task == app->view.chosen)
        return;
    app->view.chosen = task;
    casting->chose_ms = casting->at_ms;
}

static bool write_frame(struct casting *casting, struct err *err)
{
    struct app *app = &casting->app;
    const struct replay_point point = {.seq = app->replay.at, .on_ms = app->replay.on_ms};
    if (!app_stand_at(app, point, err))
        return false;
    choose_cast_task(casting);
    app_draw(app);
    str_clear(&casting->ansi);
    canvas_ansi(casting->is_shown ? &casting->shown : NULL, &app->canvas, casting->cast->theme,
                &casting->ansi);
    if (casting->ansi.len == 0)
        return true;
    if (++casting->frames > APP_CAST_FRAMES_MAX) {
        (void)err_set(err, ERR_LIMIT, "the recording has more than %d frames", APP_CAST_FRAMES_MAX);
        return err_hint(err, "use --speed to make it shorter");
    }
    /* Keeps only the cells: there is no mouse in a recording. */
    const struct canvas *canvas = &app->canvas;
    memcpy(casting->shown.cells, canvas->cells,
           (size_t)canvas->rows * (size_t)canvas->columns * sizeof(*canvas->cells));
    casting->is_shown = true;
    return write_output(casting, &casting->ansi, err);
}

/* Plays the run, and writes a frame when an event arrives or when a clock on the screen
 * advances. */
static bool play_cast(struct casting *casting, struct err *err)
{
    const struct app_cast *cast = casting->cast;
    struct replay *replay = &casting->app.replay;
    int64_t seq = -1;
    int64_t second = -1;
    bool ok = true;
    replay->at = replay->count > 0 ? 1 : 0;
    replay->on_ms = 0;
    replay->speed = cast->speed * REPLAY_SPEED_ONE;
    replay->playing = true;
    do {
        const int64_t now_s = replay_now(replay).at_ms / MS_PER_S;
        if (replay->at != seq || now_s != second)
            ok = write_frame(casting, err);
        if (ok && cast->tell)
            ok = cast->tell(cast->ctx, replay->at, (int64_t)replay->count, err);
        seq = replay->at;
        second = now_s;
        casting->at_ms += APP_CAST_TICK_MS;
    } while (ok && replay_play(replay, APP_CAST_TICK_MS));
    return ok;
}

static bool set_up_cast(struct casting *casting, enum screen screen, struct err *err)
{
    struct app *app = &casting->app;
    const struct app_cast *cast = casting->cast;
    /* Reads the run to its end, so that app->replay has a point for each event. */
    if (!app_open_run(app, err) ||
        !follower_read(app->follower, 0, replay_take, &app->replay, NULL, err))
        return false;
    const struct plan *plan = follower_state(app->follower)->plan;
    casting->named = cast->task ? plan_find(plan, cast->task) : -1;
    if (cast->task && casting->named < 0)
        return err_set(err, ERR_NOT_FOUND, "no task '%s'", cast->task);
    const struct replay_point start = {.seq = app->replay.count > 0 ? 1 : 0};
    if (!app_stand_at(app, start, err))
        return false;
    choose_cast_task(casting);
    app_open_screen(app, screen);
    canvas_init(&app->canvas, cast->rows, cast->columns, app->options->ascii);
    canvas_init(&casting->shown, cast->rows, cast->columns, app->options->ascii);
    return true;
}

bool app_cast_write(const struct app_options *options, const struct app_cast *cast, struct err *err)
{
    struct casting casting = {
        .app = {.options = options, .pictured = true}, .cast = cast, .chose_ms = -1};
    enum screen screen = SCREEN_TASKS;
    const struct str nothing = {0};
    bool ok = app_screen_named(cast->view, &screen, err) && set_up_cast(&casting, screen, err) &&
              write_header(&casting, err) && play_cast(&casting, err);
    if (ok) {
        casting.at_ms += APP_CAST_STILL_MS;
        ok = write_output(&casting, &nothing, err);
    }
    canvas_done(&casting.shown);
    str_done(&casting.ansi);
    str_done(&casting.line);
    app_close(&casting.app);
    return ok;
}
