#include "workspace_spec.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "text_list.h"

static const char *const kind_names[] = {
    [WORKSPACE_INPLACE] = "inplace",
    [WORKSPACE_WORKTREE] = "worktree",
    [WORKSPACE_COPY] = "copy",
};
static_assert(ARRAY_LEN(kind_names) == WORKSPACE_KIND_COUNT, "every kind has a name");

static const char *const setup_in_names[] = {
    [WORKSPACE_SETUP_IN_SANDBOX] = "sandbox",
    [WORKSPACE_SETUP_IN_NETWORK] = "network",
    [WORKSPACE_SETUP_OUTSIDE] = "outside",
};
static_assert(ARRAY_LEN(setup_in_names) == WORKSPACE_SETUP_IN_COUNT, "each value has a name");

static const struct workspace_spec none = {.snapshot_bytes_max = WORKSPACE_SNAPSHOT_BYTES,
                                           .setup_timeout_ms = WORKSPACE_SETUP_MS};

struct workspace_spec workspace_spec_new(void)
{
    return none;
}

const struct workspace_spec *workspace_spec_none(void)
{
    return &none;
}

struct workspace_spec workspace_spec_copy(const struct workspace_spec *spec)
{
    struct workspace_spec copy = *spec;
    copy.copy = text_list_copy(spec->copy);
    copy.setup = text_list_copy(spec->setup);
    copy.exclude = text_list_copy(spec->exclude);
    return copy;
}

void workspace_spec_done(struct workspace_spec *spec)
{
    if (!spec)
        return;
    text_list_free(spec->copy);
    text_list_free(spec->setup);
    text_list_free(spec->exclude);
    *spec = none;
}

const char *workspace_kind_name(enum workspace_kind kind)
{
    bool in_table = (size_t)kind < ARRAY_LEN(kind_names);
    return in_table ? kind_names[kind] : "?";
}

bool workspace_kind_parse(const char *text, enum workspace_kind *out)
{
    for (size_t i = 0; i < ARRAY_LEN(kind_names); i++) {
        if (strcmp(kind_names[i], text) != 0)
            continue;
        *out = (enum workspace_kind)i;
        return true;
    }
    return false;
}

const char *workspace_setup_in_name(enum workspace_setup_in where)
{
    assert(where < WORKSPACE_SETUP_IN_COUNT);
    return setup_in_names[where];
}

bool workspace_setup_in_parse(const char *text, enum workspace_setup_in *out)
{
    for (size_t i = 0; i < ARRAY_LEN(setup_in_names); i++) {
        if (strcmp(setup_in_names[i], text) != 0)
            continue;
        *out = (enum workspace_setup_in)i;
        return true;
    }
    return false;
}

bool workspace_can_be_reset(const struct workspace_spec *spec)
{
    return spec->kind != WORKSPACE_INPLACE;
}

static void write_seconds(struct str *out, const char *key, int64_t ms)
{
    const int64_t second_ms = 1000;
    str_json_key(out, key);
    str_addf(out, "%lld.%03lld", (long long)(ms / second_ms), (long long)(ms % second_ms));
}

void workspace_spec_write(const struct workspace_spec *spec, struct str *out)
{
    str_add_char(out, '{');
    str_json_text(out, "kind", workspace_kind_name(spec->kind));
    text_list_write(out, "copy", spec->copy);
    text_list_write(out, "setup", spec->setup);
    text_list_write(out, "exclude", spec->exclude);
    if (workspace_can_be_reset(spec)) {
        str_json_i64(out, "snapshot_bytes_max", spec->snapshot_bytes_max);
        str_json_text(out, "setup_in", workspace_setup_in_name(spec->setup_in));
        write_seconds(out, "setup_timeout_s", spec->setup_timeout_ms);
    }
    str_add_char(out, '}');
}
