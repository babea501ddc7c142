/*
 * log_elsewhere.h - how often a text that is not in one attempt's output is in the others of the
 * run: first in those of the same task. Reads a bounded piece at each turn, only through the
 * source that it is given. A value of its own; belongs to one thread.
 */
#ifndef DEVS_LOG_ELSEWHERE_H
#define DEVS_LOG_ELSEWHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "line_edit.h"
#include "log_join.h"
#include "log_reader.h"
#include "run_state.h"
#include "str.h"

enum {
    ELSEWHERE_PIECE_BYTES = 64 * 1024,      /* asked of the log at once */
    ELSEWHERE_TURN_BYTES = 256 * 1024,      /* looked through in a turn, */
    ELSEWHERE_TURN_TRIES = 64,              /* of no more attempts than these */
    ELSEWHERE_BYTES_MAX = 64 * 1024 * 1024, /* and in all */
};

/* Rows of an attempt with id > after, about `bytes` of them. */
struct elsewhere_source {
    bool (*read)(void *ctx, const struct log_output_key *key, int64_t after, size_t bytes,
                 struct output_page *page, struct err *err);
    void *ctx;
};

struct log_elsewhere {
    struct log_output_key own; /* not looked at: it is known to have none */
    char needle[LINE_EDIT_MAX];
    int64_t until_ms; /* later rows are left out */
    bool is_on;
    bool is_done;
    bool is_cut; /* not all was looked through: it is too much */

    struct log_output_key at; /* where it is; attempt 0: nowhere yet */
    bool is_among_others;     /* the tries of the own task are through */
    int64_t after, bytes;
    struct log_join join;
    struct output_page page;
    size_t in_tries, in_tasks; /* lines found */
};

void log_elsewhere_init(struct log_elsewhere *elsewhere);
void log_elsewhere_done(struct log_elsewhere *elsewhere);

/* Look for another text, or from another attempt; the same goes on. */
void log_elsewhere_begin(struct log_elsewhere *elsewhere, const struct log_output_key *own,
                         const char *needle, int64_t until_ms);
/* Look no further; what was found stays. */
void log_elsewhere_stop(struct log_elsewhere *elsewhere);

/* Go on, no more than the limits above; `state` is of the run. */
ATTR_MUST_USE bool log_elsewhere_turn(struct log_elsewhere *elsewhere,
                                      const struct run_state *state,
                                      const struct elsewhere_source *source, struct err *err);

/* "\"tokne\" not found in this log; in other tries: 0; in other tasks: 0" */
void log_elsewhere_words(const struct log_elsewhere *elsewhere, struct str *out);

#endif
