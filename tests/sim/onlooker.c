#include "onlooker.h"

#include <inttypes.h>
#include <string.h>

#include "outcome.h"
#include "protocol.h"

void onlooker_init(struct onlooker *onlooker, const struct plot *plot, const struct plan *plan,
                   struct finding *finding)
{
    memset(onlooker, 0, sizeof(*onlooker));
    onlooker->plot = plot;
    onlooker->plan = plan;
    onlooker->finding = finding;
}

/* An event of a step, and what is known about the step. */
struct sight {
    struct onlooker *onlooker;
    const struct event *event;
    struct onlooker_task *task;
    struct onlooker_step *step;
    const struct plot_step *plot;
    const struct plot_policy *policy;
    struct onlooker_source *source; /* NULL = none */
};

static void check(const struct sight *sight, bool holds, const char *name)
{
    if (!holds)
        (void)finding_check(sight->onlooker->finding, false, name,
                            "event %" PRId64 " (%s) of t%d/%d, try %d", sight->event->seq,
                            event_kind_name(sight->event->kind),
                            sight->onlooker->plot->tasks[sight->event->task].id, sight->event->step,
                            sight->event->attempt);
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
    check(sight, !step->called || (call.hi == step->call.hi && call.lo == step->call.lo),
          "the call is the same in every attempt");
    check(sight, call.hi != 0 && call.lo != 0, "a call is known by its digest");
    struct digest *last = &sight->onlooker->last_call;
    bool other = sight->onlooker->last_caller != step;
    check(sight, !other || (call.hi != last->hi && call.lo != last->lo),
          "calls that differ have digests that do");
    sight->onlooker->last_caller = step;
    *last = call;
    step->called = true;
    step->call = call;
}

static void check_gate(const struct sight *sight)
{
    struct onlooker_source *source = sight->source;
    if (!source || !source->closed)
        return;
    bool sent = source->sent == sight->event->task;
    check(sight, sent || sight->event->at.mono_ms >= source->due_ms,
          "a closed gate lets nothing through");
    check(sight, source->probes == 0, "a gate lets one probe through");
    source->probes++;
}

static void see_started(const struct sight *sight)
{
    struct onlooker *onlooker = sight->onlooker;
    struct onlooker_step *step = sight->step;
    bool fits = (sight->policy->phases & 1U << sight->plot->phase) != 0;
    int allowed = fits ? sight->policy->attempts : 1;
    check(sight, !step->alive, "no two attempts of a step alive");
    check(sight, !step->unjudged, "an attempt is decided on before the next one");
    check(sight, onlooker->alive < onlooker->jobs, "no more attempts at once than jobs");
    check(sight, !sight->task->held, "hold holds");
    check(sight, !sight->task->stopped, "nothing starts after a cancel");
    check(sight, !step->succeeded, "no succeeded step is repeated");
    check(sight, step->ends == 0, "nothing starts after the step's end");
    check(sight, sight->event->attempt == step->attempts + 1, "attempt numbers go up by one");
    check(sight, needs_passed(sight), "a task starts once what it needs has passed");
    check(sight, sight->task->step == sight->event->step, "steps come in order");
    check(sight, step->executed - step->free < allowed, "attempts never exceed the policy");
    check(sight, fits || step->executed == 0, "executed once where the phase does not try again");
    const struct plot_task *plot = &onlooker->plot->tasks[sight->event->task];
    check(sight,
          sight->plot->idempotent || sight->plot->agent || plot->workspace != WORKSPACE_INPLACE ||
              step->ran == 0,
          "what cannot be repeated is not");
    check_call(sight);
    check_gate(sight);
    step->attempts++;
    step->alive = true;
    sight->task->over = false;
    onlooker->alive++;
}

static void see_ended(const struct sight *sight)
{
    struct onlooker_step *step = sight->step;
    enum outcome_kind kind = sight->event->ended.outcome.kind;
    check(sight, step->alive && sight->event->attempt == step->attempts,
          "what ends is what was alive");
    step->alive = false;
    step->unjudged = true;
    step->no_start = kind == OUTCOME_NOT_STARTED;
    step->ran += kind != OUTCOME_NOT_STARTED;
    step->executed += kind != OUTCOME_NOT_STARTED && kind != OUTCOME_INTERRUPTED;
    sight->onlooker->alive--;
}

static void see_wait(const struct sight *sight)
{
    const struct event *event = sight->event;
    struct onlooker_step *step = sight->step;
    const struct plot_policy *policy = sight->policy;
    if (step->no_start)
        policy = &sight->onlooker->plot->policies[sight->onlooker->plot->infrastructure];
    const struct delay *delay = &event->wait.delay;
    int64_t hint_ms = delay->hint_ms;
    int64_t most_ms = policy->cap_ms;
    if (policy->jitter != PLOT_JITTER_PROPORTIONAL)
        most_ms = delay->exact_ms;
    bool above = delay->delay_ms > most_ms && delay->delay_ms != hint_ms;
    bool below = delay->delay_ms < hint_ms || delay->delay_ms < 0;
    if (policy->jitter == PLOT_JITTER_NONE)
        below = below || delay->delay_ms < delay->exact_ms;
    if (policy->jitter == PLOT_JITTER_PROPORTIONAL) {
        below =
            below || (double)delay->delay_ms < (double)delay->exact_ms * (1 - policy->fraction) - 1;
        above = above ||
                (delay->delay_ms != hint_ms &&
                 (double)delay->delay_ms > (double)delay->exact_ms * (1 + policy->fraction) + 1);
    }
    check(sight, !above && !below, "the delay is within the formula's bounds");
    check(sight, delay->exact_ms >= 0 && delay->exact_ms <= policy->cap_ms, "a cap is a cap");
    check(sight, hint_ms <= policy->hint_cap_ms, "a hint beyond the cap is not waited out");
    check(sight,
          event->wait.due.at_ms == event->at.at_ms + delay->delay_ms &&
              event->wait.due.mono_ms == event->at.mono_ms + delay->delay_ms,
          "due on both clocks");
    check(sight, step->unjudged, "a wait follows an attempt");
    step->unjudged = false;
    step->free += event->wait.is_free && !step->no_start;
    step->free_waits += event->wait.is_free;
    check(sight, step->free_waits <= 2, "two waits on a hint are free");
    step->due_ms = event->wait.due.mono_ms;
}

/* The task does not continue on its own, and is no longer held. */
static void see_over(const struct sight *sight)
{
    sight->task->held = false;
    sight->task->over = true;
}

static void see_step_ended(const struct sight *sight)
{
    const struct event *event = sight->event;
    struct onlooker_step *step = sight->step;
    step->ends++;
    step->entropies += event->step_ended.entropy;
    check(sight, step->ends == 1, "one final state for each step and grant");
    check(sight, step->entropies <= 1, "at most one entropy for each step and grant");
    check(sight, event->step_ended.decision != DECISION_SUCCEEDED || !event->step_ended.entropy,
          "what recovers leaves no entropy");
    check(sight, !step->alive, "a step that runs does not end");
    step->unjudged = false;
    if (event->step_ended.decision != DECISION_SUCCEEDED) {
        see_over(sight);
        return;
    }
    step->succeeded = true;
    sight->task->step++;
    int steps = sight->onlooker->plot->tasks[event->task].step_count;
    sight->task->passed = sight->task->step == steps;
}

static void see_reopened(const struct sight *sight)
{
    struct onlooker_step *step = sight->step;
    check(sight, sight->event->reopened.grant == sight->event->grant,
          "a grant is named by its number");
    step->ends = step->entropies = step->executed = step->free = step->free_waits = step->ran = 0;
    sight->task->stopped = false;
    sight->task->over = false;
}

/* All steps from the agent's to the failed one start over. */
static void see_round(const struct sight *sight)
{
    const struct event *event = sight->event;
    check(sight, sight->step->unjudged, "a round follows an attempt");
    const int from = event->round_started.from_step;
    const int failed = event->round_started.failed_step;
    check(sight, from <= event->step && failed == event->step,
          "a round begins at the agent before what failed");
    for (int i = from; i <= failed; i++) {
        struct onlooker_step *step = &sight->onlooker->steps[event->task][i];
        check(sight, !step->alive, "a round begins when nothing of its task runs");
        step->ends = step->entropies = step->executed = step->free = step->free_waits = 0;
        step->ran = 0;
        step->unjudged = step->succeeded = false;
    }
    sight->task->step = from;
}

static void see_wait_ended(const struct sight *sight)
{
    check(sight,
          sight->event->wait_ended.skipped || sight->event->at.mono_ms >= sight->step->due_ms,
          "a wait lasts until it is due");
}

static void see_step(const struct sight *sight)
{
    const struct event *event = sight->event;
    switch (event->kind) {
    case EVENT_ATTEMPT_STARTED:
        see_started(sight);
        break;
    case EVENT_ATTEMPT_ENDED:
        see_ended(sight);
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
        see_over(sight);
        break;
    case EVENT_TASK_HELD:
        sight->task->held = true;
        break;
    case EVENT_TASK_RELEASED:
        sight->task->held = false;
        if (event->released.due.mono_ms > 0)
            sight->step->due_ms = event->released.due.mono_ms;
        break;
    default: /* the other kinds are checked elsewhere, or not at all */
        break;
    }
}

static void see_end(struct onlooker *onlooker, const struct event *event)
{
    (void)finding_check(onlooker->finding, onlooker->alive == 0, "a run ends when nothing is alive",
                        "event %" PRId64, event->seq);
}

/* Only tasks that have not ended can be cancelled; one that is sent again may start again. */
static void see_cancel(struct onlooker *onlooker, const struct event *event)
{
    for (int i = 0; i < onlooker->plot->task_count; i++) {
        const struct onlooker_task *task = &onlooker->tasks[i];
        bool meant = event->task < 0 || event->task == i;
        if (meant && !task->passed && !task->over)
            onlooker->tasks[i].stopped = true;
    }
}

static void see_run(struct onlooker *onlooker, const struct event *event)
{
    if (event->kind == EVENT_RUN_STARTED)
        onlooker->jobs = event->run_started.jobs;
    if (event->kind == EVENT_RUN_ENDED)
        see_end(onlooker, event);
    if (event->kind == EVENT_CANCEL_ASKED)
        see_cancel(onlooker, event);
    if (event->kind != EVENT_GATE_CLOSED && event->kind != EVENT_GATE_OPENED)
        return;
    const bool closes = event->kind == EVENT_GATE_CLOSED;
    struct onlooker_source *source =
        &onlooker->sources[closes ? event->gate_closed.source : event->gate_opened.source];
    source->closed = closes;
    source->due_ms = closes ? event->gate_closed.due.mono_ms : 0;
    source->sent = closes ? event->gate_closed.chosen : -1;
    source->probes = 0;
}

/* After a reboot, old times mean nothing on the new clock. */
static void see_reboot(struct onlooker *onlooker)
{
    for (int i = 0; i < onlooker->plot->task_count; i++) {
        for (int k = 0; k < onlooker->plot->tasks[i].step_count; k++)
            onlooker->steps[i][k].due_ms = INT64_MIN;
    }
    for (int i = 0; i < PLOT_SOURCES_MAX; i++)
        onlooker->sources[i].due_ms = INT64_MIN;
}

void onlooker_event(struct onlooker *onlooker, const struct event *event)
{
    bool rebooted = event->kind == EVENT_RUN_RECOVERED && event->recovered.rebooted;
    (void)finding_check(onlooker->finding, event->seq == onlooker->seq + 1, "events without gaps",
                        "%" PRId64 " after %" PRId64, event->seq, onlooker->seq);
    (void)finding_check(onlooker->finding, rebooted || event->at.mono_ms >= onlooker->last.mono_ms,
                        "time does not go back", "event %" PRId64, event->seq);
    onlooker->seq = event->seq;
    onlooker->last = event->at;
    if (rebooted)
        see_reboot(onlooker);
    see_run(onlooker, event);
    if (event->task < 0 || event->step < 0)
        return;

    struct sight sight = {.onlooker = onlooker, .event = event};
    sight.task = &onlooker->tasks[event->task];
    sight.step = &onlooker->steps[event->task][event->step];
    sight.plot = &onlooker->plot->tasks[event->task].steps[event->step];
    sight.policy = &onlooker->plot->policies[sight.plot->policy];
    int source = onlooker->plan->tasks[event->task].steps[event->step].source;
    sight.source = source >= 0 ? &onlooker->sources[source] : NULL;
    see_step(&sight);
}
