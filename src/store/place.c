/*
 * place.c - finds the log, and checks its directory and its file before use.
 *
 * The search goes upwards from the working directory, but not beyond the repository: a log above it
 * belongs to another project. Logs in directories of other users are ignored. A directory to which
 * others may write, a network file system and a file with two names are rejected. The private_
 * functions create files and directories that only the user can access.
 */
#define _GNU_SOURCE /* O_PATH */

#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "db.h"
#include "log_own.h"
#include "private_file.h"

enum { FILE_MODE = 0600, FOLDER_MODE = 0700, MODE_BITS = 07777 };

bool private_path_join(char *out, size_t cap, const char *a, const char *b, struct err *err)
{
    int len = snprintf(out, cap, "%s%s", a, b);
    if (len < 0 || (size_t)len >= cap)
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", a);
    return true;
}

/* Corrects the mode of our file: the umask may have cleared bits, and an old file may have too
 * many. */
static void make_fd_private(int fd)
{
    struct stat info;
    bool ours = fstat(fd, &info) == 0 && info.st_uid == geteuid();
    if (ours && (info.st_mode & MODE_BITS) != FILE_MODE)
        (void)fchmod(fd, FILE_MODE); /* best effort: some file systems have no modes */
}

bool private_file_open(const char *path, int *fd_out, struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    make_fd_private(fd);
    *fd_out = fd;
    return true;
}

bool private_file_make(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (fd < 0 && errno == EEXIST)
        return true;
    if (fd < 0)
        return err_set_errno(err, errno, "cannot create '%s'", path);
    make_fd_private(fd);
    (void)close(fd); /* nothing to lose: never written to */
    return true;
}

void private_mode_set(const char *path, mode_t mode)
{
    char by_fd[64];
    struct stat info;
    const int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)snprintf(by_fd, sizeof(by_fd), "/proc/self/fd/%d", fd);
    const bool is_ours = fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
                         (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
    if (is_ours && (info.st_mode & MODE_BITS) != mode)
        (void)chmod(by_fd, mode); /* best effort: some file systems have no modes */
    (void)close(fd);              /* an O_PATH descriptor; nothing to lose */
}

static bool make_one_folder(const char *path, bool *made, struct err *err)
{
    *made = mkdir(path, FOLDER_MODE) == 0;
    if (*made) {
        private_mode_set(path, FOLDER_MODE); /* the umask may have cleared bits */
        return true;
    }
    int number = errno;
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return true;
    return err_set_errno(err, number, "cannot create folder '%s'", path);
}

bool private_folder_make(const char *path, bool *made_out, struct err *err)
{
    char part[PATH_MAX];
    if (!private_path_join(part, sizeof(part), path, "", err))
        return false;

    bool made = false;
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!make_one_folder(part, &made, err))
            return false;
        *slash = '/';
    }
    if (!make_one_folder(part, &made, err))
        return false;
    if (made_out)
        *made_out = made;
    return true;
}

enum { BESIDE_MAX = 64 }; /* bytes reserved for suffixes: "-write", "/owner/<uid>" */

static const char db_name[] = "devs.db";

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Returns true if the directory belongs to this user. The output of a run must not go to a log that
 * somebody else put in a parent directory. */
static bool is_trusted(const char *dir)
{
    struct stat info;
    return stat(dir, &info) == 0 && info.st_uid == geteuid();
}

static bool fill_place(struct place *place, const char *dir, const char *name, struct err *err)
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
        return err_set_errno(err, errno, "cannot determine the current folder");
    return true;
}

/* Makes a directory for devs: private, and ignored by the project's git. */
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
        return err_set_errno(err, errno, "cannot create '%s'", path);
    (void)fchmod(fileno(file), 0600); /* best effort: the directory is private already */
    bool written = fputs("*\n", file) >= 0;
    if (fclose(file) != 0 || !written)
        return err_set_errno(err, errno, "cannot write '%s'", path);
    return true;
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

    /* Turns "a/./b//c" into "a/b/c", so that paths of the same directory can be compared. */
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
    char *slash = strrchr(path, '/');
    if (slash[1] == '\0')
        return err_set(err, ERR_INVALID, "'%s' is a folder, expected a file", given);
    *slash = '\0';
    return fill_place(out, path[0] ? path : "/", slash + 1, err);
}

enum { OTHERS_MODE = 077 };

/* For statfs(2). FUSE may be local, so it does not count as a network file system. */
static const struct type {
    unsigned long number;
    const char *name;
    bool is_network;
} types[] = {
    {0xef53, "ext4", false},        {0x9123683e, "btrfs", false}, {0x58465342, "xfs", false},
    {0x2fc12fc1, "zfs", false},     {0xf2f52010, "f2fs", false},  {0x01021994, "tmpfs", false},
    {0x794c7630, "overlay", false}, {0x65735546, "fuse", false},  {0x6969, "nfs", true},
    {0x517b, "smb", true},          {0xfe534d42, "smb2", true},   {0xff534d42, "cifs", true},
    {0x73757245, "coda", true},     {0x5346414f, "afs", true},    {0x6b414653, "kafs", true},
    {0x01021997, "9p", true},       {0x00c36400, "ceph", true},   {0x0bd00bd0, "lustre", true},
    {0x47504653, "gpfs", true},     {0x564c, "ncp", true},
};

static const struct type *find_type(unsigned long number)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (types[i].number == number)
            return &types[i];
    }
    return NULL;
}

bool place_type_is_network(unsigned long type)
{
    const struct type *known = find_type(type);
    return known && known->is_network;
}

bool place_disk(const char *dir, struct place_disk *out, struct err *err)
{
    struct statfs info;
    if (statfs(dir, &info) != 0)
        return err_set_errno(err, errno, "cannot access '%s'", dir);
    /* The magic is 32 bits wide, but the struct member is signed. */
    const unsigned long number = (unsigned long)info.f_type & 0xffffffffUL;
    const struct type *type = find_type(number);
    *out = (struct place_disk){
        .type = type ? type->name : "?",
        .is_network = place_type_is_network(number),
        .free_bytes = (int64_t)info.f_bavail * (int64_t)info.f_bsize,
    };
    return true;
}

/* Rejects a network file system with ERR_INVALID and the hint --db. */
static bool place_check_folder(const char *dir, struct err *err)
{
    struct place_disk disk = {0};
    if (!place_disk(dir, &disk, err))
        return false;
    if (!disk.is_network)
        return true;
    (void)err_set(err, ERR_INVALID, "'%s' is on a network file system: a log would not be safe",
                  dir);
    return err_hint(err, "use --db FILE with a file on a local disk");
}

/* Returns true for the top directory of a repository. A linked worktree does not count: it belongs
 * to the repository it was made from. */
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

/* Finds the nearest .devs/devs.db in this directory or its parents, within the repository. Sets
 * `passed` to the directory of a log above the repository, which is not used; "" = none. */
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
            fill_place(&place, dir, db_name, NULL);
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
    return err_set(err, ERR_IO, "cannot keep a log in this folder, and HOME is not set");
}

static bool state_place(struct place *out, struct err *err)
{
    char dir[PATH_MAX];
    if (!place_state_folder(dir, err) || !fill_place(out, dir, db_name, err))
        return false;
    out->is_shared = true;
    return true;
}

/* Creates the directory for a new log: .devs in this directory or, if the project is read-only or
 * has somebody else's .devs, the user's state directory. */
static bool create_here(const char *here, struct place *out, struct err *err)
{
    struct place place;
    char dir[PATH_MAX];
    if (!private_path_join(dir, sizeof(dir), strcmp(here, "/") == 0 ? "" : here, "/.devs", err) ||
        !fill_place(&place, dir, db_name, err))
        return false;

    struct err why = {0};
    if (!make_folder(place.dir, &why) || access(place.dir, W_OK | X_OK) != 0 ||
        !is_trusted(place.dir)) {
        if (!state_place(&place, err) || !make_folder(place.dir, err))
            return err_hint(err, "use --db FILE in a folder that you can write to");
    }
    if (!place_check_folder(place.dir, err))
        return false;
    *out = place;
    return true;
}

bool place_find(const char *given, bool create, struct place *out, struct err *err)
{
    const char *named = given ? given : getenv("DEVS_DB");
    struct place place;
    if (named && (given || named[0] != '\0')) {
        if (!place_of_file(named, &place, err) || (create && !make_folder(place.dir, err)))
            return false;
        if (!create && !is_file(place.db))
            return err_set(err, ERR_NOT_FOUND, "no log at '%s'", place.db);
        if (!place_check_folder(place.dir, err))
            return false;
        *out = place;
        return true;
    }

    char here[PATH_MAX];
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
            return err_hint(err,
                            "use --db %s/%s for the log above it, which belongs to another project",
                            passed, db_name);
        }
        (void)err_set(err, ERR_NOT_FOUND, "no log in '%s' or above it", here);
        return err_hint(err, "devs run PLAN creates a log; --db FILE opens another one");
    }
    if (!place_check_folder(place.dir, err))
        return false;
    *out = place;
    return true;
}

/* Checking a log's directory and file before use. */

bool place_check_private(const char *dir, struct err *err)
{
    struct stat named;
    struct stat folder;
    if (lstat(dir, &named) != 0 || stat(dir, &folder) != 0)
        return err_set_errno(err, errno, "cannot access '%s'", dir);
    if (S_ISLNK(named.st_mode) && (folder.st_uid != geteuid() || named.st_uid != geteuid())) {
        (void)err_set(err, ERR_INVALID, "'%s' is a link to another user's folder", dir);
        return err_hint(err, "use --db FILE in a folder of your own");
    }
    if (folder.st_uid != geteuid() && folder.st_uid != 0) {
        (void)err_set(err, ERR_INVALID, "'%s' belongs to another user, so no log is kept there",
                      dir);
        return err_hint(err, "use --db FILE in a folder of your own");
    }
    /* A group with the user's own number has no other members: many systems create accounts like
     * that. */
    const bool own_group = folder.st_gid == getegid() && (unsigned long)folder.st_gid == geteuid();
    if ((folder.st_mode & S_IWOTH) != 0 || ((folder.st_mode & S_IWGRP) != 0 && !own_group)) {
        (void)err_set(err, ERR_INVALID, "other users can write to '%s', so no log is kept there",
                      dir);
        return err_hint(err, "run chmod go-w '%s', or use --db FILE in another folder", dir);
    }
    return true;
}

/* Rejects links, files that are not regular, and hard links: a second name would lead to a second
 * WAL, and two WALs destroy a database. */
static bool check_file(const struct place *place, struct stat *info, struct err *err)
{
    if (S_ISLNK(info->st_mode))
        return err_set(err, ERR_INVALID, "'%s' is a link: name the log itself", place->db);
    if (!S_ISREG(info->st_mode))
        return err_set(err, ERR_DAMAGED, "'%s' is not a file", place->db);
    if (info->st_nlink > 1)
        return err_set(err, ERR_INVALID, "'%s' has several hard links, which a log must not have",
                       place->db);
    return true;
}

static bool check_schema(const struct place *place, struct err *err)
{
    struct db db;
    if (!db_init(&db, place->db, DB_READ, err))
        return false;
    struct err why = {0};
    bool ok = schema_check(&db, &why) || (why.code != ERR_DAMAGED && why.code != ERR_INVALID);
    db_done(&db);
    if (!ok) {
        (void)err_set(err, why.code, "%s", why.message);
        return err_hint(err, "%s", why.hint);
    }
    return true; /* other problems are reported when the log is opened for writing */
}

bool place_check_log(const struct place *place, struct err *err)
{
    struct stat info;
    if (lstat(place->db, &info) != 0)
        return err_set_errno(err, errno, "cannot access '%s'", place->db);
    return check_file(place, &info, err) && check_schema(place, err);
}

bool place_check_write(const struct place *place, struct err *err)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    struct stat info;
    if (!place_check_private(place->dir, err))
        return false;
    if (lstat(place->db, &info) != 0 && errno == ENOENT)
        return log_own_check(place, err);
    if (lstat(place->db, &info) != 0)
        return err_set_errno(err, errno, "cannot access '%s'", place->db);
    if (!check_file(place, &info, err) || (info.st_size > 0 && !check_schema(place, err)) ||
        !log_own_check(place, err))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
        char path[PATH_MAX];
        if (private_path_join(path, sizeof(path), place->db, suffixes[i], NULL) &&
            lstat(path, &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & OTHERS_MODE) != 0)
            private_mode_set(path, FILE_MODE);
    }
    return true;
}
