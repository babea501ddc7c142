/* Shared by the files of fingerprints. Private to core/fingerprint and its tests. */
#ifndef DEVS_FINGERPRINT_INTERNAL_H
#define DEVS_FINGERPRINT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fingerprint.h"
#include "str.h"

/*
 * Hashing JSON without its volatile parts (fingerprint.c).
 */

/* Computes the SHA-256 of the canonical text with the tokens of each member and element masked, and
 * also the call's own words if `words` is not NULL. The result equals that of canonical_hash() if
 * nothing is masked: blanks within strings count. */
void fingerprint_json_hash(const struct json *json, const struct normaliser_words *words,
                           unsigned char out[CANONICAL_HASH_BYTES]);

/*
 * Eight bytes of a line at once (normaliser.c).
 */

enum { BLOCK_BYTES = 8, BLOCK_TOP = 0x80 };

/* Classes of eight bytes: bit 0x80 of each byte in the class, first byte lowest. */
struct block {
    uint64_t triggers; /* '/', digits, ':', '=' (and ';' and '<', which are between them), '\\' */
    uint64_t blanks;
    uint64_t noise; /* bytes over 127, control characters, DEL */
};

/* Returns a block with this value in each byte. */
static inline uint64_t block_of(unsigned value)
{
    return UINT64_C(0x0101010101010101) * value;
}

/* Loads the next bytes, first byte lowest. Pads with letters past the end. */
static inline uint64_t block_load(const char *at, const char *end)
{
    unsigned char b[BLOCK_BYTES] = {'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'};
    if (end - at >= BLOCK_BYTES)
        memcpy(b, at, BLOCK_BYTES);
    else
        memcpy(b, at, (size_t)(end - at));
    /* Compilers turn this expression into one load. */
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* Marks the bytes that are at least `least`. No byte of `low` may be over 127, so that nothing
 * carries. */
static inline uint64_t block_at_least(uint64_t low, unsigned least)
{
    return low + block_of(BLOCK_TOP - least);
}

/* Marks the bytes from `least` to `most`; both are at most 127. */
static inline uint64_t block_between(uint64_t low, unsigned least, unsigned most)
{
    return block_at_least(low, least) & ~block_at_least(low, most + 1);
}

/* Classifies eight bytes: bytes that may begin a token, blanks, and bytes that are not plain
 * text. */
static inline struct block block_look(uint64_t bytes)
{
    const uint64_t top = block_of(BLOCK_TOP);
    const uint64_t low = bytes & ~top;
    const uint64_t plain = ~bytes & top;
    return (struct block){
        .triggers = (block_between(low, '/', '=') | block_between(low, '\\', '\\')) & plain,
        .blanks = block_between(low, ' ', ' ') & plain,
        .noise = (bytes | ~block_at_least(low, ' ') | block_at_least(low, 0x7f)) & top,
    };
}

/* Marks blanks that follow a blank. `before` is nonzero if the byte before the block is a blank. */
static inline uint64_t block_blank_pairs(const struct block *block, unsigned before)
{
    return block->blanks & (block->blanks << 8 | (before ? BLOCK_TOP : 0));
}

/*
 * Masking one line (normaliser.c).
 */

/* A line being masked. */
struct mask_line {
    const char *bytes; /* in: the line without noise; out: the result */
    size_t len;
    struct str *text; /* the caller's buffer; used if something is replaced */
    unsigned masked;  /* out: bits 1 << enum normaliser_mask */
};

/* Replaces volatile tokens, writing the result to line->text if there are any. Sets the kinds that
 * occurred. */
void mask_tokens(struct mask_line *line);

/* Appends the line with the call's words replaced by <arg>. Words joined by '.', '/', '-', '+'
 * or '@', as in a path, become one, together with a short ending such as ".c". Returns false and
 * appends nothing if no word occurs. */
bool normaliser_words_mask(const struct normaliser_words *words, const char *bytes, size_t len,
                           struct str *out);

/*
 * Scanning for tokens: classes of bytes, and the tokens found. Nothing here reads outside
 * start..end.
 */

typedef unsigned char byte;

/* Classes of a byte, as bits of token_classes. */
enum token_class {
    CLASS_DIGIT = 1,
    CLASS_LOWER = 2,
    CLASS_UPPER = 4,
    CLASS_HEX = 8,   /* 0-9 a-f A-F */
    CLASS_WORD = 16, /* letters, digits, '_', all bytes over 127 */
    CLASS_PATH = 32, /* characters of file names, without '/' */
    CLASS_JOIN =
        64, /* CLASS_WORD, and the characters that join words to a path or name: / . - + @ ~ */
    CLASS_LETTER = CLASS_LOWER | CLASS_UPPER,
};

extern const byte token_classes[256];

/* Returns true if the byte is in one of these classes. */
static inline bool byte_is(byte c, unsigned classes)
{
    return (token_classes[c] & classes) != 0;
}

/* One line being scanned. */
struct token_scan {
    const byte *start, *end;
    const byte *floor;   /* no token begins before this */
    const byte *matched; /* end of the last token found; NULL = none */
    const byte *chosen;  /* end of a path that was checked and has only names chosen by people; NULL
                            = none */
};

/* A word that contains a digit: a run of CLASS_WORD that begins at or after the floor. */
struct token_word {
    const byte *from, *to;
    unsigned classes;     /* classes that at least one byte has */
    unsigned all_classes; /* classes that every byte has */
};

/* Kinds of tokens by their replacement. */
enum token_name {
    TOKEN_TIME,
    TOKEN_UUID,
    TOKEN_SECRET,
    TOKEN_ID,
    TOKEN_VALUE,
    TOKEN_ADDRESS,
    TOKEN_TEMP,
    TOKEN_HEX,
    TOKEN_DURATION,
    TOKEN_PID,
    TOKEN_PORT,
    TOKEN_TRY,
    TOKEN_SEED,
    TOKEN_RATE,
    TOKEN_NOTHING, /* text of the harness: removed */
    TOKEN_NAME_COUNT,
};

struct token {
    const byte *from, *to;
    enum token_name name;
    enum normaliser_mask mask;
};

/* Fills *out. Returns true, so that callers can return it. */
static inline bool token_set(struct token *out, const byte *from, const byte *to,
                             enum token_name name, enum normaliser_mask mask)
{
    *out = (struct token){from, to, name, mask};
    return true;
}

/* Returns the byte before `at`, or 0 at the start of the line. */
static inline byte byte_before(const struct token_scan *scan, const byte *at)
{
    return at > scan->start ? at[-1] : 0;
}

/* Returns the byte at `at`, or 0 at the end of the line. */
static inline byte byte_at(const struct token_scan *scan, const byte *at)
{
    return at < scan->end ? *at : 0;
}

/* Returns the end of the run of these classes that begins at `at`. */
static inline const byte *run_end(const struct token_scan *scan, const byte *at, unsigned classes)
{
    while (at < scan->end && byte_is(*at, classes))
        at++;
    return at;
}

/* Returns true if `text` is next, case-sensitively. Inline, so that the length of a literal is
 * known. */
static inline bool token_is_next(const struct token_scan *scan, const byte *at, const char *text)
{
    const size_t len = strlen(text);
    return scan->end - at >= (ptrdiff_t)len && memcmp(at, text, len) == 0;
}

/* The rules, in the order of loops.md 1.2. Each returns whether it found a token. */

/* Finds a prefix at the start of a line: of a logger, a shell's job or a memory checker, or a meter
 * that fills the line. */
bool token_time_prefix(const struct token_scan *scan, struct token *out);
/* Finds the job of a shell or the process id of a memory checker: "[1]+", "==4711==". */
bool token_pid_prefix(const struct token_scan *scan, struct token *out);
/* Finds a line of only digits and signs, as progress meters print it. */
bool token_meter(const struct token_scan *scan, struct token *out);
/* Finds a time that begins with the word, which has a digit. */
bool token_time(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* Finds a duration or a rate with its unit, or the times of a progress bar. */
bool token_amount(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* Finds text that a harness adds about its own reading: "(12/12 lines shown, read 4 times)". */
bool token_harness(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* Finds an id at the word: a UUID, a web token, an address or a generated id. */
bool token_id(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* Finds a hash, or the end of a pod's name. */
bool token_hex(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* Finds a number that differs each time, such as that of a port, a worker, a connection or a
 * reference. */
bool token_number(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* Finds the value of a known key. `at` is a ':' or '='. */
bool token_keyed(const struct token_scan *scan, const byte *at, struct token *out);
/* Finds a temporary path. `at` is a '/', or a '\\' after "%TEMP%" or "\\Temp". */
bool token_temp(struct token_scan *scan, const byte *at, struct token *out);
/* Finds the name below a temporary Windows folder. */
bool token_temp_windows(const struct token_scan *scan, const byte *at, struct token *out);

#endif
