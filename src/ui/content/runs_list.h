/*
 * runs_list.h - the runs of a log as listed on screen: newest first, read page by page, with a
 * summary of the tasks of visible runs. A value; main thread.
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
    RUNS_LIST_MAX = 65536, /* maximum number of runs; older runs are left out */
    /* Runs with more tasks get no task summary, because it would take too long. */
    RUNS_SUM_TASKS_MAX = 2000,
    /* Runs with more events get no time breakdown, for the same reason. */
    RUNS_TIME_EVENTS_MAX = 50000,
    RUNS_TIME_LIVE_MS = 5000, /* maximum age of the time breakdown of a live run */
};

struct runs_row {
    int64_t number;
    char *name;       /* owned; not trusted, clean before display */
    enum shown shown; /* how it ended, or that it is running */
    bool is_live;     /* the run may continue */
    int64_t pid;      /* pid of devs */
    int64_t started_at_ms;
    int64_t ended_at_ms; /* last recorded time of an ended run; 0 = it may continue */
    int tasks;
    int64_t tries, passed, failed, cancelled;
    int64_t events;
    bool has_sum;
    struct log_run_sum sum;
    int64_t time_at_ms; /* when waited_percent was computed, on the clock since boot; 0 = not yet */
    int waited_percent; /* percentage of the tasks' time that was spent waiting; -1 = unknown */
};

struct runs_list {
    struct runs_row *rows; /* owned; newest first */
    size_t count, cap;
    bool whole;    /* all runs have been read, or the list is full */
    size_t *shown; /* owned; indexes into `rows` of the rows that pass the filter */
    size_t shown_count, shown_cap;
    struct log_totals totals;
    int live; /* number of runs that may continue */
};

void runs_list_done(struct runs_list *list);

/* Reads the newest page again, and the totals. New runs are added at the top, known ones are
 * updated. */
ATTR_MUST_USE bool runs_list_refresh(struct runs_list *list, struct log_reader *reader,
                                     struct err *err);
/* Reads the next page of older runs. */
ATTR_MUST_USE bool runs_list_more(struct runs_list *list, struct log_reader *reader,
                                  struct err *err);
/* Sums up the tasks of one row, unless that was done already or the run is too large. */
ATTR_MUST_USE bool runs_list_sum(struct runs_list *list, size_t row, struct log_reader *reader,
                                 struct err *err);

/* Computes where the time of the row's run went, like Timeline and `devs status` (timeline.h),
 * unless that is known. *read_out is the number of events that were read for it. */
ATTR_MUST_USE bool runs_list_time(struct runs_list *list, size_t row, const struct place *place,
                                  const struct moment *now, int64_t *read_out, struct err *err);

/* Applies a filter: keeps rows whose number, name, date or state contain each of its words. "" =
 * all. */
void runs_list_narrow(struct runs_list *list, const char *filter);

/* Appends the second line of a row: "end not recorded (devs died); 4 tasks lost", "same fault in
 * all 6 failed tasks: rate-limit 2d90"; nothing if there is no note. */
void runs_row_note(const struct runs_row *row, struct str *out);
/* Returns the number of lines a row takes: two with a note. */
int runs_row_lines(const struct runs_row *row);
/* Returns how many tasks of the run are in this state; 0 if only sums over several states are
 * known. */
int64_t runs_row_count(const struct runs_row *row, enum task_status status);
/* Appends the share of the tasks' time that was spent waiting, "18%"; nothing if unknown. */
void runs_row_waited(const struct runs_row *row, struct str *out);

#endif
