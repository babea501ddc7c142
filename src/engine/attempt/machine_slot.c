/* machine_slot.c - the numbers of tasks that run on this machine, and their ports.
 *
 * A slot is a lock on one byte of a file in memory that all users share. The kernel releases it
 * when devs is killed. */
#define _GNU_SOURCE /* F_OFD_SETLK, O_CLOEXEC */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attempt_internal.h"
#include "xalloc.h"

enum {
    /* Below the ports that Linux gives to connections, from 32768 on. */
    FIRST_PORT = 20000,
    NOBODY = -1,
};

struct machine_slots {
    int lock_fd; /* -1 = there are no slots */
    int end;     /* no slot from this index on is ours */
    struct {
        int task;       /* NOBODY = not ours */
        bool is_in_use; /* an attempt of the task runs */
    } slots[MACHINE_SLOTS_MAX];
};

/* Another user may have created the file, and a system may forbid to open it with O_CREAT then. */
static int open_file(const char *path)
{
    const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct stat info;
    int fd = open(path, flags);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, flags | O_CREAT | O_EXCL, 0666);
        if (fd >= 0)
            (void)fchmod(fd, 0666); /* whatever the umask */
        else if (errno == EEXIST)
            fd = open(path, flags);
    }
    if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

struct machine_slots *machine_slots_open(const char *path)
{
    struct machine_slots *slots = xcalloc(1, sizeof(*slots));
    slots->lock_fd = open_file(path);
    for (int i = 0; i < MACHINE_SLOTS_MAX; i++)
        slots->slots[i].task = NOBODY;
    return slots;
}

void machine_slots_close(struct machine_slots *slots)
{
    if (slots && slots->lock_fd >= 0)
        (void)close(slots->lock_fd);
    free(slots);
}

static bool lock(const struct machine_slots *slots, int index, short type)
{
    struct flock bytes = {.l_type = type, .l_whence = SEEK_SET, .l_start = index, .l_len = 1};
    return fcntl(slots->lock_fd, F_OFD_SETLK, &bytes) == 0;
}

int machine_slot_port(int slot)
{
    return FIRST_PORT + (slot - 1) * MACHINE_SLOT_PORTS;
}

/* A program that listens for IPv4 or for IPv6 is in the way of a socket for both. */
static bool port_is_free(int port)
{
    const struct sockaddr_in6 both = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = in6addr_any};
    const struct sockaddr_in old = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const int on = 1;
    const int off = 0;
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool has_ipv6 =
        fd >= 0 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) == 0;
    if (!has_ipv6) {
        if (fd >= 0)
            (void)close(fd);
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    }
    if (fd < 0)
        return false;
    /* Connections that have ended are not in the way of a program that listens. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    const bool is_free = (has_ipv6 ? bind(fd, (const struct sockaddr *)&both, sizeof(both))
                                   : bind(fd, (const struct sockaddr *)&old, sizeof(old))) == 0;
    (void)close(fd);
    return is_free;
}

static bool ports_are_free(int index)
{
    const int first = machine_slot_port(index + 1);
    for (int i = 0; i < MACHINE_SLOT_PORTS; i++) {
        if (!port_is_free(first + i))
            return false;
    }
    return true;
}

static bool take(struct machine_slots *slots, int index, int task)
{
    if (slots->slots[index].task != NOBODY || !lock(slots, index, F_WRLCK))
        return false;
    if (!ports_are_free(index)) {
        (void)lock(slots, index, F_UNLCK);
        return false;
    }
    slots->slots[index].task = task;
    slots->slots[index].is_in_use = true;
    if (slots->end <= index)
        slots->end = index + 1;
    return true;
}

static int find(const struct machine_slots *slots, int task)
{
    for (int i = 0; i < slots->end; i++) {
        if (slots->slots[i].task == task)
            return i;
    }
    return -1;
}

int machine_slots_take(struct machine_slots *slots, int task, int last)
{
    assert(task >= 0 && last <= MACHINE_SLOTS_MAX);
    if (slots->lock_fd < 0)
        return 0;
    const int own = find(slots, task);
    if (own >= 0) {
        slots->slots[own].is_in_use = true;
        return own + 1;
    }
    if (last > 0 && take(slots, last - 1, task))
        return last;
    for (int i = 0; i < MACHINE_SLOTS_MAX; i++) {
        if (take(slots, i, task))
            return i + 1;
    }
    for (int i = 0; i < MACHINE_SLOTS_MAX; i++) { /* a task that waits gets another one later */
        if (slots->slots[i].task != NOBODY && !slots->slots[i].is_in_use && ports_are_free(i)) {
            slots->slots[i].task = task;
            slots->slots[i].is_in_use = true;
            return i + 1;
        }
    }
    return 0;
}

void machine_slots_rest(struct machine_slots *slots, int task)
{
    const int own = find(slots, task);
    if (own >= 0)
        slots->slots[own].is_in_use = false;
}

void machine_slots_drop(struct machine_slots *slots, int task)
{
    const int own = find(slots, task);
    if (own < 0 || slots->slots[own].is_in_use)
        return;
    slots->slots[own].task = NOBODY;
    (void)lock(slots, own, F_UNLCK);
}
