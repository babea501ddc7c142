/* kernel.c - tries kernel features that no namespace isolates, for rows of the scenario "kernel".
 *
 *     kernel with NAME COMMAND...   runs the command with a key NAME in the keyrings around it
 *     kernel read|read32 NAME       exits with 0 if it can read that key; read32: with 32-bit calls
 *     kernel add                    exits with 0 if it can add a key
 *     kernel vsock|vsock32|uring    exits with 0 if it gets a socket to the host, or io_uring
 *
 * Linked statically and without a library for keys, so that it runs in containers without any. */
#define _GNU_SOURCE

#include <linux/keyctl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KEY_LIFETIME_S = 900 };

static long call(long number, long a, long b, long c, long d, long e)
{
    return syscall(number, a, b, c, d, e);
}

static long call_keyctl(long a, long b, long c, long d, long e)
{
    return call(SYS_keyctl, a, b, c, d, e);
}

#ifdef __x86_64__
/* Makes a system call like a 32-bit program; pointers must be below 4 GiB. */
static long call32(long number, long a, long b, long c, long d, long e)
{
    long answer;
    __asm__ volatile("int $0x80"
                     : "=a"(answer)
                     : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
                     : "memory", "r8", "r9", "r10", "r11");
    return answer;
}

static long call_keyctl32(long a, long b, long c, long d, long e)
{
    return call32(288, a, b, c, d, e);
}
#endif

/* Strings and results, where 32-bit calls can reach them. */
static char *low;

static int read_key(const char *name, long (*keyctl)(long, long, long, long, long))
{
    static const int rings[] = {KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING,
                                KEY_SPEC_USER_SESSION_KEYRING};
    (void)snprintf(low, 64, "user");
    (void)snprintf(low + 64, 64, "%s", name);
    for (int i = 0; i < 3; i++) {
        (void)keyctl(KEYCTL_LINK, rings[i], KEY_SPEC_SESSION_KEYRING, 0, 0);
        const long key = keyctl(KEYCTL_SEARCH, rings[i], (long)low, (long)(low + 64), 0);
        if (key > 0 && keyctl(KEYCTL_READ, key, (long)(low + 256), 64, 0) > 0)
            return printf("%.6s\n", low + 256) > 0 ? 0 : 1;
    }
    return 1;
}

static long add_key(const char *name, long ring)
{
    return call(SYS_add_key, (long)"user", (long)name, (long)"secret", 6, ring);
}

static int run_with(char **words)
{
    (void)call_keyctl(KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0);
    (void)add_key(words[0], KEY_SPEC_SESSION_KEYRING);
    const long key = add_key(words[0], KEY_SPEC_USER_KEYRING);
    (void)call_keyctl(KEYCTL_SET_TIMEOUT, key, KEY_LIFETIME_S, 0, 0);
    execvp(words[1], words + 1);
    return 127;
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    low =
        mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (low == MAP_FAILED)
        return 2;
    if (strcmp(what, "with") == 0 && count > 3)
        return run_with(words + 2);
    if (strcmp(what, "read") == 0 && count == 3)
        return read_key(words[2], call_keyctl);
    if (strcmp(what, "add") == 0)
        return add_key("devs-escape", KEY_SPEC_SESSION_KEYRING) > 0 ? 0 : 1;
    if (strcmp(what, "vsock") == 0)
        return socket(AF_VSOCK, SOCK_STREAM, 0) >= 0 ? 0 : 1;
    if (strcmp(what, "uring") == 0)
        return call(SYS_io_uring_setup, 1, (long)memset(low, 0, 1024), 0, 0, 0) >= 0 ? 0 : 1;
#ifdef __x86_64__
    if (strcmp(what, "read32") == 0 && count == 3)
        return read_key(words[2], call_keyctl32);
    if (strcmp(what, "vsock32") == 0) {
        const uint32_t arguments[] = {AF_VSOCK, SOCK_STREAM, 0};
        memcpy(low, arguments, sizeof(arguments));
        return call32(102, 1, (long)low, 0, 0, 0) >= 0 ||
                       call32(359, AF_VSOCK, SOCK_STREAM, 0, 0, 0) >= 0
                   ? 0
                   : 1;
    }
#endif
    return 2;
}
