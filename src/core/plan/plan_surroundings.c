#include "plan_surroundings.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "plan_sandbox.h"
#include "plan_workspace.h"

static const char *const hangup_names[] = {
    [PLAN_HANGUP_GO_ON] = "go-on",
    [PLAN_HANGUP_WAIT] = "wait",
    [PLAN_HANGUP_CANCEL] = "cancel",
};
static_assert(ARRAY_LEN(hangup_names) == PLAN_HANGUP_COUNT, "every word is there");

static const char *hangup_name(enum plan_hangup hangup)
{
    assert(hangup < PLAN_HANGUP_COUNT);
    return hangup_names[hangup];
}

/* False if the text is none of the words. */
static bool find_hangup(const char *text, enum plan_hangup *out)
{
    for (size_t i = 0; i < ARRAY_LEN(hangup_names); i++) {
        if (strcmp(hangup_names[i], text) != 0)
            continue;
        *out = (enum plan_hangup)i;
        return true;
    }
    return false;
}

static struct plan_limits default_limits(void)
{
    return (struct plan_limits){.output_line_bytes = PLAN_LINE_BYTES};
}

void plan_surroundings_init(struct plan *plan)
{
    plan->loops = entropy_limits_new();
    plan->workspace = workspace_spec_new();
    plan->sandbox = sandbox_spec_new();
    plan->limits = default_limits();
    plan->on_hangup = PLAN_HANGUP_GO_ON;
}

void plan_surroundings_take(struct plan *plan, const struct settings *settings)
{
    plan->said |= settings->said;
    if (settings->said & PLAN_SAYS_WORKSPACE) {
        workspace_spec_done(&plan->workspace);
        plan->workspace = workspace_spec_copy(&settings->workspace);
    }
    if (settings->said & PLAN_SAYS_SANDBOX) {
        sandbox_spec_done(&plan->sandbox);
        plan->sandbox = sandbox_spec_copy(&settings->sandbox);
    }
    if (settings->said & PLAN_SAYS_LIMITS)
        plan->limits = settings->limits;
    if (settings->said & PLAN_SAYS_HANGUP)
        plan->on_hangup = settings->on_hangup;
}

static void load_number(const struct json *value, int64_t min, int64_t max, int64_t *out)
{
    int64_t number = -1;
    plan_reader_whole(value, &number);
    if (number >= min && number <= max)
        *out = number;
}

/* The schema says what is wrong with these two. */
static void load_limits(const struct json *root, struct plan_limits *limits,
                        enum plan_hangup *hangup, unsigned *said)
{
    const struct json *value = json_get(root, "limits");
    if (value)
        *said |= PLAN_SAYS_LIMITS;
    load_number(json_get(value, "output_line_bytes"), PLAN_LINE_BYTES_MIN, PLAN_LINE_BYTES_MAX,
                &limits->output_line_bytes);
    load_number(json_get(value, "processes"), 0, PLAN_PROCESSES_MAX, &limits->processes);
    if (find_hangup(json_text(json_get(root, "on_hangup"), ""), hangup))
        *said |= PLAN_SAYS_HANGUP;
}

void plan_surroundings_load(struct plan_reader *reader, const struct json *root)
{
    struct plan *plan = reader->plan;
    const struct json *workspace = json_get(root, "workspace");
    const struct json *sandbox = json_get(root, "sandbox");
    reader->base_workspace = plan->workspace;
    reader->base_sandbox = plan->sandbox;
    plan_workspace_load(reader, workspace, &reader->base_workspace, &plan->workspace);
    plan_sandbox_load(reader, sandbox, &reader->base_sandbox, &plan->sandbox);
    load_limits(root, &plan->limits, &plan->on_hangup, &plan->said);
    plan->said |= workspace ? PLAN_SAYS_WORKSPACE : 0U;
    plan->said |= sandbox ? PLAN_SAYS_SANDBOX : 0U;
}

void plan_surroundings_check_workspace(struct plan_reader *reader, const struct json_pointer *path,
                                       const struct json *value)
{
    struct workspace_spec scratch; /* plan_surroundings_load() has taken it */
    plan_workspace_read(reader, path, value, &reader->base_workspace, &scratch);
    workspace_spec_done(&scratch);
}

void plan_surroundings_check_sandbox(struct plan_reader *reader, const struct json_pointer *path,
                                     const struct json *value)
{
    struct sandbox_spec scratch; /* likewise */
    plan_sandbox_read(reader, path, value, &reader->base_sandbox, &scratch);
    sandbox_spec_done(&scratch);
}

/* Beside transientRetries, which is a policy's. */
static bool says_sandbox(const struct json *value)
{
    const size_t retries = json_get(value, "transientRetries") ? 1 : 0;
    return json_kind(value) == JSON_KIND_STRING ||
           (json_kind(value) == JSON_KIND_OBJECT && json_count(value) > retries);
}

void plan_surroundings_read(struct plan_reader *reader, const struct json *root,
                            struct settings *settings)
{
    static const struct json_pointer top = {0};
    static const struct json_pointer workspace_place = {.up = &top, .key = "workspace"};
    static const struct json_pointer sandbox_place = {.up = &top, .key = "sandbox"};
    const struct json *workspace = json_get(root, "workspace");
    const struct json *sandbox = json_get(root, "sandbox");
    settings->limits = default_limits();
    load_limits(root, &settings->limits, &settings->on_hangup, &settings->said);
    if (workspace) {
        settings->said |= PLAN_SAYS_WORKSPACE;
        plan_workspace_read(reader, &workspace_place, workspace, workspace_spec_none(),
                            &settings->workspace);
    }
    if (says_sandbox(sandbox)) {
        settings->said |= PLAN_SAYS_SANDBOX;
        plan_sandbox_read(reader, &sandbox_place, sandbox, sandbox_spec_none(), &settings->sandbox);
    }
}

void plan_surroundings_write(const struct plan *plan, struct str *out)
{
    if (plan->said & PLAN_SAYS_WORKSPACE) {
        str_json_key(out, "workspace");
        workspace_spec_write(&plan->workspace, out);
    }
    if (plan->said & PLAN_SAYS_SANDBOX) {
        str_json_key(out, "sandbox");
        sandbox_spec_write(&plan->sandbox, out);
    }
    if (plan->said & PLAN_SAYS_LIMITS) {
        str_json_key(out, "limits");
        str_add_char(out, '{');
        str_json_i64(out, "output_line_bytes", plan->limits.output_line_bytes);
        str_json_i64(out, "processes", plan->limits.processes);
        str_add_char(out, '}');
    }
    if (plan->said & PLAN_SAYS_HANGUP)
        str_json_text(out, "on_hangup", hangup_name(plan->on_hangup));
}
