/* plan_derive.c - part of a plan as a plan: a task and what it needs. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "str.h"
#include "xalloc.h"

/* Which tasks are wanted: the one and, walking back, all that it needs. */
static bool *mark_needed(const struct plan *plan, int first)
{
    bool *wanted = xcalloc((size_t)plan->task_count, sizeof(*wanted));
    int *line = xcalloc((size_t)plan->task_count, sizeof(*line));
    int count = 0;
    line[count++] = first;
    wanted[first] = true;
    for (int at = 0; at < count; at++) {
        const struct plan_task *task = &plan->tasks[line[at]];
        for (int i = 0; i < task->need_count; i++) {
            if (wanted[task->needs[i]])
                continue;
            wanted[task->needs[i]] = true;
            line[count++] = task->needs[i];
        }
    }
    free(line);
    return wanted;
}

static void add_tasks(struct str *out, const struct json *tasks, const bool *wanted)
{
    str_add_char(out, '[');
    const char *comma = "";
    for (size_t i = 0; i < json_count(tasks); i++) {
        if (!wanted[i])
            continue;
        str_add(out, comma);
        json_write(out, json_at(tasks, i));
        comma = ",";
    }
    str_add_char(out, ']');
}

static void derive_text(struct str *out, const struct json *whole, const bool *wanted)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    str_add_char(out, '{');
    while (json_next(whole, &iter, &key, &value)) {
        str_json_key(out, key);
        if (strcmp(key, "tasks") == 0)
            add_tasks(out, value, wanted);
        else
            json_write(out, value);
    }
    str_add_char(out, '}');
}

/* The plan goes out as JSON and comes back changed: one way to write it, one to read
 * it. Only for plans that came from JSON: what is not UTF-8 would not survive. */
static bool derive(const struct plan *plan, const bool *wanted, struct plan **out, struct err *err)
{
    struct str before = {0};
    struct str after = {0};
    struct json *whole = NULL;
    struct violations violations = {0};

    plan_write(plan, &before);
    bool ok = json_parse_data(before.data, before.len, &whole, NULL, err);
    if (ok) {
        derive_text(&after, whole, wanted);
        ok = plan_parse(after.data, after.len, out, &violations);
        if (!ok)
            (void)err_set(err, ERR_LIMIT, "the plan cannot be changed: %s: %s",
                          violations.count > 0 ? violations.items[0].path : "it",
                          violations.count > 0 ? violations.items[0].message : "is too large");
    }
    violations_done(&violations);
    json_free(whole);
    str_done(&before);
    str_done(&after);
    return ok;
}

bool plan_only(const struct plan *plan, const char *id, struct plan **out, struct err *err)
{
    int task = plan_find(plan, id);
    if (task < 0)
        return err_set(err, ERR_NOT_FOUND, "this plan has no task '%s'", id);
    bool *wanted = mark_needed(plan, task);
    bool ok = derive(plan, wanted, out, err);
    free(wanted);
    return ok;
}
