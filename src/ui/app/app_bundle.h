/*
 * app_bundle.h - W: a run as one file to share. A thread of its own copies it; what is in it and
 * what was cut out is shown first, and only y gives it its name.
 */
#ifndef DEVS_APP_BUNDLE_H
#define DEVS_APP_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct app;
struct bundle_job;

/* Copy this run of the app's log; says so where that cannot be. */
void app_bundle_begin(struct app *app, int64_t run);
/* Show it once it is there; let go of one that was not wanted. */
void app_bundle_look(struct app *app);
/* Is one being copied? Then app_bundle_look() is due now and then, else after keys. */
bool app_bundle_copies(const struct app *app);
/* What it is, for the screen. Only while it is shown. */
void app_bundle_words(const struct app *app, struct str *out);
/* It is wanted. */
void app_bundle_keep(struct app *app);
/* Ends what is being copied, and waits for that; what has no name yet is removed. */
void app_bundle_close(struct app *app);

#endif
