/*
 * What the files of fingerprints share. Private to core/fingerprint and its tests.
 */
#ifndef DEVS_FINGERPRINT_INTERNAL_H
#define DEVS_FINGERPRINT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fingerprint.h"
#include "normaliser.h"
#include "str.h"

/*
 * The hash of a JSON value without what moves by itself. Private to the fingerprint.
 */

/* SHA-256 of the canonical text in which the tokens of each member and element are masked;
 * with `words` (NULL: none), the call's own words too. Where nothing is masked, this is
 * canonical_hash(): blanks inside of strings count. */
void fingerprint_json_hash(const struct json *json, const struct normaliser_words *words,
                           unsigned char out[CANONICAL_HASH_BYTES]);

/*
 * Eight bytes of a line looked at together. Private to the normaliser.
 */

enum { BLOCK_BYTES = 8, BLOCK_TOP = 0x80 };

/* What the bytes are: the bit 0x80 of each, the first byte lowest. */
struct block {
    uint64_t triggers; /* '/', figures, ':', '=' (and ';' and '<', which lie between), '\\' */
    uint64_t blanks;
    uint64_t noise; /* bytes over 127, controls, DEL */
};

/* The same value in each byte. */
static inline uint64_t block_of(unsigned value)
{
    return UINT64_C(0x0101010101010101) * value;
}

/* The next bytes, the first one lowest; past the end there are letters. */
static inline uint64_t block_load(const char *at, const char *end)
{
    unsigned char b[BLOCK_BYTES] = {'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'};
    if (end - at >= BLOCK_BYTES)
        memcpy(b, at, BLOCK_BYTES);
    else
        memcpy(b, at, (size_t)(end - at));
    /* Written out, this is one load for the compiler. */
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* Which bytes are at least `least`; `low` has none over 127, so nothing carries. */
static inline uint64_t block_at_least(uint64_t low, unsigned least)
{
    return low + block_of(BLOCK_TOP - least);
}

/* Which bytes are from `least` to `most`, both 127 at most. */
static inline uint64_t block_between(uint64_t low, unsigned least, unsigned most)
{
    return block_at_least(low, least) & ~block_at_least(low, most + 1);
}

/* What stands in eight bytes: what may begin a token, blanks, and what is no plain text. */
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

/* Blanks that follow one; `before`: is the byte before the block one? */
static inline uint64_t block_blank_pairs(const struct block *block, unsigned before)
{
    return block->blanks & (block->blanks << 8 | (before ? BLOCK_TOP : 0));
}

/*
 * One line without terminal noise and with its tokens replaced. Private to the normaliser.
 */

/* A line while its tokens are replaced. */
struct mask_line {
    const char *bytes; /* in: the line, without noise; out: what it has become */
    size_t len;
    struct str *text; /* of the caller; overwritten where something is replaced */
    unsigned masked;  /* out: bits 1 << enum normaliser_mask */
};

/* Write the line to line->text with its volatile tokens replaced, and tell what kinds there
 * were. */
void mask_tokens(struct mask_line *line);

/* Append the line with the call's words replaced by <arg>; words that only '.', '/', '-',
 * '+' or '@' joins, as in a path, are one, with a short ending such as ".c". False, and nothing
 * appended, if none is in it. */
bool normaliser_words_mask(const struct normaliser_words *words, const char *bytes, size_t len,
                           struct str *out);

/*
 * How the normaliser's rules look at a line: classes of bytes, and what a rule found. Private to
 * the normaliser. Nothing here looks outside start..end.
 */

typedef unsigned char byte;

/* What a byte may be, as bits of token_classes. */
enum token_class {
    CLASS_DIGIT = 1,
    CLASS_LOWER = 2,
    CLASS_UPPER = 4,
    CLASS_HEX = 8,   /* 0-9 a-f A-F */
    CLASS_WORD = 16, /* letters, digits, '_', all bytes over 127 */
    CLASS_PATH = 32, /* what file names are made of, without '/' */
    CLASS_JOIN = 64, /* CLASS_WORD and what joins words to a path or a name: / . - + @ ~ */
    CLASS_LETTER = CLASS_LOWER | CLASS_UPPER,
};

extern const byte token_classes[256];

/* Is it of one of these classes? */
static inline bool byte_is(byte c, unsigned classes)
{
    return (token_classes[c] & classes) != 0;
}

/* One line while it is scanned. */
struct token_scan {
    const byte *start, *end;
    const byte *floor;   /* what is before it has been decided: no token begins there */
    const byte *matched; /* end of the last token that was found; NULL = none */
    const byte *chosen;  /* end of a path that was looked at and that people named; NULL = none */
};

/* A word that holds a digit: a run of CLASS_WORD, begun no earlier than the floor. */
struct token_word {
    const byte *from, *to;
    unsigned classes;     /* of all its bytes, or-ed */
    unsigned all_classes; /* and-ed */
};

/* What is written instead of a token. */
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
    TOKEN_NOTHING, /* harness text: removed */
    TOKEN_NAME_COUNT,
};

struct token {
    const byte *from, *to;
    enum token_name name;
    enum normaliser_mask mask;
};

/* Fill in *out; true, so that who finds a token can return it. */
static inline bool token_set(struct token *out, const byte *from, const byte *to,
                             enum token_name name, enum normaliser_mask mask)
{
    *out = (struct token){from, to, name, mask};
    return true;
}

/* The byte before `at`, 0 at the start of the line. */
static inline byte byte_before(const struct token_scan *scan, const byte *at)
{
    return at > scan->start ? at[-1] : 0;
}

/* The byte at `at`, 0 at the end of the line. */
static inline byte byte_at(const struct token_scan *scan, const byte *at)
{
    return at < scan->end ? *at : 0;
}

/* The end of the run of these classes that begins at `at`. */
static inline const byte *run_end(const struct token_scan *scan, const byte *at, unsigned classes)
{
    while (at < scan->end && byte_is(*at, classes))
        at++;
    return at;
}

/* Is `text` next, case and all? Inline, so that the length of a literal is known. */
static inline bool token_is_next(const struct token_scan *scan, const byte *at, const char *text)
{
    const size_t len = strlen(text);
    return scan->end - at >= (ptrdiff_t)len && memcmp(at, text, len) == 0;
}

/* The rules, in the order of loops.md 1.2. Each says whether it found a token. */

/* At the line's start: the prefix of a logger, of a shell's job or of a memory checker; a
 * meter that is a whole line. */
bool token_time_prefix(const struct token_scan *scan, struct token *out);
/* "[1]+", "==4711==": the job of a shell, the process of a memory checker. */
bool token_pid_prefix(const struct token_scan *scan, struct token *out);
/* A whole line of digits and their signs, as a progress meter prints. */
bool token_meter(const struct token_scan *scan, struct token *out);
/* Of a word with a digit: one that begins with it ... */
bool token_time(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* A duration or a rate with its unit, and the times of a progress bar. */
bool token_amount(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* "(12/12 lines shown, read 4 times)": what a harness adds about its own reading. */
bool token_harness(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* ... or any. */
bool token_id(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* A hash, or what ends the name of a pod. */
bool token_hex(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* A number that is another one each time: of a port, a worker, a connection, a reference. */
bool token_number(const struct token_scan *scan, const struct token_word *word, struct token *out);
/* At a ':' or '=': the value of a key that is known. */
bool token_keyed(const struct token_scan *scan, const byte *at, struct token *out);
/* At a '/': a temporary path; at a '\\' after "%TEMP%" or "\\Temp" likewise. */
bool token_temp(struct token_scan *scan, const byte *at, struct token *out);
/* The name below such a folder of Windows. */
bool token_temp_windows(const struct token_scan *scan, const byte *at, struct token *out);

#endif
