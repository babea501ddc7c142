#include <stdio.h>

#include "agents.h"
#include "facts.h"
#include "world.h"

/* Picks a task in that state, using the salt; any task if there is none. */
static int pick_task(const struct world *world, const struct plot_op *op, uint64_t salt)
{
    const struct run_state *state = &world->state;
    int count = 0;
    for (int i = 0; i < world->plot->task_count; i++)
        count += state->tasks[i].status == op->status;
    if (op->any_task || count == 0)
        return (int)(salt % (uint64_t)world->plot->task_count);
    int at = (int)(salt % (uint64_t)count);
    for (int i = 0; i < world->plot->task_count; i++) {
        if (state->tasks[i].status == op->status && at-- == 0)
            return i;
    }
    return 0;
}

static void aim(const struct world *world, const struct plot_op *op, struct control *control)
{
    int step = run_state_step_number(&world->state, control->task);
    int attempt = (int)run_state_step(&world->state, control->task)->attempt_count;
    control->step = -1;
    switch (op->aim) {
    case 1:
        control->step = step;
        control->attempt = attempt;
        break;
    case 2:
        control->step = op->salt % 4 == 0 ? PLOT_STEPS_MAX
                        : step > 0        ? (int)(op->salt % (uint64_t)step)
                                          : step + 1;
        break;
    case 3:
        control->attempt = attempt > 1 ? attempt - 1 : attempt + 1;
        break;
    case 4:
        control->attempt = attempt;
        break;
    default: /* any state */
        break;
    }
}

void world_act(struct world *world, const struct plot_op *op, uint64_t salt)
{
    struct control control = {.verb = op->verb,
                              .mode = op->mode,
                              .task = -1,
                              .step = -1,
                              .key_at_ms = world->now.at_ms,
                              .label = op->label,
                              .by = "ann"};
    if (!op->silent)
        control.id = ++world->last_control;
    if (op->unknown_task)
        control.task = world->plot->task_count + (int)(salt % 3);
    else if (!op->of_run) {
        control.task = pick_task(world, op, salt);
        aim(world, op, &control);
    }
    if (world->tracing)
        (void)printf("      ann: %s t%d\n", control_verb_name(control.verb), control.task);
    world_turn(world, (struct input){.kind = INPUT_CONTROL, .control = control});
}

/* Sends news of an attempt that is over, or never existed. */
static void tell_stale(struct world *world, const struct plot_op *op)
{
    static const enum input_kind kinds[] = {INPUT_RUNNING, INPUT_ENDED, INPUT_QUIET, INPUT_HEARD};
    struct plot_op any = {.any_task = true};
    int task = pick_task(world, &any, op->salt);
    const struct step_state *step = run_state_step(&world->state, task);
    struct input input = {.kind = kinds[op->salt / 7 % 4],
                          .task = task,
                          .step = run_state_step_number(&world->state, task),
                          .attempt = (int)step->attempt_count,
                          .verdict = verdict_new()};
    bool alive = step->status == STEP_RUNNING;
    if (alive && op->salt % 2 == 0)
        input.attempt--;
    else if (alive)
        input.step++;
    if (op->salt % 11 == 0)
        input.task = op->salt % 2 == 0 ? -1 : world->plot->task_count;
    world_turn(world, input);
    if (world->tally)
        world->tally->stale++;
}

/* Sends a fact about any existing attempt; occasionally about one that does not exist. */
static void tell_fact(struct world *world, const struct event *fact, uint64_t salt)
{
    const int task = (int)(salt % (uint64_t)world->plot->task_count);
    const int step_count = world->plot->tasks[task].step_count;
    const bool current = salt / 5 % 4 != 0;
    const int step = current ? run_state_step_number(&world->state, task)
                             : (int)(salt / 11 % (uint64_t)step_count);
    const size_t attempts = world->state.tasks[task].steps[step].attempt_count;
    world_turn(world, (struct input){.kind = INPUT_FACT,
                                     .task = salt / 7 % 40 == 0 ? -1 : task,
                                     .step = salt / 13 % 40 == 0 ? step_count : step,
                                     .attempt = (int)(attempts - salt / 17 % (attempts + 1)),
                                     .fact_event = *fact});
}

/* Picks a running agent if there is one; occasionally something that is not an agent. */
static int pick_agent(const struct world *world, uint64_t salt)
{
    const int count = world->plot->task_count;
    for (int i = 0; i < count && salt % 20 != 0; i++) {
        const int task = (int)((salt + (uint64_t)i) % (uint64_t)count);
        const int step = run_state_step_number(&world->state, task);
        if (world->flights[task].out && world->plot->tasks[task].steps[step].agent &&
            world->state.tasks[task].status == TASK_RUNNING)
            return task;
    }
    return (int)(salt % (uint64_t)count);
}

static void tell_agent(struct world *world, const struct plot_op *op)
{
    enum { CALLS_MAX = 150 };
    const int task = pick_agent(world, op->salt);
    struct flight *flight = &world->flights[task];
    const struct plot_op *armed = world->armed;
    for (int i = 0; i < op->count && flight->calls < CALLS_MAX && !world->finding.broken; i++) {
        struct input input = {.kind = INPUT_FACT,
                              .task = task,
                              .step = run_state_step_number(&world->state, task),
                              .fact_event = agents_fact(op)};
        input.attempt = (int)run_state_step(&world->state, task)->attempt_count;
        if (op->fact.kind == EVENT_AGENT_CALL)
            input.fact_event.call.number = ++flight->calls;
        world_turn(world, input);
        if (world->armed != armed)
            break; /* a different engine now */
    }
}

void world_tell_host(struct world *world, const char *host, bool is_down)
{
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    input.fact_event = event_new(EVENT_HOST_STATE);
    input.fact_event.host.executor = PLOT_EXECUTOR;
    input.fact_event.host.host = host;
    input.fact_event.host.is_down = is_down;
    input.fact_event.host.why = is_down ? "no route to host" : NULL;
    world_turn(world, input);
}

/* Picks a task whose attempt runs on a host, if there is one; occasionally any. */
static int pick_away(const struct world *world, uint64_t salt)
{
    const int count = world->plot->task_count;
    for (int i = 0; i < count && salt % 20 != 0; i++) {
        const int task = (int)((salt + (uint64_t)i) % (uint64_t)count);
        const struct step_state *step = run_state_step(&world->state, task);
        if (step->status == STEP_RUNNING && step_state_latest(step)->host >= 0)
            return task;
    }
    return (int)(salt % (uint64_t)count);
}

static void tell_machine(struct world *world, enum event_kind kind, uint64_t salt)
{
    enum { LEASE_MS = 60000 };
    const int hosts = world->plot->host_count;
    if (kind == EVENT_HOST_STATE) {
        const int host = hosts > 0 ? (int)(salt % (uint64_t)hosts) : 0;
        const bool is_there = hosts > 0 && salt / 7 % 20 != 0;
        const bool was_down = hosts > 0 && world->state.hosts[host].down;
        world_tell_host(world, is_there ? plot_host_name(host) : "h9",
                        salt / 11 % 5 == 0 ? was_down : !was_down);
        return;
    }
    struct event fact = facts_plain(kind);
    if (kind == EVENT_CONTACT_LOST) {
        fact.contact_lost.since = world->now;
        fact.contact_lost.fence =
            (struct moment){world->now.at_ms + LEASE_MS, world->now.mono_ms + LEASE_MS};
    } else if (kind == EVENT_JOB_STATE) {
        fact.job.state = (enum job_state)(salt / 7 % JOB_STATE_COUNT);
        fact.job.node = fact.job.state == JOB_RUNNING ? "n2" : NULL;
    }
    const int task = pick_away(world, salt);
    const struct step_state *step = run_state_step(&world->state, task);
    world_turn(world, (struct input){.kind = INPUT_FACT,
                                     .task = task,
                                     .step = run_state_step_number(&world->state, task),
                                     .attempt = (int)step->attempt_count,
                                     .fact_event = fact});
}

/* Tells the cost of the day, which is seldom a new day, or that a command of `after` has ended. */
static void tell_report(struct world *world, enum event_kind kind, uint64_t salt)
{
    enum { FIRST_DAY = 20261130, COSTS = 8 };
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    input.fact_event = event_new(kind);
    if (kind == EVENT_DAY_COST) {
        input.fact_event.day.date = FIRST_DAY + (salt / 3 % 4 == 0);
        input.fact_event.day.cost_micro = (int64_t)(salt / 13 % COSTS) * 10 * 1000;
    } else {
        input.task = (int)(salt % ((uint64_t)world->plot->task_count + 1));
        input.fact_event.after.what = (enum plan_after)(salt / 7 % AFTER_COUNT);
        input.fact_event.after.code = salt / 11 % 3 == 0 ? 1 : 0;
    }
    world_turn(world, input);
}

/* Returns an act that causes a rare event; 0 = there is none. */
static enum control_verb verb_for(enum event_kind kind)
{
    switch (kind) {
    case EVENT_TASK_HELD:
        return CONTROL_HOLD;
    case EVENT_TASK_RELEASED:
        return CONTROL_RELEASE;
    case EVENT_CANCEL_ASKED:
        return CONTROL_CANCEL;
    case EVENT_STEP_REOPENED:
        return CONTROL_RETRY;
    case EVENT_CLASS_CORRECTED:
        return CONTROL_CORRECT;
    default: /* the others are frequent enough, or not caused by a person */
        return (enum control_verb)0;
    }
}

/* The log will be cut after the next event of a kind: makes sure that there is one. */
static void arm(struct world *world, const struct plot_op *op)
{
    struct plot_op act = {.kind = PLOT_CONTROL, .verb = verb_for(op->after)};
    world->armed = op;
    if (op->turn == 0)
        return;
    if (op->after == EVENT_RUN_RECOVERED) {
        world_crash(world, op);
    } else if (op->after == EVENT_DAY_COST || op->after == EVENT_AFTER_ENDED) {
        tell_report(world, op->after, op->salt);
    } else if (op->after >= EVENT_HOST_STATE && event_kind_is_fact(op->after)) {
        tell_machine(world, op->after, op->salt);
    } else if (op->after >= EVENT_AGENT_SESSION && event_kind_is_fact(op->after)) {
        const struct plot_op told = {
            .salt = op->salt, .count = 1, .call = 1, .result = 1, .fact = event_new(op->after)};
        tell_agent(world, &told);
    } else if (event_kind_is_fact(op->after)) {
        const struct event fact = facts_plain(op->after);
        tell_fact(world, &fact, op->salt);
    } else if (op->after == EVENT_NOTE) {
        world_turn(world, (struct input){.kind = INPUT_NOTE, .task = -1, .note = "now"});
    } else if (act.verb != 0) {
        act.mode = (enum cancel_mode)(op->salt % CANCEL_MODE_COUNT);
        act.of_run = act.verb == CONTROL_RELEASE && world->state.held_count > 0;
        act.status = act.verb == CONTROL_RETRY ? TASK_GAVE_UP : TASK_RUNNING;
        act.any_task = act.verb == CONTROL_CORRECT;
        world_act(world, &act, op->salt);
    }
}

void world_do(struct world *world, const struct plot_op *op)
{
    switch (op->kind) {
    case PLOT_CONTROL:
        world_act(world, op, op->salt);
        break;
    case PLOT_CRASH:
        arm(world, op);
        break;
    case PLOT_LEAVE:
        world->leaving = true;
        world->scheduler.starts_nothing = true;
        if (world->tally)
            world->tally->leaves++;
        break;
    case PLOT_WALL_JUMP:
        world->now.at_ms += op->ms;
        if (world->tally)
            world->tally->wall_jumps++;
        break;
    case PLOT_SLEEP:
        world->now.at_ms += op->ms;
        world->now.mono_ms += op->ms;
        if (world->tally)
            world->tally->sleeps++;
        world_turn(world, (struct input){.kind = INPUT_TIME});
        break;
    case PLOT_STALE:
        tell_stale(world, op);
        break;
    case PLOT_NOTE:
        world_turn(world,
                   (struct input){.kind = INPUT_NOTE, .task = -1, .note = "low on \"disk\""});
        break;
    case PLOT_AGENT:
        tell_agent(world, op);
        break;
    case PLOT_FACT:
        tell_fact(world, &op->fact, op->salt);
        break;
    case PLOT_HOST:
        tell_machine(world, op->fact.kind, op->salt);
        break;
    case PLOT_TOLD:
        tell_report(world, op->salt / 5 % 4 == 0 ? EVENT_AFTER_ENDED : EVENT_DAY_COST, op->salt);
        break;
    case PLOT_START_AGAIN:
        world_turn(world, (struct input){.kind = INPUT_START, .jobs = 1, .control.by = "cat"});
        break;
    case PLOT_OP_KIND_COUNT:
        break;
    }
}
