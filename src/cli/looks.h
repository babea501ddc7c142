/*
 * looks.h - how the cockpit looks, as the command line and the settings say.
 */
#ifndef DEVS_LOOKS_H
#define DEVS_LOOKS_H

#include "app.h"
#include "command.h"
#include "err.h"
#include "theme.h"
#include "ui_settings.h"

/* The theme: --theme goes before the settings, nothing said is "auto". A name with a slash in it
 * is a file. ERR_INVALID: the message names it, and the line where one is wrong. */
ATTR_MUST_USE bool looks_theme(const struct globals *globals, const struct ui_settings *ui,
                               struct theme *out, struct err *err);

/* Is what is printed to have ASCII only: by --ascii, or since the locale is not UTF-8? */
bool looks_print_ascii(const struct globals *globals);
/* The columns of the terminal that stdout is; 0 = it is none, and lines are printed whole. */
int looks_print_columns(void);

/* Put looks into the options of the app, which borrows all but the globals. `ui` NULL = nothing
 * is set. Where the theme cannot be had, says so and takes "auto". */
void looks_set(struct app_options *options, const struct globals *globals,
               const struct ui_settings *ui, struct theme *theme);

#endif
