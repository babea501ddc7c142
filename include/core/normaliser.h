/*
 * normaliser.h - normalises output, so that only what is new differs. Pure.
 *
 * Two runs of a command rarely write the same bytes: clocks, durations, process numbers,
 * temporary names and addresses differ. A normaliser reads a stream in pieces of any size and
 * returns each line with those tokens replaced by a word in angle brackets ("<ts>", "<dur>",
 * ...), without terminal noise. All other numbers stay: "2 failed" after "3 failed" is the
 * progress to detect.
 *
 * The result does not depend on where pieces end. Memory is bounded by NORMALISER_LINE_MAX. A
 * normaliser belongs to one thread at a time.
 */
#ifndef DEVS_NORMALISER_H
#define DEVS_NORMALISER_H

#include <stddef.h>

enum {
    NORMALISER_LINE_MAX = 64 * 1024,               /* bytes of a raw line; longer ones are split */
    NORMALISER_TEXT_MAX = 4 * NORMALISER_LINE_MAX, /* bytes of a normalised line: a token may be
                                                      shorter than its replacement */
    NORMALISER_WORDS_MAX = 128,                    /* words of a call that are replaced */
    NORMALISER_WORD_MIN = 3,                       /* bytes; shorter ones mean too little */
    NORMALISER_WORD_MAX = 128,                     /* bytes; longer words are not names */
};

/* Kinds of tokens that are replaced. */
enum normaliser_mask {
    NORMALISER_TIMES,     /* <ts>: dates, clocks, epochs, the prefixes of loggers */
    NORMALISER_IDS,       /* <uuid> <tok> <id> <v>: new for each request or session */
    NORMALISER_ADDRESSES, /* <addr> */
    NORMALISER_TEMPS,     /* <tmp>: temporary files with generated names */
    NORMALISER_HEX,       /* <hex>: commits, containers, checksums */
    NORMALISER_DURATIONS, /* <dur> */
    NORMALISER_PIDS,      /* <pid>: processes, threads, goroutines, workers */
    NORMALISER_PORTS,     /* <port>: only ports that systems assign */
    NORMALISER_TRIES,     /* <try>: "attempt 3", "retry 2/5" */
    NORMALISER_SEEDS,     /* <seed> */
    NORMALISER_RATES,     /* <rate> */
    NORMALISER_ARGUMENTS, /* <arg>: the call's own words; only in the general form */
    NORMALISER_MASK_COUNT,
};

/* Returns "times", "ids", "addresses", "temp paths", "hex", "durations", "pids", "ports", "try
 * counters", "seeds", "rates" or "arguments". */
const char *normaliser_mask_words(enum normaliser_mask mask);

/* A complete line, borrowed for the call. Blank lines are not reported. */
struct normaliser_line {
    const char *bytes;   /* normalised; not NUL-terminated */
    size_t len;          /* 1..NORMALISER_TEXT_MAX */
    const char *general; /* with the call's own words masked, too: what counts if the step fails.
                            Equal to `bytes` if there are none */
    size_t general_len;
    const char *raw; /* original, without the line end and what a lone \r overwrote */
    size_t raw_len;
    unsigned masked; /* bits 1 << enum normaliser_mask; NORMALISER_ARGUMENTS if `general` differs
                        from `bytes` */
};

/* Borrows ctx as long as the normaliser lives. */
typedef void normaliser_line_fn(void *ctx, const struct normaliser_line *line);

/* The words of a call: if it fails, its own name and arguments in the message are an echo and no
 * news. */
struct normaliser_words;

/* The caller calls normaliser_words_close(). */
void normaliser_words_open(struct normaliser_words **out);
/* May be NULL. */
void normaliser_words_close(struct normaliser_words *words);

/* Adds the words of a text (a tool's name, an argument, JSON of arguments): runs of letters,
 * digits, '_' and bytes over 127 that are not numbers; and whole names that contain '/', such as
 * paths and branches. Ignores words after the first NORMALISER_WORDS_MAX. */
void normaliser_words_add(struct normaliser_words *words, const char *bytes, size_t len);

struct normaliser;

/* For one stream. Borrows `words` until the end; they must be complete and may be NULL. The
 * caller calls normaliser_close(). */
void normaliser_open(struct normaliser **out, const struct normaliser_words *words,
                     normaliser_line_fn *line, void *ctx);
/* May be NULL. Drops an unfinished line. */
void normaliser_close(struct normaliser *normaliser);

/* Call before adding bytes: splits lines longer than this, or than NORMALISER_LINE_MAX. */
void normaliser_set_line_max(struct normaliser *normaliser, size_t bytes);

/* Adds bytes; calls back for each complete line. */
void normaliser_add(struct normaliser *normaliser, const char *bytes, size_t len);

/* Ends the stream; calls back for a last line without a line feed. Another stream may follow. */
void normaliser_end(struct normaliser *normaliser);

/* Drops the unfinished line. */
void normaliser_drop(struct normaliser *normaliser);

#endif
