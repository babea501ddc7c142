/*
 * call_logging.h - a call log from inside: for the two files that share it. Private to store;
 * belongs to the thread that opened it.
 */
#ifndef DEVS_CALL_LOGGING_H
#define DEVS_CALL_LOGGING_H

#include "call_kept.h"
#include "call_log.h"
#include "call_rows.h"

struct call_log {
    struct place place;
    struct call_session session; /* its texts are borrowed */
    struct call_rows rows;
    struct call_run run;
    struct call_kept kept;
    int64_t until_us; /* no lock is waited for longer; CLOCK_BOOTTIME */

    char lock[LOG_UID_MAX]; /* name of the session's lock, */
    int lock_fd;            /* -1 = not held */
    int owner_fd;           /* of the run, likewise */

    struct event *events; /* owned, texts too: not committed yet */
    size_t count, cap;

    bool has_used; /* the last EVENT_AGENT_USED says less than is known */

    struct str words;          /* not committed yet */
    struct call_words *pieces; /* owned; of these */
    size_t piece_count, piece_cap;
    struct moment spoken; /* the last of them */

    struct str why, nudge; /* of the latest verdict */
};

/* Append an event of the run's attempt: its kind, its numbers and its time are taken from
 * `event`; text (may be NULL) is copied. */
void call_logging_append(struct call_log *log, struct event event, const char *text);
/* EVENT_AGENT_USED, with what is known now. */
void call_logging_used(struct call_log *log, const struct moment *at);
/* Is there room for one more call? Commits, and goes on in another run where this one is full. */
ATTR_MUST_USE bool call_logging_room(struct call_log *log, const struct moment *at,
                                     struct err *err);

#endif
