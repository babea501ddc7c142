/* A plan as a value: its graph of needs and sessions, its defaults, freeing its parts, and plans
 * derived from it. */
#include "plan.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "json.h"
#include "plan_internal.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

/*
 * The graph of needs: dependents, order, cycles and sessions. Nothing recurses; everything is
 * O(n).
 */

enum { CYCLE_NAMED_MAX = 12 }; /* maximum task ids of a cycle that a message names */

/* A name with its first bytes as a number that sorts the same way. Most names already differ there,
 * which saves cache misses. */
struct ranked_name {
    uint64_t first;
    struct plan_name name;
};

static int compare_names(const void *left, const void *right)
{
    const struct ranked_name *a = left;
    const struct ranked_name *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    int order = strcmp(a->name.id, b->name.id);
    return order != 0 ? order : (a->name.task > b->name.task) - (a->name.task < b->name.task);
}

void plan_index_ids(struct plan *plan)
{
    struct ranked_name *ranked = xcalloc((size_t)plan->task_count, sizeof(*ranked));
    size_t count = 0;
    bool is_sorted = true;
    for (int i = 0; i < plan->task_count; i++) {
        const char *id = plan->tasks[i].id;
        if (!id)
            continue;
        uint64_t first = 0;
        bool is_over = false;
        for (size_t k = 0; k < sizeof(first); k++) {
            is_over = is_over || id[k] == '\0';
            first = first << 8 | (is_over ? 0 : (unsigned char)id[k]);
        }
        ranked[count] = (struct ranked_name){first, {id, i}};
        is_sorted =
            is_sorted && (count == 0 || compare_names(&ranked[count - 1], &ranked[count]) < 0);
        count++;
    }
    if (!is_sorted)
        qsort(ranked, count, sizeof(*ranked), compare_names);
    plan->by_id = xcalloc((size_t)plan->task_count, sizeof(*plan->by_id));
    plan->by_id_count = (int)count;
    for (size_t i = 0; i < count; i++)
        plan->by_id[i] = ranked[i].name;
    free(ranked);
}

void plan_link_dependents(struct plan *plan)
{
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        for (int j = 0; j < task->need_count; j++)
            plan->tasks[task->needs[j]].dependent_count++;
    }
    for (int i = 0; i < plan->task_count; i++) {
        struct plan_task *task = &plan->tasks[i];
        if (task->dependent_count > 0)
            task->dependents = xcalloc((size_t)task->dependent_count, sizeof(*task->dependents));
        task->dependent_count = 0;
    }
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        for (int j = 0; j < task->need_count; j++) {
            struct plan_task *needed = &plan->tasks[task->needs[j]];
            needed->dependents[needed->dependent_count++] = i;
        }
    }
}

/* Queues each task after all tasks that it needs. The remaining tasks (unmet > 0) are in a cycle,
 * or need a task that is in one. */
static void take_orderly_tasks(const struct plan *plan, int *unmet, int *queue)
{
    int queued = 0;
    for (int i = 0; i < plan->task_count; i++) {
        unmet[i] = plan->tasks[i].need_count;
        if (unmet[i] == 0)
            queue[queued++] = i;
    }
    for (int taken = 0; taken < queued; taken++) {
        const struct plan_task *task = &plan->tasks[queue[taken]];
        for (int j = 0; j < task->dependent_count; j++) {
            int dependent = task->dependents[j];
            if (--unmet[dependent] == 0)
                queue[queued++] = dependent;
        }
    }
}

void plan_cycles_init(struct plan_cycles *cycles, const struct plan *plan)
{
    size_t count = (size_t)plan->task_count;
    int *unmet = xcalloc(count, sizeof(*unmet));
    int *queue = xcalloc(count, sizeof(*queue));
    int *trace = xcalloc(count, sizeof(*trace));
    int *next = xcalloc(count, sizeof(*next));
    cycles->next = next;
    cycles->starts = xcalloc(count, sizeof(*cycles->starts));
    take_orderly_tasks(plan, unmet, queue);

    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        next[i] = -1;
        for (int j = 0; unmet[i] > 0 && next[i] < 0 && j < task->need_count; j++) {
            if (unmet[task->needs[j]] > 0)
                next[i] = task->needs[j];
        }
    }

    /* Each remaining task has one `next`, so following it ends in a cycle. A walk stops where an
     * earlier walk has been. */
    for (int start = 0; start < plan->task_count; start++) {
        int at = start;
        while (next[at] >= 0 && trace[at] == 0) {
            trace[at] = start + 1;
            at = next[at];
        }
        if (next[at] < 0 || trace[at] != start + 1)
            continue;
        int first = at;
        for (int i = next[at]; i != at; i = next[i])
            first = i < first ? i : first;
        cycles->starts[first] = true;
    }
    free(trace);
    free(queue);
    free(unmet);
}

void plan_cycles_done(struct plan_cycles *cycles)
{
    if (!cycles)
        return;
    free(cycles->next);
    free(cycles->starts);
    *cycles = (struct plan_cycles){0};
}

void plan_cycles_name(const struct plan_cycles *cycles, const struct plan *plan, int task,
                      struct str *out)
{
    int length = 0;
    int at = task;
    do {
        if (length < CYCLE_NAMED_MAX)
            str_addf(out, "%s -> ", plan->tasks[at].id);
        length++;
        at = cycles->next[at];
    } while (at != task);
    if (length > CYCLE_NAMED_MAX)
        str_addf(out, "... %d more ... -> ", length - CYCLE_NAMED_MAX);
    str_add(out, plan->tasks[task].id);
}

/* A step that resumes a session. */
struct use {
    const char *agent, *session; /* borrowed from the plan */
    int task, step;
    int place; /* position of the task in topological order */
};

struct sessions {
    const struct plan *plan;
    int *order;       /* owned: the tasks in topological order */
    struct use *uses; /* owned; grouped by session, in topological order */
    size_t count;
    int *chain; /* owned; by task: how many tasks of the session are on the longest path of needs up
                   to the task, including itself */
};

static int compare_sessions(const struct use *a, const struct use *b)
{
    const int agents = strcmp(a->agent, b->agent);
    return agents != 0 ? agents : strcmp(a->session, b->session);
}

static int compare_uses(const void *left, const void *right)
{
    const struct use *a = left;
    const struct use *b = right;
    const int sessions = compare_sessions(a, b);
    if (sessions != 0)
        return sessions;
    const int places = (a->place > b->place) - (a->place < b->place);
    return places != 0 ? places : (a->step > b->step) - (a->step < b->step);
}

/* Collects the uses of sessions. Sorts the tasks topologically, and the uses by session and
 * task. */
static void collect_uses(struct sessions *sessions)
{
    const struct plan *plan = sessions->plan;
    const size_t task_count = (size_t)plan->task_count;
    size_t cap = 0;
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        for (int j = 0; j < task->step_count; j++) {
            const struct plan_agent *agent = task->steps[j].agent;
            if (!agent || !agent->resume)
                continue;
            sessions->uses =
                xgrow(sessions->uses, &cap, sessions->count + 1, sizeof(*sessions->uses));
            sessions->uses[sessions->count++] = (struct use){.agent = adapter_name(agent->adapter),
                                                             .session = agent->resume,
                                                             .task = i,
                                                             .step = j};
        }
    }
    if (sessions->count < 2)
        return;

    int *places = xcalloc(task_count, sizeof(*places));
    int *unmet = xcalloc(task_count, sizeof(*unmet));
    sessions->order = xcalloc(task_count, sizeof(*sessions->order));
    sessions->chain = xcalloc(task_count, sizeof(*sessions->chain));
    take_orderly_tasks(plan, unmet, sessions->order);
    for (size_t i = 0; i < task_count; i++)
        places[sessions->order[i]] = (int)i;
    for (size_t i = 0; i < sessions->count; i++)
        sessions->uses[i].place = places[sessions->uses[i].task];
    qsort(sessions->uses, sessions->count, sizeof(*sessions->uses), compare_uses);
    free(unmet);
    free(places);
}

/* Checks the uses of one session. If each of its tasks needs the previous one, the longest path of
 * needs to the n-th task has n of them. */
static bool check_session(struct sessions *sessions, const struct use *uses, size_t count,
                          struct violations *violations)
{
    const struct plan *plan = sessions->plan;
    size_t next = 0;
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[sessions->order[i]];
        int longest = 0;
        for (int j = 0; j < task->need_count; j++) {
            const int chain = sessions->chain[task->needs[j]];
            longest = chain > longest ? chain : longest;
        }
        while (next < count && uses[next].place < i)
            next++;
        const bool is_one = next < count && uses[next].place == i;
        sessions->chain[sessions->order[i]] = longest + (is_one ? 1 : 0);
    }

    int tasks = 1;
    for (size_t i = 1; i < count; i++) {
        if (uses[i].task == uses[i - 1].task)
            continue;
        tasks++;
        if (sessions->chain[uses[i].task] == tasks)
            continue;
        struct str path = {0};
        struct str words = {0};
        str_addf(&path, "/tasks/%d/steps/%d/resume", uses[i].task, uses[i].step);
        str_addf(&words,
                 "task %s also continues this session, possibly at the same time; make one of the "
                 "tasks need the other",
                 plan->tasks[uses[i - 1].task].id);
        violations_add(violations, VIOLATION_INVALID_VALUE, str_text(&path), str_text(&words), NULL,
                       NULL);
        str_done(&words);
        str_done(&path);
        return false;
    }
    return true;
}

bool plan_sessions_check(const struct plan *plan, struct violations *violations)
{
    struct sessions sessions = {.plan = plan};
    bool ok = true;
    int shared = 0;
    collect_uses(&sessions);
    for (size_t from = 0, to; from < sessions.count; from = to) {
        const struct use *first = &sessions.uses[from];
        to = from + 1;
        while (to < sessions.count && compare_sessions(first, &sessions.uses[to]) == 0)
            to++;
        if (sessions.uses[to - 1].task == first->task)
            continue;
        if (++shared > PLAN_SESSIONS_SHARED_MAX) {
            struct str most = {0};
            str_addf(&most, "at most %d", PLAN_SESSIONS_SHARED_MAX);
            violations_add(violations, VIOLATION_INVALID_VALUE, "/tasks",
                           "too many sessions are continued by several tasks", str_text(&most),
                           NULL);
            str_done(&most);
            ok = false;
            break;
        }
        ok = check_session(&sessions, first, to - from, violations) && ok;
    }
    free(sessions.chain);
    free(sessions.uses);
    free(sessions.order);
    return ok;
}

/*
 * The plan. Immutable once read, so any thread may read it.
 */

/* Returns the number of the source, adding it if it is new; -1 if there is no space. */
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

void plan_source_read(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    struct plan_step *step = plan_reader_step(reader);
    const char *name = json_text(value, NULL);
    if (!name)
        return;
    step->source = source_number(reader->doc->plan, name);
    if (step->source < 0)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too many sources in one plan",
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

/* Marks the task `first` and all tasks that it needs, directly or indirectly. The caller frees. */
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

/* Writes the document with only the wanted tasks. */
static void derive_text(struct str *out, const struct json *whole, const bool *wanted)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    str_add_char(out, '{');
    while (json_next(whole, &iter, &key, &value)) {
        str_json_key(out, key);
        if (strcmp(key, "tasks") != 0) {
            json_write(out, value);
            continue;
        }
        const char *comma = "";
        str_add_char(out, '[');
        for (size_t i = 0; i < json_count(value); i++) {
            if (!wanted[i])
                continue;
            str_add(out, comma);
            json_write(out, json_at(value, i));
            comma = ",";
        }
        str_add_char(out, ']');
    }
    str_add_char(out, '}');
}

/* Writes the plan as JSON, then parses the changed JSON, so that there is one way to write and one
 * to read. Only for plans that came from JSON: invalid UTF-8 would not survive. */
bool plan_only(const struct plan *plan, const char *id, struct plan **out, struct err *err)
{
    int task = plan_find(plan, id);
    if (task < 0)
        return err_set(err, ERR_NOT_FOUND, "no task '%s' in this plan", id);

    bool *wanted = mark_needed(plan, task);
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
                          violations.count > 0 ? violations.items[0].path : "/tasks",
                          violations.count > 0 ? violations.items[0].message : "too large");
    }
    violations_done(&violations);
    json_free(whole);
    str_done(&before);
    str_done(&after);
    free(wanted);
    return ok;
}

enum { EXEC_TITLE_MAX = 120 };

void plan_free_step(struct plan_step *step)
{
    struct plan_agent *agent = step->agent;
    if (agent) {
        free(agent->prompt);
        text_list_free(agent->args);
        text_list_free(agent->permission_args);
        free(agent->model);
        free(agent->resume);
        free(agent->output);
        free(agent);
    }
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
    free(task->resources.features);
    free(task->own_workspace);
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (int i = 0; i < plan->task_count; i++)
        plan_free_task(&plan->tasks[i]);
    free(plan->tasks);
    free(plan->by_id);
    text_list_free(plan->sources);
    if (plan->base) { /* all other members belong to the base */
        free(plan);
        return;
    }

    for (int i = 0; i < AFTER_COUNT; i++)
        text_list_free(plan->after[i]);
    free(plan->policies);
    free(plan->own_policy);
    workspace_spec_done(&plan->workspace);
    sandbox_spec_done(&plan->sandbox);
    for (int i = 0; i < plan->contract_count; i++) {
        free(plan->contracts[i]->name);
        free(plan->contracts[i]->text);
        contract_free(plan->contracts[i]->schema);
        free(plan->contracts[i]);
    }
    free(plan->contracts);
    adapters_free(plan->adapters);
    plan_executors_free(plan->executors, plan->executor_count);
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
    /* Finds the first of equal ids, so that a repeated id means its first task. */
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

/* Joins the words of a command; cuts a long title between characters. */
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

/* Copies a policy to the plan, so that plan_write() writes it, unless it is built in or comes from
 * the settings, whose policies the plan already has. */
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

/* Rejects commands that plan_parse() would reject when the log is read. */
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
    /* A command given to devs is meant to run in the current folder, whatever the settings say. */
    workspace_spec_done(&plan->workspace);
    plan->said &= ~(unsigned)PLAN_SAYS_WORKSPACE;
    if (exec->sandbox) {
        sandbox_spec_done(&plan->sandbox);
        plan->sandbox = sandbox_spec_copy(exec->sandbox);
        plan->said |= PLAN_SAYS_SANDBOX;
    }
    plan->policy = plan_policy_find(plan, POLICY_DEFAULT);
    plan->tasks = xcalloc(1, sizeof(*plan->tasks));
    plan->task_count = 1;
    plan->step_count = 1;
    plan->executor = -1;

    bool repeats = exec->policy->max_attempts > 1 && policy_fits_phase(exec->policy, exec->phase);
    struct plan_task *task = &plan->tasks[0];
    task->id = xstrdup("exec");
    task->title = command_title(exec->argv);
    task->steps = xcalloc(1, sizeof(*task->steps));
    task->step_count = 1;
    task->rounds = 1;
    task->executor = -1;
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

int plan_host_count(const struct plan *plan)
{
    int count = 0;
    for (int i = 0; i < plan->executor_count; i++)
        count += plan->executors[i].host_count;
    return count;
}
