/*
 * status.h - a run as `devs status` shows it, as text and as JSON.
 */
#ifndef DEVS_STATUS_H
#define DEVS_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "follower.h"
#include "log_overview.h"
#include "moment.h"
#include "shown.h"
#include "str.h"

enum { STATUS_TASKS_MAX = 200 }; /* of a run that is told task by task, unless all are asked for */

struct status {
    struct log_reader *reader; /* owned where there is no follower, else the follower's */
    struct follower *follower; /* it has read all there is, or all before the damage; NULL: the
                                  overview says what is to be said */
    struct err damage;
    bool orphaned;
    bool needs_adopting; /* the log is not the user's own (log_own.h) */
    int live_runs;       /* of the log */
    bool ascii;
    bool is_brief;                /* the run has too many tasks: of these the overview, */
    struct log_overview overview; /* which is there then */
    struct moment now; /* of the run's end, or its last sign of life, once nothing counts */
};

/* Its row. Borrowed from the status. */
const struct log_run_info *status_run(const struct status *status);

/* "live", "ended", "interrupted"; "open": a session without an end (call_log.h). */
const char *status_run_word(const struct status *status);
/* It ended, and the log is damaged before it says how. */
bool status_is_cut_short(const struct status *status);

/* Its moment, and clocks as a status shows them. */
struct shown_time status_time(const struct status *status);

/* The member "seed": as text, for it may be more than a number of JSON can hold. */
void seed_json(uint64_t seed, struct str *out);

/* All of it for programs: one object, {"v":1,...}, without a line feed. */
void status_json(const struct status *status, struct str *out);

/* All of it for people, to stdout: task by task, or where `is_brief` the overview. */
void status_print(const struct status *status);

#endif
