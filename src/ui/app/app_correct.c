/* app_correct.c - a new rule: tried on recorded output in a separate thread, then saved. */
#include <pthread.h>
#include <stdlib.h>

#include "app_internal.h"
#include "classify.h"
#include "quiet_thread.h"
#include "xalloc.h"

static void tell_news(struct app *app, const struct correct_trial_news *news)
{
    correct_news(&app->view.correct, news, app->now.mono_ms);
    app->wants_frame_now = true;
}

void app_rule_try(struct app *app)
{
    /* The state shown while the thread of a cancelled trial is still stopping. */
    static const struct correct_trial_news still_ends = {
        .over = true,
        .failed = true,
        .words = "the previous trial is still stopping; try again in a moment"};
    app_rule_look(app);
    if (app->trial) {
        tell_news(app, &still_ends);
        return;
    }
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

void app_rule_save(struct app *app)
{
    const struct app_options *options = app->options;
    struct correct *correct = &app->view.correct;
    struct err err = {0};
    struct str rule = {0};
    if (!options->save_rule) {
        correct_saved(
            correct, options->far ? "rules of another machine are saved there: use devs rules --add"
                                  : "cannot save the rule here: use devs rules --add");
        return;
    }
    correct_rule_json(correct, &rule);
    if (options->save_rule(options->save_ctx, str_text(&rule), &err)) {
        struct str rules = {0}; /* the next trial uses the rule too */
        if (rule_list_add(app->rules.len > 0 ? app->rules.data : NULL, str_text(&rule), &rules,
                          NULL)) {
            str_done(&app->rules);
            app->rules = rules;
        }
        view_say(&app->view, &app->now, "rule %s saved; new runs will use it",
                 correct->fields[CORRECT_ID].text);
        correct_saved(correct, NULL);
    } else {
        correct_saved(correct, err.message);
    }
    str_done(&rule);
}

struct correct_trial {
    /* Set before the thread starts. */
    correct_trial_fn *run;
    const struct place *place; /* borrowed */
    struct str rules;
    struct str new_rules;

    /* Only used by the thread that started it. */
    pthread_t thread;
    bool has_thread;
    bool cancelled;

    pthread_mutex_t lock; /* guards the fields below */
    bool stopping;
    bool over; /* nothing changes once this is set */
    bool failed;
    int64_t done, total;
    struct str words;
};

static bool report_trial(void *ctx, int64_t done, int64_t total)
{
    struct correct_trial *trial = ctx;
    (void)pthread_mutex_lock(&trial->lock);
    trial->done = done;
    trial->total = total;
    bool goes_on = !trial->stopping;
    (void)pthread_mutex_unlock(&trial->lock);
    return goes_on;
}

static void *run_trial(void *arg)
{
    struct correct_trial *trial = arg;
    struct err err = {0};
    struct rule_trial *result = xcalloc(1, sizeof(*result));
    const struct rule_trial_asked asked = {
        .place = trial->place,
        .rules = trial->rules.len > 0 ? trial->rules.data : NULL,
        .new_rules = str_text(&trial->new_rules),
        .progress = report_trial,
        .ctx = trial,
    };
    struct str words = {0};
    bool ok = trial->run(&asked, result, &err);
    if (ok)
        rule_trial_words(result, &words);
    else
        str_add(&words, err.message);
    free(result);

    (void)pthread_mutex_lock(&trial->lock);
    trial->words = words;
    trial->failed = !ok;
    trial->over = true;
    (void)pthread_mutex_unlock(&trial->lock);
    return NULL;
}

bool correct_trial_start(struct correct_trial **out, const struct correct_trial_job *job,
                         struct err *err)
{
    struct correct_trial *trial = xcalloc(1, sizeof(*trial));
    trial->run = job->run;
    trial->place = job->place;
    (void)pthread_mutex_init(&trial->lock, NULL); /* cannot fail with no attributes */
    str_add(&trial->rules, job->rules ? job->rules : "");
    bool ok = rule_list_add(job->rules, job->rule, &trial->new_rules, err);
    if (ok) {
        int code = quiet_thread_start(&trial->thread, run_trial, trial);
        trial->has_thread = code == 0;
        ok = code == 0 || err_set_errno(err, code, "cannot try the rule");
    }
    if (ok)
        *out = trial;
    else
        correct_trial_stop(trial);
    return ok;
}

void correct_trial_cancel(struct correct_trial *trial)
{
    (void)pthread_mutex_lock(&trial->lock);
    trial->stopping = true;
    (void)pthread_mutex_unlock(&trial->lock);
    trial->cancelled = true;
}

void correct_trial_stop(struct correct_trial *trial)
{
    if (!trial)
        return;
    correct_trial_cancel(trial);
    if (trial->has_thread)
        (void)pthread_join(trial->thread, NULL);
    str_done(&trial->rules);
    str_done(&trial->new_rules);
    str_done(&trial->words);
    (void)pthread_mutex_destroy(&trial->lock);
    free(trial);
}

struct correct_trial_news correct_trial_look(struct correct_trial *trial)
{
    (void)pthread_mutex_lock(&trial->lock);
    struct correct_trial_news news = {.over = trial->over,
                                      .failed = trial->failed,
                                      .done = trial->done,
                                      .total = trial->total,
                                      .words = str_text(&trial->words)};
    (void)pthread_mutex_unlock(&trial->lock);
    return news;
}

bool correct_trial_is_cancelled(const struct correct_trial *trial)
{
    return trial->cancelled;
}
