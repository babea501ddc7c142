#include "play_past.h"

#include <check.h>

#include "run_state.h"

enum {
    LOOKED_AT_MAX = 48,
    SEEKS = 4 * LOOKED_AT_MAX,
    SEEKS_LARGE = 16,
    LARGE_TASKS = 2000, /* each seek costs a look at all tasks */
    NEAR = 3,
    SEED = 7,
};

/* The state at some of the events, as folding gave it. */
struct looked_at {
    int64_t seq[LOOKED_AT_MAX];
    uint64_t digest[LOOKED_AT_MAX];
    size_t count;
};

static void apply(struct run_state *state, const struct event *event)
{
    struct err err = {0};
    ck_assert_msg(run_state_apply(state, event, &err), "%s", err.message);
    if (state->past)
        run_past_pass(state->past);
}

static void fold_all(struct run_state *state, const struct event *events, size_t count,
                     struct looked_at *out)
{
    const size_t every = count / LOOKED_AT_MAX + 1;
    for (size_t i = 0; i < count; i++) {
        apply(state, &events[i]);
        if (i % every != every - 1)
            continue;
        out->seq[out->count] = events[i].seq;
        out->digest[out->count++] = run_state_digest(state);
    }
}

static void seek(struct run_state *state, const struct event *events, int64_t seq)
{
    run_past_approach(state->past, seq);
    ck_assert_int_le(state->last_seq, seq);
    while (state->last_seq < seq) {
        if (state->last_seq == seq - NEAR)
            run_past_mark(state->past);
        apply(state, &events[state->last_seq]);
    }
}

void play_past_check(const struct plan *plan, const struct event *events, size_t count,
                     int64_t every)
{
    struct looked_at looked_at = {.count = 0};
    struct run_state state;
    run_state_init(&state, plan, SEED);
    if (run_past_can_keep(&state)) {
        struct run_past *past = run_past_new(&state, every);
        fold_all(&state, events, count, &looked_at);
        const size_t seeks = plan->task_count < LARGE_TASKS ? SEEKS : SEEKS_LARGE;
        for (size_t i = 0; i < seeks && looked_at.count > 0; i++) {
            const size_t at = (i * i + 7 * i) % looked_at.count; /* far and near, on and back */
            seek(&state, events, looked_at.seq[at]);
            ck_assert_msg(run_state_digest(&state) == looked_at.digest[at],
                          "the state at event %lld is another one", (long long)looked_at.seq[at]);
        }
        run_past_approach(past, 0);
        ck_assert_int_eq(state.last_seq, 0);
        ck_assert(!state.started);
        run_past_free(past);
    }
    run_state_done(&state);
}
