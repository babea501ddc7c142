#include "plan_task.h"

#include <string.h>

#include "near_word.h"
#include "plan_agent.h"
#include "plan_step.h"
#include "plan_workspace.h"
#include "str.h"
#include "xalloc.h"

enum {
    NEAREST_TASKS_MAX = 500, /* with more tasks, an unknown need gets no suggestion */
};

static struct plan_task *current(struct plan_reader *reader)
{
    return &reader->plan->tasks[reader->task];
}

enum need_kind { NEED_OK, NEED_NOT_TEXT, NEED_UNKNOWN, NEED_ITSELF, NEED_AGAIN };

/* Which task a need means. `stamp` is another one for every list of needs. */
static enum need_kind resolve_need(struct plan_reader *reader, const struct json *need, int stamp,
                                   int *out)
{
    const char *id = json_text(need, NULL);
    if (!id)
        return NEED_NOT_TEXT;
    int task = plan_find(reader->plan, id);
    if (task < 0)
        return NEED_UNKNOWN;
    if (task == reader->task)
        return NEED_ITSELF;
    if (reader->named[task] == stamp)
        return NEED_AGAIN;
    reader->named[task] = stamp;
    *out = task;
    return NEED_OK;
}

/* Before its steps are read, wherever the key stands. */
static void take_workspace(struct plan_reader *reader, const struct json *value)
{
    struct plan_task *task = current(reader);
    task->workspace = &reader->plan->workspace;
    if (!value)
        return;
    task->own_workspace = xcalloc(1, sizeof(*task->own_workspace));
    plan_workspace_load(reader, value, &reader->plan->workspace, task->own_workspace);
    task->workspace = task->own_workspace;
}

static void take_needs(struct plan_reader *reader, const struct json *needs)
{
    struct plan_task *task = current(reader);
    bool is_list = json_kind(needs) == JSON_KIND_ARRAY;
    size_t count = is_list ? json_count(needs) : 0;
    if (count > PLAN_NEEDS_MAX)
        return;
    task->needs = xcalloc(count, sizeof(*task->needs));
    for (size_t i = 0; i < count; i++) {
        int number;
        if (resolve_need(reader, json_at(needs, i), reader->task + 1, &number) == NEED_OK)
            task->needs[task->need_count++] = number;
    }
}

void plan_tasks_prepare(struct plan_reader *reader, const struct json *tasks)
{
    struct plan *plan = reader->plan;
    size_t count = json_count(tasks);
    if (json_kind(tasks) != JSON_KIND_ARRAY || count > PLAN_TASKS_MAX)
        return;

    plan->tasks = xcalloc(count, sizeof(*plan->tasks));
    plan->task_count = (int)count;
    reader->named = xcalloc(count, sizeof(*reader->named));
    for (size_t i = 0; i < count; i++) {
        const char *id = json_text(json_get(json_at(tasks, i), "id"), NULL);
        plan->tasks[i].rounds = plan_agent_rounds(json_at(tasks, i));
        if (id)
            plan->tasks[i].id = xstrdup(id);
    }
    plan_index_ids(plan);
    reader->ids_differ = plan_ids_differ(plan);
    for (reader->task = 0; reader->task < plan->task_count; reader->task++) {
        const struct json *task = json_at(tasks, (size_t)reader->task);
        take_needs(reader, json_get(task, "needs"));
        take_workspace(reader, json_get(task, "workspace"));
    }
    plan_link_dependents(plan);
    plan_cycles_init(&reader->cycles, plan);
}

static void check_id(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value)
{
    if (reader->ids_differ)
        return;
    const char *id = json_text(value, NULL);
    int first = id ? plan_find(reader->plan, id) : reader->task;
    if (first == reader->task)
        return;

    struct str message = {0};
    str_addf(&message, "the id \"%s\" is taken by /tasks/%d", id, first);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void read_title(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    plan_reader_text(reader, path, value, &current(reader)->title);
}

static const char *nearest_id(const struct plan *plan, const char *id)
{
    struct near_word near = near_word_new(id);
    for (int i = 0; i < plan->by_id_count && plan->by_id_count <= NEAREST_TASKS_MAX; i++)
        near_word_offer(&near, plan->by_id[i].id);
    return near.nearest;
}

static void complain_unknown_need(struct plan_reader *reader, const struct json_pointer *path,
                                  const char *id)
{
    struct str message = {0};
    const char *nearest = plan_reader_is_full(reader) ? NULL : nearest_id(reader->plan, id);
    str_add(&message, "no task has the id ");
    str_add_json(&message, id, strlen(id));
    if (nearest)
        str_addf(&message, ", did you mean \"%s\"?", nearest);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void check_need(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *need)
{
    int number;
    /* Other stamps than in take_needs(), where the same list was looked at before. */
    switch (resolve_need(reader, need, -reader->task - 1, &number)) {
    case NEED_OK:
    case NEED_NOT_TEXT:
        break;
    case NEED_UNKNOWN:
        complain_unknown_need(reader, path, json_text(need, ""));
        break;
    case NEED_ITSELF:
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "a task cannot need itself", NULL,
                        NULL);
        break;
    case NEED_AGAIN:
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "is needed twice", NULL, NULL);
        break;
    }
}

static void read_needs(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    if (json_kind(value) != JSON_KIND_ARRAY || json_count(value) > PLAN_NEEDS_MAX)
        return;

    for (size_t i = 0; i < json_count(value); i++) {
        struct json_pointer place = {.up = path, .index = i};
        check_need(reader, &place, json_at(value, i));
    }
    if (!reader->cycles.starts[reader->task])
        return;

    struct str message = {0};
    str_add(&message, "tasks need each other in a circle: ");
    plan_cycles_name(&reader->cycles, reader->plan, reader->task, &message);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void check_workspace(struct plan_reader *reader, const struct json_pointer *path,
                            const struct json *value)
{
    struct workspace_spec scratch; /* take_workspace() has taken it */
    plan_workspace_read(reader, path, value, &reader->plan->workspace, &scratch);
    workspace_spec_done(&scratch);
}

static void read_budget(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    (void)path;
    plan_budget_take(value, &current(reader)->budget);
}

static const struct plan_field task_rows[] = {
    {"id", check_id},           {"title", read_title},
    {"needs", read_needs},      {"workspace", check_workspace},
    {"steps", plan_steps_read}, {"budget", read_budget},
};
static const struct plan_fields task_fields = {task_rows, ARRAY_LEN(task_rows)};

static void read_task(struct plan_reader *reader, const struct json_pointer *place,
                      const struct json *value)
{
    plan_reader_walk(reader, place, value, &task_fields);
    plan_agent_check_task(reader, place, value);
    if (!current(reader)->title && current(reader)->id)
        current(reader)->title = xstrdup(current(reader)->id);
}

void plan_tasks_read(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value)
{
    for (int i = 0; i < reader->plan->task_count; i++) {
        struct json_pointer place = {.up = path, .index = (size_t)i};
        reader->task = i;
        read_task(reader, &place, json_at(value, place.index));
    }
}

void plan_task_read_added(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *task)
{
    struct json_pointer place = {.up = path, .index = 0};
    take_workspace(reader, NULL);
    read_task(reader, &place, task);
}
