/* rule_pattern.h - one regular expression of a rule, on PCRE2.
 *
 * Compiled patterns are read-only and may be shared by threads. A matcher is the working memory of
 * one thread. Subjects are the bytes of one line. */
#ifndef DEVS_RULE_PATTERN_H
#define DEVS_RULE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"

enum {
    RULE_PATTERN_MAX = 4096,  /* maximum bytes of a pattern */
    RULE_MATCH_LIMIT = 20000, /* maximum steps of one match; with more, the result is LIMITED */
    RULE_DEPTH_LIMIT = 2000,  /* maximum nested tries of one match; with more, it is LIMITED */
    RULE_SPANS = 10,          /* the match and its first nine groups */
};

struct rule_pattern;
struct rule_matcher;

/* A range in a subject; start == end for a group that did not match. */
struct rule_span {
    size_t start;
    size_t end;
};

/* Compiles a pattern. Fails with ERR_INVALID; the message says where the pattern is wrong. */
ATTR_MUST_USE bool rule_pattern_open(struct rule_pattern **out, const char *source,
                                     struct err *err);
/* Returns the number of capturing groups. */
int rule_pattern_groups(const struct rule_pattern *pattern);
/* Frees the pattern; NULL is allowed. */
void rule_pattern_close(struct rule_pattern *pattern);

/* Allocates the memory for matches, with the limits of steps and depth. For use by one thread at a
 * time. */
ATTR_MUST_USE struct rule_matcher *rule_matcher_new(void);
/* Frees the matcher; NULL is allowed. */
void rule_matcher_free(struct rule_matcher *matcher);

/* A line, or a part of one that is too long to be searched at once. */
struct rule_subject {
    const char *bytes;
    size_t len;
    bool begins; /* the first byte is the first of the line, where '^' matches */
    bool ends;   /* the last byte is the last of the line, where '$' matches */
};

enum rule_match { RULE_MATCH_NO, RULE_MATCH_YES, RULE_MATCH_LIMITED };

/* Returns LIMITED if a limit was reached, so the result is unknown. `spans` may be NULL. */
enum rule_match rule_pattern_match(const struct rule_pattern *pattern, struct rule_matcher *matcher,
                                   const struct rule_subject *subject,
                                   struct rule_span spans[RULE_SPANS]);

#endif
