/*
 * capture_changes.h - the second part of a capture: what the attempt changed. JSON text.
 *
 * Made on a worker thread after the end, because it has to scan trees. The text is not redacted
 * yet. Any thread.
 */
#ifndef DEVS_CAPTURE_CHANGES_H
#define DEVS_CAPTURE_CHANGES_H

#include <stdatomic.h>

#include "str.h"
#include "tree_diff.h"

enum {
    CHANGES_PATHS_MAX = 500,         /* listed in the capture; further paths are counted */
    CHANGES_PATHS_BYTES = 96 * 1024, /* size of these paths as JSON */
    CHANGES_TEXT_BYTES = 96 * 1024,  /* size of the diff as JSON */
    CHANGES_EVENT_PATHS_MAX = 20,
    CHANGES_STATUS_MS = 2000, /* time limit for git status */
};

/* Appends the changes from the step's snapshot to the tree that the attempt left. */
void capture_changes_write(const struct tree_diff *diff, struct str *out);
/* Appends that there is no diff, and why. */
void capture_changes_none(const char *why, struct str *out);

/* Appends the text of EVENT_WORKSPACE_CHANGED: the first paths, and why some are missing. At most
 * EVENT_TEXT_MAX bytes. */
void capture_changes_event(const struct tree_diff *diff, struct str *out);

/* What to compare. All borrowed. */
struct changes_call {
    const char *dir;          /* absolute: the folder the attempt worked in */
    const char *scratch;      /* absolute: a folder of devs for git's temporary private
                                 repository; created if it is missing */
    char *const *environment; /* the user's, NULL-terminated */
};

/* The commit that is checked out in the repository of `dir`, read without running git. */
struct capture_commit {
    char commit[65];  /* hex */
    char branch[256]; /* "" = none */
    char why[128];    /* why the commit is unknown; "" = it is known */
};
/* Fills in *out; if the commit cannot be found, out->why has the reason. */
void capture_find_commit(const char *dir, struct capture_commit *out);

/* For a task that works in place and thus has no snapshot: appends what differs from the
 * checked-out commit, whoever changed it. Runs git for at most CHANGES_STATUS_MS. */
void capture_changes_in_place(const struct changes_call *call, const atomic_bool *stop,
                              struct str *out);

#endif
