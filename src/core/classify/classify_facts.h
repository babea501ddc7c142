/*
 * classify_facts.h - what we know ourselves about an attempt's end. Pure.
 */
#ifndef DEVS_CLASSIFY_FACTS_H
#define DEVS_CLASSIFY_FACTS_H

#include <stdbool.h>

#include "classify.h"

/* Judge by facts alone: we ended it, it never started, a signal, a memory
 * counter. False, and *out untouched, where text or the exit code must say. */
bool facts_judge(const struct classify_input *input, struct verdict *out);

/* "SIGTERM" -> 15; 0 for a name that is not known. */
int facts_signal_number(const char *name);

#endif
