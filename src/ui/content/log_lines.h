/* log_lines.h - the output of an attempt in lines: joins rows of the log into lines, keeps the last
 * lines (safe to draw), counts how often a string occurs in the output of other attempts, and pages
 * through the whole output.
 *
 * The pieces of a stream are joined before they are cleaned, so that no character or escape
 * sequence is cut at the end of a piece. Standalone values; each belongs to one thread and reads
 * only through the source it is given. */
#ifndef DEVS_LOG_LINES_H
#define DEVS_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "line_edit.h"
#include "log_reader.h"
#include "run_state.h"
#include "str.h"
#include "verdict.h"

enum { LOG_JOIN_STREAMS = LOG_STREAM_COUNT };

/* A line, a part of a very long line, or a note in place of bytes that the log did not keep. */
struct joined_line {
    const char *bytes; /* borrowed for the call; unprocessed, without the line feed */
    size_t len;
    int64_t at_ms;  /* when its last bytes arrived */
    int64_t offset; /* stream offset of its first byte; for a gap, of its start */
    int stream;     /* a LOG_STREAM_... constant */
};
/* Called with each finished line. */
typedef void joined_line_fn(void *ctx, const struct joined_line *line);

/* A line that is still incomplete. */
struct log_partial {
    struct str text; /* unprocessed */
    int64_t at_ms;
    int64_t start; /* stream offset of its first byte */
    int64_t next;  /* stream offset of the next expected byte */
    bool begun;
    bool headless; /* the beginning of the line is missing */
};

struct log_join {
    struct log_partial partials[LOG_JOIN_STREAMS];
    size_t line_max; /* maximum length of a line in bytes; longer lines are split. Text that is
                        overwritten after a carriage return does not count */
    joined_line_fn *take;
    void *ctx; /* borrowed; passed to `take` */
};

/* Makes an empty join. Lines longer than line_max bytes are passed on in parts; `ctx` is passed to
 * `take`. */
void log_join_init(struct log_join *join, size_t line_max, joined_line_fn *take, void *ctx);
/* Frees the buffers and leaves an empty value. */
void log_join_done(struct log_join *join);
/* Starts over at the first byte; keeps the memory. */
void log_join_clear(struct log_join *join);
/* Copies the unfinished lines of another join; `take` and `ctx` are not changed. */
void log_join_copy(struct log_join *to, const struct log_join *from);

/* Adds the next row; `bytes` are its bytes. Ignores bytes that were already added. Passes on lines
 * in the order in which they are finished. */
void log_join_add(struct log_join *join, const struct log_output_row *row, const char *bytes);
/* Ends the input: passes on unfinished lines as they are. */
void log_join_end(struct log_join *join);
/* Returns how many lines log_join_end() would pass on. */
size_t log_join_open(const struct log_join *join);

enum {
    LOG_TAIL_BYTES = 64 * 1024, /* maximum number of bytes read from the log */
    LOG_TAIL_LINES_MAX = 2000,
    LOG_TAIL_LINE_MAX = 64 * 1024, /* longer lines are split */
    LOG_TAIL_STREAMS = LOG_JOIN_STREAMS,
    LOG_TAIL_ENGINE = 0, /* instead of a stream number, for text from the engine */
};

struct log_line {
    size_t start, len; /* position in `text` */
    int64_t at_ms;     /* when its last bytes arrived */
    int64_t offset;    /* stream offset of its first byte */
    int stream;        /* LOG_STREAM_..., or LOG_TAIL_ENGINE */
};

struct log_tail {
    struct log_output_key key; /* attempt 0: no attempt yet */
    struct str text;           /* cleaned */
    struct log_line *lines;    /* owned */
    size_t count, cap;
    size_t said; /* number of lines from the attempt; the rest is from the engine */
    struct log_join join;
};

void log_tail_init(struct log_tail *tail);
void log_tail_done(struct log_tail *tail);
/* Removes all lines and the key; keeps the memory. */
void log_tail_clear(struct log_tail *tail);

/* Starts filling the tail: call log_tail_begin(), log_tail_add() for any number of consecutive
 * pages, and log_tail_end(). Lines of all streams appear in the order in which they were finished;
 * unfinished lines come last. */
void log_tail_begin(struct log_tail *tail, const struct log_output_key *key);
/* Adds the next page. Ignores rows later than `until_ms`. */
void log_tail_add(struct log_tail *tail, const struct output_page *page, int64_t until_ms);
/* Ends the input: lines without a line feed count as finished. */
void log_tail_end(struct log_tail *tail);
/* Appends a line that the attempt did not write. Call after log_tail_end(). */
void log_tail_say(struct log_tail *tail, int64_t at_ms, const char *text);

/* Sets the tail to a single page: calls log_tail_begin(), log_tail_add() and log_tail_end(). */
void log_tail_set(struct log_tail *tail, const struct log_output_key *key,
                  const struct output_page *page, int64_t until_ms);

/* Returns the text of a line, which is not NUL-terminated; its length is in the line. */
const char *log_tail_line(const struct log_tail *tail, size_t index);

/* Returns the index of the next line at or after `from` (with step -1: at or before it) that
 * contains `needle`, ignoring case; tail->count if there is none. */
size_t log_tail_find(const struct log_tail *tail, const char *needle, size_t from, int step);

enum {
    ELSEWHERE_PIECE_BYTES = 64 * 1024,      /* maximum number of bytes read from the log at once */
    ELSEWHERE_TURN_BYTES = 256 * 1024,      /* maximum number of bytes searched per turn */
    ELSEWHERE_TURN_TRIES = 64,              /* maximum number of attempts searched per turn */
    ELSEWHERE_BYTES_MAX = 64 * 1024 * 1024, /* maximum number of bytes searched in total */
};

/* The source of the rows. read() reads about `bytes` bytes of rows of the attempt `key` with id >
 * after. */
struct elsewhere_source {
    bool (*read)(void *ctx, const struct log_output_key *key, int64_t after, size_t bytes,
                 struct output_page *page, struct err *err);
    void *ctx;
};

/* Counts how often a string that is not in one attempt's output occurs in the run's other attempts,
 * first in those of the same task. Each turn reads a limited amount. */
struct log_elsewhere {
    struct log_output_key own; /* the attempt that has no match, and is not searched */
    char needle[LINE_EDIT_MAX];
    int64_t until_ms; /* later rows are ignored */
    bool is_on;
    bool is_done;
    bool is_cut; /* the search stopped at the limit, so not everything was searched */

    struct log_output_key at; /* the current attempt; attempt 0: not started */
    bool is_among_others;     /* all other attempts of the same task have been searched */
    int64_t after, bytes;
    struct log_join join;
    struct output_page page;
    /* Matching lines in other attempts of the task, and in other tasks. */
    size_t in_tries, in_tasks;
};

void log_elsewhere_init(struct log_elsewhere *elsewhere);
void log_elsewhere_done(struct log_elsewhere *elsewhere);

/* Starts a search, or continues the current one if `needle`, `own` and `until_ms` are the same. */
void log_elsewhere_begin(struct log_elsewhere *elsewhere, const struct log_output_key *own,
                         const char *needle, int64_t until_ms);
/* Stops searching; keeps the counts. */
void log_elsewhere_stop(struct log_elsewhere *elsewhere);

/* Continues within the limits above; `state` is the state of the run. */
ATTR_MUST_USE bool log_elsewhere_turn(struct log_elsewhere *elsewhere,
                                      const struct run_state *state,
                                      const struct elsewhere_source *source, struct err *err);

/* Appends '"tokne" not found in this log; in other tries: 0; in other tasks: 0'. */
void log_elsewhere_words(const struct log_elsewhere *elsewhere, struct str *out);

/* The whole output of one attempt, of any length, as numbered lines, with a window of lines in
 * memory that are safe to draw.
 *
 * The rows of the log are walked once, a bounded amount per turn. The position is marked at regular
 * intervals, so that any line can be found again by reading from the mark before it. A search reads
 * lines in the same way. So memory and the time of a turn are limited, and the number of lines is
 * exact once the end is reached. Newer output replaces a live tail (log_reader.h), so lines read
 * from it are dropped when news arrives.
 *
 * A standalone value; belongs to one thread. Reads only through the source it is given. */

enum {
    PAGER_LINE_MAX = 4000,         /* bytes; longer lines are split */
    PAGER_PIECE_BYTES = 64 * 1024, /* maximum number of bytes read from the log at once */
    PAGER_TURN_BYTES = 512 * 1024, /* maximum number of bytes walked per turn */
    /* Maximum number of bytes searched per turn, for the search text and for errors. */
    PAGER_LOOK_BYTES = 128 * 1024,
    /* Distance of marks in bytes; doubled if there are too many marks. */
    PAGER_MARK_BYTES = 64 * 1024,
    PAGER_MARKS_MAX = 1024,
    PAGER_LINES_MAX = 4096,               /* maximum number of lines in the window */
    PAGER_WINDOW_BYTES = 4 * 1024 * 1024, /* maximum size of the window's text, in bytes */
    PAGER_TAIL_BYTES = 1024 * 1024,       /* maximum size of the copy of a live tail, in bytes */
    PAGER_SET_MAX = 100 * 1000,           /* maximum number of lines in a set */
    PAGER_WORDS_MAX = 4, /* maximum number of added lines before the output, and after it */
    PAGER_ENGINE = 0,    /* instead of a stream number, for text from the engine */
};

/* The source of the rows. read() reads about `bytes` bytes of rows with id > after. */
struct log_source {
    bool (*read)(void *ctx, int64_t after, size_t bytes, struct output_page *page, struct err *err);
    void *ctx;
};

/* A position in the rows, reached by reading all rows up to it. */
struct pager_place {
    int64_t after;        /* id of the last row read */
    size_t line;          /* number of finished lines */
    int64_t bytes;        /* total size of all rows so far */
    int64_t at_ms;        /* latest time of any row so far */
    struct log_join join; /* unfinished lines */
};

/* Sorted line numbers. */
struct pager_set {
    size_t *lines; /* owned */
    size_t count, cap;
    size_t upto;  /* lines before this one were searched */
    bool is_full; /* further lines were not added */
};

struct pager_line {
    size_t number;     /* line number in the output, from 0 */
    size_t start, len; /* position in the window's text */
    int64_t at_ms;
    int64_t offset; /* stream offset of its first byte */
    int stream;     /* LOG_STREAM_..., or PAGER_ENGINE */
};

struct log_pager {
    struct log_output_key key; /* attempt 0: no attempt yet */
    int64_t until_ms;          /* later rows are ignored */
    struct pager_place walk;
    bool is_through;           /* all available rows have been walked */
    struct pager_place stable; /* position before the first replaceable row; only if has_stable */
    bool has_stable;           /* a replaceable row has been walked */
    struct output_page tail;   /* copy of the rows after `stable`, because the log may have replaced
                                  them; only if has_tail */
    bool has_tail;             /* the copy is complete; false if the rows are too large */
    struct pager_place *marks; /* owned; PAGER_MARKS_MAX marks */
    size_t mark_count;
    int64_t mark_bytes; /* bytes between two marks */

    struct pager_place probe; /* position for reading lines again */
    struct output_page page;
    struct str text;          /* text of the window; cleaned */
    struct pager_line *lines; /* owned; sorted by number */
    size_t line_count, line_cap;

    struct pager_line before[PAGER_WORDS_MAX], after[PAGER_WORDS_MAX];
    int before_count, after_count;
    struct str words; /* text of `before` and `after` */

    char needle[LINE_EDIT_MAX]; /* "" = no search */
    bool only;                  /* show only matching lines */
    struct pager_set found, errors;
    enum verdict_stream rule_stream; /* stream and offset of the bytes that the rule matched; NONE =
                                        not in a stream */
    int64_t rule_offset;
    char rule[VERDICT_RULE_MAX];
    size_t rule_line; /* line with these bytes; SIZE_MAX: not reached yet */

    struct { /* the line of the live tail that log_pager_moved() finds again */
        bool is_wanted, is_found;
        int stream;
        int64_t offset;
        size_t number;
    } anchor;
};

/* A pass that reads lines again, each from the nearest mark before it. */
struct pager_reading;
/* Takes the line number reading->wanted; `line` is borrowed for the call. Sets `wanted` to a later
 * line. */
typedef void pager_take_fn(struct pager_reading *reading, const struct joined_line *line);
struct pager_reading {
    struct log_pager *pager;
    size_t wanted;       /* number of the next line to take; SIZE_MAX ends the reading */
    pager_take_fn *take; /* called for line `wanted` */
    size_t count;        /* used by `take`: number of lines taken so far, or of bytes searched */
    size_t want_count;   /* used by `take`: maximum number of lines */
    size_t first;        /* used by `take`: index of the first line */
    struct pager_set *set;
};

void log_pager_init(struct log_pager *pager);
void log_pager_done(struct log_pager *pager);

/* Starts paging through a different attempt; keeps the search. */
void log_pager_begin(struct log_pager *pager, const struct log_output_key *key);
/* Call when there may be more in the log, or a different moment is shown (`until_ms`, INT64_MAX =
 * now). `top` is the line at the top of the screen; log_pager_moved() finds it again. */
void log_pager_news(struct log_pager *pager, int64_t until_ms, size_t top);
/* Returns true if this line is in a live tail, which the next news may replace. */
bool log_pager_is_fleeting(const struct log_pager *pager, size_t line);
/* Gets the new number of the line given to log_pager_news(). Returns false if the line was not in
 * the live tail, or is not found again yet. */
bool log_pager_moved(struct log_pager *pager, size_t *line_out);

/* Continues reading and searching, within the limits above. */
ATTR_MUST_USE bool log_pager_turn(struct log_pager *pager, const struct log_source *source,
                                  struct err *err);
/* Returns true if there is nothing left to read or search. */
bool log_pager_is_done(const struct log_pager *pager);

/* Removes the lines that the engine added before and after the output. */
void log_pager_unsay(struct log_pager *pager);
/* Adds a line before the output. Copies `text`; log_pager_unsay() removes it. */
void log_pager_say_before(struct log_pager *pager, int64_t at_ms, const char *text);
/* Like log_pager_say_before(), for a line after the output. */
void log_pager_say_after(struct log_pager *pager, int64_t at_ms, const char *text);

/* Sets the text to search for, ignoring case; "" = none. */
void log_pager_search(struct log_pager *pager, const char *needle);
/* Shows only matching lines, or all. Changes the index of each line. */
void log_pager_show_only(struct log_pager *pager, bool only);
/* Sets the bytes that a verdict is based on. NULL or a verdict without evidence removes them. */
void log_pager_set_rule(struct log_pager *pager, const struct verdict *verdict);
/* Returns true if this line contains the bytes that the verdict is based on. */
bool log_pager_is_rule(const struct log_pager *pager, const struct pager_line *line);

/* Returns how many lines are shown: all, or the matching ones. */
size_t log_pager_count(const struct log_pager *pager);
/* Returns how many lines the output has, without those of the engine; an unfinished line counts. */
size_t log_pager_said(const struct log_pager *pager);
/* Returns the number of the line at this index among the lines shown. */
size_t log_pager_number(const struct log_pager *pager, size_t index);
/* Returns the index of line `number`, or of the first line shown after it. */
size_t log_pager_index(const struct log_pager *pager, size_t number);

/* Loads up to `count` lines into the window, starting at an index. */
ATTR_MUST_USE bool log_pager_load(struct log_pager *pager, const struct log_source *source,
                                  size_t index, size_t count, struct err *err);
/* Returns the line at an index if it is in the window, or NULL. */
const struct pager_line *log_pager_line(const struct log_pager *pager, size_t index);
/* Returns the text of a line from log_pager_line(), line->len bytes. Borrowed until the next
 * load. */
const char *log_pager_text(const struct log_pager *pager, const struct pager_line *line);

/* Result of finding the next line of a set after line `from` (step 1) or before it (step -1).
 * `from` may be -1 or beyond the last line. */
enum pager_next {
    PAGER_NEXT_FOUND,
    PAGER_NEXT_NONE,
    PAGER_NEXT_LATER, /* lines that could be in the set are not searched yet */
};
enum pager_next log_pager_next(const struct log_pager *pager, const struct pager_set *set,
                               int64_t from, int step, size_t *line_out);
/* Returns the number of lines of a set up to and including this one. */
size_t pager_set_rank(const struct pager_set *set, size_t line);

#endif
