/*
 * runs_list.h - the runs of a log as the screen lists them: newest first, read page by page, and
 * of those in sight what their tasks came to. A value; main thread.
 */
#ifndef DEVS_RUNS_LIST_H
#define DEVS_RUNS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log_reader.h"
#include "shown.h"
#include "str.h"

enum {
    RUNS_LIST_MAX = 65536,        /* older ones are left out */
    RUNS_SUM_TASKS_MAX = 2000,    /* larger runs are not summed up: it would take too long */
    RUNS_TIME_EVENTS_MAX = 50000, /* of longer runs nobody says where the time went: likewise */
    RUNS_TIME_LIVE_MS = 5000,     /* so old that may be of a run that goes on */
};

struct runs_row {
    int64_t number;
    char *name;       /* owned; may be strange text */
    enum shown shown; /* how it ended, or that it runs */
    bool is_live;     /* it may go on */
    bool is_session;  /* of an agent that devs did not start */
    int64_t started_at_ms;
    int64_t ended_at_ms; /* the last that is recorded of one that does not go on; 0 = it does */
    int tasks;
    int64_t tries, passed, failed, cancelled;
    int64_t events;
    bool has_sum;
    struct log_run_sum sum;
    int64_t time_at_ms; /* when the next was found out, on the clock since boot; 0 = not yet */
    int waited_percent; /* of the time its tasks took; -1 = not known */
};

struct runs_list {
    struct runs_row *rows; /* owned; newest first */
    size_t count, cap;
    bool whole;    /* there are no older ones, or no more are listed */
    size_t *shown; /* owned; those that the filter lets through, by position in `rows` */
    size_t shown_count, shown_cap;
    struct log_totals totals;
    int live; /* how many may go on */
};

void runs_list_done(struct runs_list *list);

/* Read the newest page again, and the totals: what is new comes first, what is there is brought up
 * to date. */
ATTR_MUST_USE bool runs_list_refresh(struct runs_list *list, struct log_reader *reader,
                                     struct err *err);
/* Read the next page of older runs. */
ATTR_MUST_USE bool runs_list_more(struct runs_list *list, struct log_reader *reader,
                                  struct err *err);
/* Sum up the tasks of one row, unless that was done, or it is too large. */
ATTR_MUST_USE bool runs_list_sum(struct runs_list *list, size_t row, struct log_reader *reader,
                                 struct err *err);

/* Find where the time of one row's run went, as Timeline and `devs status` have it (timeline.h),
 * unless that is known. Reads its events: *read_out is how many, 0 where nothing had to be read. */
ATTR_MUST_USE bool runs_list_time(struct runs_list *list, size_t row, const struct place *place,
                                  const struct moment *now, int64_t *read_out, struct err *err);

/* Find what a filter lets through: rows whose number, name, date or state hold each of its words.
 * "" = all. */
void runs_list_narrow(struct runs_list *list, const char *filter);

/* The second line of a row: "ended without a last record (devs was killed), 4 tasks lost", "one
 * fault in all 6 failed tasks: rate-limit 2d90"; nothing where there is nothing to say. */
void runs_row_note(const struct runs_row *row, struct str *out);
/* Lines that a row takes: two with a note. */
int runs_row_lines(const struct runs_row *row);
/* How many of its tasks are in this state: 0 where only sums over several states are known. */
int64_t runs_row_count(const struct runs_row *row, enum task_status status);
/* How much of the time its tasks took was waiting: "18 %"; nothing where that is not known. */
void runs_row_waited(const struct runs_row *row, struct str *out);

#endif
