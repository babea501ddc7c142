/*
 * token_scan.h - how the normaliser's rules look at a line: classes of bytes, and what a
 * rule found. Private to the normaliser. Nothing here looks outside start..end.
 */
#ifndef DEVS_TOKEN_SCAN_H
#define DEVS_TOKEN_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "normaliser.h"

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

/* How often the kind of letter changes, for the length, tells what chance made from what
 * people did: parts are cut at digits and before a capital after a small letter. */
int token_parts(const byte *from, const byte *to);

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
