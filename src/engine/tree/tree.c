/* tree.c - manifests of trees: search, comparison, digest, files, and merging.
 *
 * A manifest file ends with the hash of everything before it, and is read with limits. Trees are
 * merged path by path: each path may be changed on one side only, or identically on both. */
#define _GNU_SOURCE /* S_IFMT */

#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "str.h"
#include "tree_folder.h"
#include "xalloc.h"

enum { SECOND_NS = 1000 * 1000 * 1000 };

void tree_add(struct tree *tree, const struct tree_entry *entry)
{
    tree->entries = xgrow(tree->entries, &tree->cap, tree->count + 1, sizeof(*tree->entries));
    tree->entries[tree->count++] = *entry;
    if (S_ISREG(entry->mode)) {
        tree->files++;
        tree->bytes += entry->size;
    }
}

void tree_done(struct tree *tree)
{
    if (!tree)
        return;
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->entries[i].path);
        free(tree->entries[i].target);
    }
    free(tree->entries);
    *tree = (struct tree){0};
}

/* Returns the sort rank of a byte in a path: first the end of the path, then the end of a
 * name, then other bytes. */
static int rank_of_byte(char c)
{
    if (c == '\0')
        return 0;
    return c == '/' ? 1 : 2 + (unsigned char)c;
}

int tree_path_compare(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return rank_of_byte(*a) - rank_of_byte(*b);
}

static int compare_with_entry(const void *key, const void *entry)
{
    return tree_path_compare(key, ((const struct tree_entry *)entry)->path);
}

struct tree_entry *tree_find(const struct tree *tree, const char *path)
{
    if (tree->count == 0)
        return NULL;
    return bsearch(path, tree->entries, tree->count, sizeof(*tree->entries), compare_with_entry);
}

/* Returns whether the path is the folder or below it. `folder` may come from a user and end with
 * slashes. */
static bool is_under(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    while (len > 0 && folder[len - 1] == '/')
        len--;
    return len > 0 && strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

bool tree_path_is_under(const char *path, const char *const *list)
{
    for (; list && *list; list++) {
        if (is_under(path, *list))
            return true;
    }
    return false;
}

bool tree_path_holds(const char *path, const char *const *list)
{
    const size_t len = strlen(path);
    for (; list && *list; list++) {
        if (len == 0 || (strncmp(*list, path, len) == 0 && (*list)[len] == '/'))
            return true;
    }
    return false;
}

bool tree_path_is_sound(const char *path)
{
    if (path[0] == '\0')
        return true;
    for (;;) {
        const size_t len = strcspn(path, "/");
        const bool is_dots =
            (len == 1 && path[0] == '.') || (len == 2 && memcmp(path, "..", 2) == 0);
        if (len == 0 || is_dots)
            return false;
        if (path[len] == '\0')
            return true;
        path += len + 1;
    }
}

bool tree_entry_is_known(const struct tree_entry *now, const struct tree_entry *known)
{
    if (known->read_ns == 0 || now->mode != known->mode || now->size != known->size)
        return false;
    if (now->mtime_ns != known->mtime_ns || now->ctime_ns != known->ctime_ns ||
        now->inode != known->inode)
        return false;
    /* A time that is a whole number of seconds may come from a file system with a resolution of two
     * seconds (FAT). */
    const int64_t settling_ns =
        known->ctime_ns % SECOND_NS == 0 ? 2 * (int64_t)SECOND_NS : TREE_SETTLED_NS;
    return known->ctime_ns + settling_ns < known->read_ns;
}

bool tree_entry_same_content(const struct tree_entry *a, const struct tree_entry *b)
{
    if ((a->mode & S_IFMT) != (b->mode & S_IFMT))
        return false;
    if (S_ISREG(a->mode))
        return a->size == b->size && memcmp(a->hash, b->hash, sizeof(a->hash)) == 0;
    const bool is_same_target =
        a->target && b->target ? strcmp(a->target, b->target) == 0 : a->target == b->target;
    return a->device == b->device && is_same_target;
}

bool tree_entry_same_mode(const struct tree_entry *a, const struct tree_entry *b)
{
    return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid;
}

static bool is_in_git_folder(const char *path)
{
    for (;;) {
        const size_t len = strcspn(path, "/");
        if (len == 4 && memcmp(path, ".git", 4) == 0)
            return true;
        if (path[len] == '\0')
            return false;
        path += len + 1;
    }
}

struct digest tree_digest(const struct tree *tree, const char *const *ignored)
{
    unsigned char bytes[SHA256_BYTES];
    struct sha256 *sha256;
    sha256_open(&sha256);
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];
        /* Both lists have the same order, so ignored paths before this entry are not needed
         * again. */
        while (ignored && *ignored && !is_under(entry->path, *ignored) &&
               tree_path_compare(*ignored, entry->path) < 0)
            ignored++;
        const bool is_ignored = ignored && *ignored && is_under(entry->path, *ignored);
        if (S_ISDIR(entry->mode) || is_ignored || is_in_git_folder(entry->path))
            continue;
        const uint32_t mode = entry->mode;
        const unsigned char head[] = {
            (unsigned char)(mode >> 24),
            (unsigned char)(mode >> 16),
            (unsigned char)(mode >> 8),
            (unsigned char)mode,
        };
        sha256_add(sha256, head, sizeof(head));
        sha256_add(sha256, entry->path, strlen(entry->path) + 1);
        if (S_ISREG(mode))
            sha256_add(sha256, entry->hash, sizeof(entry->hash));
        if (entry->target)
            sha256_add(sha256, entry->target, strlen(entry->target) + 1);
    }
    sha256_finish(sha256, bytes);
    return digest_from_bytes(bytes);
}

/* Manifests in files: written atomically, read with limits. */

/* A file has the magic, the number of entries, the entries, and the SHA-256 of all of these.
 * Numbers are 8 bytes, little-endian; a string is its length followed by its bytes. */
static const char magic[] = "devs tree 1\n";

enum {
    MAGIC_LEN = sizeof(magic) - 1,
    NUMBERS = 10,    /* numbers per entry */
    FLAG_STORED = 1, /* bit in an entry's flags */
    FLAG_TARGET = 2,
    ENTRY_BYTES_MIN = (NUMBERS + 1) * 8 + SHA256_BYTES,
};

static void put_number(struct str *out, uint64_t value)
{
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(value >> (8 * i) & 0xff);
    str_add_n(out, bytes, sizeof(bytes));
}

static void put_text(struct str *out, const char *text)
{
    const size_t len = strlen(text);
    put_number(out, len);
    str_add_n(out, text, len);
}

bool tree_write_file(const struct tree *tree, const char *path, struct err *err)
{
    unsigned char hash[SHA256_BYTES];
    struct str text = {0};
    str_add_n(&text, magic, MAGIC_LEN);
    put_number(&text, tree->count);
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];
        const uint64_t flags =
            (entry->is_stored ? FLAG_STORED : 0U) | (entry->target ? FLAG_TARGET : 0U);
        const uint64_t numbers[NUMBERS] = {
            entry->mode,
            (uint64_t)entry->uid << 32 | entry->gid,
            entry->links,
            entry->device,
            entry->inode,
            (uint64_t)entry->size,
            (uint64_t)entry->mtime_ns,
            (uint64_t)entry->ctime_ns,
            (uint64_t)entry->read_ns,
            flags,
        };
        for (int j = 0; j < NUMBERS; j++)
            put_number(&text, numbers[j]);
        str_add_n(&text, (const char *)entry->hash, sizeof(entry->hash));
        put_text(&text, entry->path);
        if (entry->target)
            put_text(&text, entry->target);
    }
    sha256_of(text.data, text.len, hash);
    str_add_n(&text, (const char *)hash, sizeof(hash));
    const bool ok = whole_file_write(path, &text, err);
    str_done(&text);
    return ok;
}

/* The part of a file that is still to be read. */
struct rest {
    const char *at;
    size_t len;
    bool is_short; /* the data ended too early or is invalid */
};

static const char *take_bytes(struct rest *rest, size_t len)
{
    if (rest->is_short || rest->len < len) {
        rest->is_short = true;
        return NULL;
    }
    const char *bytes = rest->at;
    rest->at += len;
    rest->len -= len;
    return bytes;
}

static uint64_t take_number(struct rest *rest)
{
    const char *bytes = take_bytes(rest, 8);
    uint64_t value = 0;
    for (int i = 0; bytes && i < 8; i++)
        value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return value;
}

/* Returns the next string, which the caller frees. Returns NULL if it is longer than `max` or
 * contains a NUL. */
static char *take_text(struct rest *rest, size_t max)
{
    const uint64_t len = take_number(rest);
    const char *bytes = len < max ? take_bytes(rest, (size_t)len) : NULL;
    if (!bytes || memchr(bytes, '\0', (size_t)len)) {
        rest->is_short = true;
        return NULL;
    }
    return xstrndup(bytes, (size_t)len);
}

static bool take_entry(struct rest *rest, struct tree_entry *entry)
{
    uint64_t numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = take_number(rest);
    const char *hash = take_bytes(rest, SHA256_BYTES);
    if (!hash)
        return false;
    *entry = (struct tree_entry){
        .mode = (uint32_t)numbers[0],
        .uid = (uint32_t)(numbers[1] >> 32),
        .gid = (uint32_t)(numbers[1] & UINT32_MAX),
        .links = (uint32_t)numbers[2],
        .device = numbers[3],
        .inode = numbers[4],
        .size = (int64_t)numbers[5],
        .mtime_ns = (int64_t)numbers[6],
        .ctime_ns = (int64_t)numbers[7],
        .read_ns = (int64_t)numbers[8],
        .is_stored = (numbers[9] & FLAG_STORED) != 0,
    };
    memcpy(entry->hash, hash, SHA256_BYTES);
    entry->path = take_text(rest, TREE_PATH_MAX);
    if (numbers[9] & FLAG_TARGET)
        entry->target = take_text(rest, TREE_TARGET_MAX);
    const bool has_target = S_ISLNK(entry->mode) == (entry->target != NULL);
    if (!rest->is_short && has_target && entry->size >= 0 && tree_path_is_sound(entry->path))
        return true;
    free(entry->path);
    free(entry->target);
    return false;
}

static bool parse_manifest(const char *text, size_t len, struct tree *tree)
{
    unsigned char hash[SHA256_BYTES];
    if (len < MAGIC_LEN + 8 + SHA256_BYTES || memcmp(text, magic, MAGIC_LEN) != 0)
        return false;
    const size_t body = len - SHA256_BYTES;
    sha256_of(text, body, hash);
    if (memcmp(hash, text + body, SHA256_BYTES) != 0)
        return false;

    struct rest rest = {.at = text + MAGIC_LEN, .len = body - MAGIC_LEN};
    const uint64_t count = take_number(&rest);
    if (count > TREE_ENTRIES_MAX || count > rest.len / ENTRY_BYTES_MIN)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct tree_entry entry;
        if (!take_entry(&rest, &entry))
            return false;
        tree_add(tree, &entry);
        if (i > 0 && tree_path_compare(tree->entries[i - 1].path, entry.path) >= 0)
            return false;
    }
    return rest.len == 0;
}

/* Reads a whole file, up to the size of the largest valid manifest. */
static bool read_manifest(int fd, const char *path, struct str *out, struct err *err)
{
    static const off_t bytes_max = (off_t)4 * 1024 * 1024 * 1024;
    struct stat info;
    if (fstat(fd, &info) != 0)
        return err_set_errno(err, errno, "cannot read '%s'", path);
    if (!S_ISREG(info.st_mode) || info.st_size > bytes_max)
        return err_set(err, ERR_DAMAGED, "'%s' is not a tree manifest", path);
    char *bytes = xcalloc((size_t)info.st_size + 1, 1);
    size_t done = 0;
    ssize_t got = 1;
    while (got > 0 && done < (size_t)info.st_size) {
        got = read(fd, bytes + done, (size_t)info.st_size - done);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            done += (size_t)got;
    }
    if (got < 0)
        (void)err_set_errno(err, errno, "cannot read '%s'", path);
    else
        str_add_n(out, bytes, done);
    free(bytes);
    return got >= 0;
}

bool tree_read_file(const char *path, struct tree *out, struct err *err)
{
    struct str text = {0};
    struct tree tree = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND, "no file '%s'", path);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    bool ok = read_manifest(fd, path, &text, err);
    (void)close(fd); /* opened for reading only */
    if (ok && !parse_manifest(str_text(&text), text.len, &tree))
        ok = err_set(err, ERR_DAMAGED, "'%s' is not a tree manifest or is damaged", path);
    str_done(&text);
    if (ok)
        *out = tree;
    else
        tree_done(&tree);
    return ok;
}

static bool is_same_entry(const struct tree_entry *a, const struct tree_entry *b)
{
    if (!a || !b)
        return a == b;
    return tree_entry_same_content(a, b) && tree_entry_same_mode(a, b);
}

/* Merges a path that exists in `ours`, `theirs` or both. */
static bool merge_path(const struct tree *base, const struct tree_entry *ours,
                       const struct tree_entry *theirs, struct tree *out, struct err *err)
{
    const char *path = "";
    if (ours || theirs)
        path = ours ? ours->path : theirs->path;
    const struct tree_entry *before = tree_find(base, path);
    const struct tree_entry *chosen = ours;
    if (!is_same_entry(before, theirs) && !is_same_entry(ours, theirs)) {
        if (!is_same_entry(ours, before))
            return err_set(err, ERR_INVALID, "'%s' was changed on both sides", path);
        chosen = theirs;
    }
    if (!chosen)
        return true;
    /* The folder of the path must be in the result; it sorts before the path. */
    const char *slash = strrchr(chosen->path, '/');
    if (slash) {
        char *parent = xstrndup(chosen->path, (size_t)(slash - chosen->path));
        const struct tree_entry *folder = tree_find(out, parent);
        free(parent);
        if (!folder || !S_ISDIR(folder->mode))
            return err_set(err, ERR_INVALID, "'%s' is in a folder that the other side removed",
                           chosen->path);
    }
    struct tree_entry copy = *chosen;
    copy.path = xstrdup(chosen->path);
    copy.target = chosen->target ? xstrdup(chosen->target) : NULL;
    tree_add(out, &copy);
    return true;
}

bool tree_merge(const struct tree *base, const struct tree *ours, const struct tree *theirs,
                struct tree *out, struct err *err)
{
    struct tree tree = {0};
    size_t i = 0;
    size_t j = 0;
    bool ok = true;
    while (ok && (i < ours->count || j < theirs->count)) {
        const struct tree_entry *a = i < ours->count ? &ours->entries[i] : NULL;
        const struct tree_entry *b = j < theirs->count ? &theirs->entries[j] : NULL;
        if (a && b && tree_path_compare(a->path, b->path) != 0) {
            if (tree_path_compare(a->path, b->path) < 0)
                b = NULL;
            else
                a = NULL;
        }
        ok = merge_path(base, a, b, &tree, err);
        i += a != NULL;
        j += b != NULL;
    }
    if (ok)
        *out = tree;
    else
        tree_done(&tree);
    return ok;
}
