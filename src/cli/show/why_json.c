/* why_json.c - why an attempt ended as it did, as an object for programs. */
#include <stdlib.h>

#include "agent_json.h"
#include "circles_json.h"
#include "json.h"
#include "place_json.h"
#include "shown.h"
#include "tries_ahead.h"
#include "why.h"

/* Numbers may grow when they are written anew; never cut, it would be no JSON. */
enum { INPUTS_MAX = 64 * EVENT_TEXT_MAX };

static void add_label(const struct verdict_label *label, struct str *out)
{
    str_json_text(out, "class", verdict_class_name(label->class));
    if (label->type != TRANSIENT_NONE)
        str_json_text(out, "type", transient_type_name(label->type));
    if (label->reason != REASON_NONE)
        str_json_text(out, "reason", reason_name(label->reason));
}

static void add_outcome(const struct attempt_state *attempt, struct str *out)
{
    const struct outcome *outcome = &attempt->outcome;
    str_json_i64(out, "started_at_ms", attempt->started.at_ms);
    if (attempt->ended.at_ms == 0)
        return;
    str_json_i64(out, "ended_at_ms", attempt->ended.at_ms);
    str_json_text(out, "outcome", outcome_kind_name(outcome->kind));
    str_json_i64(out, "code", outcome->code);
    str_json_i64(out, "ran_ms", outcome->ran_ms);
    str_json_i64(out, "waited_ms", attempt->waited_ms);
    if (outcome->own_retries > 0)
        str_json_i64(out, "own_retries", outcome->own_retries);
    if (outcome->own_wait_ms > 0)
        str_json_i64(out, "own_wait_ms", outcome->own_wait_ms);
    str_json_i64(out, "out_bytes", outcome->bytes[0]);
    str_json_i64(out, "err_bytes", outcome->bytes[1]);
}

static void add_verdict(const struct verdict *verdict, struct str *out)
{
    const struct verdict_label label = {verdict->class, verdict->type, verdict->reason};
    str_json_key(out, "verdict");
    str_add_char(out, '{');
    add_label(&label, out);
    verdict_to_json(verdict, out);
    str_add_char(out, '}');
}

static void add_hint(const struct attempt_hint *hint, struct str *out)
{
    str_json_key(out, "hint");
    str_add_char(out, '{');
    str_json_text(out, "text", hint->text);
    str_json_text(out, "by", hint->by);
    str_add_char(out, '}');
}

static void add_correction(const struct correction *correction, struct str *out)
{
    str_json_key(out, "correction");
    str_add_char(out, '{');
    add_label(&correction->label, out);
    str_json_text(out, "by", correction->by);
    str_json_i64(out, "at_ms", correction->at_ms);
    str_add_char(out, '}');
}

static void add_json(const char *key, const struct json *json, struct str *out)
{
    char *brief = json_brief(json, INPUTS_MAX);
    str_json_key(out, key);
    str_add(out, brief);
    free(brief);
}

/* As in the log, where it can be read, and in words. */
static void add_decided(const struct why_decided *decided, struct str *out)
{
    struct json *inputs = NULL;
    const struct str *text = &decided->inputs;
    if (text->len > 0 && json_parse(text->data, text->len, &inputs, NULL, NULL)) {
        add_json("inputs", inputs, out);
        json_free(inputs);
    }
    if (decided->formula.len > 0)
        str_json_text(out, "words", decided->formula.data);
    str_add_char(out, '}');
}

static void add_wait(const struct why *why, struct str *out)
{
    str_json_key(out, "wait");
    str_add_char(out, '{');
    str_json_i64(out, "delay_ms", why->delay.delay_ms);
    str_json_i64(out, "exact_ms", why->delay.exact_ms);
    str_json_i64(out, "due_at_ms", why->due_at_ms);
    str_json_bool(out, "free", why->free);
    str_json_bool(out, "over", why->over);
    if (why->skipped_by[0] != '\0')
        str_json_text(out, "skipped_by", why->skipped_by);
    add_decided(&why->wait, out);
}

static void add_end(const struct why *why, struct str *out)
{
    str_json_key(out, "end");
    str_add_char(out, '{');
    str_json_text(out, "decision", decision_kind_name(why->end));
    str_json_bool(out, "entropy", why->entropy);
    add_decided(&why->stop, out);
}

/* What comes if nobody does anything. */
static void add_ahead(const struct why *why, struct str *out)
{
    struct tries_ahead ahead;
    if (why->orphaned || !tries_ahead(follower_state(why->follower), why->pick.task, &ahead))
        return;
    str_json_key(out, "ahead");
    str_add_char(out, '{');
    str_json_i64(out, "attempt", ahead.first);
    str_json_bool(out, "start", ahead.is_start);
    str_json_i64(out, "due_at_ms", ahead.due.at_ms);
    str_json_key(out, "waits_ms");
    str_add_char(out, '[');
    for (int i = 0; i < ahead.count; i++) {
        str_add(out, i > 0 ? "," : "");
        str_add_i64(out, ahead.waits_ms[i]);
    }
    str_add_char(out, ']');
    str_json_text(out, "end", decision_kind_name(ahead.end));
    str_json_i64(out, "end_at_ms_min", ahead.due.at_ms + ahead.more_ms);
    str_add_char(out, '}');
}

static void add_attempt(const struct why *why, struct str *out)
{
    const struct run_state *state = follower_state(why->follower);
    const struct attempt_state *attempt = step_state_find_attempt(
        &state->tasks[why->pick.task].steps[why->pick.step], why->pick.attempt);
    str_json_i64(out, "attempt", attempt->number);
    str_json_i64(out, "attempts_max", run_state_step_tries(state, why->pick.task, why->pick.step));
    const struct try_count count =
        run_state_try_count(state, why->pick.task, why->pick.step, why->pick.attempt);
    shown_try_count_json(&count, out);
    add_outcome(attempt, out);
    if (attempt->ended.at_ms != 0)
        str_json_bool(out, "passed", !why->judged || why->verdict.class == VERDICT_SUCCESS);
    if (why->judged)
        add_verdict(&why->verdict, out);
    if (attempt->hint)
        add_hint(attempt->hint, out);
    if (attempt->correction)
        add_correction(attempt->correction, out);
    if (attempt->new_permille >= 0)
        str_json_i64(out, "new_permille", attempt->new_permille);
    if (attempt->partial)
        str_json_i64(out, "skipped_bytes", attempt->skipped_bytes);
}

static void add_odds(const struct retry_odds *odds, struct str *out)
{
    str_json_key(out, "chance");
    str_add_char(out, '{');
    str_json_i64(out, "attempt", odds->like.number);
    retry_count_json(odds->count, out);
    str_json_bool(out, "same_fault", odds->by_fault && odds->like.same);
    str_json_bool(out, "same_try", odds->by_try);
    str_add_char(out, '}');
}

void why_json(const struct why *why, struct str *out)
{
    const struct run_state *state = follower_state(why->follower);
    const struct plan_task *plan = &state->plan->tasks[why->pick.task];
    struct str next = {0};
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", follower_run(why->follower)->number);
    str_json_text(out, "task", plan->id);
    str_json_text(out, "state", shown_word(shown_task(state, why->pick.task, why->orphaned)));
    str_json_i64(out, "step", why->pick.step + 1);
    str_json_text(out, "phase", phase_name(plan->steps[why->pick.step].phase));
    if (why->pick.attempt > 0)
        add_attempt(why, out);
    if (why->wait.there)
        add_wait(why, out);
    if (why->stop.there)
        add_end(why, out);
    if (why->circle.verdict.level != ENTROPY_OK)
        circles_json(&why->circle, why->suspected ? ENTROPY_SUSPECT : ENTROPY_STUCK, out);
    if (json_get(why->evidence, "loop"))
        add_json("evidence", json_get(why->evidence, "loop"), out);
    agent_json(state, why->pick.task, &why->now, out);
    place_json(state, why->pick.task, out);
    if (why->facts_json.len > 0) {
        str_json_key(out, "facts");
        str_addf(out, "[%s]", why->facts_json.data);
    }
    str_json_i64(out, "entropy", state->tasks[why->pick.task].entropy);
    int64_t resets_at_ms = shown_resets_at_ms(run_state_step(state, why->pick.task));
    if (resets_at_ms >= 0)
        str_json_i64(out, "resets_at_ms", resets_at_ms);
    add_ahead(why, out);
    if (why->has_odds)
        add_odds(&why->odds, out);
    why_next(why, &next);
    if (next.len > 0)
        str_json_text(out, "next", next.data);
    str_add_char(out, '}');
    str_done(&next);
}
