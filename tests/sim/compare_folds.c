#include "comparison.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char anew[] = "folding the log from scratch gives the live state";

static bool same_moment(const struct moment *a, const struct moment *b)
{
    return a->at_ms == b->at_ms && a->mono_ms == b->mono_ms;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_outcome(const struct outcome *a, const struct outcome *b)
{
    return a->kind == b->kind && a->code == b->code && a->ran_ms == b->ran_ms &&
           a->bytes[0] == b->bytes[0] && a->bytes[1] == b->bytes[1] && a->lines[0] == b->lines[0] &&
           a->lines[1] == b->lines[1] && a->rss_kib_max == b->rss_kib_max &&
           a->cpu_ms == b->cpu_ms && a->processes_left == b->processes_left &&
           a->proof == b->proof && a->cause == b->cause;
}

static bool same_correction(const struct correction *a, const struct correction *b)
{
    if (!a || !b)
        return a == b;
    return verdict_label_equals(&a->label, &b->label) && a->at_ms == b->at_ms &&
           strcmp(a->by, b->by) == 0;
}

static bool same_attempt(const struct attempt_state *a, const struct attempt_state *b)
{
    return a->number == b->number && a->grant == b->grant &&
           same_moment(&a->started, &b->started) && same_moment(&a->ended, &b->ended) &&
           a->pid == b->pid && a->host == b->host && a->waited_ms == b->waited_ms &&
           digest_equal(a->call, b->call) && digest_equal(a->fingerprint, b->fingerprint) &&
           a->new_permille == b->new_permille && same_outcome(&a->outcome, &b->outcome) &&
           a->class == b->class && a->type == b->type && a->reason == b->reason &&
           same_correction(a->correction, b->correction);
}

static bool same_counts(const struct step_state *a, const struct step_state *b)
{
    return a->status == b->status && a->end == b->end && a->grant == b->grant &&
           a->used == b->used && a->allowed == b->allowed &&
           a->start_failures == b->start_failures && a->free_hints == b->free_hints &&
           a->same == b->same && a->results_from == b->results_from &&
           a->interrupted == b->interrupted && a->tries_max == b->tries_max &&
           a->judged == b->judged && a->silent_failure == b->silent_failure &&
           a->quiet == b->quiet && a->heard_mono_ms == b->heard_mono_ms;
}

static bool same_inputs(const struct decision_inputs *a, const struct decision_inputs *b)
{
    struct event one = event_new(EVENT_STEP_ENDED);
    struct event other = event_new(EVENT_STEP_ENDED);
    one.step_ended.inputs = *a;
    other.step_ended.inputs = *b;
    char *texts[] = {event_object(&one), event_object(&other)};
    const bool same = strcmp(texts[0], texts[1]) == 0 && a->base_ms == b->base_ms &&
                      a->cap_ms == b->cap_ms && a->full_jitter == b->full_jitter;
    free(texts[0]);
    free(texts[1]);
    return same;
}

static bool same_evidence(const struct step_state *a, const struct step_state *b)
{
    struct event one = event_new(EVENT_ATTEMPT_JUDGED);
    struct event other = event_new(EVENT_ATTEMPT_JUDGED);
    struct verdict rooms[2];
    const struct verdict *verdicts[] = {step_state_verdict(a, &rooms[0]),
                                        step_state_verdict(b, &rooms[1])};
    if (!verdicts[0] || !verdicts[1])
        return verdicts[0] == verdicts[1];
    verdict_to_record(verdicts[0], &one.judged);
    verdict_to_record(verdicts[1], &other.judged);
    char *texts[] = {event_object(&one), event_object(&other)};
    const bool same = strcmp(texts[0], texts[1]) == 0;
    free(texts[0]);
    free(texts[1]);
    return same;
}

static bool same_formulas(const struct step_formulas *a, const struct step_formulas *b)
{
    return a->delay.delay_ms == b->delay.delay_ms && a->delay.exact_ms == b->delay.exact_ms &&
           a->delay.retry_number == b->delay.retry_number && a->delay.factor == b->delay.factor &&
           a->delay.hint_ms == b->delay.hint_ms && same_inputs(&a->inputs, &b->inputs) &&
           same_text(a->refused, b->refused);
}

static bool same_trees(const struct step_trees *a, const struct step_trees *b)
{
    return digest_equal(a->saved, b->saved) && digest_equal(a->proven, b->proven) &&
           a->proven_attempt == b->proven_attempt;
}

static bool same_step(const struct step_state *a, const struct step_state *b)
{
    bool same = same_counts(a, b) && same_moment(&a->first_start, &b->first_start) &&
                a->held_ms == b->held_ms && same_moment(&a->wait_from, &b->wait_from) &&
                same_moment(&a->due, &b->due) &&
                same_formulas(step_state_formulas(a), step_state_formulas(b)) &&
                same_trees(step_state_trees(a), step_state_trees(b)) &&
                verdict_label_equals(&a->verdict, &b->verdict) && same_evidence(a, b) &&
                a->attempt_count == b->attempt_count;
    for (size_t i = 0; same && i < a->attempt_count; i++)
        same = same_attempt(&a->attempts[i], &b->attempts[i]);
    return same;
}

static bool same_circles(const struct circles *a, const struct circles *b)
{
    if (!a || !b)
        return a == b;
    const struct entropy_verdict *left = &a->verdict, *right = &b->verdict;
    return left->level == right->level && left->rung == right->rung && left->news == right->news &&
           left->poll == right->poll && left->masked == right->masked &&
           left->count == right->count && left->period == right->period &&
           left->first == right->first && left->last == right->last &&
           left->first_number == right->first_number && left->last_number == right->last_number &&
           digest_equal(left->identity, right->identity) && a->first_step == b->first_step &&
           a->last_step == b->last_step && same_moment(&a->since, &b->since) &&
           a->told == b->told && a->state.scale == b->state.scale &&
           entropy_state_steps(&a->state) == entropy_state_steps(&b->state);
}

static bool same_place(const struct task_place *a, const struct task_place *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && digest_equal(a->tree, b->tree) && a->is_changed == b->is_changed &&
           a->is_kept == b->is_kept && same_text(a->path, b->path) &&
           same_text(a->branch, b->branch) && same_text(a->result, b->result) &&
           same_text(a->lacks, b->lacks);
}

/* Compares the texts, too, which no digest covers; the digest covers the rest. */
static bool same_agent(const struct task_agent *a, const struct task_agent *b)
{
    if (!a || !b)
        return a == b;
    return same_text(a->agent, b->agent) && same_text(a->session, b->session) &&
           same_text(a->repair, b->repair) && same_text(a->nudge, b->nudge) &&
           a->round == b->round && a->rounds == b->rounds &&
           a->past.cost_micro == b->past.cost_micro && a->budget.wall_ms == b->budget.wall_ms &&
           same_circles(a->calls, b->calls);
}

static bool same_job(const struct task_job *a, const struct task_job *b)
{
    if (!a || !b)
        return a == b;
    return a->state == b->state && same_moment(&a->since, &b->since) && same_text(a->id, b->id) &&
           same_text(a->reason, b->reason) && same_text(a->node, b->node);
}

static bool same_host(const struct host_state *a, const struct host_state *b)
{
    return a->running == b->running && a->reached == b->reached && a->down == b->down &&
           same_moment(&a->since, &b->since) && same_moment(&a->heard, &b->heard) &&
           memcmp(&a->nodes, &b->nodes, sizeof(a->nodes)) == 0 && same_text(a->why, b->why);
}

static bool same_task(const struct task_state *a, const struct task_state *b)
{
    return a->status == b->status && a->step == b->step && a->unmet == b->unmet &&
           a->blocked_by == b->blocked_by && a->entropy == b->entropy && a->held == b->held &&
           a->follows == b->follows && a->after == b->after && a->cancelling == b->cancelling &&
           a->cancel_mode == b->cancel_mode && same_moment(&a->since, &b->since) &&
           same_moment(&a->held_since, &b->held_since) &&
           same_moment(&a->first_start, &b->first_start) &&
           same_moment(&a->away_since, &b->away_since) && same_moment(&a->fence, &b->fence) &&
           a->reached == b->reached && same_job(a->job, b->job) && a->waited_ms == b->waited_ms &&
           same_circles(a->circles, b->circles) && same_place(a->place, b->place) &&
           same_agent(a->agent, b->agent) && same_text(a->by, b->by);
}

static bool same_heap(const struct heap *a, const struct heap *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->size; i++) {
        bool there = heap_has(a, i);
        same = there == heap_has(b, i) && (!there || heap_key(a, i) == heap_key(b, i));
    }
    return same;
}

static bool same_set(const struct number_set *a, const struct number_set *b)
{
    bool same = a->count == b->count && a->size == b->size;
    for (int i = 0; same && i < a->size; i++)
        same = number_set_has(a, i) == number_set_has(b, i);
    return same;
}

static bool same_gate(const struct gate_state *a, const struct gate_state *b)
{
    return a->status == b->status && a->closed == b->closed && same_moment(&a->since, &b->since) &&
           same_moment(&a->due, &b->due) && a->spacing_ms == b->spacing_ms &&
           a->probe == b->probe && a->chosen == b->chosen && same_set(&a->line, &b->line);
}

static bool same_run(const struct run_state *a, const struct run_state *b)
{
    bool same = a->seed == b->seed && a->jobs == b->jobs && a->started == b->started &&
                a->ended == b->ended && a->stopped_by_person == b->stopped_by_person &&
                a->exit_code == b->exit_code && same_moment(&a->started_at, &b->started_at) &&
                same_moment(&a->ended_at, &b->ended_at) && same_moment(&a->last, &b->last) &&
                a->last_seq == b->last_seq && a->unknown_events == b->unknown_events &&
                a->running == b->running && a->running_away == b->running_away &&
                a->held_count == b->held_count && a->follow_count == b->follow_count &&
                a->attempts == b->attempts && a->waited_ms == b->waited_ms &&
                a->stopped_ms == b->stopped_ms && a->away_ms == b->away_ms &&
                a->secrets_cut == b->secrets_cut && strcmp(a->notice, b->notice) == 0 &&
                a->notice_at_ms == b->notice_at_ms;
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        same = same && a->counts[i] == b->counts[i];
    return same && same_set(&a->ready, &b->ready) && same_set(&a->ready_away, &b->ready_away) &&
           same_heap(&a->waits, &b->waits) && same_heap(&a->walls, &b->walls);
}

bool compare_folds(struct finding *finding, const struct run_state *live,
                   const struct run_state *again)
{
    bool holds = finding_check(finding, run_state_digest(live) == run_state_digest(again), anew,
                               "the digests differ at event %" PRId64, live->last_seq) &&
                 finding_check(finding, same_run(live, again), anew, "the run differs");
    for (int i = 0; holds && i < live->plan->task_count; i++)
        holds = finding_check(finding, same_task(&live->tasks[i], &again->tasks[i]), anew,
                              "task %d differs", i);
    for (int i = 0; holds && i < live->plan->step_count; i++)
        holds = finding_check(finding, same_step(&live->steps[i], &again->steps[i]), anew,
                              "step %d of all differs", i);
    for (int i = 0; holds && i < plan_host_count(live->plan); i++)
        holds = finding_check(finding, same_host(&live->hosts[i], &again->hosts[i]), anew,
                              "host %d differs", i);
    for (int i = 0; holds && i < live->plan->source_count; i++)
        holds = finding_check(finding, same_gate(&live->gates[i], &again->gates[i]), anew,
                              "gate %d differs", i);
    return holds;
}

bool compare_texts(struct finding *finding, const struct run_state *state, const struct turn *turn)
{
    for (size_t i = 0; i < turn->events.count; i++) {
        const struct event *event = &turn->events.items[i];
        if (event->kind != EVENT_WAIT_STARTED && event->kind != EVENT_STEP_ENDED)
            continue;
        /* the next decision about the step replaces it */
        bool is_last = true;
        for (size_t j = i + 1; j < turn->events.count; j++)
            is_last = is_last && (turn->events.items[j].task != event->task ||
                                  (turn->events.items[j].kind != EVENT_WAIT_STARTED &&
                                   turn->events.items[j].kind != EVENT_STEP_ENDED));
        if (!is_last)
            continue;
        const struct step_state *step = &state->tasks[event->task].steps[event->step];
        bool waits = event->kind == EVENT_WAIT_STARTED;
        const struct decision_inputs *kept = &step_state_formulas(step)->inputs;
        const struct decision_inputs *given =
            waits ? &event->wait.inputs : &event->step_ended.inputs;
        bool same = !given->policy == !kept->policy && given->used == kept->used &&
                    given->allowed == kept->allowed && given->base_ms == kept->base_ms &&
                    given->budget == kept->budget && given->loop.rung == kept->loop.rung;
        if (!finding_check(finding, same || step->attempt_count > (size_t)event->attempt,
                           "the inputs of a decision are kept", "%s of t%d/%d",
                           event_kind_name(event->kind), event->task, event->step))
            return false;
    }
    return true;
}
