/* app_log.c - the output of attempts, from the log to the screen: all lines for the Log screen, the
 * last lines for the panes. */
#include "app_internal.h"
#include "event_lines.h"

/* Returns true if both refer to the same attempt and to the same form of its output. */
static bool app_same_output(const struct log_output_key *a, const struct log_output_key *b)
{
    return a->run == b->run && a->task == b->task && a->step == b->step &&
           a->attempt == b->attempt && a->readable == b->readable;
}

/* Returns the wall-clock time in ms after which output is not shown; INT64_MAX = show all. */
static int64_t app_until(const struct app *app)
{
    return app_is_bounded(app) && !app->view.shows_later ? app_facts(app).now.at_ms : INT64_MAX;
}

/* Returns true if reading again would give the same result. */
static bool app_same_version(const struct app_log_version *a, const struct app_log_version *b)
{
    return a->news == b->news && a->seq == b->seq && a->until_ms == b->until_ms;
}

/* Returns the current version; a read made with an equal version is up to date. */
static struct app_log_version app_version_now(const struct app *app)
{
    return (struct app_log_version){.news = app->news,
                                    .seq = follower_state(app->follower)->last_seq,
                                    .until_ms = app_until(app)};
}

/* The source of the pager's lines. */
struct app_source {
    struct log_reader *reader;
    const struct log_output_key *key;
};

static bool read_rows(void *ctx, int64_t after, size_t bytes, struct output_page *page,
                      struct err *err)
{
    const struct app_source *source = ctx;
    return log_reader_output_piece(source->reader, source->key, after, bytes, page, err);
}

/* Reads the attempt's verdict from the log, to mark the line that it is based on: the state only
 * has the verdict of the latest failed attempt. */
static void read_rule(struct app *app)
{
    struct err err = {0};
    struct verdict verdict = verdict_new();
    if (!log_reader_attempt_events(follower_reader(app->follower), &app->pager.key,
                                   &app->log_events, &err))
        return; /* then no line is marked */
    const struct event *judged = attempt_events_last(&app->log_events, EVENT_ATTEMPT_JUDGED);
    if (judged)
        verdict_from_record(&judged->judged, &verdict);
    log_pager_set_rule(&app->pager, &verdict);
}

static void say_words(struct app *app, bool is_new)
{
    const struct run_state *state = follower_state(app->follower);
    const struct log_output_key *key = &app->pager.key;
    const struct attempt_state *attempt = log_words_attempt(state, key);
    struct str words = {0};
    log_pager_unsay(&app->pager);
    if (!attempt)
        return;
    log_words_command(state, key, &words);
    if (words.len > 0)
        log_pager_say_before(&app->pager, attempt->started.at_ms, words.data);
    str_clear(&words);
    log_words_end(state, key, &words);
    if (words.len > 0)
        log_pager_say_after(&app->pager, attempt->ended.at_ms, words.data);
    str_clear(&words);
    log_words_decision(state, key, &words);
    if (words.len > 0)
        log_pager_say_after(&app->pager, attempt->ended.at_ms, words.data);
    str_done(&words);
    struct verdict room;
    const struct verdict *verdict = log_words_verdict(state, key, &room);
    if (verdict)
        log_pager_set_rule(&app->pager, verdict);
    else if (is_new && attempt->ended.mono_ms != 0 && attempt->class != VERDICT_SUCCESS)
        read_rule(app);
}

/* Returns true if the user is reading in the live tail, where newer output would push the lines
 * out. The lines then stay until the user follows again or the attempt is over. */
static bool stays_still(const struct app *app, const struct app_log_version *version)
{
    const struct attempt_state *attempt =
        log_words_attempt(follower_state(app->follower), &app->pager.key);
    return app->view.log.stays && version->until_ms == app->pager_version.until_ms && attempt &&
           attempt->ended.mono_ms == 0 &&
           log_pager_is_fleeting(&app->pager, log_pager_number(&app->pager, app->view.log.top));
}

/* Handles a change of attempt, or new output of the current one. */
static void take_changes(struct app *app)
{
    const struct view_try at = view_try_now(&app->view, follower_state(app->follower));
    const struct log_output_key key = {.run = follower_run(app->follower)->number,
                                       .task = at.task,
                                       .step = at.step,
                                       .attempt = at.attempt,
                                       .readable = !app->view.log.raw};
    const struct app_log_version version = app_version_now(app);
    const bool is_new = !app_same_output(&key, &app->pager.key);
    if (!is_new && app_same_version(&version, &app->pager_version))
        return;
    app->view.log.is_still = !is_new && stays_still(app, &version);
    if (app->view.log.is_still)
        return;
    if (is_new) {
        log_pager_begin(&app->pager, &key);
        view_log_restart(&app->view.log);
    }
    app->pager_version = version;
    log_pager_news(&app->pager, version.until_ms, log_pager_number(&app->pager, app->view.log.top));
    say_words(app, is_new);
}

static bool read_others(void *ctx, const struct log_output_key *key, int64_t after, size_t bytes,
                        struct output_page *page, struct err *err)
{
    return log_reader_output_piece(ctx, key, after, bytes, page, err);
}

/* Searches other attempts for a term that is not in this log, and shows the number of hits once it
 * is known. */
static bool look_elsewhere(struct app *app, struct err *err)
{
    const struct elsewhere_source source = {.read = read_others,
                                            .ctx = follower_reader(app->follower)};
    const struct log_pager *pager = &app->pager;
    struct log_elsewhere *elsewhere = &app->elsewhere;
    const bool is_nowhere = pager->needle[0] != '\0' && pager->found.count == 0 &&
                            log_pager_is_done(pager) && !app->view.search.open;
    if (!is_nowhere) {
        log_elsewhere_stop(elsewhere);
        return true;
    }
    log_elsewhere_begin(elsewhere, &pager->key, pager->needle, app_until(app));
    if (elsewhere->is_done)
        return true;
    if (!log_elsewhere_turn(elsewhere, follower_state(app->follower), &source, err))
        return false;
    if (elsewhere->is_done) {
        struct str words = {0};
        log_elsewhere_words(elsewhere, &words);
        view_say(&app->view, &app->now, "%s", str_text(&words));
        str_done(&words);
    }
    return true;
}

/* Returns true if there is nothing left to read or search. */
static bool is_log_done(const struct app *app)
{
    return log_pager_is_done(&app->pager) && (!app->elsewhere.is_on || app->elsewhere.is_done);
}

void app_load_log(struct app *app, const struct view_facts *facts)
{
    struct err err = {0};
    const bool is_shown = view_screen(&app->view) == SCREEN_LOG && app->view.chosen >= 0;
    app->log_goes_on = false;
    if (!is_shown)
        return;
    struct app_source rows = {follower_reader(app->follower), &app->pager.key};
    const struct log_source source = {.read = read_rows, .ctx = &rows};
    bool ok = true;
    take_changes(app);
    view_log_sync(&app->view, &app->pager);
    do /* a picture must be complete after a single turn */
        ok = log_pager_turn(&app->pager, &source, &err);
    while (ok && app->pictured && !log_pager_is_done(&app->pager));
    view_log_sync(&app->view, &app->pager);
    ok = ok && view_log_settle(&app->view, facts, &app->pager, &source, &err) &&
         look_elsewhere(app, &err);
    if (!ok)
        view_say(&app->view, &app->now, "%s", err.message);
    app->log_goes_on = ok && !is_log_done(app);
}

void app_log_go_on(struct app *app)
{
    struct err err = {0};
    /* A key may have moved past what has been read. The next frame handles that. */
    if (!app->log_goes_on || app->wants_frame_now)
        return;
    struct app_source rows = {follower_reader(app->follower), &app->pager.key};
    const struct log_source source = {.read = read_rows, .ctx = &rows};
    app->log_goes_on = log_pager_turn(&app->pager, &source, &err) && look_elsewhere(app, &err) &&
                       !is_log_done(app);
    app->wants_frame = true;
}

/* Returns the attempt whose output the panes show: on Detail the attempt in view, otherwise the
 * latest attempt of the selected task. */
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
    const struct step_state *steps = state->tasks[key.task].steps;
    key.step = run_state_step_number(state, key.task);
    while (key.step > 0 && steps[key.step].attempt_count == 0)
        key.step--;
    const struct attempt_state *attempt = step_state_attempt(&steps[key.step]);
    key.attempt = attempt ? attempt->number : 0;
    return key;
}

/* In a replay, reads the output from its start to the cursor, because the end at that moment is
 * somewhere in the middle of the log now. */
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

static bool load_key(struct app *app, const struct log_output_key *key, struct err *err)
{
    log_tail_clear(&app->tail);
    app->tail.key = *key;
    if (key->attempt == 0)
        return true;
    if (app_is_bounded(app))
        return load_until(app, key, app_until(app), err);
    struct log_reader *reader = follower_reader(app->follower);
    if (!log_reader_output_tail(reader, key, LOG_TAIL_BYTES, &app->page, err))
        return false;
    log_tail_set(&app->tail, key, &app->page, INT64_MAX);
    return true;
}

/* If the current step has no output, as with a silent check, loads the last step before it that has
 * output, so that the agent's text stays visible. */
static bool load_words(struct app *app, const struct log_output_key *present, struct err *err)
{
    const struct run_state *state = follower_state(app->follower);
    const struct task_state *task = &state->tasks[present->task];
    bool ok = load_key(app, present, err);
    bool is_after_agent = false;
    for (int step = 0; step < present->step; step++)
        is_after_agent = is_after_agent || state->plan->tasks[present->task].steps[step].agent;
    if (view_screen(&app->view) == SCREEN_DETAIL || !is_after_agent)
        return ok;
    for (int step = present->step - 1; ok && step >= 0 && app->tail.count == 0; step--) {
        struct log_output_key key = *present;
        key.step = step;
        key.attempt = (int)task->steps[step].attempt_count;
        ok = load_key(app, &key, err);
    }
    return ok && app->tail.count == 0 ? load_key(app, present, err) : ok;
}

/* Appends how the attempt ended and what the engine decided, below its output. */
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

    /* Keep the scroll position while new lines arrive. */
    if (!app_same_output(&app->tail.key, &before_key))
        app->view.log_back = 0;
    else if (app->view.log_back > 0 && app->tail.count > before)
        app->view.log_back += app->tail.count - before;
}
