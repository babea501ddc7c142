/*
 * ui_settings.h - the object "ui" of devs.config.json: how the cockpit looks and behaves.
 *
 * Plain data; it does not change after it was read, any thread may read it.
 */
#ifndef DEVS_UI_SETTINGS_H
#define DEVS_UI_SETTINGS_H

#include <stdbool.h>

#include "attr.h"
#include "shown_times.h"

/* What a person is notified of; flags are or-ed. */
enum ui_notify {
    NOTIFY_NEEDS_YOU = 1,
    NOTIFY_GAVE_UP = 2,
    NOTIFY_ENDED = 4,
    NOTIFY_STUCK = 8,
    NOTIFY_BUDGET = 16,
    NOTIFY_ASKS = 32,      /* accepted in settings; no event of a run means it yet */
    NOTIFY_HOST_LOST = 64, /* likewise */
    /* Where there is a command and no list of events: */
    NOTIFY_DEFAULT = NOTIFY_NEEDS_YOU | NOTIFY_GAVE_UP | NOTIFY_ENDED | NOTIFY_STUCK,
};

/* All zero: nothing is set. */
struct ui_settings {
    char *theme;            /* owned; a built-in theme's name, or a file's with a slash in it, as
                               it was written; NULL = not said */
    bool ascii;             /* signs of ASCII only */
    bool leaves_mouse;      /* the mouse is the terminal's until M takes it */
    enum shown_times times; /* at first */
    unsigned notify;        /* enum ui_notify */
    char **notify_command;  /* owned argv; NULL = none */
};

/* "gave-up": the name of one flag; "?" for any other number. */
const char *ui_notify_name(unsigned flag);

/* "needs-you, ended", or "off". False for any other word: *out is untouched then. */
ATTR_MUST_USE bool ui_notify_parse(const char *names, unsigned *out);

/* Is it the name of a file, not of a built-in theme? */
bool ui_theme_is_file(const char *theme);

#endif
