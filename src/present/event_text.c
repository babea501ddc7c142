/* event_text.c - an event as a line for people.
 *
 * add_event() appends the text of each kind of event, which follows the subject. The lookups before
 * it are shared with event_json.c. */
#include "event_text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "digest.h"
#include "event_look.h"
#include "policy.h"
#include "repair.h"
#include "rows.h"
#include "shown.h"
#include "text.h"

struct event_look event_look_up(const struct run_state *state, const struct event *event,
                                struct str *out)
{
    struct event_look look = {.state = state, .event = event, .out = out};
    if (event->task < 0 || event->task >= state->plan->task_count)
        return look;
    const struct plan_task *plan = &state->plan->tasks[event->task];
    if (event->step < 0 || event->step >= plan->step_count)
        return look;
    look.plan = &plan->steps[event->step];
    look.step = &state->tasks[event->task].steps[event->step];
    look.attempt = step_state_find_attempt(look.step, event->attempt);
    return look;
}

bool event_look_is_there(const struct event_look *look)
{
    switch (look->event->kind) {
    case EVENT_ATTEMPT_STARTED:
    case EVENT_ATTEMPT_ENDED:
        return look->attempt != NULL;
    case EVENT_ATTEMPT_JUDGED:
    case EVENT_WAIT_STARTED:
        return look->attempt && look->step->evidence;
    case EVENT_STEP_ENDED:
        return look->step != NULL;
    default: /* the other kinds need no attempt */
        return true;
    }
}

void event_look_error(const struct event_look *look, struct str *out)
{
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(look->step, &room);
    if (verdict && verdict->match[0] != '\0')
        str_add(out, verdict->match);
    else
        outcome_words(&look->attempt->outcome, out);
}

struct event_retry event_look_retry(const struct event_look *look)
{
    const struct decision_inputs *inputs = &look->event->wait.inputs;
    const int at = inputs->policy ? inputs->used : 1;
    return (struct event_retry){.at = at, .max = inputs->allowed > at ? inputs->allowed - 1 : at};
}

enum event_level event_level(const struct event *event)
{
    switch (event->kind) {
    case EVENT_STEP_ENDED:
        return event->step_ended.decision == DECISION_SUCCEEDED ||
                       event->step_ended.decision == DECISION_CANCELLED
                   ? EVENT_LEVEL_INFO
                   : EVENT_LEVEL_ERROR;
    case EVENT_TASK_BLOCKED:
        return EVENT_LEVEL_ERROR;
    case EVENT_ATTEMPT_PLACED:
    case EVENT_ATTEMPT_RUNNING:
    case EVENT_CONTROL_ANSWERED:
    case EVENT_ATTEMPT_HEARD:
    case EVENT_WORKSPACE_SAVED:
    case EVENT_TREE_PROVEN:
    case EVENT_AGENT_USED:
        return EVENT_LEVEL_DEBUG;
    default: /* a kind added by a newer devs is shown too */
        return EVENT_LEVEL_INFO;
    }
}

const char *event_level_name(enum event_level level)
{
    static const char *const names[] = {"error", "info", "debug"};
    return names[level];
}

/* The text of each kind of event. */

/* Returns the text, or "" for NULL. */
static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static const char *by_of(const struct event_look *w)
{
    return shown_person(w->event->by);
}

/* Returns the id of the task with this number, or "?" if the plan has no such task. */
static const char *task_id(const struct event_look *w, int64_t number)
{
    bool there = number >= 0 && number < w->state->plan->task_count;
    return there ? w->state->plan->tasks[number].id : "?";
}

enum {
    COMMIT_SHOWN = 12, /* number of hex digits shown of a commit or tree */
    PATHS_SHOWN = 5,
    NAMES_SHOWN = 8,
};

/* Appends a duration such as "31 ms", "0.4 s" or "3:12". */
static void add_time(struct str *out, int64_t ms)
{
    enum { SHOWN_MS_MAX = 100 };
    if (ms < SHOWN_MS_MAX)
        str_addf(out, "%lld ms", (long long)ms);
    else
        shown_seconds(ms, out);
}

static void add_args(char *const *argv, struct str *out)
{
    enum { WORDS_ARGS_BYTES_MAX = 200 };
    const size_t room = out->len + WORDS_ARGS_BYTES_MAX;
    for (char *const *arg = argv; arg && *arg; arg++) {
        if (out->len + strlen(*arg) > room) {
            str_add(out, " ...");
            break;
        }
        str_add_char(out, ' ');
        shell_word_add(*arg, out);
    }
}

static void add_start(const struct event_look *w)
{
    if (w->event->started.start > 1)
        str_addf(w->out, "start %d/%d:", w->event->started.start,
                 plan_policy_find(w->state->plan, "infrastructure")->max_attempts);
    else
        str_add(w->out, "starts:");
    if (!w->plan->agent) {
        add_args(w->plan->argv, w->out);
        return;
    }
    char **argv = agent_session_argv(w->state, w->event->task, w->event->step);
    add_args(argv, w->out);
    adapter_argv_free(argv);
}

static void add_judgment(const struct event_look *w)
{
    struct verdict verdict;
    char word[VERDICT_WORD_MAX];
    struct str evidence = {0};
    /* From the event: the state may not have kept the rule. */
    verdict_from_record(&w->event->judged, &verdict);
    if (verdict.class == VERDICT_SUCCESS)
        str_add(w->out, "failed as expected");
    else
        str_addf(w->out, "failed %s%s", shown_expectation(&verdict),
                 verdict_word(&verdict, &w->attempt->outcome, word));
    shown_evidence(&verdict, &evidence);
    str_addf(w->out, "%s%s", evidence.len > 0 ? ", " : "", str_text(&evidence));
    str_done(&evidence);
}

/* Appends the retry in the form that requirement B6 prescribes for transient failures. */
static void add_retry(const struct event_look *w)
{
    enum { SHOWN_MS_MIN = 5 }; /* two decimals would show a shorter wait as 0 */
    const struct attempt_state *attempt = w->attempt;
    const char *id = w->state->plan->tasks[w->event->task].id;
    const char *remark = w->event->wait.is_free ? " (does not count as an attempt)" : "";
    const struct event_retry retry = event_look_retry(w);
    char word[VERDICT_WORD_MAX];
    struct verdict room;
    bool transient = attempt->class == VERDICT_TRANSIENT;
    const char *reason =
        transient ? transient_type_name(attempt->type)
                  : verdict_word(step_state_verdict(w->step, &room), &attempt->outcome, word);
    str_addf(w->out, "[%s] attempt %lld/%lld for taskId=%s, reason=%s: ",
             transient ? "TRANSIENT RETRY" : "RETRY", (long long)retry.at, (long long)retry.max, id,
             reason);
    if (w->event->wait.delay.delay_ms < SHOWN_MS_MIN) {
        str_addf(w->out, "at once%s,", remark);
    } else {
        str_add(w->out, "waits ");
        shown_seconds(w->event->wait.delay.delay_ms, w->out);
        str_addf(w->out, "%s, then", remark);
    }
    str_addf(w->out, " try %d; error: ", w->event->attempt + 1);
    event_look_error(w, w->out);
}

/* Appends ": same result 5 times, tries 1 to 5" if the log has the loop. */
static void add_circles(const struct event_look *w)
{
    const struct event *event = w->event;
    struct shown_circle circle;
    if (event->kind == EVENT_STEP_ENDED) {
        if (!shown_end_loop(&event->step_ended.inputs, event->step, event->attempt, &circle))
            return;
    } else {
        if (!shown_loop_facts(&event->loop.facts, event->step, &circle))
            return;
        circle.of_calls = event->loop.of_calls;
    }
    str_add(w->out, ": ");
    shown_circle_words(&circle, w->out);
    str_add(w->out, ", ");
    shown_circles_span(&circle, w->event->step, w->out);
}

static void add_step_end(const struct event_look *w)
{
    const enum decision_kind kind = w->event->step_ended.decision;
    char word[VERDICT_WORD_MAX];
    struct verdict room;
    str_add(w->out, decision_kind_name(kind));
    if (kind == DECISION_SUCCEEDED || !w->attempt)
        return;
    /* "2 of 4 starts" if the command never started, otherwise the attempts that ran. Attempts that
     * did not count are shown separately. */
    const bool is_start = w->attempt->outcome.kind == OUTCOME_NOT_STARTED;
    const struct decision_inputs *inputs = &w->event->step_ended.inputs;
    if (is_start && inputs->used > 0) {
        str_addf(w->out, " after %d of %d starts", inputs->used, inputs->allowed);
    } else {
        str_addf(w->out, " after %d of %d attempts", w->event->step_ended.attempts,
                 w->step->allowed);
        if (w->step->free_hints > 0)
            str_addf(w->out, " (+%d free)", w->step->free_hints);
        shown_own_retries(w->step->own_retries, w->out);
    }
    str_addf(w->out, " in phase %s, step %s/%d: ", phase_name(w->plan->phase),
             w->state->plan->tasks[w->event->task].id, w->event->step + 1);
    if (kind == DECISION_TRANSIENT_EXHAUSTED)
        str_addf(w->out, "%s, ", transient_type_name(w->attempt->type));

    /* The contract violation if the output was the only failure, otherwise the outcome. */
    const struct verdict *verdict = step_state_verdict(w->step, &room);
    const bool has_match = verdict && verdict->match[0] != '\0';
    if (kind != DECISION_MAX_RETRIES && w->attempt->reason == REASON_CONTRACT && has_match)
        str_addf(w->out, "contract: %s", verdict->match);
    else
        outcome_words(&w->attempt->outcome, w->out);
    if (kind == DECISION_MAX_RETRIES && verdict) {
        str_addf(w->out, ", caused by %s", verdict_word(verdict, &w->attempt->outcome, word));
        if (has_match)
            str_addf(w->out, ": %s", verdict->match);
    }
    if (kind == DECISION_ENTROPY)
        add_circles(w);
}

static void add_gate(const struct event_look *w)
{
    const struct event *event = w->event;
    const bool closes = event->kind == EVENT_GATE_CLOSED;
    const int number = closes ? event->gate_closed.source : event->gate_opened.source;
    const bool there = number >= 0 && number < w->state->plan->source_count;
    const char *source = there ? w->state->plan->sources[number] : "?";
    const int64_t due_mono_ms = closes ? event->gate_closed.due.mono_ms : 0;
    if (!closes) {
        str_addf(w->out, "rate limit of %s is over, %d waiting", source,
                 event->gate_opened.waiting);
    } else if (event->gate_closed.chosen >= 0) {
        str_addf(w->out, "rate limit of %s: %s sent by %s", source,
                 task_id(w, event->gate_closed.chosen), by_of(w));
    } else if (due_mono_ms <= event->at.mono_ms) {
        str_addf(w->out, "rate limit of %s: trying the next task in line", source);
    } else {
        str_addf(w->out, "rate limit of %s: nothing starts for ", source);
        shown_seconds(due_mono_ms - event->at.mono_ms, w->out);
        if (event->gate_closed.limits > 1)
            str_addf(w->out, ", hit %d times in a row", event->gate_closed.limits);
    }
}

/* Appends the start, the continuation or the end of the run. */
static void add_run(const struct event_look *w)
{
    static const char *const runs[TAKE_UP_COUNT] = {
        [TAKE_UP_OPEN] = "",
        [TAKE_UP_REST] = ": all tasks that have not passed",
        [TAKE_UP_FAILED] = ": the failed tasks",
        [TAKE_UP_ASKED] = ": a retry",
    };
    const struct event *event = w->event;
    if (event->kind == EVENT_RUN_STARTED) {
        int tasks = w->state->plan->task_count;
        str_addf(w->out, "run started by %s: %d task%s, %d at a time", by_of(w), tasks,
                 tasks == 1 ? "" : "s", event->run_started.jobs);
        return;
    }
    if (event->kind == EVENT_RUN_RECOVERED) {
        str_addf(w->out, "run continued by %s%s%s", by_of(w),
                 event->recovered.rebooted ? ", after a reboot" : "",
                 runs[event->recovered.take_up]);
        return;
    }
    str_addf(w->out, "run ended, exit %d: ", event->run_ended.exit_code);
    shown_task_counts(w->state, w->out);
}

/* Appends that the task, or the agent's calls, may be looping, and the loop. A loop among the calls
 * of an agent is reported again when it becomes certain. */
static void add_loop(const struct event_look *w)
{
    const bool of_calls = w->event->loop.of_calls;
    const struct task_agent *agent = w->state->tasks[w->event->task].agent;
    if (of_calls && agent && agent->calls && agent->calls->verdict.level == ENTROPY_STUCK)
        str_add(w->out, "its calls are looping");
    else
        str_add(w->out, of_calls ? "its calls may be looping" : "may be looping");
    add_circles(w);
}

static void add_agent_call(const struct event_look *w)
{
    const struct event *event = w->event;
    const char *tool = or_empty(event->call.tool);
    str_add(w->out, *tool ? tool : "says");
    str_add(w->out, ": ");
    str_add(w->out, or_empty(event->call.what));
    if (event->call.running)
        str_add(w->out, ", still running");
    else if (event->call.code != 0)
        str_addf(w->out, ", failed (%d)", event->call.code);
    if (event->call.ms > 0) {
        str_add(w->out, ", ");
        shown_seconds(event->call.ms, w->out);
    }
}

static void add_budget(const struct event_look *w)
{
    const struct budget_use use = {.kind = w->event->budget.kind,
                                   .used = w->event->budget.used,
                                   .limit = w->event->budget.limit};
    const bool is_spent = w->event->budget.is_spent;
    str_addf(w->out, "%sbudget %s: ", w->event->task < 0 ? "the run's " : "",
             is_spent ? "is spent" : "is nearly spent");
    budget_use_words(&use, w->out);
    str_addf(w->out, " (%d%%)", shown_budget_percent(&use));
}

static void add_round(const struct event_look *w)
{
    const struct task_agent *agent = w->plan ? w->state->tasks[w->event->task].agent : NULL;
    struct str round = {0};
    str_add(w->out, "round ");
    if (agent)
        shown_round(w->state, w->event->task, &round);
    if (round.len > 0)
        str_add(w->out, round.data);
    else
        str_addf(w->out, "%d: step %d failed", w->event->round_started.round,
                 w->event->round_started.failed_step + 1);
    str_done(&round);
}

static void add_workspace(const struct event_look *w)
{
    const char *base = or_empty(w->event->workspace.base);
    const char *branch = or_empty(w->event->workspace.branch);
    const char *path = or_empty(w->event->workspace.path);
    const int64_t setup_ms = w->event->workspace.setup_ms;
    str_addf(w->out, "workspace created: %s", workspace_kind_name(w->event->workspace.kind));
    if (*path != '\0')
        str_addf(w->out, " at %s", path);
    if (*base != '\0')
        str_addf(w->out, " from %.*s", COMMIT_SHOWN, base);
    if (*branch != '\0')
        str_addf(w->out, " for %s", branch);
    str_add(w->out, " in ");
    add_time(w->out, w->event->workspace.ms);
    if (setup_ms == 0)
        return;
    str_add(w->out, ", setup ");
    add_time(w->out, setup_ms);
}

/* Appends the tree that was saved, restored, or proven to pass. */
static void add_tree(const struct event_look *w)
{
    const struct event *event = w->event;
    const int64_t count = event->tree.count;
    if (event->kind == EVENT_WORKSPACE_RESET && count == 0) {
        str_add(w->out, "tree unchanged, checked");
    } else if (event->kind == EVENT_WORKSPACE_RESET) {
        str_add(w->out, "tree restored: ");
        shown_count(count, "path", "paths", w->out);
    } else {
        char hex[DIGEST_HEX_MAX];
        digest_to_hex(event->tree.tree, hex);
        if (event->kind == EVENT_TREE_PROVEN)
            str_addf(w->out, "proven on tree %.*s: ", COMMIT_SHOWN, hex);
        else
            str_add(w->out, "tree saved: ");
        shown_count(count, "file", "files", w->out);
        str_add(w->out, ", ");
        shown_size(event->tree.bytes, w->out);
    }
    str_add(w->out, " in ");
    add_time(w->out, event->tree.ms);
}

/* Appends at most `most` lines as a list, after `before`. `lines` may be NULL. */
static void add_list(const struct event_look *w, const char *lines, const char *before, int most)
{
    for (int i = 0; i < most && lines && *lines; i++) {
        const size_t len = strcspn(lines, "\n");
        str_addf(w->out, "%s%.*s", i > 0 ? ", " : before, (int)len, lines);
        lines += len + (lines[len] == '\n');
    }
}

/* Appends "changed 7 paths, +12 -3 lines: M src/a.c, D src/b.c, ..." */
static void add_changes(const struct event_look *w)
{
    const struct event *event = w->event;
    const char *why = or_empty(event->changes.why);
    if (event->changes.paths == 0 && event->changes.partial) {
        str_addf(w->out, "changes unknown%s%s", *why ? ": " : "", why);
        return;
    }
    str_add(w->out, "changed ");
    shown_count(event->changes.paths, "path", "paths", w->out);
    if (event->changes.added > 0 || event->changes.removed > 0)
        str_addf(w->out, ", +%lld -%lld lines", (long long)event->changes.added,
                 (long long)event->changes.removed);
    add_list(w, event->changes.changed, ": ", PATHS_SHOWN);
    if (event->changes.paths > PATHS_SHOWN && event->changes.changed)
        str_add(w->out, ", ...");
    if (event->changes.partial)
        str_addf(w->out, " (not everything was checked%s%s)", *why ? ": " : "", why);
}

static void add_cut_secrets(const struct event_look *w)
{
    const char *line = or_empty(w->event->secrets.names);
    str_add(w->out, "cut ");
    shown_count(w->event->secrets.count, "secret", "secrets", w->out);
    for (int i = 0; i < NAMES_SHOWN && *line; i++) {
        char *name;
        const long long count = strtoll(line, &name, 10);
        const size_t len = strcspn(++name, "\n");
        str_addf(w->out, "%s%.*s", i > 0 ? ", " : ": ", (int)len, name);
        if (count > 1)
            str_addf(w->out, " %lldx", count);
        line = name + len + (name[len] == '\n');
    }
}

static void add_lacking_keys(const struct event_look *w)
{
    const char *why = or_empty(w->event->lacks.why);
    str_add(w->out, "sandbox does not enforce");
    add_list(w, w->event->lacks.keys, " ", NAMES_SHOWN);
    str_addf(w->out, "%s%s", *why ? ": " : "", why);
}

static void add_new_task(const struct event_look *w)
{
    const struct plan *plan = w->state->plan;
    const int number = w->event->task_added.number;
    str_addf(w->out, "task %d added: %s", number,
             number < plan->task_count ? plan->tasks[number].id : "?");
}

/* Appends a person's request or its answer. */
static void add_request(const struct event_look *w)
{
    const struct event *event = w->event;
    const char *by = by_of(w);
    switch (event->kind) {
    case EVENT_CONTROL_ANSWERED:
        str_addf(w->out, "%s requested by %s: %s%s", control_verb_name(event->answered.verb), by,
                 event->answered.done ? "" : "refused: ", or_empty(event->answered.answer));
        return;
    case EVENT_CANCEL_ASKED:
        str_addf(w->out, "cancel (%s) requested by %s", cancel_mode_name(event->cancel.mode), by);
        return;
    case EVENT_CLASS_CORRECTED:
        str_addf(w->out, "reclassified as %s by %s; the original verdict is kept",
                 verdict_label_word(&event->corrected), by);
        return;
    case EVENT_HINT_GIVEN: {
        const char *hint = or_empty(event->hint.hint);
        const int allowed = event->hint.allowed;
        if (hint[0] != '\0')
            str_addf(w->out, "hint by %s: %s", by, hint);
        if (allowed > 0)
            str_addf(w->out, "%s%d tries in total, set by %s", hint[0] != '\0' ? "; " : "", allowed,
                     by);
        return;
    }
    case EVENT_STEP_REOPENED:
        str_addf(w->out, "retried by %s: ", by);
        shown_count(event->reopened.allowed, "new attempt", "new attempts", w->out);
        return;
    case EVENT_TASK_HELD:
        str_addf(w->out, "held by %s", by);
        if (event->held.follows >= 0)
            str_addf(w->out, " until %s gets through", task_id(w, event->held.follows));
        return;
    default: /* the other kinds are not requests */
        return;
    }
}

/* Appends what the attempt did. */
static void add_progress(const struct event_look *w)
{
    const struct event *event = w->event;
    switch (event->kind) {
    case EVENT_ATTEMPT_RUNNING:
        str_add(w->out, "running");
        if (event->running.pid > 0) /* otherwise it is on another machine */
            str_addf(w->out, ", pid %lld", (long long)event->running.pid);
        if (event->running.slot > 0)
            str_addf(w->out, ", slot %d", event->running.slot);
        break;
    case EVENT_ATTEMPT_QUIET:
        str_add(w->out, "no output for ");
        shown_duration(event->quiet.quiet_ms, w->out);
        break;
    case EVENT_ATTEMPT_HEARD:
        str_add(w->out, "output resumed");
        break;
    case EVENT_ATTEMPT_ENDED:
        outcome_words(&w->attempt->outcome, w->out);
        if (w->attempt->outcome.kind == OUTCOME_NOT_STARTED && event->ended.start_error)
            str_addf(w->out, ": %s", event->ended.start_error);
        str_add(w->out, ", ran ");
        shown_ran(&w->attempt->outcome, w->out);
        if (w->attempt->outcome.processes_left > 0)
            str_addf(w->out, ", %d processes left", w->attempt->outcome.processes_left);
        break;
    default: /* the other kinds are not about what an attempt does */
        break;
    }
}

/* Appends what happened on another machine. */
static void add_machine(const struct event_look *w)
{
    const struct event *event = w->event;
    switch (event->kind) {
    case EVENT_ATTEMPT_PLACED:
        str_addf(w->out, "on %s (%s)", or_empty(event->placed.host),
                 or_empty(event->placed.executor));
        break;
    case EVENT_HOST_STATE:
        str_addf(w->out, "host %s of %s", or_empty(event->host.host),
                 or_empty(event->host.executor));
        if (event->host.is_down)
            str_addf(w->out, " is down: %s", event->host.why ? event->host.why : "no answer");
        else if (shown_has_nodes(&event->host.nodes))
            shown_nodes(&event->host.nodes, ": ", w->out);
        else
            str_add(w->out, " is up again");
        break;
    case EVENT_CONTACT_LOST:
        str_add(w->out, "no contact with its machine; without contact, the try ends there within ");
        shown_duration(event->contact_lost.fence.mono_ms - event->at.mono_ms, w->out);
        break;
    case EVENT_CONTACT_FOUND:
        str_add(w->out, "contact with its machine is back");
        break;
    case EVENT_JOB_STATE:
        str_addf(w->out, "job %s %s", or_empty(event->job.job), job_state_name(event->job.state));
        if (event->job.node)
            str_addf(w->out, " on %s", event->job.node);
        if (event->job.reason)
            str_addf(w->out, " (%s)", event->job.reason);
        break;
    default: /* the other kinds are not about machines */
        break;
    }
}

/* Appends the text of the event, without the task and the attempt. */
static void add_event(const struct event_look *w)
{
    const struct event *event = w->event;
    switch (event->kind) {
    case EVENT_RUN_STARTED:
    case EVENT_RUN_RECOVERED:
    case EVENT_RUN_ENDED:
        add_run(w);
        break;
    case EVENT_ATTEMPT_STARTED:
        add_start(w);
        break;
    case EVENT_ATTEMPT_RUNNING:
    case EVENT_ATTEMPT_QUIET:
    case EVENT_ATTEMPT_HEARD:
    case EVENT_ATTEMPT_ENDED:
        add_progress(w);
        break;
    case EVENT_ATTEMPT_JUDGED:
        add_judgment(w);
        break;
    case EVENT_WAIT_STARTED:
        add_retry(w);
        break;
    case EVENT_WAIT_ENDED:
        if (event->wait_ended.skipped)
            str_addf(w->out, "wait skipped by %s", by_of(w));
        else
            str_add(w->out, "wait is over");
        break;
    case EVENT_STEP_ENDED:
        add_step_end(w);
        break;
    case EVENT_TASK_BLOCKED:
        str_addf(w->out, "blocked: it needs %s, which did not pass",
                 task_id(w, event->blocked.needs));
        break;
    case EVENT_TASK_RELEASED:
        if (event->by)
            str_addf(w->out, "released by %s", by_of(w));
        else
            str_add(w->out, "continues: the task that it followed got through");
        break;
    case EVENT_CONTROL_ANSWERED:
    case EVENT_CANCEL_ASKED:
    case EVENT_CLASS_CORRECTED:
    case EVENT_HINT_GIVEN:
    case EVENT_STEP_REOPENED:
    case EVENT_TASK_HELD:
        add_request(w);
        break;
    case EVENT_TASK_ADDED:
        add_new_task(w);
        break;
    case EVENT_NOTE:
        str_add(w->out, or_empty(event->note.note));
        break;
    case EVENT_DAY_COST:
        str_add(w->out, "used by all runs today: ");
        agent_cost_words(event->day.cost_micro, w->out);
        break;
    case EVENT_AFTER_ENDED:
        str_addf(w->out, "after %s: %s: ", plan_after_name(event->after.what),
                 or_empty(event->after.command));
        if (event->after.why)
            str_add(w->out, event->after.why);
        else
            str_addf(w->out, "exit %d", event->after.code);
        break;
    case EVENT_GATE_CLOSED:
    case EVENT_GATE_OPENED:
        add_gate(w);
        break;
    case EVENT_LOOP_SUSPECTED:
        add_loop(w);
        break;
    case EVENT_BUDGET:
        add_budget(w);
        break;
    case EVENT_ROUND_STARTED:
        add_round(w);
        break;
    case EVENT_AGENT_SESSION:
        str_addf(w->out, "%s %s session %s", or_empty(event->session.agent),
                 event->session.resumed ? "resumed" : "started", or_empty(event->session.session));
        break;
    case EVENT_AGENT_USED:
        str_add(w->out, "used ");
        shown_used(&event->used.used, w->out);
        break;
    case EVENT_AGENT_CALL:
        add_agent_call(w);
        break;
    case EVENT_WORKSPACE_MADE:
        add_workspace(w);
        break;
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        add_tree(w);
        break;
    case EVENT_WORKSPACE_CHANGED:
        add_changes(w);
        break;
    case EVENT_RESULT_KEPT:
        if (event->kept.is_folder) {
            str_addf(w->out, "result kept: tree at %s", or_empty(event->kept.path));
            break;
        }
        str_addf(w->out, "result kept: branch %s", or_empty(event->kept.branch));
        if (*or_empty(event->kept.commit) != '\0')
            str_addf(w->out, " at %.*s", COMMIT_SHOWN, event->kept.commit);
        break;
    case EVENT_SANDBOX_LACKS:
        add_lacking_keys(w);
        break;
    case EVENT_TIME_STOPPED:
        str_add(w->out, "devs was suspended for ");
        add_time(w->out, event->stopped.ms);
        str_add(w->out, ", not counted by timeouts");
        break;
    case EVENT_ATTEMPT_PLACED:
    case EVENT_HOST_STATE:
    case EVENT_CONTACT_LOST:
    case EVENT_CONTACT_FOUND:
    case EVENT_JOB_STATE:
        add_machine(w);
        break;
    case EVENT_SECRETS_CUT:
        add_cut_secrets(w);
        break;
    case EVENT_NONE:
    case EVENT_KIND_COUNT:
        break;
    }
}

/* Appends "tax try 2/3 GREEN ", or "tax try 2 GREEN " for failed starts and tasks with rounds.
 * Appends only the task for events that are not about an attempt, and nothing for events of the
 * run. */
static void add_subject(const struct event_look *w)
{
    const struct event *event = w->event;
    if (event->task < 0)
        return;
    str_add(w->out, w->state->plan->tasks[event->task].id);
    str_add_char(w->out, ' ');
    if (!w->step || !w->attempt || event->kind == EVENT_STEP_REOPENED ||
        event->kind == EVENT_ROUND_STARTED || event->kind == EVENT_HINT_GIVEN)
        return;
    str_add(w->out, "try ");
    /* An attempt that never started has no total, because it uses up no try. With rounds, there is
     * no total either: the numbers continue, but each round allows the same number of tries
     * again. */
    const struct task_agent *agent = w->state->tasks[event->task].agent;
    const bool has_rounds = agent && agent->rounds > 1;
    const bool has_ended = w->attempt->ended.at_ms != 0;
    const bool has_started =
        has_ended ? w->attempt->outcome.kind != OUTCOME_NOT_STARTED : w->step->start_failures == 0;
    const struct try_count count =
        has_started && !has_rounds
            ? run_state_try_count(w->state, event->task, event->step, event->attempt)
            : (struct try_count){.number = event->attempt};
    shown_try_count(&count, "/", w->out);
    str_add_char(w->out, ' ');
    str_add(w->out, phase_name(w->plan->phase));
    str_add_char(w->out, ' ');
}

static void write_words(const struct run_state *state, const struct event *event, bool with_subject,
                        struct str *out)
{
    if (!event_kind_is_known(event->kind)) {
        str_addf(out, "?%s", or_empty(event->unknown.kind));
        return;
    }
    struct event_look w = event_look_up(state, event, out);
    if (with_subject)
        add_subject(&w);
    if (event_look_is_there(&w))
        add_event(&w);
}

void event_words(const struct run_state *state, const struct event *event, struct str *out)
{
    write_words(state, event, true, out);
}

void event_words_alone(const struct run_state *state, const struct event *event, struct str *out)
{
    write_words(state, event, false, out);
}

bool event_details(const struct run_state *state, const struct event *event, struct str *out)
{
    struct event_look w = event_look_up(state, event, out);
    if (event->kind != EVENT_ATTEMPT_ENDED || !w.attempt)
        return false;
    const struct digest print = w.attempt->fingerprint;
    char hex[DIGEST_HEX_MAX];
    if (!digest_is_known(print))
        return false;
    add_subject(&w);
    digest_to_hex(print, hex);
    str_addf(out, "result %s, %d in a row", hex, w.step->same);
    if (w.attempt->new_permille >= 0)
        str_add(out, ", new ");
    shown_new(w.attempt->new_permille, out);
    return true;
}
