/*
 * redact_lines.h - the patterns of the settings, tried on one line or a window of one.
 */
#ifndef DEVS_REDACT_LINES_H
#define DEVS_REDACT_LINES_H

#include "redactor.h"

/* A cut of that name from `start` to `end` in the subject. */
typedef void redact_line_fn(void *ctx, size_t start, size_t end, int name);

/* Tells what the redactor's patterns match in the subject. A pattern that comes to its limits
 * cuts the rest of the subject: nobody knows what is in it. */
void redact_lines_match(const struct redactor *redactor, struct rule_matcher *matcher,
                        const struct rule_subject *subject, redact_line_fn *found, void *ctx);

#endif
