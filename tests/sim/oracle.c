#include "oracle.h"

#include <assert.h>

#include "agents.h"
#include "facts.h"

enum { SPACING_MS = 1000 };

struct foretold oracle_event(const struct oracle *oracle, enum event_kind kind, int task)
{
    const struct model *model = &oracle->model;
    struct foretold foretold = {.event = event_new(kind)};
    foretold.event.seq = model->last_seq + 1;
    foretold.event.at = oracle->input->now;
    foretold.event.task = task;
    if (task < 0)
        return foretold;
    const struct model_step *step = model_peek(model, task);
    foretold.event.step = model_step_number(model, task);
    foretold.event.round = agents_round(model, task);
    foretold.event.grant = step->grant > 0 ? step->grant : 1;
    foretold.event.attempt = step->attempt_count;
    return foretold;
}

void oracle_emit(struct oracle *oracle, const struct foretold *foretold)
{
    assert(oracle->count < ORACLE_EVENTS_MAX);
    oracle->list[oracle->count++] = *foretold;
    model_take(&oracle->model, foretold);
}

void oracle_act(struct oracle *oracle, struct action action)
{
    assert(oracle->action_count < ORACLE_ACTIONS_MAX);
    oracle->actions[oracle->action_count++] = action;
}

void oracle_count(struct oracle *oracle, enum row row)
{
    if (oracle->tally)
        oracle->tally->rows[row]++;
}

void oracle_block(struct oracle *oracle, int task)
{
    const struct plot *plot = oracle->model.plot;
    int line[PLOT_TASKS_MAX * PLOT_TASKS_MAX];
    int count = 0;
    line[count++] = task;
    for (int at = 0; at < count; at++) {
        for (int i = 0; i < plot->task_count; i++) {
            const struct model_task *other = &oracle->model.tasks[i];
            if (!model_needs(&oracle->model, i, line[at]) || !model_is_open(other->status) ||
                other->cancelling)
                continue;
            struct foretold blocked = oracle_event(oracle, EVENT_TASK_BLOCKED, i);
            blocked.event.blocked.needs = line[at];
            oracle_emit(oracle, &blocked);
            oracle_count(oracle, ROW_BLOCKED);
            line[count++] = i;
        }
    }
}

/* Tasks held back because of another one continue, spaced out; after its failure, not earlier than
 * they would have by themselves. */
static void release_followers(struct oracle *oracle, int leader, bool passed)
{
    const struct moment *now = &oracle->input->now;
    int64_t apart_ms = 0;
    for (int i = 0; i < oracle->model.plot->task_count; i++) {
        if (oracle->model.tasks[i].follows != leader)
            continue;
        apart_ms += SPACING_MS;
        int64_t own_ms = model_peek(&oracle->model, i)->due.mono_ms - now->mono_ms;
        int64_t after_ms = !passed && own_ms > apart_ms ? own_ms : apart_ms;
        struct foretold released = oracle_event(oracle, EVENT_TASK_RELEASED, i);
        released.event.released.due.at_ms = now->at_ms + after_ms;
        released.event.released.due.mono_ms = now->mono_ms + after_ms;
        oracle_emit(oracle, &released);
    }
}

void oracle_end_step(struct oracle *oracle, int task, const struct ruling *ruling,
                     const struct formula *formula)
{
    struct foretold ended = oracle_event(oracle, EVENT_STEP_ENDED, task);
    ended.event.step_ended.decision = ruling->kind;
    ended.event.step_ended.attempts = model_peek(&oracle->model, task)->used;
    ended.event.step_ended.entropy = ruling->entropy;
    ended.event.step_ended.capture = ruling->capture && ended.event.attempt > 0;
    if (formula && ruling->kind != DECISION_SUCCEEDED)
        ended.formula = *formula;
    oracle_emit(oracle, &ended);
    oracle_count(oracle, ruling->row);
    release_followers(oracle, task, ruling->kind == DECISION_SUCCEEDED);
    if (ruling->kind != DECISION_SUCCEEDED)
        oracle_block(oracle, task);
}

void oracle_cancel_rest(struct oracle *oracle, int task)
{
    const struct model_task *of = &oracle->model.tasks[task];
    struct ruling cancelled = {
        .row = ROW_CANCELLED_IDLE, .kind = DECISION_CANCELLED, .capture = true};
    if (of->cancelling && model_is_open(of->status))
        oracle_end_step(oracle, task, &cancelled, NULL);
}

/* Ends the waits that are over, the earliest first. */
static void end_waits(struct oracle *oracle)
{
    struct model *model = &oracle->model;
    for (;;) {
        int first = -1;
        for (int i = 0; i < model->plot->task_count; i++) {
            const struct model_step *step = model_peek(model, i);
            bool waits = step->status == STEP_WAITING && model->tasks[i].follows < 0 &&
                         model->tasks[i].status == TASK_BACKOFF;
            if (waits && step->due.mono_ms <= oracle->input->now.mono_ms &&
                (first < 0 || step->due.mono_ms < model_peek(model, first)->due.mono_ms))
                first = i;
        }
        if (first < 0)
            return;
        struct foretold ended = oracle_event(oracle, EVENT_WAIT_ENDED, first);
        oracle_emit(oracle, &ended);
    }
}

bool oracle_gate_lets(const struct model_gate *gate, int64_t now_ms)
{
    bool sent = gate->status == GATE_CLOSED && gate->chosen >= 0;
    return gate->status == GATE_OPEN || sent ||
           (gate->status != GATE_PROBING && gate->due.mono_ms <= now_ms);
}

/* Returns the lowest number that may start; the user's choice comes first in its line. */
static int next_to_start(const struct oracle *oracle)
{
    const struct model *model = &oracle->model;
    int firsts[PLOT_SOURCES_MAX + 1];
    for (int i = 0; i <= PLOT_SOURCES_MAX; i++)
        firsts[i] = -1;
    for (int i = model->plot->task_count - 1; i >= 0; i--) {
        if (model_is_in_line(model, i))
            firsts[model_source(model, i) + 1] = i;
    }
    int next = firsts[0];
    for (int i = 0; i < PLOT_SOURCES_MAX; i++) {
        const struct model_gate *gate = &model->gates[i];
        int first = firsts[i + 1];
        if (first < 0 || !oracle_gate_lets(gate, oracle->input->now.mono_ms))
            continue;
        bool chosen = gate->chosen >= 0 && model_is_in_line(model, gate->chosen) &&
                      model_source(model, gate->chosen) == i;
        if (chosen)
            first = gate->chosen;
        if (next < 0 || first < next)
            next = first;
    }
    return next;
}

static void start(struct oracle *oracle, int task)
{
    const struct model_step *step = model_peek(&oracle->model, task);
    struct foretold started = oracle_event(oracle, EVENT_ATTEMPT_STARTED, task);
    started.event.attempt++;
    started.event.started.start = step->start_failures > 0 ? step->start_failures + 1 : 0;
    oracle_act(oracle, (struct action){.kind = ACTION_SPAWN,
                                       .task = task,
                                       .step = started.event.step,
                                       .attempt = started.event.attempt});
    oracle_emit(oracle, &started);
}

static void fill_slots(struct oracle *oracle)
{
    const struct model *model = &oracle->model;
    const struct ruling late = {
        .row = ROW_DEADLINE_AT_START, .kind = DECISION_DEADLINE, .entropy = true, .capture = true};
    const struct ruling unpaid = {.row = ROW_BUDGET_AT_START, .kind = DECISION_NEEDS_YOU};
    while (model_running(model) < model->jobs) {
        int task = next_to_start(oracle);
        if (task < 0)
            return;
        const struct model_step *step = model_peek(model, task);
        const struct plot_policy *policy =
            &model->plot->policies[model_plot_step(model, task)->policy];
        bool is_late =
            step->first_start.at_ms != 0 && rules_late(policy, step->first_start.mono_ms,
                                                       step->held_ms, oracle->input->now.mono_ms);
        if (is_late)
            oracle_end_step(oracle, task, &late, NULL);
        else if (agents_spent(model, task, model_step_number(model, task)))
            oracle_end_step(oracle, task, &unpaid, NULL);
        else
            start(oracle, task);
    }
}

static void end_run(struct oracle *oracle)
{
    const struct model *model = &oracle->model;
    if (!model->started || model->ended)
        return;
    for (int i = 0; i < model->plot->task_count; i++) {
        if (model_is_open(model->tasks[i].status))
            return;
    }
    struct foretold ended = oracle_event(oracle, EVENT_RUN_ENDED, -1);
    ended.event.run_ended.exit_code = 0;
    if (model_count(model, TASK_PASSED) < model->plot->task_count)
        ended.event.run_ended.exit_code = 1;
    if (model_count(model, TASK_STUCK) > 0)
        ended.event.run_ended.exit_code = 3;
    if (model_count(model, TASK_NEEDS_YOU) > 0)
        ended.event.run_ended.exit_code = 4;
    if (model->stopped_by_person)
        ended.event.run_ended.exit_code = 130;
    oracle_emit(oracle, &ended);
}

static void start_run(struct oracle *oracle)
{
    if (oracle->model.started)
        return;
    struct foretold started = oracle_event(oracle, EVENT_RUN_STARTED, -1);
    started.event.run_started.jobs = oracle->input->jobs;
    started.event.by = oracle->input->control.by;
    oracle_emit(oracle, &started);
}

/* News of an attempt that is not the current one is ignored. */
static bool names_the_living(const struct oracle *oracle)
{
    const struct input *input = oracle->input;
    const struct model *model = &oracle->model;
    if (input->task < 0 || input->task >= model->plot->task_count)
        return false;
    const struct model_step *step = model_peek(model, input->task);
    return step->status == STEP_RUNNING && input->step == model_step_number(model, input->task) &&
           input->attempt == step->attempt_count;
}

static void tell_news(struct oracle *oracle, enum event_kind kind)
{
    if (!names_the_living(oracle))
        return;
    struct foretold news = oracle_event(oracle, kind, oracle->input->task);
    if (kind == EVENT_ATTEMPT_RUNNING) {
        news.event.running.pid = oracle->input->pid;
        news.event.running.pid_start = oracle->input->pid_start;
    } else if (kind == EVENT_ATTEMPT_QUIET) {
        news.event.quiet.quiet_ms = oracle->input->quiet_ms;
    }
    oracle_emit(oracle, &news);
}

static void tell_end(struct oracle *oracle)
{
    const struct input *input = oracle->input;
    const struct verdict *verdict = &input->verdict;
    if (!names_the_living(oracle))
        return;
    struct opinion opinion = {.class = verdict->class,
                              .type = verdict->type,
                              .reason = verdict->reason,
                              .hint_ms = verdict->retry_after_ms,
                              .ask = verdict->ask,
                              .no_retry = verdict->no_retry};
    struct outcome outcome = input->outcome;
    opinion = rules_expect(model_plot_step(&oracle->model, input->task), &outcome, opinion,
                           input->expectation_met);
    if (outcome.kind == OUTCOME_CANCELLED && !oracle->model.tasks[input->task].cancelling) {
        outcome.stop = STOP_BUDGET; /* if there is a reason at all */
        outcome.stop = agents_stop(oracle, input->task, &outcome);
    }
    if (outcome.stop != STOP_ASKED)
        opinion = oracle_stopped(outcome.stop);
    oracle_judge(oracle, input->task, &outcome, opinion);
}

static void answer(struct oracle *oracle)
{
    struct foretold note;
    switch (oracle->input->kind) {
    case INPUT_START:
        start_run(oracle);
        break;
    case INPUT_RUNNING:
        tell_news(oracle, EVENT_ATTEMPT_RUNNING);
        break;
    case INPUT_QUIET:
        tell_news(oracle, EVENT_ATTEMPT_QUIET);
        break;
    case INPUT_HEARD:
        tell_news(oracle, EVENT_ATTEMPT_HEARD);
        break;
    case INPUT_ENDED:
        tell_end(oracle);
        break;
    case INPUT_CONTROL:
        oracle_control(oracle, &oracle->input->control);
        break;
    case INPUT_NOTE:
        note = oracle_event(oracle, EVENT_NOTE, -1);
        note.event.note.note = oracle->input->note;
        oracle_emit(oracle, &note);
        break;
    case INPUT_RECOVER:
        start_run(oracle);
        oracle_recover(oracle);
        break;
    case INPUT_FACT:
        facts_foretell(oracle);
        break;
    case INPUT_TASK: /* these plans do not grow */
    case INPUT_TIME:
    case INPUT_KIND_COUNT:
        break;
    }
}

void oracle_foretell(struct oracle *oracle, const struct input *input)
{
    oracle->input = input;
    oracle->input_mono_ms = input->now.mono_ms;
    oracle->count = 0;
    oracle->action_count = 0;
    answer(oracle);
    if (!oracle->orphaned)
        agents_time(oracle);
    end_waits(oracle);
    if (!oracle->orphaned && !oracle->starts_nothing)
        fill_slots(oracle);
    end_run(oracle);
}

int64_t oracle_next_due(const struct oracle *oracle)
{
    const struct model *model = &oracle->model;
    int64_t due_ms = -1;
    for (int i = 0; i < model->plot->task_count; i++) {
        const struct model_step *step = model_peek(model, i);
        const struct moment *due = &step->due;
        bool timed = step->status == STEP_WAITING && model->tasks[i].follows < 0 &&
                     model->tasks[i].status == TASK_BACKOFF;
        int source = model_source(model, i);
        if (source >= 0 && model_is_in_line(model, i)) {
            const struct model_gate *gate = &model->gates[source];
            due = &gate->due;
            timed = (gate->status == GATE_CLOSED || gate->status == GATE_SPREADING) &&
                    !oracle_gate_lets(gate, oracle->input_mono_ms);
        }
        if (timed && (due_ms < 0 || due->mono_ms < due_ms))
            due_ms = due->mono_ms;
    }
    int64_t wall_ms = agents_due(model);
    return wall_ms >= 0 && (due_ms < 0 || wall_ms < due_ms) ? wall_ms : due_ms;
}
