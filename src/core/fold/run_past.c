#include "run_past.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "state_pack.h"
#include "xalloc.h"

/* Attempts of one step, from the first that an earlier piece does not have as it is. */
struct piece {
    struct piece *before; /* counted; has those before `first` */
    int refs;             /* versions and pieces that hold it */
    size_t first, end;    /* indexes of attempts */
    size_t bytes;
    unsigned char packed[];
};

/* A task as it was from one moment on. */
struct version {
    int64_t seq;            /* of the first kept moment at which it was so */
    struct version *before; /* owned; NULL: as the task began */
    unsigned char *packed;  /* owned */
    size_t bytes;           /* of both */
    struct piece *pieces[]; /* counted; by step, NULL = no attempt */
};

struct kept_moment {
    int64_t seq;
    unsigned char *packed; /* owned; what is true of the run */
    size_t bytes;
};

/* What is known of a task of the state. */
struct kept_task {
    struct version *newest; /* owned */
    struct version *now;    /* the state's, unless it has changed since; NULL: as it began */
    bool has_changed;
    bool has_old_changed; /* attempts that are not the latest of their step too */
    bool is_at_spot;      /* the spot has it */
};

/* The state at one event after the moment that it comes from, until it passes the next one. */
struct spot {
    int64_t seq;           /* 0 = there is none */
    unsigned char *packed; /* owned; what is true of the run */
    struct spot_task {
        int number;
        bool has_old_changed;
        struct version *version; /* owned */
    } * tasks;                   /* owned; those that had changed since the moment */
    size_t count, cap;
};

struct run_past {
    struct run_state *state; /* borrowed */
    struct spot spot;
    struct kept_moment moments[RUN_PAST_MOMENTS_MAX];
    int count;
    int64_t every;
    struct kept_task *tasks; /* owned */
    int *changed;            /* owned; the numbers of those that have changed */
    int changed_count;
    size_t bytes;
    struct str text; /* of what is being packed */
};

static unsigned char *take_packed(struct run_past *past)
{
    unsigned char *packed = xcalloc(1, past->text.len + PACK_SLACK);
    memcpy(packed, past->text.data, past->text.len);
    return packed;
}

static void drop_piece(struct run_past *past, struct piece *piece)
{
    while (piece && --piece->refs == 0) {
        struct piece *before = piece->before;
        past->bytes -= piece->bytes;
        free(piece);
        piece = before;
    }
}

static struct piece *hold(struct piece *piece)
{
    if (piece)
        piece->refs++;
    return piece;
}

static void free_version(struct run_past *past, struct version *version, int steps)
{
    for (int i = 0; i < steps; i++)
        drop_piece(past, version->pieces[i]);
    past->bytes -= version->bytes;
    free(version->packed);
    free(version);
}

/* The latest attempt that `before` has may have changed since. */
static struct piece *new_piece(struct run_past *past, const struct step_state *step,
                               struct piece *before, bool all)
{
    if (step->attempt_count == 0)
        return NULL;
    const size_t first = before && !all ? before->end - 1 : 0;
    str_clear(&past->text);
    pack_attempts(&past->text, step->attempts + first, step->attempt_count - first);
    const size_t bytes = sizeof(struct piece) + past->text.len + PACK_SLACK;
    struct piece *piece = xcalloc(1, bytes);
    *piece = (struct piece){.refs = 1, .first = first, .end = step->attempt_count, .bytes = bytes};
    memcpy(piece->packed, past->text.data, past->text.len);
    piece->before = first > 0 ? hold(before) : NULL;
    past->bytes += bytes;
    return piece;
}

static int steps_of(const struct run_past *past, int task)
{
    return past->state->plan->tasks[task].step_count;
}

/* Of the task as it is; `before` is as it was earlier, NULL: as it began. */
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

static void add_version(struct run_past *past, int number)
{
    struct kept_task *kept = &past->tasks[number];
    struct version *version = new_version(past, number, kept->newest);
    version->before = kept->newest;
    kept->newest = version;
}

/* As the task was after event `seq`; NULL: as it began. */
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

static int64_t last_kept(const struct run_past *past)
{
    return past->count > 0 ? past->moments[past->count - 1].seq : -1;
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

static void mark_changed(struct run_past *past, int number)
{
    if (!past->tasks[number].has_changed)
        past->changed[past->changed_count++] = number;
    past->tasks[number].has_changed = true;
}

/* The first moment at or after an event; there is one. */
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

/* Of the versions that now are of one moment only the latest is left. */
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
                mark_changed(past, number);
            }
            free_version(past, gone, steps_of(past, number));
        }
    }
}

/* Every second moment goes; the first and the last one stay. */
static void thin(struct run_past *past)
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

static bool is_too_much(const struct run_past *past)
{
    return past->count == RUN_PAST_MOMENTS_MAX ||
           (past->bytes > RUN_PAST_BYTES_MAX && past->count > 2);
}

static void keep(struct run_past *past)
{
    leave_spot(past);
    for (int i = 0; i < past->changed_count; i++) {
        const int number = past->changed[i];
        add_version(past, number);
        set_now(past, number, past->tasks[number].newest);
    }
    past->changed_count = 0;
    add_moment(past);
    while (is_too_much(past))
        thin(past);
}

/* The state is again as it was at a moment that is kept. */
static void know_again(struct run_past *past)
{
    leave_spot(past);
    for (int i = 0; i < past->changed_count; i++) {
        const int number = past->changed[i];
        set_now(past, number, version_at(&past->tasks[number], past->state->last_seq));
    }
    past->changed_count = 0;
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
    if (seq > last_kept(past))
        keep(past);
    else if (past->moments[find_moment(past, seq)].seq == seq)
        know_again(past);
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
        if (piece->first < end)
            unpack_attempts(&from, step->attempts + piece->first, end - piece->first);
        end = piece->first < end ? piece->first : end;
    }
}

/* The run as a whole is restored already. */
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

static void restore(struct run_past *past, const struct kept_moment *moment)
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
        return; /* its start changes tasks that have no version */
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

/* What has changed since then was as at the moment before. */
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
        restore(past, moment);
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
    mark_changed(past, task);
    past->tasks[task].has_old_changed = past->tasks[task].has_old_changed || old_attempts;
}
