/*
 * status.h - a run as `devs status` is asked about it.
 */
#ifndef DEVS_STATUS_H
#define DEVS_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "follower.h"
#include "moment.h"
#include "str.h"

struct status {
    struct follower *follower; /* it has read all there is, or all before the damage */
    struct err damage;
    bool orphaned;
    bool ascii;
    struct moment now; /* of the run's end, or its last sign of life, once nothing counts */
};

/* "live", "ended", "interrupted"; "open": a session without an end (call_log.h). */
const char *status_run_word(const struct status *status);

/* The member "seed": as text, for it may be more than a number of JSON can hold. */
void seed_json(uint64_t seed, struct str *out);

/* All of it for programs: one object, {"v":1,...}, without a line feed. */
void status_json(const struct status *status, struct str *out);

#endif
