/*
 * text.h - what strangers' bytes may become on a terminal. Pure; any thread.
 *
 * Nothing that a child wrote reaches the screen but through here: no escape
 * sequence, control, direction mark or invisible character survives, and
 * columns are counted by our own table, not by the C library's locale.
 */
#ifndef DEVS_TEXT_H
#define DEVS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

enum {
    TEXT_LINE_MAX = 4096, /* bytes of one line, longer ones end in an ellipsis */
    TEXT_TAB = 8,         /* columns from one tab stop to the next */
    TEXT_MARKS_MAX = 2,   /* combining marks on one character, more are dropped */
};

/* How text is laid out; flags are or-ed. */
enum text_flag {
    TEXT_PLAIN = 0,
    TEXT_ASCII = 1, /* the mark of a cut is "." instead of U+2026 */
    TEXT_PAD = 2,   /* fill with blanks up to the width asked for */
};

/* Decode one character. Returns how many bytes it takes, always 1..4; for
 * bytes that are not UTF-8 (or len 0) *rune is UINT32_MAX and the result 1. */
int text_rune(const char *bytes, size_t len, uint32_t *rune);

/* Columns of one character: 0 (combining, invisible), 1 or 2. -1 for a
 * control. Ambiguous width counts as 1. */
int rune_width(uint32_t rune);

/* May the character be shown as it is? False for controls, direction marks and
 * other invisible format characters. */
bool rune_is_shown(uint32_t rune);

/* Columns of a text that text_clean() made; other controls count nothing. */
int text_width(const char *utf8, size_t len);

/* Append the bytes, one line or many, fit for a terminal: escape sequences are
 * dropped, tabs become blanks, what may not be shown becomes '?', line feeds
 * stay, text before a carriage return is overwritten (dropped), lines are cut at
 * TEXT_LINE_MAX bytes, and a character keeps TEXT_MARKS_MAX combining marks. */
void text_clean(struct str *out, const char *bytes, size_t len);

/* The same on one line: a line feed becomes a blank. */
void text_clean_line(struct str *out, const char *bytes, size_t len);

/* Append the bytes with all that may not be shown as it is written \uXXXX, as JSON does, also what
 * is no UTF-8 (by its bytes) and combining marks past TEXT_MARKS_MAX. Line feeds stay. A JSON text
 * means the same afterwards. */
void text_escape(struct str *out, const char *bytes, size_t len);

/* Append as much of one clean line as fits into `columns`. */
void text_fit(struct str *out, const char *utf8, int columns, int flags);

/* The largest number of bytes <= max that ends between two characters. */
size_t text_cut(const char *utf8, size_t len, size_t max);

/* Bytes of the escape sequence (CSI, OSC, DCS, SS2, ...) that begins at
 * bytes[0], an ESC; all of them if it is not finished. At least 1. */
size_t text_escape_len(const char *bytes, size_t len);

#endif
