/*
 * owner.c - the owner lock of a run, its owner in /proc, and controls of runs without an owner.
 *
 * An owner removes its lock file when it ends, so a lock counts only while the file is at its path.
 * owner_take() tries again for a second, because whoever checks the lock holds it for a moment. To
 * answer the controls of an orphan, a process becomes its owner for a short time and lets the
 * scheduler decide without starting anything.
 */
#define _DEFAULT_SOURCE

#include "owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "follower.h"
#include "log_read.h"
#include "log_write.h"
#include "owner_state.h"
#include "private_file.h"
#include "scheduler.h"

enum {
    UID_BYTES = 16,
    PATH_TEXT_MAX = 64,
    STAT_MAX = 1024,
    STAT_STATE_FIELD = 3, /* the first field after the name */
    STAT_START_FIELD = 22,
};

/* Reads as much of the file as fits; "" if the file does not exist. */
static void read_text(const char *path, char *out, size_t cap)
{
    out[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t got = read(fd, out, cap - 1);
    out[got > 0 ? got : 0] = '\0';
    (void)close(fd); /* read only, so close() cannot lose data */
}

/* Reads the part of /proc/PID/stat after "4711 (name) ", starting with the state; the name may
 * contain anything, even ") ". Returns false if there is no such process. */
static bool read_state(int64_t pid, char out[STAT_MAX])
{
    char path[PATH_TEXT_MAX];
    char stat[STAT_MAX];
    if (pid <= 0)
        return false;
    (void)snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    read_text(path, stat, sizeof(stat));
    const char *name_end = strrchr(stat, ')');
    if (!name_end || name_end[1] != ' ')
        return false;
    (void)snprintf(out, STAT_MAX, "%s", name_end + 2);
    return true;
}

/* Returns when the process started, in clock ticks since boot: field 22 of proc_pid_stat(5).
 * Returns 0 if it is missing. */
static int64_t start_of(const char state[STAT_MAX])
{
    const char *at = state;
    for (int field = STAT_STATE_FIELD; at && field < STAT_START_FIELD; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at ? strtoll(at, NULL, 10) : 0;
}

void this_process_read(struct this_process *out)
{
    char state[STAT_MAX];
    read_text("/proc/sys/kernel/random/boot_id", out->boot, sizeof(out->boot));
    out->boot[strcspn(out->boot, "\n")] = '\0';
    out->pid = getpid();
    out->pid_start = read_state(out->pid, state) ? start_of(state) : 0;
}

bool this_process_uid(char out[LOG_UID_MAX], struct err *err)
{
    unsigned char bytes[UID_BYTES];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return err_set_errno(err, errno, "cannot get random numbers");
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* A process that checks whether an owner is alive holds the lock for a moment, and so does the
 * child that a killed owner has just forked, until it calls execve(). So owner_take() tries for a
 * while. flock(2) cannot test a lock without taking it. F_OFD_GETLK only sees fcntl locks, and
 * programs that use flock as documented would not see those. */
enum { TAKE_TRIES = 500, TAKE_PAUSE_NS = 2 * 1000 * 1000 };

static bool owner_path(const struct place *place, const char *uid, char path[PATH_MAX],
                       struct err *err)
{
    char folder[PATH_MAX];
    if (strchr(uid, '/') || uid[0] == '\0')
        return err_set(err, ERR_INVALID, "invalid run uid '%s'", uid);
    return private_path_join(folder, sizeof(folder), place->dir, "/owner/", err) &&
           private_path_join(path, PATH_MAX, folder, uid, err);
}

static bool lock_file(int fd, const char *uid, struct err *err)
{
    const struct timespec pause = {.tv_nsec = TAKE_PAUSE_NS};
    for (int i = 0; i < TAKE_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return err_set_errno(err, errno, "cannot lock run '%s'", uid);
        (void)nanosleep(&pause, NULL); /* if woken early, tries again early */
    }
    return err_set(err, ERR_BUSY, "run '%s' belongs to another process", uid);
}

/* Returns true if the lock file is still at its path. An owner removes its file when it ends, so a
 * lock on a removed file is worthless. */
static bool is_still_there(int fd, const char *path)
{
    struct stat held;
    struct stat named;
    return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

bool owner_take(const struct place *place, const char *uid, int *fd_out, struct err *err)
{
    char path[PATH_MAX];
    char folder[PATH_MAX];
    if (!owner_path(place, uid, path, err) ||
        !private_path_join(folder, sizeof(folder), place->dir, "/owner", err) ||
        !private_folder_make(folder, NULL, err))
        return false;

    for (int i = 0; i < TAKE_TRIES; i++) {
        int fd = -1;
        if (!private_file_open(path, &fd, err))
            return false;
        if (!lock_file(fd, uid, err)) {
            (void)close(fd); /* nothing to lose: never written to */
            return false;
        }
        if (is_still_there(fd, path)) {
            *fd_out = fd;
            return true;
        }
        (void)close(fd); /* removed meanwhile: lock the new file */
    }
    return err_set(err, ERR_BUSY, "the owner lock of run '%s' keeps changing hands", uid);
}

bool owner_keep(const struct place *place, const char *uid, int *fd, struct err *err)
{
    char path[PATH_MAX];
    int again = -1;
    if (!owner_path(place, uid, path, NULL) || is_still_there(*fd, path))
        return true;
    if (owner_is_alive(place, uid))
        return err_set(err, ERR_BUSY, "run '%s' was taken over by another process", uid);
    if (!owner_take(place, uid, &again, err))
        return false;
    (void)close(*fd);
    *fd = again;
    return true;
}

void owner_drop(const struct place *place, const char *uid, int fd)
{
    if (fd < 0)
        return;
    char path[PATH_MAX];
    if (owner_path(place, uid, path, NULL))
        (void)unlink(path); /* while we hold the lock, so that the file is ours */
    (void)close(fd);        /* releases the lock */
}

bool owner_is_alive(const struct place *place, const char *uid)
{
    char path[PATH_MAX];
    if (!owner_path(place, uid, path, NULL))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* may be a FIFO */
    if (fd < 0)
        return false;
    bool is_free = flock(fd, LOCK_SH | LOCK_NB) == 0;
    (void)close(fd); /* releases the lock */
    return !is_free;
}

/* Removing stale owner files. */

size_t owner_clear_left(const struct place *place, enum owner_clear how)
{
    char folder[PATH_MAX];
    size_t count = 0;
    DIR *dir = private_path_join(folder, sizeof(folder), place->dir, "/owner", NULL)
                   ? opendir(folder)
                   : NULL;
    const struct dirent *entry = dir ? readdir(dir) : NULL;
    for (int seen = 0; entry && seen < OWNER_FILES_MAX; seen++) {
        const char *uid = entry->d_name;
        bool is_left = uid[0] != '.' && !owner_is_alive(place, uid);
        if (is_left && how != OWNER_COUNT) {
            /* Takes the lock before removing the file, so that a run that begins at this moment
             * keeps its own. */
            int fd = -1;
            is_left = owner_take(place, uid, &fd, NULL);
            if (is_left)
                owner_drop(place, uid, fd);
        }
        if (is_left)
            count++;
        entry = readdir(dir);
    }
    if (dir)
        (void)closedir(dir);
    return count;
}

/* The process that owns a run, according to /proc. */

bool owner_is_stopped(int64_t pid)
{
    char state[STAT_MAX];
    return read_state(pid, state) && (state[0] == 'T' || state[0] == 't');
}

bool owner_process_holds(int64_t pid, int64_t start, const char *uid)
{
    char state[STAT_MAX];
    char path[PATH_TEXT_MAX];
    const bool is_alive = start != 0 && read_state(pid, state) && state[0] != 'Z' &&
                          state[0] != 'X' && start_of(state) == start;
    if (!is_alive)
        return false;
    (void)snprintf(path, sizeof(path), "/proc/%lld/fd", (long long)pid);
    DIR *dir = opendir(path);
    const struct dirent *entry = dir ? readdir(dir) : NULL;
    bool found = false;
    while (entry && !found) {
        char target[PATH_MAX];
        const ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
        target[len > 0 ? len : 0] = '\0';
        const char *name = strrchr(target, '/'); /* "/.../UID", or "/.../UID (deleted)" */
        found = name && strncmp(name + 1, uid, strlen(uid)) == 0 &&
                (name[1 + strlen(uid)] == '\0' || name[1 + strlen(uid)] == ' ');
        entry = readdir(dir);
    }
    if (dir)
        (void)closedir(dir); /* only read */
    return found;
}

/* A run without an owner: another process answers its controls. */

enum { CONTROLS_AT_ONCE = 16, ROUNDS_MAX = 64 };

static const char needs_engine[] = "no devs is running it: resume it with devs run --continue";
static const char goes_on_by_itself[] =
    "devs did not start this agent: continue it by typing in its session";
static const char has_ended[] = "the run has ended";

struct orphan {
    struct follower *follower; /* owned */
    struct log_writer *writer; /* owned */
    struct turn turn;          /* owned */
};

static bool answer_control(struct orphan *orphan, const struct control *control, struct err *err)
{
    const struct log_run_info *run = follower_run(orphan->follower);
    struct run_state *state = follower_own_state(orphan->follower);
    const bool starts = control->verb == CONTROL_RETRY || control->verb == CONTROL_SEND_ONE;
    if (state->ended && control->verb != CONTROL_CORRECT)
        return log_writer_refuse(orphan->writer, control->id, has_ended, err);
    if (starts || !state->started)
        return log_writer_refuse(orphan->writer, control->id,
                                 run->is_session ? goes_on_by_itself : needs_engine, err);

    /* Uses the clock of the boot that the run was in, since that clock restarts at a reboot. */
    struct moment now = clock_now();
    const struct moment *last = &state->last;
    struct this_process self;
    this_process_read(&self);
    const bool same_boot = run->boot && strcmp(run->boot, self.boot) == 0;
    if (!same_boot)
        now.mono_ms = last->mono_ms + (now.at_ms > last->at_ms ? now.at_ms - last->at_ms : 0);

    /* The scheduler decides as usual but starts nothing. A cancel always has the mildest mode,
     * because there is nobody to send signals. The scheduler's requests are ignored, because there
     * is no engine. */
    struct scheduler scheduler = {.state = state, .orphaned = true, .is_session = run->is_session};
    struct input input = {.kind = INPUT_CONTROL, .now = now, .control = *control};
    input.control.mode = CANCEL_STOP;
    turn_clear(&orphan->turn);
    scheduler_step(&scheduler, &input, &orphan->turn);
    struct log_batch batch = {.events = orphan->turn.events.items,
                              .event_count = orphan->turn.events.count};
    return log_writer_commit(orphan->writer, &batch, LOG_SYNC_FULL, err);
}

static bool answer_controls(struct orphan *orphan, struct err *err)
{
    for (int i = 0; i < ROUNDS_MAX; i++) {
        struct control controls[CONTROLS_AT_ONCE];
        size_t count = 0;
        if (!log_writer_controls(orphan->writer, controls, CONTROLS_AT_ONCE, &count, err))
            return false;
        if (count == 0)
            return true;
        for (size_t at = 0; at < count; at++) {
            if (!answer_control(orphan, &controls[at], err))
                return false;
        }
    }
    return true; /* the next process that requests something answers the rest */
}

bool orphan_answer(const struct place *place, int64_t run, struct err *err)
{
    struct orphan orphan = {0};
    const bool ok = follower_open(&orphan.follower, place, run, err) &&
                    follower_read(orphan.follower, 0, NULL, NULL, NULL, err) &&
                    log_writer_open(&orphan.writer, place, err) &&
                    log_writer_resume(orphan.writer, run, follower_state(orphan.follower), err) &&
                    answer_controls(&orphan, err);
    log_writer_close(orphan.writer);
    follower_close(orphan.follower);
    turn_done(&orphan.turn);
    return ok;
}
