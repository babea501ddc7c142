/* fingerprint.h - is this result the same as the last one? Normalised lines, the fingerprint of a
 * result, the canonical text of JSON, and reports of tests.
 *
 * A fingerprint has 128 bits.
 *
 * Text: the sum modulo 2^128 of the XXH3 128-bit hashes of the normalised lines (below) of both
 * streams, and their number. So the order of lines does not matter, nor how the streams were
 * interleaved, and memory does not grow with the output. If the step failed, the hashes are of the
 * lines with the call's own words masked.
 *
 * JSON: if stdout is one JSON object or array of at most FINGERPRINT_JSON_MAX bytes, SHA-256 of its
 * canonical form. So the order of keys does not matter, but the order of array elements and every
 * value do (requirement C2). The lines of stderr are summed as above. For loop detection there is a
 * second digest with volatile parts masked (ids, times, the members of normalisation rule 4), since
 * otherwise no two answers of a server would be equal.
 *
 * A digest is the first half of a SHA-256 over these values and how the attempt ended, so it is not
 * a prefix of the SHA-256 of the text. A fingerprint belongs to one thread at a time. */
#ifndef DEVS_FINGERPRINT_H
#define DEVS_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "classify.h"
#include "digest.h"
#include "json.h"
#include "outcome.h"
#include "str.h"

/* Normalises output, so that only new information differs. Pure.
 *
 * Two runs of a command rarely write the same bytes: clocks, durations, process numbers, temporary
 * names and addresses differ. A normaliser reads a stream in pieces of any size and returns each
 * line with those tokens replaced by a word in angle brackets ("<ts>", "<dur>", ...), without
 * terminal noise. All other numbers stay: "2 failed" after "3 failed" is the progress to detect.
 *
 * The result does not depend on where pieces end. Memory is bounded by NORMALISER_LINE_MAX. A
 * normaliser belongs to one thread at a time. */

enum {
    NORMALISER_LINE_MAX = 64 * 1024, /* maximum bytes of a raw line; longer ones are split */
    NORMALISER_TEXT_MAX = 4 * NORMALISER_LINE_MAX, /* maximum bytes of a normalised line: a token
                                                      may be shorter than its replacement */
    NORMALISER_WORDS_MAX = 128,                    /* maximum words of a call that are replaced */
    NORMALISER_WORD_MIN = 3,                       /* minimum bytes; shorter words are too common */
    NORMALISER_WORD_MAX = 128, /* maximum bytes; longer words are not treated as names */
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
    const char *general; /* `bytes` with the call's own words masked as well; used if the step
                            fails. Equal to `bytes` if it contains none of these words */
    size_t general_len;
    const char *raw; /* original, without the line end and any text that a lone \r overwrote */
    size_t raw_len;
    unsigned masked; /* bits 1 << enum normaliser_mask; NORMALISER_ARGUMENTS if `general` differs
                        from `bytes` */
};

/* Called for each line. `ctx` is borrowed as long as the normaliser lives. */
typedef void normaliser_line_fn(void *ctx, const struct normaliser_line *line);

/* The words of a call. If the call fails, its own name and arguments in the message are an echo,
 * not news. */
struct normaliser_words;

/* Makes an empty set of words. The caller calls normaliser_words_close(). */
void normaliser_words_open(struct normaliser_words **out);
/* May be NULL. */
void normaliser_words_close(struct normaliser_words *words);

/* Adds the words of a string (a tool's name, an argument, JSON of arguments): runs of letters,
 * digits, '_' and bytes over 127 that are not numbers, and whole names that contain '/', such as
 * paths and branches. Ignores words after the first NORMALISER_WORDS_MAX. */
void normaliser_words_add(struct normaliser_words *words, const char *bytes, size_t len);

struct normaliser;

/* Makes a normaliser for one stream. Borrows `words`, which must be complete and may be NULL, until
 * the normaliser is closed. The caller calls normaliser_close(). */
void normaliser_open(struct normaliser **out, const struct normaliser_words *words,
                     normaliser_line_fn *line, void *ctx);
/* May be NULL. Drops an unfinished line. */
void normaliser_close(struct normaliser *normaliser);

/* Sets the maximum length of a line, in bytes, if it is below NORMALISER_LINE_MAX; longer lines are
 * split. Call before adding bytes. */
void normaliser_set_line_max(struct normaliser *normaliser, size_t bytes);

/* Adds bytes; calls back for each complete line. */
void normaliser_add(struct normaliser *normaliser, const char *bytes, size_t len);

/* Ends the stream; calls back for a last line without a line feed. Another stream may follow. */
void normaliser_end(struct normaliser *normaliser);

/* Drops the unfinished line. */
void normaliser_drop(struct normaliser *normaliser);

/*
 * The fingerprint of a result.
 */

enum {
    FINGERPRINT_STREAMS = 2,
    FINGERPRINT_BYTES_MAX =
        64 * 1024 * 1024, /* maximum bytes of each stream; further bytes are only counted */
    FINGERPRINT_JSON_MAX =
        1024 *
        1024, /* maximum bytes of stdout from the start of the value; longer output is text */
};

/* One line of the output and its hashes; borrowed for the call. */
struct fingerprint_line {
    int stream; /* 0 stdout, 1 stderr */
    const struct normaliser_line *line;
    struct digest hash; /* hash of line->bytes */
    struct digest
        general_hash; /* hash of line->general; the same as `hash` if `general` is `bytes` */
};
/* Called for each complete line and, at the end of the output, for an unfinished last line. */
typedef void fingerprint_line_fn(void *ctx, const struct fingerprint_line *line);

/* All members are optional. */
struct fingerprint_setting {
    const struct normaliser_words *words; /* borrowed until the end */
    fingerprint_line_fn *line;            /* called for each line as it arrives */
    void *ctx;                            /* passed to `line`; borrowed until the end */
    size_t line_max;                      /* as in normaliser_set_line_max(); 0 = not set */
};

enum fingerprint_kind { FINGERPRINT_TEXT, FINGERPRINT_JSON };

struct fingerprint_result {
    struct digest digest;        /* never 0,0, which means "not computed" */
    struct digest masked_digest; /* digest of masked JSON; for text the same as `digest` */
    enum fingerprint_kind kind;
    uint64_t raw;  /* hash of the original bytes: if only `raw` differs, only masked bytes differ */
    int64_t lines; /* number of normalised lines in both streams */
    int64_t skipped_bytes; /* bytes that were only counted; 0 unless `partial` */
    bool partial;    /* the output exceeded FINGERPRINT_BYTES_MAX; its digest never equals that of a
                        complete output */
    unsigned masked; /* bits 1 << enum normaliser_mask that occurred in any line */
};

struct fingerprint;

/* Begins a fingerprint. `setting` may be NULL. The caller calls fingerprint_close(). */
void fingerprint_open(struct fingerprint **out, const struct fingerprint_setting *setting);
/* May be NULL. */
void fingerprint_close(struct fingerprint *fingerprint);

/* Adds bytes of stream 0 (stdout) or 1 (stderr). */
void fingerprint_add(struct fingerprint *fingerprint, int stream, const char *bytes, size_t len);

/* Adds the kept end of a stream. Call once per stream, after its last bytes. Reads the skipped part
 * from its first whole line. Does nothing if nothing was skipped. */
void fingerprint_add_tail(struct fingerprint *fingerprint, int stream, const char *bytes,
                          size_t len);

/* Returns the result. Nothing can be added afterwards. */
struct fingerprint_result fingerprint_finish(struct fingerprint *fingerprint,
                                             enum outcome_kind kind, int code);

/*
 * Canonical JSON: equal values have the same text.
 *
 * Keys are sorted by their bytes, without blanks. Numbers are written by value: 1, 1.0 and 1e0
 * are "1", -0 is "0", and other reals are the first of 15, 16 and 17 significant digits that
 * reads back as the same double. Strings are written by str_add_json(). json_parse() bounds size
 * and depth.
 */

enum { CANONICAL_HASH_BYTES = 32 };

/* Appends the canonical text; "null" if `json` is NULL. */
void canonical_write(const struct json *json, struct str *out);

/* Like canonical_write(), with each element and member on a line of its own. */
void canonical_write_lines(const struct json *json, struct str *out);

/* Computes the SHA-256 of the canonical text. */
void canonical_hash(const struct json *json, unsigned char out[CANONICAL_HASH_BYTES]);

/* How many tests passed and failed, by the test program's own summary.
 *
 * Reads only lines in the form of a known summary (pytest, unittest, jest, mocha, TAP as written by
 * node and tape, cargo, CTest, Check, GoogleTest, JUnit); does not count or guess. Pure; any
 * thread. */

enum { TEST_REPORT_LINE_MAX = 160, TEST_REPORT_NUMBER_MAX = 1000000000 };

/* A plain value. */
struct test_report {
    const char *form; /* static: "pytest", "cargo", ... */
    int64_t passed;   /* -1 if the summary does not say */
    int64_t failed;   /* failures and errors; -1 if the summary does not say */
    int64_t skipped;
    int64_t total;
    char line[TEST_REPORT_LINE_MAX]; /* the last line of the summary, clean, cut if too long */
};

/* Finds the last summary in the text. Returns false and leaves *out alone if there is none.
 * Reads the last CLASSIFY_TAIL_MAX bytes. */
ATTR_MUST_USE bool test_report_find(const struct classify_text *text, struct test_report *out);

#endif
