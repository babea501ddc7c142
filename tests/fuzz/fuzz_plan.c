/*
 * Whatever stands in a plan or in the settings: it is taken or all that is wrong is said,
 * and a plan that was taken is written as a text that is read as the same plan.
 *
 * One text is tried as both; contracts of files have their own names as content.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool read_file(void *ctx, const char *name, struct str *out, struct err *err)
{
    (void)ctx;
    if (strchr(name, '/'))
        return err_set(err, ERR_INVALID, "there is no folder");
    str_add(out, name);
    return true;
}

static void check_said(bool ok, struct violations *violations)
{
    struct str shown = {0};
    must(ok == (violations->count == 0));
    must(violations->count <= VIOLATIONS_MAX);
    violations_display(violations, &shown);
    must(ok == (shown.len == 0));
    str_done(&shown);
    violations_done(violations);
}

static void check_written(const struct plan *plan)
{
    struct str first = {0};
    struct str second = {0};
    struct plan *again = NULL;
    struct violations violations = {0};
    plan_write(plan, &first);
    must(plan_parse(first.data, first.len, &again, &violations));
    must(!again->has_files);
    plan_write(again, &second);
    must(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    plan_free(again);
    str_done(&first);
    str_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct settings settings = {0};
    struct violations violations = {0};
    bool has_settings = settings_parse(text, size, &settings, &violations);
    check_said(has_settings, &violations);

    struct plan *plan = NULL;
    const struct plan_files files = {.read = read_file};
    const struct plan_context context = {.settings = has_settings ? &settings : NULL,
                                         .files = &files};
    bool ok = plan_parse_with(text, size, &context, &plan, &violations);
    check_said(ok, &violations);
    if (ok)
        check_written(plan);
    plan_free(plan);
    settings_done(&settings);
    return 0;
}
