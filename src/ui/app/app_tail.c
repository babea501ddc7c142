/* app_tail.c - what an attempt wrote, from the log to the panes: the last lines of it. */
#include "app_parts.h"
#include "log_words.h"

static const struct step_state *step_with_output(const struct run_state *state, int task,
                                                 int *number_out)
{
    int number = run_state_step_number(state, task);
    const struct step_state *steps = state->tasks[task].steps;
    while (number > 0 && steps[number].attempt_count == 0)
        number--;
    *number_out = number;
    return &steps[number];
}

/* The attempt whose output panes show: that which the task's detail is about, elsewhere the latest
 * of the chosen task. */
static struct log_output_key pane_key(const struct app *app)
{
    const struct run_state *state = follower_state(app->follower);
    const struct view_try at = view_try_now(&app->view, state);
    struct log_output_key key = {
        .run = follower_run(app->follower)->number, .task = app->view.chosen, .readable = true};
    if (view_screen(&app->view) == SCREEN_DETAIL) {
        key.step = at.step;
        key.attempt = at.attempt;
        return key;
    }
    const struct step_state *step = step_with_output(state, key.task, &key.step);
    const struct attempt_state *attempt = step_state_attempt(step);
    key.attempt = attempt ? attempt->number : 0;
    return key;
}

/* In a replay the output is read from its start up to the cursor, for what the
 * end of it was then is somewhere in the middle now. */
static bool load_until(struct app *app, const struct log_output_key *key, int64_t until_ms,
                       struct err *err)
{
    struct log_reader *reader = follower_reader(app->follower);
    int64_t after = 0;
    bool more = true;
    bool ok = true;
    log_tail_begin(&app->tail, key);
    while (ok && more) {
        ok = log_reader_output(reader, key, after, &app->page, err);
        more = ok && app->page.count > 0;
        if (!more)
            break;
        const struct log_output_row *last = &app->page.rows[app->page.count - 1];
        log_tail_add(&app->tail, &app->page, until_ms);
        more = last->at_ms <= until_ms;
        after = last->id;
    }
    log_tail_end(&app->tail);
    return ok;
}

static bool load(struct app *app, const struct log_output_key *key, struct err *err)
{
    if (app_is_bounded(app))
        return load_until(app, key, app_until(app), err);
    struct log_reader *reader = follower_reader(app->follower);
    if (!log_reader_output_tail(reader, key, LOG_TAIL_BYTES, &app->page, err))
        return false;
    log_tail_set(&app->tail, key, &app->page, INT64_MAX);
    return true;
}

static bool load_key(struct app *app, const struct log_output_key *key, struct err *err)
{
    log_tail_clear(&app->tail);
    app->tail.key = *key;
    return key->attempt == 0 || load(app, key, err);
}

static bool is_after_agent(const struct app *app, const struct log_output_key *key)
{
    const struct plan_task *task = &follower_state(app->follower)->plan->tasks[key->task];
    bool found = false;
    for (int step = 0; step < key->step; step++)
        found = found || task->steps[step].agent;
    return found;
}

/* A check that says nothing would hide what the agent has said: then the last step before it
 * that has words is shown. */
static bool load_words(struct app *app, const struct log_output_key *present, struct err *err)
{
    const struct task_state *task = &follower_state(app->follower)->tasks[present->task];
    bool ok = load_key(app, present, err);
    if (view_screen(&app->view) == SCREEN_DETAIL || !is_after_agent(app, present))
        return ok;
    for (int step = present->step - 1; ok && step >= 0 && app->tail.count == 0; step--) {
        struct log_output_key key = *present;
        key.step = step;
        key.attempt = (int)task->steps[step].attempt_count;
        ok = load_key(app, &key, err);
    }
    return ok && app->tail.count == 0 ? load_key(app, present, err) : ok;
}

/* How it ended, below what it wrote. */
static void say_ending(struct app *app)
{
    const struct run_state *state = follower_state(app->follower);
    const struct log_output_key *key = &app->tail.key;
    const struct attempt_state *attempt = log_words_attempt(state, key);
    struct str end = {0};
    struct str decision = {0};
    if (attempt) {
        log_words_end(state, key, &end);
        log_words_decision(state, key, &decision);
    }
    if (end.len > 0)
        log_tail_say(&app->tail, attempt->ended.at_ms, end.data);
    if (decision.len > 0)
        log_tail_say(&app->tail, attempt->ended.at_ms, decision.data);
    str_done(&end);
    str_done(&decision);
}

void app_load_tail(struct app *app)
{
    struct err err = {0};
    const size_t before = app->tail.count;
    if (app->view.chosen < 0) {
        log_tail_clear(&app->tail);
        return;
    }
    const struct log_output_key present = pane_key(app);
    const struct app_log_version version = app_version_now(app);
    if (app_same_output(&present, &app->tail_of) && app_same_version(&version, &app->tail_version))
        return;
    const struct log_output_key before_key = app->tail.key;
    const bool ok = load_words(app, &present, &err);
    if (!ok)
        view_say(&app->view, &app->now, "%s", err.message);
    app->tail_of = present;
    app->tail_version = version;
    say_ending(app);

    /* What a person has scrolled to stays where it is while lines come in. */
    if (!app_same_output(&app->tail.key, &before_key))
        app->view.log_back = 0;
    else if (app->view.log_back > 0 && app->tail.count > before)
        app->view.log_back += app->tail.count - before;
}
