#include "normaliser_mask.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "attr.h"
#include "normaliser_block.h"
#include "token_scan.h"
#include "xalloc.h"

enum {
    BARE_MAX = 8,     /* digits; from here on a number may be a date or an id */
    NAME_LEN_MIN = 6, /* bytes of a word that may be hex */
};

static const struct {
    const char *text;
    size_t len;
} words[] = {
    [TOKEN_TIME] = {"<ts>", 4},   [TOKEN_UUID] = {"<uuid>", 6}, [TOKEN_SECRET] = {"<tok>", 5},
    [TOKEN_ID] = {"<id>", 4},     [TOKEN_VALUE] = {"<v>", 3},   [TOKEN_ADDRESS] = {"<addr>", 6},
    [TOKEN_TEMP] = {"<tmp>", 5},  [TOKEN_HEX] = {"<hex>", 5},   [TOKEN_DURATION] = {"<dur>", 5},
    [TOKEN_PID] = {"<pid>", 5},   [TOKEN_PORT] = {"<port>", 6}, [TOKEN_TRY] = {"<try>", 5},
    [TOKEN_SEED] = {"<seed>", 6}, [TOKEN_RATE] = {"<rate>", 6}, [TOKEN_NOTHING] = {"", 0},
};
static_assert(ARRAY_LEN(words) == TOKEN_NAME_COUNT, "every token has a word");

/* The word around the digit at `at`. */
static struct token_word word_around(const struct token_scan *scan, const byte *at)
{
    struct token_word word = {.from = at, .all_classes = ~0U};
    while (word.from > scan->floor && byte_is(word.from[-1], CLASS_WORD))
        word.from--;
    for (word.to = word.from; word.to < scan->end && byte_is(*word.to, CLASS_WORD); word.to++) {
        word.classes |= token_classes[*word.to];
        word.all_classes &= token_classes[*word.to];
    }
    return word;
}

/* A short number, with nothing after it that could make it a part of a date, a clock, an
 * amount or an id: only what is before it may explain it. Most numbers of an output are so. */
static bool is_bare_number(const struct token_scan *scan, const struct token_word *word)
{
    if (!(word->all_classes & CLASS_DIGIT) || word->to - word->from >= BARE_MAX)
        return false;
    const byte next = byte_at(scan, word->to);
    return next != ' ' && next != '.' && next != ',' && next != ':' && next != '-' && next != '/' &&
           next != '`' && next != '<';
}

/* "1.2.3", "10.0.0.1": no rule wants it; but Erlang's names of processes are such. */
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

/* "amd64", "x86": too short for any token but a worker of pytest, and nothing is joined. */
static bool is_short_name(const struct token_scan *scan, const struct token_word *word)
{
    return word->to - word->from < NAME_LEN_MIN && !byte_is(*word->from, CLASS_DIGIT) &&
           byte_before(scan, word->from) != '-' && byte_at(scan, word->to) != '-';
}

static bool find_in_word(const struct token_scan *scan, const struct token_word *word,
                         struct token *out)
{
    if (is_bare_number(scan, word) || is_short_name(scan, word))
        return token_number(scan, word, out);
    if (is_version(scan, word))
        return false;
    if (!byte_is(*word->from, CLASS_DIGIT))
        return token_id(scan, word, out) || token_hex(scan, word, out) ||
               token_number(scan, word, out);
    return token_time(scan, word, out) || token_id(scan, word, out) ||
           token_harness(scan, word, out) || token_hex(scan, word, out) ||
           token_amount(scan, word, out) || token_number(scan, word, out);
}

/* Where to look on after a word that is no token: the rest of a version or a fraction is
 * none either. */
static const byte *after_word(const struct token_scan *scan, const struct token_word *word)
{
    const byte *p = word->to;
    if (!(word->all_classes & CLASS_DIGIT))
        return p;
    while (p + 1 < scan->end && *p == '.' && byte_is(p[1], CLASS_DIGIT)) {
        const byte *end = run_end(scan, p + 1, CLASS_DIGIT);
        if (byte_is(byte_at(scan, end), CLASS_LETTER))
            break; /* a word by itself */
        p = end;
    }
    return p;
}

/* What begins at, or around, a trigger. Else false, and *next is where to look on. */
static bool find_token(struct token_scan *scan, const byte *at, struct token *out,
                       const byte **next)
{
    *next = at + 1;
    if (byte_is(*at, CLASS_DIGIT)) {
        const struct token_word word = word_around(scan, at);
        if (find_in_word(scan, &word, out))
            return true;
        *next = after_word(scan, &word);
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
    const byte *copied; /* up to here the line is in the text */
};

/* Append to the text, in which there is room. */
static void put(struct str *text, const void *bytes, size_t len)
{
    assert(len < text->cap - text->len);
    memcpy(text->data + text->len, bytes, len);
    text->len += len;
}

static void replace(struct masker *masker, const struct token *token)
{
    struct mask_line *line = masker->line;
    assert(token->from >= masker->copied && token->to > token->from);
    assert(token->to <= masker->scan.end);
    if (line->masked == 0) /* how much longer a line may become: see NORMALISER_TEXT_MAX */
        line->text->data = xgrow(line->text->data, &line->text->cap,
                                 line->len * (NORMALISER_TEXT_MAX / NORMALISER_LINE_MAX) + 1, 1);
    put(line->text, masker->copied, (size_t)(token->from - masker->copied));
    put(line->text, words[token->name].text, words[token->name].len);
    line->masked |= 1U << token->mask;
    masker->copied = token->to;
    masker->scan.floor = token->to;
    masker->scan.matched = token->to;
}

static void mask_prefix(struct masker *masker)
{
    struct token token;
    if (token_time_prefix(&masker->scan, &token) || token_pid_prefix(&masker->scan, &token) ||
        token_meter(&masker->scan, &token))
        replace(masker, &token);
}

/* The triggers of the block at `at`. */
static void mask_block(struct masker *masker, const byte *at, uint64_t triggers)
{
    for (; triggers; triggers &= triggers - 1) {
        const byte *here = at + __builtin_ctzll(triggers) / 8;
        struct token token;
        const byte *next = NULL;
        if (here < masker->scan.floor)
            continue;
        if (find_token(&masker->scan, here, &token, &next))
            replace(masker, &token);
        else
            masker->scan.floor = next;
    }
}

static void mask_blocks(struct masker *masker)
{
    const byte *end = masker->scan.end;
    for (const byte *at = masker->scan.start; at < end; at += BLOCK_BYTES) {
        const struct block block = block_look(block_load((const char *)at, (const char *)end));
        mask_block(masker, at, block.triggers);
    }
}

void mask_tokens(struct mask_line *line)
{
    struct masker masker = {.line = line};
    masker.scan.start = (const byte *)line->bytes;
    masker.scan.end = masker.scan.start + line->len;
    masker.scan.floor = masker.scan.start;
    masker.copied = masker.scan.start;
    line->text->len = 0;
    line->masked = 0;
    if (line->len == 0)
        return;
    mask_prefix(&masker);
    mask_blocks(&masker);
    if (line->masked == 0)
        return;
    put(line->text, masker.copied, (size_t)(masker.scan.end - masker.copied));
    line->text->data[line->text->len] = '\0';
    line->bytes = line->text->data;
    line->len = line->text->len;
}

bool mask_is_plain(const char *bytes, size_t len)
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
