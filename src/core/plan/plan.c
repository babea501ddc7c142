#include "plan.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "json.h"
#include "plan_graph.h"
#include "plan_loops.h"
#include "plan_parts.h"
#include "plan_policy.h"
#include "plan_reader.h"
#include "plan_source.h"
#include "plan_surroundings.h"
#include "str.h"
#include "text.h"
#include "text_list.h"
#include "xalloc.h"

/* The number of the name, which is added if it is new; -1 if there is no room. */
static int source_number(struct plan *plan, const char *name)
{
    for (int i = 0; i < plan->source_count; i++) {
        if (strcmp(plan->sources[i], name) == 0)
            return i;
    }
    if (plan->source_count == PLAN_SOURCES_MAX)
        return -1;
    if (!plan->sources)
        plan->sources = xcalloc(PLAN_SOURCES_MAX + 1, sizeof(*plan->sources));
    plan->sources[plan->source_count] = xstrdup(name);
    return plan->source_count++;
}

void plan_source_read(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    struct plan_step *step = &reader->plan->tasks[reader->task].steps[reader->step];
    const char *name = json_text(value, NULL);
    if (!name)
        return;
    step->source = source_number(reader->plan, name);
    if (step->source < 0)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too many sources in one plan",
                        "at most 64 names", "more");
}

void plan_source_take(struct plan *plan, struct plan_step *step, const char *name)
{
    if (step->source < 0)
        step->source = source_number(plan, name);
}

void plan_source_guess(struct plan *plan, struct plan_step *step)
{
    if (!step->argv || step->source >= 0)
        return;
    const char *program = adapter_program_of(step->argv[0]);
    if (adapters_of_program(NULL, program))
        step->source = source_number(plan, program);
}

void plan_loops_read(const struct json *value, struct entropy_limits *loops, bool *is_said)
{
    void *iter = NULL;
    const char *key;
    const struct json *member;
    *is_said = *is_said || json_kind(value) == JSON_KIND_OBJECT;
    while (json_next(value, &iter, &key, &member)) {
        const struct entropy_limit *limit = entropy_limit_named(key);
        int64_t number = -1;
        plan_reader_whole(member, &number);
        bool is_set = limit && entropy_limit_set(loops, limit, number, NULL);
        (void)is_set; /* the schema has complained */
    }
}

void plan_loops_write(const struct entropy_limits *loops, struct str *out)
{
    const struct entropy_limit *limit;
    str_add_char(out, '{');
    for (size_t i = 0; (limit = entropy_limit(i)) != NULL; i++)
        str_json_i64(out, limit->name, entropy_limit_get(loops, limit));
    str_add_char(out, '}');
}

/* Which tasks are wanted: the named one and all that it needs, directly or not. */
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

enum { EXEC_TITLE_MAX = 120 };

static void free_agent(struct plan_agent *agent)
{
    if (!agent)
        return;
    free(agent->prompt);
    text_list_free(agent->args);
    text_list_free(agent->permission_args);
    free(agent->model);
    free(agent->resume);
    free(agent->output);
    free(agent);
}

void plan_free_step(struct plan_step *step)
{
    free_agent(step->agent);
    text_list_free(step->argv);
    text_list_free(step->env);
    free(step->cwd);
    free(step->stdin_path);
    free(step->expect.match);
    for (int i = 0; i < step->file_count; i++) {
        free(step->files[i].path);
        free(step->files[i].contains);
    }
    free(step->files);
    free(step->own_policy);
    sandbox_spec_done(step->own_sandbox);
    free(step->own_sandbox);
}

void plan_free_task(struct plan_task *task)
{
    for (int i = 0; i < task->step_count; i++)
        plan_free_step(&task->steps[i]);
    free(task->steps);
    free(task->id);
    free(task->title);
    free(task->needs);
    free(task->dependents);
    workspace_spec_done(task->own_workspace);
    free(task->own_workspace);
}

static void free_contracts(struct plan *plan)
{
    for (int i = 0; i < plan->contract_count; i++) {
        free(plan->contracts[i]->name);
        free(plan->contracts[i]->text);
        contract_free(plan->contracts[i]->schema);
        free(plan->contracts[i]);
    }
    free(plan->contracts);
}

static void free_tasks(struct plan *plan)
{
    for (int i = 0; i < plan->task_count; i++)
        plan_free_task(&plan->tasks[i]);
    free(plan->tasks);
    free(plan->by_id);
    text_list_free(plan->sources);
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    free_tasks(plan);
    if (plan->base) { /* the rest is the base's */
        free(plan);
        return;
    }
    free(plan->policies);
    free(plan->own_policy);
    workspace_spec_done(&plan->workspace);
    sandbox_spec_done(&plan->sandbox);
    free_contracts(plan);
    adapters_free(plan->adapters);
    free(plan->name);
    free(plan);
}

const struct policy *plan_policy_find(const struct plan *plan, const char *name)
{
    const struct policy_list list = {.items = plan->policies, .count = plan->policy_count};
    return policy_list_find(&list, name);
}

int plan_task_agent_step(const struct plan_task *task, int step)
{
    while (step >= 0 && !task->steps[step].agent)
        step--;
    return step;
}

const struct sandbox_spec *plan_task_sandbox(const struct plan_task *task)
{
    for (int i = 0; i < task->step_count; i++) {
        if (task->steps[i].sandbox->kind != SANDBOX_NONE)
            return task->steps[i].sandbox;
    }
    return sandbox_spec_none();
}

struct sandbox_spec plan_setup_sandbox(const struct workspace_spec *workspace,
                                       const struct sandbox_spec *sandbox)
{
    if (sandbox->kind == SANDBOX_NONE || workspace->setup_in == WORKSPACE_SETUP_OUTSIDE)
        return *sandbox_spec_none();
    struct sandbox_spec spec = *sandbox;
    if (workspace->setup_in == WORKSPACE_SETUP_IN_NETWORK)
        spec.network = SANDBOX_NETWORK_ON;
    return spec;
}

bool plan_step_is_repeatable(const struct plan_task *task, const struct plan_step *step)
{
    const bool goes_on = step->agent && adapter_resumes(step->agent->adapter);
    return step->idempotent || goes_on || workspace_can_be_reset(task->workspace);
}

int plan_step_attempts(const struct plan_step *step)
{
    bool repeats = !step->once && policy_fits_phase(step->policy, step->phase);
    return repeats ? step->policy->max_attempts : 1;
}

int plan_find(const struct plan *plan, const char *id)
{
    /* The first of equals, so that an id given twice means its first task. */
    int low = 0;
    int high = plan->by_id_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(plan->by_id[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < plan->by_id_count && strcmp(plan->by_id[low].id, id) == 0;
    return found ? plan->by_id[low].task : -1;
}

/* The command's words, cut between two characters. */
static char *command_title(char *const *argv)
{
    struct str words = {0};
    for (size_t i = 0; argv[i] && words.len <= EXEC_TITLE_MAX; i++) {
        str_add(&words, i > 0 ? " " : "");
        str_add_n(&words, argv[i], strnlen(argv[i], EXEC_TITLE_MAX + 1));
    }
    const size_t len = text_cut(str_text(&words), words.len, EXEC_TITLE_MAX);
    char *title = xstrndup(len > 0 ? words.data : "exec", len > 0 ? len : strlen("exec"));
    str_done(&words);
    return title;
}

/* A policy that is not built in goes into the plan, so that plan_write() has it. Those of
 * the settings are there. */
static const struct policy *adopt_policy(struct plan *plan, const struct settings *settings,
                                         const struct policy *policy)
{
    if (policy_named(policy->name) == policy)
        return policy;
    for (int i = 0; settings && i < plan->setting_count; i++) {
        if (policy == &settings->policies[i])
            return &plan->policies[i];
    }
    plan->policies[plan->policy_count] = *policy;
    return &plan->policies[plan->policy_count++];
}

/* Who puts devs before a command wants it to do its work here, whatever plans do. */
static void work_in_place(struct plan *plan)
{
    workspace_spec_done(&plan->workspace);
    plan->said &= ~(unsigned)PLAN_SAYS_WORKSPACE;
}

static void work_in_sandbox(struct plan *plan, const struct sandbox_spec *sandbox)
{
    sandbox_spec_done(&plan->sandbox);
    plan->sandbox = sandbox_spec_copy(sandbox);
    plan->said |= PLAN_SAYS_SANDBOX;
}

/* What plan_parse() would refuse when the plan is read back from the log. */
static bool check_command(char *const *argv, struct err *err)
{
    if (argv[0][0] == '\0')
        return err_set(err, ERR_INVALID, "the command is empty");
    int count = 0;
    for (; argv[count]; count++) {
        if (strlen(argv[count]) > PLAN_TEXT_MAX)
            return err_set(err, ERR_LIMIT, "argument %d has more than %d bytes", count,
                           PLAN_TEXT_MAX);
        if (count == PLAN_ARGS_MAX)
            return err_set(err, ERR_LIMIT, "more than %d arguments", PLAN_ARGS_MAX);
    }
    return true;
}

bool plan_for_command(const struct plan_exec *exec, struct plan **out, struct err *err)
{
    assert(exec->argv);
    assert(exec->argv[0]);
    assert(exec->policy);
    if (!check_command(exec->argv, err))
        return false;

    struct plan *plan = xcalloc(1, sizeof(*plan));
    plan->name = xstrdup("exec");
    plan->policies = xcalloc(PLAN_POLICY_ROOM, sizeof(*plan->policies));
    plan_surroundings_init(plan);
    if (exec->settings)
        plan_take_settings(plan, exec->settings);
    work_in_place(plan);
    if (exec->sandbox)
        work_in_sandbox(plan, exec->sandbox);
    plan->policy = plan_policy_find(plan, POLICY_DEFAULT);
    plan->tasks = xcalloc(1, sizeof(*plan->tasks));
    plan->task_count = 1;
    plan->step_count = 1;

    bool repeats = exec->policy->max_attempts > 1 && policy_fits_phase(exec->policy, exec->phase);
    struct plan_task *task = &plan->tasks[0];
    task->id = xstrdup("exec");
    task->title = command_title(exec->argv);
    task->steps = xcalloc(1, sizeof(*task->steps));
    task->step_count = 1;
    task->rounds = 1;
    task->workspace = &plan->workspace;
    task->steps[0] = (struct plan_step){
        .phase = exec->phase,
        .argv = text_list_copy(exec->argv),
        .stdin_path = exec->reads_stdin ? xstrdup(PLAN_STDIN_OURS) : NULL,
        .timeout_ms = exec->timeout_ms,
        .idempotent = exec->idempotent || repeats,
        .policy = adopt_policy(plan, exec->settings, exec->policy),
        .source = -1,
        .sandbox = &plan->sandbox,
    };
    plan_source_guess(plan, &task->steps[0]);
    plan_index_ids(plan);
    plan_link_dependents(plan);
    *out = plan;
    return true;
}
