/*
 * capture.h - the forensic record of a step that failed, as JSON text.
 *
 * Names of the environment, never its values. Reads /proc; any thread.
 */
#ifndef DEVS_CAPTURE_H
#define DEVS_CAPTURE_H

#include "attempt.h"
#include "event.h"
#include "run_state.h"
#include "str.h"

enum { CAPTURE_TAIL_BYTES = 4096 }; /* of each stream */

struct capture_facts {
    const struct run_state *state;       /* with the step's end folded in */
    const struct event *event;           /* that end */
    const struct attempt *attempt;       /* NULL if it was over before */
    bool knows_first;                    /* the memory has lines of the first attempt, too */
    const struct entropy_memory *memory; /* the task's; NULL if it has none */
    const struct call_setting *setting;
};

void capture_write(const struct capture_facts *facts, struct str *out);

#endif
