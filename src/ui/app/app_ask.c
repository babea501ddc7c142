/* app_ask.c - acts that a person asks for, and what was answered to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_parts.h"
#include "redact.h"
#include "text.h"
#include "view_undo.h"
#include "xalloc.h"

static void set_by(const struct app *app, struct control *control)
{
    const char *by = app->options->by ? app->options->by : "";
    (void)snprintf(control->by, sizeof(control->by), "%s", by);
}

/* A hint is a person's own words: what this process knows of secrets is cut before they are
 * written anywhere. */
static void cut_hint(const struct app *app, struct control *control)
{
    struct str cut = {0};
    redact_text(app->options->redactor, control->hint, strlen(control->hint), &cut, NULL);
    size_t len = text_cut(str_text(&cut), cut.len, sizeof(control->hint) - 1);
    memcpy(control->hint, str_text(&cut), len);
    control->hint[len] = '\0';
    str_done(&cut);
}

/* Say it, and keep it as what was done last by hand. */
static void tell(struct app *app, const char *words)
{
    struct view *view = &app->view;
    view_say(view, &app->now, "%s%s", app->undoes ? "undo: " : "", words);
    (void)snprintf(view->last_act, sizeof(view->last_act), "%s", view->message);
}

/* Of a run that has ended, and that nobody owns any more: the app leaves, so that its caller starts
 * an engine, or says why not. False: these are asked for as every act is. */
static bool take_up(struct app *app, const struct control *asked, size_t count)
{
    const struct app_options *options = app->options;
    const int64_t run = follower_run(app->follower)->number;
    struct str why = {0};
    struct str words = {0};
    if (!options->take_up || asked->verb != CONTROL_RETRY || app_present_mode(app) != VIEW_ENDED ||
        (options->engine_here && !app->engine_done))
        return false;
    const enum app_take_up what = options->take_up(options->take_up_ctx, run, asked, count, &why);
    if (what == APP_TAKE_UP_STARTS) {
        app_leave(app, APP_LEFT_TAKE_UP, 0);
        app->result.run = run;
        app->result.view = screen_name(view_screen(&app->view));
        app->result.asked = xcalloc(count, sizeof(*asked));
        app->result.asked_count = count;
        memcpy(app->result.asked, asked, count * sizeof(*asked));
    } else if (what == APP_TAKE_UP_REFUSED) {
        app_acts_refused(&app->acts, asked, (int)count, str_text(&why), &words);
        tell(app, str_text(&words));
    }
    str_done(&words);
    str_done(&why);
    return what != APP_TAKE_UP_OWNED;
}

static bool take_up_many(struct app *app, const struct control *control)
{
    const size_t count = (size_t)app->view.target_count;
    struct control *asked = xcalloc(count + 1, sizeof(*asked));
    for (size_t i = 0; i < count; i++) {
        asked[i] = *control;
        asked[i].task = app->view.targets[i].task;
        asked[i].step = app->view.targets[i].step;
        asked[i].attempt = app->view.targets[i].attempt;
    }
    const bool is_done = count > 0 && take_up(app, asked, count);
    free(asked);
    return is_done;
}

void app_ask(struct app *app, const struct view_todo *todo)
{
    struct control control = todo->control;
    struct err err = {0};
    struct str words = {0};
    set_by(app, &control);
    cut_hint(app, &control);
    app->undoes = todo->is_undo;
    if (take_up(app, &control, 1))
        return;
    if (app_acts_ask(&app->acts, &control, &err))
        app_acts_asked(&app->acts, &control, 1, &words);
    else
        app_acts_refused(&app->acts, &control, 1, err.message, &words);
    tell(app, str_text(&words));
    str_done(&words);
}

/* The same act of all the tasks that the view says. */
void app_ask_many(struct app *app, const struct view_todo *todo)
{
    struct control control = todo->control;
    struct err err = {0};
    struct str words = {0};
    int count = app->view.target_count;
    set_by(app, &control);
    cut_hint(app, &control);
    app->undoes = todo->is_undo;
    if (take_up_many(app, &control))
        return;
    if (count > 0)
        control.task = app->view.targets[0].task; /* who is named where it is the only one */
    if (app_acts_ask_many(&app->acts, &control, app->view.targets, count, &err))
        app_acts_asked(&app->acts, &control, count, &words);
    else
        app_acts_refused(&app->acts, &control, count, err.message, &words);
    tell(app, str_text(&words));
    str_done(&words);
}

void app_answer_acts(struct app *app)
{
    struct str words = {0};
    if (!app_acts_are_open(&app->acts))
        return;
    if (app_acts_look(&app->acts, follower_reader(app->follower), &words)) {
        if (app->acts.refused)
            view_undo_done(&app->view.undo); /* nothing came of it */
        tell(app, str_text(&words));
        app->view.message_undo = !app_acts_are_open(&app->acts);
        app->wants_frame_now = true;
    }
    str_done(&words);
}
