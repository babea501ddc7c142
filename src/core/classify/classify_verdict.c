#include "classify_verdict.h"

#include <stdio.h>
#include <string.h>

#include "classify_rules.h"
#include "retry_hint.h"
#include "text.h"

enum {
    MATCH_BEFORE = 40, /* bytes of a long line shown before the match */
    ERR_STREAM = 1,    /* index in scan.streams */
    /* A limit that is in force for so long is a window: parked, not waited on. */
    PARK_LEAST_MS = 3600 * 1000,
};

void classify_quote(struct verdict *out, const char *line, size_t len, size_t at)
{
    const char *end = memchr(line, '\n', len);
    size_t from = 0;
    if (end)
        len = (size_t)(end - line);
    if (len >= VERDICT_MATCH_MAX && at > MATCH_BEFORE)
        from = text_cut(line, len, at - MATCH_BEFORE);
    const size_t size = text_cut(line + from, len - from, VERDICT_MATCH_MAX - 1);

    struct str clean = {0};
    text_clean(&clean, line + from, size);
    const size_t kept = text_cut(str_text(&clean), clean.len, VERDICT_MATCH_MAX - 1);
    memcpy(out->match, str_text(&clean), kept);
    out->match[kept] = '\0';
    str_done(&clean);
}

static void set_evidence(struct verdict *out, const struct scan *scan,
                         const struct scan_match *match)
{
    const struct clean_text *text = &scan->streams[match->stream].text;
    const struct clean_line *line = &text->lines[match->line];
    out->stream = match->stream == ERR_STREAM ? VERDICT_STREAM_ERR : VERDICT_STREAM_OUT;
    out->offset = line->offset;
    out->line = line->number;
    classify_quote(out, text->bytes + line->start, line->len, match->spans[0].start);
}

/* A rule's subtype; "$1" at its end is the group that took part: the first of
 * a pattern with two ways to say the same has none in the other way. */
static void set_rule_subtype(struct verdict *out, const struct scan *scan,
                             const struct scan_match *match)
{
    const char *subtype = match->rule->subtype;
    const char *group = strstr(subtype, "$1");
    if (!group || match->stream < 0) {
        (void)snprintf(out->subtype, sizeof(out->subtype), "%s", subtype);
        return;
    }
    const struct clean_text *text = &scan->streams[match->stream].text;
    const bool first = match->spans[1].end > match->spans[1].start;
    const struct rule_span span = match->spans[first ? 1 : 2];
    struct str words = {0};
    str_add_n(&words, subtype, (size_t)(group - subtype));
    text_clean(&words, text->bytes + text->lines[match->line].start + span.start,
               span.end - span.start);
    const size_t kept = text_cut(str_text(&words), words.len, sizeof(out->subtype) - 1);
    (void)snprintf(out->subtype, sizeof(out->subtype), "%.*s", (int)kept, str_text(&words));
    str_done(&words);
}

/* When to come back. What waiting heals, and a limit that holds for long, is
 * parked, and asks nobody. */
static void take_hint(struct verdict *out, const struct scan *scan, const struct retry_hint *hint)
{
    out->retry_after_ms = hint->ms;
    (void)snprintf(out->hint_rule, sizeof(out->hint_rule), "%s", hint->rule->id);
    if (out->class == VERDICT_TRANSIENT) {
        if (out->type != TRANSIENT_API_RATE_LIMIT || hint->ms < PARK_LEAST_MS)
            return;
        out->class = VERDICT_PERSISTENT;
        out->type = TRANSIENT_NONE;
        out->reason = REASON_QUOTA;
    }
    out->ask = false;
    if (scan->input->now_ms > 0)
        out->resume_at_ms = scan->input->now_ms + hint->ms;
}

static void set_hint(struct verdict *out, struct scan *scan, const struct scan_match *match)
{
    struct retry_hint hint = {.ms = retry_hint_of_group(scan, match), .rule = match->rule};
    scan->keeps_nears = false;
    scan->work = 0; /* the time to come back is worth as much again */
    if (hint.ms != HINT_NONE || retry_hint_find(scan, &hint))
        take_hint(out, scan, &hint);
}

void classify_add_nears(struct verdict *out, const struct scan *scan)
{
    for (int weight = NEAR_WHY_COUNT; weight >= 0; weight--) {
        for (int i = 0; i < scan->near_count; i++) {
            const struct scan_near *near = &scan->nears[i];
            if (scan_near_weight(near->why) != weight || strcmp(near->rule->id, out->rule) == 0)
                continue;
            struct verdict_near found = {.why = near->why};
            (void)snprintf(found.rule, sizeof(found.rule), "%s", near->rule->id);
            if (near->stream >= 0) {
                found.stream = near->stream == ERR_STREAM ? VERDICT_STREAM_ERR : VERDICT_STREAM_OUT;
                found.offset = scan->streams[near->stream].text.lines[near->line].offset;
            }
            verdict_add_near(out, &found);
        }
    }
}

void classify_by_match(struct verdict *out, struct scan *scan, const struct scan_match *match)
{
    const struct rule *rule = match->rule;
    out->class = rule->class;
    out->type = rule->type;
    out->reason = rule->reason;
    out->ask = rule->ask;
    (void)snprintf(out->rule, sizeof(out->rule), "%s", rule->id);
    set_rule_subtype(out, scan, match);
    if (match->stream >= 0)
        set_evidence(out, scan, match);
    scan_outranked(scan, match);
    if (rule->class == VERDICT_TRANSIENT || rule->waits || rule->retry_group > 0)
        set_hint(out, scan, match);
}

/* A server that says when to come back, and nothing else that a rule knows. */
static bool judge_hint(struct scan *scan, struct verdict *out)
{
    struct retry_hint hint;
    scan->keeps_nears = false;
    if (!retry_hint_find(scan, &hint) || !hint.rule->decides ||
        !scan_is_spoken(scan, hint.stream, hint.line))
        return false;
    verdict_set_transient(out, TRANSIENT_API_RATE_LIMIT, "RETRY_AFTER", hint.rule->id);
    const struct scan_match match = {.rule = hint.rule, .stream = hint.stream, .line = hint.line};
    set_evidence(out, scan, &match);
    take_hint(out, scan, &hint);
    return true;
}

bool classify_by_text(struct scan *scan, struct verdict *out)
{
    struct scan_match match;
    if (!scan_first(scan, &scan->rules->verdicts, &match))
        return judge_hint(scan, out);
    struct scan_match other;
    if (scan_cause(scan, &match, &other))
        match = other;
    bool outranked = match.rule->class == VERDICT_TRANSIENT && scan_later(scan, &match, &other);
    classify_by_match(out, scan, outranked ? &other : &match);
    return true;
}
