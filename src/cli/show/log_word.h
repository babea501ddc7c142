/*
 * log_word.h - RUN on the command line of `devs debug`, or a FILE that is a log.
 */
#ifndef DEVS_LOG_WORD_H
#define DEVS_LOG_WORD_H

#include "attr.h"
#include "command.h"
#include "err.h"
#include "place.h"
#include "target.h"

/* NULL and "last" are the newest run of the project's log. A word that begins with '/' or '.', or
 * names a file, is a log, and its newest run is meant. Anything else is as target_parse() says, but
 * that what looks like the name of a file, and is none, is ERR_NOT_FOUND. */
ATTR_MUST_USE bool log_word_find(const struct globals *globals, const char *word,
                                 struct place *place, struct target *target, struct err *err);

#endif
