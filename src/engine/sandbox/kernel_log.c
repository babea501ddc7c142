#include "kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_BYTES = 8192, RECORDS_MAX = 20000 };

int kernel_log_open(void)
{
    int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0)
        (void)lseek(fd, 0, SEEK_END);
    return fd;
}

void kernel_log_close(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

/* The word is the end of a path, or a folder in it: not the beginning of a longer name. */
static bool is_kill_of(const char *record, const char *word)
{
    const char *list = strstr(record, "oom-kill:");
    if (!list || !word || !word[0])
        return false;
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
        char after = at[strlen(word)];
        if (after == ',' || after == '/')
            return true;
    }
    return false;
}

bool kernel_log_tells_kill(int fd, const char *word, const char *other_word)
{
    char record[RECORD_BYTES];

    for (int i = 0; fd >= 0 && i < RECORDS_MAX; i++) {
        ssize_t got = read(fd, record, sizeof(record) - 1);
        if (got < 0 && errno == EPIPE) /* older ones were written over */
            continue;
        if (got <= 0)
            return false;
        record[got] = '\0';
        if (is_kill_of(record, word) || is_kill_of(record, other_word))
            return true;
    }
    return false;
}
