/* hand.c - devs-hand: runs one attempt on this machine for a devs on another one (docs/hand.md). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hand_internal.h"
#include "version.h"

static const char usage[] =
    "usage: devs-hand run [--in NAME] DIR          start an attempt, then attach to it\n"
    "       devs-hand attach [--in NAME] DIR FROM  send its spool from byte FROM on\n"
    "       devs-hand order DIR term|kill\n"
    "       devs-hand state DIR        print a line of JSON\n"
    "       devs-hand clean [--lost] DIR\n"
    "       devs-hand hold NAME IDLE_S  keep an allocation and start attempts in it\n"
    "       devs-hand release NAME      end the holder\n"
    "       devs-hand --version\n";

static struct channel channel; /* these are too large for a stack */
static struct spool_reader reader;

int complain(int code, int number, const char *what, const char *name)
{
    (void)fprintf(stderr, "devs-hand: %s", what);
    if (name)
        (void)fprintf(stderr, " '%s'", name);
    (void)fprintf(stderr, "%s%s\n", number ? ": " : "", number ? strerror(number) : "");
    return code;
}

static void describe_begin(const struct order *order, struct hand_begin *begin)
{
    *begin = (struct hand_begin){
        .lease_ms = order->check.request.lease_ms,
        .grace_ms = order->check.request.grace_ms,
        .at_ms = wall_ms(),
    };
    describe_machine(begin);
}

/* Returns whether the attempt has a keeper, or an end. */
static bool was_started(const char *path)
{
    struct attempt_dir attempt;
    uint64_t size;
    if (!attempt_open(path, &attempt))
        return false;
    reader.fd = attempt.spool;
    const enum hand_state state = spool_look(&reader, &size);
    attempt_close(&attempt);
    return state == HAND_STATE_RUNNING || state == HAND_STATE_ENDED;
}

/* Creates the directory and starts a keeper, or lets the holder start it unless `hold` is -1.
 * Returns HAND_EXIT_OK, or the code of a refusal. */
static int start_attempt(const char *path, const struct order *order, int hold)
{
    struct hand_begin begin;
    struct spool spool;
    const int dir = dir_create(path);
    if (dir < 0 && errno == EEXIST)
        return channel_refuse(&channel, HAND_EXIT_EXISTS, 0, "the attempt was started before");
    if (dir < 0)
        return channel_refuse(&channel, HAND_EXIT_DIR, errno, "cannot create the directory");
    describe_begin(order, &begin);
    bool ok = spool_create(dir, &begin, &spool);
    if (ok) {
        ok = hold >= 0 ? hold_start(hold, &spool, order) : keeper_start(&spool, order);
        const int number = errno;
        (void)close(spool.fd); /* and with it our part of the lock */
        (void)close(spool.control);
        /* Whatever is between us and the guard may be killed after it has forked the guard. */
        ok = ok || was_started(path);
        errno = number;
    }
    int code = HAND_EXIT_OK;
    if (!ok) {
        code = channel_refuse(&channel, HAND_EXIT_DIR, errno, "cannot start the attempt");
        (void)!dir_remove(path, dir);
    }
    (void)close(dir);
    return code;
}

/* Opens the attempt. Returns HAND_EXIT_OK, or the code of errno. */
static int open_attempt(const char *path, struct attempt_dir *attempt)
{
    if (attempt_open(path, attempt))
        return HAND_EXIT_OK;
    return errno == ENOENT || errno == ENODATA ? HAND_EXIT_NONE : HAND_EXIT_DIR;
}

/* Reports on stderr that open_attempt() failed. Returns `code`. */
static int complain_open(int code, const char *path)
{
    if (code == HAND_EXIT_NONE)
        return complain(code, 0, "no attempt in", path);
    return complain(code, errno, "cannot open", path);
}

/* `is_ours`: we have started the attempt, so a failure does not mean that there is none. */
static int attach(const char *path, uint64_t from, bool is_ours)
{
    struct attempt_dir attempt;
    int code = open_attempt(path, &attempt);
    if (code != HAND_EXIT_OK && is_ours)
        return channel_refuse(&channel, HAND_EXIT_CHANNEL, errno, "cannot open the attempt");
    if (code == HAND_EXIT_NONE)
        return channel_refuse(&channel, HAND_EXIT_NONE, 0, "there is no attempt");
    if (code != HAND_EXIT_OK)
        return channel_refuse(&channel, HAND_EXIT_DIR, errno, "cannot open the directory");
    code = channel_attach(&channel, &attempt, from);
    attempt_close(&attempt);
    return code;
}

/* Connects to a holder. The connection lasts until we exit. A cluster sends TERM to us too; what
 * the attempt does then is still to be sent. */
static int connect_to_holder(const char *name, bool may_wait)
{
    (void)signal(SIGTERM, SIG_IGN);
    return hold_connect(name, may_wait);
}

static int command_run(const char *holder, const char *path)
{
    struct order order = {.input = -1};
    int code = HAND_EXIT_OK;
    channel_open(&channel);
    const int hold = holder ? connect_to_holder(holder, true) : -1;
    if (holder && hold < 0)
        code = channel_refuse(&channel, HAND_EXIT_HOLD, errno, "cannot reach the holder");
    if (code == HAND_EXIT_OK)
        code = channel_request(&channel, &order);
    if (code == HAND_EXIT_OK)
        code = start_attempt(path, &order, hold);
    order_done(&order);
    if (code == HAND_EXIT_OK)
        code = attach(path, 0, true);
    channel_close(&channel);
    return code;
}

/* Without its holder, an attempt can still be read. */
static int command_attach(const char *holder, const char *path, const char *from_text)
{
    char *end;
    errno = 0;
    const unsigned long long from = strtoull(from_text, &end, 10);
    if (errno != 0 || *end || from_text[0] < '0' || from_text[0] > '9')
        return complain(HAND_EXIT_USAGE, 0, "invalid FROM", from_text);
    if (holder)
        (void)!connect_to_holder(holder, false);
    channel_open(&channel);
    const int code = attach(path, from, false);
    channel_close(&channel);
    return code;
}

static int command_order(const char *path, const char *word)
{
    const bool is_kill = strcmp(word, "kill") == 0;
    struct attempt_dir attempt;
    uint8_t frame[HAND_SMALL_FRAME_MAX];
    uint64_t size;
    if (!is_kill && strcmp(word, "term") != 0)
        return complain(HAND_EXIT_USAGE, 0, "invalid order", word);
    int code = open_attempt(path, &attempt);
    if (code != HAND_EXIT_OK)
        return complain_open(code, path);
    const int control = control_open(attempt.dir);
    const size_t len = hand_stamp_write(frame, is_kill ? HAND_KILL : HAND_TERM, 0);
    if (control < 0 || write(control, frame, len) != (ssize_t)len) {
        const int number = errno;
        reader.fd = attempt.spool;
        switch (spool_look(&reader, &size)) {
        case HAND_STATE_ENDED: /* nothing to do */
            break;
        case HAND_STATE_LOST:
            code = complain(HAND_EXIT_LOST, 0, "the attempt is lost:", path);
            break;
        case HAND_STATE_DAMAGED:
            code = complain(HAND_EXIT_DAMAGED, 0, "the spool is damaged:", path);
            break;
        case HAND_STATE_RUNNING:
            code = complain(HAND_EXIT_RUNNING, number, "cannot reach the keeper of", path);
            break;
        }
    }
    if (control >= 0)
        (void)close(control);
    attempt_close(&attempt);
    return code;
}

/* Prints a text of the spool, which is ASCII without control characters, or is replaced by '?'. */
static void print_text(const char *key, const char *text)
{
    (void)printf(",\"%s\":\"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            (void)putchar('\\');
        (void)putchar(*text >= ' ' && *text <= '~' ? *text : '?');
    }
    (void)putchar('"');
}

static void print_end(const struct hand_end *end)
{
    static const char *const whys[] = {"own",   "term",    "kill",  "lease",
                                       "spool", "foreign", "memory"};
    static const char *const steps[] = {"", "process", "directory", "program"};
    static const char *const codes[] = {
        [HAND_EXITED] = "exit_code", [HAND_SIGNALED] = "signal", [HAND_NOT_STARTED] = "errno"};
    print_text("why", whys[end->why]);
    if (end->ended == HAND_NOT_STARTED)
        print_text("not_started", steps[end->step]);
    (void)printf(",\"%s\":%" PRIu32 ",\"passed\":%s,\"proven\":%s", codes[end->ended], end->code,
                 hand_end_passed(end) ? "true" : "false", end->proven ? "true" : "false");
    (void)printf(",\"left\":%" PRIu32 ",\"remaining\":%" PRIu32 ",\"kills\":%" PRIu32, end->left,
                 end->remaining, end->kills);
    (void)printf(",\"spool_errno\":%" PRIu32 ",\"ended_at_ms\":%" PRIu64 ",\"ran_ms\":%" PRIu64,
                 end->spool_errno, end->at_ms, end->ran_ms);
    (void)printf(",\"user_us\":%" PRIu64 ",\"system_us\":%" PRIu64 ",\"max_rss_kib\":%" PRIu64,
                 end->user_us, end->system_us, end->max_rss_kib);
    (void)printf(",\"dropped_bytes\":%" PRIu64, end->dropped_bytes);
}

static int command_state(const char *path)
{
    static const char *const words[] = {
        [HAND_STATE_RUNNING] = "running",
        [HAND_STATE_ENDED] = "ended",
        [HAND_STATE_LOST] = "lost",
        [HAND_STATE_DAMAGED] = "damaged",
    };
    struct attempt_dir attempt;
    uint64_t size;
    const int code = open_attempt(path, &attempt);
    if (code != HAND_EXIT_OK)
        return complain_open(code, path);
    reader.fd = attempt.spool;
    const enum hand_state state = spool_look(&reader, &size);
    attempt_close(&attempt);
    const struct hand_spool *spool = &reader.spool;
    const bool begun = spool->stage != HAND_STAGE_EMPTY;
    const bool elsewhere = begun && state == HAND_STATE_RUNNING && is_elsewhere(&spool->begin);
    (void)printf("{\"state\":\"%s\",\"whole\":%" PRIu64 ",\"size\":%" PRIu64
                 ",\"output_bytes\":%" PRIu64,
                 elsewhere ? "elsewhere" : words[state], spool->whole, size, spool->output_bytes);
    if (begun) {
        (void)printf(",\"protocol\":%d,\"lease_ms\":%" PRIu32 ",\"grace_ms\":%" PRIu32
                     ",\"begun_at_ms\":%" PRIu64,
                     HAND_PROTOCOL, spool->begin.lease_ms, spool->begin.grace_ms,
                     spool->begin.at_ms);
        print_text("node", spool->begin.node);
        print_text("boot", spool->begin.boot);
    }
    if (spool->started.command != 0)
        (void)printf(",\"keeper\":%" PRIu32 ",\"command\":%" PRIu32 ",\"started_at_ms\":%" PRIu64,
                     spool->started.keeper, spool->started.command, spool->started.at_ms);
    if (spool->stage == HAND_STAGE_ENDED)
        print_end(&spool->end);
    (void)printf("}\n");
    return fflush(stdout) == 0 ? HAND_EXIT_OK : complain(HAND_EXIT_CHANNEL, errno, "stdout", NULL);
}

/* Removes the directory of an attempt whose start was interrupted before it had a spool. Nothing
 * was started there. Whoever is about to create the spool fails to, and starts nothing either. */
static int clean_unbegun(const char *path)
{
    const int dir = dir_open(path);
    if (dir < 0)
        return complain(HAND_EXIT_DIR, errno, "cannot open", path);
    const int claim = dir_claim(dir);
    if (claim < 0 && errno == EBUSY)
        return complain(HAND_EXIT_RUNNING, 0, "the attempt is starting:", path);
    if (claim < 0 || !dir_remove(path, dir))
        return complain(HAND_EXIT_DIR, errno, "cannot remove", path);
    (void)close(claim);
    (void)close(dir);
    return HAND_EXIT_OK;
}

static int command_clean(const char *path, bool lost_too)
{
    uint64_t size;
    struct attempt_dir attempt;
    const int code = open_attempt(path, &attempt);
    if (code == HAND_EXIT_NONE && errno == ENODATA && lost_too)
        return clean_unbegun(path);
    if (code != HAND_EXIT_OK)
        return complain_open(code, path);
    reader.fd = attempt.spool;
    const enum hand_state state = spool_look(&reader, &size);
    /* A keeper that has written the end has nothing to do but to exit. */
    if (state == HAND_STATE_RUNNING ||
        (state != HAND_STATE_ENDED && keeper_is_alive(attempt.spool)))
        return complain(HAND_EXIT_RUNNING, 0, "the attempt has not ended:", path);
    if (state != HAND_STATE_ENDED && !lost_too)
        return complain(HAND_EXIT_LOST, 0, "the attempt has no end; use --lost to remove", path);
    if (!dir_remove(path, attempt.dir))
        return complain(HAND_EXIT_DIR, errno, "cannot remove", path);
    attempt_close(&attempt);
    return HAND_EXIT_OK;
}

static int command_hold(const char *name, const char *idle_text)
{
    char *end;
    const unsigned long idle_s = strtoul(idle_text, &end, 10);
    if (*end || idle_text[0] < '0' || idle_text[0] > '9' || idle_s > HAND_LEASE_MS_MAX / MS_PER_S)
        return complain(HAND_EXIT_USAGE, 0, "invalid IDLE_S", idle_text);
    return hold_run(name, (uint32_t)idle_s);
}

static int command_release(const char *name)
{
    const int hold = hold_connect(name, false);
    if (hold < 0)
        return complain(HAND_EXIT_HOLD, errno, "cannot reach the holder", name);
    const int code = hold_release(hold) ? HAND_EXIT_OK
                     : errno == EBUSY   ? HAND_EXIT_RUNNING
                                        : HAND_EXIT_HOLD;
    if (code != HAND_EXIT_OK)
        (void)complain(code, errno, "cannot release", name);
    (void)close(hold);
    return code;
}

/* Replaces "~/" at the start of a path by HOME: no shell may be there to do it. */
static const char *expand_home(const char *path)
{
    static char expanded[PATH_MAX];
    const char *home = getenv("HOME");
    if (strncmp(path, "~/", 2) != 0 || !home || home[0] != '/')
        return path;
    const int wrote = snprintf(expanded, sizeof(expanded), "%s%s", home, path + 1);
    return wrote > 0 && wrote < PATH_MAX ? expanded : path;
}

/* Makes sure that no file that is opened later becomes stdin, stdout or stderr. */
static bool open_standard_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    return fd >= 0 && close(fd) == 0;
}

int main(int argc, char **argv)
{
    /* Whoever started us may have ignored it, and the kernel would reap for us then. */
    (void)signal(SIGCHLD, SIG_DFL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error, not our end */
    if (!open_standard_streams())
        return complain(HAND_EXIT_CHANNEL, errno, "cannot open", "/dev/null");
    const char *command = argc > 1 ? argv[1] : "";
    if (argc == 2 && strcmp(command, "--version") == 0)
        return printf("devs-hand %s protocol %d\n", version_text(), HAND_PROTOCOL) < 0;
    if (argc == 2 && strcmp(command, "--help") == 0)
        return fputs(usage, stdout) < 0;
    const char *holder = NULL;
    if (argc > 3 && strcmp(argv[2], "--in") == 0 && hold_name_is_valid(argv[3]) &&
        (strcmp(command, "run") == 0 || strcmp(command, "attach") == 0)) {
        holder = argv[3];
        argc -= 2;
        argv += 2;
    }
    if (argc == 3 && strcmp(command, "run") == 0)
        return command_run(holder, expand_home(argv[2]));
    if (argc == 4 && strcmp(command, "attach") == 0)
        return command_attach(holder, expand_home(argv[2]), argv[3]);
    if (argc == 4 && strcmp(command, "hold") == 0 && hold_name_is_valid(argv[2]))
        return command_hold(argv[2], argv[3]);
    if (argc == 3 && strcmp(command, "release") == 0 && hold_name_is_valid(argv[2]))
        return command_release(argv[2]);
    if (argc == 4 && strcmp(command, "order") == 0)
        return command_order(expand_home(argv[2]), argv[3]);
    if (argc == 3 && strcmp(command, "state") == 0)
        return command_state(expand_home(argv[2]));
    if (argc == 3 && strcmp(command, "clean") == 0)
        return command_clean(expand_home(argv[2]), false);
    if (argc == 4 && strcmp(command, "clean") == 0 && strcmp(argv[2], "--lost") == 0)
        return command_clean(expand_home(argv[3]), true);
    (void)fputs(usage, stderr);
    return HAND_EXIT_USAGE;
}
