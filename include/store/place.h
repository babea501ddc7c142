/*
 * place.h - where the run log is. Any thread.
 */
#ifndef DEVS_PLACE_H
#define DEVS_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"

/* A log file and the names that belong to it. A plain value. */
struct place {
    char db[PATH_MAX];  /* .../devs.db */
    char dir[PATH_MAX]; /* its folder */
    bool is_shared;     /* the person's own log, of all projects that have none */
};

/* Find the log: `given` (--db) if not NULL, else DEVS_DB, else .devs/devs.db in
 * this folder or the nearest one above that has it (a repository inside another project does not
 * use that project's log; a linked worktree uses the log of its repository), else a new .devs in
 * this folder if `create`, else $XDG_STATE_HOME/devs/devs.db (is_shared). With `create` missing
 * folders are made (0700) with a .gitignore that holds "*". A network file
 * system is refused with the hint --db. ERR_NOT_FOUND if there is no log and
 * `create` is false. */
ATTR_MUST_USE bool place_find(const char *given, bool create, struct place *out, struct err *err);

/* The place of a file that is named, there or not. Nothing is made or looked at.
 * ERR_INVALID: it has no name; ERR_LIMIT: it is too long. */
ATTR_MUST_USE bool place_of_file(const char *path, struct place *out, struct err *err);

/* What a folder lies on, for people. A plain value. */
struct place_disk {
    const char *type;   /* "ext4", ...; "?" for one that is not known. Static */
    bool is_network;    /* no log can be kept there */
    int64_t free_bytes; /* that whoever asks may still write */
};
/* ERR_IO if it cannot be looked at. */
ATTR_MUST_USE bool place_disk(const char *dir, struct place_disk *out, struct err *err);

/* The person's state directory, $XDG_STATE_HOME/devs or ~/.local/state/devs; it need not exist.
 * ERR_IO: neither is set. */
ATTR_MUST_USE bool place_state_folder(char out[PATH_MAX], struct err *err);

#endif
