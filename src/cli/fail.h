/*
 * fail.h - errors for people: "devs: what: why" on stderr, and a hint.
 */
#ifndef DEVS_FAIL_H
#define DEVS_FAIL_H

#include "attr.h"
#include "err.h"

/* Print the error and return the exit code for it. */
int fail(const struct err *err);
/* Print an error made on the spot and return EXIT_USAGE. The hint may be NULL. */
ATTR_PRINTF(2, 3) int fail_usage(const char *hint, const char *fmt, ...);
enum { SAY_MAX = 16 * 1024 };

struct violations;
/* Print how many things are wrong with `what`, and that for this `so` ("nothing was started"); a
 * line for each, briefly where one mistake was made many times, and return EXIT_USAGE. */
int fail_violations(const char *what, const char *so, const struct violations *violations);
/* A line under an error that was printed: what to do about it. */
void say_hint(const char *text);
/* Text that strangers had a hand in, to stdout: no control byte of theirs goes out. */
void say(const char *text);
/* The same of a text made on the spot, SAY_MAX bytes of it. */
ATTR_PRINTF(1, 2) void sayf(const char *fmt, ...);
/* JSON to stdout. On a terminal what may not be shown is escaped (text_escape()). */
void say_json(const char *text);
/* Lines to stderr, cleaned as say() does. */
void say_error(const char *text);
/* One line on stderr: "devs: ...", cleaned likewise. */
ATTR_PRINTF(1, 2) void warn(const char *fmt, ...);

#endif
