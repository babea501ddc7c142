/*
 * clean_text.h - the last part of a stream as the text rules see it: lines
 * without escape sequences and without what a log puts before them (line_prefix.h), a carriage
 * return ends a line, and invalid UTF-8 is '?'. Empty lines are left out. Every line knows its
 * offset in the raw stream. Pure.
 */
#ifndef DEVS_CLEAN_TEXT_H
#define DEVS_CLEAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classify.h"

/*
 * The last part of a stream as the text rules see it: lines without escape sequences and without
 * what a log puts before them (line_prefix.h), a carriage return ends a line, and invalid UTF-8
 * is '?'. Empty lines are left out. Every line knows its offset in the raw stream. Pure.
 */

/* What is known of a line; the guards are asked at most once. */
enum clean_line_state { CLEAN_LINE_UNKNOWN, CLEAN_LINE_SPOKEN, CLEAN_LINE_QUOTED };

enum {
    CLEAN_PART_LEN = 4096,     /* a longer line is cut into parts, at a blank or a comma */
    CLEAN_PART_MAX = 2 * 4096, /* or here, if it has none */
};

/* A line, or a part of a long one. */
struct clean_line {
    size_t start;    /* in clean_text.bytes */
    size_t len;      /* without the line feed */
    int64_t offset;  /* of its first byte, its prefix included, in the whole raw stream */
    int64_t number;  /* line feeds before it in the text given, plus 1 */
    uint64_t guards; /* for the scan: guards that have a literal here */
    bool continues;  /* the line before is a part of the same one */
    enum clean_line_state state;
};

struct clean_text {
    char *bytes; /* owned; lines end in '\n', and a NUL ends it all */
    size_t len;
    struct clean_line *lines; /* owned */
    size_t count;
    size_t cap;
    size_t indent; /* of the lines below a prefix; see line_prefix_len() */
};

/* At most CLASSIFY_TAIL_MAX bytes are looked at, the last of them. */
void clean_text_init(struct clean_text *text, const struct classify_text *raw);
void clean_text_done(struct clean_text *text);

/* Index of the first of the last `count` lines that hold anything. */
size_t clean_text_tail(const struct clean_text *text, int count);

/*
 * What a log puts before the line of a program: time stamps, marks of a CI runner, the name of a
 * service or a build step, a level. Pure.
 */

enum {
    LINE_PREFIX_MAX = 256, /* bytes of a line that a prefix may take */
};

/* Length of the prefix, blanks after it included; 0 if the line has none. Levels below
 * "error" stay, since they say that the line is no failure. A line that begins with the blanks
 * of a line above that a prefix of marks has indented loses them too: *indent is that width,
 * 0 at first. */
size_t line_prefix_len(const char *line, size_t len, size_t *indent);

#endif
