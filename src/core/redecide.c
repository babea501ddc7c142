#include "redecide.h"

#include <stdlib.h>
#include <string.h>

#include "redecide_input.h"
#include "run_state_copy.h"
#include "xalloc.h"

/* Who decided. What is in no log is tried: an engine that leaves starts nothing, and where there
 * is none an act is answered by whoever asks. */
enum way { WAY_ENGINE, WAY_LEAVES, WAY_ORPHANED, WAY_COUNT };

struct redecide {
    struct redecide_run run;   /* borrowed by its open() */
    struct run_state recorded; /* the fold of what is accounted for */
    struct run_state made;     /* the same; within a step, with what this build decides */
    struct scheduler scheduler;
    struct turn turn;
    struct event *events; /* owned, texts too; of one moment */
    size_t count, cap;
    size_t at;                      /* the first that is not accounted for */
    bool is_last;                   /* whoever recorded them recorded no more */
    bool was_taken_up;              /* by another engine */
    bool leaves;                    /* since `unstarted` nothing has been started */
    struct event unstarted, before; /* texts owned; what would have been, and on what */
    enum input_kind unstarted_input;
    bool is_stopped; /* nothing is decided any more */
    int told;        /* differences */
    struct redecide_sum sum;
};

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

static struct event keep_event(const struct event *event)
{
    struct event copy = *event;
    copy.text = event->text ? xstrdup(event->text) : NULL;
    return copy;
}

static void free_event(struct event *event)
{
    free((void *)(uintptr_t)event->text); /* keep_event() made it */
    *event = (struct event){0};
}

/* The digest of a call and the words of a prompt are made of more than the log keeps; a note may
 * have been too long for it. */
static void recall(void *ctx, struct event *event, const char **text)
{
    struct redecide *redecide = ctx;
    const size_t at = redecide->at + redecide->turn.event_count;
    if (at >= redecide->count)
        return;
    const struct event *recorded = &redecide->events[at];
    if (recorded->kind != event->kind || recorded->task != event->task)
        return;
    if (event->kind == EVENT_ATTEMPT_STARTED) {
        event->a = recorded->a;
        event->b = recorded->b;
    } else if (event->kind == EVENT_ROUND_STARTED || event->kind == EVENT_NOTE ||
               event->kind == EVENT_RUN_STARTED) {
        *text = recorded->text;
    }
}

static bool is_same_text(const char *text, const char *other)
{
    return text && other ? strcmp(text, other) == 0 : text == other;
}

static bool is_same(const struct event *a, const struct event *b)
{
    return a->kind == b->kind && a->task == b->task && a->step == b->step && a->round == b->round &&
           a->grant == b->grant && a->attempt == b->attempt && a->a == b->a && a->b == b->b &&
           a->c == b->c && a->d == b->d && a->e == b->e && is_same_text(a->text, b->text);
}

/* How many of the events that this build emits are those of the log, from the first on. */
static size_t count_same(const struct redecide *redecide)
{
    const struct turn *turn = &redecide->turn;
    const size_t left = redecide->count - redecide->at;
    size_t same = 0;
    while (same < turn->event_count && same < left &&
           is_same(&turn->events[same], &redecide->events[redecide->at + same]))
        same++;
    return same;
}

/* As the log has it, whatever was decided on top of it. */
static void put_back(struct redecide *redecide)
{
    run_state_done(&redecide->made);
    run_state_copy(&redecide->made, &redecide->recorded);
}

/* A plan that grows does so until its end is recorded; who takes the run up starts nothing. */
static void set_growing(struct redecide *redecide, const struct input *input)
{
    const bool ends = redecide->events[redecide->at].kind == EVENT_RUN_ENDED;
    redecide->was_taken_up = redecide->was_taken_up || input->kind == INPUT_RECOVER;
    redecide->scheduler.awaits_more = !redecide->was_taken_up && !ends;
    if (redecide->was_taken_up)
        redecide->scheduler.starts_nothing = true;
}

static void step(struct redecide *redecide, const struct input *input, enum way way)
{
    struct scheduler *scheduler = &redecide->scheduler;
    scheduler->starts_nothing = way == WAY_LEAVES;
    scheduler->orphaned = way == WAY_ORPHANED;
    if (redecide->run.plan->grows)
        set_growing(redecide, input);
    turn_clear(&redecide->turn);
    scheduler_step(scheduler, input, &redecide->turn);
}

static void count_event(struct redecide_sum *sum, const struct event *event)
{
    const bool is_act = event->kind == EVENT_CANCEL_ASKED || event->kind == EVENT_CLASS_CORRECTED;
    sum->events++;
    if (!event_kind_is_known((int64_t)event->kind))
        sum->unknown++;
    else if (redecide_is_decision(event->kind))
        sum->decisions++;
    else if (!is_act)
        sum->facts++;
}

/* So many more events are accounted for; of their decisions, `*of` counts how many there are. */
static bool advance(struct redecide *redecide, size_t events, int64_t *of, struct err *err)
{
    for (size_t i = 0; i < events; i++) {
        const struct event *event = &redecide->events[redecide->at];
        if (!run_state_apply(&redecide->recorded, event, err))
            return false;
        count_event(&redecide->sum, event);
        *of += redecide_is_decision(event->kind);
        redecide->at++;
    }
    return true;
}

/* What `made` has not decided, it is told. */
static bool follow(struct redecide *redecide, size_t events, int64_t *of, struct err *err)
{
    for (size_t i = 0; i < events; i++) {
        if (!run_state_apply(&redecide->made, &redecide->events[redecide->at + i], err))
            return false;
    }
    return advance(redecide, events, of, err);
}

static bool accept(struct redecide *redecide, size_t same, struct err *err)
{
    for (size_t i = 0; i < same; i++) {
        const enum event_kind kind = redecide->turn.events[i].kind;
        redecide->sum.calls += kind == EVENT_ATTEMPT_STARTED;
        redecide->sum.prompts += kind == EVENT_ROUND_STARTED;
    }
    return advance(redecide, same, &redecide->sum.same, err);
}

static void tell(struct redecide *redecide, const struct redecide_difference *difference)
{
    redecide->told++;
    redecide->is_stopped =
        redecide->told >= REDECIDE_DIFFERENCES_MAX || !run_state_can_copy(&redecide->recorded);
    if (redecide->run.differs)
        redecide->run.differs(redecide->run.ctx, difference);
}

/* Where the next input begins for sure. */
static size_t find_next(const struct redecide *redecide, const struct input *input, size_t same)
{
    size_t next = redecide->at + (same > 0 ? same : 1);
    if (input->kind == INPUT_RECOVER)
        return redecide->count;
    while (next < redecide->count && !redecide_begins_input(redecide->events[next].kind))
        next++;
    return next;
}

static bool differ(struct redecide *redecide, const struct input *input, struct err *err)
{
    const size_t first = redecide->at;
    const size_t same = count_same(redecide);
    const size_t next = find_next(redecide, input, same);
    int64_t others = 0;
    if (!accept(redecide, same, err))
        return false;
    const struct redecide_difference difference = {
        .state = &redecide->recorded,
        .input = input->kind,
        .cause = &redecide->events[first],
        .recorded = redecide->at < next ? &redecide->events[redecide->at] : NULL,
        .made = same < redecide->turn.event_count ? &redecide->turn.events[same] : NULL,
    };
    tell(redecide, &difference);
    if (!advance(redecide, next - redecide->at, &others, err))
        return false;
    /* What should not be there, or is no decision in the log, is one all the same. */
    redecide->sum.decisions += others == 0;
    redecide->sum.different += others > 0 ? others : 1;
    if (!redecide->is_stopped)
        put_back(redecide);
    return true;
}

/* From here on nothing may be started until the run is taken up: else this was the difference. */
static void assume_leaving(struct redecide *redecide, const struct input *input,
                           const struct event *unstarted)
{
    redecide->leaves = true;
    redecide->unstarted = *unstarted;
    redecide->before = keep_event(&redecide->events[redecide->at]);
    redecide->unstarted_input = input->kind;
}

static void forget_leaving(struct redecide *redecide)
{
    redecide->leaves = false;
    free_event(&redecide->unstarted);
    free_event(&redecide->before);
}

static void tell_unstarted(struct redecide *redecide)
{
    const struct redecide_difference difference = {.state = &redecide->recorded,
                                                   .input = redecide->unstarted_input,
                                                   .cause = &redecide->before,
                                                   .made = &redecide->unstarted};
    redecide->sum.decisions++;
    redecide->sum.different++;
    tell(redecide, &difference);
    forget_leaving(redecide);
}

static bool is_all_same(const struct redecide *redecide)
{
    const size_t events = redecide->turn.event_count;
    return events > 0 && count_same(redecide) == events;
}

/* Its devs died before all of the step was recorded. */
static bool is_cut_off(const struct redecide *redecide)
{
    const size_t same = count_same(redecide);
    return same > 0 && redecide->is_last && redecide->at + same == redecide->count;
}

/* The first way that explains what was recorded; WAY_COUNT: none does. */
static enum way find_way(struct redecide *redecide, const struct input *input)
{
    const bool is_act = input->kind == INPUT_CONTROL;
    for (enum way way = WAY_LEAVES; way < WAY_COUNT; way++) {
        if (way == WAY_ORPHANED && !is_act)
            continue;
        put_back(redecide);
        step(redecide, input, way);
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

/* What was decided is not what was recorded: is there a reason that the log does not say? */
static bool explain(struct redecide *redecide, const struct input *input, struct err *err)
{
    if (!run_state_can_copy(&redecide->recorded))
        return differ(redecide, input, err);
    struct event unstarted = {0};
    const size_t same = count_same(redecide);
    if (same < redecide->turn.event_count)
        unstarted = keep_event(&redecide->turn.events[same]);
    const bool was_leaving = redecide->leaves;
    if (find_way(redecide, input) != WAY_COUNT) {
        if (was_leaving || unstarted.kind == EVENT_NONE)
            free_event(&unstarted);
        else
            assume_leaving(redecide, input, &unstarted);
        return accept(redecide, redecide->turn.event_count, err);
    }
    free_event(&unstarted);
    put_back(redecide);
    step(redecide, input, first_way(redecide, input));
    if (!is_cut_off(redecide))
        return differ(redecide, input, err);
    redecide->sum.cut_off++;
    if (!accept(redecide, count_same(redecide), err))
        return false;
    put_back(redecide);
    return true;
}

static bool decide(struct redecide *redecide, const struct input *input, struct err *err)
{
    if (redecide->leaves && input->kind == INPUT_RECOVER)
        forget_leaving(redecide);
    step(redecide, input, first_way(redecide, input));
    if (!is_all_same(redecide) && redecide->leaves) {
        put_back(redecide);
        step(redecide, input, WAY_ENGINE);
        if (is_all_same(redecide))
            tell_unstarted(redecide);
    }
    if (is_all_same(redecide))
        return accept(redecide, redecide->turn.event_count, err);
    return explain(redecide, input, err);
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
        return advance(redecide, 1, &sum->unseen, err);
    if (!event_kind_is_known((int64_t)events.items[0].kind))
        return follow(redecide, 1, &none, err);

    struct redecide_input input;
    bool ok = false;
    switch (redecide_input_read(&redecide->run, &redecide->recorded, &events, &input)) {
    case REDECIDE_ACT:
        sum->acts++;
        ok = decide(redecide, &input.input, err);
        break;
    case REDECIDE_FACT:
    case REDECIDE_TIME:
        ok = decide(redecide, &input.input, err);
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
        free_event(&redecide->events[i]);
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
    redecide->events[redecide->count++] = keep_event(event);
    return true;
}

bool redecide_finish(struct redecide *redecide, struct err *err)
{
    return take_moment(redecide, true, err);
}

void redecide_open(struct redecide **out, const struct redecide_run *run)
{
    static char *const environment[] = {NULL};
    struct redecide *redecide = xcalloc(1, sizeof(*redecide));
    redecide->run = *run;
    run_state_init(&redecide->recorded, run->plan, run->seed);
    run_state_init(&redecide->made, run->plan, run->seed);
    redecide->scheduler = (struct scheduler){.state = &redecide->made,
                                             .run_dir = run->dir,
                                             .environment = environment,
                                             .is_session = run->is_session,
                                             .recall = recall,
                                             .recall_ctx = redecide};
    *out = redecide;
}

void redecide_close(struct redecide *redecide)
{
    if (!redecide)
        return;
    forget_moment(redecide);
    forget_leaving(redecide);
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

const struct run_state *redecide_state(const struct redecide *redecide)
{
    return &redecide->recorded;
}
