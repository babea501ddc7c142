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
#include "verdict.h"

static void add_sample(struct rows *rows, const char *key, const char *label,
                       const struct json *line)
{
    str_add(rows_add(rows, key, label, ROW_PLAIN), json_text(line, ""));
}

/* Adds some original lines of the first and the last try, next to their compared form. For a stop
 * by the policy's window, also adds the masks, which only the capture has. */
static void add_masked(const struct why *why, struct rows *rows)
{
    enum { SAMPLES_MAX = 2 };
    const struct json *loop = json_get(why->evidence, "loop");
    const struct json *masks = json_get(loop, "masks");
    const struct json *first = json_get(loop, "first_lines");
    const struct json *last = json_get(loop, "last_lines");
    if (json_count(masks) == 0 && why->circle.masks == 0)
        return;
    for (size_t i = 0; why->circle.masks == 0 && i < json_count(masks); i++)
        str_add(rows_add(rows, "masked", "masked", ROW_PLAIN), json_text(json_at(masks, i), ""));
    for (size_t i = 0; i < SAMPLES_MAX && i < json_count(last); i++) {
        add_sample(rows, "first_try", "first try", json_get(json_at(first, i), "raw"));
        add_sample(rows, "last_try", "last try", json_get(json_at(last, i), "raw"));
        add_sample(rows, "compared", "compared", json_get(json_at(last, i), "normal"));
    }
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

/* Returns whether a retry is possible: it starts an engine if a plan run has ended. */
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

/* Appends how to allow a refused tool, if a person has to do that. A retry would run the same
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

/* Appends what would help and who must do it; nothing if there is nothing to do. */
static void add_next(const struct why *why, struct str *out)
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

/* The rows of devs why. */

static void add_used(const struct why *why, struct str *out)
{
    const bool is_start = attempt_of(why)->outcome.kind == OUTCOME_NOT_STARTED;
    if (why->used > 0 && why->allowed > 0)
        str_addf(out, "; %s %d of %d", is_start ? "start" : "try", why->used, why->allowed);
    shown_own_retries(why->own_retries, out);
}

/* Adds the latest wait after this attempt, and the end of its step. */
static void add_decision(const struct why *why, struct rows *rows)
{
    const struct task_state *task = &state_of(why)->tasks[why->pick.task];
    char at[CLOCK_TEXT_MAX];
    if (why->wait.there) {
        rows_wait(rows, why->delay.delay_ms, why->free);
        add_used(why, &rows->items[rows->count - 1].value);
        str_add(rows_add(rows, "formula", "wait", ROW_PLAIN), str_text(&why->wait.formula));
        struct str *until = rows_add(rows, "until", "until", ROW_PLAIN);
        str_add(until, clock_date(why->due_at_ms, at));
        if (why->skipped_by[0] != '\0')
            str_addf(until, "; skipped by %s", why->skipped_by);
        else if (why->over)
            str_add(until, "; the wait is over");
    }
    if (!why->stop.there)
        return;
    rows_end(rows, why->end, str_text(&why->stop.formula),
             why->end == DECISION_CANCELLED ? task->by : NULL);
    if (why->entropy)
        str_addf(rows_add(rows, "entropy", "entropy", ROW_PLAIN),
                 "counts 1; %d for this task in total", task->entropy);
    if (why->captured) { /* where to find more */
        struct str *out = rows_add(rows, "captured", "captured", ROW_PLAIN);
        str_add(out, "devs debug --forensics ");
        add_target(why, out);
        str_addf(out, " --try %d", why->pick.attempt);
        if (plan_of(why)->step_count > 1)
            str_addf(out, " --step %d", why->pick.step + 1);
        str_add(out, " shows the captured diagnostics");
    }
}

/* Adds the present state of the task, as in a list. */
static void add_now(const struct why *why, const struct shown_time *time, struct rows *rows)
{
    const struct shown_look look = {.time = *time, .orphaned = why->orphaned};
    const int later = (int)step_of(why)->attempt_count - why->pick.attempt;
    struct rows now = {0};
    rows_task(&now, state_of(why), why->pick.task, &look);
    const char *next = rows_value(&now, "next");
    struct str *out = rows_add(rows, "now", "now", ROW_PLAIN);
    str_addf(out, "%s%s%s", rows_value(&now, "state"), *next != '\0' ? ", " : "", next);
    if (later > 0) {
        str_add(out, "; ");
        shown_count(later, "later try of this step", "later tries of this step", out);
    }
    rows_done(&now);
}

void why_rows(const struct why *why, struct rows *rows)
{
    enum { SAID_COLUMNS = 100 };
    const struct attempt_pick *pick = &why->pick;
    const struct run_state *state = state_of(why);
    const struct attempt_state *attempt = pick->attempt > 0 ? attempt_of(why) : NULL;
    const struct shown_time time = {
        .now = why->now, .clock = clock_short, .hms = clock_hms, .date = clock_date};
    if (attempt) {
        rows_hint(rows, attempt);
        rows_attempt(rows, attempt, &time);
        rows_verdict(rows, &plan_of(why)->steps[pick->step], attempt,
                     why->judged ? &why->verdict : NULL, &time);
        rows_same(rows, state, pick->task, pick->step, attempt);
    }
    for (size_t i = 0; i < why->facts.count; i++) {
        const struct row *fact = &why->facts.items[i];
        str_add(rows_add(rows, fact->key, fact->label, fact->style), str_text(&fact->value));
    }
    /* Only a passed step has a proof, and only a change since then is worth a line. */
    if (attempt && step_state_trees(step_of(why))->proven_attempt == pick->attempt &&
        shown_proof(state, pick->task, pick->step) == SHOWN_PROOF_STALE)
        shown_proof_words(state, pick->task, pick->step,
                          rows_add(rows, "proof", "proof", ROW_PLAIN));
    rows_loop(rows, &why->circle, pick->step);
    if (why->circle.verdict.level != ENTROPY_OK)
        add_masked(why, rows);
    if (attempt && state->plan->loops.preset != ENTROPY_PRESET_NONE)
        entropy_limits_words(&state->plan->loops, rows_add(rows, "loops", "loops", ROW_PLAIN));
    add_decision(why, rows);
    rows_agent(rows, state, pick->task, &why->now);
    rows_said(rows, state, pick->task, SAID_COLUMNS);
    add_now(why, &time, rows);
    rows_ahead(rows, state, pick->task, why->orphaned, why->has_odds ? &why->odds : NULL, &time);
    add_next(why, rows_add(rows, "next", "next", ROW_PLAIN));
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
    why_rows(why, &rows);
    rows_text(&rows, LABEL_COLUMNS, out);
    rows_done(&rows);
}
