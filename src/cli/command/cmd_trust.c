/* cmd_trust.c - devs trust: trusts settings and plans of phases that may run commands. */
#define _XOPEN_SOURCE 700 /* realpath */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "fail.h"
#include "plan_file.h"
#include "project.h"
#include "str.h"
#include "trust.h"

static const char file_name[] = "devs.config.json";

/* Sets *folder to the folder that `word` names. `word` may also be the settings file itself. */
static void take_folder(const char *word, struct str *folder)
{
    const char *slash = strrchr(word, '/');
    const bool is_file = strcmp(slash ? slash + 1 : word, file_name) == 0;
    if (is_file && slash)
        str_add_n(folder, word, slash > word ? (size_t)(slash - word) : 1);
    else
        str_add(folder, is_file ? "." : word);
}

static bool find_dir(const char *word, char dir[PATH_MAX], struct err *err)
{
    struct stat info;
    struct str folder = {0};
    take_folder(word, &folder);
    bool ok = realpath(str_text(&folder), dir) ||
              err_set(err, ERR_NOT_FOUND, "'%s': %s", word, strerror(errno));
    if (ok && (stat(dir, &info) != 0 || !S_ISDIR(info.st_mode)))
        ok = err_set(err, ERR_NOT_FOUND, "'%s' is not a folder", word);
    str_done(&folder);
    return ok;
}

/* Prints what trust allows, after granting it or for a dry run. `state` is shown with --json. */
static void print_allowed(const struct config *config, enum trust_state state, bool dry, bool json)
{
    struct str out = {0};
    if (json) {
        str_add_char(&out, '{');
        str_json_i64(&out, "v", 1);
        str_json_text(&out, "path", config->path);
        str_json_text(&out, "state", trust_state_name(state));
        config_trust_json(&config->trust, &out);
        str_add(&out, "}\n");
        (void)fputs(str_text(&out), stdout);
    } else {
        str_addf(&out, "%s %s trusted until it changes\n", config->path, dry ? "would be" : "is");
        config_trust_lines(&config->trust, &out);
        if (config->trust.need_count == 0)
            str_addf(&out, "  no key in it needs trust; any later change %s it\n",
                     dry ? "would need" : "needs");
        say(str_text(&out));
    }
    str_done(&out);
}

static int give_trust(const char *dir, bool dry, bool json)
{
    struct config config;
    struct err err = {0};
    int code = config_read(dir, CONFIG_SHOWS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    if (config.path[0] == '\0') {
        (void)err_set(&err, ERR_NOT_FOUND, "no %s in '%s' or above", file_name, dir);
        code = fail(&err);
    } else if (dry) {
        print_allowed(&config, config.trust.state, true, json);
    } else if (!trust_record(config.path, &config.text, &err)) {
        code = fail(&err);
    } else {
        print_allowed(&config, TRUST_GIVEN, false, json);
    }
    config_done(&config);
    return code;
}

/* Prints the state of the file: a JSON object with `members`, or the path and `words`. */
static void print_state(const char *path, enum trust_state state, const char *members,
                        const char *words, bool json)
{
    struct str out = {0};
    if (json) {
        str_add(&out, "{\"v\":1");
        str_json_text(&out, "path", path);
        str_json_text(&out, "state", trust_state_name(state));
        str_addf(&out, "%s}\n", members);
        (void)fputs(str_text(&out), stdout);
    } else {
        str_addf(&out, "%s %s\n", path, words);
        say(str_text(&out));
    }
    str_done(&out);
}

/* Shows the plan of a phase like `devs run --dry-run` does, and trusts it. */
static int give_plan(const char *path, bool dry, bool json)
{
    struct plan_file file;
    struct err err = {0};
    int jobs = 0;
    int code = plan_file_read(path, CONFIG_SHOWS, &file);
    if (code != EXIT_ALL_PASSED)
        return code;
    enum trust_state state = trust_find(path, &file.source);
    if (!plan_file_jobs(&file, NULL, &jobs, &err))
        code = fail(&err);
    else if (!json)
        code = plan_shown(&file, jobs);
    if (code == EXIT_ALL_PASSED && !dry) {
        state = TRUST_GIVEN;
        code = trust_record(path, &file.source, &err) ? code : fail(&err);
    }
    if (code == EXIT_ALL_PASSED && !json)
        say("\n");
    if (code == EXIT_ALL_PASSED)
        print_state(path, state, ",\"keys\":[]",
                    dry ? "would be trusted until it changes" : "is trusted until it changes",
                    json);
    plan_file_done(&file);
    return code;
}

static void print_revoked(const char *path, bool json)
{
    print_state(path, TRUST_NONE, "", "is no longer trusted", json);
}

/* Grants or revokes trust in the plan of a phase. */
static int change_plan(const char *word, bool revokes, bool dry, bool json)
{
    char here[PATH_MAX] = "", path[PATH_MAX];
    struct err err = {0};
    bool was = false;
    if (word[0] != '/' && !getcwd(here, sizeof(here))) {
        (void)err_set_errno(&err, errno, "cannot determine the current folder");
        return fail(&err);
    }
    const int len = snprintf(path, PATH_MAX, "%s%s%s", here, here[0] ? "/" : "", word);
    if (len <= 0 || len >= PATH_MAX) {
        (void)err_set(&err, ERR_LIMIT, "'%s': path too long", word);
        return fail(&err);
    }
    if (!revokes)
        return give_plan(path, dry, json);
    if (trust_revoke(path, &was, &err) && !was)
        (void)err_set(&err, ERR_NOT_FOUND, "'%s' is not trusted", path);
    if (!was)
        return fail(&err);
    print_revoked(path, json);
    return EXIT_ALL_PASSED;
}

/* Returns whether the path names something that no longer exists. */
static bool is_gone(const char *word)
{
    struct str folder = {0};
    struct stat info;
    take_folder(word, &folder);
    const bool is = stat(str_text(&folder), &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
    str_done(&folder);
    return is;
}

/* Revokes the trust in a folder that was moved or deleted. Removes only its own record, not that of
 * a folder above. */
static int revoke_gone(const char *word, bool json)
{
    char here[PATH_MAX];
    struct str path = {0};
    struct str folder = {0};
    struct err err = {0};
    bool was = false;
    take_folder(word, &folder);
    if (word[0] != '/' && getcwd(here, sizeof(here)))
        str_addf(&path, "%s/", strcmp(here, "/") == 0 ? "" : here);
    str_add(&path, str_text(&folder));
    while (path.len > 1 && path.data[path.len - 1] == '/')
        path.data[--path.len] = '\0';
    str_addf(&path, "/%s", file_name);
    bool ok = trust_revoke(str_text(&path), &was, &err);
    if (ok && !was)
        ok = err_set(&err, ERR_NOT_FOUND, "'%s': no such folder, and no trust is recorded for it",
                     word);
    if (ok)
        print_revoked(str_text(&path), json);
    str_done(&path);
    str_done(&folder);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

/* Revokes trust in the nearest settings that have a record, whether or not the file still
 * exists. */
static int revoke_trust(const char *dir, bool json)
{
    char path[PATH_MAX];
    struct err err = {0};
    bool was = false;
    if (!config_trust_find_gone(dir, "", path)) {
        (void)err_set(&err, ERR_NOT_FOUND, "no trusted %s in '%s' or above", file_name, dir);
        return fail(&err);
    }
    if (!trust_revoke(path, &was, &err))
        return fail(&err);
    print_revoked(path, json);
    return EXIT_ALL_PASSED;
}

/* A trust_entry_fn; `ctx` says whether to print JSON. */
static void print_entry(void *ctx, const struct trust_entry *entry)
{
    const bool *json = ctx;
    struct str out = {0};
    if (*json) {
        str_add_char(&out, '{');
        str_json_i64(&out, "v", 1);
        str_json_text(&out, "path", entry->path);
        str_json_text(&out, "state", trust_state_name(entry->state));
        str_json_i64(&out, "at_ms", entry->at_ms);
        str_add(&out, "}\n");
        (void)fputs(str_text(&out), stdout);
    } else {
        str_addf(&out, "%-8s %s\n", trust_state_name(entry->state), entry->path);
        say(str_text(&out));
    }
    str_done(&out);
}

static void print_more(void)
{
    (void)puts("\nA devs.config.json comes with the project. Until you trust it, nothing\n"
               "starts if its settings run a command, loosen a sandbox, show a secret,\n"
               "steer an agent or delete runs; devs run --dry-run PLAN shows them.\n"
               "PATH is a folder with such settings (default: this folder), or\n"
               "the plan of a phase, such as phase-1.plan.json, that devs plan-phase\n"
               "did not write here or that has changed. Any change to the file revokes\n"
               "its trust. Records are in $XDG_STATE_HOME/devs/trust, else in\n"
               "~/.local/state/devs/trust.");
}

int cmd_trust(struct globals *globals, int argc, char **argv)
{
    bool list = false, revokes = false, dry = false, json = false;
    const struct option_spec specs[] = {
        {"list", 0, NULL,
         "list the files that you have trusted; \"changed\" and \"gone\" files are no longer "
         "trusted",
         &list, NULL},
        {"revoke", 0, NULL, "revoke the trust", &revokes, NULL},
        {"dry-run", 0, NULL, "print what trust would allow, but record nothing", &dry, NULL},
        {"json", 0, NULL, "print a JSON object for each file", &json, NULL},
    };
    struct command_line line = {.specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .max_operands = 1,
                                .print_more = print_more};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    if (list && (revokes || line.operands > 0))
        return fail_usage("use devs trust --list",
                          "trust: --list cannot be combined with a path or --revoke");
    if (dry && (list || revokes))
        return fail_usage("use devs trust --dry-run",
                          "trust: --dry-run cannot be combined with --list or --revoke");
    if (list)
        return trust_each(print_entry, &json, &err) ? EXIT_ALL_PASSED : fail(&err);
    char dir[PATH_MAX];
    const char *slash = line.operands > 0 ? strrchr(argv[0], '/') : NULL;
    if (line.operands > 0 && project_is_plan_name(slash ? slash + 1 : argv[0]))
        return change_plan(argv[0], revokes, dry, json);
    if (revokes && line.operands > 0 && is_gone(argv[0]))
        return revoke_gone(argv[0], json);
    if (!find_dir(line.operands > 0 ? argv[0] : ".", dir, &err))
        return fail(&err);
    return revokes ? revoke_trust(dir, json) : give_trust(dir, dry, json);
}
