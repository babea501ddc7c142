#include "plan_agent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "adapter.h"
#include "agent_what.h"
#include "attr.h"
#include "budget.h"
#include "near_word.h"
#include "plan_source.h"
#include "rounded.h"
#include "str.h"
#include "text_list.h"
#include "xalloc.h"

static const char *const budget_names[] = {
    [BUDGET_NONE] = "none",   [BUDGET_COST] = "cost_usd", [BUDGET_TURNS] = "turns",
    [BUDGET_CALLS] = "calls", [BUDGET_WALL] = "wall_s",
};
static_assert(ARRAY_LEN(budget_names) == BUDGET_KIND_COUNT, "every kind of budget has a name");

const char *budget_kind_name(enum budget_kind kind)
{
    assert(kind < BUDGET_KIND_COUNT);
    return budget_names[kind];
}

enum budget_kind budget_kind_named(const char *name)
{
    int kind = BUDGET_KIND_COUNT - 1;
    while (kind > BUDGET_NONE && strcmp(budget_names[kind], name) != 0)
        kind--;
    return (enum budget_kind)kind;
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

/* As many digits of a second as the limit is given with, and one at least where it is short. */
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
        agent_cost_words(use->used, out);
        str_add(out, " of ");
        agent_cost_words(use->limit, out);
        break;
    case BUDGET_TURNS:
    case BUDGET_CALLS:
        str_addf(out, "%lld of %lld %s", (long long)use->used, (long long)use->limit,
                 budget_names[use->kind]);
        break;
    case BUDGET_WALL:
        add_seconds(use, out);
        break;
    case BUDGET_NONE:
    case BUDGET_KIND_COUNT:
        break;
    }
}

enum { MICRO = 1000000, MILLI = 1000, COST_USD_MAX = 1000000, COUNT_MAX = 1000000000 };

/* The units of a plan and their limits: how many units of budget.h make one. */
static const struct {
    int64_t scale;
    int64_t most; /* in units of the plan */
} kinds[] = {
    [BUDGET_NONE] = {1, 0},
    [BUDGET_COST] = {MICRO, COST_USD_MAX},
    [BUDGET_TURNS] = {1, COUNT_MAX},
    [BUDGET_CALLS] = {1, COUNT_MAX},
    [BUDGET_WALL] = {MILLI, PLAN_TIMEOUT_S_MAX},
};
static_assert(ARRAY_LEN(kinds) == BUDGET_KIND_COUNT, "every kind of budget has its unit");

void plan_budget_take(const struct json *value, struct budget *out)
{
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        const double limit =
            json_number(json_get(value, budget_kind_name((enum budget_kind)kind)), 0);
        if (limit <= 0 || limit > (double)kinds[kind].most)
            continue;
        const int64_t exact = llround(limit * (double)kinds[kind].scale);
        out->limits[kind] = exact > 0 ? exact : 1;
    }
}

void plan_budget_write(const struct budget *budget, struct str *out)
{
    str_add_char(out, '{');
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        const int64_t limit = budget->limits[kind];
        if (limit == 0)
            continue;
        str_json_key(out, budget_kind_name((enum budget_kind)kind));
        str_add_number(out, (double)limit / (double)kinds[kind].scale);
    }
    str_add_char(out, '}');
}

static struct plan_step *current(struct plan_reader *reader)
{
    return &reader->plan->tasks[reader->task].steps[reader->step];
}

static struct plan_agent *agent_of(struct plan_reader *reader)
{
    struct plan_step *step = current(reader);
    if (!step->agent)
        step->agent = xcalloc(1, sizeof(*step->agent));
    return step->agent;
}

void plan_agents_load(struct plan_reader *reader, const struct json *value,
                      const struct adapters *below)
{
    const bool is_object = json_kind(value) == JSON_KIND_OBJECT;
    if (!is_object && !below)
        return;
    if (!adapters_read(below, is_object ? value : NULL, reader->agent_violations,
                       &reader->plan->adapters))
        reader->plan->adapters = NULL;
}

bool plan_agent_is_named(const struct plan_reader *reader)
{
    return json_get(reader->step_json, "agent") != NULL;
}

/* The keys that only an agent's step has. */
static bool may_have(struct plan_reader *reader, const struct json_pointer *path)
{
    if (plan_agent_is_named(reader))
        return true;
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "only a step with an \"agent\" has it",
                    NULL, NULL);
    return false;
}

static void complain_unknown(struct plan_reader *reader, const struct json_pointer *path,
                             const char *name)
{
    const struct adapters *adapters = reader->plan->adapters;
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
        str_addf(&message, ", there are %s", str_text(&names));
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
    str_done(&names);
}

void plan_agent_read_name(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    const char *name = json_text(value, NULL);
    if (!name)
        return;
    const struct adapter *adapter = adapters_find(reader->plan->adapters, name);
    if (adapter && adapter_program(adapter)[0] != '\0') {
        agent_of(reader)->adapter = adapter;
        return;
    }
    if (reader->agent_violations->count > 0)
        return; /* it may be the one that is wrong */
    if (adapter)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "it has no program: define an agent under \"agents\" that is like it", NULL,
                        NULL);
    else
        complain_unknown(reader, path, name);
}

void plan_agent_read_prompt(struct plan_reader *reader, const struct json_pointer *path,
                            const struct json *value)
{
    if (may_have(reader, path))
        plan_reader_text(reader, path, value, &agent_of(reader)->prompt);
}

static char **read_list(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    const size_t count = json_count(value);
    if (json_kind(value) != JSON_KIND_ARRAY || count > ADAPTER_ARGS_MAX)
        return NULL;
    char **list = xcalloc(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++) {
        struct json_pointer place = {.up = path, .index = i};
        plan_reader_text(reader, &place, json_at(value, i), &list[i]);
        if (!list[i])
            list[i] = xstrdup("");
    }
    return list;
}

void plan_agent_read_args(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    if (may_have(reader, path))
        agent_of(reader)->args = read_list(reader, path, value);
}

void plan_agent_read_permission_args(struct plan_reader *reader, const struct json_pointer *path,
                                     const struct json *value)
{
    if (may_have(reader, path))
        agent_of(reader)->permission_args = read_list(reader, path, value);
}

void plan_agent_read_model(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    if (may_have(reader, path))
        plan_reader_text(reader, path, value, &agent_of(reader)->model);
}

void plan_agent_read_resume(struct plan_reader *reader, const struct json_pointer *path,
                            const struct json *value)
{
    if (may_have(reader, path))
        plan_reader_text(reader, path, value, &agent_of(reader)->resume);
}

enum { OUTPUT_NAME_MAX = 250 /* bytes of a name: its file is written beside it first */ };

/* What is wrong with the path of a file below the folder that it is relative to; NULL = nothing. */
const char *plan_path_fault(const char *path)
{
    if (path[0] == '/')
        return "must be below the folder that the step works in";
    for (const char *part = path;; part++) {
        const size_t len = strcspn(part, "/");
        if (len == 2 && strncmp(part, "..", 2) == 0)
            return "must be below the folder that the step works in";
        if (len == 0 || (len == 1 && part[0] == '.'))
            return "must be the path of a file, without '.', '//' and '/' at its end";
        if (len > OUTPUT_NAME_MAX)
            return "has a name that no file may have";
        part += len;
        if (*part == '\0')
            return NULL;
    }
}

void plan_agent_read_output(struct plan_reader *reader, const struct json_pointer *path,
                            const struct json *value)
{
    if (!may_have(reader, path))
        return;
    struct plan_agent *agent = agent_of(reader);
    plan_reader_text(reader, path, value, &agent->output);
    const bool is_there =
        agent->output && agent->output[0] != '\0'; /* else the schema has complained */
    const char *wrong = is_there ? plan_path_fault(agent->output) : NULL;
    if (wrong)
        plan_reader_invalid(reader, path, wrong, NULL, value);
}

void plan_agent_read_quiet(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    (void)path;
    const double seconds = json_number(value, -1);
    if (seconds >= 0 && seconds <= PLAN_TIMEOUT_S_MAX)
        current(reader)->quiet_ms = llround(seconds * 1000);
}

static void check_keys(struct plan_reader *reader, const struct json_pointer *path)
{
    static const char *const unwanted[] = {"run", "shell", "stdin"};
    for (size_t i = 0; i < ARRAY_LEN(unwanted); i++) {
        struct json_pointer place = {.up = path, .key = unwanted[i]};
        if (json_get(reader->step_json, unwanted[i]))
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                            "a step with an \"agent\" does not have it", NULL, NULL);
    }
    struct json_pointer expect = {.up = path, .key = "expect"};
    if (current(reader)->expect.what == PLAN_EXPECT_FAILURE)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, &expect, "no agent is expected to fail",
                        NULL, NULL);
    const struct plan_agent *agent = current(reader)->agent;
    struct json_pointer resume = {.up = path, .key = "resume"};
    if (agent->resume && !adapter_session_is_id(agent->resume))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, &resume,
                        "must be the id of a session: no '-' first, no control characters", NULL,
                        NULL);
    struct json_pointer model = {.up = path, .key = "model"};
    if (agent->model && !adapter_session_is_id(agent->model))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, &model,
                        "must be the name of a model: no '-' first, no control characters", NULL,
                        NULL);
    if (agent->resume && agent->adapter && !adapter_resumes(agent->adapter))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, &resume,
                        "this agent cannot continue an earlier session", NULL, NULL);
}

void plan_agent_finish(struct plan_reader *reader, const struct json_pointer *path)
{
    struct plan_step *step = current(reader);
    if (!step->agent)
        return;
    check_keys(reader, path);
    if (!step->agent->adapter)
        return; /* it has been complained about */
    const struct adapter_call call = {.model = step->agent->model,
                                      .args = step->agent->args,
                                      .permission_args = step->agent->permission_args};
    text_list_free(step->argv);
    adapter_argv(step->agent->adapter, &call, &step->argv);
    if (!step->agent->prompt)
        step->agent->prompt = xstrdup(""); /* the schema has complained */
    plan_source_take(reader->plan, step, adapter_name(step->agent->adapter));
}

int plan_agent_rounds(const struct json *task)
{
    int64_t rounds = 1;
    plan_reader_whole(json_get(task, "rounds"), &rounds);
    return rounds >= 1 && rounds <= PLAN_ROUNDS_MAX ? (int)rounds : 1;
}

void plan_agent_check_task(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *task)
{
    static const char *const keys[] = {"rounds", "budget"};
    const struct json *steps = json_get(task, "steps");
    for (size_t i = 0; i < json_count(steps); i++) {
        if (json_get(json_at(steps, i), "agent"))
            return;
    }
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        struct json_pointer place = {.up = path, .key = keys[i]};
        if (json_get(task, keys[i]) && plan_reader_is_sound(reader, &place))
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                            "only a task that has a step with an \"agent\" has it", NULL, NULL);
    }
}

/* A list that is empty says something, one that is missing does not. */
static void write_list(const char *key, char *const *list, struct str *out)
{
    if (list)
        text_list_write(out, key, list);
}

static void write_text(const char *key, const char *text, struct str *out)
{
    if (text)
        str_json_text(out, key, text);
}

void plan_agent_write(const struct plan_step *step, struct str *out)
{
    const struct plan_agent *agent = step->agent;
    str_json_text(out, "agent", adapter_name(agent->adapter));
    str_json_text(out, "prompt", agent->prompt);
    write_list("args", agent->args, out);
    write_list("permission_args", agent->permission_args, out);
    write_text("model", agent->model, out);
    write_text("resume", agent->resume, out);
    write_text("output", agent->output, out);
}

static bool is_used(const struct plan *plan, const struct adapter *adapter)
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
        if (adapter_is_builtin(adapter) || !is_used(plan, adapter))
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
