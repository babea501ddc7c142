/*
 * save_file.h - a file that is written whole or not at all. Any thread.
 */
#ifndef DEVS_SAVE_FILE_H
#define DEVS_SAVE_FILE_H

#include "attr.h"
#include "err.h"
#include "str.h"

/* Make `text` the content of the file. Whoever reads it sees the old text or the new one, also
 * after a crash; a file that is there keeps its mode. ERR_IO or ERR_INVALID if it cannot be
 * written; the old file is untouched then. */
ATTR_MUST_USE bool save_file(const char *path, const struct str *text, struct err *err);

#endif
