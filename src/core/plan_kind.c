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

static void check_kind(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value, const struct kinds *kinds)
{
    const char *word = json_text(value, NULL);
    if (!word)
        plan_reader_wrong_type(reader, path, "string", value);
    else if (is_later(kinds, word))
        plan_reader_invalid(reader, path, "not in this version", kinds->ours, value);
    else if (strcmp(word, kinds->ours) != 0)
        plan_reader_invalid(reader, path, "unknown kind", kinds->ours, value);
}

static void read_workspace_kind(struct plan_reader *reader, const struct plan_path *path,
                                const struct json *value)
{
    check_kind(reader, path, value, &workspace_kinds);
}

static void read_sandbox_kind(struct plan_reader *reader, const struct plan_path *path,
                              const struct json *value)
{
    check_kind(reader, path, value, &sandbox_kinds);
}

static void not_in_this_version(struct plan_reader *reader, const struct plan_path *path,
                                const struct json *value)
{
    (void)value; /* whatever it is, there is nothing that could use it */
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "not in this version", NULL, NULL);
}

static const struct plan_field workspace_rows[] = {
    {"kind", read_workspace_kind, "string"},
    {"copy", not_in_this_version, NULL},
    {"setup", not_in_this_version, NULL},
};
static const struct plan_fields workspace_fields = {workspace_rows, ARRAY_LEN(workspace_rows)};

static const struct plan_field sandbox_rows[] = {
    {"kind", read_sandbox_kind, "string"},
    {"network", not_in_this_version, NULL},
};
static const struct plan_fields sandbox_fields = {sandbox_rows, ARRAY_LEN(sandbox_rows)};

void plan_workspace_read(struct plan_reader *reader, const struct plan_path *path,
                         const struct json *value)
{
    if (json_kind(value) == JSON_KIND_STRING)
        read_workspace_kind(reader, path, value);
    else
        (void)plan_reader_object(reader, path, value, &workspace_fields); /* has complained */
}

void plan_sandbox_read(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value)
{
    if (json_kind(value) == JSON_KIND_STRING)
        read_sandbox_kind(reader, path, value);
    else
        (void)plan_reader_object(reader, path, value, &sandbox_fields); /* has complained */
}

void plan_agent_word_read(struct plan_reader *reader, const struct plan_path *path,
                          const struct json *value)
{
    (void)value; /* as above */
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                    "agents are not in this version, use \"run\"", NULL, NULL);
}
