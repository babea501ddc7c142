/*
 * tee.h - a command's output from the engine's thread to the main thread, all of it:
 * the log keeps head and tail only, but who wraps a command wants what it said.
 */
#ifndef DEVS_TEE_H
#define DEVS_TEE_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"

enum { TEE_BYTES_MAX = 1024 * 1024 }; /* more than that waits in the child */

struct tee;

/* Nothing waits yet. */
ATTR_MUST_USE bool tee_open(struct tee **out, struct err *err);
/* No other thread may put any more. */
void tee_close(struct tee *tee);

/* Engine thread, as engine_options.tee; ctx is the tee. Blocks while TEE_BYTES_MAX bytes wait. */
void tee_put(void *ctx, int stream, const char *bytes, size_t len);

/* Main thread: readable when there is something to take. */
int tee_fd(const struct tee *tee);
/* A run of bytes of one stream. */
struct tee_piece {
    int stream; /* 0 stdout, 1 stderr */
    size_t len;
};
/* What waits, in its order, handed over: valid until the next call. */
struct tee_batch {
    const struct tee_piece *pieces;
    size_t count;
    const char *bytes;
};
/* Main thread: take all that waits; no bytes where nothing does. */
struct tee_batch tee_take(struct tee *tee);
/* Nobody reads any more: what comes from now on is dropped, nothing blocks. */
void tee_give_up(struct tee *tee);

#endif
