/*
 * classify_facts.h - what devs knows about the end of an attempt. Pure.
 */
#ifndef DEVS_CLASSIFY_FACTS_H
#define DEVS_CLASSIFY_FACTS_H

#include <stdbool.h>

#include "classify.h"

/* Judges by facts alone: devs ended it, it never started, a signal, a memory counter. Returns
 * false and leaves *out alone if text or the exit code must decide. */
bool facts_judge(const struct classify_input *input, struct verdict *out);

/* Returns 15 for "SIGTERM"; 0 for an unknown name. */
int facts_signal_number(const char *name);

#endif
