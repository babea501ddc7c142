/*
 * ui_settings.h - the object "ui" of devs.config.json: how the cockpit looks and behaves.
 *
 * A plain value, which does not change after it has been read. Any thread.
 */
#ifndef DEVS_UI_SETTINGS_H
#define DEVS_UI_SETTINGS_H

#include <stdbool.h>

#include "attr.h"

/* How past times are shown: as time ago, in the user's time zone, or in UTC. */
enum shown_times { SHOWN_TIMES_AGO, SHOWN_TIMES_CLOCK, SHOWN_TIMES_UTC, SHOWN_TIMES_COUNT };

/* Events that notify a person, as flags. A more urgent event has a lower flag. */
enum ui_notify {
    NOTIFY_NEEDS_YOU = 1,
    NOTIFY_STUCK = 2,
    NOTIFY_GAVE_UP = 4,
    NOTIFY_BUDGET = 8,
    NOTIFY_ENDED = 16,
    NOTIFY_COUNT = 5, /* number of flags */
    /* Used if there is a command but no list of events: */
    NOTIFY_DEFAULT = NOTIFY_NEEDS_YOU | NOTIFY_GAVE_UP | NOTIFY_ENDED | NOTIFY_STUCK,
};

/* Zero-initialized: nothing is set. */
struct ui_settings {
    char *theme;            /* owned; the name of a built-in theme, or a file name with a slash,
                               as written in the settings; NULL = not given */
    bool ascii;             /* draw with ASCII only */
    bool leaves_mouse;      /* do not capture the mouse until M is pressed */
    enum shown_times times; /* how times are shown at the start */
    unsigned notify;        /* enum ui_notify, or-ed */
    char **notify_command;  /* owned argv; NULL = none */
};

/* Returns the name of one flag, such as "gave-up"; "?" for any other number. */
const char *ui_notify_name(unsigned flag);

/* Reads "needs-you, ended", or "off". Returns false and leaves *out unchanged if a word is
 * unknown. */
ATTR_MUST_USE bool ui_notify_parse(const char *names, unsigned *out);

/* Returns whether the theme is a file and not a built-in theme. */
bool ui_theme_is_file(const char *theme);

#endif
