/*
 * event_row.h - writes events as rows of the log, with common phrases of their text encoded as
 * single bytes; and reads and writes the rows of controls. Private to store; belongs to the thread
 * of its connection.
 */
#ifndef DEVS_EVENT_ROW_H
#define DEVS_EVENT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "db.h"
#include "err.h"
#include "event.h"
#include "str.h"

#define EVENT_ROW_NUMBERS                                                                          \
    "run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e"
#define EVENT_ROW_SQL                                                                              \
    "INSERT INTO event(" EVENT_ROW_NUMBERS ", text) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"

/* The columns for EVENT_ROW_SQL, read from a log, with the text decoded: the target may have an
 * older format. */
#define EVENT_ROW_COLUMNS EVENT_ROW_NUMBERS ", " EVENT_PHRASES_SPELLED("text")

/* Inserts the event with a statement prepared from EVENT_ROW_SQL. Its text has at most
 * EVENT_TEXT_MAX bytes. Call it in a transaction. */
ATTR_MUST_USE bool event_row_put(const struct db *db, sqlite3_stmt *put, int64_t run,
                                 const struct event *event, struct err *err);

/* Inserts the row of `session` that corresponds to EVENT_AGENT_SESSION, so that a session's run can
 * be found. Inserts nothing if the text is invalid. Call it in a transaction. */
ATTR_MUST_USE bool event_row_put_session(const struct db *db, int64_t run,
                                         const struct event *event, struct err *err);

/* Each byte and the phrase it stands for. If one phrase begins with another, the longer one comes
 * first. There are two lists because of the depth limit of SQLite's parser. */
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

/* SQL that decodes the column, for views and for rows that go into another file. Truncates texts
 * longer than EVENT_TEXT_MAX: the log may be untrusted, and each byte can expand to a whole
 * phrase. */
#define EVENT_PHRASES_TEXT_MAX 4096 /* EVENT_TEXT_MAX for the preprocessor */
#define EVENT_PHRASES_SPELLED(column)                                                              \
    "(SELECT " EVENT_PHRASES_MORE(EVENT_PHRASES_OPEN) "half" EVENT_PHRASES_MORE(                   \
        EVENT_PHRASES_CLOSE) " FROM (SELECT " EVENT_PHRASES_FIRST(EVENT_PHRASES_OPEN)              \
        EVENT_PHRASES_FRONT(column, EVENT_PHRASES_TEXT_MAX)                                        \
            EVENT_PHRASES_FIRST(EVENT_PHRASES_CLOSE) " AS half))"
#define EVENT_PHRASES_FRONT(column, max)  EVENT_PHRASES_CUT(column, max)
#define EVENT_PHRASES_CUT(column, max)    "substr(" column ",1," #max ")"
#define EVENT_PHRASES_OPEN(byte, phrase)  "replace("
#define EVENT_PHRASES_CLOSE(byte, phrase) ",char(" #byte "),'" phrase "')"

/* Encodes the phrases of the text as bytes and returns the length, which never exceeds that of the
 * text. Writes no NUL. A byte that stands for a phrase cannot occur in JSON, so one in the input
 * becomes a space. */
size_t event_phrases_pack(const char *text, char *out);

/* Appends the decoded form of `len` bytes of a row, at most `max` bytes; returns false if there
 * would be more. */
ATTR_MUST_USE bool event_phrases_spell(const char *bytes, size_t len, size_t max, struct str *out);

/* Rows of the table `control`, and struct control. */

/* The column order that control_row_read() expects. */
#define CONTROL_ROW_COLUMNS "id, verb, task, step, attempt, args, by, key_at_ms"

/* Adds a row if the run exists: control_row_insert(). */
#define CONTROL_ROW_INSERT                                                                         \
    "INSERT INTO control(run, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms)"        \
    " SELECT id,?2,?3,?4,?5,?6,?7,?8,?9 FROM run WHERE id=?1"

/* Runs that statement for an action that is requested now. Fails with ERR_NOT_FOUND if there is no
 * such run. */
ATTR_MUST_USE bool control_row_insert(const struct db *db, sqlite3_stmt *insert, int64_t run,
                                      const struct control *control, struct err *err);

/* Returns false if the row is not understood, but sets the id anyway. Assumes nothing about the
 * contents: another program may have written the row. */
ATTR_MUST_USE bool control_row_read(sqlite3_stmt *row, struct control *out);

#endif
