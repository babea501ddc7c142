#define _XOPEN_SOURCE 700 /* realpath */
#include "hook_install.h"

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
#include "exit_code.h"
#include "fail.h"
#include "hook_settings.h"
#include "log_writer.h"
#include "place.h"
#include "program_find.h"
#include "read_text.h"
#include "save_file.h"
#include "shell_word.h"

enum { FOLDER_MODE = 0777 /* less the umask */ };

static bool join(char out[PATH_MAX], const char *folder, const char *name, struct err *err)
{
    const int len = snprintf(out, PATH_MAX, "%s/%s", folder, name);
    return (len > 0 && len < PATH_MAX) ||
           err_set(err, ERR_LIMIT, "'%s' is too long a name", folder);
}

/* Where the agent's settings are, by name; the file need not be there. */
static bool settings_path(const struct hook_agent *agent, bool of_user, char out[PATH_MAX],
                          struct err *err)
{
    char folder[PATH_MAX];
    const char *other = of_user && agent->home_env ? getenv(agent->home_env) : NULL;
    if (other && *other)
        return join(out, other, agent->home_file, err);
    const char *home = getenv("HOME");
    if (of_user)
        return home && *home ? join(out, home, agent->user_file, err)
                             : err_set(err, ERR_NOT_FOUND, "HOME is not set");
    return getcwd(folder, sizeof(folder)) ? join(out, folder, agent->project_file, err)
                                          : err_set_errno(err, errno, "this folder has no name");
}

/* A pipe would be waited for, and a link to nothing replaced. */
static FILE *open_settings(const char *path, struct err *err)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_new = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (is_new && lstat(path, &info) == 0)
        (void)err_set(err, ERR_INVALID, "'%.200s' is a link to nothing", path);
    else if (fd < 0 && !is_new)
        (void)err_set_errno(err, errno, "cannot read '%s'", path);
    if (fd < 0)
        return NULL;
    FILE *file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file) {
        (void)err_set(err, ERR_INVALID, "'%.200s' is no file", path);
        (void)close(fd); /* nothing was read */
    }
    return file;
}

static bool refuse_link(const char *path, struct err *err)
{
    struct stat info;
    return lstat(path, &info) != 0 || !S_ISLNK(info.st_mode) ||
           err_set(err, ERR_INVALID, "'%.200s' is a link", path);
}

/* In a project the file and its folder must not be links, which others may have made: they could
 * lead to the person's own settings. */
static bool refuse_links(const char *path, struct err *err)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    if (refuse_link(folder, err) && refuse_link(path, err))
        return true;
    return err_hint(err, "--user changes your own settings");
}

/* Where the person's own file is a link, *path is the file itself afterwards. One that is not there
 * is empty. */
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

static bool make_folder(const char *path, struct err *err)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return !slash || mkdir(folder, FOLDER_MODE) == 0 || errno == EEXIST ||
           err_set_errno(err, errno, "cannot make '%s'", folder);
}

/* The log is there before the first hook, which makes none. */
static bool make_log(const struct hook_install *install, struct err *err)
{
    struct place place;
    struct log_writer *writer = NULL;
    const bool ok = place_find(install->db, !install->of_user, &place, err) &&
                    log_writer_open(&writer, &place, err);
    log_writer_close(writer);
    if (ok)
        sayf("the calls go to %s\n", place.db);
    return ok;
}

/* Is the devs that a shell finds this one? */
static bool is_in_path(const char *self)
{
    char path[PATH_MAX];
    struct stat own;
    struct stat other;
    return program_find("devs", path) && stat(self, &own) == 0 && stat(path, &other) == 0 &&
           own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

/* What the agent's shell is to call. */
static bool hook_command(const struct hook_install *install, struct str *out, struct err *err)
{
    char self[PATH_MAX];
    char db[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (len <= 0)
        return err_set_errno(err, errno, "cannot tell where devs is");
    self[len] = '\0';
    const char *const program = is_in_path(self) ? "devs" : self;
    const char *const words[] = {program, "hook", "--agent", install->agent->name, "--db", db};
    if (install->db && !realpath(install->db, db))
        return err_set_errno(err, errno, "'%s'", install->db);
    const int count = (int)ARRAY_LEN(words) - (install->db ? 0 : 2);
    shell_words_add((char *const *)(uintptr_t)words, count, out); /* it only reads them */
    return true;
}

/* What becomes of the text of the settings. */
typedef bool change_fn(const struct hook_install *install, struct str *text, struct err *err);

static bool add_ours(const struct hook_install *install, struct str *text, struct err *err)
{
    struct str command = {0};
    const bool ok = hook_command(install, &command, err) &&
                    hook_settings_add(text, install->agent, str_text(&command), err);
    str_done(&command);
    return ok;
}

static bool remove_ours(const struct hook_install *install, struct str *text, struct err *err)
{
    (void)install; /* whosever they are */
    return hook_settings_remove(text, err);
}

/* The file is written only where its text has changed. */
static bool change_settings(const struct hook_install *install, change_fn *change,
                            char path[PATH_MAX], bool *changed, struct err *err)
{
    struct str text = {0};
    struct str before = {0};
    struct err why = {0};
    bool ok = settings_path(install->agent, install->of_user, path, err) &&
              read_settings(install->of_user, path, &text, err);
    str_add_n(&before, str_text(&text), text.len);
    if (ok && !change(install, &text, &why))
        ok = err_set(err, why.code, "'%.200s' stays as it is: %s", path, why.message);
    *changed = ok && strcmp(str_text(&before), str_text(&text)) != 0;
    if (*changed)
        ok = make_folder(path, err) && save_file(path, &text, err);
    str_done(&before);
    str_done(&text);
    return ok;
}

/* Can they be changed? Nothing is made where they cannot. */
static bool check_settings(const struct hook_install *install, struct err *err)
{
    char path[PATH_MAX];
    size_t count = 0;
    struct str text = {0};
    struct err why = {0};
    bool ok = settings_path(install->agent, install->of_user, path, err) &&
              read_settings(install->of_user, path, &text, err);
    if (ok && !hook_settings_count(&text, install->agent, &count, &why))
        ok = err_set(err, why.code, "'%.200s' stays as it is: %s", path, why.message);
    str_done(&text);
    return ok;
}

/* Says so if this file of settings keeps the agent from calling any hook. */
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

/* What keeps hooks that are installed from being called. Any of the settings may disable them. */
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
    (void)disabled; /* the first one is enough */
    if (!program_find(install->agent->name, path))
        warn("no program '%s' in PATH: its hooks have no effect until it is installed",
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
    if (!install.of_user && !make_log(&install, &err))
        return fail(&err);
    if (!change_settings(&install, add_ours, path, &changed, &err))
        return fail(&err);
    sayf("%s: %s %s\n", install.agent->name,
         changed ? "devs hook is called from now on, by" : "nothing to do:", path);
    if (install.of_user)
        (void)puts("recorded are sessions in projects that have a log: the first devs run there "
                   "makes one");
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
    if (!change_settings(&install, remove_ours, path, &changed, &err))
        return fail(&err);
    sayf("%s: %s %s\n", install.agent->name,
         changed ? "devs hook is not called any more by" : "nothing to do:", path);
    return EXIT_ALL_PASSED;
}

static void print_one(const struct hook_agent *agent, bool of_user)
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
        print_one(hook_agent_at(i), false);
        print_one(hook_agent_at(i), true);
    }
    return EXIT_ALL_PASSED;
}
