/* why.c - reads from the log how an attempt ended and why, and writes it as JSON. */
#include "show.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "attr.h"
#include "clock.h"
#include "event_text.h"
#include "json.h"
#include "retry_log.h"
#include "shown.h"
#include "xalloc.h"

/* Clears the strings. Returns the string for the formula. */
static struct str *begin_decided(struct why_decided *decided, const struct event *event)
{
    decided->there = true;
    str_clear(&decided->inputs);
    str_clear(&decided->formula);
    event_write(event, &decided->inputs);
    return &decided->formula;
}

static void keep_circle(struct why *why, const struct run_state *state, const struct event *event)
{
    const bool is_word = event->kind == EVENT_LOOP_SUSPECTED;
    const bool found = is_word ? shown_loop_facts(&event->loop.facts, event->step, &why->circle)
                               : shown_end_loop(&event->step_ended.inputs, event->step,
                                                event->attempt, &why->circle);
    const bool of_calls = is_word && event->loop.of_calls;
    const struct task_agent *agent = state->tasks[event->task].agent;
    const bool is_stuck =
        of_calls && agent && agent->calls && agent->calls->verdict.level == ENTROPY_STUCK;
    why->circle.of_calls = why->circle.of_calls || (found && of_calls);
    if (found && is_word && !is_stuck)
        why->circle.verdict.level = ENTROPY_SUSPECT;
    else if (why->circle.verdict.level != ENTROPY_OK)
        why->circle.verdict.level = ENTROPY_STUCK;
}

/* Records the workspace, what was restored before the attempt, and what it changed, as in the
 * log. */
static void keep_fact(struct why *why, const struct run_state *state, const struct event *event)
{
    enum { FIRST = EVENT_WORKSPACE_MADE };
    static const char *const labels[] = {
        [EVENT_WORKSPACE_MADE - FIRST] = "workspace",
        [EVENT_WORKSPACE_SAVED - FIRST] = "workspace",
        [EVENT_WORKSPACE_RESET - FIRST] = "workspace",
        [EVENT_TREE_PROVEN - FIRST] = "proof",
        [EVENT_WORKSPACE_CHANGED - FIRST] = "workspace",
        [EVENT_RESULT_KEPT - FIRST] = "workspace",
        [EVENT_SANDBOX_LACKS - FIRST] = "lacks",
        [EVENT_TIME_STOPPED - FIRST] = "stopped",
        [EVENT_SECRETS_CUT - FIRST] = "secrets",
    };
    static_assert(ARRAY_LEN(labels) == EVENT_SECRETS_CUT - FIRST + 1, "every fact has its label");
    enum { FACTS_BYTES_MAX = 64 * 1024 }; /* a damaged log may contain any number of facts */
    if (why->facts_json.len > FACTS_BYTES_MAX)
        return;
    const char *label = labels[event->kind - FIRST];
    event_words_alone(state, event, rows_add(&why->facts, label, label, ROW_PLAIN));
    str_add(&why->facts_json, why->facts_json.len > 0 ? "," : "");
    event_json(state, follower_run(why->follower)->number, event, &why->facts_json);
}

/* Skips events of other attempts: facts may name any attempt, other events name the latest of
 * their step. */
static bool take_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct why *why = ctx;
    const struct attempt_pick *pick = &why->pick;
    if (event->task != pick->task || event->step != pick->step || event->attempt != pick->attempt)
        return true;
    const struct step_state *step = &state->tasks[pick->task].steps[pick->step];
    bool is_of_agent = event->kind >= EVENT_AGENT_SESSION; /* shown as totals */
    if (event_kind_is_fact(event->kind) && !is_of_agent)
        keep_fact(why, state, event);
    switch (event->kind) {
    case EVENT_ATTEMPT_JUDGED:
        why->judged = step_state_verdict(step, &why->verdict) != NULL;
        break;
    case EVENT_WAIT_STARTED:
        why->free = event->wait.is_free;
        why->over = false;
        why->skipped_by[0] = '\0';
        why->delay = event->wait.delay;
        why->used = event->wait.inputs.used;
        why->allowed = event->wait.inputs.allowed;
        why->own_retries = event->wait.inputs.own_retries;
        why->due_at_ms = event->wait.due.at_ms;
        shown_formula(step, begin_decided(&why->wait, event));
        break;
    case EVENT_WAIT_ENDED:
        why->over = true;
        if (event->wait_ended.skipped)
            (void)snprintf(why->skipped_by, sizeof(why->skipped_by), "%s", shown_person(event->by));
        break;
    case EVENT_LOOP_SUSPECTED:
        keep_circle(why, state, event);
        break;
    case EVENT_STEP_ENDED:
        if (event->step_ended.decision == DECISION_ENTROPY)
            keep_circle(why, state, event);
        if (event->step_ended.decision == DECISION_SUCCEEDED)
            break;
        why->end = step->end;
        why->entropy = event->step_ended.entropy;
        why->captured = event->step_ended.capture;
        shown_end(&state->plan->tasks[pick->task].steps[pick->step], step,
                  begin_decided(&why->stop, event));
        break;
    default: /* the rest is in the fold or explains nothing */
        break;
    }
    return true;
}

/* Reads the capture of a stop for looping. A missing or invalid capture is not an error. */
static bool read_evidence(struct why *why, struct err *err)
{
    const struct attempt_pick *pick = &why->pick;
    const struct log_output_key key = {.run = follower_run(why->follower)->number,
                                       .task = pick->task,
                                       .step = pick->step,
                                       .attempt = pick->attempt};
    struct str text = {0};
    if (!why->stop.there || why->end != DECISION_ENTROPY)
        return true;
    bool ok = log_reader_capture(follower_reader(why->follower), &key, &text, err);
    if (ok && text.len > 0 && !json_parse(text.data, text.len, &why->evidence, NULL, NULL))
        why->evidence = NULL;
    str_done(&text);
    return ok;
}

/* Reads the chance that a retry would pass, from the newest runs including this one. */
static bool read_odds(struct why *why, struct err *err)
{
    const struct run_state *state = follower_state(why->follower);
    const struct attempt_pick *pick = &why->pick;
    struct retry_case like;
    if (pick->step != run_state_step_number(state, pick->task) ||
        !retry_case_of(state, pick->task, &like) || like.number != pick->attempt + 1)
        return true;
    const struct retry_log_scope newest = {.events = RETRY_LOG_LINE};
    struct retry_help *help = xcalloc(1, sizeof(*help));
    const bool ok = retry_log_read(follower_reader(why->follower), &newest, help, err);
    why->has_odds = ok && retry_help_odds(help, &like, &why->odds);
    free(help);
    return ok;
}

bool why_read(struct follower *follower, const struct attempt_pick *pick, struct why *out,
              struct err *err)
{
    *out = (struct why){.follower = follower, .pick = *pick};
    if (!follower_seek(follower, 0, err) || !follower_read(follower, 0, take_event, out, NULL, err))
        return false;
    const struct run_state *state = follower_state(follower);
    out->orphaned = follower_is_orphaned(follower);
    out->now = state->ended                         ? state->ended_at
               : shown_counts(state, out->orphaned) ? clock_now()
                                                    : state->heard;
    return read_evidence(out, err) && read_odds(out, err);
}

void why_done(struct why *why)
{
    json_free(why->evidence);
    rows_done(&why->facts);
    str_done(&why->facts_json);
    str_done(&why->wait.inputs);
    str_done(&why->wait.formula);
    str_done(&why->stop.inputs);
    str_done(&why->stop.formula);
}

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

/* Appends the inputs as in the log, and the text. */
static void add_decided(const struct why_decided *decided, struct str *out)
{
    const size_t before = out->len;
    str_json_key(out, "inputs");
    if (!json_line_add(str_text(&decided->inputs), decided->inputs.len, out))
        str_cut(out, before);
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

/* Appends what happens next if nobody intervenes. */
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
    if (why->judged) {
        struct event judged = event_new(EVENT_ATTEMPT_JUDGED);
        verdict_to_record(&why->verdict, &judged.judged);
        str_json_key(out, "verdict");
        event_write(&judged, out);
    }
    if (attempt->hint) {
        str_json_key(out, "hint");
        str_add_char(out, '{');
        str_json_text(out, "text", attempt->hint->text);
        str_json_text(out, "by", attempt->hint->by);
        str_add_char(out, '}');
    }
    if (attempt->correction) {
        str_json_key(out, "correction");
        str_add_char(out, '{');
        add_label(&attempt->correction->label, out);
        str_json_text(out, "by", attempt->correction->by);
        str_json_i64(out, "at_ms", attempt->correction->at_ms);
        str_add_char(out, '}');
    }
    if (attempt->new_permille >= 0)
        str_json_i64(out, "new_permille", attempt->new_permille);
    if (attempt->partial)
        str_json_i64(out, "skipped_bytes", attempt->skipped_bytes);
}

void why_json(const struct why *why, struct str *out)
{
    const struct run_state *state = follower_state(why->follower);
    const struct plan_task *plan = &state->plan->tasks[why->pick.task];
    struct rows rows = {0};
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
    if (why->stop.there) {
        str_json_key(out, "end");
        str_add_char(out, '{');
        str_json_text(out, "decision", decision_kind_name(why->end));
        str_json_bool(out, "entropy", why->entropy);
        add_decided(&why->stop, out);
    }
    circles_json(&why->circle, out);
    if (state->plan->loops.preset != ENTROPY_PRESET_NONE)
        str_json_text(out, "loops", entropy_preset_name(state->plan->loops.preset));
    if (json_get(why->evidence, "loop")) {
        str_json_key(out, "evidence");
        json_write(out, json_get(why->evidence, "loop"));
    }
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
    if (why->has_odds) {
        const struct retry_odds *odds = &why->odds;
        str_json_key(out, "chance");
        str_add_char(out, '{');
        str_json_i64(out, "attempt", odds->like.number);
        retry_count_json(odds->count, out);
        str_json_bool(out, "same_fault", odds->by_fault && odds->like.same);
        str_json_bool(out, "same_try", odds->by_try);
        str_add_char(out, '}');
    }
    why_rows(why, &rows);
    if (*rows_value(&rows, "next") != '\0')
        str_json_text(out, "next", rows_value(&rows, "next"));
    str_json_key(out, "words"); /* the lines of devs why */
    str_add_char(out, '{');
    rows_json(&rows, out);
    str_add(out, "}}");
    rows_done(&rows);
}
