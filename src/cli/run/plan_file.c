#define _XOPEN_SOURCE 700 /* realpath */

#include "plan_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit_code.h"
#include "fail.h"
#include "parse.h"
#include "plan_grow.h"
#include "plan_sessions.h"
#include "read_text.h"
#include "shell_word.h"
#include "trust.h"

enum { JOBS_DEFAULT = 2 };

static bool read_file(const char *path, struct str *out, struct err *err)
{
    struct err why = {0};
    if (read_text_input(path, PLAN_BYTES_MAX, out, &why))
        return true;
    (void)err_set(err, why.code, "plan '%s': %s", path, why.message);
    return why.code == ERR_NOT_FOUND ? err_hint(err, "devs init writes a starter plan") : false;
}

static bool make_absolute(const char *path, char out[PATH_MAX])
{
    char here[PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(here, sizeof(here)))
        return false;
    const int wrote = snprintf(out, PATH_MAX, "%s%s%s", here, here[0] ? "/" : "", path);
    return wrote > 0 && wrote < PATH_MAX;
}

/* A plan that comes through a pipe has no folder of its own: this one is meant. */
static bool find_dir(const char *path, struct plan_file *file, struct err *err)
{
    struct stat info;
    bool is_file = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    char whole[PATH_MAX];
    file->path[0] = '\0';
    if (is_file && !make_absolute(path, file->path))
        return err_set(err, ERR_INVALID, "plan '%s': its path is too long", path);
    if (!realpath(is_file ? path : ".", whole))
        return err_set(err, ERR_INVALID, "plan '%s': its folder is not there", path);
    char *slash = strrchr(whole, '/');
    if (is_file && slash)
        slash[slash == whole ? 1 : 0] = '\0';
    (void)snprintf(file->dir, sizeof(file->dir), "%s", whole);
    return true;
}

/* The log keeps the plan as it is run: with the settings, and contracts from files. */
static int add_more(const char *path, struct plan_file *file)
{
    if (!plan_has_more(file->plan))
        return EXIT_ALL_PASSED;
    plan_file_rewrite(file);
    if (file->text.len <= PLAN_BYTES_MAX)
        return EXIT_ALL_PASSED;
    return fail_usage(NULL, "plan '%s': with the settings and contracts it is larger than %d MiB",
                      path, PLAN_BYTES_MAX / (1024 * 1024));
}

/* A contract that stands in a file of its own; `ctx` is the plan's folder. A plan from elsewhere
 * may name anything. */
static bool read_contract(void *ctx, const char *name, struct str *out, struct err *err)
{
    const char *dir = ctx;
    char path[PATH_MAX];
    bool is_absolute = name[0] == '/';
    int len = snprintf(path, sizeof(path), "%s%s%s", is_absolute ? "" : dir, is_absolute ? "" : "/",
                       name);
    if (len >= PATH_MAX)
        return err_set(err, ERR_INVALID, "its path is too long");
    return read_text_file(path, CONTRACT_BYTES_MAX, out, err);
}

static int parse(const char *path, bool may_share_sessions, struct plan_file *file)
{
    struct violations violations = {0};
    const struct plan_files files = {.read = read_contract, .ctx = file->dir};
    const struct plan_context context = {.settings = &file->config.settings, .files = &files};
    int code = EXIT_ALL_PASSED;
    bool ok = plan_parse_with(str_text(&file->text), file->text.len, &context, &file->plan,
                              &violations) &&
              plan_is_whole(file->plan, &violations) &&
              (may_share_sessions || plan_sessions_check(file->plan, &violations));
    if (!ok) {
        char what[PATH_MAX + 16];
        (void)snprintf(what, sizeof(what), "plan '%s'", path); /* as much of it as fits */
        code = fail_violations(what, "nothing was started", &violations);
    } else {
        code = add_more(path, file);
    }
    violations_done(&violations);
    return code;
}

/* Appends the text with the change. One that is not JSON stays as it is: what is wrong with it is
 * reported when it is read. */
static void add_edited(const struct str *source, plan_file_edit_fn *edit, void *ctx,
                       struct str *out)
{
    struct json *root = NULL;
    if (edit && json_parse_data(str_text(source), source->len, &root, NULL, NULL))
        edit(ctx, root, out);
    else
        str_add_n(out, str_text(source), source->len);
    json_free(root);
}

/* An attempt may have written the plan. */
static int check_trust(const struct plan_file *file)
{
    struct str command = {0};
    const enum trust_state state = trust_find(file->path, &file->source);
    if (state == TRUST_GIVEN)
        return EXIT_ALL_PASSED;
    str_add(&command, "devs trust ");
    shell_word_add(file->path, &command);
    warn("%s: %s; read the plan, then run: %s", file->path,
         state == TRUST_CHANGED ? "the plan has changed since you trusted it or devs wrote it"
                                : "devs plan-phase did not write this plan here, so it needs your "
                                  "trust",
         str_text(&command));
    str_done(&command);
    return EXIT_USAGE;
}

static int read_plan(const char *path, enum config_use use, plan_file_edit_fn *edit, void *ctx,
                     struct plan_file *out)
{
    struct err err = {0};
    struct plan_file file = {0};
    if (!read_file(path, &file.source, &err) || !find_dir(path, &file, &err)) {
        plan_file_done(&file);
        return fail(&err);
    }
    add_edited(&file.source, edit, ctx, &file.text);
    int code = edit ? check_trust(&file) : EXIT_ALL_PASSED;
    if (code == EXIT_ALL_PASSED)
        code = config_read(file.dir, use, &file.config);
    if (code == EXIT_ALL_PASSED)
        code = parse(path, edit != NULL, &file);
    if (code != EXIT_ALL_PASSED)
        plan_file_done(&file);
    else
        *out = file;
    return code;
}

int plan_file_read(const char *path, enum config_use use, struct plan_file *out)
{
    return read_plan(path, use, NULL, NULL, out);
}

int plan_file_read_trusted(const char *path, plan_file_edit_fn *edit, void *ctx,
                           struct plan_file *out)
{
    return read_plan(path, CONFIG_ACTS, edit, ctx, out);
}

bool plan_file_jobs(const struct plan_file *file, const char *given, int *out, struct err *err)
{
    int64_t jobs = file->plan->jobs > 0 ? file->plan->jobs : JOBS_DEFAULT;
    if (given && !parse_i64(given, 1, PLAN_JOBS_MAX, &jobs, err)) {
        (void)err_hint(err, "-j takes 1 to %d", PLAN_JOBS_MAX);
        return false;
    }
    *out = (int)jobs;
    return true;
}

void plan_file_rewrite(struct plan_file *file)
{
    str_clear(&file->text);
    plan_write(file->plan, &file->text);
}

void plan_file_done(struct plan_file *file)
{
    plan_free(file->plan);
    str_done(&file->text);
    str_done(&file->source);
    config_done(&file->config);
    file->plan = NULL;
}
