#include "classify.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_result.h"
#include "attr.h"
#include "classify_facts.h"
#include "classify_rules.h"
#include "classify_scan.h"
#include "retry_hint.h"
#include "rules_json.h"
#include "text.h"
#include "xalloc.h"

enum {
    MATCH_BEFORE = 40, /* bytes of a long line shown before the match */
    ERR_STREAM = 1,    /* index in scan.streams */
};

struct classifier {
    struct rules *rules;
};

/* Requirement A6. What is not in the table is persistent. */
static const struct {
    int code;
    enum transient_type type;
    const char *subtype;
} exit_codes[] = {
    {124, TRANSIENT_RESOURCE_BUSY, "TIMEOUT"},
    {125, TRANSIENT_DOCKER_SOCKET_UNAVAILABLE, "EXIT_125"},
    {126, TRANSIENT_RESOURCE_BUSY, "EXIT_126"},
    {127, TRANSIENT_RESOURCE_BUSY, "EXIT_127"},
    {128, TRANSIENT_RESOURCE_BUSY, "EXIT_128"},
};

static int find_exit_code(int code)
{
    for (size_t i = 0; i < ARRAY_LEN(exit_codes); i++) {
        if (exit_codes[i].code == code)
            return (int)i;
    }
    return -1;
}

enum verdict_class classify_exit(int code)
{
    if (code == 0)
        return VERDICT_SUCCESS;
    return find_exit_code(code) >= 0 ? VERDICT_TRANSIENT : VERDICT_PERSISTENT;
}

bool classifier_open(struct classifier **out, const char *user_rules, struct err *err)
{
    (void)user_rules;
    struct rules *rules = NULL;
    if (!rules_open(&rules, rules_json, rules_json_len, err))
        return false;
    *out = xcalloc(1, sizeof(**out));
    (*out)->rules = rules;
    return true;
}

void classifier_close(struct classifier *classifier)
{
    if (!classifier)
        return;
    rules_close(classifier->rules);
    free(classifier);
}

const char *classifier_hash(const struct classifier *classifier)
{
    return classifier->rules->hash;
}

const char *classifier_rules(const struct classifier *classifier)
{
    return classifier->rules->text;
}

/* The matched line, or the part of a long one around the match. */
static void copy_match(struct verdict *out, const char *line, size_t len, size_t at)
{
    size_t from = 0;
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
    copy_match(out, text->bytes + line->start, line->len, match->spans[0].start);
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
    (void)snprintf(out->subtype, sizeof(out->subtype), "%.*s%.*s", (int)(group - subtype), subtype,
                   (int)(span.end - span.start),
                   text->bytes + text->lines[match->line].start + span.start);
}

static void set_matched(struct verdict *out, struct scan *scan, const struct scan_match *match)
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
    bool waits = rule->class == VERDICT_TRANSIENT || rule->reason == REASON_QUOTA;
    if (waits)
        out->retry_after_ms = retry_hint_find(scan);
}

static bool judge_text(struct scan *scan, struct verdict *out)
{
    struct scan_match match;
    if (!scan_first(scan, &scan->rules->verdicts, 0, &match))
        return false;
    struct scan_match later;
    bool outranked = match.rule->class == VERDICT_TRANSIENT && scan_later(scan, &match, &later);
    set_matched(out, scan, outranked ? &later : &match);
    return true;
}

/* The agent's own result decides alone: its words, with the status before them,
 * go through the same rules as if a program had printed them. */
static bool judge_agent(const struct classifier *classifier, const struct classify_input *input,
                        struct verdict *out)
{
    struct agent_result result;
    bool failed = agent_result_init(&result, &input->out) && result.failed;
    if (input->outcome.code == 0 && !result.closes)
        failed = false; /* many a program that did well logs errors as JSON */
    if (failed) {
        struct str said = {0};
        if (result.status > 0)
            str_addf(&said, "HTTP %lld\n", (long long)result.status);
        str_add(&said, str_text(&result.words));

        struct classify_input inner = {.outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                       .memory_killed = -1};
        inner.err = (struct classify_text){.bytes = str_text(&said), .len = said.len};
        struct scan scan;
        scan_init(&scan, classifier->rules, &inner);
        if (!judge_text(&scan, out)) {
            verdict_set_persistent(out, REASON_NONE, "", "agent.result");
            copy_match(out, str_text(&said), said.len, 0);
        }
        scan_done(&scan);
        out->stream = VERDICT_STREAM_OUT;
        out->offset = result.offset;
        out->line = 0;
        str_done(&said);
    }
    agent_result_done(&result);
    return failed;
}

/* Codes of A6 count where nothing was said; words beside 125..128 that no rule
 * knows are a failure that waiting does not heal. */
static void judge_exit(struct scan *scan, int code, struct verdict *out)
{
    char rule[VERDICT_RULE_MAX];
    (void)snprintf(rule, sizeof(rule), "exit.%d", code);
    const int row = find_exit_code(code);
    bool timed_out = row >= 0 && strcmp(exit_codes[row].subtype, "TIMEOUT") == 0;
    if (row < 0)
        verdict_set_persistent(out, REASON_NONE, "", "default");
    else if (!timed_out && scan_err_names_error(scan))
        verdict_set_persistent(out, REASON_NONE, exit_codes[row].subtype, "exit.words");
    else
        verdict_set_transient(out, exit_codes[row].type, exit_codes[row].subtype, rule);
}

void classify(const struct classifier *classifier, const struct classify_input *input,
              struct verdict *out)
{
    assert(input->outcome.kind < OUTCOME_KIND_COUNT);
    *out = verdict_new();
    if (facts_judge(input, out) || judge_agent(classifier, input, out))
        return;
    if (input->outcome.code == 0)
        return;

    struct scan scan;
    scan_init(&scan, classifier->rules, input);
    if (!judge_text(&scan, out))
        judge_exit(&scan, input->outcome.code, out);
    scan_done(&scan);
}
