/* tree_file.c - a manifest as a file: written as a whole, read with limits. */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "str.h"
#include "whole_file.h"
#include "xalloc.h"

/* A file is: the magic, the number of entries, the entries, SHA-256 of all that. Numbers are 8
 * bytes, the lowest first; a text is its length, then its bytes. */
static const char magic[] = "devs tree 1\n";

enum {
    MAGIC_LEN = sizeof(magic) - 1,
    NUMBERS = 10,    /* of an entry */
    FLAG_STORED = 1, /* bits of its flags */
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

static void put_entry(struct str *out, const struct tree_entry *entry)
{
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
    for (int i = 0; i < NUMBERS; i++)
        put_number(out, numbers[i]);
    str_add_n(out, (const char *)entry->hash, sizeof(entry->hash));
    put_text(out, entry->path);
    if (entry->target)
        put_text(out, entry->target);
}

bool tree_write_file(const struct tree *tree, const char *path, struct err *err)
{
    unsigned char hash[SHA256_BYTES];
    struct str text = {0};
    str_add_n(&text, magic, MAGIC_LEN);
    put_number(&text, tree->count);
    for (size_t i = 0; i < tree->count; i++)
        put_entry(&text, &tree->entries[i]);
    sha256_of(text.data, text.len, hash);
    str_add_n(&text, (const char *)hash, sizeof(hash));
    const bool ok = whole_file_write(path, &text, err);
    str_done(&text);
    return ok;
}

/* What is still to be read. */
struct rest {
    const char *at;
    size_t len;
    bool is_short; /* something was wanted that is not there */
};

static const char *take(struct rest *rest, size_t len)
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
    const char *bytes = take(rest, 8);
    uint64_t value = 0;
    for (int i = 0; bytes && i < 8; i++)
        value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return value;
}

/* NULL if there is none so long, or it holds a NUL. */
static char *take_text(struct rest *rest, size_t max)
{
    const uint64_t len = take_number(rest);
    const char *bytes = len < max ? take(rest, (size_t)len) : NULL;
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
    const char *hash = take(rest, SHA256_BYTES);
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

static bool parse(const char *text, size_t len, struct tree *tree)
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

/* All of it; at most what as many entries as there may be can take. */
static bool read_all(int fd, const char *path, struct str *out, struct err *err)
{
    static const off_t bytes_max = (off_t)4 * 1024 * 1024 * 1024;
    struct stat info;
    if (fstat(fd, &info) != 0)
        return err_set_errno(err, errno, "cannot read '%s'", path);
    if (!S_ISREG(info.st_mode) || info.st_size > bytes_max)
        return err_set(err, ERR_DAMAGED, "'%s' is no manifest of a tree", path);
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
        return err_set(err, ERR_NOT_FOUND, "there is no '%s'", path);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    bool ok = read_all(fd, path, &text, err);
    (void)close(fd); /* it was only read */
    if (ok && !parse(str_text(&text), text.len, &tree))
        ok = err_set(err, ERR_DAMAGED, "'%s' is no manifest of a tree, or damaged", path);
    str_done(&text);
    if (ok)
        *out = tree;
    else
        tree_done(&tree);
    return ok;
}
