#include "replay_at.h"

#include "replay_time.h"

static bool add_mark(void *ctx, const struct run_state *state, const struct event *event)
{
    struct replay *replay = ctx;
    (void)state;
    replay_add(replay, event);
    return true;
}

static bool find(struct follower *follower, struct replay *replay, const char *words,
                 struct replay_point *out, struct err *err)
{
    if (!follower_read(follower, 0, add_mark, replay, NULL, err))
        return false;
    const struct run_state *state = follower_state(follower);
    const struct replay_words wanted = {
        .text = words ? words : "end", .plan = state->plan, .end_ms = state->last.at_ms};
    return replay_find(replay, &wanted, out, err);
}

bool replay_at_find(struct follower *follower, const char *words, struct replay_at *out,
                    struct err *err)
{
    struct replay replay;
    struct replay_point point = {0};
    replay_init(&replay);
    bool ok = find(follower, &replay, words, &point, err);
    if (ok) {
        replay.at = point.seq;
        replay.on_ms = point.on_ms;
        *out = (struct replay_at){.seq = point.seq, .at_ms = replay_now(&replay).at_ms};
    }
    replay_done(&replay);
    return ok;
}
