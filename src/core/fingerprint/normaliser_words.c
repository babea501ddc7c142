#include "normaliser_words.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "token_scan.h"
#include "xalloc.h"

enum {
    SLOTS = 4 * NORMALISER_WORDS_MAX, /* a power of two */
    BEGINNING_BITS = 12,
    BEGINNINGS = 1 << BEGINNING_BITS,
};

struct word {
    uint32_t at; /* in the text */
    uint32_t len;
};

struct normaliser_words {
    struct str text; /* all words in a row */
    struct word words[NORMALISER_WORDS_MAX];
    int count;
    /* By a hash of three bytes: bit len % 8 for each word that begins with some that have it.
     * Most places of an output are no beginning of any, and this says so at once. */
    byte beginnings[BEGINNINGS];
    byte slots[SLOTS]; /* open addressing: number of the word plus 1, 0 = free */
};
static_assert(NORMALISER_WORDS_MAX < UINT8_MAX, "a slot holds a word's number");

void normaliser_words_open(struct normaliser_words **out)
{
    *out = xcalloc(1, sizeof(**out));
}

void normaliser_words_close(struct normaliser_words *words)
{
    if (!words)
        return;
    str_done(&words->text);
    free(words);
}

/* FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
static uint32_t hash_of(const byte *bytes, size_t len)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    return hash;
}

static bool is_word(const struct normaliser_words *words, int number, const byte *bytes, size_t len)
{
    const struct word *word = &words->words[number];
    return word->len == len && memcmp(words->text.data + word->at, bytes, len) == 0;
}

/* The slot where the word is, or where it would be. There is always a free one. */
static size_t slot_of(const struct normaliser_words *words, const byte *bytes, size_t len)
{
    size_t slot = hash_of(bytes, len) % SLOTS;
    while (words->slots[slot] != 0 && !is_word(words, words->slots[slot] - 1, bytes, len))
        slot = (slot + 1) % SLOTS;
    return slot;
}

/* The upper bits of a product, as Knuth hashes (The Art of Computer Programming, 6.4). */
static inline uint32_t beginning_of(const byte *p)
{
    const uint32_t bytes = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return bytes * UINT32_C(2654435761) >> (32 - BEGINNING_BITS);
}

static byte length_bit(size_t len)
{
    return (byte)(1U << len % 8);
}

static void add_word(struct normaliser_words *words, const byte *bytes, size_t len)
{
    byte *slot = &words->slots[slot_of(words, bytes, len)];
    if (*slot != 0 || words->count == NORMALISER_WORDS_MAX)
        return;
    words->words[words->count] =
        (struct word){.at = (uint32_t)words->text.len, .len = (uint32_t)len};
    words->count++;
    *slot = (byte)words->count;
    str_add_n(&words->text, (const char *)bytes, len);
    words->beginnings[beginning_of(bytes)] |= length_bit(len);
}

static bool fits(size_t len)
{
    return len >= NORMALISER_WORD_MIN && len <= NORMALISER_WORD_MAX;
}

/* The end of the path or the joined name that begins at p; a sentence's point is none of it. */
static const byte *path_end(const byte *p, const byte *end)
{
    const byte *from = p;
    while (p < end && p - from <= NORMALISER_WORD_MAX && byte_is(*p, CLASS_JOIN))
        p++;
    while (p > from && p[-1] == '.')
        p--;
    return p;
}

/* What the call names with a '/' in it is looked for as a whole too. */
static void add_paths(struct normaliser_words *words, const byte *p, const byte *end)
{
    while (p < end) {
        const byte *to = path_end(p, end);
        if (to - p > NORMALISER_WORD_MAX)
            to = p; /* too long: its parts are words all the same */
        if (fits((size_t)(to - p)) && memchr(p, '/', (size_t)(to - p)))
            add_word(words, p, (size_t)(to - p));
        for (p = to; p < end && byte_is(*p, CLASS_JOIN); p++)
            ;
        p += p < end;
    }
}

void normaliser_words_add(struct normaliser_words *words, const char *bytes, size_t len)
{
    const byte *p = (const byte *)bytes;
    const byte *end = p + len;
    add_paths(words, p, end);
    while (p < end) {
        const byte *from = p;
        bool named = false; /* a number alone is no name */
        for (; p < end && byte_is(*p, CLASS_WORD); p++)
            named |= !byte_is(*p, CLASS_DIGIT);
        if (named && fits((size_t)(p - from)))
            add_word(words, from, (size_t)(p - from));
        p += p == from;
    }
}

static bool has_word(const struct normaliser_words *words, const byte *bytes, size_t len)
{
    return fits(len) && (words->beginnings[beginning_of(bytes)] & length_bit(len)) &&
           words->slots[slot_of(words, bytes, len)] != 0;
}

/* A line while the call's words are replaced. */
struct echo {
    const byte *start, *end;
    const byte *copied; /* up to here it is in `out`; NULL: nothing was replaced yet */
    struct str *out;
};

/* What was put in for a token ("<hex>") is nobody's word. */
static bool is_token(const struct echo *echo, const byte *from, const byte *to)
{
    return from > echo->start && from[-1] == '<' && to < echo->end && *to == '>';
}

/* The end of "/a" and ".c" after a word of the call: too short to be words by themselves. */
static const byte *skip_short_parts(const struct echo *echo, const byte *at)
{
    while (at + 1 < echo->end && (*at == '.' || *at == '/')) {
        const byte *end = at + 1;
        while (end < echo->end && byte_is(*end, CLASS_WORD) && !byte_is(*end, CLASS_DIGIT))
            end++;
        bool whole = end == echo->end || !byte_is(*end, CLASS_WORD);
        if (!whole || end == at + 1 || end - at > NORMALISER_WORD_MIN)
            break;
        at = end;
    }
    return at;
}

static void replace(struct echo *echo, const byte *from, const byte *to)
{
    bool joined = echo->copied && from - echo->copied == 1 && strchr("./-+@", *echo->copied) &&
                  *echo->copied != '\0';
    if (!joined) {
        const byte *rest = echo->copied ? echo->copied : echo->start;
        str_add_n(echo->out, (const char *)rest, (size_t)(from - rest));
        str_add(echo->out, "<arg>");
    }
    echo->copied = to;
}

/* Where the next word begins that may be the call's; `end` if there is none. Within a word none
 * begins, which spares most places of an output the look into the table. */
static const byte *next_beginning(const struct normaliser_words *words, const struct echo *echo,
                                  const byte *p)
{
    const byte *last = echo->end - NORMALISER_WORD_MIN;
    for (;; p++) {
        while (p <= last && p > echo->start && byte_is(p[-1], CLASS_WORD))
            p++;
        if (p > last)
            return echo->end;
        if (words->beginnings[beginning_of(p)])
            return p;
    }
}

/* The end of the call's word that begins at p, where one may; NULL if none does. */
static const byte *word_end(const struct normaliser_words *words, const struct echo *echo,
                            const byte *p)
{
    const byte *to = p > echo->start && byte_is(p[-1], CLASS_JOIN) ? p : path_end(p, echo->end);
    if (has_word(words, p, (size_t)(to - p)) && !is_token(echo, p, to))
        return to;
    for (to = p; to < echo->end && byte_is(*to, CLASS_WORD);)
        to++;
    bool found = has_word(words, p, (size_t)(to - p)) && !is_token(echo, p, to);
    return found ? skip_short_parts(echo, to) : NULL;
}

bool normaliser_words_mask(const struct normaliser_words *words, const char *bytes, size_t len,
                           struct str *out)
{
    const byte *p = (const byte *)bytes;
    struct echo echo = {.start = p, .end = p + len, .out = out};
    if (len < NORMALISER_WORD_MIN)
        return false;
    while ((p = next_beginning(words, &echo, p)) < echo.end) {
        const byte *to = word_end(words, &echo, p);
        if (to)
            replace(&echo, p, to);
        p = to ? to : p + 1;
    }
    if (!echo.copied)
        return false;
    str_add_n(out, (const char *)echo.copied, (size_t)(echo.end - echo.copied));
    return true;
}
