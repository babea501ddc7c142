/* scheduler_judge.c - after an attempt: ended, judged, and what comes next. */
#include <stdio.h>
#include <string.h>

#include "fold.h"
#include "scheduling.h"
#include "str.h"
#include "text.h"

enum { TEXT_ROOM = 224 }; /* bytes that most texts of events fit into */

void scheduler_cancel_rest(const struct scheduling *now, int task)
{
    const struct task_state *state = &now->state->tasks[task];
    bool goes_on = state->cancelling && !task_status_is_final(state->status);
    if (!goes_on)
        return;
    struct decision decision = {.kind = DECISION_CANCELLED, .capture = true};
    scheduler_end_step(now, task, &decision, NULL);
}

static bool meets_reason(const struct plan_expectation *expect, const struct verdict *verdict)
{
    const unsigned otherwise = 1U << REASON_TEST_FAIL | 1U << REASON_COMPILE | 1U << REASON_NONE;
    unsigned reasons = expect->reasons != 0 ? expect->reasons : otherwise;
    return (reasons & 1U << verdict->reason) != 0;
}

static bool can_be_expected(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_EXIT && outcome->code != 126 && outcome->code != 127;
}

/* The line that says why an attempt never started, cleaned and of at most `max` bytes; empty
 * where there is none. */
static void start_line(const struct input *input, size_t max, struct str *out)
{
    struct str clean = {0};
    if (input->outcome.kind != OUTCOME_NOT_STARTED || !input->start_why)
        return;
    text_clean(&clean, input->start_why, strcspn(input->start_why, "\n"));
    str_add_n(out, str_text(&clean), text_cut(str_text(&clean), clean.len, max));
    str_done(&clean);
}

/* Nothing was printed by what never started: that line is all the evidence. */
static void keep_start_why(const struct input *input, struct verdict *verdict)
{
    struct str line = {0};
    start_line(input, VERDICT_MATCH_MAX - 1, &line);
    if (verdict->match[0] == '\0')
        (void)snprintf(verdict->match, sizeof(verdict->match), "%s", str_text(&line));
    str_done(&line);
}

/* Turn a verdict round where the step is expected to fail. What the world did, or a
 * person, is judged as it is: only its label says that red was wanted. */
static void turn_round(const struct plan_step *step, const struct input *input,
                       struct verdict *verdict)
{
    if (step->expect.what != PLAN_EXPECT_FAILURE || input->outcome.kind == OUTCOME_CANCELLED ||
        input->outcome.kind == OUTCOME_INTERRUPTED)
        return;
    if (verdict->class == VERDICT_SUCCESS) {
        verdict->class = VERDICT_PERSISTENT;
        verdict->expectation = VERDICT_UNEXPECTED_PASS;
        (void)snprintf(verdict->rule, sizeof(verdict->rule), "expect.failure");
        return;
    }
    bool met = verdict->class == VERDICT_PERSISTENT && can_be_expected(&input->outcome) &&
               meets_reason(&step->expect, verdict) &&
               (!step->expect.match || input->expectation_met);
    if (met)
        verdict->class = VERDICT_SUCCESS;
    else
        verdict->expectation = VERDICT_WRONG_REASON;
}

/* The verdict that counts: mostly the one that was given, for a verdict is large; else *room. */
static const struct verdict *find_verdict(const struct plan_step *step, const struct input *input,
                                          struct verdict *room)
{
    if (step->expect.what != PLAN_EXPECT_FAILURE && input->outcome.kind != OUTCOME_NOT_STARTED)
        return &input->verdict;
    *room = input->verdict;
    keep_start_why(input, room);
    turn_round(step, input, room);
    return room;
}

bool scheduler_would_pass(const struct plan_step *step, const struct input *input)
{
    struct verdict room;
    return find_verdict(step, input, &room)->class == VERDICT_SUCCESS;
}

/* Did another task that works in the same folder run since then, or does it now? */
static bool has_run_since(const struct run_state *state, int task, int64_t mono_ms)
{
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct task_state *other = &state->tasks[i];
        if (i != task && !workspace_can_be_reset(state->plan->tasks[i].workspace) &&
            (other->status == TASK_RUNNING || other->since.mono_ms > mono_ms))
            return true;
    }
    return false;
}

/* A workspace is put back before each attempt. In place, the steps of other tasks may have changed
 * something. */
static bool is_unchanged(const struct run_state *state, int task)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *before =
        step_state_find_attempt(step, step_state_latest(step)->number - 1);
    if (!before || scheduler_plan_step(state, task)->policy->unchanged_stops == 0)
        return false;
    return workspace_can_be_reset(state->plan->tasks[task].workspace) ||
           !has_run_since(state, task, before->started.mono_ms);
}

/* `results`: room for what the policy's windows look at. */
static struct protocol_facts gather_facts(const struct scheduling *now, int task,
                                          const struct outcome *outcome,
                                          const struct verdict *verdict, struct digest *results)
{
    const struct run_state *state = now->state;
    const struct plan_step *plan = scheduler_plan_step(state, task);
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_latest(step);
    struct draw_key key = {.seed = state->seed,
                           .task = task,
                           .step = run_state_step_number(state, task),
                           .round = run_state_round(state, task),
                           .attempt = attempt->number};
    struct protocol_facts facts = {
        .policy = plan->policy,
        .phase = plan->phase,
        .outcome = outcome,
        .verdict = verdict,
        .used = step->used > 0 ? step->used : 1,
        .own_retries = step->own_retries,
        .allowed = step->allowed,
        .free_hints = step->free_hints,
        .same = step->same,
        .stopping = state->tasks[task].cancelling,
        .interrupted = step->interrupted,
        .repeatable = plan_step_is_repeatable(&state->plan->tasks[task], plan),
        .started_mono_ms = step->first_start.mono_ms,
        .held_ms = step->held_ms + run_state_held_ms(state, task, &now->input->now),
        .draw = policy_draw(&key),
        .now = now->input->now,
        .masks = now->input->masks,
        .is_unchanged = is_unchanged(state, task),
        .scale = circles_scale(state->tasks[task].circles),
        .step = run_state_step_number(state, task),
    };
    if (outcome->kind == OUTCOME_NOT_STARTED) {
        facts.policy = plan_policy_find(state->plan, "infrastructure");
        facts.used = step->start_failures;
        facts.own_retries = 0;
        facts.allowed = facts.policy->max_attempts;
    }
    const struct circles *circles = state->tasks[task].circles;
    if (circles_is_about(circles, facts.step, attempt->number))
        facts.circles = circles;
    scheduler_agent_facts(now, task, &facts);
    facts.results = results;
    if (facts.policy->window > 0 || facts.policy->same_stops > 0)
        facts.result_count = scheduler_results(step, results);
    return facts;
}

static void start_wait(const struct scheduling *now, int task, const struct protocol_facts *facts,
                       const struct decision *decision, struct str *inputs)
{
    struct event event = scheduler_event(now, EVENT_WAIT_STARTED, task);
    event.a = decision->delay.delay_ms;
    event.b = decision->due.at_ms;
    event.c = decision->due.mono_ms;
    event.d = decision->delay.exact_ms;
    event.e = !decision->counts && facts->outcome->kind != OUTCOME_INTERRUPTED;
    scheduler_emit_known(now, event, inputs, &(const struct fold_known){.delay = &decision->delay});
}

static void add_start_why(const struct input *input, struct str *text)
{
    enum { START_WHY_MAX = 1000 };
    struct str line = {0};
    start_line(input, START_WHY_MAX, &line);
    if (line.len > 0)
        str_json_text(text, "start", line.data);
    str_done(&line);
}

/* What the event of the end says. What passed is told from what ended with code 0 and did not:
 * the verdict comes in an event of its own. */
static void find_end(const struct scheduling *now, int task, bool passed, struct fold_end *out)
{
    const struct input *input = now->input;
    *out = (struct fold_end){
        .outcome = input->outcome,
        .fingerprint = input->fingerprint,
        .partial = input->partial,
        .skipped_bytes = input->skipped_bytes > 0 ? input->skipped_bytes : 0,
        .fails = input->outcome.kind == OUTCOME_EXIT && input->outcome.code == 0 && !passed,
    };
    if (input->outcome.kind != OUTCOME_CANCELLED)
        out->outcome.stop = STOP_ASKED;
    if (input->outcome.kind != OUTCOME_TIMEOUT || input->outcome.quiet_ms < 0)
        out->outcome.quiet_ms = 0;
    scheduler_find_fact(now, task, passed, out);
}

/* Facts that are not 0, as the event's text. */
static void ended_text(const struct fold_end *end, const struct input *input, struct str *text)
{
    const struct outcome *outcome = &end->outcome;
    const struct {
        const char *key;
        int64_t value;
    } facts[] = {
        {"rss", outcome->rss_kib_max},    {"cpu", outcome->cpu_ms},
        {"out_lines", outcome->lines[0]}, {"err_lines", outcome->lines[1]},
        {"left", outcome->left},
    };
    str_add_char(text, '{');
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        if (facts[i].value != 0)
            str_json_i64(text, facts[i].key, facts[i].value);
    }
    if (digest_is_known(end->fingerprint)) {
        char hex[DIGEST_HEX_MAX];
        digest_to_hex(end->fingerprint, hex);
        str_json_text(text, "fp", hex);
    }
    if (end->partial)
        str_json_bool(text, "partial", true);
    if (end->skipped_bytes > 0)
        str_json_i64(text, "skipped", end->skipped_bytes);
    add_start_why(input, text);
    if (end->fails)
        str_json_bool(text, "fails", true);
    if (outcome->stop != STOP_ASKED)
        str_json_i64(text, "stop", (int64_t)outcome->stop);
    if (outcome->quiet_ms > 0)
        str_json_i64(text, "quiet", outcome->quiet_ms);
    if (outcome->own_retries > 0)
        str_json_i64(text, "own", outcome->own_retries);
    if (outcome->own_wait_ms > 0)
        str_json_i64(text, "own_wait", outcome->own_wait_ms);
    scheduler_fact_text(end, text);
    str_add_char(text, '}');
}

static void record_end(const struct scheduling *now, int task, bool passed)
{
    const struct input *input = now->input;
    struct event event = scheduler_event(now, EVENT_ATTEMPT_ENDED, task);
    event.a = input->outcome.kind;
    event.b = input->outcome.code;
    event.c = input->outcome.ran_ms;
    event.d = input->outcome.bytes[0];
    event.e = input->outcome.bytes[1];
    struct str text = scheduler_text(now);
    struct fold_end end;
    const struct fold_known known = {.end = &end};
    find_end(now, task, passed, &end);
    str_reserve(&text, TEXT_ROOM);
    ended_text(&end, input, &text);
    if (text.len == strlen("{}"))
        str_clear(&text);
    scheduler_emit_known(now, event, &text, &known);
}

static void record_verdict(const struct scheduling *now, int task, const struct verdict *verdict)
{
    struct event event = scheduler_event(now, EVENT_ATTEMPT_JUDGED, task);
    event.a = verdict->class;
    event.b = verdict->type;
    event.c = verdict->reason;
    struct str text = scheduler_text(now);
    str_reserve(&text, TEXT_ROOM);
    str_add_char(&text, '{');
    verdict_to_json(verdict, &text);
    str_add_char(&text, '}');
    scheduler_emit_known(now, event, &text, &(const struct fold_known){0});
}

/* A round that has no budget left needs a person. */
static bool decide_round(const struct scheduling *now, int task, struct protocol_facts *facts,
                         struct decision *decision)
{
    const struct plan_task *plan = &now->state->plan->tasks[task];
    if (!scheduler_round_follows(now, task, facts, decision))
        return false;
    const int first = plan_task_agent_step(plan, run_state_step_number(now->state, task));
    if (!scheduler_budget_spent(now, task, first, &facts->spent, &facts->spent_by_run))
        return true;
    facts->stop = STOP_BUDGET;
    protocol_decide(facts, decision);
    return false;
}

void scheduler_rule(const struct scheduling *now, int task, const struct outcome *outcome,
                    const struct verdict *verdict, struct scheduler_ruling *out)
{
    out->facts = gather_facts(now, task, outcome, verdict, out->results);
    protocol_decide(&out->facts, &out->decision);
    out->new_round = decide_round(now, task, &out->facts, &out->decision);
    if (!out->new_round)
        protocol_blame_refusal(&out->facts, &out->decision);
}

void scheduler_decide(const struct scheduling *now, int task, const struct outcome *outcome,
                      const struct verdict *verdict)
{
    const int source = scheduler_plan_step(now->state, task)->source;
    struct scheduler_ruling ruling;
    scheduler_rule(now, task, outcome, verdict, &ruling);
    const struct protocol_facts *facts = &ruling.facts;
    const struct decision *decision = &ruling.decision;
    scheduler_suspect(now, task, decision, ruling.new_round);

    struct str inputs = {0};
    if (decision->kind != DECISION_SUCCEEDED) {
        inputs = scheduler_text(now);
        str_reserve(&inputs, TEXT_ROOM);
        protocol_to_json(facts, decision, &inputs);
    }
    if (ruling.new_round)
        scheduler_round_start(now, task, facts);
    else if (decision->kind == DECISION_WAIT)
        start_wait(now, task, facts, decision, &inputs);
    else
        scheduler_end_step(now, task, decision, inputs.data);
    str_done(&inputs);
    if (source >= 0)
        scheduler_gate_judged(now, task, source, facts, decision);
    scheduler_cancel_rest(now, task);
}

/* A plain success has no verdict of its own in the log. */
static void conclude(const struct scheduling *now, int task, const struct outcome *outcome,
                     const struct verdict *verdict)
{
    bool plain = verdict->class == VERDICT_SUCCESS && outcome->code == 0;
    if (!plain)
        record_verdict(now, task, verdict);
    scheduler_decide(now, task, outcome, verdict);
}

static void judge(const struct scheduling *now, int task)
{
    const struct input *input = now->input;
    struct verdict room;
    const struct verdict *verdict =
        find_verdict(scheduler_plan_step(now->state, task), input, &room);
    record_end(now, task, verdict->class == VERDICT_SUCCESS);
    if (now->state->tasks[task].agent)
        scheduler_budget_look(now, task, false);
    conclude(now, task, &input->outcome, verdict);
}

void scheduler_judge(const struct scheduling *now, int task, const struct input *input)
{
    struct scheduling then = *now;
    struct input ended;
    then.input = input;
    if (now->state->tasks[task].agent) {
        ended = *input;
        then.input = scheduler_agent_stopped(now, task, &ended) ? &ended : input;
    }
    judge(&then, task);
}

/* Of an end with code 0 the log says what it came to, what was expected included. */
void scheduler_judge_late(const struct scheduling *now, int task, const struct input *input)
{
    const struct outcome *outcome = &input->outcome;
    struct verdict room;
    const bool said = outcome->kind == OUTCOME_EXIT && outcome->code == 0;
    conclude(now, task, outcome,
             said ? &input->verdict
                  : find_verdict(scheduler_plan_step(now->state, task), input, &room));
}
