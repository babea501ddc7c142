/* The keys of a plan for agents and for the contracts of their output. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "adapter.h"
#include "agent_stream.h"
#include "attr.h"
#include "err.h"
#include "plan.h"
#include "plan_internal.h"
#include "policy.h"
#include "rounded.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

/*
 * Output contracts: JSON Schemas within a step, named in the plan, or in a file. Each is compiled
 * once, however many steps use it.
 */

/* Finds a contract by its name or, if `name` is NULL, one within a step by its text. */
static struct plan_contract *find_contract(const struct plan *plan, const char *name,
                                           const char *text)
{
    for (int i = 0; i < plan->contract_count; i++) {
        struct plan_contract *contract = plan->contracts[i];
        const bool is_it = name ? contract->name && strcmp(contract->name, name) == 0
                                : !contract->name && strcmp(contract->text, text) == 0;
        if (is_it)
            return contract;
    }
    return NULL;
}

/* Adds a contract without a schema. Reports an error and returns NULL if there are too many. */
static struct plan_contract *add_contract(struct field_reader *reader,
                                          const struct json_pointer *path, const char *name)
{
    struct plan *plan = reader->doc->plan;
    if (plan->contract_count == PLAN_CONTRACTS_MAX) {
        field_reader_add(
            reader, VIOLATION_INVALID_VALUE, path,
            "too many contracts in one plan; use named contracts, which steps can share",
            "at most 1000", "more");
        return NULL;
    }
    if (!plan->contracts)
        plan->contracts = xcalloc(PLAN_CONTRACTS_MAX, sizeof(struct plan_contract *));
    struct plan_contract *contract = xcalloc(1, sizeof(*contract));
    contract->name = name ? xstrdup(name) : NULL;
    plan->contracts[plan->contract_count++] = contract;
    return contract;
}

/* Reports the errors of a schema at `path` or, if `file` is not NULL, in that file. */
static void complain_of_schema(struct field_reader *reader, const struct json_pointer *path,
                               const char *file, const struct violations *wrong)
{
    struct str base = {0};
    json_pointer_add(&base, path, FIELD_POINTER_MAX);
    for (size_t i = 0; i < wrong->count; i++) {
        const struct violation *v = &wrong->items[i];
        struct str place = {0};
        struct str message = {0};
        str_add(&place, str_text(&base));
        if (file)
            str_addf(&message, "in '%s'%s%s: ", file, *v->path ? " at " : "", v->path);
        else
            str_add(&place, v->path);
        str_add(&message, v->message);
        violations_add(reader->violations, v->code, str_text(&place), str_text(&message),
                       v->expected, v->actual);
        str_done(&place);
        str_done(&message);
    }
    reader->violations->dropped += wrong->dropped;
    str_done(&base);
}

/* Compiles the schema, which takes time and memory. After an error, the contract has no schema. */
static void make_contract(struct field_reader *reader, const struct json_pointer *path,
                          struct plan_contract *contract, const struct json *schema,
                          const char *file)
{
    struct str text = {0};
    json_write(&text, schema);
    contract->text = text.data;
    if (reader->doc->contracts_full || field_reader_is_full(reader))
        return; /* the plan is rejected anyway */
    if (text.len > CONTRACT_BYTES_MAX) {
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path, "the contract is too large",
                         "at most 1 MiB", "more");
        return;
    }
    reader->doc->contract_bytes += text.len;
    if (reader->doc->contract_bytes > PLAN_CONTRACT_BYTES_MAX) {
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "the contracts of the plan are too large in total", "at most 16 MiB",
                         "more");
        reader->doc->contracts_full = true;
        return;
    }

    struct violations wrong = {0};
    if (contract_load_json(schema, &contract->schema, &wrong)) {
        reader->doc->contract_schemas += contract_schema_count(contract->schema);
        if (reader->doc->contract_schemas > PLAN_SCHEMAS_MAX) {
            field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                             "too many schemas in the contracts of the plan", "at most 100000",
                             "more");
            reader->doc->contracts_full = true;
            contract_free(contract->schema);
            contract->schema = NULL;
        }
    } else {
        complain_of_schema(reader, path, file, &wrong);
    }
    violations_done(&wrong);
}

void plan_contracts_load(struct field_reader *reader, const struct json *value)
{
    static const struct json_pointer root = {0};
    static const struct json_pointer path = {.up = &root, .key = "contracts"};
    struct violations *others = reader->violations;
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    reader->violations = reader->doc->contract_violations;
    while (json_next(value, &iter, &key, &member)) {
        struct json_pointer place = {.up = &path, .key = key};
        if (field_is_comment(key) || !field_reader_is_sound(reader, &place))
            continue;
        struct plan_contract *contract = add_contract(reader, &place, key);
        if (contract)
            make_contract(reader, &place, contract, member, NULL);
    }
    reader->violations = others;
}

/* Reports an unknown contract name, with a suggestion or the reason why no such file can be
 * read. */
static void complain_unknown_contract(struct field_reader *reader, const struct json_pointer *path,
                                      const char *name, const char *why)
{
    const struct plan *plan = reader->doc->plan;
    struct near_word near = near_word_new(name);
    struct str message = {0};
    for (int i = 0; i < plan->contract_count; i++) {
        if (plan->contracts[i]->schema && plan->contracts[i]->name)
            near_word_offer(&near, plan->contracts[i]->name);
    }
    str_add(&message, "unknown contract ");
    str_add_json(&message, name, strlen(name));
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    else if (why)
        str_addf(&message, ", and no such file can be read: %s", why);
    field_reader_invalid(reader, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

/* Returns the contract in a file; remembers it by file name. Also remembers failures, so that each
 * is reported once. */
static struct plan_contract *read_file(struct field_reader *reader, const struct json_pointer *path,
                                       const char *name)
{
    struct str text = {0};
    struct err err = {0};
    bool is_comment = field_is_comment(name); /* such as a comment key that devs has written */
    bool ok = reader->doc->files && !is_comment &&
              reader->doc->files->read(reader->doc->files->ctx, name, &text, &err);
    struct plan_contract *contract = add_contract(reader, path, name);
    if (ok && contract) {
        struct violations wrong = {0};
        struct json *schema =
            plan_reader_json(str_text(&text), text.len, CONTRACT_BYTES_MAX, &wrong);
        if (schema)
            make_contract(reader, path, contract, schema, contract->name);
        else
            complain_of_schema(reader, path, contract->name, &wrong);
        violations_done(&wrong);
        json_free(schema);
    } else if (contract) {
        complain_unknown_contract(reader, path, name, err.code != ERR_NONE ? err.message : NULL);
    }
    reader->doc->plan->has_files = reader->doc->plan->has_files || ok;
    str_done(&text);
    return contract;
}

/* Checks that the text is a plan that could be run with the agents and executors of this one. */
static bool check_plan(const void *ctx, const char *text, size_t len, struct violations *wrong)
{
    const struct plan *around = ctx;
    const struct settings settings = {.agents = around->adapters,
                                      .executors = around->executors,
                                      .executor_count = around->executor_count};
    const struct plan_context context = {.settings = &settings};
    struct plan *plan = NULL;
    bool ok = plan_parse_with(text, len, &context, &plan, wrong) && plan_is_whole(plan, wrong);
    plan_free(plan);
    return ok;
}

void plan_contract_read(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    const char *name = json_text(value, NULL);
    struct str text = {0};
    if (!field_reader_is_sound(reader, path))
        return;
    if (!name)
        json_write(&text, value);
    struct plan_contract *contract = find_contract(reader->doc->plan, name, str_text(&text));
    str_done(&text);
    if (!contract && !name) {
        contract = add_contract(reader, path, NULL);
        if (contract)
            make_contract(reader, path, contract, value, NULL);
    } else if (!contract &&
               strcmp(name, PLAN_CONTRACT_PLAN) == 0) { /* the only built-in contract */
        contract = add_contract(reader, path, PLAN_CONTRACT_PLAN);
        if (contract)
            contract_for_text(check_plan, reader->doc->plan, &contract->schema);
    } else if (!contract) {
        contract = read_file(reader, path, name);
    }
    if (contract && contract->schema)
        plan_reader_step(reader)->contract = contract;
}

/*
 * Agents: the keys of steps, tasks and the plan.
 */

enum { MICRO = 1000000, MILLI = 1000, COST_USD_MAX = 1000000, COUNT_MAX = 1000000000 };

void plan_budget_read_cost(struct field_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    int64_t *micro = reader->at;
    const double cost = json_number(value, 0);
    (void)path;
    if (cost > 0 && cost <= COST_USD_MAX)
        *micro = cost * MICRO < 1 ? 1 : llround(cost * MICRO);
}

static void write_limit(const char *key, int64_t limit, int unit, struct str *out)
{
    if (limit <= 0)
        return;
    str_json_key(out, key);
    str_add_number(out, (double)limit / unit);
}

static void write_cost(const void *object, struct str *out)
{
    const struct budget *budget = object;
    write_limit("cost_usd", budget->limits[BUDGET_COST], MICRO, out);
}

static void write_day(const void *object, struct str *out)
{
    const struct budget *budget = object;
    write_limit("day_usd", budget->limits[BUDGET_DAY], MICRO, out);
}

/* The smaller one of a plan's limit and that of the settings applies. */
static void read_day(struct field_reader *reader, const struct json_pointer *path,
                     const struct json *value)
{
    int64_t *micro = reader->at;
    const int64_t before = *micro;
    plan_budget_read_cost(reader, path, value);
    if (before > 0 && before < *micro)
        *micro = before;
    if (path->up->up->up)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "only the budget of a plan has a limit for a day", NULL, NULL);
}

static void write_wall(const void *object, struct str *out)
{
    const struct budget *budget = object;
    write_limit("wall_s", budget->limits[BUDGET_WALL], MILLI, out);
}

/* In the order of enum budget_kind, without BUDGET_NONE. */
#define AT(kind) offsetof(struct budget, limits[kind])
static const struct field budget_rows[] = {
    {"cost_usd", FIELD_REAL, AT(BUDGET_COST), 0, COST_USD_MAX, .own_shape = true,
     .read = plan_budget_read_cost, .write = write_cost, .values = "more than 0, up to 1,000,000",
     .means = "maximum cost in US dollars, as reported by the agent's program"},
    {"turns", FIELD_I64, AT(BUDGET_TURNS), 1, COUNT_MAX,
     .means = "maximum number of turns of the agent"},
    {"calls", FIELD_I64, AT(BUDGET_CALLS), 1, COUNT_MAX, .means = "maximum number of tool calls"},
    {"wall_s", FIELD_SECONDS, AT(BUDGET_WALL), 1, PLAN_TIMEOUT_MS_MAX, .write = write_wall,
     .means = "maximum running time of attempts in seconds; waits do not count"},
    {"day_usd", FIELD_REAL, AT(BUDGET_DAY), 0, COST_USD_MAX, .own_shape = true, .read = read_day,
     .write = write_day, .values = "more than 0, up to 1,000,000",
     .means = "only in a plan: maximum cost of all runs in the log on the same day"},
};
const struct fields plan_budget_fields = FIELDS(budget_rows);
static_assert(ARRAY_LEN(budget_rows) == BUDGET_KIND_COUNT - 1, "every kind of budget has its row");
#undef AT

const char *budget_kind_name(enum budget_kind kind)
{
    assert(kind < BUDGET_KIND_COUNT);
    return kind == BUDGET_NONE ? "none" : budget_rows[kind - 1].key;
}

bool budget_is_set(const struct budget *budget)
{
    bool is_set = false;
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++)
        is_set = is_set || budget->limits[kind] > 0;
    return is_set;
}

bool budget_use_is_spent(const struct budget_use *use)
{
    return use->limit > 0 && use->used >= use->limit;
}

int64_t budget_use_mark(const struct budget_use *use)
{
    const int64_t given = use->limit - use->base;
    const int64_t most =
        given / 100 * BUDGET_TOLD_PERCENT + given % 100 * BUDGET_TOLD_PERCENT / 100;
    return use->base + (most > 0 ? most : 1);
}

bool budget_use_is_near(const struct budget_use *use)
{
    return use->limit > 0 && use->used >= budget_use_mark(use);
}

/* Adds seconds with as many decimals as the limit has; at least one if the limit is short. */
static void add_seconds(const struct budget_use *use, struct str *out)
{
    enum { MS_PER_S = 1000, SHORT_MS = 10000, DIGITS_MAX = 3 };
    int digits = use->limit < SHORT_MS ? 1 : 0;
    int64_t unit = digits > 0 ? MS_PER_S / 10 : MS_PER_S;
    for (; digits < DIGITS_MAX && use->limit % unit != 0; digits++)
        unit /= 10;
    str_addf(out, "%.*f of %.*f s", digits, (double)(rounded(use->used, unit) * unit) / MS_PER_S,
             digits, (double)use->limit / MS_PER_S);
}

void budget_use_words(const struct budget_use *use, struct str *out)
{
    switch (use->kind) {
    case BUDGET_COST:
    case BUDGET_DAY:
        agent_cost_words(use->used, out);
        str_add(out, " of ");
        agent_cost_words(use->limit, out);
        str_add(out, use->kind == BUDGET_DAY ? " today" : "");
        break;
    case BUDGET_TURNS:
    case BUDGET_CALLS:
        str_addf(out, "%lld of %lld %s", (long long)use->used, (long long)use->limit,
                 budget_kind_name(use->kind));
        break;
    case BUDGET_WALL:
        add_seconds(use, out);
        break;
    case BUDGET_NONE:
    case BUDGET_KIND_COUNT:
        break;
    }
}

void plan_budget_write(const struct budget *budget, struct str *out)
{
    if (!budget_is_set(budget))
        return;
    str_json_key(out, "budget");
    fields_write_object(&plan_budget_fields, budget, out);
}

static struct plan_agent *agent_of(struct field_reader *reader)
{
    struct plan_step *step = plan_reader_step(reader);
    if (!step->agent)
        step->agent = xcalloc(1, sizeof(*step->agent));
    return step->agent;
}

void plan_agents_load(struct field_reader *reader, const struct json *value,
                      const struct adapters *below)
{
    const bool is_object = json_kind(value) == JSON_KIND_OBJECT;
    if (!is_object && !below)
        return;
    if (!adapters_read(below, is_object ? value : NULL, reader->doc->agent_violations,
                       &reader->doc->plan->adapters))
        reader->doc->plan->adapters = NULL;
}

bool plan_agent_is_named(const struct field_reader *reader)
{
    return json_get(reader->doc->step_json, "agent") != NULL;
}

/* Returns true in an agent's step. Otherwise reports that the key is not allowed. */
static bool may_have_key(struct field_reader *reader, const struct json_pointer *path)
{
    if (plan_agent_is_named(reader))
        return true;
    field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                     "allowed only in a step with an \"agent\"", NULL, NULL);
    return false;
}

static void complain_unknown_agent(struct field_reader *reader, const struct json_pointer *path,
                                   const char *name)
{
    const struct adapters *adapters = reader->doc->plan->adapters;
    struct near_word near = near_word_new(name);
    struct str message = {0};
    struct str names = {0};
    const struct adapter *adapter;
    for (size_t i = 0; (adapter = adapters_at(adapters, i)) != NULL; i++) {
        if (adapter_program(adapter)[0] == '\0')
            continue;
        near_word_offer(&near, adapter_name(adapter));
        str_addf(&names, "%s%s", names.len > 0 ? ", " : "", adapter_name(adapter));
    }
    str_add(&message, "unknown agent ");
    str_add_json(&message, name, strlen(name));
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    else
        str_addf(&message, "; known agents: %s", str_text(&names));
    field_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
    str_done(&names);
}

void plan_agent_read_name(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    const char *name = json_text(value, NULL);
    if (!name)
        return;
    const struct adapter *adapter = adapters_find(reader->doc->plan->adapters, name);
    if (adapter && adapter_program(adapter)[0] != '\0') {
        agent_of(reader)->adapter = adapter;
        return;
    }
    if (reader->doc->agent_violations->count > 0)
        return; /* "agents" has errors, which may be the cause */
    if (adapter)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "this agent has no program; define an agent under \"agents\" that sets "
                         "\"like\" to this one",
                         NULL, NULL);
    else
        complain_unknown_agent(reader, path, name);
}

void plan_agent_read_list(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    if (!may_have_key(reader, path))
        return;
    struct plan_agent *agent = agent_of(reader);
    const size_t count = json_count(value);
    if (json_kind(value) != JSON_KIND_ARRAY || count > ADAPTER_ARGS_MAX)
        return;
    char **list = xcalloc(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++) {
        struct json_pointer place = {.up = path, .index = i};
        field_reader_text(reader, &place, json_at(value, i), &list[i]);
        if (!list[i])
            list[i] = xstrdup("");
    }
    if (strcmp(path->key, "args") == 0)
        agent->args = list;
    else
        agent->permission_args = list;
}

void plan_agent_read_text(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    if (!may_have_key(reader, path))
        return;
    struct plan_agent *agent = agent_of(reader);
    char **text = &agent->prompt;
    if (strcmp(path->key, "model") == 0)
        text = &agent->model;
    else if (strcmp(path->key, "resume") == 0)
        text = &agent->resume;
    field_reader_text(reader, path, value, text);
}

enum { OUTPUT_NAME_MAX = 250 /* bytes; leaves space for a temporary suffix */ };

/* Returns the error in the path of a file within its base folder, or NULL. Static. */
const char *plan_path_fault(const char *path)
{
    if (path[0] == '/')
        return "must be inside the step's working folder";
    for (const char *part = path;; part++) {
        const size_t len = strcspn(part, "/");
        if (len == 2 && strncmp(part, "..", 2) == 0)
            return "must be inside the step's working folder";
        if (len == 0 || (len == 1 && part[0] == '.'))
            return "must be the path of a file, without '.', '//' or a trailing '/'";
        if (len > OUTPUT_NAME_MAX)
            return "contains a file name that is too long";
        part += len;
        if (*part == '\0')
            return NULL;
    }
}

void plan_agent_read_output(struct field_reader *reader, const struct json_pointer *path,
                            const struct json *value)
{
    if (!may_have_key(reader, path))
        return;
    struct plan_agent *agent = agent_of(reader);
    field_reader_text(reader, path, value, &agent->output);
    const bool is_there =
        agent->output && agent->output[0] != '\0'; /* if empty, the schema has reported it */
    const char *wrong = is_there ? plan_path_fault(agent->output) : NULL;
    if (wrong)
        field_reader_invalid(reader, path, wrong, NULL, value);
}

void plan_agent_finish(struct field_reader *reader, const struct json_pointer *path)
{
    static const char *const unwanted[] = {"run", "shell", "stdin"};
    const struct json_pointer expect = {.up = path, .key = "expect"};
    const struct json_pointer resume = {.up = path, .key = "resume"};
    const struct json_pointer model = {.up = path, .key = "model"};
    struct plan_step *step = plan_reader_step(reader);
    struct plan_agent *agent = step->agent;
    if (!agent)
        return;
    for (size_t i = 0; i < ARRAY_LEN(unwanted); i++) {
        struct json_pointer place = {.up = path, .key = unwanted[i]};
        if (json_get(reader->doc->step_json, unwanted[i]))
            field_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                             "not allowed in a step with an \"agent\"", NULL, NULL);
    }
    if (step->expect.what == PLAN_EXPECT_FAILURE)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &expect,
                         "an agent cannot be expected to fail", NULL, NULL);
    if (agent->resume && !adapter_session_is_id(agent->resume))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &resume,
                         "must be a session id: no leading '-', no control characters", NULL, NULL);
    if (agent->model && !adapter_session_is_id(agent->model))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &model,
                         "must be the name of a model: no leading '-', no control characters", NULL,
                         NULL);
    if (agent->resume && agent->adapter && !adapter_resumes(agent->adapter))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &resume,
                         "this agent cannot continue an earlier session", NULL, NULL);
    if (!agent->adapter)
        return; /* already reported */

    const struct adapter_call call = {
        .model = agent->model, .args = agent->args, .permission_args = agent->permission_args};
    text_list_free(step->argv);
    adapter_argv(agent->adapter, &call, &step->argv);
    if (!agent->prompt)
        agent->prompt = xstrdup(""); /* the schema has reported it */
    plan_source_take(reader->doc->plan, step, adapter_name(agent->adapter));
}

void plan_agent_write(const struct plan_step *step, struct str *out)
{
    const struct plan_agent *agent = step->agent;
    str_json_text(out, "agent", adapter_name(agent->adapter));
    str_json_text(out, "prompt", agent->prompt);
    /* Writes an empty list as well, because it can differ from a missing one. */
    if (agent->args)
        text_list_write(out, "args", agent->args);
    if (agent->permission_args)
        text_list_write(out, "permission_args", agent->permission_args);
    if (agent->model)
        str_json_text(out, "model", agent->model);
    if (agent->resume)
        str_json_text(out, "resume", agent->resume);
    if (agent->output)
        str_json_text(out, "output", agent->output);
}

static bool agent_is_used(const struct plan *plan, const struct adapter *adapter)
{
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        for (int k = 0; k < task->step_count; k++) {
            if (task->steps[k].agent && task->steps[k].agent->adapter == adapter)
                return true;
        }
    }
    return false;
}

void plan_agents_write(const struct plan *plan, struct str *out)
{
    const struct adapter *adapter;
    bool is_open = false;
    for (size_t i = 0; (adapter = adapters_at(plan->adapters, i)) != NULL; i++) {
        if (adapter_is_builtin(adapter) || !agent_is_used(plan, adapter))
            continue;
        if (!is_open) {
            str_json_key(out, "agents");
            str_add_char(out, '{');
            is_open = true;
        }
        str_json_key(out, adapter_name(adapter));
        adapter_write(adapter, out);
    }
    if (is_open)
        str_add_char(out, '}');
}
