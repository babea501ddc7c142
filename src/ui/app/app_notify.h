/*
 * app_notify.h - tells a person who does not look that something wants them: by the terminal's
 * bell, or by a command of theirs. Once each time it happens, never of what was so at the start.
 *
 * Main thread. A value; all zero: nothing was looked at yet.
 */
#ifndef DEVS_APP_NOTIFY_H
#define DEVS_APP_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "run_state.h"
#include "str.h"

struct app_notify {
    unsigned wanted;    /* enum ui_notify */
    unsigned char *was; /* owned; by task: what it was told as, enum ui_notify */
    size_t room;
    int count;     /* of tasks that are in `was` */
    bool is_begun; /* what was so at the start is known */
    bool had_ended;
    pid_t command; /* that runs; 0 = none: there is one at a time */
};

/* What is new and to be told, as flags, and in words; 0: nothing. */
unsigned app_notify_news(struct app_notify *notify, const struct run_state *state,
                         struct str *words);

/* Run the command with the words as its last argument, unless the one before still runs. False: it
 * cannot be run. */
bool app_notify_run(struct app_notify *notify, char *const *command, const char *words);

void app_notify_done(struct app_notify *notify);

#endif
