/*
 * event_lines.h - the records around a moment of a run, as lines for people. A value; pure.
 */
#ifndef DEVS_EVENT_LINES_H
#define DEVS_EVENT_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "event_text.h"
#include "str.h"

enum {
    EVENT_LINES_MAX = 256,     /* lines that are kept at a time */
    EVENT_LINES_MARGIN = 64,   /* so many on both sides of a moment are always there to be drawn */
    EVENT_LINE_BYTES_MAX = 512 /* of one line; the rest of it is left out */
};

struct event_line {
    int64_t seq;
    struct moment at;
    int task; /* -1 = none */
    enum event_level level;
    size_t start; /* in `text` */
};

struct event_lines {
    int64_t run; /* its number; 0 = nothing was read */
    struct event_line items[EVENT_LINES_MAX];
    size_t count;
    struct str text;
    struct err trouble; /* why they could not be read */
};

void event_lines_done(struct event_lines *lines);
/* Begin anew, with lines of this run. */
void event_lines_begin(struct event_lines *lines, int64_t run);
/* The next record; `state` has it folded in. False: there is room for no more. */
bool event_lines_add(struct event_lines *lines, const struct run_state *state,
                     const struct event *event);

/* Are the records around `at` here, of a run that has `count` of them? */
bool event_lines_cover(const struct event_lines *lines, int64_t run, int64_t at, int64_t count);
/* The record after which lines that cover `at` begin. */
int64_t event_lines_after(int64_t at);

/* The last line that is not later than the record `at`; -1 = all are. */
int event_lines_find(const struct event_lines *lines, int64_t at);
/* Its text, NUL-terminated; borrowed until the lines change. */
const char *event_lines_text(const struct event_lines *lines, int index);

/* What came of a task after a moment: the records that tell it, as one line. */
struct what_came {
    int64_t run, after; /* of which moment */
    int task;
    int left; /* so many records may still be told */
    struct str words;
};
enum { WHAT_CAME_RECORDS = 2 }; /* told */
/* Begin with nothing told of this task after record `after` of the run. */
void what_came_begin(struct what_came *came, int64_t run, int64_t after, int task);
/* The next record after the moment; false: all is told. */
bool what_came_add(struct what_came *came, const struct run_state *state,
                   const struct event *event);

#endif
