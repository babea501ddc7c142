/* shown_decision.c - what a decision went by in words: formulas, evidence, hints. */
#include <math.h>
#include <string.h>

#include "classify.h"
#include "fold.h"
#include "json.h"
#include "protocol.h"
#include "shown.h"
#include "shown_inputs.h"

enum { MS_PER_S = 1000, SECONDS_MS_MAX = 120 * MS_PER_S };

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

struct json *shown_inputs_parse(const char *text)
{
    struct json *json = NULL;
    if (!text || !json_parse(text, strlen(text), &json, NULL, NULL))
        return NULL;
    return json;
}

int64_t shown_inputs_number(const struct json *inputs, const char *key, int64_t otherwise)
{
    const int64_t number = json_i64(json_get(inputs, key), otherwise);
    return number >= -FOLD_TIME_MAX_MS && number <= FOLD_TIME_MAX_MS ? number : otherwise;
}

/* "15 s x2^2 = 60 s", and what the cap made of it. */
static void add_backoff(const struct json *inputs, const struct delay *delay, struct str *out)
{
    int64_t base_ms = shown_inputs_number(inputs, "base", 0);
    int64_t cap_ms = shown_inputs_number(inputs, "cap", 0);
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
    int64_t cap_ms = shown_inputs_number(inputs, "cap", 0);
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
    return step_state_formulas(step)->delay.hint_ms >= 0 && !counted_by_itself &&
           step->used < shown_inputs_number(inputs, "used", step->used);
}

bool shown_ended_as(const struct step_state *step, enum outcome_kind kind)
{
    const struct attempt_state *attempt = step_state_attempt(step);
    return attempt && attempt->outcome.kind == kind;
}

static void add_formula(const struct json *inputs, const struct step_state *step, struct str *out)
{
    const struct delay *delay = &step_state_formulas(step)->delay;
    if (delay->delay_ms == 0 && shown_ended_as(step, OUTCOME_INTERRUPTED)) {
        str_add(out, "at once: devs was gone while it ran; uses up no try");
        return;
    }
    add_backoff(inputs, delay, out);
    add_jitter(inputs, delay, out);
    str_add(out, ", cap ");
    shown_seconds(shown_inputs_number(inputs, "cap", 0), out);
    if (delay->hint_ms >= 0) {
        struct verdict room;
        const struct verdict *verdict = step_state_verdict(step, &room);
        bool floor_holds = delay->hint_ms > jittered_ms(inputs, delay);
        str_add(out, floor_holds ? "; the server says " : "; the server says only ");
        shown_seconds(delay->hint_ms, out);
        if (verdict && verdict->hint_rule[0] != '\0')
            str_addf(out, " (%s)", verdict->hint_rule);
    }
    if (is_free(inputs, step))
        str_add(out, ", uses up no try");
}

void shown_formula(const struct step_state *step, struct str *out)
{
    struct json *inputs = step->status == STEP_WAITING
                              ? shown_inputs_parse(step_state_formulas(step)->wait_json)
                              : NULL;
    if (json_get(inputs, "base"))
        add_formula(inputs, step, out);
    json_free(inputs);
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

void shown_evidence_place(const struct verdict *verdict, struct str *out)
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
    shown_evidence_place(verdict, out);
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
