/* text.h - untrusted text for a terminal; lists of strings; words, shell quoting and suggestions.
 * Pure; any thread.
 *
 * All output of a child passes through here before it reaches the screen: no escape sequence,
 * control, direction mark or invisible character survives. Columns are counted by our own table,
 * not by the C library's locale. */
#ifndef DEVS_TEXT_H
#define DEVS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

enum {
    TEXT_LINE_MAX = 4096, /* maximum bytes of a line; longer lines end in an ellipsis */
    TEXT_TAB = 8,         /* columns from one tab stop to the next */
    TEXT_MARKS_MAX = 2,   /* maximum combining marks on one character; more are dropped */
};

/* How text is laid out; flags are or-ed. */
enum text_flag {
    TEXT_PLAIN = 0,
    TEXT_ASCII = 1, /* the ellipsis is "." instead of U+2026 */
    TEXT_PAD = 2,   /* pad with blanks to the requested width */
};

/* Decodes one character. Returns its length in bytes, always 1..4. For invalid UTF-8, or len 0,
 * returns 1 and sets *rune to UINT32_MAX. */
int text_rune(const char *bytes, size_t len, uint32_t *rune);

/* Returns the width of a character in columns: 0 (combining, invisible), 1 or 2; -1 for a control.
 * Ambiguous width counts as 1. */
int rune_width(uint32_t rune);

/* Returns false for characters that may not be shown: controls, direction marks and other
 * invisible format characters. */
bool rune_is_shown(uint32_t rune);

/* Returns the width in columns of output of text_clean(); controls count 0. */
int text_width(const char *utf8, size_t len);

/* Appends one or more lines in a form that is safe for a terminal. Escape sequences are dropped,
 * tabs become blanks, unsafe characters become '?', and line feeds stay. Text before a carriage
 * return is overwritten, lines are cut at TEXT_LINE_MAX bytes, and a character keeps TEXT_MARKS_MAX
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

/* Returns the largest number of bytes, at most `max`, that ends between two characters. */
size_t text_cut(const char *utf8, size_t len, size_t max);
/* Copies a string, cut between two characters if it does not fit into `size` bytes, which must be >
 * 0. */
void text_copy(char *out, size_t size, const char *utf8);
/* Returns the suffix of an ordinal number: "st", "nd", "rd", "th". */
const char *text_ordinal(int number);

/* Returns the length of the escape sequence (CSI, OSC, DCS, SS2, ...) that begins with the ESC at
 * bytes[0]; `len` if it is unfinished. At least 1. */
size_t text_escape_len(const char *bytes, size_t len);

/*
 * Lists of strings. Most are owned and NULL-terminated; NULL if empty.
 */

/* Returns the number of strings; 0 for NULL. */
size_t text_list_count(char *const *texts);
/* Returns true if one of the `count` strings is equal to `text`. */
bool text_is_in(const char *const *texts, size_t count, const char *text);
/* Returns a copy, to be freed with text_list_free(); NULL for NULL. */
char **text_list_copy(char *const *texts);
/* Returns whether one of the first `count` entries, NAME=VALUE, has the name of `entry`. */
bool text_list_names(char *const *entries, size_t count, const char *entry);
/* Frees the strings and the list, which may be NULL. */
void text_list_free(char **texts);
/* Writes "key": ["a","b"], after a comma if needed; an empty list for NULL. */
void text_list_write(struct str *out, const char *key, char *const *texts);

/* A growing argv of owned strings, always NULL-terminated. All zero is an empty list. Any thread,
 * but each list belongs to one thread at a time. */
struct arg_list {
    char **items; /* owned, as are its elements; NULL if empty */
    size_t count, cap;
};

/* Appends a copy of the string. */
void arg_list_add(struct arg_list *list, const char *text);
/* Appends a string of any length, formatted like printf(). */
ATTR_PRINTF(2, 3) void arg_list_addf(struct arg_list *list, const char *fmt, ...);
/* Appends copies of a NULL-terminated array, which may be NULL. */
void arg_list_add_all(struct arg_list *list, char *const *texts);
/* Returns whether the list contains the string. */
bool arg_list_has(const struct arg_list *list, const char *text);
/* Frees the strings; the list is then empty. */
void arg_list_done(struct arg_list *list);

/* A word in braces, such as "{job}", and what replaces it; NULL = the word stays. */
struct text_filling {
    const char *word, *value;
};
/* Appends the text with its words in braces replaced. Words in a value stay. */
void text_fill(const char *text, const struct text_filling *fillings, size_t count,
               struct str *out);
/* Appends each text of a NULL-terminated array, which may be NULL, filled like that. */
void arg_list_fill(struct arg_list *list, char *const *texts, const struct text_filling *fillings,
                   size_t count);

/*
 * Comparing and finding words, ignoring case (ASCII). Pure.
 */

/* Returns true if `text` begins with `beginning`; always for "". */
bool words_begin(const char *text, const char *beginning);

/* Returns a pointer to `needle` in the first `len` bytes of `text`, or NULL. An empty needle is
 * never found. */
const char *words_find(const char *text, size_t len, const char *needle);

/*
 * Quotes a command for a shell, for people who copy it. Pure.
 */

/* Appends a word: unchanged if no shell would change it, otherwise in single quotes, including line
 * feeds (POSIX.1-2017, XCU 2.2.2). */
void shell_word_add(const char *word, struct str *out);

/* Appends `count` words separated by blanks. */
void shell_words_add(char *const *words, int count, struct str *out);

/*
 * Suggestions: the nearest known word to a misspelled one.
 *
 * The distance is Levenshtein's over bytes. Words are alike if at most one letter in three
 * differs (or one of a shorter word), or if only the case differs.
 */

enum {
    NEAR_WORD_FAR = 3,        /* words that differ in this many letters or more are not alike */
    NEAR_WORD_BYTES_MAX = 64, /* maximum bytes; longer words are never alike */
};

/* A search: the given word, and the best candidate so far. */
struct near_word {
    const char *word;    /* borrowed */
    const char *nearest; /* borrowed from the caller that offered it; NULL = none */
    int distance;        /* distance of `nearest`; 0 = only the case differs */
};

/* Begins a search. Borrows the word as long as the value is used. */
struct near_word near_word_new(const char *word);

/* Offers a candidate. If several are equally near, keeps the first. A candidate that shares nothing
 * with the word is not alike. */
void near_word_offer(struct near_word *near, const char *candidate);

/* Returns the cost of an offer: the number of pairs of letters that it compares. */
size_t near_word_pairs(const struct near_word *near, const char *candidate);

/* Returns the number of single-letter changes between two words, at most NEAR_WORD_FAR. O(length
 * x length). */
int near_word_distance(const char *a, const char *b);

#endif
