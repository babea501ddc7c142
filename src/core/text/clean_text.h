/*
 * clean_text.h - the end of a stream, as the text rules see it: lines without escape sequences,
 * without log prefixes, and without empty lines. A carriage return ends a line; invalid UTF-8
 * becomes '?'. Each line knows its offset in the raw stream. Pure.
 */
#ifndef DEVS_CLEAN_TEXT_H
#define DEVS_CLEAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classify.h"

/*
 * The lines.
 */

/* Whether a line is quoted, checked at most once per line by the guards. */
enum clean_line_state { CLEAN_LINE_UNKNOWN, CLEAN_LINE_SPOKEN, CLEAN_LINE_QUOTED };

enum {
    CLEAN_PART_LEN = 4096,     /* bytes; a longer line is split at a blank or a comma */
    CLEAN_PART_MAX = 2 * 4096, /* bytes; a line without a blank or comma is split here */
};

/* A line, or a part of a long one. */
struct clean_line {
    size_t start;    /* offset in clean_text.bytes */
    size_t len;      /* length without the line feed */
    int64_t offset;  /* offset of the line, including its prefix, in the whole raw stream */
    int64_t number;  /* number of line feeds before the line in the given text, plus 1 */
    uint64_t guards; /* bits of the guards that have a literal in this line; for the scan */
    bool continues;  /* continues the previous line */
    enum clean_line_state state;
};

struct clean_text {
    char *bytes; /* owned; lines end in '\n'; NUL-terminated */
    size_t len;
    struct clean_line *lines; /* owned */
    size_t count;
    size_t cap;
    size_t indent; /* indent of the lines below a prefix; see line_prefix_len() */
};

/* Reads at most the last CLASSIFY_TAIL_MAX bytes. */
void clean_text_init(struct clean_text *text, const struct classify_text *raw);
void clean_text_done(struct clean_text *text);

/* Returns the index of the first of the last `count` non-empty lines. */
size_t clean_text_tail(const struct clean_text *text, int count);

/*
 * Prefixes that logs put before the line of a program.
 */

enum {
    LINE_PREFIX_MAX = 256, /* maximum bytes of a prefix */
};

/* Returns the length of the prefix including the blanks after it, or 0. Levels below "error" are
 * not part of the prefix, because they show that the line is not a failure. *indent, initially 0,
 * is the width by which a prefix of marks has indented further lines, which lose that many
 * blanks. */
size_t line_prefix_len(const char *line, size_t len, size_t *indent);

#endif
