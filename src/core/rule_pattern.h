/*
 * rule_pattern.h - one regular expression; the only place that knows PCRE2.
 *
 * Patterns are read-only once compiled and may be shared by threads; a matcher
 * is the memory of one thread. Subjects are bytes of one line.
 */
#ifndef DEVS_RULE_PATTERN_H
#define DEVS_RULE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"

enum {
    RULE_MATCH_LIMIT = 20000, /* steps of one match; more counts as no match */
    RULE_SPANS = 3,           /* the match and its first two groups */
};

struct rule_pattern;
struct rule_matcher;

/* A place in a subject; start == end for a group that took no part. */
struct rule_span {
    size_t start;
    size_t end;
};

/* ERR_INVALID says where the pattern is wrong. */
ATTR_MUST_USE bool rule_pattern_open(struct rule_pattern **out, const char *source,
                                     struct err *err);
void rule_pattern_close(struct rule_pattern *pattern);

ATTR_MUST_USE struct rule_matcher *rule_matcher_new(void);
void rule_matcher_free(struct rule_matcher *matcher);

/* spans may be NULL. */
bool rule_pattern_matches(const struct rule_pattern *pattern, struct rule_matcher *matcher,
                          const char *bytes, size_t len, struct rule_span spans[RULE_SPANS]);

#endif
