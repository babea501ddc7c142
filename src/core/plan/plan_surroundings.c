/*
 * plan_surroundings.c - reads and writes where tasks run: workspace, sandbox and limits of a plan.
 *
 * The values of the plan are loaded before its tasks, which start from them. Errors in them are
 * reported later, at their place in the document.
 */
#include "plan_internal.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MS_PER_S = 1000 };

/* Returns true if the path has a part other than this one; with `same`, if it has this part. */
static bool path_has_part(const char *path, const char *part, bool same)
{
    while (*path != '\0') {
        path += strspn(path, "/");
        const size_t len = strcspn(path, "/");
        const bool equal = len == strlen(part) && strncmp(path, part, len) == 0;
        if (len > 0 && equal == same)
            return true;
        path += len;
    }
    return false;
}

/* Reports paths that leave their base folder, or are the folder itself. */
static void check_paths(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct json_pointer place = {.up = path, .index = i};
        const char *text = json_text(json_at(value, i), NULL);
        if (text && plan_reader_is_sound(reader, &place) &&
            (text[0] == '/' || path_has_part(text, "..", true) || !path_has_part(text, ".", false)))
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                            "must be within the tree: no \"..\", not absolute", "a relative path",
                            text);
    }
}

/* Reads any key but "kind". In place, the folder itself is neither created nor restored. */
static void read_workspace_member(struct plan_reader *reader, const struct json_pointer *path,
                                  const struct json *value)
{
    struct workspace_spec *workspace = reader->workspace;
    const char *key = path->key;
    const bool says_none = json_kind(value) == JSON_KIND_ARRAY && json_count(value) == 0;
    if (workspace->kind == WORKSPACE_INPLACE && !says_none)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "needs a workspace of its own: set \"kind\" to \"worktree\" or \"copy\"",
                        NULL, NULL);

    if (strcmp(key, "copy") == 0) {
        if (workspace->kind == WORKSPACE_COPY && json_count(value) > 0)
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                            "a copy has all files: use \"exclude\" to leave some out", NULL, NULL);
        plan_list_read(reader, path, value, WORKSPACE_PATHS_MAX, &workspace->copy);
        check_paths(reader, path, value);
    } else if (strcmp(key, "exclude") == 0) {
        plan_list_read(reader, path, value, WORKSPACE_PATHS_MAX, &workspace->exclude);
        check_paths(reader, path, value);
    } else if (strcmp(key, "setup") == 0) {
        const struct json *program = json_at(value, 0);
        plan_list_read(reader, path, value, WORKSPACE_ARGS_MAX, &workspace->setup);
        if (program && json_text(program, "-")[0] == '\0')
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "the command is empty", NULL,
                            NULL);
    } else if (strcmp(key, "setup_in") == 0) {
        enum workspace_setup_in where;
        if (workspace_setup_in_parse(json_text(value, ""), &where))
            workspace->setup_in = where;
    } else if (strcmp(key, "snapshot_bytes_max") == 0) {
        plan_reader_number(value, 1, WORKSPACE_SNAPSHOT_BYTES_MAX, &workspace->snapshot_bytes_max);
    } else {
        assert(strcmp(key, "setup_timeout_s") == 0);
        const double seconds = json_number(value, 0);
        if (seconds >= 1.0 / MS_PER_S && seconds <= WORKSPACE_SETUP_S_MAX)
            workspace->setup_timeout_ms = llround(seconds * MS_PER_S);
    }
}

static const struct plan_field workspace_rows[] = {
    {.key = "copy", .read = read_workspace_member},
    {.key = "setup", .read = read_workspace_member},
    {.key = "setup_in", .read = read_workspace_member},
    {.key = "exclude", .read = read_workspace_member},
    {.key = "snapshot_bytes_max", .read = read_workspace_member},
    {.key = "setup_timeout_s", .read = read_workspace_member},
};
static const struct plan_fields workspace_fields = {workspace_rows, ARRAY_LEN(workspace_rows)};

void plan_workspace_read(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value, const struct workspace_spec *base,
                         struct workspace_spec *out)
{
    struct workspace_spec *outer = reader->workspace;
    const bool is_word = json_kind(value) == JSON_KIND_STRING;
    enum workspace_kind kind;
    *out = workspace_spec_copy(base);
    reader->workspace = out;
    if (workspace_kind_parse(json_text(is_word ? value : json_get(value, "kind"), ""), &kind))
        out->kind = kind;

    /* Drops what was set for another kind and means nothing to this one. */
    if (out->kind != WORKSPACE_WORKTREE)
        plan_list_forget(&out->copy);
    if (out->kind == WORKSPACE_INPLACE) {
        plan_list_forget(&out->setup);
        plan_list_forget(&out->exclude);
        out->setup_in = WORKSPACE_SETUP_IN_SANDBOX;
        out->snapshot_bytes_max = WORKSPACE_SNAPSHOT_BYTES;
        out->setup_timeout_ms = WORKSPACE_SETUP_MS;
    }
    plan_fields_read(reader, path, value, &workspace_fields, NULL);
    reader->workspace = outer;
}

/* Without a sandbox, a step sees what devs sees. */
static void read_network(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    struct sandbox_spec *sandbox = reader->sandbox;
    if (json_bool(value, false) && sandbox->kind == SANDBOX_NONE)
        plan_reader_add(
            reader, VIOLATION_INVALID_VALUE, path,
            "without a sandbox the network is always on: remove this key, or set a \"kind\"", NULL,
            NULL);
    if (json_kind(value) == JSON_KIND_TRUE)
        sandbox->network = SANDBOX_NETWORK_ON;
    else if (json_kind(value) == JSON_KIND_FALSE)
        sandbox->network = SANDBOX_NETWORK_OFF;
}

/* The other kinds start with the command itself, so there is nothing to wait for. */
static void read_start_timeout(struct plan_reader *reader, const struct json_pointer *path,
                               const struct json *value)
{
    if (!sandbox_kind_is_container(reader->sandbox->kind))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "only containers take time to start: \"kind\" must be \"container\", "
                        "\"podman\" or \"docker\"",
                        NULL, NULL);
    plan_reader_number(value, SANDBOX_START_MS_MIN, SANDBOX_START_MS_MAX,
                       &reader->sandbox->start_timeout_ms);
}

/* Reads "writable", "env" or "args". */
static void read_sandbox_list(struct plan_reader *reader, const struct json_pointer *path,
                              const struct json *value)
{
    struct sandbox_spec *sandbox = reader->sandbox;
    const size_t count = json_count(value);
    const bool is_writable = strcmp(path->key, "writable") == 0;
    bool is_vain = count > 0 && sandbox->kind == SANDBOX_NONE;
    char ***list = &sandbox->env;
    const char *message = "without a sandbox a step has the whole environment: set a \"kind\"";
    if (is_writable) {
        is_vain = is_vain && !sandbox_spec_is_read_only(sandbox);
        list = &sandbox->writable;
        message = "without a sandbox everything is writable: set a \"kind\"";
    } else if (strcmp(path->key, "args") == 0) {
        list = &sandbox->args;
        message = "there is no sandbox to give arguments to: set a \"kind\"";
    }
    if (is_vain)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, message, NULL, NULL);
    plan_list_read(reader, path, value, SANDBOX_LIST_MAX, list);

    const bool is_checked = is_writable && json_kind(value) == JSON_KIND_ARRAY;
    for (size_t i = 0; is_checked && i < count; i++) {
        const struct json_pointer place = {.up = path, .index = i};
        const char *text = json_text(json_at(value, i), NULL);
        if (!text || !plan_reader_is_sound(reader, &place))
            continue;
        if (path_has_part(text, "..", true))
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place, "must not contain \"..\"",
                            NULL, text);
        else if (strspn(text, "/") == strlen(text))
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                            "the whole file system cannot be writable: set \"read_only\": false",
                            NULL, text);
    }
}

static void read_image(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    const char *text = json_text(value, NULL);
    if (!text || text[0] == '\0' || strlen(text) > SANDBOX_IMAGE_MAX)
        return;
    free(reader->sandbox->image);
    reader->sandbox->image = NULL;
    plan_reader_text(reader, path, value, &reader->sandbox->image);
    if (!sandbox_kind_is_container(reader->sandbox->kind))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "only containers have an image: \"kind\" must be \"container\", "
                        "\"podman\" or \"docker\"",
                        NULL, NULL);
    /* It goes onto a command line, where it must not look like an option. */
    if (text[0] == '-')
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "an image name must not begin with '-'", NULL, text);
}

static const struct plan_field sandbox_rows[] = {
    {.key = "network", .read = read_network},
    {.key = "memory_mb",
     .type = PLAN_FIELD_I64,
     .offset = offsetof(struct sandbox_spec, memory_mb),
     .most = SANDBOX_MEMORY_MB_MAX},
    {.key = "pids",
     .type = PLAN_FIELD_I64,
     .offset = offsetof(struct sandbox_spec, pids),
     .most = SANDBOX_PIDS_MAX},
    {.key = "cpu_s",
     .type = PLAN_FIELD_I64,
     .offset = offsetof(struct sandbox_spec, cpu_s),
     .most = SANDBOX_CPU_S_MAX},
    {.key = "writable", .read = read_sandbox_list},
    {.key = "env", .read = read_sandbox_list},
    {.key = "image", .read = read_image},
    {.key = "start_timeout_ms", .read = read_start_timeout},
    {.key = "args", .read = read_sandbox_list},
    {.key = "best_effort",
     .type = PLAN_FIELD_BOOL,
     .offset = offsetof(struct sandbox_spec, best_effort)},
};
static const struct plan_fields sandbox_fields = {sandbox_rows, ARRAY_LEN(sandbox_rows)};

void plan_sandbox_read(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value, const struct sandbox_spec *base,
                       struct sandbox_spec *out)
{
    struct sandbox_spec *outer = reader->sandbox;
    const bool is_word = json_kind(value) == JSON_KIND_STRING;
    const struct json *read_only = json_get(value, "read_only");
    enum sandbox_kind kind;
    *out = sandbox_spec_copy(base);
    reader->sandbox = out;

    /* These two before the rest, which depends on them. */
    if (sandbox_kind_parse(json_text(is_word ? value : json_get(value, "kind"), ""), &kind))
        sandbox_spec_set_kind(out, kind);
    if (json_kind(read_only) == JSON_KIND_TRUE)
        out->root = SANDBOX_ROOT_READ_ONLY;
    else if (json_kind(read_only) == JSON_KIND_FALSE)
        out->root = SANDBOX_ROOT_WRITABLE;
    plan_fields_read(reader, path, value, &sandbox_fields, out);

    const struct json_pointer image = {.up = path, .key = "image"};
    if (sandbox_kind_is_container(out->kind) && !out->image && !json_get(value, "image"))
        plan_reader_add(reader, VIOLATION_MISSING_FIELD, &image,
                        "a container needs an image, which must be on this machine", NULL, NULL);
    reader->sandbox = outer;
}

static const char *const hangup_names[] = {
    [PLAN_HANGUP_GO_ON] = "go-on",
    [PLAN_HANGUP_WAIT] = "wait",
    [PLAN_HANGUP_CANCEL] = "cancel",
};
static_assert(ARRAY_LEN(hangup_names) == PLAN_HANGUP_COUNT, "every word is there");

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

/* The schema reports errors of these two. */
static void load_limits(const struct json *root, struct plan_limits *limits,
                        enum plan_hangup *hangup, unsigned *said)
{
    const struct json *value = json_get(root, "limits");
    const char *word = json_text(json_get(root, "on_hangup"), "");
    if (value)
        *said |= PLAN_SAYS_LIMITS;
    plan_reader_number(json_get(value, "output_line_bytes"), PLAN_LINE_BYTES_MIN,
                       PLAN_LINE_BYTES_MAX, &limits->output_line_bytes);
    plan_reader_number(json_get(value, "processes"), 0, PLAN_PROCESSES_MAX, &limits->processes);
    for (size_t i = 0; i < ARRAY_LEN(hangup_names); i++) {
        if (strcmp(hangup_names[i], word) != 0)
            continue;
        *hangup = (enum plan_hangup)i;
        *said |= PLAN_SAYS_HANGUP;
    }
}

void plan_surroundings_load(struct plan_reader *reader, const struct json *root)
{
    static const struct json_pointer nowhere = {0};
    struct plan *plan = reader->plan;
    const struct json *workspace = json_get(root, "workspace");
    const struct json *sandbox = json_get(root, "sandbox");
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    reader->base_workspace = plan->workspace;
    reader->base_sandbox = plan->sandbox;
    reader->violations = &unsaid;
    plan_workspace_read(reader, &nowhere, workspace, &reader->base_workspace, &plan->workspace);
    plan_sandbox_read(reader, &nowhere, sandbox, &reader->base_sandbox, &plan->sandbox);
    reader->violations = said;
    violations_done(&unsaid);
    load_limits(root, &plan->limits, &plan->on_hangup, &plan->said);
    plan->said |= workspace ? PLAN_SAYS_WORKSPACE : 0U;
    plan->said |= sandbox ? PLAN_SAYS_SANDBOX : 0U;
}

void plan_surroundings_check_workspace(struct plan_reader *reader, const struct json_pointer *path,
                                       const struct json *value)
{
    struct workspace_spec scratch; /* plan_surroundings_load() has read it */
    plan_workspace_read(reader, path, value, &reader->base_workspace, &scratch);
    workspace_spec_done(&scratch);
}

void plan_surroundings_check_sandbox(struct plan_reader *reader, const struct json_pointer *path,
                                     const struct json *value)
{
    struct sandbox_spec scratch; /* plan_surroundings_load() has read it */
    plan_sandbox_read(reader, path, value, &reader->base_sandbox, &scratch);
    sandbox_spec_done(&scratch);
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
    /* Only if there is more than transientRetries, which belongs to a policy. */
    const size_t retries = json_get(sandbox, "transientRetries") ? 1 : 0;
    if (json_kind(sandbox) == JSON_KIND_STRING ||
        (json_kind(sandbox) == JSON_KIND_OBJECT && json_count(sandbox) > retries)) {
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
    if (plan->said & PLAN_SAYS_HANGUP) {
        assert(plan->on_hangup < PLAN_HANGUP_COUNT);
        str_json_text(out, "on_hangup", hangup_names[plan->on_hangup]);
    }
}
