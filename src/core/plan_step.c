#include "plan_step.h"

#include <math.h>
#include <string.h>

#include "plan_kind.h"
#include "plan_policy.h"
#include "plan_source.h"
#include "str.h"
#include "verdict.h"
#include "xalloc.h"

static struct plan_task *current_task(struct plan_reader *reader)
{
    return &reader->plan->tasks[reader->task];
}

static struct plan_step *current(struct plan_reader *reader)
{
    return &current_task(reader)->steps[reader->step];
}

static void read_phase(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value)
{
    const char *word = json_text(value, NULL);
    if (word && phase_parse(word, &current(reader)->phase))
        return;
    reader->step_is_sound = false;
    if (word)
        plan_reader_invalid(reader, path, "no phase", "RED, GREEN, VERIFY or REFACTOR", value);
    else
        plan_reader_wrong_type(reader, path, "string", value);
}

/* Copy an array of strings; the first one must not be empty, it is the program. */
static void read_argv(struct plan_reader *reader, const struct plan_path *path,
                      const struct json *value)
{
    struct plan_range range = {1, PLAN_ARGS_MAX};
    if (!plan_reader_array(reader, path, value, range))
        return;

    size_t count = json_count(value);
    char **argv = xcalloc(count + 1, sizeof(*argv));
    current(reader)->argv = argv;
    for (size_t i = 0; i < count; i++) {
        struct plan_path place = {.up = path, .index = i};
        const struct json *word = json_at(value, i);
        const char *text = json_text(word, NULL);
        bool may_be_empty = i > 0 && text && !*text;
        if (!may_be_empty)
            text = plan_reader_text(reader, &place, word, PLAN_TEXT_MAX);
        argv[i] = xstrdup(text ? text : "");
    }
}

static void read_shell_text(struct plan_reader *reader, const struct plan_path *path,
                            const struct json *value)
{
    const char *text = plan_reader_text(reader, path, value, PLAN_TEXT_MAX);
    if (!text)
        return;
    char **argv = xcalloc(4, sizeof(*argv));
    argv[0] = xstrdup("/bin/sh");
    argv[1] = xstrdup("-c");
    argv[2] = xstrdup(text);
    current(reader)->argv = argv;
}

static void read_run(struct plan_reader *reader, const struct plan_path *path,
                     const struct json *value)
{
    const struct json *shell = json_get(reader->step_json, "shell");
    bool is_text = json_kind(value) == JSON_KIND_STRING;
    /* A "shell" that is no boolean is complained about where it stands. */
    bool wants_shell = json_bool(shell, shell && is_text);
    if (wants_shell && !is_text)
        plan_reader_wrong_type(reader, path, "string, as \"shell\" is true", value);
    else if (wants_shell)
        read_shell_text(reader, path, value);
    else if (is_text)
        plan_reader_add(reader, VIOLATION_WRONG_TYPE, path,
                        "a command in one string needs \"shell\": true beside it",
                        "array of strings", "string");
    else
        read_argv(reader, path, value);
}

static void read_shell(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value)
{
    bool shell;
    (void)plan_reader_bool(reader, path, value, &shell); /* read_run() takes it by itself */
}

static void read_cwd(struct plan_reader *reader, const struct plan_path *path,
                     const struct json *value)
{
    const char *text = plan_reader_text(reader, path, value, PLAN_TEXT_MAX);
    if (text)
        current(reader)->cwd = xstrdup(text);
}

static void read_stdin(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value)
{
    const char *text = plan_reader_text(reader, path, value, PLAN_TEXT_MAX);
    if (text)
        current(reader)->stdin_path = xstrdup(text);
}

static void read_variable(struct plan_reader *reader, const struct plan_path *path,
                          const struct json *value, char **out)
{
    const char *name = path->key;
    const char *text = json_text(value, NULL);
    size_t name_len = strcspn(name, "=");
    bool name_is_valid = name_len > 0 && !name[name_len];
    if (!name_is_valid)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "a variable's name is not empty and has no '='", NULL, NULL);
    if (!text)
        plan_reader_wrong_type(reader, path, "string", value);
    if (!name_is_valid || !text)
        return;

    struct str variable = {0};
    str_addf(&variable, "%s=%s", name, text);
    if (variable.len > PLAN_TEXT_MAX)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too long", NULL, NULL);
    *out = xstrdup(str_text(&variable));
    str_done(&variable);
}

static void read_env(struct plan_reader *reader, const struct plan_path *path,
                     const struct json *value)
{
    size_t count = json_count(value);
    if (json_kind(value) != JSON_KIND_OBJECT) {
        plan_reader_wrong_type(reader, path, "object", value);
        return;
    }
    if (count > PLAN_ENV_MAX) {
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too many", "at most 1000", "more");
        return;
    }

    char **env = xcalloc(count + 1, sizeof(*env));
    current(reader)->env = env;
    size_t used = 0;
    void *iter = NULL;
    const char *key;
    const struct json *member;
    while (json_next(value, &iter, &key, &member)) {
        struct plan_path place = {.up = path, .key = key};
        if (!plan_reader_is_comment(key))
            read_variable(reader, &place, member, &env[used]);
        used += env[used] ? 1 : 0;
    }
}

static void read_timeout(struct plan_reader *reader, const struct plan_path *path,
                         const struct json *value)
{
    static const struct plan_range range = {0.001, PLAN_TIMEOUT_S_MAX};
    double seconds;
    if (plan_reader_number(reader, path, value, range, &seconds))
        current(reader)->timeout_ms = llround(seconds * 1000);
}

static void read_reasons(struct plan_reader *reader, const struct plan_path *path,
                         const struct json *value)
{
    struct plan_range range = {1, REASON_COUNT};
    if (!plan_reader_array(reader, path, value, range))
        return;

    for (size_t i = 0; i < json_count(value); i++) {
        struct plan_path place = {.up = path, .index = i};
        const struct json *word = json_at(value, i);
        const char *text = json_text(word, "");
        enum reason reason = REASON_NONE;
        bool is_known = strcmp(text, "none") == 0 || (*text && reason_parse(text, &reason));
        if (is_known)
            current(reader)->expect.reasons |= 1U << reason;
        else
            plan_reader_invalid(reader, &place, "no reason of a failure",
                                "test-fail, compile, none or another reason's word", word);
    }
}

static void read_match(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value)
{
    const char *text = plan_reader_text(reader, path, value, PLAN_TEXT_MAX);
    if (text)
        current(reader)->expect.match = xstrdup(text);
}

static const struct plan_field expect_rows[] = {
    {"reason", read_reasons, NULL},
    {"match", read_match, NULL},
};
static const struct plan_fields expect_fields = {expect_rows, ARRAY_LEN(expect_rows)};

static void read_expect(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value)
{
    static const char expected[] = "\"success\", \"failure\" or an object";
    struct plan_expectation *expect = &current(reader)->expect;
    enum json_kind kind = json_kind(value);
    const char *word = json_text(value, "");
    bool is_failure = kind == JSON_KIND_OBJECT || strcmp(word, "failure") == 0;
    expect->what = is_failure ? PLAN_EXPECT_FAILURE : PLAN_EXPECT_SUCCESS;

    if (kind == JSON_KIND_OBJECT)
        (void)plan_reader_object(reader, path, value, &expect_fields); /* it is an object */
    else if (kind != JSON_KIND_STRING)
        plan_reader_wrong_type(reader, path, expected, value);
    else if (!is_failure && strcmp(word, "success") != 0)
        plan_reader_invalid(reader, path, "unknown word", expected, value);
}

static void read_idempotent(struct plan_reader *reader, const struct plan_path *path,
                            const struct json *value)
{
    if (!plan_reader_bool(reader, path, value, &current(reader)->idempotent))
        reader->step_is_sound = false;
}

/* A step's own policy; not sound if something is wrong with it. */
static void read_own_policy(struct plan_reader *reader, const struct plan_path *path,
                            const struct json *value)
{
    struct plan_step *step = current(reader);
    const struct violations *found = reader->violations;
    size_t before = found->count + found->dropped;
    step->own_policy = xcalloc(1, sizeof(*step->own_policy));
    plan_policy_read_own(reader, path, value, reader->plan->policy, step->own_policy);
    step->policy = step->own_policy;
    reader->policy_is_sound = found->count + found->dropped == before;
}

static void read_policy(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value)
{
    if (json_kind(value) == JSON_KIND_OBJECT) {
        read_own_policy(reader, path, value);
        return;
    }
    const struct policy *policy = plan_policy_by_name(reader, path, value);
    reader->policy_is_sound = policy != NULL;
    if (policy)
        current(reader)->policy = policy;
}

static const struct plan_field step_rows[] = {
    {"phase", read_phase, NULL},
    {"run", read_run, NULL},
    {"shell", read_shell, NULL},
    {"cwd", read_cwd, NULL},
    {"env", read_env, NULL},
    {"stdin", read_stdin, NULL},
    {"timeout_s", read_timeout, NULL},
    {"expect", read_expect, NULL},
    {"idempotent", read_idempotent, NULL},
    {"policy", read_policy, NULL},
    {"source", plan_source_read, NULL},
    {"sandbox", plan_sandbox_read, NULL},
    {"agent", plan_agent_word_read, NULL},
    {"prompt", plan_agent_word_read, NULL},
    {"contract", plan_agent_word_read, NULL},
};
static const struct plan_fields step_fields = {step_rows, ARRAY_LEN(step_rows)};

static void check_phase_order(struct plan_reader *reader, const struct plan_path *path)
{
    enum phase phase = current(reader)->phase;
    enum phase floor = reader->phase_floor;
    if (phase >= floor) {
        reader->phase_floor = phase;
        return;
    }
    struct plan_path place = {.up = path, .key = "phase"};
    struct str expected = {0};
    str_addf(&expected, "%s%s", phase_name(floor), floor < PHASE_REFACTOR ? " or later" : "");
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                    "the phases of a task may repeat but not go back", str_text(&expected),
                    phase_name(phase));
    str_done(&expected);
}

/* In place there is nothing to put the workspace back to before a second try. */
static void check_repeatable(struct plan_reader *reader, const struct plan_path *path)
{
    const struct plan_step *step = current(reader);
    const struct policy *policy = step->policy;
    bool may_repeat = policy->max_attempts > 1 && policy_fits_phase(policy, step->phase);
    if (step->idempotent || !may_repeat)
        return;

    struct plan_path place = {.up = path, .key = "idempotent"};
    struct str message = {0};
    str_addf(&message,
             "policy \"%s\" may run this step again in %s, in place: declare it "
             "\"idempotent\": true",
             policy->name, phase_name(step->phase));
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void read_step(struct plan_reader *reader, const struct plan_path *path,
                      const struct json *value)
{
    *current(reader) = (struct plan_step){
        .phase = PHASE_GREEN,
        .idempotent = reader->plan->idempotent,
        .policy = reader->plan->policy,
        .source = -1,
    };
    reader->step_json = value;
    reader->step_is_sound = true;
    reader->policy_is_sound = reader->default_is_sound;
    if (!plan_reader_object(reader, path, value, &step_fields))
        return;

    if (!json_get(value, "run") && !json_get(value, "agent")) {
        struct plan_path place = {.up = path, .key = "run"};
        plan_reader_add(reader, VIOLATION_MISSING_FIELD, &place, "required", "array of strings",
                        "nothing");
    }
    plan_source_guess(reader->plan, current(reader));
    if (reader->step_is_sound)
        check_phase_order(reader, path);
    if (reader->step_is_sound && reader->policy_is_sound)
        check_repeatable(reader, path);
}

void plan_steps_read(struct plan_reader *reader, const struct plan_path *path,
                     const struct json *value)
{
    struct plan_range range = {1, PLAN_STEPS_MAX};
    if (!plan_reader_array(reader, path, value, range))
        return;

    struct plan_task *task = current_task(reader);
    size_t count = json_count(value);
    task->steps = xcalloc(count, sizeof(*task->steps));
    task->step_count = (int)count;
    reader->plan->step_count += task->step_count;
    reader->phase_floor = PHASE_RED;
    for (size_t i = 0; i < count; i++) {
        struct plan_path place = {.up = path, .index = i};
        reader->step = (int)i;
        read_step(reader, &place, json_at(value, i));
    }
}
