/*
 * trust.h - the settings and phase plans that the user has trusted on this machine, and the plans
 * that devs itself has written: one record for each location, with the SHA-256 of the text. Main
 * thread.
 *
 * Records are files in $XDG_STATE_HOME/devs/trust (else ~/.local/state/devs/trust), outside every
 * project and not visible in sandboxes. The folder is 0700 and the files are 0600. A folder or file
 * that is a link, belongs to another user or is accessible to others is not used.
 */
#ifndef DEVS_TRUST_H
#define DEVS_TRUST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum trust_state {
    TRUST_NONE,    /* never trusted, or trust was revoked */
    TRUST_GIVEN,   /* trusted with exactly this text */
    TRUST_CHANGED, /* trusted with a different text at this location */
    TRUST_GONE,    /* trusted, but the file no longer exists */
};

/* Returns "given", "none", "changed" or "gone". */
const char *trust_state_name(enum trust_state state);

/* Returns the folder of the records, which need not exist. Returns false if neither the
 * environment nor the password file names a home. */
ATTR_MUST_USE bool trust_folder(char path[PATH_MAX], struct err *err);

/* Returns the trust in the file at `path` (absolute; its folder is resolved, but the file itself
 * may be a link). If `text` is NULL, the file does not exist. Unusable records count as none. */
enum trust_state trust_find(const char *path, const struct str *text);

/* Records trust in this text at this location, replacing an earlier record. */
ATTR_MUST_USE bool trust_record(const char *path, const struct str *text, struct err *err);

/* Removes the record; *was says whether there was one. If the folder no longer exists, matches its
 * path, with links resolved in the part that still exists. */
ATTR_MUST_USE bool trust_revoke(const char *path, bool *was, struct err *err);

/* A record. Borrowed until the callback returns. */
struct trust_entry {
    const char *path;
    enum trust_state state; /* GIVEN, CHANGED or GONE, for the file as it is now */
    int64_t at_ms;          /* when trust was given: CLOCK_REALTIME */
};
/* Called for each record. */
typedef void trust_entry_fn(void *ctx, const struct trust_entry *entry);

/* Calls `found` for each record, in no particular order; a missing folder has none. */
ATTR_MUST_USE bool trust_each(trust_entry_fn *found, void *ctx, struct err *err);

#endif
