/*
 * classify_verdict.h - what a rule that holds makes of a verdict: its class, what it went by, when
 * to come back, and what came near. Pure; classify*.c only.
 */
#ifndef DEVS_CLASSIFY_VERDICT_H
#define DEVS_CLASSIFY_VERDICT_H

#include "classify_scan.h"

/* The first rule that holds on what the scan looks at, and what it says. False, and *out untouched,
 * where none does. */
bool classify_by_text(struct scan *scan, struct verdict *out);

/* What this rule says, which holds. */
void classify_by_match(struct verdict *out, struct scan *scan, const struct scan_match *match);

/* The rules that almost held, the most telling first. */
void classify_add_nears(struct verdict *out, const struct scan *scan);

/* The first line as what it went by, or the part of a long one around byte `at`. */
void classify_quote(struct verdict *out, const char *line, size_t len, size_t at);

#endif
