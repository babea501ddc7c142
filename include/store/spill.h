/*
 * spill.h - the second log of a run whose own log cannot be written.
 *
 * It has the schema of a log and holds one run, under the number and the uid that it has at
 * home: the run's row, its plan, and everything from the first event on that the log lacks;
 * all events where the log itself was taken away. It is devs/<uid>.db in $XDG_RUNTIME_DIR, or,
 * where that is no folder, /tmp/devs-<user>/<uid>.db, so that whoever knows the uid finds it;
 * the folder is private and ours, else it is not used. The one who owns the run holds owner/<uid>
 * beside it. log_reader.h reads it as if its rows were in the log. Any thread.
 */
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
    SPILL_BYTES_MAX = 64 * 1024 * 1024,        /* with the WAL */
    SPILL_OUTPUT_BYTES_MAX = 32 * 1024 * 1024, /* from here on output is dropped */
    SPILL_ID_GAP = 1024 * 1024, /* its rows are numbered so far behind those of the log, that
                                   they keep their numbers when they come home */
    SPILL_WHY_MAX = 200,
    SPILL_LIST_MAX = 256,
    SPILL_MAKING_MS = 60 * 1000, /* one that is empty for so long is made by nobody */
};

/* The spill of this run, if there is one. */
bool spill_find(const char *uid, struct place *out);

/* Take its files away. Nobody may be writing to it. */
void spill_remove(const struct place *place);

/* Why a log cannot be written. */
struct spill_reason {
    int64_t since_ms; /* UTC */
    char why[SPILL_WHY_MAX];
    bool whole; /* the log itself is gone or damaged: take all of the run along */
};

/* What a spill says of itself. */
struct spill_info {
    struct place place;
    char uid[LOG_UID_MAX];
    char home[PATH_MAX]; /* the log that it belongs to */
    struct spill_reason reason;
    int64_t run, first_seq, last_seq;
    int64_t bytes;
    bool alive;    /* somebody owns the run */
    bool is_empty; /* of spill_list(): its devs was killed before anything was in it */
};

/* ERR_INVALID: no spill; ERR_NOT_FOUND: nothing is in it yet. */
ATTR_MUST_USE bool spill_read_info(const struct place *place, struct spill_info *out,
                                   struct err *err);

/* Those that there are, at most `max`. What cannot be read has only its place and bytes. */
size_t spill_list(struct spill_info *out, size_t max);

#endif
