/* workspace_spec.h - the workspace and the sandbox of a task, as a plan or the settings define
 * them. Immutable once read, so any thread may read it. */
#ifndef DEVS_WORKSPACE_SPEC_H
#define DEVS_WORKSPACE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum {
    WORKSPACE_PATHS_MAX = 1000,         /* maximum entries of `copy`, and of `exclude` */
    WORKSPACE_PATH_MAX = 4096,          /* maximum bytes of an entry */
    WORKSPACE_ARGS_MAX = 1000,          /* maximum arguments of `setup` */
    WORKSPACE_SETUP_S_MAX = 24 * 3600,  /* maximum time limit of `setup`, in seconds */
    WORKSPACE_SETUP_MS = 10 * 60 * 1000 /* default time limit of `setup` */
};
/* Default and maximum size of a snapshot: 2 GiB and 1 TiB. */
#define WORKSPACE_SNAPSHOT_BYTES     ((int64_t)2 * 1024 * 1024 * 1024)
#define WORKSPACE_SNAPSHOT_BYTES_MAX ((int64_t)1024 * 1024 * 1024 * 1024)

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
    WORKSPACE_SETUP_OUTSIDE = 2,    /* on this machine, even if a step has a sandbox */
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
/* The inverse of workspace_kind_name(). Returns false for an unknown string. */
ATTR_MUST_USE bool workspace_kind_parse(const char *text, enum workspace_kind *out);

/* Returns true if each attempt finds the tree as the first attempt found it. */
bool workspace_can_be_reset(const struct workspace_spec *spec);

/* Writes a JSON object that plan_parse() reads as an equal specification. */
void workspace_spec_write(const struct workspace_spec *spec, struct str *out);

/*
 * Sandboxes: how steps are isolated from the machine.
 */

enum {
    SANDBOX_MEMORY_MB_MAX = 1024 * 1024, /* maximum memory in MiB: 1 TiB */
    SANDBOX_PIDS_MAX = 100000,
    SANDBOX_CPU_S_MAX = 30 * 24 * 3600,
    SANDBOX_LIST_MAX = 1000,  /* maximum entries of `writable`, `env` and `args` each */
    SANDBOX_WORD_MAX = 4096,  /* maximum bytes of one entry */
    SANDBOX_IMAGE_MAX = 512,  /* maximum bytes of an image's name */
    SANDBOX_START_MS = 30000, /* default time limit of a start */
    SANDBOX_START_MS_MIN = 100,
    SANDBOX_START_MS_MAX = 3600 * 1000,
};

enum sandbox_kind {
    SANDBOX_NONE = 0,
    SANDBOX_BWRAP = 1,
    SANDBOX_CONTAINER = 2, /* podman or docker, whichever exists */
    SANDBOX_PODMAN = 3,
    SANDBOX_DOCKER = 4,
    SANDBOX_KIND_COUNT,
};

/* Values in this order: not set, true, false. */
enum sandbox_network {
    SANDBOX_NETWORK_UNSAID, /* kind none: unchanged; bwrap and containers: off */
    SANDBOX_NETWORK_ON,
    SANDBOX_NETWORK_OFF,
};

/* Values in the same order. */
enum sandbox_root {
    SANDBOX_ROOT_UNSAID, /* bwrap: read-only; containers: the image is writable; kind none:
                            unchanged */
    SANDBOX_ROOT_READ_ONLY,
    SANDBOX_ROOT_WRITABLE,
};

struct sandbox_spec {
    enum sandbox_kind kind;
    enum sandbox_network network;
    int64_t memory_mb;      /* 0 = no limit */
    int64_t pids;           /* 0 = no limit */
    int64_t cpu_s;          /* seconds of CPU time; 0 = no limit */
    enum sandbox_root root; /* all files but the workspace, /tmp and `writable` */
    char **writable; /* owned, NULL-terminated, NULL = none: additional writable paths, absolute
                        or relative to the workspace */
    char **env;      /* owned like writable: variables passed in addition to the small default
                        list; NAME or PREFIX_* */
    char *image;     /* owned; containers only; else NULL */
    int64_t start_timeout_ms; /* containers only; else SANDBOX_START_MS */
    char **args;      /* owned like writable: extra arguments for bwrap or for podman create */
    bool best_effort; /* skip and report the keys that cannot be enforced here */
};

/* Returns a specification without a sandbox and limits. */
struct sandbox_spec sandbox_spec_new(void);
/* Returns a deep copy. */
struct sandbox_spec sandbox_spec_copy(const struct sandbox_spec *spec);
/* Frees the members. May be NULL. */
void sandbox_spec_done(struct sandbox_spec *spec);

/* Returns the specification of a step that has none; static. */
const struct sandbox_spec *sandbox_spec_none(void);

/* Returns "none", "bwrap", "container", "podman", "docker"; "?" for an invalid value. */
const char *sandbox_kind_name(enum sandbox_kind kind);
/* The inverse of sandbox_kind_name(). Returns false for an unknown string. */
ATTR_MUST_USE bool sandbox_kind_parse(const char *text, enum sandbox_kind *out);
/* Returns true for the three kinds that need an image. */
bool sandbox_kind_is_container(enum sandbox_kind kind);

/* Returns true if all files except the workspace, /tmp and `writable` are read-only, explicitly
 * or by default. */
bool sandbox_spec_is_read_only(const struct sandbox_spec *spec);

/* Changes the kind; drops the members that only the old kind may have. Keeps limits. */
void sandbox_spec_set_kind(struct sandbox_spec *spec, enum sandbox_kind kind);

/* Reads a word of a command line: "KIND", or "KIND:IMAGE" for a container. Keeps the rest of `spec`
 * as far as the kind allows. Fails with ERR_INVALID for any other word, and for a container without
 * an image; *spec must be freed even then. */
ATTR_MUST_USE bool sandbox_spec_choose(struct sandbox_spec *spec, const char *word,
                                       struct err *err);

/* Appends a path to `writable` unless it is already in the list. */
void sandbox_spec_add_writable(struct sandbox_spec *spec, const char *path);

/* Returns true if `spec` has no sandbox and no limit. */
bool sandbox_spec_is_empty(const struct sandbox_spec *spec);

/* Appends "bwrap: network, 512 MiB, 64 processes, 10 s of CPU time, writes only to the workspace";
 * nothing for an empty specification. With `writable`: "writes only to the workspace and the
 * writable paths". bwrap without read-only files says "all files writable". */
void sandbox_spec_words(const struct sandbox_spec *spec, struct str *out);

/* Writes a JSON object that plan_parse() reads as an equal specification. */
void sandbox_spec_write(const struct sandbox_spec *spec, struct str *out);

#endif
