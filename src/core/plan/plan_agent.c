#include "plan_agent.h"

#include <math.h>
#include <string.h>

#include "adapter.h"
#include "near_word.h"
#include "plan_source.h"
#include "str.h"
#include "text_list.h"
#include "xalloc.h"

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
    str_add(&message, "no agent has the name ");
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
        return "must lie below the folder that the step works in";
    for (const char *part = path;; part++) {
        const size_t len = strcspn(part, "/");
        if (len == 2 && strncmp(part, "..", 2) == 0)
            return "must lie below the folder that the step works in";
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
                        "this agent cannot go on in an earlier session", NULL, NULL);
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
