/* why_next.c - what would help, and who has to do it. */
#include <assert.h>
#include <string.h>

#include "adapter.h"
#include "attr.h"
#include "clock.h"
#include "shown.h"
#include "why.h"

/* What a person may do about a failure of this reason. */
static const char *const remedies[] = {
    [REASON_NONE] = "somebody must look",
    [REASON_TEST_FAIL] = "the work must change: a test is red",
    [REASON_COMPILE] = "the work must change: it does not build",
    [REASON_USAGE] = "the command's words must be put right",
    [REASON_NOT_FOUND] = "what it looks for must be there",
    [REASON_PERMISSION] = "somebody must grant the permission",
    [REASON_AUTH] = "somebody must log in, or renew the key",
    [REASON_QUOTA] = "the quota must come back, or be raised",
    [REASON_CONTEXT_LENGTH] = "what it is asked must be shorter",
    [REASON_BAD_REQUEST] = "the request must be put right",
    [REASON_TOO_LARGE] = "what it sends must be smaller",
    [REASON_REFUSAL] = "it must be asked in another way",
    [REASON_LIMIT] = "the limit that it met must be raised",
    [REASON_CONTRACT] = "what it answers must be what was asked for",
    [REASON_CONFIG] = "the settings must be put right",
    [REASON_CONFLICT] = "the conflict must be resolved",
    [REASON_CRASH] = "the program that crashes must be put right",
    [REASON_SETUP] = "what the step needs must be set up",
    [REASON_DEADLINE] = "it needs more time",
    [REASON_CANCELLED] = "it was stopped by a person",
    [REASON_LOOP] = "it goes in circles: it must be asked in another way",
    [REASON_BUDGET] = "its budget is spent: a retry gives as much again",
};
static_assert(ARRAY_LEN(remedies) == REASON_COUNT, "every reason has its remedy");

/* What has to get better in the world first. */
static const char *const cures[] = {
    [TRANSIENT_NONE] = "what failed must come back",
    [TRANSIENT_NETWORK_TIMEOUT] = "the network must come back",
    [TRANSIENT_DOCKER_SOCKET_UNAVAILABLE] = "docker must come back",
    [TRANSIENT_CONTAINER_OOM] = "it needs more memory",
    [TRANSIENT_API_RATE_LIMIT] = "the rate limit must be over",
    [TRANSIENT_API_OVERLOADED] = "the service must have room again",
    [TRANSIENT_SANDBOX_START_TIMEOUT] = "the sandbox must start again",
    [TRANSIENT_RESOURCE_BUSY] = "what was busy must be free again",
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

/* A retry starts an engine for a run of a plan that has ended. */
static bool takes_acts(const struct why *why)
{
    return !why->orphaned && (!follower_state(why->follower)->ended || is_of_plan(why));
}

/* And none lets a call go on that is over: its answer was given. */
static bool can_go_on(const struct why *why)
{
    return takes_acts(why) && !follower_state(why->follower)->plan->grows;
}

/* The run's command line as it can be typed: devs, wherever its program stood. */
static void add_again(const struct why *why, struct str *out)
{
    const char *line = follower_run(why->follower)->command;
    const char *rest = *line == '\'' ? strchr(line + 1, '\'') : strchr(line, ' ');
    str_addf(out, "%s: devs", is_of_plan(why) ? "start the plan again" : "run it again");
    str_add(out, rest ? rest + (*rest == '\'') : "");
}

/* How a run goes on that no devs runs: one that was left, or one that has ended. */
static void add_going_on(const struct why *why, struct str *out)
{
    const struct log_run_info *run = follower_run(why->follower);
    if (follower_state(why->follower)->ended || run->is_session)
        add_again(why, out);
    else
        str_addf(out, "go on with it: devs run --continue %lld", (long long)run->number);
}

/* What makes it run once more, whatever that needs first. */
static void add_retry(const struct why *why, struct str *out)
{
    if (follower_state(why->follower)->plan->grows)
        str_add(out, "whoever called it has its answer, and may call again");
    else if (takes_acts(why))
        add_command(why, "retry", out);
    else
        add_again(why, out);
}

/* What is special about a start that failed; NULL where the reason says it all. */
static const char *remedy_of_start(const struct outcome *outcome)
{
    if (outcome->kind != OUTCOME_NOT_STARTED)
        return NULL;
    switch (outcome->code) {
    case START_IMAGE_MISSING:
        return "the image must be brought to this machine: devs fetches none";
    case START_TOO_LARGE:
        return "the workspace must be smaller: name what it can do without in \"exclude\"";
    case START_CONFLICT:
        return "the results of what it needs must be made to go together";
    case START_LEFT_ALIVE:
        return "what an earlier try left must be ended";
    case START_SECRET_MISSING:
        return "the secret must be in the environment that devs run --continue is started with: a "
               "devs that runs cannot be given it";
    case START_STDIN_GONE:
        return "the command must be run again with its input";
    default:
        return NULL;
    }
}

/* What has to change, by the class as it counts now; nothing where only a person knows,
 * and has said so. */
static const char *remedy(const struct attempt_state *attempt, const struct verdict *verdict)
{
    struct verdict_label label = {verdict->class, verdict->type, verdict->reason};
    if (attempt->correction)
        label = attempt->correction->label;
    else if (verdict->expectation == VERDICT_UNEXPECTED_PASS)
        return "it must fail first: a test that is green at once proves nothing";
    else if (strcmp(verdict->rule, "known.silence") == 0)
        return "it must say something in time: look at what it waits for, or raise its \"quiet_s\"";
    else if (attempt->outcome.kind == OUTCOME_TIMEOUT && attempt->outcome.quiet_ms == 0)
        return remedies[REASON_DEADLINE];
    else if (remedy_of_start(&attempt->outcome))
        return remedy_of_start(&attempt->outcome);
    else if (attempt->outcome.kind == OUTCOME_INTERRUPTED)
        return "devs must live until it ends: it was gone while this ran";
    else if (strcmp(verdict->rule, "known.cpu") == 0)
        return "its CPU time (\"cpu_s\" of its sandbox) is used up: give it more, or less to do";
    else if (strcmp(verdict->rule, "agent.empty") == 0)
        return "the agent must answer: it exited with 0 without a word or a call";
    if (label.class == VERDICT_SUCCESS)
        return "";
    if (label.class == VERDICT_TRANSIENT)
        return cures[label.type];
    return attempt->correction && label.reason == REASON_NONE ? "" : remedies[label.reason];
}

/* An agent whose program is not there, and what to do about that; NULL = neither is known. */
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

/* How a refused tool is allowed, where that is what a person has to do. A retry would run the same
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
        str_add(out, verdict && attempt ? remedy(attempt, verdict) : remedies[REASON_NONE]);
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
            str_add(out, " lets it go on; it stops again after twice as many");
        break;
    case SHOWN_CANCELLED:
        add_retry(why, out);
        if (can_go_on(why))
            str_add(out, " gives it a fresh set of tries");
        break;
    case SHOWN_BACKOFF:
        if (why->orphaned) {
            str_add(out, "no devs is running this run: nobody waits; ");
            add_going_on(why, out);
        } else {
            add_command(why, "retry", out);
            str_add(out, " sends it now");
        }
        break;
    case SHOWN_HELD:
        if (!takes_acts(why)) {
            add_going_on(why, out);
        } else if (task->follows >= 0) {
            str_addf(out, "it goes on once %s is through", state->plan->tasks[task->follows].id);
        } else {
            add_command(why, "release", out);
            str_add(out, " lets it go on");
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
        str_add(out, " shows what it prints");
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
