/* plan_isolation.c - reads and writes the surroundings of tasks: workspace, sandbox and limits
 * of a plan.
 *
 * The values of the plan are loaded before its tasks, which use them as defaults. Their errors are
 * reported later, at their place in the document. */
#include "plan_internal.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { MS_PER_S = 1000 };

/* Returns true if a component of the path equals `part` or, if `same` is false, if a component
 * differs from it. */
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
static void check_paths(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct json_pointer place = {.up = path, .index = i};
        const char *text = json_text(json_at(value, i), NULL);
        if (text && field_reader_is_sound(reader, &place) &&
            (text[0] == '/' || path_has_part(text, "..", true) || !path_has_part(text, ".", false)))
            field_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                             "must be within the tree, without \"..\"", "a relative path", text);
    }
}

/* Checks any key except "kind". With kind "inplace", the run's folder itself is used, so it is
 * neither created nor restored. */
static void check_workspace_member(struct field_reader *reader, const struct json_pointer *path,
                                   const struct json *value)
{
    const enum workspace_kind kind = reader->doc->workspace->kind;
    const bool says_none = json_kind(value) == JSON_KIND_ARRAY && json_count(value) == 0;
    if (kind == WORKSPACE_INPLACE && !says_none)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "needs a separate workspace; set \"kind\" to \"worktree\" or \"copy\"",
                         NULL, NULL);
    if (kind == WORKSPACE_COPY && json_count(value) > 0 && strcmp(path->key, "copy") == 0)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "a copy contains all files; use \"exclude\" to omit some", NULL, NULL);
    if (strcmp(path->key, "setup") != 0) {
        check_paths(reader, path, value);
        return;
    }
    const struct json *program = json_at(value, 0);
    if (program && json_text(program, "-")[0] == '\0')
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path, "the command is empty", NULL, NULL);
}

static const char *workspace_kind_word(int kind)
{
    return workspace_kind_name((enum workspace_kind)kind);
}

static const char *setup_in_word(int where)
{
    static const char *const words[] = {
        [WORKSPACE_SETUP_IN_SANDBOX] = "sandbox",
        [WORKSPACE_SETUP_IN_NETWORK] = "network",
        [WORKSPACE_SETUP_OUTSIDE] = "outside",
    };
    static_assert(ARRAY_LEN(words) == WORKSPACE_SETUP_IN_COUNT, "each value has a name");
    return words[where];
}

#define AT(member) offsetof(struct workspace_spec, member)

static const struct field workspace_rows[] = {
    {"kind", FIELD_WORD, AT(kind), .most = WORKSPACE_KIND_COUNT, .word = workspace_kind_word,
     .trust = FIELD_TRUST_NEVER,
     .means = "`inplace`: the folder itself; `worktree`: a git worktree for each task; `copy`: a "
              "copy of the folder for each task"},
    {"copy", FIELD_LIST, AT(copy), 0, WORKSPACE_PATHS_MAX, 1, WORKSPACE_PATH_MAX,
     .check = check_workspace_member, .values = "at most 1,000 paths", .trust = FIELD_TRUST_ALWAYS,
     .why = "copies ignored files, which may contain secrets, into workspaces",
     .means = "`worktree` only: files and folders to copy into the worktree, including ignored and "
              "uncommitted ones, relative to the top of the repository"},
    {"setup", FIELD_LIST, AT(setup), 0, WORKSPACE_ARGS_MAX, 0, PLAN_TEXT_MAX,
     .check = check_workspace_member, .values = "array of strings", .trust = FIELD_TRUST_ALWAYS,
     .why = FIELD_TRUST_RUNS,
     .means = "a command that runs once in a new workspace, before the first step, in the task's "
              "sandbox if it has one",
     .see = "; see [Setup](workspaces.md#setup)"},
    {"setup_in", FIELD_WORD, AT(setup_in), .most = WORKSPACE_SETUP_IN_COUNT, .word = setup_in_word,
     .check = check_workspace_member, .trust = FIELD_TRUST_ALWAYS, .why = FIELD_TRUST_LOOSENS,
     .means = "where `setup` runs if the task has a sandbox: `sandbox`: in the sandbox; `network`: "
              "in the sandbox, with network access; `outside`: on your machine with all your "
              "permissions, on files that sandboxed tasks may have written"},
    {"setup_timeout_s", FIELD_SECONDS, AT(setup_timeout_ms), 1, WORKSPACE_SETUP_S_MAX *MS_PER_S,
     .check = check_workspace_member, .trust = FIELD_TRUST_NEVER,
     .means = "how many seconds `setup` may take"},
    {"exclude", FIELD_LIST, AT(exclude), 0, WORKSPACE_PATHS_MAX, 1, WORKSPACE_PATH_MAX,
     .check = check_workspace_member, .values = "at most 1,000 paths", .trust = FIELD_TRUST_NEVER,
     .means = "paths that snapshots omit and resets leave alone, relative to the top of the tree"},
    {"snapshot_bytes_max", FIELD_I64, AT(snapshot_bytes_max), 1, WORKSPACE_SNAPSHOT_BYTES_MAX,
     .check = check_workspace_member, .trust = FIELD_TRUST_NEVER,
     .means = "maximum size of a snapshot in bytes"},
};
const struct fields plan_workspace_fields = FIELDS(workspace_rows);
#undef AT

void plan_workspace_read(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value, const struct workspace_spec *base,
                         struct workspace_spec *out)
{
    struct workspace_spec *outer = reader->doc->workspace;
    const bool is_word = json_kind(value) == JSON_KIND_STRING;
    enum workspace_kind kind;
    *out = workspace_spec_copy(base);
    reader->doc->workspace = out;
    if (workspace_kind_parse(json_text(is_word ? value : json_get(value, "kind"), ""), &kind))
        out->kind = kind;

    /* Drops values of `base` that only its own kind may have. */
    if (out->kind != WORKSPACE_WORKTREE)
        field_list_forget(&out->copy);
    if (out->kind == WORKSPACE_INPLACE) {
        field_list_forget(&out->setup);
        field_list_forget(&out->exclude);
        out->setup_in = WORKSPACE_SETUP_IN_SANDBOX;
        out->snapshot_bytes_max = WORKSPACE_SNAPSHOT_BYTES;
        out->setup_timeout_ms = WORKSPACE_SETUP_MS;
    }
    fields_read(reader, path, value, &plan_workspace_fields, out);
    reader->doc->workspace = outer;
}

void workspace_spec_write(const struct workspace_spec *spec, struct str *out)
{
    /* For kind "inplace", writes only the kind. */
    const struct fields kind = {.rows = workspace_rows, .count = 1};
    fields_write_object(workspace_can_be_reset(spec) ? &plan_workspace_fields : &kind, spec, out);
}

/* Reports a network that is switched on without a sandbox: the step then has the network that devs
 * has. */
static void check_network(struct field_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    if (json_bool(value, false) && reader->doc->sandbox->kind == SANDBOX_NONE)
        field_reader_add(
            reader, VIOLATION_INVALID_VALUE, path,
            "without a sandbox the network is always on; remove this key, or set a \"kind\"", NULL,
            NULL);
}

/* Reports the key unless the sandbox is a container: the other kinds start with the command itself,
 * so there is nothing to wait for. */
static void check_start_timeout(struct field_reader *reader, const struct json_pointer *path,
                                const struct json *value)
{
    (void)value;
    if (!sandbox_kind_is_container(reader->doc->sandbox->kind))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "only containers take time to start; set \"kind\" to \"container\", "
                         "\"podman\" or \"docker\"",
                         NULL, NULL);
}

static void write_start_timeout(const void *object, struct str *out)
{
    const struct sandbox_spec *spec = object;
    if (sandbox_kind_is_container(spec->kind))
        str_json_i64(out, "start_timeout_ms", spec->start_timeout_ms);
}

/* Reports "env" or "args" if there is no sandbox. */
static void check_sandbox_list(struct field_reader *reader, const struct json_pointer *path,
                               const struct json *value)
{
    const char *message =
        strcmp(path->key, "args") == 0
            ? "without a sandbox there is nothing to pass arguments to; set a \"kind\""
            : "without a sandbox a step has the whole environment; set a \"kind\"";
    if (json_count(value) > 0 && reader->doc->sandbox->kind == SANDBOX_NONE)
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path, message, NULL, NULL);
}

static void check_writable(struct field_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    const struct sandbox_spec *sandbox = reader->doc->sandbox;
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    if (count > 0 && sandbox->kind == SANDBOX_NONE && !sandbox_spec_is_read_only(sandbox))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "without a sandbox everything is writable; set a \"kind\"", NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct json_pointer place = {.up = path, .index = i};
        const char *text = json_text(json_at(value, i), NULL);
        if (!text || !field_reader_is_sound(reader, &place))
            continue;
        if (path_has_part(text, "..", true))
            field_reader_add(reader, VIOLATION_INVALID_VALUE, &place, "must not contain \"..\"",
                             NULL, text);
        else if (strspn(text, "/") == strlen(text))
            field_reader_add(
                reader, VIOLATION_INVALID_VALUE, &place,
                "the whole file system cannot be listed as writable; set \"read_only\": false",
                NULL, text);
    }
}

static void check_image(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    const char *text = json_text(value, "");
    if (text[0] == '\0' || strlen(text) > SANDBOX_IMAGE_MAX)
        return;
    if (!sandbox_kind_is_container(reader->doc->sandbox->kind))
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "only containers have an image; set \"kind\" to \"container\", \"podman\" "
                         "or \"docker\"",
                         NULL, NULL);
    /* The image is an argument of a command line, where it must not look like an option. */
    if (text[0] == '-')
        field_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                         "an image name must not begin with '-'", NULL, text);
}

static const char *sandbox_kind_word(int kind)
{
    return sandbox_kind_name((enum sandbox_kind)kind);
}

#define AT(member) offsetof(struct sandbox_spec, member)

static const struct field sandbox_rows[] = {
    {"kind", FIELD_WORD, AT(kind), .most = SANDBOX_KIND_COUNT, .word = sandbox_kind_word,
     .trust = FIELD_TRUST_UNLESS_HERE, .why = FIELD_TRUST_REPLACES,
     .means = "how steps are isolated; `container` is podman or docker, whichever is installed"},
    {"network", FIELD_SWITCH, AT(network), .check = check_network,
     .trust = FIELD_TRUST_UNLESS_FALSE, .why = FIELD_TRUST_LOOSENS,
     .means = "allow network access; off by default in a sandbox, always on without one"},
    {"memory_mb", FIELD_I64, AT(memory_mb), 0, SANDBOX_MEMORY_MB_MAX, .trust = FIELD_TRUST_NEVER,
     .means = "maximum memory in MiB, including swap, of the attempt and everything it starts; 0 "
              "means no limit"},
    {"pids", FIELD_I64, AT(pids), 0, SANDBOX_PIDS_MAX, .trust = FIELD_TRUST_NEVER,
     .means = "maximum number of processes and threads; 0 means no limit"},
    {"cpu_s", FIELD_I64, AT(cpu_s), 0, SANDBOX_CPU_S_MAX, .trust = FIELD_TRUST_NEVER,
     .means = "maximum CPU time in seconds; 0 means no limit"},
    {"read_only", FIELD_SWITCH, AT(root), .trust = FIELD_TRUST_UNLESS_TRUE,
     .why = FIELD_TRUST_LOOSENS,
     .means = "everything except the workspace, `/tmp` and `writable` is read-only; by default "
              "only with `bwrap`"},
    {"writable", FIELD_LIST, AT(writable), 0, SANDBOX_LIST_MAX, 1, SANDBOX_WORD_MAX,
     .check = check_writable, .values = "at most 1,000 paths", .trust = FIELD_TRUST_ALWAYS,
     .why = FIELD_TRUST_LOOSENS,
     .means = "writable paths in addition to the workspace, absolute or relative to it"},
    {"env", FIELD_LIST, AT(env), 0, SANDBOX_LIST_MAX, .check = check_sandbox_list,
     .own_shape = true, .values = "at most 1,000 names", .trust = FIELD_TRUST_ALWAYS,
     .why = FIELD_TRUST_LOOSENS,
     .means = "variables to pass in addition to the few that every sandbox has: `NAME`, or "
              "`PREFIX_*`"},
    {"image", FIELD_TEXT, AT(image), 1, SANDBOX_IMAGE_MAX, .check = check_image,
     .trust = FIELD_TRUST_ALWAYS, .why = FIELD_TRUST_REPLACES,
     .means = "the container image; it must exist on this machine, because devs does not download "
              "images"},
    {"start_timeout_ms", FIELD_I64, AT(start_timeout_ms), SANDBOX_START_MS_MIN,
     SANDBOX_START_MS_MAX, .check = check_start_timeout, .write = write_start_timeout,
     .trust = FIELD_TRUST_ALWAYS, .why = "applies to a container image",
     .means = "how many milliseconds the start of a container may take"},
    {"args", FIELD_LIST, AT(args), 0, SANDBOX_LIST_MAX, 1, SANDBOX_WORD_MAX,
     .check = check_sandbox_list, .trust = FIELD_TRUST_ALWAYS, .why = FIELD_TRUST_LOOSENS,
     .means = "additional arguments for `bwrap`, `podman create` or `docker create`, after the "
              "arguments that devs passes"},
    {"best_effort", FIELD_BOOL, AT(best_effort), .trust = FIELD_TRUST_UNLESS_FALSE,
     .why = FIELD_TRUST_LOOSENS,
     .means = "run without the limits that this machine cannot enforce, and list them, instead of "
              "rejecting the plan"},
    {"transientRetries", FIELD_INT, .most = SETTINGS_RETRIES_MAX, .elsewhere = true,
     .settings_only = true, .trust = FIELD_TRUST_NEVER,
     .means = "maximum number of retries of a failed start; sets `max_attempts` of the policy "
              "`infrastructure` to this number plus 1; `policies.infrastructure` takes precedence"},
};
const struct fields plan_sandbox_fields = FIELDS(sandbox_rows);
#undef AT

void plan_sandbox_read(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value, const struct sandbox_spec *base,
                       struct sandbox_spec *out)
{
    struct sandbox_spec *outer = reader->doc->sandbox;
    const bool is_word = json_kind(value) == JSON_KIND_STRING;
    const struct fields read_only = {.rows = fields_find(&plan_sandbox_fields, "read_only"),
                                     .count = 1};
    enum sandbox_kind kind;
    *out = sandbox_spec_copy(base);
    reader->doc->sandbox = out;

    /* Reads the kind and "read_only" first, because the checks of the other keys depend on them. */
    if (sandbox_kind_parse(json_text(is_word ? value : json_get(value, "kind"), ""), &kind))
        sandbox_spec_set_kind(out, kind);
    fields_read(reader, path, value, &read_only, out);
    fields_read(reader, path, value, &plan_sandbox_fields, out);

    const struct json_pointer image = {.up = path, .key = "image"};
    if (sandbox_kind_is_container(out->kind) && !out->image && !json_get(value, "image"))
        field_reader_add(reader, VIOLATION_MISSING_FIELD, &image,
                         "a container needs an image, which must be on this machine", NULL, NULL);
    reader->doc->sandbox = outer;
}

void sandbox_spec_write(const struct sandbox_spec *spec, struct str *out)
{
    fields_write_object(&plan_sandbox_fields, spec, out);
}

static const struct field limit_rows[] = {
    {"output_line_bytes", FIELD_I64, offsetof(struct plan_limits, output_line_bytes),
     PLAN_LINE_BYTES_MIN, PLAN_LINE_BYTES_MAX,
     .means = "maximum length of a line of output, in bytes; longer lines are split"},
    {"processes", FIELD_I64, offsetof(struct plan_limits, processes), 0, PLAN_PROCESSES_MAX,
     .means = "maximum number of processes of an attempt, in any sandbox; 0 means no limit"},
};
const struct fields plan_limits_fields = FIELDS(limit_rows);

const char *plan_hangup_word(int hangup)
{
    static const char *const words[] = {
        [PLAN_HANGUP_GO_ON] = "go-on",
        [PLAN_HANGUP_WAIT] = "wait",
        [PLAN_HANGUP_CANCEL] = "cancel",
    };
    static_assert(ARRAY_LEN(words) == PLAN_HANGUP_COUNT, "every value has a word");
    return words[hangup];
}

/* Returns the bits of enum plan_said for the keys that the document has. */
static unsigned said_keys(const struct json *root)
{
    unsigned said = 0;
    said |= json_get(root, "workspace") ? PLAN_SAYS_WORKSPACE : 0U;
    said |= json_get(root, "sandbox") ? PLAN_SAYS_SANDBOX : 0U;
    said |= json_get(root, "limits") ? PLAN_SAYS_LIMITS : 0U;
    said |= json_get(root, "on_hangup") ? PLAN_SAYS_HANGUP : 0U;
    return said;
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

void plan_surroundings_load(struct field_reader *reader, const struct json *root)
{
    static const struct json_pointer nowhere = {0};
    struct plan *plan = reader->doc->plan;
    const struct json *workspace = json_get(root, "workspace");
    const struct json *sandbox = json_get(root, "sandbox");
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    reader->doc->base_workspace = plan->workspace;
    reader->doc->base_sandbox = plan->sandbox;
    reader->violations = &unsaid;
    plan_workspace_read(reader, &nowhere, workspace, &reader->doc->base_workspace,
                        &plan->workspace);
    plan_sandbox_read(reader, &nowhere, sandbox, &reader->doc->base_sandbox, &plan->sandbox);
    reader->violations = said;
    violations_done(&unsaid);
    plan->said |= said_keys(root);
}

void plan_surroundings_check_workspace(struct field_reader *reader, const struct json_pointer *path,
                                       const struct json *value)
{
    struct workspace_spec scratch; /* discarded: plan_surroundings_load() has read it */
    plan_workspace_read(reader, path, value, &reader->doc->base_workspace, &scratch);
    workspace_spec_done(&scratch);
}

void plan_surroundings_check_sandbox(struct field_reader *reader, const struct json_pointer *path,
                                     const struct json *value)
{
    struct sandbox_spec scratch; /* discarded: plan_surroundings_load() has read it */
    plan_sandbox_read(reader, path, value, &reader->doc->base_sandbox, &scratch);
    sandbox_spec_done(&scratch);
}

void plan_surroundings_read(struct field_reader *reader, const struct json *root,
                            struct settings *settings)
{
    static const struct json_pointer top = {0};
    static const struct json_pointer workspace_place = {.up = &top, .key = "workspace"};
    static const struct json_pointer sandbox_place = {.up = &top, .key = "sandbox"};
    const struct json *workspace = json_get(root, "workspace");
    const struct json *sandbox = json_get(root, "sandbox");
    settings->limits = default_limits();
    settings->said = said_keys(root) & ~(unsigned)PLAN_SAYS_SANDBOX;
    if (workspace)
        plan_workspace_read(reader, &workspace_place, workspace, workspace_spec_none(),
                            &settings->workspace);
    /* Reads the sandbox only if it has other keys than transientRetries, which belongs to a
     * policy. */
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
        fields_write_object(&plan_limits_fields, &plan->limits, out);
    }
    if (plan->said & PLAN_SAYS_HANGUP)
        str_json_text(out, "on_hangup", plan_hangup_word((int)plan->on_hangup));
}
