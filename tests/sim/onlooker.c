#include "onlooker.h"

#include <inttypes.h>
#include <string.h>

#include "agents.h"
#include "classify.h"
#include "digest.h"
#include "duty.h"
#include "outcome.h"
#include "protocol.h"

enum { SPACING_MS = 1000 };

void onlooker_init(struct onlooker *onlooker, const struct plot *plot, struct finding *finding)
{
    memset(onlooker, 0, sizeof(*onlooker));
    onlooker->plot = plot;
    onlooker->finding = finding;
    for (int i = 0; i < plot->task_count; i++) {
        onlooker->tasks[i].end = DECISION_WAIT;
        onlooker->tasks[i].round = 1;
        onlooker->tasks[i].rounds = plot->tasks[i].rounds > 1 ? plot->tasks[i].rounds : 1;
        for (int k = 0; k < PLOT_STEPS_MAX; k++)
            onlooker->steps[i][k].host = -1;
    }
}

void sight_check(const struct sight *sight, bool holds, const char *name)
{
    if (!holds)
        (void)finding_check(sight->onlooker->finding, false, name,
                            "event %" PRId64 " (%s) of t%d/%d, try %d", sight->event->seq,
                            event_kind_name(sight->event->kind),
                            sight->onlooker->plot->tasks[sight->event->task].id, sight->event->step,
                            sight->event->attempt);
}

void onlooker_count(const struct onlooker *onlooker, enum row row)
{
    if (onlooker->tally)
        onlooker->tally->rows[row]++;
}

bool onlooker_is_spent(const struct sight *sight, int step)
{
    const struct plot_task *plot = &sight->onlooker->plot->tasks[sight->event->task];
    if (!agents_has(plot))
        return false;
    if (plot->steps[step].agent)
        return sight->task->spent != 0 || sight->onlooker->spent != 0;
    return (sight->task->spent & 1U << BUDGET_WALL) != 0;
}

bool onlooker_is_late(const struct sight *sight)
{
    const struct onlooker_step *step = sight->step;
    return step->first_start.at_ms != 0 && rules_late(sight->policy, step->first_start.mono_ms,
                                                      step->held_ms, sight->event->at.mono_ms);
}

int64_t onlooker_held_ms(const struct sight *sight)
{
    const struct onlooker_step *step = sight->step;
    const int64_t since_ms = sight->task->held_since.mono_ms;
    const int64_t first_ms = step->first_start.mono_ms;
    if (!sight->task->held || step->first_start.at_ms == 0)
        return step->held_ms;
    return step->held_ms + sight->event->at.mono_ms - (since_ms > first_ms ? since_ms : first_ms);
}

int onlooker_allowance(const struct sight *sight)
{
    bool fits = (sight->policy->phases & 1U << sight->plot->phase) != 0;
    return fits ? sight->policy->attempts : 1;
}

enum outcome_stop onlooker_stop(const struct sight *sight, const struct outcome *outcome)
{
    const struct task_agent *agent = sight->before->tasks[sight->event->task].agent;
    if (!agent || (!sight->plot->agent && outcome->stop != STOP_BUDGET))
        return STOP_ASKED;
    if (sight->plot->agent && agent->is_stuck)
        return STOP_LOOP;
    return onlooker_is_spent(sight, sight->event->step) ? STOP_BUDGET : STOP_ASKED;
}

static bool needs_passed(const struct sight *sight)
{
    const struct plot_task *plot = &sight->onlooker->plot->tasks[sight->event->task];
    for (int i = 0; i < plot->need_count; i++) {
        if (!sight->onlooker->tasks[plot->needs[i]].passed)
            return false;
    }
    return true;
}

static void check_call(const struct sight *sight)
{
    struct onlooker_step *step = sight->step;
    const struct digest call = sight->event->started.call;
    sight_check(sight, !step->called || digest_equal(call, step->call),
                "the call is the same in every attempt");
    sight_check(sight, call.hi != 0 && call.lo != 0, "a call is known by its digest");
    struct digest *last = &sight->onlooker->last_call;
    bool other = sight->onlooker->last_caller != step;
    sight_check(sight, !other || (call.hi != last->hi && call.lo != last->lo),
                "different calls have different digests");
    sight->onlooker->last_caller = step;
    *last = call;
    step->called = true;
    step->call = call;
}

static void check_gate(const struct sight *sight)
{
    struct onlooker_source *source = sight->source;
    if (!source)
        return;
    const struct gate_state *gate = &sight->before->gates[source - sight->onlooker->sources];
    const int64_t now_ms = sight->event->at.mono_ms;
    const bool later = gate->chosen >= 0 && now_ms >= gate->due.mono_ms &&
                       !duty_has_slot(sight->onlooker->plot, sight->before, gate->chosen);
    sight_check(sight, gate->chosen < 0 || gate->chosen == sight->event->task || later,
                "the task that a person sends goes first");
    sight_check(sight, gate->status != GATE_SPREADING || now_ms >= gate->due.mono_ms,
                "a gate that has opened spreads its starts");
    if (!source->closed)
        return;
    bool sent = source->sent == sight->event->task;
    sight_check(sight, sent || now_ms >= source->due_ms, "a closed gate lets nothing through");
    sight_check(sight, source->probes == 0, "a gate lets one probe through");
    source->probes++;
}

static void see_started(const struct sight *sight)
{
    struct onlooker *onlooker = sight->onlooker;
    struct onlooker_step *step = sight->step;
    const struct plot_task *plot = &onlooker->plot->tasks[sight->event->task];
    bool fits = (sight->policy->phases & 1U << sight->plot->phase) != 0;
    sight_check(sight, !step->alive, "no two attempts of a step alive");
    sight_check(sight, !step->unjudged, "an attempt is decided on before the next one");
    sight_check(sight, plot->away || onlooker->alive < onlooker->jobs,
                "no more attempts at once than jobs");
    sight_check(sight, !sight->task->held, "hold holds");
    sight_check(sight, !sight->task->stopped, "nothing starts after a cancel");
    sight_check(sight, !step->succeeded, "no succeeded step is repeated");
    sight_check(sight, step->ends == 0, "nothing starts after the step's end");
    sight_check(sight, sight->event->attempt == step->attempts + 1, "attempt numbers go up by one");
    sight_check(sight, needs_passed(sight), "a task starts after its needs have passed");
    sight_check(sight, sight->task->step == sight->event->step, "steps come in order");
    sight_check(sight, step->executed - step->free < onlooker_allowance(sight),
                "attempts never exceed the policy");
    sight_check(sight, fits || step->executed == 0, "executed once in a phase that does not retry");
    sight_check(sight,
                sight->plot->idempotent || sight->plot->agent ||
                    plot->workspace != WORKSPACE_INPLACE || step->ran == 0,
                "an unrepeatable step is not repeated");
    sight_check(sight, !onlooker_is_late(sight), "nothing starts after its deadline");
    sight_check(sight, !onlooker_is_spent(sight, sight->event->step),
                "nothing starts without a budget");
    sight_check(sight,
                sight->event->started.start ==
                    (step->start_failures > 0 ? step->start_failures + 1 : 0),
                "starts are counted separately");
    check_call(sight);
    check_gate(sight);
    if (step->first_start.at_ms == 0)
        step->first_start = sight->event->at;
    step->attempts++;
    step->alive = true;
    *(plot->away ? &onlooker->away : &onlooker->alive) += 1;
    step->last_host = step->host;
    step->was_lost = step->outcome.kind == OUTCOME_LOST;
    step->host = -1;
}

/* Returns the number of the host with this name; -1 = there is none. */
static int host_number(const struct plot *plot, const char *host)
{
    for (int i = 0; host && i < plot->host_count; i++) {
        if (strcmp(plot_host_name(i), host) == 0)
            return i;
    }
    return -1;
}

/* An attempt goes back to its host if there is a slot, unless it was lost there; else to the one
 * with the most free slots. */
static void see_placed(const struct sight *sight)
{
    struct onlooker *onlooker = sight->onlooker;
    const struct plot *plot = onlooker->plot;
    struct onlooker_step *step = sight->step;
    const int host = host_number(plot, sight->event->placed.host);
    int best = -1, most = 0;
    for (int i = 0; i < plot->host_count; i++) {
        const int free = onlooker->down[i] ? 0 : plot->host_slots[i] - onlooker->on_host[i];
        if (free > most) {
            best = i;
            most = free;
        }
    }
    const int last = step->last_host;
    if (last >= 0 && !step->was_lost && !onlooker->down[last] &&
        onlooker->on_host[last] < plot->host_slots[last])
        best = last;
    sight_check(sight, plot->tasks[sight->event->task].away && step->alive && step->host < 0,
                "an attempt is placed once");
    sight_check(sight, host >= 0 && host == best, "an attempt is placed where a slot is free");
    if (host < 0)
        return;
    step->host = host;
    onlooker->on_host[host]++;
}

static struct opinion opinion_of(const struct verdict *verdict)
{
    return (struct opinion){.class = verdict->class,
                            .type = verdict->type,
                            .reason = verdict->reason,
                            .hint_ms = verdict->retry_after_ms,
                            .ask = verdict->ask,
                            .no_retry = verdict->no_retry};
}

/* Returns the verdict on an end without its output. */
static struct opinion judge_bare(const struct outcome *outcome, bool silent)
{
    const struct classify_input facts = {.outcome = *outcome, .memory_killed = -1};
    struct verdict verdict = verdict_new();
    bool passed = outcome->kind == OUTCOME_EXIT && outcome->code == 0 && !silent;
    if (!passed && !facts_judge(&facts, &verdict))
        verdict.class = VERDICT_PERSISTENT;
    return opinion_of(&verdict);
}

/* Counts equal results in a row since the step last started over. */
static void count_same(struct onlooker_step *step, struct digest result)
{
    bool second = step->attempts > 1 && step->attempts - 1 >= step->results_from;
    step->same = second && digest_is_same(result, step->result) ? step->same + 1 : 1;
    step->result = result;
}

/* The engine saw this end: the log has it, with the right verdict. */
static void check_end_seen(const struct sight *sight)
{
    const struct onlooker *onlooker = sight->onlooker;
    const struct input *input = onlooker->input;
    const struct event_end *end = &sight->event->ended;
    struct onlooker_step *step = sight->step;
    struct outcome outcome = input->outcome;
    step->opinion =
        rules_expect(sight->plot, &outcome, opinion_of(&input->verdict), input->expectation_met);
    if (outcome.kind == OUTCOME_CANCELLED && !sight->task->stopped) {
        outcome.stop = STOP_BUDGET; /* if there is a reason at all */
        outcome.stop = onlooker_stop(sight, &outcome);
    }
    if (outcome.stop != STOP_ASKED)
        step->opinion = judge_bare(&outcome, false);
    bool passed = step->opinion.class == VERDICT_SUCCESS;
    bool last = sight->event->step == onlooker->plot->tasks[sight->event->task].step_count - 1;
    bool counts =
        input->has_fact && (outcome.kind == OUTCOME_EXIT || outcome.kind == OUTCOME_SIGNAL ||
                            outcome.kind == OUTCOME_TIMEOUT);
    sight_check(sight,
                end->outcome.kind == outcome.kind && end->outcome.code == outcome.code &&
                    end->outcome.ran_ms == outcome.ran_ms && end->outcome.stop == outcome.stop &&
                    memcmp(end->outcome.bytes, outcome.bytes, sizeof(outcome.bytes)) == 0 &&
                    memcmp(end->outcome.lines, outcome.lines, sizeof(outcome.lines)) == 0 &&
                    digest_equal(end->fingerprint, input->fingerprint),
                "an end is recorded as it was");
    sight_check(sight, end->fails == (outcome.kind == OUTCOME_EXIT && outcome.code == 0 && !passed),
                "an end says whether code 0 was a success");
    sight_check(sight,
                end->has_loop == (counts && !(passed && last)) &&
                    end->new_permille == (counts ? input->fact.new_permille : -1),
                "an attempt is a step of its trajectory");
    sight_check(sight, !end->has_loop || ((end->loop.bits & ENTROPY_FAILED) != 0) == !passed,
                "a step of a trajectory says whether it failed");
}

static void see_ended(const struct sight *sight)
{
    struct onlooker_step *step = sight->step;
    const struct event_end *end = &sight->event->ended;
    const struct input *input = sight->onlooker->input;
    const enum outcome_kind kind = end->outcome.kind;
    sight_check(sight, step->alive && sight->event->attempt == step->attempts,
                "only a running attempt ends");
    if (input->kind == INPUT_ENDED) {
        check_end_seen(sight);
    } else {
        sight_check(sight,
                    input->kind == INPUT_RECOVER && kind == OUTCOME_INTERRUPTED && step->host < 0,
                    "an unseen end on this machine is an interruption");
        step->opinion = judge_bare(&end->outcome, false);
    }
    step->alive = false;
    step->unjudged = true;
    step->has_verdict = false;
    step->outcome = end->outcome;
    step->silent = end->fails;
    step->ran += kind != OUTCOME_NOT_STARTED;
    step->executed += kind != OUTCOME_NOT_STARTED && !outcome_is_broken_off(kind);
    step->interrupted += outcome_is_broken_off(kind);
    step->start_failures = kind == OUTCOME_NOT_STARTED ? step->start_failures + 1 : 0;
    count_same(step, end->fingerprint);
    const bool is_away = sight->onlooker->plot->tasks[sight->event->task].away;
    *(is_away ? &sight->onlooker->away : &sight->onlooker->alive) -= 1;
    if (step->host >= 0)
        sight->onlooker->on_host[step->host]--;
}

static void see_judged(const struct sight *sight)
{
    struct onlooker_step *step = sight->step;
    const struct opinion *want = &step->opinion;
    struct verdict have;
    verdict_from_record(&sight->event->judged, &have);
    sight_check(sight, step->unjudged && !step->has_verdict, "an attempt is judged once");
    sight_check(sight,
                have.class == want->class && have.type == want->type && have.reason == want->reason,
                "a verdict matches its end");
    sight_check(sight,
                have.retry_after_ms == want->hint_ms && have.ask == want->ask &&
                    have.no_retry == want->no_retry && have.expectation == want->expectation &&
                    (have.rule[0] != '\0' || want->class == VERDICT_SUCCESS),
                "a verdict carries its evidence");
    step->has_verdict = true;
    if (!sight->plot->expects_failure)
        return;
    if (want->class == VERDICT_SUCCESS)
        onlooker_count(sight->onlooker, ROW_RED_MET);
    else if (want->expectation == VERDICT_UNEXPECTED_PASS)
        onlooker_count(sight->onlooker, ROW_RED_PASSED);
    else if (want->expectation == VERDICT_WRONG_REASON)
        onlooker_count(sight->onlooker, ROW_RED_WRONG);
}

static void see_wait(const struct sight *sight)
{
    const struct event *event = sight->event;
    struct onlooker_step *step = sight->step;
    const struct delay *delay = &event->wait.delay;
    sight_check(sight, step->unjudged, "a wait follows an attempt");
    decisions_check(sight);
    sight_check(sight,
                event->wait.due.at_ms == event->at.at_ms + delay->delay_ms &&
                    event->wait.due.mono_ms == event->at.mono_ms + delay->delay_ms,
                "due on both clocks");
    bool of_start = step->outcome.kind == OUTCOME_NOT_STARTED;
    step->unjudged = false;
    step->free += event->wait.is_free && !of_start;
    step->free_waits += event->wait.is_free;
    sight_check(sight, step->free_waits <= 2, "two waits on a hint are free");
    step->due_ms = event->wait.due.mono_ms;
}

static void see_wait_ended(const struct sight *sight)
{
    const bool skipped = sight->event->wait_ended.skipped;
    sight_check(sight, skipped || sight->event->at.mono_ms >= sight->step->due_ms,
                "a wait lasts until it is due");
    sight_check(sight, skipped || sight->before->tasks[sight->event->task].follows < 0,
                "a task that follows another one waits for it");
}

static void see_step_ended(const struct sight *sight)
{
    const struct event *event = sight->event;
    struct onlooker_step *step = sight->step;
    const bool passed = event->step_ended.decision == DECISION_SUCCEEDED;
    if (step->unjudged)
        decisions_check(sight);
    else
        decisions_check_end(sight);
    step->ends++;
    step->entropies += event->step_ended.entropy;
    sight_check(sight, step->ends == 1, "one final state for each step and grant");
    sight_check(sight, step->entropies <= 1, "at most one entropy for each step and grant");
    sight_check(sight, !passed || !event->step_ended.entropy,
                "a step that recovers leaves no entropy");
    sight_check(sight, !step->alive, "a running step does not end");
    step->unjudged = false;
    if (!passed) {
        sight->task->held = false;
        sight->task->end = event->step_ended.decision;
        return;
    }
    step->succeeded = true;
    sight->task->step++;
    sight->task->passed = sight->task->step == sight->onlooker->plot->tasks[event->task].step_count;
    sight->task->held = sight->task->held && !sight->task->passed;
}

static void start_over(struct onlooker_step *step)
{
    step->ends = step->entropies = step->executed = step->free = step->free_waits = step->ran = 0;
    step->start_failures = step->interrupted = 0;
    step->first_start = (struct moment){0};
    step->held_ms = 0;
}

static void see_reopened(const struct sight *sight)
{
    const struct event *event = sight->event;
    const struct task_state *before = &sight->before->tasks[event->task];
    const struct plot_task *plot = &sight->onlooker->plot->tasks[event->task];
    const int scale = circles_scale(before->circles);
    const int goes_on = before->status == TASK_STUCK ? scale < 4 ? 2 * scale : 8 : 0;
    sight_check(sight, event->reopened.grant == event->grant, "a grant is named by its number");
    sight_check(sight, event->reopened.allowed == onlooker_allowance(sight),
                "a grant has the policy's attempts");
    sight_check(sight, event->reopened.scale == goes_on, "continuing doubles the thresholds");
    sight_check(sight, task_status_is_final(before->status) && !sight->task->passed,
                "only a failed task starts again");
    onlooker_count(sight->onlooker, ROW_REOPENED);
    start_over(sight->step);
    if (goes_on == 0) {
        sight->step->same = 0;
        sight->step->results_from = sight->step->attempts + 1;
    }
    sight->task->stopped = false;
    sight->task->end = DECISION_WAIT;
    sight->onlooker->cancelled = false;
    if (!agents_has(plot))
        return;
    sight->task->spent = sight->onlooker->spent = 0;
    if (sight->task->round >= sight->task->rounds && plot->rounds > 1 &&
        agents_first_step(plot, event->step) >= 0)
        sight->task->rounds = sight->task->round + plot->rounds;
}

/* All steps from the agent's to the failed one start over. */
static void see_round(const struct sight *sight)
{
    const struct event *event = sight->event;
    const int from = event->round_started.from_step;
    const int failed = event->round_started.failed_step;
    sight_check(sight, sight->step->unjudged, "a round follows an attempt");
    decisions_check(sight);
    sight_check(
        sight,
        from == agents_first_step(&sight->onlooker->plot->tasks[event->task], event->step) &&
            failed == event->step && event->round_started.failed_attempt == event->attempt,
        "a round begins at the agent before the failed step");
    sight_check(sight, event->round_started.round == sight->task->round + 1, "rounds are counted");
    for (int i = from; i <= failed; i++) {
        struct onlooker_step *step = &sight->onlooker->steps[event->task][i];
        sight_check(sight, !step->alive, "a round begins when nothing of its task runs");
        start_over(step);
        step->same = 0;
        step->results_from = step->attempts + 1;
        step->unjudged = step->succeeded = false;
    }
    sight->task->round = event->round_started.round;
    sight->task->step = from;
}

static void see_blocked(const struct sight *sight)
{
    const struct event *event = sight->event;
    const struct plot_task *plot = &sight->onlooker->plot->tasks[event->task];
    bool needed = false;
    for (int i = 0; i < plot->need_count; i++)
        needed = needed || plot->needs[i] == event->blocked.needs;
    const enum task_status need =
        needed ? sight->before->tasks[event->blocked.needs].status : TASK_QUEUED;
    sight_check(sight, needed && task_status_is_final(need) && need != TASK_PASSED,
                "a task is blocked by one of its needs");
    sight_check(sight, !task_status_is_final(sight->before->tasks[event->task].status),
                "only an open task is blocked");
    sight->task->held = false;
    onlooker_count(sight->onlooker, ROW_BLOCKED);
}

static void see_held(const struct sight *sight)
{
    const struct event *event = sight->event;
    const int leader = event->held.follows;
    sight_check(sight,
                !sight->task->held &&
                    !task_status_is_final(sight->before->tasks[event->task].status),
                "only an open task can be held");
    sight->task->held = true;
    sight->task->held_since = event->at;
    if (leader < 0)
        return;
    const struct step_state *own = run_state_step(sight->before, event->task);
    const struct step_state *led = run_state_step(sight->before, leader);
    const int led_number = run_state_step_number(sight->before, leader);
    const struct digest result = sight->onlooker->steps[leader][led_number].result;
    const int64_t apart_ms = own->wait_from.mono_ms - led->wait_from.mono_ms;
    sight_check(sight,
                own->status == STEP_WAITING && led->status == STEP_WAITING &&
                    digest_is_same(result, sight->step->result) && apart_ms <= FAULT_SPAN_MS &&
                    apart_ms >= -FAULT_SPAN_MS &&
                    duty_source(sight->before, leader) == duty_source(sight->before, event->task),
                "a task follows another with the same result");
    if (sight->onlooker->tally)
        sight->onlooker->tally->followers++;
}

/* A task that followed another one starts some time after it; if the other one did not get through,
 * not before its own wait is over. */
static void see_released(const struct sight *sight)
{
    const struct event *event = sight->event;
    const struct moment *due = &event->released.due;
    const int leader = sight->before->tasks[event->task].follows;
    struct onlooker_step *step = sight->step;
    sight_check(sight, sight->task->held, "only a held task is released");
    step->held_ms = onlooker_held_ms(sight);
    sight->task->held = false;
    if (due->mono_ms <= 0) {
        sight_check(sight, event->by || sight->onlooker->input->kind == INPUT_RECOVER,
                    "a person releases a task that a person held");
        return;
    }
    const int64_t after_ms = due->mono_ms - event->at.mono_ms;
    const int64_t own_ms =
        run_state_step(sight->before, event->task)->due.mono_ms - event->at.mono_ms;
    const bool spaced = after_ms > 0 && after_ms % SPACING_MS == 0;
    const bool passed = leader >= 0 && sight->onlooker->tasks[leader].end == DECISION_WAIT;
    sight_check(sight, leader >= 0 && due->at_ms - event->at.at_ms == after_ms,
                "due on both clocks");
    sight_check(sight, passed ? spaced : after_ms >= own_ms && (spaced || after_ms == own_ms),
                "tasks that followed another one start one by one");
    step->due_ms = due->mono_ms;
}

/* A suspected loop, of an agent's calls or a task's attempts, is reported once, as it is. */
static void see_suspected(const struct sight *sight)
{
    const struct event *event = sight->event;
    const struct task_state *task = &sight->before->tasks[event->task];
    const bool of_calls = event->loop.of_calls;
    const struct circles *circles = task->circles;
    if (of_calls)
        circles = task->agent ? task->agent->calls : NULL;
    sight_check(sight, circles && circles->verdict.news && !circles->told,
                "a suspected loop is reported once");
    if (!circles)
        return;
    const struct entropy_verdict *verdict = &circles->verdict;
    sight_check(sight,
                event->loop.facts.rung == verdict->rung &&
                    event->loop.facts.count == verdict->count &&
                    event->loop.facts.first == verdict->first_number &&
                    event->loop.facts.last == verdict->last_number,
                "a suspicion names its rung");
    sight_check(sight, of_calls ? sight->step->alive : sight->step->unjudged,
                "a suspicion is about the latest attempt");
    sight->task->suspected = !of_calls;
}

static void see_step(const struct sight *sight)
{
    switch (sight->event->kind) {
    case EVENT_ATTEMPT_STARTED:
        see_started(sight);
        break;
    case EVENT_ATTEMPT_PLACED:
        see_placed(sight);
        break;
    case EVENT_ATTEMPT_ENDED:
        see_ended(sight);
        break;
    case EVENT_ATTEMPT_JUDGED:
        see_judged(sight);
        break;
    case EVENT_WAIT_STARTED:
        see_wait(sight);
        break;
    case EVENT_WAIT_ENDED:
        see_wait_ended(sight);
        break;
    case EVENT_STEP_ENDED:
        see_step_ended(sight);
        break;
    case EVENT_STEP_REOPENED:
        see_reopened(sight);
        break;
    case EVENT_ROUND_STARTED:
        see_round(sight);
        break;
    case EVENT_TASK_BLOCKED:
        see_blocked(sight);
        break;
    case EVENT_TASK_HELD:
        see_held(sight);
        break;
    case EVENT_TASK_RELEASED:
        see_released(sight);
        break;
    case EVENT_LOOP_SUSPECTED:
        see_suspected(sight);
        break;
    default: /* the other kinds are checked elsewhere, or not at all */
        break;
    }
}

/* The exit code follows from the ends of the tasks. */
static void see_run_ended(const struct onlooker *onlooker, const struct event *event)
{
    bool passed = true, stuck = false, needs_you = false;
    for (int i = 0; i < onlooker->plot->task_count; i++) {
        const struct onlooker_task *task = &onlooker->tasks[i];
        passed = passed && task->passed;
        stuck = stuck || task->end == DECISION_ENTROPY;
        needs_you = needs_you || task->end == DECISION_NEEDS_YOU;
    }
    int code = passed ? RUN_EXIT_PASSED : RUN_EXIT_GAVE_UP;
    if (stuck)
        code = RUN_EXIT_ENTROPY;
    if (needs_you)
        code = RUN_EXIT_NEEDS_YOU;
    if (onlooker->cancelled)
        code = RUN_EXIT_STOPPED;
    (void)finding_check(onlooker->finding, onlooker->alive + onlooker->away == 0,
                        "a run ends when nothing is alive", "event %" PRId64, event->seq);
    (void)finding_check(onlooker->finding, event->run_ended.exit_code == code,
                        "the exit code of the run", "%d, should be %d", event->run_ended.exit_code,
                        code);
}

/* Only tasks that have not ended can be cancelled; a task that is retried may start again. */
static void see_cancel(struct onlooker *onlooker, const struct run_state *before,
                       const struct event *event)
{
    onlooker->cancelled = onlooker->cancelled || event->task < 0;
    for (int i = 0; i < onlooker->plot->task_count; i++) {
        bool meant = event->task < 0 || event->task == i;
        if (meant && !task_status_is_final(before->tasks[i].status))
            onlooker->tasks[i].stopped = true;
    }
}

/* Returns how many tasks wait at the source. */
static int count_line(const struct onlooker *onlooker, const struct run_state *state, int source)
{
    int count = 0;
    for (int i = 0; i < onlooker->plot->task_count; i++)
        count += duty_is_in_line(onlooker->plot, state, i) && duty_source(state, i) == source;
    return count;
}

static void see_gate_closed(struct onlooker *onlooker, const struct run_state *before,
                            const struct event *event)
{
    const int number = event->gate_closed.source;
    const struct gate_state *gate = &before->gates[number];
    struct onlooker_source *source = &onlooker->sources[number];
    const int64_t due_ms = event->gate_closed.due.mono_ms;
    const int limits = event->gate_closed.limits;
    const int chosen = event->gate_closed.chosen;
    const bool by_person = event->by != NULL;
    const int64_t after_ms = due_ms - event->at.mono_ms;
    bool in_time = event->gate_closed.due.at_ms - event->at.at_ms == after_ms;
    enum tally_gate why = TALLY_GATE_SENT;
    bool holds = by_person && gate->status == GATE_CLOSED && chosen == event->task;
    if (source->owed == EVENT_GATE_CLOSED) {
        holds = !by_person && event->task == source->owed_by && due_ms == source->owed_due_ms &&
                limits == source->owed_limits && chosen == source->owed_chosen;
        why = TALLY_GATE_CLOSES;
        if (gate->status == GATE_CLOSED)
            why = TALLY_GATE_LONGER;
        else if (gate->status == GATE_PROBING)
            why = limits > gate->closed ? TALLY_GATE_AGAIN : TALLY_GATE_LOST;
    } else if (onlooker->input->kind == INPUT_RECOVER) {
        const struct step_state *step = run_state_step(before, event->task);
        const bool goes_on = step->status == STEP_RUNNING && step_state_latest(step)->host >= 0;
        holds = !by_person && gate->status == GATE_PROBING && gate->probe == event->task &&
                !goes_on && chosen < 0 && after_ms == 0 && limits == gate->closed;
        why = TALLY_GATE_LOST;
    } else { /* until the limit ends, as before */
        holds = holds && due_ms == gate->due.mono_ms && limits == gate->closed;
        in_time = event->gate_closed.due.at_ms == gate->due.at_ms;
    }
    holds = holds && in_time;
    (void)finding_check(onlooker->finding, holds, "gates close for a limit, a lost probe, a person",
                        "event %" PRId64 " of t%d", event->seq, event->task);
    source->owed = EVENT_NONE;
    source->closed = true;
    source->due_ms = due_ms;
    source->sent = chosen;
    source->probes = 0;
    if (onlooker->tally)
        onlooker->tally->gates[why]++;
}

static void see_gate_opened(struct onlooker *onlooker, const struct run_state *before,
                            const struct event *event)
{
    const int number = event->gate_opened.source;
    struct onlooker_source *source = &onlooker->sources[number];
    const int waiting = count_line(onlooker, before, number);
    (void)finding_check(onlooker->finding,
                        source->owed == EVENT_GATE_OPENED && source->owed_by == event->task &&
                            event->gate_opened.spacing_ms == SPACING_MS &&
                            event->gate_opened.waiting == waiting,
                        "a gate opens when its probe gets through", "event %" PRId64 " of t%d",
                        event->seq, event->task);
    source->owed = EVENT_NONE;
    source->closed = false;
    source->due_ms = 0;
    source->sent = -1;
    source->probes = 0;
    if (onlooker->tally)
        onlooker->tally->gates[waiting > 0 ? TALLY_GATE_SPREADS : TALLY_GATE_OPENS]++;
}

/* A budget is reported once when most of it is used, and once when all is. */
static void see_budget(struct onlooker *onlooker, const struct run_state *before,
                       const struct event *event)
{
    enum { PERCENT_NEAR = 80 };
    const enum budget_kind kind = event->budget.kind;
    const int task = event->task;
    const struct budget_state *had =
        task < 0 ? &before->budget : &before->tasks[task].agent->budget;
    const int64_t given =
        task < 0 ? onlooker->plot->budget[kind] : onlooker->plot->tasks[task].budget[kind];
    const int64_t mark = given * PERCENT_NEAR / 100;
    const int64_t used = event->budget.used - had->base[kind];
    struct budget_use use;
    bool holds = given > 0 && event->budget.limit == had->base[kind] + given &&
                 run_state_budget(before, task, kind, &event->at, &use) &&
                 use.used == event->budget.used;
    if (event->budget.is_spent)
        holds = holds && used >= given && (had->spent & 1U << kind) == 0;
    else
        holds =
            holds && used < given && used >= (mark > 0 ? mark : 1) && (had->told & 1U << kind) == 0;
    (void)finding_check(onlooker->finding, holds, "a budget is reported once, as it is",
                        "event %" PRId64 " of t%d", event->seq, task);
    if (event->budget.is_spent)
        *(task < 0 ? &onlooker->spent : &onlooker->tasks[task].spent) |= 1U << kind;
}

static void move_clock(const struct moment *now, struct moment *moment)
{
    if (moment->at_ms != 0)
        moment->mono_ms = moment->at_ms + (now->mono_ms - now->at_ms);
}

/* After a reboot, only the wall clock says how long ago something was. */
static void see_reboot(struct onlooker *onlooker, const struct event *event)
{
    for (int i = 0; i < onlooker->plot->task_count; i++) {
        move_clock(&event->at, &onlooker->tasks[i].held_since);
        for (int k = 0; k < onlooker->plot->tasks[i].step_count; k++) {
            move_clock(&event->at, &onlooker->steps[i][k].first_start);
            onlooker->steps[i][k].due_ms = INT64_MIN;
        }
    }
    for (int i = 0; i < PLOT_SOURCES_MAX; i++)
        onlooker->sources[i].due_ms = INT64_MIN;
}

static void see_run(struct onlooker *onlooker, const struct run_state *before,
                    const struct event *event)
{
    switch (event->kind) {
    case EVENT_RUN_STARTED:
        onlooker->jobs = event->run_started.jobs;
        break;
    case EVENT_RUN_ENDED:
        see_run_ended(onlooker, event);
        break;
    case EVENT_HOST_STATE: {
        const int host = host_number(onlooker->plot, event->host.host);
        if (finding_check(onlooker->finding, host >= 0, "a host is one of the plan",
                          "event %" PRId64, event->seq))
            onlooker->down[host] = event->host.is_down;
        break;
    }
    case EVENT_RUN_RECOVERED:
        if (event->recovered.rebooted)
            see_reboot(onlooker, event);
        break;
    case EVENT_CANCEL_ASKED:
        see_cancel(onlooker, before, event);
        break;
    case EVENT_GATE_CLOSED:
        see_gate_closed(onlooker, before, event);
        break;
    case EVENT_GATE_OPENED:
        see_gate_opened(onlooker, before, event);
        break;
    case EVENT_BUDGET:
        see_budget(onlooker, before, event);
        break;
    case EVENT_DAY_COST:
        if (event->day.date != before->day.date) /* a new day has the whole budget */
            onlooker->spent &= ~(1U << BUDGET_DAY);
        break;
    default: /* of a step, or not checked here */
        break;
    }
}

/* An event names the current step of its task and the latest attempt, unless it is about an attempt
 * that the input names. */
static void check_place(const struct sight *sight)
{
    const struct event *event = sight->event;
    const int number = run_state_step_number(sight->before, event->task);
    const struct step_state *step = &sight->before->tasks[event->task].steps[event->step];
    int grant = step->grant > 0 ? step->grant : 1;
    int round = sight->task->round;
    int attempt = (int)step->attempt_count + (event->kind == EVENT_ATTEMPT_STARTED);
    bool current = event->step == number;
    if (event->kind == EVENT_STEP_REOPENED)
        grant = step->grant + 1;
    if (event_kind_is_fact(event->kind) || event->kind == EVENT_CLASS_CORRECTED) {
        const struct attempt_state *about = step_state_find_attempt(step, event->attempt);
        attempt = about ? about->number : -1;
        grant = about ? about->grant : -1;
        round = about ? about->round : -1;
        current = true;
    }
    sight_check(sight,
                current && event->grant == grant && event->round == round &&
                    event->attempt == attempt,
                "events name their subject");
}

void onlooker_event(struct onlooker *onlooker, const struct run_state *before,
                    const struct event *event)
{
    bool rebooted = event->kind == EVENT_RUN_RECOVERED && event->recovered.rebooted;
    (void)finding_check(onlooker->finding, event->seq == onlooker->seq + 1, "events without gaps",
                        "%" PRId64 " after %" PRId64, event->seq, onlooker->seq);
    (void)finding_check(onlooker->finding, rebooted || event->at.mono_ms >= onlooker->last.mono_ms,
                        "time does not go back", "event %" PRId64, event->seq);
    const bool of_run = event->kind == EVENT_RUN_STARTED || event->kind == EVENT_RUN_ENDED ||
                        event->kind == EVENT_RUN_RECOVERED || event->kind == EVENT_TIME_STOPPED ||
                        event->kind == EVENT_HOST_STATE || event->kind == EVENT_NOTE;
    (void)finding_check(onlooker->finding,
                        of_run ? event->task == -1 && event->step == -1 : event->task >= -1,
                        "events name their subject", "event %" PRId64 " of t%d/%d", event->seq,
                        event->task, event->step);
    onlooker->seq = event->seq;
    onlooker->last = event->at;
    if (onlooker->finding->broken)
        return;
    see_run(onlooker, before, event);
    if (event->task < 0 || event->step < 0)
        return;

    struct sight sight = {.onlooker = onlooker, .before = before, .event = event};
    sight.task = &onlooker->tasks[event->task];
    sight.step = &onlooker->steps[event->task][event->step];
    sight.plot = &onlooker->plot->tasks[event->task].steps[event->step];
    sight.policy = &onlooker->plot->policies[sight.plot->policy];
    int source = before->plan->tasks[event->task].steps[event->step].source;
    sight.source = source >= 0 ? &onlooker->sources[source] : NULL;
    check_place(&sight);
    see_step(&sight);
}

void onlooker_turn(struct onlooker *onlooker)
{
    for (int i = 0; i < PLOT_SOURCES_MAX; i++)
        (void)finding_check(onlooker->finding, onlooker->sources[i].owed == EVENT_NONE,
                            "gates close and open", "%s of source %d by t%d is missing",
                            event_kind_name(onlooker->sources[i].owed), i,
                            onlooker->sources[i].owed_by);
}

/* An end whose verdict is lost is judged again, without its output. */
void onlooker_crash(struct onlooker *onlooker)
{
    for (int i = 0; i < PLOT_SOURCES_MAX; i++)
        onlooker->sources[i].owed = EVENT_NONE;
    for (int i = 0; i < onlooker->plot->task_count; i++) {
        onlooker->tasks[i].suspected = false;
        for (int k = 0; k < onlooker->plot->tasks[i].step_count; k++) {
            struct onlooker_step *step = &onlooker->steps[i][k];
            if (!step->unjudged || step->has_verdict)
                continue;
            step->opinion = judge_bare(&step->outcome, step->silent);
            if (step->outcome.kind != OUTCOME_EXIT || step->outcome.code != 0)
                step->opinion = rules_expect(&onlooker->plot->tasks[i].steps[k], &step->outcome,
                                             step->opinion, false);
        }
    }
}
