/*
 * record_words.h - --level, --task, --kind, --since, --until and --grep, as a filter of records.
 */
#ifndef DEVS_RECORD_WORDS_H
#define DEVS_RECORD_WORDS_H

#include "attr.h"
#include "err.h"
#include "filter.h"
#include "options.h"
#include "place.h"

/* As on the command line; NULL = not said. In `tasks` and `kinds` a comma may stand between two. */
struct record_words {
    struct option_words tasks, kinds;
    const char *level, *since, *until, *grep;
};

/* All but the times. The caller ends *out with record_filter_done(), whatever this returns. */
ATTR_MUST_USE bool record_words_filter(const struct record_words *words, struct record_filter *out,
                                       struct err *err);

/* The times, of a run (0 = the current one). A clock's words, "-2m" (before its last record),
 * "#211", "T-104 try 2", "start" and "end" are understood as in --at; what a screen says is that
 * second is within it. */
ATTR_MUST_USE bool record_words_bounds(const struct record_words *words, const struct place *place,
                                       int64_t run, struct record_filter *filter, struct err *err);

/* Has the run each task that the filter names? ERR_NOT_FOUND names one that there is. */
ATTR_MUST_USE bool record_words_check_tasks(const struct record_filter *filter,
                                            const struct place *place, int64_t run,
                                            struct err *err);

#endif
