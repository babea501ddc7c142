#include "replay_at.h"

#include <stdlib.h>

#include "replay_time.h"
#include "xalloc.h"

static bool find(struct follower *follower, struct replay *replay, const char *words,
                 struct replay_point *out, struct err *err)
{
    struct bookmark *bookmarks = xcalloc(BOOKMARKS_MAX, sizeof(*bookmarks));
    const int64_t run = follower_run(follower)->number;
    size_t count = 0;
    bool ok =
        bookmark_list(follower_reader(follower), run, bookmarks, BOOKMARKS_MAX, &count, err) &&
        follower_read(follower, 0, replay_take, replay, NULL, err);
    const struct run_state *state = follower_state(follower);
    const struct replay_words wanted = {.text = words ? words : "end",
                                        .plan = state->plan,
                                        .end_ms = state->last.at_ms,
                                        .bookmarks = bookmarks,
                                        .bookmark_count = count};
    ok = ok && replay_find(replay, &wanted, out, err);
    free(bookmarks);
    return ok;
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
