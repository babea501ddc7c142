/* far_watch.c - devs --on HOST[:DIR]: the cockpit here, the log there. */
#include "continue_run.h"
#include "fail.h"
#include "far.h"

int far_watch(struct globals *globals, const struct far_place *far)
{
    struct err err = {0};
    struct far_link *link = NULL;
    struct app_far app;
    struct watch_words words = {.far = &app};
    stop_signal_watch();
    if (!far_link_open(&link, far, 0, &err))
        return stop_signal() != 0 ? 128 + stop_signal() : fail(&err);
    far_link_app(link, &app);
    words.run = far_link_run(link);
    words.far_name = far_link_name(link);
    if (!far_link_desk(link, &words.far_desk, &err)) {
        far_link_close(link);
        return fail(&err);
    }
    const int code = watch_run(globals, far_link_place(link), &words, APP_LIVE);
    control_desk_stop(words.far_desk);
    far_link_close(link);
    return code;
}

int far_status(const struct far_place *far)
{
    char word[] = "status";
    char *words[] = {word, NULL};
    return far_run(far, 1, words);
}
