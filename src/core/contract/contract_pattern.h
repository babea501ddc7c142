/*
 * contract_pattern.h - the regular expressions of a contract: ECMA-262, on PCRE2.
 *
 * Patterns do not change once compiled; a matcher is the memory of one check.
 */
#ifndef DEVS_CONTRACT_PATTERN_H
#define DEVS_CONTRACT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"

enum {
    CONTRACT_PATTERN_MAX = 4096,                 /* bytes of a pattern */
    CONTRACT_MATCH_STEPS_FREE = 128,             /* of one match, which cost nothing extra */
    CONTRACT_MATCH_STEPS_MIN = 512,              /* of one match, that it may take */
    CONTRACT_MATCH_STEPS_PER_BYTE = 16,          /* more, for each byte of the text */
    CONTRACT_MATCH_STEPS_MAX = 4 * 1000 * 1000,  /* of one match, however long the text is */
    CONTRACT_MATCH_STEPS_ALL = 20 * 1000 * 1000, /* of all matches of a check, but for the cheap */
    CONTRACT_MATCH_STEPS_TEXT = 4 * 1000 * 1000, /* the same for a text that others wrote */
};

struct contract_pattern;
struct contract_matcher;

/* ERR_INVALID says why it cannot be compiled. */
ATTR_MUST_USE bool contract_pattern_open(struct contract_pattern **out, const char *text,
                                         size_t len, struct err *err);
/* NULL is allowed. */
void contract_pattern_close(struct contract_pattern *pattern);

/* `steps` that all its matches may take, but for the cheap ones. */
struct contract_matcher *contract_matcher_new(int64_t steps);
/* NULL is allowed. */
void contract_matcher_free(struct contract_matcher *matcher);

enum contract_match { CONTRACT_MATCH_NO, CONTRACT_MATCH_YES, CONTRACT_MATCH_LIMITED };

/* Does the pattern match anywhere in the text, which is UTF-8? LIMITED: that would take more
 * steps than the limits allow, so nothing is known. */
enum contract_match contract_pattern_match(const struct contract_pattern *pattern,
                                           struct contract_matcher *matcher, const char *text,
                                           size_t len);

#endif
