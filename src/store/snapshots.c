#include "snapshots.h"

#include <string.h>

#include "run_state_copy.h"

static int64_t seq_of(const struct snapshots *snapshots, int index)
{
    return snapshots->items[index].state.last_seq;
}

static void drop(struct snapshots *snapshots, int index)
{
    snapshots->bytes -= snapshots->items[index].bytes;
    run_state_done(&snapshots->items[index].state);
    snapshots->count--;
    memmove(&snapshots->items[index], &snapshots->items[index + 1],
            (size_t)(snapshots->count - index) * sizeof(snapshots->items[0]));
}

void snapshots_done(struct snapshots *snapshots)
{
    while (snapshots->count > 0)
        drop(snapshots, snapshots->count - 1);
}

/* How many are at or before an event. */
static int count_to(const struct snapshots *snapshots, int64_t seq)
{
    int count = snapshots->count;
    while (count > 0 && seq_of(snapshots, count - 1) > seq)
        count--;
    return count;
}

const struct run_state *snapshots_find(const struct snapshots *snapshots, int64_t seq)
{
    const int count = count_to(snapshots, seq);
    return count > 0 ? &snapshots->items[count - 1].state : NULL;
}

/* How much would be folded again without it, weighed by how far away it is: what is far is gone
 * back to by large steps anyway. */
static double worth(const struct snapshots *snapshots, int index, int64_t target)
{
    const int64_t at = seq_of(snapshots, index);
    const int64_t before = index > 0 ? seq_of(snapshots, index - 1) : 0;
    const int64_t after = index + 1 < snapshots->count ? seq_of(snapshots, index + 1) : target;
    const int64_t away = target > at ? target - at : at - target;
    const int64_t gap = after > at ? after - before : at - before;
    return (double)gap / (double)(away + SNAPSHOTS_NEAR);
}

static void make_room(struct snapshots *snapshots, size_t bytes, int64_t target)
{
    while (snapshots->count > 0 &&
           (snapshots->count == SNAPSHOTS_MAX || snapshots->bytes + bytes > SNAPSHOTS_BYTES_MAX)) {
        int least = 0;
        for (int i = 1; i < snapshots->count; i++) {
            if (worth(snapshots, i, target) < worth(snapshots, least, target))
                least = i;
        }
        drop(snapshots, least);
    }
}

/* Twice as far for each one. */
static bool is_wanted_at(int64_t away)
{
    int64_t far = SNAPSHOTS_NEAR;
    while (far < away)
        far *= 2;
    return far == away;
}

void snapshots_pass(struct snapshots *snapshots, const struct run_state *state, int64_t target)
{
    const int64_t away = target - state->last_seq;
    if ((away != 0 && !is_wanted_at(away)) || !run_state_can_copy(state))
        return;
    const int64_t near = away > 0 ? away / 2 : SNAPSHOTS_NEAR / 2;
    const int before = count_to(snapshots, state->last_seq);
    if (before > 0 && state->last_seq - seq_of(snapshots, before - 1) < near)
        return;
    const size_t bytes = run_state_bytes(state);
    make_room(snapshots, bytes, target);
    const int at = count_to(snapshots, state->last_seq);
    memmove(&snapshots->items[at + 1], &snapshots->items[at],
            (size_t)(snapshots->count - at) * sizeof(snapshots->items[0]));
    run_state_copy(&snapshots->items[at].state, state);
    snapshots->items[at].bytes = bytes;
    snapshots->bytes += bytes;
    snapshots->count++;
}
