/*
 * workspace_note.h - what a workspace says of itself on disk: JSON in a small file. Any thread.
 */
#ifndef DEVS_WORKSPACE_NOTE_H
#define DEVS_WORKSPACE_NOTE_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "workspace.h"

enum { WORKSPACE_NOTE_BYTES_MAX = 16 * 1024, WORKSPACE_ADMIN_MAX = 256 };

/* TASK/made and TASK/kept. A plain value; "" for what is not said. */
struct workspace_note {
    enum workspace_kind kind;
    char base[WORKSPACE_COMMIT_MAX];   /* what it started from */
    char admin[WORKSPACE_ADMIN_MAX];   /* its name in git's list of worktrees */
    char branch[WORKSPACE_NAME_MAX];   /* the result */
    char commit[WORKSPACE_COMMIT_MAX]; /* what the branch points to */
};

/* Write the file anew: it is there as a whole or as it was. */
ATTR_MUST_USE bool workspace_note_write(const char *path, const struct workspace_note *note,
                                        struct err *err);
/* ERR_NOT_FOUND if there is none, ERR_DAMAGED for what is none. */
ATTR_MUST_USE bool workspace_note_read(const char *path, struct workspace_note *out,
                                       struct err *err);

#endif
