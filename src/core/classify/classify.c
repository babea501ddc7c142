/* Why an attempt ended as it did: derives the verdict from the outcome, the rules and the agent's
 * own report of its end.
 *
 * The order of decision: facts that devs knows itself (it ended the attempt, the program never
 * started, a signal), then text by anchored rules (test and compiler failures outrank network
 * words), then the table of exit codes, then persistent. When in doubt: persistent. */
#include "classify.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_result.h"
#include "ascii.h"
#include "attr.h"
#include "classify_internal.h"
#include "plan.h"
#include "rules_json.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

/* Facts that devs itself knows about the end. */

/* Why a program could not be started. Anything else is persistent. */
static const struct {
    int number;
    enum transient_type type; /* NONE: persistent */
    enum reason reason;
    const char *subtype;
} start_errors[] = {
    {ENOENT, TRANSIENT_NONE, REASON_NOT_FOUND, "ENOENT"},
    {ENOTDIR, TRANSIENT_NONE, REASON_NOT_FOUND, "ENOTDIR"},
    {EACCES, TRANSIENT_NONE, REASON_PERMISSION, "EACCES"},
    {EPERM, TRANSIENT_NONE, REASON_PERMISSION, "EPERM"},
    {E2BIG, TRANSIENT_NONE, REASON_TOO_LARGE, "E2BIG"},
    {EAGAIN, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "EAGAIN"},
    {ENOMEM, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "ENOMEM"},
    {EMFILE, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "EMFILE"},
    {ENFILE, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "ENFILE"},
    {ETXTBSY, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "ETXTBSY"},
    {ENOSPC, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "ENOSPC"},
    {EDQUOT, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "EDQUOT"},
    {START_SANDBOX_FAILED, TRANSIENT_NONE, REASON_SETUP, "SANDBOX"},
    {START_TIMED_OUT, TRANSIENT_SANDBOX_START_TIMEOUT, REASON_NONE, "START_TIMEOUT"},
    {START_DAEMON_DOWN, TRANSIENT_DOCKER_SOCKET_UNAVAILABLE, REASON_NONE, "DAEMON_DOWN"},
    {START_IMAGE_MISSING, TRANSIENT_NONE, REASON_SETUP, "IMAGE_MISSING"},
    {START_WORKSPACE_FAILED, TRANSIENT_NONE, REASON_SETUP, "WORKSPACE"},
    {START_CONFLICT, TRANSIENT_NONE, REASON_CONFLICT, "MERGE_CONFLICT"},
    {START_NO_SPACE, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "NO_SPACE"},
    {START_TOO_LARGE, TRANSIENT_NONE, REASON_TOO_LARGE, "SNAPSHOT"},
    {START_LEFT_ALIVE, TRANSIENT_NONE, REASON_SETUP, "LEFT_ALIVE"},
    {START_SECRET_MISSING, TRANSIENT_NONE, REASON_SETUP, "SECRET_MISSING"},
    {START_STDIN_GONE, TRANSIENT_NONE, REASON_SETUP, "STDIN_GONE"},
    {START_EXECUTOR_DOWN, TRANSIENT_NETWORK_TIMEOUT, REASON_NONE, "EXECUTOR_DOWN"},
    {START_EXECUTOR_REFUSED, TRANSIENT_NONE, REASON_SETUP, "EXECUTOR_REFUSED"},
    {START_HAND_MISSING, TRANSIENT_NONE, REASON_SETUP, "HAND_MISSING"},
    {START_NO_FOLDER, TRANSIENT_NONE, REASON_SETUP, "NO_FOLDER"},
    {START_QUEUED_TOO_LONG, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "QUEUE"},
};

/* Linux signal numbers, as in outcomes. The last four come from outside; the others mean that the
 * program itself failed. */
static const struct {
    int number;
    const char *name;
    enum reason reason;
} signals[] = {
    {11, "SIGSEGV", REASON_CRASH}, {6, "SIGABRT", REASON_CRASH}, {7, "SIGBUS", REASON_CRASH},
    {4, "SIGILL", REASON_CRASH},   {8, "SIGFPE", REASON_CRASH},  {31, "SIGSYS", REASON_CRASH},
    {5, "SIGTRAP", REASON_CRASH},  {9, "SIGKILL", REASON_CRASH}, {24, "SIGXCPU", REASON_LIMIT},
    {25, "SIGXFSZ", REASON_LIMIT}, {15, "SIGTERM", REASON_NONE}, {2, "SIGINT", REASON_NONE},
    {1, "SIGHUP", REASON_NONE},    {13, "SIGPIPE", REASON_NONE},
};

int facts_signal_number(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        if (strcmp(signals[i].name, name) == 0)
            return signals[i].number;
    }
    return 0;
}

static void judge_start(int number, struct verdict *out)
{
    /* Only a person can fix these: another attempt would fail the same way. */
    out->ask = number == START_IMAGE_MISSING || number == START_CONFLICT ||
               number == START_LEFT_ALIVE || number == START_SECRET_MISSING ||
               number == START_STDIN_GONE || number == START_EXECUTOR_REFUSED ||
               number == START_HAND_MISSING;
    for (size_t i = 0; i < ARRAY_LEN(start_errors); i++) {
        if (start_errors[i].number != number)
            continue;
        if (start_errors[i].type != TRANSIENT_NONE)
            verdict_set_transient(out, start_errors[i].type, start_errors[i].subtype,
                                  "known.start");
        else
            verdict_set_persistent(out, start_errors[i].reason, start_errors[i].subtype,
                                   "known.start");
        return;
    }
    verdict_set_persistent(out, REASON_NONE, "", "known.start");
}

/* Returns true if the process used up its CPU time. The kernel ends it with SIGXCPU, then with
 * SIGKILL. A shell or sandbox around it reports 128 + n. */
static bool is_out_of_cpu(const struct classify_input *input)
{
    enum { XCPU = 24, KILL = 9, SHELL_SIGNAL = 128, MS_PER_S = 1000 };
    const struct outcome *outcome = &input->outcome;
    const int number =
        outcome->kind == OUTCOME_SIGNAL ? outcome->code : outcome->code - SHELL_SIGNAL;
    const bool has_used_it = outcome->cpu_ms >= input->cpu_s * MS_PER_S;
    return input->cpu_s > 0 && (number == XCPU || (number == KILL && has_used_it));
}

/* Judges an end on another machine that says nothing about the work. */
static void judge_lost(enum outcome_cause cause, struct verdict *out)
{
    if (cause == CAUSE_PREEMPTED) {
        verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "PREEMPTED", "known.preempted");
    } else if (cause == CAUSE_CANCELLED) {
        verdict_set_persistent(out, REASON_CANCELLED, "CLUSTER", "known.cancelled_there");
        out->ask = true; /* whoever cancelled it had a reason */
    } else {
        verdict_set_transient(out, TRANSIENT_NETWORK_TIMEOUT, "HOST_LOST", "known.lost");
    }
}

bool facts_judge(const struct classify_input *input, struct verdict *out)
{
    const struct outcome *outcome = &input->outcome;
    switch (outcome->kind) {
    case OUTCOME_TIMEOUT:
        if (outcome->quiet_ms > 0)
            verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "SILENT", "known.silence");
        else
            verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "TIMEOUT", "known.timeout");
        return true;
    case OUTCOME_INTERRUPTED:
        verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "INTERRUPTED", "known.interrupted");
        return true;
    case OUTCOME_LOST:
        judge_lost(outcome->cause, out);
        return true;
    case OUTCOME_CANCELLED:
        if (outcome->stop == STOP_LOOP)
            verdict_set_persistent(out, REASON_LOOP, "CALLS", "known.loop");
        else if (outcome->stop == STOP_BUDGET)
            verdict_set_persistent(out, REASON_BUDGET, "", "known.budget");
        else
            verdict_set_persistent(out, REASON_CANCELLED, "", "known.cancelled");
        out->ask = outcome->stop == STOP_BUDGET; /* only a person can increase a spent budget */
        return true;
    case OUTCOME_NOT_STARTED:
        judge_start(outcome->code, out);
        return true;
    case OUTCOME_SIGNAL:
    case OUTCOME_EXIT:
    case OUTCOME_KIND_COUNT:
        break;
    }

    bool success = outcome->kind == OUTCOME_EXIT && outcome->code == 0;
    const bool was_killed = input->memory_killed == 1 || outcome->cause == CAUSE_MEMORY;
    if (was_killed && !success) {
        verdict_set_transient(out, TRANSIENT_CONTAINER_OOM, "OOM_KILL", "known.memory");
    } else if (is_out_of_cpu(input)) {
        verdict_set_persistent(out, REASON_LIMIT, "CPU_LIMIT", "known.cpu");
    } else if (outcome->kind == OUTCOME_SIGNAL) {
        size_t i = 0;
        while (i < ARRAY_LEN(signals) && signals[i].number != outcome->code)
            i++;
        const bool known = i < ARRAY_LEN(signals);
        verdict_set_persistent(out, known ? signals[i].reason : REASON_NONE,
                               known ? signals[i].name : "", "known.signal");
    } else {
        return false;
    }
    return true;
}

/*
 * Text: the verdict of a rule that matches.
 */

enum {
    MATCH_BEFORE = 40, /* maximum bytes of a long line shown before the match */
    OUT_STREAM = 0,    /* index in scan.streams */
    ERR_STREAM = 1,
    /* A limit that lasts at least this long is a usage window: the step is parked. */
    PARK_LEAST_MS = 3600 * 1000,
};

/* Quotes the first line, or the part of a long line around byte `at`. */
static void classify_quote(struct verdict *out, const char *line, size_t len, size_t at)
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

/* Sets the subtype of a rule. A "$1" at the end is replaced by the first or second group, whichever
 * matched. */
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

/* Sets when to try again. A failure that only needs a long wait is parked and does not ask for a
 * person. */
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

/* Adds the rules that almost matched, most informative first. */
static void classify_add_nears(struct verdict *out, const struct scan *scan)
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

/* Sets the verdict of a matching rule. */
static void classify_by_match(struct verdict *out, struct scan *scan,
                              const struct scan_match *match)
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
    if (rule->class == VERDICT_TRANSIENT || rule->waits || rule->retry_group > 0) {
        struct retry_hint hint = {.ms = retry_hint_of_group(scan, match), .rule = rule};
        scan->keeps_nears = false;
        scan->work = 0; /* the search for the time to retry gets a new budget */
        if (hint.ms != HINT_NONE || retry_hint_find(scan, &hint))
            take_hint(out, scan, &hint);
    }
}

/* Applies the first rule that matches the input of the scan. Returns false and leaves *out alone if
 * none does. */
static bool classify_by_text(struct scan *scan, struct verdict *out)
{
    struct scan_match match;
    if (scan_first(scan, &scan->rules->verdicts, &match)) {
        struct scan_match other;
        if (scan_cause(scan, &match, &other))
            match = other;
        bool outranked = match.rule->class == VERDICT_TRANSIENT && scan_later(scan, &match, &other);
        classify_by_match(out, scan, outranked ? &other : &match);
        return true;
    }

    /* A server says when to retry, and no other rule matches. */
    struct retry_hint hint;
    scan->keeps_nears = false;
    if (!retry_hint_find(scan, &hint) || !hint.rule->decides ||
        !scan_is_spoken(scan, hint.stream, hint.line))
        return false;
    verdict_set_transient(out, TRANSIENT_API_RATE_LIMIT, "RETRY_AFTER", hint.rule->id);
    match = (struct scan_match){.rule = hint.rule, .stream = hint.stream, .line = hint.line};
    set_evidence(out, scan, &match);
    take_hint(out, scan, &hint);
    return true;
}

/* Applies the first rule of the list that matches. Returns false and leaves *out alone if none
 * does. */
static bool classify_by_list(struct scan *scan, const struct rule_list *list, struct verdict *out)
{
    struct scan_match match;
    if (!scan_first(scan, list, &match))
        return false;
    classify_by_match(out, scan, &match);
    return true;
}

/*
 * The verdict on what an agent's CLI reports about its own end.
 */

/* Judges an agent's words, preceded by the status, with the rules for the output of a program.
 * Applies the first rule of the first list that matches; `lists` ends with NULL. Returns false if
 * no rule matches. */
static bool judge_words(const struct rules *rules, const struct classify_input *input,
                        const struct str *words, const struct rule_list *const *lists,
                        struct verdict *out)
{
    bool holds = false;
    struct classify_input inner = *input;
    inner.outcome = (struct outcome){.kind = OUTCOME_EXIT, .code = 1};
    inner.memory_killed = -1;
    inner.out = (struct classify_text){0};
    inner.err = (struct classify_text){.bytes = str_text(words), .len = words->len};
    struct scan scan;
    scan_init(&scan, rules, &inner);
    scan.trusts = true;
    for (; *lists && !holds; lists++) {
        const bool by_text = *lists == &rules->verdicts;
        scan_restart(&scan);
        holds = by_text ? classify_by_text(&scan, out) : classify_by_list(&scan, *lists, out);
        if (by_text || holds)
            classify_add_nears(out, &scan);
    }
    scan_done(&scan);
    return holds;
}

static bool judge_service_words(const struct rules *rules, const struct classify_input *input,
                                const struct str *words, struct verdict *out)
{
    const struct rule_list *const lists[] = {&rules->verdicts, &rules->service, &rules->general,
                                             NULL};
    return judge_words(rules, input, words, lists, out);
}

/* Judges the failure that the agent reports for its last own retry, if that retry was not answered.
 * Returns false if there is none, or if no rule matches. */
static bool classify_by_own_retry(const struct rules *rules, const struct classify_input *input,
                                  struct verdict *out)
{
    struct agent_result result;
    if (!input->agent)
        return false;
    agent_result_init(&result, input);
    const bool judged =
        result.retry.len > 0 && judge_service_words(rules, input, &result.retry, out);
    if (judged) {
        out->stream = VERDICT_STREAM_NONE; /* the line may no longer be in the kept output */
        out->line = 0;
        out->near_count = 0;
    }
    agent_result_done(&result);
    return judged;
}

/* "agent ended: loop" is text of devs: adds what the agent itself says about its end. */
static void quote_end(struct verdict *out, const struct str *words)
{
    static const char ended[] = "agent ended: ";
    struct str line = {0};
    const char *said = str_text(words);
    if (strncmp(out->match, ended, strlen(ended)) != 0)
        return;
    while (strncmp(said, ended, strlen(ended)) == 0) {
        said += strcspn(said, "\n");
        said += *said == '\n';
    }
    const size_t len = strcspn(said, "\n");
    if (len > 0) {
        str_addf(&line, "%s: %.*s", out->match, (int)text_cut(said, len, VERDICT_MATCH_MAX), said);
        classify_quote(out, str_text(&line), line.len, 0);
    }
    str_done(&line);
}

/* Judges by the agent's own result alone. The broad rules, which would match too much in other
 * text, are applied only to text known to be a service's message. */
static bool judge_agent_failure(const struct rules *rules, const struct classify_input *input,
                                const struct agent_result *result, struct verdict *out)
{
    const struct rule_list *const service[] = {&rules->service, NULL};
    struct verdict finer = verdict_new();
    struct str said = {0};
    if (result->status > 0)
        str_addf(&said, "HTTP %lld\n", (long long)result->status);
    str_add(&said, str_text(&result->words));
    if (!judge_service_words(rules, input, &said, out)) {
        verdict_set_persistent(out, REASON_NONE, "", "agent.result");
        const struct str *words = result->words.len > 0 ? &result->words : &said;
        classify_quote(out, str_text(words), words->len, 0);
    }
    if (out->reason == REASON_BAD_REQUEST &&
        judge_words(rules, input, &result->words, service, &finer) &&
        finer.class == VERDICT_PERSISTENT)
        *out = finer; /* more specific than a bad request */
    quote_end(out, &result->words);
    str_done(&said);
    return true;
}

/* Handles a denied call that stopped the work: the agent says so, has no answer, or did no work
 * afterwards that anything checks. */
static bool judge_refusal(const struct rules *rules, const struct classify_input *input,
                          const struct agent_result *result, struct verdict *out)
{
    struct verdict said = verdict_new();
    if (result->refused == 0 || input->checks == CLASSIFY_CHECKS_FOLLOW)
        return false;
    const struct rule_list *const stopped[] = {&rules->stopped, NULL};
    const bool is_last = result->ends_refused && input->checks == CLASSIFY_CHECKS_NONE;
    const bool stops =
        is_last || !result->has_answer ||
        (result->answer.len > 0 && judge_words(rules, input, &result->answer, stopped, &said));
    if (!stops)
        return false;
    struct str call = {0};
    str_addf(&call, "refused: %s", str_text(&result->refusal));
    verdict_set_persistent(out, REASON_PERMISSION, "REFUSED", "agent.refused");
    out->ask = true;
    classify_quote(out, str_text(&call), call.len, 0);
    str_done(&call);
    return true;
}

/* For a canceled attempt: uses an error that the agent reported as the matched line if no later
 * call succeeded. */
static void classify_quote_failure(const struct classify_input *input, struct verdict *out)
{
    struct agent_result result;
    struct str line = {0};
    agent_result_init(&result, input);
    for (const char *at = str_text(&result.failure); *at != '\0';) {
        const size_t len = strcspn(at, "\n");
        str_add(&line, line.len > 0 ? ": " : "");
        text_clean(&line, at, len);
        at += len + (at[len] == '\n');
    }
    verdict_set_match(out, str_text(&line));
    str_done(&line);
    agent_result_done(&result);
}

enum classify_checks classify_checks_of(const struct plan_task *task, int step)
{
    const struct plan_step *agent = &task->steps[step];
    if (!agent->agent)
        return CLASSIFY_CHECKS_UNKNOWN;
    bool checked = agent->contract || agent->file_count > 0;
    for (int i = step + 1; i < task->step_count; i++)
        checked = checked || !task->steps[i].agent;
    return checked ? CLASSIFY_CHECKS_FOLLOW : CLASSIFY_CHECKS_NONE;
}

/* Returns true if the program was asked to end: by a signal, or by exit code 128 + n, which reports
 * a signal. */
static bool is_interrupted(const struct outcome *outcome)
{
    enum { OF_SIGNAL = 128, HANGUP = 1, INTERRUPT = 2, TERMINATE = 15 };
    const int number = outcome->kind == OUTCOME_SIGNAL ? outcome->code : outcome->code - OF_SIGNAL;
    return number == HANGUP || number == INTERRUPT || number == TERMINATE;
}

/* Returns true if the agent was prompted but wrote nothing. */
static bool says_nothing(const struct classify_input *input)
{
    bool nothing = input->one_shot && input->agent;
    for (size_t i = 0; i < input->out.len && nothing; i++)
        nothing = ascii_is_blank(input->out.bytes[i]);
    return nothing;
}

/* Returns true for an agent ended by a termination signal; its events, and how they end, tell more
 * than the signal. */
static bool classify_agent_interrupted(const struct classify_input *input)
{
    return input->agent && adapter_output(input->agent) != ADAPTER_OUTPUT_TEXT &&
           input->outcome.kind == OUTCOME_SIGNAL && is_interrupted(&input->outcome);
}

static bool judge_agent_end(const struct rules *rules, const struct classify_input *input,
                            const struct agent_result *result, struct verdict *out)
{
    const struct rule_list *const said[] = {&rules->said, NULL};
    const bool exited_well = input->outcome.code == 0;
    switch (result->end) {
    case AGENT_END_FAILED:
        if (exited_well && (!result->closes || (result->on_err && !says_nothing(input))))
            return false; /* many successful programs log errors as JSON */
        return judge_agent_failure(rules, input, result, out);
    case AGENT_END_DONE:
        if (exited_well && input->one_shot && result->is_empty) {
            verdict_set_transient(out, TRANSIENT_NETWORK_TIMEOUT, "EMPTY_ANSWER", "agent.empty");
            return true;
        }
        /* A success, unless a denied call stopped the work or the last words refuse the task. */
        return exited_well && input->agent &&
               (judge_refusal(rules, input, result, out) ||
                (result->said.len > 0 && judge_words(rules, input, &result->said, said, out)));
    case AGENT_END_CUT:
        if (exited_well || is_interrupted(&input->outcome))
            verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "INTERRUPTED", "agent.cut");
        return out->class == VERDICT_TRANSIENT;
    case AGENT_END_UNKNOWN:
        if (classify_agent_interrupted(input)) {
            verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "INTERRUPTED", "agent.cut");
            return true;
        }
        break;
    }
    if (exited_well && says_nothing(input))
        verdict_set_transient(out, TRANSIENT_RESOURCE_BUSY, "INTERRUPTED", "agent.nothing");
    return exited_well && says_nothing(input);
}

/* Judges by the agent's own report. Returns false if facts and text must decide. Sets *structured
 * if stdout is the agent's protocol, not text about its end. */
static bool classify_by_agent(const struct rules *rules, const struct classify_input *input,
                              struct verdict *out, bool *structured)
{
    struct agent_result result;
    agent_result_init(&result, input);
    *structured = input->agent && result.end != AGENT_END_UNKNOWN && !result.on_err;
    const bool judged = judge_agent_end(rules, input, &result, out);
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

/*
 * The classifier: its compiled rules, and the verdict on an attempt.
 */

/* Rules compiled on first use: compiling takes as long as judging twenty attempts, and a run whose
 * attempts all succeed silently needs no rules. */
struct late_rules {
    _Atomic(struct rules *) rules; /* owned; NULL: not needed yet */
};

struct classifier {
    struct str text; /* the rule set as JSON */
    char hash[RULES_HASH_MAX];
    struct late_rules *late; /* owned */
};

/* Transient exit codes (requirement A6). All others are persistent. */
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

/* Compiles user rules at once, to report their errors. The built-in rules are known to be valid, so
 * they are compiled when needed. */
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

/* Returns the rules, compiling them on first use. If two threads compile them at once, the later
 * result is freed. */
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

/* Judges by the exit codes of A6, which count if nothing was printed. With 126 and 127 (from a
 * shell) and 128 (from git), any output means a failure that waiting does not fix; with 125, only
 * an error message does. */
static void judge_exit(struct scan *scan, const struct classify_input *input, struct verdict *out)
{
    enum { SHELL_CANNOT = 126, SHELL_NOT_FOUND = 127, GIT_FATAL = 128 };
    const int code = input->outcome.code;
    const int row = find_exit_code(code);
    if (row < 0) {
        verdict_set_persistent(out, REASON_NONE, "", "default");
        return;
    }
    const char *subtype = exit_codes[row].subtype;
    enum transient_type type = exit_codes[row].type;
    bool is_explained = false;
    if (strcmp(subtype, "TIMEOUT") != 0) {
        const bool shell = code == SHELL_CANNOT || code == SHELL_NOT_FOUND || code == GIT_FATAL;
        const bool is_one_stream =
            !says_anything(scan, ERR_STREAM); /* stdout is then a log of both streams */
        is_explained = scan_err_names_error(scan) ||
                       (is_one_stream && scan_out_names_error(scan)) ||
                       (shell && says_anything(scan, ERR_STREAM)) ||
                       (code == GIT_FATAL && says_anything(scan, OUT_STREAM));
    }
    if (is_explained) {
        verdict_set_persistent(out, REASON_NONE, subtype, "exit.words");
        return;
    }
    /* docker and podman exit with 125 for their own failures; in a container started by devs, the
     * code is that of the command. */
    if (type == TRANSIENT_DOCKER_SOCKET_UNAVAILABLE && input->in_container)
        type = TRANSIENT_RESOURCE_BUSY;
    char rule[VERDICT_RULE_MAX];
    (void)snprintf(rule, sizeof(rule), "exit.%d", code);
    verdict_set_transient(out, type, subtype, rule);
}

/* Applies the rules that name a signal; they outrank what devs knows about signals. */
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

/* Applies the first rule that denies the success, because launchers exit with 0 even if the work
 * was cut short. Reads nothing if no rule can match. */
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

static void judge_attempt(const struct rules *rules, struct classify_input *seen,
                          struct verdict *out)
{
    const struct outcome *outcome = &seen->outcome;
    bool structured = false;
    /* devs stopped the attempt during the agent's own retries: after a silence, or because no
     * further retry could succeed. */
    const bool ended_in_own_retries =
        (outcome->kind == OUTCOME_TIMEOUT && outcome->quiet_ms > 0) ||
        (outcome->kind == OUTCOME_CANCELLED && outcome->stop == STOP_HOPELESS);
    if (ended_in_own_retries && classify_by_own_retry(rules, seen, out))
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
    if (!classify_by_text(&scan, out) && !classify_by_list(&scan, &rules->general, out))
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
    /* The attempt succeeded, and there is no text to match. */
    const bool says_nothing_else = seen.outcome.kind == OUTCOME_EXIT && seen.outcome.code == 0 &&
                                   !seen.agent && !seen.stream && seen.out.len == 0 &&
                                   seen.err.len == 0;
    if (says_nothing_else)
        (void)facts_judge(&seen, out);
    else
        judge_attempt(rules_of(classifier), &seen, out);
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
