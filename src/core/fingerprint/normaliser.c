/*
 * Normalises lines: replaces the parts that differ from run to run, such as ids, times and paths.
 */
#include "fingerprint.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "fingerprint_internal.h"
#include "str.h"
#include "text.h"
#include "utf8.h"
#include "xalloc.h"

/* Masking: replaces the tokens of one line, which has no terminal noise. */

/* Classes of each byte. */
const byte token_classes[256] = {
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   32,
    0,   0,   0,   0,   0,   96,  32,  96,  96,  64,  121, 121, 121, 121, 121, 121, 121, 121, 121,
    121, 0,   0,   0,   32,  0,   0,   96,  124, 124, 124, 124, 124, 124, 116, 116, 116, 116, 116,
    116, 116, 116, 116, 116, 116, 116, 116, 116, 116, 116, 116, 116, 116, 116, 0,   0,   0,   0,
    112, 0,   122, 122, 122, 122, 122, 122, 114, 114, 114, 114, 114, 114, 114, 114, 114, 114, 114,
    114, 114, 114, 114, 114, 114, 114, 114, 114, 0,   0,   0,   96,  0,   112, 112, 112, 112, 112,
    112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112,
    112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112,
    112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112,
    112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112,
    112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112,
    112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112, 112,
    112, 112, 112, 112, 112, 112, 112, 112, 112,
};

enum {
    SLOTS = 4 * NORMALISER_WORDS_MAX, /* a power of two */
    BEGINNING_BITS = 12,
    BEGINNINGS = 1 << BEGINNING_BITS,
};

struct word {
    uint32_t at; /* offset in the text */
    uint32_t len;
};

struct normaliser_words {
    struct str text; /* all words, concatenated */
    struct word words[NORMALISER_WORDS_MAX];
    int count;
    /* Indexed by a hash of three bytes: for each word that begins with these bytes, the bit of its
     * length modulo 8. Rules out most positions of an output quickly. */
    byte beginnings[BEGINNINGS];
    byte slots[SLOTS]; /* open addressing: number of the word plus 1; 0 = free */
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

/* Returns the slot of the word, or the free slot where it would go. There is always a free slot. */
static size_t slot_of(const struct normaliser_words *words, const byte *bytes, size_t len)
{
    /* FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    size_t slot = hash % SLOTS;
    while (words->slots[slot] != 0) {
        const struct word *word = &words->words[words->slots[slot] - 1];
        if (word->len == len && memcmp(words->text.data + word->at, bytes, len) == 0)
            break;
        slot = (slot + 1) % SLOTS;
    }
    return slot;
}

/* Returns the upper bits of a product: Knuth, The Art of Computer Programming, 6.4. */
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

static bool token_fits(size_t len)
{
    return len >= NORMALISER_WORD_MIN && len <= NORMALISER_WORD_MAX;
}

/* Returns the end of the path or joined name that begins at p, without a period at the end of a
 * sentence. */
static const byte *path_end(const byte *p, const byte *end)
{
    const byte *from = p;
    while (p < end && p - from <= NORMALISER_WORD_MAX && byte_is(*p, CLASS_JOIN))
        p++;
    while (p > from && p[-1] == '.')
        p--;
    return p;
}

void normaliser_words_add(struct normaliser_words *words, const char *bytes, size_t len)
{
    const byte *start = (const byte *)bytes;
    const byte *end = start + len;
    const byte *p = start;
    while (p < end) { /* words that contain a '/' are searched for as a whole, too */
        const byte *to = path_end(p, end);
        if (to - p > NORMALISER_WORD_MAX)
            to = p; /* too long: only its parts are added as words */
        if (token_fits((size_t)(to - p)) && memchr(p, '/', (size_t)(to - p)))
            add_word(words, p, (size_t)(to - p));
        for (p = to; p < end && byte_is(*p, CLASS_JOIN); p++)
            ;
        p += p < end;
    }
    p = start;
    while (p < end) {
        const byte *from = p;
        bool named = false; /* a number alone is not a name */
        for (; p < end && byte_is(*p, CLASS_WORD); p++)
            named |= !byte_is(*p, CLASS_DIGIT);
        if (named && token_fits((size_t)(p - from)))
            add_word(words, from, (size_t)(p - from));
        p += p == from;
    }
}

static bool has_word(const struct normaliser_words *words, const byte *bytes, size_t len)
{
    return token_fits(len) && (words->beginnings[beginning_of(bytes)] & length_bit(len)) &&
           words->slots[slot_of(words, bytes, len)] != 0;
}

/* A line in which the call's words are being replaced. */
struct echo {
    const byte *start, *end;
    const byte *copied; /* `out` has the line up to here; NULL: nothing replaced yet */
    struct str *out;
};

/* Returns true for the replacement of a token ("<hex>"), which is not a word of the call. */
static bool is_token(const struct echo *echo, const byte *from, const byte *to)
{
    return from > echo->start && from[-1] == '<' && to < echo->end && *to == '>';
}

/* Returns the next position where a word of the call may begin, or `end`. No word begins within a
 * word, so most positions need no lookup. */
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

/* Returns the end of the call's word that begins at p, or NULL. */
static const byte *word_end(const struct normaliser_words *words, const struct echo *echo,
                            const byte *p)
{
    const byte *to = p > echo->start && byte_is(p[-1], CLASS_JOIN) ? p : path_end(p, echo->end);
    if (has_word(words, p, (size_t)(to - p)) && !is_token(echo, p, to))
        return to;
    for (to = p; to < echo->end && byte_is(*to, CLASS_WORD);)
        to++;
    if (!has_word(words, p, (size_t)(to - p)) || is_token(echo, p, to))
        return NULL;
    /* Includes a following "/a" or ".c", which is too short to be a word. */
    while (to + 1 < echo->end && (*to == '.' || *to == '/')) {
        const byte *end = to + 1;
        while (end < echo->end && byte_is(*end, CLASS_WORD) && !byte_is(*end, CLASS_DIGIT))
            end++;
        bool whole = end == echo->end || !byte_is(*end, CLASS_WORD);
        if (!whole || end == to + 1 || end - to > NORMALISER_WORD_MIN)
            break;
        to = end;
    }
    return to;
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
        if (!to) {
            p++;
            continue;
        }
        const bool joined = echo.copied && p - echo.copied == 1 && strchr("./-+@", *echo.copied) &&
                            *echo.copied != '\0';
        if (!joined) {
            const byte *rest = echo.copied ? echo.copied : echo.start;
            str_add_n(echo.out, (const char *)rest, (size_t)(p - rest));
            str_add(echo.out, "<arg>");
        }
        echo.copied = to;
        p = to;
    }
    if (!echo.copied)
        return false;
    str_add_n(out, (const char *)echo.copied, (size_t)(echo.end - echo.copied));
    return true;
}

enum {
    BARE_MAX = 8,     /* maximum digits; a longer number may be a date or an id */
    NAME_LEN_MIN = 6, /* minimum bytes of a word that may be hex */
};

static const struct {
    const char *text;
    size_t len;
} placeholders[] = {
    [TOKEN_TIME] = {"<ts>", 4},   [TOKEN_UUID] = {"<uuid>", 6}, [TOKEN_SECRET] = {"<tok>", 5},
    [TOKEN_ID] = {"<id>", 4},     [TOKEN_VALUE] = {"<v>", 3},   [TOKEN_ADDRESS] = {"<addr>", 6},
    [TOKEN_TEMP] = {"<tmp>", 5},  [TOKEN_HEX] = {"<hex>", 5},   [TOKEN_DURATION] = {"<dur>", 5},
    [TOKEN_PID] = {"<pid>", 5},   [TOKEN_PORT] = {"<port>", 6}, [TOKEN_TRY] = {"<try>", 5},
    [TOKEN_SEED] = {"<seed>", 6}, [TOKEN_RATE] = {"<rate>", 6}, [TOKEN_NOTHING] = {"", 0},
};
static_assert(ARRAY_LEN(placeholders) == TOKEN_NAME_COUNT, "every token has a word");

/* Returns true for "1.2.3" or "10.0.0.1": no rule applies to them, except to Erlang's process
 * names. */
static bool is_version(const struct token_scan *scan, const struct token_word *word)
{
    if (!(word->all_classes & CLASS_DIGIT) || byte_before(scan, word->from) == '<')
        return false;
    const byte *point = word->to;
    for (int part = 0; part < 2; part++) {
        if (byte_at(scan, point) != '.' || !byte_is(byte_at(scan, point + 1), CLASS_DIGIT))
            return false;
        point = run_end(scan, point + 1, CLASS_DIGIT);
    }
    return !byte_is(byte_at(scan, point), CLASS_LETTER);
}

static bool find_in_word(const struct token_scan *scan, const struct token_word *word,
                         struct token *out)
{
    const ptrdiff_t len = word->to - word->from;
    const byte next = byte_at(scan, word->to);
    const bool begins_with_digit = byte_is(*word->from, CLASS_DIGIT);
    /* A short number whose following byte rules out a date, a clock, an amount and an id; only the
     * text before it may show its meaning. Most numbers are like this. */
    const bool is_bare_number = (word->all_classes & CLASS_DIGIT) && len < BARE_MAX &&
                                next != ' ' && next != '.' && next != ',' && next != ':' &&
                                next != '-' && next != '/' && next != '`' && next != '<';
    /* A name like "amd64" or "x86": not joined to anything, and too short for any token but a
     * pytest worker. */
    const bool is_short_name = len < NAME_LEN_MIN && !begins_with_digit &&
                               byte_before(scan, word->from) != '-' && next != '-';
    if (is_bare_number || is_short_name)
        return token_number(scan, word, out);
    if (is_version(scan, word))
        return false;
    if (!begins_with_digit)
        return token_id(scan, word, out) || token_hex(scan, word, out) ||
               token_number(scan, word, out);
    return token_time(scan, word, out) || token_id(scan, word, out) ||
           token_harness(scan, word, out) || token_hex(scan, word, out) ||
           token_amount(scan, word, out) || token_number(scan, word, out);
}

/* Finds the token that begins at a trigger or surrounds it. Otherwise returns false and sets *next
 * to where to continue. */
static bool find_token(struct token_scan *scan, const byte *at, struct token *out,
                       const byte **next)
{
    *next = at + 1;
    if (byte_is(*at, CLASS_DIGIT)) {
        /* The word around the digit. */
        struct token_word word = {.from = at, .all_classes = ~0U};
        while (word.from > scan->floor && byte_is(word.from[-1], CLASS_WORD))
            word.from--;
        for (word.to = word.from; word.to < scan->end && byte_is(*word.to, CLASS_WORD); word.to++) {
            word.classes |= token_classes[*word.to];
            word.all_classes &= token_classes[*word.to];
        }
        if (find_in_word(scan, &word, out))
            return true;
        /* The rest of a version or fraction is not a token either. */
        const byte *p = word.to;
        while ((word.all_classes & CLASS_DIGIT) && byte_at(scan, p) == '.' &&
               byte_is(byte_at(scan, p + 1), CLASS_DIGIT)) {
            const byte *end = run_end(scan, p + 1, CLASS_DIGIT);
            if (byte_is(byte_at(scan, end), CLASS_LETTER))
                break; /* a word by itself */
            p = end;
        }
        *next = p;
        return false;
    }
    if (*at == '/')
        return token_temp(scan, at, out);
    if (*at == '\\')
        return token_temp_windows(scan, at, out);
    return (*at == ':' || *at == '=') && token_keyed(scan, at, out);
}

struct masker {
    struct token_scan scan;
    struct mask_line *line;
    const byte *copied; /* line->text has the line up to here */
};

/* Appends bytes to the text, which has enough space. */
static void put_bytes(struct str *text, const void *bytes, size_t len)
{
    assert(len < text->cap - text->len);
    memcpy(text->data + text->len, bytes, len);
    text->len += len;
}

static void replace_token(struct masker *masker, const struct token *token)
{
    struct mask_line *line = masker->line;
    assert(token->from >= masker->copied && token->to > token->from);
    assert(token->to <= masker->scan.end);
    if (line->masked == 0) /* space for the growth of a line: see NORMALISER_TEXT_MAX */
        line->text->data = xgrow(line->text->data, &line->text->cap,
                                 line->len * (NORMALISER_TEXT_MAX / NORMALISER_LINE_MAX) + 1, 1);
    put_bytes(line->text, masker->copied, (size_t)(token->from - masker->copied));
    put_bytes(line->text, placeholders[token->name].text, placeholders[token->name].len);
    line->masked |= 1U << token->mask;
    masker->copied = token->to;
    masker->scan.floor = token->to;
    masker->scan.matched = token->to;
}

void mask_tokens(struct mask_line *line)
{
    const byte *start = (const byte *)line->bytes;
    const byte *end = start + line->len;
    struct masker masker = {
        .scan = {.start = start, .end = end, .floor = start}, .line = line, .copied = start};
    struct token_scan *scan = &masker.scan;
    struct token token;
    line->text->len = 0;
    line->masked = 0;
    if (line->len == 0)
        return;
    if (token_time_prefix(scan, &token) || token_pid_prefix(scan, &token) ||
        token_meter(scan, &token))
        replace_token(&masker, &token);
    for (const byte *at = start; at < end; at += BLOCK_BYTES) {
        const struct block block = block_look(block_load((const char *)at, (const char *)end));
        for (uint64_t triggers = block.triggers; triggers; triggers &= triggers - 1) {
            const byte *here = at + __builtin_ctzll(triggers) / 8;
            const byte *next = NULL;
            if (here < scan->floor)
                continue;
            if (find_token(scan, here, &token, &next))
                replace_token(&masker, &token);
            else
                scan->floor = next;
        }
    }
    if (line->masked == 0)
        return;
    put_bytes(line->text, masker.copied, (size_t)(end - masker.copied));
    line->text->data[line->text->len] = '\0';
    line->bytes = line->text->data;
    line->len = line->text->len;
}

/* Returns true if mask_clean() would drop nothing: no byte over 127, no control character, no tab,
 * no two blanks in a row. */
static bool mask_is_plain(const char *bytes, size_t len)
{
    const char *end = bytes + len;
    unsigned blank_before = 0;
    for (const char *at = bytes; at < end; at += BLOCK_BYTES) {
        const struct block block = block_look(block_load(at, end));
        if (block.noise | block_blank_pairs(&block, blank_before))
            return false;
        blank_before = (unsigned)(block.blanks >> 56);
    }
    return true;
}

/*
 * The stream: splits output into lines, cleans and masks them.
 */

enum { ESCAPE = 0x1b, DELETE = 0x7f };

/* The part of the line that is kept so far. There is space for the whole line. */
struct cleaned {
    char *start, *to;
};

static bool is_after_blank(const struct cleaned *cleaned)
{
    return cleaned->to == cleaned->start || cleaned->to[-1] == ' ';
}

/* Copies one byte, or drops a control character, a spinner or an escape sequence. A backspace
 * removes the previous character. Returns the position after what was read. */
static const char *clean_one(struct cleaned *cleaned, const char *p, const char *end)
{
    if (*p == ' ' || *p == '\t') {
        if (!is_after_blank(cleaned))
            *cleaned->to++ = ' ';
        return p + 1;
    }
    if (*p == '\b') { /* removes one character, however many bytes it has */
        while (cleaned->to > cleaned->start && utf8_is_inner(cleaned->to[-1]))
            cleaned->to--;
        cleaned->to -= cleaned->to > cleaned->start;
        return p + 1;
    }
    const unsigned char *at = (const unsigned char *)p;
    const size_t left = (size_t)(end - p);
    /* Spinners: braille patterns, quartered circles. */
    const bool is_spinner =
        left >= 3 && at[0] == 0xe2 &&
        ((at[1] >= 0xa0 && at[1] <= 0xa3) ||
         (at[1] == 0x97 && ((at[2] >= 0x90 && at[2] <= 0x93) || (at[2] >= 0xb4 && at[2] <= 0xb7))));
    size_t dropped = 0;
    if (*at == ESCAPE)
        dropped = text_escape_len(p, left);
    else if (is_spinner)
        dropped = 3;
    else if (left >= 2 && at[0] == 0xc2 && at[1] < 0xa0)
        dropped = 2; /* C1 controls */
    else if (*at < ' ' || *at == DELETE)
        dropped = 1;
    if (dropped > 0)
        return p + dropped;
    *cleaned->to++ = *p;
    return p + 1;
}

/* Writes the line to *out without parts that only a terminal uses: escape sequences, control
 * characters, text removed by backspaces, spinners. Collapses and trims blanks. */
static void mask_clean(const char *bytes, size_t len, struct str *out)
{
    const char *end = bytes + len;
    out->data = xgrow(out->data, &out->cap, len + 1, 1);
    struct cleaned cleaned = {.start = out->data, .to = out->data};
    for (const char *p = bytes; p < end;) {
        const char *stop = end - p > BLOCK_BYTES ? p + BLOCK_BYTES : end;
        const struct block block = block_look(block_load(p, end));
        if ((block.noise | block_blank_pairs(&block, is_after_blank(&cleaned))) == 0) {
            memcpy(cleaned.to, p, (size_t)(stop - p));
            cleaned.to += stop - p;
            p = stop;
        }
        while (p < stop)
            p = clean_one(&cleaned, p, end);
    }
    while (cleaned.to > cleaned.start && cleaned.to[-1] == ' ')
        cleaned.to--;
    *cleaned.to = '\0';
    out->len = (size_t)(cleaned.to - cleaned.start);
}

struct normaliser {
    const struct normaliser_words *words; /* borrowed; NULL = none */
    normaliser_line_fn *line;
    void *ctx;       /* borrowed */
    size_t line_max; /* bytes of a raw line, at most NORMALISER_LINE_MAX */
    struct str part; /* the unfinished line, at most line_max */
    bool returned;   /* the last byte was \r: either the line ends, or `part` will be overwritten */
    struct str clean;   /* the line without noise */
    struct str text;    /* the cleaned line, with tokens replaced */
    struct str general; /* the cleaned line, with tokens and the call's words replaced */
};

const char *normaliser_mask_words(enum normaliser_mask mask)
{
    static const char *const words[] = {
        [NORMALISER_TIMES] = "times",
        [NORMALISER_IDS] = "ids",
        [NORMALISER_ADDRESSES] = "addresses",
        [NORMALISER_TEMPS] = "temp paths",
        [NORMALISER_HEX] = "hex",
        [NORMALISER_DURATIONS] = "durations",
        [NORMALISER_PIDS] = "pids",
        [NORMALISER_PORTS] = "ports",
        [NORMALISER_TRIES] = "try counters",
        [NORMALISER_SEEDS] = "seeds",
        [NORMALISER_RATES] = "rates",
        [NORMALISER_ARGUMENTS] = "arguments",
    };
    static_assert(ARRAY_LEN(words) == NORMALISER_MASK_COUNT, "every kind has its words");
    assert(mask < NORMALISER_MASK_COUNT);
    return words[mask];
}

void normaliser_open(struct normaliser **out, const struct normaliser_words *words,
                     normaliser_line_fn *line, void *ctx)
{
    struct normaliser *normaliser = xcalloc(1, sizeof(*normaliser));
    normaliser->words = words;
    normaliser->line = line;
    normaliser->ctx = ctx;
    normaliser->line_max = NORMALISER_LINE_MAX;
    *out = normaliser;
}

void normaliser_set_line_max(struct normaliser *normaliser, size_t bytes)
{
    assert(bytes > 0 && normaliser->part.len == 0);
    normaliser->line_max = bytes < NORMALISER_LINE_MAX ? bytes : NORMALISER_LINE_MAX;
}

void normaliser_close(struct normaliser *normaliser)
{
    if (!normaliser)
        return;
    str_done(&normaliser->part);
    str_done(&normaliser->clean);
    str_done(&normaliser->text);
    str_done(&normaliser->general);
    free(normaliser);
}

static bool is_margin(char c)
{
    return c == ' ' || c == '\t';
}

/* Cleans, masks and reports one line without its end. */
static void take_line(struct normaliser *normaliser, const char *raw, size_t raw_len)
{
    const char *from = raw;
    const char *to = raw + raw_len;
    while (from < to && is_margin(*from))
        from++;
    while (to > from && is_margin(to[-1]))
        to--;
    struct mask_line masked = {
        .bytes = from, .len = (size_t)(to - from), .text = &normaliser->text};
    if (!mask_is_plain(masked.bytes, masked.len)) {
        /* Keeps only the part after the last lone \r. */
        const char *end = raw + raw_len;
        for (const char *p = raw; (p = memchr(p, '\r', (size_t)(end - p))); p++)
            raw = p + 1;
        raw_len = (size_t)(end - raw);
        mask_clean(raw, raw_len, &normaliser->clean);
        masked.bytes = str_text(&normaliser->clean);
        masked.len = normaliser->clean.len;
    }
    mask_tokens(&masked);
    if (masked.len == 0)
        return;
    struct normaliser_line line = {
        .bytes = masked.bytes,
        .len = masked.len,
        .general = masked.bytes,
        .general_len = masked.len,
        .raw = raw,
        .raw_len = raw_len,
        .masked = masked.masked,
    };
    str_clear(&normaliser->general);
    if (normaliser->words &&
        normaliser_words_mask(normaliser->words, line.bytes, line.len, &normaliser->general)) {
        line.general = str_text(&normaliser->general);
        line.general_len = normaliser->general.len;
        line.masked |= 1U << NORMALISER_ARGUMENTS;
    }
    assert(line.len <= NORMALISER_TEXT_MAX && line.general_len <= NORMALISER_TEXT_MAX);
    normaliser->line(normaliser->ctx, &line);
}

static void end_part(struct normaliser *normaliser)
{
    take_line(normaliser, str_text(&normaliser->part), normaliser->part.len);
    normaliser_drop(normaliser);
}

/* Adds bytes of an unfinished line. They contain no \n or \r. */
static void keep_block(struct normaliser *normaliser, const char *bytes, size_t len)
{
    if (normaliser->returned && len > 0)
        normaliser_drop(normaliser);
    while (len > 0) {
        if (normaliser->part.len == normaliser->line_max)
            end_part(normaliser);
        const size_t room = normaliser->line_max - normaliser->part.len;
        const size_t taken = len < room ? len : room;
        str_add_n(&normaliser->part, bytes, taken);
        bytes += taken;
        len -= taken;
    }
}

void normaliser_add(struct normaliser *normaliser, const char *bytes, size_t len)
{
    const char *end = bytes + len;
    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *line_end = feed ? feed : end;
        size_t line_len = (size_t)(line_end - bytes);
        bool whole = feed && normaliser->part.len == 0 && !normaliser->returned &&
                     line_len <= normaliser->line_max;
        if (whole) {
            while (line_len > 0 && bytes[line_len - 1] == '\r')
                line_len--;
            take_line(normaliser, bytes, line_len);
        } else {
            /* A \r overwrites the text before it, except at the end of the line. */
            while (bytes < line_end) {
                const char *mark = memchr(bytes, '\r', (size_t)(line_end - bytes));
                keep_block(normaliser, bytes, (size_t)((mark ? mark : line_end) - bytes));
                if (!mark)
                    break;
                normaliser->returned = true;
                bytes = mark + 1;
            }
        }
        if (!feed)
            return;
        if (!whole)
            end_part(normaliser);
        bytes = feed + 1;
    }
}

void normaliser_end(struct normaliser *normaliser)
{
    end_part(normaliser);
}

void normaliser_drop(struct normaliser *normaliser)
{
    str_clear(&normaliser->part);
    normaliser->returned = false;
}
