/*
 * checkpointer.h - a thread that syncs and shortens the WAL, so that the one that
 * appends never waits for the disk. Private to store.
 *
 * It has a connection and turns of its own. The functions may be called from the
 * thread that started it.
 */
#ifndef DEVS_CHECKPOINTER_H
#define DEVS_CHECKPOINTER_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "place.h"

struct checkpointer;

/* Open its connection and start its thread. */
ATTR_MUST_USE bool checkpointer_start(struct checkpointer **out, const struct place *place,
                                      struct err *err);
void checkpointer_stop(struct checkpointer *self);

/* Something was committed: it is brought to the disk within LOG_FULL_SYNC_MS. */
void checkpointer_news(struct checkpointer *self);
/* The first sync that went wrong since this was asked last; *err is left as it is if
 * none did, or if it has an error already. */
void checkpointer_take_error(struct checkpointer *self, struct err *err);
/* ERR_IO, from then on each time, once the WAL was found not to hold what was committed to it:
 * nothing is copied any more. */
ATTR_MUST_USE bool checkpointer_check(struct checkpointer *self, struct err *err);
/* All that was committed is on the disk already. */
void checkpointer_synced(struct checkpointer *self);

/* Copy the WAL into the database, as far as readers allow, and begin it anew. Called in a turn
 * in which something was just committed: so there is what is not copied yet, and a reader that
 * begins then keeps everybody from beginning the WAL anew until most is copied, out of turn.
 * cut_off: its file becomes empty, too; else it is written over, which is quicker than growing. */
void checkpointer_ask(struct checkpointer *self, bool cut_off);
/* Until what was asked for is copied but for what came after it, or wait_ms are over. */
void checkpointer_await(struct checkpointer *self, int wait_ms);

#endif
