/*
 * shown_times.h - what a person may choose of how times look; the rest is in shown.h.
 */
#ifndef DEVS_SHOWN_TIMES_H
#define DEVS_SHOWN_TIMES_H

/* How times of the past are told: how long ago, by the person's clock, or in UTC. */
enum shown_times { SHOWN_TIMES_AGO, SHOWN_TIMES_CLOCK, SHOWN_TIMES_UTC, SHOWN_TIMES_COUNT };

#endif
