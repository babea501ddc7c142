/*
 * app_notify.h - what the cockpit rings its terminal for: once each time it happens, never for
 * what was so at the start. A person's command is the engine's (engine/loop/notifier.h).
 *
 * Main thread. A value; all zero: nothing was looked at yet.
 */
#ifndef DEVS_APP_NOTIFY_H
#define DEVS_APP_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "run_state.h"
#include "str.h"

struct app_notify {
    unsigned wanted;    /* enum ui_notify */
    unsigned char *was; /* owned; by task: what it was told as, enum ui_notify */
    size_t room;
    int count;     /* of tasks that are in `was` */
    bool is_begun; /* what was so at the start is known */
    bool had_ended;
};

/* What is new and to be told, as flags, and in words; 0: nothing. */
unsigned app_notify_news(struct app_notify *notify, const struct run_state *state,
                         struct str *words);

void app_notify_done(struct app_notify *notify);

#endif
