/* log_own.c - marks the logs that this user makes on this machine, and checks the mark before
 * writing.
 *
 * In this order: the key of the user, the mark next to a log, the list of all logs, the permission
 * to write, adopting a log, and whether a directory contains nothing but a log. Somebody else may
 * have put any file here, so none is opened through a link. */
#define _GNU_SOURCE /* getrandom, statx */
#include "log_own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "private_file.h"
#include "sha256.h"

enum {
    KEY_BYTES = 32,
    MARK_MAX = 2 * SHA256_BYTES + 1, /* hex digits and NUL */
    FILE_MODE = 0600,
    FOLDER_MODE = 0700,
    OTHERS_MODE = 077,
    FOLDER_ENTRIES_MAX = 4096, /* maximum number of entries examined per directory of logs */
};

/* Suffixes of the files that SQLite and devs keep next to a log. */
static const char *const beside[] = {"", "-wal", "-shm", "-gate", "-write", "-bell", "-mine"};
static const char *const folders[] = {"owner", "work", "sessions"};

/* --- the user's key --------------------------------------------------------------------------- */

static bool read_key(const char *path, unsigned char key[KEY_BYTES])
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    const bool ok = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                    info.st_size == KEY_BYTES && read(fd, key, KEY_BYTES) == KEY_BYTES;
    (void)close(fd); /* read only, so close() cannot lose data */
    return ok;
}

/* Makes the user's key. Completes the file before giving it its name, because another process may
 * be making a key, too. The first key wins. */
static void make_key(const char *path)
{
    char temp[PATH_MAX];
    unsigned char key[KEY_BYTES];
    char suffix[32];
    (void)snprintf(suffix, sizeof(suffix), ".%ld", (long)getpid());
    if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key) ||
        !private_path_join(temp, sizeof(temp), path, suffix, NULL))
        return;
    (void)unlink(temp); /* left by a killed process with the same pid */
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd < 0)
        return;
    const bool written =
        fchmod(fd, FILE_MODE) == 0 && write(fd, key, sizeof(key)) == KEY_BYTES && fsync(fd) == 0;
    const bool linked = close(fd) == 0 && written && link(temp, path) == 0;
    (void)linked; /* if a key exists by now, that key is used */
    (void)unlink(temp);
}

/* Reads the user's key, after making it if there is none. Returns false if no key can be stored. */
static bool find_key(unsigned char key[KEY_BYTES])
{
    char dir[PATH_MAX];
    char path[PATH_MAX];
    if (!place_state_folder(dir, NULL) ||
        !private_path_join(path, sizeof(path), dir, "/log-key", NULL))
        return false;
    if (read_key(path, key))
        return true;
    if (!private_folder_make(dir, NULL, NULL))
        return false;
    make_key(path);
    return read_key(path, key);
}

/* --- the mark next to a log ------------------------------------------------------------------- */

static bool mark_path(const struct place *place, char out[PATH_MAX], struct err *err)
{
    return private_path_join(out, PATH_MAX, place->db, "-mine", err);
}

/* Identifies a file. The birth time distinguishes it from a later file that reuses its inode
 * number. */
struct identity {
    unsigned long long inode;
    long long born_s; /* 0 if the file system does not record it */
    unsigned born_ns;
};

static bool identify_file(const char *path, int flags, struct identity *out)
{
    struct statx info;
    if (statx(AT_FDCWD, path, flags, STATX_INO | STATX_BTIME, &info) != 0)
        return false;
    *out = (struct identity){.inode = info.stx_ino};
    if ((info.stx_mask & STATX_BTIME) != 0) {
        out->born_s = info.stx_btime.tv_sec;
        out->born_ns = info.stx_btime.tv_nsec;
    }
    return true;
}

/* Makes the mark: a hash of the key and the identities of the log and its directory. The text has a
 * fixed form and the hash is compared as a whole, so a plain hash of key and text suffices. Returns
 * false and sets errno if the log or its directory does not exist. */
static bool make_mark(const unsigned char key[KEY_BYTES], const struct place *place,
                      char out[MARK_MAX])
{
    char text[192];
    unsigned char hash[SHA256_BYTES];
    struct sha256 *sha256 = NULL;
    struct identity folder;
    struct identity file;
    if (!identify_file(place->dir, 0, &folder) ||
        !identify_file(place->db, AT_SYMLINK_NOFOLLOW, &file))
        return false;
    const int len =
        snprintf(text, sizeof(text), "devs log 2: %llu %lld.%09u in %llu %lld.%09u\n", file.inode,
                 file.born_s, file.born_ns, folder.inode, folder.born_s, folder.born_ns);
    sha256_open(&sha256);
    sha256_add(sha256, key, KEY_BYTES);
    sha256_add(sha256, text, (size_t)len);
    sha256_add(sha256, key, KEY_BYTES);
    sha256_finish(sha256, hash);
    sha256_hex(hash, out);
    return true;
}

static bool has_mark(const struct place *place, const char *mark)
{
    char path[PATH_MAX];
    char found[MARK_MAX] = "";
    if (!mark_path(place, path, NULL))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    const ssize_t got = read(fd, found, sizeof(found) - 1);
    (void)close(fd); /* read only, so close() cannot lose data */
    return got == MARK_MAX - 1 && memcmp(found, mark, MARK_MAX - 1) == 0;
}

/* --- the list of all logs of the user --------------------------------------------------------- */

static bool find_list(char out[PATH_MAX])
{
    char dir[PATH_MAX];
    return place_state_folder(dir, NULL) && private_path_join(out, PATH_MAX, dir, "/logs", NULL);
}

/* Adds the log's directory to the list, as a link that is named after a hash of the path. Sandboxes
 * mask the listed directories. A log missing from the list is masked only if it belongs to the
 * project or one of its worktrees or parents. */
static void list_log(const struct place *place)
{
    char list[PATH_MAX];
    char real[PATH_MAX];
    char name[MARK_MAX + 1] = "/";
    char path[PATH_MAX];
    unsigned char hash[SHA256_BYTES];
    struct sha256 *sha256 = NULL;
    if (!realpath(place->dir, real) || !find_list(list) || !private_folder_make(list, NULL, NULL))
        return;
    sha256_open(&sha256);
    sha256_add(sha256, real, strlen(real));
    sha256_finish(sha256, hash);
    sha256_hex(hash, name + 1);
    if (private_path_join(path, sizeof(path), list, name, NULL) && symlink(real, path) != 0)
        return; /* usually it is already in the list */
}

void log_own_each(log_own_found_fn *found, void *ctx)
{
    char list[PATH_MAX];
    struct place place;
    DIR *dir = find_list(list) ? opendir(list) : NULL;
    int left = LOG_OWN_EACH_MAX;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && left > 0;
         entry = readdir(dir)) {
        struct stat info;
        const ssize_t len = readlinkat(dirfd(dir), entry->d_name, place.dir, sizeof(place.dir) - 1);
        if (len <= 0 || place.dir[0] != '/')
            continue;
        place.dir[len] = '\0';
        if (lstat(place.dir, &info) != 0 && errno == ENOENT)
            (void)unlinkat(dirfd(dir), entry->d_name, 0); /* the log no longer exists */
        else if (private_path_join(place.db, sizeof(place.db), place.dir, "/devs.db", NULL) &&
                 log_own_folder_check(&place, NULL)) {
            found(ctx, place.dir);
            left--;
        }
    }
    if (dir)
        (void)closedir(dir); /* only read */
}

bool log_own_mark(const struct place *place, struct err *err)
{
    unsigned char key[KEY_BYTES];
    char mark[MARK_MAX];
    char path[PATH_MAX];
    if (!find_key(key))
        return true;
    list_log(place);
    if (!make_mark(key, place, mark))
        return err_set_errno(err, errno, "cannot access '%s'", place->db);
    if (has_mark(place, mark))
        return true;
    int fd = -1;
    if (!mark_path(place, path, err) || !private_file_open(path, &fd, err))
        return false;
    /* If two processes create the same log, they write the same bytes. */
    const ssize_t written = pwrite(fd, mark, MARK_MAX - 1, 0);
    const bool ok = written == MARK_MAX - 1 && ftruncate(fd, MARK_MAX - 1) == 0;
    const int number = written >= 0 && written < MARK_MAX - 1 ? EIO : errno;
    (void)close(fd);
    if (!ok && (number == ENOSPC || number == EDQUOT)) {
        (void)err_set(err, ERR_IO, "log: the disk is full");
        return err_hint(err, "free some space, or use --db FILE on another disk");
    }
    return ok || err_set_errno(err, number, "cannot write '%s'", path);
}

/* --- permission to write ---------------------------------------------------------------------- */

static bool is_in_state_folder(const struct place *place)
{
    char dir[PATH_MAX];
    return place_state_folder(dir, NULL) && strcmp(dir, place->dir) == 0;
}

/* Checks that no directory next to the log is a link, and that the files next to it are regular
 * files of this user. */
static bool check_links(const struct place *place, struct err *err)
{
    char path[PATH_MAX];
    struct stat info;
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        const int len = snprintf(path, sizeof(path), "%s/%s", place->dir, folders[i]);
        if (len > 0 && len < PATH_MAX && lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
            (void)err_set(err, ERR_INVALID, "'%s' is a link, which devs never creates there", path);
            return err_hint(err, "remove it, or name another log with --db FILE");
        }
    }
    for (size_t i = 1; i < ARRAY_LEN(beside); i++) {
        if (private_path_join(path, sizeof(path), place->db, beside[i], NULL) &&
            lstat(path, &info) == 0 && (!S_ISREG(info.st_mode) || info.st_uid != geteuid())) {
            (void)err_set(err, ERR_INVALID, "'%s' is not a regular file that you own", path);
            return err_hint(err, "remove it, or name another log with --db FILE");
        }
    }
    return true;
}

static bool was_made_here(const struct place *place, const struct stat *file)
{
    unsigned char key[KEY_BYTES];
    char mark[MARK_MAX];
    struct stat folder;
    if (stat(place->dir, &folder) != 0)
        return false;
    if (is_in_state_folder(place) || !find_key(key)) {
        const bool is_private = ((file->st_mode | folder.st_mode) & OTHERS_MODE) == 0;
        return folder.st_uid == geteuid() && file->st_uid == geteuid() && is_private;
    }
    return make_mark(key, place, mark) && has_mark(place, mark);
}

bool log_own_check(const struct place *place, struct err *err)
{
    struct stat file;
    if (!check_links(place, err))
        return false;
    if (lstat(place->db, &file) != 0 || (S_ISREG(file.st_mode) && file.st_size == 0))
        return true;
    if (was_made_here(place, &file))
        return true;
    if (!place_check_log(place, err)) /* not even a log: do not suggest adopting it */
        return false;
    return err_set(err, ERR_INVALID,
                   "the log '%.200s' was made by another user, on another machine or by an older"
                   " devs, so it is read-only; devs gc --adopt makes it yours",
                   place->db);
}

bool log_own_adopt(const struct place *place, struct err *err)
{
    unsigned char key[KEY_BYTES];
    char path[PATH_MAX];
    struct stat file;
    if (lstat(place->db, &file) != 0)
        return err_set(err, ERR_NOT_FOUND, "no log at '%s'", place->db);
    if (!find_key(key))
        return err_set(err, ERR_IO,
                       "cannot store the log's key: $XDG_STATE_HOME/devs cannot be written");
    if (file.st_uid != geteuid())
        return err_set(err, ERR_INVALID, "'%s' belongs to another user", place->db);
    if (!check_links(place, err) || !place_check_log(place, err))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
        if (private_path_join(path, sizeof(path), place->db, beside[i], NULL))
            private_mode_set(path, FILE_MODE);
    }
    const char *slash = strrchr(place->dir, '/');
    if (slash && strcmp(slash, "/.devs") == 0)
        private_mode_set(place->dir, FOLDER_MODE);
    return log_own_mark(place, err);
}

/* --- the log's own directory ------------------------------------------------------------------ */

static bool belongs_to_log(const struct place *place, const char *name)
{
    const char *log = strrchr(place->db, '/') + 1;
    const size_t len = strlen(name);
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".gitignore") == 0)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        if (strcmp(name, folders[i]) == 0)
            return true;
    }
    /* The log's files, and "x.db", "x.db-wal" and so on of any other log. */
    for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
        const size_t tail = strlen(beside[i]);
        if (len <= tail || strcmp(name + len - tail, beside[i]) != 0)
            continue;
        const size_t stem = len - tail;
        if ((stem == strlen(log) && memcmp(name, log, stem) == 0) ||
            (stem > 3 && memcmp(name + stem - 3, ".db", 3) == 0))
            return true;
    }
    return false;
}

static bool holds_logs_only(const struct place *place)
{
    DIR *dir = opendir(place->dir);
    const struct dirent *entry = dir ? readdir(dir) : NULL;
    bool ok = dir != NULL;
    for (int seen = 0; ok && entry; seen++) {
        ok = seen < FOLDER_ENTRIES_MAX && belongs_to_log(place, entry->d_name);
        entry = readdir(dir);
    }
    if (dir)
        (void)closedir(dir); /* only read */
    return ok;
}

bool log_own_folder_check(const struct place *place, struct err *err)
{
    struct stat folder;
    const char *slash = strrchr(place->dir, '/');
    const bool is_known = is_in_state_folder(place) || (slash && strcmp(slash, "/.devs") == 0);
    if (lstat(place->dir, &folder) == 0 && S_ISDIR(folder.st_mode) &&
        (is_known || (folder.st_uid == geteuid() && (folder.st_mode & OTHERS_MODE) == 0 &&
                      holds_logs_only(place))))
        return true;
    (void)err_set(err, ERR_INVALID,
                  "a sandbox needs the log in a directory of its own, but '%s' is not one",
                  place->dir);
    return err_hint(err, "use --db .devs/run.db, or FILE in a new directory");
}
