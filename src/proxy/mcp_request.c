/* mcp_request.c - the tools: checks their arguments, and turns a call into a task.
 *
 * Without a sandbox, the tools for files run devs itself (file_act.c); in a sandbox, they run shell
 * scripts, which refuse to write the files that file_act.c refuses. */
#include "mcp_request.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "json.h"
#include "mcp_tools.h"
#include "plan.h"
#include "text.h"
#include "xalloc.h"

static const struct {
    const char *name;
    enum phase phase; /* default phase */
    bool idempotent;  /* default value */
} tools[] = {
    [MCP_TOOL_EXECUTE] = {"execute_command", PHASE_GREEN, false},
    [MCP_TOOL_TESTS] = {"run_tests", PHASE_VERIFY, true},
    [MCP_TOOL_WRITE] = {"write_file", PHASE_GREEN, true},
    [MCP_TOOL_READ] = {"read_file", PHASE_GREEN, true},
};
static_assert(ARRAY_LEN(tools) == MCP_TOOL_COUNT, "every tool is named");

const char *mcp_tool_name(enum mcp_tool tool)
{
    return tools[tool].name;
}

bool mcp_tool_parse(const char *name, enum mcp_tool *out)
{
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        if (strcmp(tools[i].name, name) != 0)
            continue;
        *out = (enum mcp_tool)i;
        return true;
    }
    return false;
}

void mcp_tool_list(struct str *out)
{
    struct json *list = NULL;
    bool ok = json_parse(mcp_tools, strlen(mcp_tools), &list, NULL, NULL);
    assert(ok); /* the asset is embedded in devs */
    (void)ok;
    json_write(out, list);
    json_free(list);
}

/* The arguments of a call. */

static bool refuse_argument(const char *name, const char *what, struct err *err)
{
    return err_set(err, ERR_INVALID, "argument '%s': %s", name, what);
}

/* Returns true for text that can be passed to a program: without U+0000 and not too long. */
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
        return refuse_argument(name, "expected a non-empty array of strings", err);
    if (count > PLAN_ARGS_MAX)
        return err_set(err, ERR_LIMIT, "argument '%s': at most %d strings", name, PLAN_ARGS_MAX);
    out->argv = xcalloc(count + 1, sizeof(*out->argv));
    for (size_t i = 0; i < count; i++) {
        if (!is_plain(json_at(value, i)))
            return refuse_argument(
                name, "expected strings without U+0000, of less than 128 KiB each", err);
        out->argv[i] = xstrdup(json_text(json_at(value, i), ""));
    }
    return out->argv[0][0] != '\0' || refuse_argument(name, "the program name is empty", err);
}

static bool read_env(const struct json *value, const char *name, struct mcp_request *out,
                     struct err *err)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *text = NULL;
    size_t count = 0;
    if (json_kind(value) != JSON_KIND_OBJECT)
        return refuse_argument(name, "expected an object of strings", err);
    if (json_count(value) > PLAN_ENV_MAX)
        return err_set(err, ERR_LIMIT, "argument '%s': at most %d variables", name, PLAN_ENV_MAX);
    out->env = xcalloc(json_count(value) + 1, sizeof(*out->env));
    while (json_next(value, &iter, &key, &text)) {
        struct str entry = {0};
        if (*key == '\0' || strchr(key, '=') || !is_plain(text))
            return refuse_argument(name, "expected names without '=', and strings as values", err);
        str_addf(&entry, "%s=%s", key, json_text(text, ""));
        out->env[count++] = entry.data;
    }
    return true;
}

enum { NEEDED = 1 << MCP_TOOL_COUNT };

enum argument {
    ARGUMENT_ARGV,
    ARGUMENT_CWD,
    ARGUMENT_ENV,
    ARGUMENT_INPUT,
    ARGUMENT_TIMEOUT,
    ARGUMENT_PHASE,
    ARGUMENT_IDEMPOTENT,
    ARGUMENT_PATH,
    ARGUMENT_OFFSET,
    ARGUMENT_LENGTH,
};

/* The tools that take an argument, as bits 1 << enum mcp_tool; NEEDED means that it is required. */
static const struct {
    const char *name;
    unsigned tools;
    enum argument argument;
} arguments[] = {
    {"argv", 1U << MCP_TOOL_EXECUTE | NEEDED, ARGUMENT_ARGV},
    {"argv", 1U << MCP_TOOL_TESTS, ARGUMENT_ARGV},
    {"cwd", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, ARGUMENT_CWD},
    {"env", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, ARGUMENT_ENV},
    {"stdin", 1U << MCP_TOOL_EXECUTE, ARGUMENT_INPUT},
    {"timeout_s", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, ARGUMENT_TIMEOUT},
    {"phase", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, ARGUMENT_PHASE},
    {"idempotent", 1U << MCP_TOOL_EXECUTE | 1U << MCP_TOOL_TESTS, ARGUMENT_IDEMPOTENT},
    {"path", 1U << MCP_TOOL_WRITE | 1U << MCP_TOOL_READ | NEEDED, ARGUMENT_PATH},
    {"content", 1U << MCP_TOOL_WRITE | NEEDED, ARGUMENT_INPUT},
    {"offset", 1U << MCP_TOOL_READ, ARGUMENT_OFFSET},
    {"length", 1U << MCP_TOOL_READ, ARGUMENT_LENGTH},
};

/* Reads one argument into the request. */
static bool read_argument(enum argument argument, const char *name, const struct json *value,
                          struct mcp_request *out, struct err *err)
{
    const char *text = json_text(value, "");
    const bool is_path = is_plain(value) && *text != '\0' && strlen(text) <= MCP_PATH_MAX;
    const double seconds = json_number(value, 0);
    const char *bytes = NULL;
    switch (argument) {
    case ARGUMENT_ARGV:
        return read_argv(value, name, out, err);
    case ARGUMENT_CWD:
        if (!is_path)
            return refuse_argument(name, "expected the path of a folder", err);
        out->cwd = xstrdup(text);
        return true;
    case ARGUMENT_ENV:
        return read_env(value, name, out, err);
    case ARGUMENT_INPUT:
        bytes = json_bytes(value, &out->input_len);
        if (!bytes)
            return refuse_argument(name, "expected a string", err);
        out->input = xcalloc(out->input_len + 1, 1);
        memcpy(out->input, bytes, out->input_len);
        return true;
    case ARGUMENT_TIMEOUT:
        if (!(seconds >= 0.001 && seconds <= PLAN_TIMEOUT_S_MAX))
            return refuse_argument(name, "expected seconds from 0.001 to 2592000", err);
        out->timeout_ms = (int64_t)(seconds * 1000);
        return true;
    case ARGUMENT_PHASE:
        return phase_parse(text, &out->phase) ||
               refuse_argument(name, "expected RED, GREEN, VERIFY or REFACTOR", err);
    case ARGUMENT_IDEMPOTENT:
        if (json_kind(value) != JSON_KIND_TRUE && json_kind(value) != JSON_KIND_FALSE)
            return refuse_argument(name, "expected true or false", err);
        out->idempotent = json_bool(value, false);
        out->says_idempotent = true;
        return true;
    case ARGUMENT_PATH:
        if (!is_path)
            return refuse_argument(name, "expected the path of a file", err);
        out->path = xstrdup(text);
        return true;
    case ARGUMENT_OFFSET:
        out->offset = json_i64(value, -1);
        return out->offset >= 0 || refuse_argument(name, "expected a byte offset, 0 or more", err);
    case ARGUMENT_LENGTH:
        out->length = json_i64(value, -1);
        return (out->length >= 1 && out->length <= MCP_READ_BYTES_MAX) ||
               refuse_argument(name, "expected a number of bytes from 1 to 196608", err);
    }
    return false;
}

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

/* Returns the part of the path that is below `root`, or NULL if it is not below it. The path may be
 * relative or absolute. */
static const char *path_below(const char *path, const char *root)
{
    const size_t len = strlen(root);
    if (path[0] != '/')
        return path;
    if (strncmp(path, root, len) != 0 || path[len] != '/')
        return NULL;
    path += len;
    return path + strspn(path, "/");
}

/* Returns false if the path contains "..", which could lead out. Links are checked when the file is
 * opened. */
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

static bool settle_path(struct mcp_request *out, const char *root, struct err *err)
{
    const char *path = out->path ? path_below(out->path, root) : "";
    if (!path || !stays_inside(path)) {
        (void)err_set(err, ERR_INVALID, "argument 'path': '%.200s' is not inside the project",
                      out->path);
        return err_hint(err, "use a path relative to %.120s, without '..'", root);
    }
    /* Only devs writes to the log's directory. */
    const char *first = path;
    while (first[0] == '.' && first[1] == '/')
        first += 1 + strspn(first + 1, "/");
    if (strncmp(first, ".devs", 5) == 0 && (first[5] == '/' || first[5] == '\0'))
        return refuse_argument("path", "files in .devs belong to devs", err);
    if (out->path && (*path == '\0' || path[strlen(path) - 1] == '/'))
        return refuse_argument("path", "expected a file, not a folder", err);
    if (out->path)
        memmove(out->path, path, strlen(path) + 1);
    return true;
}

/* Makes a directory in the project relative, so that it is valid wherever calls run. */
static void settle_cwd(struct mcp_request *out, const char *root)
{
    const char *cwd = out->cwd && strcmp(out->cwd, root) == 0 ? "." : out->cwd;
    if (cwd == out->cwd)
        cwd = cwd ? path_below(cwd, root) : NULL;
    if (cwd && *cwd == '\0')
        cwd = "."; /* the project with a trailing slash */
    if (cwd)
        memmove(out->cwd, cwd, strlen(cwd) + 1);
}

bool mcp_request_read(enum mcp_tool tool, const struct json *args, const char *root,
                      struct mcp_request *out, struct err *err)
{
    *out = (struct mcp_request){.tool = tool,
                                .timeout_ms = MCP_TIMEOUT_MS,
                                .phase = tools[tool].phase,
                                .idempotent = tools[tool].idempotent,
                                .length = MCP_READ_BYTES_MAX};
    if (args && json_kind(args) != JSON_KIND_OBJECT)
        return err_set(err, ERR_INVALID, "arguments must be an object");
    out->args = json_clone(args);
    if (!check_names(tool, args, err))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(arguments); i++) {
        const char *name = arguments[i].name;
        const struct json *value = json_get(args, name);
        if (!(arguments[i].tools & 1U << tool))
            continue;
        if (!value && arguments[i].tools & NEEDED)
            return refuse_argument(name, "it is missing", err);
        if (value && !read_argument(arguments[i].argument, name, value, out, err))
            return false;
    }
    settle_cwd(out, root);
    return settle_path(out, root, err);
}

void mcp_request_done(struct mcp_request *request)
{
    json_free(request->args);
    text_list_free(request->argv);
    text_list_free(request->env);
    free(request->cwd);
    free(request->input);
    free(request->path);
    *request = (struct mcp_request){0};
}

/* The scripts can only use programs that exist in the sandbox. Arguments: path, offset, length.
 * They enter the directory before opening the file, so that no link on the way leads out. 66 is
 * FILE_ACT_NO_FILE. */
#define SPLIT "top=$(pwd -P); case $1 in */*) d=${1%/*};; *) d=.;; esac; b=${1##*/}; "
#define ENTER                                                                                      \
    "cd -P -- \"./$d\" || exit 66; case $(pwd -P)/ in \"$top\"/*) ;; *) "                          \
    "echo \"$1: outside the project\" >&2; exit 66;; esac; "                                       \
    "if [ -h \"./$b\" ]; then echo \"$1: it is a link\" >&2; exit 66; fi; "
static const char read_script[] =
    SPLIT ENTER "[ -f \"./$b\" ] || { echo \"$1: No such file or directory\" >&2; exit 66; }; "
                "tail -c \"+$(($2 + 1))\" \"./$b\" | head -c \"$3\"";

/* Refuses the same files as file_act_write(): guarded names as given, the files and directories
 * they lead to, and plans. Before a directory is made, its parent is checked. If a program is
 * missing in the sandbox, everything must be refused. */
#define GUARD                                                                                      \
    "path=$1; refuse() { echo \"$path: refused: it decides which commands devs or git run\" >&2; " \
    "exit 66; }; "                                                                                 \
    "guard() { n=$(printf '/%s/\\n' \"$1\" | sed "                                                 \
    "'y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/;s,:[^/]*,,g;s,[. ]*/,/,g') "        \
    "|| exit 1; case $n in */.git/*|*/git~*|*/.devs/*|*/devs~*|"                                   \
    "*/devs.config.json/*|*/devs.project.json/*|*/plan.json/*|*/phase-*.plan.json/*) "             \
    "refuse;; esac; }; guard \"$1\"; "                                                             \
    "guard_place() { p=$1; while [ \"$p\" != \"$top\" ] && [ -n \"$p\" ]; do "                     \
    "for n in .git .devs devs.config.json; do [ \"$p\" -ef \"$top/$n\" ] && refuse; done; "        \
    "p=${p%/*}; done; guard \"${1#\"$top\"}\"; }; "
#define MAKE_FOLDER                                                                                \
    "e=$d; until [ -d \"./$e\" ]; do case $e in */*) e=${e%/*};; *) e=.;; esac; done; "            \
    "f=$(cd -P -- \"./$e\" && pwd -P) || exit 66; guard_place \"$f\"; "                            \
    "mkdir -p -- \"./$d\" || exit 1; "
/* Refuses text that looks like a plan when whitespace is removed. JSON may escape the letters of a
 * key, but no editor or program does that, so text with such an escape is refused without a closer
 * look. 67108865 is PLAN_BYTES_MAX + 1. */
#define GUARD_PLAN                                                                                 \
    "if [ -f \"./$b\" ] && [ -r \"./$b\" ]; then "                                                 \
    "j=$(head -c 67108865 \"./$b\" | tr -d '\\000 \\t\\r\\n') || exit 1; case $j in \\{*) "        \
    "case $j in *'\\u00'[67]*) refuse;; esac; case $j in *'\"version\":'[-0-9]*) "                 \
    "case $j in *'\"tasks\":['*) refuse;; esac;; esac;; esac; j=; fi; "
/* Keeps the mode, like file_act.c. If a directory has that name, mv would move the file into it. */
static const char write_script[] = SPLIT GUARD MAKE_FOLDER ENTER
    "f=$(pwd -P); guard_place \"${f%/}/$b\"; " GUARD_PLAN
    "if [ -d \"./$b\" ]; then echo \"$1: Is a directory\" >&2; exit 66; fi; t=./$b.devs-$$; "
    "rm -f \"$t\"; set -C; cat >\"$t\" && { [ ! -f \"./$b\" ] || chmod \"$(stat -c %a \"./$b\")\" "
    "\"$t\"; } "
    "&& mv -f \"$t\" \"./$b\" || { rm -f \"$t\"; exit 1; }";

/* Building the task for a call. */

static void add_word(struct str *out, const char *word)
{
    if (out->len > 0)
        str_add_char(out, ',');
    str_add_json(out, word, strlen(word));
}

static void add_number(struct str *out, int64_t number)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%" PRId64, number);
    add_word(out, text);
}

/* Appends the command's arguments as elements of a JSON array. Fails with ERR_NOT_FOUND for
 * run_tests without a command. */
static bool add_call(const struct mcp_request *request, const struct mcp_setting *set,
                     struct str *out, struct err *err)
{
    char *const *argv = request->argv ? request->argv : set->tests;
    if (!request->path) {
        if (!argv) {
            (void)err_set(err, ERR_NOT_FOUND, "no test command is set");
            return err_hint(err, "pass argv, or ask the person to add \"tests\": {\"run\": "
                                 "[\"make\", \"test\"]} to devs.config.json");
        }
        for (; *argv; argv++)
            add_word(out, *argv);
        return true;
    }

    const bool reads = request->tool == MCP_TOOL_READ;
    const bool is_outside = set->kept == SANDBOX_NONE;
    if (is_outside) {
        add_word(out, set->program);
        add_word(out, "mcp");
        add_word(out, reads ? "--read-file" : "--write-file");
        add_word(out, request->path);
    } else {
        add_word(out, "/bin/sh");
        add_word(out, "-c");
        add_word(out, reads ? read_script : write_script);
        add_word(out, "sh");
        add_word(out, request->path);
    }
    if (reads) {
        if (is_outside)
            add_word(out, "--offset");
        add_number(out, request->offset);
        if (is_outside)
            add_word(out, "--length");
        add_number(out, request->length);
    }
    return true;
}

static void add_title(const struct mcp_request *request, const struct mcp_setting *set,
                      struct str *out)
{
    struct str words = {0};
    struct str clean = {0};
    char *const *argv = request->argv ? request->argv : set->tests;
    str_add(&words, mcp_tool_name(request->tool));
    if (request->path)
        str_addf(&words, " %s", request->path);
    for (char *const *word = request->path ? NULL : argv;
         word && *word && words.len < MCP_TITLE_BYTES; word++)
        str_addf(&words, " %.*s", MCP_TITLE_BYTES, *word);
    text_clean(&clean, str_text(&words), words.len);
    for (size_t i = 0; i < clean.len; i++) {
        if (clean.data[i] == '\n')
            clean.data[i] = ' ';
    }
    str_json_key(out, "title");
    str_add_json(out, str_text(&clean), text_cut(str_text(&clean), clean.len, MCP_TITLE_BYTES));
    str_done(&clean);
    str_done(&words);
}

bool mcp_task_write(const struct mcp_request *request, const struct mcp_setting *set,
                    int64_t number, struct str *out, struct err *err)
{
    char id[16]; /* such as "c00042": ids in ascending order are cheapest (engine.h) */
    struct str call = {0};
    if (!add_call(request, set, &call, err)) {
        str_done(&call);
        return false;
    }
    (void)snprintf(id, sizeof(id), "c%05" PRId64, number);
    str_add_char(out, '{');
    str_json_text(out, "id", id);
    add_title(request, set, out);
    str_add(out, ",\"steps\":[{");
    str_json_text(out, "phase", phase_name(request->phase));
    str_addf(out, ",\"run\":[%s]", str_text(&call));
    if (request->cwd)
        str_json_text(out, "cwd", request->cwd);
    if (request->env && *request->env) {
        str_json_key(out, "env");
        str_add_char(out, '{');
        for (char *const *entry = request->env; *entry; entry++) {
            const size_t name = strcspn(*entry, "=");
            if (entry != request->env)
                str_add_char(out, ',');
            str_add_json(out, *entry, name);
            str_add_char(out, ':');
            str_add_json(out, *entry + name + 1, strlen(*entry + name + 1));
        }
        str_add_char(out, '}');
    }
    str_json_key(out, "timeout_s");
    str_add_number(out, (double)request->timeout_ms / 1000);
    str_json_bool(out, "idempotent", request->idempotent);
    if (request->path)
        /* Retrying does not help if the file is missing. */
        str_json_text(out, "policy", "infrastructure");
    str_add(out, "}]}");
    str_done(&call);
    return true;
}
