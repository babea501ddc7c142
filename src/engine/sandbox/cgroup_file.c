#define _DEFAULT_SOURCE /* the type in a folder's entry */

#include "cgroup_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ascii.h"

enum {
    FIND_DIRS_MAX = 8192, /* looked at in one search */
    PIDS_BYTES_MAX = 1024 * 1024,
    CHUNK = 4096,
};

bool cgroup_file_path(char out[PATH_MAX], const char *dir, const char *name)
{
    int wrote = snprintf(out, PATH_MAX, "%s/%s", dir, name);
    return wrote > 0 && wrote < PATH_MAX;
}

static int open_file(const char *dir, const char *name, int flags)
{
    char path[PATH_MAX];
    if (!cgroup_file_path(path, dir, name)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, flags | O_CLOEXEC | O_NOFOLLOW);
}

bool cgroup_file_read(const char *dir, const char *name, char out[CGROUP_FILE_MAX])
{
    out[0] = '\0';
    int fd = open_file(dir, name, O_RDONLY);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, out, CGROUP_FILE_MAX - 1);
    (void)close(fd);
    out[got > 0 ? got : 0] = '\0';
    return got >= 0;
}

int cgroup_file_write(const char *dir, const char *name, const char *text)
{
    int fd = open_file(dir, name, O_WRONLY);
    if (fd < 0)
        return errno;
    int number = write(fd, text, strlen(text)) < 0 ? errno : 0;
    (void)close(fd);
    return number;
}

int64_t cgroup_file_number(const char *dir, const char *name, const char *key)
{
    char text[CGROUP_FILE_MAX];
    size_t len = strlen(key);

    if (!cgroup_file_read(dir, name, text))
        return -1;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *number = line + len + (len > 0);
        bool is_it = strncmp(line, key, len) == 0 && (len == 0 || line[len] == ' ');
        if (is_it && ascii_is_digit(number[0]))
            return strtoll(number, NULL, 10);
    }
    return -1;
}

/* False: `each` wants no more. */
static bool each_pid_of(int fd, cgroup_pid_fn *each, void *ctx)
{
    char chunk[CHUNK];
    pid_t pid = 0;
    size_t total = 0;

    for (ssize_t got = 1; got > 0 && total < PIDS_BYTES_MAX; total += (size_t)got) {
        got = read(fd, chunk, sizeof(chunk));
        for (ssize_t i = 0; i < got; i++) {
            if (ascii_is_digit(chunk[i])) {
                pid = pid * 10 + (chunk[i] - '0');
                continue;
            }
            if (pid > 0 && !each(ctx, pid)) /* 0: of a pid namespace that we cannot see */
                return false;
            pid = 0;
        }
        if (got <= 0)
            break;
    }
    return true;
}

typedef bool enter_fn(void *ctx, const char *dir, int depth);

/* Call `enter` for each folder in this one. */
static void each_below(const char *dir, int depth, enter_fn *enter, void *ctx)
{
    DIR *list = opendir(dir);
    if (!list)
        return;
    for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
        char path[PATH_MAX];
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
            !cgroup_file_path(path, dir, entry->d_name))
            continue;
        if (!enter(ctx, path, depth + 1))
            break;
    }
    (void)closedir(list);
}

struct pid_walk {
    cgroup_pid_fn *each;
    void *ctx;
    bool over;
};

static bool walk_pids(void *ctx, const char *dir, int depth)
{
    struct pid_walk *walk = ctx;
    int fd = open_file(dir, "cgroup.procs", O_RDONLY);
    if (fd >= 0) {
        walk->over = !each_pid_of(fd, walk->each, walk->ctx);
        (void)close(fd);
    }
    if (!walk->over && depth < CGROUP_DEPTH_MAX)
        each_below(dir, depth, walk_pids, walk);
    return !walk->over;
}

void cgroup_each_pid(const char *dir, cgroup_pid_fn *each, void *ctx)
{
    struct pid_walk walk = {.each = each, .ctx = ctx};
    (void)walk_pids(&walk, dir, 0);
}

struct search {
    const char *name;
    cgroup_dir_fn *each;
    void *ctx;
    int looked;
};

static bool search_in(void *ctx, const char *dir, int depth)
{
    struct search *search = ctx;
    const char *name = strrchr(dir, '/') + 1;

    if (++search->looked > FIND_DIRS_MAX)
        return false;
    if (strcmp(name, search->name) == 0)
        search->each(search->ctx, dir);
    else if (depth < CGROUP_DEPTH_MAX)
        each_below(dir, depth, search_in, search);
    return true;
}

void cgroup_find(const char *top, const char *name, cgroup_dir_fn *each, void *ctx)
{
    struct search search = {.name = name, .each = each, .ctx = ctx};
    each_below(top, 0, search_in, &search);
}

static bool remove_in(void *ctx, const char *dir, int depth)
{
    if (depth < CGROUP_DEPTH_MAX)
        each_below(dir, depth, remove_in, ctx);
    int *number = ctx;
    if (rmdir(dir) != 0 && errno != ENOENT)
        *number = errno;
    return true;
}

int cgroup_remove(const char *dir)
{
    int number = 0;
    (void)remove_in(&number, dir, 0);
    return number;
}
