/*
 * log_pager.h - the whole output of one attempt, however long, as numbered lines; a window of them
 * in memory, safe to draw.
 *
 * The rows of the log are walked through once, a bounded piece at each turn; every so many bytes
 * the place is marked, so that a line is found again by reading on from the mark before it. What
 * is searched for is looked for in the same way. So memory and the time of a turn are bounded, and
 * the number of lines is exact once the end was reached. A live tail (log_reader.h) makes way for a
 * newer one: what was read of it is forgotten at the next news.
 *
 * A value of its own; belongs to one thread. Reads only through the source that it is given.
 */
#ifndef DEVS_LOG_PAGER_H
#define DEVS_LOG_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "line_edit.h"
#include "log_lines.h"
#include "log_reader.h"
#include "str.h"
#include "verdict.h"

enum {
    PAGER_LINE_MAX = 4000,         /* bytes; longer lines are broken up */
    PAGER_PIECE_BYTES = 64 * 1024, /* asked of the log at once */
    PAGER_TURN_BYTES = 512 * 1024, /* walked through in a turn, */
    PAGER_LOOK_BYTES = 128 * 1024, /* and looked through for a word, and for errors */
    PAGER_MARK_BYTES = 64 * 1024,  /* between two marks, more where there would be too many */
    PAGER_MARKS_MAX = 1024,
    PAGER_LINES_MAX = 4096,               /* in the window */
    PAGER_WINDOW_BYTES = 4 * 1024 * 1024, /* of text in it */
    PAGER_TAIL_BYTES = 1024 * 1024,       /* of a live tail that is copied */
    PAGER_SET_MAX = 100 * 1000,           /* lines found, that are remembered */
    PAGER_WORDS_MAX = 4,                  /* lines that are said before or after the output */
    PAGER_ENGINE = 0,                     /* in place of a stream: words of the engine */
};

/* Where the rows come from: those with id > after, about `bytes` of them. */
struct log_source {
    bool (*read)(void *ctx, int64_t after, size_t bytes, struct output_page *page, struct err *err);
    void *ctx;
};

/* How far a walk has come. */
struct pager_place {
    int64_t after;        /* id of the last row that is in */
    size_t line;          /* lines that are finished */
    int64_t bytes;        /* of all rows so far */
    int64_t at_ms;        /* the latest time of a row */
    struct log_join join; /* lines that are not finished */
};

/* Line numbers in order. */
struct pager_set {
    size_t *lines; /* owned */
    size_t count, cap;
    size_t upto;  /* lines below it were looked at */
    bool is_full; /* there are more */
};

struct pager_line {
    size_t number;     /* of the output's lines, from 0 */
    size_t start, len; /* in the window's text */
    int64_t at_ms;
    int64_t offset; /* of its first byte in the stream */
    int stream;     /* LOG_STREAM_OUT..., or PAGER_ENGINE */
};

struct log_pager {
    struct log_output_key key; /* attempt 0: nothing was tried yet */
    int64_t until_ms;          /* later rows are left out */
    struct pager_place walk;
    bool is_through;           /* all rows that there are were walked through */
    struct pager_place stable; /* before the first row that makes way for another, */
    bool has_stable;           /* if there is one; */
    struct output_page tail; /* a copy of what came since, for the log may not have it any more, */
    bool has_tail;           /* if it is not too much */
    struct pager_place *marks; /* owned; PAGER_MARKS_MAX of them */
    size_t mark_count;
    int64_t mark_bytes; /* between two of them */

    struct pager_place probe; /* of lines that are read again */
    struct output_page page;
    struct str text;          /* of the window, cleaned */
    struct pager_line *lines; /* owned; by number */
    size_t line_count, line_cap;

    struct pager_line before[PAGER_WORDS_MAX], after[PAGER_WORDS_MAX];
    int before_count, after_count;
    struct str words; /* of these */

    char needle[LINE_EDIT_MAX]; /* "" = nothing is searched for */
    bool only;                  /* just the lines that have it are shown */
    struct pager_set found, errors;
    enum verdict_stream rule_stream; /* the bytes that the rule went by; NONE = none in a stream */
    int64_t rule_offset;
    char rule[VERDICT_RULE_MAX];
    size_t rule_line; /* SIZE_MAX: it was not met yet */

    struct { /* a line of the live tail that is to be found again */
        bool is_wanted, is_found;
        int stream;
        int64_t offset;
        size_t number;
    } anchor;
};

/* Lines that are read again, each from the mark before it on. */
struct pager_reading;
/* Takes one of them; borrowed for the call. */
typedef void pager_take_fn(struct pager_reading *reading, const struct joined_line *line);
struct pager_reading {
    struct log_pager *pager;
    size_t wanted;       /* number of the line that is taken next; SIZE_MAX ends the reading */
    pager_take_fn *take; /* sets `wanted` anew, to a line further down */
    size_t count;        /* the taker's: how many it has */
    size_t want_count;   /* and is to have */
    size_t first;        /* and from which place on */
    struct pager_set *set;
};

void log_pager_init(struct log_pager *pager);
void log_pager_done(struct log_pager *pager);

/* Another attempt, from its beginning; the search stays. */
void log_pager_begin(struct log_pager *pager, const struct log_output_key *key);
/* There may be more in the log, or the moment that is shown is another (INT64_MAX = now). `top`:
 * the line on top of the screen, to be found again by log_pager_moved(). */
void log_pager_news(struct log_pager *pager, int64_t until_ms, size_t top);
/* Is this line of a live tail, which the next news may take away? */
bool log_pager_is_fleeting(const struct log_pager *pager, size_t line);
/* Where that line is now; false if it is where it was. */
bool log_pager_moved(struct log_pager *pager, size_t *line_out);

/* Go on reading and looking, no more than the limits above. */
ATTR_MUST_USE bool log_pager_turn(struct log_pager *pager, const struct log_source *source,
                                  struct err *err);
/* Is nothing left to read or to look for? */
bool log_pager_is_done(const struct log_pager *pager);

/* Lines that the engine says before the output, or after it. Those of the same kind before are
 * forgotten by log_pager_unsay(). */
void log_pager_unsay(struct log_pager *pager);
/* Append a line before the output; it is copied, and gone with log_pager_unsay(). */
void log_pager_say_before(struct log_pager *pager, int64_t at_ms, const char *text);
/* The same behind the output. */
void log_pager_say_after(struct log_pager *pager, int64_t at_ms, const char *text);

/* Search for a text, letters alike in both cases; "" for nothing. */
void log_pager_search(struct log_pager *pager, const char *needle);
/* Show just the lines that match, or all: places among them are others then. */
void log_pager_show_only(struct log_pager *pager, bool only);
/* The bytes that a verdict went by; a verdict without evidence takes them away. */
void log_pager_set_rule(struct log_pager *pager, const struct verdict *verdict);
/* Is this the line that has them? */
bool log_pager_is_rule(const struct log_pager *pager, const struct pager_line *line);

/* How many lines are shown: all, or the matching ones. */
size_t log_pager_count(const struct log_pager *pager);
/* Lines of the output itself, finished or not. */
size_t log_pager_said(const struct log_pager *pager);
/* The number of the line at this place among those shown, and the place of a line, or of the
 * first one after it. */
size_t log_pager_number(const struct log_pager *pager, size_t index);
/* The place of line `number`, or of the first one shown after it. */
size_t log_pager_index(const struct log_pager *pager, size_t number);

/* Bring `count` lines from a place on into the window, as many as there is room for. */
ATTR_MUST_USE bool log_pager_load(struct log_pager *pager, const struct log_source *source,
                                  size_t index, size_t count, struct err *err);
/* The line at a place, if it is in the window: else NULL. */
const struct pager_line *log_pager_line(const struct log_pager *pager, size_t index);
/* The text of a line that log_pager_line() gave, line->len bytes; borrowed until it loads. */
const char *log_pager_text(const struct log_pager *pager, const struct pager_line *line);

/* The line of a set next to one: after line `from` (step 1) or before it (-1); it may be -1 or
 * beyond the last. */
enum pager_next {
    PAGER_NEXT_FOUND,
    PAGER_NEXT_NONE,
    PAGER_NEXT_LATER, /* not all that could have it was looked at */
};
enum pager_next log_pager_next(const struct log_pager *pager, const struct pager_set *set,
                               int64_t from, int step, size_t *line_out);
/* How many lines of a set are not after this one. */
size_t pager_set_rank(const struct pager_set *set, size_t line);

#endif
