#include "plan_sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "plan_list.h"

/* Without a sandbox a step sees what devs sees. */
static void check_none(struct plan_reader *reader, const struct json_pointer *path, bool is_said,
                       const char *message)
{
    if (is_said && reader->sandbox->kind == SANDBOX_NONE)
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, message, NULL, NULL);
}

static void read_kind(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    (void)path;
    enum sandbox_kind kind;
    if (sandbox_kind_parse(json_text(value, ""), &kind))
        sandbox_spec_set_kind(reader->sandbox, kind);
}

static void read_network(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    check_none(reader, path, json_bool(value, false),
               "without a sandbox the network is as it is: leave it out, or name a \"kind\"");
    if (json_kind(value) == JSON_KIND_TRUE || json_kind(value) == JSON_KIND_FALSE)
        reader->sandbox->network =
            json_bool(value, false) ? SANDBOX_NETWORK_ON : SANDBOX_NETWORK_OFF;
}

static void read_number(const struct json *value, int64_t min, int64_t max, int64_t *out)
{
    int64_t number = -1;
    plan_reader_whole(value, &number);
    if (number >= min && number <= max)
        *out = number;
}

static void read_memory(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    (void)path;
    read_number(value, 0, SANDBOX_MEMORY_MB_MAX, &reader->sandbox->memory_mb);
}

static void read_pids(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    (void)path;
    read_number(value, 0, SANDBOX_PIDS_MAX, &reader->sandbox->pids);
}

static void read_cpu(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value)
{
    (void)path;
    read_number(value, 0, SANDBOX_CPU_S_MAX, &reader->sandbox->cpu_s);
}

/* The others start with the command itself: there is nothing to wait for. */
static void read_start_timeout(struct plan_reader *reader, const struct json_pointer *path,
                               const struct json *value)
{
    if (!sandbox_kind_is_container(reader->sandbox->kind))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "only containers take time to start: \"kind\" must be \"container\", "
                        "\"podman\" or \"docker\"",
                        NULL, NULL);
    read_number(value, SANDBOX_START_MS_MIN, SANDBOX_START_MS_MAX,
                &reader->sandbox->start_timeout_ms);
}

static void read_read_only(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    (void)path;
    if (json_kind(value) == JSON_KIND_TRUE || json_kind(value) == JSON_KIND_FALSE)
        reader->sandbox->root =
            json_bool(value, false) ? SANDBOX_ROOT_READ_ONLY : SANDBOX_ROOT_WRITABLE;
}

static void read_best_effort(struct plan_reader *reader, const struct json_pointer *path,
                             const struct json *value)
{
    (void)path;
    reader->sandbox->best_effort = json_bool(value, reader->sandbox->best_effort);
}

static void check_writable(struct plan_reader *reader, const struct json_pointer *path,
                           const char *text)
{
    if (plan_path_climbs(text))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "must not have a part \"..\"", NULL,
                        text);
    else if (strspn(text, "/") == strlen(text))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "the whole root cannot be let in: set \"read_only\": false", NULL, text);
}

static void read_writable(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value)
{
    check_none(reader, path, json_count(value) > 0 && !sandbox_spec_is_read_only(reader->sandbox),
               "without a sandbox all is writable: name a \"kind\"");
    plan_list_read(reader, path, value, SANDBOX_LIST_MAX, &reader->sandbox->writable);
    plan_list_check(reader, path, value, check_writable);
}

static void read_env(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value)
{
    check_none(reader, path, json_count(value) > 0,
               "without a sandbox a step has the whole environment: name a \"kind\"");
    plan_list_read(reader, path, value, SANDBOX_LIST_MAX, &reader->sandbox->env);
}

static void read_args(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    check_none(reader, path, json_count(value) > 0,
               "there is no sandbox to give arguments to: name a \"kind\"");
    plan_list_read(reader, path, value, SANDBOX_LIST_MAX, &reader->sandbox->args);
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
    /* It goes onto a command line, where it must not be taken for an option. */
    if (text[0] == '-')
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                        "the name of an image does not begin with '-'", NULL, text);
}

static const struct plan_field kind_rows[] = {{"kind", read_kind}};
static const struct plan_fields kind_fields = {kind_rows, ARRAY_LEN(kind_rows)};

/* Before the rest, which is looked at by it. */
static const struct plan_field root_rows[] = {{"read_only", read_read_only}};
static const struct plan_fields root_fields = {root_rows, ARRAY_LEN(root_rows)};

static const struct plan_field sandbox_rows[] = {
    {"network", read_network},   {"memory_mb", read_memory},
    {"pids", read_pids},         {"cpu_s", read_cpu},
    {"writable", read_writable}, {"env", read_env},
    {"image", read_image},       {"start_timeout_ms", read_start_timeout},
    {"args", read_args},         {"best_effort", read_best_effort},
};
static const struct plan_fields sandbox_fields = {sandbox_rows, ARRAY_LEN(sandbox_rows)};

static void check_image(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    const struct json_pointer place = {.up = path, .key = "image"};
    const bool is_container = sandbox_kind_is_container(reader->sandbox->kind);
    if (is_container && !reader->sandbox->image && !json_get(value, "image"))
        plan_reader_add(reader, VIOLATION_MISSING_FIELD, &place,
                        "a container needs an image, which must be on this machine", NULL, NULL);
}

void plan_sandbox_read(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value, const struct sandbox_spec *base,
                       struct sandbox_spec *out)
{
    struct sandbox_spec *outer = reader->sandbox;
    *out = sandbox_spec_copy(base);
    reader->sandbox = out;
    if (json_kind(value) == JSON_KIND_STRING)
        read_kind(reader, path, value);
    plan_reader_walk(reader, path, value, &kind_fields);
    plan_reader_walk(reader, path, value, &root_fields);
    plan_reader_walk(reader, path, value, &sandbox_fields);
    check_image(reader, path, value);
    reader->sandbox = outer;
}

void plan_sandbox_load(struct plan_reader *reader, const struct json *value,
                       const struct sandbox_spec *base, struct sandbox_spec *out)
{
    static const struct json_pointer nowhere = {0};
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    reader->violations = &unsaid;
    plan_sandbox_read(reader, &nowhere, value, base, out);
    reader->violations = said;
    violations_done(&unsaid);
}
