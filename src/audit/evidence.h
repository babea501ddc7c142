/* evidence.h - reads an attempt from the log as input for the classifier: how it ended, and the
 * last bytes of its output. Used to judge attempts again. Private to audit; belongs to one
 * thread. */
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

/* Borrows `reader` until evidence_close(). */
void evidence_open(struct evidence **out, struct log_reader *reader);
void evidence_close(struct evidence *evidence);

/* A finished attempt with the plan of its run. Everything is borrowed. */
struct evidence_of {
    int64_t run;
    const struct plan *plan;
    const struct event *event; /* the end of an attempt; evidence_is_end() must be true */
    bool wants_all;            /* also read output that no rule examines */
    int memory_killed;         /* passed to classify(), because the log lacks memory counters */
};

/* Returns true if the event is the end of an attempt and is plausible, because the file may be
 * untrusted. */
bool evidence_is_end(const struct plan *plan, const struct event *event);

/* How much of the output the log has. */
enum evidence_state {
    EVIDENCE_WHOLE, /* everything that the verdict was based on */
    EVIDENCE_CUT,   /* the end is missing: it was not recorded */
};

/* Reads an attempt. *out borrows from the evidence until the next call. */
ATTR_MUST_USE bool evidence_read(struct evidence *evidence, const struct evidence_of *of,
                                 struct classify_input *out, enum evidence_state *state_out,
                                 struct err *err);

/* Appends the result of the last attempt that was read, for a step with a contract, to *bytes.
 * Returns false if the log lacks part of the output that the contract was checked against. */
ATTR_MUST_USE bool evidence_result(const struct evidence *evidence, struct str *bytes,
                                   struct contract_output *out);

/* Computes the fingerprint of the last attempt that was read with `wants_all`. Returns false if the
 * log lacks part of its output, and for agents, whose result is their answer. */
ATTR_MUST_USE bool evidence_fingerprint(const struct evidence *evidence,
                                        const struct evidence_of *of, const struct outcome *outcome,
                                        struct digest *out);

/* Adds a task to a growing plan; ignores other events. Does nothing if the task is invalid; its
 * attempts are then not part of the plan. */
void evidence_take_task(struct plan *growing, const struct event *event);

#endif
