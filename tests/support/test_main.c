#define _XOPEN_SOURCE 700 /* nftw() */

#include "test_main.h"

#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Only to end hung tests, not to measure anything: the machine may be busy. */
enum { CASE_TIMEOUT_S = 120 };

TCase *test_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, CASE_TIMEOUT_S);
    suite_add_tcase(suite, tcase);
    return tcase;
}

static bool make_folder(char path[PATH_MAX])
{
    const char *parent = getenv("TMPDIR");
    if (parent)
        (void)mkdir(parent, 0700); /* usually exists, except for the first test after a cleanup */
    (void)snprintf(path, PATH_MAX, "%s/devs-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(path) != NULL;
}

const char *test_tmpdir(void)
{
    static char path[PATH_MAX];
    ck_assert(make_folder(path));
    return path;
}

char *test_path(const char *folder, const char *name)
{
    static char paths[8][PATH_MAX];
    static size_t next;
    char *path = paths[next++ % 8];
    const int len = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    ck_assert_int_lt(len, PATH_MAX);
    return path;
}

const char *test_json(const char *text)
{
    enum { TEXT_MAX = 16 * 1024 };
    static char texts[8][TEXT_MAX];
    static size_t next;
    char *out = texts[next++ % 8];
    ck_assert_int_lt(snprintf(out, TEXT_MAX, "%s", text), TEXT_MAX);
    for (char *at = out; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return out;
}

void test_write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "we");
    ck_assert_msg(file != NULL, "cannot write '%s'", path);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, mode), 0);
}

char *test_read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    ck_assert_int_ge(size, 0);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    ck_assert_int_eq(fclose(file), 0);
    return text;
}

const char *test_source_path(const char *relative)
{
    static char path[PATH_MAX];
    const char *top = getenv("DEVS_SOURCE_DIR");
    (void)snprintf(path, sizeof(path), "%s/%s", top ? top : ".", relative);
    return path;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

/* Makes a folder for spill logs, so that they do not mix with those of the user who runs the
 * tests. */
static bool make_runtime_folder(char path[PATH_MAX])
{
    return make_folder(path) && setenv("XDG_RUNTIME_DIR", path, 1) == 0;
}

int main(void)
{
    enum { OPEN_FOLDERS = 16 };
    char runtime[PATH_MAX];
    if (!make_runtime_folder(runtime))
        return EXIT_FAILURE;
    SRunner *runner = srunner_create(test_suite());
    srunner_run_all(runner, CK_ENV);
    const int run = srunner_ntests_run(runner);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (run == 0)
        (void)fprintf(stderr, "no test was run\n");
    (void)nftw(runtime, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    return failed == 0 && run > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
