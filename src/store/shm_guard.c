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

enum { MAPS_CHUNK = 4096, LINE_MAX_BYTES = 512 };

/* Pages that were replaced. A slot is 0 until it is filled. */
static _Atomic uintptr_t pages[SHM_GUARD_PAGES_MAX];
static _Atomic size_t page_count;
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

/* Does the line map the address, from a file that is shared memory of SQLite's? The path's end may
 * be cut off; then a shared, writable mapping of a file is taken for one. */
static bool is_shm_of(struct maps_line *line, uintptr_t address)
{
    line->tail[line->len] = '\0';
    const char *at = line->tail;
    const uintptr_t from = read_hex(&at);
    if (*at++ != '-')
        return false;
    const uintptr_t to = read_hex(&at);
    return address >= from && address < to && strstr(at, " rw-s ") == at &&
           (strstr(at, "-shm") != NULL || line->len == LINE_MAX_BYTES - 1);
}

static bool find_mapping(uintptr_t address)
{
    char chunk[MAPS_CHUNK];
    struct maps_line line = {.len = 0};
    bool found = false;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, chunk, sizeof(chunk)) : 0;
    while (got > 0 && !found) {
        for (ssize_t i = 0; i < got && !found; i++) {
            if (chunk[i] == '\n') {
                found = is_shm_of(&line, address);
                line.len = 0;
            } else if (line.len < LINE_MAX_BYTES - 1) {
                line.tail[line.len++] = chunk[i];
            }
        }
        if (!found)
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

bool shm_guard_repair(const void *address)
{
    const uintptr_t page = (uintptr_t)address & ~(page_bytes - 1);
    if (page_bytes == 0 || !find_mapping(page) ||
        mmap((void *)page, page_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    const size_t at = atomic_fetch_add(&page_count, 1);
    if (at < SHM_GUARD_PAGES_MAX)
        atomic_store(&pages[at], page);
    return true;
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

bool shm_guard_hit(const void *from, size_t len)
{
    const size_t count = atomic_load(&page_count);
    const uintptr_t start = (uintptr_t)from;
    for (size_t i = 0; i < count && i < SHM_GUARD_PAGES_MAX; i++) {
        const uintptr_t page = atomic_load(&pages[i]);
        if (page >= start && page < start + len)
            return true;
    }
    return count > SHM_GUARD_PAGES_MAX;
}
