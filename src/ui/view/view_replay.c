/*
 * view_replay.c - moves within a recording: by event, try, failure and time.
 *
 * Playback follows the recorded times, except that a long silence takes REPLAY_GAP_CUT_MS.
 */
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "parse.h"
#include "protocol.h"
#include "replay_at.h"
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

void replay_add(struct replay *replay, const struct event *event)
{
    enum replay_sign sign = REPLAY_PLAIN;
    if (event->kind == EVENT_ATTEMPT_JUDGED && event->judged.label.class != VERDICT_SUCCESS)
        sign = REPLAY_FAILURE;
    else if (event->kind == EVENT_STEP_ENDED && event->step_ended.decision != DECISION_CANCELLED)
        sign = event->step_ended.decision == DECISION_SUCCEEDED ? REPLAY_PASS : REPLAY_FAILURE;
    if (sign != REPLAY_PLAIN) {
        struct replay_signed *kept = &replay->signs[sign];
        kept->marks = xgrow(kept->marks, &kept->cap, kept->count + 1, sizeof(*kept->marks));
        kept->marks[kept->count++] = replay->count;
    }
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

static bool go_to_seq(struct replay *replay, int64_t seq)
{
    int64_t last = (int64_t)replay->count;
    int64_t at = seq < 0 ? 0 : seq > last ? last : seq;
    bool moved = at != replay->at || replay->on_ms != 0;
    replay->at = at;
    replay->on_ms = 0;
    return moved;
}

/* Moves to the nearest failure of any task in this direction or, if is_failure is false, to the
 * nearest start of a try of `task`. */
static bool go_to_mark(struct replay *replay, int direction, bool is_failure, int task)
{
    int64_t seq = replay->at + direction;
    for (; seq >= 1 && seq <= (int64_t)replay->count; seq += direction) {
        const struct replay_mark *mark = &replay->marks[seq - 1];
        const bool starts_try = mark->kind == EVENT_ATTEMPT_STARTED && mark->task == task;
        if (is_failure ? mark->sign == REPLAY_FAILURE : starts_try)
            return go_to_seq(replay, seq);
    }
    return false;
}

bool replay_move(struct replay *replay, enum replay_move move, int task)
{
    switch (move) {
    case REPLAY_EVENT_BACK:
        replay->playing = false;
        return go_to_seq(replay, replay->at - (replay->on_ms == 0));
    case REPLAY_EVENT_ON:
        replay->playing = false;
        return go_to_seq(replay, replay->at + 1);
    case REPLAY_TRY_BACK:
    case REPLAY_TRY_ON: /* unlike the other moves, keeps playing */
        return go_to_mark(replay, move == REPLAY_TRY_BACK ? -1 : 1, false, task);
    case REPLAY_FAILURE_BACK:
    case REPLAY_FAILURE_ON:
        replay->playing = false;
        return go_to_mark(replay, move == REPLAY_FAILURE_BACK ? -1 : 1, true, task);
    case REPLAY_PLAY:
        if (!replay->playing && replay->at >= (int64_t)replay->count)
            return false;
        replay->playing = !replay->playing;
        return true;
    case REPLAY_SLOWER:
    case REPLAY_FASTER: {
        const int speed = move == REPLAY_SLOWER ? replay->speed / 2 : replay->speed * 2;
        if (speed < REPLAY_SPEED_MIN || speed > REPLAY_SPEED_MAX)
            return false;
        replay->speed = speed;
        return true;
    }
    case REPLAY_START:
        replay->playing = false;
        return go_to_seq(replay, 0);
    case REPLAY_END:
        replay->playing = false;
        return go_to_seq(replay, (int64_t)replay->count);
    }
    return false;
}

const char *replay_refusal(const struct replay *replay, enum replay_move move, int task,
                           bool is_past)
{
    struct replay copy = *replay; /* moving does not change the marks */
    const bool leads_back = is_past && move == REPLAY_END;
    if (leads_back || replay_move(&copy, move, task))
        return NULL;
    switch (move) {
    case REPLAY_EVENT_BACK:
    case REPLAY_START:
        return is_past ? "this is the start of the run" : "this is the start of the recording";
    case REPLAY_EVENT_ON:
    case REPLAY_END:
        return is_past ? "nothing has happened after this yet: {end} goes back"
                       : "this is the end of the recording";
    case REPLAY_TRY_BACK:
        return "the selected task has no earlier try";
    case REPLAY_TRY_ON:
        return "the selected task has no later try";
    case REPLAY_FAILURE_BACK:
        return "nothing failed before this";
    case REPLAY_FAILURE_ON:
        return is_past ? "nothing has failed after this yet" : "nothing fails after this";
    case REPLAY_PLAY:
        return is_past ? "nothing has happened after this yet: {end} goes back"
                       : "nothing comes after this; {start} goes to the start";
    case REPLAY_SLOWER:
        return "already at the lowest speed";
    case REPLAY_FASTER:
        return "already at the highest speed";
    }
    return "";
}

bool replay_play(struct replay *replay, int64_t passed_ms)
{
    const struct replay_mark *marks = replay->marks;
    if (!replay->playing)
        return false;
    int64_t left = passed_ms * replay->speed / REPLAY_SPEED_ONE;
    while (replay->at < (int64_t)replay->count) {
        int64_t gap = 0; /* recorded time between the current event and the next one */
        if (replay->at > 0)
            gap = marks[replay->at].at.mono_ms - marks[replay->at - 1].at.mono_ms;
        if (gap < 0)
            gap = 0;
        int64_t length = gap > REPLAY_GAP_MS_MAX ? REPLAY_GAP_CUT_MS : gap; /* at speed 1 */
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

/* Parses "T-104", "T-104 try 2". Returns false without an error if the text is not about a task. */
static bool find_try(const struct replay *replay, const struct replay_words *words,
                     struct replay_point *out, struct err *err)
{
    static const char try_word[] = " try ";
    const char *cut = strstr(words->text, try_word);
    size_t len = cut ? (size_t)(cut - words->text) : strlen(words->text);
    int64_t attempt = 0;
    char *id = xstrndup(words->text, len);
    int task = plan_find(words->plan, id);
    free(id);
    if (task < 0)
        return false;
    if (cut && !parse_i64(cut + strlen(try_word), 1, INT32_MAX, &attempt, err))
        return false;
    /* The latest start of that try, because several steps of a task may have a try with this
     * number. Attempt 0: the very first try. */
    int64_t seq = 0;
    for (size_t i = 0; i < replay->count && (seq == 0 || attempt > 0); i++) {
        const struct replay_mark *mark = &replay->marks[i];
        bool is_it = attempt == 0 || mark->attempt == attempt;
        if (mark->kind == EVENT_ATTEMPT_STARTED && mark->task == task && is_it)
            seq = (int64_t)i + 1;
    }
    if (seq == 0)
        return err_set(err, ERR_NOT_FOUND, "the recording does not contain the start of %s",
                       words->text);
    *out = (struct replay_point){.seq = seq};
    return true;
}

static bool find_time(const struct replay *replay, const struct replay_words *words,
                      struct replay_point *out, struct err *err)
{
    if (replay->count == 0)
        return err_set(err, ERR_NOT_FOUND, "nothing is recorded yet");
    const struct clock_span span = {.from_ms = replay->marks[0].at.at_ms,
                                    .until_ms = words->end_ms};
    char began[CLOCK_TEXT_MAX];
    int64_t at_ms = 0;
    if (!clock_find(words->text, &span, &at_ms, NULL)) {
        (void)err_set(err, ERR_INVALID, "'%s' is not a time, an event or a task", words->text);
        return err_hint(
            err,
            "use a time such as 14:00:31 or -2m, an event such as #211, T-104 try 2, start or end");
    }
    /* If the clock was set in the meantime, find the latest position with this time. */
    size_t i = replay->count;
    while (i > 0 && replay->marks[i - 1].at.at_ms > at_ms)
        i--;
    /* The screen shows whole seconds, so accept a time within the second in which the run
     * started. */
    enum { SECOND_MS = 1000 };
    bool in_first_second = i == 0 && span.from_ms - at_ms < SECOND_MS;
    if (i == 0 && !in_first_second)
        return err_set(err, ERR_NOT_FOUND, "%s is before the run started, at %s", words->text,
                       clock_hms(span.from_ms, began));
    *out = (struct replay_point){.seq = in_first_second ? 1 : (int64_t)i};
    if (!in_first_second)
        out->on_ms = at_ms - replay->marks[i - 1].at.at_ms;
    return true;
}

bool replay_find(const struct replay *replay, const struct replay_words *words,
                 struct replay_point *out, struct err *err)
{
    const char *text = words->text;
    bool is_number = *text != '\0' && text[strspn(text, "0123456789")] == '\0';
    for (size_t i = 0; i < words->bookmark_count; i++) {
        const struct bookmark *bookmark = &words->bookmarks[i];
        const bool is_there = bookmark->seq >= 0 && bookmark->seq <= (int64_t)replay->count;
        if (!is_there || bookmark->name[0] == '\0' || strcasecmp(bookmark->name, text) != 0)
            continue;
        *out = (struct replay_point){.seq = bookmark->seq};
        if (bookmark->seq > 0) {
            const int64_t event_ms = replay->marks[bookmark->seq - 1].at.at_ms;
            out->on_ms = bookmark->at_ms > event_ms ? bookmark->at_ms - event_ms : 0;
        }
        return true;
    }
    if (*text == '#' || is_number) {
        int64_t seq = 0;
        if (!parse_i64(text + (*text == '#'), 0, INT64_MAX, &seq, err))
            return false;
        if (seq > (int64_t)replay->count)
            return err_set(err, ERR_NOT_FOUND, "no event %lld: the last one is %zu", (long long)seq,
                           replay->count);
        *out = (struct replay_point){.seq = seq};
        return true;
    }
    if (strcmp(text, "start") == 0 || strcmp(text, "end") == 0) {
        *out = (struct replay_point){.seq = *text == 's' ? 0 : (int64_t)replay->count};
        return true;
    }
    struct err why = {0};
    if (find_try(replay, words, out, &why))
        return true;
    if (why.code != ERR_NONE) {
        *err = why;
        return false;
    }
    return find_time(replay, words, out, err);
}

bool replay_at_find(struct follower *follower, const char *words, struct replay_at *out,
                    struct err *err)
{
    struct replay replay;
    struct replay_point point = {0};
    struct bookmark *bookmarks = xcalloc(BOOKMARKS_MAX, sizeof(*bookmarks));
    const int64_t run = follower_run(follower)->number;
    size_t count = 0;
    replay_init(&replay);
    bool ok =
        bookmark_list(follower_reader(follower), run, bookmarks, BOOKMARKS_MAX, &count, err) &&
        follower_read(follower, 0, replay_take, &replay, NULL, err);
    const struct run_state *state = follower_state(follower);
    const struct replay_words wanted = {.text = words ? words : "end",
                                        .plan = state->plan,
                                        .end_ms = state->last.at_ms,
                                        .bookmarks = bookmarks,
                                        .bookmark_count = count};
    ok = ok && replay_find(&replay, &wanted, &point, err);
    if (ok) {
        replay.at = point.seq;
        replay.on_ms = point.on_ms;
        *out = (struct replay_at){.seq = point.seq, .at_ms = replay_now(&replay).at_ms};
    }
    free(bookmarks);
    replay_done(&replay);
    return ok;
}
