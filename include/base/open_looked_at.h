/*
 * open_looked_at.h - opening a file that somebody else may have chosen.
 *
 * To open a device may already do something: a watchdog starts, a tape winds back. To open a FIFO
 * wakes who waits at its other end. So look first, without opening, and open what was looked at.
 */
#ifndef DEVS_OPEN_LOOKED_AT_H
#define DEVS_OPEN_LOOKED_AT_H

#include <sys/stat.h>

/* Returns a descriptor of the file that is only good for looking at it, close-on-exec; *info says
 * what it is. `flags`: O_NOFOLLOW or 0. -1 with errno. Any thread. */
int open_to_look(const char *path, int flags, struct stat *info);
/* Opens for reading what `looked_at` stands for, whatever has its name by now; close-on-exec, never
 * waiting and never a controlling terminal. -1 with errno. Any thread. */
int open_looked_at(int looked_at);

#endif
