/*
 * redact_lanes.h - values in text that was escaped once or twice, beside the search that takes the
 * bytes as they are.
 *
 * A lane undoes one pair of notations and walks the same trie with what it reads. It begins at an
 * escape, where the search is within what may be a value, and ends where what it matches has no
 * escape in it any more.
 */
#ifndef DEVS_REDACT_LANES_H
#define DEVS_REDACT_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redact_escape.h"

struct redact_stream;
struct redact_trie;

enum {
    REDACT_LANES =
        (REDACT_ESCAPER_COUNT - 1) * REDACT_ESCAPER_COUNT, /* each alone, and all pairs */
    REDACT_LANE_ESCAPES_MAX = 4096,    /* in one value; a value with more is not found */
    REDACT_LANE_BYTES_MAX = 24 * 1024, /* of a value with its escapes; the same */
};

/* An escape: in the stream, and in the text that the lane reads. */
struct redact_lane_escape {
    int64_t raw_start, raw_end, start, end;
};

struct redact_lane {
    uint32_t node;                      /* in the trie; the root: the lane does nothing */
    int64_t resume_at;                  /* bytes before it were read */
    int64_t read;                       /* bytes of text */
    int64_t offset;                     /* from there to the stream's, before the first escape */
    struct redact_lane_escape *escapes; /* owned */
    size_t count, cap;
    struct redact_unit unit; /* what comes next; taken 0: nothing is known */
};

struct redact_lanes {
    int active; /* lanes that do something */
    struct redact_lane lanes[REDACT_LANES];
};

void redact_lanes_done(struct redact_lanes *lanes);
/* The stream is at its end. */
void redact_lanes_reset(struct redact_lanes *lanes);

/* Look at what comes next, before the search takes its byte. False: it hangs on bytes that have not
 * come, before `limit`. Nothing changes but the lanes' `unit`. */
bool redact_lanes_prepare(struct redact_stream *stream, int64_t limit, bool ended);
/* Take it. What is found goes into the stream's spans. */
void redact_lanes_take(struct redact_stream *stream);
/* No value that a lane may still find begins before this; `at` if that is less. */
int64_t redact_lanes_settled(const struct redact_stream *stream, int64_t at);
/* After the last byte: the beginnings of values are cut, as redact_search_cut_short() does. */
void redact_lanes_cut_short(struct redact_stream *stream);

#endif
