/*
 * wal.c - syncs the WAL and copies it to the database on a thread; notices damage to it.
 *
 * Commits must not wait for the disk. So the thread copies most of the WAL while others commit,
 * protected by a read transaction (the pin) that prevents a reset of the WAL, and only the rest
 * within a turn.
 *
 * SQLite trusts its files while they are open. If another program truncates or overwrites the WAL,
 * a checkpoint would copy the damage. So before each copy, the frames that are not copied yet must
 * match the salts and checksums that the index in shared memory has; if not, copying stops for
 * good.
 *
 * If the shared memory file is truncated, accesses to it raise SIGBUS. The handler maps a page of
 * zeros there and remembers its address: the process survives, and wal_lost_memory() reports the
 * loss.
 */
#define _GNU_SOURCE /* BUS_ADRERR */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "db.h"
#include "log_writer.h"
#include "private_file.h"
#include "quiet_thread.h"
#include "shm_guard.h"
#include "turns.h"
#include "xalloc.h"

enum { NS_PER_MS = 1000 * 1000, MS_PER_S = 1000, NS_PER_S = 1000 * 1000 * 1000 };

/* The thread that syncs the WAL and does checkpoints. */

enum job { JOB_NONE, JOB_SYNC, JOB_RESTART, JOB_CUT_OFF, JOB_STOP };

struct checkpointer {
    /* Used only by the checkpointer's thread once it runs. */
    struct db db;
    struct turns turns;

    /* A connection for reading: while its statement is running, nobody can reset the WAL. */
    struct db pin_db;
    sqlite3_stmt *pin; /* owned */

    /* Used only by the starting thread. */
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t news;
    pthread_cond_t copied; /* signaled when unpinned */
    bool stopping;
    enum job asked; /* the requested checkpoint, if any */
    bool pinned;    /* `pin` is running, for the next checkpoint */
    bool unsynced;
    struct timespec sync_at; /* CLOCK_MONOTONIC, while unsynced */
    struct err failed;       /* first failed sync that was not reported yet */
    struct err lost;         /* why copying has stopped; ERR_NONE while it has not */
};

static struct timespec in_ms(int ms)
{
    struct timespec at = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &at); /* always available */
    at.tv_sec += ms / MS_PER_S;
    at.tv_nsec += (long)(ms % MS_PER_S) * NS_PER_MS;
    if (at.tv_nsec >= NS_PER_S) {
        at.tv_sec++;
        at.tv_nsec -= NS_PER_S;
    }
    return at;
}

/* Returns true if the WAL may be copied. Checked before each copy, so that damage in the WAL does
 * not get into the database. */
static bool may_copy(struct checkpointer *self)
{
    struct err err = {0};
    const bool ok = checkpointer_check(self, NULL) && wal_is_whole(&self->db, &err);
    if (err.code != ERR_NONE) {
        (void)pthread_mutex_lock(&self->lock);
        self->lost = err;
        (void)pthread_mutex_unlock(&self->lock);
    }
    return ok;
}

/* Copies the WAL into the database. If a reader is in the way, copies less; the next checkpoint
 * does the rest. */
static void checkpoint_wal(struct checkpointer *self, bool cut_off)
{
    (void)pthread_mutex_lock(&self->lock);
    const bool pinned = self->pinned;
    (void)pthread_mutex_unlock(&self->lock);

    /* Copies most of the WAL and does both syncs while others commit: a passive checkpoint blocks
     * nobody. In SQLite up to 3.51.2 it can mistake new frames for copied ones if the WAL is reset
     * just when it starts (sqlite.org/wal.html, "The WAL-Reset Bug"). The pin prevents that. */
    if (pinned) {
        if (may_copy(self))
            (void)sqlite3_wal_checkpoint_v2(self->db.handle, "main", SQLITE_CHECKPOINT_PASSIVE,
                                            NULL, NULL);
        (void)pthread_mutex_lock(&self->lock);
        (void)sqlite3_reset(self->pin);
        self->pinned = false;
        (void)pthread_cond_signal(&self->copied);
        (void)pthread_mutex_unlock(&self->lock);
    }

    if (!turns_take(&self->turns, NULL))
        return;
    if (may_copy(self))
        (void)sqlite3_wal_checkpoint_v2(
            self->db.handle, "main",
            cut_off ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART, NULL, NULL);
    turns_give(&self->turns);
}

/* Waits until there is something to do. Call it with the lock held. */
static enum job next_job(struct checkpointer *self)
{
    for (;;) {
        const enum job asked = self->asked;
        self->asked = JOB_NONE;
        if (asked != JOB_NONE)
            return asked;
        if (self->stopping)
            return JOB_STOP;
        int code = 0;
        if (self->unsynced)
            code = pthread_cond_timedwait(&self->news, &self->lock, &self->sync_at);
        else
            (void)pthread_cond_wait(&self->news, &self->lock);
        if (code == ETIMEDOUT && self->unsynced) {
            self->unsynced = false;
            return JOB_SYNC;
        }
    }
}

static void *run_checkpointer(void *arg)
{
    struct checkpointer *self = arg;
    for (;;) {
        (void)pthread_mutex_lock(&self->lock);
        const enum job job = next_job(self);
        (void)pthread_mutex_unlock(&self->lock);
        struct err err = {0};
        if (job == JOB_STOP)
            return NULL;
        if (job != JOB_SYNC) {
            checkpoint_wal(self, job == JOB_CUT_OFF);
        } else if (!db_sync(&self->db, &err)) {
            (void)pthread_mutex_lock(&self->lock);
            if (self->failed.code == ERR_NONE)
                self->failed = err;
            (void)pthread_mutex_unlock(&self->lock);
        }
    }
}

bool checkpointer_start(struct checkpointer **out, const struct place *place, struct err *err)
{
    static const char *const pin_sql = "SELECT 1 FROM sqlite_schema";
    struct checkpointer *self = xcalloc(1, sizeof(*self));
    pthread_condattr_t attributes;
    int64_t tables = 0;
    self->turns = (struct turns){.gate_fd = -1, .write_fd = -1};
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&self->news, &attributes);
    (void)pthread_cond_init(&self->copied, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    (void)pthread_mutex_init(&self->lock, NULL);

    /* No busy timeout: never wait for readers while holding the turn. */
    bool ok = turns_init(&self->turns, place, err) &&
              db_init(&self->db, place->db, DB_WRITE, err) &&
              db_exec(&self->db, "PRAGMA busy_timeout=0", err) &&
              db_number(&self->db, "SELECT count(*) FROM sqlite_schema", &tables, err) &&
              db_init(&self->pin_db, place->db, DB_READ, err) &&
              db_prepare(&self->pin_db, &pin_sql, 1, &self->pin, err);
    if (ok) {
        wal_learn(&self->db);
        int code = quiet_thread_start(&self->thread, run_checkpointer, self);
        self->has_thread = code == 0;
        ok = code == 0 || err_set_errno(err, code, "cannot start the log's thread");
    }
    if (ok)
        *out = self;
    else
        checkpointer_stop(self);
    return ok;
}

void checkpointer_stop(struct checkpointer *self)
{
    if (!self)
        return;
    (void)pthread_mutex_lock(&self->lock);
    self->stopping = true;
    (void)pthread_cond_signal(&self->news);
    (void)pthread_mutex_unlock(&self->lock);
    if (self->has_thread)
        (void)pthread_join(self->thread, NULL);
    db_finalize(&self->pin, 1);
    db_done(&self->pin_db);
    db_done(&self->db);
    turns_done(&self->turns);
    (void)pthread_cond_destroy(&self->news);
    (void)pthread_cond_destroy(&self->copied);
    (void)pthread_mutex_destroy(&self->lock);
    free(self);
}

void checkpointer_news(struct checkpointer *self)
{
    (void)pthread_mutex_lock(&self->lock);
    if (!self->unsynced) {
        self->unsynced = true;
        self->sync_at = in_ms(LOG_FULL_SYNC_MS);
        (void)pthread_cond_signal(&self->news);
    }
    (void)pthread_mutex_unlock(&self->lock);
}

void checkpointer_take_error(struct checkpointer *self, struct err *err)
{
    (void)pthread_mutex_lock(&self->lock);
    if (self->failed.code != ERR_NONE)
        (void)err_set(err, self->failed.code, "%s", self->failed.message);
    self->failed = (struct err){0};
    (void)pthread_mutex_unlock(&self->lock);
}

bool checkpointer_check(struct checkpointer *self, struct err *err)
{
    (void)pthread_mutex_lock(&self->lock);
    const struct err lost = self->lost;
    (void)pthread_mutex_unlock(&self->lock);
    return lost.code == ERR_NONE || err_set(err, lost.code, "%s", lost.message);
}

void checkpointer_synced(struct checkpointer *self)
{
    (void)pthread_mutex_lock(&self->lock);
    self->unsynced = false;
    (void)pthread_mutex_unlock(&self->lock);
}

void checkpointer_ask(struct checkpointer *self, bool cut_off)
{
    (void)pthread_mutex_lock(&self->lock);
    /* Keeps an existing pin, because the frames that it protects have not been copied yet. */
    if (!self->pinned) {
        bool row = false;
        self->pinned = db_next(&self->pin_db, self->pin, &row, NULL) && row;
        if (!self->pinned)
            (void)sqlite3_reset(self->pin); /* then everything is copied within a turn */
    }
    if (self->asked != JOB_CUT_OFF) /* JOB_CUT_OFF includes JOB_RESTART */
        self->asked = cut_off ? JOB_CUT_OFF : JOB_RESTART;
    (void)pthread_cond_signal(&self->news);
    (void)pthread_mutex_unlock(&self->lock);
}

void checkpointer_await(struct checkpointer *self, int wait_ms)
{
    const struct timespec until = in_ms(wait_ms);
    int code = 0;
    (void)pthread_mutex_lock(&self->lock);
    while (self->pinned && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&self->copied, &self->lock, &until);
    (void)pthread_mutex_unlock(&self->lock);
}

enum {
    INDEX_BYTES = 48,     /* size of each copy of the index header */
    COPIED_AT = 96,       /* offset of the number of copied frames */
    REGION_BYTES = 32768, /* size of each region of shared memory */
    REGION_FRAMES = 4096, /* number of frames in a region */
    HEADER_BYTES = 32,    /* WAL header */
    FRAME_BYTES = 24,     /* frame header before each page */
    FRAMES_AT_ONCE = 32,
    TRIES = 8,
};

/* The index header as SQLite has it in memory. */
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

/* Reading the WAL index, and checking that the WAL still has everything that was committed. */

static sqlite3_file *file_of(const struct db *db, int which)
{
    sqlite3_file *file = NULL;
    const int code = sqlite3_file_control(db->handle, "main", which, &file);
    return code == SQLITE_OK && file && file->pMethods ? file : NULL;
}

/* Maps a region of the index. Returns NULL if the connection has not opened its WAL: mapping would
 * open the index without SQLite's knowledge, and nobody would close it. */
static const volatile unsigned char *index_region(const struct db *db, int number)
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

/* Reads the header. If its two copies differ, another process is writing. */
static bool read_header(const struct db *db, struct header *out, uint32_t *copied)
{
    const volatile unsigned char *at = index_region(db, 0);
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

/* Returns the page size. 65536 does not fit into 16 bits and is stored as 1. */
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
        const volatile unsigned char *at = index_region(db, i);
        if (at && shm_guard_hit((const void *)(uintptr_t)at, REGION_BYTES))
            return true;
    }
    return false;
}

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t little_endian(const unsigned char *at)
{
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static void add_sum(uint32_t sum[2], bool is_big, const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i + 8 <= len; i += 8) {
        sum[0] += (is_big ? big_endian(bytes + i) : little_endian(bytes + i)) + sum[1];
        sum[1] += (is_big ? big_endian(bytes + i + 4) : little_endian(bytes + i + 4)) + sum[0];
    }
}

/* Reads the WAL header, and the checksum that the first frame not yet copied continues from. */
static bool read_start(sqlite3_file *wal, const struct header *header, uint32_t copied,
                       uint32_t sum[2])
{
    unsigned char bytes[HEADER_BYTES];
    unsigned char frame[FRAME_BYTES];
    if (wal->pMethods->xRead(wal, bytes, HEADER_BYTES, 0) != SQLITE_OK ||
        memcmp(bytes + 16, header->salt, sizeof(header->salt)) != 0 ||
        big_endian(bytes + 8) != page_bytes(header))
        return false;
    uint32_t own[2] = {0, 0};
    add_sum(own, header->is_big_endian != 0, bytes, HEADER_BYTES - 8);
    if (own[0] != big_endian(bytes + 24) || own[1] != big_endian(bytes + 28))
        return false;
    memcpy(sum, own, sizeof(own));
    if (copied == 0)
        return true;
    const sqlite3_int64 at =
        HEADER_BYTES + (sqlite3_int64)(copied - 1) * (FRAME_BYTES + page_bytes(header));
    if (wal->pMethods->xRead(wal, frame, FRAME_BYTES, at) != SQLITE_OK)
        return false;
    sum[0] = big_endian(frame + 16);
    sum[1] = big_endian(frame + 20);
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
                 sum[0] == big_endian(frame + 16) && sum[1] == big_endian(frame + 20);
        }
        at += count;
    }
    free(bytes);
    return ok && sum[0] == header->frame_sum[0] && sum[1] == header->frame_sum[1];
}

/* Programs that do not take turns may reset the WAL during the check; then the check is
 * repeated. */
static bool holds_commits(const struct db *db)
{
    for (int i = 0; i < TRIES; i++) {
        struct header header;
        struct header after;
        uint32_t copied = 0;
        sqlite3_file *wal = file_of(db, SQLITE_FCNTL_JOURNAL_POINTER);
        if (!read_header(db, &header, &copied))
            return true; /* then a checkpoint rebuilds it, verifying the checksums */
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

/* Surviving truncation of the shared memory file of an open log. */

enum { MAPS_CHUNK = 4096, LINE_MAX_BYTES = 512, PAGE_DONE = 1 };

enum mapping { MAPPING_OTHER, MAPPING_SHM, MAPPING_ANONYMOUS };

/* Addresses of replaced pages, with PAGE_DONE set once the zeros are mapped; 0 is a free slot. A
 * slot is filled before its page is replaced, so no thread reads zeros that shm_guard_hit() does
 * not know about. */
static _Atomic uintptr_t pages[SHM_GUARD_PAGES_MAX];
static atomic_bool is_full; /* there was no slot for a page */
static struct sigaction before;
static uintptr_t memory_page_bytes;

/* A parsed line of /proc/self/maps: "from-to rwxs offset dev inode   path". Everything here must be
 * async-signal-safe. */
struct maps_line {
    char text[LINE_MAX_BYTES]; /* the line, truncated to what fits */
    size_t len;
};

static uintptr_t read_hex(const char **at)
{
    uintptr_t value = 0;
    for (;; (*at)++) {
        const char c = **at;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return value;
        value = value * 16 + (uintptr_t)digit;
    }
}

/* Returns the kind of mapping that the line describes; MAPPING_OTHER if the address is not in it. A
 * truncated path might be that of SQLite's shared memory, so any shared mapping with a truncated
 * path is treated as such. */
static enum mapping mapping_of(struct maps_line *line, uintptr_t address)
{
    static const char writable[] = " rw-s ";
    static const char read_only[] = " r--s ";
    static const char anonymous[] = " rw-p 00000000 00:00 0";
    line->text[line->len] = '\0';
    const char *at = line->text;
    const uintptr_t from = read_hex(&at);
    if (*at++ != '-')
        return MAPPING_OTHER;
    const uintptr_t to = read_hex(&at);
    if (address < from || address >= to)
        return MAPPING_OTHER;
    if (strncmp(at, anonymous, sizeof(anonymous) - 1) == 0)
        return MAPPING_ANONYMOUS;
    const bool is_shared = strncmp(at, writable, sizeof(writable) - 1) == 0 ||
                           strncmp(at, read_only, sizeof(read_only) - 1) == 0;
    const bool is_shm = strstr(at, "-shm") != NULL || line->len == LINE_MAX_BYTES - 1;
    return is_shared && is_shm ? MAPPING_SHM : MAPPING_OTHER;
}

static enum mapping find_mapping(uintptr_t address)
{
    char chunk[MAPS_CHUNK];
    struct maps_line line = {.len = 0};
    enum mapping found = MAPPING_OTHER;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, chunk, sizeof(chunk)) : 0;
    while (got > 0 && found == MAPPING_OTHER) {
        for (ssize_t i = 0; i < got && found == MAPPING_OTHER; i++) {
            if (chunk[i] == '\n') {
                found = mapping_of(&line, address);
                line.len = 0;
            } else if (line.len < LINE_MAX_BYTES - 1) {
                line.text[line.len++] = chunk[i];
            }
        }
        if (found == MAPPING_OTHER)
            got = read(fd, chunk, sizeof(chunk));
    }
    if (fd >= 0)
        (void)close(fd);
    return found;
}

/* Claims a slot for the page; NULL if there is none. Sets *taken if another thread is about to
 * replace the page. */
static _Atomic uintptr_t *claim_slot(uintptr_t page, bool *taken)
{
    for (size_t i = 0; i < SHM_GUARD_PAGES_MAX; i++) {
        uintptr_t old = page | PAGE_DONE; /* left over from a previous mapping at this address */
        if (atomic_compare_exchange_strong(&pages[i], &old, page))
            return &pages[i];
        *taken = *taken || old == page;
    }
    for (size_t i = 0; i < SHM_GUARD_PAGES_MAX && !*taken; i++) {
        uintptr_t old = 0;
        if (atomic_compare_exchange_strong(&pages[i], &old, page))
            return &pages[i];
        *taken = old == page;
    }
    return NULL;
}

bool shm_guard_repair(const void *address)
{
    const uintptr_t page = (uintptr_t)address & ~(memory_page_bytes - 1);
    bool taken = false;
    if (memory_page_bytes == 0)
        return false;
    const enum mapping mapping = find_mapping(page);
    if (mapping != MAPPING_SHM)
        return mapping == MAPPING_ANONYMOUS; /* another thread has already replaced it */
    _Atomic uintptr_t *slot = claim_slot(page, &taken);
    if (taken)
        return true; /* the access is repeated until the other thread has finished */
    if (!slot)
        atomic_store(&is_full, true);
    const bool ok = mmap((void *)page, memory_page_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (slot)
        atomic_store(slot, ok ? page | PAGE_DONE : 0);
    return ok;
}

static void on_sigbus(int number, siginfo_t *info, void *context)
{
    const int saved = errno;
    const bool is_repaired = info->si_code == BUS_ADRERR && shm_guard_repair(info->si_addr);
    if (!is_repaired && (before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction)
        before.sa_sigaction(number, info, context);
    else if (!is_repaired)
        (void)sigaction(SIGBUS, &before, NULL); /* the access is repeated and ends the process */
    errno = saved;
}

static void install_handler(void)
{
    struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};
    memory_page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, &before);
}

void shm_guard_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, install_handler);
}

/* Returns true if the page is still replaced. After its connection was closed, another log's shared
 * memory may be mapped at the same address: then frees the slot. */
static bool is_replaced(_Atomic uintptr_t *slot, uintptr_t value)
{
    if ((value & PAGE_DONE) == 0 || find_mapping(value & ~(uintptr_t)PAGE_DONE) != MAPPING_SHM)
        return true;
    return !atomic_compare_exchange_strong(slot, &value, 0);
}

bool shm_guard_hit(const void *from, size_t len)
{
    const uintptr_t start = (uintptr_t)from;
    for (size_t i = 0; i < SHM_GUARD_PAGES_MAX; i++) {
        const uintptr_t value = atomic_load(&pages[i]);
        if (value >= start && value < start + len && is_replaced(&pages[i], value))
            return true;
    }
    return atomic_load(&is_full);
}
