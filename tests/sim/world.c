#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#include "verdict.h"
#include "xalloc.h"

enum { TURNS_MAX = 20000, TURNS_TO_CANCEL = 400 };

static bool open_world(struct world *world, const struct plot *plot)
{
    struct violations violations = {0};
    struct str text = {0};
    plot_write_plan(plot, &text);
    bool ok = plan_parse(text.data, text.len, &world->plan, &violations);
    if (!ok) {
        struct str words = {0};
        violations_display(&violations, &words);
        (void)finding_check(&world->finding, false, "the plan is valid", "%s", str_text(&words));
        str_done(&words);
    }
    str_done(&text);
    violations_done(&violations);
    if (!ok)
        return false;
    run_state_init(&world->state, world->plan, plot->run_seed);
    world->scheduler = (struct scheduler){.state = &world->state};
    call_digester_open(&world->scheduler.calls, "/work", NULL);
    run_state_init(&world->past, world->plan, plot->run_seed);
    onlooker_init(&world->onlooker, plot, &world->finding);
    world->onlooker.tally = world->tally;
    world->now = (struct moment){.at_ms = 1800000000000, .mono_ms = 1000000};
    return true;
}

static void close_world(struct world *world)
{
    for (size_t i = 0; i < world->log_count; i++)
        str_done(&world->objects[i]);
    free(world->objects);
    free(world->log);
    turn_done(&world->turn);
    call_digester_close(world->scheduler.calls);
    if (world->plan) {
        run_state_done(&world->state);
        run_state_done(&world->past);
    }
    plan_free(world->plan);
}

/* The next news of a flight, and its time. */
struct news {
    enum input_kind kind;
    int task;
    int64_t at_ms; /* -1 = no news */
};

static void consider(struct news *next, enum input_kind kind, int task, int64_t at_ms)
{
    if (at_ms >= 0 && (next->at_ms < 0 || at_ms < next->at_ms))
        *next = (struct news){.kind = kind, .task = task, .at_ms = at_ms};
}

static struct news next_news(const struct world *world)
{
    struct news next = {.at_ms = -1};
    for (int i = 0; i < world->plot->task_count; i++) {
        const struct flight *flight = &world->flights[i];
        if (!flight->out)
            continue;
        consider(&next, INPUT_RUNNING, i, flight->running_ms);
        consider(&next, INPUT_QUIET, i, flight->quiet_ms);
        consider(&next, INPUT_HEARD, i, flight->heard_ms);
        consider(&next, INPUT_ENDED, i, flight->ends_ms);
    }
    consider(&next, INPUT_TIME, -1, scheduler_next_due(&world->scheduler));
    return next;
}

static void advance(struct world *world, int64_t to_ms)
{
    if (to_ms <= world->now.mono_ms)
        return;
    world->now.at_ms += to_ms - world->now.mono_ms;
    world->now.mono_ms = to_ms;
}

/* Some digests have one half that is 0; only two zero halves mean no result. */
static struct digest result_of(int fingerprint)
{
    struct digest digest = {.hi = (uint64_t)fingerprint * UINT64_C(0x0123456789abcdef),
                            .lo = (uint64_t)fingerprint};
    if (fingerprint % 7 == 1)
        digest.lo = 0;
    if (fingerprint % 7 == 2)
        digest.hi = 0;
    return digest;
}

static void land(struct flight *flight, struct input *input)
{
    const struct plot_ending *ending = &flight->ending;
    bool ran = ending->kind != OUTCOME_NOT_STARTED;
    input->outcome = (struct outcome){.kind = ending->kind,
                                      .code = ending->code,
                                      .ran_ms = ending->runs_ms,
                                      .bytes = {ran ? ending->runs_ms * 3 : 0, ran ? 70 : 0},
                                      .lines = {ran ? ending->runs_ms / 9 : 0, ran ? 2 : 0},
                                      .rss_kib_max = ran ? 4096 : 0,
                                      .cpu_ms = ending->runs_ms / 2,
                                      .processes_left = ending->runs_ms % 97 == 1};
    input->verdict = verdict_new();
    input->verdict.class = ending->class;
    input->verdict.type = ending->type;
    input->verdict.reason = ending->reason;
    input->verdict.retry_after_ms = ending->hint_ms;
    input->verdict.ask = ending->ask;
    input->verdict.no_retry = ending->no_retry;
    (void)snprintf(input->verdict.rule, sizeof(input->verdict.rule), "sim.rule");
    input->expectation_met = ending->matches;
    input->fingerprint = result_of(ending->fingerprint);
    input->has_fact = ending->has_fact && digest_is_known(input->fingerprint);
    input->fact = (struct entropy_fact){
        .gain = ending->news ? ENTROPY_GAIN_LINE : ENTROPY_GAIN_NONE,
        .bits = ending->class == VERDICT_TRANSIENT ? ENTROPY_POLL : ENTROPY_MASKED,
        .raw = (uint64_t)ending->raw,
        .new_permille = ending->raw - 1,
        .lines = 1,
    };
    flight->out = false;
}

static void deliver(struct world *world, const struct news *news)
{
    struct input input = {.kind = news->kind, .task = news->task};
    advance(world, news->at_ms);
    /* Occasionally, everything is late. */
    bool late = (world->plot->seed ^ (uint64_t)world->turns * UINT64_C(2654435761)) % 23 == 0;
    if (late)
        advance(world, world->now.mono_ms + 150);
    if (news->task >= 0) {
        struct flight *flight = &world->flights[news->task];
        input.step = flight->step;
        input.attempt = flight->attempt;
        input.pid = 4000 + news->task;
        input.pid_start = flight->ends_ms;
        input.quiet_ms = 5;
        if (news->kind == INPUT_RUNNING)
            flight->running_ms = -1;
        else if (news->kind == INPUT_QUIET)
            flight->quiet_ms = -1;
        else if (news->kind == INPUT_HEARD)
            flight->heard_ms = -1;
        else
            land(flight, &input);
    }
    world_turn(world, input);
}

static bool all_landed(const struct world *world)
{
    for (int i = 0; i < world->plot->task_count; i++) {
        if (world->flights[i].out)
            return false;
    }
    return true;
}

/* The engine that was leaving is gone; another one continues. */
static void leave(struct world *world)
{
    const struct plot_op gone = {.kind = PLOT_LEAVE, .ms = 3000};
    world_crash(world, &gone);
}

/* Brings the first host back that is down. Returns false if none is. */
static bool mend_host(struct world *world)
{
    for (int i = 0; i < world->plot->host_count; i++) {
        if (!world->state.hosts[i].down)
            continue;
        world_tell_host(world, plot_host_name(i), false);
        return true;
    }
    return false;
}

/* If nothing happens by itself and nobody does anything: hosts come back, the user releases what is
 * held, then cancels the rest. Returns false if the run has ended. */
static bool push(struct world *world)
{
    struct plot_op op = {.kind = PLOT_CONTROL, .of_run = true, .mode = CANCEL_KILL};
    if (world->state.ended)
        return false;
    if (world->leaving) {
        leave(world);
        return true;
    }
    if (!world->cancelled && mend_host(world))
        return true;
    if (world->cancelled) {
        (void)finding_check(&world->finding, false, "cancel ends the run",
                            "%d tasks are still running", world->state.counts[TASK_RUNNING]);
        return false;
    }
    op.verb = world->released ? CONTROL_CANCEL : CONTROL_RELEASE;
    world->cancelled = world->released;
    world->released = true;
    world->turns_at_cancel = world->turns;
    world_act(world, &op, 0);
    return true;
}

/* Lets the next thing happen. Returns false if there is nothing left. */
static bool step_world(struct world *world)
{
    const struct plot *plot = world->plot;
    struct news news = next_news(world);
    bool op_left = world->next_op < plot->op_count;
    if (op_left && (news.at_ms < 0 || plot->ops[world->next_op].turn <= world->turns)) {
        const struct plot_op *op = &plot->ops[world->next_op++];
        int64_t gap_ms = news.at_ms > world->now.mono_ms ? news.at_ms - world->now.mono_ms : 0;
        int64_t in_ms = (int64_t)(op->salt % 97);
        advance(world, world->now.mono_ms + (in_ms < gap_ms ? in_ms : gap_ms));
        world_do(world, op);
        return true;
    }
    if (world->leaving && all_landed(world)) {
        leave(world);
        return true;
    }
    if (news.at_ms < 0)
        return push(world);
    deliver(world, &news);
    return true;
}

static void count_run(struct world *world)
{
    static const int codes[] = {0, 1, 3, 4, 130};
    struct tally *tally = world->tally;
    if (!tally)
        return;
    tally->runs++;
    tally->turns += world->turns;
    tally->tasks += world->plot->task_count;
    for (int i = 0; i < world->plot->task_count; i++)
        tally->steps += world->plot->tasks[i].step_count;
    for (int i = 0; i < 5; i++)
        tally->ends[i] += world->state.exit_code == codes[i];
}

static void check_bounds(struct world *world)
{
    bool cancelled_for_long =
        world->cancelled && world->turns - world->turns_at_cancel > TURNS_TO_CANCEL;
    (void)finding_check(&world->finding, !cancelled_for_long, "cancel ends the run",
                        "%d turns later it goes on", TURNS_TO_CANCEL);
    (void)finding_check(&world->finding, world->turns < TURNS_MAX, "a run comes to its end",
                        "%d turns and no end", world->turns);
}

bool world_play(const struct plot *plot, struct tally *tally, bool tracing, struct finding *finding)
{
    struct world *world = xcalloc(1, sizeof(*world));
    world->plot = plot;
    world->tally = tally;
    world->tracing = tracing;
    if (open_world(world, plot)) {
        while (world->next_op < plot->op_count && plot->ops[world->next_op].turn == 0)
            world_do(world, &plot->ops[world->next_op++]);
        world_turn(world,
                   (struct input){.kind = INPUT_START, .jobs = plot->jobs, .control.by = "ann"});
        while (!world->finding.broken && step_world(world))
            check_bounds(world);
        if (!world->finding.broken)
            world_finish(world);
        count_run(world);
    }
    *finding = world->finding;
    close_world(world);
    free(world);
    return !finding->broken;
}
