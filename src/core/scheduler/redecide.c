/* redecide.c - makes the decisions of a recorded run again.
 *
 * The inputs are read back from the events that they caused (redecide_input.h). First the decision
 * on one input and the comparison, then the events. */
#include "redecide.h"

#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "redecide_input.h"
#include "run_state.h"
#include "xalloc.h"

/* One input, decided again and compared. */

struct redecide {
    struct redecide_run run;   /* the pointers in it are borrowed from the caller */
    struct run_state recorded; /* the fold of the events accounted for */
    struct run_state made; /* like `recorded`; within a step, with the decisions of this build */
    struct scheduler scheduler;
    struct turn turn;
    struct event_list events; /* the events of one moment */
    size_t at;                /* the first event not accounted for */
    bool is_last;      /* the engine that recorded these events recorded nothing after them */
    bool was_taken_up; /* another engine continued the run */
    bool leaves;       /* nothing has been started since `unstarted` */
    struct event unstarted, before;         /* the event that was not emitted, and its cause */
    struct str unstarted_text, before_text; /* memory for the strings of `unstarted` and `before` */
    enum input_kind unstarted_input;
    bool is_stopped; /* no more decisions are made */
    int told;        /* number of differences reported */
    int guesses;     /* see REDECIDE_GUESSES_MAX */
    struct redecide_sum sum;
};

/* Who decided. The log does not say this, so each way is tried: an engine that is shutting down
 * starts nothing, and without an engine a control is answered by the process that requests it. */
enum way { WAY_ENGINE, WAY_LEAVES, WAY_ORPHANED, WAY_COUNT };

/* Takes from the log what this build cannot know: the digest of a call and the text of a prompt
 * depend on more than the log has, and a note may have been too long for it. */
static void recall_event(void *ctx, struct event *event)
{
    struct redecide *redecide = ctx;
    const size_t at = redecide->at + redecide->turn.events.count;
    if (at >= redecide->events.count)
        return;
    const struct event *recorded = &redecide->events.items[at];
    if (recorded->kind != event->kind || recorded->task != event->task)
        return;
    if (event->kind == EVENT_ATTEMPT_STARTED)
        event->started.call = recorded->started.call;
    else if (event->kind == EVENT_ROUND_STARTED)
        event->round_started.prompt = recorded->round_started.prompt;
    else if (event->kind == EVENT_NOTE)
        event->note.note = recorded->note.note;
}

/* Compares the fields that this build knows, as they are in a log. */
static bool is_same(struct event a, struct event b)
{
    struct str one = {0};
    struct str other = {0};
    a.data = b.data = NULL;
    event_write(&a, &one);
    event_write(&b, &other);
    const bool has_same_data = strcmp(str_text(&one), str_text(&other)) == 0;
    str_done(&one);
    str_done(&other);
    return has_same_data && a.kind == b.kind && a.task == b.task && a.step == b.step &&
           a.round == b.round && a.grant == b.grant && a.attempt == b.attempt;
}

/* Returns how many events of this build, from the first, are the same as in the log. */
static size_t count_same(const struct redecide *redecide)
{
    const struct turn *turn = &redecide->turn;
    const size_t left = redecide->events.count - redecide->at;
    size_t same = 0;
    while (same < turn->events.count && same < left &&
           is_same(turn->events.items[same], redecide->events.items[redecide->at + same]))
        same++;
    return same;
}

/* Restores `made` to the recorded state, dropping the decisions of this build. */
static void restore_state(struct redecide *redecide)
{
    run_state_done(&redecide->made);
    run_state_copy(&redecide->made, &redecide->recorded);
}

static void decide_step(struct redecide *redecide, const struct input *input, enum way way)
{
    struct scheduler *scheduler = &redecide->scheduler;
    scheduler->starts_nothing = way == WAY_LEAVES;
    scheduler->orphaned = way == WAY_ORPHANED;
    if (redecide->run.plan->grows) {
        /* A growing plan grows until its end is recorded. An engine that continues the run starts
         * nothing. */
        const bool ends = redecide->events.items[redecide->at].kind == EVENT_RUN_ENDED;
        redecide->was_taken_up = redecide->was_taken_up || input->kind == INPUT_RECOVER;
        scheduler->awaits_more = !redecide->was_taken_up && !ends;
        if (redecide->was_taken_up)
            scheduler->starts_nothing = true;
    }
    turn_clear(&redecide->turn);
    scheduler_step(scheduler, input, &redecide->turn);
}

/* Accounts for `events` more events. Adds the number of decisions among them to *of. */
static bool account_for(struct redecide *redecide, size_t events, int64_t *of, struct err *err)
{
    struct redecide_sum *sum = &redecide->sum;
    for (size_t i = 0; i < events; i++) {
        const struct event *event = &redecide->events.items[redecide->at];
        const bool is_decision = redecide_is_decision(event->kind);
        const bool is_act =
            event->kind == EVENT_CANCEL_ASKED || event->kind == EVENT_CLASS_CORRECTED;
        if (!run_state_apply(&redecide->recorded, event, err))
            return false;
        sum->events++;
        if (!event_kind_is_known(event->kind))
            sum->unknown++;
        else if (is_decision)
            sum->decisions++;
        else if (!is_act)
            sum->facts++;
        *of += is_decision;
        redecide->at++;
    }
    return true;
}

static bool accept_same(struct redecide *redecide, size_t same, struct err *err)
{
    for (size_t i = 0; i < same; i++) {
        const enum event_kind kind = redecide->turn.events.items[i].kind;
        redecide->sum.calls += kind == EVENT_ATTEMPT_STARTED;
        redecide->sum.prompts += kind == EVENT_ROUND_STARTED;
    }
    return account_for(redecide, same, &redecide->sum.same, err);
}

static void report_difference(struct redecide *redecide,
                              const struct redecide_difference *difference)
{
    redecide->told++;
    redecide->is_stopped =
        redecide->told >= REDECIDE_DIFFERENCES_MAX || !run_state_can_copy(&redecide->recorded);
    if (redecide->run.differs)
        redecide->run.differs(redecide->run.ctx, difference);
}

static bool skip_different(struct redecide *redecide, const struct input *input, struct err *err)
{
    const size_t first = redecide->at;
    const size_t same = count_same(redecide);
    size_t next = first + (same > 0 ? same : 1); /* where the next input certainly begins */
    while (next < redecide->events.count &&
           !redecide_begins_input(redecide->events.items[next].kind))
        next++;
    if (input->kind == INPUT_RECOVER)
        next = redecide->events.count;
    int64_t others = 0;
    if (!accept_same(redecide, same, err))
        return false;
    const struct redecide_difference difference = {
        .state = &redecide->recorded,
        .input = input->kind,
        .cause = &redecide->events.items[first],
        .recorded = redecide->at < next ? &redecide->events.items[redecide->at] : NULL,
        .made = same < redecide->turn.events.count ? &redecide->turn.events.items[same] : NULL,
    };
    report_difference(redecide, &difference);
    if (!account_for(redecide, next - redecide->at, &others, err))
        return false;
    /* If no recorded decision belongs to the difference, still counts one decision. */
    redecide->sum.decisions += others == 0;
    redecide->sum.different += others > 0 ? others : 1;
    if (!redecide->is_stopped)
        restore_state(redecide);
    return true;
}

/* Forgets the event that was not emitted, so that it is not reported as a difference any more. */
static void forget_leaving(struct redecide *redecide)
{
    redecide->leaves = false;
    redecide->unstarted = (struct event){0};
    redecide->before = (struct event){0};
}

static bool is_all_same(const struct redecide *redecide)
{
    const size_t events = redecide->turn.events.count;
    return events > 0 && count_same(redecide) == events;
}

/* Returns the first way that explains what was recorded, or WAY_COUNT. */
static enum way find_way(struct redecide *redecide, const struct input *input)
{
    const bool is_act = input->kind == INPUT_CONTROL;
    for (enum way way = WAY_LEAVES; way < WAY_COUNT; way++) {
        if (way == WAY_ORPHANED && !is_act)
            continue;
        restore_state(redecide);
        decide_step(redecide, input, way);
        if (is_all_same(redecide))
            return way;
    }
    return WAY_COUNT;
}

static enum way first_way(const struct redecide *redecide, const struct input *input)
{
    if (redecide->run.is_session && input->kind == INPUT_CONTROL)
        return WAY_ORPHANED;
    return redecide->leaves ? WAY_LEAVES : WAY_ENGINE;
}

/* Handles a decision that is not the recorded one: looks for a reason that the log does not
 * mention. */
static bool explain_input(struct redecide *redecide, const struct input *input, struct err *err)
{
    if (!run_state_can_copy(&redecide->recorded) || redecide->guesses >= REDECIDE_GUESSES_MAX)
        return skip_different(redecide, input, err);
    redecide->guesses++;
    struct event unstarted = {0};
    struct str text = {0};
    const size_t same = count_same(redecide);
    if (same < redecide->turn.events.count) {
        unstarted = redecide->turn.events.items[same];
        event_keep(&unstarted, &text);
    }
    const bool was_leaving = redecide->leaves;
    if (find_way(redecide, input) != WAY_COUNT) {
        if (was_leaving || unstarted.kind == EVENT_NONE) {
            str_done(&text);
        } else {
            /* The explanation holds only if nothing is started until the run is continued. If
             * something is started, the decision was different after all (decide_input()). */
            redecide->leaves = true;
            str_done(&redecide->unstarted_text);
            redecide->unstarted = unstarted;
            redecide->unstarted_text = text;
            redecide->before = redecide->events.items[redecide->at];
            event_keep(&redecide->before, &redecide->before_text);
            redecide->unstarted_input = input->kind;
        }
        return accept_same(redecide, redecide->turn.events.count, err);
    }
    str_done(&text);
    restore_state(redecide);
    decide_step(redecide, input, first_way(redecide, input));
    /* devs may have died before the whole step was recorded. */
    const size_t recorded = count_same(redecide);
    const bool is_cut_off =
        recorded > 0 && redecide->is_last && redecide->at + recorded == redecide->events.count;
    if (!is_cut_off)
        return skip_different(redecide, input, err);
    redecide->sum.cut_off++;
    if (!accept_same(redecide, recorded, err))
        return false;
    restore_state(redecide);
    return true;
}

/* Decides on the input that begins with the moment's next event, and accounts for the events
 * recorded for it. Fails with ERR_DAMAGED like redecide_add(). */
static bool decide_input(struct redecide *redecide, const struct input *input, struct err *err)
{
    if (redecide->leaves && input->kind == INPUT_RECOVER)
        forget_leaving(redecide);
    decide_step(redecide, input, first_way(redecide, input));
    if (!is_all_same(redecide) && redecide->leaves) {
        restore_state(redecide);
        decide_step(redecide, input, WAY_ENGINE);
        if (is_all_same(redecide)) {
            const struct redecide_difference difference = {.state = &redecide->recorded,
                                                           .input = redecide->unstarted_input,
                                                           .cause = &redecide->before,
                                                           .made = &redecide->unstarted};
            redecide->sum.decisions++;
            redecide->sum.different++;
            report_difference(redecide, &difference);
            forget_leaving(redecide);
        }
    }
    if (is_all_same(redecide))
        return accept_same(redecide, redecide->turn.events.count, err);
    return explain_input(redecide, input, err);
}

/* The events. */

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
    return event_kind_is_known(kind) && decisions[kind];
}

/* Applies recorded events to `made` that this build has not decided. */
static bool follow_record(struct redecide *redecide, size_t events, int64_t *of, struct err *err)
{
    for (size_t i = 0; i < events; i++) {
        if (!run_state_apply(&redecide->made, &redecide->events.items[redecide->at + i], err))
            return false;
    }
    return account_for(redecide, events, of, err);
}

/* Handles the next of the moment's events. */
static bool take_next(struct redecide *redecide, struct err *err)
{
    const struct redecide_events events = {.items = redecide->events.items + redecide->at,
                                           .count = redecide->events.count - redecide->at};
    const struct event *first = events.items;
    struct redecide_sum *sum = &redecide->sum;
    int64_t none = 0;
    if (redecide->is_stopped)
        return account_for(redecide, 1, &sum->unseen, err);
    if (!event_kind_is_known(first->kind))
        return follow_record(redecide, 1, &none, err);

    struct redecide_input input;
    bool ok = false;
    switch (redecide_read_input(&redecide->run, &redecide->recorded, &events, &input)) {
    case REDECIDE_ACT:
        sum->acts++;
        ok = decide_input(redecide, &input.input, err);
        break;
    case REDECIDE_FACT:
    case REDECIDE_TIME:
        ok = decide_input(redecide, &input.input, err);
        break;
    case REDECIDE_LOST:
        sum->lost_acts++;
        ok = follow_record(redecide, input.length, &sum->lost, err);
        break;
    case REDECIDE_WRONG:
        ok = err_set(err, ERR_DAMAGED, "event %lld (%s): cannot follow the previous events",
                     (long long)first->seq, event_kind_name(first->kind));
        break;
    }
    return ok;
}

static void forget_moment(struct redecide *redecide)
{
    redecide->events.count = 0;
    redecide->at = 0;
}

static bool take_moment(struct redecide *redecide, bool is_last, struct err *err)
{
    redecide->is_last = is_last;
    bool ok = true;
    while (ok && redecide->at < redecide->events.count)
        ok = take_next(redecide, err);
    forget_moment(redecide);
    return ok;
}

bool redecide_add(struct redecide *redecide, const struct event *event, struct err *err)
{
    bool is_of_moment = true;
    if (redecide->events.count > 0) {
        /* Another engine that continues the run begins a new moment, whatever the clock says. */
        const struct moment *at = &redecide->events.items[0].at;
        const bool begun =
            redecide->events.items[redecide->events.count - 1].kind == EVENT_RUN_STARTED;
        is_of_moment = at->at_ms == event->at.at_ms && at->mono_ms == event->at.mono_ms &&
                       (event->kind != EVENT_RUN_RECOVERED || begun);
    }
    if (!is_of_moment && !take_moment(redecide, event->kind == EVENT_RUN_RECOVERED, err))
        return false;
    if (redecide->events.count == REDECIDE_MOMENT_MAX)
        return err_set(err, ERR_LIMIT, "event %lld: more than %d events at the same time",
                       (long long)event->seq, (int)REDECIDE_MOMENT_MAX);
    (void)event_list_add(&redecide->events, event);
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
                                             .recall = recall_event,
                                             .recall_ctx = redecide};
    *out = redecide;
}

void redecide_close(struct redecide *redecide)
{
    if (!redecide)
        return;
    forget_moment(redecide);
    forget_leaving(redecide);
    event_list_done(&redecide->events);
    str_done(&redecide->unstarted_text);
    str_done(&redecide->before_text);
    turn_done(&redecide->turn);
    run_state_done(&redecide->made);
    run_state_done(&redecide->recorded);
    free(redecide);
}

const struct redecide_sum *redecide_sum(const struct redecide *redecide)
{
    return &redecide->sum;
}
