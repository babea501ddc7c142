/* spool.c - an attempt's directory: its spool, its control pipe, and who may use them.
 *
 * The directory may be on a disk that is full, may have been damaged by a power failure, or may not
 * be a directory of ours at all. So files are opened relative to a checked directory, never through
 * a link, and a spool counts only as far as its frames are whole and in order.
 *
 * A spool gets its name only when its keeper has locked it and its first frame is in it. So a spool
 * without a lock always means that its keeper is gone. */
#define _GNU_SOURCE /* fallocate */

#include "hand_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
    RESERVE_BYTES = 1024 * 1024, /* reserved at once, because each time takes a journal entry */
    END_SPACE = HAND_SMALL_FRAME_MAX, /* always reserved after the last frame */
    END_RETRY_MS = 200,
};

static const char spool_name[] = "spool";
static const char new_name[] = "spool.new";
static const char control_name[] = "control";

static uint64_t clock_ms(clockid_t id)
{
    struct timespec now = {0};
    (void)clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * MS_PER_S + (uint64_t)now.tv_nsec / NS_PER_MS;
}

uint64_t boot_ms(void)
{
    return clock_ms(CLOCK_BOOTTIME);
}

uint64_t wall_ms(void)
{
    return clock_ms(CLOCK_REALTIME);
}

/* Copies a path without slashes at its end, because O_NOFOLLOW follows "link/". */
static bool copy_path(const char *path, char out[PATH_MAX])
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (len == 0 || len >= PATH_MAX) {
        errno = len == 0 ? ENOENT : ENAMETOOLONG;
        return false;
    }
    memcpy(out, path, len);
    out[len] = '\0';
    return true;
}

/* Creates the missing parents of a path, for us alone. */
static bool create_parents(const char *path)
{
    char copy[PATH_MAX];
    if (!copy_path(path, copy))
        return false;
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0700) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}

int dir_create(const char *path)
{
    if (mkdir(path, 0700) != 0 &&
        (errno != ENOENT || !create_parents(path) || mkdir(path, 0700) != 0))
        return -1;
    const int dir = dir_open(path);
    if (dir < 0) {
        const int number = errno;
        (void)rmdir(path);
        errno = number;
    }
    return dir;
}

int dir_open(const char *path)
{
    char copy[PATH_MAX];
    struct stat info;
    if (!copy_path(path, copy))
        return -1;
    const int dir = open(copy, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return -1;
    if (fstat(dir, &info) == 0 && info.st_uid == geteuid() && (info.st_mode & 077) == 0)
        return dir;
    (void)close(dir);
    errno = EPERM;
    return -1;
}

/* Opens a file of the directory, if it has this type and is ours. A FIFO is opened without waiting
 * for its other end. */
static int open_file(int dir, const char *name, mode_t type, int flags)
{
    struct stat info;
    const int fd = openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) == 0 && (info.st_mode & S_IFMT) == type && info.st_uid == geteuid() &&
        info.st_nlink == 1)
        return fd;
    (void)close(fd);
    errno = EPERM;
    return -1;
}

bool attempt_open(const char *path, struct attempt_dir *out)
{
    out->dir = dir_open(path);
    if (out->dir < 0)
        return false;
    out->spool = open_file(out->dir, spool_name, S_IFREG, O_RDONLY);
    if (out->spool >= 0)
        return true;
    const int number = errno == ENOENT ? ENODATA : errno;
    (void)close(out->dir);
    errno = number;
    return false;
}

void attempt_close(struct attempt_dir *attempt)
{
    (void)close(attempt->spool);
    (void)close(attempt->dir);
}

int control_open(int dir)
{
    return open_file(dir, control_name, S_IFIFO, O_WRONLY);
}

bool keeper_is_alive(int spool)
{
    if (flock(spool, LOCK_SH | LOCK_NB) != 0)
        return true;
    (void)flock(spool, LOCK_UN);
    return false;
}

int dir_claim(int dir)
{
    struct stat info;
    const int claim = open_file(dir, new_name, S_IFREG, O_RDWR | O_CREAT);
    if (claim < 0)
        return -1;
    const bool locked = flock(claim, LOCK_EX | LOCK_NB) == 0;
    /* Whoever had the lock before may have renamed the file, or made the spool from another one. */
    if (locked && fstatat(dir, spool_name, &info, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        return claim;
    if (locked && fstat(claim, &info) == 0 && info.st_size == 0)
        (void)unlinkat(dir, new_name, 0); /* ours: a spool that was started has a frame */
    (void)close(claim);
    errno = EBUSY;
    return -1;
}

static bool is_our_name(const char *name)
{
    return strcmp(name, spool_name) == 0 || strcmp(name, new_name) == 0 ||
           strcmp(name, control_name) == 0;
}

static bool has_only_our_files(int dir)
{
    const int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    if (!list)
        return false;
    bool ours = true;
    for (const struct dirent *entry; ours && (entry = readdir(list));) {
        const char *name = entry->d_name;
        ours = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || is_our_name(name);
    }
    (void)closedir(list);
    if (!ours)
        errno = ENOTEMPTY;
    return ours;
}

static bool unlink_file(int dir, const char *name)
{
    return unlinkat(dir, name, 0) == 0 || errno == ENOENT;
}

bool dir_remove(const char *path, int dir)
{
    char copy[PATH_MAX];
    /* The new spool last, because the lock on it keeps others out. */
    return has_only_our_files(dir) && unlink_file(dir, control_name) &&
           unlink_file(dir, spool_name) && unlink_file(dir, new_name) && copy_path(path, copy) &&
           rmdir(copy) == 0;
}

/* Reserves space up to `size`. Returns false and sets errno if the disk is full. */
static bool reserve_space(struct spool *spool, uint64_t size)
{
    while (!spool->no_reserve && spool->reserved < size) {
        const uint64_t wanted = spool->reserved + RESERVE_BYTES;
        uint64_t until = wanted > size ? wanted : size;
        int failed = fallocate(spool->fd, FALLOC_FL_KEEP_SIZE, (off_t)spool->reserved,
                               (off_t)(until - spool->reserved));
        if (failed && errno != EINTR && until > size) { /* not as much as that, perhaps */
            until = size;
            failed = fallocate(spool->fd, FALLOC_FL_KEEP_SIZE, (off_t)spool->reserved,
                               (off_t)(until - spool->reserved));
        }
        if (!failed)
            spool->reserved = until;
        else if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL)
            spool->no_reserve = true;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

/* Appends bytes. On failure the file has its old size. */
static bool append_bytes(struct spool *spool, const uint8_t *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        const ssize_t wrote =
            pwrite(spool->fd, bytes + done, len - done, (off_t)(spool->size + done));
        if (wrote > 0) {
            done += (size_t)wrote;
        } else if (wrote == 0 || errno != EINTR) {
            const int number = wrote == 0 ? ENOSPC : errno;
            (void)!ftruncate(spool->fd, (off_t)spool->size);
            /* Truncating has released the space that was reserved. */
            spool->reserved = spool->size;
            (void)reserve_space(spool, spool->size + END_SPACE);
            errno = number;
            return false;
        }
    }
    spool->size += len;
    return true;
}

uint64_t find_size_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INT64_MAX;
    return limit.rlim_cur > INT64_MAX ? INT64_MAX : limit.rlim_cur;
}

static bool open_new_files(int dir, struct spool *spool)
{
    spool->fd = openat(dir, new_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (spool->fd < 0)
        return false;
    /* Waits only for somebody who tests the lock. */
    while (flock(spool->fd, LOCK_EX) != 0) {
        if (errno != EINTR)
            return false;
    }
    if (fchmod(spool->fd, 0600) != 0 || mkfifoat(dir, control_name, 0600) != 0)
        return false;
    /* For writing, too, so that reading never finds an end of file. */
    spool->control = open_file(dir, control_name, S_IFIFO, O_RDWR);
    return spool->control >= 0;
}

bool spool_create(int dir, const struct hand_begin *begin, struct spool *out)
{
    uint8_t frame[HAND_SMALL_FRAME_MAX];
    const size_t size = hand_begin_write(frame, begin);
    *out = (struct spool){.fd = -1, .control = -1, .limit = find_size_limit()};
    bool ok = open_new_files(dir, out);
    if (ok && size + END_SPACE > out->limit) {
        errno = EFBIG;
        ok = false;
    }
    ok = ok && reserve_space(out, size + END_SPACE) && append_bytes(out, frame, size) &&
         renameat(dir, new_name, dir, spool_name) == 0;
    if (ok)
        return true;
    const int number = errno;
    if (out->fd >= 0)
        (void)close(out->fd);
    if (out->control >= 0)
        (void)close(out->control);
    errno = number;
    return false;
}

void spool_write(struct spool *spool, const uint8_t *frame, size_t size)
{
    const bool is_output = frame[0] == HAND_OUTPUT;
    const uint64_t bytes = is_output ? size - HAND_HEAD_BYTES : 0;
    const uint64_t until = spool->size + size + END_SPACE;
    if (spool->number == 0 && until > spool->limit)
        spool->number = EFBIG;
    if (spool->number == 0 && (!reserve_space(spool, until) || !append_bytes(spool, frame, size)))
        spool->number = errno;
    if (spool->number == 0)
        spool->output_bytes += bytes;
    else
        spool->dropped_bytes += bytes;
}

bool spool_finish(struct spool *spool, const struct hand_end *end)
{
    uint8_t frame[HAND_SMALL_FRAME_MAX];
    const size_t size = hand_end_write(frame, end);
    const struct timespec pause = {.tv_nsec = (long)END_RETRY_MS * NS_PER_MS};
    const uint64_t until = boot_ms() + SPOOL_END_RETRY_S * MS_PER_S;
    while (!append_bytes(spool, frame, size)) {
        if (boot_ms() >= until)
            return false;
        (void)nanosleep(&pause, NULL);
    }
    /* After a failed sync the end is still in memory, so whoever reads it now reads what happened.
     * If the machine fails before the kernel has written it, the attempt is lost. */
    (void)fdatasync(spool->fd);
    (void)!ftruncate(spool->fd, (off_t)spool->size);
    return true;
}

enum hand_read spool_next(struct spool_reader *reader, struct hand_frame *frame)
{
    bool is_fresh = false;
    for (;;) {
        const enum hand_read read = hand_spool_read(&reader->spool, reader->buffer + reader->at,
                                                    reader->len - reader->at, frame);
        if (read == HAND_WHOLE)
            reader->at += frame->size;
        if (read != HAND_MORE)
            return read;
        if (is_fresh) /* no frame of a spool is longer than the buffer */
            return reader->len == sizeof(reader->buffer) ? HAND_BAD : HAND_MORE;
        /* Also reads the beginning of the frame again: after a failed write the keeper replaces
         * it by the end. */
        const ssize_t got =
            pread(reader->fd, reader->buffer, sizeof(reader->buffer), (off_t)reader->spool.whole);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return HAND_BAD;
        reader->at = 0;
        reader->len = (size_t)got;
        is_fresh = true;
    }
}

void describe_machine(struct hand_begin *begin)
{
    struct utsname here;
    begin->node[0] = '\0';
    if (uname(&here) == 0)
        (void)snprintf(begin->node, sizeof(begin->node), "%.*s", HAND_NODE_MAX, here.nodename);
    const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, begin->boot, HAND_BOOT_MAX) : -1;
    begin->boot[got == HAND_BOOT_MAX ? HAND_BOOT_MAX : 0] = '\0';
    if (fd >= 0)
        (void)close(fd);
}

bool is_elsewhere(const struct hand_begin *begin)
{
    struct hand_begin here;
    describe_machine(&here);
    const bool is_same_boot = here.boot[0] && strcmp(here.boot, begin->boot) == 0;
    return !is_same_boot && strcmp(here.node, begin->node) != 0;
}

enum hand_state spool_look(struct spool_reader *reader, uint64_t *size)
{
    struct hand_frame frame;
    struct stat info = {0};
    const bool alive = keeper_is_alive(reader->fd); /* before reading: it may end meanwhile */
    enum hand_read read;
    do
        read = spool_next(reader, &frame);
    while (read == HAND_WHOLE);
    *size = fstat(reader->fd, &info) == 0 ? (uint64_t)info.st_size : 0;
    if (*size < reader->spool.whole)
        *size = reader->spool.whole;
    if (read == HAND_BAD)
        return HAND_STATE_DAMAGED;
    if (reader->spool.stage == HAND_STAGE_ENDED)
        return HAND_STATE_ENDED;
    const bool elsewhere =
        reader->spool.stage != HAND_STAGE_EMPTY && is_elsewhere(&reader->spool.begin);
    return alive || elsewhere ? HAND_STATE_RUNNING : HAND_STATE_LOST;
}
