/*
 * stop_signal.h - ^C, TERM and HUP for work that has to clear up first: they are noted, and the
 * work looks. Main thread.
 */
#ifndef DEVS_STOP_SIGNAL_H
#define DEVS_STOP_SIGNAL_H

/* From now on; a call that waits is interrupted. One that was ignored stays so. */
void stop_signal_watch(void);
/* The first that came, 0 = none. */
int stop_signal(void);

#endif
