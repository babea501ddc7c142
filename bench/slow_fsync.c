/*
 * slow_fsync.c - simulates a disk that takes 5 ms more for each sync; preloaded by bench-dispatch.
 */
#define _GNU_SOURCE /* sync_file_range */

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLOW_NS = 5 * 1000 * 1000 };

static void wait_for_disk(void)
{
    const struct timespec slow = {.tv_nsec = SLOW_NS};
    (void)nanosleep(&slow, NULL);
}

int fsync(int fd)
{
    wait_for_disk();
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fildes)
{
    wait_for_disk();
    return (int)syscall(SYS_fdatasync, fildes);
}

int sync_file_range(int fd, off64_t offset, off64_t count, unsigned int flags)
{
    wait_for_disk();
    return (int)syscall(SYS_sync_file_range, fd, offset, count, flags);
}
