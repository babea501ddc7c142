/* shown_decision.c - the reasons for the decisions about a task, as text: formulas, evidence,
 * hints, how a step ended, loops. */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "attr.h"
#include "classify.h"
#include "fingerprint.h"
#include "protocol.h"
#include "rounded.h"
#include "shown.h"

enum { MS_PER_S = 1000, SECONDS_MS_MAX = 120 * MS_PER_S };

/* Appends the value with at most two decimals, which are enough for people. */
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

/* Appends "15 s x2^2 = 60 s" or, if the cap applied, "15 s x2^5, limited to 300 s". */
static void add_backoff(const struct decision_inputs *inputs, const struct delay *delay,
                        struct str *out)
{
    double raw_ms = (double)inputs->base_ms * pow(inputs->multiplier, delay->retry_number - 1);
    bool cut = raw_ms > (double)inputs->cap_ms;

    shown_seconds(inputs->base_ms, out);
    if (delay->retry_number > 1) {
        str_add(out, " x");
        add_rounded(out, inputs->multiplier);
        str_addf(out, "^%d", delay->retry_number - 1);
    }
    if (delay->retry_number > 1 && !cut) {
        str_add(out, " = ");
        shown_seconds(delay->exact_ms, out);
    }
    if (cut) {
        str_add(out, ", limited to ");
        shown_seconds(delay->exact_ms, out);
    }
}

static int64_t jittered_ms(const struct decision_inputs *inputs, const struct delay *delay)
{
    double jittered = (double)delay->exact_ms * delay->factor;
    return jittered > (double)inputs->cap_ms ? inputs->cap_ms : (int64_t)jittered;
}

/* Returns whether the step's latest attempt ended with this outcome. */
static bool last_ended_as(const struct step_state *step, enum outcome_kind kind)
{
    const struct attempt_state *attempt = step_state_attempt(step);
    return attempt && attempt->outcome.kind == kind;
}

void shown_formula(const struct step_state *step, struct str *out)
{
    if (step->status != STEP_WAITING)
        return;
    const struct delay *delay = &step_state_formulas(step)->delay;
    const struct decision_inputs *inputs = &step_state_formulas(step)->inputs;
    if (!inputs->policy)
        return;
    if (delay->delay_ms == 0 && last_ended_as(step, OUTCOME_INTERRUPTED)) {
        str_add(out, "at once: devs died while it ran; does not count as a try");
        return;
    }
    if (delay->delay_ms == 0 && last_ended_as(step, OUTCOME_LOST)) {
        str_add(out, "at once: its machine was lost while it ran; does not count as a try");
        return;
    }
    add_backoff(inputs, delay, out);
    if (inputs->full_jitter || inputs->jitter > 0) {
        str_add(out, inputs->full_jitter ? ", full jitter " : ", jitter ");
        add_rounded(out, delay->factor);
        str_add(out, " -> ");
        shown_seconds(jittered_ms(inputs, delay), out);
    }
    str_add(out, ", cap ");
    shown_seconds(inputs->cap_ms, out);
    if (delay->hint_ms >= 0) {
        struct verdict room;
        const struct verdict *verdict = step_state_verdict(step, &room);
        bool floor_holds = delay->hint_ms > jittered_ms(inputs, delay);
        str_add(out, floor_holds ? "; the server requested " : "; the server requested only ");
        shown_seconds(delay->hint_ms, out);
        if (verdict && verdict->hint_rule[0] != '\0')
            str_addf(out, " (%s)", verdict->hint_rule);
    }
    /* An uncounted wait requested by a server. Failed starts are counted separately. */
    if (delay->hint_ms >= 0 && step->start_failures == 0 && step->used < inputs->used)
        str_add(out, "; does not count as a try");
}

int64_t shown_resets_at_ms(const struct step_state *step)
{
    const struct attempt_state *attempt = step_state_attempt(step);
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
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

/* Appends where the evidence is: " at out:5", or " at out byte 100107" if the preceding lines were
 * not all scanned. */
static void add_evidence_place(const struct verdict *verdict, struct str *out)
{
    if (verdict->stream == VERDICT_STREAM_NONE || verdict->line <= 0)
        return;
    if (verdict->offset < CLASSIFY_TAIL_MAX)
        str_addf(out, " at %s:%lld", short_stream(verdict->stream), (long long)verdict->line);
    else
        str_addf(out, " at %s byte %lld", short_stream(verdict->stream),
                 (long long)verdict->offset);
}

void shown_evidence(const struct verdict *verdict, struct str *out)
{
    if (verdict->rule[0] != '\0')
        str_addf(out, "rule %s", verdict->rule);
    add_evidence_place(verdict, out);
    if (verdict->match[0] != '\0')
        str_addf(out, "%s\"%s\"", verdict->rule[0] != '\0' ? ": " : "", verdict->match);
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

/* How a step ended, and why it was not retried. */

enum { TENTH_MS = 100, MINUTE_MS = 60 * 1000 };

/* Appends a duration that is compared with a limit; below a minute, with tenths of a second. */
static void add_span(int64_t ms, struct str *out)
{
    const int64_t tenths = rounded(ms, TENTH_MS);
    if (ms < 0 || ms >= MINUTE_MS)
        shown_duration(ms, out);
    else
        str_addf(out, "%lld.%lld s", (long long)(tenths / 10), (long long)(tenths % 10));
}

/* Appends why the verdict, the policy or the phase does not allow a retry of this failure. */
static void end_of_policy(const struct plan_step *plan, const struct step_state *step,
                          struct str *out)
{
    const struct attempt_state *attempt = step_state_attempt(step);
    const struct decision_inputs *inputs = &step_state_formulas(step)->inputs;
    const char *policy = inputs->policy ? inputs->policy : plan->policy->name;
    bool of_start = attempt && attempt->outcome.kind == OUTCOME_NOT_STARTED;
    const int unchanged_stops = plan->policy->unchanged_stops;
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    if (verdict && verdict->no_retry)
        str_add(out, "it did something other than requested, so it is not run again");
    else if (!of_start && !policy_fits_phase(plan->policy, plan->phase))
        str_addf(out, "policy %s does not retry in %s", policy, phase_name(plan->phase));
    else if (attempt && attempt->outcome.kind == OUTCOME_TIMEOUT && !plan->policy->retry_timeouts)
        str_addf(out, "policy %s does not retry after a timeout", policy);
    else if (attempt && unchanged_stops > 0 && inputs->unchanged && inputs->same >= unchanged_stops)
        str_addf(out, "the same result %d times on an unchanged tree, and policy %s stops at %d",
                 inputs->same, policy, unchanged_stops);
    else if (attempt && (plan->policy->retry_on & POLICY_ON_UNKNOWN) && verdict &&
             verdict->reason != REASON_NONE)
        str_addf(out, "policy %s does not retry a failure with a known reason (%s)", policy,
                 reason_name(verdict->reason));
    else if (attempt)
        str_addf(out, "policy %s does not retry a %s failure", policy,
                 verdict_class_name(attempt->class));
}

static void end_for_a_person(const struct step_state *step, struct str *out)
{
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    const struct step_formulas *formulas = step_state_formulas(step);
    const struct decision_inputs *inputs = &formulas->inputs;
    const int64_t cap_ms = inputs->hint_cap_ms;
    if (inputs->budget != BUDGET_NONE) { /* "the run's budget is spent: $2.10 of $2.00" */
        const struct budget_use use = {
            .kind = inputs->budget, .used = inputs->spent, .limit = inputs->spent_limit};
        str_addf(out, "%s budget is spent: ", inputs->of == DECISION_OF_RUN ? "the run's" : "its");
        budget_use_words(&use, out);
    } else if (formulas->refused) {
        str_addf(out, "its agent was refused %s", formulas->refused);
    } else if (verdict && strcmp(verdict->rule, "agent.refused") == 0) {
        str_add(out, "a person must allow it");
    } else if (verdict && !verdict->ask && cap_ms >= 0 && verdict->retry_after_ms > cap_ms) {
        str_add(out, "the server requested ");
        shown_seconds(verdict->retry_after_ms, out);
        str_add(out, ", but the policy waits at most ");
        shown_duration(cap_ms, out);
    } else if (last_ended_as(step, OUTCOME_INTERRUPTED)) {
        str_add(out, "devs died while it ran, and it must not be run twice");
    } else if (last_ended_as(step, OUTCOME_LOST)) {
        str_add(out, "its machine was lost while it ran, and it must not be run twice");
    } else if (last_ended_as(step, OUTCOME_NOT_STARTED)) {
        outcome_words(&step_state_attempt(step)->outcome, out);
    } else {
        str_add(out, "trying again would not help");
    }
}

bool shown_needs_allowing(const struct step_state *step)
{
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    const struct step_formulas *formulas = step_state_formulas(step);
    if (step->status != STEP_ENDED || step->end != DECISION_NEEDS_YOU)
        return false;
    return formulas->refused || (formulas->inputs.budget == BUDGET_NONE && verdict &&
                                 verdict->ask && verdict->reason == REASON_PERMISSION);
}

void shown_end(const struct plan_step *plan, const struct step_state *step, struct str *out)
{
    if (step->status != STEP_ENDED)
        return;
    const struct decision_inputs *inputs = &step_state_formulas(step)->inputs;
    const bool is_known = inputs->policy || inputs->budget != BUDGET_NONE;
    switch (step->end) {
    case DECISION_RETRY_EXHAUSTED:
    case DECISION_TRANSIENT_EXHAUSTED:
    case DECISION_MAX_RETRIES:
        if (!is_known)
            break;
        if (inputs->used < inputs->allowed && inputs->interrupted > 0)
            str_addf(out, "interrupted %d times", inputs->interrupted);
        else if (step->start_failures > 0)
            str_addf(out, "%d of %d starts failed", inputs->used, inputs->allowed);
        else
            str_addf(out, "%d of %d tries used", inputs->used, inputs->allowed);
        shown_own_retries(inputs->own_retries, out);
        if (plan->once && step->start_failures == 0)
            str_add(out, ": it is not declared idempotent, and its workspace cannot be restored "
                         "for another try");
        break;
    case DECISION_FAILED:
        if (is_known)
            end_of_policy(plan, step, out);
        break;
    case DECISION_ENTROPY: { /* ended by a rung of the loop detector, by a limit of the policy, or
                                by the agent itself */
        struct shown_circle circle;
        if (!is_known)
            break;
        if (inputs->of == DECISION_OF_AGENT)
            str_add(out, "the agent found a loop and stopped on its own");
        else if (shown_loop_facts(&inputs->loop, 0, &circle))
            shown_circle_words(&circle, out);
        else
            str_addf(out, "the same result %d times in a row, and its policy stops at %d",
                     inputs->same, inputs->window > 0 ? inputs->window : inputs->same_stops);
        break;
    }
    case DECISION_NEEDS_YOU:
        if (is_known)
            end_for_a_person(step, out);
        break;
    case DECISION_DEADLINE:
        if (inputs->deadline_ms <= 0) {
            str_add(out, "its time ran out before it could start again");
            break;
        }
        str_add(out, "the next try would start after its deadline of ");
        add_span(inputs->deadline_ms, out);
        str_add(out, "; ");
        add_span(inputs->since_start_ms - inputs->held_ms, out);
        str_add(out, " have passed");
        break;
    case DECISION_SUCCEEDED:
    case DECISION_WAIT:
    case DECISION_CANCELLED:
    case DECISION_KIND_COUNT:
        break;
    }
    /* Only for a step that follows an agent, and only if the agent may be prompted again. */
    if (inputs->rounds == 0)
        return;
    str_add(out, out->len > 0 ? ", " : "");
    if (inputs->round >= inputs->rounds)
        str_addf(out, "the agent used %d of %d rounds", inputs->round, inputs->rounds);
    else
        str_addf(out, "in round %d of %d", inputs->round, inputs->rounds);
}

void shown_ending(const struct run_state *state, int task, struct str *out)
{
    const struct step_state *step = run_state_step(state, task);
    struct str why = {0};
    if (step->status != STEP_ENDED || step->end == DECISION_SUCCEEDED)
        return;
    shown_end(&state->plan->tasks[task].steps[run_state_step_number(state, task)], step, &why);
    str_addf(out, "%s%s%s", decision_word(step->end), why.len > 0 ? ": " : "", str_text(&why));
    str_done(&why);
}

/* Loops. */

static const struct {
    const char *brief; /* short enough for "brief 99x" in the column */
    const char *equal;
} rungs[] = {
    [ENTROPY_RUNG_NONE] = {"", ""},
    [ENTROPY_RUNG_REPEAT] = {"same", "the call and its result"},
    [ENTROPY_RUNG_CYCLE] = {"cycle", "the calls of each lap and their results"},
    [ENTROPY_RUNG_FAILURE] = {"fault", "the call and how it fails"},
    [ENTROPY_RUNG_BARREN] = {"no news", "no result has anything new"},
    [ENTROPY_RUNG_PAUSE] = {"pauses", "nothing but waiting"},
    [ENTROPY_RUNG_MONOLOGUE] = {"alike", "the text of the messages"},
    [ENTROPY_RUNG_CHANT] = {"chants", "the parts of one message"},
};
static_assert(ARRAY_LEN(rungs) == ENTROPY_RUNG_COUNT, "every rung has its words");

bool shown_loop_facts(const struct loop_facts *facts, int step, struct shown_circle *out)
{
    if (facts->rung == ENTROPY_RUNG_NONE)
        return false;
    *out = (struct shown_circle){.verdict = {.level = ENTROPY_STUCK,
                                             .rung = facts->rung,
                                             .count = facts->count,
                                             .period = facts->period,
                                             .masked = facts->masked,
                                             .poll = facts->poll,
                                             .first_number = facts->first,
                                             .last_number = facts->last},
                                 .first_step = facts->first_step >= 0 ? facts->first_step : step,
                                 .last_step = facts->last_step >= 0 ? facts->last_step : step,
                                 .masks = facts->masks};
    return true;
}

bool shown_end_loop(const struct decision_inputs *inputs, int step, int attempt,
                    struct shown_circle *out)
{
    if (inputs->of == DECISION_OF_AGENT)
        return false; /* only the agent's own loop guard knows what repeats */
    struct loop_facts facts = inputs->loop;
    if (facts.rung == ENTROPY_RUNG_NONE && (inputs->window > 0 || inputs->same_stops > 0)) {
        facts.rung = ENTROPY_RUNG_REPEAT;
        facts.count = inputs->same;
        facts.first = attempt - inputs->same + 1;
        facts.last = attempt;
    }
    if (!shown_loop_facts(&facts, step, out))
        return false;
    out->of_calls = inputs->of == DECISION_OF_CALLS;
    return true;
}

/* Reads the loop that ended the step from its decision: a rung, or a limit of the policy. Returns
 * false if no loop ended it. */
static bool ended_in_circles(const struct run_state *state, int task, struct shown_circle *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    if (step->status != STEP_ENDED || step->end != DECISION_ENTROPY || !attempt)
        return false;
    return shown_end_loop(&step_state_formulas(step)->inputs, run_state_step_number(state, task),
                          attempt->number, out);
}

bool shown_circles_of(const struct run_state *state, int task, struct shown_circle *out)
{
    const struct circles *circles = state->tasks[task].circles;
    const struct task_agent *agent = state->tasks[task].agent;
    const struct circles *calls = agent ? agent->calls : NULL;
    const enum task_status status = state->tasks[task].status;
    const bool is_final = task_status_is_final(status);
    *out = (struct shown_circle){0};
    /* The loop among the calls of a running agent, or the loop for which the agent was stopped. */
    if (calls && calls->verdict.level != ENTROPY_OK && (status == TASK_STUCK || !is_final)) {
        *out = (struct shown_circle){.verdict = calls->verdict, .of_calls = true};
        return true;
    }
    if (ended_in_circles(state, task, out))
        return true;
    /* a suspicion about a finished task is not news */
    if (is_final || !circles || circles->verdict.level == ENTROPY_OK)
        return false;
    *out = (struct shown_circle){.verdict = circles->verdict,
                                 .first_step = circles->first_step,
                                 .last_step = circles->last_step};
    return true;
}

void shown_circles_span(const struct shown_circle *circle, int step, struct str *out)
{
    const long long first = circle->verdict.first_number;
    const long long last = circle->verdict.last_number;
    if (circle->verdict.level == ENTROPY_OK || first < 1)
        return;
    if (circle->of_calls) {
        str_addf(out, first == last ? "call or message %lld" : "calls and messages %lld to %lld",
                 first, last);
        return;
    }
    if (circle->first_step != step || circle->last_step != step)
        str_addf(out, "step %d try %lld to step %d try %lld", circle->first_step + 1, first,
                 circle->last_step + 1, last);
    else if (first == last)
        str_addf(out, "try %lld", last);
    else
        str_addf(out, "tries %lld to %lld", first, last);
}

void shown_circle_words(const struct shown_circle *circle, struct str *out)
{
    const struct entropy_verdict *verdict = &circle->verdict;
    const bool of_calls = circle->of_calls;
    if (verdict->level == ENTROPY_OK)
        return;
    switch (verdict->rung) {
    case ENTROPY_RUNG_REPEAT:
        str_addf(out, "same result %d times", verdict->count);
        break;
    case ENTROPY_RUNG_CYCLE:
        str_addf(out, "%d laps of %d %s", verdict->count, verdict->period,
                 of_calls ? "calls" : "steps");
        break;
    case ENTROPY_RUNG_FAILURE:
        str_addf(out, "same failure %d times", verdict->count);
        break;
    case ENTROPY_RUNG_BARREN:
        str_addf(out, "nothing new in %d %s", verdict->count, of_calls ? "calls" : "tries");
        break;
    case ENTROPY_RUNG_PAUSE:
        str_addf(out, "%d pauses and nothing else", verdict->count);
        break;
    case ENTROPY_RUNG_MONOLOGUE:
        str_addf(out, "%d similar messages", verdict->count);
        break;
    case ENTROPY_RUNG_CHANT:
        str_add(out, "one message repeats itself");
        break;
    case ENTROPY_RUNG_NONE:
    case ENTROPY_RUNG_COUNT:
        break;
    }
}

void shown_circles_brief(const struct entropy_verdict *verdict, struct str *out)
{
    if (verdict->level == ENTROPY_OK)
        return;
    if (verdict->level == ENTROPY_SUSPECT)
        str_addf(out, "loop? %dx", verdict->count);
    else if (verdict->rung == ENTROPY_RUNG_CHANT)
        str_add(out, rungs[verdict->rung].brief);
    else
        str_addf(out, "%s %dx", rungs[verdict->rung].brief, verdict->count);
}

void shown_circles_or_class(const struct run_state *state, int task, struct str *out)
{
    const struct task_state *it = &state->tasks[task];
    struct shown_circle circle;
    const size_t before = out->len;
    if (shown_circles_of(state, task, &circle))
        shown_circles_brief(&circle.verdict, out);
    else
        shown_class(state, task, out);
    if (out->len > before || (it->status != TASK_RUNNING && it->status != TASK_PASSED))
        return;
    /* "2 refused": calls that were denied to the agents of a running or passed task. */
    const int64_t refused = it->agent ? task_agent_used(it->agent).refused : 0;
    if (refused > 0)
        str_addf(out, "%lld refused", (long long)refused);
}

const char *shown_circles_equal(const struct entropy_verdict *verdict)
{
    assert(verdict->rung < ENTROPY_RUNG_COUNT);
    return verdict->level == ENTROPY_OK ? "" : rungs[verdict->rung].equal;
}

void shown_masks(unsigned masks, struct str *out)
{
    const char *comma = "";
    for (int i = 0; i < NORMALISER_MASK_COUNT; i++) {
        if ((masks & 1U << i) == 0)
            continue;
        str_addf(out, "%s%s", comma, normaliser_mask_words((enum normaliser_mask)i));
        comma = ", ";
    }
}

/* Truncates to two decimals instead of rounding: .999 must not become 1.0. */
void shown_new(int permille, struct str *out)
{
    enum { PERMILLE = 1000, PER_HUNDRED = 10 };
    if (permille < 0)
        return;
    if (permille >= PERMILLE)
        str_add(out, "1.0");
    else
        str_addf(out, ".%02d", permille / PER_HUNDRED);
}
