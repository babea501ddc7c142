/* proc.c - reads /proc: processes, their environment, and the state of the machine.
 *
 * A pid may be reused; together with the start time it identifies a process. During execve(), a
 * process has no environment for a moment, so proc_has_environment() repeats the check for a while
 * before it returns "unknown". */
#define _GNU_SOURCE /* memmem */

#include "proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "str.h"

enum {
    SMALL_FILE_MAX = 4096,
    PROC_PATH_MAX = 64,
    CHUNK = 16 * 1024,
    EXEC_LOOKS_MAX = 20, /* checks of a process that shows no environment */
    EXEC_LOOK_MS = 1,
    BARE_LOOKS = 3, /* checks that find arguments, but no environment, before we trust the result */
    US_PER_S = 1000 * 1000,
    CLOCKS_APART_US =
        2, /* maximum difference between our clock, truncated to microseconds, and the kernel's */
};

/* Reads a small file of /proc as text. Returns false if it cannot be read. */
static bool read_small(const char *path, char out[SMALL_FILE_MAX])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, out, SMALL_FILE_MAX - 1);
    (void)close(fd);
    if (got <= 0)
        return false;
    out[got] = '\0';
    return true;
}

/* Returns the number at *cursor and advances to the next field. */
static int64_t take_number(const char **cursor)
{
    char *end = NULL;
    int64_t value = strtoll(*cursor, &end, 10);
    *cursor = end + strspn(end, " ");
    return value;
}

bool proc_read(pid_t pid, struct proc_facts *out)
{
    char path[PROC_PATH_MAX];
    char text[SMALL_FILE_MAX];

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (!read_small(path, text))
        return false;
    const char *name = strchr(text, '(');
    const char *name_end = strrchr(text, ')'); /* the name itself may contain parentheses */
    if (!name || !name_end || name_end[1] != ' ' || name_end < name)
        return false;

    *out = (struct proc_facts){.pid = pid, .state = name_end[2]};
    (void)snprintf(out->name, sizeof(out->name), "%.*s", (int)(name_end - name - 1), name + 1);
    const char *cursor = name_end + 3 + strspn(name_end + 3, " ");
    out->parent = (pid_t)take_number(&cursor);
    out->group = (pid_t)take_number(&cursor);
    out->session = (pid_t)take_number(&cursor);
    for (int field = 7; field < 22; field++) {
        cursor += strcspn(cursor, " ");
        cursor += strspn(cursor, " ");
    }
    out->start = take_number(&cursor);
    return true;
}

bool proc_is_over(const struct proc_facts *facts)
{
    return facts->state == 'Z' || facts->state == 'X';
}

int64_t proc_start_between(int64_t before_us, int64_t after_us)
{
    const int64_t ticks_per_s = sysconf(_SC_CLK_TCK);
    if (ticks_per_s <= 0 || US_PER_S % ticks_per_s != 0)
        return -1;
    const int64_t tick_us = US_PER_S / ticks_per_s;
    const int64_t first = (before_us - CLOCKS_APART_US) / tick_us;
    const int64_t last = (after_us + CLOCKS_APART_US) / tick_us;
    return first == last ? first : -1;
}

static bool holds_entry(const struct str *environ_bytes, const char *wanted)
{
    size_t len = strlen(wanted) + 1; /* including the NUL that ends the entry */
    const char *from = environ_bytes->data;
    const char *end = environ_bytes->data + environ_bytes->len;

    while (from && from < end) {
        const char *at = memmem(from, (size_t)(end - from), wanted, len);
        if (!at)
            return false;
        if (at == environ_bytes->data || at[-1] == '\0')
            return true;
        from = at + 1;
    }
    return false;
}

static bool read_file_of(pid_t pid, const char *file, struct str *out)
{
    char path[PROC_PATH_MAX];
    char chunk[CHUNK];
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = 1;
    while (got > 0 && out->len < PROC_ENVIRON_MAX) {
        got = read(fd, chunk, sizeof(chunk));
        if (got > 0)
            str_add_n(out, chunk, (size_t)got);
    }
    (void)close(fd);
    return true;
}

/* Why a process has no environment. */
enum bare {
    BARE_FOR_GOOD, /* the process is a kernel thread, has ended, or may not be read */
    BARE_JUST_NOW, /* it is in execve(), and its memory is not set up yet */
    BARE_PERHAPS,  /* it has arguments, and may have got its environment after we checked */
};

/* Returns why a process has no environment. During execve(), it has neither arguments nor
 * environment until its new memory is set up, which can take any time on a busy machine. A kernel
 * thread never has them, and has no program. A process that has ended has no memory at all. */
static enum bare find_bareness(pid_t pid)
{
    char path[PROC_PATH_MAX];
    char target[1];
    struct proc_facts facts;
    struct str words = {0};
    (void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    enum bare bare = BARE_FOR_GOOD;
    if (read_file_of(pid, "cmdline", &words) && readlink(path, target, sizeof(target)) > 0 &&
        proc_read(pid, &facts) && !proc_is_over(&facts))
        bare = words.len == 0 ? BARE_JUST_NOW : BARE_PERHAPS;
    str_done(&words);
    return bare;
}

enum proc_answer proc_has_environment(pid_t pid, const char *const *wanted)
{
    struct str bytes = {0};
    int looks = 0;
    int bare_looks = 0;
    while (read_file_of(pid, "environ", &bytes) && bytes.len == 0) {
        const enum bare bare = find_bareness(pid);
        bare_looks = bare == BARE_PERHAPS ? bare_looks + 1 : 0;
        if (bare == BARE_FOR_GOOD || bare_looks == BARE_LOOKS)
            break;
        if (++looks == EXEC_LOOKS_MAX)
            return PROC_UNTOLD;
        (void)poll(NULL, 0, EXEC_LOOK_MS);
    }
    bool all = bytes.len > 0;
    for (; all && *wanted; wanted++)
        all = holds_entry(&bytes, *wanted);
    str_done(&bytes);
    return all ? PROC_YES : PROC_NO;
}

void proc_each(proc_each_fn *each, void *ctx)
{
    DIR *dir = opendir("/proc");
    if (!dir)
        return;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        struct proc_facts facts;
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        if (proc_read((pid_t)strtol(entry->d_name, NULL, 10), &facts) && !each(ctx, &facts))
            break;
    }
    (void)closedir(dir);
}

void proc_machine(const char *path, struct proc_machine *out)
{
    static const char label[] = "MemAvailable:";
    char text[SMALL_FILE_MAX];
    struct statvfs disk;

    *out = (struct proc_machine){
        .load = {-1, -1, -1}, .memory_available_kib = -1, .disk_free_kib = -1};
    if (read_small("/proc/loadavg", text)) {
        char *cursor = text;
        for (int i = 0; i < 3; i++)
            out->load[i] = strtod(cursor, &cursor);
    }
    if (read_small("/proc/meminfo", text)) {
        const char *line = strstr(text, label);
        if (line)
            out->memory_available_kib = strtoll(line + sizeof(label) - 1, NULL, 10);
    }
    if (statvfs(path, &disk) == 0)
        out->disk_free_kib = (int64_t)(disk.f_bavail * (disk.f_frsize / 512) / 2);
}
