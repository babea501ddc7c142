/*
 * text_file.c - reads text files with a limit, and replaces files atomically.
 *
 * In a project, a name may lead to a device or a FIFO, so only regular files are opened, and for
 * input also descriptors that a shell has passed on, as for <(...).
 */
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foreign_file.h"
#include "shown.h"

bool read_text(FILE *from, size_t max_bytes, struct str *out, struct err *err)
{
    char buffer[16384];
    size_t got = 0;
    while ((got = fread(buffer, 1, sizeof(buffer), from)) > 0) {
        str_add_n(out, buffer, got);
        if (out->len > max_bytes) {
            struct str size = {0};
            shown_size((int64_t)max_bytes, &size);
            (void)err_set(err, ERR_LIMIT, "it is larger than %s", str_text(&size));
            str_done(&size);
            return false;
        }
    }
    return ferror(from) == 0 || err_set_errno(err, errno, "it cannot be read");
}

static bool set_not_opened(int number, struct err *err)
{
    const bool is_absent = number == ENOENT || number == ENOTDIR;
    return err_set(err, is_absent ? ERR_NOT_FOUND : ERR_INVALID, "%s", strerror(number));
}

/* Opens a regular file or, if allowed, a descriptor. A clone may contain a link to a device in
 * place of a file. */
static bool open_regular(const char *path, bool allows_descriptor, int *fd_out, struct err *err)
{
    struct stat info;
    /* the path names an open descriptor, as a shell's <(...) does */
    const bool is_handed_over = allows_descriptor && (strcmp(path, "/dev/stdin") == 0 ||
                                                      strncmp(path, "/dev/fd/", 8) == 0 ||
                                                      strncmp(path, "/proc/self/fd/", 14) == 0);
    const int look = foreign_file_look(path, 0, &info);
    if (look < 0)
        return set_not_opened(errno, err);
    if (S_ISDIR(info.st_mode))
        (void)set_not_opened(EISDIR, err);
    else if (!S_ISREG(info.st_mode) && !is_handed_over)
        (void)err_set(err, ERR_INVALID, "not a regular file");
    else if ((*fd_out = foreign_file_open(look)) < 0)
        (void)set_not_opened(errno, err);
    (void)close(look); /* it was only opened to be examined */
    return *fd_out >= 0;
}

FILE *read_text_open(const char *path, struct err *err)
{
    int fd = -1;
    if (!open_regular(path, false, &fd, err))
        return NULL;
    FILE *file = fdopen(fd, "r");
    if (!file) {
        (void)set_not_opened(errno, err);
        (void)close(fd); /* only read */
    }
    return file;
}

int read_text_input_fd(const char *path, struct err *err)
{
    int fd = -1;
    struct err why = {0};
    if (!open_regular(path, true, &fd, &why))
        (void)err_set(err, ERR_NOT_FOUND, "%s", why.message);
    return fd;
}

bool read_text_file(const char *path, size_t max_bytes, struct str *out, struct err *err)
{
    FILE *file = read_text_open(path, err);
    bool ok = file && read_text(file, max_bytes, out, err);
    if (file)
        (void)fclose(file); /* only read */
    return ok;
}

bool read_text_input(const char *path, size_t max_bytes, struct str *out, struct err *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? -1 : read_text_input_fd(path, err);
    struct err why = {0};
    if (!is_stdin && fd < 0)
        return false;
    FILE *file = is_stdin ? stdin : fdopen(fd, "r");
    if (!file) {
        const int number = errno;
        (void)close(fd); /* only read */
        return err_set(err, ERR_NOT_FOUND, "%s", strerror(number));
    }
    const bool ok = read_text(file, max_bytes, out, &why);
    if (!is_stdin)
        (void)fclose(file); /* only read */
    return ok || err_set(err, why.code == ERR_LIMIT ? ERR_LIMIT : ERR_NOT_FOUND, "%s", why.message);
}

enum {
    NEW_FILE_MODE = 0666, /* before the umask is applied */
    OWN_FILE_MODE = 0600, /* until it gets the mode of the old file */
    MODE_BITS = 07777,
};

bool write_text_fd(int fd, const struct str *text)
{
    size_t done = 0;
    while (done < text->len) {
        const ssize_t put = write(fd, text->data + done, text->len - done);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* Syncs the folder of the file. Best effort: the file exists in any case. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder ? 1 : 0] = '\0';
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    (void)close(fd);
}

bool save_file(const char *path, const struct str *text, struct err *err)
{
    struct stat old;
    char temporary[PATH_MAX];
    bool is_new = stat(path, &old) != 0;
    /* the temporary name is always the same, so that a file left by a killed writer is replaced */
    const int len = snprintf(temporary, sizeof(temporary), "%s.new~", path);
    if (len < 0 || len >= PATH_MAX)
        return err_set(err, ERR_LIMIT, "the path '%s' is too long", path);
    (void)unlink(temporary); /* an old temporary file may exist */
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        is_new ? NEW_FILE_MODE : OWN_FILE_MODE);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot write next to '%s'", path);
    bool ok = write_text_fd(fd, text) && (is_new || fchmod(fd, old.st_mode & MODE_BITS) == 0) &&
              fsync(fd) == 0;
    int why = errno;
    (void)close(fd); /* ignored: the data is already synced, or the file is removed */
    if (ok && rename(temporary, path) != 0) {
        why = errno;
        ok = false;
    }
    if (!ok) {
        (void)unlink(temporary); /* best effort */
        return err_set_errno(err, why, "cannot write '%s'", path);
    }
    sync_folder(path);
    return true;
}
