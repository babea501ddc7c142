#include "plan_workspace.h"

#include <math.h>

#include "plan_list.h"
#include "text_list.h"

enum { MS_PER_S = 1000 };

static void read_kind(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    (void)path;
    enum workspace_kind kind;
    if (workspace_kind_parse(json_text(value, ""), &kind))
        reader->workspace->kind = kind;
}

static void check_path(struct plan_reader *reader, const struct json_pointer *path,
                       const char *text)
{
    if (!plan_path_is_within(text))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "must be within the tree: no \"..\", not absolute", "a relative path",
                        text);
}

/* The folder itself is neither made nor put back. */
static void check_made(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    const bool says_none = json_kind(value) == JSON_KIND_ARRAY && json_count(value) == 0;
    if (reader->workspace->kind == WORKSPACE_INPLACE && !says_none)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "in place nothing is made: it needs \"kind\": \"worktree\" or \"copy\"",
                        NULL, NULL);
}

static void read_copy(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    check_made(reader, path, value);
    if (reader->workspace->kind == WORKSPACE_COPY && json_count(value) > 0)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "a copy has all files: name those that it leaves out with \"exclude\"",
                        NULL, NULL);
    plan_list_read(reader, path, value, WORKSPACE_PATHS_MAX, &reader->workspace->copy);
    plan_list_check(reader, path, value, check_path);
}

static void read_exclude(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    check_made(reader, path, value);
    plan_list_read(reader, path, value, WORKSPACE_PATHS_MAX, &reader->workspace->exclude);
    plan_list_check(reader, path, value, check_path);
}

static void read_setup(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    const struct json *program = json_at(value, 0);
    check_made(reader, path, value);
    plan_list_read(reader, path, value, WORKSPACE_ARGS_MAX, &reader->workspace->setup);
    if (program && json_text(program, "-")[0] == '\0')
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "the command is empty", NULL, NULL);
}

static void read_setup_in(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    enum workspace_setup_in where;
    check_made(reader, path, value);
    if (workspace_setup_in_parse(json_text(value, ""), &where))
        reader->workspace->setup_in = where;
}

static void read_snapshot_max(struct plan_reader *reader, const struct json_pointer *path,
                              const struct json *value)
{
    int64_t bytes = 0;
    check_made(reader, path, value);
    plan_reader_whole(value, &bytes);
    if (bytes > 0 && bytes <= WORKSPACE_SNAPSHOT_BYTES_MAX)
        reader->workspace->snapshot_bytes_max = bytes;
}

static void read_setup_timeout(struct plan_reader *reader, const struct json_pointer *path,
                               const struct json *value)
{
    const double seconds = json_number(value, 0);
    check_made(reader, path, value);
    if (seconds >= 1.0 / MS_PER_S && seconds <= WORKSPACE_SETUP_S_MAX)
        reader->workspace->setup_timeout_ms = llround(seconds * MS_PER_S);
}

static const struct plan_field kind_rows[] = {{"kind", read_kind}};
static const struct plan_fields kind_fields = {kind_rows, ARRAY_LEN(kind_rows)};

static const struct plan_field workspace_rows[] = {
    {"copy", read_copy},
    {"setup", read_setup},
    {"setup_in", read_setup_in},
    {"exclude", read_exclude},
    {"snapshot_bytes_max", read_snapshot_max},
    {"setup_timeout_s", read_setup_timeout},
};
static const struct plan_fields workspace_fields = {workspace_rows, ARRAY_LEN(workspace_rows)};

static void forget_list(char ***list)
{
    text_list_free(*list);
    *list = NULL;
}

/* What was said for another kind and means nothing to this one. */
static void forget_other_kind(struct workspace_spec *spec)
{
    if (spec->kind != WORKSPACE_WORKTREE)
        forget_list(&spec->copy);
    if (spec->kind != WORKSPACE_INPLACE)
        return;
    forget_list(&spec->setup);
    forget_list(&spec->exclude);
    spec->setup_in = WORKSPACE_SETUP_IN_SANDBOX;
    spec->snapshot_bytes_max = WORKSPACE_SNAPSHOT_BYTES;
    spec->setup_timeout_ms = WORKSPACE_SETUP_MS;
}

void plan_workspace_read(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value, const struct workspace_spec *base,
                         struct workspace_spec *out)
{
    struct workspace_spec *outer = reader->workspace;
    *out = workspace_spec_copy(base);
    reader->workspace = out;
    if (json_kind(value) == JSON_KIND_STRING)
        read_kind(reader, path, value);
    plan_reader_walk(reader, path, value, &kind_fields);
    forget_other_kind(out);
    plan_reader_walk(reader, path, value, &workspace_fields);
    reader->workspace = outer;
}

void plan_workspace_load(struct plan_reader *reader, const struct json *value,
                         const struct workspace_spec *base, struct workspace_spec *out)
{
    static const struct json_pointer nowhere = {0};
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    reader->violations = &unsaid;
    plan_workspace_read(reader, &nowhere, value, base, out);
    reader->violations = said;
    violations_done(&unsaid);
}
