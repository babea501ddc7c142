/*
 * sandbox_spec.c - workspaces and sandboxes as a plan describes them: values, names and text.
 */
#include "workspace_spec.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "text.h"
#include "xalloc.h"

static const char *const workspace_kind_names[] = {
    [WORKSPACE_INPLACE] = "inplace",
    [WORKSPACE_WORKTREE] = "worktree",
    [WORKSPACE_COPY] = "copy",
};
static_assert(ARRAY_LEN(workspace_kind_names) == WORKSPACE_KIND_COUNT, "every kind has a name");

static const struct workspace_spec no_workspace = {.snapshot_bytes_max = WORKSPACE_SNAPSHOT_BYTES,
                                                   .setup_timeout_ms = WORKSPACE_SETUP_MS};

struct workspace_spec workspace_spec_new(void)
{
    return no_workspace;
}

const struct workspace_spec *workspace_spec_none(void)
{
    return &no_workspace;
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
    *spec = no_workspace;
}

const char *workspace_kind_name(enum workspace_kind kind)
{
    bool in_table = (size_t)kind < ARRAY_LEN(workspace_kind_names);
    return in_table ? workspace_kind_names[kind] : "?";
}

bool workspace_kind_parse(const char *text, enum workspace_kind *out)
{
    for (size_t i = 0; i < ARRAY_LEN(workspace_kind_names); i++) {
        if (strcmp(workspace_kind_names[i], text) != 0)
            continue;
        *out = (enum workspace_kind)i;
        return true;
    }
    return false;
}

bool workspace_can_be_reset(const struct workspace_spec *spec)
{
    return spec->kind != WORKSPACE_INPLACE;
}

static const char *const sandbox_kind_names[] = {
    [SANDBOX_NONE] = "none",     [SANDBOX_BWRAP] = "bwrap",   [SANDBOX_CONTAINER] = "container",
    [SANDBOX_PODMAN] = "podman", [SANDBOX_DOCKER] = "docker",
};
static_assert(ARRAY_LEN(sandbox_kind_names) == SANDBOX_KIND_COUNT, "every kind has a name");

static const struct sandbox_spec no_sandbox = {.start_timeout_ms = SANDBOX_START_MS};

struct sandbox_spec sandbox_spec_new(void)
{
    return no_sandbox;
}

const struct sandbox_spec *sandbox_spec_none(void)
{
    return &no_sandbox;
}

struct sandbox_spec sandbox_spec_copy(const struct sandbox_spec *spec)
{
    struct sandbox_spec copy = *spec;
    copy.writable = text_list_copy(spec->writable);
    copy.env = text_list_copy(spec->env);
    copy.args = text_list_copy(spec->args);
    copy.image = spec->image ? xstrdup(spec->image) : NULL;
    return copy;
}

void sandbox_spec_done(struct sandbox_spec *spec)
{
    if (!spec)
        return;
    text_list_free(spec->writable);
    text_list_free(spec->env);
    text_list_free(spec->args);
    free(spec->image);
    *spec = no_sandbox;
}

const char *sandbox_kind_name(enum sandbox_kind kind)
{
    bool in_table = (size_t)kind < ARRAY_LEN(sandbox_kind_names);
    return in_table ? sandbox_kind_names[kind] : "?";
}

bool sandbox_kind_parse(const char *text, enum sandbox_kind *out)
{
    for (size_t i = 0; i < ARRAY_LEN(sandbox_kind_names); i++) {
        if (strcmp(sandbox_kind_names[i], text) != 0)
            continue;
        *out = (enum sandbox_kind)i;
        return true;
    }
    return false;
}

bool sandbox_kind_is_container(enum sandbox_kind kind)
{
    return kind == SANDBOX_CONTAINER || kind == SANDBOX_PODMAN || kind == SANDBOX_DOCKER;
}

bool sandbox_spec_is_read_only(const struct sandbox_spec *spec)
{
    if (spec->root == SANDBOX_ROOT_UNSAID)
        return spec->kind == SANDBOX_BWRAP;
    return spec->root == SANDBOX_ROOT_READ_ONLY;
}

void sandbox_spec_set_kind(struct sandbox_spec *spec, enum sandbox_kind kind)
{
    const bool was_container = sandbox_kind_is_container(spec->kind);
    const bool is_container = sandbox_kind_is_container(kind);
    if (spec->kind == kind)
        return;
    spec->kind = kind;
    if (!was_container || !is_container)
        field_list_forget(&spec->args);
    if (!is_container) {
        free(spec->image);
        spec->image = NULL;
        spec->start_timeout_ms = SANDBOX_START_MS;
    }
    if (kind == SANDBOX_NONE) {
        spec->network = SANDBOX_NETWORK_UNSAID;
        spec->root = SANDBOX_ROOT_UNSAID;
        field_list_forget(&spec->writable);
        field_list_forget(&spec->env);
    }
}

bool sandbox_spec_choose(struct sandbox_spec *spec, const char *word, struct err *err)
{
    const char *colon = strchr(word, ':');
    char *name = xstrndup(word, colon ? (size_t)(colon - word) : strlen(word));
    enum sandbox_kind kind = SANDBOX_NONE;
    const bool is_known = sandbox_kind_parse(name, &kind);
    free(name);
    if (!is_known) {
        (void)err_set(err, ERR_INVALID, "unknown sandbox '%s'", word);
        return err_hint(err, "use none, bwrap, podman:IMAGE, docker:IMAGE or container:IMAGE");
    }
    sandbox_spec_set_kind(spec, kind);
    if (colon) {
        const char *image = colon + 1;
        const size_t len = strlen(image);
        if (!sandbox_kind_is_container(kind))
            return err_set(err, ERR_INVALID,
                           "only containers have an image, but '%s' is not a container",
                           sandbox_kind_name(kind));
        /* The name goes onto a command line, where it must not look like an option. */
        if (len == 0 || len > SANDBOX_IMAGE_MAX || image[0] == '-')
            return err_set(err, ERR_INVALID, "invalid image name '%.40s'", image);
        free(spec->image);
        spec->image = xstrdup(image);
    }
    if (sandbox_kind_is_container(kind) && !spec->image) {
        (void)err_set(err, ERR_INVALID,
                      "a container needs an image, which must be on this machine");
        return err_hint(err, "use %s:IMAGE, or set \"sandbox\" in devs.config.json", word);
    }
    return true;
}

void sandbox_spec_add_writable(struct sandbox_spec *spec, const char *path)
{
    size_t count = 0;
    for (; spec->writable && spec->writable[count]; count++) {
        if (strcmp(spec->writable[count], path) == 0)
            return;
    }
    size_t cap = 0;
    spec->writable = xgrow(spec->writable, &cap, count + 2, sizeof(*spec->writable));
    spec->writable[count] = xstrdup(path);
    spec->writable[count + 1] = NULL;
}

bool sandbox_spec_is_empty(const struct sandbox_spec *spec)
{
    bool has_limit = spec->memory_mb > 0 || spec->pids > 0 || spec->cpu_s > 0;
    return spec->kind == SANDBOX_NONE && !has_limit && spec->root != SANDBOX_ROOT_READ_ONLY &&
           spec->network != SANDBOX_NETWORK_OFF;
}

/* Adds a word: the first one after the kind and a colon, the others after a comma. */
static void add_word(const char **separator, bool said, const char *word, struct str *out)
{
    if (!said)
        return;
    str_addf(out, "%s%s", *separator, word);
    *separator = ", ";
}

static void add_limit(const char **separator, int64_t limit, const char *unit, struct str *out)
{
    if (limit == 0)
        return;
    str_addf(out, "%s%lld %s", *separator, (long long)limit, unit);
    *separator = ", ";
}

void sandbox_spec_words(const struct sandbox_spec *spec, struct str *out)
{
    const char *separator = ": ";
    if (sandbox_spec_is_empty(spec))
        return;
    str_add(out, sandbox_kind_name(spec->kind));
    if (spec->image)
        str_addf(out, " %s", spec->image);
    add_word(&separator, spec->network == SANDBOX_NETWORK_ON, "network", out);
    add_word(&separator, spec->network == SANDBOX_NETWORK_OFF, "no network", out);
    add_limit(&separator, spec->memory_mb, "MiB", out);
    add_limit(&separator, spec->pids, "processes", out);
    add_limit(&separator, spec->cpu_s, "s of CPU time", out);
    add_word(&separator, sandbox_spec_is_read_only(spec),
             spec->writable && spec->writable[0]
                 ? "writes only to the workspace and the writable paths"
                 : "writes only to the workspace",
             out);
    add_word(&separator, spec->kind == SANDBOX_BWRAP && !sandbox_spec_is_read_only(spec),
             "all files writable", out);
    add_word(&separator, spec->best_effort, "best effort", out);
}
