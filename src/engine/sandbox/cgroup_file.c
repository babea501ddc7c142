/*
 * cgroup_file.c - reads and writes the files of control groups, and finds where we may make them.
 *
 * In version 2, a group that contains processes cannot pass controllers on. So our groups are made
 * beside our own group or above it, in the first writable parent that passes memory on.
 */
#define _GNU_SOURCE /* getline, and d_type of directory entries */

#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ascii.h"

enum {
    FIND_DIRS_MAX = 8192, /* folders checked in one search */
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

/* Reads a file as text. If it cannot be read, the text is "" and the result false. */
static bool cgroup_file_read(const char *dir, const char *name, char out[CGROUP_FILE_MAX])
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

/* Returns false if `each` stopped the iteration. */
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
            if (pid > 0 && !each(ctx, pid)) /* 0: in a pid namespace that we cannot see */
                return false;
            pid = 0;
        }
        if (got <= 0)
            break;
    }
    return true;
}

typedef bool enter_fn(void *ctx, const char *dir, int depth);

/* Calls `enter` for each subfolder. */
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

enum {
    FIELD_ROOT = 3, /* field index in a line of mountinfo, counted from 0 */
    FIELD_POINT = 4,
    FIELDS_MAX = 32,
    CLIMB_MAX = 16, /* parents of our own group that are tried */
};

static struct {
    pthread_once_t once;
    struct cgroup_mount mounts[CGROUP_MOUNTS_MAX];
    size_t count;
} known = {.once = PTHREAD_ONCE_INIT};

/* Returns whether the word is in a list separated by commas or blanks. */
static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = list; *at;) {
        size_t here = strcspn(at, ", \n");
        if (here == len && strncmp(at, word, len) == 0)
            return true;
        at += here + (at[here] != '\0');
    }
    return false;
}

/* Matches a line "ID:CONTROLLERS:PATH" that describes our group in this hierarchy. */
static bool line_is_of(const char *line, const struct cgroup_mount *mount, const char *options)
{
    const char *controllers = strchr(line, ':');
    if (!controllers)
        return false;
    controllers++;
    size_t len = strcspn(controllers, ":");
    if (mount->is_v2)
        return len == 0;
    char first[64]; /* one controller identifies the hierarchy */
    (void)snprintf(first, sizeof(first), "%.*s", (int)strcspn(controllers, ",:"), controllers);
    return len > 0 && has_word(options, first);
}

/* Finds our own group's path below the mount point; "" if it is not visible there. */
static void find_own_group(struct cgroup_mount *mount, const char *root, const char *options)
{
    char *line = NULL;
    size_t cap = 0;
    FILE *file = fopen("/proc/self/cgroup", "re");

    (void)snprintf(mount->own, sizeof(mount->own), "%s", mount->top);
    while (file && getline(&line, &cap, file) > 0) {
        if (!line_is_of(line, mount, options))
            continue;
        const char *path = strchr(strchr(line, ':') + 1, ':') + 1;
        size_t root_len = strcmp(root, "/") == 0 ? 0 : strlen(root);
        if (strncmp(path, root, root_len) == 0)
            path += root_len;
        int len = (int)strcspn(path, "\n");
        bool is_top = len == 0 || (len == 1 && path[0] == '/');
        size_t size = sizeof(mount->own);
        int wrote = is_top ? 0 : snprintf(mount->own, size, "%s%.*s", mount->top, len, path);
        if (wrote < 0 || (size_t)wrote >= size)
            mount->own[0] = '\0'; /* not a folder; the top is used below */
        break;
    }
    if (file)
        (void)fclose(file);
    free(line);
    if (access(mount->own, F_OK) != 0)
        (void)snprintf(mount->own, sizeof(mount->own), "%s", mount->top);
}

static bool is_writable_group(const char *dir)
{
    char path[PATH_MAX];
    return access(dir, W_OK | X_OK) == 0 && cgroup_file_path(path, dir, "cgroup.procs") &&
           access(path, W_OK) == 0;
}

/* In version 2, a group that contains processes cannot pass controllers on to subgroups. So our
 * groups are made next to our own group or higher: in the first parent that passes memory on; if
 * there is none, in the first writable one. */
static void find_writable_parent(struct cgroup_mount *mount)
{
    char dir[PATH_MAX];
    char found[PATH_MAX] = "";

    (void)snprintf(dir, sizeof(dir), "%s", mount->own);
    for (int i = 0; i < CLIMB_MAX && is_writable_group(dir); i++) {
        char passed_on[CGROUP_FILE_MAX] = "";
        (void)cgroup_file_read(dir, "cgroup.subtree_control", passed_on);
        bool has_memory = has_word(passed_on, "memory");
        if (!found[0] || has_memory)
            memcpy(found, dir, sizeof(found));
        mount->has_memory = has_memory;
        mount->has_pids = has_word(passed_on, "pids");
        if (has_memory || strcmp(dir, mount->top) == 0)
            break;
        char *slash = strrchr(dir, '/');
        *slash = '\0';
    }
    if (found[0])
        memcpy(mount->own, found, sizeof(mount->own));
}

static bool parse_mount(char *line, struct cgroup_mount *mount)
{
    char *fields[FIELDS_MAX];
    size_t count = 0;
    size_t dash = FIELD_POINT;
    char *rest = NULL;

    for (char *at = strtok_r(line, " \n", &rest); at && count < FIELDS_MAX;
         at = strtok_r(NULL, " \n", &rest))
        fields[count++] = at;
    while (dash < count && strcmp(fields[dash], "-") != 0)
        dash++;
    if (dash + 3 >= count || strncmp(fields[dash + 1], "cgroup", 6) != 0)
        return false;
    *mount = (struct cgroup_mount){.is_v2 = strcmp(fields[dash + 1], "cgroup2") == 0};
    const char *options = fields[dash + 3];
    (void)snprintf(mount->top, sizeof(mount->top), "%s", fields[FIELD_POINT]);
    find_own_group(mount, fields[FIELD_ROOT], options);
    if (mount->is_v2) {
        find_writable_parent(mount);
    } else {
        mount->has_memory = has_word(options, "memory");
        mount->has_pids = has_word(options, "pids");
    }
    mount->own_is_writable = is_writable_group(mount->own);
    mount->top_is_writable = is_writable_group(mount->top);
    return true;
}

static void look_up_mounts(void)
{
    char *line = NULL;
    size_t cap = 0;
    FILE *file = fopen("/proc/self/mountinfo", "re");

    while (file && known.count < CGROUP_MOUNTS_MAX && getline(&line, &cap, file) > 0) {
        if (parse_mount(line, &known.mounts[known.count]))
            known.count++;
    }
    if (file)
        (void)fclose(file);
    free(line);
}

const struct cgroup_mount *cgroup_mounts(size_t *count_out)
{
    (void)pthread_once(&known.once, look_up_mounts);
    *count_out = known.count;
    return known.mounts;
}
