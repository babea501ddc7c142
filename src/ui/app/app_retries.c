/* app_retries.c - what became of tries like those of the tasks here: for Detail and Timeline. */
#include "app_parts.h"
#include "retry_log.h"
#include "xalloc.h"

enum { RETRIES_MS = 60000 }; /* what was read so long ago is read again */

/* In a recording and in the past only what could be known then counts: earlier runs. */
void app_load_retries(struct app *app)
{
    const int64_t run = follower_run(app->follower)->number;
    const struct retry_log_scope scope = {.before = app_is_bounded(app) ? run : 0,
                                          .events = RETRY_LOG_SCREEN};
    const bool is_fresh = app->retries && app->retries_run == run &&
                          app->retries_before == scope.before &&
                          app->now.mono_ms - app->retries_read.mono_ms < RETRIES_MS;
    const enum screen screen = view_screen(&app->view);
    if ((screen != SCREEN_DETAIL && screen != SCREEN_TIMELINE) || is_fresh)
        return;
    if (!app->retries)
        app->retries = xcalloc(1, sizeof(*app->retries));
    if (!retry_log_read(follower_reader(app->follower), &scope, app->retries, NULL))
        *app->retries = (struct retry_help){0}; /* nothing is said then */
    app->retries_run = run;
    app->retries_before = scope.before;
    app->retries_read = app->now;
}
