/*
 * capture_changes.h - the second part of a capture: what the attempt changed. JSON text.
 *
 * Made on a worker thread after the end, since trees are looked through for it; what is written
 * here is not cut of secrets yet. Any thread.
 */
#ifndef DEVS_CAPTURE_CHANGES_H
#define DEVS_CAPTURE_CHANGES_H

#include <stdatomic.h>

#include "str.h"
#include "tree_diff.h"

enum {
    CHANGES_PATHS_MAX = 500,         /* of the capture; the others are counted */
    CHANGES_PATHS_BYTES = 96 * 1024, /* of these, as JSON */
    CHANGES_TEXT_BYTES = 96 * 1024,  /* of the diff's text, as JSON */
    CHANGES_EVENT_PATHS_MAX = 20,
    CHANGES_STATUS_MS = 2000, /* how long git may look at a tree */
};

/* Appends the changes from the step's snapshot to the tree that the attempt left. */
void capture_changes_write(const struct tree_diff *diff, struct str *out);
/* Appends that there is no diff, and why. */
void capture_changes_none(const char *why, struct str *out);

/* Appends the text of EVENT_WORKSPACE_CHANGED: the first paths, and why some are missing. At most
 * EVENT_TEXT_MAX bytes. */
void capture_changes_event(const struct tree_diff *diff, struct str *out);

/* What to look at, and with what. All borrowed. */
struct changes_call {
    const char *dir;          /* absolute: where the attempt worked */
    const char *scratch;      /* absolute: a folder of devs', made where it is missing, for git's
                                 private repository of this look */
    char *const *environment; /* the person's, NULL-terminated */
};

/* The commit that is checked out in the repository of `dir`, read without running git. */
struct capture_commit {
    char commit[65];  /* hex */
    char branch[256]; /* "" where none is */
    char why[128];    /* why the commit is not known; "" where it is */
};
/* Fills in *out; out->why says why where the commit cannot be found. */
void capture_find_commit(const char *dir, struct capture_commit *out);

/* In place there is no snapshot: appends what differs from the commit that is checked out, whoever
 * changed it. Asks git, for CHANGES_STATUS_MS at most. */
void capture_changes_in_place(const struct changes_call *call, const atomic_bool *stop,
                              struct str *out);

#endif
