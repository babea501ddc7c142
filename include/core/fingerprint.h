/*
 * fingerprint.h - is this result the same as the last one? 128 bits that say so.
 *
 * Text: the sum modulo 2^128 of the XXH3 128-bit hashes of the normalised lines
 * (normaliser.h) of both streams, and their number. So neither the order of lines counts,
 * nor how the streams interleaved, and memory does not grow with the output. When the step
 * failed, the form with the call's own words masked counts.
 *
 * JSON: where all of stdout is one JSON object or array of at most FINGERPRINT_JSON_MAX
 * bytes, SHA-256 of its canonical form (canonical.h), so that the order of keys does not
 * count, but that of array elements does, and every value does (requirement C2). The lines
 * of stderr are summed as above. For who looks for circles there is a second digest, in
 * which what moves by itself (ids, times, the members of normalisation rule 4) is masked,
 * else no two answers of a server would ever be equal.
 *
 * A digest is the first half of a SHA-256 over the kind and the code of the end and all
 * that, so it is no prefix of the SHA-256 of the text. A fingerprint belongs to one
 * thread at a time.
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

/*
 * Is this result the same as the last one? 128 bits that say so.
 *
 * Text: the sum modulo 2^128 of the XXH3 128-bit hashes of the normalised lines (normaliser.h) of
 * both streams, and their number. So neither the order of lines counts, nor how the streams
 * interleaved, and memory does not grow with the output. When the step failed, the form with the
 * call's own words masked counts.
 *
 * JSON: where all of stdout is one JSON object or array of at most FINGERPRINT_JSON_MAX bytes,
 * SHA-256 of its canonical form (canonical.h), so that the order of keys does not count, but that
 * of array elements does, and every value does (requirement C2). The lines of stderr are summed
 * as above. For who looks for circles there is a second digest, in which what moves by itself
 * (ids, times, the members of normalisation rule 4) is masked, else no two answers of a server
 * would ever be equal.
 *
 * A digest is the first half of a SHA-256 over the kind and the code of the end and all that, so
 * it is no prefix of the SHA-256 of the text. A fingerprint belongs to one thread at a time.
 */

enum {
    FINGERPRINT_STREAMS = 2,
    FINGERPRINT_BYTES_MAX = 64 * 1024 * 1024, /* of each stream; more is only counted */
    FINGERPRINT_JSON_MAX = 1024 * 1024, /* of stdout from the value on; a longer one is text */
};

/* One line of the output and its hashes; borrowed for the call. */
struct fingerprint_line {
    int stream; /* 0 stdout, 1 stderr */
    const struct normaliser_line *line;
    struct digest hash;         /* of line->bytes */
    struct digest general_hash; /* of line->general; the same where that is `bytes` */
};
/* Called for each line when it is whole, the last one at the end of the output. */
typedef void fingerprint_line_fn(void *ctx, const struct fingerprint_line *line);

/* All members may be left out. */
struct fingerprint_setting {
    const struct normaliser_words *words; /* borrowed until the end */
    fingerprint_line_fn *line;            /* sees each line while it comes */
    void *ctx;                            /* of `line`; borrowed until the end */
    size_t line_max;                      /* as normaliser_set_line_max(); 0 = not set */
};

enum fingerprint_kind { FINGERPRINT_TEXT, FINGERPRINT_JSON };

struct fingerprint_result {
    struct digest digest;        /* never 0,0, which means "not taken" */
    struct digest masked_digest; /* of JSON, once masked; of text the same as `digest` */
    enum fingerprint_kind kind;
    uint64_t raw;          /* of the bytes as they came: where digests are equal and this is
                              not, only masked bytes differ */
    int64_t lines;         /* normalised, of both streams */
    int64_t skipped_bytes; /* counted only; 0 unless `partial` */
    bool partial;          /* there was more than FINGERPRINT_BYTES_MAX; no digest of an
                              output that was taken in whole is equal to it */
    unsigned masked;       /* bits 1 << enum normaliser_mask, of all lines together */
};

struct fingerprint;

/* `setting` may be NULL. The caller ends *out with fingerprint_close(). */
void fingerprint_open(struct fingerprint **out, const struct fingerprint_setting *setting);
/* NULL is allowed. */
void fingerprint_close(struct fingerprint *fingerprint);

/* The next bytes of stream 0 (stdout) or 1 (stderr). */
void fingerprint_add(struct fingerprint *fingerprint, int stream, const char *bytes, size_t len);

/* The kept end of a stream, given once per stream after its last bytes: what of it was
 * skipped is taken in now, from its first whole line on. Nothing where none was skipped. */
void fingerprint_add_tail(struct fingerprint *fingerprint, int stream, const char *bytes,
                          size_t len);

/* The result; nothing can be added after it. */
struct fingerprint_result fingerprint_finish(struct fingerprint *fingerprint,
                                             enum outcome_kind kind, int code);

/*
 * The one text that JSON values with equal content have. Pure.
 *
 * Keys sorted by their bytes, no blanks; numbers by value: 1, 1.0 and 1e0 are "1", -0 is "0",
 * other reals are the first of 15, 16 and 17 significant digits that reads back to the same
 * double; strings as str_add_json() writes them. (RFC 8785 sorts keys by UTF-16 units and writes
 * some numbers in another way; nobody else has to make this text.) Size and depth are bounded by
 * what json_parse() takes.
 */

enum { CANONICAL_HASH_BYTES = 32 };

/* Append the canonical text. NULL is written as null. */
void canonical_write(const struct json *json, struct str *out);

/* As canonical_write(), but each element and each member begins a line: for who looks at
 * lines. */
void canonical_write_lines(const struct json *json, struct str *out);

/* SHA-256 of the canonical text. */
void canonical_hash(const struct json *json, unsigned char out[CANONICAL_HASH_BYTES]);

#endif
