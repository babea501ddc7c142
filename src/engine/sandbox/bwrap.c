/* bwrap.c - builds the command line of bubblewrap, and reads the exit status of the program inside.
 *
 * Each path to show, hide or protect is a mount. Mounts are sorted, so that a folder comes before
 * its contents, and mounts without effect are left out.
 *
 * The options are in a memory file: on the command line, every user could read the variables of the
 * step; in the environment, they would affect bwrap itself. bwrap writes the exit code of the
 * program that it has started to the status pipe. If there is no exit code, the program was not
 * started, and the text on stderr is from bwrap. */
#define _GNU_SOURCE /* environ, pipe2, realpath */

#include "sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc.h"
#include "program_find.h"
#include "tool_run.h"
#include "xalloc.h"

/* Finds out, once, what bubblewrap can do on this machine, by running it. */

static struct {
    pthread_once_t once;
    struct bwrap_means means;
} known = {.once = PTHREAD_ONCE_INIT};

/* Runs bwrap once, as attempts do. Returns whether `true` ran inside. */
static bool probe_bwrap(const char *extra, struct bwrap_means *means)
{
    const char *const words[] = {means->program,
                                 "--unshare-pid",
                                 "--unshare-ipc",
                                 "--unshare-uts",
                                 "--die-with-parent",
                                 "--ro-bind",
                                 "/",
                                 "/",
                                 "--dev",
                                 "/dev",
                                 "--proc",
                                 "/proc",
                                 "--tmpfs",
                                 "/tmp",
                                 extra,
                                 "--",
                                 "true",
                                 NULL};
    struct tool_result result = {0};
    struct err err = {0};
    bool ok = tool_ask(words, environ, BWRAP_PROBE_MS, &result, &err);
    if (!ok)
        (void)snprintf(means->why, sizeof(means->why), "%.199s", err.message);
    tool_result_done(&result);
    return ok;
}

static void look_up_means(void)
{
    struct bwrap_means *means = &known.means;
    const char *const words[] = {means->program, "--version", NULL};
    struct tool_result result = {0};

    means->is_there = program_find_absolute("bwrap", means->program);
    if (!means->is_there) {
        (void)snprintf(means->why, sizeof(means->why), "bwrap is not installed");
        return;
    }
    if (tool_ask(words, environ, BWRAP_PROBE_MS, &result, NULL)) {
        const char *said = str_text(&result.out);
        const char *number = said + strcspn(said, "0123456789");
        (void)snprintf(means->version, sizeof(means->version), "%.*s", (int)strcspn(number, "\n"),
                       number);
    }
    tool_result_done(&result);
    if (!bwrap_filter_works()) {
        (void)snprintf(means->why, sizeof(means->why),
                       "the kernel does not support seccomp filters");
        return;
    }
    means->works = probe_bwrap("--unshare-uts", means);
    means->network = means->works && probe_bwrap("--unshare-net", means);
}

void bwrap_means(struct bwrap_means *out)
{
    (void)pthread_once(&known.once, look_up_means);
    *out = known.means;
}

enum {
    STATUS_BYTES_MAX = 4096,
    FIRST_FREE_FD = 3,
};

/* Capabilities that root keeps inside the sandbox: the capabilities of a container's root, except
 * for making device nodes. */
static const char *const root_keeps[] = {
    "CAP_CHOWN",  "CAP_DAC_OVERRIDE", "CAP_FOWNER",  "CAP_FSETID",           "CAP_KILL",
    "CAP_SETGID", "CAP_SETUID",       "CAP_SETPCAP", "CAP_NET_BIND_SERVICE",
};

static void add_bind(struct arg_list *argv, const char *how, const char *path)
{
    arg_list_add(argv, how);
    arg_list_add(argv, path);
    arg_list_add(argv, path);
}

static void add_pair(struct arg_list *argv, const char *option, const char *value)
{
    arg_list_add(argv, option);
    arg_list_add(argv, value);
}

static void add_namespaces(struct arg_list *argv, const struct sandbox_spec *spec)
{
    struct bwrap_means means;
    bwrap_means(&means);
    arg_list_add(argv, "--unshare-pid");
    arg_list_add(argv, "--unshare-ipc");
    arg_list_add(argv, "--unshare-uts");
    arg_list_add(argv, "--die-with-parent");
    if (spec->network != SANDBOX_NETWORK_ON && means.network)
        arg_list_add(argv, "--unshare-net");
    if (geteuid() != 0)
        return;
    add_pair(argv, "--cap-drop", "ALL");
    for (size_t i = 0; i < ARRAY_LEN(root_keeps); i++)
        add_pair(argv, "--cap-add", root_keeps[i]);
}

/* Mounts an empty folder over a folder, or /dev/null over a file. */
static void add_mask(struct arg_list *argv, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return;
    if (!S_ISDIR(info.st_mode)) {
        arg_list_add(argv, "--ro-bind");
        add_pair(argv, "/dev/null", path);
        return;
    }
    add_pair(argv, "--tmpfs", path);
}

/* Adds the kernel's own folders. Only files about the sandbox's own processes are writable:
 * otherwise, root inside the sandbox could set kernel.core_pattern and run a program outside it. */
static void add_kernel_folders(struct arg_list *argv)
{
    const struct arg_list *read_only;
    const struct arg_list *hidden;
    add_pair(argv, "--dev", "/dev");
    add_pair(argv, "--proc", "/proc");
    add_bind(argv, "--ro-bind-try", "/sys"); /* contains the control groups, and so the limits */
    bwrap_kernel_paths(&read_only, &hidden);
    for (size_t i = 0; i < read_only->count; i++)
        add_bind(argv, "--ro-bind", read_only->items[i]);
    for (size_t i = 0; i < hidden->count; i++)
        add_mask(argv, hidden->items[i]);
}

/* How the sandbox shows a path. If a path has several kinds, the last one in this list applies. */
enum mount_kind {
    MOUNT_PIN,       /* writable like its parent folder, but cannot be renamed or removed */
    MOUNT_EMPTY,     /* a private, empty folder that is writable; discarded with the sandbox */
    MOUNT_SHOWN,     /* read-only, if an empty folder would hide it */
    MOUNT_SOCKET,    /* hidden, unless it is in a writable folder */
    MOUNT_HIDDEN,    /* looks empty */
    MOUNT_PROTECTED, /* read-only within a writable folder */
    MOUNT_WRITABLE,
    MOUNT_SEALED, /* looks empty, and cannot be written */
};

struct mount {
    enum mount_kind kind;
    const char *path; /* borrowed; absolute, without symlinks */
};

struct mounts {
    struct mount *items; /* owned */
    size_t count, cap;
    bool root_is_writable;
};

static void add_mount(struct mounts *mounts, enum mount_kind kind, const char *path)
{
    mounts->items = xgrow(mounts->items, &mounts->cap, mounts->count + 1, sizeof(*mounts->items));
    mounts->items[mounts->count++] = (struct mount){.kind = kind, .path = path};
}

static void add_mount_list(struct mounts *mounts, enum mount_kind kind, const struct arg_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        add_mount(mounts, kind, list->items[i]);
}

/* Sorts folders before their contents; for the same path, the strongest kind first. */
static int compare_mounts(const void *a, const void *b)
{
    const struct mount *one = a;
    const struct mount *other = b;
    const int order = strcmp(one->path, other->path);
    return order != 0 ? order : (int)other->kind - (int)one->kind;
}

/* Returns whether the folder contains a mount that must not be moved with the folder. */
static bool holds_kept_mount(const struct mounts *all, const char *path)
{
    for (size_t i = 0; i < all->count; i++) {
        const enum mount_kind kind = all->items[i].kind;
        if ((kind == MOUNT_PROTECTED || kind == MOUNT_HIDDEN || kind == MOUNT_SEALED) &&
            sandbox_path_is_below(all->items[i].path, path))
            return true;
    }
    return false;
}

static bool is_mount_needed(const struct mounts *all, const struct mounts *made,
                            const struct mount *mount)
{
    /* The innermost mount made so far that contains the path; NULL if only the root does. */
    const struct mount *around = NULL;
    for (size_t i = 0; i < made->count; i++) {
        const struct mount *one = &made->items[i];
        if (one->kind != MOUNT_PIN && sandbox_path_is_below(mount->path, one->path))
            around = one; /* sorted, so a later one is deeper */
    }
    const bool is_writable = around ? around->kind == MOUNT_WRITABLE : made->root_is_writable;
    const bool is_hidden = around && (around->kind == MOUNT_EMPTY || around->kind == MOUNT_HIDDEN ||
                                      around->kind == MOUNT_SEALED);
    switch (mount->kind) {
    case MOUNT_PIN:
    case MOUNT_PROTECTED:
        return is_writable;
    case MOUNT_SHOWN:
        return around && around->kind == MOUNT_EMPTY;
    case MOUNT_SOCKET:
        return !is_hidden && !(around && is_writable);
    case MOUNT_HIDDEN:
    case MOUNT_SEALED:
        return !is_hidden;
    case MOUNT_WRITABLE: /* otherwise a concurrent step could put a link there before bwrap mounts
                            it */
        return !around || !is_writable || holds_kept_mount(all, mount->path);
    case MOUNT_EMPTY:
        return true;
    }
    return true;
}

static void write_mounts(struct arg_list *argv, struct mounts *mounts)
{
    struct mounts made = {.root_is_writable = mounts->root_is_writable};
    const char *decided = "/";
    if (mounts->count > 0)
        qsort(mounts->items, mounts->count, sizeof(*mounts->items), compare_mounts);
    for (size_t i = 0; i < mounts->count; i++) {
        const struct mount *mount = &mounts->items[i];
        if (strcmp(mount->path, decided) == 0)
            continue;
        const bool is_needed = is_mount_needed(mounts, &made, mount);
        if (is_needed || mount->kind == MOUNT_WRITABLE)
            decided = mount->path;
        if (!is_needed)
            continue;
        switch (mount->kind) {
        case MOUNT_PIN:
        case MOUNT_WRITABLE:
            add_bind(argv, "--bind", mount->path);
            break;
        case MOUNT_SHOWN:
        case MOUNT_PROTECTED:
            add_bind(argv, "--ro-bind", mount->path);
            break;
        case MOUNT_EMPTY:
            add_pair(argv, "--tmpfs", mount->path);
            break;
        case MOUNT_SOCKET:
        case MOUNT_HIDDEN:
        case MOUNT_SEALED:
            add_mask(argv, mount->path);
            break;
        }
        add_mount(&made, mount->kind, mount->path);
    }
    /* Make sealed folders read-only, so that writes fail instead of being lost with the sandbox.
     * This comes last, because other mounts have to be made inside these folders first. */
    for (size_t i = 0; i < made.count; i++) {
        struct stat info;
        const struct mount *mount = &made.items[i];
        if (mount->kind == MOUNT_SEALED && stat(mount->path, &info) == 0 && S_ISDIR(info.st_mode))
            add_pair(argv, "--remount-ro", mount->path);
    }
    free(made.items);
}

/* Rejects `writable` paths in a log of devs. A task's own tree, which is next to its log, may be
 * writable. */
static bool check_writable(const struct sandbox_call *call, const struct arg_list *areas,
                           const struct arg_list *sealed, struct err *err)
{
    for (size_t i = 0; i < areas->count; i++) {
        const char *area = areas->items[i];
        const bool is_own =
            strcmp(area, call->workspace) == 0 || sandbox_path_is_below(area, call->workspace);
        for (size_t j = 0; !is_own && j < sealed->count; j++) {
            if (strcmp(area, sealed->items[j]) == 0 ||
                sandbox_path_is_below(area, sealed->items[j]))
                return err_set(err, ERR_INVALID, "sandbox: writable '%s' is a devs log", area);
        }
    }
    return true;
}

static bool add_mounts(struct sandbox *sandbox, struct err *err)
{
    const struct sandbox_call *call = &sandbox->call;
    struct arg_list *argv = &sandbox->options;
    struct arg_list areas = {0};
    struct arg_list pins = {0};
    struct bwrap_paths paths = {.sealed = {0}};
    struct sandbox_protected found = {.paths = {0}};
    struct mounts mounts = {.items = NULL};

    bool ok =
        sandbox_areas_find(call, &areas, err) && sandbox_protected_find(call, &areas, &found, err);
    if (ok) {
        bwrap_paths_find(call, &areas, &paths);
        ok = check_writable(call, &areas, &paths.sealed, err);
    }
    if (ok) {
        mounts.root_is_writable = arg_list_has(&areas, "/");
        for (size_t i = 0; i < paths.sealed.count; i++)
            sandbox_add_pins(&areas, paths.sealed.items[i], &pins);
        for (size_t i = 0; i < paths.hidden.count; i++)
            sandbox_add_pins(&areas, paths.hidden.items[i], &pins);
        add_mount_list(&mounts, MOUNT_PIN, &pins);
        add_mount_list(&mounts, MOUNT_PIN, &found.pins);
        add_mount_list(&mounts, MOUNT_EMPTY, &paths.empty);
        add_mount_list(&mounts, MOUNT_SHOWN, &paths.shown);
        add_mount_list(&mounts, MOUNT_SOCKET, &paths.sockets);
        add_mount_list(&mounts, MOUNT_HIDDEN, &paths.hidden);
        add_mount_list(&mounts, MOUNT_PROTECTED, &found.paths);
        add_mount_list(&mounts, MOUNT_WRITABLE, &areas);
        add_mount_list(&mounts, MOUNT_SEALED, &paths.sealed);
        add_bind(argv, mounts.root_is_writable ? "--bind" : "--ro-bind", "/");
        add_kernel_folders(argv);
        write_mounts(argv, &mounts);
        add_pair(argv, "--chdir", call->cwd);
        arg_list_add_all(&sandbox->unwanted, found.unwanted.items);
    }
    free(mounts.items);
    arg_list_done(&areas);
    arg_list_done(&pins);
    bwrap_paths_done(&paths);
    sandbox_protected_done(&found);
    return ok;
}

static bool open_status(struct sandbox *sandbox, struct err *err)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
        return err_set_errno(err, errno, "pipe");
    for (int i = 0; i < 2; i++) {
        sandbox->status_fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
        (void)close(fds[i]);
    }
    if (sandbox->status_fds[0] < 0 || sandbox->status_fds[1] < 0)
        return err_set_errno(err, errno, "pipe");
    sandbox->limits.keep[0] = sandbox->status_fds[1];
    return true;
}

/* Makes a memory file with these bytes, positioned at its start. Returns -1 with errno on
 * failure. */
static int open_memory(const struct str *bytes)
{
    const int made = memfd_create("devs-bwrap", MFD_CLOEXEC);
    const int fd = made >= 0 ? fcntl(made, F_DUPFD_CLOEXEC, FIRST_FREE_FD) : -1;
    if (made >= 0)
        (void)close(made);
    size_t done = 0;
    while (fd >= 0 && done < bytes->len) {
        const ssize_t wrote = write(fd, bytes->data + done, bytes->len - done);
        if (wrote < 0 && errno != EINTR)
            break;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    if (fd < 0 || (done == bytes->len && lseek(fd, 0, SEEK_SET) == 0))
        return fd;
    const int number = errno;
    (void)close(fd);
    errno = number;
    return -1;
}

/* Opens the memory file for --args. It keeps the step's variables out of bwrap's environment, where
 * LD_PRELOAD would take effect outside the sandbox, and off its command line, where every user
 * could read them. */
static bool open_options(struct sandbox *sandbox, struct err *err)
{
    struct str text = {0};
    for (size_t i = 0; i < sandbox->options.count; i++)
        str_add_n(&text, sandbox->options.items[i], strlen(sandbox->options.items[i]) + 1);
    sandbox->options_fd = open_memory(&text);
    const int number = errno;
    str_done(&text);
    sandbox->limits.keep[1] = sandbox->options_fd;
    return sandbox->options_fd >= 0 || err_set_errno(err, number, "memfd_create");
}

static bool add_filter(struct sandbox *sandbox, struct err *err)
{
    struct str program = {0};
    bwrap_filter_write(sandbox->call.spec->network == SANDBOX_NETWORK_ON, &program);
    sandbox->filter_fd = open_memory(&program);
    const int number = errno;
    str_done(&program);
    if (sandbox->filter_fd < 0)
        return err_set_errno(err, number, "memfd_create");
    sandbox->limits.keep[2] = sandbox->filter_fd;
    arg_list_add(&sandbox->options, "--seccomp");
    arg_list_addf(&sandbox->options, "%d", sandbox->filter_fd);
    return true;
}

bool bwrap_prepare(struct sandbox *sandbox, int *start_code, struct err *err)
{
    const struct sandbox_call *call = &sandbox->call;
    struct arg_list *options = &sandbox->options;
    struct bwrap_means means;

    if (!open_status(sandbox, err)) {
        *start_code = EMFILE;
        return false;
    }
    /* bwrap itself has an empty environment, and sets these variables for the program that it
     * starts. */
    for (char *const *variable = call->environment; *variable; variable++) {
        const char *entry = *variable;
        const size_t len = strcspn(entry, "=");
        if (len == 0 || entry[len] != '=')
            continue;
        arg_list_add(options, "--setenv");
        arg_list_addf(options, "%.*s", (int)len, entry);
        arg_list_add(options, entry + len + 1);
    }
    add_namespaces(options, call->spec);
    if (!add_mounts(sandbox, err)) {
        *start_code = START_SANDBOX_FAILED;
        return false;
    }
    arg_list_add(options, "--json-status-fd");
    arg_list_addf(options, "%d", sandbox->status_fds[1]);
    const bool has_filter = add_filter(sandbox, err);
    arg_list_add_all(options, call->spec->args);
    if (!has_filter || !open_options(sandbox, err)) {
        *start_code = EMFILE;
        return false;
    }
    bwrap_means(&means);
    arg_list_add(&sandbox->argv, means.program);
    arg_list_add(&sandbox->argv, "--args");
    arg_list_addf(&sandbox->argv, "%d", sandbox->options_fd);
    arg_list_add(&sandbox->argv, "--");
    arg_list_add_all(&sandbox->argv, call->argv);
    return true;
}

struct telling {
    pid_t
        keeper; /* bwrap itself, the session leader; its child is the init process of the sandbox */
    int signal_number;
};

static bool signal_member(void *ctx, const struct proc_facts *facts)
{
    const struct telling *telling = ctx;
    bool keeps = facts->pid == telling->keeper || facts->parent == telling->keeper;
    if (facts->session == telling->keeper && !keeps)
        (void)kill(facts->pid, telling->signal_number);
    return true;
}

void bwrap_signal(struct sandbox *sandbox, int signal_number)
{
    struct telling telling = {.keeper = sandbox->pid, .signal_number = signal_number};
    if (sandbox->pid > 0)
        proc_each(signal_member, &telling);
}

/* Returns whether bwrap failed to hide a path, such as a socket, that no longer exists: it was
 * there when the mounts were listed, but has been removed since, perhaps with its folder. The next
 * attempt lists the mounts again. */
static bool is_gone_meanwhile(const char *line)
{
    static const char *const before_path[] = {"bwrap: Can't create file at ",
                                              "bwrap: Can't mkdir parents for ", " on /newroot"};
    const char *found = NULL;
    char path[ERR_MESSAGE_MAX];
    struct stat info;
    for (size_t i = 0; i < ARRAY_LEN(before_path) && !found; i++) {
        const char *at = strstr(line, before_path[i]);
        found = at ? at + strlen(before_path[i]) : NULL;
    }
    if (!found)
        return false;
    /* The reason that follows the path varies: its folder may be read-only, or removed as well. */
    (void)snprintf(path, sizeof(path), "%s", found);
    char *reason = strstr(path, ": ");
    if (!reason)
        return false;
    *reason = '\0';
    return lstat(path, &info) != 0 && errno == ENOENT;
}

/* bwrap reports an exit code for every program that it started, and never otherwise. So if there is
 * an exit code, the text on stderr is from the program, whatever it looks like. If there is none,
 * the text can only be from bwrap. */
void bwrap_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end)
{
    static const char key[] = "\"exit-code\":";
    char status[STATUS_BYTES_MAX];
    char line[ERR_MESSAGE_MAX];
    size_t len = 0;

    while (len < sizeof(status) - 1) {
        ssize_t got = read(sandbox->status_fds[0], status + len, sizeof(status) - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    status[len] = '\0';
    const char *at = strstr(status, key);
    const int code = at ? (int)strtol(at + strlen(key), NULL, 10) : -1;

    if (end->outcome.kind != OUTCOME_EXIT)
        return;
    if (code >= 0) {
        end->outcome.code = code;
        return;
    }
    sandbox_last_line(err_tail, line, sizeof(line));
    bool says_why = strncmp(line, "bwrap: ", 7) == 0;
    if (says_why && strstr(line, ": execvp ")) {
        bool forbidden = strstr(line, "ermission denied") != NULL;
        sandbox_was_not_started(end, forbidden ? EACCES : ENOENT, line);
        return;
    }
    sandbox_was_not_started(end, is_gone_meanwhile(line) ? START_TIMED_OUT : START_SANDBOX_FAILED,
                            says_why ? line : "bwrap exited without starting the program");
}
