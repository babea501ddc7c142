/*
 * rule_pattern.c - one pattern of a rule, compiled by PCRE2 and matched within limits.
 *
 * Output may be hostile, so a match that takes too many steps ends without a result. Matching works
 * on bytes, not on characters.
 */
#include "rule_pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "xalloc.h"

struct rule_pattern {
    pcre2_code *code;
};

struct rule_matcher {
    pcre2_match_data *data;
    pcre2_match_context *context;
};

/* Matches bytes, not characters, because the text is clean and no pattern needs letters outside
 * ASCII. Possessive optimizations are off, because PCRE2 does not count them as steps:
 * x{1,4000}x{1,4000}y would be cubic and within every limit. */
bool rule_pattern_open(struct rule_pattern **out, const char *source, struct err *err)
{
    int number = 0;
    size_t at = 0;
    if (strlen(source) > RULE_PATTERN_MAX)
        return err_set(err, ERR_INVALID, "pattern: longer than %d bytes", RULE_PATTERN_MAX);
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)source, PCRE2_ZERO_TERMINATED,
                                     PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | PCRE2_NO_AUTO_POSSESS,
                                     &number, &at, NULL);
    if (number == PCRE2_ERROR_HEAP_FAILED)
        xalloc_fail();
    if (!code) {
        char why[ERR_HINT_MAX] = {0};
        (void)pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof(why));
        return err_set(err, ERR_INVALID, "pattern, byte %zu: %s", at, why);
    }
    (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* slower without, but correct */

    struct rule_pattern *pattern = xcalloc(1, sizeof(*pattern));
    pattern->code = code;
    *out = pattern;
    return true;
}

int rule_pattern_groups(const struct rule_pattern *pattern)
{
    uint32_t count = 0;
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_CAPTURECOUNT, &count);
    return (int)count;
}

void rule_pattern_close(struct rule_pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_code_free(pattern->code);
    free(pattern);
}

struct rule_matcher *rule_matcher_new(void)
{
    struct rule_matcher *matcher = xcalloc(1, sizeof(*matcher));
    matcher->data = xcheck(pcre2_match_data_create(RULE_SPANS, NULL));
    matcher->context = xcheck(pcre2_match_context_create(NULL));
    (void)pcre2_set_match_limit(matcher->context, RULE_MATCH_LIMIT);
    (void)pcre2_set_depth_limit(matcher->context, RULE_DEPTH_LIMIT);
    return matcher;
}

void rule_matcher_free(struct rule_matcher *matcher)
{
    if (!matcher)
        return;
    pcre2_match_context_free(matcher->context);
    pcre2_match_data_free(matcher->data);
    free(matcher);
}

enum rule_match rule_pattern_match(const struct rule_pattern *pattern, struct rule_matcher *matcher,
                                   const struct rule_subject *subject,
                                   struct rule_span spans[RULE_SPANS])
{
    const uint32_t options =
        (subject->begins ? 0 : PCRE2_NOTBOL) | (subject->ends ? 0 : PCRE2_NOTEOL);
    const int groups = pcre2_match(pattern->code, (PCRE2_SPTR)subject->bytes, subject->len, 0,
                                   options, matcher->data, matcher->context);
    if (groups == PCRE2_ERROR_NOMATCH)
        return RULE_MATCH_NO;
    if (groups < 0)
        return RULE_MATCH_LIMITED;
    const int kept = groups > 0 ? groups : RULE_SPANS; /* 0: more groups than RULE_SPANS */
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(matcher->data);
    for (int i = 0; spans && i < RULE_SPANS; i++) {
        bool set = i < kept && at[2 * i] != PCRE2_UNSET && at[2 * i] <= at[2 * i + 1];
        spans[i] = (struct rule_span){0};
        if (set)
            spans[i] = (struct rule_span){.start = at[2 * i], .end = at[2 * i + 1]};
    }
    return RULE_MATCH_YES;
}
