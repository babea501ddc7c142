/*
 * event_row.h - an event as a row of the log. Private to store; belongs to the thread of its
 * connection.
 */
#ifndef DEVS_EVENT_ROW_H
#define DEVS_EVENT_ROW_H

#include <stdint.h>

#include "attr.h"
#include "db.h"
#include "err.h"
#include "event.h"
#include "event_phrases.h"

#define EVENT_ROW_NUMBERS                                                                          \
    "run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e"
#define EVENT_ROW_SQL                                                                              \
    "INSERT INTO event(" EVENT_ROW_NUMBERS ", text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

/* What that takes of an event that is in a log, its text spelled out: the other file may be of an
 * older format. */
#define EVENT_ROW_COLUMNS EVENT_ROW_NUMBERS ", " EVENT_PHRASES_SPELLED("text")

/* Insert it with the statement that was made of EVENT_ROW_SQL; its text is of at most
 * EVENT_TEXT_MAX bytes. Within a transaction. */
ATTR_MUST_USE bool event_row_put(const struct db *db, sqlite3_stmt *put, int64_t run,
                                 const struct event *event, struct err *err);

/* The row of `session` that EVENT_AGENT_SESSION stands for, so that a session's run is found.
 * Within a transaction; a text that is none of such an event leaves no row. */
ATTR_MUST_USE bool event_row_put_session(const struct db *db, int64_t run,
                                         const struct event *event, struct err *err);

#endif
