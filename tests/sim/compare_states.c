#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agents.h"
#include "comparison.h"
#include "facts.h"

struct line {
    const char *what;
    int64_t want, have;
};

static bool check_rows(struct finding *finding, const char *name, const struct line *rows,
                       size_t count, int task, int step)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].want != rows[i].have)
            return finding_check(finding, false, name,
                                 "t%d/%d: %s is %" PRId64 ", should be %" PRId64, task, step,
                                 rows[i].what, rows[i].have, rows[i].want);
    }
    return true;
}

#define CHECK_ROWS(finding, name, rows, task, step)                                                \
    check_rows(finding, name, rows, sizeof(rows) / sizeof((rows)[0]), task, step)

static const char as_derived[] = "the state is what follows from the log";

static bool check_attempt(struct finding *finding, const struct model_step *want,
                          const struct step_state *have, int task, int step)
{
    const struct attempt_state *attempt = step_state_attempt(have);
    if (!attempt)
        return true;
    const struct model_attempt *last = &want->last;
    const struct correction *correction = attempt->correction;
    const struct line rows[] = {
        {"attempt", want->attempt_count, attempt->number},
        {"its grant", want->grants[(want->attempt_count - 1) % MODEL_ATTEMPTS_MAX], attempt->grant},
        {"its round", want->rounds[(want->attempt_count - 1) % MODEL_ATTEMPTS_MAX], attempt->round},
        {"its start", last->started.at_ms, attempt->started.at_ms},
        {"its start, mono", last->started.mono_ms, attempt->started.mono_ms},
        {"its end", last->ended.at_ms, attempt->ended.at_ms},
        {"its end, mono", last->ended.mono_ms, attempt->ended.mono_ms},
        {"its pid", last->pid, attempt->pid},
        {"its wait", last->waited_ms, attempt->waited_ms},
        {"its outcome", last->outcome.kind, attempt->outcome.kind},
        {"its code", last->outcome.code, attempt->outcome.code},
        {"why it was stopped", last->outcome.stop, attempt->outcome.stop},
        {"its silence", last->outcome.quiet_ms, attempt->outcome.quiet_ms},
        {"its time", last->outcome.ran_ms, attempt->outcome.ran_ms},
        {"its output", last->outcome.bytes[0], attempt->outcome.bytes[0]},
        {"its errors", last->outcome.bytes[1], attempt->outcome.bytes[1]},
        {"its lines", last->outcome.lines[0], attempt->outcome.lines[0]},
        {"its error lines", last->outcome.lines[1], attempt->outcome.lines[1]},
        {"its memory", last->outcome.rss_kib_max, attempt->outcome.rss_kib_max},
        {"its cpu", last->outcome.cpu_ms, attempt->outcome.cpu_ms},
        {"what it left", last->outcome.processes_left, attempt->outcome.processes_left},
        {"its result", (int64_t)last->fingerprint.hi, (int64_t)attempt->fingerprint.hi},
        {"its result, low", (int64_t)last->fingerprint.lo, (int64_t)attempt->fingerprint.lo},
        {"its news", last->new_permille, attempt->new_permille},
        {"its class", last->class, attempt->class},
        {"its type", last->type, attempt->type},
        {"its reason", last->reason, attempt->reason},
        {"its correction", last->corrected, correction != NULL},
        {"corrected class", last->label.class, correction ? correction->label.class : 0},
        {"corrected type", last->label.type, correction ? correction->label.type : 0},
        {"corrected reason", last->label.reason, correction ? correction->label.reason : 0},
    };
    return CHECK_ROWS(finding, as_derived, rows, task, step);
}

/* Checks the evidence of the last verdict in the log. */
static bool check_opinion(struct finding *finding, const struct model_step *want,
                          const struct step_state *have, int task, int step)
{
    if (!want->judged)
        return true;
    struct verdict room;
    const struct verdict none = {.class = VERDICT_CLASS_COUNT};
    const struct verdict *said = step_state_verdict(have, &room);
    const struct verdict *verdict = said ? said : &none;
    const struct line rows[] = {
        {"verdict", want->opinion.class, verdict->class},
        {"verdict's type", want->opinion.type, verdict->type},
        {"verdict's reason", want->opinion.reason, verdict->reason},
        {"verdict's hint", want->opinion.hint_ms, verdict->retry_after_ms},
        {"verdict asks", want->opinion.ask, verdict->ask},
        {"verdict's expectation", want->opinion.expectation, verdict->expectation},
    };
    return CHECK_ROWS(finding, as_derived, rows, task, step);
}

static bool check_step(struct finding *finding, const struct model_step *want,
                       const struct step_state *have, int task, int step)
{
    const struct line rows[] = {
        {"status", want->status, have->status},
        {"end", want->status == STEP_ENDED ? want->end : 0,
         want->status == STEP_ENDED ? have->end : 0},
        {"grant", want->grant, have->grant},
        {"used", want->used, have->used},
        {"allowed", want->allowed, have->allowed},
        {"failed starts", want->start_failures, have->start_failures},
        {"free hints", want->free_hints, have->free_hints},
        {"same", want->same, have->same},
        {"results from", want->results_from, have->results_from},
        {"interrupted", want->interrupted, have->interrupted},
        {"judged", want->judged, have->judged},
        {"silent failure", want->silent, have->silent_failure},
        {"quiet", want->quiet, have->quiet},
        {"heard", want->quiet ? want->heard_mono_ms : 0, want->quiet ? have->heard_mono_ms : 0},
        {"first start", want->first_start.at_ms, have->first_start.at_ms},
        {"first start, mono", want->first_start.mono_ms, have->first_start.mono_ms},
        {"held", want->held_ms, have->held_ms},
        {"attempts", want->attempt_count, (int64_t)have->attempt_count},
    };
    if (!CHECK_ROWS(finding, as_derived, rows, task, step))
        return false;
    const struct delay *delay = &step_state_formulas(have)->delay;
    const struct line wait[] = {
        {"wait since", want->wait_from.mono_ms, have->wait_from.mono_ms},
        {"due", want->due.at_ms, have->due.at_ms},
        {"due, mono", want->due.mono_ms, have->due.mono_ms},
        {"delay", want->delay_ms, delay->delay_ms},
        {"exact delay", want->exact_ms, delay->exact_ms},
        {"n", want->formula.n, delay->retry_number},
        {"hint", want->formula.hint_ms, delay->hint_ms},
    };
    return check_opinion(finding, want, have, task, step) &&
           (want->status != STEP_WAITING || CHECK_ROWS(finding, as_derived, wait, task, step)) &&
           check_attempt(finding, want, have, task, step);
}

static int unmet(const struct model *model, int task)
{
    const struct plot_task *plot = &model->plot->tasks[task];
    int count = 0;
    for (int i = 0; i < plot->need_count; i++)
        count += model->tasks[plot->needs[i]].status != TASK_PASSED;
    return count;
}

/* For "start 2/4": the start in progress, or the last one that failed. */
static int starts_tried(const struct model *model, int task)
{
    const struct model_step *step = model_peek(model, task);
    bool again = step->start_failures > 0 && step->status == STEP_RUNNING;
    return step->start_failures + (again ? 1 : 0);
}

static int followers(const struct model *model, int task)
{
    int count = 0;
    for (int i = 0; i < model->plot->task_count; i++)
        count += model->tasks[i].follows == task;
    return count;
}

static bool check_trail(struct finding *finding, const struct model_task *want,
                        const struct circles *have, int task)
{
    if (!finding_check(finding, want->has_trail == (have != NULL), as_derived, "t%d: a trail is %s",
                       task, have ? "known" : "not known"))
        return false;
    if (!have)
        return true;
    const struct trail *trail = &want->trail;
    const struct trail_saying *saying = &trail->saying;
    bool said = saying->level != ENTROPY_OK;
    bool of_call =
        said && saying->rung != ENTROPY_RUNG_BARREN && saying->rung != ENTROPY_RUNG_CYCLE;
    const struct trail_step none = {0};
    const struct trail_step *first = said ? &trail->steps[saying->first] : &none;
    const struct trail_step *last = said ? &trail->steps[trail->said_at - 1] : &none;
    const struct entropy_verdict *verdict = &have->verdict;
    const struct line rows[] = {
        {"steps of the trail", trail->count, entropy_state_steps(&have->state)},
        {"scale", trail->scale, circles_scale(have)},
        {"level", saying->level, verdict->level},
        {"rung", said ? (int64_t)saying->rung : 0, verdict->rung},
        {"repeats", said ? saying->count : 0, verdict->count},
        {"first of them", first->attempt, verdict->first_number},
        {"first of them, step", first->step, have->first_step},
        {"last of them", last->attempt, verdict->last_number},
        {"last of them, step", last->step, have->last_step},
        {"told", trail->told, have->told},
        {"said since", of_call ? trail->since.at_ms : 0, of_call ? have->since.at_ms : 0},
    };
    return CHECK_ROWS(finding, as_derived, rows, task, want->step);
}

static bool check_task(struct finding *finding, const struct model *model,
                       const struct run_state *state, int task)
{
    const struct model_task *want = &model->tasks[task];
    const struct task_state *have = &state->tasks[task];
    bool has_by = (want->held && want->follows < 0) || want->cancelling;
    const struct gate_state *gate = run_state_gate(state, task);
    bool in_line = model_is_in_line(model, task);
    bool waits = want->status == TASK_BACKOFF && want->follows < 0;
    const struct line rows[] = {
        {"task status", want->status, have->status},
        {"step", want->step, have->step},
        {"unmet needs", unmet(model, task), have->unmet},
        {"blocked by", want->blocked_by, have->blocked_by},
        {"entropy", want->entropy, have->entropy},
        {"held", want->held, have->held},
        {"follows", want->follows, have->follows},
        {"followers", followers(model, task), have->followers},
        {"held since", want->held ? want->held_since.mono_ms : 0,
         want->held ? have->held_since.mono_ms : 0},
        {"cancelling", want->cancelling, have->cancelling},
        {"cancel mode", want->cancelling ? (int64_t)want->mode : 0,
         want->cancelling ? (int64_t)have->cancel_mode : 0},
        {"since", want->since.at_ms, have->since.at_ms},
        {"since, mono", want->since.mono_ms, have->since.mono_ms},
        {"first start", want->first_start.mono_ms, have->first_start.mono_ms},
        {"waited", want->waited_ms, have->waited_ms},
        {"who", has_by ? strcmp(want->by, have->by ? have->by : "") : 0, 0},
        {"in line", in_line && !gate, number_set_has(&state->ready, task)},
        {"in the gate's line", in_line && gate, gate && number_set_has(&gate->line, task)},
        {"waits", waits, heap_has(&state->waits, task)},
        {"its wake-up", waits ? model_peek(model, task)->due.mono_ms : 0,
         waits && heap_has(&state->waits, task) ? heap_key(&state->waits, task) : 0},
        {"starts tried", starts_tried(model, task), run_state_start_tries(state, task).at},
        {"tries in all", model_tries(model, task, model_step_number(model, task)),
         run_state_tries(state, task)},
    };
    if (!CHECK_ROWS(finding, as_derived, rows, task, want->step))
        return false;
    if (!check_trail(finding, want, have->circles, task))
        return false;
    if (!facts_check(finding, model, state, task))
        return false;
    bool all = model->last_seq % 16 == 0; /* steps that are over rarely change */
    int current = model_step_number(model, task);
    int last = model->plot->tasks[task].step_count - 1;
    for (int i = all ? 0 : current; i <= (all ? last : current); i++) {
        if (!check_step(finding, &model->steps[task][i], &have->steps[i], task, i))
            return false;
    }
    return true;
}

static bool check_gate(struct finding *finding, const struct model_gate *want,
                       const struct gate_state *have, int source)
{
    bool timed = want->status == GATE_CLOSED || want->status == GATE_SPREADING;
    const struct line rows[] = {
        {"gate status", want->status, have->status},
        {"limits in a row", want->closed, have->closed},
        {"limited since", want->closed > 0 ? want->since.at_ms : 0,
         want->closed > 0 ? have->since.at_ms : 0},
        {"gate due", timed ? want->due.mono_ms : 0, timed ? have->due.mono_ms : 0},
        {"gate due, wall", timed ? want->due.at_ms : 0, timed ? have->due.at_ms : 0},
        {"spacing", want->status == GATE_SPREADING ? want->spacing_ms : 0,
         want->status == GATE_SPREADING ? have->spacing_ms : 0},
        {"probe", want->probe, have->probe},
        {"chosen", want->chosen, have->chosen},
    };
    return CHECK_ROWS(finding, as_derived, rows, -1, source);
}

static bool check_run(struct finding *finding, const struct model *model,
                      const struct run_state *state)
{
    int held = 0;
    int follow = 0;
    for (int i = 0; i < model->plot->task_count; i++) {
        held += model->tasks[i].held;
        follow += model->tasks[i].follows >= 0;
    }
    const struct line rows[] = {
        {"started", model->started, state->started},
        {"ended", model->ended, state->ended},
        {"stopped by a person", model->stopped_by_person, state->stopped_by_person},
        {"jobs", model->jobs, state->jobs},
        {"start", model->started_at.at_ms, state->started_at.at_ms},
        {"start, mono", model->started_at.mono_ms, state->started_at.mono_ms},
        {"end", model->ended_at.at_ms, state->ended_at.at_ms},
        {"end, mono", model->ended_at.mono_ms, state->ended_at.mono_ms},
        {"exit code", model->ended ? model->exit_code : 0, model->ended ? state->exit_code : 0},
        {"last event", model->last_seq, state->last_seq},
        {"last event's time", model->last.mono_ms, state->last.mono_ms},
        {"running", model_running(model), state->running},
        {"held", held, state->held_count},
        {"following", follow, state->follow_count},
        {"attempts", model->attempts, state->attempts},
        {"waited", model->waited_ms, state->waited_ms},
        {"unknown events", 0, state->unknown_events},
        {"notice", 0, strcmp(model->notice, state->notice)},
        {"time of the notice", model->notice_at_ms, state->notice_at_ms},
    };
    return CHECK_ROWS(finding, as_derived, rows, -1, -1);
}

static bool is_near(const struct model_step *a, const struct model_step *b)
{
    int64_t apart_ms = a->wait_from.mono_ms - b->wait_from.mono_ms;
    return a->last.fingerprint.hi == b->last.fingerprint.hi &&
           a->last.fingerprint.lo == b->last.fingerprint.lo && apart_ms <= FAULT_SPAN_MS &&
           apart_ms >= -FAULT_SPAN_MS;
}

static bool waits_on_result(const struct model *model, int task)
{
    const struct model_step *step = model_peek(model, task);
    return step->status == STEP_WAITING && model->tasks[task].follows < 0 &&
           (step->last.fingerprint.hi != 0 || step->last.fingerprint.lo != 0);
}

/* Returns true if both wait with the same result, on the same source. */
static bool are_alike(const struct model *model, int task, int other)
{
    const struct digest *a = &model_peek(model, task)->last.fingerprint;
    const struct digest *b = &model_peek(model, other)->last.fingerprint;
    return waits_on_result(model, task) && waits_on_result(model, other) && a->hi == b->hi &&
           a->lo == b->lo && model_source(model, task) == model_source(model, other);
}

/* Returns true if all tasks that wait like this one began within a minute of each other. */
static bool all_near(const struct model *model, int task)
{
    for (int i = 0; i < model->plot->task_count; i++) {
        for (int k = 0; k < i; k++) {
            bool both = are_alike(model, i, task) && are_alike(model, k, task);
            if (both && !is_near(model_peek(model, i), model_peek(model, k)))
                return false;
        }
    }
    return true;
}

/* A reported fault has at least three members, and is reported by the first of them. */
static bool check_fault(struct finding *finding, const struct model *model,
                        const struct fault *fault, const struct run_state *state)
{
    int members = 0;
    int first = -1;
    for (int i = 0; i < model->plot->task_count; i++) {
        const struct digest *result = &model_peek(model, i)->last.fingerprint;
        bool same = result->hi == fault->fingerprint.hi && result->lo == fault->fingerprint.lo;
        if (!same || !are_alike(model, i, fault->first) || !fault_has(fault, state, i))
            continue;
        members++;
        first = first < 0 ? i : first;
    }
    bool within = fault->latest.mono_ms - fault->since.mono_ms <= FAULT_SPAN_MS;
    return finding_check(finding, fault->count >= 3 && members == fault->count && within,
                         "a common fault has three members or more, within a minute",
                         "%d, should be %d", fault->count, members) &&
           finding_check(finding, fault->first == first, "a common fault is told by its first",
                         "t%d, should be t%d", fault->first, first);
}

/* If all tasks that wait with one result began within a minute, they are one fault. */
static bool check_faults(struct finding *finding, const struct model *model,
                         const struct run_state *state)
{
    struct fault faults[FAULTS_MAX];
    int count = run_state_faults(state, faults);
    for (int i = 0; i < count; i++) {
        if (!check_fault(finding, model, &faults[i], state))
            return false;
    }
    for (int i = 0; i < model->plot->task_count; i++) {
        int members = 0;
        bool close = waits_on_result(model, i);
        for (int k = 0; close && k < model->plot->task_count; k++) {
            bool same = are_alike(model, i, k);
            members += same;
            close = !same || k >= i;
        }
        bool told = false;
        for (int k = 0; k < count; k++)
            told = told || (faults[k].first == i && faults[k].count == members);
        if (close && members >= FAULT_TASKS_MIN && !told && all_near(model, i))
            return finding_check(finding, false, "three that wait with one result are one fault",
                                 "%d with t%d", members, i);
    }
    return true;
}

bool compare_model(struct finding *finding, const struct model *model,
                   const struct run_state *state)
{
    bool holds = check_run(finding, model, state) && agents_check(finding, model, state);
    for (int i = 0; holds && i < model->plot->task_count; i++)
        holds = check_task(finding, model, state, i);
    for (int i = 0; holds && i < TASK_STATUS_COUNT; i++) {
        const struct line row = {task_status_name((enum task_status)i),
                                 model_count(model, (enum task_status)i), state->counts[i]};
        holds = check_rows(finding, as_derived, &row, 1, -1, -1);
    }
    for (int i = 0; holds && i < model->plan->source_count; i++)
        holds = check_gate(finding, &model->gates[i], &state->gates[i], i);
    return holds && check_faults(finding, model, state);
}

bool compare_texts(struct finding *finding, const struct run_state *state, const struct turn *turn)
{
    for (size_t i = 0; i < turn->event_count; i++) {
        const struct event *event = &turn->events[i];
        if (event->kind != EVENT_WAIT_STARTED && event->kind != EVENT_STEP_ENDED)
            continue;
        /* the next decision about the step replaces it */
        bool is_last = true;
        for (size_t j = i + 1; j < turn->event_count; j++)
            is_last = is_last && (turn->events[j].task != event->task ||
                                  (turn->events[j].kind != EVENT_WAIT_STARTED &&
                                   turn->events[j].kind != EVENT_STEP_ENDED));
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
                           "what a decision went by is kept", "%s of t%d/%d",
                           event_kind_name(event->kind), event->task, event->step))
            return false;
    }
    return true;
}
