/*
 * sandbox_paths.h - which places of the machine a sandbox hides, and which it opens. Private to
 * sandbox*.c, bwrap*.c and container*.c.
 */
#ifndef DEVS_SANDBOX_PATHS_H
#define DEVS_SANDBOX_PATHS_H

#include <limits.h>
#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "sandbox.h"
#include "tool_run.h"

enum {
    SANDBOX_LOG_FILES_MAX = 64,      /* of one log that are hidden by name */
    SANDBOX_GIT_DIRS_MAX = 2000,     /* submodules and worktrees that are looked at */
    SANDBOX_GIT_DEPTH_MAX = 16,      /* folders below modules, and files that include each other */
    SANDBOX_GIT_INCLUDES_MAX = 1000, /* lines that include a file, for one attempt */
    SANDBOX_PLANS_MAX = 1000,        /* of the workflows, in one folder */
    SANDBOX_LINKS_MAX = 40,          /* on the way to one file */
    PASSWD_ENTRY_MAX = 4096,         /* bytes of one entry of the user database */
};

/* Where the run log is. All that is there when this is asked. */
struct sandbox_log {
    struct arg_list folders, files;
};

/* The log's folder; where that is not one of its own, a person's project for one, what in it is the
 * log's. End it with sandbox_log_done(). */
void sandbox_log_find(const struct sandbox_call *call, struct sandbox_log *out);
void sandbox_log_done(struct sandbox_log *log);

/* Appends what no sandbox may see or write: the run's own log, the other logs of devs, and what
 * devs keeps of runs and of what the person trusts. Folders and files that exist, absolute and
 * without links. A workspace may be inside. */
void sandbox_sealed_find(const struct sandbox_call *call, struct arg_list *out);

/* The value in an environment; NULL: it is not there. Borrows it. */
const char *sandbox_variable(char *const *environment, const char *name);

/* The person's home folder: $HOME of the call's our_environment where that is absolute, else the
 * one of the user database. False: there is none. Any thread. */
ATTR_MUST_USE bool sandbox_home_find(const struct sandbox_call *call, char out[PATH_MAX]);
/* The home folder of this user in the user database, NULL: of the user who runs devs. */
ATTR_MUST_USE bool sandbox_home_of(const char *user, char out[PATH_MAX]);

/* Is the path below the folder? */
bool sandbox_path_is_below(const char *path, const char *folder);

/* One path of the spec's `writable`, absolute and without links. In the workspace no link is
 * followed: an earlier attempt may have left one to anywhere, the log for one. */
ATTR_MUST_USE bool sandbox_writable_path(const struct sandbox_call *call, const char *path,
                                         char out[PATH_MAX], struct err *err);

/* The folders that a sandbox may write with all that is below them, without links: the workspace,
 * `writable`, and "/" where bwrap leaves all files writable. End it with arg_list_done(). */
ATTR_MUST_USE bool sandbox_areas_find(const struct sandbox_call *call, struct arg_list *out,
                                      struct err *err);

/* The outermost area that the path is below; NULL: none. Borrows from `areas`. */
const char *sandbox_area_of(const struct arg_list *areas, const char *path);

/* Appends the folders between the outermost of the areas that holds the path and the path itself,
 * parents first. Mounted onto themselves they can be neither renamed nor removed, so that nothing
 * else can take the path's name. */
void sandbox_add_pins(const struct arg_list *areas, const char *path, struct arg_list *pins);

/* What a sandbox keeps read-only although it is in a folder that may be written. */
struct sandbox_protected {
    struct arg_list paths;    /* files and folders, without links */
    struct arg_list pins;     /* of those: sandbox_add_pins() */
    struct arg_list unwanted; /* files that an attempt must not leave behind: git would obey them.
                                 Each as FOLDER//REST: the folder existed before, the rest did not
                               */
};

/* sandbox_protected.c */
/* Resolves an absolute path as realpath() does. False if it is missing, or if a link on the way is
 * in one of the areas: an earlier attempt may have put it there. */
ATTR_MUST_USE bool sandbox_fixed_path(const struct arg_list *areas, const char *path,
                                      char out[PATH_MAX]);
/*
 * Finds the files that decide what devs and git run on this machine, as far as they are in a folder
 * that the sandbox may write:
 *
 * - devs.config.json in the run's folder, in each folder above it, and in the workspace's top;
 * - the plan's file;
 * - the folder where devs keeps which settings the person trusts, made where it is missing;
 * - of each repository that the workspace or a folder of `writable` is in or is: all of .git and
 *   the files of the tree that it has links to. Where `writable` names .git: config,
 *   config.worktree, hooks, and commondir and gitdir of its worktrees; the same of its submodules
 *   below modules;
 * - the same of submodules and other repositories that its index has, and the folders of submodules
 *   that have no repository yet, made where they are missing; the file .git of a worktree or a
 *   submodule;
 * - the configs of the machine and the person, the files that any config includes, whatever the
 *   condition, and the folders of core.hooksPath.
 *
 * A path that `writable` names itself is left out. What a task has in a tree of its own, made by
 * devs, is its result and is left out, but for that tree's repository.
 *
 * Missing config and folders for hooks are created empty, since only what exists can be mounted;
 * nothing else that is missing is protected, but see `unwanted`. Fails where protection cannot be
 * had: the path, or a folder on the way to it, is a symbolic link that the sandbox may replace; the
 * file has a second name (hard link); or a config cannot be read, or exceeds one of the limits
 * above. Blocks. End *out with sandbox_protected_done(), on
 * failure too.
 */
ATTR_MUST_USE bool sandbox_protected_find(const struct sandbox_call *call,
                                          const struct arg_list *areas,
                                          struct sandbox_protected *out, struct err *err);
void sandbox_protected_done(struct sandbox_protected *found);

#endif
