/*
 * keys_text.h - the cockpit's keys as text. Any thread.
 */
#ifndef DEVS_KEYS_TEXT_H
#define DEVS_KEYS_TEXT_H

#include <stdbool.h>

#include "str.h"

/* The whole table of keys as lines of text. */
void keymap_to_text(struct str *out, bool ascii);

#endif
