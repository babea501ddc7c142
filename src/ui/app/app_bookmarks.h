/*
 * app_bookmarks.h - the bookmarks of the run that is shown, and the one that is being written: a
 * writer may have to wait for its turn, and the screen does not.
 */
#ifndef DEVS_APP_BOOKMARKS_H
#define DEVS_APP_BOOKMARKS_H

#include <stdbool.h>

#include "bookmark.h"

struct app;
struct bookmark_job;

struct app_bookmarks {
    int64_t run;            /* that they were read of; 0 = of none yet */
    bool is_old;            /* they may be others now */
    struct bookmark *items; /* owned; BOOKMARKS_MAX; NULL = none were read yet */
    size_t count;
    struct bookmark_job *job; /* owned; NULL = nothing is being written */
};

/* Waits for what is being written. */
void app_bookmarks_close(struct app *app);
/* Bring them up to date with the run that is shown. */
void app_bookmarks_load(struct app *app);
/* They may be others now. */
void app_bookmarks_forget(struct app *app);

/* Keep the moment that is shown, under the name that the view has; forget one. What came of it is
 * said by app_bookmarks_look(). */
void app_bookmarks_add(struct app *app);
/* Forget the bookmark of this id, as app_bookmarks_add() keeps one: in a thread. */
void app_bookmarks_remove(struct app *app, int64_t id);
/* Say what came of the one that was written, once its thread is through. */
void app_bookmarks_look(struct app *app);

#endif
