/* git_open.c - which repository a folder is in, and whether one can work with it. */
#include <stdlib.h>
#include <string.h>

#include "git.h"
#include "git_list.h"
#include "xalloc.h"

static const int64_t ask_timeout_ms = 30 * 1000; /* of questions about the repository */

/* What no settings may change. An empty filter passes bytes on as they are. */
static const char *const fixed_settings[] = {
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "submodule.recurse=false",
    "rerere.enabled=false",
    "diff.external=",
    "core.pager=cat",
    "core.quotePath=true",
    "core.attributesFile=/dev/null",
    "merge.verifySignatures=false",
    "merge.ff=true",
    "merge.conflictStyle=merge",
    "merge.renames=true",
    "apply.whitespace=nowarn",
    "diff.ignoreSubmodules=all",
    "advice.detachedHead=false",
    "advice.addEmbeddedRepo=false",
    "core.editor=false",
    "checkout.guess=false",
    "core.sshCommand=false",
    "protocol.allow=never",
    "index.sparse=false",
};

static const char *const fixed_environment[] = {
    "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=false",      "GIT_PAGER=cat",
    "GIT_ATTR_NOSYSTEM=1",   "GIT_NO_LAZY_FETCH=1",  "GIT_MERGE_AUTOEDIT=no", "LC_ALL=C",
};

/* Only git's own questions about settings see those of the person. */
static const char *const closed_environment[] = {"GIT_CONFIG_NOSYSTEM=1",
                                                 "GIT_CONFIG_GLOBAL=/dev/null"};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static char **make_environment(char *const *environment)
{
    struct git_list list = {0};
    for (size_t i = 0; i < ARRAY_LEN(fixed_environment); i++)
        git_list_add(&list, fixed_environment[i]);
    for (; environment && *environment; environment++) {
        if (!starts_with(*environment, "GIT_") && !starts_with(*environment, "LC_ALL="))
            git_list_add(&list, *environment);
    }
    return list.items;
}

static void add_variable(struct git *git, const char *variable)
{
    struct git_list list = {.items = git->environment};
    while (list.items[list.count])
        list.count++;
    list.cap = list.count + 1;
    git_list_add(&list, variable);
    git->environment = list.items;
}

static void close_environment(struct git *git)
{
    for (size_t i = 0; i < ARRAY_LEN(closed_environment); i++)
        add_variable(git, closed_environment[i]);
}

static void add_setting(struct git_list *list, const char *setting)
{
    git_list_add(list, "-c");
    git_list_add(list, setting);
}

/* The middle of "filter.NAME.clean"; false if the key is another. */
static bool is_part_of(const char *key, const char *section, const char **name, size_t *len)
{
    const size_t start = strlen(section);
    const char *last = strrchr(key, '.');
    if (strncmp(key, section, start) != 0 || key[start] != '.' || !last || last <= key + start)
        return false;
    *name = key + start + 1;
    *len = (size_t)(last - *name);
    return true;
}

static bool add_named(struct git_list *settings, const char *fmt, const char *name, size_t len,
                      struct err *err)
{
    struct str text = {0};
    /* "-c" takes what comes before the first '=' for the key. */
    if (memchr(name, '=', len) || memchr(name, '\n', len))
        return err_set(err, ERR_INVALID, "git: a filter or merge driver is called '%.*s'", (int)len,
                       name);
    if (settings->count >= (size_t)2 * GIT_SETTINGS_MAX)
        return err_set(err, ERR_LIMIT, "git: more than %d filters and merge drivers",
                       GIT_SETTINGS_MAX);
    str_addf(&text, "%.*s.%.*s%s", (int)strcspn(fmt, "."), fmt, (int)len, name, strchr(fmt, '.'));
    add_setting(settings, text.data);
    str_done(&text);
    return true;
}

/* Switch off what the settings name: filters pass on, a merge driver has a conflict. */
static bool add_switches(struct git_list *settings, const char *key, struct err *err)
{
    static const char *const switches[] = {
        "filter.clean=", "filter.smudge=", "filter.process=", "filter.required=false"};
    const char *name;
    size_t len;
    if (is_part_of(key, "merge", &name, &len) && strcmp(name + len, ".driver") == 0)
        return add_named(settings, "merge.driver=false", name, len, err);
    if (!is_part_of(key, "filter", &name, &len))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(switches); i++) {
        if (!add_named(settings, switches[i], name, len, err))
            return false;
    }
    return true;
}

/* One "key\nvalue" of the person's settings. */
static bool take_setting(struct git *git, struct git_list *settings, char *item, unsigned *identity,
                         struct err *err)
{
    char *value = strchr(item, '\n');
    struct str text = {0};
    if (value)
        *value++ = '\0';
    if (value && strcmp(item, "core.excludesfile") == 0) {
        str_addf(&text, "core.excludesFile=%s", value);
        add_setting(settings, text.data);
    }
    if (value && *value && strcmp(item, "user.name") == 0) {
        *identity |= 1U;
        str_addf(&text, "user.name=%s", value);
        add_setting(settings, text.data);
    }
    if (value && *value && strcmp(item, "user.email") == 0) {
        *identity |= 2U;
        str_addf(&text, "user.email=%s", value);
        add_setting(settings, text.data);
    }
    str_done(&text);
    git->has_identity = *identity == 3U;
    return add_switches(settings, item, err);
}

/* What is read here with the person's settings is what goes on with none. */
static bool read_settings(struct git *git, struct err *err)
{
    const char *const words[] = {"config", "--list", "-z", "--includes", NULL};
    const struct git_call call = {.words = words, .timeout_ms = ask_timeout_ms};
    struct git_list settings = {0};
    struct str text = {0};
    struct str safe = {0};
    unsigned identity = 0;
    bool ok = git_ask(git, &call, &text, err);
    for (size_t i = 0; i < ARRAY_LEN(fixed_settings); i++)
        add_setting(&settings, fixed_settings[i]);
    str_addf(&safe, "safe.directory=%s", git->top); /* git was willing to work on it already */
    add_setting(&settings, safe.data);
    for (size_t at = 0; ok && at < text.len;) {
        char *item = text.data + at;
        at += strlen(item) + 1;
        ok = take_setting(git, &settings, item, &identity, err);
    }
    str_done(&text);
    str_done(&safe);
    git->settings = settings.items;
    close_environment(git);
    return ok;
}

static bool ask_place(const struct git *git, const char *word, char **out, struct err *err)
{
    const char *const words[] = {"rev-parse", word, NULL};
    const struct git_call call = {.words = words, .timeout_ms = ask_timeout_ms};
    struct str text = {0};
    if (!git_ask(git, &call, &text, err)) {
        str_done(&text);
        return false;
    }
    struct str path = {0};
    if (text.len > 0 && text.data[0] != '/') /* then it is relative to where git was asked */
        str_addf(&path, "%s/", git->top);
    str_add_n(&path, str_text(&text), text.len > 0 ? text.len - 1 : 0);
    *out = path.data ? path.data : xstrdup("");
    str_done(&text);
    return true;
}

static bool check_kind(const struct git *git, struct err *err)
{
    const char *const words[] = {"rev-parse", "--is-inside-work-tree", NULL};
    const struct git_call call = {.words = words, .timeout_ms = ask_timeout_ms};
    struct tool_result result = {0};
    if (!git_run(git, &call, &result, err))
        return false;
    bool ok = result.exit_code == 0 && starts_with(str_text(&result.out), "true");
    if (!ok && result.exit_code == 0) {
        (void)err_set(err, ERR_INVALID, "'%s' is in a git repository without a working tree",
                      git->top);
        (void)err_hint(err, "\"workspace\": \"worktree\" needs one; \"copy\" does not");
    } else if (!ok && strstr(str_text(&result.err), "not a git repository")) {
        (void)err_set(err, ERR_NOT_FOUND, "'%s' is in no git repository", git->top);
        (void)err_hint(err, "\"workspace\": \"worktree\" needs one; \"copy\" does not");
    } else if (!ok) {
        ok = tool_succeeded(&result, "git", err);
    }
    tool_result_done(&result);
    return ok;
}

bool git_open(struct git *out, const char *folder, char *const *environment, struct err *err)
{
    struct git git = {
        .top = xstrdup(folder), .environment = make_environment(environment), .has_identity = true};
    char *top = NULL;
    bool ok = check_kind(&git, err) && ask_place(&git, "--show-toplevel", &top, err);
    if (ok) {
        free(git.top);
        git.top = top;
        ok = ask_place(&git, "--git-common-dir", &git.common, err) && read_settings(&git, err);
    }
    if (ok)
        *out = git;
    else
        git_done(&git);
    return ok;
}

void git_alone(struct git *out, const char *folder, char *const *environment)
{
    const char *parent = strrchr(folder, '/');
    struct git_list settings = {0};
    struct str ceiling = {0};
    for (size_t i = 0; i < ARRAY_LEN(fixed_settings); i++)
        add_setting(&settings, fixed_settings[i]);
    *out = (struct git){.top = xstrdup(folder),
                        .common = xstrdup(""),
                        .environment = make_environment(environment),
                        .settings = settings.items,
                        .has_identity = true};
    close_environment(out);
    str_addf(&ceiling, "GIT_CEILING_DIRECTORIES=%.*s", parent ? (int)(parent - folder) : 0, folder);
    add_variable(out, ceiling.data);
    str_done(&ceiling);
}

void git_done(struct git *git)
{
    if (!git)
        return;
    free(git->top);
    free(git->common);
    git_list_free(git->environment);
    git_list_free(git->settings);
    *git = (struct git){0};
}
