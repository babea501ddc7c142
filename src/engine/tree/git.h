/*
 * git.h - git, run on a person's repository with a configuration that is entirely ours.
 *
 * A repository is hostile: an attempt may have written its config, hooks, attributes and index. A
 * list of settings to switch off is never complete and may be out of date when git runs. So every
 * command works in a private repository of devs that borrows the person's objects (alternates) and
 * reads their refs (symbolic links), and that has no config, hooks or attributes but ours: a filter
 * or merge driver that a tree names is unknown there and does nothing. The person's own settings
 * are read as data only: name, address, list of ignored files, hash function. Git never opens a
 * config of the repository: we do, and git parses the text.
 *
 * Nothing is written to the person's repository by git itself. New objects, refs and worktrees are
 * put there by functions of this file and of workspace_worktree.c, which follow no symbolic link.
 * Blocks: for worker threads; a value is for one thread at a time.
 */
#ifndef DEVS_GIT_H
#define DEVS_GIT_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"
#include "tool_run.h"

enum {
    GIT_COMMIT_MAX = 65,               /* hex digits of an object id, with the NUL */
    GIT_PATHS_MAX = 1000000,           /* of one list of paths */
    GIT_FILE_MAX = 4096,               /* bytes of HEAD, commondir and the like */
    GIT_CONFIG_MAX = 1024 * 1024,      /* bytes of one config */
    GIT_INDEX_MAX = 256 * 1024 * 1024, /* bytes of one index */
    GIT_LOCK_MS = 30 * 60 * 1000,  /* how long to wait for our own git: it may check out a tree */
    GIT_LOCK_ALONE_MS = 60 * 1000, /* the same where nobody can stop us */
};

/* Where a repository is. All absolute, without links. */
struct git_places {
    char top[PATH_MAX];    /* the working tree: the folder that holds ".git" */
    char dir[PATH_MAX];    /* what belongs to this working tree: HEAD, index */
    char common[PATH_MAX]; /* what its worktrees share: objects, refs, config */
};

/* Finds the repository of a folder (absolute) without running git: the nearest ".git" here or
 * above. ERR_NOT_FOUND if there is none. */
ATTR_MUST_USE bool git_find(const char *folder, struct git_places *out, struct err *err);

/* Appends the config files that git reads for all repositories, of the machine and of the person,
 * as git says; those of the home folder also where they are missing. */
void git_find_configs(char *const *environment, struct arg_list *out);

/* False if the ref, such as "refs/heads/main" with or without "^{commit}", or one that it names, is
 * a FIFO or a device: git would wait for it. */
ATTR_MUST_USE bool git_ref_is_readable(const struct git_places *places, const char *name);

struct git {
    struct git_places *places;   /* owned; NULL: not open */
    char *own;                   /* owned; the private repository, absolute; NULL: none */
    struct arg_list environment; /* of each command, but for what struct git_call adds */
};

/* Opens the repository of the folder for commands of ours. `own` is where the private repository
 * is made, or made current if it is there; the folder above it exists, and only devs writes there.
 * ERR_NOT_FOUND if the folder is in no repository; ERR_INVALID, with a hint, for one that cannot be
 * worked with. */
ATTR_MUST_USE bool git_open(struct git *out, const char *folder, const char *own,
                            char *const *environment, struct err *err);
/* No repository at all, for commands that need none. */
void git_alone(struct git *out, const char *folder, char *const *environment);
/* Appends "MODE ID STAGE tab PATH NUL" for each entry of the index in the git folder `dir`, whose
 * working tree is `top` (both absolute), by way of a private repository for this call alone. */
ATTR_MUST_USE bool git_list_index(const char *dir, const char *top, char *const *environment,
                                  struct str *out, struct err *err);
/* Frees; the private repository stays on disk. */
void git_done(struct git *git);

/* One command. All borrowed. */
struct git_call {
    const char *const *words; /* after "git", NULL-terminated */
    const char *tree;         /* the working tree, and where git runs; NULL: the person's */
    const char *index;        /* the index file; NULL: none is needed */
    const char *objects;      /* where new objects go; NULL: into the private repository */
    const char *input;        /* stdin; NULL: none */
    size_t input_len;
    size_t out_max;     /* 0 = TOOL_OUT_BYTES */
    int64_t timeout_ms; /* 0 = TOOL_TIMEOUT_MS */
    const atomic_bool *stop;
};

/* True if it ran, whatever its exit code. */
ATTR_MUST_USE bool git_run(const struct git *git, const struct git_call *call,
                           struct tool_result *out, struct err *err);
/* True if it succeeded; its stdout is appended to *out (may be NULL). */
ATTR_MUST_USE bool git_ask(const struct git *git, const struct git_call *call, struct str *out,
                           struct err *err);
/* As git_ask(), but only the first line of stdout, which has to fit into `cap` bytes. */
ATTR_MUST_USE bool git_ask_line(const struct git *git, const struct git_call *call, char *out,
                                size_t cap, struct err *err);

/* The id of the object that a name stands for, such as "refs/heads/main^{commit}". False, without
 * an error, if there is none. */
ATTR_MUST_USE bool git_resolve(const struct git *git, const char *name, char out[GIT_COMMIT_MAX]);
/* The commit of a HEAD file, an id or a symbolic ref. False if there is none. */
ATTR_MUST_USE bool git_resolve_head(const struct git *git, const char *path,
                                    char out[GIT_COMMIT_MAX]);

/* Moves the branch to a commit whose objects are in the person's repository. `from` is where it has
 * to be now: "" if it must not exist. Other processes see the old or the new value. */
ATTR_MUST_USE bool git_move_branch(const struct git *git, const char *branch, const char *from,
                                   const char *commit, struct err *err);
/* Moves the objects that our commands made from the private repository to the person's. */
ATTR_MUST_USE bool git_bring_objects(const struct git *git, struct err *err);

/* Paths, each ended by a NUL, as an array that ends in NULL. The caller frees the array alone: the
 * texts stay in *list. Slashes at their ends are cut. */
ATTR_MUST_USE char **git_paths(struct str *list, size_t *count_out);

/* Keeps other commands of ours, in all processes, out of the repository until git_unlock(). */
ATTR_MUST_USE bool git_lock(const struct git *git, const atomic_bool *stop, int *fd_out,
                            struct err *err);
/* Gives the lock back; fd -1 is none. */
void git_unlock(int fd);

#endif
