/* app_acts.c - acts on tasks: sends them to the control desk and reports their answers later. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_internal.h"
#include "redact.h"
#include "shown.h"
#include "text.h"
#include "view.h"
#include "xalloc.h"

/* The three forms of an act's verb used in messages. */
struct act_words {
    const char *noun, *done, *not_done;
};

static const struct act_words *words_of(const struct control *control)
{
    static const struct act_words verbs[CONTROL_VERB_COUNT] = {
        [CONTROL_CANCEL] = {"cancel", "cancelled", "not cancelled"},
        [CONTROL_RETRY] = {"retry", "retried", "not retried"},
        [CONTROL_HOLD] = {"hold", "held", "not held"},
        [CONTROL_RELEASE] = {"release", "released", "not released"},
        [CONTROL_SEND_ONE] = {"send", "sent", "not sent"},
        [CONTROL_CORRECT] = {"correction", "corrected", "not corrected"},
    };
    static const struct act_words modes[CANCEL_MODE_COUNT] = {
        [CANCEL_STOP] = {"stop", "stopped", "not stopped"},
        [CANCEL_TERM] = {"cancel", "cancelled", "not cancelled"},
        [CANCEL_KILL] = {"kill", "killed", "not killed"},
    };
    const struct act_words *words =
        control->verb == CONTROL_CANCEL ? &modes[control->mode] : &verbs[control->verb];
    assert(words->done);
    return words;
}

static const char *name_of_subject(const struct app_acts *acts, const struct control *control)
{
    const bool one = control->task >= 0 && control->task < acts->state->plan->task_count;
    return one ? acts->state->plan->tasks[control->task].id : "the run";
}

/* Appends what was requested, for one task ("tax: kill requested") or several ("6 tasks: hold
 * requested"). */
static void app_acts_asked(const struct app_acts *acts, const struct control *control, int count,
                           struct str *out)
{
    if (count == 1)
        str_addf(out, "%s: %s", name_of_subject(acts, control), words_of(control)->noun);
    else
        str_addf(out, "%d tasks: %s", count, words_of(control)->noun);
    str_add(out, control->hint[0] != '\0' ? " with a hint requested" : " requested");
}

/* Appends that a request had no effect: "tax not killed: it has ended". */
static void app_acts_refused(const struct app_acts *acts, const struct control *control, int count,
                             const char *why, struct str *out)
{
    if (count == 1)
        str_addf(out, "%s ", name_of_subject(acts, control));
    else
        str_addf(out, "%d tasks ", count);
    str_addf(out, "%s: %s", words_of(control)->not_done, why);
}

/* Sends a request. Fails with ERR_LIMIT if too many are pending. */
static bool app_acts_ask(struct app_acts *acts, const struct control *control, struct err *err)
{
    if (!acts->desk)
        return err_set(err, ERR_INVALID, "this run cannot be changed from here");
    if (acts->count == APP_ACTS_MAX)
        return err_set(err, ERR_LIMIT, "%d requests are still pending; wait a moment",
                       APP_ACTS_MAX);
    struct app_act act = {.control = *control};
    if (!control_desk_ask(acts->desk, acts->run, control, &act.ticket, err))
        return false;
    acts->acts[acts->count++] = act;
    return true;
}

void app_acts_done(struct app_acts *acts)
{
    free(acts->batch.targets);
    str_done(&acts->batch.refusal);
    acts->batch = (struct app_batch){0};
}

bool app_acts_are_open(const struct app_acts *acts)
{
    return acts->count > 0 || acts->batch.count > 0;
}

static void count_answer(struct app_batch *batch, bool done, const char *words)
{
    batch->done += done;
    batch->refused += !done;
    if (done)
        return;
    str_clear(&batch->refusal);
    str_add(&batch->refusal, words);
}

/* Sends as many requests of the batch as the limit of pending requests allows. A request that
 * cannot be sent counts as refused. */
static void ask_rest_of_batch(struct app_acts *acts)
{
    struct app_batch *batch = &acts->batch;
    while (batch->asked < batch->count && acts->count < APP_ACTS_MAX) {
        const struct view_target *target = &batch->targets[batch->asked];
        struct err err = {0};
        struct control control = batch->control;
        control.task = target->task;
        control.step = target->step;
        control.attempt = target->attempt;
        bool asked = app_acts_ask(acts, &control, &err);
        if (!asked && err.code == ERR_LIMIT)
            return; /* try again later */
        batch->asked++;
        if (asked)
            acts->acts[acts->count - 1].of_batch = true;
        else
            count_answer(batch, false, err.message);
    }
}

/* Sends the same request for `count` tasks; copies the targets. Fails with ERR_LIMIT while another
 * batch is pending. */
static bool app_acts_ask_many(struct app_acts *acts, const struct control *control,
                              const struct view_target *targets, int count, struct err *err)
{
    if (!acts->desk)
        return err_set(err, ERR_INVALID, "this run cannot be changed from here");
    if (acts->batch.count > 0)
        return err_set(err, ERR_LIMIT, "requests for %d tasks are still pending; wait a moment",
                       acts->batch.count - acts->batch.done - acts->batch.refused);
    app_acts_done(acts);
    size_t cap = 0;
    acts->batch = (struct app_batch){.control = *control, .count = count};
    acts->batch.targets = xgrow(NULL, &cap, (size_t)count + 1, sizeof(*targets));
    memcpy(acts->batch.targets, targets, (size_t)count * sizeof(*targets));
    ask_rest_of_batch(acts);
    return true;
}

/* Writes the message for an answer to *out: "tax held: no new tries until it is released", "tax:
 * KILL sent to its group". */
static void add_answer(const struct app_acts *acts, const struct app_act *act, bool done,
                       const char *answer, struct str *out)
{
    const char *word = words_of(&act->control)->done;
    const bool has_word = strncmp(answer, word, strlen(word)) == 0;
    str_clear(out);
    if (!done)
        app_acts_refused(acts, &act->control, 1, answer, out);
    else if (answer[0] == '\0')
        str_addf(out, "%s %s", name_of_subject(acts, &act->control), word);
    else
        str_addf(out, "%s%s %s", name_of_subject(acts, &act->control), has_word ? "" : ":", answer);
}

/* Checks whether the request was written, and then for an answer from the run's owner. Returns true
 * once this act is finished. */
static bool look_at_act(struct app_acts *acts, struct app_act *act, struct log_reader *reader,
                        struct str *out)
{
    struct err err = {0};
    struct str words = {0};
    bool answered = false, done = false;
    const bool ok = act->row != 0 || control_desk_row(acts->desk, act->ticket, &act->row, &err);
    if (ok && act->row == 0)
        return false;
    const bool read = ok && log_reader_answer(reader, act->row, &answered, &done, &words, &err);
    const bool is_finished = !read || answered;
    const char *answer = read ? str_text(&words) : err.message;
    done = read && done;
    if (is_finished && act->of_batch) {
        struct str named = {0};
        str_addf(&named, "%s: %s", acts->state->plan->tasks[act->control.task].id, answer);
        count_answer(&acts->batch, done, str_text(&named));
        str_done(&named);
    } else if (is_finished) {
        acts->refused = !done;
        add_answer(acts, act, done, answer, out);
    }
    str_done(&words);
    return is_finished;
}

/* Checks for answers and writes the message for the last one to *out ("tax held: no new tries until
 * it is released", "tax not held: it is held already"). A batch is reported once all its requests
 * are answered ("6 tasks held", "5 tasks held, 1 not: b: it is held already"). Returns true if *out
 * has a message. */
static bool app_acts_look(struct app_acts *acts, struct log_reader *reader, struct str *out)
{
    int kept = 0;
    for (int i = 0; i < acts->count; i++) {
        if (!look_at_act(acts, &acts->acts[i], reader, out))
            acts->acts[kept++] = acts->acts[i];
    }
    acts->count = kept;
    ask_rest_of_batch(acts);
    struct app_batch *batch = &acts->batch;
    if (batch->count == 0 || batch->done + batch->refused != batch->count)
        return out->len > 0;
    const char *done = words_of(&batch->control)->done;
    acts->refused = batch->done == 0;
    str_clear(out);
    if (batch->done == 0) {
        str_addf(out, "none of %d tasks %s: %s", batch->refused, done, str_text(&batch->refusal));
    } else {
        shown_count(batch->done, "task ", "tasks ", out);
        str_add(out, done);
        if (batch->refused > 0)
            str_addf(out, ", %d not: %s", batch->refused, str_text(&batch->refusal));
    }
    batch->count = 0;
    return out->len > 0;
}

/* Returns the view's request, ready to be sent. The hint is free text from the user, so secrets
 * known to this process are redacted before it is written anywhere. */
static struct control control_of(const struct app *app, const struct view_todo *todo)
{
    struct control control = todo->control;
    struct str cut = {0};
    (void)snprintf(control.by, sizeof(control.by), "%s", app->options->by ? app->options->by : "");
    redact_text(app->options->redactor, control.hint, strlen(control.hint), &cut, NULL);
    size_t len = text_cut(str_text(&cut), cut.len, sizeof(control.hint) - 1);
    memcpy(control.hint, str_text(&cut), len);
    control.hint[len] = '\0';
    str_done(&cut);
    return control;
}

/* Shows the message and keeps it as the latest manual action. */
static void show_answer(struct app *app, const char *words)
{
    struct view *view = &app->view;
    view_say(view, &app->now, "%s%s", app->undoes ? "undo: " : "", words);
    (void)snprintf(view->last_act, sizeof(view->last_act), "%s", view->message);
}

/* For a run that has ended and has no owner: leaves the app so that the caller starts an engine, or
 * shows why not. Returns false if the requests should be sent as usual. */
static bool take_up_run(struct app *app, const struct control *asked, size_t count)
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
        show_answer(app, str_text(&words));
    }
    str_done(&words);
    str_done(&why);
    return what != APP_TAKE_UP_OWNED;
}

void app_ask(struct app *app, const struct view_todo *todo)
{
    const struct control control = control_of(app, todo);
    struct err err = {0};
    struct str words = {0};
    app->undoes = todo->is_undo;
    if (take_up_run(app, &control, 1))
        return;
    if (app_acts_ask(&app->acts, &control, &err))
        app_acts_asked(&app->acts, &control, 1, &words);
    else
        app_acts_refused(&app->acts, &control, 1, err.message, &words);
    show_answer(app, str_text(&words));
    str_done(&words);
}

/* Sends the same act for all targets of the view. */
void app_ask_many(struct app *app, const struct view_todo *todo)
{
    struct control control = control_of(app, todo);
    struct err err = {0};
    struct str words = {0};
    int count = app->view.target_count;
    app->undoes = todo->is_undo;
    struct control *asked = xcalloc((size_t)count + 1, sizeof(*asked));
    for (int i = 0; i < count; i++) {
        asked[i] = control;
        asked[i].task = app->view.targets[i].task;
        asked[i].step = app->view.targets[i].step;
        asked[i].attempt = app->view.targets[i].attempt;
    }
    const bool is_done = count > 0 && take_up_run(app, asked, (size_t)count);
    free(asked);
    if (is_done)
        return;
    if (count > 0)
        control.task = app->view.targets[0].task; /* with a single target, the message names it */
    if (app_acts_ask_many(&app->acts, &control, app->view.targets, count, &err))
        app_acts_asked(&app->acts, &control, count, &words);
    else
        app_acts_refused(&app->acts, &control, count, err.message, &words);
    show_answer(app, str_text(&words));
    str_done(&words);
}

void app_answer_acts(struct app *app)
{
    struct str words = {0};
    if (!app_acts_are_open(&app->acts))
        return;
    if (app_acts_look(&app->acts, follower_reader(app->follower), &words)) {
        if (app->acts.refused)
            view_undo_done(&app->view.undo); /* the act had no effect */
        show_answer(app, str_text(&words));
        app->view.message_undo = !app_acts_are_open(&app->acts);
        app->wants_frame_now = true;
    }
    str_done(&words);
}
