#include "redact_lines.h"

/* The whole match, or its first group that took part and is not empty. */
static struct rule_span choose(const struct rule_span spans[RULE_SPANS])
{
    for (int i = 1; i < RULE_SPANS; i++) {
        if (spans[i].end > spans[i].start)
            return spans[i];
    }
    return spans[0];
}

/* One match at or after `from`; where to look for the next one. */
static size_t match_once(const struct rule_pattern *pattern, struct rule_matcher *matcher,
                         const struct rule_subject *subject, size_t from, struct rule_span *found)
{
    struct rule_span spans[RULE_SPANS];
    const struct rule_subject rest = {.bytes = subject->bytes + from,
                                      .len = subject->len - from,
                                      .begins = subject->begins && from == 0,
                                      .ends = subject->ends};
    *found = (struct rule_span){.start = from, .end = subject->len};
    switch (rule_pattern_match(pattern, matcher, &rest, spans)) {
    case RULE_MATCH_LIMITED:
        return subject->len;
    case RULE_MATCH_NO:
        found->end = from;
        return subject->len;
    case RULE_MATCH_YES:
        break;
    }
    const struct rule_span chosen = choose(spans);
    found->start = from + chosen.start;
    found->end = from + chosen.end;
    const size_t end = spans[0].end > chosen.end ? spans[0].end : chosen.end;
    return from + (end > 0 ? end : 1);
}

void redact_lines_match(const struct redactor *redactor, struct rule_matcher *matcher,
                        const struct rule_subject *subject, redact_line_fn *found, void *ctx)
{
    for (size_t i = 0; i < redactor->pattern_count; i++) {
        size_t from = 0;
        while (from < subject->len) {
            struct rule_span span;
            from = match_once(redactor->patterns[i], matcher, subject, from, &span);
            if (span.end > span.start)
                found(ctx, span.start, span.end, redactor->pattern_names[i]);
        }
    }
}
