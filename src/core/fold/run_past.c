/* run_past.c - the states that a run was in, kept while its events are applied.
 *
 * A kept state contains only the changes since the previous one, packed into bytes. First the
 * packing, then the kept states. */
#include "run_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "entropy_window.h"
#include "fold.h"
#include "pack.h"
#include "xalloc.h"

/* Packing parts of a state. */

/* Packs a block, which may be NULL. Its pointer, packed before, tells whether the block exists. */
static void pack_block(struct str *out, const void *block, size_t size)
{
    if (block)
        pack_words(out, block, size);
}

static void *unpack_block(struct unpack *from, const void *was_there, size_t size)
{
    if (!was_there)
        return NULL;
    void *block = xcalloc(1, size);
    unpack_words(from, block, size);
    return block;
}

static void pack_text(struct str *out, const char *text)
{
    if (text)
        str_add_n(out, text, strlen(text) + 1);
}

static char *unpack_text(struct unpack *from, const char *was_there)
{
    if (!was_there)
        return NULL;
    char *text = xstrdup((const char *)from->at);
    from->at += strlen(text) + 1;
    return text;
}

static struct packed *unpack_packed(struct unpack *from, const struct packed *was_there)
{
    struct packed head;
    if (!was_there)
        return NULL;
    memcpy(&head, from->at, sizeof(head));
    const size_t size = packed_size(&head);
    struct packed *packed = xcalloc(1, size);
    memcpy(packed, from->at, size);
    from->at += size;
    return packed;
}

static void pack_circles(struct str *out, const struct circles *circles)
{
    pack_block(out, circles, sizeof(*circles));
    const struct entropy_window *window = circles ? circles->state.window : NULL;
    pack_block(out, window, sizeof(*window));
    if (!window)
        return;
    pack_block(out, window->past, (size_t)window->cap * sizeof(*window->past));
    pack_block(out, window->asides, sizeof(*window->asides));
    pack_block(out, window->nudges, sizeof(*window->nudges));
}

static struct circles *unpack_circles(struct unpack *from, const struct circles *was_there)
{
    struct circles *circles = unpack_block(from, was_there, sizeof(*circles));
    if (!circles)
        return NULL;
    struct entropy_window *window = unpack_block(from, circles->state.window, sizeof(*window));
    circles->state.window = window;
    if (!window)
        return circles;
    const size_t size = (size_t)window->cap * sizeof(*window->past);
    window->past = unpack_block(from, window->past, size);
    window->asides = unpack_block(from, window->asides, sizeof(*window->asides));
    window->nudges = unpack_block(from, window->nudges, sizeof(*window->nudges));
    return circles;
}

/* Packs a task and its steps with everything that they own except the steps' attempts. After
 * unpacking, a step has 0 attempts. */
static void pack_task(struct str *out, const struct task_state *task, int steps)
{
    const struct task_place *place = task->place;
    const struct task_agent *agent = task->agent;
    const struct task_pauses *pauses = task->pauses;
    pack_words(out, task, sizeof(*task));
    pack_circles(out, task->circles);
    pack_block(out, place, sizeof(*place));
    if (place) {
        pack_text(out, place->path);
        pack_text(out, place->branch);
        pack_text(out, place->result);
        pack_text(out, place->lacks);
    }
    pack_block(out, task->job, sizeof(*task->job));
    pack_block(out, agent, sizeof(*agent));
    if (agent) {
        pack_text(out, agent->agent);
        pack_text(out, agent->session);
        pack_text(out, agent->repair);
        pack_text(out, agent->nudge);
        pack_text(out, agent->said);
        pack_text(out, agent->refused);
        pack_block(out, agent->hint, sizeof(*agent->hint));
        pack_circles(out, agent->calls);
    }
    pack_block(out, pauses, sizeof(*pauses));
    if (pauses)
        pack_words(out, pauses->items, pauses->count * sizeof(*pauses->items));
    pack_text(out, task->by);

    for (int i = 0; i < steps; i++) {
        const struct step_state *step = &task->steps[i];
        pack_words(out, step, sizeof(*step));
        pack_block(out, step->formulas, sizeof(*step->formulas));
        if (step->formulas)
            pack_text(out, step->formulas->refused);
        pack_block(out, step->trees, sizeof(*step->trees));
        if (step->evidence)
            str_add_n(out, (const char *)step->evidence, packed_size(step->evidence));
        pack_block(out, step->hint, sizeof(*step->hint));
    }
}

/* Unpacks into a task that owns nothing; keeps its `steps` array. */
static void unpack_task(struct unpack *from, struct task_state *task, int steps)
{
    struct step_state *const where = task->steps;
    unpack_words(from, task, sizeof(*task));
    task->steps = where;
    task->circles = unpack_circles(from, task->circles);
    task->place = unpack_block(from, task->place, sizeof(*task->place));
    if (task->place) {
        struct task_place *place = task->place;
        place->path = unpack_text(from, place->path);
        place->branch = unpack_text(from, place->branch);
        place->result = unpack_text(from, place->result);
        place->lacks = unpack_text(from, place->lacks);
    }
    task->job = unpack_block(from, task->job, sizeof(*task->job));
    task->agent = unpack_block(from, task->agent, sizeof(*task->agent));
    if (task->agent) {
        struct task_agent *agent = task->agent;
        agent->agent = unpack_text(from, agent->agent);
        agent->session = unpack_text(from, agent->session);
        agent->repair = unpack_text(from, agent->repair);
        agent->nudge = unpack_text(from, agent->nudge);
        agent->said = unpack_text(from, agent->said);
        agent->refused = unpack_text(from, agent->refused);
        agent->hint = unpack_block(from, agent->hint, sizeof(*agent->hint));
        agent->calls = unpack_circles(from, agent->calls);
    }
    task->pauses = unpack_block(from, task->pauses, sizeof(*task->pauses));
    if (task->pauses) {
        struct task_pauses *pauses = task->pauses;
        pauses->items = unpack_block(from, pauses->items, pauses->count * sizeof(*pauses->items));
        pauses->cap = pauses->count;
    }
    task->by = unpack_text(from, task->by);

    for (int i = 0; i < steps; i++) {
        struct step_state *step = &task->steps[i];
        unpack_words(from, step, sizeof(*step));
        step->formulas = unpack_block(from, step->formulas, sizeof(*step->formulas));
        if (step->formulas)
            step->formulas->refused = unpack_text(from, step->formulas->refused);
        step->trees = unpack_block(from, step->trees, sizeof(*step->trees));
        step->evidence = unpack_packed(from, step->evidence);
        step->hint = unpack_block(from, step->hint, sizeof(*step->hint));
        step->attempts = NULL;
        step->attempt_count = 0;
        step->attempt_cap = 0;
    }
}

static void pack_heap(struct str *out, const struct heap *heap)
{
    for (int i = 0; i < heap->count; i++) {
        const int64_t pair[] = {heap->items[i], heap->keys[heap->items[i]]};
        pack_words(out, pair, sizeof(pair));
    }
}

/* Unpacks the items. `heap` has the packed count; `was` is the heap before unpacking, whose memory
 * is kept. */
static void unpack_heap(struct unpack *from, struct heap *heap, const struct heap *was)
{
    const int count = heap->count;
    *heap = *was;
    while (heap->count > 0)
        heap_remove(heap, heap->items[heap->count - 1]);
    for (int i = 0; i < count; i++) {
        int64_t pair[2];
        unpack_words(from, pair, sizeof(pair));
        heap_put(heap, (int)pair[0], pair[1]);
    }
}

static void pack_set(struct str *out, const struct number_set *set)
{
    pack_words(out, set->words, number_set_words(set) * sizeof(*set->words));
}

/* Unpacks the numbers. `was` is the set before unpacking, whose memory is kept. The packed set has
 * the same range of numbers. */
static void unpack_set(struct unpack *from, struct number_set *set, const struct number_set *was)
{
    const int count = set->count;
    *set = *was;
    set->count = count;
    unpack_words(from, set->words, number_set_words(set) * sizeof(*set->words));
}

/* Packs the state of the run apart from its tasks: numbers, gates, queues. */
static void pack_run(struct str *out, const struct run_state *state)
{
    const int sources = state->plan->source_count;
    pack_words(out, state, sizeof(*state));
    pack_set(out, &state->ready);
    pack_set(out, &state->ready_away);
    pack_words(out, state->hosts, (size_t)plan_host_count(state->plan) * sizeof(*state->hosts));
    pack_heap(out, &state->waits);
    pack_heap(out, &state->walls);
    for (int i = 0; i < sources; i++) {
        pack_words(out, &state->gates[i], sizeof(state->gates[i]));
        pack_set(out, &state->gates[i].line);
    }
}

/* Replaces the state of the run apart from its tasks. Keeps the state's plan, tasks and memory. */
static void unpack_run(struct unpack *from, struct run_state *state)
{
    const struct run_state was = *state;
    unpack_words(from, state, sizeof(*state));
    state->plan = was.plan;
    state->growing = was.growing;
    state->past = was.past;
    state->tasks = was.tasks;
    state->steps = was.steps;
    state->gates = was.gates;
    state->hosts = was.hosts;
    unpack_set(from, &state->ready, &was.ready);
    unpack_set(from, &state->ready_away, &was.ready_away);
    unpack_words(from, state->hosts, (size_t)plan_host_count(state->plan) * sizeof(*state->hosts));
    unpack_heap(from, &state->waits, &was.waits);
    unpack_heap(from, &state->walls, &was.walls);
    for (int i = 0; i < state->plan->source_count; i++) {
        const struct number_set line = state->gates[i].line;
        unpack_words(from, &state->gates[i], sizeof(state->gates[i]));
        unpack_set(from, &state->gates[i].line, &line);
    }
}

/* The kept states. */

/* Attempts of one step, beginning with the first one that has changed since the previous piece. */
struct piece {
    struct piece *before; /* reference counted; has the attempts before `first` */
    int refs;             /* number of versions and pieces that refer to it */
    size_t first, end;    /* indexes of attempts */
    size_t bytes;
    unsigned char packed[];
};

/* A task as it was from some moment on. */
struct version {
    int64_t seq;            /* event number of the first kept moment with this state */
    struct version *before; /* owned; NULL: as the task began */
    unsigned char *packed;  /* owned */
    size_t bytes;           /* bytes of this version, including `packed` */
    struct piece *pieces[]; /* reference counted; by step, NULL = no attempts */
};

struct kept_moment {
    int64_t seq;
    unsigned char *packed; /* owned; the state of the run apart from its tasks */
    size_t bytes;
};

/* The versions of a task. */
struct kept_task {
    struct version *newest; /* owned */
    struct version
        *now; /* the version that the state has, apart from later changes; NULL: as it began */
    bool has_changed;
    bool has_old_changed; /* attempts other than the latest of their step changed too */
    bool is_at_spot;      /* the spot has a version of the task */
};

/* The marked state: at one event after a moment, until the state passes the next moment. */
struct spot {
    int64_t seq;           /* event number; 0 = none */
    unsigned char *packed; /* owned; the state of the run apart from its tasks */
    struct spot_task {
        int number;
        bool has_old_changed;
        struct version *version; /* owned */
    } * tasks;                   /* owned; the tasks that had changed since the moment */
    size_t count, cap;
};

struct run_past {
    struct run_state *state; /* borrowed */
    struct spot spot;
    struct kept_moment moments[RUN_PAST_MOMENTS_MAX];
    int count;
    int64_t every;
    struct kept_task *tasks; /* owned */
    int *changed; /* owned; numbers of the tasks that have changed since the last moment */
    int changed_count;
    size_t bytes;
    struct str text; /* buffer for packing */
};

static unsigned char *take_packed(struct run_past *past)
{
    unsigned char *packed = xcalloc(1, past->text.len + PACK_SLACK);
    memcpy(packed, past->text.data, past->text.len);
    return packed;
}

static void free_version(struct run_past *past, struct version *version, int steps)
{
    for (int i = 0; i < steps; i++) {
        struct piece *piece = version->pieces[i];
        while (piece && --piece->refs == 0) {
            struct piece *before = piece->before;
            past->bytes -= piece->bytes;
            free(piece);
            piece = before;
        }
    }
    past->bytes -= version->bytes;
    free(version->packed);
    free(version);
}

/* Packs the attempts, beginning with the latest one in `before`, which may have changed since; with
 * `all`, from the first. */
static struct piece *new_piece(struct run_past *past, const struct step_state *step,
                               struct piece *before, bool all)
{
    if (step->attempt_count == 0)
        return NULL;
    const size_t first = before && !all ? before->end - 1 : 0;
    str_clear(&past->text);
    for (size_t i = first; i < step->attempt_count; i++) {
        const struct attempt_state *attempt = &step->attempts[i];
        pack_words(&past->text, attempt, sizeof(*attempt));
        pack_block(&past->text, attempt->correction, sizeof(*attempt->correction));
        pack_block(&past->text, attempt->hint, sizeof(*attempt->hint));
    }
    const size_t bytes = sizeof(struct piece) + past->text.len + PACK_SLACK;
    struct piece *piece = xcalloc(1, bytes);
    *piece = (struct piece){.refs = 1, .first = first, .end = step->attempt_count, .bytes = bytes};
    memcpy(piece->packed, past->text.data, past->text.len);
    if (first > 0) {
        piece->before = before;
        before->refs++;
    }
    past->bytes += bytes;
    return piece;
}

static int steps_of(const struct run_past *past, int task)
{
    return past->state->plan->tasks[task].step_count;
}

/* Packs the task as it is; `before` is its earlier version, NULL: as it began. */
static struct version *new_version(struct run_past *past, int number, const struct version *before)
{
    const struct kept_task *kept = &past->tasks[number];
    const struct task_state *task = &past->state->tasks[number];
    const int steps = steps_of(past, number);
    const size_t size = sizeof(struct version) + (size_t)steps * sizeof(struct piece *);
    struct version *version = xcalloc(1, size);
    version->seq = past->state->last_seq;
    for (int i = 0; i < steps; i++)
        version->pieces[i] = new_piece(past, &task->steps[i], before ? before->pieces[i] : NULL,
                                       kept->has_old_changed);
    str_clear(&past->text);
    pack_task(&past->text, task, steps);
    version->packed = take_packed(past);
    version->bytes = size + past->text.len;
    past->bytes += version->bytes;
    return version;
}

/* Returns the task's version after event `seq`; NULL: as it began. */
static struct version *version_at(const struct kept_task *kept, int64_t seq)
{
    struct version *version = kept->newest;
    while (version && version->seq > seq)
        version = version->before;
    return version;
}

static void set_now(struct run_past *past, int number, struct version *version)
{
    struct kept_task *kept = &past->tasks[number];
    kept->now = version;
    kept->has_changed = false;
    kept->has_old_changed = false;
}

static void leave_spot(struct run_past *past)
{
    struct spot *spot = &past->spot;
    for (size_t i = 0; i < spot->count; i++) {
        const int number = spot->tasks[i].number;
        free_version(past, spot->tasks[i].version, steps_of(past, number));
        past->tasks[number].is_at_spot = false;
    }
    free(spot->packed);
    spot->packed = NULL;
    spot->count = 0;
    spot->seq = 0;
}

static void add_moment(struct run_past *past)
{
    str_clear(&past->text);
    pack_run(&past->text, past->state);
    struct kept_moment *moment = &past->moments[past->count++];
    *moment = (struct kept_moment){
        .seq = past->state->last_seq, .packed = take_packed(past), .bytes = past->text.len};
    past->bytes += moment->bytes;
}

/* Returns the first moment at or after an event. One must exist. */
static int64_t moment_from(const struct run_past *past, int64_t seq)
{
    int low = 0;
    int high = past->count - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (past->moments[middle].seq < seq)
            low = middle + 1;
        else
            high = middle;
    }
    return past->moments[low].seq;
}

/* Keeps only the latest of several versions that belong to the same moment, because the moments
 * between them were dropped. */
static void thin_task(struct run_past *past, int number)
{
    struct kept_task *kept = &past->tasks[number];
    struct version *version = kept->newest;
    for (; version; version = version->before) {
        version->seq = moment_from(past, version->seq);
        while (version->before && moment_from(past, version->before->seq) == version->seq) {
            struct version *gone = version->before;
            version->before = gone->before;
            if (kept->now == gone) {
                kept->now = NULL;
                run_past_changes(past, number, false);
            }
            free_version(past, gone, steps_of(past, number));
        }
    }
}

/* Drops every second moment, but not the first and the last. */
static void thin_moments(struct run_past *past)
{
    int left = 1;
    past->every *= 2;
    for (int i = 1; i < past->count; i++) {
        struct kept_moment *moment = &past->moments[i];
        if (moment->seq % past->every == 0 || i == past->count - 1) {
            past->moments[left++] = *moment;
            continue;
        }
        past->bytes -= moment->bytes;
        free(moment->packed);
    }
    past->count = left;
    for (int i = 0; i < past->state->plan->task_count; i++)
        thin_task(past, i);
}

static int find_moment(const struct run_past *past, int64_t seq)
{
    int at = past->count - 1;
    while (at > 0 && past->moments[at].seq > seq)
        at--;
    return at;
}

void run_past_pass(struct run_past *past)
{
    const int64_t seq = past->state->last_seq;
    if (seq % past->every != 0)
        return;
    const bool is_new = past->count == 0 || seq > past->moments[past->count - 1].seq;
    if (!is_new && past->moments[find_moment(past, seq)].seq != seq)
        return;
    leave_spot(past);
    for (int i = 0; i < past->changed_count; i++) {
        const int number = past->changed[i];
        struct kept_task *kept = &past->tasks[number];
        if (is_new) {
            struct version *version = new_version(past, number, kept->newest);
            version->before = kept->newest;
            kept->newest = version;
            set_now(past, number, version);
        } else { /* the state is again as it was at this moment */
            set_now(past, number, version_at(kept, seq));
        }
    }
    past->changed_count = 0;
    if (is_new)
        add_moment(past);
    while (is_new && (past->count == RUN_PAST_MOMENTS_MAX ||
                      (past->bytes > RUN_PAST_BYTES_MAX && past->count > 2)))
        thin_moments(past);
}

static void restore_attempts(struct step_state *step, const struct piece *piece)
{
    if (!piece)
        return;
    step->attempt_count = step->attempt_cap = (uint32_t)piece->end;
    step->attempts = xcalloc(piece->end, sizeof(*step->attempts));
    size_t end = piece->end;
    for (; piece; piece = piece->before) {
        struct unpack from = {piece->packed};
        for (size_t i = piece->first; i < end; i++) {
            struct attempt_state *attempt = &step->attempts[i];
            unpack_words(&from, attempt, sizeof(*attempt));
            attempt->correction =
                unpack_block(&from, attempt->correction, sizeof(*attempt->correction));
            attempt->hint = unpack_block(&from, attempt->hint, sizeof(*attempt->hint));
        }
        end = piece->first < end ? piece->first : end;
    }
}

/* Restores the task. The run as a whole must have been restored already. */
static void restore_task(struct run_past *past, int number, struct version *version)
{
    struct task_state *task = &past->state->tasks[number];
    const int steps = steps_of(past, number);
    fold_task_free(task, steps);
    if (!version) {
        fold_task_begin(past->state, number);
        return;
    }
    struct unpack from = {version->packed};
    unpack_task(&from, task, steps);
    for (int i = 0; i < steps; i++)
        restore_attempts(&task->steps[i], version->pieces[i]);
}

static void restore_moment(struct run_past *past, const struct kept_moment *moment)
{
    leave_spot(past);
    struct unpack from = {moment->packed};
    const bool was_started = past->state->started;
    unpack_run(&from, past->state);
    const bool begins_alike = past->state->started == was_started;
    for (int i = 0; i < past->state->plan->task_count; i++) {
        struct kept_task *kept = &past->tasks[i];
        struct version *version = version_at(kept, moment->seq);
        const bool is_there =
            !kept->has_changed && kept->now == version && (version || begins_alike);
        if (!is_there)
            restore_task(past, i, version);
        set_now(past, i, version);
    }
    past->changed_count = 0;
}

void run_past_mark(struct run_past *past)
{
    struct spot *spot = &past->spot;
    leave_spot(past);
    if (!past->state->started)
        return; /* the start of the run changes tasks that have no version */
    str_clear(&past->text);
    pack_run(&past->text, past->state);
    spot->packed = take_packed(past);
    spot->seq = past->state->last_seq;
    const size_t count = (size_t)past->changed_count;
    spot->tasks = xgrow(spot->tasks, &spot->cap, count, sizeof(*spot->tasks));
    for (; spot->count < count; spot->count++) {
        const int number = past->changed[spot->count];
        struct kept_task *kept = &past->tasks[number];
        kept->is_at_spot = true;
        spot->tasks[spot->count] = (struct spot_task){
            .number = number,
            .has_old_changed = kept->has_old_changed,
            .version = new_version(past, number, kept->now),
        };
    }
}

/* Moves the state to the spot. Tasks that changed after the spot, but not before it, return to the
 * previous moment. */
static void restore_spot(struct run_past *past)
{
    struct spot *spot = &past->spot;
    struct unpack from = {spot->packed};
    unpack_run(&from, past->state);
    for (int i = 0; i < past->changed_count; i++) {
        struct kept_task *kept = &past->tasks[past->changed[i]];
        if (!kept->is_at_spot)
            restore_task(past, past->changed[i], kept->now);
        kept->has_changed = false;
        kept->has_old_changed = false;
    }
    past->changed_count = 0;
    for (size_t i = 0; i < spot->count; i++) {
        const struct spot_task *task = &spot->tasks[i];
        restore_task(past, task->number, task->version);
        run_past_changes(past, task->number, task->has_old_changed);
    }
}

void run_past_approach(struct run_past *past, int64_t seq)
{
    const struct kept_moment *moment = &past->moments[find_moment(past, seq)];
    const int64_t here = past->state->last_seq;
    if (past->spot.seq > 0 && seq >= past->spot.seq && here > seq)
        restore_spot(past);
    else if (here > seq || here < moment->seq)
        restore_moment(past, moment);
}

bool run_past_can_keep(const struct run_state *state)
{
    return !state->growing;
}

struct run_past *run_past_new(struct run_state *state, int64_t every)
{
    assert(state->last_seq == 0 && every > 0 && run_past_can_keep(state));
    const size_t tasks = (size_t)state->plan->task_count + 1;
    struct run_past *past = xcalloc(1, sizeof(*past));
    past->every = every;
    past->tasks = xcalloc(tasks, sizeof(*past->tasks));
    past->changed = xcalloc(tasks, sizeof(*past->changed));
    run_past_follow(past, state);
    add_moment(past);
    return past;
}

void run_past_free(struct run_past *past)
{
    if (!past)
        return;
    for (int i = 0; i < past->state->plan->task_count; i++) {
        struct version *version = past->tasks[i].newest;
        while (version) {
            struct version *before = version->before;
            free_version(past, version, steps_of(past, i));
            version = before;
        }
    }
    for (int i = 0; i < past->count; i++)
        free(past->moments[i].packed);
    leave_spot(past);
    past->state->past = NULL;
    free(past->spot.tasks);
    free(past->tasks);
    free(past->changed);
    str_done(&past->text);
    free(past);
}

void run_past_follow(struct run_past *past, struct run_state *state)
{
    past->state = state;
    state->past = past;
}

void run_past_changes(struct run_past *past, int task, bool old_attempts)
{
    struct kept_task *kept = &past->tasks[task];
    if (!kept->has_changed)
        past->changed[past->changed_count++] = task;
    kept->has_changed = true;
    kept->has_old_changed = kept->has_old_changed || old_attempts;
}
