#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "plan.h"
#include "str.h"
#include "violation.h"

enum { CONFIG_BYTES_MAX = 1024 * 1024, CONFIG_FOLDERS_MAX = 128 };

/* The file nearest to the folder, walking up; NULL if there is none. */
static FILE *open_nearest(const char *dir, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", dir);
    for (int i = 0; i < CONFIG_FOLDERS_MAX; i++) {
        int len = snprintf(path, PATH_MAX, "%s/devs.config.json", folder);
        FILE *file = len < PATH_MAX ? fopen(path, "re") : NULL;
        char *slash = strrchr(folder, '/');
        if (file || !slash)
            return file;
        *slash = '\0';
    }
    return NULL;
}

static bool read_text(FILE *file, struct str *out, struct err *err)
{
    char buffer[8192];
    size_t got = 0;
    while ((got = fread(buffer, 1, sizeof(buffer), file)) > 0) {
        str_add_n(out, buffer, got);
        if (out->len > CONFIG_BYTES_MAX)
            return err_set(err, ERR_LIMIT, "it is larger than 1 MiB");
    }
    return ferror(file) == 0 || err_set_errno(err, errno, "it cannot be read");
}

static bool complain(struct violations *list, const char *path, const char *message,
                     const char *expected, const struct json *value)
{
    char *actual = json_brief(value, 60);
    violations_add(list, VIOLATION_INVALID_VALUE, path, message, expected, actual);
    free(actual);
    return false;
}

static bool read_sandbox(const struct json *sandbox, int *retries, struct violations *list)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(sandbox, &iter, &key, &value)) {
        int64_t number = json_i64(value, -1);
        if (strncmp(key, "//", 2) == 0)
            continue;
        char path[128];
        (void)snprintf(path, sizeof(path), "sandbox.%s", key);
        if (strcmp(key, "transientRetries") != 0)
            return complain(list, path, "unknown key", "transientRetries", value);
        if (number < 0 || number > PLAN_TRANSIENT_RETRIES_MAX)
            return complain(list, path, "out of bounds", "an integer from 0 to 99", value);
        *retries = (int)number;
    }
    return true;
}

/* *retries stays as it is where the file does not say. */
static bool read_settings(const struct json *whole, int *retries, struct violations *list)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    if (json_kind(whole) != JSON_KIND_OBJECT)
        return complain(list, "(root)", "settings are an object", "an object", whole);
    while (json_next(whole, &iter, &key, &value)) {
        if (strncmp(key, "//", 2) == 0 || strcmp(key, "$schema") == 0)
            continue;
        if (strcmp(key, "sandbox") != 0)
            return complain(list, key, "unknown key", "sandbox", value);
        if (!read_sandbox(value, retries, list))
            return false;
    }
    return true;
}

static bool parse_settings(const struct str *text, const char *path, int *retries, struct err *err)
{
    struct json *whole = NULL;
    struct json_place place = {0};
    struct err why = {0};
    if (!json_parse(str_text(text), text->len, &whole, &place, &why))
        return err_set(err, ERR_INVALID, "%s:%d:%d: %s", path, place.line, place.column,
                       why.message);
    struct violations list = {0};
    struct str words = {0};
    bool ok = read_settings(whole, retries, &list);
    violations_display(&list, &words);
    if (words.len > 0)
        words.data[words.len - 1] = '\0';
    if (!ok)
        (void)err_set(err, ERR_INVALID, "%s: %s", path, str_text(&words));
    violations_done(&list);
    str_done(&words);
    json_free(whole);
    return ok;
}

bool config_read(const char *dir, struct config *out, struct err *err)
{
    char path[PATH_MAX];
    struct config config = {.transient_retries = -1};
    FILE *file = open_nearest(dir, path);
    struct str text = {0};
    bool ok = !file || (read_text(file, &text, err) &&
                        parse_settings(&text, path, &config.transient_retries, err));
    if (file)
        (void)fclose(file); /* only read */
    str_done(&text);
    if (ok)
        *out = config;
    return ok;
}
