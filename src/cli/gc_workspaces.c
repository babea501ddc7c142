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

/* Why it stays; NULL: it goes. */
static const char *why_kept(const struct gc *gc, const struct owner *owner,
                            const struct workspace_left *left)
{
    if (owner->follower && follower_run(owner->follower)->owner_alive)
        return "its run is alive";
    bool is_old = gc->older_ms >= 0 && gc->now_ms - left->changed_ms >= gc->older_ms;
    if (is_old || is_named(gc, owner, left->task))
        return NULL;
    if (!owner->follower)
        return "the log does not know its run; --older DAYS removes it";
    const struct run_state *state = follower_state(owner->follower);
    int task = plan_find(state->plan, left->task);
    if (task >= 0 && state->tasks[task].status == TASK_PASSED)
        return NULL;
    if (!state->ended)
        return "its run can go on: devs run --continue; --older DAYS removes it";
    return "of a task that did not pass; RUN/TASK or --older DAYS removes it";
}

static void take_one(struct gc *gc, const struct owner *owner, const struct workspace_left *left)
{
    char path[PATH_MAX];
    const char *why = why_kept(gc, owner, left);
    struct err err = {0};
    struct gc_thing thing = {.kind = "workspace", .name = path, .bytes = left->bytes};
    if (!workspace_left_path(gc->place.dir, left, path, sizeof(path)))
        (void)snprintf(path, sizeof(path), "%s/%s", left->uid, left->task);
    thing.why = why ? why : left->branch[0] != '\0' ? left->branch : "no result is kept";
    if (!why && gc->dry) {
        thing.action = GC_WOULD_REMOVE;
    } else if (!why &&
               workspace_remove(gc->place.dir, left, WORKSPACE_BRANCH_KEEP, environ, &err)) {
        thing.action = GC_REMOVED;
    } else if (!why) {
        thing.why = err.message;
    }
    gc_tell(gc, &thing);
}

/* The contents that a run's snapshots share are of use to those of its workspaces that stay. */
static bool is_shared_and_needed(const struct workspace_left *all, size_t count, size_t at)
{
    for (size_t i = 0; all[at].task[0] == '\0' && i < count; i++) {
        if (i != at && strcmp(all[i].uid, all[at].uid) == 0)
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
