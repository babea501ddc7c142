#include "record_words.h"

#include <string.h>

#include "clock.h"
#include "follower.h"
#include "parse.h"
#include "replay_at.h"
#include "target.h"

enum { SECOND_MS = 1000 };

static bool parse_level(const char *word, enum event_level *out, struct err *err)
{
    *out = EVENT_LEVEL_DEBUG;
    if (!word)
        return true;
    for (int i = EVENT_LEVEL_ERROR; i <= EVENT_LEVEL_DEBUG; i++) {
        if (strcmp(word, event_level_name((enum event_level)i)) == 0) {
            *out = (enum event_level)i;
            return true;
        }
    }
    (void)err_set(err, ERR_INVALID, "unknown level '%s'", word);
    return err_hint(err, "error, info or debug");
}

typedef bool add_name_fn(struct record_filter *filter, const char *name, struct err *err);

/* Each name of "a,b". */
static bool add_names(const char *list, add_name_fn *add, struct record_filter *filter,
                      struct err *err)
{
    enum { NAME_MAX_BYTES = 128 };
    for (;;) {
        char name[NAME_MAX_BYTES + 1];
        const size_t len = strcspn(list, ",");
        if (len > NAME_MAX_BYTES)
            return err_set(err, ERR_INVALID, "'%.*s...' is too long", NAME_MAX_BYTES, list);
        memcpy(name, list, len);
        name[len] = '\0';
        if (!add(filter, name, err))
            return false;
        if (list[len] == '\0')
            return true;
        list += len + 1;
    }
}

static bool add_all(const struct option_words *lists, add_name_fn *add,
                    struct record_filter *filter, struct err *err)
{
    for (size_t i = 0; lists->words[i]; i++) {
        if (!add_names(lists->words[i], add, filter, err))
            return false;
    }
    return true;
}

static bool set_search(const char *pattern, struct record_filter *filter, struct err *err)
{
    struct err why = {0};
    return record_filter_set_search(filter, pattern, &why) ||
           err_set(err, why.code, "--grep: %s", why.message);
}

bool record_words_filter(const struct record_words *words, struct record_filter *out,
                         struct err *err)
{
    *out = (struct record_filter){0};
    return parse_level(words->level, &out->level, err) &&
           add_all(&words->tasks, record_filter_add_task, out, err) &&
           add_all(&words->kinds, record_filter_add_kind, out, err) &&
           (!words->grep || set_search(words->grep, out, err));
}

/* What the words are about: a run while it is looked at. */
struct subject {
    const struct place *place;
    struct log_run_info run; /* owned */
};

/* "#211", "T-104 try 2", "start", "end": what only the events say. */
static bool find_event(const struct subject *subject, const char *words, struct record_bound *out,
                       struct err *err)
{
    struct follower *follower = NULL;
    struct replay_at at;
    if (words[0] == '#')
        return parse_i64(words + 1, 1, INT64_MAX, &out->seq, NULL) ||
               err_set(err, ERR_INVALID, "'%s' is not a record number", words);
    bool ok = follower_open(&follower, subject->place, subject->run.number, err) &&
              replay_at_find(follower, words, &at, err);
    follower_close(follower);
    if (ok)
        out->seq = at.seq > 0 ? at.seq : 1;
    return ok;
}

static bool find_bound(const struct subject *subject, const char *words, int64_t within_ms,
                       struct record_bound *out, struct err *err)
{
    const struct clock_span span = {.from_ms = subject->run.started_at_ms,
                                    .until_ms = subject->run.last_at_ms};
    int64_t at_ms = 0;
    if (!words)
        return true;
    if (!clock_find(words, &span, &at_ms, NULL))
        return find_event(subject, words, out, err);
    out->at_ms = at_ms + within_ms;
    return true;
}

bool record_words_bounds(const struct record_words *words, const struct place *place, int64_t run,
                         struct record_filter *filter, struct err *err)
{
    struct log_reader *reader = NULL;
    struct subject subject = {.place = place};
    if (!words->since && !words->until)
        return true;
    bool ok = log_reader_open(&reader, place, err) &&
              log_reader_run(reader, run, &subject.run, err) &&
              find_bound(&subject, words->since, 0, &filter->since, err) &&
              find_bound(&subject, words->until, SECOND_MS - 1, &filter->until, err);
    log_run_info_done(&subject.run);
    log_reader_close(reader);
    return ok;
}

/* A run that grows has its tasks in its events. */
static bool read_tasks(struct follower *follower, struct err *err)
{
    return !follower_state(follower)->plan->grows ||
           follower_read(follower, 0, NULL, NULL, NULL, err);
}

bool record_words_check_tasks(const struct record_filter *filter, const struct place *place,
                              int64_t run, struct err *err)
{
    struct follower *follower = NULL;
    struct target target = {.run = run};
    int number = 0;
    if (filter->task_count == 0)
        return true;
    bool ok = follower_open(&follower, place, run, err) && read_tasks(follower, err);
    for (int i = 0; ok && i < filter->task_count; i++) {
        target.run = follower_run(follower)->number;
        memcpy(target.task, filter->tasks[i], sizeof(target.task));
        ok = target_task(&target, follower_state(follower)->plan, &number, err);
    }
    follower_close(follower);
    return ok;
}
