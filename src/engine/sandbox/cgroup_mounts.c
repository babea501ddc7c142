#define _GNU_SOURCE /* getline beside the rest */

#include "cgroup_mounts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup_file.h"

enum {
    FIELD_ROOT = 3, /* of a line of mountinfo, counted from 0 */
    FIELD_POINT = 4,
    FIELDS_MAX = 32,
    CLIMB_MAX = 16, /* folders above our own group that are looked at */
};

static struct {
    pthread_once_t once;
    struct cgroup_mount mounts[CGROUP_MOUNTS_MAX];
    size_t count;
} known = {.once = PTHREAD_ONCE_INIT};

static size_t split(char *line, char *fields[FIELDS_MAX])
{
    size_t count = 0;
    char *rest = NULL;
    for (char *at = strtok_r(line, " \n", &rest); at && count < FIELDS_MAX;
         at = strtok_r(NULL, " \n", &rest))
        fields[count++] = at;
    return count;
}

/* Is the word one of a list that is separated by commas or blanks? */
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

/* Our group in this hierarchy, from a line "ID:CONTROLLERS:PATH". */
static bool line_is_of(const char *line, const struct cgroup_mount *mount, const char *options)
{
    const char *controllers = strchr(line, ':');
    if (!controllers)
        return false;
    controllers++;
    size_t len = strcspn(controllers, ":");
    if (mount->is_v2)
        return len == 0;
    char first[64]; /* one controller tells the hierarchy */
    (void)snprintf(first, sizeof(first), "%.*s", (int)strcspn(controllers, ",:"), controllers);
    return len > 0 && has_word(options, first);
}

/* The path of our own group below the mount point; "" where it cannot be seen. */
static void find_own(struct cgroup_mount *mount, const char *root, const char *options)
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
            mount->own[0] = '\0'; /* is no folder: the top is taken below */
        break;
    }
    if (file)
        (void)fclose(file);
    free(line);
    if (access(mount->own, F_OK) != 0)
        (void)snprintf(mount->own, sizeof(mount->own), "%s", mount->top);
}

static bool is_writable(const char *dir)
{
    char path[PATH_MAX];
    return access(dir, W_OK | X_OK) == 0 && cgroup_file_path(path, dir, "cgroup.procs") &&
           access(path, W_OK) == 0;
}

/* A group of version 2 that holds processes gives no controllers to groups in it, so
 * ours are made beside our own, or higher: the first folder that passes memory on; if
 * there is none, the first one that may be written in. */
static void climb(struct cgroup_mount *mount)
{
    char dir[PATH_MAX];
    char found[PATH_MAX] = "";

    (void)snprintf(dir, sizeof(dir), "%s", mount->own);
    for (int i = 0; i < CLIMB_MAX && is_writable(dir); i++) {
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

static bool take_mount(char *line, struct cgroup_mount *mount)
{
    char *fields[FIELDS_MAX];
    size_t count = split(line, fields);
    size_t dash = FIELD_POINT;

    while (dash < count && strcmp(fields[dash], "-") != 0)
        dash++;
    if (dash + 3 >= count || strncmp(fields[dash + 1], "cgroup", 6) != 0)
        return false;
    *mount = (struct cgroup_mount){.is_v2 = strcmp(fields[dash + 1], "cgroup2") == 0};
    const char *options = fields[dash + 3];
    (void)snprintf(mount->top, sizeof(mount->top), "%s", fields[FIELD_POINT]);
    find_own(mount, fields[FIELD_ROOT], options);
    if (mount->is_v2) {
        climb(mount);
    } else {
        mount->has_memory = has_word(options, "memory");
        mount->has_pids = has_word(options, "pids");
    }
    mount->own_is_writable = is_writable(mount->own);
    mount->top_is_writable = is_writable(mount->top);
    return true;
}

static void look_up(void)
{
    char *line = NULL;
    size_t cap = 0;
    FILE *file = fopen("/proc/self/mountinfo", "re");

    while (file && known.count < CGROUP_MOUNTS_MAX && getline(&line, &cap, file) > 0) {
        if (take_mount(line, &known.mounts[known.count]))
            known.count++;
    }
    if (file)
        (void)fclose(file);
    free(line);
}

const struct cgroup_mount *cgroup_mounts(size_t *count_out)
{
    (void)pthread_once(&known.once, look_up);
    *count_out = known.count;
    return known.mounts;
}
