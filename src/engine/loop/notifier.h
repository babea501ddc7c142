/*
 * notifier.h - runs a person's notify command for the events of a run, beside the loop.
 *
 * The first notice starts a thread. It gathers what comes within NOTIFIER_GATHER_MS and runs the
 * command once for all of it: in the folder `/`, outside every sandbox, without a terminal. The
 * run neither waits for the command nor fails with it; only notifier_close() waits, within the
 * command's time limit.
 */
#ifndef DEVS_NOTIFIER_H
#define DEVS_NOTIFIER_H

#include <stdint.h>

#include "err.h"
#include "notice.h"

enum {
    NOTIFIER_GATHER_MS = 2000,   /* notices that come within it are sent as one */
    NOTIFIER_TIMEOUT_MS = 10000, /* of the command; then it is ended */
    NOTIFIER_WAITING_MAX = 16,   /* notices that are kept; of more only the number is sent */
};

struct notifier;

/* All borrowed until notifier_close(). */
struct notifier_call {
    char *const *command;
    char *const *environment;
    int64_t run;
    const char *name, *dir; /* as in struct notice_list */
    /* The command failed, for this reason; on the notifier's thread. Not called twice in a row for
     * the same reason. */
    void (*failed)(void *ctx, const char *why);
    void *ctx;
};

/* Nothing is started yet. The caller ends it with notifier_close(). */
struct notifier *notifier_open(const struct notifier_call *call);
/* Send it soon. Takes ownership of the texts; *notice is empty afterwards. Does not block. */
void notifier_add(struct notifier *notifier, struct notice *notice);
/* Send what waits, at once, and free. A failure from here on is in *err (may be NULL), not
 * reported through `failed`. NULL is allowed. */
void notifier_close(struct notifier *notifier, struct err *err);

#endif
