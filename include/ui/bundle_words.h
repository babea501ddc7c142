/* bundle_words.h - the contents of a bundle and what was redacted, as text that the user reads
 * before the bundle is written. Pure. */
#ifndef DEVS_BUNDLE_WORDS_H
#define DEVS_BUNDLE_WORDS_H

#include <stdbool.h>

#include "bundle.h"
#include "str.h"

/* Appends the run, the file and the names of redacted secrets as lines; with `is_whole`, also the
 * parts of the run that the file contains. Output is safe for a terminal, as from text_clean(). */
void bundle_words(const struct bundle_contents *contents, const char *file, bool is_whole,
                  struct str *out);

#endif
