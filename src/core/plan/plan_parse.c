/* Reads a plan from JSON, and the tasks that are added to a growing plan. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "err.h"
#include "json_pointer.h"
#include "plan.h"
#include "plan_internal.h"
#include "str.h"
#include "xalloc.h"

/* The document: checks the schema, then conditions that a schema cannot express. */

struct plan_step *plan_reader_step(const struct field_reader *reader)
{
    return &reader->doc->plan->tasks[reader->doc->task].steps[reader->doc->step];
}

struct json *plan_reader_json(const char *text, size_t len, size_t max_bytes,
                              struct violations *violations)
{
    struct json *root = NULL;
    struct json_place place = {0};
    struct err err = {0};
    struct str message = {0};
    if (len > max_bytes) {
        str_addf(&message, "at most %zu MiB", max_bytes / (1024 * 1024));
        violations_add(violations, VIOLATION_INVALID_VALUE, "", "too large", str_text(&message),
                       "more");
    } else if (!json_parse_data(text, len, &root, &place, &err)) {
        str_addf(&message, "line %d, column %d: %s", place.line, place.column, err.message);
        violations_add(violations, VIOLATION_NOT_JSON, "", str_text(&message), NULL, NULL);
    }
    str_done(&message);
    return root;
}

/* Reports strings with U+0000. Recurses as deep as the parser allows. */
static void check_strings(const struct json_pointer *path, const struct json *value,
                          struct violations *wrong)
{
    size_t len = 0;
    const char *text = json_bytes(value, &len);
    if (text && strlen(text) != len) {
        struct str place = {0};
        json_pointer_add(&place, path, FIELD_POINTER_MAX);
        violations_add(wrong, VIOLATION_INVALID_VALUE, str_text(&place),
                       "U+0000 is not allowed in a string", NULL, NULL);
        str_done(&place);
    }

    struct json_pointer place = {.up = path};
    void *iter = NULL;
    const struct json *member;
    while (json_next(value, &iter, &place.key, &member)) {
        /* Contracts begin at these keys; the name of a contract is an ordinary string. */
        const bool is_contract =
            json_kind(member) == JSON_KIND_OBJECT &&
            (strcmp(place.key, "contract") == 0 || strcmp(place.key, "contracts") == 0);
        if (!field_is_comment(place.key) && !is_contract)
            check_strings(&place, member, wrong);
    }
    place.key = NULL;
    const size_t elements = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    for (; place.index < elements; place.index++)
        check_strings(&place, json_at(value, place.index), wrong);
}

static bool check_all_strings(const struct json *root, struct violations *wrong)
{
    static const struct json_pointer path = {0};
    struct violations of_strings = {0};
    check_strings(&path, root, &of_strings);
    const bool fits = of_strings.count == 0;
    violations_merge(wrong, &of_strings, root);
    return fits;
}

bool plan_shape_check(const struct contract *schema, const struct json *root,
                      struct violations *wrong)
{
    const bool fits = contract_check(schema, root, wrong);
    return check_all_strings(root, wrong) && fits;
}

/* Returns true if a string may contain U+0000, which can be written in only one way. */
static bool may_have_nul(const char *text, size_t len)
{
    static const char nul[] = "\\u0000";
    const char *end = text + len;
    const char *at = memchr(text, nul[0], len);
    while (at && (size_t)(end - at) >= strlen(nul)) {
        if (memcmp(at, nul, strlen(nul)) == 0)
            return true;
        at = memchr(at + 1, nul[0], (size_t)(end - at) - 1);
    }
    return false;
}

static void read_grows(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    struct plan *plan = reader->doc->plan;
    (void)path;
    plan->grows = json_bool(value, false);
    if (!plan->grows)
        return;
    workspace_spec_done(&plan->workspace); /* in place, whatever the settings are: see plan.h */
    plan->said &= ~(unsigned)PLAN_SAYS_WORKSPACE;
}

static void check_policy(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    struct policy scratch; /* discarded: load_policy() has read the policy */
    if (json_kind(value) == JSON_KIND_OBJECT)
        plan_policy_read_own(reader, path, value, policy_named(POLICY_DEFAULT), &scratch);
    else
        (void)plan_policy_by_name(reader, path, value); /* only to report errors */
}

/* Checks "settings", which only devs itself writes: the values of devs.config.json when the run
 * began. */
static void check_settings(struct field_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    static const struct field rows[] = {{.key = "policies", .read = plan_policies_check}};
    static const struct fields fields = FIELDS(rows);
    struct policy_list all = reader->doc->policies;
    reader->doc->policies.count = reader->doc->plan->setting_count;
    reader->doc->policies.inner = 0;
    reader->doc->builtin_may_change = true;
    fields_read(reader, path, value, &fields, NULL);
    reader->doc->builtin_may_change = false;
    reader->doc->policies = all;
}

const char *plan_after_name(enum plan_after after)
{
    static const char *const names[] = {[AFTER_KEPT] = "kept", [AFTER_FAILED] = "failed"};
    static_assert(ARRAY_LEN(names) == AFTER_COUNT, "every end has a name");
    return names[after];
}

#define COMMAND(key, after, words)                                                                 \
    {                                                                                              \
        key, FIELD_LIST, (after) * sizeof(char **), 1, PLAN_ARGS_MAX, 1, PLAN_TEXT_MAX,            \
            .means = (words)                                                                       \
    }
static const struct field after_rows[] = {
    COMMAND("kept", AFTER_KEPT, "follows each task that has passed, when its result is kept"),
    COMMAND("failed", AFTER_FAILED, "follows each task that gave up, is stuck or needs a person"),
};
#undef COMMAND
const struct fields plan_after_fields = FIELDS(after_rows);

#define AT(member) offsetof(struct plan, member)
static const struct field plan_rows[] = {
    {"$schema", FIELD_OTHER, .values = "text", .means = "location of this schema, for editors"},
    {"version", FIELD_OTHER, .values = "`1`", .means = "the version of the format: 1",
     .see = "; required"},
    {"name", FIELD_TEXT, AT(name), 1, PLAN_TITLE_MAX,
     .means = "the name shown on screens; default \"plan\""},
    {"jobs", FIELD_INT, AT(jobs), 1, PLAN_JOBS_MAX,
     .means = "maximum number of tasks that run in parallel; the command line takes precedence"},
    {"grows", FIELD_BOOL, .elsewhere = true, .read = read_grows,
     .means = "only in the copy of the plan in the log: tasks were added during the run",
     .see = "; see [A run that grows](#a-run-that-grows)"},
    {"idempotent", FIELD_BOOL, .elsewhere = true,
     .means = "default for all steps: running a step again in place does no harm",
     .see = "; see [Trying again in place](#trying-again-in-place)"},
    {"workspace", FIELD_OTHER, .read = plan_surroundings_check_workspace, .ref = "workspace",
     .values = "a kind, or an object", .means = "where tasks work",
     .see = "; see [Where tasks work](#where-tasks-work)"},
    {"sandbox", FIELD_OTHER, .read = plan_surroundings_check_sandbox, .ref = "sandbox",
     .values = "a kind, or an object", .means = "how steps are isolated from the machine",
     .see = "; see [Sandboxes](#sandboxes)"},
    {"limits", FIELD_OBJECT, AT(limits), .members = &plan_limits_fields, .ref = "limits",
     .means = "limits of each attempt",
     .see = "; see [Limits and the terminal](#limits-and-the-terminal)"},
    {"on_hangup", FIELD_WORD, AT(on_hangup), .most = PLAN_HANGUP_COUNT, .word = plan_hangup_word,
     .means = PLAN_HANGUP_MEANS,
     .see = "; see [Limits and the terminal](#limits-and-the-terminal)"},
    {"agents", FIELD_OTHER, .ref = "agents", .values = "object",
     .means = "agents defined by this plan, by name; they take precedence over the agents of "
              "`devs.config.json` and the built-in ones",
     .see = "; see [agents.md](agents.md)"},
    {"policies", FIELD_OTHER, .read = plan_policies_check, .ref = "policies",
     .values = "object, at most 64", .means = "policies defined by this plan, by name",
     .see = "; see [A policy](#a-policy)"},
    {"policy", FIELD_OTHER, .read = check_policy, .ref = "ownPolicy", .values = "name or object",
     .means = "the policy of steps that do not set one; default `default`"},
    {"loops", FIELD_OTHER, .ref = "loops", .values = "`strict`, `normal`, `off`, or an object",
     .means = "how many repeats count as a loop", .see = "; see [Loops](#loops)"},
    {"executors", FIELD_OTHER, .ref = "executors", .values = "object, at most 32",
     .means = "other machines on which tasks can run, by name; experimental",
     .see = "; see [Other machines](#other-machines)"},
    {"executor", FIELD_TEXT, .least = 1, .most = PLAN_EXECUTOR_NAME_MAX, .elsewhere = true,
     .read = plan_executor_check, .values = "name",
     .means = "the executor of tasks that do not set one; default `local`, which is this machine"},
    {"budget", FIELD_OBJECT, AT(budget), .members = &plan_budget_fields, .ref = "budget",
     .means = "how much all agents of the run may use together",
     .see = "; see [Budgets](agents.md#budgets)"},
    {"after", FIELD_OBJECT, AT(after), .members = &plan_after_fields, .ref = "after",
     .means = "commands that follow the ends of tasks", .see = "; see [Afterwards](#afterwards)"},
    {"contracts", FIELD_OTHER, .values = "object", .means = "named contracts that steps can share",
     .see = "; see [Structured output](#structured-output)"},
    {"settings", FIELD_OTHER, .read = check_settings, .values = "object",
     .means = "only in the copy of the plan in the log: the policies that the settings defined at "
              "that time",
     .see = "; see [Settings for all plans](#settings-for-all-plans)"},
    {"tasks", FIELD_OTHER, .read = plan_tasks_read, .values = "array, 1 to 100,000",
     .means = "units of work, which may need each other", .see = "; required"},
};
const struct fields plan_root_fields = FIELDS(plan_rows);
#undef AT

/* Loads the policy of steps that name none. The walk reports its errors. */
static void load_policy(struct field_reader *reader, const struct json *value)
{
    static const struct json_pointer root = {0};
    static const struct json_pointer place = {.up = &root, .key = "policy"};
    struct plan *plan = reader->doc->plan;
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    plan->policy = policy_list_find(&reader->doc->policies, POLICY_DEFAULT);
    reader->violations = &unsaid;
    if (json_kind(value) == JSON_KIND_OBJECT) {
        plan->own_policy = xcalloc(1, sizeof(*plan->own_policy));
        plan_policy_read_own(reader, &place, value, plan->policy, plan->own_policy);
        plan->policy = plan->own_policy;
    } else if (value) {
        const struct policy *named = plan_policy_by_name(reader, &place, value);
        plan->policy = named ? named : plan->policy;
    }
    reader->violations = said;
    reader->doc->default_is_sound = unsaid.count == 0 && field_reader_is_sound(reader, &place);
    violations_done(&unsaid);
}

/* Loads the policies of the settings and the plan. The document's "settings", if any, replace the
 * given settings. */
static void load_policies(struct field_reader *reader, const struct json *root,
                          const struct settings *settings)
{
    struct plan *plan = reader->doc->plan;
    const struct json *kept = json_get(root, "settings");
    /* Steps point into this array, so it has its final size from the start. */
    plan->policies = xcalloc(PLAN_POLICY_ROOM, sizeof(*plan->policies));
    reader->doc->policies.items = plan->policies;
    if (kept) {
        reader->doc->builtin_may_change = true;
        plan_policies_load(reader, json_get(kept, "policies"));
        reader->doc->builtin_may_change = false;
        plan->setting_count = reader->doc->policies.count;
        plan->has_settings = true;
    } else if (settings) {
        plan_take_settings(plan, settings);
        reader->doc->policies.count = plan->policy_count;
    }
    plan_policies_load(reader, json_get(root, "policies"));
    plan->policy_count = reader->doc->policies.count;
    load_policy(reader, json_get(root, "policy"));
}

/* Checks the shape, loads the values that the walk needs, then walks the document to check the
 * meaning. All errors are in document order. */
static struct plan *read_document(const struct json *root, const char *text, size_t len,
                                  const struct plan_context *context, struct violations *wrong)
{
    static const struct json_pointer path = {0};
    struct violations meaning = {0};
    struct violations contracts = {0};
    struct violations agents = {0};
    struct violations executors = {0};
    struct plan *plan = xcalloc(1, sizeof(*plan));
    struct plan_reading doc = {.plan = plan,
                               .contract_violations = &contracts,
                               .agent_violations = &agents,
                               .executor_violations = &executors,
                               .files = context->files};
    struct field_reader reader = {.shape = wrong, .violations = &meaning, .doc = &doc};

    /* The text limits the number of values, and usually shows that no string contains U+0000, which
     * saves a walk. */
    bool is_formed = contract_check_read(plan_schema(), root, len, wrong);
    if (may_have_nul(text, len))
        is_formed = check_all_strings(root, wrong) && is_formed;

    /* If this is not a boolean, reports only that: assumes that all steps are idempotent. */
    const struct json *idempotent = json_get(root, "idempotent");
    plan->idempotent = json_bool(idempotent, idempotent);
    plan_surroundings_init(plan);
    load_policies(&reader, root, context->settings);
    plan_surroundings_load(&reader, root);
    plan_contracts_load(&reader, json_get(root, "contracts"));
    /* A plan from a log already contains the agents and executors of the settings that it needs. */
    if (!json_get(root, "settings"))
        doc.settings = context->settings;
    plan_agents_load(&reader, json_get(root, "agents"), doc.settings ? doc.settings->agents : NULL);
    plan_executors_load(&reader, json_get(root, "executors"), json_get(root, "executor"));
    /* The schema has reported errors. */
    if (entropy_limits_read(&plan->loops, json_get(root, "loops"), NULL))
        plan->has_loops = true;
    plan_tasks_prepare(&reader, json_get(root, "tasks"));

    fields_read(&reader, &path, root, &plan_root_fields, plan);
    if (!plan->name)
        plan->name = xstrdup("plan");
    free(doc.named);
    workspace_spec_done(&doc.base_workspace);
    sandbox_spec_done(&doc.base_sandbox);
    plan_cycles_done(&doc.cycles);

    bool ok = is_formed && meaning.count == 0 && contracts.count == 0 && agents.count == 0 &&
              executors.count == 0;
    violations_merge(wrong, &meaning, root);
    violations_merge(wrong, &contracts, root);
    violations_merge(wrong, &agents, root);
    violations_merge(wrong, &executors, root);
    if (ok)
        return plan;
    plan_free(plan);
    return NULL;
}

bool plan_parse_with(const char *text, size_t len, const struct plan_context *context,
                     struct plan **out, struct violations *violations)
{
    struct json *root = plan_reader_json(text, len, PLAN_BYTES_MAX, violations);
    if (!root)
        return false;
    struct violations wrong = {0};
    struct plan *plan = read_document(root, text, len, context, &wrong);
    violations_merge(violations, &wrong, NULL);
    json_free(root);
    if (plan)
        *out = plan;
    return plan;
}

bool plan_parse(const char *text, size_t len, struct plan **out, struct violations *violations)
{
    static const struct plan_context nothing = {0};
    return plan_parse_with(text, len, &nothing, out, violations);
}

/*
 * Growing plans. plan.h has the rules.
 */

bool plan_is_whole(const struct plan *plan, struct violations *violations)
{
    if (plan->grows)
        violations_add(violations, VIOLATION_INVALID_VALUE, "/grows",
                       "only devs itself can start a run whose tasks are added later", NULL, NULL);
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

/* Returns the first key that an added task may not have, or NULL. */
static const char *find_unwanted(const struct json *task)
{
    static const char *const of_task[] = {"needs",  "workspace", "rounds",
                                          "budget", "executor",  "resources"};
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

/* Inserts the name after all ids that are not greater. */
static void add_name(struct plan *plan, const char *id, int task)
{
    int at = plan->by_id_count;
    plan->by_id = xgrow(plan->by_id, &plan->by_id_cap, (size_t)at + 1, sizeof(*plan->by_id));
    int low = 0;
    int high = at;
    if (at > 0 && strcmp(plan->by_id[at - 1].id, id) < 0)
        low = at; /* ids usually arrive in order */
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

void plan_shrink(struct plan *plan)
{
    assert(plan->base && plan->task_count > 0);
    const int task = plan->task_count - 1;
    int at = plan->by_id_count - 1;
    while (at >= 0 && plan->by_id[at].task != task)
        at--;
    if (at >= 0) {
        plan->by_id_count--;
        memmove(&plan->by_id[at], &plan->by_id[at + 1],
                (size_t)(plan->by_id_count - at) * sizeof(*plan->by_id));
    }
    plan->step_count -= plan->tasks[task].step_count;
    plan_free_task(&plan->tasks[task]);
    plan->task_count--;
}

/* Sets *err to the first violation. Returns false. */
static bool report_first_error(const struct violations *wrong, struct err *err)
{
    const struct violation *first = &wrong->items[0];
    return err_set(err, ERR_INVALID, "%s: %s", first->path, first->message);
}

/* Reads the task as plan_parse() would, with the plan's policies. */
static bool grow_plan(struct plan *plan, const struct json *root, const struct violations *shape,
                      struct err *err)
{
    static const struct json_pointer root_path = {0};
    const struct json_pointer path = {.up = &root_path, .key = "tasks"};
    const struct json *task = json_at(json_get(root, "tasks"), 0);
    const char *id = json_text(json_get(task, "id"), "");
    const char *unwanted = find_unwanted(task);
    if (unwanted)
        return err_set(err, ERR_INVALID, "an added task must not have \"%s\"", unwanted);
    if (plan_find(plan, id) >= 0)
        return err_set(err, ERR_INVALID, "the id \"%s\" is taken", id);

    const int number = plan->task_count;
    const int source_count = plan->source_count;
    plan->tasks = xgrow(plan->tasks, &plan->task_cap, (size_t)number + 1, sizeof(*plan->tasks));
    plan->tasks[number] = (struct plan_task){.id = xstrdup(id), .rounds = 1, .executor = -1};
    plan->task_count++;
    add_name(plan, plan->tasks[number].id, number);

    struct violations wrong = {0};
    struct plan_reading doc = {
        .plan = plan,
        .contract_violations = &wrong,
        .agent_violations = &wrong,
        .policies = {.items = plan->policies,
                     .count = plan->policy_count,
                     .inner = plan->setting_count},
        .task = number,
        .default_is_sound = true,
    };
    struct field_reader reader = {.shape = shape, .violations = &wrong, .doc = &doc};
    plan_task_read_added(&reader, &path, task);
    bool ok = wrong.count == 0 || report_first_error(&wrong, err);
    if (!ok) {
        plan_shrink(plan);
        while (plan->source_count > source_count) {
            free(plan->sources[--plan->source_count]);
            plan->sources[plan->source_count] = NULL;
        }
    }
    violations_done(&wrong);
    return ok;
}

bool plan_grow(struct plan *plan, const char *task_json, size_t len, struct err *err)
{
    assert(plan->base);
    if (plan->task_count == PLAN_TASKS_MAX)
        return err_set(err, ERR_LIMIT, "a run can have at most %d tasks", PLAN_TASKS_MAX);

    /* Puts the task into a document of its own, for the schema. */
    struct str text = {0};
    struct violations wrong = {0};
    str_add(&text, "{\"version\":1,\"tasks\":[");
    str_add_n(&text, task_json, len);
    str_add(&text, "]}");
    struct json *root = plan_reader_json(str_text(&text), text.len, PLAN_BYTES_MAX, &wrong);
    str_done(&text);

    bool ok = root && json_count(json_get(root, "tasks")) == 1 &&
              plan_shape_check(plan_schema(), root, &wrong);
    if (ok)
        ok = grow_plan(plan, root, &wrong, err);
    else if (wrong.count > 0)
        (void)report_first_error(&wrong, err);
    else
        (void)err_set(err, ERR_INVALID, "expected exactly one task");
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
