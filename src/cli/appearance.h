/*
 * appearance.h - the appearance and the keys of the cockpit, from the command line and the user's
 * files. Main thread.
 */
#ifndef DEVS_APPEARANCE_H
#define DEVS_APPEARANCE_H

#include <limits.h>
#include <stdbool.h>

#include "app.h"
#include "command.h"
#include "err.h"
#include "own_keys.h"
#include "theme.h"
#include "ui_settings.h"

/* Finds the theme: --theme, or else the settings, or else "auto". A name with a slash is a file.
 * Fails with ERR_INVALID; the message names the theme, and the line if one is wrong. */
ATTR_MUST_USE bool appearance_theme(const struct globals *globals, const struct ui_settings *ui,
                                    struct theme *out, struct err *err);

/* Returns whether to print ASCII only, because of --ascii or because the locale is not UTF-8. */
bool appearance_print_ascii(const struct globals *globals);
/* Returns the width of the terminal on stdout; 0 = not a terminal, so lines are printed whole. */
int appearance_print_columns(void);

/* Sets the appearance in the options of the app, which borrows everything except the globals.
 * `ui` may be NULL. If the theme cannot be loaded, warns and uses "auto". */
void appearance_set(struct app_options *options, const struct globals *globals,
                    const struct ui_settings *ui, struct theme *theme);

/* The user's own keys, from keys.json. */

/* All zero before keys_file_read(). */
struct keys_file {
    char path[PATH_MAX]; /* $XDG_CONFIG_HOME/devs/keys.json, or else ~/.config/devs/keys.json; "" =
                            no such folder */
    bool is_there;
    struct keymap *keys; /* owned; the active keys; NULL = the built-in ones */
    struct str problems; /* owned; one line each; "" = none */
};

/* Reads the file. Errors in it are listed in `problems` and do not stop the cockpit. */
void keys_file_read(struct keys_file *out);
struct app_options;

/* Like keys_file_read(), and puts the keys into the options of the app, which borrows them: *out
 * must outlive it. Also prints each problem to stderr. */
void keys_file_set(struct keys_file *out, struct app_options *options);
void keys_file_done(struct keys_file *file);

#endif
