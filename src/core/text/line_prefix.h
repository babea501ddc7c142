/*
 * line_prefix.h - what a log puts before the line of a program: time stamps, marks of a CI
 * runner, the name of a service or a build step, a level. Pure.
 */
#ifndef DEVS_LINE_PREFIX_H
#define DEVS_LINE_PREFIX_H

#include <stddef.h>

enum {
    LINE_PREFIX_MAX = 256, /* bytes of a line that a prefix may take */
};

/* Length of the prefix, blanks after it included; 0 if the line has none. Levels below
 * "error" stay, since they say that the line is no failure. A line that begins with the blanks
 * of a line above that a prefix of marks has indented loses them too: *indent is that width,
 * 0 at first. */
size_t line_prefix_len(const char *line, size_t len, size_t *indent);

#endif
