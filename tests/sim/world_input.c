#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "comparison.h"
#include "damage.h"
#include "duty.h"
#include "facts.h"
#include "run_state.h"
#include "verdict.h"
#include "world.h"
#include "xalloc.h"

static void print_event(const struct event *event)
{
    (void)printf("%5" PRId64 " %8" PRId64 " ms  %-16s", event->seq, event->at.mono_ms,
                 event_kind_name(event->kind));
    if (event->task >= 0)
        (void)printf(" t%d/%d grant %d try %d", event->task, event->step, event->grant,
                     event->attempt);
    char *object = event_object(event);
    (void)printf("  %s\n", object);
    free(object);
}

/* Appends the event to the log, as a store would: written as JSON and read back. */
static void log_event(struct world *world, const struct event *event)
{
    const size_t count = world->log_count + 1;
    world->log = xgrow(world->log, &world->log_cap, count, sizeof(*world->log));
    world->objects = xgrow(world->objects, &world->objects_cap, count, sizeof(*world->objects));
    struct str *object = &world->objects[world->log_count];
    struct event *read = &world->log[world->log_count++];
    *object = (struct str){0};
    event_write(event, object);
    const size_t len = object->len;
    str_add_char(object, '\0');
    str_reserve(object, 2 * len);
    const struct event empty = event_new(event->kind);
    *read = *event;
    facts_put(read, &empty);
    (void)finding_check(&world->finding, event_read(read, object->data, len, object),
                        "an event can be read back", "%s", object->data);
}

/* Counts the event, and the blocked tasks that it queues again. */
static void count_event(struct world *world, const struct event *event, int blocked_before)
{
    struct tally *tally = world->tally;
    if (!tally)
        return;
    tally->events[event->kind]++;
    if (event->kind == EVENT_ATTEMPT_STARTED) {
        const struct plot_step *step = &world->plot->tasks[event->task].steps[event->step];
        tally->policies[step->policy < PLOT_BUILTIN ? step->policy : PLOT_BUILTIN]++;
        tally->phases[step->phase]++;
    }
    if (event->kind == EVENT_STEP_REOPENED)
        tally->rows[ROW_UNBLOCKED] += blocked_before - world->past.counts[TASK_BLOCKED];
}

static void keep(struct world *world, const struct event *event)
{
    const int blocked = world->past.counts[TASK_BLOCKED];
    struct err err = {0};
    log_event(world, event);
    if (world->tracing)
        print_event(event);
    const struct event *read = &world->log[world->log_count - 1];
    if (world->finding.broken)
        return;
    onlooker_event(&world->onlooker, &world->past, read);
    bool fits = run_state_apply(&world->past, read, &err);
    (void)finding_check(&world->finding, fits, "the log can be folded", "%s", err.message);
    count_event(world, read, blocked);
}

/* Returns the event after which the armed crash cuts this turn; -1 = none. */
static int find_cut(const struct world *world)
{
    const struct plot_op *op = world->armed;
    if (!op)
        return -1;
    if (op->after == EVENT_NONE)
        return world->turn.events.count > 0 ? 0 : -1;
    for (size_t i = 0; i < world->turn.events.count; i++) {
        if (world->turn.events.items[i].kind == op->after)
            return (int)i + 1;
    }
    return -1;
}

static const struct plot_ending *script_of(const struct world *world, const struct action *action)
{
    const struct plot_step *step = &world->plot->tasks[action->task].steps[action->step];
    return action->attempt <= step->ending_count ? &step->endings[action->attempt - 1] : NULL;
}

/* Attempts that are not in the script succeed as expected. */
static struct plot_ending goes_well(const struct plot_step *step)
{
    struct plot_ending ending = {
        .runs_ms = 100, .running_after_ms = 1, .quiet_after_ms = -1, .hint_ms = -1};
    if (!step->expects_failure)
        return ending;
    ending.code = 1;
    ending.class = VERDICT_PERSISTENT;
    ending.matches = true;
    unsigned reasons = step->reasons != 0 ? step->reasons : 1U;
    while ((reasons & 1U << ending.reason) == 0)
        ending.reason = (enum reason)(ending.reason + 1);
    return ending;
}

static void spawn(struct world *world, const struct action *action)
{
    const struct plot_ending *script = script_of(world, action);
    struct flight *flight = &world->flights[action->task];
    *flight = (struct flight){.out = true,
                              .step = action->step,
                              .attempt = action->attempt,
                              .running_ms = -1,
                              .quiet_ms = -1,
                              .heard_ms = -1};
    flight->ending =
        script ? *script : goes_well(&world->plot->tasks[action->task].steps[action->step]);
    flight->ends_ms = world->now.mono_ms + flight->ending.runs_ms;
    if (flight->ending.running_after_ms >= 0)
        flight->running_ms = world->now.mono_ms + flight->ending.running_after_ms;
    if (flight->ending.quiet_after_ms >= 0) {
        flight->quiet_ms = world->now.mono_ms + flight->ending.quiet_after_ms;
        flight->heard_ms = flight->quiet_ms + 1 + flight->ending.quiet_after_ms % 500;
    }
}

/* An attempt on a host outlives the engine: it goes on, or has ended meanwhile. One that was
 * recorded but never sent there is lost after its fence. */
static void attach(struct world *world, const struct action *action)
{
    enum { HEARS_MS = 40, FENCE_MS = 5000 };
    struct flight *flight = &world->flights[action->task];
    const bool is_same = flight->step == action->step && flight->attempt == action->attempt;
    (void)finding_check(&world->finding, world->plot->tasks[action->task].away,
                        "only attempts on hosts are attached to", "t%d", action->task);
    if (is_same && flight->out)
        return;
    if (!is_same) {
        *flight = (struct flight){.step = action->step,
                                  .attempt = action->attempt,
                                  .ending = {.kind = OUTCOME_LOST,
                                             .class = VERDICT_TRANSIENT,
                                             .type = TRANSIENT_NETWORK_TIMEOUT,
                                             .hint_ms = -1}};
    }
    flight->out = true;
    flight->running_ms = flight->quiet_ms = flight->heard_ms = -1;
    flight->ends_ms = world->now.mono_ms + (is_same ? HEARS_MS : FENCE_MS);
}

/* It may have ended by itself in the meantime. */
static void end_by_force(struct world *world, const struct action *action)
{
    struct flight *flight = &world->flights[action->task];
    int64_t grace_ms = action->mode == CANCEL_KILL ? 3 : 700;
    bool in_time = !flight->out || flight->ends_ms <= world->now.mono_ms + grace_ms;
    if (in_time)
        return;
    flight->ends_ms = world->now.mono_ms + grace_ms;
    flight->ending.kind = OUTCOME_CANCELLED;
    flight->ending.code = 0;
    flight->ending.class = VERDICT_PERSISTENT;
    flight->ending.type = TRANSIENT_NONE;
    flight->ending.reason = REASON_CANCELLED;
    flight->ending.hint_ms = -1;
    flight->ending.ask = false;
    flight->ending.no_retry = false;
}

static void carry_out(struct world *world)
{
    for (size_t i = 0; i < world->turn.action_count; i++) {
        const struct action *action = &world->turn.actions[i];
        if (action->kind == ACTION_SPAWN)
            spawn(world, action);
        else if (action->kind == ACTION_ATTACH)
            attach(world, action);
        else
            end_by_force(world, action);
    }
}

static bool fold_to(const struct world *world, struct run_state *state, int64_t seq,
                    struct err *err)
{
    enum { NEAR = 3 };
    bool fits = true;
    while (fits && state->last_seq < seq) {
        fits = run_state_apply(state, &world->log[state->last_seq], err);
        run_past_pass(state->past);
        if (fits && state->last_seq == seq - NEAR)
            run_past_mark(state->past);
    }
    return fits;
}

/* Moves to the end, back, forward and back, and to the end again, using the states saved on the
 * way. */
static bool go_about(const struct world *world, struct run_state *state, struct err *err)
{
    static const int64_t tenths[] = {10, 3, 9, 5, 10};
    bool fits = true;
    for (size_t i = 0; fits && i < ARRAY_LEN(tenths); i++) {
        const int64_t seq = (int64_t)world->log_count * tenths[i] / 10;
        run_past_approach(state->past, seq);
        fits = fold_to(world, state, seq, err);
    }
    return fits;
}

/* Decides again with the policies of the run. */
static void decide_again(struct world *world)
{
    struct str text = {0};
    plot_write_plan(world->plot, &text);
    (void)compare_what_if(&world->finding, str_text(&text), world->log, world->log_count,
                          &world->state);
    str_done(&text);
}

/* From time to time, replays the log and compares the result with the live state. */
static void refold(struct world *world)
{
    /* Each of these takes as long as several replays. */
    enum { KEPT_EVERY = 16, GONE_ABOUT_EVERY = 4, OTHER_POLICIES_EVERY = 6 };
    struct run_state again;
    struct err err = {0};
    run_state_init(&again, world->plan, world->plot->run_seed);
    struct run_past *past = run_past_new(&again, KEPT_EVERY);
    const bool fits = world->log_count % GONE_ABOUT_EVERY == 0
                          ? go_about(world, &again, &err)
                          : fold_to(world, &again, (int64_t)world->log_count, &err);
    if (finding_check(&world->finding, fits, "the log can be folded", "%s", err.message))
        (void)compare_folds(&world->finding, &world->state, &again);
    run_past_free(past);
    run_state_done(&again);
    if (world->log_count % OTHER_POLICIES_EVERY == 0)
        decide_again(world);
    if (world->tally)
        world->tally->refolds++;
}

/* Cuts the log after the turn's first `cut` events. */
static void cut_turn(struct world *world, int cut)
{
    const struct plot_op *op = world->armed;
    for (int i = 0; i < cut; i++)
        keep(world, &world->turn.events.items[i]);
    if (world->tally)
        world->tally->crashes[op->after]++;
    world->armed = NULL;
    if (!world->finding.broken)
        world_crash(world, op);
}

void world_turn(struct world *world, struct input input)
{
    input.now = world->now;
    world->turns++;
    world->finding.turn = world->turns;
    world->onlooker.input = &input;
    turn_clear(&world->turn);
    scheduler_step(&world->scheduler, &input, &world->turn);
    int cut = find_cut(world);
    if (cut >= 0) {
        cut_turn(world, cut);
        return;
    }
    const struct turn_seen seen = {.plot = world->plot,
                                   .scheduler = &world->scheduler,
                                   .input = &input,
                                   .turn = &world->turn,
                                   .finding = &world->finding,
                                   .tally = world->tally};
    struct turn_duty duty;
    duty_expect(&seen, &world->past, &duty);
    for (size_t i = 0; i < world->turn.events.count; i++)
        keep(world, &world->turn.events.items[i]);
    onlooker_turn(&world->onlooker);
    duty_check(&seen, &duty);
    (void)finding_check(
        &world->finding,
        world->finding.broken || run_state_digest(&world->state) == run_state_digest(&world->past),
        "the state is the fold of the log", "at event %" PRId64, world->state.last_seq);
    (void)compare_texts(&world->finding, &world->state, &world->turn);
    bool at_random = (world->plot->seed + (uint64_t)world->turns) % 61 == 0;
    if (at_random && !world->finding.broken)
        refold(world);
    carry_out(world);
}

static void act_on_dead_run(struct world *world, const struct plot_op *op)
{
    world->scheduler.orphaned = true;
    for (int i = 0; i < op->orphan_acts && !world->finding.broken; i++) {
        struct plot_op act = *op;
        act.kind = PLOT_CONTROL;
        act.any_task = true;
        static const enum control_verb verbs[] = {CONTROL_CANCEL, CONTROL_HOLD, CONTROL_RELEASE,
                                                  CONTROL_CORRECT};
        act.verb = world->state.ended ? CONTROL_CORRECT : verbs[(op->salt >> (4 * i)) % 4];
        act.mode = CANCEL_STOP;
        world_act(world, &act, op->salt >> (7 * i + 3));
        if (world->tally)
            world->tally->orphan_acts++;
    }
    world->scheduler.orphaned = false;
}

void world_crash(struct world *world, const struct plot_op *op)
{
    struct err err = {0};
    bool fits = true;
    run_state_done(&world->state);
    run_state_init(&world->state, world->plan, world->plot->run_seed);
    for (size_t i = 0; fits && i < world->log_count; i++)
        fits = run_state_apply(&world->state, &world->log[i], &err);
    for (int i = 0; i < PLOT_TASKS_MAX; i++)
        world->flights[i].out = world->flights[i].out && world->plot->tasks[i].away;
    world->scheduler = (struct scheduler){.state = &world->state, .calls = world->scheduler.calls};
    world->leaving = false;
    if (!finding_check(&world->finding, fits, "the log can be folded", "%s", err.message) ||
        !compare_folds(&world->finding, &world->past, &world->state))
        return;
    onlooker_crash(&world->onlooker);
    if (world->tracing)
        (void)printf("      the engine is gone%s\n", op->rebooted ? ", the machine too" : "");

    world->now.at_ms += op->ms;
    world->now.mono_ms += op->ms;
    if (op->rebooted) /* only the wall clock counts for acts on the dead run */
        world->now.mono_ms =
            world->state.last.mono_ms + (world->now.at_ms > world->state.last.at_ms
                                             ? world->now.at_ms - world->state.last.at_ms
                                             : 0);
    act_on_dead_run(world, op);
    if (op->rebooted) {
        world->now.mono_ms = 5000 + (int64_t)(op->salt % 100000);
        for (int i = 0; i < PLOT_TASKS_MAX; i++) { /* their times are those of the last boot */
            struct flight *flight = &world->flights[i];
            flight->running_ms = flight->quiet_ms = flight->heard_ms = -1;
            flight->ends_ms = world->now.mono_ms + (int64_t)(op->salt % 1000);
        }
    }
    if (world->tally)
        world->tally->reboots += op->rebooted;
    if (!world->finding.broken)
        world_turn(world, (struct input){.kind = INPUT_RECOVER,
                                         .jobs = world->plot->jobs,
                                         .rebooted = op->rebooted,
                                         .control.by = "bea"});
}

/* An event that cannot follow is rejected and changes nothing. */
static bool refuse(struct world *world, struct run_state *state, const struct event *event)
{
    struct event damaged = *event;
    int way = (int)((event->seq + (int64_t)(world->plot->seed % 1009)) % DAMAGE_WAYS);
    if (!damage_event(&damaged, way, world->plot))
        return true;
    uint64_t before = run_state_digest(state);
    bool refused = !run_state_apply(state, &damaged, NULL) && run_state_digest(state) == before;
    return finding_check(&world->finding, refused, "what cannot follow is refused",
                         "event %" PRId64 " (%s), damaged in way %d", event->seq,
                         event_kind_name(event->kind), way);
}

/* Replays the log with damaged events in between. */
static void fold_damaged(struct world *world)
{
    struct run_state state;
    bool fits = true;
    run_state_init(&state, world->plan, world->plot->run_seed);
    for (size_t i = 0; fits && i < world->log_count; i++)
        fits =
            refuse(world, &state, &world->log[i]) && run_state_apply(&state, &world->log[i], NULL);
    struct event unknown = event_new(EVENT_UNKNOWN);
    unknown.seq = state.last_seq + 1;
    unknown.unknown.kind = "from_tomorrow";
    bool skipped = !fits || (run_state_apply(&state, &unknown, NULL) && state.unknown_events == 1 &&
                             state.last_seq == unknown.seq && state.ended == world->state.ended);
    (void)finding_check(&world->finding, skipped, "an unknown event is counted and skipped",
                        "%" PRId64 " counted", state.unknown_events);
    run_state_done(&state);
}

void world_finish(struct world *world)
{
    refold(world);
    if (world->plot->seed % 8 == 0 && !world->finding.broken)
        fold_damaged(world);
}
