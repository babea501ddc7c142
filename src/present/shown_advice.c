/* shown_advice.c - what would help a task and who must do it, with the commands to type. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "adapter.h"
#include "attr.h"
#include "rows.h"

/* What a person can do about a failure with this reason. */
static const char *const remedies[] = {
    [REASON_NONE] = "a person must look at it",
    [REASON_TEST_FAIL] = "the work must change: a test fails",
    [REASON_COMPILE] = "the work must change: it does not build",
    [REASON_USAGE] = "the command line must be fixed",
    [REASON_NOT_FOUND] = "the missing resource must be provided",
    [REASON_PERMISSION] = "a person must grant the permission",
    [REASON_AUTH] = "a person must log in, or renew the key",
    [REASON_QUOTA] = "the quota must reset, or be raised",
    [REASON_CONTEXT_LENGTH] = "the prompt must be shorter",
    [REASON_BAD_REQUEST] = "the request must be fixed",
    [REASON_TOO_LARGE] = "the request must be smaller",
    [REASON_REFUSAL] = "the prompt must change",
    [REASON_LIMIT] = "the limit that it hit must be raised",
    [REASON_CONTRACT] = "its output must meet the plan's requirements",
    [REASON_CONFIG] = "the settings must be fixed",
    [REASON_CONFLICT] = "the conflict must be resolved",
    [REASON_CRASH] = "the program that crashes must be fixed",
    [REASON_SETUP] = "the step's prerequisites must be set up",
    [REASON_DEADLINE] = "it needs more time",
    [REASON_CANCELLED] = "it was stopped by a person",
    [REASON_LOOP] = "it loops: the prompt must change",
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

struct advice {
    const struct run_state *state;
    int task;
    const struct run_facts *run;
    const struct shown_look *look;
};

static void add_command(const struct advice *advice, const char *command, struct str *out)
{
    str_addf(out, "devs %s %lld/%s", command, (long long)advice->run->number,
             advice->state->plan->tasks[advice->task].id);
}

void shown_continue(int64_t run, bool needs_adopting, struct str *out)
{
    str_addf(out, "continue it: %sdevs run --continue %lld",
             needs_adopting ? "devs gc --adopt, then " : "", (long long)run);
}

/* Returns whether a person can retry the task. After the end of a plan run, a retry starts a new
 * engine. */
static bool takes_acts(const struct advice *advice)
{
    return !advice->look->orphaned && (!advice->state->ended || advice->run->is_plan);
}

/* Returns whether the task can continue. A finished tool call cannot, because its answer was
 * sent. */
static bool can_go_on(const struct advice *advice)
{
    return takes_acts(advice) && !advice->state->plan->grows;
}

/* Appends the run's command line as it can be typed, with plain devs as the program. */
static void add_again(const struct advice *advice, struct str *out)
{
    const char *line = advice->run->command;
    const char *rest = *line == '\'' ? strchr(line + 1, '\'') : strchr(line, ' ');
    str_addf(out, "%s: devs", advice->run->is_plan ? "start the plan again" : "run it again");
    str_add(out, rest ? rest + (*rest == '\'') : "");
}

/* Appends how to continue a run that has no engine, because it was interrupted or has ended. */
static void add_going_on(const struct advice *advice, struct str *out)
{
    if (advice->state->ended || advice->run->state == SHOWN_RUN_OPEN)
        add_again(advice, out);
    else
        shown_continue(advice->run->number, false, out);
}

/* Appends the command that runs the task again or, for a tool call, that its caller may call
 * again. */
static void add_retry(const struct advice *advice, struct str *out)
{
    if (advice->state->plan->grows)
        str_add(out, "its caller has the answer and may call again");
    else if (takes_acts(advice))
        add_command(advice, "retry", out);
    else
        add_again(advice, out);
}

const char *shown_start_remedy(int code)
{
    switch (code) {
    case START_IMAGE_MISSING:
        return "the image must be pulled on this machine: devs does not pull images";
    case START_TOO_LARGE:
        return "the workspace must be smaller: list files that it does not need in \"exclude\"";
    case START_CONFLICT:
        return "the results of the tasks that it needs must merge without conflicts";
    case START_LEFT_ALIVE:
        return "processes left by an earlier try must be stopped";
    case START_SECRET_MISSING:
        return "the secret must be in the environment of devs run --continue: a running devs "
               "cannot receive it";
    case START_STDIN_GONE:
        return "the command must be run again with its input";
    case START_EXECUTOR_REFUSED:
        return "the other machine must accept it without a password: see its message";
    case START_HAND_MISSING:
        return "devs-hand of this devs must be installed there: copy it, or set \"hand\"";
    case START_NO_FOLDER:
        return "the folder must exist there under the same path: check \"shared\"";
    default:
        return NULL;
    }
}

static const char *remedy_of_start(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_NOT_STARTED ? shown_start_remedy(outcome->code) : NULL;
}

/* Returns what has to change, according to the corrected class if there is one; "" after a
 * correction without a reason. */
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
        return "devs must keep running until it ends: devs died during this try";
    else if (attempt->outcome.kind == OUTCOME_LOST)
        return "its machine must stay reachable until it ends: contact was lost during this try";
    else if (strcmp(verdict->rule, "known.cpu") == 0)
        return "its CPU time limit (\"cpu_s\" in its sandbox) was reached: raise it, or reduce the "
               "work";
    else if (strcmp(verdict->rule, "agent.empty") == 0)
        return "the agent must answer: it exited with 0 without any text or tool call";
    if (label.class == VERDICT_SUCCESS)
        return "";
    if (label.class == VERDICT_TRANSIENT)
        return cures[label.type];
    return attempt->correction && label.reason == REASON_NONE ? "" : remedies[label.reason];
}

/* Returns how to install the agent's program; NULL if the program is not missing, or if devs does
 * not know how. */
static const char *install_of(const struct advice *advice, const struct attempt_state *attempt)
{
    const struct run_state *state = advice->state;
    const struct plan_step *step =
        &state->plan->tasks[advice->task].steps[run_state_step_number(state, advice->task)];
    const bool is_gone = step->agent && attempt->outcome.kind == OUTCOME_NOT_STARTED &&
                         attempt->reason == REASON_NOT_FOUND && !attempt->correction;
    const char *install = is_gone ? adapter_install(step->agent->adapter) : "";
    return *install != '\0' ? install : NULL;
}

/* Appends how to allow a refused tool and run everything again; a retry would run the same
 * arguments again. Returns false if a person does not have to allow a tool. */
static bool add_allowing(const struct advice *advice, struct str *out)
{
    const struct run_state *state = advice->state;
    const struct plan_task *plan = &state->plan->tasks[advice->task];
    const struct task_agent *agent = state->tasks[advice->task].agent;
    const int step = plan_task_agent_step(plan, run_state_step_number(state, advice->task));
    const char *call = agent && step >= 0 ? agent->refused : NULL;
    if (!call || !shown_needs_allowing(run_state_step(state, advice->task)))
        return false;
    const char *end = strstr(call, ": ");
    struct str tool = {0};
    str_add_n(&tool, call, end ? (size_t)(end - call) : strlen(call));
    str_addf(out, "allow %s: ", str_text(&tool));
    adapter_allow_words(plan->steps[step].agent->adapter, str_text(&tool), out);
    str_add(out, "; then ");
    add_again(advice, out);
    str_done(&tool);
    return true;
}

static void next_of_failure(const struct advice *advice, struct str *out)
{
    const struct step_state *step = run_state_step(advice->state, advice->task);
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    const struct attempt_state *attempt = step_state_attempt(step);
    const int64_t resets_at_ms = shown_resets_at_ms(step);
    char at[SHOWN_CLOCK_MAX];
    if (add_allowing(advice, out))
        return;
    if (attempt && install_of(advice, attempt))
        str_addf(out, "its program must be installed: %s", install_of(advice, attempt));
    else
        str_add(out, verdict && attempt ? remedy_text(attempt, verdict) : remedies[REASON_NONE]);
    if (resets_at_ms > advice->look->time.now.at_ms)
        str_addf(out, " (it resets at %s)", advice->look->time.date(resets_at_ms, at));
    if (out->len > 0)
        str_add(out, "; then ");
    add_retry(advice, out);
}

void rows_advice(struct rows *rows, const struct run_state *state, int task,
                 const struct run_facts *run, const struct shown_look *look)
{
    const struct advice advice = {.state = state, .task = task, .run = run, .look = look};
    const int follows = state->tasks[task].follows;
    struct str *out = rows_add(rows, "next", "next", ROW_PLAIN);
    switch (shown_task(state, task, look->orphaned)) {
    case SHOWN_NEEDS_YOU:
    case SHOWN_GAVE_UP:
        next_of_failure(&advice, out);
        break;
    case SHOWN_STUCK:
        next_of_failure(&advice, out);
        if (can_go_on(&advice))
            str_add(out, " continues it; it stops again after twice as many repeats");
        break;
    case SHOWN_CANCELLED:
        add_retry(&advice, out);
        if (can_go_on(&advice))
            str_add(out, " gives it a new set of tries");
        break;
    case SHOWN_BACKOFF:
        if (look->orphaned) {
            str_add(out, "no devs is running this run; ");
            add_going_on(&advice, out);
        } else {
            add_command(&advice, "retry", out);
            str_add(out, " starts it now");
        }
        break;
    case SHOWN_HELD:
        if (!takes_acts(&advice)) {
            add_going_on(&advice, out);
        } else if (follows >= 0) {
            str_addf(out, "it continues once %s gets through", state->plan->tasks[follows].id);
        } else {
            add_command(&advice, "release", out);
            str_add(out, " continues it");
        }
        break;
    case SHOWN_BLOCKED:
        shown_why(state, task, out);
        break;
    case SHOWN_LOST:
        str_add(out, "no devs is running this run; ");
        add_going_on(&advice, out);
        break;
    case SHOWN_QUIET:
        add_command(&advice, "log -f", out);
        str_add(out, " shows its output");
        break;
    case SHOWN_QUEUED:
        if (!takes_acts(&advice))
            add_going_on(&advice, out);
        break;
    case SHOWN_STOPPING:
        add_command(&advice, "cancel --kill", out);
        str_add(out, " kills it at once");
        break;
    case SHOWN_RUNNING:
    case SHOWN_PASSED:
    case SHOWN_COUNT:
        break;
    }
}

void rows_captured(struct rows *rows, const struct run_state *state, const struct run_facts *run,
                   int task, int step, int attempt)
{
    const struct advice advice = {.state = state, .task = task, .run = run};
    struct str *out = rows_add(rows, "captured", "captured", ROW_PLAIN);
    add_command(&advice, "debug --forensics", out);
    str_addf(out, " --try %d", attempt);
    if (state->plan->tasks[task].step_count > 1)
        str_addf(out, " --step %d", step + 1);
    str_add(out, " shows the captured diagnostics");
}
