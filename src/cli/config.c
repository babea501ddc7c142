#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "classify.h"
#include "exit_code.h"
#include "fail.h"
#include "read_text.h"

enum { CONFIG_FOLDERS_MAX = 128 };

bool config_open(const char *dir, char path[PATH_MAX], FILE **out, struct err *err)
{
    char folder[PATH_MAX];
    assert(dir[0] == '/'); /* there is nothing above a relative one */
    (void)snprintf(folder, sizeof(folder), "%s", dir);
    for (int i = 0; i < CONFIG_FOLDERS_MAX; i++) {
        int len = snprintf(path, PATH_MAX, "%s/devs.config.json", folder);
        errno = ENOENT;
        *out = len < PATH_MAX ? fopen(path, "re") : NULL;
        if (!*out && errno != ENOENT && errno != ENOTDIR)
            return err_set(err, ERR_INVALID, "%s: %s", path, strerror(errno));
        char *slash = strrchr(folder, '/');
        if (*out || !slash)
            return true;
        *slash = '\0';
    }
    return true;
}

/* Rules are known to be right once a classifier could be made of them. */
static int check_rules(const struct config *config)
{
    struct classifier *classifier = NULL;
    struct err why = {0};
    if (!config->settings.rules)
        return EXIT_ALL_PASSED;
    bool ok = classifier_open(&classifier, config->settings.rules, &why);
    classifier_close(classifier);
    return ok ? EXIT_ALL_PASSED : fail_usage(why.hint, "%s: %s", config->path, why.message);
}

static int parse(const struct str *text, struct config *config)
{
    struct violations violations = {0};
    int code = EXIT_ALL_PASSED;
    if (!settings_parse(str_text(text), text->len, &config->settings, &violations))
        code = fail_violations(config->path, &violations);
    violations_done(&violations);
    return code;
}

static int read_file(FILE *file, struct config *config)
{
    struct str text = {0};
    struct err why = {0};
    int code = read_text(file, SETTINGS_BYTES_MAX, &text, &why)
                   ? parse(&text, config)
                   : fail_usage(NULL, "%s: %s", config->path, why.message);
    str_done(&text);
    return code == EXIT_ALL_PASSED ? check_rules(config) : code;
}

int config_read(const char *dir, struct config *out)
{
    struct config config = {0};
    struct err err = {0};
    FILE *file = NULL;
    if (!config_open(dir, config.path, &file, &err))
        return fail(&err);
    if (!file) {
        *out = (struct config){0};
        return EXIT_ALL_PASSED;
    }
    int code = read_file(file, &config);
    (void)fclose(file); /* only read */
    if (code == EXIT_ALL_PASSED)
        *out = config;
    else
        config_done(&config);
    return code;
}

void config_done(struct config *config)
{
    settings_done(&config->settings);
}
