#include "replay.h"

#include <stdlib.h>

#include "protocol.h"
#include "xalloc.h"

void replay_init(struct replay *replay)
{
    *replay = (struct replay){.speed = REPLAY_SPEED_ONE};
}

void replay_done(struct replay *replay)
{
    free(replay->marks);
    for (int sign = 0; sign < REPLAY_SIGN_COUNT; sign++)
        free(replay->signs[sign].marks);
    *replay = (struct replay){0};
}

static enum replay_sign sign_of(const struct event *event)
{
    if (event->kind != EVENT_STEP_ENDED)
        return event->kind == EVENT_ATTEMPT_JUDGED && event->a != 0 ? REPLAY_FAILURE : REPLAY_PLAIN;
    if (event->a == DECISION_CANCELLED)
        return REPLAY_PLAIN;
    return event->a == DECISION_SUCCEEDED ? REPLAY_PASS : REPLAY_FAILURE;
}

static void keep_sign(struct replay_signed *kept, size_t mark)
{
    kept->marks = xgrow(kept->marks, &kept->cap, kept->count + 1, sizeof(*kept->marks));
    kept->marks[kept->count++] = mark;
}

void replay_add(struct replay *replay, const struct event *event)
{
    const enum replay_sign sign = sign_of(event);
    if (sign != REPLAY_PLAIN)
        keep_sign(&replay->signs[sign], replay->count);
    replay->marks = xgrow(replay->marks, &replay->cap, replay->count + 1, sizeof(*replay->marks));
    replay->marks[replay->count++] = (struct replay_mark){
        .at = event->at,
        .task = event->task,
        .attempt = event->attempt,
        .kind = (uint8_t)event->kind,
        .sign = (uint8_t)sign,
    };
}

bool replay_take(void *replay, const struct run_state *state, const struct event *event)
{
    (void)state;
    replay_add(replay, event);
    return true;
}

static bool go_to(struct replay *replay, int64_t seq)
{
    int64_t last = (int64_t)replay->count;
    int64_t at = seq < 0 ? 0 : seq > last ? last : seq;
    bool moved = at != replay->at || replay->on_ms != 0;
    replay->at = at;
    replay->on_ms = 0;
    return moved;
}

typedef bool mark_fn(const struct replay_mark *mark, int task);

static bool starts_try(const struct replay_mark *mark, int task)
{
    return mark->kind == EVENT_ATTEMPT_STARTED && mark->task == task;
}

static bool is_failure(const struct replay_mark *mark, int task)
{
    (void)task;
    return mark->sign == REPLAY_FAILURE;
}

/* To the nearest such mark before or after this place. */
static bool go_to_such(struct replay *replay, int task, int direction, mark_fn *is_such)
{
    int64_t seq = replay->at + direction;
    for (; seq >= 1 && seq <= (int64_t)replay->count; seq += direction) {
        if (is_such(&replay->marks[seq - 1], task))
            return go_to(replay, seq);
    }
    return false;
}

static bool change_speed(struct replay *replay, int speed)
{
    if (speed < REPLAY_SPEED_MIN || speed > REPLAY_SPEED_MAX)
        return false;
    replay->speed = speed;
    return true;
}

static bool toggle_play(struct replay *replay)
{
    bool at_end = replay->at >= (int64_t)replay->count;
    if (!replay->playing && at_end)
        return false;
    replay->playing = !replay->playing;
    return true;
}

bool replay_move(struct replay *replay, enum replay_move move, int task)
{
    switch (move) {
    case REPLAY_EVENT_BACK:
        replay->playing = false;
        return go_to(replay, replay->at - (replay->on_ms == 0));
    case REPLAY_EVENT_ON:
        replay->playing = false;
        return go_to(replay, replay->at + 1);
    case REPLAY_TRY_BACK:
        return go_to_such(replay, task, -1, starts_try);
    case REPLAY_TRY_ON:
        return go_to_such(replay, task, 1, starts_try);
    case REPLAY_FAILURE_BACK:
        replay->playing = false;
        return go_to_such(replay, task, -1, is_failure);
    case REPLAY_FAILURE_ON:
        replay->playing = false;
        return go_to_such(replay, task, 1, is_failure);
    case REPLAY_PLAY:
        return toggle_play(replay);
    case REPLAY_SLOWER:
        return change_speed(replay, replay->speed / 2);
    case REPLAY_FASTER:
        return change_speed(replay, replay->speed * 2);
    case REPLAY_START:
        replay->playing = false;
        return go_to(replay, 0);
    case REPLAY_END:
        replay->playing = false;
        return go_to(replay, (int64_t)replay->count);
    }
    return false;
}

static const char *nothing_there(enum replay_move move, bool is_past)
{
    switch (move) {
    case REPLAY_EVENT_BACK:
    case REPLAY_START:
        return is_past ? "this is the start of the run" : "this is the start of the recording";
    case REPLAY_EVENT_ON:
    case REPLAY_END:
        return is_past ? "nothing has come after this so far: {end} leads back"
                       : "this is the end of the recording";
    case REPLAY_TRY_BACK:
        return "the chosen task has no earlier try";
    case REPLAY_TRY_ON:
        return "the chosen task has no later try";
    case REPLAY_FAILURE_BACK:
        return "nothing failed before this";
    case REPLAY_FAILURE_ON:
        return is_past ? "nothing has failed after this so far" : "nothing fails after this";
    case REPLAY_PLAY:
        return is_past ? "nothing has come after this so far: {end} leads back"
                       : "nothing comes after this; {start} goes to the start";
    case REPLAY_SLOWER:
        return "it plays as slowly as it can";
    case REPLAY_FASTER:
        return "it plays as fast as it can";
    }
    return "";
}

const char *replay_refusal(const struct replay *replay, enum replay_move move, int task,
                           bool is_past)
{
    struct replay copy = *replay; /* a move changes no mark */
    const bool leads_back = is_past && move == REPLAY_END;
    return leads_back || replay_move(&copy, move, task) ? NULL : nothing_there(move, is_past);
}

/* Recorded time between the event at hand and the next one. */
static int64_t gap_ms(const struct replay *replay)
{
    const struct replay_mark *marks = replay->marks;
    if (replay->at == 0)
        return 0;
    int64_t gap = marks[replay->at].at.mono_ms - marks[replay->at - 1].at.mono_ms;
    return gap > 0 ? gap : 0;
}

/* How long the gap takes to play at speed 1. */
static int64_t played_ms(int64_t gap)
{
    return gap > REPLAY_GAP_MS_MAX ? REPLAY_GAP_CUT_MS : gap;
}

bool replay_play(struct replay *replay, int64_t passed_ms)
{
    if (!replay->playing)
        return false;
    int64_t left = passed_ms * replay->speed / REPLAY_SPEED_ONE;
    while (replay->at < (int64_t)replay->count) {
        int64_t gap = gap_ms(replay);
        int64_t length = played_ms(gap);
        int64_t done = gap > 0 ? replay->on_ms * length / gap : 0;
        if (length > 0 && done + left < length) {
            replay->on_ms = (done + left) * gap / length;
            return true;
        }
        left -= length - done;
        replay->at++;
        replay->on_ms = 0;
    }
    replay->playing = false;
    return true;
}

struct moment replay_now(const struct replay *replay)
{
    if (replay->count == 0)
        return (struct moment){0};
    const struct replay_mark *mark = &replay->marks[replay->at > 0 ? replay->at - 1 : 0];
    return (struct moment){.at_ms = mark->at.at_ms + replay->on_ms,
                           .mono_ms = mark->at.mono_ms + replay->on_ms};
}
