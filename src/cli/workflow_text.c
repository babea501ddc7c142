#include "workflow_text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

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

/* Where the project would have it; relative folders begin where the settings stand. */
static bool find_own(const struct config *config, const char *name, char path[PATH_MAX])
{
    const char *folder = config->settings.workflows;
    const char *slash = strrchr(config->path, '/');
    if (!folder)
        return false;
    int base = *folder == '/' || !slash ? 0 : (int)(slash - config->path) + 1;
    int len = snprintf(path, PATH_MAX, "%.*s%s/%s", base, config->path, folder, name);
    return len > 0 && len < PATH_MAX;
}

bool workflow_text_read(const struct config *config, const char *name, struct str *out,
                        struct err *err)
{
    char path[PATH_MAX];
    const char *builtin = find_builtin(name);
    assert(builtin);
    errno = ENOENT;
    FILE *file = find_own(config, name, path) ? fopen(path, "re") : NULL;
    if (!file && errno != ENOENT)
        return err_set(err, ERR_INVALID, "%s: %s", path, strerror(errno));
    if (!file) {
        str_add(out, builtin);
        return true;
    }
    struct err why = {0};
    bool ok = read_text(file, WORKFLOW_TEXT_MAX, out, &why);
    (void)fclose(file); /* only read */
    return ok || err_set(err, ERR_INVALID, "%s: %s", path, why.message);
}
