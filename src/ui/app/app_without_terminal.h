/*
 * app_without_terminal.h - what a single frame, a recording of many and a replay that opens at a
 * named place share: app_picture.c, app_cast.c and app_opening.c.
 */
#ifndef DEVS_APP_WITHOUT_TERMINAL_H
#define DEVS_APP_WITHOUT_TERMINAL_H

#include "app_parts.h"
#include "replay_time.h"

/* The screen of this name, NULL being the tasks'. ERR_INVALID: there is none. */
ATTR_MUST_USE bool app_screen_named(const char *name, enum screen *out, struct err *err);
/* Open it, as by its own key; where that says why not, the view says so itself. */
void app_open_screen(struct app *app, enum screen screen);
/* The task of this id, else the one that the latest event is about. ERR_NOT_FOUND: there is none.
 */
ATTR_MUST_USE bool app_choose_task(struct app *app, const char *id, struct err *err);
/* Read the run to its end: each event is a place of app->replay then. */
ATTR_MUST_USE bool app_read_marks(struct app *app, struct err *err);
/* The run as it was at this place of app->replay. */
ATTR_MUST_USE bool app_stand_at(struct app *app, struct replay_point point, struct err *err);

#endif
