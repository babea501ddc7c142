#include "normaliser_mask.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "attr.h"
#include "token_scan.h"

enum { BLOCK = 8 }; /* bytes looked at together */

/* Every byte of a block. */
#define EACH(byte_value) (UINT64_C(0x0101010101010101) * (byte_value))

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

/* What a block holds, a bit 0x80 for each of its bytes, the first one lowest. */
struct block {
    uint64_t triggers; /* '/', figures, ':', '=' (and ';' and '<', which lie between) */
    uint64_t blanks;
    uint64_t noise; /* bytes over 127, controls, DEL */
};

/* The next bytes, the first one lowest; past the end there are letters. */
static uint64_t load_block(const byte *at, const byte *end)
{
    byte bytes[BLOCK];
    uint64_t block = 0;
    if (end - at >= BLOCK) {
        memcpy(bytes, at, BLOCK);
    } else {
        memset(bytes, 'a', BLOCK);
        memcpy(bytes, at, (size_t)(end - at));
    }
    for (int i = 0; i < BLOCK; i++) /* one load on a machine whose lowest byte comes first */
        block |= (uint64_t)bytes[i] << (8 * i);
    return block;
}

/* Which bytes are at least `least`; for bytes up to 127. */
static inline uint64_t at_least(uint64_t low, unsigned least)
{
    return low + EACH(0x80 - least);
}

static inline struct block look_at(uint64_t bytes)
{
    const uint64_t top = EACH(0x80);
    const uint64_t low = bytes & ~top;
    const uint64_t plain = ~bytes & top;
    return (struct block){
        .triggers = at_least(low, '/') & ~at_least(low, '=' + 1) & plain,
        .blanks = at_least(low, ' ') & ~at_least(low, ' ' + 1) & plain,
        .noise = (bytes | ~at_least(low, ' ') | at_least(low, 0x7f)) & top,
    };
}

static bool find_in_word(struct token_scan *scan, const byte *at, struct token *out,
                         const byte **next)
{
    const byte *from = at;
    while (from > scan->floor && byte_is(from[-1], CLASS_WORD))
        from--;
    struct token_word word = {.from = from, .all_classes = ~0U};
    const byte *p = from;
    for (; p < scan->end && byte_is(*p, CLASS_WORD); p++) {
        word.classes |= token_classes[*p];
        word.all_classes &= token_classes[*p];
    }
    word.to = p;
    if (token_time(scan, &word, out) || token_id(scan, &word, out) ||
        token_harness(scan, &word, out) || token_temp_word(scan, &word, out) ||
        token_hex(scan, &word, out) || token_rate(scan, &word, out) ||
        token_duration(scan, &word, out) || token_number(scan, &word, out))
        return true;
    if (word.all_classes & CLASS_DIGIT) { /* the rest of a version or a fraction */
        while (p + 1 < scan->end && *p == '.' && byte_is(p[1], CLASS_DIGIT))
            p = run_end(scan, p + 1, CLASS_DIGIT);
    }
    *next = p;
    return false;
}

/* What begins at, or around, a trigger. Else false, and *next is where to look on. */
static bool find_token(struct token_scan *scan, const byte *at, struct token *out,
                       const byte **next)
{
    *next = at + 1;
    if (byte_is(*at, CLASS_DIGIT))
        return find_in_word(scan, at, out, next);
    if (*at == '/')
        return token_temp(scan, at, out);
    return (*at == ':' || *at == '=') && token_keyed(scan, at, out);
}

struct masker {
    struct token_scan scan;
    struct mask_line *line;
    const byte *copied; /* up to here the line is in the text */
};

static void replace(struct masker *masker, const struct token *token)
{
    struct mask_line *line = masker->line;
    assert(token->from >= masker->copied && token->to > token->from);
    assert(token->to <= masker->scan.end);
    str_add_n(line->text, (const char *)masker->copied, (size_t)(token->from - masker->copied));
    str_add_n(line->text, words[token->name].text, words[token->name].len);
    line->masked |= 1U << token->mask;
    masker->copied = token->to;
    masker->scan.floor = token->to;
    masker->scan.matched = token->to;
}

static void mask_prefix(struct masker *masker)
{
    struct token token;
    if (token_time_prefix(&masker->scan, &token) || token_pid_of_job(&masker->scan, &token))
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

/* False if there is noise, which is looked for if `strict`. */
static bool mask_blocks(struct masker *masker, bool strict)
{
    const byte *end = masker->scan.end;
    uint64_t blank_before = 0;
    for (const byte *at = masker->scan.start; at < end; at += BLOCK) {
        const struct block block = look_at(load_block(at, end));
        const uint64_t pairs = block.blanks & (block.blanks << 8 | blank_before);
        if (strict && (block.noise | pairs))
            return false;
        blank_before = block.blanks >> 56;
        mask_block(masker, at, block.triggers);
    }
    return true;
}

static bool mask_tokens(struct mask_line *line, bool strict)
{
    struct masker masker = {.line = line};
    masker.scan.start = (const byte *)line->bytes;
    masker.scan.end = masker.scan.start + line->len;
    masker.scan.floor = masker.scan.start;
    masker.copied = masker.scan.start;
    str_clear(line->text);
    line->masked = 0;
    if (line->len == 0)
        return true;
    mask_prefix(&masker);
    if (!mask_blocks(&masker, strict)) {
        line->masked = 0;
        return false;
    }
    if (line->masked != 0) {
        str_add_n(line->text, (const char *)masker.copied,
                  (size_t)(masker.scan.end - masker.copied));
        line->bytes = str_text(line->text);
        line->len = line->text->len;
    }
    return true;
}

bool mask_plain_line(struct mask_line *line)
{
    return mask_tokens(line, true);
}

void mask_clean_line(struct mask_line *line)
{
    (void)mask_tokens(line, false); /* nothing is noise then */
}
