#include "why.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "clock.h"
#include "event_text.h"
#include "json.h"
#include "retry_log.h"
#include "shown.h"
#include "why_parts.h"
#include "xalloc.h"

static void keep_by(const char *text, char out[CONTROL_BY_MAX])
{
    struct json *json = NULL;
    if (text && !json_parse(text, strlen(text), &json, NULL, NULL))
        json = NULL;
    (void)snprintf(out, CONTROL_BY_MAX, "%s", json_text(json_get(json, "by"), "a person"));
    json_free(json);
}

/* Empty, and ready for the words. */
static struct str *decide(struct why_decided *decided, const struct event *event)
{
    decided->there = true;
    str_clear(&decided->inputs);
    str_clear(&decided->formula);
    str_add(&decided->inputs, event->text ? event->text : "");
    return &decided->formula;
}

static void keep_wait(struct why *why, const struct step_state *step, const struct event *event)
{
    why->free = event->e != 0;
    why->over = false;
    why->skipped_by[0] = '\0';
    why->delay = step_state_formulas(step)->delay;
    why->due_at_ms = event->b;
    shown_formula(step, decide(&why->wait, event));
}

static void keep_end(struct why *why, const struct plan_step *plan, const struct step_state *step,
                     const struct event *event)
{
    if (event->a == DECISION_SUCCEEDED)
        return;
    why->end = step->end;
    why->entropy = event->c != 0;
    why->captured = event->d != 0;
    shown_end(plan, step, decide(&why->stop, event));
}

static void keep_circle(struct why *why, const struct run_state *state, const struct event *event)
{
    struct json *text = NULL;
    if (event->text && !json_parse(event->text, strlen(event->text), &text, NULL, NULL))
        text = NULL;
    const bool found = shown_circles_read(text, event->step, event->attempt, &why->circle);
    const bool is_word = event->kind == EVENT_LOOP_SUSPECTED;
    const bool of_calls = is_word && event->e == EVENT_LOOP_OF_CALLS;
    const struct task_agent *agent = state->tasks[event->task].agent;
    const bool is_stuck =
        of_calls && agent && agent->calls && agent->calls->verdict.level == ENTROPY_STUCK;
    why->circle.of_calls = why->circle.of_calls || (found && of_calls);
    why->suspected = found && is_word && !is_stuck;
    json_free(text);
}

/* What it worked in, what was put back before it, what it changed: as the log has it. */
static void keep_fact(struct why *why, const struct run_state *state, const struct event *event)
{
    enum { FIRST = EVENT_WORKSPACE_MADE };
    static const char *const labels[] = {
        [EVENT_WORKSPACE_MADE - FIRST] = "workspace",
        [EVENT_WORKSPACE_SAVED - FIRST] = "workspace",
        [EVENT_WORKSPACE_RESET - FIRST] = "workspace",
        [EVENT_TREE_PROVEN - FIRST] = "proof",
        [EVENT_WORKSPACE_CHANGED - FIRST] = "workspace",
        [EVENT_RESULT_KEPT - FIRST] = "workspace",
        [EVENT_SANDBOX_LACKS - FIRST] = "lacks",
        [EVENT_TIME_STOPPED - FIRST] = "stopped",
        [EVENT_SECRETS_CUT - FIRST] = "secrets",
    };
    static_assert(ARRAY_LEN(labels) == EVENT_SECRETS_CUT - FIRST + 1, "every fact has its label");
    enum { FACTS_BYTES_MAX = 64 * 1024 }; /* a damaged log may tell them without end */
    if (why->facts_json.len > FACTS_BYTES_MAX)
        return;
    why_begin(labels[event->kind - FIRST], &why->facts);
    event_words_alone(state, event, &why->facts);
    str_add_char(&why->facts, '\n');
    str_add(&why->facts_json, why->facts_json.len > 0 ? "," : "");
    event_json(state, follower_run(why->follower)->number, event, &why->facts_json);
}

/* Events name the latest attempt of their step, facts any one; what is about another one is passed
 * by. */
static bool take_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct why *why = ctx;
    const struct attempt_pick *pick = &why->pick;
    if (event->task != pick->task || event->step != pick->step || event->attempt != pick->attempt)
        return true;
    const struct step_state *step = &state->tasks[pick->task].steps[pick->step];
    bool is_of_agent = event->kind >= EVENT_AGENT_SESSION; /* what it did is told in sums */
    if (event_kind_is_fact(event->kind) && !is_of_agent)
        keep_fact(why, state, event);
    switch (event->kind) {
    case EVENT_ATTEMPT_JUDGED:
        why->judged = step_state_verdict(step, &why->verdict) != NULL;
        break;
    case EVENT_WAIT_STARTED:
        keep_wait(why, step, event);
        break;
    case EVENT_WAIT_ENDED:
        why->over = true;
        if (event->a != 0)
            keep_by(event->text, why->skipped_by);
        break;
    case EVENT_LOOP_SUSPECTED:
        keep_circle(why, state, event);
        break;
    case EVENT_STEP_ENDED:
        if (event->a == DECISION_ENTROPY)
            keep_circle(why, state, event);
        keep_end(why, &state->plan->tasks[pick->task].steps[pick->step], step, event);
        break;
    default: /* the rest is in the fold, or says nothing of why */
        break;
    }
    return true;
}

/* What was kept when it was stopped. A capture that is not there, or cannot be read as JSON, is
 * nothing that anybody has to be told. */
static bool read_evidence(struct why *why, struct err *err)
{
    const struct attempt_pick *pick = &why->pick;
    const struct log_output_key key = {.run = follower_run(why->follower)->number,
                                       .task = pick->task,
                                       .step = pick->step,
                                       .attempt = pick->attempt};
    struct str text = {0};
    if (!why->stop.there || why->end != DECISION_ENTROPY)
        return true;
    bool ok = log_reader_capture(follower_reader(why->follower), &key, &text, err);
    if (ok && text.len > 0 && !json_parse(text.data, text.len, &why->evidence, NULL, NULL))
        why->evidence = NULL;
    str_done(&text);
    return ok;
}

/* Would it pass if it were tried again? As the newest runs say, this one among them. */
static bool read_odds(struct why *why, struct err *err)
{
    const struct run_state *state = follower_state(why->follower);
    const struct attempt_pick *pick = &why->pick;
    struct retry_case like;
    if (pick->step != run_state_step_number(state, pick->task) ||
        !retry_case_of(state, pick->task, &like) || like.number != pick->attempt + 1)
        return true;
    const struct retry_log_scope newest = {.events = RETRY_LOG_LINE};
    struct retry_help *help = xcalloc(1, sizeof(*help));
    const bool ok = retry_log_read(follower_reader(why->follower), &newest, help, err);
    why->has_odds = ok && retry_help_odds(help, &like, &why->odds);
    free(help);
    return ok;
}

bool why_read(struct follower *follower, const struct attempt_pick *pick, struct why *out,
              struct err *err)
{
    *out = (struct why){.follower = follower, .pick = *pick};
    if (!follower_seek(follower, 0, err) || !follower_read(follower, 0, take_event, out, NULL, err))
        return false;
    const struct run_state *state = follower_state(follower);
    out->orphaned = follower_is_orphaned(follower);
    out->now = state->ended                         ? state->ended_at
               : shown_counts(state, out->orphaned) ? clock_now()
                                                    : state->heard;
    return read_evidence(out, err) && read_odds(out, err);
}

void why_done(struct why *why)
{
    json_free(why->evidence);
    str_done(&why->facts);
    str_done(&why->facts_json);
    str_done(&why->wait.inputs);
    str_done(&why->wait.formula);
    str_done(&why->stop.inputs);
    str_done(&why->stop.formula);
}
