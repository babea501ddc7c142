/* fold_run.c - folds a run's beginning, end and notes, and classes that a person corrects. */
#include "fold.h"

#include <stdio.h>

#include "xalloc.h"

void fold_run_started(const struct fold *fold)
{
    struct run_state *state = fold->state;
    state->started = true;
    state->started_at = fold->event->at;
    state->jobs = (int)fold->event->a;
    for (int i = 0; i < state->plan->task_count; i++) {
        state->tasks[i].since = fold->event->at;
        if (state->tasks[i].unmet == 0)
            fold_make_ready(fold, i);
    }
}

void fold_run_ended(const struct fold *fold)
{
    fold->state->ended = true;
    fold->state->ended_at = fold->event->at;
    fold->state->exit_code = (int)fold->event->a;
}

void fold_note(const struct fold *fold)
{
    fold_set_notice(fold, json_text(json_get(fold->text, "note"), ""));
}

/* Where a moment of the old boot is on the clock of the new one. */
static void rebase(const struct moment *now, struct moment *moment)
{
    if (moment->at_ms == 0)
        return;
    int64_t mono_ms = now->mono_ms - (now->at_ms - moment->at_ms);
    if (mono_ms > FOLD_TIME_MAX_MS)
        mono_ms = FOLD_TIME_MAX_MS;
    moment->mono_ms = mono_ms < -FOLD_TIME_MAX_MS ? -FOLD_TIME_MAX_MS : mono_ms;
}

/* When it was heard last moves with the attempt that is quiet. */
static void rebase_attempts(const struct moment *now, struct step_state *step)
{
    const struct attempt_state *last = step_state_attempt(step);
    const int64_t was_ms = last ? last->started.mono_ms : 0;
    for (size_t i = 0; i < step->attempt_count; i++) {
        rebase(now, &step->attempts[i].started);
        rebase(now, &step->attempts[i].ended);
    }
    if (last && step->quiet)
        step->heard_mono_ms += last->started.mono_ms - was_ms;
}

static void rebase_step(const struct fold *fold, int task)
{
    const struct moment *now = &fold->event->at;
    struct step_state *step = run_state_step(fold->state, task);
    rebase(now, &step->first_start);
    rebase(now, &step->wait_from);
    rebase(now, &step->due);
    if (heap_has(&fold->state->waits, task))
        heap_put(&fold->state->waits, task, step->due.mono_ms);
    for (int i = 0; i < fold->state->plan->tasks[task].step_count; i++)
        rebase_attempts(now, &fold->state->tasks[task].steps[i]);
    const struct task_pauses *pauses = fold->state->tasks[task].pauses;
    for (size_t i = 0; pauses && i < pauses->count; i++) {
        rebase(now, &pauses->items[i].from);
        rebase(now, &pauses->items[i].until);
    }
}

/* The clock since boot began anew: what still counts moves over by the wall clock. */
static void rebase_run(const struct fold *fold)
{
    struct run_state *state = fold->state;
    const struct moment *now = &fold->event->at;
    rebase(now, &state->started_at);
    if (fold->event->c != TAKE_UP_OPEN)
        rebase(now, &state->ended_at);
    for (int i = 0; i < state->plan->task_count; i++) {
        rebase(now, &state->tasks[i].since);
        rebase(now, &state->tasks[i].held_since);
        rebase(now, &state->tasks[i].cancelled_at);
        rebase(now, &state->tasks[i].first_start);
        if (state->tasks[i].circles)
            rebase(now, &state->tasks[i].circles->since);
        rebase_step(fold, i);
    }
    for (int i = 0; i < state->plan->source_count; i++) {
        rebase(now, &state->gates[i].since);
        rebase(now, &state->gates[i].due);
    }
}

void fold_away(const struct fold *fold, const struct moment *since)
{
    fold->state->away_ms =
        fold_length_ms(fold->state->away_ms + fold->event->at.mono_ms - since->mono_ms);
}

/* A run that has ended stays so until one of its steps is opened. */
void fold_run_recovered(const struct fold *fold)
{
    struct run_state *state = fold->state;
    struct moment heard = state->heard;
    if (fold->event->a != 0) {
        rebase(&fold->event->at, &heard);
        rebase_run(fold);
    }
    if (fold->event->c == TAKE_UP_OPEN) {
        if (!state->ended)
            fold_away(fold, &heard);
        state->ended = false;
    }
    fold_wall_recover(fold);
    if (fold->event->b > 0)
        state->jobs = (int)fold->event->b;
}

void fold_class_corrected(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct attempt_state *attempt = step_state_find_attempt(fold->step, event->attempt);
    if (!attempt->correction)
        attempt->correction = xcalloc(1, sizeof(*attempt->correction));
    struct correction *correction = attempt->correction;
    *correction = (struct correction){.at_ms = event->at.at_ms,
                                      .label = {.class = (enum verdict_class)event->a,
                                                .type = (enum transient_type)event->b,
                                                .reason = (enum reason)event->c}};
    (void)snprintf(correction->by, sizeof(correction->by), "%s",
                   json_text(json_get(fold->text, "by"), ""));
}
