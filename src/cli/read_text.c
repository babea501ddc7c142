#include "read_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shown.h"

static bool set_too_large(size_t max_bytes, struct err *err)
{
    struct str size = {0};
    shown_size((int64_t)max_bytes, &size);
    (void)err_set(err, ERR_LIMIT, "it is larger than %s", str_text(&size));
    str_done(&size);
    return false;
}

bool read_text(FILE *from, size_t max_bytes, struct str *out, struct err *err)
{
    char buffer[16384];
    size_t got = 0;
    while ((got = fread(buffer, 1, sizeof(buffer), from)) > 0) {
        str_add_n(out, buffer, got);
        if (out->len > max_bytes)
            return set_too_large(max_bytes, err);
    }
    return ferror(from) == 0 || err_set_errno(err, errno, "it cannot be read");
}

static bool set_not_opened(int number, struct err *err)
{
    const bool is_absent = number == ENOENT || number == ENOTDIR;
    return err_set(err, is_absent ? ERR_NOT_FOUND : ERR_INVALID, "%s", strerror(number));
}

static FILE *open_file(const char *path, struct err *err)
{
    struct stat info;
    FILE *file = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &info) != 0)
        (void)set_not_opened(errno, err);
    else if (!S_ISREG(info.st_mode))
        (void)err_set(err, ERR_INVALID, "it is no regular file");
    else if (!(file = fdopen(fd, "r")))
        (void)set_not_opened(errno, err);
    if (!file && fd >= 0)
        (void)close(fd); /* nothing was written */
    return file;
}

bool read_text_file(const char *path, size_t max_bytes, struct str *out, struct err *err)
{
    FILE *file = open_file(path, err);
    bool ok = file && read_text(file, max_bytes, out, err);
    if (file)
        (void)fclose(file); /* only read */
    return ok;
}

bool read_text_input(const char *path, size_t max_bytes, struct str *out, struct err *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    struct err why = {0};
    if (!file)
        return err_set(err, ERR_NOT_FOUND, "%s", strerror(errno));
    const bool ok = read_text(file, max_bytes, out, &why);
    if (!is_stdin)
        (void)fclose(file); /* only read */
    return ok || err_set(err, why.code == ERR_LIMIT ? ERR_LIMIT : ERR_NOT_FOUND, "%s", why.message);
}
