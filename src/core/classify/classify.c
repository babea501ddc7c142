#include "classify.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_result.h"
#include "attr.h"
#include "classify_agent.h"
#include "classify_facts.h"
#include "classify_rules.h"
#include "classify_scan.h"
#include "classify_user.h"
#include "classify_verdict.h"
#include "retry_hint.h"
#include "rules_json.h"
#include "str.h"
#include "xalloc.h"

enum {
    OUT_STREAM = 0, /* index in scan.streams */
    ERR_STREAM = 1,
};

/* To compile the rules takes as long as twenty attempts, and a run whose attempts all end well and
 * say nothing needs none of them. */
struct late_rules {
    _Atomic(struct rules *) rules; /* owned; NULL: nobody needed them yet */
};

struct classifier {
    struct str text; /* the rule set as JSON */
    char hash[RULES_HASH_MAX];
    struct late_rules *late; /* owned */
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

/* The built-in rules alone are known to be right: they are compiled where they are needed. */
bool classifier_open(struct classifier **out, const char *user_rules, struct err *err)
{
    struct classifier *classifier = xcalloc(1, sizeof(*classifier));
    struct rules *rules = NULL;
    struct str *text = &classifier->text;
    classifier->late = xcalloc(1, sizeof(*classifier->late));
    bool ok = user_rules_add(rules_json, rules_json_len, user_rules, text, err) &&
              (!user_rules || rules_open(&rules, str_text(text), text->len, err));
    atomic_init(&classifier->late->rules, rules);
    if (!ok) {
        classifier_close(classifier);
        return false;
    }
    rules_hash(str_text(text), text->len, classifier->hash);
    *out = classifier;
    return true;
}

void classifier_close(struct classifier *classifier)
{
    if (!classifier)
        return;
    rules_close(atomic_load(&classifier->late->rules));
    free(classifier->late);
    str_done(&classifier->text);
    free(classifier);
}

/* Of two threads that compile them at once the later one's go. */
static const struct rules *rules_of(const struct classifier *classifier)
{
    struct rules *rules = atomic_load(&classifier->late->rules);
    struct rules *before = NULL;
    if (rules)
        return rules;
    const bool ok = rules_open(&rules, str_text(&classifier->text), classifier->text.len, NULL);
    assert(ok);
    (void)ok;
    if (atomic_compare_exchange_strong(&classifier->late->rules, &before, rules))
        return rules;
    rules_close(rules);
    return before;
}

const char *classifier_hash(const struct classifier *classifier)
{
    return classifier->hash;
}

const char *classifier_rules(const struct classifier *classifier)
{
    return str_text(&classifier->text);
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
    const bool is_one_stream = !says_anything(scan, ERR_STREAM); /* a log of both */
    return scan_err_names_error(scan) || (is_one_stream && scan_out_names_error(scan)) ||
           (shell && says_anything(scan, ERR_STREAM)) ||
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
static bool judge_signal(const struct rules *rules, const struct classify_input *input,
                         struct verdict *out)
{
    if (input->outcome.kind != OUTCOME_SIGNAL || input->memory_killed == 1 || !rules->for_signals)
        return false;
    struct scan scan;
    struct scan_match match;
    scan_init(&scan, rules, input);
    const bool holds = scan_first(&scan, &rules->verdicts, &match);
    if (holds)
        classify_by_match(out, &scan, &match);
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

/* It ended well, and there is no text that a rule could be asked about. */
static bool says_nothing_but_success(const struct classify_input *seen)
{
    return seen->outcome.kind == OUTCOME_EXIT && seen->outcome.code == 0 && !seen->agent &&
           !seen->stream && seen->out.len == 0 && seen->err.len == 0;
}

/* Launchers exit with 0 although the work was cut short. Nothing is read where no rule can hold. */
static void deny_success(const struct rules *rules, const struct classify_input *seen,
                         struct verdict *out)
{
    struct scan scan;
    struct scan_match match;
    if (!scan_may_deny(rules, seen))
        return;
    scan_init(&scan, rules, seen);
    if (scan_first(&scan, &rules->verdicts, &match)) {
        classify_by_match(out, &scan, &match);
        classify_add_nears(out, &scan);
    }
    scan_done(&scan);
}

/* Did devs stop the attempt during the own retries of its agent: after a silence, or because no
 * further retry could succeed? */
static bool ended_in_own_retries(const struct outcome *outcome)
{
    return (outcome->kind == OUTCOME_TIMEOUT && outcome->quiet_ms > 0) ||
           (outcome->kind == OUTCOME_CANCELLED && outcome->stop == STOP_HOPELESS);
}

static void judge(const struct rules *rules, struct classify_input *seen, struct verdict *out)
{
    bool structured = false;
    if (ended_in_own_retries(&seen->outcome) && classify_by_own_retry(rules, seen, out))
        return;
    if (judge_signal(rules, seen, out) ||
        (classify_agent_interrupted(seen) && classify_by_agent(rules, seen, out, &structured)) ||
        facts_judge(seen, out) || classify_by_agent(rules, seen, out, &structured))
        return;
    if (seen->outcome.code == 0) {
        deny_success(rules, seen, out);
        return;
    }

    if (structured)
        seen->out = (struct classify_text){0};
    struct scan scan;
    scan_init(&scan, rules, seen);
    if (!classify_by_text(&scan, out))
        judge_exit(&scan, seen, out);
    classify_add_nears(out, &scan);
    scan_done(&scan);
}

void classify(const struct classifier *classifier, const struct classify_input *input,
              struct verdict *out)
{
    assert(input->outcome.kind < OUTCOME_KIND_COUNT);
    struct classify_input seen = *input;
    seen.out = tail_of(&input->out);
    seen.err = tail_of(&input->err);
    *out = verdict_new();
    if (says_nothing_but_success(&seen))
        (void)facts_judge(&seen, out);
    else
        judge(rules_of(classifier), &seen, out);
    if (seen.one_shot && seen.outcome.kind == OUTCOME_CANCELLED && seen.outcome.stop == STOP_ASKED)
        classify_quote_failure(&seen, out);
}

bool classify_may_deny(const struct classifier *classifier, const struct classify_input *input)
{
    return input->outcome.kind == OUTCOME_EXIT && input->outcome.code == 0 &&
           scan_may_deny(rules_of(classifier), input);
}

bool classify_own_retry(const struct classifier *classifier, const struct classify_input *input,
                        struct verdict *out)
{
    struct classify_input seen = *input;
    seen.out = tail_of(&input->out);
    seen.err = tail_of(&input->err);
    *out = verdict_new();
    return classify_by_own_retry(rules_of(classifier), &seen, out);
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
    scan_init(&scan, rules_of(classifier), input);
    const bool said =
        retry_hint_find(&scan, &hint) && scan_is_spoken(&scan, hint.stream, hint.line);
    scan_done(&scan);
    return said ? hint.ms : HINT_NONE;
}
