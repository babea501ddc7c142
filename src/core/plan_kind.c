#include "plan_kind.h"

static void not_in_this_version(struct plan_reader *reader, const struct json_pointer *path,
                                const struct json *value)
{
    (void)value; /* whatever it is, there is nothing that could use it */
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "not in this version", NULL, NULL);
}

/* The schema knows the kinds. */
static const struct plan_field workspace_rows[] = {
    {"copy", not_in_this_version},
    {"setup", not_in_this_version},
};
static const struct plan_fields workspace_fields = {workspace_rows, ARRAY_LEN(workspace_rows)};

static const struct plan_field sandbox_rows[] = {
    {"network", not_in_this_version},
};
static const struct plan_fields sandbox_fields = {sandbox_rows, ARRAY_LEN(sandbox_rows)};

void plan_workspace_check(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    plan_reader_walk(reader, path, value, &workspace_fields);
}

void plan_sandbox_check(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    plan_reader_walk(reader, path, value, &sandbox_fields);
}

void plan_agent_word_check(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    (void)value; /* as above */
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                    "agents are not in this version, use \"run\"", NULL, NULL);
}
