/* git.c - runs git in the private repository, and moves new objects into the user's repository. */
#define _GNU_SOURCE /* O_NOFOLLOW */

#include "git.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "content_store.h"
#include "foreign_file.h"
#include "place.h"
#include "sha256.h"
#include "tree_folder.h"
#include "xalloc.h"

enum {
    LOCK_PAUSE_NS = 2 * 1000 * 1000,
    REF_LOCK_MS = 10 * 1000, /* how long to wait for another git process that has locked a branch */
    RESOLVE_MS = 30 * 1000,  /* time limit for resolving a name */
    REF_LINKS_MAX = 8,       /* longest chain of symbolic refs; git follows 5 */
    OBJECT_NAME_MAX = 128,
    FANOUT_DIGITS = 2,   /* hex digits in the name of an object folder: "objects/ab/cdef..." */
    LOCK_NAME_BYTES = 1, /* bytes of the hash in the name of a repository's lock file; at most 256
                            files, so two repositories may share a lock */
};

bool git_run(const struct git *git, const struct git_call *call, struct tool_result *out,
             struct err *err)
{
    struct arg_list words = {0};
    struct arg_list environment = {0};
    arg_list_add(&words, "git");
    for (const char *const *word = call->words; *word; word++)
        arg_list_add(&words, *word);
    /* The fixed variables, and paths that can only be set by variables. */
    arg_list_add_all(&environment, git->environment.items);
    if (git->own) {
        arg_list_addf(&environment, "GIT_DIR=%s", git->own);
        arg_list_addf(&environment, "GIT_WORK_TREE=%s", call->tree ? call->tree : git->places->top);
    }
    if (call->entry)
        arg_list_add(&environment, call->entry);
    if (call->index)
        arg_list_addf(&environment, "GIT_INDEX_FILE=%s", call->index);
    if (call->objects) {
        arg_list_addf(&environment, "GIT_OBJECT_DIRECTORY=%s", call->objects);
        struct str quoted = {0}; /* colons separate paths, so quote the path */
        for (const char *at = git->own; *at; at++) {
            if (*at == '"' || *at == '\\')
                str_add_char(&quoted, '\\');
            str_add_char(&quoted, *at);
        }
        arg_list_addf(&environment, "GIT_ALTERNATE_OBJECT_DIRECTORIES=\"%s/objects\"",
                      str_text(&quoted));
        str_done(&quoted);
    }
    const struct tool_call tool = {
        .argv = words.items,
        .environment = environment.items,
        .cwd = call->tree ? call->tree : git->places->top,
        .input = call->input,
        .input_len = call->input_len,
        .timeout_ms = call->timeout_ms,
        .out_max = call->out_max,
        .ends_when_full = call->out_max > 0,
        .stop = call->stop,
    };
    const bool ok = tool_run(&tool, out, NULL, err);
    arg_list_done(&words);
    arg_list_done(&environment);
    return ok;
}

bool git_ask(const struct git *git, const struct git_call *call, struct str *out, struct err *err)
{
    struct tool_result result = {0};
    struct str name = {0};
    bool ok = git_run(git, call, &result, err);
    if (ok) {
        /* The name of the command for messages, such as "git merge-tree". */
        const char *const *word = call->words;
        str_add(&name, "git");
        while (*word && (*word)[0] == '-')
            word += strcmp(*word, "-c") == 0 && word[1] ? 2 : 1;
        if (*word)
            str_addf(&name, " %s", *word);
        ok = tool_succeeded(&result, name.data, err);
    }
    if (ok && out)
        str_add_n(out, str_text(&result.out), result.out.len);
    tool_result_done(&result);
    str_done(&name);
    return ok;
}

bool git_ask_line(const struct git *git, const struct git_call *call, char *out, size_t cap,
                  struct err *err)
{
    struct str text = {0};
    bool ok = git_ask(git, call, &text, err);
    const size_t len = strcspn(str_text(&text), "\n");
    if (ok && len >= cap)
        ok = err_set(err, ERR_LIMIT, "git printed a line longer than %zu bytes", cap - 1);
    if (ok) {
        memcpy(out, str_text(&text), len);
        out[len] = '\0';
    }
    str_done(&text);
    return ok;
}

bool git_ref_is_readable(const struct git_places *places, const char *name)
{
    static const char prefix[] = "ref:";
    char path[PATH_MAX];
    char real[PATH_MAX];
    struct stat info;
    struct str text = {0};
    struct str at = {0};
    bool ok = true;
    str_add_n(&at, name, strcspn(name, "^:"));
    for (int i = 0; ok && i < REF_LINKS_MAX; i++) {
        const bool is_path = strncmp(str_text(&at), "refs/", 5) == 0;
        const int len = snprintf(path, sizeof(path), "%s/%s", places->common, str_text(&at));
        if (!is_path || len < 0 || len >= PATH_MAX || stat(path, &info) != 0)
            break;
        ok = S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
        if (!ok || !realpath(path, real) || !foreign_file_read(real, GIT_FILE_MAX, &text) ||
            strncmp(text.data, prefix, strlen(prefix)) != 0)
            break;
        const char *next = text.data + strlen(prefix);
        next += strspn(next, " \t\r\n");
        str_clear(&at);
        str_add_n(&at, next, strcspn(next, " \t\r\n"));
    }
    str_done(&text);
    str_done(&at);
    return ok;
}

bool git_resolve(const struct git *git, const char *name, char out[GIT_COMMIT_MAX])
{
    if (strncmp(name, "refs/", 5) == 0 && !git_ref_is_readable(git->places, name))
        return false;
    const char *const words[] = {"rev-parse",        "--verify", "--quiet",
                                 "--end-of-options", name,       NULL};
    const struct git_call call = {.words = words, .timeout_ms = RESOLVE_MS};
    return git_ask_line(git, &call, out, GIT_COMMIT_MAX, NULL);
}

bool git_resolve_head(const struct git *git, const char *path, char out[GIT_COMMIT_MAX])
{
    struct str name = {0};
    bool ok = foreign_file_read(path, GIT_FILE_MAX, &name);
    if (ok) {
        str_cut(&name, strcspn(name.data, "\r\n"));
        const bool is_ref = strncmp(name.data, "ref: refs/", 10) == 0;
        struct str commit = {0};
        str_addf(&commit, "%s^{commit}", name.data + (is_ref ? 5 : 0));
        ok =
            (is_ref || isxdigit((unsigned char)name.data[0])) && git_resolve(git, commit.data, out);
        str_done(&commit);
    }
    str_done(&name);
    return ok;
}

char **git_paths(struct str *list, size_t *count_out)
{
    size_t count = 0;
    size_t cap = 0;
    char **paths = NULL;
    for (size_t at = 0; at < list->len && count < GIT_PATHS_MAX;) {
        char *path = list->data + at;
        size_t len = strlen(path);
        at += len + 1;
        while (len > 0 && path[len - 1] == '/')
            path[--len] = '\0';
        paths = xgrow(paths, &cap, count + 2, sizeof(*paths));
        paths[count++] = path;
    }
    if (!paths)
        paths = xcalloc(1, sizeof(*paths));
    paths[count] = NULL;
    if (count_out)
        *count_out = count;
    return paths;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

/* Opens the folder of a branch's ref below "refs/heads" and creates missing folders. Returns -1
 * with errno on failure. */
static int open_ref_folder(const struct git *git, const char *branch, const char **name_out)
{
    static const char *const above[] = {"refs", "heads"};
    char part[NAME_MAX + 1];
    int fd = tree_folder_open(AT_FDCWD, git->places->common);
    for (size_t i = 0; fd >= 0 && i < ARRAY_LEN(above); i++) {
        const int next = tree_folder_open(fd, above[i]);
        const int number = errno;
        close_fd(fd);
        errno = number;
        fd = next;
    }
    for (const char *slash = strchr(branch, '/'); fd >= 0 && slash; slash = strchr(branch, '/')) {
        (void)snprintf(part, sizeof(part), "%.*s", (int)(slash - branch), branch);
        const bool is_there = mkdirat(fd, part, 0777) == 0 || errno == EEXIST;
        const int next = is_there ? tree_folder_open(fd, part) : -1;
        const int number = errno;
        close_fd(fd);
        errno = number;
        fd = next;
        branch = slash + 1;
    }
    *name_out = branch;
    return fd;
}

/* Creates "NAME.lock", as git does. Returns -1 with an error on failure. */
static int lock_ref(int folder, const char *lock, const char *branch, struct err *err)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    const int64_t until_ms = clock_now().mono_ms + REF_LOCK_MS;
    for (;;) {
        const int fd =
            openat(folder, lock, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST || clock_now().mono_ms >= until_ms) {
            (void)err_set_errno(err, errno, "git: cannot lock 'refs/heads/%s'", branch);
            return -1;
        }
        (void)nanosleep(&pause, NULL); /* if woken early, it retries early */
    }
}

/* Checks that the branch has the expected commit, and that its name does not conflict with other
 * branches. A single git command does both, and also knows packed refs. */
static bool check_branch(const struct git *git, const char *branch, const char *from,
                         struct err *err)
{
    const char *const words[] = {"cat-file", "--batch-check=%(objectname)", NULL};
    struct str names = {0};
    struct str answer = {0};
    str_addf(&names, "refs/heads/%s", branch);
    const bool is_readable = git_ref_is_readable(git->places, names.data);
    if (!is_readable)
        (void)err_set(err, ERR_INVALID, "git: '%s' is not a file", names.data);
    str_add_char(&names, '\n');
    for (const char *slash = strchr(branch, '/'); slash; slash = strchr(slash + 1, '/'))
        str_addf(&names, "refs/heads/%.*s\n", (int)(slash - branch), branch);
    const struct git_call call = {.words = words, .input = names.data, .input_len = names.len};
    bool ok = is_readable && git_ask(git, &call, &answer, err);
    const char *line = str_text(&answer);
    for (int i = 0; ok && *line; i++) {
        const int len = (int)strcspn(line, "\n");
        const bool is_there =
            !memchr(line, ' ', (size_t)len); /* git prints the id, or "NAME missing" */
        const bool is_same = is_there && strncmp(line, from, (size_t)len) == 0 && !from[len];
        if (i > 0 && is_there)
            ok = err_set(err, ERR_INVALID, "the name '%s' conflicts with an existing branch",
                         branch);
        else if (i == 0 && is_there && !is_same)
            ok = err_set(err, ERR_BUSY,
                         *from ? "the branch '%s' has moved to %.12s"
                               : "the branch '%s' exists, at %.12s",
                         branch, line);
        else if (i == 0 && !is_there && *from)
            ok = err_set(err, ERR_NOT_FOUND, "the branch '%s' no longer exists", branch);
        line += len + (line[len] == '\n');
    }
    str_done(&names);
    str_done(&answer);
    return ok;
}

bool git_move_branch(const struct git *git, const char *branch, const char *from,
                     const char *commit, struct err *err)
{
    const char *name;
    const int folder = open_ref_folder(git, branch, &name);
    if (folder < 0)
        return err_set_errno(err, errno, "git: cannot write 'refs/heads/%s'", branch);
    struct str lock = {0};
    str_addf(&lock, "%s.lock", name);
    const int fd = lock_ref(folder, lock.data, branch, err);
    bool ok = fd >= 0;
    if (ok) {
        ok = check_branch(git, branch, from, err);
        (void)unlinkat(folder, name,
                       AT_REMOVEDIR); /* git leaves empty folders when it deletes branches */
        if (ok) {
            char line[GIT_COMMIT_MAX + 1];
            const int len = snprintf(line, sizeof(line), "%s\n", commit);
            errno = EIO; /* the error if the write is short */
            ok = write(fd, line, (size_t)len) == len && fsync(fd) == 0 &&
                 renameat(folder, lock.data, folder, name) == 0;
            if (!ok)
                (void)err_set_errno(err, errno, "git: cannot write 'refs/heads/%s'", branch);
        }
        (void)close(fd); /* the file has been synced */
        if (!ok)
            (void)unlinkat(folder, lock.data, 0);
    }
    (void)close(folder);
    str_done(&lock);
    return ok;
}

/* Moves a file of an object folder. A file with this name in the target is the same object. */
static bool bring_object_file(int from, int to, const char *name, struct err *err)
{
    bool cannot_clone = false;
    int64_t bytes = 0;
    struct stat info;
    const bool is_there = fstatat(to, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                          S_ISREG(info.st_mode) && info.st_size > 0;
    if (is_there || renameat(from, name, to, name) == 0) {
        (void)unlinkat(from, name, 0); /* does nothing if it was moved */
        return true;
    }
    if (errno == ENOENT)
        return true; /* another devs process has just moved it */
    if (errno != EXDEV)
        return err_set_errno(err, errno, "git: cannot store the object '%s'", name);
    char beside[OBJECT_NAME_MAX + 32];
    (void)snprintf(beside, sizeof(beside), "tmp_obj_%ld_%s", (long)getpid(), name);
    (void)unlinkat(to, beside, 0); /* left by a killed process with the same pid */
    const int in = tree_folder_open_file(from, name);
    const int out = openat(to, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
    bool ok = in >= 0 && out >= 0 && content_copy(in, out, &cannot_clone, &bytes, NULL) &&
              fsync(out) == 0 && renameat(to, beside, to, name) == 0;
    if (!ok)
        (void)err_set_errno(err, errno, "git: cannot store the object '%s'", name);
    close_fd(in);
    close_fd(out);
    (void)unlinkat(ok ? from : to, ok ? name : beside, 0);
    return ok;
}

/* Returns whether this is a complete file of git, not one that is still being written. */
static bool is_object_file(const char *name)
{
    return isxdigit((unsigned char)name[0]) || strncmp(name, "pack-", 5) == 0;
}

static bool is_object_folder(const char *name)
{
    const bool is_fanout = strlen(name) == FANOUT_DIGITS && isxdigit((unsigned char)name[0]) &&
                           isxdigit((unsigned char)name[1]);
    return is_fanout || strcmp(name, "pack") == 0;
}

/* Lists the names in a folder for which is_wanted() returns true. The caller frees the array and
 * the names. Fails if the folder cannot be read, because a skipped object would be lost. */
static bool list_object_names(int folder, bool (*is_wanted)(const char *name), char ***names_out,
                              size_t *count_out, struct err *err)
{
    size_t cap = 0;
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    if (!dir) {
        const int number = errno;
        close_fd(again);
        return err_set_errno(err, number, "git: cannot read an object folder");
    }
    errno = 0;
    for (struct dirent *entry = readdir(dir); entry; errno = 0, entry = readdir(dir)) {
        if (!is_wanted(entry->d_name) || strlen(entry->d_name) >= OBJECT_NAME_MAX)
            continue;
        *names_out = xgrow(*names_out, &cap, *count_out + 1, sizeof(**names_out));
        (*names_out)[(*count_out)++] = xstrdup(entry->d_name);
    }
    const int number = errno;
    (void)closedir(dir); /* opened for reading only */
    return number == 0 || err_set_errno(err, number, "git: cannot read an object folder");
}

/* Moves the files of a folder, and a pack's index last, so that git never sees an incomplete
 * pack. */
static bool bring_object_folder(int from_objects, int to_objects, const char *folder,
                                struct err *err)
{
    const int from = tree_folder_open(from_objects, folder);
    const bool is_made = from >= 0 && (mkdirat(to_objects, folder, 0777) == 0 || errno == EEXIST);
    const int to = is_made ? tree_folder_open(to_objects, folder) : -1;
    if (from < 0 || to < 0) {
        (void)err_set_errno(err, errno, "git: cannot open the object folder '%s'", folder);
        close_fd(from);
        close_fd(to);
        return false;
    }
    char **names = NULL;
    size_t count = 0;
    bool ok = list_object_names(from, is_object_file, &names, &count, err);
    for (int last = 0; last < 2; last++) {
        for (size_t i = 0; i < count; i++) {
            const bool is_index = strstr(names[i], ".idx") != NULL;
            if (is_index == (last == 1))
                ok = ok && bring_object_file(from, to, names[i], err);
        }
    }
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    (void)close(from);
    (void)close(to);
    return ok;
}

/* Moves all objects from one object folder to another. */
static bool move_objects(const struct git *git, int from, int to, struct err *err)
{
    bool ok = (from >= 0 && to >= 0) ||
              err_set_errno(err, errno, "git: cannot open the objects of '%s'", git->places->top);
    char **names = NULL;
    size_t count = 0;
    ok = ok && list_object_names(from, is_object_folder, &names, &count, err);
    for (size_t i = 0; i < count; i++) {
        ok = ok && bring_object_folder(from, to, names[i], err);
        free(names[i]);
    }
    free(names);
    return ok;
}

bool git_bring_objects(const struct git *git, struct err *err)
{
    const int own = tree_folder_open(AT_FDCWD, git->own);
    const int common = tree_folder_open(AT_FDCWD, git->places->common);
    const int from = own >= 0 ? tree_folder_open(own, "objects") : -1;
    const int to = common >= 0 ? tree_folder_open(common, "objects") : -1;
    const bool ok = move_objects(git, from, to, err);
    close_fd(own);
    close_fd(common);
    close_fd(from);
    close_fd(to);
    return ok;
}

bool git_take_objects(const struct git *git, const char *folder, struct err *err)
{
    const int own = tree_folder_open(AT_FDCWD, git->own);
    const int from = tree_folder_open(AT_FDCWD, folder);
    const int to = own >= 0 ? tree_folder_open(own, "objects") : -1;
    const bool ok = move_objects(git, from, to, err);
    close_fd(own);
    close_fd(from);
    close_fd(to);
    return ok;
}

/* Opens the lock file of the repository. It is in the state folder, which no sandbox shows: a step
 * could hold a lock on anything that it can open, such as ".git" itself. ".git" is only used if
 * there is no state folder. Returns -1 with errno on failure. */
static int open_lock(const struct git *git)
{
    char folder[PATH_MAX];
    unsigned char hash[SHA256_BYTES];
    struct str path = {0};
    const char *common = git->places->common;
    if (place_state_folder(folder, NULL)) {
        sha256_of(common, strlen(common), hash);
        str_addf(&path, "%s/git-", folder);
        for (int i = 0; i < LOCK_NAME_BYTES; i++)
            str_addf(&path, "%02x", hash[i]);
        str_add(&path, ".lock");
        const int fd =
            open(path.data, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        str_done(&path);
        if (fd >= 0)
            return fd;
    }
    return open(common, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool git_lock(const struct git *git, const atomic_bool *stop, int *fd_out, struct err *err)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    const int64_t until_ms = clock_now().mono_ms + (stop ? GIT_LOCK_MS : GIT_LOCK_ALONE_MS);
    const int fd = open_lock(git);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", git->places->common);
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        const bool stopped = stop && atomic_load(stop);
        if (stopped || (errno != EWOULDBLOCK && errno != EINTR) ||
            clock_now().mono_ms >= until_ms) {
            (void)close(fd); /* nothing was written to it */
            return err_set(err, ERR_BUSY,
                           stopped ? "stopped" : "git: another devs is using the repository");
        }
        (void)nanosleep(&pause, NULL); /* if woken early, it retries early */
    }
    *fd_out = fd;
    return true;
}

void git_unlock(int fd)
{
    if (fd >= 0)
        (void)close(fd); /* releases the lock */
}
