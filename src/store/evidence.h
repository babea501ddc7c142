/*
 * evidence.h - an attempt of the log as the classifier judged it: how it ended, and the last bytes
 * of its output. For those who judge it once more. Private to store; belongs to one thread.
 */
#ifndef DEVS_EVIDENCE_H
#define DEVS_EVIDENCE_H

#include "classify.h"
#include "digest.h"
#include "err.h"
#include "event.h"
#include "plan.h"
#include "repair.h"

struct log_reader;
struct evidence;

/* `reader` is borrowed until evidence_close(). */
void evidence_open(struct evidence **out, struct log_reader *reader);
void evidence_close(struct evidence *evidence);

/* An attempt that is over, with the plan of its run. All borrowed. */
struct evidence_of {
    int64_t run;
    const struct plan *plan;
    const struct event *event; /* its end: evidence_is_end() */
    bool wants_all;            /* the output, too, that no rule looks at */
    int memory_killed;         /* as for classify(): what a counter said is not in the log */
};

/* Is the event the end of an attempt, and can it be true? The file may be anybody's. */
bool evidence_is_end(const struct plan *plan, const struct event *event);

/* What the log has of the output. */
enum evidence_state {
    EVIDENCE_WHOLE, /* all that it was judged by */
    EVIDENCE_CUT,   /* the end of it is not there: nobody recorded it */
};

/* *out borrows from the evidence until the next call. */
ATTR_MUST_USE bool evidence_read(struct evidence *evidence, const struct evidence_of *of,
                                 struct classify_input *out, enum evidence_state *state_out,
                                 struct err *err);

/* What a step with a contract gave, of the attempt that was read last; its bytes are appended to
 * *bytes. False where the log has not all of it that its contract was held against. */
ATTR_MUST_USE bool evidence_result(const struct evidence *evidence, struct str *bytes,
                                   struct contract_output *out);

/* The fingerprint of the attempt that was read last, where `wants_all` was said: false where the
 * log has not all of its output, and for an agent, whose words are its result. */
ATTR_MUST_USE bool evidence_fingerprint(const struct evidence *evidence,
                                        const struct evidence_of *of, const struct outcome *outcome,
                                        struct digest *out);

/* A task is added to a plan that grows. A plan that cannot grow as the log says: its later
 * attempts are none of its. Other events are ignored. */
void evidence_take_task(struct plan *growing, const struct event *event);

#endif
