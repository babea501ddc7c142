/*
 * agent_output.h - the file that an agent's result goes to. Any thread.
 */
#ifndef DEVS_AGENT_OUTPUT_H
#define DEVS_AGENT_OUTPUT_H

#include "attr.h"
#include "err.h"
#include "str.h"

/* Write the text to `path` (relative, sound) below the folder `dir`, as a whole or not at all, for
 * the owner alone; folders that are missing above it are made. An agent may have put a link
 * anywhere there: none is followed. */
ATTR_MUST_USE bool agent_output_write(const char *dir, const char *path, const struct str *text,
                                      struct err *err);

#endif
