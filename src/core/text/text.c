/* Text for a terminal: decodes UTF-8, measures columns, cleans and cuts text, and wraps lines. */
#include "text.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "lines.h"
#include "utf8.h"
#include "xalloc.h"

/* Untrusted text for a terminal. All output of a child passes through here: no escape sequence,
 * control, direction mark or invisible character survives. Columns are counted by our own table,
 * not by the C library's locale. */

#define ELLIPSIS "\xe2\x80\xa6"

enum {
    ESC = 0x1b,
    BEL = 0x07,
    DEL = 0x7f,
    JOINER = 0x200d,
    STRING_END = '\\', /* ESC \ ends an OSC, DCS, ... */
    STRING_MAX = 4096, /* an unfinished string sequence hides at most this many bytes */
};

/* One line being cleaned. */
struct line {
    struct str *out;
    size_t start; /* where the line begins in *out */
    int column;
    bool overwrite; /* after a carriage return: the next character drops the line */
    bool full;      /* TEXT_LINE_MAX was reached; the rest is dropped */
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

void text_copy(char *out, size_t size, const char *utf8)
{
    const size_t len = text_cut(utf8, strlen(utf8), size - 1);
    memcpy(out, utf8, len);
    out[len] = '\0';
}

const char *text_ordinal(int number)
{
    const bool is_teen = number % 100 >= 11 && number % 100 <= 13;
    const int last = is_teen ? 0 : number % 10;
    return last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
}

size_t text_escape_len(const char *bytes, size_t len)
{
    assert(len > 0);
    if (len == 1)
        return 1;
    const unsigned char kind = (unsigned char)bytes[1];
    if (kind == '[') {
        /* CSI: parameters and intermediates, then one final byte. A control in the middle ends it
         * and is not part of it. */
        for (size_t i = 2; i < len; i++) {
            const unsigned char c = (unsigned char)bytes[i];
            if (c >= 0x40 && c <= 0x7e)
                return i + 1;
            if (c < 0x20 || c > 0x7e)
                return i;
        }
        return len;
    }
    if (strchr("]PX^_", kind) && kind != '\0') {
        /* OSC, DCS, SOS, PM, APC: up to BEL or ESC \; another ESC or a line feed cuts it off. */
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

/* Returns how many more bytes fit into the line. */
static size_t room_in(const struct line *line)
{
    return TEXT_LINE_MAX - strlen(ELLIPSIS) - (line->out->len - line->start);
}

static void put_text(struct line *line, const char *bytes, int len, int width)
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

/* Copies printable ASCII, which is most text, all at once. Returns the number of bytes taken. */
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
        put_text(line, bytes + fits, 1, 1); /* the ellipsis */
    return count;
}

static void put_rune(struct line *line, const char *bytes, int len, uint32_t rune)
{
    const bool is_control = rune < 0x20 || (rune >= DEL && rune < 0xa0); /* C0, DEL and C1 */
    if (rune == '\n') {
        str_add_char(line->out, '\n');
        *line = (struct line){.out = line->out, .start = line->out->len};
    } else if (rune == '\t') {
        drop_overwritten(line);
        do {
            put_text(line, " ", 1, 1);
        } while (!line->full && line->column % TEXT_TAB != 0);
    } else if (rune == '\r') {
        line->overwrite = true;
    } else if (is_control || rune == JOINER) {
        return; /* shows nothing; the emoji beside a joiner are drawn separately */
    } else if (rune == UINT32_MAX || !rune_is_shown(rune)) {
        put_text(line, "?", 1, 1);
    } else {
        /* Limits marks: thousands on one character would cover the lines above and below. */
        const int width = rune_width(rune);
        drop_overwritten(line);
        line->marks = width == 0 ? line->marks + 1 : 0;
        if (line->marks <= TEXT_MARKS_MAX)
            put_text(line, bytes, len, width);
    }
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

void text_escape(struct str *out, const char *bytes, size_t len)
{
    int marks = 0;
    for (size_t i = 0; i < len;) {
        uint32_t rune = 0;
        const size_t taken = (size_t)text_rune(bytes + i, len - i, &rune);
        const bool is_text = rune != UINT32_MAX;
        const uint32_t escaped = is_text ? rune : (unsigned char)bytes[i];
        marks = is_text && rune_width(rune) == 0 ? marks + 1 : 0;
        if (rune == '\n' || (is_text && rune_is_shown(rune) && marks <= TEXT_MARKS_MAX)) {
            str_add_n(out, bytes + i, taken);
        } else if (escaped < 0x10000) {
            add_unit(out, escaped);
        } else { /* a surrogate pair: RFC 8259, section 7 */
            add_unit(out, 0xd800 + ((escaped - 0x10000) >> 10));
            add_unit(out, 0xdc00 + ((escaped - 0x10000) & 0x3ff));
        }
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

/* Returns the length of the longest prefix that fits into `columns`, and stores its width in
 * *used. */
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

/*
 * Widths of characters, from our own Unicode tables.
 */

/*
 * Unicode 14: East Asian Width W and F; general categories Mn and Me (with the Hangul vowels and
 * finals that join a syllable); Cf. Ranges are sorted, do not overlap, and may contain unassigned
 * characters.
 */
struct range {
    uint32_t first;
    uint32_t last;
};

/* Characters that are two columns wide. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
    {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x3029},
    {0x302e, 0x303e},   {0x3041, 0x3096},   {0x309b, 0x3247},   {0x3250, 0x4dbf},
    {0x4e00, 0xa4c6},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x16fe3}, {0x16ff0, 0x18d08}, {0x1aff0, 0x1b2fb}, {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f265},
    {0x1f300, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393},
    {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d},
    {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596},
    {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc},
    {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6df}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc},
    {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff},
    {0x1fa70, 0x1faf6}, {0x20000, 0x3fffd},
};

/* Characters without a column of their own: drawn into the previous cell. */
static const struct range joined[] = {
    {0x300, 0x36f},     {0x483, 0x489},     {0x591, 0x5bd},     {0x5bf, 0x5bf},
    {0x5c1, 0x5c2},     {0x5c4, 0x5c5},     {0x5c7, 0x5c7},     {0x610, 0x61a},
    {0x64b, 0x65f},     {0x670, 0x670},     {0x6d6, 0x6dc},     {0x6df, 0x6e4},
    {0x6e7, 0x6e8},     {0x6ea, 0x6ed},     {0x711, 0x711},     {0x730, 0x74a},
    {0x7a6, 0x7b0},     {0x7eb, 0x7f3},     {0x7fd, 0x7fd},     {0x816, 0x819},
    {0x81b, 0x823},     {0x825, 0x827},     {0x829, 0x82d},     {0x859, 0x85b},
    {0x898, 0x89f},     {0x8ca, 0x8e1},     {0x8e3, 0x902},     {0x93a, 0x93a},
    {0x93c, 0x93c},     {0x941, 0x948},     {0x94d, 0x94d},     {0x951, 0x957},
    {0x962, 0x963},     {0x981, 0x981},     {0x9bc, 0x9bc},     {0x9c1, 0x9c4},
    {0x9cd, 0x9cd},     {0x9e2, 0x9e3},     {0x9fe, 0xa02},     {0xa3c, 0xa3c},
    {0xa41, 0xa51},     {0xa70, 0xa71},     {0xa75, 0xa75},     {0xa81, 0xa82},
    {0xabc, 0xabc},     {0xac1, 0xac8},     {0xacd, 0xacd},     {0xae2, 0xae3},
    {0xafa, 0xb01},     {0xb3c, 0xb3c},     {0xb3f, 0xb3f},     {0xb41, 0xb44},
    {0xb4d, 0xb56},     {0xb62, 0xb63},     {0xb82, 0xb82},     {0xbc0, 0xbc0},
    {0xbcd, 0xbcd},     {0xc00, 0xc00},     {0xc04, 0xc04},     {0xc3c, 0xc3c},
    {0xc3e, 0xc40},     {0xc46, 0xc56},     {0xc62, 0xc63},     {0xc81, 0xc81},
    {0xcbc, 0xcbc},     {0xcbf, 0xcbf},     {0xcc6, 0xcc6},     {0xccc, 0xccd},
    {0xce2, 0xce3},     {0xd00, 0xd01},     {0xd3b, 0xd3c},     {0xd41, 0xd44},
    {0xd4d, 0xd4d},     {0xd62, 0xd63},     {0xd81, 0xd81},     {0xdca, 0xdca},
    {0xdd2, 0xdd6},     {0xe31, 0xe31},     {0xe34, 0xe3a},     {0xe47, 0xe4e},
    {0xeb1, 0xeb1},     {0xeb4, 0xebc},     {0xec8, 0xecd},     {0xf18, 0xf19},
    {0xf35, 0xf35},     {0xf37, 0xf37},     {0xf39, 0xf39},     {0xf71, 0xf7e},
    {0xf80, 0xf84},     {0xf86, 0xf87},     {0xf8d, 0xfbc},     {0xfc6, 0xfc6},
    {0x102d, 0x1030},   {0x1032, 0x1037},   {0x1039, 0x103a},   {0x103d, 0x103e},
    {0x1058, 0x1059},   {0x105e, 0x1060},   {0x1071, 0x1074},   {0x1082, 0x1082},
    {0x1085, 0x1086},   {0x108d, 0x108d},   {0x109d, 0x109d},   {0x1160, 0x11ff},
    {0x135d, 0x135f},   {0x1712, 0x1714},   {0x1732, 0x1733},   {0x1752, 0x1753},
    {0x1772, 0x1773},   {0x17b4, 0x17b5},   {0x17b7, 0x17bd},   {0x17c6, 0x17c6},
    {0x17c9, 0x17d3},   {0x17dd, 0x17dd},   {0x180b, 0x180d},   {0x180f, 0x180f},
    {0x1885, 0x1886},   {0x18a9, 0x18a9},   {0x1920, 0x1922},   {0x1927, 0x1928},
    {0x1932, 0x1932},   {0x1939, 0x193b},   {0x1a17, 0x1a18},   {0x1a1b, 0x1a1b},
    {0x1a56, 0x1a56},   {0x1a58, 0x1a60},   {0x1a62, 0x1a62},   {0x1a65, 0x1a6c},
    {0x1a73, 0x1a7f},   {0x1ab0, 0x1b03},   {0x1b34, 0x1b34},   {0x1b36, 0x1b3a},
    {0x1b3c, 0x1b3c},   {0x1b42, 0x1b42},   {0x1b6b, 0x1b73},   {0x1b80, 0x1b81},
    {0x1ba2, 0x1ba5},   {0x1ba8, 0x1ba9},   {0x1bab, 0x1bad},   {0x1be6, 0x1be6},
    {0x1be8, 0x1be9},   {0x1bed, 0x1bed},   {0x1bef, 0x1bf1},   {0x1c2c, 0x1c33},
    {0x1c36, 0x1c37},   {0x1cd0, 0x1cd2},   {0x1cd4, 0x1ce0},   {0x1ce2, 0x1ce8},
    {0x1ced, 0x1ced},   {0x1cf4, 0x1cf4},   {0x1cf8, 0x1cf9},   {0x1dc0, 0x1dff},
    {0x20d0, 0x20f0},   {0x2cef, 0x2cf1},   {0x2d7f, 0x2d7f},   {0x2de0, 0x2dff},
    {0x302a, 0x302d},   {0x3099, 0x309a},   {0xa66f, 0xa672},   {0xa674, 0xa67d},
    {0xa69e, 0xa69f},   {0xa6f0, 0xa6f1},   {0xa802, 0xa802},   {0xa806, 0xa806},
    {0xa80b, 0xa80b},   {0xa825, 0xa826},   {0xa82c, 0xa82c},   {0xa8c4, 0xa8c5},
    {0xa8e0, 0xa8f1},   {0xa8ff, 0xa8ff},   {0xa926, 0xa92d},   {0xa947, 0xa951},
    {0xa980, 0xa982},   {0xa9b3, 0xa9b3},   {0xa9b6, 0xa9b9},   {0xa9bc, 0xa9bd},
    {0xa9e5, 0xa9e5},   {0xaa29, 0xaa2e},   {0xaa31, 0xaa32},   {0xaa35, 0xaa36},
    {0xaa43, 0xaa43},   {0xaa4c, 0xaa4c},   {0xaa7c, 0xaa7c},   {0xaab0, 0xaab0},
    {0xaab2, 0xaab4},   {0xaab7, 0xaab8},   {0xaabe, 0xaabf},   {0xaac1, 0xaac1},
    {0xaaec, 0xaaed},   {0xaaf6, 0xaaf6},   {0xabe5, 0xabe5},   {0xabe8, 0xabe8},
    {0xabed, 0xabed},   {0xd7b0, 0xd7fb},   {0xfb1e, 0xfb1e},   {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f},   {0x101fd, 0x101fd}, {0x102e0, 0x102e0}, {0x10376, 0x1037a},
    {0x10a01, 0x10a0f}, {0x10a38, 0x10a3f}, {0x10ae5, 0x10ae6}, {0x10d24, 0x10d27},
    {0x10eab, 0x10eac}, {0x10f46, 0x10f50}, {0x10f82, 0x10f85}, {0x11001, 0x11001},
    {0x11038, 0x11046}, {0x11070, 0x11070}, {0x11073, 0x11074}, {0x1107f, 0x11081},
    {0x110b3, 0x110b6}, {0x110b9, 0x110ba}, {0x110c2, 0x110c2}, {0x11100, 0x11102},
    {0x11127, 0x1112b}, {0x1112d, 0x11134}, {0x11173, 0x11173}, {0x11180, 0x11181},
    {0x111b6, 0x111be}, {0x111c9, 0x111cc}, {0x111cf, 0x111cf}, {0x1122f, 0x11231},
    {0x11234, 0x11234}, {0x11236, 0x11237}, {0x1123e, 0x1123e}, {0x112df, 0x112df},
    {0x112e3, 0x112ea}, {0x11300, 0x11301}, {0x1133b, 0x1133c}, {0x11340, 0x11340},
    {0x11366, 0x11374}, {0x11438, 0x1143f}, {0x11442, 0x11444}, {0x11446, 0x11446},
    {0x1145e, 0x1145e}, {0x114b3, 0x114b8}, {0x114ba, 0x114ba}, {0x114bf, 0x114c0},
    {0x114c2, 0x114c3}, {0x115b2, 0x115b5}, {0x115bc, 0x115bd}, {0x115bf, 0x115c0},
    {0x115dc, 0x115dd}, {0x11633, 0x1163a}, {0x1163d, 0x1163d}, {0x1163f, 0x11640},
    {0x116ab, 0x116ab}, {0x116ad, 0x116ad}, {0x116b0, 0x116b5}, {0x116b7, 0x116b7},
    {0x1171d, 0x1171f}, {0x11722, 0x11725}, {0x11727, 0x1172b}, {0x1182f, 0x11837},
    {0x11839, 0x1183a}, {0x1193b, 0x1193c}, {0x1193e, 0x1193e}, {0x11943, 0x11943},
    {0x119d4, 0x119db}, {0x119e0, 0x119e0}, {0x11a01, 0x11a0a}, {0x11a33, 0x11a38},
    {0x11a3b, 0x11a3e}, {0x11a47, 0x11a47}, {0x11a51, 0x11a56}, {0x11a59, 0x11a5b},
    {0x11a8a, 0x11a96}, {0x11a98, 0x11a99}, {0x11c30, 0x11c3d}, {0x11c3f, 0x11c3f},
    {0x11c92, 0x11ca7}, {0x11caa, 0x11cb0}, {0x11cb2, 0x11cb3}, {0x11cb5, 0x11cb6},
    {0x11d31, 0x11d45}, {0x11d47, 0x11d47}, {0x11d90, 0x11d91}, {0x11d95, 0x11d95},
    {0x11d97, 0x11d97}, {0x11ef3, 0x11ef4}, {0x16af0, 0x16af4}, {0x16b30, 0x16b36},
    {0x16f4f, 0x16f4f}, {0x16f8f, 0x16f92}, {0x16fe4, 0x16fe4}, {0x1bc9d, 0x1bc9e},
    {0x1cf00, 0x1cf46}, {0x1d167, 0x1d169}, {0x1d17b, 0x1d182}, {0x1d185, 0x1d18b},
    {0x1d1aa, 0x1d1ad}, {0x1d242, 0x1d244}, {0x1da00, 0x1da36}, {0x1da3b, 0x1da6c},
    {0x1da75, 0x1da75}, {0x1da84, 0x1da84}, {0x1da9b, 0x1daaf}, {0x1e000, 0x1e02a},
    {0x1e130, 0x1e136}, {0x1e2ae, 0x1e2ae}, {0x1e2ec, 0x1e2ef}, {0x1e8d0, 0x1e8d6},
    {0x1e944, 0x1e94a}, {0xe0100, 0xe01ef},
};

/* Characters that are never shown: direction marks, joiners, fillers, tags, noncharacters. */
static const struct range hidden[] = {
    {0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},
    {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x115f, 0x115f},
    {0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
    {0x3164, 0x3164},   {0xd800, 0xdfff},   {0xfdd0, 0xfdef},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff9, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd},
    {0x110cd, 0x110cd}, {0x13430, 0x13438}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0001, 0xe007f},
};

static bool in_ranges(const struct range *ranges, size_t count, uint32_t rune)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (rune > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && rune >= ranges[low].first;
}

bool rune_is_shown(uint32_t rune)
{
    bool control = rune < 0x20 || (rune >= 0x7f && rune < 0xa0);
    return !control && rune <= 0x10ffff && !in_ranges(hidden, ARRAY_LEN(hidden), rune);
}

int rune_width(uint32_t rune)
{
    if (rune >= 0x20 && rune < 0x7f)
        return 1;
    if (rune < 0xa0 || rune > 0x10ffff)
        return -1;
    if (rune < 0x300 && rune != 0xad)
        return 1;
    if (in_ranges(joined, ARRAY_LEN(joined), rune) || in_ranges(hidden, ARRAY_LEN(hidden), rune))
        return 0;
    return in_ranges(wide, ARRAY_LEN(wide), rune) ? 2 : 1;
}

/*
 * Wrapping a long line. For text that has passed text_clean().
 */

/* Returns the width of the first character in columns, and stores its length in *bytes. */
static int first_columns(const char *text, size_t len, size_t *bytes)
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
        const int width = first_columns(text + at, len - at, &bytes);
        if (used + width > columns)
            break;
        used += width;
        at += bytes;
        blank = text[at - 1] == ' ' ? at : blank;
    }
    if (at < len && blank > at / 2)
        return blank;
    if (at == 0 && len > 0)
        (void)first_columns(text, len, &at); /* wider than the available columns; cut when drawn */
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
        used += first_columns(text + at, len - at, &bytes);
        at += bytes;
    }
    *lack = used > column ? used - column : 0;
    return at;
}

size_t text_list_count(char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

bool text_is_in(const char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(texts[i], text) == 0)
            return true;
    }
    return false;
}

char **text_list_copy(char *const *texts)
{
    if (!texts)
        return NULL;
    const size_t count = text_list_count(texts);
    char **copy = xcalloc(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = xstrdup(texts[i]);
    return copy;
}

bool text_list_names(char *const *entries, size_t count, const char *entry)
{
    for (size_t i = 0; i < count; i++) {
        const size_t len = strcspn(entries[i], "=");
        if (strncmp(entries[i], entry, len) == 0 && (entry[len] == '=' || entry[len] == '\0'))
            return true;
    }
    return false;
}

void text_list_free(char **texts)
{
    for (char **text = texts; text && *text; text++)
        free(*text);
    free(texts);
}

void arg_list_add(struct arg_list *list, const char *text)
{
    list->items = xgrow(list->items, &list->cap, list->count + 2, sizeof(*list->items));
    list->items[list->count++] = xstrdup(text);
    list->items[list->count] = NULL;
}

void arg_list_addf(struct arg_list *list, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = xcalloc((size_t)(len > 0 ? len : 0) + 1, 1);
    va_start(args, fmt);
    (void)vsnprintf(text, (size_t)(len > 0 ? len : 0) + 1, fmt, args);
    va_end(args);
    arg_list_add(list, text);
    free(text);
}

void arg_list_add_all(struct arg_list *list, char *const *texts)
{
    for (size_t i = 0; texts && texts[i]; i++)
        arg_list_add(list, texts[i]);
}

bool arg_list_has(const struct arg_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0)
            return true;
    }
    return false;
}

void arg_list_done(struct arg_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct arg_list){0};
}

void text_fill(const char *text, const struct text_filling *fillings, size_t count, struct str *out)
{
    while (*text) {
        const size_t plain = strcspn(text, "{");
        str_add_n(out, text, plain);
        text += plain;
        size_t i = 0;
        while (i < count && (!fillings[i].value ||
                             strncmp(text, fillings[i].word, strlen(fillings[i].word)) != 0))
            i++;
        if (i < count) {
            str_add(out, fillings[i].value);
            text += strlen(fillings[i].word);
        } else if (*text) {
            str_add_char(out, *text++);
        }
    }
}

void arg_list_fill(struct arg_list *list, char *const *texts, const struct text_filling *fillings,
                   size_t count)
{
    for (; texts && *texts; texts++) {
        struct str text = {0};
        text_fill(*texts, fillings, count, &text);
        arg_list_add(list, str_text(&text));
        str_done(&text);
    }
}

void text_list_write(struct str *out, const char *key, char *const *texts)
{
    str_json_key(out, key);
    str_add_char(out, '[');
    for (size_t i = 0; texts && texts[i]; i++) {
        str_add(out, i > 0 ? "," : "");
        str_add_json(out, texts[i], strlen(texts[i]));
    }
    str_add_char(out, ']');
}
