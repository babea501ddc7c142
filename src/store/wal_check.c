#include "wal_check.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "private_file.h"
#include "shm_guard.h"
#include "xalloc.h"

enum {
    INDEX_BYTES = 48,     /* of one of the two copies of the index's header */
    COPIED_AT = 96,       /* where the number of copied frames follows them */
    REGION_BYTES = 32768, /* of shared memory that are mapped at a time */
    REGION_FRAMES = 4096, /* that a region has room for */
    HEADER_BYTES = 32,    /* of the WAL */
    FRAME_BYTES = 24,     /* before each page */
    FRAMES_AT_ONCE = 32,
    TRIES = 8,
};

/* The index's header, as SQLite has it in memory. */
struct header {
    uint32_t version, unused, change;
    uint8_t is_init, is_big_endian;
    uint16_t page_size;
    uint32_t frames, pages;
    uint32_t frame_sum[2];
    unsigned char salt[8];
    uint32_t sum[2];
};
static_assert(sizeof(struct header) == INDEX_BYTES, "as SQLite lays it out");

static sqlite3_file *file_of(const struct db *db, int which)
{
    sqlite3_file *file = NULL;
    const int code = sqlite3_file_control(db->handle, "main", which, &file);
    return code == SQLITE_OK && file && file->pMethods ? file : NULL;
}

/* NULL where the connection has not opened its WAL: mapping the index would open it behind SQLite's
 * back, and nobody would close it. */
static const volatile unsigned char *region(const struct db *db, int number)
{
    void volatile *at = NULL;
    const bool has_wal = file_of(db, SQLITE_FCNTL_JOURNAL_POINTER) != NULL;
    sqlite3_file *file = has_wal ? file_of(db, SQLITE_FCNTL_FILE_POINTER) : NULL;
    if (!file || file->pMethods->iVersion < 2 ||
        file->pMethods->xShmMap(file, number, REGION_BYTES, 0, &at) != SQLITE_OK)
        return NULL;
    return at;
}

static void copy_out(void *to, const volatile unsigned char *from, size_t len)
{
    unsigned char *bytes = to;
    for (size_t i = 0; i < len; i++)
        bytes[i] = from[i];
}

/* Both copies are equal, or somebody is writing. */
static bool read_header(const struct db *db, struct header *out, uint32_t *copied)
{
    const volatile unsigned char *at = region(db, 0);
    for (int i = 0; at && i < TRIES; i++) {
        struct header first;
        struct header second;
        copy_out(&first, at, sizeof(first));
        copy_out(&second, at + INDEX_BYTES, sizeof(second));
        copy_out(copied, at + COPIED_AT, sizeof(*copied));
        if (memcmp(&first, &second, sizeof(first)) == 0) {
            *out = first;
            return first.is_init != 0;
        }
    }
    return false;
}

/* 65536 does not fit, and is written as 1. */
static uint32_t page_bytes(const struct header *header)
{
    return (header->page_size & 0xfe00U) + ((header->page_size & 1U) << 16);
}

bool wal_index_read(const struct db *db, struct wal_index *out)
{
    struct header header;
    uint32_t copied = 0;
    if (!read_header(db, &header, &copied))
        return false;
    *out = (struct wal_index){.frames = header.frames,
                              .copied = copied,
                              .pages = header.pages,
                              .page_bytes = page_bytes(&header)};
    return true;
}

static uint64_t inode_of(const struct db *db)
{
    char path[PATH_MAX];
    struct stat info;
    const char *name = sqlite3_db_filename(db->handle, "main");
    return name && private_path_join(path, sizeof(path), name, "-wal", NULL) &&
                   stat(path, &info) == 0
               ? (uint64_t)info.st_ino
               : 0;
}

void wal_learn(struct db *db)
{
    if (db->wal_inode == 0)
        db->wal_inode = inode_of(db);
}

bool wal_lost_memory(const struct db *db)
{
    struct wal_index index = {0};
    const bool known = wal_index_read(db, &index);
    const int regions = known ? (int)(index.frames / REGION_FRAMES) + 1 : 1;
    for (int i = 0; i < regions; i++) {
        const volatile unsigned char *at = region(db, i);
        if (at && shm_guard_hit((const void *)(uintptr_t)at, REGION_BYTES))
            return true;
    }
    return false;
}

static uint32_t big(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t small(const unsigned char *at)
{
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static void add_sum(uint32_t sum[2], bool is_big, const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i + 8 <= len; i += 8) {
        sum[0] += (is_big ? big(bytes + i) : small(bytes + i)) + sum[1];
        sum[1] += (is_big ? big(bytes + i + 4) : small(bytes + i + 4)) + sum[0];
    }
}

/* The WAL's own header, and with which sum the frames after the copied ones begin. */
static bool read_start(sqlite3_file *wal, const struct header *header, uint32_t copied,
                       uint32_t sum[2])
{
    unsigned char bytes[HEADER_BYTES];
    unsigned char frame[FRAME_BYTES];
    if (wal->pMethods->xRead(wal, bytes, HEADER_BYTES, 0) != SQLITE_OK ||
        memcmp(bytes + 16, header->salt, sizeof(header->salt)) != 0 ||
        big(bytes + 8) != page_bytes(header))
        return false;
    uint32_t own[2] = {0, 0};
    add_sum(own, header->is_big_endian != 0, bytes, HEADER_BYTES - 8);
    if (own[0] != big(bytes + 24) || own[1] != big(bytes + 28))
        return false;
    memcpy(sum, own, sizeof(own));
    if (copied == 0)
        return true;
    const sqlite3_int64 at =
        HEADER_BYTES + (sqlite3_int64)(copied - 1) * (FRAME_BYTES + page_bytes(header));
    if (wal->pMethods->xRead(wal, frame, FRAME_BYTES, at) != SQLITE_OK)
        return false;
    sum[0] = big(frame + 16);
    sum[1] = big(frame + 20);
    return true;
}

static bool frames_fit(sqlite3_file *wal, const struct header *header, uint32_t copied)
{
    const size_t frame_len = FRAME_BYTES + (size_t)page_bytes(header);
    uint32_t sum[2];
    if (!read_start(wal, header, copied, sum))
        return false;
    unsigned char *bytes = xcheck(malloc(FRAMES_AT_ONCE * frame_len));
    bool ok = true;
    for (uint32_t at = copied; ok && at < header->frames;) {
        const uint32_t left = header->frames - at;
        const uint32_t count = left < FRAMES_AT_ONCE ? left : FRAMES_AT_ONCE;
        ok = wal->pMethods->xRead(wal, bytes, (int)(count * frame_len),
                                  HEADER_BYTES + (sqlite3_int64)(at * (uint64_t)frame_len)) ==
             SQLITE_OK;
        for (uint32_t i = 0; ok && i < count; i++) {
            const unsigned char *frame = bytes + i * frame_len;
            add_sum(sum, header->is_big_endian != 0, frame, 8);
            add_sum(sum, header->is_big_endian != 0, frame + FRAME_BYTES, page_bytes(header));
            ok = memcmp(frame + 8, header->salt, sizeof(header->salt)) == 0 &&
                 sum[0] == big(frame + 16) && sum[1] == big(frame + 20);
        }
        at += count;
    }
    free(bytes);
    return ok && sum[0] == header->frame_sum[0] && sum[1] == header->frame_sum[1];
}

/* Programs that know no turns may reset the WAL while it is read here: then it is read again. */
static bool holds_commits(const struct db *db)
{
    for (int i = 0; i < TRIES; i++) {
        struct header header;
        struct header after;
        uint32_t copied = 0;
        sqlite3_file *wal = file_of(db, SQLITE_FCNTL_JOURNAL_POINTER);
        if (!read_header(db, &header, &copied))
            return true; /* no index: then a checkpoint rebuilds it from the WAL, sums and all */
        if (header.frames == copied || header.frames == 0)
            return true;
        if (copied > header.frames || page_bytes(&header) == 0)
            return false;
        if (wal && frames_fit(wal, &header, copied))
            return true;
        if (!read_header(db, &after, &copied) ||
            memcmp(after.salt, header.salt, sizeof(after.salt)) == 0)
            return false;
    }
    return false;
}

bool wal_is_whole(struct db *db, struct err *err)
{
    const char *name = sqlite3_db_filename(db->handle, "main");
    if (wal_lost_memory(db))
        return err_set(err, ERR_IO, "'%s-shm' was truncated while in use", name);
    wal_learn(db);
    const uint64_t inode = inode_of(db);
    if (inode != 0 && inode != db->wal_inode)
        return err_set(err, ERR_IO, "'%s-wal' was replaced while in use", name);
    return holds_commits(db) ||
           err_set(err, ERR_IO, "'%s-wal' was truncated or overwritten while in use", name);
}
