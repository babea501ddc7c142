/* far_link.c - keeps a mirror of a log on another machine, for the cockpit here.
 *
 * A thread owns the channel and the mirror. If the channel breaks, it connects again with growing
 * delays, and the feed continues after the last row that the mirror has: so nothing is missing, and
 * nothing arrives twice. An act is sent only once, because it may have arrived although the channel
 * broke.
 *
 * The mirror is in a folder of its own below ~/.cache, which is removed at the end. Folders that a
 * killed devs has left are removed by the next link. */
#define _DEFAULT_SOURCE

#include "far.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "place.h"
#include "quiet_thread.h"
#include "text.h"
#include "xalloc.h"

enum { WANTS_MAX = 64, ASKS_MAX = 16, CAUSE_MAX = 256, CLOCK_STEP_MS = 2000, OLD_FOLDERS_MAX = 64 };

/* An act on its way. */
struct link_ask {
    int64_t ticket; /* 0 = free */
    int64_t run;
    const struct control *control; /* borrowed from the waiting thread */
    bool is_sent, is_done;
    int64_t row;
    struct err err;
};

struct far_link {
    struct far_place far;
    struct place place;    /* of the mirror */
    char folder[PATH_MAX]; /* of the mirror; "" = none was made */
    int folder_fd;         /* its lock */
    struct str name;       /* owned; the log's name on screen; unchanged once the link is open */
    pthread_t thread;
    bool has_thread;
    int wake_fd;

    /* Only for the thread. */
    struct log_copy *copy; /* owned */
    struct {
        int64_t run, row;
    } pending[FAR_PENDING_MAX]; /* acts without an answer */
    int pending_count;

    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t news;
    bool stopping, is_ready, is_connected, is_writable;
    struct err fatal; /* why the link could not be opened */
    int64_t run;      /* the run on screen */
    int64_t wants[WANTS_MAX];
    int want_count, wants_sent;
    struct link_ask asks[ASKS_MAX];
    int64_t last_ticket;
    int64_t events_done, events_all; /* of the run on screen */
    int64_t heard_ms, retry_ms;      /* the steady clock */
    char cause[CAUSE_MAX];           /* why there is no contact; "" = unknown */
    char trouble[CAUSE_MAX];         /* what is wrong with the log there; "" = nothing */
    bool has_clock;
    int64_t ahead_at_ms, ahead_mono_ms; /* the clocks there, minus ours */
};

/* The folder of the mirror. */

static bool cache_folder(char out[PATH_MAX], struct err *err)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    struct place_disk disk;
    char path[PATH_MAX - 64];
    const char *const names[] = {"/devs", "/on"};
    int len = cache && cache[0] == '/' ? snprintf(path, sizeof(path), "%s", cache)
              : home && home[0] == '/' ? snprintf(path, sizeof(path), "%s/.cache", home)
                                       : snprintf(path, sizeof(path), "/tmp");
    if (len < 0 || len >= (int)sizeof(path))
        return err_set(err, ERR_LIMIT, "the path of the cache is too long");
    (void)mkdir(path, 0700); /* usually it exists */
    if (place_disk(path, &disk, NULL) && disk.is_network)
        (void)snprintf(path, sizeof(path), "/tmp");
    (void)snprintf(out, PATH_MAX, "%s", path);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        /* /tmp is shared: the folder there has the number of the user. */
        const bool is_shared = i == 0 && strcmp(path, "/tmp") == 0;
        struct stat info;
        const size_t at = strlen(out);
        (void)snprintf(out + at, PATH_MAX - at, is_shared ? "%s-%ld" : "%s", names[i],
                       (long)geteuid());
        if (mkdir(out, 0700) != 0 && errno != EEXIST)
            return err_set_errno(err, errno, "cannot create folder '%s'", out);
        if (lstat(out, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
            (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
            return err_set(err, ERR_INVALID, "'%s' is not a private folder of yours", out);
    }
    return true;
}

/* Removes the files of a mirror. Nobody else can write to its folder. */
static void remove_mirror(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const char *const parts[] = {"owner", "."};
    for (size_t i = 0; fd >= 0 && i < ARRAY_LEN(parts); i++) {
        const int part = openat(fd, parts[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *dir = part >= 0 ? fdopendir(part) : NULL;
        for (const struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
            (void)unlinkat(dirfd(dir), entry->d_name, 0); /* not the folders */
        if (dir)
            (void)closedir(dir);
    }
    if (fd >= 0) {
        (void)unlinkat(fd, "owner", AT_REMOVEDIR);
        (void)close(fd);
    }
    (void)rmdir(folder);
}

/* Removes mirrors whose devs was killed: nobody holds the lock of their folder. */
static void remove_old_mirrors(const char *cache)
{
    DIR *dir = opendir(cache);
    int left = OLD_FOLDERS_MAX;
    for (const struct dirent *entry = dir ? readdir(dir) : NULL; entry && left > 0;
         entry = readdir(dir), left--) {
        char path[PATH_MAX];
        const int len = snprintf(path, sizeof(path), "%s/%s", cache, entry->d_name);
        if (entry->d_name[0] == '.' || len < 0 || len >= (int)sizeof(path))
            continue;
        const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            remove_mirror(path);
        if (fd >= 0)
            (void)close(fd);
    }
    if (dir)
        (void)closedir(dir);
}

static bool make_mirror(struct far_link *link, struct err *err)
{
    char cache[PATH_MAX];
    char db[PATH_MAX];
    if (!cache_folder(cache, err))
        return false;
    remove_old_mirrors(cache);
    const int len = snprintf(link->folder, sizeof(link->folder), "%s/XXXXXX", cache);
    if (len < 0 || len >= (int)sizeof(link->folder) || !mkdtemp(link->folder)) {
        link->folder[0] = '\0';
        return err_set_errno(err, errno, "cannot create a folder in '%s'", cache);
    }
    link->folder_fd = open(link->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (link->folder_fd < 0 || flock(link->folder_fd, LOCK_EX | LOCK_NB) != 0)
        return err_set_errno(err, errno, "cannot lock '%s'", link->folder);
    const int db_len = snprintf(db, sizeof(db), "%s/devs.db", link->folder);
    return (db_len > 0 && db_len < (int)sizeof(db) && place_of_file(db, &link->place, err)) ||
           err_set(err, ERR_LIMIT, "path '%.100s...' is too long", link->folder);
}

/* The thread: messages. */

static void set_words(char out[CAUSE_MAX], const char *bytes, size_t len)
{
    struct str clean = {0};
    text_clean(&clean, bytes, len);
    text_copy(out, CAUSE_MAX, str_text(&clean));
    str_done(&clean);
}

/* Sends what the feed needs to know about this side. */
static bool send_beginning(struct far_link *link, struct far_talk *talk, struct err *err)
{
    (void)pthread_mutex_lock(&link->lock);
    const struct feed_value watch[] = {feed_number(FEED_FOLLOW), feed_number(link->run)};
    link->wants_sent = 0;
    (void)pthread_mutex_unlock(&link->lock);
    far_talk_send(talk, FEED_WATCH, watch, ARRAY_LEN(watch));
    if (!log_copy_have(link->copy, &talk->out, err))
        return false;
    for (int i = 0; i < link->pending_count; i++) {
        const struct feed_value pending[] = {feed_number(link->pending[i].run),
                                             feed_number(link->pending[i].row)};
        far_talk_send(talk, FEED_PENDING, pending, ARRAY_LEN(pending));
    }
    far_talk_send(talk, FEED_GO, NULL, 0);
    return true;
}

static void take_log(struct far_link *link, const struct feed_message *message)
{
    struct str path = {0};
    (void)pthread_mutex_lock(&link->lock);
    if (link->name.len == 0) { /* after a break, the answer is the same */
        link->run = feed_number_at(message, 0, 0);
        link->is_writable = feed_number_at(message, 1, 0) != 0;
        const struct feed_value *value = &message->values[3];
        text_clean(&path, value->bytes, value->len);
        str_addf(&link->name, "%s:%s", link->far.host, str_text(&path));
    }
    (void)pthread_mutex_unlock(&link->lock);
    log_copy_want(link->copy, link->run); /* only this thread changes it */
    str_done(&path);
}

/* Takes the clocks there. A message that took longer only makes them seem to be behind, so they are
 * set once, and again only after a step. */
static void take_state(struct far_link *link, const struct feed_message *message)
{
    const struct moment now = clock_now();
    const int64_t at_ms = feed_number_at(message, 0, 0) - now.at_ms;
    const int64_t mono_ms = feed_number_at(message, 1, 0) - now.mono_ms;
    (void)pthread_mutex_lock(&link->lock);
    if (!link->has_clock || llabs(at_ms - link->ahead_at_ms) > CLOCK_STEP_MS ||
        llabs(mono_ms - link->ahead_mono_ms) > CLOCK_STEP_MS) {
        link->ahead_at_ms = at_ms;
        link->ahead_mono_ms = mono_ms;
        link->has_clock = true;
    }
    set_words(link->trouble, message->values[2].bytes, message->values[2].len);
    (void)pthread_mutex_unlock(&link->lock);
}

static void forget_pending(struct far_link *link, const struct feed_message *control)
{
    enum { APPLIED = 10 };
    if (control->values[APPLIED].type == FEED_NULL)
        return;
    int kept = 0;
    for (int i = 0; i < link->pending_count; i++) {
        if (link->pending[i].row != feed_number_at(control, 1, 0))
            link->pending[kept++] = link->pending[i];
    }
    link->pending_count = kept;
}

/* The act is in the log there, and in the mirror, or was refused. */
static void take_asked(struct far_link *link, const struct feed_message *message)
{
    char why[CAUSE_MAX];
    const int64_t row = feed_number_at(message, 1, 0);
    set_words(why, message->values[2].bytes, message->values[2].len);
    (void)pthread_mutex_lock(&link->lock);
    for (int i = 0; i < ASKS_MAX; i++) {
        struct link_ask *ask = &link->asks[i];
        if (ask->ticket == 0 || ask->ticket != feed_number_at(message, 0, 0) || ask->is_done)
            continue;
        ask->is_done = true;
        ask->row = row;
        if (row == 0)
            (void)err_set(&ask->err, ERR_INVALID, "%s", why[0] != '\0' ? why : "refused there");
        else if (link->pending_count < FAR_PENDING_MAX) {
            link->pending[link->pending_count].run = ask->run;
            link->pending[link->pending_count++].row = row;
        }
    }
    (void)pthread_cond_broadcast(&link->news);
    (void)pthread_mutex_unlock(&link->lock);
}

static bool take_message(struct far_link *link, struct far_talk *talk,
                         const struct feed_message *message, struct err *err)
{
    if (message->kind == FEED_LOG)
        take_log(link, message);
    else if (message->kind == FEED_STATE)
        take_state(link, message);
    if (!log_copy_take(link->copy, message, err))
        return false;
    if (message->kind == FEED_ASKED) { /* its row, which came before, must be visible */
        if (!log_copy_commit(link->copy, clock_now().mono_ms, err))
            return false;
        take_asked(link, message);
    } else if (message->kind == FEED_CONTROL) {
        forget_pending(link, message);
    }
    for (int64_t run; (run = log_copy_again(link->copy)) != 0;) {
        const struct feed_value again[] = {feed_number(run)};
        far_talk_send(talk, FEED_AGAIN, again, ARRAY_LEN(again));
    }
    return true;
}

static void send_ask(struct far_talk *talk, const struct link_ask *ask, const char *uid)
{
    const struct control *control = ask->control;
    struct str args = {0};
    control_args(control, &args);
    const struct feed_value values[] = {
        feed_number(ask->ticket),
        feed_number(ask->run),
        feed_text(uid),
        feed_number((int64_t)control->verb),
        control->task >= 0 ? feed_number(control->task) : feed_null(),
        control->step >= 0 ? feed_number(control->step) : feed_null(),
        control->attempt > 0 ? feed_number(control->attempt) : feed_null(),
        args.len > 0 ? feed_text(args.data) : feed_null(),
        feed_text(control->by),
        feed_number(control->key_at_ms),
    };
    far_talk_send(talk, FEED_ASK, values, ARRAY_LEN(values));
    str_done(&args);
}

/* Sends new acts, and runs whose output is wanted. */
static void send_requests(struct far_link *link, struct far_talk *talk)
{
    (void)pthread_mutex_lock(&link->lock);
    for (; link->wants_sent < link->want_count; link->wants_sent++) {
        const int64_t run = link->wants[link->wants_sent];
        const struct feed_value want[] = {feed_number(run)};
        log_copy_want(link->copy, run);
        far_talk_send(talk, FEED_WANT, want, ARRAY_LEN(want));
    }
    for (int i = 0; i < ASKS_MAX; i++) {
        struct link_ask *ask = &link->asks[i];
        const char *uid = log_copy_uid(link->copy, ask->run);
        if (ask->ticket == 0 || ask->is_sent || ask->is_done)
            continue;
        ask->is_sent = true;
        if (uid) {
            send_ask(talk, ask, uid);
        } else {
            ask->is_done = true;
            (void)err_set(&ask->err, ERR_NOT_FOUND, "no run #%lld in that log",
                          (long long)ask->run);
            (void)pthread_cond_broadcast(&link->news);
        }
    }
    (void)pthread_mutex_unlock(&link->lock);
}

static bool is_stopping(struct far_link *link)
{
    (void)pthread_mutex_lock(&link->lock);
    const bool stopping = link->stopping;
    (void)pthread_mutex_unlock(&link->lock);
    return stopping;
}

static void drain(int fd)
{
    uint64_t count;
    (void)!read(fd, &count, sizeof(count)); /* does not block */
}

/* Tells the main thread how the channel is. */
static void tell_state(struct far_link *link, const struct far_talk *talk)
{
    (void)pthread_mutex_lock(&link->lock);
    link->is_connected = talk->has_hello;
    if (talk->has_hello) /* otherwise, that is when the channel was begun */
        link->heard_ms = talk->heard_ms;
    log_copy_progress(link->copy, link->run, &link->events_done, &link->events_all);
    const bool is_ready = log_copy_is_synced(link->copy, link->run);
    if (is_ready && !link->is_ready) {
        link->is_ready = true;
        (void)pthread_cond_broadcast(&link->news);
    }
    (void)pthread_mutex_unlock(&link->lock);
}

/* Talks to the feed until the channel ends. Returns true if the link is stopping. */
static bool converse(struct far_link *link, struct far_talk *talk, struct err *err)
{
    struct feed_message message;
    int64_t beat_ms = talk->began_ms;
    while (!is_stopping(link)) {
        far_talk_wait(talk, link->wake_fd, FAR_BEAT_MS);
        drain(link->wake_fd);
        const int64_t now_ms = clock_now().mono_ms;
        enum far_got got = FAR_NOTHING;
        while ((got = far_talk_next(talk, &link->far, &message, err)) != FAR_NOTHING) {
            if (got == FAR_FAILED || (got == FAR_HELLO && !send_beginning(link, talk, err)) ||
                (got == FAR_MESSAGE && !take_message(link, talk, &message, err)))
                return false;
        }
        if (!log_copy_commit(link->copy, now_ms, err))
            return false;
        tell_state(link, talk);
        if (talk->has_ended)
            return false; /* far_talk_close() finds the reason */
        const int64_t silent_ms = talk->has_hello ? FAR_SILENT_MS : FAR_HELLO_MS;
        if (now_ms - talk->heard_ms > silent_ms)
            return err_set(err, ERR_IO, "%s: no answer for %d s", link->far.host,
                           (int)(silent_ms / 1000));
        if (!talk->has_hello)
            continue;
        send_requests(link, talk);
        if (now_ms - beat_ms >= FAR_BEAT_MS) {
            beat_ms = now_ms;
            far_talk_send(talk, FEED_BEAT, NULL, 0);
        }
    }
    return true;
}

/* The channel has ended: acts on their way fail, because they may or may not have arrived. */
static void tell_break(struct far_link *link, const struct err *why, int64_t delay_ms)
{
    (void)pthread_mutex_lock(&link->lock);
    link->is_connected = false;
    link->retry_ms = clock_now().mono_ms + delay_ms;
    text_copy(link->cause, sizeof(link->cause), why->message);
    if (!link->is_ready && link->fatal.code == ERR_NONE)
        link->fatal = *why;
    for (int i = 0; i < ASKS_MAX; i++) {
        struct link_ask *ask = &link->asks[i];
        if (ask->ticket == 0 || !ask->is_sent || ask->is_done)
            continue;
        ask->is_done = true;
        (void)err_set(&ask->err, ERR_IO, "the connection broke: it may have arrived");
    }
    (void)pthread_cond_broadcast(&link->news);
    (void)pthread_mutex_unlock(&link->lock);
}

static void *run_link(void *arg)
{
    struct far_link *link = arg;
    int64_t delay_ms = FAR_RETRY_MS_MIN;
    while (!is_stopping(link)) {
        struct far_talk talk = {0};
        struct err why = {0};
        bool was_connected = false;
        if (far_talk_open(&talk, &link->far, &why)) {
            const bool stops = converse(link, &talk, &why);
            was_connected = talk.has_hello;
            log_copy_drop(link->copy);
            far_talk_close(&talk, &link->far, stops ? NULL : &why);
        }
        if (is_stopping(link))
            break;
        if (was_connected)
            delay_ms = FAR_RETRY_MS_MIN;
        tell_break(link, &why, delay_ms);
        (void)pthread_mutex_lock(&link->lock);
        const bool is_fatal = link->fatal.code != ERR_NONE;
        (void)pthread_mutex_unlock(&link->lock);
        if (is_fatal)
            break;
        struct pollfd woken = {.fd = link->wake_fd, .events = POLLIN};
        (void)poll(&woken, 1, (int)delay_ms);
        drain(link->wake_fd);
        delay_ms = delay_ms * 2 < FAR_RETRY_MS_MAX ? delay_ms * 2 : FAR_RETRY_MS_MAX;
    }
    return NULL;
}

/* The other threads. */

static void wake(struct far_link *link)
{
    const uint64_t one = 1;
    (void)!write(link->wake_fd, &one, sizeof(one)); /* fails only if it is awake */
}

bool far_link_open(struct far_link **out, const struct far_place *far, int64_t run, struct err *err)
{
    struct far_link *link = xcalloc(1, sizeof(*link));
    struct progress progress = progress_new();
    struct str host = {0};
    link->far = *far;
    link->run = run;
    link->folder_fd = -1;
    link->heard_ms = clock_now().mono_ms;
    (void)pthread_mutex_init(&link->lock, NULL); /* cannot fail without attributes */
    (void)pthread_cond_init(&link->news, NULL);
    link->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    far_place_words(far, &host);
    bool ok = link->wake_fd >= 0 || err_set_errno(err, errno, "cannot start the link");
    ok = ok && make_mirror(link, err) &&
         log_copy_open(&link->copy, &link->place, str_text(&host), true, err);
    if (ok) {
        const int number = quiet_thread_start(&link->thread, run_link, link);
        link->has_thread = number == 0;
        ok = number == 0 || err_set_errno(err, number, "cannot start the link");
    }
    (void)pthread_mutex_lock(&link->lock);
    while (ok && !link->is_ready && link->fatal.code == ERR_NONE && stop_signal() == 0) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1; /* looks for a signal */
        (void)pthread_cond_timedwait(&link->news, &link->lock, &until);
        progress_say(&progress, "reading the log", link->events_done, link->events_all);
    }
    progress_done(&progress);
    if (ok && !link->is_ready) {
        ok = link->fatal.code == ERR_NONE
                 ? err_set(err, ERR_IO, "%s: interrupted", far->host)
                 : err_set(err, link->fatal.code, "%s", link->fatal.message) ||
                       err_hint(err, "%s", link->fatal.hint);
    }
    (void)pthread_mutex_unlock(&link->lock);
    str_done(&host);
    if (!ok) {
        far_link_close(link);
        return false;
    }
    *out = link;
    return true;
}

void far_link_close(struct far_link *link)
{
    if (!link)
        return;
    (void)pthread_mutex_lock(&link->lock);
    link->stopping = true;
    (void)pthread_cond_broadcast(&link->news);
    (void)pthread_mutex_unlock(&link->lock);
    if (link->wake_fd >= 0)
        wake(link);
    if (link->has_thread)
        (void)pthread_join(link->thread, NULL);
    log_copy_close(link->copy);
    if (link->folder[0] != '\0')
        remove_mirror(link->folder);
    if (link->folder_fd >= 0)
        (void)close(link->folder_fd);
    if (link->wake_fd >= 0)
        (void)close(link->wake_fd);
    (void)pthread_cond_destroy(&link->news);
    (void)pthread_mutex_destroy(&link->lock);
    str_done(&link->name);
    free(link);
}

const struct place *far_link_place(const struct far_link *link)
{
    return &link->place;
}

int64_t far_link_run(const struct far_link *link)
{
    return link->run; /* does not change once the link is open */
}

const char *far_link_name(const struct far_link *link)
{
    return str_text(&link->name);
}

/* Appends why there is no contact; nothing if there is. */
static void add_contact(struct far_link *link, struct str *out)
{
    enum { MS_PER_S = 1000, S_PER_MIN = 60 };
    const int64_t now_ms = clock_now().mono_ms;
    const int64_t silent_ms = now_ms - link->heard_ms;
    if (link->is_connected && silent_ms < FAR_CONTACT_MS)
        return;
    const int64_t s = silent_ms / MS_PER_S;
    str_addf(out, "no contact %lld:%02lld with %s", (long long)(s / S_PER_MIN),
             (long long)(s % S_PER_MIN), link->far.host);
    if (link->is_connected)
        return;
    const int64_t left_ms = link->retry_ms - now_ms;
    if (left_ms > 0)
        str_addf(out, ", connecting again in %lld s",
                 (long long)((left_ms + MS_PER_S - 1) / MS_PER_S));
    else
        str_add(out, ", connecting");
    /* "h1: why": the host is named already */
    const char *cause = link->cause;
    const size_t len = strlen(link->far.host);
    if (strncmp(cause, link->far.host, len) == 0 && strncmp(cause + len, ": ", 2) == 0)
        cause += len + 2;
    if (*cause != '\0')
        str_addf(out, ": %s", cause);
}

static void app_contact(void *ctx, struct str *out)
{
    struct far_link *link = ctx;
    (void)pthread_mutex_lock(&link->lock);
    add_contact(link, out);
    if (out->len == 0)
        str_add(out, link->trouble);
    (void)pthread_mutex_unlock(&link->lock);
}

static struct moment app_now(void *ctx)
{
    struct far_link *link = ctx;
    struct moment now = clock_now();
    (void)pthread_mutex_lock(&link->lock);
    now.at_ms += link->ahead_at_ms;
    now.mono_ms += link->ahead_mono_ms;
    (void)pthread_mutex_unlock(&link->lock);
    return now;
}

static void app_opens(void *ctx, int64_t run)
{
    struct far_link *link = ctx;
    bool is_new = true;
    (void)pthread_mutex_lock(&link->lock);
    for (int i = 0; i < link->want_count; i++)
        is_new = is_new && link->wants[i] != run;
    if (is_new && link->want_count < WANTS_MAX)
        link->wants[link->want_count++] = run;
    (void)pthread_mutex_unlock(&link->lock);
    wake(link);
}

void far_link_app(struct far_link *link, struct app_far *out)
{
    *out =
        (struct app_far){.ctx = link, .now = app_now, .contact = app_contact, .opens = app_opens};
}

/* Thread: the desk's. Waits until the act is in the log there. */
static bool send_act(void *ctx, int64_t run, const struct control *control, int64_t *row_out,
                     struct err *err)
{
    struct far_link *link = ctx;
    struct link_ask *ask = NULL;
    struct str why = {0};
    struct timespec until;
    int number = 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += FAR_ASK_MS / 1000;
    (void)pthread_mutex_lock(&link->lock);
    add_contact(link, &why);
    for (int i = 0; i < ASKS_MAX && !ask; i++)
        ask = link->asks[i].ticket == 0 ? &link->asks[i] : NULL;
    bool ok = why.len == 0 || err_set(err, ERR_IO, "%.300s", why.data);
    ok = ok && (ask || err_set(err, ERR_LIMIT, "%d actions are already waiting", (int)ASKS_MAX));
    if (ok) {
        *ask = (struct link_ask){.ticket = ++link->last_ticket, .run = run, .control = control};
        wake(link);
        while (!ask->is_done && !link->stopping && number == 0)
            number = pthread_cond_timedwait(&link->news, &link->lock, &until);
        if (!ask->is_done)
            ok = err_set(err, ERR_BUSY, "no answer from %s within %d s: it may have arrived",
                         link->far.host, FAR_ASK_MS / 1000);
        else if (ask->row == 0)
            ok = err_set(err, ask->err.code, "%s", ask->err.message);
        else
            *row_out = ask->row;
        *ask = (struct link_ask){0};
    }
    (void)pthread_mutex_unlock(&link->lock);
    str_done(&why);
    return ok;
}

bool far_link_desk(struct far_link *link, struct control_desk **out, struct err *err)
{
    (void)pthread_mutex_lock(&link->lock);
    const bool is_writable = link->is_writable;
    (void)pthread_mutex_unlock(&link->lock);
    *out = NULL;
    return !is_writable || control_desk_start_far(out, send_act, link, err);
}
