/*
 * workspace_spec.h - where a plan or the settings let a task work. Immutable once read, so any
 * thread may read it.
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
    WORKSPACE_SETUP_S_MAX = 24 * 3600,  /* limit of the time for `setup` */
    WORKSPACE_SETUP_MS = 10 * 60 * 1000 /* default time for `setup` */
};
/* Default and maximum size of a snapshot: 2 GiB and 1 TiB. */
#define WORKSPACE_SNAPSHOT_BYTES     ((int64_t)2 * 1024 * 1024 * 1024)
#define WORKSPACE_SNAPSHOT_BYTES_MAX ((int64_t)1024 * 1024 * 1024 * 1024)

/* Numbers are stored in the log: never renumber. */
enum workspace_kind {
    WORKSPACE_INPLACE = 0,  /* the folder of the run itself, which is never restored */
    WORKSPACE_WORKTREE = 1, /* a git worktree for the task */
    WORKSPACE_COPY = 2,     /* a copy of the folder */
    WORKSPACE_KIND_COUNT,
};

/* Where `setup` runs if a step of the task has a sandbox. Otherwise it runs on this machine. */
enum workspace_setup_in {
    WORKSPACE_SETUP_IN_SANDBOX = 0, /* in the task's sandbox */
    WORKSPACE_SETUP_IN_NETWORK = 1, /* in the task's sandbox, with the network on */
    WORKSPACE_SETUP_OUTSIDE = 2,    /* on this machine anyway */
    WORKSPACE_SETUP_IN_COUNT,
};

struct workspace_spec {
    enum workspace_kind kind;
    char **copy;  /* owned, NULL-terminated, NULL = none: paths to bring along, relative to the
                     top of the user's tree, including ignored files */
    char **setup; /* owned argv, NULL = none: run once in a new workspace */
    enum workspace_setup_in setup_in;
    char **exclude; /* owned like copy: paths that snapshots and resets ignore */
    int64_t snapshot_bytes_max;
    int64_t setup_timeout_ms;
};

/* Returns the defaults: in place. */
struct workspace_spec workspace_spec_new(void);
/* Returns a deep copy. */
struct workspace_spec workspace_spec_copy(const struct workspace_spec *spec);
/* Frees the members. May be NULL. */
void workspace_spec_done(struct workspace_spec *spec);

/* Returns the specification of a task that has none; static, in place. */
const struct workspace_spec *workspace_spec_none(void);

/* Returns "inplace", "worktree", "copy"; "?" for an invalid value. */
const char *workspace_kind_name(enum workspace_kind kind);
/* The inverse. Returns false for an unknown text. */
ATTR_MUST_USE bool workspace_kind_parse(const char *text, enum workspace_kind *out);

/* The inverse. Returns false for an unknown text. */
ATTR_MUST_USE bool workspace_setup_in_parse(const char *text, enum workspace_setup_in *out);

/* Returns true if each attempt finds the tree as the first one found it. */
bool workspace_can_be_reset(const struct workspace_spec *spec);

/* Writes a JSON object that plan_parse() reads as an equal specification. */
void workspace_spec_write(const struct workspace_spec *spec, struct str *out);

#endif
