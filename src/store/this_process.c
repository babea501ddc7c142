#define _DEFAULT_SOURCE
#include "this_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { UID_BYTES = 16, STAT_MAX = 1024, STAT_START_FIELD = 22, STAT_AFTER_NAME = 3 };

static void read_text(const char *path, char *out, size_t cap)
{
    out[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t got = read(fd, out, cap - 1);
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    (void)close(fd); /* read only */
}

/* Field 22 of stat(5); the name in field 2 may hold blanks and brackets. */
static int64_t read_start(void)
{
    char text[STAT_MAX];
    read_text("/proc/self/stat", text, sizeof(text));
    const char *at = strrchr(text, ')');
    for (int field = STAT_AFTER_NAME; at && field <= STAT_START_FIELD; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

void this_process_read(struct this_process *out)
{
    read_text("/proc/sys/kernel/random/boot_id", out->boot, sizeof(out->boot));
    out->pid = getpid();
    out->pid_start = read_start();
}

bool this_process_uid(char out[LOG_UID_MAX], struct err *err)
{
    unsigned char bytes[UID_BYTES];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return err_set_errno(err, errno, "no random numbers");
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}
