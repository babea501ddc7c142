#include "plan_kind.h"

#include <string.h>

/* The kinds of a workspace or a sandbox: one that this version has, and others
 * that are known words. */
struct kinds {
    const char *ours;
    const char *later[4]; /* NULL-terminated */
};

static const struct kinds workspace_kinds = {"inplace", {"worktree", "copy", NULL}};
static const struct kinds sandbox_kinds = {"none", {"bwrap", "podman", "docker", NULL}};

static bool is_later(const struct kinds *kinds, const char *word)
{
    for (size_t i = 0; kinds->later[i]; i++) {
        if (strcmp(kinds->later[i], word) == 0)
            return true;
    }
    return false;
}

static void check_kind(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value, const struct kinds *kinds)
{
    const char *word = json_text(value, NULL);
    if (word && is_later(kinds, word))
        plan_reader_invalid(reader, path, "not in this version", kinds->ours, value);
}

static void check_workspace_kind(struct plan_reader *reader, const struct json_pointer *path,
                                 const struct json *value)
{
    check_kind(reader, path, value, &workspace_kinds);
}

static void check_sandbox_kind(struct plan_reader *reader, const struct json_pointer *path,
                               const struct json *value)
{
    check_kind(reader, path, value, &sandbox_kinds);
}

static void not_in_this_version(struct plan_reader *reader, const struct json_pointer *path,
                                const struct json *value)
{
    (void)value; /* whatever it is, there is nothing that could use it */
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "not in this version", NULL, NULL);
}

static const struct plan_field workspace_rows[] = {
    {"kind", check_workspace_kind},
    {"copy", not_in_this_version},
    {"setup", not_in_this_version},
};
static const struct plan_fields workspace_fields = {workspace_rows, ARRAY_LEN(workspace_rows)};

static const struct plan_field sandbox_rows[] = {
    {"kind", check_sandbox_kind},
    {"network", not_in_this_version},
};
static const struct plan_fields sandbox_fields = {sandbox_rows, ARRAY_LEN(sandbox_rows)};

void plan_workspace_check(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    check_kind(reader, path, value, &workspace_kinds);
    plan_reader_walk(reader, path, value, &workspace_fields);
}

void plan_sandbox_check(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    check_kind(reader, path, value, &sandbox_kinds);
    plan_reader_walk(reader, path, value, &sandbox_fields);
}

void plan_agent_word_check(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    (void)value; /* as above */
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                    "agents are not in this version, use \"run\"", NULL, NULL);
}
