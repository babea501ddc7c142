/* app_correct.c - a new rule: tried on what is recorded, then saved. */
#include "app_parts.h"
#include "rule_list.h"

static void tell_news(struct app *app, const struct correct_trial_news *news)
{
    correct_news(&app->view.correct, news, app->now.mono_ms);
    app->wants_frame_now = true;
}

/* A trial that was stopped ends in its own time; nobody waits for it. */
static bool still_ends(struct app *app)
{
    static const struct correct_trial_news news = {
        .over = true, .failed = true, .words = "the last trial still ends, try again in a moment"};
    app_rule_look(app);
    if (app->trial)
        tell_news(app, &news);
    return app->trial != NULL;
}

void app_rule_try(struct app *app)
{
    if (still_ends(app))
        return;
    struct err err = {0};
    struct str rule = {0};
    correct_rule_json(&app->view.correct, &rule);
    const struct correct_trial_job job = {.run = rule_trial_run,
                                          .place = app->options->place,
                                          .rules = app->rules.len > 0 ? app->rules.data : NULL,
                                          .rule = str_text(&rule)};
    if (!correct_trial_start(&app->trial, &job, &err)) {
        const struct correct_trial_news news = {.over = true, .failed = true, .words = err.message};
        tell_news(app, &news);
    }
    str_done(&rule);
}

void app_rule_stop(struct app *app)
{
    if (app->trial)
        correct_trial_cancel(app->trial);
}

void app_rule_look(struct app *app)
{
    if (!app->trial)
        return;
    struct correct_trial_news news = correct_trial_look(app->trial);
    bool moved = news.over || news.done != app->view.correct.done;
    if (!correct_trial_is_cancelled(app->trial) && moved)
        tell_news(app, &news);
    if (!news.over)
        return;
    correct_trial_stop(app->trial);
    app->trial = NULL;
}

/* The rules as they are now, for the next one. */
static void take_rule(struct app *app, const char *rule)
{
    struct str rules = {0};
    if (rule_list_add(app->rules.len > 0 ? app->rules.data : NULL, rule, &rules, NULL)) {
        str_done(&app->rules);
        app->rules = rules;
    }
}

void app_rule_save(struct app *app)
{
    const struct app_options *options = app->options;
    struct correct *correct = &app->view.correct;
    struct err err = {0};
    struct str rule = {0};
    if (!options->save_rule) {
        correct_saved(correct, "it cannot be saved here: devs rules --add does it");
        return;
    }
    correct_rule_json(correct, &rule);
    if (options->save_rule(options->save_ctx, str_text(&rule), &err)) {
        take_rule(app, str_text(&rule));
        view_say(&app->view, &app->now, "rule %s is saved; runs that start from now on use it",
                 correct->fields[CORRECT_ID].text);
        correct_saved(correct, NULL);
    } else {
        correct_saved(correct, err.message);
    }
    str_done(&rule);
}
