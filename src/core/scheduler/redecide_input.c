/*
 * redecide_input.c - reads the inputs of the scheduler from the events of a recorded run.
 */
#include "redecide_input.h"

#include <stdio.h>
#include <stdlib.h>

#include "fold.h"
#include "run_state.h"

/* The sources of an input. All borrowed. */
struct reading {
    const struct redecide_run *run;
    const struct run_state *state;
    const struct redecide_events *events;
};
typedef enum redecide_source read_fn(const struct reading *reading, struct redecide_input *out);

/* Returns whether the numbers of the event are in range. */
static bool is_sound(const struct run_state *state, const struct event *event)
{
    struct fold fold = {.state = (struct run_state *)(uintptr_t)state, /* never modified */
                        .event = event};
    if (event->task >= state->plan->task_count)
        return false;
    if (event->task >= 0) {
        fold.task = &fold.state->tasks[event->task];
        fold.step = run_state_step(state, event->task);
    }
    return fold_is_sound(&fold);
}

static void set_by(struct control *control, const struct event *event)
{
    (void)snprintf(control->by, sizeof(control->by), "%s", event->by ? event->by : "");
}

/* Returns the first event of this kind on the same attempt, before the attempt is mentioned
 * again. */
static const struct event *find_after_end(const struct redecide_events *events,
                                          enum event_kind kind)
{
    const struct event *end = &events->items[0];
    for (size_t i = 1; i < events->count; i++) {
        const struct event *event = &events->items[i];
        const bool is_same =
            event->task == end->task && event->step == end->step && event->attempt == end->attempt;
        if (is_same && event->kind == kind)
            return event;
        if (redecide_begins_input(event->kind))
            break;
    }
    return NULL;
}

/* Returns the masks of the output, which the log has only if they were decisive. */
static unsigned find_masks(const struct redecide_events *events)
{
    static const enum event_kind kinds[] = {EVENT_LOOP_SUSPECTED, EVENT_STEP_ENDED};
    unsigned masks = 0;
    for (size_t i = 0; i < ARRAY_LEN(kinds) && masks == 0; i++) {
        const struct event *event = find_after_end(events, kinds[i]);
        if (event)
            masks = event->kind == EVENT_STEP_ENDED ? event->step_ended.inputs.loop.masks
                                                    : event->loop.facts.masks;
    }
    return masks;
}

static void read_result(const struct event_end *end, struct input *input)
{
    input->fingerprint = end->fingerprint;
    input->partial = end->partial;
    input->skipped_bytes = end->skipped_bytes;
    input->start_why = end->start_error;
    input->has_fact = end->has_loop || end->new_permille >= 0;
    if (end->has_loop)
        input->fact = end->loop;
    input->masked_fingerprint = input->fact.outcome;
    input->fact.new_permille = end->new_permille;
}

void redecide_as_judged(const struct plan_step *step, enum outcome_kind ended, bool was_recorded,
                        struct verdict *verdict)
{
    const bool is_turned = step->expect.what == PLAN_EXPECT_FAILURE && ended != OUTCOME_CANCELLED &&
                           !outcome_is_broken_off(ended);
    if (!is_turned)
        return;
    if (verdict->expectation == VERDICT_UNEXPECTED_PASS) {
        *verdict = verdict_new();
    } else if (!was_recorded) {
        /* An expected failure left no verdict: use a reason that meets the plan. */
        enum reason reason = REASON_TEST_FAIL;
        for (int i = 0; i < REASON_COUNT; i++) {
            if ((step->expect.reasons & 1U << i) != 0)
                reason = (enum reason)i;
        }
        verdict_set_persistent(verdict, reason, "", "");
    } else if (verdict->class == VERDICT_SUCCESS) {
        verdict->class = VERDICT_PERSISTENT;
    }
    verdict->expectation = VERDICT_AS_IT_IS;
}

static enum redecide_source read_end(const struct reading *reading, struct redecide_input *out)
{
    const struct run_state *state = reading->state;
    const struct redecide_events *events = reading->events;
    const struct event *event = &events->items[0];
    struct input *input = &out->input;
    const bool is_there = event->task >= 0 && event->task < state->plan->task_count &&
                          event->step == run_state_step_number(state, event->task);
    if (!is_there || !is_sound(state, event))
        return REDECIDE_WRONG;
    const struct event *judged = find_after_end(events, EVENT_ATTEMPT_JUDGED);
    if (judged && !is_sound(state, judged))
        return REDECIDE_WRONG;
    input->kind = INPUT_ENDED;
    input->outcome = event->ended.outcome;
    if (input->outcome.stop != STOP_HOPELESS)
        input->outcome.stop = STOP_ASKED; /* the reason for the stop has been decided on already */
    read_result(&event->ended, input);

    /* A plain success has no verdict, and neither has an attempt whose engine died before judging
     * it. Any other attempt without a verdict is a failure that no plan expects. */
    const bool passed =
        (input->outcome.kind == OUTCOME_EXIT && input->outcome.code == 0 && !event->ended.fails) ||
        find_after_end(events, EVENT_STEP_ENDED);
    struct verdict *verdict = &input->verdict;
    *verdict = verdict_new();
    if (judged)
        verdict_from_record(&judged->judged, verdict);
    else if (!passed)
        verdict->class = VERDICT_TRANSIENT;
    input->expectation_met = verdict->class == VERDICT_SUCCESS;
    if (judged || passed)
        redecide_as_judged(&state->plan->tasks[event->task].steps[event->step], input->outcome.kind,
                           judged != NULL, verdict);
    input->masks = find_masks(events);
    return REDECIDE_FACT;
}

/* Reads the start of a run, or of an engine that continues it: that engine may find that the run
 * has not begun. */
static enum redecide_source read_start(const struct reading *reading, struct redecide_input *out)
{
    const struct run_state *state = reading->state;
    const struct redecide_events *events = reading->events;
    const struct event *event = &events->items[0];
    const bool begins = event->kind == EVENT_RUN_STARTED;
    const bool takes_up = begins && events->count > 1 && event[1].kind == EVENT_RUN_RECOVERED;
    const struct event *recovered = takes_up ? event + 1 : event;
    struct input *input = &out->input;
    if (!is_sound(state, event) || !is_sound(state, recovered))
        return REDECIDE_WRONG;
    set_by(&input->control, event);
    input->kind = recovered->kind == EVENT_RUN_RECOVERED ? INPUT_RECOVER : INPUT_START;
    if (input->kind == INPUT_RECOVER) {
        input->rebooted = recovered->recovered.rebooted;
        input->take_up = recovered->recovered.take_up;
        input->jobs = recovered->recovered.jobs != 0 ? recovered->recovered.jobs : state->jobs;
    }
    if (begins)
        input->jobs = event->run_started.jobs;
    const size_t next = (size_t)(recovered - event) + 1;
    if (next < events->count && events->items[next].kind == EVENT_DAY_COST) {
        input->fact_event = events->items[next];
        input->fact_event.data = NULL; /* the fields contain everything */
    }
    return REDECIDE_FACT;
}

static enum redecide_source read_news(const struct reading *reading, struct redecide_input *out)
{
    const struct event *event = &reading->events->items[0];
    if (!is_sound(reading->state, event))
        return REDECIDE_WRONG;
    if (event->kind == EVENT_ATTEMPT_RUNNING) {
        out->input.kind = INPUT_RUNNING;
        out->input.pid = event->running.pid;
        out->input.pid_start = event->running.pid_start;
        out->input.slot = event->running.slot;
        out->input.port = event->running.port;
    } else if (event->kind == EVENT_ATTEMPT_QUIET) {
        out->input.kind = INPUT_QUIET;
        out->input.quiet_ms = event->quiet.quiet_ms;
    } else {
        out->input.kind = INPUT_HEARD;
    }
    return REDECIDE_FACT;
}

static enum redecide_source read_fact(const struct reading *reading, struct redecide_input *out)
{
    const struct event *event = &reading->events->items[0];
    out->input.kind = INPUT_FACT;
    out->input.fact_event = *event;
    out->input.fact_event.data = NULL; /* the fields contain everything */
    return REDECIDE_FACT;
}

static enum redecide_source read_note(const struct reading *reading, struct redecide_input *out)
{
    const struct event *event = &reading->events->items[0];
    if (!is_sound(reading->state, event))
        return REDECIDE_WRONG;
    out->input.kind = INPUT_NOTE;
    out->input.note = event->note.note ? event->note.note : "";
    return REDECIDE_FACT;
}

static enum redecide_source read_task(const struct reading *reading, struct redecide_input *out)
{
    out->input.kind = INPUT_TASK;
    out->input.note = reading->events->items[0].task_added.task;
    return REDECIDE_FACT;
}

static enum redecide_source read_act(const struct reading *reading, struct redecide_input *out)
{
    const struct redecide_run *run = reading->run;
    const struct redecide_events *events = reading->events;
    const struct event *first = &events->items[0];
    struct control *control = &out->input.control;
    const bool cancels = first->kind == EVENT_CANCEL_ASKED;
    if (cancels && !event_is_in_range(first))
        return REDECIDE_WRONG;

    const struct event *answer = NULL; /* the answer to the control that caused these events */
    for (size_t i = 0; i < events->count && !answer; i++) {
        if (events->items[i].kind == EVENT_CONTROL_ANSWERED)
            answer = &events->items[i];
        else if (i > 0 && redecide_begins_input(events->items[i].kind))
            break;
    }
    if (!answer && !cancels)
        return REDECIDE_TIME;
    if (!answer) { /* the engine's own cancellation, by a signal or at its end, has no row */
        out->input.kind = INPUT_CONTROL;
        *control = (struct control){.verb = CONTROL_CANCEL, .task = first->task, .step = -1};
        control->mode = first->cancel.mode;
        set_by(control, first);
        return REDECIDE_ACT;
    }
    out->length = (size_t)(answer - first) + 1;
    if (!run->act || !run->act(run->ctx, answer->answered.control, control))
        return REDECIDE_LOST;
    out->input.kind = INPUT_CONTROL;
    if (cancels) /* without an engine, a cancellation is answered in its mildest mode */
        control->mode = first->cancel.mode;
    return REDECIDE_ACT;
}

/* If a person ended a wait or chose the task to send first, an input begins here; otherwise the
 * event is a decision. */
static enum redecide_source read_by_hand(const struct reading *reading, struct redecide_input *out)
{
    const struct event *event = &reading->events->items[0];
    const bool by_hand = event->kind == EVENT_WAIT_ENDED ? event->wait_ended.skipped
                                                         : event->gate_closed.chosen >= 0;
    return by_hand ? read_act(reading, out) : REDECIDE_TIME;
}

/* How to read an input from its first event. `begins`: an event of this kind always begins an
 * input. Kinds that are not listed follow only from the passing of time; facts are not listed
 * either. */
static const struct {
    read_fn *read;
    bool begins;
} readers[EVENT_KIND_COUNT] = {
    [EVENT_RUN_STARTED] = {read_start, true},
    [EVENT_RUN_RECOVERED] = {read_start, true},
    [EVENT_ATTEMPT_RUNNING] = {read_news, true},
    [EVENT_ATTEMPT_QUIET] = {read_news, true},
    [EVENT_ATTEMPT_HEARD] = {read_news, true},
    [EVENT_ATTEMPT_ENDED] = {read_end, true},
    [EVENT_NOTE] = {read_note, true},
    [EVENT_TASK_ADDED] = {read_task, true},
    [EVENT_CANCEL_ASKED] = {read_act, true},
    [EVENT_CLASS_CORRECTED] = {read_act, true},
    [EVENT_STEP_REOPENED] = {read_act, false},
    [EVENT_TASK_HELD] = {read_act, false},
    [EVENT_TASK_RELEASED] = {read_act, false},
    [EVENT_HINT_GIVEN] = {read_act, false},
    [EVENT_CONTROL_ANSWERED] = {read_act, false},
    [EVENT_WAIT_ENDED] = {read_by_hand, false},
    [EVENT_GATE_CLOSED] = {read_by_hand, false},
};

bool redecide_begins_input(enum event_kind kind)
{
    return event_kind_is_fact(kind) || (event_kind_is_known(kind) && readers[kind].begins);
}

enum redecide_source redecide_read_input(const struct redecide_run *run,
                                         const struct run_state *state,
                                         const struct redecide_events *events,
                                         struct redecide_input *out)
{
    const struct event *event = &events->items[0];
    *out = (struct redecide_input){0};
    out->input = (struct input){.kind = INPUT_TIME,
                                .now = event->at,
                                .task = event->task,
                                .step = event->step,
                                .attempt = event->attempt};
    /* Decisions may set a time after this one, which must be valid, too. */
    const int64_t most = FOLD_TIME_MAX_MS - 2 * FOLD_DELAY_MAX_MS;
    if (event->at.at_ms < -most || event->at.at_ms > most || event->at.mono_ms < -most ||
        event->at.mono_ms > most)
        return REDECIDE_WRONG;
    const struct reading reading = {.run = run, .state = state, .events = events};
    if (event_kind_is_fact(event->kind))
        return read_fact(&reading, out);
    read_fn *read = readers[event->kind].read;
    return read ? read(&reading, out) : REDECIDE_TIME;
}
