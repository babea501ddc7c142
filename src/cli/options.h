/*
 * options.h - the options of a command as a table, which is parsed and printed as help.
 */
#ifndef DEVS_OPTIONS_H
#define DEVS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"

/* The values of a repeatable option; NULL after the last. */
enum { OPTION_WORDS_MAX = 16 };
struct option_words {
    const char *words[OPTION_WORDS_MAX + 1];
};

/* An option. Exactly one of `flag` and `value` is set. */
struct option_spec {
    const char *name;    /* without the dashes */
    char letter;         /* 0 = none */
    const char *metavar; /* the value's name in the help; NULL for a flag. "T...": repeatable, and
                            value is the `words` of a struct option_words */
    const char *words;
    bool *flag;         /* borrowed: set to true */
    const char **value; /* borrowed: set to the argument */
};

struct options {
    const struct option_spec *specs; /* borrowed */
    size_t count;
    bool rest_after_first; /* the first operand ends the options (exec) */
};

/* Options may be anywhere before "--"; operands are moved to argv[0..*count_out). Fails with
 * ERR_INVALID, which names the wrong word. */
ATTR_MUST_USE bool options_parse(const struct options *options, int argc, char **argv,
                                 int *count_out, struct err *err);

/* Prints one line for each option to stdout. */
void options_help(const struct options *options);

#endif
