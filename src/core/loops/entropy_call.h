/*
 * entropy_call.h - what a call is: its key, and what sort of call. Private to core.
 *
 * The key is the tool's name and its arguments as canonical JSON (sorted keys, 1.0 = 1,
 * null = absent) without what only talks about the call (a description, a thought, the
 * call's own id), commands squeezed as entropy_shell.h says. Of a plan only the pattern of
 * its statuses counts. What N masks in a result is masked in the key too: an id that is
 * made anew for each lap would hide the circle. Whether arguments are new is told by the
 * exact text.
 */
#ifndef DEVS_ENTROPY_CALL_H
#define DEVS_ENTROPY_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "digest.h"
#include "entropy.h"
#include "entropy_alike.h"
#include "entropy_shell.h"

struct json;
struct normaliser_words;

enum {
    CALL_WORDS_MAX = 24,          /* words of a call's text that are kept */
    CALL_WORD_NAMES = 1 << 0,     /* two letters at least, and no wildcard */
    CALL_WORD_IS_PATH = 1 << 1,   /* with a slash, a dot or a dash in it */
    CALL_WORD_IS_SYMBOL = 1 << 2, /* as in code: with_this or withThis */
    CALL_WORD_IS_OPTION = 1 << 3, /* of a command, without a value in it */
    CALL_WORD_IS_HOST = 1 << 4,   /* an address, or a name with a dot or a dash and no slash */
    CALL_WORD_HAS_DIGIT = 1 << 5,
};

struct entropy_call {
    enum entropy_kind kind;
    unsigned traits;                /* CALL_... of entropy_tool.h */
    struct digest key;              /* ids, times and the like masked as in results */
    uint64_t exact;                 /* of the same as it is */
    bool grows;                     /* it is the call before with something put behind */
    uint64_t scope;                 /* of the names in the call, in any order: what it asks about */
    uint64_t tool;                  /* of its name */
    uint64_t path;                  /* of the file it is about, 0: none */
    int word_count;                 /* of its text, split at blanks; 0: too many */
    uint64_t words[CALL_WORDS_MAX]; /* hashes */
    unsigned char word_bits[CALL_WORDS_MAX];
    int echo_count;
    uint64_t echoes[SHELL_ECHOES_MAX]; /* lines of the result that are its own echo */
    struct word_set said; /* of a message: its words; of a rewrite: the new content's; else
                             the names in its arguments */
};

/* What is kept of a call's exact text, to see whether the next one is more of the same. */
struct call_text {
    uint64_t hash;
    size_t len;
};

/* Reads the call. *before is of the call before and becomes this one's. `words` (may be
 * NULL) takes in the call's own words. */
void entropy_call_read(struct entropy_call *call, struct call_text *before, const char *tool,
                       const struct json *args, struct normaliser_words *words);

/* The text of a call that is a message: args.text, or the first string there is; NULL for
 * none. Borrowed from args. */
const char *entropy_call_text(const struct json *args);

#endif
