/*
 * crash_line.h - what is said where the devs that worked was ended by a signal.
 */
#ifndef DEVS_CRASH_LINE_H
#define DEVS_CRASH_LINE_H

#include <sys/types.h>

/* One line on stderr, and a hint: the signal, the log, which processes of its attempts are left.
 * `db` as for place_find(); `pid` is of the devs that is gone. Told by another process. */
void crash_line(const char *db, pid_t pid, int signal_number);

#endif
