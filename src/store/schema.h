/*
 * schema.h - the tables of a run log, and whether a file is one. Private to store;
 * called from the thread of the connection.
 */
#ifndef DEVS_SCHEMA_H
#define DEVS_SCHEMA_H

#include "attr.h"
#include "db.h"
#include "err.h"

enum {
    SCHEMA_APPLICATION = 0x64657673, /* "devs" */
    SCHEMA_VERSION = 2,
    SCHEMA_PHRASES = 2, /* from here on texts of events hold phrases (event_row.h) */
};

/* Is it a log that this build may write to? Then db->format is set. ERR_NOT_FOUND: an empty file.
 * ERR_DAMAGED: something else, or a newer log. ERR_INVALID: a bundle. */
ATTR_MUST_USE bool schema_check(struct db *db, struct err *err);

/* As above for a reader: a newer log is let through, for it may have the columns that are
 * asked for. *newer_out is its version then, else 0. */
ATTR_MUST_USE bool schema_check_read(const struct db *db, int *newer_out, struct err *err);

/* Logs from before there were bookmarks have no table of them until somebody writes. */
ATTR_MUST_USE bool schema_has_bookmarks(const struct db *db, bool *out, struct err *err);

/* As schema_check(), and an empty file becomes a log. One of an older format stays of that format,
 * so that an older devs can still read it, and gets the tables that were added since. Within a
 * turn. */
ATTR_MUST_USE bool schema_ensure(struct db *db, struct err *err);

#endif
