#include "classify_agent.h"

#include <string.h>

#include "agent_result.h"
#include "ascii.h"
#include "classify_verdict.h"
#include "plan.h"
#include "text.h"

/* Words of an agent go through the same rules as if a program had printed them,
 * the status before them. Does one of `list` hold? */
static bool judge_words(const struct rules *rules, const struct classify_input *input,
                        const struct str *words, const struct rule_list *list, struct verdict *out)
{
    struct classify_input inner = *input;
    inner.outcome = (struct outcome){.kind = OUTCOME_EXIT, .code = 1};
    inner.memory_killed = -1;
    inner.out = (struct classify_text){0};
    inner.err = (struct classify_text){.bytes = str_text(words), .len = words->len};
    struct scan scan;
    struct scan_match match;
    scan_init(&scan, rules, &inner);
    scan.trusts = true;
    bool holds = list ? scan_first(&scan, list, &match) : classify_by_text(&scan, out);
    if (list && holds)
        classify_by_match(out, &scan, &match);
    if (!list || holds)
        classify_add_nears(out, &scan);
    scan_done(&scan);
    return holds;
}

static bool judge_service_words(const struct rules *rules, const struct classify_input *input,
                                const struct str *words, struct verdict *out)
{
    return judge_words(rules, input, words, NULL, out) ||
           judge_words(rules, input, words, &rules->service, out);
}

bool classify_by_own_retry(const struct rules *rules, const struct classify_input *input,
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

/* The agent's own result decides alone. Only of what is known to be the words of a service are
 * the wide rules asked, which would say too much of any other text. */
static bool judge_agent_failure(const struct rules *rules, const struct classify_input *input,
                                const struct agent_result *result, struct verdict *out)
{
    const struct rule_list *service = &rules->service;
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
        *out = finer; /* not only that the request was bad: what of it */
    quote_end(out, &result->words);
    str_done(&said);
    return true;
}

/* It went well, it says; unless its last words are that it will not do it. */
static bool judge_agent_success(const struct rules *rules, const struct classify_input *input,
                                const struct agent_result *result, struct verdict *out)
{
    return result->said.len > 0 && judge_words(rules, input, &result->said, &rules->said, out);
}

/* A refused call has stopped the work: the agent says so, says nothing, or has done nothing after
 * it that anybody checks. */
static bool judge_refusal(const struct rules *rules, const struct classify_input *input,
                          const struct agent_result *result, struct verdict *out)
{
    struct verdict said = verdict_new();
    if (result->refused == 0 || input->checks == CLASSIFY_CHECKS_FOLLOW)
        return false;
    const bool is_last = result->ends_refused && input->checks == CLASSIFY_CHECKS_NONE;
    const bool stops = is_last || !result->has_answer ||
                       (result->answer.len > 0 &&
                        judge_words(rules, input, &result->answer, &rules->stopped, &said));
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

void classify_quote_failure(const struct classify_input *input, struct verdict *out)
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
        nothing = ascii_is_blank(input->out.bytes[i]);
    return nothing;
}

bool classify_agent_interrupted(const struct classify_input *input)
{
    return input->agent && adapter_output(input->agent) != ADAPTER_OUTPUT_TEXT &&
           input->outcome.kind == OUTCOME_SIGNAL && is_interrupted(&input->outcome);
}

static bool judge_agent_end(const struct rules *rules, const struct classify_input *input,
                            const struct agent_result *result, struct verdict *out)
{
    const bool exited_well = input->outcome.code == 0;
    switch (result->end) {
    case AGENT_END_FAILED:
        if (exited_well && (!result->closes || (result->on_err && !says_nothing(input))))
            return false; /* many a program that did well logs errors as JSON */
        return judge_agent_failure(rules, input, result, out);
    case AGENT_END_DONE:
        if (exited_well && input->one_shot && result->is_empty) {
            verdict_set_transient(out, TRANSIENT_NETWORK_TIMEOUT, "EMPTY_ANSWER", "agent.empty");
            return true;
        }
        return exited_well && input->agent &&
               (judge_refusal(rules, input, result, out) ||
                judge_agent_success(rules, input, result, out));
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

bool classify_by_agent(const struct rules *rules, const struct classify_input *input,
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
