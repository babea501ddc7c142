#define _GNU_SOURCE /* environ */

#include "result_target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "find_log.h"
#include "follower.h"
#include "log_reader.h"
#include "shown.h"
#include "xalloc.h"

/* The ids of the tasks that it needs; free the array alone. */
static const char **needed_ids(const struct plan *plan, int task)
{
    const struct plan_task *of = &plan->tasks[task];
    const char **ids = xcalloc((size_t)of->need_count + 1, sizeof(*ids));
    for (int i = 0; i < of->need_count; i++)
        ids[i] = plan->tasks[of->needs[i]].id;
    return ids;
}

static bool open_result(struct result_target *out, const struct place *place,
                        struct follower *follower, struct err *err)
{
    int task = 0;
    char run[24];
    const struct log_run_info *info = follower_run(follower);
    const struct plan *plan = follower_state(follower)->plan;
    out->run_dir = xstrdup(info->dir);
    if (!target_task(&out->target, plan, &task, err))
        return false;
    const char **needed = needed_ids(plan, task);
    (void)snprintf(run, sizeof(run), "%" PRId64, info->number);
    const struct workspace_result_call call = {.log_dir = place->dir,
                                               .uid = info->uid,
                                               .run = run,
                                               .task = out->target.task,
                                               .needed = needed,
                                               .environment = environ};
    const bool ok = workspace_result_open(&out->result, &call, err) &&
                    workspace_result_changes(out->result, &out->changes, err);
    free(needed);
    return ok;
}

bool result_target_open(struct result_target *out, const struct globals *globals, const char *word,
                        bool applies, struct err *err)
{
    struct place place;
    struct follower *follower = NULL;
    *out = (struct result_target){0};
    static const char hint[] = "RUN/TASK; devs status --all lists the tasks";
    bool ok = target_parse_task(word, hint, &out->target, err) &&
              (applies ? find_log_to_write(globals->db, &place, err)
                       : find_log(globals->db, false, &place, err)) &&
              target_follow(&out->target, &place, &follower, err) &&
              follower_read(follower, 0, NULL, NULL, NULL, err) &&
              open_result(out, &place, follower, err);
    follower_close(follower);
    return ok;
}

void result_target_done(struct result_target *value)
{
    workspace_changes_done(&value->changes);
    workspace_result_close(value->result);
    free(value->run_dir);
    value->result = NULL;
}

static void sum(const struct workspace_changes *changes, int64_t *added, int64_t *removed)
{
    *added = 0;
    *removed = 0;
    for (size_t i = 0; i < changes->count; i++) {
        if (changes->items[i].added >= 0) {
            *added += changes->items[i].added;
            *removed += changes->items[i].removed;
        }
    }
}

void result_target_sum(const struct workspace_changes *changes, struct str *out)
{
    int64_t added;
    int64_t removed;
    sum(changes, &added, &removed);
    shown_count((int64_t)changes->count, "path changed, ", "paths changed, ", out);
    shown_count(added, "line added, ", "lines added, ", out);
    str_add_i64(out, removed);
    str_add(out, " removed");
}

static void text_if(struct str *out, const char *key, const char *text)
{
    if (text[0])
        str_json_text(out, key, text);
}

void result_target_json(const struct result_target *value, struct str *out)
{
    const struct workspace_changes *changes = &value->changes;
    int64_t added;
    int64_t removed;
    sum(changes, &added, &removed);
    str_add(out, "{");
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", value->target.run);
    str_json_text(out, "task", value->target.task);
    str_json_bool(out, "result", changes->is_result);
    text_if(out, "base", changes->base);
    text_if(out, "commit", changes->commit);
    text_if(out, "branch", str_text(&changes->branch));
    text_if(out, "path", str_text(&changes->path));
    text_if(out, "tree", str_text(&changes->origin));
    text_if(out, "why", str_text(&changes->why));
    str_json_i64(out, "added", added);
    str_json_i64(out, "removed", removed);
    str_json_key(out, "paths");
    for (size_t i = 0; i < changes->count; i++) {
        const struct workspace_change *change = &changes->items[i];
        const char kind[] = {change->kind, '\0'};
        str_add(out, i == 0 ? "[{" : ",{");
        str_json_text(out, "kind", kind);
        str_json_text(out, "path", change->path);
        if (change->added >= 0) {
            str_json_i64(out, "added", change->added);
            str_json_i64(out, "removed", change->removed);
        }
        str_add(out, "}");
    }
    str_add(out, changes->count == 0 ? "[]" : "]");
}
