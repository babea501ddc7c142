/*
 * workspace_spec.h - what a plan or the settings say of the place where a task works.
 *
 * A specification does not change after it was read; any thread may read it.
 */
#ifndef DEVS_WORKSPACE_SPEC_H
#define DEVS_WORKSPACE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "str.h"

enum {
    WORKSPACE_PATHS_MAX = 1000,         /* of `copy`, and of `exclude` */
    WORKSPACE_PATH_MAX = 4096,          /* bytes of one of them */
    WORKSPACE_ARGS_MAX = 1000,          /* of `setup` */
    WORKSPACE_SETUP_S_MAX = 24 * 3600,  /* how long `setup` may be given */
    WORKSPACE_SETUP_MS = 10 * 60 * 1000 /* how long it is given where nothing is said */
};
/* What a snapshot may hold where nothing is said, and at most: 2 GiB and 1 TiB. */
#define WORKSPACE_SNAPSHOT_BYTES     ((int64_t)2 * 1024 * 1024 * 1024)
#define WORKSPACE_SNAPSHOT_BYTES_MAX ((int64_t)1024 * 1024 * 1024 * 1024)

/* Numbers are in the log: never renumber. */
enum workspace_kind {
    WORKSPACE_INPLACE = 0,  /* the folder of the run itself, which is never put back */
    WORKSPACE_WORKTREE = 1, /* a git worktree of the task's own */
    WORKSPACE_COPY = 2,     /* a copy of the folder */
    WORKSPACE_KIND_COUNT,
};

/* Where `setup` runs if a step of the task has a sandbox. Without one it runs on this machine. */
enum workspace_setup_in {
    WORKSPACE_SETUP_IN_SANDBOX = 0, /* in the task's sandbox */
    WORKSPACE_SETUP_IN_NETWORK = 1, /* in the task's sandbox, with the network on */
    WORKSPACE_SETUP_OUTSIDE = 2,    /* on this machine all the same */
    WORKSPACE_SETUP_IN_COUNT,
};

struct workspace_spec {
    enum workspace_kind kind;
    char **copy;  /* owned, NULL-terminated, NULL = none: paths relative to the top of the user's
                     tree that are brought along, ignored files too */
    char **setup; /* owned argv, NULL = none: run once in a new workspace */
    enum workspace_setup_in setup_in;
    char **exclude; /* owned as copy: paths that a snapshot leaves out and a reset leaves alone */
    int64_t snapshot_bytes_max;
    int64_t setup_timeout_ms;
};

/* In place, with the limits as they are where nothing is said. */
struct workspace_spec workspace_spec_new(void);
/* A copy that owns all that it has. */
struct workspace_spec workspace_spec_copy(const struct workspace_spec *spec);
/* Free. NULL is allowed. */
void workspace_spec_done(struct workspace_spec *spec);

/* Those of a task that says nothing of it; static, in place. */
const struct workspace_spec *workspace_spec_none(void);

/* "inplace", "worktree", "copy"; "?" for what is none. */
const char *workspace_kind_name(enum workspace_kind kind);
/* The inverse; false if the text is none. */
ATTR_MUST_USE bool workspace_kind_parse(const char *text, enum workspace_kind *out);

/* The inverse; false for any other text. */
ATTR_MUST_USE bool workspace_setup_in_parse(const char *text, enum workspace_setup_in *out);

/* Does each attempt but the first find the tree as the first one found it? */
bool workspace_can_be_reset(const struct workspace_spec *spec);

/* A JSON object that plan_parse() reads to an equal specification. */
void workspace_spec_write(const struct workspace_spec *spec, struct str *out);

#endif
