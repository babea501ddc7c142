#include "mcp_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mcp_tool.h"
#include "text.h"

/* In a sandbox only what is there can be called. The arguments: path, offset, length. The folder
 * is entered before the file is opened, so that no link on the way leads out. 66 is
 * FILE_ACT_NO_FILE. */
#define SPLIT "top=$(pwd -P); case $1 in */*) d=${1%/*};; *) d=.;; esac; b=${1##*/}; "
#define ENTER                                                                                      \
    "cd -P -- \"./$d\" || exit 66; case $(pwd -P)/ in \"$top\"/*) ;; *) "                          \
    "echo \"$1: outside the project\" >&2; exit 66;; esac; "                                       \
    "if [ -h \"./$b\" ]; then echo \"$1: it is a link\" >&2; exit 66; fi; "
static const char read_script[] =
    SPLIT ENTER "[ -f \"./$b\" ] || { echo \"$1: No such file or directory\" >&2; exit 66; }; "
                "tail -c \"+$(($2 + 1))\" \"./$b\" | head -c \"$3\"";

/* What file_act_write() refuses: names as they are given, the files and folders that they lead to,
 * and plans. Folders are made only after the one that they would be in was checked. A program that
 * is missing in the sandbox must not let anything pass. */
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
/* The text without blanks looks like a plan. JSON may escape the letters of a key; an editor or a
 * program never does that, so such a text is refused without a closer look. 67108865 is
 * PLAN_BYTES_MAX + 1. */
#define GUARD_PLAN                                                                                 \
    "if [ -f \"./$b\" ] && [ -r \"./$b\" ]; then "                                                 \
    "j=$(head -c 67108865 \"./$b\" | tr -d '\\000 \\t\\r\\n') || exit 1; case $j in \\{*) "        \
    "case $j in *'\\u00'[67]*) refuse;; esac; case $j in *'\"version\":'[-0-9]*) "                 \
    "case $j in *'\"tasks\":['*) refuse;; esac;; esac;; esac; j=; fi; "
/* The mode stays, as file_act.c has it; into a folder of that name mv would put it. */
static const char write_script[] = SPLIT GUARD MAKE_FOLDER ENTER
    "f=$(pwd -P); guard_place \"${f%/}/$b\"; " GUARD_PLAN
    "if [ -d \"./$b\" ]; then echo \"$1: Is a directory\" >&2; exit 66; fi; t=./$b.devs-$$; "
    "rm -f \"$t\"; set -C; cat >\"$t\" && { [ ! -f \"./$b\" ] || chmod \"$(stat -c %a \"./$b\")\" "
    "\"$t\"; } "
    "&& mv -f \"$t\" \"./$b\" || { rm -f \"$t\"; exit 1; }";

enum { ID_BYTES = 16 /* of a task's id, NUL counted */ };

/* "c00042": ids that come in order cost least (engine.h). `number` counts from 1. */
static const char *name_task(int64_t number, char out[ID_BYTES])
{
    (void)snprintf(out, ID_BYTES, "c%05" PRId64, number);
    return out;
}

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

static void add_words(struct str *out, char *const *words)
{
    for (char *const *word = words; *word; word++)
        add_word(out, *word);
}

static void add_file_call(const struct mcp_request *request, const struct mcp_setting *set,
                          struct str *out)
{
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
    if (!reads)
        return;
    if (is_outside)
        add_word(out, "--offset");
    add_number(out, request->offset);
    if (is_outside)
        add_word(out, "--length");
    add_number(out, request->length);
}

/* The words of the command as elements of a JSON array. */
static bool add_call(const struct mcp_request *request, const struct mcp_setting *set,
                     struct str *out, struct err *err)
{
    if (request->path) {
        add_file_call(request, set, out);
        return true;
    }
    char *const *argv = request->argv ? request->argv : set->tests;
    if (!argv) {
        (void)err_set(err, ERR_NOT_FOUND, "no test command is set");
        return err_hint(err, "give argv, or let the person write \"tests\": {\"run\": [\"make\", "
                             "\"test\"]} into devs.config.json");
    }
    add_words(out, argv);
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

static void add_environment(char *const *env, struct str *out)
{
    str_json_key(out, "env");
    str_add_char(out, '{');
    for (char *const *entry = env; *entry; entry++) {
        const size_t name = strcspn(*entry, "=");
        if (entry != env)
            str_add_char(out, ',');
        str_add_json(out, *entry, name);
        str_add_char(out, ':');
        str_add_json(out, *entry + name + 1, strlen(*entry + name + 1));
    }
    str_add_char(out, '}');
}

static void add_step(const struct mcp_request *request, const struct str *call, struct str *out)
{
    str_add(out, ",\"steps\":[{");
    str_json_text(out, "phase", phase_name(request->phase));
    str_addf(out, ",\"run\":[%s]", str_text(call));
    if (request->cwd)
        str_json_text(out, "cwd", request->cwd);
    if (request->env && *request->env)
        add_environment(request->env, out);
    str_json_key(out, "timeout_s");
    str_add_number(out, (double)request->timeout_ms / 1000);
    str_json_bool(out, "idempotent", request->idempotent);
    if (request->path)
        str_json_text(out, "policy", "infrastructure"); /* a file that is not there stays so */
    str_add(out, "}]");
}

bool mcp_task_write(const struct mcp_request *request, const struct mcp_setting *set,
                    int64_t number, struct str *out, struct err *err)
{
    char id[ID_BYTES];
    struct str call = {0};
    bool ok = add_call(request, set, &call, err);
    if (ok) {
        str_add_char(out, '{');
        str_json_text(out, "id", name_task(number, id));
        add_title(request, set, out);
        add_step(request, &call, out);
        str_add_char(out, '}');
    }
    str_done(&call);
    return ok;
}
