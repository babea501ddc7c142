/*
 * place.h - finds the run log. Any thread.
 */
#ifndef DEVS_PLACE_H
#define DEVS_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"

/* The location of a log. A plain value. */
struct place {
    char db[PATH_MAX];  /* .../devs.db */
    char dir[PATH_MAX]; /* directory of the log */
    bool is_shared;     /* the per-user log, shared by all projects without a log of their own */
};

/* Finds the log. Uses `given` (--db) if not NULL, otherwise DEVS_DB, otherwise .devs/devs.db in
 * this directory or the nearest parent that has it (a repository inside another project does not
 * use that project's log; a linked worktree uses the log of its repository), otherwise a new .devs
 * in this directory if `create`, otherwise $XDG_STATE_HOME/devs/devs.db (is_shared). With `create`,
 * makes missing directories (0700) with a .gitignore that contains "*". Rejects a network file
 * system, with the hint --db. Fails with ERR_NOT_FOUND if there is no log and `create` is false. */
ATTR_MUST_USE bool place_find(const char *given, bool create, struct place *out, struct err *err);

/* Returns the location for the path of a log, which need not exist. Does not access the file
 * system. Fails with ERR_INVALID if the path has no file name, ERR_LIMIT if it is too long. */
ATTR_MUST_USE bool place_of_file(const char *path, struct place *out, struct err *err);

/* The file system that a directory is on, for people. A plain value. */
struct place_disk {
    const char *type;   /* "ext4", ...; "?" if unknown. Static */
    bool is_network;    /* cannot hold a log */
    int64_t free_bytes; /* available to the current user */
};
/* Examines the file system that `dir` is on. Fails with ERR_IO if the directory cannot be
 * examined. */
ATTR_MUST_USE bool place_disk(const char *dir, struct place_disk *out, struct err *err);

/* Returns the user's state directory, $XDG_STATE_HOME/devs or ~/.local/state/devs, which need not
 * exist. Fails with ERR_IO if neither XDG_STATE_HOME nor HOME is set. */
ATTR_MUST_USE bool place_state_folder(char out[PATH_MAX], struct err *err);

#endif
