/*
 * why_parts.h - what the parts of why's words share: why*.c only.
 */
#ifndef DEVS_WHY_PARTS_H
#define DEVS_WHY_PARTS_H

#include "str.h"
#include "verdict.h"
#include "why.h"

/* The label of a line, and the blanks behind it. */
void why_begin(const char *label, struct str *out);

/* Class, rule, what was found, what keeps an output from fitting its contract, near misses, the
 * server's hint: a line each. */
void why_verdict_words(const struct verdict *verdict, struct str *out);

/* That it goes in circles, or may: from which try to which, and what was equal, a line each;
 * nothing where it does not. */
void why_circle_words(const struct why *why, struct str *out);

#endif
