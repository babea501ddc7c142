#include "text.h"

#include <assert.h>
#include <string.h>

#include "utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

enum {
    ESC = 0x1b,
    BEL = 0x07,
    DEL = 0x7f,
    JOINER = 0x200d,
    STRING_END = '\\', /* ESC \ ends an OSC, DCS, ... */
    STRING_MAX = 4096, /* an unfinished string sequence hides no more than this */
};

/* One line while it is made clean. */
struct line {
    struct str *out;
    size_t start; /* where the line begins in *out */
    int column;
    bool overwrite; /* a carriage return was seen: the next character drops the line */
    bool full;      /* TEXT_LINE_MAX was reached, the rest is dropped */
    int marks;      /* combining marks since the last character with a width */
};

int text_rune(const char *bytes, size_t len, uint32_t *rune)
{
    const size_t taken = len > 0 ? utf8_rune(bytes, len, rune) : 0;
    if (taken > 0)
        return (int)taken;
    *rune = UINT32_MAX;
    return 1;
}

size_t text_cut(const char *utf8, size_t len, size_t max)
{
    if (len <= max)
        return len;
    size_t cut = max;
    while (cut > 0 && max - cut < 3 && utf8_is_inner(utf8[cut]))
        cut--;
    return cut;
}

/* CSI: parameters and intermediates, then one final byte. A control in the
 * middle ends it without being part of it. */
static size_t csi_len(const char *bytes, size_t len)
{
    for (size_t i = 2; i < len; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x40 && c <= 0x7e)
            return i + 1;
        if (c < 0x20 || c > 0x7e)
            return i;
    }
    return len;
}

/* OSC, DCS, SOS, PM, APC: up to BEL or ESC \; another ESC or a line feed cuts it off. */
static size_t string_len(const char *bytes, size_t len)
{
    const size_t end = len < STRING_MAX ? len : STRING_MAX;
    for (size_t i = 2; i < end; i++) {
        if (bytes[i] == BEL)
            return i + 1;
        if (bytes[i] == '\n')
            return i;
        if (bytes[i] == ESC)
            return i + 1 < len && bytes[i + 1] == STRING_END ? i + 2 : i;
    }
    return end;
}

size_t text_escape_len(const char *bytes, size_t len)
{
    assert(len > 0);
    if (len == 1)
        return 1;
    const unsigned char kind = (unsigned char)bytes[1];
    if (kind == '[')
        return csi_len(bytes, len);
    if (strchr("]PX^_", kind) && kind != '\0')
        return string_len(bytes, len);

    size_t i = 1; /* intermediates, then one final byte */
    while (i < len && bytes[i] >= 0x20 && bytes[i] <= 0x2f)
        i++;
    bool final = i < len && bytes[i] >= 0x30 && bytes[i] <= 0x7e;
    return final ? i + 1 : i;
}

static void drop_overwritten(struct line *line)
{
    if (!line->overwrite)
        return;
    line->out->len = line->start;
    if (line->out->data)
        line->out->data[line->start] = '\0';
    line->column = 0;
    line->full = false;
    line->overwrite = false;
    line->marks = 0;
}

/* How many more bytes the line takes. */
static size_t room_in(const struct line *line)
{
    return TEXT_LINE_MAX - strlen(ELLIPSIS) - (line->out->len - line->start);
}

static void put(struct line *line, const char *bytes, int len, int width)
{
    drop_overwritten(line);
    if (line->full)
        return;
    if ((size_t)len > room_in(line)) {
        str_add(line->out, ELLIPSIS);
        line->full = true;
        return;
    }
    str_add_n(line->out, bytes, (size_t)len);
    line->column += width;
}

/* Printing ASCII, which most text is, at one go; returns the bytes taken. */
static size_t put_plain(struct line *line, const char *bytes, size_t len)
{
    size_t count = 0;
    while (count < len && bytes[count] >= 0x20 && bytes[count] < DEL)
        count++;
    if (count == 0)
        return 0;
    drop_overwritten(line);
    const size_t room = line->full ? 0 : room_in(line);
    const size_t fits = count < room ? count : room;
    str_add_n(line->out, bytes, fits);
    line->column += (int)fits;
    line->marks = 0;
    if (fits < count)
        put(line, bytes + fits, 1, 1); /* the mark of a cut */
    return count;
}

static void put_tab(struct line *line)
{
    drop_overwritten(line);
    do {
        put(line, " ", 1, 1);
    } while (!line->full && line->column % TEXT_TAB != 0);
}

static void end_line(struct line *line)
{
    str_add_char(line->out, '\n');
    *line = (struct line){.out = line->out, .start = line->out->len};
}

/* Thousands of marks on one character would cover the lines above and below it. */
static void put_shown(struct line *line, const char *bytes, int len, int width)
{
    drop_overwritten(line);
    line->marks = width == 0 ? line->marks + 1 : 0;
    if (line->marks <= TEXT_MARKS_MAX)
        put(line, bytes, len, width);
}

static void put_rune(struct line *line, const char *bytes, int len, uint32_t rune)
{
    if (rune == '\n')
        end_line(line);
    else if (rune == '\t')
        put_tab(line);
    else if (rune == '\r')
        line->overwrite = true;
    else if (rune == UINT32_MAX)
        put(line, "?", 1, 1);
    else if (rune < 0x20 || (rune >= DEL && rune < 0xa0))
        return; /* C0, DEL and C1 move or ring; they show nothing */
    else if (rune == JOINER)
        return; /* the emoji beside it are drawn one by one */
    else if (!rune_is_shown(rune))
        put(line, "?", 1, 1);
    else
        put_shown(line, bytes, len, rune_width(rune));
}

void text_clean(struct str *out, const char *bytes, size_t len)
{
    struct line line = {.out = out, .start = out->len};
    for (size_t i = 0; i < len;) {
        i += put_plain(&line, bytes + i, len - i);
        if (i == len)
            break;
        if (bytes[i] == ESC) {
            i += text_escape_len(bytes + i, len - i);
            continue;
        }
        uint32_t rune = 0;
        const int taken = text_rune(bytes + i, len - i, &rune);
        put_rune(&line, bytes + i, taken, rune);
        i += (size_t)taken;
    }
}

void text_clean_line(struct str *out, const char *bytes, size_t len)
{
    const size_t start = out->len;
    text_clean(out, bytes, len);
    for (size_t i = start; i < out->len; i++) {
        if (out->data[i] == '\n')
            out->data[i] = ' ';
    }
}

static void add_unit(struct str *out, uint32_t unit)
{
    str_addf(out, "\\u%04x", (unsigned)unit);
}

/* Above U+FFFF as a surrogate pair: RFC 8259, 7. */
static void add_escaped(struct str *out, uint32_t rune)
{
    if (rune < 0x10000) {
        add_unit(out, rune);
        return;
    }
    add_unit(out, 0xd800 + ((rune - 0x10000) >> 10));
    add_unit(out, 0xdc00 + ((rune - 0x10000) & 0x3ff));
}

void text_escape(struct str *out, const char *bytes, size_t len)
{
    int marks = 0;
    for (size_t i = 0; i < len;) {
        uint32_t rune = 0;
        const size_t taken = (size_t)text_rune(bytes + i, len - i, &rune);
        const bool is_text = rune != UINT32_MAX;
        marks = is_text && rune_width(rune) == 0 ? marks + 1 : 0;
        if (rune == '\n' || (is_text && rune_is_shown(rune) && marks <= TEXT_MARKS_MAX))
            str_add_n(out, bytes + i, taken);
        else
            add_escaped(out, is_text ? rune : (unsigned char)bytes[i]);
        i += taken;
    }
}

int text_width(const char *utf8, size_t len)
{
    int width = 0;
    for (size_t i = 0; i < len;) {
        uint32_t rune = 0;
        i += (size_t)text_rune(utf8 + i, len - i, &rune);
        const int columns = rune == UINT32_MAX ? 1 : rune_width(rune);
        width += columns > 0 ? columns : 0;
    }
    return width;
}

/* Bytes of the longest beginning that takes at most `columns`; *used says how
 * many it takes. */
static size_t fit_bytes(const char *utf8, size_t len, int columns, int *used)
{
    size_t i = 0;
    *used = 0;
    while (i < len) {
        uint32_t rune = 0;
        const size_t taken = (size_t)text_rune(utf8 + i, len - i, &rune);
        const int width = text_width(utf8 + i, taken);
        if (*used + width > columns)
            break;
        *used += width;
        i += taken;
    }
    return i;
}

void text_fit(struct str *out, const char *utf8, int columns, int flags)
{
    if (columns <= 0)
        return;
    const size_t len = strlen(utf8);
    int used = 0;
    const size_t whole = fit_bytes(utf8, len, columns, &used);
    if (whole == len) {
        str_add_n(out, utf8, len);
    } else {
        str_add_n(out, utf8, fit_bytes(utf8, len, columns - 1, &used));
        str_add(out, flags & TEXT_ASCII ? "." : ELLIPSIS);
        used++;
    }
    for (; flags & TEXT_PAD && used < columns; used++)
        str_add_char(out, ' ');
}
