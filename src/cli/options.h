/*
 * options.h - options of a command as a table: it parses, and it prints the help.
 */
#ifndef DEVS_OPTIONS_H
#define DEVS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"

/* What was said with an option that may be said again; NULL behind the last. */
enum { OPTION_WORDS_MAX = 16 };
struct option_words {
    const char *words[OPTION_WORDS_MAX + 1];
};

/* One option. Exactly one of `flag` and `value` is set. */
struct option_spec {
    const char *name;    /* without the dashes */
    char letter;         /* 0 = none */
    const char *metavar; /* what the value is called in the help; NULL for a flag. "T...": it may
                            be said again, and value is a struct option_words's `words` */
    const char *words;
    bool *flag;         /* borrowed: set to true */
    const char **value; /* borrowed: set to the argument's text */
};

struct options {
    const struct option_spec *specs; /* borrowed */
    size_t count;
    bool rest_after_first; /* the first operand ends the options (exec) */
};

/* Options may stand anywhere before "--"; operands are moved to argv[0..*count_out).
 * ERR_INVALID names the word that is wrong. */
ATTR_MUST_USE bool options_parse(const struct options *options, int argc, char **argv,
                                 int *count_out, struct err *err);

/* A line an option, on stdout. */
void options_help(const struct options *options);

#endif
