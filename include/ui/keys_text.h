/*
 * keys_text.h - the cockpit's keys as text. Any thread.
 */
#ifndef DEVS_KEYS_TEXT_H
#define DEVS_KEYS_TEXT_H

#include <stdbool.h>

#include "str.h"

struct keymap;

/* Appends the whole key table as text, one key per line: key, group, act, where it works, what it
 * does. Marks keys that the user has changed. `keys` may be NULL for the default keys. */
void keymap_to_text(const struct keymap *keys, bool ascii, struct str *out);
/* Appends the key table as elements of a JSON array, one object per key. The caller writes the
 * brackets. */
void keymap_to_json(const struct keymap *keys, struct str *out);

#endif
