/*
 * Whatever bytes a child writes: what text_clean() lets through is UTF-8 without a control,
 * an escape or a sign that turns text round, cut at its limit, and clean already; and
 * text_fit() takes no more columns than it was given.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COLUMNS_MAX = 200 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_clean(const struct str *text)
{
    size_t line = 0;
    for (size_t i = 0; i < text->len;) {
        uint32_t rune = 0;
        i += (size_t)text_rune(text->data + i, text->len - i, &rune);
        must(rune != UINT32_MAX);
        must(rune == '\n' || (rune >= 0x20 && rune != 0x7f && !(rune >= 0x80 && rune < 0xa0)));
        must(rune == '\n' || rune_is_shown(rune));
        if (rune == '\n')
            line = i;
        must(i - line <= TEXT_LINE_MAX);
    }
}

static void check_again(const struct str *text)
{
    struct str again = {0};
    text_clean(&again, str_text(text), text->len);
    must(again.len == text->len);
    must(memcmp(str_text(&again), str_text(text), text->len) == 0);
    str_done(&again);
}

static void check_fit(const struct str *text, int columns, int flags)
{
    struct str line = {0};
    struct str fitted = {0};
    str_add_n(&line, text->data ? text->data : "", text->data ? strcspn(text->data, "\n") : 0);
    text_fit(&fitted, str_text(&line), columns, flags);
    const int width = text_width(str_text(&fitted), fitted.len);
    must(flags & TEXT_PAD ? width == columns : width <= columns);
    str_done(&line);
    str_done(&fitted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct str text = {0};
    text_clean(&text, (const char *)data + 2, size - 2);
    check_clean(&text);
    check_again(&text);
    check_fit(&text, data[0] % COLUMNS_MAX, data[1] % 4);
    str_done(&text);
    return 0;
}
