/*
 * remote_internal.h - ssh, for the parts of engine/remote. Private to this folder.
 */
#ifndef DEVS_REMOTE_INTERNAL_H
#define DEVS_REMOTE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "child.h"
#include "plan.h"
#include "remote.h"
#include "str.h"

/* A call of ssh. Zeros, with a command, are a new one. */
struct ssh_line {
    char **argv;        /* owned, NULL-terminated */
    char **environment; /* owned array of borrowed strings, NULL-terminated */
    struct str command; /* one argument: the command there */
    struct str connect; /* another one */
    int64_t timeout_ms; /* 0 = none */
};

/* Appends a call of devs-hand to a command; with the folder of the attempt `name` (NULL = none). */
void ssh_add_hand(const struct plan_executor *executor, const char *words, const char *name,
                  struct str *out);
/* Completes the line and starts it. `feed` is the stdin, NULL = /dev/null; it is borrowed, as is
 * the line, until the watcher hears of the start. */
struct child *ssh_start(struct nursery *nursery, const struct remote_place *place,
                        struct ssh_line *line, const int *feed,
                        const struct child_watcher *watcher);
/* Frees the members of the line, which is then a new one. */
void ssh_line_done(struct ssh_line *line);

/* Appends to what is kept of ssh's stderr: its first REMOTE_ERRORS_MAX bytes. */
void ssh_add_error(struct str *errors, const char *bytes, size_t len);
/* Appends the last line of ssh's stderr that is not empty; it usually names the cause. */
void ssh_last_error(const struct str *errors, struct str *out);

#endif
