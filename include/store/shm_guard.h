/*
 * shm_guard.h - survives the truncation of SQLite's shared memory file.
 *
 * SQLite maps FILE-shm. When somebody truncates that file, the next access to the mapping raises
 * SIGBUS, and devs would end without a word while its children run on. SQLite cannot prevent that:
 * any check of the size is too early, and without shared memory only one process could have the
 * log open. So a handler puts a page of zeros in the place of the lost one. SQLite takes zeros for
 * an index that has to be rebuilt from the WAL, and rebuilds it, but for this process alone: from
 * then on no connection to that log may write or checkpoint it (shm_guard_hit()).
 */
#ifndef DEVS_SHM_GUARD_H
#define DEVS_SHM_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Installs the handler, once for the process. A SIGBUS that has another cause ends the process as
 * before, or goes to the handler that was there. Any thread. */
void shm_guard_install(void);

/* Puts a page of zeros at the address if that is in shared memory of SQLite's. False: it is not.
 * For a handler of SIGBUS (code BUS_ADRERR) that replaces ours for a while; may be called in one.
 */
bool shm_guard_repair(const void *address);

/* Was a page of this mapping, which is in use, replaced? Pages of mappings that were closed do not
 * count. Where more than SHM_GUARD_PAGES_MAX pages are replaced at a time it says yes from then on,
 * for any mapping. Any thread. */
bool shm_guard_hit(const void *from, size_t len);

enum { SHM_GUARD_PAGES_MAX = 256 };

#endif
