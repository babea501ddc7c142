/* child_sweep.c - the end of a child's tree: told, killed, awaited, proven gone. */
#include "child_parts.h"

#include <errno.h>
#include <signal.h>

#include "clock.h"

enum {
    SWEEP_POLL_MS_MIN = 1, /* looks at what is left come 1, 2, 4 ... ms apart */
    SWEEP_POLL_MS_MAX = 200,
};

static bool was_told(const struct child *child, pid_t pid)
{
    for (size_t i = 0; i < child->told_count; i++) {
        if (child->told[i] == pid)
            return true;
    }
    return false;
}

/* TERM is told once to each, KILL as often as anything is found. */
static void tell_escaped(struct child *child, const struct proc_facts *found, size_t count,
                         int signal_number)
{
    for (size_t i = 0; i < count; i++) {
        if (found[i].group == child->pid)
            continue;
        if (signal_number == SIGTERM) {
            if (was_told(child, found[i].pid) || child->told_count == SWEEP_FOUND_MAX)
                continue;
            child->told[child->told_count++] = found[i].pid;
        }
        (void)kill(found[i].pid, signal_number);
        (void)kill(found[i].pid, SIGCONT);
    }
}

static void tell_left(struct child *child, const struct proc_facts *found, size_t count)
{
    if (child->kill_due_ms == 0) {
        child_tell_group(child, SIGKILL);
        tell_escaped(child, found, count, SIGKILL);
        return;
    }
    if (!child->told_term)
        child_tell_group(child, SIGTERM);
    child->told_term = true;
    tell_escaped(child, found, count, SIGTERM);
}

/* How many of it are alive; what was seen first is kept. */
static size_t find(struct child *child, struct proc_facts found[SWEEP_FOUND_MAX])
{
    struct child_end *end = &child->end;
    size_t count = sweep_find(child->nursery->sweep, child->pid, found);
    if ((int)count > end->seen)
        end->seen = (int)count;
    for (size_t i = 0; !child->looked && i < count && i < CHILD_LEFT_MAX; i++)
        end->ran[end->ran_count++] = found[i];
    child->looked = true;
    return count;
}

void child_look(struct child *child)
{
    struct proc_facts found[SWEEP_FOUND_MAX];
    (void)find(child, found);
}

static void name_left(struct child *child, const struct proc_facts *found, size_t count)
{
    struct child_end *end = &child->end;
    end->outcome.left = (int)count;
    for (size_t i = 0; i < count && i < CHILD_LEFT_MAX; i++) {
        end->left[i] = found[i];
        end->left_denied[i] = kill(found[i].pid, 0) != 0 && errno == EPERM;
    }
}

/* To search all of /proc costs milliseconds: not at every look while those who
 * were told TERM have time until the grace is over. */
static bool wants_search(const struct child *child, bool gone)
{
    bool first_look = child->sweep_poll_ms == SWEEP_POLL_MS_MIN;
    bool killing = child->kill_due_ms == 0;
    return gone || first_look || killing || child->sweep_poll_ms == SWEEP_POLL_MS_MAX;
}

/* One look at what is left; true once there is nothing more to do about it. */
static bool sweep_once(struct child *child, int64_t now_ms)
{
    struct proc_facts found[SWEEP_FOUND_MAX];

    if (child->kill_due_ms > 0 && now_ms >= child->kill_due_ms) {
        child->kill_due_ms = 0;
        child->sweep_due_ms = now_ms + CHILD_AFTER_KILL_MS;
        child->sweep_poll_ms = SWEEP_POLL_MS_MIN;
    }
    bool gone = sweep_is_clean(child->nursery->sweep, child->pid);
    if (!wants_search(child, gone))
        return false;
    size_t count = find(child, found);
    if (count == 0 && gone)
        return true;
    if (now_ms >= child->sweep_due_ms) {
        name_left(child, found, count);
        return true;
    }
    tell_left(child, found, count);
    return false;
}

static void sweep_again(uv_timer_t *timer);

static void sweep_step(struct child *child)
{
    int64_t now_ms = clock_now().mono_ms;
    if (sweep_once(child, now_ms)) {
        child_finish(child);
        return;
    }
    int64_t to_kill_ms = child->kill_due_ms > 0 ? child->kill_due_ms - now_ms : INT64_MAX;
    int64_t wait_ms = child->sweep_poll_ms < to_kill_ms ? child->sweep_poll_ms : to_kill_ms;
    child_set_timer(child, sweep_again, wait_ms);
    child->sweep_poll_ms *= 2;
    if (child->sweep_poll_ms > SWEEP_POLL_MS_MAX)
        child->sweep_poll_ms = SWEEP_POLL_MS_MAX;
}

static void sweep_again(uv_timer_t *timer)
{
    sweep_step(timer->data);
}

void child_begin_sweep(struct child *child, int64_t now_ms)
{
    child->stage = CHILD_IS_SWEPT;
    (void)uv_timer_stop(&child->timer);
    if (!child->ended_by_us && sweep_is_clean(child->nursery->sweep, child->pid)) {
        child_finish(child);
        return;
    }
    if (child->told_kill)
        child->kill_due_ms = 0;
    else if (!child->told_term)
        child->kill_due_ms = now_ms + child->grace_ms;
    child->sweep_due_ms = child->told_kill ? now_ms + CHILD_AFTER_KILL_MS : INT64_MAX;
    child->sweep_poll_ms = SWEEP_POLL_MS_MIN;
    sweep_step(child);
}
void child_sweep_harder(struct child *child)
{
    if (child->kill_due_ms == 0)
        return;
    child->kill_due_ms = 1; /* long ago: the next look kills */
    child_set_timer(child, sweep_again, 0);
}
