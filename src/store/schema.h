/*
 * schema.h - creates and checks the tables of a run log. Private to store; called from the thread
 * of the connection.
 */
#ifndef DEVS_SCHEMA_H
#define DEVS_SCHEMA_H

#include "attr.h"
#include "db.h"
#include "err.h"

enum {
    SCHEMA_APPLICATION = 0x64657673, /* "devs" */
    SCHEMA_VERSION = 2,
    SCHEMA_PHRASES = 2, /* since this version, event texts contain phrases (event_row.h) */
};

/* Checks that the file is a log that this build can write to, and sets db->format. Fails with
 * ERR_NOT_FOUND if the file is empty, ERR_DAMAGED if it is something else or a newer log,
 * ERR_INVALID if it is a bundle. */
ATTR_MUST_USE bool schema_check(struct db *db, struct err *err);

/* Like schema_check(), for readers: accepts a newer log, because it may have all columns that they
 * need, and sets *newer_out to its version, otherwise to 0. */
ATTR_MUST_USE bool schema_check_read(const struct db *db, int *newer_out, struct err *err);

/* Sets *out to whether the table of bookmarks exists. Old logs lack it until somebody writes. */
ATTR_MUST_USE bool schema_has_bookmarks(const struct db *db, bool *out, struct err *err);

/* Like schema_check(), but turns an empty file into a log. A log of an older format keeps its
 * format, so that an older devs can still read it, and gets the tables that were added later. Call
 * it within a turn. */
ATTR_MUST_USE bool schema_ensure(struct db *db, struct err *err);

#endif
