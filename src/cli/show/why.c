/* why.c - reads from the log how an attempt ended and why, and writes it as text and as JSON. */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>

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
    const bool is_suspicion = event->kind == EVENT_LOOP_SUSPECTED;
    const bool found =
        is_suspicion
            ? shown_loop_facts(&event->loop.facts, event->step, &why->circle)
            : shown_end_loop(&event->step_ended.inputs, event->step, event->attempt, &why->circle);
    const bool of_calls = is_suspicion && event->loop.of_calls;
    const struct task_agent *agent = state->tasks[event->task].agent;
    const bool is_stuck =
        of_calls && agent && agent->calls && agent->calls->verdict.level == ENTROPY_STUCK;
    why->circle.of_calls = why->circle.of_calls || (found && of_calls);
    if (found && is_suspicion && !is_stuck)
        why->circle.verdict.level = ENTROPY_SUSPECT;
    else if (why->circle.verdict.level != ENTROPY_OK)
        why->circle.verdict.level = ENTROPY_STUCK;
}

/* The labels of events that are shown as facts about the attempt. Events of its agent are shown as
 * totals. */
static const char *const fact_labels[EVENT_KIND_COUNT] = {
    [EVENT_WORKSPACE_MADE] = "workspace",    [EVENT_WORKSPACE_SAVED] = "workspace",
    [EVENT_WORKSPACE_RESET] = "workspace",   [EVENT_TREE_PROVEN] = "proof",
    [EVENT_WORKSPACE_CHANGED] = "workspace", [EVENT_RESULT_KEPT] = "workspace",
    [EVENT_AFTER_ENDED] = "after",           [EVENT_SANDBOX_LACKS] = "lacks",
    [EVENT_TIME_STOPPED] = "stopped",        [EVENT_SECRETS_CUT] = "secrets",
    [EVENT_ATTEMPT_PLACED] = "host",         [EVENT_CONTACT_LOST] = "contact",
    [EVENT_CONTACT_FOUND] = "contact",       [EVENT_JOB_STATE] = "job",
};

/* Records such a fact as a row and as in the log. */
static void keep_fact(struct why *why, const struct run_state *state, const struct event *event)
{
    enum { FACTS_BYTES_MAX = 64 * 1024 }; /* a damaged log may contain any number of facts */
    if (why->facts_json.len > FACTS_BYTES_MAX)
        return;
    const char *label = fact_labels[event->kind];
    event_words_alone(state, event, rows_add(&why->facts, label, label, ROW_PLAIN));
    str_add(&why->facts_json, why->facts_json.len > 0 ? "," : "");
    event_json(state, follower_run(why->follower)->number, event, &why->facts_json);
}

/* Skips events of other attempts: facts may name any attempt, other events name the latest attempt
 * of their step. */
static bool take_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct why *why = ctx;
    const struct attempt_pick *pick = &why->pick;
    if (event->kind == EVENT_AFTER_ENDED && event->task == pick->task)
        keep_fact(why, state, event);
    if (event->task != pick->task || event->step != pick->step || event->attempt != pick->attempt)
        return true;
    const struct step_state *step = &state->tasks[pick->task].steps[pick->step];
    if (event_kind_is_known(event->kind) && fact_labels[event->kind])
        keep_fact(why, state, event);
    switch (event->kind) {
    case EVENT_ATTEMPT_JUDGED:
        why->judged = step_state_verdict(step, &why->verdict) != NULL;
        break;
    case EVENT_WAIT_STARTED:
        why->wait_facts = (struct wait_facts){
            .delay = event->wait.delay,
            .due_at_ms = event->wait.due.at_ms,
            .is_free = event->wait.is_free,
            .is_start = step_state_latest(step)->outcome.kind == OUTCOME_NOT_STARTED,
            .used = event->wait.inputs.used,
            .allowed = event->wait.inputs.allowed,
            .own_retries = event->wait.inputs.own_retries,
        };
        shown_formula(step, begin_decided(&why->wait, event));
        break;
    case EVENT_WAIT_ENDED:
        why->wait_facts.is_over = true;
        if (event->wait_ended.skipped)
            (void)snprintf(why->wait_facts.skipped_by, sizeof(why->wait_facts.skipped_by), "%s",
                           shown_person(event->by));
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
    default: /* other events are in the fold or explain nothing */
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
    const struct moment clock = clock_now();
    out->orphaned = follower_is_orphaned(follower);
    out->now = shown_moment(state, out->orphaned, &clock);
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

/* The rows, for text and for JSON: which subjects, in which order. */

static const struct run_state *state_of(const struct why *why)
{
    return follower_state(why->follower);
}

static const struct step_state *step_of(const struct why *why)
{
    return &state_of(why)->tasks[why->pick.task].steps[why->pick.step];
}

static const struct attempt_state *attempt_of(const struct why *why)
{
    return step_state_find_attempt(step_of(why), why->pick.attempt);
}

static const struct plan_task *plan_of(const struct why *why)
{
    return &state_of(why)->plan->tasks[why->pick.task];
}

/* Adds sample lines from a loop's capture and, if the policy's window stopped the step, the masks,
 * which only the capture has. Adds nothing if nothing was masked. */
static void add_evidence(const struct why *why, struct rows *rows)
{
    enum { SAMPLES_MAX = 2 };
    const struct json *loop = json_get(why->evidence, "loop");
    const struct json *masks = why->circle.masks == 0 ? json_get(loop, "masks") : NULL;
    const struct json *first = json_get(loop, "first_lines");
    const struct json *last = json_get(loop, "last_lines");
    if (why->circle.masks == 0 && json_count(masks) == 0)
        return;
    for (size_t i = 0; i < json_count(masks); i++)
        rows_masked(rows, json_text(json_at(masks, i), ""));
    for (size_t i = 0; i < SAMPLES_MAX && i < json_count(last); i++)
        rows_sample(rows, json_text(json_get(json_at(first, i), "raw"), ""),
                    json_text(json_get(json_at(last, i), "raw"), ""),
                    json_text(json_get(json_at(last, i), "normal"), ""));
}

/* Adds the latest wait after this attempt, and the end of its step. */
static void add_decision(const struct why *why, const struct run_facts *run,
                         const struct shown_time *time, struct rows *rows)
{
    const struct attempt_pick *pick = &why->pick;
    const struct run_state *state = state_of(why);
    if (why->wait.there) {
        rows_wait(rows, &why->wait_facts);
        rows_wait_more(rows, &why->wait_facts, str_text(&why->wait.formula), time);
    }
    if (!why->stop.there)
        return;
    rows_end(rows, why->end, str_text(&why->stop.formula),
             why->end == DECISION_CANCELLED ? state->tasks[pick->task].by : NULL);
    if (why->entropy)
        rows_entropy(rows, state, pick->task);
    if (why->captured)
        rows_captured(rows, state, run, pick->task, pick->step, pick->attempt);
}

/* Adds all rows, for text and for JSON. */
static void add_rows(const struct why *why, struct rows *rows)
{
    enum { SAID_COLUMNS = 100 };
    const struct attempt_pick *pick = &why->pick;
    const struct run_state *state = state_of(why);
    const struct step_state *step = step_of(why);
    const struct attempt_state *attempt = pick->attempt > 0 ? attempt_of(why) : NULL;
    const struct run_facts run = run_facts_of(follower_run(why->follower));
    const struct shown_look look = {
        .time = {.now = why->now, .clock = clock_short, .hms = clock_hms, .date = clock_date},
        .orphaned = why->orphaned};
    if (attempt) {
        rows_hint(rows, attempt);
        rows_attempt(rows, attempt, &look.time);
        rows_verdict(rows, &plan_of(why)->steps[pick->step], attempt,
                     why->judged ? &why->verdict : NULL, &look.time);
        rows_same(rows, state, pick->task, pick->step, attempt);
    }
    for (size_t i = 0; i < why->facts.count; i++) {
        const struct row *fact = &why->facts.items[i];
        str_add(rows_add(rows, fact->key, fact->label, fact->style), str_text(&fact->value));
    }
    if (attempt)
        rows_proof(rows, state, pick->task, pick->step, pick->attempt);
    rows_loop(rows, &why->circle, pick->step);
    if (why->circle.verdict.level != ENTROPY_OK)
        add_evidence(why, rows);
    if (attempt)
        rows_limits(rows, state->plan);
    add_decision(why, &run, &look.time, rows);
    rows_agent(rows, state, pick->task, &why->now);
    rows_said(rows, state, pick->task, SAID_COLUMNS);
    rows_now(rows, state, pick->task, (int)step->attempt_count - pick->attempt, &look);
    rows_ahead(rows, state, pick->task, why->orphaned, why->has_odds ? &why->odds : NULL,
               &look.time);
    rows_advice(rows, state, pick->task, &run, &look);
}

/* JSON. */

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

/* Appends the inputs as in the log, and the decision as text ("words"). */
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
    str_json_i64(out, "delay_ms", why->wait_facts.delay.delay_ms);
    str_json_i64(out, "exact_ms", why->wait_facts.delay.exact_ms);
    str_json_i64(out, "due_at_ms", why->wait_facts.due_at_ms);
    str_json_bool(out, "free", why->wait_facts.is_free);
    str_json_bool(out, "over", why->wait_facts.is_over);
    if (why->wait_facts.skipped_by[0] != '\0')
        str_json_text(out, "skipped_by", why->wait_facts.skipped_by);
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
    const struct attempt_state *attempt = attempt_of(why);
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
    add_rows(why, &rows);
    if (*rows_value(&rows, "next") != '\0')
        str_json_text(out, "next", rows_value(&rows, "next"));
    str_json_key(out, "words"); /* the lines of devs why */
    str_add_char(out, '{');
    rows_json(&rows, out);
    str_add(out, "}}");
    rows_done(&rows);
}

/* Text. */

/* Appends "41/tax", as commands accept it. */
static void add_target(const struct why *why, struct str *out)
{
    str_addf(out, "%lld/%s", (long long)follower_run(why->follower)->number, plan_of(why)->id);
}

/* Appends "#41/tax step 2 of 3, try 1 of 4 in VERIFY: failed, test-fail". */
static void head_line(const struct why *why, struct str *out)
{
    const struct attempt_pick *pick = &why->pick;
    const struct plan_task *plan = plan_of(why);
    const struct attempt_state *attempt = attempt_of(why);
    const struct task_agent *agent = state_of(why)->tasks[pick->task].agent;
    const bool has_rounds = agent && agent->rounds > 1;
    char word[VERDICT_WORD_MAX];
    char at[CLOCK_TEXT_MAX];
    str_add_char(out, '#');
    add_target(why, out);
    if (plan->step_count > 1)
        str_addf(out, " step %d of %d,", pick->step + 1, plan->step_count);
    struct try_count count = {.number = pick->attempt};
    if (attempt->outcome.kind != OUTCOME_NOT_STARTED && !has_rounds)
        count = run_state_try_count(state_of(why), pick->task, pick->step, pick->attempt);
    str_add(out, " try ");
    shown_try_count(&count, " of ", out);
    str_addf(out, " in %s: ", phase_name(plan->steps[pick->step].phase));
    if (attempt->ended.at_ms == 0)
        str_addf(out,
                 why->orphaned ? "started at %s, was running when devs died"
                               : "it has been running since %s",
                 clock_date(attempt->started.at_ms, at));
    else if (!why->judged)
        str_add(out, "passed");
    else if (why->verdict.class == VERDICT_SUCCESS)
        str_add(out, "passed (failed as expected)");
    else
        str_addf(out, "failed, %s", verdict_word(&why->verdict, &attempt->outcome, word));
    str_add_char(out, '\n');
}

void why_words(const struct why *why, struct str *out)
{
    enum { LABEL_COLUMNS = 10 };
    struct rows rows = {0};
    if (why->pick.attempt > 0) {
        head_line(why, out);
    } else {
        str_add_char(out, '#');
        add_target(why, out);
        str_add(out, " has not been tried yet\n");
    }
    add_rows(why, &rows);
    rows_text(&rows, LABEL_COLUMNS, out);
    rows_done(&rows);
}
