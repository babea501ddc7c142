/* hook_install.c - adds hooks to an agent's settings file, removes them, and reports whether they
 * are called.
 *
 * Only hooks whose command is devs hook are changed; everything else is left unchanged
 * (json_edit.h). In a project, neither the file nor its folder may be a link, which could lead to
 * the user's own settings. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "fail.h"
#include "json.h"
#include "json_edit.h"
#include "log_writer.h"
#include "place.h"
#include "program_find.h"
#include "text.h"
#include "text_file.h"

enum { OURS_MAX = 1000 /* maximum number of our hooks removed from one file */ };

/* Returns whether the command is "devs hook ...", with or without a folder and quotes. */
static bool is_ours(const char *command)
{
    const bool quoted = command[0] == '\'' || command[0] == '"';
    const char *word = command + quoted;
    const size_t len = quoted ? strcspn(word, command[0] == '"' ? "\"" : "'") : strcspn(word, " ");
    const char *behind = word + len + (quoted && word[len] != '\0');
    const bool is_devs =
        len >= 4 && strncmp(word + len - 4, "devs", 4) == 0 && (len == 4 || word[len - 5] == '/');
    return is_devs && strncmp(behind, " hook", 5) == 0 && (behind[5] == ' ' || behind[5] == '\0');
}

/* A hook in the settings. */
struct where {
    const char *event; /* borrowed from the tree */
    size_t group, hook;
    bool exact; /* the hook has exactly the requested command */
};

static bool find_in_list(const struct json *list, const char *command, struct where *out)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *hooks = json_get(json_at(list, i), "hooks");
        for (size_t j = 0; json_kind(hooks) == JSON_KIND_ARRAY && j < json_count(hooks); j++) {
            const char *text = json_text(json_get(json_at(hooks, j), "command"), "");
            if (!is_ours(text))
                continue;
            out->group = i;
            out->hook = j;
            out->exact = command && strcmp(command, text) == 0;
            return true;
        }
    }
    return false;
}

/* Finds the first of our hooks. */
static bool find_ours(const struct json *tree, struct where *out)
{
    const char *event = NULL;
    const struct json *list = NULL;
    void *iter = NULL;
    while (json_next(json_get(tree, "hooks"), &iter, &event, &list)) {
        out->event = event;
        if (json_kind(list) == JSON_KIND_ARRAY && find_in_list(list, NULL, out))
            return true;
    }
    return false;
}

/* Opens the settings if their hooks have a form that we can change. */
static bool open_checked(struct jsonc *jsonc, const struct str *text, struct err *err)
{
    const char *event = NULL;
    const struct json *list = NULL;
    void *iter = NULL;
    if (!jsonc_open(jsonc, text, err))
        return false;
    const struct json *hooks = json_get(jsonc->tree, "hooks");
    if (hooks && json_kind(hooks) != JSON_KIND_OBJECT)
        return err_set(err, ERR_INVALID, "\"hooks\" must be an object, got %s",
                       json_kind_name(hooks));
    while (json_next(hooks, &iter, &event, &list)) {
        const bool is_known =
            json_kind(list) == JSON_KIND_ARRAY || hook_kind_of(event) == HOOK_OTHER;
        if (!is_known)
            return err_set(err, ERR_INVALID, "\"hooks\": \"%s\" must be a list, got %s", event,
                           json_kind_name(list));
    }
    return true;
}

/* The parts of the settings that contain an event's hooks, as far as they exist. */
struct spans {
    struct json_span root;
    struct json_member hooks, event;
    bool has_hooks, has_event;
};

static struct spans find_spans(const struct jsonc *jsonc, const char *event)
{
    const char *plain = jsonc->plain.data;
    struct spans spans = {.root = json_edit_root(plain)};
    spans.has_hooks = json_edit_member_of(plain, spans.root, "hooks", &spans.hooks);
    spans.has_event =
        spans.has_hooks && json_edit_member_of(plain, spans.hooks.value, event, &spans.event);
    return spans;
}

static void add_hook(struct jsonc *jsonc, const struct hook_agent *agent, const char *event,
                     const char *command)
{
    struct str group = {0};
    struct str member = {0};
    if (!find_spans(jsonc, event).has_hooks)
        jsonc_add(jsonc, json_edit_root(jsonc->plain.data), "\"hooks\": {}");
    str_add(&group, "{\n\t\"hooks\": [\n\t\t{\"type\": \"command\", \"command\": ");
    str_add_json(&group, command, strlen(command));
    str_addf(&group, ", \"timeout\": %d}\n\t]\n}", agent->timeout);
    struct spans spans = find_spans(jsonc, event);
    if (!spans.has_event) {
        str_addf(&member, "\"%s\": []", event);
        jsonc_add(jsonc, spans.hooks.value, str_text(&member));
        spans = find_spans(jsonc, event);
    }
    jsonc_add(jsonc, spans.event.value, str_text(&group));
    str_done(&member);
    str_done(&group);
}

static struct json_span whole_member(const struct json_member *member)
{
    return (struct json_span){member->name.start, member->value.end};
}

static bool is_empty(const struct jsonc *jsonc, struct json_span container)
{
    return container.end - container.start == 2 && strchr("[{", jsonc->text.data[container.start]);
}

static void remove_hook(struct jsonc *jsonc, const struct where *where)
{
    struct str event = {0};
    struct json_span group;
    struct json_span hook;
    struct json_member list;
    const char *plain = jsonc->plain.data;
    const struct json *groups = json_get(json_get(jsonc->tree, "hooks"), where->event);
    const bool is_alone = json_count(json_get(json_at(groups, where->group), "hooks")) == 1;
    str_add(&event, where->event);
    const struct spans spans = find_spans(jsonc, where->event);
    if (json_edit_element(plain, spans.event.value, where->group, &group) &&
        json_edit_member_of(plain, group, "hooks", &list) &&
        json_edit_element(plain, list.value, where->hook, &hook)) {
        jsonc_remove(jsonc, is_alone ? spans.event.value : list.value, is_alone ? group : hook);
        /* also remove objects and lists that have become empty */
        struct spans left = find_spans(jsonc, str_text(&event));
        if (left.has_event && is_empty(jsonc, left.event.value))
            jsonc_remove(jsonc, left.hooks.value, whole_member(&left.event));
        left = find_spans(jsonc, str_text(&event));
        if (left.has_hooks && is_empty(jsonc, left.hooks.value))
            jsonc_remove(jsonc, left.root, whole_member(&left.hooks));
    }
    str_done(&event);
}

static void remove_hooks(struct jsonc *jsonc)
{
    struct where where = {0};
    for (int i = 0; i < OURS_MAX && find_ours(jsonc->tree, &where); i++)
        remove_hook(jsonc, &where);
}

/* Counts the events that have one of our hooks, or exactly this command. */
static size_t count_events(const struct json *tree, const struct hook_agent *agent,
                           const char *command)
{
    size_t count = 0;
    for (size_t i = 0; i < HOOK_EVENTS_MAX && agent->events[i]; i++) {
        struct where where = {0};
        const struct json *list = json_get(json_get(tree, "hooks"), agent->events[i]);
        count += find_in_list(list, command, &where) && (where.exact || !command);
    }
    return count;
}

static size_t events_of(const struct hook_agent *agent)
{
    size_t count = 0;
    while (count < HOOK_EVENTS_MAX && agent->events[count])
        count++;
    return count;
}

bool hook_settings_add(struct str *text, const struct hook_agent *agent, const char *command,
                       struct err *err)
{
    struct jsonc jsonc;
    const bool ok = open_checked(&jsonc, text, err);
    if (ok && count_events(jsonc.tree, agent, command) < events_of(agent)) {
        remove_hooks(&jsonc);
        for (size_t i = 0; i < events_of(agent); i++)
            add_hook(&jsonc, agent, agent->events[i], command);
        str_clear(text);
        str_add_n(text, str_text(&jsonc.text), jsonc.text.len);
    }
    jsonc_close(&jsonc);
    return ok;
}

bool hook_settings_remove(struct str *text, struct err *err)
{
    struct jsonc jsonc;
    struct where where = {0};
    const bool ok = open_checked(&jsonc, text, err);
    if (ok && find_ours(jsonc.tree, &where)) {
        remove_hooks(&jsonc);
        str_clear(text);
        str_add_n(text, str_text(&jsonc.text), jsonc.text.len);
    }
    jsonc_close(&jsonc);
    return ok;
}

/* Returns whether the settings disable all hooks ("disableAllHooks"). False if the text cannot be
 * read. */
static bool hook_settings_disabled(const struct str *text)
{
    struct jsonc jsonc = {0};
    const bool ok = jsonc_open(&jsonc, text, NULL);
    const bool disabled = ok && json_bool(json_get(jsonc.tree, "disableAllHooks"), false);
    jsonc_close(&jsonc);
    return disabled;
}

bool hook_settings_count(const struct str *text, const struct hook_agent *agent, size_t *count_out,
                         struct err *err)
{
    struct jsonc jsonc;
    const bool ok = open_checked(&jsonc, text, err);
    if (ok)
        *count_out = count_events(jsonc.tree, agent, NULL);
    jsonc_close(&jsonc);
    return ok;
}

enum { FOLDER_MODE = 0777 /* before the umask is applied */ };

static bool join_path(char out[PATH_MAX], const char *folder, const char *name, struct err *err)
{
    const int len = snprintf(out, PATH_MAX, "%s/%s", folder, name);
    return (len > 0 && len < PATH_MAX) ||
           err_set(err, ERR_LIMIT, "the path '%s' is too long", folder);
}

/* Sets `out` to the path of the agent's settings; the file need not exist. */
static bool settings_path(const struct hook_agent *agent, bool of_user, char out[PATH_MAX],
                          struct err *err)
{
    char folder[PATH_MAX];
    const char *other = of_user && agent->home_env ? getenv(agent->home_env) : NULL;
    if (other && *other)
        return join_path(out, other, agent->home_file, err);
    const char *home = getenv("HOME");
    if (of_user)
        return home && *home ? join_path(out, home, agent->user_file, err)
                             : err_set(err, ERR_NOT_FOUND, "HOME is not set");
    return getcwd(folder, sizeof(folder))
               ? join_path(out, folder, agent->project_file, err)
               : err_set_errno(err, errno, "cannot determine the current folder");
}

/* Opens the settings. Does not block on a FIFO, and rejects a dangling link. */
static FILE *open_settings(const char *path, struct err *err)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_new = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (is_new && lstat(path, &info) == 0)
        (void)err_set(err, ERR_INVALID, "'%.200s' is a dangling link", path);
    else if (fd < 0 && !is_new)
        (void)err_set_errno(err, errno, "cannot read '%s'", path);
    if (fd < 0)
        return NULL;
    FILE *file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file) {
        (void)err_set(err, ERR_INVALID, "'%.200s' is not a regular file", path);
        (void)close(fd); /* nothing was read */
    }
    return file;
}

/* Rejects a project's file if the file or its folder is a link: someone else may have pointed it at
 * the user's own settings. */
static bool refuse_links(const char *path, struct err *err)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    const char *const both[] = {folder, path};
    for (size_t i = 0; i < ARRAY_LEN(both); i++) {
        struct stat info;
        if (lstat(both[i], &info) != 0 || !S_ISLNK(info.st_mode))
            continue;
        (void)err_set(err, ERR_INVALID, "'%.200s' is a link", both[i]);
        return err_hint(err, "use --user to change your own settings instead");
    }
    return true;
}

/* Reads the settings. If the file is a link, `path` becomes its target. A missing file counts as
 * empty. */
static bool read_settings(bool of_user, char path[PATH_MAX], struct str *out, struct err *err)
{
    char real[PATH_MAX];
    struct err why = {0};
    if (!of_user && !refuse_links(path, err))
        return false;
    if (realpath(path, real))
        (void)snprintf(path, PATH_MAX, "%s", real);
    FILE *file = open_settings(path, &why);
    if (!file)
        return why.code == ERR_NONE || err_set(err, why.code, "%s", why.message);
    const bool ok = read_text(file, HOOK_SETTINGS_MAX, out, &why);
    (void)fclose(file); /* only read */
    return ok || err_set(err, why.code, "'%.200s': %s", path, why.message);
}

/* Appends the hook's command, quoted for the agent's shell. */
static bool hook_command(const struct hook_install *install, struct str *out, struct err *err)
{
    char self[PATH_MAX];
    char found[PATH_MAX];
    char db[PATH_MAX];
    struct stat own;
    struct stat other;
    const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (len <= 0)
        return err_set_errno(err, errno, "cannot find the program devs");
    self[len] = '\0';
    /* whether the shell would find this devs in PATH */
    const bool is_in_path = program_find("devs", found) && stat(self, &own) == 0 &&
                            stat(found, &other) == 0 && own.st_ino == other.st_ino &&
                            own.st_dev == other.st_dev;
    const char *const program = is_in_path ? "devs" : self;
    const char *const words[] = {program, "hook", "--agent", install->agent->name, "--db", db};
    if (install->db && !realpath(install->db, db))
        return err_set_errno(err, errno, "'%s'", install->db);
    const int count = (int)ARRAY_LEN(words) - (install->db ? 0 : 2);
    shell_words_add((char *const *)(uintptr_t)words, count, out); /* the words are only read */
    return true;
}

/* Adds our hooks for the agent, or removes those of all agents. Writes the file only if its text
 * has changed. */
static bool change_settings(const struct hook_install *install, bool adds, char path[PATH_MAX],
                            bool *changed, struct err *err)
{
    char folder[PATH_MAX];
    struct str text = {0};
    struct str before = {0};
    struct str command = {0};
    struct err why = {0};
    bool ok = settings_path(install->agent, install->of_user, path, err) &&
              read_settings(install->of_user, path, &text, err);
    str_add_n(&before, str_text(&text), text.len);
    if (ok && adds)
        ok = hook_command(install, &command, &why) &&
             hook_settings_add(&text, install->agent, str_text(&command), &why);
    else if (ok)
        ok = hook_settings_remove(&text, &why);
    if (why.code != ERR_NONE)
        (void)err_set(err, why.code, "'%.200s' was not changed: %s", path, why.message);
    *changed = ok && strcmp(str_text(&before), str_text(&text)) != 0;
    if (*changed) {
        (void)snprintf(folder, sizeof(folder), "%s", path);
        char *slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
        ok = !slash || mkdir(folder, FOLDER_MODE) == 0 || errno == EEXIST ||
             err_set_errno(err, errno, "cannot create '%s'", folder);
        ok = ok && save_file(path, &text, err);
    }
    str_done(&command);
    str_done(&before);
    str_done(&text);
    return ok;
}

/* Checks that the settings can be changed, before anything is created. */
static bool check_settings(const struct hook_install *install, struct err *err)
{
    char path[PATH_MAX];
    size_t count = 0;
    struct str text = {0};
    struct err why = {0};
    bool ok = settings_path(install->agent, install->of_user, path, err) &&
              read_settings(install->of_user, path, &text, err);
    if (ok && !hook_settings_count(&text, install->agent, &count, &why))
        ok = err_set(err, why.code, "'%.200s' was not changed: %s", path, why.message);
    str_done(&text);
    return ok;
}

/* Warns if this settings file keeps the agent from calling any hook. */
static bool warn_of_disabled(const char *path)
{
    struct str text = {0};
    FILE *file = open_settings(path, NULL);
    const bool disabled =
        file && read_text(file, HOOK_SETTINGS_MAX, &text, NULL) && hook_settings_disabled(&text);
    if (file)
        (void)fclose(file); /* only read */
    if (disabled)
        warn("\"disableAllHooks\" is true in %.200s: no hook is called until you remove it", path);
    str_done(&text);
    return disabled;
}

/* Warns about settings that disable the installed hooks; any settings file may. */
static void warn_of_obstacles(const struct hook_install *install)
{
    char path[PATH_MAX];
    struct hook_agent shared = *install->agent;
    shared.project_file = shared.shared_file;
    const bool disabled =
        (settings_path(install->agent, false, path, NULL) && warn_of_disabled(path)) ||
        (shared.shared_file && settings_path(&shared, false, path, NULL) &&
         warn_of_disabled(path)) ||
        (settings_path(install->agent, true, path, NULL) && warn_of_disabled(path));
    (void)disabled; /* one warning is enough */
    if (!program_find(install->agent->name, path))
        warn("'%s' is not in PATH: its hooks have no effect until it is installed",
             install->agent->name);
}

int hook_install(const struct hook_install *asked)
{
    char path[PATH_MAX];
    bool changed = false;
    struct err err = {0};
    struct hook_install install = *asked;
    if (!install.agent)
        install.agent = hook_agent_at(0);
    if (!check_settings(&install, &err))
        return fail(&err);
    if (!install.of_user) {
        /* creates the log before the first hook runs, because hooks do not create one */
        struct place place;
        struct log_writer *writer = NULL;
        const bool ok =
            place_find(install.db, true, &place, &err) && log_writer_open(&writer, &place, &err);
        log_writer_close(writer);
        if (!ok)
            return fail(&err);
        sayf("calls are recorded in %s\n", place.db);
    }
    if (!change_settings(&install, true, path, &changed, &err))
        return fail(&err);
    sayf("%s: %s %s\n", install.agent->name,
         changed ? "devs hook is now called by" : "nothing to do:", path);
    if (install.of_user)
        (void)puts("only sessions in projects that have a log are recorded: the first devs run "
                   "there creates one");
    warn_of_obstacles(&install);
    return EXIT_ALL_PASSED;
}

int hook_uninstall(const struct hook_install *asked)
{
    char path[PATH_MAX];
    bool changed = false;
    struct err err = {0};
    struct hook_install install = *asked;
    if (!install.agent)
        install.agent = hook_agent_at(0);
    if (!change_settings(&install, false, path, &changed, &err))
        return fail(&err);
    sayf("%s: %s %s\n", install.agent->name,
         changed ? "devs hook is no longer called by" : "nothing to do:", path);
    return EXIT_ALL_PASSED;
}

static void print_hook_state(const struct hook_agent *agent, bool of_user)
{
    char path[PATH_MAX];
    size_t count = 0;
    struct str text = {0};
    struct err err = {0};
    const char *state = "no settings";
    if (!settings_path(agent, of_user, path, &err) || !read_settings(of_user, path, &text, &err) ||
        !hook_settings_count(&text, agent, &count, &err))
        state = err.message;
    else if (count > 0)
        state = hook_settings_disabled(&text) ? "disabled" : "installed";
    else if (text.len > 0)
        state = "not installed";
    sayf("%-7s %-8s %-13s %s\n", agent->name, of_user ? "user" : "project", state,
         err.code == ERR_NONE ? path : "");
    str_done(&text);
}

int hook_status(const struct hook_install *install)
{
    for (size_t i = 0; hook_agent_at(i); i++) {
        if (install->agent && install->agent != hook_agent_at(i))
            continue;
        print_hook_state(hook_agent_at(i), false);
        print_hook_state(hook_agent_at(i), true);
    }
    return EXIT_ALL_PASSED;
}
