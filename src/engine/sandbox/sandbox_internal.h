/*
 * sandbox_internal.h - the kinds of sandboxes, and what they share. Private to engine/sandbox,
 * except that engine.c, in engine/loop, compares paths.
 */
#ifndef DEVS_SANDBOX_INTERNAL_H
#define DEVS_SANDBOX_INTERNAL_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "attr.h"
#include "cgroup.h"
#include "err.h"
#include "sandbox.h"
#include "str.h"
#include "tool_run.h"
#include "workspace_spec.h"

/*
 * Controls podman and docker, which share most of their syntax, by running the client.
 *
 * A container is created before the attempt, started and attached to as the attempt's process, and
 * inspected and removed after its end. All functions block.
 */

#define CONTAINER_LABEL "devs.run" /* on each of our containers; its value is the run's uid */

enum { CONTAINER_ID_MAX = 80, CONTAINER_PROBE_MS = 10000, CONTAINER_AGAIN_MS = 5000 };

struct container_tool {
    char program[PATH_MAX]; /* absolute; "" = not installed */
    const char *name;       /* "podman", "docker" */
    bool is_podman;
    bool works; /* it answered the probe */
    bool limits_memory, limits_pids;
    bool takes_groups;     /* can make its groups inside one of ours */
    char filter[PATH_MAX]; /* absolute path of its seccomp profile; "" = none, or not on this
                              machine */
    char why[200];         /* why it does not work */
    char version[48];
};

/* Looks up the program for a kind of spec (SANDBOX_CONTAINER: podman, or docker if only that
 * works). A working program is probed once per process; others are probed again after
 * CONTAINER_AGAIN_MS. */
void container_tool(enum sandbox_kind kind, struct container_tool *out);

/* Makes a seccomp profile that rejects the system calls that the tool rejects, and those that devs
 * rejects in every sandbox (see bwrap_filter.c). Without it, podman lets a container of root use
 * root's kernel keyrings, and reach the host of a virtual machine without a network. Only `create`
 * reads the file. `path` is "" if the tool has no profile that can be changed here; the container
 * then uses the tool's own. Returns false if the profile cannot be read or made. */
ATTR_MUST_USE bool container_filter_make(const struct container_tool *tool, bool network,
                                         char path[PATH_MAX], struct err *err);
/* Removes the file. `path` may be "". */
void container_filter_remove(const char *path);

struct sandbox;
struct sandbox_end;

/* Creates the container, but does not start it. On failure *start_code is one of outcome.h's start
 * codes, or ECANCELED. */
ATTR_MUST_USE bool container_prepare(struct sandbox *sandbox, const atomic_bool *stop,
                                     int *start_code, struct err *err);
/* Asks the program how the container ended, corrects *end accordingly, and removes it. Sets
 * *oom_reported to whether it reports that memory ran out; leaves it unchanged if there is no
 * answer. */
void container_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end,
                      bool *oom_reported);
/* Removes the container, even if it is running. Returns false if it may still exist. */
bool container_remove(struct sandbox *sandbox);

/* Ends and removes a container by its name, even if it is running. Runs the program up to three
 * times. Returns false if the container may still exist. */
ATTR_MUST_USE bool container_end(const char *program, bool is_podman, const char *name,
                                 char *const *environment);

/* Ends and removes every container with the run's label, like cgroup_sweep() for groups. */
bool container_sweep(const char *uid, struct str *ended, struct str *left);

/* A prepared sandbox of any kind. */

enum { SANDBOX_NAME_MAX = 200, SANDBOX_MIB = 1024 * 1024 };

struct sandbox {
    struct sandbox_call call; /* its pointers are borrowed */
    char name[SANDBOX_NAME_MAX];
    struct cgroup *cgroup; /* NULL = none */
    struct spawn_limits limits;
    struct arg_list argv;                /* empty = use the call's own */
    struct container_tool tool;          /* only for containers */
    char container_id[CONTAINER_ID_MAX]; /* "" = none was created */
    bool container_is_there;             /* it was created, and not removed yet */
    struct arg_list options;  /* bwrap: its own arguments, which it reads from options_fd */
    int options_fd;           /* -1 = closed */
    int filter_fd;            /* bwrap: the seccomp program; -1 = closed */
    int status_fds[2];        /* bwrap: pipe for its status reports; -1 = closed */
    struct arg_list unwanted; /* files to remove when the attempt has ended */
    int pid;                  /* pid of the attempt's process; 0 = not started */
    int kernel_log;           /* -1 = cannot be read */
};

/* Returns the sandbox's limits combined with the plan's. */
struct cgroup_limits sandbox_limits(const struct sandbox_call *call);

/* Copies the last line of a text, without control characters for a terminal. */
void sandbox_last_line(const char *text, char *out, size_t size);

/* Returns whether the attempt ended on its own, so that its exit code is meaningful. */
bool sandbox_ended_itself(const struct outcome *outcome);

/* Corrects the outcome of an attempt that was never started. */
void sandbox_was_not_started(struct sandbox_end *end, int start_code, const char *why);

/* Finds the paths that a sandbox hides, and those that it makes writable. */

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

/* The namespace sandbox: runs the attempt's program in bubblewrap.
 *
 * The sandbox has its own processes, network (unless shared), IPC, host name, /tmp and /dev. It
 * sees the machine's files as they are, or read-only; the log and well-known secrets are masked. It
 * runs as the user who runs devs. docs/sandboxes.md lists what it isolates and what it does not. */

/* What bubblewrap can do on this machine. The first call runs it once or twice, for at most
 * BWRAP_PROBE_MS each. */
struct bwrap_means {
    bool is_there, works, network; /* network: it can create a namespace without a network */
    char program[PATH_MAX];        /* absolute */
    char version[32];
    char why[200]; /* why it does not work, in bwrap's own words */
};
enum { BWRAP_PROBE_MS = 5000 };
/* Fills in *out. Any thread. */
void bwrap_means(struct bwrap_means *out);

/* Appends the seccomp program of a step in the kernel's format. It rejects what namespaces do not
 * isolate: the kernel's keyrings, where the user's programs keep tickets and passwords, and,
 * without a network, sockets of virtual machines. */
void bwrap_filter_write(bool network, struct str *out);
/* Returns whether the kernel supports such filters. */
bool bwrap_filter_works(void);

/* Sets up argv and the status pipe. */
ATTR_MUST_USE bool bwrap_prepare(struct sandbox *sandbox, int *start_code, struct err *err);

/* Signals everything that runs inside, except bwrap's own two processes: if they exited, the
 * program would lose its grace period. */
void bwrap_signal(struct sandbox *sandbox, int signal_number);

/* Call after its end: corrects *end from bwrap's status, or from its last line on stderr. */
void bwrap_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end);

/* Paths of the machine that a step in bubblewrap does not see, or sees differently. All exist and
 * are absolute, without symlinks. All zero is a valid empty value. */
struct bwrap_paths {
    struct arg_list sealed;  /* logs and state of devs: look empty, and cannot be written */
    struct arg_list hidden;  /* keys, tokens, data of services: look empty */
    struct arg_list sockets; /* sockets of services outside of /run */
    struct arg_list empty;   /* folders that the sandbox replaces with its own: /tmp and /run */
    struct arg_list shown;   /* paths in those that programs need */
};
/* Finds these paths. `areas`: the paths that the sandbox may write. The caller ends *out with
 * bwrap_paths_done(). */
void bwrap_paths_find(const struct sandbox_call *call, const struct arg_list *areas,
                      struct bwrap_paths *out);
void bwrap_paths_done(struct bwrap_paths *paths);

/* Returns the paths in /proc and /sys to mount read-only, and those to hide. Looked up once; both
 * lists live as long as the process. Any thread. */
void bwrap_kernel_paths(const struct arg_list **read_only, const struct arg_list **hidden);

#endif
