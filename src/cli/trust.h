/*
 * trust.h - the settings and plans of phases that the person has trusted on this machine, and the
 * plans that devs itself has written: one record for each place, with the SHA-256 of the text. Main
 * thread.
 *
 * Records are files of $XDG_STATE_HOME/devs/trust (else ~/.local/state/devs/trust), outside every
 * project and not visible in sandboxes. The folder is 0700 and the files are 0600; a folder or a
 * file that is a link, of another user or open to others is not used.
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
    TRUST_NONE,    /* never trusted, or revoked */
    TRUST_GIVEN,   /* for this very text */
    TRUST_CHANGED, /* for another text at this place */
    TRUST_GONE,    /* for a file that is no longer there */
};

/* "given", "none", "changed", "gone". */
const char *trust_state_name(enum trust_state state);

/* Writes the folder of the records, which need not exist. False where the environment and the
 * password file name no home. */
ATTR_MUST_USE bool trust_folder(char path[PATH_MAX], struct err *err);

/* Returns what the person has said of the file found at `path` (absolute; its folder's
 * real path counts, the file itself may be a link). `text` NULL: the file is gone. Records that
 * cannot be used count as none. */
enum trust_state trust_find(const char *path, const struct str *text);

/* Records trust in this text at this place, instead of an earlier one there. */
ATTR_MUST_USE bool trust_record(const char *path, const struct str *text, struct err *err);

/* Removes the record; *was says whether there was one. A folder that is gone is matched by its
 * name, without links in the part of the path that still exists. */
ATTR_MUST_USE bool trust_revoke(const char *path, bool *was, struct err *err);

/* A record. Borrowed until the callback returns. */
struct trust_entry {
    const char *path;
    enum trust_state state; /* GIVEN, CHANGED or GONE, of the file as it is now */
    int64_t at_ms;          /* when trust was given: CLOCK_REALTIME */
};
/* Called for each record. */
typedef void trust_entry_fn(void *ctx, const struct trust_entry *entry);

/* Calls `found` for each record, in no order; a folder that does not exist has none. */
ATTR_MUST_USE bool trust_each(trust_entry_fn *found, void *ctx, struct err *err);

#endif
