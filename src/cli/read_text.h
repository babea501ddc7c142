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

#endif
