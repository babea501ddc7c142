#include "plot.h"

#include <stdlib.h>
#include <string.h>

#include "agents.h"
#include "attr.h"
#include "chance.h"
#include "facts.h"

enum { HOUR_MS = 60 * 60 * 1000, ROUND_ENDINGS = 6 };

/* The nature of a series of attempts. */
enum tale {
    TALE_FINE,
    TALE_WORLD,     /* external failures, then success */
    TALE_WORK,      /* the work is wrong */
    TALE_CIRCLES,   /* the same result again and again */
    TALE_NO_START,  /* it cannot be started */
    TALE_HINTS,     /* a server says when to retry */
    TALE_LIMIT,     /* a rate limit */
    TALE_OUTAGE,    /* a failure that other tasks meet, too; only by weather */
    TALE_ASKS,      /* only the user can help */
    TALE_LOST,      /* its end was not seen */
    TALE_WRONG_RED, /* fails in an unexpected way, or passes although it should fail */
    TALE_MIXED,
    TALE_COUNT,
};

static const int tale_weights[TALE_COUNT] = {
    [TALE_FINE] = 46,    [TALE_WORLD] = 9,     [TALE_WORK] = 6,  [TALE_CIRCLES] = 6,
    [TALE_NO_START] = 7, [TALE_HINTS] = 6,     [TALE_LIMIT] = 5, [TALE_ASKS] = 2,
    [TALE_LOST] = 4,     [TALE_WRONG_RED] = 3, [TALE_MIXED] = 6,
};

/* Properties of a whole plot. */
struct weather {
    bool calm;   /* everything succeeds in the end, without interference */
    bool outage; /* many tasks meet the same external failure at the same time */
    int64_t outage_hint_ms;
    int64_t grain_ms; /* all times are multiples of it, so that many events coincide */
};

static enum reason any_reason(struct chance *chance)
{
    return (enum reason)chance_below(chance, REASON_COUNT);
}

static struct plot_ending plain(struct chance *chance)
{
    struct plot_ending ending = {.hint_ms = -1, .running_after_ms = 0, .quiet_after_ms = -1};
    ending.runs_ms = chance_between(chance, 0, chance_hits(chance, 20) ? 40000 : 3000);
    ending.running_after_ms = chance_hits(chance, 85) ? chance_between(chance, 0, 20) : -1;
    if (chance_hits(chance, 25))
        ending.quiet_after_ms = chance_between(chance, 1, 2000);
    ending.matches = chance_hits(chance, 60);
    ending.fingerprint = chance_hits(chance, 70) ? (int)chance_between(chance, 1, 40) : 0;
    ending.has_fact = chance_hits(chance, 85);
    ending.news = chance_hits(chance, 50);
    ending.raw = chance_below(chance, 3);
    return ending;
}

static struct plot_ending passed(struct chance *chance, const struct plot_step *step)
{
    struct plot_ending ending = plain(chance);
    if (!step->expects_failure)
        return ending;
    ending.code = 1;
    ending.class = VERDICT_PERSISTENT;
    ending.matches = true;
    unsigned reasons = step->reasons != 0
                           ? step->reasons
                           : 1U << REASON_NONE | 1U << REASON_TEST_FAIL | 1U << REASON_COMPILE;
    do
        ending.reason = any_reason(chance);
    while ((reasons & 1U << ending.reason) == 0);
    return ending;
}

static void fail_with(struct plot_ending *ending, struct chance *chance)
{
    static const int codes[] = {1, 2, 124, 125, 126, 127, 128, 137, 0};
    static const int weights[] = {50, 8, 6, 6, 6, 6, 4, 8, 6}; /* 0: failed in silence */
    static const int kinds[] = {80, 10, 0, 10};
    ending->kind = (enum outcome_kind)chance_pick(chance, kinds, 4);
    ending->code = codes[chance_pick(chance, weights, 9)];
    if (ending->kind == OUTCOME_SIGNAL)
        ending->code = (int)chance_between(chance, 1, 15);
    if (ending->kind == OUTCOME_TIMEOUT)
        ending->code = 0;
}

static struct plot_ending of_the_work(struct chance *chance)
{
    struct plot_ending ending = plain(chance);
    fail_with(&ending, chance);
    ending.class = VERDICT_PERSISTENT;
    ending.reason = any_reason(chance);
    return ending;
}

static struct plot_ending of_the_world(struct chance *chance)
{
    struct plot_ending ending = plain(chance);
    fail_with(&ending, chance);
    ending.class = VERDICT_TRANSIENT;
    ending.type = (enum transient_type)chance_between(chance, 1, TRANSIENT_TYPE_COUNT - 1);
    return ending;
}

/* Returns values below and above what policies accept. */
static int64_t hint(struct chance *chance)
{
    static const int weights[] = {60, 25, 10, 5};
    switch (chance_pick(chance, weights, 4)) {
    case 0:
        return chance_hits(chance, 10) ? 0 : chance_between(chance, 0, 5000);
    case 1:
        return chance_between(chance, 5000, 70000);
    case 2:
        return chance_between(chance, HOUR_MS, 6 * HOUR_MS);
    default:
        return 6 * HOUR_MS + chance_between(chance, 0, 2) - 1 +
               (chance_hits(chance, 50) ? HOUR_MS : 0);
    }
}

static struct plot_ending no_start(struct chance *chance)
{
    struct plot_ending ending = of_the_world(chance);
    ending.kind = OUTCOME_NOT_STARTED;
    ending.code = chance_hits(chance, 50)
                      ? (int)chance_between(chance, START_CODE_FIRST, START_CODE_END - 1)
                      : (int)chance_between(chance, 1, 40);
    ending.running_after_ms = -1;
    ending.quiet_after_ms = -1;
    ending.runs_ms = chance_between(chance, 0, 5);
    if (chance_hits(chance, 12)) {
        ending.class = VERDICT_PERSISTENT;
        ending.type = TRANSIENT_NONE;
        ending.reason = REASON_NOT_FOUND;
    }
    if (chance_hits(chance, 20))
        ending.hint_ms = hint(chance);
    return ending;
}

static struct plot_ending lost(struct chance *chance)
{
    struct plot_ending ending = of_the_world(chance);
    ending.kind = OUTCOME_INTERRUPTED;
    ending.code = 0;
    return ending;
}

static struct plot_ending wrong_red(struct chance *chance)
{
    struct plot_ending ending = of_the_work(chance);
    if (chance_hits(chance, 50)) {
        ending = plain(chance);
    } else if (chance_hits(chance, 60)) {
        ending.kind = OUTCOME_EXIT;
        ending.code = (int)chance_between(chance, 125, 128);
        ending.reason = chance_hits(chance, 50) ? REASON_TEST_FAIL : any_reason(chance);
    }
    return ending;
}

static struct plot_ending any_ending(struct chance *chance, const struct plot_step *step)
{
    struct plot_ending ending = {0};
    switch (chance_below(chance, 8)) {
    case 0:
        return no_start(chance);
    case 1:
        return lost(chance);
    case 2:
    case 3:
        ending = of_the_work(chance);
        break;
    case 4:
        return wrong_red(chance);
    case 5:
        return passed(chance, step);
    default:
        ending = of_the_world(chance);
        break;
    }
    if (chance_hits(chance, 20))
        ending.hint_ms = hint(chance);
    ending.ask = chance_hits(chance, 4);
    return ending;
}

/* With an agent, the work is often wrong at first. */
static void be_wrong_at_first(struct plot_task *task, struct chance *chance)
{
    const int first = agents_first_step(task, task->step_count - 1);
    for (int i = first + 1; first >= 0 && i < task->step_count; i++) {
        struct plot_step *step = &task->steps[i];
        if (step->ending_count != 1 || step->expects_failure || !chance_hits(chance, 40))
            continue;
        step->endings[1] = step->endings[0];
        step->endings[0] = of_the_work(chance);
        step->ending_count = 2;
    }
}

/* An agent's answer may be malformed, or not be what was requested. */
static void answer_badly(struct plot_step *step, struct chance *chance)
{
    for (int i = 0; step->agent && i < step->ending_count; i++) {
        struct plot_ending *ending = &step->endings[i];
        ending->runs_ms += chance_below(chance, 20000);
        if (ending->class != VERDICT_PERSISTENT || !chance_hits(chance, 60))
            continue;
        ending->kind = OUTCOME_EXIT;
        ending->reason = REASON_CONTRACT;
        ending->no_retry = chance_hits(chance, 20);
    }
}

static struct plot_ending ending_of(enum tale tale, struct chance *chance,
                                    const struct plot_step *step)
{
    struct plot_ending ending = of_the_world(chance);
    switch (tale) {
    case TALE_FINE:
        return passed(chance, step);
    case TALE_WORLD:
        return ending;
    case TALE_WORK:
        return of_the_work(chance);
    case TALE_CIRCLES:
        ending = chance_hits(chance, 30) ? ending : of_the_work(chance);
        ending.fingerprint = chance_hits(chance, 90) ? 1000 + step->policy : 999;
        ending.has_fact = chance_hits(chance, 95);
        ending.news = chance_hits(chance, 10);
        return ending;
    case TALE_NO_START:
        return no_start(chance);
    case TALE_HINTS:
        ending = chance_hits(chance, 75) ? ending : of_the_work(chance);
        ending.hint_ms = hint(chance);
        return ending;
    case TALE_LIMIT:
        ending.type = TRANSIENT_API_RATE_LIMIT;
        ending.hint_ms = chance_hits(chance, 50) ? hint(chance) : -1;
        ending.fingerprint = 7;
        return ending;
    case TALE_OUTAGE:
        ending.kind = OUTCOME_EXIT;
        ending.code = 1;
        ending.runs_ms = chance_between(chance, 0, 500);
        ending.fingerprint = 500;
        return ending;
    case TALE_ASKS:
        ending = chance_hits(chance, 50) ? ending : of_the_work(chance);
        ending.ask = true;
        return ending;
    case TALE_LOST:
        return lost(chance);
    case TALE_WRONG_RED:
        return wrong_red(chance);
    case TALE_MIXED:
    case TALE_COUNT:
        break;
    }
    return any_ending(chance, step);
}

static void join_outage(struct plot_step *step, const struct weather *weather)
{
    for (int i = 0; i < step->ending_count; i++)
        step->endings[i].hint_ms = weather->outage_hint_ms;
}

/* Alternates between two results, each with new output. */
static void go_round(struct plot_step *step, struct chance *chance)
{
    while (step->ending_count < ROUND_ENDINGS)
        step->endings[step->ending_count++] = ending_of(TALE_CIRCLES, chance, step);
    for (int i = 0; i < step->ending_count; i++) {
        step->endings[i].news = true;
        if (i % 2 == 1)
            step->endings[i].fingerprint = 998;
    }
}

static enum tale pick_tale(struct chance *chance, const struct plot_step *step,
                           const struct weather *weather)
{
    if (weather->calm)
        return chance_hits(chance, 98) ? TALE_FINE : TALE_WORLD;
    if (weather->outage && chance_hits(chance, 40))
        return TALE_OUTAGE;
    if (step->source >= 0 && chance_hits(chance, 45))
        return TALE_LIMIT;
    return (enum tale)chance_pick(chance, tale_weights, TALE_COUNT);
}

static void tell(struct chance *chance, struct plot_step *step, const struct weather *weather)
{
    enum tale tale = pick_tale(chance, step, weather);
    int count = tale == TALE_FINE ? 1 : (int)chance_between(chance, 1, 5);
    for (int i = 0; i < count; i++)
        step->endings[step->ending_count++] = ending_of(tale, chance, step);
    if (tale == TALE_OUTAGE)
        join_outage(step, weather);
    if (tale == TALE_CIRCLES && chance_hits(chance, 40))
        go_round(step, chance);
    if (tale == TALE_FINE || weather->calm)
        return;
    /* Afterwards: other failures, or no more failures. */
    int more = chance_hits(chance, 50) ? (int)chance_between(chance, 1, 3) : 0;
    for (int i = 0; i < more; i++)
        step->endings[step->ending_count++] = any_ending(chance, step);
    step->endings[step->ending_count++] = passed(chance, step);
}

static void make_control(struct plot_op *op, struct chance *chance, const struct weather *weather)
{
    static const int verbs[] = {0, 14, 36, 18, 20, 12, 14};
    op->verb = (enum control_verb)chance_pick(chance, verbs, CONTROL_VERB_COUNT);
    if (weather->outage && chance_hits(chance, 60))
        op->verb = CONTROL_SEND_ONE;
    op->mode = (enum cancel_mode)chance_below(chance, CANCEL_MODE_COUNT);
    op->of_run = chance_hits(chance, op->verb == CONTROL_CANCEL ? 6 : 15);
    op->unknown_task = chance_hits(chance, 4);
    op->any_task = chance_hits(chance, 30);
    op->status = (enum task_status)chance_below(chance, TASK_STATUS_COUNT);
    if (op->verb == CONTROL_SEND_ONE)
        op->status = chance_hits(chance, 70) ? TASK_BACKOFF : TASK_QUEUED;
    static const int aims[] = {50, 20, 10, 12, 8};
    op->aim = chance_pick(chance, aims, 5);
    op->silent = chance_hits(chance, 10);
    static const struct verdict_label labels[] = {
        {.class = VERDICT_SUCCESS},
        {.class = VERDICT_TRANSIENT, .type = TRANSIENT_NETWORK_TIMEOUT},
        {.class = VERDICT_TRANSIENT, .type = TRANSIENT_API_RATE_LIMIT},
        {.class = VERDICT_PERSISTENT},
        {.class = VERDICT_PERSISTENT, .reason = REASON_TEST_FAIL},
    };
    op->label = labels[chance_below(chance, 5)];
}

static void make_crash(struct plot_op *op, struct chance *chance)
{
    static const enum event_kind seldom[] = {
        EVENT_RUN_ENDED,      EVENT_RUN_ENDED,      EVENT_TASK_HELD,       EVENT_TASK_RELEASED,
        EVENT_CANCEL_ASKED,   EVENT_NOTE,           EVENT_GATE_CLOSED,     EVENT_GATE_CLOSED,
        EVENT_GATE_OPENED,    EVENT_GATE_OPENED,    EVENT_GATE_OPENED,     EVENT_CLASS_CORRECTED,
        EVENT_STEP_REOPENED,  EVENT_TASK_BLOCKED,   EVENT_ATTEMPT_QUIET,   EVENT_ATTEMPT_HEARD,
        EVENT_RUN_RECOVERED,  EVENT_ATTEMPT_ENDED,  EVENT_ATTEMPT_ENDED,   EVENT_ATTEMPT_JUDGED,
        EVENT_WAIT_STARTED,   EVENT_WAIT_ENDED,     EVENT_ATTEMPT_STARTED, EVENT_ATTEMPT_RUNNING,
        EVENT_TASK_BLOCKED,   EVENT_TASK_BLOCKED,   EVENT_ATTEMPT_QUIET,   EVENT_ATTEMPT_QUIET,
        EVENT_ATTEMPT_HEARD,  EVENT_ATTEMPT_HEARD,  EVENT_TASK_RELEASED,   EVENT_STEP_ENDED,
        EVENT_LOOP_SUSPECTED, EVENT_LOOP_SUSPECTED, EVENT_LOOP_SUSPECTED,  EVENT_LOOP_SUSPECTED,
        EVENT_LOOP_SUSPECTED, EVENT_LOOP_SUSPECTED, EVENT_LOOP_SUSPECTED,  EVENT_LOOP_SUSPECTED,
        EVENT_AGENT_SESSION,  EVENT_AGENT_USED,     EVENT_AGENT_CALL,      EVENT_AGENT_CALL,
        EVENT_BUDGET,         EVENT_BUDGET,         EVENT_BUDGET,          EVENT_BUDGET,
        EVENT_ROUND_STARTED,  EVENT_ROUND_STARTED,  EVENT_ROUND_STARTED,   EVENT_ROUND_STARTED,
        EVENT_ROUND_STARTED,  EVENT_ROUND_STARTED,  EVENT_ROUND_STARTED,   EVENT_ROUND_STARTED,
    };
    op->after = (enum event_kind)chance_below(chance, EVENT_KIND_COUNT);
    if (chance_hits(chance, 60))
        op->after = seldom[chance_below(chance, (int)(sizeof(seldom) / sizeof(seldom[0])))];
    op->rebooted = chance_hits(chance, 30);
    op->orphan_acts = chance_hits(chance, 30) ? (int)chance_between(chance, 1, 3) : 0;
    op->ms = chance_between(chance, 0, chance_hits(chance, 20) ? 90000 : 2000);
}

static struct plot_op crash_at_once(struct chance *chance)
{
    struct plot_op op = {.kind = PLOT_CRASH, .turn = 0};
    make_crash(&op, chance);
    if (chance_hits(chance, 80))
        op.after = chance_hits(chance, 60) ? EVENT_RUN_STARTED : EVENT_NONE;
    op.orphan_acts = 0;
    return op;
}

static void make_op(struct plot_op *op, struct chance *chance, const struct weather *weather)
{
    static const int kinds[PLOT_OP_KIND_COUNT] = {
        [PLOT_CONTROL] = 70, [PLOT_CRASH] = 26, [PLOT_LEAVE] = 2, [PLOT_WALL_JUMP] = 5,
        [PLOT_SLEEP] = 4,    [PLOT_STALE] = 5,  [PLOT_NOTE] = 3,  [PLOT_START_AGAIN] = 1,
        [PLOT_FACT] = 30,    [PLOT_AGENT] = 36, [PLOT_TOLD] = 8,
    };
    op->kind = (enum plot_op_kind)chance_pick(chance, kinds, PLOT_OP_KIND_COUNT);
    op->salt = chance_next(chance);
    switch (op->kind) {
    case PLOT_CONTROL:
        make_control(op, chance, weather);
        break;
    case PLOT_CRASH:
    case PLOT_LEAVE:
        make_crash(op, chance);
        break;
    case PLOT_WALL_JUMP:
        op->ms = chance_between(chance, -2 * HOUR_MS, 2 * HOUR_MS);
        break;
    case PLOT_SLEEP:
        op->ms = chance_between(chance, 1, chance_hits(chance, 30) ? 8 * HOUR_MS : 30000);
        break;
    case PLOT_FACT:
        facts_make(op, chance);
        break;
    case PLOT_AGENT:
        agents_make_op(op, chance);
        break;
    case PLOT_TOLD:
    case PLOT_HOST: /* plot_make_hosts() makes them */
    case PLOT_STALE:
    case PLOT_NOTE:
    case PLOT_START_AGAIN:
    case PLOT_OP_KIND_COUNT:
        break;
    }
}

static int by_turn(const void *a, const void *b)
{
    const struct plot_op *left = a;
    const struct plot_op *right = b;
    if (left->turn != right->turn)
        return left->turn < right->turn ? -1 : 1;
    return left->salt < right->salt ? -1 : left->salt > right->salt;
}

static struct weather make_weather(struct chance *chance)
{
    int kind = chance_below(chance, 100);
    struct weather weather = {.calm = kind < 12, .outage = kind >= 12 && kind < 37};
    weather.outage_hint_ms = chance_hits(chance, 50) ? chance_between(chance, 10000, 40000) : -1;
    weather.grain_ms = chance_hits(chance, 30) ? 500 : 1;
    return weather;
}

static int64_t grained(int64_t ms, int64_t grain_ms)
{
    return ms >= 0 ? ms / grain_ms * grain_ms : ms;
}

static void grain(struct plot_step *step, int64_t grain_ms)
{
    for (int i = 0; i < step->ending_count; i++) {
        struct plot_ending *ending = &step->endings[i];
        ending->runs_ms = grained(ending->runs_ms, grain_ms);
        ending->hint_ms = grained(ending->hint_ms, grain_ms);
        ending->running_after_ms = grained(ending->running_after_ms, grain_ms);
    }
}

void plot_make_script(struct plot *plot, struct chance *chance)
{
    const struct weather weather = make_weather(chance);
    for (int i = 0; i < plot->task_count; i++) {
        for (int k = 0; k < plot->tasks[i].step_count; k++) {
            tell(chance, &plot->tasks[i].steps[k], &weather);
            answer_badly(&plot->tasks[i].steps[k], chance);
            grain(&plot->tasks[i].steps[k], weather.grain_ms);
        }
        if (!weather.calm)
            be_wrong_at_first(&plot->tasks[i], chance);
    }
    plot->op_count = (int)chance_between(chance, 4, PLOT_OPS_MAX - PLOT_HOST_OPS_MAX - 12);
    if (weather.calm)
        plot->op_count = (int)chance_between(chance, 0, 1);
    int turns = plot->task_count * 14;
    for (int i = 0; i < plot->op_count; i++) {
        plot->ops[i].turn = 1 + chance_below(chance, turns);
        make_op(&plot->ops[i], chance, &weather);
    }
    if (chance_hits(chance, 15))
        plot->ops[plot->op_count++] = crash_at_once(chance);
    if (chance_hits(chance, 12)) /* somebody gives up on the run */
        plot->ops[plot->op_count++] = (struct plot_op){.kind = PLOT_CONTROL,
                                                       .turn = 1 + turns,
                                                       .verb = CONTROL_CANCEL,
                                                       .mode = CANCEL_TERM,
                                                       .of_run = true};
    qsort(plot->ops, (size_t)plot->op_count, sizeof(plot->ops[0]), by_turn);
}

/* An end that nobody saw is a lost attempt there. */
static void lose_instead(struct plot_task *task)
{
    for (int i = 0; i < task->step_count; i++) {
        for (int k = 0; k < task->steps[i].ending_count; k++) {
            struct plot_ending *ending = &task->steps[i].endings[k];
            if (ending->kind == OUTCOME_INTERRUPTED)
                ending->kind = OUTCOME_LOST;
        }
    }
}

void plot_make_hosts(struct plot *plot, struct chance *chance)
{
    static const enum event_kind kinds[] = {EVENT_HOST_STATE, EVENT_CONTACT_LOST,
                                            EVENT_CONTACT_FOUND, EVENT_JOB_STATE};
    static const int weights[] = {40, 30, 20, 10};
    if (!chance_hits(chance, 45))
        return;
    plot->host_count = (int)chance_between(chance, 1, PLOT_HOSTS_MAX);
    for (int i = 0; i < plot->host_count; i++)
        plot->host_slots[i] = (int)chance_between(chance, 1, 3);
    for (int i = 0; i < plot->task_count; i++) {
        plot->tasks[i].away = chance_hits(chance, 60);
        if (plot->tasks[i].away)
            lose_instead(&plot->tasks[i]);
    }
    const int turns = plot->task_count * 14;
    const int count = (int)chance_between(chance, 2, PLOT_HOST_OPS_MAX);
    for (int i = 0; i < count; i++) {
        struct plot_op *op = &plot->ops[plot->op_count++];
        *op = (struct plot_op){
            .kind = PLOT_HOST,
            .turn = 1 + chance_below(chance, turns),
            .salt = chance_next(chance),
            .fact = event_new(kinds[chance_pick(chance, weights, (int)ARRAY_LEN(kinds))])};
    }
    qsort(plot->ops, (size_t)plot->op_count, sizeof(plot->ops[0]), by_turn);
}

void plot_make(struct plot *plot, uint64_t seed)
{
    const uint64_t others = UINT64_C(0x9e3779b97f4a7c15);
    struct chance of_hosts = chance_new(seed ^ others);
    struct chance chance = chance_new(seed);
    memset(plot, 0, sizeof(*plot));
    plot->seed = seed;
    plot->run_seed = chance_next(&chance);
    plot_make_plan(plot, &chance);
    plot_make_script(plot, &chance);
    plot_make_hosts(plot, &of_hosts);
}
