#include "redecide_step.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "redecide_input.h"
#include "run_state.h"
#include "xalloc.h"

/* Who decided. What is in no log is tried: an engine that leaves starts nothing, and where there
 * is none an act is answered by whoever asks. */
enum way { WAY_ENGINE, WAY_LEAVES, WAY_ORPHANED, WAY_COUNT };

struct event redecide_keep_event(const struct event *event)
{
    struct event copy = *event;
    copy.text = event->text ? xstrdup(event->text) : NULL;
    return copy;
}

void redecide_free_event(struct event *event)
{
    free((void *)(uintptr_t)event->text); /* redecide_keep_event() made it */
    *event = (struct event){0};
}

/* What is not JSON cannot be folded in: the fold is to say so of the recorded event. */
static bool is_json(const char *text)
{
    struct json *tree = NULL;
    if (!text)
        return true;
    const bool ok = json_parse(text, strlen(text), &tree, NULL, NULL);
    if (ok)
        json_free(tree);
    return ok;
}

/* The digest of a call and the words of a prompt are made of more than the log keeps; a note may
 * have been too long for it. */
void redecide_recall(void *ctx, struct event *event, const char **text)
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
    } else if ((event->kind == EVENT_ROUND_STARTED || event->kind == EVENT_NOTE ||
                event->kind == EVENT_RUN_STARTED) &&
               is_json(recorded->text)) {
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
bool redecide_advance(struct redecide *redecide, size_t events, int64_t *of, struct err *err)
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

static bool accept(struct redecide *redecide, size_t same, struct err *err)
{
    for (size_t i = 0; i < same; i++) {
        const enum event_kind kind = redecide->turn.events[i].kind;
        redecide->sum.calls += kind == EVENT_ATTEMPT_STARTED;
        redecide->sum.prompts += kind == EVENT_ROUND_STARTED;
    }
    return redecide_advance(redecide, same, &redecide->sum.same, err);
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
    if (!redecide_advance(redecide, next - redecide->at, &others, err))
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
    redecide->before = redecide_keep_event(&redecide->events[redecide->at]);
    redecide->unstarted_input = input->kind;
}

void redecide_forget_leaving(struct redecide *redecide)
{
    redecide->leaves = false;
    redecide_free_event(&redecide->unstarted);
    redecide_free_event(&redecide->before);
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
    redecide_forget_leaving(redecide);
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
    if (!run_state_can_copy(&redecide->recorded) || redecide->guesses >= REDECIDE_GUESSES_MAX)
        return differ(redecide, input, err);
    redecide->guesses++;
    struct event unstarted = {0};
    const size_t same = count_same(redecide);
    if (same < redecide->turn.event_count)
        unstarted = redecide_keep_event(&redecide->turn.events[same]);
    const bool was_leaving = redecide->leaves;
    if (find_way(redecide, input) != WAY_COUNT) {
        if (was_leaving || unstarted.kind == EVENT_NONE)
            redecide_free_event(&unstarted);
        else
            assume_leaving(redecide, input, &unstarted);
        return accept(redecide, redecide->turn.event_count, err);
    }
    redecide_free_event(&unstarted);
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

bool redecide_decide(struct redecide *redecide, const struct input *input, struct err *err)
{
    if (redecide->leaves && input->kind == INPUT_RECOVER)
        redecide_forget_leaving(redecide);
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
