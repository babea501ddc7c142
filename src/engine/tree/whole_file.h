/*
 * whole_file.h - a small file that is there as a whole or not at all. Any thread.
 */
#ifndef DEVS_WHOLE_FILE_H
#define DEVS_WHOLE_FILE_H

#include "attr.h"
#include "err.h"
#include "str.h"

/* Write the text beside the path, for the owner alone, and rename it into place. A link at either
 * name is not followed. Nothing is left beside it where that fails. */
ATTR_MUST_USE bool whole_file_write(const char *path, const struct str *text, struct err *err);

/* The same of a name in a folder that is open; messages say the name. */
ATTR_MUST_USE bool whole_file_write_at(int folder, const char *name, const struct str *text,
                                       struct err *err);

#endif
