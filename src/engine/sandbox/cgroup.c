/* cgroup.c - makes control groups for attempts, reads their counters, and ends them.
 *
 * A group exists in each hierarchy that we may write to, and each limit is set where it is
 * available. Ending a group kills its processes and forbids new ones until none are left. Version 1
 * counts an out-of-memory kill only in the group of the process; for a group with subgroups, we use
 * an eventfd instead. The last section of the file finds such kills in the kernel log. */
#define _GNU_SOURCE /* getline, d_type of directory entries, flags of eventfd */

#include "cgroup.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ascii.h"
#include "clock.h"
#include "proc.h"
#include "str.h"
#include "xalloc.h"

/* Reads and writes the small files of a control group, and walks the tree of groups below one. Any
 * thread. */

enum {
    CGROUP_FILE_MAX = 4096,
    CGROUP_DEPTH_MAX = 8, /* maximum number of levels of nested groups that are searched */
    FIND_DIRS_MAX = 8192, /* maximum number of folders checked in one search */
    PIDS_BYTES_MAX = 1024 * 1024,
    CHUNK = 4096,
};

/* Makes the path "dir/name". Returns false if it is too long. */
static bool cgroup_file_path(char out[PATH_MAX], const char *dir, const char *name)
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

/* Reads a file as text. If it cannot be read, sets `out` to "" and returns false. */
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

/* Writes the text to a file. Returns 0 or an errno. */
static int cgroup_file_write(const char *dir, const char *name, const char *text)
{
    int fd = open_file(dir, name, O_WRONLY);
    if (fd < 0)
        return errno;
    int number = write(fd, text, strlen(text)) < 0 ? errno : 0;
    (void)close(fd);
    return number;
}

/* Returns the number after "key " at the start of a line, or the number in the whole file if `key`
 * is "". Returns -1 if there is no such number. */
static int64_t cgroup_file_number(const char *dir, const char *name, const char *key)
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

/* Called for each process. Returns false to stop. */
typedef bool cgroup_pid_fn(void *ctx, pid_t pid);

/* Calls `each` for every pid in the file. Returns false if `each` stopped the iteration. */
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
            if (pid > 0 &&
                !each(ctx, pid)) /* 0 is a process in a pid namespace that we cannot see */
                return false;
            pid = 0;
        }
        if (got <= 0)
            break;
    }
    return true;
}

typedef bool enter_fn(void *ctx, const char *dir, int depth);

/* Calls `enter` for each subfolder until it returns false. */
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

/* Calls `each` for every process in the group and in the groups below it. Does nothing if the group
 * does not exist any more. */
static void cgroup_each_pid(const char *dir, cgroup_pid_fn *each, void *ctx)
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

/* Removes a group and all groups below it. None may contain processes. Returns 0 or an errno. */
static int cgroup_remove(const char *dir)
{
    int number = 0;
    (void)remove_in(&number, dir, 0);
    return number;
}

enum {
    FIELD_ROOT = 3, /* field index in a line of mountinfo, counted from 0 */
    FIELD_POINT = 4,
    FIELDS_MAX = 32,
    CLIMB_MAX = 16, /* maximum number of parents of our own group that are tried */
};

static struct {
    pthread_once_t once;
    struct cgroup_mount mounts[CGROUP_MOUNTS_MAX];
    size_t count;
} known_mounts = {.once = PTHREAD_ONCE_INIT};

/* Returns whether the word is in a list separated by commas, blanks or newlines. */
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

/* Returns whether a line "ID:CONTROLLERS:PATH" describes our group in this hierarchy. */
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

/* Finds the folder of our own group. If it is not visible below the mount point, uses the mount
 * point. */
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
            mount->own[0] = '\0'; /* the path is too long; the top is used below */
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

/* Finds the folder for our groups. In version 2, a group that contains processes cannot delegate
 * controllers to its subgroups. So our groups are made next to our own group or higher: in the
 * first parent that delegates memory or, if there is none, in the first writable one. */
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

    while (file && known_mounts.count < CGROUP_MOUNTS_MAX && getline(&line, &cap, file) > 0) {
        if (parse_mount(line, &known_mounts.mounts[known_mounts.count]))
            known_mounts.count++;
    }
    if (file)
        (void)fclose(file);
    free(line);
}

const struct cgroup_mount *cgroup_mounts(size_t *count_out)
{
    (void)pthread_once(&known_mounts.once, look_up_mounts);
    *count_out = known_mounts.count;
    return known_mounts.mounts;
}

/* Ends control groups: kills their processes and removes their folders. Any thread. Waits up to
 * CGROUP_END_MS. */

#define CGROUP_RUN_PREFIX "devs-" /* followed by a run's uid: name of the run's control group */

enum {
    POLL_MS_MAX = 50, /* longest interval between checks: 1, 2, 4 ... ms */
    NAMED_MAX = 8,
    MS_NS = 1000 * 1000,
};

struct ending {
    struct str *ended; /* names of ended processes; NULL = not requested */
    size_t named;
    size_t count; /* processes found in the current group */
};

/* Adds a process unless it was added before: it may be in the same group of several hierarchies.
 * Returns whether it was added. */
static bool add_process_name(struct str *out, pid_t pid)
{
    struct proc_facts facts;
    char mark[32];
    (void)snprintf(mark, sizeof(mark), "pid %d (", (int)pid);
    if (strstr(str_text(out), mark))
        return false;
    bool known = proc_read(pid, &facts);
    str_addf(out, "%s%s%s)", out->len > 0 ? ", " : "", mark, known ? facts.name : "?");
    return true;
}

static bool kill_member(void *ctx, pid_t pid)
{
    struct ending *ending = ctx;
    if (ending->ended && ending->named < NAMED_MAX && add_process_name(ending->ended, pid))
        ending->named++;
    ending->count++;
    (void)kill(pid, SIGKILL);
    return true;
}

/* Kills the processes of all groups. Returns how many there were; a process may be in the same
 * group of several hierarchies, so this is the largest number in one group. */
static size_t kill_members(const char *const *dirs, size_t count, struct ending *ending)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        ending->count = 0;
        cgroup_each_pid(dirs[i], kill_member, ending);
        if (ending->count > most)
            most = ending->count;
        if (ending->count > 0)
            (void)cgroup_file_write(dirs[i], "cgroup.kill", "1"); /* version 2, since Linux 5.14 */
    }
    return most;
}

static void pause_ms(int64_t ms)
{
    const struct timespec time = {.tv_nsec = (long)(ms * MS_NS)};
    (void)nanosleep(&time, NULL);
}

/* Ends the same group in several hierarchies. Returns the number of killed processes and appends
 * their names to `ended` (may be NULL). *left_out is the number of processes that remain. */
static size_t cgroup_end_all(const char *const *dirs, size_t count, struct str *ended,
                             size_t *left_out)
{
    struct ending ending = {.ended = ended};
    int64_t end_ms = clock_now().mono_ms + CGROUP_END_MS;
    size_t first = kill_members(dirs, count, &ending);

    *left_out = first;
    if (first == 0)
        return 0;
    ending.ended = NULL;
    for (size_t i = 0; i < count; i++) /* forbid new processes, so that the loop ends */
        (void)cgroup_file_write(dirs[i], "pids.max", "0");
    for (int64_t wait_ms = 1; *left_out > 0 && clock_now().mono_ms < end_ms; wait_ms *= 2) {
        if (wait_ms > POLL_MS_MAX)
            wait_ms = POLL_MS_MAX;
        pause_ms(wait_ms);
        *left_out = kill_members(dirs, count, &ending);
    }
    return first;
}

/* Removes a group, and the run's folder if it was the last group in it. */
static void cgroup_remove_with_run(const char *dir)
{
    int64_t end_ms = clock_now().mono_ms + CGROUP_END_MS;
    /* A process that has ended but was not reaped by its parent may keep the group busy for a
     * moment. */
    while (cgroup_remove(dir) == EBUSY && clock_now().mono_ms < end_ms)
        pause_ms(1);
    char *parent = xstrndup(dir, (size_t)(strrchr(dir, '/') - dir));
    (void)rmdir(parent); /* fails if other groups are in it */
    free(parent);
}

struct sweep_list {
    char *dirs[CGROUP_FOUND_MAX]; /* owned */
    size_t count;
};

static void add_found_dir(void *ctx, const char *dir)
{
    struct sweep_list *list = ctx;
    if (list->count < CGROUP_FOUND_MAX)
        list->dirs[list->count++] = xstrdup(dir);
}

static bool add_left_name(void *ctx, pid_t pid)
{
    (void)add_process_name(ctx, pid);
    return true;
}

bool cgroup_sweep(const char *uid, struct str *ended, struct str *left)
{
    struct sweep_list list = {.count = 0};
    struct str name = {0};
    size_t mount_count;
    size_t left_count = 0;
    const struct cgroup_mount *mounts = cgroup_mounts(&mount_count);

    str_addf(&name, CGROUP_RUN_PREFIX "%s", uid);
    for (size_t i = 0; i < mount_count; i++)
        cgroup_find(mounts[i].top, name.data, add_found_dir, &list);
    str_done(&name);
    (void)cgroup_end_all((const char *const *)list.dirs, list.count, ended, &left_count);
    for (size_t i = 0; i < list.count; i++) {
        if (left_count > 0 && left)
            cgroup_each_pid(list.dirs[i], add_left_name, left);
        (void)cgroup_remove(list.dirs[i]);
        free(list.dirs[i]);
    }
    return left_count == 0;
}

enum {
    MAKE_TRIES_MAX = 8, /* maximum number of tries; another attempt of the run may remove the run's
                           folder meanwhile */
    KIB = 1024,
};

struct part {
    const struct cgroup_mount *mount; /* static */
    char *dir;                        /* owned */
    int procs_fd;                     /* its cgroup.procs file, open for writing */
    bool has_memory, has_pids;
};

struct cgroup {
    struct part parts[SPAWN_ENTER_MAX];
    size_t count;
    int64_t memory_bytes;
    char *path; /* owned; see cgroup_path() */
    int oom_fd; /* eventfd that counts kills in a version 1 group and the groups below it; -1 = none
                 */
};

/* Makes the run's folder and the group's folder in it. Returns 0 or an errno. */
static int make_folders(const char *parent, const char *dir)
{
    int number = 0;
    for (int i = 0; i < MAKE_TRIES_MAX; i++) {
        if (mkdir(parent, 0755) != 0 && errno != EEXIST)
            return errno;
        if (mkdir(dir, 0755) == 0)
            return 0;
        number = errno;
        if (number != ENOENT)
            return number;
    }
    return number;
}

static bool open_part(struct cgroup *cgroup, const struct cgroup_mount *mount, const char *top,
                      const char *below, struct err *err)
{
    struct str dir = {0};
    str_addf(&dir, "%s%s", top, below);
    char *parent = xstrndup(dir.data, (size_t)(strrchr(dir.data, '/') - dir.data));

    struct part *part = &cgroup->parts[cgroup->count];
    int number = make_folders(parent, dir.data);
    if (number == 0) {
        *part = (struct part){.mount = mount, .dir = dir.data, .procs_fd = -1};
        part->has_memory = mount->has_memory;
        part->has_pids = mount->has_pids;
        if (mount->is_v2) { /* let the run's folder delegate the controllers that it can */
            part->has_memory = cgroup_file_write(parent, "cgroup.subtree_control", "+memory") == 0;
            part->has_pids = cgroup_file_write(parent, "cgroup.subtree_control", "+pids") == 0;
        }
        cgroup->count++;
        char path[PATH_MAX];
        if (cgroup_file_path(path, dir.data, "cgroup.procs"))
            part->procs_fd = open(path, O_WRONLY | O_CLOEXEC);
        number = part->procs_fd < 0 ? errno : 0;
    } else {
        str_done(&dir);
    }
    free(parent);
    return number == 0 || err_set_errno(err, number, "'%s%s'", top, below);
}

/* Sets the memory limit, including swap. Returns 0 or an errno. */
static int limit_memory(const struct part *part, int64_t bytes)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%lld", (long long)bytes);
    if (part->mount->is_v2) {
        int number = cgroup_file_write(part->dir, "memory.max", text);
        (void)cgroup_file_write(part->dir, "memory.swap.max",
                                "0"); /* the file does not exist without swap accounting */
        return number;
    }
    int number = cgroup_file_write(part->dir, "memory.limit_in_bytes", text);
    (void)cgroup_file_write(part->dir, "memory.memsw.limit_in_bytes",
                            text); /* may not exist either */
    return number;
}

static bool set_limits(struct cgroup *cgroup, const struct cgroup_limits *limits, struct err *err)
{
    bool memory = limits->memory_bytes == 0;
    bool pids = limits->pids == 0;

    for (size_t i = 0; i < cgroup->count; i++) {
        struct part *part = &cgroup->parts[i];
        if (!memory && part->has_memory)
            memory = limit_memory(part, limits->memory_bytes) == 0;
        if (!pids && part->has_pids) {
            char text[32];
            (void)snprintf(text, sizeof(text), "%lld", (long long)limits->pids);
            pids = cgroup_file_write(part->dir, "pids.max", text) == 0;
        }
    }
    if (!memory)
        return err_set(err, ERR_IO, "cannot set a memory limit: no usable memory controller");
    return pids || err_set(err, ERR_IO, "cannot set a process limit: no usable pids controller");
}

/* Opens an eventfd for out-of-memory kills. Version 1 counts a kill only in the group of the
 * process, so without the eventfd we would not notice that a parent group reached its limit. */
static void listen_for_kills(struct cgroup *cgroup, const struct part *part)
{
    char text[64];
    int control = open(part->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int oom = control < 0 ? -1 : openat(control, "memory.oom_control", O_RDONLY | O_CLOEXEC);
    int events = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bool heard = false;
    if (oom >= 0 && events >= 0) {
        (void)snprintf(text, sizeof(text), "%d %d", events, oom);
        heard = cgroup_file_write(part->dir, "cgroup.event_control", text) == 0;
    }
    if (control >= 0)
        (void)close(control);
    if (oom >= 0)
        (void)close(oom);
    if (heard)
        cgroup->oom_fd = events;
    else if (events >= 0)
        (void)close(events);
}

static const struct part *find_memory(const struct cgroup *cgroup)
{
    for (size_t i = 0; i < cgroup->count; i++) {
        if (cgroup->parts[i].has_memory)
            return &cgroup->parts[i];
    }
    return NULL;
}

bool cgroup_open(struct cgroup **out, const char *uid, const char *name,
                 const struct cgroup_limits *limits, struct err *err)
{
    assert(uid[0] && !strchr(uid, '/'));
    assert(name[0] && name[0] != '.' && !strchr(name, '/'));

    struct cgroup *cgroup = xcalloc(1, sizeof(*cgroup));
    struct str below = {0};
    cgroup->oom_fd = -1;
    cgroup->memory_bytes = limits->memory_bytes;
    str_addf(&below, "/" CGROUP_RUN_PREFIX "%s/%s", uid, name);
    size_t count;
    const struct cgroup_mount *mounts = cgroup_mounts(&count);
    bool ok = true;
    for (size_t i = 0; ok && i < count && cgroup->count < SPAWN_ENTER_MAX; i++) {
        const bool is_writable =
            limits->at_top ? mounts[i].top_is_writable : mounts[i].own_is_writable;
        if (!is_writable || (!mounts[i].is_v2 && !mounts[i].has_memory && !mounts[i].has_pids))
            continue;
        const char *top = limits->at_top ? mounts[i].top : mounts[i].own;
        ok = open_part(cgroup, &mounts[i], top, below.data, err);
    }
    if (ok && cgroup->count == 0)
        ok = err_set(err, ERR_IO, "cannot create control groups here");
    ok = ok && set_limits(cgroup, limits, err);
    if (ok && limits->at_top)
        cgroup->path = xstrdup(below.data);
    str_done(&below);
    if (!ok) {
        cgroup_close(cgroup);
        return false;
    }
    const struct part *memory = find_memory(cgroup);
    if (limits->at_top && memory && !memory->mount->is_v2)
        listen_for_kills(cgroup, memory);
    *out = cgroup;
    return true;
}

void cgroup_enter(const struct cgroup *cgroup, struct spawn_limits *limits)
{
    assert(limits->enter_count == 0);
    for (size_t i = 0; i < cgroup->count; i++)
        limits->enter[limits->enter_count++] = cgroup->parts[i].procs_fd;
}

const char *cgroup_path(const struct cgroup *cgroup)
{
    return cgroup->path;
}

/* Version 1: returns 1 if a process was killed because memory ran out, 0 if none was, -1 = unknown.
 * Uses the counter of the group itself or, for a group with subgroups, the eventfd. */
static int read_killed_v1(const struct cgroup *cgroup, const struct part *part)
{
    uint64_t heard = 0;
    if (cgroup->oom_fd >= 0) {
        bool news = read(cgroup->oom_fd, &heard, sizeof(heard)) == (ssize_t)sizeof(heard);
        if (news)
            return 1;
        return cgroup->memory_bytes > 0 ? 0 : -1;
    }
    int64_t kills = cgroup_file_number(part->dir, "memory.oom_control", "oom_kill");
    if (kills >= 0)
        return kills > 0 ? 1 : 0;
    /* Kernels before 4.13 only count how often the limit was reached. */
    return cgroup_file_number(part->dir, "memory.failcnt", "") == 0 ? 0 : -1;
}

void cgroup_read(const struct cgroup *cgroup, struct cgroup_facts *out)
{
    const struct part *memory = find_memory(cgroup);
    *out = (struct cgroup_facts){.memory_killed = -1};

    if (memory) {
        bool v2 = memory->mount->is_v2;
        if (v2) {
            int64_t kills = cgroup_file_number(memory->dir, "memory.events", "oom_kill");
            out->memory_killed = kills < 0 ? -1 : kills > 0;
        } else {
            out->memory_killed = read_killed_v1(cgroup, memory);
        }
        const char *peak_name = v2 ? "memory.peak" : "memory.max_usage_in_bytes";
        int64_t peak = cgroup_file_number(memory->dir, peak_name, "");
        out->peak_kib = peak > 0 ? peak / KIB : 0;
    }
}

size_t cgroup_end(struct cgroup *cgroup, size_t *left_out)
{
    const char *dirs[SPAWN_ENTER_MAX];
    for (size_t i = 0; i < cgroup->count; i++)
        dirs[i] = cgroup->parts[i].dir;
    return cgroup_end_all(dirs, cgroup->count, NULL, left_out);
}

void cgroup_close(struct cgroup *cgroup)
{
    size_t left;
    if (!cgroup)
        return;
    if (cgroup->count > 0)
        (void)cgroup_end(cgroup, &left);
    for (size_t i = 0; i < cgroup->count; i++) {
        if (cgroup->parts[i].procs_fd >= 0)
            (void)close(cgroup->parts[i].procs_fd);
        cgroup_remove_with_run(cgroup->parts[i].dir);
        free(cgroup->parts[i].dir);
    }
    /* podman or docker may have made groups under this path in hierarchies that we do not use. */
    size_t mount_count;
    const struct cgroup_mount *mounts = cgroup_mounts(&mount_count);
    for (size_t i = 0; cgroup->path && i < mount_count; i++) {
        struct str dir = {0};
        str_addf(&dir, "%s%s", mounts[i].top, cgroup->path);
        if (access(dir.data, F_OK) == 0)
            cgroup_remove_with_run(dir.data);
        str_done(&dir);
    }
    if (cgroup->oom_fd >= 0)
        (void)close(cgroup->oom_fd);
    free(cgroup->path);
    free(cgroup);
}

/* Finds out, once, what control groups can do on this machine. */

static struct {
    pthread_once_t once;
    struct cgroup_means means;
} known = {.once = PTHREAD_ONCE_INIT};

/* Tries to make a group with these limits, because write permission does not mean that the kernel
 * allows it. */
static bool can_make_group(int64_t memory_bytes, int64_t pids, struct err *err)
{
    struct cgroup *cgroup;
    char uid[32];
    const struct cgroup_limits limits = {.memory_bytes = memory_bytes, .pids = pids};

    (void)snprintf(uid, sizeof(uid), "probe-%d", (int)getpid());
    if (!cgroup_open(&cgroup, uid, "probe", &limits, err))
        return false;
    cgroup_close(cgroup);
    return true;
}

static void look_up_means(void)
{
    enum { PROBE_MEMORY = 64 * 1024 * 1024, PROBE_PIDS = 64 };
    struct err err = {0};
    struct cgroup_means *means = &known.means;
    size_t mounts;

    (void)cgroup_mounts(&mounts);
    means->track = can_make_group(0, 0, &err);
    if (means->track) {
        means->memory = can_make_group(PROBE_MEMORY, 0, &err);
        means->pids = can_make_group(0, PROBE_PIDS, &err);
    }
    if (mounts == 0)
        (void)snprintf(means->why, sizeof(means->why), "no control groups are mounted");
    else
        (void)snprintf(means->why, sizeof(means->why), "%.199s", err.message);
}

void cgroup_means(struct cgroup_means *out)
{
    (void)pthread_once(&known.once, look_up_means);
    *out = known.means;
}

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

/* Returns whether the record is an out-of-memory kill in a group whose path has a folder that ends
 * with the word. */
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
        if (got < 0 && errno == EPIPE) /* unread records were overwritten */
            continue;
        if (got <= 0)
            return false;
        record[got] = '\0';
        if (is_kill_of(record, word) || is_kill_of(record, other_word))
            return true;
    }
    return false;
}
