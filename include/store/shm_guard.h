/*
 * shm_guard.h - survives truncation of SQLite's shared memory file.
 *
 * SQLite maps FILE-shm. When somebody truncates that file, the next access to the mapping raises
 * SIGBUS, which would kill devs without a message while its children keep running. SQLite cannot
 * prevent that: any check of the size comes too early, and without shared memory only one process
 * could have the log open. So a signal handler maps a page of zeros in place of the lost one.
 * SQLite treats zeros as an index that must be rebuilt from the WAL, and rebuilds it, but only for
 * this process: from then on no connection to that log may write or checkpoint it
 * (shm_guard_hit()).
 */
#ifndef DEVS_SHM_GUARD_H
#define DEVS_SHM_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Installs the handler, once per process. A SIGBUS with a different cause ends the process as
 * before, or goes to the previous handler. Any thread. */
void shm_guard_install(void);

/* Maps a page of zeros at the address if the address is in SQLite's shared memory; returns false if
 * not. For a SIGBUS handler (code BUS_ADRERR) that temporarily replaces the handler of devs.
 * Async-signal-safe. */
bool shm_guard_repair(const void *address);

/* Returns true if a page of this mapping was replaced. The mapping must be in use; pages of closed
 * mappings do not count. Once more than SHM_GUARD_PAGES_MAX pages are replaced at the same time,
 * returns true for every mapping from then on. Any thread. */
bool shm_guard_hit(const void *from, size_t len);

enum { SHM_GUARD_PAGES_MAX = 256 };

#endif
