/*
 * own_keys.h - a person's own keys for the cockpit, as a JSON object: which keys each act has.
 *
 *   {"retry": ["t"], "help": ["?", "F1"], "// why": "names of acts are those of `devs keys`"}
 *
 * It is partial: an act that it does not name keeps the keys that devs gives it. A key is named as
 * `devs keys` prints it. What is wrong is told and left out, and all the rest counts. Pure; any
 * thread.
 */
#ifndef DEVS_OWN_KEYS_H
#define DEVS_OWN_KEYS_H

#include <stddef.h>

#include "attr.h"
#include "str.h"

enum { OWN_KEYS_BYTES_MAX = 64 * 1024 }; /* of the file */

struct keymap;

/* The keys in force once this text counts. A line is appended to *problems for each thing that is
 * wrong, as in "keys.json:3: x belongs to cancel"; `name` is what the file is called there. The
 * caller ends the keys with own_keys_free(). */
ATTR_MUST_USE struct keymap *own_keys_read(const char *name, const char *text, size_t len,
                                           struct str *problems);
/* NULL is allowed. */
void own_keys_free(struct keymap *keys);

#endif
