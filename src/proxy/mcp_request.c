#include "mcp_request.h"

#include <stdlib.h>
#include <string.h>

#include "mcp_tool.h"
#include "plan.h"
#include "xalloc.h"

/* Reads one argument into the request. */
typedef bool read_fn(const struct json *value, const char *name, struct mcp_request *out,
                     struct err *err);

static bool wrong(const char *name, const char *what, struct err *err)
{
    return err_set(err, ERR_INVALID, "argument '%s': %s", name, what);
}

/* A text that a program can be given: no U+0000, not too long. */
static bool is_plain(const struct json *value)
{
    size_t len = 0;
    const char *text = json_bytes(value, &len);
    return text && len < PLAN_TEXT_MAX && strlen(text) == len;
}

static bool read_argv(const struct json *value, const char *name, struct mcp_request *out,
                      struct err *err)
{
    const size_t count = json_count(value);
    if (json_kind(value) != JSON_KIND_ARRAY || count == 0)
        return wrong(name, "an array of strings that is not empty is wanted", err);
    if (count > PLAN_ARGS_MAX)
        return err_set(err, ERR_LIMIT, "argument '%s': at most %d strings", name, PLAN_ARGS_MAX);
    out->argv = xcalloc(count + 1, sizeof(*out->argv));
    for (size_t i = 0; i < count; i++) {
        if (!is_plain(json_at(value, i)))
            return wrong(name, "each is a string without U+0000, of less than 128 KiB", err);
        out->argv[i] = xstrdup(json_text(json_at(value, i), ""));
    }
    return out->argv[0][0] != '\0' || wrong(name, "the program has no name", err);
}

static bool read_cwd(const struct json *value, const char *name, struct mcp_request *out,
                     struct err *err)
{
    const char *text = json_text(value, "");
    if (!is_plain(value) || *text == '\0' || strlen(text) > MCP_PATH_MAX)
        return wrong(name, "the path of a folder is wanted", err);
    out->cwd = xstrdup(text);
    return true;
}

static bool read_env(const struct json *value, const char *name, struct mcp_request *out,
                     struct err *err)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *text = NULL;
    size_t count = 0;
    if (json_kind(value) != JSON_KIND_OBJECT)
        return wrong(name, "an object of strings is wanted", err);
    if (json_count(value) > PLAN_ENV_MAX)
        return err_set(err, ERR_LIMIT, "argument '%s': at most %d variables", name, PLAN_ENV_MAX);
    out->env = xcalloc(json_count(value) + 1, sizeof(*out->env));
    while (json_next(value, &iter, &key, &text)) {
        struct str entry = {0};
        if (*key == '\0' || strchr(key, '=') || !is_plain(text))
            return wrong(name, "names without '=', and strings as their values", err);
        str_addf(&entry, "%s=%s", key, json_text(text, ""));
        out->env[count++] = entry.data;
    }
    return true;
}

static bool read_input(const struct json *value, const char *name, struct mcp_request *out,
                       struct err *err)
{
    const char *bytes = json_bytes(value, &out->input_len);
    if (!bytes)
        return wrong(name, "a string is wanted", err);
    out->input = xcalloc(out->input_len + 1, 1);
    memcpy(out->input, bytes, out->input_len);
    return true;
}

static bool read_timeout(const struct json *value, const char *name, struct mcp_request *out,
                         struct err *err)
{
    const double seconds = json_number(value, 0);
    if (!(seconds >= 0.001 && seconds <= PLAN_TIMEOUT_S_MAX))
        return wrong(name, "seconds from 0.001 to 2592000 are wanted", err);
    out->timeout_ms = (int64_t)(seconds * 1000);
    return true;
}

static bool read_phase(const struct json *value, const char *name, struct mcp_request *out,
                       struct err *err)
{
    return phase_parse(json_text(value, ""), &out->phase) ||
           wrong(name, "RED, GREEN, VERIFY or REFACTOR", err);
}

static bool read_idempotent(const struct json *value, const char *name, struct mcp_request *out,
                            struct err *err)
{
    if (json_kind(value) != JSON_KIND_TRUE && json_kind(value) != JSON_KIND_FALSE)
        return wrong(name, "true or false", err);
    out->idempotent = json_bool(value, false);
    out->says_idempotent = true;
    return true;
}

static bool read_path(const struct json *value, const char *name, struct mcp_request *out,
                      struct err *err)
{
    const char *text = json_text(value, "");
    if (!is_plain(value) || *text == '\0' || strlen(text) > MCP_PATH_MAX)
        return wrong(name, "the path of a file is wanted", err);
    out->path = xstrdup(text);
    return true;
}

static bool read_offset(const struct json *value, const char *name, struct mcp_request *out,
                        struct err *err)
{
    out->offset = json_i64(value, -1);
    return out->offset >= 0 || wrong(name, "a byte's number from 0 on", err);
}

static bool read_length(const struct json *value, const char *name, struct mcp_request *out,
                        struct err *err)
{
    out->length = json_i64(value, -1);
    return (out->length >= 1 && out->length <= MCP_READ_BYTES_MAX) ||
           wrong(name, "bytes from 1 to 196608", err);
}

enum { NEEDED = 1 << MCP_TOOL_COUNT };

/* Which tools take an argument, as bits 1 << enum mcp_tool; NEEDED: it may not lack. */
static const struct {
    const char *name;
    unsigned tools;
    read_fn *read;
} arguments[] = {
    {"argv", 1U << MCP_TOOL_EXECUTE | NEEDED, read_argv},
    {"argv", 1U << MCP_TOOL_TESTS, read_argv},
    {"cwd", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, read_cwd},
    {"env", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, read_env},
    {"stdin", 1U << MCP_TOOL_EXECUTE, read_input},
    {"timeout_s", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, read_timeout},
    {"phase", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, read_phase},
    {"idempotent", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, read_idempotent},
    {"path", 1U << MCP_TOOL_WRITE | 1U << MCP_TOOL_READ | NEEDED, read_path},
    {"content", 1U << MCP_TOOL_WRITE | NEEDED, read_input},
    {"offset", 1U << MCP_TOOL_READ, read_offset},
    {"length", 1U << MCP_TOOL_READ, read_length},
};

static bool check_names(enum mcp_tool tool, const struct json *args, struct err *err)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(args, &iter, &key, &value)) {
        bool known = false;
        for (size_t i = 0; i < ARRAY_LEN(arguments); i++)
            known =
                known || (arguments[i].tools & 1U << tool && strcmp(arguments[i].name, key) == 0);
        if (!known)
            return err_set(err, ERR_INVALID, "%s has no argument '%.64s'", mcp_tool_name(tool),
                           key);
    }
    return true;
}

static bool read_each(enum mcp_tool tool, const struct json *args, struct mcp_request *out,
                      struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(arguments); i++) {
        const struct json *value = json_get(args, arguments[i].name);
        if (!(arguments[i].tools & 1U << tool))
            continue;
        if (!value && arguments[i].tools & NEEDED)
            return wrong(arguments[i].name, "it is missing", err);
        if (value && !arguments[i].read(value, arguments[i].name, out, err))
            return false;
    }
    return true;
}

/* Where the path goes on below the folder, which an absolute one may name. */
static const char *below(const char *path, const char *root)
{
    const size_t len = strlen(root);
    if (path[0] != '/')
        return path;
    if (strncmp(path, root, len) != 0 || path[len] != '/')
        return NULL;
    path += len;
    return path + strspn(path, "/");
}

/* No ".." that could lead out: what links do is looked at when the file is opened. */
static bool stays_inside(const char *path)
{
    for (const char *part = path; *part != '\0'; part += strspn(part, "/")) {
        const size_t len = strcspn(part, "/");
        if (len == 2 && part[0] == '.' && part[1] == '.')
            return false;
        part += len;
    }
    return true;
}

/* The log is written by devs alone. */
static bool is_of_devs(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 1 + strspn(path + 1, "/");
    return strncmp(path, ".devs", 5) == 0 && (path[5] == '/' || path[5] == '\0');
}

static bool settle_path(struct mcp_request *out, const char *root, struct err *err)
{
    const char *path = out->path ? below(out->path, root) : "";
    if (!path || !stays_inside(path)) {
        (void)err_set(err, ERR_INVALID, "argument 'path': '%.200s' is not inside the project",
                      out->path);
        return err_hint(err, "a path relative to %.120s, without '..'", root);
    }
    if (is_of_devs(path))
        return wrong("path", "what is in .devs belongs to devs", err);
    if (out->path && (*path == '\0' || path[strlen(path) - 1] == '/'))
        return wrong("path", "it names a folder", err);
    if (out->path)
        memmove(out->path, path, strlen(path) + 1);
    return true;
}

/* A folder of the project is the same one wherever the calls work. */
static void settle_cwd(struct mcp_request *out, const char *root)
{
    const char *cwd = out->cwd && strcmp(out->cwd, root) == 0 ? "." : out->cwd;
    if (cwd == out->cwd)
        cwd = cwd ? below(cwd, root) : NULL;
    if (cwd && *cwd == '\0')
        cwd = "."; /* the project, with a slash behind it */
    if (cwd)
        memmove(out->cwd, cwd, strlen(cwd) + 1);
}

bool mcp_request_read(enum mcp_tool tool, const struct json *args, const char *root,
                      struct mcp_request *out, struct err *err)
{
    *out = (struct mcp_request){.tool = tool,
                                .timeout_ms = MCP_TIMEOUT_MS,
                                .phase = mcp_tool_phase(tool),
                                .idempotent = mcp_tool_is_idempotent(tool),
                                .length = MCP_READ_BYTES_MAX};
    if (args && json_kind(args) != JSON_KIND_OBJECT)
        return err_set(err, ERR_INVALID, "arguments are an object");
    out->args = json_clone(args);
    if (!check_names(tool, args, err) || !read_each(tool, args, out, err))
        return false;
    settle_cwd(out, root);
    return settle_path(out, root, err);
}

static void free_list(char **list)
{
    for (char **text = list; text && *text; text++)
        free(*text);
    free(list);
}

void mcp_request_done(struct mcp_request *request)
{
    json_free(request->args);
    free_list(request->argv);
    free_list(request->env);
    free(request->cwd);
    free(request->input);
    free(request->path);
    *request = (struct mcp_request){0};
}
