/*
 * normaliser.h - what of an output is news, without what moves by itself. Pure.
 *
 * Two runs of one command rarely write the same bytes: clocks, durations, process
 * numbers, temporary names and addresses differ. A normaliser takes one stream as it
 * comes, in pieces of any size, and gives each line with those tokens replaced by a word
 * in angle brackets ("<ts>", "<dur>", ...) and with terminal noise removed. All other
 * numbers stay: "2 failed" after "3 failed" is the progress that is looked for.
 *
 * Where a piece ends does not matter: the lines are the same. Memory is bounded by
 * NORMALISER_LINE_MAX, whatever comes. A normaliser belongs to one thread at a time.
 */
#ifndef DEVS_NORMALISER_H
#define DEVS_NORMALISER_H

#include <stddef.h>

enum {
    NORMALISER_LINE_MAX = 64 * 1024, /* bytes of a raw line; a longer one is cut into several */
    NORMALISER_TEXT_MAX = 4 * NORMALISER_LINE_MAX, /* bytes of a normalised line: a token may
                                                      be shorter than the word for it */
    NORMALISER_WORDS_MAX = 128, /* words of a call that are looked for; more are not */
    NORMALISER_WORD_MIN = 3,    /* bytes; shorter ones mean too little */
    NORMALISER_WORD_MAX = 128,  /* bytes; longer ones are nobody's name */
};

/* What kind of token was replaced. */
enum normaliser_mask {
    NORMALISER_TIMES,     /* <ts>: dates, clocks, epochs, the prefixes of loggers */
    NORMALISER_IDS,       /* <uuid> <tok> <id> <v>: made anew for each request or session */
    NORMALISER_ADDRESSES, /* <addr> */
    NORMALISER_TEMPS,     /* <tmp>: temporary files with a made-up name */
    NORMALISER_HEX,       /* <hex>: commits, containers, checksums */
    NORMALISER_DURATIONS, /* <dur> */
    NORMALISER_PIDS,      /* <pid>: processes, threads, goroutines, workers */
    NORMALISER_PORTS,     /* <port>: only those that systems hand out by themselves */
    NORMALISER_TRIES,     /* <try>: "attempt 3", "retry 2/5" */
    NORMALISER_SEEDS,     /* <seed> */
    NORMALISER_RATES,     /* <rate> */
    NORMALISER_ARGUMENTS, /* <arg>: the call's own words; only in the general form */
    NORMALISER_MASK_COUNT,
};

/* "times", "ids", "addresses", "temp paths", "hex", "durations", "pids", "ports",
 * "try counters", "seeds", "rates", "arguments". */
const char *normaliser_mask_words(enum normaliser_mask mask);

/* One finished line; all of it is borrowed for the call. Blank lines are not given. */
struct normaliser_line {
    const char *bytes;   /* normalised; no NUL at the end */
    size_t len;          /* 1..NORMALISER_TEXT_MAX */
    const char *general; /* the same with the call's own words masked too: what counts when
                            the step fails. `bytes` itself where none of them is in it */
    size_t general_len;
    const char *raw; /* as it came, without the line's end and what a lone \r wrote over */
    size_t raw_len;
    unsigned masked; /* bits 1 << enum normaliser_mask; NORMALISER_ARGUMENTS if `general`
                        is another text than `bytes` */
};

/* ctx is borrowed and must outlive the normaliser. */
typedef void normaliser_line_fn(void *ctx, const struct normaliser_line *line);

/* The words that a call brings along: when it fails, its own name and arguments in the
 * message are an echo and no news. */
struct normaliser_words;

/* The caller ends *out with normaliser_words_close(). */
void normaliser_words_open(struct normaliser_words **out);
/* NULL is allowed. */
void normaliser_words_close(struct normaliser_words *words);

/* Take in the words of a text (a tool's name, an argument, JSON of arguments): runs of
 * letters, digits, '_' and bytes over 127 that are no number; and whole names with a '/' in
 * them, such as paths and branches. Those past NORMALISER_WORDS_MAX are left out. */
void normaliser_words_add(struct normaliser_words *words, const char *bytes, size_t len);

struct normaliser;

/* For one stream. `words` is borrowed until the end, may be NULL, and must be complete. The
 * caller ends *out with normaliser_close(). */
void normaliser_open(struct normaliser **out, const struct normaliser_words *words,
                     normaliser_line_fn *line, void *ctx);
/* NULL is allowed; a line that has not ended is dropped. */
void normaliser_close(struct normaliser *normaliser);

/* Before the first byte: lines longer than this, and than NORMALISER_LINE_MAX, are cut. */
void normaliser_set_line_max(struct normaliser *normaliser, size_t bytes);

/* The next bytes; calls back for each line that they end. */
void normaliser_add(struct normaliser *normaliser, const char *bytes, size_t len);

/* The stream has ended: calls back for a last line without line feed. Another stream may
 * be added afterwards. */
void normaliser_end(struct normaliser *normaliser);

/* Forget the unfinished line, as if the stream had begun anew. */
void normaliser_drop(struct normaliser *normaliser);

#endif
