#define _XOPEN_SOURCE 700 /* realpath */

#include "plan_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "exit_code.h"
#include "fail.h"

static bool read_all(FILE *from, struct str *out, struct err *err)
{
    char buffer[16384];
    size_t got = 0;
    while ((got = fread(buffer, 1, sizeof(buffer), from)) > 0) {
        str_add_n(out, buffer, got);
        if (out->len > PLAN_BYTES_MAX)
            return err_set(err, ERR_LIMIT, "it is larger than %d MiB",
                           PLAN_BYTES_MAX / (1024 * 1024));
    }
    return ferror(from) == 0 || err_set_errno(err, errno, "it cannot be read");
}

static bool read_file(const char *path, struct str *out, struct err *err)
{
    if (strcmp(path, "-") == 0)
        return read_all(stdin, out, err);
    FILE *file = fopen(path, "re");
    if (!file) {
        (void)err_set(err, ERR_INVALID, "plan '%s': %s", path, strerror(errno));
        return err_hint(err, "devs init writes a starter plan");
    }
    struct err why = {0};
    bool ok = read_all(file, out, &why);
    (void)fclose(file); /* only read */
    return ok || err_set(err, ERR_INVALID, "plan '%s': %s", path, why.message);
}

/* A plan that comes through a pipe has no folder of its own: this one is meant. */
static bool find_dir(const char *path, char dir[PATH_MAX], struct err *err)
{
    struct stat info;
    bool is_file = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    char whole[PATH_MAX];
    if (!realpath(is_file ? path : ".", whole))
        return err_set(err, ERR_INVALID, "plan '%s': its folder is not there", path);
    char *slash = strrchr(whole, '/');
    if (is_file && slash)
        slash[slash == whole ? 1 : 0] = '\0';
    (void)snprintf(dir, PATH_MAX, "%s", whole);
    return true;
}

static int print_violations(const char *path, const struct violations *violations)
{
    struct str text = {0};
    size_t count = violations->count + violations->dropped;
    violations_display(violations, &text);
    (void)fprintf(stderr, "devs: plan '%s': %zu thing%s wrong, nothing was started\n%s", path,
                  count, count == 1 ? " is" : "s are", str_text(&text));
    str_done(&text);
    return EXIT_USAGE;
}

int plan_file_read(const char *path, struct plan_file *out)
{
    struct err err = {0};
    struct plan_file file = {0};
    struct violations violations = {0};
    if (!read_file(path, &file.text, &err) || !find_dir(path, file.dir, &err)) {
        plan_file_done(&file);
        return fail(&err);
    }
    int code = EXIT_ALL_PASSED;
    if (!plan_parse(str_text(&file.text), file.text.len, &file.plan, &violations))
        code = print_violations(path, &violations);
    violations_done(&violations);
    if (code != EXIT_ALL_PASSED)
        plan_file_done(&file);
    else
        *out = file;
    return code;
}

void plan_file_done(struct plan_file *file)
{
    plan_free(file->plan);
    str_done(&file->text);
    file->plan = NULL;
}
