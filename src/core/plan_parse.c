#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "near_word.h"
#include "plan_kind.h"
#include "plan_policy.h"
#include "plan_reader.h"
#include "plan_step.h"
#include "str.h"
#include "xalloc.h"

enum {
    PLAN_VERSION = 1,
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

/* What has to be known before the walk, so that the walk can complain in the order
 * of the document: ids, needs, circles. Nothing is complained about here. */
static void prepare_tasks(struct plan_reader *reader, const struct json *tasks)
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
        if (id && plan_id_is_valid(id))
            plan->tasks[i].id = xstrdup(id);
    }
    plan_index_ids(plan);
    for (reader->task = 0; reader->task < plan->task_count; reader->task++)
        take_needs(reader, json_get(json_at(tasks, (size_t)reader->task), "needs"));
    plan_link_dependents(plan);
    plan_cycles_init(&reader->cycles, plan);
}

static void read_id(struct plan_reader *reader, const struct plan_path *path,
                    const struct json *value)
{
    const char *id = current(reader)->id;
    if (json_kind(value) != JSON_KIND_STRING) {
        plan_reader_wrong_type(reader, path, "string", value);
        return;
    }
    if (!id) {
        plan_reader_invalid(reader, path, "not an id",
                            "1 to 64 letters, digits, '.', '_' or '-', a letter or digit first",
                            value);
        return;
    }
    int first = plan_find(reader->plan, id);
    if (first == reader->task)
        return;

    struct str message = {0};
    str_addf(&message, "the id \"%s\" is taken by tasks[%d]", id, first);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void read_title(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value)
{
    const char *title = plan_reader_text(reader, path, value, PLAN_TITLE_MAX);
    if (title)
        current(reader)->title = xstrdup(title);
}

static const char *nearest_id(const struct plan *plan, const char *id)
{
    struct near_word near = near_word_new(id);
    for (int i = 0; i < plan->by_id_count && plan->by_id_count <= NEAREST_TASKS_MAX; i++)
        near_word_offer(&near, plan->by_id[i].id);
    return near.nearest;
}

static void complain_unknown_need(struct plan_reader *reader, const struct plan_path *path,
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

static void check_need(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *need)
{
    int number;
    /* Other stamps than in take_needs(), where the same list was looked at before. */
    switch (resolve_need(reader, need, -reader->task - 1, &number)) {
    case NEED_OK:
        break;
    case NEED_NOT_TEXT:
        plan_reader_wrong_type(reader, path, "string", need);
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

static void read_needs(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value)
{
    struct plan_range range = {0, PLAN_NEEDS_MAX};
    if (!plan_reader_array(reader, path, value, range))
        return;

    for (size_t i = 0; i < json_count(value); i++) {
        struct plan_path place = {.up = path, .index = i};
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

static const struct plan_field task_rows[] = {
    {"id", read_id, "string"},
    {"title", read_title, NULL},
    {"needs", read_needs, NULL},
    {"steps", plan_steps_read, "array"},
    {"rounds", plan_agent_word_read, NULL},
};
static const struct plan_fields task_fields = {task_rows, ARRAY_LEN(task_rows)};

static void read_tasks(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value)
{
    struct plan_range range = {1, PLAN_TASKS_MAX};
    if (!plan_reader_array(reader, path, value, range))
        return;

    for (size_t i = 0; i < json_count(value); i++) {
        struct plan_path place = {.up = path, .index = i};
        reader->task = (int)i;
        (void)plan_reader_object(reader, &place, json_at(value, i), &task_fields); /* complains */
        if (!current(reader)->title && current(reader)->id)
            current(reader)->title = xstrdup(current(reader)->id);
    }
}

static void read_version(struct plan_reader *reader, const struct plan_path *path,
                         const struct json *value)
{
    if (json_kind(value) != JSON_KIND_INTEGER)
        plan_reader_wrong_type(reader, path, "integer", value);
    else if (json_i64(value, 0) != PLAN_VERSION)
        plan_reader_invalid(reader, path, "unknown version of the plan format", "1", value);
}

static void read_name(struct plan_reader *reader, const struct plan_path *path,
                      const struct json *value)
{
    const char *name = plan_reader_text(reader, path, value, PLAN_TITLE_MAX);
    if (name)
        reader->plan->name = xstrdup(name);
}

static void read_jobs(struct plan_reader *reader, const struct plan_path *path,
                      const struct json *value)
{
    static const struct plan_range range = {1, PLAN_JOBS_MAX};
    int64_t jobs;
    if (plan_reader_i64(reader, path, value, range, &jobs))
        reader->plan->jobs = (int)jobs;
}

static void read_idempotent(struct plan_reader *reader, const struct plan_path *path,
                            const struct json *value)
{
    bool idempotent;
    (void)plan_reader_bool(reader, path, value, &idempotent); /* prepare() has taken it */
}

static void check_policy(struct plan_reader *reader, const struct plan_path *path,
                         const struct json *value)
{
    struct policy scratch; /* load_policy() has taken it */
    if (json_kind(value) == JSON_KIND_OBJECT)
        plan_policy_read_own(reader, path, value, policy_named("sandbox"), &scratch);
    else
        (void)plan_policy_by_name(reader, path, value); /* has complained */
}

/* Only devs itself writes these: what devs.config.json said when the run began. */
static void check_settings(struct plan_reader *reader, const struct plan_path *path,
                           const struct json *value)
{
    static const struct plan_field rows[] = {{"policies", plan_policies_check, NULL}};
    static const struct plan_fields fields = {rows, ARRAY_LEN(rows)};
    struct policy_list all = reader->policies;
    reader->policies.count = reader->plan->setting_count;
    reader->policies.inner = 0;
    reader->builtin_may_change = true;
    (void)plan_reader_object(reader, path, value, &fields); /* has complained */
    reader->builtin_may_change = false;
    reader->policies = all;
}

static const struct plan_field plan_rows[] = {
    {"version", read_version, "1"},
    {"name", read_name, NULL},
    {"jobs", read_jobs, NULL},
    {"idempotent", read_idempotent, NULL},
    {"workspace", plan_workspace_read, NULL},
    {"sandbox", plan_sandbox_read, NULL},
    {"settings", check_settings, NULL},
    {"policies", plan_policies_check, NULL},
    {"policy", check_policy, NULL},
    {"tasks", read_tasks, "array"},
};
static const struct plan_fields plan_fields = {plan_rows, ARRAY_LEN(plan_rows)};

/* The policies of the settings: those that the document brings along, else those given. */
static void load_settings(struct plan_reader *reader, const struct json *value,
                          const struct settings *settings)
{
    struct policy_list *list = &reader->policies;
    if (value) {
        reader->builtin_may_change = true;
        plan_policies_load(reader, json_get(value, "policies"));
        reader->builtin_may_change = false;
    } else if (settings) {
        plan_take_settings(reader->plan, settings);
        list->count = reader->plan->policy_count;
    }
    reader->plan->setting_count = list->count;
}

/* What steps get that name no policy. What is wrong is said when the walk is there. */
static void load_policy(struct plan_reader *reader, const struct json *value)
{
    static const struct plan_path nowhere = {0};
    struct plan *plan = reader->plan;
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    plan->policy = policy_list_find(&reader->policies, "sandbox");
    reader->violations = &unsaid;
    if (json_kind(value) == JSON_KIND_OBJECT) {
        plan->own_policy = xcalloc(1, sizeof(*plan->own_policy));
        plan_policy_read_own(reader, &nowhere, value, plan->policy, plan->own_policy);
        plan->policy = plan->own_policy;
    } else if (value) {
        const struct policy *named = plan_policy_by_name(reader, &nowhere, value);
        plan->policy = named ? named : plan->policy;
    }
    reader->violations = said;
    reader->default_is_sound = unsaid.count == 0;
    violations_done(&unsaid);
}

static void load_policies(struct plan_reader *reader, const struct json *root,
                          const struct settings *settings)
{
    struct plan *plan = reader->plan;
    /* Steps point into this array, so it is as large as it may get from the start. */
    plan->policies = xcalloc(PLAN_POLICY_ROOM, sizeof(*plan->policies));
    plan->loops = entropy_limits_new();
    reader->policies.items = plan->policies;
    load_settings(reader, json_get(root, "settings"), settings);
    plan_policies_load(reader, json_get(root, "policies"));
    plan->policy_count = reader->policies.count;
    load_policy(reader, json_get(root, "policy"));
}

static void prepare(struct plan_reader *reader, const struct json *root,
                    const struct settings *settings)
{
    /* If it is no boolean, one complaint is enough: its steps need none. */
    const struct json *idempotent = json_get(root, "idempotent");
    reader->plan->idempotent = json_bool(idempotent, idempotent);
    load_policies(reader, root, settings);
    prepare_tasks(reader, json_get(root, "tasks"));
}

static void read_root(struct plan_reader *reader, const struct json *root,
                      const struct settings *settings)
{
    static const struct plan_path path = {0};
    if (json_kind(root) != JSON_KIND_OBJECT) {
        plan_reader_add(reader, VIOLATION_NOT_OBJECT, &path, "a plan is an object", "object",
                        json_kind_name(root));
        return;
    }
    prepare(reader, root, settings);
    (void)plan_reader_object(reader, &path, root, &plan_fields); /* it is an object */
    if (!reader->plan->name)
        reader->plan->name = xstrdup("plan");
}

bool plan_parse_with(const char *text, size_t len, const struct settings *settings,
                     struct plan **out, struct violations *violations)
{
    size_t before = violations->count + violations->dropped;
    struct json *root = plan_reader_json(text, len, PLAN_BYTES_MAX, violations);
    if (!root)
        return false;

    struct plan_reader reader = {.violations = violations};
    reader.plan = xcalloc(1, sizeof(*reader.plan));
    read_root(&reader, root, settings);
    json_free(root);
    free(reader.named);
    plan_cycles_done(&reader.cycles);

    bool ok = violations->count + violations->dropped == before;
    if (ok)
        *out = reader.plan;
    else
        plan_free(reader.plan);
    return ok;
}

bool plan_parse(const char *text, size_t len, struct plan **out, struct violations *violations)
{
    return plan_parse_with(text, len, NULL, out, violations);
}
