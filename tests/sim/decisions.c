/* decisions.c - each decision in the log follows from the facts in the log, by the rules. */
#include <inttypes.h>
#include <string.h>

#include "agents.h"
#include "json.h"
#include "onlooker.h"

static const struct circles *rung_of_attempts(const struct sight *sight)
{
    const struct circles *circles = sight->before->tasks[sight->event->task].circles;
    bool stuck = circles && circles->verdict.level == ENTROPY_STUCK &&
                 circles_is_about(circles, sight->event->step, sight->step->attempts);
    return stuck ? circles : NULL;
}

static struct facts gather(const struct sight *sight)
{
    const struct onlooker *onlooker = sight->onlooker;
    const struct onlooker_step *step = sight->step;
    const struct event *event = sight->event;
    const struct plot_task *task = &onlooker->plot->tasks[event->task];
    struct facts facts = {
        .policy = sight->policy,
        .phase = sight->plot->phase,
        .outcome = step->outcome.kind,
        .opinion = step->opinion,
        .stopping = sight->task->stopped,
        .scale = circles_scale(sight->before->tasks[event->task].circles),
        .circling = rung_of_attempts(sight) != NULL,
        .repeatable =
            sight->plot->idempotent || sight->plot->agent || task->workspace != WORKSPACE_INPLACE,
        .stop = onlooker_stop(sight, &step->outcome),
        .round = sight->task->round,
        .used = step->executed - step->free,
        .allowed = onlooker_allowance(sight),
        .free_hints = step->free_waits,
        .same = step->same,
        .interrupted = step->interrupted,
        .first_start_mono_ms = step->first_start.mono_ms,
        .held_ms = onlooker_held_ms(sight),
        .now = event->at,
        .run_seed = onlooker->plot->run_seed,
        .task = event->task,
        .step = event->step,
        .attempt = step->attempts,
    };
    if (facts.outcome == OUTCOME_NOT_STARTED) {
        facts.of_start = true;
        facts.policy = &onlooker->plot->policies[onlooker->plot->infrastructure];
        facts.used = step->start_failures;
        facts.allowed = facts.policy->attempts;
    }
    return facts;
}

/* The scheduler decides by the counters of the state: they match the log. */
static void check_counts(const struct sight *sight)
{
    const struct onlooker_step *want = sight->step;
    const struct step_state *have =
        &sight->before->tasks[sight->event->task].steps[sight->event->step];
    sight_check(
        sight,
        have->used == want->executed - want->free && have->allowed == onlooker_allowance(sight) &&
            have->start_failures == want->start_failures && have->free_hints == want->free_waits &&
            have->same == want->same && have->results_from == want->results_from &&
            have->interrupted == want->interrupted && have->held_ms == want->held_ms &&
            have->first_start.mono_ms == want->first_start.mono_ms &&
            have->silent_failure == want->silent && have->judged == want->has_verdict,
        "the counters of the state match the log");
}

/* Returns whether the agent before the step is prompted again instead. */
static bool is_round(const struct sight *sight, const struct facts *facts,
                     const struct ruling *ruling)
{
    const struct plot_task *plot = &sight->onlooker->plot->tasks[sight->event->task];
    const struct outcome *outcome = &sight->step->outcome;
    const struct opinion *opinion = &facts->opinion;
    const bool ran = outcome->kind == OUTCOME_EXIT || outcome->kind == OUTCOME_SIGNAL ||
                     (outcome->kind == OUTCOME_NOT_STARTED && outcome->code < START_CODE_FIRST);
    const bool is_final = ruling->kind == DECISION_FAILED ||
                          ruling->kind == DECISION_RETRY_EXHAUSTED ||
                          ruling->kind == DECISION_MAX_RETRIES;
    const bool mends =
        opinion->reason == REASON_CONTRACT ? !opinion->no_retry : !sight->plot->agent;
    return sight->task->round < sight->task->rounds && !sight->task->stopped &&
           agents_first_step(plot, sight->event->step) >= 0 && ran && is_final && mends &&
           opinion->class == VERDICT_PERSISTENT && !opinion->ask && opinion->hint_ms < 0;
}

static bool check_text(const struct sight *sight, const char *key, const char *have,
                       const char *want)
{
    return finding_check(sight->onlooker->finding, strcmp(have, want) == 0,
                         "a decision records its formula's inputs",
                         "event %" PRId64 ": %s \"%s\", should be \"%s\"", sight->event->seq, key,
                         have, want);
}

/* The event has exactly the inputs that its decision depends on. */
static void check_inputs(const struct sight *sight, const struct facts *facts,
                         const struct ruling *ruling)
{
    const struct event *event = sight->event;
    const struct plot_policy *policy = facts->policy;
    const bool waits = event->kind == EVENT_WAIT_STARTED;
    const bool hinted = facts->opinion.hint_ms >= 0;
    const struct task_agent *agent = sight->before->tasks[event->task].agent;
    const struct circles *circles = NULL;
    if (ruling->kind == DECISION_ENTROPY && facts->stop == STOP_LOOP)
        circles = agent->calls;
    else if (ruling->kind == DECISION_ENTROPY && ruling->row != ROW_OWN_LOOP)
        circles = rung_of_attempts(sight);
    const struct {
        const char *key;
        double want;
        bool said; /* otherwise it is left out, as is a value equal to its default: */
        double missing;
    } rows[] = {
        {"base_ms", (double)policy->base_ms, waits, 0},
        {"multiplier", policy->multiplier, waits, 1},
        {"cap_ms", (double)policy->cap_ms, waits, 0},
        {"jitter", policy->fraction, waits, 0},
        {"factor", ruling->factor, waits, 1},
        {"hint_ms", (double)ruling->hint_ms, waits, -1},
        {"used", facts->used > 0 ? facts->used : 1, true, 0},
        {"allowed", facts->allowed, true, 0},
        {"same", facts->same, policy->window > 0 || policy->same_stops > 0, 0},
        {"window", policy->window * facts->scale, policy->window > 0, 0},
        {"same_stops", policy->same_stops * facts->scale, policy->same_stops > 0, 0},
        {"count", circles ? circles->verdict.count : 0, circles != NULL, 0},
        {"free_hints", facts->free_hints, hinted, 0},
        {"hint_cap_ms", (double)policy->hint_cap_ms, hinted, -1},
        {"deadline_ms", (double)policy->deadline_ms, policy->deadline_ms > 0, 0},
        {"since_start_ms", (double)(facts->now.mono_ms - facts->first_start_mono_ms),
         policy->deadline_ms > 0, 0},
        {"held_ms", (double)facts->held_ms, facts->held_ms > 0, 0},
        {"interrupted", facts->interrupted, facts->interrupted > 0, 0},
    };
    struct json *text = NULL;
    if (!finding_check(sight->onlooker->finding,
                       event->data &&
                           json_parse(event->data, strlen(event->data), &text, NULL, NULL),
                       "texts of events are JSON", "event %" PRId64, event->seq))
        return;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const double have = json_number(json_get(text, rows[i].key), rows[i].missing);
        (void)finding_check(sight->onlooker->finding,
                            have == (rows[i].said ? rows[i].want : rows[i].missing),
                            "a decision records its formula's inputs",
                            "event %" PRId64 ": %s %.17g, should be %.17g", event->seq, rows[i].key,
                            have, rows[i].want);
    }
    sight_check(sight,
                json_bool(json_get(text, "full_jitter"), false) ==
                    (waits && policy->jitter == PLOT_JITTER_FULL),
                "a decision records its formula's inputs");
    (void)(check_text(sight, "rung", json_text(json_get(text, "rung"), ""),
                      circles ? entropy_rung_name(circles->verdict.rung) : "") &&
           check_text(sight, "policy", json_text(json_get(text, "policy"), ""), policy->name));
    json_free(text);
}

static void check_wait(const struct sight *sight, const struct facts *facts,
                       const struct ruling *ruling)
{
    const struct delay *delay = &sight->event->wait.delay;
    sight_check(sight,
                delay->delay_ms == ruling->delay_ms && delay->exact_ms == ruling->exact_ms &&
                    delay->retry_number == ruling->n && delay->factor == ruling->factor &&
                    delay->hint_ms == ruling->hint_ms,
                "the delay is the formula's");
    sight_check(sight, sight->event->wait.is_free == ruling->free,
                "the first two waits on a hint are free");
    if (sight->onlooker->tally)
        sight->onlooker->tally->jitters[facts->policy->jitter]++;
}

static void check_end(const struct sight *sight, const struct ruling *ruling)
{
    const struct event *event = sight->event;
    sight_check(sight, event->step_ended.decision == ruling->kind, "the decision is the table's");
    sight_check(sight, event->step_ended.attempts == sight->step->executed - sight->step->free,
                "attempts used");
    sight_check(sight, event->step_ended.entropy == ruling->entropy,
                "a decision counts as entropy as in the table");
    sight_check(sight, event->step_ended.capture == (ruling->capture && event->attempt > 0),
                "evidence is kept");
}

/* A limit closes the gate of its source for as long as the step waits, or would wait. A probe opens
 * it or closes it again; after an inconclusive probe, it is the next task's turn. */
static void owe_gate_event(const struct sight *sight, const struct facts *facts,
                           const struct ruling *ruling)
{
    struct onlooker_source *source = sight->source;
    const int task = sight->event->task;
    if (!source)
        return;
    const struct gate_state *gate = &sight->before->gates[source - sight->onlooker->sources];
    const struct opinion *opinion = &facts->opinion;
    const bool is_probe = gate->status == GATE_PROBING && gate->probe == task;
    const bool limited =
        (opinion->class == VERDICT_TRANSIENT && opinion->type == TRANSIENT_API_RATE_LIMIT) ||
        (rules_parked(opinion) && ruling->kind == DECISION_WAIT);
    const int64_t now_ms = sight->event->at.mono_ms;
    struct ruling as_if = *ruling;
    source->owed_by = task;
    source->owed_due_ms = now_ms;
    source->owed_limits = gate->closed;
    source->owed_chosen = -1;
    if (facts->outcome != OUTCOME_EXIT) {
        source->owed = is_probe ? EVENT_GATE_CLOSED : EVENT_NONE;
    } else if (limited) {
        if (ruling->kind != DECISION_WAIT && ruling->kind != DECISION_NEEDS_YOU)
            rules_delay(facts, gate->closed + 1, &as_if);
        source->owed_due_ms += as_if.delay_ms;
        source->owed_limits += gate->status != GATE_CLOSED;
        source->owed_chosen = gate->chosen;
        bool known = gate->status == GATE_CLOSED && source->owed_due_ms <= gate->due.mono_ms;
        bool older = gate->status == GATE_PROBING && !is_probe;
        source->owed = known || older ? EVENT_NONE : EVENT_GATE_CLOSED;
    } else {
        source->owed = is_probe ? EVENT_GATE_OPENED : EVENT_NONE;
    }
}

void decisions_check(const struct sight *sight)
{
    const struct event *event = sight->event;
    struct facts facts = gather(sight);
    struct ruling ruling = rules_decide(&facts);
    const struct plot_task *plot = &sight->onlooker->plot->tasks[event->task];
    bool new_round = is_round(sight, &facts, &ruling);
    if (new_round && onlooker_is_spent(sight, agents_first_step(plot, event->step))) {
        facts.stop = STOP_BUDGET;
        ruling = rules_decide(&facts);
        new_round = false;
    }
    bool plain = facts.opinion.class == VERDICT_SUCCESS && sight->step->outcome.code == 0;
    sight_check(sight, sight->step->has_verdict == !plain, "a decision has its verdict in the log");
    check_counts(sight);
    enum event_kind kind = ruling.kind == DECISION_WAIT ? EVENT_WAIT_STARTED : EVENT_STEP_ENDED;
    if (new_round)
        kind = EVENT_ROUND_STARTED;
    sight_check(sight, event->kind == kind, "the decision is the table's");
    if (sight->onlooker->finding->broken)
        return;
    bool goes_on = new_round || kind == EVENT_WAIT_STARTED ||
                   (ruling.kind == DECISION_SUCCEEDED && event->step < plot->step_count - 1);
    sight_check(sight, goes_on || !sight->task->suspected,
                "only a task that continues is suspected");
    sight->task->suspected = false;
    if (kind == EVENT_WAIT_STARTED)
        check_wait(sight, &facts, &ruling);
    else if (kind == EVENT_STEP_ENDED)
        check_end(sight, &ruling);
    if (!new_round && ruling.kind != DECISION_SUCCEEDED)
        check_inputs(sight, &facts, &ruling);
    onlooker_count(sight->onlooker, new_round ? ROW_ROUND : ruling.row);
    owe_gate_event(sight, &facts, &ruling);
}

void decisions_check_end(const struct sight *sight)
{
    struct ruling ruling = {.kind = sight->event->step_ended.decision, .capture = true};
    switch (ruling.kind) {
    case DECISION_CANCELLED:
        ruling.row = ROW_CANCELLED_IDLE;
        sight_check(sight, sight->task->stopped, "only a person cancels");
        break;
    case DECISION_DEADLINE:
        ruling.row = ROW_DEADLINE_AT_START;
        ruling.entropy = true;
        sight_check(sight, onlooker_is_late(sight), "a deadline ends a late step");
        break;
    case DECISION_NEEDS_YOU:
        ruling.row = ROW_BUDGET_AT_START;
        ruling.capture = false;
        sight_check(sight, onlooker_is_spent(sight, sight->event->step),
                    "a spent budget ends the step");
        break;
    default: /* the others are about an attempt */
        sight_check(sight, false, "a decision follows an attempt");
        break;
    }
    check_end(sight, &ruling);
    onlooker_count(sight->onlooker, ruling.row);
}
