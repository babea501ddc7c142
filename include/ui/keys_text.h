/*
 * keys_text.h - the cockpit's keys as text. Any thread.
 */
#ifndef DEVS_KEYS_TEXT_H
#define DEVS_KEYS_TEXT_H

#include <stdbool.h>

#include "str.h"

struct keymap;

/* The whole table of keys as lines of text: key, group, act, where it works, what it does. Keys
 * that a person has set are marked. NULL: the keys as devs has them. */
void keymap_to_text(const struct keymap *keys, bool ascii, struct str *out);
/* The same as the elements of a JSON array, each an object; the brackets are the caller's. */
void keymap_to_json(const struct keymap *keys, struct str *out);

#endif
