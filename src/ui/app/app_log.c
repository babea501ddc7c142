/* app_log.c - what an attempt wrote, from the log to the log's own screen: all of its lines. */
#include "app_parts.h"
#include "attempt_events.h"
#include "json.h"
#include "log_words.h"

bool app_same_output(const struct log_output_key *a, const struct log_output_key *b)
{
    return a->run == b->run && a->task == b->task && a->step == b->step &&
           a->attempt == b->attempt && a->readable == b->readable;
}

int64_t app_until(const struct app *app)
{
    return app_is_bounded(app) && !app->view.shows_later ? app_facts(app).now.at_ms : INT64_MAX;
}

bool app_same_version(const struct app_log_version *a, const struct app_log_version *b)
{
    return a->news == b->news && a->seq == b->seq && a->until_ms == b->until_ms;
}

struct app_log_version app_version_now(const struct app *app)
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

/* An attempt before the last that failed: only the log knows what its verdict went by. */
static void read_rule(struct app *app)
{
    struct err err = {0};
    struct verdict verdict = verdict_new();
    if (!log_reader_attempt_events(follower_reader(app->follower), &app->pager.key,
                                   &app->log_events, &err))
        return; /* then no line is marked */
    const struct event *judged = attempt_events_last(&app->log_events, EVENT_ATTEMPT_JUDGED);
    struct json *json = attempt_events_parse(judged ? judged->text : NULL);
    if (json)
        verdict_from_json(json, &verdict);
    json_free(json);
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

/* Who reads in the live tail keeps it until they follow again, or the attempt is over: newer
 * output would take it away. */
static bool is_still(const struct app *app, const struct app_log_version *version)
{
    const struct attempt_state *attempt =
        log_words_attempt(follower_state(app->follower), &app->pager.key);
    return app->view.log.stays && version->until_ms == app->pager_version.until_ms && attempt &&
           attempt->ended.mono_ms == 0 &&
           log_pager_is_fleeting(&app->pager, log_pager_number(&app->pager, app->view.log.top));
}

/* Another attempt, or news of this one. */
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
    app->view.log.is_still = !is_new && is_still(app, &version);
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

/* What is nowhere in this log may be in another one: how often, is said when it is known. */
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

/* Is there nothing left to read, nor to look for? */
static bool is_done(const struct app *app)
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
    do
        ok = log_pager_turn(&app->pager, &source, &err);
    while (ok && app->pictured && !log_pager_is_done(&app->pager)); /* there is no next turn */
    view_log_sync(&app->view, &app->pager);
    ok = ok && view_log_settle(&app->view, facts, &app->pager, &source, &err) &&
         look_elsewhere(app, &err);
    if (!ok)
        view_say(&app->view, &app->now, "%s", err.message);
    app->log_goes_on = ok && !is_done(app);
}

void app_log_go_on(struct app *app)
{
    struct err err = {0};
    /* A key may have led to where the task is not there yet: the frame that is due sees to it. */
    if (!app->log_goes_on || app->wants_frame_now)
        return;
    struct app_source rows = {follower_reader(app->follower), &app->pager.key};
    const struct log_source source = {.read = read_rows, .ctx = &rows};
    app->log_goes_on =
        log_pager_turn(&app->pager, &source, &err) && look_elsewhere(app, &err) && !is_done(app);
    app->wants_frame = true;
}
