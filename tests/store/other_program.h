/*
 * other_program.h - a connection as any program that opens a log has it: with the views and the
 * triggers that our own connections do without (db.h).
 */
#ifndef DEVS_OTHER_PROGRAM_H
#define DEVS_OTHER_PROGRAM_H

#include "db.h"

/* As db_init(). */
ATTR_MUST_USE static inline bool other_program_open(struct db *db, const char *path,
                                                    enum db_mode mode, struct err *err)
{
    return db_init(db, path, mode, err) &&
           sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL) == SQLITE_OK &&
           sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL) == SQLITE_OK;
}

#endif
