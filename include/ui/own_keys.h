/*
 * own_keys.h - user-defined keys for the cockpit, as a JSON object that maps each act to its keys,
 * and the key table as text.
 *
 *   {"retry": ["t"], "help": ["?", "F1"], "// why": "names of acts are those of `devs keys`"}
 *
 * The object is partial: an act that is not listed keeps its default keys. Keys are named as `devs
 * keys` prints them. Invalid entries are reported and skipped; the rest still applies. Pure; any
 * thread.
 */
#ifndef DEVS_OWN_KEYS_H
#define DEVS_OWN_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "str.h"

enum { OWN_KEYS_BYTES_MAX = 64 * 1024 }; /* maximum size of the file */

struct keymap;

/* Returns the default keys with the changes in `text` applied. Appends a line to *problems for each
 * invalid entry, such as "keys.json:3: x belongs to cancel", where `name` is the file name to show.
 * The caller frees the keys with own_keys_free(). */
ATTR_MUST_USE struct keymap *own_keys_read(const char *name, const char *text, size_t len,
                                           struct str *problems);
/* Frees the keys, which may be NULL. */
void own_keys_free(struct keymap *keys);

/*
 * The cockpit's keys as text. Any thread.
 */

/* Appends the whole key table as text, one key per line: key, group, act, where it works, what it
 * does. Marks keys that the user has changed. `keys` may be NULL for the default keys. */
void keymap_to_text(const struct keymap *keys, bool ascii, struct str *out);
/* Appends the key table as elements of a JSON array, one object per key. The caller writes the
 * brackets. */
void keymap_to_json(const struct keymap *keys, struct str *out);

#endif
