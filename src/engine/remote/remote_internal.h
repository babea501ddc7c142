/*
 * remote_internal.h - the programs of this machine that reach other ones (ssh, and the commands of
 * clusters), for the parts of engine/remote. Private to this folder.
 */
#ifndef DEVS_REMOTE_INTERNAL_H
#define DEVS_REMOTE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "child.h"
#include "plan.h"
#include "remote.h"
#include "str.h"

enum { SSH_FAILED = 255 }; /* ssh's exit code if there is none of the command */

/* A call of such a program. Zeros, with `argv`, are a new one. */
struct tool_line {
    char **argv;        /* owned, NULL-terminated; owns the strings */
    char **environment; /* owned array of borrowed strings, NULL-terminated */
    int64_t timeout_ms; /* 0 = none */
};

/* Appends a call of devs-hand to a shell command, with the name of a holder and the folder of an
 * attempt (NULL = none). */
void hand_add_call(const struct remote_place *place, const char *words, const char *name,
                   struct str *out);
/* Returns the arguments that run the shell command on the host by ssh, with the person's own `args`
 * (NULL = none) before the host. The caller frees the list. */
char **ssh_argv(const char *host, char *const *args, const char *command);
/* Returns the arguments that run the shell command at this place: a channel. For a cluster, the
 * job must have its name. */
char **channel_argv(const struct remote_place *place, const char *command);

/* Returns the arguments that run the script with ssh as its arguments: ssh offers its connection to
 * others at the socket `control`. */
char **share_argv(const struct remote_place *place, const char *script, const char *control);

/* Starts the line. `feed` is the stdin, or else `input`; both NULL = /dev/null. These and the line
 * are borrowed until the watcher hears of the start. */
struct child *tool_start(struct nursery *nursery, const struct remote_place *place,
                         struct tool_line *line, const int *feed, const struct launch_input *input,
                         const struct child_watcher *watcher);
/* Frees the members of the line, which is then a new one. */
void tool_line_done(struct tool_line *line);

/* A short run of a program. */
struct errand_call {
    char **argv;       /* owned by the errand */
    const char *input; /* stdin; copied; NULL = /dev/null */
    size_t out_max;    /* bytes of stdout that are kept */
};
/* Called once: the exit code, or -1; what was kept of stdout; the last line of stderr. */
typedef void errand_done_fn(void *ctx, int code, const struct str *out, const char *error);
/* Until `done` is called, the returned child may be cancelled. */
struct child *errand_start(struct nursery *nursery, const struct remote_place *place,
                           const struct errand_call *call, void *ctx, errand_done_fn *done);

#endif
