/* shown_end.c - how a step ended and why it did not go on, in words. */
#include <string.h>

#include "json.h"
#include "protocol.h"
#include "rounded.h"
#include "shown.h"
#include "shown_inputs.h"

enum { TENTH_MS = 100, MINUTE_MS = 60 * 1000 };

/* A time that has a bound: below a minute its tenths count too. */
static void add_span(int64_t ms, struct str *out)
{
    const int64_t tenths = rounded(ms, TENTH_MS);
    if (ms < 0 || ms >= MINUTE_MS)
        shown_duration(ms, out);
    else
        str_addf(out, "%lld.%lld s", (long long)(tenths / 10), (long long)(tenths % 10));
}

static void end_of_tries(const struct plan_step *plan, const struct json *inputs,
                         const struct step_state *step, struct str *out)
{
    int64_t interrupted = shown_inputs_number(inputs, "interrupted", 0);
    int64_t used = shown_inputs_number(inputs, "used", 0);
    int64_t allowed = shown_inputs_number(inputs, "allowed", 0);
    if (used < allowed && interrupted > 0)
        str_addf(out, "interrupted %lld times", (long long)interrupted);
    else if (step->start_failures > 0)
        str_addf(out, "%lld of %lld starts failed", (long long)used, (long long)allowed);
    else
        str_addf(out, "%lld of %lld tries used", (long long)used, (long long)allowed);
    shown_own_retries(shown_inputs_number(inputs, "own_retries", 0), out);
    if (plan->once && step->start_failures == 0)
        str_add(out, ": it is not declared idempotent, and nothing can be restored for another");
}

static bool repeats_unchanged(const struct plan_step *plan, const struct json *inputs)
{
    const int64_t stops = plan->policy->unchanged_stops;
    return stops > 0 && shown_inputs_number(inputs, "unchanged", 0) == 1 &&
           shown_inputs_number(inputs, "same", 0) >= stops;
}

/* Policy or phase does not try again on this. */
static void end_of_policy(const struct plan_step *plan, const struct json *inputs,
                          const struct step_state *step, struct str *out)
{
    const struct attempt_state *attempt = step_state_attempt(step);
    const char *policy = json_text(json_get(inputs, "policy"), plan->policy->name);
    bool of_start = attempt && attempt->outcome.kind == OUTCOME_NOT_STARTED;
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    if (verdict && verdict->no_retry)
        str_add(out, "it did something other than requested, so it is not run again");
    else if (!of_start && !policy_fits_phase(plan->policy, plan->phase))
        str_addf(out, "policy %s does not try again in %s", policy, phase_name(plan->phase));
    else if (attempt && attempt->outcome.kind == OUTCOME_TIMEOUT && !plan->policy->retry_timeouts)
        str_addf(out, "policy %s does not try again after a time-out", policy);
    else if (attempt && repeats_unchanged(plan, inputs))
        str_addf(out, "the same result %lld times on an unchanged tree, policy %s stops at %d",
                 (long long)shown_inputs_number(inputs, "same", 0), policy,
                 plan->policy->unchanged_stops);
    else if (attempt && (plan->policy->retry_on & POLICY_ON_UNKNOWN) && verdict &&
             verdict->reason != REASON_NONE)
        str_addf(out, "policy %s does not try again on a failure with a known reason, %s", policy,
                 reason_name(verdict->reason));
    else if (attempt)
        str_addf(out, "policy %s does not try again on a %s failure", policy,
                 verdict_class_name(attempt->class));
}

/* By a rung of the detector, or by the policy's window. */
static void end_in_circles(const struct json *inputs, struct str *out)
{
    struct shown_circle circle;
    if (strcmp(json_text(json_get(inputs, "of"), ""), "agent") == 0) {
        str_add(out, "the agent found a loop and stopped by itself");
        return;
    }
    if (json_get(inputs, "rung") && shown_circles_read(inputs, 0, 0, &circle)) {
        shown_circle_words(&circle, out);
        return;
    }
    int64_t window = shown_inputs_number(inputs, "window", 0);
    int64_t stops = window > 0 ? window : shown_inputs_number(inputs, "same_stops", 0);
    str_addf(out, "the same result %lld times in a row, its policy stops at %lld",
             (long long)shown_inputs_number(inputs, "same", 0), (long long)stops);
}

/* "the run's budget is spent: $2.10 of $2.00". */
static void end_of_budget(const struct json *inputs, struct str *out)
{
    const struct budget_use use = {.kind =
                                       budget_kind_named(json_text(json_get(inputs, "budget"), "")),
                                   .used = shown_inputs_number(inputs, "spent", 0),
                                   .limit = shown_inputs_number(inputs, "limit", 0)};
    const bool by_run = strcmp(json_text(json_get(inputs, "of"), ""), "run") == 0;
    str_addf(out, "%s budget is spent: ", by_run ? "the run's" : "its");
    budget_use_words(&use, out);
}

static void end_for_a_person(const struct json *inputs, const struct step_state *step,
                             struct str *out)
{
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    int64_t cap_ms = shown_inputs_number(inputs, "hint_cap", -1);
    const char *refused = json_text(json_get(inputs, "refused"), NULL);
    if (json_get(inputs, "budget")) {
        end_of_budget(inputs, out);
    } else if (refused) {
        str_addf(out, "its agent was refused %s", refused);
    } else if (verdict && strcmp(verdict->rule, "agent.refused") == 0) {
        str_add(out, "a person has to allow it");
    } else if (verdict && !verdict->ask && cap_ms >= 0 && verdict->retry_after_ms > cap_ms) {
        str_add(out, "the server says ");
        shown_seconds(verdict->retry_after_ms, out);
        str_add(out, ", the policy waits at most ");
        shown_duration(cap_ms, out);
    } else if (shown_ended_as(step, OUTCOME_INTERRUPTED)) {
        str_add(out, "devs was gone while it ran, and it may not be run twice");
    } else if (shown_ended_as(step, OUTCOME_NOT_STARTED)) {
        outcome_words(&step_state_attempt(step)->outcome, out);
    } else {
        str_add(out, "trying again does not help");
    }
}

bool shown_needs_allowing(const struct step_state *step)
{
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    if (step->status != STEP_ENDED || step->end != DECISION_NEEDS_YOU)
        return false;
    struct json *inputs = shown_inputs_parse(step_state_formulas(step)->end_json);
    const bool is_refused = json_get(inputs, "refused") != NULL;
    const bool is_budget = json_get(inputs, "budget") != NULL;
    json_free(inputs);
    return is_refused ||
           (!is_budget && verdict && verdict->ask && verdict->reason == REASON_PERMISSION);
}

static void end_of_time(const struct json *inputs, struct str *out)
{
    int64_t deadline_ms = shown_inputs_number(inputs, "deadline", 0);
    if (deadline_ms <= 0) {
        str_add(out, "its time ran out before it could start again");
        return;
    }
    str_add(out, "the next try would start past its ");
    add_span(deadline_ms, out);
    int64_t gone_ms =
        shown_inputs_number(inputs, "since_start", 0) - shown_inputs_number(inputs, "held", 0);
    str_add(out, ", ");
    add_span(gone_ms, out);
    str_add(out, " are gone");
}

/* Of a step behind an agent that may be prompted again. */
static void add_rounds(const struct json *inputs, struct str *out)
{
    const int64_t round = shown_inputs_number(inputs, "round", 0);
    const int64_t rounds = shown_inputs_number(inputs, "rounds", 0);
    if (rounds == 0)
        return;
    str_add(out, out->len > 0 ? ", " : "");
    if (round >= rounds)
        str_addf(out, "the agent had %lld of %lld rounds", (long long)round, (long long)rounds);
    else
        str_addf(out, "in round %lld of %lld", (long long)round, (long long)rounds);
}

void shown_end(const struct plan_step *plan, const struct step_state *step, struct str *out)
{
    if (step->status != STEP_ENDED)
        return;
    struct json *inputs = shown_inputs_parse(step_state_formulas(step)->end_json);
    switch (step->end) {
    case DECISION_RETRY_EXHAUSTED:
    case DECISION_TRANSIENT_EXHAUSTED:
    case DECISION_MAX_RETRIES:
        if (inputs)
            end_of_tries(plan, inputs, step, out);
        break;
    case DECISION_FAILED:
        if (inputs)
            end_of_policy(plan, inputs, step, out);
        break;
    case DECISION_ENTROPY:
        if (inputs)
            end_in_circles(inputs, out);
        break;
    case DECISION_NEEDS_YOU:
        if (inputs)
            end_for_a_person(inputs, step, out);
        break;
    case DECISION_DEADLINE:
        end_of_time(inputs, out);
        break;
    case DECISION_SUCCEEDED:
    case DECISION_WAIT:
    case DECISION_CANCELLED:
    case DECISION_KIND_COUNT:
        break;
    }
    add_rounds(inputs, out);
    json_free(inputs);
}

/* Is the log's own name for it more than the word says? */
static bool has_name(enum decision_kind kind)
{
    return kind == DECISION_RETRY_EXHAUSTED || kind == DECISION_TRANSIENT_EXHAUSTED ||
           kind == DECISION_ENTROPY || kind == DECISION_MAX_RETRIES;
}

void shown_end_named(enum decision_kind kind, struct str *out)
{
    str_add(out, decision_word(kind));
    if (has_name(kind))
        str_addf(out, " (%s)", decision_kind_name(kind));
}

typedef void end_words_fn(enum decision_kind kind, struct str *out);

static void add_ending(const struct run_state *state, int task, end_words_fn *words,
                       struct str *out)
{
    const struct step_state *step = run_state_step(state, task);
    struct str why = {0};
    if (step->status != STEP_ENDED || step->end == DECISION_SUCCEEDED)
        return;
    shown_end(&state->plan->tasks[task].steps[run_state_step_number(state, task)], step, &why);
    words(step->end, out);
    str_addf(out, "%s%s", why.len > 0 ? ": " : "", str_text(&why));
    str_done(&why);
}

static void add_end_word(enum decision_kind kind, struct str *out)
{
    str_add(out, decision_word(kind));
}

void shown_ending(const struct run_state *state, int task, struct str *out)
{
    add_ending(state, task, add_end_word, out);
}

void shown_ending_named(const struct run_state *state, int task, struct str *out)
{
    add_ending(state, task, shown_end_named, out);
}
