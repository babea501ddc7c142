#define _GNU_SOURCE /* fileno */

#include "config_trust.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "exit_code.h"
#include "fail.h"
#include "json.h"
#include "read_text.h"
#include "settings_trust.h"
#include "shell_word.h"
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

/* Copies the folder of a settings file: "/" for one in the root. */
static void take_folder(const char *path, char folder[PATH_MAX])
{
    const size_t len = (size_t)(strrchr(path, '/') - path);
    memmove(folder, path, len); /* may be the same storage */
    folder[len] = '\0';
    if (len == 0)
        memcpy(folder, "/", sizeof("/"));
}

/* Finds settings further up that these hide, and that say something else. Those of strangers are
 * never used, so nothing is lost with them. */
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

/* Why a file needs trust whatever is in it. */
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

/* As a settings_trust_fn. */
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

void config_trust_look(const char *path, const struct str *text, const struct stat *info,
                       struct config_trust *out)
{
    struct json *root = NULL;
    *out = (struct config_trust){.state = trust_find(path, text)};
    /* As settings_parse() reads it: what this would not read it must not read either. */
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

void config_trust_done(struct config_trust *trust)
{
    for (size_t i = 0; i < trust->need_count; i++) {
        free(trust->needs[i].key);
        free(trust->needs[i].value);
    }
    free(trust->needs);
    str_done(&trust->reason);
    *trust = (struct config_trust){0};
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

/* "devs trust", with the folder where the file is not found from here. */
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

int config_trust_refuse(const char *path, const struct config_trust *trust)
{
    struct str brief = {0}, command = {0};
    config_trust_brief(trust, &brief);
    add_command(path, "", &command);
    warn("%s: %s; read the file, then run: %s", path, str_text(&brief), str_text(&command));
    str_done(&brief);
    str_done(&command);
    return EXIT_USAGE;
}

int config_trust_refuse_gone(const char *path)
{
    struct str command = {0};
    add_command(path, " --revoke", &command);
    warn("%s: you trusted this file and it is gone; restore it, or: %s", path, str_text(&command));
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
