/*
 * attempt_marks.h - what events say of attempts that the projection `attempt` leaves out. Belongs
 * to the reader's thread.
 */
#ifndef DEVS_ATTEMPT_MARKS_H
#define DEVS_ATTEMPT_MARKS_H

#include "event.h"
#include "label.h"
#include "log_read.h"

enum { ATTEMPT_MARKS_MAX = 1024 * 1024 }; /* of one run; a log with more is nobody's */

struct attempt_key {
    int task, step, attempt;
};

struct attempt_mark {
    struct attempt_key key;
    int64_t seq;
    /* CLASS_CORRECTED; ROUND_STARTED: it was the last of its round; HINT_GIVEN: behind it the next
     * attempt was told something; ATTEMPT_ENDED: it was silent too long. */
    enum event_kind kind;
    struct verdict_label label; /* CLASS_CORRECTED only */
};

struct attempt_marks {
    struct attempt_mark *items; /* owned; by attempt, then as they came */
    size_t count, cap;
    size_t at; /* the first that is not of an attempt that was asked for before */
};

/* Of one run. Looks through all its events. The caller ends *out with attempt_marks_done(), also
 * after an error. ERR_DAMAGED: they cannot be true; ERR_LIMIT: more than ATTEMPT_MARKS_MAX. */
ATTR_MUST_USE bool attempt_marks_read(struct attempt_marks *out, struct log_reader *reader,
                                      int64_t run, struct err *err);
void attempt_marks_done(struct attempt_marks *marks);

/* The next mark of this attempt; NULL: no more. Attempts are to be asked for in order. */
const struct attempt_mark *attempt_marks_next(struct attempt_marks *marks,
                                              const struct attempt_key *key);

#endif
