/*
 * count_text.h - a number of things as people read it.
 */
#ifndef DEVS_COUNT_TEXT_H
#define DEVS_COUNT_TEXT_H

#include <stdint.h>

#include "str.h"

/* "1 try", "3 tries". */
void count_text_add(int64_t count, const char *one, const char *many, struct str *out);

#endif
