/* event_json.c - an event as a JSON object for programs. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "event_look.h"
#include "event_text.h"
#include "json.h"

enum { FIELDS = 5 };

/* The JSON names of an event's integers a to e; NULL = unused. */
static const char *const field_names[][FIELDS] = {
    [EVENT_NONE] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_RUN_STARTED] = {"jobs", NULL, NULL, NULL, NULL},
    [EVENT_RUN_ENDED] = {"exit_code", NULL, NULL, NULL, NULL},
    [EVENT_ATTEMPT_STARTED] = {NULL, NULL, "start", NULL, NULL},
    [EVENT_ATTEMPT_RUNNING] = {"pid", "pid_start", NULL, NULL, NULL},
    [EVENT_ATTEMPT_ENDED] = {NULL, "code", "ran_ms", "out_bytes", "err_bytes"},
    [EVENT_ATTEMPT_JUDGED] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_WAIT_STARTED] = {"delay_ms", "due_at_ms", "due_mono_ms", "exact_ms", "free"},
    [EVENT_WAIT_ENDED] = {"by_hand", NULL, NULL, NULL, NULL},
    [EVENT_STEP_ENDED] = {NULL, "attempts", "entropy", "capture", NULL},
    [EVENT_STEP_REOPENED] = {"new_grant", "allowed", NULL, NULL, NULL},
    [EVENT_TASK_BLOCKED] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_TASK_HELD] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_TASK_RELEASED] = {"due_at_ms", "due_mono_ms", NULL, NULL, NULL},
    [EVENT_CANCEL_ASKED] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_CONTROL_ANSWERED] = {"control", "done", NULL, NULL, NULL},
    [EVENT_ATTEMPT_QUIET] = {"quiet_ms", NULL, NULL, NULL, NULL},
    [EVENT_ATTEMPT_HEARD] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_NOTE] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_GATE_CLOSED] = {NULL, "due_at_ms", "due_mono_ms", "limits", NULL},
    [EVENT_GATE_OPENED] = {NULL, "waiting", "spacing_ms", NULL, NULL},
    [EVENT_CLASS_CORRECTED] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_RUN_RECOVERED] = {"rebooted", "new_jobs", NULL, NULL, NULL},
    [EVENT_LOOP_SUSPECTED] = {NULL, "first_attempt", "last_attempt", "count", NULL},
    [EVENT_WORKSPACE_MADE] = {NULL, "ms", NULL, NULL, NULL},
    [EVENT_WORKSPACE_SAVED] = {NULL, NULL, "files", "bytes", "ms"},
    [EVENT_WORKSPACE_RESET] = {NULL, NULL, "paths", "bytes", "ms"},
    [EVENT_TREE_PROVEN] = {NULL, NULL, "files", "bytes", "ms"},
    [EVENT_WORKSPACE_CHANGED] = {"paths", "added", "removed", "partial", "ms"},
    [EVENT_RESULT_KEPT] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_SANDBOX_LACKS] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_TIME_STOPPED] = {"ms", NULL, NULL, NULL, NULL},
    [EVENT_SECRETS_CUT] = {"cut", NULL, NULL, NULL, NULL},
    [EVENT_AGENT_SESSION] = {NULL, NULL, NULL, NULL, NULL},
    [EVENT_AGENT_USED] = {"turns", "calls", "cost_micro", "tokens", "own_retries"},
    [EVENT_AGENT_CALL] = {"call", "ms", "code", "running", NULL},
    [EVENT_BUDGET] = {NULL, "used", "limit", NULL, NULL},
    [EVENT_ROUND_STARTED] = {"new_round", NULL, NULL, "failed_attempt", NULL},
    [EVENT_TASK_ADDED] = {"number", NULL, NULL, NULL, NULL},
    [EVENT_HINT_GIVEN] = {"allowed", NULL, NULL, NULL, NULL},
};
static_assert(ARRAY_LEN(field_names) == EVENT_KIND_COUNT, "every event kind has its fields");

/* Which retry follows a wait, of how many, and why. */
static void json_retry(const struct run_state *state, const struct event *event, struct str *out)
{
    struct json *tree = NULL;
    struct event_look w = event_look_up(state, event, &tree, out);
    if (!event->text || !event_look_is_there(&w))
        return;
    const struct event_retry retry = event_look_retry(&w);
    str_json_i64(out, "retry", retry.at);
    str_json_i64(out, "retries_max", retry.max);
    str_json_key(out, "error");
    const size_t from = out->len;
    event_look_error(&w, out);
    str_json_quote(out, from);
}

static void json_known(struct str *out, const char *name, int64_t value, bool is_known)
{
    if (is_known) {
        str_json_i64(out, name, value);
        return;
    }
    str_json_key(out, name);
    str_add(out, "null");
}

/* How the last attempt ended; null for a member that does not apply. */
static void json_end(const struct run_state *state, const struct event *event, struct str *out)
{
    struct json *tree = NULL;
    const struct event_look w = event_look_up(state, event, &tree, out);
    if (!w.step)
        return;
    const struct outcome *outcome = w.attempt ? &w.attempt->outcome : NULL;
    const enum outcome_kind kind = outcome ? outcome->kind : OUTCOME_KIND_COUNT;
    const bool has_type = w.attempt && w.attempt->type != TRANSIENT_NONE;
    struct str call = {0};
    str_addf(&call, "%s/%d", state->plan->tasks[event->task].id, event->step + 1);
    str_json_text(out, "call", call.data);
    json_known(out, "exit_code", outcome ? outcome->code : 0, kind == OUTCOME_EXIT);
    json_known(out, "signal", outcome ? outcome->code : 0, kind == OUTCOME_SIGNAL);
    if (has_type) {
        str_json_text(out, "type", transient_type_name(w.attempt->type));
    } else {
        str_json_key(out, "type");
        str_add(out, "null");
    }
    str_done(&call);
}

static void json_digest(const struct event *event, const char *name, struct str *out)
{
    char hex[DIGEST_HEX_MAX];
    digest_to_hex((struct digest){.hi = (uint64_t)event->a, .lo = (uint64_t)event->b}, hex);
    str_json_text(out, name, hex);
}

/* Integers that stand for names. */
static void json_named(const struct run_state *state, const struct event *event, struct str *out)
{
    switch (event->kind) {
    case EVENT_ATTEMPT_STARTED:
        json_digest(event, "call", out);
        break;
    case EVENT_ATTEMPT_ENDED:
        str_json_text(out, "outcome", outcome_kind_name((enum outcome_kind)event->a));
        break;
    case EVENT_ATTEMPT_JUDGED:
    case EVENT_CLASS_CORRECTED:
        str_json_text(out, "verdict", verdict_class_name((enum verdict_class)event->a));
        if (event->b != TRANSIENT_NONE)
            str_json_text(out, "type", transient_type_name((enum transient_type)event->b));
        if (event->c != REASON_NONE)
            str_json_text(out, "reason", reason_name((enum reason)event->c));
        break;
    case EVENT_WAIT_STARTED:
        json_retry(state, event, out);
        break;
    case EVENT_STEP_ENDED:
        str_json_text(out, "decision", decision_kind_name((enum decision_kind)event->a));
        json_end(state, event, out);
        break;
    case EVENT_TASK_BLOCKED:
        if (event->a >= 0 && event->a < state->plan->task_count)
            str_json_text(out, "blocked_by", state->plan->tasks[event->a].id);
        break;
    case EVENT_TASK_HELD:
        if (event->a > 0 && event->a <= state->plan->task_count)
            str_json_text(out, "follows", state->plan->tasks[event->a - 1].id);
        break;
    case EVENT_GATE_CLOSED:
    case EVENT_GATE_OPENED:
        if (event->a >= 0 && event->a < state->plan->source_count)
            str_json_text(out, "source", state->plan->sources[event->a]);
        break;
    case EVENT_LOOP_SUSPECTED:
        if (event->a > ENTROPY_RUNG_NONE && event->a < ENTROPY_RUNG_COUNT)
            str_json_text(out, "rung", entropy_rung_name((enum entropy_rung)event->a));
        break;
    case EVENT_BUDGET:
        if (event->a > BUDGET_NONE && event->a < BUDGET_KIND_COUNT)
            str_json_text(out, "budget", budget_kind_name((enum budget_kind)event->a));
        str_json_bool(out, "spent", event->d == EVENT_BUDGET_SPENT);
        break;
    case EVENT_ROUND_STARTED:
        str_json_i64(out, "from_step", event->b + 1);
        str_json_i64(out, "failed_step", event->c + 1);
        break;
    case EVENT_WORKSPACE_MADE:
        str_json_text(out, "workspace", workspace_kind_name((enum workspace_kind)event->a));
        break;
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        json_digest(event, "tree", out);
        break;
    case EVENT_RESULT_KEPT:
        str_json_text(out, "kept", event->a == EVENT_KEPT_BRANCH ? "branch" : "tree");
        break;
    case EVENT_RUN_RECOVERED:
        if (event->c > TAKE_UP_OPEN && event->c < TAKE_UP_COUNT)
            str_json_text(out, "take_up", take_up_name((enum take_up)event->c));
        break;
    case EVENT_CANCEL_ASKED:
        str_json_text(out, "mode", cancel_mode_name((enum cancel_mode)event->a));
        break;
    default: /* plain numbers only */
        break;
    }
}

static void json_subject(const struct run_state *state, const struct event *event, struct str *out)
{
    if (event->task < 0 || event->task >= state->plan->task_count)
        return;
    const struct plan_task *plan = &state->plan->tasks[event->task];
    str_json_text(out, "task", plan->id);
    if (event->step < 0 || event->step >= plan->step_count)
        return;
    str_json_i64(out, "step", event->step + 1);
    str_json_text(out, "phase", phase_name(plan->steps[event->step].phase));
    str_json_i64(out, "round", event->round);
    str_json_i64(out, "grant", event->grant);
    str_json_i64(out, "attempt", event->attempt);
}

void event_json(const struct run_state *state, int64_t run, const struct event *event,
                struct str *out)
{
    bool known = event_kind_is_known((int64_t)event->kind);
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", run);
    str_json_i64(out, "seq", event->seq);
    str_json_i64(out, "at_ms", event->at.at_ms);
    str_json_i64(out, "mono_ms", event->at.mono_ms);
    str_json_text(out, "kind", event_kind_name(event->kind));
    str_json_text(out, "level", event_level_name(event_level(event)));
    json_subject(state, event, out);
    if (known) {
        json_named(state, event, out);
        const int64_t values[FIELDS] = {event->a, event->b, event->c, event->d, event->e};
        for (int i = 0; i < FIELDS; i++) {
            if (field_names[event->kind][i])
                str_json_i64(out, field_names[event->kind][i], values[i]);
        }
    }
    if (event->text) {
        const size_t before = out->len;
        str_json_key(out, "data");
        if (!json_line_add(event->text, strlen(event->text), out))
            str_cut(out, before); /* not JSON: a later build wrote it */
    }
    str_json_key(out, "message");
    const size_t from = out->len;
    event_words(state, event, out);
    str_json_quote(out, from);
    str_add_char(out, '}');
}
