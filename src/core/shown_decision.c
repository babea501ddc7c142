/* shown_decision.c - a decision in words, from the inputs that the log has of it. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "attr.h"
#include "json.h"
#include "protocol.h"
#include "shown.h"

enum { MS_PER_S = 1000, MINUTE_MS = 60 * MS_PER_S, SECONDS_MS_MAX = 120 * MS_PER_S };

/* Two digits after the point are enough for people. */
static void add_rounded(struct str *out, double value)
{
    str_add_number(out, floor(value * 100 + 0.5) / 100);
}

void shown_seconds(int64_t ms, struct str *out)
{
    if (ms >= SECONDS_MS_MAX) {
        shown_duration(ms, out);
        return;
    }
    add_rounded(out, (double)ms / MS_PER_S);
    str_add(out, " s");
}

/* A time that has a bound: below a minute its tenths count too. */
static void add_span(int64_t ms, struct str *out)
{
    if (ms < 0 || ms >= MINUTE_MS) {
        shown_duration(ms, out);
        return;
    }
    str_addf(out, "%lld.%lld s", (long long)(ms / MS_PER_S), (long long)(ms % MS_PER_S / 100));
}

/* NULL if there is nothing, or nothing that can be read. */
static struct json *parse(const char *text)
{
    struct json *json = NULL;
    if (!text || !json_parse(text, strlen(text), &json, NULL, NULL))
        return NULL;
    return json;
}

static int64_t number_of(const struct json *inputs, const char *key, int64_t otherwise)
{
    return json_i64(json_get(inputs, key), otherwise);
}

/* "15 s x2^2 = 60 s", and what the cap made of it. */
static void add_backoff(const struct json *inputs, const struct delay *delay, struct str *out)
{
    int64_t base_ms = number_of(inputs, "base", 0);
    int64_t cap_ms = number_of(inputs, "cap", 0);
    double multiplier = json_number(json_get(inputs, "multiplier"), 1);
    double raw_ms = (double)base_ms * pow(multiplier, delay->n - 1);
    bool cut = raw_ms > (double)cap_ms;

    shown_seconds(base_ms, out);
    if (delay->n > 1) {
        str_add(out, " x");
        add_rounded(out, multiplier);
        str_addf(out, "^%d", delay->n - 1);
    }
    if (delay->n > 1 && !cut) {
        str_add(out, " = ");
        shown_seconds(delay->exact_ms, out);
    }
    if (cut) {
        str_add(out, ", cut to ");
        shown_seconds(delay->exact_ms, out);
    }
}

static int64_t jittered_ms(const struct json *inputs, const struct delay *delay)
{
    int64_t cap_ms = number_of(inputs, "cap", 0);
    double jittered = (double)delay->exact_ms * delay->factor;
    return jittered > (double)cap_ms ? cap_ms : (int64_t)jittered;
}

static void add_jitter(const struct json *inputs, const struct delay *delay, struct str *out)
{
    bool full = strcmp(json_text(json_get(inputs, "kind"), ""), "full") == 0;
    bool any = full || json_number(json_get(inputs, "jitter"), 0) > 0;
    if (!any)
        return;
    str_add(out, full ? ", full jitter " : ", jitter ");
    add_rounded(out, delay->factor);
    str_add(out, " -> ");
    shown_seconds(jittered_ms(inputs, delay), out);
}

/* Was it a wait on a server's hint that is not counted? */
static bool is_free(const struct json *inputs, const struct step_state *step)
{
    bool counted_by_itself = step->start_failures > 0;
    return step->delay.hint_ms >= 0 && !counted_by_itself &&
           step->used < number_of(inputs, "used", step->used);
}

static bool ended_as(const struct step_state *step, enum outcome_kind kind)
{
    const struct attempt_state *attempt = step_state_attempt(step);
    return attempt && attempt->outcome.kind == kind;
}

static void add_formula(const struct json *inputs, const struct step_state *step, struct str *out)
{
    const struct delay *delay = &step->delay;
    if (delay->delay_ms == 0 && ended_as(step, OUTCOME_INTERRUPTED)) {
        str_add(out, "at once: devs was gone while it ran; uses up no try");
        return;
    }
    add_backoff(inputs, delay, out);
    add_jitter(inputs, delay, out);
    str_add(out, ", cap ");
    shown_seconds(number_of(inputs, "cap", 0), out);
    if (delay->hint_ms >= 0) {
        bool floor_holds = delay->hint_ms > jittered_ms(inputs, delay);
        str_add(out, floor_holds ? "; the server says " : "; the server says only ");
        shown_seconds(delay->hint_ms, out);
        if (step->verdict && step->verdict->hint_rule[0] != '\0')
            str_addf(out, " (%s)", step->verdict->hint_rule);
    }
    if (is_free(inputs, step))
        str_add(out, ", uses up no try");
}

void shown_formula(const struct step_state *step, struct str *out)
{
    struct json *inputs = step->status == STEP_WAITING ? parse(step->wait_json) : NULL;
    if (json_get(inputs, "base"))
        add_formula(inputs, step, out);
    json_free(inputs);
}

static void end_of_tries(const struct plan_step *plan, const struct json *inputs,
                         const struct step_state *step, struct str *out)
{
    int64_t interrupted = number_of(inputs, "interrupted", 0);
    int64_t used = number_of(inputs, "used", 0);
    int64_t allowed = number_of(inputs, "allowed", 0);
    if (used < allowed && interrupted > 0)
        str_addf(out, "interrupted %lld times", (long long)interrupted);
    else if (step->start_failures > 0)
        str_addf(out, "%lld of %lld starts failed", (long long)used, (long long)allowed);
    else
        str_addf(out, "%lld of %lld tries used", (long long)used, (long long)allowed);
    if (plan->once && step->start_failures == 0)
        str_add(out, ": it is not declared idempotent, and nothing can be put back for another");
}

/* Policy or phase does not try again on this. */
static void end_of_policy(const struct plan_step *plan, const struct json *inputs,
                          const struct step_state *step, struct str *out)
{
    const struct attempt_state *attempt = step_state_attempt(step);
    const char *policy = json_text(json_get(inputs, "policy"), plan->policy->name);
    bool of_start = attempt && attempt->outcome.kind == OUTCOME_NOT_STARTED;
    if (step->verdict && step->verdict->no_retry)
        str_add(out, "it did something else than it was asked, so it is not asked again");
    else if (!of_start && !policy_fits_phase(plan->policy, plan->phase))
        str_addf(out, "policy %s does not try again in %s", policy, phase_name(plan->phase));
    else if (attempt && attempt->outcome.kind == OUTCOME_TIMEOUT && !plan->policy->retry_timeouts)
        str_addf(out, "policy %s does not try again after a time-out", policy);
    else if (attempt)
        str_addf(out, "policy %s does not try again on a %s failure", policy,
                 verdict_class_name(attempt->class));
}

/* By a rung of the detector, or by the policy's window. */
static void end_in_circles(const struct json *inputs, struct str *out)
{
    struct shown_circle circle;
    if (json_get(inputs, "rung") && shown_circles_read(inputs, 0, 0, &circle)) {
        shown_circle_words(&circle, out);
        return;
    }
    int64_t window = number_of(inputs, "window", 0);
    int64_t stops = window > 0 ? window : number_of(inputs, "same_stops", 0);
    str_addf(out, "the same result %lld times in a row, its policy stops at %lld",
             (long long)number_of(inputs, "same", 0), (long long)stops);
}

/* "the run's budget is spent: $2.10 of $2.00". */
static void end_of_budget(const struct json *inputs, struct str *out)
{
    const struct budget_use use = {.kind =
                                       budget_kind_named(json_text(json_get(inputs, "budget"), "")),
                                   .used = number_of(inputs, "spent", 0),
                                   .limit = number_of(inputs, "limit", 0)};
    const bool by_run = strcmp(json_text(json_get(inputs, "of"), ""), "run") == 0;
    str_addf(out, "%s budget is spent: ", by_run ? "the run's" : "its");
    budget_use_words(&use, out);
}

static void end_for_a_person(const struct json *inputs, const struct step_state *step,
                             struct str *out)
{
    const struct verdict *verdict = step->verdict;
    int64_t cap_ms = number_of(inputs, "hint_cap", -1);
    if (json_get(inputs, "budget")) {
        end_of_budget(inputs, out);
    } else if (verdict && !verdict->ask && cap_ms >= 0 && verdict->retry_after_ms > cap_ms) {
        str_add(out, "the server says ");
        shown_seconds(verdict->retry_after_ms, out);
        str_add(out, ", the policy waits at most ");
        shown_duration(cap_ms, out);
    } else if (ended_as(step, OUTCOME_INTERRUPTED)) {
        str_add(out, "devs was gone while it ran, and it may not be run twice");
    } else if (ended_as(step, OUTCOME_NOT_STARTED)) {
        outcome_words(&step_state_attempt(step)->outcome, out);
    } else {
        str_add(out, "trying again does not help");
    }
}

static void end_of_time(const struct json *inputs, struct str *out)
{
    int64_t deadline_ms = number_of(inputs, "deadline", 0);
    if (deadline_ms <= 0) {
        str_add(out, "its time was over before it could start again");
        return;
    }
    str_add(out, "the next try would start past its ");
    add_span(deadline_ms, out);
    int64_t gone_ms = number_of(inputs, "since_start", 0) - number_of(inputs, "held", 0);
    str_add(out, ", ");
    add_span(gone_ms, out);
    str_add(out, " are gone");
}

/* Of a step behind an agent that may be prompted again. */
static void add_rounds(const struct json *inputs, struct str *out)
{
    const int64_t round = number_of(inputs, "round", 0);
    const int64_t rounds = number_of(inputs, "rounds", 0);
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
    struct json *inputs = parse(step->end_json);
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

const char *shown_end_word(enum decision_kind kind)
{
    static const char *const words[] = {
        [DECISION_SUCCEEDED] = "passed",
        [DECISION_WAIT] = "waits",
        [DECISION_FAILED] = "gave up",
        [DECISION_RETRY_EXHAUSTED] = "gave up",
        [DECISION_TRANSIENT_EXHAUSTED] = "gave up",
        [DECISION_ENTROPY] = "stuck",
        [DECISION_NEEDS_YOU] = "needs you",
        [DECISION_CANCELLED] = "cancelled",
        [DECISION_DEADLINE] = "gave up",
        [DECISION_MAX_RETRIES] = "gave up",
    };
    static_assert(ARRAY_LEN(words) == DECISION_KIND_COUNT, "every decision has its word");
    assert(kind < DECISION_KIND_COUNT);
    return words[kind];
}

/* Is the log's own name for it more than the word says? */
static bool has_name(enum decision_kind kind)
{
    return kind == DECISION_RETRY_EXHAUSTED || kind == DECISION_TRANSIENT_EXHAUSTED ||
           kind == DECISION_ENTROPY || kind == DECISION_MAX_RETRIES;
}

void shown_end_named(enum decision_kind kind, struct str *out)
{
    str_add(out, shown_end_word(kind));
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
    str_add(out, shown_end_word(kind));
}

void shown_ending(const struct run_state *state, int task, struct str *out)
{
    add_ending(state, task, add_end_word, out);
}

void shown_ending_named(const struct run_state *state, int task, struct str *out)
{
    add_ending(state, task, shown_end_named, out);
}

int64_t shown_resets_at_ms(const struct step_state *step)
{
    const struct attempt_state *attempt = step_state_attempt(step);
    const struct verdict *verdict = step->verdict;
    bool has_failed = step->status == STEP_ENDED && step->end != DECISION_SUCCEEDED;
    if (!verdict || !attempt || !has_failed)
        return -1;
    if (verdict->resume_at_ms >= 0)
        return verdict->resume_at_ms;
    return verdict->retry_after_ms >= 0 ? attempt->ended.at_ms + verdict->retry_after_ms : -1;
}

static const char *short_stream(enum verdict_stream stream)
{
    return stream == VERDICT_STREAM_OUT ? "out" : "err";
}

void shown_evidence(const struct verdict *verdict, struct str *out)
{
    if (verdict->rule[0] != '\0')
        str_addf(out, "rule %s", verdict->rule);
    if (verdict->stream != VERDICT_STREAM_NONE && verdict->line > 0)
        str_addf(out, " at %s:%lld", short_stream(verdict->stream), (long long)verdict->line);
    if (verdict->match[0] != '\0')
        str_addf(out, "%s\"%s\"", verdict->rule[0] != '\0' ? ": " : "", verdict->match);
}

void shown_near(const struct verdict *verdict, struct str *out)
{
    for (int i = 0; i < verdict->near_count; i++) {
        const struct verdict_near *near = &verdict->near[i];
        str_addf(out, "%s%s (%s)", i > 0 ? ", " : "", near->rule, near_why_name(near->why));
        if (near->stream != VERDICT_STREAM_NONE)
            str_addf(out, " at %s byte %lld", short_stream(near->stream), (long long)near->offset);
    }
}

void shown_hint(const struct verdict *verdict, struct str *out)
{
    if (verdict->retry_after_ms < 0 && verdict->resume_at_ms < 0)
        return;
    if (verdict->retry_after_ms >= 0) {
        str_add(out, "wait ");
        shown_seconds(verdict->retry_after_ms, out);
    } else {
        str_add(out, "a time to come back");
    }
    if (verdict->hint_rule[0] != '\0')
        str_addf(out, ", by %s", verdict->hint_rule);
}

void shown_attempt_class(const struct attempt_state *attempt, const struct verdict *verdict,
                         struct str *out)
{
    struct verdict shown = verdict_new();
    char word[VERDICT_WORD_MAX];
    if (verdict)
        shown = *verdict;
    if (attempt->correction) {
        const struct verdict_label *label = &attempt->correction->label;
        shown.class = label->class;
        shown.type = label->type;
        shown.reason = label->reason;
        shown.subtype[0] = '\0';
    }
    if (attempt->correction && shown.class == VERDICT_SUCCESS)
        str_add(out, verdict_class_name(VERDICT_SUCCESS));
    else
        str_add(out, verdict_word(&shown, &attempt->outcome, word));
}
