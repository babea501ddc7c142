/*
 * text.h - untrusted text for a terminal. Pure; any thread.
 *
 * Everything that a child wrote passes through here before it reaches the screen: no escape
 * sequence, control, direction mark or invisible character survives. Columns are counted by our
 * own table, not by the C library's locale.
 */
#ifndef DEVS_TEXT_H
#define DEVS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

enum {
    TEXT_LINE_MAX = 4096, /* bytes of a line; longer ones end in an ellipsis */
    TEXT_TAB = 8,         /* columns from one tab stop to the next */
    TEXT_MARKS_MAX = 2,   /* combining marks on one character; more are dropped */
};

/* How text is laid out; flags are or-ed. */
enum text_flag {
    TEXT_PLAIN = 0,
    TEXT_ASCII = 1, /* the ellipsis is "." instead of U+2026 */
    TEXT_PAD = 2,   /* pad with blanks to the requested width */
};

/* Decodes one character. Returns its bytes, always 1..4. For invalid UTF-8, or len 0, returns 1
 * and sets *rune to UINT32_MAX. */
int text_rune(const char *bytes, size_t len, uint32_t *rune);

/* Returns the columns of a character: 0 (combining, invisible), 1 or 2; -1 for a control.
 * Ambiguous width counts as 1. */
int rune_width(uint32_t rune);

/* Returns false for characters that may not be shown: controls, direction marks and other
 * invisible format characters. */
bool rune_is_shown(uint32_t rune);

/* Returns the columns of a text from text_clean(); controls count 0. */
int text_width(const char *utf8, size_t len);

/* Appends one or more lines, fit for a terminal. Escape sequences are dropped, tabs become
 * blanks, unsafe characters become '?', and line feeds stay. Text before a carriage return is
 * overwritten, lines are cut at TEXT_LINE_MAX bytes, and a character keeps TEXT_MARKS_MAX
 * combining marks. */
void text_clean(struct str *out, const char *bytes, size_t len);

/* Like text_clean(), for one line: line feeds become blanks. */
void text_clean_line(struct str *out, const char *bytes, size_t len);

/* Appends the bytes with everything unsafe written as \uXXXX, as in JSON: also invalid UTF-8
 * (byte by byte) and combining marks after the first TEXT_MARKS_MAX. Line feeds stay. The
 * meaning of a JSON text does not change. */
void text_escape(struct str *out, const char *bytes, size_t len);

/* Appends as much of a clean line as fits into `columns`. */
void text_fit(struct str *out, const char *utf8, int columns, int flags);

/* Returns the largest number of bytes <= max that ends between two characters. */
size_t text_cut(const char *utf8, size_t len, size_t max);
/* Copies a text, cut between two characters if it does not fit into `size` > 0 bytes. */
void text_copy(char *out, size_t size, const char *utf8);
/* Returns what follows a number that says which: "st", "nd", "rd", "th". */
const char *text_ordinal(int number);

/* Returns the bytes of the escape sequence (CSI, OSC, DCS, SS2, ...) that begins with the ESC at
 * bytes[0]; all bytes if it is unfinished. At least 1. */
size_t text_escape_len(const char *bytes, size_t len);

#endif
