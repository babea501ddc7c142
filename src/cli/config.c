/* config.c - finds, reads and checks devs.config.json, and says which of its keys need trust.
 *
 * The file may have come with a clone. Keys that still need trust are left out (CONFIG_LOOKS), or
 * the command is refused (CONFIG_ACTS). The text whose trust is checked is the text that is parsed.
 * This file also evaluates the sandbox options of the command line. */
#define _DEFAULT_SOURCE /* fileno(), realpath() */

#include "config.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "appearance.h"
#include "classify.h"
#include "fail.h"
#include "json.h"
#include "settings.h"
#include "text.h"
#include "text_file.h"
#include "xalloc.h"

static bool is_owner_known(uid_t owner)
{
    return owner == 0 || owner == geteuid();
}

static void add_owner(uid_t owner, struct str *out)
{
    const struct passwd *user = getpwuid(owner);
    if (user)
        str_addf(out, "it belongs to %s", user->pw_name);
    else
        str_addf(out, "it belongs to user %ld", (long)owner);
}

/* Copies the folder of a settings file: "/" for a file in the root. */
static void take_folder(const char *path, char folder[PATH_MAX])
{
    const size_t len = (size_t)(strrchr(path, '/') - path);
    memmove(folder, path, len); /* may be the same storage */
    folder[len] = '\0';
    if (len == 0)
        memcpy(folder, "/", sizeof("/"));
}

/* Returns whether the file hides different settings further up, whose path is stored in `hidden`.
 * Other users' settings are never used, so hiding them loses nothing. */
static bool hides_others(const char *path, const struct str *text, char hidden[PATH_MAX])
{
    char folder[PATH_MAX];
    struct stat info;
    struct str other = {0};
    FILE *file = NULL;
    take_folder(path, folder);
    if (strcmp(folder, "/") == 0)
        return false;
    take_folder(folder, folder);
    if (!config_open(folder, hidden, &file, NULL) || !file)
        return false;
    bool differs = false;
    if (fstat(fileno(file), &info) == 0 && is_owner_known(info.st_uid))
        differs = !read_text(file, SETTINGS_BYTES_MAX, &other, NULL) || other.len != text->len ||
                  memcmp(str_text(&other), str_text(text), text->len) != 0;
    (void)fclose(file); /* only read */
    str_done(&other);
    return differs;
}

/* Appends the reason, if any, why the file needs trust regardless of its contents. */
static void add_reason(const char *path, const struct str *text, const struct stat *info,
                       struct config_trust *out)
{
    char hidden[PATH_MAX];
    struct stat link;
    if (out->state == TRUST_CHANGED)
        str_add(&out->reason, "it has changed since you trusted it");
    else if (!is_owner_known(info->st_uid))
        add_owner(info->st_uid, &out->reason);
    else if (lstat(path, &link) == 0 && !is_owner_known(link.st_uid))
        add_owner(link.st_uid, &out->reason);
    else if (hides_others(path, text, hidden))
        str_addf(&out->reason, "it overrides %s", hidden);
}

/* A settings_trust_fn: adds the key to the keys that need trust. */
static void add_need(void *ctx, const struct settings_trust_key *found)
{
    struct config_trust *trust = ctx;
    struct str value = {0};
    json_write(&value, found->value);
    trust->needs =
        xgrow(trust->needs, &trust->need_room, trust->need_count + 1, sizeof(*trust->needs));
    trust->needs[trust->need_count++] =
        (struct trust_need){.key = xstrdup(found->key), .why = found->why, .value = value.data};
}

/* Examines the settings at `path`. `text` and `info` come from the same open file. */
static void config_trust_look(const char *path, const struct str *text, const struct stat *info,
                              struct config_trust *out)
{
    struct json *root = NULL;
    *out = (struct config_trust){.state = trust_find(path, text)};
    /* parsed like settings_parse() does: neither may accept text that the other rejects */
    if (json_parse_data(str_text(text), text->len, &root, NULL, NULL))
        settings_trust_each(root, add_need, out);
    json_free(root);
    if (out->state != TRUST_GIVEN)
        add_reason(path, text, info, out);
}

bool config_trust_find_gone(const char *dir, const char *found, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", dir);
    for (;;) {
        const int len = snprintf(path, PATH_MAX, "%s/devs.config.json", folder);
        if (strcmp(path, found) == 0)
            return false;
        if (len < PATH_MAX && trust_find(path, NULL) != TRUST_NONE)
            return true;
        char *slash = strrchr(folder, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
}

bool config_trust_waits(const struct config_trust *trust)
{
    return trust->state != TRUST_GIVEN && (trust->reason.len > 0 || trust->need_count > 0);
}

void config_trust_brief(const struct config_trust *trust, struct str *out)
{
    if (trust->reason.len > 0) {
        str_addf(out, "needs your trust: %s", str_text(&trust->reason));
        return;
    }
    const size_t more = trust->need_count - 1;
    str_addf(out, "%s %s, so it needs your trust", trust->needs[0].key, trust->needs[0].why);
    if (more > 0)
        str_addf(out, " (and %zu more key%s)", more, more == 1 ? " does" : "s do");
}

/* Appends "devs trust" and the option, with the folder if the file cannot be found from here. */
static void add_command(const char *path, const char *option, struct str *out)
{
    char here[PATH_MAX], folder[PATH_MAX];
    char *const words[] = {folder, NULL};
    take_folder(path, folder);
    const size_t len = strlen(folder);
    const bool is_found = getcwd(here, sizeof(here)) && strncmp(here, folder, len) == 0 &&
                          (here[len] == '\0' || here[len] == '/' || folder[len - 1] == '/');
    str_addf(out, "devs trust%s", option);
    if (is_found)
        return;
    str_add_char(out, ' ');
    shell_words_add(words, 1, out);
}

/* Prints one line about what needs trust, and why. Returns EXIT_USAGE. */
static int config_trust_refuse(const char *path, const struct config_trust *trust)
{
    struct str brief = {0}, command = {0};
    config_trust_brief(trust, &brief);
    add_command(path, "", &command);
    warn("%s: %s; read the file, then run: %s", path, str_text(&brief), str_text(&command));
    str_done(&brief);
    str_done(&command);
    return EXIT_USAGE;
}

void config_trust_lines(const struct config_trust *trust, struct str *out)
{
    if (trust->reason.len > 0)
        str_addf(out, "  the whole file: %s\n", str_text(&trust->reason));
    for (size_t i = 0; i < trust->need_count; i++) {
        const struct trust_need *need = &trust->needs[i];
        str_addf(out, "  %s: %s\n    %s\n", need->key, need->why, need->value);
    }
}

void config_trust_json(const struct config_trust *trust, struct str *out)
{
    if (trust->reason.len > 0)
        str_json_text(out, "reason", str_text(&trust->reason));
    str_json_key(out, "keys");
    str_add_char(out, '[');
    for (size_t i = 0; i < trust->need_count; i++) {
        const struct trust_need *need = &trust->needs[i];
        str_add(out, i > 0 ? ",{" : "{");
        str_json_text(out, "key", need->key);
        str_json_text(out, "why", need->why);
        str_json_key(out, "value");
        str_add(out, need->value);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

enum { CONFIG_FOLDERS_MAX = 128 };

bool config_open(const char *dir, char path[PATH_MAX], FILE **out, struct err *err)
{
    char folder[PATH_MAX];
    assert(dir[0] == '/'); /* nothing is above a relative path */
    (void)snprintf(folder, sizeof(folder), "%s", dir);
    for (int i = 0; i < CONFIG_FOLDERS_MAX; i++) {
        int len = snprintf(path, PATH_MAX, "%s/devs.config.json", folder);
        struct err why = {.code = ERR_NONE};
        *out = len < PATH_MAX ? read_text_open(path, &why) : NULL;
        if (!*out && why.code != ERR_NONE && why.code != ERR_NOT_FOUND)
            return err_set(err, ERR_INVALID, "%s: %s", path, why.message);
        char *slash = strrchr(folder, '/');
        if (*out || !slash)
            return true;
        *slash = '\0';
    }
    return true;
}

/* Checks the rules by building a classifier from them. On failure, reports all errors. */
static int check_rules(const struct config *config)
{
    const char *text = config->settings.rules;
    struct classifier *classifier = NULL;
    struct json *rules = NULL;
    struct violations violations = {0};
    struct err whole = {0};
    if (!text)
        return EXIT_ALL_PASSED;
    const bool ok = classifier_open(&classifier, text, &whole);
    classifier_close(classifier);
    if (ok)
        return EXIT_ALL_PASSED;
    if (json_parse(text, strlen(text), &rules, NULL, NULL))
        classifier_check(rules, &violations);
    if (violations.count == 0) /* an error that no single rule causes */
        violations_add(&violations, VIOLATION_INVALID_VALUE, "/rules", whole.message, NULL, NULL);
    const int code = fail_violations(config->path, "nothing was done", &violations);
    violations_done(&violations);
    json_free(rules);
    return code;
}

static int parse_settings(const struct str *text, struct config *config)
{
    struct violations violations = {0};
    int code = EXIT_ALL_PASSED;
    if (!settings_parse(str_text(text), text->len, &config->settings, &violations)) {
        struct json *root = NULL;
        if (json_parse(str_text(text), text->len, &root, NULL, NULL))
            classifier_check(json_get(root, "rules"), &violations);
        code = fail_violations(config->path, "nothing was done", &violations);
        json_free(root);
    }
    violations_done(&violations);
    return code;
}

/* Parses the text of a settings file. */
typedef int read_fn(const struct str *text, struct config *config);

static int read_settings(const struct str *text, struct config *config)
{
    struct ui_settings *ui = &config->settings.ui;
    struct theme theme;
    struct err why = {0};
    struct violations violations = {0};
    int code = parse_settings(text, config);
    /* a theme's file is relative to the folder of the settings */
    if (ui->theme && ui_theme_is_file(ui->theme) && ui->theme[0] != '/') {
        struct str path = {0};
        const char *slash = strrchr(config->path, '/');
        str_add_n(&path, config->path, (size_t)(slash - config->path) + 1);
        str_add(&path, ui->theme + (strncmp(ui->theme, "./", 2) == 0 ? 2 : 0));
        free(ui->theme);
        ui->theme = path.data;
    }
    if (code == EXIT_ALL_PASSED)
        code = check_rules(config);
    if (code == EXIT_ALL_PASSED && !appearance_theme(NULL, ui, &theme, &why)) {
        violations_add(&violations, VIOLATION_INVALID_VALUE, "/ui/theme", why.message, NULL, NULL);
        code = fail_violations(config->path, "nothing was done", &violations);
        violations_done(&violations);
    }
    return code;
}

/* Returns whether the object has a member that is probably a misspelled "secrets". */
static bool misspells_secrets(const struct json *root)
{
    static const char name[] = "secrets";
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(root, &iter, &key, &value)) {
        struct near_word near = near_word_new(key);
        near_word_offer(&near, name);
        if (near.nearest && strcmp(key, name) != 0)
            return true;
    }
    return false;
}

/* Appends settings that consist only of the "secrets" of an invalid text. Appends the whole text if
 * it is not an object, or if it is unclear which member is meant. */
static void take_secrets(const struct str *text, struct str *out)
{
    struct json *root = NULL;
    if (!json_parse(str_text(text), text->len, &root, NULL, NULL) ||
        json_kind(root) != JSON_KIND_OBJECT || misspells_secrets(root)) {
        str_add_n(out, str_text(text), text->len);
    } else {
        const struct json *secrets = json_get(root, "secrets");
        str_add(out, "{");
        if (secrets) {
            str_json_key(out, "secrets");
            json_write(out, secrets);
        }
        str_add(out, "}");
    }
    json_free(root);
}

static int read_secrets(const struct str *text, struct config *config)
{
    struct violations whole = {0}, wrong = {0};
    struct str part = {0};
    int code = EXIT_ALL_PASSED;
    if (!settings_parse(str_text(text), text->len, &config->settings, &whole)) {
        take_secrets(text, &part);
        if (settings_parse(str_text(&part), part.len, &config->settings, &wrong)) {
            warn("%s: the file has errors; the secrets that it names are still cut", config->path);
        } else {
            code = fail_violations(config->path, "nothing was done", &wrong);
            say_hint("fix the file or move it away: its secrets cannot be determined");
        }
    }
    str_done(&part);
    violations_done(&whole);
    violations_done(&wrong);
    return code;
}

/* Reads the text without the keys that wait for trust. Errors in waiting keys are reported too,
 * except to callers that only need the secrets. */
static int read_stripped(struct str *text, read_fn *read, struct config *config)
{
    struct json *root = NULL;
    struct str kept = {0};
    if (read != read_secrets) {
        const int code = read(text, config);
        if (code != EXIT_ALL_PASSED || !config_trust_waits(&config->trust))
            return code;
        settings_done(&config->settings);
    }
    /* text that is not an object is reported when it is parsed */
    if (config_trust_waits(&config->trust) && config->trust.need_count > 0 &&
        json_parse_data(str_text(text), text->len, &root, NULL, NULL)) {
        settings_trust_strip(root, &kept);
        json_free(root);
        str_done(text);
        *text = kept;
    }
    return read(text, config);
}

static int find_and_read(const char *dir, read_fn *read, enum config_use use, struct config *out)
{
    struct config config = {0};
    char gone[PATH_MAX];
    struct str text = {0};
    struct stat info;
    struct err err = {0};
    FILE *file = NULL;
    int code = EXIT_ALL_PASSED;
    if (!config_open(dir, config.path, &file, &err))
        return fail(&err);
    if (!file)
        config.path[0] = '\0';
    if (use == CONFIG_ACTS && config_trust_find_gone(dir, config.path, gone)) {
        struct str command = {0};
        add_command(gone, " --revoke", &command);
        warn("%s: you trusted this file, but it no longer exists; restore it, or run: %s", gone,
             str_text(&command));
        str_done(&command);
        code = EXIT_USAGE;
    } else if (file && fstat(fileno(file), &info) != 0) {
        code = fail_usage(NULL, "%s: %s", config.path, strerror(errno));
    } else if (file && !read_text(file, SETTINGS_BYTES_MAX, &text, &err)) {
        code = fail_usage(NULL, "%s: %s", config.path, err.message);
    } else if (file) {
        config_trust_look(config.path, &text, &info, &config.trust);
        code = use == CONFIG_LOOKS ? read_stripped(&text, read, &config) : read(&text, &config);
        if (code == EXIT_ALL_PASSED && use == CONFIG_ACTS && config_trust_waits(&config.trust))
            code = config_trust_refuse(config.path, &config.trust);
        else if (code == EXIT_ALL_PASSED && use == CONFIG_SHOWS)
            str_add_n(&config.text, str_text(&text), text.len);
    }
    str_done(&text);
    if (file)
        (void)fclose(file); /* only read */
    if (code == EXIT_ALL_PASSED)
        *out = config;
    else
        config_done(&config);
    return code;
}

int config_read(const char *dir, enum config_use use, struct config *out)
{
    return find_and_read(dir, read_settings, use, out);
}

int config_read_secrets(const char *dir, struct config *out)
{
    return find_and_read(dir, read_secrets, CONFIG_LOOKS, out);
}

/* A read_fn that prints nothing and does not check the rules. */
static int parse_quietly(const struct str *text, struct config *config)
{
    struct violations wrong = {0};
    const bool ok = settings_parse(str_text(text), text->len, &config->settings, &wrong);
    violations_done(&wrong);
    return ok ? EXIT_ALL_PASSED : EXIT_USAGE;
}

bool config_read_quietly(const char *dir, struct settings *out)
{
    struct config config = {0};
    struct str text = {0};
    struct stat info;
    FILE *file = NULL;
    *out = (struct settings){0};
    if (!config_open(dir, config.path, &file, NULL))
        return false;
    if (!file)
        return true;
    bool ok = fstat(fileno(file), &info) == 0 && read_text(file, SETTINGS_BYTES_MAX, &text, NULL);
    (void)fclose(file); /* only read */
    if (ok) {
        config_trust_look(config.path, &text, &info, &config.trust);
        ok = read_stripped(&text, parse_quietly, &config) == EXIT_ALL_PASSED;
    }
    if (ok) {
        *out = config.settings;
        config.settings = (struct settings){0};
    }
    config_done(&config);
    str_done(&text);
    return ok;
}

void config_done(struct config *config)
{
    struct config_trust *trust = &config->trust;
    settings_done(&config->settings);
    for (size_t i = 0; i < trust->need_count; i++) {
        free(trust->needs[i].key);
        free(trust->needs[i].value);
    }
    free(trust->needs);
    str_done(&trust->reason);
    *trust = (struct config_trust){0};
    str_done(&config->text);
}

const struct policy *config_policy(const struct settings *settings, const char *name,
                                   struct err *err)
{
    const struct policy *policy = settings_policy(settings, name);
    struct str known = {0};
    if (policy)
        return policy;
    (void)err_set(err, ERR_INVALID, "unknown policy '%s'", name);
    if (policy_new_name(name))
        str_addf(&known, "it is now called '%s'", policy_new_name(name));
    else
        settings_names(settings, &known);
    (void)err_hint(err, "%s", str_text(&known));
    str_done(&known);
    return NULL;
}

/* The sandbox chosen on the command line. */

bool sandbox_options_choose(const struct sandbox_options *words, const struct settings *settings,
                            bool *is_given, struct sandbox_spec *out, struct err *err)
{
    const bool opens = words->network || words->writable.words[0];
    *is_given = words->kind || opens;
    if (!*is_given)
        return true;
    *out = settings->said & PLAN_SAYS_SANDBOX ? sandbox_spec_copy(&settings->sandbox)
                                              : sandbox_spec_new();
    if (words->kind && words->kind[0] == '-') {
        (void)err_set(err, ERR_INVALID, "--sandbox needs a kind, not '%s'", words->kind);
        return err_hint(err, "use none, bwrap, podman:IMAGE, docker:IMAGE or container:IMAGE");
    }
    if (words->kind && !sandbox_spec_choose(out, words->kind, err))
        return false;
    if (opens && out->kind == SANDBOX_NONE) {
        (void)err_set(err, ERR_INVALID, "%s needs a sandbox",
                      words->network ? "--network" : "--writable");
        return err_hint(err, "add --sandbox bwrap");
    }
    if (words->network)
        out->network = SANDBOX_NETWORK_ON;
    for (size_t i = 0; words->writable.words[i]; i++) {
        char real[PATH_MAX];
        const char *path = words->writable.words[i];
        if (!realpath(path, real))
            return err_set(err, ERR_INVALID, "--writable '%s': %s", path, strerror(errno));
        if (strcmp(real, "/") == 0) {
            (void)err_set(err, ERR_INVALID,
                          "--writable '%s' would make the whole file system writable", path);
            return err_hint(err, "use \"sandbox\": {\"read_only\": false} in devs.config.json");
        }
        sandbox_spec_add_writable(out, real);
    }
    return true;
}
