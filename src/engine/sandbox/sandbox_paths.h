/*
 * sandbox_paths.h - finds the paths that a sandbox hides, and those that it opens. Private to
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
    SANDBOX_LOG_FILES_MAX = 64,      /* files of one log that are hidden by name */
    SANDBOX_GIT_DIRS_MAX = 2000,     /* submodules and worktrees that are checked */
    SANDBOX_GIT_DEPTH_MAX = 16,      /* levels below modules, and of nested includes */
    SANDBOX_GIT_INCLUDES_MAX = 1000, /* lines that include a file, per attempt */
    SANDBOX_PLANS_MAX = 1000,        /* plans of the workflows, in one folder */
    SANDBOX_LINKS_MAX = 40,          /* links on the way to one file */
    PASSWD_ENTRY_MAX = 4096,         /* bytes of one entry in the user database */
};

/* The location of the run's log. Only paths that exist at the time of the call. */
struct sandbox_log {
    struct arg_list folders, files;
};

/* Finds the log's folder or, if the folder is shared with other files, such as a user's project,
 * the log's files in it. End *out with sandbox_log_done(). */
void sandbox_log_find(const struct sandbox_call *call, struct sandbox_log *out);
void sandbox_log_done(struct sandbox_log *log);

/* Appends the paths that no sandbox may see or write: the run's own log, the other logs of devs,
 * and what devs stores about runs and about settings that the user trusts. All exist and are
 * absolute, without symlinks. They may contain a workspace. */
void sandbox_sealed_find(const struct sandbox_call *call, struct arg_list *out);

/* Returns the value of a variable in an environment; NULL if it is not set. Borrowed. */
const char *sandbox_variable(char *const *environment, const char *name);

/* Finds the user's home folder: $HOME of the call's our_environment if that is absolute, else the
 * one in the user database. Returns false if there is none. Any thread. */
ATTR_MUST_USE bool sandbox_home_find(const struct sandbox_call *call, char out[PATH_MAX]);
/* Finds this user's home folder in the user database; NULL = the user who runs devs. */
ATTR_MUST_USE bool sandbox_home_of(const char *user, char out[PATH_MAX]);

/* Returns whether the path is below the folder. */
bool sandbox_path_is_below(const char *path, const char *folder);

/* Resolves one path of the spec's `writable`: absolute and without symlinks. Follows no link in the
 * workspace, because an earlier attempt may have left one there, for example to the log. */
ATTR_MUST_USE bool sandbox_writable_path(const struct sandbox_call *call, const char *path,
                                         char out[PATH_MAX], struct err *err);

/* Finds the folders that a sandbox may write to, including everything below them, without symlinks:
 * the workspace, `writable`, and "/" if bwrap leaves all files writable. End *out with
 * arg_list_done(). */
ATTR_MUST_USE bool sandbox_areas_find(const struct sandbox_call *call, struct arg_list *out,
                                      struct err *err);

/* Returns the outermost area that contains the path; NULL if none does. Borrowed from `areas`. */
const char *sandbox_area_of(const struct arg_list *areas, const char *path);

/* Appends the folders between the outermost area that contains the path and the path itself,
 * parents first. When mounted onto themselves they can be neither renamed nor removed, so that
 * nothing else can take over the path. */
void sandbox_add_pins(const struct arg_list *areas, const char *path, struct arg_list *pins);

/* What a sandbox keeps read-only although it is in a writable folder. */
struct sandbox_protected {
    struct arg_list paths;    /* files and folders, without symlinks */
    struct arg_list pins;     /* their parents, see sandbox_add_pins() */
    struct arg_list unwanted; /* files that an attempt must not leave behind, because git would
                                 use them. Each as FOLDER//REST: the folder existed before, the
                                 rest did not */
};

/* sandbox_protected.c */
/* Resolves an absolute path like realpath(). Returns false if it is missing, or if a link on the
 * way is in one of the areas, where an earlier attempt may have put it. */
ATTR_MUST_USE bool sandbox_fixed_path(const struct arg_list *areas, const char *path,
                                      char out[PATH_MAX]);
/*
 * Finds the files that determine which programs devs and git run on this machine, if they are in a
 * folder that the sandbox may write to:
 *
 * - devs.config.json in the run's folder, in each of its parents, and in the root of the workspace;
 * - the plan file;
 * - the folder where devs keeps which settings the user trusts, created if it is missing;
 * - for each repository that the workspace or a folder of `writable` is, or is in: all of .git and
 *   the files of the tree that it has links to. If `writable` names .git: config, config.worktree,
 *   hooks, and commondir and gitdir of its worktrees; the same for its submodules below modules;
 * - the same for submodules and other repositories in its index, and the folders of submodules that
 *   have no repository yet, created if missing; the file .git of a worktree or a submodule;
 * - the configs of the machine and the user, the files that any config includes, whatever the
 *   condition, and the folders of core.hooksPath.
 *
 * A path that `writable` itself names is left out. The contents of a tree that devs made for a task
 * are its result and also left out, except for that tree's repository.
 *
 * Missing configs and hook folders are created empty, since only existing files can be mounted.
 * Other missing files are not protected, but see `unwanted`. Fails if protection is impossible: the
 * path, or a folder on the way to it, is a symbolic link that the sandbox may replace; the file has
 * a second name (hard link); or a config cannot be read, or exceeds one of the limits above.
 * Blocks. End *out with sandbox_protected_done(), even on failure.
 */
ATTR_MUST_USE bool sandbox_protected_find(const struct sandbox_call *call,
                                          const struct arg_list *areas,
                                          struct sandbox_protected *out, struct err *err);
void sandbox_protected_done(struct sandbox_protected *found);

#endif
