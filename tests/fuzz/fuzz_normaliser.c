/*
 * Whatever comes, and wherever it is cut: the same lines, each within its limits, and
 * nothing in them that a terminal would act on.
 *
 * The first byte says how often the rest is repeated, the second how it is cut, the third
 * how many of the bytes after it are the call's words.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fingerprint.h"
#include "str.h"

enum { HEAD = 3, REPEAT_MAX = 140 * 1024, FEW = 250 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool is_clean(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c < ' ' || c == 0x7f)
            return false;
        if (c == ' ' && (i == 0 || i + 1 == len || bytes[i - 1] == ' '))
            return false;
    }
    return true;
}

/* All that was told of the lines, in a row. */
static void note(void *ctx, const struct normaliser_line *line)
{
    struct str *out = ctx;
    must(line->len > 0 && line->len <= NORMALISER_TEXT_MAX);
    must(line->general_len > 0 && line->general_len <= NORMALISER_TEXT_MAX);
    must(line->raw_len > 0 && line->raw_len <= NORMALISER_LINE_MAX);
    must(is_clean(line->bytes, line->len));
    must(!memchr(line->raw, '\n', line->raw_len));
    must(line->masked >> NORMALISER_MASK_COUNT == 0);
    const bool echoes = (line->masked & 1U << NORMALISER_ARGUMENTS) != 0;
    must(echoes == (line->general != line->bytes));
    str_add_n(out, line->bytes, line->len);
    str_add_char(out, '\n');
    str_add_n(out, line->general, line->general_len);
    str_addf(out, "\n%u\n", line->masked);
    str_add_n(out, line->raw, line->raw_len);
    str_add_char(out, '\n');
}

/* Cut into pieces whose lengths follow from `seed`; 0: in one piece. */
static void normalise(const struct normaliser_words *words, const struct str *text, unsigned seed,
                      struct str *out)
{
    struct normaliser *normaliser = NULL;
    unsigned state = seed;
    normaliser_open(&normaliser, words, note, out);
    for (size_t at = 0; at < text->len;) {
        const size_t left = text->len - at;
        state = state * 1103515245U + 12345U;
        size_t piece = seed == 0 ? left : 1 + (state >> 16) % (seed % 8 == 7 ? 70000U : seed);
        piece = piece < left ? piece : left;
        normaliser_add(normaliser, text->data + at, piece);
        at += piece;
    }
    normaliser_end(normaliser);
    normaliser_close(normaliser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    struct normaliser_words *words = NULL;
    struct str text = {0};
    struct str whole = {0};
    struct str cut = {0};
    const char *rest = (const char *)data + HEAD;
    const size_t words_len = data[2] < size - HEAD ? data[2] : size - HEAD;
    normaliser_words_open(&words);
    normaliser_words_add(words, rest, words_len);
    rest += words_len;
    const size_t len = size - HEAD - words_len;
    const int repeats = data[0] < FEW ? 1 : (data[0] - FEW) * (data[0] - FEW) * FEW;
    for (int i = 0; i < repeats && text.len < REPEAT_MAX; i++)
        str_add_n(&text, rest, len);

    normalise(words, &text, 0, &whole);
    normalise(words, &text, 1 + data[1], &cut);
    must(whole.len == cut.len && memcmp(str_text(&whole), str_text(&cut), whole.len) == 0);

    normaliser_words_close(words);
    str_done(&text);
    str_done(&whole);
    str_done(&cut);
    return 0;
}
