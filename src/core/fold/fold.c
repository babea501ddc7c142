/* fold.c - how events change a run and its tasks: helpers shared by all handlers, and the handlers
 * for the run, its tasks, gates and workspaces. */
#include "fold.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "run_state.h"
#include "xalloc.h"

void fold_set_status(const struct fold *fold, struct task_state *task, enum task_status status)
{
    struct run_state *state = fold->state;
    if (task->status == status)
        return;
    state->counts[task->status]--;
    state->counts[status]++;
    task->status = status;
    task->since = fold->event->at;
}

/* Records the person who caused the event. */
static void set_by(const struct fold *fold, struct task_state *task)
{
    const char *by = fold->event->by;
    free(task->by);
    task->by = by ? xstrdup(by) : NULL;
}

void fold_set_notice(const struct fold *fold, const char *what)
{
    struct run_state *state = fold->state;
    const char *id = fold->task ? state->plan->tasks[fold_task_number(fold)].id : "";
    (void)snprintf(state->notice, sizeof(state->notice), "%s%s%s", id, *id ? " " : "", what);
    state->notice_at_ms = fold->event->at.at_ms;
}

void fold_changes(const struct fold *fold, int number)
{
    if (fold->state->past)
        run_past_changes(fold->state->past, number, false);
}

/* Returns the queue for the task's step when it may start: that of its gate or, if it has no gate,
 * the common one of this machine or of the others. */
static struct number_set *line_of(const struct fold *fold, int number)
{
    struct run_state *state = fold->state;
    struct gate_state *gate = run_state_gate(state, number);
    if (gate)
        return &gate->line;
    return state->plan->tasks[number].executor >= 0 ? &state->ready_away : &state->ready;
}

static void line_up(const struct fold *fold, int number)
{
    number_set_add(line_of(fold, number), number);
}

void fold_not_ready(const struct fold *fold, int number)
{
    struct gate_state *gate = run_state_gate(fold->state, number);
    number_set_remove(line_of(fold, number), number);
    if (!gate)
        return;
    if (gate->chosen == number)
        gate->chosen = -1;
    if (gate->status == GATE_SPREADING && gate->line.count == 0)
        gate->status = GATE_OPEN;
}

void fold_make_ready(const struct fold *fold, int number)
{
    struct task_state *task = &fold->state->tasks[number];
    task->steps[task->step].status = STEP_READY;
    fold_set_status(fold, task, TASK_QUEUED);
    assert(!heap_has(&fold->state->waits, number));
    if (!task->held)
        line_up(fold, number);
}

void fold_let_go(const struct fold *fold)
{
    struct task_state *task = fold->task;
    if (task->held) {
        fold->state->held_count--;
        fold_pause(fold, PAUSE_HELD, &task->held_since);
    }
    if (task->follows >= 0) {
        fold->state->follow_count--;
        fold_changes(fold, task->follows);
        fold->state->tasks[task->follows].followers--;
    }
    task->held = false;
    task->follows = -1;
}

void fold_keep_tries(const struct fold *fold, int number)
{
    fold->task->steps[number].tries_max =
        run_state_step_tries(fold->state, fold_task_number(fold), number);
}

void fold_open_grant(struct step_state *step, int grant, int allowed)
{
    step->grant = grant;
    step->allowed = allowed;
    step->used = 0;
    step->own_retries = 0;
    step->start_failures = 0;
    step->free_hints = 0;
    step->same = 0;
    step->interrupted = 0;
    step->first_start = (struct moment){0};
    step->held_ms = 0;
}

/* Stretches in which a task was held, blocked or at a gate. */

/* Adds a pause. Keeps the latest TASK_PAUSES_MAX. */
void fold_pause(const struct fold *fold, enum pause_kind kind, const struct moment *from)
{
    struct task_state *task = fold->task;
    if (!task->pauses)
        task->pauses = xcalloc(1, sizeof(*task->pauses));
    struct task_pauses *pauses = task->pauses;
    if (pauses->count == TASK_PAUSES_MAX) {
        pauses->count--;
        (void)memmove(pauses->items, pauses->items + 1, pauses->count * sizeof(*pauses->items));
    }
    pauses->items = xgrow(pauses->items, &pauses->cap, pauses->count + 1, sizeof(*pauses->items));
    pauses->items[pauses->count++] = (struct task_pause){
        .kind = kind, .ended = task->status, .from = *from, .until = fold->event->at};
}

/* The run: its start, end and notes, and classes corrected by a person. */

void fold_run_started(const struct fold *fold)
{
    struct run_state *state = fold->state;
    state->started = true;
    state->started_at = fold->event->at;
    state->jobs = fold->event->run_started.jobs;
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
    fold->state->exit_code = fold->event->run_ended.exit_code;
}

void fold_note(const struct fold *fold)
{
    fold_set_notice(fold, fold->event->note.note ? fold->event->note.note : "");
}

/* Converts a moment of the previous boot to the clock of this one. */
static void rebase_moment(const struct moment *now, struct moment *moment)
{
    if (moment->at_ms == 0)
        return;
    int64_t mono_ms = now->mono_ms - (now->at_ms - moment->at_ms);
    if (mono_ms > FOLD_TIME_MAX_MS)
        mono_ms = FOLD_TIME_MAX_MS;
    moment->mono_ms = mono_ms < -FOLD_TIME_MAX_MS ? -FOLD_TIME_MAX_MS : mono_ms;
}

/* Converts all times that still matter by the wall clock, because the clock since boot has
 * restarted. */
static void rebase_run(const struct fold *fold)
{
    struct run_state *state = fold->state;
    const struct moment *now = &fold->event->at;
    rebase_moment(now, &state->started_at);
    if (fold->event->recovered.take_up != TAKE_UP_OPEN)
        rebase_moment(now, &state->ended_at);
    for (int i = 0; i < state->plan->task_count; i++) {
        struct task_state *task = &state->tasks[i];
        rebase_moment(now, &task->since);
        rebase_moment(now, &task->held_since);
        rebase_moment(now, &task->cancelled_at);
        rebase_moment(now, &task->first_start);
        rebase_moment(now, &task->away_since);
        rebase_moment(now, &task->fence);
        if (task->job) {
            rebase_moment(now, &task->job->since);
            rebase_moment(now, &task->job->queued);
        }
        if (task->circles)
            rebase_moment(now, &task->circles->since);

        struct step_state *current = run_state_step(state, i);
        rebase_moment(now, &current->first_start);
        rebase_moment(now, &current->wait_from);
        rebase_moment(now, &current->due);
        if (heap_has(&state->waits, i))
            heap_put(&state->waits, i, current->due.mono_ms);
        for (int at = 0; at < state->plan->tasks[i].step_count; at++) {
            struct step_state *step = &task->steps[at];
            const struct attempt_state *last = step_state_attempt(step);
            const int64_t was_ms = last ? last->started.mono_ms : 0;
            for (size_t n = 0; n < step->attempt_count; n++) {
                rebase_moment(now, &step->attempts[n].started);
                rebase_moment(now, &step->attempts[n].ended);
            }
            if (last && step->quiet) /* shifts the time of the last output by the same amount */
                step->heard_mono_ms += last->started.mono_ms - was_ms;
        }
        for (size_t n = 0; task->pauses && n < task->pauses->count; n++) {
            rebase_moment(now, &task->pauses->items[n].from);
            rebase_moment(now, &task->pauses->items[n].until);
        }
    }
    for (int i = 0; i < state->plan->source_count; i++) {
        rebase_moment(now, &state->gates[i].since);
        rebase_moment(now, &state->gates[i].due);
    }
    for (int i = 0; i < plan_host_count(state->plan); i++) {
        rebase_moment(now, &state->hosts[i].since);
        rebase_moment(now, &state->hosts[i].heard);
    }
}

void fold_away(const struct fold *fold, const struct moment *since)
{
    fold->state->away_ms =
        fold_length_ms(fold->state->away_ms + fold->event->at.mono_ms - since->mono_ms);
}

/* Handles a run that continues after its engine died, or that is reopened. A run that has ended
 * stays ended until one of its steps is reopened. */
void fold_run_recovered(const struct fold *fold)
{
    struct run_state *state = fold->state;
    struct moment heard = state->heard;
    if (fold->event->recovered.rebooted) {
        rebase_moment(&fold->event->at, &heard);
        rebase_run(fold);
    }
    fold_lose_hosts(state, &heard);
    if (fold->event->recovered.take_up == TAKE_UP_OPEN) {
        if (!state->ended)
            fold_away(fold, &heard);
        state->ended = false;
    }
    fold_wall_recover(fold);
    if (fold->event->recovered.jobs > 0)
        state->jobs = fold->event->recovered.jobs;
}

void fold_class_corrected(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct attempt_state *attempt = step_state_find_attempt(fold->step, event->attempt);
    if (!attempt->correction)
        attempt->correction = xcalloc(1, sizeof(*attempt->correction));
    struct correction *correction = attempt->correction;
    *correction = (struct correction){.at_ms = event->at.at_ms, .label = event->corrected};
    (void)snprintf(correction->by, sizeof(correction->by), "%s", event->by ? event->by : "");
}

/* Tasks. */

void fold_task_blocked(const struct fold *fold)
{
    fold->task->blocked_by = fold->event->blocked.needs;
    fold_let_go(fold);
    fold_set_status(fold, fold->task, TASK_BLOCKED);
}

void fold_task_held(const struct fold *fold)
{
    struct task_state *task = fold->task;
    fold_not_ready(fold, fold_task_number(fold));
    task->held = true;
    task->held_since = fold->event->at;
    fold->state->held_count++;
    if (fold->event->held.follows >= 0) {
        task->follows = fold->event->held.follows;
        fold->state->follow_count++;
        fold_changes(fold, task->follows);
        fold->state->tasks[task->follows].followers++;
        heap_remove(&fold->state->waits, fold_task_number(fold));
    }
    set_by(fold, task);
}

void fold_task_released(const struct fold *fold)
{
    const struct event *event = fold->event;
    int number = fold_task_number(fold);
    struct step_state *step = run_state_step(fold->state, number);
    step->held_ms =
        fold_span_ms(step->held_ms + run_state_held_ms(fold->state, number, &event->at));
    fold_let_go(fold);
    if (step->status == STEP_READY) {
        line_up(fold, number);
    } else if (step->status == STEP_WAITING) {
        /* A task that followed another continues waiting, until the new due time if there is
         * one. */
        if (event->released.due.mono_ms > 0)
            step->due = event->released.due;
        heap_put(&fold->state->waits, number, step->due.mono_ms);
    }
}

static void ask_to_cancel(const struct fold *fold, struct task_state *task)
{
    if (task_status_is_final(task->status))
        return;
    if (!task->cancelling)
        task->cancelled_at = fold->event->at;
    task->cancelling = true;
    task->cancel_mode = fold->event->cancel.mode;
    set_by(fold, task);
}

void fold_cancel_asked(const struct fold *fold)
{
    if (fold->task) {
        ask_to_cancel(fold, fold->task);
        return;
    }
    fold->state->stopped_by_person = true;
    for (int i = 0; i < fold->state->plan->task_count; i++)
        ask_to_cancel(fold, &fold->state->tasks[i]);
}

/* Gates. */

void fold_gate_closed(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct gate_state *gate = &fold->state->gates[event->gate_closed.source];
    if (gate->closed == 0)
        gate->since = event->at;
    gate->status = GATE_CLOSED;
    gate->due = event->gate_closed.due;
    gate->closed = event->gate_closed.limits;
    const int chosen = event->gate_closed.chosen;
    gate->chosen = chosen >= 0 && number_set_has(&gate->line, chosen) ? chosen : -1;
    gate->probe = -1;
}

void fold_gate_opened(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct gate_state *gate = &fold->state->gates[event->gate_opened.source];
    gate->status = gate->line.count > 0 ? GATE_SPREADING : GATE_OPEN;
    gate->due = event->at;
    gate->spacing_ms = event->gate_opened.spacing_ms;
    gate->closed = 0;
    gate->chosen = -1;
    gate->probe = -1;
}

/* Tasks added to a growing plan. */

bool fold_takes_task(const struct fold *fold)
{
    struct run_state *state = fold->state;
    const char *task = fold->event->task_added.task;
    return state->growing && fold->event->task_added.number == state->plan->task_count &&
           !state->ended && !state->stopped_by_person && task &&
           plan_grow(state->growing, task, strlen(task), NULL);
}

void fold_task_added(const struct fold *fold)
{
    struct run_state *state = fold->state;
    const struct plan *plan = state->plan;
    const int number = fold->event->task_added.number;

    /* Makes space for the plan's last task, and for a source that came with it. */
    state->tasks =
        xgrow(state->tasks, &state->task_cap, (size_t)plan->task_count, sizeof(*state->tasks));
    number_set_grow(&state->ready, plan->task_count);
    heap_grow(&state->waits, plan->task_count);
    heap_grow(&state->walls, plan->task_count);
    for (int i = 0; i < state->gate_count; i++)
        number_set_grow(&state->gates[i].line, plan->task_count);
    if (plan->source_count != state->gate_count)
        state->gates = xgrow(state->gates, &state->gate_cap, (size_t)plan->source_count,
                             sizeof(*state->gates));
    for (; state->gate_count < plan->source_count; state->gate_count++) {
        struct gate_state *gate = &state->gates[state->gate_count];
        *gate = (struct gate_state){.probe = -1, .chosen = -1};
        number_set_init(&gate->line, plan->task_count);
    }

    state->tasks[number] = (struct task_state){
        .blocked_by = -1,
        .follows = -1,
        .since = fold->event->at,
        .steps = xcalloc((size_t)plan->tasks[number].step_count, sizeof(struct step_state)),
    };
    state->counts[TASK_QUEUED]++;
    fold_make_ready(fold, number);
}

/* Workspaces of tasks, with their trees, results and sandboxes. */

enum { LACKS_MAX = 200 }; /* bytes of the list of keys */

static struct task_place *place_of(const struct fold *fold)
{
    if (!fold->task->place)
        fold->task->place = xcalloc(1, sizeof(*fold->task->place));
    return fold->task->place;
}

/* Replaces *out, unless the event has no string. */
static void keep_text(const char *text, char **out)
{
    if (!text || text[0] == '\0')
        return;
    free(*out);
    *out = xstrdup(text);
}

void fold_workspace_made(const struct fold *fold)
{
    struct task_place *place = place_of(fold);
    place->kind = fold->event->workspace.kind;
    place->is_kept = false;
    keep_text(fold->event->workspace.path, &place->path);
    keep_text(fold->event->workspace.branch, &place->branch);
}

/* Records the tree of a task's workspace: saved before the step, reset to it, or proven by an
 * attempt. */
void fold_tree_seen(const struct fold *fold)
{
    const struct event *event = fold->event;
    const struct digest tree = event->tree.tree;
    struct task_place *place = place_of(fold);
    place->tree = tree;
    place->is_changed = false;
    if (event->kind == EVENT_WORKSPACE_RESET)
        return;
    if (!fold->step->trees)
        fold->step->trees = xcalloc(1, sizeof(*fold->step->trees));
    struct step_trees *trees = fold->step->trees;
    if (event->kind == EVENT_WORKSPACE_SAVED) {
        trees->saved = tree;
    } else {
        trees->proven = tree;
        trees->proven_attempt = event->attempt;
    }
}

static int32_t bounded_count(int64_t count)
{
    return count < 0 ? 0 : count > INT32_MAX ? INT32_MAX : (int32_t)count;
}

void fold_workspace_changed(const struct fold *fold)
{
    const struct event *event = fold->event;
    const bool all_is_known = !event->changes.partial;
    struct attempt_state *attempt = step_state_find_attempt(fold->step, event->attempt);
    if (attempt) {
        attempt->tree_known = all_is_known;
        attempt->paths_changed = bounded_count(event->changes.paths);
        attempt->lines_added = bounded_count(event->changes.added);
        attempt->lines_removed = bounded_count(event->changes.removed);
    }
    if (event->changes.paths == 0 && all_is_known)
        return;
    struct task_place *place = place_of(fold);
    place->tree = (struct digest){0};
    place->is_changed = true;
}

void fold_result_kept(const struct fold *fold)
{
    struct task_place *place = place_of(fold);
    place->is_kept = true;
    keep_text(fold->event->kept.branch, &place->branch);
    if (fold->event->kept.is_folder)
        keep_text(fold->event->kept.path, &place->result);
}

void fold_sandbox_lacks(const struct fold *fold)
{
    const char *key = fold->event->lacks.keys ? fold->event->lacks.keys : "";
    struct task_place *place = place_of(fold);
    struct str words = {0};
    while (*key && words.len < LACKS_MAX) {
        const size_t len = strcspn(key, "\n");
        str_addf(&words, "%s%.*s", words.len > 0 ? ", " : "", (int)len, key);
        key += len + (key[len] == '\n');
    }
    free(place->lacks);
    place->lacks = words.len > 0 ? xstrndup(words.data, words.len) : NULL;
    str_done(&words);
}

void fold_secrets_cut(const struct fold *fold)
{
    fold->state->secrets_cut += fold->event->secrets.count;
}
