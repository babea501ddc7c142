/*
 * fingerprint.h - is this result the same as the last one? 128 bits that tell.
 *
 * Text: the sum modulo 2^128 of the XXH3 128-bit hashes of the normalised lines (normaliser.h) of
 * both streams, and their number. So the order of lines does not matter, nor how the streams were
 * interleaved, and memory does not grow with the output. If the step failed, the form with the
 * call's own words masked counts.
 *
 * JSON: if stdout is one JSON object or array of at most FINGERPRINT_JSON_MAX bytes, SHA-256 of
 * its canonical form. So the order of keys does not matter, but the order of array elements and
 * every value do (requirement C2). The lines of stderr are summed as above. For loop detection
 * there is a second digest with volatile parts masked (ids, times, the members of normalisation
 * rule 4), since otherwise no two answers of a server would be equal.
 *
 * A digest is the first half of a SHA-256 over all that and how the attempt ended, so it is not a
 * prefix of the SHA-256 of the text. A fingerprint belongs to one thread at a time.
 */
#ifndef DEVS_FINGERPRINT_H
#define DEVS_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "digest.h"
#include "json.h"
#include "normaliser.h"
#include "outcome.h"
#include "str.h"

enum {
    FINGERPRINT_STREAMS = 2,
    FINGERPRINT_BYTES_MAX = 64 * 1024 * 1024, /* of each stream; more is only counted */
    FINGERPRINT_JSON_MAX = 1024 * 1024, /* of stdout from the start of the value; longer output
                                           is text */
};

/* One line of the output and its hashes; borrowed for the call. */
struct fingerprint_line {
    int stream; /* 0 stdout, 1 stderr */
    const struct normaliser_line *line;
    struct digest hash;         /* of line->bytes */
    struct digest general_hash; /* of line->general; the same hash if that is `bytes` */
};
/* Called for each complete line; for the last one at the end of the output. */
typedef void fingerprint_line_fn(void *ctx, const struct fingerprint_line *line);

/* All members are optional. */
struct fingerprint_setting {
    const struct normaliser_words *words; /* borrowed until the end */
    fingerprint_line_fn *line;            /* called for each line as it arrives */
    void *ctx;                            /* for `line`; borrowed until the end */
    size_t line_max;                      /* as in normaliser_set_line_max(); 0 = not set */
};

enum fingerprint_kind { FINGERPRINT_TEXT, FINGERPRINT_JSON };

struct fingerprint_result {
    struct digest digest;        /* never 0,0, which means "not taken" */
    struct digest masked_digest; /* of masked JSON; for text the same as `digest` */
    enum fingerprint_kind kind;
    uint64_t raw;          /* of the original bytes: if only this differs, only masked bytes do */
    int64_t lines;         /* normalised, of both streams */
    int64_t skipped_bytes; /* only counted; 0 unless `partial` */
    bool partial;          /* there was more than FINGERPRINT_BYTES_MAX; no digest of a complete
                              output equals this one */
    unsigned masked;       /* bits 1 << enum normaliser_mask of all lines */
};

struct fingerprint;

/* `setting` may be NULL. The caller calls fingerprint_close(). */
void fingerprint_open(struct fingerprint **out, const struct fingerprint_setting *setting);
/* May be NULL. */
void fingerprint_close(struct fingerprint *fingerprint);

/* Adds bytes of stream 0 (stdout) or 1 (stderr). */
void fingerprint_add(struct fingerprint *fingerprint, int stream, const char *bytes, size_t len);

/* Adds the kept end of a stream, once per stream after its last bytes: reads the skipped part
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

/* Appends the canonical text; null for NULL. */
void canonical_write(const struct json *json, struct str *out);

/* Like canonical_write(), with each element and member on a line of its own. */
void canonical_write_lines(const struct json *json, struct str *out);

/* Computes the SHA-256 of the canonical text. */
void canonical_hash(const struct json *json, unsigned char out[CANONICAL_HASH_BYTES]);

#endif
