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
enum ui_notify { NOTIFY_NEEDS_YOU = 1, NOTIFY_GAVE_UP = 2, NOTIFY_ENDED = 4 };

/* All zero: nothing is set. */
struct ui_settings {
    char *theme;            /* owned; a built-in theme's name, or a file's with a slash in it, as
                               it was written; NULL = not said */
    bool ascii;             /* signs of ASCII only */
    bool leaves_mouse;      /* the mouse is the terminal's until M takes it */
    enum shown_times times; /* at first */
    unsigned notify;        /* enum ui_notify */
    char **notify_command;  /* owned argv; NULL = the terminal's bell */
};

/* Free. NULL is allowed; nothing is set afterwards. */
void ui_settings_done(struct ui_settings *ui);

/* "needs-you, ended", or "off". False for any other word: *out is untouched then. */
ATTR_MUST_USE bool ui_notify_parse(const char *names, unsigned *out);

/* Is it the name of a file, not of a built-in theme? */
bool ui_theme_is_file(const char *theme);

#endif
