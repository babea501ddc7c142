#include "damage.h"

#include <stddef.h>

#include "attr.h"
#include "outcome.h"
#include "protocol.h"

#define BIT(kind) (UINT64_C(1) << (kind))

/* Events of the current step, of an attempt of it, and those with numbers that are looked up. */
#define OF_ATTEMPT                                                                                 \
    (BIT(EVENT_ATTEMPT_STARTED) | BIT(EVENT_ATTEMPT_RUNNING) | BIT(EVENT_ATTEMPT_ENDED) |          \
     BIT(EVENT_ATTEMPT_JUDGED) | BIT(EVENT_WAIT_STARTED) | BIT(EVENT_ATTEMPT_QUIET) |              \
     BIT(EVENT_ATTEMPT_HEARD) | BIT(EVENT_LOOP_SUSPECTED) | BIT(EVENT_AGENT_SESSION) |             \
     BIT(EVENT_AGENT_USED) | BIT(EVENT_AGENT_CALL) | BIT(EVENT_ROUND_STARTED))
#define OF_STEP                                                                                    \
    (OF_ATTEMPT | BIT(EVENT_WAIT_ENDED) | BIT(EVENT_STEP_ENDED) | BIT(EVENT_STEP_REOPENED))
#define OF_TREE (BIT(EVENT_WORKSPACE_SAVED) | BIT(EVENT_WORKSPACE_RESET) | BIT(EVENT_TREE_PROVEN))
#define OF_ANY_ATTEMPT                                                                             \
    (BIT(EVENT_CLASS_CORRECTED) | OF_TREE | BIT(EVENT_WORKSPACE_MADE) |                            \
     BIT(EVENT_WORKSPACE_CHANGED) | BIT(EVENT_RESULT_KEPT) | BIT(EVENT_SANDBOX_LACKS) |            \
     BIT(EVENT_SECRETS_CUT))
#define OF_TASK                                                                                    \
    (OF_STEP | OF_ANY_ATTEMPT | BIT(EVENT_TASK_BLOCKED) | BIT(EVENT_TASK_HELD) |                   \
     BIT(EVENT_TASK_RELEASED))
#define OF_CLASS (BIT(EVENT_ATTEMPT_JUDGED) | BIT(EVENT_CLASS_CORRECTED))
#define OF_GATE  (BIT(EVENT_GATE_CLOSED) | BIT(EVENT_GATE_OPENED))
#define WITH_INDEX                                                                                 \
    (OF_CLASS | OF_GATE | BIT(EVENT_ATTEMPT_ENDED) | BIT(EVENT_TASK_HELD) |                        \
     BIT(EVENT_STEP_ENDED) | BIT(EVENT_CANCEL_ASKED) | BIT(EVENT_WORKSPACE_MADE))
#define WITH_COUNT                                                                                 \
    (BIT(EVENT_WORKSPACE_CHANGED) | BIT(EVENT_RESULT_KEPT) | BIT(EVENT_TIME_STOPPED) |             \
     BIT(EVENT_SECRETS_CUT))
#define ANY (BIT(EVENT_KIND_COUNT) - 2)

/* Kinds that cannot replace an event of the first kind. */
static const struct {
    enum event_kind where, what;
} displaced[] = {
    {EVENT_ATTEMPT_STARTED, EVENT_WAIT_ENDED},     {EVENT_ATTEMPT_STARTED, EVENT_STEP_REOPENED},
    {EVENT_ATTEMPT_ENDED, EVENT_STEP_ENDED},       {EVENT_ATTEMPT_ENDED, EVENT_WAIT_STARTED},
    {EVENT_ATTEMPT_ENDED, EVENT_TASK_BLOCKED},     {EVENT_ATTEMPT_ENDED, EVENT_ATTEMPT_JUDGED},
    {EVENT_ATTEMPT_JUDGED, EVENT_ATTEMPT_ENDED},   {EVENT_ATTEMPT_JUDGED, EVENT_ATTEMPT_QUIET},
    {EVENT_WAIT_STARTED, EVENT_ATTEMPT_RUNNING},   {EVENT_WAIT_STARTED, EVENT_WAIT_ENDED},
    {EVENT_WAIT_ENDED, EVENT_ATTEMPT_JUDGED},      {EVENT_WAIT_ENDED, EVENT_WAIT_STARTED},
    {EVENT_STEP_REOPENED, EVENT_STEP_ENDED},       {EVENT_STEP_REOPENED, EVENT_TASK_HELD},
    {EVENT_TASK_HELD, EVENT_TASK_RELEASED},        {EVENT_TASK_RELEASED, EVENT_TASK_HELD},
    {EVENT_ATTEMPT_RUNNING, EVENT_ATTEMPT_JUDGED}, {EVENT_STEP_REOPENED, EVENT_TASK_BLOCKED},
};

static bool displace(struct event *event, int way)
{
    int count = 0;
    int at = -1;
    for (size_t i = 0; i < ARRAY_LEN(displaced); i++) {
        if (displaced[i].where == event->kind && count++ == way)
            at = (int)i;
    }
    if (at < 0)
        return false;
    event->kind = displaced[at].what;
    event->a = event->b = event->c = event->e = 0;
    if (event->kind == EVENT_STEP_ENDED)
        event->a = DECISION_FAILED;
    return true;
}

static int64_t past_the_last(const struct event *event, const struct plot *plot)
{
    switch (event->kind) {
    case EVENT_ATTEMPT_ENDED:
        return OUTCOME_KIND_COUNT;
    case EVENT_STEP_ENDED:
        return DECISION_KIND_COUNT;
    case EVENT_CANCEL_ASKED:
        return CANCEL_MODE_COUNT;
    case EVENT_TASK_HELD:
        return plot->task_count + 1;
    case EVENT_GATE_CLOSED:
    case EVENT_GATE_OPENED:
        return PLOT_SOURCES_MAX;
    default: /* the classes */
        return VERDICT_CLASS_COUNT;
    }
}

static bool change(struct event *event, int way, const struct plot *plot)
{
    int steps = event->task >= 0 ? plot->tasks[event->task].step_count : 0;
    const struct {
        uint64_t kinds;
        void *field;
        bool wide; /* 64 bits */
        int64_t value;
    } ways[] = {
        {ANY, &event->seq, true, event->seq - 1},
        {ANY, &event->seq, true, event->seq + 1},
        {OF_TASK | OF_GATE, &event->task, false, plot->task_count},
        {OF_TASK, &event->task, false, -1},
        {OF_STEP, &event->step, false, event->step + 1},
        {OF_STEP, &event->step, false, event->step - 1},
        {OF_STEP | OF_ANY_ATTEMPT, &event->step, false, -1},
        {OF_STEP | OF_ANY_ATTEMPT, &event->step, false, steps},
        {OF_ATTEMPT, &event->attempt, false, event->attempt + 1},
        {OF_ATTEMPT, &event->attempt, false, event->attempt - 1},
        {OF_ANY_ATTEMPT, &event->attempt, false, 0},
        {OF_ANY_ATTEMPT, &event->attempt, false, 1000},
        {WITH_INDEX, &event->a, true, -1},
        {WITH_INDEX, &event->a, true, past_the_last(event, plot)},
        {WITH_COUNT, &event->a, true, -1},
        {OF_TREE | BIT(EVENT_WORKSPACE_CHANGED), &event->c, true, -1},
        {OF_TREE | BIT(EVENT_WORKSPACE_CHANGED), &event->e, true, INT64_MAX},
        {BIT(EVENT_WORKSPACE_CHANGED), &event->d, true, 2},
        {OF_CLASS, &event->b, true, -1},
        {OF_CLASS, &event->b, true, TRANSIENT_TYPE_COUNT},
        {OF_CLASS, &event->c, true, -1},
        {OF_CLASS, &event->c, true, REASON_COUNT},
        {BIT(EVENT_GATE_CLOSED), &event->e, true, -1},
        {BIT(EVENT_GATE_CLOSED), &event->e, true, plot->task_count + 1},
        {BIT(EVENT_STEP_ENDED), &event->a, true, DECISION_WAIT},
        {BIT(EVENT_STEP_REOPENED), &event->c, true, -1},
        {BIT(EVENT_STEP_REOPENED), &event->c, true, ENTROPY_SCALE_MAX + 1},
    };
    if (way >= (int)ARRAY_LEN(ways) || (ways[way].kinds & BIT(event->kind)) == 0)
        return false;
    if (ways[way].wide)
        *(int64_t *)ways[way].field = ways[way].value;
    else
        *(int *)ways[way].field = (int)ways[way].value;
    return true;
}

bool damage_event(struct event *event, int way, const struct plot *plot)
{
    enum { TEXT = 27, STARTED_AGAIN = 28, DISPLACED = 29 };
    if (way == TEXT) {
        event->text = "{\"by\":";
        return true;
    }
    if (way == STARTED_AGAIN) {
        bool first = event->seq == 1;
        event->kind = EVENT_RUN_STARTED;
        event->task = event->step = -1;
        return !first;
    }
    return way >= DISPLACED ? displace(event, way - DISPLACED) : change(event, way, plot);
}
