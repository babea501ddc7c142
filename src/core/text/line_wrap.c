#include "line_wrap.h"

#include "text.h"

/* Columns of the character at the front; *bytes: what it takes. */
static int front(const char *text, size_t len, size_t *bytes)
{
    uint32_t rune;
    *bytes = (size_t)text_rune(text, len, &rune);
    const int width = rune == UINT32_MAX ? 1 : rune_width(rune);
    return width > 0 ? width : 0;
}

size_t line_wrap_fit(const char *text, size_t len, int columns)
{
    size_t at = 0;
    size_t blank = 0;
    int used = 0;
    while (at < len) {
        size_t bytes;
        const int width = front(text + at, len - at, &bytes);
        if (used + width > columns)
            break;
        used += width;
        at += bytes;
        blank = text[at - 1] == ' ' ? at : blank;
    }
    if (at < len && blank > at / 2)
        return blank;
    if (at == 0 && len > 0)
        (void)front(text, len, &at); /* wider than all there is: it is cut off when drawn */
    return at;
}

int line_wrap_rows(const char *text, size_t len, int columns)
{
    int rows = 1;
    for (size_t at = line_wrap_fit(text, len, columns); at < len; rows++)
        at += line_wrap_fit(text + at, len - at, columns);
    return rows;
}

size_t line_wrap_at(const char *text, size_t len, int columns, int row)
{
    size_t at = 0;
    for (int i = 0; i < row && at < len; i++)
        at += line_wrap_fit(text + at, len - at, columns);
    return at;
}

size_t line_wrap_skip(const char *text, size_t len, int column, int *lack)
{
    size_t at = 0;
    int used = 0;
    while (at < len && used < column) {
        size_t bytes;
        used += front(text + at, len - at, &bytes);
        at += bytes;
    }
    *lack = used > column ? used - column : 0;
    return at;
}
