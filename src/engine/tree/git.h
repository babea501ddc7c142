/* git.h - runs git on a user's repository with a configuration that is entirely ours.
 *
 * A repository is hostile: an attempt may have written its config, hooks, attributes and index. A
 * list of settings to disable would never be complete, and could be out of date when git runs. So
 * every command works in a private repository of devs. It borrows the user's objects (alternates),
 * reads the user's refs (symbolic links), and has only our config, hooks and attributes, so a
 * filter or merge driver that a tree names has no effect there. The user's own settings are only
 * read as data: name, e-mail address, list of ignored files, hash function. Git never opens a
 * config of the repository: we read it, and git parses the text.
 *
 * Git itself writes nothing to the user's repository. Functions of this file and of
 * workspace_worktree.c add new objects, refs and worktrees to it; they do not follow symbolic
 * links. Blocks, so use worker threads; each value belongs to one thread at a time. */
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
#include "text.h"
#include "tool_run.h"

enum {
    GIT_COMMIT_MAX = 65,          /* size of an object id in hex, including the NUL */
    GIT_PATHS_MAX = 1000000,      /* maximum number of paths in a list */
    GIT_FILE_MAX = 4096,          /* maximum size of HEAD, commondir and similar files, in bytes */
    GIT_CONFIG_MAX = 1024 * 1024, /* maximum size of a config, in bytes */
    GIT_INDEX_MAX = 256 * 1024 * 1024, /* maximum size of an index, in bytes */
    GIT_LOCK_MS =
        30 * 60 *
        1000, /* longest wait for another git process of devs, which may be checking out a tree */
    GIT_LOCK_ALONE_MS = 60 * 1000, /* longest wait if there is no stop flag */
};

/* The paths of a repository. All absolute, without symlinks. */
struct git_places {
    char top[PATH_MAX];    /* the working tree: the folder that contains ".git" */
    char dir[PATH_MAX];    /* the folder of this working tree: HEAD, index */
    char common[PATH_MAX]; /* the folder shared by all worktrees: objects, refs, config */
};

/* Finds the repository that contains a folder (absolute), without running git: the nearest ".git"
 * in the folder or in one of its parents. Fails with ERR_NOT_FOUND if there is none. */
ATTR_MUST_USE bool git_find(const char *folder, struct git_places *out, struct err *err);

/* Appends the config files that git reads for all repositories, the system's and the user's, as git
 * lists them. Includes config files in the home folder even if they are missing. */
void git_find_configs(char *const *environment, struct arg_list *out);

/* Returns whether git can read the ref, such as "refs/heads/main" with or without "^{commit}",
 * without blocking. Returns false if the ref, or a ref that it refers to, is a FIFO or a device. */
ATTR_MUST_USE bool git_ref_is_readable(const struct git_places *places, const char *name);

struct git {
    struct git_places *places;   /* owned; NULL = not open */
    char *own;                   /* owned; absolute path of the private repository; NULL = none */
    struct arg_list environment; /* environment of all commands; struct git_call adds to it */
};

/* Opens the repository of the folder for our commands. Creates the private repository at `own`, or
 * updates an existing one; the parent of `own` must exist, and only devs may write to it. Fails
 * with ERR_NOT_FOUND if the folder is not in a repository, or with ERR_INVALID and a hint if the
 * repository is unusable. */
ATTR_MUST_USE bool git_open(struct git *out, const char *folder, const char *own,
                            char *const *environment, struct err *err);
/* Prepares to run commands that need no repository. */
void git_alone(struct git *out, const char *folder, char *const *environment);
/* Appends "MODE ID STAGE tab PATH NUL" for each index entry of the git folder `dir`, whose working
 * tree is `top` (both absolute). Uses a temporary private repository. */
ATTR_MUST_USE bool git_list_index(const char *dir, const char *top, char *const *environment,
                                  struct str *out, struct err *err);
/* Frees the value; the private repository stays on disk. */
void git_done(struct git *git);

/* One git command. All borrowed. */
struct git_call {
    const char *const *words; /* arguments after "git", NULL-terminated */
    const char *tree;         /* the working tree, where git runs; NULL = the user's */
    const char *index;        /* the index file; NULL = not needed */
    const char *objects;      /* folder for new objects; NULL = the private repository */
    const char *input;        /* stdin; NULL = none */
    size_t input_len;
    size_t out_max;     /* 0 = TOOL_OUT_BYTES; otherwise git is ended when it prints more */
    const char *entry;  /* an additional entry of the environment; NULL = none */
    int64_t timeout_ms; /* 0 = TOOL_TIMEOUT_MS */
    const atomic_bool *stop;
};

/* Runs the command. Returns true if it could be run, whatever its exit code. */
ATTR_MUST_USE bool git_run(const struct git *git, const struct git_call *call,
                           struct tool_result *out, struct err *err);
/* Runs the command. Returns true if it succeeded. Appends its stdout to *out (may be NULL). */
ATTR_MUST_USE bool git_ask(const struct git *git, const struct git_call *call, struct str *out,
                           struct err *err);
/* Like git_ask(), but only returns the first line of stdout, which must fit into `cap` bytes. */
ATTR_MUST_USE bool git_ask_line(const struct git *git, const struct git_call *call, char *out,
                                size_t cap, struct err *err);

/* Finds the id of the object that a name refers to, such as "refs/heads/main^{commit}". Returns
 * false without an error if there is none. */
ATTR_MUST_USE bool git_resolve(const struct git *git, const char *name, char out[GIT_COMMIT_MAX]);
/* Finds the commit of a HEAD file, which contains an id or a symbolic ref. Returns false if there
 * is none. */
ATTR_MUST_USE bool git_resolve_head(const struct git *git, const char *path,
                                    char out[GIT_COMMIT_MAX]);

/* Moves the branch to a commit whose objects are in the user's repository. `from` is the commit
 * that it must be at; "" if it must not exist. Other processes see either the old or the new
 * commit. */
ATTR_MUST_USE bool git_move_branch(const struct git *git, const char *branch, const char *from,
                                   const char *commit, struct err *err);
/* Moves new objects of our commands from the private repository to the user's. */
ATTR_MUST_USE bool git_bring_objects(const struct git *git, struct err *err);

/* Moves the objects of `folder`, which a call has used as struct git_call.objects, to the private
 * repository. */
ATTR_MUST_USE bool git_take_objects(const struct git *git, const char *folder, struct err *err);

/* Splits a list of NUL-terminated paths into a NULL-terminated array, and removes trailing slashes.
 * The caller frees only the array; the strings stay in *list. */
ATTR_MUST_USE char **git_paths(struct str *list, size_t *count_out);

/* Locks the repository against our other commands, in all processes, until git_unlock() is
 * called. */
ATTR_MUST_USE bool git_lock(const struct git *git, const atomic_bool *stop, int *fd_out,
                            struct err *err);
/* Releases the lock. `fd` may be -1. */
void git_unlock(int fd);

#endif
