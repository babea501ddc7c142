/* what_if_log.h - computes the decisions that other policies would have made in a run of the log.
 * Main thread. */
#ifndef DEVS_WHAT_IF_LOG_H
#define DEVS_WHAT_IF_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "place.h"
#include "str.h"
#include "what_if.h"

/* Feeds the run's events to `other`, which has the change, and to `same`, which has none and may be
 * NULL. */
ATTR_MUST_USE bool what_if_take_run(struct log_reader *reader, int64_t run, struct what_if *other,
                                    struct what_if *same, struct err *err);

/* Appends "  policy careful: 6 attempts and 2:10 less, same result" and a line feed if the steps
 * with the default policy would have reached the same result with fewer attempts. Appends
 * nothing otherwise, or if the log cannot be read. */
void what_if_careful(const struct place *place, int64_t run, struct str *out);

#endif
