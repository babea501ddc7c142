/* why_text.c - explains as text why an attempt ended as it did. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "adapter.h"
#include "attr.h"
#include "clock.h"
#include "json.h"
#include "show.h"
#include "shown.h"
#include "str.h"
#include "text.h"
#include "verdict.h"

enum { LABEL_COLUMNS = 10 };

void why_begin(const char *label, struct str *out)
{
    str_addf(out, "  %-*s ", LABEL_COLUMNS, label);
}

/* Says how certain the verdict is, depending on the kind of rule that decided. */
static const char *how_sure(const struct verdict *verdict)
{
    static const struct {
        const char *prefix;
        const char *words;
    } kinds[] = {
        {"known.", "certain, devs observed it"},
        {"agent.", "certain, the agent's own result says so"},
        {"exit.words", "uncertain, so persistent: no rule matches the text, only the exit code"},
        {"exit.", "by the exit code alone"},
        {"default", "uncertain, so persistent: no rule matches it"},
        {"expect.", "certain, the plan says what to expect"},
        {"contract", "certain, its contract says what to expect"},
    };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strncmp(verdict->rule, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return kinds[i].words;
    }
    if (verdict->rule[0] == '\0')
        return "uncertain, so persistent";
    return verdict->stream == VERDICT_STREAM_NONE ? "certain, a rule matches how it ended"
                                                  : "certain, a rule matches the text";
}

/* Appends a line for each rule that nearly matched, and why it did not. */
static void near_lines(const struct verdict *verdict, struct str *out)
{
    static const char *const words[] = {
        [NEAR_QUOTED] = "the line only quotes it",
        [NEAR_UNLESS] = "its exception matches",
        [NEAR_PATTERN] = "its keyword is present, its pattern does not match",
        [NEAR_EXIT] = "exit code, signal, program or kind of step do not match",
        [NEAR_OUTRANKED] = "it matches, but another rule comes first",
    };
    static_assert(ARRAY_LEN(words) == NEAR_WHY_COUNT, "every near miss has its words");
    for (int i = 0; i < verdict->near_count; i++) {
        const struct verdict_near *near = &verdict->near[i];
        why_begin(i == 0 ? "nearly" : "", out);
        str_addf(out, "%s: %s", near->rule, words[near->why]);
        if (near->stream != VERDICT_STREAM_NONE)
            str_addf(out, " (%s, byte %lld)", verdict_stream_name(near->stream),
                     (long long)near->offset);
        str_add_char(out, '\n');
    }
}

static void hint_line(const struct verdict *verdict, struct str *out)
{
    char at[CLOCK_TEXT_MAX];
    if (verdict->retry_after_ms < 0 && verdict->resume_at_ms < 0)
        return;
    why_begin("server", out);
    str_add(out, "asks to wait");
    if (verdict->retry_after_ms >= 0) {
        str_add_char(out, ' ');
        shown_seconds(verdict->retry_after_ms, out);
    }
    if (verdict->resume_at_ms >= 0)
        str_addf(out, " until %s", clock_date(verdict->resume_at_ms, at));
    if (verdict->hint_rule[0] != '\0')
        str_addf(out, ", by rule %s", verdict->hint_rule);
    str_add_char(out, '\n');
}

/* Appends a line each for the class, the rule, what was found, contract violations, near misses,
 * and the server's hint. */
static void why_verdict_words(const struct verdict *verdict, struct str *out)
{
    why_begin("class", out);
    str_add(out, shown_expectation(verdict));
    str_add(out, verdict_class_name(verdict->class));
    if (verdict->class == VERDICT_SUCCESS)
        str_add(out, ", because it was expected to fail:");
    if (verdict->class == VERDICT_TRANSIENT)
        str_addf(out, " %s", transient_type_name(verdict->type));
    else if (verdict->reason != REASON_NONE)
        str_addf(out, " %s", reason_name(verdict->reason));
    if (verdict->subtype[0] != '\0')
        str_addf(out, ", %s", verdict->subtype);
    str_add_char(out, '\n');

    why_begin("by", out);
    if (verdict->rule[0] != '\0')
        str_addf(out, "rule %s: ", verdict->rule);
    str_addf(out, "%s\n", how_sure(verdict));
    const char *misfit = verdict->violations;
    const bool has_stream = verdict->stream != VERDICT_STREAM_NONE;
    if (*misfit == '\0' && (has_stream || verdict->match[0] != '\0')) {
        why_begin("found", out);
        if (verdict->match[0] != '\0')
            str_addf(out, "\"%s\"", verdict->match);
        if (has_stream)
            str_addf(out, " on %s", verdict_stream_name(verdict->stream));
        if (verdict->line > 0)
            str_addf(out, ", line %lld of the examined output", (long long)verdict->line);
        if (has_stream)
            str_addf(out, ", byte %lld", (long long)verdict->offset);
        str_add_char(out, '\n');
    }
    while (*misfit != '\0') { /* each reason why the output does not fit its contract */
        size_t len = strcspn(misfit, "\n");
        why_begin("misfit", out);
        str_add_n(out, misfit, len);
        str_add_char(out, '\n');
        misfit += len + (misfit[len] == '\n');
    }
    near_lines(verdict, out);
    hint_line(verdict, out);
}

static void sample_line(const char *label, const struct json *lines, size_t index, const char *form,
                        struct str *out)
{
    const char *text = json_text(json_get(json_at(lines, index), form), "");
    if (*text == '\0')
        return;
    why_begin(label, out);
    str_addf(out, "%s\n", text);
}

/* Appends what was masked, and some original lines of the first and the last try, next to their
 * compared form. The capture also has what was masked for a stop by the policy's window. */
static void masked_lines(const struct why *why, struct str *out)
{
    enum { SAMPLES_MAX = 2 };
    const struct json *loop = json_get(why->evidence, "loop");
    const struct json *masks = json_get(loop, "masks");
    const struct json *first = json_get(loop, "first_lines");
    const struct json *last = json_get(loop, "last_lines");
    struct str masked = {0};
    if (json_count(masks) == 0)
        shown_masks(why->circle.masks, &masked);
    for (size_t i = 0; i < json_count(masks); i++)
        str_addf(&masked, "%s%s", i > 0 ? ", " : "", json_text(json_at(masks, i), ""));
    if (masked.len > 0) {
        why_begin("masked", out);
        str_addf(out, "%s\n", masked.data);
        for (size_t i = 0; i < SAMPLES_MAX && i < json_count(last); i++) {
            sample_line("first try", first, i, "raw", out);
            sample_line("last try", last, i, "raw", out);
            sample_line("compared", last, i, "normal", out);
        }
    }
    str_done(&masked);
}

/* Appends a line each for the loop, its first and last try, and what was equal. Nothing if the task
 * does not loop. */
static void why_circle_words(const struct why *why, struct str *out)
{
    const struct entropy_verdict *verdict = &why->circle.verdict;
    if (verdict->level == ENTROPY_OK)
        return;
    why_begin("loop", out);
    str_add(out, why->suspected ? "perhaps: " : "");
    shown_circle_words(&why->circle, out);
    str_add(out, ", ");
    shown_circles_span(&why->circle, why->pick.step, out);
    str_add_char(out, '\n');
    why_begin("equal", out);
    str_add(out, shown_circles_equal(verdict));
    str_add(out, verdict->masked ? ", once masked\n" : "\n");
    masked_lines(why, out);
}

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
        str_addf(out, "it %s since %s",
                 why->orphaned ? "was running when devs died," : "has been running",
                 clock_date(attempt->started.at_ms, at));
    else if (!why->judged)
        str_add(out, "passed");
    else if (why->verdict.class == VERDICT_SUCCESS)
        str_add(out, "passed (failed as expected)");
    else
        str_addf(out, "failed, %s", verdict_word(&why->verdict, &attempt->outcome, word));
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
        str_add(out, ", when this was detected: devs had died, its end was not recorded\n");
        return;
    }
    str_add(out, ", ran ");
    shown_ran(&attempt->outcome, out);
    str_addf(out, ", wrote %lld bytes to stdout, %lld to stderr\n",
             (long long)attempt->outcome.bytes[0], (long long)attempt->outcome.bytes[1]);
}

/* Says how much of the output was new, and whether the result is the same as before. */
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
        str_addf(out, "; %lld bytes were only counted", (long long)attempt->skipped_bytes);
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
    str_add(out, why->free ? ": it does not count as a try" : "");
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
        str_add(out, "; the wait is over");
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
    str_addf(out, "counts 1; %d for this task in total\n",
             state_of(why)->tasks[why->pick.task].entropy);
}

/* The task's agent, over all rounds. */
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

/* The present state of the task, as on the screen. */
static void now_line(const struct why *why, const struct shown_time *time, struct str *out)
{
    const struct run_state *state = state_of(why);
    struct str next = {0};
    why_begin("now", out);
    str_add(out, shown_word(shown_task(state, why->pick.task, why->orphaned)));
    shown_next(state, why->pick.task, why->orphaned, time, &next);
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

/* Appends what happened in this attempt. */
static void attempt_lines(const struct why *why, struct str *out)
{
    const struct attempt_pick *pick = &why->pick;
    const struct run_state *state = state_of(why);
    const struct attempt_state *attempt = attempt_of(why);
    char at[CLOCK_TEXT_MAX];
    head_line(why, out);
    if (attempt->hint) { /* given to the agent of this try, or noted if there is none */
        const struct attempt_hint *hint = attempt->hint;
        struct str clean = {0};
        why_begin("hint", out);
        text_clean(&clean, hint->text, strlen(hint->text));
        str_addf(out, "%s   by %s\n", str_text(&clean),
                 hint->by[0] != '\0' ? hint->by : "a person");
        str_done(&clean);
    }
    if (attempt->ended.at_ms != 0) {
        ended_line(why, out);
        output_line(why, out);
    }
    if (why->judged) {
        /* The command may have reported success, but a rule overrides it. */
        const bool is_exit_0 = attempt->outcome.kind == OUTCOME_EXIT && attempt->outcome.code == 0;
        if (is_exit_0 && why->verdict.class != VERDICT_SUCCESS &&
            why->verdict.stream != VERDICT_STREAM_NONE && !plan_of(why)->steps[pick->step].agent) {
            why_begin("denied", out);
            str_addf(out, "exit 0 is not a pass here: rule %s denies it\n", why->verdict.rule);
        }
        why_verdict_words(&why->verdict, out);
    }
    if (attempt->correction) {
        const struct correction *correction = attempt->correction;
        why_begin("corrected", out);
        str_addf(out, "%s, by %s, %s; the original verdict is kept\n",
                 verdict_label_word(&correction->label),
                 correction->by[0] != '\0' ? correction->by : "a person",
                 clock_date(correction->at_ms, at));
    }
    str_add(out, str_text(&why->facts));
    /* Only a passed step has a proof, and only a change since then is worth a line. */
    if (step_state_trees(step_of(why))->proven_attempt == pick->attempt &&
        shown_proof(state, pick->task, pick->step) == SHOWN_PROOF_STALE) {
        why_begin("proof", out);
        shown_proof_words(state, pick->task, pick->step, out);
        str_add_char(out, '\n');
    }
    why_circle_words(why, out);
    if (state->plan->loops.preset != ENTROPY_PRESET_NONE) {
        why_begin("loops", out);
        entropy_limits_words(&state->plan->loops, out);
        str_add_char(out, '\n');
    }
}

void why_words(const struct why *why, struct str *out)
{
    const struct shown_time time = {.now = why->now, .clock = clock_short, .hms = clock_hms};
    struct tries_ahead ahead;
    struct str part = {0};
    if (why->pick.attempt == 0) {
        str_add_char(out, '#');
        add_target(why, out);
        str_add(out, " has not been tried yet\n");
    } else {
        attempt_lines(why, out);
    }
    if (why->wait.there)
        wait_lines(why, out);
    if (why->stop.there)
        end_lines(why, out);
    if (why->stop.there && why->captured) { /* where to find more */
        why_begin("captured", out);
        str_add(out, "devs debug --forensics ");
        add_target(why, out);
        str_addf(out, " --try %d", why->pick.attempt);
        if (plan_of(why)->step_count > 1)
            str_addf(out, " --step %d", why->pick.step + 1);
        str_add(out, " shows the captured diagnostics\n");
    }
    agent_lines(why, out);
    now_line(why, &time, out);
    /* What happens if nobody intervenes, if that is known. */
    if (!why->orphaned && tries_ahead(state_of(why), why->pick.task, &ahead)) {
        why_begin("ahead", out);
        tries_ahead_words(&ahead, &time, out);
        str_add_char(out, '\n');
    }
    if (why->has_odds) {
        why_begin("chance", out);
        retry_odds_words(&why->odds, out);
        str_add_char(out, '\n');
    }
    why_next(why, &part);
    if (part.len > 0) {
        why_begin("next", out);
        str_addf(out, "%s\n", part.data);
    }
    str_done(&part);
}

/* What a person can do about a failure of this reason. */
static const char *const remedies[] = {
    [REASON_NONE] = "a person must look at it",
    [REASON_TEST_FAIL] = "the work must change: a test fails",
    [REASON_COMPILE] = "the work must change: it does not build",
    [REASON_USAGE] = "the command line must be fixed",
    [REASON_NOT_FOUND] = "the missing resource must be provided",
    [REASON_PERMISSION] = "a person must grant the permission",
    [REASON_AUTH] = "a person must log in, or renew the key",
    [REASON_QUOTA] = "the quota must reset, or be raised",
    [REASON_CONTEXT_LENGTH] = "its prompt must be shorter",
    [REASON_BAD_REQUEST] = "the request must be fixed",
    [REASON_TOO_LARGE] = "the request must be smaller",
    [REASON_REFUSAL] = "it must be prompted differently",
    [REASON_LIMIT] = "the limit that it hit must be raised",
    [REASON_CONTRACT] = "its answer must match what was requested",
    [REASON_CONFIG] = "the settings must be fixed",
    [REASON_CONFLICT] = "the conflict must be resolved",
    [REASON_CRASH] = "the program that crashes must be fixed",
    [REASON_SETUP] = "the step's prerequisites must be set up",
    [REASON_DEADLINE] = "it needs more time",
    [REASON_CANCELLED] = "it was stopped by a person",
    [REASON_LOOP] = "it loops: it must be prompted differently",
    [REASON_BUDGET] = "its budget is spent: a retry grants the same amount again",
};
static_assert(ARRAY_LEN(remedies) == REASON_COUNT, "every reason has its remedy");

/* What must change outside of devs first. */
static const char *const cures[] = {
    [TRANSIENT_NONE] = "the temporary failure must clear",
    [TRANSIENT_NETWORK_TIMEOUT] = "the network must recover",
    [TRANSIENT_DOCKER_SOCKET_UNAVAILABLE] = "docker must be available again",
    [TRANSIENT_CONTAINER_OOM] = "it needs more memory",
    [TRANSIENT_API_RATE_LIMIT] = "the rate limit must reset",
    [TRANSIENT_API_OVERLOADED] = "the service must have capacity again",
    [TRANSIENT_SANDBOX_START_TIMEOUT] = "the sandbox must start again",
    [TRANSIENT_RESOURCE_BUSY] = "the busy resource must be free again",
};
static_assert(ARRAY_LEN(cures) == TRANSIENT_TYPE_COUNT, "every type has its cure");

static void add_command(const struct why *why, const char *command, struct str *out)
{
    str_addf(out, "devs %s %lld/%s", command, (long long)follower_run(why->follower)->number,
             follower_state(why->follower)->plan->tasks[why->pick.task].id);
}

static bool is_of_plan(const struct why *why)
{
    return strcmp(follower_run(why->follower)->kind, "plan") == 0;
}

/* Whether a retry is possible: it starts an engine if a plan run has ended. */
static bool takes_acts(const struct why *why)
{
    return !why->orphaned && (!follower_state(why->follower)->ended || is_of_plan(why));
}

/* A finished tool call cannot continue: its answer was sent. */
static bool can_go_on(const struct why *why)
{
    return takes_acts(why) && !follower_state(why->follower)->plan->grows;
}

/* Appends the run's command line as it can be typed, with plain devs as the program. */
static void add_again(const struct why *why, struct str *out)
{
    const char *line = follower_run(why->follower)->command;
    const char *rest = *line == '\'' ? strchr(line + 1, '\'') : strchr(line, ' ');
    str_addf(out, "%s: devs", is_of_plan(why) ? "start the plan again" : "run it again");
    str_add(out, rest ? rest + (*rest == '\'') : "");
}

/* Appends how to continue a run without an engine, whether interrupted or ended. */
static void add_going_on(const struct why *why, struct str *out)
{
    const struct log_run_info *run = follower_run(why->follower);
    if (follower_state(why->follower)->ended || run->is_session)
        add_again(why, out);
    else
        str_addf(out, "continue it: devs run --continue %lld", (long long)run->number);
}

/* Appends the command that runs the task again once its cause is fixed. */
static void add_retry(const struct why *why, struct str *out)
{
    if (follower_state(why->follower)->plan->grows)
        str_add(out, "its caller has the answer and may call again");
    else if (takes_acts(why))
        add_command(why, "retry", out);
    else
        add_again(why, out);
}

/* Returns advice for a failed start; NULL if the reason is enough. */
static const char *remedy_of_start(const struct outcome *outcome)
{
    if (outcome->kind != OUTCOME_NOT_STARTED)
        return NULL;
    switch (outcome->code) {
    case START_IMAGE_MISSING:
        return "the image must be pulled on this machine: devs does not pull images";
    case START_TOO_LARGE:
        return "the workspace must be smaller: list files that it does not need in \"exclude\"";
    case START_CONFLICT:
        return "the results of the tasks that it needs must merge";
    case START_LEFT_ALIVE:
        return "processes left by an earlier try must be stopped";
    case START_SECRET_MISSING:
        return "the secret must be in the environment of devs run --continue: a running devs "
               "cannot receive it";
    case START_STDIN_GONE:
        return "the command must be run again with its input";
    default:
        return NULL;
    }
}

/* Returns what has to change, by the corrected class; "" after a correction without a reason. */
static const char *remedy_text(const struct attempt_state *attempt, const struct verdict *verdict)
{
    struct verdict_label label = {verdict->class, verdict->type, verdict->reason};
    if (attempt->correction)
        label = attempt->correction->label;
    else if (verdict->expectation == VERDICT_UNEXPECTED_PASS)
        return "it must fail first: a test that passes at once proves nothing";
    else if (strcmp(verdict->rule, "known.silence") == 0)
        return "it must print something in time: check what it waits for, or raise its \"quiet_s\"";
    else if (attempt->outcome.kind == OUTCOME_TIMEOUT && attempt->outcome.quiet_ms == 0)
        return remedies[REASON_DEADLINE];
    else if (remedy_of_start(&attempt->outcome))
        return remedy_of_start(&attempt->outcome);
    else if (attempt->outcome.kind == OUTCOME_INTERRUPTED)
        return "devs must run until it ends: devs was gone during this try";
    else if (strcmp(verdict->rule, "known.cpu") == 0)
        return "its CPU time (\"cpu_s\" of its sandbox) is used up: raise it, or reduce the work";
    else if (strcmp(verdict->rule, "agent.empty") == 0)
        return "the agent must answer: it exited with 0 without any text or tool call";
    if (label.class == VERDICT_SUCCESS)
        return "";
    if (label.class == VERDICT_TRANSIENT)
        return cures[label.type];
    return attempt->correction && label.reason == REASON_NONE ? "" : remedies[label.reason];
}

/* Returns how to install the agent's missing program; NULL if either is unknown. */
static const char *install_of(const struct why *why, const struct attempt_state *attempt)
{
    const struct run_state *state = follower_state(why->follower);
    const struct plan_step *step =
        &state->plan->tasks[why->pick.task].steps[run_state_step_number(state, why->pick.task)];
    const bool is_gone = step->agent && attempt->outcome.kind == OUTCOME_NOT_STARTED &&
                         attempt->reason == REASON_NOT_FOUND && !attempt->correction;
    const char *install = is_gone ? adapter_install(step->agent->adapter) : "";
    return *install != '\0' ? install : NULL;
}

/* How to allow a refused tool, if that is what a person has to do. A retry would run the same
 * arguments again. */
static bool add_allowing(const struct why *why, struct str *out)
{
    const struct run_state *state = follower_state(why->follower);
    const struct plan_task *plan = &state->plan->tasks[why->pick.task];
    const struct task_agent *agent = state->tasks[why->pick.task].agent;
    const int step = plan_task_agent_step(plan, run_state_step_number(state, why->pick.task));
    const char *call = agent && step >= 0 ? agent->refused : NULL;
    if (!call || !shown_needs_allowing(run_state_step(state, why->pick.task)))
        return false;
    const char *end = strstr(call, ": ");
    struct str tool = {0};
    str_add_n(&tool, call, end ? (size_t)(end - call) : strlen(call));
    str_addf(out, "allow %s: ", str_text(&tool));
    adapter_allow_words(plan->steps[step].agent->adapter, str_text(&tool), out);
    str_add(out, "; then ");
    add_again(why, out);
    str_done(&tool);
    return true;
}

static void next_of_failure(const struct why *why, struct str *out)
{
    const struct step_state *step = run_state_step(follower_state(why->follower), why->pick.task);
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    const struct attempt_state *attempt = step_state_attempt(step);
    int64_t resets_at_ms = shown_resets_at_ms(step);
    char at[CLOCK_TEXT_MAX];
    if (add_allowing(why, out))
        return;
    if (attempt && install_of(why, attempt))
        str_addf(out, "its program must be installed: %s", install_of(why, attempt));
    else
        str_add(out, verdict && attempt ? remedy_text(attempt, verdict) : remedies[REASON_NONE]);
    if (resets_at_ms > why->now.at_ms)
        str_addf(out, " (it resets at %s)", clock_date(resets_at_ms, at));
    if (out->len > 0)
        str_add(out, "; then ");
    add_retry(why, out);
}

void why_next(const struct why *why, struct str *out)
{
    const struct run_state *state = follower_state(why->follower);
    const struct task_state *task = &state->tasks[why->pick.task];
    switch (shown_task(state, why->pick.task, why->orphaned)) {
    case SHOWN_NEEDS_YOU:
    case SHOWN_GAVE_UP:
        next_of_failure(why, out);
        break;
    case SHOWN_STUCK:
        next_of_failure(why, out);
        if (can_go_on(why))
            str_add(out, " continues it; it stops again after twice as many");
        break;
    case SHOWN_CANCELLED:
        add_retry(why, out);
        if (can_go_on(why))
            str_add(out, " gives it a new set of tries");
        break;
    case SHOWN_BACKOFF:
        if (why->orphaned) {
            str_add(out, "no devs is running this run: nothing waits; ");
            add_going_on(why, out);
        } else {
            add_command(why, "retry", out);
            str_add(out, " starts it now");
        }
        break;
    case SHOWN_HELD:
        if (!takes_acts(why)) {
            add_going_on(why, out);
        } else if (task->follows >= 0) {
            str_addf(out, "it continues once %s gets through",
                     state->plan->tasks[task->follows].id);
        } else {
            add_command(why, "release", out);
            str_add(out, " continues it");
        }
        break;
    case SHOWN_BLOCKED:
        shown_why(state, why->pick.task, out);
        break;
    case SHOWN_LOST:
        str_add(out, "no devs is running this run; ");
        add_going_on(why, out);
        break;
    case SHOWN_QUIET:
        add_command(why, "log -f", out);
        str_add(out, " shows its output");
        break;
    case SHOWN_QUEUED:
        if (!takes_acts(why))
            add_going_on(why, out);
        break;
    case SHOWN_STOPPING:
        add_command(why, "cancel --kill", out);
        str_add(out, " kills it at once");
        break;
    case SHOWN_RUNNING:
    case SHOWN_PASSED:
    case SHOWN_COUNT:
        break;
    }
}
