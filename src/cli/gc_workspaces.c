/* gc_workspaces.c - the workspaces that leave with their runs. */
#define _DEFAULT_SOURCE /* environ */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follower.h"
#include "gc.h"
#include "target.h"
#include "workspace_list.h"
#include "workspace_result.h"

extern char **environ;

/* The run that workspaces belong to; they come sorted by run. */
struct owner {
    char uid[WORKSPACE_UID_MAX];
    struct follower *follower; /* owned; NULL: the log does not know the run */
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
    (void)whole; /* what a damaged log does not say is not known to have passed, so it stays */
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

/* What becomes of one, and why. */
enum fate_kind { FATE_STAYS, FATE_UNTOLD, FATE_TRIMMED, FATE_GOES };
struct fate {
    enum fate_kind what;
    const char *why;
};

static struct fate fate(enum fate_kind what, const char *why)
{
    return (struct fate){.what = what, .why = why};
}

/* Has its result been kept, and is that still there? *out is NULL where nobody can say. */
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

/* Of a task that passed, or that somebody wants gone. */
static struct fate fate_with_result(const struct workspace_left *left, bool is_known,
                                    bool is_wanted)
{
    const bool is_folder = left->result == WORKSPACE_RESULT_FOLDER;
    if (is_wanted && (is_folder || !is_known))
        return fate(FATE_GOES, is_folder ? "and its result" : left->branch);
    if (!is_known)
        return fate(FATE_STAYS,
                    "its result cannot be looked at; RUN/TASK or --older DAYS removes it");
    if (left->has_tree)
        return fate(FATE_TRIMMED, is_folder ? "its result stays" : left->branch);
    if (is_folder)
        return fate(FATE_STAYS, "its result; RUN/TASK or --older DAYS removes it");
    return fate(FATE_UNTOLD, left->branch); /* a few bytes, so that devs diff finds the branch */
}

static struct fate fate_without_result(const struct workspace_left *left, bool is_wanted)
{
    if (left->result != WORKSPACE_RESULT_NONE)
        return fate(FATE_GOES, "its result is gone");
    if (is_wanted || !left->has_tree)
        return fate(FATE_GOES, "no result is kept");
    return fate(FATE_STAYS, "no result was kept; RUN/TASK or --older DAYS removes it");
}

/* A result is nothing that is left over: it goes when somebody says so. */
static struct fate decide(const struct gc *gc, const struct owner *owner,
                          const struct workspace_left *left, struct workspace_result **result)
{
    const bool is_old = gc->older_ms >= 0 && gc->now_ms - left->changed_ms >= gc->older_ms;
    *result = NULL;
    if (!owner->follower)
        return is_old ? fate(FATE_GOES, "the log does not know its run")
                      : fate(FATE_STAYS, "the log does not know its run; --older DAYS removes it");
    if (is_alive(owner))
        return fate(FATE_STAYS, "its run is alive");
    if (left->task[0] == '\0')
        return fate(FATE_GOES, "no snapshot needs it");
    const struct run_state *state = follower_state(owner->follower);
    const int task = plan_find(state->plan, left->task);
    const bool is_wanted = is_old || is_named(gc, owner, left->task);
    if (!is_wanted && (task < 0 || state->tasks[task].status != TASK_PASSED))
        return fate(FATE_STAYS,
                    state->ended
                        ? "of a task that did not pass; RUN/TASK or --older DAYS removes it"
                        : "its run can go on: devs run --continue; --older DAYS removes it");
    if (has_result(gc, owner, left, result))
        return fate_with_result(left, *result, is_wanted);
    return fate_without_result(left, is_wanted);
}

static bool carry_out(const struct gc *gc, const struct workspace_left *left,
                      const struct fate *fate, struct workspace_result *result, struct err *err)
{
    if (fate->what == FATE_TRIMMED)
        return workspace_result_trim(result, err);
    return workspace_remove(gc->place.dir, left, err);
}

static void take_one(struct gc *gc, const struct owner *owner, const struct workspace_left *left)
{
    char path[PATH_MAX];
    struct err err = {0};
    struct workspace_result *result = NULL;
    const struct fate fate = decide(gc, owner, left, &result);
    const bool goes = fate.what == FATE_TRIMMED || fate.what == FATE_GOES;
    struct gc_thing thing = {
        .kind = "workspace", .name = path, .bytes = left->bytes, .why = fate.why};
    if (!workspace_left_path(gc->place.dir, left, path, sizeof(path)))
        (void)snprintf(path, sizeof(path), "%s/%s", left->uid, left->task);
    if (goes && gc->dry)
        thing.action = GC_WOULD_REMOVE;
    else if (goes && carry_out(gc, left, &fate, result, &err))
        thing.action = GC_REMOVED;
    else if (goes)
        thing.why = err.message;
    if (fate.what != FATE_UNTOLD)
        gc_tell(gc, &thing);
    gc->kept_workspaces += fate.what == FATE_STAYS && !is_alive(owner);
    gc->branches += left->branch[0] != '\0' && fate.what != FATE_GOES;
    workspace_result_close(result);
}

/* The contents that a run's snapshots share are of use to those of its workspaces that stay. */
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
            take_one(gc, &owner, &all[i]);
    }
    follower_close(owner.follower);
    free(all);
    return true;
}
