/*
 * read_text.h - a whole file as text, with a limit. Any thread.
 */
#ifndef DEVS_READ_TEXT_H
#define DEVS_READ_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* Add what can be read up to the end. ERR_LIMIT if that is more than max_bytes. */
ATTR_MUST_USE bool read_text(FILE *from, size_t max_bytes, struct str *out, struct err *err);

/* The same of a file by its name, a regular one: a pipe would be waited for, and a device may have
 * no end. ERR_NOT_FOUND if there is none, ERR_INVALID if it is no file. No message has the name. */
ATTR_MUST_USE bool read_text_file(const char *path, size_t max_bytes, struct str *out,
                                  struct err *err);

/* The same of an input that somebody named on the command line: "-" is standard input, and a pipe
 * is waited for. ERR_NOT_FOUND, whose exit code is EXIT_NO_INPUT, where it cannot be opened or
 * read, for whatever reason; ERR_LIMIT as above. No message has the name. */
ATTR_MUST_USE bool read_text_input(const char *path, size_t max_bytes, struct str *out,
                                   struct err *err);

#endif
