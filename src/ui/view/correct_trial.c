#include "correct_trial.h"

#include <pthread.h>
#include <stdlib.h>

#include "quiet_thread.h"
#include "rule_list.h"
#include "xalloc.h"

struct correct_trial {
    /* Set before the thread begins. */
    correct_trial_fn *run;
    const struct place *place; /* borrowed */
    struct str rules;
    struct str new_rules;

    /* Starting thread only. */
    pthread_t thread;
    bool has_thread;
    bool cancelled;

    pthread_mutex_t lock; /* guards what follows */
    bool stopping;
    bool over; /* from then on nothing changes any more */
    bool failed;
    int64_t done, total;
    struct str words;
};

static bool progress(void *ctx, int64_t done, int64_t total)
{
    struct correct_trial *trial = ctx;
    (void)pthread_mutex_lock(&trial->lock);
    trial->done = done;
    trial->total = total;
    bool goes_on = !trial->stopping;
    (void)pthread_mutex_unlock(&trial->lock);
    return goes_on;
}

static void *work(void *arg)
{
    struct correct_trial *trial = arg;
    struct err err = {0};
    struct rule_trial *result = xcalloc(1, sizeof(*result));
    const struct rule_trial_asked asked = {
        .place = trial->place,
        .rules = trial->rules.len > 0 ? trial->rules.data : NULL,
        .new_rules = str_text(&trial->new_rules),
        .progress = progress,
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
        int code = quiet_thread_start(&trial->thread, work, trial);
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
