#include "workflow_text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "new_project_json.h"
#include "new_project_md.h"
#include "plan_phase_md.h"
#include "read_text.h"

/* The built-in text of that name. */
static const char *find_builtin(const char *name)
{
    const struct {
        const char *name, *text;
    } builtins[] = {
        {"new-project.md", new_project_md},
        {"new-project.json", new_project_json},
        {"plan-phase.md", plan_phase_md},
    };
    for (size_t i = 0; i < ARRAY_LEN(builtins); i++) {
        if (strcmp(builtins[i].name, name) == 0)
            return builtins[i].text;
    }
    return NULL;
}

/* The project's own file, if it has one: relative folders begin where the settings stand. */
static bool open_own(const struct config *config, const char *name, char path[PATH_MAX],
                     FILE **file_out, struct err *err)
{
    const char *folder = config->settings.workflows;
    const char *slash = strrchr(config->path, '/');
    struct stat info;
    *file_out = NULL;
    if (!folder)
        return true;
    int base = *folder == '/' || !slash ? 0 : (int)(slash - config->path) + 1;
    int len = snprintf(path, PATH_MAX, "%.*s%s", base, config->path, folder);
    if (len < 0 || len >= PATH_MAX || stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return err_set(err, ERR_INVALID, "%s: there is no folder '%s' of \"workflows\"",
                       config->path, folder);
    int more = snprintf(path + len, (size_t)(PATH_MAX - len), "/%s", name);
    if (more < 0 || more >= PATH_MAX - len)
        return err_set(err, ERR_INVALID, "%s: the name is too long", folder);
    struct err why = {0};
    *file_out = read_text_open(path, &why);
    return *file_out || why.code == ERR_NOT_FOUND ||
           err_set(err, ERR_INVALID, "%s: %s", path, why.message);
}

bool workflow_text_read(const struct config *config, const char *name, struct str *out,
                        struct err *err)
{
    char path[PATH_MAX];
    const char *builtin = find_builtin(name);
    assert(builtin);
    FILE *file = NULL;
    if (!open_own(config, name, path, &file, err))
        return false;
    if (!file) {
        str_add(out, builtin);
        return true;
    }
    struct err why = {0};
    bool ok = read_text(file, WORKFLOW_TEXT_MAX, out, &why);
    (void)fclose(file); /* only read */
    return ok || err_set(err, ERR_INVALID, "%s: %s", path, why.message);
}
