/* app_picture.c - the cockpit without a terminal: one frame as text or as a picture. */
#include <strings.h>

#include "app_without_terminal.h"
#include "clock.h"
#include "svg.h"

bool app_read_marks(struct app *app, struct err *err)
{
    return follower_read(app->follower, 0, replay_take, &app->replay, NULL, err);
}

bool app_stand_at(struct app *app, struct replay_point point, struct err *err)
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

/* The run as it was then: the fold, and the time. */
static bool go_to(struct app *app, const char *words, struct err *err)
{
    struct replay_point point = {0};
    if (!app_read_marks(app, err))
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
        return err_set(err, ERR_NOT_FOUND, "there is no task '%s' then", id);
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
    (void)err_set(err, ERR_INVALID, "there is no view '%s'", name);
    return err_hint(err, "tasks, detail, log, forensics, timeline or runs");
}

void app_open_screen(struct app *app, enum screen screen)
{
    struct view_facts facts = app_facts(app);
    view_arrange(&app->view, &facts);
    if (screen != SCREEN_TASKS)
        (void)view_key(&app->view, (uint32_t)('1' + (int)screen), &facts);
    if (view_screen(&app->view) != screen)
        trail_go(&app->view.trail, screen);
}

static void write_svg(const struct app *app, const struct theme *theme, struct str *out)
{
    char hms[CLOCK_TEXT_MAX];
    struct str title = {0};
    const struct log_run_info *run = follower_run(app->follower);
    str_addf(&title, "devs, %s of run %lld %s, %s", screen_name(view_screen(&app->view)),
             (long long)run->number, run->name ? run->name : "",
             clock_hms(app_facts(app).now.at_ms, hms));
    svg_write(&app->canvas, theme, str_text(&title), out);
    str_done(&title);
}

static bool set_up(struct app *app, const struct app_picture *picture, enum screen screen,
                   struct err *err)
{
    if (!app_open_run(app, err) || !go_to(app, picture->at, err) ||
        !app_choose_task(app, picture->task, err))
        return false;
    if (picture->is_replay)
        app->mode = APP_REPLAY;
    app_open_screen(app, screen);
    return true;
}

bool app_draw_picture(const struct app_options *options, const struct app_picture *picture,
                      struct str *out, struct err *err)
{
    struct app app = {.options = options, .pictured = true};
    enum screen screen = SCREEN_TASKS;
    bool ok = app_screen_named(picture->view, &screen, err) && set_up(&app, picture, screen, err);
    if (ok) {
        canvas_init(&app.canvas, picture->rows, picture->columns, options->ascii);
        app_draw(&app);
        if (picture->theme)
            write_svg(&app, picture->theme, out);
        else
            canvas_to_text(&app.canvas, out);
    }
    app_close(&app);
    return ok;
}
