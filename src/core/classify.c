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
#include "classify_user.h"
#include "retry_hint.h"
#include "rules_json.h"
#include "text.h"
#include "xalloc.h"

enum {
    MATCH_BEFORE = 40, /* bytes of a long line shown before the match */
    OUT_STREAM = 0,    /* index in scan.streams */
    ERR_STREAM = 1,
    /* A limit that is in force for so long is a window: parked, not waited on. */
    PARK_LEAST_MS = 3600 * 1000,
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
    {124, TRANSIENT_NETWORK_TIMEOUT, "TIMEOUT"},
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
    struct rules *rules = NULL;
    struct str text = {0};
    bool ok = user_rules_add(rules_json, rules_json_len, user_rules, &text, err) &&
              rules_open(&rules, str_text(&text), text.len, err);
    str_done(&text);
    if (!ok)
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

/* The matched line, or the part of a long one around the match; the first of several. */
static void copy_match(struct verdict *out, const char *line, size_t len, size_t at)
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

static void set_nears(struct verdict *out, const struct scan *scan)
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

static bool judge_text(struct scan *scan, struct verdict *out)
{
    struct scan_match match;
    if (!scan_first(scan, &scan->rules->verdicts, 0, &match))
        return judge_hint(scan, out);
    struct scan_match later;
    bool outranked = match.rule->class == VERDICT_TRANSIENT && scan_later(scan, &match, &later);
    set_matched(out, scan, outranked ? &later : &match);
    return true;
}

/* Words of an agent go through the same rules as if a program had printed them,
 * the status before them. Does one of `list` hold? */
static bool judge_words(const struct classifier *classifier, const struct classify_input *input,
                        const struct str *words, const struct rule_list *list, struct verdict *out)
{
    struct classify_input inner = *input;
    inner.outcome = (struct outcome){.kind = OUTCOME_EXIT, .code = 1};
    inner.memory_killed = -1;
    inner.out = (struct classify_text){0};
    inner.err = (struct classify_text){.bytes = str_text(words), .len = words->len};
    struct scan scan;
    struct scan_match match;
    scan_init(&scan, classifier->rules, &inner);
    scan.trusts = true;
    bool holds = list ? scan_first(&scan, list, 0, &match) : judge_text(&scan, out);
    if (list && holds)
        set_matched(out, &scan, &match);
    if (!list || holds)
        set_nears(out, &scan);
    scan_done(&scan);
    return holds;
}

/* The agent's own result decides alone. Only of what is known to be the words of a service are
 * the wide rules asked, which would say too much of any other text. */
static bool judge_agent_failure(const struct classifier *classifier,
                                const struct classify_input *input,
                                const struct agent_result *result, struct verdict *out)
{
    const struct rule_list *service = &classifier->rules->service;
    struct verdict finer = verdict_new();
    struct str said = {0};
    if (result->status > 0)
        str_addf(&said, "HTTP %lld\n", (long long)result->status);
    str_add(&said, str_text(&result->words));
    if (!judge_words(classifier, input, &said, NULL, out) &&
        !judge_words(classifier, input, &said, service, out)) {
        verdict_set_persistent(out, REASON_NONE, "", "agent.result");
        const struct str *words = result->words.len > 0 ? &result->words : &said;
        copy_match(out, str_text(words), words->len, 0);
    }
    if (out->reason == REASON_BAD_REQUEST &&
        judge_words(classifier, input, &result->words, service, &finer) &&
        finer.class == VERDICT_PERSISTENT)
        *out = finer; /* not only that the request was bad: what of it */
    str_done(&said);
    return true;
}

/* It went well, it says; unless its last words are that it will not do it. */
static bool judge_agent_success(const struct classifier *classifier,
                                const struct classify_input *input,
                                const struct agent_result *result, struct verdict *out)
{
    return result->said.len > 0 &&
           judge_words(classifier, input, &result->said, &classifier->rules->said, out);
}

/* It was asked to end: by a signal, or it says so by a code of 128 and the signal's number. */
static bool is_interrupted(const struct outcome *outcome)
{
    enum { OF_SIGNAL = 128, HANGUP = 1, INTERRUPT = 2, TERMINATE = 15 };
    const int number = outcome->kind == OUTCOME_SIGNAL ? outcome->code : outcome->code - OF_SIGNAL;
    return number == HANGUP || number == INTERRUPT || number == TERMINATE;
}

/* It was asked, ended well, and has not said a word. */
static bool says_nothing(const struct classify_input *input)
{
    bool nothing = input->one_shot && input->agent;
    for (size_t i = 0; i < input->out.len && nothing; i++)
        nothing = strchr(" \t\r\n", input->out.bytes[i]) != NULL;
    return nothing;
}

/* Its events, and the end of them, say more than the signal. */
static bool was_agent_interrupted(const struct classify_input *input)
{
    return input->agent && adapter_output(input->agent) != ADAPTER_OUTPUT_TEXT &&
           input->outcome.kind == OUTCOME_SIGNAL && is_interrupted(&input->outcome);
}

static bool judge_agent_end(const struct classifier *classifier, const struct classify_input *input,
                            const struct agent_result *result, struct verdict *out)
{
    const bool exited_well = input->outcome.code == 0;
    switch (result->end) {
    case AGENT_END_FAILED:
        if (exited_well && (!result->closes || (result->on_err && !says_nothing(input))))
            return false; /* many a program that did well logs errors as JSON */
        return judge_agent_failure(classifier, input, result, out);
    case AGENT_END_DONE:
        if (exited_well && input->one_shot && result->is_empty) {
            verdict_set_transient(out, TRANSIENT_NETWORK_TIMEOUT, "EMPTY_ANSWER", "agent.empty");
            return true;
        }
        return exited_well && input->agent && judge_agent_success(classifier, input, result, out);
    case AGENT_END_CUT:
        if (exited_well || is_interrupted(&input->outcome))
            verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "INTERRUPTED", "agent.cut");
        return out->class == VERDICT_TRANSIENT;
    case AGENT_END_UNKNOWN:
        if (was_agent_interrupted(input)) {
            verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "INTERRUPTED", "agent.cut");
            return true;
        }
        break;
    }
    if (exited_well && says_nothing(input))
        verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "INTERRUPTED", "agent.nothing");
    return exited_well && says_nothing(input);
}

/* False where facts and text must say; *structured: stdout is the agent's protocol,
 * not words of its end. */
static bool judge_agent(const struct classifier *classifier, const struct classify_input *input,
                        struct verdict *out, bool *structured)
{
    struct agent_result result;
    agent_result_init(&result, input);
    *structured = input->agent && result.end != AGENT_END_UNKNOWN && !result.on_err;
    const bool judged = judge_agent_end(classifier, input, &result, out);
    if (judged && out->class != VERDICT_SUCCESS && result.end != AGENT_END_CUT) {
        out->stream = result.on_err ? VERDICT_STREAM_ERR : VERDICT_STREAM_OUT;
        out->offset = result.offset;
        out->line = 0;
        for (int i = 0; i < out->near_count; i++) {
            out->near[i].stream = out->stream;
            out->near[i].offset = out->offset;
        }
    }
    agent_result_done(&result);
    return judged;
}

static bool says_anything(const struct scan *scan, int stream)
{
    const struct clean_text *text = &scan->streams[stream].text;
    return text->lines[clean_text_tail(text, 1)].len > 0;
}

/* Codes of A6 count where nothing was said. Beside 126 and 127, a shell's own, and
 * 128, git's, any words are a failure that waiting does not heal; beside 125, an
 * error. */
static bool is_explained(struct scan *scan, int code)
{
    enum { SHELL_CANNOT = 126, SHELL_NOT_FOUND = 127, GIT_FATAL = 128 };
    const bool shell = code == SHELL_CANNOT || code == SHELL_NOT_FOUND || code == GIT_FATAL;
    return scan_err_names_error(scan) || (shell && says_anything(scan, ERR_STREAM)) ||
           (code == GIT_FATAL && says_anything(scan, OUT_STREAM));
}

/* 125 is what docker and podman end with by themselves; through a container of ours it came from
 * within. */
static enum transient_type type_of_exit(const struct classify_input *input, int row)
{
    const enum transient_type type = exit_codes[row].type;
    const bool is_clients = type == TRANSIENT_DOCKER_SOCKET_UNAVAILABLE;
    return is_clients && input->in_container ? TRANSIENT_RESOURCE_BUSY : type;
}

static void judge_exit(struct scan *scan, const struct classify_input *input, struct verdict *out)
{
    const int code = input->outcome.code;
    char rule[VERDICT_RULE_MAX];
    (void)snprintf(rule, sizeof(rule), "exit.%d", code);
    const int row = find_exit_code(code);
    bool timed_out = row >= 0 && strcmp(exit_codes[row].subtype, "TIMEOUT") == 0;
    if (row < 0)
        verdict_set_persistent(out, REASON_NONE, "", "default");
    else if (!timed_out && is_explained(scan, code))
        verdict_set_persistent(out, REASON_NONE, exit_codes[row].subtype, "exit.words");
    else
        verdict_set_transient(out, type_of_exit(input, row), exit_codes[row].subtype, rule);
}

/* Rules that are made for a signal outrank what we know of signals. */
static bool judge_signal(const struct classifier *classifier, const struct classify_input *input,
                         struct verdict *out)
{
    if (input->outcome.kind != OUTCOME_SIGNAL || input->memory_killed == 1 ||
        !classifier->rules->for_signals)
        return false;
    struct scan scan;
    struct scan_match match;
    scan_init(&scan, classifier->rules, input);
    const bool holds = scan_first(&scan, &classifier->rules->verdicts, 0, &match);
    if (holds)
        set_matched(out, &scan, &match);
    scan_done(&scan);
    return holds;
}

static struct classify_text tail_of(const struct classify_text *text)
{
    const size_t skip = text->len > CLASSIFY_TAIL_MAX ? text->len - CLASSIFY_TAIL_MAX : 0;
    return (struct classify_text){.bytes = skip > 0 ? text->bytes + skip : text->bytes,
                                  .len = text->len - skip,
                                  .offset = text->offset + (int64_t)skip};
}

void classify(const struct classifier *classifier, const struct classify_input *input,
              struct verdict *out)
{
    assert(input->outcome.kind < OUTCOME_KIND_COUNT);
    struct classify_input seen = *input;
    bool structured = false;
    seen.out = tail_of(&input->out);
    seen.err = tail_of(&input->err);
    *out = verdict_new();
    if (judge_signal(classifier, &seen, out) ||
        (was_agent_interrupted(&seen) && judge_agent(classifier, &seen, out, &structured)) ||
        facts_judge(&seen, out) || judge_agent(classifier, &seen, out, &structured))
        return;
    if (seen.outcome.code == 0)
        return;

    if (structured)
        seen.out = (struct classify_text){0};
    struct scan scan;
    scan_init(&scan, classifier->rules, &seen);
    if (!judge_text(&scan, out))
        judge_exit(&scan, &seen, out);
    set_nears(out, &scan);
    scan_done(&scan);
}

int64_t classify_own_retries(const struct classify_input *input)
{
    struct agent_result result;
    agent_result_init(&result, input);
    const int64_t own_retries = result.own_retries;
    agent_result_done(&result);
    return own_retries;
}

int64_t classify_hint(const struct classifier *classifier, const struct classify_input *input)
{
    struct scan scan;
    struct retry_hint hint;
    scan_init(&scan, classifier->rules, input);
    const bool said =
        retry_hint_find(&scan, &hint) && scan_is_spoken(&scan, hint.stream, hint.line);
    scan_done(&scan);
    return said ? hint.ms : HINT_NONE;
}
