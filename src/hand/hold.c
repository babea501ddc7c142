/* hold.c - the process that keeps an allocation of a cluster, and starts attempts in it.
 *
 * When a step of a Slurm job ends, every process that it has started is killed. So the step through
 * which devs connects must not start an attempt. It sends the request and the attempt's files to
 * the holder, which is the batch script of the job, and the holder forks the keeper.
 *
 * The batch script is also what a cluster sends TERM to before it ends a job. The holder forwards
 * that to the keepers, which are not told otherwise.
 *
 * The socket is in the abstract namespace: nothing is left of it when the holder is killed. Both
 * sides check that the other one belongs to the same user. */
#define _GNU_SOURCE /* memfd_create, accept4, struct ucred */

#include "hand_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "version.h"

enum {
    NAME_MAX_BYTES = 80,
    CONNECT_WAIT_MS = 10 * 1000, /* a job is reported as running before its script runs */
    CONNECT_AGAIN_MS = 50,
    TELL_AGAIN_MS = 50,
    LINKS_MAX = 1024, /* connections and attempts together */
    FIXED_FDS = 2,    /* the socket and the signals come first */
};

enum hold_kind { HOLD_START = 1, HOLD_RELEASE = 2 };

/* What a client sends; both sides are the same program. With HOLD_START come the descriptors. */
struct hold_message {
    char build[HAND_BUILD_MAX + 1];
    enum hold_kind kind;
    struct spool spool;
    struct hand_request_check check;
    size_t words_bytes;
};
enum { FD_SPOOL, FD_CONTROL, FD_WORDS, FD_INPUT, FDS_SENT };

/* The answer: 0, or the errno of a failure. */
struct hold_answer {
    int32_t number;
};

/* --- both sides --- */

/* Sets the address of a holder. Returns its length, or 0 for an invalid name. */
static socklen_t find_address(const char *name, struct sockaddr_un *out)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const size_t len = strlen(name);
    if (len == 0 || len > NAME_MAX_BYTES || strspn(name, allowed) != len)
        return 0;
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int wrote = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, "devs-hand/%lu/%s",
                               (unsigned long)geteuid(), name);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)wrote);
}

bool hold_name_is_valid(const char *name)
{
    struct sockaddr_un address;
    return find_address(name, &address) > 0;
}

/* Returns whether the other side is a process of the same user. */
static bool is_own_peer(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_sec = ms / MS_PER_S, .tv_nsec = ms % MS_PER_S * NS_PER_MS};
    (void)nanosleep(&pause, NULL);
}

/* --- the client: a devs-hand in a step of the job --- */

int hold_connect(const char *name, bool may_wait)
{
    struct sockaddr_un address;
    const socklen_t len = find_address(name, &address);
    const uint64_t until = boot_ms() + (may_wait ? CONNECT_WAIT_MS : 0);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int number;
    do {
        number = connect(fd, (const struct sockaddr *)&address, len) == 0 ? 0 : errno;
        if (number == ECONNREFUSED && boot_ms() < until)
            pause_ms(CONNECT_AGAIN_MS);
    } while (number == EINTR || (number == ECONNREFUSED && boot_ms() < until));
    if (number == 0 && is_own_peer(fd))
        return fd;
    (void)close(fd);
    errno = number != 0 ? number : EPERM;
    return -1;
}

static bool send_message(int hold, const struct hold_message *message, const int *fds, size_t count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(FDS_SENT * sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = (void *)(uintptr_t)message, .iov_len = sizeof(*message)};
    struct msghdr all = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        all.msg_control = control.bytes;
        all.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.head), fds, count * sizeof(int));
    }
    ssize_t sent;
    do
        sent = sendmsg(hold, &all, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof(*message);
}

/* Sends a message and waits for the answer, however long that takes: whoever gives up cannot undo
 * what the holder does later. Returns false with errno. */
static bool ask(int hold, const struct hold_message *message, const int *fds, size_t count)
{
    struct hold_answer answer;
    if (!send_message(hold, message, fds, count))
        return false;
    ssize_t got;
    do
        got = recv(hold, &answer, sizeof(answer), 0);
    while (got < 0 && errno == EINTR);
    if (got >= 0)
        errno = got == (ssize_t)sizeof(answer) ? answer.number : ECONNRESET;
    return errno == 0;
}

static void describe_message(struct hold_message *message, enum hold_kind kind)
{
    memset(message, 0, sizeof(*message));
    message->kind = kind;
    (void)snprintf(message->build, sizeof(message->build), "%s", version_text());
}

/* Copies the words to a memory file. Returns its descriptor or -1. */
static int store_words(const struct order *order)
{
    const int fd = memfd_create("words", MFD_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < order->words_bytes) {
        const ssize_t wrote = write(fd, order->words + done, order->words_bytes - done);
        if (wrote < 0 && errno != EINTR) {
            (void)close(fd);
            return -1;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return fd;
}

bool hold_start(int hold, const struct spool *spool, const struct order *order)
{
    struct hold_message message;
    const int fds[FDS_SENT] = {[FD_SPOOL] = spool->fd,
                               [FD_CONTROL] = spool->control,
                               [FD_WORDS] = store_words(order),
                               [FD_INPUT] = order->input};
    if (fds[FD_WORDS] < 0)
        return false;
    describe_message(&message, HOLD_START);
    message.spool = *spool;
    message.check = order->check;
    message.words_bytes = order->words_bytes;
    const bool ok = ask(hold, &message, fds, FDS_SENT);
    const int number = errno;
    (void)close(fds[FD_WORDS]);
    errno = number;
    return ok;
}

bool hold_release(int hold)
{
    struct hold_message message;
    describe_message(&message, HOLD_RELEASE);
    return ask(hold, &message, NULL, 0);
}

/* --- the holder --- */

/* A connection, or an attempt: the writing end of its control pipe, which reports an error when its
 * keeper is gone. */
struct link {
    bool is_attempt;
    bool was_told; /* that somebody ends the job */
};

struct holder {
    struct pollfd fds[FIXED_FDS + LINKS_MAX];
    struct link links[LINKS_MAX]; /* of fds[FIXED_FDS + i] */
    size_t count;
    uint64_t idle_since_ms, idle_ms;
    bool is_ending; /* the cluster ends the job */
    bool is_released;
};

static struct holder the_holder; /* too large for a stack */

static bool add_link(struct holder *holder, int fd, bool is_attempt)
{
    if (fd < 0 || holder->count == LINKS_MAX) {
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    holder->fds[FIXED_FDS + holder->count] =
        (struct pollfd){.fd = fd, .events = is_attempt ? 0 : POLLIN};
    holder->links[holder->count] = (struct link){.is_attempt = is_attempt};
    holder->count++;
    return true;
}

static void remove_link(struct holder *holder, size_t i)
{
    (void)close(holder->fds[FIXED_FDS + i].fd);
    holder->count--;
    holder->fds[FIXED_FDS + i] = holder->fds[FIXED_FDS + holder->count];
    holder->links[i] = holder->links[holder->count];
}

static size_t count_attempts(const struct holder *holder)
{
    size_t count = 0;
    for (size_t i = 0; i < holder->count; i++)
        count += holder->links[i].is_attempt;
    return count;
}

/* Receives a message. Returns whether it is one; its descriptors are the caller's in any case. */
static bool receive_message(int fd, struct hold_message *message, int fds[FDS_SENT])
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(FDS_SENT * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = message, .iov_len = sizeof(*message)};
    struct msghdr all = {.msg_iov = &part,
                         .msg_iovlen = 1,
                         .msg_control = control.bytes,
                         .msg_controllen = sizeof(control.bytes)};
    const ssize_t got = recvmsg(fd, &all, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    const struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&all) : NULL;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    return got == (ssize_t)sizeof(*message) && !(all.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
}

/* Reads the words of an order. Returns false with errno. */
static bool load_words(const struct hold_message *message, int fd, struct order *order)
{
    const struct hand_request *request = &message->check.request;
    size_t words = 0;
    size_t done = 0;
    errno = EPROTO;
    if (message->words_bytes > HAND_WORDS_BYTES_MAX)
        return false;
    order->words_bytes = message->words_bytes;
    order->words = malloc(order->words_bytes + 1);
    while (order->words && done < order->words_bytes) {
        const ssize_t got = pread(fd, order->words + done, order->words_bytes - done, (off_t)done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    for (size_t i = 0; order->words && i < done; i++)
        words += order->words[i] == '\0';
    if (!order->words || words != (size_t)request->arguments + request->entries + 1)
        return false;
    return true;
}

/* Starts an attempt. Returns 0 or the errno. Whatever it returns, the keeper may have been started,
 * so the control pipe becomes a link. */
static int start_held(struct holder *holder, const struct hold_message *message, const int *fds)
{
    struct order order = {.check = message->check, .input = fds[FD_INPUT], .is_held = true};
    struct spool spool = message->spool;
    char path[64];
    int number = 0;
    spool.fd = fds[FD_SPOOL];
    spool.control = fds[FD_CONTROL];
    spool.limit = find_size_limit();
    /* For writing only: whoever has it for reading would look like a keeper. */
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", spool.control);
    if (!add_link(holder, open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC), true))
        return EMFILE;
    if (!load_words(message, fds[FD_WORDS], &order) || !keeper_start(&spool, &order))
        number = errno;
    if (order.words)
        explicit_bzero(order.words, order.words_bytes);
    free(order.words);
    return number;
}

/* Answers a client. Returns false if its connection is to be closed. */
static bool serve(struct holder *holder, int client)
{
    struct hold_message message;
    struct hold_answer answer = {.number = EPROTO};
    int fds[FDS_SENT] = {-1, -1, -1, -1};
    const bool is_whole = receive_message(client, &message, fds);
    message.build[HAND_BUILD_MAX] = '\0';
    if (is_whole && strcmp(message.build, version_text()) == 0) {
        if (message.kind == HOLD_START && fds[FDS_SENT - 1] >= 0)
            answer.number = holder->is_ending ? ECANCELED : start_held(holder, &message, fds);
        if (message.kind == HOLD_RELEASE)
            answer.number = count_attempts(holder) > 0 ? EBUSY : 0;
    }
    /* Before the answer: the spool is locked until this descriptor is closed. */
    for (int i = 0; i < FDS_SENT; i++) {
        if (fds[i] >= 0)
            (void)close(fds[i]);
    }
    if (is_whole && message.kind == HOLD_RELEASE && answer.number == 0)
        holder->is_released = true;
    return is_whole &&
           send(client, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(answer);
}

static void accept_clients(struct holder *holder, int listener)
{
    for (;;) {
        const int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0)
            return;
        if (!is_own_peer(client))
            (void)close(client);
        else
            (void)add_link(holder, client, false);
    }
}

static void read_signals(struct holder *holder, int signals)
{
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo != SIGCHLD)
            holder->is_ending = true;
    }
    while (waitpid(-1, NULL, WNOHANG) > 0) /* guards, and what outlived a killed one */
        continue;
}

/* Tells each keeper that somebody ends the job. Returns whether one has to be told again. */
static bool tell_keepers(struct holder *holder)
{
    uint8_t frame[HAND_SMALL_FRAME_MAX];
    const size_t size = hand_stamp_write(frame, HAND_FOREIGN, 0);
    bool again = false;
    for (size_t i = 0; holder->is_ending && i < holder->count; i++) {
        struct link *link = &holder->links[i];
        if (!link->is_attempt || link->was_told)
            continue;
        link->was_told = write(holder->fds[FIXED_FDS + i].fd, frame, size) >= 0 || errno == EPIPE;
        again = again || !link->was_told;
    }
    return again;
}

/* Serves clients, and forgets attempts that have ended. */
static void look_at_links(struct holder *holder)
{
    for (size_t i = holder->count; i-- > 0;) {
        const struct pollfd *fd = &holder->fds[FIXED_FDS + i];
        if (fd->revents && (holder->links[i].is_attempt || !serve(holder, fd->fd)))
            remove_link(holder, i);
    }
}

/* Returns once it is released, has been idle for too long, or the job ends and nobody needs it. */
static void hold(struct holder *holder)
{
    holder->idle_since_ms = boot_ms();
    for (;;) {
        const bool again = tell_keepers(holder);
        const uint64_t now_ms = boot_ms();
        if (holder->count > 0)
            holder->idle_since_ms = now_ms;
        const uint64_t idle_ms = now_ms - holder->idle_since_ms;
        if (holder->is_released ||
            (holder->count == 0 && (holder->is_ending || idle_ms >= holder->idle_ms)))
            return;
        int wait_ms = holder->count > 0 ? -1 : (int)(holder->idle_ms - idle_ms);
        if (again)
            wait_ms = TELL_AGAIN_MS;
        for (size_t i = 0; i < FIXED_FDS + holder->count; i++)
            holder->fds[i].revents = 0;
        (void)poll(holder->fds, (nfds_t)(FIXED_FDS + holder->count), wait_ms);
        read_signals(holder, holder->fds[1].fd);
        look_at_links(holder);
        accept_clients(holder, holder->fds[0].fd);
    }
}

int hold_run(const char *name, uint32_t idle_s)
{
    struct holder *holder = &the_holder;
    struct sockaddr_un address;
    const socklen_t len = find_address(name, &address);
    sigset_t all;
    sigset_t read_ones;
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0 || bind(listener, (const struct sockaddr *)&address, len) != 0) {
        const bool exists = errno == EADDRINUSE;
        return complain(exists ? HAND_EXIT_EXISTS : HAND_EXIT_HOLD, errno, "cannot hold", name);
    }
    (void)sigfillset(&all);
    (void)sigemptyset(&read_ones);
    (void)sigaddset(&read_ones, SIGCHLD);
    (void)sigaddset(&read_ones, SIGTERM);
    (void)sigaddset(&read_ones, SIGINT);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    const int signals = signalfd(-1, &read_ones, SFD_CLOEXEC | SFD_NONBLOCK);
    holder->fds[0] = (struct pollfd){.fd = listener, .events = POLLIN};
    holder->fds[1] = (struct pollfd){.fd = signals, .events = POLLIN};
    holder->idle_ms = (uint64_t)idle_s * MS_PER_S;
    /* Guards become our children, so a cluster that follows parents finds the attempts below us. */
    if (signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) != 0 ||
        listen(listener, SOMAXCONN) != 0)
        return complain(HAND_EXIT_HOLD, errno, "cannot hold", name);
    hold(holder);
    return HAND_EXIT_OK;
}
