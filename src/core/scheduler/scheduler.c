/*
 * scheduler.c - one step of the scheduler: from an input to events and actions.
 *
 * First come the ways to emit an event, to end a step and to block its dependents, then
 * recovery, and last the inputs one by one.
 */
#include "scheduler.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "fold.h"
#include "scheduler_internal.h"
#include "xalloc.h"

void turn_clear(struct turn *turn)
{
    for (size_t i = 0; i < turn->events.count; i++) {
        if (turn->events.texts[i].cap > TURN_TEXT_KEPT_MAX)
            str_done(&turn->events.texts[i]);
    }
    turn->events.count = 0;
    turn->action_count = 0;
}

void turn_done(struct turn *turn)
{
    event_list_done(&turn->events);
    str_done(&turn->scratch);
    free(turn->actions);
    *turn = (struct turn){0};
}

struct event scheduler_event(const struct scheduling *now, enum event_kind kind, int task)
{
    struct event event = event_new(kind);
    event.seq = now->state->last_seq + 1;
    event.at = now->input->now;
    event.task = task;
    if (task < 0)
        return event;
    event.step = run_state_step_number(now->state, task);
    const struct step_state *step = &now->state->tasks[task].steps[event.step];
    event.round = run_state_round(now->state, task);
    event.grant = step->grant > 0 ? step->grant : 1;
    event.attempt = step->attempt_count > 0 ? step_state_latest(step)->number : 0;
    return event;
}

struct str *scheduler_scratch(const struct scheduling *now)
{
    str_clear(&now->turn->scratch);
    return &now->turn->scratch;
}

/* Emits an event. Returns false and changes nothing if the event does not fit the state. */
static bool try_emit(const struct scheduling *now, struct event *event)
{
    const struct scheduler *scheduler = now->scheduler;
    if (scheduler->recall) /* set the fields that only the log of a recorded run knows */
        scheduler->recall(scheduler->recall_ctx, event);
    event_limit(event);
    if (!run_state_apply(now->state, event, NULL))
        return false;
    (void)event_list_add(&now->turn->events, event);
    return true;
}

void scheduler_emit(const struct scheduling *now, struct event event)
{
    bool fits = try_emit(now, &event);
    assert(fits);
    (void)fits;
}

void scheduler_emit_by(const struct scheduling *now, struct event event, const char *by)
{
    event.by = by[0] != '\0' ? by : NULL;
    scheduler_emit(now, event);
}

static void add_action(const struct scheduling *now, struct action action)
{
    struct turn *turn = now->turn;
    turn->actions =
        xgrow(turn->actions, &turn->action_cap, turn->action_count + 1, sizeof(*turn->actions));
    turn->actions[turn->action_count++] = action;
}

void scheduler_end_attempt(const struct scheduling *now, int task, enum cancel_mode mode)
{
    const struct attempt_state *attempt = step_state_attempt(run_state_step(now->state, task));
    add_action(now, (struct action){.kind = ACTION_KILL,
                                    .task = task,
                                    .step = run_state_step_number(now->state, task),
                                    .attempt = attempt->number,
                                    .mode = mode});
}

/* Blocks all tasks that need this task, directly or indirectly. */
static void block_dependents(const struct scheduling *now, int failed)
{
    const struct run_state *state = now->state;
    size_t cap = 0;
    size_t count = 0;
    int *line = xgrow(NULL, &cap, 1, sizeof(*line));
    line[count++] = failed;
    for (size_t at = 0; at < count; at++) {
        const struct plan_task *plan = &state->plan->tasks[line[at]];
        for (int i = 0; i < plan->dependent_count; i++) {
            int task = plan->dependents[i];
            const struct task_state *dependent = &state->tasks[task];
            if (task_status_is_final(dependent->status) || dependent->cancelling)
                continue;
            struct event event = scheduler_event(now, EVENT_TASK_BLOCKED, task);
            event.blocked.needs = line[at];
            scheduler_emit(now, event);
            line = xgrow(line, &cap, count + 1, sizeof(*line));
            line[count++] = task;
        }
    }
    free(line);
}

/* Releases the tasks that were held until this one ended, one after the other: at once if it
 * passed, otherwise not before their own time. */
static void release_followers(const struct scheduling *now, int leader, bool passed)
{
    const struct run_state *state = now->state;
    int count = 0;
    for (int i = 0; state->tasks[leader].followers > 0 && i < state->plan->task_count; i++) {
        if (state->tasks[i].follows != leader)
            continue;
        const struct moment *own = &run_state_step(state, i)->due;
        int64_t after_ms = (int64_t)++count * SCHEDULER_SPACING_MS;
        if (!passed && own->mono_ms > now->input->now.mono_ms + after_ms)
            after_ms = own->mono_ms - now->input->now.mono_ms;
        if (after_ms > FOLD_DELAY_MAX_MS)
            after_ms = FOLD_DELAY_MAX_MS;
        struct event event = scheduler_event(now, EVENT_TASK_RELEASED, i);
        event.released.due = now->input->now;
        event.released.due.at_ms += after_ms;
        event.released.due.mono_ms += after_ms;
        scheduler_emit(now, event);
    }
}

void scheduler_end_step(const struct scheduling *now, int task, const struct decision *decision,
                        const struct decision_inputs *inputs)
{
    const struct step_state *step = run_state_step(now->state, task);
    struct event event = scheduler_event(now, EVENT_STEP_ENDED, task);
    event.step_ended.decision = decision->kind;
    event.step_ended.attempts = step->used;
    event.step_ended.entropy = decision->entropy;
    event.step_ended.capture = decision->capture && event.attempt > 0;
    if (inputs)
        event.step_ended.inputs = *inputs;
    scheduler_emit(now, event);
    release_followers(now, task, decision->kind == DECISION_SUCCEEDED);
    if (decision->kind != DECISION_SUCCEEDED)
        block_dependents(now, task);
}

/* Recovery: continues a run as if its inputs had arrived. */

/* Judges an attempt's end. The output is not in the log, so only the outcome counts: persistent if
 * in doubt. */
static struct verdict judge_end(const struct plan_step *plan, const struct step_state *step,
                                const struct outcome *outcome)
{
    struct verdict verdict = verdict_new();
    bool passed = outcome->kind == OUTCOME_EXIT && outcome->code == 0 && !step->silent_failure;
    const struct classify_input facts = {
        .outcome = *outcome, .memory_killed = -1, .cpu_s = plan->sandbox->cpu_s};
    if (!passed && !facts_judge(&facts, &verdict))
        verdict_set_persistent(&verdict, REASON_NONE, "", "recovered.unread");
    return verdict;
}

/* Ends the attempt that was running when the engine died, or decides about one whose end is in the
 * log without a decision. */
static void settle_attempt(const struct scheduling *now, int task)
{
    const enum step_status status = run_state_step(now->state, task)->status;
    if (status != STEP_RUNNING && status != STEP_JUDGING)
        return;
    scheduler_agent_settle(now, task);

    const struct step_state *step = run_state_step(now->state, task);
    struct input ended = *now->input;
    if (status == STEP_RUNNING) { /* nobody observed its end */
        ended.outcome = (struct outcome){.kind = OUTCOME_INTERRUPTED};
        ended.verdict = verdict_new();
        const struct classify_input facts = {.outcome = ended.outcome, .memory_killed = -1};
        (void)facts_judge(&facts, &ended.verdict); /* facts_judge() always knows an interruption */
        struct scheduling then = *now;
        then.input = &ended;
        scheduler_judge(&then, task, &ended);
        return;
    }
    ended.outcome = step_state_attempt(step)->outcome;
    ended.expectation_met = false; /* nobody checked the output */
    if (step->judged && step_state_verdict(step, &ended.verdict)) {
        scheduler_decide(now, task, &ended.outcome, &ended.verdict);
    } else {
        ended.verdict = judge_end(scheduler_plan_step(now->state, task), step, &ended.outcome);
        scheduler_judge_late(now, task, &ended);
    }
}

/* Returns whether the fold has this state of the task's job already. */
static bool has_job_state(const struct task_state *task, const struct event *event)
{
    const struct task_job *job = task->job;
    const char *reason = event->job.reason ? event->job.reason : "";
    return job && job->state == event->job.state && event->job.job &&
           strncmp(job->id, event->job.job, JOB_TEXT_MAX - 1) == 0 &&
           strncmp(job->reason, reason, JOB_TEXT_MAX - 1) == 0 &&
           (!event->job.node || strncmp(job->node, event->job.node, JOB_TEXT_MAX - 1) == 0);
}

/* Records a fact. Facts come from outside and may come late, so ignores facts that the fold
 * rejects, and states that have not changed. */
static void take_fact(const struct scheduling *now)
{
    const struct run_state *state = now->state;
    const struct input *input = now->input;
    struct event event = input->fact_event;
    const bool of_run = event.kind == EVENT_TIME_STOPPED || event.kind == EVENT_HOST_STATE ||
                        event.kind == EVENT_DAY_COST;
    if (!event_kind_is_fact(event.kind))
        return;
    event.seq = state->last_seq + 1;
    event.at = input->now;
    event.task = -1;
    event.step = -1;
    if (event.kind == EVENT_DAY_COST) {
        const struct day_use *day = &state->day;
        event.day.own_micro = state->used.cost_micro;
        if (event.day.date == day->date &&
            event.day.cost_micro == day->cost_micro + state->used.cost_micro - day->own_micro)
            return;
    }
    if (event.kind == EVENT_AFTER_ENDED) {
        if (input->task < 0 || input->task >= state->plan->task_count)
            return;
        event.task = input->task;
    } else if (!of_run) {
        if (input->task < 0 || input->task >= state->plan->task_count || input->step < 0 ||
            input->step >= state->plan->tasks[input->task].step_count)
            return;
        const struct attempt_state *attempt =
            step_state_find_attempt(&state->tasks[input->task].steps[input->step], input->attempt);
        if (!attempt)
            return;
        if (event.kind == EVENT_JOB_STATE && has_job_state(&state->tasks[input->task], &event))
            return;
        event.task = input->task;
        event.step = input->step;
        event.round = attempt->round;
        event.grant = attempt->grant;
        event.attempt = input->attempt;
    }
    if (!try_emit(now, &event))
        return;
    if (event.kind != EVENT_DAY_COST) /* its budget is looked at when the input has been taken */
        scheduler_agent_told(now, event.kind, event.task);
}

/* Attaches to the task's attempt on another machine, which may have survived. The engine that died
 * may not have sent the signal of a cancellation. Returns false if there is no such attempt. */
static bool attach_attempt(const struct scheduling *now, int task)
{
    const struct task_state *state = &now->state->tasks[task];
    const struct step_state *step = run_state_step(now->state, task);
    if (step->status != STEP_RUNNING || step_state_latest(step)->host < 0)
        return false;
    add_action(now, (struct action){.kind = ACTION_ATTACH,
                                    .task = task,
                                    .step = run_state_step_number(now->state, task),
                                    .attempt = step_state_latest(step)->number});
    if (state->cancelling && state->cancel_mode != CANCEL_STOP)
        scheduler_end_attempt(now, task, state->cancel_mode);
    return true;
}

/* Continues where the engine that died left off. */
static void recover_run(const struct scheduling *now)
{
    const struct run_state *state = now->state;
    const struct plan *plan = state->plan;
    const enum take_up take_up = now->input->take_up;
    struct event event = scheduler_event(now, EVENT_RUN_RECOVERED, -1);
    event.recovered.rebooted = now->input->rebooted;
    event.recovered.jobs = now->input->jobs != state->jobs ? now->input->jobs : 0;
    event.recovered.take_up = state->ended ? take_up : TAKE_UP_OPEN;
    scheduler_emit_by(now, event, now->input->control.by);
    if (now->input->fact_event.kind == EVENT_DAY_COST)
        take_fact(now);
    if (event.recovered.take_up != TAKE_UP_OPEN) {
        /* In a run that has ended, nothing is running. The fold queues the tasks that the reopened
         * tasks blocked. */
        for (int i = 0; i < plan->task_count; i++) {
            const enum task_status status = state->tasks[i].status;
            if ((task_status_is_failed(status) &&
                 (take_up == TAKE_UP_REST || take_up == TAKE_UP_FAILED)) ||
                (status == TASK_CANCELLED && take_up == TAKE_UP_REST))
                scheduler_reopen(now, &now->input->control, i);
        }
        return;
    }
    for (int i = 0; i < plan->task_count; i++) {
        if (!attach_attempt(now, i))
            settle_attempt(now, i);
    }
    for (int i = 0; i < plan->task_count; i++) {
        if (run_state_step(state, i)->status == STEP_RUNNING)
            scheduler_agent_resumes(now, i);
    }
    for (int i = 0; i < plan->source_count; i++) {
        const struct gate_state *gate = &state->gates[i];
        if (gate->status == GATE_PROBING &&
            run_state_step(state, gate->probe)->status != STEP_RUNNING)
            scheduler_gate_lost(now, i);
    }
    /* Apply the consequences of a cancellation, of a failure, and of a task sent ahead. */
    for (int i = 0; i < plan->task_count; i++) {
        const struct task_state *task = &state->tasks[i];
        scheduler_cancel_rest(now, i);
        if (task_status_is_final(task->status) && task->status != TASK_PASSED)
            block_dependents(now, i);
        if (task->follows >= 0)
            scheduler_emit(now, scheduler_event(now, EVENT_TASK_RELEASED, i));
    }
}

/* The inputs. */

static void start_attempt(const struct scheduling *now, int task)
{
    const struct plan_step *step = scheduler_plan_step(now->state, task);
    struct call_digester *calls = now->scheduler->calls;
    const struct digest call = calls ? call_digester_take(calls, step) : (struct digest){0};
    struct event event = scheduler_event(now, EVENT_ATTEMPT_STARTED, task);
    struct start_tries tries = run_state_start_tries(now->state, task);
    event.attempt++;
    event.started.call = call;
    event.started.start = tries.at > 0 ? tries.at + 1 : 0;
    const int host = run_state_free_host(now->state, task);
    scheduler_emit(now, event);
    if (host >= 0) { /* known before anything runs there, so that nothing is started twice */
        struct event placed = scheduler_event(now, EVENT_ATTEMPT_PLACED, task);
        const struct host_place place = run_state_host_place(now->state, host);
        placed.placed.executor = place.executor->name;
        placed.placed.host = place.host;
        scheduler_emit(now, placed);
    }
    add_action(
        now, (struct action){
                 .kind = ACTION_SPAWN, .task = task, .step = event.step, .attempt = event.attempt});
}

static void fill_slots(const struct scheduling *now)
{
    const struct decision deadline = {.kind = DECISION_DEADLINE, .entropy = true, .capture = true};
    struct run_state *state = now->state;
    int task;
    while ((task = scheduler_next_ready(now)) >= 0) {
        /* The task may have been held or queued since its wait ended, so check the deadline here as
         * well. */
        const struct step_state *step = run_state_step(state, task);
        const bool is_late =
            step->first_start.at_ms != 0 &&
            protocol_is_late(scheduler_plan_step(state, task)->policy, step->first_start.mono_ms,
                             step->held_ms, now->input->now.mono_ms);
        if (is_late)
            scheduler_end_step(now, task, &deadline, NULL);
        else if (!scheduler_budget_ends(now, task))
            start_attempt(now, task);
    }
}

/* Ends the run if no task is open. The exit code is the one with the highest precedence: stopped by
 * a person, needs a person, entropy, gave up. */
static void end_run(const struct scheduling *now)
{
    const struct run_state *state = now->state;
    int open =
        state->counts[TASK_QUEUED] + state->counts[TASK_RUNNING] + state->counts[TASK_BACKOFF];
    bool awaits_more = now->scheduler->awaits_more && !state->stopped_by_person;
    if (!state->started || state->ended || open > 0 || awaits_more)
        return;
    enum run_exit code = RUN_EXIT_GAVE_UP;
    if (state->stopped_by_person)
        code = RUN_EXIT_STOPPED;
    else if (state->counts[TASK_NEEDS_YOU] > 0)
        code = RUN_EXIT_NEEDS_YOU;
    else if (state->counts[TASK_STUCK] > 0)
        code = RUN_EXIT_ENTROPY;
    else if (state->counts[TASK_PASSED] == state->plan->task_count)
        code = RUN_EXIT_PASSED;
    struct event event = scheduler_event(now, EVENT_RUN_ENDED, -1);
    event.run_ended.exit_code = (int)code;
    scheduler_emit(now, event);
}

static bool names_live_attempt(const struct run_state *state, const struct input *input)
{
    if (input->task < 0 || input->task >= state->plan->task_count)
        return false;
    const struct step_state *step = run_state_step(state, input->task);
    return step->status == STEP_RUNNING && step->attempt_count > 0 &&
           input->step == run_state_step_number(state, input->task) &&
           input->attempt == step_state_latest(step)->number;
}

static void take_input(const struct scheduling *now)
{
    const struct input *input = now->input;
    struct event event;
    switch (input->kind) {
    case INPUT_START:
    case INPUT_RECOVER:
        if (!now->state->started) {
            event = scheduler_event(now, EVENT_RUN_STARTED, -1);
            event.run_started.jobs = input->jobs;
            scheduler_emit_by(now, event, input->control.by);
        }
        if (input->kind == INPUT_RECOVER)
            recover_run(now);
        else if (input->fact_event.kind == EVENT_DAY_COST)
            take_fact(now);
        break;
    case INPUT_RUNNING:
        if (!names_live_attempt(now->state, input))
            break;
        event = scheduler_event(now, EVENT_ATTEMPT_RUNNING, input->task);
        event.running.pid = input->pid;
        event.running.pid_start = input->pid_start;
        event.running.slot = input->slot;
        event.running.port = input->port;
        scheduler_emit(now, event);
        break;
    case INPUT_QUIET:
        if (!names_live_attempt(now->state, input))
            break;
        event = scheduler_event(now, EVENT_ATTEMPT_QUIET, input->task);
        event.quiet.quiet_ms = input->quiet_ms;
        scheduler_emit(now, event);
        break;
    case INPUT_HEARD:
        if (names_live_attempt(now->state, input))
            scheduler_emit(now, scheduler_event(now, EVENT_ATTEMPT_HEARD, input->task));
        break;
    case INPUT_ENDED:
        if (names_live_attempt(now->state, input))
            scheduler_judge(now, input->task, input);
        break;
    case INPUT_CONTROL:
        scheduler_control(now, &input->control);
        break;
    case INPUT_NOTE:
        event = scheduler_event(now, EVENT_NOTE, input->task);
        event.note.note = input->note;
        scheduler_emit(now, event);
        break;
    case INPUT_FACT:
        take_fact(now);
        break;
    case INPUT_TASK:
        event = scheduler_event(now, EVENT_TASK_ADDED, -1);
        event.task_added.number = now->state->plan->task_count;
        event.task_added.task = input->note;
        /* The caller checks the number of tasks. A task that the fold rejects is not added. */
        (void)try_emit(now, &event);
        break;
    case INPUT_TIME:
    case INPUT_KIND_COUNT:
        break;
    }
}

void scheduler_step(struct scheduler *scheduler, const struct input *input, struct turn *turn)
{
    struct scheduling now = {
        .scheduler = scheduler, .state = scheduler->state, .input = input, .turn = turn};
    scheduler->stepped_mono_ms = input->now.mono_ms;
    take_input(&now);
    if (input->kind == INPUT_RECOVER || input->fact_event.kind == EVENT_DAY_COST)
        scheduler_budget_day(&now);
    if (!scheduler->orphaned)
        scheduler_budget_time(&now); /* without an engine the time spent is not known */
    const struct heap *waits = &now.state->waits;
    for (int task = heap_first(waits); task >= 0 && heap_key(waits, task) <= input->now.mono_ms;
         task = heap_first(waits))
        scheduler_emit(&now, scheduler_event(&now, EVENT_WAIT_ENDED, task));
    if (!scheduler->starts_nothing && !scheduler->orphaned)
        fill_slots(&now);
    end_run(&now);
}

static int64_t earlier(int64_t due_ms, int64_t other_ms)
{
    return due_ms < 0 || other_ms < due_ms ? other_ms : due_ms;
}

/* Returns whether tasks in the gate's line may start when its time comes. With executors, those
 * behind a task that a person sends need not wait until it has a slot. */
static bool waits_for_time(const struct run_state *state, const struct gate_state *gate,
                           int64_t now_mono_ms)
{
    const bool timed = gate->status == GATE_CLOSED || gate->status == GATE_SPREADING;
    if (!timed || gate->due.mono_ms <= now_mono_ms)
        return false;
    if (gate->chosen < 0)
        return gate->line.count > 0;
    return state->plan->executor_count > 0 && gate->line.count > 1;
}

int64_t scheduler_next_due(const struct scheduler *scheduler)
{
    const struct run_state *state = scheduler->state;
    int task = heap_first(&state->waits);
    int64_t due_ms = task >= 0 ? heap_key(&state->waits, task) : -1;
    for (int i = 0; i < state->plan->source_count; i++) {
        const struct gate_state *gate = &state->gates[i];
        if (waits_for_time(state, gate, scheduler->stepped_mono_ms))
            due_ms = earlier(due_ms, gate->due.mono_ms);
    }
    const int64_t wall_due_ms = scheduler_budget_due(state);
    return wall_due_ms < 0 ? due_ms : earlier(due_ms, wall_due_ms);
}
