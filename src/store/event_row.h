/*
 * event_row.h - an event as a row of the log, with the frequent phrases of its text as single
 * bytes. Private to store; belongs to the thread of its connection.
 */
#ifndef DEVS_EVENT_ROW_H
#define DEVS_EVENT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "db.h"
#include "err.h"
#include "event.h"
#include "str.h"

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
 * Within a transaction; a text that no such event can have leaves no row. */
ATTR_MUST_USE bool event_row_put_session(const struct db *db, int64_t run,
                                         const struct event *event, struct err *err);

/* The byte, and what it stands for; the longer of two that begin alike comes first. In two parts,
 * since SQLite's parser follows no deeper a nest. */
#define EVENT_PHRASES_FIRST(X)                                                                     \
    X(1, "{\"cpu\":")                                                                              \
    X(2, ",\"cpu\":")                                                                              \
    X(3, "{\"rss\":")                                                                              \
    X(4, ",\"err_lines\":")                                                                        \
    X(5, ",\"out_lines\":")                                                                        \
    X(6, ",\"fp\":\"")                                                                             \
    X(7, "\",\"new\":")                                                                            \
    X(8, ",\"loop\":{\"raw\":")                                                                    \
    X(9, "\",\"phase\":\"")                                                                        \
    X(11, ",\"bits\":")                                                                            \
    X(12, ",\"gain\":\"line\",\"lines\":")                                                         \
    X(14, "\",\"subtype\":\"TEST_FAILURE\",\"stream\":\"stdout\",\"offset\":")                     \
    X(15, ",\"lines\":")                                                                           \
    X(16, "{\"rule\":\"")
#define EVENT_PHRASES_MORE(X)                                                                      \
    X(17, "\",\"subtype\":\"")                                                                     \
    X(18, "\",\"stream\":\"stdout\",\"offset\":")                                                  \
    X(19, "\",\"stream\":\"stderr\",\"offset\":")                                                  \
    X(20, ",\"line\":")                                                                            \
    X(21, ",\"match\":\"")                                                                         \
    X(22, "{\"policy\":\"")                                                                        \
    X(23, "\",\"n\":")                                                                             \
    X(24, ",\"base\":")                                                                            \
    X(25, ",\"multiplier\":")                                                                      \
    X(26, ",\"cap\":")                                                                             \
    X(27, ",\"jitter\":0,\"factor\":1,\"hint\":-1,\"used\":")                                      \
    X(28, ",\"jitter\":")                                                                          \
    X(29, ",\"factor\":")                                                                          \
    X(30, ",\"hint\":-1,\"used\":")                                                                \
    X(31, ",\"allowed\":")

#define EVENT_PHRASES_ALL(X) EVENT_PHRASES_FIRST(X) EVENT_PHRASES_MORE(X)

/* The column, spelled out by SQL: for views, and for rows that go into another file. Of a text that
 * is longer than any of ours only the front is taken: the log may be somebody else's, and a byte of
 * it becomes a whole phrase. */
#define EVENT_PHRASES_TEXT_MAX 4096 /* EVENT_TEXT_MAX, where the preprocessor sees it */
#define EVENT_PHRASES_SPELLED(column)                                                              \
    "(SELECT " EVENT_PHRASES_MORE(EVENT_PHRASES_OPEN) "half" EVENT_PHRASES_MORE(                   \
        EVENT_PHRASES_CLOSE) " FROM (SELECT " EVENT_PHRASES_FIRST(EVENT_PHRASES_OPEN)              \
        EVENT_PHRASES_FRONT(column, EVENT_PHRASES_TEXT_MAX)                                        \
            EVENT_PHRASES_FIRST(EVENT_PHRASES_CLOSE) " AS half))"
#define EVENT_PHRASES_FRONT(column, max)  EVENT_PHRASES_CUT(column, max)
#define EVENT_PHRASES_CUT(column, max)    "substr(" column ",1," #max ")"
#define EVENT_PHRASES_OPEN(byte, phrase)  "replace("
#define EVENT_PHRASES_CLOSE(byte, phrase) ",char(" #byte "),'" phrase "')"

/* The text with its phrases as bytes, which is never longer than the text; how many there are. No
 * NUL is written. A byte that already stands for a phrase cannot be in JSON, and becomes a blank.
 */
size_t event_phrases_pack(const char *text, char *out);

/* Append at most `max` bytes of what len bytes of a row spell; false if there would be more. */
ATTR_MUST_USE bool event_phrases_spell(const char *bytes, size_t len, size_t max, struct str *out);

#endif
