/* sandbox_internal.h - the kinds of sandboxes, and the code that they share. Private to
 * engine/sandbox, except that engine.c, in engine/loop, compares paths. */
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
#include "text.h"
#include "tool_run.h"
#include "workspace_spec.h"

/* Controls podman and docker, which share most of their syntax, by running their clients.
 *
 * A container is created before the attempt. The attempt's process is a client that starts the
 * container and attaches to it. After the end, the container is inspected and removed. All
 * functions block. */

#define CONTAINER_LABEL "devs.run" /* label of all our containers; the value is the run's uid */

enum { CONTAINER_ID_MAX = 80, CONTAINER_PROBE_MS = 10000, CONTAINER_AGAIN_MS = 5000 };

struct container_tool {
    char program[PATH_MAX]; /* absolute; "" = not installed */
    const char *name;       /* "podman" or "docker" */
    bool is_podman;
    bool works; /* the tool answered the probe */
    bool limits_memory, limits_pids;
    bool takes_groups;     /* can make its control groups inside our group */
    char filter[PATH_MAX]; /* absolute path of its seccomp profile; "" = there is none, or it is on
                              a different machine */
    char why[200];         /* why it does not work */
    char version[48];
};

/* Looks up the program for a kind of spec (SANDBOX_CONTAINER: podman, or docker if only that
 * works). A program that works is probed once per process; otherwise it is probed again after
 * CONTAINER_AGAIN_MS. */
void container_tool(enum sandbox_kind kind, struct container_tool *out);

/* Makes a seccomp profile that rejects the tool's own list of system calls, and the calls that devs
 * rejects in every sandbox (see bwrap_filter.c). With podman's own profile, root's containers can
 * use root's kernel keyrings and, even without a network, reach the host of a virtual machine. Only
 * `create` reads the file. `path` is "" if the tool has no profile that can be changed here; the
 * container then uses the tool's own. Returns false if the profile cannot be read or made. */
ATTR_MUST_USE bool container_filter_make(const struct container_tool *tool, bool network,
                                         char path[PATH_MAX], struct err *err);
/* Removes the profile. `path` may be "". */
void container_filter_remove(const char *path);

struct sandbox;
struct sandbox_end;

/* Creates the container, but does not start it. On failure, sets *start_code to a start code of
 * outcome.h or to ECANCELED. */
ATTR_MUST_USE bool container_prepare(struct sandbox *sandbox, const atomic_bool *stop,
                                     int *start_code, struct err *err);
/* Asks the tool how the container ended, corrects *end accordingly, and removes the container. Sets
 * *oom_reported to whether the tool reports that memory ran out; leaves it unchanged if the tool
 * does not answer. */
void container_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end,
                      bool *oom_reported);
/* Removes the container, even if it is running. Returns false if it may still exist. */
bool container_remove(struct sandbox *sandbox);

/* Ends and removes a container by name, even if it is running. Runs the tool up to three times.
 * Returns false if the container may still exist. */
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
    struct arg_list argv;                /* empty = use the argv of the call */
    struct container_tool tool;          /* only for containers */
    char container_id[CONTAINER_ID_MAX]; /* "" = no container was created */
    bool container_is_there;             /* the container was created, and not removed yet */
    struct arg_list options;  /* bwrap: its own options, which it reads from options_fd */
    int options_fd;           /* -1 = closed */
    int filter_fd;            /* bwrap: the seccomp program; -1 = closed */
    int status_fds[2];        /* bwrap: the pipe that it writes its status to; -1 = closed */
    struct arg_list unwanted; /* files to remove when the attempt has ended */
    int pid;                  /* pid of the attempt's process; 0 = not started */
    int kernel_log;           /* file descriptor; -1 = cannot be read */
};

/* Returns the sandbox's limits combined with the plan's. */
struct cgroup_limits sandbox_limits(const struct sandbox_call *call);

/* Copies the last line of the text, without control characters. */
void sandbox_last_line(const char *text, char *out, size_t size);

/* Returns whether the attempt ended on its own, so that its exit code is meaningful. */
bool sandbox_ended_itself(const struct outcome *outcome);

/* Corrects the outcome of an attempt that was never started. */
void sandbox_was_not_started(struct sandbox_end *end, int start_code, const char *why);

/* Finds the paths that a sandbox hides, and the paths that it makes writable. */

enum {
    SANDBOX_LOG_FILES_MAX = 64,  /* maximum number of files of one log that are hidden by name */
    SANDBOX_GIT_DIRS_MAX = 2000, /* maximum number of submodules and worktrees that are checked */
    SANDBOX_GIT_DEPTH_MAX = 16,  /* maximum depth below modules, and of nested includes */
    SANDBOX_GIT_INCLUDES_MAX = 1000, /* maximum number of include lines in configs, per attempt */
    SANDBOX_PLANS_MAX = 1000,        /* maximum number of protected plan files in a folder */
    SANDBOX_LINKS_MAX = 40,          /* maximum number of links to follow in a path */
    PASSWD_ENTRY_MAX = 4096,         /* maximum length of an entry in the user database, in bytes */
};

/* The paths of the run's log that exist at the time of the call. */
struct sandbox_log {
    struct arg_list folders, files;
};

/* Finds the log's folder or, if the folder is shared with other files, such as a user's project,
 * the log's files in it. The caller frees *out with sandbox_log_done(). */
void sandbox_log_find(const struct sandbox_call *call, struct sandbox_log *out);
void sandbox_log_done(struct sandbox_log *log);

/* Appends the paths that no sandbox may see or write: the run's own log, the other logs of devs,
 * and the data of devs about runs and about settings that the user trusts. All paths exist and are
 * absolute, without symlinks. A workspace may be inside one of these paths. */
void sandbox_sealed_find(const struct sandbox_call *call, struct arg_list *out);

/* Returns the value of a variable in an environment; NULL if it is not set. Borrowed. */
const char *sandbox_variable(char *const *environment, const char *name);

/* Finds the user's home folder: $HOME of the call's our_environment if that is absolute, otherwise
 * the one in the user database. Returns false if neither exists. Any thread. */
ATTR_MUST_USE bool sandbox_home_find(const struct sandbox_call *call, char out[PATH_MAX]);
/* Finds the home folder of a user in the user database; NULL = the user who runs devs. */
ATTR_MUST_USE bool sandbox_home_of(const char *user, char out[PATH_MAX]);

/* Resolves a path of the spec's `writable` to an absolute path without symlinks. Follows no link in
 * the workspace, because an earlier attempt may have left one there, for example to the log. */
ATTR_MUST_USE bool sandbox_writable_path(const struct sandbox_call *call, const char *path,
                                         char out[PATH_MAX], struct err *err);

/* Finds the areas of a sandbox, the folders in which everything is writable: the workspace,
 * `writable`, and "/" if bwrap leaves all files writable. Paths without symlinks. The caller frees
 * *out with arg_list_done(). */
ATTR_MUST_USE bool sandbox_areas_find(const struct sandbox_call *call, struct arg_list *out,
                                      struct err *err);

/* Returns the outermost area that contains the path; NULL if none does. Borrowed from `areas`. */
const char *sandbox_area_of(const struct arg_list *areas, const char *path);

/* Appends the folders between the outermost area that contains the path and the path itself,
 * parents first. A folder that is mounted onto itself can be neither renamed nor removed, so that
 * nothing else can take its place. */
void sandbox_add_pins(const struct arg_list *areas, const char *path, struct arg_list *pins);

/* The paths that a sandbox keeps read-only although they are in a writable folder. */
struct sandbox_protected {
    struct arg_list paths;    /* files and folders, without symlinks */
    struct arg_list pins;     /* folders between area and path (see sandbox_add_pins()) */
    struct arg_list unwanted; /* files that an attempt must not leave behind, because git would use
                                 them; each is FOLDER//REST, of which only FOLDER existed before */
};

/* sandbox_protected.c */
/* Resolves an absolute path like realpath(). Returns false if the path is missing, or if it leads
 * through a link in one of the areas, where an earlier attempt may have put it. */
ATTR_MUST_USE bool sandbox_fixed_path(const struct arg_list *areas, const char *path,
                                      char out[PATH_MAX]);
/* Finds the files that determine which programs devs and git run on this machine, if they are in a
 * folder that the sandbox may write to:
 *
 * - devs.config.json in the run's folder, in each of its parents, and in the root of the workspace;
 * - the plan file;
 * - the folder where devs keeps which settings the user trusts, created if it is missing;
 * - for each repository that is or contains the workspace or a folder of `writable`: all of .git
 *   and the files of the tree that links in it lead to. If `writable` names .git: config,
 *   config.worktree, hooks, and commondir and gitdir of its worktrees; the same for its submodules
 *   below modules;
 * - the same for submodules and other repositories in its index, and the folders of submodules that
 *   have no repository yet, created if missing; the file .git of a worktree or a submodule;
 * - the configs of the machine and the user, the files that any config includes, under any
 *   condition, and the folders of core.hooksPath.
 *
 * A path that `writable` itself names is left out. The contents of a tree that devs made for a task
 * are its result and also left out, except for that tree's repository.
 *
 * Missing configs and hook folders are created empty, since only existing files can be mounted.
 * Other missing files are not protected, but see `unwanted`. Fails if protection is impossible: the
 * path, or a folder on the way to it, is a symbolic link that the sandbox may replace; the file has
 * a second name (hard link); or a config cannot be read, or exceeds one of the limits above.
 * Blocks. The caller frees *out with sandbox_protected_done(), even on failure. */
ATTR_MUST_USE bool sandbox_protected_find(const struct sandbox_call *call,
                                          const struct arg_list *areas,
                                          struct sandbox_protected *out, struct err *err);
void sandbox_protected_done(struct sandbox_protected *found);

/* The namespace sandbox: runs the attempt's program in bubblewrap.
 *
 * The sandbox has its own processes, network (unless shared), IPC, host name, /tmp and /dev. It
 * sees the machine's files as they are, or read-only; the log and well-known secrets are masked. It
 * runs as the user who runs devs. docs/sandboxes.md lists what it isolates and what it does not. */

/* What bubblewrap can do on this machine. The first call runs it up to three times, for at most
 * BWRAP_PROBE_MS each. */
struct bwrap_means {
    bool is_there, works, network; /* network: it can create a namespace without a network */
    char program[PATH_MAX];        /* absolute */
    char version[32];
    char why[200]; /* why it does not work; usually bwrap's own message */
};
enum { BWRAP_PROBE_MS = 5000 };
/* Fills in *out. Any thread. */
void bwrap_means(struct bwrap_means *out);

/* Appends the seccomp program of a step in the kernel's format. It rejects access to things that
 * namespaces do not isolate: the kernel's keyrings, which may contain tickets and passwords of the
 * user's programs, and, without a network, the sockets of virtual machines. */
void bwrap_filter_write(bool network, struct str *out);
/* Returns whether the kernel supports seccomp filters. */
bool bwrap_filter_works(void);

/* Makes the argv, the options and the descriptors of bwrap. */
ATTR_MUST_USE bool bwrap_prepare(struct sandbox *sandbox, int *start_code, struct err *err);

/* Signals everything that runs inside, except bwrap's own two processes: if they exited, the
 * program would lose its grace period. */
void bwrap_signal(struct sandbox *sandbox, int signal_number);

/* Corrects *end from bwrap's status, or from its last line on stderr. Call this after the process
 * has ended. */
void bwrap_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end);

/* Paths that a step in bubblewrap does not see, or sees differently. All exist and are absolute,
 * without symlinks. All zero is a valid empty value. */
struct bwrap_paths {
    struct arg_list sealed;  /* logs and state of devs: look empty, and cannot be written */
    struct arg_list hidden;  /* keys, tokens and data of services: look empty */
    struct arg_list sockets; /* sockets of services outside of /run */
    struct arg_list empty;   /* folders that the sandbox replaces with its own: /tmp and /run */
    struct arg_list shown;   /* paths in `empty` folders that programs need */
};
/* Finds these paths. `areas` are the folders that the sandbox may write. The caller frees *out with
 * bwrap_paths_done(). */
void bwrap_paths_find(const struct sandbox_call *call, const struct arg_list *areas,
                      struct bwrap_paths *out);
void bwrap_paths_done(struct bwrap_paths *paths);

/* Returns the paths in /proc and /sys to mount read-only, and the paths to hide. Looked up once;
 * both lists live as long as the process. Any thread. */
void bwrap_kernel_paths(const struct arg_list **read_only, const struct arg_list **hidden);

#endif
