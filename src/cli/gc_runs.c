/* gc_runs.c - the runs that leave the log. */
#include <assert.h>
#include <stdlib.h>

#include "clock.h"
#include "fail.h"
#include "gc.h"
#include "parse.h"
#include "run_choice.h"
#include "size_text.h"

enum { DAYS_MAX = 36500, RUNS_MAX = LOG_GC_RUNS_MAX, MIB_MAX = 1024 * 1024 };

#define MS_PER_DAY    (INT64_C(24) * 60 * 60 * 1000)
#define BYTES_PER_MIB (INT64_C(1024) * 1024)

static const char *const why_words[] = {
    [LOG_GC_WITHIN] = "within the limits",
    [LOG_GC_NEWEST] = "the newest",
    [LOG_GC_ALIVE] = "it is alive",
    [LOG_GC_BOOKMARKED] = "it has a bookmark; devs debug --unmark takes that away",
    [LOG_GC_SPILLED] = "a part of it is in a second log; devs gc --merge brings that in",
    [LOG_GC_NAMED] = "as asked",
    [LOG_GC_OLD] = "too old",
    [LOG_GC_MANY] = "one too many",
    [LOG_GC_LARGE] = "too much for the size",
    [LOG_GC_BEGUN] = "an earlier gc did not come to its end",
};
static_assert(ARRAY_LEN(why_words) == LOG_GC_WHY_COUNT, "every reason has its words");

static bool read_limit(const char *word, int64_t most, int64_t unit, int64_t *out, struct err *err)
{
    int64_t value = 0;
    if (!word)
        return true;
    if (!parse_i64(word, 0, most, &value, err))
        return false;
    *out = value * unit;
    return true;
}

static void take_setting(int value, int64_t unit, int64_t *out)
{
    if (value > 0)
        *out = value * unit;
}

bool gc_limits(const struct gc_limit_words *words, const struct retention_settings *settings,
               struct log_limits *out, struct err *err)
{
    *out = log_limits_new();
    take_setting(settings->days, MS_PER_DAY, &out->age_ms);
    take_setting(settings->runs, 1, &out->runs);
    take_setting(settings->mib, BYTES_PER_MIB, &out->bytes);
    return read_limit(words->days, DAYS_MAX, MS_PER_DAY, &out->age_ms, err) &&
           read_limit(words->runs, RUNS_MAX, 1, &out->runs, err) &&
           read_limit(words->mib, MIB_MAX, BYTES_PER_MIB, &out->bytes, err);
}

static void tell_run(struct gc *gc, const struct log_gc_run *run, enum gc_action action,
                     const char *why)
{
    struct str name = {0};
    struct str words = {0};
    str_addf(&name, "#%lld %s", (long long)run->number, run->name);
    str_add(&words, why);
    if (action != GC_KEPT && run->bytes >= 0) {
        str_add(&words, ", ");
        size_text_add(run->bytes, &words);
    }
    const struct gc_thing thing = {.kind = "run",
                                   .name = str_text(&name),
                                   .bytes = run->bytes,
                                   .action = action,
                                   .why = str_text(&words)};
    gc_tell(gc, &thing);
    str_done(&name);
    str_done(&words);
}

static bool take_run(struct gc *gc, struct log_gc *log, const struct log_gc_run *run,
                     struct err *err)
{
    struct err why = {0};
    if (gc->dry) {
        tell_run(gc, run, GC_WOULD_REMOVE, why_words[run->why]);
    } else if (log_gc_remove(log, run->number, &why)) {
        tell_run(gc, run, GC_REMOVED, why_words[run->why]);
    } else {
        /* What somebody took up or marked meanwhile stays; else the log is not to be written. */
        tell_run(gc, run, GC_KEPT, why.message);
        gc->kept_named = gc->kept_named || run->why == LOG_GC_NAMED;
        const bool is_of_run = why.code == ERR_BUSY || why.code == ERR_INVALID;
        return is_of_run || err_set(err, why.code, "%s", why.message);
    }
    return true;
}

static bool shrink(struct gc *gc, struct log_gc *log, struct err *err)
{
    int64_t bytes = 0;
    struct str words = {0};
    if (!log_gc_shrink(log, 0, &bytes, err))
        return false;
    if (bytes > 0) {
        size_text_add(bytes, &words);
        str_add(&words, " given back");
        const struct gc_thing thing = {.kind = "room",
                                       .name = gc->place.db,
                                       .bytes = bytes,
                                       .action = GC_REMOVED,
                                       .why = str_text(&words)};
        gc_tell(gc, &thing);
    }
    str_done(&words);
    return true;
}

static bool take_runs(struct gc *gc, const struct log_gc_asked *asked,
                      const struct log_gc_run *runs, size_t count, struct err *err)
{
    struct log_gc *log = NULL;
    bool ok = gc->dry || log_gc_open(&log, &gc->place, err);
    for (size_t i = 0; ok && i < count; i++) {
        if (log_gc_goes(runs[i].why)) {
            ok = take_run(gc, log, &runs[i], err);
        } else if (log_gc_is_named(asked, runs[i].number)) {
            tell_run(gc, &runs[i], GC_KEPT, why_words[runs[i].why]);
            gc->kept_named = true;
        }
    }
    ok = ok && (gc->dry || shrink(gc, log, err));
    log_gc_close(log);
    return ok;
}

/* The runs that are to go; none where none is named. */
static bool read_names(const struct gc *gc, struct run_choice *out, struct err *err)
{
    struct log_reader *reader = NULL;
    const bool ok = !gc->deletes || (log_reader_open(&reader, &gc->place, err) &&
                                     run_choice_add(reader, gc->names, gc->name_count, out, err));
    log_reader_close(reader);
    return ok;
}

static bool has_limits(const struct log_limits *limits)
{
    return limits->age_ms >= 0 || limits->runs >= 0 || limits->bytes >= 0;
}

static bool is_begun(const struct log_gc_run *runs, size_t count)
{
    return count > 0 && runs[count - 1].why == LOG_GC_BEGUN; /* those come last */
}

static bool plan_and_take(struct gc *gc, const struct run_choice *named, struct err *err)
{
    struct log_gc_run *runs = NULL;
    size_t count = 0;
    const struct log_gc_asked asked = {
        .place = &gc->place,
        .limits = gc->deletes ? log_limits_new() : gc->limits,
        .named = named->runs,
        .named_count = named->count,
        .now_ms = gc->now_ms,
    };
    if (!log_gc_plan(&asked, &runs, &count, err))
        return false;
    const bool is_asked = gc->deletes || has_limits(&gc->limits) || is_begun(runs, count);
    const bool ok = !is_asked || take_runs(gc, &asked, runs, count, err);
    free(runs);
    return ok;
}

bool gc_runs(struct gc *gc, struct err *err)
{
    struct run_choice named = {0};
    const bool ok = read_names(gc, &named, err) && plan_and_take(gc, &named, err);
    run_choice_done(&named);
    return ok;
}

static size_t remove_some(struct log_gc *log, const struct log_gc_run *runs, size_t count,
                          struct err *err)
{
    size_t gone = 0;
    bool ok = true;
    for (size_t i = count; ok && i > 0 && gone < GC_AUTOMATIC_RUNS; i--) { /* the oldest first */
        struct err why = {0};
        if (!log_gc_goes(runs[i - 1].why))
            continue;
        if (log_gc_remove(log, runs[i - 1].number, &why))
            gone++;
        else if (why.code != ERR_BUSY && why.code != ERR_INVALID)
            ok = err_set(err, why.code, "%s", why.message);
    }
    return gone;
}

static size_t count_goers(const struct log_gc_run *runs, size_t count)
{
    size_t goers = 0;
    for (size_t i = 0; i < count; i++)
        goers += log_gc_goes(runs[i].why);
    return goers;
}

static bool collect_some(const struct log_gc_asked *asked, size_t *gone, struct err *err)
{
    struct log_gc *log = NULL;
    struct log_gc_run *runs = NULL;
    size_t count = 0;
    int64_t bytes = 0;
    if (!log_gc_plan(asked, &runs, &count, err))
        return false;
    bool ok = true;
    if (count_goers(runs, count) > 0) {
        ok = log_gc_open(&log, asked->place, err);
        if (ok)
            *gone = remove_some(log, runs, count, err);
        ok = ok && err->code == ERR_NONE && log_gc_shrink(log, GC_AUTOMATIC_BYTES, &bytes, err);
        log_gc_close(log);
    }
    free(runs);
    return ok;
}

void gc_automatic(const struct place *place, const struct retention_settings *settings)
{
    const struct gc_limit_words nothing = {0};
    struct err err = {0};
    size_t gone = 0;
    struct log_gc_asked asked = {.place = place, .now_ms = clock_now().at_ms};
    if (!settings || !settings->automatic || !gc_limits(&nothing, settings, &asked.limits, NULL) ||
        !has_limits(&asked.limits))
        return;
    if (!collect_some(&asked, &gone, &err))
        warn("past runs could not be taken out of the log: %s", err.message);
    if (gone > 0)
        warn("%zu past %s taken out of the log (retention)", gone, gone == 1 ? "run" : "runs");
}
