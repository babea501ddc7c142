/*
 * run_choice.h - RUN... on the command line: which runs of one log are meant.
 */
#ifndef DEVS_RUN_CHOICE_H
#define DEVS_RUN_CHOICE_H

#include <stdint.h>

#include "attr.h"
#include "command.h"
#include "err.h"
#include "log_reader.h"

enum { RUN_CHOICE_MAX = 10000 }; /* runs of one command */

struct run_choice {
    int64_t *runs; /* owned; numbers, in the order that they were named; each is there */
    size_t count, cap;
};
void run_choice_done(struct run_choice *choice);

/* The words: 41, #41, last, 38-41 (those of them that there are), all; or a FILE that is a log,
 * alone or before them. None: the newest run. *reader is opened on that log and belongs to the
 * caller, also where this fails (NULL: it was not opened). ERR_INVALID for a word that is no run,
 * ERR_NOT_FOUND for one that there is not, ERR_LIMIT for more than RUN_CHOICE_MAX. */
ATTR_MUST_USE bool run_choice_find(const struct globals *globals, char *const *words, int count,
                                   struct log_reader **reader, struct run_choice *out,
                                   struct err *err);

/* The same of words none of which is a FILE, in a log that is open. None adds nothing. */
ATTR_MUST_USE bool run_choice_add(struct log_reader *reader, char *const *words, int count,
                                  struct run_choice *out, struct err *err);

#endif
