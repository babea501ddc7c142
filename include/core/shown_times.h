/* shown_times.h - how a person wants times to be shown. Everything else is in shown.h. */
#ifndef DEVS_SHOWN_TIMES_H
#define DEVS_SHOWN_TIMES_H

/* How past times are shown: as time ago, in the person's time zone, or in UTC. */
enum shown_times { SHOWN_TIMES_AGO, SHOWN_TIMES_CLOCK, SHOWN_TIMES_UTC, SHOWN_TIMES_COUNT };

#endif
