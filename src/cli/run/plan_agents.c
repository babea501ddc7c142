/*
 * plan_agents.c - changes the agents of a plan, chooses one, and checks that their programs are
 * installed.
 *
 * Agents are changed in the JSON of the plan. Keys that only the old agent understands are dropped.
 */
#include "plan_file.h"

#include <string.h>

#include "adapter.h"
#include "attr.h"
#include "fail.h"
#include "program_find.h"
#include "str.h"
#include "text.h"

/* Writes the value of a key, or an element of the list under the key. */
typedef void write_fn(const struct plan_agents_edit *edit, const struct json *value,
                      struct str *out);

/* Writes an object. Calls `write` for each element of its list `key` and copies everything else. */
static void write_list_of(const struct plan_agents_edit *edit, const struct json *object,
                          const char *key, write_fn *write, struct str *out)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *member = NULL;
    if (json_kind(object) != JSON_KIND_OBJECT) {
        json_write(out, object);
        return;
    }
    str_add_char(out, '{');
    while (json_next(object, &iter, &name, &member)) {
        str_json_key(out, name);
        if (strcmp(name, key) != 0 || json_kind(member) != JSON_KIND_ARRAY) {
            json_write(out, member);
            continue;
        }
        str_add_char(out, '[');
        for (size_t i = 0; i < json_count(member); i++) {
            str_add(out, i > 0 ? "," : "");
            write(edit, json_at(member, i), out);
        }
        str_add_char(out, ']');
    }
    str_add_char(out, '}');
}

/* Returns whether the key is specific to one agent, such as arguments and sessions. */
static bool is_of_agent_alone(const char *key)
{
    static const char *const keys[] = {"args", "permission_args", "model", "resume"};
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        found = found || strcmp(key, keys[i]) == 0;
    return found;
}

static void write_step(const struct plan_agents_edit *edit, const struct json *step,
                       struct str *out)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    const char *agent = json_text(json_get(step, "agent"), NULL);
    if (!agent) {
        json_write(out, step);
        return;
    }
    const bool is_other = edit->agent && strcmp(edit->agent, agent) != 0;
    agent = edit->agent ? edit->agent : agent;
    bool is_owned = !edit->owner || strcmp(edit->owner, agent) == 0;
    str_add_char(out, '{');
    while (json_next(step, &iter, &key, &member)) {
        const char *text = NULL; /* replaces the member's value; NULL = unchanged */
        if (strcmp(key, "agent") == 0)
            text = edit->agent;
        else if (strcmp(key, "model") == 0)
            text = edit->model;
        if (is_other && is_of_agent_alone(key))
            continue;
        str_json_key(out, key);
        if (text)
            str_add_json(out, text, strlen(text));
        else
            json_write(out, member);
    }
    if (edit->model && (is_other || !json_get(step, "model")))
        str_json_text(out, "model", edit->model);
    if (edit->session && is_owned && (is_other || !json_get(step, "resume")))
        str_json_text(out, "resume", edit->session);
    str_add_char(out, '}');
}

static void write_task(const struct plan_agents_edit *edit, const struct json *task,
                       struct str *out)
{
    write_list_of(edit, task, "steps", write_step, out);
}

void plan_agents_edit(void *ctx, const struct json *plan, struct str *out)
{
    write_list_of(ctx, plan, "tasks", write_task, out);
}

static bool has_path_of_its_own(char *const *env)
{
    static const char path[] = "PATH=";
    for (; env && *env; env++) {
        if (strncmp(*env, path, sizeof(path) - 1) == 0)
            return true;
    }
    return false;
}

static bool is_missing(const struct plan *plan, const struct plan_task *task,
                       const struct plan_step *step)
{
    const char *program = step->agent ? adapter_program(step->agent->adapter) : "";
    char path[PATH_MAX];
    if (*program == '\0' || strchr(program, '/') || program_find(program, path))
        return false;
    return !plan_task_executor(plan, task) && !sandbox_kind_is_container(step->sandbox->kind) &&
           !has_path_of_its_own(step->env) &&
           !has_path_of_its_own(adapter_env(step->agent->adapter));
}

static void add_missing(const struct adapter *adapter, struct str *out)
{
    str_addf(out, "agent '%s' is not installed: program '%s' not found", adapter_name(adapter),
             adapter_program(adapter));
}

/* Prints `where` (may be ""), what is missing and how to install it. */
static int fail_missing(const struct adapter *adapter, const char *where)
{
    const char *install = adapter_install(adapter);
    struct str words = {0};
    add_missing(adapter, &words);
    (void)fail_usage(*install != '\0' ? install : NULL, "%s%s", where, str_text(&words));
    str_done(&words);
    return EXIT_NO_AGENT;
}

void plan_agents_missing(const struct plan *plan, const struct plan_task *task,
                         const struct plan_step *step, struct str *out)
{
    if (!is_missing(plan, task, step))
        return;
    const char *install = adapter_install(step->agent->adapter);
    add_missing(step->agent->adapter, out);
    str_addf(out, "%s%s", *install != '\0' ? "; " : "", install);
}

int plan_agents_check(const struct plan *plan)
{
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        for (int k = 0; k < task->step_count; k++) {
            if (!is_missing(plan, task, &task->steps[k]))
                continue;
            char where[PLAN_ID_MAX + 64];
            (void)snprintf(where, sizeof(where), "task '%s', step %d: ", task->id, k + 1);
            return fail_missing(task->steps[k].agent->adapter, where);
        }
    }
    return EXIT_ALL_PASSED;
}

static bool is_here(const struct adapter *adapter)
{
    char path[PATH_MAX];
    return program_find(adapter_program(adapter), path);
}

static int fail_unknown(const struct adapters *adapters, const char *name)
{
    const struct adapter *adapter = NULL;
    struct near_word near = near_word_new(name);
    struct str names = {0};
    for (size_t i = 0; (adapter = adapters_at(adapters, i)) != NULL; i++) {
        near_word_offer(&near, adapter_name(adapter));
        str_addf(&names, "%s%s", i > 0 ? ", " : "", adapter_name(adapter));
    }
    if (near.nearest)
        (void)fail_usage(NULL, "unknown agent '%s', did you mean '%s'?", name, near.nearest);
    else
        (void)fail_usage("devs.config.json can define your own agents",
                         "unknown agent '%s', expected one of %s", name, str_text(&names));
    str_done(&names);
    return EXIT_USAGE;
}

/* No agent is installed: prints the names that were searched for, and what to do. */
static int fail_none(const struct adapters *adapters)
{
    const struct adapter *adapter = NULL;
    struct str programs = {0}, hint = {0};
    for (size_t i = 0; (adapter = adapters_at(adapters, i)) != NULL; i++) {
        if (*adapter_program(adapter) == '\0')
            continue;
        str_addf(&programs, "%s%s", programs.len > 0 ? ", " : "", adapter_program(adapter));
        if (hint.len == 0 && *adapter_install(adapter) != '\0')
            str_addf(&hint, "%s; or name another program under \"agents\" in devs.config.json",
                     adapter_install(adapter));
    }
    (void)fail_usage(str_text(&hint), "no agent is installed: none of %s is in PATH",
                     str_text(&programs));
    str_done(&programs);
    str_done(&hint);
    return EXIT_NO_AGENT;
}

/* Checks that the adapter's program is installed. Returns the exit code. */
static int check_program(const struct adapter *adapter)
{
    if (is_here(adapter))
        return EXIT_ALL_PASSED;
    if (*adapter_program(adapter) == '\0')
        return fail_usage("give it a program under \"agents\" in devs.config.json",
                          "agent '%s' has no program", adapter_name(adapter));
    return fail_missing(adapter, "");
}

int agent_choose(const struct adapters *adapters, const char *name, const struct adapter **out)
{
    const struct adapter *adapter = NULL;
    if (name) {
        adapter = adapters_find(adapters, name);
        int code = adapter ? check_program(adapter) : fail_unknown(adapters, name);
        if (code == EXIT_ALL_PASSED)
            *out = adapter;
        return code;
    }
    for (size_t i = 0; (adapter = adapters_at(adapters, i)) != NULL; i++) {
        if (is_here(adapter)) {
            *out = adapter;
            return EXIT_ALL_PASSED;
        }
    }
    return fail_none(adapters);
}
