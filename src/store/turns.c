/* turns.c - makes writers wait for each other in a queue, with a time limit; also implements the
 * bell.
 *
 * With SQLite's own lock, waiting writers sleep and try again, so a writer may never get it.
 * flock(2) lets the kernel wake them. With a single lock, the process that has just had its turn
 * could be first again; so the next writer waits for the write lock while it holds the gate, and
 * everybody else, including the last writer, waits for the gate.
 *
 * flock(2) has no time limit. A timer of the waiting thread sends it a signal whose handler does
 * nothing, which interrupts the call. After a failed wait, the next wait is short, because the
 * process that has the turn may be suspended. */
#define _GNU_SOURCE /* SIGEV_THREAD_ID, gettid */

#include "turns.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "private_file.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* older C libraries lack the name */
#endif

/* After the deadline the signal is repeated, because the first one may arrive just before the
 * thread blocks. */
enum { REPEAT_MS = 50, US_PER_MS = 1000, MS_PER_S = 1000, NS_PER_MS = 1000 * 1000 };

static bool open_beside(const struct place *place, const char *suffix, int *fd, struct err *err)
{
    char path[PATH_MAX];
    return private_path_join(path, sizeof(path), place->db, suffix, err) &&
           private_file_open(path, fd, err);
}

bool turns_init(struct turns *turns, const struct place *place, struct err *err)
{
    *turns = (struct turns){.gate_fd = -1, .write_fd = -1};
    if (open_beside(place, "-gate", &turns->gate_fd, err) &&
        open_beside(place, "-write", &turns->write_fd, err))
        return true;
    turns_done(turns);
    return false;
}

void turns_done(struct turns *turns)
{
    if (!turns)
        return;
    if (turns->gate_fd >= 0)
        (void)close(turns->gate_fd); /* releases the lock, too */
    if (turns->write_fd >= 0)
        (void)close(turns->write_fd);
    *turns = (struct turns){.gate_fd = -1, .write_fd = -1};
}

/* Locks the gate, unless we have it already, and the write lock. Returns 0 or the errno. */
static int lock_both(const struct turns *turns, int flags)
{
    if (flock(turns->gate_fd, LOCK_EX | flags) != 0 || flock(turns->write_fd, LOCK_EX | flags) != 0)
        return errno;
    return 0;
}

static void interrupt_wait(int number)
{
    (void)number; /* only needs to interrupt flock() */
}

static void catch_signal(void)
{
    struct sigaction action = {.sa_handler = interrupt_wait}; /* no SA_RESTART */
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGRTMIN + TURNS_SIGNAL, &action, NULL);
}

/* Waits for both locks. A timer of this thread interrupts flock(2) at the deadline. */
static bool wait_for_both(struct turns *turns, struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const int wait_ms = turns->in_vain ? TURNS_AGAIN_MS_MAX : TURNS_WAIT_MS_MAX;
    const int64_t from_us = clock_mono_us();
    const int64_t end_us = from_us + (int64_t)wait_ms * US_PER_MS;
    (void)pthread_once(&once, catch_signal);

    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = SIGRTMIN + TURNS_SIGNAL};
    event.sigev_notify_thread_id = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return err_set_errno(err, errno, "cannot wait for the log");
    const struct itimerspec when = {
        .it_value = {wait_ms / MS_PER_S, (long)(wait_ms % MS_PER_S) * NS_PER_MS},
        .it_interval = {0, (long)REPEAT_MS * NS_PER_MS},
    };
    sigset_t ours;
    sigset_t mask_before;
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGRTMIN + TURNS_SIGNAL);
    (void)pthread_sigmask(SIG_UNBLOCK, &ours, &mask_before);
    (void)timer_settime(timer, 0, &when, NULL); /* the times are in range */

    int failed = EINTR;
    while (failed == EINTR && clock_mono_us() < end_us)
        failed = lock_both(turns, 0);

    /* Restores the mask last, so that a pending signal is handled first. */
    (void)timer_delete(timer);
    (void)pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
    turns->waited_us += clock_mono_us() - from_us;
    turns->in_vain = failed == EINTR;
    if (failed == EINTR) {
        (void)err_set(err, ERR_BUSY, "another process has been writing to the log for too long");
        return err_hint(err, "a suspended devs may hold the lock: resume it or kill it");
    }
    return failed == 0 || err_set_errno(err, failed, "cannot lock the log");
}

bool turns_take(struct turns *turns, struct err *err)
{
    bool ok = lock_both(turns, LOCK_NB) == 0;
    if (ok)
        turns->in_vain = false;
    else
        ok = wait_for_both(turns, err);   /* keeps the gate if we have it */
    (void)flock(turns->gate_fd, LOCK_UN); /* the next writer now waits for the write lock */
    return ok;
}

void turns_give(struct turns *turns)
{
    (void)flock(turns->write_fd, LOCK_UN); /* cannot fail: the descriptor is open */
}

/* Finding the process that has the turn, for display. */

enum { LOCKS_MAX = 4096, LINE_MAX_BYTES = 256 };

static bool read_number(const char *digits, int64_t *out)
{
    char *end = NULL;
    errno = 0;
    *out = strtoll(digits, &end, 10);
    return end != digits && errno == 0;
}

int64_t turns_holder(const struct place *place)
{
    static const char before_pid[] = "WRITE ";
    char path[PATH_MAX];
    struct stat info;
    if (!private_path_join(path, sizeof(path), place->db, "-write", NULL) || stat(path, &info) != 0)
        return 0;
    FILE *locks = fopen("/proc/locks", "re");
    if (!locks)
        return 0;
    char line[LINE_MAX_BYTES];
    int64_t found = 0;
    for (int i = 0; i < LOCKS_MAX && found == 0 && fgets(line, sizeof(line), locks); i++) {
        /* "12: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF"; lines of waiting processes have "->"
         * after the number. */
        const char *word = strstr(line, " FLOCK ");
        const char *number = word && !strstr(line, "->") ? strstr(word, before_pid) : NULL;
        const char *colon = strrchr(line, ':');
        int64_t inode = 0;
        int64_t pid = 0;
        if (number && read_number(number + strlen(before_pid), &pid) &&
            read_number(colon + 1, &inode) && inode == (int64_t)info.st_ino && pid > 0)
            found = pid;
    }
    (void)fclose(locks); /* only read */
    return found;
}

/* The bell: a file that is written to wake processes that watch the log. */

bool bell_init(struct bell *bell, const struct place *place, struct err *err)
{
    bell->fd = -1;
    return private_path_join(bell->path, sizeof(bell->path), place->db, "-bell", err) &&
           private_file_open(bell->path, &bell->fd, err);
}

void bell_done(struct bell *bell)
{
    if (!bell)
        return;
    if (bell->fd >= 0)
        (void)close(bell->fd); /* nothing to lose: a bell carries no data */
    bell->fd = -1;
}

void bell_ring(const struct bell *bell)
{
    /* Always writes the same byte, so that the file does not grow. This may fail on a full disk;
     * then watchers poll. */
    ssize_t written = pwrite(bell->fd, "\a", 1, 0);
    (void)written;
}
