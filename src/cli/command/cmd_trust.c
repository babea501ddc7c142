/* cmd_trust.c - devs trust: settings that may run commands. */
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
#include "exit_code.h"
#include "fail.h"
#include "str.h"
#include "trust.h"

static const char file_name[] = "devs.config.json";

/* Finds the folder that is meant. The settings file itself may be named too. */
static bool find_dir(const char *word, char dir[PATH_MAX], struct err *err)
{
    struct stat info;
    const char *slash = strrchr(word, '/');
    const bool is_file = strcmp(slash ? slash + 1 : word, file_name) == 0;
    struct str folder = {0};
    if (is_file && slash)
        str_add_n(&folder, word, slash > word ? (size_t)(slash - word) : 1);
    else
        str_add(&folder, is_file ? "." : word);
    bool ok = realpath(str_text(&folder), dir) ||
              err_set(err, ERR_NOT_FOUND, "'%s': %s", word, strerror(errno));
    if (ok && (stat(dir, &info) != 0 || !S_ISDIR(info.st_mode)))
        ok = err_set(err, ERR_NOT_FOUND, "'%s' is not a folder", word);
    str_done(&folder);
    return ok;
}

static int fail_no_settings(const char *dir)
{
    struct err err = {0};
    (void)err_set(&err, ERR_NOT_FOUND, "no %s in '%s' or above", file_name, dir);
    return fail(&err);
}

static void print_given(const struct config *config, bool json)
{
    struct str out = {0};
    if (json) {
        str_add_char(&out, '{');
        str_json_i64(&out, "v", 1);
        str_json_text(&out, "path", config->path);
        str_json_text(&out, "state", trust_state_name(TRUST_GIVEN));
        config_trust_json(&config->trust, &out);
        str_add(&out, "}\n");
        (void)fputs(str_text(&out), stdout);
    } else {
        str_addf(&out, "%s is trusted until it changes\n", config->path);
        config_trust_lines(&config->trust, &out);
        if (config->trust.need_count == 0)
            str_add(&out, "  no key in it needs trust; a change needs it from now on\n");
        say(str_text(&out));
    }
    str_done(&out);
}

static int give(const char *dir, bool json)
{
    struct config config;
    struct err err = {0};
    int code = config_read(dir, CONFIG_SHOWS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    if (config.path[0] == '\0')
        code = fail_no_settings(dir);
    else if (!trust_record(config.path, &config.text, &err))
        code = fail(&err);
    else
        print_given(&config, json);
    config_done(&config);
    return code;
}

/* Of the nearest settings that have a record, whether the file is still there or not. */
static int revoke(const char *dir, bool json)
{
    char path[PATH_MAX];
    struct err err = {0};
    struct str out = {0};
    bool was = false;
    if (!config_trust_find_gone(dir, "", path)) {
        (void)err_set(&err, ERR_NOT_FOUND, "no trusted %s in '%s' or above", file_name, dir);
        return fail(&err);
    }
    if (!trust_revoke(path, &was, &err))
        return fail(&err);
    if (json) {
        str_add(&out, "{\"v\":1");
        str_json_text(&out, "path", path);
        str_json_text(&out, "state", trust_state_name(TRUST_NONE));
        str_add(&out, "}\n");
        (void)fputs(str_text(&out), stdout);
    } else {
        str_addf(&out, "%s is no longer trusted\n", path);
        say(str_text(&out));
    }
    str_done(&out);
    return EXIT_ALL_PASSED;
}

/* As a trust_entry_fn; `ctx` is whether JSON is wanted. */
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
    (void)puts("\nA devs.config.json comes with the project. Before you trust it, nothing\n"
               "starts with settings that run a command, loosen a sandbox, show a\n"
               "secret, steer an agent or delete runs; devs run --dry-run PLAN shows\n"
               "them. Any change of the file takes the trust away. Records are in\n"
               "$XDG_STATE_HOME/devs/trust, else in ~/.local/state/devs/trust.");
}

int cmd_trust(struct globals *globals, int argc, char **argv)
{
    bool list = false, revokes = false, json = false;
    const struct option_spec specs[] = {
        {"list", 0, NULL, "the settings that you have trusted; \"changed\": not any more", &list,
         NULL},
        {"revoke", 0, NULL, "take the trust away", &revokes, NULL},
        {"json", 0, NULL, "a JSON object for each file", &json, NULL},
    };
    struct command_line line = {.name = "trust",
                                .specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .max_operands = 1,
                                .print_more = print_more};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    if (list && (revokes || line.operands > 0))
        return fail_usage("devs trust --list", "trust: --list takes no folder and no --revoke");
    if (list)
        return trust_each(print_entry, &json, &err) ? EXIT_ALL_PASSED : fail(&err);
    char dir[PATH_MAX];
    if (!find_dir(line.operands > 0 ? argv[0] : ".", dir, &err))
        return fail(&err);
    return revokes ? revoke(dir, json) : give(dir, json);
}
