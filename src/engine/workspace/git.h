/*
 * git.h - a person's git repository, and git run on it so that nothing else runs.
 *
 * No hook, filter, merge driver, fsmonitor, external diff, pager, editor, maintenance or signing
 * program of any settings is started; the settings of the person and of the machine are left out
 * but for the name, the address and the list of ignored files. A repository that a task may write
 * to is never searched for: its place is said (git_at()). Blocks: for worker threads; a value is
 * for one thread at a time.
 */
#ifndef DEVS_GIT_H
#define DEVS_GIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"
#include "tool_run.h"

enum {
    GIT_SETTINGS_MAX = 1000,       /* filters and merge drivers that are switched off */
    GIT_PATHS_MAX = 1000000,       /* of one list of paths */
    GIT_LOCK_MS = 30 * 60 * 1000,  /* how long others of ours may take: each checks out a tree */
    GIT_LOCK_ALONE_MS = 60 * 1000, /* the same where nobody can stop us */
};

struct git {
    char *top;          /* owned; of the working tree, absolute */
    char *common;       /* owned; the repository's own folder, absolute */
    char **environment; /* owned, and what is in it */
    char **settings;    /* owned, likewise: "-c", "key=value", ..., NULL */
    bool has_identity;  /* the person has a name and an address */
};

/* The repository whose working tree holds the folder. ERR_NOT_FOUND if there is none;
 * ERR_INVALID, with a hint, for one that cannot be worked with: bare, without commits. */
ATTR_MUST_USE bool git_open(struct git *out, const char *folder, char *const *environment,
                            struct err *err);
/* No repository at all, for what needs none. */
void git_alone(struct git *out, const char *folder, char *const *environment);
void git_done(struct git *git);

/* What a command works on. All borrowed. */
struct git_call {
    const char *const *words; /* after "git", NULL-terminated */
    const char *dir;          /* the repository's folder; NULL = that of git->top */
    const char *tree;         /* the working tree; NULL = git->top */
    const char *index;        /* the index file; NULL = as git has it */
    const char *objects;      /* where new objects go; NULL = into the repository */
    const char *input;        /* stdin; NULL = none */
    size_t input_len;
    size_t out_max;     /* 0 = TOOL_OUT_BYTES */
    int64_t timeout_ms; /* 0 = TOOL_TIMEOUT_MS */
    const atomic_bool *stop;
};

/* True if it ran, whatever its exit code. */
ATTR_MUST_USE bool git_run(const struct git *git, const struct git_call *call,
                           struct tool_result *out, struct err *err);
/* True if it succeeded; its stdout is added to *out (may be NULL). */
ATTR_MUST_USE bool git_ask(const struct git *git, const struct git_call *call, struct str *out,
                           struct err *err);
/* As git_ask(), the first line of what it says, which has to fit. */
ATTR_MUST_USE bool git_ask_line(const struct git *git, const struct git_call *call, char *out,
                                size_t cap, struct err *err);

/* Paths that end in NUL as an array that ends in NULL; free it alone, the texts stay where they
 * are. Slashes at their ends are cut. */
ATTR_MUST_USE char **git_paths(struct str *list, size_t *count_out);

/* One of our commands on a repository at a time, in all processes: until git_unlock(). */
ATTR_MUST_USE bool git_lock(const struct git *git, const atomic_bool *stop, int *fd_out,
                            struct err *err);
/* Give the lock back; fd -1 is none. */
void git_unlock(int fd);

#endif
