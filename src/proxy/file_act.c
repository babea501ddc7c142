/* file_act.c - reads or writes one file below the current directory, except files that affect which
 * commands run.
 *
 * openat2() keeps the path beneath the directory. Guarded names (settings, plans, .git, .devs) are
 * compared as leniently as any file system could, and links to guarded files are refused, too. A
 * file is replaced by a rename, so that no reader sees a partial file; it is only overwritten if it
 * is reached through a link. */
#define _GNU_SOURCE /* openat2's numbers, O_PATH */

#include "file_act.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attr.h"
#include "json.h"
#include "plan.h"
#include "str.h"
#include "xalloc.h"

/* Used like errno values: see may_write() and write_through(). */
enum { REFUSED = -1, SHARED = -2 };

enum { BLOCK_BYTES = 64 * 1024, MODE_NEW = 0666, MODE_FOLDER = 0777, MODE_ALL = 07777 };

static int report_failure(const char *path, int number)
{
    /* Errors that a retry cannot fix. */
    static const int lasting[] = {REFUSED, SHARED, ENOENT, ENOTDIR,     EISDIR,
                                  EINVAL,  EXDEV,  ELOOP,  ENAMETOOLONG};
    const char *why = number == EXDEV     ? "outside the project"
                      : number == EINVAL  ? "not a regular file"
                      : number == SHARED  ? "refused: the file has other names (hard links)"
                      : number == REFUSED ? "refused: it decides which commands devs or git run"
                                          : strerror(number);
    (void)fprintf(stderr, "%s: %s\n", path, why);
    for (size_t i = 0; i < ARRAY_LEN(lasting); i++) {
        if (lasting[i] == number)
            return FILE_ACT_NO_FILE;
    }
    return EXIT_FAILURE;
}

static int open_beneath(int folder, const char *path, int flags, mode_t mode)
{
    const struct open_how how = {.flags = (unsigned)flags | (unsigned)O_CLOEXEC,
                                 .mode = mode,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

/* Opens a regular file. Opening a pipe or a device might block forever. */
static bool open_file(const char *path, int flags, int *fd_out, struct stat *info)
{
    int fd = open_beneath(AT_FDCWD, path, flags | O_NONBLOCK, 0);
    if (fd < 0)
        return false;
    if (fstat(fd, info) != 0 || !S_ISREG(info->st_mode)) {
        (void)close(fd);
        errno = S_ISDIR(info->st_mode) ? EISDIR : EINVAL;
        return false;
    }
    *fd_out = fd;
    return true;
}

static bool write_bytes(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        const ssize_t done = write(fd, bytes, len);
        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            bytes += done;
            len -= (size_t)done;
        }
    }
    return true;
}

static bool copy_to_stdout(int fd, int64_t offset, int64_t length, int64_t *done)
{
    char block[BLOCK_BYTES];
    for (*done = 0; *done < length;) {
        const int64_t left = length - *done;
        const size_t want = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
        const ssize_t got = pread(fd, block, want, (off_t)(offset + *done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            return true;
        if (got < 0 || !write_bytes(STDOUT_FILENO, block, (size_t)got))
            return false;
        *done += got;
    }
    return true;
}

int file_act_read(const char *path, int64_t offset, int64_t length)
{
    int fd = -1;
    struct stat info = {0};
    int64_t done = 0;
    if (!open_file(path, O_RDONLY, &fd, &info))
        return report_failure(path, errno);
    const bool ok = copy_to_stdout(fd, offset, length, &done);
    const int number = errno;
    (void)close(fd);
    if (!ok)
        return report_failure(path, number);
    if (offset + done < (int64_t)info.st_size || offset > 0)
        (void)fprintf(stderr, "bytes %" PRId64 " to %" PRId64 " of %" PRId64 "\n", offset,
                      offset + done, (int64_t)info.st_size);
    return EXIT_SUCCESS;
}

static bool read_stdin(struct str *out)
{
    char block[BLOCK_BYTES];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, block, sizeof(block));
        if (got == 0)
            return true;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (out->len + (size_t)got > FILE_ACT_BYTES_MAX) {
            errno = EFBIG;
            return false;
        }
        str_add_n(out, block, (size_t)got);
    }
}

/* Compares names as the most lenient file systems do: ignores case, everything after ':', and dots
 * and spaces at the end, and recognizes short names such as "GIT~1". */
static bool is_name(const char *name, size_t len, const char *wanted)
{
    const char *colon = memchr(name, ':', len);
    const char *letters = wanted + (*wanted == '.');
    const size_t count = strlen(letters);
    len = colon ? (size_t)(colon - name) : len;
    while (len > 1 && (name[len - 1] == '.' || name[len - 1] == ' '))
        len--;
    if (len == strlen(wanted) && strncasecmp(name, wanted, len) == 0)
        return true;
    return *wanted == '.' && len > count && name[count] == '~' &&
           strncasecmp(name, letters, count) == 0;
}

/* Returns true for names such as "phase-2.plan.json", which `devs execute-phase 2` runs. */
static bool is_phase_plan(const char *name, size_t len)
{
    static const char start[] = "phase-";
    static const char end[] = ".plan.json";
    const size_t start_len = strlen(start);
    const size_t end_len = strlen(end);
    return len > start_len + end_len && strncasecmp(name, start, start_len) == 0 &&
           strncasecmp(name + len - end_len, end, end_len) == 0;
}

/* Returns true if a path below the project names something that determines which commands devs or
 * git run. */
static bool is_guarded_path(const char *path)
{
    static const char *const names[] = {".git", ".devs", "devs.config.json", "devs.project.json",
                                        "plan.json"};
    for (const char *at = path + strspn(path, "/"); *at != '\0'; at += strspn(at, "/")) {
        const size_t len = strcspn(at, "/");
        if (is_phase_plan(at, len))
            return true;
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            if (is_name(at, len, names[i]))
                return true;
        }
        at += len;
    }
    return false;
}

static bool is_at_or_below(const char *path, const char *folder)
{
    const size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* Finds the path of an open file or directory, without links. */
static bool find_path(int fd, char path[PATH_MAX])
{
    char link[64];
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    const ssize_t len = readlink(link, path, PATH_MAX - 1);
    if (len <= 0 || path[0] != '/')
        return false;
    path[len] = '\0';
    return true;
}

/* Returns true if one of the project's guarded names refers to this file, or to a directory that
 * contains it, through a link or a hard link. `path` begins with the project's path, which has
 * `top` bytes. */
static bool is_in_guarded_file(const char *path, size_t top)
{
    static const char *const names[] = {".git", ".devs", "devs.config.json"};
    struct stat info;
    struct stat other;
    struct str part = {0};
    bool is = false;
    for (size_t at = top; !is && path[at] == '/';) {
        at += 1 + strcspn(path + at + 1, "/");
        str_clear(&part);
        str_add_n(&part, path, at);
        if (lstat(str_text(&part), &info) != 0)
            continue;
        for (size_t i = 0; !is && i < ARRAY_LEN(names); i++)
            is = stat(names[i], &other) == 0 && other.st_dev == info.st_dev &&
                 other.st_ino == info.st_ino;
    }
    str_done(&part);
    return is;
}

/* Returns true if the file may be written, otherwise sets errno to REFUSED. `name` is in the
 * directory `fd`; NULL means that `fd` is the file. */
static bool may_write(int fd, const char *name, const char *guarded)
{
    char top[PATH_MAX], path[PATH_MAX];
    const int here = open_beneath(AT_FDCWD, ".", O_PATH | O_DIRECTORY, 0);
    struct str whole = {0};
    bool may = here >= 0 && find_path(here, top) && find_path(fd, path);
    if (here >= 0)
        (void)close(here);
    if (may) {
        str_addf(&whole, "%s%s%s", path, name ? "/" : "", name ? name : "");
        if (strcmp(top, "/") == 0)
            top[0] = '\0';
        may = is_at_or_below(path, top) && !is_guarded_path(str_text(&whole) + strlen(top)) &&
              !is_in_guarded_file(str_text(&whole), strlen(top)) &&
              (!guarded || !is_at_or_below(str_text(&whole), guarded));
    }
    str_done(&whole);
    if (!may)
        errno = REFUSED;
    return may;
}

/* Returns true if the file's contents are a plan, whatever its name. */
static bool is_plan(int fd)
{
    char block[BLOCK_BYTES];
    struct str text = {0};
    struct json *root = NULL;
    ssize_t got = 1;
    while (got > 0 && text.len <= PLAN_BYTES_MAX) {
        got = pread(fd, block, sizeof(block), (off_t)text.len);
        if (got > 0)
            str_add_n(&text, block, (size_t)got);
    }
    const bool is = text.len <= PLAN_BYTES_MAX &&
                    json_parse_data(str_text(&text), text.len, &root, NULL, NULL) &&
                    json_kind(json_get(root, "version")) == JSON_KIND_INTEGER &&
                    json_kind(json_get(root, "tasks")) == JSON_KIND_ARRAY;
    json_free(root);
    str_done(&text);
    return is;
}

/* Opens the directory for the file, creating it if needed, and sets *name to the file's name.
 * Returns -1 with errno on failure. */
static int open_folder(const char *path, const char *guarded, const char **name)
{
    char *part = xstrdup(path);
    int folder = open_beneath(AT_FDCWD, ".", O_PATH | O_DIRECTORY, 0);
    char *at = part;
    for (char *slash = strchr(at, '/'); folder >= 0 && slash; slash = strchr(at, '/')) {
        *slash = '\0';
        if (*at != '\0' && (!may_write(folder, at, guarded) ||
                            (mkdirat(folder, at, MODE_FOLDER) != 0 && errno != EEXIST))) {
            const int number = errno;
            (void)close(folder);
            errno = number;
            folder = -1;
            break;
        }
        (void)close(folder);
        folder = open_beneath(AT_FDCWD, part, O_PATH | O_DIRECTORY, 0);
        *slash = '/';
        at = slash + 1;
    }
    const char *last = strrchr(path, '/');
    *name = last ? last + 1 : path;
    const int number = errno;
    free(part);
    errno = number;
    return folder;
}

/* Writes a temporary file and renames it, so that a partial file is never visible. */
static bool replace_file(int folder, const char *name, const struct str *text, mode_t mode)
{
    struct str temporary = {0};
    str_addf(&temporary, ".devs-%ld.part", (long)getpid());
    int fd = open_beneath(folder, str_text(&temporary), O_WRONLY | O_CREAT | O_EXCL, MODE_NEW);
    bool ok = fd >= 0 && write_bytes(fd, str_text(text), text->len) &&
              (mode == 0 || fchmod(fd, mode) == 0);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && renameat(folder, str_text(&temporary), folder, name) == 0;
    if (!ok && fd >= 0) {
        const int number = errno;
        (void)unlinkat(folder, str_text(&temporary), 0);
        errno = number;
    }
    str_done(&temporary);
    return ok;
}

/* Overwrites the file that a link within the project leads to. A file with several hard links is
 * refused, because one of its other names may be guarded, and these names cannot be found from
 * here. An unreadable file is not checked for being a plan: devs could not read it as one. */
static bool write_through(const char *path, const struct str *text, const char *guarded)
{
    int fd = -1;
    struct stat info = {0};
    if (!open_file(path, O_RDWR, &fd, &info) &&
        (errno != EACCES || !open_file(path, O_WRONLY, &fd, &info)))
        return false;
    const bool is_refused = !may_write(fd, NULL, guarded) || is_plan(fd);
    if (is_refused || info.st_nlink != 1) {
        (void)close(fd);
        errno = is_refused ? REFUSED : SHARED;
        return false;
    }
    bool ok = ftruncate(fd, 0) == 0 && write_bytes(fd, str_text(text), text->len);
    return close(fd) == 0 && ok;
}

/* Returns true if the file with this name is a plan; false if it cannot be read. */
static bool is_plan_at(int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool is = fd >= 0 && is_plan(fd);
    if (fd >= 0)
        (void)close(fd); /* read only */
    return is;
}

static bool write_file(const char *path, const struct str *text, const char *guarded)
{
    const char *name = path;
    struct stat info = {0};
    int folder = open_folder(path, guarded, &name);
    if (folder < 0)
        return false;
    if (!may_write(folder, name, guarded)) {
        (void)close(folder);
        errno = REFUSED;
        return false;
    }
    const bool is_there = fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    bool ok = false;
    if (is_there && S_ISLNK(info.st_mode)) {
        ok = write_through(path, text, guarded);
    } else if (is_there && !S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    } else if (is_there && is_plan_at(folder, name)) {
        errno = REFUSED;
    } else {
        ok = replace_file(folder, name, text, is_there ? info.st_mode & MODE_ALL : 0);
    }
    const int number = errno;
    (void)close(folder);
    errno = number;
    return ok;
}

int file_act_write(const char *path, const char *guarded)
{
    struct str text = {0};
    const bool ok = read_stdin(&text) && write_file(path, &text, guarded);
    const int number = errno;
    const size_t len = text.len;
    str_done(&text);
    if (!ok)
        return report_failure(path, number);
    (void)printf("wrote %zu bytes to %s\n", len, path);
    return EXIT_SUCCESS;
}
