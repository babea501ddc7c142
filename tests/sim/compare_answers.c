#include <inttypes.h>
#include <string.h>

#include "comparison.h"
#include "facts.h"
#include "json.h"

/* Returns the invariant that is broken if the next event is not of the predicted kind. */
static const char *name_of(const struct foretold *want, const struct event *have)
{
    if (have && have->kind == EVENT_ATTEMPT_STARTED)
        return "nothing starts that may not, nor out of turn";
    if (!want)
        return "nothing happens without a cause";
    switch (want->event.kind) {
    case EVENT_ATTEMPT_STARTED:
        return "no slot is idle while something may start";
    case EVENT_WAIT_STARTED:
    case EVENT_STEP_ENDED:
        return "the decision is the table's";
    case EVENT_WAIT_ENDED:
        return "a wait ends when it is due";
    case EVENT_LOOP_SUSPECTED:
        return "what may be looping is told once";
    case EVENT_RUN_ENDED:
        return "a run ends when nothing can go on";
    case EVENT_CONTROL_ANSWERED:
        return "each control is answered once";
    case EVENT_TASK_BLOCKED:
        return "what cannot go on is blocked";
    case EVENT_GATE_CLOSED:
    case EVENT_GATE_OPENED:
        return "gates close and open";
    default: /* no specific rule */
        return "events are as foretold";
    }
}

static const char *kind_of(const struct event *event)
{
    return event ? event_kind_name(event->kind) : "nothing";
}

static bool check_place(struct finding *finding, const struct event *want, const struct event *have)
{
    const struct {
        const char *what;
        int64_t want, have;
    } rows[] = {
        {"seq", want->seq, have->seq},
        {"wall clock", want->at.at_ms, have->at.at_ms},
        {"mono clock", want->at.mono_ms, have->at.mono_ms},
        {"task", want->task, have->task},
        {"step", want->step, have->step},
        {"round", want->round, have->round},
        {"grant", want->grant, have->grant},
        {"attempt", want->attempt, have->attempt},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!finding_check(finding, rows[i].want == rows[i].have, "events name what they are about",
                           "%s of %s: %" PRId64 ", should be %" PRId64, rows[i].what, kind_of(have),
                           rows[i].have, rows[i].want))
            return false;
    }
    return true;
}

/* Invariants about one of the fields a to e. */
static const struct {
    enum event_kind kind;
    char field;
    const char *name;
} fields[] = {
    {EVENT_ATTEMPT_STARTED, 'c', "starts are counted for themselves"},
    {EVENT_ATTEMPT_JUDGED, 'a', "an expectation turns the verdict round"},
    {EVENT_WAIT_STARTED, 'a', "the delay is the formula's"},
    {EVENT_WAIT_STARTED, 'd', "the delay is the formula's"},
    {EVENT_WAIT_STARTED, 'b', "due on both clocks"},
    {EVENT_WAIT_STARTED, 'c', "due on both clocks"},
    {EVENT_WAIT_STARTED, 'e', "the first two waits on a hint are free"},
    {EVENT_STEP_ENDED, 'a', "the decision is the table's"},
    {EVENT_STEP_ENDED, 'b', "attempts used"},
    {EVENT_STEP_ENDED, 'c', "entropy counts what used up its chances"},
    {EVENT_STEP_ENDED, 'd', "evidence is kept"},
    {EVENT_STEP_REOPENED, 'a', "grants go up by one"},
    {EVENT_STEP_REOPENED, 'b', "a grant has the policy's attempts"},
    {EVENT_STEP_REOPENED, 'c', "to go on doubles the thresholds"},
    {EVENT_CONTROL_ANSWERED, 'b', "controls are done or refused"},
    {EVENT_RUN_ENDED, 'a', "the exit code of the run"},
    {EVENT_GATE_CLOSED, 'c', "a gate is closed as long as the limit says"},
};

static bool check_numbers(struct finding *finding, const struct event *want,
                          const struct event *have)
{
    const int64_t wants[] = {want->a, want->b, want->c, want->d, want->e};
    const int64_t haves[] = {have->a, have->b, have->c, have->d, have->e};
    for (size_t i = 0; i < 5; i++) {
        bool is_call = want->kind == EVENT_ATTEMPT_STARTED && i < 2; /* checked by the onlooker */
        char field = (char)('a' + i);
        const char *name = "events say what happened";
        for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
            if (fields[k].kind == want->kind && fields[k].field == field)
                name = fields[k].name;
        }
        if (!finding_check(finding, is_call || wants[i] == haves[i], name,
                           "%c of %s (t%d, try %d): %" PRId64 ", should be %" PRId64, field,
                           kind_of(have), have->task, have->attempt, haves[i], wants[i]))
            return false;
    }
    return true;
}

static bool check_formula(struct finding *finding, const struct foretold *want,
                          const struct json *text)
{
    const struct formula *formula = &want->formula;
    bool waits = want->event.kind == EVENT_WAIT_STARTED;
    const struct plot_policy *policy = formula->policy;
    const struct {
        const char *key;
        double want;
        bool said; /* otherwise it is left out */
    } rows[] = {
        {"n", formula->n, waits},
        {"base", (double)policy->base_ms, waits},
        {"multiplier", policy->multiplier, waits},
        {"cap", (double)policy->cap_ms, waits},
        {"jitter", policy->fraction, waits},
        {"factor", formula->factor, waits},
        {"hint", (double)formula->hint_ms, waits},
        {"used", formula->used, true},
        {"allowed", formula->allowed, true},
        {"same", formula->same, policy->window > 0 || policy->same_stops > 0},
        {"window", policy->window * formula->scale, policy->window > 0},
        {"same_stops", policy->same_stops * formula->scale, policy->same_stops > 0},
        {"count", formula->circling ? formula->circling->count : 0, formula->circling != NULL},
        {"free_hints", formula->free_hints, formula->hinted},
        {"hint_cap", (double)policy->hint_cap_ms, formula->hinted},
        {"deadline", (double)policy->deadline_ms, policy->deadline_ms > 0},
        {"since_start", (double)formula->since_start_ms, policy->deadline_ms > 0},
        {"held", (double)formula->held_ms, formula->held_ms > 0},
        {"interrupted", formula->interrupted, formula->interrupted > 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double none = -12345;
        double have = json_number(json_get(text, rows[i].key), none);
        bool holds = have == (rows[i].said ? rows[i].want : none);
        if (!finding_check(finding, holds, "a decision records its formula's inputs",
                           "%s of %s: %.17g, should be %.17g", rows[i].key,
                           event_kind_name(want->event.kind), have, rows[i].want))
            return false;
    }
    const char *kind = json_text(json_get(text, "kind"), "");
    const char *want_kind = waits && policy->jitter == PLOT_JITTER_FULL ? "full" : "";
    if (!finding_check(finding, strcmp(kind, want_kind) == 0,
                       "a decision records its formula's inputs", "kind \"%s\", should be \"%s\"",
                       kind, want_kind))
        return false;
    const char *rung = json_text(json_get(text, "rung"), "");
    const char *want_rung = formula->circling ? entropy_rung_name(formula->circling->rung) : "";
    if (!finding_check(finding, strcmp(rung, want_rung) == 0, "an end names its rung",
                       "rung \"%s\", should be \"%s\"", rung, want_rung))
        return false;
    const char *name = json_text(json_get(text, "policy"), "");
    return finding_check(finding, strcmp(name, policy->name) == 0,
                         "a decision records its formula's inputs", "policy %s, should be %s", name,
                         policy->name);
}

/* Checks that the evidence, when read back, matches the decision. */
static bool check_verdict(struct finding *finding, const struct opinion *want,
                          const struct json *text)
{
    struct verdict have = verdict_new();
    verdict_from_json(text, &have);
    return finding_check(finding,
                         have.retry_after_ms == want->hint_ms && have.ask == want->ask &&
                             have.no_retry == want->no_retry &&
                             have.expectation == want->expectation && have.rule[0] != '\0',
                         "a verdict carries its evidence",
                         "hint %" PRId64 " ask %d expectation %d rule \"%s\"", have.retry_after_ms,
                         have.ask, (int)have.expectation, have.rule);
}

static bool check_text(struct finding *finding, const struct foretold *want,
                       const struct event *have)
{
    struct json *text = NULL;
    bool empty = have->text && strcmp(have->text, "{}") == 0;
    bool parsed = !have->text || json_parse(have->text, strlen(have->text), &text, NULL, NULL);
    const char *by = json_text(json_get(text, "by"), NULL);
    bool same_by = want->by ? by && strcmp(by, want->by) == 0 : !by;
    bool holds =
        finding_check(finding, parsed && !empty, "texts of events are JSON", "%s", have->text);
    holds =
        holds && finding_check(finding, same_by, "an act says who", "%s: by %s, should be %s",
                               kind_of(have), by ? by : "nobody", want->by ? want->by : "nobody");
    if (holds && event_kind_is_fact(have->kind)) {
        const char *told = want->text ? want->text : facts_text(have->kind);
        holds = finding_check(finding, strcmp(told ? told : "", have->text ? have->text : "") == 0,
                              "a fact keeps its text", "%s", kind_of(have));
    }
    if (holds && want->event.kind == EVENT_CONTROL_ANSWERED)
        holds = finding_check(finding, *json_text(json_get(text, "answer"), "") != '\0',
                              "an answer has words", "%s", kind_of(have));
    if (holds && want->event.kind == EVENT_ATTEMPT_JUDGED)
        holds = check_verdict(finding, &want->opinion, text);
    if (holds && want->formula.policy)
        holds = check_formula(finding, want, text);
    json_free(text);
    return holds;
}

static bool check_event(struct finding *finding, const struct foretold *want,
                        const struct event *have)
{
    if (!want || !have || want->event.kind != have->kind || want->event.task != have->task)
        return finding_check(finding, false, name_of(want, have),
                             "%s of t%d where %s of t%d was due", kind_of(have),
                             have ? have->task : -1, want ? kind_of(&want->event) : "nothing",
                             want ? want->event.task : -1);
    return check_place(finding, &want->event, have) && check_numbers(finding, &want->event, have) &&
           check_text(finding, want, have);
}

static bool check_actions(struct finding *finding, const struct oracle *oracle,
                          const struct turn *turn)
{
    bool same = turn->action_count == (size_t)oracle->action_count;
    for (int i = 0; same && i < oracle->action_count; i++) {
        const struct action *want = &oracle->actions[i];
        const struct action *have = &turn->actions[i];
        same = want->kind == have->kind && want->task == have->task && want->step == have->step &&
               want->attempt == have->attempt && want->mode == have->mode;
    }
    return finding_check(finding, same, "what is to be done is done",
                         "%zu actions that are not the %d foretold", turn->action_count,
                         oracle->action_count);
}

bool compare_answers(struct finding *finding, const struct oracle *oracle, const struct turn *turn,
                     size_t count, bool whole)
{
    for (size_t i = 0; i < count; i++) {
        bool foretold = i < (size_t)oracle->count;
        if (!check_event(finding, foretold ? &oracle->list[i] : NULL, &turn->events[i]))
            return false;
    }
    if (!whole)
        return true;
    if (count < (size_t)oracle->count)
        return check_event(finding, &oracle->list[count], NULL);
    return check_actions(finding, oracle, turn);
}
