#define _GNU_SOURCE
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place_check.h"
#include "private_file.h"

enum { BESIDE_MAX = 64 }; /* room for "-write", "/owner/<uid>" after the names here */

static const char db_name[] = "devs.db";

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* A log that somebody else put above us must not get our output. */
static bool is_trusted(const char *dir)
{
    struct stat info;
    return stat(dir, &info) == 0 && info.st_uid == geteuid();
}

static bool fill(struct place *place, const char *dir, const char *name, struct err *err)
{
    place->is_shared = false;
    int dir_len = snprintf(place->dir, sizeof(place->dir), "%s", dir);
    const char *slash = strcmp(dir, "/") == 0 ? "" : "/";
    int db_len = snprintf(place->db, sizeof(place->db), "%s%s%s", dir, slash, name);
    if (dir_len < 0 || db_len < 0 || db_len >= PATH_MAX - BESIDE_MAX)
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", dir);
    return true;
}

static bool working_folder(char out[PATH_MAX], struct err *err)
{
    if (!getcwd(out, PATH_MAX))
        return err_set_errno(err, errno, "cannot name the working folder");
    return true;
}

/* A folder of ours: made private, kept out of the project's history. */
static bool make_folder(const char *dir, struct err *err)
{
    bool made = false;
    if (!private_folder_make(dir, &made, err))
        return false;
    if (!made)
        return true;

    char path[PATH_MAX];
    if (!private_path_join(path, sizeof(path), dir, "/.gitignore", err))
        return false;
    FILE *file = fopen(path, "we");
    if (!file)
        return err_set_errno(err, errno, "cannot make '%s'", path);
    (void)fchmod(fileno(file), 0600); /* best effort: the folder is private already */
    bool written = fputs("*\n", file) >= 0;
    if (fclose(file) != 0 || !written)
        return err_set_errno(err, errno, "cannot write '%s'", path);
    return true;
}

/* "a/./b//c" is "a/b/c": so that paths of one directory can be compared. */
static void drop_dots(char *path)
{
    char *to = path;
    for (const char *from = path; *from != '\0';) {
        const bool is_double = from[0] == '/' && from[1] == '/';
        const bool is_dot = from[0] == '/' && from[1] == '.' && from[2] == '/';
        if (is_double || is_dot)
            from += is_dot ? 2 : 1;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

bool place_of_file(const char *given, struct place *out, struct err *err)
{
    if (given[0] == '\0')
        return err_set(err, ERR_INVALID, "the log's file name is empty");
    char path[PATH_MAX];
    char start[PATH_MAX] = "";
    if (given[0] != '/' && !working_folder(start, err))
        return false;
    int len = snprintf(path, sizeof(path), "%s%s%s", start, start[0] ? "/" : "", given);
    if (len < 0 || len >= PATH_MAX - BESIDE_MAX)
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", given);

    drop_dots(path);
    char *slash = strrchr(path, '/');
    if (slash[1] == '\0')
        return err_set(err, ERR_INVALID, "'%s' is a folder, a file is wanted", given);
    *slash = '\0';
    return fill(out, path[0] ? path : "/", slash + 1, err);
}

static bool use_path(const char *given, bool create, struct place *out, struct err *err)
{
    struct place place;
    if (!place_of_file(given, &place, err))
        return false;
    if (create && !make_folder(place.dir, err))
        return false;
    if (!create && !is_file(place.db))
        return err_set(err, ERR_NOT_FOUND, "no log at '%s'", place.db);
    if (!place_check_folder(place.dir, err))
        return false;
    *out = place;
    return true;
}

/* Whether the folder is the top of a repository. A linked worktree is not: it belongs to the
 * repository that it was made from. */
static bool is_repository(const char *dir)
{
    char path[PATH_MAX];
    char text[PATH_MAX] = "";
    struct stat info;
    if (!private_path_join(path, sizeof(path), strcmp(dir, "/") == 0 ? "" : dir, "/.git", NULL) ||
        lstat(path, &info) != 0)
        return false;
    if (!S_ISREG(info.st_mode))
        return true;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return true;
    (void)!read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    return strstr(text, "/worktrees/") == NULL;
}

/* The nearest .devs/devs.db in this folder or above, within the repository. `passed` becomes the
 * folder of one above it, which is not used; "" = none. */
static bool walk_up(const char *from, struct place *out, char passed[PATH_MAX])
{
    bool is_outside = false;
    passed[0] = '\0';
    char at[PATH_MAX];
    (void)snprintf(at, sizeof(at), "%s", from);
    for (;;) {
        char dir[PATH_MAX];
        struct place place;
        bool fits =
            private_path_join(dir, sizeof(dir), strcmp(at, "/") == 0 ? "" : at, "/.devs", NULL) &&
            fill(&place, dir, db_name, NULL);
        const bool is_log = fits && is_file(place.db) && is_trusted(place.dir);
        if (is_log && is_outside)
            memcpy(passed, place.dir, sizeof(place.dir));
        else if (is_log)
            *out = place;
        if (is_log)
            return !is_outside;
        is_outside = is_outside || is_repository(at);
        char *slash = strrchr(at, '/');
        if (!slash || at[1] == '\0')
            return false;
        slash[slash == at ? 1 : 0] = '\0';
    }
}

bool place_state_folder(char out[PATH_MAX], struct err *err)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    if (state && state[0] == '/')
        return private_path_join(out, PATH_MAX, state, "/devs", err);
    if (home && home[0] == '/')
        return private_path_join(out, PATH_MAX, home, "/.local/state/devs", err);
    return err_set(err, ERR_IO, "no log can be kept in this folder, and HOME is not set");
}

static bool state_place(struct place *out, struct err *err)
{
    char dir[PATH_MAX];
    if (!place_state_folder(dir, err) || !fill(out, dir, db_name, err))
        return false;
    out->is_shared = true;
    return true;
}

/* A project that cannot be written to, or where somebody else's .devs is in the way, has its
 * log in the person's state folder. */
static bool create_here(const char *here, struct place *out, struct err *err)
{
    struct place place;
    char dir[PATH_MAX];
    if (!private_path_join(dir, sizeof(dir), strcmp(here, "/") == 0 ? "" : here, "/.devs", err) ||
        !fill(&place, dir, db_name, err))
        return false;

    struct err why = {0};
    if (!make_folder(place.dir, &why) || access(place.dir, W_OK | X_OK) != 0 ||
        !is_trusted(place.dir)) {
        if (!state_place(&place, err) || !make_folder(place.dir, err))
            return err_hint(err, "--db FILE with a file in a folder that you may write to");
    }
    if (!place_check_folder(place.dir, err))
        return false;
    *out = place;
    return true;
}

bool place_find(const char *given, bool create, struct place *out, struct err *err)
{
    const char *named = given ? given : getenv("DEVS_DB");
    if (named && (given || named[0] != '\0'))
        return use_path(named, create, out, err);

    char here[PATH_MAX];
    struct place place;
    if (!working_folder(here, err))
        return false;
    char passed[PATH_MAX];
    if (walk_up(here, &place, passed)) {
        if (!place_check_folder(place.dir, err))
            return false;
        *out = place;
        return true;
    }
    if (create)
        return create_here(here, out, err);
    if (!state_place(&place, NULL) || !is_file(place.db)) {
        if (passed[0] != '\0') {
            (void)err_set(err, ERR_NOT_FOUND, "no log in the repository of '%s'", here);
            return err_hint(err, "the log above it is of another project: --db %s/%s", passed,
                            db_name);
        }
        (void)err_set(err, ERR_NOT_FOUND, "no log in '%s' or above it", here);
        return err_hint(err, "devs run PLAN makes one; --db FILE names one");
    }
    if (!place_check_folder(place.dir, err))
        return false;
    *out = place;
    return true;
}
