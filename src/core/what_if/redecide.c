#include "redecide.h"

#include <stdlib.h>

#include "redecide_input.h"
#include "redecide_step.h"
#include "xalloc.h"

bool redecide_is_decision(enum event_kind kind)
{
    static const bool decisions[EVENT_KIND_COUNT] = {
        [EVENT_RUN_ENDED] = true,      [EVENT_ATTEMPT_STARTED] = true,
        [EVENT_WAIT_STARTED] = true,   [EVENT_WAIT_ENDED] = true,
        [EVENT_STEP_ENDED] = true,     [EVENT_STEP_REOPENED] = true,
        [EVENT_TASK_BLOCKED] = true,   [EVENT_TASK_HELD] = true,
        [EVENT_TASK_RELEASED] = true,  [EVENT_CONTROL_ANSWERED] = true,
        [EVENT_GATE_CLOSED] = true,    [EVENT_GATE_OPENED] = true,
        [EVENT_LOOP_SUSPECTED] = true, [EVENT_BUDGET] = true,
        [EVENT_ROUND_STARTED] = true,  [EVENT_HINT_GIVEN] = true,
    };
    return event_kind_is_known((int64_t)kind) && decisions[kind];
}

/* What `made` has not decided, it is told. */
static bool follow(struct redecide *redecide, size_t events, int64_t *of, struct err *err)
{
    for (size_t i = 0; i < events; i++) {
        if (!run_state_apply(&redecide->made, &redecide->events[redecide->at + i], err))
            return false;
    }
    return redecide_advance(redecide, events, of, err);
}

static bool damaged(const struct event *event, struct err *err)
{
    return err_set(err, ERR_DAMAGED, "event %lld (kind %d): it cannot follow what was before",
                   (long long)event->seq, (int)event->kind);
}

/* What comes next of the moment's events. */
static bool take_next(struct redecide *redecide, struct err *err)
{
    const struct redecide_events events = {.items = redecide->events + redecide->at,
                                           .count = redecide->count - redecide->at};
    struct redecide_sum *sum = &redecide->sum;
    int64_t none = 0;
    if (redecide->is_stopped)
        return redecide_advance(redecide, 1, &sum->unseen, err);
    if (!event_kind_is_known((int64_t)events.items[0].kind))
        return follow(redecide, 1, &none, err);

    struct redecide_input input;
    bool ok = false;
    switch (redecide_input_read(&redecide->run, &redecide->recorded, &events, &input)) {
    case REDECIDE_ACT:
        sum->acts++;
        ok = redecide_decide(redecide, &input.input, err);
        break;
    case REDECIDE_FACT:
    case REDECIDE_TIME:
        ok = redecide_decide(redecide, &input.input, err);
        break;
    case REDECIDE_LOST:
        sum->lost_acts++;
        ok = follow(redecide, input.length, &sum->lost, err);
        break;
    case REDECIDE_WRONG:
        ok = damaged(&events.items[0], err);
        break;
    }
    redecide_input_done(&input);
    return ok;
}

static void forget_moment(struct redecide *redecide)
{
    for (size_t i = 0; i < redecide->count; i++)
        redecide_free_event(&redecide->events[i]);
    redecide->count = 0;
    redecide->at = 0;
}

static bool take_moment(struct redecide *redecide, bool is_last, struct err *err)
{
    redecide->is_last = is_last;
    bool ok = true;
    while (ok && redecide->at < redecide->count)
        ok = take_next(redecide, err);
    forget_moment(redecide);
    return ok;
}

/* Whoever takes a run up begins a new one, whatever the clock says. */
static bool is_of_moment(const struct redecide *redecide, const struct event *event)
{
    const struct moment *at = &redecide->events[0].at;
    const bool begun = redecide->events[redecide->count - 1].kind == EVENT_RUN_STARTED;
    return at->at_ms == event->at.at_ms && at->mono_ms == event->at.mono_ms &&
           (event->kind != EVENT_RUN_RECOVERED || begun);
}

bool redecide_add(struct redecide *redecide, const struct event *event, struct err *err)
{
    const bool is_next = redecide->count > 0 && !is_of_moment(redecide, event);
    if (is_next && !take_moment(redecide, event->kind == EVENT_RUN_RECOVERED, err))
        return false;
    if (redecide->count == REDECIDE_MOMENT_MAX)
        return err_set(err, ERR_LIMIT, "event %lld: more than %d events at one moment",
                       (long long)event->seq, (int)REDECIDE_MOMENT_MAX);
    redecide->events =
        xgrow(redecide->events, &redecide->cap, redecide->count + 1, sizeof(*redecide->events));
    redecide->events[redecide->count++] = redecide_keep_event(event);
    return true;
}

bool redecide_finish(struct redecide *redecide, struct err *err)
{
    return take_moment(redecide, true, err);
}

void redecide_open(struct redecide **out, const struct redecide_run *run)
{
    struct redecide *redecide = xcalloc(1, sizeof(*redecide));
    redecide->run = *run;
    run_state_init(&redecide->recorded, run->plan, run->seed);
    run_state_init(&redecide->made, run->plan, run->seed);
    redecide->scheduler = (struct scheduler){.state = &redecide->made,
                                             .is_session = run->is_session,
                                             .recall = redecide_recall,
                                             .recall_ctx = redecide};
    *out = redecide;
}

void redecide_close(struct redecide *redecide)
{
    if (!redecide)
        return;
    forget_moment(redecide);
    redecide_forget_leaving(redecide);
    free(redecide->events);
    turn_done(&redecide->turn);
    run_state_done(&redecide->made);
    run_state_done(&redecide->recorded);
    free(redecide);
}

const struct redecide_sum *redecide_sum(const struct redecide *redecide)
{
    return &redecide->sum;
}
