/* event_json.c - an event as a JSON object for programs. */
#include <stddef.h>
#include <string.h>

#include "event_look.h"
#include "event_text.h"
#include "json.h"

/* Adds the number of the retry that follows a wait, its limit, the delay and the error. */
static void json_retry(const struct run_state *state, const struct event *event, struct str *out)
{
    struct event_look w = event_look_up(state, event, out);
    if (!event_look_is_there(&w))
        return;
    const struct event_retry retry = event_look_retry(&w);
    str_json_i64(out, "retry", retry.at);
    str_json_i64(out, "retries_max", retry.max);
    str_json_i64(out, "delay_ms", event->wait.delay.delay_ms);
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

/* Adds the step ("call") and how its last attempt ended. A member that does not apply is null. */
static void json_end(const struct run_state *state, const struct event *event, struct str *out)
{
    const struct event_look w = event_look_up(state, event, out);
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

/* Adds members that the event's fields do not have: names of tasks and sources that the fields give
 * by number, the next retry, and how an attempt ended. */
static void json_named(const struct run_state *state, const struct event *event, struct str *out)
{
    const struct plan *plan = state->plan;
    int source = -1;
    switch (event->kind) {
    case EVENT_WAIT_STARTED:
        json_retry(state, event, out);
        break;
    case EVENT_STEP_ENDED:
        json_end(state, event, out);
        break;
    case EVENT_TASK_BLOCKED:
        if (event->blocked.needs >= 0 && event->blocked.needs < plan->task_count)
            str_json_text(out, "blocked_by", plan->tasks[event->blocked.needs].id);
        break;
    case EVENT_TASK_HELD:
        if (event->held.follows >= 0 && event->held.follows < plan->task_count)
            str_json_text(out, "follows", plan->tasks[event->held.follows].id);
        break;
    case EVENT_GATE_CLOSED:
        source = event->gate_closed.source;
        break;
    case EVENT_GATE_OPENED:
        source = event->gate_opened.source;
        break;
    default: /* the fields are enough */
        break;
    }
    if (source >= 0 && source < plan->source_count)
        str_json_text(out, "source", plan->sources[source]);
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
    const bool known = event_kind_is_known(event->kind);
    const bool is_named = event->kind == EVENT_UNKNOWN && event->unknown.kind;
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", run);
    str_json_i64(out, "seq", event->seq);
    str_json_i64(out, "at_ms", event->at.at_ms);
    str_json_i64(out, "mono_ms", event->at.mono_ms);
    str_json_text(out, "kind", is_named ? event->unknown.kind : event_kind_name(event->kind));
    str_json_text(out, "level", event_level_name(event_level(event)));
    json_subject(state, event, out);
    if (known)
        json_named(state, event, out);
    const size_t before = out->len;
    str_json_key(out, "data");
    if (!event->data)
        event_write(event, out);
    else if (!json_line_add(event->data, strlen(event->data), out))
        str_cut(out, before); /* not JSON: another program wrote it */
    str_json_key(out, "message");
    const size_t from = out->len;
    event_words(state, event, out);
    str_json_quote(out, from);
    str_add_char(out, '}');
}
