/*
 * record_filter.h - which records of a run somebody wants to see.
 *
 * A value of the caller's, all zero but `level`: all are wanted. One thread.
 */
#ifndef DEVS_RECORD_FILTER_H
#define DEVS_RECORD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "event.h"
#include "event_text.h"
#include "plan.h"
#include "run_state.h"

enum { RECORD_TASKS_MAX = 32 };

/* A place in a run; what is 0 bounds nothing. */
struct record_bound {
    int64_t seq;   /* number of an event */
    int64_t at_ms; /* UTC */
};

struct record_search; /* a pattern, and the memory to match it */

struct record_filter {
    enum event_level level;                        /* least important that is wanted */
    uint64_t kinds;                                /* a bit for each kind; 0 = all */
    char tasks[RECORD_TASKS_MAX][PLAN_ID_MAX + 1]; /* ids */
    int task_count;                                /* 0 = all, and those of the run */
    struct record_bound since, until;              /* both belong to what is wanted */
    struct record_search *search;                  /* owned; NULL = whatever is said */
};
/* Frees what the filter holds. */
void record_filter_done(struct record_filter *filter);

/* Want records of this task, beside those named before. ERR_INVALID: no id, or more than
 * RECORD_TASKS_MAX of them. */
ATTR_MUST_USE bool record_filter_add_task(struct record_filter *filter, const char *id,
                                          struct err *err);
/* Want records of this kind ("wait_started"), beside those named before. ERR_INVALID: there is no
 * such kind; the hint has the nearest. */
ATTR_MUST_USE bool record_filter_add_kind(struct record_filter *filter, const char *name,
                                          struct err *err);
/* Want only records in whose words the pattern (PCRE2, of bytes) matches. ERR_INVALID says where
 * it is wrong. */
ATTR_MUST_USE bool record_filter_set_search(struct record_filter *filter, const char *pattern,
                                            struct err *err);

/* Is the event wanted, as far as that can be said without its words? It is folded in. */
bool record_filter_wants(const struct record_filter *filter, const struct run_state *state,
                         const struct event *event);
/* Do its words fit (event_words())? What takes too long to match does not. */
bool record_filter_finds(const struct record_filter *filter, const char *words, size_t len);

#endif
