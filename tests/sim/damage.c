#include "damage.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "attr.h"
#include "facts.h"
#include "outcome.h"
#include "protocol.h"

enum { WAYS_OF_FIELDS = 30 };

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

/* Makes it an event of another kind about the same attempt. */
static void replace(struct event *event, enum event_kind kind)
{
    const struct event other = event_new(kind);
    facts_put(event, &other);
}

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
    replace(event, displaced[at].what);
    if (event->kind == EVENT_STEP_ENDED)
        event->step_ended.decision = DECISION_FAILED;
    return true;
}

/* Returns the number of the event that counts something of the plan, or is an enum's; *first and
 * *end are its range. NULL if there is none. */
static int *index_of(struct event *event, const struct plot *plot, int *first, int *end)
{
    *first = 0;
    switch (event->kind) {
    case EVENT_ATTEMPT_ENDED:
        *end = OUTCOME_KIND_COUNT;
        return (int *)&event->ended.outcome.kind;
    case EVENT_ATTEMPT_JUDGED:
        *end = VERDICT_CLASS_COUNT;
        return (int *)&event->judged.label.class;
    case EVENT_CLASS_CORRECTED:
        *end = VERDICT_CLASS_COUNT;
        return (int *)&event->corrected.class;
    case EVENT_STEP_ENDED:
        *end = DECISION_KIND_COUNT;
        return (int *)&event->step_ended.decision;
    case EVENT_CANCEL_ASKED:
        *end = CANCEL_MODE_COUNT;
        return (int *)&event->cancel.mode;
    case EVENT_WORKSPACE_MADE:
        *end = WORKSPACE_KIND_COUNT;
        return (int *)&event->workspace.kind;
    case EVENT_TASK_HELD:
        *first = -1;
        *end = plot->task_count;
        return &event->held.follows;
    case EVENT_GATE_CLOSED:
        *end = PLOT_SOURCES_MAX;
        return &event->gate_closed.source;
    case EVENT_GATE_OPENED:
        *end = PLOT_SOURCES_MAX;
        return &event->gate_opened.source;
    default: /* has none */
        return NULL;
    }
}

static struct verdict_label *label_of(struct event *event)
{
    return event->kind == EVENT_CLASS_CORRECTED ? &event->corrected : &event->judged.label;
}

static bool change(struct event *event, int way, const struct plot *plot)
{
    int steps = event->task >= 0 ? plot->tasks[event->task].step_count : 0;
    int first = 0;
    int end = 0;
    int *index = index_of(event, plot, &first, &end);
    struct verdict_label *label = label_of(event);
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
        {WITH_INDEX, index, false, first - 1},
        {WITH_INDEX, index, false, end},
        {BIT(EVENT_WORKSPACE_CHANGED), &event->changes.paths, true, -1},
        {BIT(EVENT_TIME_STOPPED), &event->stopped.ms, true, -1},
        {BIT(EVENT_SECRETS_CUT), &event->secrets.count, true, -1},
        {OF_TREE, &event->tree.count, true, -1},
        {OF_TREE, &event->tree.ms, true, INT64_MAX},
        {BIT(EVENT_WORKSPACE_CHANGED), &event->changes.removed, true, -1},
        {BIT(EVENT_WORKSPACE_CHANGED), &event->changes.ms, true, INT64_MAX},
        {OF_CLASS, &label->type, false, -1},
        {OF_CLASS, &label->type, false, TRANSIENT_TYPE_COUNT},
        {OF_CLASS, &label->reason, false, -1},
        {OF_CLASS, &label->reason, false, REASON_COUNT},
        {BIT(EVENT_GATE_CLOSED), &event->gate_closed.chosen, false, -2},
        {BIT(EVENT_GATE_CLOSED), &event->gate_closed.chosen, false, plot->task_count},
        {BIT(EVENT_STEP_ENDED), &event->step_ended.decision, false, DECISION_WAIT},
        {BIT(EVENT_STEP_REOPENED), &event->reopened.scale, false, -1},
        {BIT(EVENT_STEP_REOPENED), &event->reopened.scale, false, ENTROPY_SCALE_MAX + 1},
    };
    static_assert(ARRAY_LEN(ways) == WAYS_OF_FIELDS, "all are tried");
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
    enum { DATA = WAYS_OF_FIELDS, STARTED_AGAIN, DISPLACED };
    static const char broken[] = "{\"by\":";
    if (way == DATA) {
        struct event unread = event_new(event->kind);
        struct str room = {0};
        str_reserve(&room, sizeof(broken));
        event->is_damaged = !event_read(&unread, broken, strlen(broken), &room);
        str_done(&room);
        return true;
    }
    if (way == STARTED_AGAIN) {
        bool first = event->seq == 1;
        replace(event, EVENT_RUN_STARTED);
        event->task = event->step = -1;
        return !first;
    }
    return way >= DISPLACED ? displace(event, way - DISPLACED) : change(event, way, plot);
}
