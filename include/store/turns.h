/*
 * turns.h - writers take turns: two file locks, first come, first served.
 *
 * Every write transaction and every checkpoint of every process and thread runs
 * between turns_take() and turns_give(). Locks are flock(2) on devs.db-gate and
 * devs.db-write, so the kernel frees them when a process dies. One struct turns
 * a connection; it belongs to that connection's thread.
 */
#ifndef DEVS_TURNS_H
#define DEVS_TURNS_H

#include "attr.h"
#include "err.h"
#include "place.h"

struct turns {
    int gate_fd;
    int write_fd;
};

ATTR_MUST_USE bool turns_init(struct turns *turns, const struct place *place, struct err *err);
void turns_done(struct turns *turns);

/* Blocks until it is our turn. */
ATTR_MUST_USE bool turns_take(struct turns *turns, struct err *err);
void turns_give(struct turns *turns);

#endif
