/*
 * size_text.h - how large something is, for people: "312 bytes", "1.4 MB".
 */
#ifndef DEVS_SIZE_TEXT_H
#define DEVS_SIZE_TEXT_H

#include <stdint.h>

#include "str.h"

/* kB and MB of a thousand and a million bytes. */
void size_text_add(int64_t bytes, struct str *out);

#endif
