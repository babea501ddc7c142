/* why_text.c - why an attempt ended as it did, in words for people. */
#include <string.h>

#include "attr.h"
#include "clock.h"
#include "json.h"
#include "shown.h"
#include "shown_said.h"
#include "text.h"
#include "tries_ahead.h"
#include "why.h"
#include "why_parts.h"

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

/* "41/tax", as the commands take it. */
static void add_target(const struct why *why, struct str *out)
{
    str_addf(out, "%lld/%s", (long long)follower_run(why->follower)->number, plan_of(why)->id);
}

static bool has_rounds(const struct why *why)
{
    const struct task_agent *agent = state_of(why)->tasks[why->pick.task].agent;
    return agent && agent->rounds > 1;
}

static void add_tries(const struct why *why, struct str *out)
{
    const struct plan_task *plan = plan_of(why);
    if (plan->step_count > 1)
        str_addf(out, " step %d of %d,", why->pick.step + 1, plan->step_count);
    struct try_count count = {.number = why->pick.attempt};
    if (attempt_of(why)->outcome.kind != OUTCOME_NOT_STARTED && !has_rounds(why))
        count =
            run_state_try_count(state_of(why), why->pick.task, why->pick.step, why->pick.attempt);
    str_add(out, " try ");
    shown_try_count(&count, " of ", out);
    str_addf(out, " in %s: ", phase_name(plan->steps[why->pick.step].phase));
}

static void add_result(const struct why *why, struct str *out)
{
    const struct attempt_state *attempt = attempt_of(why);
    char word[VERDICT_WORD_MAX];
    char at[CLOCK_TEXT_MAX];
    if (attempt->ended.at_ms == 0)
        str_addf(out, "it %s since %s", why->orphaned ? "was running when devs died," : "runs",
                 clock_date(attempt->started.at_ms, at));
    else if (!why->judged)
        str_add(out, "passed");
    else if (why->verdict.class == VERDICT_SUCCESS)
        str_add(out, "passed: it failed as it was to");
    else
        str_addf(out, "failed, %s", verdict_word(&why->verdict, &attempt->outcome, word));
}

static void head_line(const struct why *why, struct str *out)
{
    str_add_char(out, '#');
    add_target(why, out);
    add_tries(why, out);
    add_result(why, out);
    str_add_char(out, '\n');
}

static void ended_line(const struct why *why, struct str *out)
{
    const struct attempt_state *attempt = attempt_of(why);
    char at[CLOCK_TEXT_MAX];
    why_begin("ended", out);
    outcome_words(&attempt->outcome, out);
    str_addf(out, " at %s", clock_date(attempt->ended.at_ms, at));
    if (!outcome_is_seen(&attempt->outcome)) {
        str_add(out, ", when it was found so: devs had died, nobody saw its end\n");
        return;
    }
    str_add(out, ", ran ");
    shown_ran(&attempt->outcome, out);
    str_addf(out, ", wrote %lld bytes to stdout, %lld to stderr\n",
             (long long)attempt->outcome.bytes[0], (long long)attempt->outcome.bytes[1]);
}

/* The command says that it passed, and a rule does not believe it. */
static void denied_line(const struct why *why, struct str *out)
{
    const struct outcome *outcome = &attempt_of(why)->outcome;
    const bool is_exit_0 = outcome->kind == OUTCOME_EXIT && outcome->code == 0;
    if (!is_exit_0 || why->verdict.class == VERDICT_SUCCESS ||
        why->verdict.stream == VERDICT_STREAM_NONE || plan_of(why)->steps[why->pick.step].agent)
        return;
    why_begin("denied", out);
    str_addf(out, "exit 0 is no pass here: rule %s denies it\n", why->verdict.rule);
}

/* What was new in it, and whether it is the result of the try before once more. */
static void output_line(const struct why *why, struct str *out)
{
    const struct attempt_state *attempt = attempt_of(why);
    const struct attempt_state *before = step_state_find_attempt(step_of(why), attempt->number - 1);
    bool same = before && digest_is_same(attempt->fingerprint, before->fingerprint);
    if (attempt->new_permille < 0 && !same)
        return;
    why_begin("output", out);
    if (attempt->new_permille == 0) {
        str_add(out, "none of its lines is new");
    } else if (attempt->new_permille > 0) {
        shown_new(attempt->new_permille, out);
        str_add(out, " of its lines are new");
    }
    if (same)
        str_addf(out, "%sthe same result as try %d", attempt->new_permille >= 0 ? "; " : "",
                 before->number);
    if (attempt->partial)
        str_addf(out, "; %lld bytes of it were only counted", (long long)attempt->skipped_bytes);
    str_add_char(out, '\n');
}

static void add_used(const struct why *why, struct str *out)
{
    const struct str *text = &why->wait.inputs;
    struct json *inputs = NULL;
    if (text->len == 0 || !json_parse(text->data, text->len, &inputs, NULL, NULL))
        return;
    int64_t used = json_i64(json_get(inputs, "used"), -1);
    int64_t allowed = json_i64(json_get(inputs, "allowed"), -1);
    bool is_start = attempt_of(why)->outcome.kind == OUTCOME_NOT_STARTED;
    if (used >= 0 && allowed >= 0)
        str_addf(out, "; %s %lld of %lld", is_start ? "start" : "try", (long long)used,
                 (long long)allowed);
    shown_own_retries(json_i64(json_get(inputs, "own_retries"), 0), out);
    json_free(inputs);
}

static void wait_lines(const struct why *why, struct str *out)
{
    char at[CLOCK_TEXT_MAX];
    why_begin("decision", out);
    if (why->delay.delay_ms > 0) {
        str_add(out, "wait ");
        shown_seconds(why->delay.delay_ms, out);
        str_add(out, ", then try again");
    } else {
        str_add(out, "try again at once");
    }
    str_add(out, why->free ? ": it uses up no try" : "");
    add_used(why, out);
    str_add_char(out, '\n');
    if (why->wait.formula.len > 0) {
        why_begin("formula", out);
        str_addf(out, "%s\n", why->wait.formula.data);
    }
    why_begin("until", out);
    str_add(out, clock_date(why->due_at_ms, at));
    if (why->skipped_by[0] != '\0')
        str_addf(out, "; skipped by %s", why->skipped_by);
    else if (why->over)
        str_add(out, "; it is over");
    str_add_char(out, '\n');
}

static void end_lines(const struct why *why, struct str *out)
{
    const char *by = state_of(why)->tasks[why->pick.task].by;
    why_begin(why->wait.there ? "then" : "decision", out);
    shown_end_named(why->end, out);
    if (why->stop.formula.len > 0)
        str_addf(out, ": %s", why->stop.formula.data);
    if (why->end == DECISION_CANCELLED && by)
        str_addf(out, " by %s", by);
    str_add_char(out, '\n');
    if (!why->entropy)
        return;
    why_begin("entropy", out);
    str_addf(out, "counts 1; %d of this task in all\n",
             state_of(why)->tasks[why->pick.task].entropy);
}

static void corrected_line(const struct why *why, struct str *out)
{
    const struct correction *correction = attempt_of(why)->correction;
    char at[CLOCK_TEXT_MAX];
    if (!correction)
        return;
    why_begin("corrected", out);
    str_addf(
        out, "%s, says %s, %s; the first verdict stays\n", verdict_label_word(&correction->label),
        correction->by[0] != '\0' ? correction->by : "a person", clock_date(correction->at_ms, at));
}

/* What a person said to the try's agent, or noted where there is none. */
static void hint_line(const struct why *why, struct str *out)
{
    const struct attempt_hint *hint = attempt_of(why)->hint;
    struct str clean = {0};
    if (!hint)
        return;
    why_begin("hint", out);
    text_clean(&clean, hint->text, strlen(hint->text));
    str_addf(out, "%s   by %s\n", str_text(&clean), hint->by[0] != '\0' ? hint->by : "a person");
    str_done(&clean);
}

/* Only what passed has a proof, and only what has changed since is worth a word. */
static void proof_line(const struct why *why, struct str *out)
{
    const struct attempt_pick *pick = &why->pick;
    if (step_state_trees(step_of(why))->proven_attempt != pick->attempt ||
        shown_proof(state_of(why), pick->task, pick->step) != SHOWN_PROOF_STALE)
        return;
    why_begin("proof", out);
    shown_proof_words(state_of(why), pick->task, pick->step, out);
    str_add_char(out, '\n');
}

/* The agent of the task, over all its rounds. */
static void agent_lines(const struct why *why, struct str *out)
{
    enum { SAID_COLUMNS = 100 };
    static const char *const labels[] = {"agent", "round", "budget", "said"};
    const struct run_state *state = state_of(why);
    struct str parts[ARRAY_LEN(labels)] = {{0}};
    shown_agent(state, why->pick.task, &parts[0]);
    shown_round(state, why->pick.task, &parts[1]);
    shown_budgets(state, why->pick.task, &why->now, &parts[2]);
    shown_said(state, why->pick.task, SAID_COLUMNS, &parts[3]);
    for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
        if (parts[i].len > 0) {
            why_begin(labels[i], out);
            str_addf(out, "%s\n", parts[i].data);
        }
        str_done(&parts[i]);
    }
}

/* The task as it is now, in the words of the screen. */
static void now_line(const struct why *why, struct str *out)
{
    const struct shown_time time = {.now = why->now, .clock = clock_short, .hms = clock_hms};
    const struct run_state *state = state_of(why);
    struct str next = {0};
    why_begin("now", out);
    str_add(out, shown_word(shown_task(state, why->pick.task, why->orphaned)));
    shown_next(state, why->pick.task, why->orphaned, &time, &next);
    if (next.len > 0)
        str_addf(out, ", %s", next.data);
    int later = (int)step_of(why)->attempt_count - why->pick.attempt;
    if (later > 0) {
        str_add(out, "; ");
        shown_count(later, "later try of this step", "later tries of this step", out);
    }
    str_add_char(out, '\n');
    str_done(&next);
}

/* What comes if nobody does anything, where that is known. */
static void ahead_line(const struct why *why, struct str *out)
{
    const struct shown_time time = {.now = why->now, .clock = clock_short, .hms = clock_hms};
    struct tries_ahead ahead;
    if (why->orphaned || !tries_ahead(state_of(why), why->pick.task, &ahead))
        return;
    why_begin("ahead", out);
    tries_ahead_words(&ahead, &time, out);
    str_add_char(out, '\n');
}

static void chance_line(const struct why *why, struct str *out)
{
    if (!why->has_odds)
        return;
    why_begin("chance", out);
    retry_odds_words(&why->odds, out);
    str_add_char(out, '\n');
}

/* Where there is more of it. */
static void captured_line(const struct why *why, struct str *out)
{
    if (!why->stop.there || !why->captured)
        return;
    why_begin("captured", out);
    str_add(out, "devs debug --forensics ");
    add_target(why, out);
    str_addf(out, " --try %d", why->pick.attempt);
    if (plan_of(why)->step_count > 1)
        str_addf(out, " --step %d", why->pick.step + 1);
    str_add(out, " says what was kept of its end\n");
}

void why_words(const struct why *why, struct str *out)
{
    struct str part = {0};
    if (why->pick.attempt == 0) {
        str_add_char(out, '#');
        add_target(why, out);
        str_add(out, " has not been tried yet\n");
    } else {
        head_line(why, out);
        hint_line(why, out);
        if (attempt_of(why)->ended.at_ms != 0) {
            ended_line(why, out);
            output_line(why, out);
        }
        if (why->judged)
            denied_line(why, out);
        if (why->judged)
            why_verdict_words(&why->verdict, out);
        corrected_line(why, out);
        str_add(out, str_text(&why->facts));
        proof_line(why, out);
        why_circle_words(why, out);
    }
    if (why->wait.there)
        wait_lines(why, out);
    if (why->stop.there)
        end_lines(why, out);
    captured_line(why, out);
    agent_lines(why, out);
    now_line(why, out);
    ahead_line(why, out);
    chance_line(why, out);
    why_next(why, &part);
    if (part.len > 0) {
        why_begin("next", out);
        str_addf(out, "%s\n", part.data);
    }
    str_done(&part);
}
