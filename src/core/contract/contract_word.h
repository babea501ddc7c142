/*
 * contract_word.h - patterns of the commonest form, "^[A-Za-z][A-Za-z0-9_-]{0,63}$": a character of
 * a class each, of the last class several. They need no machine, and there are names in each task
 * of a plan. No thread of its own; a word does not change once read.
 */
#ifndef DEVS_CONTRACT_WORD_H
#define DEVS_CONTRACT_WORD_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"

enum { CONTRACT_WORD_PARTS = 8 }; /* classes of one pattern, at most */

struct contract_word {
    unsigned char parts[256]; /* by byte: a bit for each class that has it */
    size_t count;             /* of classes; 0: it is no such pattern */
    size_t min, max;          /* bytes of a word */
};

/* False where it is not of this form, or is wrong; *out is then untouched. */
ATTR_MUST_USE bool contract_word_read(struct contract_word *out, const char *pattern, size_t len);

/* Does the pattern match the text? O(its bytes), and never more than `max`. */
ATTR_MUST_USE bool contract_word_fits(const struct contract_word *word, const char *text,
                                      size_t len);

#endif
