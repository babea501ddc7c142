#include "plan_grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "plan_parts.h"
#include "plan_reader.h"
#include "plan_schema.h"
#include "plan_shape.h"
#include "plan_task.h"
#include "xalloc.h"

bool plan_is_whole(const struct plan *plan, struct violations *violations)
{
    if (plan->grows)
        violations_add(violations, VIOLATION_INVALID_VALUE, "/grows",
                       "only devs itself begins a run whose tasks come later", NULL, NULL);
    return !plan->grows;
}

struct plan *plan_growing(const struct plan *base)
{
    assert(base->grows && base->task_count == 0);
    struct plan *plan = xcalloc(1, sizeof(*plan));
    *plan = *base;
    plan->base = base;
    plan->tasks = NULL;
    plan->by_id = NULL;
    plan->sources = NULL;
    return plan;
}

/* The task as the only one of a document, which the schema is about. */
static struct json *read_json(const char *task_json, size_t len, struct violations *wrong)
{
    struct str text = {0};
    str_add(&text, "{\"version\":1,\"tasks\":[");
    str_add_n(&text, task_json, len);
    str_add(&text, "]}");
    struct json *root = plan_reader_json(str_text(&text), text.len, PLAN_BYTES_MAX, wrong);
    str_done(&text);
    return root;
}

/* What no task that is added may have: the key, NULL = nothing. */
static const char *find_unwanted(const struct json *task)
{
    static const char *const of_task[] = {"needs", "workspace", "rounds", "budget"};
    static const char *const of_step[] = {"contract", "agent"};
    const struct json *steps = json_get(task, "steps");
    for (size_t i = 0; i < ARRAY_LEN(of_task); i++) {
        if (json_get(task, of_task[i]))
            return of_task[i];
    }
    for (size_t i = 0; i < json_count(steps); i++) {
        for (size_t k = 0; k < ARRAY_LEN(of_step); k++) {
            if (json_get(json_at(steps, i), of_step[k]))
                return of_step[k];
        }
    }
    return NULL;
}

/* Behind all ids that are not greater. */
static void add_name(struct plan *plan, const char *id, int task)
{
    int at = plan->by_id_count;
    plan->by_id = xgrow(plan->by_id, &plan->by_id_cap, (size_t)at + 1, sizeof(*plan->by_id));
    int low = 0;
    int high = at;
    if (at > 0 && strcmp(plan->by_id[at - 1].id, id) < 0)
        low = at; /* they come in order */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(plan->by_id[middle].id, id) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&plan->by_id[low + 1], &plan->by_id[low], (size_t)(at - low) * sizeof(*plan->by_id));
    plan->by_id[low] = (struct plan_name){id, task};
    plan->by_id_count++;
}

static void remove_name(struct plan *plan, int task)
{
    int at = plan->by_id_count - 1;
    while (at >= 0 && plan->by_id[at].task != task)
        at--;
    if (at < 0)
        return;
    plan->by_id_count--;
    memmove(&plan->by_id[at], &plan->by_id[at + 1],
            (size_t)(plan->by_id_count - at) * sizeof(*plan->by_id));
}

static void add_task(struct plan *plan, const char *id)
{
    int task = plan->task_count;
    plan->tasks = xgrow(plan->tasks, &plan->task_cap, (size_t)task + 1, sizeof(*plan->tasks));
    plan->tasks[task] = (struct plan_task){.id = xstrdup(id), .rounds = 1};
    plan->task_count++;
    add_name(plan, plan->tasks[task].id, task);
}

void plan_shrink(struct plan *plan)
{
    assert(plan->base && plan->task_count > 0);
    int task = plan->task_count - 1;
    remove_name(plan, task);
    plan->step_count -= plan->tasks[task].step_count;
    plan_free_task(&plan->tasks[task]);
    plan->task_count--;
}

static void forget_sources(struct plan *plan, int count)
{
    while (plan->source_count > count) {
        free(plan->sources[--plan->source_count]);
        plan->sources[plan->source_count] = NULL;
    }
}

/* As plan_parse() reads it, with the plan's policies in sight. */
static void read_task(struct plan *plan, const struct json *root, const struct violations *shape,
                      struct violations *wrong)
{
    static const struct json_pointer root_path = {0};
    const struct json_pointer path = {.up = &root_path, .key = "tasks"};
    struct plan_reader reader = {
        .plan = plan,
        .shape = shape,
        .violations = wrong,
        .contract_violations = wrong,
        .agent_violations = wrong,
        .policies = {.items = plan->policies,
                     .count = plan->policy_count,
                     .inner = plan->setting_count},
        .task = plan->task_count - 1,
        .default_is_sound = true,
    };
    plan_task_read_added(&reader, &path, json_at(json_get(root, "tasks"), 0));
}

/* The first thing that is wrong. */
static bool tell(const struct violations *wrong, struct err *err)
{
    const struct violation *first = &wrong->items[0];
    return err_set(err, ERR_INVALID, "%s: %s", first->path, first->message);
}

static bool may_be_added(const struct plan *plan, const struct json *task, struct err *err)
{
    const char *unwanted = find_unwanted(task);
    const char *id = json_text(json_get(task, "id"), "");
    if (unwanted)
        return err_set(err, ERR_INVALID, "a task that is added has no \"%s\"", unwanted);
    if (plan_find(plan, id) >= 0)
        return err_set(err, ERR_INVALID, "the id \"%s\" is taken", id);
    return true;
}

static bool grow(struct plan *plan, const struct json *root, const struct violations *shape,
                 struct err *err)
{
    const struct json *task = json_at(json_get(root, "tasks"), 0);
    struct violations wrong = {0};
    int sources = plan->source_count;
    if (!may_be_added(plan, task, err))
        return false;
    add_task(plan, json_text(json_get(task, "id"), ""));
    read_task(plan, root, shape, &wrong);
    bool ok = wrong.count == 0 || tell(&wrong, err);
    if (!ok) {
        plan_shrink(plan);
        forget_sources(plan, sources);
    }
    violations_done(&wrong);
    return ok;
}

bool plan_grow(struct plan *plan, const char *task_json, size_t len, struct err *err)
{
    assert(plan->base);
    if (plan->task_count == PLAN_TASKS_MAX)
        return err_set(err, ERR_LIMIT, "a run has at most %d tasks", PLAN_TASKS_MAX);
    struct violations wrong = {0};
    struct json *root = read_json(task_json, len, &wrong);
    bool ok = root && json_count(json_get(root, "tasks")) == 1 &&
              plan_shape_check(plan_schema(), root, &wrong);
    if (ok)
        ok = grow(plan, root, &wrong, err);
    else if (wrong.count > 0)
        (void)tell(&wrong, err);
    else
        (void)err_set(err, ERR_INVALID, "it is not one task");
    json_free(root);
    violations_done(&wrong);
    return ok;
}

void plan_forget_calls(struct plan *plan, int task)
{
    struct plan_task *of = &plan->tasks[task];
    for (int i = 0; i < of->step_count; i++) {
        plan_free_step(&of->steps[i]);
        of->steps[i] =
            (struct plan_step){.policy = plan->policy, .source = -1, .sandbox = &plan->sandbox};
    }
}
