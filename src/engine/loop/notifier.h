/*
 * notifier.h - runs the user's notify command for events of a run, in the background.
 *
 * The first notice starts a thread. It collects notices for NOTIFIER_GATHER_MS and runs the command
 * once for all of them: in the folder `/`, outside every sandbox, without a terminal. The run does
 * not wait for the command or fail because of it. Only notifier_close() waits, within the command's
 * time limit.
 */
#ifndef DEVS_NOTIFIER_H
#define DEVS_NOTIFIER_H

#include <stdint.h>

#include "err.h"
#include "notice.h"

enum {
    NOTIFIER_GATHER_MS = 2000,   /* notices within this time are sent together */
    NOTIFIER_TIMEOUT_MS = 10000, /* time limit of the command */
    NOTIFIER_WAITING_MAX = 16,   /* notices that are kept; beyond that only their number is sent */
};

struct notifier;

/* All borrowed until notifier_close(). */
struct notifier_call {
    char *const *command;
    char *const *environment;
    int64_t run;
    const char *name, *dir; /* see struct notice_list */
    /* Reports that the command failed, on the notifier's thread. Not called twice in a row for the
     * same reason. */
    void (*failed)(void *ctx, const char *why);
    void *ctx;
};

/* Starts nothing yet. The caller ends it with notifier_close(). */
struct notifier *notifier_open(const struct notifier_call *call);
/* Sends a notice soon. Takes ownership of its strings; *notice is empty afterwards. Does not
 * block. */
void notifier_add(struct notifier *notifier, struct notice *notice);
/* Sends waiting notices at once, then frees the notifier. A failure during this call is returned in
 * *err (may be NULL) instead of being passed to `failed`. `notifier` may be NULL. */
void notifier_close(struct notifier *notifier, struct err *err);

#endif
