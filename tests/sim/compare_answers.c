#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
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

/* A field that has a number, and the invariant that is broken if it differs. */
struct said {
    const char *field;
    int64_t value;
    const char *rule; /* NULL: no specific one */
};

enum { SAID_MAX = 13 };

/* The part of say() about steps and their attempts. Returns the number of fields. The call is
 * checked by the onlooker. */
static int say_of_attempt(const struct event *event, struct said said[SAID_MAX])
{
    int count = 0;
#define SAY(name, number, broken)                                                                  \
    said[count++] = (struct said)                                                                  \
    {                                                                                              \
        name, number, broken                                                                       \
    }
    static const char formula[] = "the delay is the formula's";
    static const char clocks[] = "due on both clocks";
    const struct event_end *end = &event->ended;
    switch (event->kind) {
    case EVENT_ATTEMPT_STARTED:
        SAY("start", event->started.start, "starts are counted for themselves");
        break;
    case EVENT_ATTEMPT_RUNNING:
        SAY("pid", event->running.pid, NULL);
        SAY("pid_start", event->running.pid_start, NULL);
        break;
    case EVENT_ATTEMPT_QUIET:
        SAY("quiet_ms", event->quiet.quiet_ms, NULL);
        break;
    case EVENT_ATTEMPT_ENDED:
        SAY("outcome", end->outcome.kind, NULL);
        SAY("code", end->outcome.code, NULL);
        SAY("ran_ms", end->outcome.ran_ms, NULL);
        SAY("out_bytes", end->outcome.bytes[0], NULL);
        SAY("err_bytes", end->outcome.bytes[1], NULL);
        SAY("out_lines", end->outcome.lines[0], NULL);
        SAY("err_lines", end->outcome.lines[1], NULL);
        SAY("stop", end->outcome.stop, NULL);
        SAY("fingerprint", (int64_t)end->fingerprint.hi, NULL);
        SAY("fingerprint, low half", (int64_t)end->fingerprint.lo, NULL);
        SAY("new_permille", end->new_permille, NULL);
        SAY("a step of a trajectory", end->has_loop, NULL);
        SAY("fails", end->fails, NULL);
        break;
    case EVENT_ATTEMPT_JUDGED:
        SAY("class", event->judged.label.class, "an expectation turns the verdict round");
        SAY("type", event->judged.label.type, NULL);
        SAY("reason", event->judged.label.reason, NULL);
        break;
    case EVENT_WAIT_STARTED:
        SAY("delay_ms", event->wait.delay.delay_ms, formula);
        SAY("exact_ms", event->wait.delay.exact_ms, formula);
        SAY("n", event->wait.delay.retry_number, formula);
        SAY("hint_ms", event->wait.delay.hint_ms, formula);
        SAY("due_at_ms", event->wait.due.at_ms, clocks);
        SAY("due_mono_ms", event->wait.due.mono_ms, clocks);
        SAY("free", event->wait.is_free, "the first two waits on a hint are free");
        break;
    case EVENT_WAIT_ENDED:
        SAY("skipped", event->wait_ended.skipped, NULL);
        break;
    case EVENT_STEP_ENDED:
        SAY("decision", event->step_ended.decision, "the decision is the table's");
        SAY("attempts", event->step_ended.attempts, "attempts used");
        SAY("entropy", event->step_ended.entropy, "entropy counts what used up its chances");
        SAY("capture", event->step_ended.capture, "evidence is kept");
        break;
    case EVENT_STEP_REOPENED:
        SAY("new_grant", event->reopened.grant, "grants go up by one");
        SAY("allowed", event->reopened.allowed, "a grant has the policy's attempts");
        SAY("scale", event->reopened.scale, "to go on doubles the thresholds");
        break;
    case EVENT_CLASS_CORRECTED:
        SAY("class", event->corrected.class, NULL);
        SAY("type", event->corrected.type, NULL);
        SAY("reason", event->corrected.reason, NULL);
        break;
    default: /* the run, its tasks and gates: say_of_run() */
        break;
    }
    return count;
}

static int say_of_run(const struct event *event, struct said said[SAID_MAX])
{
    int count = 0;
    switch (event->kind) {
    case EVENT_RUN_STARTED:
        SAY("jobs", event->run_started.jobs, NULL);
        break;
    case EVENT_RUN_ENDED:
        SAY("exit_code", event->run_ended.exit_code, "the exit code of the run");
        break;
    case EVENT_RUN_RECOVERED:
        SAY("rebooted", event->recovered.rebooted, NULL);
        SAY("jobs", event->recovered.jobs, NULL);
        SAY("again", event->recovered.take_up, NULL);
        break;
    case EVENT_TASK_BLOCKED:
        SAY("needs", event->blocked.needs, NULL);
        break;
    case EVENT_TASK_HELD:
        SAY("follows", event->held.follows, NULL);
        break;
    case EVENT_TASK_RELEASED:
        SAY("due_at_ms", event->released.due.at_ms, NULL);
        SAY("due_mono_ms", event->released.due.mono_ms, NULL);
        break;
    case EVENT_CANCEL_ASKED:
        SAY("mode", event->cancel.mode, NULL);
        break;
    case EVENT_CONTROL_ANSWERED:
        SAY("control", event->answered.control, NULL);
        SAY("done", event->answered.done, "controls are done or refused");
        SAY("verb", event->answered.verb, NULL);
        break;
    case EVENT_GATE_CLOSED:
        SAY("source", event->gate_closed.source, NULL);
        SAY("due_at_ms", event->gate_closed.due.at_ms, NULL);
        SAY("due_mono_ms", event->gate_closed.due.mono_ms,
            "a gate is closed as long as the limit says");
        SAY("limits", event->gate_closed.limits, NULL);
        SAY("chosen", event->gate_closed.chosen, NULL);
        break;
    case EVENT_GATE_OPENED:
        SAY("source", event->gate_opened.source, NULL);
        SAY("waiting", event->gate_opened.waiting, NULL);
        SAY("spacing_ms", event->gate_opened.spacing_ms, NULL);
        break;
    case EVENT_LOOP_SUSPECTED:
        SAY("rung", event->loop.facts.rung, NULL);
        SAY("first", event->loop.facts.first, NULL);
        SAY("last", event->loop.facts.last, NULL);
        SAY("count", event->loop.facts.count, NULL);
        SAY("of_calls", event->loop.of_calls, NULL);
        break;
    case EVENT_BUDGET:
        SAY("budget", event->budget.kind, NULL);
        SAY("used", event->budget.used, NULL);
        SAY("limit", event->budget.limit, NULL);
        SAY("spent", event->budget.is_spent, NULL);
        break;
    case EVENT_ROUND_STARTED:
        SAY("new_round", event->round_started.round, NULL);
        SAY("from_step", event->round_started.from_step, NULL);
        SAY("failed_step", event->round_started.failed_step, NULL);
        SAY("failed_attempt", event->round_started.failed_attempt, NULL);
        break;
    default: /* steps and attempts: say_of_attempt(); facts are compared as a whole */
        break;
    }
#undef SAY
    return count;
}

/* Lists the fields of the event that have a number. Returns how many there are. */
static int say(const struct event *event, struct said said[SAID_MAX])
{
    const int count = say_of_attempt(event, said);
    return count > 0 ? count : say_of_run(event, said);
}

static bool check_numbers(struct finding *finding, const struct event *want,
                          const struct event *have)
{
    struct said wants[SAID_MAX];
    struct said haves[SAID_MAX];
    const int count = say(want, wants);
    (void)say(have, haves);
    for (int i = 0; i < count; i++) {
        const char *rule = wants[i].rule ? wants[i].rule : "events say what happened";
        if (!finding_check(finding, wants[i].value == haves[i].value, rule,
                           "%s of %s (t%d, try %d): %" PRId64 ", should be %" PRId64,
                           wants[i].field, kind_of(have), have->task, have->attempt, haves[i].value,
                           wants[i].value))
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
        bool said;      /* otherwise, and if it is `missing`, it is left out */
        double missing; /* its default */
    } rows[] = {
        {"retry_number", formula->n, waits, 0},
        {"base_ms", (double)policy->base_ms, waits, 0},
        {"multiplier", policy->multiplier, waits, 1},
        {"cap_ms", (double)policy->cap_ms, waits, 0},
        {"jitter", policy->fraction, waits, 0},
        {"factor", formula->factor, waits, 1},
        {"hint_ms", (double)formula->hint_ms, waits, -1},
        {"used", formula->used, true, 0},
        {"allowed", formula->allowed, true, 0},
        {"same", formula->same, policy->window > 0 || policy->same_stops > 0, 0},
        {"window", policy->window * formula->scale, policy->window > 0, 0},
        {"same_stops", policy->same_stops * formula->scale, policy->same_stops > 0, 0},
        {"count", formula->circling ? formula->circling->count : 0, formula->circling != NULL, 0},
        {"free_hints", formula->free_hints, formula->hinted, 0},
        {"hint_cap_ms", (double)policy->hint_cap_ms, formula->hinted, -1},
        {"deadline_ms", (double)policy->deadline_ms, policy->deadline_ms > 0, 0},
        {"since_start_ms", (double)formula->since_start_ms, policy->deadline_ms > 0, 0},
        {"held_ms", (double)formula->held_ms, formula->held_ms > 0, 0},
        {"interrupted", formula->interrupted, formula->interrupted > 0, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double have = json_number(json_get(text, rows[i].key), rows[i].missing);
        bool holds = have == (rows[i].said ? rows[i].want : rows[i].missing);
        if (!finding_check(finding, holds, "a decision records its formula's inputs",
                           "%s of %s: %.17g, should be %.17g", rows[i].key,
                           event_kind_name(want->event.kind), have, rows[i].want))
            return false;
    }
    const bool is_full = json_bool(json_get(text, "full_jitter"), false);
    const bool wants_full = waits && policy->jitter == PLOT_JITTER_FULL;
    if (!finding_check(finding, is_full == wants_full, "a decision records its formula's inputs",
                       "full jitter %d, should be %d", is_full, wants_full))
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
                          const struct event *judged)
{
    struct verdict have;
    verdict_from_record(&judged->judged, &have);
    return finding_check(finding,
                         have.retry_after_ms == want->hint_ms && have.ask == want->ask &&
                             have.no_retry == want->no_retry &&
                             have.expectation == want->expectation && have.rule[0] != '\0',
                         "a verdict carries its evidence",
                         "hint %" PRId64 " ask %d expectation %d rule \"%s\"", have.retry_after_ms,
                         have.ask, (int)have.expectation, have.rule);
}

/* A fact that is reported is recorded as it is, with its texts. */
static bool check_fact(struct finding *finding, const struct event *want, const struct event *have)
{
    char *told = event_object(want);
    char *kept = event_object(have);
    const bool holds = finding_check(finding, strcmp(told, kept) == 0, "a fact keeps its text",
                                     "%s: %s, should be %s", kind_of(have), kept, told);
    free(told);
    free(kept);
    return holds;
}

static bool check_text(struct finding *finding, const struct foretold *want,
                       const struct event *have)
{
    struct json *object = NULL;
    char *text = event_object(have);
    const char *by = have->by;
    const char *want_by = want->event.by;
    bool same_by = want_by ? by && strcmp(by, want_by) == 0 : !by;
    bool holds = finding_check(finding, json_parse(text, strlen(text), &object, NULL, NULL),
                               "texts of events are JSON", "%s", text);
    holds = holds && finding_check(finding, same_by, "an act says who", "%s: by %s, should be %s",
                                   kind_of(have), by ? by : "nobody", want_by ? want_by : "nobody");
    if (holds && event_kind_is_fact(have->kind))
        holds = check_fact(finding, &want->event, have);
    if (holds && have->kind == EVENT_NOTE)
        holds = finding_check(finding, strcmp(have->note.note, want->event.note.note) == 0,
                              "a note keeps its text", "%s", have->note.note);
    if (holds && have->kind == EVENT_CONTROL_ANSWERED)
        holds = finding_check(finding, have->answered.answer && *have->answered.answer != '\0',
                              "an answer has words", "%s", kind_of(have));
    if (holds && have->kind == EVENT_ATTEMPT_JUDGED)
        holds = check_verdict(finding, &want->opinion, have);
    if (holds && want->formula.policy)
        holds = check_formula(finding, want, object);
    json_free(object);
    free(text);
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
