#define _GNU_SOURCE /* BUS_ADRERR */
#include "shm_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAPS_CHUNK = 4096, LINE_MAX_BYTES = 512, PAGE_DONE = 1 };

enum mapping { MAPPING_OTHER, MAPPING_SHM, MAPPING_ANONYMOUS };

/* Pages that were replaced: their addresses, with PAGE_DONE once the zeros are there; 0 is a free
 * slot. A slot is filled before the page is replaced, so no thread reads zeros that shm_guard_hit()
 * does not know of. */
static _Atomic uintptr_t pages[SHM_GUARD_PAGES_MAX];
static atomic_bool is_full; /* a page found no slot */
static struct sigaction before;
static uintptr_t page_bytes;

/* What is known of a line of /proc/self/maps: "from-to rwxs offset dev inode   path". Only calls
 * that a signal handler may make. */
struct maps_line {
    char tail[LINE_MAX_BYTES]; /* the first bytes of the line */
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

/* What the line maps at the address; MAPPING_OTHER if nothing. A path that is cut off may be that
 * of shared memory of SQLite's, so any shared mapping of such a file counts as that. */
static enum mapping mapping_of(struct maps_line *line, uintptr_t address)
{
    static const char writable[] = " rw-s ";
    static const char read_only[] = " r--s ";
    static const char anonymous[] = " rw-p 00000000 00:00 0";
    line->tail[line->len] = '\0';
    const char *at = line->tail;
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
                line.tail[line.len++] = chunk[i];
            }
        }
        if (found == MAPPING_OTHER)
            got = read(fd, chunk, sizeof(chunk));
    }
    if (fd >= 0)
        (void)close(fd);
    return found;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction) {
        before.sa_sigaction(number, info, context);
        return;
    }
    (void)sigaction(SIGBUS, &before, NULL); /* the access is repeated, and ends the process */
}

/* The slot of the page, claimed for this thread; NULL without one. *taken: another thread is about
 * to replace the page. */
static _Atomic uintptr_t *claim_slot(uintptr_t page, bool *taken)
{
    for (size_t i = 0; i < SHM_GUARD_PAGES_MAX; i++) {
        uintptr_t old = page | PAGE_DONE; /* of an earlier mapping at this address */
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
    const uintptr_t page = (uintptr_t)address & ~(page_bytes - 1);
    bool taken = false;
    if (page_bytes == 0)
        return false;
    const enum mapping mapping = find_mapping(page);
    if (mapping != MAPPING_SHM)
        return mapping == MAPPING_ANONYMOUS; /* another thread has replaced it by now */
    _Atomic uintptr_t *slot = claim_slot(page, &taken);
    if (taken)
        return true; /* the access is repeated until the other thread is done */
    if (!slot)
        atomic_store(&is_full, true);
    const bool ok = mmap((void *)page, page_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (slot)
        atomic_store(slot, ok ? page | PAGE_DONE : 0);
    return ok;
}

static void on_sigbus(int number, siginfo_t *info, void *context)
{
    const int saved = errno;
    if (info->si_code != BUS_ADRERR || !shm_guard_repair(info->si_addr))
        pass_on(number, info, context);
    errno = saved;
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};
    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGBUS, &action, &before);
}

void shm_guard_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, install);
}

/* Was the page replaced, and is it still? After the connection was closed, the shared memory of
 * another log may be mapped at its address: then the slot is free again. */
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
