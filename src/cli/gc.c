/* gc.c - removes workspaces, and old runs from the log. */
#define _DEFAULT_SOURCE /* environ */

#include "gc.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "follower.h"
#include "parse.h"
#include "shown.h"
#include "target.h"
#include "workspace_list.h"
#include "workspace_result.h"

enum { DAYS_MAX = 36500, RUNS_MAX = LOG_GC_RUNS_MAX, MIB_MAX = 1024 * 1024 };

#define MS_PER_DAY    (INT64_C(24) * 60 * 60 * 1000)
#define BYTES_PER_MIB (INT64_C(1024) * 1024)

static const char *const why_words[] = {
    [LOG_GC_WITHIN] = "within the limits",
    [LOG_GC_NEWEST] = "the newest",
    [LOG_GC_ALIVE] = "still active",
    [LOG_GC_BOOKMARKED] = "it has a bookmark; devs debug --unmark removes it",
    [LOG_GC_SPILLED] = "part of it is in a spill log; devs gc --merge merges it",
    [LOG_GC_NAMED] = "as requested",
    [LOG_GC_OLD] = "too old",
    [LOG_GC_MANY] = "over the run limit",
    [LOG_GC_LARGE] = "over the size limit",
    [LOG_GC_BEGUN] = "an earlier gc did not finish",
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
        /* A run that was resumed or bookmarked in the meantime stays; any other error means that
         * the log cannot be written. */
        tell_run(gc, run, GC_KEPT, why.message);
        gc->kept_named = gc->kept_named || run->why == LOG_GC_NAMED;
        const bool is_of_run = why.code == ERR_BUSY || why.code == ERR_INVALID;
        return is_of_run || err_set(err, why.code, "%s", why.message);
    }
    return true;
}

static bool shrink_log(struct gc *gc, struct log_gc *log, struct err *err)
{
    int64_t bytes = 0;
    struct str words = {0};
    if (!log_gc_shrink(log, 0, &bytes, err))
        return false;
    if (bytes > 0) {
        size_text_add(bytes, &words);
        str_add(&words, " freed");
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
    ok = ok && (gc->dry || shrink_log(gc, log, err));
    log_gc_close(log);
    return ok;
}

static bool has_limits(const struct log_limits *limits)
{
    return limits->age_ms >= 0 || limits->runs >= 0 || limits->bytes >= 0;
}

bool gc_runs(struct gc *gc, struct err *err)
{
    struct run_choice named = {0}; /* the named runs; none if no names were given */
    struct log_reader *reader = NULL;
    struct log_gc_run *runs = NULL;
    size_t count = 0;
    bool ok = !gc->deletes || (log_reader_open(&reader, &gc->place, err) &&
                               run_choice_add(reader, gc->names, gc->name_count, &named, err));
    log_reader_close(reader);
    const struct log_gc_asked asked = {
        .place = &gc->place,
        .limits = gc->deletes ? log_limits_new() : gc->limits,
        .named = named.runs,
        .named_count = named.count,
        .now_ms = gc->now_ms,
    };
    ok = ok && log_gc_plan(&asked, &runs, &count, err);
    const bool is_begun =
        ok && count > 0 &&
        runs[count - 1].why == LOG_GC_BEGUN; /* runs whose removal has begun come last */
    if (ok && (gc->deletes || has_limits(&gc->limits) || is_begun))
        ok = take_runs(gc, &asked, runs, count, err);
    free(runs);
    run_choice_done(&named);
    return ok;
}

/* Removes runs that are not within the limits, at most GC_AUTOMATIC_RUNS of them, and counts them
 * in *gone. */
static bool collect_some(const struct log_gc_asked *asked, size_t *gone, struct err *err)
{
    struct log_gc *log = NULL;
    struct log_gc_run *runs = NULL;
    size_t count = 0, goers = 0;
    int64_t bytes = 0;
    if (!log_gc_plan(asked, &runs, &count, err))
        return false;
    for (size_t i = 0; i < count; i++)
        goers += log_gc_goes(runs[i].why);
    bool ok = goers == 0 || log_gc_open(&log, asked->place, err);
    *gone = 0;
    for (size_t i = count; ok && goers > 0 && i > 0 && *gone < GC_AUTOMATIC_RUNS; i--) {
        const struct log_gc_run *run = &runs[i - 1]; /* oldest first */
        struct err why = {0};
        if (!log_gc_goes(run->why))
            continue;
        if (log_gc_remove(log, run->number, &why))
            (*gone)++;
        else if (why.code != ERR_BUSY && why.code != ERR_INVALID)
            ok = err_set(err, why.code, "%s", why.message);
    }
    ok = ok && (goers == 0 || log_gc_shrink(log, GC_AUTOMATIC_BYTES, &bytes, err));
    log_gc_close(log);
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
        warn("cannot remove past runs from the log: %s", err.message);
    if (gone > 0)
        warn("%zu past %s removed from the log (retention)", gone, gone == 1 ? "run" : "runs");
}

extern char **environ;

/* The run of the current workspaces, which are sorted by run. */
struct owner {
    char uid[WORKSPACE_UID_MAX];
    struct follower *follower; /* owned; NULL: the run is not in the log */
};

static int64_t find_run(const struct gc *gc, const char *uid)
{
    struct log_reader *reader = NULL;
    static struct log_run_info runs[LOG_PAGE_RUNS];
    int64_t found = 0;
    int64_t before = 0;
    size_t count = 0;
    if (!log_reader_open(&reader, &gc->place, NULL))
        return 0;
    do {
        if (!log_reader_runs(reader, before, runs, LOG_PAGE_RUNS, &count, NULL))
            count = 0;
        for (size_t i = 0; i < count; i++) {
            before = runs[i].number;
            if (strcmp(runs[i].uid, uid) == 0)
                found = runs[i].number;
            log_run_info_done(&runs[i]);
        }
    } while (found == 0 && count == LOG_PAGE_RUNS);
    log_reader_close(reader);
    return found;
}

static void meet_owner(const struct gc *gc, struct owner *owner, const char *uid)
{
    if (strcmp(owner->uid, uid) == 0)
        return;
    follower_close(owner->follower);
    *owner = (struct owner){0};
    (void)snprintf(owner->uid, sizeof(owner->uid), "%s", uid);
    int64_t run = find_run(gc, uid);
    if (run == 0 || !follower_open(&owner->follower, &gc->place, run, NULL))
        return;
    bool whole = follower_read(owner->follower, 0, NULL, NULL, NULL, NULL);
    (void)whole; /* if a damaged log lacks the end of a task, the task is not known to have passed,
                    so its workspace stays */
}

static bool is_alive(const struct owner *owner)
{
    return owner->follower && follower_run(owner->follower)->owner_alive;
}

static bool is_named(const struct gc *gc, const struct owner *owner, const char *task)
{
    for (int i = 0; owner->follower && i < gc->name_count; i++) {
        struct target target;
        if (target_parse(gc->names[i], &target, NULL) &&
            target.run == follower_run(owner->follower)->number &&
            (target.task[0] == '\0' || strcmp(target.task, task) == 0))
            return true;
    }
    return false;
}

/* The decision about a workspace, and the reason. */
enum fate_kind { FATE_STAYS, FATE_UNTOLD, FATE_TRIMMED, FATE_GOES };
struct fate {
    enum fate_kind what;
    const char *why;
};

static struct fate fate_of(enum fate_kind what, const char *why)
{
    return (struct fate){.what = what, .why = why};
}

/* Returns whether the result was kept and still exists. If that is not known, returns true with
 * *out NULL. */
static bool has_result(const struct gc *gc, const struct owner *owner,
                       const struct workspace_left *left, struct workspace_result **out)
{
    char run[24];
    (void)snprintf(run, sizeof(run), "%lld", (long long)follower_run(owner->follower)->number);
    const struct workspace_result_call call = {.log_dir = gc->place.dir,
                                               .uid = left->uid,
                                               .run = run,
                                               .task = left->task,
                                               .environment = environ};
    *out = NULL;
    if (left->result == WORKSPACE_RESULT_NONE)
        return false;
    return !workspace_result_open(out, &call, NULL) || workspace_result_is_there(*out);
}

/* Decides what happens to a workspace whose task has passed, or whose removal was requested. */
static struct fate fate_with_result(const struct workspace_left *left, bool is_known,
                                    bool is_wanted)
{
    const bool is_folder = left->result == WORKSPACE_RESULT_FOLDER;
    if (is_wanted && (is_folder || !is_known))
        return fate_of(FATE_GOES, is_folder ? "and its result" : left->branch);
    if (!is_known)
        return fate_of(FATE_STAYS,
                       "its result cannot be examined; RUN/TASK or --older DAYS removes it");
    if (left->has_tree)
        return fate_of(FATE_TRIMMED, is_folder ? "its result is kept" : left->branch);
    if (is_folder)
        return fate_of(FATE_STAYS, "result kept; RUN/TASK or --older DAYS removes it");
    return fate_of(FATE_UNTOLD, left->branch); /* small; devs diff needs it */
}

/* Decides what happens to a workspace. Removes a result only on request. */
static struct fate decide_fate(const struct gc *gc, const struct owner *owner,
                               const struct workspace_left *left, struct workspace_result **result)
{
    const bool is_old = gc->older_ms >= 0 && gc->now_ms - left->changed_ms >= gc->older_ms;
    *result = NULL;
    if (!owner->follower)
        return is_old ? fate_of(FATE_GOES, "its run is not in the log")
                      : fate_of(FATE_STAYS, "its run is not in the log; --older DAYS removes it");
    if (is_alive(owner))
        return fate_of(FATE_STAYS, "its run is still active");
    if (left->task[0] == '\0')
        return fate_of(FATE_GOES, "no snapshot needs it");
    const struct run_state *state = follower_state(owner->follower);
    const int task = plan_find(state->plan, left->task);
    const bool is_wanted = is_old || is_named(gc, owner, left->task);
    if (!is_wanted && (task < 0 || state->tasks[task].status != TASK_PASSED))
        return fate_of(FATE_STAYS,
                       state->ended
                           ? "its task did not pass; RUN/TASK or --older DAYS removes it"
                           : "its run can continue: devs run --continue; --older DAYS removes it");
    if (has_result(gc, owner, left, result))
        return fate_with_result(left, *result, is_wanted);
    if (left->result != WORKSPACE_RESULT_NONE)
        return fate_of(FATE_GOES, "its result no longer exists");
    if (is_wanted || !left->has_tree)
        return fate_of(FATE_GOES, "no result is kept");
    return fate_of(FATE_STAYS, "no result was kept; RUN/TASK or --older DAYS removes it");
}

static void take_workspace(struct gc *gc, const struct owner *owner,
                           const struct workspace_left *left)
{
    char path[PATH_MAX];
    struct err err = {0};
    struct workspace_result *result = NULL;
    const struct fate fate = decide_fate(gc, owner, left, &result);
    const bool goes = fate.what == FATE_TRIMMED || fate.what == FATE_GOES;
    struct gc_thing thing = {
        .kind = "workspace", .name = path, .bytes = left->bytes, .why = fate.why};
    if (!workspace_left_path(gc->place.dir, left, path, sizeof(path)))
        (void)snprintf(path, sizeof(path), "%s/%s", left->uid, left->task);
    if (goes && gc->dry)
        thing.action = GC_WOULD_REMOVE;
    else if (fate.what == FATE_TRIMMED && workspace_result_trim(result, &err))
        thing.action = GC_REMOVED;
    else if (fate.what == FATE_GOES && workspace_remove(gc->place.dir, left, &err))
        thing.action = GC_REMOVED;
    else if (goes)
        thing.why = err.message;
    if (fate.what != FATE_UNTOLD)
        gc_tell(gc, &thing);
    gc->kept_workspaces += fate.what == FATE_STAYS && !is_alive(owner);
    gc->branches += left->branch[0] != '\0' && fate.what != FATE_GOES;
    workspace_result_close(result);
}

/* Returns whether the entry is the contents that a run's snapshots share, and a remaining workspace
 * of that run still needs them. */
static bool is_shared_and_needed(const struct workspace_left *all, size_t count, size_t at)
{
    for (size_t i = 0; all[at].task[0] == '\0' && i < count; i++) {
        if (i != at && all[i].has_tree && strcmp(all[i].uid, all[at].uid) == 0)
            return true;
    }
    return false;
}

bool gc_workspaces(struct gc *gc, struct err *err)
{
    struct workspace_left *all = NULL;
    size_t count = 0;
    struct owner owner = {0};
    if (!workspace_list(gc->place.dir, &all, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        meet_owner(gc, &owner, all[i].uid);
        if (!is_shared_and_needed(all, count, i))
            take_workspace(gc, &owner, &all[i]);
    }
    follower_close(owner.follower);
    free(all);
    return true;
}
