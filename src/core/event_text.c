#include "event_text.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "shown.h"

/* What the integers of an event are called in JSON; NULL = not used. */
static const struct {
    const char *a, *b, *c, *d, *e;
} field_names[] = {
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
    [EVENT_RUN_RECOVERED] = {"rebooted", NULL, NULL, NULL, NULL},
};
static_assert(ARRAY_LEN(field_names) == EVENT_KIND_COUNT, "every event kind has its fields");

enum event_level event_level(const struct event *event)
{
    switch (event->kind) {
    case EVENT_STEP_ENDED:
        return event->a == DECISION_SUCCEEDED || event->a == DECISION_CANCELLED ? EVENT_LEVEL_INFO
                                                                                : EVENT_LEVEL_ERROR;
    case EVENT_TASK_BLOCKED:
        return EVENT_LEVEL_ERROR;
    case EVENT_ATTEMPT_RUNNING:
    case EVENT_CONTROL_ANSWERED:
    case EVENT_ATTEMPT_HEARD:
        return EVENT_LEVEL_DEBUG;
    default: /* a kind from a newer devs is worth a line too */
        return EVENT_LEVEL_INFO;
    }
}

const char *event_level_name(enum event_level level)
{
    static const char *const names[] = {"error", "info", "debug"};
    return names[level];
}

/* An event and what it names, looked up once. */
struct words {
    const struct run_state *state;
    const struct event *event;
    const struct json *text;
    const struct plan_step *plan;        /* NULL for an event of the run */
    const struct step_state *step;       /* likewise */
    const struct attempt_state *attempt; /* NULL where there is none */
    struct str *out;
};

static void seconds(int64_t ms, struct str *out)
{
    if (ms % 1000 == 0)
        str_addf(out, "%lld s", (long long)(ms / 1000));
    else
        str_addf(out, "%.2f s", (double)ms / 1000);
}

static const char *by_of(const struct words *w)
{
    return json_text(json_get(w->text, "by"), "a person");
}

static void words_run_ended(const struct words *w)
{
    str_addf(w->out, "run ended, exit %lld:", (long long)w->event->a);
    const char *comma = "";
    for (int i = 0; i < TASK_STATUS_COUNT; i++) {
        if (w->state->counts[i] == 0)
            continue;
        str_addf(w->out, "%s %d %s", comma, w->state->counts[i],
                 task_status_name((enum task_status)i));
        comma = ",";
    }
}

static void words_attempt_started(const struct words *w)
{
    str_add(w->out, "starts:");
    enum { WORDS_ARGS_BYTES_MAX = 200 };
    size_t room = w->out->len + WORDS_ARGS_BYTES_MAX;
    for (char **arg = w->plan->argv; *arg; arg++) {
        if (w->out->len + strlen(*arg) > room) {
            str_add(w->out, " ...");
            break;
        }
        str_addf(w->out, " %s", *arg);
    }
}

static void words_attempt_ended(const struct words *w)
{
    outcome_words(&w->attempt->outcome, w->out);
    str_add(w->out, ", ran ");
    shown_duration(w->event->c, w->out);
    if (w->attempt->outcome.left > 0)
        str_addf(w->out, ", %d processes left", w->attempt->outcome.left);
}

static void words_attempt_judged(const struct words *w)
{
    const char *rule = json_text(json_get(w->text, "rule"), "");
    const char *match = json_text(json_get(w->text, "match"), "");
    enum verdict_class class = (enum verdict_class)w->event->a;
    str_add(w->out, class == VERDICT_SUCCESS ? "failed as expected" : "failed ");
    if (class != VERDICT_SUCCESS && w->step->verdict)
        str_add(w->out, shown_expectation(w->step->verdict));
    if (class == VERDICT_TRANSIENT)
        str_add(w->out, transient_type_name((enum transient_type)w->event->b));
    char word[VERDICT_WORD_MAX];
    if (class == VERDICT_PERSISTENT)
        str_add(w->out, verdict_word(w->step->verdict, &w->attempt->outcome, word));
    if (*rule)
        str_addf(w->out, " (%s)", rule);
    if (*match)
        str_addf(w->out, ": %s", match);
}

/* What went wrong, in the words of the program where a rule saw them: E4. */
static void add_error(const struct step_state *step, const struct attempt_state *attempt,
                      struct str *out)
{
    if (step->verdict && step->verdict->match[0] != '\0')
        str_add(out, step->verdict->match);
    else
        outcome_words(&attempt->outcome, out);
}

/* B6 wants this very form for what is tried again because of the world. */
static void words_wait_started(const struct words *w)
{
    const struct attempt_state *attempt = w->attempt;
    const char *id = w->state->plan->tasks[w->event->task].id;
    int64_t allowed = json_i64(json_get(w->text, "allowed"), 0);
    char word[VERDICT_WORD_MAX];
    bool transient = attempt->class == VERDICT_TRANSIENT;
    const char *reason = transient ? transient_type_name(attempt->type)
                                   : verdict_word(w->step->verdict, &attempt->outcome, word);
    str_addf(w->out, "[%s] attempt %lld/%lld for taskId=%s, reason=%s: waits ",
             transient ? "TRANSIENT RETRY" : "RETRY",
             (long long)json_i64(json_get(w->text, "n"), 1), (long long)(allowed - 1), id, reason);
    seconds(w->event->a, w->out);
    str_addf(w->out, ", then try %d; error: ", w->event->attempt + 1);
    add_error(w->step, attempt, w->out);
}

/* The last error, as far as a rule saw it. */
static void add_cause(const struct words *w)
{
    char word[VERDICT_WORD_MAX];
    const struct verdict *verdict = w->step->verdict;
    if (!verdict)
        return;
    str_addf(w->out, ", caused by %s", verdict_word(verdict, &w->attempt->outcome, word));
    if (verdict->match[0] != '\0')
        str_addf(w->out, ": %s", verdict->match);
}

static void words_step_ended(const struct words *w)
{
    enum decision_kind kind = (enum decision_kind)w->event->a;
    str_add(w->out, decision_kind_name(kind));
    if (kind == DECISION_SUCCEEDED || !w->attempt)
        return;
    str_addf(w->out, " after %lld of %d attempts in phase %s, step %s/%d: ", (long long)w->event->b,
             w->step->allowed, phase_name(w->plan->phase), w->state->plan->tasks[w->event->task].id,
             w->event->step + 1);
    if (kind == DECISION_TRANSIENT_EXHAUSTED)
        str_addf(w->out, "%s, ", transient_type_name(w->attempt->type));
    outcome_words(&w->attempt->outcome, w->out);
    if (kind == DECISION_MAX_RETRIES)
        add_cause(w);
}

static void words_control_answered(const struct words *w)
{
    str_addf(w->out, "%s asked by %s: %s%s",
             w->event->c > 0 && w->event->c < CONTROL_VERB_COUNT
                 ? control_verb_name((enum control_verb)w->event->c)
                 : "act",
             by_of(w), w->event->b ? "" : "refused: ", json_text(json_get(w->text, "answer"), ""));
}

/* The id of a task by its number, as an event holds it. */
static const char *task_id(const struct words *w, int64_t number)
{
    bool there = number >= 0 && number < w->state->plan->task_count;
    return there ? w->state->plan->tasks[number].id : "?";
}

static void words_task_blocked(const struct words *w)
{
    str_addf(w->out, "blocked: it needs %s, which did not pass", task_id(w, w->event->a));
}

static void words_task_held(const struct words *w)
{
    str_addf(w->out, "held by %s", by_of(w));
    if (w->event->a > 0)
        str_addf(w->out, " until %s is through", task_id(w, w->event->a - 1));
}

static void words_task_released(const struct words *w)
{
    if (json_get(w->text, "by"))
        str_addf(w->out, "released by %s", by_of(w));
    else
        str_add(w->out, "goes on: the one it followed is through");
}

static void words_gate(const struct words *w)
{
    const struct event *event = w->event;
    bool there = event->a >= 0 && event->a < w->state->plan->source_count;
    const char *source = there ? w->state->plan->sources[event->a] : "?";
    bool closes = event->kind == EVENT_GATE_CLOSED;
    if (!closes) {
        str_addf(w->out, "gate %s opens, %lld wait%s behind it", source, (long long)event->b,
                 event->b == 1 ? "s" : "");
        return;
    }
    if (event->e > 0)
        str_addf(w->out, "gate %s: %s is sent by %s", source, task_id(w, event->e - 1), by_of(w));
    else if (event->c <= event->at.mono_ms)
        str_addf(w->out, "gate %s: the next one in line tries", source);
    else {
        str_addf(w->out, "gate %s closed for ", source);
        seconds(event->c - event->at.mono_ms, w->out);
        if (event->d > 1)
            str_addf(w->out, ", limit %lld in a row", (long long)event->d);
    }
}

static void words_class_corrected(const struct words *w)
{
    const struct verdict_label label = {.class = (enum verdict_class)w->event->a,
                                        .type = (enum transient_type)w->event->b,
                                        .reason = (enum reason)w->event->c};
    str_addf(w->out, "is %s, says %s; the first verdict stays", verdict_label_word(&label),
             by_of(w));
}

static void words_of_kind(const struct words *w)
{
    const struct event *event = w->event;
    switch (event->kind) {
    case EVENT_RUN_STARTED:
        str_addf(w->out, "run started by %s: %d task%s, %lld at a time", by_of(w),
                 w->state->plan->task_count, w->state->plan->task_count == 1 ? "" : "s",
                 (long long)event->a);
        break;
    case EVENT_RUN_ENDED:
        words_run_ended(w);
        break;
    case EVENT_ATTEMPT_STARTED:
        words_attempt_started(w);
        break;
    case EVENT_ATTEMPT_RUNNING:
        str_addf(w->out, "runs, pid %lld", (long long)event->a);
        break;
    case EVENT_ATTEMPT_ENDED:
        words_attempt_ended(w);
        break;
    case EVENT_ATTEMPT_JUDGED:
        words_attempt_judged(w);
        break;
    case EVENT_WAIT_STARTED:
        words_wait_started(w);
        break;
    case EVENT_WAIT_ENDED:
        if (event->a)
            str_addf(w->out, "wait skipped by %s", by_of(w));
        else
            str_add(w->out, "wait is over");
        break;
    case EVENT_STEP_ENDED:
        words_step_ended(w);
        break;
    case EVENT_STEP_REOPENED:
        str_addf(w->out, "retried by %s: %lld fresh attempts", by_of(w), (long long)event->b);
        break;
    case EVENT_TASK_BLOCKED:
        words_task_blocked(w);
        break;
    case EVENT_TASK_HELD:
        words_task_held(w);
        break;
    case EVENT_TASK_RELEASED:
        words_task_released(w);
        break;
    case EVENT_CANCEL_ASKED:
        str_addf(w->out, "cancel (%s) asked by %s", cancel_mode_name((enum cancel_mode)event->a),
                 by_of(w));
        break;
    case EVENT_CONTROL_ANSWERED:
        words_control_answered(w);
        break;
    case EVENT_ATTEMPT_QUIET:
        str_add(w->out, "no output for ");
        shown_duration(event->a, w->out);
        break;
    case EVENT_ATTEMPT_HEARD:
        str_add(w->out, "output again");
        break;
    case EVENT_NOTE:
        str_add(w->out, json_text(json_get(w->text, "note"), ""));
        break;
    case EVENT_GATE_CLOSED:
    case EVENT_GATE_OPENED:
        words_gate(w);
        break;
    case EVENT_CLASS_CORRECTED:
        words_class_corrected(w);
        break;
    case EVENT_RUN_RECOVERED:
        str_addf(w->out, "run taken up again by %s%s", by_of(w),
                 event->a != 0 ? ", after a reboot" : "");
        break;
    case EVENT_NONE:
    case EVENT_KIND_COUNT:
        break;
    }
}

/* "tax try 2/3 GREEN " */
static void add_subject(const struct words *w)
{
    const struct event *event = w->event;
    if (event->task < 0)
        return;
    str_addf(w->out, "%s ", w->state->plan->tasks[event->task].id);
    if (!w->step || !w->attempt || event->kind == EVENT_STEP_REOPENED)
        return;
    int tries = run_state_step_tries(w->state, event->task, event->step);
    str_addf(w->out, "try %d/%d %s ", event->attempt, tries, phase_name(w->plan->phase));
}

static struct words look_up(const struct run_state *state, const struct event *event,
                            const struct json *text, struct str *out)
{
    struct words w = {.state = state, .event = event, .text = text, .out = out};
    if (event->task < 0 || event->task >= state->plan->task_count)
        return w;
    const struct plan_task *plan = &state->plan->tasks[event->task];
    if (event->step < 0 || event->step >= plan->step_count)
        return w;
    w.plan = &plan->steps[event->step];
    w.step = &state->tasks[event->task].steps[event->step];
    w.attempt = step_state_find_attempt(w.step, event->attempt);
    return w;
}

static bool event_is_before_verdict(const struct event *event)
{
    return event->kind == EVENT_ATTEMPT_STARTED || event->kind == EVENT_ATTEMPT_ENDED;
}

static bool names_what_is_there(const struct words *w)
{
    switch (w->event->kind) {
    case EVENT_ATTEMPT_STARTED:
    case EVENT_ATTEMPT_ENDED:
    case EVENT_ATTEMPT_JUDGED:
    case EVENT_WAIT_STARTED:
        return w->attempt && (w->step->verdict || event_is_before_verdict(w->event));
    case EVENT_STEP_ENDED:
        return w->step != NULL;
    default: /* the rest needs no attempt */
        return true;
    }
}

void event_words(const struct run_state *state, const struct event *event, struct str *out)
{
    if (!event_kind_is_known((int64_t)event->kind)) {
        str_addf(out, "?%d", (int)event->kind);
        return;
    }
    struct json *text = NULL;
    if (event->text && !json_parse(event->text, strlen(event->text), &text, NULL, NULL))
        text = NULL; /* a line without its details is better than none */
    struct words w = look_up(state, event, text, out);
    add_subject(&w);
    if (names_what_is_there(&w))
        words_of_kind(&w);
    json_free(text);
}

bool event_details(const struct run_state *state, const struct event *event, struct str *out)
{
    struct words w = look_up(state, event, NULL, out);
    if (event->kind != EVENT_ATTEMPT_ENDED || !w.attempt)
        return false;
    const struct digest print = w.attempt->fingerprint;
    if (print.hi == 0 && print.lo == 0)
        return false;
    add_subject(&w);
    str_addf(out, "result %016llx%016llx, %d equal in a row", (unsigned long long)print.hi,
             (unsigned long long)print.lo, w.step->same);
    return true;
}

static void json_field(struct str *out, const char *name, int64_t value)
{
    if (name)
        str_json_i64(out, name, value);
}

/* Which retry a wait comes before, of how many, and why. */
static void json_retry(const struct run_state *state, const struct event *event, struct str *out)
{
    struct json *text = NULL;
    if (!event->text || !json_parse(event->text, strlen(event->text), &text, NULL, NULL))
        return;
    struct words w = look_up(state, event, text, out);
    if (names_what_is_there(&w)) {
        struct str error = {0};
        add_error(w.step, w.attempt, &error);
        str_json_i64(out, "retry", json_i64(json_get(text, "n"), 1));
        str_json_i64(out, "retries_max", json_i64(json_get(text, "allowed"), 0) - 1);
        str_json_text(out, "error", str_text(&error));
        str_done(&error);
    }
    json_free(text);
}

/* The integers that stand for words. */
static void json_named(const struct run_state *state, const struct event *event, struct str *out)
{
    switch (event->kind) {
    case EVENT_ATTEMPT_STARTED: {
        char hex[33];
        (void)snprintf(hex, sizeof(hex), "%016llx%016llx", (unsigned long long)event->a,
                       (unsigned long long)event->b);
        str_json_text(out, "call", hex);
        break;
    }
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
    case EVENT_CANCEL_ASKED:
        str_json_text(out, "mode", cancel_mode_name((enum cancel_mode)event->a));
        break;
    default: /* nothing but plain numbers */
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
        json_field(out, field_names[event->kind].a, event->a);
        json_field(out, field_names[event->kind].b, event->b);
        json_field(out, field_names[event->kind].c, event->c);
        json_field(out, field_names[event->kind].d, event->d);
        json_field(out, field_names[event->kind].e, event->e);
    }
    if (event->text) {
        str_json_key(out, "data");
        str_add(out, event->text);
    }
    struct str message = {0};
    event_words(state, event, &message);
    str_json_text(out, "message", str_text(&message));
    str_done(&message);
    str_add_char(out, '}');
}
