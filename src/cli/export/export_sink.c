#define _GNU_SOURCE /* renameat2 */

#include "export_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MODE = 0600 };

static bool open_file(struct export_sink *sink, struct err *err)
{
    struct stat info;
    if (lstat(sink->path, &info) == 0) {
        (void)err_set(err, ERR_INVALID, "'%s' is there already", sink->path);
        return err_hint(err, "-o FILE names another one");
    }
    const int len =
        snprintf(sink->part, sizeof(sink->part), "%s.part-%ld", sink->path, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(sink->part))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", sink->path);
    const int fd =
        open(sink->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    sink->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (sink->file)
        return true;
    const int why = errno;
    if (fd >= 0)
        (void)close(fd);
    else
        sink->part[0] = '\0'; /* nothing of ours is there */
    return err_set_errno(err, why, "cannot make '%s'", sink->path);
}

bool export_sink_open(struct export_sink *sink, const char *path, struct err *err)
{
    *sink = (struct export_sink){.progress = progress_new()};
    const int len = snprintf(sink->path, sizeof(sink->path), "%s", path);
    if (len < 0 || (size_t)len >= sizeof(sink->path))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", path);
    if (strcmp(path, "-") != 0)
        return open_file(sink, err);
    sink->file = stdout;
    return true;
}

bool export_sink_write(struct export_sink *sink, const char *bytes, size_t len, struct err *err)
{
    if (len == 0 || fwrite(bytes, 1, len, sink->file) == len) {
        sink->bytes += (int64_t)len;
        return true;
    }
    return err_set_errno(err, errno, "cannot write '%s'", sink->path);
}

bool export_sink_tell(struct export_sink *sink, int64_t done, int64_t all, struct err *err)
{
    return progress_tell(&sink->progress, "writing", done, all, err);
}

static bool give_name(const struct export_sink *sink, struct err *err)
{
    struct stat info;
    if (renameat2(AT_FDCWD, sink->part, AT_FDCWD, sink->path, RENAME_NOREPLACE) == 0)
        return true;
    const bool unknown = errno == EINVAL || errno == ENOSYS; /* of a file system without it */
    if (unknown && lstat(sink->path, &info) != 0 && rename(sink->part, sink->path) == 0)
        return true;
    return err_set_errno(err, errno, "cannot make '%s'", sink->path);
}

bool export_sink_keep(struct export_sink *sink, struct err *err)
{
    const bool is_file = sink->part[0] != '\0';
    if (fflush(sink->file) != 0 || (is_file && fsync(fileno(sink->file)) != 0))
        return err_set_errno(err, errno, "cannot write '%s'", sink->path);
    if (is_file && !give_name(sink, err))
        return false;
    sink->part[0] = '\0';
    return true;
}

void export_sink_close(struct export_sink *sink)
{
    progress_done(&sink->progress);
    if (sink->file && sink->file != stdout)
        (void)fclose(sink->file); /* it is on the disk, or of no use */
    if (sink->part[0] != '\0')
        (void)unlink(sink->part);
    *sink = (struct export_sink){0};
}
