/* sweep.c - finds the processes that an attempt has left, and reaps orphans.
 *
 * A process can leave its session and lose its parent. devs is a subreaper, so orphans become its
 * children. A process belongs to an attempt if it is in its session, if it carries the marks of the
 * attempt in its environment, or if devs adopted it and no other attempt is running or starting.
 * Processes in our own session and in the sessions of helpers are never touched. While a start is
 * in progress, session leaders that have ended are not reaped, because one of them may be the new
 * process. Thread: engine, except for the sweep_helper_ functions, which any thread may call. */
#define _GNU_SOURCE /* getsid and prctl, which POSIX lacks */

#include "child_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xalloc.h"

enum { CHILD_LIST_BYTES = 8192, CHILDREN_MAX = 1024 };

/* Helpers that lead their own session. The lock guards the other fields. */
static struct {
    pthread_mutex_t lock;
    pid_t *sessions; /* owned; freed when there is no helper */
    size_t count, cap;
    int starting; /* number of helpers whose pids are not known yet */
} helpers = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct sweep {
    pid_t self;
    pid_t own_session;
    int list_fd;              /* the main thread's list of children; -1 = none */
    struct sweep_mark *marks; /* owned; attempts that are not over */
    size_t mark_count, mark_cap;
    int expected; /* starts in progress */
};

/* A list of pids of limited size. The next search finds the pids that do not fit. */
struct pids {
    pid_t pids[CHILDREN_MAX];
    size_t count;
};

bool sweep_open(struct sweep **out, struct err *err)
{
    char path[64];

    if (prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL) != 0)
        return err_set_errno(err, errno, "subreaper");
    struct sweep *sweep = xcalloc(1, sizeof(*sweep));
    sweep->self = getpid();
    sweep->own_session = getsid(0);
    /* The kernel gives orphans to the first living thread of a process, which is the main
     * thread. */
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)sweep->self);
    sweep->list_fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = sweep;
    return true;
}

void sweep_close(struct sweep *sweep)
{
    if (!sweep)
        return;
    if (sweep->list_fd >= 0)
        (void)close(sweep->list_fd);
    free(sweep->marks);
    free(sweep);
}

void sweep_expect(struct sweep *sweep, int more)
{
    sweep->expected += more;
    assert(sweep->expected >= 0);
}

void sweep_enter(struct sweep *sweep, const struct sweep_mark *mark)
{
    sweep->marks =
        xgrow(sweep->marks, &sweep->mark_cap, sweep->mark_count + 1, sizeof(*sweep->marks));
    sweep->marks[sweep->mark_count++] = *mark;
}

static struct sweep_mark *find_mark(struct sweep *sweep, pid_t session)
{
    for (size_t i = 0; i < sweep->mark_count; i++) {
        if (sweep->marks[i].session == session)
            return &sweep->marks[i];
    }
    return NULL;
}

void sweep_leave(struct sweep *sweep, pid_t session)
{
    struct sweep_mark *mark = find_mark(sweep, session);
    assert(mark);
    *mark = sweep->marks[--sweep->mark_count];
}

static bool add_own_child(void *ctx, const struct proc_facts *facts)
{
    struct pids *list = ctx;
    if (facts->parent == getpid())
        list->pids[list->count++] = facts->pid;
    return list->count < CHILDREN_MAX;
}

/* Lists the children of the main thread, including adopted ones. */
static void list_children(const struct sweep *sweep, struct pids *list)
{
    char text[CHILD_LIST_BYTES];

    list->count = 0;
    if (sweep->list_fd < 0) {
        proc_each(add_own_child, list);
        return;
    }
    ssize_t got = pread(sweep->list_fd, text, sizeof(text) - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    for (char *at = text; *at && list->count < CHILDREN_MAX;) {
        char *end;
        long pid = strtol(at, &end, 10);
        if (end == at)
            break;
        if (*end == ' ') /* without a blank, the number may be truncated */
            list->pids[list->count++] = (pid_t)pid;
        at = end + (*end == ' ');
    }
}

void sweep_helper_starts(void)
{
    (void)pthread_mutex_lock(&helpers.lock);
    helpers.starting++;
    (void)pthread_mutex_unlock(&helpers.lock);
}

void sweep_helper_started(pid_t pid)
{
    (void)pthread_mutex_lock(&helpers.lock);
    helpers.starting--;
    if (pid > 0) {
        helpers.sessions =
            xgrow(helpers.sessions, &helpers.cap, helpers.count + 1, sizeof(*helpers.sessions));
        helpers.sessions[helpers.count++] = pid;
    }
    (void)pthread_mutex_unlock(&helpers.lock);
}

void sweep_helper_ended(pid_t pid)
{
    (void)pthread_mutex_lock(&helpers.lock);
    for (size_t i = 0; i < helpers.count; i++) {
        if (helpers.sessions[i] == pid)
            helpers.sessions[i--] = helpers.sessions[--helpers.count];
    }
    if (helpers.count == 0) {
        free(helpers.sessions);
        helpers.sessions = NULL;
        helpers.cap = 0;
    }
    (void)pthread_mutex_unlock(&helpers.lock);
}

/* Returns whether this session belongs, or may belong, to a helper. `leads` is whether the process
 * leads the session. */
static bool may_be_helper(pid_t session, bool leads)
{
    (void)pthread_mutex_lock(&helpers.lock);
    bool may_be = helpers.starting > 0 && leads;
    for (size_t i = 0; i < helpers.count && !may_be; i++)
        may_be = helpers.sessions[i] == session;
    (void)pthread_mutex_unlock(&helpers.lock);
    return may_be;
}

/* Returns whether this living process belongs to the attempt. */
static bool belongs_to_attempt(struct sweep *sweep, const struct sweep_mark *mark,
                               const struct proc_facts *facts)
{
    if (facts->pid == sweep->self || facts->session == sweep->own_session)
        return false;
    if (facts->session == mark->session)
        return true;
    if (facts->start < mark->start || find_mark(sweep, facts->session) ||
        may_be_helper(facts->session, facts->pid == facts->session))
        return false;
    bool adopted = facts->parent == sweep->self;
    bool only_one_left = sweep->mark_count == 1 && sweep->expected == 0;
    const char *const wanted[] = {mark->run, mark->step, NULL};
    return (adopted && only_one_left) || proc_has_environment(facts->pid, wanted) == PROC_YES;
}

/* Reaps adopted children that have ended. Returns whether any living child belongs to the attempt
 * of `mark`, which may be NULL.
 *
 * Does not touch processes in our own session: other parts of devs started them. While a start is
 * in progress, does not touch session leaders either, because one of them may be the new process,
 * already ended. All other processes were left behind by an attempt, and their group exists until
 * they are reaped. */
static bool look_at_children(struct sweep *sweep, const struct sweep_mark *mark)
{
    struct pids list;
    bool found = false;

    list_children(sweep, &list);
    for (size_t i = 0; i < list.count; i++) {
        struct proc_facts facts;
        if (!proc_read(list.pids[i], &facts))
            continue;
        if (!proc_is_over(&facts)) {
            if (mark && belongs_to_attempt(sweep, mark, &facts))
                found = true;
            continue;
        }
        const bool leads = facts.pid == facts.session;
        const bool may_be_start =
            (sweep->expected > 0 && leads) || may_be_helper(facts.session, leads);
        if (!may_be_start && facts.session != sweep->own_session && !find_mark(sweep, facts.pid))
            (void)waitpid(facts.pid, NULL, WNOHANG);
    }
    return found;
}

bool sweep_is_clean(struct sweep *sweep, pid_t session)
{
    struct sweep_mark *mark = find_mark(sweep, session);
    assert(mark);
    if (look_at_children(sweep, mark))
        return false;
    return kill(-session, 0) != 0 && errno == ESRCH;
}

void sweep_reap(struct sweep *sweep)
{
    (void)look_at_children(sweep, NULL);
}

struct search {
    struct sweep *sweep;
    const struct sweep_mark *mark;
    struct proc_facts *out;
    size_t count;
};

static bool add_living(void *ctx, const struct proc_facts *facts)
{
    struct search *search = ctx;
    if (!proc_is_over(facts) && belongs_to_attempt(search->sweep, search->mark, facts))
        search->out[search->count++] = *facts;
    return search->count < SWEEP_FOUND_MAX;
}

size_t sweep_find(struct sweep *sweep, pid_t session, struct proc_facts out[SWEEP_FOUND_MAX])
{
    struct search search = {.sweep = sweep, .mark = find_mark(sweep, session), .out = out};
    assert(search.mark);
    proc_each(add_living, &search);
    return search.count;
}
