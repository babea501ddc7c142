/*
 * text_file.h - reads a whole file as text, with a limit, and replaces a file safely. Any thread.
 */
#ifndef DEVS_TEXT_FILE_H
#define DEVS_TEXT_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* Appends everything up to the end of the file. Fails with ERR_LIMIT after max_bytes. */
ATTR_MUST_USE bool read_text(FILE *from, size_t max_bytes, struct str *out, struct err *err);

/* Opens a regular file for reading: settings, contracts, and other files of a project. A FIFO
 * would block, and a device may have no end. The caller closes it. Returns NULL with
 * ERR_NOT_FOUND if the file does not exist, ERR_INVALID if it is not a regular file or cannot be
 * opened; messages do not contain the name. */
ATTR_MUST_USE FILE *read_text_open(const char *path, struct err *err);

/* Opens an input named on the command line: a regular file, or a descriptor by name (/dev/stdin,
 * /dev/fd/N, /proc/self/fd/N), which may be a pipe. The caller closes it. Returns -1 with
 * ERR_NOT_FOUND if it is neither or cannot be opened; messages do not contain the name. */
ATTR_MUST_USE int read_text_input_fd(const char *path, struct err *err);

/* Like read_text() for a regular file by its name; fails like read_text_open(). */
ATTR_MUST_USE bool read_text_file(const char *path, size_t max_bytes, struct str *out,
                                  struct err *err);

/* Like read_text() for an input named on the command line, as in read_text_input_fd(); "-" is
 * standard input. Fails with ERR_NOT_FOUND, whose exit code is EXIT_NO_INPUT, if it cannot be
 * opened or read for any reason, and with ERR_LIMIT as above. Messages do not contain the name. */
ATTR_MUST_USE bool read_text_input(const char *path, size_t max_bytes, struct str *out,
                                   struct err *err);

/* Writes the whole text. Sets errno on failure. */
ATTR_MUST_USE bool write_text_fd(int fd, const struct str *text);

/* Replaces the content of the file atomically: readers see the old or the new text, also after a
 * crash. An existing file keeps its mode. Fails with ERR_IO or ERR_INVALID, leaving the old file
 * unchanged. */
ATTR_MUST_USE bool save_file(const char *path, const struct str *text, struct err *err);

#endif
