/*
 * snapshots.h - states of a run at some of its events, so that going back does not fold it all
 * again: most of them near where one is. Belongs to one thread. Private to the store.
 */
#ifndef DEVS_SNAPSHOTS_H
#define DEVS_SNAPSHOTS_H

#include <stddef.h>
#include <stdint.h>

#include "run_state.h"

enum {
    SNAPSHOTS_MAX = 24,
    SNAPSHOTS_BYTES_MAX = 24 * 1024 * 1024, /* of all together; the newest one may be larger */
    SNAPSHOTS_NEAR = 256, /* events; one so far behind, twice as far, four times as far ... */
};

struct snapshots {
    struct {
        struct run_state state; /* owned */
        size_t bytes;
    } items[SNAPSHOTS_MAX]; /* in the order of their events */
    int count;
    size_t bytes;
};

void snapshots_done(struct snapshots *snapshots);

/* The latest at or before an event; NULL = none. Borrowed. */
const struct run_state *snapshots_find(const struct snapshots *snapshots, int64_t seq);

/* On the way to event `target`: keep a copy of this state, if one here is wanted. What there is no
 * room for goes, and what is least missed by who goes back from `target`. */
void snapshots_pass(struct snapshots *snapshots, const struct run_state *state, int64_t target);

#endif
