/* plan_task.c - reads tasks and their steps.
 *
 * plan_tasks_prepare() first finds the ids, needs and workspaces of all tasks, because a task may
 * need a later one. Then each task is read with tables of its members. The schema has reported
 * wrong types; this file reports only errors that a schema cannot express. */
#include "plan_internal.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "str.h"
#include "text.h"
#include "verdict.h"
#include "xalloc.h"

static struct plan_task *current_task(struct field_reader *reader)
{
    return &reader->doc->plan->tasks[reader->doc->task];
}

static void read_run(struct field_reader *reader, const struct json_pointer *path,
                     const struct json *value)
{
    const struct json *shell = json_get(reader->doc->step_json, "shell");
    const size_t count = json_count(value);
    bool is_text = json_kind(value) == JSON_KIND_STRING;
    bool is_list = json_kind(value) == JSON_KIND_ARRAY;
    /* The schema reports a value that is not a boolean; one error is enough. */
    bool wants_shell = json_bool(shell, shell && is_text);
    if (wants_shell && is_list) {
        field_reader_add(reader, VIOLATION_WRONG_TYPE, path, "wrong type",
                         "string, because \"shell\" is true", "array");
    } else if (is_text && !wants_shell) {
        field_reader_add(reader, VIOLATION_WRONG_TYPE, path,
                         "a command in one string needs \"shell\": true", "array of strings",
                         "string");
    } else if (is_text) {
        char **argv = xcalloc(4, sizeof(*argv));
        argv[0] = xstrdup("/bin/sh");
        argv[1] = xstrdup("-c");
        field_reader_text(reader, path, value, &argv[2]);
        plan_reader_step(reader)->argv = argv;
    } else if (is_list && count > 0 && count <= PLAN_ARGS_MAX) {
        char **argv = xcalloc(count + 1, sizeof(*argv));
        for (size_t i = 0; i < count; i++) {
            struct json_pointer place = {.up = path, .index = i};
            field_reader_text(reader, &place, json_at(value, i), &argv[i]);
            if (!argv[i])
                argv[i] = xstrdup("");
        }
        plan_reader_step(reader)->argv = argv;
    }
}

static void write_run(const void *object, struct str *out)
{
    const struct plan_step *step = object;
    if (step->agent)
        plan_agent_write(step, out);
    else
        text_list_write(out, "run", step->argv);
}

static int64_t default_quiet_ms(bool has_agent)
{
    return has_agent ? PLAN_QUIET_MS : 0;
}

static void write_quiet(const void *object, struct str *out)
{
    const struct plan_step *step = object;
    if (step->quiet_ms != default_quiet_ms(step->agent))
        field_seconds_write("quiet_s", step->quiet_ms, out);
}

static const char *reason_word(int reason)
{
    return reason == REASON_NONE ? "none" : reason_name((enum reason)reason);
}

#define AT(member) offsetof(struct plan_expectation, member)
static const struct field expect_rows[] = {
    {"reason", FIELD_WORDS, AT(reasons), 1, REASON_COUNT, .word = reason_word,
     .values = "array of words",
     .means = "the expected reasons: `test-fail`, `compile`, `none` (no rule recognizes the "
              "failure), or any other reason for a failure"},
    {"match", FIELD_TEXT, AT(match), 1, PLAN_TEXT_MAX, .values = "text",
     .means = "text that must appear at the end of the output"},
};
const struct fields plan_expect_fields = FIELDS(expect_rows);
#undef AT

static void read_expect(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    struct plan_expectation *expect = &plan_reader_step(reader)->expect;
    bool is_failure =
        json_kind(value) == JSON_KIND_OBJECT || strcmp(json_text(value, ""), "failure") == 0;
    expect->what = is_failure ? PLAN_EXPECT_FAILURE : PLAN_EXPECT_SUCCESS;
    fields_read(reader, path, value, &plan_expect_fields, expect);
}

static void write_expect(const void *object, struct str *out)
{
    const struct plan_expectation *expect = &((const struct plan_step *)object)->expect;
    if (expect->what == PLAN_EXPECT_SUCCESS)
        return;
    if (expect->reasons == 0 && !expect->match) {
        str_json_text(out, "expect", "failure");
        return;
    }
    str_json_key(out, "expect");
    fields_write_object(&plan_expect_fields, expect, out);
}

static void check_file_path(struct field_reader *reader, const struct json_pointer *path,
                            const struct json *value)
{
    const char *text = json_text(value, "");
    const char *fault = text[0] != '\0' ? plan_path_fault(text) : NULL;
    if (fault)
        field_reader_invalid(reader, path, fault, NULL, value);
}

static void write_min_lines(const void *object, struct str *out)
{
    const struct plan_expected_file *file = object;
    if (file->min_lines > 0)
        str_json_i64(out, "min_lines", file->min_lines);
}

enum { FILE_PATH_MAX = 4095 };

#define AT(member) offsetof(struct plan_expected_file, member)
static const struct field file_rows[] = {
    {"path", FIELD_TEXT, AT(path), 1, FILE_PATH_MAX, .check = check_file_path, .values = "path",
     .means = "a regular file below the step's working folder", .see = "; required"},
    {"min_lines", FIELD_I64, AT(min_lines), 0, PLAN_FILE_LINES_MAX, .write = write_min_lines,
     .means = "the minimum number of lines"},
    {"contains", FIELD_TEXT, AT(contains), 1, PLAN_TEXT_MAX, .values = "text",
     .means = "text that the file must contain, taken literally"},
};
const struct fields plan_file_fields = FIELDS(file_rows);
#undef AT

static void read_expect_files(struct field_reader *reader, const struct json_pointer *path,
                              const struct json *value)
{
    struct plan_step *step = plan_reader_step(reader);
    const size_t count = json_count(value);
    if (json_kind(value) != JSON_KIND_ARRAY || count == 0 || count > PLAN_FILES_MAX)
        return;
    step->files = xcalloc(count, sizeof(*step->files));
    step->file_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        struct plan_expected_file *file = &step->files[i];
        const struct json_pointer place = {.up = path, .index = i};
        fields_read(reader, &place, json_at(value, i), &plan_file_fields, file);
        if (!file->path)
            file->path = xstrdup(""); /* the schema has reported it */
    }
}

static void write_expect_files(const void *object, struct str *out)
{
    const struct plan_step *step = object;
    if (!step->files)
        return;
    str_json_key(out, "expect_files");
    str_add_char(out, '[');
    for (int i = 0; i < step->file_count; i++) {
        str_add(out, i > 0 ? ",{" : "{");
        fields_write(&plan_file_fields, &step->files[i], out);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

static void read_policy(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    struct plan_step *step = plan_reader_step(reader);
    if (json_kind(value) == JSON_KIND_OBJECT) {
        /* The step's own policy is sound if reading it adds no errors. */
        const struct violations *found = reader->violations;
        size_t before = found->count + found->dropped;
        step->own_policy = xcalloc(1, sizeof(*step->own_policy));
        plan_policy_read_own(reader, path, value, reader->doc->plan->policy, step->own_policy);
        step->policy = step->own_policy;
        reader->doc->policy_is_sound =
            found->count + found->dropped == before && field_reader_is_sound(reader, path);
        return;
    }
    const struct policy *policy = plan_policy_by_name(reader, path, value);
    reader->doc->policy_is_sound = policy != NULL;
    if (policy)
        step->policy = policy;
}

static void read_sandbox(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    struct plan_step *step = plan_reader_step(reader);
    step->own_sandbox = xcalloc(1, sizeof(*step->own_sandbox));
    plan_sandbox_read(reader, path, value, &reader->doc->plan->sandbox, step->own_sandbox);
    step->sandbox = step->own_sandbox;
}

static void write_sandbox(const void *object, struct str *out)
{
    const struct plan_step *step = object;
    if (!step->own_sandbox)
        return;
    str_json_key(out, "sandbox");
    sandbox_spec_write(step->own_sandbox, out);
}

enum { NAME_CHARS_MAX = 200, OUTPUT_PATH_MAX = 4000 };

#define AT(member) offsetof(struct plan_step, member)
/* plan_write() writes the policy, source and contract itself, because they need the plan. */
static const struct field step_rows[] = {
    {"run", FIELD_OTHER, .read = read_run, .write = write_run,
     .values = "array of strings, at most 4,096",
     .means = "the program and its arguments, run without a shell; required unless the step has an "
              "`agent`"},
    {"shell", FIELD_BOOL, .elsewhere = true,
     .means = "if `true`, `run` is a single string for `/bin/sh -c`"},
    {"phase", FIELD_WORD, AT(phase), .most = PHASE_COUNT, .word = plan_phase_word,
     .means = "the phase of the step; the phases of a task may repeat but not go back"},
    {"cwd", FIELD_TEXT, AT(cwd), 1, PLAN_TEXT_MAX, .values = "path",
     .means = "the folder to work in; default: the run's folder"},
    {"env", FIELD_ENV, AT(env), 0, PLAN_ENV_MAX, .own_shape = true,
     .means = "variables to add to the inherited environment"},
    {"stdin", FIELD_TEXT, AT(stdin_path), 1, PLAN_TEXT_MAX, .values = "path",
     .means = "the file to read as standard input; default `/dev/null`"},
    {"timeout_s", FIELD_SECONDS, AT(timeout_ms), 1, PLAN_TIMEOUT_MS_MAX,
     .means = "how many seconds an attempt may take; default: no limit"},
    {"quiet_s", FIELD_SECONDS, AT(quiet_ms), 0, PLAN_TIMEOUT_MS_MAX, .write = write_quiet,
     .means = "how many seconds an attempt may be silent before it is stopped as timed out; 0 "
              "means no limit; default 900 for an agent, otherwise no limit"},
    {"expect", FIELD_OTHER, .read = read_expect, .write = write_expect, .ref = "expect",
     .values = "`success`, `failure`, or an object", .means = "the expected result",
     .see = "; see [A step that must fail](#a-step-that-must-fail)"},
    {"expect_files", FIELD_OTHER, .read = read_expect_files, .write = write_expect_files,
     .values = "array of objects, 1 to 32",
     .means = "files that must exist after the step; checked when the step would otherwise pass",
     .see = "; see [below](#files-that-a-step-must-leave)"},
    {"idempotent", FIELD_BOOL, AT(idempotent),
     .means = "running the step again in place does no harm; default: the plan's value"},
    {"policy", FIELD_OTHER, .read = read_policy, .ref = "ownPolicy", .values = "name or object",
     .means = "when to retry the step; default: the plan's policy",
     .see = "; see [A policy](#a-policy)"},
    {"source", FIELD_OTHER, .read = plan_source_read, .ref = "name",
     .values = "a name, in the form of an id",
     .means = "the service that the step uses; steps with the same source share a rate limit",
     .see = "; see [below](#steps-that-share-a-rate-limit)"},
    {"contract", FIELD_OTHER, .read = plan_contract_read, .ref = "contract",
     .values = "JSON Schema, or the name of one", .means = "the required output of the step",
     .see = "; see [Structured output](#structured-output)"},
    {"sandbox", FIELD_OTHER, .read = read_sandbox, .write = write_sandbox, .ref = "sandbox",
     .values = "as for the plan", .means = "overrides the plan's value, key by key"},
    /* Keys of an agent's step. */
    {"agent", FIELD_TEXT, .least = 1, .most = ADAPTER_NAME_MAX, .elsewhere = true,
     .read = plan_agent_read_name, .values = "name",
     .means = "instead of `run`: the agent to prompt, built in or from `agents`",
     .see = "; `claude`, `codex`, `copilot`, `gemini`, `kimi`, `opencode`, `pi`, `qwen`, or "
            "[your own](#an-agent-of-your-own)"},
    {"prompt", FIELD_TEXT, .least = 1, .most = PLAN_TEXT_MAX, .elsewhere = true,
     .read = plan_agent_read_text, .values = "text, at most 128 KiB",
     .means = "the prompt for the agent; required"},
    {"model", FIELD_TEXT, .least = 1, .most = NAME_CHARS_MAX, .elsewhere = true,
     .read = plan_agent_read_text, .values = "text",
     .means = "the model; default: the agent's own choice"},
    {"resume", FIELD_TEXT, .least = 1, .most = NAME_CHARS_MAX, .elsewhere = true,
     .read = plan_agent_read_text, .values = "session id",
     .means = "the session to continue; default: a new one"},
    {"args", FIELD_LIST, .most = ADAPTER_ARGS_MAX, .item_most = PLAN_TEXT_MAX, .elsewhere = true,
     .read = plan_agent_read_list, .means = "additional arguments for the agent's program"},
    {"permission_args", FIELD_LIST, .most = ADAPTER_ARGS_MAX, .item_most = PLAN_TEXT_MAX,
     .elsewhere = true, .read = plan_agent_read_list,
     .means = "arguments that set what the agent may do without asking; they replace the usual "
              "arguments",
     .see = "; see [Permissions](#permissions)"},
    {"output", FIELD_TEXT, .least = 1, .most = OUTPUT_PATH_MAX, .elsewhere = true,
     .read = plan_agent_read_output, .values = "path",
     .means = "the file, below the step's working folder, to which devs writes the agent's final "
              "text when the step has passed; missing folders are created",
     .see = ". [Secrets](secrets.md) are removed, as from everything that devs writes"},
};
const struct fields plan_step_fields = FIELDS(step_rows);
#undef AT

static void check_phase_order(struct field_reader *reader, const struct json_pointer *path)
{
    enum phase phase = plan_reader_step(reader)->phase;
    enum phase floor = reader->doc->phase_floor;
    struct json_pointer place = {.up = path, .key = "phase"};
    if (!field_reader_is_sound(reader, &place))
        return;
    if (phase >= floor) {
        reader->doc->phase_floor = phase;
        return;
    }
    struct str expected = {0};
    str_addf(&expected, "%s%s", phase_name(floor), floor < PHASE_REFACTOR ? " or later" : "");
    field_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                     "the phases of a task may repeat but not go back", str_text(&expected),
                     phase_name(phase));
    str_done(&expected);
}

/* Reports a step that may be retried but cannot be repeated safely: in place, nothing can be
 * restored before a second attempt. A workspace of the task's own is reset to its state before the
 * first attempt. */
static void check_repeatable(struct field_reader *reader, const struct json_pointer *path)
{
    struct plan_step *step = plan_reader_step(reader);
    const struct policy *policy = step->policy;
    bool may_repeat = policy->max_attempts > 1 && policy_fits_phase(policy, step->phase);
    struct json_pointer place = {.up = path, .key = "idempotent"};
    struct json_pointer phase = {.up = path, .key = "phase"};
    const bool is_unknown = step->agent && !step->agent->adapter; /* already reported */
    if (!may_repeat || !reader->doc->policy_is_sound || is_unknown ||
        plan_step_is_repeatable(current_task(reader), step))
        return;
    if (reader->doc->plan->grows) {
        step->once = true; /* clients that add tasks need not know the policies */
        return;
    }
    if (!field_reader_is_sound(reader, &place) || !field_reader_is_sound(reader, &phase))
        return;

    struct str message = {0};
    str_addf(&message,
             "policy \"%s\" may run this step again in %s, in place: declare it "
             "\"idempotent\": true, or give its task a \"workspace\" that can be reset",
             policy->name, phase_name(step->phase));
    field_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL, NULL);
    str_done(&message);
}

/* Returns the policy of a step that names none. If a check fails after an agent that has rounds
 * left, the agent must fix the cause, so the check itself is repeated only after infrastructure
 * failures. */
static const struct policy *default_policy(struct field_reader *reader)
{
    const struct plan_task *task = current_task(reader);
    const char *name = NULL;
    if (plan_agent_is_named(reader))
        name = "transport";
    else if (task->rounds > 1 && plan_task_agent_step(task, reader->doc->step - 1) >= 0)
        name = "infrastructure";
    reader->doc->policy_is_sound = name || reader->doc->default_is_sound;
    return name ? policy_list_find(&reader->doc->policies, name) : reader->doc->plan->policy;
}

static void read_step(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    struct plan_step *step = plan_reader_step(reader);
    reader->doc->step_json = value;
    *step = (struct plan_step){
        .phase = PHASE_GREEN,
        .quiet_ms = default_quiet_ms(plan_agent_is_named(reader)),
        .idempotent = reader->doc->plan->idempotent,
        .policy = default_policy(reader),
        .source = -1,
        .sandbox = &reader->doc->plan->sandbox,
    };
    if (json_kind(value) != JSON_KIND_OBJECT)
        return;
    fields_read(reader, path, value, &plan_step_fields, step);
    plan_agent_finish(reader, path);
    plan_source_guess(reader->doc->plan, step);
    check_phase_order(reader, path);
    check_repeatable(reader, path);
    plan_executor_check_step(reader, path);

    /* Contracts and files are checked only after a success. */
    const bool is_failure = step->expect.what == PLAN_EXPECT_FAILURE;
    const struct json_pointer contract = {.up = path, .key = "contract"};
    const struct json_pointer files = {.up = path, .key = "expect_files"};
    if (step->contract && is_failure)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &contract,
                         "a step that is expected to fail cannot have a contract", NULL, NULL);
    if (step->files && is_failure)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, &files,
                         "a step that is expected to fail cannot have expect_files", NULL, NULL);
}

/* Reads the array of steps into the reader's current task. */
static void read_steps(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    struct plan_task *task = current_task(reader);
    size_t count = json_count(value);
    if (json_kind(value) != JSON_KIND_ARRAY || count > PLAN_STEPS_MAX)
        return;

    task->steps = xcalloc(count, sizeof(*task->steps));
    task->step_count = (int)count;
    reader->doc->plan->step_count += task->step_count;
    reader->doc->phase_floor = PHASE_RED;
    for (size_t i = 0; i < count; i++) {
        struct json_pointer place = {.up = path, .index = i};
        reader->doc->step = (int)i;
        read_step(reader, &place, json_at(value, i));
    }
}

enum {
    NEAREST_TASKS_MAX = 500, /* with more tasks, an unknown need gets no suggestion */
};

enum need_kind { NEED_OK, NEED_NOT_TEXT, NEED_UNKNOWN, NEED_ITSELF, NEED_AGAIN };

/* Finds the task that a need names. `stamp` must be different for each list of needs. */
static enum need_kind resolve_need(struct field_reader *reader, const struct json *need, int stamp,
                                   int *out)
{
    const char *id = json_text(need, NULL);
    if (!id)
        return NEED_NOT_TEXT;
    int task = plan_find(reader->doc->plan, id);
    if (task < 0)
        return NEED_UNKNOWN;
    if (task == reader->doc->task)
        return NEED_ITSELF;
    if (reader->doc->named[task] == stamp)
        return NEED_AGAIN;
    reader->doc->named[task] = stamp;
    *out = task;
    return NEED_OK;
}

/* Reads the workspace before the steps, wherever the key is. Does not report errors:
 * check_workspace() does. */
static void take_workspace(struct field_reader *reader, const struct json *value)
{
    static const struct json_pointer nowhere = {0};
    struct plan_task *task = current_task(reader);
    const struct workspace_spec *base = &reader->doc->plan->workspace;
    task->workspace = base;
    if (!value)
        return;
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    task->own_workspace = xcalloc(1, sizeof(*task->own_workspace));
    task->workspace = task->own_workspace;
    reader->violations = &unsaid;
    plan_workspace_read(reader, &nowhere, value, base, task->own_workspace);
    reader->violations = said;
    violations_done(&unsaid);
}

/* Reads the current task's id, rounds, executor and workspace, and finds its list of needs. */
static void prepare_task(struct field_reader *reader, const struct json *value,
                         const struct json **needs)
{
    struct plan_task *task = current_task(reader);
    const struct json *workspace = NULL;
    const struct json *executor = NULL;
    void *iter = NULL;
    const char *key;
    const struct json *member;
    int64_t rounds = 1;
    while (json_next(value, &iter, &key, &member)) {
        if (strcmp(key, "id") == 0 && json_text(member, NULL))
            task->id = xstrdup(json_text(member, NULL));
        else if (strcmp(key, "rounds") == 0)
            field_read_number(member, 1, PLAN_ROUNDS_MAX, &rounds);
        else if (strcmp(key, "workspace") == 0)
            workspace = member;
        else if (strcmp(key, "executor") == 0)
            executor = member;
        else if (strcmp(key, "needs") == 0 && json_kind(member) == JSON_KIND_ARRAY)
            *needs = member;
    }
    task->rounds = (int)rounds;
    task->executor = plan_executor_take(reader, executor, reader->doc->plan->executor);
    take_workspace(reader, workspace);
}

static void prepare_needs(struct field_reader *reader, const struct json *needs)
{
    struct plan_task *task = current_task(reader);
    const size_t count = json_count(needs);
    if (count == 0 || count > PLAN_NEEDS_MAX)
        return;
    task->needs = xcalloc(count, sizeof(*task->needs));
    for (size_t i = 0; i < count; i++) {
        int number;
        if (resolve_need(reader, json_at(needs, i), reader->doc->task + 1, &number) == NEED_OK)
            task->needs[task->need_count++] = number;
    }
}

void plan_tasks_prepare(struct field_reader *reader, const struct json *tasks)
{
    struct plan *plan = reader->doc->plan;
    size_t count = json_count(tasks);
    if (json_kind(tasks) != JSON_KIND_ARRAY || count > PLAN_TASKS_MAX)
        return;

    plan->tasks = xcalloc(count, sizeof(*plan->tasks));
    plan->task_count = (int)count;
    reader->doc->named = xcalloc(count, sizeof(*reader->doc->named));
    const struct json **needs = xcalloc(count, sizeof(const struct json *)); /* lists by task */
    for (reader->doc->task = 0; reader->doc->task < plan->task_count; reader->doc->task++)
        prepare_task(reader, json_at(tasks, (size_t)reader->doc->task), &needs[reader->doc->task]);
    plan_index_ids(plan);
    reader->doc->ids_differ = true;
    for (int i = 1; i < plan->by_id_count; i++) {
        if (strcmp(plan->by_id[i - 1].id, plan->by_id[i].id) == 0)
            reader->doc->ids_differ = false;
    }

    for (reader->doc->task = 0; reader->doc->task < plan->task_count; reader->doc->task++)
        prepare_needs(reader, needs[reader->doc->task]);
    free(needs);
    plan_link_dependents(plan);
    plan_cycles_init(&reader->doc->cycles, plan);
}

static void check_id(struct field_reader *reader, const struct json_pointer *path,
                     const struct json *value)
{
    if (reader->doc->ids_differ)
        return;
    const char *id = json_text(value, NULL);
    int first = id ? plan_find(reader->doc->plan, id) : reader->doc->task;
    if (first == reader->doc->task)
        return;

    struct str message = {0};
    str_addf(&message, "the id \"%s\" is taken by /tasks/%d", id, first);
    field_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void complain_unknown_need(struct field_reader *reader, const struct json_pointer *path,
                                  const char *id)
{
    const struct plan *plan = reader->doc->plan;
    struct str message = {0};
    struct near_word near = near_word_new(id);
    const bool is_wanted = !field_reader_is_full(reader) && plan->by_id_count <= NEAREST_TASKS_MAX;
    for (int i = 0; is_wanted && i < plan->by_id_count; i++)
        near_word_offer(&near, plan->by_id[i].id);
    str_add(&message, "unknown task ");
    str_add_json(&message, id, strlen(id));
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    field_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void read_needs(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    if (json_kind(value) != JSON_KIND_ARRAY || json_count(value) > PLAN_NEEDS_MAX)
        return;

    for (size_t i = 0; i < json_count(value); i++) {
        const struct json_pointer place = {.up = path, .index = i};
        const struct json *need = json_at(value, i);
        int number;
        /* The stamp differs from that of plan_tasks_prepare(), which has resolved the same list. */
        switch (resolve_need(reader, need, -reader->doc->task - 1, &number)) {
        case NEED_OK:
        case NEED_NOT_TEXT:
            break;
        case NEED_UNKNOWN:
            complain_unknown_need(reader, &place, json_text(need, ""));
            break;
        case NEED_ITSELF:
            field_reader_add(reader, VIOLATION_INVALID_VALUE, &place, "a task cannot need itself",
                             NULL, NULL);
            break;
        case NEED_AGAIN:
            field_reader_add(reader, VIOLATION_INVALID_VALUE, &place, "is listed twice", NULL,
                             NULL);
            break;
        }
    }
    if (!reader->doc->cycles.starts[reader->doc->task])
        return;

    struct str message = {0};
    str_add(&message, "tasks need each other in a cycle: ");
    plan_cycles_name(&reader->doc->cycles, reader->doc->plan, reader->doc->task, &message);
    field_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void check_workspace(struct field_reader *reader, const struct json_pointer *path,
                            const struct json *value)
{
    struct workspace_spec scratch; /* discarded: take_workspace() has read it */
    plan_workspace_read(reader, path, value, &reader->doc->plan->workspace, &scratch);
    workspace_spec_done(&scratch);
}

/* Reports "rounds" or "budget" in a task without an agent. */
static void check_agent_key(struct field_reader *reader, const struct json_pointer *path,
                            const struct json *value)
{
    (void)value;
    const struct json *steps = json_get(reader->doc->task_json, "steps");
    for (size_t i = 0; i < json_count(steps); i++) {
        if (json_get(json_at(steps, i), "agent"))
            return;
    }
    if (field_reader_is_sound(reader, path))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "allowed only in a task with an \"agent\" step", NULL, NULL);
}

static void write_workspace(const void *object, struct str *out)
{
    const struct plan_task *task = object;
    if (!task->own_workspace)
        return;
    str_json_key(out, "workspace");
    workspace_spec_write(task->own_workspace, out);
}

static void write_rounds(const void *object, struct str *out)
{
    const struct plan_task *task = object;
    if (task->rounds > 1) /* only a task with an agent may have the key */
        str_json_i64(out, "rounds", task->rounds);
}

static void write_budget(const void *object, struct str *out)
{
    plan_budget_write(&((const struct plan_task *)object)->budget, out);
}

static void write_resources(const void *object, struct str *out)
{
    const struct executor_resources *resources = &((const struct plan_task *)object)->resources;
    if (resources->cpus == 0 && resources->memory_mb == 0 && resources->time_s == 0 &&
        resources->gpus == 0 && !resources->features)
        return;
    str_json_key(out, "resources");
    fields_write_object(&executor_resource_fields, resources, out);
}

#define AT(member) offsetof(struct plan_task, member)
/* plan_write() writes the id, the needs, the executor and the steps itself, because they need the
 * plan. */
static const struct field task_rows[] = {
    {"id", FIELD_OTHER, .read = check_id, .ref = "name",
     .values = "1 to 64 of `A-Z a-z 0-9 . _ -`, starting with a letter or digit",
     .means = "required; unique among the tasks"},
    {"title", FIELD_TEXT, AT(title), 1, PLAN_TITLE_MAX,
     .means = "the title shown on screens; default: the id"},
    {"needs", FIELD_OTHER, .read = read_needs, .values = "array of ids, at most 1,000",
     .means = "tasks that must pass first"},
    {"workspace", FIELD_OTHER, .read = check_workspace, .write = write_workspace,
     .ref = "workspace", .values = "as for the plan",
     .means = "overrides the plan's value, key by key"},
    {"steps", FIELD_OTHER, .read = read_steps, .values = "array, 1 to 64",
     .means = "what to run, one after the other", .see = "; required"},
    {"executor", FIELD_TEXT, .least = 1, .most = PLAN_EXECUTOR_NAME_MAX, .elsewhere = true,
     .read = plan_executor_check, .values = "name",
     .means = "where the task runs: the name of an executor, or `local`; default: the plan's value",
     .see = "; see [Other machines](#other-machines)"},
    {"resources", FIELD_OBJECT, AT(resources), .members = &executor_resource_fields,
     .write = write_resources, .ref = "resources", .means = "what the task needs of a cluster",
     .see = "; see [Clusters](#clusters)"},
    {"rounds", FIELD_INT, AT(rounds), 1, PLAN_ROUNDS_MAX, .read = check_agent_key,
     .write = write_rounds,
     .means = "maximum number of rounds, which are passes over the steps of the task, including "
              "the first; default 1",
     .see = "; see [Rounds](agents.md#rounds)"},
    {"budget", FIELD_OBJECT, AT(budget), .members = &plan_budget_fields, .check = check_agent_key,
     .write = write_budget, .ref = "budget", .means = "how much the agents of the task may use",
     .see = "; see [Budgets](agents.md#budgets)"},
};
const struct fields plan_task_fields = FIELDS(task_rows);
#undef AT

static void read_task(struct field_reader *reader, const struct json_pointer *place,
                      const struct json *value)
{
    reader->doc->task_json = value;
    fields_read(reader, place, value, &plan_task_fields, current_task(reader));
    plan_executor_check_task(reader, place);
    if (!current_task(reader)->title && current_task(reader)->id)
        current_task(reader)->title = xstrdup(current_task(reader)->id);
}

void plan_tasks_read(struct field_reader *reader, const struct json_pointer *path,
                     const struct json *value)
{
    for (int i = 0; i < reader->doc->plan->task_count; i++) {
        struct json_pointer place = {.up = path, .index = (size_t)i};
        reader->doc->task = i;
        read_task(reader, &place, json_at(value, place.index));
    }
}

void plan_task_read_added(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *task)
{
    struct json_pointer place = {.up = path, .index = 0};
    take_workspace(reader, NULL);
    read_task(reader, &place, task);
}
