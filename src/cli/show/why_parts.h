/*
 * why_parts.h - what the parts of why's words share: why.c, why_text.c and why_verdict.c only.
 */
#ifndef DEVS_WHY_PARTS_H
#define DEVS_WHY_PARTS_H

#include "str.h"
#include "verdict.h"

/* The label of a line, and the blanks behind it. */
void why_begin(const char *label, struct str *out);

/* Class, rule, what was found, what keeps an output from fitting its contract, near misses, the
 * server's hint: a line each. */
void why_verdict_words(const struct verdict *verdict, struct str *out);

#endif
