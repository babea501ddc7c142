#include "watch_run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "control_desk.h"
#include "exit_code.h"
#include "fail.h"
#include "follower.h"
#include "keys_file.h"
#include "log_reader.h"
#include "looks.h"
#include "rules_file.h"
#include "secrets.h"
#include "session.h"
#include "stream.h"
#include "take_up.h"
#include "text_file.h"

/* A rule goes to where the next run in this folder finds it; `ctx` is the folder. */
static bool save_rule(void *ctx, const char *rule_json, struct err *err)
{
    return rules_add(ctx, rule_json, err);
}

/* A log that cannot be written to can be looked at: acts are refused then. */
static bool open_desk(struct control_desk **out, const struct place *place, struct err *err)
{
    struct err why = {0};
    struct log_reader *reader = NULL;
    if (control_desk_start(out, place, &why) || log_reader_open(&reader, place, NULL)) {
        log_reader_close(reader);
        return true;
    }
    return err_set(err, why.code, "%s", why.message) || err_hint(err, "%s", why.hint);
}

/* After :plain: the same run as lines, until it ends. */
static int print_on(const struct place *place, const struct app_result *result)
{
    struct err err = {0};
    const struct stream stream = {.place = place,
                                  .run = result->run,
                                  .shown_seq = result->seen_seq,
                                  .form = STREAM_PLAIN,
                                  .folds = true,
                                  .follow = true,
                                  .done_fd = -1,
                                  .signal_fd = -1};
    warn("run #%lld continues as lines: ^C ends these alone, devs has the screen again",
         (long long)result->run);
    return stream_print(&stream, &err) ? EXIT_ALL_PASSED : fail(&err);
}

/* May an engine be started for these retries? `ctx` is the place. */
static enum app_take_up may_take_up(void *ctx, int64_t run, const struct control *controls,
                                    size_t count, struct str *why)
{
    static const char refused[] = "refused: ";
    const struct take_up_asked asked = {
        .place = ctx, .run = run, .controls = controls, .count = count};
    struct str answers = {0};
    struct err err = {0};
    size_t done = 0;
    if (!take_up_is_needed(ctx, run))
        return APP_TAKE_UP_OWNED;
    if (!take_up_check(&asked, &answers, &done, &err)) {
        str_add(why, err.message);
        done = 0;
    } else if (done == 0) {
        const char *first = strstr(str_text(&answers), refused);
        const char *words = first ? first + strlen(refused) : str_text(&answers);
        str_add_n(why, words, strcspn(words, "\n"));
    }
    str_done(&answers);
    return done > 0 ? APP_TAKE_UP_STARTS : APP_TAKE_UP_REFUSED;
}

/* The screen is gone: an engine, and the screen again, of the same run. */
static int take_up(const struct globals *globals, const struct place *place,
                   const struct app_result *result)
{
    const struct take_up_asked asked = {.place = place,
                                        .run = result->run,
                                        .controls = result->asked,
                                        .count = result->asked_count};
    const struct take_up_how how = {.watch = SESSION_COCKPIT, .view = result->view};
    return take_up_retry(globals, &asked, &how, NULL);
}

/* Show it by these options, all but its looks and keys. */
static bool show(struct globals *globals, const struct ui_settings *ui, struct app_options *options,
                 struct app_result *result, struct err *err)
{
    struct theme theme;
    struct keys_file keys;
    looks_set(options, globals, ui, &theme);
    keys_file_set(&keys, options);
    const bool ok = app_run(options, result, err);
    keys_file_done(&keys);
    return ok;
}

int watch_run(struct globals *globals, const struct place *place, const struct watch_words *words,
              enum app_mode mode)
{
    char by[SESSION_BY_MAX];
    char dir[PATH_MAX];
    struct err err = {0};
    struct config config = {0};
    struct control_desk *desk = NULL;
    struct redactor *redactor = NULL;
    struct place shown = *place;
    const bool has_dir = getcwd(dir, sizeof(dir)) != NULL;
    struct app_result result = {0};
    bool ok = false;
    if (mode == APP_LIVE && !open_desk(&desk, place, &err))
        return fail(&err);
    if (has_dir)
        (void)config_read(dir, CONFIG_LOOKS,
                          &config); /* what is wrong was said; one can look all the same */
    if (secrets_redactor(&redactor, NULL, &config.settings.secrets, &err)) {
        struct app_options options = {
            .place = place,
            .run = words->run,
            .opens_at = words->at,
            .opens_view = words->view,
            .opens_task = words->task,
            .mode = mode,
            .desk = desk,
            .by = session_by(by),
            .engine_done_fd = -1,
            .rules = config.settings.rules,
            .save_rule = has_dir ? save_rule : NULL,
            .save_ctx = dir,
            .redactor = redactor,
            .open_redactor = secrets_redactor,
            .secrets = &config.settings.secrets,
            .read_file = read_text_file,
            .take_up = desk ? may_take_up : NULL,
            .take_up_ctx = &shown,
        };
        ok = show(globals, &config.settings.ui, &options, &result, &err);
    }
    follower_close(result.follower);
    control_desk_stop(desk);
    redactor_close(redactor);
    config_done(&config);
    if (!ok)
        return fail(&err);
    if (result.leave == APP_LEFT_TAKE_UP) {
        const int code = take_up(globals, place, &result);
        free(result.asked);
        return code;
    }
    if (result.leave == APP_LEFT_PLAIN)
        return print_on(place, &result);
    return result.leave == APP_LEFT_SIGNAL ? 128 + result.signal : EXIT_ALL_PASSED;
}
