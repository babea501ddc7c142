#include "replay_time.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "parse.h"
#include "xalloc.h"

static bool is_number(const char *text)
{
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static bool find_event(const struct replay *replay, const char *digits, struct replay_point *out,
                       struct err *err)
{
    int64_t seq = 0;
    if (!parse_i64(digits, 0, INT64_MAX, &seq, err))
        return false;
    if (seq > (int64_t)replay->count)
        return err_set(err, ERR_NOT_FOUND, "there is no event %lld: the last one is %zu",
                       (long long)seq, replay->count);
    *out = (struct replay_point){.seq = seq};
    return true;
}

/* The last start of that try: a task may have one of this number in each of its steps. Attempt 0:
 * the first try of all. */
static int64_t start_of_try(const struct replay *replay, int task, int64_t attempt)
{
    int64_t found = 0;
    for (size_t i = 0; i < replay->count && (found == 0 || attempt > 0); i++) {
        const struct replay_mark *mark = &replay->marks[i];
        bool is_it = attempt == 0 || mark->attempt == attempt;
        if (mark->kind == EVENT_ATTEMPT_STARTED && mark->task == task && is_it)
            found = (int64_t)i + 1;
    }
    return found;
}

/* "T-104", "T-104 try 2"; false and no error: the words are not about a task. */
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
    int64_t seq = start_of_try(replay, task, attempt);
    if (seq == 0)
        return err_set(err, ERR_NOT_FOUND, "the recording has no start of %s", words->text);
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
        (void)err_set(err, ERR_INVALID, "'%s' is no time, no event and no task", words->text);
        return err_hint(err, "as in 14:00:31, -2m, #211, T-104 try 2, start, end");
    }
    /* Where the clock was set meanwhile, the latest place that has this time. */
    size_t i = replay->count;
    while (i > 0 && replay->marks[i - 1].at.at_ms > at_ms)
        i--;
    /* A screen says whole seconds: what happened within the first one is not before it. */
    enum { SECOND_MS = 1000 };
    bool in_first_second = i == 0 && span.from_ms - at_ms < SECOND_MS;
    if (i == 0 && !in_first_second)
        return err_set(err, ERR_NOT_FOUND, "%s is before the run began, at %s", words->text,
                       clock_hms(span.from_ms, began));
    *out = (struct replay_point){.seq = in_first_second ? 1 : (int64_t)i};
    if (!in_first_second)
        out->on_ms = at_ms - replay->marks[i - 1].at.at_ms;
    return true;
}

/* Where a bookmark is: at its event, or so long after it. */
static struct replay_point point_of(const struct replay *replay, const struct bookmark *bookmark)
{
    struct replay_point point = {.seq = bookmark->seq};
    if (point.seq == 0)
        return point;
    const int64_t event_ms = replay->marks[point.seq - 1].at.at_ms;
    point.on_ms = bookmark->at_ms > event_ms ? bookmark->at_ms - event_ms : 0;
    return point;
}

static bool find_bookmark(const struct replay *replay, const struct replay_words *words,
                          struct replay_point *out)
{
    for (size_t i = 0; i < words->bookmark_count; i++) {
        const struct bookmark *bookmark = &words->bookmarks[i];
        const bool is_there = bookmark->seq >= 0 && bookmark->seq <= (int64_t)replay->count;
        if (!is_there || bookmark->name[0] == '\0' || strcasecmp(bookmark->name, words->text) != 0)
            continue;
        *out = point_of(replay, bookmark);
        return true;
    }
    return false;
}

bool replay_find(const struct replay *replay, const struct replay_words *words,
                 struct replay_point *out, struct err *err)
{
    const char *text = words->text;
    if (find_bookmark(replay, words, out))
        return true;
    if (*text == '#' || is_number(text))
        return find_event(replay, text + (*text == '#'), out, err);
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
