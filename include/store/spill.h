/* spill.h - a second log for a run whose own log cannot be written.
 *
 * A spill has the schema of a log and contains one run, with the same number and uid: its row, its
 * plan, and everything from the first event that the log lacks; all events if the log itself was
 * deleted. Its file is devs/<uid>.db in $XDG_RUNTIME_DIR or, if that is not a directory,
 * /tmp/devs-<user>/<uid>.db, so that it can be found by uid. The directory must be private and
 * belong to the user, otherwise it is not used. The owner of the run also holds owner/<uid> next to
 * the spill. log_reader.h reads the spill as if its rows were in the log. Any thread. */
#ifndef DEVS_SPILL_H
#define DEVS_SPILL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_writer.h"
#include "place.h"

enum {
    SPILL_BYTES_MAX = 64 * 1024 * 1024, /* maximum size in bytes, including the WAL */
    SPILL_OUTPUT_BYTES_MAX =
        32 * 1024 *
        1024, /* maximum size of the database at which output is still accepted, in bytes */
    SPILL_ID_GAP = 1024 * 1024, /* distance between the row ids of the log and of the spill, which
                                   lets rows keep their ids in a merge */
    SPILL_WHY_MAX = 200,
    SPILL_LIST_MAX = 256,
    SPILL_MAKING_MS = 60 * 1000, /* an empty spill older than this is abandoned */
};

/* Finds the spill of this run; returns false if there is none. */
bool spill_find(const char *uid, struct place *out);

/* Deletes the files of a spill. Nobody may be writing to it. */
void spill_remove(const struct place *place);

/* Why a log cannot be written. */
struct spill_reason {
    int64_t since_ms; /* when the spill began, UTC */
    char why[SPILL_WHY_MAX];
    bool whole; /* the log was deleted or is damaged: include all of the run */
};

/* The description of a spill. */
struct spill_info {
    struct place place;
    char uid[LOG_UID_MAX];
    char home[PATH_MAX]; /* path of the log that it belongs to */
    struct spill_reason reason;
    int64_t run, first_seq, last_seq;
    int64_t bytes;
    bool alive;    /* a process owns the run */
    bool is_empty; /* set by spill_list(): its devs was killed before it wrote anything */
};

/* Reads the description of a spill. Fails with ERR_INVALID if the file is not a spill,
 * ERR_NOT_FOUND if it is still empty. */
ATTR_MUST_USE bool spill_read_info(const struct place *place, struct spill_info *out,
                                   struct err *err);

/* Lists at most `max` spills and returns their number. For a spill that cannot be read, only place
 * and bytes are set. */
size_t spill_list(struct spill_info *out, size_t max);

#endif
