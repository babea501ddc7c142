/* trust.c - records which contents of files the user trusts, outside of every project.
 *
 * A location is the file's folder, with links resolved, and its name. So a link to trusted settings
 * is a different location, which is not trusted. */
#define _GNU_SOURCE /* O_DIRECTORY, realpath */

#include "trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "json.h"
#include "plan.h"
#include "sha256.h"
#include "text_file.h"

enum {
    RECORD_BYTES_MAX = 2 * PATH_MAX + 1024, /* twice PATH_MAX, because JSON may escape the path */
    OTHERS = S_IRWXG | S_IRWXO,
};

/* A record as in its file. */
struct record {
    struct json *root; /* owned */
    const char *path, *hash;
    int64_t at_ms;
};

const char *trust_state_name(enum trust_state state)
{
    static const char *const names[] = {[TRUST_NONE] = "none",
                                        [TRUST_GIVEN] = "given",
                                        [TRUST_CHANGED] = "changed",
                                        [TRUST_GONE] = "gone"};
    return names[state];
}

static void hash_text(const char *text, size_t len, char hex[SHA256_HEX_MAX])
{
    unsigned char hash[SHA256_BYTES];
    sha256_of(text, len, hash);
    sha256_hex(hash, hex);
}

/* Finds the folder that contains "devs": "$XDG_STATE_HOME", or else "~/.local/state". */
static bool find_state_home(char path[PATH_MAX], struct err *err)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int len = -1;
    if (state && state[0] == '/') {
        len = snprintf(path, PATH_MAX, "%s", state);
    } else {
        const struct passwd *user = home && home[0] == '/' ? NULL : getpwuid(geteuid());
        if (user)
            home = user->pw_dir;
        if (!home || home[0] != '/')
            return err_set(err, ERR_INVALID, "no folder for trusted settings: HOME is not set");
        len = snprintf(path, PATH_MAX, "%s/.local/state", home);
    }
    return (len >= 0 && len < PATH_MAX) ||
           err_set(err, ERR_LIMIT, "no folder for trusted settings: its path is too long");
}

bool trust_folder(char path[PATH_MAX], struct err *err)
{
    static const char below[] = "/devs/trust";
    if (!find_state_home(path, err))
        return false;
    const size_t len = strlen(path);
    if (len + sizeof(below) > PATH_MAX)
        return err_set(err, ERR_LIMIT, "no folder for trusted settings: its path is too long");
    memcpy(path + len, below, sizeof(below));
    return true;
}

/* Opens one of our folders below `parent`. Returns -1 and sets errno to EPERM if another user owns
 * it, or its mode has one of the bits `refused`. */
static int open_private(int parent, const char *name, mode_t refused, bool makes)
{
    struct stat info;
    if (makes && mkdirat(parent, name, S_IRWXU) != 0 && errno != EEXIST)
        return -1;
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) == 0 && info.st_uid == geteuid() && (info.st_mode & refused) == 0)
        return fd;
    (void)close(fd);
    errno = EPERM;
    return -1;
}

static void make_parents(const char *path)
{
    char part[PATH_MAX];
    (void)snprintf(part, sizeof(part), "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(part, S_IRWXU); /* if this fails, opening fails, too */
        *slash = '/';
    }
    (void)mkdir(part, S_IRWXU);
}

/* Opens the folder of the records. */
static int open_folder(bool makes, struct err *err)
{
    char home[PATH_MAX];
    if (!find_state_home(home, err))
        return -1;
    if (makes)
        make_parents(home);
    int folder = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    static const struct {
        const char *name;
        mode_t refused;
    } below[] = {{"devs", S_IWGRP | S_IWOTH}, {"trust", OTHERS}};
    for (size_t i = 0; folder >= 0 && i < ARRAY_LEN(below); i++) {
        const int parent = folder;
        folder = open_private(parent, below[i].name, below[i].refused, makes);
        const int why = errno;
        (void)close(parent);
        errno = why;
    }
    if (folder >= 0)
        return folder;
    if (errno == EPERM || errno == ELOOP || errno == ENOTDIR) {
        (void)err_set(err, ERR_INVALID, "'%s/devs/trust' must be a folder that you own, mode 0700",
                      home);
        (void)err_hint(err,
                       "make the folder private: trust is only kept where nobody else can write");
    } else if (errno == ENOENT) {
        (void)err_set(err, ERR_NOT_FOUND, "'%s/devs/trust' does not exist", home);
    } else {
        (void)err_set_errno(err, errno, "cannot open '%s/devs/trust'", home);
    }
    return -1;
}

/* Reads a record. The caller frees out->root. */
static bool read_record(int folder, const char *name, struct record *out)
{
    struct str text = {0};
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    const bool is_ours_alone = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                               info.st_uid == geteuid() && (info.st_mode & OTHERS) == 0 &&
                               info.st_nlink == 1;
    FILE *file = is_ours_alone ? fdopen(fd, "r") : NULL;
    *out = (struct record){0};
    if (!file && fd >= 0)
        (void)close(fd);
    if (!file)
        return false;
    const bool is_read = read_text(file, RECORD_BYTES_MAX, &text, NULL) &&
                         json_parse(str_text(&text), text.len, &out->root, NULL, NULL);
    (void)fclose(file); /* only read */
    str_done(&text);
    if (!is_read)
        return false;
    out->path = json_text(json_get(out->root, "path"), NULL);
    out->hash = json_text(json_get(out->root, "sha256"), NULL);
    out->at_ms = json_i64(json_get(out->root, "at_ms"), 0);
    if (out->path && out->hash)
        return true;
    json_free(out->root);
    out->root = NULL;
    return false;
}

/* Resolves a folder. If it no longer exists, resolves the part that does and keeps the rest
 * unchanged. Sets errno. */
static bool find_folder(const char *folder, char real[PATH_MAX])
{
    char part[PATH_MAX];
    (void)snprintf(part, sizeof(part), "%s", folder);
    while (!realpath(part, real)) {
        char *slash = strrchr(part, '/');
        if ((errno != ENOENT && errno != ENOTDIR) || !slash || part[1] == '\0')
            return false;
        slash[slash == part] = '\0';
    }
    const size_t len = strlen(real), at = strcmp(part, "/") == 0 ? 0 : strlen(part);
    const int more = snprintf(real + (len > 1 ? len : 0), PATH_MAX - len, "%s",
                              folder[at] != '\0' ? folder + at
                              : len > 1          ? ""
                                                 : "/");
    errno = ENAMETOOLONG;
    return more >= 0 && (size_t)more < PATH_MAX - len;
}

/* Finds the location of the file: its folder with links resolved, and its name. So a link in an
 * untrusted project that leads to trusted settings is a different location. */
static bool find_place(const char *path, char out[PATH_MAX], struct err *err)
{
    char folder[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t len = slash ? (size_t)(slash - path) : 0;
    if (!slash || len >= sizeof(folder))
        return err_set(err, ERR_INVALID, "'%s' is not an absolute path", path);
    memcpy(folder, len > 0 ? path : "/", len > 0 ? len : 1);
    folder[len > 0 ? len : 1] = '\0';
    if (!find_folder(folder, real))
        return err_set_errno(err, errno, "cannot find '%s'", folder);
    const int done = snprintf(out, PATH_MAX, "%s%s", strcmp(real, "/") == 0 ? "" : real, slash);
    return (done >= 0 && done < PATH_MAX) ||
           err_set(err, ERR_LIMIT, "the path of '%s' is too long", path);
}

/* Returns the state of a record, given the present text at its location; NULL = no such file. */
static enum trust_state record_state(const struct record *record, const struct str *text)
{
    char hash[SHA256_HEX_MAX];
    if (!text)
        return TRUST_GONE;
    hash_text(str_text(text), text->len, hash);
    return strcmp(record->hash, hash) == 0 ? TRUST_GIVEN : TRUST_CHANGED;
}

enum trust_state trust_find(const char *path, const struct str *text)
{
    char place[PATH_MAX], name[SHA256_HEX_MAX];
    struct record record;
    enum trust_state state = TRUST_NONE;
    const int folder = open_folder(false, NULL);
    if (folder < 0)
        return TRUST_NONE;
    if (find_place(path, place, NULL)) {
        hash_text(place, strlen(place), name);
        if (read_record(folder, name, &record))
            state = record_state(&record, text);
        json_free(record.root);
    }
    (void)close(folder);
    return state;
}

/* Writes the record atomically. */
static bool write_record(int folder, const char *name, const struct str *text, struct err *err)
{
    char temporary[SHA256_HEX_MAX + 16];
    (void)snprintf(temporary, sizeof(temporary), "%s.%ld~", name, (long)getpid());
    (void)unlinkat(folder, temporary, 0); /* left by a devs that was killed */
    const int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          S_IRUSR | S_IWUSR);
    bool ok = fd >= 0 && write_text_fd(fd, text) && fsync(fd) == 0 &&
              renameat(folder, temporary, folder, name) == 0;
    const int why = errno;
    if (fd >= 0)
        (void)close(fd); /* ignored: already synced */
    if (!ok && fd >= 0)
        (void)unlinkat(folder, temporary, 0);
    return ok || err_set_errno(err, why, "cannot record trust");
}

bool trust_record(const char *path, const struct str *text, struct err *err)
{
    char place[PATH_MAX], name[SHA256_HEX_MAX], hash[SHA256_HEX_MAX];
    struct str record = {0};
    if (!find_place(path, place, err))
        return false;
    const int folder = open_folder(true, err);
    if (folder < 0)
        return false;
    hash_text(place, strlen(place), name);
    hash_text(str_text(text), text->len, hash);
    str_add_char(&record, '{');
    str_json_i64(&record, "v", 1);
    str_json_text(&record, "path", place);
    str_json_text(&record, "sha256", hash);
    str_json_i64(&record, "at_ms", clock_now().at_ms);
    str_add(&record, "}\n");
    const bool ok = write_record(folder, name, &record, err);
    str_done(&record);
    (void)close(folder);
    return ok;
}

bool trust_revoke(const char *path, bool *was, struct err *err)
{
    char place[PATH_MAX], name[SHA256_HEX_MAX];
    struct err why = {0};
    *was = false;
    if (!find_place(path, place, err))
        return false;
    const int folder = open_folder(false, &why);
    if (folder < 0)
        return why.code == ERR_NOT_FOUND || err_set(err, why.code, "%s", why.message);
    hash_text(place, strlen(place), name);
    *was = unlinkat(folder, name, 0) == 0;
    const int number = errno;
    (void)close(folder);
    return *was || number == ENOENT || err_set_errno(err, number, "cannot revoke trust");
}

bool trust_each(trust_entry_fn *found, void *ctx, struct err *err)
{
    struct err why = {0};
    const int fd = open_folder(false, &why);
    if (fd < 0)
        return why.code == ERR_NOT_FOUND || err_set(err, why.code, "%s", why.message);
    DIR *folder = fdopendir(fd);
    if (!folder) {
        (void)close(fd);
        return err_set_errno(err, errno, "cannot list trusted settings");
    }
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        struct record record;
        if (strlen(entry->d_name) != SHA256_HEX_MAX - 1 || !read_record(fd, entry->d_name, &record))
            continue;
        struct str text = {0};
        struct err unread = {0};
        const bool is_there = read_text_file(record.path, PLAN_BYTES_MAX, &text, &unread);
        const enum trust_state state = is_there || unread.code == ERR_NOT_FOUND
                                           ? record_state(&record, is_there ? &text : NULL)
                                           : TRUST_CHANGED;
        const struct trust_entry known = {
            .path = record.path, .state = state, .at_ms = record.at_ms};
        found(ctx, &known);
        str_done(&text);
        json_free(record.root);
    }
    (void)closedir(folder);
    return true;
}
